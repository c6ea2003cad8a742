// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pseudo-instructions of inline assembly.
//
//   tilec.copy {%r1,%r2}, {%r2,%r1};    copies 32-bit registers, all at once, as in "a, b = b, a".
//   tilec.hold;                         Its operands are its results.
//
// LLVM allocates the registers of both lists freely: a result may have the register of any operand. Real
// moves, one after another, would overwrite operands that later moves read.
#ifndef CODEGEN_LLVM_PTX_MOVES_H
#define CODEGEN_LLVM_PTX_MOVES_H

#include <stddef.h>
#include "base/arena.h"
#include "base/buf.h"

#define PTX_COPY "tilec.copy"
#define PTX_HOLD "tilec.hold;"

// Replaces the copies in the text from byte `first` on by instructions. Their order keeps values that are
// still read. They are prmt.b32, which ptxas does not recognise as a copy. A copy to the same register needs
// no instruction. A cycle goes through its own register. Holds are removed.
void ptx_expand_moves(Arena *arena, Buf *ptx, size_t first);

#endif
