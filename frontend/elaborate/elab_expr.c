// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions: literals, attributes, f-strings.
#include "frontend/builtins/builtins.h"
#include "frontend/elaborate/elab_flow.h"
#include "frontend/module/elab_module.h"

// --- Attributes ---

const char *elab_expr_text(Elab *e, const Expr *expr) {
  if (expr->kind == EXPR_NAME) return expr->name;
  if (expr->kind != EXPR_ATTRIBUTE) return "the expression";
  const Expr *object = expr->attribute.object;
  if (object->kind != EXPR_NAME && object->kind != EXPR_ATTRIBUTE) return expr->attribute.name;
  return arena_printf(e->arena, "%s.%s", elab_expr_text(e, object), expr->attribute.name);
}

// True if `whole` is `expr`, or an attribute of it, or of that one, and so on.
static bool is_attribute_of(const Expr *whole, const Expr *expr) {
  while (whole != expr && whole->kind == EXPR_ATTRIBUTE) whole = whole->attribute.object;
  return whole == expr;
}

static bool is_callee(const Elab *e, const Expr *expr) { return e->call && e->call->call.callee == expr; }

// np.random.rand is unknown as np.random already. The message is about the whole name.
static Obj unknown_to_kernels(Elab *e, const Expr *expr, const char *path) {
  const Expr *whole = e->attribute && is_attribute_of(e->attribute, expr) ? e->attribute : expr;
  size_t object = strlen(elab_expr_text(e, expr->attribute.object));
  const char *hint =
      elab_host_hint(e, arena_printf(e->arena, "%s%s", path, elab_expr_text(e, whole) + object));
  const char *cast = is_callee(e, whole) ? elab_cast_hint(e, elab_expr_text(e, whole)) : NULL;
  if (cast) hint = arena_printf(e->arena, "%s, or a number as it is", cast);
  if (!hint) {
    const char *first = elab_host_hint(e, arena_printf(e->arena, "%s.%s", path, expr->attribute.name));
    if (first) whole = expr, hint = first;
  }
  if (hint)
    return elab_error(e, whole->loc, "[T0202] '%s' cannot be used in a kernel; write %s",
                      elab_expr_text(e, whole), hint);
  return elab_error(e, whole->loc,
                    "[T0202] '%s' cannot be used in a kernel: call it before the launch, and pass its result "
                    "as an argument",
                    elab_expr_text(e, whole));
}

static Obj unknown_member(Elab *e, const Expr *expr, const char *path) {
  if (!elab_is_triton(path)) return unknown_to_kernels(e, expr, path);
  bool lacks = triton_lists_members(path) && !triton_has_member(path, expr->attribute.name);
  e->raises = e->raises || (lacks && e->frame->python); // AttributeError
  const char *hint = elab_tl_hint(e, expr->attribute.name);
  if (hint && strcmp(path, "triton.language") == 0)
    return elab_error(e, expr->loc, "[T0201] unknown name '%s'; write %s", elab_expr_text(e, expr), hint);
  Elem elem;
  bool type = strcmp(path, "triton.language") == 0 && elem_spelt(str_from(expr->attribute.name), &elem);
  uint32_t n;
  const char *const *names = builtin_names(e, elab_namespace_scope(path), &n);
  const char *nearest =
      type ? elem_info(elem)->long_name : diag_nearest(str_from(expr->attribute.name), names, n);
  const char *object = elab_expr_text(e, expr->attribute.object);
  Diag *diag = nearest ? diag_error(e->diags, elab_loc(e, expr->loc),
                                    "[T0201] unknown name '%s'; did you mean '%s.%s'?",
                                    elab_expr_text(e, expr), object, nearest)
                       : diag_error(e->diags, elab_loc(e, expr->loc), "[T0201] unknown name '%s'",
                                    elab_expr_text(e, expr));
  // getattr has the name in quotes.
  if (nearest && expr->attribute.name_loc.len == strlen(expr->attribute.name))
    diag_fixit(e->diags, diag, expr->attribute.name_loc, nearest);
  return obj_error();
}

const char *elab_triton_name(Elem elem) {
  return elem_is_float(elem) ? elem_info(elem)->name : elem_info(elem)->long_name;
}

