// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of pass wait_in_shared (fit_registers.c): if registers are short, tiles wait for their use in shared memory.
//
// Tiles on their way there are stored early, or copied without a stop in registers. Operands of loops are read in them.
//
// needs   exchanges as stores and loads (split_ops), buffers without places, accesses with their vectors
// keeps   every value
// breaks  nothing
#include <string.h>
#include "ir/build.h"
#include "ir/dot/dot.h"
#include "ir/memory/scratch.h"
#include "target/tuning.h"
#include "passes/registers/fit_registers.h"
#include "ir/memory/access.h"
#include "passes/analysis/dot_loops.h"
#include "base/integer.h"

// --- stores: as soon as their operands are there
//
// ```
// before  %x = load %p                      after  %x = load %p
//         %y = load %q                             %s = shared_alloc
//         ...                                      shared_store %x, %s
//         %s = shared_alloc                        %y = load %q
//         shared_store %x, %s                      ...
//         %a = shared_load %s                      %a = shared_load %s
//         dot %a, %b                               dot %a, %b
// ```
//
// keeps   every value: nothing else uses the buffer before the store
// breaks  nothing; buffers are live for longer
//
// pays    A tile that waits for its use waits in shared memory, where it goes anyway. A kernel may load five operands
//         and multiply them one after another. It then has only one of them in registers. Otherwise, what does not fit
//         in registers is in local memory, written and read word by word.
//
// The ops that compute the tile move along if they are cheap (casts, selections, multiplications), and free at least
// the registers that their result takes. An SM should hold the CTAs that registers allow. So buffers that are live
// together must fit in a CTA's share of shared memory.
//
// Loads at the start of a loop's iteration have no order yet. There a store passes only dots, branches and loops.
// 16-bit elements that are loaded one by one take a register each. They are stored before others are loaded. A barrier
// after the store keeps the other loads from being in flight before it.
//
// If what a loop carries fills a thread's registers, what waits is in local memory. There stores also pass loads, and
// what one dot takes is read right before it.

enum {
  MAX_CHAIN = 16,     // ops that move along
  MAX_STEPS = 256,    // ops looked at for a place
  MIN_REGISTERS = 16, // of a tile that is worth it
};

typedef struct Mover {
  Budget *budget;
  Func *func;
  uint64_t room;    // bytes of shared memory for buffers that are live together
  uint32_t *change; // by op id: change of the bytes of buffers in use
  bool sure;        // Other than brief uses count until the end.
  bool changed;
} Mover;

// The ops that move, the last one first, and their new place.
typedef struct Chain {
  Op *ops[MAX_CHAIN];
  uint32_t count, steps;
  uint32_t after; // id of the last op that must be before them; 0: the region's first
} Chain;

// --- room in shared memory

// False if an op other than a store, a load, a copy or a synchronous dot uses the buffer: then it is counted until the end.
static bool is_brief(const Value *buffer) {
  for (const Use *use = buffer->first_use; use; use = use->next) {
    const Op *user = use->user;
    bool brief = op_has(user, SHARED) || op_has(user, GLOBAL | ASYNC) || user->kind == OP_SHARED_TRANS ||
                 (user->kind == OP_DOT && !op_attr(user, ATTR_ASYNC));
    if (!brief || (user->kind == OP_SHARED_TRANS && !is_brief(op_result(user)))) return false;
  }
  return true;
}

static void add_buffer(const Mover *m, const Op *alloc) {
  uint32_t bytes = shared_bytes(op_result(alloc)->type);
  m->change[alloc->id] += bytes;
  if (!m->sure || is_brief(op_result(alloc)))
    m->change[max_u32(alloc->id, value_use_end(op_result(alloc), alloc->region)) + 1] -=
        bytes; // sums wrap back
}

// Numbers the function.
static void count_buffers(Mover *m) {
  func_number(m->func);
  memset(m->change, 0, (m->func->op_count + 2) * sizeof *m->change);
  for (OpWalk w = ops_in(m->func->body); ops_next(&w);)
    if (w.op->kind == OP_SHARED_ALLOC) add_buffer(m, w.op);
}

