// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slots, and prefetching copies and loads. `pipeline` starts them before a loop, and each iteration starts them for a
// later one.
#include "passes/pipeline/pipeline_emit.h"

static bool is_by_tensor(const StagedGroup *g) {
  return g->kind == STAGED_TENSORS || g->kind == STAGED_LATE_TENSORS;
}

// --- slots

static Layout stack_slots(const Layout *one, uint32_t copies) {
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

static Value *alloc_slots(const Stager *s, Builder *b, const StagedLoad *load, uint32_t slots) {
  IrContext *ir = s->func->module->ir;
  const Type *one = load->slot;
  uint32_t shape[TILE_MAX_RANK] = {slots};
  memcpy(shape + 1, one->shape, one->rank * sizeof *shape);
  Layout layout = stack_slots(one->layout, slots);
  const Type *all = type_shared(ir, one->elem, one->rank + 1u, shape, layout_intern(ir, &layout));
  b->loc = load->alloc ? load->alloc->loc : load->load->loc;
  return build(b, OP_SHARED_ALLOC, all, NULL, NULL, NULL);
}

// At the function's start: mbarriers keep their bytes to its end.
static Value *alloc_mbarriers(const Stager *s, uint32_t slots) {
  IrContext *ir = s->func->module->ir;
  Builder b = builder_before(s->func->body->first);
  uint32_t shape[2] = {slots, 1};
  Layout one = {.out_bits = 0}, layout = stack_slots(&one, slots);
  b.loc = s->staged->loop->loc;
  return build(&b, OP_SHARED_ALLOC, type_shared(ir, ELEM_I64, 2, shape, layout_intern(ir, &layout)), NULL,
               NULL, NULL);
}

// A dot that stays in flight reads its slots for one more iteration. So one slot counts as readable before the first
// iteration.
static Value *begin_ring(Stager *s, Builder *b, StagedGroup *g) {
  const Type *type = type_ring(s->func->module->ir);
  Op *begin = build_op(b, OP_RING_BEGIN, g->mbarriers != NULL, &g->mbarriers, 1, &type);
  op_set_int(begin, ATTR_SLOTS, g->slots);
  if (s->in_flight) op_set_int(begin, ATTR_FILLED, 1);
  return op_result(begin);
}

Op *stage_next_slot(Stager *s, Builder *b, StagedGroup *g, OpKind kind) {
  IrContext *ir = s->func->module->ir;
  uint32_t n = g->count + (g->mbarriers != NULL);
  Value **operands = ARENA_ARRAY(s->arena, Value *, n + 1);
  const Type **types = ARENA_ARRAY(s->arena, const Type *, n + 1);
  operands[0] = g->ring;
  for (uint32_t i = 0; i < g->count; i++) {
    operands[i + 1] = g->buffers[i];
    types[i] = g->loads[i]->slot;
  }
  if (g->mbarriers) {
    Layout one = {.out_bits = 0};
    uint32_t shape = 1;
    operands[n] = g->mbarriers;
    types[g->count] = type_shared(ir, ELEM_I64, 1, &shape, layout_intern(ir, &one));
  }
  types[n] = g->ring->type;
  Op *op = build_op(b, kind, n + 1, operands, n + 1, types);
  g->ring = &op->results[n];
  return op;
}

// --- prefetches

// True if iv + ahead * step is an iteration, given that iv is one.
static Value *is_iteration(const Stager *s, Builder *b, Value *iv, uint32_t ahead) {
  return build_reaches(b, iv, loop_upper(s->staged->loop), s->step, ahead);
}

static bool is_ahead(const Stager *s, const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (s->staged->ahead[op->results[i].id]) return true;
  return false;
}

// An iteration that does not exist has nothing to load. If the condition is false, a load gives zeros. No copy uses
// them as an address.
static void guard_load(Op *op, Value *condition) {
  if (op->kind != OP_LOAD) return;
  Builder b = builder_before(op);
  IrContext *ir = op->region->func->module->ir;
  const Type *type = op_result(op)->type;
  Value *mask = op_operand(op, 1), *held = condition;
  b.loc = op->loc;
  if (type_is_tile(type)) held = build_splat(&b, condition, type_with_element(ir, type, condition->type));
  if (mask)
    op_set_operand(op, 1, build_binary(&b, OP_AND, held, mask));
  else
    op_add_operand(op, held);
  if (!op_operand(op, 2) && !type_is_ptr(type_element(type))) op_add_operand(op, build_int(&b, type, 0));
}

static void guard_loads(Op *op, Value *condition) {
  for (OpWalk w = ops_of(op); ops_next(&w);) guard_load(w.op, condition);
}

// Computes the addresses and masks of an iteration from its induction variable and loop-carried values. The iteration
// exists if the condition is true. Advances the group's state.
static CloneMap compute_ahead(Stager *s, Builder *b, StagedGroup *g, Value *iv, Value *condition) {
  const Op *loop = s->staged->loop;
  CloneMap map = clone_map_new(s->arena, s->func);
  clone_set(&map, loop_index(loop), iv);
  for (uint32_t i = 0; i < loop->result_count; i++)
    if (g->state[i]) clone_set(&map, loop_carried(loop, i), g->state[i]);
  for (const Op *op = loop->regions[0]->first; op; op = op->next)
    if (is_ahead(s, op)) guard_loads(op_clone(b, op, &map), condition);
  for (uint32_t i = 0; i < loop->result_count; i++)
    if (g->state[i]) g->state[i] = clone_get(&map, loop_yielded(loop, i));
  return map;
}

// The view of a buffer with its dimensions in another order.
static Value *build_trans_view(Builder *b, const Type *type, Value *buffer, const uint32_t *order) {
  Value *view = build(b, OP_SHARED_TRANS, type, buffer, NULL, NULL);
  op_set_ints(view->def, ATTR_ORDER, type->rank, order);
  return view;
}

Value *stage_target(Stager *s, Builder *b, const StagedLoad *load, Value *slot) {
  uint32_t inverse[TILE_MAX_RANK];
  if (!load->trans) return slot;
  const Attr *order = op_attr(load->trans, ATTR_ORDER);
  for (uint32_t i = 0; i < order->ints.n; i++) inverse[order->ints.at[i]] = i;
  return build_trans_view(b, staged_load_target(s->func->module->ir, load), slot, inverse);
}

static void copy_hints(const Op *from, Op *to) {
  static const AttrKey keys[] = {ATTR_CACHE, ATTR_EVICT, ATTR_ALIGN, ATTR_VECTOR, ATTR_PARTIAL};
  for (uint32_t i = 0; i < sizeof keys / sizeof *keys; i++) op_copy_attr(to, from, keys[i]);
}

static Op *copy_load(Stager *s, Builder *b, const CloneMap *map, const StagedLoad *load, Value *slot) {
  Value *pointer = clone_get(map, op_operand(load->load, 0)), *mask = op_operand(load->load, 1);
  Value *operands[3] = {pointer, stage_target(s, b, load, slot), mask ? clone_get(map, mask) : NULL};
  Op *copy = build_op(b, OP_COPY_ASYNC, mask ? 3 : 2, operands, 0, NULL);
  copy_hints(load->load, copy);
  return copy;
}

// True if the copies may run under a predicate instead of in a branch. All of their addresses are then in registers at
// once. While a dot is in flight they pay, since they are computed until it ends.
static bool have_registers(const Stager *s, const StagedGroup *g) {
  enum { REGISTERS_A_COPY = 4 }; // two addresses and a mask
  int64_t copies = 0;
  for (uint32_t i = 0; i < g->count; i++) {
    const Op *load = g->loads[i]->load;
    copies += layout_registers(op_result(load)->type->layout) / op_int(load, ATTR_VECTOR, 1);
  }
  return s->in_flight || REGISTERS_A_COPY * copies <= s->spare;
}

// Starts the copies of one iteration under `condition`, as a group. The slot counts as being filled in both
// cases.
static Value *begin_copies(Stager *s, Builder *b, StagedGroup *g, const CloneMap *map, Value *condition) {
  const Op *fill = stage_next_slot(s, b, g, OP_RING_FILL);
  Op *branch = build_if(b, condition, 0, NULL);
  Builder inner = builder_at_end(s->func, branch->regions[0]);
  for (uint32_t i = 0; i < g->count; i++) {
    inner.loc = g->loads[i]->load->loc;
    Op *copy = copy_load(s, &inner, map, g->loads[i], &fill->results[i]);
    op_set_flag(copy, ATTR_PINNED, s->reads_first || !have_registers(s, g));
  }
  build_yield(&inner, 0, NULL);
  Builder otherwise = builder_inside(branch->regions[1], b->loc);
  build_yield(&otherwise, 0, NULL);
  const Type *token = type_token(s->func->module->ir);
  return op_result(build_op(b, OP_ASYNC_COMMIT, 0, NULL, 1, &token));
}

typedef struct TensorOperands {
  Value **list; // Operands of tma_copy or bulk_copy.
  uint32_t n;
} TensorOperands;

static TensorOperands tensor_operands(Stager *s, Builder *b, const StagedGroup *g, uint32_t i,
                                      const CloneMap *map, const Op *fill) {
  static const uint32_t other_way[2] = {1, 0};
  const StagedLoad *load = g->loads[i];
  const TensorLoad *tensor = &load->tensor;
  b->loc = load->load->loc;
  Value *target = stage_target(s, b, load, &fill->results[i]);
  if (!tensor->by_blocks && tensor->inner + 1 != tensor->slot->rank)
    target = build_trans_view(b, tensor->slot, target, other_way);
  uint32_t places = mark_places(tensor->tma_mark);
  TensorOperands operands = {ARENA_ARRAY(s->arena, Value *, 3 + places), 3};
  operands.list[0] = g->maps[i], operands.list[1] = target, operands.list[2] = &fill->results[g->count];
  if (tensor->by_blocks) {
    for (uint32_t k = 0; k < places; k++)
      operands.list[k ? 2 + k : 0] = clone_get(map, mark_place(tensor->tma_mark, k));
    operands.n = 2 + places;
    return operands;
  }
  operands.n += tensor_coordinates_of(b, tensor, map, operands.list + operands.n);
  return operands;
}

void stage_copy_tensors(Stager *s, Builder *b, const StagedGroup *g, const CloneMap *map, const Op *fill) {
  TensorOperands *operands = ARENA_ARRAY(s->arena, TensorOperands, g->count);
  Loc loc = b->loc;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < g->count; i++) {
    operands[i] = tensor_operands(s, b, g, i, map, fill);
    bytes += (uint64_t)g->loads[i]->tensor.box.bytes * g->loads[i]->tensor.box.count;
  }
  b->loc = loc;
  Op *expect = build_op(b, OP_MBARRIER_EXPECT, 1, &operands[0].list[2], 0, NULL);
  op_set_int(expect, ATTR_BYTES, (int64_t)bytes);
  for (uint32_t i = 0; i < g->count; i++) {
    b->loc = g->loads[i]->load->loc;
    const TensorLoad *tensor = &g->loads[i]->tensor;
    OpKind kind = tensor->by_blocks ? OP_BULK_COPY : OP_TMA_COPY;
    Op *copy = build_op(b, kind, operands[i].n, operands[i].list, 0, NULL);
    if (!tensor->by_blocks && tensor->box.count < tensor->slot->shape[1] / tensor->box.shape[1])
      op_set_int(copy, ATTR_BOXES, tensor->box.count);
  }
}

