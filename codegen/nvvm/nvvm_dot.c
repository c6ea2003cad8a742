// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor core instructions as inline assembly. One function builds the text for all types and sizes.
#include "codegen/nvvm/nvvm_dot.h"

#include "base/fault.h"
#include "codegen/nvvm/asm_call.h"
#include "codegen/nvvm/nvvm.h"
#include "codegen/llvm/ptx_moves.h"

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
  emit_needs_ptx(e, types->scales ? 87 : fp8 ? 84 : 65);
}

static void scaled_name(const MmaTypes *types, Buf *text) {
  const MmaScales *s = types->scales;
  bool pairs = types->a == ELEM_U8;
  const char *kind = !pairs ? "mxf8f6f4" : s->exponents ? "mxf4" : "mxf4nvf4";
  buf_printf(text, "mma.sync.aligned.m16n8k%u.row.col.kind::%s.block_scale.scale_vec::%uX.f32.%s.%s.f32.%s ",
             pairs ? 64 : 32, kind, 32 / s->group, pairs ? "e2m1" : type_name(types->a),
             pairs ? "e2m1" : type_name(types->b), s->exponents ? "ue8m0" : "ue4m3");
}

static void mma_name(const MmaTypes *types, bool half_k, Buf *text) {
  const char *sum_name = type_name(types->sum);
  if (types->scales)
    scaled_name(types, text);
  else
    buf_printf(text, "mma.sync.aligned.m16n8k%u.row.col.%s.%s.%s.%s ", k_of(types->a) / (half_k ? 2 : 1),
               sum_name, operand_name(types->a), operand_name(types->b), sum_name);
}