// The most bytes of buffers that are live together, from after op `after` to before op `end`. count_buffers comes first.
static uint64_t bytes_between(const Mover *m, int64_t after, uint32_t end) {
  uint32_t most = 0, now = 0;
  for (uint32_t i = 0; i < end; i++) {
    now += m->change[i];
    if (i > after) most = max_u32(most, now);
  }
  return most;
}

// A CTA's share of an SM's shared memory. The SM holds the CTAs that the buffers allow now, if each thread has all registers
// that it may have, up to `most`. One of four may have none: spills cost more.
static uint64_t shared_room(const Mover *m, uint32_t most) {
  const TargetInfo *arch = m->func->module->target.arch;
  uint64_t all = (uint64_t)arch->shared_limit + arch->shared_reserved;
  uint64_t taken = bytes_between(m, -1, m->func->op_count);
  uint64_t blocks = arch->registers / (TARGET_WARP * func_warps(m->func) * arch->thread_registers);
  blocks = min_u64(min_u64(blocks - blocks / 4, most), all / (taken + arch->shared_reserved + 1));
  return max_u64(taken, all / max_u64(blocks, 1) - arch->shared_reserved);
}

static Mover mover_of(Budget *b, uint32_t most, bool sure) {
  Mover m = {.budget = b, .func = b->func};
  func_number(b->func);
  m.change = ARENA_ARRAY(b->context->scratch, uint32_t,
                         3 * m.func->op_count + 2); // each op may get a barrier, and each dot its loads
  count_buffers(&m);
  m.room = shared_room(&m, most);
  m.sure = sure;
  count_buffers(&m);
  return m;
}

static bool has_room(const Mover *m, const Value *buffer, uint32_t after, uint32_t end) {
  return bytes_between(m, after, end) + shared_bytes(buffer->type) <= m->room;
}

// --- what moves

// Registers per thread that the value takes. Values that each thread computes from its index take none.
static uint32_t words_of(const Value *value) {
  const Type *type = value->type;
  const Op *def = value->def;
  if (!type_is_tile(type) || (def && (op_has(def, LEAF) || def->kind == OP_BROADCAST))) return 0;
  const Type *element = type_element(type);
  bool is_float = element->kind == TYPE_SCALAR && elem_is_float(element->elem);
  return is_float || (def && def->kind == OP_LOAD) ? tile_words(type) : 0;
}

static bool goes_along(const Op *op) {
  if (op->result_count != 1 || op->region_count || op_scratch(op)) return false;
  return is_cheap(op) && op->kind != OP_RESHAPE;
}

static bool in_chain(const Chain *chain, const Op *op) {
  for (uint32_t i = 0; i < chain->count; i++)
    if (chain->ops[i] == op) return true;
  return false;
}

// True if nothing uses the value after the chain. *alone: only the chain uses it.
static bool ends_life(const Chain *chain, const Value *value, bool *alone) {
  const Op *store = chain->ops[0];
  *alone = true;
  if (value_region(value) != store->region) return false;
  for (const Use *use = value->first_use; use; use = use->next) {
    const Op *user = op_in_region(use->user, store->region);
    *alone &= in_chain(chain, user);
    if (user->id > store->id) return false;
  }
  return true;
}

// Registers of operands that are no longer live after the chain.
static uint32_t freed_by(const Chain *chain, const Op *op) {
  uint32_t freed = 0;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Value *value = op_operand(op, i);
    bool alone, first = true;
    for (uint32_t k = 0; k < i; k++) first &= op_operand(op, k) != value;
    if (first && words_of(value) && ends_life(chain, value, &alone)) freed += words_of(value);
  }
  return freed;
}

// Adds the ops that compute the op's operands, if nothing else takes these.
static void extend(Chain *chain, const Op *op) {
  for (uint32_t i = 0; i < op->operand_count && chain->count < MAX_CHAIN; i++) {
    const Value *value = op_operand(op, i);
    Op *def = value->def;
    bool alone;
    if (!def || !words_of(value) || in_chain(chain, def) || !goes_along(def)) continue;
    if (!ends_life(chain, value, &alone) || !alone) continue;
    chain->ops[chain->count++] = def;
    if (freed_by(chain, def) < words_of(value)) chain->count--;
  }
}

// --- where to

static void stand_after(Chain *chain, const Op *op) { chain->after = max_u32(chain->after, op->id); }