// Attributes of a float type: its mantissa's bits, and its exponent's bias.
static bool float_attribute(const char *name, Elem elem, Obj *obj) {
  static const uint8_t widths[ELEM_COUNT] = {[ELEM_FP8E4NV] = 3, [ELEM_FP8E5] = 2, [ELEM_FP16] = 10,
                                             [ELEM_BF16] = 7,    [ELEM_FP32] = 23, [ELEM_FP64] = 52};
  bool width = strcmp(name, "fp_mantissa_width") == 0;
  if (!elem_is_float(elem) || (!width && strcmp(name, "exponent_bias") != 0)) return false;
  uint32_t exponent = elem_info(elem)->bits - 1 - widths[elem];
  *obj = obj_int(width ? widths[elem] : (1 << (exponent - 1)) - 1);
  return true;
}

Obj elab_type_shape(Elab *e, const Type *type) {
  Obj shape = obj_tuple(e, type_is_tile(type) ? type->rank : 0);
  for (uint32_t i = 0; i < shape.items.n; i++) shape.items.at[i] = obj_int(type->shape[i]);
  return shape;
}

// x.type of a tile or pointer. x.dtype is its element type.
static bool type_attribute(Elab *e, const Expr *expr, const Type *type, Obj *obj) {
  const char *name = expr->attribute.name;
  const Type *element = type_element(type);
  if (strcmp(name, "element_ty") == 0 && type_is_block_ptr(type))
    *obj = obj_type(type_tile(e->ir, type->inner, type->rank, type->shape, NULL));
  else if (strcmp(name, "element_ty") == 0) {
    if (!type_is_tile(type) && type->kind != TYPE_PTR) {
      *obj = elab_error(e, expr->loc, "[T0205] 'element_ty' is an attribute of pointer types, not of %s",
                        type_text(e, type));
      return true;
    }
    *obj = obj_type(type_is_tile(type) ? element : type->inner);
  } else if (strcmp(name, "scalar") == 0)
    *obj = obj_type(element);
  else if (strcmp(name, "primitive_bitwidth") == 0 || strcmp(name, "itemsize") == 0 ||
           strcmp(name, "int_bitwidth") == 0) {
    int bits = element->kind == TYPE_PTR ? 64 : elem_info(element->elem)->bits;
    *obj = obj_int(name[1] == 't' ? bits / 8 : bits);
  } else if (strcmp(name, "name") == 0)
    *obj = obj_string(
        e, str_from(element->kind == TYPE_SCALAR ? elab_triton_name(element->elem) : type_text(e, element)));
  else
    return element->kind == TYPE_SCALAR && float_attribute(name, element->elem, obj);
  return true;
}

// Swaps the last two dimensions.
static Obj transposed(Elab *e, const Expr *expr, const Obj *object) {
  const Type *type = object->kind == OBJ_VALUE ? object->value->type : NULL;
  if (!type || !type_is_tile(type) || type->rank < 2)
    return elab_error(e, expr->loc, "[T0309] '.T' needs a tile of two dimensions or more, not %s",
                      obj_describe(e, object));
  uint32_t order[TILE_MAX_RANK], last = type->rank - 1u;
  for (uint32_t i = 0; i < last; i++) order[i] = i;
  order[last - 1] = last;
  order[last] = last - 1;
  e->b.loc = elab_loc(e, expr->loc);
  return obj_value(build_trans(&e->b, object->value, order));
}

static bool value_attribute(Elab *e, const Expr *expr, const Obj *object, Obj *obj) {
  const char *name = expr->attribute.name;
  const Type *type = object->kind == OBJ_VALUE ? object->value->type : elab_scalar(e, obj_elem(object));
  if (type_is_block_ptr(type) && elab_block_attribute(e, name, object->value, obj)) return true;
  if (strcmp(name, "dtype") == 0)
    *obj = obj_type(type_element(type));
  else if (strcmp(name, "type") == 0)
    *obj = obj_type(type);
  else if (strcmp(name, "numel") == 0)
    *obj = obj_int((int64_t)type_elements(type));
  else if (strcmp(name, "shape") == 0)
    *obj = elab_type_shape(e, type);
  else if (strcmp(name, "T") == 0)
    *obj = transposed(e, expr, object);
  else
    return false;
  return true;
}

// What x.astype(type) is in a kernel; NULL: it is not known. Python's package gives np.int32 as a constant.
static const char *asked_cast(Elab *e, const Expr *type) {
  Obj obj = type->kind == EXPR_ATTRIBUTE ? obj_none() : elab_expr(e, type);
  const char *name = obj_numpy_name(e, &obj);
  return elab_cast_hint(e, name ? name : elab_expr_text(e, type));
}

