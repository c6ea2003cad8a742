// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random block programs: compares the evaluator with the simulator under every schedule, with every checker on,
// or with a GPU. Programs run in a child process. After a crash a new child replaces it. Failures are minimised.
//
//   fuzz_programs [--seed S] [--runs N] [--seconds T] [--classes a,b] [--device sim|cuda[:N]] [--ptxas N]
//                 [--failures N] [--minimise SECONDS] [--cases FOLDER] [--show]
//                 [--sim-watch N]
//
// --ptxas N: every N-th PTX is assembled too (20; 0: none).
//
// --sim-watch N: as tilec's, to check that a program that ends is not reported as a deadlock.
//
// --cases: writes the programs that would run, with the file `cases` for acceptance/run-cases.
//
// --show: prints the first program.
//
// A program is a function of its seed and the classes.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/fuzz/programs/execute.h"
#include "tests/fuzz/programs/minimise.h"

enum { MAX_REFUSALS = 40, MAX_FAILURES = 200 };

typedef struct Tally {
  char key[MAX_KEY];
  uint64_t count;
} Tally;

// The data that the children share with their parent.
typedef struct Shared {
  uint64_t done, passed, refused, uncertain, warned; // done: programs, the one in hand not counted
  bool failed;                                       // the current program failed: see result
  Result result;
  Tally refusals[MAX_REFUSALS];
} Shared;

typedef struct Options {
  uint64_t seed, runs, classes;
  double seconds, minimise;
  uint64_t ptxas, failures, watch;
  const char *device, *cases;
  bool show;
} Options;

typedef struct Fuzzer {
  Options options;
  Executor executor;
  Shared *shared;
  double start;
  Tally failures[MAX_FAILURES];
  uint64_t failed;
} Fuzzer;

