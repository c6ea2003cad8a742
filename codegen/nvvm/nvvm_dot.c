// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor core instructions as inline assembly. One function builds the text for all types and sizes.
#include "codegen/nvvm/nvvm_dot.h"

#include <string.h>
#include "base/fault.h"
#include "codegen/inline_asm.h"
#include "codegen/nvvm/nvvm.h"
#include "codegen/llvm/ptx_moves.h"

// An inline assembly call whose results replace its first operands.
typedef struct TiedCall {
  Buf text, constraints;
  VEC(LLVMValueRef) args;
  VEC(LLVMTypeRef) types, results;
  // Results are written before all operands are read. An operand that is also tied needs another register.
  bool early;
} TiedCall;

static char constraint_of(const Emitter *e, LLVMTypeRef type) {
  if (type == e->f32) return ASM_FP32;
  if (type == e->i64 || LLVMGetTypeKind(type) == LLVMPointerTypeKind) return ASM_INT64;
  if (type == e->i16) return ASM_INT16;
  if (type == e->f64) return ASM_FP64;
  return ASM_INT32;
}

static void add_result(Emitter *e, TiedCall *call, LLVMValueRef tied) {
  LLVMTypeRef type = LLVMTypeOf(tied);
  buf_printf(&call->constraints, "%s=%s%c", call->results.n ? "," : "", call->early ? "&" : "",
             constraint_of(e, type));
  vec_push(e->arena, &call->results, type);
}

// Adds an operand after all results. Returns its number in the text.
static uint32_t add_operand(Emitter *e, TiedCall *call, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  buf_printf(&call->constraints, "%s%c", call->results.n + call->args.n ? "," : "", constraint_of(e, type));
  vec_push(e->arena, &call->types, type);
  vec_push(e->arena, &call->args, value);
  return call->results.n + call->args.n - 1;
}

static void add_tied(Emitter *e, TiedCall *call, LLVMValueRef value, uint32_t result) {
  buf_printf(&call->constraints, ",%u", result);
  vec_push(e->arena, &call->types, LLVMTypeOf(value));
  vec_push(e->arena, &call->args, value);
}

// Marks a warp's instruction that does not synchronise.
static void mark_convergent(Emitter *e, LLVMValueRef call) {
  unsigned kind = LLVMGetEnumAttributeKindForName("convergent", strlen("convergent"));
  LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                           LLVMCreateEnumAttribute(e->context, kind, 0));
}

// `ordered`: keeps its order with other memory accesses and ordered calls.
static void build_call(Emitter *e, TiedCall *call, bool ordered, LLVMValueRef *results) {
  LLVMTypeRef type = LLVMVoidTypeInContext(e->context);
  if (call->results.n == 1) type = call->results.at[0];
  if (call->results.n > 1)
    type = LLVMStructTypeInContext(e->context, call->results.at, call->results.n, false);
  if (ordered) buf_text(&call->constraints, call->results.n + call->args.n ? ",~{memory}" : "~{memory}");
  LLVMTypeRef function = LLVMFunctionType(type, call->types.at, call->types.n, false);
  LLVMValueRef code = LLVMGetInlineAsm(function, call->text.at, call->text.n,
                                       call->constraints.at ? call->constraints.at : "", call->constraints.n,
                                       ordered, false, LLVMInlineAsmDialectATT, false);
  buf_free(&call->text);
  buf_free(&call->constraints);
  LLVMValueRef all = LLVMBuildCall2(e->builder, function, code, call->args.at, call->args.n, "");
  if (ordered)
    nvvm_synchronises(e, all);
  else
    mark_convergent(e, all);
  for (uint32_t i = 0; i < call->results.n; i++)
    results[i] = call->results.n == 1 ? all : LLVMBuildExtractValue(e->builder, all, i, "");
}

static void word_list(Buf *text, uint32_t first, uint32_t count) {
  buf_char(text, '{');
  for (uint32_t i = 0; i < count; i++) buf_printf(text, "%s$%u", i ? "," : "", first + i);
  buf_char(text, '}');
}

