// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/seconds.h"
#include <time.h>

double seconds_now(void) {
  struct timespec t = {0};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
