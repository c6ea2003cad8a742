// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many stages a pipelined loop gets: as many as asked for, but no more than shared memory has room for,
// or than multiply-adds have warps to spare for.
#include "base/math.h"
#include "ir/build.h"
#include "ir/dot.h"
#include "ir/layout.h"
#include "ir/scratch.h"
#include "ir/tuning.h"
#include "passes/pipeline_loads.h"

static uint64_t bytes_a_stage(const StagedLoop *staged) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < staged->loads.n; i++)
    bytes += shared_bytes(op_result(staged->loads.at[i].alloc)->type);
  return bytes;
}

// --- shared memory

typedef struct Beside {
  const StagedLoop *staged;
  uint64_t bytes;
} Beside;

static bool used_after(const Value *buffer, const Op *loop) {
  for (const Use *use = buffer->first_use; use; use = use->next) {
    if (use->user->id > loop->id) return true;
    for (uint32_t i = 0; i < use->user->result_count; i++) // views
      if (use->user->results[i].type->kind == TYPE_SHARED && used_after(&use->user->results[i], loop))
        return true;
  }
  return false;
}

// Buffers of the loop's body that are not staged, and those before it that are used in it or later.
static void add_beside(Op *op, void *data) {
  enum { ALIGN = 1024 };
  Beside *beside = data;
  const StagedLoop *staged = beside->staged;
  if (op->kind != OP_SHARED_ALLOC) return;
  for (uint32_t i = 0; i < staged->loads.n; i++)
    if (staged->loads.at[i].alloc == op) return;
  const Op *around = op;
  while (around && around != staged->loop) around = around->region->parent;
  bool alive = around || (op->id < staged->loop->id && used_after(op_result(op), staged->loop));
  if (alive) beside->bytes += round_up(shared_bytes(op_result(op)->type), ALIGN);
}

// Fewer than 2: none fit.
static uint32_t stages_that_fit(PassContext *context, const Func *func, const StagedLoop *staged,
                                uint64_t beside) {
  uint64_t bytes = bytes_a_stage(staged), limit = func->module->target.arch->shared_limit;
  limit -= min_u64(beside, limit);
  uint32_t stages = staged->stages;
  while (stages > 1 && stages * bytes > limit) stages--;
  if (stages < staged->stages)
    diag_remark(context->diags, staged->loop->loc, "pipeline",
                "%u stages of %llu bytes, not %u: shared memory has %llu left", stages,
                (unsigned long long)bytes, staged->stages, (unsigned long long)limit);
  return stages;
}

// --- warps

static void add_sums(Op *op, void *data) {
  uint32_t *registers = data;
  if (is_dot_of(op, DOT_FMA)) *registers += tile_words(op_result(op)->type);
}

static uint32_t loaded_registers(const StagedLoop *staged) {
  uint32_t registers = 0;
  for (uint32_t i = 0; i < staged->loads.n; i++)
    if (!staged->loads.at[i].async) registers += tile_words(op_result(staged->loads.at[i].load)->type);
  return registers;
}

// Programs that a multiprocessor holds at a time. What it has is what one program may have of it, and 1 KB
// that every program takes; registers beside sums and what is loaded ahead are an estimate.
static uint64_t programs_held(const Func *func, const StagedLoop *staged, uint32_t sums, uint64_t beside,
                              uint32_t stages) {
  const TargetInfo *arch = func->module->target.arch;
  uint64_t bytes = beside + arch->shared_reserved;
  for (uint32_t i = 0; i < staged->loads.n; i++)
    bytes +=
        shared_bytes(op_result(staged->loads.at[i].alloc)->type) * (staged->loads.at[i].async ? stages : 2);
  uint64_t by_bytes = (arch->shared_limit + arch->shared_reserved) / bytes;
  uint64_t registers =
      (sums + loaded_registers(staged) + TUNE_PIPELINE_OTHER_REGISTERS) * (uint64_t)func_warps(func) * 32;
  return by_bytes < arch->registers / registers ? by_bytes : arch->registers / registers;
}

// Multiply-adds want three warps a scheduler more than copies far ahead:
// an iteration of theirs takes longer than a copy (docs/measurements.md).
static uint32_t stages_for_warps(PassContext *context, const Func *func, const StagedLoop *staged,
                                 uint64_t beside, uint32_t stages) {
  uint32_t sums = 0;
  region_walk(staged->loop->regions[0], add_sums, &sums);
  uint64_t held = sums ? programs_held(func, staged, sums, beside, stages) : TUNE_PIPELINE_WARPS;
  if (held * func_warps(func) >= TUNE_PIPELINE_WARPS) return stages;
  for (uint32_t fewer = stages - 1; fewer >= 2; fewer--) {
    uint64_t more = programs_held(func, staged, sums, beside, fewer);
    if (more <= held) continue;
    diag_remark(context->diags, staged->loop->loc, "pipeline",
                "%u stages, not %u: a multiprocessor has room for %llu programs then, not %llu", fewer,
                stages, (unsigned long long)more, (unsigned long long)held);
    return fewer;
  }
  return stages;
}

uint32_t staged_loop_stages(PassContext *context, Func *func, const StagedLoop *staged) {
  Beside beside = {staged, 0};
  region_walk(func->body, add_beside, &beside);
  uint32_t stages = stages_that_fit(context, func, staged, beside.bytes);
  return stages < 2 ? stages : stages_for_warps(context, func, staged, beside.bytes, stages);
}
