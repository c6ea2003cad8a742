// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Other configurations of the same launch, predicted by the model of tilec tune. A round changes one or two
// settings of the best configuration so far: tile sizes (constexprs that are powers of two), warps and stages.
// A configuration counts only if it reads, writes and multiplies as much, so that a constexpr that is no tile
// size is not advised.
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "tools/explain/explain.h"
#include "tools/tune/tune_tool.h"

enum { MAX_KNOBS = 8, MAX_ROUND = 40, ROUNDS = 4, LARGEST_TILE = 1 << 16 };
static const double near_floor = 1.1; // times the least time: nothing more is searched
static const double least_gain = 0.02, least_effect = 0.005;

typedef struct Knob {
  const char *name;
  ExplainKnob kind;
  bool live;       // a change of it has changed the time
  bool works;      // Another value alone does the same work.
  bool less, more; // A smaller one, a larger one does other work.
} Knob;

typedef struct Values {
  int64_t of[MAX_KNOBS];
} Values;

typedef struct Search {
  Explanation *e;
  Knob knobs[MAX_KNOBS];
  uint32_t knob_count;
  Values launch, best;
  double best_seconds;
  VEC(Values) seen;
  Values round[MAX_ROUND];
  uint32_t round_count;
  tilec_program *program;
  const char *card;
} Search;

static bool is_power(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

static void add_knob(Search *s, const char *name, ExplainKnob kind, int64_t value) {
  if (s->knob_count == MAX_KNOBS) return;
  s->launch.of[s->knob_count] = value;
  s->knobs[s->knob_count++] = (Knob){name, kind, true, false, false, false};
}

static void find_knobs(Search *s) {
  const Func *func = s->e->model->func;
  const Target *target = &func->module->target;
  add_knob(s, "num_warps", KNOB_WARPS, target->num_warps);
  add_knob(s, "num_stages", KNOB_STAGES, target->num_stages);
  for (uint32_t i = 0; i < func->constexpr_count; i++) {
    const Constexpr *one = &func->constexprs[i];
    if (one->value.kind == CONST_INT && is_power(one->value.i) && one->value.i <= LARGEST_TILE)
      add_knob(s, one->name, KNOB_TILE, one->value.i);
  }
  s->best = s->launch;
}

// --- the next configurations

static bool in_range(const Knob *knob, int64_t value) {
  int64_t most = knob->kind == KNOB_WARPS    ? NUM_WARPS_MAX
                 : knob->kind == KNOB_STAGES ? NUM_STAGES_MAX
                                             : LARGEST_TILE;
  return value >= 1 && value <= most;
}

static bool is_seen(const Search *s, const Values *values) {
  for (uint32_t i = 0; i < s->seen.n; i++)
    if (memcmp(&s->seen.at[i], values, sizeof *values) == 0) return true;
  return false;
}

static void add_values(Search *s, Values values) {
  for (uint32_t i = 0; i < s->knob_count; i++)
    if (!in_range(&s->knobs[i], values.of[i])) return;
  if (s->round_count == MAX_ROUND || is_seen(s, &values)) return;
  vec_push(s->e->run->arena, &s->seen, values);
  s->round[s->round_count++] = values;
}

// The best configuration with knob i times up / down, and the warps times more.
static void add_scaled(Search *s, uint32_t i, int64_t up, int64_t down, int64_t more) {
  Values values = s->best;
  enum { WARPS = 0 };
  values.of[i] = values.of[i] * up / down;
  if (values.of[i] * down != s->best.of[i] * up) return;
  values.of[WARPS] = more > 0 ? values.of[WARPS] * more : values.of[WARPS] / -more;
  add_values(s, values);
}

static void add_stages(Search *s, uint32_t i) {
  static const int64_t steps[] = {-1, 1, 2, 3};
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
    Values values = s->best;
    if (steps[k] > 1 && values.of[i] > 1) break;
    values.of[i] += steps[k];
    add_values(s, values);
  }
}

static void add_round(Search *s) {
  bool wide = s->best_seconds > near_floor * explain_floor(s->e);
  s->round_count = 0;
  for (uint32_t i = 0; i < s->knob_count; i++) {
    if (!s->knobs[i].live) continue;
    if (s->knobs[i].kind == KNOB_STAGES) {
      add_stages(s, i);
      continue;
    }
    add_scaled(s, i, 1, 2, 1), add_scaled(s, i, 2, 1, 1);
    if (s->knobs[i].kind != KNOB_TILE || !wide) continue;
    add_scaled(s, i, 1, 4, 1), add_scaled(s, i, 4, 1, 1);
    add_scaled(s, i, 2, 1, 2), add_scaled(s, i, 1, 2, -2);
  }
}

