// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of the element types, as bits and as values.
//
// A float is held as its bits, in the low bits of a uint64_t with the rest 0, or as the double of the same
// value (every element type is exact in double). An integer is held canonically: sign-extended to 64 bits
// where it is signed, zero-extended where it is unsigned or i1.
//
// Formats: IEEE 754 binary16, binary32, binary64; bf16 is binary32's upper half; fp8e4nv and fp8e5
// are OCP's E4M3 and E5M2 ("OCP 8-bit Floating Point Specification"). Rounding is to nearest even,
// subnormals are kept, and conversions to fp8 saturate, infinities too (PTX cvt.satfinite).
#ifndef IR_NUMBER_H
#define IR_NUMBER_H

#include "ir/type.h"

// Floats. `elem` is a float in all of these.
double number_decode(Elem elem, uint64_t bits);
uint64_t number_encode(Elem elem, double x); // rounded; a NaN gives a quiet NaN
double number_round(Elem elem, double x);    // the nearest value of the type: decode of encode
double number_u(Elem elem);                  // unit roundoff: half the distance from 1 to the next value
double number_min_normal(Elem elem);
double number_max(Elem elem);     // the largest finite value
bool number_saturates(Elem elem); // fp8: what is too large becomes number_max, not infinity
// The smallest magnitude that rounds to infinity; INFINITY where the type saturates, and for fp64.
double number_overflow(Elem elem);
// The distance between the type's values around x: that of subnormals
// below the smallest normal, that of number_max beyond it.
double number_ulp(Elem elem, double x);

// Integers. `elem` is an integer or i1 in all of these.
uint64_t number_wrap(Elem elem, uint64_t bits); // the low bits, canonically

// An integer of type `from`, rounded once to the float type `to`: its bits.
uint64_t number_from_int(Elem from, uint64_t value, Elem to);
// Truncated toward zero and saturated; NaN gives 0. To 8 bits: the low ones of the 16 that this gives, as
// Triton's are. To i1: whether x is not 0.
uint64_t number_to_int(Elem to, double x);
// The type that number_to_int saturates to: `to`, or that of 16 bits where `to` has 8.
Elem number_saturated_type(Elem to);

// The element in memory: elem_bytes(elem) bytes, little-endian. Loading i1 gives 1 for any byte but 0.
uint64_t number_load(Elem elem, const uint8_t *bytes);
void number_store(Elem elem, uint64_t bits, uint8_t *bytes);

#endif
