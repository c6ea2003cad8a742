// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races: shadow memory that knows every byte's last writer and the readers since, and the test whether an
// access is ordered after them. After FastTrack (Flanagan and Freund, PLDI 2009): a write is one event; reads
// become a list only where they are not ordered among themselves.
#ifndef SIM_RACE_H
#define SIM_RACE_H

#include "sim/clock.h"
#include "sim/exec.h"

// An access that memory remembers.
typedef struct Mark {
  uint32_t strand; // 0: none
  uint32_t clock;
  uint32_t info; // instruction, lane, and MARK_ flags
} Mark;

enum {
  MARK_INSN = (1 << 20) - 1,
  MARK_LANE_SHIFT = 20,
  MARK_STRONG = 1 << 25, // an atomic, volatile, relaxed, acquire or release access
  MARK_BLOCK = 1 << 26,  // strong within its block alone
  MARK_ASYNC = 1 << 27,  // through the asynchronous proxy
};

static inline uint32_t mark_insn(const Mark *mark) { return mark->info & MARK_INSN; }
static inline uint32_t mark_lane(const Mark *mark) { return mark->info >> MARK_LANE_SHIFT & (LANES - 1); }

typedef struct Cell {
  Mark write, reads[2];
  uint32_t more; // further readers: index + 1 of Shadow.readers; 0: none
} Cell;

// At [w] a warp's own read, behind them those of other strands; a strand of 0 is no entry.
typedef struct Readers {
  Mark *at;
  uint32_t n, cap;
} Readers;

enum { SHADOW_PAGE = 1024, MAX_GRANULE_SHIFT = 4 };

typedef struct ShadowPage {
  Cell *cells;   // of 1 << shift bytes each; NULL: never accessed
  uint8_t shift; // from 4 down to what its smallest access needed
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
// The cells of [offset, offset + bytes), which lies in one page; NULL: no memory.
Cell *shadow_cells(Shadow *shadow, uint64_t offset, uint32_t bytes, uint32_t *count);
// A cell's list of further readers, made where it has none; valid until the next call. NULL: no memory.
Readers *shadow_readers(Shadow *shadow, Cell *cell);
// Makes at[index] exist; what is new is empty. False: no memory.
bool readers_reach(Readers *readers, uint32_t index);

// Who accesses, and what it knows.
typedef struct Actor {
  Warp *warp;
  const Insn *insn;
  PtxSpace space;
  Mark mark;                    // of the access; its lane is filled in by race_read and race_write
  uint32_t lanes;               // on whose behalf, for reports
  uint32_t cell_bytes;          // of the cells it accesses now
  uint32_t group;               // lanes that run together
  uint32_t warps;               // of its block
  uint32_t first, strands, own; // strands of its block; the warp's own, from 0
  const uint32_t *seen;         // clocks of its block's strands
  const uint32_t *proxy;        // of those, what the asynchronous proxy sees; NULL: a generic access
  const Foreign *foreign;
  Event last; // the foreign clock that was looked up last
  bool failed;
} Actor;

// One lane's access to the cells, the first of which is at the address. Reports what is not ordered before
// it, then remembers it.
void race_read(Actor *actor, Shadow *shadow, Cell *cells, uint32_t count, uint32_t lane, uint64_t address);
// A report where nothing has written the cells of shared memory.
void race_initialised(Actor *actor, const Cell *cells, uint32_t count, uint32_t lane, uint64_t address);
void race_write(Actor *actor, Shadow *shadow, Cell *cells, uint32_t count, uint32_t lane, uint64_t address);

#endif
