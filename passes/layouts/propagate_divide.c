// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divisions in an access's addresses and masks. They are made on demand in the access's layout. Most ops there need one
// instruction or none, but a division by a run-time number needs about twenty. A thread divides once for the elements
// of one run (coalesce marks them). It also divides once for elements along which no dividend changes.
#include "base/integer.h"
#include "target/tuning.h"
#include "passes/layouts/propagate.h"

enum { MAX_VISITED = 96 };

typedef struct DivisionSearch {
  const Propagator *p;
  GraphAccess *access;
  const Type *tile; // the access's
  const Op *visited[MAX_VISITED];
  uint32_t count;
} DivisionSearch;

// By a value's dimension: the access's dimension; TILE_MAX_RANK: none.
typedef struct DimsOfAccess {
  uint32_t at[TILE_MAX_RANK];
} DimsOfAccess;

static DimsOfAccess behind_view(const Op *op, const DimsOfAccess *dims) {
  DimsOfAccess behind = *dims;
  uint32_t rank = op_result(op)->type->rank, axis = (uint32_t)op_int(op, ATTR_AXIS, 0);
  const Attr *order = op_attr(op, ATTR_ORDER);
  for (uint32_t d = 0; d < rank; d++) {
    if (op->kind == OP_EXPAND_DIMS && d != axis) behind.at[d - (d > axis)] = dims->at[d];
    if (op->kind == OP_TRANS) behind.at[order->ints.at[d]] = dims->at[d];
  }
  return behind;
}

// The index bits of the access that do not change the division.
static uint32_t same_division(const DivisionSearch *s, const Op *op, const DimsOfAccess *dims) {
  const Type *tile = op_result(op)->type;
  const Attr *counts = op_attr(op, ATTR_CONTIGUOUS), *runs = counts ? counts : op_attr(op, ATTR_CONSTANT);
  uint32_t moves = 0;
  for (uint32_t d = 0; d < tile->rank; d++) {
    if (tile->shape[d] == 1 || dims->at[d] == TILE_MAX_RANK) continue;
    uint32_t first, bits = layout_dim_bits(s->tile->rank, s->tile->shape, dims->at[d], &first);
    uint32_t run = runs ? min_u32(bits, log2_floor((uint64_t)runs->ints.at[d])) : 0;
    moves |= ((UINT32_C(1) << bits) - (UINT32_C(1) << run)) << first;
  }
  return ~moves;
}

static void note_division(DivisionSearch *s, const Op *op, const DimsOfAccess *dims) {
  const AxisInfo *by = axis_info(s->p->axes, op_operand(op, 1));
  const Value *result = op_result(op);
  bool power = by->known && by->constant > 0 && is_power_of_two((uint64_t)by->constant);
  if (!type_is_int(result->type) || power || s->access->division_count == MAX_DIVISIONS) return;
  uint32_t cost = by->known ? TUNE_COST_MULTIPLY_HIGH : TUNE_COST_DIVISION;
  if (type_element_bytes(result->type) == 8) cost *= TUNE_COST_WIDE_DIVISION;
  cost *= propagate_weight(s->p->depth[result->id]);
  s->access->divisions[s->access->division_count++] = (GraphDivision){same_division(s, op, dims), cost};
}

static bool visit_first(DivisionSearch *s, const Op *op) {
  for (uint32_t i = 0; i < s->count; i++)
    if (s->visited[i] == op) return false;
  if (s->count == MAX_VISITED) return false;
  s->visited[s->count++] = op;
  return true;
}

static void find_divisions(DivisionSearch *s, const Value *value, const DimsOfAccess *dims) {
  const Op *op = value->def;
  if (!op || !s->p->lazy[value->id] || op->kind == OP_RESHAPE || !visit_first(s, op)) return;
  DimsOfAccess behind = op_has(op, VIEW) ? behind_view(op, dims) : *dims;
  if (op->kind == OP_DIV || op->kind == OP_REM) note_division(s, op, dims);
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (type_is_tile(op_operand(op, i)->type)) find_divisions(s, op_operand(op, i), &behind);
}

void propagate_find_divisions(const Propagator *p, GraphAccess *access) {
  DivisionSearch s = {.p = p, .access = access, .tile = op_operand(access->op, 0)->type};
  DimsOfAccess dims;
  for (uint32_t d = 0; d < TILE_MAX_RANK; d++) dims.at[d] = d;
  for (uint32_t i = 0; i < access->op->operand_count; i++)
    find_divisions(&s, op_operand(access->op, i), &dims);
}

uint64_t division_cost(const GraphAccess *access, const Layout *layout) {
  uint64_t cost = 0;
  for (uint32_t i = 0; i < access->division_count; i++) {
    uint32_t doubled = 0;
    for (uint32_t r = 0; r < layout->bits[DIM_REGISTER]; r++)
      doubled += (layout->basis[r] & ~access->divisions[i].same) != 0;
    cost += (uint64_t)access->divisions[i].cost << doubled;
  }
  return cost;
}
