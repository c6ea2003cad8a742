// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pipeline: loads that feed shared memory are issued iterations ahead of their use.
//
// before  for %i = ... {
//           %x = load %p, %m
//           %s = shared_alloc : shared<128x64xfp16, #s>
//           shared_store %x, %s
//           ... dot %s ...
//         }
// after   %s = shared_alloc {pipelined} : shared<3x128x64xfp16, #s3>
//         copies of iterations 0 and 1, each a group of its own, where there are such iterations
//         for %i = ... (..., tokens, slots) {
//           async_wait %token {pending = 1}
//           barrier
//           copies of iteration i + 2 into the slot that the last iteration read, as a group
//           ... dot of the slot that was waited for ...
//         }
// needs   layouts, and promote_shared's buffers
// keeps   every value; 0, 1, 2 ... iterations are right: what is ahead of the last one is not begun
// breaks  nothing; the buffers' own barriers are here, place_barriers leaves them to it (`pipelined`)
// pays    the memory's latency passes while the iterations before are computed
//
// What cp.async cannot copy (vectors under 4 bytes, elements that change places on the way) is loaded into
// registers one iteration ahead, and stored at the iteration's begin, before the barrier. A wgmma whose sum
// only the loop carries stays under way until the next one has begun: then a slot is free two iterations
// after its use. Copies are then one iteration less ahead; or, behind a second barrier, begun where the dot
// before is done, so that there are more of them under way (`refills`). A dot that reads an operand into
// registers waits for the one before (split_dots), and comes first, or its reads would queue up behind the copies:
//
//         async_wait, barrier for the first iteration
//         for %i = ... {
//           dot, which stays under way
//           async_wait for iteration i + 1
//           barrier
//           copies of iteration i + 3 into the slot that the last iteration read
//         }
#include "ir/clone.h"
#include "ir/layout_dot.h"
#include "ir/tuning.h"
#include "passes/pipeline_loads.h"

// Loads that are issued the same number of iterations ahead.
typedef struct Group {
  bool async;
  uint32_t count, distance, slots;
  uint32_t held; // tokens: of groups that were not waited for before the iteration
  const StagedLoad **loads;
  Value **buffers;   // all slots of each load
  Value **state;     // by carried value of the original loop: as of the iteration ahead; NULL: not needed
  Value **tokens;    // async: of the groups under way, the oldest first
  Value **tiles;     // registers: what was loaded
  Value *use, *fill; // slots, i32
} Group;

typedef struct Stager {
  PassContext *context;
  Func *func;
  const StagedLoop *staged;
  Arena *arena;
  Value *lower, *upper;
  int64_t step;
  Group groups[2]; // async, registers
  bool in_flight;  // the dot may be under way while the next begins
  bool dot_first;  // what is ahead is waited for and issued after the dot
  bool refills;    // what is ahead is issued after the dot before has been waited for
} Stager;

static const Type *i32_type(const Stager *s) { return type_scalar(s->func->module->ir, ELEM_I32); }

// --- slots

static Layout stack(const Layout *one, uint32_t copies) {
  Layout all = *one;
  uint32_t n = layout_in_bits(one);
  while (1u << (n - layout_in_bits(one)) < copies) {
    all.basis[n] = 1u << n;
    n++;
  }
  all.bits[DIM_OFFSET] = (uint8_t)n;
  all.out_bits = (uint8_t)n;
  return all;
}

static Value *alloc_slots(Stager *s, Builder *b, const StagedLoad *load, uint32_t slots) {
  IrContext *ir = s->func->module->ir;
  const Type *one = op_result(load->alloc)->type;
  uint32_t shape[TILE_MAX_RANK] = {slots};
  memcpy(shape + 1, one->shape, one->rank * sizeof *shape);
  Layout layout = stack(one->layout, slots);
  const Type *all = type_shared(ir, one->elem, one->rank + 1u, shape, layout_intern(ir, &layout));
  b->loc = load->alloc->loc;
  Op *alloc = build_op(b, OP_SHARED_ALLOC, 0, NULL, 1, &all);
  op_set_flag(alloc, ATTR_PIPELINED, true);
  return op_result(alloc);
}

static Value *slot_of(Builder *b, Value *buffers, Value *index, const Type *one) {
  return build(b, OP_SHARED_INDEX, one, buffers, index, NULL);
}

