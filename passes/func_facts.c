// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/func_facts.h"

#include "base/integer.h"
#include "ir/queries.h"
#include "ir/dot/layout_dot.h"

#define FACT(name) (UINT64_C(1) << FACT_##name)

static FuncFacts type_facts(const Type *type) {
  if (type_is_block_ptr(type)) return FACT(BLOCK_POINTER);
  if (type->kind != TYPE_TILE) return 0;
  FuncFacts facts = type->layout ? FACT(LAYOUTS) : FACT(NO_LAYOUT);
  for (uint32_t i = 0; i < type->rank; i++)
    if (!is_power_of_two(type->shape[i])) facts |= FACT(ODD_SIZE);
  return facts;
}

static FuncFacts access_facts(const Op *op) {
  const Value *mask = op_operand(op, op->kind == OP_STORE ? 2 : 1);
  return mask && type_is_tile(op_operand(op, 0)->type) ? FACT(MASK) : 0;
}

static FuncFacts dot_facts(const Op *op) {
  const Type *result = op_result(op)->type;
  FuncFacts facts = FACT(DOT) | FACT(EXCHANGE);
  if (result->shape[result->rank - 2] < result->shape[result->rank - 1]) facts |= FACT(FEW_ROWS);
  if (op_attr(op, ATTR_INSTRUCTION) && (dot_promotes(op) || dot_parts(op))) facts |= FACT(SPLIT_DOT);
  return facts;
}

static FuncFacts loop_facts(const Op *op) {
  FuncFacts facts = FACT(FOR) | FACT(LOOP);
  if (!ops_find(op->regions[0], OP_DOT)) facts |= FACT(PLAIN_LOOP);
  if (op_attr(op, ATTR_OVERLAPPED)) facts |= FACT(OVERLAPPED_LOOP);
  if (op_attr(op, ATTR_GROUP_WARPS)) facts |= FACT(PLANNED_LOOP);
  return facts;
}

static FuncFacts kind_facts(const Op *op) {
  switch ((int)op->kind) {
  case OP_DOT: return dot_facts(op);
  case OP_FOR: return loop_facts(op);
  case OP_WHILE: return FACT(LOOP);
  case OP_IF: return FACT(BRANCH);
  case OP_LOAD: return FACT(LOAD) | access_facts(op);
  case OP_STORE: return FACT(STORE) | access_facts(op);
  case OP_SORT:
  case OP_SLICE: return FACT(NETWORK);
  case OP_DIV:
  case OP_REM: return FACT(BOUND) | (type_is_tile(op_result(op)->type) ? FACT(DIVISION) : 0);
  case OP_CAST: return FACT(CAST);
  case OP_HINT: return FACT(HINT);
  case OP_SHARED_ALLOC: return FACT(SHARED) | (op_attr(op, ATTR_OFFSET) ? 0 : FACT(NO_OFFSET));
  case OP_RING_BEGIN:
  case OP_CHANNEL: return FACT(RING);
  case OP_WARP_GROUPS: return FACT(GROUPS);
  case OP_TMEM_ALLOC: return FACT(TMEM);
  case OP_BULK_MARK:
  case OP_TMA_MARK: return FACT(TMA_MARK);
  default:
    if (op_has(op, COMBINES)) return FACT(REDUCTION);
    return op_orders(op) ? FACT(BOUND) : 0;
  }
}

static FuncFacts op_facts(const Op *op, FuncFacts before) {
  FuncFacts found = kind_facts(op), again = before & found; // the second one
  if (again & FACT(DOT)) found |= FACT(DOTS);
  if (again & FACT(LOAD)) found |= FACT(LOADS);
  if (op_takes_scratch(op->kind)) found |= FACT(EXCHANGE);
  if (op_scratch(op)) found |= FACT(SCRATCH);
  if (op_has(op, WRITES)) found |= FACT(WRITE);
  for (uint32_t i = 0; i < op->result_count; i++) found |= type_facts(op->results[i].type);
  for (uint32_t r = 0; r < op->region_count; r++)
    for (uint32_t i = 0; i < op->regions[r]->arg_count; i++)
      found |= type_facts(op->regions[r]->args[i]->type);
  return found;
}

FuncFacts func_facts(const Func *func) {
  FuncFacts facts = func->plan ? FACT(PLAN) : 0;
  for (OpWalk w = ops_in(func->body); ops_next(&w);) facts |= op_facts(w.op, facts);
  for (uint32_t i = 0; i < func->param_count; i++) facts |= type_facts(func->params[i].type);
  return facts;
}
