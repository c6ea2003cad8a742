// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic, comparisons and selection on one register. Integers wrap: no nsw, no nuw. No operand makes
// LLVM's behaviour undefined or its result poison, whatever the program divides or shifts by.
#include "codegen/emit/emit.h"

#include "codegen/nvvm/asm_call.h"
#include "codegen/nvvm/nvvm.h"
#include "target/math.h"

static const Type *operand_element(const Op *op) { return type_element(op_operand(op, 0)->type); }

static bool is_float(const Op *op) {
  return operand_element(op)->kind != TYPE_PTR && elem_is_float(operand_element(op)->elem);
}

static bool is_signed(const Op *op) {
  return operand_element(op)->kind != TYPE_PTR && elem_is_signed(operand_element(op)->elem);
}

static uint32_t width(LLVMValueRef x) { return LLVMGetIntTypeWidth(LLVMTypeOf(x)); }

static LLVMValueRef contracted(Emitter *e, LLVMValueRef x) {
  if (e->target->fp_contract && LLVMIsAInstruction(x)) LLVMSetFastMathFlags(x, LLVMFastMathAllowContract);
  return x;
}

static LLVMValueRef emit_add(Emitter *e, const Op *op, const LLVMValueRef *x) {
  if (is_float(op)) return contracted(e, LLVMBuildFAdd(e->builder, x[0], x[1], ""));
  return LLVMBuildAdd(e->builder, x[0], x[1], "");
}

static LLVMValueRef emit_sub(Emitter *e, const Op *op, const LLVMValueRef *x) {
  if (is_float(op)) return contracted(e, LLVMBuildFSub(e->builder, x[0], x[1], ""));
  return LLVMBuildSub(e->builder, x[0], x[1], "");
}

static LLVMValueRef emit_mul(Emitter *e, const Op *op, const LLVMValueRef *x) {
  if (is_float(op)) return contracted(e, LLVMBuildFMul(e->builder, x[0], x[1], ""));
  return LLVMBuildMul(e->builder, x[0], x[1], "");
}

static LLVMValueRef emit_neg(Emitter *e, const Op *op, const LLVMValueRef *x) {
  return is_float(op) ? LLVMBuildFNeg(e->builder, x[0], "") : LLVMBuildNeg(e->builder, x[0], "");
}

// The divisor, or 1 where LLVM's division is undefined: for 0, and for -1 with the most negative number. The
// quotient of the latter wraps to itself and its remainder is 0, as with 1.
static LLVMValueRef safe_divisor(Emitter *e, const Op *op, const LLVMValueRef *x) {
  LLVMTypeRef type = LLVMTypeOf(x[1]);
  LLVMValueRef unsafe = LLVMBuildICmp(e->builder, LLVMIntEQ, x[1], LLVMConstNull(type), "");
  if (is_signed(op)) {
    LLVMValueRef least = LLVMConstInt(type, 1ull << (width(x[0]) - 1), false);
    LLVMValueRef is_least = LLVMBuildICmp(e->builder, LLVMIntEQ, x[0], least, "");
    LLVMValueRef is_minus_one = LLVMBuildICmp(e->builder, LLVMIntEQ, x[1], LLVMConstAllOnes(type), "");
    LLVMValueRef wraps = LLVMBuildAnd(e->builder, is_least, is_minus_one, "");
    unsafe = LLVMBuildOr(e->builder, unsafe, wraps, "");
  }
  return LLVMBuildSelect(e->builder, unsafe, LLVMConstInt(type, 1, false), x[1], "");
}

// True for signed division in a loop by a loop-invariant number.
static bool is_divided_in_loop(const Op *op) {
  const Region *by = value_region(op_operand(op, 1));
  return is_signed(op) && by != op->region && op->region->parent && op->region->parent->kind == OP_FOR;
}

// The divisor, or 1 where it is 0 or -1. It depends on nothing that a loop changes. The remainder by -1 is 0,
// as with 1.
static LLVMValueRef divisor_of_sizes(Emitter *e, LLVMValueRef by) {
  LLVMTypeRef type = LLVMTypeOf(by);
  LLVMValueRef one = LLVMConstInt(type, 1, false);
  LLVMValueRef next = LLVMBuildAdd(e->builder, by, one, "");
  LLVMValueRef unsafe = LLVMBuildICmp(e->builder, LLVMIntULT, next, LLVMConstInt(type, 2, false), "");
  return LLVMBuildSelect(e->builder, unsafe, one, by, "");
}

