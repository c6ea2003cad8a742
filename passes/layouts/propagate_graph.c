// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph of propagate_layouts: lazy values, shared components, and edges between components.
#include "base/integer.h"
#include "passes/analysis/dot_loops.h"
#include "ir/dot/dot.h"
#include "passes/layouts/propagate.h"
#include <stdlib.h>

// Longer chains are cut, because on-demand values recurse along them.
enum { MAX_CHAIN = 64 };

uint32_t propagate_root(Propagator *p, uint32_t node) {
  while (p->parent[node] != node) node = p->parent[node] = p->parent[p->parent[node]];
  return node;
}

// The smaller root stays the root, in any order.
static void unite_nodes(Propagator *p, uint32_t a, uint32_t b) {
  uint32_t x = propagate_root(p, a), y = propagate_root(p, b);
  if (x < y)
    p->parent[y] = x;
  else
    p->parent[x] = y;
}

Value *propagate_source(const Propagator *p, Value *value) {
  while (p->view[value->id]) value = op_operand(value->def, 0);
  return value;
}

const Layout *propagate_back(const Propagator *p, const Value *value, const Layout *layout) {
  for (; layout && p->view[value->id]; value = op_operand(value->def, 0))
    layout = flow_view_operand(value->def, layout);
  return layout;
}

const Layout *propagate_forward(const Propagator *p, const Value *value, const Layout *layout) {
  const Op *views[MAX_CHAIN];
  uint32_t n = 0;
  for (; p->view[value->id]; value = op_operand(value->def, 0)) {
    views[n++] = value->def;
  }
  while (layout && n > 0) layout = flow_view_result(views[--n], layout);
  return layout;
}

// --- lazy values

bool propagate_is_cheap(const Op *op) {
  if (op_has(op, SLOW)) return type_is_int(op_operand(op, 0)->type);
  if (op->kind == OP_FMA || op->kind == OP_MULHI) return false; // Random numbers are long chains of mulhi.
  return op_has_any(op, LEAF | VIEW) || op_has(op, PURE | ELEMENTWISE);
}

static uint32_t chain_of(const Propagator *p, const Op *op) {
  uint32_t longest = 0;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (p->chain[op_operand(op, i)->id] > longest) longest = p->chain[op_operand(op, i)->id];
  return longest + 1;
}

static bool is_lazy(const Propagator *p, const Op *op) {
  if (op->result_count != 1 || !type_is_tile(op_result(op)->type) || !propagate_is_cheap(op)) return false;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Value *operand = op_operand(op, i);
    if (type_is_tile(operand->type) && !p->lazy[operand->id]) return false;
  }
  return chain_of(p, op) <= MAX_CHAIN;
}

static bool is_view(const Propagator *p, const Op *op) {
  return op_has(op, VIEW) && type_is_tile(op_operand(op, 0)->type) && chain_of(p, op) <= MAX_CHAIN;
}

static void note_on_demand(const Propagator *p, const Op *op) {
  const Value *value = op_result(op);
  p->lazy[value->id] = is_lazy(p, op);
  p->view[value->id] = !p->lazy[value->id] && is_view(p, op);
  p->chain[value->id] = chain_of(p, op);
}

// --- edges

static void note_tile(Propagator *p, uint32_t node, const Type *tile, const Region *place) {
  if (p->tile[node]) return;
  p->tile[node] = tile;
  p->place[node] = place;
}

static void add_edge(Propagator *p, const GraphEdge *edge) {
  vec_push(p->context->scratch, &p->edges, *edge);
}

// Returns true if only a reduction to a scalar reads what the op computes, through ops on each element.
static bool is_reduced_whole(const Op *op) {
  for (uint32_t i = 0; i < MAX_CHAIN && op->result_count == 1; i++) {
    const Use *use = op_result(op)->first_use;
    if (op->kind == OP_REDUCE) return !type_is_tile(op_result(op)->type);
    if (!(op_has(op, VIEW) || op_has(op, PURE | ELEMENTWISE)) || !use || use->next) return false;
    op = use->user;
  }
  return false;
}

// Returns true if what is loaded is reduced to a scalar, and also used otherwise: a mask that decides if a block is
// skipped. The reduction is taken in the load's layout, and the other uses may follow in a branch.
static bool is_read_apart(const Value *value) {
  bool reduced = false, other = false;
  if (!value->def || value->def->kind != OP_LOAD) return false;
  for (const Use *use = value->first_use; use; use = use->next)
    *(is_reduced_whole(use->user) ? &reduced : &other) = true;
  return reduced && other;
}

