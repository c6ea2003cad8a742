// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Annotations of parameters and assignments: types, constexpr, const.
#include "frontend/module/elab_module.h"

static const char *last_name(const Expr *expr) {
  if (expr->kind == EXPR_NAME) return expr->name;
  if (expr->kind == EXPR_ATTRIBUTE) return expr->attribute.name;
  return NULL;
}

static bool type_from_text(Elab *e, Str text, const Type **type, bool *is_constexpr) {
  uint32_t stars = 0;
  while (text.n && (text.at[0] == '*' || text.at[0] == ' ')) {
    stars += text.at[0] == '*';
    text = (Str){text.at + 1, text.n - 1};
  }
  if (str_starts(text, "tl.")) text = (Str){text.at + 3, text.n - 3};
  if (str_is(text, "constexpr") && !stars) return *is_constexpr = true;
  Elem elem;
  // As Triton's signatures write it: "*kfp32"; or "*const fp32".
  uint32_t skipped = stars && str_starts(text, "const ") ? 6 : stars && str_starts(text, "k") ? 1 : 0;
  text = (Str){text.at + skipped, text.n - skipped};
  if (stars > 8 || !elem_parse(text, &elem)) return false;
  *type = elab_scalar(e, elem);
  for (bool is_const = skipped; stars; stars--, is_const = false)
    *type = is_const ? type_const_ptr(e->ir, *type) : type_ptr(e->ir, *type);
  return true;
}

static const char *suggest_type(Elab *e, Str typed) {
  static const char *const names[] = {
#define X(name, spelling, long_name, ...) spelling, long_name,
#include "target/elems.def"
#undef X
      "constexpr"};
  return elab_did_you_mean(e, typed, names, sizeof names / sizeof *names);
}

// Python's own annotations mean nothing here.
static bool is_foreign(const char *name) {
  static const char *const names[] = {"int",   "float", "bool",  "str", "tensor", "Tensor",
                                      "tuple", "dtype", "const", "Any", "object", NULL};
  return str_is_one_of(name, names);
}

// True for a class of the file or of a library. Its name means nothing here, like Python's own. But it may be another
// name of tl.constexpr.
static bool is_class(Elab *e, const Expr *annotation, const char *name, bool *is_constexpr) {
  const Module *module = e->frame ? e->frame->module : e->module;
  Obj obj;
  if (!module) return false;
  for (uint32_t i = 0; i < module->definitions.n; i++)
    if (module->definitions.at[i].name == name && module->definitions.at[i].kind == DEFINES_OUTSIDE)
      return true;
  if (!elab_quietly(e, module, module->definitions.n, annotation, &obj)) return false;
  *is_constexpr = obj.kind == OBJ_BUILTIN && strcmp(obj.builtin->name, "constexpr") == 0;
  return *is_constexpr || obj.kind == OBJ_NAMED || obj_is_unread(&obj);
}

bool elab_annotation(Elab *e, const Expr *annotation, const Type **type, bool *is_constexpr) {
  *type = NULL;
  *is_constexpr = false;
  if (!annotation || annotation->kind == EXPR_NONE || annotation->kind == EXPR_ERROR) return true;
  if (annotation->kind == EXPR_STRING) {
    if (type_from_text(e, annotation->string.text, type, is_constexpr)) return true;
    if (e->module && annotation->string.text.n && annotation->string.text.at[0] != '*') return true;
    return elab_fail(e, annotation->loc, "[T0306] unknown type '%.*s'", STR_ARG(annotation->string.text));
  }
  if (annotation->kind == EXPR_POINTER_TYPE) {
    if (!elab_annotation(e, annotation->operand, type, is_constexpr)) return false;
    if (*type && !*is_constexpr)
      *type = type_ptr(e->ir, *type);
    else
      elab_error(e, annotation->loc,
                 "[T0403] a pointer's annotation must name its element type, as in *fp32");
    return *type != NULL;
  }
  if (annotation->kind == EXPR_SUBSCRIPT)
    return elab_annotation(e, annotation->subscript.object, type, is_constexpr);
  const char *name = last_name(annotation);
  if (!name) return true;
  if (type_from_text(e, str_from(name), type, is_constexpr)) return true;
  if (is_foreign(name) || annotation->kind == EXPR_ATTRIBUTE || is_class(e, annotation, name, is_constexpr))
    return true;
  return elab_fail(e, annotation->loc, "[T0306] unknown type '%s'%s", name, suggest_type(e, str_from(name)));
}

