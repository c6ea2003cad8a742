// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// trim_loops: the body of a loop runs only below a bound on the loop's index. The loop now ends at that bound.
//
// before  for %i = %a to %n { if %s + %i < %e then { ... } }     (else passes on loop-carried values)
//
// after   for %i = %a to max(%a, min(%n, %e - %s)) { ... }       (in 64 bits; as below)
//         for %i = %n to %n { as before }
//
// The second loop handles sums %s + %i that wrap: then the first loop is empty, and the second runs from %a. If the
// bound is on %i alone, there is no second loop.
//
// A loop whose first iteration takes its own branch gets that iteration by itself:
//
// before  for %i = 0 to %n step 8 { load %p + %i; if %i == 0 { first } else { next } }
//
// after   for %i = 0 to min(%n, 8) step 8 { load %p + %i; first }
//         for %i = 8 to %n step 8 { load %p + %i; next }
//
// needs   simplified IR without layouts
// keeps   every value
// breaks  nothing
// pays    Loads in the branch that feed a dot can be prefetched (pipeline). In a branch they wait where they are.
//         A loop without branches is unrolled (unroll_loads), so that loads of several iterations are in flight. The
//         cost is a second copy of the body.
#include "ir/clone.h"
#include "ir/fold_number.h"
#include "ir/spec.h"
#include "passes/passes.h"

enum { MAX_OPS = 400 };

// A loop of step 1, its branch, and the bound: start + index < end. `start` is NULL if the bound is on the index alone.
typedef struct GuardedLoop {
  Op *loop, *branch;
  Value *start, *end;
} GuardedLoop;

// --- what is such a loop

// Matches start + index, in either order, or the index alone.
static bool find_start(GuardedLoop *g, const Value *sum) {
  const Op *add = sum->def;
  if (sum == loop_index(g->loop)) return true;
  if (!add || add->kind != OP_ADD) return false;
  uint32_t which = op_operand(add, 0) == loop_index(g->loop);
  g->start = op_operand(add, which);
  return op_operand(add, 1 - which) == loop_index(g->loop) && !value_is_within(g->start, g->loop);
}

static bool find_bound(GuardedLoop *g) {
  const Op *test = op_operand(g->branch, 0)->def;
  if (!test || (test->kind != OP_LT && test->kind != OP_GT)) return false;
  g->end = op_operand(test, test->kind == OP_LT);
  return !value_is_within(g->end, g->loop) && find_start(g, op_operand(test, test->kind == OP_GT));
}

// The only branch of the body. All other ops must be pure. NULL if the body is different.
static Op *only_branch(const Region *body) {
  Op *branch = NULL;
  for (Op *op = body->first; op != body->last; op = op->next) {
    if (op->kind == OP_IF && !branch)
      branch = op;
    else if (!op_has(op, PURE) || op->region_count)
      return NULL;
  }
  return branch;
}

// True if the loop passes on its loop-carried values when the branch is not taken.
static bool passes_on(const GuardedLoop *g) {
  const Region *otherwise = g->branch->regions[1];
  if (otherwise->first != otherwise->last) return false;
  for (uint32_t i = 0; i < g->loop->result_count; i++) {
    const Value *next = loop_yielded(g->loop, i), *carried = loop_carried(g->loop, i);
    if (next->def == g->branch) next = op_operand(otherwise->last, next->index);
    if (next != carried) return false;
  }
  return true;
}

// True if the branch is worth a copy: it has a dot and a tile load, and is not too long.
static bool is_worth_it(const Op *branch) {
  uint32_t ops = 0, dots = 0, loads = 0;
  for (OpWalk w = ops_in(branch->regions[0]); ops_next(&w); ops++) {
    dots += w.op->kind == OP_DOT;
    loads += w.op->kind == OP_LOAD && type_is_tile(op_result(w.op)->type);
  }
  return ops <= MAX_OPS && dots && loads;
}

static bool find_guard(Op *loop, GuardedLoop *g) {
  *g = (GuardedLoop){.loop = loop};
  if (loop->kind != OP_FOR || !type_is_elem(loop_index(loop)->type, ELEM_I32)) return false;
  if (!value_is_int(loop_step(loop), 1)) return false;
  g->branch = only_branch(loop->regions[0]);
  return g->branch && find_bound(g) && passes_on(g) && is_worth_it(g->branch);
}

// --- the loops

static Value *extend_to_i64(Builder *b, Value *x) {
  return build_cast(b, x, type_scalar(b->func->module->ir, ELEM_I64));
}

// True if start + index fits in 32 bits in all iterations.
static Value *build_fits(Builder *b, const GuardedLoop *g) {
  Value *start = extend_to_i64(b, g->start),
        *least = build_binary(b, OP_ADD, start, extend_to_i64(b, loop_lower(g->loop))),
        *most = build_binary(b, OP_ADD, start, extend_to_i64(b, loop_upper(g->loop)));
  Value *above = build_with_int(b, OP_GE, least, INT32_MIN);
  return build_binary(b, OP_AND, above, build_with_int(b, OP_LE, most, INT32_MAX));
}

