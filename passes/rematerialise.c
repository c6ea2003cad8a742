// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rematerialise: offsets and masks that loops use are made in them, and tiles of data after each reduction of
// the narrower ones that they come from, where registers are short.
//
// before  %k = mul %i, %s                   after  for ... do (...) {
//         for ... do (...) {                         %i1 = arange {..., fresh}
//           %p = addptr %b, %k                       %s1 = splat %n {fresh}
//         }                                          %k = mul %i1, %s1
//                                                    %p = addptr %b, %k
//                                                  }
// needs   layouts; accesses with their vectors
// keeps   every value
// breaks  nothing
// pays    offsets of 128 elements of 64 bits, which a loop's loads take from before it, are all of a thread's
//         registers: each is written to local memory before the loop and read in each iteration, where some
//         instructions make it of the thread's number and a stride
//
// Where tiles of data and what loops take of such values are fewer than the registers nothing changes. `fresh`
// keeps LLVM from moving them out again. Quotients are dear, and stay; so does what hangs on loaded numbers.
// rematerialise_data.c is about tiles of data.
#include "passes/rematerialise.h"

#include "ir/build.h"
#include "ir/tuning.h"
#include "passes/pressure.h"

enum { MAX_OPS = 64, PREDICATE_SHARE = 8 };

typedef struct Rematerialiser {
  PassContext *context;
  Func *func;
  uint32_t room;         // registers that tiles of data leave
  const uint32_t *share; // func_shares
  bool *inside;          // by value id: made in the loop at hand
  bool *counted;         // by value id: the loop at hand takes it from outside
  bool changed;
} Rematerialiser;

// Integers, pointers and i1.
static bool holds_index(const Type *type) {
  const Type *element = type_element(type);
  return type_is_tile(type) && (element->kind == TYPE_PTR || !elem_is_float(element->elem));
}

static bool is_cheap(const Op *op) {
  switch ((int)op->kind) {
  case OP_EXPAND_DIMS:
  case OP_BROADCAST:
  case OP_RESHAPE:
  case OP_TRANS: return true;
  case OP_DIV:
  case OP_REM:
  case OP_MULHI:
  case OP_MATH: return false;
  default: return op_has(op, PURE | ELEMENTWISE);
  }
}

// Made of the thread's number and scalars by cheap ops alone. *left bounds the ops that are visited.
static bool can_make(const Value *value, uint32_t *left) {
  const Op *op = value->def;
  if (!op || !holds_index(value->type) || *left == 0) return false;
  --*left;
  if (op_is_leaf(op)) return true;
  if (!is_cheap(op)) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!can_make(op_operand(op, i), left)) return false;
  return true;
}

// Registers that the value takes from one iteration to the next.
static uint32_t registers_of(const Rematerialiser *m, const Value *value) {
  const Type *element = type_element(value->type);
  uint32_t share = m->share[value->id] ? m->share[value->id] : 1, bytes = type_element_bytes(value->type);
  uint32_t registers = layout_registers(value->type->layout) / share;
  bool predicate = element->kind == TYPE_SCALAR && element->elem == ELEM_I1;
  return predicate ? registers / PREDICATE_SHARE : registers * ((bytes + 3) / 4);
}

// What copies of a register are is not alive beside it.
static bool is_taken(const Rematerialiser *m, const Value *value) {
  uint32_t left = MAX_OPS;
  return holds_index(value->type) && !m->inside[value->id] && value->def && !op_is_leaf(value->def) &&
         can_make(value, &left);
}

static void mark_region(Rematerialiser *m, const Region *region, bool inside) {
  for (uint32_t i = 0; i < region->arg_count; i++) m->inside[region->args[i]->id] = inside;
  for (const Op *op = region->first; op; op = op->next) {
    for (uint32_t i = 0; i < op->result_count; i++) m->inside[op->results[i].id] = inside;
    for (uint32_t r = 0; r < op->region_count; r++) mark_region(m, op->regions[r], inside);
  }
}

// --- how many

static uint32_t count_taken(Rematerialiser *m, const Region *region) {
  uint32_t count = 0;
  for (const Op *op = region->first; op; op = op->next) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
      const Value *value = op_operand(op, i);
      if (!is_taken(m, value) || m->counted[value->id]) continue;
      m->counted[value->id] = true;
      count += registers_of(m, value);
    }
    for (uint32_t r = 0; r < op->region_count; r++) count += count_taken(m, op->regions[r]);
  }
  return count;
}

// --- where they are used

static Value *make_again(Builder *b, const Value *value) {
  const Op *op = value->def;
  Value *operands[3] = {NULL};
  for (uint32_t i = 0; i < op->operand_count; i++)
    operands[i] = op->kind == OP_SPLAT ? op_operand(op, 0) : make_again(b, op_operand(op, i));
  b->loc = op->loc;
  const Type *type = value->type;
  Op *copy = build_op(b, op->kind, op->operand_count, operands, 1, &type);
  op_copy_attrs(copy, op);
  if (op->kind == OP_ARANGE || op->kind == OP_SPLAT) op_set_flag(copy, ATTR_FRESH, true);
  return op_result(copy);
}

static void make_in_region(Rematerialiser *m, Region *region) {
  for (Op *op = region->first; op; op = op->next) { // what is made stands before it
    for (uint32_t i = 0; i < op->operand_count; i++) {
      const Value *value = op_operand(op, i);
      if (!is_taken(m, value)) continue;
      Builder b = builder_before(op);
      op_set_operand(op, i, make_again(&b, value));
      m->changed = true;
    }
    for (uint32_t r = 0; r < op->region_count; r++) make_in_region(m, op->regions[r]);
  }
}

static void visit_loop(Rematerialiser *m, Op *loop) {
  func_number(m->func);
  m->share = func_shares(m->context->scratch, m->func);
  m->inside = ARENA_ARRAY(m->context->scratch, bool, m->func->value_count);
  m->counted = ARENA_ARRAY(m->context->scratch, bool, m->func->value_count);
  uint32_t taken = 0;
  for (uint32_t r = 0; r < loop->region_count; r++) mark_region(m, loop->regions[r], true);
  for (uint32_t r = 0; r < loop->region_count; r++) taken += count_taken(m, loop->regions[r]);
  if (taken <= m->room) return;
  diag_remark(m->context->diags, loop->loc, "rematerialise",
              "%u registers of offsets and masks are made in each iteration: tiles leave %u", taken, m->room);
  for (uint32_t r = 0; r < loop->region_count; r++) make_in_region(m, loop->regions[r]);
}

// Inner loops come first: what they make is then no more taken by those around them.
static void visit_region(Rematerialiser *m, Region *region) {
  for (Op *op = region->first; op; op = op->next) {
    for (uint32_t r = 0; r < op->region_count; r++) visit_region(m, op->regions[r]);
    if (op_is_loop(op)) visit_loop(m, op);
  }
}

bool pass_rematerialise(PassContext *context, Func *func) {
  int64_t spare = func_spare_registers(context->scratch, func);
  Rematerialiser m = {.context = context, .func = func};
  m.room = spare > TUNE_OFFSETS_KEPT ? (uint32_t)spare : TUNE_OFFSETS_KEPT;
  visit_region(&m, func->body);
  return rematerialise_data(context, func) || m.changed;
}
