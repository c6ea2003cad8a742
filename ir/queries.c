// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/queries.h"

#include "base/integer.h"
#include "ir/build.h"

// The first op of the op's regions from number `r` on. NULL: they are empty.
static Op *first_inside(const Op *op, uint32_t r) {
  while (r < op->region_count && !op->regions[r]->first) r++;
  return r < op->region_count ? op->regions[r]->first : NULL;
}

static Op *innermost(const OpWalk *w, Op *op) {
  for (Op *inner = op; w->outward && inner; inner = first_inside(op, 0)) op = inner;
  return op;
}

// The op that follows this one and the ops in its regions.
static Op *follower(const OpWalk *w, const Op *op) {
  while (op != w->top) {
    if (op->next) return innermost(w, op->next);
    if (op->region == w->in) return NULL;
    Op *parent = op->region->parent;
    uint32_t r = 0;
    while (parent->regions[r] != op->region) r++;
    Op *beside = first_inside(parent, r + 1);
    if (beside) return innermost(w, beside);
    if (w->outward) return parent;
    op = parent;
  }
  return NULL;
}

OpWalk ops_in(const Region *region) { return (OpWalk){.in = region, .after = region->first}; }

OpWalk ops_of(const Op *op) { return (OpWalk){.top = op, .after = (Op *)op}; }

OpWalk ops_inside(const Op *op) { return (OpWalk){.top = op, .after = first_inside(op, 0)}; }

OpWalk ops_outward(const Region *region) {
  OpWalk w = {.in = region, .outward = true};
  w.after = region->first ? innermost(&w, region->first) : NULL;
  return w;
}

bool ops_next(OpWalk *w) {
  Op *op = w->op;
  if (op && op->region == w->home) {
    Op *inner = w->outward ? NULL : first_inside(op, 0);
    w->after = inner ? inner : follower(w, op);
  } else if (op && w->after && !w->after->region) {
    Op *left = w->before && w->before->region == w->home ? w->before->next : w->home->first;
    w->after = left ? innermost(w, left) : NULL;
  }
  w->op = w->after;
  if (!w->op) return false;
  w->home = w->op->region;
  w->before = w->op->prev;
  w->after = follower(w, w->op);
  return true;
}

Op *ops_find(const Region *region, OpKind kind) {
  OpWalk w = ops_in(region);
  while (ops_next(&w) && w.op->kind != kind) {
  }
  return w.op;
}

Op *region_find(const Region *region, OpKind kind) {
  Op *op = region->first;
  while (op && op->kind != kind) op = op->next;
  return op;
}

void op_mark_inside(const Op *op, bool *marks, bool mark) {
  for (OpWalk w = ops_of(op); ops_next(&w);) {
    for (uint32_t i = 0; w.op != op && i < w.op->result_count; i++) marks[w.op->results[i].id] = mark;
    for (uint32_t r = 0; r < w.op->region_count; r++)
      for (uint32_t i = 0; i < w.op->regions[r]->arg_count; i++) marks[w.op->regions[r]->args[i]->id] = mark;
  }
}

uint32_t op_last_id(const Op *op) {
  for (uint32_t r = op->region_count; r-- > 0;)
    if (op->regions[r]->last) return op_last_id(op->regions[r]->last);
  return op->id;
}

uint32_t op_use_end(const Op *op, const Region *home) {
  uint32_t end = op->id;
  for (; op->region != home && op->region->parent; op = op->region->parent)
    if (op_is_loop(op->region->parent)) end = op_last_id(op->region->parent);
  return end;
}

uint32_t value_use_end(const Value *value, const Region *home) {
  bool buffer = value->type->kind == TYPE_SHARED;
  uint32_t end = 0;
  for (const Use *use = value->first_use; use; use = use->next) {
    uint32_t until = op_use_end(use->user, home);
    if (buffer && op_is_buffer_view(use->user))
      until = max_u32(until, value_use_end(op_result(use->user), home));
    end = max_u32(end, until);
  }
  return end;
}

Op *value_first_user(const Value *value, const Region *region) {
  for (Op *op = region->first; op; op = op->next)
    for (const Use *use = value->first_use; use; use = use->next)
      if (op_in_region(use->user, region) == op) return op;
  return NULL;
}