// An operand that joins the component of `node` directly, or through an edge.
static void link_operand(Propagator *p, Op *op, uint32_t i, uint32_t node) {
  Value *operand = op_operand(op, i), *source = propagate_source(p, operand);
  if (!type_is_tile(operand->type) || p->lazy[operand->id]) return;
  if (source == operand && flow_shares_operand(op, i) && !is_read_apart(operand)) {
    unite_nodes(p, node, operand->id);
    return;
  }
  uint32_t weight = propagate_weight(p->depth[source->id]);
  add_edge(p, &(GraphEdge){op, node, source, NO_RESULT, i, weight});
}

static void link_result(Propagator *p, Op *op, uint32_t i, uint32_t node, uint32_t loops) {
  Value *result = &op->results[i];
  if (!type_is_tile(result->type)) return;
  if (flow_shares_result(op, i))
    unite_nodes(p, node, result->id);
  else
    add_edge(p, &(GraphEdge){op, node, result, (int32_t)i, 0, propagate_weight(loops)});
}

// The tile whose layout the op works in; NULL: it has none.
static const Type *working_tile(const Op *op) {
  bool of_result = op_has(op, PIECES) || op->kind == OP_GATHER || op->kind == OP_DOT;
  const Value *first = of_result || op->operand_count == 0 ? op_result(op) : op_operand(op, 0);
  if (first && type_is_tile(first->type)) return first->type;
  return op->result_count && type_is_tile(op_result(op)->type) ? op_result(op)->type : NULL;
}

static void link_op(Propagator *p, Op *op, uint32_t loops) {
  uint32_t node = propagate_node(p, op);
  const Type *tile = working_tile(op);
  if (!tile || op->kind == OP_PRINT || op->kind == OP_CONVERT_LAYOUT) return;
  note_tile(p, node, tile, op->region);
  for (uint32_t i = 0; i < op->operand_count; i++) link_operand(p, op, i, node);
  for (uint32_t i = 0; i < op->result_count; i++) link_result(p, op, i, node, loops);
  const Attr *anchor = op->kind == OP_DOT ? op_attr(op, ATTR_ANCHOR) : NULL;
  if (anchor) {
    p->home[node] = anchor->layout;
    p->fixed[node] = true;
  }
  if (op->kind == OP_REDUCE || op->kind == OP_SCAN) {
    GraphReduction reduction = {op, node, propagate_weight(loops)};
    vec_push(p->context->scratch, &p->reductions, reduction);
  }
}

// --- accesses

static bool is_access(const Op *op) {
  return op_has(op, GLOBAL) && op->kind != OP_COPY_ASYNC && type_is_tile(op_operand(op, 0)->type);
}

// Distances are powers of two here, so they add up as their XOR. Along the dimension with the nearest neighbours, an
// unknown factor counts as its least possible value. In the access's own layout, lanes follow this dimension.
static void find_places(const Propagator *p, GraphAccess *access, const Value *pointer, uint32_t fastest) {
  const Type *tile = pointer->type;
  for (uint32_t d = 0; d < tile->rank; d++) {
    uint32_t first, bits = layout_dim_bits(tile->rank, tile->shape, d, &first);
    AxisStride stride = axis_stride(p->axes, pointer, d);
    uint64_t bytes = stride.at < 0 ? -(uint64_t)stride.at : (uint64_t)stride.at;
    bool known = (stride.known || d == fastest) && bytes >> 31 == 0;
    if (known && bytes) {
      if (d == fastest && !access->bits)
        access->spread = (uint32_t)(bytes * PLACE_SPREAD >> log2_floor(bytes));
      bytes = UINT64_C(1) << log2_floor(bytes);
    }
    for (uint32_t i = 0; i < bits; i++) {
      bool fits = known && bytes << i >> 32 == 0;
      access->place[first + i] = fits ? bytes << i : UINT64_C(1) << (32 + first + i);
    }
  }
  for (uint32_t i = 0; i < access->bits; i++) access->place[access->shift + i] = (uint64_t)access->bytes << i;
}

