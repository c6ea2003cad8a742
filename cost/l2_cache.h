// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The L2 cache: what of a launch's reads comes from memory again, as the cache lost it between one round of programs and another.
#ifndef COST_L2_CACHE_H
#define COST_L2_CACHE_H

#include "cost/cost.h"
#include "cost/value.h"

// Rounds of programs (as many as the multiprocessors hold) that are followed one after the other.
enum { CACHE_ROUNDS = 3 };

// Distinct bytes that a round reads, by the round that had them last; [CACHE_ROUNDS]: none had.
typedef struct CacheReads {
  double bytes[CACHE_ROUNDS][CACHE_ROUNDS + 1];
} CacheReads;

typedef struct CostCache {
  Arena *arena;
  const CostLaunch *launch;
  bool measures;              // nothing but `grains` is found out yet
  uint32_t *grains;           // by buffer: bytes of which accesses touch all or nothing, 32 to 4096
  CacheReads *reads;          // by buffer
  double *lost;               // by buffer: bytes that a program reads again after the cache has lost them
  double capacity;            // bytes that may be touched between two uses
  uint64_t beside;            // programs that run side by side
  uint64_t programs;          // that were followed
  double position;            // bytes that the program at hand has touched
  double moved[CACHE_ROUNDS]; // distinct bytes that a round touches
  double asked[CACHE_ROUNDS]; // bytes that its programs touch in all
  uint32_t round;             // the one that is followed
  uint64_t touches;           // of grains, in all
  struct CachedTile *tile;    // the access that is followed
  Table tiles, grain_table;
} CostCache;

// Ready to measure; `capacity` and `beside` as above.
CostCache cache_init(Arena *arena, const CostLaunch *launch, double capacity, uint64_t beside);
// The next program is followed, in a round.
void cache_program(CostCache *cache, uint32_t round);
// Whether the round has had the same access before; it has now.
bool cache_has(CostCache *cache, const Op *op, uint64_t address, const Pattern *pointer, uint64_t rest,
               uint64_t weight);
// One execution of an access whose addresses are known; mask NULL: none. `weight`: for how many executions it stands.
void cache_access(CostCache *cache, const Op *op, const CostValue *pointer, const CostValue *mask,
                  uint64_t weight);
void cache_row(CostCache *cache, bool writes, uint64_t address, uint64_t bytes, uint64_t weight);
// Bytes of the buffer that a round but the first reads from memory, where its programs are not counted one by one. `asked`: bytes
// that a round touches in all, by which loops that were cut short are put right.
double cache_missed(const CostCache *cache, uint32_t buffer, double asked);
// Bytes of it that round 1, the last one, reads again and the cache has lost since round 0. `asked`: bytes that both touch in all.
double cache_lost(const CostCache *cache, uint32_t buffer, double asked);

#endif
