// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory that a tuning's arguments point into, and its copies for the measurements.
#include <stdlib.h>

#include "base/sized.h"
#include "runtime/error.h"
#include "runtime/launch/buffer.h"
#include "runtime/launch/tensor.h"
#include "runtime/tune/tuner.h"

enum { MAX_SETS = 32, ALIGNMENT = 256 }; // ALIGNMENT: of a new buffer

// Total bytes of the copies: several times any L2 cache.
static const uint64_t beyond_cache = 256u << 20;

// --- Memory of the arguments ---

typedef struct Finder {
  Arena *arena;
  tilec_device *device;
  TuneArgs *out;
  VEC(TuneMemory) memories;
  VEC(tilec_buffer *) made;
} Finder;

static bool is_in(const TuneMemory *memory, uint64_t address) {
  return address - memory->address < memory->bytes || address == memory->address;
}

static void add_memory(Finder *f, const tilec_buffer *buffer) {
  for (uint32_t i = 0; i < f->memories.n; i++)
    if (f->memories.at[i].buffer == buffer) return;
  vec_push(f->arena, &f->memories, ((TuneMemory){NULL, buffer->address, buffer->bytes, buffer}));
}

// A tensor as a pointer into a buffer: an existing one, or a new one around it.
static tilec_status take_tensor(Finder *f, const tilec_arg *arg, tilec_arg *plain) {
  uint64_t start, bytes;
  tilec_status status = tensor_plain("tilec_tune", "args", arg, plain);
  if (!status) status = tensor_memory(f->device, "tilec_tune", "args", arg, &start, &bytes);
  if (status || !bytes) return status;
  uint64_t offset = plain->value.address - start;
  for (uint32_t i = 0; i < f->made.n; i++) {
    const tilec_buffer *one = f->made.at[i];
    uint64_t of = f->out->starts[i];
    if (start < of || start + bytes > of + one->bytes) continue;
    plain->value.address = one->address + (plain->value.address - of);
    return TILEC_OK;
  }
  if (f->made.n == MAX_PARAMS) return error_set(TILEC_ERROR_NOT_SUPPORTED, "tilec_tune: too many tensors");
  tilec_buffer *buffer = NULL;
  status = tilec_buffer_wrap(f->device, start, (size_t)bytes, &buffer);
  if (status) return status;
  f->out->starts[f->made.n] = start;
  vec_push(f->arena, &f->made, buffer);
  f->out->made = f->made.at;
  f->out->made_count = f->made.n;
  add_memory(f, buffer);
  plain->value.address = buffer->address + offset;
  return TILEC_OK;
}

static tilec_status take_pointer(Finder *f, uint64_t address) {
  if (!address) return TILEC_OK;
  const tilec_buffer *buffer = memory_of(f->device, address);
  if (!buffer)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "tilec_tune: a pointer is in no tilec_buffer of %s, so its memory cannot be copied: "
                     "wrap it with tilec_buffer_wrap",
                     f->device->name);
  add_memory(f, buffer);
  return TILEC_OK;
}

static tilec_status take_arg(Finder *f, const tilec_arg *arg, tilec_arg *out, uint32_t depth);

static tilec_status take_tuple(Finder *f, const tilec_arg *arg, tilec_arg *out, uint32_t depth) {
  tilec_tuple *copy = ARENA_NEW(f->arena, tilec_tuple);
  *copy = (tilec_tuple)TILEC_TUPLE_INIT;
  const void *given = (const void *)(uintptr_t)arg->value.address;
  if (!given || !sized_take(copy, sizeof *copy, given) || !copy->items)
    return TILEC_OK; // binding reports the error
  tilec_arg *items = ARENA_ARRAY(f->arena, tilec_arg, copy->count + 1);
  for (size_t i = 0; i < copy->count; i++) {
    tilec_status status = take_arg(f, &copy->items[i], &items[i], depth + 1);
    if (status) return status;
  }
  copy->items = items;
  *out = tilec_arg_tuple(copy);
  return TILEC_OK;
}

static tilec_status take_descriptor(Finder *f, const tilec_arg *arg, tilec_arg *out, uint32_t depth) {
  tilec_descriptor *copy = ARENA_NEW(f->arena, tilec_descriptor);
  *copy = (tilec_descriptor)TILEC_DESCRIPTOR_INIT;
  const void *given = (const void *)(uintptr_t)arg->value.address;
  if (!given || !sized_take(copy, sizeof *copy, given)) return TILEC_OK;
  const tilec_arg base = copy->base;
  tilec_status status = take_arg(f, &base, &copy->base, depth + 1);
  *out = tilec_arg_descriptor(copy);
  return status;
}

enum { MAX_DEPTH = 16 }; // of nested tuples; binding has a lower limit

static tilec_status take_arg(Finder *f, const tilec_arg *arg, tilec_arg *out, uint32_t depth) {
  *out = *arg;
  if (arg->kind == TILEC_ARG_POINTER) return take_pointer(f, arg->value.address);
  if (arg->kind == TILEC_ARG_DL) return take_tensor(f, arg, out);
  if (depth >= MAX_DEPTH) return TILEC_OK;
  if (arg->kind == TILEC_ARG_TUPLE) return take_tuple(f, arg, out, depth);
  return arg->kind == TILEC_ARG_DESCRIPTOR ? take_descriptor(f, arg, out, depth) : TILEC_OK;
}

