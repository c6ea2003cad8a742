// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of place_barriers: pairs of accesses that must be ordered.
//
// In shared memory, accesses to the same bytes must be ordered. Parts of one buffer at constant starts that do not
// overlap need no order. In global memory, accesses to tiles of one shape must be ordered if different threads hold
// their elements. Either several warps hold them, or the two accesses distribute them differently.
#include "base/integer.h"
#include "ir/dot/dot.h"
#include "ir/memory/access.h"
#include "ir/memory/atomic.h"
#include "ir/memory/scratch.h"
#include "ir/memory/buffer_name.h"
#include "passes/shared/barriers.h"

#include <string.h>

// --- places in shared memory

static uint32_t begin_of(const Op *alloc) { return (uint32_t)op_int(alloc, ATTR_OFFSET, 0); }

static bool share_bytes(const Op *a, const Op *b) {
  if (a == b) return true;
  if (!op_attr(a, ATTR_OFFSET) || !op_attr(b, ATTR_OFFSET)) return false;
  uint32_t a_end = begin_of(a) + alloc_bytes(a);
  uint32_t b_end = begin_of(b) + alloc_bytes(b);
  return begin_of(a) < b_end && begin_of(b) < a_end;
}

static bool parts_meet(const BufferPart *a, const BufferPart *b) {
  for (uint32_t d = 0; a->starts && b->starts && d < a->shape->rank; d++) {
    int64_t a_begin = a->starts->ints.at[d], b_begin = b->starts->ints.at[d];
    if (a_begin + a->shape->shape[d] <= b_begin || b_begin + b->shape->shape[d] <= a_begin) return false;
  }
  return true;
}

static bool parts_overlap(const Placer *p, const BufferPart *a, const BufferPart *b) {
  if (a->alloc == b->alloc) return parts_meet(a, b);
  return share_bytes(p->buffers.allocs.at[a->alloc], p->buffers.allocs.at[b->alloc]);
}

// The part that a store or load names; starts NULL: it names no part of a buffer.
static BufferPart named_part(const Placer *p, const Op *op) {
  BufferPart part = {0};
  if (op->kind != OP_SHARED_STORE && op->kind != OP_SHARED_LOAD) return part;
  const Value *buffer = op_operand(op, op->kind == OP_SHARED_STORE);
  if (!op_attr(op, ATTR_STARTS) || !buffer->def || buffer->def->kind != OP_SHARED_ALLOC) return part;
  part.starts = op_attr(op, ATTR_STARTS);
  part.shape = op->kind == OP_SHARED_STORE ? op_operand(op, 0)->type : op_result(op)->type;
  while (p->buffers.allocs.at[part.alloc] != buffer->def) part.alloc++;
  return part;
}

static bool same_part(const BufferPart *a, const BufferPart *b) {
  if (a->alloc != b->alloc || !a->starts || !b->starts || !type_same_shape(a->shape, b->shape)) return false;
  return memcmp(a->starts->ints.at, b->starts->ints.at, a->starts->ints.n * sizeof *a->starts->ints.at) == 0;
}

static uint32_t part_number(const Placer *p, const BufferPart *part) {
  uint32_t i = p->buffers.allocs.n;
  while (i < p->parts.n && !same_part(&p->parts.at[i], part)) i++;
  return i;
}

static void note_part(Placer *p, Op *op) {
  BufferPart part = named_part(p, op);
  if (part.starts && part_number(p, &part) == p->parts.n) vec_push(p->context->scratch, &p->parts, part);
}

// --- kinds of global access

static bool is_once(const Op *op) {
  if (op->kind == OP_STORE) return true;
  return op->kind == OP_LOAD && !op_attr(op, ATTR_VOLATILE) && access_is_for_holders(op_result(op));
}

static AccessKind kind_made(const Placer *p, const Op *op) {
  const Value *pointer = op_operand(op, 0);
  bool tile = type_is_tile(pointer->type);
  bool apart = p->func->module->target.restrict_pointers && (op->kind == OP_LOAD || op->kind == OP_STORE);
  return (AccessKind){tile ? pointer->type : NULL, tile && is_once(op), apart ? pointer_param(pointer) : -1};
}

static bool same_kind(const AccessKind *a, const AccessKind *b) {
  if (a->once != b->once || a->param != b->param) return false;
  if (!a->type || !b->type) return a->type == b->type;
  return type_same_shape(a->type, b->type) && a->type->layout == b->type->layout;
}

static uint32_t kind_of(const Placer *p, const Op *op) {
  AccessKind kind = kind_made(p, op);
  uint32_t i = 0;
  while (i < p->kinds.n && !same_kind(&p->kinds.at[i], &kind)) i++;
  return i;
}

static void note_kind(Placer *p, Op *op) {
  if (op_has(op, GLOBAL) && kind_of(p, op) == p->kinds.n)
    vec_push(p->context->scratch, &p->kinds, kind_made(p, op));
}

