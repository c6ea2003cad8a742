// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every 2^n-th element of a tile, computed again as a smaller tile. This is for passes that know that the elements
// between are equal.
#ifndef PASSES_LOOPS_SAMPLE_TILE_H
#define PASSES_LOOPS_SAMPLE_TILE_H

#include "passes/analysis/axis_info.h"
#include "passes/passes.h"

// By dimension: element i of the smaller tile is element i << at.bits[d] of the tile.
typedef struct SampleAt {
  uint8_t bits[TILE_MAX_RANK];
} SampleAt;

typedef struct SampleVisit {
  uint32_t value; // id
  SampleAt at;
  Value *made;
} SampleVisit;

typedef struct Sampler {
  Arena *arena;
  Func *func;
  const AxisTable *axes;
  uint32_t steps;         // left to find whether a tile can be sampled
  VEC(SampleVisit) tried; // by sample_can
  VEC(SampleVisit) made;  // by sample
  VEC(Op *) yields;       // of loops that carry a smaller tile
} Sampler;

// `axes` describes the function as it is. Values that a sampler makes are not in it.
Sampler sampler_new(Arena *arena, Func *func, const AxisTable *axes);
// Returns true if the tile consists of ops that can be computed for fewer elements.
bool sample_can(Sampler *s, const Value *tile, const SampleAt *at);
// The smaller tile, next to the tile's own definition. A loop that carries the tile carries the smaller one too: the
// loop is built again. sample_can must hold.
Value *sample(Sampler *s, Value *tile, const SampleAt *at);
// After the last use of the larger tiles: loops pass on those that only they need, and simplify drops them.
void sample_end(Sampler *s);

#endif
