// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the errors of the functions of target/math.def on a device, and compares them with their
// bounds.
//
//   math_accuracy [--device D] [--points N] [--fp64-points N] [--seed N] [--threads N] [--function NAME]
//                 [--type T]
//
// Prints a line for each function and type: columns as the heading names them, separated by blanks. All numbers of
// 16-bit types are measured. `--points 4294967296` does so for fp32 functions of one argument.
//
// Exit status: 0 all hold, 1 a bound is missed, 2 wrong usage, 3 a kernel did not compile or run.
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/accuracy/measure.h"

enum { SLICE = 1 << 24, ROWS = FUNCTION_COUNT * TYPE_COUNT }; // SLICE: points that one thread does at a time

typedef struct Options {
  const char *device, *function, *type;
  uint64_t points, fp64_points, seed, threads;
} Options;

typedef struct Row {
  Function function;
  Type type;
  uint64_t count, pending; // points; slices not yet measured
  Worst worst;
  char error[600]; // "" where nothing failed
} Row;

typedef struct Sweep {
  const Options *options;
  pthread_mutex_t lock; // of what follows
  Row rows[ROWS];
  int row_count, next_row, printed;
  uint64_t next_point; // of next_row
  int missed, failed;
} Sweep;

// The next slice of work; false: there is none.
static bool take_slice(Sweep *s, int *row, Task *task) {
  bool found = false;
  pthread_mutex_lock(&s->lock);
  if (s->next_row < s->row_count) {
    Row *r = &s->rows[s->next_row];
    uint64_t left = r->count - s->next_point, n = left < SLICE ? left : SLICE;
    *task = (Task){r->function, r->type, s->options->seed, s->next_point, s->next_point + n, r->count};
    *row = s->next_row;
    s->next_point += n;
    if (s->next_point == r->count) s->next_row++, s->next_point = 0;
    found = true;
  }
  pthread_mutex_unlock(&s->lock);
  return found;
}

static void print_point(const Row *r, const Point *p, uint64_t got) {
  int digits = 2 * types[r->type].bytes;
  printf(" f(0x%0*" PRIx64, digits, p->bits[0]);
  if (functions[r->function].operands > 1) printf(",0x%0*" PRIx64, digits, p->bits[1]);
  printf(")=0x%0*" PRIx64, functions[r->function].result == RESULT_F ? digits : 8, got);
  printf(" a=%.9Lg", decode(r->type, p->bits[0]));
  if (functions[r->function].operands > 1) printf(" b=%.9Lg", decode(r->type, p->bits[1]));
  printf(" true=%.9Lg\n", reference(r->function, r->type, p));
}

static void print_row(Sweep *s, const Row *r) {
  const Worst *w = &r->worst;
  double bound = bound_of(r->function, r->type);
  bool holds = !r->error[0] && !w->wrong && w->u <= bound;
  printf("%-10s %-4s %10" PRIu64 " %9.4f %9.4f %8.4f %6" PRIu64 " %-6s", functions[r->function].name,
         types[r->type].name, w->points, w->ulp, w->u, bound, w->wrong,
         r->error[0] ? "FAILED"
         : holds     ? "ok"
                     : "MISSED");
  if (w->u > 0)
    print_point(r, &w->at, w->got);
  else
    printf("\n");
  if (w->wrong) {
    printf("# wrong:");
    print_point(r, &w->wrong_at, w->wrong_got);
  }
  if (r->error[0]) printf("# %s\n", r->error);
  fflush(stdout);
  s->missed += !holds;
  s->failed += r->error[0] != '\0';
}

static void finish_slice(Sweep *s, Row *r, const Worst *worst, tilec_status status) {
  pthread_mutex_lock(&s->lock);
  worst_merge(&r->worst, worst);
  if (status) snprintf(r->error, sizeof r->error, "%s: %s", tilec_status_name(status), tilec_last_error());
  r->pending--;
  while (s->printed < s->row_count && s->rows[s->printed].pending == 0) print_row(s, &s->rows[s->printed++]);
  pthread_mutex_unlock(&s->lock);
}

static void *work(void *data) {
  Sweep *s = data;
  Bench bench;
  Task task;
  int row;
  tilec_status opened = bench_open(&bench, s->options->device);
  while (take_slice(s, &row, &task)) {
    Worst worst = {.index = UINT64_MAX};
    finish_slice(s, &s->rows[row], &worst, opened ? opened : measure_task(&bench, &task, &worst));
  }
  bench_close(&bench);
  return NULL;
}

static void plan(Sweep *s) {
  const Options *o = s->options;
  for (int f = 0; f < FUNCTION_COUNT; f++)
    for (int t = 0; t < TYPE_COUNT; t++) {
      if (o->function && strcmp(o->function, functions[f].name) != 0) continue;
      if (o->type && strcmp(o->type, types[t].name) != 0) continue;
      if (!function_has((Function)f, (Type)t)) continue;
      uint64_t count = point_count((Function)f, (Type)t, t == FP64 ? o->fp64_points : o->points);
      s->rows[s->row_count++] = (Row){.function = (Function)f,
                                      .type = (Type)t,
                                      .count = count,
                                      .pending = (count + SLICE - 1) / SLICE,
                                      .worst.index = UINT64_MAX};
    }
}

static int usage(void) {
  fprintf(stderr, "usage: math_accuracy [--device D] [--points N] [--fp64-points N] [--seed N] [--threads N] "
                  "[--function NAME] [--type fp32|fp64|fp16|bf16]\n");
  return 2;
}

static bool parse_options(int argc, char **argv, Options *o) {
  const struct {
    const char *name;
    uint64_t *number;
    const char **text;
  } rows[] = {{"--device", NULL, &o->device},
              {"--points", &o->points, NULL},
              {"--fp64-points", &o->fp64_points, NULL},
              {"--seed", &o->seed, NULL},
              {"--threads", &o->threads, NULL},
              {"--function", NULL, &o->function},
              {"--type", NULL, &o->type}};
  for (int i = 1; i < argc; i += 2) {
    size_t k = 0;
    char *end = "";
    while (k < sizeof rows / sizeof *rows && strcmp(rows[k].name, argv[i]) != 0) k++;
    if (k == sizeof rows / sizeof *rows || i + 1 == argc) return false;
    if (rows[k].text) *rows[k].text = argv[i + 1];
    if (rows[k].number) *rows[k].number = strtoull(argv[i + 1], &end, 10);
    if (*end) return false;
  }
  return o->threads >= 1 && o->threads <= 256;
}

int main(int argc, char **argv) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  Options options = {.device = "sim",
                     .points = 10000000,
                     .fp64_points = 1000000,
                     .seed = 1,
                     .threads = cores < 1    ? 1
                                : cores > 32 ? 32
                                             : (uint64_t)cores};
  static Sweep sweep;
  static pthread_t threads[256];
  if (!parse_options(argc, argv, &options)) return usage();
  sweep.options = &options;
  plan(&sweep);
  if (sweep.row_count == 0) return usage();
  pthread_mutex_init(&sweep.lock, NULL);
  printf("# device %s, seed %" PRIu64 "\n", options.device, options.seed);
  printf("# function type   points   max_ulp     max_u    bound  wrong result at\n");
  uint64_t started = 0;
  while (started < options.threads && pthread_create(&threads[started], NULL, work, &sweep) == 0) started++;
  if (started == 0) work(&sweep);
  for (uint64_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
  printf("# %d rows, %d missed\n", sweep.row_count, sweep.missed);
  return sweep.failed ? 3 : sweep.missed > 0;
}
