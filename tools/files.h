// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of the command line, and the standard streams.
#ifndef TOOLS_FILES_H
#define TOOLS_FILES_H

#include "runtime/compile/compile.h"
#include "tools/options/options.h"

// First and last call of the tool. files_end is false, having said why, where something that was printed on
// standard output got lost.
void files_begin(void);
bool files_end(void);

// Reads a file, "-" for standard input, into memory of the arena. False, having said why.
bool tool_read(Arena *arena, const char *path, Str *text);
// One name for a file, however its path is spelled: from this folder, or from the root where it is not below it.
const char *tool_place(Arena *arena, const char *path);
const char *tool_source_name(const char *path); // for diagnostics: "<stdin>" for "-"

// Writes a file, "-" for standard output; a regular file appears whole or not at all, and keeps its mode.
// False, having said why.
bool tool_write(const char *path, Str text);

// Whether no output is a file that the command reads, by whatever name, nor the same as another output.
// False, having said which.
bool files_apart(Arena *arena, const Options *options, const Compilation *c, const char *const *outputs,
                 uint32_t count);

#endif
