// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/run/random.h"

#include <math.h>

__extension__ typedef unsigned __int128 uint128;

void random_words(uint64_t seed, uint32_t argument, uint64_t index, uint32_t words[4]) {
  uint32_t c[4] = {(uint32_t)index, (uint32_t)(index >> 32), argument, 0};
  uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
  for (int round = 0; round < 10; round++) {
    uint64_t p0 = (uint64_t)0xD2511F53u * c[0], p1 = (uint64_t)0xCD9E8D57u * c[2];
    uint32_t next[4] = {(uint32_t)(p1 >> 32) ^ c[1] ^ key0, (uint32_t)p1, (uint32_t)(p0 >> 32) ^ c[3] ^ key1,
                        (uint32_t)p0};
    for (int i = 0; i < 4; i++) c[i] = next[i];
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  for (int i = 0; i < 4; i++) words[i] = c[i];
}

// 53 bits from two words, in [0, 1).
static double unit(uint32_t high, uint32_t low) {
  return (double)(((uint64_t)high << 32 | low) >> 11) * 0x1p-53;
}

double random_uniform(uint64_t seed, uint32_t argument, uint64_t index) {
  uint32_t words[4];
  random_words(seed, argument, index, words);
  return unit(words[0], words[1]);
}

double random_normal(uint64_t seed, uint32_t argument, uint64_t index) {
  uint32_t words[4];
  random_words(seed, argument, index, words);
  double radius = sqrt(-2.0 * log(1.0 - unit(words[0], words[1])));
  return radius * cos(6.283185307179586477 * unit(words[2], words[3]));
}

uint64_t random_below(uint64_t seed, uint32_t argument, uint64_t index, uint64_t bound) {
  uint32_t words[4];
  random_words(seed, argument, index, words);
  uint64_t high = (uint64_t)words[0] << 32 | words[1], low = (uint64_t)words[2] << 32 | words[3];
  return (uint64_t)(((uint128)high * bound + (uint64_t)((uint128)low * bound >> 64)) >> 64);
}