// The chain must come after what computes the value, unless that can move too: indices and masks can.
static void find_place(Chain *chain, const Value *value, const Region *home) {
  const Op *def = value->def;
  if (!def || def->region != home || in_chain(chain, def)) return;
  if (words_of(value) || !goes_along(def) || chain->steps == MAX_STEPS) {
    stand_after(chain, def);
    return;
  }
  chain->steps++;
  for (uint32_t i = 0; i < def->operand_count; i++) find_place(chain, op_operand(def, i), home);
}

// The chain must also come after other users of tiles that end with it, since these tiles are live until then.
static void find_places(Chain *chain, const Op *op) {
  const Region *home = op->region;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Value *value = op_operand(op, i);
    bool alone;
    if (value->type->kind == TYPE_SHARED) continue;
    find_place(chain, value, home);
    if (!words_of(value) || !ends_life(chain, value, &alone)) continue;
    for (const Use *use = value->first_use; use; use = use->next) {
      const Op *user = op_in_region(use->user, home);
      if (!in_chain(chain, user)) stand_after(chain, user);
    }
  }
}

static bool is_halves(const Value *value) {
  return is_unpacked_16bit(value) && words_of(value) >= MIN_REGISTERS;
}

// True if the chain takes 16-bit elements that are loaded one by one, a register each, and passes a load of others.
static bool passes_halves(const Chain *chain, const Op *after) {
  bool takes = false;
  for (uint32_t k = 0; k < chain->count; k++)
    for (uint32_t i = 0; i < chain->ops[k]->operand_count; i++)
      takes |= is_halves(op_operand(chain->ops[k], i));
  for (const Op *op = chain->ops[0]->prev; op != after && takes; op = op->prev)
    if (op->kind == OP_LOAD && is_halves(op_result(op))) return true;
  return false;
}

// True if the store passes an op that needs the registers of a waiting tile.
static bool is_worth(const Mover *m, const Op *store, const Op *after) {
  const Op *loop = op_enclosing_loop(store);
  bool loads = !loop || loop_fills_registers(m->func, loop);
  for (const Op *op = store->prev; op != after; op = op->prev) {
    if (op->kind == OP_DOT || op_has(op, FLOW)) return true;
    if (!loop && (op->kind == OP_REDUCE || op->kind == OP_REDUCE_PARTS)) return true;
    if (loads && op->kind == OP_LOAD && words_of(op_result(op)) >= MIN_REGISTERS) return true;
  }
  return false;
}

// --- moving

// Moves what computes the value after *last, unless it is before that already. *last becomes the last op moved.
static void move_needed(const Value *value, Region *home, uint32_t after, Op **last) {
  Op *def = value->def;
  if (!def || def->region != home || def->id <= after) return;
  for (uint32_t i = 0; i < def->operand_count; i++) move_needed(op_operand(def, i), home, after, last);
  Op *place = *last ? (*last)->next : home->first;
  if (place != def) op_move(def, home, place);
  *last = def;
  def->id = 0; // it is there now
}

static void move(Mover *m, Op *store) {
  Chain chain = {.ops = {store}, .count = 1};
  uint32_t freed = 0;
  for (uint32_t i = 0; i < chain.count; i++) extend(&chain, chain.ops[i]);
  for (uint32_t i = 0; i < chain.count; i++)
    freed += freed_by(&chain, chain.ops[i]) - (i ? words_of(op_result(chain.ops[i])) : 0);
  if (freed < MIN_REGISTERS) return;
  for (uint32_t i = 0; i < chain.count; i++) find_places(&chain, chain.ops[i]);
  Region *home = store->region;
  for (const Op *op = store->prev; op && op_enclosing_loop(store);
       op = op->prev) // the previous iteration may have left these
    if (op->kind == OP_DOT_WAIT || op->kind == OP_TMA_STORE_WAIT) stand_after(&chain, op);
  Op *last = store->prev;
  while (last && last->id > chain.after) last = last->prev;
  uint32_t after = last ? last->id : 0;
  bool apart = op_enclosing_loop(store) && passes_halves(&chain, last);
  if ((!apart && !is_worth(m, store, last)) ||
      !has_room(m, op_operand(store, 1), after, op_operand(store, 1)->def->id))
    return;
  RELIEVED(m->budget, store, STORED_EARLY, freed,
           "%u registers are stored to shared memory %u ops earlier, to save registers", freed,
           store->id - after - 1);
  for (uint32_t i = 0; i < store->operand_count; i++) move_needed(op_operand(store, i), home, after, &last);
  op_move(store, home, last->next);
  if (apart) { // otherwise ptxas issues those loads before the store
    Builder b = builder_after(store);
    b.loc = store->loc;
    build_op(&b, OP_BARRIER, 0, NULL, 0, NULL);
  }
  m->changed = true;
  count_buffers(m);
}

