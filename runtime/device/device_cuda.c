// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GPUs, through libcuda.so.1, which is opened at run time.
//
// A device keeps one context: the caller's current one if it is on that GPU, else the primary context. Each
// call makes that context current and then restores the caller's. If it is already current, that costs one
// cheap query.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/device/cuda.h"
#include "runtime/error.h"
#include "runtime/device/ptx_version.h"
#include "runtime/device/tensor_encode.h"

static bool kernel_did_wrong(CudaResult result) {
  return result == CUDA_ILLEGAL_ADDRESS || result == CUDA_LAUNCH_TIMEOUT ||
         (result >= CUDA_ASSERT && result <= CUDA_LAUNCH_FAILED);
}

tilec_status cuda_error(const CudaApi *api, CudaResult result, const char *what) {
  const char *name = NULL, *text = NULL;
  api->GetErrorName(result, &name);
  api->GetErrorString(result, &text);
  tilec_status status = result == CUDA_OUT_OF_MEMORY ? TILEC_ERROR_OUT_OF_MEMORY
                        : result == CUDA_NO_DEVICE || result == CUDA_INVALID_DEVICE ? TILEC_ERROR_NO_DEVICE
                        : kernel_did_wrong(result)                                  ? TILEC_ERROR_LAUNCH
                                                                                    : TILEC_ERROR_DRIVER;
  return error_set(status, "%s: %s (%s, %d)", what, text ? text : "unknown error", name ? name : "?", result);
}

static tilec_status load_driver(CudaApi *api) {
  static const struct {
    const char *symbol;
    size_t offset;
  } table[] = {
#define X(name, symbol, parameters) {symbol, offsetof(CudaApi, name)},
#include "runtime/device/driver_api.def"
#undef X
  };
  // Never closed: the driver keeps threads.
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return error_set(TILEC_ERROR_NO_DEVICE,
                     "no CUDA driver: %s; install NVIDIA's driver, or use the device sim, which needs no GPU",
                     dlerror());
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    void *function = dlsym(library, table[i].symbol);
    if (!function)
      return error_set(TILEC_ERROR_NO_DEVICE, "the CUDA driver is too old: it has no %s", table[i].symbol);
    memcpy((char *)api + table[i].offset, &function, sizeof function);
  }
  void *param_info = dlsym(library, "cuFuncGetParamInfo"), *encode = dlsym(library, "cuTensorMapEncodeTiled");
  memcpy(&api->FuncGetParamInfo, &param_info, sizeof param_info);
  memcpy(&api->TensorMapEncodeTiled, &encode, sizeof encode);
  return CUDA(api, Init, 0);
}

static tilec_status choose_target(tilec_device *device, int major, int minor) {
  uint32_t count;
  const TargetInfo *arch = target_of_device(major, minor);
  if (!arch)
    return error_set(TILEC_ERROR_NOT_SUPPORTED, "%s has compute capability %d.%d; %s or newer is needed",
                     device->name, major, minor, target_list(&count)->name);
  device->target.arch = arch;
  return TILEC_OK;
}

static tilec_status open_context(Cuda *cuda) {
  CudaContext current = NULL;
  CudaDevice of = -1;
  if (cuda->api.CtxGetCurrent(&current) == 0 && current && cuda->api.CtxGetDevice(&of) == 0 &&
      of == cuda->device) {
    cuda->context = current;
    return TILEC_OK;
  }
  tilec_status status = CUDA(&cuda->api, DevicePrimaryCtxRetain, &cuda->context, cuda->device);
  cuda->owns_primary = status == TILEC_OK;
  return status;
}

static tilec_status read_attributes(tilec_device *device, Cuda *cuda) {
  const struct {
    int id, *value;
  } attributes[] = {{CUDA_ATTRIBUTE_CC_MAJOR, &cuda->major},
                    {CUDA_ATTRIBUTE_CC_MINOR, &cuda->minor},
                    {CUDA_ATTRIBUTE_SHARED_OPTIN, &cuda->shared_limit}};
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
    CudaResult result = cuda->api.DeviceGetAttribute(attributes[i].value, attributes[i].id, cuda->device);
    tilec_status status = cuda_check(&cuda->api, result, "cuDeviceGetAttribute");
    if (status) return status;
  }
  device->ordinal = cuda->device;
  snprintf(device->name, sizeof device->name, "cuda:%d", cuda->device);
  CudaResult named = cuda->api.DeviceGetName(device->card, (int)sizeof device->card, cuda->device);
  tilec_status status = cuda_check(&cuda->api, named, "cuDeviceGetName");
  if (!status) status = choose_target(device, cuda->major, cuda->minor);
  if (!status) cuda->shared_static = device->target.arch->shared_static;
  return status;
}

