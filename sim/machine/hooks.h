// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hooks that report execution to a checker. A launch without checks has Launch.hooks NULL, and each call here
// is one test. hooks.def has most of them. Every function may be NULL. Calls come from the host thread that runs the CTA. CTAs on
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

#define HOOK_LIST(...) __VA_ARGS__
typedef struct SimHooks {
  void *context;
  void (*access)(void *context, const HookLanes *lanes);
#define X(name, of, parameters, arguments) void (*name)(void *context, HOOK_LIST parameters);
#include "sim/machine/hooks.def"
#undef X
  // True if nothing orders the completion of the last phase before the warp's current instruction.
  bool (*mbarrier_news)(void *context, const Warp *warp, uint64_t address);
  // A fault that need not end the launch. Returns true to continue without the access. After a deadlock, to
  // continue without the CTA.
  bool (*fault)(void *context, Warp *warp, const Fault *fault);
  // Before each instruction. NULL costs nothing.
  void (*step)(void *context, Warp *warp, const Insn *insn, uint32_t mask);
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

#define X(name, of, parameters, arguments)                                      \
  static inline void sim_hook_##name parameters {                               \
    const SimHooks *hooks = of;                                                 \
    if (hooks && hooks->name) hooks->name(hooks->context, HOOK_LIST arguments); \
  }
#include "sim/machine/hooks.def"
#undef X

static inline bool sim_hook_mbarrier_news(const Warp *warp, uint64_t address) {
  const SimHooks *hooks = hooks_of(warp);
  return hooks && hooks->mbarrier_news && hooks->mbarrier_news(hooks->context, warp, address);
}

static inline bool sim_hook_fault(Warp *warp, const Fault *fault) {
  const SimHooks *hooks = hooks_of(warp);
  return hooks && hooks->fault && hooks->fault(hooks->context, warp, fault);
}

#endif
