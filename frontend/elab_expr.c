// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions: names, literals, attributes, subscripts, f-strings.
#include "frontend/elaborate.h"

#include <math.h>

static Obj error_obj(void) { return (Obj){.kind = OBJ_ERROR}; }

// --- Names ---

const Function *elab_find_function(const Module *module, const char *name) {
  const Function *found = NULL;
  for (uint32_t i = 0; i < module->functions.n; i++)
    if (module->functions.at[i]->name == name) found = module->functions.at[i];
  return found;
}

static const char *interned(Elab *e, const char *text) { return intern(&e->ir->names, str_from(text)); }

// Modules of Triton; anything below one of these words is one too.
static bool is_namespace_part(const char *name) {
  static const char *const parts[] = {"language",  "math",         "extra",    "cuda",
                                      "libdevice", "core",         "standard", "runtime",
                                      "random",    "PropagateNan", "nvidia",   "triton_helpers"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strcmp(name, parts[i]) == 0) return true;
  return false;
}

// TorchInductor's helpers count as Triton's: its kernels are written with them.
static bool is_triton(const char *path) {
  return strcmp(path, "triton") == 0 || str_starts(str_from(path), "triton.") ||
         str_starts(str_from(path), "torch._inductor.runtime") || strcmp(path, "libdevice") == 0;
}

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static uint32_t namespace_scope(const char *path) {
  if (ends_with(path, "libdevice")) return SCOPE_LIB;
  if (ends_with(path, "triton_helpers")) return SCOPE_HELPER;
  return ends_with(path, ".math") ? SCOPE_TL | SCOPE_LIB : SCOPE_TL;
}

