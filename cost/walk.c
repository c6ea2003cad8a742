// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cost/walk.h"

#include "base/hash.h"
#include "ir/memory/atomic.h"
#include "ir/memory/tensor_box.h"
#include "ir/number.h"
#include "ir/queries.h"

void walk_init(CostWalk *w, Arena *arena, Func *func, const CostLaunch *launch, CostTraffic *traffic) {
  *w = (CostWalk){
      .arena = arena, .func = func, .launch = launch, .space = {.arena = arena}, .traffic = traffic};
  for (uint32_t i = 0; i < launch->buffer_count; i++) traffic[i].buffer = &launch->buffers[i];
  w->limit = launch->max_steps ? launch->max_steps : COST_STEPS;
  w->values = ARENA_ARRAY(arena, CostValue, func->value_count + 1);
  w->followed = ARENA_ARRAY(arena, bool, func->op_count + 1);
  w->steps_of = ARENA_ARRAY(arena, uint8_t, func->op_count + 1);
  w->counted = ARENA_ARRAY(arena, Counted *, func->op_count + 1);
  w->next = ARENA_ARRAY(arena, const Op *, func->op_count + 1);
  w->inputs = ARENA_ARRAY(arena, const CostValue **, func->op_count + 1);
  w->skipped = ARENA_ARRAY(arena, uint32_t, func->op_count + 1);
  w->fixed = ARENA_ARRAY(arena, bool, func->value_count + 1);
  w->places = ARENA_ARRAY(arena, int64_t, func->op_count + 1);
  w->boxes = ARENA_ARRAY(arena, uint32_t, func->op_count + 1);
  w->into = ARENA_ARRAY(arena, CostTraffic *, func->value_count + 1);
  w->ops = ARENA_ARRAY(arena, CostOp, func->op_count + 1);
  w->runs = ARENA_ARRAY(arena, CostRange, func->op_count + 1);
}

static void add(const CostWalk *w, CostRange *range, uint64_t least, uint64_t most) {
  range->most += most * w->weight;
  if (w->certain) range->least += least * w->weight;
}

// --- values to follow

// A value is followed once. `known` marks it; walking overwrites the mark.
static void follow(CostWalk *w, const Value *value) {
  if (!value || w->values[value->id].known) return;
  w->values[value->id].known = true;
  const Op *op = value->def ? value->def : value->region->parent;
  if (!op) return; // a parameter
  w->followed[op->id] = true;
  for (uint32_t n = 0; flow_source(value, n); n++) follow(w, flow_source(value, n));
  if (value->def && op->region_count == 0 && !op_has(op, READS))
    for (uint32_t i = 0; i < op->operand_count; i++) follow(w, op_operand(op, i));
}

static bool is_tensor(const Op *op) { return op->kind == OP_TMA_COPY || op->kind == OP_TMA_STORE; }

static const Value *mask_of(const Op *op) {
  if (op->kind == OP_LOAD) return op_input_count(op) > 1 ? op_operand(op, 1) : NULL;
  if (op->kind == OP_ATOMIC_CAS) return NULL;
  return op_input_count(op) > 2 ? op_operand(op, 2) : NULL; // also for a copy_async and a store
}

static void follow_op(CostWalk *w, Op *op) {
  if (op_has(op, GLOBAL)) {
    follow(w, op_operand(op, 0));
    follow(w, mask_of(op));
  }
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (tensor_place(op, i)) follow(w, op_operand(op, i));
  for (uint32_t i = 0; op->kind == OP_FOR && i < LOOP_FIRST_INIT; i++) follow(w, op_operand(op, i));
  if (w->events && op->kind == OP_SHARED_INDEX) follow(w, op_operand(op, 1));
  if (op->kind == OP_IF) follow(w, op_operand(op, 0));
  if (op->kind == OP_WHILE) follow(w, op_operand(op->regions[0]->last, 0));
}

// --- accesses

// Sectors that reach the L2 cache.
static double cache_sectors(const AccessCounts *counts) {
  return (double)counts->most.units / (counts->alike ? counts->alike : 1);
}

struct Counted {
  const Op *op;
  uint64_t place; // of the first element in its line, or its known part
  const Pattern *pointer, *mask;
  int64_t mask_base;
  bool known[2];
  AccessCounts counts;
};

