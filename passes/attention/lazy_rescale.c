// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lazy_rescale: the maximum is found before numbers are scaled, and sums are rescaled only when it has grown by much. In
// a marked loop, or in one that rescales sums in tensor memory.
//
// needs   overlap_dots' marks, layouts; before rotate_loops
// breaks  nothing
#include <math.h>
#include "ir/build.h"
#include "ir/clone.h"
#include "ir/memory/scratch.h"
#include "passes/passes.h"
#include "passes/analysis/overlapped_dots.h"
#include "target/math.h"
#include "ir/number.h"
#include "target/tuning.h"
#include "passes/analysis/float_range.h"
#include "passes/analysis/maximum_bound.h"

// --- maxima: found before all numbers are scaled by one factor
//
// ```
// before  %s = mul %x, splat %c               after  %s = mul %x, splat %c
//         %r = reduce %s (max)                       %e = if %c >= 0 { yield reduce %x (max) }
//         ... sub %s, ...                                 else { yield reduce %x (min) }
//                                                    %r = mul %e, %c
//                                                    ... sub %s, ...
//         %d = if %b { yield %m } else { yield %s }  %d, %f = if %b { yield %m, 1 } else { yield %x, %c }
//         %r = reduce %d (max)                       the same of mul %d, splat %f
// ```
//
// keeps   every number, because rounding keeps order. Exception: the factor is infinite, or 0 with infinite elements.
//         Then the maximum may be NaN although some scaled elements are numbers (REASSOCIATES)
// pays    the multiplication and the subtraction of the maximum become one instruction. It saves one multiplication per
//         element. Tensor cores wait for these elements in such loops. The branch is the same for all threads

typedef struct Factored {
  Value *x, *factor; // A tile and a scalar; NULL: the value is no multiple.
} Factored;

typedef struct Factorer {
  PassContext *context;
  Func *func;
  Op *product; // A branch yields its two operands instead.
  bool changed;
} Factorer;

static bool is_maximum(const Op *op) {
  return op_reduces_by(op, OP_MAX) && !op_scratch(op) && type_is_elem(op_operand(op, 0)->type, ELEM_FP32) &&
         type_is_tile(op_result(op)->type);
}

// --- multiples

static bool is_alike(const Value *tile) {
  double constant;
  return (tile->def && tile->def->kind == OP_SPLAT) || value_float_constant(tile, &constant);
}

// The index of the multiplication's operand that is uniform; 2: none, or the value is no multiple.
static uint32_t factor_index(const Value *value) {
  const Op *op = value->def;
  uint32_t i = op && op->kind == OP_MUL ? 0 : 2;
  while (i < 2 && !is_alike(op_operand(op, i))) i++;
  return i;
}

static Factored factors_of(Builder *b, const Value *value) {
  uint32_t i = factor_index(value);
  if (i == 2) return (Factored){NULL, NULL};
  const Value *tile = op_operand(value->def, i);
  double constant;
  if (!value_float_constant(tile, &constant))
    return (Factored){op_operand(value->def, 1 - i), op_operand(tile->def, 0)};
  return (Factored){op_operand(value->def, 1 - i), build_float(b, type_element(tile->type), constant)};
}

// Returns true if a branch gives the value, and one side yields a multiple or such a branch again.
static bool chooses_product(const Value *value) {
  const Op *op = value->def;
  if (!op || op->kind != OP_IF) return false;
  for (uint32_t side = 0; side < 2; side++) {
    const Value *yielded = op_operand(op->regions[side]->last, value->index);
    if (factor_index(yielded) < 2 || (value_is_within(yielded, op) && chooses_product(yielded))) return true;
  }
  return false;
}

static Factored factor_branch(Factorer *f, Value *value);

// A multiplication that only sides of the branch take is computed in them, and not for the unscaled side.
static void sink_product(Factorer *f, Op *product, const Op *branch) {
  const Use *use = op_result(product)->first_use, *next;
  while (use && (region_holds(branch->regions[0], use->user) || region_holds(branch->regions[1], use->user)))
    use = use->next;
  if (use) return;
  for (use = op_result(product)->first_use; use; use = next) {
    next = use->next;
    Builder b = builder_before(use->user);
    func_number(f->func);
    CloneMap map = clone_map_new(f->context->scratch, f->func);
    op_set_operand(use->user, (uint32_t)(use - use->user->operands), op_result(op_clone(&b, product, &map)));
  }
  op_erase(product);
}

