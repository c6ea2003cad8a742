// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the checkers' files.
#ifndef SIM_CHECK_CHECK_PARTS_H
#define SIM_CHECK_CHECK_PARTS_H

#include "sim/check/check.h"
#include "sim/check/clock.h"
#include "sim/check/race.h"

enum { MBARRIERS = 128, REPORT_LIMIT = 100 };

// The strands of a CTA. Each kind but STRAND_MBARRIER has one strand per warp: the warp's instructions, its
// cp.async groups, the writes and the reads of its bulk groups, and its wgmma groups. STRAND_MBARRIER is the
// phases of the CTA's mbarriers.
//
// The strands of a cluster's CTAs have numbers one after another. A warp's clocks are those of its cluster. Those
// of other clusters are foreign.
//
// A program with tcgen05 has the others too (check_tmem.c). These are its operations of the tensor core, by
// commit, and their issue, by fence. Its tcgen05.ld and tcgen05.st, by wait, have two each: one that needs
// fences, and one that does not.
typedef enum StrandKind {
  STRAND_WARP,
  STRAND_COPY,
  STRAND_BULK,
  STRAND_BULK_READ,
  STRAND_WGMMA,
  STRAND_MBARRIER,
  STRAND_TENSOR_CORE,
  STRAND_ISSUED,
  STRAND_TMEM_LOAD,
  STRAND_TMEM_STORE,
  STRAND_LOADED,
  STRAND_STORED,
  STRAND_END
} StrandKind;

// A report with its texts, which the public report points to: for text_free.
typedef struct Report {
  tilec_sim_report api;
  uint32_t insn, other_insn; // UINT32_MAX: no other
  WaitList *waits;           // owned; NULL: none
  char *message, *order, *buffer;
} Report;

// The clocks that releases of an address published, for acquires of that address.
typedef struct Released {
  uint64_t key;    // 0: free.
  Foreign *system; // Released at system scope, if there are several devices.
  Foreign *wide;   // Released at device scope or more by `device`, the last one to release here.
  Foreign *narrow; // Released at any scope by `block`, the last CTA to release here.
  uint32_t block, device;
} Released;

typedef struct RegisterCheck RegisterCheck; // check_wgmma.c
typedef struct TmemCheck TmemCheck;         // check_tmem.c

typedef struct WarpCheck {
  View view;
  Foreign *pending;         // Clocks that relaxed reads have found. The next fence acquires them.
  Foreign *pending_system;  // Those of other devices. The next fence of system scope acquires them.
  bool fenced;              // Has released by a fence.
  uint32_t converged;       // All lanes know each other's events up to this clock.
  uint32_t synced;          // The clock of the last barrier or .sync instruction.
  uint32_t (*lanes)[LANES]; // lanes[l][a]: the clock of lane a's events that lane l knows. NULL: the lanes
                            // never diverged.
  RegisterCheck *registers; // NULL: the program has no wgmma.
  uint64_t wgmma_fenced;    // Warp.executed at the last wgmma.fence. 0: none.
  uint32_t wgmma_over;      // Number of wgmma groups waited for.
  struct BulkReads *bulk;   // In check_end.c. NULL: no bulk store yet.
  uint32_t maxnregs;        // Number of setmaxnreg so far.
  uint32_t maxnreg;         // Instruction of the last one.
  uint32_t *ordered;   // By strand: clocks of tcgen05 that its next tcgen05 come after. NULL: there is none.
  uint32_t issued;     // The clock of STRAND_ISSUED.
  uint32_t at_cluster; // Lanes that have arrived at the cluster's barrier and not waited since.
} WarpCheck;

typedef struct BarrierCheck {
  View arriving;
  uint32_t arrived, threads; // threads: the number that the arrivals expect
  uint32_t insn, warp;       // of the first arrival; insn UINT32_MAX: none yet
} BarrierCheck;

