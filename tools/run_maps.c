// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensor maps of a run's launches.
#include "runtime/error.h"
#include "runtime/launch_maps.h"
#include "tools/run.h"

static tilec_status make(const Run *run, const uint64_t *bits, const int64_t grid[3], MadeMaps *made) {
  EvalArg *args = ARENA_ARRAY(run->arena, EvalArg, run->bit_count);
  char *room = arena_alloc(run->arena, (size_t)func_maps(run->host) * BY_VALUE_BYTES + BY_VALUE_ALIGN);
  *made = (MadeMaps){.maps = (unsigned char *)room + (-(uintptr_t)room & (BY_VALUE_ALIGN - 1))};
  for (uint32_t i = 0; i < run->bit_count; i++) args[i].bits = bits[i];
  return maps_make(run->host, run->device, args, grid, made);
}

static bool has_maps(const Run *run) { return run->host && run->device->needs_ptx && func_maps(run->host) > 0; }

tilec_status run_can_map(const Run *run, const uint64_t *bits, const int64_t grid[3], bool *can) {
  MadeMaps made = {0};
  tilec_status status = has_maps(run) ? make(run, bits, grid, &made) : TILEC_OK;
  *can = !made.unmade;
  return status;
}

tilec_status run_code_args(const Run *run, const uint64_t *bits, const int64_t grid[3], CodeArgs *code) {
  *code = (CodeArgs){bits, run->bit_count};
  if (!has_maps(run)) return TILEC_OK;
  MadeMaps made;
  tilec_status status = make(run, bits, grid, &made);
  if (status) return status;
  if (made.unmade)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "the tensor map '%s' cannot be made: %s", made.unmade_name,
                     made.unmade);
  uint32_t maps = func_maps(run->host);
  uint64_t *all = ARENA_ARRAY(run->arena, uint64_t, run->bit_count + maps);
  memcpy(all, bits, run->bit_count * sizeof *bits);
  for (uint32_t i = 0; i < maps; i++)
    all[run->bit_count + i] = (uint64_t)(uintptr_t)(made.maps + (size_t)i * BY_VALUE_BYTES);
  *code = (CodeArgs){all, run->bit_count + maps};
  return TILEC_OK;
}
