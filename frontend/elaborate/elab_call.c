// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls: binds arguments to parameters, runs builtins, inlines other functions of the file.
#include "frontend/builtins/builtins.h"
#include "frontend/module/elab_module.h"

enum { MAX_ARGS = 256, MAX_PARAM_NAME = 48 };

bool elab_given_args(Elab *e, const Expr *expr, GivenArgs *given) {
  bool good = true;
  for (uint32_t i = 0; i < expr->call.args.n; i++) {
    const Arg *arg = &expr->call.args.at[i];
    Obj obj = elab_expr(e, arg->value);
    good = good && obj.kind != OBJ_ERROR;
    if (obj.kind == OBJ_ERROR) continue;
    Loc name_loc = arg->loc;
    if (arg->name) name_loc.len = (uint16_t)strlen(arg->name);
    if (arg->stars == 0)
      vec_push(e->arena, given, ((Given){obj, arg->value->loc, arg->name, name_loc}));
    else if (arg->stars == 2 || obj.kind != OBJ_TUPLE) {
      elab_error(e, arg->loc,
                 arg->stars == 2 ? "[T0204] '**' arguments cannot be passed in a kernel"
                                 : "[T0309] '*' needs a tuple, not %s",
                 obj_describe(e, &obj));
      good = false;
    } else
      for (uint32_t k = 0; k < obj.items.n; k++) {
        vec_push(e->arena, given, ((Given){obj.items.at[k], arg->value->loc, NULL, LOC_NONE}));
        good = good && obj.items.at[k].kind != OBJ_ERROR;
      }
  }
  if (given->n > MAX_ARGS)
    return elab_fail(e, expr->loc, "[T0204] a call has at most %d arguments", MAX_ARGS);
  return good;
}

// --- Builtins ---

typedef struct BuiltinParam {
  const char *name; // interned
  bool optional, rest;
} BuiltinParam;
typedef VEC(BuiltinParam) BuiltinParams;

static void parse_params(Elab *e, const char *text, BuiltinParams *params) {
  while (*text) {
    BuiltinParam param = {0};
    if (*text == '*') param.rest = param.optional = *text++ != 0;
    size_t n = strcspn(text, " ?");
    param.name = intern(&e->ir->names, (Str){text, n});
    text += n;
    if (*text == '?') param.optional = *text++ != 0;
    if (*text == ' ') text++;
    vec_push(e->arena, params, param);
  }
}

static bool unexpected_keyword(Elab *e, const Given *given, const char *callee, const char *const *names,
                               uint32_t n) {
  static const char *const of_print[] = {"sep", "end", "file", "flush"};
  bool prints = strcmp(callee, "print") == 0, pythons = false;
  for (size_t i = 0; prints && i < sizeof of_print / sizeof *of_print; i++)
    pythons = pythons || strcmp(given->name, of_print[i]) == 0;
  return elab_fail(e, given->name_loc, "[T0204] unexpected keyword argument '%s' of '%s'%s", given->name,
                   callee,
                   pythons ? "; leave it out: each element is printed on a separate line"
                           : elab_did_you_mean(e, str_from(given->name), names, n));
}

// libdevice's functions have the parameters arg0, arg1, ...; those that are tl.math's too have rows with others.
static uint32_t libdevice_param(const char *name) {
  bool numbered = strncmp(name, "arg", 3) == 0 && name[3] >= '0' && name[3] <= '9' && !name[4];
  return numbered ? (uint32_t)(name[3] - '0') : UINT32_MAX;
}

static uint32_t find_param(const Builtin *builtin, const BuiltinParams *params, const char *name) {
  uint32_t i = 0;
  while (i < params->n && params->at[i].name != name) i++;
  if (i == params->n && builtin->scope & SCOPE_LIB) i = libdevice_param(name);
  return i < params->n ? i : params->n;
}