// --- predicting a round

// Tiles that reach over an edge multiply and read more. The stored values are the same, except for sampled programs.
static bool same_work(const TuneWork *a, const TuneWork *b) {
  static const double least = 0.98, most = 1.3, most_written = 1.02;
  return b->flops >= least * a->flops && b->flops <= most * a->flops && b->read >= least * a->read &&
         b->read <= most * a->read && b->written >= least * a->written &&
         b->written <= most_written * a->written && (b->outside <= 0 || a->outside > 0);
}

// The only tile size in which the values differ from the launch. NULL: none or several.
static Knob *only_tile(Search *s, const Values *values) {
  Knob *only = NULL;
  for (uint32_t k = 0; k < s->knob_count; k++) {
    if (s->knobs[k].kind != KNOB_TILE || values->of[k] == s->launch.of[k]) continue;
    if (only) return NULL;
    only = &s->knobs[k];
  }
  return only;
}

static WhatIf what_if_of(const Search *s, const Values *values, const Candidate *c) {
  Arena *arena = s->e->run->arena;
  WhatIf found = {.seconds = c->time.seconds,
                  .bottleneck = c->time.bottleneck,
                  .registers = c->registers,
                  .shared_bytes = c->shared_bytes,
                  .blocks = c->blocks,
                  .programs = c->programs,
                  .memory = c->time.bounds[BOUND_MEMORY],
                  .latency = c->time.bounds[BOUND_LATENCY],
                  .growth = 1,
                  .text = ""};
  for (uint32_t k = s->knob_count; k-- > 0;) { // tile sizes first
    const Knob *knob = &s->knobs[k];
    if (values->of[k] == s->launch.of[k]) continue;
    bool tile = knob->kind == KNOB_TILE;
    if (tile) found.growth *= (double)values->of[k] / (double)s->launch.of[k];
    const char *option = knob->kind == KNOB_WARPS ? "--num-warps " : "--num-stages ";
    const char *one = arena_printf(arena, "%s%s%lld", tile ? knob->name : option, tile ? "=" : "",
                                   (long long)values->of[k]);
    found.text = !*found.text ? one
                 : tile       ? arena_printf(arena, "%s %s", one, found.text) // in the order of the source
                              : arena_printf(arena, "%s %s", found.text, one);
    found.knobs |= (uint32_t)knob->kind;
    found.changes++;
  }
  return found;
}

// The list of a round, as tune takes it. Only what differs from the launch is set, and all tile sizes.
static tilec_tune_listed listed_of(const Search *s, const Values *values) {
  Arena *arena = s->e->run->arena;
  tilec_tune_range *settings = ARENA_ARRAY(arena, tilec_tune_range, MAX_KNOBS);
  tilec_tune_listed listed = {.settings = settings};
  const Spec *spec = &s->e->run->spec;
  bool autotuned = s->e->run->configuration != NULL;
  for (uint32_t k = 0; k < s->knob_count; k++) {
    const Knob *knob = &s->knobs[k];
    bool given = knob->kind == KNOB_TILE || autotuned ||
                 (knob->kind == KNOB_WARPS ? spec->num_warps_given : spec->num_stages_given);
    if (!given && values->of[k] == s->launch.of[k]) continue;
    const char **text = ARENA_ARRAY(arena, const char *, 1);
    *text = arena_printf(arena, "%lld", (long long)values->of[k]);
    settings[listed.count++] = (tilec_tune_range){knob->name, knob->kind != KNOB_TILE, text, 1};
  }
  return listed;
}

static bool is_knob(const Search *s, const char *define) {
  for (uint32_t k = 0; k < s->knob_count; k++) {
    size_t n = strlen(s->knobs[k].name);
    if (strncmp(define, s->knobs[k].name, n) == 0 && define[n] == '=') return true;
  }
  return false;
}