static bool is_counted(const void *entry, const void *key) {
  const Counted *a = entry, *b = key;
  return a->op == b->op && a->place == b->place && a->pointer == b->pointer && a->mask == b->mask &&
         a->mask_base == b->mask_base && a->known[0] == b->known[0] && a->known[1] == b->known[1];
}

static const AccessCounts *counts_of(CostWalk *w, const Op *op, const CostValue *pointer,
                                     const CostValue *mask) {
  enum { LINE = 128 };
  Counted key = {.op = op,
                 .place = (uint64_t)pointer->base % LINE,
                 .pointer = pointer->tile,
                 .known = {pointer->known, !mask || mask->known}};
  if (mask) key.mask = mask->tile, key.mask_base = mask->base;
  Counted **last = &w->counted[op->id];
  if (*last && is_counted(*last, &key)) return &(*last)->counts;
  uint64_t hash = hash_u64(hash_u64(hash_u64(op->id ^ key.place << 32) ^ (uint64_t)(uintptr_t)key.pointer) ^
                           (uint64_t)(uintptr_t)key.mask ^ (uint64_t)key.mask_base);
  void **place = table_place(&w->counts, w->arena, hash, &key, is_counted);
  if (!*place) {
    Counted *counted = ARENA_NEW(w->arena, Counted);
    *counted = key;
    *place = counted;
    counted->counts = count_global(op, pointer, mask);
  }
  *last = *place;
  return &(*last)->counts;
}

// Over a link goes what the L1 cache does not serve.
static void add_asked(CostWalk *w, CostTraffic *traffic, const Op *op, bool reads,
                      const AccessCounts *counts) {
  double bytes = (double)counts->most.bytes * (double)w->weight;
  if (traffic->buffer->device && counts->alike) bytes /= counts->alike;
  if (reads) traffic->reader = op;
  if (op_has(op, ATOMIC))
    traffic->updated += bytes;
  else if (reads)
    traffic->loaded += bytes;
  else
    traffic->stored += bytes;
}

// The buffer with a byte of a span; NULL: none.
static CostTraffic *traffic_at(CostWalk *w, uint64_t first, uint64_t last) {
  for (uint32_t i = 0; i < w->launch->buffer_count; i++) {
    const CostBuffer *buffer = &w->launch->buffers[i];
    if (last >= buffer->address && first < buffer->address + buffer->bytes) return &w->traffic[i];
  }
  return NULL;
}

static void add_traffic(CostWalk *w, const Op *op, uint64_t first, uint64_t last,
                        const AccessCounts *counts) {
  double bytes = 32.0 * cache_sectors(counts) * (double)w->weight;
  CostTraffic *traffic = traffic_at(w, first, last);
  if (!traffic) {
    w->outside += (double)counts->most.bytes * (double)w->weight;
    return;
  }
  bool reads = op->kind != OP_STORE && op->kind != OP_TMA_STORE;
  if (reads) traffic->read += bytes;
  if (op_writes_global(op)) traffic->written += bytes;
  add_asked(w, traffic, op, reads, counts);
}

// The bytes of a buffer on another device count, wherever they are.
static void add_unplaced(CostWalk *w, const Op *op, const AccessCounts *counts) {
  CostTraffic *into = w->into[op_operand(op, 0)->id];
  if (into && into->buffer->device)
    add_asked(w, into, op, op->kind != OP_STORE, counts);
  else if (op->kind == OP_STORE)
    w->unplaced += (double)counts->most.bytes * (double)w->weight;
}

// The span of addresses of an atomic whose addresses are known. One element for all lanes: `alike`.
static void add_updates(CostWalk *w, const Op *op, const AccessCounts *counts, const CostValue *pointer) {
  CostAtomic *atomic = &w->ops[op->id].atomic;
  int64_t least = pointer->base + (pointer->tile ? pointer->tile->least : 0),
          most = pointer->base + (pointer->tile ? pointer->tile->most : 0);
  if (!counts->updates) return;
  if (atomic->updates <= 0 || least < atomic->first) atomic->first = least;
  if (atomic->updates <= 0 || most > atomic->last) atomic->last = most;
  atomic->updates += (double)counts->updates * (double)w->weight;
  atomic->tiles += (double)w->weight;
  atomic->scattered |= least != most;
}

