// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fold_bounds: folds comparisons and divisions that the bounds of their operands decide.
//
// ```
// before  %c = rem %i, %four                 (%i counts from 0)
//         %o = mul %c, %32
//         %s = splat %o : tile<32xi32>
//         %k = add %s, %r                    (%r = arange 0 .. 32)
//         %m = lt %k, %128 : tile<32xi1>
// after   %c = and %i, %three
//         ...
//         %m = constant {value = 1} : tile<32xi1>
//         (a value less than its divisor has quotient 0 and is its own remainder)
//         %g = div (mul %i, %128), %64   ->   %g = mul %i, %2
// ```
//
// needs   valid IR
// keeps   every value
// breaks  nothing
//
// pays    An all-true mask costs a comparison per element and the width of an access. A nonnegative value is divided by
//         a power of two with one instruction. This also holds for loads that are prefetched for an iteration that may
//         not exist.
#include "base/integer.h"
#include "ir/build.h"
#include "passes/analysis/axis_bounds.h"
#include "passes/analysis/axis_info.h"
#include "passes/passes.h"

// A value for the op's result. NULL: the op's first operand.
typedef struct BoundFold {
  Op *op;
  Value *value;
} BoundFold;

static bool is_index(const Type *type) { return type_is_int(type) && !type_is_elem(type, ELEM_I1); }

// True if x is less than y everywhere. With `or_equal`: less than or equal.
static bool is_less(const AxisTable *axes, const Value *x, const Value *y, bool or_equal) {
  const AxisInfo *a = axis_info(axes, x), *b = axis_info(axes, y);
  bool below = a->known && !a->nonnegative; // a known value that is not nonnegative is negative
  if (below && b->nonnegative) return true;
  if (below && b->known) return or_equal ? a->constant <= b->constant : a->constant < b->constant;
  if (!a->nonnegative || !b->nonnegative) return false;
  uint64_t least = b->known ? (uint64_t)b->constant : 0;
  return or_equal ? a->most <= least : a->most < least;
}

// True if x is not negative and y is a constant divisor.
static bool is_divided(const AxisInfo *a, const AxisInfo *by) {
  return a->nonnegative && by->known && by->constant >= 2;
}

static bool is_small(const AxisTable *axes, const Value *x, const Value *y) {
  const AxisInfo *a = axis_info(axes, x), *by = axis_info(axes, y);
  return is_divided(a, by) && a->most < (uint64_t)by->constant;
}

// y is 2^k.
static bool is_power(const AxisTable *axes, const Value *x, const Value *y, int64_t *k) {
  const AxisInfo *by = axis_info(axes, y);
  if (!is_divided(axis_info(axes, x), by) || !is_power_of_two((uint64_t)by->constant)) return false;
  *k = log2_of((uint64_t)by->constant);
  return true;
}

// The bound of a loop's index if a quotient ends the loop. Then it is small, whatever sign the dividend has. UINT64_MAX:
// not known.
static uint64_t bound_by_quotient(const Value *x) {
  const Op *loop = x->def ? NULL : x->region->parent;
  int64_t lower, by;
  if (!loop || loop->kind != OP_FOR || x != loop_index(loop)) return UINT64_MAX;
  const Op *end = loop_upper(loop)->def;
  bool counts =
      value_int_constant(loop_lower(loop), &lower) && lower >= 0 && value_is_int(loop_step(loop), 1);
  if (!counts || !end || end->kind != OP_DIV || !value_int_constant(op_operand(end, 1), &by) || by < 1)
    return UINT64_MAX;
  return axis_greatest(x->type) / (uint64_t)by;
}

// The product of x and m divided by y is x times n. A product may not wrap.
static bool is_multiple(const AxisTable *axes, const Value *x, const Value *m, const Value *y, int64_t *n) {
  const AxisInfo *factor = axis_info(axes, x), *times = axis_info(axes, m), *by = axis_info(axes, y);
  if (!by->known || by->constant < 2 || !times->known || times->constant < by->constant) return false;
  uint64_t most = min_u64(factor->nonnegative ? factor->most : UINT64_MAX, bound_by_quotient(x));
  if (__builtin_mul_overflow(most, (uint64_t)times->constant, &most)) return false;
  *n = times->constant / by->constant;
  return times->constant % by->constant == 0 && most <= axis_greatest(type_element(x->type));
}

#include "passes/rules_bounds.h"

// The analysis covers only the values that existed when it ran. So all folds are decided first and applied afterwards.
bool pass_fold_bounds(PassContext *context, Func *func) {
  const AxisTable *axes = axis_analyse(context->scratch, func);
  VEC(BoundFold) folds = {0};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) {
    Value *value = w.op->result_count == 1 ? rules_bounds(axes, w.op) : NULL;
    BoundFold fold = {w.op, value == op_operand(w.op, 0) ? NULL : value};
    if (value) vec_push(context->scratch, &folds, fold);
  }
  for (uint32_t i = 0; i < folds.n; i++) {
    Op *op = folds.at[i].op;
    value_replace_uses(op_result(op), folds.at[i].value ? folds.at[i].value : op_operand(op, 0));
  }
  return folds.n > 0;
}
