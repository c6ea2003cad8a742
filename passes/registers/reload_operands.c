// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reload_operands: if registers are short, dot operands from before a loop are read from shared memory in the loop.
//
// before  %s = shared_alloc               after  %s = shared_alloc
//         shared_store %q, %s                    shared_store %q, %s
//         %a = shared_load %s                    for ... {
//         for ... {                                %a = shared_load %s
//           dot %a, %b                             dot %a, %b
//         }                                      }
//
// needs   exchanges as stores and loads (split_exchanges), buffers without places
// keeps   every value: nothing is stored to the buffer after the load
//
// breaks  Nothing. The buffer is live in the loop too.
//
// pays    Operands of 256 registers from before a loop fill all of a thread's registers. They are then in local memory.
//         Each iteration reads them from there, with one access per word. Shared memory needs a quarter of these
//         accesses.
//
// Operands are moved one after another, until the tiles fit. An SM should hold the CTAs that registers and the current
// buffers allow. So buffers that are live at the same time must fit in a CTA's share of shared memory.
#include "base/integer.h"
#include "ir/build.h"
#include "ir/memory/scratch.h"
#include "passes/passes.h"
#include "passes/analysis/pressure.h"

// The outermost loop within the region that contains the user. NULL: there is none.
static const Op *loop_beside(const Op *user, const Region *region) {
  const Op *around = user, *loop = NULL;
  while (around && around->region != region) {
    around = around->region->parent;
    if (around && op_is_loop(around)) loop = around;
  }
  return around ? loop : NULL;
}

static bool stored_after(const Op *alloc, const Op *load) {
  for (const Use *use = op_result(alloc)->first_use; use; use = use->next) {
    OpKind kind = use->user->kind;
    bool before = (kind == OP_SHARED_STORE || kind == OP_COPY_ASYNC) && use->user->id < load->id;
    if (!before && use->user->kind != OP_SHARED_LOAD) return true;
  }
  return false;
}

// True if only dots in loops after the load use it, and the buffer does not change.
static bool can_sink(const Op *load) {
  const Value *buffer = load->kind == OP_SHARED_LOAD ? op_operand(load, 0) : NULL, *tile = op_result(load);
  if (!buffer || !buffer->def || buffer->def->kind != OP_SHARED_ALLOC || buffer->def->region != load->region)
    return false;
  if (!type_is_tile(tile->type) || !tile->first_use || stored_after(buffer->def, load)) return false;
  for (const Use *use = tile->first_use; use; use = use->next)
    if (use->user->kind != OP_DOT || !loop_beside(use->user, load->region)) return false;
  return true;
}

// The id of the last op that uses the buffer or a view of it. A use in a loop counts to the loop's end. The function's
// last op is returned in two cases:
// * an op other than a store, a load, a copy or a synchronous dot uses the buffer;
// * `sunk` is set, and an operand that is read from the buffer can move into a loop.
static uint32_t end_of_life(const Func *func, const Value *buffer, const Region *home, bool sunk) {
  uint32_t end = buffer->def->id;
  for (const Use *use = buffer->first_use; use; use = use->next) {
    const Op *user = use->user;
    bool brief = op_has(user, SHARED) || op_has(user, GLOBAL | ASYNC) || user->kind == OP_SHARED_TRANS ||
                 (user->kind == OP_DOT && !op_attr(user, ATTR_ASYNC));
    if (!brief || (sunk && can_sink(user))) return func->op_count - 1;
    if (user->kind == OP_SHARED_TRANS) end = max_u32(end, end_of_life(func, op_result(user), home, sunk));
    end = max_u32(end, op_use_end(user, home));
  }
  return end;
}

typedef struct Lives {
  const Func *func;
  bool sunk;                   // buffers live as if operands were read in loops
  uint64_t *more, *fewer, all; // bytes, by op id: from the op on; after it
} Lives;

static void add_life(Lives *lives, Op *op) {
  if (op->kind != OP_SHARED_ALLOC) return;
  uint64_t bytes = shared_bytes(op_result(op)->type);
  lives->all += bytes;
  lives->more[op->id] += bytes;
  lives->fewer[end_of_life(lives->func, op_result(op), op->region, lives->sunk)] += bytes;
}

// The most bytes of buffers that are live at the same time. *all: of all buffers.
static uint64_t most_bytes(PassContext *context, Func *func, bool sunk, uint64_t *all) {
  Lives lives = {.func = func,
                 .sunk = sunk,
                 .more = ARENA_ARRAY(context->scratch, uint64_t, func->op_count),
                 .fewer = ARENA_ARRAY(context->scratch, uint64_t, func->op_count)};
  uint64_t now = 0, most = 0;
  for (OpWalk w = ops_in(func->body); ops_next(&w);) add_life(&lives, w.op);
  for (uint32_t i = 0; i < func->op_count; i++) {
    most = max_u64(most, now += lives.more[i]);
    now -= lives.fewer[i];
  }
  *all = lives.all;
  return most;
}

// True if the buffers leave room for two CTAs per SM. One CTA is enough if a CTA's threads have more than half of the
// registers. It is also enough if the current buffers leave room for only one. For one CTA, all buffers are counted as
// live at the same time, since there is no more memory than that.
static bool buffers_fit(PassContext *context, Func *func) {
  const TargetInfo *arch = func->module->target.arch;
  uint32_t threads = TARGET_WARP * func_warps(func), registers = threads * arch->thread_registers;
  uint64_t all, reserved = arch->shared_reserved, as_they_are = most_bytes(context, func, false, &all);
  bool two = 2 * registers <= arch->registers && 2 * as_they_are + reserved <= arch->shared_limit;
  uint64_t bytes = two ? 2 * most_bytes(context, func, true, &all) + reserved : all;
  return bytes <= arch->shared_limit;
}

static void reload_in_users(Op *load) {
  Value *tile = op_result(load), *buffer = op_operand(load, 0);
  for (const Use *use = tile->first_use; use; use = tile->first_use) {
    Op *user = use->user;
    Builder b = builder_before(user);
    b.loc = load->loc;
    Op *copy = build_op(&b, OP_SHARED_LOAD, 1, &buffer, 1, &tile->type);
    op_copy_attrs(copy, load);
    for (uint32_t i = 0; i < user->operand_count; i++)
      if (op_operand(user, i) == tile) op_set_operand(user, i, op_result(copy));
  }
  op_erase(load);
}

static bool is_short(PassContext *context, Func *func) { return register_slack(context->scratch, func) < 0; }

bool pass_reload_operands(PassContext *context, Func *func) {
  bool changed = false;
  func_number(func);
  if (!buffers_fit(context, func) || !is_short(context, func)) return false;
  for (OpWalk w = ops_outward(func->body); ops_next(&w);) {
    if (!can_sink(w.op) || !is_short(context, func)) continue;
    diag_remark(context->diags, w.op->loc, "reload_operands",
                "%u registers of an operand are read from shared memory in the loop to save registers",
                tile_words(op_result(w.op)->type));
    reload_in_users(w.op);
    func_number(func);
    changed = true;
  }
  return changed;
}
