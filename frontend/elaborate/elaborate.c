// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel: resolves its specialisation, declares its parameters, elaborates its body and grid.
#include "frontend/module/elab_module.h"
#include "frontend/syntax/syntax.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

// --- The context ---

Loc elab_loc(const Elab *e, Loc loc) {
  if (e->site.line) return e->site;
  if (e->frame) loc.call = e->frame->call;
  return loc;
}

static bool is_part_of_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

// The text with functions of the language as the file names them.
static void put_renamed(Elab *e, const char *text, Buf *out) {
  for (const char *at = text; *at; at++) {
    size_t n = 0;
    if (strncmp(at, "tl.", 3) == 0 && (at == text || !is_part_of_name(at[-1])))
      while (is_part_of_name(at[3 + n]) && at[3 + n] != '.') n++;
    if (n)
      buf_text(out, elab_language_prefix(e, (Str){at + 3, n})), at += 2;
    else
      buf_char(out, *at);
  }
}

const char *elab_tl(const Elab *e) {
  const Module *file = e->frame ? e->frame->module : e->module;
  return file && file->python ? "tl." : "";
}

static void report(Elab *e, Loc loc, const char *format, va_list args) {
  char text[512];
  vsnprintf(text, sizeof text, format, args);
  Buf renamed = {0};
  put_renamed(e, text, &renamed);
  diag_error(e->diags, elab_loc(e, loc), "%s", renamed.n ? renamed.at : "");
  buf_free(&renamed);
  uint32_t limit = e->diags->error_limit ? e->diags->error_limit : 20;
  if (e->diags->errors > limit) e->stopped = true;
}

Obj elab_error(Elab *e, Loc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report(e, loc, format, args);
  va_end(args);
  return obj_error();
}

bool elab_fail(Elab *e, Loc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report(e, loc, format, args);
  va_end(args);
  return false;
}

void elab_work(Elab *e, uint32_t steps) {
  if (e->steps <= ELAB_MAX_STEPS) e->steps += steps;
}

bool elab_enter(Elab *e, Loc loc) {
  if (e->stopped) return false;
  if (e->depth >= ELAB_MAX_DEPTH)
    elab_error(e, loc, "[T0506] nested too deep: more than %d levels of expressions, blocks and calls",
               ELAB_MAX_DEPTH);
  else if (++e->steps > ELAB_MAX_STEPS)
    elab_error(e, loc,
               "[T0506] the kernel is too large once unrolled and inlined: use loops over range instead of "
               "static_range, and fewer calls within calls");
  else {
    e->depth++;
    return true;
  }
  e->stopped = true;
  return false;
}

void elab_leave(Elab *e) { e->depth--; }

Frame *elab_push(Elab *e, const Function *function) {
  Frame *frame = ARENA_NEW(e->arena, Frame);
  *frame = (Frame){.function = function,
                   .outer = e->frame,
                   .result = {.kind = OBJ_ABSENT},
                   .returned = obj_bool(false),
                   .module = function && function->module ? function->module
                             : e->frame                   ? e->frame->module
                                                          : e->module};
  frame->visible = frame->module->definitions.n;
  if (e->frame) frame->call = e->frame->call;
  return e->frame = frame;
}

void elab_pop(Elab *e) { e->frame = e->frame->outer; }

const char *elab_did_you_mean(Elab *e, Str typed, const char *const *names, size_t n) {
  const char *nearest = NULL;
  for (size_t i = 0; i < n && !nearest; i++)
    if (strlen(names[i]) == typed.n && !str_is(typed, names[i]) &&
        strncasecmp(names[i], typed.at, typed.n) == 0)
      nearest = names[i];
  if (!nearest) nearest = diag_nearest(typed, names, n);
  return nearest ? arena_printf(e->arena, "; did you mean '%s'?", nearest) : "";
}

bool elab_in_py(const Elab *e) {
  const Module *module = e->frame->module;
  return module && syntax_mode_of(sources_path(e->ir->sources, module->file)) == SYNTAX_PY;
}

void elab_warn_py(Elab *e, Loc loc, const char *what) {
  if (!elab_in_py(e)) return;
  for (uint32_t i = 0; i < e->warned.n; i++)
    if (e->warned.at[i].file == loc.file && e->warned.at[i].what == what) return;
  vec_push(e->arena, &e->warned, ((Warned){loc.file, what}));
  diag_warning(e->diags, elab_loc(e, loc), "%s", what);
}

bool elab_bear_py(Elab *e, Loc loc, const char *what) {
  if (!elab_in_py(e)) return elab_error(e, loc, "%s", what), false;
  diag_warning(e->diags, elab_loc(e, loc),
               "%s: Triton compiles it, but results that depend on it are undefined", what);
  return true;
}

