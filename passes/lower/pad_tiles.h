// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the rules of pad_tiles share: the sizes that tiles were written with, and values for what is beyond them.
// Of use to passes/lower/pad_*.c alone.
#ifndef PASSES_LOWER_PAD_TILES_H
#define PASSES_LOWER_PAD_TILES_H

#include "passes/passes.h"
#include "ir/build.h"

typedef struct PadEntry {
  const Value *value;
  const Type *type; // as written; value->type is padded
  Value *inside;    // where it has elements, where that is not from the front on along each dimension; else NULL
} PadEntry;

typedef VEC(PadEntry) PadEntries;

typedef struct Padding {
  PassContext *context;
  Func *func;
  PadEntries entries; // by value id, of the values that were there before the pass and those that take their place
} Padding;

// The rule of an op some of whose tiles are padded: their types are, already; what else there is to do. It may erase the op.
typedef void PadRule(Padding *p, Op *op);

// --- sizes (pad_parts.c)

static inline uint32_t pad_size(uint32_t n) {
  uint32_t power = 1;
  while (power < n) power *= 2;
  return power;
}
// The type with every size the least power of two that is no less; other types as they are.
const Type *pad_type(IrContext *ir, const Type *type);
// The type as written.
const Type *pad_written(const Padding *p, const Value *value);
static inline bool pad_is_padded(const Padding *p, const Value *value) { return pad_written(p, value) != value->type; }
// Along dimension `dim`.
static inline bool pad_along(const Padding *p, const Value *value, uint32_t dim) {
  return pad_written(p, value)->shape[dim] != value->type->shape[dim];
}
// `to` takes the place of `from`, and its written type.
void pad_replace(Padding *p, Value *from, Value *to);
// The elements of `value` are where `inside` holds.
void pad_scatter(Padding *p, const Value *value, Value *inside);

// --- values (pad_parts.c)

enum { PAD_ALL = -1 };
// Where a tile of the shape of `like` has an element, along dimension `dim` or in all: a tile of i1; NULL: everywhere.
Value *pad_inside(const Padding *p, Builder *b, const Value *like, int32_t dim);
// x where it has elements along `dim`, beyond them `fill`, a tile of x's type; x itself where there is nothing beyond.
Value *pad_fill(const Padding *p, Builder *b, Value *x, int32_t dim, Value *fill);
// A tile of x's type: zeros (x: numbers).
Value *pad_zeros(Builder *b, const Value *x);
// x, beyond whose elements its last ones along each dimension are repeated.
Value *pad_repeat(const Padding *p, Builder *b, Value *x);
// The mask, which may be NULL, where a tile of the shape of `like` has elements, false elsewhere.
Value *pad_mask(const Padding *p, Builder *b, Value *mask, const Value *like);
// Whether what is beyond x's elements along `dim` is zeros: what a load gives there, where x comes of one, is made so.
bool pad_is_zero(const Padding *p, const Value *x, uint32_t dim);
// 0, 1, ... along dimension `dim` of a tile of the shape of `like`, i32.
Value *pad_index(Builder *b, const Value *like, uint32_t dim);

// --- rules

// pad_shapes.c
PadRule pad_reshape, pad_cat, pad_slice, pad_flip;
// pad_combine.c
PadRule pad_reduce, pad_scan, pad_sort, pad_histogram, pad_dot;
// Whether only products take the tile, whose k, where it is padded, ends where an instruction of wgmma's does.
bool pad_boxes_products(const Padding *p, const Value *tile);

#endif
