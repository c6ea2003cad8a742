// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker takes the next CTA of the grid, or cluster of CTAs, whenever it may have one more in progress. It
// begins with one of each device. If CTAs outlast their slice, it takes more, doubling each round, up to the number that the
// modelled GPU holds. So memory stays small for ordinary kernels. "CTA" below means a cluster, by its leader.
#include "sim/machine/grid.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include "base/seconds.h"
#include "base/text.h"
#include "sim/machine/block.h"
#include "sim/check/watch.h"

enum { BLOCK_SLICE = 65536, SHORT_SLICE = 512 };

typedef struct LaunchShared { // shared by the workers of a launch
  Launch *launch;
  const unsigned char *images;
  uint32_t most_blocks; // in progress, per worker and device
  atomic_ullong clock;
  atomic_ullong epoch; // increases, from 1, whenever a worker has run a CTA that does not spin
  atomic_bool stop, deadlock;
  struct WorkerThread *workers;
  uint32_t threads;
} LaunchShared;

// WorkerThread.idle is one of these, or the epoch in which all its CTAs spun.
static const uint64_t WORKER_RUNS = 0, WORKER_DONE = UINT64_MAX;

typedef struct WorkerThread {
  Worker worker;
  LaunchShared *shared;
  Block **active, **spare;
  uint32_t n, spares;
  uint32_t here[TILEC_SIM_MAX_DEVICES]; // CTAs in progress of each device
  bool no_memory, started;
  bool no_room; // for one more CTA
  atomic_ullong idle;
  pthread_t thread;
} WorkerThread;

static uint64_t not_started(const Launch *launch, uint32_t device) {
  uint64_t next = __atomic_load_n(&launch->next[device], __ATOMIC_RELAXED);
  return next < launch->clusters ? launch->clusters - next : 0;
}

static uint64_t all_not_started(const Launch *launch) {
  uint64_t sum = 0;
  for (uint32_t d = 0; d < launch->devices; d++) sum += not_started(launch, d);
  return sum;
}

bool launch_take(Launch *launch, uint32_t device, uint64_t *index) {
  if (!not_started(launch, device)) return false;
  *index = __atomic_fetch_add(&launch->next[device], 1, __ATOMIC_RELAXED);
  return *index < launch->clusters;
}

// Finds the device whose next CTA starts: of those with CTAs left and room, the one with the fewest in progress.
static bool next_device(const WorkerThread *self, uint32_t *device) {
  const Launch *launch = self->shared->launch;
  bool found = false;
  for (uint32_t i = 0; i < launch->devices; i++) {
    uint32_t d = launch->descending ? launch->devices - 1 - i : i;
    if (self->here[d] == self->shared->most_blocks || !not_started(launch, d)) continue;
    if (!found || self->here[d] < self->here[*device]) *device = d;
    found = true;
  }
  return found;
}

// Starts the next CTA. False: there is none, or memory is exhausted.
static bool start_next_block(WorkerThread *self) {
  LaunchShared *shared = self->shared;
  uint32_t device = 0;
  if (!next_device(self, &device)) return false;
  Block *block = self->spares ? self->spare[--self->spares] : block_new(&self->worker);
  if (!block) {
    self->no_memory = self->n == 0; // with fewer CTAs in progress the launch may still end
    self->no_room = true;
    return false;
  }
  uint64_t index;
  if (!launch_take(shared->launch, device, &index)) {
    self->spare[self->spares++] = block;
    return false;
  }
  block_start(block, shared->images, device, index);
  self->active[self->n++] = block;
  self->here[device]++;
  return true;
}

LaunchEnd launch_ends(const Launch *launch) {
  if (launch->cancel && __atomic_load_n(launch->cancel, __ATOMIC_RELAXED)) return LAUNCH_CANCELLED;
  return launch->timeout > 0 && seconds_now() > launch->deadline ? LAUNCH_TIMED_OUT : LAUNCH_GOES_ON;
}

