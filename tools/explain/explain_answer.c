// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report's first line: time, bottleneck, and the one change to try with its gain.
#include <string.h>

#include "tools/explain/explain.h"

static const double least_share = 0.01;   // Part of the time or a total. Less is no answer.
static const double least_retune = 0.02;  // A faster configuration must gain this, if no loss explains it.
static const double same_time = 1.02;     // Times the best time. Fewer changes are better.
static const double much_slower = 1.1;    // Times the best time. More changes are better.
static const double prefer_loss = 0.5;    // Part of the largest gain. A named flaw is better.
static const double prefer_what_if = 0.8; // Part of a loss's gain. A predicted configuration is better.
static const double large = 0.5;    // Part of the time above the least. A loss is named without a change.
static const double explains = 0.3; // Part of a configuration's gain. The loss is the reason for it.

const char *explain_duration(Arena *arena, double seconds) {
  return seconds < 1e-3 ? arena_printf(arena, "%.1f us", 1e6 * seconds)
                        : arena_printf(arena, "%.2f ms", 1e3 * seconds);
}

double explain_floor(const Explanation *e) {
  const CostReport *r = e->model;
  const CostTime *time = &r->time;
  if (!time->known) return 0;
  double once = r->memory > 0 ? (r->memory - r->again) / r->memory : 1,
         memory = once * time->bounds[BOUND_MEMORY], tensor = time->bounds[BOUND_TENSOR] / time->tail;
  return time->launch + (memory > tensor ? memory : tensor);
}

// A configuration avoids a loss only if it changes what causes it. loss NULL: any configuration.
static bool relieves(const Explanation *e, const WhatIf *one, const Loss *loss) {
  static const double less = 0.95; // of the memory's time
  double now = (double)e->model->programs;
  if (!loss) return true;
  if (loss->saving.memory > 0 && one->memory > less * e->model->time.bounds[BOUND_MEMORY]) return false;
  return loss->programs == PROGRAMS_ANY ||
         (loss->programs == PROGRAMS_MORE ? one->programs > now : one->programs != now);
}

// Among the configurations that change `knobs`, and perhaps `others`. The fastest ones come first.
static const WhatIf *best_of(const Explanation *e, uint32_t knobs, uint32_t others, const Loss *loss) {
  const WhatIf *best = NULL;
  double least = 0;
  for (uint32_t i = 0; i < e->what_if.n; i++) {
    const WhatIf *one = &e->what_if.at[i];
    if (!(one->knobs & knobs) || one->knobs & ~(knobs | others) || !relieves(e, one, loss)) continue;
    if (!best) least = one->seconds;
    if (one->seconds > (1 - least_share) * e->model->time.seconds || one->seconds > same_time * least) break;
    if (!best || one->changes < best->changes) best = one;
  }
  return best;
}

static const WhatIf *best_what_if(const Explanation *e, uint32_t knobs, const Loss *loss, double *gain) {
  const WhatIf *best = best_of(e, knobs, 0, loss), *other = best_of(e, knobs, UINT32_MAX, loss);
  if (other && (!best || best->seconds > much_slower * other->seconds)) best = other;
  *gain = best ? e->model->time.seconds - best->seconds : 0;
  return best;
}

// The configuration that avoids the loss, with fewest changes of those that are as fast as the best. It changes
// settings besides the loss's only if it is much faster so. `saved`: seconds without the loss. NULL: none gains 1 %, or
// the loss is not the reason for the gain.
static const WhatIf *what_if_of(const Explanation *e, const Loss *loss, double saved, double *gain) {
  const WhatIf *found = best_what_if(e, loss->knobs, loss, gain);
  return saved < explains * *gain ? NULL : found;
}

// --- flaws: the losses of one kind

static bool is_first_of_kind(const Explanation *e, uint32_t at) {
  for (uint32_t i = 0; i < at; i++)
    if (strcmp(e->losses.at[i].kind, e->losses.at[at].kind) == 0) return false;
  return true;
}

static void add_line(const Explanation *e, Answer *answer, Loc loc) {
  for (uint32_t i = 0; i < answer->lines.n; i++)
    if (answer->lines.at[i].line == loc.line && answer->lines.at[i].file == loc.file) return;
  if (!loc.line) return;
  vec_push(e->run->arena, &answer->lines, loc);
  for (uint32_t i = answer->lines.n - 1; i && answer->lines.at[i - 1].line > loc.line; i--)
    answer->lines.at[i] = answer->lines.at[i - 1], answer->lines.at[i - 1] = loc;
}

