// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec tune: all configurations are compiled up to the last pass and ranked by the time that the model of cost/ predicts; those ranked
// first are measured.
#include <stdlib.h>

#include "base/math.h"
#include "tools/tune.h"

enum { LEAST_MEASURED = 4, SHARE = 10 };

typedef struct Predicting {
  Tuning *tuning;
  uint32_t done; // atomic
} Predicting;

static void predict_one(void *data, uint32_t i) {
  Predicting *p = data;
  Attempt a = {.tuning = p->tuning, .candidate = &p->tuning->all[i]};
  attempt_compile(&a, true);
  attempt_free(&a);
  uint32_t done = __atomic_add_fetch(&p->done, 1, __ATOMIC_RELAXED);
  tune_progress(p->tuning, "predicted", done, p->tuning->count, NULL);
}

static int by_prediction(const void *x, const void *y) {
  const Candidate *a = *(Candidate *const *)x, *b = *(Candidate *const *)y;
  if (a->time.together != b->time.together) return a->time.together < b->time.together ? -1 : 1;
  return a < b ? -1 : a > b; // as they were given
}

static void rank(Tuning *t) {
  t->ranked = ARENA_ARRAY(t->run->arena, Candidate *, t->count);
  for (uint32_t i = 0; i < t->count; i++)
    if (t->all[i].predicted && !t->all[i].error) t->ranked[t->ranked_count++] = &t->all[i];
  qsort(t->ranked, t->ranked_count, sizeof(Candidate *), by_prediction);
  uint32_t wanted = t->run->options->top ? t->run->options->top : max_u32(LEAST_MEASURED, t->count / SHARE);
  t->measured_count = wanted < t->ranked_count ? wanted : t->ranked_count;
}

static ExitStatus tell(const Tuning *t) {
  const Options *o = t->run->options;
  Buf out = {0};
  if (o->format == FORMAT_JSON)
    tune_json(t, &out);
  else
    tune_text(t, &out);
  bool good = tool_write(o->output ? o->output : "-", buf_view(&out));
  buf_free(&out);
  return good ? EXIT_DONE : EXIT_DIAGNOSED;
}

// The first error stands for all.
static ExitStatus nothing_left(const Tuning *t) {
  for (uint32_t i = 0; i < t->count; i++)
    if (t->all[i].error)
      return tool_error("none of the %u configurations can be had: %s", t->count, t->all[i].error);
  return tool_error("interrupted before a configuration was looked at");
}

// What can be said of the kernel once for all configurations is wrong or right in the first one.
static bool check_first(Run *run) {
  BoundArgs bound;
  if (run->c->is_tir) return tool_error("tune needs a kernel's source: tile IR has one configuration"), false;
  if (!run->device->needs_ptx)
    return tool_error("tune measures what is compiled: %s runs tile IR as it is", run->device->name), false;
  if (!run->options->predict && strcmp(run->options->device, "auto") == 0 &&
      run->device->kind != &device_cuda)
    return tool_error("there is no GPU to measure on: --predict ranks the configurations without one"), false;
  if (!run_bind(run, &bound)) return false;
  run_specialise(run, &bound);
  return true;
}

// What was begun and not measured once may be the best: nothing is kept then.
static bool is_whole(const Tuning *t) {
  uint32_t measured = 0;
  for (uint32_t i = 0; i < t->ranked_count; i++) measured += t->ranked[i]->measured || t->ranked[i]->error;
  return measured == t->measured_count && t->ranked[0]->measured && !t->ranked[0]->error;
}

static void keep_best(Tuning *t) {
  const Candidate *best = t->ranked[0];
  const Spec spec = tune_base_spec(t->run);
  if (!is_whole(t)) return;
  t->kept = tuned_keep(t->run->c, &spec, t->run->device, best->settings, best->setting_count, best->seconds);
}

ExitStatus tune_source(Run *run, tilec_buffer **buffers) {
  Tuning t = {.run = run, .began = device_clock()};
  if (!check_first(run)) return EXIT_DIAGNOSED;
  tilec_status status = tune_space(&t);
  if (status != TILEC_OK) return run_failed(run, status);
  Predicting predicting = {.tuning = &t};
  tune_in_parallel(run, t.count, predict_one, &predicting);
  tune_progress_end();
  rank(&t);
  if (!t.ranked_count) return nothing_left(&t);
  t.began = device_clock();
  ExitStatus result = run->options->predict || run_is_over(run) ? EXIT_DONE : tune_measure(&t, buffers);
  t.interrupted = run_is_over(run);
  keep_best(&t);
  ExitStatus told = tell(&t);
  return result != EXIT_DONE ? result : told != EXIT_DONE ? told : t.interrupted ? EXIT_DIAGNOSED : EXIT_DONE;
}
