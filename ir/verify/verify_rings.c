// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of rings.
//
// A ring value is used once on each path, by the next ring op or as a loop-carried value. So two numbers
// describe the slots: those being filled and those readable. They are the same on every path to a point. An
// iteration of a loop fills, waits for and releases equal numbers of slots. Only the ring's ops use its
// buffers.
//
// A channel has two rings. One counts the slots that its group is filling, the other those that its group may
// read. Both counts must be zero where a group ends.
#include "ir/memory/ring.h"
#include "ir/verify/verify_parts.h"
#include "ir/dot/dot.h"

#include <inttypes.h>

enum { MAX_SLOTS = NUM_STAGES_MAX };

// The kind of a ring value.
typedef enum RingEnd {
  RING_WHOLE,
  RING_FILLS,
  RING_READS
} RingEnd; // of a channel's rings the first, the second

typedef struct RingCounts {
  const Op *begin; // NULL: not a ring
  RingEnd end;
  uint32_t filling, readable;
} RingCounts;

typedef struct RingChecker {
  Verifier *v;
  RingCounts *counts; // by value id
  const Op **names;   // by the op id of ring_begin or channel: the first op that names buffers
} RingChecker;

// --- types

static void check_begin(Verifier *v, const Op *op) {
  int64_t slots = op_int(op, ATTR_SLOTS, 0), behind = op_int(op, ATTR_FILLED, 0);
  if (slots < 1 || slots > MAX_SLOTS)
    verify_fail(v, op, "'slots' is 1 to %d, not %" PRId64, MAX_SLOTS, slots);
  if (behind < 0 || behind >= slots)
    verify_fail(v, op, "'filled' is fewer than the slots, not %" PRId64, behind);
  if (!op->operand_count) return;
  const Value *mbarriers = op_operand(op, 0);
  const Type *type = mbarriers->type;
  if (type->kind != TYPE_SHARED || type->elem != ELEM_I64 || type_elements(type) != (uint64_t)slots ||
      type->shape[0] != slots || !mbarriers->def || mbarriers->def->kind != OP_SHARED_ALLOC)
    verify_fail(v, op, "the mbarriers are a buffer of shared_alloc, %" PRId64 " of i64, not %s", slots,
                verify_type_text(v, type));
  else if (mbarriers->def->region->parent)
    verify_fail(v, op,
                "the mbarriers' buffer is made in the kernel's own body, outside of loops and branches");
}

static void check_views(Verifier *v, const Op *op) {
  if (op->operand_count < 2 || op->result_count != op->operand_count) {
    verify_fail(v, op, "a ring and its buffers give a view of each and the ring, not %u operands %u results",
                op->operand_count, op->result_count);
    return;
  }
  for (uint32_t i = 1; i < op->operand_count; i++) {
    const Value *buffers = op_operand(op, i);
    if (buffers->type->kind == TYPE_TMEM) {
      if (buffers->type != op->results[i - 1].type || !buffers->def || buffers->def->kind != OP_TMEM_ALLOC)
        verify_fail(v, op, "operand %u is the result of tmem_alloc, and gives one of its accumulators", i);
      continue;
    }
    verify_slot(v, op, buffers->type, op->results[i - 1].type);
    if (!buffers->def || buffers->def->kind != OP_SHARED_ALLOC)
      verify_fail(v, op, "operand %u is not itself a buffer of shared_alloc", i);
  }
}

void verify_ring_op(Verifier *v, const Op *op) {
  if (op->kind == OP_RING_BEGIN || op->kind == OP_CHANNEL) check_begin(v, op);
  if (op->kind != OP_RING_FILL && op->kind != OP_RING_WAIT) return;
  check_views(v, op);
  if (op->result_count == 0 || !is_ring(ring_result(op))) verify_fail(v, op, "the last result is a ring");
}

// --- each value is used once

static bool hands_ring_on(const Use *use) {
  const Op *op = use->user;
  uint32_t index = (uint32_t)(use - op->operands);
  if (op_has(op, RING)) return index == 0;
  switch ((int)op->kind) {
  case OP_FOR: return index >= LOOP_FIRST_INIT;
  case OP_WHILE: return true;
  case OP_YIELD: return op->region->parent != NULL;
  default: return false;
  }
}

