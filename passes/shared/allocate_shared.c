// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// allocate_shared: gives every buffer in shared memory its offset. Buffers that are never alive together share bytes.
//
// before  %s = shared_alloc : shared<256xi32, #s>
// after   %s = shared_alloc {offset = 1024} : shared<256xi32, #s>
//
// needs   every buffer made explicit (promote_shared, pipeline)
// keeps   every value
// breaks  nothing. place_barriers must come later. It orders uses of the same bytes
// pays    shared memory holds only the buffers that are alive together
//
// A buffer is alive from its alloc to its last use, in program order. There are additions to this:
// * Uses in a loop that does not contain the alloc last to the loop's end.
// * Uses by copies last to the last copy wait, unless each copy is waited for at once. Reads by TMA stores last to the
//   next store wait.
// * Slots of a ring last to the ring's last use, and its mbarriers to the kernel's end, as those of tensor memory do.
// * Uses by asynchronous dots last to the next dot wait.
// * A small buffer of an exchange, or of an operand that goes to registers, lasts to the store of the next one. The
//   next one then takes other bytes, so no barrier is needed between them.
// * Groups of warps run at the same time. A buffer that several groups use is alive as long as they run. A buffer of
//   one group is alive together with all buffers of another.
// * Slots that TMA copies of another group fill are free after the last use in the first group. It has waited for all
//   copies then.
//
// The largest buffers are placed first, each at the lowest offset that the buffers alive with it allow.
#include "base/integer.h"
#include "ir/dot/dot.h"
#include "ir/memory/groups.h"
#include "ir/memory/scratch.h"
#include "target/tuning.h"
#include "passes/passes.h"
#include "passes/analysis/rings.h"
#include "passes/analysis/shared_buffers.h"

enum { DOT_ALIGN = 1024 }; // Matrix descriptors with the widest swizzle need it.

typedef struct BufferLife {
  Op *alloc;
  uint32_t begin, end; // Op ids, both inclusive.
  uint32_t bytes, align, offset;
  uint32_t group;          // The group that owns it; UINT32_MAX: made before groups, or there are none.
  uint32_t end_in_first;   // The end of its uses in the first group; 0: it has none.
  bool copied, multiplied; // Used by asynchronous ops.
  bool filled;             // Filled by TMA copies of another group than the first.
  bool stored;             // A TMA store reads it, and nothing has waited for it yet.
  bool lasts;              // It lasts to the kernel's end.
  bool exchanged;          // Only threads write and read it as a whole, by ldmatrix or each thread itself.
  bool was_read;           // Read since it was written, up to the current op.
} BufferLife;

typedef struct Allocator {
  PassContext *context;
  SharedBuffers buffers;
  BufferLife *lives;
  uint32_t count, last_copy_wait;
  VEC(uint32_t) dot_waits; // Ids, ascending.
} Allocator;

static bool is_read(const Op *op) { return op_has(op, SHARED) && !op_has(op, WRITES); }

static bool is_exchanged(const Op *alloc) {
  for (const Use *use = op_result(alloc)->first_use; use; use = use->next) {
    const Op *op = use->user;
    if (!op_has(op, SHARED) || op_attr(op, ATTR_STARTS)) return false;
  }
  return true;
}

// Extends the small buffers of earlier exchanges to this exchange's store.
static void last_to_next(Allocator *a, const Op *store) {
  for (uint32_t i = 0; i < a->count; i++) {
    BufferLife *life = &a->lives[i];
    if (life->was_read && life->bytes <= TUNE_SCRATCH_KEPT && store->id > life->end) life->end = store->id;
    life->was_read = false;
  }
}

static void note_exchange(Allocator *a, const Op *op) {
  Value *buffer = op->kind == OP_SHARED_STORE ? op_operand(op, 1) : is_read(op) ? op_operand(op, 0) : NULL;
  const uint64_t *set = buffer ? a->buffers.sets[buffer->id] : NULL;
  for (uint32_t i = 0; set && i < a->count; i++) {
    if (!set_has(set, i) || !a->lives[i].exchanged) continue;
    if (op->kind == OP_SHARED_STORE) last_to_next(a, op);
    a->lives[i].was_read = is_read(op);
  }
}