// True if a limit or a cancellation ends the launch at this CTA, which has not ended. The fault is set then.
static bool end_early(const Launch *launch, const Block *block, bool budget_used) {
  LaunchEnd end = launch_ends(launch);
  if (end == LAUNCH_GOES_ON && !budget_used) return false;
  Blame blame;
  waits_blame(block, &blame);
  const Insn *insn = blame.warp ? blame.insn : block->program->code.at;
  Warp *warp = blame.warp ? blame.warp : block->warps;
  if (budget_used)
    warp_fault(warp, insn, warp->live, TILEC_SIM_BUDGET, 0,
               "the launch ran %llu instructions, its limit (raise it with --max-instructions N)",
               (unsigned long long)launch->budget);
  else if (end == LAUNCH_TIMED_OUT)
    warp_fault(warp, insn, warp->live, TILEC_SIM_TIMEOUT, 0,
               "the launch has not ended within %.3g seconds (--timeout SECONDS waits longer)",
               launch->timeout);
  else
    warp_fault(warp, insn, warp->live, TILEC_SIM_CANCELLED, 0, "the launch was interrupted");
  text_free(blame.text);
  return true;
}

// A spinning CTA continues only if a watch finds that it makes progress. Returns true if the CTA must not run
// now. *state is BLOCK_RUNNING then, unless the watch ended the CTA. If other CTAs already spin, the first watch
// comes after few instructions.
static bool run_watch(WorkerThread *self, Block *block, bool others_spin, BlockState *state) {
  *state = BLOCK_RUNNING;
  if (!block->spins && !watch_is_due(block, block->slices)) return false;
  WatchResult result = watch_block(block, others_spin);
  block->spins = result != WATCH_MOVES;
  if (result == WATCH_STUCK) {
    block_deadlock(block, 0);
    *state = BLOCK_DONE; // if the launch continues
  }
  if (self->worker.fault.set) *state = BLOCK_FAULT;
  return block->spins || *state != BLOCK_RUNNING;
}

static BlockState run_block(WorkerThread *self, Block *block, bool others_spin) {
  LaunchShared *shared = self->shared;
  BlockState state;
  uint64_t before = self->worker.clock, budget = shared->launch->budget, used = atomic_load(&shared->clock);
  uint64_t left = used < budget ? budget - used : 0,
           slice = shared->launch->watch_every ? shared->launch->watch_every : BLOCK_SLICE;
  bool is_short = others_spin || shared->launch->devices > 1 || shared->launch->seed;
  if (is_short && slice > SHORT_SLICE) slice = worker_slice(&self->worker, SHORT_SLICE);
  if (!run_watch(self, block, others_spin, &state)) {
    state = block_run(block, left < slice ? left : slice);
    block->slices++;
  }
  uint64_t total =
      atomic_fetch_add(&shared->clock, self->worker.clock - before) + self->worker.clock - before;
  if (state == BLOCK_RUNNING && end_early(shared->launch, block, total >= budget)) return BLOCK_FAULT;
  return state;
}

// With a seed, the order in which a round runs the CTAs.
static void shuffle(WorkerThread *self) {
  for (uint32_t i = self->shared->launch->seed ? self->n : 0; i > 1; i--) {
    uint32_t other = worker_random(&self->worker, i);
    Block *last = self->active[i - 1];
    self->active[i - 1] = self->active[other];
    self->active[other] = last;
  }
}

// One round over the CTAs in progress. False: stop. *moved: true if any of them did not spin, or has ended.
// CTAs that spun before it have not seen its changes.
static bool run_round(WorkerThread *self, bool *moved) {
  bool others_spin = false;
  *moved = false;
  shuffle(self);
  for (uint32_t i = 0; i < self->n && !atomic_load(&self->shared->stop);) {
    BlockState state = run_block(self, self->active[i], others_spin);
    if (state == BLOCK_FAULT) return false;
    *moved |= state != BLOCK_RUNNING || !self->active[i]->spins;
    if (state == BLOCK_RUNNING) {
      others_spin |= self->active[i]->spins;
      i++;
      continue;
    }
    self->spare[self->spares++] = self->active[i];
    self->here[self->active[i]->device]--;
    for (uint32_t k = i + 1; k < self->n; k++) self->active[k - 1] = self->active[k];
    self->n--;
  }
  return !atomic_load(&self->shared->stop);
}

