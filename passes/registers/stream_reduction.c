// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// stream_reduction: if registers are short, a dot that only a reduction takes is computed for one result after another.
//
// before  %p = dot %a, %b, %zero
//         %s = select %m, %p, %low
//         %m = reduce %s {axis = 0}
//
// after   The same, and the reduction is marked `streamed`. codegen orders the dot's instructions, and what uses them,
//         by the result that needs them.
//
// needs   layouts, dots' instructions
// keeps   every value
// breaks  nothing
// pays    Only the sums that one result needs are in registers. They become one register when the result is done.
//
// Only for mma.sync: wgmma gives all its sums at the same time.
#include "ir/build.h"
#include "ir/dot/dot.h"
#include "ir/memory/scratch.h"
#include "passes/passes.h"
#include "passes/analysis/pressure.h"

enum { MAX_VISITS = 64, RESERVED_REGISTERS = 8 }; // ops from dot to reduction; per thread, besides tiles

static bool is_reduction(const Op *op) { return op->kind == OP_REDUCE || op->kind == OP_REDUCE_PARTS; }

// The only op, other than elementwise ones, that takes what is computed from the value. NULL: there are others, or
// none.
static Op *taker_of(const Value *value, uint32_t *left) {
  Op *taker = NULL;
  for (const Use *use = value->first_use; use; use = use->next) {
    Op *user = use->user;
    if (user->region != value->def->region || (*left)-- == 0) return NULL;
    bool through = op_has(user, PURE | ELEMENTWISE) && user->result_count == 1 && user->kind != OP_DOT;
    Op *next = through ? taker_of(op_result(user), left) : is_reduction(user) ? user : NULL;
    if (!next || (taker && next != taker)) return NULL;
    taker = next;
  }
  return taker;
}

static bool by_mma(const Op *op) {
  return op->kind == OP_DOT && (dot_instruction(op) == DOT_MMA || dot_instruction(op) == DOT_MMA_K8);
}

typedef struct Turns {
  PassContext *context;
  const uint32_t *alive;
  uint32_t room;
  bool changed;
} Turns;

static void visit(Turns *t, Op *op) {
  uint32_t left = MAX_VISITS;
  if (!by_mma(op) || t->alive[op->id] <= t->room) return;
  Op *taker = taker_of(op_result(op), &left);
  if (!taker || op_attr(taker, ATTR_STREAMED)) return;
  diag_remark(t->context->diags, op->loc, "stream_reduction",
              "the dot is computed for one result of the reduction at a time");
  op_set_flag(taker, ATTR_STREAMED, true);
  t->changed = true;
}

bool pass_stream_reduction(PassContext *context, Func *func) {
  Turns t = {.context = context, .alive = func_alive(context->scratch, func)};
  t.room = func_thread_registers(func) - RESERVED_REGISTERS;
  for (OpWalk w = ops_in(func->body); ops_next(&w);) visit(&t, w.op);
  return t.changed;
}
