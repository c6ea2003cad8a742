// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The home of every component: the cheapest of the layouts that its touches propose. Heavy components choose first.
// Then all choose once more, when each knows its neighbours, and again if some have moved together.
#include "base/integer.h"
#include "passes/layouts/propagate.h"

enum { MAX_CANDIDATES = 24, MAX_FOLLOWERS = 8 };

// A component that moves with the choosing one. If it stayed, a conversion would only move from after it to before it.
// It has one of these:
// * The same elements in another shape, for example values computed from rows[:, None].
// * Joins of the choosing component, or of another follower.
// * The pointers of a row that the choosing component loads.
typedef struct Follower {
  const GraphEdge *edge;     // From the component that it follows; NULL: an access.
  const GraphAccess *access; // Whose pointers it has; NULL: an edge.
  uint32_t root;
  uint64_t effort;
  const Layout *at; // Its layout for the layout being tried.
} Follower;

typedef struct HomeChoice {
  Propagator *p;
  uint32_t root;
  uint64_t work;          // The component's work, which redundancy repeats.
  const GraphEdge *words; // The component unpacks these words; NULL: none.
  const Layout *candidate[MAX_CANDIDATES];
  Follower follower[MAX_FOLLOWERS];
  uint32_t count, followers;
  bool waited; // Its neighbours chose first: repeated work counts, and the default layout is a choice.
  bool last;   // All have chosen: accesses may become narrower.
  bool alone;  // No access, and no neighbour with a layout, proposes one.
} HomeChoice;

static void propose_layout(HomeChoice *c, const Layout *layout) {
  const Type *tile = c->p->tile[c->root];
  if (!layout || c->count == MAX_CANDIDATES || layout->out_bits != log2_of(type_elements(tile))) return;
  for (uint32_t i = 0; i < c->count; i++)
    if (c->candidate[i] == layout) return;
  c->candidate[c->count++] = layout;
}

// The layout of the node's component. For the choosing component it is the one being tried.
static const Layout *home_of(const HomeChoice *c, uint32_t node, const Layout *tried) {
  uint32_t root = propagate_root(c->p, node);
  for (uint32_t i = 0; i < c->followers; i++)
    if (root == c->follower[i].root) return c->follower[i].at;
  return root == c->root ? tried : c->p->home[root];
}

// The layout that the op needs for the edge's source; NULL: any.
static const Layout *wanted_at(const HomeChoice *c, const GraphEdge *edge, const Layout *op_layout) {
  const Layout *wanted = flow_operand(edge->op, edge->operand, op_layout);
  return propagate_back(c->p, op_operand(edge->op, edge->operand), wanted);
}

static bool is_factor(const GraphEdge *edge) {
  return edge->op->kind == OP_DOT && edge->result == NO_RESULT && edge->operand < 2;
}

// Less of the cost is left if an earlier dot already has the tile. In shared memory, as it is or transposed: half. This dot
// then reads it there too (promote_shared). ldmatrix transposes 16-bit elements. In the same layout, for packed words:
// nothing. Other kernels were not measured so.
static uint64_t cost_after_dots(const HomeChoice *c, const GraphEdge *edge, const Layout *at,
                                const Layout *wanted, uint64_t cost) {
  Propagator *p = c->p;
  if (!is_factor(edge) || type_element_bytes(edge->source->type) != 2) return cost;
  const GraphTouch *touch = p->touches[propagate_root(p, edge->source->id)];
  uint64_t left = cost;
  for (; touch && touch->edge != edge; touch = touch->next) { // In the edges' order.
    const GraphEdge *before = touch->edge;
    if (!before || before->source != edge->source || !is_factor(before)) continue;
    if (before->op->region != edge->op->region) continue;
    const Layout *had = wanted_at(c, before, home_of(c, before->node, NULL));
    if (had && op_attr(edge->op, ATTR_K_RUN) && layout_equal(had, wanted)) return 0;
    if (had && layout_conversion(at, had) == CONVERT_SHARED) left = cost / 2;
  }
  return left;
}

