// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subscripts of tiles (new dimensions, slices) and tuples; comprehensions.
#include "frontend/elaborate/elab_flow.h"
#include "frontend/module/elab_module.h"

// --- Slices ---

// One bound of a slice. Returns false with an error if it is not a constexpr integer.
static bool slice_bound(Elab *e, const Expr *expr, int64_t otherwise, int64_t *out) {
  *out = otherwise;
  if (!expr) return true;
  Obj obj = elab_expr(e, expr);
  if (obj.kind == OBJ_ERROR) return false;
  if (obj_is(&obj, CONST_NONE)) return true;
  if (!obj_is_int(&obj) || !const_fits(&obj.constant, ELEM_I32)) {
    elab_explain_runtime(e,
                         diag_error(e->diags, elab_loc(e, expr->loc),
                                    "[T0305] a slice's bounds must be constexpr integers, not %s",
                                    obj_describe(e, &obj)),
                         &obj);
    return false;
  }
  *out = obj.constant.i;
  return true;
}

typedef struct SliceSpan {
  int64_t lower, upper, step;
} SliceSpan;

static bool eval_slice(Elab *e, const Expr *slice, int64_t size, SliceSpan *span) {
  if (!slice_bound(e, slice->slice.step, 1, &span->step)) return false;
  if (span->step == 0) return elab_fail(e, slice->loc, "[T0305] a slice's step is zero");
  bool down = span->step < 0;
  if (!slice_bound(e, slice->slice.lower, down ? size - 1 : 0, &span->lower) ||
      !slice_bound(e, slice->slice.upper, down ? -1 - size : size, &span->upper))
    return false;
  if (span->lower < 0) span->lower += size;
  if (span->upper < 0) span->upper += size;
  return true;
}

static bool is_whole_slice(const Expr *index) {
  return index->kind == EXPR_SLICE && !index->slice.lower && !index->slice.upper && !index->slice.step;
}

// --- Tuples ---

static Obj slice_tuple(Elab *e, const Expr *slice, const Obj *tuple) {
  SliceSpan span;
  int64_t size = tuple->items.n;
  if (!eval_slice(e, slice, size, &span)) return (Obj){.kind = OBJ_ERROR};
  bool down = span.step < 0;
  int64_t low = down ? -1 : 0, high = down ? size - 1 : size; // Python clips the bounds
  span.lower = span.lower < low ? low : span.lower > high ? high : span.lower;
  span.upper = span.upper < low ? low : span.upper > high ? high : span.upper;
  int64_t distance = down ? span.lower - span.upper : span.upper - span.lower;
  int64_t step = down ? -span.step : span.step, count = distance <= 0 ? 0 : (distance - 1) / step + 1;
  Obj part = obj_tuple(e, (uint32_t)count);
  for (int64_t i = 0; i < count; i++) part.items.at[i] = tuple->items.at[span.lower + i * span.step];
  return part;
}

static Obj index_tuple(Elab *e, const Expr *expr, const Obj *tuple, const Obj *index) {
  if (index->kind == OBJ_ERROR) return *index;
  if (!obj_is_int(index))
    return elab_explain_runtime(e,
                                diag_error(e->diags, elab_loc(e, expr->loc),
                                           "[T0401] a tuple's index must be a constexpr integer, not %s",
                                           obj_describe(e, index)),
                                index);
  int64_t i = index->constant.i;
  if (i < 0 && !index->constant.is_u64) i += tuple->items.n;
  const Expr *object = expr->subscript.object;
  if (tuple->items.n == 0 && object->kind == EXPR_ATTRIBUTE && strcmp(object->attribute.name, "shape") == 0)
    return elab_error(e, expr->loc,
                      "[T0501] only a tile has a shape: pass a tensor's sizes as parameters of the kernel");
  if (i < 0 || i >= tuple->items.n || index->constant.is_u64)
    return elab_error(e, expr->loc, "[T0309] index %s is out of range: the tuple has %u elements",
                      obj_text(e, index), tuple->items.n);
  return tuple->items.at[i];
}