// Decorators and defaults may create ops by mistake. These go to a function without a module; only constexprs
// count.
void elab_scratch(Elab *e, const FuncParam *params, uint32_t count) {
  Target target = target_default();
  e->func = func_new(module_new(e->ir, &target), "scratch", LOC_NONE, params, count);
  e->b = builder_at_end(e->func, e->func->body);
}

// --- The specialisation ---

// A resolved parameter of the kernel.
typedef struct Resolved {
  const Param *param;
  bool is_constexpr;
  ParamSpec spec;   // for run-time parameters
  ConstValue value; // for constexprs, if known
  bool known;
} Resolved;

typedef struct Kernel {
  const Function *function;
  const Frame *closure; // NULL: the file's own function
  Resolved *params;
  uint32_t count;
} Kernel;

static const Function *find_kernel(Elab *e, const char *name) {
  if (name) {
    uint32_t errors = e->diags->raised;
    const Function *function = elab_function(e, e->module, name);
    if (!function && e->diags->raised == errors) frontend_no_kernel(e->ir, e->module, name);
    return function;
  }
  KernelInfo *entries;
  uint32_t n = frontend_entries(e->ir, e->module, e->spec, &entries);
  if (n == 1) return elab_function(e, e->module, entries[0].path);
  if (n == 0)
    frontend_no_kernel(e->ir, e->module, NULL);
  else
    elab_error(e, LOC_NONE, "[T1004] the file has %u kernels: choose one with --kernel, for example %s or %s",
               n, entries[0].path, entries[1].path);
  return NULL;
}

static const ParamSpec *find_spec(const Spec *spec, const char *name) {
  for (uint32_t i = 0; i < spec->param_count; i++)
    if (strcmp(spec->params[i].name, name) == 0) return &spec->params[i];
  return NULL;
}

static const ConstValue *find_constexpr(const Constexpr *at, uint32_t n, const char *name) {
  for (uint32_t i = n; i-- > 0;)
    if (strcmp(at[i].name, name) == 0) return &at[i].value;
  return NULL;
}

static const Param *find_param(const Function *function, const char *name) {
  for (uint32_t i = 0; i < function->params.n; i++)
    if (strcmp(function->params.at[i].name, name) == 0) return &function->params.at[i];
  return NULL;
}

// -D also sets names of the file.
static void check_spec_name(Elab *e, const Function *function, const char *name) {
  bool defined = find_constexpr(e->spec->constexprs, e->spec->constexpr_count, name) != NULL;
  if (find_param(function, name) || (defined && elab_is_module_name(e, name))) return;
  uint32_t n = function->params.n, m = e->module->definitions.n;
  const char **names = ARENA_ARRAY(e->arena, const char *, n + m);
  for (uint32_t i = 0; i < n; i++) names[i] = function->params.at[i].name;
  for (uint32_t i = 0; i < m; i++) names[n + i] = e->module->definitions.at[i].name;
  const char *near = diag_nearest_words(str_from(name), names, n + m), *advice = "";
  for (uint32_t i = 0; !near && i < n; i++)
    advice = arena_printf(e->arena, "%s%s'%s'", advice,
                          i == 0       ? "; its parameters are "
                          : i + 1 == n ? " and "
                                       : ", ",
                          names[i]);
  if (near) advice = arena_printf(e->arena, "; did you mean '%s'?", near);
  elab_error(e, function->loc, "[T0204] '%s' has no parameter '%s'%s%s", function->name, name,
             defined ? ", and the file has no such name" : "", advice);
}

static void check_spec_names(Elab *e, const Function *function) {
  for (uint32_t i = 0; i < e->spec->param_count; i++) check_spec_name(e, function, e->spec->params[i].name);
  for (uint32_t i = 0; i < e->spec->constexpr_count; i++)
    check_spec_name(e, function, e->spec->constexprs[i].name);
}

static void no_value(Elab *e, const Param *param) {
  if (find_spec(e->spec, param->name))
    elab_error(e, param->loc, "[T0402] '%s' is a constexpr parameter: give its value with -D %s=...",
               param->name, param->name);
  else
    elab_error(e, param->loc, "[T0402] constexpr parameter '%s' has no value; give one with -D %s=...",
               param->name, param->name);
}

