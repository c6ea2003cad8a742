// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// place_barriers: puts a barrier exactly where a thread may touch memory that another still uses. It also puts fences
// before asynchronous reads of memory that threads wrote.
//
// ```
// before  shared_store %v, %s
//         %d = shared_load %s : ...
//         shared_store %d, %s2                  (%s2 has bytes of %s)
// after   shared_store %v, %s
//         barrier
//         %d = shared_load %s : ...
//         barrier
//         shared_store %d, %s2
// ```
//
// needs   the buffers' offsets (allocate_shared). Buffers without an offset share no bytes
// keeps   every value
// breaks  nothing. No later pass may move accesses
// pays    one barrier orders everything before it with everything after it
//
// A hazard is between two accesses, at least one of them a write:
// * In shared memory, to the same bytes.
// * In global memory, to tiles of one shape whose elements different threads hold. Either several warps hold them, or
//   the two accesses distribute them differently.
//
// An element of a shape, or all scalars, count as one thread of the language. So the program relies on their order. Any
// two pointers may alias. Under --restrict, loads and stores through different arguments do not. If several warps hold
// an element, all read it and the first one writes it. So two writes in one layout need no barrier. If the element is
// only stored, the first one also reads it alone (access_is_for_holders), and no barrier is needed at all.
//
// A scalar atomic is made by one thread. If it releases, it publishes the accesses of the whole program, not only of
// that thread. So it is after a barrier if other warps have written global memory, or read what the kernel writes:
//
// before  store %tile, %v
//         atomic_rmw %flag, %one {rmw = "add"}
// after   store %tile, %v
//         barrier
//         atomic_rmw %flag, %one {rmw = "add"}
//
// An acquire needs no separate barrier: codegen broadcasts a used result through shared memory, between barriers.
//
// A ring's ops order its slots. Missing fences and barriers are inserted for them too (barrier_rings.c). Some cases are
// errors, because a barrier cannot fix them. One is a slot that is released while a dot reads it. Another is a slot
// whose copies were not waited for.
//
// In a group of warps (warp_groups), barriers are the group's own, with their own number. Channels order the work of
// different groups. A group of one thread needs no barriers.
//
// The state of work in flight moves along the program. It is joined after branches, and iterated around loops to a
// fixed point.
#include "ir/build.h"
#include "ir/dot/dot.h"
#include "ir/memory/atomic.h"
#include "ir/memory/groups.h"
#include "passes/shared/barriers.h"

// Returns true if the barrier is for all warps that run the region.
static bool is_barrier_of_all(const Op *op) {
  if (op->kind != OP_BARRIER) return false;
  const Attr *warps = op_attr(op, ATTR_WARPS);
  return !warps || (group_of(op) != UINT32_MAX && warps->i == region_warps(op));
}

static void put_op(Placer *p, Op *op, OpKind kind, bool global) {
  p->wanted |= kind == OP_BARRIER;
  if (!p->insert) return;
  Builder b = builder_before(op);
  Op *put = build_op(&b, kind, 0, NULL, 0, NULL);
  op_set_flag(put, ATTR_GLOBAL, global);
  if (kind == OP_BARRIER) group_name_barrier(put);
  p->put++;
  p->barriers += kind == OP_BARRIER;
}

// --- ops

static bool is_shared_hazard(const Placer *p, const State *s, const TouchedMemory *t) {
  uint32_t n = p->words;
  return set_meets(t->reads.others, s->set[WRITES_SHARED], n) ||
         set_meets(t->writes.others, s->set[WRITES_SHARED], n) ||
         set_meets(t->writes.others, s->set[READS_SHARED], n) ||
         set_meets(t->copies.others, s->set[WRITES_SHARED], n) ||
         set_meets(t->copies.others, s->set[READS_SHARED], n) ||
         set_meets(t->stores.others, s->set[WRITES_SHARED], n) ||
         set_meets(t->tensors.others, s->set[WRITES_SHARED], n) ||
         set_meets(t->tensors.others, s->set[READS_SHARED], n);
}

static bool is_global_hazard(const Placer *p, const State *s, const TouchedMemory *t) {
  uint32_t n = p->words;
  const uint64_t *clashes = p->clashes[t->global];
  if (t->reads_global && set_meets(clashes, s->set[WRITES_GLOBAL], n)) return true;
  return t->writes_global &&
         (set_meets(p->overwrites[t->global], s->set[WRITES_GLOBAL], n) ||
          set_meets(clashes, s->set[READS_GLOBAL], n) || rings_read_global(p, s, clashes));
}

