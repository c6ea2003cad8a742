// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of stages of a pipelined loop: as requested, but limited by shared memory. A loop of multiply-adds also
// needs enough warps.
#include "base/integer.h"
#include "ir/dot/dot.h"
#include "ir/memory/scratch.h"
#include "target/tuning.h"
#include "passes/pipeline/pipeline_loads.h"

uint64_t staged_slot_bytes(const StagedLoop *staged) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < staged->loads.n; i++)
    bytes += shared_bytes(staged->loads.at[i].slot) >> (staged->halved == &staged->loads.at[i]);
  return bytes;
}

// --- shared memory

typedef struct Beside {
  const StagedLoop *staged;
  uint64_t bytes;
  uint64_t
      in_passing; // The largest scratch buffer of a single op after the loop. They are used one after the
                  // other.
} Beside;

enum { BESIDE_ALIGN = 1024 };

static bool are_mbarriers(const Value *buffer) {
  for (const Use *use = buffer->first_use; use; use = use->next)
    if (use->user->kind == OP_RING_BEGIN) return true;
  return false;
}

static bool is_passed_through(const Op *alloc, const Op *loop) {
  const Use *use = value_single_use(op_result(alloc));
  return alloc->id > loop->id && use && op_scratch(use->user) == op_result(alloc);
}

// Counts buffers of the loop's body that are not staged, and earlier buffers that are used in the loop or later.
// mbarriers last to the kernel's end. If copies start with the kernel, no buffer before the loop can share their bytes.
static void add_beside(Beside *beside, Op *op) {
  const StagedLoop *staged = beside->staged;
  if (op->kind != OP_SHARED_ALLOC) return;
  for (uint32_t i = 0; i < staged->loads.n; i++)
    if (staged->loads.at[i].alloc == op) return;
  const Op *around = op;
  while (around && around != staged->loop) around = around->region->parent;
  bool alive = around ||
               (op->id < staged->loop->id && value_use_end(op_result(op), op->region) > staged->loop->id) ||
               are_mbarriers(op_result(op));
  if (staged->by_role)
    alive |= op->id < staged->loop->id || staged->in_turn || op_enclosing_loop(staged->loop);
  uint64_t bytes = alive ? round_up(shared_bytes(op_result(op)->type), BESIDE_ALIGN) : 0;
  if (!around && is_passed_through(op, staged->loop))
    beside->in_passing = max_u64(beside->in_passing, bytes);
  else
    beside->bytes += bytes;
}

static bool has_tensors(const StagedLoop *staged) {
  for (uint32_t i = 0; i < staged->loads.n; i++)
    if (staged->loads.at[i].by_tensor) return true;
  return false;
}

static uint64_t room_for_stages(const Func *func, uint64_t beside) {
  uint64_t limit = func->module->target.arch->shared_limit;
  return limit - min_u64(beside, limit);
}

// --- read-back loads

// The number of iterations of the loop; UINT64_MAX: not known.
static uint64_t known_iterations(const Op *loop) {
  int64_t lower, upper, step;
  if (!value_int_constant(loop_lower(loop), &lower) || !value_int_constant(loop_upper(loop), &upper) ||
      !value_int_constant(loop_step(loop), &step) || step == 0)
    return UINT64_MAX;
  uint64_t way = step > 0 ? (uint64_t)upper - (uint64_t)lower : (uint64_t)lower - (uint64_t)upper;
  uint64_t stride = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
  return (step > 0 ? lower < upper : lower > upper) ? (way - 1) / stride + 1 : 0;
}

// Returns true if shared memory has room for the stages. If all iterations are prefetched, a second program must also
// keep its room, if it had room without these loads. With few iterations, other programs hide more of the latency than
// copies do.
static bool has_room(const Func *func, const StagedLoop *staged, uint64_t beside) {
  const TargetInfo *arch = func->module->target.arch;
  uint64_t all = staged->stages * staged_slot_bytes(staged), computed = 0,
           room = room_for_stages(func, beside);
  for (uint32_t i = staged->loads.n - staged->computed; i < staged->loads.n; i++)
    computed += staged->stages * shared_bytes(staged->loads.at[i].slot);
  uint64_t half = (arch->shared_limit + arch->shared_reserved) / 2 - arch->shared_reserved;
  bool few = known_iterations(staged->loop) <= staged->stages;
  return all <= room && (!few || beside + all <= half || beside + all - computed > half);
}

void staged_loop_keep_computed(StagedLoop *staged) {
  if (!staged->computed) return;
  staged->loads.n -= staged->computed;
  staged->computed = 0;
  staged->ahead = staged->ahead_of_others;
}

// These loads must not reduce the stages of operands that a dot takes directly.
static void drop_computed(PassContext *context, const Func *func, StagedLoop *staged, uint64_t beside) {
  bool others = staged->computed < staged->loads.n;
  uint64_t iterations = known_iterations(staged->loop);
  uint32_t stages = staged->stages;
  if (!staged->computed) return;
  if (iterations < stages) staged->stages = iterations < 2 ? 2 : (uint32_t)iterations + 1;
  if (has_room(func, staged, beside) || (!others && iterations > staged->stages)) return;
  diag_remark(context->diags, staged->loop->loc, "pipeline",
              "loads that are not dot operands are not prefetched: %u stages take too much shared memory",
              staged->stages);
  staged->stages = stages;
  staged_loop_keep_computed(staged);
}

