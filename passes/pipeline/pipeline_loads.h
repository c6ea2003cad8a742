// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The analysis that `pipeline` makes of a loop before it changes it (pipeline_loads.c, pipeline_stages.c).
#ifndef PASSES_PIPELINE_PIPELINE_LOADS_H
#define PASSES_PIPELINE_PIPELINE_LOADS_H

#include "passes/tma/tensor_copies.h"

// One of these, or both:
// * A tile that the loop's body loads and puts into a buffer: load -> (tma_mark ->) (trans ->) shared_store.
// * A tile that other ops use before a dot. It is copied to a slot and read back (`alloc` and `store` are NULL).
typedef struct StagedLoad {
  Op *load, *tma_mark, *trans, *alloc, *store; // tma_mark and trans may be NULL.
  const Type *slot;                            // The shared memory of one iteration.
  bool async;                                  // Uses copies; otherwise registers.
  bool reads;                                  // Also needed in registers.
  bool by_tensor;                              // Uses TMA copies.
  TensorLoad tensor;
} StagedLoad;

// The slot's type as the load sees it, before the transposition.
const Type *staged_load_target(IrContext *ir, const StagedLoad *load);

typedef struct StagedLoop {
  Op *loop;
  VEC(StagedLoad) loads;  // Read-back loads come last.
  uint32_t computed;      // The number of read-back loads.
  VEC(StagedLoad) values; // Scalars that dots depend on: loaded into a register one iteration ahead.
  // An asynchronous wgmma with a loop-carried accumulator. It may be in flight while the next one starts; NULL: none.
  Op *dot;
  Op *dot_wait; // The wait for the dot.
  uint32_t sum; // The index of the loop-carried accumulator.
  // The dot may be in flight only if this operand has two slots: the body computes it and stores it to a buffer that
  // only the dot reads. `load` is NULL. No `alloc`: there is no such operand.
  StagedLoad computed_operand;
  Op *computed_dot; // That dot. staged_loop_hold makes it `dot`.
  bool feeds_matrices;
  bool by_role;      // A separate warp group copies, starting with the kernel.
  bool in_turn;      // The kernel is persistent, or will be.
  bool after_writes; // The kernel may have written memory that TMA copies read.
  uint32_t stages;
  const StagedLoad *halved; // Each CTA of a pair has one half of its slots; NULL: none.
  uint64_t beside;          // Bytes of shared memory besides the slots (staged_loop_stages).
  // By value id: computed a few iterations ahead, for the loads' addresses and masks.
  uint8_t *ahead;
  uint8_t *ahead_of_others; // The same without the read-back loads.
} StagedLoop;

// Returns true if the loop has loads to prefetch; otherwise remarks give the reason.
bool staged_loop_find(PassContext *context, Func *func, Op *loop, StagedLoop *found);

// Removes the read-back loads from the pipeline.
void staged_loop_keep_computed(StagedLoop *staged);

// The number of stages of the loop; fewer than 2: none. If shared memory has no room for all these stages, read-back
// loads are removed from the pipeline.
uint32_t staged_loop_stages(PassContext *context, Func *func, StagedLoop *staged);

// Bytes of shared memory of one stage.
uint64_t staged_slot_bytes(const StagedLoop *staged);

// Gives the operand that the loop computes two slots, so that its dot may stay in flight. It does so if a multiprocessor
// then holds two programs, or the same number as before. Returns the number of stages, perhaps a smaller one.
uint32_t staged_loop_hold(PassContext *context, const Func *func, StagedLoop *staged, uint32_t stages);

// Starts loads of the next iteration's values before the first exchange of the loop's body (carried_loads.c).
bool carried_loads_early(PassContext *context, Func *func, Op *loop);

#endif
