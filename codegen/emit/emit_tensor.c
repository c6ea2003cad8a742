// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TMA copies and stores, and mbarriers. The region's first thread executes them. Consecutive ops of this kind
// share one branch.
#include "base/fault.h"
#include "codegen/emit/emit.h"
#include "codegen/nvvm/asm_call.h"
#include "codegen/nvvm/nvvm.h"
#include "ir/memory/groups.h"
#include "ir/memory/sync.h"
#include "ir/memory/tensor_box.h"

enum { MBARRIER_BYTES = 8, COPY_BUFFER = 1, COPY_MBARRIER = 2, COPY_COORDINATES = 3, STORE_COORDINATES = 2 };

static LLVMValueRef shared_word(Emitter *e, const Value *buffer) {
  return LLVMBuildPtrToInt(e->builder, emit_shared_address(e, buffer), e->i32, "");
}

// An instruction without result. Its operands have 32 bits, after one of 64 bits if `wide` is given.
static void order_with(Emitter *e, const char *text, LLVMValueRef wide, LLVMValueRef *args, uint32_t count) {
  AsmCall call = {0};
  buf_text(&call.text, text);
  if (wide) asm_operand(e, &call, wide);
  for (uint32_t i = 0; i < count; i++) asm_operand(e, &call, args[i]);
  asm_build(e, &call, ASM_ORDERED, NULL);
}

// --- mbarriers

static void each_mbarrier(Emitter *e, const Op *op, const char *text) {
  const Value *buffer = op_operand(op, 0);
  LLVMValueRef first = shared_word(e, buffer);
  for (uint32_t i = 0; i < type_elements(buffer->type); i++) {
    LLVMValueRef at = LLVMBuildAdd(e->builder, first, emit_i32(e, i * MBARRIER_BYTES), "");
    order_with(e, text, NULL, &at, 1);
  }
}

static void emit_init(Emitter *e, const Op *op) {
  each_mbarrier(e, op,
                arena_printf(e->arena, "mbarrier.init.shared::cta.b64 [$0], %u;",
                             (uint32_t)op_int(op, ATTR_ARRIVALS, 1)));
  nvvm_order(e, "fence.mbarrier_init.release.cluster", ""); // copies complete there through the other proxy
}

