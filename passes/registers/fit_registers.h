// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The budget that the rules of fit_registers share, and the rules.
#ifndef PASSES_REGISTERS_FIT_REGISTERS_H
#define PASSES_REGISTERS_FIT_REGISTERS_H

#include "passes/passes.h"
#include "passes/analysis/pressure.h"

// A kernel's registers. They are counted before the first rule, and again after each rule that changes something.
typedef struct Budget {
  PassContext *context;
  Func *func;
  const char *pass;   // For remarks.
  uint32_t registers; // All that a thread has.
  uint32_t room;      // Those of them that tiles may fill.
  Pressure pressure;  // Registers that tiles fill. The function is numbered.
  int64_t slack;      // Room that is left; negative: tiles do not fit.
} Budget;

Budget budget_of(PassContext *context, Func *func, const char *pass);
void budget_count(Budget *budget); // counts again

// True if a few instructions compute the op's result from the same elements of its operands, without those of others.
static inline bool is_cheap(const Op *op) {
  bool own = op_has_any(op, LEAF | VIEW) || op_has(op, PURE | ELEMENTWISE);
  return own && !op_has(op, SLOW) && op->kind != OP_MULHI;
}

// Says and counts what a rule did.
#define RELIEVED(budget, op, kind, words, ...)                                                               \
  (relieve((budget)->context, RELIEF_##kind, words),                                                         \
   diag_remark((budget)->context->diags, (op)->loc, (budget)->pass, __VA_ARGS__))

// The rules, by file. Each returns true if it changed something.
// wait_in_shared.c
bool store_early(Budget *budget);
bool copy_late(Budget *budget);
bool reload_operands(Budget *budget);
bool reload_for_second(Budget *budget);
// rematerialise.c
bool recompute_in_loops(Budget *budget);
bool recompute_in_lines(Budget *budget);
// rematerialise_data.c
bool recompute_data(Budget *budget);
// rematerialise_rows.c
bool chain_rows(Budget *budget);
// shorten_ranges.c
bool load_in_branches(Budget *budget);
bool cast_early(Budget *budget);
bool load_after_exchange(Budget *budget);
// compute_in_parts.c
bool split_stores(Budget *budget);
bool stream_reductions(Budget *budget);

#endif
