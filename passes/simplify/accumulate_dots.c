// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accumulate_dots: a dot accumulates onto the sum that its result is added to.
//
// before  %p = dot %a, %b, %zero           after  %s = dot %a, %b, %acc
//         %s = add %acc, %p
//
// needs   before choose_dot.
// keeps   integer results, to the bit. Floating-point sums are added in another order.
// breaks  nothing
//
// pays    saves the addition and the registers of the dot's own result. If a loop carries %acc, the dot may stay in
//         flight while the next iteration starts.
//
// Triton does the same. fp16 sums are left alone, because the dot would round them at other places. So are fp8 dots
// that set their own accumulation (imprecise).
#include "ir/build.h"
#include "passes/passes.h"

typedef struct Accumulator {
  PassContext *context;
  bool changed;
} Accumulator;

// The dot that is added. It must have no other use and be in the add's region. NULL if there is none.
static Op *product_of(const Op *add, uint32_t operand) {
  const Value *value = op_operand(add, operand);
  Op *dot = value->def;
  if (!dot || dot->kind != OP_DOT || dot->operand_count > 3 || dot->region != add->region ||
      value->first_use->next)
    return NULL;
  const Attr *imprecise = op_attr(dot, ATTR_IMPRECISE);
  if ((imprecise && imprecise->i > 0) || type_is_elem(value->type, ELEM_FP16)) return NULL;
  return value_is_zero(op_operand(dot, 2)) ? dot : NULL;
}

static void accumulate_dot(Accumulator *a, Op *add) {
  if (add->kind != OP_ADD) return;
  uint32_t which = 0;
  while (which < 2 && !product_of(add, which)) which++;
  if (which == 2) return;
  Op *dot = product_of(add, which);
  Builder b = builder_before(add);
  b.loc = dot->loc;
  Value *operands[] = {op_operand(dot, 0), op_operand(dot, 1), op_operand(add, 1 - which)};
  Op *sum = build_op(&b, OP_DOT, 3, operands, 1, &op_result(dot)->type);
  op_copy_attrs(sum, dot);
  value_replace_uses(op_result(add), op_result(sum));
  op_erase(add);
  op_erase(dot);
  diag_remark(a->context->diags, sum->loc, "accumulate_dots",
              "the dot accumulates into the sum that it was added to");
  a->changed = true;
}

bool pass_accumulate_dots(PassContext *context, Func *func) {
  Accumulator a = {.context = context};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) accumulate_dot(&a, w.op);
  return a.changed;
}
