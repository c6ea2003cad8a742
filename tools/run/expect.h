// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --expect: what a kernel left in a buffer beside an array that the user made.
//
// Elements differ where |got - expected| > atol + rtol |expected|. NaN equals NaN, an infinity the same one.
// Without tolerances those of torch.testing.assert_close hold, of the buffer's or the array's type, whichever
// are wider: fp16 1e-3, bf16 1.6e-2, fp32 1.3e-6 (atol 1e-5 each), fp64 1e-7 (both), integers and booleans
// 0; and for fp8, which it has none for, rtol 0.125 of e4m3 and 0.25 of e5m2 with atol 1e-5.
#ifndef TOOLS_RUN_EXPECT_H
#define TOOLS_RUN_EXPECT_H

#include "tools/run/argument.h"

// NAME=@FILE.npy[:RTOL,ATOL] of the command line.
typedef struct Expectation {
  const char *name, *path;
  bool given; // the tolerances
  double rtol, atol;
} Expectation;

// "0.05" or "5%", of --allow-uncompared. False with an error.
bool expect_share(const char *text, double *share, Buf *error);

// False with one line in *error where it is none.
bool expect_parse(Arena *arena, const char *text, Expectation *expectation, Buf *error);

// An expectation with its array, for a buffer.
typedef struct Expected {
  const char *path;
  const Argument *buffer;
  Elem elem; // of the data
  const uint8_t *data;
  double rtol, atol;
} Expected;

// Reads the array and chooses the tolerances. False with the reason in *why (the arena's): it is no array of as
// many elements, or of a type that cannot be compared with the buffer's.
bool expect_load(Arena *arena, const Expectation *expectation, const Argument *buffer, Expected *expected,
                 const char **why);

enum { EXPECT_SHOWN = 5 };

typedef struct ExpectResult {
  uint64_t wrong;
  uint64_t nans; // of them: NaN on one side alone; in no difference
  uint64_t first[EXPECT_SHOWN];
  double largest, relative; // differences; an infinity where an element's is infinite
  uint64_t largest_at, relative_at;
} ExpectResult;

// `got`: the buffer's bytes after the run.
void expect_compare(const Expected *expected, const uint8_t *got, ExpectResult *result);
// "out[3, 0]", by the buffer's shape.
void expect_print_index(const char *name, const Argument *buffer, uint64_t element, Buf *out);
// Element i of `data` as text.
void expect_print_value(Elem elem, const uint8_t *data, uint64_t i, Buf *out);

#endif
