// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers: what tilec.h's handle is.
#ifndef RUNTIME_LAUNCH_BUFFER_H
#define RUNTIME_LAUNCH_BUFFER_H

#include <stdbool.h>
#include "runtime/device/stream.h"
#include "runtime/launch/specialise.h"

// It holds its device.
struct tilec_buffer {
  tilec_device *device;
  uint64_t address;
  size_t bytes;
  bool owned, mapped;
  tilec_buffer *next, *previous; // of all buffers of the process, under a lock
};

// The device's buffer that has the address, or begins there; of a GPU another device's too where it is the GPU's to see.
// NULL: none.
const tilec_buffer *memory_of(const tilec_device *device, uint64_t address);

// TILEC_OK where no argument points into a buffer of another device: a simulator's or evaluator's address means
// nothing elsewhere, nor any other's to them. A pointer into no buffer at all is taken as it is.
tilec_status memory_check_args(const tilec_device *device, const char *kernel, const RunParam *params,
                               const BoundArgs *args);

#endif
