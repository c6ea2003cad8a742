// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference evaluator as a device. It runs the elaborated function. Every launch copies all buffers to
// the evaluator and copies changes back.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "eval/eval.h"
#include "runtime/device/device.h"
#include "runtime/device/sim_report.h"
#include "runtime/error.h"
#include "runtime/device/host_memory.h"

static tilec_status eval_open(tilec_device *device, int ordinal) {
  if (ordinal > 0) return error_set(TILEC_ERROR_NO_DEVICE, "there is one evaluator only: eval");
  HostMemory *memory = calloc(1, sizeof *memory);
  if (!memory) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a device)");
  host_memory_init(memory);
  device->state = memory;
  snprintf(device->name, sizeof device->name, "eval");
  return TILEC_OK;
}

static void eval_close(tilec_device *device) {
  host_memory_free(device->state);
  free(device->state);
}

static tilec_status eval_synchronize(tilec_device *device, const LaunchLimits *limits) {
  (void)device, (void)limits;
  return TILEC_OK;
}

static tilec_status eval_alloc(tilec_device *device, size_t bytes, uint64_t *address) {
  return host_alloc(device->state, bytes, address);
}

static void eval_release(tilec_device *device, uint64_t address) { host_release(device->state, address); }

static tilec_status eval_map(tilec_device *device, uint64_t address, size_t bytes, uint64_t *mapped,
                             bool *is_mapped) {
  *mapped = address;
  return host_map(device->state, address, bytes, is_mapped);
}

static tilec_status eval_write(tilec_device *device, uint64_t address, const void *from, size_t bytes) {
  return host_write(device->state, address, from, bytes);
}

static tilec_status eval_read(tilec_device *device, uint64_t address, void *to, size_t bytes) {
  return host_read(device->state, address, to, bytes);
}

static tilec_status eval_fill(tilec_device *device, uint64_t address, uint8_t byte, size_t bytes) {
  return host_fill(device->state, address, byte, bytes);
}

static tilec_status eval_watch(tilec_device *device, uint64_t address) {
  return host_watch(device->state, address);
}

static const uint8_t *eval_written(tilec_device *device, uint64_t address) {
  const HostMemory *memory = device->state;
  for (size_t i = 0; i < memory->count; i++)
    if (memory->blocks[i].address == address) return memory->blocks[i].watched;
  return NULL;
}

static tilec_status eval_load(tilec_device *device, const KernelImage *image, void **kernel) {
  (void)device;
  if (!image->func) return error_set(TILEC_ERROR_NOT_SUPPORTED, "the evaluator runs tile IR, not PTX");
  *kernel = image->func;
  return TILEC_OK;
}

static void eval_unload(tilec_device *device, void *kernel) { (void)device, (void)kernel; }

typedef struct EvalRun {
  HostMemory *memory;
  Func *func;
  const KernelLaunch *launch;
  const BufferName *names;
  uint32_t name_count;
  Buf *printed;
  Arena arena;
} EvalRun;

static void keep_printed(const char *text, void *data) {
  buf_plain_lines(data, str_from(text), SIZE_MAX);
  buf_char(data, '\n');
}

static void give_memory(const HostMemory *host, EvalMemory *memory) {
  for (size_t i = 0; i < host->count; i++) {
    const HostBlock *block = &host->blocks[i];
    if (block->bytes)
      eval_memory_add(memory, block->address, (void *)(uintptr_t)block->address, block->bytes,
                      block->written);
  }
}

static void take_memory(HostMemory *host, const EvalMemory *memory) {
  for (size_t i = 0; i < host->count; i++) {
    HostBlock *block = &host->blocks[i];
    const uint8_t *now = block->bytes ? eval_memory_bytes(memory, block->address) : NULL;
    if (now && block->watched) eval_memory_written(memory, block->address, block->watched);
    if (!now || memcmp(now, (void *)(uintptr_t)block->address, block->bytes) == 0) continue;
    memcpy((void *)(uintptr_t)block->address, now, block->bytes);
    block->written = true;
  }
}

static tilec_status run_function(void *data) {
  EvalRun *r = data;
  Diags *diags = r->func->module->ir->diags;
  diags->list.n = 0;
  diags->errors = diags->warnings = 0;
  EvalArg *args = ARENA_ARRAY(&r->arena, EvalArg, r->launch->arg_count);
  for (uint32_t i = 0; i < r->launch->arg_count; i++) args[i].bits = r->launch->args[i];
  EvalMemory *memory = eval_memory_new(&r->arena);
  give_memory(r->memory, memory);
  const LaunchLimits *limits = &r->launch->limits;
  const bool checked = limits->checked_schedule != 0;
  EvalOptions options = {.max_steps = limits->max_instructions,
                         .timeout = limits->timeout,
                         .spent = limits->spent,
                         .cancel = limits->cancel,
                         .programs = limits->programs,
                         .races = checked,
                         .wraps = checked,
                         .hints = checked,
                         .assembly = checked,
                         .print = keep_printed,
                         .print_data = r->printed,
                         .names = r->names,
                         .name_count = r->name_count};
  bool done = eval_launch(r->func, r->launch->grid, args, memory, &options);
  if (limits->printed) buf_str(limits->printed, buf_view(r->printed));
  take_memory(r->memory, memory);
  if (done) return TILEC_OK;
  report_join_updates(diags);
  return error_diags(TILEC_ERROR_LAUNCH, diags);
}

// One launch at a time, because the function's IrContext takes the diagnostics.
static tilec_status eval_launch_kernel(tilec_device *device, void *kernel, const KernelLaunch *launch) {
  EvalRun r = {.memory = device->state,
               .func = kernel,
               .launch = launch,
               .names = device->names,
               .name_count = device->name_count,
               .printed = &device->printed};
  if (launch->arg_count != func_visible_params(r.func)) // it makes tensor maps itself
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s takes %u arguments, not %u", r.func->name,
                     func_visible_params(r.func), launch->arg_count);
  pthread_mutex_lock(&r.memory->lock);
  buf_reset(&device->printed);
  tilec_status status = error_guard(run_function, &r);
  pthread_mutex_unlock(&r.memory->lock);
  arena_free(&r.arena);
  return status;
}

const DeviceKind device_eval = {
    .name = "eval",
    .open = eval_open,
    .close = eval_close,
    .synchronize = eval_synchronize,
    .alloc = eval_alloc,
    .release = eval_release,
    .map = eval_map,
    .unmap = eval_release,
    .write = eval_write,
    .read = eval_read,
    .fill = eval_fill,
    .watch = eval_watch,
    .written = eval_written,
    .load = eval_load,
    .unload = eval_unload,
    .launch = eval_launch_kernel,
};