// The side yields the multiplication's tile and, as its last value, the factor. The factor is 1 if the value is no
// multiple.
static void yield_factors(Factorer *f, Op *made, const Op *branch, uint32_t side, uint32_t which) {
  Region *from = branch->regions[side];
  uint32_t count = branch->result_count;
  Op *yield = from->last;
  Value **values = ARENA_ARRAY(f->context->scratch, Value *, count + 1);
  while (from->first != yield) op_move(from->first, made->regions[side], NULL);
  Builder b = builder_inside(made->regions[side], yield->loc);
  for (uint32_t i = 0; i < count; i++) values[i] = op_operand(yield, i);
  bool chosen = values[which]->def && values[which]->def->region == made->regions[side] &&
                chooses_product(values[which]);
  Factored parts = chosen ? factor_branch(f, values[which]) : factors_of(&b, values[which]);
  values[count] = parts.x ? parts.factor : build_float(&b, type_element(values[which]->type), 1);
  if (parts.x && !chosen) f->product = values[which]->def;
  if (parts.x) values[which] = parts.x;
  build_yield(&b, count + 1, values);
}

// Replaces the branch by one with one more result. The value becomes the tile times the factor, two results, which are
// returned.
static Factored factor_branch(Factorer *f, Value *value) {
  Op *branch = value->def;
  uint32_t count = branch->result_count, which = value->index;
  const Type **types = ARENA_ARRAY(f->context->scratch, const Type *, count + 1);
  Builder b = builder_before(branch);
  for (uint32_t i = 0; i < count; i++) types[i] = branch->results[i].type;
  types[count] = type_element(value->type);
  Op *made = build_if(&b, op_operand(branch, 0), count + 1, types);
  for (uint32_t side = 0; side < 2; side++) yield_factors(f, made, branch, side, which);
  Value *tile = &made->results[which], *factor = &made->results[count];
  Value *product = build_binary(&b, OP_MUL, tile, build(&b, OP_SPLAT, tile->type, factor, NULL, NULL));
  for (uint32_t i = 0; i < count; i++)
    value_replace_uses(&branch->results[i], i == which ? product : &made->results[i]);
  op_erase(branch);
  return (Factored){tile, factor};
}

// --- the maximum

static void yield_extremum(Factorer *f, Region *side, const Op *reduce, Value *x, OpKind kind) {
  Builder b = builder_at_end(f->func, side);
  func_number(f->func);
  CloneMap map = clone_map_new(f->context->scratch, f->func);
  Op *made = op_clone(&b, reduce, &map);
  Value *result = op_result(made);
  op_set_operand(made, 0, x);
  made->regions[0]->first->kind = kind;
  b.loc = reduce->loc;
  build_yield(&b, 1, &result);
}

static void factor_maximum(Factorer *f, Op *reduce) {
  Value *multiples = op_operand(reduce, 0);
  Builder b = builder_before(reduce);
  bool chosen = chooses_product(multiples);
  Factored parts = chosen ? factor_branch(f, multiples) : factors_of(&b, multiples);
  if (!parts.x) return;
  if (chosen && f->product->region == reduce->region) sink_product(f, f->product, parts.x->def);
  const Type *type = op_result(reduce)->type;
  Value *zero = build_float(&b, parts.factor->type, 0);
  Op *branch = build_if(&b, build_binary(&b, OP_GE, parts.factor, zero), 1, &type);
  yield_extremum(f, branch->regions[0], reduce, parts.x, OP_MAX);
  yield_extremum(f, branch->regions[1], reduce, parts.x, OP_MIN);
  Value *factor = build(&b, OP_SPLAT, type, parts.factor, NULL, NULL);
  value_replace_uses(op_result(reduce), build_binary(&b, OP_MUL, op_result(branch), factor));
  diag_remark(f->context->diags, reduce->loc, "lazy_rescale",
              "the maximum is taken before the scale factor, and scaled after");
  op_erase(reduce);
  f->changed = true;
}

