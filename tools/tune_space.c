// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The configurations of a tuning, from the ranges of the command line and the kernel's @autotune.
#include <stdlib.h>

#include "runtime/error.h"

#include "tools/tune.h"

static void set_option(Options *o, const TuneSetting *setting) {
  uint16_t value = (uint16_t)strtoul(setting->text, NULL, 10); // the parser has looked at it
  if (strcmp(setting->name, "num_warps") == 0) {
    o->target.num_warps = value;
    o->num_warps_given = true;
  } else if (strcmp(setting->name, "num_stages") == 0) {
    o->target.num_stages = value;
    o->num_stages_given = true;
  } else {
    o->target.maxnreg = value;
    o->maxnreg_given = true;
  }
}

// The options with these settings; lists of their own, so that the given ones stay as they are.
static Options with_settings(const Options *base, const TuneSetting *settings, uint32_t count, Arena *arena) {
  Options o = *base;
  o.defines.at = NULL;
  o.defines.n = o.defines.cap = 0;
  for (uint32_t i = 0; i < base->defines.n; i++) vec_push(arena, &o.defines, base->defines.at[i]);
  for (uint32_t i = 0; i < count; i++)
    if (settings[i].is_option)
      set_option(&o, &settings[i]);
    else
      vec_push(arena, &o.defines, arena_printf(arena, "%s=%s", settings[i].name, settings[i].text));
  return o;
}

// The settings of configuration `index`: a digit a range, the last one's the lowest.
static TuneSetting *settings_at(const Options *o, uint32_t index, Arena *arena) {
  TuneSetting *settings = ARENA_ARRAY(arena, TuneSetting, o->ranges.n + 1);
  for (uint32_t i = o->ranges.n; i-- > 0;) {
    const TuneRange *range = &o->ranges.at[i];
    settings[i] = (TuneSetting){range->name, range->texts.at[index % range->texts.n], range->is_option};
    index /= range->texts.n;
  }
  return settings;
}

Options tune_first(const Options *options, Arena *arena) {
  Options first = with_settings(options, settings_at(options, 0, arena), options->ranges.n, arena);
  return first;
}

// Without those of the first configuration, which stand last.
static Options without_first(const Options *first) {
  Options base = *first;
  for (uint32_t i = 0; i < first->ranges.n; i++) base.defines.n -= !first->ranges.at[i].is_option;
  return base;
}

static bool is_ranged(const Options *o, const char *name, bool is_option) {
  for (uint32_t i = 0; i < o->ranges.n; i++)
    if (o->ranges.at[i].is_option == is_option && strcmp(o->ranges.at[i].name, name) == 0) return true;
  return false;
}

Spec tune_base_spec(const Run *run) {
  const Options *o = run->options;
  Spec spec = run->spec;
  spec.constexprs = ARENA_ARRAY(run->arena, Constexpr, spec.constexpr_count + 1);
  spec.constexpr_count = 0;
  for (uint32_t i = 0; i < run->spec.constexpr_count; i++)
    if (!is_ranged(o, run->spec.constexprs[i].name, false))
      spec.constexprs[spec.constexpr_count++] = run->spec.constexprs[i];
  spec.num_warps_given &= !is_ranged(o, "num_warps", true);
  spec.num_stages_given &= !is_ranged(o, "num_stages", true);
  spec.maxnreg_given &= !is_ranged(o, "maxnreg", true);
  return spec;
}

// --- @autotune ---

// What could not be evaluated becomes t->remarks; errors are those of each configuration too.
static tilec_status read_autotune(Compilation *c, void *data) {
  Tuning *t = data;
  const Diags *diags = &c->diags;
  uint32_t said = diags->list.n;
  frontend_autotune(&c->ir, c->syntax, &t->run->spec, &t->autotune);
  for (uint32_t i = said; i < diags->list.n; i++) {
    const Diag *one = diags->list.at[i];
    const char *text = arena_printf(t->run->arena, "%s:%u: %s", sources_name(&c->sources, one->loc.file),
                                    one->loc.line, one->message);
    if (one->severity == DIAG_REMARK) vec_push(t->run->arena, &t->remarks, text);
  }
  return TILEC_OK;
}