// An item of a Python dictionary. a[x, y] has the key (x, y).
static Obj dict_item(Elab *e, const Expr *expr, const Obj *dict) {
  const ExprList *indices = &expr->subscript.indices;
  Obj key =
          indices->n == 1 && !expr->subscript.tuple ? elab_expr(e, indices->at[0]) : obj_tuple(e, indices->n),
      item;
  for (uint32_t i = 0; (indices->n > 1 || expr->subscript.tuple) && i < indices->n; i++) {
    key.items.at[i] = elab_expr(e, indices->at[i]);
    if (key.items.at[i].kind == OBJ_ERROR) return obj_error();
  }
  if (key.kind == OBJ_ERROR) return key;
  const char *name = elab_key_name(e, &key);
  if (name && elab_field(e, dict, name, &item)) return item;
  e->raises = e->raises || e->frame->python;
  return elab_error(e, expr->loc, "[T0309] the dictionary has no key %s", obj_describe(e, &key));
}

static Obj subscript_tuple(Elab *e, const Expr *expr, const Obj *tuple) {
  if (tuple->items.dict) return dict_item(e, expr, tuple);
  if (expr->subscript.indices.n != 1 || expr->subscript.tuple)
    return elab_error(e, expr->loc, "[T0309] a tuple takes one index");
  const Expr *at = expr->subscript.indices.at[0];
  if (at->kind == EXPR_SLICE) return slice_tuple(e, at, tuple);
  Obj index = elab_expr(e, at), item;
  bool has_name = tuple->items.names && obj_is(&index, CONST_STR);
  if (has_name && elab_field(e, tuple, index.constant.str, &item)) return item;
  return index_tuple(e, expr, tuple, &index);
}

// --- Tiles ---

// Slices dimension `axis`.
static Value *slice_tile(Elab *e, const Expr *slice, Value *value, uint32_t axis) {
  const Type *type = value->type;
  int64_t size = type->shape[axis];
  SliceSpan span;
  if (!eval_slice(e, slice, size, &span)) return NULL;
  if (span.step != 1) {
    elab_error(e, slice->loc, "[T0305] a slice of a tile has step 1, not %lld; %s", (long long)span.step,
               span.step == -1 ? "tl.flip(x) reverses"
                               : "tl.split(tl.reshape(x, [n // 2, 2])) gives every other element");
    return NULL;
  }
  if (span.lower < 0 || span.upper > size || span.lower >= span.upper) {
    elab_error(e, slice->loc,
               "[T0305] the slice %lld:%lld is empty or not within dimension %u, which has %u elements",
               (long long)span.lower, (long long)span.upper, axis, type->shape[axis]);
    return NULL;
  }
  uint64_t count = (uint64_t)(span.upper - span.lower);
  if (!elab_check_tile(e, slice->loc, 1, &count)) return NULL;
  if ((int64_t)count == size) return value;
  uint32_t shape[TILE_MAX_RANK];
  memcpy(shape, type->shape, sizeof shape);
  shape[axis] = (uint32_t)count;
  uint32_t starts[TILE_MAX_RANK] = {0};
  starts[axis] = (uint32_t)span.lower;
  e->b.loc = elab_loc(e, slice->loc);
  return build_slice(&e->b, value, starts, shape);
}

