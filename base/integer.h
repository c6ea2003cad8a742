// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on unsigned integers that C has no functions for, and the bits of doubles.
#ifndef BASE_INTEGER_H
#define BASE_INTEGER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }
static inline uint64_t min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }

static inline bool is_power_of_two(uint64_t n) { return n && (n & (n - 1)) == 0; }
// The k with n == 2^k.
static inline uint32_t log2_of(uint64_t n) { return (uint32_t)__builtin_ctzll(n); }
// The largest k with 2^k <= n: the position of the highest set bit. n is not 0.
static inline uint32_t log2_floor(uint64_t n) { return 63u - (uint32_t)__builtin_clzll(n); }
// The smallest k with n <= 2^k.
static inline uint32_t log2_ceil(uint64_t n) { return n > 1 ? log2_floor(n - 1) + 1 : 0; }
// The position of the lowest set bit: how often 2 divides n. n is not 0.
static inline uint32_t lowest_bit(uint64_t n) { return (uint32_t)__builtin_ctzll(n); }
static inline uint32_t bit_count(uint64_t n) { return (uint32_t)__builtin_popcountll(n); }

static inline uint64_t double_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// The decimal digits of n.
static inline uint32_t digit_count(uint64_t n) { return n < 10 ? 1 : 1 + digit_count(n / 10); }

static inline uint64_t divide_up(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit; }
// The smallest multiple of `unit` that is at least n.
static inline uint64_t round_up(uint64_t n, uint64_t unit) { return divide_up(n, unit) * unit; }

#endif
