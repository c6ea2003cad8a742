// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs NVIDIA's tools (ptxas, nvdisasm, cuobjdump) on files in a temporary folder.
#ifndef RUNTIME_COMPILE_TOOL_FILES_H
#define RUNTIME_COMPILE_TOOL_FILES_H

#include "base/buf.h"
#include "base/str.h"

typedef struct ToolFiles {
  char folder[400], in[420], out[420], log[420];
} ToolFiles;

bool tool_files_make(ToolFiles *files); // false: errno says why
void tool_files_remove(const ToolFiles *files);
bool tool_files_write(const char *path, Str text);
bool tool_files_read(const char *path, Buf *bytes); // adds the file's bytes
// Runs words[0], found on PATH. ptxas writes all output to `log`. For the others `out` gets standard output and `log`
// standard error. Returns the exit status, 127 also if it was killed. -1 if it cannot be started.
int tool_files_run(const ToolFiles *files, char *const words[]);

#endif
