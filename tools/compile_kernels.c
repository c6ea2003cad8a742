// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the kernels of a file to compile.
#include "tools/run/ask.h"
#include "tools/tool.h"

static bool spec_has(const Spec *spec, const char *name) {
  for (uint32_t i = 0; i < spec->param_count; i++) {
    const ParamSpec *param = &spec->params[i];
    bool said = param->type || param->facts.none || param->facts.equal1 || param->form != PARAM_PLAIN;
    if (param->name == name && said) return true;
  }
  for (uint32_t i = 0; i < spec->constexpr_count; i++)
    if (spec->constexprs[i].name == name) return true;
  return false;
}

static bool fully_specified(const KernelInfo *kernel, const Spec *spec) {
  for (uint32_t i = 0; i < kernel->param_count; i++) {
    const KernelParam *p = &kernel->params[i];
    bool known = p->is_constexpr ? p->has_default : p->type || p->wide;
    if (!known && !spec_has(spec, p->name)) return false;
  }
  return true;
}

static bool kernel_has(const KernelInfo *kernel, const char *name) {
  for (uint32_t i = 0; i < kernel->param_count; i++)
    if (kernel->params[i].name == name) return true;
  return false;
}

// `spec` reduced for one kernel of several: only values for its parameters and of the module level.
static Spec spec_for(Compilation *c, const Spec *spec, const KernelInfo *kernel) {
  Arena *arena = &c->arena;
  Spec own = *spec;
  own.kernel = kernel->path;
  own.params = ARENA_ARRAY(arena, ParamSpec, spec->param_count);
  own.constexprs = ARENA_ARRAY(arena, Constexpr, spec->constexpr_count);
  own.param_count = own.constexpr_count = 0;
  for (uint32_t i = 0; i < spec->param_count; i++)
    if (kernel_has(kernel, spec->params[i].name)) own.params[own.param_count++] = spec->params[i];
  for (uint32_t i = 0; i < spec->constexpr_count; i++)
    if (kernel_has(kernel, spec->constexprs[i].name) ||
        frontend_has_name(&c->ir, c->syntax, spec->constexprs[i].name))
      own.constexprs[own.constexpr_count++] = spec->constexprs[i];
  return own;
}

// Every name in the specialisation must belong to one of the kernels.
static tilec_status check_names(Compilation *c, const KernelInfo *kernels, uint32_t count, const Spec *spec) {
  for (uint32_t i = 0; i < spec->param_count + spec->constexpr_count; i++) {
    const char *name =
        i < spec->param_count ? spec->params[i].name : spec->constexprs[i - spec->param_count].name;
    bool found = false;
    for (uint32_t k = 0; k < count && !found; k++) found = kernel_has(&kernels[k], name);
    found = found || (i >= spec->param_count && frontend_has_name(&c->ir, c->syntax, name));
    if (!found) diag_error(&c->diags, LOC_NONE, "[T1002] no kernel of the file has a parameter '%s'", name);
  }
  return c->diags.errors ? TILEC_ERROR_COMPILE : TILEC_OK;
}

// Those of several kernels that are fully specified.
static tilec_status choose_entries(const Options *o, Compilation *c, const Spec *spec,
                                   const KernelInfo *kernels, uint32_t count, SpecList *list) {
  tilec_status status = check_names(c, kernels, count, spec);
  if (status) return status;
  for (uint32_t i = 0; i < count; i++) {
    Spec own = spec_for(c, spec, &kernels[i]);
    if (fully_specified(&kernels[i], &own))
      vec_push(&c->arena, list, own);
    else
      diag_remark(&c->diags, kernels[i].loc, "compile", "kernel '%s' is skipped: it is not fully specified",
                  kernels[i].name);
  }
  if (list->n) return TILEC_OK;
  Diag *error = diag_error(
      &c->diags, LOC_NONE,
      "[T1004] no kernel of the file is fully specified; give types and constexprs with --signature and -D");
  for (uint32_t i = 0; i < count; i++) {
    Spec own = spec_for(c, spec, &kernels[i]);
    diag_note(&c->diags, error, kernels[i].loc, "kernel '%s' is declared here", kernels[i].name);
    ask_types(o, c, &kernels[i], &own);
  }
  return TILEC_ERROR_COMPILE;
}

typedef struct EntriesRequest {
  const Options *options;
  const Spec *spec;
  SpecList *list;
} EntriesRequest;

static tilec_status entries(Compilation *c, void *data) {
  const EntriesRequest *r = data;
  if (!c->is_tir && !r->spec->kernel) {
    KernelInfo *kernels;
    uint32_t count = frontend_entries(&c->ir, c->syntax, r->spec, &kernels);
    if (count == 0 && !c->diags.errors) frontend_no_kernel(&c->ir, c->syntax, NULL);
    if (count == 0) return TILEC_ERROR_COMPILE;
    if (count > 1 || c->diags.errors) return choose_entries(r->options, c, r->spec, kernels, count, r->list);
  }
  vec_push(&c->arena, r->list, *r->spec);
  return TILEC_OK;
}

tilec_status tool_entries(const Options *o, Compilation *c, const Spec *spec, SpecList *list) {
  return compile_guard(c, entries, &(EntriesRequest){o, spec, list});
}

void tool_ask_types(const Options *o, Compilation *c, const Spec *spec) {
  uint32_t errors = c->diags.errors;
  if (c->is_tir) return;
  const KernelInfo *kernel = frontend_chosen(&c->ir, c->syntax, spec);
  if (kernel && c->diags.errors == errors && !fully_specified(kernel, spec)) ask_types(o, c, kernel, spec);
}
