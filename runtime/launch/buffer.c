// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device memory: the object tilec_buffer, and copies.
#include "runtime/launch/buffer.h"

#include <pthread.h>
#include <stdlib.h>

#include "runtime/error.h"

// All buffers of the process. `total` is their number. device->buffers is the number per device.
static struct {
  pthread_mutex_t lock;
  tilec_buffer *first;
  uint32_t total;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void list_add(tilec_buffer *b) {
  pthread_mutex_lock(&all.lock);
  b->next = all.first;
  if (b->next) b->next->previous = b;
  all.first = b;
  __atomic_add_fetch(&all.total, 1, __ATOMIC_RELAXED);
  __atomic_add_fetch(&b->device->buffers, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&all.lock);
}

static void list_remove(tilec_buffer *b) {
  pthread_mutex_lock(&all.lock);
  if (b->previous)
    b->previous->next = b->next;
  else
    all.first = b->next;
  if (b->next) b->next->previous = b->previous;
  __atomic_sub_fetch(&all.total, 1, __ATOMIC_RELAXED);
  __atomic_sub_fetch(&b->device->buffers, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&all.lock);
}

// True if `device` cannot use the buffer. GPUs share one address space, and they may use memory of the
// caller.
static bool is_foreign(const tilec_buffer *b, const tilec_device *device) {
  return b->device != device && !(device->is_gpu && (b->device->is_gpu || !b->owned));
}

// A device with a buffer at the address, if no buffer of `device` has it. Call with the lock held.
static const tilec_device *foreign_owner(const tilec_device *device, uint64_t address) {
  const tilec_device *owner = NULL;
  for (const tilec_buffer *b = all.first; b; b = b->next) {
    if (address - b->address >= b->bytes) continue;
    if (!is_foreign(b, device)) return NULL;
    owner = b->device;
  }
  return owner;
}

tilec_status memory_check_args(const tilec_device *device, const char *kernel, const RunParam *params,
                               const BoundArgs *args) {
  uint32_t own = __atomic_load_n(&device->buffers, __ATOMIC_RELAXED);
  if (own == __atomic_load_n(&all.total, __ATOMIC_RELAXED)) return TILEC_OK;
  tilec_status status = TILEC_OK;
  pthread_mutex_lock(&all.lock);
  for (uint32_t i = 0; i < args->count && !status; i++) {
    if (!(args->key[KEY_BYTES * i] & KEY_POINTER) || !args->bits[i]) continue;
    const tilec_device *owner = foreign_owner(device, args->bits[i]);
    if (owner)
      status =
          error_set(TILEC_ERROR_INVALID_ARGUMENT,
                    "%s: parameter '%s' points into a buffer of another device (%s), the kernel is on %s: "
                    "make the buffer on the kernel's device",
                    kernel, params[i].name, owner->name, device->name);
  }
  pthread_mutex_unlock(&all.lock);
  return status;
}

const tilec_buffer *memory_of(const tilec_device *device, uint64_t address) {
  const tilec_buffer *found = NULL;
  pthread_mutex_lock(&all.lock);
  for (const tilec_buffer *b = all.first; b && !found; b = b->next)
    if ((address - b->address < b->bytes || address == b->address) && !is_foreign(b, device)) found = b;
  pthread_mutex_unlock(&all.lock);
  return found;
}

static tilec_status buffer_make(tilec_device *device, size_t bytes, tilec_buffer **buffer) {
  tilec_buffer *b = calloc(1, sizeof *b);
  if (!b) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a buffer)");
  b->device = device;
  b->bytes = bytes;
  *buffer = b;
  return TILEC_OK;
}

// Keeps the buffer, which holds its device, if `status` is TILEC_OK. Otherwise frees it.
static tilec_status buffer_keep(tilec_status status, tilec_buffer **buffer) {
  if (status) {
    free(*buffer);
    *buffer = NULL;
  } else {
    device_hold((*buffer)->device);
    list_add(*buffer);
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

tilec_status tilec_buffer_multicast(tilec_buffer *const *copies, size_t count, tilec_buffer **buffer) {
  uint64_t addresses[TILEC_SIM_MAX_DEVICES];
  if (!copies || !buffer) return null_argument("tilec_buffer_multicast", copies ? "buffer" : "copies");
  *buffer = NULL;
  if (count < 1 || count > TILEC_SIM_MAX_DEVICES)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "a multicast address is for 1 to %d devices",
                     TILEC_SIM_MAX_DEVICES);
  tilec_device *device = copies[0]->device;
  size_t bytes = copies[0]->bytes;
  for (size_t i = 0; i < count; i++) {
    addresses[i] = copies[i]->address;
    if (copies[i]->bytes < bytes) bytes = copies[i]->bytes;
    if (copies[i]->device != device)
      return error_set(TILEC_ERROR_INVALID_ARGUMENT, "the copies are on different devices");
  }
  if (!device->kind->multicast)
    return error_set(TILEC_ERROR_NOT_SUPPORTED, "multicast addresses are for the simulator, not for %s",
                     device->name);
  tilec_status status = buffer_make(device, bytes, buffer);
  if (status) return status;
  status = device->kind->multicast(device, addresses, count, bytes, &(*buffer)->address);
  (*buffer)->mapped = status == TILEC_OK;
  return buffer_keep(status, buffer);
}

void tilec_buffer_free(tilec_buffer *buffer) {
  if (!buffer) return;
  list_remove(buffer);
  if (buffer->owned) buffer->device->kind->release(buffer->device, buffer->address);
  if (buffer->mapped) buffer->device->kind->unmap(buffer->device, buffer->address);
  device_release(buffer->device);
  free(buffer);
}

uint64_t tilec_buffer_address(const tilec_buffer *buffer) { return buffer ? buffer->address : 0; }
size_t tilec_buffer_bytes(const tilec_buffer *buffer) { return buffer ? buffer->bytes : 0; }

// --- Copies ---

// TILEC_OK if the buffer has `bytes` bytes at `offset`.
static tilec_status check_range(const char *function, const tilec_buffer *buffer, size_t offset,
                                size_t bytes) {
  if (!buffer) return null_argument(function, "buffer");
  if (offset > buffer->bytes || bytes > buffer->bytes - offset)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: %zu bytes at %zu are not within the buffer's %zu",
                     function, bytes, offset, buffer->bytes);
  return TILEC_OK;
}