static Obj method(Elab *e, const Expr *expr, const Obj *object) {
  static const char *const attributes[] = {"dtype", "type",       "shape",  "numel",
                                           "T",     "element_ty", "scalar", "primitive_bitwidth"};
  if (obj_is(object, CONST_STR))
    return elab_error(
        e, expr->attribute.name_loc,
        "[T0205] %s has no attribute '%s': a kernel can use strings only in f-strings and with '=='",
        obj_describe(e, object), expr->attribute.name);
  const Builtin *builtin = builtin_find(expr->attribute.name, SCOPE_METHOD);
  if (object->kind == OBJ_VALUE && type_is_block_ptr(object->value->type)) {
    const Builtin *own = builtin_find(expr->attribute.name, SCOPE_DESCRIPTOR);
    builtin = own ? own : builtin;
  }
  if (obj_is(object, CONST_DTYPE) || !builtin) builtin = builtin_find(expr->attribute.name, SCOPE_TYPE);
  // On pointers `store` is the function. Otherwise, as a method, it is a descriptor's.
  bool block = object->kind == OBJ_VALUE && type_is_block_ptr(object->value->type);
  bool pointers = object->kind == OBJ_VALUE && type_is_ptr(object->value->type);
  pointers = pointers || (block && !builtin_is_descriptor(object));
  if (pointers && strcmp(expr->attribute.name, "store") == 0) builtin = builtin_find("store", SCOPE_TL);
  if (builtin) {
    Obj *self = ARENA_NEW(e->arena, Obj);
    *self = *object;
    return (Obj){.kind = OBJ_BUILTIN, .builtin = builtin, .self = self};
  }
  const char *hint = elab_method_hint(expr->attribute.name), *cast = NULL;
  if (strcmp(expr->attribute.name, "astype") == 0 && is_callee(e, expr) && e->call->call.args.n == 1)
    cast = asked_cast(e, e->call->call.args.at[0].value);
  if (cast) hint = cast;
  if (hint)
    return elab_error(e, expr->attribute.name_loc, "[T0205] %s has no attribute '%s'; write %s",
                      obj_describe(e, object), expr->attribute.name, hint);
  if (object->kind == OBJ_TUPLE && object->items.n && !object->items.names)
    return elab_error(
        e, expr->attribute.name_loc,
        "[T0205] %s has no attribute '%s': its elements have no names; use an index, or give it "
        "with names, as in (%s=..., ...)",
        obj_describe(e, object), expr->attribute.name, expr->attribute.name);
  uint32_t n, m = sizeof attributes / sizeof *attributes;
  const char *const *methods = builtin_names(e, SCOPE_METHOD, &n);
  const char **names = ARENA_ARRAY(e->arena, const char *, n + m);
  memcpy(names, attributes, sizeof attributes);
  memcpy(names + m, methods, n * sizeof *names);
  return elab_error(e, expr->attribute.name_loc, "[T0205] %s has no attribute '%s'%s",
                    obj_describe(e, object), expr->attribute.name,
                    elab_did_you_mean(e, str_from(expr->attribute.name), names, n + m));
}

static Obj unknown_in_file(Elab *e, const Expr *expr, const Module *file) {
  const char **names = ARENA_ARRAY(e->arena, const char *, file->functions.n);
  for (uint32_t i = 0; i < file->functions.n; i++) names[i] = file->functions.at[i]->name;
  return elab_error(e, expr->attribute.name_loc, "[T0205] '%s' has no '%s'%s",
                    sources_name(e->ir->sources, file->file), expr->attribute.name,
                    elab_did_you_mean(e, str_from(expr->attribute.name), names, file->functions.n));
}

static Obj elab_attribute(Elab *e, const Expr *expr) {
  return elab_attribute_of(e, expr, elab_object_of(e, expr));
}

Obj elab_object_of(Elab *e, const Expr *expr) {
  const Expr *outer = e->attribute;
  if (!outer || !is_attribute_of(outer, expr)) e->attribute = expr;
  Obj object = elab_expr(e, expr->attribute.object);
  e->attribute = outer;
  return object;
}

