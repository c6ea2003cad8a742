// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gpu_aot: compares launches compiled ahead of time with libtilec's.
//   aot.c          most kernels, graphs, threads
//   aot_copies.c   kernels with tensor maps, and persistent ones
#ifndef TESTS_GPU_AOT_H
#define TESTS_GPU_AOT_H

#include "add.h" // tilec_aot_status
#include "tests/gpu/check.h"

enum { ELEMENTS = 32768, MAX_GIVEN_BUFFERS = 5, MAX_INTS = 10, ROOM = 16 };

#define P(n) run->pointers[n]
#define I(n) run->ints[n]

typedef struct Run {
  uint64_t pointers[MAX_GIVEN_BUFFERS];
  const int32_t *ints;
} Run;

typedef struct Case {
  const char *file, *kernel;
  tilec_aot_status (*launch)(const Run *run);
  const char *(*error)(void);
  tilec_dtype dtype;
  int buffer_count, int_count;
  int skew; // elements between the buffers' start and an address that is divisible by 16
  int32_t ints[MAX_INTS];
  int copies; // compiled with --tma=on
  int turns;  // with --persistent=on --warp-specialize=on --epilogue=on
} Case;

typedef struct Test {
  char **folders;
  tilec_device *device;
  int passed, failed;
} Test;

void count(Test *test, int good, const char *what, const char *why);

typedef struct Data {
  tilec_buffer *buffers[MAX_GIVEN_BUFFERS];
  unsigned char *before[MAX_GIVEN_BUFFERS], *after[MAX_GIVEN_BUFFERS], *other;
  size_t bytes;
} Data;

Data data_new(const Test *test, const Case *c);
void data_free(Data *d);
// The buffers as they were made.
void data_reset(const Data *d);
uint64_t address_of(const Data *d, const Case *c, int i);

// The two launches' results.
void compare(Test *test, const Case *c);

void compare_copies(Test *test);

#endif
