// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/nvvm/asm_call.h"

#include <string.h>
#include "codegen/inline_asm.h"
#include "codegen/nvvm/nvvm.h"

static char constraint_of(const Emitter *e, LLVMTypeRef type) {
  if (type == e->f32) return ASM_FP32;
  if (type == e->i64 || LLVMGetTypeKind(type) == LLVMPointerTypeKind) return ASM_INT64;
  if (type == e->i1) return ASM_PREDICATE;
  if (type == e->i16) return ASM_INT16;
  if (type == e->f64) return ASM_FP64;
  return ASM_INT32;
}

static uint32_t result_count(const AsmCall *call) {
  return (uint32_t)(call->results.n / sizeof(LLVMTypeRef));
}

static uint32_t operand_count(const AsmCall *call) { return (uint32_t)(call->args.n / sizeof(LLVMValueRef)); }

void asm_result(Emitter *e, AsmCall *call, LLVMTypeRef type) {
  buf_printf(&call->constraints, "%s=%s%c", result_count(call) ? "," : "", call->early ? "&" : "",
             constraint_of(e, type));
  buf_bytes(&call->results, &type, sizeof type);
}

static void add_argument(AsmCall *call, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  buf_bytes(&call->types, &type, sizeof type);
  buf_bytes(&call->args, &value, sizeof value);
}

uint32_t asm_operand(Emitter *e, AsmCall *call, LLVMValueRef value) {
  buf_printf(&call->constraints, "%s%c", result_count(call) + operand_count(call) ? "," : "",
             constraint_of(e, LLVMTypeOf(value)));
  add_argument(call, value);
  return result_count(call) + operand_count(call) - 1;
}

void asm_tied(AsmCall *call, LLVMValueRef value, uint32_t result) {
  buf_printf(&call->constraints, ",%u", result);
  add_argument(call, value);
}

void asm_words(Buf *text, uint32_t first, uint32_t count) {
  buf_char(text, '{');
  for (uint32_t i = 0; i < count; i++) buf_printf(text, "%s$%u", i ? "," : "", first + i);
  buf_char(text, '}');
}

LLVMValueRef asm_build(Emitter *e, AsmCall *call, AsmEffects effects, LLVMValueRef *results) {
  uint32_t count = result_count(call), operands = operand_count(call);
  LLVMTypeRef *result_types = (LLVMTypeRef *)(void *)call->results.at;
  LLVMTypeRef type = count == 0   ? LLVMVoidTypeInContext(e->context)
                     : count == 1 ? result_types[0]
                                  : LLVMStructTypeInContext(e->context, result_types, count, false);
  if (effects == ASM_ORDERED) buf_text(&call->constraints, count + operands ? ",~{memory}" : "~{memory}");
  LLVMTypeRef function = LLVMFunctionType(type, (LLVMTypeRef *)(void *)call->types.at, operands, false);
  LLVMValueRef code = LLVMGetInlineAsm(function, call->text.at, call->text.n,
                                       call->constraints.at ? call->constraints.at : "", call->constraints.n,
                                       effects != ASM_CONVERGENT, false, LLVMInlineAsmDialectATT, false);
  LLVMValueRef all =
      LLVMBuildCall2(e->builder, function, code, (LLVMValueRef *)(void *)call->args.at, operands, "");
  if (effects == ASM_ORDERED) nvvm_synchronises(e, all);
  if (effects == ASM_CONVERGENT) nvvm_stays(e, all);
  for (uint32_t i = 0; i < count; i++)
    results[i] = count == 1 ? all : LLVMBuildExtractValue(e->builder, all, i, "");
  Buf *owned[] = {&call->text, &call->constraints, &call->args, &call->types, &call->results};
  for (uint32_t i = 0; i < sizeof owned / sizeof *owned; i++) buf_free(owned[i]);
  return all;
}

LLVMValueRef asm_of_text(Emitter *e, LLVMTypeRef type, const char *text, const char *constraints,
                         bool effects, LLVMValueRef *args, uint32_t count) {
  LLVMTypeRef types[3];
  for (uint32_t i = 0; i < count; i++) types[i] = LLVMTypeOf(args[i]);
  LLVMTypeRef function = LLVMFunctionType(type, types, count, false);
  LLVMValueRef code = LLVMGetInlineAsm(function, text, strlen(text), constraints, strlen(constraints),
                                       effects, false, LLVMInlineAsmDialectATT, false);
  return LLVMBuildCall2(e->builder, function, code, args, count, "");
}
