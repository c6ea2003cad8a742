// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GPUs, through libcuda.so.1 opened at run time.
//
// A device keeps one context: the caller's current one where it is of that GPU, else the primary context.
// Around each call that context is made current and the caller's is put back; where it is current already
// that costs one cheap query.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cuda_wait.h"
#include "runtime/error.h"

enum { LOG_BYTES = 8192 };

typedef struct Cuda {
  CudaApi api;
  CudaDevice device;
  CudaContext context;
  bool owns_primary;
  int shared_limit;       // bytes of dynamic shared memory a block may ask for
  uint32_t shared_static; // beyond so many it has to ask
} Cuda;

typedef struct CudaKernel {
  CudaModule module;
  CudaFunction function;
  uint32_t threads[3], shared_bytes;
  ByValueParams by_value;
  bool overlaps;
} CudaKernel;

static bool kernel_did_wrong(CudaResult result) {
  return result == CUDA_ILLEGAL_ADDRESS || result == CUDA_LAUNCH_TIMEOUT ||
         (result >= CUDA_ASSERT && result <= CUDA_LAUNCH_FAILED);
}

// TILEC_OK for success; else the error of the driver function `what`.
static tilec_status check_result(const CudaApi *api, CudaResult result, const char *what) {
  if (result == 0) return TILEC_OK;
  const char *name = NULL, *text = NULL;
  api->GetErrorName(result, &name);
  api->GetErrorString(result, &text);
  tilec_status status = result == CUDA_OUT_OF_MEMORY ? TILEC_ERROR_OUT_OF_MEMORY
                        : result == CUDA_NO_DEVICE || result == CUDA_INVALID_DEVICE ? TILEC_ERROR_NO_DEVICE
                        : kernel_did_wrong(result)                                  ? TILEC_ERROR_LAUNCH
                                                                                    : TILEC_ERROR_DRIVER;
  return error_set(status, "%s: %s (%s, %d)", what, text ? text : "unknown error", name ? name : "?", result);
}

// Makes the device's context current; *pushed tells leave() whether it has anything to undo.
static tilec_status enter_context(const Cuda *cuda, bool *pushed) {
  CudaContext current = NULL;
  *pushed = false;
  if (cuda->api.CtxGetCurrent(&current) == 0 && current == cuda->context) return TILEC_OK;
  tilec_status status = check_result(&cuda->api, cuda->api.CtxPushCurrent(cuda->context), "cuCtxPushCurrent");
  *pushed = status == TILEC_OK;
  return status;
}

static void leave_context(const Cuda *cuda, bool pushed) {
  CudaContext popped;
  if (pushed) cuda->api.CtxPopCurrent(&popped);
}

static tilec_status load_driver(CudaApi *api) {
  static const struct {
    const char *symbol;
    size_t offset;
  } table[] = {
#define X(name, symbol, parameters) {symbol, offsetof(CudaApi, name)},
#include "runtime/driver_api.def"
#undef X
  };
  // Never closed: the driver keeps threads of its own.
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return error_set(TILEC_ERROR_NO_DEVICE, "no CUDA driver: %s", dlerror());
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    void *function = dlsym(library, table[i].symbol);
    if (!function)
      return error_set(TILEC_ERROR_NO_DEVICE, "the CUDA driver is too old: it has no %s", table[i].symbol);
    memcpy((char *)api + table[i].offset, &function, sizeof function);
  }
  return check_result(api, api->Init(0), "cuInit");
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
  tilec_status status = check_result(
      &cuda->api, cuda->api.DevicePrimaryCtxRetain(&cuda->context, cuda->device), "cuDevicePrimaryCtxRetain");
  cuda->owns_primary = status == TILEC_OK;
  return status;
}

