// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ask.h"
#include "tools/run.h"

// Among the first `count`.
static RunArg *find_of(const Run *run, const char *name, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (strcmp(run->params[i].name, name) == 0) return &run->params[i];
  return NULL;
}

static RunArg *find_param(const Run *run, const char *name) { return find_of(run, name, run->param_count); }

static RunArg *find_holder(const Run *run, const char *name) { return find_of(run, name, run->holder_count); }

const RunArg *run_find_holder(const Run *run, const char *name) { return find_holder(run, name); }

const RunArg *run_find_buffer(const Run *run, const char *name) {
  const RunArg *param = find_holder(run, name);
  return param ? param->buffer : NULL;
}

const char *run_arg_name(const Run *run, const RunArg *param) {
  bool number = options_file_is_ptx(run->options) && param < run->params + run->param_count;
  return number ? arena_printf(run->arena, "argument %s", param->name) : param->name;
}

static bool is_constexpr(const KernelInfo *kernel, const char *name) {
  for (uint32_t i = 0; kernel && i < kernel->param_count; i++)
    if (kernel->params[i].is_constexpr && strcmp(kernel->params[i].name, name) == 0) return true;
  return false;
}

static void add_param(Run *run, const KernelParam *param) {
  run->params[run->param_count++] =
      (RunArg){.name = param->name, .param = run_param(run->arena, param), .loc = param->loc};
}

// The kernel's run-time parameters: from the source, or from the one function of a .tir file.
static bool list_params(Run *run, const KernelInfo **kernel) {
  Compilation *c = run->c;
  *kernel = NULL;
  if (c->is_tir) {
    if (c->module->funcs.n != 1)
      return tool_error("'%s' has %u kernels; run needs one", run->options->file, c->module->funcs.n), false;
    const Func *func = c->module->funcs.at[0];
    run->params = ARENA_ARRAY(run->arena, RunArg, func->param_count + run->options->buffers.n);
    for (uint32_t i = 0; i < func_visible_params(func); i++)
      add_param(run, &(KernelParam){.name = func->params[i].name, .type = func->params[i].type});
    return true;
  }
  KernelInfo *entries;
  uint32_t count = 1;
  if (run->spec.kernel)
    *kernel = frontend_kernel(&c->ir, c->syntax, &run->spec, run->spec.kernel);
  else {
    count = frontend_entries(&c->ir, c->syntax, &run->spec, &entries);
    *kernel = count == 1 ? entries : NULL;
  }
  if ((!*kernel && run->spec.kernel) || count == 0) frontend_no_kernel(&c->ir, c->syntax, run->spec.kernel);
  if (c->diags.errors) return tool_report(run->options, c, TILEC_ERROR_COMPILE), false;
  if (!*kernel) return ask_kernel(c, entries, count), tool_report(run->options, c, TILEC_ERROR_COMPILE), false;
  run->params = ARENA_ARRAY(run->arena, RunArg, (*kernel)->param_count + run->options->buffers.n);
  for (uint32_t i = 0; i < (*kernel)->param_count; i++) {
    const KernelParam *p = &(*kernel)->params[i];
    if (p->is_constexpr) continue;
    add_param(run, p);
  }
  return true;
}

static bool unknown_argument(const Run *run, const KernelInfo *kernel, const char *name) {
  const char **names =
      ARENA_ARRAY(run->arena, const char *, run->param_count + (kernel ? kernel->param_count : 0));
  size_t n = 0;
  for (uint32_t i = 0; i < run->param_count; i++) names[n++] = run->params[i].name;
  for (uint32_t i = 0; kernel && i < kernel->param_count; i++) names[n++] = kernel->params[i].name;
  const char *near = diag_nearest(str_from(name), names, n);
  if (near)
    tool_error("the kernel has no parameter '%s'; did you mean '%s'?", name, near);
  else
    tool_error("the kernel has no parameter '%s'", name);
  return false;
}

// Says what is wrong with an argument where the kernel declares its parameter; false.
static bool refuse(Run *run, const RunArg *param, const char *text) {
  diag_error(&run->c->diags, param->loc, "%s", text);
  tool_report(run->options, run->c, TILEC_ERROR_COMPILE);
  return false;
}

