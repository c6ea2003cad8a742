// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds warpgroups that have only padding. Their stores' masks are false. Elements move between warps only between two
// tiles that are both split into warpgroups along one dimension.
#include "passes/analysis/padded_warps.h"

#include "base/integer.h"
#include "ir/queries.h"
#include "ir/dot/dot.h"

enum { WARPGROUP = 4, WARPGROUP_BITS = 2, NO_DIM = TILE_MAX_RANK };

// --- masks

// The index from which `arange < constant` is false.
static uint32_t comparison_end(const Op *op, uint32_t size) {
  const Op *range = op_operand(op, 0)->def;
  int64_t bound;
  if (op->kind != OP_LT || !range || range->kind != OP_ARANGE ||
      !value_int_constant(op_operand(op, 1), &bound))
    return size;
  int64_t end = bound - op_int(range, ATTR_START, 0);
  return end < 0 ? 0 : end < size ? (uint32_t)end : size;
}

// For a mask: all elements from this index of dimension `dim` on are false. The dimension's size if none is known to
// be.
static uint32_t mask_end(const Value *mask, uint32_t dim) {
  const Op *op = mask->def;
  uint32_t size = mask->type->shape[dim];
  if (!op) return size;
  const Value *from = op->operand_count ? op_operand(op, 0) : NULL;
  switch ((int)op->kind) {
  case OP_LT: return mask->type->rank == 1 ? comparison_end(op, size) : size;
  case OP_AND: return (uint32_t)min_u64(mask_end(from, dim), mask_end(op_operand(op, 1), dim));
  case OP_CONVERT_LAYOUT: return mask_end(from, dim);
  case OP_BROADCAST: return from->type->shape[dim] == size ? mask_end(from, dim) : size;
  case OP_EXPAND_DIMS: {
    uint32_t axis = (uint32_t)op_int(op, ATTR_AXIS, 0);
    return axis == dim ? size : mask_end(from, dim - (dim > axis));
  }
  default: return size;
  }
}

// The number of warpgroups that have elements below `end`. Each warpgroup has its part of the dimension.
static uint32_t groups_below(uint32_t end, uint32_t size, uint32_t groups) {
  uint32_t part = size / groups;
  return (end + part - 1) / part;
}

// --- layouts

// A dimension along which the mask leaves at least one warpgroup without work; NO_DIM: there is none.
static uint32_t padded_dim(const Value *mask, uint32_t groups) {
  const Type *tile = mask->type;
  for (uint32_t d = 0; d < tile->rank; d++)
    if (tile->shape[d] >= groups && groups_below(mask_end(mask, d), tile->shape[d], groups) < groups)
      return d;
  return NO_DIM;
}

bool layout_by_warpgroups(const Value *mask, const uint32_t *order, uint32_t elem_bits, uint32_t warp_bits,
                          Layout *layout) {
  const Type *tile = mask->type;
  uint32_t group_bits = warp_bits < WARPGROUP_BITS ? 0 : warp_bits - WARPGROUP_BITS;
  uint32_t dim = padded_dim(mask, 1u << group_bits), shape[TILE_MAX_RANK];
  if (dim == NO_DIM) return false;
  for (uint32_t d = 0; d < tile->rank; d++) shape[d] = tile->shape[d] >> (d == dim ? group_bits : 0);
  Layout part = layout_default(tile->rank, shape, order, elem_bits, warp_bits - group_bits);
  *layout = layout_stretch(&part, tile->rank, shape, dim, group_bits, DIM_WARP);
  return true;
}

