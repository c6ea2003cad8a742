// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// defer_row_sums: combines row sums across lanes once, after the loop. In each iteration the loop multiplies these sums
// by a factor of the row and adds to them.
//
// ```
// before  %s = for %i = range (%sum = %init) {overlapped} {    %sum : tile<64xfp32>, %p : tile<64x128xfp32>
//           %r = reduce %p {axis = 1} (add)
//           %t = add (mul %sum, %f), %r
//           yield %t
//         }
// after   %u = for %i = range (%parts = %init / 4) {overlapped} {    %parts : tile<64x4xfp32>
//           %r = reduce %p as tile<64x16x4x2> {axis = 1, 3} (add)       (each lane's part)
//           %t = add (mul %parts, %f), %r
//           yield %t
//         }
//         %s = reduce %u {axis = 1} (add)
// ```
//
// needs   overlap_dots' marks, layouts. It runs after lazy_rescale, which needs the original sums
// keeps   the sums up to rounding. They are added in another order (REASSOCIATES). The division of %init is exact
//         for numbers of at least 2^-124
// breaks  nothing
// pays    saves two shuffles per row and iteration, and one dependence between lanes
//
// The pass applies only if the tile's rows are in registers and in one run of lane bits, all in one warp. Elements must
// not be negative, or they must be small. Then a lane's own sum stays finite.
#include "base/integer.h"
#include "ir/build.h"
#include "passes/analysis/float_range.h"
#include "passes/passes.h"
#include "passes/analysis/overlapped_dots.h"

typedef struct RowSum {
  uint32_t index; // Index among the loop-carried values.
  Op *add, *product, *reduce;
  uint32_t factor; // The operand of the multiplication that is not loop-carried.
  // The axis in parts, from the highest bits: 2^high registers, 2^lanes, 2^low registers.
  uint32_t axis, high, lanes, low;
} RowSum;

// --- which sums

// Returns true if the axis bits are, from the lowest: register bits, lane bits, register bits. Each bit must be a basis
// alone.
static bool find_parts(RowSum *sum) {
  const Type *tile = op_operand(sum->reduce, 0)->type;
  uint32_t first, bits = layout_dim_bits(tile->rank, tile->shape, sum->axis, &first), found = 0, lanes = 0;
  const Layout *layout = tile->layout;
  for (uint32_t dim = DIM_REGISTER; dim <= DIM_WARP; dim++)
    for (uint32_t i = 0; i < layout->bits[dim]; i++) {
      uint32_t basis = layout_basis(layout, (LayoutDim)dim, i), own = basis >> first & ((1u << bits) - 1);
      if (!own) continue;
      if (dim == DIM_WARP || own & (own - 1) || own << first != basis) return false;
      found |= own;
      if (dim == DIM_LANE) lanes |= own;
    }
  if (!lanes || found != (1u << bits) - 1) return false;
  sum->low = lowest_bit(lanes);
  sum->lanes = bit_count(lanes);
  sum->high = bits - sum->low - sum->lanes;
  return lanes == ((1u << sum->lanes) - 1) << sum->low && tile->rank + 2u <= TILE_MAX_RANK;
}

// Returns true if the loop carries such a sum at this index.
static bool find_sum(const Op *loop, uint32_t index, RowSum *sum) {
  const Value *carried = loop_carried(loop, index);
  Op *add = loop_yielded(loop, index)->def;
  if (!add || add->kind != OP_ADD || add->region != loop->regions[0] || !type_is_tile(carried->type) ||
      !type_is_elem(carried->type, ELEM_FP32) || !value_single_use(op_result(add)))
    return false;
  for (uint32_t i = 0; i < 2; i++) {
    Op *product = op_operand(add, i)->def, *reduce = op_operand(add, 1 - i)->def;
    if (!product || !reduce || product->kind != OP_MUL || op_scratch(reduce)) continue;
    if (product->region != loop->regions[0] || reduce->region != loop->regions[0] ||
        !op_reduces_by(reduce, OP_ADD))
      continue;
    *sum = (RowSum){index,
                    add,
                    product,
                    reduce,
                    .factor = op_operand(product, 0) == carried,
                    .axis = (uint32_t)op_int(reduce, ATTR_AXIS, 0)};
    const Value *old = op_operand(product, 1 - sum->factor);
    return old == carried && value_single_use(carried) && value_single_use(op_result(product)) &&
           value_single_use(op_result(reduce)) && find_parts(sum) &&
           float_sums_stay_finite(op_operand(reduce, 0), NULL);
  }
  return false;
}