static bool take_argument(Run *run, const KernelInfo *kernel, const NamedText *arg) {
  RunArg *param = find_param(run, arg->name);
  if (is_constexpr(kernel, arg->name)) {
    const char *define = arena_printf(run->arena, "%s=%s", arg->name, arg->text);
    vec_push(run->arena, &run->defines, define);
    tilec_status status = compile_define(run->c, define, &run->spec);
    return status == TILEC_OK || (tool_report(run->options, run->c, status), false);
  }
  if (!param) return unknown_argument(run, kernel, arg->name);
  if (param->given) return tool_error("argument '%s' is given twice", arg->name), false;
  const char *why;
  param->given = true;
  if (argument_parse(run->arena, arg->text, run->options->seed, (uint32_t)(param - run->params),
                     &param->value, &why))
    return true;
  return refuse(run, param, arena_printf(run->arena, "argument %s=%s: %s", arg->name, arg->text, why));
}

// &NAME points into the buffer of another argument.
static bool link_buffer(Run *run, RunArg *param) {
  Argument *value = &param->value;
  if (value->kind == ARGUMENT_BUFFER) param->buffer = param;
  if (value->kind != ARGUMENT_SAME) return true;
  param->buffer = find_holder(run, value->same);
  if (!param->buffer || param->buffer->value.kind != ARGUMENT_BUFFER)
    return tool_error("argument %s=&%s: there is no buffer '%s'", param->name, value->same, value->same),
           false;
  return value->offset <= param->buffer->value.bytes ||
         (tool_error("argument %s: the offset is past the end of '%s'", param->name, value->same), false);
}

static bool check_pointee(const Run *run, const RunArg *table, const Pointee *pointee) {
  const RunArg *holder = pointee->name ? find_holder(run, pointee->name) : NULL;
  if (!pointee->name) return true;
  if (!holder || !holder->buffer)
    return tool_error("%s=ptrs(...): there is no buffer '%s'", run_arg_name(run, table), pointee->name), false;
  const Argument *value = &holder->buffer->value;
  if (holder->value.offset + pointee->offset > value->bytes)
    return tool_error("%s=ptrs(...): the offset is past the end of '%s'", run_arg_name(run, table), pointee->name), false;
  if (!table->value.pointee_typed || value->elem == table->value.pointee) return true;
  tool_error("%s=ptrs(...): the elements of '%s' are %s, not %s", run_arg_name(run, table), pointee->name,
             elem_info(value->elem)->name, elem_info(table->value.pointee)->name);
  return false;
}

// --buffer's, behind the parameters.
static bool take_buffers(Run *run) {
  const Options *o = run->options;
  run->holder_count = run->param_count;
  for (uint32_t i = 0; i < o->buffers.n; i++) {
    const NamedText *given = &o->buffers.at[i];
    const char *why;
    if (find_holder(run, given->name))
      return tool_error("--buffer %s: there is one of that name", given->name), false;
    RunArg *holder = &run->params[run->holder_count];
    *holder = (RunArg){.name = given->name, .given = true};
    if (!argument_parse(run->arena, given->text, o->seed, run->holder_count, &holder->value, &why))
      return tool_error("--buffer %s=%s: %s", given->name, given->text, why), false;
    if (holder->value.kind != ARGUMENT_BUFFER)
      return tool_error("--buffer %s=%s: it is no buffer", given->name, given->text), false;
    run->holder_count++;
  }
  return true;
}

// Once all arguments are there.
static bool link_buffers(Run *run) {
  if (!take_buffers(run)) return false;
  for (uint32_t i = 0; i < run->holder_count; i++)
    if (!link_buffer(run, &run->params[i])) return false;
  for (uint32_t i = 0; i < run->holder_count; i++) {
    const Argument *value = &run->params[i].value;
    for (uint64_t k = 0; value->pointees && k < value->elements; k++)
      if (!check_pointee(run, &run->params[i], &value->pointees[k])) return false;
  }
  return true;
}

static bool has_constexpr(const Run *run, const char *name) {
  for (uint32_t i = 0; i < run->spec.constexpr_count; i++)
    if (run->spec.constexprs[i].name == name) return true;
  return false;
}

// Whether nothing is missing; false, having said what.
static bool all_given(Run *run, const KernelInfo *kernel) {
  Compilation *c = run->c;
  bool *missing = ARENA_ARRAY(run->arena, bool, kernel->param_count), any = false;
  const int64_t most_number = 1 << 20;
  uint64_t given = 0, number = 0;
  for (uint32_t i = 0, k = 0; i < kernel->param_count; i++) {
    const KernelParam *p = &kernel->params[i];
    const RunArg *arg = p->is_constexpr ? NULL : &run->params[k++];
    missing[i] = !p->has_default && (arg ? !arg->given : !has_constexpr(run, p->name));
    any |= missing[i];
    if (!arg || !arg->given) continue;
    if (arg->value.elements > given) given = arg->value.elements;
    if (arg->value.kind == ARGUMENT_INT && arg->value.i > 0 && arg->value.i <= most_number) number = (uint64_t)arg->value.i;
  }
  if (!any) return true;
  const uint32_t *uses = frontend_param_uses(&c->ir, c->syntax, kernel);
  for (uint32_t i = 0; i < kernel->param_count; i++)
    if (kernel->params[i].is_constexpr && (uses[i] & PARAM_DECIDED)) missing[i] = false;
  return ask_arguments(run->options, c, kernel, missing, given ? given : number) ||
         (tool_report(run->options, c, TILEC_ERROR_COMPILE), false);
}

