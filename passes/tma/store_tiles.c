// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// store_tiles: tiles that are stored as TMA tiles go through shared memory. One thread stores them.
//
// ```
// before  %t = tma_mark %v, %out, %M, %N, %stride, 1, %m, %n {stored} : tile<128x128xfp16, #dot>
//         %u = convert_layout %t : tile<128x128xfp16, #rows>
//         store %pointers, %u, %mask
// after   %s = shared_alloc : shared<128x128xfp16, #swizzled>
//         shared_store %v, %s
//         fence_async
//         barrier
//         tma_store %out_map, %s, %m, %n
//         tma_store_commit
//         tma_store_wait {pending = 0, read}
// ```
//
// needs   layouts, and lower_block_pointers' tma_mark; runs before drop_marks
// keeps   every value; what is written where
//
// breaks  Nothing. place_barriers adds what orders the buffer's bytes, and the fence of global memory.
//
// pays    No addresses, no masks, no exchange to rows. Registers go to shared memory as the dot left them. Whole rows
//         of 32 to 128 bytes go to global memory. The buffer is live until the wait, so slots of an earlier loop share
//         its bytes.
//
// All threads of the region write the buffer, fence and meet. The first thread starts the store and waits. If the
// program does not access global memory afterwards, it waits until the buffer is read. Otherwise it waits until
// everything is written, and all threads meet again. So later ops of the program see the data. In a persistent kernel
// (plan_pipeline), the next program waits before it writes the buffer.
//
// The hardware writes whole chunks of 16 bytes, so the tensor's rows must be a multiple of that. If this is not known,
// the guard asks for it. A launch that fails the guard runs the kernel without tensor maps.
//
// Declined, with a remark:
// * the tile's rows are not rows of a TMA tile (tensor_load_find);
// * its rows are not rows of the tensor;
// * there is not enough shared memory.
#include "ir/build.h"
#include "ir/memory/groups.h"
#include "ir/layout/layout.h"
#include "ir/dot/layout_dot.h"
#include "ir/memory/scratch.h"
#include "base/integer.h"
#include "passes/tma/tensor_copies.h"

enum { KEPT_BYTES = 2048 }; // next to a buffer that replaces all others: mbarriers, exchanges

typedef struct TileStorer {
  PassContext *context;
  Func *func;
  const AxisTable *axes;
  uint64_t allocated; // bytes of all buffers
  VEC(Op *) stores;
} TileStorer;

// The mark that says which TMA tile is stored. NULL: none.
static Op *tma_mark_of(const Op *store) {
  Op *tma_mark = value_before(op_operand(store, 1), OP_CONVERT_LAYOUT)->def;
  return tma_mark && tma_mark->kind == OP_TMA_MARK && op_attr(tma_mark, ATTR_STORED) ? tma_mark : NULL;
}

// --- what comes after

static bool is_of_shared_memory(const Op *op) {
  return op_has_any(op, SHARED | GROUPED) || op->kind == OP_RING_RELEASE || op->kind == OP_MBARRIER_ARRIVE;
}

static bool is_access(const Op *op) {
  for (OpWalk w = ops_of(op); ops_next(&w);)
    if (op_has_any(w.op, READS | WRITES) && !is_of_shared_memory(w.op)) return true;
  return false;
}

// True if the program may access global memory after the store. Nothing orders what other programs do. *loops: the
// store is in a loop.
static bool is_followed(const Op *store, bool *loops) {
  bool followed = false;
  *loops = false;
  for (const Op *at = store; at && at->kind != OP_WARP_GROUPS; at = at->region->parent) {
    *loops |= op_is_loop(at);
    if (op_attr(at, ATTR_PROGRAMS)) break;
    followed |= op_is_loop(at);
    for (Op *op = at->next; op && !followed; op = op->next) followed = is_access(op);
  }
  return followed;
}

// --- whole chunks

