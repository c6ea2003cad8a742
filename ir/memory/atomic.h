// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of an atomic_rmw one instruction does, and how its elements are ordered, by the op and the
// architecture (PTX ISA, red and fence).
#ifndef IR_MEMORY_ATOMIC_H
#define IR_MEMORY_ATOMIC_H

#include "ir/ir.h"

// Neighbours in memory that one instruction may add to: 1 where the old values are used. Before sm_90 two
// bf16 that order nothing are one loop of compare and swap, as one is.
uint32_t atomic_widest(const Op *op);
// The same of a tile's layout, `align` and `vector`: what a thread does at once.
uint32_t atomic_vector(const Op *op);
// Whether the op releases by one fence, after which all that it does is relaxed: where a thread has several
// instructions whose old values nothing uses, each of which would wait for all that the thread wrote. What is
// one instruction orders by itself.
bool atomic_fences(const Op *op);

// Whether the op only changes what memory holds: nothing uses the old values, and it orders no other access.
bool atomic_only_reduces(const Op *op);

#endif
