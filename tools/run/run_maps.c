// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the hidden parameters of a run's launches: tensor maps, and the number of programs. Also the tensor maps that
// are arguments of PTX.
#include "ir/memory/tensor_map.h"
#include "runtime/error.h"
#include "runtime/launch/launch_maps.h"
#include "tools/run/run.h"

static unsigned char *map_room(Arena *arena, size_t maps) {
  char *room = arena_alloc(arena, maps * BY_VALUE_BYTES + BY_VALUE_ALIGN);
  return (unsigned char *)room + (-(uintptr_t)room & (BY_VALUE_ALIGN - 1));
}

static tilec_status make(const Run *run, const uint64_t *bits, const int64_t grid[3], MadeMaps *made) {
  EvalArg *args = ARENA_ARRAY(run->arena, EvalArg, run->bit_count);
  *made = (MadeMaps){.maps = map_room(run->arena, func_maps(run->host))};
  for (uint32_t i = 0; i < run->bit_count; i++) args[i].bits = bits[i];
  return maps_make(run->host, run->device, args, grid, made);
}

static bool has_hidden(const Run *run) {
  return run->host && run->device->needs_ptx && func_visible_params(run->host) < run->host->param_count;
}

// The evaluator needs no maps, and IR that passes have changed may have a guard.
static bool eval_holds(const Run *run, const uint64_t *bits, const int64_t grid[3]) {
  EvalArg *args = ARENA_ARRAY(run->arena, EvalArg, run->bit_count);
  const uint32_t sizes[] = {(uint32_t)grid[0], (uint32_t)grid[1], (uint32_t)grid[2]};
  bool holds = true;
  for (uint32_t i = 0; i < run->bit_count; i++) args[i].bits = bits[i];
  return !eval_guard(run->host, args, sizes, &holds) || holds;
}

tilec_status run_can_map(const Run *run, const uint64_t *bits, const int64_t grid[3], bool *can) {
  MadeMaps made = {0};
  if (run->host && !run->device->needs_ptx) {
    *can = eval_holds(run, bits, grid);
    return TILEC_OK;
  }
  tilec_status status = has_hidden(run) ? make(run, bits, grid, &made) : TILEC_OK;
  *can = !made.unmade;
  return status;
}

tilec_status run_code_args(const Run *run, const uint64_t *bits, const int64_t grid[3], CodeArgs *code) {
  MadeMaps made = {0};
  uint32_t count = run->bit_count;
  bool hidden = has_hidden(run);
  *code = (CodeArgs){bits, count};
  if (!hidden && !run->records) return TILEC_OK;
  tilec_status status = hidden ? make(run, bits, grid, &made) : TILEC_OK;
  if (status) return status;
  if (made.unmade && !made.unmade_name)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "the kernel is persistent, but %s", made.unmade);
  if (made.unmade)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "the tensor map '%s' cannot be made: %s", made.unmade_name,
                     made.unmade);
  uint64_t *all = ARENA_ARRAY(run->arena, uint64_t, run->host->param_count + 1);
  memcpy(all, bits, count * sizeof *bits);
  if (hidden) count = maps_pass(hidden_params(run->host), grid, made.maps, count, all);
  if (run->records) all[count++] = run->records;
  *code = (CodeArgs){all, count};
  return TILEC_OK;
}

uint64_t run_map_bits(const Run *run, const RunArg *param, const char **why) {
  const TensorBlock *block = param->value.descriptor;
  uint32_t rank = block->rank;
  const Type *type = type_tensor_map(&run->c->ir, param->buffer->value.elem, rank, block->block,
                                     block->swizzle, block->pads_nan);
  TensorMapValue map = {.type = type, .base = run_address(run, param)};
  memcpy(map.sizes, block->shape, rank * sizeof *map.sizes);
  memcpy(map.strides, block->strides, rank * sizeof *map.strides);
  unsigned char *bytes = map_room(run->arena, 1);
  *why = tensor_map_type_fault(run->arena, type);
  if (!*why && block->strides[rank - 1] != 1) *why = "the innermost stride is not 1";
  if (!*why) *why = tensor_map_fault(&map);
  if (!*why && !run->device->kind->encode(run->device, &map, bytes)) *why = "the driver refuses it";
  return (uint64_t)(uintptr_t)bytes;
}