static uint64_t edge_cost(const HomeChoice *c, const GraphEdge *edge, const Layout *tried) {
  const Layout *at = home_of(c, edge->source->id, tried), *op_layout = home_of(c, edge->node, tried);
  if (!at || !op_layout) return 0;
  if (edge->result != NO_RESULT) {
    const Layout *given = flow_result(edge->op, (uint32_t)edge->result, op_layout);
    return given ? edge->weight * conversion_cost(edge->source->type, given, at) : 0;
  }
  const Layout *wanted = wanted_at(c, edge, op_layout);
  if (!wanted) return 0;
  const Op *def = edge->source->def;
  const GraphAccess *load = def && def->kind == OP_LOAD && c->p->access_of[def->id] >= 0
                                ? &c->p->accesses.at[c->p->access_of[def->id]]
                                : NULL;
  uint64_t cost = edge->weight * loaded_conversion_cost(load, edge->source->type, at, wanted);
  return cost_after_dots(c, edge, at, wanted, cost);
}

// --- accesses

// The cost to bring operand i to the access's layout. Its weight is that of the source.
static uint64_t operand_cost(const HomeChoice *c, const GraphAccess *access, uint32_t i, const Layout *layout,
                             const Layout *tried) {
  const Propagator *p = c->p;
  Value *operand = op_operand(access->op, i), *source = propagate_source(p, operand);
  if (p->lazy[operand->id]) return 0;
  const Layout *at = home_of(c, source->id, tried);
  if (!at) return 0;
  const Layout *wanted = propagate_back(p, operand, layout);
  return propagate_weight(p->depth[source->id]) * conversion_cost(source->type, at, wanted);
}

// The layout of the access if a component that it touches keeps its own layout; NULL: none is known.
static const Layout *layout_at_home(const HomeChoice *c, const GraphAccess *access, const Layout *tried) {
  const Layout *at = op_result(access->op) ? home_of(c, op_result(access->op)->id, tried) : NULL;
  for (uint32_t i = access->op->operand_count; !at && i-- > 0;) {
    Value *operand = op_operand(access->op, i), *source = propagate_source(c->p, operand);
    if (!c->p->lazy[operand->id]) at = propagate_forward(c->p, operand, home_of(c, source->id, tried));
  }
  return at;
}

// In the component's own layout, divisions are made once for all accesses, and counted with that layout.
static uint64_t whole_access_cost(const HomeChoice *c, const GraphAccess *access, const Layout *layout,
                                  const Layout *tried) {
  uint64_t cost = access_cost(access, layout);
  if (access->division_count && layout != layout_at_home(c, access, tried))
    cost += division_cost(access, layout);
  for (uint32_t i = 0; i < access->op->operand_count; i++) cost += operand_cost(c, access, i, layout, tried);
  const Value *result = op_result(access->op);
  const Layout *at = result && result->first_use ? home_of(c, result->id, tried) : NULL;
  return at ? cost + access->weight * loaded_conversion_cost(access, result->type, layout, at) : cost;
}

// The best layout for the access if the choosing component has the layout `tried`. `*cost` gets its cost. NULL: nothing
// is known yet.
static const Layout *best_for_access(const HomeChoice *c, const GraphAccess *access, const Layout *tried,
                                     uint64_t *cost) {
  enum { MOST = 8 + MAX_PAIRED };
  const Layout *best = NULL, *option[MOST] = {access->anchor};
  uint32_t count = 1;
  for (uint32_t i = 0; i < MAX_PAIRED && access->paired[i]; i++) option[count++] = access->paired[i];
  for (uint32_t i = 0; i < access->op->operand_count && count < MOST - 2; i++) {
    Value *operand = op_operand(access->op, i), *source = propagate_source(c->p, operand);
    if (!c->p->lazy[operand->id])
      option[count++] = propagate_forward(c->p, operand, home_of(c, source->id, tried));
  }
  const Layout *last = option[count - 1];
  if (access->op->kind == OP_STORE && last) option[count++] = propagate_spread(c->p, access, last);
  if (op_result(access->op) && count < MOST) option[count++] = home_of(c, op_result(access->op)->id, tried);
  *cost = 0;
  for (uint32_t i = count; i-- > 0;) { // At equal cost, the component's own layout wins.
    if (!option[i] || option[i] == best) continue;
    uint64_t now = whole_access_cost(c, access, option[i], tried);
    if (best && now >= *cost) continue;
    best = option[i];
    *cost = now;
  }
  return best;
}

