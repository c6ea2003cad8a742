// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/launch_maps.h"

#include "ir/memory/tensor_map.h"
#include "runtime/error.h"

// For a grid that cannot be launched, the guard counts as false.
static bool guard_holds(Func *func, const EvalArg *args, const int64_t grid[3], bool *holds) {
  uint32_t programs[3];
  for (int d = 0; d < 3; d++) {
    *holds = false;
    if (grid[d] < 0 || grid[d] > GRID_MAX_X) return true;
    programs[d] = (uint32_t)grid[d];
  }
  return eval_guard(func, args, programs, holds);
}

tilec_status maps_make(Func *func, tilec_device *device, const EvalArg *args, const int64_t grid[3],
                       MadeMaps *made) {
  uint32_t count = func_maps(func), first = func->param_count - count;
  bool holds;
  *made = (MadeMaps){.maps = made->maps, .unmade = func_is_persistent(func) ? programs_fault(grid) : NULL};
  if (made->unmade || !count) return TILEC_OK;
  if (!guard_holds(func, args, grid, &holds))
    return error_diags(TILEC_ERROR_INVALID_ARGUMENT, func->module->ir->diags);
  made->unmade = holds ? NULL : "the kernel's guard does not hold";
  made->unmade_name = func->params[first].name;
  if (!holds) return TILEC_OK;
  for (uint32_t i = 0; i < count; i++) {
    const FuncParam *param = &func->params[first + i];
    int64_t values[HOST_VALUES];
    if (!eval_host(func, func_host(func, HOST_MAP, param->name), args, values))
      return error_diags(TILEC_ERROR_INVALID_ARGUMENT, func->module->ir->diags);
    const TensorMapValue map = tensor_map_value(param->type, values);
    made->unmade = tensor_map_fault(&map);
    if (!made->unmade && !device->kind->encode(device, &map, made->maps + (size_t)i * BY_VALUE_BYTES))
      made->unmade = "the driver refuses it";
    made->unmade_name = param->name;
    if (made->unmade) break;
  }
  return TILEC_OK;
}

HiddenParams hidden_params(const Func *func) {
  return (HiddenParams){.programs = func_is_persistent(func) ? PROGRAM_AXES : 0, .maps = func_maps(func)};
}

uint32_t maps_pass(HiddenParams hidden, const int64_t grid[3], const unsigned char *maps, uint32_t count,
                   uint64_t *bits) {
  for (uint32_t d = 0; d < hidden.programs; d++) bits[count++] = (uint64_t)grid[d];
  for (uint32_t i = 0; i < hidden.maps; i++)
    bits[count++] = (uint64_t)(uintptr_t)(maps + (size_t)i * BY_VALUE_BYTES);
  return count;
}
