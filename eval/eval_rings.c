// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rings of the evaluator: their slots are free, being filled, or readable.
//
// Slots are used in order, so three counts describe the state. Slot number i % slots is
// * readable      for released <= i < waited,
// * being filled  for waited <= i < filled. A ring's value holds the counts. The ring itself has them too,
//   for accesses through the slots' views.
#include "base/fault.h"
#include "eval/eval_machine.h"
#include "ir/memory/ring.h"

typedef struct Ring {
  const Op *begin;
  uint32_t slots;
  uint64_t filled, waited, released; // from `slots` on
  SlotBuffers buffers;
} Ring;

struct RingState {
  VEC(Ring) rings; // one per ring_begin op
};

static uint64_t elements_of_slot(const Op *alloc, const Ring *ring) {
  return type_elements(op_result(alloc)->type) / ring->slots;
}

// Returns true if copies into the ring's slots are in flight: nothing waited for them.
static bool is_copying(const Machine *m, const Ring *ring) {
  for (uint32_t i = 0; i < ring->buffers.all.n; i++)
    if (eval_shared_copying(m, ring->buffers.all.at[i], 0, UINT64_MAX / 2)) return true;
  return false;
}

static bool check_over(Machine *m, const Op *op, const Ring *ring) {
  return !is_copying(m, ring) ||
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

// Sets the op's results for its ring.
static void give_ring(Machine *m, const Op *op, uint32_t number) {
  const Ring *ring = &m->rings->rings.at[number];
  Tile *to = eval_tile(m, &op->results[op->result_count - 1]);
  to->bits[0] = number;
  to->bits[1] = ring->filled, to->bits[2] = ring->waited, to->bits[3] = ring->released;
  memset(to->state, 0, to->n);
}

static bool run_begin(Machine *m, const Op *op) {
  uint32_t number = ring_number(m, op);
  Ring *ring = &m->rings->rings.at[number];
  if (!check_over(m, op, ring)) return false;
  ring->buffers.all.n = 0;
  ring->filled = ring->waited = ring->slots;
  ring->released = ring->slots - (uint64_t)op_int(op, ATTR_FILLED, 0);
  if (op->operand_count && !eval_mbarriers_begin(m, op, 0, true)) return false;
  give_ring(m, op, number);
  return true;
}

// --- views

// The ring that contains the buffer; NULL: none.
static Ring *ring_of(const Machine *m, uint32_t buffer) {
  for (uint32_t i = 0; m->rings && i < m->rings->rings.n; i++) {
    Ring *ring = &m->rings->rings.at[i];
    if (eval_has_buffer(&ring->buffers, buffer)) return ring;
  }
  return NULL;
}

bool eval_has_buffer(const SlotBuffers *buffers, uint32_t buffer) {
  for (uint32_t i = 0; i < buffers->all.n; i++)
    if (buffers->all.at[i] == buffer) return true;
  return false;
}

// Makes the value a view of a slot of `buffers`; returns the buffer's number.
static uint32_t eval_slot_view(Machine *m, const Tile *buffers, uint32_t slot, const Value *view) {
  Tile *to = eval_tile(m, view);
  to->bits[0] = buffers->bits[0];
  to->bits[1] = buffers->bits[1] + slot * buffers->bits[2];
  memcpy(to->bits + 2, buffers->bits + 3, (to->n - 2) * sizeof *to->bits);
  memset(to->state, 0, to->n);
  return (uint32_t)to->bits[0];
}

bool eval_give_views(Machine *m, const Op *op, SlotBuffers *buffers, uint32_t slot) {
  bool ok = true;
  for (uint32_t i = 0; i + 1 < op->operand_count && ok; i++) {
    if (op_operand(op, i + 1)->type->kind == TYPE_TMEM) {
      ok = eval_tmem_take(m, op, &op->results[i], slot);
      continue;
    }
    uint32_t buffer = eval_slot_view(m, eval_operand(m, op, i + 1), slot, &op->results[i]);
    if (!eval_has_buffer(buffers, buffer)) vec_push(m->arena, &buffers->all, buffer);
  }
  return ok;
}

bool eval_slot_was_read(Machine *m, const Op *op, const SlotBuffers *buffers, uint32_t slot, uint32_t slots) {
  for (uint32_t i = 0; i < buffers->all.n; i++) {
    uint64_t n = eval_shared_elements(m, buffers->all.at[i]) / slots;
    if (eval_dots_read(m, buffers->all.at[i], slot * n, slot * n + n - 1))
      return eval_error(m, op, NO_ELEMENT, "[T0000] an asynchronous dot that reads slot %u may be in flight",
                        slot);
  }
  return true;
}

bool eval_wait_turn(Machine *m, const Op *op, uint64_t turn, uint32_t slots) {
  uint64_t round = turn / slots - 1;
  return eval_mbarrier_wait_slot(m, op, op->operand_count - 1, (uint32_t)(turn % slots), round & 1);
}

// --- ops

static bool run_fill(Machine *m, const Op *op, Ring *ring) {
  if (ring->filled - ring->released == ring->slots)
    return eval_error(m, op, NO_ELEMENT, "[T0000] none of the %u slots is free", ring->slots);
  uint32_t slot = (uint32_t)(ring->filled++ % ring->slots);
  eval_give_views(m, op, &ring->buffers, slot);
  for (uint32_t i = 0; i + 1 < op->operand_count; i++) {
    uint64_t n = elements_of_slot(op_operand(op, i + 1)->def, ring);
    eval_shared_clear(m, (uint32_t)eval_operand(m, op, i + 1)->bits[0], slot * n, n);
  }
  return true;
}

static bool run_wait(Machine *m, const Op *op, Ring *ring) {
  if (ring->waited == ring->filled) return eval_error(m, op, NO_ELEMENT, "[T0000] no slot is being filled");
  if (ring->begin->operand_count && !eval_wait_turn(m, op, ring->waited, ring->slots)) return false;
  uint32_t slot = (uint32_t)(ring->waited++ % ring->slots);
  eval_give_views(m, op, &ring->buffers, slot);
  for (uint32_t i = 0; i + 1 < op->operand_count; i++) {
    uint64_t n = elements_of_slot(op_operand(op, i + 1)->def, ring);
    if (eval_shared_copying(m, (uint32_t)eval_operand(m, op, i + 1)->bits[0], slot * n, n))
      return eval_error(m, op, NO_ELEMENT, "[T0000] copies into slot %u, of operand %u, are in flight", slot,
                        i + 1);
  }
  return true;
}

static bool run_release(Machine *m, const Op *op, Ring *ring) {
  if (ring->released == ring->waited) return eval_error(m, op, NO_ELEMENT, "[T0000] no slot is readable");
  uint32_t slot = (uint32_t)(ring->released++ % ring->slots);
  return eval_slot_was_read(m, op, &ring->buffers, slot, ring->slots);
}

bool eval_ring(Machine *m, Op *op) {
  if (eval_is_channel(m, op)) return eval_channel(m, op);
  if (!m->rings) m->rings = ARENA_NEW(m->arena, RingState);
  if (op->kind == OP_RING_BEGIN) return run_begin(m, op);
  const Tile *value = eval_operand(m, op, 0);
  uint32_t number = (uint32_t)value->bits[0];
  Ring *ring = &m->rings->rings.at[number];
  if (value->bits[1] != ring->filled || value->bits[2] != ring->waited || value->bits[3] != ring->released)
    return eval_error(m, op, NO_ELEMENT, "[T0000] the ring has been used since it had this value");
  bool ok = op->kind == OP_RING_FILL   ? run_fill(m, op, ring)
            : op->kind == OP_RING_WAIT ? run_wait(m, op, ring)
                                       : run_release(m, op, ring);
  if (ok) give_ring(m, op, number);
  return ok;
}

// --- accesses

static uint32_t slot_of(const Machine *m, const Ring *ring, const Value *view) {
  const Tile *tile = &m->values[view->id];
  const Type *type = view->type;
  return (uint32_t)(tile->bits[1] / type_elements(type) % ring->slots);
}

// Returns true if the op writes operand i, or uses it to count writes.
static bool is_written(const Op *op, uint32_t i) {
  switch ((int)op->kind) {
  case OP_SHARED_STORE:
  case OP_COPY_ASYNC: return i == 1;
  case OP_TMA_COPY: return i == 1 || i == 2;
  case OP_MBARRIER_EXPECT: return i == 0;
  default: return false;
  }
}

static bool check_operand(Machine *m, const Op *op, uint32_t i) {
  const Value *view = op_operand(op, i);
  uint32_t buffer = (uint32_t)m->values[view->id].bits[0];
  const Ring *ring = ring_of(m, buffer);
  if (!ring) return eval_channel_access(m, op, buffer, view, is_written(op, i));
  uint32_t slot = slot_of(m, ring, view);
  bool readable = ring_turns_take(ring->slots, slot, ring->released, ring->waited);
  bool filled = ring_turns_take(ring->slots, slot, ring->waited, ring->filled);
  const char *state = readable ? "readable" : filled ? "being filled" : "free";
  if (is_written(op, i) ? !filled : !readable)
    return eval_error(m, op, NO_ELEMENT, "[T0000] slot %u of a ring is %s while it is %s", slot,
                      is_written(op, i) ? "written" : "read", state);
  return true;
}

bool eval_ring_access(Machine *m, const Op *op) {
  if (!m->rings && !m->channels) return true;
  bool accesses = op->kind == OP_SHARED_STORE || op->kind == OP_SHARED_LOAD || op->kind == OP_COPY_ASYNC ||
                  op->kind == OP_DOT || op->kind == OP_TMA_COPY || op->kind == OP_MBARRIER_EXPECT;
  if (!accesses) return true;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (op_operand(op, i)->type->kind == TYPE_SHARED && !check_operand(m, op, i)) return false;
  return true;
}

bool eval_rings_end(Machine *m, const Op *end) {
  if (!m->rings) return true;
  for (uint32_t i = 0; i < m->rings->rings.n; i++) {
    if (!check_over(m, end, &m->rings->rings.at[i])) return false;
    m->rings->rings.at[i].buffers.all.n = 0;
  }
  return true;
}
