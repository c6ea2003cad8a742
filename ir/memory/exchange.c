// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tiles and buffers of exchanges.
#include "ir/memory/exchange.h"

#include <string.h>
#include "base/fault.h"
#include "target/tuning.h"

uint32_t combined_count(const Op *op) { return op->regions[0]->arg_count / 2; }

Elem buffer_elem(const Type *tile) {
  const Type *element = type_element(tile);
  if (element->kind == TYPE_PTR) return ELEM_I64;
  return element->elem == ELEM_I1 ? ELEM_I8 : element->elem;
}

// A tile of the operand's elements: `rows` first, then the operand's dimensions without the axis.
static const Type *rows_type(IrContext *ir, const Op *op, uint32_t index, uint32_t rows, Layout layout) {
  const Type *type = op_operand(op, index)->type;
  uint32_t axis = (uint32_t)op_int(op, ATTR_AXIS, 0), shape[TILE_MAX_RANK] = {rows}, rank = 1;
  for (uint32_t d = 0; d < type->rank; d++)
    if (d != axis) shape[rank++] = type->shape[d];
  return type_tile(ir, type_element(type), rank, shape, layout_intern(ir, &layout));
}

const Type *reduce_parts_type(IrContext *ir, const Op *op, const ReducePlan *plan, uint32_t index) {
  return rows_type(ir, op, index, 1u << plan->part_bits, layout_drop_registers(&plan->parts));
}

// Returns true if a warp's lanes combine the parts of one result by shuffles, instead of each thread by
// itself. This has more dependent steps, but fewer instructions if combining takes several.
static bool lanes_combine(const Op *op, const ReducePlan *plan) {
  const Region *region = op->regions[0];
  const uint32_t count = combined_count(op), parts = 1u << plan->part_bits;
  const Commutes commutes = region_commutes(region);
  if (plan->result_bits || plan->part_bits > LANE_BITS || commutes == COMMUTES_NOT) return false;
  uint32_t ops = 0;
  for (const Op *at = region->first; at != region->last; at = at->next) ops++;
  uint32_t alone = (parts - 1) * ops + count * parts / 4; // 16 bytes of parts per load
  uint32_t together = plan->part_bits * (ops + count) + (commutes == COMMUTES_EXACTLY ? count : 2 * count);
  return alone > together + TUNE_COMBINE_BY_LANES;
}

const Type *reduce_read_type(IrContext *ir, const Op *op, const ReducePlan *plan, uint32_t index) {
  const Type *type = op_operand(op, 0)->type;
  bool spread = lanes_combine(op, plan);
  Layout rest = layout_slice(type->layout, type->rank, type->shape, (uint32_t)op_int(op, ATTR_AXIS, 0));
  if (op->kind == OP_REDUCE && type_is_tile(op_result(op)->type)) rest = *op_result(op)->type->layout;
  uint32_t parts = spread ? 0 : plan->part_bits, n = 0, others = layout_in_bits(&rest);
  Layout layout = {.out_bits = (uint8_t)(plan->result_bits + plan->part_bits)};
  memcpy(layout.bits, rest.bits, sizeof layout.bits);
  for (uint32_t i = 0; i < parts; i++) layout.basis[n++] = 1u << (plan->result_bits + i);
  layout.bits[DIM_REGISTER] = (uint8_t)(rest.bits[DIM_REGISTER] + parts);
  memcpy(layout.basis + n, rest.basis, others * sizeof *rest.basis);
  for (uint32_t i = 0; i < plan->part_bits && spread; i++)
    layout.basis[layout_first_bit(&layout, DIM_LANE) + i] = 1u << i;
  return rows_type(ir, op, index, 1u << plan->part_bits, layout);
}

const Type *scan_totals_type(IrContext *ir, const Op *op, const ScanPlan *plan, uint32_t index) {
  return rows_type(ir, op, index, 1u << (plan->axis_bits - plan->low), layout_drop_registers(&plan->totals));
}

uint32_t scan_run_bits(const ScanPlan *plan) {
  uint32_t run = 0;
  while (run < plan->low && plan->holder[run].dim == DIM_REGISTER) run++;
  for (uint32_t i = run; i < plan->low; i++)
    if (plan->holder[i].dim != DIM_LANE || plan->holder[i].bit != plan->holder[run].bit + i - run) return 0;
  return plan->low - run > 1 ? run : 0;
}

// Removes the lowest axis bits, and the registers that hold them.
const Type *scan_starts_type(IrContext *ir, const Op *op, const ScanPlan *plan, uint32_t index) {
  const Type *type = op_operand(op, index)->type;
  const Layout *from = type->layout;
  uint32_t run = scan_run_bits(plan), below = (1u << plan->axis_first) - 1, shape[TILE_MAX_RANK], n = 0;
  Layout layout = *from;
  layout.out_bits = (uint8_t)(from->out_bits - run);
  layout.bits[DIM_REGISTER] = (uint8_t)(from->bits[DIM_REGISTER] - run);
  for (uint32_t i = 0; i < layout_in_bits(from); i++) {
    uint32_t basis = from->basis[i], along = basis >> plan->axis_first & ((1u << run) - 1);
    if (!along) layout.basis[n++] = (basis >> run & ~below) | (basis & below);
  }
  for (uint32_t d = 0; d < type->rank; d++) shape[d] = type->shape[d];
  shape[op_int(op, ATTR_AXIS, 0)] >>= run;
  return type_tile(ir, type_element(type), type->rank, shape, layout_intern(ir, &layout));
}

