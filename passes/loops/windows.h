// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows: loads of one region whose addresses lie at constant distances,
// so that most elements are read by several of them. Shared by share_windows,
// which reads them once, and mask_copies.c, which makes that worth while.
#ifndef PASSES_LOOPS_WINDOWS_H
#define PASSES_LOOPS_WINDOWS_H

#include "passes/analysis/axis_info.h"
#include "passes/passes.h"

typedef struct WindowTap {
  Op *load;
  Value *mask, *other; // NULL: the mask holds everywhere; there is none
  int64_t distance;    // elements
} WindowTap;

// Element i of tap t is at root(i) + t.distance.
typedef struct Window {
  VEC(WindowTap) taps; // in program order
  Value *root;         // a tile of pointers, or (base is not NULL) of offsets from base
  Value *base;         // a tile with one pointer in every element
  int64_t after;       // elements, added to the pointers that base and offsets give
  int64_t low, high;   // the least and the greatest distance
} Window;

// The window whose first load is `first`, of at least 3 distances, nothing being written between its loads.
// False: there is none; *why (or NULL) says what was missing where there are loads enough.
bool window_find(Arena *arena, const AxisTable *axes, Op *first, Window *window, const char **why);

// The tap whose addresses are aligned best, whose load becomes the window's; the first of those.
const WindowTap *window_anchor(const AxisTable *axes, const Window *window);

// Whether the taps are at every distance between the least and the greatest, under one mask that holds for no
// element after one that it does not hold for: then the place p is read by the tap furthest ahead, or by none.
bool window_mask_falls(const AxisTable *axes, const Window *window);

#endif
