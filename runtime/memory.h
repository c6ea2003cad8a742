// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and buffers: what tilec.h's handles are.
#ifndef RUNTIME_MEMORY_H
#define RUNTIME_MEMORY_H

#include <stdbool.h>
#include "runtime/device.h"
#include "runtime/specialise.h"

// Both hold their device.
struct tilec_stream {
  tilec_device *device;
  void *state; // the device's own
  bool owned;  // else the caller's CUstream
  tilec_stream *next, *previous; // of all streams of the process, under a lock
};

static inline void *stream_state(const tilec_stream *stream) { return stream ? stream->state : NULL; }

// TILEC_OK for NULL and for a stream of the device.
tilec_status stream_check(const char *function, const tilec_stream *stream, const tilec_device *device);

// Work that is put on the default stream from now on waits for what is on the device's other streams.
tilec_status streams_join(tilec_device *device);

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
