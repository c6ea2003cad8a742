// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of timeline.c, which timeline_write.c writes.
#ifndef SIM_TIMELINE_TIMELINE_PARTS_H
#define SIM_TIMELINE_TIMELINE_PARTS_H

#include "sim/machine/hooks.h"
#include "sim/timeline/timeline.h"

enum { TIMELINE_MOST = 200000 }; // slices

// cp.async of all warps for one commit at one line.
typedef struct CopyGroup {
  uint32_t line, number, slice;
} CopyGroup;

struct Timeline {
  TimelineModel model;
  const char *times; // NULL: modelled
  SimHooks hooks;
  const Launch *launch;
  struct TimedWarp *warps;
  uint32_t warp_count;
  struct TimedBarrier *barriers;
  struct Resource *link, *tensor; // tensor: one for each quarter of the multiprocessor
  Arena arena;
  VEC(Slice) slices;
  struct Phases *phases;
  VEC(double) done; // by AsyncOp.sequence
  VEC(CopyGroup) groups;
  char kernel[64];
};

const SimHooks *timeline_hooks(Timeline *timeline, const Launch *launch);

#endif