static void factor_maxima(Factorer *f, const Op *loop) {
  for (Op *op = loop->regions[0]->first, *next; op; op = next) {
    next = op->next;
    if (is_maximum(op)) factor_maximum(f, op);
  }
}

// --- sums: relative to an old maximum until a row outgrows it by a large factor. In the source they are relative to
// a running maximum.
//
// ```
// before  for %i = range (%most, %sum, %acc) {overlapped} { after  for %i = range (%ref, %sum, %acc, %most) {overlapped} {
//           %m = max %most, %row                                  %m = max %ref, %row
//                                                                 %n = select (%m - %ref > 8), %m, %ref
//           %p = exp2(%s - %m)                                    %p = exp2(%s - %n)
//           %f = exp2(%most - %m)                                 %f = exp2(%ref - %n)
//           %t = %sum * %f + sum of %p                            %t = %sum * %f + sum of %p
//           %o = dot %p, %v, %acc * %f                            %o = dot %p, %v, rescale(%acc, %f)
//           yield %m, %t, %o                                      yield %n, %t, %o, max(%most, %row)
//         }                                                     }
//                                                               %g = exp2(%ref - %most)     (1 where they are equal)
//                                                               %sum * %g, %acc * %g
// ```
//
// also    the bound is lower than 8 if a narrow type has no room for 2^8 more. In fp16 it is the room below 65504. In
//         fp8, or with no known bound, it is 0. Then the loop carries no new value, and only the rescale op is new
// keeps   results up to rounding. The summed values are larger by at most 2^8. Relative to their sum they are equally
//         precise, and at the end they are divided by the same number (REASSOCIATES). So sums of fp32 and bf16 must
//         stay below 2^119
// pays    after a few iterations, few row maxima grow by so much. A warp without such a row leaves its sums as they are
//         (FlashAttention-4 does the same)
//
// The pass applies only if every value that depends on the maximum is such a power, or is linear in one. The
// loop-carried values then scale with the maximum. So one factor at the end gives the original results.

static const double LN2 = 0.69314718055994531;
static const double MARGIN = 1.0625; // For rounding in a narrow type.

typedef enum ScaleKind {
  SCALE_NONE, // Depends on no maximum.
  SCALE_OLD_TOP,
  SCALE_NEW_TOP, // The maximum after this iteration; SCALE_OLD_TOP: before it.
  SCALE_BELOW,   // A value minus the new maximum.
  SCALE_STEP,    // The old maximum minus the new one.
  SCALE_FACTOR,  // The power of SCALE_STEP.
  SCALE_OLD_SUM,
  SCALE_NEW_SUM, // Linear in powers of a value minus the new maximum; SCALE_OLD_SUM: the old one.
  SCALE_OTHER,
} ScaleKind;

typedef struct Deferral {
  PassContext *context;
  Func *func;
  Op *loop;
  uint32_t top; // The loop-carried index of the maximum.
  Op *max;
  const Op *power;       // The factor.
  MathFunction function; // For all powers: exp2, exp or exp_approx.
  uint8_t *kinds;        // ScaleKind by value id.
  double *most;          // By value id: limit of new sums if no power is above 1; INFINITY: not known.
  int growth;            // The bound, as log2.
  Elem narrow;           // The type without room for more.
  Value *sign;           // A scalar: powers are at most 1 if it is not negative; NULL: always.
  bool needs_sign;       // A type has room only because powers are at most 1.
  uint32_t *
      factors; // By loop-carried value: which operand of its multiplication is the factor, plus 1; 0: it is no sum.
  Op **products; // By loop-carried value: that multiplication.
} Deferral;

static ScaleKind kind_of(const Deferral *d, const Value *value) { return (ScaleKind)d->kinds[value->id]; }

static bool is_spread(const Op *op) { return op_has(op, SPREADS) || op->kind == OP_CONVERT_LAYOUT; }

