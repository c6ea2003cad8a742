// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// overlap_dots: marks loops whose second dot will run under the code between the dots of the next iteration.
//
// before  for %i = ... {                       after  for %i = ... {overlapped} {
//           %s = dot %q, %k, 0                          ...
//           ... %p of %s, row by row ...              }
//           %o = dot %p, %v, %acc
//         }
//
// needs   wgmma chosen. Operands in shared memory (promote_shared)
// keeps   every op. Later pipeline gives the second dot its own slots, and rotate_loops acts on the mark
// breaks  nothing
// pays    tensor cores run during exponentials. Otherwise each waits for the other
//
// The registers must have room for all values that are alive together:
// * The first dot's result.
// * The second dot's first operand and its accumulators.
// * A reserve for everything else (TUNE_STAGGER_RESERVED_REGISTERS).
//
// If the source does not say `warp_specialize` for the loop, one of these cases must also hold. They were measured to
// be faster.
// * One warpgroup with 64 rows and many accumulators. Several warpgroups would wait for one another at each
//   iteration's barrier. With many accumulators, few programs share the multiprocessor. Otherwise programs run under
//   one another's exponentials.
// * Two warpgroups with 64 rows each, and all loads are TMA tiles. There specialise_warps removes the barrier.
#include "passes/analysis/hopper_limits.h"
#include "ir/build.h"
#include "ir/memory/scratch.h"
#include "target/tuning.h"
#include "passes/analysis/padded_warps.h"
#include "passes/passes.h"
#include "passes/analysis/overlapped_dots.h"

enum { WARPGROUP = 4 };

typedef struct Staggerer {
  PassContext *context;
  Func *func;
  uint32_t warps; // Those that have more than padding.
  bool changed;
} Staggerer;

static void decline(const Staggerer *s, const Op *dot, const char *why) {
  diag_remark(s->context->diags, dot->loc, "overlap_dots", "the dot waits for its operand: %s", why);
}

// A thread's registers if one CTA has the multiprocessor.
static uint32_t most_registers(const Func *func, uint32_t warps) {
  const TargetInfo *arch = func->module->target.arch;
  if (warps < func_warps(func))
    return role_registers(arch, warps, false).multiply; // Only warp specialization makes this worth it.
  uint32_t most = arch->thread_registers, share = arch->registers / (func_warps(func) * 32) & ~7u;
  if (func->module->target.maxnreg && func->module->target.maxnreg < most)
    most = func->module->target.maxnreg;
  return share < most ? share : most;
}

static bool has_registers(const Staggerer *s, const OverlappedDots *dots) {
  uint32_t between = tile_words(op_result(dots->first)->type),
           operand = tile_words(op_operand(dots->second, 0)->type),
           sums = tile_words(op_result(dots->second)->type), most = most_registers(s->func, s->warps);
  uint32_t others = s->warps < func_warps(s->func) ? TUNE_STAGGER_RESERVED_REGISTERS_BESIDE_PRODUCER
                                                   : TUNE_STAGGER_RESERVED_REGISTERS;
  if (between + operand + sums + others <= most) return true;
  diag_remark(s->context->diags, dots->second->loc, "overlap_dots",
              "the dot waits for its operand: with the next iteration's first dot it would take "
              "%u + %u + %u "
              "registers and %u others, of %u",
              between, operand, sums, others, most);
  return false;
}

// Returns true if TMA can copy everything that the loop loads. Then no warp waits for the others.
static bool loads_boxes(const Op *loop) {
  bool any = false;
  for (const Op *op = loop->regions[0]->first; op; op = op->next) {
    if (op->kind != OP_LOAD) continue;
    const Use *use = op_result(op)->first_use;
    if (!use || use->user->kind != OP_TMA_MARK) return false;
    any = true;
  }
  return any;
}

static bool pays(const Staggerer *s, const Op *loop, const OverlappedDots *dots) {
  const Func *func = s->func;
  const Type *sums = op_result(dots->second)->type;
  uint32_t all = region_warps(loop) / WARPGROUP, groups = s->warps / WARPGROUP;
  uint32_t rows = sums->shape[sums->rank - 2] / all * groups; // With padding, each has its own rows.
  if (op_attr(loop, ATTR_WARP_SPECIALIZE)) return true;
  if (rows > TUNE_STAGGER_ROWS * groups) return false;
  if (groups == 1) return tile_words(sums) >= TUNE_STAGGER_SUMS;
  return (groups == 2 || groups < all) && func_plans(func, PLAN_WARP_SPECIALIZE) &&
         loads_boxes(loop);
}

static void mark_overlapped(Staggerer *s, Op *loop) {
  OverlappedDots dots;
  if (!overlapped_dots_find(loop, &dots)) return;
  const Value *operand = op_operand(dots.second, 0);
  if (!type_is_tile(operand->type)) return; // Both dots' operands come from memory.
  const uint8_t *after_first = loop_hangs_on(s->context->scratch, s->func, loop, dots.first);
  if (!after_first[operand->id]) return;
  const uint8_t *after_second = loop_hangs_on(s->context->scratch, s->func, loop, dots.second);
  if (after_second[op_result(dots.first)->id]) {
    decline(s, dots.second, "the next iteration's first dot depends on this one");
    return;
  }
  if (!overlapped_buffer(loop)) {
    decline(s, dots.second, "both dots read one buffer");
    return;
  }
  if (!has_registers(s, &dots)) return;
  if (!pays(s, loop, &dots)) {
    decline(s, dots.second, "other warps run during the softmax");
    return;
  }
  op_set_flag(loop, ATTR_OVERLAPPED, true);
  s->changed = true;
}

bool pass_overlap_dots(PassContext *context, Func *func) {
  Staggerer s = {context, func, unpadded_warps(func), false};
  func_number(func);
  for (OpWalk w = ops_in(func->body); ops_next(&w);) mark_overlapped(&s, w.op);
  return s.changed;
}