// The same for TMA copies, which one thread starts.
static void begin_tensors(Stager *s, Builder *b, StagedGroup *g, const CloneMap *map, Value *condition) {
  const Op *fill = stage_next_slot(s, b, g, OP_RING_FILL);
  Op *branch = build_if(b, condition, 0, NULL);
  Builder inner = builder_inside(branch->regions[0], b->loc),
          otherwise = builder_inside(branch->regions[1], b->loc);
  stage_copy_tensors(s, &inner, g, map, fill);
  build_yield(&inner, 0, NULL);
  build_yield(&otherwise, 0, NULL);
}

// Loads the tiles of one iteration under `condition` into registers. If it is false, nobody uses the registers, and
// they keep their values. Any other value would be written there before the branch, element by element.
static void begin_loads(Stager *s, Builder *b, StagedGroup *g, CloneMap *map, Value *condition) {
  const Type **types = ARENA_ARRAY(s->arena, const Type *, g->count);
  Value **values = ARENA_ARRAY(s->arena, Value *, g->count);
  for (uint32_t i = 0; i < g->count; i++) types[i] = op_result(g->loads[i]->load)->type;
  Op *branch = build_if(b, condition, g->count, types);
  Builder inner = builder_inside(branch->regions[0], b->loc),
          otherwise = builder_inside(branch->regions[1], b->loc);
  for (uint32_t i = 0; i < g->count; i++) values[i] = op_result(op_clone(&inner, g->loads[i]->load, map));
  build_yield(&inner, g->count, values);
  for (uint32_t i = 0; i < g->count; i++)
    values[i] = g->tiles[i] ? g->tiles[i] : build_int(&otherwise, types[i], 0);
  build_yield(&otherwise, g->count, values);
  for (uint32_t i = 0; i < g->count; i++) g->tiles[i] = &branch->results[i];
}

