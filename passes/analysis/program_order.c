// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about a launch's programs and their order. Can the kernel be persistent? Do later programs along axis 0 have
// more work?
#include "ir/memory/groups.h"
#include "passes/analysis/plan.h"

// Returns true if the op could observe which programs ran before, whatever else the kernel does.
static bool tells_order(const Op *op) {
  if (op_has(op, ATOMIC) || op_attr(op, ATTR_VOLATILE)) return true;
  return op_has(op, OUTSIDE) && !op_has(op, SETUP) && op->kind != OP_INLINE_ASM;
}

// --- persistent kernels

static bool is_ordered(const Op *op) {
  if (op->kind == OP_INLINE_ASM && !op_attr(op, ATTR_PURE)) return true;
  return tells_order(op) || op->kind == OP_GDC_WAIT || op->kind == OP_GDC_LAUNCH_DEPENDENTS;
}

const char *programs_refuse_turns(const Func *func, Loc *loc) {
  const Op *ordered = NULL;
  for (OpWalk w = ops_in(func->body); !ordered && ops_next(&w);)
    if (is_ordered(w.op)) ordered = w.op;
  *loc = ordered ? ordered->loc : func->loc;
  if (ordered)
    return "it has ops whose order among programs matters (print, assert, atomics, inline PTX, "
           "volatile)";
  if (func_groups(func)) return "it has warp specialization";
  return func_visible_params(func) < func->param_count ? "it has hidden parameters" : NULL;
}

// --- more work in later programs
//
// A dot loop grows if its upper bound grows with the program number and its lower bound does not. If both grow (tiles
// on the diagonal), the loop neither grows nor shrinks. If the growth of a bound is not known, or a loop becomes
// shorter, there is no answer.

typedef enum Growth { GROWS_NOT, GROWS, GROWS_UNKNOWN } Growth;

typedef struct WorkSearch {
  const Op *growing; // a loop that is longer in later programs
  bool other, ordered;
} WorkSearch;

static Growth growth_of(const Value *value, uint32_t depth);

static Growth growth_of_both(const Op *op, uint32_t depth) {
  Growth a = growth_of(op_operand(op, 0), depth - 1), b = growth_of(op_operand(op, 1), depth - 1);
  return a > b ? a : b;
}

static Growth growth_of_multiple(const Op *op, uint32_t depth) {
  int64_t factor;
  Growth x = growth_of(op_operand(op, 0), depth - 1);
  if (x != GROWS) return growth_of_both(op, depth) == GROWS_NOT ? GROWS_NOT : GROWS_UNKNOWN;
  return value_int_constant(op_operand(op, 1), &factor) && factor > 0 ? GROWS : GROWS_UNKNOWN;
}

// How the number changes from one program to the next along axis 0, with the other axes fixed.
static Growth growth_of(const Value *value, uint32_t depth) {
  const Op *op = value->def;
  if (!op) return value->region->parent ? GROWS_UNKNOWN : GROWS_NOT; // A parameter does not grow.
  if (depth == 0) return GROWS_UNKNOWN;
  switch ((int)op->kind) {
  case OP_CONSTANT:
  case OP_NUM_PROGRAMS: return GROWS_NOT;
  case OP_PROGRAM_ID: return op_int(op, ATTR_AXIS, 0) == 0 ? GROWS : GROWS_NOT;
  case OP_HINT: return growth_of(op_operand(op, 0), depth - 1);
  case OP_CAST: return type_is_int(value->type) ? growth_of(op_operand(op, 0), depth - 1) : GROWS_UNKNOWN;
  case OP_ADD: return growth_of_both(op, depth);
  case OP_MUL:
  case OP_DIV: return growth_of_multiple(op, depth);
  default:
    return op_has(op, COMMUTES | CHOOSES) ? growth_of_both(op, depth) : GROWS_UNKNOWN; // minima, maxima
  }
}

static void look_at(WorkSearch *search, const Op *op) {
  enum { DEPTH = 16 };
  int64_t step;
  search->ordered |= tells_order(op) || op->kind == OP_INLINE_ASM; // Inline PTX may read the CTA's number.
  if (op->kind != OP_FOR || !region_find(op->regions[0], OP_DOT)) return;
  Growth lower = growth_of(loop_lower(op), DEPTH), upper = growth_of(loop_upper(op), DEPTH);
  bool up = value_int_constant(loop_step(op), &step) && step > 0;
  search->other |= lower == GROWS_UNKNOWN || upper < lower || upper == GROWS_UNKNOWN || !up;
  if (lower == GROWS_NOT && upper == GROWS) search->growing = op;
}

const Op *programs_grow(Func *func) {
  WorkSearch search = {0};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) look_at(&search, w.op);
  return search.other || search.ordered ? NULL : search.growing;
}
