// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients and remainders of a tile's integers by one divisor, by multiplication with its reciprocal.
#ifndef PASSES_LOWER_DIVIDE_H
#define PASSES_LOWER_DIVIDE_H

#include "ir/build.h"

typedef struct Division {
  Value *quotient, *remainder;
} Division;

// A divisor of many elements: scalars of the unsigned type of its width.
typedef struct Divisor {
  Value *size;       // its absolute value
  Value *reciprocal; // floor((2^width - 1) / size); any number if the divisor is 0
  Value *negative;   // i1: the divisor is negative; NULL: it is unsigned
} Divisor;

// Computes the divisor's scalars from `by`, an integer of 32 or 64 bits.
Divisor divisor_make(Builder *b, Value *by);
// Divides x, a tile of the divisor's width. As with div and rem, the quotient is truncated towards zero and the
// remainder has x's sign. If the divisor is 0, the results are any numbers.
Division divide_tile(Builder *b, Value *x, const Divisor *by);

#endif