// Returns true if no execution reaches both: they are in the two branches of an if.
static bool exclude_each_other(const Op *a, const Op *b) {
  for (const Region *region = a->region; region->parent; region = region->parent->region) {
    const Op *parent = region->parent;
    if (parent->kind == OP_IF && region_holds(parent->regions[region == parent->regions[0]], b)) return true;
  }
  return false;
}

// Returns true if the op runs more often than the value is defined.
static bool runs_again(const Value *value, const Op *op) {
  const Region *home = value->def ? value->def->region : value->region;
  for (const Region *region = op->region; region != home && region->parent; region = region->parent->region)
    if (region->parent->kind != OP_IF && region->parent->kind != OP_WARP_GROUPS) return true;
  return false;
}

static void check_used_once(Verifier *v, const Value *value) {
  for (const Use *use = value->first_use; use; use = use->next) {
    if (!hands_ring_on(use))
      verify_fail(v, use->user, "a ring cannot be its operand %u", (unsigned)(use - use->user->operands));
    bool again = runs_again(value, use->user);
    for (const Use *other = value->first_use; other != use; other = other->next)
      again |= !exclude_each_other(use->user, other->user);
    if (again) verify_fail(v, use->user, "the ring is used twice: use the ring that its first user gave");
  }
}

// --- buffers

// The op that creates a slot's view, which may be transposed.
static const Op *view_source(const Value *view) {
  while (view->def && view->def->kind == OP_SHARED_TRANS) view = op_operand(view->def, 0);
  return view->def;
}

// An op that fills a slot of a ring with mbarriers counts at that slot's own. In other rings nothing counts.
static bool fills(const Op *op, uint32_t index, const Op *fill, const Value *mbarrier) {
  if (!mbarrier) return (op->kind == OP_SHARED_STORE || op->kind == OP_COPY_ASYNC) && index == 1;
  if (op->kind == OP_MBARRIER_EXPECT) return op_operand(op, 0) == mbarrier;
  return op_copies_in(op) && op_operand(op, 2) == mbarrier && view_source(op_operand(op, 1)) == fill &&
         op_operand(op, 1) != mbarrier;
}

// A slot's view is written while the slot is filled, and read after the wait. `mbarrier`: the slot's; NULL:
// none.
static void check_view(Verifier *v, const Value *view, const Op *by, const Value *mbarrier) {
  bool filled = by->kind == OP_RING_FILL;
  for (const Use *use = view->first_use; use; use = use->next) {
    const Op *op = use->user;
    uint32_t index = (uint32_t)(use - op->operands);
    bool reads = op->kind == OP_SHARED_LOAD || (op->kind == OP_DOT && dot_is_factor(index));
    if (op->kind == OP_SHARED_TRANS && view != mbarrier)
      check_view(v, op_result(op), by, mbarrier);
    else if (filled ? !fills(op, index, by, mbarrier) : !reads || view == mbarrier)
      verify_fail(v, op, "operand %u is a ring's slot, which is %s", index,
                  filled ? mbarrier
                               ? "being filled: it can be written only by copies that count at its mbarrier"
                               : "being filled: it can only be written"
                         : "readable: it can only be read");
  }
}

static void check_owned(RingChecker *c, const Op *op, const Op *begin, const Value *buffers) {
  for (const Use *use = buffers->first_use; use; use = use->next) {
    const Op *user = use->user;
    if (user == begin || user->kind == OP_TMEM_DEALLOC) continue;
    bool owns = (user->kind == OP_RING_FILL || user->kind == OP_RING_WAIT) && use != user->operands;
    const Op *other = owns ? c->counts[op_operand(user, 0)->id].begin : NULL;
    if (!owns || (other && other != begin))
      verify_fail(c->v, op, "the ring's buffers may be used only by its ops; %s uses one",
                  op_info(user->kind)->name);
  }
}