static tilec_status open_gpu(tilec_device *device, Cuda *cuda, int ordinal) {
  int count = 0;
  const CudaApi *api = &cuda->api;
  tilec_status status = load_driver(&cuda->api);
  if (status) return status;
  if ((status = CUDA(api, DeviceGetCount, &count))) return status;
  if (ordinal >= count)
    return error_set(TILEC_ERROR_NO_DEVICE, "no device cuda:%d: the driver has %d GPU%s", ordinal, count,
                     count == 1 ? "" : "s");
  if ((status = CUDA(api, DeviceGet, &cuda->device, ordinal))) return status;
  if ((status = read_attributes(device, cuda))) return status;
  return open_context(cuda);
}

static tilec_status cuda_open(tilec_device *device, int ordinal) {
  Cuda *cuda = calloc(1, sizeof *cuda);
  if (!cuda) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a device)");
  tilec_status status = open_gpu(device, cuda, ordinal);
  if (status)
    free(cuda);
  else
    device->state = cuda;
  device->is_gpu = device->needs_ptx = true;
  return status;
}

// The device of a caller's context, which may be current on no thread.
static tilec_status open_in_context(tilec_device *device, Cuda *cuda) {
  tilec_status status = load_driver(&cuda->api);
  if (status) return status;
  CudaCall c = cuda_begin(cuda);
  if (!c.status) c.status = CUDA(c.api, CtxGetDevice, &cuda->device);
  if (!c.status) c.status = read_attributes(device, cuda);
  return cuda_end(&c);
}

tilec_status cuda_open_context(tilec_device *device, void *context) {
  Cuda *cuda = calloc(1, sizeof *cuda);
  if (!cuda) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a device)");
  cuda->context = context;
  tilec_status status = open_in_context(device, cuda);
  if (status)
    free(cuda);
  else
    device->state = cuda;
  device->is_gpu = device->needs_ptx = true;
  return status;
}

static void cuda_close(tilec_device *device) {
  Cuda *cuda = device->state;
  if (cuda->owns_primary && !device->gave_up) cuda->api.DevicePrimaryCtxRelease(cuda->device);
  free(cuda);
}

tilec_status cuda_wait_for(tilec_device *device, CudaEvent event, const CudaWait *wait) {
  CudaResult result;
  const CudaApi *api = &((Cuda *)device->state)->api;
  tilec_status status = cuda_wait(api, event, wait, &device->gave_up, &result);
  return status ? status : cuda_check(api, result, "cuEventSynchronize");
}

// Waits for the work on the default stream.
static tilec_status wait_within(tilec_device *device, const LaunchLimits *limits) {
  const CudaApi *api = &((Cuda *)device->state)->api;
  CudaEvent event = NULL;
  tilec_status status = CUDA(api, EventCreate, &event, 0);
  if (!status) status = CUDA(api, EventRecord, event, NULL);
  if (!status) status = cuda_wait_for(device, event, &(CudaWait){limits, seconds_now()});
  if (event && !device->gave_up) api->EventDestroy(event);
  return status;
}

static tilec_status cuda_synchronize(tilec_device *device, const LaunchLimits *limits) {
  bool limited = limits->timeout > 0 || limits->cancel;
  CudaCall c = cuda_begin(device->state);
  if (!c.status) c.status = limited ? wait_within(device, limits) : CUDA(c.api, CtxSynchronize, );
  return cuda_end(&c);
}

// --- Kernels ---

// The driver compiles the PTX. Its compiler's log goes into the error. If the driver is older than the PTX
// version, tries again with its own version. This works if the code does not need the newer one.
static tilec_status load_module(const Cuda *cuda, const KernelImage *image, CudaKernel *kernel) {
  char errors[CUDA_LOG_BYTES] = "", infos[CUDA_LOG_BYTES] = "";
  int options[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_BYTES, CUDA_JIT_INFO_LOG, CUDA_JIT_INFO_LOG_BYTES};
  void *values[] = {errors, (void *)(uintptr_t)CUDA_LOG_BYTES, infos, (void *)(uintptr_t)CUDA_LOG_BYTES};
  CudaResult result = cuda->api.ModuleLoadDataEx(&kernel->module, image->ptx.at, 4, options, values);
  Buf lowered = {0};
  if (result && !image->is_binary && ptx_lower_version(image->ptx, errors, &lowered)) {
    errors[0] = '\0';
    result = cuda->api.ModuleLoadDataEx(&kernel->module, lowered.at, 4, options, values);
  }
  buf_free(&lowered);
  tilec_status status = cuda_check(&cuda->api, result, "cuModuleLoadDataEx");
  if (!status) return TILEC_OK;
  return error_set(status, "the driver refuses the %s of %s: %s%s%s", image->is_binary ? "code" : "PTX",
                   image->name, tilec_last_error(), errors[0] ? "\n" : "", errors);
}

