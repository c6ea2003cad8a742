// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How ops that access memory divide into instructions: what codegen emits and cost/ counts.
#ifndef IR_MEMORY_ACCESS_H
#define IR_MEMORY_ACCESS_H

#include "ir/ir.h"

// Registers that one instruction of a load or store moves, whose value has that type: at most 16 bytes, what the access is
// aligned to, and the neighbouring elements that a thread holds.
uint32_t access_run(const Op *op, const Type *type);
// The same of a copy_async.
uint32_t copy_async_run(const Op *op);
// Whether a load's value is only stored, so that each element's first holder alone reads it.
bool access_is_only_stored(const Value *value);

// Whether the part of a buffer that begins at `starts` (may be NULL) can be reached: it begins at multiples
// of its size, or the buffer is one plain row.
bool shared_reaches(const Type *buffer, const Type *tile, const Attr *starts);

// Where in a buffer a tile's registers lie: map (from register, lane, warp to the offset in elements), XOR `change`, plus `shift`.
typedef struct SharedMap {
  Layout map;
  uint32_t change, shift; // elements
} SharedMap;
// Of a tile, or a scalar, in the buffer, of which the tile is the part that begins at `starts` (NULL: at its beginning).
SharedMap shared_map(const Type *buffer, const Type *tile, const Attr *starts);

// How the registers of an access are moved: 2^bits of them at a time, those with consecutive offsets.
typedef struct SharedRuns {
  uint32_t bits;
  uint32_t register_bit[4]; // that offset bit i belongs to
} SharedRuns;
// Elements have `bytes`; `parted`: the bits of offsets that a run must not cross; `skip`: registers' bits that no run has.
SharedRuns shared_runs(const Layout *map, uint32_t bytes, uint32_t parted, uint32_t skip);
// Whether a run begins at register r.
bool shared_run_begins(const SharedRuns *runs, uint32_t r);
// log2 of the elements of a vector that a thread reads of an operand of multiply-adds: those of the register bits vector_at that lie
// at offsets 1, 2, 4 ..., up to 16 bytes, where no lane or warp touches those offsets' bits. Other registers may: they change the
// order within a vector.
uint32_t shared_vector(const Layout *offsets, uint32_t bytes, uint32_t vector_at[4]);

#endif
