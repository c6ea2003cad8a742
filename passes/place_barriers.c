// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// place_barriers: puts a barrier exactly where a thread may touch memory before another is done with it, and
// fences before asynchronous reads of what threads wrote.
//
// before  shared_store %v, %s
//         %d = shared_load %s : ...
//         shared_store %d, %s2                  (%s2 has bytes of %s)
// after   shared_store %v, %s
//         barrier
//         %d = shared_load %s : ...
//         barrier
//         shared_store %d, %s2
// needs   the buffers' places (allocate_shared); buffers without a place share no bytes
// keeps   every value
// breaks  nothing; no pass that moves accesses may come after
// pays    one barrier orders everything before it with everything after it
//
// Hazards: in shared memory between accesses, one of them a write, to the same bytes. In global memory between accesses, one of
// them a write, of tiles of one shape (an element of a shape, or the scalars, are one thread of the language,
// so the program relies on their order) whose elements are held by different threads: by several warps, or
// otherwise in the one access than in the other. Any two pointers may be of one place.
//
// What is under way is carried along the program, joined after branches, and round loops to a fixed point.
#include <string.h>
#include "ir/build.h"
#include "ir/dot.h"
#include "ir/scratch.h"
#include "passes/passes.h"
#include "passes/shared_buffers.h"

// Accesses since the last barrier. Sets of buffers, then sets of kinds of access to global memory.
enum { READS_SHARED, WRITES_SHARED, COPIES, DOTS, UNFENCED, READS_GLOBAL, WRITES_GLOBAL, SET_COUNT };

typedef struct State {
  uint64_t *set[SET_COUNT];
} State;

typedef struct Placer {
  PassContext *context;
  Func *func;
  SharedBuffers buffers;
  uint64_t **overlaps;     // by buffer: those with bytes of it
  VEC(const Type *) kinds; // of global accesses: pointer types, by shape and layout; kinds.at[0]: scalars
  uint64_t **clashes;      // by kind: those whose threads hold elements otherwise
  uint32_t words;          // of a set
  bool insert;             // else hazards are only found
  bool wanted;             // a barrier was, since this was cleared
  uint32_t barriers;
} Placer;

// --- tables

static uint32_t begin_of(const Op *alloc) { return (uint32_t)op_int(alloc, ATTR_OFFSET, 0); }

static bool share_bytes(const Op *a, const Op *b) {
  if (a == b) return true;
  if (!op_attr(a, ATTR_OFFSET) || !op_attr(b, ATTR_OFFSET)) return false;
  uint32_t a_end = begin_of(a) + shared_bytes(op_result(a)->type);
  uint32_t b_end = begin_of(b) + shared_bytes(op_result(b)->type);
  return begin_of(a) < b_end && begin_of(b) < a_end;
}

static bool is_global(const Op *op) {
  return op->kind == OP_LOAD || op->kind == OP_STORE || op->kind == OP_ATOMIC_RMW ||
         op->kind == OP_ATOMIC_CAS || op->kind == OP_COPY_ASYNC;
}

static bool same_kind(const Type *a, const Type *b) {
  if (!a || !b || !type_is_tile(a) || !type_is_tile(b))
    return (!a || !type_is_tile(a)) && (!b || !type_is_tile(b));
  return type_same_shape(a, b) && a->layout == b->layout;
}

static uint32_t kind_of(const Placer *p, const Op *op) {
  const Type *type = op_operand(op, 0)->type;
  uint32_t i = 0;
  while (i < p->kinds.n && !same_kind(p->kinds.at[i], type)) i++;
  return i;
}

static void note_kind(Op *op, void *data) {
  Placer *p = data;
  if (is_global(op) && kind_of(p, op) == p->kinds.n)
    vec_push(p->context->scratch, &p->kinds, op_operand(op, 0)->type);
}

static bool held_by_warps(const Placer *p, const Type *type) {
  if (!type) return func_warps(p->func) > 1;
  uint32_t free_bits[DIM_COUNT];
  layout_free_bits(type->layout, free_bits);
  return free_bits[DIM_WARP] != 0;
}

