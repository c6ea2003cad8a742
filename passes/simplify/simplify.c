// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// simplify: folds constants and known control flow, merges equal ops, drops dead code, makes ops canonical.
//
// ```
// before  %c = constant {value = 256} : i32
//         %s = splat %c : tile<256xi32>
//         %m = mul %c, %zero : i32
//         %t = splat %m : tile<256xi32>
//         %y = add %t, %x
//         %o = add %y, %a
// after   %o = add %x, %a
// ```
//
// needs   valid IR, with or without layouts
// keeps   every value, to the bit; types and layouts of remaining values; memory accesses, except unused loads
// breaks  nothing
//
// pays    Later passes get smaller IR. The axis analysis sees constants and splats.
//
// In canonical form:
// * commutative ops have constants as right operands;
// * x - c is x + -c;
// * an op on splats is a splat of a scalar op.
//
// Each round has three steps: a forward walk (canon.c, fold.c), common subexpressions (cse.c), and a backward walk for
// dead code. Rounds repeat until nothing changes. The forward walk sees its own earlier results, so two or three rounds
// are enough. Every rule makes the function smaller or moves it towards the canonical form, so the rounds terminate.
#include "passes/analysis/rings.h"
#include "passes/simplify/simplify.h"

typedef struct Simplifier {
  PassContext *context;
  Func *func;
  bool changed;
} Simplifier;

static void replace_op(Simplifier *s, Op *op, Value *value) {
  if (!value->name) value->name = op_result(op)->name;
  value_replace_uses(op_result(op), value);
  op_erase(op);
  s->changed = true;
}

// Moves the region's ops before `op`. The yielded values replace the results of `op`.
static void inline_region(Simplifier *s, Op *op, Region *region) {
  Op *yield = region->last;
  while (region->first != yield) op_move(region->first, op->region, op);
  for (uint32_t i = 0; i < op->result_count; i++) value_replace_uses(&op->results[i], op_operand(yield, i));
  op_erase(op);
  s->changed = true;
}

// A ring has a single use, so it is not forwarded while the op stays.
static void forward_value(Simplifier *s, Value *from, Value *to) {
  if (value_unused(from) || from == to || is_ring(from)) return;
  value_replace_uses(from, to);
  s->changed = true;
}

// A value that both regions of a `while` pass on unchanged equals the initial value.
static void forward_invariant_while(Simplifier *s, Op *op) {
  const Region *test = op->regions[0], *body = op->regions[1];
  for (uint32_t i = 0; i < op->result_count; i++) {
    Value *init = op_operand(op, i);
    const Value *tested = op_operand(test->last, i + 1), *next = op_operand(body->last, i);
    bool kept = (tested == test->args[i] || tested == init) && (next == body->args[i] || next == init);
    if (!kept) continue;
    forward_value(s, test->args[i], init);
    forward_value(s, body->args[i], init);
    forward_value(s, &op->results[i], init);
  }
}

// If both branches yield the same value, it comes from before the `if`.
static void forward_from_if(Simplifier *s, Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++) {
    Value *value = op_operand(op->regions[0]->last, i);
    if (value == op_operand(op->regions[1]->last, i)) forward_value(s, &op->results[i], value);
  }
}

static bool simplify_if(Simplifier *s, Op *op) {
  int64_t condition;
  if (!value_int_constant(op_operand(op, 0), &condition)) {
    forward_from_if(s, op);
    return false;
  }
  diag_remark(s->context->diags, op->loc, "simplify", "the condition is always %s: one branch is removed",
              condition ? "true" : "false");
  inline_region(s, op, op->regions[condition ? 0 : 1]);
  return true;
}

typedef enum Trips { TRIPS_UNKNOWN, TRIPS_NONE, TRIPS_ONE } Trips;

// The trip count as far as constant bounds give it. Unsigned bounds count only if they are the same as int64_t.
static Trips trips_of(const Op *op) {
  int64_t lower, upper, step, second;
  if (!value_int_constant(op_operand(op, 0), &lower) || !value_int_constant(op_operand(op, 1), &upper))
    return TRIPS_UNKNOWN;
  if (!value_int_constant(op_operand(op, 2), &step) || step == 0) return TRIPS_UNKNOWN;
  Elem elem = type_element(op_operand(op, 0)->type)->elem;
  if (!elem_is_signed(elem) && (lower < 0 || upper < 0 || step < 0)) return TRIPS_UNKNOWN;
  if (step > 0 ? lower >= upper : lower <= upper) return TRIPS_NONE;
  if (!fold_int(OP_ADD, elem, lower, step, &second)) return TRIPS_UNKNOWN;
  bool wraps = step > 0 ? second < lower : second > lower;
  if (wraps) return TRIPS_UNKNOWN;
  return (step > 0 ? second >= upper : second <= upper) ? TRIPS_ONE : TRIPS_UNKNOWN;
}

