// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The placement of an operand in the buffer through which it goes to its dot.
#include "ir/dot/dot_fits.h"
#include "passes/shared/promote_dot.h"
#include "passes/tma/tensor_copies.h"

// Returns true if the tile's lowest register bit moves along the last dimension. Without registers, it is the lowest
// lane bit.
static bool counts_along_columns(const Layout *home, uint32_t column_bits) {
  uint32_t lowest =
      home->bits[DIM_REGISTER] ? layout_basis(home, DIM_REGISTER, 0) : layout_basis(home, DIM_LANE, 0);
  return (lowest & ((1u << column_bits) - 1)) != 0;
}

// Returns true if the tile runs along k, but no thread holds neighbours along k (choose_dot's transposed loads). Stores
// into the buffer must have no bank conflicts.
static bool is_turned(const Layout *home, const DotShape *shape, DotOperand operand, const Layout *shared) {
  enum { WORD_BITS = 2 };
  uint32_t neighbour = operand == DOT_A ? 1 : 1u << shape->n, order[LAYOUT_MAX_BITS], ideal;
  uint32_t outer = operand == DOT_A ? 1u << shape->k : 1, registers = layout_spanned(home, DIM_REGISTER);
  if (registers & neighbour ? !(registers & outer) : !(layout_spanned(home, DIM_LANE) & neighbour))
    return false;
  uint32_t vector = layout_vector_bits(home, shared, WORD_BITS, order);
  return layout_wavefronts(home, shared, WORD_BITS, vector, order, &ideal) == ideal;
}

// Rows of swizzled lines along the dimension in which the tile counts. Elements that the instruction does not transpose
// must lie along k. If the instruction reads the buffer itself, the rows are put along k. Otherwise they are used only
// if the tile counts along k.
static bool chooses_lines(const Op *dot, DotOperand operand, const Type *home, bool to_registers,
                          DotPlacement *placement) {
  DotShape shape = dot_op_shape(dot);
  bool turns = type_element_bytes(home) == 2 || (!to_registers && dot_reads_turned(dot, operand));
  bool k_is_last = operand == DOT_A;
  bool last = counts_along_columns(home->layout, k_is_last ? shape.k : shape.n);
  if (!to_registers && !turns) last = k_is_last;
  *placement = last ? DOT_PLACED_ROWS : DOT_PLACED_COLUMNS;
  return turns || last == k_is_last;
}

// The dimension of a tile along which neighbours are neighbours in memory. The tile is a TMA tile or its transpose.
static bool is_box(const Value *tile, uint32_t *inner) {
  const Op *op = tile->def;
  const Attr *order = op && op->kind == OP_TRANS ? op_attr(op, ATTR_ORDER) : NULL;
  if (order) op = op_operand(op, 0)->def;
  if (!op || op->kind != OP_TMA_MARK || !tma_mark_inner(op, inner)) return false;
  for (uint32_t d = 0; order && d < order->ints.n; d++)
    if (order->ints.at[d] == *inner) return *inner = d, true;
  return true;
}

bool dot_place_box(const Op *dot, DotOperand operand, const Value *tile, DotPlacement *placement,
                   Layout *layout) {
  uint32_t inner;
  bool k_is_last = operand == DOT_A;
  if (!dot_reads_matrices(dot) || op_attr(dot, k_is_last ? ATTR_ANCHOR_A : ATTR_ANCHOR_B)) return false;
  if (!is_box(tile, &inner)) return false;
  bool last = inner + 1 == tile->type->rank;
  if (!dot_reads_turned(dot, operand) && last != k_is_last) return false;
  *placement = last ? DOT_PLACED_ROWS : DOT_PLACED_COLUMNS;
  return layout_dot_placed(dot, operand, tile->type, *placement, layout);
}

DotPlacement dot_choose_placement(const Op *dot, DotOperand operand, const Type *home, Layout *layout) {
  const Attr *anchor = op_attr(dot, operand == DOT_A ? ATTR_ANCHOR_A : ATTR_ANCHOR_B);
  DotShape shape = dot_op_shape(dot);
  bool words = type_element_bytes(home) == 4, to_registers = anchor || !dot_reads_matrices(dot);
  DotPlacement lines;
  if (is_dot_of(dot, DOT_FMA)) {
    bool placed = words && layout_dot_placed(dot, operand, home, DOT_PLACED_VECTORS, layout);
    if (placed && is_turned(home->layout, &shape, operand, layout)) return DOT_PLACED_VECTORS;
  } else if (!op_attr(dot, ATTR_K_RUN)) { // runs are read without ldmatrix
    bool along = chooses_lines(dot, operand, home, to_registers, &lines);
    if (along && layout_dot_placed(dot, operand, home, lines, layout)) return lines;
    bool across = to_registers && (lines == DOT_PLACED_ROWS) != (operand == DOT_A);
    if (words && across && layout_dot_placed(dot, operand, home, DOT_PLACED_WORDS, layout))
      return DOT_PLACED_WORDS;
  }
  layout_dot_placed(dot, operand, home, DOT_PLACED_SWIZZLE, layout);
  return DOT_PLACED_SWIZZLE;
}