// --- one component

// The nearest layout in which a thread holds both elements of a pair: the lane or warp bit of the pair is exchanged for
// the outermost register. The pairs then move within warps, and vectors lose one bit at most. NULL: there is none.
static const Layout *with_pairs(const HomeChoice *c, const Layout *layout) {
  uint32_t registers = layout->bits[DIM_REGISTER], at = registers;
  while (at < layout_in_bits(layout) && layout->basis[at] != 1) at++;
  if (registers == 0 || at == layout_in_bits(layout)) return NULL;
  Layout paired = *layout;
  paired.basis[at] = layout->basis[registers - 1];
  paired.basis[registers - 1] = 1;
  return layout_intern(c->p->func->module->ir, &paired);
}

static void propose_from_operand(HomeChoice *c, const GraphEdge *edge, const Layout *at,
                                 const Layout *op_layout) {
  const Propagator *p = c->p;
  const Value *operand = op_operand(edge->op, edge->operand);
  if (propagate_root(c->p, edge->source->id) == c->root && op_layout)
    propose_layout(c, propagate_back(p, operand, flow_operand(edge->op, edge->operand, op_layout)));
  const Layout *forward = at ? propagate_forward(p, operand, at) : NULL;
  if (propagate_root(c->p, edge->node) != c->root || !forward) return;
  const Layout *wanted = flow_layout_for(edge->op, edge->operand, forward);
  if (!wanted && edge->op->kind == OP_SPLIT) forward = with_pairs(c, forward);
  propose_layout(c, wanted || !forward ? wanted : flow_layout_for(edge->op, edge->operand, forward));
}

// Proposes the layout in which nothing is converted at this edge, if the other side is known.
static void propose_from_edge(HomeChoice *c, const GraphEdge *edge) {
  Propagator *p = c->p;
  const Layout *at = p->home[propagate_root(p, edge->source->id)];
  const Layout *op_layout = p->home[propagate_root(p, edge->node)];
  if (edge->result == NO_RESULT)
    propose_from_operand(c, edge, at, op_layout);
  else if (op_layout && propagate_root(p, edge->source->id) == c->root)
    propose_layout(c, flow_result(edge->op, (uint32_t)edge->result, op_layout));
}

static void propose_for_access(HomeChoice *c, const Op *op, const Layout *layout) {
  Propagator *p = c->p;
  if (!layout) return;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    Value *operand = op_operand(op, i), *source = propagate_source(p, operand);
    if (!p->lazy[operand->id] && propagate_root(p, source->id) == c->root)
      propose_layout(c, propagate_back(p, operand, layout));
  }
  if (op_result(op) && propagate_root(p, op_result(op)->id) == c->root) propose_layout(c, layout);
}

static void propose_from_access(HomeChoice *c, const GraphAccess *access) {
  propose_for_access(c, access->op, access->anchor);
  for (uint32_t i = 0; i < MAX_PAIRED; i++) propose_for_access(c, access->op, access->paired[i]);
}

// Returns true if the access's pointers are of the choosing component.
static bool is_pointed_to(const HomeChoice *c, const GraphAccess *access) {
  return propagate_root(c->p, propagate_source(c->p, op_operand(access->op, 0))->id) == c->root;
}

