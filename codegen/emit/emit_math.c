// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mathematical functions on one register. Uses its own code where the hardware's instructions are a good
// start, else libclc's.
#include "codegen/emit/emit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/fault.h"
#include "codegen/math/libclc.h"
#include "codegen/math/math_fp32.h"
#include "codegen/math/math_libclc.h"
#include "codegen/nvvm/nvvm.h"
#include "target/math.h"

// One instruction; keeping denormals would take three more (math.def's column `small`).
static LLVMValueRef fp32_exp2(Emitter *e, const LLVMValueRef *x) { return nvvm_exp2_ftz(e, x[0]); }

#define APPROXIMATE(name, instruction)                                                                       \
  static LLVMValueRef fp32_##name##_approx(Emitter *e, const LLVMValueRef *x) {                              \
    return nvvm_call(e, "llvm.nvvm." instruction ".approx.ftz.f", x[0]);                                     \
  }
APPROXIMATE(sqrt, "sqrt")
APPROXIMATE(rsqrt, "rsqrt")
APPROXIMATE(log2, "lg2")
APPROXIMATE(sin, "sin")
APPROXIMATE(cos, "cos")

// tanh.approx.f32, which LLVM emits for a tanh that may be approximate. It needs PTX 7.0.
static LLVMValueRef fp32_tanh_approx(Emitter *e, const LLVMValueRef *x) {
  emit_needs_ptx(e, 70);
  LLVMValueRef y = nvvm_unary(e, "llvm.tanh", x[0]);
  LLVMSetFastMathFlags(y, LLVMFastMathApproxFunc);
  return y;
}

// Division by a constant whose reciprocal is a normal number: multiplies by the reciprocal.
static LLVMValueRef fp32_div_approx(Emitter *e, const LLVMValueRef *x) {
  LLVMBool loses = false;
  double by = LLVMIsAConstantFP(x[1]) ? LLVMConstRealGetDouble(x[1], &loses) : 0;
  if (fabs(by) >= 0x1p-126 && fabs(by) <= 0x1p126)
    return LLVMBuildFMul(e->builder, x[0], LLVMConstReal(e->f32, 1 / by), "");
  return nvvm_intrinsic(e, "llvm.nvvm.div.approx.ftz.f", NULL, 0, (LLVMValueRef[]){x[0], x[1]}, 2);
}

// rsqrt.approx.f32 has an error of at most 2^-22.9 (PTX ISA). For fp64 it is only a rough start.
static LLVMValueRef rsqrt_any(Emitter *e, const LLVMValueRef *x) {
  if (LLVMTypeOf(x[0]) == e->f32) return nvvm_call(e, "llvm.nvvm.rsqrt.approx.f", x[0]);
  return LLVMBuildFDiv(e->builder, LLVMConstReal(e->f64, 1), nvvm_unary(e, "llvm.sqrt", x[0]), "");
}

static LLVMValueRef infinity(LLVMValueRef like) { return LLVMConstReal(LLVMTypeOf(like), (double)INFINITY); }

static LLVMValueRef is_nan(Emitter *e, const LLVMValueRef *x) {
  return LLVMBuildFCmp(e->builder, LLVMRealUNO, x[0], x[0], "");
}

static LLVMValueRef is_inf(Emitter *e, const LLVMValueRef *x) {
  return LLVMBuildFCmp(e->builder, LLVMRealOEQ, nvvm_magnitude(e, x[0]), infinity(x[0]), "");
}

static LLVMValueRef is_finite(Emitter *e, const LLVMValueRef *x) {
  return LLVMBuildFCmp(e->builder, LLVMRealONE, nvvm_magnitude(e, x[0]), infinity(x[0]), "");
}

static LLVMValueRef sign_bit(Emitter *e, const LLVMValueRef *x) {
  LLVMTypeRef word = LLVMTypeOf(x[0]) == e->f64 ? e->i64 : e->i32;
  LLVMValueRef bits = LLVMBuildBitCast(e->builder, x[0], word, "");
  return LLVMBuildICmp(e->builder, LLVMIntSLT, bits, LLVMConstNull(word), "");
}

