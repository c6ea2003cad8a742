// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/layout/ldmatrix.h"

enum { ROW_BYTES_BITS = 4 };

static uint32_t basis_of(const Layout *layout, LayoutDim dim, uint32_t bit) {
  return bit < layout->bits[dim] ? layout_basis(layout, dim, bit) : 0;
}

// Lanes 0 and 1 and the word's registers run along the row. Lanes 2 to 4 and all other bits choose rows.
static bool fits_plain(const LdmatrixPlan *plan, uint32_t row_bits) {
  const Layout *at = &plan->offsets;
  if (plan->word_bits + 2 != row_bits || at->bits[DIM_REGISTER] < plan->word_bits) return false;
  for (uint32_t i = 0; i < plan->word_bits; i++)
    if (layout_basis(at, DIM_REGISTER, i) != 1u << i) return false;
  return basis_of(at, DIM_LANE, 0) == 1u << plan->word_bits &&
         basis_of(at, DIM_LANE, 1) == 2u << plan->word_bits;
}

// Lanes 2 to 4 run along the row. Lanes 0 and 1 and the word's register choose among its 8 rows.
static bool fits_transposed(const LdmatrixPlan *plan, uint32_t row_bits) {
  const Layout *at = &plan->offsets;
  if (plan->word_bits != 1 || row_bits != 3 || at->bits[DIM_REGISTER] < 1) return false;
  for (uint32_t i = 0; i < 3; i++)
    if (basis_of(at, DIM_LANE, 2 + i) != 1u << i) return false;
  return true;
}

// Returns true if no bit that chooses rows changes the offset within the row.
static bool rows_are_whole(const LdmatrixPlan *plan, uint32_t row_bits) {
  uint32_t within = (1u << row_bits) - 1;
  const Layout *at = &plan->offsets;
  for (uint32_t i = plan->transposed ? 0 : plan->word_bits; i < at->bits[DIM_REGISTER]; i++)
    if (layout_basis(at, DIM_REGISTER, i) & within) return false;
  for (uint32_t i = 0; i < LANE_BITS; i++) {
    bool in_row = plan->transposed ? i >= 2 : i < 2;
    if (!in_row && layout_basis(at, DIM_LANE, i) & within) return false;
  }
  for (uint32_t i = 0; i < at->bits[DIM_WARP]; i++)
    if (layout_basis(at, DIM_WARP, i) & within) return false;
  return true;
}

// Lanes 0 to 7 provide the row addresses of the first matrix, 8 to 15 those of the second, and so on.
static void choose_rows(LdmatrixPlan *plan) {
  const Layout *at = &plan->offsets;
  Layout rows = {.out_bits = at->out_bits};
  uint32_t n = 0;
  for (uint32_t i = plan->word_bits; i < at->bits[DIM_REGISTER]; i++) {
    if (plan->matrices_bits < LDMATRIX_MAX_BITS)
      plan->matrix_at[plan->matrices_bits++] = i;
    else
      plan->rest_at[plan->rest_bits++] = i;
  }
  for (uint32_t i = 0; i < plan->rest_bits; i++)
    rows.basis[n++] = layout_basis(at, DIM_REGISTER, plan->rest_at[i]);
  rows.bits[DIM_REGISTER] = (uint8_t)plan->rest_bits;
  if (plan->transposed) {
    rows.basis[n++] = layout_basis(at, DIM_REGISTER, 0);
    rows.basis[n++] = layout_basis(at, DIM_LANE, 0);
    rows.basis[n++] = layout_basis(at, DIM_LANE, 1);
  } else {
    for (uint32_t i = 2; i < LANE_BITS; i++) rows.basis[n++] = layout_basis(at, DIM_LANE, i);
  }
  for (uint32_t i = 0; i < LDMATRIX_MAX_BITS; i++)
    rows.basis[n++] = i < plan->matrices_bits ? layout_basis(at, DIM_REGISTER, plan->matrix_at[i]) : 0;
  rows.bits[DIM_LANE] = LANE_BITS;
  for (uint32_t i = 0; i < at->bits[DIM_WARP]; i++) rows.basis[n++] = layout_basis(at, DIM_WARP, i);
  rows.bits[DIM_WARP] = at->bits[DIM_WARP];
  plan->rows = rows;
}

bool ldmatrix_plan(const Op *load, LdmatrixPlan *plan) {
  *plan = (LdmatrixPlan){0};
  const Type *tile = op_result(load)->type, *buffer = op_operand(load, 0)->type;
  uint32_t bytes = type_element_bytes(tile), bytes_bits = (uint32_t)__builtin_ctz(bytes),
           row_bits = ROW_BYTES_BITS - bytes_bits;
  Layout inverse;
  if (!tile->layout || !buffer->layout) return false;
  if (bytes > 4 || type_is_elem(tile, ELEM_I1) || op_attr(load, ATTR_STARTS)) return false;
  if (!layout_invert(buffer->layout, &inverse)) return false;
  plan->offsets = layout_compose(tile->layout, &inverse);
  plan->word_bits = 2 - bytes_bits;
  if (fits_transposed(plan, row_bits))
    plan->transposed = true;
  else if (!fits_plain(plan, row_bits))
    return false;
  if (!rows_are_whole(plan, row_bits)) return false;
  choose_rows(plan);
  return true;
}

bool ldmatrix_fits(const Op *load) {
  LdmatrixPlan plan;
  return op_attr(load, ATTR_LDMATRIX) && ldmatrix_plan(load, &plan);
}
