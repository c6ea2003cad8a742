// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the configurations that the model ranks first. Each round measures all of them, on buffers rotated
// beyond the L2 cache. After each of the first rounds the slower half is dropped.
#include <stdlib.h>
#include "base/median.h"

#include "runtime/compile/assemble.h"
#include "runtime/error.h"
#include "runtime/tune/tuner.h"

enum {
  FINALISTS = 4,   // at least this many are left for the last rounds
  LAST_ROUNDS = 7, // for the finalists
  MAX_ROUNDS = 32, // halving rounds and last rounds
};

typedef struct Field {
  Tuning *tuning;
  TuneSets sets;
  Attempt *attempts; // one per measured candidate
  Attempt **left;    // those not dropped, fastest first
  uint32_t count, left_count;
  uint32_t compiled; // atomic
} Field;

// Assembles with ptxas here, on all cores. The driver's assembler would run them one after another.
static tilec_status assemble(void *data) {
  Attempt *a = data;
  if (!a->tuning->on_gpu || a->image.debug) return TILEC_OK;
  if (cubin_assemble(a->image.ptx, &a->c.code.target, &a->cubin) != TILEC_OK)
    return TILEC_OK; // the load reports the reason
  a->image.ptx = buf_view(&a->cubin);
  a->image.is_binary = true;
  return TILEC_OK;
}

static void compile_one(void *data, uint32_t i) {
  Field *f = data;
  Attempt *a = &f->attempts[i];
  attempt_compile(a, false);
  if (!a->candidate->error) error_guard(assemble, a);
  uint32_t done = __atomic_add_fetch(&f->compiled, 1, __ATOMIC_RELAXED);
  tuning_tell(f->tuning, TILEC_TUNE_COMPILING, done, f->count, NULL);
}

// The kernel's parameters, for each set.
static tilec_status make_bits(Compilation *c, void *data) {
  Attempt *a = data;
  const TuneSets *sets = a->sets;
  uint64_t *own = ARENA_ARRAY(&c->arena, uint64_t, a->bound.args.count + 1);
  tilec_status status = TILEC_OK;
  a->bit_count = a->host->param_count > a->bound.args.count ? a->host->param_count : a->bound.args.count;
  a->bits = ARENA_ARRAY(&c->arena, uint64_t, (size_t)sets->count * a->bit_count + 1);
  for (uint32_t set = 0; set < sets->count && !status; set++) {
    for (uint32_t i = 0; i < a->bound.args.count; i++) own[i] = tune_sets_bits(sets, set, &a->bound.args, i);
    status = attempt_code_bits(a, own, a->bits + (size_t)set * a->bit_count);
  }
  return status;
}

// Loads it and makes its arguments. If it does not fit the device, the candidate gets the error.
static void load_one(Field *f, Attempt *a) {
  if (a->candidate->error || !a->image.name) return;
  a->sets = &f->sets;
  tilec_status status = device_load(f->tuning->request->device, &a->image, &a->kernel);
  if (!status) status = compile_guard(&a->c, make_bits, a);
  if (status)
    candidate_fail(a->candidate, "%s", tilec_last_error());
  else
    f->left[f->left_count++] = a;
}

static int by_time(const void *x, const void *y) {
  const Candidate *a = (*(Attempt *const *)x)->candidate, *b = (*(Attempt *const *)y)->candidate;
  if (a->seconds != b->seconds) return a->seconds < b->seconds ? -1 : 1;
  return a < b ? -1 : a > b; // by rank, in the order of the space
}

static void take_median(Attempt *a) {
  double sorted[MAX_ROUNDS];
  uint32_t n = a->candidate->rounds;
  memcpy(sorted, a->seconds, n * sizeof *sorted);
  a->candidate->seconds = median_of(sorted, n);
  a->candidate->measured = true;
}

