// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/machine/block.h"
#include "sim/machine/special.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/integer.h"
#include "base/text.h"
#include "sim/machine/hooks.h"
#include "sim/machine/grid.h"
#include "sim/machine/mbarrier.h"
#include "sim/machine/tmem.h"
#include "sim/check/waits.h"
#include "sim/machine/lanes.h"

enum { WARP_SLICE = 256, ALIGNMENT = 64, MAX_TIMEOUTS = 100 };

static size_t aligned(size_t bytes) { return round_up(bytes, ALIGNMENT); }

size_t block_register_bytes(const Block *block) {
  return block->warp_count * aligned(block->program->register_bytes);
}

typedef struct RegisterRun {
  uint32_t from, bytes;
} RegisterRun;

static void mark(unsigned char *fixed, uint32_t slot, uint32_t bytes) {
  memset(fixed + slot / ALIGNMENT, 1, bytes ? bytes * LANES / ALIGNMENT : 1);
}

// Finds the slots that must be zero when a warp starts. Constants, parameters, special registers and
// registers that are written before they are read are excluded. False: out of memory.
static bool find_runs(Block *block) {
  const Program *program = block->program;
  uint32_t units = program->register_bytes / ALIGNMENT; // slots are multiples of it
  unsigned char *fixed = calloc(units + 1, 1);
  block->runs = calloc(units / 2 + 1, sizeof *block->runs);
  if (!fixed || !block->runs) {
    free(fixed);
    return false;
  }
  for (uint32_t i = 0; i < program->constants.n; i++)
    mark(fixed, program->constants.at[i].slot, program->constants.at[i].bytes);
  for (uint32_t i = 0; i < program->param_slots.n; i++)
    mark(fixed, program->param_slots.at[i].slot, program->param_slots.at[i].slot_bytes);
  for (uint32_t i = 0; i < program->specials.n; i++) mark(fixed, program->specials.at[i].slot, 4);
  for (uint32_t i = 0; i < program->written.n; i++)
    memset(fixed + program->written.at[i].slot / ALIGNMENT, 1, program->written.at[i].bytes / ALIGNMENT);
  for (uint32_t i = 0; i < units; i++) {
    if (fixed[i]) continue;
    RegisterRun *run = &block->runs[block->run_count++];
    run->from = i * ALIGNMENT;
    while (i < units && !fixed[i]) i++;
    run->bytes = i * ALIGNMENT - run->from;
  }
  free(fixed);
  return true;
}

static void free_one(Block *block) {
  if (!block) return;
  free(block->warps);
  free(block->registers);
  free(block->shared);
  free(block->tmem);
  free(block->local);
  free(block->specials);
  free(block->runs);
  free(block);
}

static Block *new_of_rank(Worker *worker, uint32_t rank) {
  const Launch *launch = worker->launch;
  const Program *program = launch->program;
  Block *block = calloc(1, sizeof *block);
  if (!block) return NULL;
  uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
  block->worker = worker;
  block->program = program;
  block->rank = rank;
  block->warp_count = (threads + LANES - 1) / LANES;
  block->shared_bytes = program->dynamic_shared + launch->dynamic_shared;
  if (block->shared_bytes < program->shared_bytes) block->shared_bytes = program->shared_bytes;
  block->warps = calloc(block->warp_count, sizeof *block->warps);
  block->registers = aligned_alloc(ALIGNMENT, block->warp_count * aligned(program->register_bytes));
  block->shared = aligned_alloc(ALIGNMENT, aligned(block->shared_bytes + 1));
  block->local = malloc((size_t)block->warp_count * LANES * program->local_bytes + 1);
  block->specials = malloc((size_t)block->warp_count * program->specials.n * LANES * sizeof(uint32_t) + 1);
  if (program->has_tcgen05) block->tmem = malloc(sizeof *block->tmem);
  if (block->warps && block->registers && block->shared && block->local && block->specials &&
      (block->tmem || !program->has_tcgen05) && find_runs(block)) {
    return block;
  }
  free_one(block);
  return NULL;
}

