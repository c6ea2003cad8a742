// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output of tilec tune: progress on a terminal, and the configurations, best first, as text or JSON.
#include <stdio.h>
#include <unistd.h>

#include "base/json.h"
#include "tools/tune/tune_tool.h"

enum { TOLD = 10, BAR = 20, REASONS = 5 };

// A blank and the word, quoted for a shell where that is needed.
static void put_word(const char *word, Buf *out) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  buf_char(out, ' ');
  if (!word[strspn(word, plain)]) {
    buf_text(out, word);
    return;
  }
  buf_char(out, '\'');
  for (; *word; word++)
    if (*word == '\'')
      buf_text(out, "'\\''");
    else
      buf_char(out, *word);
  buf_char(out, '\'');
}

static void put_define(const char *name, const char *text, Buf *out) {
  Buf word = {0};
  buf_printf(&word, "%s=%s", name, text);
  buf_text(out, " -D");
  put_word(word.at, out);
  buf_free(&word);
}

// An option that the command line gives one value.
static void put_given(const Candidate *c, const char *name, const char *option, bool given, uint32_t value,
                      Buf *out) {
  for (uint32_t i = 0; i < c->setting_count; i++)
    given &= !(c->settings[i].is_option && strcmp(c->settings[i].name, name) == 0);
  if (given) buf_printf(out, " %s %u", option, value);
}

// As command-line words, with what the command line gives one value. The ranges' first values, last in the defines, are
// left out.
static void put_words(const Candidate *c, const Options *o, Buf *out) {
  uint32_t defines = o->defines.n;
  for (uint32_t i = 0; i < o->ranges.n; i++) defines -= !o->ranges.at[i].is_option;
  for (uint32_t i = 0; i < defines; i++) {
    buf_text(out, " -D");
    put_word(o->defines.at[i], out);
  }
  for (uint32_t i = 0; i < c->setting_count; i++) {
    const TuneSetting *s = &c->settings[i];
    const char *option = strcmp(s->name, "num_warps") == 0    ? "--num-warps"
                         : strcmp(s->name, "num_stages") == 0 ? "--num-stages"
                                                              : "--maxnreg";
    if (s->is_option)
      buf_printf(out, " %s %s", option, s->text);
    else
      put_define(s->name, s->text, out);
  }
  put_given(c, "num_warps", "--num-warps", o->num_warps_given, o->target.num_warps, out);
  put_given(c, "num_stages", "--num-stages", o->num_stages_given, o->target.num_stages, out);
  put_given(c, "maxnreg", "--maxnreg", o->maxnreg_given, o->target.maxnreg, out);
}

int tune_progress(void *data, const tilec_tune_progress *p) {
  static const char *const steps[] = {"predicted", "compiled", "measured"};
  (void)data;
  if (!isatty(STDERR_FILENO) || !p->all) return 0;
  Buf line = {0};
  buf_text(&line, "\r\x1b[K[");
  for (size_t i = 0; i < BAR; i++) buf_char(&line, i * p->all < p->done * BAR ? '#' : '.');
  buf_printf(&line, "] %s %zu of %zu, about %.0f s left", steps[p->step], p->done, p->all, p->seconds_left);
  if (p->best) buf_printf(&line, "; best %.2f us: %s", p->best_seconds * 1e6, p->best);
  fwrite(line.at, 1, line.n, stderr);
  buf_free(&line);
  return 0;
}

void tune_progress_end(void) {
  if (isatty(STDERR_FILENO)) fputs("\r\x1b[K", stderr);
}

static uint32_t failed(const Tuning *t) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->count; i++) n += t->all[i].error != NULL;
  return n;
}

static uint32_t measured(const Tuning *t) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->count; i++) n += t->all[i].measured;
  return n;
}

static const char *timed(const Tuning *t) {
  return t->on_gpu ? "gpu" : t->on_simulator ? "simulator" : "evaluator";
}

