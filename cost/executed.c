// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A basic block executes as often as the region of most of its anchors: memory, matmul and floating-point
// instructions. An assembler moves addresses and constants between loops, but rarely anchors. If it copies a
// loop's body several times, the executions are divided among the copies. Smaller copies execute the
// remainder.
#include "cost/executed.h"

#include <math.h>
#include <string.h>

#include "cubin/blocks.h"
#include "cost/issue.h"

// MIN_COPIES: the limit above normal variation of one body. WHOLE: a block with this share has a whole body.
static const double MIN_COPIES = 1.6, WHOLE = 0.9;

typedef struct Placed {     // a basic block
  const Region *own, *runs; // The anchors' region, and the region that sets its number of executions. NULL:
                            // none.
  bool anchored;            // it has anchors
  double copies;            // copies of the body of `own`
  bool one;                 // only one warp of a group executes it
} Placed;

typedef struct Executed {
  const Func *func;
  const MachineCode *code;
  CostOp *ops;
  SassBlocks blocks;
  Placed *placed;
  // By the id of a region's first op.
  double *usual; // Executions by warps; below 0: nothing of the region is counted.
  double *most;  // Consecutive copies of a body.
  uint32_t *weight;
  uint32_t *counted_in; // By op id: the last block, from 1, that counted its memory accesses.
  double least;
} Executed;

static uint32_t slot_of(const Region *region) { return region->first->id; }

static double sum_of(const CostOp *op) {
  double sum = 0;
  for (int p = 0; p < PIPE_COUNT; p++) sum += op->instructions[p];
  return sum;
}

static bool is_reported(const CostOp *op) { return op->op && (sum_of(op) > 0 || op->instruction); }

static void find_usual(Executed *x, Op *op) {
  double *usual = &x->usual[slot_of(op->region)];
  if (*usual >= 0 || !is_reported(&x->ops[op->id])) return;
  *usual = issue_runs(op->region, x->ops[op->id].runs);
  if (x->least < 0 || *usual < x->least) x->least = *usual;
}

static bool is_counted(const Executed *x, const Op *op) { return op && x->usual[slot_of(op->region)] >= 0; }

static double usual_of(const Executed *x, const Region *region) {
  return region && x->usual[slot_of(region)] >= 0 ? x->usual[slot_of(region)] : x->least;
}

static const Region *around_of(const Region *region) {
  return region->parent ? region->parent->region : NULL;
}

static bool is_body(const Region *region) { return region->parent && op_is_loop(region->parent); }

static uint32_t depth_of(const Region *region) {
  uint32_t depth = 0;
  for (; region; region = around_of(region)) depth += is_body(region);
  return depth;
}

// --- the region of a block

// The region of most instructions of the block: of its anchors, or of all. NULL: none that is counted.
static const Region *region_of(Executed *x, const SassBlock *block, bool anchors) {
  const Region *best = NULL;
  for (int pass = 0; pass < 3; pass++)
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
      const Op *op = x->code->ops[i];
      const SassInsn *insn = &x->blocks.insns[i];
      if (!is_counted(x, op) || (anchors && !insn->anchor)) continue;
      uint32_t *weight = &x->weight[slot_of(op->region)];
      if (pass == 0) *weight += insn->counted;
      if (pass == 1 && (!best || *weight > x->weight[slot_of(best)])) best = op->region;
      if (pass == 2) *weight = 0;
    }
  return best;
}

// Copies of the region's body in the block, according to their memory accesses.
static double copies_of(Executed *x, uint32_t number, const Region *own) {
  const SassBlock *block = &x->blocks.at[number];
  double there = 0, expected = 0;
  for (uint32_t i = block->first; i < block->first + block->count; i++) {
    const Op *op = x->code->ops[i];
    if (!op || op->region != own || !x->blocks.insns[i].memory || !is_reported(&x->ops[op->id])) continue;
    const CostOp *cost = &x->ops[op->id];
    there++;
    if (x->counted_in[op->id] == number + 1) continue;
    x->counted_in[op->id] = number + 1;
    if (cost->runs.most) expected += cost->instructions[PIPE_MEMORY] / (double)cost->runs.most;
  }
  return expected > 0 ? there / expected : 0;
}