static void add_counts(CostWalk *w, const Op *op, const AccessCounts *counts) {
  CostOp *cost = &w->ops[op->id];
  add(w, &cost->requests, counts->least.requests, counts->most.requests);
  add(w, &cost->sectors, counts->least.units, counts->most.units);
  add(w, &cost->sectors_ideal, counts->least.ideal, counts->most.ideal);
  cost->cache_sectors += cache_sectors(counts) * (double)w->weight;
  cost->cache_steps +=
      count_cache_steps(&counts->most) / (counts->alike ? counts->alike : 1) * (double)w->weight;
  cost->data_dependent |= counts->data_dependent;
}

static void find_advance(CostWalk *w, const Op *op, int64_t place) {
  CostOp *cost = &w->ops[op->id];
  int64_t by = place - w->places[op->id];
  uint64_t bytes = by < 0 ? -(uint64_t)by : (uint64_t)by;
  if (w->trip && bytes > cost->advance) cost->advance = bytes;
  w->places[op->id] = place;
}

static void count_access(CostWalk *w, const Op *op) {
  const Value *guard = mask_of(op);
  const CostValue *pointer = &w->values[op_operand(op, 0)->id], *mask = guard ? &w->values[guard->id] : NULL;
  if (w->cache) {
    if (pointer->known && (!mask || mask->known)) cache_access(w->cache, op, pointer, mask, w->weight);
    return;
  }
  const AccessCounts *counts = counts_of(w, op, pointer, mask);
  uint64_t base = (uint64_t)pointer->base;
  add_counts(w, op, counts);
  if (!pointer->known) {
    add_unplaced(w, op, counts);
    return;
  }
  find_advance(w, op, pointer->base);
  if (op->kind == OP_ATOMIC_RMW && !atomic_is_load(op) && !atomic_is_store(op))
    add_updates(w, op, counts, pointer);
  add_traffic(w, op, base + (uint64_t)(pointer->tile ? pointer->tile->least : 0),
              base + (uint64_t)(pointer->tile ? pointer->tile->most : 0), counts);
}

static void count_box(CostWalk *w, const Op *op) {
  CostValue coordinates[TENSOR_MAP_MAX_RANK];
  uint32_t first = tensor_coordinates(op);
  const CostTensor *tensor = tensor_of(w->tensors, op);
  for (uint32_t i = first; i < op->operand_count; i++)
    coordinates[i - first] = w->values[op_operand(op, i)->id];
  if (w->cache) {
    cache_box(w->cache, op, w->boxes[op->id], tensor, coordinates, w->weight);
    return;
  }
  const AccessCounts counts = count_tensor(op, w->boxes[op->id], tensor, coordinates);
  add_counts(w, op, &counts);
  w->steps++;
  if (tensor->known) add_traffic(w, op, tensor->address, tensor->address, &counts);
}

static void count_parts(CostWalk *w, const Op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (!tensor_place(op, i)) continue;
    const CostValue *from = &w->values[op_operand(op, i)->id];
    uint64_t address = from->known ? (uint64_t)from->base : 0;
    if (w->cache) {
      if (from->known) cache_run(w->cache, op, address, w->weight);
      continue;
    }
    const AccessCounts counts = count_run(op, address, from->known);
    add_counts(w, op, &counts);
    if (from->known) add_traffic(w, op, address, address, &counts);
  }
}

// --- control flow

static void walk_region(CostWalk *w, const Region *region);

static void set_unknown(CostWalk *w, const Value *values, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) w->values[values[i].id].known = false;
}

// Code that depends on data may execute, once.
static void walk_maybe(CostWalk *w, const Region *region) {
  bool certain = w->certain;
  w->certain = false;
  walk_region(w, region);
  w->certain = certain;
}

static void walk_if(CostWalk *w, const Op *op) {
  const CostValue condition = w->values[op_operand(op, 0)->id];
  if (!condition.known) {
    walk_maybe(w, op->regions[0]);
    walk_maybe(w, op->regions[1]);
    set_unknown(w, op->results, op->result_count);
    return;
  }
  const Region *taken = op->regions[condition.base ? 0 : 1];
  walk_region(w, taken);
  for (uint32_t i = 0; i < op->result_count; i++)
    w->values[op->results[i].id] = w->values[op_operand(taken->last, i)->id];
}

// The values are copied at once, because one may be another's next value.
static void carry(CostWalk *w, const Region *to, uint32_t first, const Op *from, uint32_t skip) {
  uint32_t n = to->arg_count - first;
  CostValue some[16], *next = n <= 16 ? some : ARENA_ARRAY(w->arena, CostValue, n);
  for (uint32_t i = 0; i < n; i++) next[i] = w->values[op_operand(from, i + skip)->id];
  for (uint32_t i = 0; i < n; i++) w->values[to->args[i + first]->id] = next[i];
}

