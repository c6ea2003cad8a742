// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of a launch: workers, blocks, warps, and groups of lanes.
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
  char message[192];
} Fault;

typedef enum GroupState {
  GROUP_READY,
  GROUP_AT_SYNC,
  GROUP_AT_BARRIER,
  GROUP_AT_CLUSTER,   // barrier.cluster.wait: runs again when the barrier is complete
  GROUP_AT_MBARRIER,  // try_wait: runs again when an mbarrier changes
  GROUP_AT_REGISTERS, // setmaxnreg.inc: runs again when the block's pool grows
} GroupState;

// Lanes of a warp that stand at one instruction. At a barrier `pc` is already beyond it.
typedef struct LaneGroup {
  uint32_t pc, mask;
  GroupState state;
  uint32_t barrier;  // GROUP_AT_BARRIER: which
  bool alone;        // at an .aligned barrier that the rest of its warp will not reach
  bool timed_out;    // try_wait: it waited long enough and gives false
  bool hasty;        // try_wait: its last one gave false without a wait
  uint64_t last_run; // Warp.executed when it last ran
} LaneGroup;

typedef struct Block Block;
typedef struct AsyncOp AsyncOp;   // async.h
typedef struct SimHooks SimHooks; // hooks.h

// What commit and wait count, each on its own. ASYNC_GROUP_NONE: the operation completes at an mbarrier.
typedef enum AsyncGroup {
  ASYNC_GROUP_COPY,
  ASYNC_GROUP_BULK,
  ASYNC_GROUP_WGMMA,
  ASYNC_GROUP_NONE
} AsyncGroup;

// What lanes read again and again, found by a watch (watch.h).
typedef struct Spin {
  const Insn *insn; // NULL: nothing
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
  uint32_t index;       // in its block
  uint32_t n;           // groups
  uint32_t live;        // lanes that have not exited
  unsigned char *local; // local_bytes for each lane
  uint64_t executed;    // instructions
  AsyncQueue queues[ASYNC_GROUP_NONE];
  uint32_t registers;       // a thread, where Program.registers is not 0
  uint32_t cluster_arrived; // lanes whose arrival at the cluster's barrier is not yet complete
  // Last: what is zeroed where the block before committed any, and groups, those from n on not set at all.
  uint32_t committed[ASYNC_GROUP_NONE][LANES]; // groups so far
  LaneGroup groups[LANES];
  Spin spins[LANES]; // while Block.spins: of each group of lanes, at its lowest lane
};

// bar's, and one more for the cluster.
enum { BARRIERS = CHIP_BLOCK_BARRIERS, CLUSTER_BARRIER = BARRIERS, ALL_BARRIERS };

typedef struct Barrier {
  uint32_t arrived, expected; // threads; expected 0: all that live
  uint32_t votes;             // bar.red: threads whose predicate is true
} Barrier;

typedef struct Worker Worker;

struct Block {
  Worker *worker;
  const Program *program;
  uint32_t index;
  uint32_t id[3];
  Warp *warps;
  uint32_t warp_count, live_threads;
  unsigned char *registers, *local;
  struct RegisterRun *runs; // of slots that a block that starts anew must find zero
  uint32_t run_count;
  bool started;       // the other slots hold their values
  bool commits;       // some Warp.committed is not zero
  uint32_t *specials; // of each warp and each of the program's special slots: 32 lanes
  unsigned char *shared;
  uint32_t shared_bytes;
  Barrier barriers[ALL_BARRIERS];
  AsyncQueue at_mbarriers;
  uint64_t async_count; // operations issued
  uint32_t pool;        // registers that setmaxnreg.dec has given back: as many for each thread of a warp
  uint32_t timeouts;    // of try_wait, since an mbarrier last changed
  bool wakes_in_vain;   // many timeouts, and nothing else
  uint64_t slices;      // that it has been run in
  uint64_t watch_steps; // of its next watch; 0: none yet
  bool spins;           // when it was last watched
  void *checker;        // the hooks' own
};

// The launch, shared by its workers.
typedef struct Launch {
  const Program *program;
  Memory *memory;
  uint32_t grid[3], block[3];
  uint64_t blocks;
  uint32_t dynamic_shared;
  const unsigned char *params;
  uint32_t resident; // blocks that make progress together
  uint32_t multiprocessors;
  bool descending;       // warps
  bool late;             // asynchronous effects at their wait
  bool hasty;            // a try_wait whose phase is not complete gives false once before it waits
  const SimHooks *hooks; // NULL: no checker
  uint64_t budget;
  double timeout, deadline; // seconds, the deadline by the monotonic clock; timeout 0: none
  double spent;             // seconds of the timeout that were gone when the launch began
  const int *cancel;        // NULL: nobody can
  uint32_t watch_every;     // 0: by default
} Launch;

// A host thread's part of a launch.
struct Worker {
  Launch *launch;
  MemoryCache cache;
  uint64_t *executed;          // by instruction
  tilec_sim_counters *by_site; // memory counters
  uint64_t clock;              // instructions before the running warp's slice
  uint64_t slice_begin;        // that warp's `executed` then
  void *checker;               // the hooks' own
  uint32_t survived;           // lanes of the last fault that did not end the launch
  char *printed;               // malloc'd
  size_t printed_bytes, printed_cap;
  Fault fault;
  bool
      watching; // stores and atomics set `changed` where they change a byte; asynchronous operations always do
  bool changed;
  Watch *watch; // NULL: none yet
};

// Runs one instruction of a group that can run, and brings together groups that stand at one then.
void warp_step(Warp *warp, LaneGroup *group);
// Runs one warp until it stops, at most `slice` instructions; returns how many
// it ran. Stops at once on a fault.
uint64_t warp_run(Warp *warp, uint64_t slice);
// Ends a launch: fills the worker's fault (the first one stays).
void warp_fault(Warp *warp, const Insn *insn, uint32_t lanes, tilec_sim_report_kind kind, uint64_t address,
                const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