static bool others_spin_too(const LaunchShared *shared, uint64_t epoch) {
  for (uint32_t i = 0; i < shared->threads; i++) {
    uint64_t idle = atomic_load(&shared->workers[i].idle);
    if (idle != epoch && idle != WORKER_DONE) return false;
  }
  return atomic_load(&shared->epoch) == epoch;
}

// Every CTA of this worker has spun through a whole round. If all workers have found this, and none has run
// another CTA since, and no CTA can be started, then nobody can change the memory they wait for. This worker
// waits until that is known, or until another worker has run a CTA that does not spin.
static bool all_spin(WorkerThread *self, uint64_t epoch) {
  enum { PAUSE = 50000 }; // nanoseconds
  LaunchShared *shared = self->shared;
  bool stirred = false;
  uint32_t device;
  bool full = self->no_room || !next_device(self, &device);
  if (!full || atomic_load(&shared->epoch) != epoch) return false;
  for (uint32_t i = 0; i < self->n; i++) stirred |= watch_stir(self->active[i]);
  if (stirred) atomic_fetch_add(&shared->epoch, 1);
  if (stirred) return false;
  atomic_store(&self->idle, epoch);
  while (!others_spin_too(shared, epoch)) {
    if (atomic_load(&shared->epoch) != epoch || atomic_load(&shared->stop)) return false;
    if (launch_ends(shared->launch) != LAUNCH_GOES_ON) return false;
    nanosleep(&(struct timespec){0, PAUSE}, NULL);
  }
  return true;
}

static void launch_deadlock(WorkerThread *self) {
  LaunchShared *shared = self->shared;
  atomic_store(&shared->deadlock, true);
  block_deadlock(self->active[0], all_not_started(shared->launch) * shared->launch->cluster_blocks);
}

// False: the launch ends, with a fault or a deadlock.
static bool run_rounds(WorkerThread *self) {
  LaunchShared *shared = self->shared;
  uint32_t devices = shared->launch->devices, wanted = devices;
  for (;;) {
    while (self->n < wanted && start_next_block(self)) continue;
    if (self->n == 0) return true;
    uint64_t epoch = atomic_load(&shared->epoch);
    atomic_store(&self->idle, WORKER_RUNS);
    bool moved, goes_on = run_round(self, &moved);
    if (!goes_on) return false;
    if (moved || self->n == 0)
      atomic_fetch_add(&shared->epoch, 1);
    else if (all_spin(self, epoch)) {
      launch_deadlock(self);
      return false;
    }
    wanted = self->n ? 2 * self->n : devices;
    if (wanted > devices * shared->most_blocks) wanted = devices * shared->most_blocks;
  }
}

static void *run_worker(void *argument) {
  WorkerThread *self = argument;
  if (!run_rounds(self)) atomic_store(&self->shared->stop, true);
  atomic_fetch_add(&self->shared->epoch, 1);
  atomic_store(&self->idle, WORKER_DONE);
  return NULL;
}

static bool worker_open(WorkerThread *self, LaunchShared *shared) {
  const Program *program = shared->launch->program;
  self->shared = shared;
  self->worker.launch = shared->launch;
  self->worker.random = shared->launch->seed + (uint64_t)(self - shared->workers);
  self->worker.executed = calloc(program->code.n, sizeof *self->worker.executed);
  self->worker.by_site = calloc(program->sites.n, sizeof *self->worker.by_site);
  size_t most_blocks = (size_t)shared->launch->devices * shared->most_blocks;
  self->active = calloc(most_blocks, sizeof(Block *));
  self->spare = calloc(most_blocks + 1, sizeof(Block *));
  return self->worker.executed && self->worker.by_site && self->active && self->spare;
}