// trunc(x + 0.5) with x's sign. The sum is rounded toward zero, so it reaches no integer that the exact one does not.
static LLVMValueRef round_fp32(Emitter *e, const LLVMValueRef *x) {
  LLVMValueRef half = nvvm_binary(e, "llvm.copysign", LLVMConstReal(e->f32, 0.5), x[0]);
  const LLVMValueRef terms[] = {x[0], half};
  return nvvm_unary(e, "llvm.trunc", nvvm_intrinsic(e, "llvm.nvvm.add.rz.f", NULL, 0, terms, 2));
}

// 2^n in fp64 for integer n in -1022 .. 1023, given as fp64.
static LLVMValueRef power_of_two_fp64(Emitter *e, LLVMValueRef n) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef biased = LLVMBuildFPToSI(b, LLVMBuildFAdd(b, n, LLVMConstReal(e->f64, 1023), ""), e->i64, "");
  LLVMValueRef bits = LLVMBuildShl(b, biased, LLVMConstInt(e->i64, 52, false), "");
  return LLVMBuildBitCast(b, bits, e->f64, "");
}

static LLVMValueRef clamp_fp64(Emitter *e, LLVMValueRef n, double low, double high) {
  n = nvvm_binary(e, "llvm.minnum", n, LLVMConstReal(e->f64, high));
  return nvvm_binary(e, "llvm.maxnum", n, LLVMConstReal(e->f64, low));
}

typedef struct Scaled {
  LLVMValueRef x, n; // x 2^n
} Scaled;

// Where `far` holds, moves 2^shift from the exponent to the number.
static void scale(Emitter *e, Scaled *s, LLVMValueRef far, double shift) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef x = LLVMBuildFMul(b, s->x, LLVMConstReal(e->f64, ldexp(1, (int)shift)), "");
  LLVMValueRef n = LLVMBuildFSub(b, s->n, LLVMConstReal(e->f64, shift), "");
  s->x = LLVMBuildSelect(b, far, x, s->x, "");
  s->n = LLVMBuildSelect(b, far, n, s->n, "");
}

// Goes down by 969 at a time. When the number first loses bits, 2^-53 or less is left to apply. So the result
// is rounded once.
static LLVMValueRef ldexp_fp64(Emitter *e, LLVMValueRef x, LLVMValueRef n) {
  Scaled s = {x, clamp_fp64(e, n, -2200, 2200)};
  for (uint32_t i = 0; i < 2; i++) {
    scale(e, &s, LLVMBuildFCmp(e->builder, LLVMRealOGT, s.n, LLVMConstReal(e->f64, 1023), ""), 1023);
    scale(e, &s, LLVMBuildFCmp(e->builder, LLVMRealOLT, s.n, LLVMConstReal(e->f64, -1022), ""), -969);
  }
  LLVMValueRef power = power_of_two_fp64(e, clamp_fp64(e, s.n, -1022, 1023));
  return LLVMBuildFMul(e->builder, s.x, power, "");
}

// The exponent is a float, rounded to nearest even. For fp32 the multiplication is exact in fp64.
static LLVMValueRef ldexp_any(Emitter *e, const LLVMValueRef *x) {
  LLVMValueRef n = nvvm_to_fp64(e, nvvm_unary(e, "llvm.rint", x[1])), scaled;
  if (LLVMTypeOf(x[0]) == e->f32) {
    LLVMValueRef power = power_of_two_fp64(e, clamp_fp64(e, n, -400, 400));
    scaled =
        LLVMBuildFPTrunc(e->builder, LLVMBuildFMul(e->builder, nvvm_to_fp64(e, x[0]), power, ""), e->f32, "");
  } else {
    scaled = ldexp_fp64(e, x[0], n);
  }
  return LLVMBuildSelect(e->builder, is_nan(e, x + 1), x[1], scaled, "");
}