static Value *next_slot(Stager *s, Builder *b, Value *slot, uint32_t slots) {
  Value *next = build_binary(b, OP_ADD, slot, build_int(b, i32_type(s), 1));
  Value *is_end = build_binary(b, OP_EQ, next, build_int(b, i32_type(s), slots));
  return build(b, OP_SELECT, i32_type(s), is_end, build_int(b, i32_type(s), 0), next);
}

// --- what is done ahead

// Whether iv + ahead * step is an iteration, iv being one.
static Value *is_iteration(Stager *s, Builder *b, Value *iv, uint32_t ahead) {
  IrContext *ir = s->func->module->ir;
  const Type *type = iv->type, *distance = type_scalar(ir, elem_bytes(type->elem) == 8 ? ELEM_U64 : ELEM_U32);
  Value *left = build_cast(b, build_binary(b, OP_SUB, s->upper, iv), distance);
  return build_binary(b, OP_GT, left, build_int(b, distance, (int64_t)ahead * s->step));
}

static bool is_ahead(const Stager *s, const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (s->staged->ahead[op->results[i].id]) return true;
  return false;
}

// The addresses and masks of an iteration from its induction variable and carried values; the group's state
// moves on.
static CloneMap compute_ahead(Stager *s, Builder *b, Group *g, Value *iv) {
  const Region *body = s->staged->loop->regions[0];
  CloneMap map = clone_map_new(s->arena, s->func);
  clone_set(&map, body->args[0], iv);
  for (uint32_t i = 0; i + 1 < body->arg_count; i++)
    if (g->state[i]) clone_set(&map, body->args[i + 1], g->state[i]);
  for (const Op *op = body->first; op; op = op->next)
    if (is_ahead(s, op)) op_clone(b, op, &map);
  for (uint32_t i = 0; i + 1 < body->arg_count; i++)
    if (g->state[i]) g->state[i] = clone_get(&map, op_operand(body->last, i));
  return map;
}

static void invert_order(const Attr *order, uint32_t *inverse) {
  for (uint32_t i = 0; i < order->ints.n; i++) inverse[order->ints.at[i]] = i;
}

// The slot as the load sees it, before the transposition.
static Value *copy_target(Stager *s, Builder *b, const StagedLoad *load, Value *slot) {
  if (!load->trans) return slot;
  const Type *seen = slot->type, *tile = op_result(load->load)->type;
  uint32_t order[TILE_MAX_RANK], rank = seen->rank;
  invert_order(op_attr(load->trans, ATTR_ORDER), order);
  Layout layout = layout_trans(seen->layout, rank, seen->shape, order);
  IrContext *ir = s->func->module->ir;
  const Type *type = type_shared(ir, seen->elem, rank, tile->shape, layout_intern(ir, &layout));
  Value *view = build(b, OP_SHARED_TRANS, type, slot, NULL, NULL);
  op_set_ints(view->def, ATTR_ORDER, rank, order);
  return view;
}

static void copy_hints(const Op *from, Op *to) {
  static const AttrKey keys[] = {ATTR_CACHE, ATTR_EVICT, ATTR_ALIGN, ATTR_VECTOR};
  for (uint32_t i = 0; i < sizeof keys / sizeof *keys; i++) op_copy_attr(to, from, keys[i]);
}

static void copy_load(Stager *s, Builder *b, const CloneMap *map, const StagedLoad *load, Value *slot) {
  Value *pointer = clone_get(map, op_operand(load->load, 0)), *mask = op_operand(load->load, 1);
  Value *operands[3] = {pointer, copy_target(s, b, load, slot), mask ? clone_get(map, mask) : NULL};
  Op *copy = build_op(b, OP_COPY_ASYNC, mask ? 3 : 2, operands, 0, NULL);
  copy_hints(load->load, copy);
}

// Begins the copies of one iteration under `condition`, as a group.
static Value *begin_copies(Stager *s, Builder *b, Group *g, const CloneMap *map, Value *condition) {
  Op *branch = build_if(b, condition, 0, NULL);
  Builder inner = builder_at_end(s->func, branch->regions[0]);
  for (uint32_t i = 0; i < g->count; i++) {
    inner.loc = g->loads[i]->load->loc;
    Value *slot = slot_of(&inner, g->buffers[i], g->fill, op_result(g->loads[i]->alloc)->type);
    copy_load(s, &inner, map, g->loads[i], slot);
  }
  build_yield(&inner, 0, NULL);
  Builder otherwise = builder_at_end(s->func, branch->regions[1]);
  otherwise.loc = b->loc;
  build_yield(&otherwise, 0, NULL);
  const Type *token = type_token(s->func->module->ir);
  g->fill = next_slot(s, b, g->fill, g->slots);
  return op_result(build_op(b, OP_ASYNC_COMMIT, 0, NULL, 1, &token));
}