static Value *whole_rows(Builder *b, Func *func, const HostRegion *guard, Value *size, uint32_t bytes) {
  const Type *wide = type_scalar(func->module->ir, ELEM_I64);
  CloneMap map = clone_map_new(b->func->module->ir->arena, func);
  for (uint32_t i = 0; i < guard->region->arg_count; i++)
    clone_set(&map, func->body->args[i], guard->region->args[i]);
  Value *count = build_cast(b, host_clone(b, &map, size), wide);
  Value *rest = build_binary(b, OP_REM, count, build_int(b, wide, TENSOR_COPY_BYTES / bytes));
  return build_binary(b, OP_EQ, rest, build_int(b, wide, 0));
}

// Ensures that the tensor's rows are a multiple of 16 bytes: it is known, or the guard requires it.
static void need_whole_rows(const TileStorer *s, const TensorLoad *found) {
  Func *func = s->func;
  Value *size = op_operand(found->tma_mark, 2 + tma_mark_dim(found->tma_mark, found->inner));
  uint32_t bytes = elem_bytes(found->slot->elem);
  if (axis_info(s->axes, size)->divisibility[0] * bytes % TENSOR_COPY_BYTES == 0) return;
  const HostRegion *guard = func_host(func, HOST_GUARD, NULL);
  if (!guard) {
    guard = func_new_host(func, HOST_GUARD, NULL);
    Builder b = builder_inside(guard->region, found->tma_mark->loc);
    Value *holds = whole_rows(&b, func, guard, size, bytes);
    build_yield(&b, 1, &holds);
    return;
  }
  Op *yield = guard->region->last;
  Builder b = builder_before(yield);
  op_set_operand(yield, 0,
                 build_binary(&b, OP_AND, op_operand(yield, 0), whole_rows(&b, func, guard, size, bytes)));
}

// --- the store

static const Type *buffer_type(IrContext *ir, const Type *tile) {
  uint32_t row_bytes;
  Layout layout;
  if (tile->rank != 2 || !layout_wgmma_shared(log2_of(tile->shape[0]), log2_of(tile->shape[1]),
                                              log2_of(elem_bytes(tile->elem)), 1, &layout, &row_bytes))
    return NULL;
  return type_shared(ir, tile->elem, 2, tile->shape, layout_intern(ir, &layout));
}

// Shared memory of conversions that only the store needs.
static uint64_t freed_bytes(const Op *store) {
  uint64_t bytes = 0;
  const Op *op = store;
  for (uint32_t k = 1;; k = 0) {
    const Value *value = op_operand(op, k);
    op = value->def;
    if (!op || !value_single_use(value)) return bytes;
    if (op->kind != OP_CONVERT_LAYOUT && op->kind != OP_TMA_MARK && !op_has(op, CONVERTS)) return bytes;
    const Value *scratch = op_scratch(op);
    if (scratch) bytes += shared_bytes(scratch->type);
  }
}

static const char *why_not(const TileStorer *s, const Op *store, const Op *tma_mark, bool loops,
                           TensorLoad *found) {
  const Type *buffer = buffer_type(s->func->module->ir, op_result(tma_mark)->type);
  if (!buffer) return "its rows are not those of TMA tiles";
  const char *why = tensor_load_find(s->func, s->axes, tma_mark, buffer, found);
  if (why) return why;
  if (found->inner + 1 != buffer->rank) return "its rows are columns of the tensor";
  uint64_t beside = loops ? s->allocated - freed_bytes(store) : 0;
  if (beside + shared_bytes(buffer) + KEPT_BYTES > s->func->module->target.arch->shared_limit)
    return "there is not enough shared memory";
  return NULL;
}

// The tile in the layout in which it was computed. A cast after a conversion is done in that layout too.
static Value *computed(Builder *b, Value *value) {
  value = value_before(value, OP_CONVERT_LAYOUT);
  const Op *cast = value->def;
  if (!cast || cast->kind != OP_CAST) return value;
  Value *from = value_before(op_operand(cast, 0), OP_CONVERT_LAYOUT);
  if (from == op_operand(cast, 0)) return value;
  value = build(b, OP_CAST, type_with_layout(b->func->module->ir, value->type, from->type->layout), from,
                NULL, NULL);
  op_copy_attrs(value->def, cast);
  return value;
}