static Value *build_end(Builder *b, const GuardedLoop *g) {
  Value *lower = loop_lower(g->loop), *end = extend_to_i64(b, g->end);
  if (g->start) end = build_binary(b, OP_SUB, end, extend_to_i64(b, g->start));
  end = build_binary(b, OP_MIN, end, extend_to_i64(b, loop_upper(g->loop)));
  return build_cast(b, build_binary(b, OP_MAX, end, extend_to_i64(b, lower)), lower->type);
}

static void copy_body(PassContext *context, const GuardedLoop *g, Op *made) {
  Func *func = made->region->func;
  Region *body = g->loop->regions[0], *taken = g->branch->regions[0];
  CloneMap map = clone_map_new(context->scratch, func);
  region_clone_args(body, made->regions[0], &map);
  Builder b = builder_at_end(func, made->regions[0]);
  for (const Op *op = body->first; op != body->last; op = op->next) {
    if (op != g->branch) {
      op_clone(&b, op, &map);
      continue;
    }
    region_clone_ops(&b, taken, &map);
    for (uint32_t i = 0; i < op->result_count; i++)
      clone_set(&map, &op->results[i], clone_get(&map, op_operand(taken->last, i)));
  }
  op_clone(&b, body->last, &map);
}

static void trim(PassContext *context, const GuardedLoop *g) {
  Op *loop = g->loop;
  Builder b = builder_before(loop);
  func_number(b.func);
  Value *lower = loop_lower(loop), *upper = loop_upper(loop), *end = build_end(&b, g), *rest = upper;
  if (g->start) {
    Value *fits = build_fits(&b, g);
    end = build(&b, OP_SELECT, end->type, fits, end, lower);
    rest = build(&b, OP_SELECT, upper->type, fits, upper, lower);
  }
  uint32_t carried = loop->result_count;
  Value **inits = loop_inits(context->scratch, loop, 0);
  Op *made = build_for(&b, lower, end, loop_step(loop), carried, inits);
  op_copy_attrs(made, loop);
  copy_body(context, g, made);
  diag_remark(context->diags, loop->loc, "trim_loops",
              "the loop ends where the bound that guards its body does");
  op_set_operand(loop, 0, rest);
  for (uint32_t i = 0; i < carried; i++) {
    op_set_operand(loop, LOOP_FIRST_INIT + i, &made->results[i]);
    if (!g->start) value_replace_uses(&loop->results[i], &made->results[i]);
  }
  if (!g->start) op_erase(loop);
}

// --- the first iteration

// A loop that starts at a constant, and a test of its body that compares the index with that constant.
typedef struct FirstTest {
  Op *loop;
  Value *test;
  int64_t next, holds,
      later; // the index of the second iteration; the test's value in the first and in all others
} FirstTest;

// True if the first iteration decides the test in another way than all others. Their indexes are larger than `lower`.
static bool tests_first(FirstTest *f, Value *test, int64_t lower) {
  const Op *op = test->def;
  if (!op || !op_has(op, COMPARE)) return false;
  bool left = op_operand(op, 0) == loop_index(f->loop); // of the comparison stands the index
  Elem elem = loop_index(f->loop)->type->elem;
  f->test = test;
  return op_operand(op, !left) == loop_index(f->loop) && value_is_int(op_operand(op, left), lower) &&
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
  Value **inits = loop_inits(context->scratch, loop, 0);
  Op *made = build_for(&b, loop_lower(loop), end, loop_step(loop), carried, inits);
  Region *body = loop->regions[0], *to = made->regions[0];
  CloneMap map = clone_map_new(context->scratch, b.func);
  region_clone_args(body, to, &map);
  Builder inner = builder_at_end(b.func, to);
  region_clone_ops(&inner, body, &map);
  op_clone(&inner, body->last, &map);
  value_replace_uses(clone_get(&map, f->test), first);
  value_replace_uses(f->test, later);
  op_set_operand(loop, 0, next);
  for (uint32_t i = 0; i < carried; i++) op_set_operand(loop, LOOP_FIRST_INIT + i, &made->results[i]);
  diag_remark(context->diags, loop->loc, "trim_loops",
              "the first iteration, which takes a branch of its own, is peeled");
}

bool pass_trim_loops(PassContext *context, Func *func) {
  bool changed = false;
  GuardedLoop g;
  FirstTest f;
  for (OpWalk w = ops_outward(func->body); ops_next(&w);) { // inner loops first
    if (find_guard(w.op, &g))
      trim(context, &g);
    else if (find_first_test(w.op, &f))
      peel_first(context, &f);
    else
      continue;
    changed = true;
  }
  return changed;
}
