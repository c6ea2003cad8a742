// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads for the next iteration, which the program itself has placed one iteration ahead: they start before the
// iteration's first exchange through shared memory.
//
// ```
// before  for ... iter(%words = %first) {         after  for ... iter(%words = %first) {
//           %b = unpack %words                             %next = load %p
//           shared_store %b, %s                            %b = unpack %words
//           %next = load %p                                shared_store %b, %s
//           %d = dot %a, %s, %c                            %d = dot %a, %s, %c
//           yield %next                                    yield %next
// ```
//
// needs   a loop that writes no global memory, and has no wgmma
// keeps   every value
//
// pays    ptxas moves such a load down to the end of the iteration, as its registers are then free. The next iteration
//         waits for all of its latency. It does not move a load beyond a barrier.
#include "ir/build.h"
#include "ir/dot/dot.h"
#include "ir/memory/scratch.h"
#include "passes/analysis/pressure.h"
#include "passes/pipeline/pipeline_loads.h"

// Ops between a load and the yield; ops of an address; registers that stay free.
enum { MAX_CHAIN = 8, MARGIN = 16 };

// True if the value only reaches the next iteration, as it is or in another shape.
static bool is_for_next(const Value *value, uint32_t steps) {
  const Use *use = value_single_use(value);
  if (!use || steps == 0) return false;
  const Op *user = use->user;
  if (user->kind == OP_YIELD) return true;
  return op_has(user, PURE) && user->result_count == 1 && is_for_next(op_result(user), steps - 1);
}

// The first op of the body after which threads exchange elements. NULL: there is none.
static Op *first_exchange(const Op *loop) {
  for (Op *op = loop->regions[0]->first; op; op = op->next)
    if (op->kind == OP_SHARED_STORE || op_scratch(op)) return op;
  return NULL;
}

// True if the op may write global memory, or must not change its order with it.
static bool may_write(const Op *op) {
  if (op->kind == OP_INLINE_ASM && op_attr(op, ATTR_PURE)) return false;
  return op_writes_global(op) || op_has(op, WRITES | OUTSIDE);
}

// wgmma runs on while the loads are waited for.
static bool is_fitting(const Op *loop) {
  for (OpWalk w = ops_in(loop->regions[0]); ops_next(&w);)
    if (may_write(w.op) || is_dot_of(w.op, DOT_WGMMA)) return false;
  return true;
}

static bool load_early(PassContext *context, Func *func, Op *load, Op *place) {
  if (load->kind != OP_LOAD || load->id < place->id || op_scratch(load) || op_attr(load, ATTR_VOLATILE))
    return false;
  if (!is_for_next(op_result(load), MAX_CHAIN) || !op_can_precede(load, place)) return false;
  if (register_slack(context->scratch, func) < (int64_t)tile_words(op_result(load)->type) + MARGIN)
    return false;
  func_number(func);
  op_bring_before(load, place);
  func_number(func);
  diag_remark(context->diags, load->loc, "pipeline",
              "the next iteration's values are loaded before this one's exchanges");
  return true;
}

bool carried_loads_early(PassContext *context, Func *func, Op *loop) {
  bool changed = false;
  func_number(func);
  Op *place = is_fitting(loop) ? first_exchange(loop) : NULL;
  for (Op *op = place, *next; op; op = next) {
    next = op->next;
    changed |= load_early(context, func, op, place);
  }
  return changed;
}