static tilec_status check_copy(const char *function, const tilec_buffer *buffer, size_t offset,
                               const void *host, size_t bytes) {
  tilec_status status = check_range(function, buffer, offset, bytes);
  if (!status && !host && bytes) return null_argument(function, "the host's memory");
  return status;
}

tilec_status tilec_buffer_write(tilec_buffer *buffer, size_t offset, const void *from, size_t bytes) {
  tilec_status status = check_copy("tilec_buffer_write", buffer, offset, from, bytes);
  if (status || bytes == 0) return status;
  status = streams_join(buffer->device);
  return status ? status : buffer->device->kind->write(buffer->device, buffer->address + offset, from, bytes);
}

tilec_status tilec_buffer_read(const tilec_buffer *buffer, size_t offset, void *to, size_t bytes) {
  tilec_status status = check_copy("tilec_buffer_read", buffer, offset, to, bytes);
  if (status || bytes == 0) return status;
  status = streams_join(buffer->device);
  return status ? status : buffer->device->kind->read(buffer->device, buffer->address + offset, to, bytes);
}

tilec_status tilec_buffer_fill(tilec_buffer *buffer, uint8_t byte) {
  if (!buffer) return null_argument("tilec_buffer_fill", "buffer");
  if (buffer->bytes == 0) return TILEC_OK;
  tilec_status status = streams_join(buffer->device);
  return status ? status : buffer->device->kind->fill(buffer->device, buffer->address, byte, buffer->bytes);
}

// --- On a stream ---
// On devices whose launches are done at return, so are these copies.

tilec_status tilec_buffer_write_async(tilec_buffer *buffer, size_t offset, const void *from, size_t bytes,
                                      tilec_stream *stream) {
  static const char function[] = "tilec_buffer_write_async";
  tilec_status status = check_copy(function, buffer, offset, from, bytes);
  if (!status) status = stream_check(function, stream, buffer->device);
  if (status || bytes == 0) return status;
  const DeviceKind *kind = buffer->device->kind;
  uint64_t to = buffer->address + offset;
  return kind->write_async ? kind->write_async(buffer->device, to, from, bytes, stream_state(stream))
                           : kind->write(buffer->device, to, from, bytes);
}

tilec_status tilec_buffer_read_async(const tilec_buffer *buffer, size_t offset, void *to, size_t bytes,
                                     tilec_stream *stream) {
  static const char function[] = "tilec_buffer_read_async";
  tilec_status status = check_copy(function, buffer, offset, to, bytes);
  if (!status) status = stream_check(function, stream, buffer->device);
  if (status || bytes == 0) return status;
  const DeviceKind *kind = buffer->device->kind;
  uint64_t from = buffer->address + offset;
  return kind->read_async ? kind->read_async(buffer->device, from, to, bytes, stream_state(stream))
                          : kind->read(buffer->device, from, to, bytes);
}

tilec_status tilec_buffer_fill_async(tilec_buffer *buffer, size_t offset, uint8_t byte, size_t bytes,
                                     tilec_stream *stream) {
  static const char function[] = "tilec_buffer_fill_async";
  tilec_status status = check_range(function, buffer, offset, bytes);
  if (!status) status = stream_check(function, stream, buffer->device);
  if (status || bytes == 0) return status;
  const DeviceKind *kind = buffer->device->kind;
  uint64_t at = buffer->address + offset;
  return kind->fill_async ? kind->fill_async(buffer->device, at, byte, bytes, stream_state(stream))
                          : kind->fill(buffer->device, at, byte, bytes);
}

// Copies through host memory.
static tilec_status copy_by_host(tilec_device *device, uint64_t to, uint64_t from, size_t bytes) {
  void *between = malloc(bytes);
  if (!between) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a copy of %zu bytes)", bytes);
  tilec_status status = device->kind->read(device, from, between, bytes);
  if (!status) status = device->kind->write(device, to, between, bytes);
  free(between);
  return status;
}

tilec_status tilec_buffer_copy_async(tilec_buffer *to, size_t to_offset, const tilec_buffer *from,
                                     size_t from_offset, size_t bytes, tilec_stream *stream) {
  static const char function[] = "tilec_buffer_copy_async";
  tilec_status status = check_range(function, to, to_offset, bytes);
  if (!status) status = check_range(function, from, from_offset, bytes);
  if (!status) status = stream_check(function, stream, to->device);
  if (!status && from->device != to->device)
    status = error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: one buffer is of device %s, the other of %s",
                       function, from->device->name, to->device->name);
  if (status || bytes == 0) return status;
  uint64_t at = to->address + to_offset, of = from->address + from_offset;
  const DeviceKind *kind = to->device->kind;
  return kind->copy_async ? kind->copy_async(to->device, at, of, bytes, stream_state(stream))
                          : copy_by_host(to->device, at, of, bytes);
}
