// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins run-time control flow. Names and results whose values differ become results of the op.
#include "frontend/elaborate/elab_flow.h"

// --- Joining ---

bool elab_number_becomes(const ConstValue *number, const Type *type) {
  if (type->kind != TYPE_SCALAR) return false;
  if (elem_is_float(type->elem)) return true;
  if (number->kind == CONST_FLOAT) return false;
  return type->elem == ELEM_I1 ? number->kind == CONST_BOOL : const_fits(number, type->elem);
}

// The type that both can have; NULL: none.
static const Type *join_type(Elab *e, const Obj *a, const Obj *b) {
  if (a->kind == OBJ_VALUE && b->kind == OBJ_VALUE)
    return a->value->type == b->value->type ? a->value->type : NULL;
  if (obj_is_number(a) && obj_is_number(b)) {
    const Type *x = elab_scalar(e, obj_elem(a)), *y = elab_scalar(e, obj_elem(b));
    if (elab_number_becomes(&b->constant, x)) return x;
    return elab_number_becomes(&a->constant, y) ? y : NULL;
  }
  const Obj *number = a->kind == OBJ_VALUE ? b : a, *value = a->kind == OBJ_VALUE ? a : b;
  if (value->kind != OBJ_VALUE || !obj_is_number(number)) return NULL;
  return elab_number_becomes(&number->constant, value->value->type) ? value->value->type : NULL;
}

static bool is_within(const Value *value, const Op *op) {
  const Region *region = value->def ? value->def->region : value->region;
  while (region && region->parent && region->parent != op) region = region->parent->region;
  return region && region->parent == op;
}

// Joins an object that only one branch has. Values from within the op become leaves, the rest stays.
static void join_one(Elab *e, const Op *within, const Obj *alive, bool second, Obj *out, Leaves *leaves) {
  *out = *alive;
  if (alive->kind == OBJ_TUPLE) {
    *out = obj_tuple_like(e, alive);
    for (uint32_t i = 0; i < out->items.n; i++)
      join_one(e, within, &alive->items.at[i], second, &out->items.at[i], leaves);
  }
  if (alive->kind != OBJ_VALUE || !is_within(alive->value, within)) return;
  Obj absent = {.kind = OBJ_ABSENT};
  Leaf leaf = {second ? absent : *alive, second ? *alive : absent, alive->value->type, out};
  vec_push(e->arena, leaves, leaf);
}

bool elab_join(Elab *e, const Op *within, const Obj *a, const Obj *b, Obj *out, Leaves *leaves) {
  *out = *a;
  if (a->kind == OBJ_ERROR || b->kind == OBJ_ERROR) {
    out->kind = OBJ_ERROR;
    return true;
  }
  if (a->kind == OBJ_ABSENT || b->kind == OBJ_ABSENT) {
    bool second = a->kind == OBJ_ABSENT;
    join_one(e, within, second ? b : a, second, out, leaves);
    return true;
  }
  if (obj_equal(a, b)) return true;
  if (a->kind == OBJ_TUPLE && b->kind == OBJ_TUPLE && a->items.n == b->items.n) {
    *out = obj_tuple_like(e, a);
    for (uint32_t i = 0; i < a->items.n; i++)
      if (!elab_join(e, within, &a->items.at[i], &b->items.at[i], &out->items.at[i], leaves)) return false;
    return true;
  }
  const Type *type = join_type(e, a, b);
  if (!type) return false;
  vec_push(e->arena, leaves, ((Leaf){*a, *b, type, out}));
  return true;
}