static double gain_of(const Explanation *e, const CostSaving *saving, double counted) {
  double share;
  return e->model->time.known ? cost_saving(e->model, saving, &share) : counted;
}

// Losses that only another configuration can avoid.
static bool needs_what_if(const Loss *loss) {
  static const char *const kinds[] = {
      "large tiles",    "tail",           "too few programs", "too few stages",
      "bank conflicts", "not prefetched", "waits for memory", NULL};
  return str_is_one_of(loss->kind, kinds);
}

// True if only another configuration avoids the loss, and such ones were tried. Then none gains 1 % if what_if_of
// finds none.
static bool is_refuted(const Explanation *e, const Loss *loss) {
  bool searched = (e->searched & loss->knobs & (uint32_t)~KNOB_WARPS) != 0;
  return searched && (needs_what_if(loss) || loss->only_knobs) && !loss->by_code;
}

static Answer answer_of_kind(const Explanation *e, uint32_t at) {
  const Loss *loss = &e->losses.at[at];
  Answer answer = {.flaw = loss->kind, .change = loss->fix, .loss = loss};
  CostSaving saving = {0};
  double counted = 0, gain;
  for (uint32_t i = at; i < e->losses.n; i++) {
    const Loss *other = &e->losses.at[i];
    if (strcmp(other->kind, loss->kind) != 0) continue;
    explain_add_saving(&saving, &other->saving);
    counted += other->counted;
    add_line(e, &answer, other->loc);
  }
  answer.gain = gain_of(e, &saving, counted) - loss->parts;
  if (!loss->knobs || !e->model->time.known) return answer;
  const WhatIf *found = what_if_of(e, loss, answer.gain, &gain);
  bool by_code = loss->by_code && answer.gain > gain;
  if (found && !by_code && (needs_what_if(loss) || loss->only_knobs || gain >= prefer_what_if * answer.gain))
    answer.what_if = found, answer.change = found->text, answer.gain = gain;
  else if (is_refuted(e, loss))
    answer.gain = 0;
  return answer;
}

// --- advice whose gain is predicted by compiling again

// The advice begins with a configuration that avoids the loss.
static void try_what_if(const Explanation *e, Loss *loss) {
  Arena *arena = e->run->arena;
  double gain;
  const WhatIf *found = what_if_of(e, loss, loss->seconds, &gain);
  if (loss->by_code && loss->seconds > gain) return;
  if (found)
    loss->change =
        arena_printf(arena, "%s: %s predicted, %s less; %s", found->text,
                     explain_duration(arena, found->seconds), explain_duration(arena, gain), loss->change);
  else if (loss->knobs == KNOB_STAGES && e->searched & KNOB_STAGES)
    loss->what = arena_printf(arena, "%s; another --num-stages is predicted to gain nothing", loss->what);
  else if (is_refuted(e, loss))
    loss->change =
        arena_printf(arena, "no change is known: of %u other configurations none gains 1 %% by avoiding this",
                     e->what_if.n);
}

static void try_tf32(const Explanation *e, Loss *loss) {
  const CostTime *time = &e->model->time;
  double seconds = time->known ? explain_predict(e->run, "--fp32-dot", "tf32") : 0;
  double gain = time->seconds - seconds;
  Arena *arena = e->run->arena;
  if (seconds <= 0) return;
  if (gain >= least_share * time->seconds)
    loss->change = arena_printf(
        arena, "--fp32-dot tf32 (tensor cores multiply, with less precision): %s predicted, %s less; %s",
        explain_duration(arena, seconds), explain_duration(arena, gain), loss->change);
  else
    loss->what = arena_printf(arena, "%s; --fp32-dot tf32 is predicted to gain nothing", loss->what);
}

void explain_try(const Explanation *e, Loss *loss, bool compiles) {
  if (loss->knobs) try_what_if(e, loss);
  if (loss->tf32 && compiles) try_tf32(e, loss);
}

// --- other configurations

static const char *flaw_of_retuning(const Explanation *e, const WhatIf *found) {
  const CostReport *r = e->model;
  bool larger = found->growth > 1;
  if (found->knobs == KNOB_WARPS) return "number of warps";
  if (found->knobs == KNOB_STAGES) return "number of stages";
  switch (r->time.bottleneck) {
  case BOUND_L2:
  case BOUND_SHARED:
  case BOUND_TENSOR: return larger ? "small tiles" : r->time.tail > 1.1 ? "tail" : "tile sizes";
  case BOUND_LATENCY:
  case BOUND_TURNS:
    return 2 * r->occupancy.warps < r->func->module->target.arch->warps ? "low occupancy"
                                                                        : "few bytes in flight";
  case BOUND_SPILLS: return "large tiles";
  case BOUND_MEMORY:
  case BOUND_ISSUE:
  case BOUND_FMA:
  case BOUND_FP64:
  case BOUND_MUFU:
  case BOUND_ATOMICS:
  case BOUND_LINK:
  case BOUND_COUNT: break;
  }
  return larger ? "small tiles" : "configuration";
}

