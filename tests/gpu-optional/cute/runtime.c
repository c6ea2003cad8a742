// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of the CUDA runtime that host code of the CuTe DSL calls. There is no device: a launch goes to
// on_launch, which host.py sets. A kernel is its name.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef int Init(void **arguments);

int (*on_launch)(const void *config, const char *kernel, void **arguments);

int _cudaLaunchKernelEx(const void *config, void *kernel, void **arguments) {
  return on_launch(config, kernel, arguments);
}

int _cudaLibraryLoadData(void **library) {
  *library = library;
  return 0;
}

int _cudaLibraryGetKernel(void **kernel, void *library, const char *name) {
  (void)library;
  *kernel = strdup(name);
  return *kernel ? 0 : 2;
}

int _cuKernelGetAttribute(int *value) {
  *value = 0;
  return 0;
}

// The multiprocessors and the shared memory of a B200.
int _cudaDeviceGetAttribute(int *value, int attribute, int device) {
  enum { MULTIPROCESSORS = 16, SHARED_BYTES_OPTIN = 97 };
  (void)device;
  *value = attribute == SHARED_BYTES_OPTIN ? 232448 : attribute == MULTIPROCESSORS ? 148 : 0;
  return 0;
}

int _cudaFuncSetAttribute(void) { return 0; }

int _cudaKernelSetAttributeForDevice(void) { return 0; }

int _cudaSetDevice(int device) { return device; }

int _cudaGetDevice(int *device) {
  *device = 0;
  return 0;
}

int cuda_dialect_init_library_once(void **state, Init *init, Init *load) {
  if (*state) return 0;
  void *library = NULL, *where = &library;
  int error = 0, device = 0;
  init((void *[]){&where, &error});
  if (!error) load((void *[]){&where, &device, &error});
  if (!error) *state = library;
  return error;
}

void cuda_dialect_unload_library_once(void *state) { (void)state; }

void CuteDSLRT_TVMFFISetRaisedCudaError(void *raise, int error) {
  (void)raise;
  fprintf(stderr, "CUDA error %d\n", error);
}
