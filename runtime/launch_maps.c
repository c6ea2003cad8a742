// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch_maps.h"

#include "ir/tensor_map.h"
#include "runtime/error.h"

tilec_status maps_make(Func *func, tilec_device *device, const EvalArg *args, MadeMaps *made) {
  uint32_t count = func_maps(func), first = func->param_count - count;
  made->unmade = NULL;
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
