// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time of a matmul by tcgen05, from how its copies, dots and stores overlap. docs/cost.md has the formulas.
//
// All constants are fitted to the seven published steps of one ladder, on a B200 (tests/unit/cost/published.def).
#include <math.h>

#include "cost/issue.h"
#include "cost/time.h"
#include "ir/dot/dot_fits.h"
#include "ir/memory/groups.h"

// Seconds. TMA_COPY, THREAD_COPY: from a copy's issue to its bytes in shared memory. DOT_DONE: a dot's end, in addition
// to its work: commit, wait, and the issue of what waits for it. STORED_BYTE: of the result, by four warps.
// MEMORY_NORM: as NORM of time.c, for memory. Programs of a round read new operands together.
static const double TMA_COPY = 853e-9, THREAD_COPY = 759e-9, DOT_DONE = 86e-9, STORED_BYTE = 2.75e-6 / 65536,
                    MEMORY_NORM = 2.8;

static double copy_seconds(const CostPlan *plan) { return plan->tma ? TMA_COPY : THREAD_COPY; }

// One slot is filled, multiplied and freed. The other slots go on meanwhile. If the issuing thread waits for its dots,
// the slot that they read is not filled meanwhile.
static double slot_seconds(const CostPlan *plan, double dot) {
  double whole = copy_seconds(plan) + dot + DOT_DONE;
  uint32_t slots = plan->stages > 1 && !plan->thread ? plan->stages - 1 : plan->stages;
  return whole / slots;
}

void plan_add_waits(const CostPlan *plan, double rounds, double dot, CostTime *time) {
  double store = plan->stored * STORED_BYTE, copy = copy_seconds(plan), steps = rounds * plan->steps;
  time->copies = time->bounds[BOUND_SPILLS] = 0; // The sums are in tensor memory, and leave it in parts.
  time->bounds[BOUND_LATENCY] = steps * slot_seconds(plan, dot);
  time->bounds[BOUND_TURNS] = plan->thread || plan->stages == 1 ? 0 : steps * (dot + DOT_DONE);
  double step = time_combined(time->bounds) / rounds;
  if (!plan->persistent)
    time->ends = rounds * (copy + store);
  else if (plan->accumulators < 2)
    time->ends = rounds * store + copy;
  else
    time->ends = rounds * fmax(0, store - step) + copy + store;
}

double plan_seconds(const CostTime *time) {
  double bounds[BOUND_COUNT], memory = time->bounds[BOUND_MEMORY];
  for (int b = 0; b < BOUND_COUNT; b++) bounds[b] = b == BOUND_MEMORY ? 0 : time->bounds[b];
  double loop = pow(pow(time_combined(bounds), MEMORY_NORM) + pow(memory, MEMORY_NORM), 1 / MEMORY_NORM);
  return time->launch + loop + time->ends;
}

// --- compiled kernels

// The only dot of the kernel's loops. NULL: there is none, or there are more.
static const Op *only_dot(const Func *func) {
  const Op *dot = NULL;
  for (OpWalk w = ops_in(func->body); ops_next(&w);) {
    if (w.op->kind != OP_DOT || !op_enclosing_loop(w.op)) continue;
    if (dot || !is_dot_of(w.op, DOT_TCGEN05)) return NULL;
    dot = w.op;
  }
  return dot;
}

// The slots that copies of the dot's loop fill.
static uint32_t slots_of(const Op *dot) {
  for (const Op *op = dot->region->first; op; op = op->next) {
    const Op *at = op->kind == OP_MBARRIER_WAIT ? op_operand(op, 0)->def : NULL;
    if (op->kind == OP_ASYNC_WAIT) return (uint32_t)op_int(op, ATTR_PENDING, 0) + 2;
    if (at && at->kind == OP_SHARED_INDEX) return op_operand(at, 0)->type->shape[0];
  }
  return 1;
}

static double runs_of(const CostReport *report, const Op *op) {
  for (uint32_t i = 0; i < report->op_count; i++)
    if (report->ops[i].op == op) return (double)report->ops[i].runs.most / issue_warps(op);
  return 0;
}

bool plan_of(const CostReport *report, CostPlan *plan) {
  const Func *func = report->func;
  const Op *dot = only_dot(func), *tmem = ops_find(func->body, OP_TMEM_ALLOC);
  if (!dot || !tmem || !report->programs) return false;
  double stored = 0, programs = (double)report->programs;
  for (uint32_t i = 0; i < report->traffic_count; i++) stored += report->traffic[i].stored;
  *plan = (CostPlan){.steps = runs_of(report, dot) / programs,
                     .stages = slots_of(dot),
                     .tma = ops_find(func->body, OP_TMA_COPY) != NULL,
                     .thread = group_runs_by_thread(dot),
                     .persistent = func_is_persistent(func) || ops_find(func->body, OP_TAKE_PROGRAM),
                     .accumulators = (uint32_t)op_int(tmem, ATTR_SLOTS, 1),
                     .stored = stored / programs / (func->module->target.num_warps / 4.0)};
  return plan->steps > 0;
}
