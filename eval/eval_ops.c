// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise ops of the evaluator, except memory accesses. An undefined operand makes the result's element
// undefined, with two exceptions. A select ignores the side it does not choose. A 0 decides an `and`, and all
// ones decide an `or`: `in_range | ~mask` asserts nothing about masked-out elements.
#include <math.h>
#include "base/fault.h"
#include "eval/eval_machine.h"
#include "ir/fold_number.h"
#include "ir/number.h"

// Pointers are ordered as unsigned integers.
static uint64_t int_binary(OpKind kind, ElemCode code, uint64_t a, uint64_t b, uint8_t *state) {
  int64_t result = 0;
  Elem elem = code == CODE_POINTER ? ELEM_U64 : (Elem)code;
  if (fold_int(kind, elem, (int64_t)a, (int64_t)b, &result)) return (uint64_t)result;
  if (kind != OP_DIV && kind != OP_REM) BUG("%s is not an operation of two integers", op_info(kind)->name);
  *state |= UNDEFINED; // a division by 0
  return 0;
}

// Returns true if `x` by itself decides the result.
static bool decides_alone(OpKind kind, Elem elem, const Element *x) {
  if (x->state & (UNDEFINED | UNCERTAIN)) return false;
  return (kind == OP_AND && x->bits == 0) || (kind == OP_OR && x->bits == number_wrap(elem, UINT64_MAX));
}

Element eval_binary(OpKind kind, ElemCode code, const Element *a, const Element *b) {
  if (eval_code_is_float(code)) return eval_float_binary(kind, (Elem)code, a, b);
  if (decides_alone(kind, (Elem)code, a)) return *a;
  if (decides_alone(kind, (Elem)code, b)) return *b;
  Element x = {.state = a->state | b->state};
  x.bits = int_binary(kind, code, a->bits, b->bits, &x.state);
  return x;
}

// A dot result that is added to something: with any order of summation, the other term takes part in each of
// its roundings.
static Element add_product(Elem elem, const Element *x, const Element *y, double x_ulps, double y_ulps) {
  Element z = eval_float_binary(OP_ADD, elem, x, y);
  if (isfinite(z.r) && isfinite(number_decode(elem, z.bits)))
    z.e += eval_rounding(elem, y->r, x_ulps) + eval_rounding(elem, x->r, y_ulps);
  return z;
}

static bool all_ones(const Tile *t) {
  uint64_t one = number_encode((Elem)t->code, 1);
  uint32_t i = 0;
  while (i < t->n && t->bits[i] == one) i++;
  return i == t->n;
}

// x * 1.0 and x / 1.0 become x.
static double scaled_sum_ulps(OpKind kind, const Tile *a, const Tile *b) {
  if (a->sum_ulps > 0 && (kind == OP_MUL || kind == OP_DIV) && all_ones(b)) return a->sum_ulps;
  return b->sum_ulps > 0 && kind == OP_MUL && all_ones(a) ? b->sum_ulps : 0;
}

static void run_binary(OpKind kind, const Tile *a, const Tile *b, Tile *to) {
  bool product = kind == OP_ADD && (a->sum_ulps > 0 || b->sum_ulps > 0);
  for (uint32_t i = 0; i < to->n; i++) {
    Element x = tile_get(a, i), y = tile_get(b, i);
    Element z = product ? add_product((Elem)to->code, &x, &y, a->sum_ulps, b->sum_ulps)
                        : eval_binary(kind, to->code, &x, &y);
    tile_set(to, i, &z);
  }
  to->sum_ulps = scaled_sum_ulps(kind, a, b);
}

static void run_fma(const Tile *a, const Tile *b, const Tile *c, Tile *to) {
  for (uint32_t i = 0; i < to->n; i++) {
    Element x = tile_get(a, i), y = tile_get(b, i), z = tile_get(c, i);
    x = eval_float_fma((Elem)to->code, &x, &y, &z);
    tile_set(to, i, &x);
  }
}

static void run_negate(const Tile *a, Tile *to) {
  bool is_float = eval_code_is_float(to->code);
  for (uint32_t i = 0; i < to->n; i++) {
    Element x = tile_get(a, i);
    if (is_float)
      x = eval_float_negate((Elem)to->code, &x);
    else
      x.bits = number_wrap((Elem)to->code, 0 - x.bits);
    tile_set(to, i, &x);
  }
}

static void run_copy(const Tile *a, Tile *to) {
  for (uint32_t i = 0; i < to->n; i++) {
    Element x = tile_get(a, i);
    tile_set(to, i, &x);
  }
}