// The quotient by -1 is the negated number.
static LLVMValueRef divide_in_loop(Emitter *e, const LLVMValueRef *x) {
  LLVMValueRef quotient = LLVMBuildSDiv(e->builder, x[0], divisor_of_sizes(e, x[1]), "");
  LLVMValueRef is_minus_one =
      LLVMBuildICmp(e->builder, LLVMIntEQ, x[1], LLVMConstAllOnes(LLVMTypeOf(x[1])), "");
  return LLVMBuildSelect(e->builder, is_minus_one, LLVMBuildNeg(e->builder, x[0], ""), quotient, "");
}

// True if x is never below 0. It may be NaN.
static bool is_not_negative(const Value *x) {
  MathFunction function;
  if (!x->def) return false;
  if (x->def->kind == OP_MUL) return op_operand(x->def, 0) == op_operand(x->def, 1);
  if (!math_of(x->def, &function)) return false;
  return function == MATH_exp || function == MATH_exp_approx || function == MATH_exp2 ||
         function == MATH_exp10 || function == MATH_abs;
}

// True if x is a constant of at least 1 plus a value that is never below 0. *term is the operand that holds
// this value.
static bool is_one_and_more(const Value *x, uint32_t *term, double *constant) {
  if (!x->def || x->def->kind != OP_ADD) return false;
  for (*term = 0; *term < 2; ++*term)
    if (value_float_constant(op_operand(x->def, 1 - *term), constant))
      return *constant >= 1 && *constant <= 0x1p100 && is_not_negative(op_operand(x->def, *term));
  return false;
}

// Computes a / (c + v) as (a / 4) / (c / 4 + v / 4), because the reciprocal of this divisor is a normal
// number. The error is 3 u, as a / 4 is exact except below 2^-124. NULL: the divisor is not known to be such
// a sum. Quartering is free next to a sum and a constant. The sigmoid function has this form.
static LLVMValueRef div_by_sum(Emitter *e, const Op *op, LLVMValueRef a, LLVMValueRef sum) {
  uint32_t term;
  double constant;
  if (!is_one_and_more(op_operand(op, 1), &term, &constant)) return NULL;
  if (!LLVMIsAInstruction(sum) || LLVMGetInstructionOpcode(sum) != LLVMFAdd) return NULL;
  LLVMValueRef quarter = LLVMConstReal(e->f32, 0.25);
  LLVMValueRef by = nvvm_fma(e, LLVMGetOperand(sum, term), quarter, LLVMConstReal(e->f32, constant / 4));
  LLVMValueRef inverse = nvvm_call(e, "llvm.nvvm.rcp.approx.ftz.f", by);
  return LLVMBuildFMul(e->builder, LLVMBuildFMul(e->builder, a, quarter, ""), inverse, "");
}

// div.full.f32 is within 2 ulp in the full range (PTX ISA); div.rn costs several times as much.
static LLVMValueRef div_full(Emitter *e, const Op *op, LLVMValueRef a, LLVMValueRef b) {
  LLVMValueRef quotient = div_by_sum(e, op, a, b);
  return quotient ? quotient : nvvm_intrinsic(e, "llvm.nvvm.div.full", NULL, 0, (LLVMValueRef[]){a, b}, 2);
}

// fp16 and bf16 divide in fp32.
static LLVMValueRef float_div(Emitter *e, const Op *op, const LLVMValueRef *x) {
  LLVMValueRef a = emit_widen(e, x[0]), b = emit_widen(e, x[1]);
  bool full = LLVMTypeOf(a) == e->f32 && !op_attr(op, ATTR_ROUNDED);
  LLVMValueRef quotient = full ? div_full(e, op, a, b) : LLVMBuildFDiv(e->builder, a, b, "");
  LLVMTypeRef type = LLVMTypeOf(x[0]);
  return LLVMTypeOf(quotient) == type ? quotient : LLVMBuildFPTrunc(e->builder, quotient, type, "");
}

