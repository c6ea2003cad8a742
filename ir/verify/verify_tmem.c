// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of tensor memory. A kernel allocates it once, at the start of its body, and frees it at the end.
//
// A value of type tmem is the accumulator with its content at that point. tmem_store and dot give the next one. So each
// value is used once, or once in each branch of an if. A tmem_store may overwrite what a tmem_load has read. Only
// tmem_alloc's result is used again: it begins accumulators one after another.
#include "base/integer.h"
#include "ir/dot/layout_dot.h"
#include "ir/memory/groups.h"
#include "ir/queries.h"
#include "target/target.h"
#include "ir/verify/verify_parts.h"

static bool is_tmem(const Type *type) { return type->kind == TYPE_TMEM; }
static bool is_alloc(const Value *value) { return value->def && value->def->kind == OP_TMEM_ALLOC; }

static void check_size(Verifier *v, const Op *op) {
  const Type *type = result_type(op);
  bool sums = type->elem == ELEM_FP32 || elem_is_half(type->elem) || type->elem == ELEM_I32;
  bool fits = type->rank == 2 && sums && type_sizes_are_powers(type) && type->shape[0] >= 64 &&
              type->shape[1] >= 16 && tmem_columns(type) <= 1u << TMEM_COLUMN_BITS;
  if (!fits)
    verify_fail(v, op,
                "tensor memory holds fp32, fp16, bf16 or i32 in 64 rows or more, 16 columns or more, and %u "
                "columns at most, not %s",
                1u << TMEM_COLUMN_BITS, verify_type_text(v, type));
}

static bool holds_scales(const Op *alloc) {
  uint32_t columns = 0;
  for (OpWalk w = ops_in(alloc->region); ops_next(&w);)
    if (is_dot_of(w.op, DOT_TCGEN05) && dot_is_scaled(w.op) && is_tmem(op_result(w.op)->type)) {
      DotShape shape = dot_op_shape(w.op);
      columns = max_u32(columns, dot_scale_columns(&shape, dot_scale_group(w.op)));
    }
  return op_int(alloc, ATTR_SCALE_COLUMNS, 0) >= columns &&
         tmem_alloc_columns(alloc) <= 1u << TMEM_COLUMN_BITS;
}

static void check_alloc(Verifier *v, const Op *op) {
  uint32_t freed = 0, others = 0;
  check_size(v, op);
  for (const Op *other = op->region->first; other; other = other->next) {
    others += other->kind == OP_TMEM_ALLOC && other != op;
    freed += other->kind == OP_TMEM_DEALLOC && op_precedes(op, other);
  }
  if (op->region->parent)
    verify_fail(v, op, "it is in the kernel's body, outside loops and branches");
  else if (others || freed != 1)
    verify_fail(v, op, "a kernel allocates tensor memory once, and frees it once after that");
  if (v->ok && !holds_scales(op))
    verify_fail(v, op,
                "'scale_columns' is what the scales of its dots need, with the accumulators at most %u",
                1u << TMEM_COLUMN_BITS);
  if (op->operand_count > 1 && !is_power_of_two((uint32_t)type_elements(operand_type(op, 1))))
    verify_fail(v, op, "the number of mbarriers is a power of two");
  int64_t slots = op_int(op, ATTR_SLOTS, 1);
  if (slots < 1 || slots > NUM_STAGES_MAX)
    verify_fail(v, op, "'slots' is 1 to %d, not %lld", NUM_STAGES_MAX, (long long)slots);
  if (!target_has(v->module->target.arch, FEATURE_TCGEN05))
    verify_fail(v, op, "%s has no tensor memory", v->module->target.arch->name);
}

// A tile that goes from or to tensor memory has the layout of tcgen05.ld, with some arrangement of further warps.
static bool is_read_layout(Verifier *v, const Type *tile) {
  DotShape shape = {.m = log2_of(tile->shape[0]), .n = log2_of(tile->shape[1])};
  uint32_t bits = log2_of(v->warps);
  for (uint32_t n = 0; n + 2 <= bits && n + 3 <= shape.n; n++) {
    DotWarps warps = {.m = bits - n, .n = n};
    Layout layout = layout_tcgen05_result(&shape, &warps);
    if (layout_equal(&layout, tile->layout)) return true;
    if (shape.m >= TMEM_LANE_BITS) layout = layout_tcgen05_rows(&shape, &warps);
    if (layout_equal(&layout, tile->layout)) return true;
  }
  return false;
}

