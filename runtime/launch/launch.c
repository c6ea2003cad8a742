// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

#include "base/sized.h"
#include "ir/memory/tensor_map.h"
#include "runtime/diagnostics.h"
#include "runtime/error.h"
#include "runtime/launch/expand.h"
#include "runtime/launch/kernel.h"
#include "runtime/launch/launch_maps.h"
#include "runtime/launch/buffer.h"
#include "runtime/launch/tensor.h"

static tilec_status own_grid(Specialisation *s, const BoundArgs *args, int64_t grid[3]) {
  pthread_mutex_lock(&s->host_lock);
  tilec_status status = host_grid(&s->results, s->func, args);
  if (!status) memcpy(grid, s->results.last->grid, 3 * sizeof *grid);
  pthread_mutex_unlock(&s->host_lock);
  return status;
}

static tilec_status check_options(const tilec_launch_options *options, tilec_launch_options *out) {
  *out = (tilec_launch_options)TILEC_LAUNCH_OPTIONS_INIT;
  if (!options) return TILEC_OK;
  if (options->size == sizeof *out)
    *out = *options;
  else if (!sized_take(out, sizeof *out, options))
    return error_options("TILEC_LAUNCH_OPTIONS_INIT", options->size);
  if (out->timeout >= 0) return TILEC_OK;
  return error_set(TILEC_ERROR_INVALID_ARGUMENT, "options.timeout is %g: a time limit cannot be negative",
                   out->timeout);
}

// The kernel's parameters: the arguments' bits, then addresses of its tensor maps.
typedef struct CodeArgs {
  const uint64_t *bits;
  uint32_t count;
} CodeArgs;

// The evaluator and the host regions report to the compilation's diagnostics. So only one of them runs at a
// time. The evaluator's warnings go to the kernel's log.
static tilec_status launch_alone(const tilec_kernel *kernel, Specialisation *s, const BoundArgs *args,
                                 const CodeArgs *code, const tilec_launch_options *o, Buf *printed) {
  const tilec_device *device = kernel->device;
  if (o->check && device->needs_ptx)
    return launch_checked(&s->loaded, args, code->bits, code->count, o, printed);
  bool alone = !device->needs_ptx;
  if (alone) pthread_mutex_lock(&s->host_lock);
  const LaunchLimits limits = {.max_instructions = o->max_instructions,
                               .timeout = o->timeout,
                               .cancel = o->cancel,
                               .checked_schedule = o->check != 0,
                               .devices = (uint32_t)o->ranks,
                               .programs = o->max_programs,
                               .printed = printed};
  tilec_status status = device_launch(&s->loaded, o->grid, code->bits, code->count, o->stream, &limits);
  if (alone && status == TILEC_OK && o->grid[0] && o->grid[1] && o->grid[2])
    diagnostics_log(&kernel->options, s->func->module->ir->diags);
  if (alone) pthread_mutex_unlock(&s->host_lock);
  return status;
}

static tilec_status launch_code(const tilec_kernel *kernel, Specialisation *s, const BoundArgs *args,
                                const CodeArgs *code, const tilec_launch_options *o) {
  if (!o->print) return launch_alone(kernel, s, args, code, o, NULL);
  Buf printed = {0};
  tilec_status status = launch_alone(kernel, s, args, code, o, &printed);
  if (printed.n) o->print(o->print_data, buf_view(&printed).at, printed.n);
  buf_free(&printed);
  return status;
}

// The launch's own copy, because the kept set may be reused for other arguments meanwhile.
typedef struct OwnMaps {
  _Alignas(BY_VALUE_ALIGN) unsigned char at[MAX_TENSOR_MAPS][BY_VALUE_BYTES];
  uint64_t bits[MAX_PARAMS + PROGRAM_AXES + MAX_TENSOR_MAPS];
  uint32_t count;
  const char *unmade, *unmade_name; // as in HostSet
} OwnMaps;

static tilec_status own_maps(Specialisation *s, tilec_device *device, const BoundArgs *args,
                             const int64_t grid[3], OwnMaps *maps) {
  pthread_mutex_lock(&s->host_lock);
  tilec_status status = host_maps(&s->results, s->host, device, args, grid);
  if (!status) {
    const HostSet *set = s->results.last;
    maps->unmade = set->unmade;
    maps->unmade_name = set->unmade_name;
    memcpy(maps->at, set->maps, (size_t)s->hidden.maps * BY_VALUE_BYTES);
  }
  pthread_mutex_unlock(&s->host_lock);
  memcpy(maps->bits, args->bits, args->count * sizeof *args->bits);
  maps->count = maps_pass(s->hidden, grid, maps->at[0], args->count, maps->bits);
  return status;
}

