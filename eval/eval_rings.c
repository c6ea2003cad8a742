// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rings and channels of the evaluator. A channel is a ring that one group of warps fills and another reads.
//
// Slots are used in order, so four counts describe the state. Slot number i % slots is
// * readable      for released <= i < waited,
// * full          for waited <= i < committed (only of a channel),
// * being filled  for committed <= i < filled,
// * free          otherwise.
//
// One group fills a channel and one reads. So results do not depend on the order in which groups run (a Kahn network).
// Running one order covers all of them.
#include <stdio.h>

#include "base/fault.h"
#include "eval/eval_machine.h"
#include "ir/memory/ring.h"

typedef struct Ring {
  const Op *begin;
  uint32_t slots;
  uint64_t filled, committed, waited, released; // from `slots` on
  VEC(uint32_t) buffers;                        // that hold the slots
} Ring;

struct RingState {
  VEC(Ring) rings; // one per ring_begin or channel
};

// The ends of a channel, as the op's results; a ring has both in one value.
enum { FILLS, READS_SLOTS, BOTH };

static bool is_channel(const Ring *ring) { return ring->begin->kind == OP_CHANNEL; }

static Ring *ring_of(const Machine *m, const Op *op) {
  return &m->rings->rings.at[(uint32_t)eval_operand(m, op, 0)->bits[0]];
}

// Returns true if copies into elements of the ring's slots are in flight: nothing waited for them.
static bool is_copying(const Machine *m, const Ring *ring, uint64_t slot, uint64_t slots) {
  for (uint32_t i = 0; i < ring->buffers.n; i++) {
    uint64_t n = eval_shared_elements(m, ring->buffers.at[i]) / ring->slots;
    if (eval_shared_copying(m, ring->buffers.at[i], slot * n, slots * n)) return true;
  }
  return false;
}

static bool check_copied(Machine *m, const Op *op, const Ring *ring, uint32_t slot) {
  return !is_copying(m, ring, slot, 1) ||
         eval_error(m, op, NO_ELEMENT,
                    "[T0000] copies into slot %u are in flight: an async_wait must come first", slot);
}

static bool check_over(Machine *m, const Op *op, const Ring *ring) {
  return !is_copying(m, ring, 0, ring->slots) ||
         eval_error(m, op, NO_ELEMENT,
                    "[T0000] copies into slots of a ring are in flight, and no later op waits for them");
}

static uint32_t ring_number(Machine *m, const Op *begin) {
  RingState *state = m->rings;
  for (uint32_t i = 0; i < state->rings.n; i++)
    if (state->rings.at[i].begin == begin) return i;
  Ring ring = {.begin = begin, .slots = ring_slots(begin)};
  vec_push(m->arena, &state->rings, ring);
  return state->rings.n - 1;
}

// A ring's value has the ring's number, the end, and the end's counts.
static void put_counts(const Ring *ring, uint32_t end, uint64_t counts[3]) {
  counts[0] = end == READS_SLOTS ? ring->waited : ring->filled;
  counts[1] = end == FILLS ? ring->committed : end == BOTH ? ring->waited : ring->released;
  counts[2] = end == BOTH ? ring->released : 0;
}

static void give_end(Machine *m, const Value *value, uint32_t number, uint32_t end) {
  Tile *to = eval_tile(m, value);
  to->bits[0] = (uint64_t)end << 32 | number;
  put_counts(&m->rings->rings.at[number], end, to->bits + 1);
  memset(to->state, 0, to->n);
}

bool eval_ring_begin(Machine *m, Op *op) {
  if (!m->rings) m->rings = ARENA_NEW(m->arena, RingState);
  uint32_t number = ring_number(m, op);
  Ring *ring = &m->rings->rings.at[number];
  if (!is_channel(ring) && !check_over(m, op, ring)) return false;
  ring->buffers.n = 0;
  ring->filled = ring->committed = ring->waited = ring->slots;
  ring->released = ring->slots - (uint64_t)op_int(op, ATTR_FILLED, 0);
  if (op->operand_count && !eval_mbarriers_begin(m, op, 0, true)) return false;
  for (uint32_t end = 0; end < op->result_count; end++)
    give_end(m, &op->results[end], number, is_channel(ring) ? end : BOTH);
  return true;
}

// --- views

static bool has_buffer(const Ring *ring, uint32_t buffer) {
  for (uint32_t i = 0; i < ring->buffers.n; i++)
    if (ring->buffers.at[i] == buffer) return true;
  return false;
}

