// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/gpu/on_cuda.h"

#include <dlfcn.h>
#include <unistd.h>

enum { ERROR_ASSERT = 710, JIT_ERROR_LOG = 5, JIT_ERROR_LOG_BYTES = 6 };

// name, symbol, parameters
#define CUDA_FUNCTIONS(X)                                                                                    \
  X(init, "cuInit", (unsigned))                                                                              \
  X(device_get, "cuDeviceGet", (int *, int))                                                                 \
  X(context_retain, "cuDevicePrimaryCtxRetain", (void **, int))                                              \
  X(context_set, "cuCtxSetCurrent", (void *))                                                                \
  X(synchronize, "cuCtxSynchronize", (void))                                                                 \
  X(module_load, "cuModuleLoadDataEx", (void **, const void *, unsigned, int *, void **))                    \
  X(module_unload, "cuModuleUnload", (void *))                                                               \
  X(get_function, "cuModuleGetFunction", (void **, void *, const char *))                                    \
  X(get_global, "cuModuleGetGlobal_v2", (uint64_t *, size_t *, void *, const char *))                        \
  X(alloc, "cuMemAlloc_v2", (uint64_t *, size_t))                                                            \
  X(free, "cuMemFree_v2", (uint64_t))                                                                        \
  X(to_device, "cuMemcpyHtoD_v2", (uint64_t, const void *, size_t))                                          \
  X(to_host, "cuMemcpyDtoH_v2", (void *, uint64_t, size_t))                                                  \
  X(launch, "cuLaunchKernel",                                                                                \
    (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,          \
     void **))                                                                                               \
  X(event_create, "cuEventCreate", (void **, unsigned))                                                      \
  X(event_record, "cuEventRecord", (void *, void *))                                                         \
  X(event_elapsed, "cuEventElapsedTime", (float *, void *, void *))                                          \
  X(error_name, "cuGetErrorName", (int, const char **))

typedef struct CudaMachine {
#define X(name, symbol, parameters) int(*name) parameters;
  CUDA_FUNCTIONS(X)
#undef X
  void *module, *start, *end; // the module; events
  uint64_t addresses[MAX_BUFFERS];
  void *hosts[MAX_BUFFERS];
  size_t bytes[MAX_BUFFERS];
  int count;
  char printed[1 << 16];
} CudaMachine;

// False: run->message says what failed.
static bool succeeded(Run *run, int result, const char *what) {
  const CudaMachine *cuda = run->state;
  const char *name = NULL;
  if (result == 0) return true;
  if (cuda->error_name) cuda->error_name(result, &name);
  snprintf(run->message, sizeof run->message, "%s: error %d, %s", what, result, name ? name : "?");
  return false;
}

static bool find_functions(Run *run, void *library) {
  CudaMachine *cuda = run->state;
  static const struct {
    const char *symbol;
    size_t offset;
  } rows[] = {
#define X(name, symbol, parameters) {symbol, offsetof(CudaMachine, name)},
      CUDA_FUNCTIONS(X)
#undef X
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    void *function = dlsym(library, rows[i].symbol);
    if (!function) {
      snprintf(run->message, sizeof run->message, "libcuda.so.1 has no %s", rows[i].symbol);
      return false;
    }
    memcpy((char *)cuda + rows[i].offset, &function, sizeof function);
  }
  return true;
}

void *cuda_open(Run *run, int gpu) {
  int device;
  void *library = dlopen("libcuda.so.1", RTLD_NOW), *context;
  CudaMachine *cuda = run->state = calloc(1, sizeof *cuda);
  snprintf(run->message, sizeof run->message, "there is no libcuda.so.1, or no memory");
  if (!library || !cuda || !find_functions(run, library)) return NULL;
  if (!succeeded(run, cuda->init(0), "cuInit") ||
      !succeeded(run, cuda->device_get(&device, gpu), "cuDeviceGet") ||
      !succeeded(run, cuda->context_retain(&context, device), "cuDevicePrimaryCtxRetain") ||
      !succeeded(run, cuda->context_set(context), "cuCtxSetCurrent") ||
      !succeeded(run, cuda->event_create(&cuda->start, 0), "cuEventCreate") ||
      !succeeded(run, cuda->event_create(&cuda->end, 0), "cuEventCreate"))
    return NULL;
  return cuda;
}

