// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/pointer_origin.h"

#include "ir/queries.h"

enum { MAX_CARRIED = 8, MAX_VISITS = 256 };

// The loop-carried values in the current search, innermost last, and the origin of each initial value. A pointer that
// comes back to one of them has the same argument.
typedef struct Origins {
  const Value *carried[MAX_CARRIED], *origin[MAX_CARRIED];
  uint32_t count, steps;
} Origins;

static const Value *origin_of(Origins *o, const Value *pointer);

static const Value *common(const Value *a, const Value *b) { return a == b ? a : NULL; }

// The origin of a loop-carried value is that of its initial value, if each iteration yields a pointer with the
// same one.
static const Value *carried_origin(Origins *o, const Value *value) {
  for (uint32_t k = 0; k < o->count; k++)
    if (o->carried[k] == value) return o->origin[k];
  const Value *origin = origin_of(o, flow_source(value, 0));
  if (!origin || o->count == MAX_CARRIED) return NULL;
  o->carried[o->count] = value;
  o->origin[o->count++] = origin;
  const Value *next = origin_of(o, flow_source(value, 1));
  o->count--;
  return common(origin, next);
}

static const Value *origin_of(Origins *o, const Value *pointer) {
  while (o->steps++ < MAX_VISITS) {
    const Op *op = pointer->def;
    if (!op) {
      const Op *loop = pointer->region->parent;
      if (!loop) return pointer;
      return loop->kind == OP_FOR && pointer->index > 0 ? carried_origin(o, pointer) : NULL;
    }
    const Value *same = op_rearranged(op);
    if (same) {
      pointer = same;
      continue;
    }
    switch ((int)op->kind) {
    case OP_HINT:
    case OP_ADDPTR: pointer = op_operand(op, 0); continue;
    case OP_SELECT: return common(origin_of(o, op_operand(op, 1)), origin_of(o, op_operand(op, 2)));
    case OP_FOR: return carried_origin(o, loop_carried(op, pointer->index));
    case OP_IF: return common(origin_of(o, flow_source(pointer, 0)), origin_of(o, flow_source(pointer, 1)));
    default: return NULL;
    }
  }
  return NULL;
}

const Value *pointer_origin(const Value *pointer) { return origin_of(&(Origins){.count = 0}, pointer); }
