// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of math_accuracy: what the functions of target/math.def owe, where
// they are measured, and against what.
#ifndef TESTS_ACCURACY_H
#define TESTS_ACCURACY_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/tilec.h"

typedef enum Function {
#define X(name, ...) FUNCTION_##name,
#include "target/math.def"
#undef X
  FUNCTION_div,   // not of math.def: the operator
  FUNCTION_erfcx, // these are made by the front end, of fp32 and narrower
  FUNCTION_erfinv,
  FUNCTION_erfcinv,
  FUNCTION_normcdf,
  FUNCTION_normcdfinv,
  FUNCTION_COUNT
} Function;

typedef enum Result { RESULT_F, RESULT_B, RESULT_I } Result; // as the operands, i1, i32

typedef struct FunctionInfo {
  const char *name;
  int operands;
  Result result;
  double ulp_fp32, ulp_fp64; // the bounds, in units of u
  bool flushes;              // small of math.def is Z
  double argument, absolute; // math.def's columns, in u
} FunctionInfo;

extern const FunctionInfo functions[FUNCTION_COUNT];

typedef enum Type { FP32, FP64, FP16, BF16, TYPE_COUNT } Type;

typedef struct TypeInfo {
  const char *name;
  tilec_dtype dtype;
  int bytes, mantissa, least_exponent, greatest_exponent; // of normal numbers
} TypeInfo;

extern const TypeInfo types[TYPE_COUNT];

bool function_has(Function f, Type type); // whether the language has it

// number.c
long double decode(Type type, uint64_t bits);
uint64_t encode(Type type, double x); // to nearest; of fp16 and bf16 any neighbour
uint64_t load_bits(const void *from, int bytes, uint64_t index);
void store_bits(void *to, int bytes, uint64_t index, uint64_t bits);
long double unit(Type type); // u: half the distance from 1 to the next number
long double least_normal(Type type);
long double overflow_from(Type type); // what is rounded to infinity

// points.c: argument `index` of a measurement of `count` points. Specials come first; all numbers of a 16-bit
// type, and of fp32 where count is 2^32, for functions of one argument.
typedef struct Point {
  uint64_t bits[2];
} Point;
Point point_at(Function f, Type type, uint64_t seed, uint64_t index, uint64_t count);
uint64_t point_count(Function f, Type type,
                     uint64_t wanted); // at least `wanted`, so that the specials are in

// reference.c: f(a, b) of the real numbers a and b, right to about 2^-62 of its size; of predicates 0 or 1.
long double reference(Function f, Type type, const Point *p);
long double reference_special(Function f, long double x); // in reference_special.c: erfcx and later functions
double bound_of(Function f, Type type);                   // the bound of the error, in units of u
bool may_be_zero(Function f, Type type, long double exact); // True if 0 is right for a true value `exact`.
bool left_open(Function f, Type type, const Point *p);      // True if any result is right.
// The point with denormal numbers as zeros, if the function may treat them so. False: it has none.
bool flushed_point(Function f, Type type, Point *p);
// The number that the error is relative to, for a true value `exact` at `p`.
long double size_of(Function f, Type type, const Point *p, long double exact);

#endif
