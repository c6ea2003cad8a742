// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of an atomic_rmw that one instruction does, and the ordering of its elements. Depends on the op
// and the architecture (PTX ISA, red and fence).
#ifndef IR_MEMORY_ATOMIC_H
#define IR_MEMORY_ATOMIC_H

#include "ir/queries.h"

// An atomic_rmw that only reads (`load`), or only writes (`store`).
bool atomic_is_load(const Op *op);
bool atomic_is_store(const Op *op);
// Returns true for one that leaves memory as it is and releases nothing, so that a load does the same.
bool atomic_only_reads(const Op *op);

// Returns true for an atomic that makes the program's earlier accesses visible to those that acquire its value.
bool atomic_releases(const Op *op);
// Returns true if an atomic of the kernel orders less than it could. A scalar one is relaxed, or only acquires or
// releases. One on a tile releases, and its result is used.
bool func_has_weak_atomics(const Func *func);
// Returns true for one that makes what was released visible to this program's later accesses.
bool atomic_acquires(const Op *op);

// Neighbours in memory that one instruction may add to; 1 if the old values are used. Before sm_90, two
// relaxed bf16 share one compare-and-swap loop, at the cost of one.
uint32_t atomic_widest(const Op *op);
// The same, limited by a tile's layout, `align` and `vector`: what a thread does at once.
uint32_t atomic_vector(const Op *op);
// Returns true if the op releases by one fence before relaxed instructions. Used if a thread has several
// instructions whose old values are unused: each would wait for all writes of the thread. A single
// instruction does its own ordering.
bool atomic_fences(const Op *op);

// Returns true if the op only changes memory: the old values are unused, and it orders no other access.
bool atomic_only_reduces(const Op *op);

#endif
