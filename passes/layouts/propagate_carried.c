// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Offsets that a loop carries and that several layouts need.
//
// ```
// before  for ... (%o = arange) {                 %o has one layout: each iteration converts it to the others
//           ... %o ...
//           yield (add %o, splat %d)
//         }
// after   for ... (%s = 0) {                      a scalar
//           %o = add arange, splat %s             lazy: made in each layout that asks
//           ... %o ...
//           yield (add %s, %d)
//         }
// ```
//
// An offset that only one layout needs stays as it is. Then the sum would cost the same additions.
#include "ir/build.h"
#include "passes/layouts/propagate.h"

enum { MAX_DEPTH = 8 };

typedef struct CarriedSums {
  Propagator *p;
  VEC(Value *) found;
} CarriedSums;

// Returns true if the value can be made again in any layout, once the loops carry sums. Adds their tiles to `found`.
static bool find_sums(CarriedSums *c, Value *value, uint32_t depth) {
  Op *op = value->def;
  if (!type_is_tile(value->type) || c->p->lazy[value->id]) return true;
  if (depth == 0) return false;
  if (!op) {
    const Op *loop = value->region->parent;
    if (!loop || loop->kind != OP_FOR || !loop_adds_steps(loop, value->index - 1)) return false;
    vec_push(c->p->context->scratch, &c->found, value);
    return find_sums(c, loop_init(loop, value->index - 1), depth - 1);
  }
  if (op->result_count != 1 || !propagate_is_cheap(op)) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!find_sums(c, op_operand(op, i), depth - 1)) return false;
  return true;
}

// `layout`: the one that the op needs for its operand.
static void visit_operand(CarriedSums *c, Value *operand, const Layout *layout) {
  Propagator *p = c->p;
  if (!type_is_tile(operand->type) || p->lazy[operand->id]) return;
  Value *source = propagate_source(p, operand);
  const Layout *home = p->home[propagate_root(p, source->id)], *wanted = propagate_back(p, operand, layout);
  if (!home || !wanted || layout_conversion(home, wanted) < CONVERT_LANES) return;
  uint32_t before = c->found.n;
  if (!find_sums(c, source, MAX_DEPTH)) c->found.n = before;
}

bool propagate_carry_sums(Propagator *p) {
  CarriedSums c = {.p = p};
  for (uint32_t i = 0; i < p->edges.n; i++) {
    const GraphEdge *edge = &p->edges.at[i];
    const Layout *layout = p->home[propagate_root(p, edge->node)];
    if (edge->result == NO_RESULT && layout)
      visit_operand(&c, op_operand(edge->op, edge->operand), flow_operand(edge->op, edge->operand, layout));
  }
  for (uint32_t i = 0; i < p->accesses.n; i++)
    for (uint32_t k = 0; k < p->accesses.at[i].op->operand_count; k++)
      visit_operand(&c, op_operand(p->accesses.at[i].op, k), p->accesses.at[i].layout);
  for (uint32_t i = 0; i < c.found.n; i++)
    if (type_is_tile(c.found.at[i]->type)) // The first time.
      loop_carry_sum(c.found.at[i]->region->parent, c.found.at[i]->index - 1);
  if (c.found.n) func_number(p->func);
  return c.found.n > 0;
}
