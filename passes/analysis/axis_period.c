// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The period of values along a dimension. Remainders of a run that counts upwards repeat.
#include "base/integer.h"
#include "passes/analysis/axis_info.h"
#include "passes/analysis/axis_shape.h"

enum { MAX_STEPS = 96 }; // Expressions share operands, so the search is bounded.

typedef struct PeriodSearch {
  const AxisTable *axes;
  uint32_t steps;
} PeriodSearch;

static uint64_t period_of(PeriodSearch *s, const Value *value, uint32_t dim);

// The divisor of a remainder op, a power of two; 0: the op is no remainder by one.
static uint64_t divisor_of(const PeriodSearch *s, const Op *op) {
  if (op->kind != OP_REM && op->kind != OP_AND) return 0;
  const AxisInfo *by = axis_info(s->axes, op_operand(op, 1));
  uint64_t divisor = (uint64_t)by->constant + (op->kind == OP_AND);
  return by->known && by->constant > 0 && is_power_of_two(divisor) ? divisor : 0;
}

// The dividend counts upwards, or does so in runs that each start with remainder 0.
static uint64_t period_of_remainder(const PeriodSearch *s, const Op *op, uint64_t divisor, uint32_t dim) {
  const Value *from = op_operand(op, 0);
  uint64_t contiguity = axis_info(s->axes, from)->contiguity[dim], run = min_u64(contiguity, divisor);
  bool whole = contiguity >= from->type->shape[dim];
  return whole || axis_divisor(s->axes, from, dim, run) >= divisor ? run : UINT64_MAX;
}

static uint64_t period_of_operands(PeriodSearch *s, const Op *op, uint32_t dim) {
  uint64_t period = 1;
  for (uint32_t i = 0; i < op->operand_count; i++)
    period = max_u64(period, period_of(s, op_operand(op, i), dim));
  return period;
}

static uint64_t period_of_op(PeriodSearch *s, const Op *op, uint32_t dim) {
  if (op_has(op, VIEW) && op->kind != OP_RESHAPE)
    return period_of(s, op_operand(op, 0), axis_dim_behind(op, dim));
  if (!op_has(op, PURE | ELEMENTWISE)) return UINT64_MAX;
  uint64_t divisor = divisor_of(s, op), period = period_of_operands(s, op, dim);
  return divisor ? min_u64(period, period_of_remainder(s, op, divisor, dim)) : period;
}

static uint64_t period_of(PeriodSearch *s, const Value *value, uint32_t dim) {
  if (!type_is_tile(value->type) || dim >= value->type->rank) return 1;
  if (axis_info(s->axes, value)->constancy[dim] >= value->type->shape[dim]) return 1;
  if (!value->def || s->steps == 0) return UINT64_MAX;
  s->steps--;
  return period_of_op(s, value->def, dim);
}

uint64_t axis_period(const AxisTable *table, const Value *value, uint32_t dim) {
  PeriodSearch search = {table, MAX_STEPS};
  uint64_t size = 1;
  while (size < value->type->shape[dim]) size *= 2;
  return min_u64(period_of(&search, value, dim), size);
}
