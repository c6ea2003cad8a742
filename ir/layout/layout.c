// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts: interning, application, constructors, printing. The algebra is in layout_algebra.c.
#include "base/integer.h"
#include "ir/layout/layout_parts.h"

#include "base/fault.h"
#include "base/hash.h"
#include "base/table.h"
#include "ir/ir.h"

static const char *const dim_names[DIM_COUNT] = {"reg", "lane", "warp", "block", "offset"};

const char *layout_dim_name(LayoutDim dim) { return dim_names[dim]; }

uint32_t layout_in_bits(const Layout *layout) {
  uint32_t n = 0;
  for (int d = 0; d < DIM_COUNT; d++) n += layout->bits[d];
  return n;
}

bool layout_equal(const Layout *a, const Layout *b) {
  if (a == b) return true;
  return memcmp(a->bits, b->bits, sizeof a->bits) == 0 && a->out_bits == b->out_bits &&
         memcmp(a->basis, b->basis, layout_in_bits(a) * sizeof *a->basis) == 0;
}

static uint64_t layout_hash(const Layout *layout) {
  uint64_t hash = hash_bytes(layout->bits, sizeof layout->bits);
  hash = hash_more(hash, &layout->out_bits, sizeof layout->out_bits);
  return hash_more(hash, layout->basis, layout_in_bits(layout) * sizeof *layout->basis);
}

static bool is_layout(const void *entry, const void *key) { return layout_equal(entry, key); }

const Layout *layout_intern(IrContext *ir, const Layout *layout) {
  uint32_t in_bits = layout_in_bits(layout);
  if (in_bits > LAYOUT_MAX_BITS || layout->out_bits > 31)
    BUG("a layout of %u to %u bits", in_bits, layout->out_bits);
  for (uint32_t i = 0; i < in_bits; i++)
    if (layout->basis[i] >> layout->out_bits) BUG("basis %u of a layout is out of range", i);
  void **place = table_place(&ir->layouts, ir->arena, layout_hash(layout), layout, is_layout);
  if (!*place) {
    Layout *copy = ARENA_NEW(ir->arena, Layout);
    memcpy(copy->bits, layout->bits, sizeof copy->bits);
    copy->out_bits = layout->out_bits;
    memcpy(copy->basis, layout->basis, in_bits * sizeof *copy->basis);
    *place = copy;
  }
  return *place;
}

uint32_t layout_first_bit(const Layout *layout, LayoutDim dim) {
  uint32_t first = 0;
  for (int d = 0; d < (int)dim; d++) first += layout->bits[d];
  return first;
}

uint32_t layout_basis(const Layout *layout, LayoutDim dim, uint32_t bit) {
  if (bit >= layout->bits[dim]) BUG("a layout has no %s bit %u", dim_names[dim], bit);
  return layout->basis[layout_first_bit(layout, dim) + bit];
}

static uint32_t apply_dim(const Layout *layout, LayoutDim dim, uint32_t index) {
  const uint32_t *basis = layout->basis + layout_first_bit(layout, dim);
  uint32_t out = 0;
  for (uint32_t bit = 0; bit < layout->bits[dim] && bit < 32; bit++)
    if (index >> bit & 1) out ^= basis[bit];
  return out;
}

uint32_t layout_apply(const Layout *layout, uint32_t reg, uint32_t lane, uint32_t warp, uint32_t block) {
  return apply_dim(layout, DIM_REGISTER, reg) ^ apply_dim(layout, DIM_LANE, lane) ^
         apply_dim(layout, DIM_WARP, warp) ^ apply_dim(layout, DIM_BLOCK, block);
}

uint32_t layout_apply_offset(const Layout *layout, uint32_t offset) {
  return apply_dim(layout, DIM_OFFSET, offset);
}

uint32_t layout_registers(const Layout *layout) { return UINT32_C(1) << layout->bits[DIM_REGISTER]; }

uint32_t layout_run_bits(const Layout *layout) {
  uint32_t bits = 0, first = layout->bits[DIM_REGISTER] ? layout_basis(layout, DIM_REGISTER, 0) : 0;
  if (!first || (first & (first - 1))) return 0;
  while (bits < layout->bits[DIM_REGISTER] && layout_basis(layout, DIM_REGISTER, bits) == first << bits)
    bits++;
  return bits;
}

// A tile's dimensions, while its bits are assigned from the lowest up.
typedef struct Bits {
  uint32_t rank;
  uint32_t size[LAYOUT_MAX_RANK];  // log2 of the shape
  uint32_t shift[LAYOUT_MAX_RANK]; // position of the dimension's lowest bit in the flattened index
  uint32_t used[LAYOUT_MAX_RANK];  // bits already assigned; beyond `size` they are zero bases
} Bits;