// A loss of a line that takes most of the time above the least is named, if no change is known that gains.
static Answer without_change(const Explanation *e) {
  double seconds = e->model->time.seconds;
  const Loss *loss = e->losses.at;
  if (!e->model->time.known || !e->losses.n || !loss->loc.line || loss->seconds < least_share * seconds ||
      loss->seconds < large * (seconds - explain_floor(e)))
    return (Answer){0};
  Answer answer = {.flaw = loss->kind, .loss = loss};
  add_line(e, &answer, loss->loc);
  return answer;
}

void explain_answer(Explanation *e) {
  const CostTime *time = &e->model->time;
  Answer best = {0};
  double gain, whole = time->known ? time->seconds : 1;
  for (uint32_t i = 0; i < e->losses.n; i++) {
    if (!is_first_of_kind(e, i)) continue;
    Answer answer = answer_of_kind(e, i);
    bool same =
        best.what_if && answer.what_if == best.what_if && strcmp(answer.flaw, "too few programs") == 0;
    if (answer.gain >= least_share * whole && (answer.gain > best.gain || same)) best = answer;
  }
  const WhatIf *found = best_what_if(e, KNOB_TILE | KNOB_WARPS | KNOB_STAGES, NULL, &gain);
  if (found && gain >= least_retune * whole && best.gain < prefer_loss * gain)
    best =
        (Answer){.flaw = flaw_of_retuning(e, found), .change = found->text, .what_if = found, .gain = gain};
  e->answer = best.flaw ? best : without_change(e);
}

// --- as text

static const char *lines_text(const Explanation *e) {
  enum { MOST = 3 };
  const Answer *answer = &e->answer;
  const char *text = "";
  for (uint32_t i = 0; i < answer->lines.n && i < MOST; i++)
    text = arena_printf(e->run->arena, "%s%s%u", text,
                        i                     ? ", "
                        : answer->lines.n > 1 ? " (lines "
                                              : " (line ",
                        answer->lines.at[i].line);
  return !*text ? "" : arena_printf(e->run->arena, "%s%s)", text, answer->lines.n > MOST ? ", ..." : "");
}

static const char *without_time(const Explanation *e) {
  const Answer *answer = &e->answer;
  Arena *arena = e->run->arena;
  const char *chip = e->model->func->module->target.arch->name;
  if (!answer->flaw)
    return arena_printf(arena, "no time is predicted for %s; no waste of 1 %% was found", chip);
  const char *of = answer->loss->counted_of;
  return arena_printf(arena, "no time is predicted for %s; %s%s%s. Try %s", chip, answer->flaw, lines_text(e),
                      of ? arena_printf(arena, ": %.0f %% of all %s", 100 * answer->gain, of) : "",
                      answer->change);
}

const char *explain_headline(const Explanation *e) {
  const CostTime *time = &e->model->time;
  const Answer *answer = &e->answer;
  Arena *arena = e->run->arena;
  if (!time->known) return without_time(e);
  const char *head = arena_printf(arena, "%s, limited by %s", explain_duration(arena, time->seconds),
                                  cost_bound_name(time->bottleneck));
  const char *flaw = answer->flaw ? arena_printf(arena, ": %s%s", answer->flaw, lines_text(e)) : "";
  if (!answer->change)
    return arena_printf(arena, "%s%s; the work needs %s at least, and %s", head, flaw,
                        explain_duration(arena, explain_floor(e)),
                        e->tried ? "no change was found that gains 1 %"
                                 : "other configurations were not tried");
  const char *left = explain_duration(arena, time->seconds - answer->gain);
  const Loss *loss = answer->loss;
  const char *given = loss && loss->assumes                   ? loss->assumes
                      : loss && loss->knobs && !loss->by_code ? "without this loss"
                                                              : "with the same numbers of programs and warps";
  return arena_printf(arena, "%s%s. Try %s: %s%s%s, %.0f %% less", head, flaw, answer->change, left,
                      answer->what_if ? "" : " ", answer->what_if ? "" : given,
                      100 * answer->gain / time->seconds);
}
