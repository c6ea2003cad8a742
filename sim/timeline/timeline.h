// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timeline of a launch's first CTA: slices of time, which are measured on a GPU (timeline_measured), or recorded on
// the simulator. That has no clock: times are modelled, in the order of dependences.
//
// * A warp issues an instruction every `issue` clocks, and waits for the registers that its loads fill.
// * A load arrives `load` (global memory) or `shared` after its issue.
// * Copies share the multiprocessor's link to the L2 cache. One arrives `arrival` after its last byte was sent.
// * Dots of a warp occupy the tensor core of its quarter of the multiprocessor.
// * Waits end when what they wait for is complete, by the same times.
//
// The CTA has the multiprocessor alone.
#ifndef SIM_TIMELINE_TIMELINE_H
#define SIM_TIMELINE_TIMELINE_H

#include "base/buf.h"
#include "sim/sim.h"

typedef struct TimelineModel {
  const char *card;
  double clock;                 // ns
  double issue;                 // clocks of an instruction
  double load, shared, arrival; // ns
  double link;                  // bytes per ns
  double tensor[9];             // operations per ns of one quarter, by bytes of an element of A (1, 2, 4, 8)
} TimelineModel;

typedef enum SliceKind { SLICE_RUN, SLICE_WAIT, SLICE_MMA, SLICE_COPY } SliceKind;

typedef struct Slice {
  SliceKind kind;
  const char *name; // of a wait or a dot's instruction
  uint32_t line;    // 0: not known
  uint32_t warp;
  uint64_t address, bytes; // of a copy: where in shared memory
  bool out;                // the copy is a store
  double begin, end;       // ns
} Slice;

typedef struct Timeline Timeline;

Timeline *timeline_new(const TimelineModel *model); // NULL: out of memory
// A timeline of slices that the caller adds. `times`: where they are from; lives as long as the timeline.
Timeline *timeline_measured(const char *kernel, uint32_t warps, const char *times);
void timeline_add(Timeline *timeline, Slice slice); // its name lives as long as the timeline
void timeline_free(Timeline *timeline);
// For later launches; NULL: none. The caller owns it. Launches with checks record nothing.
void timeline_record(tilec_sim *sim, Timeline *timeline);
// A JSON object in the format of Chrome's traces, which Perfetto reads. False: nothing was recorded, or memory ran out.
// whole: nothing is known to be missing.
bool timeline_write(const Timeline *timeline, bool whole, Buf *out);

#endif
