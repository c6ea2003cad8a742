// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/compile/spills.h"

#include <string.h>

static bool prints(const Region *region) {
  for (const Op *op = region->first; op; op = op->next) {
    if (op->kind == OP_PRINT) return true;
    for (uint32_t r = 0; r < op->region_count; r++)
      if (prints(op->regions[r])) return true;
  }
  return false;
}

// The passes have warned of tiles that cannot fit, and named them.
static bool is_told(const Diags *diags, const Func *func) {
  for (uint32_t i = 0; i < diags->list.n; i++) {
    const Diag *diag = diags->list.at[i];
    if (diag->severity == DIAG_WARNING && diag->loc.line == func->loc.line &&
        diag->loc.file == func->loc.file && strstr(diag->message, "will spill"))
      return true;
  }
  return false;
}

void spills_warn(Diags *diags, const Func *func, const char *kernel, int local_bytes) {
  if (local_bytes <= 0 || (func && prints(func->body)) || (func && is_told(diags, func))) return;
  diag_warning(diags, func ? func->loc : LOC_NONE,
               "[T0505] '%s' spills registers: each thread keeps %d bytes in local memory; use smaller tiles "
               "or more warps",
               kernel, local_bytes);
}

void spills_warn_loaded(Diags *diags, const Func *func, const char *kernel, const DeviceKernel *loaded) {
  KernelAttributes found = {.local_bytes = -1};
  tilec_device *device = loaded->device;
  if (device->is_gpu && device->kind->attributes &&
      device->kind->attributes(device, loaded->state, &found) == TILEC_OK)
    spills_warn(diags, func, kernel, found.local_bytes);
}
