// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The L2 cache: predicts reads that go to memory again because the cache lost the data between rounds of
// programs.
#ifndef COST_L2_CACHE_H
#define COST_L2_CACHE_H

#include "cost/cost.h"
#include "cost/value.h"

// Rounds of programs that are followed one after another. A round fills the multiprocessors.
enum { CACHE_ROUNDS = 3 };

// Distinct bytes that a round reads, by the last earlier round that used them; [CACHE_ROUNDS]: none did.
typedef struct CacheReads {
  double bytes[CACHE_ROUNDS][CACHE_ROUNDS + 1];
} CacheReads;

typedef struct CostCache {
  Arena *arena;
  const CostLaunch *launch;
  bool measures;              // true: only `grains` is computed so far.
  uint32_t *grains;           // By buffer: the unit that accesses touch as a whole or not at all, 32 to 4096
                              // bytes.
  uint8_t ***touched;         // By buffer: pages of grains, each 1 + the last round that touched it, 0: none.
                              // Pages are made at the first touch.
  CacheReads *reads;          // By buffer.
  double *lost;               // By buffer: bytes that a program reads again after the cache lost them.
  double capacity;            // Bytes that may be touched between two uses.
  uint64_t beside;            // Concurrent programs.
  uint64_t programs;          // Programs followed so far.
  double position;            // Bytes that the current program has touched.
  double moved[CACHE_ROUNDS]; // Distinct bytes that a round touches.
  double asked[CACHE_ROUNDS]; // Bytes that its programs touch in total.
  uint32_t round;             // The current round.
  uint64_t touches;           // Grain touches in total.
  struct CachedTile *tile;    // The current access.
  uint32_t buffer;            // That of the last row.
  Table tiles, rows;
} CostCache;

// Ready to measure. The parameters are the fields above.
CostCache cache_init(Arena *arena, const CostLaunch *launch, double capacity, uint64_t beside);
// Starts the next program, in `round`.
void cache_program(CostCache *cache, uint32_t round);
// Records the access. Returns true if the round already had the same one.
bool cache_has(CostCache *cache, const Op *op, uint64_t address, const Pattern *pointer, uint64_t rest,
               uint64_t weight);
// One execution of an access with known addresses; mask NULL: none. `weight`: the number of executions that
// it represents.
void cache_access(CostCache *cache, const Op *op, const CostValue *pointer, const CostValue *mask,
                  uint64_t weight);
// One row of the access that cache_has recorded. Returns the bytes of its grains; their sum over the access goes to
// cache_rows_end.
uint64_t cache_row(CostCache *cache, bool writes, uint64_t address, uint64_t bytes, uint64_t weight);
void cache_rows_end(CostCache *cache, uint64_t bytes, uint64_t weight);
// Bytes of the buffer that a round reads from memory, except the first round. Its programs are not counted
// one by one. `asked`: bytes that a round touches in total. It corrects for truncated loops.
double cache_missed(const CostCache *cache, uint32_t buffer, double asked);
// Bytes that round 1, the last one, reads again after the cache lost them since round 0. `asked`: bytes that
// both touch.
double cache_lost(const CostCache *cache, uint32_t buffer, double asked);

#endif
