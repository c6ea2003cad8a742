// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pseudo-instructions of inline assembly.
//
//   tilec.copy {%r1,%r2}, {%r2,%r1};    copies registers of 32 bits, all at once, as in "a, b = b, a"
//   tilec.hold;                         its operands are its results
//
// LLVM allocates the registers of both lists as it likes: a result may have the register of any operand.
// Real moves, one after another, would overwrite operands that later ones read.
#ifndef CODEGEN_LLVM_PTX_MOVES_H
#define CODEGEN_LLVM_PTX_MOVES_H

#include <stddef.h>
#include "base/arena.h"
#include "base/buf.h"

#define PTX_COPY "tilec.copy"
#define PTX_HOLD "tilec.hold;"

// Replaces the copies in the text from byte `first` on by instructions, in an order that keeps what is still read.
// They are prmt.b32: ptxas does not know that it copies. A copy to the same register needs none.
// A cycle goes through a register of its own. Holds are removed.
void ptx_expand_moves(Arena *arena, Buf *ptx, size_t first);

#endif
