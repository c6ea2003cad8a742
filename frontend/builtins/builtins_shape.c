// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes: moves elements, and joins or splits tiles.
#include "frontend/builtins/builtins.h"

static uint32_t rank_of(const Type *type) { return type_is_tile(type) ? type->rank : 0; }

static Value *first_arg(Elab *e, const Call *call) {
  Value *x = builtin_value(e, call, SHAPE_INPUT, arena_printf(e->arena, "the argument of '%s'", call->text));
  e->b.loc = elab_loc(e, call->loc);
  return x;
}

// Reads a shape: one tuple, or separate arguments.
static bool shape_arg(Elab *e, const Call *call, uint32_t at, uint32_t *rank, uint32_t shape[TILE_MAX_RANK]) {
  Obj items = builtin_items(call, at);
  if (items.kind == OBJ_TUPLE && items.items.n == 1 && items.items.at[0].kind == OBJ_TUPLE)
    items = items.items.at[0];
  Loc loc = call->args[at].kind == OBJ_ABSENT ? call->loc : call->locs[at];
  return elab_shape(e, loc, &items, rank, shape);
}

// --- One tile ---

// reshape and view.
Obj builtin_reshape_call(Elab *e, Call *call) {
  Value *x = first_arg(e, call);
  bool good = true;
  builtin_flag(e, call, SHAPE_CAN_REORDER, "can_reorder", false, &good);
  uint32_t rank, shape[TILE_MAX_RANK];
  if (!x || !good || !shape_arg(e, call, SHAPE_SHAPE, &rank, shape)) return obj_error();
  uint64_t elements = 1;
  for (uint32_t i = 0; i < rank; i++) elements *= shape[i];
  if (elements != type_elements(x->type))
    return elab_error(e, call->loc, "[T0301] '%s' cannot give %s, of %llu elements, the shape %s, of %llu",
                      call->text, type_text(e, x->type), (unsigned long long)type_elements(x->type),
                      elab_shape_text(e, rank, shape), (unsigned long long)elements);
  e->b.loc = elab_loc(e, call->loc);
  return obj_value(rank == 0 ? builtin_only_element(e, x) : builtin_reshape(e, x, rank, shape));
}

Obj builtin_ravel(Elab *e, Call *call) {
  Value *x = first_arg(e, call);
  bool good = true;
  builtin_flag(e, call, RAVEL_CAN_REORDER, "can_reorder", false, &good);
  if (!x || !good) return obj_error();
  uint32_t size = (uint32_t)type_elements(x->type);
  return obj_value(builtin_reshape(e, x, 1, &size));
}

Obj builtin_item(Elab *e, Call *call) {
  Value *x = first_arg(e, call);
  if (!x) return obj_error();
  if (type_elements(x->type) != 1)
    return elab_error(e, call->locs[SHAPE_INPUT], "[T0207] '%s' needs a tile of one element, not %s",
                      call->text, type_text(e, x->type));
  return obj_value(builtin_only_element(e, x));
}

Obj builtin_expand_dims(Elab *e, Call *call) {
  Value *x = first_arg(e, call);
  const Obj *axis = &call->args[EXPAND_DIMS_AXIS], *axes = axis->kind == OBJ_TUPLE ? axis->items.at : axis;
  uint32_t n = axis->kind == OBJ_TUPLE ? axis->items.n : 1;
  if (!x) return obj_error();
  uint32_t rank = rank_of(x->type) + n;
  if (rank > TILE_MAX_RANK)
    return elab_error(e, call->loc, "[T0207] a tile has at most %d dimensions, not %u", TILE_MAX_RANK, rank);
  bool is_new[TILE_MAX_RANK] = {false};
  for (uint32_t i = 0; i < n; i++) {
    uint32_t at;
    if (!builtin_axis_of(e, call->locs[EXPAND_DIMS_AXIS], call, &axes[i], rank, &at)) return obj_error();
    if (is_new[at])
      return elab_error(e, call->locs[EXPAND_DIMS_AXIS], "[T0307] axis %u of '%s' is given twice", at,
                        call->text);
    is_new[at] = true;
  }
  for (uint32_t i = 0; x && i < rank; i++)
    if (is_new[i]) x = elab_expand_dims(e, call->loc, x, i);
  return obj_value(x);
}