// If divisions are made for the component, also proposes layouts of other components with shared accesses (loads at
// loaded indices). The divisions may then be made once for both. Pointers may be where the loaded elements are needed, if
// the access gets no narrower. A loop then does not convert them in each iteration. At last, when all else has chosen,
// the access may lose half of its width: then what it loads or stores needs no conversion.
static void propose_across_accesses(HomeChoice *c) {
  Propagator *p = c->p;
  bool divides = false, pointers = type_is_ptr(p->tile[c->root]);
  for (const GraphTouch *touch = p->touches[c->root]; touch; touch = touch->next)
    divides |= touch->access && touch->access->division_count;
  for (const GraphTouch *touch = p->touches[c->root]; touch; touch = touch->next) {
    const GraphAccess *access = touch->access;
    const Layout *home = access ? layout_at_home(c, access, NULL) : NULL;
    if (!home) continue;
    bool points = pointers || (c->last && is_pointed_to(c, access));
    uint32_t width = access_vector(access, home) << c->last;
    if (divides || (points && width >= access_vector(access, access->anchor)))
      propose_for_access(c, access->op, home);
  }
}

// The layout with warps along the axis exchanged for registers off the axis, the outermost ones. Then no warp needs
// elements of another, and vectors stay.
static const Layout *off_axis(const HomeChoice *c, const Op *op, const Layout *layout) {
  const Type *tile = op_operand(op, 0)->type;
  uint32_t first, bits = layout_dim_bits(tile->rank, tile->shape, (uint32_t)op_int(op, ATTR_AXIS, 0), &first);
  uint32_t mask = ((UINT32_C(1) << bits) - 1) << first, reg = layout->bits[DIM_REGISTER];
  Layout moved = *layout;
  uint32_t *basis = moved.basis, warp = layout_first_bit(layout, DIM_WARP);
  for (uint32_t i = warp; i < warp + layout->bits[DIM_WARP]; i++) {
    if (!(basis[i] & mask)) continue;
    while (reg > 0 && (basis[reg - 1] & mask)) reg--;
    if (reg == 0) break;
    uint32_t along = basis[i];
    basis[i] = basis[--reg];
    basis[reg] = along;
  }
  return layout_intern(c->p->func->module->ir, &moved);
}

static void propose_for_reduction(HomeChoice *c, const GraphReduction *reduction) {
  const Type *tile = op_operand(reduction->op, 0)->type;
  if (!type_same_shape(tile, c->p->tile[c->root])) return;
  for (uint32_t i = 0, count = c->count; i < count; i++)
    propose_layout(c, off_axis(c, reduction->op, c->candidate[i]));
}

// The registers of a thread beyond those of a layout that holds each element once.
static uint64_t repeated_registers(const Layout *layout) {
  uint32_t threads = layout->bits[DIM_LANE] + layout->bits[DIM_WARP];
  uint64_t least = layout->out_bits > threads ? UINT64_C(1) << (layout->out_bits - threads) : 1;
  return layout_registers(layout) - least;
}

// Few repeated registers are not counted: a small tile takes them anyway if it is broadcast.
static uint64_t redundant_registers(const Layout *layout) {
  uint64_t repeated = repeated_registers(layout);
  return repeated > TUNE_REDUNDANT_REGISTERS ? repeated : 0;
}

static bool all_redundant(const HomeChoice *c) {
  for (uint32_t i = 0; i < c->count; i++)
    if (!redundant_registers(c->candidate[i])) return false;
  return true;
}

