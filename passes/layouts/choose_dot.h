// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the pass choose_dot:
// * choose_dot.c: the instruction and the warps.
// * dot_chain.c: the values before and after a dot.
// * dot_tmem.c: can the sums be in tensor memory?
// * dot_transpose_load.c: the layouts of the loads of its operands.
#ifndef PASSES_LAYOUTS_CHOOSE_DOT_H
#define PASSES_LAYOUTS_CHOOSE_DOT_H

#include "ir/dot/dot_fits.h"
#include "passes/passes.h"

// The time in which an accumulator is in tensor memory, in op ids.
typedef struct SumsLife {
  const Op *first; // The first dot that adds to it.
  const Type *type;
  uint32_t begin, end;
  bool passes; // They are read right after the dot (chained dots). All such sums share one accumulator.
} SumsLife;

typedef struct DotChooser {
  PassContext *context;
  Func *func;
  const Target *target;
  uint8_t *feeds;      // By value id: visited, for dot_feeds and dot_is_fed.
  VEC(SumsLife) lives; // One for each accumulator in tensor memory.
  bool changed;
} DotChooser;

typedef struct Product {
  Op *op;
  DotProduct is;
  DotShape shape; // is.shape
  DotExtents extents;
  bool chained;    // the first operand comes from another dot, or the result goes to one
  bool ends_chain; // Only the first operand comes from another dot.
  bool unpacks;    // See dot_unpacks.
  const char *way; // How the operands reach the instruction, if that is worth a remark.
} Product;

// dot_feeds: true if the result reaches another dot's first operand. dot_is_fed: true if the first operand comes from
// another dot.
bool dot_feeds(DotChooser *c, const Op *dot);
bool dot_is_fed(DotChooser *c, const Op *dot);
// Returns true if the operand is computed and not loaded: then the dot takes it in registers.
bool dot_operand_is_computed(const Value *value);

// The op that computes a chained dot's sums from those that its loop carries: a few elementwise ops, and nothing else uses
// the carried sums or these. *index: of the loop's carried values. NULL: the loop does not carry them so.
Op *dot_sums_rescaled(const Op *dot, uint32_t *index);
// Why the dot's sums must be in registers; NULL: tensor memory can have them, in that time.
const char *dot_sums_held(DotChooser *c, const Product *p, SumsLife *life);

void dot_set_layout(Op *op, AttrKey key, const Layout *layout);
// Returns true if the operand's load is to be transposed, and how. Its threads' words run along k, and the dot needs
// the other dimension, or the reverse.
bool dot_find_turn(const DotChooser *c, const Product *p, DotOperand operand, bool wants_k, Op **load,
                   Layout *layout);
void dot_transpose_load(const DotChooser *c, const Product *p, DotOperand operand, bool wants_k);
// For an operand whose load reads 16 bits at a time: a thread gets neighbours along the other dimension.
void dot_pack_load(const Product *p, DotOperand operand);
// For an operand that is unpacked from words along k, if the other one is loaded along k: log2 of a word's elements.
// 0: it is not.
uint32_t dot_words_run(const Product *p, DotOperand operand);
// Returns true if b alone is computed, from packed words, and a transposed wgmma takes it from registers. The dot must
// not be chained.
bool dot_unpacks(PassContext *context, const Op *dot);
// log2 of how often a word is repeated along dimension `dim` of a value that is unpacked from words; 0: it is not.
uint32_t dot_unpacked_along(const Value *value, uint32_t dim);
// The load of b's words of 32 bits, each with 2^run elements along k; NULL: there is none.
const Op *dot_words_load(const Product *p, uint32_t run);
// log2 of the neighbouring columns whose words a thread of that load reads at once.
uint32_t dot_words_columns(const Op *load);
// Returns true if wgmma must read an operand into registers, and which one. Its words run along another dimension than
// k.
bool dot_reads_across(const Product *p, DotOperand *operand);

#endif