Obj builtin_squeeze(Elab *e, Call *call) {
  Value *x = builtin_tile(e, call, SQUEEZE_X);
  uint32_t axis, rank = 0, shape[TILE_MAX_RANK];
  if (!x || !builtin_axis(e, call, SQUEEZE_DIM, x->type->rank, &axis)) return obj_error();
  if (x->type->shape[axis] != 1)
    return elab_error(e, call->locs[SQUEEZE_DIM],
                      "[T0207] '%s' removes a dimension of size 1, but dimension %u of %s has %u", call->text,
                      axis, type_text(e, x->type), x->type->shape[axis]);
  for (uint32_t i = 0; i < x->type->rank; i++)
    if (i != axis) shape[rank++] = x->type->shape[i];
  e->b.loc = elab_loc(e, call->loc);
  return obj_value(rank == 0 ? builtin_only_element(e, x) : builtin_reshape(e, x, rank, shape));
}

Obj builtin_broadcast_to(Elab *e, Call *call) {
  Value *x = first_arg(e, call);
  uint32_t rank, shape[TILE_MAX_RANK];
  if (!x || !shape_arg(e, call, SHAPE_SHAPE, &rank, shape)) return obj_error();
  return obj_value(
      elab_broadcast_to(e, call->loc, arena_printf(e->arena, "'%s'", call->text), x, rank, shape));
}

// A pair of tiles of one shape.
Obj builtin_broadcast(Elab *e, Call *call) {
  Value *a = first_arg(e, call), *b = builtin_value(e, call, BROADCAST_OTHER, "'other'");
  if (!elab_broadcast2(e, call->loc, "'broadcast'", &a, &b)) return obj_error();
  Obj pair = obj_tuple(e, 2);
  pair.items.at[0] = obj_value(a);
  pair.items.at[1] = obj_value(b);
  return pair;
}

static Obj transpose(Elab *e, const Call *call, Value *x, const uint32_t *order) {
  bool same = true;
  for (uint32_t i = 0; i < x->type->rank; i++) same = same && order[i] == i;
  e->b.loc = elab_loc(e, call->loc);
  return obj_value(same ? x : build_trans(&e->b, x, order));
}

// trans and permute; without dimensions the last two are swapped.
Obj builtin_trans(Elab *e, Call *call) {
  Value *x = builtin_tile(e, call, TRANS_INPUT);
  if (!x) return obj_error();
  Obj dims = builtin_items(call, TRANS_DIMS);
  if (dims.kind == OBJ_TUPLE && dims.items.n == 1 && dims.items.at[0].kind == OBJ_TUPLE)
    dims = dims.items.at[0];
  if (dims.kind != OBJ_TUPLE)
    return elab_error(e, call->loc, "[T0207] '%s' needs a tuple of dimensions, not %s", call->text,
                      obj_describe(e, &dims));
  uint32_t rank = x->type->rank, n = dims.items.n;
  uint32_t order[TILE_MAX_RANK];
  for (uint32_t i = 0; i < rank; i++) order[i] = i;
  if (n == 0 && call->builtin->detail) {
    if (rank < 2)
      return elab_error(e, call->loc, "[T0207] '%s' needs two dimensions, not %s", call->text,
                        type_text(e, x->type));
    order[rank - 1] = rank - 2;
    order[rank - 2] = rank - 1;
    return transpose(e, call, x, order);
  }
  if (n != rank)
    return elab_error(e, call->loc, "[T0207] '%s' needs all %u dimensions of %s, not %u", call->text, rank,
                      type_text(e, x->type), n);
  bool seen[TILE_MAX_RANK] = {false};
  for (uint32_t i = 0; i < n; i++) {
    uint32_t axis;
    if (!builtin_axis_of(e, call->loc, call, &dims.items.at[i], rank, &axis)) return obj_error();
    if (seen[axis])
      return elab_error(e, call->loc, "[T0204] dimension %u of '%s' is given twice", axis, call->text);
    seen[axis] = true;
    order[i] = axis;
  }
  return transpose(e, call, x, order);
}

Obj builtin_flip(Elab *e, Call *call) {
  Value *x = builtin_tile(e, call, FLIP_X);
  if (!x) return obj_error();
  uint32_t axis = x->type->rank - 1u;
  if (obj_given(&call->args[FLIP_DIM]) && !builtin_axis(e, call, FLIP_DIM, x->type->rank, &axis))
    return obj_error();
  return obj_value(build_flip(&e->b, x, axis));
}

// detail: "merge" does only the last merge of a bitonic sort.
Obj builtin_sort(Elab *e, Call *call) {
  Value *x = builtin_number_tile(e, call, SORT_X);
  bool good = true, descending = builtin_flag(e, call, SORT_DESCENDING, "descending", false, &good);
  if (!x || !good || builtin_refuse_fp8(e, call->locs[SORT_X], call, x->type)) return obj_error();
  uint32_t axis = x->type->rank - 1u;
  if (obj_given(&call->args[SORT_DIM]) && !builtin_axis(e, call, SORT_DIM, x->type->rank, &axis))
    return obj_error();
  Value *sorted = build_sort(&e->b, x, axis, descending);
  op_set_flag(sorted->def, ATTR_MERGE, call->builtin->detail != NULL);
  uint32_t size = x->type->shape[axis];
  if (call->builtin->detail && (size & (size - 1)))
    return elab_error(e, call->locs[SORT_X],
                      "[T0207] '%s' needs a power of two of elements; dimension %u has %u", call->text, axis,
                      size);
  return obj_value(sorted);
}

