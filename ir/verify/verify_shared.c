// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of shared memory ops, asynchronous ops, and scratch buffers.
#include "ir/verify/verify_parts.h"

#include <inttypes.h>
#include "ir/memory/scratch.h"

enum { MAX_OFFSET = 1 << 28, MAX_PENDING = 1 << 10, BARRIER_COUNT = 16 };

static bool is_buffer(Verifier *v, const Op *op, const Type *type, const char *what) {
  if (type->kind == TYPE_SHARED && type->layout) return true;
  return verify_fail(v, op, "%s is a shared buffer with its layout, not %s", what, verify_type_text(v, type));
}

static void check_alloc(Verifier *v, const Op *op) {
  int64_t offset = op_int(op, ATTR_OFFSET, 0);
  const Type *type = result_type(op);
  if (offset < 0 || offset > MAX_OFFSET || offset % SHARED_ALIGN != 0)
    verify_fail(v, op, "the offset is a multiple of %d up to %d, not %" PRId64, SHARED_ALIGN, MAX_OFFSET,
                offset);
  if ((type->shape[0] & (type->shape[0] - 1)) != 0 && !shared_is_stacked(type))
    verify_fail(v, op, "the %u buffers of %s do not follow one another", type->shape[0],
                verify_type_text(v, type));
}

// A tile's elements in a buffer: i1 as bytes, pointers as i64.
static bool holds_elements(const Type *buffer, const Type *tile) {
  const Type *element = type_element(tile);
  if (element->kind == TYPE_PTR) return buffer->elem == ELEM_I64;
  return buffer->elem == (element->elem == ELEM_I1 ? ELEM_I8 : element->elem);
}

void verify_starts(Verifier *v, const Op *op, const Type *part, const Type *whole) {
  const Attr *starts = op_attr(op, ATTR_STARTS);
  for (uint32_t d = 0; d < whole->rank; d++) {
    int64_t start = starts->ints.at[d];
    if (start < 0 || start > whole->shape[d] || part->shape[d] > whole->shape[d] - start)
      verify_fail(v, op, "%u elements from %" PRId64 " on are not within the %u of dimension %u",
                  part->shape[d], start, whole->shape[d], d);
  }
}

static void check_starts(Verifier *v, const Op *op, const Type *tile, const Type *buffer) {
  const Attr *starts = op_attr(op, ATTR_STARTS);
  if (starts->ints.n != buffer->rank || tile->rank != buffer->rank) {
    verify_fail(v, op, "%u starts of %s in %s", starts->ints.n, verify_type_text(v, tile),
                verify_type_text(v, buffer));
    return;
  }
  verify_starts(v, op, tile, buffer);
}

// Checks a move between a tile, or a scalar, and a buffer.
static void check_move(Verifier *v, const Op *op, const Type *tile, const Type *buffer) {
  bool has_elements = type_element(tile)->kind == TYPE_SCALAR || type_is_ptr(tile);
  bool has_shape = type_is_tile(tile) || (type_elements(buffer) == 1 && !op_attr(op, ATTR_STARTS));
  if (!has_shape || !has_elements || !holds_elements(buffer, tile))
    verify_fail(v, op, "%s does not hold %s", verify_type_text(v, buffer), verify_type_text(v, tile));
  else if (op_attr(op, ATTR_STARTS))
    check_starts(v, op, tile, buffer);
  else if (type_is_tile(tile) && !type_same_shape(tile, buffer))
    verify_fail(v, op, "%s and %s do not have one shape", verify_type_text(v, tile),
                verify_type_text(v, buffer));
}

// The writer must be one of the threads that hold an element.
static void check_writer(Verifier *v, const Op *op) {
  const Type *tile = operand_type(op, 0);
  int64_t writer = op_int(op, ATTR_WRITER, 0);
  if (writer && (!type_is_tile(tile) || !tile->layout))
    verify_fail(v, op, "'writer' is of tiles with layouts, not of %s", verify_type_text(v, tile));
  if (!writer || !type_is_tile(tile) || !tile->layout || !verify_holds(tile)) return;
  uint32_t free_bits[DIM_COUNT];
  layout_free_bits(tile->layout, free_bits);
  int64_t threads = free_bits[DIM_LANE] | (int64_t)free_bits[DIM_WARP] << LANE_BITS;
  if (writer & ~threads)
    verify_fail(v, op, "the writer %" PRId64 " has other bits than those that change no element, %" PRId64,
                writer, threads);
}

