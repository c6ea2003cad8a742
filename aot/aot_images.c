// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps the results of a kernel's compiles: its parameters once, and its images in the order in which a
// launch tries them.
#include "aot/aot.h"

static const Type *keep_type(Arena *arena, const Type *type) {
  Type *kept = ARENA_NEW(arena, Type);
  *kept = *type;
  if (type->kind == TYPE_PTR) kept->inner = keep_type(arena, type->inner);
  return kept;
}

// Notes what the launcher's comment says of tuples and descriptors. Marks the descriptors' last strides,
// which are 1.
static void keep_wide(Arena *arena, AotKernel *k, const ParamSpec *param, uint32_t *at) {
  if (param->form != PARAM_PLAIN && param->name) {
    Buf text = {0};
    param_print(param, &text);
    const char *line = arena_printf(arena, "%s is %s", param->name, text.at);
    vec_push(arena, &k->wide, line);
    buf_free(&text);
  }
  if (param->form == PARAM_PLAIN) (*at)++;
  if (param->form == PARAM_DESCRIPTOR) {
    *at += descriptor_parts(param->type->rank);
    k->params[*at - 1].is_one = true;
  }
  for (uint32_t i = 0; param->form == PARAM_TUPLE && i < param->item_count; i++)
    keep_wide(arena, k, &param->items[i], at);
}

void aot_keep_params(Arena *arena, AotKernel *k, const Func *func) {
  k->param_count = func_visible_params(func);
  k->params = ARENA_ARRAY(arena, AotParam, k->param_count + 1);
  for (uint32_t i = 0; i < k->param_count; i++)
    k->params[i] = (AotParam){.name = arena_copy(arena, str_from(func->params[i].name)),
                              .type = keep_type(arena, func->params[i].type),
                              .is_none = func->params[i].facts.none,
                              .divisible16 = -1,
                              .equal1 = -1};
  aot_name_params(arena, k->params, k->param_count);
  uint32_t at = 0;
  for (uint32_t i = 0; i < func->argument_count; i++) keep_wide(arena, k, &func->arguments[i], &at);
}

// --- Constexprs ---

static bool macro_is_used(const AotFile *file, const char *macro) {
  for (uint32_t k = 0; k < file->kernels.n; k++)
    for (uint32_t i = 0; i < file->kernels.at[k].constexprs.n; i++) {
      const char *other = file->kernels.at[k].constexprs.at[i].macro;
      if (other && strcmp(other, macro) == 0) return true;
    }
  return false;
}

// SAXPY_BLOCK for the constexpr BLOCK of the launcher saxpy.
static const char *macro_name(Arena *arena, const AotKernel *k, const char *name) {
  char *launcher = arena_copy(arena, str_from(k->launcher));
  for (char *at = launcher; *at; at++)
    if (*at >= 'a' && *at <= 'z') *at = (char)(*at - 'a' + 'A');
  return aot_identifier(arena, str_from(arena_printf(arena, "%s_%s", launcher, name)));
}

static const char *value_text(Arena *arena, const ConstValue *value) {
  Buf text = {0};
  const_print(value, &text);
  const char *kept = arena_copy(arena, buf_view(&text));
  buf_free(&text);
  return kept;
}

void aot_keep_constexprs(Arena *arena, const AotFile *file, AotKernel *k, const Func *func) {
  for (uint32_t i = 0; i < func->constexpr_count; i++) {
    const Constexpr *from = &func->constexprs[i];
    bool is_number = from->value.kind == CONST_INT || from->value.kind == CONST_BOOL;
    AotConstexpr kept = {.name = arena_copy(arena, str_from(from->name)),
                         .text = value_text(arena, &from->value)};
    if (is_number && !from->value.is_u64 && from->value.i >= -INT32_MAX && from->value.i <= INT32_MAX) {
      const char *macro = macro_name(arena, k, from->name);
      kept.number = from->value.i;
      if (!macro_is_used(file, macro)) kept.macro = macro;
    }
    vec_push(arena, &k->constexprs, kept);
  }
}

static tilec_status check_constexprs(Compilation *c, void *data) {
  const AotKernel *k = *(const AotKernel *const *)data;
  const Func *func = c->module->funcs.at[0];
  for (uint32_t i = 0; i < func->constexpr_count && i < k->constexprs.n; i++) {
    const AotConstexpr *first = &k->constexprs.at[i];
    const char *text = value_text(&c->arena, &func->constexprs[i].value);
    if (strcmp(text, first->text) == 0) continue;
    diag_error(
        &c->diags, func->loc,
        "[T1006] '%s' is %s for %s, and %s in other code of '%s', because of a tuning; one launcher serves all "
        "architectures: give -D %s=...",
        first->name, text, c->module->target.arch->name, first->text, k->name, first->name);
    return TILEC_ERROR_COMPILE;
  }
  return TILEC_OK;
}