// The numbers of Python's module math.
static bool python_math(const char *name, Obj *obj) {
  static const struct {
    const char *name;
    double value;
  } numbers[] = {{"pi", 0x1.921fb54442d18p+1},
                 {"e", 0x1.5bf0a8b145769p+1},
                 {"tau", 0x1.921fb54442d18p+2},
                 {"inf", INFINITY},
                 {"nan", NAN}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (strcmp(name, numbers[i].name) == 0) {
      *obj = obj_float(numbers[i].value);
      return true;
    }
  return false;
}

// A member of a module of Triton or of Python's math; false where there is none of that name.
static bool namespace_member(Elab *e, const char *path, const char *name, Obj *obj) {
  if (strcmp(path, "math") == 0) return python_math(name, obj);
  if (!is_triton(path)) return false;
  if (ends_with(path, "PropagateNan") && (strcmp(name, "ALL") == 0 || strcmp(name, "NONE") == 0)) {
    *obj = obj_string(e, str_from(name));
    return true;
  }
  uint32_t scope = namespace_scope(path);
  const Builtin *builtin = builtin_find(name, scope);
  if (builtin) {
    *obj = (Obj){.kind = OBJ_BUILTIN, .builtin = builtin};
    return true;
  }
  Elem elem;
  if ((scope & SCOPE_TL) && elem_parse(str_from(name), &elem)) {
    *obj = obj_type(elab_scalar(e, elem));
    return true;
  }
  if (!is_namespace_part(name)) return false;
  *obj = (Obj){.kind = OBJ_NAMESPACE, .path = interned(e, arena_printf(e->arena, "%s.%s", path, name))};
  return true;
}

static bool file_member(Elab *e, const Module *file, const char *name, Obj *obj);

// What `import a.b` or `import a.b as c` binds.
static Obj imported_module(Elab *e, const ImportName *item) {
  Str head = str_from(item->name);
  const char *dot = item->alias ? NULL : strchr(head.at, '.');
  if (dot) head.n = (size_t)(dot - head.at);
  return (Obj){.kind = OBJ_NAMESPACE, .path = intern(&e->ir->names, head), .file = dot ? NULL : item->whole};
}

// What `from m import a` binds: of m's file, or the file m.a itself; or of Triton.
static Obj imported_from(Elab *e, const Import *import, const ImportName *item) {
  Obj obj;
  const char *path = interned(e, arena_printf(e->arena, "%s.%s", import->module, item->name));
  if (item->module && file_member(e, item->module, item->name, &obj)) return obj;
  if (item->whole) return (Obj){.kind = OBJ_NAMESPACE, .path = item->name, .file = item->whole};
  if (!import->dots && namespace_member(e, import->module, item->name, &obj)) return obj;
  return (Obj){.kind = OBJ_NAMESPACE, .path = path};
}

static bool binds(const Elab *e, const Import *import, const ImportName *item, const char *name) {
  (void)e;
  if (item->alias) return item->alias == name;
  size_t n = import->from ? strlen(item->name) : strcspn(item->name, ".");
  return strlen(name) == n && memcmp(name, item->name, n) == 0;
}

// What an import binds `name` to.
static bool imported(Elab *e, const char *name, Obj *obj) {
  const ImportList *imports = &e->frame->module->imports;
  for (uint32_t i = 0; i < imports->n; i++) {
    const Import *import = imports->at[i];
    for (uint32_t k = 0; k < import->names.n; k++) {
      const ImportName *item = &import->names.at[k];
      bool all = import->from && item->module && strcmp(item->name, "*") == 0;
      if (all && file_member(e, item->module, name, obj)) return true;
      if (!binds(e, import, item, name)) continue;
      *obj = import->from ? imported_from(e, import, item) : imported_module(e, item);
      return true;
    }
  }
  return false;
}

static bool assigns(const Stmt *stmt, const char *name) {
  if (stmt->kind == STMT_ANNOTATED)
    return stmt->annotated.target->kind == EXPR_NAME && stmt->annotated.target->name == name &&
           stmt->annotated.value;
  if (stmt->kind != STMT_ASSIGN) return false;
  for (uint32_t i = 0; i < stmt->assign.targets.n; i++)
    if (stmt->assign.targets.at[i]->kind == EXPR_NAME && stmt->assign.targets.at[i]->name == name)
      return true;
  return false;
}

// The module's last assignment to the name, evaluated with the constants before it.
static bool module_constant(Elab *e, const char *name, Obj *obj) {
  for (uint32_t i = e->frame->constants; i-- > 0;) {
    const Stmt *stmt = e->frame->module->constants.at[i];
    if (!assigns(stmt, name)) continue;
    Frame *frame = elab_push(e, NULL);
    frame->constants = i;
    *obj = elab_expr(e, stmt->kind == STMT_ASSIGN ? stmt->assign.value : stmt->annotated.value);
    elab_pop(e);
    return true;
  }
  return false;
}

static bool own_name(Elab *e, const char *name, Obj *obj) {
  if (module_constant(e, name, obj)) return true;
  const Function *function = elab_find_function(e->frame->module, name);
  if (!function) return imported(e, name, obj);
  *obj = (Obj){.kind = OBJ_FUNCTION, .function = function};
  return true;
}

// A name of another file. Files may import one another in a circle, which the depth of evaluation ends.
static bool file_member(Elab *e, const Module *file, const char *name, Obj *obj) {
  if (!elab_enter(e, LOC_NONE)) {
    *obj = error_obj();
    return true;
  }
  Frame *frame = elab_push(e, NULL);
  frame->module = file;
  frame->constants = file->constants.n;
  bool found = own_name(e, name, obj);
  elab_pop(e);
  elab_leave(e);
  return found;
}

static bool global_name(Elab *e, const char *name, Obj *obj) {
  if (own_name(e, name, obj)) return true;
  const Builtin *builtin = builtin_find(name, SCOPE_PY);
  if (!builtin) builtin = builtin_find(name, SCOPE_TL);
  if (!builtin) builtin = builtin_find(name, SCOPE_LIB);
  if (builtin) {
    *obj = (Obj){.kind = OBJ_BUILTIN, .builtin = builtin};
    return true;
  }
  Elem elem;
  if (elem_parse(str_from(name), &elem)) {
    *obj = obj_type(elab_scalar(e, elem));
    return true;
  }
  const char *path = strcmp(name, "tl") == 0       ? "triton.language"
                     : strcmp(name, "triton") == 0 ? "triton"
                                                   : NULL;
  if (strcmp(name, "libdevice") == 0) path = "triton.language.extra.libdevice";
  if (path) *obj = (Obj){.kind = OBJ_NAMESPACE, .path = interned(e, path)};
  return path != NULL;
}

static const char *suggest_name(Elab *e, const char *name) {
  uint32_t n, m = 0, frames = e->frame->vars.n, functions = e->frame->module->functions.n;
  const char *const *builtins = builtin_names(e, SCOPE_TL | SCOPE_PY, &n);
  const char **names = ARENA_ARRAY(e->arena, const char *, n + frames + functions);
  for (uint32_t i = 0; i < frames; i++) names[m++] = e->frame->vars.at[i].name;
  for (uint32_t i = 0; i < functions; i++) names[m++] = e->frame->module->functions.at[i]->name;
  for (uint32_t i = 0; i < n; i++) names[m++] = builtins[i];
  return elab_did_you_mean(e, str_from(name), names, m);
}

static Obj unknown_name(Elab *e, Loc loc, const char *name) {
  for (uint32_t i = e->frame->pruned.n; i-- > 0;) {
    const Name *pruned = &e->frame->pruned.at[i];
    if (pruned->name != name) continue;
    Diag *diag = diag_error(e->diags, elab_loc(e, loc), "'%s' has no value here", name);
    diag_note(e->diags, diag, elab_loc(e, pruned->loc),
              "it is assigned here only, in a branch that this specialisation does not take");
    return error_obj();
  }
  return elab_error(e, loc, "unknown name '%s'%s", name, suggest_name(e, name));
}

static Obj local_name(Elab *e, Loc loc, const Binding *binding) {
  if (binding->maybe) {
    Diag *diag = diag_error(e->diags, elab_loc(e, loc), "'%s' may have no value here", binding->name);
    diag_note(e->diags, diag, elab_loc(e, binding->loc),
              "it is assigned here, on some of the ways that lead there only");
    return error_obj();
  }
  const Obj *obj = &binding->obj;
  if (!e->frame->grid || obj->kind != OBJ_VALUE || type_is_ptr(obj->value->type)) return *obj;
  if (type_is_float(obj->value->type)) {
    Diag *diag =
        diag_error(e->diags, elab_loc(e, loc), "a grid cannot depend on the float '%s'", binding->name);
    diag_note(e->diags, diag, binding->loc, "parameter declared here");
    return error_obj();
  }
  e->b.loc = elab_loc(e, loc);
  return obj_value(build_cast(&e->b, obj->value, elab_scalar(e, ELEM_I64)));
}

Obj elab_name(Elab *e, Loc loc, const char *name) {
  for (const Frame *frame = e->frame; frame; frame = frame->closure) {
    const Binding *binding = elab_find(frame, name);
    if (binding) return local_name(e, loc, binding);
  }
  Obj obj;
  return global_name(e, name, &obj) ? obj : unknown_name(e, loc, name);
}

// --- Attributes ---

const char *elab_expr_text(Elab *e, const Expr *expr) {
  if (expr->kind == EXPR_NAME) return expr->name;
  if (expr->kind != EXPR_ATTRIBUTE) return "the expression";
  const Expr *object = expr->attribute.object;
  if (object->kind != EXPR_NAME && object->kind != EXPR_ATTRIBUTE) return expr->attribute.name;
  return arena_printf(e->arena, "%s.%s", elab_expr_text(e, object), expr->attribute.name);
}

static Obj unknown_member(Elab *e, const Expr *expr, const char *path) {
  if (!is_triton(path))
    return elab_error(e, expr->loc, "'%s' is not known: only Triton's modules can be used in kernels",
                      elab_expr_text(e, expr));
  uint32_t n;
  const char *const *names = builtin_names(e, namespace_scope(path), &n);
  const char *nearest = diag_nearest(str_from(expr->attribute.name), names, n);
  const char *object = elab_expr_text(e, expr->attribute.object);
  Diag *diag =
      nearest ? diag_error(e->diags, elab_loc(e, expr->loc), "unknown name '%s'; did you mean '%s.%s'?",
                           elab_expr_text(e, expr), object, nearest)
              : diag_error(e->diags, elab_loc(e, expr->loc), "unknown name '%s'", elab_expr_text(e, expr));
  if (nearest) diag_fixit(e->diags, diag, expr->attribute.name_loc, nearest);
  return error_obj();
}

// x.type, of a tile or a pointer; x.dtype is its element type.
static bool type_attribute(Elab *e, const Expr *expr, const Type *type, Obj *obj) {
  const char *name = expr->attribute.name;
  const Type *element = type_element(type);
  if (strcmp(name, "element_ty") == 0 && type_is_block_ptr(type))
    *obj = obj_type(type_tile(e->ir, type->inner, type->rank, type->shape, NULL));
  else if (strcmp(name, "element_ty") == 0) {
    if (!type_is_tile(type) && type->kind != TYPE_PTR) {
      *obj = elab_error(e, expr->loc, "'element_ty' is an attribute of pointer types, not of %s",
                        type_text(e, type));
      return true;
    }
    *obj = obj_type(type_is_tile(type) ? element : type->inner);
  } else if (strcmp(name, "scalar") == 0)
    *obj = obj_type(element);
  else if (strcmp(name, "primitive_bitwidth") == 0 || strcmp(name, "itemsize") == 0 ||
           strcmp(name, "int_bitwidth") == 0) {
    int bits = element->kind == TYPE_PTR ? 64 : elem_info(element->elem)->bits;
    *obj = obj_int(name[1] == 't' ? (bits + 7) / 8 : bits);
  } else if (strcmp(name, "name") == 0)
    *obj = obj_string(e, str_from(type_text(e, element)));
  else
    return false;
  return true;
}

// The last two dimensions swapped.
static Obj transposed(Elab *e, const Expr *expr, const Obj *object) {
  const Type *type = object->kind == OBJ_VALUE ? object->value->type : NULL;
  if (!type || !type_is_tile(type) || type->rank < 2)
    return elab_error(e, expr->loc, "'.T' is of tiles with two dimensions or more, not of %s",
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
  const Type *type =
      object->kind == OBJ_VALUE ? object->value->type : elab_scalar(e, const_elem(&object->constant));
  if (type_is_block_ptr(type) && elab_block_attribute(e, name, object->value, obj)) return true;
  if (strcmp(name, "dtype") == 0)
    *obj = obj_type(type_element(type));
  else if (strcmp(name, "type") == 0)
    *obj = obj_type(type);
  else if (strcmp(name, "numel") == 0)
    *obj = obj_int((int64_t)type_elements(type));
  else if (strcmp(name, "shape") == 0) {
    *obj = obj_tuple(e, type_is_tile(type) ? type->rank : 0);
    for (uint32_t i = 0; i < obj->items.n; i++) obj->items.at[i] = obj_int(type->shape[i]);
  } else if (strcmp(name, "T") == 0)
    *obj = transposed(e, expr, object);
  else
    return false;
  return true;
}

static Obj method(Elab *e, const Expr *expr, const Obj *object) {
  static const char *const attributes[] = {"dtype", "type",       "shape",  "numel",
                                           "T",     "element_ty", "scalar", "primitive_bitwidth"};
  const Builtin *builtin = builtin_find(expr->attribute.name, SCOPE_METHOD);
  // Tiles of pointers have `store` as the function; as a method it is a descriptor's otherwise.
  bool pointers = object->kind == OBJ_VALUE && type_is_ptr(object->value->type);
  if (pointers && strcmp(expr->attribute.name, "store") == 0) builtin = builtin_find("store", SCOPE_TL);
  if (builtin) {
    Obj *self = ARENA_NEW(e->arena, Obj);
    *self = *object;
    return (Obj){.kind = OBJ_BUILTIN, .builtin = builtin, .self = self};
  }
  uint32_t n, m = sizeof attributes / sizeof *attributes;
  const char *const *methods = builtin_names(e, SCOPE_METHOD, &n);
  const char **names = ARENA_ARRAY(e->arena, const char *, n + m);
  memcpy(names, attributes, sizeof attributes);
  memcpy(names + m, methods, n * sizeof *names);
  return elab_error(e, expr->attribute.name_loc, "%s has no attribute '%s'%s", obj_describe(e, object),
                    expr->attribute.name, elab_did_you_mean(e, str_from(expr->attribute.name), names, n + m));
}

static Obj unknown_in_file(Elab *e, const Expr *expr, const Module *file) {
  const char **names = ARENA_ARRAY(e->arena, const char *, file->functions.n);
  for (uint32_t i = 0; i < file->functions.n; i++) names[i] = file->functions.at[i]->name;
  return elab_error(e, expr->attribute.name_loc, "'%s' has no '%s'%s",
                    sources_name(e->ir->sources, file->file), expr->attribute.name,
                    elab_did_you_mean(e, str_from(expr->attribute.name), names, file->functions.n));
}

Obj elab_attribute(Elab *e, const Expr *expr) {
  Obj object = elab_expr(e, expr->attribute.object), obj;
  if (object.kind == OBJ_ERROR) return object;
  if (object.kind == OBJ_NAMESPACE && object.file)
    return file_member(e, object.file, expr->attribute.name, &obj) ? obj
                                                                   : unknown_in_file(e, expr, object.file);
  if (object.kind == OBJ_NAMESPACE)
    return namespace_member(e, object.path, expr->attribute.name, &obj)
               ? obj
               : unknown_member(e, expr, object.path);
  if (object.kind != OBJ_VALUE && strcmp(expr->attribute.name, "value") == 0) return object; // of a constexpr
  if (obj_is(&object, CONST_DTYPE) && type_attribute(e, expr, object.constant.type, &obj)) return obj;
  if ((object.kind == OBJ_VALUE || obj_is_number(&object)) && value_attribute(e, expr, &object, &obj))
    return obj;
  if (obj_is(&object, CONST_DTYPE) && strcmp(expr->attribute.name, "shape") == 0) {
    const Type *type = object.constant.type;
    obj = obj_tuple(e, type_is_tile(type) ? type->rank : 0);
    for (uint32_t i = 0; i < obj.items.n; i++) obj.items.at[i] = obj_int(type->shape[i]);
    return obj;
  }
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
      obj = elab_error(e, item->loc, "'*' needs a tuple, not %s", obj_describe(e, &obj));
    if (obj.kind == OBJ_ERROR) return obj;
    for (uint32_t k = 0; k < obj.items.n; k++) vec_push(e->arena, &items, obj.items.at[k]);
  }
  return (Obj){.kind = OBJ_TUPLE, .items = {items.at, items.n}};
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
          "an f-string is made when the kernel is compiled, and this is %s; print and device_print take "
          "values as arguments of their own",
          obj_describe(e, &obj));
    if (obj.kind == OBJ_ERROR) {
      buf_free(&buf);
      return obj;
    }
    buf_text(&buf, obj_text(e, &obj));
  }
  return obj_string(e, str_from(elab_text(e, &buf)));
}

