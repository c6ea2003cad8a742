// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds loads that dots depend on through other ops, and the slots to copy them to.
#include "passes/pipeline/pipeline_computed.h"

#include "ir/build.h"
#include "ir/layout/layout.h"

// --- loads that qualify

static bool any_marked(const uint8_t *marks, const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (marks[op->results[i].id]) return true;
  return op->kind == OP_SHARED_STORE && marks[op_operand(op, 1)->id];
}

// Goes from the body's last op to its first, so each comes after its users. Addresses and masks of loads are not
// followed. A separate check finds whether they are known ahead.
uint8_t *find_feeding(Arena *arena, const Func *func, const Op *loop) {
  uint8_t *marks = ARENA_ARRAY(arena, uint8_t, func->value_count);
  memset(marks, 0, func->value_count);
  for (const Op *op = loop->regions[0]->last; op; op = op->prev) {
    if (op->region_count || op->kind == OP_LOAD || (op->kind != OP_DOT && !any_marked(marks, op))) continue;
    uint32_t n = op->kind == OP_TMA_MARK ? 1 : op->operand_count; // the rest is the tile's position
    for (uint32_t i = 0; i < n; i++) marks[op_operand(op, i)->id] = 1;
  }
  return marks;
}

// --- slots

// Adds the basis as the next offset bit, unless another bit already gives the same elements.
static void add_bit(Layout *slot, uint32_t *bits, uint32_t basis) {
  for (uint32_t i = 0; i < *bits; i++)
    if (slot->basis[i] == basis) return;
  if (basis && *bits < LAYOUT_MAX_BITS) slot->basis[(*bits)++] = basis;
}

static void add_bits(Layout *slot, uint32_t *bits, const Layout *tile, LayoutDim dim, uint32_t first) {
  for (uint32_t i = first; i < tile->bits[dim]; i++) add_bit(slot, bits, layout_basis(tile, dim, i));
}

static bool slot_layout(const Layout *tile, uint32_t vector, Layout *slot) {
  uint32_t bits = 0, run = 0;
  *slot = (Layout){.out_bits = tile->out_bits};
  for (; 1u << run < vector; run++) add_bit(slot, &bits, layout_basis(tile, DIM_REGISTER, run));
  if (bits != run) return false;
  add_bits(slot, &bits, tile, DIM_LANE, 0);
  add_bits(slot, &bits, tile, DIM_WARP, 0);
  add_bits(slot, &bits, tile, DIM_REGISTER, run);
  slot->bits[DIM_OFFSET] = (uint8_t)bits;
  Layout inverse;
  return bits == slot->out_bits && layout_invert(slot, &inverse);
}

const Type *computed_slot(IrContext *ir, const Op *load) {
  const Type *tile = op_result(load)->type;
  uint32_t vector = (uint32_t)op_int(load, ATTR_VECTOR, 1);
  Layout layout;
  if (!type_is_tile(tile) || type_is_ptr(tile) || type_is_elem(tile, ELEM_I1) || !tile->layout ||
      tile->rank >= TILE_MAX_RANK || vector > layout_registers(tile->layout) ||
      !slot_layout(tile->layout, vector, &layout))
    return NULL;
  return type_shared(ir, type_element(tile)->elem, tile->rank, tile->shape, layout_intern(ir, &layout));
}
