// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between layouts: a renaming of registers where threads keep their elements, shuffles where
// warps do, else through the op's scratch buffer.
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

static void through_shared(Emitter *e, const Op *op, LLVMValueRef *out) {
  const Value *x = op_operand(op, 0), *scratch = op_scratch(op);
  SharedAccess write = emit_shared_access(e, scratch, x->type, NULL);
  SharedAccess read = emit_shared_access(e, scratch, op_result(op)->type, NULL);
  emit_shared_write_tile(e, &write, x->type->layout, emit_get(e, x));
  nvvm_barrier(e);
  emit_shared_read(e, &read, out);
}

void emit_convert_layout(Emitter *e, Op *op) {
  const Value *x = op_operand(op, 0);
  const Layout *from = x->type->layout, *to = op_result(op)->type->layout;
  LLVMValueRef *out = emit_new(e, op_result(op));
  Conversion kind = layout_conversion(from, to);
  if (kind == CONVERT_NOTHING || kind == CONVERT_REGISTERS)
    rename_registers(e, x, from, to, out);
  else
    through_shared(e, op, out);
}