static void check_buffers(RingChecker *c, const Op *op, const Op *begin) {
  const Op *first = c->names[begin->id];
  if (!first) c->names[begin->id] = first = op;
  bool same = first->operand_count == op->operand_count;
  for (uint32_t i = 1; same && i < op->operand_count; i++) same = op_operand(op, i) == op_operand(first, i);
  if (!same) verify_fail(c->v, op, "all ops of a ring name the same buffers");
  const Value *mbarriers = op_operand(begin, 0), *mbarrier = NULL;
  if (mbarriers && op_operand(op, op->operand_count - 1) != mbarriers) {
    verify_fail(c->v, op, "the last of the ring's buffers is its mbarriers");
    return;
  }
  if (mbarriers) mbarrier = &op->results[op->result_count - 2];
  for (uint32_t i = 1; i < op->operand_count; i++) {
    const Value *buffers = op_operand(op, i);
    bool tmem = buffers->type->kind == TYPE_TMEM;
    uint32_t slots = tmem ? (uint32_t)op_int(buffers->def, ATTR_SLOTS, 1) : buffers->type->shape[0];
    if (slots != ring_slots(begin))
      verify_fail(c->v, op, "%s has %u slots, the ring %u", verify_type_text(c->v, buffers->type), slots,
                  ring_slots(begin));
    check_owned(c, op, begin, buffers);
    if (!tmem) check_view(c->v, &op->results[i - 1], op, mbarrier);
  }
}

// --- order of slots

static RingCounts *counts_of(const RingChecker *c, const Value *value) { return &c->counts[value->id]; }

// One of a channel's rings is filled and committed, the other waited for and released. Other rings have no
// commit.
static bool is_of_end(const Op *op, RingEnd end) {
  bool fills = op->kind == OP_RING_FILL || op->kind == OP_RING_COMMIT;
  return end == RING_WHOLE ? op->kind != OP_RING_COMMIT : fills == (end == RING_FILLS);
}

static void check_turn(RingChecker *c, const Op *op) {
  static const char *const rings[] = {"a ring of one group", "the ring that a channel is filled by",
                                      "the ring that a channel is read by"};
  RingCounts counts = *counts_of(c, op_operand(op, 0));
  if (!counts.begin) return; // reported where the value comes from
  if (!is_of_end(op, counts.end)) {
    verify_fail(c->v, op, "%s has no %s", rings[counts.end], op_info(op->kind)->name);
    return;
  }
  if (op->kind == OP_RING_FILL || op->kind == OP_RING_WAIT) check_buffers(c, op, counts.begin);
  if (op->kind == OP_RING_FILL) {
    if (counts.filling + counts.readable == ring_slots(counts.begin))
      verify_fail(c->v, op, "no slot is free: %u are being filled, %u readable", counts.filling,
                  counts.readable);
    counts.filling++;
  } else if (op->kind == OP_RING_COMMIT) {
    if (counts.filling == 0) verify_fail(c->v, op, "no slot is being filled");
    counts.filling--;
  } else if (op->kind == OP_RING_WAIT && counts.end == RING_READS) {
    if (counts.readable == ring_slots(counts.begin))
      verify_fail(c->v, op, "all %u slots are readable already", counts.readable);
    counts.readable++;
  } else if (op->kind == OP_RING_WAIT) {
    if (counts.filling == 0) verify_fail(c->v, op, "no slot is being filled");
    counts.filling--, counts.readable++;
  } else {
    if (counts.readable == 0) verify_fail(c->v, op, "no slot is readable");
    counts.readable--;
  }
  if (c->v->ok) *counts_of(c, ring_result(op)) = counts;
}

static void check_agree(RingChecker *c, const Op *op, const Value *a, const Value *b, const char *where) {
  if (!is_ring(a) || !is_ring(b)) return;
  const RingCounts *x = counts_of(c, a), *y = counts_of(c, b);
  if (x->begin != y->begin)
    verify_fail(c->v, op, "%s: two rings", where);
  else if (x->filling != y->filling || x->readable != y->readable)
    verify_fail(c->v, op, "%s: %u slots of the ring are being filled and %u readable, or %u and %u", where,
                x->filling, x->readable, y->filling, y->readable);
}

