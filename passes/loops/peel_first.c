// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// peel_first: a loop whose first iteration takes a branch of its own gets that iteration by itself.
//
// before  for %i = 0 to %n step 8 { load %p + %i; if %i == 0 { first } else { next } }
//
// after   for %i = 0 to min(%n, 8) step 8 { load %p + %i; first }
//         for %i = 8 to %n step 8 { load %p + %i; next }
//
// needs   simplified IR without layouts. The loop starts at a constant and has a constant step.
// keeps   every value
// breaks  nothing
// pays    A loop without branches is unrolled (unroll_loads), so that loads of several iterations are in flight. The
//         cost is a second copy of the body.
#include "ir/clone.h"
#include "ir/fold_number.h"
#include "ir/spec.h"
#include "passes/passes.h"

enum { MAX_OPS = 400 };

// A loop that starts at a constant, and a test of its body that compares the index with that constant.
typedef struct FirstTest {
  Op *loop;
  Value *test;
  int64_t next, holds,
      later; // the index of the second iteration; the test's value in the first and in all others
} FirstTest;

static bool is_int(const Value *value, int64_t number) {
  int64_t constant;
  return value_int_constant(value, &constant) && constant == number;
}

// True if the first iteration decides the test in another way than all others. Their indexes are larger than `lower`.
static bool tests_first(FirstTest *f, Value *test, int64_t lower) {
  const Op *op = test->def;
  if (!op || !op_has(op, COMPARE)) return false;
  bool left = op_operand(op, 0) == loop_index(f->loop); // of the comparison stands the index
  Elem elem = loop_index(f->loop)->type->elem;
  f->test = test;
  return op_operand(op, !left) == loop_index(f->loop) && is_int(op_operand(op, left), lower) &&
         fold_int(op->kind, elem, lower, lower, &f->holds) &&
         fold_int(op->kind, elem, left ? f->next : lower, left ? lower : f->next, &f->later) &&
         f->holds != f->later;
}

// Loops with dots are left to pipeline.
static bool loads_without_dots(const Region *body) {
  uint32_t ops = 0;
  bool loads = false;
  for (OpWalk w = ops_in(body); ops_next(&w); ops++) {
    if (w.op->kind == OP_DOT) return false;
    loads |= w.op->kind == OP_LOAD && type_is_tile(op_result(w.op)->type);
  }
  return loads && ops <= MAX_OPS;
}

static bool find_first_test(Op *loop, FirstTest *f) {
  int64_t lower, step;
  *f = (FirstTest){.loop = loop};
  if (loop->kind != OP_FOR || !elem_is_signed(loop_index(loop)->type->elem)) return false;
  if (!value_int_constant(loop_lower(loop), &lower) || lower < 0) return false;
  if (!value_int_constant(loop_step(loop), &step) || step <= 0) return false;
  f->next = lower + step;
  if (lower > INT32_MAX || step > INT32_MAX || f->next > INT32_MAX || !loads_without_dots(loop->regions[0]))
    return false;
  for (Op *op = loop->regions[0]->first; op; op = op->next)
    if (op->kind == OP_IF && tests_first(f, op_operand(op, 0), lower)) return true;
  return false;
}

static void peel_first(PassContext *context, const FirstTest *f) {
  Op *loop = f->loop;
  Builder b = builder_before(loop);
  func_number(b.func);
  Value *next = build_int(&b, loop_lower(loop)->type, f->next),
        *end = build_binary(&b, OP_MIN, loop_upper(loop), next),
        *first = build_int(&b, f->test->type, f->holds), *later = build_int(&b, f->test->type, f->later);
  uint32_t carried = loop->result_count;
  Value **values = ARENA_ARRAY(context->scratch, Value *, carried);
  for (uint32_t i = 0; i < carried; i++) values[i] = loop_init(loop, i);
  Op *made = build_for(&b, loop_lower(loop), end, loop_step(loop), carried, values);
  Region *body = loop->regions[0], *to = made->regions[0];
  CloneMap map = clone_map_new(context->scratch, b.func);
  for (uint32_t i = 0; i < body->arg_count; i++) {
    clone_set(&map, body->args[i], to->args[i]);
    to->args[i]->name = body->args[i]->name;
  }
  Builder inner = builder_at_end(b.func, to);
  region_clone_ops(&inner, body, &map);
  for (uint32_t i = 0; i < carried; i++) values[i] = clone_get(&map, loop_yielded(loop, i));
  inner.loc = body->last->loc;
  build_yield(&inner, carried, values);
  value_replace_uses(clone_get(&map, f->test), first);
  value_replace_uses(f->test, later);
  op_set_operand(loop, 0, next);
  for (uint32_t i = 0; i < carried; i++) op_set_operand(loop, LOOP_FIRST_INIT + i, &made->results[i]);
  diag_remark(context->diags, loop->loc, "peel_first",
              "the first iteration, which takes a branch of its own, is peeled");
}

bool pass_peel_first(PassContext *context, Func *func) {
  bool changed = false;
  FirstTest f;
  for (OpWalk w = ops_outward(func->body); ops_next(&w);) { // inner loops first
    if (!find_first_test(w.op, &f)) continue;
    peel_first(context, &f);
    changed = true;
  }
  return changed;
}