static TuneRequest request_of(const Search *s) {
  const Run *run = s->e->run;
  TuneRequest request = tune_request(run, s->program, s->card);
  const char **defines = ARENA_ARRAY(run->arena, const char *, request.define_count + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < request.define_count; i++)
    if (!is_knob(s, request.defines[i])) defines[n++] = request.defines[i];
  request.defines = defines, request.define_count = n;
  request.base.num_warps_given = request.base.num_stages_given = false;
  tilec_tune_listed *list = ARENA_ARRAY(run->arena, tilec_tune_listed, MAX_ROUND);
  for (uint32_t i = 0; i < s->round_count; i++) list[i] = listed_of(s, &s->round[i]);
  request.options.configurations = list;
  request.options.configuration_count = s->round_count;
  request.options.predict = 1;
  return request;
}

// A knob stays live if a change of it alone changes the time.
static void mark_live(Search *s, const Values *from, double seconds, const bool *good, const Tuning *t) {
  for (uint32_t k = 0; k < s->knob_count; k++) {
    bool live = false;
    for (uint32_t i = 0; i < s->round_count; i++) {
      Values same = s->round[i];
      same.of[k] = from->of[k];
      double change = t->all[i].time.seconds / seconds - 1;
      if (good[i] && memcmp(&same, from, sizeof same) == 0)
        live |= change > least_effect || change < -least_effect;
    }
    s->knobs[k].live = live;
  }
}

// False: nothing can be predicted.
static bool predict_round(Search *s) {
  TuneRequest request = request_of(s);
  Tuning *t = NULL;
  Explanation *e = s->e;
  bool known = tuning_make(&request, &t) == TILEC_OK && t->count == s->round_count, good[MAX_ROUND] = {0};
  const Values from = s->best;
  double before = s->best_seconds;
  const TuneWork work = tune_work(e->model);
  for (uint32_t i = 0; known && i < t->count; i++) {
    const Candidate *c = &t->all[i];
    bool known_time = c->predicted && !c->error && c->time.known;
    good[i] = known_time && same_work(&work, &c->work);
    Knob *tile = known_time ? only_tile(s, &s->round[i]) : NULL;
    if (tile && good[i]) tile->works = true;
    bool smaller = tile && s->round[i].of[tile - s->knobs] < s->launch.of[tile - s->knobs];
    if (tile && !good[i]) *(smaller ? &tile->less : &tile->more) = true;
    if (!good[i]) continue;
    WhatIf found = what_if_of(s, &s->round[i], c);
    vec_push(e->run->arena, &e->what_if, found);
    e->searched |= found.knobs;
    if (found.seconds < s->best_seconds) s->best_seconds = found.seconds, s->best = s->round[i];
  }
  if (known) mark_live(s, &from, before, good, t);
  tilec_tuning_free(t);
  return known;
}

static int faster_first(const void *a, const void *b) {
  const WhatIf *x = a, *y = b;
  if (x->seconds != y->seconds) return x->seconds < y->seconds ? -1 : 1;
  if (x->changes != y->changes) return x->changes < y->changes ? -1 : 1;
  return strcmp(x->text, y->text);
}

// --- a grid of numbers

// "cdiv(n, BLOCK)": programs for an integer argument and a tile size that does other work in this grid.
typedef struct Quotient {
  const char *text;
  const Knob *knob;
  uint32_t param;
  int64_t programs;
  bool used; // another axis has the argument
} Quotient;

enum { QUOTIENTS = 32 };

static bool needs_grid(const Knob *knob) { return knob->less || knob->more; }

static uint32_t find_quotients(const Search *s, Quotient *out) {
  const Run *run = s->e->run;
  const Func *func = s->e->model->func;
  uint32_t n = 0;
  for (uint32_t i = 0; i < func->param_count && i < run->bound->count; i++)
    for (uint32_t k = 0; k < s->knob_count && n < QUOTIENTS; k++) {
      int64_t size = (int64_t)run->bound->bits[i], tile = s->launch.of[k];
      if (!needs_grid(&s->knobs[k]) || !type_is_int(func->params[i].type) || size <= 0) continue;
      const char *text = arena_printf(run->arena, "cdiv(%s, %s)", func->params[i].name, s->knobs[k].name);
      out[n++] = (Quotient){text, &s->knobs[k], i, size / tile + (size % tile != 0), false};
    }
  return n;
}

// The quotient of that many programs, if possible of an argument that no other axis has.
static const Quotient *quotient_of(const Quotient *all, uint32_t n, int64_t programs) {
  const Quotient *found = NULL;
  for (uint32_t i = 0; i < n; i++)
    if (all[i].programs == programs && (!found || (found->used && !all[i].used))) found = &all[i];
  return found;
}

