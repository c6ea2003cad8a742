// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function of one type on a device: its worst error over a range of points.
#ifndef TESTS_ACCURACY_MEASURE_H
#define TESTS_ACCURACY_MEASURE_H

#include "tests/accuracy/accuracy.h"

typedef struct Task {
  Function function;
  Type type;
  uint64_t seed, first, end, count; // points first .. end - 1 of `count`
} Task;

// The point of greatest error. A result of another kind (NaN, infinity, zero or sign where none is due, or
// none where one is due) is `wrong`.
typedef struct Worst {
  double u, ulp; // the error in units of u of the true value, and in spacings of the type there
  uint64_t index;
  Point at;
  uint64_t got;
  uint64_t points, wrong;
  uint64_t wrong_index, wrong_got; // the first wrong one
  Point wrong_at;
} Worst;

enum { MEASURE_BATCH = 1 << 18 }; // points a launch

// Host and device memory of one thread.
typedef struct Bench {
  tilec_device *device;
  tilec_buffer *in[2], *out;
  char *host_in[2], *host_out;
} Bench;

// Both return like the library's functions: tilec_last_error() has the reason of a failure.
tilec_status bench_open(Bench *bench, const char *device);
void bench_close(Bench *bench);
tilec_status measure_task(Bench *bench, const Task *task, Worst *worst);
void worst_merge(Worst *into, const Worst *from); // whatever the order of merging, the result is the same

#endif