static bool bind_one(Elab *e, const Given *given, const char *text, const BuiltinParams *params,
                     uint32_t *next, Call *call) {
  uint32_t at = *next;
  if (given->name) {
    at = find_param(call->builtin, params, given->name);
    const char **names = ARENA_ARRAY(e->arena, const char *, params->n);
    for (uint32_t i = 0; i < params->n; i++) names[i] = params->at[i].name;
    if (at == params->n) return unexpected_keyword(e, given, text, names, params->n);
  } else if (at < params->n && params->at[at].rest) {
    call->rest[call->rest_count++] = given->obj;
    return true;
  } else if (at >= params->n) {
    return elab_fail(e, given->loc, "[T0204] too many arguments for '%s': it takes %u", text, params->n);
  } else
    ++*next;
  if (call->args[at].kind != OBJ_ABSENT)
    return elab_fail(e, given->loc, "[T0204] argument '%s' of '%s' is given twice", params->at[at].name,
                     text);
  call->args[at] = given->obj;
  call->locs[at] = given->loc;
  return true;
}

// A single positional tuple may be the value of a *parameter: x.reshape((a, b)) is x.reshape(a, b).
static void spread_rest(Call *call) {
  if (call->rest_count != 1 || call->rest[0].kind != OBJ_TUPLE) return;
  Obj tuple = call->rest[0];
  call->rest = tuple.items.at;
  call->rest_count = tuple.items.n;
}

// Binds evaluated arguments. `callee`'s self comes first.
static bool bind_given(Elab *e, Loc loc, const char *text, const Obj *callee, const GivenArgs *given,
                       Call *call) {
  BuiltinParams params = {0};
  parse_params(e, callee->builtin->params, &params);
  *call = (Call){.loc = loc, .builtin = callee->builtin, .text = text};
  call->args = ARENA_ARRAY(e->arena, Obj, params.n);
  call->locs = ARENA_ARRAY(e->arena, Loc, params.n);
  call->rest = ARENA_ARRAY(e->arena, Obj, given->n);
  for (uint32_t i = 0; i < params.n; i++) call->args[i] = (Obj){.kind = OBJ_ABSENT}, call->locs[i] = loc;
  uint32_t next = 0;
  for (uint32_t i = 0; i < given->n; i++)
    if (!bind_one(e, &given->at[i], call->text, &params, &next, call)) return false;
  for (uint32_t i = 0; i < params.n; i++)
    if (call->args[i].kind == OBJ_ABSENT && !params.at[i].optional)
      return elab_fail(e, loc, "[T0204] missing argument '%s' of '%s'", params.at[i].name, call->text);
  spread_rest(call);
  elab_work(e, call->rest_count / ITEMS_A_STEP);
  return true;
}

bool elab_bind_builtin(Elab *e, const Expr *expr, const Obj *callee, Call *call) {
  GivenArgs given = {0};
  Given self = {callee->self ? *callee->self : obj_error(), expr->call.callee->loc, NULL, LOC_NONE};
  if (callee->self) vec_push(e->arena, &given, self);
  return elab_given_args(e, expr, &given) &&
         bind_given(e, expr->loc, elab_expr_text(e, expr->call.callee), callee, &given, call);
}

static Obj call_builtin(Elab *e, const Expr *expr, const Obj *callee) {
  if (!callee->builtin->run)
    return elab_error(e, expr->call.callee->loc, "[T0507] '%s' is not supported yet",
                      elab_expr_text(e, expr->call.callee));
  if (callee->builtin->run == builtin_replace_fields) {
    GivenArgs given = {0};
    if (!elab_given_args(e, expr, &given)) return obj_error();
    return elab_replace_fields(e, expr->loc, elab_expr_text(e, expr->call.callee), &given);
  }
  Call call;
  if (!elab_bind_builtin(e, expr, callee, &call)) return obj_error();
  e->b.loc = elab_loc(e, expr->loc);
  return callee->builtin->run(e, &call);
}

// --- Functions of the file ---

static void declared_here(Elab *e, Diag *diag, const Param *param) {
  diag_note(e->diags, diag, param->loc, "parameter declared here");
}

static bool too_many(Elab *e, const Function *function, const Given *arg, uint32_t n) {
  Diag *diag = diag_error(e->diags, elab_loc(e, arg->loc), "[T0204] too many arguments for '%s': it takes %u",
                          function->name, n);
  diag_note(e->diags, diag, function->loc, "function declared here");
  return false;
}

static uint32_t named_param(const Function *function, const char *name) {
  uint32_t at = 0, n = function->params.n;
  while (at < n && (function->params.at[at].name != name || function->params.at[at].stars)) at++;
  return at;
}