static Bits bits_of_shape(uint32_t rank, const uint32_t *shape) {
  if (rank == 0 || rank > LAYOUT_MAX_RANK) BUG("a layout of rank %u", rank);
  Bits bits = {.rank = rank};
  for (uint32_t d = rank, shift = 0; d-- > 0;) {
    if (shape[d] == 0 || (shape[d] & (shape[d] - 1)) != 0) BUG("a layout of size %u", shape[d]);
    bits.size[d] = log2_of(shape[d]);
    bits.shift[d] = shift;
    shift += bits.size[d];
    if (shift > 31) BUG("a layout of more than 2^31 elements");
  }
  return bits;
}

static uint32_t bits_next(Bits *bits, uint32_t d) {
  uint32_t bit = bits->used[d]++;
  return bit < bits->size[d] ? UINT32_C(1) << (bits->shift[d] + bit) : 0;
}

void layout_add(Layout *layout, LayoutDim dim, uint32_t basis) {
  uint32_t n = layout_in_bits(layout);
  if (n == LAYOUT_MAX_BITS) BUG("a layout of more than %d bits", LAYOUT_MAX_BITS);
  uint32_t at = layout_first_bit(layout, dim) + layout->bits[dim];
  memmove(layout->basis + at + 1, layout->basis + at, (n - at) * sizeof *layout->basis);
  layout->basis[at] = basis;
  layout->bits[dim]++;
}

static uint32_t total_bits(const Bits *bits) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < bits->rank; d++) n += bits->size[d];
  return n;
}

Layout layout_blocked(uint32_t rank, const uint32_t *shape, const uint32_t *order, const uint32_t *elem_bits,
                      const uint32_t *lane_bits, const uint32_t *warp_bits) {
  Bits bits = bits_of_shape(rank, shape);
  Layout layout = {.out_bits = (uint8_t)total_bits(&bits)};
  // Registers beyond the tile would hold useless copies within one thread: they are omitted.
  for (uint32_t i = 0; i < rank; i++)
    for (uint32_t k = 0; k < elem_bits[order[i]] && bits.used[order[i]] < bits.size[order[i]]; k++)
      layout_add(&layout, DIM_REGISTER, bits_next(&bits, order[i]));
  for (uint32_t i = 0; i < rank; i++)
    for (uint32_t k = 0; k < lane_bits[order[i]]; k++)
      layout_add(&layout, DIM_LANE, bits_next(&bits, order[i]));
  for (uint32_t i = 0; i < rank; i++)
    for (uint32_t k = 0; k < warp_bits[order[i]]; k++)
      layout_add(&layout, DIM_WARP, bits_next(&bits, order[i]));
  for (uint32_t i = 0; i < rank; i++)
    while (bits.used[order[i]] < bits.size[order[i]])
      layout_add(&layout, DIM_REGISTER, bits_next(&bits, order[i]));
  return layout;
}

// Assigns up to `want` bits to each dimension in order, limited by `left`. The rest goes to order[0] and
// repeats.
static void hand_out(uint32_t rank, const uint32_t *order, uint32_t want, uint32_t *left, uint32_t *taken) {
  for (uint32_t i = 0; i < rank; i++) {
    uint32_t d = order[i], n = want < left[d] ? want : left[d];
    taken[d] = n;
    left[d] -= n;
    want -= n;
  }
  // All of the dimension's bits are assigned already, so these zero bases come last.
  taken[order[rank - 1]] += want;
}

Layout layout_default(uint32_t rank, const uint32_t *shape, const uint32_t *order, uint32_t elem_bits,
                      uint32_t warp_bits) {
  Bits bits = bits_of_shape(rank, shape);
  uint32_t elems[LAYOUT_MAX_RANK] = {0}, lanes[LAYOUT_MAX_RANK] = {0}, warps[LAYOUT_MAX_RANK] = {0};
  uint32_t left[LAYOUT_MAX_RANK];
  memcpy(left, bits.size, sizeof left);
  uint32_t fastest = order[0];
  elems[fastest] = elem_bits < left[fastest] ? elem_bits : left[fastest];
  left[fastest] -= elems[fastest];
  hand_out(rank, order, LANE_BITS, left, lanes);
  hand_out(rank, order, warp_bits, left, warps);
  return layout_blocked(rank, shape, order, elems, lanes, warps);
}

void layout_print(const Layout *layout, Buf *out) {
  buf_text(out, "layout<");
  bool any = false;
  for (int d = 0; d < DIM_COUNT; d++) {
    if (!layout->bits[d]) continue;
    buf_printf(out, "%s%s = [", any ? ", " : "", dim_names[d]);
    for (uint32_t i = 0; i < layout->bits[d]; i++)
      buf_printf(out, "%s%u", i ? ", " : "", layout_basis(layout, (LayoutDim)d, i));
    buf_char(out, ']');
    any = true;
  }
  buf_printf(out, "%s%u>", any ? "; " : "", UINT32_C(1) << layout->out_bits);
}
