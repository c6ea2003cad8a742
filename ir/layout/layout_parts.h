// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by ir/layout/*.c only: subspaces of words over GF(2), and functions to build a layout basis by
// basis.
#ifndef IR_LAYOUT_LAYOUT_PARTS_H
#define IR_LAYOUT_LAYOUT_PARTS_H

#include "ir/layout/layout.h"

// A subspace of words in echelon form: row[i] is 0 or has i as its highest bit. combo[i]: the added vectors
// (by number) that sum to row[i].
typedef struct Span {
  uint32_t row[32];
  uint64_t combo[32];
} Span;

// The remainder of the vector after reduction; 0 if it is in the span. The combination used is XORed into
// *combo.
uint32_t span_reduce(const Span *span, uint32_t vector, uint64_t *combo);
// The same down to the lowest bit. The remainder has no leading bit of a row, and is linear in the vector.
uint32_t span_reduce_fully(const Span *span, uint32_t vector, uint64_t *combo);
// Adds vector number `index` (below 64). Returns false if the span contains it already.
bool span_add(Span *span, uint32_t vector, uint32_t index);
bool span_has(const Span *span, uint32_t vector);
uint32_t span_size(const Span *span); // its dimension
// Adds the dimension's bases, all with number 0: only for membership tests.
void span_add_dim(Span *span, const Layout *layout, LayoutDim dim);

// Appends a basis to the dimension.
void layout_add(Layout *layout, LayoutDim dim, uint32_t basis);

#endif
