// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layout direct sums, division and equations.
#include "base/fault.h"
#include "ir/layout/layout_parts.h"

Layout layout_product(const Layout *a, const Layout *b) {
  if (a->out_bits + b->out_bits > 31) BUG("a product to 2^%u elements", a->out_bits + b->out_bits);
  Layout result = {.out_bits = (uint8_t)(a->out_bits + b->out_bits)};
  for (int d = 0; d < DIM_COUNT; d++) {
    for (uint32_t i = 0; i < a->bits[d]; i++)
      layout_add(&result, (LayoutDim)d, layout_basis(a, (LayoutDim)d, i));
    for (uint32_t i = 0; i < b->bits[d]; i++)
      layout_add(&result, (LayoutDim)d, layout_basis(b, (LayoutDim)d, i) << a->out_bits);
  }
  return result;
}

bool layout_divide_left(const Layout *whole, const Layout *left, Layout *rest) {
  if (left->out_bits > whole->out_bits) return false;
  const uint32_t low = (UINT32_C(1) << left->out_bits) - 1;
  Layout result = {.out_bits = (uint8_t)(whole->out_bits - left->out_bits)};
  for (int d = 0; d < DIM_COUNT; d++) {
    if (left->bits[d] > whole->bits[d]) return false;
    for (uint32_t i = 0; i < whole->bits[d]; i++) {
      uint32_t basis = layout_basis(whole, (LayoutDim)d, i);
      if (i < left->bits[d] ? basis != layout_basis(left, (LayoutDim)d, i) : (basis & low) != 0) return false;
      if (i >= left->bits[d]) layout_add(&result, (LayoutDim)d, basis >> left->out_bits);
    }
  }
  *rest = result;
  return true;
}

// The span of all inputs. A basis that earlier ones span is excluded, so solutions never use it: they are the
// smallest.
static Span span_of(const Layout *layout) {
  uint32_t in_bits = layout_in_bits(layout);
  if (in_bits > 32) BUG("equations over %u input bits", in_bits);
  Span span = {0};
  for (uint32_t i = 0; i < in_bits; i++) span_add(&span, layout->basis[i], i);
  return span;
}

static bool span_solve(const Span *span, uint32_t vector, uint32_t *input) {
  uint64_t combo = 0;
  if (span_reduce(span, vector, &combo)) return false;
  *input = (uint32_t)combo;
  return true;
}

bool layout_solve(const Layout *a, const Layout *b, uint32_t x[LAYOUT_MAX_BITS]) {
  if (a->out_bits != b->out_bits) BUG("an equation of 2^%u and 2^%u elements", a->out_bits, b->out_bits);
  Span span = span_of(a);
  for (uint32_t i = 0; i < layout_in_bits(b); i++)
    if (!span_solve(&span, b->basis[i], &x[i])) return false;
  return true;
}

bool layout_delta(const Layout *layout, uint32_t delta, uint32_t *input) {
  Span span = span_of(layout);
  return span_solve(&span, delta, input);
}
