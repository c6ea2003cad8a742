// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of a launch: workers, CTAs, warps, and groups of lanes.
#ifndef SIM_MACHINE_STATE_H
#define SIM_MACHINE_STATE_H

#include "sim/machine/chip.h"
#include "sim/machine/counters.h"
#include "sim/machine/global_memory.h"
#include "sim/ptx/insn.h"
#include "sim/sim.h"

typedef struct Fault { // the error that ends a launch
  bool set;
  tilec_sim_report_kind kind;
  uint32_t insn, block, warp, lanes;
  uint64_t address;
  char *message; // owned; for text_free
} Fault;

typedef enum GroupState {
  GROUP_READY,
  GROUP_AT_SYNC,
  GROUP_AT_BARRIER,
  GROUP_AT_CLUSTER,   // `barrier.cluster.wait`: runs again when the barrier is complete
  GROUP_AT_MBARRIER,  // try_wait: runs again when an mbarrier changes.
  GROUP_AT_REGISTERS, // `setmaxnreg.inc`: runs again when the CTA's pool grows
  GROUP_AT_TMEM,      // tcgen05.alloc: runs again when columns are freed.
} GroupState;

// Lanes of a warp at one instruction. At a barrier, `pc` is already past it.
typedef struct LaneGroup {
  uint32_t pc, mask;
  GroupState state;
  uint32_t barrier;  // GROUP_AT_BARRIER: the barrier's number.
  bool alone;        // At an .aligned barrier that the rest of its warp will not reach.
  bool timed_out;    // At a try_wait: it waited long enough and gives false.
  bool hasty;        // At a try_wait: the last one gave false without a wait.
  uint64_t last_run; // Warp.executed at its last run.
} LaneGroup;

typedef struct Block Block;
typedef struct AsyncOp AsyncOp;   // async.h
typedef struct SimHooks SimHooks; // hooks.h

// How a hook's instruction accesses memory.
typedef enum HookAccess { HOOK_READ, HOOK_WRITE, HOOK_ATOMIC } HookAccess;

// The kinds of groups that commit and wait count. ASYNC_GROUP_NONE: the operation completes at an mbarrier.
typedef enum AsyncGroup {
  ASYNC_GROUP_COPY,
  ASYNC_GROUP_BULK,
  ASYNC_GROUP_WGMMA,
  ASYNC_GROUP_TENSOR_CORE, // tcgen05.mma, cp and shift, which tcgen05.commit tracks
  ASYNC_GROUP_TMEM_LOAD,   // tcgen05.ld, until tcgen05.wait::ld
  ASYNC_GROUP_TMEM_STORE,  // tcgen05.st, until tcgen05.wait::st
  ASYNC_GROUP_NONE
} AsyncGroup;

// The address that lanes read repeatedly, found by a watch (watch.h).
typedef struct Spin {
  const Insn *insn; // NULL: none
  PtxSpace space;
  uint64_t address; // of the lowest lane
  uint32_t lane;
  bool has_value;
  uint64_t value;
} Spin;

typedef struct Watch Watch; // watch.c

typedef struct AsyncQueue {
  AsyncOp *first, *last;
} AsyncQueue;

struct Warp {
  unsigned char *regs;
  Block *block;
  uint32_t index;       // in its CTA
  uint32_t n;           // number of groups
  uint32_t live;        // lanes that have not exited
  unsigned char *local; // local_bytes for each lane
  uint64_t executed;    // number of instructions
  AsyncQueue queues[ASYNC_GROUP_NONE];
  uint32_t registers;       // Per thread, if Program.registers is not 0.
  uint32_t cluster_arrived; // Lanes whose arrival at the cluster barrier is not yet complete.
  // Last: `committed` is zeroed only if the previous CTA used it. Groups from index n on are uninitialised.
  uint32_t committed[ASYNC_GROUP_NONE][LANES]; // groups so far
  LaneGroup groups[LANES];
  Spin spins[LANES]; // valid while Block.spins: for each group of lanes, at its lowest lane
};

// The barriers of bar, and one for the cluster.
enum { BARRIERS = CHIP_BLOCK_BARRIERS, CLUSTER_BARRIER = BARRIERS, ALL_BARRIERS };

typedef struct Barrier {
  uint32_t arrived, expected; // in threads; expected 0: all live ones
  uint32_t votes;             // bar.red: threads with a true predicate
} Barrier;

typedef struct Worker Worker;

// An address of .shared::cluster: the CTA's rank in the cluster, and the address in its shared memory. So are
// the addresses of a CTA's own shared memory (sm_90 has them so, and CUTLASS relies on it).
enum { CLUSTER_SHIFT = 24, CLUSTER_OFFSET = (1 << CLUSTER_SHIFT) - 1, MAX_RANKS = 1 << (32 - CLUSTER_SHIFT) };

