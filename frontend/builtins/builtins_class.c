// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queries about objects: isinstance, getattr, hasattr, the classes for them, and methods of types.
//
// A class is the builtin with its name. Calling it runs the builtin's handler. A number that acts as a tensor
// (Obj.typed) is an instance of the tensor class. A constexpr counts as the value that it holds, as in
// Triton.
#include "frontend/builtins/builtins.h"
#include "frontend/module/elab_module.h"

// --- Which class ---

// The op that made a block pointer, also if it is loop-carried or the result of a branch. It is a descriptor
// if all its possible sources are.
static const Op *made_by(const Value *block) {
  for (;;) {
    const Op *def = block->def, *parent = def ? NULL : block->region->parent;
    if (def && def->kind == OP_ADVANCE)
      block = op_operand(def, 0);
    else if (def && (def->kind == OP_FOR || def->kind == OP_WHILE))
      block = op_operand(def, block->index + (def->kind == OP_FOR ? LOOP_FIRST_INIT : 0));
    else if (def && def->kind == OP_IF && def->regions[0]->last)
      block = op_operand(def->regions[0]->last, block->index);
    else if (parent && parent->kind == OP_FOR)
      block = loop_init(parent, block->index - 1);
    else if (parent && parent->kind == OP_WHILE)
      block = op_operand(parent, block->index);
    else
      return def;
  }
}

bool builtin_is_descriptor(const Obj *obj) {
  const Op *made = builtin_is_block(obj) ? made_by(obj->value) : NULL;
  return made && op_attr(made, ATTR_DESCRIPTOR) != NULL;
}

static bool is_literal(const Obj *obj, ConstKind kind) { return obj_is(obj, kind) && !obj->typed; }
static bool is_type(const Obj *obj, TypeKind kind) {
  return obj_is(obj, CONST_DTYPE) && obj->constant.type->kind == kind;
}

// True if the object is an instance of the class. False also if the class does not exist.
static bool is_of(const Obj *obj, const char *name, bool *known) {
  struct {
    const char *name;
    bool is;
  } classes[] = {
      {"tensor",
       (obj->kind == OBJ_VALUE && !builtin_is_descriptor(obj)) || (obj->kind == OBJ_CONST && obj->typed)},
      {"tensor_descriptor", builtin_is_descriptor(obj)},
      {"tensor_descriptor_base", builtin_is_descriptor(obj)},
      {"tuple", obj->kind == OBJ_TUPLE},
      {"list", false}, // they are tuples
      {"constexpr", false},
      {"int", is_literal(obj, CONST_INT) || is_literal(obj, CONST_BOOL)},
      {"bool", is_literal(obj, CONST_BOOL)},
      {"float", is_literal(obj, CONST_FLOAT)},
      {"str", obj_is(obj, CONST_STR)},
      {"dtype", obj_is(obj, CONST_DTYPE)},
      {"pointer_type", is_type(obj, TYPE_PTR)},
      {"block_type", is_type(obj, TYPE_TILE)},
      {"constexpr_type", obj->kind == OBJ_TYPE && obj_is_static(obj->self)},
      {"tuple_type", obj->kind == OBJ_TYPE && obj->self->kind == OBJ_TUPLE},
  };
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if ((*known = strcmp(classes[i].name, name) == 0)) return classes[i].is;
  return false;
}

// Checks one class, or several in a tuple. *good becomes false after an error.
static bool is_instance(Elab *e, const Call *call, const Obj *obj, const Obj *class, bool *good) {
  bool known = false, is = false;
  if (class->kind == OBJ_TUPLE) {
    for (uint32_t i = 0; i < class->items.n && !is && *good; i++)
      is = is_instance(e, call, obj, &class->items.at[i], good);
    return is;
  }
  if (class->kind == OBJ_NAMED) return false; // named tuples are tl.tuple, as in Triton
  if (class->kind == OBJ_BUILTIN && !class->self) is = is_of(obj, class->builtin->name, &known);
  if (!known) {
    elab_error(e, call->locs[ISINSTANCE_CLASS],
               "[T0207] isinstance() takes a class, such as tl.tensor, tl.tuple, tl.dtype or int, not %s",
               obj_describe(e, class));
    *good = false;
  }
  return is;
}

