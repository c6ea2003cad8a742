// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hooks that report execution to a checker. A launch without checks has Launch.hooks NULL, and each call here
// is one test. Every function may be NULL. Calls come from the host thread that runs the CTA. CTAs on
// different host threads call at the same time. Addresses are offsets within their state space (SPACE_GLOBAL
// for .const too). A checker keeps its data in Block.checker and Worker.checker.
#ifndef SIM_MACHINE_HOOKS_H
#define SIM_MACHINE_HOOKS_H

#include "sim/machine/async.h"
#include "sim/machine/state.h"

// The proxy of an access. Asynchronous: bulk and TMA copies, and wgmma's reads of shared memory. cp.async is
// generic.
typedef enum HookProxy { HOOK_GENERIC, HOOK_ASYNC } HookProxy;

// Lanes of one instruction that access memory together: `bytes` at addresses[lane], for the lanes of `mask`.
typedef struct HookLanes {
  Warp *warp;
  const Insn *insn;
  uint32_t mask, bytes;
  PtxSpace space; // SPACE_GLOBAL or SPACE_SHARED
  HookAccess access;
  const uint64_t *addresses;
  Block *block; // SPACE_SHARED: the CTA that has the memory
} HookLanes;

// A contiguous range accessed by an asynchronous operation, or by one instruction for a whole warp.
typedef struct HookRange {
  Warp *warp; // the warp that issued it
  const Insn *insn;
  uint32_t lanes;    // lanes it is made for
  const AsyncOp *op; // NULL: synchronous
  PtxSpace space;
  HookProxy proxy;
  HookAccess access;
  uint64_t address, bytes;
  uint64_t beyond; // the last of the bytes: those beyond the end of a tensor's row
  Block *block;    // SPACE_SHARED: the CTA that has the memory; NULL: the warp's
} HookRange;

typedef enum HookFence {
  HOOK_FENCE_THREAD, // fence.sc, .acq_rel, .acquire, .release; membar
  HOOK_FENCE_ASYNC,  // fence.proxy.async, every state space
  HOOK_FENCE_ASYNC_SHARED,
  HOOK_FENCE_ASYNC_GLOBAL,
  HOOK_FENCE_MBARRIER_INIT,
  HOOK_FENCE_TENSORMAP,
  HOOK_FENCE_ALIAS,
  HOOK_FENCE_WGMMA, // wgmma.fence
  HOOK_FENCE_TCGEN05_BEFORE,
  HOOK_FENCE_TCGEN05_AFTER,
} HookFence;

// An access to a rectangle of tensor memory, at the issue of its instruction.
typedef struct HookTmem {
  const AsyncOp *op; // that accesses it
  HookAccess access; // HOOK_READ or HOOK_WRITE
  uint32_t lane, lanes, column, columns;
  bool accumulator; // D of an mma, which multiplies m by n
  uint32_t m, n;
  Block *block; // the CTA whose tensor memory it is; NULL: the warp's
} HookTmem;