static const char *type_name(Elem elem) {
  switch ((int)elem) {
  case ELEM_FP16: return "f16";
  case ELEM_BF16: return "bf16";
  case ELEM_FP32: return "f32";
  case ELEM_FP8E4NV: return "e4m3";
  case ELEM_FP8E5: return "e5m2";
  case ELEM_I8: return "s8";
  case ELEM_U8: return "u8";
  case ELEM_I32: return "s32";
  default: BUG("no tensor core takes %s", elem_info(elem)->name);
  }
}

static const char *operand_name(Elem elem) { return elem == ELEM_FP32 ? "tf32" : type_name(elem); }

// Elements of k in 32 bytes.
static uint32_t k_of(Elem elem) { return 256u / elem_info(elem)->bits; }

static void needs_version(Emitter *e, const MmaTypes *types) {
  bool fp8 = types->a == ELEM_FP8E4NV || types->a == ELEM_FP8E5;
  emit_needs_ptx(e, fp8 ? 84 : 65);
}

void nvvm_mma(Emitter *e, const MmaTypes *types, bool half_k, const LLVMValueRef *a, const LLVMValueRef *b,
              LLVMValueRef *sum) {
  uint32_t sums = types->sum == ELEM_FP16 ? 2 : 4, a_words = half_k ? 2 : 4, b_words = half_k ? 1 : 2;
  TiedCall call = {0};
  needs_version(e, types);
  for (uint32_t i = 0; i < sums; i++) add_result(e, &call, sum[i]);
  for (uint32_t i = 0; i < a_words; i++) add_operand(e, &call, a[i]);
  for (uint32_t i = 0; i < b_words; i++) add_operand(e, &call, b[i]);
  for (uint32_t i = 0; i < sums; i++) add_tied(e, &call, sum[i], i);
  const char *sum_name = type_name(types->sum);
  buf_printf(&call.text, "mma.sync.aligned.m16n8k%u.row.col.%s.%s.%s.%s ", k_of(types->a) / (half_k ? 2 : 1),
             sum_name, operand_name(types->a), operand_name(types->b), sum_name);
  word_list(&call.text, 0, sums);
  buf_text(&call.text, ", ");
  word_list(&call.text, sums, a_words);
  buf_text(&call.text, ", ");
  word_list(&call.text, sums + a_words, b_words);
  buf_text(&call.text, ", ");
  word_list(&call.text, 0, sums);
  buf_char(&call.text, ';');
  build_call(e, &call, false, sum);
}

// The scale of the accumulator: 0, 1 or a predicate. For floats also the signs of a and b; for 16-bit types,
// the operands that are transposed.
static void wgmma_flags(const WgmmaGroup *g, const WgmmaStep *step, Buf *text) {
  const char *before = g->from_zero ? ", 0" : g->fresh ? ", adds" : ", 1";
  bool integer = g->types.sum == ELEM_I32, half = elem_info(g->types.a)->bits == 16;
  buf_text(text, step->begins ? before : ", 1");
  if (!integer) buf_text(text, ", 1, 1");
  if (half && !step->a) buf_printf(text, ", %d", g->a_transposed);
  if (half) buf_printf(text, ", %d", g->b_transposed);
  buf_text(text, ";\n\t");
}

static void wgmma_step(Emitter *e, TiedCall *call, const WgmmaGroup *g, const WgmmaStep *step) {
  uint32_t sums = g->types.sum == ELEM_FP16 ? step->n / 4 : step->n / 2;
  buf_printf(&call->text, "wgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s ", step->n, k_of(g->types.a),
             type_name(g->types.sum), operand_name(g->types.a), operand_name(g->types.b));
  word_list(&call->text, step->sum, sums);
  buf_text(&call->text, ", ");
  uint32_t a = step->a ? add_operand(e, call, step->a[0]) : add_operand(e, call, step->a_descriptor);
  for (uint32_t i = 1; step->a && i < 4; i++) add_operand(e, call, step->a[i]);
  if (step->a)
    word_list(&call->text, a, 4);
  else
    buf_printf(&call->text, "$%u", a);
  buf_printf(&call->text, ", $%u", add_operand(e, call, step->b_descriptor));
  wgmma_flags(g, step, &call->text);
}