static Value *zero(Builder *b, const Type *type) {
  return type_is_float(type) ? build_float(b, type, 0) : build_int(b, type, 0);
}

// Loads the tiles of one iteration under `condition` into registers.
static void begin_loads(Stager *s, Builder *b, Group *g, CloneMap *map, Value *condition) {
  const Type **types = ARENA_ARRAY(s->arena, const Type *, g->count);
  Value **values = ARENA_ARRAY(s->arena, Value *, g->count);
  for (uint32_t i = 0; i < g->count; i++) types[i] = op_result(g->loads[i]->load)->type;
  Op *branch = build_if(b, condition, g->count, types);
  Builder inner = builder_at_end(s->func, branch->regions[0]),
          otherwise = builder_at_end(s->func, branch->regions[1]);
  inner.loc = otherwise.loc = b->loc;
  for (uint32_t i = 0; i < g->count; i++) values[i] = op_result(op_clone(&inner, g->loads[i]->load, map));
  build_yield(&inner, g->count, values);
  for (uint32_t i = 0; i < g->count; i++) values[i] = zero(&otherwise, types[i]);
  build_yield(&otherwise, g->count, values);
  for (uint32_t i = 0; i < g->count; i++) g->tiles[i] = &branch->results[i];
}

// --- before the loop

static Value *iteration_value(Stager *s, Builder *b, Value *iv, uint32_t ahead) {
  return build_binary(b, OP_ADD, iv, build_int(b, iv->type, (int64_t)ahead * s->step));
}

static void begin_group(Stager *s, Builder *b, Group *g, Value *any) {
  const Op *loop = s->staged->loop;
  Region *body = loop->regions[0];
  for (uint32_t i = 0; i < g->count; i++) g->buffers[i] = alloc_slots(s, b, g->loads[i], g->slots);
  b->loc = loop->loc;
  g->use = g->fill = build_int(b, i32_type(s), 0);
  for (uint32_t i = 0; i + 1 < body->arg_count; i++)
    g->state[i] = s->staged->ahead[body->args[i + 1]->id] ? op_operand(loop, i + 3) : NULL;
  for (uint32_t k = 0; k < g->distance; k++) {
    Value *condition = k == 0 ? any : build_binary(b, OP_AND, any, is_iteration(s, b, s->lower, k));
    CloneMap map = compute_ahead(s, b, g, iteration_value(s, b, s->lower, k));
    if (g->async)
      g->tokens[k] = begin_copies(s, b, g, &map, condition);
    else
      begin_loads(s, b, g, &map, condition);
  }
}

// --- the loop's carried values, in one order for init, arguments and yield

typedef struct Values {
  VEC(Value *) list;
} Values;

static void push(Stager *s, Values *values, Value *value) { vec_push(s->arena, &values->list, value); }

static void push_group(Stager *s, Values *values, const Group *g, uint32_t carried) {
  if (g->count == 0) return;
  for (uint32_t i = 0; i < carried; i++)
    if (g->state[i]) push(s, values, g->state[i]);
  for (uint32_t i = 0; g->async && i < g->held; i++) push(s, values, g->tokens[i]);
  for (uint32_t i = 0; !g->async && i < g->count; i++) push(s, values, g->tiles[i]);
  push(s, values, g->use);
  push(s, values, g->fill);
}

static void pop_group(Group *g, Region *region, uint32_t *at, uint32_t carried) {
  if (g->count == 0) return;
  for (uint32_t i = 0; i < carried; i++)
    if (g->state[i]) g->state[i] = region->args[(*at)++];
  for (uint32_t i = 0; g->async && i < g->held; i++) g->tokens[i] = region->args[(*at)++];
  for (uint32_t i = 0; !g->async && i < g->count; i++) g->tiles[i] = region->args[(*at)++];
  g->use = region->args[(*at)++];
  g->fill = region->args[(*at)++];
}