static bool is_given(const Run *run, const char *name) {
  for (uint32_t i = 0; i < run->spec.constexpr_count; i++)
    if (strcmp(run->spec.constexprs[i].name, name) == 0) return true;
  return false;
}

static void add_option(TuneSetting *settings, uint32_t *n, Arena *arena, const char *name, bool given,
                       uint32_t value) {
  if (!given && value) settings[(*n)++] = (TuneSetting){name, arena_printf(arena, "%u", value), true};
}

// What the configuration gives and the command line does not.
static uint32_t config_settings(const Run *run, const AutotuneConfig *config, TuneSetting *settings) {
  const Options *o = run->options;
  uint32_t n = 0;
  for (uint32_t i = 0; i < config->constexpr_count; i++) {
    const Constexpr *one = &config->constexprs[i];
    Buf text = {0};
    if (is_given(run, one->name)) continue;
    const_print(&one->value, &text);
    settings[n++] = (TuneSetting){one->name, arena_copy(run->arena, buf_view(&text)), false};
    buf_free(&text);
  }
  add_option(settings, &n, run->arena, "num_warps", o->num_warps_given, config->num_warps);
  add_option(settings, &n, run->arena, "num_stages", o->num_stages_given, config->num_stages);
  add_option(settings, &n, run->arena, "maxnreg", o->maxnreg_given, config->maxnreg);
  return n;
}

enum { OPTIONS = 3 }; // of a configuration beside its constexprs

// Configuration `index` of the ranges with @autotune's `config`, which may be NULL.
static void fill(Tuning *t, Candidate *c, const Options *base, uint32_t index, const AutotuneConfig *config) {
  const Options *first = t->run->options;
  Arena *arena = t->run->arena;
  uint32_t n = first->ranges.n;
  TuneSetting *ranged = settings_at(first, index, arena);
  TuneSetting *settings =
      ARENA_ARRAY(arena, TuneSetting, n + (config ? config->constexpr_count : 0) + OPTIONS);
  memcpy(settings, ranged, n * sizeof *settings);
  if (config) n += config_settings(t->run, config, settings + n);
  *c = (Candidate){.settings = settings, .setting_count = n};
  c->options = with_settings(base, settings, n, arena);
}

// Whether an earlier one is as the one after the last: what the command line gives makes configurations of a list alike.
static bool is_repeated(const Tuning *t) {
  const Candidate *last = &t->all[t->count];
  for (uint32_t i = 0; i < t->count; i++) {
    const Candidate *one = &t->all[i];
    bool same = one->setting_count == last->setting_count;
    for (uint32_t k = 0; same && k < last->setting_count; k++)
      same = strcmp(one->settings[k].name, last->settings[k].name) == 0 &&
             strcmp(one->settings[k].text, last->settings[k].text) == 0;
    if (same) return true;
  }
  return false;
}

tilec_status tune_space(Tuning *t) {
  const Options *first = t->run->options;
  const Options base = without_first(first);
  tilec_status status = compile_guard(t->run->c, read_autotune, t);
  uint32_t ranged = 1, configs = t->autotune.count ? t->autotune.count : 1;
  if (status != TILEC_OK) return status;
  for (uint32_t i = 0; i < first->ranges.n; i++) ranged *= first->ranges.at[i].texts.n;
  t->count = ranged * configs;
  t->all = ARENA_ARRAY(t->run->arena, Candidate, t->count);
  uint32_t all = t->count;
  t->count = 0;
  for (uint32_t i = 0; i < all; i++) {
    fill(t, &t->all[t->count], &base, i % ranged,
         t->autotune.count ? &t->autotune.configs[i / ranged] : NULL);
    t->count += !is_repeated(t);
  }
  return TILEC_OK;
}
