// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fold_bounds: folds comparisons and divisions that the bounds of their operands decide.
//
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

// A fold of `op`. OP_CONSTANT: the result is always `number`. OP_SHR, OP_AND: a division is a shift or a mask by
// `number`. OP_MUL: a multiple's quotient is `number` times the factor. OP_REM: the remainder is the dividend itself.
typedef struct BoundFold {
  Op *op;
  OpKind by; // OP_CONSTANT, OP_SHR, OP_AND, OP_MUL, OP_REM
  int64_t number;
} BoundFold;

// The analysis covers only the values that existed when it ran. So all folds are decided first and applied afterwards.
typedef struct BoundFolder {
  Arena *scratch;
  const AxisTable *axes;
  VEC(BoundFold) folds;
} BoundFolder;

static bool is_number(const Value *value) {
  return type_is_int(value->type) && !type_is_elem(value->type, ELEM_I1);
}

// True if a is less than b everywhere. With `or_equal`: less than or equal.
static bool always_less(const AxisInfo *a, const AxisInfo *b, bool or_equal) {
  bool below = a->known && !a->nonnegative; // a known value that is not nonnegative is negative
  if (below && b->nonnegative) return true;
  if (below && b->known) return or_equal ? a->constant <= b->constant : a->constant < b->constant;
  if (!a->nonnegative || !b->nonnegative) return false;
  uint64_t least = b->known ? (uint64_t)b->constant : 0;
  return or_equal ? a->most <= least : a->most < least;
}

// 1: the comparison is true everywhere. 0: it is false everywhere. -1: unknown.
static int decided(const Op *op, const AxisInfo *a, const AxisInfo *b) {
  bool swapped = op->kind == OP_GT || op->kind == OP_GE, or_equal = op->kind == OP_LE || op->kind == OP_GE;
  const AxisInfo *x = swapped ? b : a, *y = swapped ? a : b;
  if (always_less(x, y, or_equal)) return 1;
  return always_less(y, x, !or_equal) ? 0 : -1;
}

static void decide_comparison(BoundFolder *f, Op *op) {
  if (!is_number(op_operand(op, 0))) return;
  int holds = decided(op, axis_info(f->axes, op_operand(op, 0)), axis_info(f->axes, op_operand(op, 1)));
  BoundFold fold = {op, OP_CONSTANT, holds};
  if (holds >= 0) vec_push(f->scratch, &f->folds, fold);
}

// The bound of a loop's index if a quotient ends the loop. Then it is small, whatever sign the dividend has. UINT64_MAX:
// not known.
static uint64_t bound_by_quotient(const Value *x) {
  const Op *loop = x->def ? NULL : x->region->parent;
  int64_t lower, step, by;
  if (!loop || loop->kind != OP_FOR || x != loop_index(loop)) return UINT64_MAX;
  const Op *end = loop_upper(loop)->def;
  bool counts = value_int_constant(loop_lower(loop), &lower) && lower >= 0 &&
                value_int_constant(loop_step(loop), &step) && step == 1;
  if (!counts || !end || end->kind != OP_DIV || !value_int_constant(op_operand(end, 1), &by) || by < 1)
    return UINT64_MAX;
  return axis_greatest(x->type) / (uint64_t)by;
}

// The number n for which the quotient is n times the dividend's first factor. 0: there is none, or a product may wrap.
static int64_t multiple_of(const BoundFolder *f, const Op *op, int64_t by) {
  const Op *product = op_operand(op, 0)->def;
  if (op->kind != OP_DIV || !product || product->kind != OP_MUL) return 0;
  const AxisInfo *times = axis_info(f->axes, op_operand(product, 1));
  const AxisInfo *x = axis_info(f->axes, op_operand(product, 0));
  uint64_t most = min_u64(x->nonnegative ? x->most : UINT64_MAX, bound_by_quotient(op_operand(product, 0)));
  if (!times->known || times->constant < by || times->constant % by != 0) return 0;
  if (__builtin_mul_overflow(most, (uint64_t)times->constant, &most)) return 0;
  return most > axis_greatest(type_element(op_result(op)->type)) ? 0 : times->constant / by;
}

static void decide_division(BoundFolder *f, Op *op) {
  if (!is_number(op_result(op))) return;
  const AxisInfo *a = axis_info(f->axes, op_operand(op, 0)), *by = axis_info(f->axes, op_operand(op, 1));
  if (!by->known || by->constant < 2) return;
  bool quotient = op->kind == OP_DIV, power = is_power_of_two((uint64_t)by->constant);
  bool smaller = a->nonnegative && a->most < (uint64_t)by->constant;
  int64_t multiple = smaller ? 0 : multiple_of(f, op, by->constant);
  if (!smaller && !multiple && !(a->nonnegative && power)) return;
  BoundFold fold = {op, OP_AND, by->constant - 1};
  if (smaller)
    fold = (BoundFold){op, quotient ? OP_CONSTANT : OP_REM, 0};
  else if (multiple)
    fold = (BoundFold){op, OP_MUL, multiple};
  else if (quotient)
    fold = (BoundFold){op, OP_SHR, log2_of((uint64_t)by->constant)};
  vec_push(f->scratch, &f->folds, fold);
}

static void apply_fold(const BoundFold *fold) {
  if (fold->by == OP_REM) {
    value_replace_uses(op_result(fold->op), op_operand(fold->op, 0));
    return;
  }
  Builder b = builder_before(fold->op);
  b.loc = fold->op->loc;
  Value *result = build_int(&b, op_result(fold->op)->type, fold->number), *operand = op_operand(fold->op, 0);
  if (fold->by == OP_MUL) operand = op_operand(operand->def, 0);
  if (fold->by != OP_CONSTANT) result = build_binary(&b, fold->by, operand, result);
  value_replace_uses(op_result(fold->op), result);
}

static void decide_op(BoundFolder *f, Op *op) {
  if (op_has(op, COMPARE) && !op_has(op, COMMUTES)) decide_comparison(f, op);
  if (op->kind == OP_DIV || op->kind == OP_REM) decide_division(f, op);
}

bool pass_fold_bounds(PassContext *context, Func *func) {
  BoundFolder f = {.scratch = context->scratch, .axes = axis_analyse(context->scratch, func)};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) decide_op(&f, w.op);
  for (uint32_t i = 0; i < f.folds.n; i++) apply_fold(&f.folds.at[i]);
  return f.folds.n > 0;
}
