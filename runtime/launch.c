// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/sized.h"
#include "runtime/error.h"
#include "runtime/kernel.h"
#include "runtime/memory.h"

static tilec_status own_grid(Specialisation *s, const BoundArgs *args, int64_t grid[3]) {
  pthread_mutex_lock(&s->host_lock);
  tilec_status status = host_results(&s->host, s->func, args);
  if (!status) memcpy(grid, s->host.last->values.at[HOST_GRID], 3 * sizeof *grid);
  pthread_mutex_unlock(&s->host_lock);
  return status;
}

static tilec_status check_options(const tilec_launch_options *options, tilec_launch_options *out) {
  *out = (tilec_launch_options)TILEC_LAUNCH_OPTIONS_INIT;
  if (!options) return TILEC_OK;
  if (options->size == sizeof *out)
    *out = *options;
  else if (!sized_take(out, sizeof *out, options))
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "options.size is %zu: begin with TILEC_LAUNCH_OPTIONS_INIT, and of a newer libtilec's "
                     "options leave those that this one does not know at 0",
                     options->size);
  if (out->timeout >= 0) return TILEC_OK;
  return error_set(TILEC_ERROR_INVALID_ARGUMENT, "options.timeout is %g: a time limit is no less than 0",
                   out->timeout);
}

// The evaluator reports to the compilation's diagnostics, as the evaluation of
// host regions does: one at a time.
static tilec_status launch_specialisation(const tilec_device *device, Specialisation *s,
                                          const BoundArgs *args, const tilec_launch_options *o) {
  bool alone = !device->needs_ptx;
  if (alone) pthread_mutex_lock(&s->host_lock);
  const LaunchLimits limits = {o->max_instructions, o->timeout, o->cancel, 0};
  tilec_status status = device_launch(&s->loaded, o->grid, args->bits, args->count, o->stream, &limits);
  if (alone) pthread_mutex_unlock(&s->host_lock);
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
  if (!status) status = memory_check_args(kernel->device, kernel->name, kernel->params, &bound);
  if (status) return status;
  bool by_kernel = o.grid[0] == -1;
  if (by_kernel && !kernel->has_grid)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s has no @grid: give options.grid", kernel->name);
  status = kernel_specialise(kernel, &bound, &s);
  if (!status && by_kernel) status = own_grid(s, &bound, o.grid);
  if (status) return status;
  return launch_specialisation(kernel->device, s, &bound, &o);
}
