// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several simulated devices (--devices). Each has its own copies of all buffers, in one address space: a kernel
// reaches those of other devices through a table of addresses, peers(NAME).
#include "tools/run/run.h"

const RunArg *run_device_copy(const Run *run, const RunArg *holder, uint32_t device) {
  return holder + (size_t)device * run->device_holders;
}

uint64_t run_address(const Run *run, const RunArg *arg) {
  return run_device_copy(run, arg->buffer, run->ordinal)->base + arg->value.offset;
}

// Makes the pointees of a table on a device: its own buffers, or a buffer on all devices.
static void aim_table(Run *run, Argument *table, uint32_t device) {
  const Pointee *given = table->pointees;
  if (table->peers) table->shape[0] = table->elements = run->options->devices;
  table->bytes = table->elements * elem_bytes(table->elem);
  table->data = arena_alloc(run->arena, table->bytes);
  table->pointees = ARENA_ARRAY(run->arena, Pointee, table->elements);
  for (uint32_t i = 0; i < table->elements; i++) {
    table->pointees[i] = given[table->peers ? 0 : i];
    table->pointees[i].device = table->peers ? i : device;
  }
}

// Random data differ between devices. A buffer of a tuple, and a descriptor's, begin with the same data everywhere.
static bool copy_holder(Run *run, uint32_t index, uint32_t device) {
  const RunArg *from = &run->params[index];
  uint32_t number = device * run->device_holders + index;
  RunArg *to = &run->params[number];
  const char *why;
  *to = *from;
  to->name = arena_printf(run->arena, "%s@%u", from->name, device);
  to->items = NULL;
  to->buffer = from->buffer == from ? to : NULL;
  if (!to->buffer || !run->has_data) return true;
  if (from->value.pointees)
    aim_table(run, &to->value, device);
  else if (from->text && !from->value.descriptor &&
           !argument_parse(run->arena, from->text, &run->options->seed, number, &to->value, &why))
    return tool_error("[T1003] argument %s: %s", to->name, why), false;
  return true;
}

bool run_copy_devices(Run *run) {
  for (uint32_t d = 1; d < run->options->devices; d++)
    for (uint32_t i = 0; i < run->device_holders; i++)
      if (!copy_holder(run, i, d)) return false;
  for (uint32_t i = 0; i < run->device_holders; i++)
    if (run->params[i].value.peers) aim_table(run, &run->params[i].value, 0);
  run->holder_count = run->options->devices * run->device_holders;
  return true;
}

tilec_status run_place_multicast(Run *run, RunArg *param, tilec_buffer **buffers) {
  const RunArg *holder = run_find_holder(run, param->value.multicast);
  uint32_t devices = run->options->devices;
  tilec_buffer **copies = ARENA_ARRAY(run->arena, tilec_buffer *, devices);
  for (uint32_t d = 0; d < devices; d++)
    copies[d] = buffers[run_device_copy(run, holder->buffer, d) - run->params];
  tilec_buffer **own = &buffers[param - run->params];
  tilec_status status = tilec_buffer_multicast(copies, devices, own);
  param->address = tilec_buffer_address(*own) + holder->value.offset + param->value.offset;
  return status;
}

// The bits of the kernel's arguments on a device.
static tilec_status bits_of(Run *run, uint32_t device, const uint64_t *first, const uint64_t **bits) {
  uint64_t *own = ARENA_ARRAY(run->arena, uint64_t, run->bit_count);
  BoundArgs *bound = ARENA_NEW(run->arena, BoundArgs);
  bool ok = true;
  *bits = device ? own : first;
  if (!device) return TILEC_OK;
  run->ordinal = device;
  if (options_file_is_ptx(run->options))
    ok = run_ptx_bits(run, own);
  else if ((ok = run_bind(run, bound)))
    memcpy(own, bound->bits, run->bit_count * sizeof *own);
  run->ordinal = 0;
  return ok ? TILEC_OK : TILEC_ERROR_INVALID_ARGUMENT;
}

tilec_status run_launch_devices(Run *run, const DeviceKernel *kernel, const int64_t grid[3],
                                const uint64_t *bits) {
  uint32_t devices = run->options->devices;
  uint64_t *all = NULL;
  CodeArgs code = {0};
  for (uint32_t d = 0; d < devices; d++) {
    const uint64_t *own;
    tilec_status status = bits_of(run, d, bits, &own);
    if (status == TILEC_OK) status = run_code_args(run, own, grid, &code);
    if (status != TILEC_OK) return status;
    if (!all) all = ARENA_ARRAY(run->arena, uint64_t, (size_t)devices * code.count);
    memcpy(all + (size_t)d * code.count, code.bits, code.count * sizeof *all);
  }
  LaunchLimits limits = run_limits(run);
  return device_launch(kernel, grid, all, code.count, NULL, &limits);
}
