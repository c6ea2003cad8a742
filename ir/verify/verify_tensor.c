// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of TMA copies and stores, of the mbarriers that count their bytes, and of tma_mark.
#include <inttypes.h>

#include "target/target.h"
#include "ir/memory/tensor_box.h"
#include "ir/verify/verify_parts.h"

enum { MAX_BYTES = (1 << 20) - 1, MAX_PENDING = 63 }; // bytes: maximum count of an mbarrier

static void check_arrivals(Verifier *v, const Op *op) {
  int64_t arrivals = op_int(op, ATTR_ARRIVALS, 1);
  if (arrivals < 1 || arrivals > BLOCK_MAX_THREADS)
    verify_fail(v, op, "'arrivals' is 1 to %d, not %" PRId64, BLOCK_MAX_THREADS, arrivals);
}

// A map may have more dimensions than the buffer: its TMA tile has one element along those. A copy may fill
// only the first rows of the first TMA tiles.
static bool is_box_of(const Op *op, const Type *map) {
  TensorBox box;
  uint32_t rows = 1, wide = 0;
  if (!tensor_op_box(op, &box) || map->rank < box.rank) return false;
  for (uint32_t d = 0; d + 1 < map->rank; d++) {
    rows *= map->shape[d];
    wide += map->shape[d] > 1;
  }
  bool halved = box.count == 1 && 2 * rows == box.shape[0]; // rows of each CTA of a pair
  return map->elem == operand_type(op, 1)->elem && map->swizzle == box.swizzle && wide <= 1 &&
         (rows == box.shape[0] || halved) && map->shape[map->rank - 1] == box.shape[1];
}

// Operands: a map, the buffer that its TMA tiles fill, and coordinates from operand `first` on.
static void check_box(Verifier *v, const Op *op, uint32_t first) {
  const Type *map = operand_type(op, 0), *buffer = operand_type(op, 1);
  if (!is_box_of(op, map))
    verify_fail(v, op, "TMA tiles of %s do not fill %s", verify_type_text(v, map),
                verify_type_text(v, buffer));
  if (op->operand_count != first + map->rank)
    verify_fail(v, op, "a coordinate per dimension, %u, not %u", map->rank, op->operand_count - first);
}

static void check_copy(Verifier *v, const Op *op) {
  TensorBox box;
  int64_t boxes = op_int(op, ATTR_BOXES, 1);
  if (boxes < 1 || (layout_tma_box(operand_type(op, 1), &box) && boxes > box.count))
    verify_fail(v, op, "'boxes' is at least 1, and no more than fill the buffer, not %" PRId64, boxes);
  check_box(v, op, 3);
}

// Bulk copies have multiples of 16 bytes. `n`: the number of parts.
static void check_parts(Verifier *v, const Op *op, const Type *x, uint32_t first, uint32_t n) {
  uint64_t bytes = type_elements(x) * type_element_bytes(x);
  if (n == 0 || bytes % n || bytes / n % TENSOR_COPY_BYTES)
    verify_fail(v, op, "%u equal parts of %s are no multiples of %d bytes", n, verify_type_text(v, x),
                TENSOR_COPY_BYTES);
  for (uint32_t i = first; i < op->operand_count; i++) {
    const Type *type = operand_type(op, i);
    bool pointer = type->kind == TYPE_PTR && type->inner->elem == type_element(x)->elem;
    if (!pointer && (op->kind == OP_BULK_MARK || i < 1 || i > 2))
      verify_fail(v, op, "operand %u is a pointer to elements of %s, not %s", i, verify_type_text(v, x),
                  verify_type_text(v, type));
  }
}

// Operands: a size, a stride and an offset per tensor dimension. The tile's dimensions are the first ones, or
// those of 'dims'.
static void check_dims(Verifier *v, const Op *op, uint32_t tile_rank) {
  const Attr *dims = op_attr(op, ATTR_DIMS);
  uint32_t rank = (op->operand_count - 2) / 3, n = dims ? dims->ints.n : rank;
  if (op->operand_count != 2 + 3 * rank || n != tile_rank || rank > TILE_MAX_RANK) {
    verify_fail(v, op, "sizes, strides and offsets, %u, not %u", 3u * tile_rank, op->operand_count - 2);
    return;
  }
  for (uint32_t i = 0; dims && i < n; i++)
    if (dims->ints.at[i] < (i ? dims->ints.at[i - 1] + 1 : 0) || dims->ints.at[i] >= (int64_t)rank)
      verify_fail(v, op, "'dims' are dimensions of the tensor's %u in their order", rank);
}

static void check_tma_mark(Verifier *v, const Op *op) {
  const Type *x = operand_type(op, 0), *base = operand_type(op, 1);
  if (base->kind != TYPE_PTR || base->inner != type_element(x))
    verify_fail(v, op, "the base points to the tile's elements, it is %s", verify_type_text(v, base));
  check_dims(v, op, x->rank);
}

static void check_take(Verifier *v, const Op *op) {
  enum { NUMBERS = 4 };
  if (!target_has(v->module->target.arch, FEATURE_CLUSTER_CONTROL))
    verify_fail(v, op, "%s has no cluster launch control", v->module->target.arch->name);
  if (type_elements(operand_type(op, 0)) != NUMBERS)
    verify_fail(v, op, "its buffer has %d numbers, not those of %s", NUMBERS,
                verify_type_text(v, operand_type(op, 0)));
}

void verify_tensor_op(Verifier *v, const Op *op) {
  switch ((int)op->kind) {
  case OP_TAKE_PROGRAM:
  case OP_TAKEN_PROGRAM: check_take(v, op); break;
  case OP_TMA_MARK: check_tma_mark(v, op); break;
  case OP_TMA_COPY: check_copy(v, op); break;
  case OP_BULK_MARK: check_parts(v, op, operand_type(op, 0), 1, op->operand_count - 1); break;
  case OP_BULK_COPY: check_parts(v, op, operand_type(op, 1), 0, op->operand_count - 2); break;
  case OP_TMA_STORE: check_box(v, op, 2); break;
  case OP_TMA_STORE_WAIT:
    if (op_int(op, ATTR_PENDING, 0) < 0 || op_int(op, ATTR_PENDING, 0) > MAX_PENDING)
      verify_fail(v, op, "'pending' is 0 to %d, not %" PRId64, MAX_PENDING, op_int(op, ATTR_PENDING, 0));
    break;
  case OP_MBARRIER_INIT: check_arrivals(v, op); break;
  case OP_MBARRIER_EXPECT: {
    int64_t bytes = op_int(op, ATTR_BYTES, 0);
    if (bytes < 1 || bytes > MAX_BYTES)
      verify_fail(v, op, "'bytes' is 1 to %d, not %" PRId64, MAX_BYTES, bytes);
    break;
  }
  default: break;
  }
  bool tensor = op_has(op, SINGLE) || op->kind == OP_MBARRIER_ARRIVE || op->kind == OP_MBARRIER_WAIT;
  if (tensor && !v->module->target.arch->tensor_rank)
    verify_fail(v, op, "%s has no TMA copies", v->module->target.arch->name);
}
