// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TMA copies and stores, and mbarriers. The region's first thread executes them. Consecutive ops of this kind
// share one branch.
#include "base/fault.h"
#include "codegen/emit/emit.h"
#include "codegen/nvvm/asm_call.h"
#include "codegen/nvvm/nvvm.h"
#include "ir/memory/groups.h"
#include "ir/memory/scratch.h"
#include "ir/queries.h"
#include "ir/memory/tensor_box.h"

enum { MBARRIER_BYTES = 8, COPY_BUFFER = 1, COPY_MBARRIER = 2, COPY_COORDINATES = 3, STORE_COORDINATES = 2 };

LLVMValueRef emit_shared_word(Emitter *e, const Value *buffer) {
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

bool emit_elects(const Emitter *e) { return target_has(e->target->arch, FEATURE_TCGEN05); }

// --- pairs of CTAs

// The CTA's number in its pair, i32.
static LLVMValueRef emit_pair_rank(Emitter *e) {
  return nvvm_call(e, "llvm.nvvm.read.ptx.sreg.cluster.ctarank", NULL);
}

LLVMValueRef emit_is_first(Emitter *e) {
  return LLVMBuildICmp(e->builder, LLVMIntEQ, emit_pair_rank(e), emit_i32(e, 0), "");
}

void emit_cluster_barrier(Emitter *e) {
  nvvm_order(e, "barrier.cluster.arrive.release", "");
  nvvm_order(e, "barrier.cluster.wait.acquire", "");
}

// True if the buffer, or the one that it is a part of, has the mark.
static bool is_marked(const Value *buffer, AttrKey mark) {
  const Op *alloc = value_viewed(buffer)->def;
  return alloc && op_attr(alloc, mark);
}

// True if threads of both CTAs arrive at the first one's mbarrier.
static bool orders_both(const Value *mbarrier) {
  for (const Use *use = value_viewed(mbarrier)->first_use; use; use = use->next)
    if (use->user->kind == OP_MBARRIER_INIT && op_attr(use->user, ATTR_PAIR_ARRIVALS)) return true;
  return false;
}

// --- mbarriers

static void each_mbarrier(Emitter *e, const Op *op, const char *text) {
  const Value *buffer = op_operand(op, 0);
  LLVMValueRef first = emit_shared_word(e, buffer);
  for (uint32_t i = 0; i < type_elements(buffer->type); i++) {
    LLVMValueRef at = LLVMBuildAdd(e->builder, first, emit_i32(e, i * MBARRIER_BYTES), "");
    order_with(e, text, NULL, &at, 1);
  }
}

static void emit_init(Emitter *e, const Op *op) {
  each_mbarrier(e, op,
                arena_printf(e->arena, "mbarrier.init.shared::cta.b64 [$0], %u;",
                             (uint32_t)op_int(op, ATTR_PAIR_ARRIVALS, op_int(op, ATTR_ARRIVALS, 1))));
  nvvm_order(e, "fence.mbarrier_init.release.cluster", ""); // copies complete there through the other proxy
}

static void emit_expect(Emitter *e, const Op *op) {
  uint32_t bytes = (uint32_t)op_int(op, ATTR_PAIR_BYTES, op_int(op, ATTR_BYTES, 0));
  LLVMValueRef args[] = {emit_shared_word(e, op_operand(op, 0)), emit_i32(e, bytes), NULL};
  if (op_attr(op, ATTR_PAIR_BYTES)) {
    args[2] = emit_pair_rank(e);
    order_with(e,
               "{\n\t.reg .pred %first;\n\tsetp.eq.u32 %first, $2, 0;\n\t"
               "@%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;\n\t}",
               NULL, args, 3);
    return;
  }
  order_with(e, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", NULL, args, 2);
}

// The warp's lanes synchronise and one of them arrives. In a region of one thread, that thread arrives, or the tensor
// core when the thread's dots are done.
static void emit_arrive(Emitter *e, const Op *op) {
  bool thread = group_runs_by_thread(op);
  LLVMValueRef at = emit_shared_word(e, op_operand(op, 0)), first = emit_i32(e, 0);
  if (op_follows_dots(op) && e->pair) {
    LLVMValueRef args[] = {at, LLVMConstInt(e->i16, 3, false)};
    order_with(
        e,
        "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [$0], "
        "$1;",
        NULL, args, 2);
    return;
  }
  if (op_follows_dots(op)) {
    order_with(e, "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [$0];", NULL, &at,
               1);
    return;
  }
  LLVMBasicBlockRef past = NULL;
  if (!thread) nvvm_warp_barrier(e);
  if (!thread) past = emit_guard(e, LLVMBuildICmp(e->builder, LLVMIntEQ, e->threads.lane, first, ""));
  order_with(e,
             is_marked(op_operand(op, 0), ATTR_PAIR)
                 ? "{\n\t.reg .b32 %first;\n\tmapa.shared::cluster.u32 %first, $0, 0;\n\t"
                   "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%first];\n\t}"
                 : "mbarrier.arrive.shared::cta.b64 _, [$0];",
             NULL, &at, 1);
  if (past) emit_unguard(e, past);
}

// try_wait may give up, so it is retried.
static void wait_in_scope(Emitter *e, const char *scope, LLVMValueRef mbarrier, LLVMValueRef parity) {
  LLVMValueRef args[] = {mbarrier, parity};
  order_with(e,
             arena_printf(e->arena,
                          "{\n\t.reg .pred %%done;\n"
                          "again:\n\tmbarrier.try_wait.parity%s.shared::cta.b64 %%done, [$0], $1;\n"
                          "\t@%%done bra complete;\n\tbra again;\ncomplete:\n\t}",
                          scope),
             NULL, args, 2);
}

void emit_mbarrier_wait(Emitter *e, LLVMValueRef mbarrier, LLVMValueRef parity) {
  wait_in_scope(e, "", mbarrier, parity);
}

// The other CTA of a pair does not wait for what the first one does.
static void emit_wait(Emitter *e, const Op *op) {
  bool first = is_marked(op_operand(op, 0), ATTR_PAIR);
  LLVMBasicBlockRef past = emit_guard(e, first ? emit_is_first(e) : NULL);
  const char *scope = first && orders_both(op_operand(op, 0)) ? ".acquire.cluster" : "";
  wait_in_scope(e, scope, emit_shared_word(e, op_operand(op, 0)), emit_register(e, op_operand(op, 1), 0));
  emit_unguard(e, past);
}

// --- copies

// Adds the coordinates of TMA tile i as operands from args[n] on. The text names them from $first on. `shift`: of the
// columns, or of the rows of a single tile; NULL: none.
static void add_coordinates(Emitter *e, const Op *op, const TensorBox *box, uint32_t i, uint32_t operand,
                            Buf *text, LLVMValueRef *args, uint32_t first, LLVMValueRef shift) {
  uint32_t last = op_operand(op, 0)->type->rank - 1;
  for (uint32_t d = 0; d <= last; d++) { // innermost first
    LLVMValueRef at = emit_register(e, op_operand(op, operand + last - d), 0);
    if (d == 0) at = LLVMBuildAdd(e->builder, at, emit_i32(e, i * box->shape[box->rank - 1]), "");
    bool rows = d && op_operand(op, 0)->type->shape[last - d] > 1;
    if (shift && (box->count > 1 ? d == 0 : rows)) at = LLVMBuildAdd(e->builder, at, shift, "");
    args[d] = at;
    buf_printf(text, "%s$%u", d ? ", " : "", first + d);
  }
}

static LLVMValueRef map_address(Emitter *e, const Op *op) {
  return LLVMBuildPtrToInt(e->builder, emit_register(e, op_operand(op, 0), 0), e->i64, "");
}

static LLVMValueRef box_address(Emitter *e, const Op *op, const TensorBox *box, uint32_t i) {
  LLVMValueRef buffer = emit_shared_word(e, op_operand(op, COPY_BUFFER));
  return LLVMBuildAdd(e->builder, buffer, emit_i32(e, i * box->distance), "");
}

// The place of the CTA's half of a pair's matrix, in columns or rows. NULL: it has the whole matrix.
static LLVMValueRef half_of(Emitter *e, const Op *copy, const TensorBox *box) {
  if (!is_marked(op_operand(copy, COPY_BUFFER), ATTR_HALF)) return NULL;
  uint32_t extent = box->count > 1 ? box->count * box->shape[1] : box->shape[0];
  return LLVMBuildMul(e->builder, emit_pair_rank(e), emit_i32(e, extent / 2), "");
}

// Both CTAs of a pair count at the first one's mbarrier, whose address has no bit 24.
static void copy_box(Emitter *e, const Op *op, const TensorBox *box, uint32_t i) {
  const uint32_t first_cta = 0xfeffffff;
  LLVMValueRef map = map_address(e, op), args[2 + TENSOR_MAP_MAX_RANK];
  uint32_t rank = op_operand(op, 0)->type->rank;
  Buf text = {0};
  args[0] = box_address(e, op, box, i);
  args[1] = emit_shared_word(e, op_operand(op, COPY_MBARRIER));
  if (e->pair) args[1] = LLVMBuildAnd(e->builder, args[1], emit_i32(e, first_cta), "");
  buf_printf(
      &text,
      "cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes%s [$1], [$0, {",
      rank, e->pair ? ".cta_group::2" : "");
  add_coordinates(e, op, box, i, COPY_COORDINATES, &text, args + 2, 3, half_of(e, op, box));
  buf_text(&text, "}], [$2];");
  buf_char(&text, 0);
  order_with(e, text.at, map, args, 2 + rank);
  buf_free(&text);
}

static void emit_bulk_copy(Emitter *e, const Op *op) {
  const Type *type = op_operand(op, COPY_BUFFER)->type;
  uint32_t parts = op->operand_count - COPY_MBARRIER, bytes = (uint32_t)shared_bytes(type) / parts;
  LLVMValueRef buffer = emit_shared_word(e, op_operand(op, COPY_BUFFER)),
               args[] = {NULL, emit_i32(e, bytes), emit_shared_word(e, op_operand(op, COPY_MBARRIER))};
  emit_needs_ptx(e, 80);
  for (uint32_t i = 0; i < parts; i++) {
    LLVMValueRef from = emit_register(e, op_operand(op, i ? COPY_MBARRIER + i : 0), 0);
    args[0] = LLVMBuildAdd(e->builder, buffer, emit_i32(e, i * bytes), "");
    order_with(e, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$1], [$0], $2, [$3];",
               LLVMBuildPtrToInt(e->builder, from, e->i64, ""), args, 3);
  }
}

static void store_box(Emitter *e, const Op *op, const TensorBox *box, uint32_t i) {
  LLVMValueRef map = map_address(e, op), args[1 + TENSOR_MAP_MAX_RANK];
  uint32_t rank = op_operand(op, 0)->type->rank;
  Buf text = {0};
  args[0] = box_address(e, op, box, i);
  buf_printf(&text, "cp.async.bulk.tensor.%ud.global.shared::cta.tile.bulk_group [$0, {", rank);
  add_coordinates(e, op, box, i, STORE_COORDINATES, &text, args + 1, 2, NULL);
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
  bool half = box.count > 1 && is_marked(op_operand(op, COPY_BUFFER), ATTR_HALF);
  for (uint32_t i = 0; i < box.count >> half; i++) emit(e, op, &box, i);
}

static void emit_store_wait(Emitter *e, const Op *op) {
  const char *pending = arena_printf(e->arena, " %u", (uint32_t)op_int(op, ATTR_PENDING, 0));
  emit_needs_ptx(e, 80);
  nvvm_order(e, op_attr(op, ATTR_READ) ? "cp.async.bulk.wait_group.read" : "cp.async.bulk.wait_group",
             pending);
}

// --- programs of the grid

static void emit_take(Emitter *e, const Op *op) {
  LLVMValueRef args[] = {emit_shared_word(e, op_operand(op, 0)), emit_shared_word(e, op_operand(op, 1)),
                         NULL};
  emit_needs_ptx(e, 86);
  if (e->pair) {
    args[2] = emit_pair_rank(e);
    order_with(e,
               "{\n\t.reg .pred %first;\n\tsetp.eq.u32 %first, $2, 0;\n\t"
               "@%first clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
               ".multicast::cluster::all.b128 [$0], [$1];\n\t}",
               NULL, args, 3);
    return;
  }
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
             asm_operand(e, &call, emit_shared_word(e, op_operand(op, 0))));
  asm_build(e, &call, ASM_ORDERED, numbers);
  if (e->pair) numbers[1] = LLVMBuildAdd(e->builder, numbers[1], emit_pair_rank(e), "");
  for (uint32_t i = 0; i <= PROGRAM_AXES; i++) emit_new(e, &op->results[i])[0] = numbers[i];
}