// Builds all in one piece of assembly. LLVM needs as long for hundreds of operands as it needs for many
// instructions.
void nvvm_wgmma(Emitter *e, const WgmmaGroup *g, LLVMValueRef *sums, uint32_t sum_count) {
  TiedCall call = {.early = true};
  emit_needs_ptx(e, g->types.a == g->types.b ? 80 : 84);
  e->arch_specific = true;
  for (uint32_t i = 0; i < sum_count; i++) add_result(e, &call, sums[i]);
  if (g->fresh) {
    LLVMValueRef word = LLVMBuildZExt(e->builder, g->fresh, e->i32, "");
    buf_printf(&call.text, "{\n\t.reg .pred adds;\n\tsetp.eq.b32 adds, $%u, 0;\n\t",
               add_operand(e, &call, word));
  }
  buf_text(&call.text, "wgmma.fence.sync.aligned;\n\t");
  for (uint32_t i = 0; i < g->count; i++) wgmma_step(e, &call, g, &g->steps[i]);
  for (uint32_t i = 0; i < sum_count && !g->from_zero; i++) add_tied(e, &call, sums[i], i);
  buf_text(&call.text,
           g->fresh ? "wgmma.commit_group.sync.aligned;\n\t}" : "wgmma.commit_group.sync.aligned;");
  build_call(e, &call, true, sums);
}

// The same for many words: folds them into one number, two more for each instruction.
static void pin_together(TiedCall *call, uint32_t first, uint32_t count) {
  buf_printf(&call->text, "{\n\t.reg .pred never;\n\t.reg .b32 all;\n\tmov.b32 all, $%u;\n\t", first);
  for (uint32_t i = first + 1; i < first + count; i += 2)
    buf_printf(&call->text, "lop3.b32 all, all, $%u, $%u, 0x96;\n\t", i,
               i + 1 < first + count ? i + 1 : first);
  buf_text(&call->text, "setp.nan.f32 never, all, all;\n\tsetp.num.and.f32 never, all, all, never;\n\t"
                        "@never st.volatile.shared.b32 [all], all;\n\t}\n\t");
}

// ptxas moves a wait, which has no operands, up past everything except memory accesses. So a store depends on
// the values. Its condition, a number that is NaN and not NaN, is never true. ptxas does not know that.
static void pin_words(TiedCall *call, uint32_t first, uint32_t count) {
  enum { FEW_WORDS = 4 };
  if (count > FEW_WORDS) {
    pin_together(call, first, count);
    return;
  }
  buf_text(&call->text, "{\n\t.reg .pred never;\n\t");
  for (uint32_t i = first; i < first + count; i++)
    buf_printf(&call->text,
               "setp.nan.f32 never, $%u, $%u;\n\tsetp.num.and.f32 never, $%u, $%u, never;\n\t"
               "@never st.volatile.shared.b32 [$%u], $%u;\n\t",
               i, i, i, i, i, i);
  buf_text(&call->text, "}\n\t");
}

void nvvm_wgmma_wait(Emitter *e, uint32_t pending, const LLVMValueRef *before, uint32_t count, bool pinned) {
  TiedCall call = {0};
  emit_needs_ptx(e, 80);
  e->arch_specific = true;
  for (uint32_t i = 0; i < count; i++) add_operand(e, &call, before[i]);
  if (pinned) pin_words(&call, 0, count);
  buf_printf(&call.text, "wgmma.wait_group.sync.aligned %u;", pending);
  build_call(e, &call, true, NULL);
}

void nvvm_hold(Emitter *e, LLVMValueRef *values, uint32_t count) {
  TiedCall call = {0};
  for (uint32_t i = 0; i < count; i++) add_result(e, &call, values[i]);
  for (uint32_t i = 0; i < count; i++) add_tied(e, &call, values[i], i);
  buf_text(&call.text, PTX_HOLD);
  build_call(e, &call, true, values);
}

void nvvm_copy(Emitter *e, LLVMValueRef *values, uint32_t count) {
  TiedCall call = {0};
  for (uint32_t i = 0; i < count; i++) add_result(e, &call, values[i]);
  for (uint32_t i = 0; i < count; i++) add_operand(e, &call, values[i]);
  buf_text(&call.text, PTX_COPY " ");
  word_list(&call.text, 0, count);
  buf_text(&call.text, ", ");
  word_list(&call.text, count, count);
  buf_char(&call.text, ';');
  build_call(e, &call, true, values);
}
