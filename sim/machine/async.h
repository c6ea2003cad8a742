// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous operations: issued by one instruction, over by a later one. When their reads and writes take
// effect is the schedule's choice: at issue, or at the latest moment that the ISA allows, which is the wait
// for their group, or the test of their mbarrier that finds the phase complete, or the block's end.
//
// Operations of groups (cp.async, bulk stores, wgmma) are queued at their warp, in the order of issue;
// operations that complete at an mbarrier are queued at their block.
#ifndef SIM_MACHINE_ASYNC_H
#define SIM_MACHINE_ASYNC_H

#include "sim/machine/state.h"
#include "sim/machine/resolve.h"
#include "sim/machine/tensor_map_bytes.h"

typedef enum AsyncKind {
  ASYNC_COPY,   // cp.async, of up to 32 lanes
  ASYNC_BULK,   // cp.async.bulk, cp.reduce.async.bulk: one lane
  ASYNC_TENSOR, // cp.async.bulk.tensor, cp.reduce.async.bulk.tensor: one lane
  ASYNC_WGMMA,  // a warp's quarter of a wgmma.mma_async
  ASYNC_ARRIVE, // cp.async.mbarrier.arrive: once the lanes' earlier cp.async are over
} AsyncKind;

typedef struct CopyLanes { // ASYNC_COPY
  unsigned char *to[LANES];
  const unsigned char *from[LANES];
  uint64_t to_address[LANES], from_address[LANES]; // in their state spaces
  uint8_t read[LANES];                             // bytes of `from`; the rest is zero
  uint32_t bytes;
} CopyLanes;

// ASYNC_BULK and ASYNC_TENSOR. A tensor's global side has no host pointer and no address here.
typedef struct CopyRange {
  Place to, from;
  uint64_t bytes;        // of the shared side
  unsigned char *staged; // what has been read and is not yet written; NULL: nothing
  int32_t at[5];         // ASYNC_TENSOR: the box's corner, innermost first
  TensorMap map;
} CopyRange;

struct AsyncOp {
  AsyncKind kind;
  AsyncGroup group_kind; // ASYNC_GROUP_NONE: it completes at `mbarrier`
  Warp *warp;
  const Insn *insn;
  uint32_t mask;             // lanes for which it is not over; a bulk operation's lane; all of a wgmma's
  uint32_t group[LANES];     // the lane's group that it belongs to: as many had been committed at its issue
  uint64_t sequence;         // in the block, ascending
  uint64_t mbarrier;         // shared address
  uint64_t addresses[LANES]; // ASYNC_ARRIVE: mbarriers, by lane
  uint64_t descriptors[2];   // ASYNC_WGMMA: of A and B
  bool accumulate;           // ASYNC_WGMMA
  bool has_read;             // a store's reads are over
  union {
    CopyLanes *lanes;
    CopyRange *range;
  } u;
  AsyncOp *next; // in its queue
};

// A fresh operation, not yet in a queue; NULL: no memory (the warp's fault is set).
AsyncOp *async_new(Warp *warp, const Insn *insn, uint32_t mask, AsyncKind kind, AsyncGroup group);
// Queues it; under an early schedule its effects are there when this returns.
void async_issue(AsyncOp *op);
void async_drop(AsyncOp *op); // instead
void async_commit(Warp *warp, uint32_t mask, AsyncGroup group);
// Ends the lanes' operations of all but the newest `pending` committed groups. `read`: only their reads.
void async_wait(Warp *warp, uint32_t mask, AsyncGroup group, uint32_t pending, bool read);
// Where operations that are queued for the mbarrier would complete its current phase: ends them.
void async_complete_phase(Block *block, uint64_t mbarrier);
// Ends everything, in order of issue.
void async_finish(Block *block);
bool async_pending(const Block *block);
void async_free(Block *block);       // drops all operations without their effects
bool async_late(const Block *block); // the schedule's choice

// ---- what the kinds do (exec_copy.c, exec_bulk.c, exec_wgmma.c) ----

// The operation's effects for the lanes, all of a bulk operation's or wgmma's at once.
void async_run(AsyncOp *op, uint32_t lanes);
void copy_lanes_run(AsyncOp *op, uint32_t lanes);
void copy_range_read(AsyncOp *op); // fills `staged`; calls the read's hooks
void copy_range_write(AsyncOp *op);
void wgmma_run(AsyncOp *op);

#endif