static tilec_status load_function(const Cuda *cuda, const KernelImage *image, CudaKernel *kernel) {
  const CudaApi *api = &cuda->api;
  tilec_status status = load_module(cuda, image, kernel);
  if (status) return status;
  status = CUDA(api, ModuleGetFunction, &kernel->function, kernel->module, image->name);
  if (status) return error_set(status, "no kernel %s in the PTX: %s", image->name, tilec_last_error());
  memcpy(kernel->threads, image->threads, sizeof kernel->threads);
  kernel->shared_bytes = image->shared_bytes;
  kernel->by_value = image->by_value;
  kernel->overlaps = image->overlaps;
  if (image->shared_bytes <= cuda->shared_static) return TILEC_OK;
  if (image->shared_bytes > (uint32_t)cuda->shared_limit)
    return error_set(TILEC_ERROR_NOT_SUPPORTED,
                     "%s needs %u bytes of shared memory for a CTA, the GPU has %d", image->name,
                     image->shared_bytes, cuda->shared_limit);
  return CUDA(api, FuncSetAttribute, kernel->function, CUDA_FUNC_MAX_DYNAMIC_SHARED,
              (int)image->shared_bytes);
}

static void cuda_unload(tilec_device *device, void *state) {
  CudaKernel *kernel = state;
  if (!device->gave_up && kernel->module) {
    CudaCall c = cuda_begin(device->state);
    c.api->ModuleUnload(kernel->module);
    cuda_end(&c);
  }
  free(kernel);
}

// Relaxed capture mode: loading is legal while this or another thread captures a graph.
static tilec_status cuda_load(tilec_device *device, const KernelImage *image, void **state) {
  CudaKernel *kernel = calloc(1, sizeof *kernel);
  if (!kernel) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a kernel)");
  int mode = CUDA_CAPTURE_RELAXED;
  CudaCall c = cuda_begin(device->state);
  if (!c.status) {
    c.api->ThreadExchangeStreamCaptureMode(&mode);
    c.status = load_function(c.cuda, image, kernel);
    c.api->ThreadExchangeStreamCaptureMode(&mode);
  }
  if (cuda_end(&c))
    cuda_unload(device, kernel);
  else
    *state = kernel;
  return c.status;
}

static tilec_status attributes_here(const Cuda *cuda, const CudaKernel *kernel, KernelAttributes *out) {
  const CudaApi *api = &cuda->api;
  const struct {
    int id, *value;
  } asked[] = {{CUDA_FUNC_REGISTERS, &out->registers},
               {CUDA_FUNC_LOCAL_BYTES, &out->local_bytes},
               {CUDA_FUNC_SHARED_BYTES, &out->shared_static}};
  const uint32_t *t = kernel->threads;
  out->threads = (int)(t[0] * t[1] * t[2]);
  out->shared_dynamic = (int)kernel->shared_bytes;
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
    CudaResult result = api->FuncGetAttribute(asked[i].value, asked[i].id, kernel->function);
    tilec_status status = cuda_check(api, result, "cuFuncGetAttribute");
    if (status) return status;
  }
  CudaResult result =
      api->OccupancyMaxActiveBlocks(&out->blocks, kernel->function, out->threads, kernel->shared_bytes);
  return cuda_check(api, result, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
}

static tilec_status cuda_attributes(tilec_device *device, void *kernel, KernelAttributes *out) {
  CudaCall c = cuda_begin(device->state);
  if (!c.status) c.status = attributes_here(c.cuda, kernel, out);
  return cuda_end(&c);
}

