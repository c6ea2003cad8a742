// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses and masks of blocks. An element of the block at index i of a dimension is within bounds if 0 <= offset + i
// < size. Equivalently, first <= i < left with first = -offset and left = size - offset. Both are clamped to 0 .. the
// block's extent. This changes no comparison and makes them fit in 32 bits.
#include "passes/lower/block_address.h"
#include <math.h>

enum { BOUND_BITS = 62 };

uint64_t block_offset_bound(const AxisTable *axes, const Value *offset) {
  int64_t constant;
  if (value_int_constant(offset, &constant)) return constant < 0 ? 0 : block_bound_add(1, constant);
  const Op *op = offset->def;
  if (!op || op->kind != OP_CAST || !type_is_int(op_operand(op, 0)->type)) return 0;
  const Value *narrow = op_operand(op, 0);
  uint32_t bits = elem_info(narrow->type->elem)->bits;
  return bits <= 32 && axis_info(axes, narrow)->nonnegative ? UINT64_C(1) << bits : 0;
}

uint64_t block_bound_add(uint64_t bound, int64_t most) {
  uint64_t limit = UINT64_C(1) << BOUND_BITS;
  if (bound == 0 || most < 0 || bound >= limit || (uint64_t)most >= limit - bound) return 0;
  return bound + (uint64_t)most;
}

static Value *build_product(Builder *b, Value *x, Value *y) {
  if (value_is_int(x, 1)) return y;
  if (value_is_int(y, 1)) return x;
  return build_binary(b, OP_MUL, x, y);
}

Value *block_move(Builder *b, Value *pointer, const BlockParts *parts, Value *const *by) {
  for (uint32_t d = 0; d < parts->rank; d++) {
    if (value_is_int(by[d], 0)) continue;
    pointer = build(b, OP_ADDPTR, pointer->type, pointer, build_product(b, by[d], parts->stride[d]), NULL);
  }
  return pointer;
}

// True if each index * stride along the dimension fits in i32, and so does the sum over all dimensions.
static bool is_narrow(const BlockParts *parts, uint32_t d, uint32_t extent) {
  int64_t stride, most = INT32_MAX / parts->rank / (int64_t)extent;
  return extent == 1 || (value_int_constant(parts->stride[d], &stride) && stride >= -most && stride <= most);
}

static Value *dim_offsets(Builder *b, const BlockParts *parts, uint32_t d, uint32_t extent, bool narrow) {
  Value *index = build_arange(b, 0, extent), *stride = parts->stride[d];
  int64_t constant;
  bool known = value_int_constant(stride, &constant);
  if (!narrow) index = build_cast(b, index, builder_scalar(b, ELEM_I64));
  if (known && constant == 1) return index;
  Value *factor = known ? build_int(b, index->type, constant) : build_splat(b, stride, index->type);
  return build_binary(b, OP_MUL, index, factor);
}

Value *block_pointers(Builder *b, const BlockParts *parts, const Type *tile) {
  Value *sum = NULL;
  bool narrow = true;
  for (uint32_t d = 0; d < parts->rank; d++) narrow = narrow && is_narrow(parts, d, tile->shape[d]);
  for (uint32_t d = 0; d < parts->rank; d++) {
    if (tile->shape[d] == 1) continue;
    Value *along = dim_offsets(b, parts, d, tile->shape[d], narrow);
    along = tile_along(b, along, d, tile->rank, tile->shape);
    sum = sum ? build_binary(b, OP_ADD, sum, along) : along;
  }
  Value *pointers = build_splat(b, parts->pointer, tile);
  return sum ? build(b, OP_ADDPTR, pointers->type, pointers, sum, NULL) : pointers;
}

// The scalar x, clamped to 0 .. `extent`, as i32.
static Value *build_clamped(Builder *b, Value *x, uint32_t extent) {
  x = build_with_int(b, OP_MAX, x, 0);
  x = build_with_int(b, OP_MIN, x, extent);
  return build_cast(b, x, builder_scalar(b, ELEM_I32));
}

static Value *compare_index(Builder *b, OpKind kind, Value *index, Value *bound) {
  return build_binary(b, kind, index, build_splat(b, bound, index->type));
}

