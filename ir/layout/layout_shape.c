// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shape changes of layouts: each moves the bits of whole dimensions in every basis.
#include <string.h>
#include "base/fault.h"
#include "base/integer.h"
#include "ir/layout/layout_parts.h"

// Moves `bits` bits from position `from` of the old index to position `to` of the new one. Bits in no move
// are dropped.
typedef struct BitMove {
  uint32_t from, to, bits;
} BitMove;

static uint32_t padded_bits(uint32_t size) {
  if (size == 0) BUG("a tile with a dimension of size 0");
  return log2_ceil(size);
}

uint32_t layout_dim_bits(uint32_t rank, const uint32_t *shape, uint32_t dim, uint32_t *first) {
  if (dim >= rank || rank > LAYOUT_MAX_RANK) BUG("dimension %u of a tile of rank %u", dim, rank);
  uint32_t below = 0;
  for (uint32_t d = dim + 1; d < rank; d++) below += padded_bits(shape[d]);
  if (first) *first = below;
  return padded_bits(shape[dim]);
}

static uint32_t shape_bits(uint32_t rank, const uint32_t *shape) {
  if (rank > LAYOUT_MAX_RANK) BUG("a tile of rank %u", rank);
  uint32_t bits = 0;
  for (uint32_t d = 0; d < rank; d++) bits += padded_bits(shape[d]);
  return bits;
}

static void expect_bits(const Layout *layout, uint32_t rank, const uint32_t *shape) {
  uint32_t bits = shape_bits(rank, shape);
  if (bits != layout->out_bits) BUG("a layout to %u bits for a tile of %u", layout->out_bits, bits);
}

static Layout move_bits(const Layout *layout, const BitMove *moves, uint32_t n, uint32_t out_bits) {
  Layout result = *layout;
  result.out_bits = (uint8_t)out_bits;
  for (uint32_t i = 0; i < layout_in_bits(layout); i++) {
    result.basis[i] = 0;
    for (uint32_t m = 0; m < n; m++) {
      uint32_t field = layout->basis[i] >> moves[m].from & ((UINT32_C(1) << moves[m].bits) - 1);
      result.basis[i] |= field << moves[m].to;
    }
  }
  return result;
}

Layout layout_drop_registers(const Layout *layout) {
  Span span = {0};
  Layout result = *layout;
  uint32_t kept = 0, registers = layout->bits[DIM_REGISTER], n = layout_in_bits(layout);
  for (uint32_t i = 0; i < n; i++)
    if (i >= registers || span_add(&span, layout->basis[i], i)) result.basis[kept++] = layout->basis[i];
  result.bits[DIM_REGISTER] = (uint8_t)(registers - (n - kept));
  return result;
}

Layout layout_slice(const Layout *layout, uint32_t rank, const uint32_t *shape, uint32_t dim) {
  expect_bits(layout, rank, shape);
  uint32_t first, bits = layout_dim_bits(rank, shape, dim, &first);
  const uint32_t above = layout->out_bits - first - bits;
  const BitMove moves[2] = {{0, 0, first}, {first + bits, first, above}};
  Layout result = move_bits(layout, moves, 2, first + above);
  return layout_drop_registers(&result);
}

Layout layout_keep_dims(const Layout *layout, uint32_t rank, const uint32_t *shape, uint32_t dim) {
  return layout_slice(layout, rank, shape, dim); // a dimension of size 1 has no bits
}

Layout layout_trans(const Layout *layout, uint32_t rank, const uint32_t *shape, const uint32_t *order) {
  expect_bits(layout, rank, shape);
  BitMove moves[LAYOUT_MAX_RANK];
  uint32_t to = 0;
  for (uint32_t d = rank; d-- > 0;) {
    BitMove *move = &moves[d];
    move->bits = layout_dim_bits(rank, shape, order[d], &move->from);
    move->to = to;
    to += move->bits;
  }
  if (to != layout->out_bits) BUG("the order of a transposition is not a permutation");
  return move_bits(layout, moves, rank, to);
}

static void expect_broadcast(uint32_t rank, const uint32_t *in, const uint32_t *out) {
  for (uint32_t d = 0; d < rank; d++)
    if (in[d] != 1 && padded_bits(in[d]) != padded_bits(out[d]))
      BUG("a broadcast of size %u to %u", in[d], out[d]);
}

Layout layout_broadcast_operand(const Layout *out_layout, uint32_t rank, const uint32_t *in,
                                const uint32_t *out) {
  expect_bits(out_layout, rank, out);
  expect_broadcast(rank, in, out);
  BitMove moves[LAYOUT_MAX_RANK];
  uint32_t n = 0;
  for (uint32_t d = 0; d < rank; d++) {
    BitMove move = {.bits = layout_dim_bits(rank, in, d, &move.to)};
    layout_dim_bits(rank, out, d, &move.from);
    if (in[d] != 1) moves[n++] = move;
  }
  Layout result = move_bits(out_layout, moves, n, shape_bits(rank, in));
  return layout_drop_registers(&result);
}

Layout layout_broadcast_result(const Layout *in_layout, uint32_t rank, const uint32_t *in,
                               const uint32_t *out) {
  expect_bits(in_layout, rank, in);
  expect_broadcast(rank, in, out);
  Layout result = *in_layout;
  uint32_t shape[LAYOUT_MAX_RANK];
  memcpy(shape, in, rank * sizeof *in);
  for (uint32_t d = rank; d-- > 0; shape[d] = out[d])
    if (in[d] == 1) result = layout_stretch(&result, rank, shape, d, padded_bits(out[d]), DIM_REGISTER);
  return result;
}

Layout layout_stretch(const Layout *layout, uint32_t rank, const uint32_t *shape, uint32_t dim, uint32_t bits,
                      LayoutDim in) {
  expect_bits(layout, rank, shape);
  Layout out = *layout;
  uint32_t first, place = layout_dim_bits(rank, shape, dim, &first) + first; // position of the new index bits
  for (uint32_t i = 0; i < layout_in_bits(layout); i++) {
    uint32_t low = out.basis[i] & ((UINT32_C(1) << place) - 1);
    out.basis[i] = (out.basis[i] ^ low) << bits | low;
  }
  out.out_bits = (uint8_t)(out.out_bits + bits);
  for (uint32_t i = 0; i < bits; i++) layout_add(&out, in, UINT32_C(1) << (place + i));
  return out;
}

Layout layout_join(const Layout *layout) {
  Layout result = {.out_bits = (uint8_t)(layout->out_bits + 1)};
  layout_add(&result, DIM_REGISTER, 1);
  for (int d = 0; d < DIM_COUNT; d++)
    for (uint32_t i = 0; i < layout->bits[d]; i++)
      layout_add(&result, (LayoutDim)d, layout_basis(layout, (LayoutDim)d, i) << 1);
  return result;
}

bool layout_split(const Layout *layout, Layout *half) {
  Span registers = {0};
  span_add_dim(&registers, layout, DIM_REGISTER);
  if (!span_has(&registers, 1)) return false;
  for (uint32_t i = layout->bits[DIM_REGISTER]; i < layout_in_bits(layout); i++)
    if (layout->basis[i] & 1) return false;
  const BitMove move = {1, 0, layout->out_bits - 1u};
  Layout result = move_bits(layout, &move, 1, layout->out_bits - 1u);
  *half = layout_drop_registers(&result);
  return true;
}
