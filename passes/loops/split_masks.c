// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// split_masks: if a mask makes accesses narrow, code that is wholly inside the mask's bounds gets a copy without the
// mask.
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
// needs   pointer tiles without layouts. Runs before coalesce, which then sees accesses without masks. The function has
//         no loops (peel_masks handles loops).
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

bool pass_split_masks(PassContext *context, Func *func) {
  if (region_has_loops(func->body)) return false;
  MaskCopies copies = mask_copies_of(context, func);
  HeldBounds bounds;
  Op *first = first_narrowed(&copies, func->body, &bounds);
  if (!first) return false;
  if (count_ops_from(first) > TUNE_SPLIT_OPS) {
    diag_remark(context->diags, first->loc, "split_masks",
                "no copy of the code without masks: it has more than %d ops", TUNE_SPLIT_OPS);
    return false;
  }
  for (Op *op = first->next; op; op = op->next)
    if (mask_narrows(&copies, op)) add_bounds(&bounds, mask_of(op), first);
  branch_on_bounds(&copies, first, &bounds);
  return true;
}