typedef struct MbarrierCheck {
  uint64_t address;
  View arriving, complete;
  uint32_t phases; // completed phases
  bool counts_ops; // operations have arrived or transferred bytes
  bool valid;      // initialised, and not invalidated since
  Mark init;
  bool fenced;      // fence.mbarrier_init came after the initialisation
  uint32_t expects; // the last arrive.expect_tx; UINT32_MAX: none
  // The last copy that completes here without a wait. copy UINT32_MAX: none.
  const Block *copy_block; // that issued it
  uint32_t copy, copy_warp, copy_lane;
} MbarrierCheck;

typedef struct BlockCheck {
  struct BlockCheck *next; // list of the launch
  WarpCheck *warps;
  BarrierCheck barriers[BARRIERS];
  View cluster_arriving, cluster_complete;
  MbarrierCheck *mbarriers; // LaunchChecker.mbarriers of them
  TmemCheck *tmem;          // NULL: the program has no tcgen05
  uint32_t mbarrier_n;
  Shadow shared;
  uint32_t first;                // the cluster's first strand in the grid
  uint32_t base;                 // its own first strand in the cluster
  struct Visit *visits;          // by strand of the cluster: in check_cluster.c; NULL: a cluster of one CTA
  uint32_t exit_insn, exit_warp; // of the first exit; exit_insn UINT32_MAX: none yet
  uint32_t exited;               // number of threads
} BlockCheck;

struct LaunchChecker {
  SimHooks hooks;
  const Launch *launch;
  BlockCheck *blocks;
  uint32_t warps, threads;         // per CTA
  uint32_t block_strands, strands; // of a CTA, and of a cluster
  uint32_t mbarriers;              // per CTA, each with its clock: MBARRIERS, or 1 if the program has none
  Shadow *global;                  // per allocation
  size_t allocations, last;        // `last`: the one accessed last
  Released *released;              // a hash table with released_cap slots
  uint32_t released_n, released_cap;
  Report *reports;
  Report *current; // made or counted by the last call of report_new; NULL: none
  uint32_t n;
  bool aliases;     // the program has multimem instructions
  Foreign *aliased; // the clocks that some thread knew at a fence.proxy.alias
  bool failed;
};

static inline LaunchChecker *checker_of(const Warp *warp) { return hooks_of(warp)->context; }
static inline BlockCheck *block_check(const Block *block) { return block->checker; }
static inline WarpCheck *warp_check(const Warp *warp) {
  return &block_check(warp->block)->warps[warp->index];
}
static inline uint32_t insn_index(const Warp *warp, const Insn *insn) {
  return (uint32_t)(insn - warp->block->program->code.at);
}

// Advances the warp's own clock. Its events so far are about to become known elsewhere.
// Strands from here on count from 0 in the cluster. The one of a warp's instructions:
static inline uint32_t warp_strand(const Warp *warp) { return block_check(warp->block)->base + warp->index; }
static inline void warp_tick(Warp *warp) { warp_check(warp)->view.at[warp_strand(warp)]++; }
// After a barrier or a .sync instruction: lanes see what others have accessed before.
static inline void warp_synced(Warp *warp) {
  warp_check(warp)->synced = warp_check(warp)->view.at[warp_strand(warp)];
  warp_tick(warp);
}
// The CTA's strand of a kind.
static inline uint32_t strand_of(const Block *block, StrandKind kind, uint32_t which) {
  const LaunchChecker *checker = block->worker->launch->hooks->context;
  uint32_t base = block_check(block)->base;
  if (kind <= STRAND_MBARRIER) return base + (uint32_t)kind * checker->warps + which;
  return base + STRAND_MBARRIER * checker->warps + checker->mbarriers +
         (uint32_t)(kind - STRAND_TENSOR_CORE) * checker->warps + which;
}

