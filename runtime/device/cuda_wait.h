// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for a GPU, with limits.
#ifndef RUNTIME_DEVICE_CUDA_WAIT_H
#define RUNTIME_DEVICE_CUDA_WAIT_H

#include "runtime/device/device.h"
#include "runtime/device/driver.h"

// A wait under limits. It began at `begin` (seconds_now).
typedef struct CudaWait {
  const LaunchLimits *limits;
  double begin;
} CudaWait;

// Waits for a recorded event. *gave_up: the limits ended the wait (TILEC_ERROR_LAUNCH, with its message).
// Otherwise *result is the driver's result, and the function returns TILEC_OK.
tilec_status cuda_wait(const CudaApi *api, CudaEvent event, const CudaWait *wait, bool *gave_up,
                       CudaResult *result);

#endif
