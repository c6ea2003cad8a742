// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host_results.h"

#include <stdlib.h>
#include "ir/eval.h"
#include "runtime/error.h"

typedef struct HostRequest {
  Func *func;
  const BoundArgs *args;
  HostValues *values;
} HostRequest;

static tilec_status evaluate(void *data) {
  const HostRequest *r = data;
  EvalArg args[MAX_PARAMS];
  Diags *diags = r->func->module->ir->diags;
  diags->list.n = 0;
  diags->errors = diags->warnings = 0;
  for (uint32_t i = 0; i < r->args->count; i++) args[i].bits = r->args->bits[i];
  for (uint32_t i = 0; i < r->func->host.n; i++) {
    const HostRegion *host = r->func->host.at[i];
    if (host->name) continue; // no launch asks for it
    if (!eval_host(r->func, host, args, r->values->at[host->kind]))
      return error_diags(TILEC_ERROR_INVALID_ARGUMENT, diags);
  }
  return TILEC_OK;
}

// Those after the last one, in the order in which they came: launches that go round find theirs at once.
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

static tilec_status add_set(HostResults *results, const BoundArgs *args, const HostValues *values) {
  uint32_t place = results->count < HOST_SETS ? results->count : results->oldest;
  HostSet *set = results->sets[place];
  if (!set) set = malloc(sizeof *set + sizeof *args->bits * args->count);
  if (!set) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a launch's grid)");
  if (results->count < HOST_SETS)
    results->count++;
  else
    results->oldest = (results->oldest + 1) % HOST_SETS;
  *set = (HostSet){.values = *values, .place = place};
  memcpy(set->args, args->bits, sizeof *args->bits * args->count);
  results->last = results->sets[place] = set;
  return TILEC_OK;
}

tilec_status host_results_of_others(HostResults *results, Func *func, const BoundArgs *args) {
  HostValues values;
  if (find_other_set(results, args)) return TILEC_OK;
  tilec_status status = error_guard(evaluate, &(HostRequest){func, args, &values});
  return status ? status : add_set(results, args, &values);
}

void host_results_free(HostResults *results) {
  for (uint32_t i = 0; i < HOST_SETS; i++) free(results->sets[i]);
}
