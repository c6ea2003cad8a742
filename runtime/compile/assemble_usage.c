// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The resources that a kernel uses, as its assembler reports them.
#include "runtime/compile/assemble.h"

// From the driver of a GPU, which assembles it.
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
