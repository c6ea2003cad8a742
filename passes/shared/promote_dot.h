// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of promote_shared that puts dot operands into shared memory.
#ifndef PASSES_SHARED_PROMOTE_DOT_H
#define PASSES_SHARED_PROMOTE_DOT_H

#include "ir/dot/layout_dot.h"
#include "passes/passes.h"

// Replaces operands that the dot needs in shared memory by buffers. A conversion that feeds a dot's operand goes
// through a buffer that suits the dot (ldmatrix). Returns true if anything changed.
bool promote_dots(PassContext *context, Func *func);

// promote_loads.c: loads from which a loop computes dot operands in other threads get a buffer, to which pipeline can
// copy them. Returns true if anything changed.
bool promote_loads(PassContext *context, Func *func);

// promote_tmem.c: gives the sums of tcgen05 dots tensor memory. Returns true if anything changed.
bool promote_tmem(PassContext *context, Func *func);
// True if tensor memory can have the dot's first operand: a computed tile whose rows each belong to one thread.
bool promotes_to_tmem(const Op *dot);

// split_sums.c: loads, computes and stores sums from tensor memory in parts of their columns. `exchanged`: those that pass
// between threads through shared memory, which have no buffer yet. Otherwise those that do not. Returns true if anything
// changed.
bool split_sums(PassContext *context, Func *func, bool exchanged);

// The placement of a dot's operand in its buffer, and the buffer's layout. The tile `home` holds the operand.
// * For wgmma and ldmatrix: rows of up to 128 bytes, along the dimension in which home's registers count upwards.
// * For words along m or n that go to registers: whole rows.
// * Otherwise: the fewest wavefronts for both sides.
DotPlacement dot_choose_placement(const Op *dot, DotOperand operand, const Type *home, Layout *layout);
// The same for a tile that TMA copies for wgmma; false: it cannot.
bool dot_place_box(const Op *dot, DotOperand operand, const Value *tile, DotPlacement *placement,
                   Layout *layout);

#endif