// --- the loop

static Value *laid(Builder *b, Value *value, const Layout *layout) {
  value->type = type_with_layout(b->func->module->ir, value->type, layout);
  return value;
}

static Value *build_laid_sum(Builder *b, Value *x, uint32_t axis) {
  const Type *tile = x->type;
  Layout layout = layout_slice(tile->layout, tile->rank, tile->shape, axis);
  return laid(b, build_sum_along(b, x, axis), layout_intern(b->func->module->ir, &layout));
}

// Each lane's part of the row sums: the tile with 2^lanes elements along the axis.
static Value *build_parts(Builder *b, const RowSum *sum) {
  Value *x = op_operand(sum->reduce, 0);
  const Type *tile = x->type;
  uint32_t shape[TILE_MAX_RANK] = {0}, a = sum->axis;
  for (uint32_t d = 0; d < tile->rank; d++) shape[d + (d > a ? 2 : 0)] = tile->shape[d];
  shape[a] = 1u << sum->high, shape[a + 1] = 1u << sum->lanes, shape[a + 2] = 1u << sum->low;
  Value *split = laid(b, build_reshape(b, x, tile->rank + 2u, shape), tile->layout);
  return build_laid_sum(b, build_laid_sum(b, split, a + 2), a);
}

// Turns a tile of rows into a tile of parts.
static Value *spread(Builder *b, Value *rows, uint32_t axis, const Type *parts) {
  Layout kept = layout_keep_dims(parts->layout, parts->rank, parts->shape, axis);
  Value *column = laid(b, build_expand_dims(b, rows, axis), layout_intern(b->func->module->ir, &kept));
  return laid(b, build_broadcast(b, column, parts->shape), parts->layout);
}

static void defer_row_sum(Arena *arena, Op *loop, const RowSum *sum) {
  Builder inner = builder_before(sum->add), before = builder_before(loop);
  before.loc = inner.loc = sum->add->loc;
  Value *parts = build_parts(&inner, sum), *init = loop_init(loop, sum->index);
  Value *share =
      build_binary(&before, OP_MUL, init, build_float(&before, init->type, 1.0 / (1u << sum->lanes)));
  Value **inits = loop_inits(arena, loop, 0);
  inits[sum->index] = spread(&before, share, sum->axis, parts->type);
  Value *factor = spread(&inner, op_operand(sum->product, sum->factor), sum->axis, parts->type);
  loop = loop_with_inits(loop, loop->result_count, inits);
  Builder last = builder_before(sum->add);
  last.loc = inner.loc;
  Value *scaled = build_binary(&last, OP_MUL, loop_carried(loop, sum->index), factor);
  value_replace_uses(op_result(sum->add), build_binary(&last, OP_ADD, scaled, parts));
  op_erase(sum->add);
  op_erase(sum->product);
  op_erase(sum->reduce);
  Builder after = builder_after(loop);
  after.loc = inner.loc;
  Value *result = &loop->results[sum->index], *whole = build_laid_sum(&after, result, sum->axis);
  value_replace_uses(result, whole);
  op_set_operand(whole->def, 0, result);
}

bool pass_defer_row_sums(PassContext *context, Func *func) {
  const OverlappedLoops marked = overlapped_loops(context->scratch, func);
  bool changed = false;
  for (uint32_t l = 0; l < marked.list.n; l++) {
    Op *loop = marked.list.at[l];
    RowSum sum = {0};
    uint32_t index = 0;
    while (index < loop->result_count && !find_sum(loop, index, &sum)) index++;
    if (index == loop->result_count) continue;
    diag_remark(context->diags, sum.reduce->loc, "defer_row_sums",
                "each lane sums its own part; row sums are combined after the loop");
    defer_row_sum(context->scratch, loop, &sum);
    changed = true;
  }
  return changed;
}
