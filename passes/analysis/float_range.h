// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The range of a value's elements, as far as its ops show it (float_range.c).
#ifndef PASSES_ANALYSIS_FLOAT_RANGE_H
#define PASSES_ANALYSIS_FLOAT_RANGE_H

#include "ir/ir.h"

// Every finite element lies between `low` and `high`, up to rounding errors. INFINITY: not known.
typedef struct FloatRange {
  double low, high;
} FloatRange;

// The range of a tile or scalar of floats or integers.
FloatRange float_range(const Value *value);

// The largest absolute value; INFINITY: not known.
double float_range_most(FloatRange range);

// True if all elements are small: no loop adds up enough of them to leave fp32.
bool float_is_small(const Value *value);

// True if no terms of two signs are large. Then a sum of some elements is finite if the sum of all is.
// `init`: the start value of the sum; NULL: a small number.
bool float_sums_stay_finite(const Value *value, const Value *init);

#endif
