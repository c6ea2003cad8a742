// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sums of tcgen05 dots in tensor memory.
//
// ```
// before  %r = for ... %zeros do (%i, %s: tile<128x64xfp32, #l>) {
//           %d0 = dot %a, %b, %s {instruction = "tcgen05", async}
//           %d = dot_wait %d0 {pending = 0}
//           yield %d
//         }
// after   mbarrier_init %m
//         %t = tmem_alloc %address, %m : tmem<128x64xfp32>           at the start of the kernel
//         ...
//         %t0 = tmem_store %zeros, %t
//         barrier
//         %u = for ... %t0 do (%i, %s: tmem<128x64xfp32>) {
//           %d0 = dot %a, %b, %s {instruction = "tcgen05", async}
//           %d = dot_wait %d0 {pending = 0}
//           yield %d
//         }
//         %r = tmem_load %u
//         ...
//         barrier
//         tmem_dealloc %t                                            before the return
// ```
//
// A dot that begins at zero, outside of loops, needs no store: it ignores what is there (fresh). A loop whose sums begin
// with those of the loop before takes them in tensor memory.
//
// The barrier after the store also ends the reads of the accumulator that was there before.
//
// Chained dots in a loop have two accumulators (tmem_slot). Sums that begin at zero are read right after their dot:
//
// ```
// before  for ... %zeros do (%i, %o: tile) { %s = dot %q, %k, %zero; ...; %x = mul %o, %f; %d = dot %p, %v, %x; yield %d }
// after   for ... %t0 do (%i, %o: tmem) {
//           %u = tmem_slot %t, 1; barrier; %s0 = dot %q, %k, %u, true; dot_wait; %s = tmem_load %s0
//           %q = tmem_slot %t, 1; %p1 = tmem_store %p, %q                        (a has its columns after that)
//           %l = tmem_load %o; %x = mul %l, %f; %o1 = tmem_store %x, %o; barrier; %d = dot %p1, %v, %o1; dot_wait; yield %d
//         }
// ```
#include "passes/shared/promote_dot.h"

#include "base/integer.h"
#include "ir/build.h"
#include "ir/dot/layout_dot.h"
#include "ir/memory/scratch.h"
#include "passes/layouts/choose_dot.h"

enum { MBARRIERS = 2 }; // One dot may be in flight while the next one begins.

typedef struct TmemPromoter {
  Func *func;
  Value *tmem;      // The result of tmem_alloc; NULL: there is none yet.
  const Type *type; // Its type: that of the accumulator with the most columns.
  uint32_t scale_columns, slots;
} TmemPromoter;

// --- allocation

static Value *alloc_i64(const TmemPromoter *p, Builder *b, uint32_t n) {
  return build(b, OP_SHARED_ALLOC, shared_in_order(p->func->module->ir, ELEM_I64, 1, &n), NULL, NULL, NULL);
}

static Value *tensor_memory(TmemPromoter *p) {
  if (p->tmem) return p->tmem;
  Builder b = builder_before(p->func->body->first), end = builder_before(p->func->body->last);
  b.loc = end.loc = p->func->loc;
  Value *address = alloc_i64(p, &b, 1), *mbarriers = alloc_i64(p, &b, MBARRIERS);
  build_op(&b, OP_MBARRIER_INIT, 1, &mbarriers, 0, NULL);
  p->tmem = build(&b, OP_TMEM_ALLOC, p->type, address, mbarriers, NULL);
  if (p->slots > 1) op_set_int(p->tmem->def, ATTR_SLOTS, p->slots);
  if (p->scale_columns) op_set_int(p->tmem->def, ATTR_SCALE_COLUMNS, p->scale_columns);
  build_op(&end, OP_BARRIER, 0, NULL, 0, NULL);
  build_op(&end, OP_TMEM_DEALLOC, 1, &p->tmem, 0, NULL);
  return p->tmem;
}

// Accumulator `number`, undefined.
static Value *accumulator(TmemPromoter *p, Builder *b, const Type *type, uint32_t number) {
  Value *tmem = tensor_memory(p);
  if (number == 0 && type == p->type) return tmem;
  Value *index = build_int(b, type_scalar(p->func->module->ir, ELEM_I32), number);
  return build(b, OP_TMEM_SLOT, type, tmem, index, NULL);
}

static const Type *tmem_of(const TmemPromoter *p, const Type *tile) {
  return type_tmem(p->func->module->ir, type_element(tile)->elem, tile->rank, tile->shape);
}

// --- the sums of dots that follow one another

static bool adds(const Op *op, const Value *sum) {
  return op && is_dot_of(op, DOT_TCGEN05) && op_operand(op, 2) == sum;
}

