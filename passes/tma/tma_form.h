// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers and pointers of tiles as sums: what is added to a base at each of a tile's indices.
#ifndef PASSES_TMA_TMA_FORM_H
#define PASSES_TMA_TMA_FORM_H

#include "passes/tma/tma_range.h"

enum { TMA_FACTORS = 3, TMA_TERMS = 16, NO_DIM = -1 };

// factor times the values of `by`, which are known before a launch, times what counts: the tile's index of a dimension, a
// scalar of the program's own, or nothing.
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

// A remainder that leaves blocks whole: its operand is a multiple of the block plus the tile's index, and the guard asks
// that the divisor is one too.
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
  Value *size[2];             // i64: remainders by it are taken of the dimension; NULL: none are
} FormFinder;

// The sum that the value is, whose elements are the finder's tile's, where the guard holds. False: it is no such sum.
// Of a value of one dimension `dim` says which of the tile's that is.
bool form_find(FormFinder *f, Value *value, int dim, TmaForm *form);
// x - y, with equal terms as one.
bool form_subtract(const TmaForm *x, const TmaForm *y, TmaForm *result);
bool form_push(TmaForm *form, TmaTerm term);
// The one term of the dimension; NULL: there is none, or several.
const TmaTerm *form_dim(const TmaForm *form, int dim);
// The sum, which has no dimensions' terms, as an i64.
Value *form_build(Builder *b, const TmaForm *form);
bool form_range(Guard *g, const TmaForm *form, HostRange *range);

#endif
