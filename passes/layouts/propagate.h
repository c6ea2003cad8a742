// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of propagate_layouts. The pass itself is in propagate_layouts.c.
//
// Every tile value is lazy, a view, or at home in a component.
//   lazy   A pure chain of constants, aranges, splats, cheap elementwise ops and views of such. It is made in each layout
//          that a user asks for, once for each.
//   view   A shape op on something that is not lazy. It too is made in the requested layout. Its source is converted
//          if necessary.
//   home   All other values. Values that must have one layout form one component of a union-find over values and ops.
//          Examples are elementwise ops, loop-carried values and values that branches yield.
// Edges connect components: an operand through a view, a reduction and its result, a dot's operands.
#ifndef PASSES_LAYOUTS_PROPAGATE_H
#define PASSES_LAYOUTS_PROPAGATE_H

#include "passes/analysis/axis_info.h"
#include "passes/analysis/layout_flow.h"
#include "passes/passes.h"
#include "target/tuning.h"

enum { MAX_PAIRED = 4, MAX_DIVISIONS = 8, NO_RESULT = -1 };

// A division in an access's address or mask, made in the access's layout.
typedef struct GraphDivision {
  uint32_t same; // Bits of the flattened index that do not change the division.
  uint32_t cost; // The cost of one.
} GraphDivision;

enum { SECTOR_BITS = 5, SECTOR_BYTES = 1 << SECTOR_BITS, LINE_BITS = 7 }; // of global memory
enum { LINE_SECTORS = 4, PLACE_SPREAD = 64 };

// A load, a store, an atomic. It may work in another layout than the components that it touches.
typedef struct GraphAccess {
  Op *op;
  const Layout *anchor;             // The default layout if no pass gave one.
  const Layout *layout;             // Its working layout: known when all components have one.
  const Layout *paired[MAX_PAIRED]; // Further layouts, from propagate_pair; NULL: no more.
  uint32_t bytes, weight;
  uint32_t vector; // At most this many elements.
  bool
      copied; // A loaded tile can be copied ahead to a buffer (promote_loads), so a conversion only reads it.
  bool
      waits; // It can be copied ahead in its anchor. In layouts with narrower accesses the loop waits for it.
  uint32_t split; // A stored row begins up to so many bytes after the begin of a sector.
  bool cached;    // A load that keeps its sectors in L1.
  // The bits of the flattened index along which addresses count upwards: the first, and how many.
  uint32_t shift, bits;
  // By bit of the flattened index: its distance in bytes. An unknown distance gets its own place.
  uint64_t place[32];
  // The true distance along the dimension of the nearest neighbours over its power of two: PLACE_SPREAD is 1. 0: lines
  // do not count.
  uint32_t spread;
  GraphDivision divisions[MAX_DIVISIONS];
  uint32_t division_count;
} GraphAccess;

// An edge between the component of `source` and that of the op. `source` is the op's result or its operand. If the
// operand is a view, `source` is the view's source.
typedef struct GraphEdge {
  Op *op;
  uint32_t node; // The op's node: the op has the layout of its component.
  Value *source;
  int32_t result; // The index of the result; NO_RESULT: an operand.
  uint32_t operand, weight;
} GraphEdge;

typedef struct GraphReduction {
  Op *op; // reduce, scan
  uint32_t node, weight;
} GraphReduction;

// Everything that touches a component, in lists. TOUCH_PAIRS: a reduction of pairs of its elements, in another shape.
typedef enum TouchKind { TOUCH_ACCESS, TOUCH_EDGE, TOUCH_REDUCTION, TOUCH_PAIRS } TouchKind;

typedef struct GraphTouch {
  TouchKind kind;
  GraphAccess *access; // Neighbours: one of these.
  GraphEdge *edge;
  const GraphReduction *reduction;
  const struct GraphTouch *next; // NULL: the last.
} GraphTouch;

typedef struct GraphComponent {
  uint32_t root;
  const Type *tile; // The tile that has its layouts.
  uint64_t weight;  // Bytes, times loops.
  uint64_t work;    // Values made in its layouts, times loops.
  uint64_t effort;  // The same, but an integer division counts by its cost.
  bool waited;      // Its neighbours chose first.
} GraphComponent;

// A value in one more layout.
typedef struct LayoutCopy {
  const Layout *layout;
  Value *value;
  uint32_t before; // For a conversion: the id of the op after it.
  struct LayoutCopy *next;
} LayoutCopy;

