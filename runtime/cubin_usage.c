// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels use of a GPU, as their assembler says.
#include <stdio.h>

#include "runtime/cubin.h"
#include "runtime/error.h"

// The first of a kernel's lines behind `at` that has the text; NULL: there is none before the next kernel.
static const char *find_in_kernel(const char *at, const char *text) {
  const char *next = strstr(at, "Compiling entry function"), *found = strstr(at, text);
  return found && (!next || found < next) ? found : NULL;
}

void cubin_usage_of_log(const char *log, const char *kernel, CubinUsage *usage) {
  char head[400];
  snprintf(head, sizeof head, "Compiling entry function '%.300s' for", kernel);
  const char *at = strstr(log, head);
  if (!at) return;
  at += strlen(head);
  snprintf(head, sizeof head, "Function properties for %.300s\n", kernel);
  const char *properties = find_in_kernel(at, head), *used = find_in_kernel(at, "Used ");
  if (properties)
    sscanf(properties + strlen(head), " %d bytes stack frame, %d bytes spill stores, %d bytes spill loads",
           &usage->local_bytes, &usage->spill_stores, &usage->spill_loads);
  if (used) sscanf(used, "Used %d registers", &usage->registers);
}

// A GPU's driver that has assembled it.
static void usage_by_driver(Str ptx, const Target *target, const char *kernel, CubinUsage *usage) {
  tilec_device *device;
  DeviceKernel loaded = {0};
  KernelAttributes attributes;
  if (device_open("cuda", &device) != TILEC_OK) return;
  const KernelImage image = {.name = kernel, .ptx = ptx, .threads = {1, 1, 1}};
  if (target_runs_on(target->arch, device->target.arch) && device_load(device, &image, &loaded) == TILEC_OK &&
      device->kind->attributes && device->kind->attributes(device, loaded.state, &attributes) == TILEC_OK) {
    usage->registers = attributes.registers;
    usage->local_bytes = attributes.local_bytes;
  }
  device_unload(&loaded);
  device_release(device);
}

void cubin_usage(Str ptx, const Target *target, const char *kernel, CubinUsage *usage) {
  Buf log = {0};
  *usage = (CubinUsage){-1, -1, -1, -1};
  if (cubin_ptxas_log(ptx, target, &log, NULL))
    cubin_usage_of_log(buf_view(&log).at, kernel, usage);
  else
    usage_by_driver(ptx, target, kernel, usage);
  buf_free(&log);
}
