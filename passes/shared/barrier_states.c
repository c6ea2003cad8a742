// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The states of place_barriers: copy, join, and the effect of barriers, fences and waits on them.
#include <string.h>
#include "passes/shared/barriers.h"

State state_new(const Placer *p) {
  Arena *arena = p->context->scratch;
  State state;
  for (int i = 0; i < SET_COUNT; i++) state.set[i] = set_new(p);
  for (int i = 0; i < DOT_AGES; i++) state.dots[i] = set_new(p);
  state.rings = ARENA_ARRAY(arena, RingStatus, p->rings.begins.n);
  for (uint32_t i = 0; i < p->rings.begins.n; i++) {
    uint32_t slots = ring_slots(p->rings.begins.at[i]);
    state.rings[i].fills = ARENA_ARRAY(arena, SlotFill, slots);
    state.rings[i].reads = ARENA_ARRAY(arena, SlotRead, slots);
  }
  return state;
}

void state_copy(const Placer *p, State *to, const State *from) {
  for (int i = 0; i < SET_COUNT; i++) memcpy(to->set[i], from->set[i], p->words * sizeof(uint64_t));
  for (int i = 0; i < DOT_AGES; i++) memcpy(to->dots[i], from->dots[i], p->words * sizeof(uint64_t));
  for (uint32_t i = 0; i < p->rings.begins.n; i++) ring_copy(&to->rings[i], &from->rings[i]);
}

bool state_join(const Placer *p, State *to, const State *from) {
  bool grew = false;
  for (int i = 0; i < SET_COUNT; i++) grew |= set_unite(to->set[i], from->set[i], p->words);
  for (int i = 0; i < DOT_AGES; i++) grew |= set_unite(to->dots[i], from->dots[i], p->words);
  for (uint32_t i = 0; i < p->rings.begins.n; i++) grew |= ring_join(&to->rings[i], &from->rings[i]);
  return grew;
}

bool state_same(const Placer *p, const State *a, const State *b) {
  size_t size = p->words * sizeof(uint64_t);
  for (int i = 0; i < SET_COUNT; i++)
    if (memcmp(a->set[i], b->set[i], size) != 0) return false;
  for (int i = 0; i < DOT_AGES; i++)
    if (memcmp(a->dots[i], b->dots[i], size) != 0) return false;
  for (uint32_t i = 0; i < p->rings.begins.n; i++)
    if (!ring_same(&a->rings[i], &b->rings[i])) return false;
  return true;
}

void state_empty(const Placer *p, uint64_t *set) { memset(set, 0, p->words * sizeof *set); }

// A barrier does not end copies and dots in flight.
void state_meet(const Placer *p, State *s) {
  state_empty(p, s->set[READS_SHARED]);
  state_empty(p, s->set[WRITES_SHARED]);
  state_empty(p, s->set[READS_GLOBAL]);
  state_empty(p, s->set[WRITES_GLOBAL]);
  state_empty(p, s->set[UNRELEASED]);
  for (int i = 0; i < DOT_AGES; i++) set_unite(s->set[READS_SHARED], s->dots[i], p->words);
  rings_meet(p, s);
}

void state_fence(const Placer *p, State *s, bool global) {
  state_empty(p, s->set[UNFENCED]);
  if (global) state_empty(p, s->set[UNFENCED_GLOBAL]);
  rings_fence(p, s);
}

void state_begin_dot(const Placer *p, State *s, const uint64_t *reads) {
  uint64_t *oldest = s->dots[DOT_AGES - 1];
  set_unite(s->dots[DOT_AGES - 2], oldest, p->words);
  for (int i = DOT_AGES - 1; i > 0; i--) s->dots[i] = s->dots[i - 1];
  s->dots[0] = oldest;
  state_empty(p, oldest);
  set_unite(oldest, reads, p->words);
}

void state_wait_dots(const Placer *p, State *s, uint32_t pending) {
  for (uint32_t i = pending; i < DOT_AGES; i++) state_empty(p, s->dots[i]);
  rings_wait_dots(p, s, pending);
}