static LLVMValueRef size_of(Emitter *e, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMValueRef args[] = {x, LLVMConstInt(e->i1, 0, false)}; // of the most negative number: itself
  return nvvm_intrinsic(e, "llvm.abs", &type, 1, args, 2);
}

static LLVMValueRef negated_where_below_zero(Emitter *e, LLVMValueRef sign, LLVMValueRef x) {
  LLVMValueRef below = LLVMBuildICmp(e->builder, LLVMIntSLT, sign, LLVMConstNull(LLVMTypeOf(sign)), "");
  return LLVMBuildSelect(e->builder, below, LLVMBuildNeg(e->builder, x, ""), x, "");
}

// Divides by a signed number known at run time. Like the machine, it divides the absolute values. The
// divisor's guard then depends only on the divisor, and one guard serves all elements.
static LLVMValueRef divide_sizes(Emitter *e, const LLVMValueRef *x, bool remainder) {
  LLVMValueRef a = size_of(e, x[0]), b = size_of(e, x[1]), zero = LLVMConstNull(LLVMTypeOf(b));
  LLVMValueRef is_zero_divisor = LLVMBuildICmp(e->builder, LLVMIntEQ, b, zero, "");
  b = LLVMBuildSelect(e->builder, is_zero_divisor, LLVMConstInt(LLVMTypeOf(b), 1, false), b, "");
  if (remainder) return negated_where_below_zero(e, x[0], LLVMBuildURem(e->builder, a, b, ""));
  LLVMValueRef sign = LLVMBuildXor(e->builder, x[0], x[1], "");
  return negated_where_below_zero(e, sign, LLVMBuildUDiv(e->builder, a, b, ""));
}

static bool by_size(const Op *op, const LLVMValueRef *x) {
  return is_signed(op) && !LLVMIsAConstantInt(x[1]) && type_is_tile(op_result(op)->type);
}

static LLVMValueRef emit_div(Emitter *e, const Op *op, const LLVMValueRef *x) {
  if (is_float(op)) return float_div(e, op, x);
  if (by_size(op, x)) return divide_sizes(e, x, false);
  if (is_divided_in_loop(op)) return divide_in_loop(e, x);
  LLVMValueRef by = safe_divisor(e, op, x);
  return is_signed(op) ? LLVMBuildSDiv(e->builder, x[0], by, "") : LLVMBuildUDiv(e->builder, x[0], by, "");
}

static LLVMValueRef emit_rem(Emitter *e, const Op *op, const LLVMValueRef *x) {
  if (is_float(op)) return emit_float_rem(e, op, x);
  if (by_size(op, x)) return divide_sizes(e, x, true);
  LLVMValueRef by = is_divided_in_loop(op) ? divisor_of_sizes(e, x[1]) : safe_divisor(e, op, x);
  return is_signed(op) ? LLVMBuildSRem(e->builder, x[0], by, "") : LLVMBuildURem(e->builder, x[0], by, "");
}

static LLVMValueRef emit_and(Emitter *e, const Op *op, const LLVMValueRef *x) {
  (void)op;
  return LLVMBuildAnd(e->builder, x[0], x[1], "");
}

// (x & some) | more, of constants, in one instruction where only the lower half of the word is used (a weight that
// choose_arithmetic makes a float of). ptxas takes two. NULL: the operands are others.
static LLVMValueRef both_bits(Emitter *e, const Op *op, const LLVMValueRef *x) {
  const Use *use = op_result(op)->first_use;
  if (!use || use->next || use->user->kind != OP_CAST || type_element_bytes(op_result(use->user)->type) != 2)
    return NULL;
  if (!LLVMIsAInstruction(x[0]) || LLVMGetInstructionOpcode(x[0]) != LLVMAnd || LLVMTypeOf(x[0]) != e->i32)
    return NULL;
  LLVMValueRef some = LLVMGetOperand(x[0], 1), args[] = {LLVMGetOperand(x[0], 0), some, x[1]};
  if (!LLVMIsAConstantInt(some) || !LLVMIsAConstantInt(x[1])) return NULL;
  return asm_of_text(e, e->i32, "lop3.b32 $0, $1, $2, $3, 0xea;", "=r,r,n,n", false, args, 3);
}