static tilec_status open_gpu(tilec_device *device, Cuda *cuda, int ordinal) {
  int count = 0, major = 0, minor = 0;
  const CudaApi *api = &cuda->api;
  tilec_status status = load_driver(&cuda->api);
  if (status) return status;
  if ((status = check_result(api, api->DeviceGetCount(&count), "cuDeviceGetCount"))) return status;
  if (ordinal >= count)
    return error_set(TILEC_ERROR_NO_DEVICE, "no device cuda:%d: the driver has %d GPU%s", ordinal, count,
                     count == 1 ? "" : "s");
  if ((status = check_result(api, api->DeviceGet(&cuda->device, ordinal), "cuDeviceGet"))) return status;
  api->DeviceGetAttribute(&major, CUDA_ATTRIBUTE_CC_MAJOR, cuda->device);
  api->DeviceGetAttribute(&minor, CUDA_ATTRIBUTE_CC_MINOR, cuda->device);
  api->DeviceGetAttribute(&cuda->shared_limit, CUDA_ATTRIBUTE_SHARED_OPTIN, cuda->device);
  snprintf(device->name, sizeof device->name, "cuda:%d", ordinal);
  if ((status = choose_target(device, major, minor))) return status;
  cuda->shared_static = device->target.arch->shared_static;
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

static void cuda_close(tilec_device *device) {
  Cuda *cuda = device->state;
  if (cuda->owns_primary && !device->gave_up) cuda->api.DevicePrimaryCtxRelease(cuda->device);
  free(cuda);
}

static tilec_status wait_for(tilec_device *device, CudaEvent event, const CudaWait *wait) {
  CudaResult result;
  const CudaApi *api = &((Cuda *)device->state)->api;
  tilec_status status = cuda_wait(api, event, wait, &device->gave_up, &result);
  return status ? status : check_result(api, result, "cuEventSynchronize");
}

// Of what is on the default stream.
static tilec_status wait_within(tilec_device *device, const LaunchLimits *limits) {
  const CudaApi *api = &((Cuda *)device->state)->api;
  CudaEvent event = NULL;
  tilec_status status = check_result(api, api->EventCreate(&event, 0), "cuEventCreate");
  if (!status) status = check_result(api, api->EventRecord(event, NULL), "cuEventRecord");
  if (!status) status = wait_for(device, event, &(CudaWait){limits, device_clock()});
  if (event && !device->gave_up) api->EventDestroy(event);
  return status;
}

static tilec_status cuda_synchronize(tilec_device *device, const LaunchLimits *limits) {
  Cuda *cuda = device->state;
  bool pushed, limited = limits->timeout > 0 || limits->cancel;
  tilec_status status = enter_context(cuda, &pushed);
  if (!status)
    status = limited ? wait_within(device, limits)
                     : check_result(&cuda->api, cuda->api.CtxSynchronize(), "cuCtxSynchronize");
  leave_context(cuda, pushed);
  return status;
}

// --- Memory ---

static tilec_status cuda_alloc(tilec_device *device, size_t bytes, uint64_t *address) {
  Cuda *cuda = device->state;
  bool pushed;
  tilec_status status = enter_context(cuda, &pushed);
  if (!status)
    status = check_result(&cuda->api, cuda->api.MemAlloc(address, bytes ? bytes : 1), "cuMemAlloc");
  leave_context(cuda, pushed);
  return status;
}

static void cuda_release(tilec_device *device, uint64_t address) {
  Cuda *cuda = device->state;
  bool pushed;
  if (device->gave_up) return;
  if (enter_context(cuda, &pushed) == TILEC_OK) cuda->api.MemFree(address);
  leave_context(cuda, pushed);
}

static tilec_status cuda_map(tilec_device *device, uint64_t address, size_t bytes, uint64_t *mapped,
                             bool *is_mapped) {
  (void)device, (void)bytes;
  *mapped = address;
  *is_mapped = false;
  return TILEC_OK;
}

static void cuda_unmap(tilec_device *device, uint64_t address) { (void)device, (void)address; }

// A copy waits for all streams before it, also those that do not wait for the default stream; and after it,
// because a copy from pageable memory may return before its last part has arrived.
static tilec_status cuda_write(tilec_device *device, uint64_t address, const void *from, size_t bytes) {
  Cuda *cuda = device->state;
  const CudaApi *api = &cuda->api;
  bool pushed;
  tilec_status status = enter_context(cuda, &pushed);
  if (!status) status = check_result(api, api->CtxSynchronize(), "cuCtxSynchronize");
  if (!status) status = check_result(api, api->MemcpyHtoD(address, from, bytes), "cuMemcpyHtoD");
  if (!status) status = check_result(api, api->StreamSynchronize(NULL), "cuStreamSynchronize");
  leave_context(cuda, pushed);
  return status;
}

static tilec_status cuda_read(tilec_device *device, uint64_t address, void *to, size_t bytes) {
  Cuda *cuda = device->state;
  const CudaApi *api = &cuda->api;
  bool pushed;
  tilec_status status = enter_context(cuda, &pushed);
  if (!status) status = check_result(api, api->CtxSynchronize(), "cuCtxSynchronize");
  if (!status) status = check_result(api, api->MemcpyDtoH(to, address, bytes), "cuMemcpyDtoH");
  leave_context(cuda, pushed);
  return status;
}

static tilec_status cuda_fill(tilec_device *device, uint64_t address, uint8_t byte, size_t bytes) {
  Cuda *cuda = device->state;
  const CudaApi *api = &cuda->api;
  bool pushed;
  tilec_status status = enter_context(cuda, &pushed);
  if (!status) status = check_result(api, api->CtxSynchronize(), "cuCtxSynchronize");
  if (!status) status = check_result(api, api->MemsetD8(address, byte, bytes), "cuMemsetD8");
  if (!status) status = check_result(api, api->StreamSynchronize(NULL), "cuStreamSynchronize");
  leave_context(cuda, pushed);
  return status;
}

// --- Streams ---

static tilec_status cuda_stream_new(tilec_device *device, void **stream) {
  Cuda *cuda = device->state;
  bool pushed;
  tilec_status status = enter_context(cuda, &pushed);
  if (!status)
    status =
        check_result(&cuda->api, cuda->api.StreamCreate(stream, CUDA_STREAM_NON_BLOCKING), "cuStreamCreate");
  leave_context(cuda, pushed);
  return status;
}

static tilec_status cuda_stream_synchronize(tilec_device *device, void *stream) {
  Cuda *cuda = device->state;
  bool pushed;
  tilec_status status = enter_context(cuda, &pushed);
  if (!status) status = check_result(&cuda->api, cuda->api.StreamSynchronize(stream), "cuStreamSynchronize");
  leave_context(cuda, pushed);
  return status;
}

static void cuda_stream_free(tilec_device *device, void *stream) {
  Cuda *cuda = device->state;
  bool pushed;
  if (device->gave_up) return;
  if (enter_context(cuda, &pushed) == TILEC_OK) cuda->api.StreamDestroy(stream);
  leave_context(cuda, pushed);
}

// --- Kernels ---

// The driver compiles the PTX; what its compiler says goes into the error.
static tilec_status load_module(const Cuda *cuda, const KernelImage *image, CudaKernel *kernel) {
  char errors[LOG_BYTES] = "", infos[LOG_BYTES] = "";
  int options[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_BYTES, CUDA_JIT_INFO_LOG, CUDA_JIT_INFO_LOG_BYTES};
  void *values[] = {errors, (void *)(uintptr_t)LOG_BYTES, infos, (void *)(uintptr_t)LOG_BYTES};
  CudaResult result = cuda->api.ModuleLoadDataEx(&kernel->module, image->ptx.at, 4, options, values);
  tilec_status status = check_result(&cuda->api, result, "cuModuleLoadDataEx");
  if (!status) return TILEC_OK;
  return error_set(status, "the driver refuses the PTX of %s: %s%s%s", image->name, tilec_last_error(),
                   errors[0] ? "\n" : "", errors);
}

static tilec_status load_function(const Cuda *cuda, const KernelImage *image, CudaKernel *kernel) {
  const CudaApi *api = &cuda->api;
  tilec_status status = load_module(cuda, image, kernel);
  if (status) return status;
  status = check_result(api, api->ModuleGetFunction(&kernel->function, kernel->module, image->name),
                        "cuModuleGetFunction");
  if (status) return error_set(status, "no kernel %s in the PTX: %s", image->name, tilec_last_error());
  memcpy(kernel->threads, image->threads, sizeof kernel->threads);
  kernel->shared_bytes = image->shared_bytes;
  kernel->by_value = image->by_value;
  kernel->overlaps = image->overlaps;
  if (image->shared_bytes <= cuda->shared_static) return TILEC_OK;
  if (image->shared_bytes > (uint32_t)cuda->shared_limit)
    return error_set(TILEC_ERROR_NOT_SUPPORTED, "%s needs %u bytes of shared memory, the GPU has %d a block",
                     image->name, image->shared_bytes, cuda->shared_limit);
  return check_result(
      api, api->FuncSetAttribute(kernel->function, CUDA_FUNC_MAX_DYNAMIC_SHARED, (int)image->shared_bytes),
      "cuFuncSetAttribute");
}

static void cuda_unload(tilec_device *device, void *state) {
  Cuda *cuda = device->state;
  CudaKernel *kernel = state;
  bool pushed = false;
  if (!device->gave_up && enter_context(cuda, &pushed) == TILEC_OK && kernel->module)
    cuda->api.ModuleUnload(kernel->module);
  leave_context(cuda, pushed);
  free(kernel);
}

// Relaxed capture mode: loading is legal while this or another thread captures a graph.
static tilec_status cuda_load(tilec_device *device, const KernelImage *image, void **state) {
  Cuda *cuda = device->state;
  CudaKernel *kernel = calloc(1, sizeof *kernel);
  if (!kernel) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a kernel)");
  bool pushed;
  int mode = CUDA_CAPTURE_RELAXED;
  tilec_status status = enter_context(cuda, &pushed);
  if (!status) {
    cuda->api.ThreadExchangeStreamCaptureMode(&mode);
    status = load_function(cuda, image, kernel);
    cuda->api.ThreadExchangeStreamCaptureMode(&mode);
  }
  leave_context(cuda, pushed);
  if (status)
    cuda_unload(device, kernel);
  else
    *state = kernel;
  return status;
}