// --- one thread

static bool is_of_one(const Op *op) { return op && op_has(op, SINGLE); }

void emit_tensor_op(Emitter *e, Op *op) {
  if (op->kind == OP_MBARRIER_WAIT || op->kind == OP_MBARRIER_ARRIVE) {
    emit_needs_ptx(e, 80);
    if (op->kind == OP_MBARRIER_WAIT)
      emit_wait(e, op);
    else
      emit_arrive(e, op);
    return;
  }
  bool alone = emit_elects(e) && group_runs_by_thread(op); // no other thread is here
  if (!is_of_one(op->prev) && !alone)
    e->guard_end = emit_guard(e, LLVMBuildICmp(e->builder, LLVMIntEQ, e->threads.thread, emit_i32(e, 0), ""));
  switch ((int)op->kind) {
  case OP_MBARRIER_INIT: emit_init(e, op); break;
  case OP_MBARRIER_INVAL: each_mbarrier(e, op, "mbarrier.inval.shared::cta.b64 [$0];"); break;
  case OP_MBARRIER_EXPECT: emit_expect(e, op); break;
  case OP_TMA_COPY: emit_boxes(e, op, copy_box); break;
  case OP_BULK_COPY: emit_bulk_copy(e, op); break;
  case OP_TAKE_PROGRAM: emit_take(e, op); break;
  case OP_TMA_STORE: emit_boxes(e, op, store_box); break;
  case OP_TMA_STORE_COMMIT: nvvm_order(e, "cp.async.bulk.commit_group", ""); break;
  case OP_TMA_STORE_WAIT: emit_store_wait(e, op); break;
  default: BUG("%s is not a TMA copy's", op_info(op->kind)->name);
  }
  if (!is_of_one(op->next) && !alone) emit_unguard(e, e->guard_end);
}
