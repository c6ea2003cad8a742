// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a builtin's arguments: compile-time options, axes, tiles. Also builds the values made of them.
#include "frontend/builtins/builtins.h"
#include "frontend/elaborate/elab_refuse.h"

// --- Options ---

bool builtin_option(Elab *e, const Call *call, uint32_t at, ConstKind kind, const char *name, bool *good) {
  static const char *const kinds[] = {"None",     "a bool", "an integer", "a float",
                                      "a string", "a type", "a tuple"};
  const Obj *obj = &call->args[at];
  if (!obj_given(obj)) return false;
  bool is_kind = obj_is(obj, kind) || (kind == CONST_BOOL && obj_is(obj, CONST_INT));
  if (is_kind) return true;
  if (obj->kind != OBJ_ERROR)
    elab_explain_runtime(e,
                         diag_error(e->diags, elab_loc(e, call->locs[at]),
                                    "[T0401] '%s' of '%s' must be %s known at compile time, not %s", name,
                                    call->text, kinds[kind], obj_describe(e, obj)),
                         obj);
  return *good = false;
}

bool builtin_flag(Elab *e, const Call *call, uint32_t at, const char *name, bool otherwise, bool *good) {
  return builtin_option(e, call, at, CONST_BOOL, name, good) ? call->args[at].constant.i != 0 : otherwise;
}

const char *builtin_choice(Elab *e, const Call *call, uint32_t at, const char *name,
                           const char *const *allowed, bool *good) {
  if (!builtin_option(e, call, at, CONST_STR, name, good) || !call->args[at].constant.str[0]) return NULL;
  const char *text = call->args[at].constant.str;
  size_t n = 0;
  for (; allowed[n]; n++)
    if (strcmp(allowed[n], text) == 0) return intern(&e->ir->names, str_from(text));
  Buf list = {0};
  for (size_t i = 0; i < n; i++) buf_printf(&list, "%s'%s'", i ? ", " : "", allowed[i]);
  const char *nearest = elab_did_you_mean(e, str_from(text), allowed, n);
  elab_error(e, call->locs[at], "[T0204] '%s' of '%s' cannot be '%s'%s (it takes %s)", name, call->text, text,
             nearest, elab_text(e, &list));
  *good = false;
  return NULL;
}

bool builtin_axis_of(Elab *e, Loc loc, const Call *call, const Obj *obj, uint32_t rank, uint32_t *axis) {
  if (obj->kind == OBJ_ERROR) return false;
  if (!obj_is_int(obj)) {
    elab_explain_runtime(
        e,
        diag_error(e->diags, elab_loc(e, loc),
                   "[T0401] an axis of '%s' must be an integer known at compile time, not %s", call->text,
                   obj_describe(e, obj)),
        obj);
    return false;
  }
  int64_t i = obj->constant.i;
  if (obj->constant.is_u64 || i < -(int64_t)rank || i >= (int64_t)rank)
    return elab_fail(e, loc, "[T0307] axis %s of '%s' is out of range: it goes from -%u to %d",
                     obj_text(e, obj), call->text, rank, (int)rank - 1);
  *axis = (uint32_t)(i < 0 ? i + (int64_t)rank : i);
  return true;
}

bool builtin_axis(Elab *e, const Call *call, uint32_t at, uint32_t rank, uint32_t *axis) {
  return builtin_axis_of(e, call->locs[at], call, &call->args[at], rank, axis);
}

const Type *builtin_dtype(Elab *e, const Call *call, uint32_t at) {
  const Obj *dtype = &call->args[at];
  if (obj_is(dtype, CONST_DTYPE)) { // p.dtype.element_ty of a block pointer is its tile's type
    const Type *type = dtype->constant.type;
    return type_is_block_ptr(type) ? type->inner : type_element(type);
  }
  Elem elem;
  const char *numpy = obj_numpy_name(e, dtype);
  const char *name = numpy                        ? numpy
                     : obj_is(dtype, CONST_STR)   ? dtype->constant.str
                     : dtype->kind == OBJ_BUILTIN ? dtype->builtin->name
                                                  : NULL;
  bool meant = name && (elem_parse(str_from(name), &elem) || elem_spelt(str_from(name), &elem));
  const char *lacks = dtype->kind == OBJ_NAMESPACE ? strstr(dtype->path, ".float8") : NULL;
  if (lacks)
    elab_error(e, call->locs[at], "[T0306] tilec does not have the type %s; it has float8e4nv and float8e5",
               lacks + 1);
  else if (dtype->kind != OBJ_ERROR)
    elab_error(e, call->locs[at], "[T0306] '%s' needs a type such as %s, not %s", call->text,
               meant ? arena_printf(e->arena, "tl.%s", elem_info(elem)->long_name) : "fp32",
               obj_describe(e, dtype));
  return NULL;
}

Obj builtin_items(const Call *call, uint32_t at) {
  if (call->args[at].kind != OBJ_ABSENT) return call->args[at];
  return (Obj){.kind = OBJ_TUPLE, .items = {call->rest, call->rest_count}};
}

// --- Values ---

Value *builtin_value(Elab *e, const Call *call, uint32_t at, const char *what) {
  return elab_value(e, call->locs[at], what, &call->args[at], NULL);
}

Value *builtin_tile(Elab *e, const Call *call, uint32_t at) {
  const Obj *obj = &call->args[at];
  if (obj->kind == OBJ_VALUE && type_is_tile(obj->value->type)) return obj->value;
  if (obj->kind != OBJ_ERROR)
    elab_error(e, call->locs[at], "[T0207] '%s' needs a tile, not %s", call->text, obj_describe(e, obj));
  return NULL;
}

Value *builtin_number_tile(Elab *e, const Call *call, uint32_t at) {
  Value *tile = builtin_tile(e, call, at);
  if (!tile || !type_is_ptr(tile->type)) return tile;
  elab_refuse_pointers(e, call->locs[at], "[T0308] '%s' is not defined on pointers", call->text);
  return NULL;
}

bool builtin_is_fp8(const Type *type) {
  return type_is_float(type) && elem_info(type_element(type)->elem)->bits == 8;
}

bool builtin_refuse_fp8(Elab *e, Loc loc, const Call *call, const Type *type) {
  if (!builtin_is_fp8(type)) return false;
  elab_error(e, loc, "[T0308] '%s' is not defined on %s; cast to fp16 or fp32 first", call->text,
             type_text(e, type_element(type)));
  return true;
}

Value *builtin_as(Elab *e, Value *value, Elem elem) { return build_cast(&e->b, value, elab_scalar(e, elem)); }

Value *builtin_reshape(Elab *e, Value *value, uint32_t rank, const uint32_t *shape) {
  const Type *type = type_tile(e->ir, type_element(value->type), rank, shape, NULL);
  if (type == value->type) return value;
  return type_is_tile(value->type) ? build_reshape(&e->b, value, rank, shape)
                                   : build_splat(&e->b, value, type);
}

Value *builtin_choose(Elab *e, Value *condition, Value *x, Value *y) {
  return build(&e->b, OP_SELECT, x->type, condition, x, y);
}

bool builtin_pair(Elab *e, const Call *call, const Obj *x, const Obj *y, Pair *pair) {
  *pair = elab_promote(e, call->loc, arena_printf(e->arena, "'%s'", call->text), PROMOTE_PLAIN, x, y);
  e->b.loc = elab_loc(e, call->loc);
  return pair->a != NULL;
}
