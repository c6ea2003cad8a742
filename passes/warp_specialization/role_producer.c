// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The producer: one thread. It runs the ifs and loops around the copies, and computes what the copies need. The thread
// that issues dots runs the same ifs and loops.
#include "passes/warp_specialization/roles.h"

#include "ir/build.h"

// --- what it computes

static bool is_scalar(const Value *value) {
  return value->type->kind == TYPE_SCALAR || value->type->kind == TYPE_PTR;
}

static Op *last_of(const Roles *r) { return r->path.at[r->path.n - 1]; }

static const char of_tiles[] = "its copies need values that are not computed from scalars only";
static const char of_memory[] = "its copies need values from memory, or from other branches or loops";

static const char *mark(Roles *r, const Value *value);

static const char *mark_operands(Roles *r, const Op *op) {
  const char *why = NULL;
  for (uint32_t i = 0; i < op->operand_count && !why; i++) why = mark(r, op_operand(op, i));
  return why;
}

// A scalar that is read before the groups has operands. They are computed there too.
static void mark_before(Roles *r, const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++) r->before[op->results[i].id] = 1;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (op_operand(op, i)->def) mark_before(r, op_operand(op, i)->def);
}

// True for loads before any branch or loop (where a sequence begins). Both groups take the value. The kernel writes
// nothing before the copies.
static bool is_read_before(const Roles *r, const Op *op) {
  return op->kind == OP_LOAD && op->region == r->s.func->body && !op_attr(op, ATTR_VOLATILE);
}

// True for loads of a persistent kernel's program before any branch (which problem of a list it has). Each group reads
// the value itself. No program reads what another one writes, and it writes nothing before its copies.
static bool is_read_in_turn(const Op *op) {
  const Op *around = op->region->parent;
  return op->kind == OP_LOAD && around && op_attr(around, ATTR_PROGRAMS) && !op_attr(op, ATTR_VOLATILE);
}

// Marks a value from outside of the loop. It must come from parameters, the path's loops, and ops that compute scalars
// from these. Returns NULL, or why the producer cannot compute it.
static const char *mark(Roles *r, const Value *value) {
  if (r->needed[value->id] || (!value->def && !value->region->parent)) return NULL;
  r->needed[value->id] = 1;
  if (!is_scalar(value)) return of_tiles;
  if (value->def) {
    bool read = is_read_before(r, value->def);
    bool repeated = is_read_in_turn(value->def) || (op_has(value->def, PURE) && !value->def->region_count);
    if (!read && !repeated) return of_memory;
    const char *why = mark_operands(r, value->def);
    if (read && !why) mark_before(r, value->def);
    return why;
  }
  const Op *loop = value->region->parent;
  if (loop->kind != OP_FOR) return of_memory;
  if (value->index == 0) return NULL;
  const char *why = mark(r, loop_init(loop, value->index - 1));
  return why ? why : mark(r, loop_yielded(loop, value->index - 1));
}

// Marks the value unless the loop's own ops define it.
static const char *mark_outside(Roles *r, const Value *value) {
  const Region *home = value->def ? value->def->region : value->region;
  return home == last_of(r)->regions[0] ? NULL : mark(r, value);
}

// Marks what an op of the loop needs. The producer runs it for each iteration's copies.
static const char *mark_ahead(Roles *r, const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (!is_scalar(&op->results[i])) return of_tiles;
  if (op->region_count) return of_memory;
  if (op->kind == OP_LOAD && r->s.staged->after_writes) return of_memory;
  const char *why = NULL;
  for (uint32_t i = 0; i < op->operand_count && !why; i++) why = mark_outside(r, op_operand(op, i));
  return why;
}

static bool is_ahead(const uint8_t *ahead, const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (ahead[op->results[i].id]) return true;
  return false;
}

