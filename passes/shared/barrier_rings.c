// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rings in place_barriers: for each slot, the waits that must come before its next use.
//
// A slot may be waited for after these steps:
// * Its fill was waited for (by async_wait, for copies).
// * Its fill was fenced, if the other proxy reads it.
// * A barrier has followed.
//
// A slot may be filled if a barrier has followed its release. If the ring starts again in a loop around it, a barrier
// must also have followed its last use in the previous round. Slots are used in cyclic order. So counts give the
// release that a fill must follow, and the group that an async_wait is for.
#include "base/integer.h"
#include "passes/shared/barriers.h"

enum { MOST = 1 << 20 }; // Counts stop here.

static RingStatus *status_of(const Placer *p, const State *s, const Op *op) {
  return &s->rings[p->rings.of[op_operand(op, 0)->id]];
}

static void ring_error(const Placer *p, const Op *op, const char *what) {
  if (p->insert) diag_error(p->context->diags, op->loc, "[T0000] %s: %s", op_info(op->kind)->name, what);
}

// --- states

void ring_copy(RingStatus *to, const RingStatus *from) {
  SlotFill *fills = to->fills;
  SlotRead *reads = to->reads;
  *to = *from;
  to->fills = fills, to->reads = reads;
  memcpy(fills, from->fills, from->filling * sizeof *fills);
  memcpy(reads, from->reads, from->readable * sizeof *reads);
}

bool ring_same(const RingStatus *a, const RingStatus *b) {
  if (a->alive != b->alive || a->filling != b->filling || a->readable != b->readable || a->unmet != b->unmet)
    return false;
  for (uint32_t i = 0; i < a->filling; i++) {
    const SlotFill *x = &a->fills[i], *y = &b->fills[i];
    if (x->by != y->by || x->commits != y->commits || x->stage != y->stage || x->met != y->met ||
        x->at_met != y->at_met)
      return false;
  }
  for (uint32_t i = 0; i < a->readable; i++)
    if (a->reads[i].by != b->reads[i].by || a->reads[i].reading != b->reads[i].reading) return false;
  return true;
}

static bool lower_to(uint32_t *to, uint32_t value) {
  if (*to <= value) return false;
  *to = value;
  return true;
}

static bool join_fill(SlotFill *to, const SlotFill *from) {
  uint32_t stage = to->stage, at_met = to->at_met;
  bool grew = lower_to(&to->commits, from->commits);
  grew |= lower_to(&stage, from->stage);
  grew |= lower_to(&at_met, from->at_met);
  grew |= (to->met && !from->met) || (to->by && to->by != from->by);
  to->stage = (FillStage)stage, to->at_met = (FillStage)at_met;
  to->met &= from->met;
  if (to->by != from->by) to->by = NULL;
  return grew;
}

// A dot that started later is in flight longer.
static bool join_read(SlotRead *to, const SlotRead *from) {
  bool grew = to->by && to->by != from->by;
  if (from->reading && (!to->reading || from->reading < to->reading)) {
    to->reading = from->reading;
    grew = true;
  }
  if (to->by != from->by) to->by = NULL;
  return grew;
}

// If a ring is at its end on one path, nothing more follows.
bool ring_join(RingStatus *to, const RingStatus *from) {
  if (!to->alive) return false;
  bool grew = !from->alive;
  to->alive = from->alive;
  if (grew) return true;
  for (uint32_t i = 0; i < min_u32(to->filling, from->filling); i++)
    grew |= join_fill(&to->fills[i], &from->fills[i]);
  for (uint32_t i = 0; i < min_u32(to->readable, from->readable); i++)
    grew |= join_read(&to->reads[i], &from->reads[i]);
  if (from->unmet > to->unmet) {
    to->unmet = from->unmet;
    grew = true;
  }
  return grew;
}

void rings_meet(const Placer *p, State *s) {
  for (uint32_t r = 0; r < p->rings.begins.n; r++) {
    RingStatus *ring = &s->rings[r];
    ring->unmet = 0;
    for (uint32_t i = 0; ring->alive && i < ring->filling; i++) {
      SlotFill *fill = &ring->fills[i];
      fill->met = fill->stage != FILL_COPYING;
      fill->at_met = fill->stage;
    }
  }
}

