// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/host_results.h"

#include <stdlib.h>
#include "eval/eval.h"
#include "ir/memory/tensor_map.h"
#include "runtime/error.h"
#include "runtime/launch/launch_maps.h"

typedef struct HostRequest {
  HostSet *set;
  Func *func;
  tilec_device *device;
  const BoundArgs *args;
  const int64_t *launched; // for maps
} HostRequest;

static void begin_evaluation(const HostRequest *r, EvalArg *args) {
  Diags *diags = r->func->module->ir->diags;
  diags->list.n = 0;
  diags->errors = diags->warnings = 0;
  for (uint32_t i = 0; i < r->args->count; i++) args[i].bits = r->args->bits[i];
}

static tilec_status evaluate_grid(void *data) {
  const HostRequest *r = data;
  EvalArg args[MAX_PARAMS];
  int64_t values[HOST_VALUES];
  begin_evaluation(r, args);
  if (!eval_host(r->func, func_host(r->func, HOST_GRID, NULL), args, values))
    return error_diags(TILEC_ERROR_INVALID_ARGUMENT, r->func->module->ir->diags);
  memcpy(r->set->grid, values, sizeof r->set->grid);
  r->set->has_grid = true;
  return TILEC_OK;
}

tilec_status host_evaluate_grid(HostSet *set, Func *func, const BoundArgs *args) {
  return error_guard(evaluate_grid, &(HostRequest){set, func, NULL, args, NULL});
}

static tilec_status make_maps(void *data) {
  const HostRequest *r = data;
  EvalArg args[MAX_PARAMS];
  begin_evaluation(r, args);
  MadeMaps made = {.maps = r->set->maps};
  tilec_status status = maps_make(r->func, r->device, args, r->launched, &made);
  memcpy(r->set->launched, r->launched, sizeof r->set->launched);
  r->set->unmade = made.unmade;
  r->set->unmade_name = made.unmade_name;
  r->set->has_maps = status == TILEC_OK;
  return status;
}

tilec_status host_make_maps(HostSet *set, Func *func, tilec_device *device, const BoundArgs *args,
                            const int64_t grid[3]) {
  uint32_t count = func_maps(func);
  if (!set->maps) set->maps = aligned_alloc(BY_VALUE_ALIGN, (size_t)(count ? count : 1) * BY_VALUE_BYTES);
  if (!set->maps) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a launch's tensor maps)");
  return error_guard(make_maps, &(HostRequest){set, func, device, args, grid});
}

// Starts the search after the last set, in order of arrival. Launches that repeat in a cycle find theirs at
// once.
static bool find_other_set(HostResults *results, const BoundArgs *args) {
  uint32_t i = results->last ? results->last->place : 0;
  for (uint32_t n = 0; n < results->count; n++) {
    i = i + 1 < results->count ? i + 1 : 0;
    if (!host_set_is_of(results->sets[i], args)) continue;
    results->last = results->sets[i];
    return true;
  }
  return false;
}

tilec_status host_find_others(HostResults *results, const BoundArgs *args) {
  if (find_other_set(results, args)) return TILEC_OK;
  uint32_t place = results->count < HOST_SETS ? results->count : results->oldest;
  HostSet *set = results->sets[place];
  if (!set) set = calloc(1, sizeof *set + sizeof *args->bits * args->count);
  if (!set) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a launch's grid)");
  if (results->count < HOST_SETS)
    results->count++;
  else
    results->oldest = (results->oldest + 1) % HOST_SETS;
  *set = (HostSet){.maps = set->maps, .place = place};
  memcpy(set->args, args->bits, sizeof *args->bits * args->count);
  results->last = results->sets[place] = set;
  return TILEC_OK;
}

void host_results_free(HostResults *results) {
  for (uint32_t i = 0; i < HOST_SETS; i++) {
    if (results->sets[i]) free(results->sets[i]->maps);
    free(results->sets[i]);
  }
}
