// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The address space that the simulators of a process share: each has spans of its own, so that an address of one is
// never an address of another, nor one that the host's allocator gives. The lowest free ones are taken: the first
// simulator of a process has the same addresses in every run.
#ifndef SIM_MACHINE_SPANS_H
#define SIM_MACHINE_SPANS_H

#include <stdbool.h>
#include <stdint.h>

enum { SPAN_BITS = 36, SPAN_COUNT = 0x550 }; // 64 GiB each, below where position-independent programs begin

// Spans by number: span i has the addresses from i << SPAN_BITS on, but that 4 GiB are left out of span 0.
typedef struct SpanSet {
  uint64_t bits[(SPAN_COUNT + 63) / 64];
} SpanSet;

// Takes `count` neighbouring spans that no simulator has, adds them to `own`. False: there are none.
bool spans_take(SpanSet *own, uint32_t count, uint32_t *first);
void spans_give_back(SpanSet *own); // all of them

#endif