static void take_accesses(const Placer *p, State *s, const TouchedMemory *t, const Op *op) {
  uint32_t n = p->words;
  set_unite(s->set[READS_SHARED], t->reads.own, n);
  set_unite(s->set[WRITES_SHARED], t->writes.own, n);
  set_unite(s->set[UNFENCED], t->writes.own, n);
  set_unite(s->set[COPIES], t->copies.own, n);
  set_unite(s->set[UNFENCED], t->copies.own, n);
  set_unite(s->set[WRITES_SHARED], t->tensors.own, n);
  set_unite(s->set[STORING], t->stores.own, n);
  if (op->kind == OP_DOT && op_attr(op, ATTR_ASYNC)) state_begin_dot(p, s, t->dots.own);
  if (t->unreleased) set_add(s->set[UNRELEASED], t->global);
  if (t->reads_global && !t->through_ring) set_add(s->set[READS_GLOBAL], t->global);
  if (!t->writes_global) return;
  set_add(s->set[WRITES_GLOBAL], t->global);
  set_add(s->set[UNFENCED_GLOBAL], t->global);
}

// Until a barrier, each thread knows only about its own copies.
static void wait_for_copies(const Placer *p, State *s, uint32_t pending) {
  set_unite(s->set[WRITES_SHARED], s->set[COPIES], p->words);
  if (pending == 0) state_empty(p, s->set[COPIES]);
}

// Until a barrier, only one thread knows that the stores have read their buffers.
static void wait_for_stores(const Placer *p, State *s, uint32_t pending) {
  if (pending) return;
  set_unite(s->set[READS_SHARED], s->set[STORING], p->words);
  state_empty(p, s->set[STORING]);
}

static void take_op(Placer *p, State *s, const TouchedMemory *t, const Op *op) {
  uint32_t pending = (uint32_t)op_int(op, ATTR_PENDING, 0);
  if (t) take_accesses(p, s, t, op);
  if (is_barrier_of_all(op)) state_meet(p, s); // A barrier of some warps orders no others.
  if (op->kind == OP_FENCE_ASYNC) state_fence(p, s, op_attr(op, ATTR_GLOBAL));
  if (op->kind == OP_ASYNC_WAIT) wait_for_copies(p, s, pending);
  if (op->kind == OP_TMA_STORE_WAIT) wait_for_stores(p, s, pending);
  if (op->kind == OP_DOT_WAIT) state_wait_dots(p, s, pending);
  rings_step(p, s, op);
}

static bool writes_any(const Placer *p, const TouchedMemory *t, const uint64_t *places) {
  return set_meets(t->writes.others, places, p->words) || set_meets(t->copies.others, places, p->words) ||
         set_meets(t->tensors.others, places, p->words);
}

// A barrier does not end the reads of a dot or a TMA store in flight.
static void check_readers(const Placer *p, const State *s, const TouchedMemory *t, const Op *op) {
  bool dot = false, store = writes_any(p, t, s->set[STORING]);
  for (int i = 0; i < DOT_AGES; i++) dot |= writes_any(p, t, s->dots[i]);
  if (p->insert && (dot || store))
    diag_error(p->context->diags, op->loc, "[T0000] %s: a %s that may be in flight reads what is written",
               op_info(op->kind)->name, dot ? "dot" : "TMA store");
}

// Returns true if the other proxy reads or overwrites memory that threads wrote.
static bool is_unfenced(const Placer *p, const State *s, const TouchedMemory *t) {
  return t && (set_meets(t->dots.others, s->set[UNFENCED], p->words) ||
               set_meets(t->stores.others, s->set[UNFENCED], p->words) ||
               set_meets(t->tensors.others, s->set[UNFENCED], p->words));
}

// Returns true if a dot after the load reads unfenced memory, with no write in between. Then one barrier serves both.
static bool dot_needs_fence(const Placer *p, const State *s, const Op *op) {
  if (op->kind != OP_SHARED_LOAD) return false;
  while (op && op->kind != OP_DOT && !op_has(op, WRITES) && !op->region_count) op = op->next;
  return op && op->kind == OP_DOT && is_unfenced(p, s, barrier_touch(p, op));
}

