// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// carry_steps: a loop that advances pointers by a uniform step carries the offset as one scalar. Applies to loads that
// become copies to shared memory.
//
// before  for ... (%p = %p0) {                      %p : tile<128x64x*bf16>
//           %x = load %p
//           shared_store %x, %s
//           %n = addptr %p, splat %d
//           yield %n
//         }
// after   for ... (%o = 0) {                        %o : i64, in elements
//           %p = addptr %p0, splat %o
//           %x = load %p
//           shared_store %x, %s
//           %m = add %o, %d
//           yield %m
//         }
//
//         Offsets (integer tiles) work the same way: %o has their element type, and %p = add %p0, splat %o.
//
// needs   simplified IR, promote_shared's buffers
// keeps   every value: addresses are sums modulo 2^64
// breaks  nothing
//
// pays    The address of a copy (pipeline) becomes one addition at its use. It adds a scalar that all threads share
//         (emit_carried.c), however the source spells it. A tile of pointers instead takes additions in every
//         iteration, and ptxas copies each pointer before the instruction that uses it.
//
// Pointers of other loads stay as they are: ptxas would keep all sums of an iteration in registers at the same time.
//
// The exception is a crowded loop. Its loads are too narrow to become copies, and their pointers need more registers
// than the tiles leave free. These pointers would end up in local memory. So there offsets are also carried as scalars,
// whatever uses them. If a sum is first used after an exchange through shared memory, it is computed after the
// exchange. So it is not live across the exchange's barriers.
//
// If the initial pointer is itself such a sum, as after another loop, the base of that sum is used.
#include "base/integer.h"
#include "ir/build.h"
#include "ir/memory/scratch.h"
#include "target/tuning.h"
#include "passes/passes.h"
#include "passes/analysis/pressure.h"

enum { MIN_COPY_BYTES = 4 };

static bool only_stored(const Value *value) {
  for (const Use *use = value->first_use; use; use = use->next)
    if (use->user->kind != OP_SHARED_STORE &&
        (use->user->kind != OP_TRANS || !only_stored(op_result(use->user))))
      return false;
  return value->first_use != NULL;
}

// True if the load can become a copy: cp.async copies at least 4 bytes.
static bool is_copied(const Op *op) {
  if (op->kind != OP_LOAD || !only_stored(op_result(op))) return false;
  return op_int(op, ATTR_VECTOR, 1) * type_element_bytes(op_result(op)->type) >= MIN_COPY_BYTES;
}

// Registers for the pointers of a load whose accesses are too narrow for a copy: two per pointer.
static uint32_t pointer_registers(const Op *op) {
  if (op->kind != OP_LOAD || !type_is_tile(op_result(op)->type)) return 0;
  uint32_t vector = (uint32_t)op_int(op, ATTR_VECTOR, 1);
  bool is_short = vector * type_element_bytes(op_result(op)->type) < MIN_COPY_BYTES;
  return is_short ? 2 * (layout_registers(op_result(op)->type->layout) / vector) : 0;
}

// Registers for the loop-carried pointer tiles of such loads. Each tile counts once.
static uint32_t carried_registers(const Op *loop) {
  uint32_t all = 0;
  for (uint32_t i = 0; i < loop->result_count; i++) {
    uint32_t own = 0;
    const Value *carried = loop_carried(loop, i);
    for (const Use *use = type_is_ptr(carried->type) ? carried->first_use : NULL; use; use = use->next)
      own = max_u32(own, pointer_registers(use->user));
    all += own;
  }
  return all;
}

// The load of these pointers, perhaps with their dimensions in another form (slice_k).
static const Op *behind_views(const Op *op) {
  while (op->kind == OP_RESHAPE || op->kind == OP_TRANS) {
    const Use *use = value_single_use(op_result(op));
    if (!use) return op;
    op = use->user;
  }
  return op;
}

static bool only_copied(const Value *carried, bool crowded) {
  bool copied = false;
  for (const Use *use = carried->first_use; use; use = use->next) {
    const Op *user = behind_views(use->user);
    bool waits = crowded && pointer_registers(user) > TUNE_OFFSETS_KEPT;
    if (use->user->kind != OP_ADDPTR && !is_copied(user) && !waits) return false;
    copied |= user->kind == OP_LOAD;
  }
  return copied;
}

// True if the offsets lead to addresses of copied data. They may have other uses too: an offset costs one register
// addition either way.
static bool leads_to_copies(const Value *tile, uint32_t depth) {
  for (const Use *use = tile->first_use; use && depth; use = use->next) {
    OpKind kind = use->user->kind;
    bool sum = kind == OP_ADD || kind == OP_ADDPTR || op_has(use->user, SPREADS);
    if (is_copied(use->user) || (sum && leads_to_copies(op_result(use->user), depth - 1))) return true;
  }
  return false;
}

static bool is_candidate(const Op *loop, uint32_t i, bool crowded) {
  enum { MAX_DEPTH = 8 };
  const Value *carried = loop_carried(loop, i);
  if (!type_is_tile(carried->type)) return false;
  bool copied = type_is_ptr(carried->type)
                    ? only_copied(carried, crowded)
                    : type_is_int(carried->type) && (crowded || leads_to_copies(carried, MAX_DEPTH));
  return copied && loop_adds_steps(loop, i);
}

// The first op in the sum's region that uses it, directly or within its regions. NULL unless an op before it exchanges
// elements through shared memory.
static Op *first_user_behind_exchange(const Value *sum) {
  bool exchanged = false;
  for (Op *op = sum->def->next; op; op = op->next) {
    for (const Use *use = sum->first_use; use; use = use->next)
      if (op_in_region(use->user, op->region) == op) return exchanged ? op : NULL;
    exchanged |= scratch_bytes(op) > 0;
  }
  return NULL;
}

// Moves the sum and its splat to the first use. The splat has no other use.
static void make_late(const Value *sum) {
  Op *user = first_user_behind_exchange(sum);
  if (!user) return;
  op_move(op_operand(sum->def, 1)->def, user->region, user);
  op_move(sum->def, user->region, user);
}

bool pass_carry_steps(PassContext *context, Func *func) {
  bool changed = false;
  if (!func->module->target.arch->has_cp_async) return false;
  int64_t spare = register_slack(context->scratch, func);
  uint32_t room = spare > TUNE_OFFSETS_KEPT ? (uint32_t)spare : TUNE_OFFSETS_KEPT;
  for (OpWalk w = ops_outward(func->body); ops_next(&w);) {
    bool crowded = w.op->kind == OP_FOR && carried_registers(w.op) > room;
    for (uint32_t i = 0; w.op->kind == OP_FOR && i < w.op->result_count; i++)
      if (is_candidate(w.op, i, crowded)) {
        const Value *inside = loop_carry_sum(w.op, i);
        if (crowded && inside) make_late(inside);
        changed = true;
      }
  }
  return changed;
}