static bool is_of_later_group(uint32_t group) { return group != 0 && group != UINT32_MAX; }

// For TMA stores: the buffers that they read last to the wait.
static void last_to_wait(Allocator *a, const Op *wait) {
  for (uint32_t i = 0; i < a->count; i++) {
    BufferLife *life = &a->lives[i];
    uint32_t group = group_of(life->alloc);
    if (group != UINT32_MAX && group != group_of(wait)) continue;
    if (life->stored && wait->id > life->end) life->end = wait->id;
    life->stored = false;
  }
}

// A copy that is waited for immediately needs its buffer at no later wait.
static bool is_under_way(const Op *copy) {
  const Op *commit = copy->next, *wait = commit ? commit->next : NULL;
  if (!wait || commit->kind != OP_ASYNC_COMMIT || wait->kind != OP_ASYNC_WAIT) return true;
  return op_int(wait, ATTR_PENDING, 0) != 0;
}

static void note_use(Allocator *a, Op *op) {
  if (op->kind == OP_TMA_STORE_WAIT && !op_int(op, ATTR_PENDING, 0)) last_to_wait(a, op);
  if (op->kind == OP_ASYNC_WAIT) a->last_copy_wait = op->id;
  if (op->kind == OP_DOT_WAIT) vec_push(a->context->scratch, &a->dot_waits, op->id);
  note_exchange(a, op);
  for (uint32_t k = 0; k < op->operand_count; k++) {
    const uint64_t *set = a->buffers.sets[op_operand(op, k)->id];
    for (uint32_t i = 0; set && i < a->count; i++) {
      if (!set_has(set, i)) continue;
      BufferLife *life = &a->lives[i];
      uint32_t end = max_u32(op_last_id(op), op_use_end(op, life->alloc->region));
      if (end > life->end) life->end = end;
      life->copied |= op->kind == OP_COPY_ASYNC && is_under_way(op);
      bool tensor = (op_copies_in(op) || op->kind == OP_TMA_STORE) && k == 1;
      if (op->kind == OP_DOT || tensor) life->align = DOT_ALIGN;
      life->stored |= op->kind == OP_TMA_STORE;
      life->lasts |= op->kind == OP_RING_BEGIN || op->kind == OP_TMEM_ALLOC;
      life->filled |= op_copies_in(op) && k == 1 && is_of_later_group(group_of(op));
      if (group_of(op) == 0 && end > life->end_in_first) life->end_in_first = end;
      if (op->kind != OP_DOT || !op_attr(op, ATTR_ASYNC)) continue;
      const Op *wait = dot_done_at(op);
      life->multiplied |= !wait;
      if (wait && wait->id > life->end) life->end = wait->id;
    }
  }
}

// The first dot wait after `id`. It waits for all dots in flight (pipeline puts it after the loop).
static uint32_t next_dot_wait(const Allocator *a, uint32_t id) {
  for (uint32_t i = 0; i < a->dot_waits.n; i++)
    if (a->dot_waits.at[i] > id) return a->dot_waits.at[i];
  return id;
}

// For buffers made before groups and used in them.
static void last_in_groups(const Allocator *a, BufferLife *life, const Op *groups) {
  life->group = group_of(life->alloc);
  if (life->group != UINT32_MAX || life->end < groups->id) return;
  life->end = op_last_id(groups);
  if (!life->filled || !life->end_in_first) return;
  life->end = life->multiplied ? next_dot_wait(a, life->end_in_first) : life->end_in_first;
}