static tilec_status launch_specialisation(tilec_kernel *kernel, Specialisation *s, const BoundArgs *args,
                                          const tilec_launch_options *o);

// Launches with hidden parameters. If they cannot be made, launches code that needs fewer of them, or none.
static __attribute__((noinline)) tilec_status
launch_hidden(tilec_kernel *kernel, Specialisation *s, const BoundArgs *args, const tilec_launch_options *o) {
  OwnMaps maps;
  Specialisation *plain;
  tilec_status status = own_maps(s, kernel->device, args, o->grid, &maps);
  if (status) return status;
  if (!maps.unmade) return launch_code(kernel, s, args, &(CodeArgs){maps.bits, maps.count}, o);
  status = kernel_plain(kernel, s, args, maps.unmade_name, maps.unmade, &plain);
  return status ? status : launch_specialisation(kernel, plain, args, o);
}

static tilec_status launch_specialisation(tilec_kernel *kernel, Specialisation *s, const BoundArgs *args,
                                          const tilec_launch_options *o) {
  bool any = o->grid[0] && o->grid[1] && o->grid[2]; // else nothing is launched
  if (hidden_any(s->hidden) && any) return launch_hidden(kernel, s, args, o);
  return launch_code(kernel, s, args, &(CodeArgs){args->bits, args->count}, o);
}

// The variant for the arguments, compiled if necessary. If this fails with bound->wide set, find_wide handles
// the arguments.
static inline tilec_status find_variant(tilec_kernel *kernel, const tilec_arg *args, size_t arg_count,
                                        BoundArgs *bound, Specialisation **s) {
  bound->struct_bytes = 0;
  tilec_status status =
      kernel->is_image ? image_bind(kernel, args, arg_count, bound)
                       : bind_args(kernel->name, kernel->params, kernel->param_count, args, arg_count, bound);
  if (!status) status = memory_check_args(kernel->device, kernel->name, kernel->params, bound);
  if (status) return status;
  if (!kernel->is_image) return kernel_specialise(kernel, bound, s);
  *s = kernel->first;
  return TILEC_OK;
}

// The same for arguments that become several of the kernel's parameters.
static tilec_status find_wide(tilec_kernel *kernel, const tilec_arg *args, size_t arg_count, BoundArgs *bound,
                              Expanded *expanded, Specialisation **s) {
  bound->struct_bytes = 0;
  if (kernel->is_tir)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "%s is tile IR, whose parameters take one argument each: no "
                     "tuples, tensor descriptors or constexprs",
                     kernel->name);
  tilec_status status =
      bind_wide(kernel->name, kernel->params, kernel->param_count, args, arg_count, bound, expanded);
  if (!status) status = memory_check_args(kernel->device, kernel->name, expanded->params, bound);
  return status ? status : kernel_specialise(kernel, bound, s);
}

// Launches with DLPack tensors. A device on this CPU maps their memory during the launch.
static tilec_status launch_tensors(tilec_kernel *kernel, Specialisation *s, const RunParam *params,
                                   const tilec_arg *args, size_t arg_count, BoundArgs *bound,
                                   const tilec_launch_options *o) {
  TensorMaps maps;
  tilec_device *device = kernel->device;
  tilec_status status = tensors_map(device, kernel->name, params, args, arg_count, bound, &maps);
  if (!status) status = launch_specialisation(kernel, s, bound, o);
  tensors_unmap(device, &maps);
  return status;
}

static __attribute__((noinline)) tilec_status launch_wide(tilec_kernel *kernel, tilec_launch_options *o,
                                                          const tilec_arg *args, size_t arg_count) {
  BoundArgs bound;
  Expanded expanded;
  Specialisation *s;
  tilec_status status = find_wide(kernel, args, arg_count, &bound, &expanded, &s);
  if (!status && o->grid[0] == -1) status = own_grid(s, &bound, o->grid);
  if (status) return status;
  if (!bound.tensors) return launch_specialisation(kernel, s, &bound, o);
  return launch_tensors(kernel, s, expanded.params, expanded.args, expanded.count, &bound, o);
}

