// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measuring the configurations that the model ranks first: in rounds that take them in turn, on buffers that are rotated beyond the L2
// cache, and after each of the first rounds without the slower half.
#include <stdlib.h>

#include "runtime/cubin.h"
#include "runtime/error.h"
#include "tools/bench.h"
#include "tools/tune.h"

enum {
  FINALISTS = 4,    // no fewer are left for the last rounds
  LAST_ROUNDS = 7,  // of the finalists
  MOST_ROUNDS = 32, // halvings and last rounds
};

typedef struct Field {
  Tuning *tuning;
  Bench bench;
  Attempt *attempts; // one a candidate that is measured
  Attempt **left;    // those still in, the fastest first
  uint32_t count, left_count;
  uint32_t compiled; // atomic
} Field;

static void assemble(Attempt *a) {
  if (a->run.device->kind != &device_cuda || a->image.debug) return;
  if (cubin_assemble(a->image.ptx, &a->c.code.target, &a->cubin) != TILEC_OK) return; // the load says why
  a->image.ptx = buf_view(&a->cubin);
  a->image.is_binary = true;
}

static tilec_status assemble_body(void *data) {
  assemble(data);
  return TILEC_OK;
}

static void compile_one(void *data, uint32_t i) {
  Field *f = data;
  Attempt *a = &f->attempts[i];
  attempt_compile(a, false);
  if (!a->candidate->error) error_guard(assemble_body, a);
  uint32_t done = __atomic_add_fetch(&f->compiled, 1, __ATOMIC_RELAXED);
  tune_progress(f->tuning, "compiled", done, f->count, NULL);
}

// Loads it and makes its arguments; what does not fit the device is the candidate's error.
static void load_one(Field *f, Attempt *a) {
  Bench own = f->bench;
  own.run = &a->run;
  if (a->candidate->error || !a->image.name) return;
  tilec_status status = run_load(&a->run, &a->image, &a->kernel);
  if (status == TILEC_OK) status = bench_code_args(&own, a->grid, &a->code);
  if (status != TILEC_OK)
    a->candidate->error = arena_printf(f->tuning->run->arena, "%s", tilec_last_error());
  else
    f->left[f->left_count++] = a;
}

static int by_time(const void *x, const void *y) {
  const Candidate *a = (*(Attempt *const *)x)->candidate, *b = (*(Attempt *const *)y)->candidate;
  if (a->seconds != b->seconds) return a->seconds < b->seconds ? -1 : 1;
  return a < b ? -1 : a > b; // as ranked by the space's order
}

static void take_median(Attempt *a) {
  double sorted[MOST_ROUNDS];
  memcpy(sorted, a->seconds, a->candidate->rounds * sizeof *sorted);
  a->candidate->seconds = bench_median(sorted, (int)a->candidate->rounds);
  a->candidate->measured = true;
}

static bool is_one_of(const RunArg *param, const char *const *names, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (strcmp(param->name, names[i]) == 0) return true;
  return false;
}

// What reset_to_zero and restore_value name, in every set.
static tilec_status put_back(const Field *f) {
  const Autotune *autotune = &f->tuning->autotune;
  const Run *run = f->tuning->run;
  for (uint32_t i = 0; i < run->holder_count; i++) {
    const RunArg *param = &run->params[i], *holder = param->buffer;
    bool reset = holder && is_one_of(param, autotune->reset, autotune->reset_count);
    bool restore = holder && is_one_of(param, autotune->restore, autotune->restore_count);
    if (!reset && !restore) continue;
    for (uint32_t set = 0; set < f->bench.sets; set++) {
      tilec_buffer *buffer =
          f->bench.buffers[(size_t)set * run->holder_count + (size_t)(holder - run->params)];
      tilec_status status = reset ? tilec_buffer_fill(buffer, 0)
                                  : tilec_buffer_write(buffer, 0, holder->value.data, holder->value.bytes);
      if (status != TILEC_OK) return status;
    }
  }
  return TILEC_OK;
}

// A round of one; false: the tuning is at its end.
static bool measure_one(Field *f, Attempt *a) {
  Candidate *c = a->candidate;
  Run *run = f->tuning->run;
  if (run_is_over(run)) return false;
  LaunchLimits limits = run_limits(run);
  tilec_status status = put_back(f);
  if (status == TILEC_OK)
    status = device_time(&a->kernel, a->grid, a->code.bits, a->code.count, f->bench.sets,
                         bench_launches(&f->bench), 1, &limits, &a->seconds[c->rounds]);
  if (status == TILEC_OK) {
    c->rounds++;
    take_median(a);
    return true;
  }
  if (run_is_over(run) || run->device->gave_up || status == TILEC_ERROR_LAUNCH) {
    if (!run_is_over(run)) c->error = arena_printf(run->arena, "%s", tilec_last_error());
    return run->device->kind != &device_cuda && !run_is_over(run); // on a GPU the context is lost
  }
  c->error = arena_printf(run->arena, "%s", tilec_last_error());
  return true;
}