// Makes the value a view of a slot of `buffers`; returns the buffer's number.
static uint32_t slot_view(Machine *m, const Tile *buffers, uint32_t slot, const Value *view) {
  Tile *to = eval_tile(m, view);
  to->bits[0] = buffers->bits[0];
  to->bits[1] = buffers->bits[1] + slot * buffers->bits[2];
  memcpy(to->bits + 2, buffers->bits + 3, (to->n - 2) * sizeof *to->bits);
  memset(to->state, 0, to->n);
  return (uint32_t)to->bits[0];
}

// Makes the op's results the slot's views in each buffer.
static bool give_views(Machine *m, const Op *op, Ring *ring, uint32_t slot) {
  bool ok = true;
  for (uint32_t i = 0; i + 1 < op->operand_count && ok; i++) {
    if (op_operand(op, i + 1)->type->kind == TYPE_TMEM) {
      ok = eval_tmem_take(m, op, &op->results[i], slot);
      continue;
    }
    uint32_t buffer = slot_view(m, eval_operand(m, op, i + 1), slot, &op->results[i]);
    if (!has_buffer(ring, buffer)) vec_push(m->arena, &ring->buffers, buffer);
  }
  return ok;
}

// --- ops

static bool run_fill(Machine *m, const Op *op, Ring *ring) {
  if (ring->filled - ring->released == ring->slots)
    return eval_error(m, op, NO_ELEMENT, "[T0000] none of the %u slots is free", ring->slots);
  uint32_t slot = (uint32_t)(ring->filled++ % ring->slots);
  if (!give_views(m, op, ring, slot)) return false;
  for (uint32_t i = 0; i < ring->buffers.n; i++) {
    uint64_t n = eval_shared_elements(m, ring->buffers.at[i]) / ring->slots;
    eval_shared_clear(m, ring->buffers.at[i], slot * n, n);
  }
  return true;
}

static bool run_commit(Machine *m, const Op *op, Ring *ring) {
  if (ring->committed == ring->filled)
    return eval_error(m, op, NO_ELEMENT, "[T0000] no slot is being filled");
  uint32_t slot = (uint32_t)(ring->committed++ % ring->slots);
  // Waiting for a slot at its mbarrier includes waiting for its copies.
  return ring->begin->operand_count > 0 || check_copied(m, op, ring, slot);
}

// Waits at the slot's mbarrier, the op's last operand. The first fill is the first phase.
static bool wait_turn(Machine *m, const Op *op, const Ring *ring) {
  uint64_t round = ring->waited / ring->slots - 1;
  return eval_mbarrier_wait_slot(m, op, op->operand_count - 1, (uint32_t)(ring->waited % ring->slots),
                                 round & 1);
}

static bool run_wait(Machine *m, const Op *op, Ring *ring) {
  if (ring->waited == ring->filled) return eval_error(m, op, NO_ELEMENT, "[T0000] no slot is being filled");
  if (ring->begin->operand_count > 0 && !wait_turn(m, op, ring)) return false;
  uint32_t slot = (uint32_t)(ring->waited++ % ring->slots);
  if (!give_views(m, op, ring, slot)) return false;
  if (is_channel(ring)) return true;
  ring->committed = ring->waited;
  return check_copied(m, op, ring, slot);
}

static bool run_release(Machine *m, const Op *op, Ring *ring) {
  if (ring->released == ring->waited) return eval_error(m, op, NO_ELEMENT, "[T0000] no slot is readable");
  uint32_t slot = (uint32_t)(ring->released++ % ring->slots);
  for (uint32_t i = 0; i < ring->buffers.n; i++) {
    uint64_t n = eval_shared_elements(m, ring->buffers.at[i]) / ring->slots;
    if (eval_dots_read(m, ring->buffers.at[i], slot * n, slot * n + n - 1))
      return eval_error(m, op, NO_ELEMENT, "[T0000] an asynchronous dot that reads slot %u may be in flight",
                        slot);
  }
  return true;
}

const char *eval_channel_wait(const Machine *m, const Op *op) {
  if ((op->kind != OP_RING_FILL && op->kind != OP_RING_WAIT) || !is_channel(ring_of(m, op))) return NULL;
  const Ring *ring = ring_of(m, op);
  if (op->kind == OP_RING_WAIT) return ring->waited == ring->committed ? "a full slot" : NULL;
  return ring->filled - ring->released == ring->slots ? "a free slot" : NULL;
}

