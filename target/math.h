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
  MATH_SMALL_K, // denormals are numbers as others
  MATH_SMALL_Z, // in fp32 a denormal argument counts as zero, and a result below 2^-126 may be zero
} MathSmall;

typedef struct MathInfo {
  const char *name;
  uint8_t operands; // 1 to 3
  MathResult result;
  // Accuracy owed, in units of u, half the distance from 1 to the next value of the type: |computed - f(x)|
  // <= ulp u |f(x)|. Correctly rounded is 1.
  double ulp_fp32, ulp_fp64; // ulp_fp64 0: there is none of fp64
  MathSmall small;
  // Of fp32, in u: what the argument may be off by before, relative to it, and the result besides. (math.def)
  double argument, absolute;
  const char *meaning;
} MathInfo;

const MathInfo *math_info(MathFunction function);
bool math_parse(Str name, MathFunction *function); // false: no function has that name
bool math_has(MathFunction function, Elem elem); // elem: fp32 or fp64
// The element type of the result for operands of fp32 or fp64.
Elem math_result_elem(MathFunction function, Elem operand);
double math_ulp(MathFunction function, Elem elem);   // elem: fp32 or fp64
// Whether denormal arguments count as zero and results below 2^-126 may be zero.
bool math_flushes(MathFunction function, Elem elem);

// How a function rounds whose name says so: _rz, _rd, _ru. MATH_NEAREST: its name does not.
typedef enum MathDirection { MATH_NEAREST, MATH_TO_ZERO, MATH_DOWN, MATH_UP } MathDirection;
MathDirection math_direction(MathFunction function);

// ilogb, with the same results at 0, NaN and infinity everywhere.
int32_t math_ilogb(double x);

#endif