Obj elab_attribute_of(Elab *e, const Expr *expr, Obj object) {
  Obj obj;
  if (object.kind == OBJ_ERROR) return object;
  if (object.kind == OBJ_NAMESPACE && elab_set_already(e, expr->loc, &object, expr->attribute.name, &obj))
    return obj;
  if (object.kind == OBJ_NAMESPACE && object.file)
    return elab_file_member(e, expr->attribute.name_loc, object.file, expr->attribute.name, &obj) ||
                   elab_module_below(e, &object, expr->attribute.name, &obj)
               ? obj
               : unknown_in_file(e, expr, object.file);
  if (obj_is_unread(&object) && elab_module_below(e, &object, expr->attribute.name, &obj)) return obj;
  if (object.kind == OBJ_NAMESPACE && python_member(e, expr->loc, object.path, expr->attribute.name, &obj))
    return obj;
  if (object.kind == OBJ_NAMESPACE)
    return elab_namespace_member(e, object.path, expr->attribute.name, &obj)
               ? obj
               : unknown_member(e, expr, object.path);
  if (object.kind == OBJ_TUPLE && elab_field(e, &object, expr->attribute.name, &obj)) return obj;
  if (object.kind != OBJ_VALUE && strcmp(expr->attribute.name, "value") == 0) return object; // of a constexpr
  if (elab_number_member(&object, expr->attribute.name, &obj)) return obj;
  if (obj_is(&object, CONST_DTYPE) && type_attribute(e, expr, object.constant.type, &obj)) return obj;
  bool constant = object.kind == OBJ_TUPLE || (object.kind == OBJ_CONST && !object.typed);
  if (constant && !obj_is(&object, CONST_DTYPE) && strcmp(expr->attribute.name, "type") == 0)
    return obj_type_of(e, &object);
  if ((object.kind == OBJ_VALUE || obj_is_number(&object)) && value_attribute(e, expr, &object, &obj))
    return obj;
  if (obj_is(&object, CONST_DTYPE) && strcmp(expr->attribute.name, "shape") == 0)
    return elab_type_shape(e, object.constant.type);
  return method(e, expr, &object);
}

// --- Literals ---

static Obj tuple(Elab *e, const ExprList *list) {
  VEC(Obj) items = {0};
  for (uint32_t i = 0; i < list->n; i++) {
    const Expr *item = list->at[i];
    Obj obj = elab_expr(e, item->kind == EXPR_STAR ? item->operand : item);
    if (item->kind != EXPR_STAR) {
      vec_push(e->arena, &items, obj);
      continue;
    }
    if (obj.kind != OBJ_TUPLE && obj.kind != OBJ_ERROR)
      obj = elab_error(e, item->loc, "[T0309] '*' needs a tuple, not %s", obj_describe(e, &obj));
    if (obj.kind == OBJ_ERROR) return obj;
    for (uint32_t k = 0; k < obj.items.n; k++) vec_push(e->arena, &items, obj.items.at[k]);
  }
  return (Obj){.kind = OBJ_TUPLE, .items = {items.at, items.n}};
}

// Checks the text so far. Returns false with an error if it is too long.
static bool check_text(Elab *e, Loc loc, const Buf *buf) {
  if (buf->n <= ELAB_MAX_STRING) return true;
  return elab_fail(e, loc, "[T0506] the string is too long: an f-string has at most %d bytes",
                   ELAB_MAX_STRING);
}

static Obj fstring(Elab *e, const Expr *expr) {
  Buf buf = {0};
  for (uint32_t i = 0; i < expr->fstring.n; i++) {
    const FStringPart *part = &expr->fstring.at[i];
    if (!part->value) {
      buf_str(&buf, part->text);
      continue;
    }
    Obj obj = elab_expr(e, part->value);
    if (obj.kind != OBJ_ERROR && !obj_is_static(&obj))
      obj = elab_error(
          e, part->value->loc,
          "[T0401] an f-string is evaluated at compile time, and this is %s; pass the value to print or "
          "device_print as a separate argument",
          obj_describe(e, &obj));
    if (obj.kind != OBJ_ERROR) buf_text(&buf, obj_text(e, &obj));
    if (obj.kind == OBJ_ERROR || !check_text(e, expr->loc, &buf)) {
      buf_free(&buf);
      return obj_error();
    }
  }
  elab_work(e, (uint32_t)buf.n / BYTES_A_STEP);
  return obj_string(e, str_from(elab_text(e, &buf)));
}