// The next value of the same sums: after a wait, or a dot that adds to them. NULL: something else uses the value.
static Value *next_sum(const Value *sum) {
  const Use *use = value_single_use(sum);
  Op *user = use ? use->user : NULL;
  if (!user || user->region != sum->def->region) return NULL;
  if (user->kind == OP_DOT_WAIT) {
    uint32_t i = (uint32_t)(use - user->operands);
    return i < user->result_count ? &user->results[i] : NULL;
  }
  return adds(user, sum) ? op_result(user) : NULL;
}

static bool is_first(const Op *dot) {
  const Value *sum = op_operand(dot, 2);
  if (!sum->def || !value_single_use(sum) || sum->def->region != dot->region) return true;
  if (sum->def->kind == OP_DOT_WAIT) sum = op_operand(sum->def, sum->index);
  return !sum->def || !is_dot_of(sum->def, DOT_TCGEN05) || sum->def->region != dot->region;
}

// The loop that only carries the sums from its last dot to the first. NULL: there is none.
static Op *carrier_of(const Op *first, const Value *last) {
  const Value *sum = op_operand(first, 2);
  const Use *use = value_single_use(last);
  Op *loop = sum->def ? NULL : sum->region->parent;
  if (!loop || loop->kind != OP_FOR || sum->region != first->region || sum->index == 0) return NULL;
  bool yielded = use && use == &sum->region->last->operands[sum->index - 1];
  return yielded && value_single_use(sum) ? loop : NULL;
}

// Gives the sums their type, from the first dot on. Returns the last value.
static Value *retype(Op *first, const Type *type) {
  Value *last = op_result(first);
  for (Value *sum = last; sum; sum = next_sum(sum)) {
    sum->type = type;
    if (is_dot_of(sum->def, DOT_TCGEN05)) op_remove_attr(sum->def, ATTR_ANCHOR);
    last = sum;
  }
  return last;
}

static Value *last_sum(Op *first) {
  Value *last = op_result(first);
  while (next_sum(last)) last = next_sum(last);
  return last;
}

// --- into and out of tensor memory

// The state of tensor memory that holds this tile, with nothing between its load and `to` that may change it. NULL.
static Value *still_there(const Value *tile, const Op *to) {
  Op *load = tile->def;
  if (!load || load->kind != OP_TMEM_LOAD || load->region != to->region || !value_single_use(tile))
    return NULL;
  for (const Op *op = load->next; op != to; op = op->next)
    if (!op || op->region_count || op->kind == OP_DOT) return NULL;
  return op_operand(load, 0);
}

// Puts the initial sums there before the op.
static Value *enter(TmemPromoter *p, Op *before, Value *init, const Type *type) {
  Value *state = still_there(init, before);
  if (state) {
    Op *load = init->def;
    value_replace_uses(init, state);
    op_set_operand(load, 0, tensor_memory(p)); // It is erased: nothing uses its result.
    op_erase(load);
    return state;
  }
  Builder b = builder_before(before);
  state = build(&b, OP_TMEM_STORE, type, init, accumulator(p, &b, type, 0), NULL);
  build_op(&b, OP_BARRIER, 0, NULL, 0, NULL);
  return state;
}

static void leave(Value *state, const Type *tile, Op *after) {
  if (value_unused(state)) return;
  Builder b = builder_after(after);
  b.loc = after->loc;
  Value *load = build(&b, OP_TMEM_LOAD, tile, NULL, NULL, NULL);
  value_replace_uses(state, load);
  op_add_operand(load->def, state);
}

static void begin_at_zero(TmemPromoter *p, Op *first, const Type *type, uint32_t number) {
  Builder b = builder_before(first);
  Value *fresh = build_int(&b, type_scalar(p->func->module->ir, ELEM_I1), 1);
  op_set_operand(first, DOT_SUM, accumulator(p, &b, type, number));
  build_op(&b, OP_BARRIER, 0, NULL, 0, NULL);
  if (dot_is_scaled(first))
    op_set_operand(first, DOT_FRESH, fresh);
  else
    op_add_operand(first, fresh);
}

// Sums of chained dots that begin at zero in a loop.
static bool passes(const Op *first) {
  return first->region->parent && op_is_loop(first->region->parent) &&
         value_is_zero(op_operand(first, DOT_SUM));
}

// True if the last sums that begin at zero before the dot were read before the operand is computed, and have room for it.
static bool has_place(const Op *dot, const Value *a) {
  Op *sums = NULL;
  for (Op *op = dot->region->first; op != dot; op = op->next)
    if (is_dot_of(op, DOT_TCGEN05) && passes(op)) sums = op;
  return sums && op_precedes(last_sum(sums)->def, a->def) &&
         tmem_columns(a->type) <= tmem_columns(op_result(sums)->type);
}

