// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// split_masks: if a mask makes accesses narrow, code that is wholly inside the mask's bounds gets a copy without the
// mask. In a function without loops it is all that follows:
//
// before  %m = lt %offs, %n            (%offs = %start + arange(0, 1024); %n any number)
//         %x = load %p, %m
//         ...
//         store %q, %y, %m
//
// after   if %start + 1023 < %n {
//           %x = load %p
//           ...
//           store %q, %y
//         } else { as before }
//
// In a function with loops it is the iterations inside the loop's bound. The last iteration is peeled off:
//
// before  for %i = %a to %n step 1024 { load %p, (%i + arange(0, 1024)) < %n ... }
//
// after   for %i = %a to %a + (%n - %a) / 1024 * 1024 step 1024 { load %p ... }
//         for %i = ... to %n step 1024 { as before }        (at most once)
//
// needs   pointer tiles without layouts. Runs before coalesce, which then sees accesses without masks. A loop starts
//         at a constant >= 0 and has a constant step.
// keeps   every value
// breaks  nothing
//
// pays    The mask's bound is any number, so a masked access moves one element at a time. An access without a mask
//         moves 16 bytes per lane. The cost is a second copy of the code.
//
// mask_copies.c decides which masks are worth a copy.
#include "target/tuning.h"
#include "passes/loops/mask_copies.h"

static bool add_bounds(HeldBounds *bounds, const Value *mask, const Op *place) {
  MaskBound parts[MASK_BOUNDS_MAX];
  uint32_t n = mask_bounds(mask, parts);
  for (uint32_t i = 0; i < n; i++)
    if (!mask_bound_visible(&parts[i], place)) return false;
  HeldBounds all = *bounds;
  for (uint32_t i = 0; i < n; i++) {
    if (mask_bound_is_constant(&parts[i]) || held_bounds_include(&all, &parts[i])) continue;
    if (all.n == MASK_BOUNDS_MAX) return false;
    all.at[all.n++] = parts[i];
  }
  *bounds = all;
  return n > 0 && all.n > 0;
}

static Op *first_narrowed(const MaskCopies *copies, const Region *region, HeldBounds *bounds) {
  for (Op *op = region->first; op; op = op->next) {
    *bounds = (HeldBounds){0};
    if (mask_narrows(copies, op) && add_bounds(bounds, mask_of(op), op)) return op;
  }
  return NULL;
}

static Value *build_bounds_test(Builder *b, const HeldBounds *bounds) {
  Value *inside = NULL;
  for (uint32_t i = 0; i < bounds->n; i++) {
    Value *test = mask_bound_test(b, &bounds->at[i]);
    inside = inside ? build_binary(b, OP_AND, inside, test) : test;
  }
  return inside;
}

// Branches from `first` to the end of the body: a copy if the bounds hold, the old code otherwise.
static void branch_on_bounds(const MaskCopies *copies, Op *first, const HeldBounds *bounds) {
  Builder b = builder_before(first);
  Op *branch = build_if(&b, build_bounds_test(&b, bounds), 0, NULL);
  CloneMap map = clone_map_new(copies->context->scratch, copies->func);
  Builder copy = builder_at_end(copies->func, branch->regions[0]),
          rest = builder_at_end(copies->func, branch->regions[1]);
  for (Op *op = first, *next; op; op = next) {
    next = op->next;
    if (op_has(op, TERMINATOR)) break;
    mask_copy_op(copies, &copy, op, &map, bounds);
    op_move(op, branch->regions[1], NULL);
  }
  copy.loc = rest.loc = first->loc;
  build_yield(&copy, 0, NULL);
  build_yield(&rest, 0, NULL);
  diag_remark(copies->context->diags, first->loc, "split_masks",
              "a copy of the code without masks, for programs inside the bounds");
}

// --- loops

// True if iv + [low, high] < upper in every iteration except the one that goes past the bound.
static bool is_loop_bound(const Op *loop, const MaskBound *bound, int64_t step) {
  bool of_loop = bound->base_count == 1 && bound->bases[0] == loop->regions[0]->args[0];
  return of_loop && bound->kind == OP_LT && bound->bound == loop_upper(loop) && bound->low >= 0 &&
         bound->high < step;
}