static void put_time(double seconds, bool known, Buf *out) {
  if (known)
    buf_printf(out, "%10.2f us", seconds * 1e6);
  else
    buf_printf(out, "%13s", "-");
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// True if the texts differ only in their numbers.
static bool same_reason(const char *a, const char *b) {
  while (*a && *b) {
    if (is_digit(*a) && is_digit(*b)) {
      a += strspn(a, "0123456789");
      b += strspn(b, "0123456789");
    } else if (*a++ != *b++) {
      return false;
    }
  }
  return *a == *b;
}

// One line per reason: how often, and its first configuration.
static void put_errors(const Tuning *t, Buf *out) {
  uint32_t told = 0, others = 0;
  for (uint32_t i = 0; i < t->count; i++) {
    const Candidate *c = &t->all[i];
    uint32_t n = 0, before = 0;
    for (uint32_t j = 0; c->error && j < t->count; j++) {
      bool same = t->all[j].error && same_reason(t->all[j].error, c->error);
      n += same;
      before += same && j < i;
    }
    if (!n || before) continue;
    if (told++ >= REASONS)
      others += n;
    else if (n == 1)
      buf_printf(out, "not possible: %s: %s\n", c->text, c->error);
    else
      buf_printf(out, "not possible, %u such as %s: %s\n", n, c->text, c->error);
  }
  if (others) buf_printf(out, "not possible, %u for other reasons: --format=json has all\n", others);
}

void tune_text(const Tuning *t, const Run *run, Buf *out) {
  uint32_t n = t->ranked_count < TOLD ? t->ranked_count : TOLD, bad = failed(t);
  buf_printf(out, "%s: %u configuration%s", t->kernel, t->count, t->count == 1 ? "" : "s");
  if (bad) buf_printf(out, ", %u not possible", bad);
  if (!run->options->predict) buf_printf(out, "; %u measured on %s", measured(t), t->device);
  buf_printf(out, "%s\n", t->interrupted ? "; interrupted" : "");
  if (!run->options->predict && strcmp(timed(t), "gpu") != 0)
    buf_printf(out, "the %s's own time on this CPU: it says nothing of the kernel's time on a GPU\n",
               timed(t));
  for (uint32_t i = 0; i < t->remarks.n; i++) buf_printf(out, "%s\n", t->remarks.at[i]);
  const TargetInfo *arch = t->arch;
  if (n && !t->ranked[0]->time.known)
    buf_printf(out, "no time is predicted for %s, and configurations keep the order that was given\n",
               arch->card[0] ? arch->card : arch->name);
  if (n) buf_text(out, "    predicted     measured  bound by           configuration\n");
  for (uint32_t i = 0; i < n; i++) {
    const Candidate *c = t->ranked[i];
    put_time(c->time.seconds, c->time.known, out);
    put_time(c->seconds, c->measured, out);
    buf_printf(out, "  %-17s  ", c->time.known ? cost_bound_name(c->time.bottleneck) : "-");
    buf_printf(out, "%s\n", c->text);
  }
  if (n < t->ranked_count)
    buf_printf(out, "the best %u of %u are listed: --format=json has all\n", n, t->ranked_count);
  if (bad) put_errors(t, out);
  if (!n) return;
  const Candidate *best = t->ranked[0];
  buf_text(out, best->measured     ? "best:"
                : best->time.known ? "best, as predicted:"
                                   : "the first, as no time is predicted:");
  put_words(best, run->options, out);
  buf_text(out, t->kept ? "\nkept for launches, bench and code for such arguments\n" : "\n");
}

static void put_candidate(const Candidate *c, const char *name, Json *json) {
  json_object(json, name);
  json_object(json, "settings");
  for (uint32_t i = 0; i < c->setting_count; i++) json_text(json, c->settings[i].name, c->settings[i].text);
  json_object_end(json);
  if (c->error) {
    json_text(json, "error", c->error);
  } else {
    if (c->time.known) json_rounded(json, "predicted", c->time.seconds, 6);
    if (!c->time.known) json_null(json, "predicted");
    json_text(json, "bottleneck", cost_bound_name(c->time.bottleneck));
    json_object(json, "bounds");
    for (int b = 0; b < BOUND_COUNT; b++)
      json_rounded(json, cost_bound_name((CostBound)b), c->time.bounds[b], 4);
    json_rounded(json, "copies", c->time.copies, 4);
    json_object_end(json);
    json_uint(json, "registers", c->registers);
    json_uint(json, "shared_bytes", c->shared_bytes);
    json_uint(json, "blocks", c->blocks);
  }
  if (c->measured) {
    json_rounded(json, "measured", c->seconds, 6);
    json_uint(json, "rounds", c->rounds);
  }
  json_object_end(json);
}

void tune_json(const Tuning *t, Buf *out) {
  Json json = {.out = out};
  json_object(&json, NULL);
  json_text(&json, "kernel", t->kernel);
  json_text(&json, "device", t->device);
  json_text(&json, "arch", t->arch->name);
  json_text(&json, "time_of", timed(t));
  json_uint(&json, "configurations", t->count);
  json_uint(&json, "failed", failed(t));
  json_uint(&json, "measured", measured(t));
  json_bool(&json, "interrupted", t->interrupted);
  json_bool(&json, "kept", t->kept);
  json_array(&json, "remarks");
  for (uint32_t i = 0; i < t->remarks.n; i++) json_text(&json, NULL, t->remarks.at[i]);
  json_array_end(&json);
  if (t->ranked_count) put_candidate(t->ranked[0], "best", &json);
  json_array(&json, "ranked");
  for (uint32_t i = 0; i < t->ranked_count; i++) put_candidate(t->ranked[i], NULL, &json);
  json_array_end(&json);
  json_array(&json, "failures");
  for (uint32_t i = 0; i < t->count; i++)
    if (t->all[i].error) put_candidate(&t->all[i], NULL, &json);
  json_array_end(&json);
  json_object_end(&json);
  buf_char(out, '\n');
}
