// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector clocks of the race checker.
//
// A strand is a sequence in program order. It is a warp's instructions, its cp.async, bulk or wgmma groups,
// or the phases of an mbarrier. Strands are numbered from 1 over the whole grid, CTA by CTA. A strand's clock
// advances whenever its events become known to others. An event is (strand, clock). An observer that knows
// clock c of a strand comes after all its events up to c.
#ifndef SIM_CHECK_CLOCK_H
#define SIM_CHECK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

// Known clocks of other CTAs' strands: sorted by strand, immutable, reference-counted.
typedef struct Foreign Foreign;

typedef struct Event {
  uint32_t strand, clock;
} Event;

Foreign *foreign_keep(Foreign *foreign); // adds a reference; NULL is the empty one
void foreign_drop(Foreign *foreign);
// The union of both. Consumes neither. If memory is exhausted, *failed is set and the result is `a`.
Foreign *foreign_join(Foreign *a, Foreign *b, bool *failed);
// The known clock of a strand. 0: none.
uint32_t foreign_clock(const Foreign *foreign, uint32_t strand);
uint32_t foreign_count(const Foreign *foreign);
Event foreign_at(const Foreign *foreign, uint32_t index);
// From sorted events. Events with clock 0 are left out.
Foreign *foreign_make(uint32_t first_strand, const uint32_t *clocks, uint32_t count, bool *failed);

// Four vectors over the strands of one CTA: the events that happened before, and parts of them. Those parts were
// released by a device fence, released by a CTA fence, or made visible to the asynchronous proxy by a proxy fence.
typedef enum ClockPart {
  CLOCK_SEEN,
  CLOCK_RELEASED,
  CLOCK_RELEASED_BLOCK,
  CLOCK_PROXY,
  CLOCK_PARTS
} ClockPart;

typedef struct View {
  uint32_t *at;             // CLOCK_PARTS vectors of `strands` clocks
  Foreign *seen, *released; // of other CTAs
  Foreign *system; // All that a fence of system scope released. NULL: nothing, or there is one device.
} View;

bool view_open(View *view, uint32_t strands); // all zero; false: out of memory
void view_close(View *view);
void view_clear(View *view, uint32_t strands);
void view_join(View *to, const View *from, uint32_t strands, bool *failed);
static inline uint32_t *view_part(const View *view, ClockPart part, uint32_t strands) {
  return view->at + (uint32_t)part * strands;
}

#endif
