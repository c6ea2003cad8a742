// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/run.h"

#include <math.h>

#include "ir/number.h"

static RunParam *find_param(const Run *run, const char *name) {
  for (uint32_t i = 0; i < run->param_count; i++)
    if (strcmp(run->params[i].name, name) == 0) return &run->params[i];
  return NULL;
}

static bool is_constexpr(const KernelInfo *kernel, const char *name) {
  for (uint32_t i = 0; kernel && i < kernel->param_count; i++)
    if (kernel->params[i].is_constexpr && strcmp(kernel->params[i].name, name) == 0) return true;
  return false;
}

// Default values become arguments: an annotated `alpha: fp32 = 1.0` stays a run-time parameter.
static void take_default(RunParam *to, const KernelParam *from) {
  if (!from->has_default) return;
  const ConstValue *value = &from->default_value;
  to->given = true;
  switch (value->kind) {
  case CONST_NONE: to->value.kind = ARGUMENT_NONE; break;
  case CONST_BOOL:
  case CONST_INT:
    to->value.kind = ARGUMENT_INT;
    to->value.i = value->i;
    break;
  case CONST_FLOAT:
    to->value.kind = ARGUMENT_FLOAT;
    to->value.f = value->f;
    break;
  case CONST_STR:
  case CONST_DTYPE:
  case CONST_TUPLE: to->given = false; break;
  }
}

