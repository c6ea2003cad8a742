// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulator as the machine that runs the kernels. TEST_SIM_WATCH=N: it looks for deadlocks every N
// instructions.
#include <stdlib.h>

#include "sim/sim.h"
#include "tests/sim_nvcc/kernels.h"

static bool succeeded(Run *run, tilec_sim_result result) {
  SimMachine *machine = run->state;
  snprintf(run->message, sizeof run->message, "%s", result ? tilec_sim_message(machine->sim) : "");
  return result == TILEC_SIM_OK;
}

static bool load(Run *run, const char *ptx, size_t bytes) {
  SimMachine *machine = run->state;
  const char *watch = getenv("TEST_SIM_WATCH");
  const tilec_sim_options options = {
      .size = sizeof options, .threads = 1, .watch_every = watch ? (uint32_t)strtoul(watch, NULL, 10) : 0};
  sim_machine_close(run);
  return succeeded(run, tilec_sim_create(&options, &machine->sim)) &&
         succeeded(run, tilec_sim_load(machine->sim, ptx, bytes, &machine->module));
}

static uint64_t bind_host(Run *run, void *host, size_t bytes) {
  SimMachine *machine = run->state;
  uint64_t address;
  if (machine->count == MAX_BUFFERS || !succeeded(run, tilec_sim_bind(machine->sim, host, bytes, &address)))
    return 0;
  return machine->bound[machine->count++] = address;
}

static Outcome launch_kernel(Run *run, const char *name, const uint32_t grid[3], const uint32_t block[3],
                             uint32_t dynamic_shared, const void *const *params) {
  SimMachine *machine = run->state;
  const tilec_sim_kernel *kernel;
  if (!succeeded(run, tilec_sim_find(machine->sim, machine->module, name, &kernel)) ||
      succeeded(run, tilec_sim_launch(machine->sim, kernel, grid, block, dynamic_shared, params)))
    return run->message[0] ? OUTCOME_FAULT : OUTCOME_OK;
  const tilec_sim_report *report = tilec_sim_report_at(machine->sim, 0);
  return report && report->kind == TILEC_SIM_ASSERT ? OUTCOME_ASSERT : OUTCOME_FAULT;
}

static bool write_symbol(Run *run, const char *name, const void *from, size_t bytes) {
  SimMachine *machine = run->state;
  uint64_t address;
  size_t size;
  return succeeded(run, tilec_sim_symbol(machine->sim, machine->module, name, &address, &size)) &&
         size == bytes && succeeded(run, tilec_sim_write(machine->sim, address, from, bytes));
}

static const char *printed(Run *run) {
  SimMachine *machine = run->state;
  return tilec_sim_printed(machine->sim, NULL);
}

static void release(Run *run) {
  SimMachine *machine = run->state;
  while (machine->count) tilec_sim_free(machine->sim, machine->bound[--machine->count]);
}

const Machine sim_machine = {load, bind_host, launch_kernel, write_symbol, printed, release};

void sim_machine_close(Run *run) {
  SimMachine *machine = run->state;
  tilec_sim_destroy(machine->sim);
  *machine = (SimMachine){0};
}
