// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is mended in LLVM's PTX: what ptxas reads wrong (docs/targets.md, "Where ptxas is worked around"), and linkage
// that only LLVM needs.
#ifndef CODEGEN_LLVM_PTX_TEXT_H
#define CODEGEN_LLVM_PTX_TEXT_H

#include <stddef.h>
#include "base/arena.h"
#include "base/buf.h"

// Rewrites instructions of signed integers, as LLVM writes them, in the text from byte `first` on:
//   abs   becomes the larger of x and its negation, which is not x plus 1
//   neg   becomes not x plus 1, where a max or min takes it, be it by moves
void ptx_mend(Arena *arena, Buf *ptx, size_t first);

// In the text from byte `first` on: functions that are no kernels lose their `.visible`, which LLVM gives them
// because they are external to it (codegen/math/library_calls.c), so that PTX of several compiles can be linked.
void ptx_make_functions_local(Buf *ptx, size_t first);

#endif