// Applies the index to dimension *axis and advances it. NULL after an error.
static Value *apply_index(Elab *e, const Expr *expr, const Expr *index, Value *value, uint32_t *axis,
                          uint32_t skipped) {
  uint32_t rank = type_is_tile(value->type) ? value->type->rank : 0;
  if (index->kind == EXPR_ELLIPSIS) {
    *axis += skipped;
    return value;
  }
  if (index->kind == EXPR_SLICE) {
    // As in Triton: a full slice of a missing dimension is ignored.
    if (*axis >= rank && is_whole_slice(index)) return value;
    if (*axis < rank)
      return is_whole_slice(index) ? (++*axis, value) : slice_tile(e, index, value, (*axis)++);
    Obj shown = obj_value(value);
    elab_error(e, expr->loc, "[T0305] too many indices for %s", obj_describe(e, &shown));
    return NULL;
  }
  Obj obj = index->kind == EXPR_NONE ? obj_none() : elab_expr(e, index);
  if (obj.kind == OBJ_ERROR) return NULL;
  if (obj_is(&obj, CONST_NONE)) return elab_expand_dims(e, expr->loc, value, (*axis)++);
  const Type *by =
      obj.kind == OBJ_VALUE && type_is_tile(obj.value->type) ? type_element(obj.value->type) : NULL;
  const char *tl = elab_tl(e);
  if (type_element(value->type)->kind == TYPE_PTR)
    elab_error(
        e, index->loc,
        "[T0501] a pointer cannot be indexed: %sload(pointer + offsets) reads, %sstore(pointer + offsets, "
        "value) writes",
        tl, tl);
  else
    elab_error(
        e, index->loc,
        "[T0305] a tile's elements cannot be indexed: a subscript can have only ':', None, '...' and "
        "constexpr slices; use %s",
        by && type_is_elem(by, ELEM_I1)
            ? arena_printf(e->arena, "%swhere(mask, x, other) to choose by a mask", tl)
        : by
            ? arena_printf(e->arena, "%sgather(x, indices, axis=0) to take elements by a tile of indices", tl)
            : arena_printf(e->arena, "%ssum(%swhere(%sarange(...) == i, x, 0)) for element i", tl, tl, tl));
  return NULL;
}

static Obj subscript_value(Elab *e, const Expr *expr, Value *value) {
  const ExprList *indices = &expr->subscript.indices;
  uint32_t rank = type_is_tile(value->type) ? value->type->rank : 0, taken = 0, dots = 0, axis = 0;
  for (uint32_t i = 0; i < indices->n; i++) {
    dots += indices->at[i]->kind == EXPR_ELLIPSIS;
    taken += indices->at[i]->kind == EXPR_SLICE;
  }
  if (dots > 1) return elab_error(e, expr->loc, "[T0305] a subscript has one '...' at most");
  for (uint32_t i = 0; value && i < indices->n; i++)
    value = apply_index(e, expr, indices->at[i], value, &axis, rank > taken ? rank - taken : 0);
  return obj_value(value);
}

// Calls the object's __getitem__ with the index, which is a tuple if there is a comma.
static Obj call_getitem(Elab *e, const Expr *expr, const Obj *getitem) {
  const ExprList *indices = &expr->subscript.indices;
  Obj index = obj_tuple(e, indices->n);
  for (uint32_t i = 0; i < indices->n; i++) {
    if (indices->at[i]->kind == EXPR_SLICE)
      return elab_error(e, indices->at[i]->loc, "[T0305] '__getitem__' in a kernel cannot take slices");
    index.items.at[i] = elab_expr(e, indices->at[i]);
    if (index.items.at[i].kind == OBJ_ERROR) return obj_error();
  }
  return elab_apply(e, expr->loc, getitem, 1, expr->subscript.tuple ? &index : index.items.at);
}

Obj elab_subscript(Elab *e, const Expr *expr) {
  Obj object = elab_expr(e, expr->subscript.object), getitem;
  const ExprList *indices = &expr->subscript.indices;
  if (object.kind == OBJ_ERROR) return object;
  if (object.kind == OBJ_VALUE) return subscript_value(e, expr, object.value);
  if (object.kind == OBJ_TUPLE && elab_field(e, &object, "__getitem__", &getitem))
    return call_getitem(e, expr, &getitem);
  if (object.kind == OBJ_TUPLE) return subscript_tuple(e, expr, &object);
  if (object.kind == OBJ_NAMESPACE && object.path == elab_args_path && indices->n == 1 &&
      indices->at[0]->kind == EXPR_STRING)
    return elab_heuristic_arg(e, expr->loc, indices->at[0]->string.text.at);
  return elab_error(e, expr->loc, "[T0309] %s cannot be subscripted", obj_describe(e, &object));
}

