// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rings: the slots of a pipeline, in turn. ops.def has the ops, verify_rings.c the rules.
#ifndef IR_MEMORY_RING_H
#define IR_MEMORY_RING_H

#include "ir/ir.h"

static inline bool is_ring(const Value *value) { return value->type->kind == TYPE_RING; }
static inline uint32_t ring_slots(const Op *begin) { return (uint32_t)op_int(begin, ATTR_SLOTS, 1); }
// An op that takes a ring's value, its first operand, and gives the next one.
static inline bool is_ring_op(const Op *op) {
  return op->kind == OP_RING_FILL || op->kind == OP_RING_WAIT || op->kind == OP_RING_RELEASE ||
         op->kind == OP_RING_COMMIT;
}
// What an op on a ring makes of it: the last result.
static inline Value *ring_result(const Op *op) { return &op->results[op->result_count - 1]; }
// Whether a slot is one of those that the turns `first` to `end` of the ring of so many slots took.
static inline bool ring_turns_take(uint32_t slots, uint32_t slot, uint64_t first, uint64_t end) {
  return (slot + slots - first % slots) % slots < end - first;
}

#endif
