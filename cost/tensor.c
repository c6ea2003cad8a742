// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cost/tensor.h"

#include "base/math.h"
#include "ir/eval.h"
#include "ir/tensor_box.h"

enum { SECTOR = 32 };

static bool find_tensor(Func *func, const FuncParam *param, const EvalArg *args, CostTensor *tensor) {
  int64_t values[HOST_VALUES];
  uint32_t rank = param->type->rank;
  HostRegion *host = func_host(func, HOST_MAP, param->name);
  if (!host || !eval_host(func, host, args, values)) return false;
  tensor->address = (uint64_t)values[0];
  for (uint32_t d = 0; d < rank; d++) {
    int64_t elements = d + 1 < rank ? values[1 + rank + d] : 1;
    tensor->size[d] = values[1 + d];
    tensor->stride[d] = elements * elem_bytes(param->type->elem);
  }
  return true;
}

CostTensor *tensors_of(Arena *arena, Func *func, const CostLaunch *launch) {
  CostTensor *tensors = ARENA_ARRAY(arena, CostTensor, func->param_count + 1);
  EvalArg *args = ARENA_ARRAY(arena, EvalArg, func->param_count + 1);
  for (uint32_t i = 0; i < launch->arg_count && i < func->param_count; i++) args[i].bits = launch->args[i];
  for (uint32_t i = 0; i < func->param_count; i++)
    if (func->params[i].hidden == HIDDEN_TENSOR_MAP)
      tensors[i].known = find_tensor(func, &func->params[i], args, &tensors[i]);
  return tensors;
}

const CostTensor *tensor_of(const CostTensor *tensors, const Op *op) {
  const Value *map = op_operand(op, 0);
  static const CostTensor none;
  return map->def || map->region->parent ? &none : &tensors[map->index];
}

uint32_t tensor_coordinates(const Op *op) { return op->kind == OP_COPY_TENSOR ? 3 : 2; }

uint64_t tensor_box_bytes(const Op *op) {
  const Type *map = op_operand(op, 0)->type;
  uint64_t bytes = elem_bytes(map->elem);
  for (uint32_t d = 0; d < map->rank; d++) bytes *= map->shape[d];
  return bytes;
}

static void add_row(AccessCount *count, uint64_t address, uint64_t bytes, uint64_t rows) {
  count->units += ((address + bytes - 1) / SECTOR - address / SECTOR + 1) * rows;
  count->ideal += (bytes + SECTOR - 1) / SECTOR * rows;
}

// Rows one by one where they do not lie alike in sectors.
static void add_rows(AccessCount *count, const Type *map, const CostTensor *tensor, const int64_t *first,
                     const int64_t *extent, uint64_t bytes) {
  uint32_t rank = map->rank;
  uint64_t rows = 1, address = tensor->address;
  bool alike = true;
  for (uint32_t d = 0; d < rank; d++) address += (uint64_t)(first[d] * tensor->stride[d]);
  for (uint32_t d = 0; d + 1 < rank; d++) {
    rows *= (uint64_t)extent[d];
    alike = alike && tensor->stride[d] % SECTOR == 0;
  }
  if (alike) {
    add_row(count, address, bytes, rows);
    return;
  }
  for (uint64_t row = 0; row < rows; row++) {
    uint64_t at = address, rest = row;
    for (uint32_t d = rank - 1; d-- > 0; rest /= (uint64_t)extent[d])
      at += rest % (uint64_t)extent[d] * (uint64_t)tensor->stride[d];
    add_row(count, at, bytes, 1);
  }
}

// Box number i of those that the buffer is copied by, side by side along the innermost dimension.
static void add_box(AccessCount *count, const Op *op, const TensorBox *box, uint32_t i,
                    const CostTensor *tensor, const CostValue *coordinates) {
  const Type *map = op_operand(op, 0)->type;
  int64_t first[TENSOR_MAP_MAX_RANK], extent[TENSOR_MAP_MAX_RANK];
  bool inside = true;
  for (uint32_t d = 0; d < map->rank; d++) {
    int64_t from = coordinates[d].base + (d + 1 == map->rank ? (int64_t)(i * box->shape[d]) : 0),
            to = from + box->shape[d];
    first[d] = from < 0 ? 0 : from;
    extent[d] = (to < tensor->size[d] ? to : tensor->size[d]) - first[d];
    inside = inside && extent[d] > 0;
  }
  count->requests++;
  if (inside)
    add_rows(count, map, tensor, first, extent, (uint64_t)extent[map->rank - 1] * elem_bytes(map->elem));
}

AccessCounts count_tensor(const Op *op, const CostTensor *tensor, const CostValue *coordinates) {
  const Type *map = op_operand(op, 0)->type;
  TensorBox box;
  bool known = tensor->known;
  if (!layout_tma_box(op_operand(op, 1)->type, &box)) return (AccessCounts){.data_dependent = true};
  uint64_t most = divide_up(tensor_box_bytes(op), SECTOR) * box.count;
  for (uint32_t d = 0; d < map->rank; d++) known = known && coordinates[d].known;
  if (!known) return (AccessCounts){{box.count, 0, 0}, {box.count, 2 * most, most}, true};
  AccessCount count = {0};
  for (uint32_t i = 0; i < box.count; i++) add_box(&count, op, &box, i, tensor, coordinates);
  return (AccessCounts){count, count, false};
}
