// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// load and store.
#include "frontend/builtins.h"

static Obj error_obj(void) { return (Obj){.kind = OBJ_ERROR}; }

// A string option among `allowed` (NULL-terminated): its interned text, NULL where it is "", not given or
// wrong.
static const char *string_option(Elab *e, const Call *call, uint32_t at, const char *name,
                                 const char *const *allowed, bool *good) {
  if (!builtin_option(e, call, at, CONST_STR, name, good) || !call->args[at].constant.str[0]) return NULL;
  const char *text = call->args[at].constant.str;
  size_t n = 0;
  for (; allowed[n]; n++)
    if (strcmp(allowed[n], text) == 0) return intern(&e->ir->names, str_from(text));
  elab_error(e, call->locs[at], "'%s' of '%s' cannot be '%s'%s", name, call->text, text,
             elab_did_you_mean(e, str_from(text), allowed, n));
  *good = false;
  return NULL;
}

static const char *const evictions[] = {"evict_first", "evict_last", "evict_normal", NULL};

// boundary_check and padding_option belong to block pointers.
static bool check_block_options(Elab *e, const Call *call, uint32_t check, uint32_t padding) {
  const Obj *checked = &call->args[check];
  bool good = true;
  if (obj_given(checked) && !(checked->kind == OBJ_TUPLE && checked->items.n == 0)) {
    elab_error(e, call->locs[check], "'boundary_check' is for block pointers, which are not built yet");
    good = false;
  }
  if (padding && builtin_option(e, call, padding, CONST_STR, "padding_option", &good) &&
      call->args[padding].constant.str[0]) {
    elab_error(e, call->locs[padding], "'padding_option' is for block pointers, which are not built yet");
    good = false;
  }
  return good;
}

static Value *pointer_arg(Elab *e, const Call *call) {
  const Obj *obj = &call->args[0];
  if (obj->kind == OBJ_ERROR) return NULL;
  if (obj->kind == OBJ_VALUE && type_is_ptr(obj->value->type)) {
    if (type_element(obj->value->type)->inner->kind == TYPE_SCALAR) return obj->value;
    // A pointer in memory is a 64-bit integer there.
    const Type *address = type_ptr(e->ir, elab_scalar(e, ELEM_I64));
    return elab_bitcast(e, call->loc, obj->value, address);
  }
  elab_error(e, call->locs[0], "'%s' needs a pointer, not %s", call->text, obj_describe(e, obj));
  return NULL;
}

// The mask as i1 of the pointer's shape; NULL where there is none or after an error.
static Value *mask_arg(Elab *e, const Call *call, uint32_t at, const Type *pointer, bool *good) {
  const Obj *obj = &call->args[at];
  if (!obj_given(obj)) return NULL;
  bool flag = obj_is(obj, CONST_BOOL) || obj_is(obj, CONST_INT);
  if (flag && obj->constant.i != 0) return NULL;
  *good = false;
  if (flag) {
    *good = true;
    return build_int(&e->b, type_with_element(e->ir, pointer, elab_scalar(e, ELEM_I1)), 0);
  }
  Value *mask = elab_value(e, call->locs[at], "a mask", obj, NULL);
  if (!mask) return NULL;
  if (!type_is_elem(mask->type, ELEM_I1)) {
    elab_error(e, call->locs[at], "a mask's elements must be i1, not %s",
               type_text(e, type_element(mask->type)));
    return NULL;
  }
  if (type_is_tile(mask->type) && !type_same_shape(mask->type, pointer)) {
    elab_error(e, call->locs[at], "the mask is %s, but the pointer is %s", type_text(e, mask->type),
               type_text(e, pointer));
    return NULL;
  }
  *good = true;
  return elab_splat_like(e, mask, pointer);
}

// A value to store, or a load's `other`: of the pointee's type and the pointer's shape.
static Value *element_arg(Elab *e, const Call *call, uint32_t at, const char *what, const Type *pointer) {
  const Obj *obj = &call->args[at];
  const Type *element = type_element(pointer)->inner;
  Value *value = elab_value(e, call->locs[at], what, obj, element);
  if (!value) return NULL;
  if (type_is_tile(value->type) && !type_same_shape(value->type, pointer)) {
    elab_error(e, call->locs[at], "%s is %s, but the pointer is %s", what, type_text(e, value->type),
               type_text(e, pointer));
    return NULL;
  }
  e->b.loc = elab_loc(e, call->loc);
  return elab_spread(e, obj, value, pointer);
}

static void set_text(Op *op, AttrKey key, const char *text) {
  if (text && strcmp(text, "evict_normal") != 0) op_set_attr(op, (Attr){.key = key, .str = text});
}

// Back to what the pointee is, where that is a pointer.
static Obj loaded(Elab *e, const Call *call, Value *value) {
  const Type *pointee = type_element(call->args[0].value->type)->inner;
  return obj_value(pointee->kind == TYPE_PTR ? elab_bitcast(e, call->loc, value, pointee) : value);
}

Obj builtin_load(Elab *e, Call *call) {
  static const char *const caches[] = {".ca", ".cg", ".cs", ".cv", NULL};
  bool good = check_block_options(e, call, 3, 4);
  const char *cache = string_option(e, call, 5, "cache_modifier", caches, &good);
  const char *evict = string_option(e, call, 6, "eviction_policy", evictions, &good);
  bool is_volatile = builtin_option(e, call, 7, CONST_BOOL, "volatile", &good) && call->args[7].constant.i;
  Value *pointer = pointer_arg(e, call);
  if (!pointer || !good) return error_obj();
  Value *mask = mask_arg(e, call, 1, pointer->type, &good), *other = NULL;
  if (!good) return error_obj();
  if (obj_given(&call->args[2]) && !obj_given(&call->args[1]))
    return elab_error(e, call->locs[2], "'other' needs a mask");
  if (obj_given(&call->args[2]) && mask) {
    other = element_arg(e, call, 2, "'other'", pointer->type);
    if (!other) return error_obj();
  }
  e->b.loc = elab_loc(e, call->loc);
  Value *value = build_load(&e->b, pointer, mask, other);
  set_text(value->def, ATTR_CACHE, cache);
  set_text(value->def, ATTR_EVICT, evict);
  if (is_volatile) op_set_attr(value->def, (Attr){.key = ATTR_VOLATILE});
  return loaded(e, call, value);
}

Obj builtin_store(Elab *e, Call *call) {
  static const char *const caches[] = {".wb", ".cg", ".cs", ".wt", NULL};
  bool good = check_block_options(e, call, 3, 0);
  const char *cache = string_option(e, call, 4, "cache_modifier", caches, &good);
  const char *evict = string_option(e, call, 5, "eviction_policy", evictions, &good);
  Value *pointer = pointer_arg(e, call);
  if (!pointer || !good) return error_obj();
  Value *value = element_arg(e, call, 1, "the value", pointer->type);
  if (!value) return error_obj();
  Value *mask = mask_arg(e, call, 2, pointer->type, &good);
  if (!good) return error_obj();
  e->b.loc = elab_loc(e, call->loc);
  Op *op = build_store(&e->b, pointer, value, mask);
  set_text(op, ATTR_CACHE, cache);
  set_text(op, ATTR_EVICT, evict);
  return obj_none();
}