static bool held_by_warps(const Placer *p, const Type *type) {
  if (!type) return func_warps(p->func) > 1;
  uint32_t free_bits[DIM_COUNT];
  layout_free_bits(type->layout, free_bits);
  return free_bits[DIM_WARP] != 0;
}

// Returns true if an element of one access may belong to another thread in the other access, which writes it. If
// several threads hold an element, the first one writes it, and all read it unless the access is made once. So two
// writes in one layout are by the same thread.
static bool kinds_clash(const Placer *p, const AccessKind *x, const AccessKind *y, bool both_write) {
  const Type *a = x->type, *b = y->type;
  bool once = x->once && y->once;
  if (x->param >= 0 && y->param >= 0 && x->param != y->param) return false;
  if (!a && !b) return !both_write && held_by_warps(p, a);
  if (!a || !b || !type_same_shape(a, b) || !a->layout || !b->layout) return false;
  if (a->layout == b->layout) return !both_write && !once && held_by_warps(p, a);
  return held_by_warps(p, a) || held_by_warps(p, b) ||
         layout_conversion(a->layout, b->layout) > CONVERT_REGISTERS;
}

// --- accesses that a release covers

static void note_written(Placer *p, Op *op) {
  if (!op_writes_global(op) || atomic_is_load(op)) return;
  int32_t origin = op->kind == OP_TMA_STORE ? -1 : pointer_param(op_operand(op, 0));
  p->writes_anywhere |= origin < 0;
  if (origin >= 0) vec_push(p->context->scratch, &p->written, origin);
}

// Returns true if the kernel may write the memory that the op reads. Arguments that it never writes are never part of a
// protocol between its programs.
static bool reads_written(const Placer *p, const Op *op) {
  int32_t origin = pointer_param(op_operand(op, 0));
  bool written = p->writes_anywhere || (origin < 0 && p->written.n);
  for (uint32_t i = 0; i < p->written.n; i++) written |= p->written.at[i] == origin;
  return written;
}

// Returns true if other warps than the first take part. The first holder of an element makes its writes.
static bool is_of_other_warps(const Op *op, bool writes) {
  const Type *type = op_operand(op, 0)->type;
  uint32_t warps = region_warps(op);
  if (warps == 1 || !writes || (type_is_tile(type) && !type->layout)) return warps > 1;
  if (!type_is_tile(type)) return false;
  uint32_t free_bits[DIM_COUNT];
  layout_free_bits(type->layout, free_bits);
  return (free_bits[DIM_WARP] & (warps - 1)) != warps - 1;
}

static bool is_unreleased(const Placer *p, const Op *op) {
  bool writes = op_writes_global(op) && !atomic_is_load(op);
  return is_of_other_warps(op, writes) && (writes || reads_written(p, op));
}

// --- memory that an op touches

static void add_place(const Placer *p, TouchedPlaces *access, uint32_t place) {
  if (!access->own) *access = (TouchedPlaces){set_new(p), set_new(p)};
  uint32_t alloc = p->parts.at[place].alloc;
  set_add(access->own, place);
  for (uint32_t w = 0; w < p->words; w++) access->others[w] |= p->overlaps[place][w];
  if (ring_owns(p->buffers.allocs.at[alloc])) access->others[place / 64] &= ~(UINT64_C(1) << place % 64);
}

static void add_buffers(const Placer *p, TouchedPlaces *access, const Value *value) {
  const uint64_t *set = p->buffers.sets[value->id];
  for (uint32_t i = 0; i < p->buffers.allocs.n; i++)
    if (set_has(set, i)) add_place(p, access, i);
}

static void add_move(const Placer *p, TouchedPlaces *access, const Op *op) {
  BufferPart part = named_part(p, op);
  if (part.starts)
    add_place(p, access, part_number(p, &part));
  else
    add_buffers(p, access, op_operand(op, op->kind == OP_SHARED_STORE));
}

// An operand that goes through registers is read at once by the threads themselves.
static void touch_dot(const Placer *p, TouchedMemory *t, const Op *op) {
  static const AttrKey anchors[2] = {ATTR_ANCHOR_A, ATTR_ANCHOR_B};
  bool proxy = dot_instruction_info(dot_instruction(op))->is_async;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (!dot_is_factor(i)) continue;
    add_buffers(p, &t->reads, op_operand(op, i));
    if (proxy && (i >= 2 || !op_attr(op, anchors[i]))) add_buffers(p, &t->dots, op_operand(op, i));
  }
}

static void note_ring_places(const Placer *p, const Op *op) {
  uint32_t ring = p->rings.of[op_operand(op, 0)->id];
  uint64_t *places = p->ring_places[ring];
  const Value *mbarriers = op_operand(p->rings.begins.at[ring], 0);
  for (uint32_t i = 1; i < op->operand_count; i++)
    if (op_operand(op, i) != mbarriers)
      set_unite(places, p->buffers.sets[op_operand(op, i)->id], p->buffers.words);
}

