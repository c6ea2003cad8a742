// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known at compile time of the numbers in a value: which run of neighbouring elements counts upwards,
// which holds one value, and what divides them. An analysis, for passes that choose how memory is accessed.
#ifndef PASSES_ANALYSIS_AXIS_INFO_H
#define PASSES_ANALYSIS_AXIS_INFO_H

#include "ir/ir.h"

// Every number is a power of two, and at least 1. A scalar counts as a tile of one dimension with one
// element. Cut a dimension of the (padded) tile into aligned runs of n elements; then, whatever the program
// and its other indices:
//   contiguity    within each run of that many the values are v, v + 1, v + 2 ...
//                 (pointers: v, v + size, v + 2 size ... bytes, of the pointee's size), modulo 2^width of the type
//   divisibility  the first value of each run of `contiguity` elements is a multiple of it (pointers: in bytes)
//   constancy     each run of that many holds one value
// Elements that ops.def calls undefined are not spoken of, nor what comes of remainders
// of negative numbers: offsets that are wrapped by % are taken as Triton takes them.
// Nor is what comes of // where sums or products of natural numbers wrapped below zero before: as in Triton.
// What a cast cuts off wraps on purpose.
typedef struct AxisInfo {
  uint64_t contiguity[TILE_MAX_RANK], divisibility[TILE_MAX_RANK], constancy[TILE_MAX_RANK];
  bool nonnegative; // an integer, no element of which is negative
  bool natural;     // an integer, no element of which is negative unless sums, products or shifts wrapped
  bool known;       // an integer, every element of which is `constant`
  int64_t constant;
  uint64_t most; // an integer that is not negative: no element is greater
} AxisInfo;

typedef struct AxisTable AxisTable;

// Analyses the function's body; the table lives in `arena`.
// Calls func_number; the table holds until values are added or removed.
const AxisTable *axis_analyse(Arena *arena, Func *func);
const AxisInfo *axis_info(const AxisTable *table, const Value *value);

// What divides the values at those indices of dimension
// `dim` that are multiples of `run`: bytes for pointers.
uint64_t axis_divisor(const AxisTable *table, const Value *value, uint32_t dim, uint64_t run);

// Whether in each aligned run of that many elements along dimension `dim` the mask holds of the first ones alone: of none, some or all.
bool axis_falls(const AxisTable *table, const Value *mask, uint32_t dim, uint64_t run);

// How far neighbouring elements of dimension `dim` are apart (pointers: in bytes), most likely: as if nothing wrapped,
// and with guesses about numbers known at run time alone (axis_stride.c). A hint for what is fast, not a claim.
typedef struct AxisStride {
  bool known; // at is the distance, and which way; else about the least that it can be
  int64_t at;
  uint32_t factors; // numbers known at run time alone that it is a product of
} AxisStride;
#define AXIS_ANYWHERE INT64_MAX // not even that is known: loaded indices, for one

AxisStride axis_stride(const AxisTable *table, const Value *value, uint32_t dim);

// The fewest elements after which the values along dimension `dim` repeat, a power of two: each has the value of the one so
// many before it. The dimension's padded size: not known to (axis_period.c).
uint64_t axis_period(const AxisTable *table, const Value *value, uint32_t dim);

// The dimension of longest contiguity, then the one of the shortest likely stride but 0, then the later one, but the earlier one
// where both are a sector or more and the later one is not known to be shorter; fills order[0 .. rank) with all, in that order.
void axis_order(const AxisTable *table, const Value *value, uint32_t order[TILE_MAX_RANK]);

#endif