static Obj integer(Elab *e, const Expr *expr) {
  if (expr->integer.overflow)
    return elab_error(e, expr->loc, "the integer is too large: it does not fit in 64 bits");
  ConstValue c = {
      .kind = CONST_INT, .is_u64 = expr->integer.value > INT64_MAX, .i = (int64_t)expr->integer.value};
  return obj_const(c);
}

// A function whose body returns the expression.
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
  return value ? elab_run_conditional(e, expr, value) : error_obj();
}

static Obj dispatch(Elab *e, const Expr *expr) {
  Obj a, b;
  switch (expr->kind) {
  case EXPR_ERROR: return error_obj();
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
  case EXPR_CONDITIONAL: return conditional(e, expr);
  case EXPR_ELLIPSIS: return elab_error(e, expr->loc, "'...' is for subscripts of tiles");
  case EXPR_SET: return elab_error(e, expr->loc, "a kernel has no sets; tuples hold several values");
  case EXPR_DICT: return elab_error(e, expr->loc, "a kernel has no dictionaries; tuples hold several values");
  case EXPR_LAMBDA: return lambda(e, expr);
  case EXPR_COMPREHENSION: return elab_comprehension(e, expr);
  case EXPR_SLICE:
  case EXPR_STAR:
  case EXPR_POINTER_TYPE: break;
  }
  return elab_error(e, expr->loc, "this expression has no value");
}

Obj elab_expr(Elab *e, const Expr *expr) {
  if (!elab_enter(e, expr->loc)) return error_obj();
  Obj obj = dispatch(e, expr);
  elab_leave(e);
  return e->stopped ? error_obj() : obj;
}