// Four warps write the operand over sums. Each has read those of its lanes. More warps divide the lanes' columns, and
// would write over sums that others still read.
bool promotes_to_tmem(const Op *dot) {
  const Value *a = op_operand(dot, DOT_A);
  const Type *type = a->type;
  if (!is_dot_of(dot, DOT_TCGEN05) || passes(dot) || !op_enclosing_loop(dot) || !type_is_tile(type))
    return false;
  if (!elem_is_half(type_element(type)->elem) || type->shape[0] < 1u << TMEM_LANE_BITS) return false;
  DotShape shape = {.m = log2_of(type->shape[0]), .n = log2_of(type->shape[1])};
  DotWarps warps = {.m = 2};
  if (region_warp_bits(dot) != warps.m || shape.n < 4) return false;
  Layout rows = layout_tcgen05_rows(&shape, &warps);
  return layout_equal(&rows, type->layout) && value_single_use(a) && a->def &&
         a->def->region == dot->region && dot_operand_is_computed(a) && has_place(dot, a);
}

// The operand takes the columns of sums that were read before it was computed.
static void promote_operand(TmemPromoter *p, Op *dot) {
  Value *a = op_operand(dot, DOT_A);
  if (!type_is_tile(a->type)) return;
  Builder b = builder_after(a->def);
  b.loc = dot->loc;
  const Type *type = tmem_of(p, a->type);
  Value *place = accumulator(p, &b, type, 1);
  op_set_operand(dot, DOT_A, build(&b, OP_TMEM_STORE, type, a, place, NULL));
  op_remove_attr(dot, ATTR_SHARED_A);
  if (dot->prev->kind == OP_BARRIER) return; // after rescaled sums
  b = builder_before(dot);
  build_op(&b, OP_BARRIER, 0, NULL, 0, NULL);
}

// The loop carries the sums in tensor memory. `op` and those after it compute those of the dot.
static void carry_rescaled(TmemPromoter *p, Op *first, Op *op, uint32_t i, const Type *tile,
                           const Type *type) {
  Op *loop = first->region->parent;
  Value *carried = loop_carried(loop, i);
  Builder b = builder_before(first);
  b.loc = first->loc;
  op_set_operand(loop, LOOP_FIRST_INIT + i, enter(p, loop, loop_init(loop, i), type));
  carried->type = loop->results[i].type = type;
  Value *load = build(&b, OP_TMEM_LOAD, tile, NULL, NULL, NULL);
  value_replace_uses(carried, load);
  op_add_operand(load->def, carried);
  while (op != first) {
    Op *next = value_single_use(op_result(op))->user;
    op_move(op, first->region, first);
    op = next;
  }
  Builder after = builder_before(first);
  after.loc = first->loc;
  op_set_operand(first, DOT_SUM,
                 build(&after, OP_TMEM_STORE, type, op_operand(first, DOT_SUM), carried, NULL));
  build_op(&after, OP_BARRIER, 0, NULL, 0, NULL);
  leave(&loop->results[i], tile, loop);
}

static void promote_sums(TmemPromoter *p, Op *first) {
  const Type *tile = op_result(first)->type, *type = tmem_of(p, tile);
  Value *sum = op_operand(first, 2), *last = last_sum(first);
  uint32_t index;
  Op *rescale = dot_sums_rescaled(first, &index);
  Op *loop = carrier_of(first, last);
  retype(first, type);
  if (rescale) {
    carry_rescaled(p, first, rescale, index, tile, type);
    return;
  }
  if (loop) {
    uint32_t i = sum->index - 1;
    op_set_operand(loop, LOOP_FIRST_INIT + i, enter(p, loop, loop_init(loop, i), type));
    sum->type = loop->results[i].type = type;
    leave(&loop->results[i], tile, loop);
    return;
  }
  if (value_is_zero(sum))
    begin_at_zero(p, first, type, passes(first));
  else
    op_set_operand(first, 2, enter(p, first, sum, type));
  leave(last, tile, last->def);
}

bool promote_tmem(PassContext *context, Func *func) {
  TmemPromoter p = {.func = func, .slots = 1};
  VEC(Op *) firsts = {0};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) {
    if (!is_dot_of(w.op, DOT_TCGEN05) || !op_attr(w.op, ATTR_ASYNC) || !type_is_tile(op_result(w.op)->type))
      continue;
    DotShape shape = dot_op_shape(w.op);
    if (dot_is_scaled(w.op))
      p.scale_columns = max_u32(p.scale_columns, dot_scale_columns(&shape, dot_scale_group(w.op)));
    const Type *type = tmem_of(&p, op_result(w.op)->type);
    if (!p.type || tmem_columns(type) > tmem_columns(p.type)) p.type = type;
    if (!is_first(w.op)) continue;
    vec_push(context->scratch, &firsts, w.op);
    if (passes(w.op)) p.slots = 2;
  }
  for (uint32_t i = 0; i < firsts.n; i++) promote_sums(&p, firsts.at[i]);
  for (uint32_t i = 0; i < firsts.n; i++) promote_operand(&p, firsts.at[i]);
  return firsts.n > 0;
}
