// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites LLVM's PTX. Avoids ptxas bugs (docs/targets.md, "Where ptxas is worked around") and removes
// linkage that only LLVM needs.
#ifndef CODEGEN_LLVM_PTX_TEXT_H
#define CODEGEN_LLVM_PTX_TEXT_H

#include <stddef.h>
#include "base/arena.h"
#include "base/buf.h"

// Rewrites signed-integer instructions, as LLVM prints them, in the text from byte `first` on.
// `abs` becomes the larger of x and its negation, not(x) + 1.
// `neg` becomes not(x) + 1, if a max or min uses it, directly or through moves.
void ptx_mend(Arena *arena, Buf *ptx, size_t first);

// Removes `.visible` from functions that are not kernels, in the text from byte `first` on. LLVM adds it
// because they are external to LLVM (codegen/math/library_calls.c). PTX of several compiles can then be
// linked.
void ptx_make_functions_local(Buf *ptx, size_t first);

// Gives each .file of the text from byte `first` on a time and a size, both 1. Without them ptxas looks for the
// source and writes its time of change into the cubin.
void ptx_date_files(Buf *ptx, size_t first);

#endif
