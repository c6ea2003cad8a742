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
// needs   simplified IR without layouts
// keeps   every value
// breaks  nothing
// pays    Loads in the branch that feed a dot can be prefetched (pipeline). In a branch they wait where they are. The
//         cost is a second copy of the body.
#include "ir/clone.h"
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
  int64_t step;
  *g = (GuardedLoop){.loop = loop};
  if (loop->kind != OP_FOR || !type_is_elem(loop_index(loop)->type, ELEM_I32)) return false;
  if (!value_int_constant(loop_step(loop), &step) || step != 1) return false;
  g->branch = only_branch(loop->regions[0]);
  return g->branch && find_bound(g) && passes_on(g) && is_worth_it(g->branch);
}

// --- the loops

// True if start + index fits in 32 bits in all iterations.
static Value *build_fits(Builder *b, const GuardedLoop *g) {
  const Type *i64 = builder_scalar(b, ELEM_I64);
  Value *start = build_cast(b, g->start, i64),
        *least = build_binary(b, OP_ADD, start, build_cast(b, loop_lower(g->loop), i64)),
        *most = build_binary(b, OP_ADD, start, build_cast(b, loop_upper(g->loop), i64));
  Value *above = build_binary(b, OP_GE, least, build_int(b, least->type, INT32_MIN));
  return build_binary(b, OP_AND, above, build_binary(b, OP_LE, most, build_int(b, most->type, INT32_MAX)));
}

static Value *build_end(Builder *b, const GuardedLoop *g) {
  const Type *i64 = builder_scalar(b, ELEM_I64);
  Value *lower = loop_lower(g->loop), *end = build_cast(b, g->end, i64);
  if (g->start) end = build_binary(b, OP_SUB, end, build_cast(b, g->start, i64));
  end = build_binary(b, OP_MIN, end, build_cast(b, loop_upper(g->loop), i64));
  return build_cast(b, build_binary(b, OP_MAX, end, build_cast(b, lower, i64)), lower->type);
}

static void copy_body(PassContext *context, const GuardedLoop *g, Op *made) {
  Func *func = made->region->func;
  Region *body = g->loop->regions[0], *taken = g->branch->regions[0];
  CloneMap map = clone_map_new(context->scratch, func);
  for (uint32_t i = 0; i < body->arg_count; i++) {
    clone_set(&map, body->args[i], made->regions[0]->args[i]);
    made->regions[0]->args[i]->name = body->args[i]->name;
  }
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
  uint32_t carried = g->loop->result_count;
  Value **values = ARENA_ARRAY(context->scratch, Value *, carried);
  for (uint32_t i = 0; i < carried; i++) values[i] = clone_get(&map, loop_yielded(g->loop, i));
  b.loc = body->last->loc;
  build_yield(&b, carried, values);
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
  Value **inits = ARENA_ARRAY(context->scratch, Value *, carried);
  for (uint32_t i = 0; i < carried; i++) inits[i] = loop_init(loop, i);
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

bool pass_trim_loops(PassContext *context, Func *func) {
  bool changed = false;
  GuardedLoop g;
  for (OpWalk w = ops_outward(func->body); ops_next(&w);) { // inner loops first
    if (!find_guard(w.op, &g)) continue;
    trim(context, &g);
    changed = true;
  }
  return changed;
}