typedef struct SimHooks {
  void *context;
  void (*access)(void *context, const HookLanes *lanes);
  void (*range)(void *context, const HookRange *range);
  // Steps of an asynchronous operation: it is issued, its reads are complete, all its effects are complete.
  // The `range` calls come in between, at the moment that the schedule chooses.
  void (*async_issue)(void *context, const AsyncOp *op);
  void (*async_read)(void *context, const AsyncOp *op, uint32_t lanes);
  void (*async_done)(void *context, const AsyncOp *op, uint32_t lanes);
  void (*commit)(void *context, Warp *warp, const Insn *insn, uint32_t mask, AsyncGroup group);
  // The lanes continue after a wait. All but their newest `pending` groups are complete (`read`: only their
  // reads).
  void (*wait)(void *context, Warp *warp, const Insn *insn, uint32_t mask, AsyncGroup group, uint32_t pending,
               bool read);
  // mbarriers, by shared address. `owner` is the CTA that has the mbarrier, if it may be another one of the
  // cluster. `phase` is a parity: of the current phase for arrivals, of the completed
  // phase for `mbarrier_phase` and waits. `op`: the operation that arrives or transfers bytes.
  void (*mbarrier_init)(void *context, Warp *warp, const Insn *insn, uint32_t lane, uint64_t address,
                        uint32_t count);
  void (*mbarrier_inval)(void *context, Warp *warp, const Insn *insn, uint32_t lane, uint64_t address);
  void (*mbarrier_arrive)(void *context, Warp *warp, const Insn *insn, uint32_t lane, const AsyncOp *op,
                          Block *owner, uint64_t address, uint32_t phase);
  void (*mbarrier_phase)(void *context, Block *block, uint64_t address, uint32_t phase);
  void (*mbarrier_wait)(void *context, Warp *warp, const Insn *insn, uint32_t lane, uint64_t address,
                        uint32_t phase);
  // True if nothing orders the completion of the last phase before the warp's current instruction.
  bool (*mbarrier_news)(void *context, const Warp *warp, uint64_t address);
  // Barriers of the CTA. Lanes arrive, and wait unless insn has FLAG_ARRIVE. Then all waiting lanes continue.
  void (*bar_arrive)(void *context, Warp *warp, const Insn *insn, uint32_t mask, uint32_t barrier);
  void (*bar_release)(void *context, Block *block, uint32_t barrier);
  void (*cluster_arrive)(void *context, Warp *warp, const Insn *insn, uint32_t mask);
  void (*cluster_release)(void *context, Block *block);
  void (*cluster_wait)(void *context, Warp *warp, const Insn *insn, uint32_t mask); // the lanes continue
  void (*warp_sync)(void *context, Warp *warp, const Insn *insn, uint32_t mask);    // a .sync instruction
  void (*registers)(void *context, Warp *warp, const Insn *insn); // setmaxnreg took effect, or was ignored
  void (*fence)(void *context, Warp *warp, const Insn *insn, uint32_t mask, HookFence fence);
  void (*block_start)(void *context, Block *block);
  void (*block_end)(void *context, Block *block); // Every thread has exited, and every operation is complete.
  // A fault that need not end the launch. Returns true to continue without the access. After a deadlock, to
  // continue without the CTA.
  bool (*fault)(void *context, Warp *warp, const Fault *fault);
  // Before each instruction. NULL costs nothing.
  void (*step)(void *context, Warp *warp, const Insn *insn, uint32_t mask);
  void (*split)(void *context, Warp *warp, uint32_t mask); // lanes of a group of `mask` are about to diverge
  void (*join)(void *context, Warp *warp, uint32_t a, uint32_t b); // two groups of lanes become one
  void (*exit)(void *context, Warp *warp, const Insn *insn, uint32_t lanes);
  // query_cancel reads the first CTA of a try_cancel that failed.
  void (*no_cluster)(void *context, Warp *warp, const Insn *insn, uint32_t lanes);
  // Lanes of `lost` stored other bytes than memory has now. Other lanes of the same instruction wrote there
  // too.
  void (*lost_store)(void *context, Warp *warp, const Insn *insn, uint32_t lost, uint32_t mask);
  // Lanes of `mask` read registers of the lanes in `sources`.
  void (*shuffle)(void *context, Warp *warp, const Insn *insn, uint32_t mask, uint32_t sources);
  void (*tmem)(void *context, const HookTmem *access);
  // tcgen05.alloc, before any access to the columns; dealloc; relinquish_alloc_permit, with no columns.
  void (*tmem_change)(void *context, Warp *warp, const Insn *insn, uint32_t mask, uint32_t column,
                      uint32_t columns);
  // Any tcgen05 instruction with a .cta_group, before it runs.
  void (*cta_group)(void *context, Warp *warp, const Insn *insn, uint32_t mask);
  // An .aligned barrier that the rest of the warp does not reach.
  void (*divergent)(void *context, Warp *warp, const Insn *insn, uint32_t mask);
} SimHooks;

static inline const SimHooks *hooks_of(const Warp *warp) { return warp->block->worker->launch->hooks; }
static inline const SimHooks *hooks_of_block(const Block *block) { return block->worker->launch->hooks; }

