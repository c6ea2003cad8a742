// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a tile's integers are natural numbers of one word: a test for all its elements at once.
#ifndef PASSES_ANALYSIS_WORD_RANGE_H
#define PASSES_ANALYSIS_WORD_RANGE_H

#include "ir/build.h"

// Builds a scalar i1: where it holds, each element of x (integers of 32 or 64 bits) is from 0 to 2^32 - 1, of signed
// ones of 32 bits to 2^31 - 1. It may fail to hold though they are. NULL: nothing tells. Where `b` is x is defined.
Value *build_fits_word(Builder *b, const Value *x);
// The same of a scalar, and it is not 0.
Value *build_divides_words(Builder *b, Value *by);
// Whether the constant divides such numbers.
bool constant_divides_words(const Type *integer, int64_t by);

#endif
