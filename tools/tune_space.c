// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The configurations of a tuning, from the ranges of the command line.
#include <stdlib.h>

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

void tune_space(Tuning *t) {
  const Options *first = t->run->options;
  const Options base = without_first(first);
  t->count = 1;
  for (uint32_t i = 0; i < first->ranges.n; i++) t->count *= first->ranges.at[i].texts.n;
  t->all = ARENA_ARRAY(t->run->arena, Candidate, t->count);
  for (uint32_t i = 0; i < t->count; i++) {
    Candidate *c = &t->all[i];
    *c = (Candidate){.settings = settings_at(first, i, t->run->arena), .setting_count = first->ranges.n};
    c->options = with_settings(&base, c->settings, c->setting_count, t->run->arena);
  }
}
