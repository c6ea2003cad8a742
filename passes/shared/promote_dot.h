// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of promote_shared that puts dots' operands into shared memory.
#ifndef PASSES_SHARED_PROMOTE_DOT_H
#define PASSES_SHARED_PROMOTE_DOT_H

#include "ir/dot/layout_dot.h"
#include "passes/passes.h"

// Operands that the dot wants in shared memory become buffers; conversions that feed a dot's operand go
// through a buffer that the dot's side reads (ldmatrix). Returns whether anything changed.
bool promote_dots(PassContext *context, Func *func);

// How the operand, which the tile `home` holds, is to lie in the buffer through which it goes to its dot, and the
// buffer's layout: for wgmma and ldmatrix rows of up to 128 bytes along the dimension in which home's registers
// count upwards; words along m or n that go to registers in whole rows; else the fewest wavefronts for both sides.
DotPlacement dot_choose_placement(const Op *dot, DotOperand operand, const Type *home, Layout *layout);
// The same for a tile that is a box of a tensor, as a tensor copy brings it to wgmma; false: it cannot.
bool dot_place_box(const Op *dot, DotOperand operand, const Value *tile, DotPlacement *placement,
                   Layout *layout);

#endif
