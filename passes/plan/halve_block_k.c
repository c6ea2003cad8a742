// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halve_block_k: halves BLOCK_K and doubles the trip count if too few pipeline stages fit in shared memory.
//
// before  for %lower, %upper, 128 (%sum, %a, %b) {         after  for %lower, %end, 64 (%sum, %a, %b) {
//           %x = block_load %a : tile<128x128xfp16>                 %x = block_load %a : tile<128x64xfp16>
//           %y = block_load %b : tile<128x256xfp16>                 %y = block_load %b : tile<64x256xfp16>
//           %d = dot %x, %y, %sum                                   %d = dot %x, %y, %sum
//           yield %d, (advance %a, 0, 128), ...                     yield %d, (advance %a, 0, 64), ...
//
// needs   IR without layouts, with block pointers or descriptors. The loop only accumulates a dot of two blocks. It
//         advances them along k by a block's extent, or their offsets along k are its index. It ends one step before
//         its index wraps.
//
// keeps   which elements are multiplied, in order of k, in whole steps: %end is %lower plus a number of old steps.
// breaks  nothing
//
// pays    With two slots of 96 KB, no dot is in flight while the next operands are copied. With four slots of 48 KB,
//         one is.
#include "passes/analysis/hopper_limits.h"
#include "ir/build.h"
#include "ir/dot/dot_fits.h"
#include "target/tuning.h"
#include "passes/plan/retile.h"

enum { HALF = 2, K_OF_FIRST = 1 };

typedef struct Halving {
  Func *func;
  Op *loop;
  const Op *dot;
  Retile tiles;
  int64_t step;
  bool counts; // offsets along k are the loop's index
} Halving;

// --- the size of a step

static uint32_t tile_bytes(const Value *tile) {
  return tile->type->shape[0] * tile->type->shape[1] * type_element_bytes(tile->type);
}

// True if few slots fit, and half a step still fills whole rows of the shared-memory swizzle.
static bool is_long(const Op *dot) {
  enum { SWIZZLED = 128 };
  const Target *target = &dot->region->func->module->target;
  const Value *x = op_operand(dot, 0), *y = op_operand(dot, 1);
  uint32_t k = x->type->shape[K_OF_FIRST], slot = tile_bytes(x) + tile_bytes(y);
  uint32_t stored = op_result(dot)->type->shape[0] * op_result(dot)->type->shape[1] * 2; // as 16-bit elements
  if (k * type_element_bytes(x->type) < HALF * SWIZZLED || stored >= target->arch->shared_limit) return false;
  return slots_that_fit(target->arch, stored, slot) < TUNE_HALVED_SLOTS;
}

static int64_t stages_of(const Op *loop) {
  return op_int(loop, ATTR_NUM_STAGES, loop->region->func->module->target.num_stages);
}

// --- the loop

// True if loop-carried value i is the sum: the dot accumulates onto it, or is added to it.
static bool is_sum(const Halving *h, uint32_t i) {
  const Value *arg = loop_carried(h->loop, i), *next = loop_yielded(h->loop, i), *product = op_result(h->dot);
  const Op *yield = h->loop->regions[0]->last;
  if (next == product)
    return op_operand(h->dot, 2) == arg && value_used_only_by(arg, h->dot) &&
           value_used_only_by(product, yield);
  const Op *add = next->def;
  if (!add || add->kind != OP_ADD || add->region != h->loop->regions[0] || !value_used_only_by(next, yield))
    return false;
  bool of_both = (op_operand(add, 0) == arg && op_operand(add, 1) == product) ||
                 (op_operand(add, 1) == arg && op_operand(add, 0) == product);
  return of_both && value_used_only_by(arg, add) && value_used_only_by(product, add);
}

static bool is_index(const Halving *h, const Value *value) {
  while (value->def && value->def->kind == OP_CAST) value = op_operand(value->def, 0);
  return value == loop_index(h->loop);
}

static bool is_in_loop(const Halving *h, const Op *op) { return op->region == h->loop->regions[0]; }

// True if loop-carried value i is a block pointer that advances by its extent, after its loads.
static bool is_carried_block(const Halving *h, uint32_t i) {
  const Value *arg = loop_carried(h->loop, i);
  const Op *advance = loop_yielded(h->loop, i)->def;
  int64_t by;
  if (!type_is_block_ptr(arg->type) || !h->tiles.marks[arg->id]) return false;
  uint32_t dim = h->tiles.marks[arg->id] - 1u;
  if (!advance || advance->kind != OP_ADVANCE || op_operand(advance, 0) != arg) return false;
  if (!value_used_only_by(op_result(advance), h->loop->regions[0]->last)) return false;
  for (uint32_t d = 0; d < arg->type->rank; d++)
    if (!value_int_constant(op_operand(advance, 1 + d), &by) ||
        by != (d == dim ? (int64_t)arg->type->shape[d] : 0))
      return false;
  return true;
}