// A loop-carried value that the body passes on unchanged equals the initial value.
static void forward_invariant(Simplifier *s, Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++) {
    Value *init = loop_init(op, i), *arg = loop_carried(op, i), *yielded = loop_yielded(op, i);
    if (yielded != arg && yielded != init) continue;
    s->changed |= !value_unused(arg) || !value_unused(&op->results[i]);
    value_replace_uses(arg, init);
    value_replace_uses(&op->results[i], init);
  }
}

static bool is_carried_used(const Op *op, uint32_t i) {
  return !value_unused(&op->results[i]) || !value_unused(loop_carried(op, i));
}

// Rebuilds the loop without unused loop-carried values. Returns true if the old op is gone.
static bool drop_carried(Simplifier *s, Op *op) {
  Region *body = op->regions[0];
  Arena *scratch = s->context->scratch;
  Value **kept = ARENA_ARRAY(scratch, Value *, op->result_count),
        **yields = ARENA_ARRAY(scratch, Value *, op->result_count);
  uint32_t *index = ARENA_ARRAY(scratch, uint32_t, op->result_count), count = 0;
  for (uint32_t i = 0; i < op->result_count; i++) {
    if (!is_carried_used(op, i)) continue;
    index[count] = i;
    kept[count++] = loop_init(op, i);
  }
  if (count == op->result_count) return false;

  Builder b = builder_before(op);
  Op *fresh = build_for(&b, loop_lower(op), loop_upper(op), loop_step(op), count, kept);
  op_copy_attrs(fresh, op);
  Region *to = fresh->regions[0];
  value_take_over(body->args[0], to->args[0]);
  for (uint32_t k = 0; k < count; k++) {
    value_take_over(body->args[index[k] + 1], to->args[k + 1]);
    value_take_over(&op->results[index[k]], &fresh->results[k]);
  }
  for (uint32_t k = 0; k < count; k++) yields[k] = op_operand(body->last, index[k]);
  while (body->first != body->last) op_move(body->first, to, NULL);
  Builder end = builder_inside(to, body->last->loc);
  build_op(&end, OP_YIELD, count, yields, 0, NULL);
  op_erase(op);
  s->changed = true;
  return true;
}

static bool simplify_for(Simplifier *s, Op *op) {
  Trips trips = trips_of(op);
  if (trips == TRIPS_UNKNOWN) {
    forward_invariant(s, op);
    return drop_carried(s, op);
  }
  diag_remark(s->context->diags, op->loc, "simplify",
              trips == TRIPS_NONE ? "the loop never runs: removed"
                                  : "the loop runs once: only its body is left");
  Region *body = op->regions[0];
  if (trips == TRIPS_NONE) {
    for (uint32_t i = 0; i < op->result_count; i++) value_replace_uses(&op->results[i], loop_init(op, i));
    op_erase(op);
    s->changed = true;
    return true;
  }
  value_replace_uses(body->args[0], op_operand(op, 0));
  for (uint32_t i = 0; i < op->result_count; i++) value_replace_uses(loop_carried(op, i), loop_init(op, i));
  inline_region(s, op, body);
  return true;
}

// Returns true if the op is gone.
static bool simplify_op(Simplifier *s, Op *op) {
  if (op->kind == OP_IF) return simplify_if(s, op);
  if (op->kind == OP_FOR) return simplify_for(s, op);
  if (op->kind == OP_WHILE) forward_invariant_while(s, op);
  if (!op_has(op, PURE) || op->result_count != 1 || op->kind == OP_CONSTANT) return false;
  Value *value = canonical_value(op, &s->changed);
  if (!value) return false;
  replace_op(s, op, value);
  return true;
}

static bool all_unused(const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (!value_unused(&op->results[i])) return false;
  return true;
}

// Users come after the values they use. So one backward walk finds all dead ops, except cycles through loop-carried
// values.
static void drop_dead(Simplifier *s, Region *region) {
  for (Op *op = region->last, *before; op; op = before) {
    before = op->prev;
    if (op_has(op, TERMINATOR)) continue;
    if (all_unused(op) && op_is_dead(op)) {
      op_erase(op);
      s->changed = true;
      continue;
    }
    for (uint32_t r = op->region_count; r-- > 0;) drop_dead(s, op->regions[r]);
  }
}

static bool simplify_whole(Simplifier *s, Region *region) {
  bool ever = false;
  do {
    s->changed = false;
    for (OpWalk w = ops_in(region); ops_next(&w);) simplify_op(s, w.op);
    s->changed |= merge_common(s->context->scratch, s->func, region);
    drop_dead(s, region);
    ever |= s->changed;
  } while (s->changed);
  return ever;
}

bool pass_simplify(PassContext *context, Func *func) {
  Simplifier s = {context, func, false};
  bool changed = simplify_whole(&s, func->body);
  for (uint32_t i = 0; i < func->host.n; i++) changed |= simplify_whole(&s, func->host.at[i]->region);
  return changed;
}