bool run_match_arguments(Run *run) {
  const KernelInfo *kernel;
  if (!list_params(run, &kernel)) return false;
  for (uint32_t i = 0; i < run->options->args.n; i++)
    if (!take_argument(run, kernel, &run->options->args.at[i])) return false;
  if (kernel && !all_given(run, kernel)) return false;
  for (uint32_t i = 0; !kernel && i < run->param_count; i++)
    if (!run->params[i].given)
      return tool_error("argument '%s' is missing", run->params[i].name), false; // of a .tir file
  return link_buffers(run);
}

bool run_match_ptx(Run *run) {
  const Options *o = run->options;
  run->params = ARENA_ARRAY(run->arena, RunArg, o->args.n + o->buffers.n);
  for (uint32_t i = 0; i < o->args.n; i++)
    run->params[run->param_count++] = (RunArg){.name = o->args.at[i].name};
  for (uint32_t i = 0; i < run->param_count; i++)
    if (!take_argument(run, NULL, &o->args.at[i])) return false;
  return link_buffers(run);
}

static tilec_arg launch_arg(const RunArg *arg) {
  if (!arg->given) return tilec_arg_default();
  if (arg->buffer) return tilec_arg_pointer((tilec_dtype)arg->buffer->value.elem, arg->address);
  const Argument *value = &arg->value;
  if (value->kind == ARGUMENT_NONE) return tilec_arg_none();
  if (value->kind == ARGUMENT_BOOL) return tilec_arg_bool((int)value->i);
  if (value->kind == ARGUMENT_FLOAT) return tilec_arg_float(value->f);
  return value->is_u64 ? tilec_arg_uint((uint64_t)value->i) : tilec_arg_int(value->i);
}

// A .tir file's code relies on the facts that it was made with.
static bool facts_hold(const Run *run, const BoundArgs *bound) {
  const Func *func = run->c->module->funcs.at[0];
  for (uint32_t i = 0; i < run->param_count; i++) {
    const ParamFacts *needed = &func->params[i].facts;
    uint8_t known = bound->key[KEY_BYTES * i + 1];
    const char *fact = needed->divisible16 && !(known & KEY_DIVISIBLE) ? "divisible by 16"
                       : needed->equal1 && !(known & KEY_ONE)          ? "1"
                       : needed->none && !(known & KEY_NONE)           ? "None"
                                                                       : NULL;
    if (fact)
      return tool_error("argument '%s' is not %s, which '%s' was specialised for", run->params[i].name, fact,
                        run->options->file),
             false;
  }
  return true;
}

static const char nobody[] = "the kernel"; // whom bind_args speaks of: the place says it

bool run_bind(Run *run, BoundArgs *bound) {
  RunParam *params = ARENA_ARRAY(run->arena, RunParam, run->param_count);
  tilec_arg *args = ARENA_ARRAY(run->arena, tilec_arg, run->param_count);
  for (uint32_t i = 0; i < run->param_count; i++) {
    params[i] = run->params[i].param;
    args[i] = launch_arg(&run->params[i]);
  }
  if (bind_args(nobody, params, run->param_count, args, run->param_count, bound) != TILEC_OK) {
    const char *text = tilec_last_error();
    const RunArg *param = bound->count < run->param_count ? &run->params[bound->count] : NULL;
    if (!param || !str_starts(str_from(text), nobody)) return tool_error("%s", text), false;
    return refuse(run, param, text + strlen(nobody) + strlen(": "));
  }
  return !run->c->is_tir || facts_hold(run, bound);
}

void run_specialise(Run *run, const BoundArgs *bound) {
  if (run->c->is_tir) return;
  RunParam *params = ARENA_ARRAY(run->arena, RunParam, run->param_count);
  for (uint32_t i = 0; i < run->param_count; i++) params[i] = run->params[i].param;
  bound_spec(&run->c->ir, params, run->param_count, bound, &run->spec);
}
