// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values before and after a dot: do two dots form a chain?
#include <string.h>
#include "passes/layouts/choose_dot.h"

enum { FEED_STEPS = 4096 };

typedef struct DotSearch {
  const DotChooser *c;
  uint32_t steps;
} DotSearch;

static bool reaches_dot(DotSearch *search, const Value *value);

static bool passes_through(const Op *op) {
  return op_has(op, PURE | ELEMENTWISE) || op_has(op, SPREADS) || op->kind == OP_CONVERT_LAYOUT ||
         op->kind == OP_MAP;
}

static bool reaches_through(DotSearch *search, const Use *use) {
  const Op *user = use->user;
  if (user->kind == OP_DOT) return use == user->operands;
  const Value *chosen = flow_target(use, 0);
  if (chosen && chosen->def) return reaches_dot(search, chosen); // by a branch
  if (!passes_through(user)) return false;
  for (uint32_t i = 0; i < user->result_count; i++)
    if (reaches_dot(search, &user->results[i])) return true;
  return false;
}

static bool reaches_dot(DotSearch *search, const Value *value) {
  if (search->c->feeds[value->id] || search->steps == 0) return false; // Visited before, without success.
  search->steps--;
  search->c->feeds[value->id] = 1;
  for (const Use *use = value->first_use; use; use = use->next)
    if (reaches_through(search, use)) return true;
  return false;
}

bool dot_feeds(DotChooser *c, const Op *dot) {
  DotSearch search = {c, FEED_STEPS};
  memset(c->feeds, 0, c->func->value_count);
  return reaches_dot(&search, op_result(dot));
}

// Returns true if a dot's result reaches the value through elementwise ops and branches.
static bool comes_from_dot(DotSearch *search, const Value *value) {
  const Op *op = value->def;
  if (!op || !type_is_tile(value->type) || search->c->feeds[value->id] || search->steps == 0) return false;
  search->steps--;
  search->c->feeds[value->id] = 1;
  if (op->kind == OP_DOT) return true;
  if (op->kind == OP_IF)
    return comes_from_dot(search, flow_source(value, 0)) || comes_from_dot(search, flow_source(value, 1));
  for (uint32_t i = 0; passes_through(op) && i < op->operand_count; i++)
    if (comes_from_dot(search, op_operand(op, i))) return true;
  return false;
}

bool dot_is_fed(DotChooser *c, const Op *dot) {
  DotSearch search = {c, FEED_STEPS};
  memset(c->feeds, 0, c->func->value_count);
  return comes_from_dot(&search, op_operand(dot, 0));
}

bool dot_operand_is_computed(const Value *value) {
  for (uint32_t steps = 0; value->def && steps < 16; steps++) {
    const Op *op = value->def;
    if (op->kind == OP_LOAD || op->kind == OP_BLOCK_LOAD) return false;
    if (op->kind == OP_TRANS) return false;
    if (op_has(op, CONTROL) || op->kind == OP_DOT) return true;
    if (op->operand_count == 0 || (op->operand_count > 1 && op->kind != OP_TMA_MARK)) return true;
    value = op_operand(op, 0);
  }
  return true;
}
