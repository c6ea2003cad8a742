// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multiplication of 64-bit integers.
#ifndef SIM_EXEC_WIDE_H
#define SIM_EXEC_WIDE_H

#include <stdint.h>

// The high half of a 128-bit result, computed from 32-bit parts.
static inline uint64_t mulhi64(uint64_t a, uint64_t b) {
  uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
  uint64_t low = al * bl, m1 = ah * bl + (low >> 32), m2 = al * bh + (uint32_t)m1;
  return ah * bh + (m1 >> 32) + (m2 >> 32);
}

static inline uint64_t mulhi64_signed(int64_t a, int64_t b) {
  return mulhi64((uint64_t)a, (uint64_t)b) - (a < 0 ? (uint64_t)b : 0) - (b < 0 ? (uint64_t)a : 0);
}

#endif