tilec_status tune_args(Arena *arena, tilec_device *device, const tilec_arg *args, size_t count,
                       TuneArgs *out) {
  Finder f = {.arena = arena, .device = device, .out = out};
  out->args = ARENA_ARRAY(arena, tilec_arg, count + 1);
  for (size_t i = 0; i < count; i++) {
    tilec_status status = take_arg(&f, &args[i], &out->args[i], 0);
    if (status) return status;
  }
  out->memories = f.memories.at;
  out->memory_count = f.memories.n;
  return TILEC_OK;
}

void tune_args_free(TuneArgs *args) {
  for (uint32_t i = 0; i < args->made_count; i++) tilec_buffer_free(args->made[i]);
}

int32_t tune_memory_at(const TuneRequest *request, uint64_t address) {
  for (uint32_t i = 0; i < request->memory_count; i++)
    if (is_in(&request->memories[i], address)) return (int32_t)i;
  return -1;
}

// --- Copies ---

// Copies memory on the default stream, or through the host.
static tilec_status copy(tilec_device *device, uint64_t to, uint64_t from, size_t bytes) {
  const DeviceKind *kind = device->kind;
  if (!bytes) return TILEC_OK;
  if (kind->copy_async) return kind->copy_async(device, to, from, bytes, NULL);
  void *between = malloc(bytes);
  if (!between) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a copy of %zu bytes)", bytes);
  tilec_status status = kind->read(device, from, between, bytes);
  if (!status) status = kind->write(device, to, between, bytes);
  free(between);
  return status;
}

// The offset of a copy in its buffer. It keeps the facts about the address's alignment.
static uint64_t offset_of(const TuneRequest *r, uint32_t memory) {
  return r->places.place ? 0 : r->memories[memory].address % ALIGNMENT;
}

static tilec_status copy_buffers(const TuneRequest *r, uint32_t set, tilec_buffer **buffers) {
  if (r->places.place) return r->places.place(r->places.data, set, buffers);
  for (uint32_t i = 0; i < r->memory_count; i++) {
    const TuneMemory *memory = &r->memories[i];
    uint64_t offset = offset_of(r, i);
    tilec_status status = tilec_buffer_new(r->device, memory->bytes + offset, &buffers[i]);
    if (!status) status = copy(r->device, buffers[i]->address + offset, memory->address, memory->bytes);
    if (status) return status;
  }
  return TILEC_OK;
}

tilec_status tune_sets_make(TuneSets *sets, const TuneRequest *request, Arena *arena) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < request->memory_count; i++) bytes += request->memories[i].bytes;
  uint64_t count = bytes ? (beyond_cache + bytes - 1) / bytes : 1;
  sets->request = request;
  sets->count = count > MAX_SETS ? MAX_SETS : (uint32_t)count;
  sets->buffers = ARENA_ARRAY(arena, tilec_buffer *, (size_t)sets->count * request->memory_count + 1);
  tilec_status status = streams_join(request->device);
  for (uint32_t i = 0; i < sets->count && !status; i++)
    status = copy_buffers(request, i, sets->buffers + (size_t)i * request->memory_count);
  return status;
}

void tune_sets_free(TuneSets *sets) {
  if (!sets->buffers) return;
  size_t kept = sets->request->places.kept_sets, n = sets->request->memory_count;
  for (size_t i = kept * n; i < sets->count * n; i++) tilec_buffer_free(sets->buffers[i]);
}

uint64_t tune_sets_bits(const TuneSets *sets, uint32_t set, const BoundArgs *bound, uint32_t i) {
  const TuneRequest *r = sets->request;
  uint64_t address = bound->bits[i];
  if (!(bound->key[KEY_BYTES * i] & KEY_POINTER) || !address) return address;
  int32_t at = tune_memory_at(r, address);
  if (at < 0) return address;
  const tilec_buffer *buffer = sets->buffers[(size_t)set * r->memory_count + (size_t)at];
  return buffer->address + offset_of(r, (uint32_t)at) + (address - r->memories[at].address);
}

static tilec_status put_back_one(const TuneRequest *r, uint32_t memory, tilec_buffer *buffer, bool zero) {
  if (zero) return tilec_buffer_fill(buffer, 0);
  if (r->places.restore) return r->places.restore(r->places.data, memory, buffer);
  return copy(r->device, buffer->address + offset_of(r, memory), r->memories[memory].address,
              r->memories[memory].bytes);
}

tilec_status tune_sets_put_back(const TuneSets *sets, uint32_t memory, bool zero) {
  const TuneRequest *r = sets->request;
  tilec_status status = TILEC_OK;
  for (uint32_t set = 0; set < sets->count && !status; set++)
    status = put_back_one(r, memory, sets->buffers[(size_t)set * r->memory_count + memory], zero);
  return status;
}
