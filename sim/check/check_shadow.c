// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shadow memory: pages of cells, created at the first access. A cell first covers a whole run of bytes, which
// is usually a warp's whole access. A smaller or unaligned run splits the cells of its page.
#include <stdlib.h>
#include "sim/check/race.h"

bool shadow_open(Shadow *shadow, uint64_t bytes, bool every_reader) {
  *shadow = (Shadow){.bytes = bytes, .every_reader = every_reader};
  shadow->pages = calloc((size_t)(bytes / SHADOW_PAGE + 1), sizeof *shadow->pages);
  return shadow->pages;
}

void shadow_close(Shadow *shadow) {
  for (uint64_t i = 0; shadow->pages && i <= shadow->bytes / SHADOW_PAGE; i++) free(shadow->pages[i].cells);
  for (uint32_t i = 0; i < shadow->readers_n; i++) free(shadow->readers[i].at);
  free(shadow->pages);
  free(shadow->readers);
  *shadow = (Shadow){0};
}

void shadow_clear(Shadow *shadow) {
  for (uint64_t i = 0; i <= shadow->bytes / SHADOW_PAGE; i++) {
    ShadowPage *page = &shadow->pages[i];
    if (page->cells) memset(page->cells, 0, (SHADOW_PAGE >> page->shift) * sizeof *page->cells);
  }
  for (uint32_t i = 0; i < shadow->readers_n; i++) free(shadow->readers[i].at);
  shadow->readers_n = 0;
}

// The cell's list of further readers. Created if missing. NULL: out of memory.
Readers *shadow_readers(Shadow *shadow, Cell *cell) {
  if (cell->more) return &shadow->readers[cell->more - 1];
  if (shadow->readers_n == shadow->readers_cap) {
    uint32_t cap = shadow->readers_cap ? 2 * shadow->readers_cap : 256;
    Readers *grown = realloc(shadow->readers, cap * sizeof *grown);
    if (!grown) return NULL;
    shadow->readers = grown;
    shadow->readers_cap = cap;
  }
  shadow->readers[shadow->readers_n] = (Readers){0};
  cell->more = ++shadow->readers_n;
  return &shadow->readers[cell->more - 1];
}

bool readers_reach(Readers *readers, uint32_t index) {
  if (index >= readers->cap) {
    uint32_t cap = index < 8 ? 8 : 2 * index;
    Mark *grown = realloc(readers->at, cap * sizeof *grown);
    if (!grown) return false;
    readers->at = grown;
    readers->cap = cap;
  }
  for (; readers->n <= index; readers->n++) readers->at[readers->n] = (Mark){0};
  return true;
}

// Narrows a mark to a part of the cell it covered: a cell of 1 << shift bytes, `at` bytes into it.
static void part_of(Mark *mark, uint32_t at, uint8_t shift) {
  uint32_t spread = mark_spread(mark);
  if (!spread || !mark->strand) return;
  mark->info += at >> (spread - 1) << MARK_LANE_SHIFT;
  if (spread - 1 >= shift) mark->info &= ~((uint32_t)MARK_SPREAD << MARK_SPREAD_SHIFT);
}

// Copies a cell for a part of its bytes. The copy gets a separate list.
static bool copy_part(Shadow *shadow, const Cell *from, Cell *to, uint32_t at, uint8_t shift) {
  *to = *from;
  to->more = 0;
  part_of(&to->write, at, shift);
  for (int i = 0; i < 2; i++) part_of(&to->reads[i], at, shift);
  if (!from->more) return true;
  uint32_t count = shadow->readers[from->more - 1].n;
  Readers *list = shadow_readers(shadow, to);
  if (!list || (count && !readers_reach(list, count - 1))) return false;
  for (uint32_t i = 0; i < count; i++) {
    list->at[i] = shadow->readers[from->more - 1].at[i];
    part_of(&list->at[i], at, shift);
  }
  return true;
}

bool shadow_split(Shadow *shadow, ShadowPage *page, uint8_t shift) {
  uint32_t parts = 1u << (page->shift - shift), old = SHADOW_PAGE >> page->shift;
  Cell *cells = calloc(SHADOW_PAGE >> shift, sizeof *cells);
  if (!cells) return false;
  bool ok = true;
  for (uint32_t i = 0; i < old; i++)
    for (uint32_t k = 0; k < parts; k++)
      ok &= copy_part(shadow, &page->cells[i], &cells[i * parts + k], k << shift, shift);
  free(page->cells);
  page->cells = cells;
  page->shift = shift;
  return ok;
}

// Creates the page, or splits its cells. Done once per page.
static bool prepare(Shadow *shadow, ShadowPage *page, uint64_t offset, uint32_t bytes) {
  uint8_t shift = MAX_CELL_SHIFT;
  while ((offset | bytes) & ((1u << shift) - 1)) shift--;
  if (page->cells) return shift >= page->shift || shadow_split(shadow, page, shift);
  page->shift = shift;
  page->element = ONE_LANE;
  page->cells = calloc(SHADOW_PAGE >> shift, sizeof *page->cells);
  return page->cells;
}

ShadowPage *shadow_page(Shadow *shadow, uint64_t offset, uint32_t bytes) {
  ShadowPage *page = &shadow->pages[offset / SHADOW_PAGE];
  if (!page->cells || ((offset | bytes) & ((1u << page->shift) - 1)))
    if (!prepare(shadow, page, offset, bytes)) return NULL;
  return page;
}