static inline void sim_hook_access(Warp *warp, const Insn *insn, uint32_t mask, PtxSpace space,
                                   HookAccess access, const uint64_t *addresses, uint32_t bytes) {
  const SimHooks *hooks = hooks_of(warp);
  if (!hooks || !hooks->access) return;
  HookLanes lanes = {warp, insn, mask, bytes, space, access, addresses, warp->block};
  hooks->access(hooks->context, &lanes);
}

// The same for shared memory of a CTA of the cluster.
static inline void sim_hook_shared(Warp *warp, const Insn *insn, uint32_t mask, Block *owner,
                                   HookAccess access, const uint64_t *addresses, uint32_t bytes) {
  const SimHooks *hooks = hooks_of(warp);
  if (!hooks || !hooks->access) return;
  HookLanes lanes = {warp, insn, mask, bytes, SPACE_SHARED, access, addresses, owner};
  hooks->access(hooks->context, &lanes);
}

static inline void sim_hook_range(const HookRange *range) {
  const SimHooks *hooks = hooks_of(range->warp);
  if (hooks && hooks->range) hooks->range(hooks->context, range);
}

static inline void sim_hook_async_issue(const AsyncOp *op) {
  const SimHooks *hooks = hooks_of(op->warp);
  if (hooks && hooks->async_issue) hooks->async_issue(hooks->context, op);
}

static inline void sim_hook_async_read(const AsyncOp *op, uint32_t lanes) {
  const SimHooks *hooks = hooks_of(op->warp);
  if (hooks && hooks->async_read) hooks->async_read(hooks->context, op, lanes);
}

static inline void sim_hook_async_done(const AsyncOp *op, uint32_t lanes) {
  const SimHooks *hooks = hooks_of(op->warp);
  if (hooks && hooks->async_done) hooks->async_done(hooks->context, op, lanes);
}

static inline void sim_hook_commit(Warp *warp, const Insn *insn, uint32_t mask, AsyncGroup group) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->commit) hooks->commit(hooks->context, warp, insn, mask, group);
}

static inline void sim_hook_wait(Warp *warp, const Insn *insn, uint32_t mask, AsyncGroup group,
                                 uint32_t pending, bool read) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->wait) hooks->wait(hooks->context, warp, insn, mask, group, pending, read);
}

static inline void sim_hook_mbarrier_init(Warp *warp, const Insn *insn, uint32_t lane, uint64_t address,
                                          uint32_t count) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->mbarrier_init) hooks->mbarrier_init(hooks->context, warp, insn, lane, address, count);
}

static inline void sim_hook_mbarrier_inval(Warp *warp, const Insn *insn, uint32_t lane, uint64_t address) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->mbarrier_inval) hooks->mbarrier_inval(hooks->context, warp, insn, lane, address);
}

static inline void sim_hook_mbarrier_arrive(Warp *warp, const Insn *insn, uint32_t lane, const AsyncOp *op,
                                            Block *owner, uint64_t address, uint32_t phase) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->mbarrier_arrive)
    hooks->mbarrier_arrive(hooks->context, warp, insn, lane, op, owner, address, phase);
}

static inline void sim_hook_mbarrier_phase(Block *block, uint64_t address, uint32_t phase) {
  const SimHooks *hooks = hooks_of_block(block);
  if (hooks && hooks->mbarrier_phase) hooks->mbarrier_phase(hooks->context, block, address, phase);
}

static inline void sim_hook_mbarrier_wait(Warp *warp, const Insn *insn, uint32_t lane, uint64_t address,
                                          uint32_t phase) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->mbarrier_wait) hooks->mbarrier_wait(hooks->context, warp, insn, lane, address, phase);
}

static inline bool sim_hook_mbarrier_news(const Warp *warp, uint64_t address) {
  const SimHooks *hooks = hooks_of(warp);
  return hooks && hooks->mbarrier_news && hooks->mbarrier_news(hooks->context, warp, address);
}

static inline void sim_hook_bar_arrive(Warp *warp, const Insn *insn, uint32_t mask, uint32_t barrier) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->bar_arrive) hooks->bar_arrive(hooks->context, warp, insn, mask, barrier);
}