void rings_fence(const Placer *p, State *s) {
  for (uint32_t r = 0; r < p->rings.begins.n; r++)
    for (uint32_t i = 0; s->rings[r].alive && i < s->rings[r].filling; i++)
      if (s->rings[r].fills[i].stage == FILL_WRITTEN) s->rings[r].fills[i].stage = FILL_FENCED;
}

static void commit_copies(const Placer *p, State *s) {
  for (uint32_t r = 0; r < p->rings.begins.n; r++)
    for (uint32_t i = 0; s->rings[r].alive && i < s->rings[r].filling; i++)
      if (s->rings[r].fills[i].commits < MOST) s->rings[r].fills[i].commits++;
}

static void wait_copies(const Placer *p, State *s, uint32_t pending) {
  for (uint32_t r = 0; r < p->rings.begins.n; r++)
    for (uint32_t i = 0; s->rings[r].alive && i < s->rings[r].filling; i++) {
      SlotFill *fill = &s->rings[r].fills[i];
      if (fill->stage == FILL_COPYING && fill->commits > pending) fill->stage = FILL_WRITTEN;
    }
}

// --- dots

void rings_wait_dots(const Placer *p, State *s, uint32_t pending) {
  for (uint32_t r = 0; r < p->rings.begins.n; r++)
    for (uint32_t i = 0; s->rings[r].alive && i < s->rings[r].readable; i++)
      if (s->rings[r].reads[i].reading > pending) s->rings[r].reads[i].reading = 0;
}

static void begin_dot(const Placer *p, State *s) {
  for (uint32_t r = 0; r < p->rings.begins.n; r++)
    for (uint32_t i = 0; s->rings[r].alive && i < s->rings[r].readable; i++)
      if (s->rings[r].reads[i].reading && s->rings[r].reads[i].reading < MOST) s->rings[r].reads[i].reading++;
}

// --- views

// The slot that the view shows: the latest one that its op gave. NULL: it is already released or filled. This also
// works for a ring at its end, because its last slots stay as they are.
static SlotRead *read_of(const Placer *p, const State *s, const Op *view) {
  RingStatus *ring = status_of(p, s, view);
  for (uint32_t i = ring->readable; i-- > 0;)
    if (ring->reads[i].by == view) return &ring->reads[i];
  return NULL;
}

static SlotFill *fill_of(const Placer *p, const State *s, const Op *view) {
  RingStatus *ring = status_of(p, s, view);
  for (uint32_t i = ring->filling; i-- > 0;)
    if (ring->fills[i].by == view) return &ring->fills[i];
  return NULL;
}

static void write_slot(const Placer *p, State *s, const Op *op, const Op *view) {
  SlotFill *fill = fill_of(p, s, view);
  if (!fill) {
    ring_error(p, op, "the slot is written after its filling ended");
    return;
  }
  fill->met = false;
  fill->at_met = FILL_COPYING;
  fill->stage = op->kind == OP_COPY_ASYNC || fill->stage == FILL_COPYING ? FILL_COPYING : FILL_WRITTEN;
  if (op->kind == OP_COPY_ASYNC) fill->commits = 0;
}

static void read_slots(const Placer *p, State *s, const Op *op) {
  bool async = op->kind == OP_DOT && op_attr(op, ATTR_ASYNC);
  if (async) begin_dot(p, s);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Op *view =
        op_operand(op, i)->type->kind == TYPE_SHARED ? ring_view_source(op_operand(op, i)) : NULL;
    if (!view || view->kind != OP_RING_WAIT) continue;
    SlotRead *read = read_of(p, s, view);
    if (!read)
      ring_error(p, op, "the slot is read after its release");
    else if (async)
      read->reading = 1;
  }
}

// --- ops

// Returns true if an asynchronous dot reads the view through its descriptor.
static bool proxy_reads(const Placer *p, const Value *view) {
  for (const Use *use = view->first_use; use; use = use->next) {
    const Op *op = use->user;
    if (op->kind == OP_SHARED_TRANS && proxy_reads(p, op_result(op))) return true;
    if (op->kind == OP_DOT &&
        set_meets(p->touches[op->id].dots.own, p->buffers.sets[view->id], p->buffers.words))
      return true;
  }
  return false;
}

static bool wants_fence(const Placer *p, const Op *wait) {
  for (uint32_t i = 0; i + 1 < wait->result_count; i++)
    if (proxy_reads(p, &wait->results[i])) return true;
  return false;
}

