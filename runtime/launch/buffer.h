// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers: the handle of tilec.h.
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
  tilec_buffer *next, *previous; // list of all buffers of the process, under a lock
};

// The device's buffer that contains the address or begins there. For a GPU also another device's buffer, if
// the GPU can use it. NULL: none.
const tilec_buffer *memory_of(const tilec_device *device, uint64_t address);

// TILEC_OK if no argument points into another device's buffer. Addresses of a simulator or evaluator are
// valid only there, and theirs are the only valid ones there. A pointer into no buffer is passed unchanged.
tilec_status memory_check_args(const tilec_device *device, const char *kernel, const RunParam *params,
                               const BoundArgs *args);

#endif
