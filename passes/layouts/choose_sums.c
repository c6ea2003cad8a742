// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// choose_sums: chooses how the accumulators of dots start and end.
//
// before  %d = dot %as, %bs, %zero {instruction = "wgmma"}      after  %d = dot %as, %bs, %zero, %true
//         %l = for ... (%sum = %x) {                                   %l = for ... (%sum = %x) {
//           %d = dot %a, %b, %sum {instruction = "fma"}                  %d = dot %a, %b, %sum
//           yield %d                                                     yield %d
//         }                                                            }
//                                                                      %c = copy %l
//
// needs   dots in their final form (split_ops), constants folded
// keeps   every value. Other uses of a loop's accumulators take their copies
// breaks  nothing
// pays    a wgmma that starts from nothing needs no zeros in its accumulators. Accumulators that are copied at the end
//         of the loop may be in any registers
//
// A vector store of accumulators asks for consecutive registers from an even one on. ptxas would use these in the whole
// loop. Accumulators and b, which is a vector too, would then be in the same bank for every column. With a free choice
// of registers, ptxas takes those in the other bank.
#include <math.h>
#include "ir/build.h"
#include "ir/dot/dot.h"
#include "passes/passes.h"
#include "passes/layouts/roll_dots.h"

typedef struct SumChooser {
  Func *func;
  Value *holds; // The constant true; NULL: none yet.
  bool changed;
} SumChooser;

static Value *constant_true(SumChooser *c) {
  if (!c->holds) {
    Builder b = builder_before(c->func->body->first);
    c->holds = build_int(&b, type_scalar(c->func->module->ir, ELEM_I1), 1);
  }
  return c->holds;
}

static void begin_from_nothing(SumChooser *c, Op *dot) {
  int64_t always;
  bool has_fresh = dot->operand_count > 3;
  if (!is_dot_of(dot, DOT_WGMMA) || !value_is_zero(op_operand(dot, 2))) return;
  if (has_fresh && value_int_constant(op_operand(dot, 3), &always) && always) return;
  if (has_fresh)
    op_set_operand(dot, 3, constant_true(c));
  else
    op_add_operand(dot, constant_true(c));
  c->changed = true;
}

static bool is_multiply_added(const Value *sum) {
  return sum->def && is_dot_of(sum->def, DOT_FMA) && type_is_elem(sum->type, ELEM_FP32);
}

static bool is_copied(const Value *sum) {
  return !sum->first_use->next && sum->first_use->user->kind == OP_COPY;
}

static void leave_by_copies(SumChooser *c, Op *loop) {
  const Op *yield = loop->regions[0]->last;
  Builder b = builder_after(loop);
  b.loc = yield->loc;
  for (uint32_t i = 0; i < loop->result_count; i++) {
    Value *sum = &loop->results[i];
    if (!is_multiply_added(op_operand(yield, i)) || value_unused(sum) || is_copied(sum)) continue;
    Value *copy = build(&b, OP_COPY, sum->type, NULL, NULL, NULL);
    value_replace_uses(sum, copy);
    op_add_operand(copy->def, sum);
    c->changed = true;
  }
}

bool pass_choose_sums(PassContext *context, Func *func) {
  SumChooser c = {.func = func};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) {
    if (w.op->kind == OP_DOT) begin_from_nothing(&c, w.op);
    if (w.op->kind == OP_FOR) leave_by_copies(&c, w.op);
  }
  return roll_dots(context, func) || c.changed;
}
