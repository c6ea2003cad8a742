// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rings: the slots of a pipeline, used in order. ops.def has the ops, verify_rings.c the rules.
#ifndef IR_MEMORY_RING_H
#define IR_MEMORY_RING_H

#include "ir/queries.h"

static inline bool is_ring(const Value *value) { return value->type->kind == TYPE_RING; }
static inline uint32_t ring_slots(const Op *begin) { return (uint32_t)op_int(begin, ATTR_SLOTS, 1); }
// The ring value after the op: the last result.
static inline Value *ring_result(const Op *op) { return &op->results[op->result_count - 1]; }
// Returns true if the ring's turns `first` to `end` use this slot, with `slots` slots in total.
static inline bool ring_turns_take(uint32_t slots, uint32_t slot, uint64_t first, uint64_t end) {
  return (slot + slots - first % slots) % slots < end - first;
}

#endif
