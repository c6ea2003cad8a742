// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory.h"

#include <stdlib.h>

#include "runtime/error.h"

static tilec_status null_argument(const char *function, const char *name) {
  return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", function, name);
}

// --- Streams ---

static tilec_status stream_make(tilec_device *device, void *state, bool owned, tilec_stream **stream) {
  tilec_stream *s = calloc(1, sizeof *s);
  if (!s) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a stream)");
  *s = (tilec_stream){.device = device, .state = state, .owned = owned};
  device_hold(device);
  *stream = s;
  return TILEC_OK;
}

tilec_status tilec_stream_new(tilec_device *device, tilec_stream **stream) {
  if (!device || !stream) return null_argument("tilec_stream_new", device ? "stream" : "device");
  *stream = NULL;
  void *state = NULL;
  tilec_status status = device->kind->stream_new(device, &state);
  if (status) return status;
  status = stream_make(device, state, true, stream);
  if (status) device->kind->stream_free(device, state);
  return status;
}

tilec_status tilec_stream_wrap(tilec_device *device, void *cu_stream, tilec_stream **stream) {
  if (!device || !stream) return null_argument("tilec_stream_wrap", device ? "stream" : "device");
  *stream = NULL;
  if (device->kind != &device_cuda)
    return error_set(TILEC_ERROR_NOT_SUPPORTED, "tilec_stream_wrap: device %s has no CUDA streams",
                     device->name);
  return stream_make(device, cu_stream, false, stream);
}

tilec_status tilec_stream_synchronize(tilec_stream *stream) {
  if (!stream) return null_argument("tilec_stream_synchronize", "stream");
  return stream->device->kind->stream_synchronize(stream->device, stream->state);
}

void tilec_stream_free(tilec_stream *stream) {
  if (!stream) return;
  if (stream->owned) stream->device->kind->stream_free(stream->device, stream->state);
  device_release(stream->device);
  free(stream);
}

// --- Buffers ---

static tilec_status buffer_make(tilec_device *device, size_t bytes, tilec_buffer **buffer) {
  tilec_buffer *b = calloc(1, sizeof *b);
  if (!b) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a buffer)");
  b->device = device;
  b->bytes = bytes;
  *buffer = b;
  return TILEC_OK;
}

// Keeps the buffer where `status` is good, with its device held; else drops it.
static tilec_status buffer_keep(tilec_status status, tilec_buffer **buffer) {
  if (status) {
    free(*buffer);
    *buffer = NULL;
  } else {
    device_hold((*buffer)->device);
  }
  return status;
}

tilec_status tilec_buffer_new(tilec_device *device, size_t bytes, tilec_buffer **buffer) {
  if (!device || !buffer) return null_argument("tilec_buffer_new", device ? "buffer" : "device");
  *buffer = NULL;
  tilec_status status = buffer_make(device, bytes, buffer);
  if (status) return status;
  (*buffer)->owned = true;
  return buffer_keep(device->kind->alloc(device, bytes, &(*buffer)->address), buffer);
}

tilec_status tilec_buffer_wrap(tilec_device *device, uint64_t address, size_t bytes, tilec_buffer **buffer) {
  if (!device || !buffer) return null_argument("tilec_buffer_wrap", device ? "buffer" : "device");
  *buffer = NULL;
  tilec_status status = buffer_make(device, bytes, buffer);
  if (status) return status;
  (*buffer)->address = address;
  if (bytes) status = device->kind->map(device, address, bytes, &(*buffer)->address, &(*buffer)->mapped);
  return buffer_keep(status, buffer);
}

void tilec_buffer_free(tilec_buffer *buffer) {
  if (!buffer) return;
  if (buffer->owned) buffer->device->kind->release(buffer->device, buffer->address);
  if (buffer->mapped) buffer->device->kind->unmap(buffer->device, buffer->address);
  device_release(buffer->device);
  free(buffer);
}

uint64_t tilec_buffer_address(const tilec_buffer *buffer) { return buffer ? buffer->address : 0; }
size_t tilec_buffer_bytes(const tilec_buffer *buffer) { return buffer ? buffer->bytes : 0; }

// TILEC_OK where `bytes` bytes at `offset` are the buffer's.
static tilec_status check_copy(const char *function, const tilec_buffer *buffer, size_t offset,
                               const void *host, size_t bytes) {
  if (!buffer) return null_argument(function, "buffer");
  if (!host && bytes) return null_argument(function, "the host's memory");
  if (offset > buffer->bytes || bytes > buffer->bytes - offset)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: %zu bytes at %zu are not within the buffer's %zu",
                     function, bytes, offset, buffer->bytes);
  return TILEC_OK;
}

tilec_status tilec_buffer_write(tilec_buffer *buffer, size_t offset, const void *from, size_t bytes) {
  tilec_status status = check_copy("tilec_buffer_write", buffer, offset, from, bytes);
  if (status || bytes == 0) return status;
  return buffer->device->kind->write(buffer->device, buffer->address + offset, from, bytes);
}

tilec_status tilec_buffer_read(const tilec_buffer *buffer, size_t offset, void *to, size_t bytes) {
  tilec_status status = check_copy("tilec_buffer_read", buffer, offset, to, bytes);
  if (status || bytes == 0) return status;
  return buffer->device->kind->read(buffer->device, buffer->address + offset, to, bytes);
}

tilec_status tilec_buffer_fill(tilec_buffer *buffer, uint8_t byte) {
  if (!buffer) return null_argument("tilec_buffer_fill", "buffer");
  if (buffer->bytes == 0) return TILEC_OK;
  return buffer->device->kind->fill(buffer->device, buffer->address, byte, buffer->bytes);
}