static void walk_unbounded(CostWalk *w, const Op *op) {
  for (uint32_t r = 0; r < op->region_count; r++)
    for (uint32_t i = 0; i < op->regions[r]->arg_count; i++)
      w->values[op->regions[r]->args[i]->id].known = false;
  for (uint32_t r = 0; r < op->region_count; r++) walk_maybe(w, op->regions[r]);
  set_unknown(w, op->results, op->result_count);
  w->unbounded = true;
}

// If following takes too long, one more iteration represents the rest.
static void walk_for(CostWalk *w, const Op *op) {
  const CostValue lower = w->values[loop_lower(op)->id], upper = w->values[loop_upper(op)->id],
                  step = w->values[loop_step(op)->id];
  const Region *body = op->regions[0];
  if (!lower.known || !upper.known || !step.known || step.base == 0) {
    walk_unbounded(w, op);
    return;
  }
  uint64_t weight = w->weight;
  uint32_t trip = w->trip;
  w->trip = 0;
  carry(w, body, 1, op, LOOP_FIRST_INIT);
  for (int64_t i = lower.base; step.base > 0 ? i < upper.base : i > upper.base; i += step.base) {
    int64_t left =
        step.base > 0 ? (upper.base - i - 1) / step.base + 1 : (i - upper.base - 1) / -step.base + 1;
    bool last = left > 1 && w->steps > w->limit;
    if (last) w->weight *= (uint64_t)left, w->estimated = true;
    w->values[loop_index(op)->id] = (CostValue){true, i, NULL};
    walk_region(w, body);
    carry(w, body, 1, body->last, 0);
    w->trip++;
    if (last) break;
  }
  w->weight = weight;
  w->trip = trip;
  for (uint32_t i = 0; i < op->result_count; i++)
    w->values[op->results[i].id] = w->values[loop_carried(op, i)->id];
}

static void walk_while(CostWalk *w, const Op *op) {
  const Region *before = op->regions[0], *body = op->regions[1];
  carry(w, before, 0, op, 0);
  for (;;) {
    walk_region(w, before);
    const CostValue condition = w->values[op_operand(before->last, 0)->id];
    if (!condition.known || w->steps > w->limit) {
      walk_unbounded(w, op);
      return;
    }
    if (!condition.base) break;
    carry(w, body, 0, before->last, 1);
    walk_region(w, body);
    carry(w, before, 0, body->last, 0);
    if (op_attr(op, ATTR_PROGRAMS)) break; // each program counts as a CTA
  }
  for (uint32_t i = 0; i < op->result_count; i++)
    w->values[op->results[i].id] = w->values[op_operand(before->last, i + 1)->id];
}

// Where a pointer of unknown offset points into.
static void find_buffer(CostWalk *w, const Op *op) {
  const Value *from = op->operand_count ? op_operand(op, 0) : NULL;
  CostTraffic **into = &w->into[op_result(op)->id];
  *into = NULL;
  if (!from || w->values[op_result(op)->id].known || !type_is_ptr(op_result(op)->type)) return;
  const CostValue *start = &w->values[from->id];
  *into = !type_is_ptr(from->type) ? NULL
          : start->known           ? traffic_at(w, (uint64_t)start->base, (uint64_t)start->base)
                                   : w->into[from->id];
}

// An address from a table whose content is known.
static CostValue read_table(CostWalk *w, const Op *load) {
  const CostValue *at = &w->values[op_operand(load, 0)->id];
  const Type *type = op_result(load)->type;
  uint64_t address = (uint64_t)at->base;
  const CostTraffic *table = at->known && !at->tile ? traffic_at(w, address, address) : NULL;
  CostValue found = {.known = table && table->buffer->content && !type_is_tile(type) &&
                              type_element_bytes(type) == 8 &&
                              address + 8 <= table->buffer->address + table->buffer->bytes};
  if (found.known)
    memcpy(&found.base, (const char *)table->buffer->content + (address - table->buffer->address), 8);
  return found;
}

static void apply(CostWalk *w, const Op *op) {
  CostValue *result = &w->values[op_result(op)->id];
  if (op->kind == OP_PROGRAM_ID) {
    *result = (CostValue){true, w->program[op_int(op, ATTR_AXIS, 0)], NULL};
  } else if (op->kind == OP_NUM_PROGRAMS) {
    *result = (CostValue){true, w->programs[op_int(op, ATTR_AXIS, 0)], NULL};
  } else {
    cost_apply(&w->space, op, w->inputs[op->id], result);
    find_buffer(w, op);
  }
}