// Returns true if the op, or an op inside it, takes a value that depends on the maximum.
static bool takes_scaled(const Deferral *d, const Op *op) {
  for (OpWalk w = ops_of(op); ops_next(&w);)
    for (uint32_t i = 0; i < w.op->operand_count; i++)
      if (kind_of(d, op_operand(w.op, i)) != SCALE_NONE) return true;
  return false;
}

static bool adds(const Op *reduce) {
  const Region *body = reduce->regions[0];
  const Op *add = body->first;
  return reduce->operand_count == 1 && add->kind == OP_ADD && add->next == body->last &&
         op_operand(body->last, 0) == op_result(add) && op_operand(add, 0) != op_operand(add, 1) &&
         !op_operand(add, 0)->def && !op_operand(add, 1)->def;
}

static bool is_zero(const Value *value) {
  double constant;
  return value_float_constant(value, &constant) && constant == 0;
}

// --- the kinds of results

static ScaleKind kind_of_difference(ScaleKind a, ScaleKind b) {
  if (b == SCALE_NEW_TOP)
    return a == SCALE_NONE ? SCALE_BELOW : a == SCALE_OLD_TOP ? SCALE_STEP : SCALE_OTHER;
  return a == SCALE_NEW_SUM && b == SCALE_NEW_SUM ? SCALE_NEW_SUM : SCALE_OTHER;
}

static ScaleKind kind_of_product(Deferral *d, Op *op, ScaleKind a, ScaleKind b) {
  if (a == SCALE_NEW_SUM || b == SCALE_NEW_SUM)
    return a == SCALE_NONE || b == SCALE_NONE ? SCALE_NEW_SUM : SCALE_OTHER;
  uint32_t factor = b == SCALE_FACTOR;
  const Value *sum = value_before(op_operand(op, 1 - factor), OP_TMEM_LOAD);
  if ((factor ? a : b) != SCALE_OLD_SUM || (factor ? b : a) != SCALE_FACTOR || sum->def) return SCALE_OTHER;
  uint32_t carried = sum->index - 1;
  if (d->products[carried]) return SCALE_OTHER;
  d->products[carried] = op;
  d->factors[carried] = factor + 1;
  return SCALE_NEW_SUM;
}

static bool is_natural(MathFunction function) { return function == MATH_exp || function == MATH_exp_approx; }

static ScaleKind kind_of_power(Deferral *d, const Op *op, ScaleKind a) {
  MathFunction function;
  if (!math_of(op, &function) || (function != MATH_exp2 && !is_natural(function))) return SCALE_OTHER;
  if (d->function != MATH_COUNT && d->function != function) return SCALE_OTHER;
  d->function = function;
  if (a != SCALE_STEP) return a == SCALE_BELOW ? SCALE_NEW_SUM : SCALE_OTHER;
  if (d->power && d->power != op) return SCALE_OTHER;
  d->power = op;
  return SCALE_FACTOR;
}

static ScaleKind kind_of_dot(const Deferral *d, const Op *op) {
  ScaleKind a = kind_of(d, op_operand(op, 0)), b = kind_of(d, op_operand(op, 1)),
            sum = kind_of(d, op_operand(op, 2));
  bool fresh = op->operand_count > 3 && kind_of(d, op_operand(op, 3)) != SCALE_NONE;
  bool linear = (a == SCALE_NEW_SUM && b == SCALE_NONE) || (a == SCALE_NONE && b == SCALE_NEW_SUM);
  return linear && !fresh && (sum == SCALE_NEW_SUM || is_zero(op_operand(op, 2))) ? SCALE_NEW_SUM
                                                                                  : SCALE_OTHER;
}

static ScaleKind kind_of_choice(const Deferral *d, const Op *op) {
  for (uint32_t i = 1; i < 3; i++)
    if (kind_of(d, op_operand(op, i)) != SCALE_NEW_SUM && !is_zero(op_operand(op, i))) return SCALE_OTHER;
  return kind_of(d, op_operand(op, 0)) == SCALE_NONE ? SCALE_NEW_SUM : SCALE_OTHER;
}

// --- how large they are