static void emit_expect(Emitter *e, const Op *op) {
  LLVMValueRef args[] = {shared_word(e, op_operand(op, 0)), emit_i32(e, (uint32_t)op_int(op, ATTR_BYTES, 0))};
  order_with(e, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", NULL, args, 2);
}

// The warp's lanes synchronise and one of them arrives. In a region of one thread, that thread arrives, or the tensor
// core when the thread's dots are done.
static void emit_arrive(Emitter *e, const Op *op) {
  bool thread = group_runs_by_thread(op);
  LLVMValueRef at = shared_word(e, op_operand(op, 0)), first = emit_i32(e, 0);
  if (op_follows_dots(op)) {
    order_with(e, "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [$0];", NULL, &at,
               1);
    return;
  }
  LLVMBasicBlockRef past = NULL;
  if (!thread) nvvm_warp_barrier(e);
  if (!thread) past = emit_guard(e, LLVMBuildICmp(e->builder, LLVMIntEQ, e->threads.lane, first, ""));
  order_with(e, "mbarrier.arrive.shared::cta.b64 _, [$0];", NULL, &at, 1);
  if (past) emit_unguard(e, past);
}

// try_wait may give up, so it is retried.
void emit_mbarrier_wait(Emitter *e, LLVMValueRef mbarrier, LLVMValueRef parity) {
  LLVMValueRef args[] = {mbarrier, parity};
  order_with(e,
             "{\n\t.reg .pred %done;\n"
             "again:\n\tmbarrier.try_wait.parity.shared::cta.b64 %done, [$0], $1;\n"
             "\t@%done bra complete;\n\tbra again;\ncomplete:\n\t}",
             NULL, args, 2);
}

// --- copies

// Adds the coordinates of TMA tile i as operands from args[n] on. The text names them from $first on.
static void add_coordinates(Emitter *e, const Op *op, const TensorBox *box, uint32_t i, uint32_t operand,
                            Buf *text, LLVMValueRef *args, uint32_t first) {
  uint32_t last = op_operand(op, 0)->type->rank - 1;
  for (uint32_t d = 0; d <= last; d++) { // innermost first
    LLVMValueRef at = emit_register(e, op_operand(op, operand + last - d), 0);
    if (d == 0) at = LLVMBuildAdd(e->builder, at, emit_i32(e, i * box->shape[box->rank - 1]), "");
    args[d] = at;
    buf_printf(text, "%s$%u", d ? ", " : "", first + d);
  }
}

static LLVMValueRef map_address(Emitter *e, const Op *op) {
  return LLVMBuildPtrToInt(e->builder, emit_register(e, op_operand(op, 0), 0), e->i64, "");
}

static LLVMValueRef box_address(Emitter *e, const Op *op, const TensorBox *box, uint32_t i) {
  LLVMValueRef buffer = shared_word(e, op_operand(op, COPY_BUFFER));
  return LLVMBuildAdd(e->builder, buffer, emit_i32(e, i * box->distance), "");
}

static void copy_box(Emitter *e, const Op *op, const TensorBox *box, uint32_t i) {
  LLVMValueRef map = map_address(e, op), args[2 + TENSOR_MAP_MAX_RANK];
  uint32_t rank = op_operand(op, 0)->type->rank;
  Buf text = {0};
  args[0] = box_address(e, op, box, i);
  args[1] = shared_word(e, op_operand(op, COPY_MBARRIER));
  buf_printf(&text,
             "cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$1], [$0, {",
             rank);
  add_coordinates(e, op, box, i, COPY_COORDINATES, &text, args + 2, 3);
  buf_text(&text, "}], [$2];");
  buf_char(&text, 0);
  order_with(e, text.at, map, args, 2 + rank);
  buf_free(&text);
}

static void store_box(Emitter *e, const Op *op, const TensorBox *box, uint32_t i) {
  LLVMValueRef map = map_address(e, op), args[1 + TENSOR_MAP_MAX_RANK];
  uint32_t rank = op_operand(op, 0)->type->rank;
  Buf text = {0};
  args[0] = box_address(e, op, box, i);
  buf_printf(&text, "cp.async.bulk.tensor.%ud.global.shared::cta.tile.bulk_group [$0, {", rank);
  add_coordinates(e, op, box, i, STORE_COORDINATES, &text, args + 1, 2);
  buf_text(&text, "}], [$1];");
  buf_char(&text, 0);
  order_with(e, text.at, map, args, 1 + rank);
  buf_free(&text);
}

static void emit_boxes(Emitter *e, const Op *op,
                       void (*emit)(Emitter *e, const Op *op, const TensorBox *box, uint32_t i)) {
  TensorBox box;
  if (!tensor_op_box(op, &box)) BUG("a buffer that TMA tiles do not fill");
  emit_needs_ptx(e, 80);
  for (uint32_t i = 0; i < box.count; i++) emit(e, op, &box, i);
}

static void emit_store_wait(Emitter *e, const Op *op) {
  const char *pending = arena_printf(e->arena, " %u", (uint32_t)op_int(op, ATTR_PENDING, 0));
  emit_needs_ptx(e, 80);
  nvvm_order(e, op_attr(op, ATTR_READ) ? "cp.async.bulk.wait_group.read" : "cp.async.bulk.wait_group",
             pending);
}

// --- programs of the grid

static void emit_take(Emitter *e, const Op *op) {
  LLVMValueRef args[] = {shared_word(e, op_operand(op, 0)), shared_word(e, op_operand(op, 1))};
  emit_needs_ptx(e, 86);
  order_with(e,
             "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [$0], "
             "[$1];",
             NULL, args, 2);
}

// Orders the thread's read before the next answer, which the other proxy writes.
void emit_taken_program(Emitter *e, Op *op) {
  LLVMValueRef numbers[1 + PROGRAM_AXES];
  AsmCall call = {0};
  for (uint32_t i = 0; i <= PROGRAM_AXES; i++) asm_result(e, &call, e->i32);
  buf_printf(&call.text,
             "{\n\t.reg .b64 %%low, %%high;\n\t.reg .b128 %%place;\n\t.reg .pred %%taken;\n\t"
             "ld.shared.v2.b64 {%%low, %%high}, [$%u];\n\tmov.b128 %%place, {%%low, %%high};\n\t"
             "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %%taken, %%place;\n\t"
             "selp.b32 $0, 1, 0, %%taken;\n\t"
             "@%%taken clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {$1, $2, $3, _}, "
             "%%place;\n\tfence.proxy.async.shared::cta;\n\t}",
             asm_operand(e, &call, shared_word(e, op_operand(op, 0))));
  asm_build(e, &call, ASM_ORDERED, numbers);
  for (uint32_t i = 0; i <= PROGRAM_AXES; i++) emit_new(e, &op->results[i])[0] = numbers[i];
}

// --- one thread

static bool is_of_one(const Op *op) { return op && op_has(op, SINGLE); }

void emit_tensor_op(Emitter *e, Op *op) {
  if (op->kind == OP_MBARRIER_WAIT || op->kind == OP_MBARRIER_ARRIVE) {
    emit_needs_ptx(e, 80);
    if (op->kind == OP_MBARRIER_WAIT)
      emit_mbarrier_wait(e, shared_word(e, op_operand(op, 0)), emit_register(e, op_operand(op, 1), 0));
    else
      emit_arrive(e, op);
    return;
  }
  if (!is_of_one(op->prev))
    e->guard_end = emit_guard(e, LLVMBuildICmp(e->builder, LLVMIntEQ, e->threads.thread, emit_i32(e, 0), ""));
  switch ((int)op->kind) {
  case OP_MBARRIER_INIT: emit_init(e, op); break;
  case OP_MBARRIER_INVAL: each_mbarrier(e, op, "mbarrier.inval.shared::cta.b64 [$0];"); break;
  case OP_MBARRIER_EXPECT: emit_expect(e, op); break;
  case OP_TMA_COPY: emit_boxes(e, op, copy_box); break;
  case OP_TAKE_PROGRAM: emit_take(e, op); break;
  case OP_TMA_STORE: emit_boxes(e, op, store_box); break;
  case OP_TMA_STORE_COMMIT: nvvm_order(e, "cp.async.bulk.commit_group", ""); break;
  case OP_TMA_STORE_WAIT: emit_store_wait(e, op); break;
  default: BUG("%s is not a TMA copy's", op_info(op->kind)->name);
  }
  if (!is_of_one(op->next)) emit_unguard(e, e->guard_end);
}
