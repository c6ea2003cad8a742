// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches saxpy as it was compiled ahead of time. It needs only saxpy.h and saxpy.c. Without a GPU it says
// so and exits with status 77.
#include <dlfcn.h>
#include <stdio.h>
#include "saxpy.h"

enum { N = 1000, BYTES = N * (int)sizeof(float) };

static void *driver;

// Calls a driver function with two integers or addresses and a size.
static int call(const char *name, uintptr_t a, uintptr_t b, size_t c) {
  union {
    void *at;
    int (*function)(uintptr_t, uintptr_t, size_t);
  } found = {dlsym(driver, name)};
  return found.at ? found.function(a, b, c) : -1;
}

static int fail(const char *what, int status) {
  fprintf(stderr, "ahead: %s: %s\n", what, saxpy_aot_error());
  return status;
}

int main(void) {
  static float x[N], out[N];
  uint64_t at = 0;
  void *context = NULL;
  for (int i = 0; i < N; i++) x[i] = (float)i;
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver || call("cuInit", 0, 0, 0) || call("cuDevicePrimaryCtxRetain", (uintptr_t)&context, 0, 0))
    return saxpy_aot_load() ? fail("no GPU", 77) : 1;
  if (call("cuCtxSetCurrent", (uintptr_t)context, 0, 0) || call("cuMemAlloc_v2", (uintptr_t)&at, BYTES, 0))
    return fail("no memory", 1);
  if (call("cuMemcpyHtoD_v2", at, (uintptr_t)x, BYTES)) return fail("copy", 1);
  if (saxpy(NULL, 2, at, at, at, N)) return fail("launch", 1); // in place: 2 x + x
  if (call("cuMemcpyDtoH_v2", (uintptr_t)out, at, BYTES)) return fail("copy", 1);
  for (int i = 0; i < N; i++)
    if (out[i] != (float)(3 * i)) return fail("a wrong sum", 1);
  printf("OK\n");
  return 0;
}
