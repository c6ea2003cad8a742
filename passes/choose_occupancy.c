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
// several blocks a multiprocessor, and spills most of what it has. A limit on registers that the user gave
// says it all.
#include "ir/build.h"
#include "ir/dot.h"
#include "ir/scratch.h"
#include "ir/tuning.h"
#include "passes/passes.h"
#include "passes/pressure.h"

// ptxas refuses a warp group's matrix instruction where a thread may have 32 registers.
enum { WGMMA_REGISTERS = 33 };

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

bool pass_choose_occupancy(PassContext *context, Func *func) {
  uint32_t before = func->min_blocks;
  func->min_blocks = 0;
  if (!func->module->target.maxnreg && func_warps(func) > TUNE_MANY_WARPS)
    func->min_blocks = two_blocks_fit(context->scratch, func) ? 2 : 1;
  return func->min_blocks != before;
}