// Sorts exchange near neighbours in most steps. So each thread may hold a run of neighbours.
static void propose_for_pairs(HomeChoice *c) {
  const Type *tile = c->p->tile[c->root];
  uint32_t order[TILE_MAX_RANK], warps = region_warp_bits_of(c->p->place[c->root]);
  uint32_t bits = log2_of(type_elements(tile)), threads = LANE_BITS + warps;
  for (uint32_t i = 0; i < tile->rank; i++) order[i] = tile->rank - 1u - i;
  Layout layout = layout_default(tile->rank, tile->shape, order, bits > threads ? bits - threads : 0, warps);
  propose_layout(c, layout_intern(c->p->func->module->ir, &layout));
}

static void gather_candidates(HomeChoice *c) {
  const Propagator *p = c->p;
  bool pairs = false;
  for (const GraphTouch *touch = p->touches[c->root]; touch; touch = touch->next) {
    if (touch->access) propose_from_access(c, touch->access);
    pairs |= touch->kind == TOUCH_PAIRS;
  }
  for (const GraphTouch *touch = p->touches[c->root]; touch; touch = touch->next)
    if (touch->edge) propose_from_edge(c, touch->edge);
  propose_across_accesses(c);
  if (pairs) propose_for_pairs(c);
  c->alone = c->count == 0;
  if (all_redundant(c) || c->waited) propose_layout(c, flow_default(p->place[c->root], p->tile[c->root]));
  for (const GraphTouch *touch = p->touches[c->root]; touch; touch = touch->next)
    if (touch->kind == TOUCH_REDUCTION) propose_for_reduction(c, touch->reduction);
}

// --- followers

static bool is_join(const GraphEdge *edge) { return edge->result != NO_RESULT && edge->op->kind == OP_JOIN; }

// A node of the component that the follower follows.
static uint32_t leader_of(const HomeChoice *c, const Follower *follower) {
  if (!follower->edge) return c->root;
  return is_join(follower->edge) ? follower->edge->node : follower->edge->source->id;
}

// The follower's layout if its leader has `layout`; NULL: there is none.
static const Layout *followed(const HomeChoice *c, const Follower *follower, const Layout *layout) {
  const GraphEdge *edge = follower->edge;
  if (!edge) return propagate_back(c->p, op_operand(follower->access->op, 0), layout);
  if (is_join(edge)) return flow_result(edge->op, (uint32_t)edge->result, layout);
  const Layout *forward = propagate_forward(c->p, op_operand(edge->op, edge->operand), layout);
  return forward ? flow_layout_for(edge->op, edge->operand, forward) : NULL;
}

// The leader's layout if the follower has `layout`; NULL: there is none.
static const Layout *led(const HomeChoice *c, const Follower *follower, const Layout *layout) {
  const GraphEdge *edge = follower->edge;
  if (!edge || !layout) return NULL;
  if (is_join(edge)) return flow_joined(edge->op, layout);
  return propagate_back(c->p, op_operand(edge->op, edge->operand),
                        flow_operand(edge->op, edge->operand, layout));
}

// True for the same elements in another shape: x[:, None] and reshapes, but no other view.
static bool is_reshaped(const Propagator *p, const Value *value) {
  for (; p->view[value->id]; value = op_operand(value->def, 0))
    if (value->def->kind != OP_EXPAND_DIMS && value->def->kind != OP_RESHAPE) return false;
  return true;
}

static Follower *find_follower(HomeChoice *c, uint32_t root) {
  for (uint32_t i = 0; i < c->followers; i++)
    if (c->follower[i].root == root) return &c->follower[i];
  return NULL;
}

static void add_follower(HomeChoice *c, Follower follower) {
  Propagator *p = c->p;
  if (c->followers == MAX_FOLLOWERS || follower.root == c->root || p->fixed[follower.root] ||
      !p->home[follower.root] || find_follower(c, follower.root))
    return;
  for (uint32_t i = 0; i < p->components.n; i++)
    if (p->components.at[i].root == follower.root) {
      follower.effort = follower.access ? 0 : p->components.at[i].effort;
      follower.at = p->home[follower.root];
      c->follower[c->followers++] = follower;
    }
}

