// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algebra of layouts: linear algebra over GF(2) on bases.
#include "base/fault.h"
#include "base/integer.h"
#include "ir/layout/layout_parts.h"

uint32_t span_reduce(const Span *span, uint32_t vector, uint64_t *combo) {
  while (vector) {
    uint32_t top = log2_floor(vector);
    if (!span->row[top]) break;
    vector ^= span->row[top];
    *combo ^= span->combo[top];
  }
  return vector;
}

uint32_t span_reduce_fully(const Span *span, uint32_t vector, uint64_t *combo) {
  for (uint32_t i = 32; i-- > 0;)
    if (vector >> i & 1 && span->row[i]) {
      vector ^= span->row[i];
      *combo ^= span->combo[i];
    }
  return vector;
}

bool span_add(Span *span, uint32_t vector, uint32_t index) {
  uint64_t combo = UINT64_C(1) << index;
  vector = span_reduce(span, vector, &combo);
  if (!vector) return false;
  uint32_t top = log2_floor(vector);
  span->row[top] = vector;
  span->combo[top] = combo;
  return true;
}

bool span_has(const Span *span, uint32_t vector) {
  uint64_t combo = 0;
  return span_reduce(span, vector, &combo) == 0;
}

uint32_t span_size(const Span *span) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < 32; i++) n += span->row[i] != 0;
  return n;
}

Layout layout_compose(const Layout *a, const Layout *b) {
  uint32_t b_bits = layout_in_bits(b);
  if (b_bits != a->out_bits) BUG("a layout of %u bits after one to %u", b_bits, a->out_bits);
  Layout c = *a;
  c.out_bits = b->out_bits;
  for (uint32_t i = 0; i < layout_in_bits(a); i++) {
    c.basis[i] = 0;
    for (uint32_t k = 0; k < b_bits; k++)
      if (a->basis[i] >> k & 1) c.basis[i] ^= b->basis[k];
  }
  return c;
}

// The span of all inputs. A bit whose basis lower bits already span is not added, so it is never used. The solution
// with those bits zero is the smallest: they are the leading bits of the kernel's vectors.
static Span span_of(const Layout *layout) {
  uint32_t in_bits = layout_in_bits(layout);
  if (in_bits > 32) BUG("equations over %u input bits", in_bits);
  Span span = {0};
  for (uint32_t i = 0; i < in_bits; i++) span_add(&span, layout->basis[i], i);
  return span;
}

bool layout_delta(const Layout *layout, uint32_t delta, uint32_t *input) {
  uint64_t combo = 0;
  Span span = span_of(layout);
  if (span_reduce(&span, delta, &combo)) return false;
  *input = (uint32_t)combo;
  return true;
}

bool layout_invert(const Layout *layout, Layout *inverse) {
  uint32_t in_bits = layout_in_bits(layout);
  if (in_bits > 31) BUG("the inverse of a layout of %u bits", in_bits);
  Span span = span_of(layout);
  Layout result = {.bits = {[DIM_OFFSET] = layout->out_bits}, .out_bits = (uint8_t)in_bits};
  for (uint32_t i = 0; i < layout->out_bits; i++) {
    uint64_t combo = 0;
    if (span_reduce(&span, UINT32_C(1) << i, &combo)) return false;
    result.basis[i] = (uint32_t)combo;
  }
  *inverse = result;
  return true;
}

void layout_free_bits(const Layout *layout, uint32_t free_mask[DIM_COUNT]) {
  Span span = {0};
  uint32_t index = 0;
  for (int d = 0; d < DIM_COUNT; d++) {
    free_mask[d] = 0;
    for (uint32_t bit = 0; bit < layout->bits[d]; bit++, index++)
      if (!span_add(&span, layout->basis[index], index) && bit < 32) free_mask[d] |= UINT32_C(1) << bit;
  }
}

uint32_t layout_own_elements(const Layout *layout) {
  uint32_t free_mask[DIM_COUNT], count = layout_registers(layout);
  layout_free_bits(layout, free_mask);
  for (uint32_t bits = free_mask[DIM_REGISTER]; bits; bits &= bits - 1) count /= 2;
  return count;
}

void span_add_dim(Span *span, const Layout *layout, LayoutDim dim) {
  for (uint32_t bit = 0; bit < layout->bits[dim]; bit++) span_add(span, layout_basis(layout, dim, bit), 0);
}

static bool span_has_dim(const Span *span, const Layout *layout, LayoutDim dim) {
  for (uint32_t bit = 0; bit < layout->bits[dim]; bit++)
    if (!span_has(span, layout_basis(layout, dim, bit))) return false;
  return true;
}

// Returns true if the bases of the dimension differ only by elements of the span. An empty span: they are
// equal.
static bool dim_agrees(const Span *span, const Layout *a, const Layout *b, LayoutDim dim) {
  for (uint32_t bit = 0; bit < a->bits[dim]; bit++)
    if (!span_has(span, layout_basis(a, dim, bit) ^ layout_basis(b, dim, bit))) return false;
  return true;
}

Conversion layout_conversion(const Layout *src, const Layout *dst) {
  if (src->out_bits != dst->out_bits)
    BUG("a conversion of 2^%u to 2^%u elements", src->out_bits, dst->out_bits);
  if (layout_equal(src, dst)) return CONVERT_NOTHING;
  for (int d = DIM_LANE; d < DIM_COUNT; d++)
    if (src->bits[d] != dst->bits[d]) return CONVERT_SHARED;
  const Span nothing = {0};
  Span thread = {0}; // the reach of one thread's registers, then of a warp
  span_add_dim(&thread, src, DIM_REGISTER);
  Span warp = thread;
  span_add_dim(&warp, src, DIM_LANE);
  bool outer = dim_agrees(&nothing, src, dst, DIM_BLOCK) && dim_agrees(&nothing, src, dst, DIM_OFFSET);
  if (outer && dim_agrees(&nothing, src, dst, DIM_LANE) && dim_agrees(&nothing, src, dst, DIM_WARP) &&
      span_has_dim(&thread, dst, DIM_REGISTER))
    return CONVERT_REGISTERS;
  if (outer && dim_agrees(&warp, src, dst, DIM_WARP) && span_has_dim(&warp, dst, DIM_REGISTER) &&
      span_has_dim(&warp, dst, DIM_LANE))
    return CONVERT_LANES;
  return CONVERT_SHARED;
}