static const char *how_to_agree(Elab *e, const Obj *a, const Obj *b) {
  const Type *x = a->kind == OBJ_VALUE ? a->value->type : NULL,
             *y = b->kind == OBJ_VALUE ? b->value->type : NULL;
  if (!x || !y || type_is_ptr(x) || type_is_ptr(y) || type_is_block_ptr(x) || type_is_block_ptr(y))
    return "give it the same type on both paths";
  bool tiles = type_is_tile(x) && type_is_tile(y);
  bool same = tiles ? x->rank == y->rank && memcmp(x->shape, y->shape, x->rank * sizeof *x->shape) == 0
                    : !type_is_tile(x) && !type_is_tile(y);
  if (!same && type_is_tile(y))
    return arena_printf(e->arena, "give it one shape from the start, as in tl.zeros(%s, dtype)",
                        elab_shape_text(e, y->rank, y->shape));
  if (!same) return "give it one shape on both paths";
  if (!tiles && type_is_float(y) && !type_is_float(x)) return "begin with a float, such as 0.0";
  const ElemInfo *begins = elem_info(type_element(x)->elem), *ends = elem_info(type_element(y)->elem);
  if (type_is_float(x) && type_is_float(y) && ends->bits > begins->bits)
    return arena_printf(e->arena, "begin with tl.%s, or round with .to(tl.%s)", ends->long_name,
                        begins->long_name);
  return arena_printf(e->arena, "give it one type, or convert with .to(tl.%s)", begins->long_name);
}

void elab_type_changes(Elab *e, Loc loc, const char *name, const Binding *a, const char *where_a,
                       const Binding *b, const char *where_b) {
  Diag *diag = diag_error(e->diags, loc, "[T0303] '%s' changes its type: it is %s %s and %s %s; %s", name,
                          obj_describe(e, &a->obj), where_a, obj_describe(e, &b->obj), where_b,
                          how_to_agree(e, &a->obj, &b->obj));
  diag_note(e->diags, diag, a->loc, "%s here", obj_describe(e, &a->obj));
  diag_note(e->diags, diag, b->loc, "%s here", obj_describe(e, &b->obj));
}

// --- Yields ---

// A block pointer to nothing.
static Value *any_block(Elab *e, const Type *type) {
  const Type *i64 = elab_scalar(e, ELEM_I64);
  Value *zero = build_int(&e->b, i64, 0), *zeros[TILE_MAX_RANK];
  for (uint32_t i = 0; i < type->rank; i++) zeros[i] = zero;
  Value *base = build(&e->b, OP_BITCAST, type_ptr(e->ir, type->inner), zero, NULL, NULL);
  BlockPtrParts parts = {.base = base,
                         .rank = type->rank,
                         .extents = zeros,
                         .strides = zeros,
                         .offsets = zeros,
                         .block = type->shape};
  return build_make_block_ptr(&e->b, &parts);
}

Value *elab_any_value(Elab *e, const Type *type) {
  if (type_is_block_ptr(type)) return any_block(e, type);
  const Type *element = type_element(type);
  if (element->kind == TYPE_SCALAR)
    return type_is_float(type) ? build_float(&e->b, type, 0) : build_int(&e->b, type, 0);
  const Type *address = type_with_element(e->ir, type, elab_scalar(e, ELEM_I64));
  return build(&e->b, OP_BITCAST, type, build_int(&e->b, address, 0), NULL, NULL);
}

static Value *leaf_value(Elab *e, const Leaf *leaf, bool second, Loc loc) {
  const Obj *obj = second ? &leaf->b : &leaf->a;
  if (obj->kind == OBJ_VALUE) return obj->value;
  if (obj->kind == OBJ_ABSENT) return elab_any_value(e, leaf->type);
  loc.call = 0; // the frame adds its own
  Value *value = elab_value(e, loc, "a carried value", obj, type_element(leaf->type));
  if (value) value = elab_spread(e, obj, value, leaf->type);
  return value ? value : elab_any_value(e, leaf->type); // an error was reported, so the function is dropped
}

void elab_yield(Elab *e, Region *region, Value *first, const Leaves *leaves, bool second, Loc loc) {
  Value **values = ARENA_ARRAY(e->arena, Value *, leaves->n + 1);
  uint32_t n = 0;
  e->b = builder_inside(region, loc);
  if (first) values[n++] = first;
  for (uint32_t i = 0; i < leaves->n; i++) values[n++] = leaf_value(e, &leaves->at[i], second, loc);
  e->b.loc = loc;
  build_op(&e->b, OP_YIELD, n, values, 0, NULL);
}