// The exponent as i64; wrong for 0, NaN and infinity. fp32 is normal in fp64. fp64 denormals are scaled
// first.
static LLVMValueRef exponent(Emitter *e, LLVMValueRef x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef small =
      LLVMBuildFCmp(b, LLVMRealOLT, nvvm_magnitude(e, x), LLVMConstReal(e->f64, 0x1p-1022), "");
  LLVMValueRef scaled = LLVMBuildFMul(b, x, LLVMConstReal(e->f64, 0x1p54), "");
  x = LLVMBuildSelect(b, small, scaled, x, "");
  LLVMValueRef bits = LLVMBuildBitCast(b, x, e->i64, "");
  bits = LLVMBuildLShr(b, bits, LLVMConstInt(e->i64, 52, false), "");
  bits = LLVMBuildAnd(b, bits, LLVMConstInt(e->i64, 0x7ff, false), "");
  LLVMValueRef bias = LLVMBuildSelect(b, small, LLVMConstInt(e->i64, 1023 + 54, false),
                                      LLVMConstInt(e->i64, 1023, false), "");
  return LLVMBuildSub(b, bits, bias, "");
}

static LLVMValueRef logb_any(Emitter *e, const LLVMValueRef *x) {
  LLVMBuilderRef b = e->builder;
  LLVMTypeRef type = LLVMTypeOf(x[0]);
  LLVMValueRef result = LLVMBuildSIToFP(b, exponent(e, nvvm_to_fp64(e, x[0])), type, "");
  LLVMValueRef magnitude = nvvm_magnitude(e, x[0]);
  result = LLVMBuildSelect(b, is_finite(e, x), result, magnitude, ""); // NaN too
  return LLVMBuildSelect(b, nvvm_is_zero(e, x[0]), LLVMConstReal(type, -(double)INFINITY), result, "");
}

static LLVMValueRef ilogb_any(Emitter *e, const LLVMValueRef *x) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef result = LLVMBuildTrunc(b, exponent(e, nvvm_to_fp64(e, x[0])), e->i32, "");
  LLVMValueRef zero = nvvm_is_zero(e, x[0]), least = LLVMBuildOr(b, is_nan(e, x), zero, "");
  result = LLVMBuildSelect(b, is_inf(e, x), emit_i32(e, INT32_MAX), result, "");
  return LLVMBuildSelect(b, least, emit_i32(e, 0x80000000u), result, "");
}

typedef LLVMValueRef (*MathFn)(Emitter *e, const LLVMValueRef *x);

