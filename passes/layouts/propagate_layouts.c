// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// propagate_layouts: gives every tile type a layout, from the anchors on accesses and dots.
//
// ```
// before  %v = load %p {anchor = L8, align = 16, vector = 8} : tile<1024xfp16>
//         (and a store of fp32 with anchor L4)
// after   %v = load %p {align = 8, vector = 4} : tile<1024xfp16, L4>
// ```
//
// needs   anchors (coalesce, choose_dot). Without one, an access moves an element at a time in the default layout
// keeps   every value
// breaks  nothing. From here on every tile type has a layout. No access has an anchor, and every load and store of a
//         tile has `align` and `vector`
// pays    values that must share a layout are one component with one layout. So nothing is converted between them
//
// A component's accesses, dots and neighbours propose layouts. It takes the one that costs least. These costs count,
// each weighted by the loops around it:
// * Sectors, lines and instructions of accesses.
// * Elements that reductions move between threads.
// * Conversions between components.
//
// Layouts spread from accesses and dots. A component that they have not reached waits for its neighbours.
//
// An access is split off if its own anchor and a conversion cost less. Cheap values are made again in each layout that
// is asked for. So are values computed only from rows and columns (a mask), if it costs less to convert these. In the
// end a component may move together with values computed from it in another shape (loaded[:, None] * stride). It moves
// if the total cost is lower.
//
// * propagate.h: Components, lazy values, views and edges.
// * propagate_graph.c: Finds them.
// * propagate_pair.c: Adds layouts for transpositions.
// * propagate_choose.c: Chooses by the costs of propagate_cost.c and propagate_divide.c (divisions in addresses).
// * propagate_unpack.c: Components that unpack words.
// * propagate_carried.c: Offsets that loops carry and that several layouts need.
// * propagate_rewrite.c: Makes types, copies and conversions.
//
// After this pass a thread's registers, in layout order, come in runs of `vector` elements that are consecutive in
// memory. Each run is one access under one mask bit. Its address is a multiple of `align` bytes.
//
// The source's hints go: no later pass asks axis_info. A hint between an address and its parts would hide these from
// carry_steps and others.
#include "ir/build.h"
#include "passes/layouts/propagate.h"

// Fits align and vector to the layout, and reports an access that became narrower because it shares the layout.
static void settle_access(Propagator *p, const GraphAccess *access) {
  uint32_t vector = access_vector(access, access->layout);
  uint32_t alone = access_vector(access, access->anchor);
  op_remove_attr(access->op, ATTR_ANCHOR);
  p->changed = true;
  bool atomic = access->op->kind != OP_LOAD && access->op->kind != OP_STORE;
  if (atomic && !op_attr(access->op, ATTR_VECTOR)) return;
  int64_t bytes = (int64_t)vector * access->bytes, align = op_int(access->op, ATTR_ALIGN, access->bytes);
  if (align > bytes) align = bytes;
  op_set_int(access->op, ATTR_ALIGN, align);
  op_set_int(access->op, ATTR_VECTOR, vector);
  if (vector == 1) op_remove_attr(access->op, ATTR_PARTIAL);
  if (vector >= alone) return;
  diag_remark(
      p->context->diags, access->op->loc, "propagate_layouts",
      "%s of %lld bytes per lane, not %u: it shares its layout with other accesses, which costs less overall",
      op_info(access->op->kind)->name, (long long)bytes, alone * access->bytes);
}

static void drop_hints(Propagator *p) {
  for (OpWalk w = ops_in(p->func->body); ops_next(&w);) {
    if (w.op->kind != OP_HINT) continue;
    value_replace_uses(op_result(w.op), op_operand(w.op, 0));
    op_erase(w.op);
    p->changed = true;
  }
}

// All homes and the layouts of accesses.
static Propagator choose_all(PassContext *context, Func *func) {
  Propagator p = {.context = context, .func = func, .axes = axis_analyse(context->scratch, func)};
  propagate_build(&p);
  propagate_pair(&p);
  propagate_choose(&p);
  return p;
}

bool pass_propagate_layouts(PassContext *context, Func *func) {
  Propagator p = choose_all(context, func);
  bool carried = propagate_carry_sums(&p);
  if (carried) p = choose_all(context, func);
  propagate_rewrite(&p);
  for (uint32_t i = 0; i < p.accesses.n; i++) settle_access(&p, &p.accesses.at[i]);
  drop_hints(&p);
  return p.changed || carried;
}