// --- Comprehensions ---

typedef VEC(Obj) Items;

bool elab_items(Elab *e, const Expr *expr, Obj *tuple) {
  Obj callee = {.kind = OBJ_ABSENT}, bounds[3];
  Call call;
  if (expr->kind == EXPR_CALL && !elab_is_host_method(e, expr->call.callee))
    callee = elab_expr(e, expr->call.callee);
  if (callee.kind == OBJ_ERROR) return false;
  if (elab_is_range(&callee)) {
    if (!elab_bind_builtin(e, expr, &callee, &call)) return false;
    elab_range_bounds(&call, bounds);
    return elab_range_items(e, expr->loc, "a comprehension", bounds, tuple);
  }
  *tuple = elab_expr(e, expr);
  if (tuple->kind == OBJ_TUPLE && tuple->items.dict) *tuple = elab_dict_keys(e, tuple);
  if (tuple->kind != OBJ_TUPLE && tuple->kind != OBJ_ERROR)
    elab_error(e, expr->loc, "[T0401] a comprehension runs over a tuple or a range of constexprs, not %s",
               obj_describe(e, tuple));
  return tuple->kind == OBJ_TUPLE;
}

bool elab_accepted(Elab *e, const CompClause *clause, bool *good) {
  for (uint32_t i = 0; i < clause->conditions.n; i++) {
    Obj condition = elab_expr(e, clause->conditions.at[i]);
    bool truth;
    if (!const_truth(e, &condition, &truth)) {
      if (condition.kind != OBJ_ERROR)
        elab_error(e, clause->conditions.at[i]->loc,
                   "[T0401] a comprehension's condition must be a constexpr, not %s",
                   obj_describe(e, &condition));
      return *good = false;
    }
    if (!truth) return false;
  }
  return true;
}

// One element. For a dictionary, the pair of key and value.
static Obj comprehended(Elab *e, const Expr *expr) {
  if (expr->comprehension.of != EXPR_DICT) return elab_expr(e, expr->comprehension.element);
  Obj pair = obj_tuple(e, 2);
  pair.items.at[0] = elab_expr(e, expr->comprehension.key);
  pair.items.at[1] = elab_expr(e, expr->comprehension.element);
  return pair;
}

static bool run_clause(Elab *e, const Expr *expr, uint32_t at, Items *items) {
  bool good = true;
  if (at == expr->comprehension.clauses.n) {
    vec_push(e->arena, items, comprehended(e, expr));
    if (items->n <= ELAB_MAX_UNROLL) return true;
    return elab_fail(e, expr->loc, "[T0506] the comprehension has more than %d elements", ELAB_MAX_UNROLL);
  }
  const CompClause *clause = &expr->comprehension.clauses.at[at];
  Obj tuple;
  if (!elab_items(e, clause->iterated, &tuple)) return false;
  for (uint32_t i = 0; good && i < tuple.items.n && !e->stopped; i++) {
    elab_assign(e, clause->target, tuple.items.at[i]);
    if (elab_accepted(e, clause, &good)) good = run_clause(e, expr, at + 1, items);
  }
  return good;
}

Obj elab_comprehension(Elab *e, const Expr *expr) {
  Items items = {0};
  bool dict = expr->comprehension.of == EXPR_DICT && elab_on_host(e);
  if (!dict && expr->comprehension.of != EXPR_LIST && expr->comprehension.of != EXPR_TUPLE)
    return elab_error(e, expr->loc, "[T0104] a kernel cannot use sets or dictionaries; use a tuple");
  Vars before = elab_save_vars(e); // the comprehension's names are local
  bool good = run_clause(e, expr, 0, &items);
  elab_restore_vars(e, before);
  if (!good) return obj_error();
  Obj tuple = {.kind = OBJ_TUPLE, .items = {items.at, items.n}};
  return dict ? elab_dict_of(e, expr->loc, &tuple) : tuple;
}
