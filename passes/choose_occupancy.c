// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// choose_occupancy: how many blocks of a large kernel are to share a multiprocessor.
//
// before  kernel @k(...) {                  after  kernel @k(...) min_blocks = 2 {
// needs   layouts, and the places of buffers in shared memory
// keeps   every op
// breaks  nothing
// pays    of two blocks one computes while the other waits for memory; where two do not fit, ptxas spills
//         less when it is told that one will do
//
// Of more than 256 threads not each can have all 255 registers. Where ptxas then has to spill it may aim at
// several blocks a multiprocessor, and spills most of what it has. Of 256 threads with products and without loops
// it takes a few registers more than half of them, where as many would do, and only another block computes while
// this one's operands come: it is told of that there too. A limit on registers that the user gave says it all.
#include "ir/build.h"
#include "ir/dot.h"
#include "ir/scratch.h"
#include "ir/tuning.h"
#include "passes/passes.h"
#include "passes/pressure.h"

// ptxas refuses a warp group's matrix instruction where a thread may have 32 registers.
enum { WGMMA_REGISTERS = 33 };

typedef struct Contents {
  bool dot, loop;
} Contents;

static void find_contents(Op *op, void *data) {
  Contents *found = data;
  found->dot |= op->kind == OP_DOT;
  found->loop |= op->kind == OP_FOR || op->kind == OP_WHILE;
}

static void find_wgmma(Op *op, void *data) {
  bool *found = data;
  *found |= op->kind == OP_DOT && dot_instruction(op) == DOT_WGMMA;
}

// Whether the registers are too few for an instruction of the kernel.
static bool too_few(Func *func, uint32_t registers) {
  bool wgmma = false;
  if (registers < WGMMA_REGISTERS) region_walk(func->body, find_wgmma, &wgmma);
  return wgmma;
}

// Whether a multiprocessor has the threads and shared memory of two blocks, and their registers room for each
// thread's tiles.
static bool two_blocks_fit(Arena *scratch, Func *func) {
  const TargetInfo *arch = func->module->target.arch;
  uint32_t threads = TARGET_WARP * func_warps(func), share = arch->registers / (2 * threads);
  uint32_t tiles =
      share - (share / 2 < TUNE_BLOCKS_OTHER_REGISTERS ? share / 2 : TUNE_BLOCKS_OTHER_REGISTERS);
  return 2 * threads <= TARGET_WARP * arch->warps &&
         2 * func_shared_bytes(func) + arch->shared_reserved <= arch->shared_limit && !too_few(func, share) &&
         func_pressure(scratch, func) <= tiles;
}

// Whether ptxas may give a thread a little more than what two blocks leave it, which only the second one pays for.
static bool wants_second(Arena *scratch, Func *func) {
  Contents found = {0};
  if (func_warps(func) != TUNE_MANY_WARPS) return false;
  region_walk(func->body, find_contents, &found);
  return found.dot && !found.loop && func_pressure(scratch, func) > TUNE_SECOND_BLOCK_TILES;
}

bool pass_choose_occupancy(PassContext *context, Func *func) {
  uint32_t before = func->min_blocks, warps = func_warps(func);
  func->min_blocks = 0;
  if (func->module->target.maxnreg) return before != 0;
  if (warps > TUNE_MANY_WARPS)
    func->min_blocks = two_blocks_fit(context->scratch, func) ? 2 : 1;
  else if (wants_second(context->scratch, func) && two_blocks_fit(context->scratch, func))
    func->min_blocks = 2;
  return func->min_blocks != before;
}