// How to compute a function. fp32 uses the `fp32` column if set. Otherwise it is an intrinsic overloaded by
// the operands' type, or a function above. Without both, libclc's function with the same name is used.
static const struct {
  const char *intrinsic;
  MathFn emit, fp32;
} math_rows[MATH_COUNT] = {
    [MATH_exp] = {NULL, NULL, fp32_exp},
    [MATH_exp10] = {NULL, NULL, fp32_exp10},
    [MATH_log] = {NULL, NULL, fp32_log},
    [MATH_log2] = {NULL, NULL, fp32_log2},
    [MATH_log10] = {NULL, NULL, fp32_log10},
    [MATH_log1p] = {NULL, NULL, fp32_log1p},
    [MATH_tanh] = {NULL, NULL, fp32_tanh},
    [MATH_erf] = {NULL, math_erf, fp32_erf},
    [MATH_erfc] = {NULL, NULL, fp32_erfc},
    [MATH_sin] = {NULL, math_sin, fp32_sin},
    [MATH_cos] = {NULL, NULL, fp32_cos},
    [MATH_tan] = {NULL, math_tan, fp32_tan},
    [MATH_atan] = {NULL, math_atan, fp32_atan},
    [MATH_expm1] = {NULL, math_expm1, NULL},
    [MATH_asin] = {NULL, math_asin, fp32_asin},
    [MATH_sinpi] = {NULL, math_sinpi, NULL},
    [MATH_cospi] = {NULL, math_cospi, NULL},
    [MATH_sinh] = {NULL, NULL, fp32_sinh},
    [MATH_cosh] = {NULL, NULL, fp32_cosh},
    [MATH_asinh] = {NULL, NULL, fp32_asinh},
    [MATH_acosh] = {NULL, NULL, fp32_acosh},
    [MATH_atanh] = {NULL, NULL, fp32_atanh},
    [MATH_cbrt] = {NULL, NULL, fp32_cbrt},
    [MATH_acos] = {NULL, NULL, fp32_acos},
    [MATH_exp2] = {NULL, NULL, fp32_exp2},
    [MATH_sqrt] = {"llvm.sqrt", NULL, NULL},
    [MATH_rsqrt] = {NULL, rsqrt_any, NULL},
    [MATH_fmod] = {NULL, math_fmod, NULL},
    [MATH_remainder] = {NULL, math_remainder, NULL},
    [MATH_ldexp] = {NULL, ldexp_any, NULL},
    [MATH_lgamma] = {NULL, math_lgamma, NULL},
    [MATH_tgamma] = {NULL, math_tgamma, NULL},
    [MATH_pow] = {NULL, math_pow, fp32_pow},
    [MATH_hypot] = {NULL, NULL, fp32_hypot},
    [MATH_copysign] = {"llvm.copysign", NULL, NULL},
    [MATH_floor] = {"llvm.floor", NULL, NULL},
    [MATH_ceil] = {"llvm.ceil", NULL, NULL},
    [MATH_trunc] = {"llvm.trunc", NULL, NULL},
    [MATH_round] = {"llvm.round", NULL, round_fp32},
    [MATH_rint] = {"llvm.rint", NULL, NULL},
    [MATH_abs] = {"llvm.fabs", NULL, NULL},
    [MATH_logb] = {NULL, logb_any, NULL},
    [MATH_ilogb] = {NULL, ilogb_any, NULL},
    [MATH_isnan] = {NULL, is_nan, NULL},
    [MATH_isinf] = {NULL, is_inf, NULL},
    [MATH_isfinite] = {NULL, is_finite, NULL},
    [MATH_signbit] = {NULL, sign_bit, NULL},
    [MATH_exp_approx] = {NULL, NULL, fp32_exp_approx},
    [MATH_sqrt_approx] = {NULL, NULL, fp32_sqrt_approx},
    [MATH_rsqrt_approx] = {NULL, NULL, fp32_rsqrt_approx},
    [MATH_log2_approx] = {NULL, NULL, fp32_log2_approx},
    [MATH_sin_approx] = {NULL, NULL, fp32_sin_approx},
    [MATH_cos_approx] = {NULL, NULL, fp32_cos_approx},
    [MATH_tanh_approx] = {NULL, NULL, fp32_tanh_approx},
    [MATH_div_approx] = {NULL, NULL, fp32_div_approx},
};

enum { SYMBOL_BYTES = 32 };

// llvm.nvvm.div.rz.f and similar: the instruction's name and PTX's rounding mode.
static LLVMValueRef emit_directed(Emitter *e, MathFunction function, const LLVMValueRef *x) {
  static const char *const directions[] = {[MATH_TO_ZERO] = "rz", [MATH_DOWN] = "rm", [MATH_UP] = "rp"};
  const MathInfo *info = math_info(function);
  char name[SYMBOL_BYTES];
  snprintf(name, sizeof name, "llvm.nvvm.%.*s.%s.%c", (int)strlen(info->name) - 3, info->name,
           directions[math_direction(function)], LLVMTypeOf(x[0]) == e->f64 ? 'd' : 'f');
  return nvvm_intrinsic(e, name, NULL, 0, x, info->operands);
}

// libclc's name in the Itanium ABI: _Z5atan2ff.
static void libclc_symbol(const MathInfo *info, Elem elem, char symbol[SYMBOL_BYTES]) {
  int n = snprintf(symbol, SYMBOL_BYTES - 4, "_Z%zu%s", strlen(info->name), info->name);
  for (uint32_t i = 0; i < info->operands; i++) symbol[n++] = elem == ELEM_FP64 ? 'd' : 'f';
  symbol[n] = '\0';
}

static bool libclc_has(const char *symbol) {
  const LibclcEntry *entry = libclc_table;
  while (entry->symbol && strcmp(entry->symbol, symbol) != 0) entry++;
  return entry->symbol != NULL;
}

static Elem operand_elem(const Op *op) { return type_element(op_operand(op, 0)->type)->elem; }