// Takes the value from -D or @autotune, then the default. A heuristic's value is left to it.
static void resolve_constexpr(Elab *e, const Function *function, const Config *config, Resolved *at) {
  const Param *param = at->param;
  const ParamSpec *spec = find_spec(e->spec, param->name);
  const ConstValue *given = find_constexpr(e->spec->constexprs, e->spec->constexpr_count, param->name);
  at->known = true;
  if (!given) given = find_constexpr(config->constexprs.at, config->constexprs.n, param->name);
  if (given)
    at->value = *given;
  else if (spec && spec->facts.none)
    at->value = (ConstValue){.kind = CONST_NONE};
  else if (elab_has_heuristic(e, function, param->name))
    at->known = false;
  else if (param->default_value) {
    uint32_t errors = e->diags->raised;
    Obj obj = elab_expr(e, param->default_value);
    if (!obj_to_const(e, &obj, &at->value) && e->diags->raised == errors)
      elab_error(e, param->default_value->loc,
                 "[T0401] the default of a constexpr parameter must be a constexpr");
  } else
    no_value(e, param);
}

static const Type *default_type(Elab *e, const Param *param, ParamFacts *facts) {
  if (!param->default_value) return NULL;
  Obj obj = elab_expr(e, param->default_value);
  if (obj_is(&obj, CONST_NONE)) facts->none = true;
  return obj_is_number(&obj) ? elab_scalar(e, const_elem(&obj.constant)) : NULL;
}

// Resolves one plain parameter from its declaration (at->spec.type) and the given spec.
static void resolve_plain(Elab *e, Resolved *at, const ParamSpec *spec) {
  const Param *param = at->param;
  const Type *declared = at->spec.form == PARAM_PLAIN ? at->spec.type : NULL,
             *given = spec ? spec->type : NULL;
  at->spec = spec ? *spec : (ParamSpec){.form = PARAM_PLAIN};
  ParamFacts *facts = &at->spec.facts;
  if (given && declared && given != elab_without_const(e, declared) && !facts->none)
    elab_error(e, param->loc, "[T1003] parameter '%s' is declared as %s, but is given as %s", param->name,
               type_text(e, declared), type_text(e, given));
  const Type *type = declared ? declared : given;
  if (!type && !facts->none) type = default_type(e, param, facts);
  if (!type && facts->equal1) type = elab_scalar(e, ELEM_I32); // 1 is not an address
  if (facts->none) type = type_ptr(e->ir, elab_scalar(e, ELEM_I8));
  if (type && type->kind == TYPE_PTR && elab_annotates_const(param->annotation))
    type = type_const_ptr(e->ir, type->inner);
  at->spec.type = type;
  if (!type)
    elab_error(e, param->loc,
               "[T0403] parameter '%s' has no type; annotate it%s, or give one with --signature %s=TYPE",
               param->name, param->annotation ? " with its width, as in 'tl.int32'" : "", param->name);
  else if (type->kind != TYPE_SCALAR && type->kind != TYPE_PTR)
    elab_error(e, param->loc, "[T0403] parameter '%s' cannot be of type %s", param->name, type_text(e, type));
}

// True if the parameter's default is a tuple and is used: it is then a compile-time value.
static bool default_tuple(Elab *e, Resolved *at) {
  if (!at->param->default_value || at->spec.type) return false;
  Obj obj = elab_expr(e, at->param->default_value);
  ConstValue *value = ARENA_NEW(e->arena, ConstValue);
  if (obj.kind != OBJ_TUPLE || !obj_to_const(e, &obj, value)) return false;
  at->spec = (ParamSpec){.form = PARAM_CONSTEXPR, .value = value};
  return true;
}

static void resolve_runtime(Elab *e, Resolved *at) {
  const Param *param = at->param;
  const ParamSpec *spec = find_spec(e->spec, param->name);
  if (find_constexpr(e->spec->constexprs, e->spec->constexpr_count, param->name)) {
    elab_error(
        e, param->loc,
        "[T1006] '%s' is a run-time parameter: it takes no -D value; make it a constexpr, or give its type "
        "with --signature",
        param->name);
    return;
  }
  if (!spec && default_tuple(e, at)) return;
  ParamFacts by_default = {0};
  bool wide = at->spec.form != PARAM_PLAIN || (spec && spec->form != PARAM_PLAIN);
  if (wide && !spec) default_type(e, param, &by_default);
  if (!wide || by_default.none || (spec && spec->facts.none)) {
    resolve_plain(e, at, spec);
    return;
  }
  const ParamSpec declared = at->spec;
  elab_resolve_param(e, param->loc, param->name, &declared, spec, &at->spec);
}

