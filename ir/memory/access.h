// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The division of memory accesses into instructions: codegen emits them, cost/ counts them.
#ifndef IR_MEMORY_ACCESS_H
#define IR_MEMORY_ACCESS_H

#include "ir/ir.h"

// Registers that one instruction of a load or store moves, for a value of that type. Limits: 16 bytes, the
// access's alignment, and the neighbouring elements of a thread.
uint32_t access_run(const Op *op, const Type *type);
// The same for a copy_async.
uint32_t copy_async_run(const Op *op);
// Returns true if only each element's first holder needs a load's value: it is only stored. If several warps hold it, it
// may also be computed with, element by element, for values that are only stored. Then no warp reads what another
// overwrites.
bool access_is_for_holders(const Value *value);

// Returns true if the part of a buffer at `starts` (may be NULL) can be addressed: it starts at multiples of
// its size, or the buffer is one plain row.
bool shared_reaches(const Type *buffer, const Type *tile, const Attr *starts);

// The positions of a tile's registers in a buffer: map (register, lane, warp to the offset in elements), XOR
// `change`, plus `shift`.
typedef struct SharedMap {
  Layout map;
  uint32_t change, shift; // elements
} SharedMap;
// For a tile or scalar that is the part of the buffer at `starts` (NULL: at its start).
SharedMap shared_map(const Type *buffer, const Type *tile, const Attr *starts);

// Division of an access's registers: 2^bits registers with consecutive offsets at a time.
typedef struct SharedRuns {
  uint32_t bits;
  uint32_t register_bit[4]; // the register bit of offset bit i
} SharedRuns;
// Elements have `bytes`. `parted`: the offset bits that a run must not cross. `skip`: register bits excluded from
// runs.
SharedRuns shared_runs(const Layout *map, uint32_t bytes, uint32_t parted, uint32_t skip);
// Returns true if a run begins at register r.
bool shared_run_begins(const SharedRuns *runs, uint32_t r);
// log2 of the elements in a vector that a thread reads of a multiply-add operand, up to 16 bytes. The
// register bits vector_at map to offsets 1, 2, 4 and so on. No lane or warp may affect those offset bits.
// Other registers may: they change the order within a vector.
uint32_t shared_vector(const Layout *offsets, uint32_t bytes, uint32_t vector_at[4]);

#endif
