// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits offsets in LLVM IR into sums, to find the distances between registers of a tile.
#ifndef CODEGEN_EMIT_ADDRESS_SUM_H
#define CODEGEN_EMIT_ADDRESS_SUM_H

#include "codegen/emit/emit.h"

enum { MAX_TERMS = 6 };

// factor * (part + constant). A NULL factor is 1. The part may be narrower than the number; it is then
// sign-extended.
typedef struct Term {
  LLVMValueRef part, factor;
  int64_t constant;
} Term;

// A number as the sum of its terms. A count above MAX_TERMS means that the terms are not known.
typedef struct NumberSum {
  Term term[MAX_TERMS];
  uint32_t count;
} NumberSum;

NumberSum number_sum(LLVMValueRef x);
// Applies factors of sums to each term. For comparing only: the terms are not values to compute with.
NumberSum number_sum_of_products(LLVMValueRef x);
// The same, but constants may share bits with the part. Terms of narrower types are not split.
NumberSum number_sum_of_rows(LLVMValueRef x);
// True if two sums differ only in constants, or in constants times factors.
bool number_sum_is_apart(const NumberSum *from, const NumberSum *to);
// True if `to` is `from` plus a constant; *steps is that constant.
bool number_sum_steps(const NumberSum *from, const NumberSum *to, int64_t *steps);
// True if two numbers differ in constants whose factors are not constant.
bool number_sum_rows_apart(const NumberSum *from, const NumberSum *to);
// The distance from `from` to `to`, times `bytes`. It is a loop invariant. NULL: not known.
LLVMValueRef number_sum_distance(Emitter *e, const NumberSum *from, const NumberSum *to, uint32_t bytes);
// The same for numbers of another type.
LLVMValueRef number_sum_distance_in(Emitter *e, const NumberSum *from, const NumberSum *to, uint32_t bytes,
                                    LLVMTypeRef type);
// An integer as a wrapping sum, part + constant. A NULL part: it is the constant.
Term number_part(LLVMValueRef x);

// An address: root + indices + constant, in elements of one type. The last added index comes first. Sign extensions are
// removed.
typedef struct AddressSum {
  LLVMValueRef root, index[MAX_TERMS];
  uint32_t count;
  int64_t constant;
} AddressSum;

// True if the address is another one of that type plus an index.
bool address_adds_index(LLVMValueRef address, LLVMTypeRef pointee);
// The sum address + further. A NULL index is 0.
AddressSum address_sum(LLVMValueRef address, LLVMTypeRef pointee, LLVMValueRef further);
// True if the sums have one root and equally many indices.
bool address_sums_match(const AddressSum *sums, uint32_t registers);
LLVMValueRef address_add(Emitter *e, LLVMTypeRef pointee, LLVMValueRef address, LLVMValueRef index);

#endif
