// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distributes reductions and scans over registers, lanes and warps: linear algebra on layouts.
#include <string.h>
#include "base/fault.h"
#include "base/integer.h"
#include "ir/layout/layout_parts.h"
#include "ir/memory/scratch.h"

// --- reductions

typedef struct Vectors {
  uint32_t at[32], n; // words over register, lane and warp bits
} Vectors;

// The same span in reduced echelon form, ascending. As few vectors as possible have warp bits, then as few as
// possible have lane bits.
static void put_in_echelon(Vectors *v) {
  for (uint32_t i = 0; i < v->n; i++) {
    uint32_t most = i;
    for (uint32_t k = i + 1; k < v->n; k++)
      if (v->at[k] > v->at[most]) most = k;
    uint32_t pivot = v->at[most];
    v->at[most] = v->at[i];
    v->at[i] = pivot;
    for (uint32_t k = 0; k < v->n; k++)
      if (k != i && v->at[k] >> log2_floor(pivot) & 1) v->at[k] ^= pivot;
  }
  for (uint32_t i = 0; i < v->n / 2; i++) {
    uint32_t x = v->at[i];
    v->at[i] = v->at[v->n - 1 - i];
    v->at[v->n - 1 - i] = x;
  }
}

uint32_t reduce_without_axis(const ReducePlan *plan, uint32_t index) {
  uint32_t below = index & ((1u << plan->axis_first) - 1);
  return index >> (plan->axis_first + plan->axis_bits) << plan->axis_first | below;
}

static uint32_t axis_of(uint32_t first, uint32_t bits, uint32_t index) {
  return index >> first & ((1u << bits) - 1);
}

static uint32_t apply_word(const Layout *layout, uint32_t word) {
  uint32_t index = 0;
  for (uint32_t i = 0; i < layout_in_bits(layout); i++)
    if (word >> i & 1) index ^= layout->basis[i];
  return index;
}

static uint32_t bits_mask(uint32_t bits) { return (uint32_t)((UINT64_C(1) << bits) - 1); }

// Adds steps until warps take part. A register step merges away its highest bit: later steps omit it.
static void add_steps(ReducePlan *plan, const Layout *layout, Vectors *v) {
  uint32_t registers = layout->bits[DIM_REGISTER], warp = layout_first_bit(layout, DIM_WARP);
  while (plan->local < v->n) {
    uint32_t word = v->at[plan->local];
    if (word >> warp) break;
    ReduceStep *step = &plan->steps[plan->local++];
    step->reg = word & bits_mask(registers);
    step->lane = word >> registers;
    step->delta = apply_word(layout, word);
    if (step->lane) continue;
    plan->dead |= 1u << log2_floor(step->reg);
    for (uint32_t k = plan->local; k < v->n; k++)
      if (v->at[k] >> log2_floor(step->reg) & 1) v->at[k] ^= word;
  }
}

// The bits of the axis that the steps leave, as a number.
uint32_t reduce_part(const ReducePlan *plan, uint32_t axis_index) {
  uint32_t part = 0, at = 0;
  Span done = {0};
  for (uint32_t i = 0; i < plan->local; i++)
    span_add(&done, axis_of(plan->axis_first, plan->axis_bits, plan->steps[i].delta), i);
  for (uint32_t bit = plan->axis_bits; bit-- > 0;)
    if (axis_index >> bit & 1 && done.row[bit]) axis_index ^= done.row[bit];
  for (uint32_t bit = 0; bit < plan->axis_bits; bit++)
    if (!done.row[bit]) part |= (axis_index >> bit & 1) << at++;
  return part;
}

// Positions of results (of `lines`: register, lane, warp -> result). First come those that a thread can hold
// adjacently, up to 16 bytes, then neighbouring lanes. So accesses have no bank conflicts.
static Layout places_of(const Layout *lines, uint32_t dead, uint32_t bytes) {
  Layout picked = {.bits = {[DIM_OFFSET] = lines->out_bits}, .out_bits = lines->out_bits}, inverse;
  Span span = {0};
  uint32_t registers = lines->bits[DIM_REGISTER], n = 0, in_bits = layout_in_bits(lines);
  for (uint32_t pass = 0; pass < 3; pass++)
    for (uint32_t k = 0; k < in_bits && n < lines->out_bits; k++) {
      bool is_register = k < registers, is_warp = k >= layout_first_bit(lines, DIM_WARP);
      uint32_t turn = is_register ? (bytes << n < 16 && pass == 0 ? 0 : 2) : is_warp ? 2 : 1;
      if (turn != pass || (is_register && dead >> k & 1)) continue;
      if (span_add(&span, lines->basis[k], n)) picked.basis[n++] = lines->basis[k];
    }
  for (uint32_t k = 0; k < registers && n < lines->out_bits; k++)
    if (span_add(&span, lines->basis[k], n)) picked.basis[n++] = lines->basis[k];
  if (n != lines->out_bits || !layout_invert(&picked, &inverse)) BUG("results that nobody holds");
  inverse.bits[DIM_OFFSET] = inverse.out_bits = lines->out_bits;
  return inverse;
}