// --- the loop's body

static void store_tiles(Stager *s, Builder *b, Group *g) {
  for (uint32_t i = 0; i < g->count; i++) {
    const StagedLoad *load = g->loads[i];
    b->loc = load->store->loc;
    Value *slot = slot_of(b, g->buffers[i], g->fill, op_result(load->alloc)->type), *tile = g->tiles[i];
    if (load->trans) {
      CloneMap map = clone_map_new(s->arena, s->func);
      clone_set(&map, op_operand(load->trans, 0), tile);
      tile = op_result(op_clone(b, load->trans, &map));
    }
    build_op(b, OP_SHARED_STORE, 2, (Value *[]){tile, slot}, 0, NULL);
  }
  g->fill = next_slot(s, b, g->fill, g->slots);
}

// What an iteration's data wait for: its copies, everyone's stores, and for wgmma the proxy's order.
static void wait_for_data(Stager *s, Builder *b, uint32_t under_way) {
  Group *async = &s->groups[0];
  b->loc = s->staged->loop->loc;
  if (async->count) {
    Op *wait = build_op(b, OP_ASYNC_WAIT, 1, &async->tokens[0], 0, NULL);
    op_set_attr(wait, (Attr){.key = ATTR_PENDING, .i = under_way - 1});
    for (uint32_t i = 1; i < under_way; i++) async->tokens[i - 1] = async->tokens[i];
  }
  if (s->staged->feeds_wgmma) build_op(b, OP_FENCE_ASYNC, 0, NULL, 0, NULL);
  build_op(b, OP_BARRIER, 0, NULL, 0, NULL);
}

static void issue_ahead(Stager *s, Builder *b, Group *g, Value *iv) {
  if (g->count == 0) return;
  Value *condition = is_iteration(s, b, iv, g->distance);
  CloneMap map = compute_ahead(s, b, g, iteration_value(s, b, iv, g->distance));
  if (!g->async) {
    begin_loads(s, b, g, &map, condition);
    return;
  }
  g->tokens[g->held - 1] = begin_copies(s, b, g, &map, condition);
}

// What goes through registers is loaded before the barrier: ptxas would move loads behind it to the
// iteration's end, where more registers are free, and the next iteration would wait for them.
static void next_data(Stager *s, Builder *b, Value *iv) {
  Group *async = &s->groups[0], *registers = &s->groups[1];
  if (registers->count) store_tiles(s, b, registers);
  issue_ahead(s, b, registers, iv);
  wait_for_data(s, b, async->held);
  if (!s->refills) issue_ahead(s, b, async, iv);
}

// The slots that the dot before this one read are free once that is done in all warps.
static void refill(Stager *s, Builder *b, Value *iv) {
  build_op(b, OP_BARRIER, 0, NULL, 0, NULL);
  issue_ahead(s, b, &s->groups[0], iv);
}

static void use_slots(Stager *s, Builder *b, Group *g, CloneMap *map) {
  for (uint32_t i = 0; i < g->count; i++) {
    const Value *one = op_result(g->loads[i]->alloc);
    b->loc = g->loads[i]->alloc->loc;
    clone_set(map, one, slot_of(b, g->buffers[i], g->use, one->type));
  }
  if (g->count) g->use = next_slot(s, b, g->use, g->slots);
}

static bool is_replaced(const Stager *s, const Op *op) {
  for (uint32_t i = 0; i < s->staged->loads.n; i++) {
    const StagedLoad *load = &s->staged->loads.at[i];
    if (op == load->load || op == load->trans || op == load->alloc || op == load->store) return true;
  }
  return false;
}

static Op *wait_for_dots(Builder *b, Value *sum) {
  Op *wait = build_op(b, OP_DOT_WAIT, 1, &sum, 1, &sum->type);
  op_set_attr(wait, (Attr){.key = ATTR_PENDING, .i = 0});
  return wait;
}

static void compute(Stager *s, Builder *b, CloneMap *map, Value *iv) {
  for (const Op *op = s->staged->loop->regions[0]->first; op; op = op->next) {
    if (op_has(op, TERMINATOR) || is_replaced(s, op)) continue;
    Op *copy = op_clone(b, op, map);
    if (op != s->staged->dot_wait || !s->in_flight) continue;
    op_set_attr(copy, (Attr){.key = ATTR_PENDING, .i = 1});
    b->loc = op->loc;
    if (s->dot_first) next_data(s, b, iv);
    if (s->refills) refill(s, b, iv);
  }
}

