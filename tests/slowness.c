// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints how many times slower than the bars' machine this one is now, at least 1 (bench/timing.h).
#include <stdio.h>

#include "bench/timing.h"

int main(void) {
  printf("%.2f\n", machine_slowness());
  return 0;
}
