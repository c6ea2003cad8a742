// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the hidden parameters of a run's launches: tensor maps, and the number of programs.
#include "runtime/error.h"
#include "runtime/launch/launch_maps.h"
#include "tools/run/run.h"

static tilec_status make(const Run *run, const uint64_t *bits, const int64_t grid[3], MadeMaps *made) {
  EvalArg *args = ARENA_ARRAY(run->arena, EvalArg, run->bit_count);
  char *room = arena_alloc(run->arena, (size_t)func_maps(run->host) * BY_VALUE_BYTES + BY_VALUE_ALIGN);
  *made = (MadeMaps){.maps = (unsigned char *)room + (-(uintptr_t)room & (BY_VALUE_ALIGN - 1))};
  for (uint32_t i = 0; i < run->bit_count; i++) args[i].bits = bits[i];
  return maps_make(run->host, run->device, args, grid, made);
}

static bool has_hidden(const Run *run) {
  return run->host && run->device->needs_ptx && func_visible_params(run->host) < run->host->param_count;
}

tilec_status run_can_map(const Run *run, const uint64_t *bits, const int64_t grid[3], bool *can) {
  MadeMaps made = {0};
  tilec_status status = has_hidden(run) ? make(run, bits, grid, &made) : TILEC_OK;
  *can = !made.unmade;
  return status;
}

tilec_status run_code_args(const Run *run, const uint64_t *bits, const int64_t grid[3], CodeArgs *code) {
  *code = (CodeArgs){bits, run->bit_count};
  if (!has_hidden(run)) return TILEC_OK;
  MadeMaps made;
  tilec_status status = make(run, bits, grid, &made);
  if (status) return status;
  if (made.unmade && !made.unmade_name)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "the kernel is persistent, but %s", made.unmade);
  if (made.unmade)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "the tensor map '%s' cannot be made: %s", made.unmade_name,
                     made.unmade);
  uint64_t *all = ARENA_ARRAY(run->arena, uint64_t, run->host->param_count);
  memcpy(all, bits, run->bit_count * sizeof *bits);
  *code = (CodeArgs){all, maps_pass(hidden_params(run->host), grid, made.maps, run->bit_count, all)};
  return TILEC_OK;
}
