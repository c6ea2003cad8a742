// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What execution works on: blocks, warps, groups of lanes, and helpers that
// read and write a register's lanes.
#ifndef SIM_EXEC_H
#define SIM_EXEC_H

#include <string.h>
#include "sim/chip.h"
#include "sim/counters.h"
#include "sim/insn.h"
#include "sim/memory.h"
#include "sim/sim.h"

// Compiled twice and chosen at load time, so that wide vectors and fused multiply-add
// are used where the CPU has them. Not under sanitizers, whose code cannot run as early as the choice.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&             \
    !defined(__SANITIZE_THREAD__)
#define SIM_LANES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define SIM_LANES
#endif

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

static inline void *lanes_at(const Warp *warp, uint32_t slot) { return warp->regs + slot; }

static inline uint32_t predicate_at(const Warp *warp, uint32_t slot) {
  uint32_t mask;
  memcpy(&mask, warp->regs + slot, sizeof mask);
  return mask;
}

static inline void predicate_write(Warp *warp, uint32_t slot, uint32_t value, uint32_t mask) {
  uint32_t old = predicate_at(warp, slot);
  old = (old & ~mask) | (value & mask);
  memcpy(warp->regs + slot, &old, sizeof old);
}

// Bit l of the result is bytes[l], each 0 or 1.
static inline uint32_t predicate_pack(const uint8_t *bytes) {
  uint32_t mask = 0;
  for (int i = 0; i < 4; i++) {
    uint64_t eight = 0;
    for (int k = 0; k < 8; k++) eight |= (uint64_t)bytes[8 * i + k] << k;
    mask |= (uint32_t)eight << (8 * i);
  }
  return mask;
}

static inline void lanes_write16(Warp *warp, uint32_t slot, const uint16_t *from, uint32_t mask) {
  uint16_t *to = lanes_at(warp, slot);
  if (mask == ALL_LANES)
    memcpy(to, from, LANES * sizeof *to);
  else
    for (int l = 0; l < LANES; l++) to[l] = mask >> l & 1 ? from[l] : to[l];
}

static inline void lanes_write32(Warp *warp, uint32_t slot, const void *from, uint32_t mask) {
  uint32_t *to = lanes_at(warp, slot), values[LANES];
  if (mask == ALL_LANES)
    memcpy(to, from, LANES * sizeof *to);
  else {
    memcpy(values, from, sizeof values);
    for (int l = 0; l < LANES; l++) to[l] = mask >> l & 1 ? values[l] : to[l];
  }
}

static inline void lanes_write64(Warp *warp, uint32_t slot, const void *from, uint32_t mask) {
  uint64_t *to = lanes_at(warp, slot), values[LANES];
  if (mask == ALL_LANES)
    memcpy(to, from, LANES * sizeof *to);
  else {
    memcpy(values, from, sizeof values);
    for (int l = 0; l < LANES; l++) to[l] = mask >> l & 1 ? values[l] : to[l];
  }
}

// Where 32 results go: the register itself where every lane runs, else `scratch`, which
// lanes_merge then blends in. Lane l of a register is read before lane l of the result is
// written, so the two may be one register.
static inline void *lanes_result(Warp *warp, uint32_t slot, void *scratch, uint32_t mask) {
  return mask == ALL_LANES ? lanes_at(warp, slot) : scratch;
}

static inline void lanes_merge16(Warp *warp, uint32_t slot, const uint16_t *scratch, uint32_t mask) {
  if (mask != ALL_LANES) lanes_write16(warp, slot, scratch, mask);
}

static inline void lanes_merge32(Warp *warp, uint32_t slot, const void *scratch, uint32_t mask) {
  if (mask != ALL_LANES) lanes_write32(warp, slot, scratch, mask);
}

static inline void lanes_merge64(Warp *warp, uint32_t slot, const void *scratch, uint32_t mask) {
  if (mask != ALL_LANES) lanes_write64(warp, slot, scratch, mask);
}

// Before a loop over lanes that reads registers and writes results: no lane depends on another.
#if defined(__GNUC__) && !defined(__clang__)
#define LANES_ARE_INDEPENDENT _Pragma("GCC ivdep")
#else
#define LANES_ARE_INDEPENDENT
#endif

