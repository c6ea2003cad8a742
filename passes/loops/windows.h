// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows: loads in one region whose addresses are at constant distances, so that several of them read most elements.
// Shared by load_once, which reads them once, and mask_copies.c, which removes masks so that this is worth it.
#ifndef PASSES_LOOPS_WINDOWS_H
#define PASSES_LOOPS_WINDOWS_H

#include "passes/analysis/axis_info.h"
#include "passes/passes.h"

typedef struct WindowTap {
  Op *load;
  Value *mask, *other; // mask NULL: it is true everywhere; other NULL: there is none
  int64_t distance;    // elements
} WindowTap;

// Element i of tap t is at root(i) + t.distance.
typedef struct Window {
  VEC(WindowTap) taps; // in program order
  Value *root;         // pointers, or offsets from base if there is one
  Value *base;         // the same pointer in every element
  int64_t after;       // elements, added to base and offset
  int64_t low, high;   // smallest and largest distance
} Window;

// Finds the window whose first load is `first`. It has at least 3 distances, and nothing is written between its loads.
// Returns false if there is none. Then *why says what is missing, or is NULL if there are too few loads. `why` may be
// NULL.
bool window_find(Arena *arena, const AxisTable *axes, Op *first, Window *window, const char **why);

// The tap whose addresses are best aligned; the first one if several are. Its load becomes the window's load.
const WindowTap *window_anchor(const AxisTable *axes, const Window *window);

// True if the taps cover every distance from the smallest to the largest, under one mask that falls. A mask falls if it
// is false for every element after the first false one. Then the tap furthest ahead reads place p, or no tap does.
bool window_mask_falls(const AxisTable *axes, const Window *window);

#endif