static void build_wait(Builder *b, bool read) {
  Op *wait = build_op(b, OP_TMA_STORE_WAIT, 0, NULL, 0, NULL);
  op_set_int(wait, ATTR_PENDING, 0);
  op_set_flag(wait, ATTR_READ, read);
}

// The loop over programs, if the store may be its last access of memory: the next program waits for it. NULL: none.
static Op *programs_of(const Op *store, bool followed) {
  Op *loop = store->region->parent;
  return !followed && loop && op_attr(loop, ATTR_PROGRAMS) ? loop : NULL;
}

// Allocates the buffer. If it is read while the next program runs, it shares no bytes with what that program writes.
static Value *build_buffer(const Builder *b, Op *programs, const Type *type) {
  Builder before = programs ? builder_before(programs) : *b;
  before.loc = b->loc;
  return build(&before, OP_SHARED_ALLOC, type, NULL, NULL, NULL);
}

static void wait_for_store(Builder *b, Op *programs, bool followed) {
  Builder behind = programs ? builder_after(programs) : *b;
  behind.loc = b->loc;
  build_wait(&behind, !followed);
  if (followed) group_name_barrier(build_op(b, OP_BARRIER, 0, NULL, 0, NULL));
}

static void store_tile(TileStorer *s, Op *store, const Op *tma_mark, const TensorLoad *found, bool followed) {
  Op *programs = programs_of(store, followed);
  need_whole_rows(s, found);
  Value *map = tensor_map_of(s->context, s->func, found);
  Builder b = builder_before(store);
  Value *tile = computed(&b, op_operand(tma_mark, 0));
  Value *buffer = build_buffer(&b, programs, found->slot);
  if (programs) build_wait(&b, true);
  build_op(&b, OP_SHARED_STORE, 2, (Value *[]){tile, buffer}, 0, NULL);
  build_op(&b, OP_FENCE_ASYNC, 0, NULL, 0, NULL);
  group_name_barrier(build_op(&b, OP_BARRIER, 0, NULL, 0, NULL));
  Value *operands[2 + TENSOR_MAP_MAX_RANK] = {map, buffer};
  uint32_t rank = tensor_coordinates_of(&b, found, NULL, operands + 2);
  build_op(&b, OP_TMA_STORE, 2 + rank, operands, 0, NULL);
  build_op(&b, OP_TMA_STORE_COMMIT, 0, NULL, 0, NULL);
  wait_for_store(&b, programs, followed);
  diag_remark(s->context->diags, store->loc, "store_tiles",
              "a tile of %u by %u elements by a TMA store, through %u bytes of shared memory",
              found->slot->shape[0], found->slot->shape[1], shared_bytes(found->slot));
  s->allocated += shared_bytes(found->slot);
  op_erase(store);
}

bool pass_store_tiles(PassContext *context, Func *func) {
  TileStorer s = {.context = context, .func = func};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) {
    if (w.op->kind == OP_SHARED_ALLOC) s.allocated += alloc_bytes(w.op);
    if (w.op->kind == OP_STORE && tma_mark_of(w.op)) vec_push(context->scratch, &s.stores, w.op);
  }
  if (!s.stores.n) return false;
  s.axes = axis_analyse(context->scratch, func);
  for (uint32_t i = 0; i < s.stores.n; i++) {
    Op *store = s.stores.at[i], *tma_mark = tma_mark_of(store);
    bool loops, followed = is_followed(store, &loops);
    TensorLoad found;
    const char *why = why_not(&s, store, tma_mark, loops, &found);
    if (why)
      diag_remark(context->diags, store->loc, "store_tiles", "no TMA store: %s", why);
    else
      store_tile(&s, store, tma_mark, &found, followed);
  }
  return true;
}
