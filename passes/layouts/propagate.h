// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of propagate_layouts; propagate_layouts.c has the pass.
//
// Every tile value is lazy, a view, or at home in a component.
//   lazy   a pure chain of constants, aranges, splats, cheap elementwise ops and views of such: it is made in
//          whatever layout a user asks for, once for each
//   view   a shape op on something that is not lazy: made in the layout that is asked for too, from its
//          source, which is converted where it must be
//   home   all others: values that must have one layout (elementwise ops, what loops carry, branches yield)
//          are one component of a union-find over values and ops
// Edges are where components meet: an operand behind a view, a reduction and its result, a dot's operands.
#ifndef PASSES_LAYOUTS_PROPAGATE_H
#define PASSES_LAYOUTS_PROPAGATE_H

#include "passes/analysis/axis_info.h"
#include "passes/analysis/layout_flow.h"
#include "passes/passes.h"
#include "target/tuning.h"

enum { MAX_PAIRED = 4, MAX_DIVISIONS = 8, NO_RESULT = -1 };

// A division that an access's address or mask takes, made in the access's layout.
typedef struct GraphDivision {
  uint32_t same; // bits of the flattened index by which it stays the same one
  uint32_t cost; // of one
} GraphDivision;

// A load, a store, an atomic. It may work in another layout than the components it touches.
typedef struct GraphAccess {
  Op *op;
  const Layout *anchor;             // the default layout where no pass gave one
  const Layout *layout;             // what it works in: known when all components are
  const Layout *paired[MAX_PAIRED]; // further ones, from propagate_pair; NULL: no more
  uint32_t bytes, weight;
  uint32_t vector; // elements: at most these
  // The bits of the flattened index in which addresses count upwards: the first, and how many.
  uint32_t shift, bits;
  // By bit of the flattened index: the bytes that it leads away;
  // what is not known leads to a place of its own.
  uint64_t place[32];
  GraphDivision divisions[MAX_DIVISIONS];
  uint32_t division_count;
} GraphAccess;

// Between the component of `source` and that of the op: `source` is the op's result, or what its operand, or
// the source of that where it is a view, is.
typedef struct GraphEdge {
  Op *op;
  uint32_t node; // the op's: layouts of the op are those of its component
  Value *source;
  int32_t result; // its index; NO_RESULT: an operand
  uint32_t operand, weight;
} GraphEdge;

typedef struct GraphReduction {
  Op *op; // reduce, scan
  uint32_t node, weight;
} GraphReduction;

// What touches a component, in lists.
typedef enum TouchKind { TOUCH_ACCESS, TOUCH_EDGE, TOUCH_REDUCTION } TouchKind;

typedef struct GraphTouch {
  TouchKind kind;
  uint32_t index, next; // next: index + 1; 0: the last
} GraphTouch;

typedef struct GraphComponent {
  uint32_t root;
  const Type *tile; // whose layouts it has
  uint64_t weight;  // bytes, times loops
  uint64_t work;    // values that are made in its layouts, times loops
  uint64_t effort;  // the same, a division of integers as many as it costs
} GraphComponent;

// A value in one more layout.
typedef struct LayoutCopy {
  const Layout *layout;
  Value *value;
  uint32_t before; // a conversion: the id of the op that it stands before
  struct LayoutCopy *next;
} LayoutCopy;

typedef struct Propagator {
  PassContext *context;
  Func *func;
  const AxisTable *axes;
  uint32_t value_count, node_count; // nodes: values, then ops, by their ids
  uint32_t *parent;                 // union-find over nodes
  const Type **tile;                // by node: a tile whose layout the node's is; NULL: none
  const Region **place;             // by node: where that tile is
  const Layout **home;              // by root: chosen or fixed; NULL: not yet
  bool *fixed;                      // by root
  bool *lazy, *view;                // by value id
  uint32_t *chain;                  // by value id: how many lazy values or views hang on one another; else 0
  uint32_t *depth;                  // by value id: loops around its definition
  uint32_t *touches;                // by root: index + 1 of the first; 0: none
  Value **origin;                   // by value id: the value; its copies have its id too
  LayoutCopy **copies;              // by value id
  int32_t *access_of;               // by op id: index, -1
  bool *done;                       // by op id: its tiles had layouts before
  VEC(GraphTouch) touch_list;
  VEC(GraphAccess) accesses;
  VEC(GraphEdge) edges;
  VEC(GraphReduction) reductions;
  VEC(GraphComponent) components;
  bool changed;
} Propagator;

// propagate_graph.c: fills all of the above but home and copies.
void propagate_build(Propagator *p);
uint32_t propagate_root(Propagator *p, uint32_t node);
static inline uint32_t propagate_node(const Propagator *p, const Op *op) { return p->value_count + op->id; }
static inline uint32_t propagate_weight(uint32_t loops) {
  uint32_t weight = 1;
  for (uint32_t i = 0; i < loops && i < TUNE_COST_LOOPS; i++) weight *= TUNE_COST_LOOP;
  return weight;
}
// Whether the value is made when it is asked for.
static inline bool propagate_on_demand(const Propagator *p, const Value *value) {
  return p->lazy[value->id] || p->view[value->id];
}
// Whether the op is done in any layout in which its result is asked for, if all of its operands are made so.
bool propagate_is_cheap(const Op *op);
// What a view shows, through any number of views; the value itself where it is none.
Value *propagate_source(const Propagator *p, Value *value);
// The source's layout from that of the value, and the other way.
const Layout *propagate_back(const Propagator *p, const Value *value, const Layout *layout);
const Layout *propagate_forward(const Propagator *p, const Value *value, const Layout *layout);

// propagate_pair.c: gives accesses that run along different dimensions
// of one value layouts in which threads hold blocks of both runs.
void propagate_pair(Propagator *p);
// Of a layout in which several lanes hold the same elements:
// each has its share of them, so that they are stored at once. NULL: of another.
const Layout *propagate_spread(Propagator *p, const GraphAccess *access, const Layout *layout);

// propagate_divide.c: what divisions of its addresses and masks cost, of those that are known from the graph.
void propagate_find_divisions(const Propagator *p, GraphAccess *access);
uint64_t division_cost(const GraphAccess *access, const Layout *layout);

// propagate_cost.c. Costs are a warp's issue slots, about: an access is ISSUE_COST and one a sector.
uint32_t access_vector(const GraphAccess *access, const Layout *layout); // elements at once in this layout
uint64_t access_cost(const GraphAccess *access, const Layout *layout);
uint64_t conversion_cost(const Type *tile, const Layout *from, const Layout *to);
uint64_t reduction_cost(const GraphReduction *reduction, const Layout *layout);

// propagate_choose.c: every component's home, and every access's layout.
void propagate_choose(Propagator *p);

// propagate_rewrite.c: types, copies of lazy values, conversions.
void propagate_rewrite(Propagator *p);

#endif
