// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes: checks, NumPy's broadcasting, new dimensions.
#include "frontend/elaborate/elaborate.h"

static const char *counts_powers(uint32_t rank, const uint64_t *shape) {
  for (uint32_t i = 0; i < rank; i++)
    if (shape[i] & (shape[i] - 1)) return ", each size counted as the next power of two";
  return "";
}

// Sizes must be positive. A tile needs the registers and memory of one with power-of-two sizes: pad_tiles.
bool elab_check_tile(Elab *e, Loc loc, uint32_t rank, const uint64_t *shape) {
  if (rank > TILE_MAX_RANK)
    return elab_fail(e, loc, "[T0505] a tile has at most %d dimensions, not %u", TILE_MAX_RANK, rank);
  uint64_t elements = 1;
  for (uint32_t i = 0; i < rank; i++) {
    uint64_t n = 1;
    while (n < shape[i] && n <= TILE_MAX_ELEMENTS) n *= 2;
    elements = n > TILE_MAX_ELEMENTS ? TILE_MAX_ELEMENTS + 1 : elements * n;
    if (elements > TILE_MAX_ELEMENTS)
      return elab_fail(e, loc, "[T0505] the tile is too large: at most %d elements are allowed%s",
                       TILE_MAX_ELEMENTS, counts_powers(rank, shape));
  }
  return true;
}

bool elab_shape(Elab *e, Loc loc, const Obj *obj, uint32_t *rank, uint32_t shape[TILE_MAX_RANK]) {
  if (obj->kind == OBJ_ERROR) return false;
  const Obj *items = obj->kind == OBJ_TUPLE ? obj->items.at : obj;
  uint64_t sizes[TILE_MAX_RANK];
  *rank = obj->kind == OBJ_TUPLE ? obj->items.n : 1;
  if (*rank > TILE_MAX_RANK) return elab_check_tile(e, loc, *rank, NULL);
  for (uint32_t i = 0; i < *rank; i++) {
    if (items[i].kind == OBJ_ERROR) return false;
    if (!obj_is_int(&items[i])) {
      elab_explain_runtime(e,
                           diag_error(e->diags, elab_loc(e, loc),
                                      "[T0401] a shape needs constexpr integers, not %s",
                                      obj_describe(e, &items[i])),
                           &items[i]);
      return false;
    }
    if (items[i].constant.i <= 0 && !items[i].constant.is_u64)
      return elab_fail(e, loc, "[T0406] a tile's size must be positive, not %lld",
                       (long long)items[i].constant.i);
    sizes[i] = (uint64_t)items[i].constant.i;
  }
  if (!elab_check_tile(e, loc, *rank, sizes)) return false;
  for (uint32_t i = 0; i < *rank; i++) shape[i] = (uint32_t)sizes[i];
  return true;
}

const char *elab_shape_text(Elab *e, uint32_t rank, const uint32_t *shape) {
  Buf buf = {0};
  buf_char(&buf, '[');
  for (uint32_t i = 0; i < rank; i++) buf_printf(&buf, "%s%u", i ? ", " : "", shape[i]);
  buf_char(&buf, ']');
  return elab_text(e, &buf);
}

// --- New dimensions ---

Value *elab_expand_dims(Elab *e, Loc loc, Value *value, uint32_t axis) {
  const Type *type = value->type;
  uint32_t rank = type_is_tile(type) ? type->rank : 0;
  e->b.loc = elab_loc(e, loc);
  if (rank == TILE_MAX_RANK) {
    elab_error(e, loc, "[T0505] a tile has at most %d dimensions, not %d", TILE_MAX_RANK, TILE_MAX_RANK + 1);
    return NULL;
  }
  if (rank) return build_expand_dims(&e->b, value, axis);
  const uint32_t one = 1;
  return build_splat(&e->b, value, type_tile(e->ir, type, 1, &one, NULL));
}

// --- Broadcasting ---