// An accumulator may have fewer columns than tmem_alloc describes.
static void check_slot(Verifier *v, const Op *op) {
  const Type *type = result_type(op), *whole = operand_type(op, 0);
  check_size(v, op);
  if (!is_alloc(op_operand(op, 0)))
    verify_fail(v, op, "it is one of the accumulators of tmem_alloc");
  else if (v->ok && tmem_columns(type) > tmem_columns(whole))
    verify_fail(v, op, "%s has more columns than %s", verify_type_text(v, type), verify_type_text(v, whole));
}

static void check_move(Verifier *v, const Op *op, const Type *tile, const Type *tmem) {
  if (!type_same_shape(tile, tmem) || !type_is_elem(tile, tmem->elem))
    verify_fail(v, op, "%s does not hold %s", verify_type_text(v, tmem), verify_type_text(v, tile));
  else if (tmem_is_operand(op->result_count ? op_result(op) : NULL) && !tile_has_tmem_rows(tile))
    verify_fail(v, op, "a thread writes an operand's rows, not %s", verify_type_text(v, tile));
  else if (!tile->layout || !is_read_layout(v, tile))
    verify_fail(v, op, "threads do not reach tensor memory in the layout of %s", verify_type_text(v, tile));
}

// True if they are in different branches of an if.
static bool are_exclusive(const Op *a, const Op *b) {
  for (; a->region->parent; a = a->region->parent)
    for (const Op *other = b; other->region->parent; other = other->region->parent)
      if (a->region->parent == other->region->parent && a->region != other->region)
        return a->region->parent->kind == OP_IF;
  return false;
}

static bool writes_back(const Op *a, const Op *b) {
  return a->kind == OP_TMEM_LOAD && b->kind == OP_TMEM_STORE && op_precedes(a, b);
}

// An arrival that follows the sums does not use them up. A store may overwrite sums that were loaded before.
static bool are_uses(const Op *a, const Op *b) {
  return !op_follows_dots(a) && !op_follows_dots(b) && !writes_back(a, b) && !writes_back(b, a) &&
         !are_exclusive(a, b);
}

static bool is_used_twice(const Value *value) {
  for (const Use *use = value->first_use; use; use = use->next)
    for (const Use *other = use->next; other; other = other->next)
      if (are_uses(use->user, other->user)) return true;
  return false;
}

static void check_use(Verifier *v, const Op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Value *value = op_operand(op, i);
    if (is_tmem(value->type) && !is_alloc(value) && is_used_twice(value))
      verify_fail(v, op, "operand %u, a state of tensor memory, is used more than once", i);
  }
}

// Dots of a group of one thread complete at its arrivals, others at the mbarriers of tmem_alloc.
static void check_completion(Verifier *v, const Op *op) {
  bool thread = group_runs_by_thread(op), waits = op->kind == OP_DOT_WAIT;
  for (uint32_t i = 1; op_follows_dots(op) && i < op->operand_count; i++)
    if (!thread || !is_tmem(operand_type(op, i)))
      verify_fail(v, op, "operand %u is a sum in tensor memory, and a group of one thread has the op", i);
  if (waits && thread)
    verify_fail(v, op, "a group of one thread waits for no dots: its arrivals follow them");
  bool dot = is_dot_of(op, DOT_TCGEN05) && is_tmem(result_type(op)) && !thread;
  for (const Op *alloc = v->func->body->first; dot && alloc; alloc = alloc->next)
    if (alloc->kind == OP_TMEM_ALLOC && alloc->operand_count < 2)
      verify_fail(v, op, "it completes at mbarriers, which tmem_alloc does not name");
}

void verify_tmem_op(Verifier *v, const Op *op) {
  check_use(v, op);
  check_completion(v, op);
  switch ((int)op->kind) {
  case OP_TMEM_ALLOC: check_alloc(v, op); break;
  case OP_TMEM_STORE: check_move(v, op, operand_type(op, 0), operand_type(op, 1)); break;
  case OP_TMEM_LOAD: check_move(v, op, result_type(op), operand_type(op, 0)); break;
  case OP_TMEM_DEALLOC:
    if (!is_alloc(op_operand(op, 0))) verify_fail(v, op, "it frees the result of tmem_alloc");
    break;
  case OP_TMEM_SLOT: check_slot(v, op); break;
  default: break;
  }
}
