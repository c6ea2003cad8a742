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
  Kept at[LAUNCH_MAX_ARGS + MAX_SHAPE / 8]; // one for each argument, and for each word of structs and tables
} KeptMemory;

static bool is_kept(const KeptMemory *memory, uint64_t base) {
  for (uint32_t i = 0; i < memory->count; i++)
    if (memory->at[i].base == base) return true;
  return false;
}

static tilec_status keep_one(tilec_device *device, KeptMemory *memory, uint64_t base, uint64_t bytes) {
  if (memory->count == sizeof memory->at / sizeof *memory->at)
    return error_set(TILEC_ERROR_NOT_SUPPORTED, "a checked launch has too many arrays");
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

// An address of memory, or a multicast address of several.
static tilec_status keep_argument(tilec_device *device, KeptMemory *memory, uint64_t address) {
  uint64_t copies[TILEC_SIM_MAX_DEVICES];
  tilec_status status = keep_at(device, memory, address);
  size_t count = device_copies(device, address, copies);
  for (size_t i = 0; i < count && !status; i++) status = keep_at(device, memory, copies[i]);
  return status;
}

// Memory of other ranks is reached through tables of addresses.
static tilec_status keep_table(tilec_device *device, KeptMemory *memory, uint32_t table) {
  enum { MOST = TILEC_SIM_MAX_DEVICES * sizeof(uint64_t) }; // bytes
  uint64_t words[TILEC_SIM_MAX_DEVICES];
  uint64_t bytes = memory->at[table].bytes;
  tilec_status status = TILEC_OK;
  if (bytes > MOST) return status;
  memcpy(words, memory->at[table].copy, bytes);
  for (uint32_t i = 0; i < bytes / sizeof *words && !status; i++) status = keep_at(device, memory, words[i]);
  return status;
}

// An integer that looks like an address only costs an unnecessary copy.
static tilec_status keep_memory(tilec_device *device, const BoundArgs *args, const uint64_t *bits,
                                uint32_t count, bool ranks, KeptMemory *memory) {
  tilec_status status = TILEC_OK;
  for (uint32_t i = 0; i < count && !status; i++) status = keep_argument(device, memory, bits[i]);
  for (uint32_t i = memory->count; ranks && i > 0 && !status; i--) status = keep_table(device, memory, i - 1);
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
                         .devices = (uint32_t)o->ranks,
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
  uint32_t ranks = options->ranks ? (uint32_t)options->ranks : 1;
  tilec_status status = keep_memory(device, args, bits, ranks * count, ranks > 1, &memory);
  if (!status) status = launch_schedules(loaded, bits, count, options, &memory, printed);
  for (uint32_t i = 0; i < memory.count; i++) free(memory.at[i].copy);
  return status;
}