void nvvm_mma(Emitter *e, const MmaTypes *types, bool half_k, const LLVMValueRef *a, const LLVMValueRef *b,
              LLVMValueRef *sum) {
  uint32_t sums = types->sum == ELEM_FP16 ? 2 : 4, a_words = half_k ? 2 : 4, b_words = half_k ? 1 : 2;
  AsmCall call = {0};
  needs_version(e, types);
  for (uint32_t i = 0; i < sums; i++) asm_result(e, &call, LLVMTypeOf(sum[i]));
  for (uint32_t i = 0; i < a_words; i++) asm_operand(e, &call, a[i]);
  for (uint32_t i = 0; i < b_words; i++) asm_operand(e, &call, b[i]);
  for (uint32_t i = 0; i < sums; i++) asm_tied(&call, sum[i], i);
  mma_name(types, half_k, &call.text);
  asm_words(&call.text, 0, sums);
  buf_text(&call.text, ", ");
  asm_words(&call.text, sums, a_words);
  buf_text(&call.text, ", ");
  asm_words(&call.text, sums + a_words, b_words);
  buf_text(&call.text, ", ");
  asm_words(&call.text, 0, sums);
  if (types->scales) {
    const MmaScales *scales = types->scales;
    uint32_t x = asm_operand(e, &call, scales->a), y = asm_operand(e, &call, scales->b), byte = scales->byte;
    buf_printf(&call.text, ", $%u, {%u, 0}, $%u, {%u, 0}", x, byte, y, byte);
    e->arch_specific = true;
  }
  buf_char(&call.text, ';');
  asm_build(e, &call, ASM_CONVERGENT, sum);
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

static void wgmma_step(Emitter *e, AsmCall *call, const WgmmaGroup *g, const WgmmaStep *step) {
  uint32_t sums = g->types.sum == ELEM_FP16 ? step->n / 4 : step->n / 2;
  buf_printf(&call->text, "wgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s ", step->n, k_of(g->types.a),
             type_name(g->types.sum), operand_name(g->types.a), operand_name(g->types.b));
  asm_words(&call->text, step->sum, sums);
  buf_text(&call->text, ", ");
  uint32_t a = step->a ? asm_operand(e, call, step->a[0]) : asm_operand(e, call, step->a_descriptor);
  for (uint32_t i = 1; step->a && i < 4; i++) asm_operand(e, call, step->a[i]);
  if (step->a)
    asm_words(&call->text, a, 4);
  else
    buf_printf(&call->text, "$%u", a);
  buf_printf(&call->text, ", $%u", asm_operand(e, call, step->b_descriptor));
  wgmma_flags(g, step, &call->text);
}

// Builds all in one piece of assembly. LLVM needs as long for hundreds of operands as it needs for many
// instructions.
void nvvm_wgmma(Emitter *e, const WgmmaGroup *g, LLVMValueRef *sums, uint32_t sum_count) {
  AsmCall call = {.early = true};
  emit_needs_ptx(e, g->types.a == g->types.b ? 80 : 84);
  e->arch_specific = true;
  for (uint32_t i = 0; i < sum_count; i++) asm_result(e, &call, LLVMTypeOf(sums[i]));
  if (g->fresh) {
    LLVMValueRef word = LLVMBuildZExt(e->builder, g->fresh, e->i32, "");
    buf_printf(&call.text, "{\n\t.reg .pred adds;\n\tsetp.eq.b32 adds, $%u, 0;\n\t",
               asm_operand(e, &call, word));
  }
  buf_text(&call.text, "wgmma.fence.sync.aligned;\n\t");
  for (uint32_t i = 0; i < g->count; i++) wgmma_step(e, &call, g, &g->steps[i]);
  for (uint32_t i = 0; i < sum_count && !g->from_zero; i++) asm_tied(&call, sums[i], i);
  buf_text(&call.text,
           g->fresh ? "wgmma.commit_group.sync.aligned;\n\t}" : "wgmma.commit_group.sync.aligned;");
  asm_build(e, &call, ASM_ORDERED, sums);
}

// The same for many words: folds them into one number, two more for each instruction.
static void pin_together(AsmCall *call, uint32_t first, uint32_t count) {
  buf_printf(&call->text, "{\n\t.reg .pred never;\n\t.reg .b32 all;\n\tmov.b32 all, $%u;\n\t", first);
  for (uint32_t i = first + 1; i < first + count; i += 2)
    buf_printf(&call->text, "lop3.b32 all, all, $%u, $%u, 0x96;\n\t", i,
               i + 1 < first + count ? i + 1 : first);
  buf_text(&call->text, "setp.nan.f32 never, all, all;\n\tsetp.num.and.f32 never, all, all, never;\n\t"
                        "@never st.volatile.shared.b32 [all], all;\n\t}\n\t");
}

// ptxas moves a wait, which has no operands, up past everything except memory accesses. So a store depends on
// the values. Its condition, a number that is NaN and not NaN, is never true. ptxas does not know that.
static void pin_words(AsmCall *call, uint32_t first, uint32_t count) {
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
  AsmCall call = {0};
  emit_needs_ptx(e, 80);
  e->arch_specific = true;
  for (uint32_t i = 0; i < count; i++) asm_operand(e, &call, before[i]);
  if (pinned) pin_words(&call, 0, count);
  buf_printf(&call.text, "wgmma.wait_group.sync.aligned %u;", pending);
  asm_build(e, &call, ASM_ORDERED, NULL);
}

void nvvm_hold(Emitter *e, LLVMValueRef *values, uint32_t count) {
  AsmCall call = {0};
  for (uint32_t i = 0; i < count; i++) asm_result(e, &call, LLVMTypeOf(values[i]));
  for (uint32_t i = 0; i < count; i++) asm_tied(&call, values[i], i);
  buf_text(&call.text, PTX_HOLD);
  asm_build(e, &call, ASM_ORDERED, values);
}

void nvvm_copy(Emitter *e, LLVMValueRef *values, uint32_t count) {
  AsmCall call = {0};
  for (uint32_t i = 0; i < count; i++) asm_result(e, &call, LLVMTypeOf(values[i]));
  for (uint32_t i = 0; i < count; i++) asm_operand(e, &call, values[i]);
  buf_text(&call.text, PTX_COPY " ");
  asm_words(&call.text, 0, count);
  buf_text(&call.text, ", ");
  asm_words(&call.text, count, count);
  buf_char(&call.text, ';');
  asm_build(e, &call, ASM_ORDERED, values);
}
