// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks that compare counting indices with uniform bounds: when are they true for every element?
#ifndef PASSES_ANALYSIS_MASK_BOUNDS_H
#define PASSES_ANALYSIS_MASK_BOUNDS_H

#include "ir/build.h"

// One comparison of a mask: every element of base + [low, high] `kind` bound. Signed integers of one type.
typedef struct MaskBound {
  OpKind kind;     // OP_LT, OP_LE, OP_GT, OP_GE
  Value *bases[4]; // scalars, summed modulo the type
  uint32_t base_count;
  int64_t low, high; // The range that the elements add to the sum.
  Value *bound;      // a scalar; NULL: `constant`
  int64_t constant;
  const Type *type; // of the scalars
} MaskBound;

enum { MASK_BOUNDS_MAX = 8 };

// The comparisons that the mask is the conjunction of; 0: it is another kind of mask. If a constant ends a line (after
// it is padding), the other comparisons are checked only up to there.
uint32_t mask_bounds(const Value *mask, MaskBound bounds[MASK_BOUNDS_MAX]);
// Returns true if the comparison has only constants.
static inline bool mask_bound_is_constant(const MaskBound *bound) {
  return bound->base_count == 0 && !bound->bound;
}
// The value with the same elements, perhaps at other places, fewer times or in another layout.
const Value *through_shapes(const Value *value);
// The range of the elements of an integer tile or scalar, in bases, low, high and type. False: it is not a sum of
// aranges, scalars and constants.
bool index_range(const Value *value, MaskBound *range);
// The scalar that every element equals, or NULL and the constant. False: the elements may differ.
bool is_uniform(const Value *value, Value **scalar, int64_t *constant);
// Returns true if every scalar in the comparison is defined before `op`, in its region or outside.
bool mask_bound_visible(const MaskBound *bound, const Op *op);
// A scalar i1: the comparison is true for every element.
Value *mask_bound_test(Builder *b, const MaskBound *bound);

#endif