static tilec_status room_here(const Cuda *cuda, const CudaKernel *kernel, uint32_t *blocks) {
  const CudaApi *api = &cuda->api;
  const uint32_t *t = kernel->threads;
  int multiprocessors, each;
  CudaResult result = api->DeviceGetAttribute(&multiprocessors, CUDA_ATTRIBUTE_MULTIPROCESSORS, cuda->device);
  if (result) return cuda_error(api, result, "cuDeviceGetAttribute");
  result =
      api->OccupancyMaxActiveBlocks(&each, kernel->function, (int)(t[0] * t[1] * t[2]), kernel->shared_bytes);
  if (result) return cuda_error(api, result, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  *blocks = (uint32_t)multiprocessors * (uint32_t)each;
  return TILEC_OK;
}

static tilec_status cuda_room(tilec_device *device, void *kernel, uint32_t *blocks) {
  CudaCall c = cuda_begin(device->state);
  if (!c.status) c.status = room_here(c.cuda, kernel, blocks);
  return cuda_end(&c);
}

// The driver reports the end of the list as a missing parameter.
static tilec_status params_here(const Cuda *cuda, const CudaKernel *kernel, KernelParams *out) {
  size_t offset, bytes;
  CudaResult result = 0;
  if (!cuda->api.FuncGetParamInfo)
    return error_set(TILEC_ERROR_NOT_SUPPORTED, "a kernel's parameters need a driver of CUDA 12.4 or newer");
  for (out->count = 0; out->count <= MAX_IMAGE_PARAMS; out->count++) {
    result = cuda->api.FuncGetParamInfo(kernel->function, out->count, &offset, &bytes);
    if (result || out->count == MAX_IMAGE_PARAMS) break;
    out->bytes[out->count] = (uint32_t)bytes;
  }
  if (result == CUDA_INVALID_VALUE) return TILEC_OK;
  if (result) return cuda_error(&cuda->api, result, "cuFuncGetParamInfo");
  return error_set(TILEC_ERROR_NOT_SUPPORTED, "more than %d parameters", MAX_IMAGE_PARAMS);
}

static tilec_status cuda_params(tilec_device *device, void *kernel, KernelParams *out) {
  CudaCall c = cuda_begin(device->state);
  if (!c.status) c.status = params_here(c.cuda, kernel, out);
  return cuda_end(&c);
}

// The driver does not use the GPU for this, but it needs a current context.
static bool cuda_encode(tilec_device *device, const TensorMapValue *map, void *out) {
  const TensorEncoding e = tensor_encoding(map);
  void *base = (void *)(uintptr_t)map->base;
  if (!((const Cuda *)device->state)->api.TensorMapEncodeTiled) return false;
  CudaCall c = cuda_begin(device->state);
  bool made = !c.status && !c.api->TensorMapEncodeTiled(out, e.type, e.rank, base, e.sizes, e.strides, e.box,
                                                        e.steps, 0, e.swizzle, e.promotion, e.fill);
  cuda_end(&c);
  return made;
}

// Runs in the device's context. The driver copies the parameters before it returns.
static tilec_status launch_here(const Cuda *cuda, const CudaKernel *kernel, const KernelLaunch *launch) {
  void *params[LAUNCH_MAX_ARGS];
  static const CudaLaunchAttribute overlap = {CUDA_LAUNCH_OVERLAP, 0, {.allowed = 1}};
  CudaLaunchConfig config = {
      .grid_x = launch->grid[0],
      .grid_y = launch->grid[1],
      .grid_z = launch->grid[2],
      .block_x = kernel->threads[0],
      .block_y = kernel->threads[1],
      .block_z = kernel->threads[2],
      .shared_bytes = kernel->shared_bytes,
      .stream = launch->stream,
      .attributes = &overlap,
      .attribute_count = kernel->overlaps,
  };
  for (uint32_t i = 0; i < launch->arg_count; i++)
    memcpy(&params[i], &(const void *){&launch->args[i]}, sizeof(void *));
  for (uint32_t i = 0; i < kernel->by_value.n; i++)
    params[kernel->by_value.at[i]] = (void *)(uintptr_t)launch->args[kernel->by_value.at[i]];
  return CUDA(&cuda->api, LaunchKernelEx, &config, kernel->function, params, NULL);
}

tilec_status cuda_launch(tilec_device *device, void *kernel, const KernelLaunch *launch) {
  if (launch->arg_count > LAUNCH_MAX_ARGS)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%u arguments; at most %d are possible", launch->arg_count,
                     LAUNCH_MAX_ARGS);
  CudaCall c = cuda_begin(device->state);
  if (!c.status) c.status = launch_here(c.cuda, kernel, launch);
  return cuda_end(&c);
}

const DeviceKind device_cuda = {
    .name = "cuda",
    .open = cuda_open,
    .close = cuda_close,
    .synchronize = cuda_synchronize,
    .alloc = cuda_alloc,
    .release = cuda_release,
    .map = cuda_map,
    .unmap = cuda_unmap,
    .write = cuda_write,
    .read = cuda_read,
    .fill = cuda_fill,
    .write_async = cuda_write_async,
    .read_async = cuda_read_async,
    .copy_async = cuda_copy_async,
    .fill_async = cuda_fill_async,
    .stream_new = cuda_stream_new,
    .stream_synchronize = cuda_stream_synchronize,
    .stream_join = cuda_stream_join,
    .stream_free = cuda_stream_free,
    .event_new = cuda_event_new,
    .event_record = cuda_event_record,
    .event_wait = cuda_event_wait,
    .event_synchronize = cuda_event_synchronize,
    .event_elapsed = cuda_event_elapsed,
    .event_free = cuda_event_free,
    .load = cuda_load,
    .unload = cuda_unload,
    .attributes = cuda_attributes,
    .room = cuda_room,
    .params = cuda_params,
    .encode = cuda_encode,
    .launch = cuda_launch,
    .time = cuda_time,
    .assemble = cuda_assemble,
};