// Maps arguments to parameters: bound[i] for parameter i, *rest for those that *args and **kwargs take.
static bool place_args(Elab *e, const Function *function, const GivenArgs *given, const Given **bound,
                       GivenArgs *rest) {
  uint32_t n = function->params.n, next = 0;
  const char **names = ARENA_ARRAY(e->arena, const char *, n);
  for (uint32_t k = 0; k < n; k++) names[k] = function->params.at[k].name;
  for (uint32_t i = 0; i < given->n; i++) {
    const Given *arg = &given->at[i];
    uint32_t at = arg->name ? named_param(function, arg->name) : next;
    bool takes_any = n && function->params.at[n - 1].stars == 2;
    if (arg->name && at == n && !takes_any) return unexpected_keyword(e, arg, function->name, names, n);
    if ((arg->name && at == n) || (!arg->name && at < n && function->params.at[at].stars == 1)) {
      vec_push(e->arena, rest, *arg);
      continue;
    }
    if (at >= n || (!arg->name && (function->params.at[at].keyword_only || function->params.at[at].stars)))
      return too_many(e, function, arg, n);
    next += !arg->name;
    if (bound[at]) {
      Diag *diag = diag_error(e->diags, elab_loc(e, arg->loc), "[T0204] argument '%s' of '%s' is given twice",
                              function->params.at[at].name, function->name);
      declared_here(e, diag, &function->params.at[at]);
      return false;
    }
    bound[at] = arg;
  }
  return true;
}

// Binds one parameter in the callee's frame, which is already the innermost. `site` is the call's location in
// the caller. A constexpr parameter also takes run-time values, as in Triton: attention kernels pass tiles of
// offsets. The error comes where the code needs a constexpr.
static bool bind_param(Elab *e, const Function *function, const Param *param, const Given *arg, Loc site) {
  const Type *type;
  bool is_constexpr;
  if (!elab_annotation(e, param->annotation, &type, &is_constexpr)) return false;
  if (!arg && !param->default_value) {
    Diag *diag =
        diag_error(e->diags, site, "[T0204] missing argument '%s' of '%s'", param->name, function->name);
    declared_here(e, diag, param);
    return false;
  }
  Obj obj = arg ? arg->obj : elab_expr(e, param->default_value);
  elab_bind_quietly(e, param->name, param->loc, obj);
  return obj.kind != OBJ_ERROR;
}

// A function may call itself if compile-time values end the recursion: each call is inlined. After endless
// recursion was found once, other calls of the same depth are not tried.
static bool check_nesting(Elab *e, Loc loc, const Function *function) {
  uint32_t deep = 0;
  for (const Frame *frame = e->frame; frame; frame = frame->outer) deep += frame->function == function;
  if (deep > 0 && e->endless) return false;
  if (deep >= ELAB_MAX_RECURSION) {
    Diag *diag =
        diag_error(e->diags, elab_loc(e, loc),
                   "[T0506] '%s' calls itself more than %d levels deep: functions are inlined, so only a "
                   "constexpr condition can end the recursion",
                   function->name, ELAB_MAX_RECURSION);
    diag_note(e->diags, diag, function->loc, "function declared here");
    e->endless = true;
    return false;
  }
  if (e->calls < ELAB_MAX_CALLS) return true;
  return elab_fail(e, loc, "[T0506] calls are nested too deep: more than %d", ELAB_MAX_CALLS);
}

static bool check_params(Elab *e, Loc loc, const Function *function) {
  for (uint32_t i = 0; i < function->params.n; i++)
    if (function->params.at[i].stars == 2 && !(function->plain && elab_on_host(e))) {
      Diag *diag = diag_error(e->diags, elab_loc(e, loc),
                              "[T0204] a function with '**' parameters cannot be called in a kernel");
      declared_here(e, diag, &function->params.at[i]);
      return false;
    }
  return true;
}

static bool can_call(Elab *e, Loc loc, const Function *function) {
  if (function->plain && !elab_on_host(e)) {
    elab_refuse_plain(e, loc, function->name, function->loc);
    return false;
  }
  return !syntax_tell_errors(e->diags, function) && check_nesting(e, loc, function) &&
         check_params(e, loc, function);
}