static bool clash(const Placer *p, uint32_t i, uint32_t k) {
  const Type *a = p->kinds.at[i], *b = p->kinds.at[k];
  if (i == k) return (!a || a->layout) && held_by_warps(p, a);
  if (!a || !b || !type_same_shape(a, b) || !a->layout || !b->layout) return false;
  return held_by_warps(p, a) || held_by_warps(p, b) ||
         layout_conversion(a->layout, b->layout) > CONVERT_REGISTERS;
}

static void make_tables(Placer *p) {
  Arena *arena = p->context->scratch;
  vec_push(arena, &p->kinds, NULL);
  region_walk(p->func->body, note_kind, p);
  uint32_t n = p->buffers.allocs.n, most = n > p->kinds.n ? n : p->kinds.n;
  p->words = most / 64 + 1;
  p->overlaps = ARENA_ARRAY(arena, uint64_t *, n);
  for (uint32_t i = 0; i < n; i++) {
    p->overlaps[i] = ARENA_ARRAY(arena, uint64_t, p->words);
    for (uint32_t k = 0; k < n; k++)
      if (share_bytes(p->buffers.allocs.at[i], p->buffers.allocs.at[k])) set_add(p->overlaps[i], k);
  }
  p->clashes = ARENA_ARRAY(arena, uint64_t *, p->kinds.n);
  for (uint32_t i = 0; i < p->kinds.n; i++) {
    p->clashes[i] = ARENA_ARRAY(arena, uint64_t, p->words);
    for (uint32_t k = 0; k < p->kinds.n; k++)
      if (clash(p, i, k)) set_add(p->clashes[i], k);
  }
}

// --- states

static State state_new(const Placer *p) {
  State state;
  for (int i = 0; i < SET_COUNT; i++) state.set[i] = ARENA_ARRAY(p->context->scratch, uint64_t, p->words);
  return state;
}

static void state_copy(const Placer *p, State *to, const State *from) {
  for (int i = 0; i < SET_COUNT; i++) memcpy(to->set[i], from->set[i], p->words * sizeof(uint64_t));
}

static bool state_join(const Placer *p, State *to, const State *from) {
  bool grew = false;
  for (int i = 0; i < SET_COUNT; i++) grew |= set_unite(to->set[i], from->set[i], p->words);
  return grew;
}

static void empty(const Placer *p, uint64_t *set) { memset(set, 0, p->words * sizeof *set); }

// What copies and dots have under way a barrier does not end.
static void meet(const Placer *p, State *s) {
  empty(p, s->set[READS_SHARED]);
  empty(p, s->set[WRITES_SHARED]);
  empty(p, s->set[READS_GLOBAL]);
  empty(p, s->set[WRITES_GLOBAL]);
  set_unite(s->set[READS_SHARED], s->set[DOTS], p->words);
}

static void put(Placer *p, Op *op, OpKind kind) {
  p->wanted |= kind == OP_BARRIER;
  if (!p->insert) return;
  Builder b = builder_before(op);
  build_op(&b, kind, 0, NULL, 0, NULL);
  p->barriers += kind == OP_BARRIER;
}

// --- ops

// What an access touches: the buffers themselves, and those with which it must be ordered, since they share
// bytes. Of the accesses to a pipelined buffer `pipeline` has made the order.
typedef struct Bytes {
  const uint64_t *own;
  uint64_t *shared;
} Bytes;

static Bytes bytes_of(const Placer *p, const Value *value) {
  Bytes bytes = {.own = p->buffers.sets[value->id]};
  if (!bytes.own) return bytes;
  bytes.shared = ARENA_ARRAY(p->context->scratch, uint64_t, p->words);
  for (uint32_t i = 0; i < p->buffers.allocs.n; i++) {
    if (!set_has(bytes.own, i)) continue;
    set_unite(bytes.shared, p->overlaps[i], p->words);
    if (op_attr(p->buffers.allocs.at[i], ATTR_PIPELINED)) bytes.shared[i / 64] &= ~(UINT64_C(1) << i % 64);
  }
  return bytes;
}

typedef struct Touch {
  Bytes reads, writes;
  Bytes copies;    // written asynchronously
  Bytes dots;      // read asynchronously, by way of the other proxy
  uint32_t global; // kind
  bool reads_global, writes_global, is_async;
} Touch;

