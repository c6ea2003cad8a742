// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The distance between neighbours along a dimension, if the compiler can compute or guess it.
//
// Guesses. A number that is known only at run time is assumed larger than the steps of what it divides. So a quotient
// by it does not change, and a remainder counts on. Such a factor is assumed to be at least its known divisor. A
// loop-carried pointer or index has the strides of its initial value.
#include "base/integer.h"
#include "passes/analysis/axis_info.h"
#include "passes/analysis/axis_shape.h"
#include "ir/queries.h"

enum { MAX_STEPS = 96 }; // Expressions share operands, so the search is bounded.

typedef struct StrideSearch {
  const AxisTable *axes;
  uint32_t steps;
} StrideSearch;

static const AxisStride anywhere = {.at = AXIS_ANYWHERE};
static AxisStride known_stride(int64_t at) { return (AxisStride){.known = true, .at = at}; }
static int64_t size_of(int64_t at) { return at == INT64_MIN ? INT64_MAX : at < 0 ? -at : at; }

static AxisStride stride_of(StrideSearch *s, const Value *value, uint32_t dim);

// Multiplies by a known factor, or by one that has `unknown` factors known only at run time. `factor` is then a lower
// bound.
static AxisStride times(AxisStride x, int64_t factor, uint32_t unknown) {
  AxisStride product = {.known = x.known && (!unknown || x.at == 0)};
  if (!x.known && x.at == AXIS_ANYWHERE) return anywhere;
  if (__builtin_mul_overflow(x.at, factor, &product.at)) return anywhere;
  if (product.known) return product;
  product.at = size_of(product.at);
  product.factors = x.factors + unknown;
  return product;
}

// The stride of a sum. If both are unknown, it is the larger one.
static AxisStride plus(AxisStride x, AxisStride y) {
  AxisStride sum = {.known = x.known && y.known};
  if (sum.known) return __builtin_add_overflow(x.at, y.at, &sum.at) ? anywhere : sum;
  if (x.known || y.known) return x.known ? y : x;
  return x.at > y.at ? x : y;
}

// One of two values (min, max, select). A bound that is constant does not matter.
static AxisStride either(AxisStride x, AxisStride y) {
  if (y.known && (y.at == 0 || (x.known && x.at == y.at))) return x;
  return x.known && x.at == 0 ? y : anywhere;
}

static bool stays(AxisStride stride) { return stride.known && stride.at == 0; }

// How many numbers known only at run time the factor is a product of. The factor is the same for all elements.
static uint32_t factors_of(StrideSearch *s, const Value *factor) {
  const Op *op = factor->def;
  if (!op || s->steps == 0) return 1;
  s->steps--;
  if (op_has(op, SPREADS)) return factors_of(s, op_operand(op, 0));
  switch ((int)op->kind) {
  case OP_CONSTANT: return 0;
  case OP_CAST: return factors_of(s, op_operand(op, 0));
  case OP_MUL: return factors_of(s, op_operand(op, 0)) + factors_of(s, op_operand(op, 1));
  default: return 1;
  }
}

static AxisStride stride_of_product(StrideSearch *s, const Op *op, uint32_t dim) {
  const Value *x = op_operand(op, 0), *by = op_operand(op, 1);
  AxisStride of = stride_of(s, x, dim), other = stride_of(s, by, dim);
  if (stays(of)) {
    const Value *swap = x;
    x = by, by = swap;
    of = other, other = known_stride(0);
  }
  if (!stays(other)) return anywhere;
  const AxisInfo *factor = axis_info(s->axes, by);
  if (factor->known) return times(of, factor->constant, 0);
  if (type_is_float(by->type)) return anywhere;
  uint64_t divisor = axis_divisor(s->axes, by, type_is_tile(by->type) ? dim : 0, 1);
  uint32_t unknown = factors_of(s, by);
  return times(of, (int64_t)min_u64(divisor, INT32_MAX), unknown ? unknown : 1);
}

static AxisStride stride_of_sum(StrideSearch *s, const Op *op, uint32_t dim, int64_t unit) {
  AxisStride x = stride_of(s, op_operand(op, 0), dim);
  return plus(x, times(stride_of(s, op_operand(op, 1), dim), unit, 0));
}

