// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One test for all elements of a tile: are they non-negative and do they fit in 32 bits?
#ifndef PASSES_ANALYSIS_WORD_RANGE_H
#define PASSES_ANALYSIS_WORD_RANGE_H

#include "ir/build.h"

// Builds a scalar i1. If it is true, each element of x (32-bit or 64-bit integers) is from 0 to 2^32 - 1. For signed
// 32-bit integers the limit is 2^31 - 1. It may be false although the elements fit. NULL: no test is possible. x must
// be defined at `b`.
Value *build_fits_word(Builder *b, const Value *x);
// The same for a scalar, which must also not be 0.
Value *build_divides_words(Builder *b, Value *by);
// Returns true if the constant divides such numbers.
bool constant_divides_words(const Type *integer, int64_t by);

#endif
