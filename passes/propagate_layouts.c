// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// propagate_layouts: gives every tile type a layout, from the anchors on accesses.
//
// before  %v = load %p {anchor = L8, align = 16, vector = 8} : tile<1024xfp16>      (and a store of fp32 with
// anchor L4) after   %v = load %p {align = 8, vector = 4} : tile<1024xfp16, L4> needs   anchors (coalesce);
// without one an access moves an element at a time in the default layout keeps   every value breaks  nothing;
// from here on every tile type has a layout, no op an anchor, every access of a tile align and vector pays
// tiles that meet in an elementwise op, a loop or a branch are one component and get one layout, so no
// conversion through
//         shared memory is needed. Of the anchors in a component that one wins which costs least over all its
//         accesses
//
// What an access costs under a layout: its instructions a warp, each ISSUE_COST and one a 32-byte sector that
// it touches, times LOOP_WEIGHT a loop around it. So a load of 8 halves a lane yields to a store of 4 words:
// the store's sectors would be touched twice.
//
// After this pass a thread's registers, in layout order, come in runs of `vector` elements that are
// consecutive in memory: each one access under one mask bit, at an address that is a multiple of `align`
// bytes.
#include "ir/build.h"
#include "passes/axis_info.h"
#include "passes/passes.h"

enum { ISSUE_COST = 2, LOOP_WEIGHT = 8, MAX_LOOPS = 4, SECTOR_BITS = 5 };

typedef struct Access {
  Op *op;
  const Layout *anchor; // NULL: none
  uint32_t component, bytes, weight;
  uint32_t vector; // elements: at most these
  uint32_t shift,
      bits; // of the flattened index: the first bit, and how many, in which addresses count upwards
} Access;

typedef struct Propagator {
  PassContext *context;
  Func *func;
  const AxisTable *axes;
  uint32_t *parent;      // union-find over value ids
  const Layout **layout; // by component (root id): chosen, or fixed by a type that had one
  uint32_t loops;        // around the op being visited
  VEC(Access) accesses;
  bool changed;
} Propagator;

static uint32_t root_of(Propagator *p, uint32_t id) {
  while (p->parent[id] != id) id = p->parent[id] = p->parent[p->parent[id]];
  return id;
}

// The smaller id becomes the root, whatever the order.
static void unite(Propagator *p, const Value *a, const Value *b) {
  if (!type_is_tile(a->type) || !type_is_tile(b->type)) return;
  uint32_t x = root_of(p, a->id), y = root_of(p, b->id);
  if (x < y)
    p->parent[y] = x;
  else
    p->parent[x] = y;
}

static void unite_for(Propagator *p, const Op *op) {
  const Region *body = op->regions[0];
  for (uint32_t i = 0; i < op->result_count; i++) {
    unite(p, &op->results[i], op_operand(op, i + 3));
    unite(p, &op->results[i], body->args[i + 1]);
    unite(p, &op->results[i], op_operand(body->last, i));
  }
}

static void unite_if(Propagator *p, const Op *op) {
  for (uint32_t r = 0; r < op->region_count; r++)
    for (uint32_t i = 0; i < op->result_count; i++)
      unite(p, &op->results[i], op_operand(op->regions[r]->last, i));
}

static void unite_while(Propagator *p, const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++) {
    unite(p, &op->results[i], op_operand(op, i));
    for (uint32_t r = 0; r < 2; r++) unite(p, &op->results[i], op->regions[r]->args[i]);
    unite(p, &op->results[i], op_operand(op->regions[0]->last, i + 1));
    unite(p, &op->results[i], op_operand(op->regions[1]->last, i));
  }
}

// Whether the op asks its operands and results, as far as they are tiles of one shape, for one layout.
static bool keeps_layout(const Op *op) {
  switch ((int)op->kind) {
  case OP_SCAN:
  case OP_MAP:
  case OP_REDUCE:
  case OP_SORT:
  case OP_FLIP:
  case OP_JOIN:
  case OP_HISTOGRAM:
  case OP_DOT: return true;
  default: return op_has(op, ELEMENTWISE);
  }
}

static void unite_same_shape(Propagator *p, const Op *op) {
  uint32_t count = op->operand_count + op->result_count;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t j = 0; j < i; j++) {
      const Value *a = i < op->operand_count ? op_operand(op, i) : &op->results[i - op->operand_count];
      const Value *b = j < op->operand_count ? op_operand(op, j) : &op->results[j - op->operand_count];
      if (type_same_shape(a->type, b->type)) unite(p, a, b);
    }
}

