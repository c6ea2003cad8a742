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

void asm_result(Emitter *e, AsmCall *call, LLVMTypeRef type) {
  buf_printf(&call->constraints, "%s=%s%c", call->results.n ? "," : "", call->early ? "&" : "",
             constraint_of(e, type));
  vec_push(e->arena, &call->results, type);
}

static void add_argument(Emitter *e, AsmCall *call, LLVMValueRef value) {
  vec_push(e->arena, &call->types, LLVMTypeOf(value));
  vec_push(e->arena, &call->args, value);
}

uint32_t asm_operand(Emitter *e, AsmCall *call, LLVMValueRef value) {
  buf_printf(&call->constraints, "%s%c", call->results.n + call->args.n ? "," : "",
             constraint_of(e, LLVMTypeOf(value)));
  add_argument(e, call, value);
  return call->results.n + call->args.n - 1;
}

void asm_tied(Emitter *e, AsmCall *call, LLVMValueRef value, uint32_t result) {
  buf_printf(&call->constraints, ",%u", result);
  add_argument(e, call, value);
}

void asm_words(Buf *text, uint32_t first, uint32_t count) {
  buf_char(text, '{');
  for (uint32_t i = 0; i < count; i++) buf_printf(text, "%s$%u", i ? "," : "", first + i);
  buf_char(text, '}');
}

LLVMValueRef asm_build(Emitter *e, AsmCall *call, AsmEffects effects, LLVMValueRef *results) {
  uint32_t count = call->results.n;
  LLVMTypeRef type = count == 0   ? LLVMVoidTypeInContext(e->context)
                     : count == 1 ? call->results.at[0]
                                  : LLVMStructTypeInContext(e->context, call->results.at, count, false);
  if (effects == ASM_ORDERED) buf_text(&call->constraints, count + call->args.n ? ",~{memory}" : "~{memory}");
  LLVMTypeRef function = LLVMFunctionType(type, call->types.at, call->types.n, false);
  LLVMValueRef code = LLVMGetInlineAsm(function, call->text.at, call->text.n,
                                       call->constraints.at ? call->constraints.at : "", call->constraints.n,
                                       effects != ASM_CONVERGENT, false, LLVMInlineAsmDialectATT, false);
  buf_free(&call->text);
  buf_free(&call->constraints);
  LLVMValueRef all = LLVMBuildCall2(e->builder, function, code, call->args.at, call->args.n, "");
  if (effects == ASM_ORDERED) nvvm_synchronises(e, all);
  if (effects == ASM_CONVERGENT) nvvm_stays(e, all);
  for (uint32_t i = 0; i < count; i++)
    results[i] = count == 1 ? all : LLVMBuildExtractValue(e->builder, all, i, "");
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