static void run_compare(OpKind kind, const Tile *a, const Tile *b, Tile *to) {
  bool is_float = eval_code_is_float(a->code);
  for (uint32_t i = 0; i < to->n; i++) {
    Element x = tile_get(a, i), y = tile_get(b, i), z;
    if (is_float) {
      z = eval_float_compare(kind, (Elem)a->code, &x, &y);
    } else {
      z = (Element){.state = x.state | y.state};
      z.bits = int_binary(kind, a->code, x.bits, y.bits, &z.state);
    }
    tile_set(to, i, &z);
  }
}

// An uncertain condition gives a certain result if both sides are equal.
static Element select_uncertain(const Element *chosen, const Element *other, ElemCode code) {
  Element x = *chosen;
  if (other->state & UNDEFINED)
    x.state |= UNCERTAIN | (other->state & UNREAD);
  else if (eval_code_is_float(code))
    x = eval_float_either(chosen, other);
  else if (chosen->bits != other->bits)
    x.state |= UNCERTAIN;
  x.state |= other->state & (UNCERTAIN | ASSEMBLED);
  return x;
}

// The condition may be one scalar for all elements.
static void run_select(const Tile *condition, const Tile *a, const Tile *b, Tile *to) {
  for (uint32_t i = 0; i < to->n; i++) {
    uint32_t at = condition->n == 1 ? 0 : i;
    bool holds = condition->bits[at];
    Element x = tile_get(holds ? a : b, i);
    if (condition->state[at] & UNCERTAIN && !(condition->state[at] & UNDEFINED)) {
      Element other = tile_get(holds ? b : a, i);
      x = select_uncertain(&x, &other, to->code);
      if (x.state & UNCERTAIN) x.state |= condition->state[at] & (UNREAD | ASSEMBLED);
    }
    x.state |= condition->state[at] & (UNDEFINED | UNREAD);
    tile_set(to, i, &x);
  }
}

static Element cast_element(ElemCode from, const Element *x, ElemCode to) {
  bool from_float = eval_code_is_float(from), to_float = eval_code_is_float(to);
  Elem source = from == CODE_POINTER ? ELEM_U64 : (Elem)from,
       target = to == CODE_POINTER ? ELEM_U64 : (Elem)to;
  if (from_float && to_float) return eval_float_cast(source, x, target);
  if (from_float) return eval_float_to_int(source, x, target);
  if (to_float) return eval_float_from_int(source, x, target);
  Element y = *x;
  y.bits = target == ELEM_I1 ? x->bits != 0 : number_wrap(target, x->bits);
  return y;
}

// If the bits of a float may differ between correct implementations, another type makes them uncertain.
static Element bitcast_element(ElemCode from, const Element *operand, ElemCode to) {
  const Element plain = eval_absorb(operand), *x = &plain;
  Elem target = to == CODE_POINTER ? ELEM_U64 : (Elem)to;
  if (from == to) return *operand;
  uint32_t bits = elem_info(target)->bits;
  Element y = {.bits = bits == 64 ? x->bits : x->bits & (((uint64_t)1 << bits) - 1)};
  y.state = x->state & STATE_MISSING;
  if (x->e > 0) y.state |= UNCERTAIN;
  if (eval_code_is_float(to))
    y.r = number_decode(target, y.bits);
  else
    y.bits = number_wrap(target, y.bits);
  return y;
}

static void run_conversion(OpKind kind, const Tile *a, Tile *to) {
  for (uint32_t i = 0; i < to->n; i++) {
    Element x = tile_get(a, i);
    Element y =
        kind == OP_CAST ? cast_element(a->code, &x, to->code) : bitcast_element(a->code, &x, to->code);
    tile_set(to, i, &y);
  }
}

bool eval_elementwise(Machine *m, Op *op) {
  Tile *to = eval_tile(m, op_result(op));
  const Tile *a = eval_operand(m, op, 0), *b = eval_operand(m, op, 1), *c = eval_operand(m, op, 2);
  if (op->kind == OP_SELECT)
    run_select(a, b, c, to);
  else if (op->kind == OP_CAST || op->kind == OP_BITCAST)
    run_conversion(op->kind, a, to);
  else if (op_has(op, COMPARE))
    run_compare(op->kind, a, b, to);
  else if (op->kind == OP_FMA)
    run_fma(a, b, c, to);
  else if (op->kind == OP_COPY || op->kind == OP_HINT)
    run_copy(a, to);
  else if (b)
    run_binary(op->kind == OP_RESCALE ? OP_MUL : op->kind, a, b, to);
  else
    run_negate(a, to);
  if (op->kind == OP_MAX) eval_common_begin(m, to);
  if (op->kind == OP_HINT) eval_hint(m, op, to);
  return true;
}