Block *block_new(Worker *worker) {
  uint32_t n = worker->launch->cluster_blocks;
  Block *leader = new_of_rank(worker, 0);
  if (leader && n > 1) {
    Block **peers = calloc(n, sizeof(Block *));
    bool ok = peers;
    if (peers) peers[0] = leader;
    for (uint32_t i = 1; ok && i < n; i++) ok = (peers[i] = new_of_rank(worker, i)) != NULL;
    for (uint32_t i = 0; ok && i < n; i++) peers[i]->peers = peers;
    if (!ok) {
      for (uint32_t i = 1; peers && i < n; i++) free_one(peers[i]);
      free(peers);
      free_one(leader);
      return NULL;
    }
  }
  for (uint32_t i = 0; leader && i < n; i++) special_fill(cluster_block(leader, i), false);
  return leader;
}

void block_free(Block *leader) {
  if (!leader) return;
  Block **peers = leader->peers;
  async_free(leader);
  for (uint32_t i = 1; i < cluster_size(leader); i++) free_one(peers[i]);
  free_one(leader);
  free(peers);
}

static void fill_slot(unsigned char *regs, const Constant *constant) {
  for (uint32_t l = 0; l < LANES; l++)
    if (constant->bytes == 0)
      memset(regs + constant->slot, constant->bits & 1 ? 255 : 0, 4);
    else
      memcpy(regs + constant->slot + (size_t)l * constant->bytes, &constant->bits,
             constant->bytes); // little endian
}

// Parameters as loads return them: sign-extended to the slot's width by the type.
static void fill_param(unsigned char *regs, const ParamSlot *param, const unsigned char *values) {
  uint64_t bits = 0;
  uint32_t bytes = ptx_type_bytes(param->type);
  memcpy(&bits, values + param->offset, bytes);
  bool negative = ptx_type_class(param->type) == CLASS_SIGNED && bytes < 8 && bits >> (8 * bytes - 1);
  if (negative) bits |= UINT64_MAX << (8 * bytes);
  Constant constant = {.slot = param->slot, .bytes = param->slot_bytes, .bits = bits};
  fill_slot(regs, &constant);
}

unsigned char *block_image(const Launch *launch) {
  const Program *program = launch->program;
  size_t bytes = aligned(program->register_bytes);
  unsigned char *images = aligned_alloc(ALIGNMENT, launch->devices * bytes);
  if (!images) return NULL;
  memset(images, 0, launch->devices * bytes);
  for (uint32_t device = 0; device < launch->devices; device++) {
    unsigned char *image = images + device * bytes;
    const unsigned char *params = launch->params + (size_t)device * program->param_bytes;
    for (uint32_t i = 0; i < program->constants.n; i++) fill_slot(image, &program->constants.at[i]);
    for (uint32_t i = 0; i < program->param_slots.n; i++)
      fill_param(image, &program->param_slots.at[i], params);
  }
  return images;
}

// Addresses of shared memory have the CTA's rank.
static void place_addresses(const Block *block, unsigned char *regs) {
  for (uint32_t i = 0; i < block->program->constants.n; i++) {
    Constant constant = block->program->constants.at[i];
    constant.bits += (uint64_t)block->rank << CLUSTER_SHIFT;
    if (constant.is_shared) fill_slot(regs, &constant);
  }
}

