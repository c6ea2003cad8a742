// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Medians of measured times.
#ifndef BASE_MEDIAN_H
#define BASE_MEDIAN_H

#include <stdlib.h>

static inline int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Sorts them.
static inline double median_of(double *values, size_t n) {
  qsort(values, n, sizeof *values, compare_doubles);
  return values[n / 2];
}

#endif