static void find_lives(Allocator *a, Func *func) {
  const Op *groups = func_groups(func);
  a->count = a->buffers.allocs.n;
  a->lives = ARENA_ARRAY(a->context->scratch, BufferLife, a->count);
  for (uint32_t i = 0; i < a->count; i++) {
    Op *alloc = a->buffers.allocs.at[i];
    a->lives[i] = (BufferLife){
        .alloc = alloc, .begin = alloc->id, .end = alloc->id, .align = SHARED_ALIGN, .group = UINT32_MAX};
    a->lives[i].exchanged = is_exchanged(alloc);
    a->lives[i].bytes = alloc_bytes(alloc);
  }
  for (OpWalk w = ops_in(func->body); ops_next(&w);) note_use(a, w.op);
  for (uint32_t i = 0; i < a->count; i++) {
    BufferLife *life = &a->lives[i];
    bool waited = ring_owns(life->alloc); // By ring_wait, before its last use.
    if (life->copied && !waited && a->last_copy_wait > life->end) life->end = a->last_copy_wait;
    if (life->multiplied) life->end = next_dot_wait(a, life->end);
    if (life->lasts) life->end = func->op_count - 1;
    if (groups) last_in_groups(a, life, groups);
  }
}

static bool alive_together(const BufferLife *a, const BufferLife *b) {
  bool at_once = a->group != UINT32_MAX && b->group != UINT32_MAX && a->group != b->group;
  // The end of a filled buffer is unknown to a group that does not read it.
  bool unread = (a->filled && is_of_later_group(b->group)) || (b->filled && is_of_later_group(a->group));
  if (at_once || unread) return true;
  return a->begin <= b->end && b->begin <= a->end;
}

// The lowest offset that the buffers placed so far leave free.
static uint32_t place_of(const BufferLife *life, BufferLife *const *placed, uint32_t n) {
  uint32_t offset = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (uint32_t i = 0; i < n; i++) {
      const BufferLife *other = placed[i];
      if (!alive_together(life, other) || other->offset >= offset + life->bytes ||
          offset >= other->offset + other->bytes)
        continue;
      offset = round_up(other->offset + other->bytes, life->align);
      moved = true;
    }
  }
  return offset;
}

// Largest first; equal sizes in program order.
static void sort_by_size(BufferLife **order, uint32_t n) {
  for (uint32_t i = 1; i < n; i++)
    for (uint32_t k = i; k > 0 && order[k - 1]->bytes < order[k]->bytes; k--) {
      BufferLife *swap = order[k];
      order[k] = order[k - 1];
      order[k - 1] = swap;
    }
}

static void report_places(const Allocator *a, Func *func, uint32_t bytes, uint32_t sum) {
  diag_remark(a->context->diags, func->loc, "allocate_shared",
              "%u bytes of shared memory for %u buffers of %u bytes in all", bytes, a->count, sum);
  for (uint32_t i = 0; i < a->count; i++) {
    const BufferLife *life = &a->lives[i];
    diag_remark(a->context->diags, life->alloc->loc, "allocate_shared",
                "%u bytes at offset %u, live for ops %u to %u", life->bytes, life->offset, life->begin,
                life->end);
  }
}

bool pass_allocate_shared(PassContext *context, Func *func) {
  Allocator a = {.context = context, .buffers = shared_buffers_find(context->scratch, func)};
  if (!a.buffers.allocs.n) return false;
  find_lives(&a, func);
  BufferLife **order = ARENA_ARRAY(context->scratch, BufferLife *, a.count);
  for (uint32_t i = 0; i < a.count; i++) order[i] = &a.lives[i];
  sort_by_size(order, a.count);
  uint32_t bytes = 0, sum = 0;
  for (uint32_t i = 0; i < a.count; i++) {
    BufferLife *life = order[i];
    life->offset = place_of(life, order, i);
    op_set_int(life->alloc, ATTR_OFFSET, life->offset);
    if (life->offset + life->bytes > bytes) bytes = life->offset + life->bytes;
    sum += life->bytes;
  }
  report_places(&a, func, bytes, sum);
  return true;
}
