// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accumulate: sums are added up in place. Loops reduce across threads once, after them; dots add to their accumulator.
//
// needs   tiles without layouts; simplified IR
// keeps   every integer. Floating-point sums are added in another order (REASSOCIATES)
// breaks  nothing
#include <math.h>
#include "base/integer.h"
#include "ir/clone.h"
#include "target/tuning.h"
#include "passes/analysis/float_range.h"
#include "passes/passes.h"
#include "ir/build.h"
#include "ir/dot/dot.h"

// --- reductions: a loop accumulates whole tiles, and reduces them across threads once, after the loop
//
// before  %s = for ... (%acc = %init) {                   %acc : tile<16xfp32>
//           %r = reduce %x {axis = 1} (add)               %x : tile<16x64xfp32>
//           %next = add %acc, %r
//           yield %next
//         }
// after   %t = for ... (%tile = 0) {                      %tile : tile<16x64xfp32>
//           %next = add %tile, %x
//           yield %next
//         }
//         %r = reduce %t {axis = 1} (add)
//         %s = add %init, %r
//
// also    %tile and %r are fp32 if %x is fp16 or bf16. Elements of fp32, bf16 or fp64 that may be large and of both
//         signs are scaled:
//
//           %next = fma %x, 2^-12, %tile
//         %s = add %init, (mul %r, 2^12)
//
// keeps   every integer. Floating-point sums are added in another order (REASSOCIATES). Elements that cancel within an
//         iteration may not cancel within one element's sum. Such a sum has room for 2^12 iterations of the largest
//         numbers. Then each addition may be off by 2^-138 (fp32, bf16).
//
// pays    An iteration only combines its own elements. It needs no shuffles, shared memory or barriers.
//
// The tile stays in registers across iterations. A loop may use at most TUNE_DEFER_REGISTERS per thread for this. The
// limit is half of that if the loop also has other reductions. Such a loop waits for other threads anyway, with another
// tile.
//
// Conditions:
// * the combination is add, max, min, and, or, xor;
// * the loop and the reduction use the same combination;
// * the sum has no other use.
//
// A second loop may continue from the first one's sum (split_masks makes such loops). It then continues from the tile.

enum { MAX_VIEWS = 4 };

typedef struct LoopSum {
  Op *loop, *combine, *reduce;
  uint32_t index; // among the loop-carried values
} LoopSum;

// Result of the previous loop: `value` is `init` combined with the reduction of `tile`.
typedef struct DeferredSum {
  Value *value, *init, *tile;
  OpKind kind;
  int64_t axis;
  bool scaled; // the tile's elements are the terms times 2^-LOOP_SUM_BITS
} DeferredSum;

typedef struct SumDeferrer {
  PassContext *context;
  Func *func;
  VEC(DeferredSum) deferred;
  bool changed;
} SumDeferrer;

static bool can_combine_by(const Op *op) { return op_has(op, ASSOCIATES) && op->kind != OP_MUL; }

static bool is_view(const Op *op) { return op_has(op, SPREADS) || op->kind == OP_RESHAPE; }

// Follows views that have no other use back to the reduction. NULL if there is none.
static Op *reduction_of(const Value *value, const Op *user) {
  for (uint32_t depth = 0; value->def && depth <= MAX_VIEWS; depth++) {
    if (!value_used_only_by(value, user) || value->def->region != user->region) return NULL;
    if (value->def->kind == OP_REDUCE) return value->def;
    if (!is_view(value->def)) return NULL;
    user = value->def;
    value = op_operand(user, 0);
  }
  return NULL;
}

static bool can_defer(const Type *type) {
  const Type *element = type_element(type);
  return element->kind == TYPE_SCALAR && (!elem_is_float(element->elem) || elem_bytes(element->elem) >= 2);
}

static bool find_sum(Op *loop, uint32_t index, LoopSum *sum) {
  const Region *body = loop->regions[0];
  const Value *carried = loop_carried(loop, index), *next = loop_yielded(loop, index);
  Op *combine = next->def;
  *sum = (LoopSum){.loop = loop, .combine = combine, .index = index};
  if (!combine || combine->region != body || !can_combine_by(combine) ||
      !value_used_only_by(next, body->last))
    return false;
  if (!value_used_only_by(carried, combine)) return false;
  bool first = op_operand(combine, 0) == carried;
  sum->reduce = reduction_of(op_operand(combine, first), combine);
  if (!sum->reduce || op_scratch(sum->reduce) || !op_reduces_by(sum->reduce, combine->kind)) return false;
  const Type *tile = op_operand(sum->reduce, 0)->type;
  return !tile->layout && can_defer(tile);
}