// The largest power of two that divides all known distances between rows, at most a sector. Other distances count as
// whole sectors.
static uint32_t row_alignment(const Propagator *p, const Value *pointer, uint32_t fastest) {
  uint64_t all = SECTOR_BYTES;
  for (uint32_t d = 0; d < pointer->type->rank; d++) {
    AxisStride stride = axis_stride(p->axes, pointer, d);
    if (d != fastest && stride.known) all |= (uint64_t)stride.at;
  }
  return (uint32_t)(all & -all);
}

// Returns true if a dot of the load's region takes operands from registers. A wgmma's operand goes through shared memory
// anyway, so its loads need not change threads before.
static bool feeds_registers(const Op *load) {
  for (const Op *op = load->region->first; op; op = op->next)
    if (op->kind == OP_DOT && !is_dot_of(op, DOT_WGMMA)) return true;
  return false;
}

// Copies to shared memory, and loads with a cache modifier, may pass L1.
static bool is_cached(const Op *op) {
  if (op->kind != OP_LOAD || op_attr(op, ATTR_VOLATILE) || op_attr(op, ATTR_CACHE)) return false;
  return !may_be_copied_ahead(op);
}

static void note_access(Propagator *p, Op *op, uint32_t loops) {
  const Value *pointer = op_operand(op, 0);
  const Type *tile = pointer->type;
  GraphAccess access = {.op = op, .weight = propagate_weight(loops), .spread = PLACE_SPREAD};
  const Attr *anchor = op_attr(op, ATTR_ANCHOR);
  access.anchor = anchor ? anchor->layout : flow_default(op->region, tile);
  access.bytes = type_element_bytes(type_element(tile)->inner);
  access.vector = (uint32_t)op_int(op, ATTR_VECTOR, 1);
  bool wide = access.vector * access.bytes >= MIN_COPY_BYTES;
  access.waits = wide && is_narrow_row(op);
  access.copied =
      wide && may_be_copied_ahead(op) && (access.waits || propagate_loads_words(op)) && feeds_registers(op);
  access.cached = is_cached(op);
  uint32_t order[TILE_MAX_RANK];
  axis_order(p->axes, pointer, order);
  for (uint32_t d = order[0] + 1; d < tile->rank; d++) access.shift += log2_ceil(tile->shape[d]);
  access.bits = log2_ceil(axis_info(p->axes, pointer)->contiguity[order[0]]);
  find_places(p, &access, pointer, order[0]);
  access.split = op->kind == OP_STORE ? SECTOR_BYTES - row_alignment(p, pointer, order[0]) : 0;
  propagate_find_divisions(p, &access);
  p->access_of[op->id] = (int32_t)p->accesses.n;
  vec_push(p->context->scratch, &p->accesses, access);
}

// --- control flow

static uint32_t first_init(const Op *op) { return op->kind == OP_FOR ? LOOP_FIRST_INIT : 0; }

// A loop's initial values, region arguments and results are one value each.
static void link_loop(Propagator *p, Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++) {
    uint32_t node = op->results[i].id;
    if (!type_is_tile(op->results[i].type)) continue;
    for (uint32_t r = 0; r < op->region_count; r++)
      unite_nodes(p, node, op->regions[r]->args[i + (op->kind == OP_FOR)]->id);
    link_operand(p, op, first_init(op) + i, node);
  }
}

static void link_yield(Propagator *p, Op *yield) {
  for (uint32_t i = 0; i < yield->operand_count; i++) {
    const Value *to = flow_target(&yield->operands[i], 0);
    if (to && type_is_tile(to->type)) link_operand(p, yield, i, to->id);
  }
}

static void note_value(Propagator *p, Value *value, uint32_t loops) {
  p->origin[value->id] = value;
  p->depth[value->id] = loops;
  if (!type_is_tile(value->type)) return;
  note_tile(p, value->id, value->type, value_region(value));
}

static void visit_region(Propagator *p, Region *region, uint32_t loops);

// The verifier requires that all tiles of an op have layouts, or none. So an op with layouts is not part of the graph.
static bool has_layouts(const Op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (type_is_tile(op_operand(op, i)->type)) return op_operand(op, i)->type->layout != NULL;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (type_is_tile(op->results[i].type)) return op->results[i].type->layout != NULL;
  return false;
}

static void join_graph(Propagator *p, Op *op, uint32_t loops) {
  if (is_lazy(p, op) || is_view(p, op))
    note_on_demand(p, op);
  else if (is_access(op))
    note_access(p, op, loops);
  else if (op_is_loop(op))
    link_loop(p, op);
  else if (op->kind == OP_YIELD && op->region->parent)
    link_yield(p, op);
  else if (op->kind != OP_IF)
    link_op(p, op, loops);
}

