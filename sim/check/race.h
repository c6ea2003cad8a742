// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races: shadow memory that knows every byte's last writer and the readers since, and the test whether an
// access is ordered after them. After FastTrack (Flanagan and Freund, PLDI 2009): a write is one event; reads
// become a list only where they are not ordered among themselves.
#ifndef SIM_CHECK_RACE_H
#define SIM_CHECK_RACE_H

#include "sim/check/clock.h"
#include "sim/machine/hooks.h"

// An access that memory remembers: of one lane, or of neighbouring lanes that each accessed an element of the
// cell, the first of them at its start.
typedef struct Mark {
  uint32_t strand; // 0: none
  uint32_t clock;
  uint32_t info; // instruction, first lane, MARK_ flags; where it is spread 1 + log2 of an element's bytes
} Mark;

enum {
  MARK_INSN = (1 << 20) - 1,
  MARK_LANE_SHIFT = 20,
  MARK_STRONG = 1 << 25, // an atomic, volatile, relaxed, acquire or release access
  MARK_BLOCK = 1 << 26,  // strong within its block alone
  MARK_ASYNC = 1 << 27,  // through the asynchronous proxy
  MARK_SPREAD_SHIFT = 28,
};

static inline uint32_t mark_insn(const Mark *mark) { return mark->info & MARK_INSN; }
static inline uint32_t mark_lane(const Mark *mark) { return mark->info >> MARK_LANE_SHIFT & (LANES - 1); }
// 0: of one lane.
static inline uint32_t mark_spread(const Mark *mark) { return mark->info >> MARK_SPREAD_SHIFT; }

typedef struct Cell {
  Mark write, reads[2];
  uint32_t more; // further readers: index + 1 of Shadow.readers; 0: none
} Cell;

// At [w] a warp's own read, behind them those of other strands; a strand of 0 is no entry.
typedef struct Readers {
  Mark *at;
  uint32_t n, cap;
} Readers;

enum { SHADOW_PAGE = 1024, MAX_CELL_SHIFT = 10, ONE_LANE = 31 };

typedef struct ShadowPage {
  Cell *cells;     // of 1 << shift bytes each; NULL: never accessed
  uint8_t shift;   // from MAX_CELL_SHIFT down to what its smallest or least aligned run needed
  uint8_t element; // no mark is spread over smaller elements; ONE_LANE: none is spread
} ShadowPage;

// The shadow of `bytes` contiguous bytes.
typedef struct Shadow {
  ShadowPage *pages;
  uint64_t bytes;
  bool every_reader; // else two readers are remembered at most
  Readers *readers;
  uint32_t readers_n, readers_cap;
} Shadow;

bool shadow_open(Shadow *shadow, uint64_t bytes, bool every_reader); // false: no memory
void shadow_close(Shadow *shadow);
void shadow_clear(Shadow *shadow);
// The page of [offset, offset + bytes), its cells small enough that some of them are
// just these bytes; NULL: no memory.
ShadowPage *shadow_page(Shadow *shadow, uint64_t offset, uint32_t bytes);
// Splits the page's cells until no mark is spread. False: no memory.
bool shadow_split(Shadow *shadow, ShadowPage *page, uint8_t shift);
static inline Cell *shadow_cell(const ShadowPage *page, uint64_t offset) {
  return &page->cells[offset % SHADOW_PAGE >> page->shift];
}
// A cell's list of further readers, made where it has none; valid until the next call. NULL: no memory.
Readers *shadow_readers(Shadow *shadow, Cell *cell);
// Makes at[index] exist; what is new is empty. False: no memory.
bool readers_reach(Readers *readers, uint32_t index);

// Who accesses, and what it knows.
typedef struct Actor {
  Warp *warp;
  const Insn *insn;
  PtxSpace space;
  Mark mark;                    // of the access; race_run fills in its lane
  uint32_t lanes;               // on whose behalf, for reports
  uint32_t group;               // lanes that run together
  uint32_t converged;           // WarpCheck's
  uint32_t warps;               // of its block
  uint32_t first, strands, own; // strands of its block; the warp's own, from 0
  const uint32_t *seen;         // clocks of its block's strands
  const uint32_t *proxy;        // of those, what the asynchronous proxy sees; NULL: a generic access
  const uint64_t *addresses;    // by lane; NULL: of a contiguous range
  const Foreign *foreign;
  Event last; // the foreign clock that was looked up last
  bool failed;
} Actor;

// Contiguous bytes that one lane accesses, or neighbouring lanes an element each.
typedef struct ByteRun {
  uint64_t address; // in its space
  uint64_t offset;  // in its shadow, which holds all of it
  uint64_t bytes;
  uint32_t lane;   // the first
  uint8_t element; // log2 of a lane's bytes; ONE_LANE: all are the first lane's
} ByteRun;

// Reports what is not ordered before the access, then remembers it.
void race_run(Actor *actor, Shadow *shadow, const ByteRun *run, HookAccess access);

#endif
