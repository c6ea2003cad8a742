// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/parallel.h"

#include <pthread.h>
#include <unistd.h>

typedef struct Crew {
  uint32_t count, next; // next: atomic
  bool over;            // atomic
  bool (*each)(void *data, uint32_t i);
  void *data;
} Crew;

static void *work(void *data) {
  Crew *crew = data;
  while (!__atomic_load_n(&crew->over, __ATOMIC_RELAXED)) {
    uint32_t i = __atomic_fetch_add(&crew->next, 1, __ATOMIC_RELAXED);
    if (i >= crew->count) break;
    if (!crew->each(crew->data, i)) __atomic_store_n(&crew->over, true, __ATOMIC_RELAXED);
  }
  return NULL;
}

void parallel_run(uint32_t count, bool (*each)(void *data, uint32_t i), void *data) {
  enum { MAX_THREADS = 64, STACK = 64 << 20 };
  pthread_t threads[MAX_THREADS];
  pthread_attr_t attributes;
  Crew crew = {.count = count, .each = each, .data = data};
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  uint32_t wanted = cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (uint32_t)cores, n = 0;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  while (n + 1 < wanted && n + 1 < count && pthread_create(&threads[n], &attributes, work, &crew) == 0) n++;
  pthread_attr_destroy(&attributes);
  work(&crew);
  for (uint32_t i = 0; i < n; i++) pthread_join(threads[i], NULL);
}
