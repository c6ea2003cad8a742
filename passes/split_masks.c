// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// split_masks: where a mask keeps accesses narrow, the block
// that is wholly inside its bounds gets a copy without it.
//
// before  %m = lt %offs, %n            (%offs = %start + arange(0, 1024); %n any number)
//         %x = load %p, %m
//         ...
//         store %q, %y, %m
// after   if %start + 1023 < %n {
//           %x = load %p
//           ...
//           store %q, %y
//         } else { as before }
//
// before  for %i = %a to %n step 1024 { load %p, (%i + arange(0, 1024)) < %n ... }
// after   for %i = %a to %a + (%n - %a) / 1024 * 1024 step 1024 { load %p ... }
//         for %i = ... to %n step 1024 { as before }        (at most once)
//
// needs   pointer tiles without layouts; before coalesce, which then sees accesses without masks
// keeps   every value
// breaks  nothing
// pays    the mask's bound is any number, so a masked access moves one element at a time; an access without
//         mask moves 16 bytes a lane. The price is a second copy of the code
//
// In a straight line that reduces or scans the copy is made for wide accesses too, where a thread has several
// of them under masks: their predicates, and the offsets that these come from, would live across the
// reduction beside the elements.
//
// Loads that share_windows would read once count as narrowed: with masks it reads an element at a time.
//
// Any other tile whose masks' changes fall together with its vectors
// (the bound a multiple of 16) needs no second copy and gets none.
#include "base/math.h"
#include "ir/clone.h"
#include "ir/tuning.h"
#include "passes/axis_info.h"
#include "passes/mask_bounds.h"
#include "passes/passes.h"
#include "passes/windows.h"

enum { ACCESS_BYTES = 16 };

typedef struct Splitter {
  PassContext *context;
  Func *func;
  const AxisTable *axes;
  bool *shared;  // by op id: a load of a window, which without masks is read in vectors
  bool combines; // a straight line that reduces or scans
  bool changed;
} Splitter;

static uint32_t mask_index(const Op *op) { return op->kind == OP_STORE ? 2 : 1; }

static Value *mask_of(const Op *op) {
  bool access = op->kind == OP_LOAD || op->kind == OP_STORE;
  if (!access || !type_is_tile(op_operand(op, 0)->type)) return NULL;
  return op_operand(op, mask_index(op));
}

static bool is_selected_by(const Region *body, const Value *mask) {
  for (const Op *op = body->first; op; op = op->next)
    if (op->kind == OP_SELECT && op_operand(op, 0) == mask) return true;
  return false;
}

// Whether a thread needs several predicates for the mask, which a reduction's kernel keeps for long: one a
// vector, and where it selects one an element.
static bool has_many_predicates(const Splitter *s, const Value *mask, uint64_t share, uint64_t vector) {
  return s->combines && share > 1 && (share >= 2 * vector || is_selected_by(s->func->body, mask));
}

// Whether without its mask a thread could move more elements at once, or would be spared predicates.
static bool is_narrowed(const Splitter *s, const Op *op) {
  const Value *mask = mask_of(op), *pointer = op_operand(op, 0);
  if (!mask) return false;
  if (op->id < s->func->op_count && s->shared[op->id]) return true;
  uint32_t order[TILE_MAX_RANK], bytes = type_element_bytes(type_element(pointer->type)->inner);
  axis_order(s->axes, pointer, order);
  const AxisInfo *at = axis_info(s->axes, pointer);
  uint64_t share = type_elements(pointer->type) / region_threads(op);
  uint64_t vector = min_u64(min_u64(ACCESS_BYTES / bytes, at->contiguity[order[0]]),
                            min_u64(at->divisibility[order[0]] / bytes, share));
  return vector > axis_info(s->axes, mask)->constancy[order[0]] ||
         has_many_predicates(s, mask, share, vector);
}

// --- a straight line

static bool same_bound(const MaskBound *a, const MaskBound *b) {
  for (uint32_t i = 0; i < a->base_count && i < b->base_count; i++)
    if (a->bases[i] != b->bases[i]) return false;
  return a->kind == b->kind && a->base_count == b->base_count && a->low == b->low && a->high == b->high &&
         a->bound == b->bound && a->constant == b->constant && a->type == b->type;
}

typedef struct Bounds {
  MaskBound at[MASK_BOUNDS_MAX];
  uint32_t n;
} Bounds;

static bool has_bound(const Bounds *bounds, const MaskBound *bound) {
  for (uint32_t i = 0; i < bounds->n; i++)
    if (same_bound(&bounds->at[i], bound)) return true;
  return false;
}

