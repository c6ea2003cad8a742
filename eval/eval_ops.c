// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise ops of the evaluator, except memory accesses. An undefined operand makes the result's element
// undefined, with two exceptions. A select ignores the side it does not choose. A 0 decides an `and`, and all
// ones decide an `or`: `in_range | ~mask` asserts nothing about masked-out elements.
#include <math.h>
#include "base/fault.h"
#include "eval/eval_machine.h"
#include "ir/number.h"

// b == 0 gives no value. The only quotient that does not fit wraps to the dividend.
static uint64_t int_divide(OpKind kind, Elem elem, uint64_t a, uint64_t b, uint8_t *state) {
  bool quotient = kind == OP_DIV;
  if (b == 0) {
    *state |= UNDEFINED;
    return 0;
  }
  if (!elem_is_signed(elem)) return quotient ? a / b : a % b;
  if ((int64_t)b == -1) return quotient ? number_wrap(elem, 0 - a) : 0;
  int64_t result = quotient ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b;
  return (uint64_t)result;
}

// The count is unsigned in the type's width, even for signed types.
static uint64_t int_shift(OpKind kind, Elem elem, uint64_t a, uint64_t b) {
  uint32_t width = elem_info(elem)->bits;
  uint64_t count = width == 64 ? b : b & (((uint64_t)1 << width) - 1);
  bool negative = elem_is_signed(elem) && a >> 63;
  if (count >= width) return kind == OP_SHR && negative ? UINT64_MAX : 0;
  if (kind == OP_SHL) return number_wrap(elem, a << count);
  return negative ? ~(~a >> count) : a >> count;
}

static int int_order(ElemCode code, uint64_t a, uint64_t b) {
  if (code != CODE_POINTER && elem_is_signed((Elem)code))
    return (int64_t)a < (int64_t)b ? -1 : (int64_t)a > (int64_t)b;
  return a < b ? -1 : a > b;
}

// Multiplies two unsigned 64-bit numbers.
static uint64_t upper_half(uint64_t a, uint64_t b) {
  uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
  uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & UINT32_MAX);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

static uint64_t int_mulhi(Elem elem, uint64_t a, uint64_t b) {
  uint32_t width = elem_info(elem)->bits;
  bool is_signed = elem_is_signed(elem);
  if (width < 64) return number_wrap(elem, is_signed && a * b >> 63 ? ~(~(a * b) >> width) : a * b >> width);
  uint64_t upper = upper_half(a, b);
  if (is_signed) upper -= (a >> 63 ? b : 0) + (b >> 63 ? a : 0);
  return upper;
}

static uint64_t int_binary(OpKind kind, Elem elem, uint64_t a, uint64_t b, uint8_t *state) {
  switch ((int)kind) {
  case OP_ADD: return number_wrap(elem, a + b);
  case OP_SUB: return number_wrap(elem, a - b);
  case OP_MUL: return number_wrap(elem, a * b);
  case OP_DIV:
  case OP_REM: return int_divide(kind, elem, a, b, state);
  case OP_AND: return a & b;
  case OP_OR: return a | b;
  case OP_XOR: return a ^ b;
  case OP_SHL:
  case OP_SHR: return int_shift(kind, elem, a, b);
  case OP_MULHI: return int_mulhi(elem, a, b);
  case OP_MIN: return int_order(elem, a, b) < 0 ? a : b;
  case OP_MAX: return int_order(elem, a, b) > 0 ? a : b;
  default: BUG("%s is no operation of two integers", op_info(kind)->name);
  }
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
  x.bits = int_binary(kind, (Elem)code, a->bits, b->bits, &x.state);
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
    if (is_float)
      z = eval_float_compare(kind, (Elem)a->code, &x, &y);
    else
      z = (Element){.bits = eval_holds(kind, int_order(a->code, x.bits, y.bits)), .state = x.state | y.state};
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