static const char *mark_loop(Roles *r, const uint8_t *ahead) {
  const Op *loop = last_of(r);
  const char *why = NULL;
  for (const Op *op = loop->regions[0]->first; op && !why; op = op->next)
    if (is_ahead(ahead, op)) why = mark_ahead(r, op);
  for (uint32_t i = 0; i < loop->result_count && !why; i++) {
    if (!ahead[loop_carried(loop, i)->id]) continue;
    why = mark(r, loop_init(loop, i));
    if (!why) why = mark_outside(r, loop_yielded(loop, i));
  }
  for (uint32_t i = 0; i < r->s.staged->loads.n && !why; i++) {
    const Op *tma_mark = r->s.staged->loads.at[i].tma_mark;
    for (uint32_t k = 0; k < mark_places(tma_mark) && !why; k++)
      why = mark_outside(r, mark_place(tma_mark, k));
  }
  return why;
}

static const char *mark_path(Roles *r) {
  const char *why = NULL;
  for (uint32_t i = 0; i < r->path.n && !why; i++) {
    const Op *op = r->path.at[i];
    if (op->kind == OP_IF) {
      why = mark(r, op_operand(op, 0));
      continue;
    }
    if (op->kind != OP_FOR) return "it is in a while loop";
    for (uint32_t k = 0; k < LOOP_FIRST_INIT && !why; k++) why = mark(r, op_operand(op, k));
  }
  return why;
}

const char *roles_find_producer(Roles *r) {
  const char *why = mark_loop(r, r->s.staged->ahead);
  return why ? why : mark_path(r);
}

// --- its code

static void emit_level(RoleThread *p, Builder *b, uint32_t level);

static bool is_needed(const RoleThread *p, const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (p->needed[op->results[i].id]) return true;
  return false;
}

// Clones the needed ops from `first` up to `end`: those of a region of the path before its next op, or after it.
static void clone_needed(RoleThread *p, Builder *b, const Op *first, const Op *end) {
  for (const Op *op = first; op && op != end; op = op->next)
    if (is_needed(p, op)) op_clone(b, op, &p->map);
}

// Emits the region that has the path's op of that level.
static void emit_region(RoleThread *p, Builder *b, const Region *region, uint32_t level) {
  const Op *next = p->roles->path.at[level];
  clone_needed(p, b, region->first, next);
  emit_level(p, b, level);
  clone_needed(p, b, next->next, NULL);
}

static void emit_if(RoleThread *p, Builder *b, const Op *op, uint32_t level) {
  const Region *taken = p->roles->path.at[level + 1]->region;
  uint32_t r = taken == op->regions[1], n = p->ring_count;
  RoleRings before = p->rings;
  const Type *types[ROLE_CHANNELS];
  for (uint32_t i = 0; i < n; i++) types[i] = before.at[i]->type;
  Op *made = build_if(b, clone_get(&p->map, op_operand(op, 0)), n, types);
  Builder own = builder_inside(made->regions[r], b->loc),
          other = builder_inside(made->regions[1 - r], b->loc);
  emit_region(p, &own, taken, level + 1);
  build_yield(&own, n, p->rings.at);
  build_yield(&other, n, before.at);
  for (uint32_t i = 0; i < n; i++) p->rings.at[i] = &made->results[i];
}

typedef struct Carried {
  uint32_t n;
  uint32_t *index; // in the original
  Value **values;  // and the rings
} Carried;

static void push_rings(const RoleThread *p, Carried *carried) {
  for (uint32_t i = 0; i < p->ring_count; i++) carried->values[carried->n + i] = p->rings.at[i];
}

static Carried carried_of(const RoleThread *p, const Op *loop) {
  Arena *arena = p->roles->s.arena;
  Carried carried = {0, ARENA_ARRAY(arena, uint32_t, loop->result_count + 1),
                     ARENA_ARRAY(arena, Value *, loop->result_count + ROLE_CHANNELS)};
  bool last = loop == last_of(p->roles);
  for (uint32_t i = 0; i < loop->result_count; i++) {
    const Value *value = loop_carried(loop, i);
    bool kept = last ? p->roles->s.staged->ahead[value->id] : p->needed[value->id];
    if (!kept) continue;
    carried.values[carried.n] = clone_get(&p->map, loop_init(loop, i));
    carried.index[carried.n++] = i;
  }
  push_rings(p, &carried);
  return carried;
}