// *args is a tuple; **kwargs is a tuple whose elements have names.
static void bind_rest(Elab *e, const Param *param, const GivenArgs *rest) {
  bool named = param->stars == 2;
  const char **names = ARENA_ARRAY(e->arena, const char *, rest->n + 1);
  Obj tuple = obj_tuple(e, rest->n);
  tuple.items.n = 0;
  if (named) tuple.items.names = names;
  for (uint32_t i = 0; i < rest->n; i++) {
    if ((rest->at[i].name != NULL) != named) continue;
    names[tuple.items.n] = rest->at[i].name;
    tuple.items.at[tuple.items.n++] = rest->at[i].obj;
  }
  elab_bind_quietly(e, param->name, param->loc, tuple);
}

static Obj call_function(Elab *e, Loc loc, const Obj *callee, const GivenArgs *given) {
  const Function *function = callee->function;
  GivenArgs rest = {0};
  const Given **bound = ARENA_ARRAY(e->arena, const Given *, function->params.n);
  if (!place_args(e, function, given, bound, &rest)) return obj_error();
  Loc site = elab_loc(e, loc);
  Frame *frame = elab_push(e, function);
  frame->closure = callee->closure;
  frame->python = frame->outer->python || function->plain || elab_decorator(function, "constexpr_function") ||
                  elab_decorator(function, "constexpr");
  if (callee->closure) {
    frame->module = callee->closure->module;
    frame->visible = frame->module->definitions.n;
  }
  bool good = true;
  for (uint32_t i = 0; i < function->params.n; i++) {
    const Param *param = &function->params.at[i];
    if (param->stars)
      bind_rest(e, param, &rest);
    else
      good = bind_param(e, function, param, bound[i], site) && good;
  }
  frame->call = sources_call(e->ir->sources, site);
  e->calls++;
  if (good) elab_block(e, &function->body, NULL);
  e->calls--;
  Obj result = frame->result.kind == OBJ_ABSENT ? obj_none() : frame->result;
  elab_pop(e);
  return good ? result : obj_error();
}

Obj elab_apply_given(Elab *e, Loc loc, const Obj *function, const GivenArgs *given) {
  return can_call(e, loc, function->function) ? call_function(e, loc, function, given) : obj_error();
}

Obj elab_apply(Elab *e, Loc loc, const Obj *callee, uint32_t n, const Obj *args) {
  GivenArgs given = {0};
  if (callee->kind == OBJ_ERROR) return *callee;
  if (callee->kind == OBJ_BUILTIN && callee->self)
    vec_push(e->arena, &given, ((Given){*callee->self, loc, NULL, LOC_NONE}));
  if (callee->kind == OBJ_FUNCTION && callee->receiver)
    vec_push(e->arena, &given, ((Given){*callee->receiver, loc, NULL, LOC_NONE}));
  for (uint32_t i = 0; i < n; i++) {
    if (args[i].kind == OBJ_ERROR) return args[i];
    vec_push(e->arena, &given, ((Given){args[i], loc, NULL, LOC_NONE}));
  }
  if (callee->kind == OBJ_FUNCTION) {
    return elab_apply_given(e, loc, callee, &given);
  }
  if (callee->kind != OBJ_BUILTIN)
    return elab_error(e, loc, "[T0309] %s cannot be called", obj_describe(e, callee));
  if (!callee->builtin->run)
    return elab_error(e, loc, "[T0507] '%s' is not supported yet", callee->builtin->name);
  Call call;
  if (!bind_given(e, loc, callee->builtin->name, callee, &given, &call)) return obj_error();
  e->b.loc = elab_loc(e, loc);
  return callee->builtin->run(e, &call);
}

static Obj call_of_function(Elab *e, const Expr *expr, const Obj *callee) {
  GivenArgs given = {0};
  if (callee->receiver) vec_push(e->arena, &given, ((Given){*callee->receiver, expr->loc, NULL, LOC_NONE}));
  bool good = can_call(e, expr->loc, callee->function) && elab_given_args(e, expr, &given);
  return good ? call_function(e, expr->loc, callee, &given) : obj_error();
}

// tl.float32(x) casts.
static Obj call_type(Elab *e, const Expr *expr, const Type *type) {
  GivenArgs given = {0};
  if (!elab_given_args(e, expr, &given)) return obj_error();
  if (given.n != 1 || given.at[0].name)
    return elab_error(e, expr->loc, "[T0204] a type takes exactly one argument");
  return obj_value(elab_literal(e, given.at[0].loc, "the converted value", &given.at[0].obj, type));
}

static Obj call_class(Elab *e, const Expr *expr, const NamedTuple *class) {
  GivenArgs given = {0};
  return elab_given_args(e, expr, &given) ? elab_make_named(e, expr->loc, class, &given) : obj_error();
}