static void visit_op(Propagator *p, Op *op, uint32_t loops) {
  for (uint32_t i = 0; i < op->result_count; i++) note_value(p, &op->results[i], loops);
  bool function = op->region_count && !op_has(op, FLOW); // Its region computes with scalars.
  p->done[op->id] = has_layouts(op);
  if (!p->done[op->id]) join_graph(p, op, loops);
  for (uint32_t r = 0; r < op->region_count && !function; r++)
    visit_region(p, op->regions[r], loops + op_is_loop(op));
}

static void visit_region(Propagator *p, Region *region, uint32_t loops) {
  for (uint32_t i = 0; i < region->arg_count; i++) note_value(p, region->args[i], loops);
  for (Op *op = region->first; op; op = op->next) visit_op(p, op, loops);
}

// --- components

static void add_touch(Propagator *p, uint32_t node, GraphTouch touch) {
  const GraphTouch **first = &p->touches[propagate_root(p, node)];
  GraphTouch *added = ARENA_NEW(p->context->scratch, GraphTouch);
  *added = touch;
  added->next = *first;
  *first = added;
}

static bool has_home(const Propagator *p, const Value *value) {
  return type_is_tile(value->type) && !propagate_on_demand(p, value);
}

static void touch_access(Propagator *p, GraphAccess *access) {
  const Op *op = access->op;
  const GraphTouch touch = {.kind = TOUCH_ACCESS, .access = access};
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Value *source = propagate_source(p, op_operand(op, i));
    if (has_home(p, source)) add_touch(p, source->id, touch);
  }
  if (op->result_count) add_touch(p, op_result(op)->id, touch);
}

// The value whose pairs of elements the reduction combines, in another shape: a step of a sort, written by hand as sums
// over an axis of two. NULL: it is no such step.
static const Value *paired_source(const Propagator *p, const Op *op) {
  const Type *tile = op_operand(op, 0)->type;
  const Value *value = op_operand(op, 0);
  if (op->kind != OP_REDUCE || tile->shape[op_int(op, ATTR_AXIS, 0)] != 2) return NULL;
  const OpKind combine = op->regions[0]->first->kind;
  if (combine != OP_ADD && combine != OP_XOR) return NULL;
  for (uint32_t steps = 0; steps < MAX_CHAIN && !p->view[value->id]; steps++) {
    const Op *def = value->def;
    if (!def || !op_has(def, ELEMENTWISE) || !op_has(def, PURE)) return NULL;
    uint32_t i = 0;
    while (i < def->operand_count && p->lazy[op_operand(def, i)->id]) i++;
    if (i == def->operand_count) return NULL;
    value = op_operand(def, i);
  }
  for (; p->view[value->id]; value = op_operand(value->def, 0))
    if (value->def->kind != OP_RESHAPE) return NULL;
  return has_home(p, value) && type_elements(value->type) == type_elements(tile) ? value : NULL;
}

// Each list starts with the newest touch, so the earliest touch is added last.
static void touch_all(Propagator *p) {
  for (uint32_t i = p->reductions.n; i-- > 0;) {
    const GraphReduction *reduction = &p->reductions.at[i];
    const Value *source = paired_source(p, reduction->op);
    if (source) add_touch(p, source->id, (GraphTouch){.kind = TOUCH_PAIRS, .reduction = reduction});
  }
  for (uint32_t i = p->reductions.n; i-- > 0;)
    add_touch(p, p->reductions.at[i].node,
              (GraphTouch){.kind = TOUCH_REDUCTION, .reduction = &p->reductions.at[i]});
  for (uint32_t i = p->edges.n; i-- > 0;) {
    const GraphTouch touch = {.kind = TOUCH_EDGE, .edge = &p->edges.at[i]};
    add_touch(p, touch.edge->node, touch);
    add_touch(p, touch.edge->source->id, touch);
  }
  for (uint32_t i = p->accesses.n; i-- > 0;) touch_access(p, &p->accesses.at[i]);
}

// Facts found for a node go to its root.
static void settle_roots(Propagator *p) {
  for (uint32_t node = 0; node < p->node_count; node++) {
    uint32_t root = propagate_root(p, node);
    const Type *tile = p->tile[node];
    if (!tile) continue;
    note_tile(p, root, tile, p->place[node]);
    if (!p->home[root]) p->home[root] = p->home[node];
    p->fixed[root] = p->home[root] != NULL;
  }
}