static bool surely_inside(const BlockParts *parts, uint32_t d, uint32_t extent) {
  int64_t size, offset;
  return value_int_constant(parts->size[d], &size) && value_int_constant(parts->offset[d], &offset) &&
         offset >= 0 && size >= 0 && offset <= size && size - offset >= extent;
}

// The i32 value that x was widened from, or an i32 constant of the same value. NULL: neither.
static Value *narrow_of(Builder *b, Value *x) {
  int64_t constant;
  if (value_int_constant(x, &constant))
    return constant == (int32_t)constant ? build_int(b, builder_scalar(b, ELEM_I32), constant) : NULL;
  const Op *op = x->def;
  return op && op->kind == OP_CAST && type_is_elem(op_operand(op, 0)->type, ELEM_I32) ? op_operand(op, 0)
                                                                                      : NULL;
}

// The mask by one unsigned comparison, if offset and size are i32. As unsigned, a negative index is beyond every size.
// So is a sum that wraps.
static Value *narrow_mask(Builder *b, const BlockParts *parts, uint32_t d, Value *index) {
  Value *offset = narrow_of(b, parts->offset[d]), *size = narrow_of(b, parts->size[d]);
  if (!offset || !size) return NULL;
  const Type *natural = builder_scalar(b, ELEM_U32);
  size = build_cast(b, build_with_int(b, OP_MAX, size, 0), natural);
  Value *at = build_binary(b, OP_ADD, build_splat(b, offset, index->type), index);
  return compare_index(b, OP_LT, build_cast(b, at, natural), size);
}

static Value *dim_mask(Builder *b, const BlockParts *parts, uint32_t d, uint32_t extent) {
  Value *index = build_arange(b, 0, extent), *offset = parts->offset[d];
  Value *narrow = parts->below[d] ? NULL : narrow_mask(b, parts, d, index);
  if (narrow) return narrow;
  Value *left = build_binary(b, OP_SUB, parts->size[d], offset);
  Value *mask = compare_index(b, OP_LT, index, build_clamped(b, left, extent));
  if (parts->below[d]) return mask;
  // Nothing is inside at offsets below -extent, and their negative may wrap.
  Value *least = build_with_int(b, OP_MAX, offset, -(int64_t)extent);
  Value *zero = build_int(b, offset->type, 0);
  Value *first = build_clamped(b, build_binary(b, OP_SUB, zero, least), extent);
  return build_binary(b, OP_AND, mask, compare_index(b, OP_GE, index, first));
}

Value *block_mask(Builder *b, const BlockParts *parts, const Type *tile, uint32_t checked) {
  Value *all = NULL;
  for (uint32_t d = 0; d < parts->rank; d++) {
    if (!(checked >> d & 1) || surely_inside(parts, d, tile->shape[d])) continue;
    Value *mask = tile_along(b, dim_mask(b, parts, d, tile->shape[d]), d, tile->rank, tile->shape);
    all = all ? build_binary(b, OP_AND, all, mask) : mask;
  }
  return all;
}

Value *block_scalar_mask(Builder *b, const BlockParts *parts, uint32_t checked) {
  Value *all = NULL;
  for (uint32_t d = 0; d < parts->rank; d++) {
    if (!(checked >> d & 1) || surely_inside(parts, d, 1)) continue;
    Value *offset = parts->offset[d], *mask = build_binary(b, OP_LT, offset, parts->size[d]);
    if (!parts->below[d]) mask = build_binary(b, OP_AND, mask, build_with_int(b, OP_GE, offset, 0));
    all = all ? build_binary(b, OP_AND, all, mask) : mask;
  }
  return all;
}

Value *block_padding(Builder *b, const Type *tile, bool nan) {
  if (type_is_float(tile)) return build_float(b, tile, nan ? (double)NAN : 0);
  if (!type_is_ptr(tile)) return build_int(b, tile, 0);
  const Type *bits = type_with_element(b->func->module->ir, tile, builder_scalar(b, ELEM_I64));
  return build(b, OP_BITCAST, tile, build_int(b, bits, 0), NULL, NULL);
}