static void follow_edge(HomeChoice *c, const GraphEdge *edge, uint32_t leader) {
  Propagator *p = c->p;
  if (is_join(edge)) {
    if (propagate_root(p, edge->node) == leader)
      add_follower(c, (Follower){.edge = edge, .root = propagate_root(p, edge->source->id)});
  } else if (edge->result == NO_RESULT && leader == c->root &&
             op_has_any(edge->op, ELEMENTWISE | FLOW | TERMINATOR) &&
             propagate_root(p, edge->source->id) == leader &&
             is_reshaped(p, op_operand(edge->op, edge->operand)))
    add_follower(c, (Follower){.edge = edge, .root = propagate_root(p, edge->node)});
}

static bool is_row(const Type *tile) {
  uint32_t long_dims = 0;
  for (uint32_t d = 0; d < tile->rank; d++) long_dims += tile->shape[d] > 1;
  return long_dims == 1;
}

// A thread computes one address for each vector, so that more elements of a row are no more work.
static void follow_access(HomeChoice *c, const GraphAccess *access) {
  Propagator *p = c->p;
  const Op *op = access->op;
  if (op->kind != OP_LOAD || access->copied || !is_row(op_result(op)->type)) return;
  const Value *pointers = op_operand(op, 0);
  if (propagate_root(p, op_result(op)->id) != c->root || p->lazy[pointers->id]) return;
  add_follower(
      c, (Follower){.access = access, .root = propagate_root(p, propagate_source(p, op_operand(op, 0))->id)});
}

static void find_followers(HomeChoice *c) {
  for (const GraphTouch *touch = c->p->touches[c->root]; touch; touch = touch->next) {
    if (touch->edge) follow_edge(c, touch->edge, c->root);
    if (touch->access) follow_access(c, touch->access);
  }
  for (uint32_t i = 0; i < c->followers; i++)
    for (const GraphTouch *touch = c->p->touches[c->follower[i].root]; touch; touch = touch->next)
      if (touch->edge) follow_edge(c, touch->edge, c->follower[i].root);
}

// Proposes the layouts in which nothing is converted between a follower and its users.
static void propose_from_follower(HomeChoice *c, const Follower *follower) {
  Propagator *p = c->p;
  for (const GraphTouch *touch = p->touches[follower->root]; touch; touch = touch->next) {
    const GraphEdge *edge = touch->edge;
    if (!edge || edge->result != NO_RESULT || propagate_root(p, edge->source->id) != follower->root) continue;
    const Layout *op_layout = p->home[propagate_root(p, edge->node)];
    const Layout *wanted = op_layout ? flow_operand(edge->op, edge->operand, op_layout) : NULL;
    wanted = propagate_back(p, op_operand(edge->op, edge->operand), wanted);
    for (const Follower *at = follower; at && wanted;
         at = find_follower(c, propagate_root(p, leader_of(c, at))))
      wanted = led(c, at, wanted);
    propose_layout(c, wanted);
  }
}

// A follower stays where it is if the layout tried gives no layout for it. Leaders are before their followers.
static void follow_to(HomeChoice *c, const Layout *layout) {
  for (uint32_t i = 0; i < c->followers; i++) {
    Follower *follower = &c->follower[i];
    const Layout *at = followed(c, follower, home_of(c, leader_of(c, follower), layout));
    follower->at = at ? at : c->p->home[follower->root];
  }
}

static uint64_t divisions_at_home(const HomeChoice *c, const GraphAccess *access, const Layout *tried) {
  const Layout *at = access->division_count ? layout_at_home(c, access, tried) : NULL;
  return at ? division_cost(access, at) : 0;
}

static bool touches_root(const HomeChoice *c, const GraphTouch *touch, uint32_t root) {
  Propagator *p = c->p;
  if (touch->kind >= TOUCH_REDUCTION) return false; // Counted with one component only.
  if (touch->edge)
    return propagate_root(p, touch->edge->source->id) == root || propagate_root(p, touch->edge->node) == root;
  const Op *op = touch->access->op;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (propagate_root(p, propagate_source(p, op_operand(op, i))->id) == root) return true;
  return op_result(op) && propagate_root(p, op_result(op)->id) == root;
}