static uint32_t log2_padded(uint64_t size) {
  uint32_t bits = 0;
  while (((uint64_t)1 << bits) < size) bits++;
  return bits;
}

static void note_access(Propagator *p, Op *op) {
  const Value *pointer = op_operand(op, 0);
  const Type *tile = pointer->type;
  if (!type_is_tile(tile)) return;
  Access access = {.op = op, .weight = 1};
  const Attr *anchor = op_attr(op, ATTR_ANCHOR);
  access.anchor = anchor ? anchor->layout : NULL;
  access.component = pointer->id;
  access.bytes = type_element_bytes(type_element(tile)->inner);
  access.vector = (uint32_t)op_int(op, ATTR_VECTOR, 1);
  for (uint32_t i = 0; i < p->loops && i < MAX_LOOPS; i++) access.weight *= LOOP_WEIGHT;

  uint32_t order[TILE_MAX_RANK];
  axis_order(p->axes, pointer, order);
  for (uint32_t d = order[0] + 1; d < tile->rank; d++) access.shift += log2_padded(tile->shape[d]);
  access.bits = log2_padded(axis_info(p->axes, pointer)->contiguity[order[0]]);
  vec_push(p->context->scratch, &p->accesses, access);
}

static void visit_region(Propagator *p, Region *region) {
  for (Op *op = region->first; op; op = op->next) {
    if (keeps_layout(op)) unite_same_shape(p, op);
    if (op->kind == OP_WHILE) unite_while(p, op);
    if (op->kind == OP_LOAD || op->kind == OP_STORE) note_access(p, op);
    if (op->kind == OP_FOR) unite_for(p, op);
    if (op->kind == OP_IF) unite_if(p, op);
    p->loops += op->kind == OP_FOR || op->kind == OP_WHILE;
    for (uint32_t r = 0; r < op->region_count; r++) visit_region(p, op->regions[r]);
    p->loops -= op->kind == OP_FOR || op->kind == OP_WHILE;
  }
}

// How many elements one access of a thread can have: low register bits that count upwards in memory, up to
// the access's own bound.
static uint32_t vector_in(const Access *access, const Layout *layout) {
  uint32_t bits = 0;
  while (bits < layout->bits[DIM_REGISTER] && (2u << bits) <= access->vector &&
         layout_basis(layout, DIM_REGISTER, bits) == 1u << (access->shift + bits))
    bits++;
  return 1u << bits;
}

// The sector that an index falls into, as far as its bits are known to count upwards; every other bit leads
// to another sector.
static uint64_t sector_of(const Access *access, uint32_t index) {
  uint32_t run = ((1u << access->bits) - 1) << access->shift;
  uint64_t bytes = (uint64_t)((index & run) >> access->shift) * access->bytes;
  return (bytes >> SECTOR_BITS) | (uint64_t)(index & ~run) << 32;
}

// Sectors of one warp's access: 2^rank of the sectors of its lane and vector bits, over GF(2).
static uint64_t sectors_in(const Access *access, const Layout *layout, uint32_t vector) {
  uint64_t reduced[LAYOUT_MAX_BITS];
  uint32_t rank = 0, lanes = layout->bits[DIM_LANE], count = lanes + log2_padded(vector);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t basis =
        i < lanes ? layout_basis(layout, DIM_LANE, i) : layout_basis(layout, DIM_REGISTER, i - lanes);
    uint64_t row = sector_of(access, basis);
    for (uint32_t r = 0; r < rank; r++)
      if ((row ^ reduced[r]) < row) row ^= reduced[r];
    if (row) reduced[rank++] = row;
  }
  return (uint64_t)1 << rank;
}

static uint64_t cost_of(const Access *access, const Layout *layout) {
  uint32_t vector = vector_in(access, layout);
  uint64_t instructions = layout_registers(layout) / vector;
  return access->weight * instructions * (ISSUE_COST + sectors_in(access, layout, vector));
}

static uint64_t component_cost(Propagator *p, uint32_t component, const Layout *layout) {
  uint64_t cost = 0;
  for (uint32_t i = 0; i < p->accesses.n; i++)
    if (p->accesses.at[i].component == component) cost += cost_of(&p->accesses.at[i], layout);
  return cost;
}