// The loop-carried type: that of the reduced tile. Sums of fp16 and bf16 are kept in fp32.
static const Type *carried_type(const SumDeferrer *s, const LoopSum *sum) {
  const Type *tile = op_operand(sum->reduce, 0)->type;
  IrContext *ir = s->func->module->ir;
  bool wide =
      sum->combine->kind == OP_ADD && (type_is_elem(tile, ELEM_FP16) || type_is_elem(tile, ELEM_BF16));
  return wide ? type_with_element(ir, tile, type_scalar(ir, ELEM_FP32)) : tile;
}

// --- what it costs

static uint32_t registers_of(const Op *loop, const Type *tile) {
  uint64_t threads = region_threads(loop);
  uint64_t elements = divide_up(type_elements(tile), threads);
  return (uint32_t)((elements * type_element_bytes(tile) + 3) / 4);
}

// True if the loop has a reduction that stays in it.
static bool reduces_otherwise(Op *loop) {
  uint32_t reductions = 0, sums = 0;
  LoopSum sum;
  for (const Op *op = loop->regions[0]->first; op; op = op->next)
    reductions += op->kind == OP_REDUCE || op->kind == OP_SCAN;
  for (uint32_t i = 0; i < loop->result_count; i++) sums += find_sum(loop, i, &sum);
  return reductions > sums;
}

// A CTA of 32 warps has 64 registers per thread. Sums may use at most a quarter of that.
static uint32_t most_registers(const SumDeferrer *s, Op *loop) {
  uint32_t quarter = s->func->module->target.arch->registers / TUNE_DEFER_SHARE / (32 * func_warps(s->func));
  uint32_t most = quarter < TUNE_DEFER_REGISTERS ? quarter : TUNE_DEFER_REGISTERS;
  return reduces_otherwise(loop) ? most / 2 : most;
}

// --- the value that changes nothing

static int64_t least_int(Elem elem) {
  if (!elem_is_signed(elem)) return 0;
  return (int64_t)(UINT64_MAX << (elem_info(elem)->bits - 1));
}

static int64_t most_int(Elem elem) { return elem_is_signed(elem) ? ~least_int(elem) : -1; }

// The neutral element. For max and min of floats it is NaN, which they ignore. For float sums it is -0, since adding 0
// would turn -0 into 0.
static Value *build_neutral(Builder *b, OpKind kind, const Type *tile) {
  Elem elem = type_element(tile)->elem;
  if (elem_is_float(elem)) return build_float(b, tile, kind == OP_ADD ? -0.0 : (double)NAN);
  switch ((int)kind) {
  case OP_AND: return build_int(b, tile, -1);
  case OP_MAX: return build_int(b, tile, least_int(elem));
  case OP_MIN: return build_int(b, tile, most_int(elem));
  default: return build_int(b, tile, 0);
  }
}

// --- the change

static const DeferredSum *deferred_before(const SumDeferrer *s, const LoopSum *sum) {
  const Value *init = loop_init(sum->loop, sum->index);
  for (uint32_t i = 0; i < s->deferred.n; i++) {
    const DeferredSum *known = &s->deferred.at[i];
    bool same = known->value == init && known->kind == sum->combine->kind &&
                known->axis == op_int(sum->reduce, ATTR_AXIS, 0) && known->tile->type == carried_type(s, sum);
    if (same && value_used_only_by(init, sum->loop)) return known;
  }
  return NULL;
}

// Clones the reduction and its views for a tile of that element type. Returns the value that the loop combined.
static Value *build_reduction_of(Builder *b, const Op *last, CloneMap *map, const Type *element) {
  bool reduces = last->kind == OP_REDUCE;
  if (!reduces) build_reduction_of(b, op_operand(last, 0)->def, map, element);
  Op *op = op_clone(b, last, map);
  Value *result = op_result(op);
  result->type = type_with_element(b->func->module->ir, result->type, element);
  if (!reduces) return result;
  Region *region = op->regions[0];
  region->args[0]->type = region->args[1]->type = op_result(region->first)->type = element;
  return result;
}