Obj builtin_isinstance(Elab *e, Call *call) {
  bool good = true;
  bool is = is_instance(e, call, &call->args[ISINSTANCE_OBJECT], &call->args[ISINSTANCE_CLASS], &good);
  return good ? obj_bool(is) : obj_error();
}

// --- Attributes by name ---

// The attribute as `object.name` gives it.
static Obj attribute_of(Elab *e, const Call *call, const char *name) {
  Expr *object = ARENA_NEW(e->arena, Expr), *attribute = ARENA_NEW(e->arena, Expr);
  const Obj *obj = &call->args[ATTRIBUTE_OBJECT];
  const char *dot = obj->kind == OBJ_NAMESPACE ? strrchr(obj->path, '.') : NULL;
  *object = (Expr){.kind = EXPR_NAME,
                   .loc = call->locs[ATTRIBUTE_OBJECT],
                   .name = dot                          ? dot + 1
                           : obj->kind == OBJ_NAMESPACE ? obj->path
                                                        : "the object"};
  *attribute = (Expr){.kind = EXPR_ATTRIBUTE, .loc = call->loc};
  attribute->attribute.object = object;
  attribute->attribute.name = intern(&e->ir->names, str_from(name));
  attribute->attribute.name_loc = call->locs[ATTRIBUTE_NAME];
  return elab_attribute_of(e, attribute, *obj);
}

static const char *name_arg(Elab *e, const Call *call) {
  const Obj *name = &call->args[ATTRIBUTE_NAME];
  if (obj_is(name, CONST_STR)) return name->constant.str;
  elab_error(e, call->locs[ATTRIBUTE_NAME], "[T0207] the name must be a string, not %s",
             obj_describe(e, name));
  return NULL;
}

// Reads the attribute without an error message. False: there is none.
static bool attribute_quietly(Elab *e, const Call *call, const char *name, Obj *obj) {
  Said before = elab_said(e);
  *obj = attribute_of(e, call, name);
  return !elab_take_back(e, &before) && obj->kind != OBJ_ERROR;
}

Obj builtin_getattr(Elab *e, Call *call) {
  const char *name = name_arg(e, call);
  const Obj *otherwise = &call->args[ATTRIBUTE_DEFAULT];
  Obj obj;
  if (!name) return obj_error();
  if (otherwise->kind == OBJ_ABSENT) return attribute_of(e, call, name);
  return attribute_quietly(e, call, name, &obj) ? obj : *otherwise;
}

// For modules, tests what Triton 3.6 has, supported by tilec or not. For files, tests what they define.
Obj builtin_hasattr(Elab *e, Call *call) {
  const Obj *object = &call->args[ATTRIBUTE_OBJECT];
  const char *name = name_arg(e, call);
  Obj obj;
  if (!name) return obj_error();
  if (object->kind == OBJ_NAMESPACE && !object->file && triton_lists_members(object->path))
    return obj_bool(triton_has_member(object->path, name));
  if (obj_is_unread(object))
    return elab_error(e, call->locs[ATTRIBUTE_OBJECT],
                      "[T0207] hasattr() cannot inspect %s, which is not read", obj_describe(e, object));
  return obj_bool(attribute_quietly(e, call, name, &obj));
}

// --- Classes that are called ---

Obj builtin_no_class(Elab *e, Call *call) {
  const char *hint = elab_python_hint(call->builtin->name);
  if (hint && call->builtin->scope == SCOPE_PY)
    return elab_error(e, call->loc,
                      "[T0202] '%s' is Python's own function, which a kernel cannot call; write %s",
                      call->text, hint);
  return elab_error(e, call->loc,
                    "[T0202] '%s' is a class, which a kernel cannot call; it can be used in isinstance()",
                    call->text);
}

Obj builtin_tuple(Elab *e, Call *call) {
  const Obj *items = &call->args[ARG_X];
  if (items->kind == OBJ_ABSENT) return obj_tuple(e, 0);
  if (items->kind == OBJ_TUPLE) return *items;
  return elab_error(e, call->locs[ARG_X], "[T0207] '%s' needs a tuple or list, not %s", call->text,
                    obj_describe(e, items));
}