// `by` elements of the dividend have one quotient. So neighbours are equal, unless `by` is small.
static AxisStride quotient(AxisStride x, int64_t by) {
  enum { FEW = 8 };
  if (!x.known || by == 0) return anywhere;
  if (x.at % by == 0) return known_stride(x.at / by);
  return size_of(by) / FEW >= size_of(x.at) ? known_stride(0) : anywhere;
}

static AxisStride stride_of_quotient(StrideSearch *s, const Op *op, uint32_t dim, bool remainder) {
  const Value *by = op_operand(op, 1);
  AxisStride x = stride_of(s, op_operand(op, 0), dim);
  if (!stays(stride_of(s, by, dim)) || type_is_float(by->type)) return anywhere;
  const AxisInfo *divisor = axis_info(s->axes, by);
  if (remainder)
    return x.known && divisor->known && size_of(x.at) >= size_of(divisor->constant) ? anywhere : x;
  if (divisor->known) return quotient(x, divisor->constant);
  return x.known ? known_stride(0) : anywhere;
}

static AxisStride stride_of_shift(StrideSearch *s, const Op *op, uint32_t dim) {
  const AxisInfo *by = axis_info(s->axes, op_operand(op, 1));
  if (!by->known || by->constant < 0 || by->constant > 31) return anywhere;
  AxisStride x = stride_of(s, op_operand(op, 0), dim);
  int64_t factor = INT64_C(1) << by->constant;
  return op->kind == OP_SHL ? times(x, factor, 0) : quotient(x, factor);
}

// The high bits are cleared: a remainder.
static AxisStride stride_of_bits(StrideSearch *s, const Op *op, uint32_t dim) {
  const AxisInfo *mask = axis_info(s->axes, op_operand(op, 1));
  bool low = mask->known && mask->constant > 0 && is_power_of_two((uint64_t)mask->constant + 1);
  return low ? stride_of(s, op_operand(op, 0), dim) : anywhere;
}

static AxisStride stride_of_op(StrideSearch *s, const Op *op, uint32_t dim) {
  const Type *inner = type_element(op_result(op)->type);
  if (op_has(op, VIEW) && op->kind != OP_RESHAPE)
    return stride_of(s, op_operand(op, 0), axis_dim_behind(op, dim));
  switch ((int)op->kind) {
  case OP_ADD:
  case OP_SUB: return stride_of_sum(s, op, dim, op->kind == OP_SUB ? -1 : 1);
  case OP_ADDPTR: return stride_of_sum(s, op, dim, type_element_bytes(inner->inner));
  case OP_MUL: return stride_of_product(s, op, dim);
  case OP_DIV: return stride_of_quotient(s, op, dim, false);
  case OP_REM: return stride_of_quotient(s, op, dim, true);
  case OP_SHL:
  case OP_SHR: return stride_of_shift(s, op, dim);
  case OP_AND: return stride_of_bits(s, op, dim);
  case OP_MIN:
  case OP_MAX: return either(stride_of(s, op_operand(op, 0), dim), stride_of(s, op_operand(op, 1), dim));
  case OP_SELECT: return either(stride_of(s, op_operand(op, 1), dim), stride_of(s, op_operand(op, 2), dim));
  case OP_HINT:
  case OP_CAST: return stride_of(s, op_operand(op, 0), dim);
  default: return anywhere;
  }
}

static AxisStride stride_of(StrideSearch *s, const Value *value, uint32_t dim) {
  if (!type_is_tile(value->type) || dim >= value->type->rank || value->type->shape[dim] == 1)
    return known_stride(0);
  const AxisInfo *info = axis_info(s->axes, value);
  if (info->constancy[dim] >= value->type->shape[dim]) return known_stride(0);
  const Type *element = type_element(value->type);
  if (info->contiguity[dim] >= value->type->shape[dim])
    return known_stride(element->kind == TYPE_PTR ? type_element_bytes(element->inner) : 1);
  if (s->steps == 0) return anywhere;
  s->steps--;
  if (value->def) return stride_of_op(s, value->def, dim);
  const Op *loop = value->region->parent;
  const Value *before = loop && value->region == loop->regions[0] ? flow_source(value, 0) : NULL;
  return before ? stride_of(s, before, dim) : anywhere;
}

AxisStride axis_stride(const AxisTable *table, const Value *value, uint32_t dim) {
  StrideSearch search = {table, MAX_STEPS};
  return stride_of(&search, value, dim);
}