static bool wide_from_text(Elab *e, const Expr *annotation, Str text, ParamSpec *param) {
  ParamTextError error;
  if (param_parse(e->ir, text, "the parameter", param, &error)) return true;
  return elab_fail(e, annotation->loc, "[T0403] %s", error.message);
}

// (*fp32, i32): every element has a type, because nothing else gives their number.
static bool annotated_tuple(Elab *e, const Expr *annotation, ParamSpec *param) {
  const ExprList *list = &annotation->list;
  param->form = PARAM_TUPLE;
  param->item_count = list->n;
  param->items = ARENA_ARRAY(e->arena, ParamSpec, list->n);
  for (uint32_t i = 0; i < list->n; i++) {
    const Expr *item = list->at[i];
    ParamSpec *to = &param->items[i];
    bool is_constexpr = false, pointer = item->kind == EXPR_STAR;
    if (!elab_param_annotation(e, pointer ? item->operand : item, to, &is_constexpr)) return false;
    if (is_constexpr || (pointer && (to->form != PARAM_PLAIN || !to->type)))
      return elab_fail(e, item->loc,
                       "[T0403] an element of a tuple must be annotated with its type, as in (*fp32, i32)");
    if (pointer) to->type = type_ptr(e->ir, to->type);
  }
  return true;
}

bool elab_param_annotation(Elab *e, const Expr *annotation, ParamSpec *param, bool *is_constexpr) {
  *param = (ParamSpec){.form = PARAM_PLAIN};
  *is_constexpr = false;
  if (annotation && annotation->kind == EXPR_STRING) {
    Str text = str_trimmed(annotation->string.text);
    if (str_starts(text, "(") || str_starts(text, "tensordesc"))
      return wide_from_text(e, annotation, text, param);
  }
  if (annotation && annotation->kind == EXPR_TUPLE) return annotated_tuple(e, annotation, param);
  return elab_annotation(e, annotation, &param->type, is_constexpr);
}

bool elab_annotates_const(const Expr *annotation) {
  if (!annotation) return false;
  if (annotation->kind == EXPR_STRING) return str_is(annotation->string.text, "const");
  const char *name = last_name(annotation);
  return name && strcmp(name, "const") == 0;
}

// --- Pointers to const ---

static const Type *drop_const(Elab *e, const Type *type) {
  const Type *element = type_element(type);
  if (type_is_block_ptr(type) || element->kind != TYPE_PTR || !element->is_const) return type;
  return type_with_element(e->ir, type, type_ptr(e->ir, element->inner));
}

const Type *elab_without_const(Elab *e, const Type *type) { return type ? drop_const(e, type) : NULL; }

static void drop_in_args(Elab *e, Region *region) {
  for (uint32_t i = 0; i < region->arg_count; i++)
    region->args[i]->type = drop_const(e, region->args[i]->type);
}

static void drop_in_region(Elab *e, Region *region) {
  drop_in_args(e, region);
  for (OpWalk w = ops_in(region); ops_next(&w);) {
    Op *op = w.op;
    for (uint32_t i = 0; i < op->result_count; i++) op->results[i].type = drop_const(e, op->results[i].type);
    for (uint32_t i = 0; i < op->region_count; i++) drop_in_args(e, op->regions[i]);
    if (op->kind != OP_BITCAST || op_result(op)->type != op_operand(op, 0)->type) continue;
    value_replace_uses(op_result(op), op_operand(op, 0));
    op_erase(op);
  }
}

void elab_drop_const(Elab *e, Func *func) {
  for (uint32_t i = 0; i < func->param_count; i++) func->params[i].type = drop_const(e, func->params[i].type);
  drop_in_region(e, func->body);
  for (uint32_t i = 0; i < func->host.n; i++) drop_in_region(e, func->host.at[i]->region);
}