static void resolve_param(Elab *e, const Function *function, const Config *config, Resolved *at) {
  if (at->param->stars) {
    elab_error(e, at->param->loc, "[T0204] a kernel cannot have '*' parameters");
    return;
  }
  if (!elab_param_annotation(e, at->param->annotation, &at->spec, &at->is_constexpr)) return;
  if (at->is_constexpr)
    resolve_constexpr(e, function, config, at);
  else
    resolve_runtime(e, at);
}

// The kernel's parameters, in the order of the source's run-time parameters.
static FuncParam *list_params(Elab *e, const Kernel *kernel, uint32_t *count) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < kernel->count; i++)
    if (!kernel->params[i].is_constexpr) most += elab_param_leaves(&kernel->params[i].spec);
  FuncParam *params = ARENA_ARRAY(e->arena, FuncParam, most);
  *count = 0;
  for (uint32_t i = 0; i < kernel->count; i++) {
    const Resolved *at = &kernel->params[i];
    if (at->is_constexpr) continue;
    elab_declare_param(e, at->param->name, at->param->loc, &at->spec, params, count, kernel->function);
  }
  return params;
}

// The names that heuristics see: constexprs, None, and run-time parameters. The latter are values, or else
// values of a scratch function with their facts.
static void know_params(Elab *e, const Kernel *kernel) {
  uint32_t n;
  FuncParam *params = list_params(e, kernel, &n);
  elab_scratch(e, params, n);
  n = 0;
  for (uint32_t i = 0; i < kernel->count; i++) {
    const Resolved *at = &kernel->params[i];
    Obj known = {.kind = OBJ_ABSENT}; // a heuristic sets it later
    e->b.loc = at->param->loc;
    if (!at->is_constexpr) known = elab_param_value(e, &at->spec, e->func->body->args, &n, true);
    if (at->is_constexpr && at->known) known = obj_from_const(e, &at->value);
    vec_push(e->arena, &e->known, ((Binding){at->param->name, known, at->param->loc, false}));
  }
}

static void resolve_heuristics(Elab *e, Kernel *kernel) {
  uint32_t errors = e->diags->raised;
  know_params(e, kernel);
  elab_heuristics(e, kernel->function);
  for (uint32_t i = 0; i < kernel->count; i++) {
    Resolved *at = &kernel->params[i];
    if (!at->is_constexpr || at->known) continue;
    const Obj *obj = &e->known.at[i].obj;
    if (!obj_to_const(e, obj, &at->value) && e->diags->raised == errors) no_value(e, at->param);
  }
}

static bool resolve_params(Elab *e, Kernel *kernel, const Config *config) {
  const Function *function = kernel->function;
  uint32_t errors = e->diags->raised;
  check_spec_names(e, function);
  kernel->count = function->params.n;
  kernel->params = ARENA_ARRAY(e->arena, Resolved, kernel->count);
  elab_push(e, NULL);
  for (uint32_t i = 0; i < kernel->count; i++) {
    kernel->params[i].param = &function->params.at[i];
    resolve_param(e, function, config, &kernel->params[i]);
  }
  if (e->diags->raised == errors) resolve_heuristics(e, kernel);
  elab_pop(e);
  return e->diags->raised == errors;
}

static void apply_options(Elab *e, const Config *config) {
  Target *target = &e->out->target;
  if (config->num_warps && !e->spec->num_warps_given) target->num_warps = (uint16_t)config->num_warps;
  if (config->num_stages && !e->spec->num_stages_given) target->num_stages = (uint16_t)config->num_stages;
  if (config->maxnreg && !e->spec->maxnreg_given) target->maxnreg = (uint16_t)config->maxnreg;
}

// --- The function ---

static void declare_func(Elab *e, const Kernel *kernel) {
  uint32_t n, m = 0;
  FuncParam *params = list_params(e, kernel, &n);
  e->func = func_new(e->out, kernel->function->name, kernel->function->loc, params, n);
  Func *func = e->func;
  func->constexprs = ARENA_ARRAY(e->arena, Constexpr, kernel->count);
  func->arguments = ARENA_ARRAY(e->arena, ParamSpec, kernel->count);
  for (uint32_t i = 0; i < kernel->count; i++) {
    const Resolved *at = &kernel->params[i];
    if (at->is_constexpr) {
      func->constexprs[m++] = (Constexpr){at->param->name, at->value};
      continue;
    }
    func->arguments[func->argument_count] = at->spec;
    func->arguments[func->argument_count++].name = at->param->name;
  }
  func->constexpr_count = m;
}

// Binds the parameters in the innermost frame to the region's arguments and to their known values.
static void bind_params(Elab *e, const Kernel *kernel, Region *region) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < kernel->count; i++) {
    const Resolved *at = &kernel->params[i];
    e->b.loc = elab_loc(e, at->param->loc);
    Obj obj = at->is_constexpr ? obj_from_const(e, &at->value)
                               : elab_param_value(e, &at->spec, region->args, &n, false);
    elab_bind(e, at->param->name, at->param->loc, obj);
  }
}