static Value *iteration_value(const Stager *s, Builder *b, Value *iv, uint32_t ahead) {
  return build_with_int(b, OP_ADD, iv, (int64_t)ahead * s->step);
}

bool stage_begins_again(const Stager *s) {
  return s->staged->loop->region->parent != NULL || s->staged->after_writes;
}

void stage_alloc(Stager *s, Builder *b, StagedGroup *g) {
  for (uint32_t i = 0; g->slots && i < g->count; i++)
    g->buffers[i] = alloc_slots(s, b, g->loads[i], g->slots);
  b->loc = s->staged->loop->loc;
  if (!is_by_tensor(g)) return;
  g->mbarriers = alloc_mbarriers(s, g->slots);
  for (uint32_t i = 0; i < g->count; i++)
    if (!g->loads[i]->tensor.by_blocks) g->maps[i] = tensor_map_of(s->context, s->func, &g->loads[i]->tensor);
}

static void begin_slots(Stager *s, Builder *b, StagedGroup *g) {
  const Op *loop = s->staged->loop;
  stage_alloc(s, b, g);
  if (g->slots) g->ring = begin_ring(s, b, g);
  if (g->mbarriers && stage_begins_again(s)) {
    if (s->staged->after_writes)
      op_set_flag(build_op(b, OP_FENCE_ASYNC, 0, NULL, 0, NULL), ATTR_GLOBAL, true);
    stage_meet(s, b); // Mbarriers are made again; no thread still reads the slots.
  }
  for (uint32_t i = 0; g->distance && i < loop->result_count; i++)
    g->state[i] = s->staged->ahead[loop_carried(loop, i)->id] ? loop_init(loop, i) : NULL;
}

