// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compile-time facts about the numbers in a value: runs of neighbours that count upwards, equal neighbours, and
// divisors. Passes use these facts to choose how memory is accessed.
#ifndef PASSES_ANALYSIS_AXIS_INFO_H
#define PASSES_ANALYSIS_AXIS_INFO_H

#include "ir/ir.h"

// Every number is a power of two, and at least 1. A scalar counts as a tile with one dimension and one element. Cut a
// dimension of the (padded) tile into aligned runs of n elements. The facts hold for every program and for all other
// indices.
//
//   contiguity    In each run of this length the values are v, v + 1, v + 2 ...
//                 Pointers: v, v + size, v + 2 size ... bytes, with the pointee's size. Modulo 2^width of the type.
//
//   divisibility  The first value of each run of `contiguity` elements is a multiple of it (pointers: in bytes).
//
//   constancy     Each run of this length holds one value.
//
// The facts say nothing about three kinds of elements:
// * Elements that ops.def calls undefined.
// * Remainders of negative numbers. Like Triton, we assume that offsets wrapped by % are not negative.
// * Results of // after a sum or multiplication of natural numbers wrapped below zero. Triton does the same.
//
// Bits that a cast cuts off wrap on purpose.
typedef struct AxisInfo {
  uint64_t contiguity[TILE_MAX_RANK], divisibility[TILE_MAX_RANK], constancy[TILE_MAX_RANK];
  bool nonnegative; // An integer; no element is negative.
  bool natural;     // An integer; no element is negative unless a sum, a multiplication or a shift wrapped.
  bool known;       // An integer; every element is `constant`.
  int64_t constant;
  uint64_t most; // A non-negative integer: no element is greater.
} AxisInfo;

typedef struct AxisTable AxisTable;

// Analyses the function's body; the table lives in `arena`.
// Calls func_number; the table holds until values are added or removed.
const AxisTable *axis_analyse(Arena *arena, Func *func);
const AxisInfo *axis_info(const AxisTable *table, const Value *value);

// The number that divides the values at indices of dimension `dim` that are multiples of `run`. Pointers: in bytes.
uint64_t axis_divisor(const AxisTable *table, const Value *value, uint32_t dim, uint64_t run);

// Returns true if the mask is true only for the first elements of each aligned run. It may be true for none, some or
// all of them. Runs have `run` elements along dimension `dim`.
bool axis_falls(const AxisTable *table, const Value *mask, uint32_t dim, uint64_t run);

// The likely distance between neighbouring elements along dimension `dim`. For pointers it is in bytes. It assumes that
// nothing wraps, and it guesses numbers that only run time knows (axis_stride.c). It is a hint for speed, not a fact.
typedef struct AxisStride {
  bool known; // `at` is the signed distance; otherwise about the least possible distance.
  int64_t at;
  uint32_t factors; // How many of its factors are known only at run time.
} AxisStride;
#define AXIS_ANYWHERE INT64_MAX // Not even that is known, for example for loaded indices.

AxisStride axis_stride(const AxisTable *table, const Value *value, uint32_t dim);

// The period of the values along dimension `dim`, a power of two. Each element equals the one that many elements before
// it. If no period is known, the dimension's padded size (axis_period.c).
uint64_t axis_period(const AxisTable *table, const Value *value, uint32_t dim);

// Fills order[0 .. rank) with all dimensions, sorted by these rules:
// * The longest contiguity comes first.
// * Then the shortest likely stride that is not 0.
// * Then the later dimension. But the earlier one comes first if both strides are a sector or more, and the later one
//   is not known to be shorter.
void axis_order(const AxisTable *table, const Value *value, uint32_t order[TILE_MAX_RANK]);

#endif