static Value *build_scaled(Builder *b, Value *x, int power) {
  return build_binary(b, OP_MUL, x, build_float(b, x->type, ldexp(1, power)));
}

static bool is_stretched(const Value *value) {
  return value->def && (value->def->kind == OP_SPLAT || value->def->kind == OP_BROADCAST);
}

// Scales a value that has few distinct elements, at the point where it has the fewest.
static Value *build_few_scaled(Builder *b, Value *value, int power) {
  Op *view = value->def;
  if (!view || !op_has(view, SPREADS)) return build_scaled(b, value, power);
  Value *scaled = build_few_scaled(b, op_operand(view, 0), power);
  CloneMap none = {NULL, 0};
  Value *made = op_result(op_clone(b, view, &none));
  op_set_operand(made->def, 0, scaled);
  return made;
}

// Adds the scaled elements of a reduction to the carried tile. If the elements are a multiplication, scales the factor
// with fewer distinct elements.
static Value *build_scaled_sum(Builder *b, Value *carried, Value *x, const Op *reduce) {
  const Op *mul = x->def;
  bool factors = mul && mul->kind == OP_MUL && value_used_only_by(x, reduce);
  for (uint32_t i = 0; factors && i < 2; i++) {
    Value *few = op_operand(mul, i);
    if (!is_stretched(few)) continue;
    Value *term = build_binary(b, OP_MUL, op_operand(mul, 1 - i), build_few_scaled(b, few, -LOOP_SUM_BITS));
    return build_binary(b, OP_ADD, carried, term);
  }
  return build(b, OP_FMA, x->type, x, build_float(b, x->type, ldexp(1, -LOOP_SUM_BITS)), carried);
}

// Builds the final value after the loop: the initial value combined with the reduced one, in the reduction's type.
static Value *build_final(Builder *b, OpKind kind, Value *init, Value *across, bool scaled) {
  const Type *element = type_element(init->type);
  Value *wide = build_cast(b, init, type_element(across->type));
  Value *sum = build_binary(b, kind, wide, scaled ? build_scaled(b, across, LOOP_SUM_BITS) : across);
  if (scaled && !float_is_small(init)) { // both may be large and cancel
    Value *both = build_binary(b, OP_ADD, build_scaled(b, wide, -LOOP_SUM_BITS), across);
    Value *large = build_scaled(b, both, LOOP_SUM_BITS), *fits = build_math(b, "isfinite", sum, NULL, NULL);
    sum = build(b, OP_SELECT, sum->type, fits, sum, large);
  }
  return build_cast(b, sum, element);
}

// True if an element's own sum may be infinite where the loop's sum is not.
static bool needs_scale(const LoopSum *sum, const Value *init) {
  const Value *x = op_operand(sum->reduce, 0);
  return sum->combine->kind == OP_ADD && type_is_float(x->type) && !float_sums_stay_finite(x, init);
}

// In the loop: combines the tile with the iteration's elements. Erases the reduction.
static void combine_elements(const LoopSum *sum, bool scaled) {
  Op *combine = sum->combine;
  Value *carried = loop_carried(sum->loop, sum->index), *x = op_operand(sum->reduce, 0);
  Op *last = op_operand(combine, op_operand(combine, 0) == carried)->def;
  Builder b = builder_before(combine);
  x = build_cast(&b, x, type_element(carried->type));
  x = scaled ? build_scaled_sum(&b, carried, x, sum->reduce) : build_binary(&b, combine->kind, carried, x);
  op_set_operand(sum->loop->regions[0]->last, sum->index, x);
  op_erase(combine);
  for (Op *op = last; op;) {
    Op *from = op == sum->reduce ? NULL : op_operand(op, 0)->def;
    op_erase(op);
    op = from;
  }
}

