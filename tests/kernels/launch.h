// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One launch of a kernel of tests/kernels on the reference evaluator. The .py file is parsed, and
// elaborated for the arguments as a launch would (types, None, values of 1, multiples of 16). Then
// the whole grid runs. Values are passed and read back as doubles. There are no integers beyond
// 2^53. With TEST_DEVICE=sim the kernel is compiled and run on the simulator too (launch_sim.h),
// and results are the simulator's.
//
//   launch_open, buffers and scalars and constexprs in any order, launch_kernel, launch_expect, launch_close
#ifndef TESTS_KERNELS_LAUNCH_H
#define TESTS_KERNELS_LAUNCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "eval/eval.h"
#include "runtime/compile/compile.h"
#include "tests/kernels/launch_sim.h"

enum { LAUNCH_ARGS = 48 };

typedef struct LaunchArg {
  const char *name;
  bool buffer, none;
  Elem elem;
  uint32_t n;       // elements of a buffer
  uint64_t bits;    // the scalar, or the buffer's address
  ParamFacts facts; // as the runtime would find them
} LaunchArg;

typedef struct Launch {
  const char *file;
  Compilation c;
  Arena arena; // the evaluator's memory and all values handed out
  EvalMemory *memory;
  LaunchSim *sim; // NULL: only the evaluator
  Spec spec;
  LaunchArg args[LAUNCH_ARGS];
  uint32_t count;
  uint64_t next; // where the next buffer goes
  uint64_t random;
  uint32_t warnings; // how many are expected; any other number fails
} Launch;

// `file` is one of tests/kernels; `kernel` a function of it. Fails the test where it does not parse.
void launch_open(Launch *l, const char *file, const char *kernel);
void launch_close(Launch *l);

// A buffer whose name is no parameter's is reached through other pointers.
// A buffer of n random numbers, uniform in low .. high, as the type holds them; of an integer type whole
// numbers, high excluded. The values are the launch's.
const double *launch_random(Launch *l, const char *name, const char *type, uint32_t n, double low,
                            double high);
void launch_values(Launch *l, const char *name, const char *type, uint32_t n, const double *values);
void launch_fill(Launch *l, const char *name, const char *type, uint32_t n, double value);
// Nothing may read it before it is written.
void launch_empty(Launch *l, const char *name, const char *type, uint32_t n);

// Scalars, apart by spaces: "M=37 eps=1e-5 bias=None"; a number with '.' or 'e' is fp32, others i32 or i64.
void launch_scalars(Launch *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Constexprs, apart by spaces: "BLOCK=64 ACTIVATION=\"relu\"".
void launch_constexprs(Launch *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Elaborates and runs; the test fails where either reports anything: an error, a race, an undefined value.
void launch_kernel(Launch *l, uint32_t x, uint32_t y, uint32_t z);
// The contents of a buffer after the launch.
const double *launch_result(Launch *l, const char *name);
// Every element within tolerance * (1 + |expected|); a NaN in `expected` is an element not looked at.
void launch_expect(Launch *l, const char *name, const double *expected, double tolerance);

double *launch_array(Launch *l, size_t n); // zeros

#endif
