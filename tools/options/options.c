// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The effect of each option.
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "passes/passes.h"
#include "tools/options/options_parts.h"

static bool parse_number(OptionParser *p, const char *what, const char *text, long long min, long long max,
                         long long *value) {
  char *end;
  errno = 0;
  *value = strtoll(text, &end, 10);
  if (errno == 0 && end != text && *end == '\0' && *value >= min && *value <= max) return true;
  return buf_fail(p->error, "%s takes a number from %lld to %lld, not '%s'", what, min, max, text);
}

// Parses one of the names, which NULL ends. The error lists them.
static bool parse_choice(OptionParser *p, const char *what, const char *text, const char *const *names,
                         long long *choice) {
  for (*choice = 0; names[*choice]; ++*choice)
    if (strcmp(names[*choice], text) == 0) return true;
  buf_printf(p->error, "%s is one of", what);
  for (int i = 0; names[i]; i++) buf_printf(p->error, "%s %s", i ? "," : "", names[i]);
  return buf_fail(p->error, "; not '%s'", text);
}

// The pass's current name, given that or an earlier name, or `extra`. NULL with an error: no such pass.
static const char *find_pass(OptionParser *p, const char *name, const char *extra) {
  const PassInfo *pass = pass_find(str_from(name));
  if (pass) return pass->name;
  if (extra && strcmp(name, extra) == 0) return name;
  const char *near = pass_nearest(str_from(name));
  buf_printf(p->error, "there is no pass '%s'; ", name);
  buf_printf(p->error, near ? "did you mean '%s'?" : "--list-passes lists them", near);
  return NULL;
}

bool option_split_named(OptionParser *p, const char *what, const char *text, NamedText *named) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text) return buf_fail(p->error, "%s takes NAME=VALUE, not '%s'", what, text);
  named->name = arena_copy(p->arena, (Str){text, (size_t)(equals - text)});
  named->text = equals + 1;
  return true;
}

static bool set_output(OptionParser *p, const char *value) {
  if (p->options->output)
    return buf_fail(p->error, "-o is given twice: '%s' and '%s'", p->options->output, value);
  p->options->output = value;
  return true;
}

static bool set_define(OptionParser *p, const char *value) {
  NamedText named = {0};
  if (!option_split_named(p, "-D", value, &named)) return false;
  if (option_take_range(p, named.name, false, named.text)) return true;
  vec_push(p->arena, &p->options->defines, value);
  return true;
}

// One architecture, or several between commas. Only --emit=header takes several.
static bool set_arch(OptionParser *p, const char *value) {
  p->options->arch_given = true;
  for (Str rest = str_from(value);;) {
    const char *comma = memchr(rest.at, ',', rest.n);
    Str name = {rest.at, comma ? (size_t)(comma - rest.at) : rest.n};
    if (!target_parse_arch(name, &p->options->target))
      return buf_fail(p->error, "unknown architecture '%.*s'; --list-targets lists them", STR_ARG(name));
    vec_push(p->arena, &p->options->archs, p->options->target.arch);
    if (!comma) return true;
    p->options->arch_list = true;
    rest = (Str){comma + 1, rest.n - name.n - 1};
  }
}

static bool set_variant(OptionParser *p, const char *value) {
  vec_push(p->arena, &p->options->variants, value);
  return true;
}

static bool set_aot_prefix(OptionParser *p, const char *value) {
  p->options->aot_prefix = value;
  size_t n = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
  if (n && !value[n] && value[0] > '9') return true;
  return buf_fail(p->error, "--aot-prefix takes a C identifier, not '%s'", value);
}

static bool set_print_after(OptionParser *p, const char *value) {
  if (strcmp(value, "elaborate") != 0 && !(value = find_pass(p, value, "all"))) return false;
  for (uint32_t i = 0; i < p->options->printed_passes.n; i++)
    if (strcmp(p->options->printed_passes.at[i], value) == 0) return true;
  vec_push(p->arena, &p->options->printed_passes, value);
  return true;
}

