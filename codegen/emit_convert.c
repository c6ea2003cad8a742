// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between layouts: a renaming of registers where threads keep their elements, else through shared
// memory, flat and unswizzled, between two barriers.
#include "codegen/emit.h"

#include "base/fault.h"
#include "codegen/nvvm.h"

// Register of `from` by element, as far as thread 0 holds it.
static void rename_registers(Emitter *e, const Value *x, const Layout *from, const Layout *to,
                             LLVMValueRef *out) {
  uint32_t *holder = ARENA_ARRAY(e->arena, uint32_t, 1u << from->out_bits); // register + 1
  for (uint32_t r = layout_registers(from); r-- > 0;) holder[layout_apply(from, r, 0, 0, 0)] = r + 1;
  for (uint32_t r = 0; r < layout_registers(to); r++) {
    uint32_t source = holder[layout_apply(to, r, 0, 0, 0)];
    if (!source) BUG("layouts differ in more than their registers");
    out[r] = emit_register(e, x, source - 1);
  }
}

// The kernel's one buffer for conversions, which follow one another between barriers: as large as the largest
// needs. Its name is no identifier of the language.
static LLVMValueRef shared_buffer(Emitter *e, uint32_t bytes) {
  if (e->shared && bytes <= e->shared_bytes) return e->shared;
  LLVMTypeRef type = LLVMArrayType2(e->i8, bytes);
  LLVMValueRef buffer = LLVMAddGlobalInAddressSpace(e->llvm, type, "convert$", NVVM_SHARED);
  LLVMSetInitializer(buffer, LLVMGetUndef(type));
  LLVMSetLinkage(buffer, LLVMInternalLinkage);
  LLVMSetAlignment(buffer, 16);
  if (e->shared) {
    LLVMReplaceAllUsesWith(e->shared, buffer);
    LLVMDeleteGlobal(e->shared);
  }
  e->shared = buffer;
  e->shared_bytes = bytes;
  return buffer;
}

static LLVMValueRef slot(Emitter *e, LLVMTypeRef element, LLVMValueRef buffer, const Layout *layout,
                         uint32_t r) {
  LLVMValueRef index = emit_index(e, layout, r);
  return LLVMBuildGEP2(e->builder, element, buffer, &index, 1, "");
}

static void through_shared(Emitter *e, const Value *x, const Layout *from, const Layout *to,
                           LLVMValueRef *out) {
  LLVMTypeRef element = emit_memory_type(e, x->type), in_register = emit_type(e, x->type);
  LLVMValueRef buffer = shared_buffer(e, type_element_bytes(x->type) << from->out_bits);
  for (uint32_t r = 0; r < layout_registers(from); r++) {
    LLVMValueRef value = emit_register(e, x, r);
    if (in_register == e->i1) value = LLVMBuildZExt(e->builder, value, e->i8, "");
    LLVMBuildStore(e->builder, value, slot(e, element, buffer, from, r));
  }
  nvvm_barrier(e);
  for (uint32_t r = 0; r < layout_registers(to); r++) {
    out[r] = LLVMBuildLoad2(e->builder, element, slot(e, element, buffer, to, r), "");
    if (in_register == e->i1) out[r] = LLVMBuildTrunc(e->builder, out[r], e->i1, "");
  }
  nvvm_barrier(e);
}

void emit_convert_layout(Emitter *e, Op *op) {
  const Value *x = op_operand(op, 0);
  const Layout *from = x->type->layout, *to = op_result(op)->type->layout;
  LLVMValueRef *out = emit_new(e, op_result(op));
  Conversion kind = layout_conversion(from, to);
  if (kind == CONVERT_NOTHING || kind == CONVERT_REGISTERS)
    rename_registers(e, x, from, to, out);
  else
    through_shared(e, x, from, to, out);
}
