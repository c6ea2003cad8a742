// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the pass `pipeline` finds out about a loop before it changes it (pipeline_loads.c, pipeline_stages.c).
#ifndef PASSES_PIPELINE_PIPELINE_LOADS_H
#define PASSES_PIPELINE_PIPELINE_LOADS_H

#include "passes/tma/tensor_copies.h"

// A tile that the loop's body loads and puts into a buffer: load -> (tma_mark ->) (trans ->) shared_store; or one that it computes
// on before a product, which is copied to a slot and read back (`alloc` and `store` are NULL then), or both.
typedef struct StagedLoad {
  Op *load, *tma_mark, *trans, *alloc, *store; // tma_mark and trans may be NULL
  const Type *slot;                 // what one iteration has of shared memory
  bool async;                       // by copies; else through registers
  bool reads;                       // it is wanted in registers too
  bool by_tensor;                   // by tensor copies
  TensorLoad tensor;
} StagedLoad;

// Whether an asynchronous copy may do what the load does: at least 4 bytes, and zeros where the mask does not hold.
bool load_is_copyable(const Op *load);

// The slot's type as the load sees it, before the transposition.
const Type *staged_load_target(IrContext *ir, const StagedLoad *load);

typedef struct StagedLoop {
  Op *loop;
  VEC(StagedLoad) loads;  // those that are computed on come last
  uint32_t computed;      // how many these are
  VEC(StagedLoad) values; // scalars that products hang on: loaded into a register an iteration ahead
  // An asynchronous wgmma whose sum is carried by the loop:
  // may be under way while the next begins; NULL: none.
  Op *dot;
  Op *dot_wait; // for the dot
  uint32_t sum; // which carried value that is
  bool feeds_wgmma;
  bool by_role;      // copies of a group of their own, which begin with the kernel
  bool in_turn;      // the kernel's programs are run in turn, or are to be
  bool after_writes; // the kernel may have written what tensor copies read
  uint32_t stages;
  uint64_t beside; // bytes of shared memory that are not the slots' (staged_loop_stages)
  // By value id: computed a few iterations ahead, for the loads' addresses and masks.
  uint8_t *ahead;
  uint8_t *ahead_of_others; // the same without the loads that are computed on
} StagedLoop;

// Whether the loop has loads to be issued ahead; remarks say why not.
bool staged_loop_find(PassContext *context, Func *func, Op *loop, StagedLoop *found);

// Loads that are computed on stay where they are.
void staged_loop_keep_computed(StagedLoop *staged);

// How many stages the loop gets; fewer than 2: none. Loads that are computed on stay where they are if shared
// memory has not as many stages for them too.
uint32_t staged_loop_stages(PassContext *context, Func *func, StagedLoop *staged);

#endif
