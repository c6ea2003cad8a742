// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the pass choose_dot: the instruction and the warps (choose_dot.c), what stands before and after a
// product (dot_chain.c), the layouts of the loads that operands come from (dot_transpose_load.c).
#ifndef PASSES_LAYOUTS_CHOOSE_DOT_H
#define PASSES_LAYOUTS_CHOOSE_DOT_H

#include "ir/dot/dot_fits.h"
#include "passes/passes.h"

typedef struct DotChooser {
  PassContext *context;
  Func *func;
  const Target *target;
  uint8_t *feeds; // by value id: seen, for dot_feeds and dot_is_fed
  bool changed;
} DotChooser;

typedef struct Product {
  Op *op;
  DotProduct is;
  DotShape shape; // is.shape
  DotExtents extents;
  bool chained;    // the result reaches another dot's first operand, or the first operand comes from another
  bool ends_chain; // the latter alone
  const char *way; // how the operands reach the instruction, where that is worth a remark
} Product;

// Whether the result reaches another dot's first operand, and whether the first operand comes from another.
bool dot_feeds(DotChooser *c, const Op *dot);
bool dot_is_fed(DotChooser *c, const Op *dot);
// Whether the operand is computed rather than loaded: then its registers go to the product as they are.
bool dot_operand_is_computed(const Value *value);

void dot_set_layout(Op *op, AttrKey key, const Layout *layout);
// Whether the operand's load is to be turned, as its threads' words count along k and the product's should
// not, or the other way round; how.
bool dot_find_turn(const DotChooser *c, const Product *p, DotOperand operand, bool wants_k, Op **load,
                   Layout *layout);
void dot_transpose_load(const DotChooser *c, const Product *p, DotOperand operand, bool wants_k);
// Of an operand's load of 16 bits a time: neighbours across become a thread's.
void dot_pack_load(const Product *p, DotOperand operand);
// Whether wgmma reads an operand of words that count along another dimension than k into registers, and which.
bool dot_reads_across(const Product *p, DotOperand *operand);

#endif
