// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels of the evaluator: slots that one group of warps fills and another reads.
//
// Slots are used in order, so four counts describe the state. Slot number i % slots is
// * readable      for released <= i < waited (those `behind` from the begin),
// * full          for waited <= i < committed,
// * being filled  for committed <= i < filled,
// * free          otherwise.
//
// One group fills and one reads. So results do not depend on the order in which groups run (a Kahn network).
// Running one order covers all of them.
#include <stdio.h>

#include "eval/eval_machine.h"
#include "ir/memory/ring.h"
#include "ir/queries.h"

typedef struct Channel {
  const Op *begin;
  uint32_t slots;
  uint64_t filled, committed, waited, released; // from `slots` on
  SlotBuffers buffers;
} Channel;

struct ChannelState {
  VEC(Channel) channels; // one per channel op
};

enum { FILLS, READS_SLOTS }; // the two ends, as the op's results

// A ring of a channel has the channel's number, the end, and the end's two counts.
static void give_end(Machine *m, const Value *value, uint32_t number, uint32_t end) {
  const Channel *channel = &m->channels->channels.at[number];
  Tile *to = eval_tile(m, value);
  to->bits[0] = EVAL_CHANNEL_RING | (uint64_t)end << 31 | number;
  to->bits[1] = end == FILLS ? channel->filled : channel->waited;
  to->bits[2] = end == FILLS ? channel->committed : channel->released;
  to->bits[3] = 0;
  memset(to->state, 0, to->n);
}

bool eval_channel_begin(Machine *m, Op *op) {
  if (!m->channels) m->channels = ARENA_NEW(m->arena, ChannelState);
  uint32_t number = 0;
  while (number < m->channels->channels.n && m->channels->channels.at[number].begin != op) number++;
  if (number == m->channels->channels.n) {
    Channel channel = {.begin = op, .slots = ring_slots(op)};
    vec_push(m->arena, &m->channels->channels, channel);
  }
  Channel *channel = &m->channels->channels.at[number];
  channel->buffers.all.n = 0;
  channel->filled = channel->committed = channel->waited = channel->slots;
  channel->released = channel->slots - (uint64_t)op_int(op, ATTR_FILLED, 0);
  if (op->operand_count && !eval_mbarriers_begin(m, op, 0, true)) return false;
  give_end(m, &op->results[FILLS], number, FILLS);
  give_end(m, &op->results[READS_SLOTS], number, READS_SLOTS);
  return true;
}

static Channel *channel_of(const Machine *m, const Op *op) {
  return &m->channels->channels.at[eval_operand(m, op, 0)->bits[0] & 0x7fffffff];
}

// --- ops

const char *eval_channel_wait(const Machine *m, const Op *op) {
  if ((op->kind != OP_RING_FILL && op->kind != OP_RING_WAIT) || !eval_is_channel(m, op)) return NULL;
  const Channel *channel = channel_of(m, op);
  if (op->kind == OP_RING_WAIT) return channel->waited == channel->committed ? "a full slot" : NULL;
  return channel->filled - channel->released == channel->slots ? "a free slot" : NULL;
}

void eval_channel_counts(const Machine *m, const Op *op, char *text, size_t room) {
  const Channel *channel = channel_of(m, op);
  snprintf(text, room, "its channel has %u slots: %u full, %u being filled, %u readable", channel->slots,
           (unsigned)(channel->committed - channel->waited), (unsigned)(channel->filled - channel->committed),
           (unsigned)(channel->waited - channel->released));
}

static bool run_fill(Machine *m, const Op *op, Channel *channel) {
  uint32_t slot = (uint32_t)(channel->filled++ % channel->slots);
  if (!eval_give_views(m, op, &channel->buffers, slot)) return false;
  for (uint32_t i = 0; i < channel->buffers.all.n; i++) {
    uint64_t n = eval_shared_elements(m, channel->buffers.all.at[i]) / channel->slots;
    eval_shared_clear(m, channel->buffers.all.at[i], slot * n, n);
  }
  return true;
}

