// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of ops.
#include "ir/clone.h"

CloneMap clone_map_new(Arena *arena, const Func *func) {
  return (CloneMap){ARENA_ARRAY(arena, Value *, func->value_count), func->value_count};
}

Value *clone_get(const CloneMap *map, Value *value) {
  // A value created after func_number has no valid id. It is 0, the first parameter's, and that entry maps to
  // the parameter itself.
  Value *copy = value->id < map->count ? map->at[value->id] : NULL;
  return copy ? copy : value;
}

void clone_set(CloneMap *map, const Value *value, Value *copy) {
  if (value->id < map->count) map->at[value->id] = copy;
}

static void clone_region(Op *copy, const Region *region, CloneMap *map) {
  Func *func = region->func;
  Region *to = region_new(func, copy);
  for (uint32_t i = 0; i < region->arg_count; i++)
    clone_set(map, region->args[i], region_add_arg(to, region->args[i]->type, region->args[i]->name));
  Builder b = builder_at_end(func, to);
  for (const Op *op = region->first; op; op = op->next) op_clone(&b, op, map);
}

Op *op_clone(Builder *b, const Op *op, CloneMap *map) {
  Arena *arena = b->func->module->ir->arena;
  Value **operands = ARENA_ARRAY(arena, Value *, op->operand_count);
  const Type **types = ARENA_ARRAY(arena, const Type *, op->result_count);
  for (uint32_t i = 0; i < op->operand_count; i++) operands[i] = clone_get(map, op_operand(op, i));
  for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
  Loc loc = b->loc;
  b->loc = op->loc;
  Op *copy = build_op(b, op->kind, op->operand_count, operands, op->result_count, types);
  b->loc = loc;
  op_copy_attrs(copy, op);
  for (uint32_t i = 0; i < op->result_count; i++) {
    copy->results[i].name = op->results[i].name;
    clone_set(map, &op->results[i], &copy->results[i]);
  }
  for (uint32_t i = 0; i < op->region_count; i++) clone_region(copy, op->regions[i], map);
  return copy;
}

void region_clone_args(const Region *from, Region *to, CloneMap *map) {
  for (uint32_t i = 0; i < from->arg_count; i++) {
    clone_set(map, from->args[i], to->args[i]);
    to->args[i]->name = from->args[i]->name;
  }
}

void region_clone_ops(Builder *b, const Region *region, CloneMap *map) {
  for (const Op *op = region->first; op; op = op->next)
    if (!op_has(op, TERMINATOR)) op_clone(b, op, map);
}