// In the device's context. The parameters are copied by the driver before it returns.
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
  return check_result(&cuda->api, cuda->api.LaunchKernelEx(&config, kernel->function, params, NULL),
                      "cuLaunchKernelEx");
}

static tilec_status cuda_launch(tilec_device *device, void *kernel, const KernelLaunch *launch) {
  Cuda *cuda = device->state;
  bool pushed;
  if (launch->arg_count > LAUNCH_MAX_ARGS)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%u arguments; at most %d are possible", launch->arg_count,
                     LAUNCH_MAX_ARGS);
  tilec_status status = enter_context(cuda, &pushed);
  if (!status) status = launch_here(cuda, kernel, launch);
  leave_context(cuda, pushed);
  return status;
}

// --- Timing ---

typedef struct Timer {
  CudaStream stream;
  CudaGraph graph;
  CudaGraphExec exec;
  CudaEvent start, end;
} Timer;

static tilec_status timer_capture(const Cuda *cuda, Timer *timer, const CudaKernel *kernel,
                                  KernelLaunch *launches, uint32_t launch_count, uint32_t count) {
  const CudaApi *api = &cuda->api;
  tilec_status status =
      check_result(api, api->StreamCreate(&timer->stream, CUDA_STREAM_NON_BLOCKING), "cuStreamCreate");
  if (!status) status = check_result(api, api->EventCreate(&timer->start, 0), "cuEventCreate");
  if (!status) status = check_result(api, api->EventCreate(&timer->end, 0), "cuEventCreate");
  if (!status)
    status = check_result(api, api->StreamBeginCapture(timer->stream, CUDA_CAPTURE_RELAXED),
                          "cuStreamBeginCapture");
  if (status) return status;
  for (uint32_t i = 0; i < count && !status; i++) {
    KernelLaunch launch = launches[i % launch_count];
    launch.stream = timer->stream;
    status = launch_here(cuda, kernel, &launch);
  }
  CudaResult ended = api->StreamEndCapture(timer->stream, &timer->graph);
  if (!status) status = check_result(api, ended, "cuStreamEndCapture");
  if (!status)
    status = check_result(api, api->GraphInstantiateWithFlags(&timer->exec, timer->graph, 0),
                          "cuGraphInstantiate");
  return status;
}

