// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fit_registers: where tiles do not fit in a thread's registers, tries one rule of relief after another.
//
// needs   layouts; accesses with their vectors; dots' instructions
// keeps   every value, and which addresses are read and written
// breaks  nothing
//
// Rules share one count of live registers and one budget. Both are counted again after a rule that changes something, so
// that no rule acts on what an earlier one has freed. The rules that let tiles wait in shared memory are a pass of their
// own, wait_in_shared: buffers have no places then.
#include "passes/registers/fit_registers.h"

#include "ir/memory/groups.h"
#include "passes/shared/promote_dot.h"

// When a rule is tried.
enum {
  SHORT = 1,     // Only if tiles do not fit.
  HOPEFUL = 2,   // Not if most tiles are in local memory in any case.
  IN_A_GROUP = 4 // In kernels of groups of warps, too.
};

typedef struct Rule {
  bool (*apply)(Budget *budget);
  uint32_t when;
} Rule;

static bool is_hopeless(const Budget *b) {
  enum { FAR_MORE = 4 }; // times
  return b->pressure.most > FAR_MORE * b->func->module->target.arch->thread_registers;
}

void budget_count(Budget *b) {
  b->pressure = func_pressure(b->context->scratch, b->func);
  b->slack = (int64_t)b->room - b->pressure.most;
}

Budget budget_of(PassContext *context, Func *func, const char *pass) {
  Budget b = {context, func, pass, func_thread_registers(func), func_room(func), {0}, 0};
  budget_count(&b);
  return b;
}

static bool applies(const Budget *b, uint32_t when) {
  if (!(when & IN_A_GROUP) && func_groups(b->func)) return false;
  return !((when & SHORT) && b->slack >= 0) && !((when & HOPEFUL) && is_hopeless(b));
}

static bool fit(PassContext *context, Func *func, const char *pass, const Rule *rules, uint32_t n) {
  Budget b = budget_of(context, func, pass);
  bool changed = false;
  for (uint32_t i = 0; i < n; i++) {
    if (!applies(&b, rules[i].when) || !rules[i].apply(&b)) continue;
    budget_count(&b);
    changed = true;
  }
  return changed;
}

// Sums in tensor memory always come in parts, if a part of their columns is enough.
static bool split_tensor_sums(Budget *b) { return split_sums(b->context, b->func, false); }

bool pass_wait_in_shared(PassContext *context, Func *func) {
  static const Rule rules[] = {{store_early, SHORT | HOPEFUL},
                               {copy_late, 0},
                               {reload_operands, SHORT},
                               {reload_for_second, 0},
                               {load_after_exchange, SHORT}};
  return fit(context, func, "wait_in_shared", rules, sizeof rules / sizeof *rules);
}

bool pass_fit_registers(PassContext *context, Func *func) {
  static const Rule rules[] = {
      {recompute_in_loops, IN_A_GROUP},
      {recompute_in_lines, IN_A_GROUP | HOPEFUL},
      {recompute_data, IN_A_GROUP},
      {chain_rows, IN_A_GROUP},
      {load_in_branches, 0},
      {cast_early, SHORT},
      {split_tensor_sums, IN_A_GROUP},
      {split_stores, 0},
      {stream_reductions, 0},
  };
  return fit(context, func, "fit_registers", rules, sizeof rules / sizeof *rules);
}