// Returns true if the choosing component, or one of the first `followers`, counts it too.
static bool is_counted(const HomeChoice *c, const GraphTouch *touch, uint32_t followers) {
  bool counted = touches_root(c, touch, c->root);
  for (uint32_t i = 0; i < followers && !counted; i++) counted = touches_root(c, touch, c->follower[i].root);
  return counted;
}

// The cost of everything that touches the component `root`: the choosing one, or follower `index`.
static uint64_t cost_of_touches(const HomeChoice *c, uint32_t root, uint32_t index, const Layout *layout) {
  uint64_t cost = 0, divisions = 0, access_part;
  for (const GraphTouch *touch = c->p->touches[root]; touch; touch = touch->next) {
    if (root != c->root && is_counted(c, touch, index)) continue;
    switch (touch->kind) {
    case TOUCH_ACCESS:
      best_for_access(c, touch->access, layout, &access_part);
      cost += access_part;
      divisions = max_u64(divisions, divisions_at_home(c, touch->access, layout));
      break;
    case TOUCH_EDGE: cost += edge_cost(c, touch->edge, layout); break;
    case TOUCH_PAIRS:
    case TOUCH_REDUCTION:
      cost += reduction_cost(touch->reduction, root == c->root ? layout : c->follower[index].at);
      break;
    }
  }
  return cost + divisions;
}

// The stores to buffers of dots that read the component's tiles in shared memory.
static uint64_t stores_cost(const HomeChoice *c, const Layout *layout) {
  uint64_t cost = 0;
  for (const GraphTouch *touch = c->p->touches[c->root]; touch; touch = touch->next) {
    const GraphEdge *edge = touch->edge;
    if (!edge || !is_factor(edge) || propagate_root(c->p, edge->source->id) != c->root) continue;
    if (op_attr(edge->op, edge->operand ? ATTR_ANCHOR_B : ATTR_ANCHOR_A)) continue;
    cost += edge->weight * unpacked_store_cost(edge->source->type, layout);
  }
  return cost;
}

// To unpack weights is much work: all of it that is repeated counts.
static uint64_t cost_of(const HomeChoice *c, const Layout *layout) {
  uint64_t cost = cost_of_touches(c, c->root, 0, layout);
  if (c->words) return cost + c->work * repeated_registers(layout) + stores_cost(c, layout);
  return cost + c->work * (c->waited ? repeated_registers(layout) : redundant_registers(layout));
}

// Includes all repeated computation: compared with a division, a saved conversion is cheap.
static uint64_t cost_together(const HomeChoice *c, uint64_t effort, const Layout *layout) {
  uint64_t cost = effort * repeated_registers(layout) + cost_of_touches(c, c->root, 0, layout);
  for (uint32_t i = 0; i < c->followers; i++) {
    const Follower *follower = &c->follower[i];
    cost +=
        follower->effort * repeated_registers(follower->at) + cost_of_touches(c, follower->root, i, layout);
  }
  return cost;
}

// Returns false, and chooses nothing, if nothing is known for the component yet and it `waits` for its neighbours.
static bool choose_component(Propagator *p, GraphComponent *component, bool waits, bool last) {
  HomeChoice c = {
      .p = p, .root = component->root, .work = component->work, .waited = component->waited, .last = last};
  uint64_t best = 0;
  const Layout *chosen = NULL;
  c.words = propagate_unpacks(p, c.root);
  if (c.words) propose_layout(&c, propagate_words_first(p, c.words));
  gather_candidates(&c);
  if (waits && c.alone) {
    component->waited = true;
    return false;
  }
  for (uint32_t i = 0; i < c.count; i++) {
    uint64_t cost = c.count > 1 ? cost_of(&c, c.candidate[i]) : 0;
    if (chosen && cost >= best) continue;
    chosen = c.candidate[i];
    best = cost;
  }
  p->home[component->root] = chosen;
  return true;
}

