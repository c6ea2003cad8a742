// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/eval.h"
#include "runtime/error.h"
#include "runtime/kernel.h"

typedef struct GridRequest {
  Specialisation *s;
  const BoundArgs *args;
} GridRequest;

static tilec_status evaluate_grid(void *data) {
  const GridRequest *r = data;
  Specialisation *s = r->s;
  EvalArg args[MAX_PARAMS];
  uint32_t grid[3];
  Diags *diags = &s->c.diags;
  diags->list.n = 0;
  diags->errors = diags->warnings = 0;
  for (uint32_t i = 0; i < r->args->count; i++) args[i].bits = r->args->bits[i];
  if (!eval_grid(s->func, args, grid)) return error_diags(TILEC_ERROR_INVALID_ARGUMENT, diags);
  for (int i = 0; i < 3; i++) s->grid[i] = grid[i];
  memcpy(s->grid_args, r->args->bits, sizeof *s->grid_args * r->args->count);
  s->grid_known = true;
  return TILEC_OK;
}

// Kept for the next launch with the same arguments: most launches repeat.
tilec_status specialisation_grid(Specialisation *s, const BoundArgs *args, int64_t grid[3]) {
  pthread_mutex_lock(&s->grid_lock);
  tilec_status status = TILEC_OK;
  if (!s->grid_known || memcmp(s->grid_args, args->bits, sizeof *args->bits * args->count) != 0) {
    s->grid_known = false;
    status = error_guard(evaluate_grid, &(GridRequest){s, args});
  }
  if (!status) memcpy(grid, s->grid, sizeof s->grid);
  pthread_mutex_unlock(&s->grid_lock);
  return status;
}

static tilec_status check_options(const tilec_launch_options *options, tilec_launch_options *out) {
  *out = (tilec_launch_options)TILEC_LAUNCH_OPTIONS_INIT;
  if (!options) return TILEC_OK;
  if (options->size != sizeof *out)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "options.size is %zu: begin with TILEC_LAUNCH_OPTIONS_INIT", options->size);
  *out = *options;
  return TILEC_OK;
}

// The evaluator reports to the compilation's diagnostics, as the evaluation of @grid does: one at a time.
static tilec_status launch_specialisation(const tilec_device *device, Specialisation *s,
                                          const BoundArgs *args, const tilec_launch_options *o) {
  bool alone = !device->needs_ptx;
  if (alone) pthread_mutex_lock(&s->grid_lock);
  tilec_status status = device_launch(&s->loaded, o->grid, args->bits, args->count, o->stream);
  if (alone) pthread_mutex_unlock(&s->grid_lock);
  return status;
}

tilec_status tilec_launch(tilec_kernel *kernel, const tilec_launch_options *options, const tilec_arg *args,
                          size_t arg_count) {
  if (!kernel || (!args && arg_count))
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "tilec_launch: %s is NULL", kernel ? "args" : "kernel");
  tilec_launch_options o;
  BoundArgs bound;
  Specialisation *s;
  tilec_status status = check_options(options, &o);
  if (!status) status = bind_args(kernel->name, kernel->params, kernel->param_count, args, arg_count, &bound);
  if (status) return status;
  bool own_grid = o.grid[0] == -1;
  if (own_grid && !kernel->has_grid)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s has no @grid: give options.grid", kernel->name);
  status = kernel_specialise(kernel, &bound, &s);
  if (!status && own_grid) status = specialisation_grid(s, &bound, o.grid);
  if (status) return status;
  return launch_specialisation(kernel->device, s, &bound, &o);
}