static void start_warp(Block *block, uint32_t index, const unsigned char *image) {
  const Program *program = block->program;
  const uint32_t *n = block->worker->launch->block;
  Warp *warp = &block->warps[index];
  uint32_t threads = n[0] * n[1] * n[2], lanes = threads - index * LANES;
  memset(warp, 0, offsetof(Warp, committed));
  if (block->commits) memset(warp->committed, 0, sizeof warp->committed);
  warp->block = block;
  warp->index = index;
  warp->regs = block->registers + index * aligned(program->register_bytes);
  warp->local = block->local + (size_t)index * LANES * program->local_bytes;
  warp->registers = program->registers;
  warp->live = lanes >= LANES ? ALL_LANES : (1u << lanes) - 1;
  warp->n = 1;
  warp->groups[0] = (LaneGroup){.mask = warp->live};
  bool started = block->started && warp->live == ALL_LANES; // registers written first are written in all
                                                            // lanes
  if (started)
    for (uint32_t i = 0; i < block->run_count; i++)
      memset(warp->regs + block->runs[i].from, 0, block->runs[i].bytes);
  else {
    memcpy(warp->regs, image, program->register_bytes);
    if (block->rank) place_addresses(block, warp->regs);
  }
  const uint32_t *values = block->specials + (size_t)index * program->specials.n * LANES;
  for (uint32_t i = 0; i < program->specials.n; i++)
    if (!started || special_is_of_block(program->specials.at[i].special))
      memcpy(lanes_at(warp, program->specials.at[i].slot), values + (size_t)i * LANES,
             LANES * sizeof *values);
}

void block_place(const Launch *launch, uint64_t cluster, uint32_t rank, uint32_t id[3]) {
  if (launch->cluster_blocks == 1) { // the most common case: few divisions
    uint32_t index = (uint32_t)cluster;
    id[0] = index % launch->grid[0];
    id[1] = index / launch->grid[0] % launch->grid[1];
    id[2] = index / launch->grid[0] / launch->grid[1];
    return;
  }
  for (int i = 0; i < 3; i++) {
    uint64_t clusters = launch->grid[i] / launch->cluster[i];
    id[i] = (uint32_t)(cluster % clusters * launch->cluster[i] + rank % launch->cluster[i]);
    cluster /= clusters;
    rank /= launch->cluster[i];
  }
}

static void start_one(Block *block, const unsigned char *images, uint32_t device, uint64_t cluster) {
  const Launch *launch = block->worker->launch;
  const unsigned char *image = images + device * aligned(block->program->register_bytes);
  block->started &= block->device == device; // registers hold the parameters of the last device
  block->device = device;
  block_place(launch, cluster, block->rank, block->id);
  block->index = device * (uint32_t)launch->blocks +
                 (block->id[2] * launch->grid[1] + block->id[1]) * launch->grid[0] + block->id[0];
  block->live_threads = launch->block[0] * launch->block[1] * launch->block[2];
  memset(block->barriers, 0, sizeof block->barriers);
  block->async_count = block->waited = 0;
  block->pool = 0;
  block->timeouts = 0;
  block->wakes_in_vain = block->spins = block->cancel_failed = false;
  block->slices = block->watch_steps = 0;
  memset(block->shared, 0, block->shared_bytes);
  if (block->tmem) tmem_start(block->tmem);
  memset(block->local, 0, (size_t)block->warp_count * LANES * block->program->local_bytes);
  special_fill(block, true);
  for (uint32_t w = 0; w < block->warp_count; w++) start_warp(block, w, image);
  block->started = true;
  block->commits = false;
}

void block_start(Block *leader, const unsigned char *images, uint32_t device, uint64_t index) {
  leader->cluster = (uint32_t)(device * leader->worker->launch->clusters + index);
  for (uint32_t i = 0; i < cluster_size(leader); i++)
    start_one(cluster_block(leader, i), images, device, index);
  for (uint32_t i = 0; i < cluster_size(leader); i++) sim_hook_block_start(cluster_block(leader, i));
}

void block_deadlock(Block *block, uint64_t unstarted) {
  Blame blame;
  char more[64] = "";
  if (unstarted)
    snprintf(more, sizeof more, "; %llu CTA%s cannot start: the GPU is full", (unsigned long long)unstarted,
             unstarted > 1 ? "s" : "");
  waits_blame(block, &blame);
  if (blame.missing)
    warp_fault(blame.warp, blame.insn, blame.lanes, TILEC_SIM_DEADLOCK, blame.address, "deadlock: %s%s%s",
               blame.text, blame.missing, more);
  else if (blame.warp)
    warp_fault(blame.warp, blame.insn, blame.lanes, TILEC_SIM_DEADLOCK, 0,
               "endless loop: %s and changes nothing", blame.text);
  text_free(blame.text);
  if (!block->worker->fault.set) async_free(block);
}

