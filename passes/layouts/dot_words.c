// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of mma that are unpacked from words along k.
//
// mma gives a thread two neighbours along k, then two that are 8 further. The four threads of a row or column thus share
// each word of packed weights: each one reads it, and takes two weights of it. But the order of k is free, if both
// operands have the same. So a thread gets whole words: each word is read by one thread, and shifted by constants.
//
// 8 weights a word, k = 64     reg = [1, 8, 16, 32], lane = [2, 4, ...]    of k, without runs
//                              reg = [1, 2, 4, 32], lane = [8, 16, ...]    with runs of 8
#include "base/integer.h"
#include "passes/layouts/choose_dot.h"

enum { MAX_STEPS = 64 };

// log2 of how often a reshape of a broadcast repeats an element along dimension `dim` of its result's rows and columns. 0:
// it does not.
static uint32_t repeats_along(const Op *reshape, uint32_t dim) {
  const Op *broadcast = op_operand(reshape, 0)->def;
  const Type *to = op_result(reshape)->type, *wide = op_operand(reshape, 0)->type;
  if (!broadcast || broadcast->kind != OP_BROADCAST || to->rank < 2 || wide->rank != to->rank + 1) return 0;
  const Type *from = op_operand(broadcast, 0)->type;
  dim += to->rank - 2;
  uint32_t middle = dim + 1;
  if (from->shape[middle] != 1 || wide->shape[dim] * wide->shape[middle] != to->shape[dim]) return 0;
  for (uint32_t i = 0; i < wide->rank; i++)
    if (i != middle && from->shape[i] != wide->shape[i]) return 0;
  return log2_ceil(wide->shape[middle]);
}

// The largest such number among the tiles that the value is computed from, element by element.
static uint32_t unpacked_along(const Value *value, uint32_t dim, uint32_t *steps) {
  const Op *op = value->def;
  if (!op || *steps == 0 || !type_is_tile(value->type)) return 0;
  --*steps;
  if (op->kind == OP_RESHAPE) return repeats_along(op, dim);
  if (op->kind == OP_TRANS && value->type->rank == 2)
    return unpacked_along(op_operand(op, 0), 1 - dim, steps);
  uint32_t most = 0;
  for (uint32_t i = 0; op_has(op, ELEMENTWISE) && i < op->operand_count; i++)
    most = max_u32(most, unpacked_along(op_operand(op, i), dim, steps));
  return most;
}

// The load of one row of a, if all rows are copies of it; NULL: a is made in another way.
static const Op *load_of_row(const Product *p, DotOperand operand) {
  const Op *op = op_operand(p->op, operand)->def;
  if (operand != DOT_A || !op || op->kind != OP_BROADCAST) return NULL;
  const Type *row = op_operand(op, 0)->type;
  const Op *load = op_operand(op, 0)->def;
  while (load && (load->kind == OP_TRANS || load->kind == OP_RESHAPE)) load = op_operand(load, 0)->def;
  return row->shape[row->rank - 2] == 1 && load && load->kind == OP_LOAD ? load : NULL;
}

// True if the operand is a load whose threads read at least 16 bytes, or 2^run elements, along k. If all rows are copies
// of one, threads may read less: the row is read from shared memory again.
static bool is_loaded_along(const Product *p, DotOperand operand, uint32_t run) {
  enum { STORE_BITS = 3 };
  const Op *op = op_operand(p->op, operand)->def, *row = load_of_row(p, operand);
  const Attr *read = row ? op_attr(row, ATTR_ANCHOR) : NULL;
  if (read && type_element_bytes(op_result(row)->type) == 2)
    return read->layout->bits[DIM_REGISTER] && layout_basis(read->layout, DIM_REGISTER, 0) == 1;
  bool turned = op && op->kind == OP_TRANS;
  if (turned) op = op_operand(op, 0)->def;
  const Attr *anchor = op && op->kind == OP_LOAD ? op_attr(op, ATTR_ANCHOR) : NULL;
  if (!anchor || type_element_bytes(op_result(op)->type) != 2) return false;
  bool k_is_last = (operand == DOT_A) != turned;
  uint32_t neighbour = k_is_last ? 1 : 1u << (operand == DOT_A ? p->shape.m : p->shape.n);
  uint64_t least = UINT64_C(1) << min_u32(run, STORE_BITS);
  return anchor->layout->bits[DIM_REGISTER] && layout_basis(anchor->layout, DIM_REGISTER, 0) == neighbour &&
         (uint64_t)op_int(op, ATTR_VECTOR, 1) >= least;
}

uint32_t dot_unpacked_along(const Value *value, uint32_t dim) {
  uint32_t steps = MAX_STEPS;
  return unpacked_along(value, dim, &steps);
}

// The tile whose rows were divided into the batches of this operand (slice_k); the operand itself if it has none.
static const Value *without_batch(const Value *operand) {
  const Op *op = operand->def;
  const Value *whole = op && op->kind == OP_RESHAPE ? op_operand(op, 0) : NULL;
  bool rows = whole && whole->type->rank == 2 && operand->type->rank == 3 &&
              whole->type->shape[1] == operand->type->shape[2];
  return rows ? whole : operand;
}

uint32_t dot_words_run(const Product *p, DotOperand operand) {
  enum { THREADS_OF_ROW_BITS = 2 };
  uint32_t dim = operand == DOT_A;
  const Value *value = op_operand(p->op, operand);
  if (p->chained || op_attr(p->op, ATTR_EXTENTS) || dot_pack(&p->is) != 1) return 0;
  if (p->shape.k < 4 || (p->is.batched && operand == DOT_A)) return 0;
  if (p->is.batched) value = without_batch(value);
  uint32_t run = min_u32(dot_unpacked_along(value, dim), p->shape.k - THREADS_OF_ROW_BITS);
  return run > 1 && is_loaded_along(p, operand == DOT_A ? DOT_B : DOT_A, run) ? run : 0;
}

// --- the load of the words

// The load below a reshape of a broadcast that repeats its elements 2^run times.
static const Op *repeated_load(const Op *reshape, uint32_t run) {
  if (repeats_along(reshape, 0) != run) return NULL;
  const Op *op = op_operand(op_operand(reshape, 0)->def, 0)->def;
  if (op && op->kind == OP_EXPAND_DIMS) op = op_operand(op, 0)->def;
  return op && op->kind == OP_LOAD ? op : NULL;
}

static const Op *find_words(const Value *value, uint32_t run, uint32_t *steps) {
  const Op *op = value->def, *load = NULL;
  if (!op || *steps == 0 || !type_is_tile(value->type)) return NULL;
  --*steps;
  if (op->kind == OP_RESHAPE) return repeated_load(op, run);
  for (uint32_t i = 0; op_has(op, ELEMENTWISE) && i < op->operand_count && !load; i++)
    load = find_words(op_operand(op, i), run, steps);
  return load;
}

const Op *dot_words_load(const Product *p, uint32_t run) {
  uint32_t steps = MAX_STEPS;
  const Op *load = find_words(without_batch(op_operand(p->op, DOT_B)), run, &steps);
  return load && type_element_bytes(op_result(load)->type) == 4 ? load : NULL;
}

uint32_t dot_words_columns(const Op *load) {
  const Attr *anchor = op_attr(load, ATTR_ANCHOR);
  if (!anchor || !anchor->layout->bits[DIM_REGISTER] || layout_basis(anchor->layout, DIM_REGISTER, 0) != 1)
    return 0;
  return min_u32(log2_of((uint64_t)op_int(load, ATTR_VECTOR, 1)), DOT_COLUMN_RUN);
}
