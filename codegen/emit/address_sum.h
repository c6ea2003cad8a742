// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Offsets taken apart, as LLVM has them: how far registers of a tile are from one another.
#ifndef CODEGEN_EMIT_ADDRESS_SUM_H
#define CODEGEN_EMIT_ADDRESS_SUM_H

#include "codegen/emit/emit.h"

enum { MAX_TERMS = 6 };

// factor * (part + constant); factor NULL: 1. The part may be narrower than the number, whose sign it then has.
typedef struct Term {
  LLVMValueRef part, factor;
  int64_t constant;
} Term;

// A number: the sum of its terms, as far as that is seen; more than MAX_TERMS: it is not.
typedef struct NumberSum {
  Term term[MAX_TERMS];
  uint32_t count;
} NumberSum;

NumberSum number_sum(LLVMValueRef x);
// Where factors of sums are factors of each term: to compare, not to compute with.
NumberSum number_sum_of_products(LLVMValueRef x);
// The same, where constants need not be bits of their own; terms of narrower types are not taken apart.
NumberSum number_sum_of_rows(LLVMValueRef x);
// True if two sums differ only in constants, or in constants times factors.
bool number_sum_is_apart(const NumberSum *from, const NumberSum *to);
// Whether `to` is a constant more than `from`, and how many.
bool number_sum_steps(const NumberSum *from, const NumberSum *to, int64_t *steps);
// Whether two numbers differ, and by more than constants.
bool number_sum_rows_apart(const NumberSum *from, const NumberSum *to);
// How far `to` is from `from`, times `bytes`, in what no iteration changes; NULL: that is not seen.
LLVMValueRef number_sum_distance(Emitter *e, const NumberSum *from, const NumberSum *to, uint32_t bytes);
// The same of numbers of another type.
LLVMValueRef number_sum_distance_in(Emitter *e, const NumberSum *from, const NumberSum *to, uint32_t bytes,
                                    LLVMTypeRef type);
LLVMValueRef without_extension(LLVMValueRef index);

#endif