static void place_block(Executed *x, uint32_t number) {
  const SassBlock *block = &x->blocks.at[number];
  Placed *placed = &x->placed[number];
  placed->own = region_of(x, block, true);
  placed->anchored = placed->own;
  if (!placed->own) placed->own = region_of(x, block, false);
  for (uint32_t i = block->first; i < block->first + block->count; i++) placed->one |= x->blocks.insns[i].one;
  if (!placed->own) return;
  if (is_body(placed->own)) placed->copies = copies_of(x, number, placed->own);
  placed->runs = placed->own;
  while (placed->runs && depth_of(placed->runs) > block->depth) placed->runs = around_of(placed->runs);
  double *most = &x->most[slot_of(placed->own)];
  if (placed->runs == placed->own && placed->copies > *most) *most = placed->copies;
}

// --- executions of a block

// Summed over all warps.
static double runs_of(const Executed *x, const Placed *placed) {
  const Region *own = placed->own;
  double runs = usual_of(x, placed->runs), most = own ? x->most[slot_of(own)] : 0, around = 0;
  if (placed->anchored && usual_of(x, own) <= 0) return 0; // the remainder of a loop without iterations
  if (most > MIN_COPIES) around = usual_of(x, around_of(own));
  if (around <= 0) return runs;
  uint64_t trips = (uint64_t)nearbyint(usual_of(x, own) / around), by = (uint64_t)nearbyint(most);
  if (placed->runs == own) return around * (double)(trips / by);
  if (placed->copies > WHOLE) return trips % by & (uint64_t)nearbyint(placed->copies) ? around : 0;
  return runs;
}

static void add(Executed *x, uint32_t number) {
  const SassBlock *block = &x->blocks.at[number];
  const Placed *placed = &x->placed[number];
  const Op *last = x->func->body->last;
  double runs = runs_of(x, placed);
  if (placed->one) runs /= issue_warps(placed->own ? placed->own->first : last);
  for (uint32_t i = block->first; i < block->first + block->count; i++) {
    const SassInsn *insn = &x->blocks.insns[i];
    const Op *op = x->code->ops[i] ? x->code->ops[i] : last;
    while (!x->ops[op->id].op && op->region->parent)
      op = op->region->parent; // code that combines elements belongs to the reduction
    x->ops[op->id].instructions[insn->pipe] += runs * insn->counted;
  }
}

void executed_count(Arena *arena, const Func *func, const MachineCode *code, CostOp *ops) {
  size_t n = (size_t)func->op_count + 1;
  Executed x = {.func = func, .code = code, .ops = ops, .least = -1};
  x.blocks = sass_blocks(arena, code);
  x.placed = ARENA_ARRAY(arena, Placed, (size_t)x.blocks.n + 1);
  x.usual = ARENA_ARRAY(arena, double, n);
  x.most = ARENA_ARRAY(arena, double, n);
  x.weight = ARENA_ARRAY(arena, uint32_t, n);
  x.counted_in = ARENA_ARRAY(arena, uint32_t, n);
  for (size_t i = 0; i < n; i++) x.usual[i] = -1;
  for (OpWalk w = ops_in(func->body); ops_next(&w);) find_usual(&x, w.op);
  if (x.least < 0) x.least = 0;
  for (uint32_t i = 0; i < x.blocks.n; i++) place_block(&x, i);
  for (uint32_t i = 0; i < func->op_count; i++) memset(ops[i].instructions, 0, sizeof ops[i].instructions);
  for (uint32_t i = 0; i < x.blocks.n; i++) add(&x, i);
}