static void worker_close(WorkerThread *self) {
  for (uint32_t i = 0; i < self->n; i++) block_free(self->active[i]);
  for (uint32_t i = 0; i < self->spares; i++) block_free(self->spare[i]);
  free(self->active);
  free(self->spare);
  free(self->worker.executed);
  free(self->worker.by_site);
  free(self->worker.printed);
  watch_free(self->worker.watch);
}

static void collect_printed(LaunchResult *result, const Worker *worker) {
  if (!worker->printed_bytes) return;
  char *grown = realloc(result->printed, result->printed_bytes + worker->printed_bytes + 1);
  if (!grown) {
    result->no_memory = true;
    return;
  }
  memcpy(grown + result->printed_bytes, worker->printed, worker->printed_bytes);
  result->printed = grown;
  result->printed_bytes += worker->printed_bytes;
  grown[result->printed_bytes] = 0;
}

static void collect(LaunchResult *result, const WorkerThread *self) {
  const Program *program = self->shared->launch->program;
  for (uint32_t i = 0; i < program->code.n; i++) result->executed[i] += self->worker.executed[i];
  for (uint32_t i = 0; i < program->sites.n; i++) counters_add(&result->by_site[i], &self->worker.by_site[i]);
  const Fault *fault = &self->worker.fault;
  bool first = fault->set && (!result->fault.set || fault->block < result->fault.block);
  text_free(first ? result->fault.message : fault->message);
  if (first) result->fault = *fault;
  result->no_memory |= self->no_memory;
  collect_printed(result, &self->worker);
}

// The positions of the CTAs in progress, if the launch ended without them.
static void collect_waits(LaunchResult *result, const WorkerThread *workers, uint32_t threads) {
  tilec_sim_report_kind kind = result->fault.kind;
  bool deadlock = atomic_load(&workers->shared->deadlock); // with checks no fault is set
  if (!deadlock && (!result->fault.set || (kind != TILEC_SIM_BUDGET && kind != TILEC_SIM_TIMEOUT &&
                                           kind != TILEC_SIM_CANCELLED && kind != TILEC_SIM_DEADLOCK)))
    return;
  result->waits = waits_new();
  for (uint32_t i = 0; i < threads; i++)
    for (uint32_t b = 0; b < workers[i].n; b++) waits_add(result->waits, workers[i].active[b]);
}

static void run_all(WorkerThread *workers, uint32_t threads) {
  for (uint32_t i = 1; i < threads; i++) {
    workers[i].started = pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]) == 0;
    if (!workers[i].started) atomic_store(&workers[i].idle, WORKER_DONE);
  }
  run_worker(&workers[0]);
  for (uint32_t i = 1; i < threads; i++)
    if (workers[i].started) pthread_join(workers[i].thread, NULL);
}

LaunchResult launch_run(Launch *launch, uint32_t threads) {
  LaunchResult result = {0};
  launch->deadline = launch->timeout > 0 ? seconds_now() + launch->timeout - launch->spent : 0;
  unsigned char *images = block_image(launch);
  uint32_t resident = launch->resident / launch->cluster_blocks;
  LaunchShared shared = {
      .launch = launch, .images = images, .most_blocks = resident ? (resident + threads - 1) / threads : 1};
  WorkerThread *workers = calloc(threads, sizeof *workers);
  shared.workers = workers;
  shared.threads = threads;
  atomic_store(&shared.epoch, 1);
  result.executed = calloc(launch->program->code.n, sizeof *result.executed);
  result.by_site = calloc(launch->program->sites.n, sizeof *result.by_site);
  bool ready = images && workers && result.executed && result.by_site;
  for (uint32_t i = 0; workers && i < threads; i++) ready &= worker_open(&workers[i], &shared);
  if (ready) run_all(workers, threads);
  for (uint32_t i = 0; ready && i < threads; i++) collect(&result, &workers[i]);
  if (ready) collect_waits(&result, workers, threads);
  for (uint32_t i = 0; workers && i < threads; i++) worker_close(&workers[i]);
  result.no_memory |= !ready;
  free(workers);
  free(images);
  return result;
}