// --- Several simulated GPUs

typedef struct RankArgs {
  BoundArgs bound;
  TensorMaps tensors;
  OwnMaps maps;
} RankArgs;

// All ranks run one code, which relies on the facts that all have. `all` gets these.
static tilec_status join_facts(const tilec_kernel *kernel, BoundArgs *all, const BoundArgs *other,
                               uint32_t rank) {
  for (uint32_t i = 0; i < all->count && !kernel->is_image; i++) {
    uint8_t *key = &all->key[KEY_BYTES * i];
    const uint8_t *own = &other->key[KEY_BYTES * i];
    if (key[0] != own[0] || ((key[1] ^ own[1]) & KEY_NONE))
      return error_set(
          TILEC_ERROR_INVALID_ARGUMENT,
          "%s: parameter '%s' has another type on rank %u than on rank 0: all ranks run one code",
          kernel->name, kernel->params[i].name, rank);
    key[1] &= own[1];
  }
  return TILEC_OK;
}

static tilec_status bind_rank(const tilec_kernel *kernel, const tilec_arg *args, size_t count,
                              RankArgs *ranks, uint32_t rank) {
  BoundArgs *bound = &ranks[rank].bound;
  bound->wide = kernel->is_wide;
  tilec_status status = TILEC_OK;
  if (kernel->is_image)
    status = image_bind(kernel, args, count, bound);
  else if (!bound->wide)
    status = bind_args(kernel->name, kernel->params, kernel->param_count, args, count, bound);
  if (bound->wide)
    return error_set(TILEC_ERROR_NOT_SUPPORTED,
                     "%s: several ranks take no tuples, tensor descriptors or constexprs as arguments",
                     kernel->name);
  if (!status) status = memory_check_args(kernel->device, kernel->name, kernel->params, bound);
  if (!status && rank) status = join_facts(kernel, &ranks[0].bound, bound, rank);
  if (!status && bound->tensors)
    status =
        tensors_map(kernel->device, kernel->name, kernel->params, args, count, bound, &ranks[rank].tensors);
  return status;
}

static tilec_status launch_bound_ranks(tilec_kernel *kernel, Specialisation *s, RankArgs *ranks,
                                       const tilec_launch_options *o) {
  bool hidden = hidden_any(s->hidden) && o->grid[0] && o->grid[1] && o->grid[2];
  uint64_t bits[LAUNCH_MAX_ARGS];
  uint32_t count = 0;
  for (uint32_t rank = 0; rank < o->ranks; rank++) {
    const BoundArgs *bound = &ranks[rank].bound;
    OwnMaps *maps = &ranks[rank].maps;
    Specialisation *plain;
    maps->count = bound->count;
    memcpy(maps->bits, bound->bits, bound->count * sizeof *bound->bits);
    tilec_status status = hidden ? own_maps(s, kernel->device, bound, o->grid, maps) : TILEC_OK;
    if (!status && maps->unmade) {
      status = kernel_plain(kernel, s, &ranks[0].bound, maps->unmade_name, maps->unmade, &plain);
      return status ? status : launch_bound_ranks(kernel, plain, ranks, o);
    }
    if (status) return status;
    if (count + maps->count > LAUNCH_MAX_ARGS)
      return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: the ranks have more than %d arguments in total",
                       kernel->name, LAUNCH_MAX_ARGS);
    memcpy(bits + count, maps->bits, maps->count * sizeof *bits);
    count += maps->count;
  }
  return launch_code(kernel, s, &ranks[0].bound, &(CodeArgs){bits, count / o->ranks}, o);
}