static bool holds_axis(const ScanPlan *plan, uint32_t bit) {
  for (uint32_t i = 0; i < plan->axis_bits; i++)
    if (plan->holder[i].dim == DIM_REGISTER && plan->holder[i].bit == bit) return true;
  return false;
}

// Returns false if lanes hold chunk bits: lanes of one warp would need different places.
static bool warps_hold_chunks(const ScanPlan *plan) {
  for (uint32_t i = plan->low; i < plan->axis_bits; i++)
    if (plan->holder[i].dim == DIM_LANE) return false;
  return true;
}

// Compares two ways. Each thread reads and adds all totals, and checks for each if it precedes its chunk. Or
// lanes share the totals: a lane has its share, five steps of a shuffle and a select, and a shuffle per run.
bool scan_by_lanes(const Op *op, const ScanPlan *plan) {
  const Region *region = op->regions[0];
  const uint32_t count = combined_count(op), chunk_bits = plan->axis_bits - plan->low;
  if (plan->line_bits || chunk_bits < LANE_BITS || !warps_hold_chunks(plan)) return false;
  uint32_t chunks = 1u << chunk_bits, own = chunks >> LANE_BITS, ops = 0, runs = 1;
  for (const Op *at = region->first; at != region->last; at = at->next) ops++;
  for (uint32_t i = plan->low; i < plan->axis_bits; i++) runs <<= plan->holder[i].dim == DIM_REGISTER;
  uint32_t alone = chunks * (ops + count) + count * chunks / 4; // 16 bytes of totals per load
  uint32_t together = (2 * own + LANE_BITS) * (ops + count) + (LANE_BITS + 1 + own + runs) * count;
  return alone > together + TUNE_COMBINE_BY_LANES;
}

const Type *scan_read_type(IrContext *ir, const Op *op, const ScanPlan *plan, uint32_t index) {
  const Layout *totals = &plan->totals;
  uint32_t lines = (1u << plan->line_bits) - 1, chunk_bits = plan->axis_bits - plan->low, n = 0;
  uint32_t spread = scan_by_lanes(op, plan) ? LANE_BITS : 0;
  Layout layout = {.out_bits = totals->out_bits};
  for (uint32_t i = 0; i < chunk_bits - spread; i++) layout.basis[n++] = 1u << (plan->line_bits + i);
  for (uint32_t i = 0; i < totals->bits[DIM_REGISTER]; i++)
    if (!holds_axis(plan, i)) layout.basis[n++] = totals->basis[i] & lines;
  layout.bits[DIM_REGISTER] = (uint8_t)n;
  for (uint32_t i = totals->bits[DIM_REGISTER]; i < layout_in_bits(totals); i++)
    layout.basis[n++] = totals->basis[i] & lines;
  layout.bits[DIM_LANE] = totals->bits[DIM_LANE];
  layout.bits[DIM_WARP] = totals->bits[DIM_WARP];
  for (uint32_t i = 0; i < spread; i++)
    layout.basis[layout_first_bit(&layout, DIM_LANE) + i] = 1u << (chunk_bits - spread + i);
  return rows_type(ir, op, index, 1u << chunk_bits, layout);
}

const Type *exchange_buffer(IrContext *ir, const Type *tile, const Layout *place) {
  uint32_t row = place->out_bits, all = tile->layout->out_bits;
  Layout layout = {.bits = {[DIM_OFFSET] = (uint8_t)all}, .out_bits = (uint8_t)all}, inverse;
  if (!layout_invert(place, &inverse)) BUG("two elements of an exchange in one place");
  for (uint32_t i = 0; i < all; i++) layout.basis[i] = i < row ? inverse.basis[i] : 1u << i;
  return type_shared(ir, buffer_elem(tile), tile->rank, tile->shape, layout_intern(ir, &layout));
}

const char *redux_name(const Op *op) {
  const Region *region = op->regions[0];
  const Op *inner = region->first;
  const Type *type = op_operand(op, 0)->type;
  bool is_signed = type_is_elem(type, ELEM_I32);
  if (combined_count(op) != 1 || !inner || inner->next != region->last) return NULL;
  if (!is_signed && !type_is_elem(type, ELEM_U32)) return NULL;
  if (region_commutes(region) != COMMUTES_EXACTLY) return NULL;
  switch ((int)inner->kind) {
  case OP_ADD: return "add";
  case OP_MIN: return is_signed ? "min" : "umin";
  case OP_MAX: return is_signed ? "max" : "umax";
  case OP_AND: return "and";
  case OP_OR: return "or";
  case OP_XOR: return "xor";
  default: return NULL;
  }
}

bool redux_fits(const Op *op, const ReducePlan *plan, uint32_t *first) {
  uint32_t lanes = 0, n = 0;
  if (!redux_name(op)) return false;
  for (uint32_t i = 0; i < plan->local; i++) {
    const ReduceStep *step = &plan->steps[i];
    if (!step->lane) continue;
    if (n++ == 0) *first = i;
    if (step->reg) return false;
    lanes |= step->lane;
  }
  return n == LANE_BITS && lanes == 31;
}