static inline void sim_hook_bar_release(Block *block, uint32_t barrier) {
  const SimHooks *hooks = hooks_of_block(block);
  if (hooks && hooks->bar_release) hooks->bar_release(hooks->context, block, barrier);
}

static inline void sim_hook_cluster_arrive(Warp *warp, const Insn *insn, uint32_t mask) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->cluster_arrive) hooks->cluster_arrive(hooks->context, warp, insn, mask);
}

static inline void sim_hook_cluster_release(Block *block) {
  const SimHooks *hooks = hooks_of_block(block);
  if (hooks && hooks->cluster_release) hooks->cluster_release(hooks->context, block);
}

static inline void sim_hook_cluster_wait(Warp *warp, const Insn *insn, uint32_t mask) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->cluster_wait) hooks->cluster_wait(hooks->context, warp, insn, mask);
}

static inline void sim_hook_warp_sync(Warp *warp, const Insn *insn, uint32_t mask) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->warp_sync) hooks->warp_sync(hooks->context, warp, insn, mask);
}

static inline void sim_hook_fence(Warp *warp, const Insn *insn, uint32_t mask, HookFence fence) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->fence) hooks->fence(hooks->context, warp, insn, mask, fence);
}

static inline void sim_hook_registers(Warp *warp, const Insn *insn) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->registers) hooks->registers(hooks->context, warp, insn);
}

static inline void sim_hook_block_start(Block *block) {
  const SimHooks *hooks = hooks_of_block(block);
  if (hooks && hooks->block_start) hooks->block_start(hooks->context, block);
}

static inline void sim_hook_block_end(Block *block) {
  const SimHooks *hooks = hooks_of_block(block);
  if (hooks && hooks->block_end) hooks->block_end(hooks->context, block);
}

static inline void sim_hook_split(Warp *warp, uint32_t mask) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->split) hooks->split(hooks->context, warp, mask);
}

static inline void sim_hook_join(Warp *warp, uint32_t a, uint32_t b) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->join) hooks->join(hooks->context, warp, a, b);
}

static inline void sim_hook_exit(Warp *warp, const Insn *insn, uint32_t lanes) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->exit) hooks->exit(hooks->context, warp, insn, lanes);
}

static inline void sim_hook_lost_store(Warp *warp, const Insn *insn, uint32_t lost, uint32_t mask) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->lost_store) hooks->lost_store(hooks->context, warp, insn, lost, mask);
}

static inline void sim_hook_no_cluster(Warp *warp, const Insn *insn, uint32_t lanes) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->no_cluster) hooks->no_cluster(hooks->context, warp, insn, lanes);
}

static inline void sim_hook_shuffle(Warp *warp, const Insn *insn, uint32_t mask, uint32_t sources) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->shuffle) hooks->shuffle(hooks->context, warp, insn, mask, sources);
}

static inline void sim_hook_divergent(Warp *warp, const Insn *insn, uint32_t mask) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->divergent) hooks->divergent(hooks->context, warp, insn, mask);
}

static inline void sim_hook_tmem(const HookTmem *access) {
  const SimHooks *hooks = hooks_of(access->op->warp);
  if (hooks && hooks->tmem) hooks->tmem(hooks->context, access);
}

static inline void sim_hook_tmem_change(Warp *warp, const Insn *insn, uint32_t mask, uint32_t column,
                                        uint32_t columns) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->tmem_change) hooks->tmem_change(hooks->context, warp, insn, mask, column, columns);
}

static inline void sim_hook_cta_group(Warp *warp, const Insn *insn, uint32_t mask) {
  const SimHooks *hooks = hooks_of(warp);
  if (hooks && hooks->cta_group) hooks->cta_group(hooks->context, warp, insn, mask);
}

static inline bool sim_hook_fault(Warp *warp, const Fault *fault) {
  const SimHooks *hooks = hooks_of(warp);
  return hooks && hooks->fault && hooks->fault(hooks->context, warp, fault);
}

#endif
