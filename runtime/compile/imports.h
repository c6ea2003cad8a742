// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that a source file imports: `from utils import f` reads utils.py or utils.tile beside it, `from ..
// import m` a folder up. A module of which there is no such file (torch, triton) is none of ours.
#ifndef RUNTIME_COMPILE_IMPORTS_H
#define RUNTIME_COMPILE_IMPORTS_H

#include "base/arena.h"
#include "base/str.h"
#include "runtime/compile/compile.h"

// True for a FIFO, a socket or a device, which may have nothing to read for ever. A shell gives them in /dev and /proc: those are fine.
bool import_is_irregular(const char *path);
// Reads a regular file of the disk, for Compilation.reader; data and *shown are not used.
bool import_read_file(void *data, Arena *arena, const char *path, Str *text, Shown *shown);

// Parses what c->syntax imports, through c->reader, and what that imports. Located errors go to c->diags.
void imports_follow(Compilation *c);

#endif
