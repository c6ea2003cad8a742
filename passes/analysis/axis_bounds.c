// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Upper bounds of non-negative integers. We assume nothing. If the largest possible sum or multiple does not fit the
// type, it may have wrapped. An unsigned result can then be any number. Nothing is known about a signed one.
#include "passes/analysis/axis_bounds.h"
#include "base/integer.h"

// The upper bound of a non-negative result. If `holds` is false, nothing is known.
typedef struct Bound {
  bool holds;
  uint64_t most;
} Bound;

static const Bound unbounded = {false, 0};
static Bound at_most(uint64_t most) { return (Bound){true, most}; }

uint64_t axis_greatest(const Type *integer) {
  uint32_t bits = elem_info(integer->elem)->bits - elem_is_signed(integer->elem);
  return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint64_t all_ones(uint64_t most) { return most ? (UINT64_C(2) << log2_floor(most)) - 1 : 0; }

static Bound sum(Bound a, Bound b) {
  uint64_t most;
  if (!a.holds || !b.holds || __builtin_add_overflow(a.most, b.most, &most)) return unbounded;
  return at_most(most);
}

static Bound product(Bound a, Bound b) {
  uint64_t most;
  if (!a.holds || !b.holds || __builtin_mul_overflow(a.most, b.most, &most)) return unbounded;
  return at_most(most);
}

static Bound quotient(Bound a, Bound b, const AxisInfo *by) {
  if (!a.holds || !b.holds) return unbounded;
  return at_most(by->known && by->constant > 0 ? a.most / (uint64_t)by->constant : a.most);
}

// The remainder has the dividend's sign and a smaller absolute value than the divisor.
static Bound remainder_of(Bound a, Bound b) {
  if (!a.holds) return unbounded;
  return at_most(b.holds && b.most > 0 ? min_u64(a.most, b.most - 1) : a.most);
}

static Bound shifted(Bound a, const AxisInfo *by, bool left) {
  if (!a.holds || (left && !by->known)) return unbounded;
  if (!by->known || by->constant < 0 || by->constant > 63) return left ? unbounded : a;
  if (!left) return at_most(a.most >> by->constant);
  return a.most > UINT64_MAX >> by->constant ? unbounded : at_most(a.most << by->constant);
}

static Bound least(Bound a, Bound b) {
  return a.holds && b.holds ? at_most(min_u64(a.most, b.most)) : unbounded;
}
static Bound greatest(Bound a, Bound b) {
  return a.holds && b.holds ? at_most(max_u64(a.most, b.most)) : unbounded;
}
static Bound bits_of(Bound a, Bound b) {
  return a.holds && b.holds ? at_most(all_ones(a.most | b.most)) : unbounded;
}

// For a non-negative number and one that may be negative.
static Bound common_bits(Bound a, Bound b) {
  if (a.holds && b.holds) return least(a, b);
  return a.holds ? a : b;
}

static Bound bound_of(const Op *op, const AxisInfo *const in[3], uint64_t limit) {
  Bound x[3] = {unbounded, unbounded, unbounded};
  for (uint32_t i = 0; i < 3 && in[i]; i++) x[i] = (Bound){in[i]->nonnegative, in[i]->most};
  switch ((int)op->kind) {
  case OP_ADD: return sum(x[0], x[1]);
  case OP_MUL: return product(x[0], x[1]);
  case OP_DIV: return quotient(x[0], x[1], in[1]);
  case OP_REM: return remainder_of(x[0], x[1]);
  case OP_SHL: return shifted(x[0], in[1], true);
  case OP_SHR: return shifted(x[0], in[1], false);
  case OP_AND: return common_bits(x[0], x[1]);
  case OP_OR:
  case OP_XOR: return bits_of(x[0], x[1]);
  case OP_MIN: return least(x[0], x[1]);
  case OP_MAX: // At least the non-negative operand, whatever the other one is.
    return x[0].holds && x[1].holds   ? greatest(x[0], x[1])
           : x[0].holds || x[1].holds ? at_most(limit)
                                      : unbounded;
  case OP_SELECT: return greatest(x[1], x[2]);
  case OP_HINT: return x[0].holds || !op_attr(op, ATTR_NONNEGATIVE) ? x[0] : at_most(limit);
  case OP_CAST: return type_is_int(op_operand(op, 0)->type) ? x[0] : unbounded;
  default: return unbounded;
  }
}

void axis_set_bounds(const Op *op, const AxisInfo *const in[3], AxisInfo *out) {
  const Type *integer = type_element(op_result(op)->type);
  uint64_t limit = axis_greatest(integer);
  Bound bound = bound_of(op, in, limit);
  bool fits = bound.holds && bound.most <= limit;
  out->nonnegative = !elem_is_signed(integer->elem) || fits;
  out->most = fits ? bound.most : limit;
}