static void check_mirror(Verifier *v, const Op *op) {
  int64_t mirror = op_int(op, ATTR_MIRROR, 0);
  const Type *tile = result_type(op);
  if (!op_attr(op, ATTR_MIRROR)) return;
  if (mirror < 0 || mirror >= tile->rank || op_attr(op, ATTR_STARTS))
    verify_fail(v, op, "'mirror' is a dimension of %s, which is a whole buffer", verify_type_text(v, tile));
}

static void check_gather(Verifier *v, const Op *op) {
  const Type *buffer = operand_type(op, 0), *index = operand_type(op, 1), *to = result_type(op);
  int64_t axis = op_int(op, ATTR_AXIS, 0);
  bool agree = to->rank == buffer->rank && axis >= 0 && axis < to->rank && holds_elements(buffer, to);
  for (uint32_t d = 0; agree && d < to->rank; d++) agree = d == axis || to->shape[d] == buffer->shape[d];
  if (!agree)
    verify_fail(v, op, "%s from %s by %s along %" PRId64, verify_type_text(v, to),
                verify_type_text(v, buffer), verify_type_text(v, index), axis);
}

void verify_slot(Verifier *v, const Op *op, const Type *buffers, const Type *one) {
  if (!is_buffer(v, op, buffers, "the operand") || !is_buffer(v, op, one, "the result")) return;
  bool agree = buffers->rank == one->rank + 1u && buffers->elem == one->elem && shared_is_stacked(buffers);
  for (uint32_t d = 0; agree && d < one->rank; d++) agree = one->shape[d] == buffers->shape[d + 1];
  for (uint32_t i = 0; agree && i < one->layout->bits[DIM_OFFSET]; i++)
    agree = one->layout->basis[i] == buffers->layout->basis[i];
  if (!agree)
    verify_fail(v, op, "%s is not one of %s", verify_type_text(v, one), verify_type_text(v, buffers));
}

static bool is_permutation(const Attr *order, uint32_t rank) {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < order->ints.n; i++)
    if (order->ints.at[i] >= 0 && order->ints.at[i] < rank) seen |= 1u << order->ints.at[i];
  return order->ints.n == rank && seen == (1u << rank) - 1;
}

static void check_trans(Verifier *v, const Op *op) {
  const Type *from = operand_type(op, 0), *to = result_type(op);
  const Attr *attr = op_attr(op, ATTR_ORDER);
  if (!is_permutation(attr, from->rank)) {
    verify_fail(v, op, "'order' is a permutation of the %u dimensions", from->rank);
    return;
  }
  uint32_t order[TILE_MAX_RANK];
  bool agree = to->rank == from->rank && to->elem == from->elem;
  for (uint32_t d = 0; agree && d < from->rank; d++) {
    order[d] = (uint32_t)attr->ints.at[d];
    agree = to->shape[d] == from->shape[order[d]];
  }
  if (agree) {
    Layout wanted = layout_trans(from->layout, from->rank, from->shape, order);
    agree = layout_equal(&wanted, to->layout);
  }
  if (!agree)
    verify_fail(v, op, "%s is not %s transposed", verify_type_text(v, to), verify_type_text(v, from));
}

static void check_copy(Verifier *v, const Op *op) {
  static const char *const cache[] = {".ca", ".cg"}, *const evict[] = {"evict_first", "evict_last"};
  const Type *pointer = operand_type(op, 0), *buffer = operand_type(op, 1);
  verify_word(v, op, ATTR_CACHE, cache, 2);
  verify_word(v, op, ATTR_EVICT, evict, 2);
  const Type *copied = type_with_element(v->module->ir, pointer, type_element(pointer)->inner);
  check_move(v, op, copied, buffer);
}

static void check_pending(Verifier *v, const Op *op) {
  int64_t pending = op_int(op, ATTR_PENDING, 0);
  if (pending < 0 || pending > MAX_PENDING)
    verify_fail(v, op, "'pending' is 0 to %d, not %" PRId64, MAX_PENDING, pending);
}

static void check_barrier(Verifier *v, const Op *op) {
  int64_t id = op_int(op, ATTR_ID, 0), warps = op_int(op, ATTR_WARPS, 1);
  int first = op->kind == OP_ARRIVE; // at 0 the whole CTA waits
  if (id < first || id >= BARRIER_COUNT)
    verify_fail(v, op, "the CTA's barriers are %d to %d, not %" PRId64, first, BARRIER_COUNT - 1, id);
  uint32_t most = region_warps(op);
  if (warps < 1 || warps > most) verify_fail(v, op, "1 to %u warps meet, not %" PRId64, most, warps);
}