// Fewer than 2: none fit.
static uint32_t stages_that_fit(PassContext *context, const Func *func, const StagedLoop *staged,
                                uint64_t beside) {
  uint64_t bytes = staged_slot_bytes(staged), limit = room_for_stages(func, beside);
  uint32_t stages = staged->stages;
  while (stages > 1 && stages * bytes > limit) stages--;
  if (stages < staged->stages)
    diag_remark(context->diags, staged->loop->loc, "pipeline",
                "%u stages of %llu bytes, not %u: shared memory has %llu left", stages,
                (unsigned long long)bytes, staged->stages, (unsigned long long)limit);
  return stages;
}

// --- warps

static uint32_t loaded_registers(const StagedLoop *staged) {
  uint32_t registers = 0;
  for (uint32_t i = 0; i < staged->loads.n; i++)
    if (!staged->loads.at[i].async) registers += tile_words(op_result(staged->loads.at[i].load)->type);
  return registers;
}

// Programs that a multiprocessor holds at a time. Its memory is what one program may have, plus 1 KB that every program
// takes. The registers besides accumulators and prefetched tiles are an estimate.
static uint64_t programs_held(const Func *func, const StagedLoop *staged, uint32_t sums, uint64_t beside,
                              uint32_t stages) {
  const TargetInfo *arch = func->module->target.arch;
  uint64_t bytes = beside + arch->shared_reserved;
  for (uint32_t i = 0; i < staged->loads.n; i++)
    bytes += shared_bytes(staged->loads.at[i].slot) * (staged->loads.at[i].async ? stages : 2);
  uint64_t by_bytes = (arch->shared_limit + arch->shared_reserved) / bytes;
  uint64_t registers =
      (sums + loaded_registers(staged) + TUNE_PIPELINE_RESERVED_REGISTERS) * (uint64_t)func_warps(func) * 32;
  return by_bytes < arch->registers / registers ? by_bytes : arch->registers / registers;
}

// For multiply-adds, three warps per scheduler are more important than copies far ahead. Their iteration takes longer
// than a copy (docs/measurements.md).
static uint32_t stages_for_warps(PassContext *context, const Func *func, const StagedLoop *staged,
                                 uint64_t beside, uint32_t stages) {
  uint32_t sums = 0;
  for (OpWalk w = ops_in(staged->loop->regions[0]); ops_next(&w);)
    if (is_dot_of(w.op, DOT_FMA)) sums += tile_words(op_result(w.op)->type);
  uint64_t held = sums ? programs_held(func, staged, sums, beside, stages) : TUNE_PIPELINE_WARPS;
  if (held * func_warps(func) >= TUNE_PIPELINE_WARPS) return stages;
  for (uint32_t fewer = stages - 1; fewer >= 2; fewer--) {
    uint64_t more = programs_held(func, staged, sums, beside, fewer);
    if (more <= held) continue;
    diag_remark(context->diags, staged->loop->loc, "pipeline",
                "%u stages, not %u: a multiprocessor then has room for %llu programs, not %llu", fewer,
                stages, (unsigned long long)more, (unsigned long long)held);
    return fewer;
  }
  return stages;
}

uint32_t staged_loop_stages(PassContext *context, Func *func, StagedLoop *staged) {
  Beside beside = {.staged = staged};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) add_beside(&beside, w.op);
  beside.bytes += beside.in_passing;
  if (has_tensors(staged)) beside.bytes += BESIDE_ALIGN; // For their mbarriers.
  staged->beside = beside.bytes;
  drop_computed(context, func, staged, beside.bytes);
  if (staged->loads.n == 0) return 0;
  uint32_t stages = stages_that_fit(context, func, staged, beside.bytes);
  return stages < 2 ? stages : stages_for_warps(context, func, staged, beside.bytes, stages);
}

// --- an operand that the loop computes

enum { COMPUTING_REGISTERS = 48 }; // Next to the sums and the operand.

// The programs that a multiprocessor holds at once, by shared memory and by an estimate of registers.
static uint64_t programs_with(const Func *func, const StagedLoop *staged, uint64_t bytes) {
  const TargetInfo *arch = func->module->target.arch;
  const StagedLoad *operand = &staged->computed_operand;
  const Type *sums = op_result(staged->computed_dot)->type; // in registers, or in tensor memory
  uint32_t words =
      (type_is_tile(sums) ? tile_words(sums) : 0) + tile_words(op_operand(operand->store, 0)->type);
  uint64_t registers = (words + COMPUTING_REGISTERS) * (uint64_t)func_warps(func) * 32;
  return min_u64((arch->shared_limit + arch->shared_reserved) / (bytes + arch->shared_reserved),
                 arch->registers / registers);
}

// Two programs are enough: the dot of each overlaps with its own computation. One stage of copies is worth less.
uint32_t staged_loop_hold(PassContext *context, const Func *func, StagedLoop *staged, uint32_t stages) {
  if (!staged->computed_dot || stages < 3) return stages;
  uint64_t one = staged_slot_bytes(staged),
           second = round_up(shared_bytes(staged->computed_operand.slot), BESIDE_ALIGN);
  uint64_t least = min_u64(2, programs_with(func, staged, staged->beside + stages * one));
  for (uint32_t fewer = stages; fewer >= 3 && least; fewer--) {
    if (programs_with(func, staged, staged->beside + fewer * one + second) < least) continue;
    if (fewer < stages)
      diag_remark(context->diags, staged->loop->loc, "pipeline",
                  "%u stages, not %u: the dot's computed operand has two buffers", fewer, stages);
    staged->dot = staged->computed_dot;
    return fewer;
  }
  diag_remark(context->diags, staged->computed_dot->loc, "pipeline",
              "the dot does not stay in flight: a second buffer for its computed operand takes too much "
              "shared memory");
  return stages;
}
