// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds windows. An address is base + (offset + near) + far, with constants near and far. near is added to the offsets,
// in their own width. far is added to the pointers. The taps of a window differ in only one of the two.
#include "passes/loops/windows.h"

#include "base/integer.h"
#include "target/tuning.h"
#include "passes/analysis/index_clone.h"

enum { MAX_TAPS = 32 };

typedef struct TapAddress {
  Value *pointer;       // without far
  Value *base, *offset; // of pointer, without near; base is NULL if pointer is no sum
  int64_t near, far;
} TapAddress;

static Value *without_constant(Value *value, OpKind kind, int64_t *sum) {
  while (value->def && value->def->kind == kind) {
    Value *x = op_operand(value->def, 0), *y = op_operand(value->def, 1);
    int64_t constant;
    if (kind == OP_ADD && value_int_constant(x, &constant)) {
      Value *swap = x;
      x = y, y = swap;
    }
    if (!value_int_constant(y, &constant) || __builtin_add_overflow(*sum, constant, sum)) break;
    value = x;
  }
  return value;
}

static TapAddress address_of(Value *pointer) {
  TapAddress address = {0};
  address.pointer = without_constant(pointer, OP_ADDPTR, &address.far);
  const Op *op = address.pointer->def;
  if (!op || op->kind != OP_ADDPTR) return address;
  address.base = op_operand(op, 0);
  address.offset = without_constant(op_operand(op, 1), OP_ADD, &address.near);
  return address;
}

static bool is_candidate(const Op *op) {
  if (op->kind != OP_LOAD || op_attr(op, ATTR_VOLATILE) || op_attr(op, ATTR_CACHE) || op_scratch(op))
    return false;
  const Type *tile = op_result(op)->type;
  return type_is_tile(tile) && tile->rank == 1 && !tile->layout &&
         (tile->shape[0] & (tile->shape[0] - 1)) == 0 && type_element(tile)->kind == TYPE_SCALAR &&
         !type_is_elem(tile, ELEM_I1);
}

static bool same_eviction(const Op *x, const Op *y) {
  const Attr *of_x = op_attr(x, ATTR_EVICT), *of_y = op_attr(y, ATTR_EVICT);
  return of_x && of_y ? of_x->str == of_y->str : of_x == of_y;
}

static WindowTap tap_of(Op *load) {
  int64_t holds;
  WindowTap tap = {.load = load, .mask = op_operand(load, 1), .other = op_operand(load, 2)};
  if (tap.mask && value_int_constant(tap.mask, &holds) && holds) tap.mask = NULL;
  if (!tap.mask) tap.other = NULL;
  return tap;
}

// Collects loads from `first` up to a write. They differ from `first` only in `far`, or only in `near`.
static void collect_taps(Arena *arena, Op *first, bool far, Window *window) {
  TapAddress of_first = address_of(op_operand(first, 0));
  const Type *tile = op_result(first)->type;
  *window = (Window){.low = INT64_MAX, .high = INT64_MIN};
  for (Op *op = first; op && !(op_effects(op) & WRITES) && window->taps.n < MAX_TAPS; op = op->next) {
    if (!is_candidate(op) || op_result(op)->type != tile || !same_eviction(op, first)) continue;
    TapAddress address = address_of(op_operand(op, 0));
    bool same = far ? address.pointer == of_first.pointer
                    : address.base == of_first.base && address.offset == of_first.offset &&
                          address.far == of_first.far;
    if (!same) continue;
    WindowTap tap = tap_of(op);
    tap.distance = far ? address.far : address.near;
    if (tap.distance < window->low) window->low = tap.distance;
    if (tap.distance > window->high) window->high = tap.distance;
    vec_push(arena, &window->taps, tap);
  }
  window->root = far ? of_first.pointer : of_first.offset;
  window->base = far ? NULL : of_first.base;
  window->after = far ? 0 : of_first.far;
}

static uint32_t count_distances(const Window *window) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < window->taps.n; i++) {
    bool seen = false;
    for (uint32_t k = 0; k < i; k++) seen |= window->taps.at[k].distance == window->taps.at[i].distance;
    count += !seen;
  }
  return count;
}

static const char *why_no_window(const AxisTable *axes, const Op *first, const Window *window) {
  uint32_t elements = (uint32_t)type_elements(op_result(first)->type);
  int64_t span;
  if (__builtin_sub_overflow(window->high, window->low, &span) || span > elements / TUNE_WINDOW_SPAN)
    return "they lie too far apart";
  if (axis_info(axes, window->root)->contiguity[0] < elements || !index_can_clone(window->root))
    return "their addresses are not contiguous everywhere";
  if (window->base && (!window->base->def || window->base->def->kind != OP_SPLAT))
    return "their addresses have no common base";
  for (uint32_t i = 0; i < window->taps.n; i++) {
    const WindowTap *tap = &window->taps.at[i];
    if (tap->mask && !index_can_clone(tap->mask)) return "a mask depends on more than the index";
    if (!op_can_precede(tap->load, first)) return "a mask or an address depends on an earlier load";
  }
  return NULL;
}

bool window_find(Arena *arena, const AxisTable *axes, Op *first, Window *window, const char **why) {
  if (why) *why = NULL;
  if (!is_candidate(first)) return false;
  bool near = address_of(op_operand(first, 0)).base != NULL;
  for (int far = 1; far >= 0; far--) {
    if (!far && !near) continue;
    collect_taps(arena, first, far, window);
    if (count_distances(window) < TUNE_WINDOW_DISTANCES) continue;
    const char *missing = why_no_window(axes, first, window);
    if (!missing) return true;
    if (why) {
      *why = missing;
      return false;
    }
  }
  return false;
}

const WindowTap *window_anchor(const AxisTable *axes, const Window *window) {
  enum { VECTOR_BYTES = 16 };
  const WindowTap *best = NULL;
  uint64_t most = 0;
  for (uint32_t i = 0; i < window->taps.n; i++) {
    const WindowTap *tap = &window->taps.at[i];
    uint64_t aligned = min_u64(axis_info(axes, op_operand(tap->load, 0))->divisibility[0], VECTOR_BYTES);
    if (aligned <= most) continue;
    most = aligned;
    best = tap;
  }
  return best;
}

bool window_mask_falls(const AxisTable *axes, const Window *window) {
  const Value *mask = window->taps.at[0].mask;
  if (!mask || count_distances(window) != (uint64_t)(window->high - window->low) + 1) return false;
  for (uint32_t i = 1; i < window->taps.n; i++)
    if (window->taps.at[i].mask != mask) return false;
  return axis_falls(axes, mask, 0, type_elements(mask->type));
}
