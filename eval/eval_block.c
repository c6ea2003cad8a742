// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block pointers of the evaluator. The value is a tile of i64 in make_block_ptr's order: base, sizes,
// strides, offsets. Everything is computed in 64 bits.
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "eval/eval_machine.h"
#include "ir/number.h"

typedef struct BlockAccess {
  const Op *op;
  const Type *tile; // shape and element
  ElemCode code;
  const Tile *pointer;
  const int64_t *sizes, *strides, *offsets;
  uint32_t checked; // bit d: the bounds of dimension d are checked
  uint8_t doubt;    // the block pointer's state, if it is doubtful
} BlockAccess;

static void run_make(Machine *m, const Op *op) {
  Tile *to = eval_tile(m, op_result(op));
  for (uint32_t i = 0; i < to->n; i++) {
    Element x = tile_get(eval_operand(m, op, i), 0);
    tile_set(to, i, &x);
  }
  eval_descriptor(m, op, to);
}

static void run_advance(Machine *m, const Op *op) {
  Tile *to = eval_tile(m, op_result(op));
  uint32_t rank = op->operand_count - 1;
  eval_copy(m, to, eval_operand(m, op, 0));
  for (uint32_t d = 0; d < rank; d++) {
    const Tile *by = eval_operand(m, op, 1 + d);
    to->bits[1 + 2 * rank + d] += by->bits[0];
    to->state[1 + 2 * rank + d] |= by->state[0];
  }
}

static bool open_block(Machine *m, const Op *op, const Value *tile, BlockAccess *block) {
  const Tile *pointer = eval_operand(m, op, 0);
  const Attr *boundary = op_attr(op, ATTR_BOUNDARY);
  uint32_t rank = tile->type->rank;
  *block = (BlockAccess){
      .op = op, .tile = tile->type, .code = eval_code(type_element(tile->type)), .pointer = pointer};
  block->sizes = (const int64_t *)pointer->bits + 1;
  block->strides = block->sizes + rank;
  block->offsets = block->strides + rank;
  for (uint32_t i = 0; boundary && i < boundary->ints.n; i++) block->checked |= 1u << boundary->ints.at[i];
  for (uint32_t i = 0; i < pointer->n; i++) {
    if (!eval_defined(m, op, 0, i, "the block pointer")) return false;
    if (state_is_doubtful(pointer->state[i])) block->doubt |= pointer->state[i];
  }
  return true;
}

static bool out_of_tensor(Machine *m, const BlockAccess *block, const Access *access, uint32_t dimension,
                          int64_t position) {
  const BufferName *buffer = eval_buffer_named(m, block->op, access->address, true);
  const char *of = buffer ? buffer->name : "the tensor";
  Diag *diag = eval_diag(m, block->op, access->element,
                         "[T1101] %s out of bounds: %" PRId64 " of %" PRId64 " in dimension %u of %s",
                         eval_access_name(block->op), position, block->sizes[dimension], dimension, of);
  eval_diag_run(m, diag, "out of bounds", buffer, access->address);
  diag_note(m->diags, diag, block->op->loc, "that dimension is not checked: add %u to `boundary_check`",
            dimension);
  return false;
}

// Locates element i. *inside: it is within the tensor. Returns false with an error if it is outside in an
// unchecked dimension and inside in all checked ones.
static bool block_locate(Machine *m, const BlockAccess *block, uint32_t i, Access *access, bool *inside) {
  uint64_t elements = 0, outside_position = 0;
  uint32_t rest = i, outside = block->tile->rank;
  *inside = true;
  for (uint32_t d = block->tile->rank; d-- > 0; rest /= block->tile->shape[d]) {
    uint64_t position = (uint64_t)block->offsets[d] + rest % block->tile->shape[d];
    elements += position * (uint64_t)block->strides[d];
    if (position < (uint64_t)block->sizes[d] && block->sizes[d] >= 0) continue;
    if (block->checked >> d & 1)
      *inside = false;
    else
      outside = d, outside_position = position;
  }
  *access = (Access){block->op,
                     i,
                     block->pointer->bits[0] + elements * eval_code_bytes(block->code),
                     block->code,
                     block->doubt,
                     eval_wrap_of_block(block->pointer)};
  if (!*inside || outside == block->tile->rank) return true;
  return out_of_tensor(m, block, access, outside, (int64_t)outside_position);
}

static Element padding_of(const Op *op, ElemCode code) {
  const Attr *padding = op_attr(op, ATTR_PADDING);
  if (!padding) return (Element){.state = UNDEFINED | UNREAD};
  bool nan = strcmp(padding->str, "nan") == 0 && eval_code_is_float(code);
  return eval_exact(code, nan ? number_encode((Elem)code, NAN) : 0);
}

static bool run_load(Machine *m, const Op *op) {
  BlockAccess block;
  if (!open_block(m, op, op_result(op), &block)) return false;
  Tile *to = eval_tile(m, op_result(op));
  Element padding = padding_of(op, block.code);
  eval_race_op(m, op);
  if (block.doubt & ASSEMBLED) {
    padding.state = UNCERTAIN | ASSEMBLED;
    return eval_fill(to, &padding), true;
  }
  for (uint32_t i = 0; i < to->n; i++) {
    Access access;
    bool inside;
    Element x = padding;
    if (!block_locate(m, &block, i, &access, &inside)) return false;
    if (inside && !eval_access_load(m, &access, &x)) return false;
    if (block.doubt) x.state |= UNCERTAIN | (block.doubt & UNREAD);
    tile_set(to, i, &x);
  }
  return true;
}

static bool run_store(Machine *m, const Op *op) {
  BlockAccess block;
  if (!open_block(m, op, op_operand(op, 1), &block)) return false;
  const Tile *value = eval_operand(m, op, 1);
  eval_doubt_memory(m, block.doubt);
  if (block.doubt & ASSEMBLED) return true;
  eval_race_op(m, op);
  for (uint32_t i = 0; i < value->n; i++) {
    Access access;
    bool inside;
    if (!block_locate(m, &block, i, &access, &inside)) return false;
    if (!inside) continue;
    Element x = tile_get(value, i);
    if (!eval_defined(m, op, 1, i, "the value to store")) return false;
    if (!eval_access_store(m, &access, &x)) return false;
  }
  return true;
}

bool eval_block_op(Machine *m, Op *op) {
  if (op->kind == OP_MAKE_BLOCK_PTR) return run_make(m, op), true;
  if (op->kind == OP_ADVANCE) return run_advance(m, op), true;
  if (m->host) return eval_on_host(m, op, "access memory");
  return op->kind == OP_BLOCK_LOAD ? run_load(m, op) : run_store(m, op);
}
