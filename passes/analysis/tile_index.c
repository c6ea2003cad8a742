// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/tile_index.h"

Value *tile_along(Builder *b, Value *x, uint32_t dim, uint32_t rank, const uint32_t *shape) {
  bool whole = true;
  for (uint32_t d = 0; d < rank; d++) {
    if (d == dim) continue;
    x = build_expand_dims(b, x, d);
    whole = whole && shape[d] == 1;
  }
  return whole ? x : build_broadcast(b, x, shape);
}