// tl.dtype("fp32")
Obj builtin_dtype_named(Elab *e, Call *call) {
  const Obj *name = &call->args[ARG_X];
  for (uint32_t elem = 0; obj_is(name, CONST_STR) && elem < ELEM_COUNT; elem++)
    if (strcmp(elab_triton_name((Elem)elem), name->constant.str) == 0)
      return obj_type(elab_scalar(e, (Elem)elem));
  return elab_error(
      e, call->locs[ARG_X],
      "[T0207] '%s' takes the name of a type, such as 'int32', 'uint8', 'fp16' or 'bf16', not %s", call->text,
      obj_describe(e, name));
}

Obj builtin_constexpr_type(Elab *e, Call *call) {
  const Obj *value = &call->args[ARG_X];
  if (!obj_is_static(value))
    return elab_error(e, call->locs[ARG_X], "[T0207] '%s' takes a constexpr, not %s", call->text,
                      obj_describe(e, value));
  return obj_type_of(e, value);
}

// --- Methods of types ---

static const Type *type_self(Elab *e, const Call *call) {
  const Obj *self = &call->args[ARG_X];
  if (obj_is(self, CONST_DTYPE)) return self->constant.type;
  elab_error(e, call->loc, "[T0205] '%s' is a method of types, not of %s", call->builtin->name,
             obj_describe(e, self));
  return NULL;
}

// detail: which property.
Obj builtin_type_is(Elab *e, Call *call) {
  const Type *type = type_self(e, call);
  if (!type) return obj_error();
  const char *kind = call->builtin->detail;
  Elem elem = type->elem;
  bool scalar = type->kind == TYPE_SCALAR, is_int = scalar && elem_is_int(elem);
  struct {
    const char *name;
    bool is;
  } kinds[] = {
      {"ptr", type->kind == TYPE_PTR},
      {"const", type->kind == TYPE_PTR && type->is_const},
      {"block", type->kind == TYPE_TILE},
      {"floating", scalar && elem_is_float(elem)},
      {"standard_floating", scalar && elem_is_float(elem) && elem_info(elem)->bits > 8},
      {"fp8", scalar && elem_is_float(elem) && elem_info(elem)->bits == 8},
      {"int", is_int},
      {"int_signed", is_int && elem_is_signed(elem)},
      {"int_unsigned", is_int && !elem_is_signed(elem)},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i].name, kind) == 0) return obj_bool(kinds[i].is);
  return obj_bool(scalar && strcmp(elab_triton_name(elem), kind) == 0);
}

// The largest or smallest integer of the type. detail: "max", "min".
Obj builtin_type_limit(Elab *e, Call *call) {
  const Type *type = type_self(e, call);
  if (!type) return obj_error();
  if (type->kind != TYPE_SCALAR || !elem_is_int(type->elem))
    return elab_error(e, call->loc, "[T0205] '%s' is an attribute of integer types, not of %s",
                      call->builtin->name, type_text(e, type));
  uint32_t bits = elem_info(type->elem)->bits;
  bool is_signed = elem_is_signed(type->elem) && type->elem != ELEM_I1,
       least = strcmp(call->builtin->detail, "min") == 0;
  if (least) return obj_int(is_signed ? (int64_t)(UINT64_MAX << (bits - 1)) : 0);
  uint64_t greatest = UINT64_MAX >> (64 - bits + is_signed);
  return obj_const((ConstValue){.kind = CONST_INT, .is_u64 = greatest > INT64_MAX, .i = (int64_t)greatest});
}

// The shape of a tile's type.
Obj builtin_type_shape(Elab *e, Call *call) {
  const Type *type = type_self(e, call);
  if (!type) return obj_error();
  if (!type_is_tile(type))
    return elab_error(e, call->loc, "[T0205] '%s' is an attribute of tile types, not of %s",
                      call->builtin->name, type_text(e, type));
  return elab_type_shape(e, type);
}