static bool is_empty(const Placer *p, const uint64_t *set) {
  for (uint32_t w = 0; w < p->words; w++)
    if (set[w]) return false;
  return true;
}

// Returns true if one thread's release must cover what other threads did.
static bool releases_others(const Placer *p, const State *s, const Op *op) {
  return atomic_releases(op) && !type_is_tile(op_result(op)->type) && !is_empty(p, s->set[UNRELEASED]);
}

// Python warns of it where an older Triton is installed (python/tilec/_errors.py).
static void remark_release(const Placer *p, const Op *op) {
  if (p->insert)
    diag_remark(
        p->context->diags, op->loc, "place_barriers",
        "a barrier is put before this release, so that it covers the whole program; Triton before 3.9 puts "
        "none: call tl.debug_barrier() there");
}

// Returns true for a barrier between tensor memory and a dot that also needs a fence. The barrier after the fence is it.
static bool meets_for_dot(const Placer *p, const State *s, const Op *op) {
  const Op *dot = op->next;
  return is_barrier_of_all(op) && dot && is_dot_of(dot, DOT_TCGEN05) &&
         (is_unfenced(p, s, barrier_touch(p, dot)) || rings_lack_fence(p, s, dot));
}

static void order_op(Placer *p, State *s, Op *op) {
  const TouchedMemory *t = barrier_touch(p, op);
  bool store = op->kind == OP_TMA_STORE;
  bool tensor = op_copies_in(op) || store; // Issued by one thread, for data of any thread.
  bool hazard = t && (is_shared_hazard(p, s, t) || is_global_hazard(p, s, t));
  bool global = tensor && !is_empty(p, s->set[UNFENCED_GLOBAL]);
  bool fence =
      global || is_unfenced(p, s, t) || rings_lack_fence(p, s, op) || (hazard && dot_needs_fence(p, s, op));
  bool meets = meets_for_dot(p, s, op);
  hazard |= tensor && !is_empty(p, s->set[WRITES_GLOBAL]);
  hazard |= store && !is_empty(p, s->set[READS_GLOBAL]);
  if (releases_others(p, s, op)) remark_release(p, op);
  hazard |= releases_others(p, s, op);
  if (fence || meets) {
    put_op(p, op, OP_FENCE_ASYNC, global);
    state_fence(p, s, global);
  }
  if (t) check_readers(p, s, t, op);
  if (fence || hazard || rings_lack_barrier(p, s, op)) {
    put_op(p, op, OP_BARRIER, false);
    state_meet(p, s);
  }
  take_op(p, s, t, op);
}

// --- control flow

static void order_region(Placer *p, State *s, Region *region);
static void order_loop(Placer *p, State *s, Op *op);

static bool has_copies(const Region *region) {
  for (const Op *op = region->first; op; op = op->next)
    if (op_has(op, ASYNC)) return true;
  return false;
}

// Returns true if a barrier is needed within the region (if not NULL) or loop, from this state on.
static bool wants_barrier(Placer *p, const State *s, Region *region, Op *loop) {
  State inner = state_new(p);
  bool insert = p->insert, before = p->wanted;
  state_copy(p, &inner, s);
  p->insert = p->wanted = false;
  if (region)
    order_region(p, &inner, region);
  else
    order_loop(p, &inner, loop);
  bool wanted = p->wanted;
  p->insert = insert;
  p->wanted = before || wanted;
  return wanted;
}

// Only accesses before the loop need the barrier: one before it serves all iterations.
static void order_before_loop(Placer *p, State *s, Op *loop) {
  State met = state_new(p);
  state_copy(p, &met, s);
  state_meet(p, &met);
  if (!wants_barrier(p, s, NULL, loop) || wants_barrier(p, &met, NULL, loop)) return;
  put_op(p, loop, OP_BARRIER, false);
  state_meet(p, s);
}

static void order_if(Placer *p, State *s, Op *op) {
  // Several branches with copies follow one another: one barrier before them serves all.
  if (has_copies(op->regions[0]) && wants_barrier(p, s, op->regions[0], NULL)) {
    put_op(p, op, OP_BARRIER, false);
    state_meet(p, s);
  }
  State other = state_new(p);
  state_copy(p, &other, s);
  order_region(p, s, op->regions[0]);
  order_region(p, &other, op->regions[1]);
  state_join(p, s, &other);
}