// The effort to make the value, apart from accesses and reductions. Carried values and joins only name registers.
static uint64_t effort_of(const Propagator *p, uint32_t value) {
  const Op *op = p->origin[value] ? p->origin[value]->def : NULL;
  if (!op || op->kind == OP_LOAD || op->kind == OP_JOIN || op_has(op, FLOW)) return 0;
  bool divides = op && (op->kind == OP_DIV || op->kind == OP_REM) && type_is_int(op_result(op)->type);
  if (!divides) return 1;
  return type_element_bytes(op_result(op)->type) > 4 ? TUNE_COST_DIVISION * TUNE_COST_WIDE_DIVISION
                                                     : TUNE_COST_DIVISION;
}

static void weigh_components(Propagator *p, uint64_t *weight, uint64_t *work, uint64_t *effort) {
  for (uint32_t node = 0; node < p->node_count; node++) {
    if (!p->tile[node]) continue;
    bool is_value = node < p->value_count;
    uint32_t loops = is_value ? p->depth[node] : 0, root = propagate_root(p, node);
    weight[root] +=
        type_elements(p->tile[node]) * type_element_bytes(p->tile[node]) * propagate_weight(loops);
    if (is_value && !p->lazy[node] && !p->view[node]) {
      work[root] += propagate_weight(loops);
      effort[root] += effort_of(p, node) * propagate_weight(loops);
    }
  }
}

// The heaviest component first; the earlier one at equal weight.
static void list_components(Propagator *p) {
  uint64_t *weight = ARENA_ARRAY(p->context->scratch, uint64_t, p->node_count);
  uint64_t *work = ARENA_ARRAY(p->context->scratch, uint64_t, p->node_count);
  uint64_t *effort = ARENA_ARRAY(p->context->scratch, uint64_t, p->node_count);
  weigh_components(p, weight, work, effort);
  for (uint32_t node = 0; node < p->node_count; node++) {
    bool needless = node < p->value_count && (p->lazy[node] || p->view[node]);
    if (propagate_root(p, node) != node || !p->tile[node] || p->tile[node]->layout || needless) continue;
    GraphComponent component = {node, p->tile[node], weight[node], work[node], effort[node], false};
    vec_push(p->context->scratch, &p->components, component);
  }
}

static int heavier_first(const void *a, const void *b) {
  const GraphComponent *x = a, *y = b;
  if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
  return x->root < y->root ? -1 : x->root > y->root;
}

void propagate_build(Propagator *p) {
  Arena *scratch = p->context->scratch;
  p->value_count = p->func->value_count;
  p->node_count = p->value_count + p->func->op_count;
  p->parent = ARENA_ARRAY(scratch, uint32_t, p->node_count);
  p->tile = ARENA_ARRAY(scratch, const Type *, p->node_count);
  p->place = ARENA_ARRAY(scratch, const Region *, p->node_count);
  p->home = ARENA_ARRAY(scratch, const Layout *, p->node_count);
  p->fixed = ARENA_ARRAY(scratch, bool, p->node_count);
  p->touches = ARENA_ARRAY(scratch, const GraphTouch *, p->node_count);
  p->lazy = ARENA_ARRAY(scratch, bool, p->value_count);
  p->view = ARENA_ARRAY(scratch, bool, p->value_count);
  p->chain = ARENA_ARRAY(scratch, uint32_t, p->value_count);
  p->depth = ARENA_ARRAY(scratch, uint32_t, p->value_count);
  p->origin = ARENA_ARRAY(scratch, Value *, p->value_count);
  p->copies = ARENA_ARRAY(scratch, LayoutCopy *, p->value_count);
  p->done = ARENA_ARRAY(scratch, bool, p->func->op_count);
  p->access_of = ARENA_ARRAY(scratch, int32_t, p->func->op_count);
  for (uint32_t i = 0; i < p->node_count; i++) p->parent[i] = i;
  for (uint32_t i = 0; i < p->func->op_count; i++) p->access_of[i] = -1;
  visit_region(p, p->func->body, 0);
  settle_roots(p);
  touch_all(p);
  list_components(p);
  if (p->components.n) qsort(p->components.at, p->components.n, sizeof *p->components.at, heavier_first);
}
