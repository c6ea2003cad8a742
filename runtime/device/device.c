// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/device.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/device/stream.h"
#include "runtime/error.h"

static tilec_device *device_new(const DeviceKind *kind) {
  tilec_device *d = calloc(1, sizeof *d);
  if (!d) return NULL;
  d->kind = kind;
  d->users = 1;
  d->target = target_default();
  return d;
}

static tilec_status open_kind(const DeviceKind *kind, int ordinal, tilec_device **device) {
  tilec_device *d = device_new(kind);
  if (!d) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a device)");
  tilec_status status = kind->open(d, ordinal);
  if (status)
    free(d);
  else
    *device = d;
  return status;
}

// "NAME" or "NAME:N". False if `text` is neither.
static bool parse_name(const char *text, const char *name, int *ordinal) {
  size_t n = strlen(name);
  *ordinal = 0;
  if (strncmp(text, name, n) != 0) return false;
  if (!text[n]) return true;
  if (text[n] != ':' || !text[n + 1] || strlen(text + n + 1) > 4) return false;
  for (const char *c = text + n + 1; *c; c++) {
    if (*c < '0' || *c > '9') return false;
    *ordinal = *ordinal * 10 + (*c - '0');
  }
  return true;
}

tilec_status device_open(const char *name, tilec_device **device) {
  int ordinal;
  if (!name || strcmp(name, "auto") == 0) {
    tilec_status status = open_kind(&device_cuda, 0, device);
    if (status != TILEC_ERROR_NO_DEVICE && status != TILEC_ERROR_NOT_SUPPORTED) return status;
    error_clear();
    return open_kind(&device_sim, 0, device);
  }
  if (parse_name(name, "cuda", &ordinal)) return open_kind(&device_cuda, ordinal, device);
  if (strcmp(name, "sim") == 0) return open_kind(&device_sim, 0, device);
  if (strcmp(name, "eval") == 0) return open_kind(&device_eval, 0, device);
  return error_set(TILEC_ERROR_NO_DEVICE, "no device '%.64s'; devices are cuda[:N], sim, eval and auto",
                   name);
}

tilec_status device_watch(tilec_device *device, uint64_t address) {
  return device->kind->watch ? device->kind->watch(device, address) : TILEC_OK;
}

const uint8_t *device_written(tilec_device *device, uint64_t address) {
  return device->kind->written ? device->kind->written(device, address) : NULL;
}

void device_hold(tilec_device *device) { __atomic_add_fetch(&device->users, 1, __ATOMIC_RELAXED); }

void device_release(tilec_device *device) {
  if (__atomic_sub_fetch(&device->users, 1, __ATOMIC_ACQ_REL) > 0) return;
  device->kind->close(device);
  buf_free(&device->printed);
  free(device);
}

static tilec_status find_room(tilec_device *device, const KernelImage *image, void *state, uint32_t *room) {
  *room = 0;
  if (!image->persistent || !device->kind->room) return TILEC_OK;
  tilec_status status = device->kind->room(device, state, room);
  if (!status && !*room) *room = 1; // the launch reports the real reason
  return status;
}

tilec_status device_load(tilec_device *device, const KernelImage *image, DeviceKernel *kernel) {
  *kernel = (DeviceKernel){0};
  void *state = NULL;
  tilec_status status = device->kind->load(device, image, &state);
  if (status) return status;
  uint32_t room;
  if ((status = find_room(device, image, state, &room))) {
    device->kind->unload(device, state);
    return status;
  }
  *kernel = (DeviceKernel){.device = device, .state = state, .room = room};
  device_hold(device);
  return TILEC_OK;
}

void device_unload(DeviceKernel *kernel) {
  if (!kernel->device) return;
  kernel->device->kind->unload(kernel->device, kernel->state);
  device_release(kernel->device);
  *kernel = (DeviceKernel){0};
}

// *empty: there is nothing to launch.
static tilec_status check_grid(const int64_t grid[3], uint32_t out[3], bool *empty) {
  static const int64_t limits[3] = {GRID_MAX_X, GRID_MAX_YZ, GRID_MAX_YZ};
  *empty = false;
  for (int i = 0; i < 3; i++) {
    if (grid[i] < 0)
      return error_set(TILEC_ERROR_INVALID_ARGUMENT, "grid dimension %c is negative (%lld)", "xyz"[i],
                       (long long)grid[i]);
    if (grid[i] > limits[i])
      return error_set(TILEC_ERROR_INVALID_ARGUMENT, "grid dimension %c is %lld; at most %lld is allowed",
                       "xyz"[i], (long long)grid[i], (long long)limits[i]);
    out[i] = (uint32_t)grid[i];
    *empty |= grid[i] == 0;
  }
  return TILEC_OK;
}