// True for a store to a buffer of the same region that nothing uses before.
static bool is_first_store(const Op *op) {
  if (op->kind != OP_SHARED_STORE || op->attrs.n || !type_is_tile(op_operand(op, 0)->type)) return false;
  const Value *buffer = op_operand(op, 1);
  if (!buffer->def || buffer->def->kind != OP_SHARED_ALLOC || buffer->def->region != op->region) return false;
  for (const Use *use = buffer->first_use; use; use = use->next)
    if (use->user->id < op->id) return false;
  return true;
}

// --- reading late

// True if a buffer of its region gives the tile, and nothing is stored there after this.
static bool can_read_later(const Op *load) {
  const Value *buffer = load->kind == OP_SHARED_LOAD ? op_operand(load, 0) : NULL;
  if (!buffer || !buffer->def || buffer->def->kind != OP_SHARED_ALLOC || buffer->def->region != load->region)
    return false; // of a view: others may lead to the bytes
  for (const Use *use = buffer->first_use; use; use = use->next) {
    OpKind kind = use->user->kind;
    bool before = (kind == OP_SHARED_STORE || kind == OP_COPY_ASYNC) && use->user->id < load->id;
    if (!before && kind != OP_SHARED_LOAD) return false;
  }
  return type_is_tile(op_result(load)->type) && op_result(load)->first_use;
}

// True if only one dot of the region takes the loaded tile, and anything but shared_loads separates the two. Two operands
// of one dot do not pass each other.
static bool waits_for_dot(const Op *load) {
  const Use *use = can_read_later(load) ? value_single_use(op_result(load)) : NULL;
  const Op *op = load->next;
  if (!use || use->user->kind != OP_DOT || use->user->region != load->region) return false;
  while (op != use->user && op->kind == OP_SHARED_LOAD) op = op->next;
  return op != use->user;
}

// True if only dots in loops after the load use it.
static bool waits_for_loops(const Op *load) {
  if (!can_read_later(load)) return false;
  for (const Use *use = op_result(load)->first_use; use; use = use->next)
    if (use->user->kind != OP_DOT || op_use_end(use->user, load->region) == use->user->id) return false;
  return true;
}

// Reads the tile before each dot that takes it. Returns false if the buffer has no room for that long.
static bool read_late(Mover *m, Op *load) {
  Value *tile = op_result(load), *buffer = op_operand(load, 0);
  if (!has_room(m, buffer, load->id, value_use_end(tile, load->region))) return false;
  for (const Use *use = tile->first_use; use; use = tile->first_use) {
    Op *user = use->user;
    Builder b = builder_before(user);
    Value *copy = op_result(build_like(&b, load, &buffer, tile->type));
    for (uint32_t i = 0; i < user->operand_count; i++)
      if (op_operand(user, i) == tile) op_set_operand(user, i, copy);
  }
  op_erase(load);
  count_buffers(m);
  return m->changed = true;
}

bool store_early(Budget *b) {
  Mover m = mover_of(b, UINT32_MAX, false);
  for (OpWalk w = ops_in(m.func->body); ops_next(&w);)
    if (is_first_store(w.op)) move(&m, w.op);
  for (OpWalk w = ops_in(m.func->body); ops_next(&w);) {
    const Op *loop = op_enclosing_loop(w.op);
    if (waits_for_dot(w.op) && loop && loop_fills_registers(m.func, loop)) read_late(&m, w.op);
  }
  return m.changed;
}