static Bytes either(const Placer *p, Bytes a, Bytes b) {
  uint64_t *own = ARENA_ARRAY(p->context->scratch, uint64_t, p->words);
  uint64_t *shared = ARENA_ARRAY(p->context->scratch, uint64_t, p->words);
  set_unite(own, a.own, p->words);
  set_unite(own, b.own, p->words);
  set_unite(shared, a.shared, p->words);
  set_unite(shared, b.shared, p->words);
  return (Bytes){own, shared};
}

static Touch touch_of(const Placer *p, const Op *op) {
  Touch t = {0};
  if (op->kind == OP_SHARED_STORE) t.writes = bytes_of(p, op_operand(op, 1));
  if (op->kind == OP_SHARED_LOAD || op->kind == OP_SHARED_GATHER) t.reads = bytes_of(p, op_operand(op, 0));
  if (op->kind == OP_SHARED_COUNT) t.reads = t.writes = bytes_of(p, op_operand(op, 1));
  if (op->kind == OP_COPY_ASYNC) t.copies = bytes_of(p, op_operand(op, 1));
  if (op->kind == OP_DOT) {
    bool proxy = dot_instruction_info(dot_instruction(op))->is_async;
    Bytes a = bytes_of(p, op_operand(op, 0)), b = bytes_of(p, op_operand(op, 1)), none = {NULL, NULL};
    t.reads = either(p, a, b);
    // An operand that goes through registers is read by the threads themselves, at once.
    if (proxy)
      t.dots = either(p, op_attr(op, ATTR_ANCHOR_A) ? none : a, op_attr(op, ATTR_ANCHOR_B) ? none : b);
    t.is_async = op_attr(op, ATTR_ASYNC) != NULL;
  }
  if (!is_global(op)) return t;
  t.global = kind_of(p, op);
  t.reads_global = op_has(op, READS);
  t.writes_global = op_has(op, WRITES) && op->kind != OP_COPY_ASYNC;
  return t;
}

static bool is_hazard(const Placer *p, const State *s, const Touch *t) {
  uint32_t n = p->words;
  if (set_meets(t->reads.shared, s->set[WRITES_SHARED], n) ||
      set_meets(t->writes.shared, s->set[WRITES_SHARED], n) ||
      set_meets(t->writes.shared, s->set[READS_SHARED], n) ||
      set_meets(t->copies.shared, s->set[WRITES_SHARED], n) ||
      set_meets(t->copies.shared, s->set[READS_SHARED], n))
    return true;
  const uint64_t *clashes = p->clashes[t->global];
  return (t->reads_global && set_meets(clashes, s->set[WRITES_GLOBAL], n)) ||
         (t->writes_global &&
          (set_meets(clashes, s->set[WRITES_GLOBAL], n) || set_meets(clashes, s->set[READS_GLOBAL], n)));
}

// Copies into pipelined buffers alone: a wait and a barrier follow them in their loop, which writes nothing.
static bool is_pipelined(const Placer *p, const uint64_t *buffers) {
  if (!buffers) return false;
  for (uint32_t i = 0; i < p->buffers.allocs.n; i++)
    if (set_has(buffers, i) && !op_attr(p->buffers.allocs.at[i], ATTR_PIPELINED)) return false;
  return true;
}

static void take(const Placer *p, State *s, const Touch *t, const Op *op) {
  uint32_t n = p->words;
  set_unite(s->set[READS_SHARED], t->reads.own, n);
  set_unite(s->set[WRITES_SHARED], t->writes.own, n);
  set_unite(s->set[UNFENCED], t->writes.own, n);
  set_unite(s->set[COPIES], t->copies.own, n);
  set_unite(s->set[UNFENCED], t->copies.own, n);
  if (t->is_async) set_unite(s->set[DOTS], t->dots.own, n);
  if (t->reads_global && !is_pipelined(p, t->copies.own)) set_add(s->set[READS_GLOBAL], t->global);
  if (t->writes_global) set_add(s->set[WRITES_GLOBAL], t->global);
  if (op->kind == OP_BARRIER && !op_attr(op, ATTR_WARPS)) meet(p, s); // of some warps it orders no others
  if (op->kind == OP_FENCE_ASYNC) empty(p, s->set[UNFENCED]);
  // Each thread knows of its own copies alone, until a barrier.
  if (op->kind == OP_ASYNC_WAIT) {
    set_unite(s->set[WRITES_SHARED], s->set[COPIES], n);
    if (op_int(op, ATTR_PENDING, 0) == 0) empty(p, s->set[COPIES]);
  }
  if (op->kind == OP_DOT_WAIT && op_int(op, ATTR_PENDING, 0) == 0) empty(p, s->set[DOTS]);
}

