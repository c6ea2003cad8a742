// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients and remainders of a tile's integers by one divisor, as products with its reciprocal.
#ifndef PASSES_LOWER_DIVIDE_H
#define PASSES_LOWER_DIVIDE_H

#include "ir/build.h"

typedef struct Division {
  Value *quotient, *remainder;
} Division;

// A divisor, by which many elements are divided: scalars of the unsigned type of its width.
typedef struct Divisor {
  Value *size;       // its absolute value
  Value *reciprocal; // floor((2^width - 1) / size), of anything where the divisor is 0
  Value *negative;   // i1; NULL: it is not
} Divisor;

// Computes the divisor's scalars from `by`, an integer of 32 or 64 bits.
Divisor divisor_make(Builder *b, Value *by);
// x, a tile of the divisor's width, by the divisor: truncated towards zero, and the remainder has x's sign, as
// div and rem have it; any numbers where the divisor is 0.
Division divide_tile(Builder *b, Value *x, const Divisor *by);

#endif
