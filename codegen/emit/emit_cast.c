// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of one register. Each rounds once. Where the hardware has no direct conversion, the first step
// is exact or rounds to odd. A second rounding to fewer bits cannot tell a number rounded to odd from the
// exact value. S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using
// rounding to odd", 2008.
#include "codegen/emit/emit.h"

#include <string.h>
#include "codegen/nvvm/asm_call.h"
#include "codegen/nvvm/nvvm.h"

bool emit_is_half(const Emitter *e, LLVMTypeRef type) { return type == e->f16 || type == e->bf16; }

LLVMValueRef emit_widen(Emitter *e, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  return emit_is_half(e, type) ? LLVMBuildFPExt(e->builder, x, e->f32, "") : x;
}

static LLVMTypeRef float_type(const Emitter *e, Elem elem) {
  return elem == ELEM_FP16 ? e->f16 : elem == ELEM_BF16 ? e->bf16 : elem == ELEM_FP64 ? e->f64 : e->f32;
}

// `down` is x rounded toward zero. Sets its last bit if that lost something.
static LLVMValueRef set_last_if(Emitter *e, LLVMValueRef lost, LLVMValueRef down) {
  LLVMValueRef bits = LLVMBuildBitCast(e->builder, down, e->i32, "");
  LLVMValueRef odd = LLVMBuildOr(e->builder, bits, LLVMBuildZExt(e->builder, lost, e->i32, ""), "");
  return LLVMBuildBitCast(e->builder, odd, e->f32, "");
}

// fp64 to fp32, rounded to odd. NaN is kept: it compares unordered and loses nothing.
static LLVMValueRef narrow_to_odd(Emitter *e, LLVMValueRef x) {
  LLVMValueRef down = nvvm_call(e, "llvm.nvvm.d2f.rz", x);
  LLVMValueRef back = LLVMBuildFPExt(e->builder, down, e->f64, "");
  return set_last_if(e, LLVMBuildFCmp(e->builder, LLVMRealONE, back, x, ""), down);
}

// i64 or u64 to fp32, rounded to odd. Rounding toward zero never leaves the integer's range.
static LLVMValueRef int_to_odd(Emitter *e, LLVMValueRef x, bool is_signed) {
  LLVMValueRef down = nvvm_call(e, is_signed ? "llvm.nvvm.ll2f.rz" : "llvm.nvvm.ull2f.rz", x);
  LLVMValueRef back = is_signed ? LLVMBuildFPToSI(e->builder, down, e->i64, "")
                                : LLVMBuildFPToUI(e->builder, down, e->i64, "");
  return set_last_if(e, LLVMBuildICmp(e->builder, LLVMIntNE, back, x, ""), down);
}

LLVMValueRef emit_float_cast(Emitter *e, LLVMValueRef x, Elem from, Elem to) {
  if (from == to) return x;
  if (elem_is_fp8(from)) {
    x = emit_from_fp8(e, from, x);
    if (to == ELEM_FP16) return x;
  }
  x = emit_widen(e, x);
  bool from_double = LLVMTypeOf(x) == e->f64, narrow = to != ELEM_FP32 && to != ELEM_FP64;
  if (from_double && narrow) x = narrow_to_odd(e, x);
  if (elem_is_fp8(to)) return emit_to_fp8(e, to, x);
  LLVMTypeRef type = float_type(e, to);
  return LLVMBuildFPCast(e->builder, x, type, "");
}

static LLVMValueRef int_to_float(Emitter *e, LLVMValueRef x, Elem from, Elem to) {
  bool is_signed = elem_is_signed(from);
  bool narrow = to == ELEM_BF16 || to == ELEM_FP16 || elem_is_fp8(to);
  bool direct =
      to == ELEM_FP16 || (to == ELEM_BF16 && e->target->arch->has_bf16_of_int && elem_info(from)->bits >= 32);
  if (narrow && !direct) {
    bool exact = elem_info(from)->bits <= 16;
    LLVMValueRef wide = LLVMBuildIntCast2(e->builder, x, e->i64, is_signed, "");
    LLVMValueRef single = exact ? (is_signed ? LLVMBuildSIToFP(e->builder, x, e->f32, "")
                                             : LLVMBuildUIToFP(e->builder, x, e->f32, ""))
                                : int_to_odd(e, wide, is_signed);
    return emit_float_cast(e, single, ELEM_FP32, to);
  }
  LLVMTypeRef type = float_type(e, to);
  return is_signed ? LLVMBuildSIToFP(e->builder, x, type, "") : LLVMBuildUIToFP(e->builder, x, type, "");
}

