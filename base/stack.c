// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "base/stack.h"

#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

// Twice what the later steps need for the deepest trees that the parser accepts. Pages have at least 4 KiB.
enum { STACK_BYTES = 2 << 20, PAGE = 4096 };

static void touch_stack(void) {
  volatile char room[STACK_BYTES];
  for (size_t at = sizeof room; at > PAGE; at -= PAGE)
    room[at - 1] = 0; // from the top: the stack grows
                      // downwards
  room[0] = 0;
}

bool stack_claim(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
  void *room = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, STACK_BYTES);
  touch_stack();
  return true;
}