void eval_channel_counts(const Machine *m, const Op *op, char *text, size_t room) {
  const Ring *ring = ring_of(m, op);
  snprintf(text, room, "its channel has %u slots: %u full, %u being filled, %u readable", ring->slots,
           (unsigned)(ring->committed - ring->waited), (unsigned)(ring->filled - ring->committed),
           (unsigned)(ring->waited - ring->released));
}

bool eval_ring(Machine *m, Op *op) {
  const Tile *value = eval_operand(m, op, 0);
  uint32_t number = (uint32_t)value->bits[0], end = (uint32_t)(value->bits[0] >> 32);
  Ring *ring = &m->rings->rings.at[number];
  uint64_t counts[3];
  put_counts(ring, end, counts);
  if (memcmp(counts, value->bits + 1, sizeof counts) != 0)
    return eval_error(m, op, NO_ELEMENT, "[T0000] the ring has been used since it had this value");
  bool fills = op->kind == OP_RING_FILL || op->kind == OP_RING_COMMIT, ok = true;
  if (end != BOTH && fills != (end == FILLS))
    return eval_error(m, op, NO_ELEMENT, "[T0000] the ring belongs to the channel's other end");
  if (end != BOTH && op_follows_dots(op)) eval_dots_wait(m, 0);
  switch ((int)op->kind) {
  case OP_RING_FILL: ok = run_fill(m, op, ring); break;
  case OP_RING_COMMIT: ok = run_commit(m, op, ring); break;
  case OP_RING_WAIT: ok = run_wait(m, op, ring); break;
  default: ok = run_release(m, op, ring);
  }
  if (ok) give_end(m, ring_result(op), number, end);
  return ok;
}

// --- accesses

// Returns true if the op writes operand i, or uses it to count writes.
static bool is_written(const Op *op, uint32_t i) {
  switch ((int)op->kind) {
  case OP_SHARED_STORE:
  case OP_COPY_ASYNC: return i == 1;
  case OP_TMA_COPY:
  case OP_BULK_COPY: return i == 1 || i == 2;
  case OP_MBARRIER_EXPECT: return i == 0;
  default: return false;
  }
}

static bool check_operand(Machine *m, const Op *op, uint32_t i) {
  const Value *view = op_operand(op, i);
  const Tile *tile = &m->values[view->id];
  const Ring *ring = NULL;
  for (uint32_t k = 0; k < m->rings->rings.n && !ring; k++)
    if (has_buffer(&m->rings->rings.at[k], (uint32_t)tile->bits[0])) ring = &m->rings->rings.at[k];
  if (!ring) return true;
  uint32_t slot = (uint32_t)(tile->bits[1] / type_elements(view->type) % ring->slots);
  bool readable = ring_turns_take(ring->slots, slot, ring->released, ring->waited);
  bool full = ring_turns_take(ring->slots, slot, ring->waited, ring->committed);
  bool filled = ring_turns_take(ring->slots, slot, ring->committed, ring->filled);
  if (is_written(op, i) ? filled : readable) return true;
  return eval_error(m, op, NO_ELEMENT, "[T0000] slot %u of a %s is %s while it is %s", slot,
                    is_channel(ring) ? "channel" : "ring", is_written(op, i) ? "written" : "read",
                    readable ? "readable"
                    : full   ? "full"
                    : filled ? "being filled"
                             : "free");
}

bool eval_ring_access(Machine *m, const Op *op) {
  if (!m->rings) return true;
  bool accesses = op->kind == OP_SHARED_STORE || op->kind == OP_SHARED_LOAD || op->kind == OP_COPY_ASYNC ||
                  op->kind == OP_DOT || op_copies_in(op) || op->kind == OP_MBARRIER_EXPECT;
  if (!accesses) return true;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (op_operand(op, i)->type->kind == TYPE_SHARED && !check_operand(m, op, i)) return false;
  return true;
}

bool eval_rings_end(Machine *m, const Op *end) {
  for (uint32_t i = 0; m->rings && i < m->rings->rings.n; i++) {
    Ring *ring = &m->rings->rings.at[i];
    uint64_t full = ring->committed - ring->waited, filled = ring->filled - ring->committed;
    if (is_channel(ring) && (full || filled))
      return eval_error(
          m, end, NO_ELEMENT,
          "[T0000] %llu slots of a channel are full and %llu being filled when the program ends",
          (unsigned long long)full, (unsigned long long)filled);
    if (!is_channel(ring) && !check_over(m, end, ring)) return false;
    ring->buffers.n = 0;
  }
  return true;
}
