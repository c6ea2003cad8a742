// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a fuzzer without libFuzzer: mutates the files of a corpus, reproducibly.
//   fuzz_X [--seed N] [--runs N | --seconds N] [--max-bytes N] FILE...
// Prints how many inputs it ran, the rate and the processor's seconds. A crash, or an input that takes
// MOST_SECONDS of them, leaves the input in ./crash-input.
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_SECONDS = 100 }; // of the processor, for one input under the sanitizers

typedef struct Input {
  uint8_t *at;
  size_t n;
} Input;

static uint64_t state;
static Input current; // what a crash handler writes out

static uint64_t random_next(void) { // xorshift64* (Vigna, 2016)
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1du;
}

static size_t random_below(size_t n) { return n ? (size_t)(random_next() % n) : 0; }

static void on_crash(int signal_number) {
  FILE *file = fopen("crash-input", "wb");
  if (file) {
    fwrite(current.at, 1, current.n, file);
    fclose(file);
  }
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static double seconds_of(clockid_t clock) {
  struct timespec time = {0};
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void run_input(uint8_t *at, size_t n) {
  struct itimerval limit = {.it_value = {.tv_sec = MOST_SECONDS}};
  current = (Input){at, n};
  setitimer(ITIMER_PROF, &limit, NULL);
  LLVMFuzzerTestOneInput(at, n);
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
  state = 1;
  Input *corpus = calloc((size_t)argc + 1, sizeof *corpus);
  size_t files = 0;
  for (int i = 1; i < argc; i++) {
    if (i + 1 < argc && strcmp(argv[i], "--seed") == 0)
      state = strtoull(argv[++i], NULL, 10) | 1;
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
  for (int s = 0; s < 5; s++) signal((int[]){SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGPROF}[s], on_crash);

  double start = seconds_of(CLOCK_MONOTONIC), elapsed = 0;
  unsigned long done = 0;
  uint8_t *input = malloc(max_bytes + 1);
  for (; seconds > 0 ? elapsed < seconds : done < runs; done++) {
    size_t n = done < files && corpus[done].n <= max_bytes ? corpus[done].n
                                                           : mutate(corpus, files, input, max_bytes);
    if (done < files && corpus[done].n <= max_bytes) memcpy(input, corpus[done].at, n);
    run_input(input, n);
    elapsed = seconds_of(CLOCK_MONOTONIC) - start;
  }
  printf("%lu inputs, %.0f a second, %.0f s of the processor, none crashed\n", done,
         (double)done / (elapsed > 0 ? elapsed : 1e-9), seconds_of(CLOCK_PROCESS_CPUTIME_ID));
  for (size_t i = 0; i < files; i++) free(corpus[i].at);
  free(corpus);
  free(input);
  return 0;
}
