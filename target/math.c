// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of math functions, and queries on it.
#include "target/math.h"

#include <math.h>
#include "base/fault.h"

static const MathInfo functions[] = {
#define X(name, operands, result, ulp_fp32, ulp_fp64, small, argument, absolute, meaning)                    \
  {#name,    operands, MATH_RESULT_##result, ulp_fp32, ulp_fp64, MATH_SMALL_##small, argument,               \
   absolute, meaning},
#include "target/math.def"
#undef X
};

const MathInfo *math_info(MathFunction function) {
  if ((unsigned)function >= MATH_COUNT) BUG("no math function %u", (unsigned)function);
  return &functions[function];
}

bool math_parse(Str name, MathFunction *function) {
  for (int i = 0; i < MATH_COUNT; i++)
    if (str_is(name, functions[i].name)) {
      *function = (MathFunction)i;
      return true;
    }
  return false;
}

Elem math_result_elem(MathFunction function, Elem operand) {
  switch (math_info(function)->result) {
  case MATH_RESULT_F: return operand;
  case MATH_RESULT_B: return ELEM_I1;
  case MATH_RESULT_I: return ELEM_I32;
  }
  return operand;
}

bool math_has(MathFunction function, Elem elem) {
  const MathInfo *info = math_info(function);
  return elem != ELEM_FP64 || info->result != MATH_RESULT_F || info->ulp_fp64 > 0;
}

double math_ulp(MathFunction function, Elem elem) {
  const MathInfo *info = math_info(function);
  return elem == ELEM_FP64 ? info->ulp_fp64 : info->ulp_fp32;
}

bool math_flushes(MathFunction function, Elem elem) {
  return elem == ELEM_FP32 && math_info(function)->small == MATH_SMALL_Z;
}

int32_t math_ilogb(double x) {
  if (isnan(x) || x == 0) return INT32_MIN;
  return isinf(x) ? INT32_MAX : (int32_t)logb(x);
}

MathDirection math_direction(MathFunction function) {
  static const char *const ends[] = {[MATH_TO_ZERO] = "_rz", [MATH_DOWN] = "_rd", [MATH_UP] = "_ru"};
  Str name = str_from(math_info(function)->name);
  for (int i = MATH_TO_ZERO; i <= MATH_UP; i++)
    if (str_is((Str){name.at + name.n - 3, 3}, ends[i])) return (MathDirection)i;
  return MATH_NEAREST;
}
