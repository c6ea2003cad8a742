// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of op `math`: the table of math.def.
#ifndef TARGET_MATH_H
#define TARGET_MATH_H

#include "target/elem.h"

typedef enum MathFunction {
#define X(name, ...) MATH_##name,
#include "target/math.def"
#undef X
  MATH_COUNT
} MathFunction;

typedef enum MathResult {
  MATH_RESULT_F, // the operands' type
  MATH_RESULT_B, // i1
  MATH_RESULT_I, // i32
} MathResult;

typedef enum MathSmall {
  MATH_SMALL_K, // denormals are ordinary numbers
  MATH_SMALL_Z, // in fp32 a denormal argument counts as zero, and a result below 2^-126 may be zero
} MathSmall;

typedef struct MathInfo {
  const char *name;
  uint8_t operands; // 1 to 3
  MathResult result;
  // Required accuracy, in units of u, half the distance from 1 to the type's next value: |computed - f(x)| <=
  // ulp u |f(x)|. A correctly rounded function has 1.
  double ulp_fp32, ulp_fp64; // ulp_fp64 0: no fp64 version
  MathSmall small;
  // fp32 only, in u: the relative error of the argument, and an additional error of the result (math.def)
  double argument, absolute;
  const char *meaning;
} MathInfo;

const MathInfo *math_info(MathFunction function);
bool math_parse(Str name, MathFunction *function); // false: no function has that name
bool math_has(MathFunction function, Elem elem);   // elem: fp32 or fp64
// The element type of the result for fp32 or fp64 operands.
Elem math_result_elem(MathFunction function, Elem operand);
double math_ulp(MathFunction function, Elem elem); // elem: fp32 or fp64
// Returns true if denormal arguments count as zero and results below 2^-126 may be zero.
bool math_flushes(MathFunction function, Elem elem);

// The rounding in a function's name: _rz, _rd, _ru. MATH_NEAREST: none in the name.
typedef enum MathDirection { MATH_NEAREST, MATH_TO_ZERO, MATH_DOWN, MATH_UP } MathDirection;
MathDirection math_direction(MathFunction function);

// ilogb, with the same results at 0, NaN and infinity everywhere.
int32_t math_ilogb(double x);

#endif
