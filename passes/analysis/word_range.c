// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words are non-negative integers that fit in 32 bits. These are words:
// * Counts from uniform numbers in a range.
// * Widened words.
// * Quotients and remainders of words by uniform numbers. A remainder may also be written as x - x / d * d.
#include "passes/analysis/word_range.h"

#include "passes/analysis/mask_bounds.h"

enum { MAX_DEPTH = 16 };

static Elem elem_of(const Type *type) { return type_element(type)->elem; }

static uint64_t largest_of(const Type *type) {
  return elem_bytes(elem_of(type)) == 4 && elem_is_signed(elem_of(type)) ? INT32_MAX : UINT32_MAX;
}

bool constant_divides_words(const Type *integer, int64_t by) {
  return by > 0 && (uint64_t)by <= largest_of(integer);
}

static Value *build_both(Builder *b, Value *x, Value *y) {
  return x && y ? build_binary(b, OP_AND, x, y) : NULL;
}

// Tests least <= x <= least + room, as one unsigned comparison.
static Value *build_within(Builder *b, Value *x, int64_t least, uint64_t room) {
  const Type *distance =
      type_scalar(b->func->module->ir, elem_bytes(elem_of(x->type)) == 8 ? ELEM_U64 : ELEM_U32);
  Value *above = least ? build_with_int(b, OP_SUB, x, least) : x;
  Value *most = build_int(b, distance, (int64_t)room);
  return build_binary(b, OP_LE, build_cast(b, above, distance), most);
}

// The elements are first, ..., first + span, modulo 2^width. None wraps if first leaves room for the span.
static Value *build_range_fits(Builder *b, const Value *x) {
  MaskBound range;
  if (!index_range(x, &range)) return NULL;
  uint64_t span = (uint64_t)range.high - (uint64_t)range.low, largest = largest_of(x->type);
  if (span > largest) return NULL;
  Value *first = range.low || !range.base_count ? build_int(b, range.type, range.low) : NULL;
  for (uint32_t i = 0; i < range.base_count; i++)
    first = first ? build_binary(b, OP_ADD, first, range.bases[i]) : range.bases[i];
  return build_within(b, first, 0, largest - span);
}

static Value *build_fits(Builder *b, const Value *x, uint32_t depth);

static Value *build_quotient_fits(Builder *b, const Op *op, uint32_t depth) {
  Value *by;
  int64_t constant;
  if (!is_uniform(op_operand(op, 1), &by, &constant)) return NULL;
  if (!by && !constant_divides_words(op_operand(op, 1)->type, constant)) return NULL;
  Value *fits = build_fits(b, op_operand(op, 0), depth - 1);
  return by ? build_both(b, fits, fits ? build_divides_words(b, by) : NULL) : fits;
}

// The x / d in x - x / d * d, which is the remainder; NULL: it is another difference.
static const Op *quotient_taken_off(const Op *difference) {
  const Op *product = op_operand(difference, 1)->def;
  if (!product || product->kind != OP_MUL) return NULL;
  for (uint32_t i = 0; i < 2; i++) {
    const Op *quotient = op_operand(product, i)->def;
    if (quotient && quotient->kind == OP_DIV && op_operand(quotient, 0) == op_operand(difference, 0) &&
        op_operand(quotient, 1) == op_operand(product, 1 - i))
      return quotient;
  }
  return NULL;
}

static Value *build_widened_fits(Builder *b, const Value *from, uint32_t depth) {
  const Type *type = from->type;
  if (!type_is_int(type) || elem_bytes(elem_of(type)) > 4) return NULL;
  if (!elem_is_signed(elem_of(type))) return build_int(b, type_scalar(b->func->module->ir, ELEM_I1), 1);
  return elem_bytes(elem_of(type)) == 4 ? build_fits(b, from, depth - 1) : NULL;
}

static Value *build_fits(Builder *b, const Value *x, uint32_t depth) {
  if (depth == 0) return NULL;
  x = through_shapes(x);
  Value *fits = build_range_fits(b, x);
  const Op *op = x->def;
  if (fits || !op) return fits;
  const Op *quotient = op->kind == OP_SUB ? quotient_taken_off(op) : NULL;
  if (quotient || op->kind == OP_DIV || op->kind == OP_REM)
    return build_quotient_fits(b, quotient ? quotient : op, depth);
  return op->kind == OP_CAST ? build_widened_fits(b, op_operand(op, 0), depth) : NULL;
}

Value *build_fits_word(Builder *b, const Value *x) { return build_fits(b, x, MAX_DEPTH); }

Value *build_divides_words(Builder *b, Value *by) { return build_within(b, by, 1, largest_of(by->type) - 1); }
