// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run of loads, computations and stores, which split_stores does part by part.
#ifndef PASSES_REGISTERS_SPLIT_STORES_H
#define PASSES_REGISTERS_SPLIT_STORES_H

#include "base/vec.h"
#include "passes/registers/fit_registers.h"

enum {
  MAX_STEPS = 4,         // ops that compute an offset or mask again
  RESERVED_REGISTERS = 8 // per thread, besides tiles: addresses of a part's accesses
};

typedef struct StoreSplitter {
  Budget *budget;
  const Type *like;          // Shape and layout of everything that is split.
  uint32_t dim;              // The dimension along which it is split.
  const uint32_t *registers; // By value id: the registers that it takes.
  bool *inside;              // By op id: done part by part.
  bool *behind;       // By op id: a store whose parts come after all of an earlier store, or after all loads.
  VEC(Op *) ops;      // Those inside, last first.
  VEC(Op *) accesses; // The loads and stores among them.
  uint32_t part_bits; // log2 of the number of parts.
  Value **made;       // By value id: as built for the current part, or NULL.
  bool ordered;       // Some store is behind.
  bool fresh;         // Offsets are computed again, where LLVM would keep the old ones.
  bool changed;
} StoreSplitter;

// True if at most *left ops compute the value from the thread index and scalars.
bool store_part_is_made_anew(const Value *value, uint32_t *left);
// How many of the index's highest bits, all of dimension `dim`, each belong to only one register bit.
uint32_t store_part_bits(const Type *type, uint32_t dim);

// log2 of the fewest parts such that one fits next to what waits. 0 if:
// * the whole fits, possibly in the present order;
// * nothing is loaded;
// * stores must stay.
uint32_t store_parts(const StoreSplitter *s);
// The same if every store comes after all parts.
uint32_t store_parts_behind(const StoreSplitter *s);

#endif
