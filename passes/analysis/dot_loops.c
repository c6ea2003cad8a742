// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/dot_loops.h"

bool may_be_copied_ahead(const Op *load) {
  const Op *loop = load->region->parent;
  const Target *target = &load->region->func->module->target;
  if (load->kind != OP_LOAD || op_attr(load, ATTR_VOLATILE) || !loop || loop->kind != OP_FOR) return false;
  return target->arch->has_cp_async && op_int(loop, ATTR_NUM_STAGES, target->num_stages) > 1 &&
         region_find(loop->regions[0], OP_DOT);
}

bool is_narrow_row(const Op *load) {
  const Type *tile = load->kind == OP_LOAD ? op_result(load)->type : NULL;
  if (!tile || !type_is_tile(tile) || type_is_ptr(tile) || type_is_elem(tile, ELEM_I1)) return false;
  uint32_t long_dims = 0;
  for (uint32_t d = 0; d < tile->rank; d++) long_dims += tile->shape[d] > 1;
  const Value *other = op_operand(load, 2);
  if (other && !value_is_zero(other)) return false;
  return long_dims == 1 && type_element_bytes(tile) < MIN_COPY_BYTES && may_be_copied_ahead(load);
}

bool load_is_copyable(const Op *load) {
  uint32_t bytes = type_element_bytes(op_result(load)->type);
  uint32_t vector = (uint32_t)op_int(load, ATTR_VECTOR, 1);
  if (op_attr(load, ATTR_VOLATILE) || bytes * vector < MIN_COPY_BYTES) return false;
  if (op_int(load, ATTR_ALIGN, bytes) < (int64_t)MIN_COPY_BYTES) return false;
  const Value *other = op_operand(load, 2);
  return !other || value_is_zero(other);
}

static bool any_marked(const uint8_t *marks, const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (marks[op->results[i].id]) return true;
  return op->kind == OP_SHARED_STORE && marks[op_operand(op, 1)->id];
}

// Marks what depends on a dot of packed words, in the same iteration. Its loop is short of time for memory, and no dot is
// in flight meanwhile.
static uint8_t *find_dependent(Arena *arena, const Func *func, const Region *body) {
  uint8_t *marks = ARENA_ARRAY(arena, uint8_t, func->value_count);
  memset(marks, 0, func->value_count);
  for (const Op *op = body->first; op; op = op->next) {
    bool depends = op->kind == OP_DOT && op_attr(op, ATTR_K_RUN);
    for (uint32_t i = 0; i < op->operand_count; i++) depends |= marks[op_operand(op, i)->id];
    for (uint32_t i = 0; depends && i < op->result_count; i++) marks[op->results[i].id] = 1;
  }
  return marks;
}

// Goes from the body's last op to its first, so each comes after its users. Addresses and masks of loads are not
// followed. A separate check finds whether they are known ahead.
uint8_t *find_feeding(Arena *arena, const Func *func, const Op *loop) {
  uint8_t *marks = ARENA_ARRAY(arena, uint8_t, func->value_count);
  const uint8_t *dependent = find_dependent(arena, func, loop->regions[0]);
  memset(marks, 0, func->value_count);
  for (const Op *op = loop->regions[0]->last; op; op = op->prev) {
    if (op->region_count || op->kind == OP_LOAD) continue;
    bool joins = op->kind == OP_DOT || (op_has(op, ELEMENTWISE) && any_marked(dependent, op));
    if (!joins && !any_marked(marks, op)) continue;
    uint32_t n = op->kind == OP_TMA_MARK ? 1 : op->operand_count; // the rest is the tile's position
    for (uint32_t i = 0; i < n; i++) marks[op_operand(op, i)->id] = 1;
  }
  return marks;
}
