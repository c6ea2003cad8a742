// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows imports of source files. `from utils import f` reads utils.py or utils.tile next to the file. `from
// .. import m` looks one folder up. A module without such a file (torch, triton) is not followed.
#ifndef RUNTIME_COMPILE_IMPORTS_H
#define RUNTIME_COMPILE_IMPORTS_H

#include "base/arena.h"
#include "base/str.h"
#include "runtime/compile/compile.h"

// True for a FIFO, a socket or a device. Those may block forever. Those that a shell puts in /dev and /proc
// are fine.
bool import_is_irregular(const char *path);
// Reads a regular file from the disk, for Compilation.reader. data and *shown are not used.
bool import_read_file(void *data, Arena *arena, const char *path, Str *text, Shown *shown);

// Parses the imports of c->syntax through c->reader, and their imports. Located errors go to c->diags.
void imports_follow(Compilation *c);

#endif