static void emit_copies(RoleThread *p, Builder *b) {
  Roles *r = p->roles;
  for (const Op *op = r->s.staged->loop->regions[0]->first; op; op = op->next)
    if (is_ahead(r->s.staged->ahead, op)) op_clone(b, op, &p->map);
  for (uint32_t i = 0; i < r->channels; i++) {
    StagedGroup *slots = r->slots[i];
    b->loc = r->s.staged->loop->loc;
    slots->ring = p->rings.at[i];
    const Op *fill = stage_next_slot(&r->s, b, slots, OP_RING_FILL);
    stage_copy_tensors(&r->s, b, slots, &p->map, fill);
    b->loc = r->s.staged->loop->loc;
    p->rings.at[i] = build(b, OP_RING_COMMIT, slots->ring->type, slots->ring, NULL, NULL);
  }
}

static void emit_for(RoleThread *p, Builder *b, const Op *op, uint32_t level) {
  Carried carried = carried_of(p, op);
  Value *bounds[LOOP_FIRST_INIT];
  for (uint32_t k = 0; k < LOOP_FIRST_INIT; k++) bounds[k] = clone_get(&p->map, op_operand(op, k));
  Op *made = build_for(b, bounds[0], bounds[1], bounds[2], carried.n + p->ring_count, carried.values);
  op_set_int(made, ATTR_NUM_STAGES, 1);
  Builder body = builder_inside(made->regions[0], b->loc);
  clone_set(&p->map, loop_index(op), loop_index(made));
  for (uint32_t i = 0; i < carried.n; i++)
    clone_set(&p->map, loop_carried(op, carried.index[i]), loop_carried(made, i));
  for (uint32_t i = 0; i < p->ring_count; i++) p->rings.at[i] = loop_carried(made, carried.n + i);
  if (op == last_of(p->roles))
    emit_copies(p, &body);
  else
    emit_region(p, &body, op->regions[0], level + 1);
  for (uint32_t i = 0; i < carried.n; i++)
    carried.values[i] = clone_get(&p->map, loop_yielded(op, carried.index[i]));
  push_rings(p, &carried);
  build_yield(&body, carried.n + p->ring_count, carried.values);
  for (uint32_t i = 0; i < p->ring_count; i++) p->rings.at[i] = &made->results[carried.n + i];
}

static void emit_level(RoleThread *p, Builder *b, uint32_t level) {
  const Op *op = p->roles->path.at[level];
  b->loc = op->loc;
  if (op->kind == OP_IF)
    emit_if(p, b, op, level);
  else if (p->multiplies && op == last_of(p->roles))
    roles_emit_dots(p, b, op);
  else
    emit_for(p, b, op, level);
}

static void emit_thread(RoleThread *p, Region *region) {
  const Roles *r = p->roles;
  Builder b = builder_at_end(r->s.func, region);
  emit_region(p, &b, r->path.at[0]->region, 0);
  b.loc = last_of(r)->loc;
  build_yield(&b, 0, NULL);
}

void roles_emit_producer(Roles *r, Region *region, const RoleRings *rings) {
  RoleThread p = {r, clone_map_new(r->s.arena, r->s.func), r->needed, *rings, r->channels, false};
  emit_thread(&p, region);
}

// It needs the conditions and bounds on the path to the loop, which the producer needs too.
void roles_emit_mma(Roles *r, Region *region, const RoleRings *rings) {
  uint8_t *copied = r->needed;
  r->needed = ARENA_ARRAY(r->s.arena, uint8_t, r->s.func->value_count);
  mark_path(r);
  RoleThread p = {r, clone_map_new(r->s.arena, r->s.func), r->needed, *rings, 2, true};
  emit_thread(&p, region);
  r->needed = copied;
}