static bool set_stop_after(OptionParser *p, const char *value) {
  const char *colon = strchr(value, ':');
  char *end = NULL;
  p->options->stop_run = colon ? (uint32_t)strtoul(colon + 1, &end, 10) : 0;
  if (colon && (!p->options->stop_run || *end || colon[1] < '0' || colon[1] > '9'))
    return buf_fail(p->error, "--stop-after takes PASS or PASS:RUN, a number from 1, not '%s'", value);
  if (colon) value = arena_copy(p->arena, (Str){value, (size_t)(colon - value)});
  return (p->options->stop_after = find_pass(p, value, "elaborate")) != NULL;
}

static bool set_run_pass(OptionParser *p, const char *value) {
  p->options->run_passes_given = true;
  for (;;) {
    const char *comma = strchr(value, ',');
    const char *name = comma ? arena_copy(p->arena, (Str){value, (size_t)(comma - value)}) : value;
    if (!(name = find_pass(p, name, NULL))) return false;
    vec_push(p->arena, &p->options->run_passes, name);
    if (!comma) return true;
    value = comma + 1;
  }
}

static bool set_disable_pass(OptionParser *p, const char *value) {
  bool entry = pass_entry(str_from(value)) != NULL;
  if (!entry && !(value = find_pass(p, value, NULL))) return false;
  vec_push(p->arena, &p->options->disabled_passes, value);
  if (entry || pass_find(str_from(value))->flags & OPTIONAL) return true;
  return buf_fail(p->error, "the result needs pass '%s': it cannot be disabled", value);
}

// Help for the command before it, whatever else follows.
static bool set_help(OptionParser *p, const char *value) {
  Options *o = p->options;
  (void)value;
  o->topic = p->verb_given || o->file ? o->command : COMMAND_HELP;
  p->next = p->argc;
  o->command = COMMAND_HELP;
  return true;
}

// "X[,Y[,Z]]". Omitted sizes are 1.
static bool parse_sizes(OptionParser *p, const char *what, const char *value, long long min,
                        int64_t sizes[3]) {
  sizes[0] = sizes[1] = sizes[2] = 1;
  for (int i = 0; i < 3; i++) {
    const char *comma = strchr(value, ',');
    const char *word = comma ? arena_copy(p->arena, (Str){value, (size_t)(comma - value)}) : value;
    long long size;
    if (!parse_number(p, what, word, min, INT64_MAX, &size)) return false;
    sizes[i] = size;
    if (!comma) return true;
    value = comma + 1;
  }
  return buf_fail(p->error, "%s has at most three sizes", what);
}

// Digits, commas, and a sign where a number begins.
static bool is_numbers(const char *text) {
  for (const char *at = text; *at; at++) {
    bool begins = at == text || at[-1] == ',';
    if (!(*at >= '0' && *at <= '9') && *at != ',' && !(begins && (*at == '-' || *at == '+'))) return false;
  }
  return true;
}

// Numbers, or expressions over the kernel's parameters. Those are evaluated once the kernel is known.
static bool set_grid(OptionParser *p, const char *value) {
  p->options->grid_text = NULL;
  p->options->grid_given = is_numbers(value);
  if (p->options->grid_given) return parse_sizes(p, "--grid", value, INT64_MIN, p->options->grid);
  p->options->grid_text = value;
  return true;
}

static bool set_threads(OptionParser *p, const char *value) {
  int64_t sizes[3];
  if (!parse_sizes(p, "--threads", value, 1, sizes)) return false;
  enum { MOST = BLOCK_MAX_THREADS };
  for (int i = 0; i < 3; i++) p->options->threads[i] = sizes[i] > MOST ? MOST + 1 : (uint32_t)sizes[i];
  if (sizes[0] <= MOST && sizes[1] <= MOST && sizes[2] <= BLOCK_MAX_Z &&
      sizes[0] * sizes[1] * sizes[2] <= MOST)
    return true;
  return buf_fail(p->error, "a CTA has at most %d threads", MOST);
}

static bool set_buffer(OptionParser *p, const char *value) {
  NamedText named;
  if (!option_split_named(p, "--buffer", value, &named)) return false;
  vec_push(p->arena, &p->options->buffers, named);
  return true;
}

