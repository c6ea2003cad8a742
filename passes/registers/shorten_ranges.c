// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of fit_registers that shorten the live ranges of tiles: casts to a narrower type come early, loads for branches
// come late.
#include "ir/clone.h"
#include "ir/memory/scratch.h"
#include "passes/registers/fit_registers.h"

// --- casts
//
// Tiles that only a cast to a narrower type still needs are cast at once.
//
// ```
// before  %p = mul %s, %t                 after  %p = mul %s, %t
//         %v = load %q                           %c = cast %p {fresh}
//         shared_store %v, %b                    %v = load %q
//         %c = cast %p                           shared_store %v, %b
//         %o = dot %c, %b, %a                    %o = dot %c, %b, %a
// ```
//
// pays    The waiting value takes half the registers. An example is a dot operand while the other operand is loaded.
//
// `fresh` keeps the cast at this place in the machine code. Without it LLVM casts at the use. The cast of an mma dot's
// sums comes directly after the dot, and codegen casts tile by tile, as the sums come.

enum { MIN_REGISTERS = 16 }; // of the narrow tile

// True for fp32 to a type of two bytes, which codegen casts in pairs.
static bool narrows(const Op *op) {
  if (op->kind != OP_CAST || op_attr(op, ATTR_FRESH)) return false;
  const Type *from = op_operand(op, 0)->type, *to = op_result(op)->type;
  bool half = type_is_elem(to, ELEM_FP16) || type_is_elem(to, ELEM_BF16);
  return half && type_is_tile(to) && type_is_elem(from, ELEM_FP32) &&
         layout_registers(to->layout) / 2 >= MIN_REGISTERS;
}

// The last op of the cast's region that defines the wide value, or that uses it before the cast. NULL: the value is
// available from the region's start. *last: nothing uses it after the cast.
static Op *after_which(const Op *cast, bool *last) {
  const Value *wide = op_operand(cast, 0);
  Op *after = wide->def && wide->def->region == cast->region ? wide->def : NULL;
  *last = wide->def ? wide->def->region == cast->region : wide->region == cast->region;
  for (const Use *use = wide->first_use; use; use = use->next) {
    Op *user = op_in_region(use->user, cast->region);
    if (user == cast) continue;
    if (!user || user->id > cast->id) *last = false;
    if (user && user->id < cast->id && (!after || user->id > after->id)) after = user;
  }
  return after;
}

// True for ops that fill registers in the meantime, or need many at the same time.
static bool is_in_the_way(const Op *op) {
  return op_has_any(op, READS | WRITES) || op->region_count || op->kind == OP_DOT;
}

// True if the cast can be earlier, or takes a dot's sums, which are cast tile by tile as they come.
static bool is_late(const Op *cast, const Op *after) {
  const Op *op = after ? after->next : cast->region->first;
  if (after && after->kind == OP_DOT && !op_attr(after, ATTR_ASYNC) && op_operand(cast, 0)->def == after)
    return true;
  for (; op != cast; op = op->next)
    if (is_in_the_way(op)) return true;
  return false;
}

static bool narrow(Budget *b, Op *op) {
  bool last = false;
  Op *after = narrows(op) ? after_which(op, &last) : NULL;
  if (!last || !is_late(op, after)) return false;
  uint32_t registers = layout_registers(op_result(op)->type->layout);
  RELIEVED(b, op, CAST_EARLY, registers, "%u registers are cast as soon as they are loaded", registers);
  op_move(op, op->region, after ? after->next : op->region->first);
  op_set_flag(op, ATTR_FRESH, true);
  return true;
}

bool cast_early(Budget *b) {
  bool changed = false;
  for (OpWalk w = ops_in(b->func->body); ops_next(&w);) changed |= narrow(b, w.op);
  return changed;
}

// --- loads
//
// Tiles that only branches use are loaded and computed in them.
//
// ```
// before  %x = load %p                    after  if %c then {
//         if %c then {                             %x = load %p
//           store %q, %x                           store %q, %x
//         } else {                               } else {
//           store %r, %x                           %x = load %p
//         }                                        store %r, %x
//                                                }
// ```
//
// keeps   every value: nothing is written between the load and its new place
//
// pays    What a branch loads for its stores comes part by part (split_stores). A tile that waits before a branch is
//         whole. Data that the taken branch does not need is not loaded at all.
//
// A branch is taken once, so nothing is loaded or computed more often. If a thread's registers hold what is loaded for
// a branch, the loads stay: the earlier a load is issued, the shorter the wait.

// Ops looked at before a branch, so that functions with thousands of branches take linear time.
enum { MAX_OPS = 512 };

// True for tiles that each thread computes by itself, from registers and from what it loads.
static bool can_sink(const Op *op) {
  if (op->result_count != 1 || op->region_count || op_scratch(op) || !type_is_tile(op_result(op)->type))
    return false;
  if (op->kind == OP_LOAD) return !op_attr(op, ATTR_VOLATILE);
  return op_has(op, PURE) && op->kind != OP_DOT && op->kind != OP_CONVERT_LAYOUT;
}