static void fill_body(Stager *s, Op *made) {
  const Op *loop = s->staged->loop;
  Region *body = loop->regions[0], *region = made->regions[0];
  uint32_t carried = body->arg_count - 1, at = carried + 1;
  CloneMap map = clone_map_new(s->arena, s->func);
  Builder b = builder_at_end(s->func, region);
  for (uint32_t i = 0; i < body->arg_count; i++) {
    clone_set(&map, body->args[i], region->args[i]);
    region->args[i]->name = body->args[i]->name;
  }
  for (int g = 0; g < 2; g++) pop_group(&s->groups[g], region, &at, carried);
  if (!s->dot_first) next_data(s, &b, region->args[0]);
  for (int g = 0; g < 2; g++) use_slots(s, &b, &s->groups[g], &map);
  compute(s, &b, &map, region->args[0]);
  Values yielded = {0};
  b.loc = body->last->loc;
  for (uint32_t i = 0; i < carried; i++) push(s, &yielded, clone_get(&map, op_operand(body->last, i)));
  for (int g = 0; g < 2; g++) push_group(s, &yielded, &s->groups[g], carried);
  build_yield(&b, yielded.list.n, yielded.list.at);
}

static Op *make_loop(Stager *s, Builder *b) {
  Op *loop = s->staged->loop;
  Values init = {0};
  uint32_t carried = loop->result_count;
  for (uint32_t i = 0; i < carried; i++) push(s, &init, op_operand(loop, i + 3));
  for (int g = 0; g < 2; g++) push_group(s, &init, &s->groups[g], carried);
  b->loc = loop->loc;
  Op *made =
      build_for(b, op_operand(loop, 0), op_operand(loop, 1), op_operand(loop, 2), init.list.n, init.list.at);
  for (uint32_t i = 0; i < loop->attrs.n; i++) op_set_attr(made, loop->attrs.at[i]);
  op_set_attr(made, (Attr){.key = ATTR_NUM_STAGES, .i = 1});
  return made;
}

// --- how far ahead

static uint32_t count_async(const StagedLoop *staged) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < staged->loads.n; i++) count += staged->loads.at[i].async;
  return count;
}

// Whether a second barrier an iteration pays. With three stages it does: without, copies have to be waited
// for before others are begun. With more it depends on how much time is left between the last instruction's
// begin and the product's end: little where several warpgroups have more than 64 rows each, so that the
// tensor cores' queue is full until shortly before the end (docs/measurements.md).
static bool refill_pays(const Stager *s, uint32_t stages) {
  const Type *result = op_result(s->staged->dot)->type;
  uint32_t rows = result->shape[result->rank - 2], warpgroups = region_warps(s->staged->dot) / 4;
  return stages == 3 || warpgroups == 1 || rows <= TUNE_REFILL_ROWS * warpgroups;
}

static void make_groups(Stager *s, uint32_t stages) {
  s->in_flight = s->staged->dot && stages >= 3;
  s->dot_first = s->in_flight && dot_parts(s->staged->dot) && count_async(s->staged) == s->staged->loads.n;
  s->refills = s->in_flight && !s->dot_first && count_async(s->staged) > 0 && refill_pays(s, stages);
  for (int g = 0; g < 2; g++) {
    Group *group = &s->groups[g];
    uint32_t n = s->staged->loads.n, carried = s->staged->loop->result_count;
    *group = (Group){.async = g == 0};
    group->distance = g == 0 ? stages - 1 - (s->in_flight && !s->dot_first && !s->refills) : 1;
    group->held = group->distance - s->dot_first;
    group->slots = g == 0 ? stages : 2u + s->in_flight;
    group->loads = ARENA_ARRAY(s->arena, const StagedLoad *, n);
    for (uint32_t i = 0; i < n; i++)
      if (s->staged->loads.at[i].async == group->async)
        group->loads[group->count++] = &s->staged->loads.at[i];
    group->buffers = ARENA_ARRAY(s->arena, Value *, n);
    group->state = ARENA_ARRAY(s->arena, Value *, carried);
    group->tokens = ARENA_ARRAY(s->arena, Value *, group->distance);
    group->tiles = ARENA_ARRAY(s->arena, Value *, n);
  }
}

