// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// FNV-1a (Fowler, Noll, Vo), 64 bits. Only for tables: nothing may depend on its order.
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t hash_more(uint64_t hash, const void *bytes, size_t n) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < n; i++) hash = (hash ^ at[i]) * 0x100000001b3u;
  return hash;
}

static inline uint64_t hash_bytes(const void *bytes, size_t n) {
  return hash_more(0xcbf29ce484222325u, bytes, n);
}

// Hashes one number, spread over all bits (Fibonacci hashing, the golden ratio of 2^64).
static inline uint64_t hash_u64(uint64_t number) {
  number *= 0x9e3779b97f4a7c15u;
  return number ^ number >> 32;
}

static inline uint64_t hash_pointer(const void *pointer) { return hash_u64((uint64_t)(uintptr_t)pointer); }

#endif
