// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sixteen processes compile and launch the same 200 kernels over one cache, which has room for half
// of them. Every 100 ms one process is killed and another starts. Each result is checked. At the
// end no entry may be broken, and no file may be left that nobody removes.
//   cache_kill SECONDS
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/cache/cache.h"
#include "runtime/cache/cache_folder.h"
#include "runtime/tilec.h"

enum { WORKERS = 16, KERNELS = 200, ELEMENTS = 32, CACHE_LIMIT = 100000, MAX_BROKEN = 10 };

static const char source[] = "@kernel\n"
                             "@grid(1)\n"
                             "def step(x: *i32, out: *i32, K: constexpr):\n"
                             "    i = arange(0, 32)\n"
                             "    store(out + i, load(x + i) * K + K)\n";

// --- A worker

static _Noreturn void worker_fails(int kernel, const char *what) {
  fprintf(stderr, "cache_kill: kernel %d: %s\n", kernel, what);
  _exit(1);
}

// These conditions stop the cache from serving, so none of them may hold.
static void worker_says(const char *text) { worker_fails(-1, text); }

static void launch(tilec_device *device, tilec_program *program, tilec_buffer *x, tilec_buffer *out, int k) {
  char define[16];
  const char *defines[] = {define};
  int32_t got[ELEMENTS];
  tilec_kernel *kernel = NULL;
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  snprintf(define, sizeof define, "K=%d", k);
  options.defines = defines;
  options.define_count = 1;
  options.num_warps = 1;
  tilec_arg args[] = {tilec_arg_buffer(TILEC_I32, x), tilec_arg_buffer(TILEC_I32, out)};
  if (tilec_kernel_new(device, program, &options, &kernel) || tilec_launch(kernel, NULL, args, 2) ||
      tilec_buffer_read(out, 0, got, sizeof got))
    worker_fails(k, tilec_last_error());
  for (int i = 0; i < ELEMENTS; i++)
    if (got[i] != (i + 1) * k + k) worker_fails(k, "a wrong result");
  tilec_kernel_free(kernel);
}

// A byte into the pipe for each launch that went right, until killed.
static _Noreturn void work(unsigned seed, int done) {
  tilec_device *device = NULL;
  tilec_program *program = NULL;
  tilec_buffer *x = NULL, *out = NULL;
  int32_t data[ELEMENTS];
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  cache_set_log(worker_says);
  for (int i = 0; i < ELEMENTS; i++) data[i] = i + 1;
  if (tilec_device_open("sim", &device) || tilec_buffer_new(device, sizeof data, &x) ||
      tilec_buffer_new(device, sizeof data, &out) || tilec_buffer_write(x, 0, data, sizeof data) ||
      tilec_program_from_source("step.tile", source, sizeof source - 1, &program))
    worker_fails(-1, tilec_last_error());
  for (;;) {
    seed = seed * 1103515245 + 12345;
    launch(device, program, x, out, (int)((seed >> 16 & 0x7fff) % KERNELS));
    if (write(done, "", 1) != 1) _exit(1);
  }
}

// --- The parent

enum { LONGEST = 6000 }; // kills; ten minutes

typedef struct Kill {
  pid_t workers[WORKERS];
  int done[2]; // the pipe
  unsigned seed;
  uint64_t launches, kills;
  bool failed;
} Kill;

static void begin_worker(Kill *k, int place) {
  k->seed = k->seed * 1103515245 + 12345;
  pid_t child = fork();
  if (child == 0) {
    close(k->done[0]);
    work(k->seed, k->done[1]);
  }
  if (child < 0) k->failed = true;
  k->workers[place] = child;
}

