// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cost/tma.h"

#include "base/integer.h"
#include "ir/memory/scratch.h"
#include "eval/eval.h"

enum { SECTOR = 32, LINE = 128 };

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

uint32_t tensor_coordinates(const Op *op) { return op->kind == OP_TMA_COPY ? 3 : 2; }

bool tensor_place(const Op *op, uint32_t i) {
  if (op->kind == OP_BULK_COPY) return i == 0 || i > 2;
  return op->operand_count && op_operand(op, 0)->type->kind == TYPE_TENSOR_MAP && i >= tensor_coordinates(op);
}

uint64_t tensor_box_bytes(const Op *op) {
  if (op->kind == OP_BULK_COPY) return shared_bytes(op_operand(op, 1)->type) / (op->operand_count - 2);
  const Type *map = op_operand(op, 0)->type;
  uint64_t bytes = elem_bytes(map->elem);
  for (uint32_t d = 0; d < map->rank; d++) bytes *= map->shape[d];
  return bytes;
}

// The part of a TMA tile inside the tensor: rows of equal length.
typedef struct BoxPart {
  uint64_t address, bytes, rows; // of the first row; of a row
  uint32_t rank;
  int64_t extent[TENSOR_MAP_MAX_RANK];
  const int64_t *stride;
} BoxPart;

// Finds tile number i of the TMA tiles that copy the buffer, adjacent along the innermost dimension. Returns
// false if it is outside the tensor.
static bool find_part(const Op *op, uint32_t i, const CostTensor *tensor, const CostValue *coordinates,
                      BoxPart *part) {
  const Type *map = op_operand(op, 0)->type;
  *part = (BoxPart){.address = tensor->address, .rows = 1, .rank = map->rank, .stride = tensor->stride};
  for (uint32_t d = 0; d < map->rank; d++) {
    bool innermost = d + 1 == map->rank;
    int64_t from = coordinates[d].base + (innermost ? (int64_t)(i * map->shape[d]) : 0),
            to = from + map->shape[d], first = from < 0 ? 0 : from;
    part->extent[d] = (to < tensor->size[d] ? to : tensor->size[d]) - first;
    if (part->extent[d] <= 0) return false;
    part->address += (uint64_t)(first * tensor->stride[d]);
    if (!innermost) part->rows *= (uint64_t)part->extent[d];
  }
  part->bytes = (uint64_t)part->extent[map->rank - 1] * elem_bytes(map->elem);
  return true;
}

static uint64_t row_address(const BoxPart *part, uint64_t row) {
  uint64_t at = part->address;
  for (uint32_t d = part->rank - 1; d-- > 0; row /= (uint64_t)part->extent[d])
    at += row % (uint64_t)part->extent[d] * (uint64_t)part->stride[d];
  return at;
}

static void add_row(AccessCount *count, uint64_t address, uint64_t bytes, uint64_t rows) {
  count->units += ((address + bytes - 1) / SECTOR - address / SECTOR + 1) * rows;
  count->ideal += (bytes + SECTOR - 1) / SECTOR * rows;
  count->lines += ((address + bytes - 1) / LINE - address / LINE + 1) * rows;
  count->bytes += bytes * rows;
}

// Counts rows one by one if their alignment to sectors differs.
static void add_rows(AccessCount *count, const BoxPart *part) {
  bool alike = true;
  for (uint32_t d = 0; d + 1 < part->rank; d++) alike = alike && part->stride[d] % SECTOR == 0;
  if (alike) {
    add_row(count, part->address, part->bytes, part->rows);
    return;
  }
  for (uint64_t row = 0; row < part->rows; row++) add_row(count, row_address(part, row), part->bytes, 1);
}

static bool is_known(const Op *op, const CostTensor *tensor, const CostValue *coordinates) {
  bool known = tensor->known;
  for (uint32_t d = 0; d < op_operand(op, 0)->type->rank; d++) known = known && coordinates[d].known;
  return known;
}

AccessCounts count_tensor(const Op *op, uint32_t boxes, const CostTensor *tensor,
                          const CostValue *coordinates) {
  BoxPart part;
  AccessCount count = {0};
  if (!boxes) return (AccessCounts){.data_dependent = true};
  uint64_t most = divide_up(tensor_box_bytes(op), SECTOR) * boxes;
  if (!is_known(op, tensor, coordinates))
    return (AccessCounts){.least = {.requests = boxes},
                          .most = {.requests = boxes,
                                   .units = 2 * most,
                                   .ideal = most,
                                   .lines = most,
                                   .bytes = tensor_box_bytes(op) * boxes},
                          .data_dependent = true};
  count.requests = boxes;
  for (uint32_t i = 0; i < boxes; i++)
    if (find_part(op, i, tensor, coordinates, &part)) add_rows(&count, &part);
  return (AccessCounts){.least = count, .most = count};
}

void cache_box(CostCache *cache, const Op *op, uint32_t boxes, const CostTensor *tensor,
               const CostValue *coordinates, uint64_t weight) {
  BoxPart part;
  if (!is_known(op, tensor, coordinates)) return;
  for (uint32_t i = 0; i < boxes; i++) {
    if (!find_part(op, i, tensor, coordinates, &part)) continue;
    if (cache_has(cache, op, part.address, NULL, part.rows << 32 ^ part.bytes, weight)) continue;
    uint64_t all = 0;
    for (uint64_t row = 0; row < part.rows; row++)
      all += cache_row(cache, op->kind == OP_TMA_STORE, row_address(&part, row), part.bytes, weight);
    cache_rows_end(cache, all, weight);
  }
}

AccessCounts count_run(const Op *op, uint64_t address, bool known) {
  AccessCount count = {.requests = 1};
  add_row(&count, address, tensor_box_bytes(op), 1);
  return (AccessCounts){.least = count, .most = count, .data_dependent = !known};
}

void cache_run(CostCache *cache, const Op *op, uint64_t address, uint64_t weight) {
  uint64_t bytes = tensor_box_bytes(op);
  if (cache_has(cache, op, address, NULL, bytes, weight)) return;
  cache_rows_end(cache, cache_row(cache, false, address, bytes, weight), weight);
}
