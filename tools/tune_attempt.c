// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One configuration: compiled for the arguments of the first one, and predicted. And the threads that do so.
#include <pthread.h>
#include <unistd.h>

#include "runtime/cubin.h"
#include "runtime/error.h"
#include "tools/explain.h"
#include "tools/tune.h"

// Around the arena of all configurations.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// The first error, without its source line.
static void keep_error(Attempt *a, const char *text, Loc loc) {
  Arena *arena = a->tuning->run->arena;
  pthread_mutex_lock(&lock);
  a->candidate->error =
      loc.line ? arena_printf(arena, "%s:%u: %s", sources_name(&a->c.sources, loc.file), loc.line, text)
               : arena_printf(arena, "%s", text);
  pthread_mutex_unlock(&lock);
}

static void keep_first_error(Attempt *a, tilec_status status) {
  const Diags *diags = &a->c.diags;
  for (uint32_t i = 0; i < diags->list.n; i++)
    if (diags->list.at[i]->severity == DIAG_ERROR) {
      keep_error(a, diags->list.at[i]->message, diags->list.at[i]->loc);
      return;
    }
  keep_error(a,
             a->c.fault[0]           ? a->c.fault
             : tilec_last_error()[0] ? tilec_last_error()
                                     : tilec_status_name(status),
             LOC_NONE);
}

// The same arguments as the first configuration's, of which there are buffers.
static bool take_arguments(Attempt *a) {
  const Run *first = a->tuning->run;
  if (!run_match_arguments(&a->run)) return false;
  for (uint32_t i = 0; i < a->run.holder_count; i++) {
    a->run.params[i].base = first->params[i].base;
    a->run.params[i].address = first->params[i].address;
  }
  run_take_arch(&a->run);
  if (!run_bind(&a->run, &a->bound)) return false;
  a->run.bound = &a->bound;
  run_specialise(&a->run, &a->bound);
  return true;
}

static tilec_status compile_body(void *data) {
  Attempt *a = data;
  Run *run = &a->run;
  compilation_init(&a->c);
  tilec_status status = tool_parse(&a->c, run->options->file, run->text);
  if (status == TILEC_OK) status = tool_spec(run->options, &a->c, &run->spec);
  if (status == TILEC_OK && !take_arguments(a)) status = TILEC_ERROR_INVALID_ARGUMENT;
  if (status == TILEC_OK) status = run_compile(run, &a->bound, &a->image);
  if (status == TILEC_OK && !run_grid(run, a->image.func, a->bound.bits, a->grid))
    status = TILEC_ERROR_INVALID_ARGUMENT;
  return status;
}

static void keep_name(Tuning *t, const char *name) {
  pthread_mutex_lock(&lock);
  if (!t->kernel) t->kernel = arena_printf(t->run->arena, "%s", name);
  pthread_mutex_unlock(&lock);
}

static tilec_status predict_body(Compilation *c, void *data) {
  Attempt *a = data;
  Candidate *candidate = a->candidate;
  CostLaunch launch = explain_launch(&a->run, a->bound.bits, a->grid);
  const CostReport *report = cost_report(&c->arena, c->module->funcs.at[0], &launch);
  keep_name(a->tuning, report->func->name);
  candidate->predicted = true;
  candidate->time = report->time;
  candidate->registers = report->registers;
  candidate->shared_bytes = report->shared_bytes;
  candidate->blocks = report->occupancy.blocks;
  candidate->too_large = !report->occupancy.blocks && report->occupancy.limit == LIMIT_SHARED;
  return TILEC_OK;
}

void attempt_compile(Attempt *a, bool only_predict) {
  const Run *first = a->tuning->run;
  a->run = (Run){.options = &a->candidate->options,
                 .arena = &a->arena,
                 .c = &a->c,
                 .text = first->text,
                 .device = first->device,
                 .only_predicts = only_predict};
  tilec_status status = error_guard(compile_body, a);
  if (status == TILEC_OK && only_predict) status = compile_guard(&a->c, predict_body, a);
  if (status != TILEC_OK)
    keep_first_error(a, status);
  else if (a->candidate->too_large)
    keep_error(a, "a multiprocessor has less shared memory than a block takes", LOC_NONE);
}

void attempt_free(Attempt *a) {
  device_unload(&a->kernel);
  buf_free(&a->cubin);
  compilation_free(&a->c);
  arena_free(&a->arena);
}

typedef struct Crew {
  Run *run;
  uint32_t count, next; // next: atomic
  void (*each)(void *data, uint32_t i);
  void *data;
} Crew;

static void *take_turns(void *data) {
  Crew *crew = data;
  for (;;) {
    uint32_t i = __atomic_fetch_add(&crew->next, 1, __ATOMIC_RELAXED);
    if (i >= crew->count || run_is_over(crew->run)) return NULL;
    crew->each(crew->data, i);
  }
}

void tune_in_parallel(Run *run, uint32_t count, void (*each)(void *data, uint32_t i), void *data) {
  enum { MAX_THREADS = 64, STACK = 64 << 20 };
  pthread_t threads[MAX_THREADS];
  pthread_attr_t attributes;
  Crew crew = {.run = run, .count = count, .each = each, .data = data};
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  uint32_t wanted = cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (uint32_t)cores, n = 0;
  run_is_over(run); // its clock begins here, before there are several who look at it
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  while (n + 1 < wanted && n + 1 < count && pthread_create(&threads[n], &attributes, take_turns, &crew) == 0)
    n++;
  pthread_attr_destroy(&attributes);
  take_turns(&crew);
  for (uint32_t i = 0; i < n; i++) pthread_join(threads[i], NULL);
}
