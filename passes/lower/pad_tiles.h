// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the rules of pad_tiles: the written sizes of tiles, and values for their padding. Only for
// passes/lower/pad_*.c.
#ifndef PASSES_LOWER_PAD_TILES_H
#define PASSES_LOWER_PAD_TILES_H

#include "passes/passes.h"
#include "ir/build.h"

typedef struct PadEntry {
  const Value *value;
  const Type *type; // as written; value->type is padded
  Value *inside;    // where its elements are, if not at the front of each dimension; else NULL
} PadEntry;

typedef VEC(PadEntry) PadEntries;

typedef struct Padding {
  PassContext *context;
  Func *func;
  PadEntries entries; // by value id, for values from before the pass and their replacements
} Padding;

// The rule for an op with padded tiles. Their types are padded already. The rule may erase the op.
typedef void PadRule(Padding *p, Op *op);

// --- sizes (pad_parts.c)

static inline uint32_t pad_size(uint32_t n) {
  uint32_t power = 1;
  while (power < n) power *= 2;
  return power;
}
// The type with each size rounded up to a power of two. Other types are unchanged.
const Type *pad_type(IrContext *ir, const Type *type);
// The value's type as written.
const Type *pad_written(const Padding *p, const Value *value);
static inline bool pad_is_padded(const Padding *p, const Value *value) {
  return pad_written(p, value) != value->type;
}
// True if the value is padded along dimension `dim`.
static inline bool pad_along(const Padding *p, const Value *value, uint32_t dim) {
  return pad_written(p, value)->shape[dim] != value->type->shape[dim];
}
// Replaces `from` by `to`, which gets the written type of `from`.
void pad_replace(Padding *p, Value *from, Value *to);
// Records that the elements of `value` are where `inside` is true.
void pad_scatter(Padding *p, const Value *value, Value *inside);

// --- values (pad_parts.c)

enum { PAD_ALL = -1 };
// True where a tile shaped like `like` has an element, along dimension `dim` or along all (PAD_ALL). NULL: everywhere.
Value *pad_inside(const Padding *p, Builder *b, const Value *like, int32_t dim);
// x with its padding along `dim` replaced by `fill`, a tile of x's type. Returns x if there is no padding.
Value *pad_fill(const Padding *p, Builder *b, Value *x, int32_t dim, Value *fill);
// A tile of zeros of x's type, which must be numbers.
Value *pad_zeros(Builder *b, const Value *x);
// x with its last elements along each dimension repeated in the padding.
Value *pad_repeat(const Padding *p, Builder *b, Value *x);
// `mask`, which may be NULL, but false in the padding of a tile shaped like `like`.
Value *pad_mask(const Padding *p, Builder *b, Value *mask, const Value *like);
// True if x's padding along `dim` is zero. A load that x comes from is changed to give zeros there.
bool pad_is_zero(const Padding *p, const Value *x, uint32_t dim);
// 0, 1, ... along dimension `dim` of a tile shaped like `like`, as i32.
Value *pad_index(Builder *b, const Value *like, uint32_t dim);

// --- rules

// pad_shapes.c
PadRule pad_reshape, pad_cat, pad_slice, pad_flip;
// pad_combine.c
PadRule pad_reduce, pad_scan, pad_sort, pad_histogram, pad_dot;
// True if only dots read the tile. If its k is padded, the written k must be a multiple of wgmma's k.
bool pad_boxes_products(const Padding *p, const Value *tile);

#endif
