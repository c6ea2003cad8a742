// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a fuzzer without libFuzzer: mutates the files of a corpus, reproducibly.
//
//   fuzz_X [--seed N] [--whole] [--runs N | --seconds N] [--max-bytes N] [--crash FILE] FILE...
//
// --whole: first each file as it is. `fuzz_X --whole --runs 0 FILE` repeats a crash.
// Prints the number of inputs, the rate and the processor's seconds. A crash, or an input that takes MAX_SECONDS,
// leaves the input in ./crash-input (--crash), and is reported.
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
#if defined(__SANITIZE_ADDRESS__)
void __sanitizer_print_stack_trace(void); // gcc ships no header for it
#endif

enum { MAX_SECONDS = 100 }; // of the processor, for one input under the sanitizers

typedef struct Input {
  uint8_t *at;
  size_t n;
} Input;

static uint64_t state;
static Input current; // what a crash handler writes out
static const char *crash = "crash-input";
static unsigned long done; // inputs before the current one

static uint64_t random_next(void) { // xorshift64* (Vigna, 2016)
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1du;
}

static void seed_from(uint64_t seed) { // splitmix64 (Steele, Lea and Flood, 2014); never 0
  seed += 0x9e3779b97f4a7c15u;
  seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u;
  seed = (seed ^ seed >> 27) * 0x94d049bb133111ebu;
  seed ^= seed >> 31;
  state = seed ? seed : 1;
}

static size_t random_below(size_t n) { return n ? (size_t)(random_next() % n) : 0; }

static void on_crash(int signal_number) {
  FILE *file = fopen(crash, "wb");
  if (file) {
    fwrite(current.at, 1, current.n, file);
    fclose(file);
    fprintf(stderr, "%s: the input, number %lu, of %zu bytes\n", crash, done, current.n);
  }
#if defined(__SANITIZE_ADDRESS__)
  if (signal_number != SIGABRT) __sanitizer_print_stack_trace(); // an abort has said why
#endif
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

// On a separate stack, for inputs that overflow the stack.
static void catch_crashes(void) {
  static char space[1 << 18];
  static const int signals[] = {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGPROF};
  stack_t stack = {.ss_sp = space, .ss_size = sizeof space};
  struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
  sigaltstack(&stack, NULL);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
}

static double seconds_of(clockid_t clock) {
  struct timespec time = {0};
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// A copy of that size, so that the sanitizer sees who reads past its end.
static void run_input(const uint8_t *at, size_t n) {
  struct itimerval limit = {.it_value = {.tv_sec = MAX_SECONDS}};
  current = (Input){malloc(n ? n : 1), n};
  memcpy(current.at, at, n);
  setitimer(ITIMER_PROF, &limit, NULL);
  LLVMFuzzerTestOneInput(current.at, n);
  free(current.at);
  done++;
}

static Input read_file(const char *name) {
  FILE *file = fopen(name, "rb");
  if (!file) {
    fprintf(stderr, "cannot read %s\n", name);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  Input input = {malloc((size_t)size + 1), (size_t)size};
  input.n = fread(input.at, 1, input.n, file);
  fclose(file);
  return input;
}

static const char *const tokens[] = {
    "(",        ")",    "[",   "]",    "{",  "}",     ":",          ",",
    "\n",       "\n  ", "\t",  "0",    "-1", "1e309", "4294967296", "0xFFFFFFFFFFFFFFFF",
    "None",     "\"",   "'''", "\\\n", "#",  "%",     "@",          "=",
    "\xff\xfe", "if",   "for", "def"};

static size_t splice(uint8_t *out, size_t n, size_t cap, size_t at, const uint8_t *from, size_t count) {
  if (count > cap - n) count = cap - n;
  memmove(out + at + count, out + at, n - at);
  memcpy(out + at, from, count);
  return n + count;
}

// One to eight random edits of a corpus file: flip, overwrite, erase, duplicate,
// insert a token, splice another file.
static size_t mutate(const Input *corpus, size_t files, uint8_t *out, size_t cap) {
  Input seed = corpus[random_below(files)];
  size_t n = seed.n < cap ? seed.n : cap;
  memcpy(out, seed.at, n);
  for (size_t edits = 1 + random_below(8); edits > 0; edits--) {
    size_t at = random_below(n + 1), count = random_below(n - at + 1);
    if (count > 64) count = random_below(64);
    const char *token = tokens[random_below(sizeof tokens / sizeof *tokens)];
    Input other = corpus[random_below(files)];
    size_t from = random_below(other.n), length = random_below(other.n - from + 1);
    uint8_t copy[64];
    switch (random_below(6)) {
    case 0:
      if (at < n) out[at] ^= (uint8_t)(1u << random_below(8));
      break;
    case 1:
      if (at < n) out[at] = (uint8_t)random_next();
      break;
    case 2:
      memmove(out + at, out + at + count, n - at - count);
      n -= count;
      break;
    case 3:
      memcpy(copy, out + at, count);
      n = splice(out, n, cap, random_below(n + 1), copy, count);
      break;
    case 4: n = splice(out, n, cap, at, (const uint8_t *)token, strlen(token)); break;
    default: n = splice(out, n, cap, at, other.at + from, length % 256); break;
    }
  }
  return n;
}

int main(int argc, char **argv) {
  unsigned long runs = 10000, max_bytes = 16384;
  double seconds = 0;
  bool whole = false;
  seed_from(1);
  Input *corpus = calloc((size_t)argc + 1, sizeof *corpus);
  size_t files = 0;
  for (int i = 1; i < argc; i++) {
    if (i + 1 < argc && strcmp(argv[i], "--seed") == 0)
      seed_from(strtoull(argv[++i], NULL, 10));
    else if (i + 1 < argc && strcmp(argv[i], "--crash") == 0)
      crash = argv[++i];
    else if (strcmp(argv[i], "--whole") == 0)
      whole = true;
    else if (i + 1 < argc && strcmp(argv[i], "--runs") == 0)
      runs = strtoul(argv[++i], NULL, 10);
    else if (i + 1 < argc && strcmp(argv[i], "--seconds") == 0)
      seconds = strtod(argv[++i], NULL);
    else if (i + 1 < argc && strcmp(argv[i], "--max-bytes") == 0)
      max_bytes = strtoul(argv[++i], NULL, 10);
    else
      corpus[files++] = read_file(argv[i]);
  }
  if (!files) corpus[files++] = (Input){(uint8_t *)strdup("x"), 1};
  catch_crashes();

  double start = seconds_of(CLOCK_MONOTONIC), elapsed = 0;
  for (size_t i = 0; whole && i < files; i++) run_input(corpus[i].at, corpus[i].n);
  elapsed = seconds_of(CLOCK_MONOTONIC) - start;
  uint8_t *input = malloc(max_bytes + 1);
  for (unsigned long run = 0; seconds > 0 ? elapsed < seconds : run < runs; run++) {
    run_input(input, mutate(corpus, files, input, max_bytes));
    elapsed = seconds_of(CLOCK_MONOTONIC) - start;
  }
  printf("%lu inputs, %.0f a second, %.0f s of the processor, none crashed\n", done,
         (double)done / (elapsed > 0 ? elapsed : 1e-9), seconds_of(CLOCK_PROCESS_CPUTIME_ID));
  for (size_t i = 0; i < files; i++) free(corpus[i].at);
  free(corpus);
  free(input);
  return 0;
}