// The k largest along a dimension, largest first, or the k smallest.
Obj builtin_topk(Elab *e, Call *call) {
  Value *x = builtin_number_tile(e, call, TOPK_X);
  bool good = true, descending = builtin_flag(e, call, TOPK_DESCENDING, "descending", true, &good);
  if (!x || !good || builtin_refuse_fp8(e, call->locs[TOPK_X], call, x->type)) return obj_error();
  uint32_t axis = x->type->rank - 1u, shape[TILE_MAX_RANK], starts[TILE_MAX_RANK] = {0};
  if (obj_given(&call->args[TOPK_DIM]) && !builtin_axis(e, call, TOPK_DIM, x->type->rank, &axis))
    return obj_error();
  bool given = builtin_option(e, call, TOPK_K, CONST_INT, "k", &good);
  uint32_t size = x->type->shape[axis];
  int64_t k = given ? call->args[TOPK_K].constant.i : 0;
  if (!good) return obj_error();
  if (k < 1 || k > size)
    return elab_error(e, call->locs[TOPK_K],
                      "[T0207] 'k' of '%s' must be from 1 to the size of dimension %u, which is %u, not %s",
                      call->text, axis, size, obj_text(e, &call->args[TOPK_K]));
  e->b.loc = elab_loc(e, call->loc);
  Value *sorted = build_sort(&e->b, x, axis, descending);
  memcpy(shape, x->type->shape, sizeof shape);
  shape[axis] = (uint32_t)k;
  if (k == size) return obj_value(sorted);
  // Values selected by maxima have the type of the maxima.
  return obj_value(builtin_widen_extreme(e, build_slice(&e->b, sorted, starts, shape)));
}

Obj builtin_histogram(Elab *e, Call *call) {
  Value *x = builtin_number_tile(e, call, HISTOGRAM_INPUT), *mask = NULL;
  uint32_t rank, bins[TILE_MAX_RANK];
  if (!x || !elab_shape(e, call->locs[HISTOGRAM_NUM_BINS], &call->args[HISTOGRAM_NUM_BINS], &rank, bins))
    return obj_error();
  if (rank != 1)
    return elab_error(e, call->locs[HISTOGRAM_NUM_BINS],
                      "[T0207] 'num_bins' of '%s' must be one number, not %s", call->text,
                      obj_describe(e, &call->args[HISTOGRAM_NUM_BINS]));
  if (x->type->rank != 1 || !type_is_int(x->type))
    return elab_error(e, call->locs[HISTOGRAM_INPUT],
                      "[T0207] '%s' needs a tile of integers with one dimension, not %s", call->text,
                      type_text(e, x->type));
  if (obj_given(&call->args[HISTOGRAM_MASK])) {
    mask = builtin_value(e, call, HISTOGRAM_MASK, "'mask'");
    if (mask && !type_is_elem(mask->type, ELEM_I1))
      return elab_error(e, call->locs[HISTOGRAM_MASK], "[T0504] a mask's elements must be i1, not %s",
                        type_text(e, type_element(mask->type)));
    if (mask) mask = elab_broadcast_to(e, call->locs[HISTOGRAM_MASK], "'mask'", mask, 1, x->type->shape);
    if (!mask) return obj_error();
  }
  e->b.loc = elab_loc(e, call->loc);
  if (type_is_elem(x->type, ELEM_I1)) x = builtin_as(e, x, ELEM_I32);
  return obj_value(build_histogram(&e->b, x, mask, bins[0]));
}

// --- Two tiles, two halves ---

// Converts the operands to one shape and one element type. Pointers are allowed.
static bool alike(Elab *e, const Call *call, Value **a, Value **b) {
  const Obj *x = &call->args[ARG_X], *y = &call->args[ARG_Y];
  bool pointers = x->kind == OBJ_VALUE && y->kind == OBJ_VALUE && type_is_ptr(x->value->type) &&
                  type_element(x->value->type) == type_element(y->value->type);
  if (!pointers) {
    Pair p = elab_promote(e, call->loc, arena_printf(e->arena, "'%s'", call->text), PROMOTE_MOVE, x, y);
    e->b.loc = elab_loc(e, call->loc);
    *a = p.a, *b = p.b;
    return p.a != NULL;
  }
  *a = x->value, *b = y->value;
  return elab_broadcast2(e, call->loc, arena_printf(e->arena, "'%s'", call->text), a, b);
}