static tilec_status launch_ranks(tilec_kernel *kernel, tilec_launch_options *o, const tilec_arg *args,
                                 size_t arg_count) {
  size_t count = arg_count / o->ranks;
  if (kernel->device->kind != &device_sim)
    return error_set(TILEC_ERROR_NOT_SUPPORTED, "options.ranks is for the simulator, not for %s",
                     kernel->device->name);
  if (o->ranks > TILEC_SIM_MAX_DEVICES || arg_count % o->ranks)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "options.ranks is %zu: it must be at most %d, and divide the %zu arguments", o->ranks,
                     TILEC_SIM_MAX_DEVICES, arg_count);
  RankArgs *ranks = aligned_alloc(_Alignof(RankArgs), o->ranks * sizeof *ranks);
  if (!ranks) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (arguments of ranks)");
  memset(ranks, 0, o->ranks * sizeof *ranks);
  tilec_status status = TILEC_OK;
  Specialisation *s = kernel->first;
  for (uint32_t rank = 0; rank < o->ranks && !status; rank++)
    status = bind_rank(kernel, args + rank * count, count, ranks, rank);
  if (!status && !kernel->is_image) status = kernel_specialise(kernel, &ranks[0].bound, &s);
  if (!status && o->grid[0] == -1) status = own_grid(s, &ranks[0].bound, o->grid);
  if (!status) status = launch_bound_ranks(kernel, s, ranks, o);
  for (uint32_t rank = 0; rank < o->ranks; rank++) tensors_unmap(kernel->device, &ranks[rank].tensors);
  free(ranks);
  return status;
}

tilec_status tilec_launch(tilec_kernel *kernel, const tilec_launch_options *options, const tilec_arg *args,
                          size_t arg_count) {
  if (!kernel || (!args && arg_count)) return null_argument("tilec_launch", kernel ? "args" : "kernel");
  tilec_launch_options o;
  BoundArgs bound;
  Specialisation *s;
  tilec_status status = check_options(options, &o);
  if (status) return status;
  bool by_kernel = o.grid[0] == -1;
  if (by_kernel && !kernel->has_grid)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "%s has no @grid: set options.grid to the number of programs; in C++ give "
                     "tilec::launch(number) to run()",
                     kernel->name);
  if (o.ranks) return launch_ranks(kernel, &o, args, arg_count);
  if (kernel->is_wide) return launch_wide(kernel, &o, args, arg_count);
  status = find_variant(kernel, args, arg_count, &bound, &s);
  if (!status && by_kernel) status = own_grid(s, &bound, o.grid);
  if (status) return bound.wide ? launch_wide(kernel, &o, args, arg_count) : status;
  if (bound.tensors) return launch_tensors(kernel, s, kernel->params, args, arg_count, &bound, &o);
  return launch_specialisation(kernel, s, &bound, &o);
}

static tilec_status prepare(tilec_kernel *kernel, const tilec_arg *args, size_t arg_count,
                            Specialisation **s) {
  BoundArgs bound = {.wide = kernel->is_wide};
  Expanded expanded;
  tilec_status status = TILEC_OK;
  if (!bound.wide) status = find_variant(kernel, args, arg_count, &bound, s);
  return bound.wide ? find_wide(kernel, args, arg_count, &bound, &expanded, s) : status;
}

tilec_status tilec_kernel_prepare(tilec_kernel *kernel, const tilec_arg *args, size_t arg_count) {
  if (!kernel || (!args && arg_count))
    return null_argument("tilec_kernel_prepare", kernel ? "args" : "kernel");
  Specialisation *s;
  return prepare(kernel, args, arg_count, &s);
}

tilec_status tilec_kernel_get_attributes(tilec_kernel *kernel, const tilec_arg *args, size_t arg_count,
                                         tilec_kernel_attributes *attributes) {
  static const char function[] = "tilec_kernel_get_attributes";
  if (!kernel || (!args && arg_count) || !attributes)
    return null_argument(function, !kernel ? "kernel" : !attributes ? "attributes" : "args");
  Specialisation *s;
  tilec_status status = prepare(kernel, args, arg_count, &s);
  if (status) return status;
  const DeviceKind *kind = kernel->device->kind;
  KernelAttributes found = {-1, -1, -1, -1, -1, -1};
  if (kind->attributes) status = kind->attributes(kernel->device, s->loaded.state, &found);
  if (status) return status;
  const tilec_kernel_attributes out = {.size = sizeof out,
                                       .threads = found.threads,
                                       .registers = found.registers,
                                       .shared_static = found.shared_static,
                                       .shared_dynamic = found.shared_dynamic,
                                       .local_bytes = found.local_bytes,
                                       .blocks = found.blocks};
  if (sized_give(attributes, &out, sizeof out)) return TILEC_OK;
  return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                   "%s: attributes.size is %zu: initialise attributes with TILEC_KERNEL_ATTRIBUTES_INIT",
                   function, attributes->size);
}