// Layouts spread from accesses and dots. A component that these do not reach takes its default; then the rest goes on.
// A default chosen earlier would spread to accesses behind views and reductions, and make them narrow.
static void choose_first(Propagator *p) {
  bool waits = true, more = true;
  while (more) {
    bool progress = more = false;
    for (uint32_t i = 0; i < p->components.n; i++) {
      uint32_t root = p->components.at[i].root;
      if (p->fixed[root] || p->home[root]) continue;
      if (!choose_component(p, &p->components.at[i], waits, false)) {
        more = true;
        continue;
      }
      if (p->home[root]) progress = waits = true;
    }
    if (!progress) waits = false;
  }
}

// Moves a component and its followers together, if they cost less elsewhere. None of them would have moved separately.
static bool move_together(Propagator *p, const GraphComponent *component) {
  HomeChoice c = {.p = p, .root = component->root};
  const Layout *chosen = NULL;
  find_followers(&c);
  if (!c.followers || !p->home[c.root]) return false;
  gather_candidates(&c);
  for (uint32_t i = 0; i < c.followers; i++) propose_from_follower(&c, &c.follower[i]);
  uint64_t best = cost_together(&c, component->effort, p->home[c.root]);
  for (uint32_t i = 0; i < c.count; i++) {
    follow_to(&c, c.candidate[i]);
    uint64_t cost = cost_together(&c, component->effort, c.candidate[i]);
    if (cost >= best) continue;
    chosen = c.candidate[i];
    best = cost;
  }
  if (!chosen) return false;
  p->home[c.root] = chosen;
  follow_to(&c, chosen);
  for (uint32_t i = 0; i < c.followers; i++) p->home[c.follower[i].root] = c.follower[i].at;
  return true;
}

static void choose_again(Propagator *p, bool last) {
  for (uint32_t i = 0; i < p->components.n; i++)
    if (!p->fixed[p->components.at[i].root]) choose_component(p, &p->components.at[i], false, last);
}

static bool has_dot(const Propagator *p) {
  for (uint32_t i = 0; i < p->edges.n; i++)
    if (p->edges.at[i].op->kind == OP_DOT) return true;
  return false;
}

// Lines count where L2 may be what a kernel waits for. It seldom is in these:
// * Kernels with dots. An exchange would take shared memory from operands.
// * Tiles with fewer elements than threads.
// * Narrow single elements in loops: L1 keeps their lines, and the next iterations read on in them.
static bool lines_count(const GraphAccess *access, bool dots) {
  bool narrow = access->cached && access->bits == 0 && access->bytes < 4 && access->weight > 1;
  return !dots && !narrow && type_elements(op_operand(access->op, 0)->type) >= region_threads(access->op);
}

void propagate_choose(Propagator *p) {
  bool moved = false, dots = has_dot(p);
  for (uint32_t i = 0; i < p->accesses.n; i++)
    if (!lines_count(&p->accesses.at[i], dots)) p->accesses.at[i].spread = 0;
  choose_first(p);
  choose_again(p, false);
  for (uint32_t i = 0; i < p->components.n; i++)
    if (!p->fixed[p->components.at[i].root]) moved |= move_together(p, &p->components.at[i]);
  if (moved) choose_again(p, false); // Their neighbours may follow.
  if (!dots) choose_again(p, true);  // Loads of dots are copied ahead, in wide accesses.
  HomeChoice all = {.p = p, .root = UINT32_MAX};
  for (uint32_t i = 0; i < p->accesses.n; i++) {
    GraphAccess *access = &p->accesses.at[i];
    uint64_t cost;
    access->layout = best_for_access(&all, access, NULL, &cost);
  }
}