// The mbarriers of a ring: its ring_begin writes them, and its waits read them.
static void add_mbarriers(const Placer *p, TouchedPlaces *access, const Value *mbarriers) {
  add_buffers(p, access, mbarriers);
  set_unite(access->others, access->own, p->words);
}

static void touch_wait(const Placer *p, TouchedMemory *t, const Op *op) {
  const Op *begin = p->rings.begins.at[p->rings.of[op_operand(op, 0)->id]];
  if (begin->operand_count) add_mbarriers(p, &t->reads, op_operand(begin, 0));
}

static void note_touch(Placer *p, Op *op) {
  TouchedMemory *t = &p->touches[op->id];
  if (op->kind == OP_RING_FILL || op->kind == OP_RING_WAIT) note_ring_places(p, op);
  if (op->kind == OP_SHARED_STORE) add_move(p, &t->writes, op);
  if (op->kind == OP_SHARED_LOAD) add_move(p, &t->reads, op);
  if (op->kind == OP_SHARED_GATHER) add_buffers(p, &t->reads, op_operand(op, 0));
  if (op->kind == OP_SHARED_COUNT) {
    add_buffers(p, &t->reads, op_operand(op, 1));
    add_buffers(p, &t->writes, op_operand(op, 1));
  }
  if (op->kind == OP_COPY_ASYNC) add_buffers(p, &t->copies, op_operand(op, 1));
  if (op_copies_in(op)) add_buffers(p, &t->tensors, op_operand(op, 1));
  if (op->kind == OP_TMA_STORE) add_buffers(p, &t->stores, op_operand(op, 1));
  if (op->kind == OP_RING_BEGIN && op->operand_count) add_mbarriers(p, &t->writes, op_operand(op, 0));
  if (op->kind == OP_RING_WAIT) touch_wait(p, t, op);
  if (op->kind == OP_DOT) touch_dot(p, t, op);
  if (!op_has(op, GLOBAL)) return;
  const Op *view = op->kind == OP_COPY_ASYNC ? ring_view_source(op_operand(op, 1)) : NULL;
  t->global = kind_of(p, op);
  t->reads_global = op_has(op, READS);
  t->through_ring = view != NULL;
  t->unreleased = is_unreleased(p, op);
  t->writes_global = op_writes_global(op);
  if (view) set_add(p->ring_kinds[p->rings.of[op_operand(view, 0)->id]], t->global);
}

const TouchedMemory *barrier_touch(const Placer *p, const Op *op) {
  return op_has_any(op, READS | WRITES) || op->kind == OP_DOT ? &p->touches[op->id] : NULL;
}

static uint64_t **make_sets(const Placer *p, uint32_t n) {
  uint64_t **sets = ARENA_ARRAY(p->context->scratch, uint64_t *, n);
  for (uint32_t i = 0; i < n; i++) sets[i] = set_new(p);
  return sets;
}

void barrier_places_find(Placer *p) {
  Arena *arena = p->context->scratch;
  for (uint32_t i = 0; i < p->buffers.allocs.n; i++)
    vec_push(arena, &p->parts, ((BufferPart){i, NULL, NULL}));
  for (OpWalk w = ops_in(p->func->body); ops_next(&w);) note_part(p, w.op);
  vec_push(arena, &p->kinds, ((AccessKind){NULL, false, -1}));
  for (OpWalk w = ops_in(p->func->body); ops_next(&w);) note_kind(p, w.op);
  uint32_t n = p->parts.n, most = max_u32(n, p->kinds.n);
  p->words = most / 64 + 1;
  p->overlaps = make_sets(p, n);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < n; k++)
      if (parts_overlap(p, &p->parts.at[i], &p->parts.at[k])) set_add(p->overlaps[i], k);
  p->clashes = make_sets(p, p->kinds.n);
  p->overwrites = make_sets(p, p->kinds.n);
  for (uint32_t i = 0; i < p->kinds.n; i++)
    for (uint32_t k = 0; k < p->kinds.n; k++) {
      const AccessKind *a = &p->kinds.at[i], *b = &p->kinds.at[k];
      if (kinds_clash(p, a, b, false)) set_add(p->clashes[i], k);
      if (kinds_clash(p, a, b, true)) set_add(p->overwrites[i], k);
    }
  p->ring_kinds = make_sets(p, p->rings.begins.n);
  p->ring_places = make_sets(p, p->rings.begins.n);
  p->touches = ARENA_ARRAY(arena, TouchedMemory, p->func->op_count);
  for (OpWalk w = ops_in(p->func->body); ops_next(&w);) note_written(p, w.op);
  for (OpWalk w = ops_in(p->func->body); ops_next(&w);) note_touch(p, w.op);
}