static bool set_allow_uncompared(OptionParser *p, const char *value) {
  return expect_share(value, &p->options->allow_uncompared, p->error);
}

static bool set_expect(OptionParser *p, const char *value) {
  Expectation expectation;
  if (!expect_parse(p->arena, value, &expectation, p->error)) return false;
  vec_push(p->arena, &p->options->expectations, expectation);
  return true;
}

static bool set_timeout(OptionParser *p, const char *value) {
  char *end;
  p->options->timeout = strtod(value, &end);
  p->options->timeout_given = true;
  if (end != value && !*end && p->options->timeout >= 0 && p->options->timeout < 1e9) return true;
  return buf_fail(p->error, "--timeout takes seconds, not '%s'", value);
}

static bool set_save(OptionParser *p, const char *value) {
  NamedText named;
  if (!option_split_named(p, "--save", value, &named)) return false;
  vec_push(p->arena, &p->options->saves, named);
  return true;
}

static bool set_print(OptionParser *p, const char *value) {
  vec_push(p->arena, &p->options->prints, value);
  return true;
}

// ---- effects ----

// Hosts are little-endian: the first bytes are the lowest.
static void store(Options *o, const OptionField *field, long long value) {
  memcpy((char *)o + field->at, &value, field->size);
}

static bool set_number(OptionParser *p, const OptionInfo *info, const char *value) {
  const char *what = info->name[0] ? info->name : info->short_name;
  const OptionEffect *effect = &info->effect;
  long long number;
  if (!parse_number(p, what, value, effect->min, effect->max, &number)) return false;
  store(p->options, &effect->field, number);
  if (!effect->power || (number & (number - 1)) == 0) return true;
  return buf_fail(p->error, "%s must be a power of two, not %s", what, value);
}

static bool set_choice(OptionParser *p, const OptionInfo *info, const char *value) {
  long long choice;
  if (!parse_choice(p, info->name, value, info->effect.names, &choice)) return false;
  store(p->options, &info->effect.field, choice);
  return true;
}

bool option_set(OptionParser *p, const OptionInfo *info, const char *value) {
  const OptionEffect *effect = &info->effect;
  bool good;
  if (effect->range && option_set_range(p, info, value, &good)) return good;
  if (effect->given.size) store(p->options, &effect->given, true);
  switch (effect->kind) {
  case OPTION_VALUE: store(p->options, &effect->field, effect->min); return true;
  case OPTION_TEXT: memcpy((char *)p->options + effect->field.at, &value, sizeof value); return true;
  case OPTION_NUMBER: return set_number(p, info, value);
  case OPTION_CHOICE: return set_choice(p, info, value);
  case OPTION_OWN: return effect->set(p, value);
  }
  return false;
}

#define FIELD(f)                                                                                             \
  { offsetof(Options, f), sizeof((Options){0}.f) }
#define VALUE(f, value)        .kind = OPTION_VALUE, .field = FIELD(f), .min = (value),
#define FLAG(f)                VALUE(f, true)
#define TEXT(f)                .kind = OPTION_TEXT, .field = FIELD(f),
#define NUMBER(f, least, most) .kind = OPTION_NUMBER, .field = FIELD(f), .min = (least), .max = (most),
#define NAMES(f, words)        .kind = OPTION_CHOICE, .field = FIELD(f), .names = (words),
#define CHOICE(f, ...)         NAMES(f, ((const char *const[]){__VA_ARGS__, NULL}))
#define OWN(function)          .kind = OPTION_OWN, .set = function,
#define GIVEN(f)               .given = FIELD(f),
#define POWER                  .power = true,
#define RANGE(name)            .range = (name),

static const OptionInfo infos[] = {
#define X(id, name, short_name, value, commands, effect, help)                                               \
  {name, short_name, value, commands, help, {effect}},
#include "tools/options/options.def"
#undef X
};

const OptionInfo *option_infos(size_t *count) {
  *count = sizeof infos / sizeof *infos;
  return infos;
}