// True if no difference from the new maximum is above 0. May set d->sign.
static bool is_below_maximum(Deferral *d, const Op *sub) {
  const Value *top = op_operand(sub, 1);
  int64_t axis = -1;
  for (; is_spread(top->def); top = op_operand(top->def, 0))
    if (top->def->kind == OP_EXPAND_DIMS) {
      if (axis >= 0) return false;
      axis = op_int(top->def, ATTR_AXIS, 0);
    }
  Value *sign;
  if (!maximum_bounds(top, op_operand(sub, 0), axis, &sign)) return false;
  if (!sign) return true;
  if (value_is_within(sign, d->loop) || (d->sign && d->sign != sign)) return false;
  d->sign = sign;
  return true;
}

static double most_of(const Deferral *d, const Value *value) {
  ScaleKind kind = kind_of(d, value);
  return kind == SCALE_NONE ? float_range_most(float_range(value)) : d->most[value->id];
}

// The largest absolute value of a result if no power is above 1.
static double most_of_result(Deferral *d, const Op *op, ScaleKind kind) {
  const Value *x = op_operand(op, 0), *y = op_operand(op, 1);
  switch ((int)op->kind) {
  case OP_SUB:
    if (kind == SCALE_BELOW) return is_below_maximum(d, op) ? 1 : INFINITY;
    return most_of(d, x) + most_of(d, y);
  case OP_ADD: return most_of(d, x) + most_of(d, y);
  case OP_MUL: return most_of(d, x) * most_of(d, y);
  case OP_SELECT: return fmax(most_of(d, y), most_of(d, op_operand(op, 2)));
  case OP_REDUCE: return most_of(d, x) * x->type->shape[op_int(op, ATTR_AXIS, 0)];
  case OP_DOT: return INFINITY;
  default: return most_of(d, x);
  }
}

// Lowers the bound to the room that the sum's type has.
static void bound_growth(Deferral *d, const Value *sum) {
  Elem elem = type_element(sum->type)->elem;
  double most = d->most[sum->id] * MARGIN;
  bool narrow = elem == ELEM_FP16 || elem == ELEM_FP8E4NV || elem == ELEM_FP8E5;
  int room = TUNE_DEFERRED_GROWTH;
  if (isfinite(most) && elem != ELEM_FP8E4NV && elem != ELEM_FP8E5)
    room = (int)fmax(floor(log2(number_max(elem) / fmax(most, 1))), 0);
  else if (narrow)
    room = 0;
  d->needs_sign |= narrow || room < TUNE_DEFERRED_GROWTH;
  if (room >= d->growth) return;
  d->growth = room;
  d->narrow = elem;
}

static void note_carried_sum(Deferral *d, const Value *sum) {
  d->kinds[sum->id] = SCALE_OLD_SUM;
  d->most[sum->id] = INFINITY;
  if (elem_is_float(type_element(sum->type)->elem)) bound_growth(d, sum);
}

static void note_size(Deferral *d, const Op *op, ScaleKind kind) {
  const Value *result = op_result(op);
  double most = most_of_result(d, op, kind);
  d->most[result->id] = isnan(most) ? INFINITY : most;
  if (kind == SCALE_NEW_SUM) bound_growth(d, result);
}

// --- accepted loops

// For an op that takes a value that depends on the maximum.
static ScaleKind kind_of_result(Deferral *d, Op *op) {
  ScaleKind a = kind_of(d, op_operand(op, 0)),
            b = op->operand_count > 1 ? kind_of(d, op_operand(op, 1)) : SCALE_NONE;
  if (op == d->max) return SCALE_NEW_TOP;
  if (is_spread(op)) return a == SCALE_FACTOR && op_scratch(op) ? SCALE_OTHER : a;
  switch ((int)op->kind) {
  case OP_SUB: return kind_of_difference(a, b);
  case OP_ADD: return a == SCALE_NEW_SUM && b == SCALE_NEW_SUM ? SCALE_NEW_SUM : SCALE_OTHER;
  case OP_MUL: return kind_of_product(d, op, a, b);
  case OP_MATH: return kind_of_power(d, op, a);
  case OP_DOT: return kind_of_dot(d, op);
  case OP_SELECT: return kind_of_choice(d, op);
  case OP_NEG: return a == SCALE_NEW_SUM ? a : SCALE_OTHER;
  case OP_CAST:
    return a == SCALE_NEW_SUM && type_is_float(type_element(op_result(op)->type)) ? a : SCALE_OTHER;
  case OP_REDUCE: return a == SCALE_NEW_SUM && adds(op) ? a : SCALE_OTHER;
  case OP_DOT_WAIT: return op->operand_count == 1 && a == SCALE_NEW_SUM ? a : SCALE_OTHER;
  case OP_TMEM_LOAD: return a == SCALE_OLD_SUM ? a : SCALE_OTHER;
  case OP_TMEM_STORE: return a == SCALE_NEW_SUM && (b == SCALE_OLD_SUM || b == SCALE_NONE) ? a : SCALE_OTHER;
  default: return SCALE_OTHER;
  }
}