// The steps of a visit of an op. The value of an op without WALK_APPLY stays unknown.
enum WalkStep {
  WALK_ACCESS = 1,
  WALK_TABLE = 2,
  WALK_BOX = 4,
  WALK_STEP = 8,
  WALK_APPLY = 16,
  WALK_PARTS = 32
};

static uint8_t steps_of(const CostWalk *w, const Op *op) {
  bool global = op_has(op, GLOBAL), followed = w->followed[op->id];
  uint8_t steps = global ? WALK_ACCESS : 0;
  if (op->kind == OP_LOAD && followed) steps |= WALK_TABLE;
  if (is_tensor(op)) steps |= WALK_BOX;
  if (op->kind == OP_BULK_COPY) steps |= WALK_PARTS;
  if (global || !followed) return steps;
  bool applies = op->result_count == 1 && !op_has(op, READS) && !cost_is_data(op);
  return steps | (applies ? WALK_STEP | WALK_APPLY : WALK_STEP);
}

static void walk_region(CostWalk *w, const Region *region) {
  uint8_t steps;
  if (!region->first) return;
  add(w, &w->runs[region->first->id], 1, 1);
  for (const Op *op = region->first; op; op = w->next[op->id]) {
    switch ((int)op->kind) {
    case OP_FOR: walk_for(w, op); break;
    case OP_WHILE: walk_while(w, op); break;
    case OP_IF: walk_if(w, op); break;
    case OP_WARP_GROUPS:
      for (w->group = 0; w->group < op->region_count; w->group++) walk_region(w, op->regions[w->group]);
      break;
    default:
      if (w->events) walk_event(w, op);
      steps = w->steps_of[op->id];
      if (steps & WALK_ACCESS) count_access(w, op);
      if (steps & WALK_TABLE) w->values[op_result(op)->id] = read_table(w, op);
      if (steps & WALK_BOX) count_box(w, op);
      if (steps & WALK_PARTS) count_parts(w, op);
      if (steps & WALK_STEP) w->steps++;
      if (steps & WALK_APPLY) apply(w, op);
    }
    w->steps += w->skipped[op->id];
  }
}

// --- programs

// A persistent kernel is followed as one CTA per program. So work that a CTA does once counts for each
// program.
static void place_program(CostWalk *w, uint64_t number) {
  const uint32_t *grid = w->launch->grid;
  bool in_turn = func_is_persistent(w->func);
  const uint32_t all[PROGRAM_AXES] = {grid[0] * grid[1] * grid[2], 1, 1};
  memcpy(w->programs, in_turn ? all : grid, sizeof w->programs);
  w->program[0] = (uint32_t)(number % w->programs[0]);
  w->program[1] = (uint32_t)(number / w->programs[0] % w->programs[1]);
  w->program[2] = (uint32_t)(number / w->programs[0] / w->programs[1]);
  uint32_t first = func_programs_param(w->func);
  for (uint32_t d = 0; in_turn && d < PROGRAM_AXES; d++)
    w->values[w->func->body->args[first + d]->id] = (CostValue){true, grid[d], NULL};
}

static void begin_program(CostWalk *w, uint64_t number) {
  const Region *body = w->func->body;
  for (uint32_t i = 0; i < body->arg_count; i++) {
    const Type *type = body->args[i]->type;
    bool scalar = type->kind == TYPE_PTR || (type->kind == TYPE_SCALAR && !elem_is_float(type->elem));
    CostValue *value = &w->values[body->args[i]->id];
    *value = (CostValue){.known = scalar && i < w->launch->arg_count};
    if (value->known) value->base = (int64_t)w->launch->args[i];
    if (value->known && type->kind == TYPE_SCALAR)
      value->base = (int64_t)number_wrap(type->elem, w->launch->args[i]);
    if (w->func->params[i].hidden == HIDDEN_SCRATCH) *value = (CostValue){true, 0, NULL};
  }
  place_program(w, number);
}

static bool is_walked(const CostWalk *w, const Op *op) {
  return w->events || w->followed[op->id] || op->region_count || op_has(op, GLOBAL) || is_tensor(op) ||
         op_has(op, ASYNC);
}

