// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The address space that the simulators of a process share. Each simulator takes separate spans. So its
// addresses never equal those of another simulator, or of the host's allocator. The lowest free spans are
// taken: the first simulator of a process has the same addresses in every run.
#ifndef SIM_MACHINE_SPANS_H
#define SIM_MACHINE_SPANS_H

#include <stdbool.h>
#include <stdint.h>

enum {
  SPAN_BITS = 36,
  SPAN_COUNT = 0x550
};  // 64 GiB each, below the addresses of position-independent
    // programs

// Spans by number. Span i has the addresses from i << SPAN_BITS on. Span 0 leaves out 4 GiB.
typedef struct SpanSet {
  uint64_t bits[(SPAN_COUNT + 63) / 64];
} SpanSet;

// Takes `count` adjacent free spans and adds them to `own`. False: there are none.
bool spans_take(SpanSet *own, uint32_t count, uint32_t *first);
void spans_give_back(SpanSet *own); // all of them

#endif