static const Layout *default_layout(Propagator *p, const Type *tile) {
  uint32_t order[TILE_MAX_RANK];
  for (uint32_t i = 0; i < tile->rank; i++) order[i] = tile->rank - 1u - i;
  uint32_t warp_bits = (uint32_t)__builtin_ctz(p->func->module->target.num_warps);
  Layout layout = layout_default(tile->rank, tile->shape, order, 0, warp_bits);
  return layout_intern(p->func->module->ir, &layout);
}

static bool tried_before(Propagator *p, uint32_t access) {
  const Access *at = p->accesses.at;
  for (uint32_t i = 0; i < access; i++)
    if (at[i].component == at[access].component && at[i].anchor == at[access].anchor) return true;
  return false;
}

// The cheapest anchor of each component; the earliest in the program where two cost the same.
static void choose(Propagator *p) {
  uint64_t *best = ARENA_ARRAY(p->context->scratch, uint64_t, p->func->value_count);
  bool *fixed = ARENA_ARRAY(p->context->scratch, bool, p->func->value_count);
  for (uint32_t id = 0; id < p->func->value_count; id++) fixed[id] = p->layout[id] != NULL;
  for (uint32_t i = 0; i < p->accesses.n; i++) {
    Access *access = &p->accesses.at[i];
    uint32_t component = access->component;
    if (!access->anchor || fixed[component] || tried_before(p, i)) continue;
    uint64_t cost = component_cost(p, component, access->anchor);
    if (p->layout[component] && cost >= best[component]) continue;
    p->layout[component] = access->anchor;
    best[component] = cost;
  }
}

static void give_layout(Propagator *p, Value *value) {
  if (!type_is_tile(value->type) || value->type->layout) return;
  const Layout **layout = &p->layout[root_of(p, value->id)];
  if (!*layout) *layout = default_layout(p, value->type);
  value->type = type_with_layout(p->func->module->ir, value->type, *layout);
  p->changed = true;
}

// A type that has a layout already fixes its component's.
static void note_fixed(Propagator *p, const Value *value) {
  if (!type_is_tile(value->type) || !value->type->layout) return;
  const Layout **layout = &p->layout[root_of(p, value->id)];
  if (!*layout) *layout = value->type->layout;
}

typedef void ValueFn(Propagator *p, Value *value);

static void fix_value(Propagator *p, Value *value) { note_fixed(p, value); }

static void each_value(Propagator *p, Region *region, ValueFn *visit) {
  for (uint32_t i = 0; i < region->arg_count; i++) visit(p, region->args[i]);
  for (Op *op = region->first; op; op = op->next) {
    for (uint32_t i = 0; i < op->result_count; i++) visit(p, &op->results[i]);
    for (uint32_t r = 0; r < op->region_count; r++) each_value(p, op->regions[r], visit);
  }
}

// Fits align and vector to the layout, and says what that cost.
static void settle(Propagator *p, const Access *access) {
  const Layout *layout = op_operand(access->op, 0)->type->layout;
  uint32_t vector = vector_in(access, layout);
  int64_t natural = access->bytes, align = op_int(access->op, ATTR_ALIGN, natural);
  int64_t bytes = (int64_t)vector * access->bytes;
  if (vector < access->vector && align > bytes) align = bytes;
  op_set_attr(access->op, (Attr){.key = ATTR_ALIGN, .i = align});
  op_set_attr(access->op, (Attr){.key = ATTR_VECTOR, .i = vector});
  op_remove_attr(access->op, ATTR_ANCHOR);
  p->changed = true;
  if (vector == access->vector) return;
  diag_remark(p->context->diags, access->op->loc, "propagate_layouts",
              "%s of %lld bytes a lane, not %u: it shares one layout with accesses for which that is cheaper",
              op_info(access->op->kind)->name, (long long)bytes, access->vector * access->bytes);
}

bool pass_propagate_layouts(PassContext *context, Func *func) {
  Propagator p = {.context = context, .func = func, .axes = axis_analyse(context->scratch, func)};
  p.parent = ARENA_ARRAY(context->scratch, uint32_t, func->value_count);
  p.layout = ARENA_ARRAY(context->scratch, const Layout *, func->value_count);
  for (uint32_t id = 0; id < func->value_count; id++) p.parent[id] = id;
  visit_region(&p, func->body);
  for (uint32_t i = 0; i < p.accesses.n; i++)
    p.accesses.at[i].component = root_of(&p, p.accesses.at[i].component);
  each_value(&p, func->body, fix_value);
  choose(&p);
  each_value(&p, func->body, give_layout);
  for (uint32_t i = 0; i < p.accesses.n; i++) settle(&p, &p.accesses.at[i]);
  return p.changed;
}