static void kill_worker(Kill *k, int place) {
  int status;
  if (k->workers[place] <= 0) return;
  kill(k->workers[place], SIGKILL);
  if (waitpid(k->workers[place], &status, 0) < 0 || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
    k->failed = true;
  k->workers[place] = 0;
  k->kills++;
}

static void count_launches(Kill *k) {
  char bytes[4096];
  for (ssize_t n; (n = read(k->done[0], bytes, sizeof bytes)) > 0;) k->launches += (uint64_t)n;
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A kill every 100 ms, by the clock: what a busy machine is late with follows at once. It goes on until there are
// launches enough.
static void run_for(Kill *k, double seconds) {
  double start = seconds_now();
  for (int tick = 1; !k->failed && (tick <= 10 * seconds || k->launches <= KERNELS) && tick < LONGEST;
       tick++) {
    double left = start + 0.1 * tick - seconds_now();
    if (left > 0) nanosleep(&(struct timespec){0, (long)(left * 1e9)}, NULL);
    k->seed = k->seed * 1103515245 + 12345;
    int place = (int)(k->seed >> 16 & 0x7fff) % WORKERS;
    kill_worker(k, place);
    begin_worker(k, place);
    count_launches(k);
  }
}

typedef struct Found {
  uint64_t entries, bytes, broken;
} Found;

static void look_at(const CacheListed *listed, void *data) {
  Found *found = data;
  found->entries++;
  found->bytes += listed->bytes;
  if (listed->state == CACHE_GOOD) return;
  if (found->broken++ < MAX_BROKEN) fprintf(stderr, "cache_kill: %s: %s\n", listed->name, listed->reason);
}

static int files_in(const char *folder, const char *rest) {
  char command[600];
  snprintf(command, sizeof command, "find '%s'%s -type f | wc -l", folder, rest);
  FILE *pipe = popen(command, "r");
  int count = -1;
  if (!pipe || fscanf(pipe, "%d", &count) != 1) count = -1;
  if (pipe) pclose(pipe);
  return count;
}

static bool judge(Kill *k, const char *folder) {
  Found found = {0};
  Buf error = {0};
  int left = files_in(folder, "/tmp");
  if (!cache_list(look_at, &found, &error)) k->failed = true;
  int fd = cache_open_folder(false, &error);
  if (fd >= 0) cache_clean(fd);
  if (fd >= 0) close(fd);
  int still = files_in(folder, "/tmp");
  printf("%llu launches by %d processes, %llu killed; %llu entries of %llu bytes, %llu broken; %d parts left "
         "by killed "
         "ones, %d after the next process\n",
         (unsigned long long)k->launches, WORKERS, (unsigned long long)k->kills,
         (unsigned long long)found.entries, (unsigned long long)found.bytes, (unsigned long long)found.broken,
         left, still);
  buf_free(&error);
  // An eighth more while a process is slow at removing, and an entry of each of the processes.
  bool within = found.bytes <= CACHE_LIMIT + CACHE_LIMIT / 8 + WORKERS * 2000u;
  return !k->failed && !found.broken && found.entries && within && still == 0 && k->launches > KERNELS;
}

int main(int argc, char **argv) {
  char folder[400], command[500], limit[24];
  const char *base = getenv("TMPDIR");
  double seconds = argc > 1 ? atof(argv[1]) : 5;
  Kill k = {.seed = (unsigned)getpid()};
  snprintf(folder, sizeof folder, "%s/tilec-kill-XXXXXX", base && base[0] ? base : "/tmp");
  if (!mkdtemp(folder) || pipe(k.done) != 0 || fcntl(k.done[0], F_SETFL, O_NONBLOCK) != 0) {
    fprintf(stderr, "cache_kill: %s\n", strerror(errno));
    return 1;
  }
  snprintf(limit, sizeof limit, "%d", CACHE_LIMIT);
  setenv("TILEC_CACHE", "on", 1);
  setenv("TILEC_CACHE_DIR", folder, 1);
  setenv("TILEC_CACHE_SIZE", limit, 1);
  for (int i = 0; i < WORKERS; i++) begin_worker(&k, i);
  run_for(&k, seconds);
  for (int i = 0; i < WORKERS; i++) kill_worker(&k, i);
  count_launches(&k);
  bool good = judge(&k, folder);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0) good = false;
  return good ? 0 : 1;
}