// Adds the bounds of the mask, if it compares only with the loop's bound and with constants.
static bool add_loop_bounds(HeldBounds *bounds, const Op *loop, const Value *mask, int64_t step) {
  MaskBound parts[MASK_BOUNDS_MAX];
  uint32_t n = mask_bounds(mask, parts);
  for (uint32_t i = 0; i < n; i++)
    if (!mask_bound_is_constant(&parts[i]) && !is_loop_bound(loop, &parts[i], step)) return false;
  for (uint32_t i = 0; i < n && bounds->n < MASK_BOUNDS_MAX; i++)
    if (!mask_bound_is_constant(&parts[i]) && !held_bounds_include(bounds, &parts[i]))
      bounds->at[bounds->n++] = parts[i];
  return n > 0 && bounds->n > 0;
}

static void copy_body(const MaskCopies *copies, const Op *loop, Op *made, const HeldBounds *bounds) {
  Region *body = loop->regions[0];
  CloneMap map = clone_map_new(copies->context->scratch, copies->func);
  region_clone_args(body, made->regions[0], &map);
  Builder b = builder_at_end(copies->func, made->regions[0]);
  for (const Op *op = body->first; !op_has(op, TERMINATOR); op = op->next)
    mask_copy_op(copies, &b, op, &map, bounds);
  op_clone(&b, body->last, &map);
}

// The first loop runs the whole iterations, with a copy of the body without those masks. The old loop follows.
static void peel_loop(const MaskCopies *copies, Op *loop, const HeldBounds *bounds) {
  Builder b = builder_before(loop);
  Value *lower = loop_lower(loop), *upper = loop_upper(loop), *step = loop_step(loop);
  Value *whole = build_binary(&b, OP_DIV, build_binary(&b, OP_SUB, upper, lower), step);
  Value *middle = build_binary(&b, OP_ADD, lower, build_binary(&b, OP_MUL, whole, step));
  uint32_t carried = loop->result_count;
  Value **inits = loop_inits(copies->context->scratch, loop, 0);
  Op *made = build_for(&b, lower, middle, step, carried, inits);
  op_copy_attrs(made, loop);
  copy_body(copies, loop, made, bounds);
  op_set_operand(loop, 0, middle);
  for (uint32_t i = 0; i < carried; i++) op_set_operand(loop, i + 3, &made->results[i]);
  diag_remark(copies->context->diags, loop->loc, "split_masks",
              "full iterations run without masks; the last iteration is peeled");
}

static bool try_loop(const MaskCopies *copies, Op *loop) {
  int64_t lower, step;
  HeldBounds bounds = {0};
  bool narrowed = false;
  if (!value_int_constant(loop_step(loop), &step) || step <= 0) return false;
  if (!value_int_constant(loop_lower(loop), &lower) || lower < 0) return false; // upper - lower does not wrap
  for (const Op *op = loop->regions[0]->first; op; op = op->next)
    if (mask_of(op))
      narrowed |= add_loop_bounds(&bounds, loop, mask_of(op), step) && mask_narrows(copies, op);
  if (!narrowed || count_ops_from(loop->regions[0]->first) > TUNE_SPLIT_OPS) return false;
  peel_loop(copies, loop, &bounds);
  return true;
}

static bool peel_loops(const MaskCopies *copies) {
  bool changed = false;
  for (OpWalk w = ops_outward(copies->func->body); ops_next(&w);) // inner loops first
    if (w.op->kind == OP_FOR) changed |= try_loop(copies, w.op);
  return changed;
}

static bool split_body(const MaskCopies *copies) {
  HeldBounds bounds;
  Diags *diags = copies->context->diags;
  Op *first = first_narrowed(copies, copies->func->body, &bounds);
  if (!first) return false;
  if (count_ops_from(first) > TUNE_SPLIT_OPS) {
    diag_remark(diags, first->loc, "split_masks",
                "no copy of the code without masks: it has more than %d ops", TUNE_SPLIT_OPS);
    return false;
  }
  for (Op *op = first->next; op; op = op->next)
    if (mask_narrows(copies, op)) add_bounds(&bounds, mask_of(op), first);
  branch_on_bounds(copies, first, &bounds);
  return true;
}

bool pass_split_masks(PassContext *context, Func *func) {
  MaskCopies copies = mask_copies_of(context, func);
  return region_has_loops(func->body) ? peel_loops(&copies) : split_body(&copies);
}