// A dot's operand on its way through a buffer of the iteration.
static bool note_stored(Deferral *d, const Op *op) {
  const Value *value = op_operand(op, 0), *buffer = op->operand_count > 1 ? op_operand(op, 1) : NULL;
  if (op->kind != OP_SHARED_STORE || kind_of(d, value) != SCALE_NEW_SUM || !buffer->def ||
      buffer->def->region != op->region)
    return false;
  d->kinds[buffer->id] = SCALE_NEW_SUM;
  d->most[buffer->id] = d->most[value->id];
  return true;
}

// Returns true if every value that depends on the maximum scales.
static bool all_scale(Deferral *d) {
  const Region *body = d->loop->regions[0];
  for (Op *op = body->first; op != body->last; op = op->next) {
    if (!takes_scaled(d, op) || note_stored(d, op)) continue;
    ScaleKind kind = op->result_count == 1 ? kind_of_result(d, op) : SCALE_OTHER;
    if (kind == SCALE_OTHER) return false;
    d->kinds[op_result(op)->id] = (uint8_t)kind;
    note_size(d, op, kind);
  }
  for (uint32_t i = 0; i < d->loop->result_count; i++) {
    ScaleKind carried = kind_of(d, loop_carried(d->loop, i)), yielded = kind_of(d, loop_yielded(d->loop, i));
    bool right = carried == SCALE_OLD_TOP   ? i == d->top && yielded == SCALE_NEW_TOP
                 : carried == SCALE_OLD_SUM ? yielded == SCALE_NEW_SUM && d->products[i]
                                            : yielded == SCALE_NONE;
    if (!right) return false;
  }
  return d->power != NULL;
}

// --- the maximum

static bool is_running_maximum(const Op *loop, uint32_t i) {
  const Value *carried = loop_carried(loop, i);
  const Op *max = loop_yielded(loop, i)->def;
  return max && max->kind == OP_MAX && max->region == loop->regions[0] && type_is_tile(carried->type) &&
         type_is_elem(carried->type, ELEM_FP32) &&
         (op_operand(max, 0) == carried) != (op_operand(max, 1) == carried);
}

static bool find_scaled(Deferral *d, uint32_t top) {
  Arena *arena = d->context->scratch;
  uint32_t carried = d->loop->result_count;
  d->top = top;
  d->max = loop_yielded(d->loop, top)->def;
  d->power = NULL;
  d->function = MATH_COUNT;
  d->growth = TUNE_DEFERRED_GROWTH;
  d->sign = NULL;
  d->needs_sign = false;
  d->kinds = ARENA_ARRAY(arena, uint8_t, d->func->value_count);
  d->most = ARENA_ARRAY(arena, double, d->func->value_count);
  d->factors = ARENA_ARRAY(arena, uint32_t, carried);
  d->products = ARENA_ARRAY(arena, Op *, carried);
  const uint8_t *marks = loop_hangs_on(arena, d->func, d->loop, d->max);
  for (uint32_t i = 0; i < carried; i++)
    if (marks[loop_carried(d->loop, i)->id] && i != top) note_carried_sum(d, loop_carried(d->loop, i));
  d->kinds[loop_carried(d->loop, top)->id] = SCALE_OLD_TOP;
  return all_scale(d);
}