static void drop_failed(Field *f) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->left_count; i++)
    if (!f->left[i]->candidate->error) f->left[n++] = f->left[i];
  f->left_count = n;
}

// All that are left, in turn; each round begins with another one.
static bool measure_round(Field *f, uint32_t round, uint32_t *done, uint32_t all) {
  Attempt **order = ARENA_ARRAY(f->tuning->run->arena, Attempt *, f->left_count + 1);
  uint32_t n = f->left_count;
  const Candidate *best = f->left[0]->candidate;
  memcpy(order, f->left, n * sizeof(Attempt *));
  for (uint32_t i = 0; i < n; i++) {
    if (!measure_one(f, order[(i + round) % n])) return false;
    const Candidate *c = order[(i + round) % n]->candidate;
    if (c->measured && (!best->measured || c->seconds < best->seconds)) best = c;
    tune_progress(f->tuning, "measured", ++*done, all, best->measured ? best : NULL);
  }
  drop_failed(f);
  qsort(f->left, f->left_count, sizeof(Attempt *), by_time);
  return f->left_count > 0;
}

// Rounds of one each, in sum, for the progress.
static uint32_t all_rounds(uint32_t n) {
  uint32_t sum = 0;
  for (; n > FINALISTS; n = (n + 1) / 2 > FINALISTS ? (n + 1) / 2 : FINALISTS) sum += n;
  return sum + LAST_ROUNDS * n;
}

static void measure_all(Field *f) {
  uint32_t done = 0, all = all_rounds(f->left_count), round = 0, last = 0;
  while (last < LAST_ROUNDS && f->left_count) {
    bool halves = f->left_count > FINALISTS;
    if (!measure_round(f, round++, &done, all)) return;
    uint32_t half = (f->left_count + 1) / 2;
    if (halves)
      f->left_count = half > FINALISTS ? half : FINALISTS < f->left_count ? FINALISTS : f->left_count;
    else
      last++;
  }
}

static int by_rank(const void *x, const void *y) {
  const Candidate *a = *(Candidate *const *)x, *b = *(Candidate *const *)y;
  if (a->measured != b->measured) return a->measured ? -1 : 1;
  if (a->measured && a->rounds != b->rounds)
    return a->rounds > b->rounds ? -1 : 1; // who was dropped stays behind
  double p = a->measured ? a->seconds : a->time.together, q = b->measured ? b->seconds : b->time.together;
  if (p != q) return p < q ? -1 : 1;
  return a < b ? -1 : a > b;
}

static tilec_status make_field(Field *f, tilec_buffer **buffers) {
  Tuning *t = f->tuning;
  Arena *arena = t->run->arena;
  f->count = t->measured_count;
  f->attempts = ARENA_ARRAY(arena, Attempt, f->count);
  f->left = ARENA_ARRAY(arena, Attempt *, f->count);
  for (uint32_t i = 0; i < f->count; i++)
    f->attempts[i] =
        (Attempt){.tuning = t, .candidate = t->ranked[i], .seconds = ARENA_ARRAY(arena, double, MOST_ROUNDS)};
  return bench_make_sets(&f->bench, buffers);
}

ExitStatus tune_measure(Tuning *t, tilec_buffer **buffers) {
  Field f = {.tuning = t, .bench = {.run = t->run}};
  tilec_status status = make_field(&f, buffers);
  if (status == TILEC_OK) {
    tune_in_parallel(t->run, f.count, compile_one, &f);
    for (uint32_t i = 0; i < f.count && !run_is_over(t->run); i++) load_one(&f, &f.attempts[i]);
    measure_all(&f);
  }
  tune_progress_end();
  if (!t->run->device->gave_up) {
    for (uint32_t i = 0; i < f.count; i++) attempt_free(&f.attempts[i]);
    bench_free_sets(&f.bench);
  }
  qsort(t->ranked, t->ranked_count, sizeof(Candidate *), by_rank);
  return status == TILEC_OK ? EXIT_DONE : run_failed(t->run, status);
}
