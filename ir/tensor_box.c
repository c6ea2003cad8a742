// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor copy swizzles by address bits as wgmma reads: what layout_wgmma_shared lays out, rows of 32, 64 or 128
// bytes one below the other, is a box of that width, and wider matrices are boxes one behind the other.
#include "ir/tensor_box.h"

#include "base/math.h"
#include "ir/layout_dot.h"

bool layout_tma_box(const Type *buffer, TensorBox *box) {
  uint32_t row_bytes, elem = elem_bytes(buffer->elem);
  Layout layout;
  if (buffer->kind != TYPE_SHARED || buffer->rank != 2 || buffer->shape[0] > TENSOR_BOX_MOST) return false;
  uint32_t rows = log2_of(buffer->shape[0]), columns = log2_of(buffer->shape[1]);
  if (!layout_wgmma_shared(rows, columns, log2_of(elem), 1, &layout, &row_bytes) ||
      !layout_equal(&layout, buffer->layout))
    return false;
  *box = (TensorBox){.rank = 2, .shape = {buffer->shape[0], row_bytes / elem}, .swizzle = row_bytes};
  box->count = buffer->shape[1] / box->shape[1];
  box->bytes = buffer->shape[0] * row_bytes;
  return true;
}