static double now(void) {
  struct timespec time = {0};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool at_end(const Fuzzer *f) {
  return (f->options.seconds > 0 && now() - f->start >= f->options.seconds) || f->shared->done >= f->options.runs;
}

static bool assembles(const Fuzzer *f, uint64_t index) {
  return f->options.ptxas && index % f->options.ptxas == 0;
}

// True where the key is new.
static bool tally(Tally *tallies, int most, const char *key) {
  for (int i = 0; i < most; i++) {
    bool fresh = !tallies[i].count;
    if (!fresh && strcmp(tallies[i].key, key) != 0) continue;
    memcpy(tallies[i].key, key, MAX_KEY);
    tallies[i].count++;
    return fresh;
  }
  return false;
}

// ---- classes ----

static bool class_named(const char *list, const char *name) {
  size_t n = strlen(name);
  for (const char *at = list; at; at = strchr(at, ',')) {
    if (*at == ',') at++;
    if (strncmp(at, name, n) == 0 && (at[n] == ',' || !at[n])) return true;
  }
  return false;
}

// Those of the list (NULL: all) that are built, printed to standard output.
static uint64_t probe_classes(Fuzzer *f, const char *list) {
  uint64_t classes = 0;
  printf("classes:");
  for (int c = 0; c < CLASS_COUNT; c++) {
    if (list && !class_named(list, class_infos[c].name)) continue;
    Program program;
    program_probe((Class)c, &program);
    execute_apart(&f->executor, &program, false, &f->shared->result);
    program_free(&program);
    bool refused = f->shared->result.outcome == OUTCOME_REFUSED;
    if (!refused) classes |= UINT64_C(1) << c;
    printf(" %s%s", class_infos[c].name, refused ? " (not built)" : "");
    if (f->shared->result.outcome > OUTCOME_REFUSED) printf(" (FAILS: %s)", f->shared->result.key);
  }
  printf("\n");
  return classes;
}

// ---- running ----

// The child: programs from shared->done on, until one fails or the end.
static void run_some(Fuzzer *f) {
  Shared *s = f->shared;
  execute_hold_device(&f->executor);
  while (!at_end(f)) {
    Program program;
    execute_limit(&f->executor);
    program_generate(f->options.seed + s->done, f->options.classes, &program);
    execute(&f->executor, &program, assembles(f, s->done), &s->result);
    program_free(&program);
    if (s->result.outcome == OUTCOME_PASSED) s->passed++;
    if (s->result.outcome == OUTCOME_REFUSED) s->refused++, tally(s->refusals, MAX_REFUSALS, s->result.key);
    s->uncertain += s->result.uncertain && s->result.outcome == OUTCOME_PASSED;
    s->warned += s->result.warned && s->result.outcome == OUTCOME_PASSED;
    if (s->result.outcome >= OUTCOME_FAILED) {
      s->failed = true;
      return;
    }
    s->done++;
  }
}

static void show(const Fuzzer *f, uint64_t seed, const Program *program, const char *output) {
  Buf command = {0};
  bool simulator = strcmp(f->options.device, "sim") == 0;
  program_command(program, simulator ? "check" : "run", "f.tile", &command);
  printf("# seed %llu\n# tilec %s --device %s\n%s", (unsigned long long)seed, command.at, f->options.device,
         program->text.at);
  if (output) printf("# ---- output\n%.2500s\n", output);
  fflush(stdout);
  buf_free(&command);
}

static void tell_failure(Fuzzer *f) {
  Shared *s = f->shared;
  uint64_t seed = f->options.seed + s->done;
  f->failed++;
  bool fresh = tally(f->failures, MAX_FAILURES, s->result.key);
  printf("FAILED seed %llu: %s\n", (unsigned long long)seed, s->result.key);
  fflush(stdout);
  if (!fresh && f->failed > 4) return;
  Program program;
  program_generate(seed, f->options.classes, &program);
  if (f->options.minimise > 0)
    program_minimise(&f->executor, &program, assembles(f, s->done), f->options.minimise, &s->result);
  show(f, seed, &program, s->result.output);
  program_free(&program);
}

static void run_all(Fuzzer *f) {
  Shared *s = f->shared;
  while (!at_end(f) && f->failed < f->options.failures) {
    s->failed = false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      run_some(f);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    bool crashed = !WIFEXITED(status) || WEXITSTATUS(status);
    if (crashed) execute_crashed(&f->executor, WIFSIGNALED(status) ? WTERMSIG(status) : 0, &s->result);
    if (!crashed && !s->failed) continue;
    tell_failure(f);
    s->done++;
  }
}

// ---- cases ----

static bool write_case(const Fuzzer *f, uint64_t seed, FILE *cases) {
  char name[300];
  Program program;
  program_generate(seed, f->options.classes, &program);
  snprintf(name, sizeof name, "%s/program_%llu.tile", f->options.cases, (unsigned long long)seed);
  FILE *file = fopen(name, "w");
  if (file) {
    fputs(program.text.at, file);
    fprintf(cases, "program_%llu.tile %s %s\n", (unsigned long long)seed, program.options.at,
            program.args.at);
    fclose(file);
  }
  program_free(&program);
  return file != NULL;
}

static int write_cases(const Fuzzer *f) {
  char name[300];
  snprintf(name, sizeof name, "%s/cases", f->options.cases);
  FILE *cases = fopen(name, "w");
  bool ok = cases != NULL;
  for (uint64_t i = 0; ok && i < f->options.runs; i++) ok = write_case(f, f->options.seed + i, cases);
  if (cases) fclose(cases);
  if (!ok) fprintf(stderr, "fuzz_programs: cannot write into %s\n", f->options.cases);
  return ok ? 0 : 1;
}

// ---- the command line ----

static bool read_option(Options *o, const char **classes, const char *name, const char *value) {
  if (strcmp(name, "--seed") == 0) return o->seed = strtoull(value, NULL, 10), true;
  if (strcmp(name, "--runs") == 0) return o->runs = strtoull(value, NULL, 10), true;
  if (strcmp(name, "--seconds") == 0) return o->seconds = strtod(value, NULL), true;
  if (strcmp(name, "--minimise") == 0) return o->minimise = strtod(value, NULL), true;
  if (strcmp(name, "--ptxas") == 0) return o->ptxas = strtoull(value, NULL, 10), true;
  if (strcmp(name, "--failures") == 0) return o->failures = strtoull(value, NULL, 10), true;
  if (strcmp(name, "--sim-watch") == 0) return o->watch = strtoull(value, NULL, 10), true;
  if (strcmp(name, "--device") == 0) return o->device = value, true;
  if (strcmp(name, "--cases") == 0) return o->cases = value, true;
  return strcmp(name, "--classes") == 0 ? *classes = value, true : false;
}

static int report_totals(const Fuzzer *f) {
  const Shared *s = f->shared;
  double elapsed = now() - f->start;
  for (int i = 0; i < MAX_REFUSALS && s->refusals[i].count; i++)
    printf("refused %llu: %s\n", (unsigned long long)s->refusals[i].count, s->refusals[i].key);
  for (int i = 0; i < MAX_FAILURES && f->failures[i].count; i++)
    printf("failed %llu: %s\n", (unsigned long long)f->failures[i].count, f->failures[i].key);
  printf("%llu programs from seed %llu, %.0f a second: %llu passed (%llu with uncertain elements, %llu with "
         "warnings), "
         "%llu refused, %llu failed\n",
         (unsigned long long)s->done, (unsigned long long)f->options.seed,
         (double)s->done / (elapsed > 0 ? elapsed : 1e-9), (unsigned long long)s->passed,
         (unsigned long long)s->uncertain, (unsigned long long)s->warned, (unsigned long long)s->refused,
         (unsigned long long)f->failed);
  return f->failed || !s->passed;
}

int main(int argc, char **argv) {
  Fuzzer f = {
      .options = {.seed = 1, .minimise = 20, .ptxas = 20, .failures = 20, .device = "sim"}};
  const char *classes = NULL;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--show") == 0)
      f.options.show = true;
    else if (i + 1 < argc && read_option(&f.options, &classes, argv[i], argv[i + 1]))
      i++;
    else
      return fprintf(stderr, "fuzz_programs: what is '%s'?\n", argv[i]), 2;
  }
  if (!f.options.runs) f.options.runs = f.options.seconds > 0 ? UINT64_MAX : 1000;
  f.shared = mmap(NULL, sizeof *f.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (f.shared == MAP_FAILED || !executor_open(&f.executor, f.options.device)) return 2;
  f.executor.watch = f.options.watch;
  f.options.classes = probe_classes(&f, classes);
  f.start = now();
  int status = 0;
  if (f.options.show) {
    Program program;
    program_generate(f.options.seed, f.options.classes, &program);
    show(&f, f.options.seed, &program, NULL);
    program_free(&program);
  } else if (f.options.cases) {
    status = write_cases(&f);
  } else {
    run_all(&f);
    status = report_totals(&f);
  }
  executor_close(&f.executor);
  return status;
}
