// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A TMA copy swizzles by address bits, as wgmma reads. A layout_wgmma_shared matrix with rows of 32, 64 or
// 128 bytes is a TMA tile of that width. A wider matrix is several TMA tiles, one after another.
#include "ir/memory/tensor_box.h"

#include "base/integer.h"
#include "ir/dot/layout_dot.h"
#include "ir/queries.h"

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
  box->bytes = box->distance = buffer->shape[0] * row_bytes;
  return true;
}

void tensor_box_trim(TensorBox *box, uint32_t rows, uint32_t count) {
  if (rows < box->shape[0]) box->bytes = box->bytes / box->shape[0] * rows, box->shape[0] = rows;
  if (count < box->count) box->count = count;
}

// Each CTA of a pair copies one half of the buffer: of its rows, or of its TMA tiles.
static bool is_halved(const Value *buffer) {
  buffer = value_viewed(buffer);
  const Op *op = buffer->def;
  if (op && op->kind == OP_RING_FILL) op = op_operand(op, buffer->index + 1)->def;
  return op && op_attr(op, ATTR_HALF);
}

bool tensor_op_box(const Op *op, TensorBox *box) {
  const Type *map = op_operand(op, 0)->type;
  uint32_t rows = 1; // along one dimension, or along those that are not 1
  if (!layout_tma_box(op_operand(op, 1)->type, box)) return false;
  for (uint32_t d = 0; d + 1 < map->rank; d++) rows *= map->shape[d];
  if (box->count == 1 && is_halved(op_operand(op, 1))) rows *= 2; // the map has those of one CTA
  tensor_box_trim(box, rows, (uint32_t)op_int(op, ATTR_BOXES, box->count));
  return true;
}