ByValueParams by_value_params(const Func *func) {
  ByValueParams params = {0};
  for (uint32_t i = 0; i < func->param_count && params.n < MAX_BY_VALUE; i++)
    if (type_is_by_value(func->params[i].type)) params.at[params.n++] = (uint16_t)i;
  return params;
}

// The number of CTAs that run a launch's programs.
static void choose_blocks(const DeviceKernel *kernel, const LaunchLimits *limits, uint32_t grid[3]) {
  uint32_t room = kernel->room, programs = grid[0] * grid[1] * grid[2];
  if (!room) return;
  if (limits && limits->programs && limits->programs < room) room = limits->programs;
  grid[0] = programs < room ? programs : room;
  grid[1] = grid[2] = 1;
}

tilec_status device_launch(const DeviceKernel *kernel, const int64_t grid[3], const uint64_t *args,
                           uint32_t arg_count, tilec_stream *stream, const LaunchLimits *limits) {
  KernelLaunch launch = {.args = args, .arg_count = arg_count, .stream = stream ? stream->state : NULL};
  if (limits) launch.limits = *limits;
  bool empty;
  tilec_status status = check_grid(grid, launch.grid, &empty);
  if (status || empty) return status;
  choose_blocks(kernel, limits, launch.grid);
  if (stream && stream->device != kernel->device)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "the stream is of device %s, the kernel of %s",
                     stream->device->name, kernel->device->name);
  return kernel->device->kind->launch(kernel->device, kernel->state, &launch);
}

tilec_status device_wait(tilec_device *device, const LaunchLimits *limits) {
  return device->kind->synchronize(device, limits ? limits : &(LaunchLimits){0});
}

static tilec_status time_by_host(tilec_device *device, void *state, KernelLaunch *launches,
                                 uint32_t launch_count, uint32_t count, uint32_t rounds, double *seconds) {
  tilec_status status = TILEC_OK;
  double begin = seconds_now();
  for (uint32_t r = 0; r < rounds && !status; r++) {
    double start = seconds_now();
    for (uint32_t i = 0; i < count && !status; i++) {
      KernelLaunch launch = launches[i % launch_count];
      launch.limits.spent += seconds_now() - begin;
      status = device->kind->launch(device, state, &launch);
    }
    seconds[r] = (seconds_now() - start) / count;
  }
  return status;
}

tilec_status device_time(const DeviceKernel *kernel, const int64_t grid[3], const uint64_t *args,
                         uint32_t arg_count, uint32_t set_count, uint32_t count, uint32_t rounds,
                         const LaunchLimits *limits, double *seconds) {
  uint32_t checked[3];
  bool empty;
  tilec_status status = check_grid(grid, checked, &empty);
  if (status) return status;
  if (empty || set_count == 0 || count == 0)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "nothing to time: the grid or the count is empty");
  choose_blocks(kernel, limits, checked);
  KernelLaunch *launches = calloc(set_count, sizeof *launches);
  if (!launches) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (%u launches)", set_count);
  for (uint32_t i = 0; i < set_count; i++) {
    launches[i] = (KernelLaunch){.args = args + (size_t)i * arg_count, .arg_count = arg_count};
    memcpy(launches[i].grid, checked, sizeof checked);
    if (limits) launches[i].limits = *limits;
  }
  tilec_device *device = kernel->device;
  status = (device->kind->time ? device->kind->time : time_by_host)(device, kernel->state, launches,
                                                                    set_count, count, rounds, seconds);
  free(launches);
  return status;
}

// --- The public functions ---

tilec_status tilec_device_open(const char *name, tilec_device **device) {
  if (!device) return null_argument("tilec_device_open", "device");
  *device = NULL;
  return device_open(name, device);
}

tilec_status tilec_device_from_context(void *cu_context, tilec_device **device) {
  if (!cu_context || !device)
    return null_argument("tilec_device_from_context", cu_context ? "device" : "cu_context");
  *device = NULL;
  tilec_device *d = device_new(&device_cuda);
  if (!d) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a device)");
  tilec_status status = cuda_open_context(d, cu_context);
  if (status)
    free(d);
  else
    *device = d;
  return status;
}

void tilec_device_close(tilec_device *device) {
  if (device) device_release(device);
}

const char *tilec_device_name(const tilec_device *device) { return device ? device->name : ""; }
const char *tilec_device_arch(const tilec_device *device) { return device ? device->target.arch->name : ""; }

tilec_status tilec_device_synchronize(tilec_device *device) {
  if (!device) return null_argument("tilec_device_synchronize", "device");
  return device_wait(device, NULL);
}