// Barriers 0 and 1 are the CTA's and a group's.
static void check_turn(Verifier *v, const Op *op) {
  enum { FIRST_TURN = 2, WARPGROUP = 4 };
  int64_t id = op_int(op, ATTR_ID, 0), groups = region_warps(op) / WARPGROUP;
  if (groups < 2) verify_fail(v, op, "two warpgroups or more take turns, not %u warps", region_warps(op));
  if (id < FIRST_TURN || id + groups > BARRIER_COUNT)
    verify_fail(v, op, "its barriers are of %d to %d, not %" PRId64 " and %" PRId64 " more", FIRST_TURN,
                BARRIER_COUNT - 1, id, groups - 1);
}

// Checks the result of an asynchronous dot. For fp16 a thread has pairs of neighbours, which share a
// register.
static bool holds_sums(const Type *type) {
  if (!type_is_tile(type)) return false;
  bool pairs = type_is_elem(type, ELEM_FP16);
  if (pairs && type->layout) return type->layout->bits[DIM_REGISTER] > 0;
  return pairs || type_is_elem(type, ELEM_FP32) || type_is_elem(type, ELEM_I32);
}

static void check_dot_wait(Verifier *v, const Op *op) {
  check_pending(v, op);
  if (op->result_count > op->operand_count) {
    verify_fail(v, op, "%u operands and %u results do not agree", op->operand_count, op->result_count);
    return;
  }
  for (uint32_t i = op->result_count; i < op->operand_count; i++)
    if (operand_type(op, i)->kind == TYPE_SHARED || operand_type(op, i)->kind == TYPE_TOKEN)
      verify_fail(v, op, "operand %u is not a computed value: %s", i,
                  verify_type_text(v, operand_type(op, i)));
  for (uint32_t i = 0; i < op->result_count; i++)
    if (operand_type(op, i)->kind == TYPE_TMEM && operand_type(op, i) == op->results[i].type)
      continue;
    else if (!type_is_tile(operand_type(op, i)) || operand_type(op, i) != op->results[i].type)
      verify_fail(v, op, "result %u is %s, the operand %s", i, verify_type_text(v, op->results[i].type),
                  verify_type_text(v, operand_type(op, i)));
    else if (!holds_sums(operand_type(op, i)))
      verify_fail(v, op, "result %u is a dot's sums, tiles of fp32, i32 or pairs of fp16, not %s", i,
                  verify_type_text(v, operand_type(op, i)));
}

// A conversion's buffer holds the tile. For other ops it holds the number of bytes that they need.
void verify_scratch(Verifier *v, const Op *op) {
  const Type *type = op_scratch(op)->type;
  if (!is_buffer(v, op, type, "the scratch buffer")) return;
  if (op->kind == OP_CONVERT_LAYOUT) {
    check_move(v, op, operand_type(op, 0), type);
    return;
  }
  // An error of an operand's own layout is reported at its definition.
  for (uint32_t i = 0; i < op_input_count(op); i++)
    if (type_is_tile(operand_type(op, i)) && !verify_holds(operand_type(op, i))) {
      v->ok = false;
      return;
    }
  uint32_t needed = scratch_bytes(op);
  if (type->elem != ELEM_I8 || type->rank != 1 || type->shape[0] < needed)
    verify_fail(v, op, "the scratch buffer is of %u bytes, not %s", needed, verify_type_text(v, type));
}

void verify_shared_op(Verifier *v, const Op *op) {
  switch ((int)op->kind) {
  case OP_BARRIER:
  case OP_ARRIVE: check_barrier(v, op); break;
  case OP_PINGPONG_WAIT:
  case OP_PINGPONG_PASS: check_turn(v, op); break;
  case OP_SHARED_ALLOC: check_alloc(v, op); break;
  case OP_SHARED_STORE:
    check_move(v, op, operand_type(op, 0), operand_type(op, 1));
    check_writer(v, op);
    break;
  case OP_SHARED_LOAD:
    check_move(v, op, result_type(op), operand_type(op, 0));
    check_mirror(v, op);
    break;
  case OP_SHARED_GATHER: check_gather(v, op); break;
  case OP_SHARED_INDEX: verify_slot(v, op, operand_type(op, 0), result_type(op)); break;
  case OP_SHARED_TRANS: check_trans(v, op); break;
  case OP_COPY_ASYNC: check_copy(v, op); break;
  case OP_ASYNC_WAIT: check_pending(v, op); break;
  case OP_DOT_WAIT: check_dot_wait(v, op); break;
  default: break;
  }
}
