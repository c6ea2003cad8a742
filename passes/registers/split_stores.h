// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run of loads, what is computed of them, and stores, which split_stores makes part by part.
#ifndef PASSES_REGISTERS_SPLIT_STORES_H
#define PASSES_REGISTERS_SPLIT_STORES_H

#include "base/vec.h"
#include "passes/passes.h"

enum {
  MAX_STEPS = 4,      // ops that make an offset or mask again
  RESERVED_REGISTERS = 8 // a thread's, beside tiles: what addresses a part's accesses
};

typedef struct StoreSplitter {
  PassContext *context;
  Func *func;
  const Type *like;          // of shape and layout of all that is split
  uint32_t dim;              // along which
  const uint32_t *registers; // by value id: those that it fills
  bool *inside;              // by op id: made part by part
  bool *behind;       // by op id: a store whose parts come behind all of an earlier one, or behind all loads
  VEC(Op *) ops;      // those inside, last first
  VEC(Op *) accesses; // the loads and stores of them
  uint32_t part_bits; // log2 of the parts
  Value **made;       // by value id: of the part at hand, or NULL
  bool ordered;       // there is a store behind
  bool fresh;         // offsets are made anew, where LLVM would keep those of before
  bool changed;
} StoreSplitter;

// Whether the value is made of the thread's number and scalars by at most *left ops.
bool store_part_is_made_anew(const Value *value, uint32_t *left);
// Whether it says of more neighbours than a part of 1 / 2^bits has that they are alike or follow one another.
bool store_part_speaks_of_more(const StoreSplitter *s, const Op *op, uint32_t bits);
// How many of the index's highest bits, all of dimension `dim`, are each one register's alone.
uint32_t store_part_bits(const Type *type, uint32_t dim);

// log2 of the fewest parts of which one has room beside what waits; 0: the whole has, or all of it in the order that is there,
// nothing is loaded, or stores must stay.
uint32_t store_parts(const StoreSplitter *s);
// The same where every store comes behind all parts.
uint32_t store_parts_behind(const StoreSplitter *s);

#endif
