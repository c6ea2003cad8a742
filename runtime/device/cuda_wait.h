// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for a GPU with an end to patience.
#ifndef RUNTIME_DEVICE_CUDA_WAIT_H
#define RUNTIME_DEVICE_CUDA_WAIT_H

#include "runtime/device/device.h"
#include "runtime/device/driver.h"

// A wait that began at `begin` (device_clock) under limits.
typedef struct CudaWait {
  const LaunchLimits *limits;
  double begin;
} CudaWait;

// Waits until the event, which has been recorded, has happened. *gave_up: the limits ended the wait
// (TILEC_ERROR_LAUNCH, with its message); else *result is the driver's, and the return TILEC_OK.
tilec_status cuda_wait(const CudaApi *api, CudaEvent event, const CudaWait *wait, bool *gave_up,
                       CudaResult *result);

#endif