tilec_status aot_check_constexprs(Compilation *c, const AotKernel *k) {
  return compile_guard(c, check_constexprs, &k);
}

// --- Hidden parameters ---

static AotMap keep_map(Arena *arena, AotKernel *k, Func *func, const FuncParam *param) {
  return (AotMap){.function = aot_host(arena, func, func_host(func, HOST_MAP, param->name), k),
                  .encoding = tensor_encoding(&(TensorMapValue){.type = param->type}),
                  .element_bytes = elem_bytes(param->type->elem)};
}

typedef struct HiddenRequest {
  Arena *arena;
  AotKernel *k;
  const AotHidden *hidden;
} HiddenRequest;

static tilec_status keep_hidden_of(Compilation *c, void *data) {
  HiddenRequest *r = data;
  Func *func = c->module->funcs.at[0];
  const HostRegion *guard = func_host(func, HOST_GUARD, NULL);
  if (func_visible_params(func) == func->param_count) return TILEC_OK;
  AotHidden *hidden = ARENA_NEW(r->arena, AotHidden);
  *hidden = (AotHidden){.guard = guard ? aot_host(r->arena, func, guard, r->k) : "",
                        .persistent = func_is_persistent(func),
                        .map_count = func_maps(func)};
  bool good = hidden->guard != NULL;
  for (uint32_t i = 0; i < hidden->map_count && good; i++) {
    hidden->maps[i] =
        keep_map(r->arena, r->k, func, &func->params[func->param_count - hidden->map_count + i]);
    good = hidden->maps[i].function != NULL;
  }
  r->hidden = hidden;
  return good ? TILEC_OK : TILEC_ERROR_COMPILE;
}

tilec_status aot_keep_hidden(Arena *arena, Compilation *c, AotKernel *k, const AotHidden **hidden) {
  HiddenRequest request = {arena, k, NULL};
  tilec_status status = compile_guard(c, keep_hidden_of, &request);
  *hidden = request.hidden;
  return status;
}

// --- Images ---

AotImage aot_keep_image(Arena *arena, const AotKernel *k, const Compilation *c) {
  const Func *func = c->module->funcs.at[0];
  const KernelMeta *meta = &c->code.kernels[0];
  uint32_t visible = func_visible_params(func);
  ParamFacts *facts = ARENA_ARRAY(arena, ParamFacts, visible + 1);
  AotImage image = {.arch = c->code.target.arch,
                    .entry = arena_copy(arena, str_from(meta->name)),
                    .ptx = arena_copy(arena, buf_view(&c->code.ptx)),
                    .threads = meta->threads,
                    .shared_bytes = meta->shared_bytes,
                    .overlaps = c->code.target.overlap && c->code.target.arch->has_grid_control,
                    .facts = facts};
  for (uint32_t i = 0; i < visible; i++) {
    facts[i] = func->params[i].facts;
    if (k->params[i].is_one) facts[i] = (ParamFacts){0}; // added by the launcher
    image.fact_count += facts[i].divisible16 + facts[i].equal1;
  }
  return image;
}

// True if a launch tries `a` before `b`. Newer architectures come first, then those with more facts. Levels
// keep their order.
static bool comes_before(const AotImage *a, const AotImage *b) {
  uint32_t place = aot_place(a->arch), other = aot_place(b->arch);
  return place != other ? place > other : a->fact_count > b->fact_count;
}

// True if an image with the same code exists whose facts all hold for these arguments too. Images of levels
// are all kept, because a launch tries the levels between them.
static bool has_same(const AotKernel *k, const AotImage *image) {
  for (uint32_t i = 0; i < k->images.n; i++) {
    const AotImage *other = &k->images.at[i];
    bool covers = strcmp(other->ptx, image->ptx) == 0;
    for (uint32_t p = 0; p < k->param_count && covers; p++)
      covers = (!other->facts[p].divisible16 || image->facts[p].divisible16) &&
               (!other->facts[p].equal1 || image->facts[p].equal1);
    if (covers) return true;
  }
  return false;
}

void aot_add_image(Arena *arena, AotKernel *k, AotImage image) {
  if (!image.in_levels && has_same(k, &image)) return;
  vec_push(arena, &k->images, image);
  for (uint32_t i = k->images.n - 1; i > 0 && comes_before(&image, &k->images.at[i - 1]); i--) {
    k->images.at[i] = k->images.at[i - 1];
    k->images.at[i - 1] = image;
  }
}
