// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of ops on constants.
#ifndef IR_FOLD_NUMBER_H
#define IR_FOLD_NUMBER_H

#include "ir/ir.h"

// Follows ops.def. Returns false if the result is undefined, depends on the target, or is a NaN (whose bits
// would be ours). Integers are canonical 64-bit values (number.h). `elem` is the operands' type.
bool fold_int(OpKind kind, Elem elem, int64_t a, int64_t b, int64_t *result);
bool fold_float(OpKind kind, Elem elem, double a, double b, double *result);
bool fold_compare_float(OpKind kind, double a, double b, int64_t *result);

#endif