Value *flow_target(const Use *use, uint32_t n) {
  const Op *user = use->user, *op = user->kind == OP_YIELD ? user->region->parent : user;
  if (!op || !op_has(op, FLOW)) return NULL;
  bool enters = op == user, tests = !enters && op->kind == OP_WHILE && user->region == op->regions[0];
  uint32_t operand = (uint32_t)(use - user->operands),
           first = enters && op->kind == OP_FOR ? LOOP_FIRST_INIT : tests;
  if (operand < first || (enters && op->kind == OP_IF)) return NULL;
  Value *result = op->kind != OP_WHILE || tests ? &op->results[operand - first] : NULL;
  if (op->kind == OP_IF) return n == 0 ? result : NULL;
  if (n > 0) return n == 1 ? result : NULL;
  return op->regions[tests]->args[operand - first + (op->kind == OP_FOR)];
}

Value *flow_source(const Value *value, uint32_t n) {
  const Op *op = value->def ? value->def : value->region->parent;
  if (!op || !op_has(op, FLOW)) return NULL;
  if (op->kind == OP_IF) return n < 2 ? op_operand(op->regions[n]->last, value->index) : NULL;
  if (op->kind == OP_WHILE) {
    bool tested = value->def || value->region == op->regions[1];
    if (tested) return n == 0 ? op_operand(op->regions[0]->last, value->index + 1) : NULL;
    return n == 0   ? op_operand(op, value->index)
           : n == 1 ? op_operand(op->regions[1]->last, value->index)
                    : NULL;
  }
  if (!value->def && value->index == 0) return NULL; // the loop's index
  uint32_t i = value->index - !value->def;
  return n == 0 ? loop_init(op, i) : n == 1 ? loop_yielded(op, i) : NULL;
}

Value **loop_inits(Arena *arena, const Op *loop, uint32_t more) {
  Value **inits = ARENA_ARRAY(arena, Value *, loop->result_count + more);
  for (uint32_t i = 0; i < loop->result_count; i++) inits[i] = loop_init(loop, i);
  return inits;
}

uint32_t op_effects(const Op *op) {
  uint32_t traits = 0;
  for (OpWalk w = ops_of(op); ops_next(&w);) traits |= op_traits[w.op->kind];
  return traits & (READS | WRITES);
}

Op *op_enclosing_loop(const Op *op) {
  Op *around = op->region->parent;
  while (around && !op_is_loop(around)) around = around->region->parent;
  return around;
}

bool op_reduces_by(const Op *op, OpKind kind) {
  return op->kind == OP_REDUCE && op->result_count == 1 && region_combines_by(op->regions[0]) == kind;
}

OpKind region_combines_by(const Region *region) {
  const Op *by = region->first;
  bool one = region->arg_count == 2 && by && by->next && by->next == region->last && by->operand_count == 2;
  if (!one || op_operand(region->last, 0) != op_result(by)) return OP_COUNT;
  const Value *a = op_operand(by, 0), *b = op_operand(by, 1), *x = region->args[0], *y = region->args[1];
  return (a == x && b == y) || (a == y && b == x) ? by->kind : OP_COUNT;
}

bool op_precedes(const Op *a, const Op *b) {
  b = op_in_region(b, a->region);
  while (b && a && a != b) a = a->next;
  return b && a;
}

bool op_same_form(const Op *a, const Op *b) {
  if (a->kind != b->kind || a->operand_count != b->operand_count || a->result_count != b->result_count ||
      a->region_count != b->region_count || !op_same_attrs(a, b))
    return false;
  for (uint32_t i = 0; i < a->result_count; i++)
    if (a->results[i].type != b->results[i].type) return false;
  return true;
}

Value *value_before(const Value *value, OpKind kind) {
  while (value->def && value->def->kind == kind) value = op_operand(value->def, 0);
  return (Value *)value;
}

bool value_is_int(const Value *value, int64_t number) {
  int64_t constant;
  return value_int_constant(value, &constant) && constant == number;
}

bool comparison_holds(OpKind kind, int order) {
  switch ((int)kind) {
  case OP_EQ: return order == 0;
  case OP_NE: return order != 0;
  case OP_LT: return order < 0;
  case OP_LE: return order <= 0;
  case OP_GT: return order > 0;
  case OP_GE: return order >= 0;
  default: return false;
  }
}

bool op_follows_dots(const Op *op) {
  bool arrives = op->kind == OP_MBARRIER_ARRIVE || (op_has(op, RING) && op->result_count == 1);
  return arrives && op->operand_count > 1;
}