// --- the loop

// Adds a loop-carried value that nothing yields yet.
static Op *add_carried(Deferral *d, Value *init) {
  uint32_t carried = d->loop->result_count;
  Value **inits = loop_inits(d->context->scratch, d->loop, 1);
  inits[carried] = init;
  return d->loop = loop_with_inits(d->loop, carried + 1, inits);
}

// The bound of a row's growth. If it depends on a sign, it is chosen before the loop.
static Value *build_bound(const Deferral *d, Builder *b, const Type *type, double bound) {
  if (!d->sign || !d->needs_sign) return build_float(b, type, bound);
  Builder before = builder_before(d->loop);
  before.loc = b->loc;
  const Type *scalar = type_element(type);
  Value *right = build_binary(&before, OP_GE, d->sign, build_float(&before, d->sign->type, 0));
  Value *yes = build_float(&before, scalar, bound), *no = build_float(&before, scalar, 0);
  return build_splat(b, build(&before, OP_SELECT, scalar, right, yes, no), type);
}

// The new maximum replaces the old one only if it is far above it. Returns the additional loop-carried value.
static Value *defer_maximum(Deferral *d) {
  Op *max = d->max, *loop = d->loop;
  Value *old = loop_carried(loop, d->top), *top = loop_carried(loop, loop->result_count - 1),
        *new = op_result(max);
  Value *row = op_operand(max, op_operand(max, 0) == old);
  Builder b = builder_after(max);
  double limit = d->growth * (is_natural(d->function) ? LN2 : 1);
  Value *growth = build_binary(&b, OP_SUB, new, old), *bound = build_bound(d, &b, old->type, limit);
  Value *outgrown = build_binary(&b, OP_GT, growth, bound);
  Value *chosen = build(&b, OP_SELECT, old->type, outgrown, new, old);
  value_replace_uses(new, chosen);
  op_set_operand(growth->def, 0, new);
  op_set_operand(chosen->def, 1, new);
  return build_binary(&b, OP_MAX, top, row);
}

// Spreads another factor as the factor is spread.
static Value *spread_again(Builder *b, CloneMap *map, const Op *power, Value *value) {
  if (value->def == power || map->at[value->id]) return clone_get(map, value);
  spread_again(b, map, power, op_operand(value->def, 0));
  return op_result(op_clone(b, value->def, map));
}

// Sums in tensor memory as a tile after the loop. A loop that continues with them gets the scaled ones.
static Value *tile_of(Builder *b, const Deferral *d, uint32_t i) {
  Value *sum = &d->loop->results[i];
  if (sum->type->kind != TYPE_TMEM) return sum;
  Op *user = value_single_use(sum)->user;
  if (user->kind == OP_TMEM_LOAD) {
    *b = builder_after(user);
    return op_result(user);
  }
  Value *tile = build(b, OP_TMEM_LOAD, op_result(d->products[i])->type, sum, NULL, NULL);
  Value *state = build(b, OP_TMEM_STORE, sum->type, tile, sum, NULL);
  build_op(b, OP_BARRIER, 0, NULL, 0, NULL);
  value_replace_uses(sum, state);
  op_set_operand(tile->def, 0, sum);
  op_set_operand(state->def, 1, sum);
  *b = builder_after(tile->def);
  return tile;
}

// After the loop: scales the results to be relative to the maximum itself.
static void scale_results(Deferral *d, uint32_t count) {
  Op *loop = d->loop;
  Builder b = builder_after(loop);
  CloneMap map = clone_map_new(d->context->scratch, d->func);
  Value *reference = &loop->results[d->top], *top = &loop->results[count];
  Value *behind = build_binary(&b, OP_SUB, reference, top);
  Op *power = op_clone(&b, d->power, &map);
  op_set_operand(power, 0, behind);
  Value *equal = build_binary(&b, OP_EQ, reference, top), *one = build_float(&b, top->type, 1);
  Value *factor = build(&b, OP_SELECT, top->type, equal, one, op_result(power));
  clone_set(&map, op_result(d->power), factor);
  for (uint32_t i = 0; i < count; i++) {
    Value *sum = &loop->results[i];
    if (!d->products[i] || value_unused(sum)) continue;
    Value *by = spread_again(&b, &map, d->power, op_operand(d->products[i], d->factors[i] - 1));
    Builder at = b;
    sum = tile_of(&at, d, i);
    Value *scaled = build_binary(&at, OP_MUL, sum, by);
    value_replace_uses(sum, scaled);
    op_set_operand(scaled->def, 0, sum);
  }
  value_replace_uses(reference, top);
  op_set_operand(behind->def, 0, reference);
  op_set_operand(equal->def, 0, reference);
}

