// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/index_clone.h"

enum { MAX_OPS = 48 };

// Division is excluded: it may be undefined outside the tile.
static bool is_total(const Op *op) {
  return op_has_any(op, ARITHMETIC | ASSOCIATES | COMPARE | CHOOSES) || op->kind == OP_NEG ||
         op->kind == OP_ADDPTR;
}

static bool is_integer_cast(const Op *op) {
  return op->kind == OP_CAST && type_is_int(op_operand(op, 0)->type) && type_is_int(op_result(op)->type);
}

// `*left` bounds the visited ops, because operands may be shared.
static bool can_clone(const Value *value, uint32_t *left) {
  const Op *op = value->def;
  if (!op || *left == 0 || value->type->rank != 1) return false;
  --*left;
  if (op_has(op, LEAF)) return true;
  if (!is_total(op) && !is_integer_cast(op)) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!can_clone(op_operand(op, i), left)) return false;
  return true;
}

bool index_can_clone(const Value *tile) {
  uint32_t left = MAX_OPS;
  return type_is_tile(tile->type) && !tile->type->layout && can_clone(tile, &left);
}

static const Type *resized_tile(Builder *b, const Type *tile, uint32_t n) {
  return type_tile(b->func->module->ir, type_element(tile), 1, &n, NULL);
}

// The indices of a clone: start, start + 1 ...; or start n times.
typedef struct Indices {
  int64_t start;
  uint32_t n;
  bool same;
} Indices;

static Value *clone_arange(Builder *b, const Type *type, int64_t first, const Indices *at) {
  if (at->same) return build_int(b, type, first);
  if (first >= 0) return build_arange(b, first, first + at->n);
  Value *by = build_int(b, type, first);
  return build_binary(b, OP_ADD, build_arange(b, 0, at->n), by);
}

static Value *clone_at(Builder *b, const Value *tile, const Indices *at) {
  const Op *op = tile->def;
  const Type *type = resized_tile(b, tile->type, at->n);
  if (op->kind == OP_ARANGE) return clone_arange(b, type, op_int(op, ATTR_START, 0) + at->start, at);
  if (op->kind == OP_SPLAT) return build_splat(b, op_operand(op, 0), type);
  Value *operands[3] = {NULL};
  for (uint32_t i = 0; i < op->operand_count; i++) operands[i] = clone_at(b, op_operand(op, i), at);
  Op *copy = build_op(b, op->kind, op->operand_count, operands, 1, &type);
  op_copy_attrs(copy, op);
  return op_result(copy);
}

Value *index_clone(Builder *b, Value *tile, int64_t start, uint32_t n) {
  return clone_at(b, tile, &(Indices){.start = start, .n = n});
}

Value *index_clone_one(Builder *b, Value *tile, int64_t at, uint32_t n) {
  return clone_at(b, tile, &(Indices){.start = at, .n = n, .same = true});
}