// No warp can run. try_wait returns false for lanes that wait at mbarriers, as if the time limit had passed.
// If only this happens, many times in a row, the cluster must be watched.
static bool time_out_one(Block *block) {
  bool any = false;
  for (uint32_t w = 0; w < block->warp_count; w++)
    for (uint32_t g = 0; g < block->warps[w].n; g++) {
      LaneGroup *group = &block->warps[w].groups[g];
      if (group->state != GROUP_AT_MBARRIER) continue;
      group->timed_out = any = true;
    }
  if (any) mbarrier_wake(block);
  return any;
}

static bool time_out(Block *block) {
  bool any = false;
  for (uint32_t i = 0; i < cluster_size(block); i++) any |= time_out_one(cluster_block(block, i));
  block->wakes_in_vain = any && ++block->timeouts >= MAX_TIMEOUTS;
  if (block->wakes_in_vain) block->timeouts = 0;
  return any;
}

static bool release_alone(Block *block) {
  for (uint32_t w = 0; w < block->warp_count; w++)
    for (uint32_t g = 0; g < block->warps[w].n; g++) {
      LaneGroup *group = &block->warps[w].groups[g];
      const Insn *insn = &block->program->code.at[group->pc];
      if (group->state != GROUP_AT_SYNC || insn->kind != KIND_BARRIER) continue;
      sim_hook_divergent(&block->warps[w], insn, group->mask);
      group->state = GROUP_READY;
      group->alone = true;
      return true;
    }
  return false;
}

bool block_release_alone(Block *block) {
  for (uint32_t i = 0; i < cluster_size(block); i++)
    if (release_alone(cluster_block(block, i))) return true;
  return false;
}

static BlockState block_end(Block *block) {
  async_finish(block);
  if (block->worker->fault.set) return BLOCK_FAULT;
  for (uint32_t i = 0; i < cluster_size(block); i++) sim_hook_block_end(cluster_block(block, i));
  return BLOCK_DONE;
}

static bool threads_left(const Block *block) {
  for (uint32_t i = 0; i < cluster_size(block); i++)
    if (cluster_block(block, i)->live_threads) return true;
  return false;
}

// Runs each warp of the CTA for a while. Returns the number of instructions.
static uint64_t run_warps(Block *block) {
  Worker *worker = block->worker;
  uint64_t ran = 0;
  bool descending = worker->launch->descending;
  uint32_t n = block->warp_count, first = worker->launch->seed ? worker_random(worker, n) : 0;
  for (uint32_t i = 0; i < n && !worker->fault.set; i++) {
    uint32_t at = (first + (descending ? n - 1 - i : i)) % n;
    uint64_t steps = warp_run(&block->warps[at], worker_slice(worker, WARP_SLICE));
    ran += steps;
    worker->clock += steps;
  }
  return ran;
}

BlockState block_run(Block *block, uint64_t slice) {
  Worker *worker = block->worker;
  uint32_t n = cluster_size(block);
  bool descending = worker->launch->descending;
  for (uint64_t ran = 0; ran < slice && launch_ends(worker->launch) == LAUNCH_GOES_ON;) {
    uint64_t before = ran;
    for (uint32_t i = 0; i < n; i++) {
      ran += run_warps(cluster_block(block, descending ? n - 1 - i : i));
      if (worker->fault.set) return BLOCK_FAULT;
    }
    if (!threads_left(block)) return block_end(block);
    if (ran == before && !time_out(block)) {
      if (block_release_alone(block)) continue;
      block_deadlock(block, 0);
      return worker->fault.set ? BLOCK_FAULT : BLOCK_DONE;
    }
    if (block->wakes_in_vain) break;
  }
  return BLOCK_RUNNING;
}