static tilec_status timer_round(tilec_device *device, const Timer *timer, const CudaWait *wait,
                                float *milliseconds) {
  const CudaApi *api = &((Cuda *)device->state)->api;
  tilec_status status = check_result(api, api->EventRecord(timer->start, timer->stream), "cuEventRecord");
  if (!status) status = check_result(api, api->GraphLaunch(timer->exec, timer->stream), "cuGraphLaunch");
  if (!status) status = check_result(api, api->EventRecord(timer->end, timer->stream), "cuEventRecord");
  if (!status) status = wait_for(device, timer->end, wait);
  if (!status)
    status = check_result(api, api->EventElapsedTime(milliseconds, timer->start, timer->end),
                          "cuEventElapsedTime");
  return status;
}

static void timer_free(const CudaApi *api, Timer *timer) {
  if (timer->exec) api->GraphExecDestroy(timer->exec);
  if (timer->graph) api->GraphDestroy(timer->graph);
  if (timer->start) api->EventDestroy(timer->start);
  if (timer->end) api->EventDestroy(timer->end);
  if (timer->stream) api->StreamDestroy(timer->stream);
}

static tilec_status cuda_time(tilec_device *device, void *kernel, KernelLaunch *launches,
                              uint32_t launch_count, uint32_t count, uint32_t rounds, double *seconds) {
  Cuda *cuda = device->state;
  Timer timer = {0};
  bool pushed;
  float milliseconds;
  tilec_status status = enter_context(cuda, &pushed);
  if (!status) status = timer_capture(cuda, &timer, kernel, launches, launch_count, count);
  const CudaWait wait = {&launches[0].limits, device_clock()};
  if (!status) status = timer_round(device, &timer, &wait, &milliseconds); // warm
  for (uint32_t i = 0; i < rounds && !status; i++) {
    status = timer_round(device, &timer, &wait, &milliseconds);
    seconds[i] = milliseconds / 1e3 / count;
  }
  if (!device->gave_up) timer_free(&cuda->api, &timer);
  leave_context(cuda, pushed);
  return status;
}