// Starts the loads of the iteration `ahead` of iv, if the condition is true.
static void begin_iteration(Stager *s, Builder *b, StagedGroup *g, Value *iv, uint32_t ahead,
                            Value *condition, Value **token) {
  CloneMap map = compute_ahead(s, b, g, iteration_value(s, b, iv, ahead), condition);
  if (g->async)
    *token = begin_copies(s, b, g, &map, condition);
  else if (is_by_tensor(g))
    begin_tensors(s, b, g, &map, condition);
  else
    begin_loads(s, b, g, &map, condition);
}

static void begin_ahead(Stager *s, Builder *b, StagedGroup *g, uint32_t k, Value *any) {
  Value *lower = loop_lower(s->staged->loop);
  Value *condition = k == 0 ? any : build_binary(b, OP_AND, any, is_iteration(s, b, lower, k));
  begin_iteration(s, b, g, lower, k, condition, &g->tokens[k]);
}

// Copy groups are waited for in the order in which they start, so the late ones come in between.
void stage_begin(Stager *s, Builder *b, StagedGroup *g, Value *any) {
  StagedGroup *late = &s->groups[STAGED_LATE_COPIES];
  bool pairs = g->kind == STAGED_COPIES && g->count && late->count;
  if (g->count == 0 || (g == late && s->groups[STAGED_COPIES].count)) return;
  begin_slots(s, b, g);
  if (pairs) begin_slots(s, b, late);
  for (uint32_t k = 0; k < g->distance; k++) {
    begin_ahead(s, b, g, k, any);
    if (pairs) begin_ahead(s, b, late, k, any);
  }
}

void stage_issue(Stager *s, Builder *b, StagedGroup *g, Value *iv) {
  Value **youngest = g->async ? &g->tokens[g->held - 1] : NULL;
  begin_iteration(s, b, g, iv, g->distance, is_iteration(s, b, iv, g->distance), youngest);
}