// The rounding of a conversion to an integer. If x is rounded to an integer first, the conversion does both.
static const char *take_rounding(LLVMValueRef *x) {
  static const char *const names[][2] = {
      {"llvm.trunc.", "rz"}, {"llvm.rint.", "rn"}, {"llvm.floor.", "rm"}, {"llvm.ceil.", "rp"}};
  size_t length = 0;
  if (!LLVMIsACallInst(*x)) return "rz";
  const char *called = LLVMGetValueName2(LLVMGetCalledValue(*x), &length);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(called, names[i][0], strlen(names[i][0])) == 0) {
      *x = LLVMGetOperand(*x, 0);
      return names[i][1];
    }
  return "rz";
}

// Uses assembly, because LLVM has no such instruction with a defined result out of range.
static LLVMValueRef float_to_int16(Emitter *e, LLVMValueRef x, const char *rounding, bool is_signed) {
  bool from_double = LLVMTypeOf(x) == e->f64;
  const char *constraints = from_double ? "=h,d" : "=h,f";
  const char *text = arena_printf(e->arena, "cvt.%si.%c16.%s $0, $1;", rounding, is_signed ? 's' : 'u',
                                  from_double ? "f64" : "f32");
  return asm_of_text(e, e->i16, text, constraints, false, &x, 1);
}

// PTX's cvt saturates at 16, 32 and 64 bits. An 8-bit integer is the low byte of the 16-bit result.
static LLVMValueRef float_to_int(Emitter *e, LLVMValueRef x, Elem from, Elem to) {
  if (elem_is_fp8(from)) x = emit_from_fp8(e, from, x);
  x = emit_widen(e, x);
  uint32_t bits = elem_info(to)->bits;
  bool is_signed = elem_is_signed(to);
  const char *rounding = take_rounding(&x);
  if (bits < 32) {
    LLVMValueRef half = float_to_int16(e, x, rounding, is_signed);
    return LLVMBuildTrunc(e->builder, half, LLVMIntTypeInContext(e->context, bits), "");
  }
  const char *type = bits == 64 ? (is_signed ? "ll" : "ull") : is_signed ? "i" : "ui";
  return nvvm_call(
      e, arena_printf(e->arena, "llvm.nvvm.%c2%s.%s", LLVMTypeOf(x) == e->f64 ? 'd' : 'f', type, rounding), x);
}

static LLVMValueRef to_bool(Emitter *e, LLVMValueRef x, Elem from) {
  if (elem_is_fp8(from)) x = emit_from_fp8(e, from, x);
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x));
  if (elem_is_float(from)) return emit_float_compare(e, LLVMRealUNE, x, zero);
  return LLVMBuildICmp(e->builder, LLVMIntNE, x, zero, "");
}

LLVMValueRef emit_cast(Emitter *e, const Op *op, const LLVMValueRef *x) {
  const Type *source = type_element(op_operand(op, 0)->type), *target = type_element(op_result(op)->type);
  if (source == target || source->kind == TYPE_PTR || target->kind == TYPE_PTR) return emit_bitcast(e, op, x);
  Elem from = source->elem, to = target->elem;
  if (to == ELEM_I1) return to_bool(e, x[0], from);
  if (elem_is_float(from))
    return elem_is_float(to) ? emit_float_cast(e, x[0], from, to) : float_to_int(e, x[0], from, to);
  if (elem_is_float(to)) return int_to_float(e, x[0], from, to);
  LLVMValueRef number = op_attr(op, ATTR_FRESH) ? nvvm_fresh(e, x[0]) : x[0];
  return LLVMBuildIntCast2(e->builder, number, emit_type(e, target), elem_is_signed(from), "");
}

// fp16 as bf16, or the reverse. LLVM 22 has a bug: it compares absolute values of the second type by an `and` of the
// first. The instruction hides the first from it; ptxas removes it.
static LLVMValueRef other_half(Emitter *e, LLVMValueRef x, LLVMTypeRef to) {
  LLVMValueRef bits = LLVMBuildBitCast(e->builder, x, e->i16, "");
  bits = asm_of_text(e, e->i16, "mov.b16 $0, $1;", "=h,h", false, &bits, 1);
  return LLVMBuildBitCast(e->builder, bits, to, "");
}

LLVMValueRef emit_bitcast(Emitter *e, const Op *op, const LLVMValueRef *x) {
  LLVMTypeRef from = LLVMTypeOf(x[0]), to = emit_type(e, op_result(op)->type);
  if (from == to) return x[0];
  if (emit_is_half(e, from) && emit_is_half(e, to)) return other_half(e, x[0], to);
  if (from == e->ptr) {
    LLVMValueRef bits = LLVMBuildPtrToInt(e->builder, x[0], e->i64, "");
    return to == e->i64 ? bits : LLVMBuildBitCast(e->builder, bits, to, "");
  }
  if (to == e->ptr)
    return LLVMBuildIntToPtr(e->builder, LLVMBuildBitCast(e->builder, x[0], e->i64, ""), to, "");
  return LLVMBuildBitCast(e->builder, x[0], to, "");
}