// --- Assembling ---

static tilec_status link_ptx(const CudaApi *api, Str ptx, Buf *cubin) {
  char errors[LOG_BYTES] = "";
  int options[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_BYTES};
  void *values[] = {errors, (void *)(uintptr_t)LOG_BYTES}, *made = NULL;
  size_t bytes = 0;
  CudaLink link = NULL;
  tilec_status status = check_result(api, api->LinkCreate(2, options, values, &link), "cuLinkCreate");
  if (status) return status;
  CudaResult result = api->LinkAddData(link, CUDA_JIT_INPUT_PTX, ptx.at, ptx.n + 1, "tilec", 0, NULL, NULL);
  status = check_result(api, result, "cuLinkAddData");
  if (!status) status = check_result(api, api->LinkComplete(link, &made, &bytes), "cuLinkComplete");
  if (status)
    status = error_set(status, "the driver refuses the PTX: %s%s%s", tilec_last_error(),
                       errors[0] ? "\n" : "", errors);
  else
    buf_bytes(cubin, made, bytes); // the link's memory
  api->LinkDestroy(link);
  return status;
}

static tilec_status cuda_assemble(tilec_device *device, Str ptx, Buf *cubin) {
  Cuda *cuda = device->state;
  bool pushed;
  tilec_status status = enter_context(cuda, &pushed);
  if (!status) status = link_ptx(&cuda->api, ptx, cubin);
  leave_context(cuda, pushed);
  return status;
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
    .stream_new = cuda_stream_new,
    .stream_synchronize = cuda_stream_synchronize,
    .stream_free = cuda_stream_free,
    .load = cuda_load,
    .unload = cuda_unload,
    .launch = cuda_launch,
    .time = cuda_time,
    .assemble = cuda_assemble,
};
