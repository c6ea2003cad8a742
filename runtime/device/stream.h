// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams: the handle of tilec.h.
#ifndef RUNTIME_DEVICE_STREAM_H
#define RUNTIME_DEVICE_STREAM_H

#include <stdbool.h>
#include "runtime/device/device.h"

// It holds its device.
struct tilec_stream {
  tilec_device *device;
  void *state;                   // the device's own
  bool owned;                    // else the caller's CUstream
  tilec_stream *next, *previous; // list of all streams of the process, under a lock
};

static inline void *stream_state(const tilec_stream *stream) { return stream ? stream->state : NULL; }

// TILEC_OK for NULL and for a stream of the device.
tilec_status stream_check(const char *function, const tilec_stream *stream, const tilec_device *device);

// Later work on the default stream waits for the work on the device's other streams.
tilec_status streams_join(tilec_device *device);

#endif
