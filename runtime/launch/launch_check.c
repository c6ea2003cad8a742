// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checked launches: one launch under each schedule of the simulator, always from the same initial memory.
#include <stdlib.h>

#include "runtime/error.h"
#include "runtime/launch/kernel.h"

// An allocation that an argument points into, with its contents before the first launch.
typedef struct Kept {
  uint64_t base, bytes;
  void *copy;
} Kept;

typedef struct KeptMemory {
  uint32_t count;
  Kept at[MAX_PARAMS + MAX_SHAPE / 8]; // one for each argument, and for each word of structs
} KeptMemory;

static bool is_kept(const KeptMemory *memory, uint64_t base) {
  for (uint32_t i = 0; i < memory->count; i++)
    if (memory->at[i].base == base) return true;
  return false;
}

static tilec_status keep_one(tilec_device *device, KeptMemory *memory, uint64_t base, uint64_t bytes) {
  void *copy = malloc(bytes);
  if (!copy)
    return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a copy of %llu bytes, for checking a launch)",
                     (unsigned long long)bytes);
  memory->at[memory->count++] = (Kept){base, bytes, copy};
  return device->kind->read(device, base, copy, bytes);
}

static tilec_status keep_at(tilec_device *device, KeptMemory *memory, uint64_t address) {
  uint64_t base, bytes;
  if (!device_memory_at(device, address, &base, &bytes) || !bytes || is_kept(memory, base)) return TILEC_OK;
  return keep_one(device, memory, base, bytes);
}

// An integer that looks like an address only costs an unnecessary copy.
static tilec_status keep_memory(tilec_device *device, const BoundArgs *args, KeptMemory *memory) {
  tilec_status status = TILEC_OK;
  for (uint32_t i = 0; i < args->count && !status; i++) status = keep_at(device, memory, args->bits[i]);
  for (uint32_t i = 0; i < args->struct_bytes && !status; i += sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, args->key + args->key_bytes + i, sizeof word);
    status = keep_at(device, memory, word);
  }
  return status;
}

static tilec_status put_back(tilec_device *device, const KeptMemory *memory) {
  tilec_status status = TILEC_OK;
  for (uint32_t i = 0; i < memory->count && !status; i++)
    status = device->kind->write(device, memory->at[i].base, memory->at[i].copy, memory->at[i].bytes);
  return status;
}

static tilec_status launch_schedules(const DeviceKernel *loaded, const uint64_t *bits, uint32_t count,
                                     const tilec_launch_options *o, const KeptMemory *memory, Buf *printed) {
  LaunchLimits limits = {.max_instructions = o->max_instructions,
                         .timeout = o->timeout,
                         .cancel = o->cancel,
                         .programs = o->max_programs};
  tilec_status status = TILEC_OK;
  double began = seconds_now();
  for (int schedule = TILEC_SIM_LATE; schedule <= TILEC_SIM_EARLY_DOWN && !status; schedule++) {
    if (schedule != TILEC_SIM_LATE) status = put_back(loaded->device, memory);
    limits.printed = schedule == TILEC_SIM_LATE ? printed : NULL;
    limits.checked_schedule = 1 + schedule;
    limits.spent = seconds_now() - began;
    if (!status) status = device_launch(loaded, o->grid, bits, count, o->stream, &limits);
  }
  return status;
}

tilec_status launch_checked(const DeviceKernel *loaded, const BoundArgs *args, const uint64_t *bits,
                            uint32_t count, const tilec_launch_options *options, Buf *printed) {
  tilec_device *device = loaded->device;
  if (device->kind != &device_sim)
    return error_set(TILEC_ERROR_NOT_SUPPORTED, "launches are checked on the simulator, not on %s",
                     device->name);
  KeptMemory memory = {.count = 0};
  tilec_status status = keep_memory(device, args, &memory);
  if (!status) status = launch_schedules(loaded, bits, count, options, &memory, printed);
  for (uint32_t i = 0; i < memory.count; i++) free(memory.at[i].copy);
  return status;
}
