// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heavy_first: of programs whose loops of products grow with their number the last come first.
//
// before  %p = program_id {axis = 0}                    after  %n = num_programs {axis = 0}
//         %u = mul %p, 128                                     %q = program_id {axis = 0}
//         for %i = 0 to %u { ... dot ... }                     %p = sub (sub %n, 1), %q
//                                                              the same
// needs   simplified IR; behind raise_boxes, whose guard speaks of all programs
// keeps   every value: programs have no order; those with ops that could tell one (print, atomics, volatile accesses) stay
// breaks  nothing
// pays    blocks begin in the order of their numbers: the longest programs begin last, and the multiprocessors that are done wait
//         for them. Causal attention's, 128 heads x 4096 x 128 fp16 on an H200: 1104 us, 1083 with the longest first
//
// Of loops with products in them the upper bound grows with the number, the lower one does not hang on it, or both grow (blocks
// on the diagonal); a bound of which that is not known, or a loop that becomes shorter, leaves the order as it is.
#include "ir/build.h"
#include "passes/passes.h"

typedef enum Growth { GROWS_NOT, GROWS, GROWS_UNKNOWN } Growth;

typedef struct WorkSearch {
  const Op *growing; // a loop that is longer in later programs
  bool other, ordered;
} WorkSearch;

static Growth growth_of(const Value *value, uint32_t depth);

static Growth growth_of_both(const Op *op, uint32_t depth) {
  Growth a = growth_of(op_operand(op, 0), depth - 1), b = growth_of(op_operand(op, 1), depth - 1);
  return a > b ? a : b;
}

static Growth growth_of_multiple(const Op *op, uint32_t depth) {
  int64_t factor;
  Growth x = growth_of(op_operand(op, 0), depth - 1);
  if (x != GROWS) return growth_of_both(op, depth) == GROWS_NOT ? GROWS_NOT : GROWS_UNKNOWN;
  return value_int_constant(op_operand(op, 1), &factor) && factor > 0 ? GROWS : GROWS_UNKNOWN;
}

// How the number changes from one program to the next along axis 0, all others being the same.
static Growth growth_of(const Value *value, uint32_t depth) {
  const Op *op = value->def;
  if (!op) return value->region->parent ? GROWS_UNKNOWN : GROWS_NOT; // a parameter
  if (depth == 0) return GROWS_UNKNOWN;
  switch ((int)op->kind) {
  case OP_CONSTANT:
  case OP_NUM_PROGRAMS: return GROWS_NOT;
  case OP_PROGRAM_ID: return op_int(op, ATTR_AXIS, 0) == 0 ? GROWS : GROWS_NOT;
  case OP_HINT: return growth_of(op_operand(op, 0), depth - 1);
  case OP_CAST: return type_is_int(value->type) ? growth_of(op_operand(op, 0), depth - 1) : GROWS_UNKNOWN;
  case OP_ADD:
  case OP_MIN:
  case OP_MAX: return growth_of_both(op, depth);
  case OP_MUL:
  case OP_DIV: return growth_of_multiple(op, depth);
  default: return GROWS_UNKNOWN;
  }
}

static bool has_order(const Op *op) {
  switch ((int)op->kind) {
  case OP_PRINT:
  case OP_ASSERT:
  case OP_ATOMIC_RMW:
  case OP_ATOMIC_CAS:
  case OP_GLOBALTIMER:
  case OP_SMID:
  case OP_INLINE_ASM: return true;
  default: return op_attr(op, ATTR_VOLATILE) != NULL;
  }
}

static bool has_product(const Op *loop) {
  for (const Op *op = loop->regions[0]->first; op; op = op->next)
    if (op->kind == OP_DOT) return true;
  return false;
}

static void look_at(Op *op, void *data) {
  enum { DEPTH = 16 };
  WorkSearch *search = data;
  int64_t step;
  search->ordered |= has_order(op);
  if (op->kind != OP_FOR || !has_product(op)) return;
  Growth lower = growth_of(loop_lower(op), DEPTH), upper = growth_of(loop_upper(op), DEPTH);
  bool up = value_int_constant(loop_step(op), &step) && step > 0;
  search->other |= lower == GROWS_UNKNOWN || upper < lower || upper == GROWS_UNKNOWN || !up;
  if (lower == GROWS_NOT && upper == GROWS) search->growing = op;
}

typedef struct NumberChange {
  Op *own; // this program's number as the machine has it
  Value *number;
} NumberChange;

static void change_number(Op *op, void *data) {
  const NumberChange *change = data;
  if (op->kind != OP_PROGRAM_ID || op_int(op, ATTR_AXIS, 0) != 0 || op == change->own) return;
  value_replace_uses(op_result(op), change->number);
  op_erase(op);
}

bool pass_heavy_first(PassContext *context, Func *func) {
  WorkSearch search = {0};
  region_walk(func->body, look_at, &search);
  if (!search.growing || search.other || search.ordered) return false;
  Builder b = builder_before(func->body->first);
  b.loc = search.growing->loc;
  Value *own = build_program_id(&b, OP_PROGRAM_ID, 0);
  Value *last =
      build_binary(&b, OP_SUB, build_program_id(&b, OP_NUM_PROGRAMS, 0), build_int(&b, own->type, 1));
  NumberChange change = {own->def, build_binary(&b, OP_SUB, last, own)};
  region_walk(func->body, change_number, &change);
  diag_remark(context->diags, search.growing->loc, "heavy_first",
              "the programs whose loops are longest come first: the last along axis 0");
  return true;
}