// The kernel's run-time parameters: from the source, or from the one function of a .tir file.
static bool list_params(Run *run, const KernelInfo **kernel) {
  Compilation *c = run->c;
  *kernel = NULL;
  if (c->is_tir) {
    if (c->module->funcs.n != 1)
      return tool_error("'%s' has %u kernels; run needs one", run->options->file, c->module->funcs.n), false;
    const Func *func = c->module->funcs.at[0];
    run->params = ARENA_ARRAY(run->arena, RunParam, func->param_count);
    for (uint32_t i = 0; i < func->param_count; i++)
      run->params[run->param_count++] =
          (RunParam){.name = func->params[i].name, .annotated = func->params[i].type};
    return true;
  }
  KernelInfo *entries;
  uint32_t count = 1;
  if (run->spec.kernel)
    *kernel = frontend_kernel(&c->ir, c->syntax, run->spec.kernel);
  else {
    count = frontend_entries(&c->ir, c->syntax, &entries);
    *kernel = count == 1 ? entries : NULL;
  }
  if (c->diags.errors) return tool_report(run->options, c, TILEC_ERROR_COMPILE), false;
  if (!*kernel && run->spec.kernel) return tool_error("the file has no kernel '%s'", run->spec.kernel), false;
  if (!*kernel) return tool_error("the file has %u kernels; say which with --kernel", count), false;
  run->params = ARENA_ARRAY(run->arena, RunParam, (*kernel)->param_count);
  for (uint32_t i = 0; i < (*kernel)->param_count; i++) {
    const KernelParam *p = &(*kernel)->params[i];
    if (p->is_constexpr) continue;
    run->params[run->param_count] = (RunParam){.name = p->name, .annotated = p->type};
    take_default(&run->params[run->param_count++], p);
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

static bool take_argument(Run *run, const KernelInfo *kernel, const NamedText *arg) {
  RunParam *param = find_param(run, arg->name);
  if (is_constexpr(kernel, arg->name)) {
    const char *define = arena_printf(run->arena, "%s=%s", arg->name, arg->text);
    vec_push(run->arena, &run->defines, define);
    tilec_status status = compile_define(run->c, define, &run->spec);
    return status == TILEC_OK || (tool_report(run->options, run->c, status), false);
  }
  if (!param) return unknown_argument(run, kernel, arg->name);
  const char *why;
  param->given = true;
  if (argument_parse(run->arena, arg->text, run->options->seed, (uint32_t)(param - run->params),
                     &param->value, &why))
    return true;
  return tool_error("argument %s=%s: %s", arg->name, arg->text, why), false;
}

// &NAME points into the buffer of another argument.
static bool link_buffer(Run *run, RunParam *param) {
  Argument *value = &param->value;
  if (value->kind == ARGUMENT_BUFFER) param->buffer = param;
  if (value->kind != ARGUMENT_SAME) return true;
  param->buffer = find_param(run, value->same);
  if (!param->buffer || param->buffer->value.kind != ARGUMENT_BUFFER)
    return tool_error("argument %s=&%s: there is no buffer '%s'", param->name, value->same, value->same),
           false;
  return value->offset <= param->buffer->value.bytes ||
         (tool_error("argument %s: the offset is past the end of '%s'", param->name, value->same), false);
}

bool run_match_arguments(Run *run) {
  const KernelInfo *kernel;
  if (!list_params(run, &kernel)) return false;
  for (uint32_t i = 0; i < run->options->args.n; i++)
    if (!take_argument(run, kernel, &run->options->args.at[i])) return false;
  for (uint32_t i = 0; i < run->param_count; i++) {
    if (!run->params[i].given) return tool_error("argument '%s' is missing", run->params[i].name), false;
    if (!link_buffer(run, &run->params[i])) return false;
  }
  return true;
}

bool run_match_ptx(Run *run) {
  const Options *o = run->options;
  run->params = ARENA_ARRAY(run->arena, RunParam, o->args.n);
  for (uint32_t i = 0; i < o->args.n; i++)
    run->params[run->param_count++] = (RunParam){.name = o->args.at[i].name};
  for (uint32_t i = 0; i < run->param_count; i++)
    if (!take_argument(run, NULL, &o->args.at[i])) return false;
  for (uint32_t i = 0; i < run->param_count; i++)
    if (!link_buffer(run, &run->params[i])) return false;
  return true;
}

static const Type *argument_type(const Run *run, const RunParam *param) {
  IrContext *ir = &run->c->ir;
  const Argument *value = &param->value;
  if (param->buffer) return type_ptr(ir, type_scalar(ir, param->buffer->value.elem));
  if (value->kind == ARGUMENT_FLOAT) return type_scalar(ir, ELEM_FP32);
  bool narrow = value->kind == ARGUMENT_NONE || (value->i >= INT32_MIN && value->i <= INT32_MAX);
  return type_scalar(ir, narrow ? ELEM_I32 : ELEM_I64);
}

void run_specialise(Run *run) {
  if (run->c->is_tir) return; // the file says all
  Spec *spec = &run->spec;
  spec->params = ARENA_ARRAY(run->arena, ParamSpec, run->param_count);
  spec->param_count = run->param_count;
  for (uint32_t i = 0; i < run->param_count; i++) {
    const RunParam *param = &run->params[i];
    const Argument *value = &param->value;
    ParamFacts facts = {0};
    if (param->buffer) facts.divisible16 = param->address % 16 == 0;
    if (value->kind == ARGUMENT_INT) {
      facts.divisible16 = value->i % 16 == 0;
      facts.equal1 = value->i == 1;
    }
    facts.none = value->kind == ARGUMENT_NONE;
    spec->params[i] = (ParamSpec){.name = ir_name(&run->c->ir, str_from(param->name)),
                                  .type = facts.none || param->annotated ? NULL : argument_type(run, param),
                                  .facts = facts};
  }
}

static bool pack_scalar(const RunParam *param, const Type *type, uint64_t *bits) {
  const Argument *value = &param->value;
  if (elem_is_float(type->elem)) {
    if (value->kind != ARGUMENT_INT && value->kind != ARGUMENT_FLOAT) return false;
    *bits = number_encode(type->elem, value->kind == ARGUMENT_INT ? (double)value->i : value->f);
    return true;
  }
  if (value->kind != ARGUMENT_INT) return false;
  *bits = number_wrap(type->elem, (uint64_t)value->i);
  return *bits == (uint64_t)value->i || (elem_bytes(type->elem) < 8 && (int64_t)*bits == value->i);
}

bool run_pack(Run *run, const Func *func, uint64_t *bits) {
  for (uint32_t i = 0; i < func->param_count; i++) {
    const RunParam *param = &run->params[i];
    const Type *type = func->params[i].type;
    bits[i] = param->address;
    if (func->params[i].facts.none)
      bits[i] = 0;
    else if (type_is_ptr(type) ? !param->buffer : !pack_scalar(param, type, &bits[i])) {
      Buf text = {0};
      type_print(type, &text);
      tool_error("argument '%s' does not fit its parameter's type, %s", param->name, text.at);
      buf_free(&text);
      return false;
    }
  }
  return true;
}
