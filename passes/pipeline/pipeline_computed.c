// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slots to which loads are copied that dots depend on through other ops.
#include "passes/pipeline/pipeline_computed.h"

#include "ir/layout/layout.h"

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