// Whether a dot that comes after the load, with nothing between them that writes, reads what is not fenced: one
// barrier then does for both.
static bool dot_needs_fence(const Placer *p, const State *s, const Op *op) {
  if (op->kind != OP_SHARED_LOAD) return false;
  while (op && op->kind != OP_DOT && !op_has(op, WRITES) && !op->region_count) op = op->next;
  if (!op || op->kind != OP_DOT) return false;
  return set_meets(touch_of(p, op).dots.shared, s->set[UNFENCED], p->words);
}

static void step(Placer *p, State *s, Op *op) {
  Touch t = touch_of(p, op);
  bool fence = set_meets(t.dots.shared, s->set[UNFENCED], p->words) ||
               (is_hazard(p, s, &t) && dot_needs_fence(p, s, op));
  if (fence) {
    put(p, op, OP_FENCE_ASYNC);
    empty(p, s->set[UNFENCED]);
  }
  if (fence || is_hazard(p, s, &t)) {
    put(p, op, OP_BARRIER);
    meet(p, s);
  }
  take(p, s, &t, op);
}

// --- control flow

static void walk(Placer *p, State *s, Region *region);

static bool has_copies(const Region *region) {
  for (const Op *op = region->first; op; op = op->next)
    if (op->kind == OP_COPY_ASYNC) return true;
  return false;
}

static bool wants_barrier(Placer *p, const State *s, Region *region) {
  State inner = state_new(p);
  bool insert = p->insert;
  state_copy(p, &inner, s);
  p->insert = p->wanted = false;
  walk(p, &inner, region);
  p->insert = insert;
  return p->wanted;
}

static void walk_if(Placer *p, State *s, Op *op) {
  // Several branches of copies follow one another: one barrier before them does for all.
  if (has_copies(op->regions[0]) && wants_barrier(p, s, op->regions[0])) {
    put(p, op, OP_BARRIER);
    meet(p, s);
  }
  State other = state_new(p);
  state_copy(p, &other, s);
  walk(p, s, op->regions[0]);
  walk(p, &other, op->regions[1]);
  state_join(p, s, &other);
}

static void walk_parts(Placer *p, State *s, Op *op) {
  for (uint32_t r = 0; r < op->region_count; r++) walk(p, s, op->regions[r]);
}

// The state at the loop's entry covers what comes round; then the barriers are put.
static void walk_loop(Placer *p, State *s, Op *op) {
  State entry = state_new(p), round = state_new(p);
  bool insert = p->insert;
  state_copy(p, &entry, s);
  p->insert = false;
  do {
    state_copy(p, &round, &entry);
    walk_parts(p, &round, op);
  } while (state_join(p, &entry, &round));
  p->insert = insert;
  state_copy(p, &round, &entry);
  walk_parts(p, &round, op);
  // A while's test is done once more than its body; a for may not run at all.
  if (op->kind == OP_WHILE) {
    p->insert = false;
    state_copy(p, s, &entry);
    walk(p, s, op->regions[0]);
    p->insert = insert;
  } else {
    state_join(p, s, &round);
  }
}

static void walk(Placer *p, State *s, Region *region) {
  for (Op *op = region->first; op; op = op->next) {
    if (op->kind == OP_FOR || op->kind == OP_WHILE)
      walk_loop(p, s, op);
    else if (op->kind == OP_IF)
      walk_if(p, s, op);
    else
      step(p, s, op);
  }
}

bool pass_place_barriers(PassContext *context, Func *func) {
  Placer p = {.context = context, .func = func, .insert = true};
  p.buffers = shared_buffers_find(context->scratch, func);
  make_tables(&p);
  State state = state_new(&p);
  walk(&p, &state, func->body);
  if (p.barriers)
    diag_remark(context->diags, func->loc, "place_barriers", "%u barrier%s between accesses", p.barriers,
                p.barriers == 1 ? "" : "s");
  return p.barriers > 0;
}
