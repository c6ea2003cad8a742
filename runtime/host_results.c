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
    if (!eval_host(r->func, host, args, r->values->at[host->kind]))
      return error_diags(TILEC_ERROR_INVALID_ARGUMENT, diags);
  }
  return TILEC_OK;
}

// From the last one on, in the order in which they came: that launches repeat, or go round, costs little.
static bool find_set(HostResults *results, const BoundArgs *args) {
  for (uint32_t n = 0, i = results->last; n < results->count; n++, i = i + 1 < results->count ? i + 1 : 0)
    if (memcmp(results->args[i], args->bits, sizeof *args->bits * args->count) == 0) {
      results->last = i;
      return true;
    }
  return false;
}

static tilec_status add_set(HostResults *results, const BoundArgs *args, const HostValues *values) {
  uint32_t i = results->count < HOST_SETS ? results->count : results->oldest;
  if (!results->args[i]) results->args[i] = malloc(sizeof *args->bits * (args->count + 1));
  if (!results->args[i]) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a launch's grid)");
  if (results->count < HOST_SETS)
    results->count++;
  else
    results->oldest = (results->oldest + 1) % HOST_SETS;
  memcpy(results->args[i], args->bits, sizeof *args->bits * args->count);
  results->values[i] = *values;
  results->last = i;
  return TILEC_OK;
}

tilec_status host_results(HostResults *results, Func *func, const BoundArgs *args, HostValues *values) {
  if (find_set(results, args)) {
    *values = results->values[results->last];
    return TILEC_OK;
  }
  tilec_status status = error_guard(evaluate, &(HostRequest){func, args, values});
  return status ? status : add_set(results, args, values);
}

void host_results_free(HostResults *results) {
  for (uint32_t i = 0; i < HOST_SETS; i++) free(results->args[i]);
}
