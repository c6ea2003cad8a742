// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers that an assembler had to put into local memory: told wherever code for a GPU is made or loaded anyway.
#ifndef RUNTIME_COMPILE_SPILLS_H
#define RUNTIME_COMPILE_SPILLS_H

#include "base/diag.h"
#include "base/str.h"
#include "ir/ir.h"
#include "runtime/device/device.h"

// A warning where there are such bytes. func NULL: of code that was not compiled here. Of a kernel that prints nothing is said: its
// arguments to print are there too.
void spills_warn(Diags *diags, const Func *func, const char *kernel, int local_bytes);
// The same of a loaded kernel, where its device tells.
void spills_warn_loaded(Diags *diags, const Func *func, const char *kernel, const DeviceKernel *loaded);

#endif
