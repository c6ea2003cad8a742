// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact integers and addresses of a program that do not depend on data. A value is a scalar part plus a
// pattern. Programs and iterations whose tiles look the same share the pattern, so following an op is usually
// a look-up.
#ifndef COST_VALUE_H
#define COST_VALUE_H

#include "base/table.h"
#include "ir/ir.h"

// The elements of a tile in row-major order. Interned: equal patterns have one address. For integers and
// pointers the first element is 0 (CostValue.base has it).
typedef struct Pattern {
  uint32_t n;
  int64_t least, most;
  const int64_t *at;
} Pattern;

// Element i is base + tile->at[i]: a canonical integer (number.h) or an address. tile NULL: all elements are
// base.
typedef struct CostValue {
  bool known; // false: it depends on data, or is not followed
  int64_t base;
  const Pattern *tile;
} CostValue;

// A pattern times a number.
typedef struct Product {
  const Pattern *tile;
  int64_t factor;
  CostValue value;
} Product;

typedef struct ValueSpace {
  Arena *arena;
  Table patterns, results;
  Product products[16]; // the last ones, by pattern and number
} ValueSpace;

// True for an elementwise op with floats, whose result is never known.
bool cost_is_data(const Op *op);
int64_t cost_element(const CostValue *value, uint32_t i);
// The result of an op that is no data for these operands. Unknown for ops with regions or memory.
void cost_apply(ValueSpace *space, const Op *op, const CostValue *const *operands, CostValue *result);

#endif