static void order_regions(Placer *p, State *s, Op *op) {
  for (uint32_t r = 0; r < op->region_count; r++) order_region(p, s, op->regions[r]);
}

// A visit that inserts nothing depends only on the state. A nested loop sees the same few states again and again.
// Without the kept visits, each loop would double the visits of the loops inside it.
static LoopVisits *kept_visits(Placer *p, const Op *op) {
  LoopVisits **kept = &p->visited[op->id];
  if (!*kept) *kept = ARENA_NEW(p->context->scratch, LoopVisits);
  if ((*kept)->put != p->put)
    for (int i = 0; i < KEPT_VISITS; i++) (*kept)->at[i].known = false;
  (*kept)->put = p->put;
  return *kept;
}

static void order_loop_inside(Placer *p, State *s, Op *op);

static void order_loop(Placer *p, State *s, Op *op) {
  if (p->insert) {
    order_before_loop(p, s, op);
    order_loop_inside(p, s, op);
    return;
  }
  LoopVisits *kept = kept_visits(p, op);
  for (int i = 0; i < KEPT_VISITS; i++)
    if (kept->at[i].known && state_same(p, &kept->at[i].before, s)) {
      state_copy(p, s, &kept->at[i].after);
      p->wanted |= kept->at[i].wanted;
      return;
    }
  LoopVisit *visit = &kept->at[kept->next++ % KEPT_VISITS];
  if (!visit->before.rings) visit->before = state_new(p), visit->after = state_new(p);
  bool wanted = p->wanted;
  p->wanted = visit->known = false;
  state_copy(p, &visit->before, s);
  order_loop_inside(p, s, op);
  state_copy(p, &visit->after, s);
  visit->known = true;
  visit->wanted = p->wanted;
  p->wanted |= wanted;
}

// First finds an entry state that covers all iterations. Then inserts the barriers.
static void order_loop_inside(Placer *p, State *s, Op *op) {
  State entry = state_new(p), round = state_new(p);
  bool insert = p->insert;
  state_copy(p, &entry, s);
  p->insert = false;
  do {
    state_copy(p, &round, &entry);
    order_regions(p, &round, op);
  } while (state_join(p, &entry, &round));
  p->insert = insert;
  // If nothing is inserted, the last round equals the next one. So a loop is visited a few times for each loop around
  // it. The visits do not double with each level.
  if (insert) {
    state_copy(p, &round, &entry);
    order_regions(p, &round, op);
  }
  // A while's condition runs once more than its body. A for may not run at all.
  if (op->kind == OP_WHILE) {
    p->insert = false;
    state_copy(p, s, &entry);
    order_region(p, s, op->regions[0]);
    p->insert = insert;
  } else {
    state_join(p, s, &round);
  }
}

static void order_groups(Placer *p, const State *s, Op *op) {
  for (uint32_t r = 0; r < op->region_count; r++) {
    State own = state_new(p);
    if (group_is_thread(op, r)) continue;
    state_copy(p, &own, s);
    order_region(p, &own, op->regions[r]);
  }
}

// Ends a ring that the op used up.
static void end_rings(const Placer *p, State *s, const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (is_ring(&op->results[i]) && value_unused(&op->results[i]))
      s->rings[p->rings.of[op->results[i].id]].alive = false;
}

static void order_region(Placer *p, State *s, Region *region) {
  for (Op *op = region->first; op; op = op->next) {
    if (op_is_loop(op))
      order_loop(p, s, op);
    else if (op->kind == OP_IF)
      order_if(p, s, op);
    else if (op->kind == OP_WARP_GROUPS)
      order_groups(p, s, op);
    else
      order_op(p, s, op);
    end_rings(p, s, op);
  }
}

bool pass_place_barriers(PassContext *context, Func *func) {
  Placer p = {.context = context, .func = func, .insert = true};
  p.buffers = shared_buffers_find(context->scratch, func);
  p.rings = rings_find(context->scratch, func);
  barrier_places_find(&p);
  p.visited = ARENA_ARRAY(context->scratch, LoopVisits *, func->op_count);
  State state = state_new(&p);
  order_region(&p, &state, func->body);
  if (p.barriers)
    diag_remark(context->diags, func->loc, "place_barriers", "%u barrier%s between accesses", p.barriers,
                p.barriers == 1 ? "" : "s");
  return p.barriers > 0;
}
