// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of a tuning. All configurations are compiled up to the last pass. The model of cost/ predicts
// their times and ranks them. The first ones, of several kinds, are measured. The best is kept.
#include "runtime/tune/tuner.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "runtime/error.h"

enum { MIN_MEASURED = 4, SHARE = 10 };

// --- Limits and progress ---

LaunchLimits tuning_limits(const Tuning *t) {
  const tilec_tune_options *o = &t->request->options;
  return (LaunchLimits){.max_instructions = o->max_instructions,
                        .timeout = o->timeout,
                        .spent = seconds_now() - t->began,
                        .programs = o->max_programs,
                        .cancel = o->cancel};
}

bool tuning_is_over(const Tuning *t) {
  const tilec_tune_options *o = &t->request->options;
  return __atomic_load_n(&t->stop, __ATOMIC_RELAXED) ||
         (o->cancel && __atomic_load_n(o->cancel, __ATOMIC_RELAXED)) ||
         (o->timeout > 0 && o->timeout <= seconds_now() - t->began);
}

void tuning_step(Tuning *t) { t->step_began = seconds_now(); }

// One callback at a time, over all tunings of the process. So a callback need not be thread-safe.
static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;

void tuning_tell(Tuning *t, tilec_tune_step step, uint32_t done, uint32_t all, const Candidate *best) {
  const tilec_tune_options *o = &t->request->options;
  if (!o->progress || !done) return;
  const double spent = seconds_now() - t->step_began;
  const tilec_tune_progress progress = {.size = sizeof progress,
                                        .step = step,
                                        .done = done,
                                        .all = all,
                                        .seconds_left = spent * (all - done) / done,
                                        .best = best ? best->text : NULL,
                                        .best_seconds = best ? best->seconds : 0};
  pthread_mutex_lock(&telling);
  if (o->progress(o->progress_data, &progress)) __atomic_store_n(&t->stop, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&telling);
}

// --- Ranking ---

typedef struct Predicting {
  Tuning *tuning;
  uint32_t done; // atomic
} Predicting;

static void predict_one(void *data, uint32_t i) {
  Predicting *p = data;
  Attempt *a = calloc(1, sizeof *a); // too large for a stack
  if (a) {
    a->tuning = p->tuning;
    a->candidate = &p->tuning->all[i];
    attempt_compile(a, true);
    attempt_free(a);
    free(a);
  } else {
    candidate_fail(&p->tuning->all[i], "out of memory");
  }
  uint32_t done = __atomic_add_fetch(&p->done, 1, __ATOMIC_RELAXED);
  tuning_tell(p->tuning, TILEC_TUNE_PREDICTING, done, p->tuning->count, NULL);
}

static int by_prediction(const void *x, const void *y) {
  const Candidate *a = *(Candidate *const *)x, *b = *(Candidate *const *)y;
  if (a->time.seconds != b->time.seconds) return a->time.seconds < b->time.seconds ? -1 : 1;
  return a < b ? -1 : a > b; // in the given order
}

static bool is_ranked(const Candidate *c) { return c->predicted && !c->error; }

static void rank(Tuning *t) {
  t->ranked = ARENA_ARRAY(&t->arena, Candidate *, t->count + 1);
  for (uint32_t i = 0; i < t->count; i++)
    if (is_ranked(&t->all[i])) t->ranked[t->ranked_count++] = &t->all[i];
  for (uint32_t i = 0, n = t->ranked_count; i < t->count; i++)
    if (!is_ranked(&t->all[i])) t->ranked[n++] = &t->all[i];
  qsort(t->ranked, t->ranked_count, sizeof(Candidate *), by_prediction);
  size_t top = t->request->options.top;
  uint32_t wanted =
      top ? (uint32_t)(top < t->count ? top : t->count) : max_u32(MIN_MEASURED, t->count / SHARE);
  t->measured_count = wanted < t->ranked_count ? wanted : t->ranked_count;
}

static bool differ_in_stages(const Candidate *a, const Candidate *b) {
  if (a->setting_count != b->setting_count) return false;
  for (uint32_t i = 0; i < a->setting_count; i++) {
    const TuneSetting *x = &a->settings[i], *y = &b->settings[i];
    if (strcmp(x->name, y->name) != 0) return false;
    if (strcmp(x->name, "num_stages") != 0 && strcmp(x->text, y->text) != 0) return false;
  }
  return true;
}

// The model is least accurate for configurations that differ only in num_stages. So half of those measured
// are the first of their kind.
static void vary(Tuning *t) {
  uint32_t kinds = 0, half = (t->measured_count + 1) / 2;
  for (uint32_t i = 0; i < t->ranked_count && kinds < half; i++) {
    Candidate *next = t->ranked[i];
    uint32_t k = 0;
    while (k < kinds && !differ_in_stages(t->ranked[k], next)) k++;
    if (k < kinds) continue;
    memmove(t->ranked + kinds + 1, t->ranked + kinds, (i - kinds) * sizeof(Candidate *));
    t->ranked[kinds++] = next;
  }
}

