// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a kernel with dots runs on Hopper and Blackwell. Two passes decide, plan_kernel and plan_pipeline. Only they read the options:
// --tma, --epilogue, --warp-specialize, --persistent, and tl.range's warp_specialize. Each decision is a remark with
// its numbers. The other passes follow the plan in the text. If one cannot, it reports that.
// passes/analysis/hopper_limits.h has the registers, bytes and cycles that each way takes.
//
// (1) plan_kernel runs before layouts. It plans the kernel (`plan = [...]`, ir/plan.def).
//
// * tma_loads, tma_pointer_loads, tma_all_loads: TMA copies. Followed by recognise_tma, lower_block_pointers,
//   retile and pipeline.
// * tma_stores: TMA stores. Followed by lower_block_pointers and store_tiles.
// * fuse_programs: programs side by side. Followed by retile.
// * longest_first: the order of programs. Followed by longest_first.
// * warp_specialize: loops may be split. Followed by overlap_dots and plan_pipeline.
//
// (2) plan_pipeline runs after promote_shared, overlap_dots and every other pass that changes the set of dot loops.
//
// * Persistent kernels, which it makes itself (persist.c).
// * slots, group_warps and group_registers of a loop: producer and consumer warps. Followed by specialise_warps.
//
// These decisions come later, because they depend on later results:
// * Overlapping a loop's second dot with the next iteration's exponentials: overlap_dots. It depends on registers in
//   the layouts of propagate_layouts and on the buffers of promote_shared. It runs before plan_pipeline, because
//   overlap_dots makes one loop of two marked loops.
// * Halving the step length: retile. It depends on the tile of fused programs.
// * Slots of loops without warp specialization: pipeline. It goes loop by loop, as each loop's slots leave less space
//   for the next.
// * Ping-pong warpgroups: pingpong_warpgroups, after place_barriers. There is none if the loop has a barrier
//   of its whole group.
// * Storing a tile by TMA: store_tiles. It depends on the shared memory that is left besides pipeline's slots.
// * CTAs per multiprocessor: choose_occupancy. It depends on the offsets of all buffers and the tiles that are alive.
#ifndef PASSES_ANALYSIS_PLAN_H
#define PASSES_ANALYSIS_PLAN_H

#include "passes/passes.h"

// Why the kernel cannot be persistent, and the location of the reason (program_order.c); NULL: it can.
const char *programs_refuse_turns(const Func *func, Loc *loc);

// A dot loop with more iterations in later programs (program_order.c). Every other dot loop of the kernel must also
// grow, or have a constant length. No op may observe the order of programs. NULL: there is none.
const Op *programs_grow(Func *func);

// The loop that plan_pipeline has split, as its attributes say; NULL: there is none.
Op *plan_parted_loop(Func *func);
// Moves the loop's group attributes to `groups`. The loop's slots attribute is removed.
void plan_move_groups(Op *groups, Op *loop);
// Makes the kernel persistent (persist.c). Nothing may refuse it.
void programs_persist(Func *func);
// The same for a kernel whose groups of warps take programs: a loop of one iteration, the program's place carried.
void programs_take(Func *func);
// Why two neighbouring programs cannot compute the loop's dots as a pair (pair_programs.c). NULL: they can. Each then
// copies half of the load staged->halved. programs_require_pairs adds to the guard what they need.
struct StagedLoop;
const char *programs_refuse_pairs(PassContext *context, Func *func, struct StagedLoop *staged);
void programs_require_pairs(PassContext *context, Func *func, const struct StagedLoop *staged);
// Removes the whole plan. Returns true if there was one.
bool plan_drop(Func *func);

#endif
