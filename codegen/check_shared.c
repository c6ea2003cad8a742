// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of shared memory and asynchronous copies cannot be compiled.
#include "codegen/emit_combine.h"

#include "ir/build.h"
#include "ir/exchange.h"
#include "ir/ldmatrix.h"

typedef struct SharedChecker {
  const Target *target;
  Diags *diags;
  bool ok;
} SharedChecker;

static bool fail(SharedChecker *c, const Op *op, const char *why) {
  diag_error(c->diags, op->loc, "%s: %s", op_info(op->kind)->name, why);
  c->ok = false;
  return false;
}

static bool fail_before(SharedChecker *c, const Op *op, size_t feature) {
  diag_error(c->diags, op->loc, "%s: it needs %s or newer", op_info(op->kind)->name, target_since(feature));
  c->ok = false;
  return false;
}

static bool all_layouts(const Op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Type *type = op_operand(op, i)->type;
    if (type_is_tile(type) && !type->layout) return false;
  }
  return true;
}

static void check_starts(SharedChecker *c, const Op *op, const Type *tile, const Type *buffer) {
  if (!shared_reaches(buffer, tile, op_attr(op, ATTR_STARTS)))
    fail(c, op, "a part of a buffer that begins at no multiple of its size is not built yet");
}

static void check_copy(SharedChecker *c, const Op *op) {
  uint32_t bytes = elem_bytes(op_operand(op, 1)->type->elem);
  if (!c->target->arch->has_cp_async)
    fail_before(c, op, offsetof(TargetInfo, has_cp_async));
  else if (copy_async_run(op) * bytes < 4)
    fail(c, op, "an asynchronous copy moves 4, 8 or 16 aligned bytes a thread");
}

static void check_scan(SharedChecker *c, const Op *op) {
  ScanPlan plan;
  if (combined_count(op) > MAX_COMBINED) fail(c, op, "it combines more than 16 values");
  if (!scan_plan(op, &plan)) fail(c, op, "the layout spreads the axis in a way that is not built yet");
}

static void check_reduce(SharedChecker *c, const Op *op) {
  const Type *from = op_operand(op, 0)->type, *to = op_result(op)->type;
  if (op_input_count(op) > MAX_COMBINED) fail(c, op, "it combines more than 16 values");
  if (!type_is_tile(to)) return;
  Layout left = layout_slice(from->layout, from->rank, from->shape, (uint32_t)op_int(op, ATTR_AXIS, 0));
  for (uint32_t i = 0; i < op->result_count; i++)
    if (layout_conversion(&left, op->results[i].type->layout) > CONVERT_REGISTERS)
      fail(c, op, "a layout conversion is missing: its result's threads do not hold the elements");
}

static bool is_plain(const Type *buffer) {
  for (uint32_t i = 0; i < layout_in_bits(buffer->layout); i++)
    if (buffer->layout->basis[i] != UINT32_C(1) << i) return false;
  return true;
}

// Whether elements pass between warps, or in a way that shuffles cannot do. What is done once is check.c's.
static bool needs_exchange(const Op *op) {
  bool once = op->kind == OP_LOAD || op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS ||
              op->kind == OP_GLOBALTIMER;
  if (op->kind != OP_CONVERT_LAYOUT) return !once && scratch_bytes(op) > 0;
  const Layout *from = op_operand(op, 0)->type->layout, *to = op_result(op)->type->layout;
  LanePlan plan;
  return layout_conversion(from, to) >= CONVERT_LANES && !layout_lane_plan(from, to, &plan);
}

static void check_op(Op *op, void *data) {
  SharedChecker *c = data;
  if (!all_layouts(op)) return;
  if (op->kind == OP_SHARED_ALLOC && !op_attr(op, ATTR_OFFSET))
    fail(c, op, "the buffer has no place: allocate_shared has not run");
  if (op->kind == OP_SHARED_STORE) check_starts(c, op, op_operand(op, 0)->type, op_operand(op, 1)->type);
  if (op->kind == OP_SHARED_LOAD) check_starts(c, op, op_result(op)->type, op_operand(op, 0)->type);
  if (op->kind == OP_COPY_ASYNC) check_copy(c, op);
  if (op_attr(op, ATTR_LDMATRIX) && !ldmatrix_fits(op)) fail(c, op, "its layouts are not those of ldmatrix");
  if (op->kind == OP_FENCE_ASYNC && !c->target->arch->has_async_proxy)
    fail_before(c, op, offsetof(TargetInfo, has_async_proxy));
  if (op->kind == OP_SCAN || op->kind == OP_SCAN_CHUNKS || op->kind == OP_SCAN_CARRY) check_scan(c, op);
  if (op->kind == OP_REDUCE) check_reduce(c, op);
  if (op->kind == OP_REDUCE_PARTS && combined_count(op) > MAX_COMBINED)
    fail(c, op, "it combines more than 16 values");
  if (op->kind == OP_GATHER && op_operand(op, 1)->type->layout != op_result(op)->type->layout)
    fail(c, op, "the index and the result have one layout");
  if (op->kind == OP_SHARED_GATHER && !is_plain(op_operand(op, 0)->type))
    fail(c, op, "a gather from a buffer that is not in row-major order is not built yet");
  if (op_scratch(op))
    fail(c, op, "it passes elements through shared memory: split_exchanges has not run");
  else if (needs_exchange(op))
    fail(c, op, "the scratch buffer is missing: promote_shared has not run");
}

static void note_buffer(Op *op, void *data) {
  void **both = data;
  if (op->kind == OP_SHARED_ALLOC)
    diag_note(both[0], both[1], op->loc, "%u bytes at %lld", shared_bytes(op_result(op)->type),
              (long long)op_int(op, ATTR_OFFSET, 0));
}

bool check_shared(Func *func, const Target *target, Diags *diags) {
  SharedChecker c = {target, diags, true};
  region_walk(func->body, check_op, &c);
  if (!c.ok) return false;
  uint32_t bytes = func_shared_bytes(func), limit = target->arch->shared_limit;
  if (bytes <= limit) return true;
  Diag *error = diag_error(diags, func->loc, "kernel %s needs %u bytes of shared memory; %s has %u a block",
                           func->name, bytes, target->arch->name, limit);
  region_walk(func->body, note_buffer, (void *[]){diags, error});
  return false;
}