// Large multiplications run only in warps that need them. False if there are none.
static bool skip_products(const Deferral *d, uint32_t count) {
  bool changed = false;
  for (uint32_t i = 0; i < count; i++) {
    Op *op = d->products[i];
    if (!op || tile_words(op_result(op)->type) < TUNE_DEFERRED_SUMS ||
        !type_is_elem(op_result(op)->type, ELEM_FP32))
      continue;
    Builder b = builder_before(op);
    uint32_t factor = d->factors[i] - 1;
    Value *by = op_operand(op, factor), *sum = op_operand(op, 1 - factor);
    value_replace_uses(op_result(op), build_binary(&b, OP_RESCALE, sum, by));
    op_erase(op);
    changed = true;
  }
  return changed;
}

static void remark(const Deferral *d, bool skips) {
  Diags *diags = d->context->diags;
  Loc loc = d->power->loc;
  const char *narrow = elem_info(d->narrow)->name;
  if (d->growth == TUNE_DEFERRED_GROWTH)
    diag_remark(diags, loc, "lazy_rescale",
                "sums are rescaled only where a row's maximum has grown by a factor of more than 2^%d",
                d->growth);
  else if (d->growth > 0)
    diag_remark(diags, loc, "lazy_rescale",
                "sums are rescaled only where a row's maximum has grown by a factor of more than 2^%d: in %s "
                "2^%d would overflow",
                d->growth, narrow, TUNE_DEFERRED_GROWTH);
  else
    diag_remark(diags, loc, "lazy_rescale", "sums are rescaled %s: larger powers may overflow %s",
                skips ? "where a row's maximum has grown" : "in each iteration", narrow);
}

static bool defer(Deferral *d) {
  uint32_t count = d->loop->result_count;
  if (d->growth > 0) {
    add_carried(d, loop_init(d->loop, d->top));
    Value *top = defer_maximum(d);
    op_add_operand(d->loop->regions[0]->last, top);
    scale_results(d, count);
  }
  bool skips = skip_products(d, count);
  remark(d, skips);
  return skips || d->growth > 0;
}

static bool rescale_lazily(PassContext *context, Func *func, Op *loop) {
  Deferral d = {.context = context, .func = func, .loop = loop};
  func_number(func);
  uint32_t top = 0;
  while (top < loop->result_count && !(is_running_maximum(loop, top) && find_scaled(&d, top))) top++;
  if (top < loop->result_count) return defer(&d);
  diag_remark(context->diags, loop->loc, "lazy_rescale",
              "sums are rescaled in each iteration: they are not linear in powers of a running maximum");
  return false;
}

// Returns true if the body reads sums that the loop carries in tensor memory.
static bool rescales_tmem(const Op *loop) {
  for (const Op *op = loop->kind == OP_FOR ? loop->regions[0]->first : NULL; op; op = op->next)
    if (op->kind == OP_TMEM_LOAD && !op_operand(op, 0)->def && op_operand(op, 0)->region == op->region)
      return true;
  return false;
}

bool pass_lazy_rescale(PassContext *context, Func *func) {
  VEC(Op *) loops = {0};
  Factorer f = {.context = context, .func = func};
  bool changed = false;
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (op_attr(w.op, ATTR_OVERLAPPED) || rescales_tmem(w.op)) vec_push(context->scratch, &loops, w.op);
  for (uint32_t i = 0; i < loops.n; i++) {
    factor_maxima(&f, loops.at[i]);
    changed |= rescale_lazily(context, func, loops.at[i]);
  }
  return changed || f.changed;
}