// The end's location is the last statement. Otherwise a debugger or profiler that stops there would show the
// first line.
static void elab_body(Elab *e, const Kernel *kernel) {
  const Block *body = &kernel->function->body;
  e->b = builder_at_end(e->func, e->func->body);
  Frame *frame = elab_push(e, kernel->function);
  frame->closure = kernel->closure;
  if (frame->closure) frame->module = frame->closure->module;
  frame->visible = frame->module->definitions.n;
  bind_params(e, kernel, e->func->body);
  elab_block(e, body, NULL);
  elab_pop(e);
  e->b.loc = body->n ? body->at[body->n - 1]->loc : kernel->function->loc;
  build_op(&e->b, OP_RETURN, 0, NULL, 0, NULL);
}

// --- The grid ---

static void elab_grid(Elab *e, const Kernel *kernel) {
  ExprList sizes = {0};
  Loc loc;
  if (!elab_grid_sizes(e, kernel->function, &sizes, &loc)) return;
  HostRegion *grid = func_new_host(e->func, HOST_GRID, NULL);
  e->b = builder_at_end(e->func, grid->region);
  elab_push(e, NULL)->grid = true;
  bind_params(e, kernel, grid->region);
  elab_grid_yield(e, grid, &sizes, loc);
  elab_pop(e);
}

// Resolves the kernel's parameters. False after errors.
static bool prepare_kernel(Elab *e, Kernel *kernel, Config *config) {
  elab_scratch(e, NULL, 0);
  *kernel = (Kernel){.function = find_kernel(e, e->spec->kernel)};
  kernel->closure = e->kernel_closure;
  e->kernel = kernel->function;
  e->truths.n = 0;
  if (!kernel->function) return false;
  // An editor wants the types of the statements that could be parsed.
  if (syntax_tell_errors(e->diags, kernel->function) && !e->watch) return false;
  elab_push(e, NULL);
  elab_autotune(e, kernel->function, config);
  elab_pop(e);
  return resolve_params(e, kernel, config);
}

// Prepares the kernel for queries, without elaborating it.
static bool look_at_kernel(Elab *e, Kernel *kernel) {
  uint32_t said = e->diags->list.n;
  Config config = {0};
  e->out = module_new(e->ir, &e->spec->target);
  if (!prepare_kernel(e, kernel, &config)) return false;
  e->diags->list.n = said; // remarks that elaboration will repeat
  return true;
}

bool frontend_heuristics(IrContext *ir, const Module *module, const Spec *spec, Constexpr **values,
                         uint32_t *count) {
  Elab e = {.ir = ir, .arena = ir->arena, .diags = ir->diags, .module = module, .spec = spec};
  Kernel kernel;
  *count = 0;
  if (!look_at_kernel(&e, &kernel)) return false;
  *values = ARENA_ARRAY(e.arena, Constexpr, kernel.count);
  for (uint32_t i = 0; i < kernel.count; i++) {
    const Resolved *at = &kernel.params[i];
    if (at->is_constexpr && !at->known) (*values)[(*count)++] = (Constexpr){at->param->name, at->value};
  }
  return true;
}

bool frontend_autotune(IrContext *ir, const Module *module, const Spec *spec, Autotune *autotune) {
  Elab e = {.ir = ir, .arena = ir->arena, .diags = ir->diags, .module = module, .spec = spec};
  Kernel kernel;
  *autotune = (Autotune){0};
  if (!look_at_kernel(&e, &kernel)) return false;
  elab_push(&e, NULL);
  bool good = elab_tunables(&e, kernel.function, true, autotune);
  elab_pop(&e);
  return good;
}

Func *frontend_elaborate(IrModule *out, const Module *module, const Spec *spec) {
  Elab e = {.ir = out->ir,
            .arena = out->ir->arena,
            .diags = out->ir->diags,
            .module = module,
            .out = out,
            .spec = spec,
            .watch = spec->watch};
  uint32_t errors = e.diags->raised, funcs = out->funcs.n;
  Kernel kernel;
  Config config = {0};
  if (!prepare_kernel(&e, &kernel, &config)) return NULL;
  apply_options(&e, &config);
  declare_func(&e, &kernel);
  elab_body(&e, &kernel);
  elab_grid(&e, &kernel);
  if (e.diags->raised == errors) {
    elab_drop_const(&e, e.func);
    return e.func;
  }
  out->funcs.n = funcs;
  return NULL;
}