ReducePlan reduce_plan(const Op *reduce) {
  const Type *type = op_operand(reduce, 0)->type;
  const Layout *layout = type->layout;
  ReducePlan plan = {0};
  plan.axis_bits =
      layout_dim_bits(type->rank, type->shape, (uint32_t)op_int(reduce, ATTR_AXIS, 0), &plan.axis_first);
  Layout inverse;
  if (!layout_invert(layout, &inverse)) BUG("a layout that does not hold every element");
  Vectors v = {.n = plan.axis_bits};
  memcpy(v.at, inverse.basis + plan.axis_first, v.n * sizeof *v.at);
  if (region_commutes(reduce->regions[0]) != COMMUTES_NOT) put_in_echelon(&v);
  add_steps(&plan, layout, &v);

  plan.part_bits = plan.axis_bits - plan.local;
  plan.result_bits = layout->out_bits - plan.axis_bits;
  Layout lines = *layout;
  lines.out_bits = (uint8_t)plan.result_bits;
  for (uint32_t i = 0; i < layout_in_bits(layout); i++)
    lines.basis[i] = reduce_without_axis(&plan, layout->basis[i]);
  plan.place = places_of(&lines, plan.dead, type_element_bytes(type));
  plan.parts = lines;
  plan.parts.out_bits = (uint8_t)(plan.result_bits + plan.part_bits);
  for (uint32_t i = 0; i < layout_in_bits(layout); i++) {
    uint32_t axis_index = axis_of(plan.axis_first, plan.axis_bits, layout->basis[i]);
    plan.parts.basis[i] |= reduce_part(&plan, axis_index) << plan.result_bits;
  }
  return plan;
}

// --- scans

// Finds the one bit that holds each axis bit. Returns false if the layout is less simple.
static bool find_holders(const Layout *layout, ScanPlan *plan) {
  uint32_t found = 0;
  for (int d = 0; d < DIM_COUNT; d++)
    for (uint32_t bit = 0; bit < layout->bits[d]; bit++) {
      uint32_t basis = layout_basis(layout, (LayoutDim)d, bit);
      uint32_t along = axis_of(plan->axis_first, plan->axis_bits, basis);
      if (!along) continue;
      if ((along & (along - 1)) != 0 || basis != along << plan->axis_first || found & along) return false;
      uint32_t i = log2_floor(along);
      plan->holder[i].dim = (LayoutDim)d;
      plan->holder[i].bit = bit;
      found |= along;
    }
  return found == bits_mask(plan->axis_bits);
}

bool scan_plan(const Op *scan, ScanPlan *plan) {
  const Type *type = op_operand(scan, 0)->type;
  const Layout *layout = type->layout;
  *plan = (ScanPlan){0};
  plan->axis_bits =
      layout_dim_bits(type->rank, type->shape, (uint32_t)op_int(scan, ATTR_AXIS, 0), &plan->axis_first);
  if (!find_holders(layout, plan)) return false;
  while (plan->low < plan->axis_bits && plan->holder[plan->low].dim != DIM_WARP) plan->low++;
  plan->line_bits = layout->out_bits - plan->axis_bits;
  ReducePlan cut = {.axis_bits = plan->axis_bits, .axis_first = plan->axis_first};
  Layout lines = *layout;
  lines.out_bits = (uint8_t)plan->line_bits;
  for (uint32_t i = 0; i < layout_in_bits(layout); i++)
    lines.basis[i] = reduce_without_axis(&cut, layout->basis[i]);
  plan->place = places_of(&lines, 0, type_element_bytes(type));
  plan->totals = lines;
  plan->totals.out_bits = (uint8_t)(plan->line_bits + plan->axis_bits - plan->low);
  for (uint32_t i = 0; i < layout_in_bits(layout); i++) {
    uint32_t along = axis_of(plan->axis_first, plan->axis_bits, layout->basis[i]);
    plan->totals.basis[i] |= along >> plan->low << plan->line_bits;
  }
  return true;
}