static LLVMValueRef emit_or(Emitter *e, const Op *op, const LLVMValueRef *x) {
  LLVMValueRef both = both_bits(e, op, x);
  if (both) return both;
  return LLVMBuildOr(e->builder, x[0], x[1], "");
}

static LLVMValueRef emit_xor(Emitter *e, const Op *op, const LLVMValueRef *x) {
  (void)op;
  return LLVMBuildXor(e->builder, x[0], x[1], "");
}

// True if the count is less than the width. For i1 only 0 is.
static LLVMValueRef count_in_range(Emitter *e, LLVMValueRef count) {
  LLVMTypeRef type = LLVMTypeOf(count);
  if (width(count) == 1) return LLVMBuildNot(e->builder, count, "");
  return LLVMBuildICmp(e->builder, LLVMIntULT, count, LLVMConstInt(type, width(count), false), "");
}

static LLVMValueRef last_count(Emitter *e, LLVMValueRef count) {
  (void)e;
  return LLVMConstInt(LLVMTypeOf(count), width(count) - 1, false);
}

static LLVMValueRef emit_shl(Emitter *e, const Op *op, const LLVMValueRef *x) {
  (void)op;
  LLVMValueRef safe = LLVMBuildAnd(e->builder, x[1], last_count(e, x[1]), "");
  LLVMValueRef shifted = LLVMBuildShl(e->builder, x[0], safe, "");
  return LLVMBuildSelect(e->builder, count_in_range(e, x[1]), shifted, LLVMConstNull(LLVMTypeOf(x[0])), "");
}

static LLVMValueRef emit_shr(Emitter *e, const Op *op, const LLVMValueRef *x) {
  if (is_signed(op)) {
    LLVMValueRef last = last_count(e, x[1]), inside = count_in_range(e, x[1]);
    LLVMValueRef safe = LLVMBuildSelect(e->builder, inside, x[1], last, "");
    return LLVMBuildAShr(e->builder, x[0], safe, "");
  }
  LLVMValueRef safe = LLVMBuildAnd(e->builder, x[1], last_count(e, x[1]), "");
  LLVMValueRef shifted = LLVMBuildLShr(e->builder, x[0], safe, "");
  return LLVMBuildSelect(e->builder, count_in_range(e, x[1]), shifted, LLVMConstNull(LLVMTypeOf(x[0])), "");
}

static LLVMValueRef emit_min(Emitter *e, const Op *op, const LLVMValueRef *x) {
  return nvvm_binary(e,
                     is_float(op)    ? "llvm.minimumnum"
                     : is_signed(op) ? "llvm.smin"
                                     : "llvm.umin",
                     x[0], x[1]);
}

static bool is_widened_boolean(const Emitter *e, LLVMValueRef x) {
  return LLVMIsAZExtInst(x) && LLVMTypeOf(LLVMGetOperand(x, 0)) == e->i1;
}

// The maximum of two booleans is `or`. So a block's mask of bytes is reduced without a select for each byte.
static LLVMValueRef emit_max(Emitter *e, const Op *op, const LLVMValueRef *x) {
  if (is_widened_boolean(e, x[0]) && is_widened_boolean(e, x[1])) {
    LLVMValueRef any = LLVMBuildOr(e->builder, LLVMGetOperand(x[0], 0), LLVMGetOperand(x[1], 0), "");
    return LLVMBuildZExt(e->builder, any, LLVMTypeOf(x[0]), "");
  }
  return nvvm_binary(e,
                     is_float(op)    ? "llvm.maximumnum"
                     : is_signed(op) ? "llvm.smax"
                                     : "llvm.umax",
                     x[0], x[1]);
}

static bool is_zero(LLVMValueRef x) {
  LLVMBool loses = false;
  return LLVMIsAConstantFP(x) && LLVMConstRealGetDouble(x, &loses) == 0;
}

// The 16-bit float before widening, which is 0 exactly if the wide one is.
static LLVMValueRef before_widening(const Emitter *e, LLVMValueRef x) {
  LLVMValueRef narrow = LLVMIsAFPExtInst(x) ? LLVMGetOperand(x, 0) : x;
  return emit_is_half(e, LLVMTypeOf(narrow)) ? narrow : x;
}