// Returns true if each warpgroup has exactly its part of the dimension, in order.
static bool lies_by_warpgroups(const Type *tile, uint32_t dim) {
  const Layout *layout = tile->layout;
  uint32_t first, bits = layout_dim_bits(tile->rank, tile->shape, dim, &first),
                  warps = layout->bits[DIM_WARP];
  uint32_t group_bits = warps - WARPGROUP_BITS, begin = layout_first_bit(layout, DIM_WARP) + WARPGROUP_BITS;
  if (bits < group_bits) return false;
  uint32_t place = first + bits - group_bits, theirs = ((1u << group_bits) - 1) << place;
  for (uint32_t i = 0; i < layout_in_bits(layout); i++) {
    bool group = i >= begin && i < begin + group_bits;
    if (group ? layout->basis[i] != 1u << (place + i - begin) : layout->basis[i] & theirs) return false;
  }
  return true;
}

// --- kernels

typedef struct WarpCount {
  uint32_t groups, used; // Warpgroups; those that have more than padding.
} WarpCount;

static void store_to_memory(WarpCount *count, const Op *op) {
  const Value *mask = op_operand(op, 2);
  if (!type_is_tile(op_operand(op, 1)->type)) return; // Done by a thread of the first warp.
  uint32_t dim = mask ? padded_dim(mask, count->groups) : NO_DIM;
  if (dim == NO_DIM || !lies_by_warpgroups(mask->type, dim)) {
    count->used = count->groups;
    return;
  }
  uint32_t used = groups_below(mask_end(mask, dim), mask->type->shape[dim], count->groups);
  if (used > count->used) count->used = used;
}

static bool is_in_loop_of_products(const Op *op) {
  const Op *around = op->region->parent;
  if (!around || !op_is_loop(around)) return false;
  for (const Op *other = op->region->first; other; other = other->next)
    if (is_dot_of(other, DOT_WGMMA)) return true;
  return false;
}

// True if only dots that read by rows take the stored tile: each warpgroup reads its own rows.
static bool passes_by_rows(const Op *store) {
  const Value *value = op_operand(store, 0), *buffer = op_operand(store, 1);
  if (value->def && value->def->kind == OP_TMA_MARK && is_in_loop_of_products(store)) return true;
  if (!type_is_tile(value->type) || op_attr(store, ATTR_STARTS) || !lies_by_warpgroups(value->type, 0))
    return false;
  for (const Use *use = buffer->first_use; use; use = use->next) {
    const Op *user = use->user;
    bool product =
        is_dot_of(user, DOT_WGMMA) && op_operand(user, 0) == buffer && op_operand(user, 1) != buffer;
    if (user != store && !product) return false;
  }
  return true;
}

// Returns true if elements move between warps only if both tiles are split into warpgroups along one dimension.
static bool converts_by_warpgroups(const Op *op) {
  const Type *from = op_operand(op, 0)->type, *to = op_result(op)->type;
  if (!op_scratch(op)) return true;
  for (uint32_t d = 0; d < to->rank; d++)
    if (lies_by_warpgroups(from, d) && lies_by_warpgroups(to, d)) return true;
  return false;
}

static void count_op(WarpCount *count, Op *op) {
  bool apart = true;
  switch ((int)op->kind) {
  case OP_STORE: store_to_memory(count, op); break;
  case OP_SHARED_STORE: apart = passes_by_rows(op); break;
  case OP_DOT: apart = !is_dot_of(op, DOT_WGMMA) || lies_by_warpgroups(op_result(op)->type, 0); break;
  case OP_CONVERT_LAYOUT: apart = converts_by_warpgroups(op); break;
  case OP_LOAD:
  case OP_DOT_WAIT: break;
  default: apart = !op_scratch(op) && !op_has_any(op, READS | WRITES); break;
  }
  if (!apart) count->used = count->groups;
}

uint32_t unpadded_warps(const Func *func) {
  uint32_t warps = func->module->target.num_warps;
  WarpCount count = {.groups = warps / WARPGROUP};
  if (count.groups < 3) return warps; // If one of two warpgroups had only padding, the tile would fit in one.
  for (OpWalk w = ops_in(func->body); ops_next(&w);) count_op(&count, w.op);
  return count.used ? count.used * WARPGROUP : warps;
}