// An axis of the grid as one quotient or a product of two. NULL: neither fits.
static const char *axis_text(const Search *s, Quotient *all, uint32_t n, int64_t programs) {
  const Quotient *one = quotient_of(all, n, programs);
  for (uint32_t i = 0; i < n && one; i++) all[i].used |= all[i].param == one->param;
  if (one) return one->text;
  const Quotient *a = NULL, *b = NULL;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = i + 1; j < n; j++) {
      if (all[i].knob == all[j].knob || all[i].programs * all[j].programs != programs) continue;
      if (!a || (a->param == b->param && all[i].param != all[j].param)) a = &all[i], b = &all[j];
    }
  return a ? arena_printf(s->e->run->arena, "%s * %s", a->text, b->text) : NULL;
}

// "--grid 'cdiv(n, BLOCK)'", by the launch's arguments if they have these counts.
static const char *grid_text(const Search *s, const char *example) {
  Arena *arena = s->e->run->arena;
  const int64_t *grid = s->e->run->options->grid;
  Quotient all[QUOTIENTS];
  uint32_t n = find_quotients(s, all);
  const char *text = "";
  bool fits = false;
  for (int d = 0; d < 3 && (d == 0 || grid[d] > 1 || grid[2] > 1); d++) {
    const char *axis = grid[d] > 1 ? axis_text(s, all, n, grid[d]) : NULL;
    fits |= axis != NULL;
    if (!axis) axis = arena_printf(arena, "%lld", (long long)grid[d]);
    text = arena_printf(arena, "%s%s%s", text, d ? ", " : "", axis);
  }
  return fits ? arena_printf(arena, "write --grid '%s'", text)
              : arena_printf(arena, "write an expression, as in --grid 'cdiv(n, %s)'", example);
}

// Says which tile sizes were not tried because the grid does not follow them, and what to write.
static const char *fixed_grid(const Search *s) {
  Arena *arena = s->e->run->arena;
  const char *names = "", *example = NULL;
  for (uint32_t k = 0; k < s->knob_count; k++) {
    if (!needs_grid(&s->knobs[k])) continue;
    const Knob *knob = &s->knobs[k];
    const char *which = !knob->works || (knob->less && knob->more) ? "other"
                        : knob->less                               ? "smaller"
                                                                   : "larger";
    names = arena_printf(arena, "%s%s%s values of %s", names, *names ? ", " : "", which, knob->name);
    if (!example) example = knob->name;
  }
  if (!example || !s->e->run->options->grid_given) return NULL;
  return arena_printf(arena, "not tried: %s, which a grid of numbers does not follow; %s", names,
                      grid_text(s, example));
}

void explain_search(Explanation *e) {
  const Run *run = e->run;
  const CostTime *time = &e->model->time;
  if (!time->known || run->c->is_tir || run->options->quick || e->given) return;
  Search s = {.e = e, .best_seconds = time->seconds, .card = run->options->card ? e->model->card : NULL};
  find_knobs(&s);
  vec_push(run->arena, &s.seen, s.launch);
  if (tune_program(run, &s.program) != TILEC_OK) return;
  for (int round = 0; round < ROUNDS; round++) {
    double before = s.best_seconds;
    add_round(&s);
    if (!s.round_count || !predict_round(&s)) break;
    if (s.best_seconds > (1 - least_gain) * before || s.best_seconds <= near_floor * explain_floor(e)) break;
  }
  tilec_program_free(s.program);
  e->tried = true;
  e->fixed_grid = fixed_grid(&s);
  if (e->what_if.n) qsort(e->what_if.at, e->what_if.n, sizeof *e->what_if.at, faster_first);
}

double explain_once(const CostTraffic *traffic) {
  return traffic->memory - traffic->again - traffic->written;
}

uint32_t explain_warps_for_row(uint32_t now, const CostTraffic *traffic, uint64_t programs) {
  enum { MAX_REGISTERS = 64 }; // per thread, of 4 bytes
  double row = explain_once(traffic) / (double)programs;
  while (now <= NUM_WARPS_MAX && row > 4.0 * MAX_REGISTERS * 32 * now) now *= 2;
  return now <= NUM_WARPS_MAX ? now : 0;
}
