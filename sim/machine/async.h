// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous operations. One instruction issues an operation, and a later one completes it. The schedule
// chooses when its reads and writes take effect. This is at issue, or at the latest moment that the ISA
// allows. The latest moment is the wait for its group, the test that finds its mbarrier's phase complete, or
// the end of the CTA.
//
// Operations of groups (cp.async, bulk stores, wgmma) are queued at their warp, in order of issue. Operations
// that complete at an mbarrier are queued at the CTA that has it.
#ifndef SIM_MACHINE_ASYNC_H
#define SIM_MACHINE_ASYNC_H

#include "sim/machine/state.h"
#include "sim/machine/resolve.h"
#include "sim/machine/tensor_map_bytes.h"

typedef enum AsyncKind {
  ASYNC_COPY,        // `cp.async` of up to 32 lanes.
  ASYNC_BULK,        // `cp.async.bulk`, `cp.reduce.async.bulk`: one lane.
  ASYNC_STORE,       // `st.async`, `red.async`: one lane. Its bytes are `staged` at the issue.
  ASYNC_TENSOR,      // `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`: one lane.
  ASYNC_WGMMA,       // A warp's quarter of a wgmma.mma_async.
  ASYNC_ARRIVE,      // `cp.async.mbarrier.arrive`: runs once the lanes' earlier cp.async are complete.
  ASYNC_TENSOR_CORE, // `tcgen05.mma`, `cp` or `shift`: one lane.
  ASYNC_TMEM_MOVE,   // `tcgen05.ld` or `st` of a warp.
  ASYNC_COMMIT, // `tcgen05.commit`: arrives at `mbarrier` once the lane's earlier ASYNC_TENSOR_CORE are complete.
} AsyncKind;

typedef struct CopyLanes { // ASYNC_COPY
  unsigned char *to[LANES];
  const unsigned char *from[LANES];
  uint64_t to_address[LANES], from_address[LANES]; // in their state spaces
  uint8_t read[LANES];                             // bytes of `from`; the rest is zero
  uint32_t bytes;
} CopyLanes;

// ASYNC_BULK, ASYNC_STORE and ASYNC_TENSOR. A tensor in global memory has no host pointer and no address here.
typedef struct CopyRange {
  Place to, from;
  uint64_t bytes;        // of the shared memory
  unsigned char *staged; // bytes that were read and not yet written; NULL: none
  int32_t at[5];         // ASYNC_TENSOR: the tile's corner, innermost first
  TensorMap map;
} CopyRange;

enum { TMEM_RANGES = 4 };

typedef struct TmemRange { // of columns
  uint32_t first, count;
} TmemRange;

// The matrices of a tcgen05.mma, by its instruction descriptor.
typedef struct MmaForm {
  uint32_t m, n, k;
  MatrixType a, b, d;
  bool negate_a, negate_b, transpose_a, transpose_b, saturate;
  bool scales_e4m3; // else ue8m0
  bool pair;        // .cta_group::2: each CTA has half of A's and D's rows, and half of B's columns
  uint32_t scale_a_id, scale_b_id; // bytes of a word
} MmaForm;

// ASYNC_TENSOR_CORE and ASYNC_TMEM_MOVE.
typedef struct TensorOp {
  uint32_t to, a, scale_a, scale_b; // addresses in tensor memory; a tcgen05.ld's too
  MmaForm form;
  uint32_t lanes_off[8];         // four for each CTA
  TmemRange ranges[TMEM_RANGES]; // all columns that it accesses; count 0: none
  uint32_t *values;              // tcgen05.st: the registers at its issue, by register and lane
} TensorOp;

struct AsyncOp {
  AsyncKind kind;
  AsyncGroup group_kind; // ASYNC_GROUP_NONE: it completes at `mbarrier`
  Warp *warp;
  const Insn *insn;
  uint32_t mask;             // Lanes that it is not complete for. A bulk operation has one lane, a wgmma all
                             // lanes.
  uint32_t group[LANES];     // The lane's group. It is the number of committed groups at the issue.
  uint64_t sequence;         // Ascending in the cluster.
  Block *at;                 // The CTA that has the mbarrier.
  uint64_t mbarrier;         // A shared address in it.
  uint64_t addresses[LANES]; // ASYNC_ARRIVE: mbarriers, by lane.
  uint64_t descriptors[2];   // ASYNC_WGMMA, ASYNC_TENSOR_CORE: of A and B.
  bool accumulate;           // likewise
  bool has_read;             // A store's reads are complete.
  bool repeats;              // Multicast: another operation counts the same reads.
  union {
    CopyLanes *lanes;
    CopyRange *range;
    TensorOp *tensor;
  } u;
  AsyncOp *next; // in its queue
};

// A new operation, not yet in a queue. NULL: out of memory (the warp's fault is set).
AsyncOp *async_new(Warp *warp, const Insn *insn, uint32_t mask, AsyncKind kind, AsyncGroup group);
// Queues the operation. Under an early schedule its effects are complete at return.
void async_issue(AsyncOp *op);
// The same under every schedule: its effects are complete at return.
void async_issue_now(AsyncOp *op);
void async_drop(AsyncOp *op); // call instead of async_issue
void async_commit(Warp *warp, uint32_t mask, AsyncGroup group);
// Completes the lanes' operations of all but the newest `pending` committed groups. `read`: only their reads.
void async_wait(Warp *warp, uint32_t mask, AsyncGroup group, uint32_t pending, bool read);
// If operations queued for the CTA's mbarrier would complete its current phase, completes them.
void async_complete_phase(Block *block, uint64_t mbarrier);
// Completes all operations of the cluster, in order of issue.
void async_finish(Block *block);
bool async_pending(const Block *block);
void async_free(Block *block); // drops all operations of the cluster without their effects

// ---- the kinds of operations (exec_copy.c, exec_bulk.c, exec_wgmma.c, exec_tcgen05.c) ----

// Applies the operation's effects for the lanes. A bulk operation or a wgmma is applied as a whole.
void async_run(AsyncOp *op, uint32_t lanes);
void copy_lanes_run(AsyncOp *op, uint32_t lanes);
void copy_range_read(AsyncOp *op); // fills `staged`; calls the read hooks
void copy_range_write(AsyncOp *op);
void wgmma_run(AsyncOp *op);
void tensor_core_run(AsyncOp *op);
void tmem_move_run(AsyncOp *op);

#endif