// True if the load gives the same values in each branch as before it.
static bool reads_alike(const Op *load, const Op *branch) {
  for (uint32_t r = 0; r < branch->region_count; r++) {
    const Op *user = value_first_user(op_result(load), branch->regions[r]);
    for (const Op *op = branch->regions[r]->first; user && op != user; op = op->next)
      if (op_effects(op) & WRITES) return false;
  }
  return true;
}

static void replace_within(Value *from, Value *to, const Region *region) {
  for (Use *use = from->first_use, *next; use; use = next) {
    next = use->next;
    if (op_in_region(use->user, region)) op_set_operand(use->user, (uint32_t)(use - use->user->operands), to);
  }
}

static void sink_op(const Budget *budget, Op *op, const Op *branch) {
  uint32_t words = tile_words(op_result(op)->type);
  if (op->kind == OP_LOAD)
    RELIEVED(budget, op, LOADED_LATE, words,
             "%u registers are loaded in the branches that use them, to save registers", words);
  for (uint32_t r = 0; r < branch->region_count; r++) {
    Op *user = value_first_user(op_result(op), branch->regions[r]);
    if (!user) continue;
    Builder b = builder_before(user);
    const Op *copy = op_clone(&b, op, &(CloneMap){0});
    replace_within(op_result(op), op_result(copy), branch->regions[r]);
  }
  op_erase(op);
}

// True if only the branch's regions, and ops that go into them, use the op.
static bool goes_into(const Op *branch, const bool *goes, const Op *op) {
  if (!can_sink(op) || (op->kind == OP_LOAD && !reads_alike(op, branch))) return false;
  for (const Use *use = op_result(op)->first_use; use; use = use->next) {
    const Op *user = use->user;
    bool with = user->region == op->region ? goes[user->id] : op_in_region(user, op->region) == branch;
    if (user == branch || !with) return false;
  }
  return op_result(op)->first_use;
}

// Registers of loads that only the branch uses, and, by op id, all that goes into it. With `sink` it goes. Ops before
// the last write ahead of the branch stay.
static uint32_t find_loads(const Budget *b, const Op *branch, bool *goes, bool sink) {
  uint32_t words = 0, left = MAX_OPS;
  for (Op *op = branch->prev, *prev; op && left-- > 0 && !(op_effects(op) & WRITES); op = prev) {
    prev = op->prev;
    if (!(goes[op->id] = goes_into(branch, goes, op))) continue;
    if (op->kind == OP_LOAD) words += tile_words(op_result(op)->type);
    if (sink) sink_op(b, op, branch);
  }
  return words;
}

bool load_in_branches(Budget *b) {
  bool *goes = NULL, changed = false;
  for (OpWalk w = ops_in(b->func->body); ops_next(&w);) {
    if (w.op->kind != OP_IF) continue;
    if (!goes) {
      func_number(b->func);
      goes = ARENA_ARRAY(b->context->scratch, bool, b->func->op_count);
    }
    if (find_loads(b, w.op, goes, false) <= b->registers) continue;
    changed |= find_loads(b, w.op, goes, true) > 0;
    goes = NULL;
  }
  return changed;
}

// --- loads before an exchange
//
// ```
// before  %x = load %p                    after  shared_store %y, %s
//         shared_store %y, %s                    %z = shared_load %s
//         %z = shared_load %s                    %x = load %p
//         %w = mul %x, %z                        %w = mul %x, %z
// ```
//
// keeps   every value: only shared memory is written between the load and its new place
//
// pays    An exchange has barriers. A tile that is loaded before it waits there as a whole. After it, ptxas loads a part
//         and computes with it before it loads the next.
//
// Loads that fit stay: the earlier a load is issued, the shorter the wait.

// The op of the load's region that is or contains the first user, if it can load right before that. NULL: an op writes
// other memory before, or there is no exchange.
static Op *user_after_exchange(const Op *load) {
  bool exchanges = false;
  for (Op *op = load->next; op; op = op->next) {
    for (const Use *use = op_result(load)->first_use; use; use = use->next)
      if (op_in_region(use->user, load->region) == op) return exchanges ? op : NULL;
    if ((op_effects(op) & WRITES) && op->kind != OP_SHARED_STORE) return NULL;
    exchanges |= op->kind == OP_SHARED_STORE;
  }
  return NULL;
}

bool load_after_exchange(Budget *b) {
  bool changed = false;
  for (OpWalk w = ops_in(b->func->body); ops_next(&w);) {
    Op *op = w.op;
    if (op->kind != OP_LOAD || !can_sink(op)) continue;
    uint32_t words = tile_words(op_result(op)->type);
    if (b->pressure.alive[op->id] <= b->registers || words <= b->registers / 2) continue;
    Op *user = user_after_exchange(op);
    if (!user) continue;
    RELIEVED(b, op, LOADED_LATE, words, "%u registers are loaded after an exchange, to save registers",
             words);
    op_move(op, op->region, user);
    changed = true;
  }
  return changed;
}