static void link_region(CostWalk *w, const Region *region) {
  const Op *last = region->first; // the first op is always visited: `runs`
  for (const Op *op = last; op; op = op->next) {
    if (op == last || !is_walked(w, op)) continue;
    w->next[last->id] = op;
    last = op;
  }
}

// An op of the function's body whose value is the same in all programs.
static bool is_fixed(const CostWalk *w, const Op *op) {
  bool fixed =
      w->steps_of[op->id] == (WALK_STEP | WALK_APPLY) && op->kind != OP_PROGRAM_ID && !op->region_count;
  for (uint32_t i = 0; i < op->operand_count && fixed; i++) fixed = w->fixed[op_operand(op, i)->id];
  return fixed;
}

// Later programs keep the values of fixed ops from the first one. Their steps count with the op before.
static void skip_fixed(CostWalk *w) {
  const Region *body = w->func->body;
  for (uint32_t i = 0; i < body->arg_count; i++) w->fixed[body->args[i]->id] = true;
  const Op *last = body->first;
  for (const Op *op = last, *next; op; op = next) {
    next = w->next[op->id];
    bool fixed = is_fixed(w, op);
    if (fixed) w->fixed[op_result(op)->id] = true;
    if (fixed && op != last)
      w->skipped[last->id]++, w->next[last->id] = next;
    else
      last = op;
  }
}

static void begin(CostWalk *w) {
  TensorBox box;
  memset(w->skipped, 0, w->func->op_count * sizeof *w->skipped);
  for (OpWalk ops = ops_in(w->func->body); ops_next(&ops);) {
    follow_op(w, ops.op);
    if (is_tensor(ops.op) && tensor_op_box(ops.op, &box)) w->boxes[ops.op->id] = box.count;
  }
  for (OpWalk ops = ops_in(w->func->body); ops_next(&ops);) w->steps_of[ops.op->id] = steps_of(w, ops.op);
  link_region(w, w->func->body);
  for (OpWalk ops = ops_in(w->func->body); ops_next(&ops);)
    for (uint32_t i = 0; i < ops.op->region_count; i++) link_region(w, ops.op->regions[i]);
  for (OpWalk ops = ops_in(w->func->body); ops_next(&ops);) {
    if (!(w->steps_of[ops.op->id] & WALK_APPLY)) continue;
    const CostValue **x = w->inputs[ops.op->id] =
        ARENA_ARRAY(w->arena, const CostValue *, ops.op->operand_count + 1);
    for (uint32_t i = 0; i < ops.op->operand_count; i++) x[i] = &w->values[op_operand(ops.op, i)->id];
  }
  for (uint32_t i = 0; i < w->func->value_count; i++) w->values[i].known = false;
  w->certain = true;
  w->weight = 1;
}

void walk_first_program(CostWalk *w) {
  begin(w);
  begin_program(w, 0);
  walk_region(w, w->func->body);
}

bool walk_rounds(CostWalk *w, uint64_t first, uint64_t round, uint64_t rounds, uint64_t steps) {
  enum { TOUCHES = 1 << 19 }; // maximum of grain touches
  const uint32_t *grid = w->launch->grid;
  uint64_t programs = (uint64_t)grid[0] * grid[1] * grid[2];
  uint64_t taken = 0;
  begin(w);
  w->limit = steps;
  begin_program(w, first);
  walk_region(w, w->func->body);
  w->cache->measures = false;
  skip_fixed(w);
  for (uint64_t i = first; i < programs && i < first + rounds * round; i++) {
    cache_program(w->cache, (uint32_t)((i - first) / round));
    if (w->cache->touches > TOUCHES || taken > COST_STEPS) return false;
    w->steps = 0;
    begin_program(w, i);
    walk_region(w, w->func->body);
    taken += w->steps;
  }
  return true;
}

void cost_walk(CostWalk *w, uint64_t *counted) {
  const uint32_t *grid = w->launch->grid;
  uint64_t programs = (uint64_t)grid[0] * grid[1] * grid[2], count = programs;
  begin(w);
  for (uint64_t i = 0; i < count; i++) {
    begin_program(w, count == programs ? i : i * programs / count);
    walk_region(w, w->func->body);
    if (i == 0 && w->steps && w->limit / w->steps < programs)
      count = w->limit / w->steps ? w->limit / w->steps : 1;
    if (i == 0) skip_fixed(w);
  }
  *counted = count;
}
