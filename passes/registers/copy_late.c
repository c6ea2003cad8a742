// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// copy_late: if registers are short, a tile loaded after a dot loop only for an exchange is copied to shared memory.
//
// before  %v = load %p, %m                  after  %s = shared_alloc
//         %s = shared_alloc                        copy_async %p, %s, %m
//         shared_store %v, %s                      async_commit
//         %w = shared_load %s                      async_wait {pending = 0}
//                                                  %w = shared_load %s
//
// needs   exchanges as stores and loads (split_exchanges), accesses with their vectors
// keeps   every value: nothing writes between the load and the store
// breaks  nothing
//
// pays    A tile that is added to a dot's sums gets their layout when it comes from shared memory. On its way there it
//         takes half of a thread's registers. The sums take the other half.
//
// The wait is for all copies, so no copy may be in flight that a loop needs later. So the loop comes before the load,
// and so does every commit in the region. Regions around commit nothing. Otherwise the load could be in a loop that
// prefetches.
#include "ir/memory/access.h"
#include "ir/build.h"
#include "ir/memory/scratch.h"
#include "target/tuning.h"
#include "passes/analysis/dot_loops.h"
#include "passes/passes.h"
#include "passes/pipeline/pipeline_loads.h"
#include "passes/analysis/pressure.h"

enum { MIN_REGISTERS = 16 }; // of a tile that is worth it

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
  op_set_attr(wait, (Attr){.key = ATTR_PENDING, .i = 0});
  op_erase(store);
  op_erase(load);
  return true;
}

typedef struct Copier {
  PassContext *context;
  Func *func;
  const uint32_t *alive; // func_alive
  uint32_t room;         // a thread's registers for tiles
  bool changed;
} Copier;

// Registers for each vector's address. If a mask can end within a vector, also for how much of it is read.
static uint32_t address_registers(const Op *load) {
  uint32_t vectors = layout_registers(op_result(load)->type->layout) / (uint32_t)op_int(load, ATTR_VECTOR, 1);
  return vectors * (op_attr(load, ATTR_PARTIAL) ? 3 : 2);
}

static void visit_load(Copier *c, Op *load) {
  if (!type_is_tile(op_result(load)->type) || op_scratch(load)) return;
  uint32_t words = tile_words(op_result(load)->type);
  if (words < MIN_REGISTERS || c->alive[load->id] + address_registers(load) <= c->room) return;
  if (!load_is_copyable(load)) return;
  Op *store = store_of(load);
  Loc loc = load->loc;
  if (!store || !is_behind_copies(load) || !copy_instead(c->func, load, store)) return;
  diag_remark(c->context->diags, loc, "copy_late",
              "%u registers of loads are copied straight to shared memory", words);
  c->changed = true;
}

// Backwards, because a load's store is erased with it.
static void visit_region(Copier *c, Region *region) {
  for (Op *op = region->last, *prev; op; op = prev) {
    prev = op->prev;
    for (uint32_t r = 0; r < op->region_count; r++) visit_region(c, op->regions[r]);
    if (op->kind == OP_LOAD) visit_load(c, op);
  }
}

bool pass_copy_late(PassContext *context, Func *func) {
  uint32_t registers = func_thread_registers(func), most = TUNE_BLOCKS_RESERVED_REGISTERS;
  if (!func->module->target.arch->has_cp_async || registers <= most) return false;
  Copier c = {.context = context, .func = func, .room = registers - most};
  c.alive = func_alive(context->scratch, func);
  visit_region(&c, func->body);
  return c.changed;
}
