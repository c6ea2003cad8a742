// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector clocks of the race checker.
//
// A strand is what runs in program order: a warp's instructions, its cp.async groups, its bulk groups, its
// wgmma groups, or the phases of an mbarrier. Strands are numbered from 1 over the whole grid, each block's
// one after another. A strand's clock grows whenever something of it becomes known to others. An event is
// (strand, clock); who knows clock c of a strand comes after all its events up to c.
#ifndef SIM_CHECK_CLOCK_H
#define SIM_CHECK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

// What is known of other blocks' strands: sorted by strand, never changed, counted.
typedef struct Foreign Foreign;

typedef struct Event {
  uint32_t strand, clock;
} Event;

Foreign *foreign_keep(Foreign *foreign); // one more holder; NULL is the empty one
void foreign_drop(Foreign *foreign);
// What either knows; consumes neither. *failed is set where there is no memory: the result is then `a`.
Foreign *foreign_join(Foreign *a, Foreign *b, bool *failed);
// The clock known of a strand; 0: nothing.
uint32_t foreign_clock(const Foreign *foreign, uint32_t strand);
uint32_t foreign_count(const Foreign *foreign);
Event foreign_at(const Foreign *foreign, uint32_t index);
// From sorted events, those with clock 0 left out.
Foreign *foreign_make(uint32_t first_strand, const uint32_t *clocks, uint32_t count, bool *failed);

// Four vectors over the strands of one block: what happened before, what of that a fence of the device or of
// the block has released, and what a proxy fence has made visible to the asynchronous proxy.
typedef enum ClockPart {
  CLOCK_SEEN,
  CLOCK_RELEASED,
  CLOCK_RELEASED_BLOCK,
  CLOCK_PROXY,
  CLOCK_PARTS
} ClockPart;

typedef struct View {
  uint32_t *at;             // CLOCK_PARTS vectors of `strands` clocks
  Foreign *seen, *released; // of other blocks
} View;

bool view_open(View *view, uint32_t strands); // all zero; false: no memory
void view_close(View *view);
void view_clear(View *view, uint32_t strands);
void view_join(View *to, const View *from, uint32_t strands, bool *failed);
static inline uint32_t *view_part(const View *view, ClockPart part, uint32_t strands) {
  return view->at + (uint32_t)part * strands;
}

#endif