// --- copies: a tile loaded after a dot loop only for an exchange
//
// ```
// before  %v = load %p, %m                  after  %s = shared_alloc
//         %s = shared_alloc                        copy_async %p, %s, %m
//         shared_store %v, %s                      async_commit
//         %w = shared_load %s                      async_wait {pending = 0}
//                                                  %w = shared_load %s
// ```
//
// keeps   every value: nothing writes between the load and the store
// breaks  nothing
//
// pays    A tile that is added to a dot's sums gets their layout when it comes from shared memory. On its way there it
//         takes half of a thread's registers. The sums take the other half.
//
// The wait is for all copies, so no copy may be in flight that a loop needs later. So the loop comes before the load,
// and so does every commit in the region. Regions around commit nothing. Otherwise the load could be in a loop that
// prefetches.

// True if this op or a later one commits copies without waiting for them at once. Loads that this pass copies wait at
// once.
static bool commits(const Op *from) {
  for (const Op *op = from; op; op = op->next) {
    const Op *next = op->next;
    bool waits = next && next->kind == OP_ASYNC_WAIT && !op_int(next, ATTR_PENDING, 0);
    if (op->kind == OP_ASYNC_COMMIT && !waits) return true;
  }
  return false;
}

// True if no copies are in flight at the load, and none can be when its region runs again.
static bool is_behind_copies(const Op *load) {
  const Op *loop = load->prev;
  while (loop && !(loop->kind == OP_FOR && region_find(loop->regions[0], OP_DOT))) loop = loop->prev;
  if (!loop || commits(loop)) return false;
  for (const Op *around = load->region->parent; around; around = around->region->parent)
    if (commits(around->region->first)) return false;
  return true;
}

static bool is_between_writes(const Op *load, const Op *store) {
  const Op *op = load->next;
  while (op && op != store && !op->region_count && !op_has(op, WRITES)) op = op->next;
  return op == store;
}

// The store, to its own buffer, that is the only use of the loaded tile. NULL: there is none.
static Op *store_of(const Op *load) {
  const Use *use = op_result(load)->first_use;
  Op *store = use && !use->next ? use->user : NULL;
  if (!store || store->kind != OP_SHARED_STORE || store->attrs.n) return NULL;
  const Op *alloc = op_operand(store, 1)->def;
  if (!alloc || alloc->kind != OP_SHARED_ALLOC || alloc->region != load->region) return NULL;
  return is_between_writes(load, store) ? store : NULL;
}

static Op *build_copy(Builder *b, const Op *load, Value *buffer) {
  static const AttrKey keys[] = {ATTR_CACHE, ATTR_EVICT, ATTR_ALIGN, ATTR_VECTOR, ATTR_PARTIAL};
  Value *mask = op_operand(load, 1), *operands[3] = {op_operand(load, 0), buffer, mask};
  Op *copy = build_op(b, OP_COPY_ASYNC, mask ? 3 : 2, operands, 0, NULL);
  for (uint32_t i = 0; i < sizeof keys / sizeof *keys; i++) op_copy_attr(copy, load, keys[i]);
  return copy;
}

// Returns false if neighbours in global memory are not neighbours in the buffer.
static bool copy_instead(Func *func, Op *load, Op *store) {
  Builder b = builder_before(store);
  b.loc = load->loc;
  Op *copy = build_copy(&b, load, op_operand(store, 1));
  if ((int64_t)copy_async_run(copy) < op_int(load, ATTR_VECTOR, 1)) {
    op_erase(copy);
    return false;
  }
  const Type *token = type_token(func->module->ir);
  Value *committed = op_result(build_op(&b, OP_ASYNC_COMMIT, 0, NULL, 1, &token));
  Op *wait = build_op(&b, OP_ASYNC_WAIT, 1, &committed, 0, NULL);
  op_set_int(wait, ATTR_PENDING, 0);
  op_erase(store);
  op_erase(load);
  return true;
}

// Registers for each vector's address. If a mask can end within a vector, also for how much of it is read.
static uint32_t address_registers(const Op *load) {
  uint32_t vectors = layout_registers(op_result(load)->type->layout) / (uint32_t)op_int(load, ATTR_VECTOR, 1);
  return vectors * (op_attr(load, ATTR_PARTIAL) ? 3 : 2);
}

static bool visit_load(Budget *b, Op *load) {
  if (!type_is_tile(op_result(load)->type) || op_scratch(load)) return false;
  uint32_t words = tile_words(op_result(load)->type);
  if (words < MIN_REGISTERS || b->pressure.alive[load->id] + address_registers(load) <= b->room) return false;
  if (!load_is_copyable(load)) return false;
  Op *store = store_of(load);
  const Op was = *load;
  if (!store || !is_behind_copies(load) || !copy_instead(b->func, load, store)) return false;
  RELIEVED(b, &was, COPIED, words, "%u registers of loads are copied straight to shared memory", words);
  return true;
}

