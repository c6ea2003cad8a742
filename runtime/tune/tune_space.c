// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The configurations of a tuning. They come from the ranges and from a list: the request's, or the kernel's
// @autotune.
#include "runtime/error.h"
#include "runtime/tune/tuner.h"

enum { MAX_CONFIGURATIONS = 1 << 16 };

// The settings of configuration `index`. Each range is one digit, and the last one is the lowest.
static void settings_at(const tilec_tune_options *o, uint32_t index, TuneSetting *settings) {
  for (size_t i = o->range_count; i-- > 0;) {
    const tilec_tune_range *range = &o->ranges[i];
    settings[i] = (TuneSetting){range->name, range->values[index % range->count], range->is_option != 0};
    index /= (uint32_t)range->count;
  }
}

static bool is_ranged(const tilec_tune_options *o, const char *name, bool is_option) {
  for (size_t i = 0; i < o->range_count; i++)
    if ((o->ranges[i].is_option != 0) == is_option && strcmp(o->ranges[i].name, name) == 0) return true;
  return false;
}

// --- Lists ---

static bool is_given(const Tuning *t, const char *name) {
  for (uint32_t i = 0; i < t->spec.constexpr_count; i++)
    if (strcmp(t->spec.constexprs[i].name, name) == 0) return true;
  return is_ranged(&t->request->options, name, false);
}

static bool option_is_given(const Tuning *t, const char *name) {
  const Spec *base = &t->spec;
  return is_ranged(&t->request->options, name, true) ||
         (strcmp(name, "num_warps") == 0    ? base->num_warps_given
          : strcmp(name, "num_stages") == 0 ? base->num_stages_given
                                            : base->maxnreg_given);
}

// The settings of the list's configuration that the request does not fix.
static uint32_t listed_settings(const Tuning *t, const tilec_tune_listed *listed, TuneSetting *settings) {
  uint32_t n = 0;
  for (size_t i = 0; i < listed->count; i++) {
    const tilec_tune_range *one = &listed->settings[i];
    if (one->is_option ? option_is_given(t, one->name) : is_given(t, one->name)) continue;
    settings[n++] = (TuneSetting){one->name, one->values[0], one->is_option != 0};
  }
  return n;
}

// The first configuration of the ranges and the request's list gives the values that functions of the file
// may read.
static tilec_status first_spec(Tuning *t, Compilation *c, Spec *spec) {
  const tilec_tune_options *o = &t->request->options;
  const tilec_tune_listed *listed = o->configuration_count ? &o->configurations[0] : NULL;
  TuneSetting *settings =
      ARENA_ARRAY(&t->arena, TuneSetting, o->range_count + (listed ? listed->count : 0) + 1);
  TuneBound bound;
  settings_at(o, 0, settings);
  uint32_t n = (uint32_t)o->range_count;
  if (listed) n += listed_settings(t, listed, settings + n);
  return attempt_bind(t->request, settings, n, c, spec, &bound);
}

// Parts that cannot be evaluated become t->remarks. Errors also occur in each configuration, and are reported
// there.
static tilec_status read_autotune(Compilation *c, void *data) {
  Tuning *t = data;
  const Diags *diags = &c->diags;
  uint32_t said = diags->list.n;
  frontend_autotune(&c->ir, c->syntax, &t->first, &t->autotune);
  for (uint32_t i = said; i < diags->list.n; i++) {
    const Diag *one = diags->list.at[i];
    const char *text = arena_printf(&t->arena, "%s:%u: %s", sources_name(&c->sources, one->loc.file),
                                    one->loc.line, one->message);
    if (one->severity == DIAG_REMARK && !t->request->options.configuration_count)
      vec_push(&t->arena, &t->remarks, text);
  }
  return TILEC_OK;
}

static void add_option(Tuning *t, TuneSetting *settings, uint32_t *n, const char *name, uint32_t value) {
  if (!value || option_is_given(t, name)) return;
  settings[(*n)++] = (TuneSetting){name, arena_printf(&t->arena, "%u", value), true};
}