static Obj integer(Elab *e, const Expr *expr) {
  if (expr->integer.overflow)
    return elab_error(e, expr->loc, "[T0506] the integer is too large: it does not fit in 64 bits");
  ConstValue c = {
      .kind = CONST_INT, .is_u64 = expr->integer.value > INT64_MAX, .i = (int64_t)expr->integer.value};
  return obj_const(c);
}

// Makes a function whose body returns the expression.
static Obj lambda(Elab *e, const Expr *expr) {
  Function *function = ARENA_NEW(e->arena, Function);
  Stmt *body = ARENA_NEW(e->arena, Stmt);
  *body = (Stmt){.kind = STMT_RETURN, .loc = expr->lambda.body->loc, .expr = expr->lambda.body};
  *function = (Function){.loc = expr->loc, .name = "lambda", .params = expr->lambda.params};
  vec_push(e->arena, &function->body, body);
  return (Obj){.kind = OBJ_FUNCTION, .function = function, .closure = e->frame};
}

static Obj conditional(Elab *e, const Expr *expr) {
  Obj condition = elab_expr(e, expr->conditional.condition);
  bool truth;
  if (condition.kind == OBJ_ERROR) return condition;
  if (const_truth(e, &condition, &truth))
    return elab_expr(e, truth ? expr->conditional.then : expr->conditional.otherwise);
  Value *value = elab_condition(e, expr->conditional.condition->loc, "a condition", &condition);
  return value ? elab_run_conditional(e, expr, value) : obj_error();
}

static Obj dispatch(Elab *e, const Expr *expr) {
  Obj a, b;
  switch (expr->kind) {
  case EXPR_ERROR: return obj_error();
  case EXPR_NAME: return elab_name(e, expr->loc, expr->name);
  case EXPR_INT: return integer(e, expr);
  case EXPR_FLOAT: return obj_float(expr->number);
  case EXPR_STRING: return obj_string(e, expr->string.text);
  case EXPR_FSTRING: return fstring(e, expr);
  case EXPR_BOOL: return obj_bool(expr->boolean);
  case EXPR_NONE: return obj_none();
  case EXPR_TUPLE:
  case EXPR_LIST: return tuple(e, &expr->list);
  case EXPR_CALL: return elab_call(e, expr);
  case EXPR_ATTRIBUTE: return elab_attribute(e, expr);
  case EXPR_SUBSCRIPT: return elab_subscript(e, expr);
  case EXPR_UNARY: a = elab_expr(e, expr->unary.operand); return elab_unary(e, expr->loc, expr->unary.op, &a);
  case EXPR_BINARY:
    a = elab_expr(e, expr->binary.left);
    b = elab_expr(e, expr->binary.right);
    return elab_binary(e, expr->loc, expr->binary.op, &a, &b);
  case EXPR_LOGICAL: return elab_logical(e, expr);
  case EXPR_COMPARE: return elab_compare_chain(e, expr);
  case EXPR_BINDS:
    a = elab_expr(e, expr->binds.value);
    elab_bind_quietly(e, expr->binds.name, expr->loc, a);
    return a;
  case EXPR_CONDITIONAL: return conditional(e, expr);
  case EXPR_ELLIPSIS:
    return elab_error(e, expr->loc, "[T0305] '...' can be used only in subscripts of tiles");
  case EXPR_SET:
    if (elab_on_host(e)) return tuple(e, &expr->list);
    return elab_error(e, expr->loc, "[T0104] a kernel cannot use sets; use a tuple");
  case EXPR_DICT:
    if (elab_on_host(e)) return elab_dict(e, expr);
    return elab_error(e, expr->loc, "[T0104] a kernel cannot use dictionaries; use a tuple");
  case EXPR_LAMBDA: return lambda(e, expr);
  case EXPR_COMPREHENSION: return elab_comprehension(e, expr);
  case EXPR_SLICE:
  case EXPR_STAR:
  case EXPR_POINTER_TYPE: break;
  }
  return elab_error(e, expr->loc, "[T0309] this expression has no value");
}

Obj elab_expr(Elab *e, const Expr *expr) {
  if (!elab_enter(e, expr->loc)) return obj_error();
  Obj obj = dispatch(e, expr);
  if (obj.kind == OBJ_TUPLE && obj.items.total == 0) obj = obj_sized(e, expr->loc, obj);
  if (e->watch) elab_watch_expr(e, expr->loc, &obj);
  elab_leave(e);
  return e->stopped ? obj_error() : obj;
}