bool copy_late(Budget *b) {
  bool changed = false;
  if (!b->func->module->target.arch->has_cp_async) return false;
  for (OpWalk w = ops_in(b->func->body); ops_next(&w);)
    if (w.op->kind == OP_LOAD) changed |= visit_load(b, w.op);
  return changed;
}

// --- operands: read in a loop, if they are from before it
//
// ```
// before  %s = shared_alloc               after  %s = shared_alloc
//         shared_store %q, %s                    shared_store %q, %s
//         %a = shared_load %s                    for ... {
//         for ... {                                %a = shared_load %s
//           dot %a, %b                             dot %a, %b
//         }                                      }
// ```
//
// keeps   every value: nothing is stored to the buffer after the load
//
// breaks  Nothing. The buffer is live in the loop too.
//
// pays    Operands of 256 registers from before a loop fill all of a thread's registers. They are then in local memory.
//         Each iteration reads them from there, with one access per word. Shared memory needs a quarter of these
//         accesses.
//
// Operands are moved one after another, until the tiles fit. Two CTAs on an SM are enough.
//
// CTAs of 8 warps with mma.sync do so too if the tiles fit, but not those of a second CTA (choose_occupancy).

static bool goes_late(const Mover *m, const Op *load) {
  return waits_for_loops(load) &&
         has_room(m, op_operand(load, 0), load->id, value_use_end(op_result(load), load->region));
}

static void reload_late(Mover *m, Op *load) {
  Op was = *load;
  uint32_t words = tile_words(op_result(load)->type);
  if (!read_late(m, load)) return;
  RELIEVED(m->budget, &was, READ_LATE, words,
           "%u registers of an operand are read from shared memory in the loop to save registers", words);
  budget_count(m->budget);
}

bool reload_operands(Budget *b) {
  Mover m = mover_of(b, 2, true);
  for (OpWalk w = ops_outward(b->func->body); ops_next(&w) && b->slack < 0;)
    if (waits_for_loops(w.op)) reload_late(&m, w.op);
  return m.changed;
}

// The most registers of tiles if operands are read late that may be.
static uint32_t most_without_operands(const Mover *m) {
  const Pressure *pressure = &m->budget->pressure;
  VEC(const Op *) late = {0};
  uint32_t most = 0;
  for (OpWalk w = ops_in(m->func->body); ops_next(&w);) {
    uint32_t now = pressure->alive[w.op->id];
    bool at_dot = w.op->kind == OP_DOT || (w.op->next && w.op->next->kind == OP_DOT); // They are read here.
    for (uint32_t i = 0; i < late.n; i++)
      if (!at_dot && w.op->id <= value_use_end(op_result(late.at[i]), late.at[i]->region))
        now -= min_u32(now, tile_words(op_result(late.at[i])->type));
    most = max_u32(most, now);
    if (goes_late(m, w.op)) vec_push(m->budget->context->scratch, &late, w.op);
  }
  return most;
}

static bool has_joint_dot(const Func *func) {
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (w.op->kind == OP_DOT && dot_instruction(w.op) != DOT_MMA && dot_instruction(w.op) != DOT_MMA_K8)
      return true;
  return false;
}

bool reload_for_second(Budget *b) {
  const Target *target = &b->func->module->target;
  uint32_t room =
      target->arch->registers / (2 * TARGET_WARP * TUNE_MANY_WARPS) - TUNE_BLOCKS_RESERVED_REGISTERS;
  if (func_warps(b->func) != TUNE_MANY_WARPS || target->maxnreg || b->pressure.most <= room) return false;
  Mover m = mover_of(b, 2, true);
  m.room = (target->arch->shared_limit - target->arch->shared_reserved) / 2;
  if (has_joint_dot(b->func) || most_without_operands(&m) > room) return false;
  for (OpWalk w = ops_outward(b->func->body); ops_next(&w) && b->pressure.most > room;)
    if (goes_late(&m, w.op)) reload_late(&m, w.op);
  return m.changed;
}