// Compares the 16-bit floats' bits with 0. LLVM 22 has a bug with a float that was cast from another 16-bit
// float, even through a wider type. It compares the bits of that first float with an `and`.
LLVMValueRef emit_float_compare(Emitter *e, LLVMRealPredicate predicate, LLVMValueRef a, LLVMValueRef b) {
  bool equality = predicate == LLVMRealOEQ || predicate == LLVMRealUNE;
  if (equality && is_zero(b)) a = before_widening(e, a);
  if (equality && is_zero(a)) b = before_widening(e, b);
  bool half = emit_is_half(e, LLVMTypeOf(is_zero(b) ? a : b));
  if (!equality || !half || !(is_zero(a) || is_zero(b)))
    return LLVMBuildFCmp(e->builder, predicate, a, b, "");
  LLVMValueRef bits = LLVMBuildBitCast(e->builder, is_zero(b) ? a : b, e->i16, "");
  LLVMValueRef size = LLVMBuildAnd(e->builder, bits, LLVMConstInt(e->i16, 0x7fff, false), "");
  LLVMIntPredicate same = predicate == LLVMRealOEQ ? LLVMIntEQ : LLVMIntNE;
  return LLVMBuildICmp(e->builder, same, size, LLVMConstNull(e->i16), "");
}

static LLVMValueRef emit_compare(Emitter *e, const Op *op, const LLVMValueRef *x) {
  static const struct {
    LLVMRealPredicate of_floats;
    LLVMIntPredicate of_signed, of_unsigned;
  } rows[OP_COUNT] = {
      [OP_EQ] = {LLVMRealOEQ, LLVMIntEQ, LLVMIntEQ},   [OP_NE] = {LLVMRealUNE, LLVMIntNE, LLVMIntNE},
      [OP_LT] = {LLVMRealOLT, LLVMIntSLT, LLVMIntULT}, [OP_LE] = {LLVMRealOLE, LLVMIntSLE, LLVMIntULE},
      [OP_GT] = {LLVMRealOGT, LLVMIntSGT, LLVMIntUGT}, [OP_GE] = {LLVMRealOGE, LLVMIntSGE, LLVMIntUGE},
  };
  if (is_float(op)) return emit_float_compare(e, rows[op->kind].of_floats, x[0], x[1]);
  return LLVMBuildICmp(e->builder, is_signed(op) ? rows[op->kind].of_signed : rows[op->kind].of_unsigned,
                       x[0], x[1], "");
}

static LLVMValueRef emit_select(Emitter *e, const Op *op, const LLVMValueRef *x) {
  (void)op;
  return LLVMBuildSelect(e->builder, x[0], x[1], x[2], "");
}

static LLVMValueRef emit_copy(Emitter *e, const Op *op, const LLVMValueRef *x) {
  (void)op;
  return nvvm_copy_fp32(e, x[0]);
}

static LLVMValueRef emit_hint(Emitter *e, const Op *op, const LLVMValueRef *x) {
  (void)e, (void)op;
  return x[0];
}

EmitScalar emit_scalar_of(OpKind kind) {
  static const EmitScalar table[OP_COUNT] = {
      [OP_ADD] = emit_add,     [OP_SUB] = emit_sub,         [OP_MUL] = emit_mul,    [OP_DIV] = emit_div,
      [OP_REM] = emit_rem,     [OP_NEG] = emit_neg,         [OP_AND] = emit_and,    [OP_OR] = emit_or,
      [OP_XOR] = emit_xor,     [OP_SHL] = emit_shl,         [OP_SHR] = emit_shr,    [OP_MIN] = emit_min,
      [OP_MAX] = emit_max,     [OP_EQ] = emit_compare,      [OP_NE] = emit_compare, [OP_LT] = emit_compare,
      [OP_LE] = emit_compare,  [OP_GT] = emit_compare,      [OP_GE] = emit_compare, [OP_SELECT] = emit_select,
      [OP_CAST] = emit_cast,   [OP_BITCAST] = emit_bitcast, [OP_MATH] = emit_math,  [OP_FMA] = emit_fma,
      [OP_MULHI] = emit_mulhi, [OP_COPY] = emit_copy,       [OP_HINT] = emit_hint,
  };
  return table[kind];
}
