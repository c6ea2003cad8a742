// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records what the fake driver was given. With FAKE_DRIVER_RECORD=FOLDER each module's text goes to
// FOLDER/N.ptx, and FOLDER/log has a line for each module and launch. Also has the calls that
// programs make and libtilec does not.
#include "tests/gpu/fake_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_file(const char *name, const char *mode) {
  char path[1000];
  const char *folder = getenv("FAKE_DRIVER_RECORD");
  if (!folder || snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return NULL;
  return fopen(path, mode);
}

int fake_record_module(const char *text) {
  static int count;
  char name[40];
  int number = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  snprintf(name, sizeof name, "%d.ptx", number);
  FILE *file = open_file(name, "w"), *log = open_file("log", "a");
  if (file) fputs(text, file), fclose(file);
  if (log) fprintf(log, "module %d\n", number), fclose(log);
  return number;
}

CudaResult fake_record_cubin(void) {
  enum { NO_BINARY = 209 };
  FILE *log = open_file("log", "a");
  if (log) fprintf(log, "cubin\n"), fclose(log);
  return NO_BINARY;
}

void fake_record_launch(const CudaLaunchConfig *c, int module, const tilec_sim_kernel *kernel,
                        void *const *params) {
  FILE *log = open_file("log", "a");
  if (!log) return;
  fprintf(log, "launch %s grid %u,%u,%u block %u,%u,%u shared %u attributes %u params",
          tilec_sim_kernel_name(kernel), c->grid_x, c->grid_y, c->grid_z, c->block_x, c->block_y, c->block_z,
          c->shared_bytes, c->attribute_count);
  for (size_t i = 0; i < tilec_sim_param_count(kernel); i++) {
    unsigned long long bits = 0; // of a tensor map its first bytes
    size_t size = tilec_sim_param_at(kernel, i)->size;
    memcpy(&bits, params[i], size < sizeof bits ? size : sizeof bits);
    fprintf(log, " %llx", bits);
  }
  fprintf(log, " module %d\n", module);
  fclose(log);
}

int fake_capability(void) {
  const char *text = getenv("FAKE_DRIVER_CC");
  return text ? atoi(text) : 90;
}

#define EXPORT __attribute__((visibility("default")))
EXPORT CudaResult fake_launch_ex(const CudaLaunchConfig *config, CudaFunction function, void **params,
                                 void **extra) __asm__("cuLaunchKernelEx");

EXPORT CudaResult fake_launch(CudaFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                              CudaStream stream, void **params, void **extra) __asm__("cuLaunchKernel");
CudaResult fake_launch(CudaFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                       CudaStream stream, void **params, void **extra) {
  const CudaLaunchConfig config = {grid_x,  grid_y,       grid_z, block_x, block_y,
                                   block_z, shared_bytes, stream, NULL,    0};
  return fake_launch_ex(&config, function, params, extra);
}

bool fake_ptx_too_new(const char *ptx, unsigned count, const int *options, void **values) {
  static const char word[] = "\n.version ";
  const char *known = getenv("FAKE_DRIVER_PTX"), *at = strstr(ptx, word);
  if (!known || !at || atof(at + strlen(word)) <= atof(known)) return false;
  for (unsigned i = 0; i < count; i++)
    if (options[i] == CUDA_JIT_ERROR_LOG)
      sprintf(values[i], "ptxas application ptx input, line 5; fatal   : Unsupported .version %.3s; current version is '%.3s'",
              at + strlen(word), known);
  return true;
}

EXPORT CudaResult fake_context_id(CudaContext context, unsigned long long *id) __asm__("cuCtxGetId");
CudaResult fake_context_id(CudaContext context, unsigned long long *id) {
  return *id = (unsigned long long)(uintptr_t)context, 0;
}

EXPORT CudaResult fake_push(CudaContext context) __asm__("cuCtxPushCurrent_v2");
EXPORT CudaResult fake_pop(CudaContext *context) __asm__("cuCtxPopCurrent_v2");
EXPORT CudaResult fake_set_current(CudaContext context) __asm__("cuCtxSetCurrent");
CudaResult fake_set_current(CudaContext context) {
  CudaContext before;
  fake_pop(&before); // which fails where there is none
  return context ? fake_push(context) : 0;
}