// The settings of the configuration that the request does not fix.
static uint32_t config_settings(Tuning *t, const AutotuneConfig *config, TuneSetting *settings) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < config->constexpr_count; i++) {
    const Constexpr *one = &config->constexprs[i];
    Buf text = {0};
    if (is_given(t, one->name)) continue;
    const_print(&one->value, &text);
    settings[n++] = (TuneSetting){arena_copy(&t->arena, str_from(one->name)),
                                  arena_copy(&t->arena, buf_view(&text)), false};
    buf_free(&text);
  }
  add_option(t, settings, &n, "num_warps", config->num_warps);
  add_option(t, settings, &n, "num_stages", config->num_stages);
  add_option(t, settings, &n, "maxnreg", config->maxnreg);
  return n;
}

enum { OPTIONS = 3 }; // options of a configuration, in addition to its constexprs

const char *tune_settings_text(Arena *arena, const TuneSetting *settings, uint32_t n) {
  Buf out = {0};
  for (uint32_t i = 0; i < n; i++)
    buf_printf(&out, "%s%s=%s", i ? " " : "", settings[i].name, settings[i].text);
  const char *text = arena_copy(arena, buf_view(&out));
  buf_free(&out);
  return text;
}

// Configuration `index` of the ranges, combined with configuration `at` of the request's list or of
// @autotune.
static void fill(Tuning *t, Candidate *c, uint32_t index, uint64_t at) {
  const tilec_tune_options *o = &t->request->options;
  const tilec_tune_listed *listed = o->configuration_count ? &o->configurations[at] : NULL;
  const AutotuneConfig *config = !listed && t->autotune.count ? &t->autotune.configs[at] : NULL;
  size_t more = listed ? listed->count : config ? config->constexpr_count + OPTIONS : 0;
  TuneSetting *settings = ARENA_ARRAY(&t->arena, TuneSetting, o->range_count + more + 1);
  uint32_t n = (uint32_t)o->range_count;
  settings_at(o, index, settings);
  if (listed) n += listed_settings(t, listed, settings + n);
  for (uint32_t i = 0; i < n; i++) { // the caller's texts are valid only during the call
    settings[i].name = arena_copy(&t->arena, str_from(settings[i].name));
    settings[i].text = arena_copy(&t->arena, str_from(settings[i].text));
  }
  if (config) n += config_settings(t, config, settings + n);
  *c = (Candidate){
      .settings = settings, .setting_count = n, .text = tune_settings_text(&t->arena, settings, n)};
  if (listed) memcpy(c->grid, listed->grid, sizeof c->grid);
}

// True if the new configuration equals an earlier one. Fixed values can make configurations of a list equal.
static bool is_repeated(const Tuning *t) {
  bool list = t->autotune.count || t->request->options.configuration_count;
  for (uint32_t i = 0; list && i < t->count; i++)
    if (strcmp(t->all[i].text, t->all[t->count].text) == 0) return true;
  return false;
}

tilec_status tune_space(Tuning *t) {
  const tilec_tune_options *o = &t->request->options;
  tilec_status status = first_spec(t, &t->first_c, &t->first);
  if (!status) status = compile_guard(&t->first_c, read_autotune, t);
  if (status) return status;
  uint64_t ranged = 1, configs = o->configuration_count ? o->configuration_count
                                 : t->autotune.count    ? t->autotune.count
                                                        : 1;
  for (size_t i = 0; i < o->range_count && ranged <= MAX_CONFIGURATIONS; i++) ranged *= o->ranges[i].count;
  if (configs > MAX_CONFIGURATIONS || ranged * configs > MAX_CONFIGURATIONS)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "the ranges have more than %d configurations",
                     MAX_CONFIGURATIONS);
  t->all = ARENA_ARRAY(&t->arena, Candidate, ranged * configs);
  for (uint32_t i = 0; i < ranged * configs; i++) {
    fill(t, &t->all[t->count], i % (uint32_t)ranged, i / ranged);
    t->count += !is_repeated(t);
  }
  return TILEC_OK;
}