// Reports the first error for all.
static tilec_status nothing_left(const Tuning *t) {
  for (uint32_t i = 0; i < t->count; i++)
    if (t->all[i].error)
      return error_set(TILEC_ERROR_COMPILE, "none of the %u configurations can be used: %s", t->count,
                       t->all[i].error);
  return TILEC_OK; // it was ended earlier
}

// --- Keeping ---

// A candidate that was never measured may be the best. Then nothing is kept.
static bool is_whole(const Tuning *t) {
  uint32_t measured = 0;
  for (uint32_t i = 0; i < t->ranked_count; i++) measured += t->ranked[i]->measured || t->ranked[i]->error;
  return measured == t->measured_count && t->ranked[0]->measured && !t->ranked[0]->error;
}

static void keep_best(Tuning *t) {
  if (t->request->options.predict || t->request->options.no_keep || !is_whole(t)) return;
  const Candidate *best = t->ranked[0];
  t->kept =
      tuned_keep(&t->c, &t->spec, t->request->device, best->settings, best->setting_count, best->seconds);
}

// The best of what was measured; with `predict`, of what is predicted.
static tilec_status lock_best(Tuning *t) {
  const char *path = t->request->options.lock;
  const Candidate *best = t->ranked[0];
  bool predicted = t->request->options.predict;
  Buf error = {0};
  char reason[160];
  if (!path || t->interrupted || best->error || (!predicted && !is_whole(t))) return TILEC_OK;
  if (predicted && best->time.known)
    snprintf(reason, sizeof reason, "the model predicts %.3g us, the best of %u", best->time.seconds * 1e6,
             t->count);
  else if (predicted)
    snprintf(reason, sizeof reason, "the first of %u that compiles: the model does not know this card",
             t->count);
  else
    snprintf(reason, sizeof reason, "measured on %s, the best of %u", t->device, t->count);
  bool good = tuned_lock(&t->c, &t->spec, best->settings, best->setting_count, path, reason, &error);
  tilec_status status = good ? TILEC_OK : error_set(TILEC_ERROR_IO, "%s", buf_view(&error).at);
  buf_free(&error);
  return status;
}

// --- The whole tuning ---

static tilec_status know_kernel(Tuning *t) {
  const TuneRequest *r = t->request;
  tilec_status status = attempt_bind(r, NULL, 0, &t->c, &t->spec, &t->bound);
  const KernelInfo *info = NULL;
  if (!status) status = program_kernel(&t->c, t->spec.kernel, &t->spec, &info);
  if (status) return status;
  t->kernel = arena_copy(&t->arena, str_from(info->name));
  t->arch = t->spec.target.arch;
  snprintf(t->device, sizeof t->device, "%s", r->device->name);
  t->on_gpu = r->device->kind == &device_cuda;
  t->chip = r->card ? r->card : t->on_gpu ? cost_card_of(t->arch, r->device->card) : NULL;
  t->on_simulator = device_simulator(r->device) != NULL;
  return TILEC_OK;
}

static tilec_status predict_all(Tuning *t) {
  Predicting predicting = {.tuning = t};
  tuning_step(t);
  tune_in_parallel(t, t->count, predict_one, &predicting);
  rank(t);
  return t->ranked_count ? TILEC_OK : nothing_left(t);
}

static tilec_status tuning_body(void *data) {
  Tuning *t = data;
  tilec_status status = know_kernel(t);
  if (!status) status = tune_space(t);
  if (!status) status = predict_all(t);
  if (status || !t->ranked_count) return status;
  if (!t->request->options.predict && !tuning_is_over(t)) {
    vary(t);
    status = tune_measure(t);
  }
  if (status) return status;
  t->interrupted = tuning_is_over(t);
  keep_best(t);
  return lock_best(t);
}

tilec_status tuning_make(const TuneRequest *request, Tuning **tuning) {
  Tuning *t = *tuning = calloc(1, sizeof *t);
  if (!t) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a tuning)");
  t->request = request;
  t->began = seconds_now();
  tilec_status status =
      request->device->needs_ptx
          ? error_guard(tuning_body, t)
          : error_set(TILEC_ERROR_NOT_SUPPORTED, "tune measures what is compiled: %s runs tile IR as it is",
                      request->device->name);
  if (!t->ranked_count) t->interrupted = true;
  t->predicts = t->ranked_count && t->ranked[0]->time.known;
  compilation_free(&t->c);
  compilation_free(&t->first_c);
  t->autotune = (Autotune){0};
  t->request = NULL;
  return status;
}

void tilec_tuning_free(tilec_tuning *tuning) {
  if (!tuning) return;
  for (uint32_t i = 0; i < tuning->count; i++) free(tuning->all[i].own_error);
  arena_free(&tuning->arena);
  free(tuning);
}
