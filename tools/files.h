// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of the command line, and the standard streams.
#ifndef TOOLS_FILES_H
#define TOOLS_FILES_H

#include "runtime/compile/compile.h"
#include "tools/options/options.h"

// The tool's first and last call. files_end returns false, after printing an error, if standard output was
// not written completely.
void files_begin(void);
bool files_end(void);

// Reads a file, or standard input for "-", into the arena. False after printing an error.
bool tool_read(Arena *arena, const char *path, Str *text);
// One name per file, for all spellings of its path. It is relative to this folder, or absolute if it is not
// below it.
const char *tool_place(Arena *arena, const char *path);
const char *tool_source_name(const char *path); // for diagnostics: "<stdin>" for "-"

// Writes a file, or standard output for "-". A regular file appears whole or not at all, and keeps its mode.
// False after printing an error.
bool tool_write(const char *path, Str text);

// Returns true if no output is also an input or another output of the command, under any name. False after
// printing which.
bool files_apart(Arena *arena, const Options *options, const Compilation *c, const char *const *outputs,
                 uint32_t count);

#endif