// Widens *rank and shape, aligned at their ends, to include `type`. False if they are incompatible.
static bool merge_shapes(uint32_t *rank, uint32_t shape[TILE_MAX_RANK], const Type *type) {
  uint32_t n = *rank > type->rank ? *rank : type->rank, merged[TILE_MAX_RANK];
  for (uint32_t i = 1; i <= n; i++) {
    uint32_t x = i <= *rank ? shape[*rank - i] : 1, y = i <= type->rank ? type->shape[type->rank - i] : 1;
    if (x != y && x != 1 && y != 1) return false;
    merged[n - i] = x == 1 ? y : x;
  }
  *rank = n;
  memcpy(shape, merged, n * sizeof *merged);
  return true;
}

static bool has_shape(const Type *type, uint32_t rank, const uint32_t *shape) {
  return type_is_tile(type) && type->rank == rank && memcmp(type->shape, shape, rank * sizeof *shape) == 0;
}

// Broadcasts `value` to a compatible shape.
static Value *stretch(Elab *e, Loc loc, Value *value, uint32_t rank, const uint32_t *shape) {
  e->b.loc = elab_loc(e, loc);
  if (rank == 0 || has_shape(value->type, rank, shape)) return value;
  if (!type_is_tile(value->type))
    return build_splat(&e->b, value, type_tile(e->ir, value->type, rank, shape, NULL));
  while (value->type->rank < rank) value = elab_expand_dims(e, loc, value, 0);
  return has_shape(value->type, rank, shape) ? value : build_broadcast(&e->b, value, shape);
}

static bool check_size(Elab *e, Loc loc, uint32_t rank, const uint32_t *shape) {
  uint64_t sizes[TILE_MAX_RANK] = {0};
  for (uint32_t i = 0; i < rank; i++) sizes[i] = shape[i];
  return elab_check_tile(e, loc, rank, sizes);
}

// " of 'x'" if the value has a name.
static const char *of_name(Elab *e, const Value *value) {
  const char *name = elab_value_name(e, value);
  return name ? arena_printf(e->arena, " of '%s'", name) : "";
}

bool elab_broadcast(Elab *e, Loc loc, const char *what, uint32_t n, Value **values) {
  uint32_t rank = 0, shape[TILE_MAX_RANK];
  for (uint32_t i = 0; i < n; i++) {
    if (!values[i]) return false;
    const Type *type = values[i]->type;
    if (!type_is_tile(type) || merge_shapes(&rank, shape, type)) continue;
    return elab_fail(e, loc,
                     "[T0301] %s: the shapes %s%s and %s%s do not broadcast: counted from the last "
                     "dimension, two sizes "
                     "must be equal or one of them 1",
                     what, elab_shape_text(e, rank, shape), i == 1 ? of_name(e, values[0]) : "",
                     elab_shape_text(e, type->rank, type->shape), of_name(e, values[i]));
  }
  if (!check_size(e, loc, rank, shape)) return false;
  for (uint32_t i = 0; i < n; i++) values[i] = stretch(e, loc, values[i], rank, shape);
  return true;
}

bool elab_broadcast2(Elab *e, Loc loc, const char *what, Value **a, Value **b) {
  Value *values[] = {*a, *b};
  if (!elab_broadcast(e, loc, what, 2, values)) return false;
  *a = values[0];
  *b = values[1];
  return true;
}

Value *elab_broadcast_to(Elab *e, Loc loc, const char *what, Value *value, uint32_t rank,
                         const uint32_t *shape) {
  uint32_t merged_rank = rank, merged[TILE_MAX_RANK];
  memcpy(merged, shape, rank * sizeof *shape);
  bool good = !type_is_tile(value->type) || merge_shapes(&merged_rank, merged, value->type);
  if (good && merged_rank == rank && memcmp(merged, shape, rank * sizeof *shape) == 0)
    return stretch(e, loc, value, rank, shape);
  elab_error(e, loc, "[T0301] %s: the shape %s does not broadcast to %s", what,
             elab_shape_text(e, value->type->rank, value->type->shape), elab_shape_text(e, rank, shape));
  return NULL;
}