// x.__rshift__(4) is x >> 4, as in Python.
static bool operator_call(Elab *e, const Expr *expr, const Obj *object, Obj *obj) {
  static const char *const names[] = {[BINARY_ADD] = "__add__",
                                      [BINARY_SUB] = "__sub__",
                                      [BINARY_MUL] = "__mul__",
                                      [BINARY_DIV] = "__truediv__",
                                      [BINARY_FLOOR_DIV] = "__floordiv__",
                                      [BINARY_MOD] = "__mod__",
                                      [BINARY_AND] = "__and__",
                                      [BINARY_OR] = "__or__",
                                      [BINARY_XOR] = "__xor__",
                                      [BINARY_SHL] = "__lshift__",
                                      [BINARY_SHR] = "__rshift__"};
  const char *name = expr->call.callee->attribute.name;
  if (object->kind != OBJ_VALUE || !str_starts(str_from(name), "__")) return false;
  GivenArgs given = {0};
  for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!names[i] || strcmp(names[i], name) != 0) continue;
    if (!elab_given_args(e, expr, &given)) return *obj = obj_error(), true;
    if (given.n != 1 || given.at[0].name) return false;
    *obj = elab_binary(e, expr->loc, (BinaryOp)i, object, &given.at[0].obj);
    return true;
  }
  return false;
}

static Obj evaluated_call(Elab *e, const Expr *expr) {
  const Expr *attribute = expr->call.callee->kind == EXPR_ATTRIBUTE ? expr->call.callee : NULL;
  bool host = elab_on_host(e);
  Obj obj;
  if (host && host_makes_list(e, expr, &obj)) return obj;
  if (!host && host_constant(e, expr, &obj)) return obj;
  obj = attribute ? elab_object_of(e, attribute) : obj_none();
  if (host && attribute && obj_is(&obj, CONST_STR)) return elab_text_call(e, expr, obj.constant.str);
  if (attribute && (elab_number_call(e, expr, &obj, &obj) || operator_call(e, expr, &obj, &obj))) return obj;
  e->call = expr;
  Obj callee = attribute ? elab_attribute_of(e, attribute, obj) : elab_expr(e, expr->call.callee);
  if (e->watch) elab_watch_expr(e, expr->call.callee->loc, &callee);
  if (callee.kind == OBJ_ERROR) return callee;
  if (callee.kind == OBJ_BUILTIN) return call_builtin(e, expr, &callee);
  if (callee.kind == OBJ_FUNCTION) return call_of_function(e, expr, &callee);
  if (callee.kind == OBJ_NAMED) return call_class(e, expr, callee.named);
  if (obj_is(&callee, CONST_DTYPE)) return call_type(e, expr, callee.constant.type);
  if (callee.kind == OBJ_NAMESPACE && python_call(e, expr, callee.path, &obj)) return obj;
  const char *hint = obj_is_unread(&callee) ? elab_host_hint(e, callee.path) : NULL;
  const char *cast = hint ? elab_cast_hint(e, callee.path) : NULL;
  if (cast)
    return elab_error(e, expr->call.callee->loc,
                      "[T0202] '%s' cannot be used in a kernel; write %s, or a number as it is", callee.path,
                      cast);
  if (hint)
    return elab_error(e, expr->call.callee->loc,
                      "[T0202] '%s', which is %s, cannot be used in a kernel; write %s",
                      elab_expr_text(e, expr->call.callee), callee.path, hint);
  if (callee.kind == OBJ_NAMESPACE && elab_is_triton(callee.path))
    return elab_error(e, expr->call.callee->loc, "[T0202] '%s' is a module, which cannot be called",
                      elab_expr_text(e, expr->call.callee));
  if (callee.kind == OBJ_NAMESPACE)
    return elab_error(e, expr->call.callee->loc, "[T0202] '%s' comes from the module '%s', which is not read",
                      elab_expr_text(e, expr->call.callee), callee.path);
  return elab_error(e, expr->call.callee->loc, "[T0309] %s cannot be called", obj_describe(e, &callee));
}

Obj elab_call(Elab *e, const Expr *expr) {
  Obj obj;
  return machine_answers(e, expr, evaluated_call, &obj) ? obj : evaluated_call(e, expr);
}
