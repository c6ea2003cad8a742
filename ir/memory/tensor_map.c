// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/memory/tensor_map.h"

enum { MAX_DEPTH = 16 };

uint32_t func_maps(const Func *func) {
  uint32_t n = 0;
  while (n < func->param_count && func->params[func->param_count - 1 - n].hidden == HIDDEN_TENSOR_MAP) n++;
  return n;
}

static bool has_nan(Elem elem) { return elem_is_float(elem) && elem_bytes(elem) > 1; }

const char *tensor_map_type_fault(Arena *arena, const Type *type) {
  uint32_t row = type->shape[type->rank - 1] * elem_bytes(type->elem);
  if (type->swizzle && type->swizzle != 32 && type->swizzle != 64 && type->swizzle != 128)
    return arena_printf(arena, "the swizzle %u is not 0, 32, 64 or 128", type->swizzle);
  for (uint32_t d = 0; d < type->rank; d++)
    if (type->shape[d] < 1 || type->shape[d] > TENSOR_MAP_MAX_BOX)
      return arena_printf(arena, "the box's size %u is not from 1 to %d", type->shape[d], TENSOR_MAP_MAX_BOX);
  if (row % TENSOR_MAP_ALIGN)
    return arena_printf(arena, "the box's rows have %u bytes, which is not a multiple of %d", row,
                        TENSOR_MAP_ALIGN);
  if (type->swizzle && row > type->swizzle)
    return arena_printf(arena, "the box's rows have %u bytes, more than the swizzle's %u", row,
                        type->swizzle);
  if (type->pads_nan && !has_nan(type->elem))
    return arena_printf(arena, "a tensor of %s cannot be padded with NaN", elem_info(type->elem)->name);
  return NULL;
}

TensorMapValue tensor_map_value(const Type *type, const int64_t yielded[HOST_VALUES]) {
  TensorMapValue map = {.type = type, .base = (uint64_t)yielded[0]};
  for (uint32_t d = 0; d < type->rank; d++) {
    map.sizes[d] = yielded[1 + d];
    map.strides[d] = d + 1 < type->rank ? yielded[1 + type->rank + d] : 1;
  }
  return map;
}

static const char *stride_fault(const Type *type, int64_t stride) {
  const int64_t end = (int64_t)1 << 40; // bytes
  int64_t bytes = elem_bytes(type->elem);
  if (stride < 0 || stride >= end / bytes) return "a stride is not from 0 to 2^40 bytes";
  return stride * bytes % TENSOR_MAP_ALIGN ? "a stride is not a multiple of 16 bytes" : NULL;
}

const char *tensor_map_fault(const TensorMapValue *map) {
  const char *fault = NULL;
  if (map->base % TENSOR_MAP_ALIGN) return "its base is not a multiple of 16 bytes";
  for (uint32_t d = 0; d < map->type->rank; d++)
    if (map->sizes[d] < 1 || map->sizes[d] > TENSOR_MAP_MAX_SIZE) return "a size is not from 1 to 2^31 - 256";
  for (uint32_t d = 0; d + 1 < map->type->rank && !fault; d++)
    fault = stride_fault(map->type, map->strides[d]);
  return fault;
}

static bool is_known_on_host(const Value *value, uint32_t depth) {
  const Op *op = value->def;
  if (!op) return value_is_param(value) && value->type->kind == TYPE_SCALAR;
  if (depth == 0 || value->type->kind != TYPE_SCALAR || !op_has(op, PURE) || op->region_count) return false;
  if (op->kind == OP_PROGRAM_ID || op->kind == OP_NUM_PROGRAMS) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!is_known_on_host(op_operand(op, i), depth - 1)) return false;
  return true;
}

bool known_on_host(const Value *value) { return is_known_on_host(value, MAX_DEPTH); }

uint32_t descriptor_multiple(const Op *made, uint32_t i) {
  const Value *base = op_operand(made, 0), *value = op_operand(made, i);
  uint32_t rank = op_result(made)->type->rank, bytes = type_element_bytes(base->type->inner);
  bool stride = i > rank && i <= 2 * rank;
  if (!op_attr(made, ATTR_DESCRIPTOR) || (i && !stride) || bytes > TENSOR_MAP_ALIGN) return 1;
  if (value_is_param(value) || known_on_host(value)) return 1;
  return i ? TENSOR_MAP_ALIGN / bytes : TENSOR_MAP_ALIGN;
}