typedef struct Propagator {
  PassContext *context;
  Func *func;
  const AxisTable *axes;
  uint32_t value_count, node_count; // Nodes: values, then ops, by their ids.
  uint32_t *parent;                 // Union-find over nodes.
  const Type **tile;                // By node: a tile whose layout is the node's; NULL: none.
  const Region **place;             // By node: the region of that tile.
  const Layout **home;              // By root: chosen or fixed; NULL: not yet.
  bool *fixed;                      // By root.
  bool *lazy, *view;                // By value id.
  uint32_t *chain;            // By value id: the length of its chain of lazy values or views; otherwise 0.
  uint32_t *depth;            // By value id: loops around its definition.
  const GraphTouch **touches; // By root: the first touch; NULL: none.
  Value **origin;             // By value id: the value. Its copies have its id too.
  LayoutCopy **copies;        // By value id.
  int32_t *access_of;         // By op id: index, or -1.
  bool *done;                 // By op id: its tiles had layouts before.
  VEC(GraphAccess) accesses;
  VEC(GraphEdge) edges;
  VEC(GraphReduction) reductions;
  VEC(GraphComponent) components;
  bool changed;
} Propagator;

// propagate_graph.c: fills all fields above except home and copies.
void propagate_build(Propagator *p);
uint32_t propagate_root(Propagator *p, uint32_t node);
static inline uint32_t propagate_node(const Propagator *p, const Op *op) { return p->value_count + op->id; }
static inline uint32_t propagate_weight(uint32_t loops) {
  uint32_t weight = 1;
  for (uint32_t i = 0; i < loops && i < TUNE_COST_LOOPS; i++) weight *= TUNE_COST_LOOP;
  return weight;
}
// Returns true if the value is made on demand.
static inline bool propagate_on_demand(const Propagator *p, const Value *value) {
  return p->lazy[value->id] || p->view[value->id];
}
// Returns true if the op can run in any layout of its result, if all its operands can be made in it.
bool propagate_is_cheap(const Op *op);
// The source of a view, through any number of views; the value itself if it is no view.
Value *propagate_source(const Propagator *p, Value *value);
// The source's layout from that of the value, and the reverse.
const Layout *propagate_back(const Propagator *p, const Value *value, const Layout *layout);
const Layout *propagate_forward(const Propagator *p, const Value *value, const Layout *layout);

// propagate_pair.c: gives more layouts to accesses that run along different dimensions of one value. In these, threads
// hold blocks of both runs.
void propagate_pair(Propagator *p);
// For a layout in which several lanes hold the same elements. Each lane gets its share, so that all are stored at once.
// NULL: it is another layout.
const Layout *propagate_spread(Propagator *p, const GraphAccess *access, const Layout *layout);

// propagate_unpack.c: components that compute with repeated words.
// The edge from the words; NULL: the component has none.
const GraphEdge *propagate_unpacks(Propagator *p, uint32_t root);
// The component's layout in which a thread has whole words, in its lowest registers; NULL: there is none.
const Layout *propagate_words_first(Propagator *p, const GraphEdge *edge);
// Returns true if the load's values are only used as repeated words.
bool propagate_loads_words(const Op *load);
// The cost of a conversion of what the access loads.
uint64_t loaded_conversion_cost(const GraphAccess *access, const Type *tile, const Layout *from,
                                const Layout *to);
// The cost to store the tile to a dot's buffer, once.
uint64_t unpacked_store_cost(const Type *tile, const Layout *layout);

// propagate_divide.c: the cost of divisions in addresses and masks, known from the graph.
void propagate_find_divisions(const Propagator *p, GraphAccess *access);
uint64_t division_cost(const GraphAccess *access, const Layout *layout);

// propagate_cost.c. Costs are roughly issue slots of a warp: an access costs TUNE_COST_ISSUE, and TUNE_COST_SECTOR per
// sector.
uint32_t access_vector(const GraphAccess *access, const Layout *layout); // elements per access
uint64_t access_cost(const GraphAccess *access, const Layout *layout);
uint64_t conversion_cost(const Type *tile, const Layout *from, const Layout *to);
uint64_t reduction_cost(const GraphReduction *reduction, const Layout *layout);

// propagate_choose.c: the home of every component, and the layout of every access.
void propagate_choose(Propagator *p);

// propagate_carried.c: loop-carried tiles that would change their layout in each iteration, but need not. Returns true if
// it changed the function: then the graph is no longer valid.
bool propagate_carry_sums(Propagator *p);

// propagate_rewrite.c: types, copies of lazy values, conversions.
void propagate_rewrite(Propagator *p);

#endif
