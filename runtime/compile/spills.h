// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Register spills to local memory. They are reported wherever GPU code is assembled or loaded anyway.
#ifndef RUNTIME_COMPILE_SPILLS_H
#define RUNTIME_COMPILE_SPILLS_H

#include "base/diag.h"
#include "base/str.h"
#include "ir/ir.h"
#include "runtime/device/device.h"

// Warns if there are such bytes, unless passes have warned of them. func NULL: the code was not compiled here.
// Kernels that print get no warning, because print arguments are also in local memory.
void spills_warn(Diags *diags, const Func *func, const char *kernel, int local_bytes);
// The same for a loaded kernel, if its device reports the bytes.
void spills_warn_loaded(Diags *diags, const Func *func, const char *kernel, const DeviceKernel *loaded);

#endif
