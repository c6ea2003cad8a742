// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The element types' numbers, as bits and as values.
//
// A float is represented as its bits, in the low bits of a uint64_t (other bits 0). Its other form is the
// double of the same value: every element type is exact in double. An integer is canonical: signed types are
// sign-extended to 64 bits, unsigned types and i1 zero-extended.
//
// Formats: IEEE 754 binary16, binary32, binary64; bf16 is binary32's upper half. The types fp8e4nv and fp8e5
// are OCP's E4M3 and E5M2 ("OCP 8-bit Floating Point Specification"). Rounding is to nearest even. Subnormals
// are kept. Conversions to fp8 saturate, infinities too (PTX cvt.satfinite).
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
bool number_saturates(Elem elem); // fp8: larger values become number_max, not infinity
// The smallest magnitude that rounds to infinity; INFINITY if the type saturates, and for fp64.
double number_overflow(Elem elem);
// The distance between the type's values around x. Below the smallest normal it is the subnormals' distance;
// beyond number_max it is that of number_max.
double number_ulp(Elem elem, double x);

// Integers. `elem` is an integer or i1 in all of these.
uint64_t number_wrap(Elem elem, uint64_t bits); // the low bits, in canonical form
static inline int64_t wrap_to(Elem elem, uint64_t bits) { return (int64_t)number_wrap(elem, bits); }

// An integer of type `from`, rounded once to the float type `to`: its bits.
uint64_t number_from_int(Elem from, uint64_t value, Elem to);
// Truncated toward zero and saturated; NaN gives 0. To 8 bits: the low bits of the 16-bit result, like
// Triton. To i1: 1 if x is not 0.
uint64_t number_to_int(Elem to, double x);
// The type that number_to_int saturates to: `to`, or the 16-bit type if `to` has 8 bits.
Elem number_saturated_type(Elem to);

// The element in memory: elem_bytes(elem) bytes, little-endian. Loading i1 gives 1 for any nonzero byte.
uint64_t number_load(Elem elem, const uint8_t *bytes);
double number_element(Elem elem, const uint8_t *bytes, uint64_t i); // element i of an array
void number_store(Elem elem, uint64_t bits, uint8_t *bytes);

#endif
