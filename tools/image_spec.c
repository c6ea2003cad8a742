// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The specialisation of a kernel that is compiled without a launch: the facts of --signature or of a --variant.
#include "tools/tool.h"

static const ParamSpec *item_of(const ParamSpec *param, uint32_t i) {
  return param && param->form == PARAM_TUPLE && i < param->item_count ? &param->items[i] : NULL;
}

// Sets the facts of a descriptor's parts: none, or that 16 divides the sizes and strides. Every descriptor
// has an aligned base and a last stride of 1.
static void set_part_facts(Compilation *c, ParamSpec *param, bool divisible16) {
  uint32_t last = param->item_count - 1;
  const ParamSpec *old = param->items;
  param->items = ARENA_ARRAY(&c->arena, ParamSpec, param->item_count);
  memcpy(param->items, old, param->item_count * sizeof *old);
  for (uint32_t i = 1; i < last; i++) param->items[i].facts = (ParamFacts){.divisible16 = divisible16};
}

// Replaces the facts of the parameter, or of one of its items, by those of `given` (NULL: none).
static void set_param_facts(Compilation *c, ParamSpec *param, bool typed, const ParamSpec *given) {
  if (param->form == PARAM_DESCRIPTOR) {
    bool divisible = given && (given->form == PARAM_DESCRIPTOR ? given->items[1].facts.divisible16
                                                               : given->facts.divisible16);
    set_part_facts(c, param, divisible);
  }
  if (param->form == PARAM_TUPLE) {
    const ParamSpec *old = param->items;
    param->items = ARENA_ARRAY(&c->arena, ParamSpec, param->item_count);
    for (uint32_t i = 0; i < param->item_count; i++) {
      param->items[i] = old[i];
      set_param_facts(c, &param->items[i], false, item_of(given, i));
    }
  }
  if (param->form != PARAM_PLAIN) return;
  if (param->facts.equal1 && !param->type && !typed) param->type = type_scalar(&c->ir, ELEM_I32);
  param->facts.divisible16 = given && given->facts.divisible16;
  param->facts.equal1 = given && given->facts.equal1;
}

// Replaces the facts of the specialisation by `facts`. An argument 1 without a type is an i32, and stays one.
static void set_facts(Compilation *c, Spec *spec, const KernelInfo *info, const Spec *facts) {
  ParamSpec *params = ARENA_ARRAY(&c->arena, ParamSpec, info->param_count + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < info->param_count; i++) {
    const KernelParam *p = &info->params[i];
    const ParamSpec *old = spec_param(spec, p->name), *given = spec_param(facts, p->name);
    if (!old && !given) continue;
    ParamSpec *param = &params[n++];
    *param = old ? *old : p->wide ? *p->wide : (ParamSpec){.form = PARAM_PLAIN};
    param->name = p->name;
    set_param_facts(c, param, p->type != NULL, given);
  }
  spec->params = params;
  spec->param_count = n;
}

typedef struct VariantRequest {
  const char *text; // NULL: no facts
  Spec *spec;
} VariantRequest;

static tilec_status take_variant(Compilation *c, void *data) {
  const VariantRequest *r = data;
  Spec facts = {0};
  const KernelInfo *info = frontend_chosen(&c->ir, c->syntax, r->spec);
  tilec_status status = r->text ? compile_signature(c, r->text, &facts) : TILEC_OK;
  if (info && !status) set_facts(c, r->spec, info, &facts);
  return info ? status : TILEC_ERROR_COMPILE;
}

tilec_status tool_image_spec(const ImageRequest *r, Compilation *c, Spec *spec) {
  Options own = *r->o;
  SpecList list = {0};
  if (r->arch) {
    own.target.arch = r->arch;
    own.arch_given = true;
  }
  tilec_status status = tool_spec(&own, c, spec);
  if (!status) status = tool_entries(&own, c, spec, &list);
  if (status) return status;
  if (c->is_tir) { // its facts are fixed
    *spec = list.at[0];
    if (!spec->kernel) spec->kernel = c->module->funcs.at[r->number]->name;
    return TILEC_OK;
  }
  *spec = list.at[r->number];
  if (!r->facts.none && !r->facts.text) return TILEC_OK;
  return compile_guard(c, take_variant, &(VariantRequest){r->facts.text, spec});
}

void tool_lower_spec(Spec *spec, SpecLevel level) {
  if (level != SPEC_WHOLE) spec->target.persistent = PERSIST_OFF;
  if (level == SPEC_PLAIN) spec->target.tma = TMA_OFF;
}

// True if one of the compiled kernels has the parameter.
static bool any_has(Compilation *c, const SpecList *list, const char *name) {
  for (uint32_t k = 0; k < list->n; k++) {
    const KernelInfo *info = frontend_chosen(&c->ir, c->syntax, &list->at[k]);
    for (uint32_t i = 0; info && i < info->param_count; i++)
      if (info->params[i].name == name && !info->params[i].is_constexpr) return true;
  }
  return false;
}

typedef struct VariantsRequest {
  const Options *o;
  const SpecList *list;
} VariantsRequest;

// Checks that each --variant has only facts, and only of existing parameters.
static tilec_status check_variants(Compilation *c, void *data) {
  const VariantsRequest *r = data;
  if (r->o->variants.n && c->is_tir)
    diag_error(&c->diags, LOC_NONE,
               "[T1006] --variant: tile IR is specialised already, so it is the only variant");
  for (uint32_t v = 0; v < r->o->variants.n && !c->diags.errors; v++) {
    Spec facts = {0};
    if (compile_signature(c, r->o->variants.at[v], &facts)) break;
    for (uint32_t i = 0; i < facts.param_count; i++) {
      const ParamSpec *p = &facts.params[i];
      if (!any_has(c, r->list, p->name))
        diag_error(&c->diags, LOC_NONE, "[T1002] --variant %s: no kernel has a parameter '%s'",
                   r->o->variants.at[v], p->name);
      else if (p->type || p->facts.none)
        diag_error(&c->diags, LOC_NONE,
                   "[T1006] --variant %s: '%s' is given %s; a variant takes only facts, as in x=:16,n=:1",
                   r->o->variants.at[v], p->name, p->type ? "a type" : "as None");
    }
  }
  return c->diags.errors ? TILEC_ERROR_COMPILE : TILEC_OK;
}

tilec_status tool_check_variants(Compilation *c, const Options *o, const SpecList *list) {
  return compile_guard(c, check_variants, &(VariantsRequest){o, list});
}