static void hand_on(RingChecker *c, const Value *from, const Value *to) {
  if (is_ring(from) && is_ring(to)) *counts_of(c, to) = *counts_of(c, from);
}

static void check_region(RingChecker *c, const Region *region);

static void check_for(RingChecker *c, const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++) {
    hand_on(c, loop_init(op, i), loop_carried(op, i));
    hand_on(c, loop_init(op, i), &op->results[i]);
  }
  check_region(c, op->regions[0]);
  for (uint32_t i = 0; i < op->result_count; i++)
    check_agree(c, op, loop_init(op, i), loop_yielded(op, i), "before and after an iteration");
}

static void check_while(RingChecker *c, const Op *op) {
  const Region *test = op->regions[0], *body = op->regions[1];
  for (uint32_t i = 0; i < op->result_count; i++) hand_on(c, op_operand(op, i), test->args[i]);
  check_region(c, test);
  for (uint32_t i = 0; i < op->result_count; i++) {
    hand_on(c, op_operand(test->last, i + 1), body->args[i]);
    hand_on(c, op_operand(test->last, i + 1), &op->results[i]);
  }
  check_region(c, body);
  for (uint32_t i = 0; i < op->result_count; i++)
    check_agree(c, op, op_operand(op, i), op_operand(body->last, i), "before and after an iteration");
}

static void check_if(RingChecker *c, const Op *op) {
  check_region(c, op->regions[0]);
  check_region(c, op->regions[1]);
  for (uint32_t i = 0; i < op->result_count; i++) {
    const Value *one = op_operand(op->regions[0]->last, i);
    check_agree(c, op, one, op_operand(op->regions[1]->last, i), "by its two branches");
    hand_on(c, one, &op->results[i]);
  }
}

// Checks a channel's ring that has no further use.
static void check_left(RingChecker *c, const Value *value, const Op *at) {
  const RingCounts *counts = counts_of(c, value);
  if (!is_ring(value) || counts->end == RING_WHOLE || value->first_use || !c->v->ok) return;
  if (counts->filling) verify_fail(c->v, at, "%u slots of the channel stay being filled", counts->filling);
  if (counts->readable) verify_fail(c->v, at, "%u slots of the channel are never released", counts->readable);
}

static void check_op(RingChecker *c, const Op *op) {
  switch ((int)op->kind) {
  case OP_RING_BEGIN:
    *counts_of(c, op_result(op)) = (RingCounts){op, RING_WHOLE, 0, (uint32_t)op_int(op, ATTR_FILLED, 0)};
    break;
  case OP_CHANNEL:
    *counts_of(c, &op->results[0]) = (RingCounts){op, RING_FILLS, 0, 0};
    *counts_of(c, &op->results[1]) = (RingCounts){op, RING_READS, 0, (uint32_t)op_int(op, ATTR_FILLED, 0)};
    break;
  case OP_WARP_GROUPS:
    for (uint32_t i = 0; i < op->region_count; i++) check_region(c, op->regions[i]);
    break;
  case OP_FOR: check_for(c, op); break;
  case OP_WHILE: check_while(c, op); break;
  case OP_IF: check_if(c, op); break;
  default:
    if (op_has(op, RING)) check_turn(c, op);
  }
}

static void check_region(RingChecker *c, const Region *region) {
  for (uint32_t i = 0; i < region->arg_count; i++)
    if (is_ring(region->args[i])) check_used_once(c->v, region->args[i]);
  for (const Op *op = region->first; op && c->v->ok; op = op->next) {
    check_op(c, op);
    for (uint32_t i = 0; i < op->result_count; i++)
      if (is_ring(&op->results[i])) check_used_once(c->v, &op->results[i]);
    for (uint32_t i = 0; i < op->result_count; i++) check_left(c, &op->results[i], op);
  }
}

void verify_rings(Verifier *v) {
  RingChecker c = {.v = v,
                   .counts = ARENA_ARRAY(&v->scratch, RingCounts, v->func->value_count),
                   .names = ARENA_ARRAY(&v->scratch, const Op *, v->func->op_count)};
  check_region(&c, v->func->body);
}