static bool run_commit(Machine *m, const Op *op, Channel *channel) {
  if (channel->committed == channel->filled)
    return eval_error(m, op, NO_ELEMENT, "[T0000] no slot is being filled");
  uint32_t slot = (uint32_t)(channel->committed++ % channel->slots);
  bool counted = channel->begin->operand_count > 0; // waiting for the slot includes waiting for its copies
  for (uint32_t i = 0; !counted && i < channel->buffers.all.n; i++) {
    uint64_t n = eval_shared_elements(m, channel->buffers.all.at[i]) / channel->slots;
    if (eval_shared_copying(m, channel->buffers.all.at[i], slot * n, n))
      return eval_error(m, op, NO_ELEMENT,
                        "[T0000] copies into slot %u are in flight: an async_wait must come first", slot);
  }
  return true;
}

static bool run_wait(Machine *m, const Op *op, Channel *channel) {
  uint32_t slot = (uint32_t)(channel->waited % channel->slots);
  bool counted = channel->begin->operand_count > 0;
  if (counted && !eval_wait_turn(m, op, channel->waited, channel->slots)) return false;
  channel->waited++;
  return eval_give_views(m, op, &channel->buffers, slot);
}

static bool run_release(Machine *m, const Op *op, Channel *channel) {
  if (channel->released == channel->waited)
    return eval_error(m, op, NO_ELEMENT, "[T0000] no slot is readable");
  uint32_t slot = (uint32_t)(channel->released++ % channel->slots);
  return eval_slot_was_read(m, op, &channel->buffers, slot, channel->slots);
}

bool eval_is_channel(const Machine *m, const Op *op) {
  return op_has(op, RING) && (eval_operand(m, op, 0)->bits[0] & EVAL_CHANNEL_RING);
}

bool eval_channel(Machine *m, Op *op) {
  const Tile *value = eval_operand(m, op, 0);
  uint32_t number = (uint32_t)(value->bits[0] & 0x7fffffff), end = value->bits[0] >> 31 & 1;
  Channel *channel = &m->channels->channels.at[number];
  uint64_t first = end == FILLS ? channel->filled : channel->waited;
  uint64_t last = end == FILLS ? channel->committed : channel->released;
  if (value->bits[1] != first || value->bits[2] != last)
    return eval_error(m, op, NO_ELEMENT, "[T0000] the ring has been used since it had this value");
  bool fills = op->kind == OP_RING_FILL || op->kind == OP_RING_COMMIT;
  if (fills != (end == FILLS))
    return eval_error(m, op, NO_ELEMENT, "[T0000] the ring belongs to the channel's other end");
  bool ok = true;
  if (op_follows_dots(op)) eval_dots_wait(m, 0);
  if (op->kind == OP_RING_FILL)
    ok = run_fill(m, op, channel);
  else if (op->kind == OP_RING_WAIT)
    ok = run_wait(m, op, channel);
  else
    ok = op->kind == OP_RING_COMMIT ? run_commit(m, op, channel) : run_release(m, op, channel);
  if (ok) give_end(m, ring_result(op), number, end);
  return ok;
}

// --- accesses

bool eval_channel_access(Machine *m, const Op *op, uint32_t buffer, const Value *view, bool writes) {
  const Channel *channel = NULL;
  for (uint32_t i = 0; m->channels && i < m->channels->channels.n; i++)
    if (eval_has_buffer(&m->channels->channels.at[i].buffers, buffer)) channel = &m->channels->channels.at[i];
  if (!channel) return true;
  uint32_t slot = (uint32_t)(m->values[view->id].bits[1] / type_elements(view->type) % channel->slots);
  bool readable = ring_turns_take(channel->slots, slot, channel->released, channel->waited);
  bool full = ring_turns_take(channel->slots, slot, channel->waited, channel->committed);
  bool filled = ring_turns_take(channel->slots, slot, channel->committed, channel->filled);
  if (writes ? filled : readable) return true;
  const char *state = readable ? "readable" : full ? "full" : filled ? "being filled" : "free";
  return eval_error(m, op, NO_ELEMENT, "[T0000] slot %u of a channel is %s while it is %s", slot,
                    writes ? "written" : "read", state);
}

bool eval_channels_end(Machine *m, const Op *end) {
  for (uint32_t i = 0; m->channels && i < m->channels->channels.n; i++) {
    Channel *channel = &m->channels->channels.at[i];
    uint64_t full = channel->committed - channel->waited, filled = channel->filled - channel->committed;
    if (full || filled)
      return eval_error(
          m, end, NO_ELEMENT,
          "[T0000] %llu slots of a channel are full and %llu being filled when the program ends",
          (unsigned long long)full, (unsigned long long)filled);
    channel->buffers.all.n = 0;
  }
  return true;
}