struct Block {
  Worker *worker;
  const Program *program;
  uint32_t device;
  uint32_t index; // in the grids of all devices, one after another
  uint32_t id[3];
  Block **peers; // the CTAs of its cluster by rank, with itself; NULL: a cluster of one
  uint32_t rank;
  uint32_t cluster; // the cluster's number in the grids of all devices, in its leader
  Warp *warps;
  uint32_t warp_count, live_threads;
  unsigned char *registers, *local;
  struct RegisterRun *runs; // of slots that must be zero when the CTA starts again
  uint32_t run_count;
  bool started;       // the other slots have their values
  bool commits;       // some Warp.committed is not zero
  uint32_t *specials; // for each warp and each special slot of the program: 32 lanes
  unsigned char *shared;
  uint32_t shared_bytes;
  struct Tmem *tmem; // NULL: the program does not use it
  Barrier barriers[ALL_BARRIERS];
  uint32_t waited; // a bit for each barrier of bar with arrivals
  AsyncQueue at_mbarriers;
  uint64_t async_count; // Operations issued.
  uint32_t pool;        // Registers returned by setmaxnreg.dec, counted per thread of a warp.
  // In a cluster's leader for all of the cluster: the barrier of the cluster, async_count and what follows.
  uint32_t timeouts;    // Timeouts of try_wait since an mbarrier last changed.
  bool wakes_in_vain;   // Many timeouts, and nothing else.
  uint64_t slices;      // Number of slices that it has run.
  uint64_t watch_steps; // Steps of its next watch. 0: none yet.
  bool spins;           // The result of its last watch.
  bool cancel_failed;   // A thread of this CTA knows that a clusterlaunchcontrol.try_cancel failed.
  void *checker;        // Owned by the hooks.
};

// The launch, shared by its workers.
typedef struct Launch {
  const Program *program;
  Memory *memory;
  uint32_t grid[3], block[3], cluster[3]; // cluster: in CTAs
  uint32_t devices;                       // Each has its own grid, and they make progress together.
  uint64_t blocks, clusters;              // of one device
  uint64_t next
      [TILEC_SIM_MAX_DEVICES]; // For each device: the first cluster that has not started, for all workers.
  uint32_t cluster_blocks;     // CTAs of a cluster
  uint32_t dynamic_shared;
  const unsigned char *params; // program->param_bytes of each device
  uint32_t resident;           // CTAs of a device that make progress together
  uint32_t multiprocessors;
  bool descending;       // Order of warps.
  bool late;             // Asynchronous effects happen at their wait.
  bool hasty;            // A try_wait on an incomplete phase gives false once before it waits.
  const SimHooks *hooks; // NULL: no checker
  uint64_t budget;
  double timeout, deadline; // In seconds. The deadline is by the monotonic clock. Timeout 0: none.
  double spent;             // seconds of the timeout used before the launch began
  const int *cancel;        // NULL: cannot be cancelled
  uint32_t watch_every;     // 0: the default
  uint64_t seed;            // nonzero: slices and their order are random
} Launch;

// A host thread's part of a launch.
struct Worker {
  Launch *launch;
  MemoryCache cache;
  uint64_t *executed;          // By instruction.
  tilec_sim_counters *by_site; // Memory counters.
  uint64_t clock;              // Instructions before the running warp's slice.
  uint64_t random;             // State of worker_random.
  uint64_t slice_begin;        // The warp's `executed` at the slice's start.
  void *checker;               // Owned by the hooks.
  uint32_t survived;           // Lanes of the last fault that did not end the launch.
  char *printed;               // malloc'ed
  size_t printed_bytes, printed_cap;
  Fault fault;
  bool watching; // stores and atomics set `changed` if they change a byte; asynchronous operations always do
  bool changed;
  Watch *watch; // NULL: none yet
};

static inline unsigned char *block_params(const Block *block) {
  const Launch *launch = block->worker->launch;
  return (unsigned char *)launch->params + (size_t)block->device * launch->program->param_bytes;
}
static inline uint32_t cluster_size(const Block *block) {
  return block->peers ? block->worker->launch->cluster_blocks : 1;
}
static inline Block *cluster_block(const Block *block, uint32_t rank) {
  return block->peers ? block->peers[rank] : (Block *)block;
}
// The CTA of rank 0. It has the state that the cluster's CTAs share.
static inline Block *cluster_leader(const Block *block) { return cluster_block(block, 0); }

// 0 .. below - 1, for a launch with a seed (splitmix64).
static inline uint32_t worker_random(Worker *worker, uint32_t below) {
  uint64_t x = worker->random += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return (uint32_t)(((x ^ x >> 31) >> 32) * below >> 32);
}
// With a seed: a length of 1 .. most, of any magnitude. Otherwise most, a power of two.
static inline uint32_t worker_slice(Worker *worker, uint32_t most) {
  if (!worker->launch->seed) return most;
  uint32_t shift = worker_random(worker, 1 + (uint32_t)__builtin_ctz(most));
  return 1 + worker_random(worker, most >> shift);
}

// Runs one instruction of a group that can run. Then merges groups at the same instruction.
void warp_step(Warp *warp, LaneGroup *group);
// Runs one warp until it stops, at most `slice` instructions. Returns the number it ran. Stops at once on a
// fault.
uint64_t warp_run(Warp *warp, uint64_t slice);
// Ends a launch: sets the worker's fault, unless it is already set. Returns false.
bool warp_fault(Warp *warp, const Insn *insn, uint32_t lanes, tilec_sim_report_kind kind, uint64_t address,
                const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