// Whether the mask holds everywhere where the bounds do.
static bool is_implied(const Bounds *bounds, const Value *mask) {
  MaskBound parts[MASK_BOUNDS_MAX];
  uint32_t n = mask_bounds(mask, parts);
  for (uint32_t i = 0; i < n; i++)
    if (!has_bound(bounds, &parts[i])) return false;
  return n > 0;
}

static bool add_bounds(Bounds *bounds, const Value *mask, const Op *place) {
  MaskBound parts[MASK_BOUNDS_MAX];
  uint32_t n = mask_bounds(mask, parts);
  for (uint32_t i = 0; i < n; i++)
    if (!mask_bound_visible(&parts[i], place)) return false;
  Bounds all = *bounds;
  for (uint32_t i = 0; i < n; i++) {
    if (has_bound(&all, &parts[i])) continue;
    if (all.n == MASK_BOUNDS_MAX) return false;
    all.at[all.n++] = parts[i];
  }
  *bounds = all;
  return n > 0;
}

static Op *first_narrowed(const Splitter *s, const Region *region, Bounds *bounds) {
  for (Op *op = region->first; op; op = op->next) {
    *bounds = (Bounds){0};
    if (is_narrowed(s, op) && add_bounds(bounds, mask_of(op), op)) return op;
  }
  return NULL;
}

// The op's copy without its mask where that holds; a select's first operand is its mask.
static void copy_op(Splitter *s, Builder *b, const Op *op, CloneMap *map, const Bounds *bounds) {
  bool selects = op->kind == OP_SELECT && type_is_tile(op_operand(op, 0)->type);
  const Value *mask = selects ? op_operand(op, 0) : mask_of(op);
  Op *copy = op_clone(b, op, map);
  if (!mask || !is_implied(bounds, mask)) return;
  const Type *i1 = type_scalar(s->func->module->ir, ELEM_I1);
  Builder before = builder_before(copy);
  op_set_operand(copy, selects ? 0 : mask_index(op),
                 build_int(&before, type_with_element(s->func->module->ir, mask->type, i1), 1));
}

static uint32_t ops_from(const Op *op) {
  uint32_t n = 0;
  for (; op; op = op->next) {
    n++;
    for (uint32_t r = 0; r < op->region_count; r++) n += ops_from(op->regions[r]->first);
  }
  return n;
}

// From `first` to the body's end: a copy where the bounds hold, what was there else.
static void version(Splitter *s, Op *first, const Bounds *bounds) {
  Builder b = builder_before(first);
  Value *inside = NULL;
  for (uint32_t i = 0; i < bounds->n; i++) {
    Value *test = mask_bound_test(&b, &bounds->at[i]);
    inside = inside ? build_binary(&b, OP_AND, inside, test) : test;
  }
  Op *branch = build_if(&b, inside, 0, NULL);
  CloneMap map = clone_map_new(s->context->scratch, s->func);
  Builder copy = builder_at_end(s->func, branch->regions[0]),
          rest = builder_at_end(s->func, branch->regions[1]);
  for (Op *op = first, *next; op; op = next) {
    next = op->next;
    if (op_has(op, TERMINATOR)) break;
    copy_op(s, &copy, op, &map, bounds);
    op_move(op, branch->regions[1], NULL);
  }
  copy.loc = rest.loc = first->loc;
  build_yield(&copy, 0, NULL);
  build_yield(&rest, 0, NULL);
  diag_remark(s->context->diags, first->loc, "split_masks",
              "a copy without masks for blocks that are wholly inside");
  s->changed = true;
}

static void split_straight(Splitter *s, Region *body) {
  Bounds bounds;
  Op *first = first_narrowed(s, body, &bounds);
  if (!first) return;
  if (ops_from(first) > TUNE_SPLIT_OPS) {
    diag_remark(s->context->diags, first->loc, "split_masks",
                "no copy without masks: it would be of more than %d ops", TUNE_SPLIT_OPS);
    return;
  }
  for (Op *op = first->next; op; op = op->next)
    if (is_narrowed(s, op)) add_bounds(&bounds, mask_of(op), first);
  version(s, first, &bounds);
}

// --- loops

// iv + [low, high] < upper for every iteration but one that goes past the bound.
static bool is_loop_bound(const Op *loop, const MaskBound *bound, int64_t step) {
  bool of_loop = bound->base_count == 1 && bound->bases[0] == loop->regions[0]->args[0];
  return of_loop && bound->kind == OP_LT && bound->bound == loop_upper(loop) && bound->low >= 0 &&
         bound->high < step;
}

