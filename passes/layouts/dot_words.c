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

// log2 of how often a reshape of a broadcast repeats an element along dimension `dim` of its result. 0: it does not.
static uint32_t repeats_along(const Op *reshape, uint32_t dim) {
  const Op *broadcast = op_operand(reshape, 0)->def;
  const Type *to = op_result(reshape)->type, *wide = op_operand(reshape, 0)->type;
  if (!broadcast || broadcast->kind != OP_BROADCAST || to->rank != 2 || wide->rank != 3) return 0;
  const Type *from = op_operand(broadcast, 0)->type;
  uint32_t middle = dim + 1, other = dim == 0 ? 2 : 0;
  if (from->shape[middle] != 1 || wide->shape[dim] * wide->shape[middle] != to->shape[dim]) return 0;
  return from->shape[other] == wide->shape[other] && from->shape[dim] == wide->shape[dim]
             ? log2_ceil(wide->shape[middle])
             : 0;
}

// The largest such number among the tiles that the value is computed from, element by element.
static uint32_t unpacked_along(const Value *value, uint32_t dim, uint32_t *steps) {
  const Op *op = value->def;
  if (!op || *steps == 0 || !type_is_tile(value->type)) return 0;
  --*steps;
  if (op->kind == OP_RESHAPE) return repeats_along(op, dim);
  if (op->kind == OP_TRANS) return unpacked_along(op_operand(op, 0), 1 - dim, steps);
  uint32_t most = 0;
  for (uint32_t i = 0; op_has(op, ELEMENTWISE) && i < op->operand_count; i++)
    most = max_u32(most, unpacked_along(op_operand(op, i), dim, steps));
  return most;
}

// True if the operand is a load whose threads read at least 16 bytes, or 2^run elements, along k.
static bool is_loaded_along(const Product *p, DotOperand operand, uint32_t run) {
  enum { STORE_BITS = 3 };
  const Op *op = op_operand(p->op, operand)->def;
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

uint32_t dot_words_run(const Product *p, DotOperand operand) {
  uint32_t steps = MAX_STEPS, dim = operand == DOT_A;
  if (p->shape.batch || p->chained || op_attr(p->op, ATTR_EXTENTS) || dot_pack(&p->is) != 1) return 0;
  if (p->shape.k < 4) return 0;
  uint32_t run = min_u32(unpacked_along(op_operand(p->op, operand), dim, &steps), p->shape.k - 3);
  return run > 1 && is_loaded_along(p, operand == DOT_A ? DOT_B : DOT_A, run) ? run : 0;
}
