// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/check/clock.h"

#include <stdlib.h>
#include <string.h>

struct Foreign {
  uint32_t holders, n;
  Event at[];
};

static Foreign *foreign_new(uint32_t most, bool *failed) {
  Foreign *made = malloc(sizeof *made + most * sizeof *made->at);
  if (!made)
    *failed = true;
  else
    *made = (Foreign){.holders = 1};
  return made;
}

Foreign *foreign_keep(Foreign *foreign) {
  if (foreign) foreign->holders++;
  return foreign;
}

void foreign_drop(Foreign *foreign) {
  if (foreign && --foreign->holders == 0) free(foreign);
}

uint32_t foreign_count(const Foreign *foreign) { return foreign ? foreign->n : 0; }
Event foreign_at(const Foreign *foreign, uint32_t index) { return foreign->at[index]; }

uint32_t foreign_clock(const Foreign *foreign, uint32_t strand) {
  uint32_t low = 0, high = foreign_count(foreign);
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (foreign->at[middle].strand == strand) return foreign->at[middle].clock;
    if (foreign->at[middle].strand < strand)
      low = middle + 1;
    else
      high = middle;
  }
  return 0;
}

// True if `a` includes all clocks of `b`.
static bool covers(const Foreign *a, const Foreign *b) {
  uint32_t i = 0;
  for (uint32_t k = 0; k < b->n; k++) {
    while (i < a->n && a->at[i].strand < b->at[k].strand) i++;
    if (i == a->n || a->at[i].strand != b->at[k].strand || a->at[i].clock < b->at[k].clock) return false;
  }
  return true;
}

static void merge(Foreign *to, const Foreign *a, const Foreign *b) {
  uint32_t i = 0, k = 0;
  while (i < a->n || k < b->n) {
    uint32_t x = i < a->n ? a->at[i].strand : UINT32_MAX, y = k < b->n ? b->at[k].strand : UINT32_MAX;
    Event event = x <= y ? a->at[i] : b->at[k];
    if (x == y && b->at[k].clock > event.clock) event.clock = b->at[k].clock;
    i += x <= y;
    k += y <= x;
    to->at[to->n++] = event;
  }
}

Foreign *foreign_join(Foreign *a, Foreign *b, bool *failed) {
  if (!b || a == b || (a && covers(a, b))) return foreign_keep(a);
  if (!a || covers(b, a)) return foreign_keep(b);
  Foreign *made = foreign_new(a->n + b->n, failed);
  if (!made) return foreign_keep(a);
  merge(made, a, b);
  return made;
}

Foreign *foreign_make(uint32_t first_strand, const uint32_t *clocks, uint32_t count, bool *failed) {
  Foreign *made = foreign_new(count, failed);
  for (uint32_t i = 0; made && i < count; i++)
    if (clocks[i]) made->at[made->n++] = (Event){first_strand + i, clocks[i]};
  return made;
}

bool view_open(View *view, uint32_t strands) {
  *view = (View){.at = calloc((size_t)CLOCK_PARTS * strands, sizeof *view->at)};
  return view->at;
}

static void drop_foreign(View *view) {
  foreign_drop(view->seen);
  foreign_drop(view->released);
  foreign_drop(view->system);
  view->seen = view->released = view->system = NULL;
}

void view_close(View *view) {
  drop_foreign(view);
  free(view->at);
  *view = (View){0};
}

void view_clear(View *view, uint32_t strands) {
  drop_foreign(view);
  memset(view->at, 0, (size_t)CLOCK_PARTS * strands * sizeof *view->at);
}

static void join_foreign(Foreign **to, Foreign *from, bool *failed) {
  if (!from || *to == from) return;
  Foreign *joined = foreign_join(*to, from, failed);
  foreign_drop(*to);
  *to = joined;
}

void view_join(View *to, const View *from, uint32_t strands, bool *failed) {
  for (uint32_t i = 0; i < CLOCK_PARTS * strands; i++)
    to->at[i] = to->at[i] > from->at[i] ? to->at[i] : from->at[i];
  join_foreign(&to->seen, from->seen, failed);
  join_foreign(&to->released, from->released, failed);
  join_foreign(&to->system, from->system, failed);
}
