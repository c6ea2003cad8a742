// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the layout files share among themselves: subspaces of words over GF(2), and building a layout basis by
// basis. Private to ir/layout/*.c.
#ifndef IR_LAYOUT_LAYOUT_PARTS_H
#define IR_LAYOUT_LAYOUT_PARTS_H

#include "ir/layout/layout.h"

// A subspace of words in echelon form: row[i] is 0 or has i as its highest bit. combo[i] says which of the
// vectors added (by their numbers) make up row[i].
typedef struct Span {
  uint32_t row[32];
  uint64_t combo[32];
} Span;

// What is left of the vector after reduction: 0 where it is in the span.
// *combo gets what it was reduced by (XORed in).
uint32_t span_reduce(const Span *span, uint32_t vector, uint64_t *combo);
// The same on to the lowest bit: what is left has no bit that leads a row, and is linear in the vector.
uint32_t span_reduce_fully(const Span *span, uint32_t vector, uint64_t *combo);
// Adds vector number `index` (below 64); false where it was in the span already.
bool span_add(Span *span, uint32_t vector, uint32_t index);
bool span_has(const Span *span, uint32_t vector);
uint32_t span_size(const Span *span); // its dimension
// Adds the dimension's bases, all under the number 0: for membership only.
void span_add_dim(Span *span, const Layout *layout, LayoutDim dim);
bool span_has_dim(const Span *span, const Layout *layout, LayoutDim dim);

// Appends a basis to the dimension.
void layout_add(Layout *layout, LayoutDim dim, uint32_t basis);

#endif