static void defer_sum(SumDeferrer *s, const LoopSum *sum) {
  Op *loop = sum->loop, *combine = sum->combine;
  OpKind kind = combine->kind;
  const Type *tile = carried_type(s, sum);
  Value *carried = loop_carried(loop, sum->index), *result = &loop->results[sum->index];
  Value *init = loop_init(loop, sum->index);
  Op *last = op_operand(combine, op_operand(combine, 0) == carried)->def;
  const DeferredSum *before = deferred_before(s, sum);
  if (before && !before->scaled && needs_scale(sum, before->init)) before = NULL;
  bool scaled = before ? before->scaled : needs_scale(sum, init);
  Builder b = builder_before(loop);
  op_set_operand(loop, LOOP_FIRST_INIT + sum->index, before ? before->tile : build_neutral(&b, kind, tile));
  if (before) init = before->init;

  b = builder_after(loop);
  b.loc = sum->reduce->loc;
  CloneMap map = clone_map_new(s->context->scratch, s->func);
  Value *across = build_reduction_of(&b, last, &map, type_element(tile));
  Value *final = build_final(&b, kind, init, across, scaled);
  value_replace_uses(result, final);
  carried->type = result->type = tile;
  op_set_operand(clone_get(&map, op_result(sum->reduce))->def, 0, result);
  DeferredSum deferred = {final, init, result, kind, op_int(sum->reduce, ATTR_AXIS, 0), scaled};
  vec_push(s->context->scratch, &s->deferred, deferred);
  combine_elements(sum, scaled);
  s->changed = true;
}

static void defer_sums_of(SumDeferrer *s, Op *loop) {
  uint32_t registers = 0, most = most_registers(s, loop);
  for (uint32_t i = 0; i < loop->result_count; i++) {
    LoopSum sum;
    if (!find_sum(loop, i, &sum)) continue;
    uint32_t more = registers_of(loop, carried_type(s, &sum));
    Loc loc = sum.reduce->loc;
    if (registers + more > most) {
      diag_remark(s->context->diags, loc, "accumulate",
                  "reduced in every iteration: deferring it would take %u registers per thread, next to %u "
                  "for others",
                  more, registers);
      continue;
    }
    registers += more;
    defer_sum(s, &sum);
    diag_remark(s->context->diags, loc, "accumulate",
                "reduced across threads once, after the loop, at a cost of %u register%s per thread", more,
                more == 1 ? "" : "s");
  }
}

// --- dots: a dot accumulates onto the sum that its result is added to
//
// before  %p = dot %a, %b, %zero           after  %s = dot %a, %b, %acc
//         %s = add %acc, %p
//
//
// pays    saves the addition and the registers of the dot's own result. If a loop carries %acc, the dot may stay in
//         flight while the next iteration starts.
//
// Triton does the same. fp16 sums are left alone, because the dot would round them at other places. So are fp8 dots
// that set their own accumulation (imprecise).

// True if `value` is a dot's that has no other use than the add, in its region.
static bool is_own_dot(const Value *value, const Op *add) {
  const Op *dot = value->def;
  return (dot->operand_count == DOT_FRESH || dot_is_scaled(dot)) && dot->region == add->region &&
         !value->first_use->next && op_int(dot, ATTR_IMPRECISE, 0) <= 0 &&
         !type_is_elem(value->type, ELEM_FP16);
}

static Value *dot_onto(Builder *b, Value *of, Value *sum) {
  Op *dot = of->def;
  b->loc = dot->loc;
  Value *operands[DOT_SCALE_B + 1];
  for (uint32_t i = 0; i < dot->operand_count; i++) operands[i] = i == DOT_SUM ? sum : op_operand(dot, i);
  Op *made = build_op(b, OP_DOT, dot->operand_count, operands, 1, &of->type);
  op_copy_attrs(made, dot);
  return op_result(made);
}

#include "passes/rules_sums.h"

static void accumulate_dot(SumDeferrer *a, Op *add) {
  Value *sum = add->result_count == 1 ? rules_sums(add) : NULL;
  if (!sum) return;
  const Value *terms[] = {op_operand(add, 0), op_operand(add, 1)};
  value_replace_uses(op_result(add), sum);
  op_erase(add);
  for (uint32_t i = 0; i < 2; i++)
    if (value_unused(terms[i])) op_erase(terms[i]->def); // the dot
  diag_remark(a->context->diags, sum->def->loc, "accumulate",
              "the dot accumulates into the sum that it was added to");
  a->changed = true;
}

bool pass_accumulate(PassContext *context, Func *func) {
  SumDeferrer s = {.context = context, .func = func};
  func_number(func);
  for (OpWalk w = ops_outward(func->body); ops_next(&w);)
    if (w.op->kind == OP_FOR) defer_sums_of(&s, w.op);
  for (OpWalk w = ops_in(func->body); ops_next(&w);) accumulate_dot(&s, w.op);
  return s.changed;
}
