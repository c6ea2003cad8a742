// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Questions about ops and values that many passes ask, and the walk over ops of nested regions. An op's traits answer
// the simplest questions: op_has.
#ifndef IR_QUERIES_H
#define IR_QUERIES_H

#include "ir/ir.h"

// A walk over the ops of a region and of the regions in it. Each op comes before the ops of its regions, or after
// them with ops_outward.
//
//   for (OpWalk w = ops_in(func->body); ops_next(&w);)
//     if (w.op->kind == OP_DOT) dots++;
//
// The current op may be erased or moved, the next one erased with it, and ops may be inserted before it. If the op
// before it is erased with both, the walk goes through their region again.
typedef struct OpWalk {
  Op *op;           // the current one
  Op *after;        // the next one, if the current one is erased
  Op *before;       // the one before it in its region, if both are erased
  const Op *top;    // ops_of's; NULL: none
  const Region *in; // the walked region, then the current op's
  const Region *home;
  bool outward;
} OpWalk;

OpWalk ops_in(const Region *region);
OpWalk ops_of(const Op *op);     // the op, then the ops of its regions
OpWalk ops_inside(const Op *op); // the ops of its regions
OpWalk ops_outward(const Region *region);
bool ops_next(OpWalk *w); // false: no op is left

// The first op of this kind in the region and the regions in it, or in the region itself. NULL: none.
Op *ops_find(const Region *region, OpKind kind);
Op *region_find(const Region *region, OpKind kind);

// Marks, by id, the values that the op's regions define.
void op_mark_inside(const Op *op, bool *marks, bool mark);

// The id of the last op in the op's regions, or its own.
uint32_t op_last_id(const Op *op);
// The id after which the op no longer uses a value of the region `home`: its own. If loops of that region are around the
// op, it is the last id of the outermost one.
uint32_t op_use_end(const Op *op, const Region *home);
// The last id of all uses of the value, and of views of it. 0: nothing uses it.
uint32_t value_use_end(const Value *value, const Region *home);

// Where loops and branches hand values on: initial values and what regions yield, to arguments of regions and results.
// The n-th value that gets the value of this use, or whose value this one may have. NULL: there are no more.
Value *flow_target(const Use *use, uint32_t n);
// Returns true for the ops whose operands do: loops, and yields.
static inline bool op_hands_on(const Op *op) { return op->kind == OP_YIELD || op_is_loop(op); }
Value *flow_source(const Value *value, uint32_t n);

// The loop's initial values, with room for `more` after them.
Value **loop_inits(Arena *arena, const Op *loop, uint32_t more);

// Returns true if the op takes effect when the dots that its thread has begun are complete.
bool op_follows_dots(const Op *op);
// Returns true if the op may write global memory. Inline assembly may too, but does not count here.
static inline bool op_writes_global(const Op *op) {
  return op->kind == OP_TMA_STORE || (op_has(op, GLOBAL | WRITES) && !op_has(op, ASYNC));
}
// READS and WRITES, of the op and of the ops in its regions.
uint32_t op_effects(const Op *op);
// The innermost loop around the op. NULL: none.
Op *op_enclosing_loop(const Op *op);

// Returns true if the reduction has one operand, and combines two of its elements by a single op of this kind.
bool op_reduces_by(const Op *op, OpKind kind);

// The op that the region applies to its two arguments, in any order, if it does nothing else. OP_COUNT: it does.
OpKind region_combines_by(const Region *region);
// Returns true if `a` is `b`, or comes before it in a's region. `b` may be in an op of that region.
bool op_precedes(const Op *a, const Op *b);
// Returns true if the ops have the same kind, attributes, numbers of operands and regions, and types of results.
bool op_same_form(const Op *a, const Op *b);
// The value that ops of this kind got before they gave the value, one after another. It may be the value itself.
Value *value_before(const Value *value, OpKind kind);
// Returns true if the value is a constant, this integer.
bool value_is_int(const Value *value, int64_t number);

// Returns true for a comparison that asks which operand is less, not whether they are equal.
static inline bool op_orders(const Op *op) { return op_has(op, COMPARE) && !op_has(op, COMMUTES); }
// Returns true if the comparison is true of two numbers in this order: -1: the first is less, 0: they are equal, 1: it
// is greater.
bool comparison_holds(OpKind kind, int order);
// For op_orders: x in x < bound and in x >= bound. If the bound is a multiple of n, the result changes only where x is one
// too.
static inline uint32_t op_counted_operand(const Op *op) {
  return comparison_holds(op->kind, -1) == comparison_holds(op->kind, 0);
}

// The value's use, if it has exactly one. NULL: it has none, or several.
static inline Use *value_single_use(const Value *value) {
  return value->first_use == value->last_use ? value->first_use : NULL;
}
// The region's first op that uses the value, itself or in its regions. NULL: none.
Op *value_first_user(const Value *value, const Region *region);
static inline const Type *operand_type(const Op *op, uint32_t i) { return op->operands[i].value->type; }
static inline const Type *result_type(const Op *op) { return op->results[0].type; }
static inline bool value_is_param(const Value *value) { return !value->def && !value->region->parent; }
static inline bool value_used_only_by(const Value *value, const Op *user) {
  return value_single_use(value) && value->first_use->user == user;
}
// Returns true for a TMA or bulk copy to shared memory: operand 1 is the buffer, operand 2 the mbarrier.
static inline bool op_copies_in(const Op *op) { return op->kind == OP_TMA_COPY || op->kind == OP_BULK_COPY; }
// Returns true for a mark that says where a load's tile is in memory.
static inline bool op_marks_place(const Op *op) {
  return op->kind == OP_TMA_MARK || op->kind == OP_BULK_MARK;
}
// Returns true for a view of a buffer: a part of it, or the same memory with other dimensions.
static inline bool op_is_buffer_view(const Op *op) {
  return op_has(op, PURE) && op->result_count && op->results[0].type->kind == TYPE_SHARED;
}
// The buffer that the value is a view of, through all views. It may be the value itself.
static inline const Value *value_viewed(const Value *buffer) {
  while (buffer->def && op_is_buffer_view(buffer->def)) buffer = op_operand(buffer->def, 0);
  return buffer;
}
// The operand whose elements the result has: in another shape or layout, or repeated. NULL: the op is none of these.
static inline Value *op_rearranged(const Op *op) {
  bool moves = op && (op_has_any(op, VIEW | SPREADS) || op->kind == OP_CONVERT_LAYOUT);
  return moves ? op_operand(op, 0) : NULL;
}
// The element type of a scalar, or of a tile of scalars.
static inline Elem value_elem(const Value *value) { return type_element(value->type)->elem; }
// Returns true if one scalar or constant gives all elements.
static inline bool value_uniform(const Value *value) {
  return value->def && (value->def->kind == OP_SPLAT || value->def->kind == OP_CONSTANT);
}

#endif