static bool is_one_of(const char *name, const char *const *names, size_t n) {
  for (size_t i = 0; name && i < n; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

// Resets the buffers of reset_to_zero and restore_value, in every set.
static tilec_status put_back(const Field *f) {
  const Tuning *t = f->tuning;
  const Autotune *autotune = &t->autotune;
  const tilec_tune_options *o = &t->request->options;
  const BoundArgs *bound = &t->bound.args;
  for (uint32_t i = 0; i < bound->count; i++) {
    const char *name = t->bound.params[i].name;
    bool reset = is_one_of(name, autotune->reset, autotune->reset_count) ||
                 is_one_of(name, o->reset_to_zero, o->reset_count);
    bool restore = is_one_of(name, autotune->restore, autotune->restore_count) ||
                   is_one_of(name, o->restore_value, o->restore_count);
    if ((!reset && !restore) || !(bound->key[KEY_BYTES * i] & KEY_POINTER)) continue;
    int32_t memory = tune_memory_at(t->request, bound->bits[i]);
    tilec_status status = memory < 0 ? TILEC_OK : tune_sets_put_back(&f->sets, (uint32_t)memory, reset);
    if (status) return status;
  }
  return TILEC_OK;
}

enum { LAUNCHES = 4 }; // launches per set in a round on a GPU

// One round of one candidate. False: the tuning must end.
static bool measure_one(Field *f, Attempt *a) {
  Candidate *c = a->candidate;
  Tuning *t = f->tuning;
  const tilec_device *device = t->request->device;
  if (tuning_is_over(t)) return false;
  LaunchLimits limits = tuning_limits(t);
  tilec_status status = put_back(f);
  if (!status)
    status = device_time(&a->kernel, a->grid, a->bits, a->bit_count, f->sets.count,
                         t->on_gpu ? LAUNCHES * f->sets.count : 1, 1, &limits, &a->seconds[c->rounds]);
  if (!status) {
    c->rounds++;
    take_median(a);
    return true;
  }
  if (tuning_is_over(t)) return false;
  candidate_fail(c, "%s", tilec_last_error());
  t->lost = t->on_gpu && (device->gave_up || status == TILEC_ERROR_LAUNCH); // the context is lost
  return !t->lost;
}

static void drop_failed(Field *f) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->left_count; i++)
    if (!f->left[i]->candidate->error) f->left[n++] = f->left[i];
  f->left_count = n;
}

// Measures all remaining candidates once. Each round begins with another one.
static bool measure_round(Field *f, uint32_t round, uint32_t *done, uint32_t all) {
  Attempt **order = ARENA_ARRAY(&f->tuning->arena, Attempt *, f->left_count + 1);
  uint32_t n = f->left_count;
  const Candidate *best = f->left[0]->candidate;
  memcpy(order, f->left, n * sizeof(Attempt *));
  for (uint32_t i = 0; i < n; i++) {
    if (!measure_one(f, order[(i + round) % n])) return false;
    const Candidate *c = order[(i + round) % n]->candidate;
    if (c->measured && (!best->measured || c->seconds < best->seconds)) best = c;
    tuning_tell(f->tuning, TILEC_TUNE_MEASURING, ++*done, all, best->measured ? best : NULL);
  }
  drop_failed(f);
  qsort(f->left, f->left_count, sizeof(Attempt *), by_time);
  return f->left_count > 0;
}

// The total number of single rounds, for the progress.
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
  if (!a->error != !b->error) return a->error ? 1 : -1;
  if (a->measured != b->measured) return a->measured ? -1 : 1;
  if (a->measured && a->rounds != b->rounds)
    return a->rounds > b->rounds ? -1 : 1; // dropped candidates rank after those with more rounds
  double p = a->measured ? a->seconds : a->time.seconds, q = b->measured ? b->seconds : b->time.seconds;
  if (p != q) return p < q ? -1 : 1;
  return a < b ? -1 : a > b;
}

static tilec_status make_field(void *data) {
  Field *f = data;
  Tuning *t = f->tuning;
  f->left = ARENA_ARRAY(&t->arena, Attempt *, t->measured_count + 1);
  f->attempts = ARENA_ARRAY(&t->arena, Attempt, t->measured_count + 1);
  for (uint32_t i = 0; i < t->measured_count; i++)
    f->attempts[i] = (Attempt){
        .tuning = t, .candidate = t->ranked[i], .seconds = ARENA_ARRAY(&t->arena, double, MAX_ROUNDS)};
  f->count = t->measured_count;
  return tune_sets_make(&f->sets, t->request, &t->arena);
}

static tilec_status measure_field(void *data) {
  Field *f = data;
  Tuning *t = f->tuning;
  tuning_step(t);
  tune_in_parallel(t, f->count, compile_one, f);
  for (uint32_t i = 0; i < f->count && !tuning_is_over(t); i++) load_one(f, &f->attempts[i]);
  tuning_step(t);
  if (f->left_count) measure_all(f);
  return TILEC_OK;
}

tilec_status tune_measure(Tuning *t) {
  Field f = {.tuning = t};
  tilec_status status = error_guard(make_field, &f);
  if (!status) status = error_guard(measure_field, &f);
  if (!t->request->device->gave_up) {
    for (uint32_t i = 0; i < f.count; i++) attempt_free(&f.attempts[i]);
    tune_sets_free(&f.sets);
  }
  qsort(t->ranked, t->ranked_count, sizeof(Candidate *), by_rank);
  return status;
}