static void report(const Stager *s, uint32_t stages) {
  for (int g = 0; g < 2; g++)
    for (uint32_t i = 0; i < s->groups[g].count; i++)
      diag_remark(s->context->diags, s->groups[g].loads[i]->load->loc, "pipeline",
                  g == 0 ? "load by cp.async, %u iterations ahead, in %u slots"
                         : "load into registers, %u iteration ahead, in %u slots",
                  s->groups[g].distance, s->groups[g].slots);
  if (s->in_flight)
    diag_remark(s->context->diags, s->staged->dot->loc, "pipeline",
                "the product stays under way while the next begins (%u stages%s)", stages,
                s->refills ? ", a second barrier before copies" : "");
}

// A loop that leaves a product under way is entered only for an iteration: so the accumulators of a loop of
// none are no others than those that the wait is for.
static Op *guard(Stager *s, Builder *b, Value *any) {
  const Op *loop = s->staged->loop;
  const Type **types = ARENA_ARRAY(s->arena, const Type *, loop->result_count);
  for (uint32_t i = 0; i < loop->result_count; i++) types[i] = loop->results[i].type;
  b->loc = loop->loc;
  return build_if(b, any, loop->result_count, types);
}

static bool stage_loop(PassContext *context, Func *func, Op *loop) {
  StagedLoop staged;
  int64_t step;
  func_number(func);
  if (!staged_loop_find(context, func, loop, &staged)) return false;
  if (!value_int_constant(op_operand(loop, 2), &step) || step <= 0 || step > INT32_MAX / 64) {
    diag_remark(context->diags, loop->loc, "pipeline",
                "not pipelined: the step is no small positive constant");
    return false;
  }
  Stager s = {.context = context, .func = func, .staged = &staged, .arena = context->scratch, .step = step};
  s.lower = op_operand(loop, 0), s.upper = op_operand(loop, 1);
  uint32_t stages = staged_loop_stages(context, func, &staged);
  if (stages < 2) return false;
  make_groups(&s, stages);
  report(&s, stages);
  Builder b = builder_before(loop);
  Value *any = build_binary(&b, OP_LT, s.lower, s.upper);
  for (int g = 0; g < 2; g++)
    if (s.groups[g].count) begin_group(&s, &b, &s.groups[g], any);
  Values results = {0}, none = {0};
  Op *branch = s.in_flight ? guard(&s, &b, any) : NULL;
  Builder inner = branch ? builder_at_end(func, branch->regions[0]) : b;
  inner.loc = loop->loc;
  if (s.dot_first) wait_for_data(&s, &inner, s.groups[0].distance);
  Op *made = make_loop(&s, &inner);
  fill_body(&s, made);
  for (uint32_t i = 0; i < loop->result_count; i++) {
    inner.loc = loop->loc;
    bool under_way = s.in_flight && i == staged.sum;
    push(&s, &results, under_way ? op_result(wait_for_dots(&inner, &made->results[i])) : &made->results[i]);
    push(&s, &none, op_operand(loop, i + 3));
  }
  if (branch) {
    build_yield(&inner, results.list.n, results.list.at);
    Builder otherwise = builder_at_end(func, branch->regions[1]);
    otherwise.loc = loop->loc;
    build_yield(&otherwise, none.list.n, none.list.at);
  }
  for (uint32_t i = 0; i < loop->result_count; i++)
    value_replace_uses(&loop->results[i], branch ? &branch->results[i] : results.list.at[i]);
  op_erase(loop);
  return true;
}

static bool has_loop(const Region *region) {
  for (const Op *op = region->first; op; op = op->next) {
    if (op->kind == OP_FOR || op->kind == OP_WHILE) return true;
    for (uint32_t r = 0; r < op->region_count; r++)
      if (has_loop(op->regions[r])) return true;
  }
  return false;
}

static bool stage_region(PassContext *context, Func *func, Region *region) {
  bool changed = false;
  for (Op *op = region->first, *next; op; op = next) {
    next = op->next;
    for (uint32_t r = 0; r < op->region_count; r++) changed |= stage_region(context, func, op->regions[r]);
    if (op->kind == OP_FOR && !has_loop(op->regions[0])) changed |= stage_loop(context, func, op);
  }
  return changed;
}

bool pass_pipeline(PassContext *context, Func *func) { return stage_region(context, func, func->body); }
