// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/machine/spans.h"

#include <pthread.h>

// The only process state that simulators share.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static SpanSet taken;

static bool has(const SpanSet *set, uint32_t i) { return set->bits[i / 64] >> i % 64 & 1; }

static uint32_t find_free(uint32_t count) {
  uint32_t run = 0;
  for (uint32_t i = 0; i < SPAN_COUNT; i++) {
    run = has(&taken, i) ? 0 : run + 1;
    if (run == count) return i + 1 - count;
  }
  return SPAN_COUNT;
}

bool spans_take(SpanSet *own, uint32_t count, uint32_t *first) {
  pthread_mutex_lock(&lock);
  *first = count <= SPAN_COUNT ? find_free(count) : SPAN_COUNT;
  for (uint32_t i = *first; *first < SPAN_COUNT && i < *first + count; i++) {
    taken.bits[i / 64] |= UINT64_C(1) << i % 64;
    own->bits[i / 64] |= UINT64_C(1) << i % 64;
  }
  pthread_mutex_unlock(&lock);
  return *first < SPAN_COUNT;
}

void spans_give_back(SpanSet *own) {
  pthread_mutex_lock(&lock);
  for (uint32_t i = 0; i < sizeof own->bits / sizeof *own->bits; i++) taken.bits[i] &= ~own->bits[i];
  pthread_mutex_unlock(&lock);
  *own = (SpanSet){0};
}