bool emit_has_math(const Op *op) {
  MathFunction function;
  char symbol[SYMBOL_BYTES];
  if (!math_of(op, &function)) return false;
  if (math_direction(function) != MATH_NEAREST) return true;
  if (math_rows[function].intrinsic || math_rows[function].emit) return true;
  if (math_rows[function].fp32 && operand_elem(op) == ELEM_FP32) return true;
  libclc_symbol(math_info(function), operand_elem(op), symbol);
  return libclc_has(symbol);
}

// libclc's fp64 sinh and cosh look up tables at trunc(x). For NaN that is the least integer on the GPU (PTX
// ISA, cvt).
static LLVMValueRef of_number(Emitter *e, const char *symbol, const LLVMValueRef *x) {
  LLVMValueRef nan = is_nan(e, x), number = LLVMBuildSelect(e->builder, nan, LLVMConstNull(e->f64), x[0], "");
  return LLVMBuildSelect(e->builder, nan, x[0], emit_libclc(e, symbol, e->f64, &number, 1), "");
}

// True if x is only added to constants that make values below 2^-126 vanish.
static bool is_lost_in_sums(const Value *x) {
  for (const Use *use = x->first_use; use; use = use->next) {
    double constant;
    if (use->user->kind != OP_ADD) return false;
    const Value *other = op_operand(use->user, op_operand(use->user, 0) == x ? 1 : 0);
    if (!value_float_constant(other, &constant) || !(fabs(constant) >= 0x1p-100)) return false;
  }
  return true;
}

LLVMValueRef emit_math(Emitter *e, const Op *op, const LLVMValueRef *x) {
  MathFunction function;
  char symbol[SYMBOL_BYTES];
  if (!math_of(op, &function)) BUG("math without a function");
  if (math_direction(function) != MATH_NEAREST) return emit_directed(e, function, x);
  if (function == MATH_exp_approx && is_lost_in_sums(op_result((Op *)op))) return fp32_exp_flushed(e, x);
  if (math_rows[function].fp32 && LLVMTypeOf(x[0]) == e->f32) return math_rows[function].fp32(e, x);
  if (math_rows[function].emit) return math_rows[function].emit(e, x);
  const char *intrinsic = math_rows[function].intrinsic;
  if (intrinsic)
    return op->operand_count == 2 ? nvvm_binary(e, intrinsic, x[0], x[1]) : nvvm_unary(e, intrinsic, x[0]);
  libclc_symbol(math_info(function), operand_elem(op), symbol);
  if (LLVMTypeOf(x[0]) == e->f64 && (function == MATH_sinh || function == MATH_cosh))
    return of_number(e, symbol, x);
  return emit_libclc(e, symbol, LLVMTypeOf(x[0]), x, op->operand_count);
}

// One instruction for every float type, on sm_80 and newer for bf16 too. LLVM widens the types that are
// missing.
LLVMValueRef emit_fma(Emitter *e, const Op *op, const LLVMValueRef *x) {
  (void)op;
  return nvvm_fma(e, x[0], x[1], x[2]);
}

// The full result of the multiplication, in twice the width.
LLVMValueRef emit_mulhi(Emitter *e, const Op *op, const LLVMValueRef *x) {
  const ElemInfo *info = elem_info(operand_elem(op));
  LLVMTypeRef narrow = LLVMTypeOf(x[0]), twice = LLVMIntTypeInContext(e->context, 2u * info->bits);
  bool is_signed = info->cls == CLASS_SINT;
  LLVMValueRef a = LLVMBuildIntCast2(e->builder, x[0], twice, is_signed, "");
  LLVMValueRef b = LLVMBuildIntCast2(e->builder, x[1], twice, is_signed, "");
  LLVMValueRef product = LLVMBuildMul(e->builder, a, b, "");
  LLVMValueRef upper = LLVMBuildLShr(e->builder, product, LLVMConstInt(twice, info->bits, false), "");
  return LLVMBuildTrunc(e->builder, upper, narrow, "");
}

LLVMValueRef emit_float_rem(Emitter *e, const Op *op, const LLVMValueRef *x) {
  (void)op;
  return math_fmod(e, x);
}
