// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is mended in LLVM's PTX: what ptxas reads wrong, and linkage that only LLVM needs.
#ifndef CODEGEN_PTX_TEXT_H
#define CODEGEN_PTX_TEXT_H

#include <stddef.h>
#include "base/buf.h"

// In the text from byte `first` on: `abs.s16`, `abs.s32` and `abs.s64` as LLVM writes them become the larger of x
// and its negation. ptxas 13.0 takes what abs gives as not negative, so that the least integer, whose
// magnitude is itself, loses its sign in a division, a comparison or a conversion behind it.
void ptx_avoid_abs(Buf *ptx, size_t first);

// In the text from byte `first` on: functions that are no kernels lose their `.visible`, which LLVM gives them
// because they are external to it (codegen/library_calls.c), so that PTX of several compiles can be linked.
void ptx_make_functions_local(Buf *ptx, size_t first);

#endif