static bool load_module(Run *run, const char *ptx, size_t bytes) {
  CudaMachine *cuda = run->state;
  static char log[sizeof run->message / 2];
  int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  (void)bytes;
  log[0] = '\0';
  if (cuda->module) cuda->module_unload(cuda->module);
  cuda->module = NULL;
  if (succeeded(run, cuda->module_load(&cuda->module, ptx, 2, options, values), "cuModuleLoadDataEx"))
    return true;
  size_t used = strlen(run->message);
  snprintf(run->message + used, sizeof run->message - used, "\n%s", log);
  return false;
}

static uint64_t bind_host(Run *run, void *host, size_t bytes) {
  CudaMachine *cuda = run->state;
  uint64_t address = 0;
  if (cuda->count == MAX_BUFFERS || !succeeded(run, cuda->alloc(&address, bytes), "cuMemAlloc")) return 0;
  cuda->addresses[cuda->count] = address;
  cuda->hosts[cuda->count] = host;
  cuda->bytes[cuda->count++] = bytes;
  return succeeded(run, cuda->to_device(address, host, bytes), "cuMemcpyHtoD") ? address : 0;
}

// The kernel's printing comes to standard output when the context is synchronised: it goes to a file instead.
static int synchronise(CudaMachine *cuda) {
  FILE *file = tmpfile();
  fflush(stdout);
  int saved = file ? dup(STDOUT_FILENO) : -1;
  if (saved >= 0) dup2(fileno(file), STDOUT_FILENO);
  int result = cuda->synchronize();
  fflush(stdout);
  if (saved >= 0) dup2(saved, STDOUT_FILENO), close(saved);
  cuda->printed[0] = '\0';
  if (!file) return result;
  rewind(file);
  cuda->printed[fread(cuda->printed, 1, sizeof cuda->printed - 1, file)] = '\0';
  fclose(file);
  return result;
}

static Outcome launch_kernel(Run *run, const char *name, const uint32_t grid[3], const uint32_t block[3],
                             uint32_t dynamic_shared, const void *const *params) {
  CudaMachine *cuda = run->state;
  void *function;
  float milliseconds = 0;
  if (!succeeded(run, cuda->get_function(&function, cuda->module, name), "cuModuleGetFunction"))
    return OUTCOME_FAULT;
  cuda->event_record(cuda->start, NULL);
  int result = cuda->launch(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], dynamic_shared,
                            NULL, (void **)(uintptr_t)params, NULL);
  cuda->event_record(cuda->end, NULL);
  if (result == 0) result = synchronise(cuda);
  if (!succeeded(run, result, name)) return result == ERROR_ASSERT ? OUTCOME_ASSERT : OUTCOME_FAULT;
  cuda->event_elapsed(&milliseconds, cuda->start, cuda->end);
  run->milliseconds = milliseconds;
  for (int i = 0; i < cuda->count; i++)
    if (!succeeded(run, cuda->to_host(cuda->hosts[i], cuda->addresses[i], cuda->bytes[i]), "cuMemcpyDtoH"))
      return OUTCOME_FAULT;
  return OUTCOME_OK;
}

static bool write_symbol(Run *run, const char *name, const void *from, size_t bytes) {
  CudaMachine *cuda = run->state;
  uint64_t address;
  size_t size;
  return succeeded(run, cuda->get_global(&address, &size, cuda->module, name), name) && size == bytes &&
         succeeded(run, cuda->to_device(address, from, bytes), "cuMemcpyHtoD");
}

static const char *printed(Run *run) {
  const CudaMachine *cuda = run->state;
  return cuda->printed;
}

static void release_run(Run *run) {
  CudaMachine *cuda = run->state;
  while (cuda->count) cuda->free(cuda->addresses[--cuda->count]);
}

const Machine cuda_machine = {load_module, bind_host, launch_kernel, write_symbol, printed, release_run};