// One function an instruction and type: DEFINE_LANES(function, T, bits, expression of a, b, c) computes 32
// results of T.
#define DEFINE_LANES(function, T, bits, expression)                                                          \
  SIM_LANES static void function(Warp *warp, const Insn *insn, uint32_t mask) {                              \
    const T *as = lanes_at(warp, insn->src[0]), *bs = lanes_at(warp, insn->src[1]);                          \
    const T *cs = lanes_at(warp, insn->src[2]);                                                              \
    uint##bits##_t scratch[LANES], *out = lanes_result(warp, insn->dst, scratch, mask);                      \
    LANES_ARE_INDEPENDENT                                                                                    \
    for (int l = 0; l < LANES; l++) {                                                                        \
      T a = as[l], b = bs[l], c = cs[l];                                                                     \
      (void)b, (void)c;                                                                                      \
      out[l] = (uint##bits##_t)(expression);                                                                 \
    }                                                                                                        \
    lanes_merge##bits(warp, insn->dst, scratch, mask);                                                       \
  }

// What applies `op` to operands of `type`; NULL: there is no such instruction. `form`: MOD_LO, HI,
// HI_SAT, WIDE, SAT, RELU or NONE.
ExecFn *exec_int_find(Operation op, PtxType type, Modifier form);
ExecFn *exec_bits_find(Operation op, PtxType type, bool named_mode); // prmt's mode is insn->extra
ExecFn *exec_field_find(Operation op);
ExecFn *exec_product_find(Operation op);
ExecFn *exec_f32_find(Operation op);
ExecFn exec_f32_pair;  // add, sub, mul, fma of pairs of f32
ExecFn exec_f32_mixed; // add, sub, fma of f32 with halves
ExecFn *exec_f64_find(Operation op);
ExecFn *exec_half_find(Operation op, PtxType type);
// Comparisons: `compare` is "eq", "ltu" and so on. They write predicates dst and dst2 (slot UINT32_MAX:
// none), combined with src[2] by insn->extra.
ExecFn *exec_compare_find(Str compare, PtxType type);
// setp of f16x2 and bf16x2; *where is what insn->round must hold.
ExecFn *exec_compare_pair_find(Str compare, uint8_t *where);
ExecFn *exec_select_find(uint32_t bytes);

ExecFn *exec_mov_find(uint32_t bytes); // of a lane

// The conversion of a finished instruction.
ExecFn *exec_convert_find(const Insn *insn);
typedef enum Fp8Form { FP8_FROM_F32, FP8_FROM_F16X2, FP8_TO_F16X2 } Fp8Form; // exec_convert_fp8's insn->extra
typedef enum NarrowFloat { NARROW_E4M3, NARROW_E5M2, NARROW_E2M1, NARROW_E2M3, NARROW_E3M2, NARROW_COUNT } NarrowFloat;
typedef enum Ue8m0Form { UE8M0_FROM_F32, UE8M0_FROM_BF16X2, UE8M0_TO_BF16X2 } Ue8m0Form; // exec_convert_ue8m0's
ExecFn exec_convert_fp8, exec_convert_ue8m0, exec_convert_tf32, exec_convert_pack; // see exec_narrow.c
ExecFn exec_convert, exec_convert_pair;                                      // insn->from, to, round, flags
ExecFn exec_set_pair, exec_slct, exec_testp, exec_predicate_logic;
ExecFn exec_mov_wide, exec_pack_wide, exec_unpack_wide; // 128 bits
ExecFn exec_mov_predicate, exec_pack, exec_unpack, exec_clock, exec_window, exec_isspacep;
// exec_carry's insn->extra: a + b, a - b, or the low or high half of a * b, plus c.
typedef enum CarryForm { CARRY_SUM, CARRY_DIFFERENCE, CARRY_PRODUCT_LOW, CARRY_PRODUCT_HIGH } CarryForm;
ExecFn exec_f64_gross, exec_carry, exec_lop3_predicate, exec_match;
ExecFn exec_vprintf, exec_assertfail; // src: where the arguments, and vprintf's result, are in local memory
ExecFn exec_load, exec_store, exec_atomic;
ExecFn exec_copy, exec_copy_arrive, exec_async_commit, exec_async_wait, exec_bulk, exec_tensor;
// exec_mbarrier's insn->extra.
typedef enum MbarrierChange {
  MBARRIER_INIT,
  MBARRIER_INVAL,
  MBARRIER_ARRIVE,
  MBARRIER_ARRIVE_EXPECT_TX,
  MBARRIER_EXPECT_TX,
  MBARRIER_COMPLETE_TX
} MbarrierChange;
ExecFn exec_mbarrier, exec_mbarrier_test, exec_mbarrier_pending, exec_fence, exec_mapa;
// exec_map_replace's insn->extra: the field of a tensor map.
typedef enum MapField {
  MAP_ADDRESS,
  MAP_RANK,
  MAP_BOX_DIM,
  MAP_GLOBAL_DIM,
  MAP_GLOBAL_STRIDE,
  MAP_ELEMENT_STRIDE,
  MAP_ELEMENT_TYPE,
  MAP_INTERLEAVE,
  MAP_SWIZZLE,
  MAP_FILL
} MapField;
ExecFn exec_map_replace, exec_map_copy;
ExecFn exec_ldmatrix, exec_stmatrix, exec_movmatrix, exec_mma, exec_wgmma, exec_wgmma_fence;
ExecFn exec_video; // see exec_video.c
ExecFn exec_shfl, exec_vote, exec_activemask, exec_redux, exec_elect, exec_nothing;

#endif
