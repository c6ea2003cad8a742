// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks that compare counting indices with uniform bounds: when they hold for every element.
#ifndef PASSES_ANALYSIS_MASK_BOUNDS_H
#define PASSES_ANALYSIS_MASK_BOUNDS_H

#include "ir/build.h"

// One comparison of a mask: every element of base + [low, high] `kind` bound. Signed integers of one type.
typedef struct MaskBound {
  OpKind kind;     // OP_LT, OP_LE, OP_GT, OP_GE
  Value *bases[4]; // scalars, summed modulo the type
  uint32_t base_count;
  int64_t low, high; // what is added to the sum, over the elements
  Value *bound;      // a scalar; NULL: `constant`
  int64_t constant;
  const Type *type; // of the scalars
} MaskBound;

enum { MASK_BOUNDS_MAX = 8 };

// The comparisons whose conjunction the mask is; 0: it is of another kind. Of a line that a constant ends (padding is beyond it) the
// others are compared up to there.
uint32_t mask_bounds(const Value *mask, MaskBound bounds[MASK_BOUNDS_MAX]);
// Whether the comparison is of constants alone.
static inline bool mask_bound_is_constant(const MaskBound *bound) {
  return bound->base_count == 0 && !bound->bound;
}
// The value that has the same elements, perhaps elsewhere, fewer times or in another layout.
const Value *through_shapes(const Value *value);
// Of a tile of integers, or a scalar: what its elements are between, in bases, low, high and type. False: it is no
// sum of aranges, scalars and constants.
bool index_range(const Value *value, MaskBound *range);
// What every element of the value is: the scalar, or NULL and the constant. False: they may differ.
bool is_uniform(const Value *value, Value **scalar, int64_t *constant);
// Whether every scalar that the comparison names is defined before `op`, in its region or outside of it.
bool mask_bound_visible(const MaskBound *bound, const Op *op);
// A scalar i1: the comparison holds for every element.
Value *mask_bound_test(Builder *b, const MaskBound *bound);

#endif