static inline MemoryScope fence_scope(const Insn *insn) { return (MemoryScope)insn->count; }
// The device of a strand's CTA.
static inline uint32_t strand_device(const LaunchChecker *checker, uint32_t strand) {
  return (uint32_t)((strand - 1) / checker->strands / checker->launch->clusters);
}

// A new report about this instruction. NULL: it was merged with an earlier one of the same kind and pair of
// instructions, or there is no room. Sets location, warp, lanes and address. The caller fills in the rest.
// other_insn UINT32_MAX: none.
Report *report_new(Warp *warp, const Insn *insn, uint32_t lanes, tilec_sim_report_kind kind, uint64_t address,
                   uint32_t other_insn);
void report_free(Report *report);
void report_message(Report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_order(Report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Names the buffer that contains an address of global or shared memory.
void report_buffer(Report *report, const Warp *warp, PtxSpace space, uint64_t address);
// Fills in the other access of a race.
void report_other(Report *report, const Warp *warp, const Mark *mark, bool read);
// Fills in another instruction of this warp that is to blame.
void report_blame(Report *report, const Warp *warp, uint32_t insn, uint32_t other_warp, const char *what);

// Describes a strand: the CTA's index in the grid, the kind, and the index within the kind.
void strand_name(const LaunchChecker *checker, uint32_t strand, uint32_t *block, StrandKind *kind,
                 uint32_t *which);

// In the file of its topic.
#define X(name, of, parameters, arguments) void hook_##name(void *context, HOOK_LIST parameters);
#include "sim/machine/hooks.def"
#undef X
// check_access.c
void hook_access(void *context, const HookLanes *lanes);
// check_sync.c. A strong access to an address that synchronises: releases the clocks that the warp knows, or
// acquires the released ones.
void sync_acquire(const HookLanes *lanes);
void sync_release(const HookLanes *lanes);
void sync_free(LaunchChecker *checker);
// check_barrier.c
// Adds to a deadlock's report which threads wait where.
void report_deadlock(Report *report, Block *block);
// check_async.c
bool hook_mbarrier_news(void *context, const Warp *warp, uint64_t address);
// The event of an asynchronous operation: its strand (from 0, in its CTA) and clock.
void async_event(const AsyncOp *op, uint32_t lane, bool writes, uint32_t *strand, uint32_t *clock);
void mbarriers_fence(Warp *warp); // fence.mbarrier_init
// check_cluster.c
bool visits_open(const LaunchChecker *checker, BlockCheck *check); // false: out of memory
void visits_begin(const LaunchChecker *checker, BlockCheck *check);
// An access of the warp, or of its operation, to shared memory of another CTA of the cluster. strand and clock
// are those of the access.
void visit_peer(Warp *warp, const Insn *insn, uint32_t lanes, const Block *owner, uint64_t address,
                uint32_t strand, uint32_t clock);
void visits_end(const Block *block); // all its threads have exited
// check_end.c
void bulk_reads_clear(WarpCheck *check);
void bulk_reads_issue(const AsyncOp *op);
void bulk_reads_wait(Warp *warp, uint32_t mask, uint32_t pending);
void exit_operations(Warp *warp, const Insn *exit, uint32_t lanes); // call before the lanes exit
// check_wgmma.c
bool wgmma_open(const Launch *launch, WarpCheck *warp); // false: out of memory
void wgmma_begin(const Launch *launch, WarpCheck *warp);
void hook_step(void *context, Warp *warp, const Insn *insn, uint32_t mask);
// check_tmem.c
bool tmem_open(LaunchChecker *checker, BlockCheck *check); // false: out of memory
void tmem_close(const LaunchChecker *checker, BlockCheck *check);
void tmem_begin(const LaunchChecker *checker, BlockCheck *check);
void tmem_fence(Warp *warp, HookFence fence);
void tmem_wait(Warp *warp, AsyncGroup group, uint32_t groups); // so many groups are complete
void tmem_issue(const AsyncOp *op);
void tmem_end(Block *block); // reports columns that are not freed

#endif
