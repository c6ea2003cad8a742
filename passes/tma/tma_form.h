// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of integers and pointers as sums: what is added to a base at each of a tile's indices.
#ifndef PASSES_TMA_TMA_FORM_H
#define PASSES_TMA_TMA_FORM_H

#include "passes/tma/tma_range.h"

enum { TMA_FACTORS = 3, TMA_TERMS = 16, NO_DIM = -1 };

// factor times the values of `by`, which are known before the launch, times a counter or nothing. The counter is the
// tile's index of a dimension, or a program-dependent scalar.
typedef struct TmaTerm {
  int64_t factor;
  Value *by[TMA_FACTORS]; // in the order of their ids
  uint32_t by_count;
  Value *index; // NULL: none
  int dim;      // NO_DIM: none
} TmaTerm;

typedef struct TmaForm {
  TmaTerm at[TMA_TERMS];
  uint32_t n;
  Value *base; // a parameter; NULL: a number
} TmaForm;

// A remainder that leaves blocks whole. Its operand is a multiple of the block plus the tile's index. The guard
// requires that the divisor is a multiple of the block too.
typedef struct WholeBlocks {
  const Op *rem;
  Value *block; // which of the divisor's blocks it is
} WholeBlocks;

typedef VEC(WholeBlocks) WholeBlocksList;

typedef struct FormFinder {
  Guard *guard;
  const uint32_t *shape; // of the tile
  uint32_t rank;
  WholeBlocksList *wrapped; // of the function
  Value *size[2];           // i64: the divisor of remainders along the dimension; NULL: none
} FormFinder;

// Writes the value as a sum over the indices of the finder's tile. It is valid if the guard holds. Returns false if the
// value is no such sum. For a one-dimensional value, `dim` is its dimension of the tile.
bool form_find(FormFinder *f, Value *value, int dim, TmaForm *form);
// x - y. Equal terms are merged.
bool form_subtract(const TmaForm *x, const TmaForm *y, TmaForm *result);
bool form_push(TmaForm *form, TmaTerm term);
// The only term of the dimension. NULL: there is none, or several.
const TmaTerm *form_dim(const TmaForm *form, int dim);
// The sum as an i64. It must have no terms of dimensions.
Value *form_build(Builder *b, const TmaForm *form);
bool form_range(Guard *g, const TmaForm *form, HostRange *range);

#endif