static bool loop_bounds(const Op *loop, const Value *mask, int64_t step, Bounds *bounds) {
  MaskBound parts[MASK_BOUNDS_MAX];
  uint32_t n = mask_bounds(mask, parts);
  for (uint32_t i = 0; i < n; i++)
    if (!is_loop_bound(loop, &parts[i], step)) return false;
  for (uint32_t i = 0; i < n && bounds->n < MASK_BOUNDS_MAX; i++)
    if (!has_bound(bounds, &parts[i])) bounds->at[bounds->n++] = parts[i];
  return n > 0;
}

// The whole iterations first, with copies of the body's ops without those masks; then what was there.
static void peel(Splitter *s, Op *loop, const Bounds *bounds) {
  Region *body = loop->regions[0];
  Builder b = builder_before(loop);
  Value *lower = loop_lower(loop), *upper = loop_upper(loop), *step = loop_step(loop);
  Value *whole = build_binary(&b, OP_DIV, build_binary(&b, OP_SUB, upper, lower), step);
  Value *middle = build_binary(&b, OP_ADD, lower, build_binary(&b, OP_MUL, whole, step));
  uint32_t carried = loop->result_count;
  Value **values = ARENA_ARRAY(s->context->scratch, Value *, carried);
  for (uint32_t i = 0; i < carried; i++) values[i] = loop_init(loop, i);
  Op *made = build_for(&b, lower, middle, step, carried, values);
  op_copy_attrs(made, loop);
  CloneMap map = clone_map_new(s->context->scratch, s->func);
  for (uint32_t i = 0; i < body->arg_count; i++) {
    clone_set(&map, body->args[i], made->regions[0]->args[i]);
    made->regions[0]->args[i]->name = body->args[i]->name;
  }
  Builder copy = builder_at_end(s->func, made->regions[0]);
  for (const Op *op = body->first; !op_has(op, TERMINATOR); op = op->next)
    copy_op(s, &copy, op, &map, bounds);
  for (uint32_t i = 0; i < carried; i++) values[i] = clone_get(&map, op_operand(body->last, i));
  copy.loc = body->last->loc;
  build_yield(&copy, carried, values);
  op_set_operand(loop, 0, middle);
  for (uint32_t i = 0; i < carried; i++) op_set_operand(loop, i + 3, &made->results[i]);
  diag_remark(s->context->diags, loop->loc, "split_masks",
              "whole iterations without masks, the last one apart");
  s->changed = true;
}

static void split_loop(Splitter *s, Op *loop) {
  int64_t lower, step;
  Bounds bounds = {0};
  bool narrowed = false;
  if (!value_int_constant(loop_step(loop), &step) || step <= 0) return;
  if (!value_int_constant(loop_lower(loop), &lower) || lower < 0) return; // upper - lower does not wrap
  for (const Op *op = loop->regions[0]->first; op; op = op->next)
    if (mask_of(op)) narrowed |= loop_bounds(loop, mask_of(op), step, &bounds) && is_narrowed(s, op);
  if (narrowed && ops_from(loop->regions[0]->first) <= TUNE_SPLIT_OPS) peel(s, loop, &bounds);
}

static void split_loops(Splitter *s, Region *region) {
  for (Op *op = region->first, *next; op; op = next) {
    next = op->next;
    for (uint32_t r = 0; r < op->region_count; r++) split_loops(s, op->regions[r]);
    if (op->kind == OP_FOR) split_loop(s, op);
  }
}

static bool has_loops(const Region *region) {
  for (const Op *op = region->first; op; op = op->next)
    if (op->kind == OP_FOR || op->kind == OP_WHILE) return true;
  return false;
}

static bool combines(const Region *region) {
  for (const Op *op = region->first; op; op = op->next)
    if (op->kind == OP_REDUCE || op->kind == OP_SCAN) return true;
  return false;
}

static void mark_windows(Op *op, void *data) {
  Splitter *s = data;
  Window window;
  if (op->kind != OP_LOAD || s->shared[op->id]) return;
  if (!window_find(s->context->scratch, s->axes, op, &window, NULL)) return;
  for (uint32_t i = 0; i < window.taps.n; i++) s->shared[window.taps.at[i].load->id] = true;
}

bool pass_split_masks(PassContext *context, Func *func) {
  Splitter s = {.context = context, .func = func, .axes = axis_analyse(context->scratch, func)};
  s.shared = ARENA_ARRAY(context->scratch, bool, func->op_count);
  region_walk(func->body, mark_windows, &s);
  s.combines = !has_loops(func->body) && combines(func->body);
  if (has_loops(func->body))
    split_loops(&s, func->body);
  else
    split_straight(&s, func->body);
  return s.changed;
}
