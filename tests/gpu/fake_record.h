// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of the fake driver: what it was given, and its GPU's compute capability (FAKE_DRIVER_CC=80; 90 without).
#ifndef TESTS_FAKE_RECORD_H
#define TESTS_FAKE_RECORD_H

#include <stdbool.h>
#include "runtime/device/driver.h"
#include "sim/sim.h"

// A call begins: 0, or what it is to fail with (fake_driver_fail).
CudaResult fake_begin(const char *name);
// CUDA_ERROR_INVALID_CONTEXT where no context is current, else 0.
CudaResult fake_needs_context(void);
int fake_capability(void); // 10 * major + minor
// A module's number, from 0.
int fake_record_module(const char *text);
// A cubin, which the fake driver refuses: CUDA_ERROR_NO_BINARY_FOR_GPU.
CudaResult fake_record_cubin(void);
// FAKE_DRIVER_PTX=8.7: whether the PTX is newer than what the driver knows, which the error log then says.
bool fake_ptx_too_new(const char *ptx, unsigned count, const int *options, void **values);
void fake_record_launch(const CudaLaunchConfig *config, int module, const tilec_sim_kernel *kernel,
                        void *const *params);

#endif