static Value *join(Elab *e, const Call *call, Value *a, Value *b) {
  uint32_t rank = rank_of(a->type), one = 1, two = 2;
  if (rank == 0) { // make tiles of one element
    a = builtin_reshape(e, a, 1, &one), b = builtin_reshape(e, b, 1, &one);
    return builtin_reshape(e, join(e, call, a, b), 1, &two);
  }
  uint64_t sizes[TILE_MAX_RANK + 1] = {0};
  for (uint32_t i = 0; i < rank; i++) sizes[i] = a->type->shape[i];
  sizes[rank] = 2;
  if (!elab_check_tile(e, call->loc, rank + 1, sizes)) return NULL;
  e->b.loc = elab_loc(e, call->loc);
  return build_join(&e->b, a, b);
}

Obj builtin_join(Elab *e, Call *call) {
  Value *a, *b;
  return obj_value(alike(e, call, &a, &b) ? join(e, call, a, b) : NULL);
}

Obj builtin_interleave(Elab *e, Call *call) {
  Value *a, *b, *joined = alike(e, call, &a, &b) ? join(e, call, a, b) : NULL;
  if (!joined || joined->type->rank == 1) return obj_value(joined);
  uint32_t rank = joined->type->rank - 1u, shape[TILE_MAX_RANK];
  memcpy(shape, joined->type->shape, rank * sizeof *shape);
  shape[rank - 1] *= 2;
  return obj_value(builtin_reshape(e, joined, rank, shape));
}

Obj builtin_split(Elab *e, Call *call) {
  Value *x = builtin_tile(e, call, ARG_X);
  if (!x) return obj_error();
  if (x->type->shape[x->type->rank - 1] != 2)
    return elab_error(e, call->locs[ARG_X], "[T0207] '%s' needs a tile whose last dimension is 2, not %s",
                      call->text, type_text(e, x->type));
  Op *op = build_split(&e->b, x);
  Obj halves = obj_tuple(e, 2);
  for (uint32_t i = 0; i < 2; i++) halves.items.at[i] = obj_value(&op->results[i]);
  return halves;
}

static bool same_but(const Type *a, const Type *b, uint32_t axis) {
  bool same = a->rank == b->rank;
  for (uint32_t i = 0; same && i < a->rank; i++) same = i == axis || a->shape[i] == b->shape[i];
  return same;
}

Obj builtin_cat(Elab *e, Call *call) {
  bool good = true;
  builtin_flag(e, call, CAT_CAN_REORDER, "can_reorder", false, &good);
  Value *a = builtin_tile(e, call, CAT_INPUT), *b = builtin_tile(e, call, CAT_OTHER);
  uint32_t axis = 0;
  if (!a || !b || !good) return obj_error();
  if (obj_given(&call->args[CAT_DIM]) && !builtin_axis(e, call, CAT_DIM, a->type->rank, &axis))
    return obj_error();
  if (type_element(a->type) != type_element(b->type) || !same_but(a->type, b->type, axis))
    return elab_error(e, call->loc, "[T0301] '%s' cannot concatenate %s and %s along dimension %u",
                      call->text, type_text(e, a->type), type_text(e, b->type), axis);
  uint64_t sizes[TILE_MAX_RANK];
  for (uint32_t i = 0; i < a->type->rank; i++)
    sizes[i] = a->type->shape[i] + (i == axis ? (uint64_t)b->type->shape[i] : 0);
  return elab_check_tile(e, call->loc, a->type->rank, sizes) ? obj_value(build_cat(&e->b, a, b, axis))
                                                             : obj_error();
}

Obj builtin_gather(Elab *e, Call *call) {
  Value *x = builtin_tile(e, call, GATHER_SRC), *index = builtin_tile(e, call, GATHER_INDEX);
  uint32_t axis;
  if (!x || !index || !builtin_axis(e, call, GATHER_AXIS, x->type->rank, &axis)) return obj_error();
  if (!type_is_int(index->type))
    return elab_error(e, call->locs[GATHER_INDEX], "[T0207] the indices of '%s' must be integers, not %s",
                      call->text, type_text(e, index->type));
  if (type_is_elem(index->type, ELEM_I1)) index = builtin_as(e, index, ELEM_U8);
  if (!same_but(x->type, index->type, axis))
    return elab_error(e, call->loc,
                      "[T0301] '%s' needs indices of the tile's shape, except in dimension %u: %s and %s",
                      call->text, axis, type_text(e, x->type), type_text(e, index->type));
  return obj_value(build_gather(&e->b, x, index, axis));
}
