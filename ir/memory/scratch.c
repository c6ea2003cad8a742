// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory that ops need.
#include "ir/memory/scratch.h"
#include "target/tuning.h"

#include "base/fault.h"
#include "base/integer.h"
#include "ir/queries.h"

static uint32_t inner_bits(const Type *buffers) {
  uint32_t bits = 0;
  if (buffers->rank > 1) layout_dim_bits(buffers->rank, buffers->shape, 0, &bits);
  return bits;
}

uint32_t func_shared_bytes(const Func *func) {
  uint32_t bytes = 0;
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (w.op->kind == OP_SHARED_ALLOC)
      bytes = max_u32(bytes, (uint32_t)op_int(w.op, ATTR_OFFSET, 0) + alloc_bytes(w.op));
  return bytes;
}

bool shared_is_stacked(const Type *buffers) {
  if (buffers->rank < 2) return false;
  uint32_t inner = inner_bits(buffers);
  for (uint32_t i = 0; i < buffers->layout->bits[DIM_OFFSET]; i++) {
    uint32_t basis = buffers->layout->basis[i];
    if (i < inner ? basis >> inner : basis != 1u << i) return false;
  }
  return true;
}

uint32_t tile_words(const Type *tile) {
  return (layout_registers(tile->layout) * type_element_bytes(tile) + 3) / 4;
}

const Type *shared_in_order(IrContext *ir, Elem elem, uint32_t rank, const uint32_t *shape) {
  uint64_t n = 1;
  for (uint32_t d = 0; d < rank; d++) n *= shape[d];
  uint32_t bits = log2_ceil(n);
  Layout layout = {.bits = {[DIM_OFFSET] = (uint8_t)bits}, .out_bits = (uint8_t)bits};
  for (uint32_t i = 0; i < bits; i++) layout.basis[i] = UINT32_C(1) << i;
  return type_shared(ir, elem, rank, shape, layout_intern(ir, &layout));
}

uint32_t shared_bytes(const Type *buffer) {
  return (uint32_t)type_elements(buffer) * elem_bytes(buffer->elem);
}

uint32_t alloc_bytes(const Op *alloc) {
  return shared_bytes(op_result(alloc)->type) >> (op_attr(alloc, ATTR_HALF) != NULL);
}

static uint32_t shared_aligned(uint64_t bytes) { return (uint32_t)round_up(bytes, SHARED_ALIGN); }

// The start of operand `index`'s partial results in the scratch of a reduction or scan.
static uint32_t scratch_part(const Op *op, uint32_t index, uint32_t slots) {
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < index; i++)
    bytes += shared_aligned((uint64_t)slots * type_element_bytes(op->operands[i].value->type));
  return bytes;
}

static bool has_layout(const Value *value) {
  return value && type_is_tile(value->type) && value->type->layout;
}

static uint32_t tile_bytes(const Type *type) {
  return (uint32_t)type_elements(type) * type_element_bytes(type);
}

static uint32_t reduce_bytes(const Op *op) {
  ReducePlan plan = reduce_plan(op);
  if (!plan.part_bits) return 0;
  return scratch_part(op, op_input_count(op), 1u << (plan.part_bits + plan.result_bits));
}

static uint32_t scan_bytes(const Op *op) {
  ScanPlan plan;
  if (!scan_plan(op, &plan) || plan.low == plan.axis_bits) return 0;
  return scratch_part(op, op_input_count(op), 1u << (plan.axis_bits - plan.low + plan.line_bits));
}

uint32_t mirror_delta(const Type *tile, uint32_t axis) {
  uint32_t first = 0, bits = layout_dim_bits(tile->rank, tile->shape, axis, &first);
  Layout inverse;
  if (!layout_invert(tile->layout, &inverse)) BUG("a layout that does not hold every element");
  return layout_apply_offset(&inverse, ((1u << bits) - 1) << first);
}

static uint32_t flip_bytes(const Op *op) {
  const Type *type = op_operand(op, 0)->type;
  uint32_t delta = mirror_delta(type, (uint32_t)op_int(op, ATTR_AXIS, 0));
  bool same_warp = delta >> layout_first_bit(type->layout, DIM_WARP) == 0;
  return same_warp ? 0 : tile_bytes(type);
}

// One thread does the access; all holders of the element get its result.
static uint32_t broadcast_bytes(const Op *op) {
  const Type *type = op_result(op)->type;
  if (!op_result(op)->first_use) return 0;
  uint32_t free_bits[DIM_COUNT] = {0};
  if (type_is_tile(type)) {
    layout_free_bits(type->layout, free_bits);
    if (!free_bits[DIM_LANE] && !free_bits[DIM_WARP]) return 0;
  }
  return tile_bytes(type);
}

bool layouts_by_lanes(const Layout *from, const Layout *to, uint32_t bytes, LanePlan *plan) {
  return layout_lane_plan(from, to, plan) && plan->shuffles * bytes <= 4 * TUNE_MAX_SHUFFLES;
}

bool convert_by_lanes(const Op *convert, LanePlan *plan) {
  const Type *from = op_operand(convert, 0)->type;
  return layouts_by_lanes(from->layout, op_result(convert)->type->layout, type_element_bytes(from), plan);
}

static uint32_t convert_bytes(const Op *op) {
  const Type *from = op_operand(op, 0)->type;
  LanePlan plan;
  if (layout_conversion(from->layout, op_result(op)->type->layout) < CONVERT_LANES) return 0;
  return convert_by_lanes(op, &plan) ? 0 : tile_bytes(from);
}

uint32_t scratch_bytes(const Op *op) {
  if (op->kind == OP_GLOBALTIMER) return broadcast_bytes(op);
  const Value *x = op_operand(op, 0);
  bool scalar = op->result_count == 1 && !type_is_tile(op_result(op)->type);
  if (!has_layout(x) && !(scalar && x && x->type->kind == TYPE_PTR)) return 0;
  switch ((int)op->kind) {
  case OP_CONVERT_LAYOUT: return convert_bytes(op);
  case OP_GATHER: return tile_bytes(x->type);
  case OP_FLIP: return flip_bytes(op);
  case OP_HISTOGRAM: return tile_bytes(op_result(op)->type);
  case OP_REDUCE: return reduce_bytes(op);
  case OP_SCAN: return scan_bytes(op);
  case OP_LOAD: return op_attr(op, ATTR_VOLATILE) ? broadcast_bytes(op) : 0;
  case OP_ATOMIC_RMW:
  case OP_ATOMIC_CAS: return broadcast_bytes(op);
  default: return 0;
  }
}