bool rings_lack_fence(const Placer *p, const State *s, const Op *op) {
  if (op->kind != OP_RING_WAIT) return false;
  const RingStatus *ring = status_of(p, s, op);
  if (!ring->alive || ring->filling == 0 || !wants_fence(p, op)) return false;
  return ring->fills[0].stage != FILL_FENCED;
}

bool rings_lack_barrier(const Placer *p, const State *s, const Op *op) {
  if (op->kind != OP_RING_WAIT && op->kind != OP_RING_FILL) return false;
  const RingStatus *ring = status_of(p, s, op);
  if (!ring->alive) return false;
  if (op->kind == OP_RING_FILL)
    return ring->unmet >= ring_slots(p->rings.begins.at[p->rings.of[op_operand(op, 0)->id]]) - ring->filling -
                              ring->readable;
  if (ring->filling == 0) return false;
  return !ring->fills[0].met || (wants_fence(p, op) && ring->fills[0].at_met != FILL_FENCED);
}

bool rings_read_global(const Placer *p, const State *s, const uint64_t *clashes) {
  for (uint32_t r = 0; r < p->rings.begins.n; r++)
    for (uint32_t i = 0; s->rings[r].alive && i < s->rings[r].filling; i++)
      if (!s->rings[r].fills[i].met && set_meets(clashes, p->ring_kinds[r], p->words)) return true;
  return false;
}

static void fill_next(RingStatus *ring, const Op *op) {
  ring->fills[ring->filling++] = (SlotFill){op, 0, FILL_FENCED, true, FILL_FENCED};
}

static void wait_oldest(const Placer *p, RingStatus *ring, const Op *op) {
  if (ring->fills[0].stage == FILL_COPYING)
    ring_error(p, op, "no async_wait has waited for the slot's copies");
  ring->filling--;
  memmove(ring->fills, ring->fills + 1, ring->filling * sizeof *ring->fills);
  ring->reads[ring->readable++] = (SlotRead){op, 0};
}

static void release_oldest(const Placer *p, RingStatus *ring, const Op *op) {
  if (ring->reads[0].reading) ring_error(p, op, "a dot that reads the slot may be in flight");
  ring->readable--;
  memmove(ring->reads, ring->reads + 1, ring->readable * sizeof *ring->reads);
  ring->unmet++;
}

// For a ring that starts again in the next round of a loop around it: its slots were used since the last barrier.
static bool used_unmet(const Placer *p, const State *s, const uint64_t *places) {
  return set_meets(places, s->set[READS_SHARED], p->words) ||
         set_meets(places, s->set[WRITES_SHARED], p->words);
}

static void begin_ring(const Placer *p, State *s, const Op *op) {
  uint32_t number = p->rings.of[op_result(op)->id];
  RingStatus *ring = &s->rings[number];
  ring->alive = true;
  ring->filling = 0;
  ring->readable = (uint32_t)op_int(op, ATTR_FILLED, 0);
  ring->unmet = used_unmet(p, s, p->ring_places[number]) ? ring_slots(op) - ring->readable : 0;
  for (uint32_t i = 0; i < ring->readable; i++) ring->reads[i] = (SlotRead){0};
  for (int i = 0; i < DOT_AGES; i++)
    if (set_meets(p->ring_places[number], s->dots[i], p->words)) {
      ring_error(p, op, "a dot of the previous iteration may still read the slots");
      return;
    }
}

void rings_step(Placer *p, State *s, const Op *op) {
  if (op_has(op, RING)) {
    RingStatus *ring = status_of(p, s, op);
    if (!ring->alive) return;
    if (op->kind == OP_RING_FILL) fill_next(ring, op);
    if (op->kind == OP_RING_WAIT && ring->filling) wait_oldest(p, ring, op);
    if (op->kind == OP_RING_RELEASE && ring->readable) release_oldest(p, ring, op);
  }
  const Op *target =
      op->kind == OP_SHARED_STORE || op->kind == OP_COPY_ASYNC ? ring_view_source(op_operand(op, 1)) : NULL;
  if (target) write_slot(p, s, op, target);
  if (op->kind == OP_SHARED_LOAD || op->kind == OP_DOT) read_slots(p, s, op);
  if (op->kind == OP_RING_BEGIN) begin_ring(p, s, op);
  if (op->kind == OP_ASYNC_COMMIT) commit_copies(p, s);
  if (op->kind == OP_ASYNC_WAIT) wait_copies(p, s, (uint32_t)op_int(op, ATTR_PENDING, 0));
}