// True if the block's offset along k is the loop's index.
static bool is_counted_block(Halving *h, const Op *advance) {
  const Value *block = op_result(advance), *tensor = op_operand(advance, 0);
  uint32_t dim = h->tiles.marks[block->id] - 1u;
  if (!tensor->def || is_in_loop(h, tensor->def) || h->step != (int64_t)block->type->shape[dim]) return false;
  if (!is_index(h, op_operand(advance, 1 + dim)) || is_index(h, op_operand(advance, 2 - dim))) return false;
  return h->counts = true;
}

static bool is_yielded(const Halving *h, const Value *value) {
  return value_used_only_by(value, h->loop->regions[0]->last);
}

// True if the op is part of an iteration that only loads the dot's blocks and computes the dot.
static bool is_plain_op(Halving *h, const Op *op) {
  const Value *result = op->result_count ? op_result(op) : NULL;
  switch ((int)op->kind) {
  case OP_CONSTANT:
  case OP_YIELD: return true;
  case OP_BLOCK_LOAD:
  case OP_TRANS: return h->tiles.marks[result->id] != 0 && !op_attr(op, ATTR_VOLATILE);
  case OP_ADVANCE: return h->tiles.marks[result->id] && (is_yielded(h, result) || is_counted_block(h, op));
  case OP_CAST: return type_is_int(result->type);
  case OP_DOT: return op == h->dot;
  case OP_ADD: return op_operand(op, 0) == op_result(h->dot) || op_operand(op, 1) == op_result(h->dot);
  default: return false;
  }
}

// True if the index is only used as an offset along k.
static bool are_index_uses_places(const Halving *h, const Value *index) {
  for (const Use *use = index->first_use; use; use = use->next) {
    const Op *op = use->user;
    if (op->kind == OP_CAST ? !are_index_uses_places(h, op_result(op)) : op->kind != OP_ADVANCE || !h->counts)
      return false;
  }
  return true;
}

static bool can_halve(Halving *h) {
  for (const Op *op = h->loop->regions[0]->first; op; op = op->next)
    if (!is_plain_op(h, op)) return false;
  for (uint32_t i = 0; i < h->loop->result_count; i++)
    if (!is_carried_block(h, i) && !is_sum(h, i)) return false;
  for (uint32_t i = 0; i < h->tiles.values.n; i++) {
    const Value *value = h->tiles.values.at[i];
    const Op *from = value->def;
    if (from && !is_in_loop(h, from) && from != h->loop && from->kind != OP_MAKE_BLOCK_PTR) return false;
  }
  return are_index_uses_places(h, loop_index(h->loop));
}

// --- the steps

static void halve_advances(const Halving *h) {
  for (uint32_t i = 0; i < h->loop->result_count; i++) {
    const Value *arg = loop_carried(h->loop, i);
    if (!type_is_block_ptr(arg->type)) continue;
    Op *advance = loop_yielded(h->loop, i)->def;
    uint32_t at = retile_offset_index(advance, h->tiles.marks[arg->id] - 1u);
    Builder b = builder_before(advance);
    const Type *type = op_operand(advance, at)->type;
    op_set_operand(advance, at, build_int(&b, type, arg->type->shape[at - 1]));
  }
}

static void halve_loop(const Halving *h) {
  Builder b = builder_before(h->loop);
  Value *lower = loop_lower(h->loop), *upper = loop_upper(h->loop), *step = loop_step(h->loop);
  Value *more = build_int(&b, step->type, h->step - 1);
  Value *span = build_binary(&b, OP_ADD, build_binary(&b, OP_SUB, upper, lower), more);
  Value *whole = build_binary(&b, OP_MUL, build_binary(&b, OP_DIV, span, step), step);
  op_set_operand(h->loop, 1, build_binary(&b, OP_ADD, lower, whole));
  op_set_operand(h->loop, 2, build_int(&b, step->type, h->step / HALF));
  op_set_attr(h->loop, (Attr){.key = ATTR_NUM_STAGES, .i = HALF * stages_of(h->loop)});
}

bool pass_halve_block_k(PassContext *context, Func *func) {
  Op *dot = NULL;
  uint32_t dots = 0;
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (w.op->kind == OP_DOT) dot = w.op, dots++;
  if (dots != 1 || !func_plans(func, PLAN_TMA_LOADS)) return false;
  Op *loop = dot->region->parent;
  if (!loop || loop->kind != OP_FOR || op_result(dot)->type->rank != 2 || op_result(dot)->type->layout)
    return false;
  if (!can_wgmma(dot) || op_attr(dot, ATTR_IMPRECISE) || !is_long(dot)) return false;
  Halving h = {.func = func, .loop = loop, .dot = dot, .tiles = retile_new(context->scratch, func)};
  if (!value_int_constant(loop_step(loop), &h.step) || h.step <= 0 || h.step % HALF || stages_of(loop) < HALF)
    return false;
  if (!retile_mark(&h.tiles, op_operand(dot, 0), K_OF_FIRST) || !retile_spread(&h.tiles) || !can_halve(&h))
    return false;
  diag_remark(context->diags, dot->loc, "halve_block_k",
              "BLOCK_K of %u is halved, and the trip count doubled",
              op_operand(dot, 0)->type->shape[K_OF_FIRST]);
  retile_apply(&h.tiles, 1, HALF);
  halve_advances(&h);
  halve_loop(&h);
  return true;
}
