// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and buffers: what tilec.h's handles are.
#ifndef RUNTIME_MEMORY_H
#define RUNTIME_MEMORY_H

#include <stdbool.h>
#include "runtime/device.h"

// Both hold their device.
struct tilec_stream {
  tilec_device *device;
  void *state; // the device's own
  bool owned;  // else the caller's CUstream
};

struct tilec_buffer {
  tilec_device *device;
  uint64_t address;
  size_t bytes;
  bool owned, mapped;
};

#endif
