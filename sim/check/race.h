// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races. Shadow memory keeps the last writer of every byte and the readers since then. An access must be
// ordered after them. The method is FastTrack (Flanagan and Freund, PLDI 2009): a write is one event. Reads
// become a list only if they are not ordered among themselves.
#ifndef SIM_CHECK_RACE_H
#define SIM_CHECK_RACE_H

#include "sim/check/clock.h"
#include "sim/machine/hooks.h"

// A remembered access: by one lane, or by neighbouring lanes that each accessed one element of the cell. The
// first lane's element is at the cell's start.
typedef struct Mark {
  uint32_t strand; // 0: none
  uint32_t clock;
  uint32_t info; // instruction, first lane, MARK_ flags; for a spread mark 1 + log2 of an element's bytes
                 // (3 bits)
} Mark;

enum {
  MARK_INSN = (1 << 20) - 1,
  MARK_LANE_SHIFT = 20,
  MARK_STRONG = 1 << 25, // an atomic, volatile, relaxed, acquire or release access
  MARK_BLOCK = 1 << 26,  // strong only within its CTA
  MARK_ASYNC = 1 << 27,  // through the asynchronous proxy
  MARK_SPREAD_SHIFT = 28,
  MARK_SPREAD = 7,
};
#define MARK_SHARED ((uint32_t)1 << 31) // a read: other lanes of the instruction read the address too

static inline uint32_t mark_insn(const Mark *mark) { return mark->info & MARK_INSN; }
static inline uint32_t mark_lane(const Mark *mark) { return mark->info >> MARK_LANE_SHIFT & (LANES - 1); }
// 0: an access by one lane.
static inline uint32_t mark_spread(const Mark *mark) { return mark->info >> MARK_SPREAD_SHIFT & MARK_SPREAD; }

typedef struct Cell {
  Mark write, reads[2];
  uint32_t more; // further readers: index + 1 into Shadow.readers; 0: none
} Cell;

// At [w] the read by warp w's instructions. After those, reads of other strands. A strand of 0 is no entry.
typedef struct Readers {
  Mark *at;
  uint32_t n, cap;
} Readers;

enum { SHADOW_PAGE = 1024, MAX_CELL_SHIFT = 10, ONE_LANE = 31 };

typedef struct ShadowPage {
  Cell *cells;     // of 1 << shift bytes each; NULL: never accessed
  uint8_t shift;   // MAX_CELL_SHIFT, or less if the smallest or least aligned run needs it
  uint8_t element; // marks are spread over elements of at least this size; ONE_LANE: none is spread
} ShadowPage;

// The shadow of `bytes` contiguous bytes.
typedef struct Shadow {
  ShadowPage *pages;
  uint64_t bytes;
  bool every_reader; // false: only two readers are remembered
  Readers *readers;
  uint32_t readers_n, readers_cap;
} Shadow;

bool shadow_open(Shadow *shadow, uint64_t bytes, bool every_reader); // false: out of memory
void shadow_close(Shadow *shadow);
void shadow_clear(Shadow *shadow);
// The page of [offset, offset + bytes). Its cells are small enough that whole cells cover exactly these
// bytes. NULL: out of memory.
ShadowPage *shadow_page(Shadow *shadow, uint64_t offset, uint32_t bytes);
// Splits the page's cells until no mark is spread. False: out of memory.
bool shadow_split(Shadow *shadow, ShadowPage *page, uint8_t shift);
static inline Cell *shadow_cell(const ShadowPage *page, uint64_t offset) {
  return &page->cells[offset % SHADOW_PAGE >> page->shift];
}
// A cell's list of further readers. Created if missing. Valid until the next call. NULL: out of memory.
Readers *shadow_readers(Shadow *shadow, Cell *cell);
// Makes at[index] valid. New entries are empty. False: out of memory.
bool readers_reach(Readers *readers, uint32_t index);

// The lanes or the asynchronous operation that access, and the clocks they know.
typedef struct Actor {
  Warp *warp;
  const Insn *insn;
  PtxSpace space;
  Mark mark;                    // The access's mark. race_run fills in its lane.
  uint32_t lanes;               // Lanes it is made for. Used in reports.
  uint32_t group;               // Lanes that run together.
  uint32_t converged;           // As in WarpCheck.
  uint32_t warps;               // Number of warps of its CTA.
  uint32_t first, strands, own; // Strands of its cluster. `own`: the warp's own, from 0.
  uint32_t base, block_strands; // Those of its CTA.
  const Block *block;           // The CTA that has the shared memory.
  const uint32_t *seen;         // Clocks of its cluster's strands.
  const uint32_t *proxy;        // Those of them that the asynchronous proxy sees. NULL: a generic access.
  const uint64_t *addresses;    // By lane. NULL: a contiguous range.
  const Foreign *foreign;
  Event last; // the foreign clock that was looked up last
  bool failed;
} Actor;

// Contiguous bytes accessed by one lane, or by neighbouring lanes with one element each.
typedef struct ByteRun {
  uint64_t address; // in its space
  uint64_t offset;  // in its shadow, which contains all of it
  uint64_t bytes;
  uint32_t lane;   // the first
  uint8_t element; // log2 of a lane's bytes; ONE_LANE: all belong to the first lane
  bool shared;     // other lanes of the instruction have its address
} ByteRun;

// Lanes of one store write the run's bytes. Reports a lost update if they have loaded them together, and have not
// synchronised since.
void race_lost_update(Actor *actor, const Shadow *shadow, const ByteRun *run, uint32_t lanes);

// Reports conflicts with the access, then remembers it.
void race_run(Actor *actor, Shadow *shadow, const ByteRun *run, HookAccess access);

#endif
