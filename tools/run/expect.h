// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --expect: compares the final contents of a buffer with the user's array.
//
// Elements differ if |got - expected| > atol + rtol |expected|. NaN equals NaN. An infinity equals only
// itself.
// If no tolerances are given, those of torch.testing.assert_close are used. The wider of the buffer's and the
// array's type counts.
//
// * fp16 1e-3, bf16 1.6e-2 and fp32 1.3e-6, each with atol 1e-5.
// * fp64 1e-7 for both. Integers and booleans 0.
// * fp8 is not in assert_close: rtol 0.125 for e4m3 and 0.25 for e5m2, with atol 1e-5.
#ifndef TOOLS_RUN_EXPECT_H
#define TOOLS_RUN_EXPECT_H

#include "tools/run/argument.h"

// NAME=@FILE.npy[:RTOL,ATOL] of the command line.
typedef struct Expectation {
  const char *name, *path;
  bool given; // the tolerances
  double rtol, atol;
} Expectation;

// "0.05" or "5%", for --allow-uncompared. False with an error.
bool expect_share(const char *text, double *share, Buf *error);

// Parses NAME=@FILE. False, with one line in *error, if the text is invalid.
bool expect_parse(Arena *arena, const char *text, Expectation *expectation, Buf *error);

// An expectation with its array, for a buffer.
typedef struct Expected {
  const char *path;
  const Argument *buffer;
  Elem elem; // of the data
  const uint8_t *data;
  double rtol, atol;
  bool usual; // The tolerances are those of the types, and not 0.
} Expected;

// Reads the array and chooses the tolerances. False, with the reason in *why (in the arena), if the number of
// elements differs or the type cannot be compared with the buffer's.
bool expect_load(Arena *arena, const Expectation *expectation, const Argument *buffer, Expected *expected,
                 const char **why);

enum { EXPECT_SHOWN = 5 };

typedef struct ExpectResult {
  uint64_t compared, wrong;
  uint64_t nans; // of the wrong elements: NaN on only one side; not part of the differences
  uint64_t first[EXPECT_SHOWN];
  double largest, relative; // the largest differences; infinite if one is
  uint64_t largest_at, relative_at;
} ExpectResult;

// `got`: the buffer's bytes. Only elements with a byte in `written` count; NULL: all do.
void expect_compare(const Expected *expected, const uint8_t *got, const uint8_t *written,
                    ExpectResult *result);
// "out[3, 0]: got 1.5, expected 2".
void expect_print_pair(const char *name, const Expected *expected, const uint8_t *got, uint64_t element,
                       Buf *out);
// "out[3, 0]", from the buffer's shape.
void expect_print_index(const char *name, const Argument *buffer, uint64_t element, Buf *out);
// Element i of `data`, as text.
void expect_print_value(Elem elem, const uint8_t *data, uint64_t i, Buf *out);

#endif
