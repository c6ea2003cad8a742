// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which way a kernel with products is run on Hopper. Two passes decide, and alone read the options that say so (--tma, --epilogue,
// --warp-specialize, --persistent, tl.range's warp_specialize); each decision is a remark with its numbers. The others obey what the text
// then says, may find that they cannot, and tell. What registers, bytes and cycles a way takes is in passes/analysis/hopper_limits.h.
//
//   plan_kernel, before layouts; of the kernel (`plan = [...]`, ir/plan.def)
//     boxes, tma_pointer_loads, tma_all_loads   tensor copies              obeyed by recognise_tma, lower_block_pointers, halve_block_k, pipeline
//     tensor_stores                     stores of boxes            lower_block_pointers, store_tiles
//     pairs                             programs side by side      fuse_programs
//     last_first                        the order of programs      longest_first
//     roles                             whether loops may be parted: overlap_dots, plan_pipeline
//   plan_pipeline, behind promote_shared, join_loops and what else changes which loops of products there are
//     in_turn                           a launch's programs        persist
//     of the loop: slots, group_warps, group_registers             specialise_warps
//
// What is decided later, by what is known later:
//   which loops' second product runs under the next iteration's exponentials: overlap_dots, by registers of layouts that
//     propagate_layouts gave and buffers that promote_shared made, and before plan_pipeline, as join_loops makes one loop of two so marked
//   twice as many steps of half the length: halve_block_k, by the tile that fuse_programs left
//   the slots of loops that are not parted: pipeline, loop by loop, as each loop's slots leave less to the next
//   turns of warpgroups: pingpong_warpgroups, behind place_barriers: where warps meet in the loop they take none
//   whether a tile has room in shared memory to be stored by a box: store_tiles, beside the slots that pipeline made
//   blocks a multiprocessor: choose_occupancy, by the places of all buffers and the tiles that are alive
#ifndef PASSES_ANALYSIS_PLAN_H
#define PASSES_ANALYSIS_PLAN_H

#include "passes/passes.h"

// Why a launch's programs cannot be run in turn, and where that stands (program_order.c); NULL: they can.
const char *programs_refuse_turns(const Func *func, Loc *loc);

// A loop in whose rounds later programs have more to do, where all of the kernel's loops of products are such or are as long in each, and
// nothing could tell an order of programs (program_order.c); NULL: there is none.
const Op *programs_grow(Func *func);

// The loop that plan_pipeline has parted, of which the text says how; NULL: there is none.
Op *plan_parted_loop(Func *func);
// What the loop says of groups of warps is said of `groups` from here on; its slots are forgotten.
void plan_move_groups(Op *groups, Op *loop);
// Nothing is planned any more. Whether there was something.
bool plan_drop(Func *func);

#endif
