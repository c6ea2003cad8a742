// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// order_offsets: of two offsets of a pointer, adds the one first that all accesses of a thread share.
//
// before  %row = addptr %x, %i * %s          (32x1: 8 registers)
//         %p = addptr %row, %j * %t          (32x32: 8 registers; %j * %t is 1x32: 1 register)
// after   %column = addptr %x, %j * %t       (1x32: 1 register)
//         %p = addptr %column, %i * %s
//
// needs   layouts
// keeps   every value: addresses are 64-bit sums that wrap
// breaks  nothing
//
// pays    An addition of 64 bits for each access but the first. In loops this is not done. There the first sum may be
//         loop-invariant, or a distance from the address of the last iteration.
#include "ir/build.h"
#include "passes/passes.h"

// The value that a broadcast repeats; the value itself if it is none.
static Value *repeated_by(Value *value) {
  return value->def && value->def->kind == OP_BROADCAST ? op_operand(value->def, 0) : value;
}

static bool has_one_use(const Value *value) { return value->first_use && !value->first_use->next; }

// The first addition, if nothing else uses its sum. NULL: it may not be changed.
static Op *first_addition(const Op *second) {
  Value *pointer = op_operand(second, 0), *sum = repeated_by(pointer);
  Op *first = sum->def;
  if (!first || first->kind != OP_ADDPTR || first->region != second->region) return NULL;
  return has_one_use(pointer) && has_one_use(sum) ? first : NULL;
}

// The fewest elements that an access by these pointers takes at once. 0: they have other uses.
static uint32_t elements_at_once(const Value *pointers) {
  uint32_t least = 0;
  for (const Use *use = pointers->first_use; use; use = use->next) {
    const Op *op = use->user;
    if ((op->kind != OP_LOAD && op->kind != OP_STORE) || use != op->operands) return 0;
    uint32_t vector = (uint32_t)op_int(op, ATTR_VECTOR, 1);
    if (!least || vector < least) least = vector;
  }
  return least;
}

static Value *spread(Builder *b, Value *value, const Type *tile) {
  const Type *type = type_with_element(b->func->module->ir, tile, type_element(value->type));
  return type == value->type ? value : build(b, OP_BROADCAST, type, value, NULL, NULL);
}

static void erase_unused(Op *op) {
  if (value_unused(op_result(op))) op_erase(op);
}

static bool order_op(Op *second) {
  Op *first =
      second->kind == OP_ADDPTR && type_is_tile(op_result(second)->type) ? first_addition(second) : NULL;
  if (!first || op_attr(first, ATTR_ROWS) || op_attr(second, ATTR_ROWS)) return false;
  Value *pointers = op_operand(first, 0), *more = op_operand(first, 1), *old = op_operand(second, 0);
  Value *fewer = repeated_by(op_operand(second, 1));
  if (!pointers->def || pointers->def->kind != OP_SPLAT) return false;
  uint32_t registers = layout_registers(fewer->type->layout);
  if (registers > elements_at_once(op_result(second)) || 2 * registers > layout_registers(more->type->layout))
    return false;
  const Type *tile = op_result(second)->type;
  const Type *type = type_with_element(second->region->func->module->ir, fewer->type, type_element(tile));
  Builder b = builder_before(second);
  b.loc = first->loc;
  Value *base = build(&b, OP_SPLAT, type, op_operand(pointers->def, 0), NULL, NULL);
  Value *sum = build(&b, OP_ADDPTR, type, base, fewer, NULL);
  b.loc = second->loc;
  op_set_operand(second, 0, spread(&b, sum, tile));
  op_set_operand(second, 1, spread(&b, more, tile));
  if (old->def != first) erase_unused(old->def);
  erase_unused(first);
  return true;
}

static bool order_region(Region *region) {
  bool changed = false;
  for (Op *op = region->first; op; op = op->next) {
    if (op->kind == OP_IF)
      for (uint32_t r = 0; r < op->region_count; r++) changed |= order_region(op->regions[r]);
    changed |= order_op(op);
  }
  return changed;
}

bool pass_order_offsets(PassContext *context, Func *func) {
  (void)context;
  return order_region(func->body);
}
