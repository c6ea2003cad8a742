// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of tests/sim_nvcc on a GPU, or on the simulator. Prints a line for each: ok or not ok, and
// milliseconds. The last line is 'N passed, N failed'.
//
//   gpu_nvcc cuda[:N]|sim FOLDER [NAME]
//
// Kernels run in a child process, because a context is useless after a fault. Then a new child continues.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/gpu/on_cuda.h"

enum { SECONDS = 60, NO_DEVICE = 3 };

typedef struct Progress { // shared with the child
  size_t next;            // the first task that is not over
  size_t passed, failed;
} Progress;

typedef struct Tasks {
  const char *device, *folder, *name; // name NULL: all
  Progress *progress;
  size_t count;
} Tasks;

// The message of a failing child: one a process.
static Tasks *current;

// A task is a kernel of a variant of its file: one file's follow one another.
static const KernelCase *task_kernel(size_t task, const char **variant) {
  size_t first = 0, end;
  for (;;) {
    for (end = first; end < kernel_case_count; end++)
      if (strcmp(kernel_cases[end].file, kernel_cases[first].file) != 0) break;
    size_t kernels = end - first;
    if (task < kernels * KERNEL_VARIANTS) {
      *variant = kernel_variants[task / kernels];
      return &kernel_cases[first + task % kernels];
    }
    task -= kernels * KERNEL_VARIANTS;
    first = end;
  }
}

static void say(const char *verdict, size_t task, const char *text) {
  const char *variant;
  const KernelCase *kernel = task_kernel(task, &variant);
  printf("%s %s-%s %s%s\n", verdict, kernel->file, variant, kernel->name, text);
  fflush(stdout);
}

static void fail_current(const char *text) {
  say("not ok", current->progress->next, text);
  current->progress->failed++;
  current->progress->next++;
}

_Noreturn void expect_failed(const Run *run, const char *text, const char *file, int line) {
  char all[sizeof run->message + 512];
  snprintf(all, sizeof all, ": %s:%d: %s; %s", file, line, text, run->message);
  fail_current(all);
  _exit(1);
}

static void open_machine(Run *run) {
  static SimMachine sim;
  bool on_sim = strcmp(current->device, "sim") == 0;
  const char *number = strchr(current->device, ':');
  run->machine = on_sim ? &sim_machine : &cuda_machine;
  run->state = on_sim ? &sim : cuda_open(run, number ? atoi(number + 1) : 0);
  if (run->state) return;
  printf("%s\n", run->message);
  fflush(stdout);
  _exit(NO_DEVICE);
}

static bool wanted(size_t task) {
  const char *variant;
  return !current->name || strcmp(task_kernel(task, &variant)->name, current->name) == 0;
}

// Runs tasks until one leaves the machine useless.
static void child(void) {
  static Run run;
  Progress *progress = current->progress;
  const char *loaded_file = "", *loaded_variant = "", *variant;
  char time[64];
  open_machine(&run);
  for (; progress->next < current->count; progress->next++) {
    const KernelCase *kernel = task_kernel(progress->next, &variant);
    if (!wanted(progress->next)) continue;
    alarm(SECONDS);
    if (strcmp(kernel->file, loaded_file) != 0 || strcmp(variant, loaded_variant) != 0) {
      if (!nvcc_load(&run, current->folder, kernel->file, variant))
        expect_failed(&run, "the PTX is loaded", __FILE__, __LINE__);
      loaded_file = kernel->file;
      loaded_variant = variant;
    }
    run.milliseconds = 0;
    nvcc_check(&run, kernel);
    snprintf(time, sizeof time, run.milliseconds > 0 ? " (%.3f ms)" : "", run.milliseconds);
    say("ok", progress->next, time);
    progress->passed++;
    if (run.message[0]) { // it has asserted: the context is useless now
      progress->next++;
      _exit(0);
    }
  }
  _exit(0);
}

// False: there is no such device.
static bool run_child(void) {
  int status;
  size_t before = current->progress->next, failed = current->progress->failed;
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) child();
  if (pid < 0 || waitpid(pid, &status, 0) != pid) return false;
  if (WIFEXITED(status) && WEXITSTATUS(status) == NO_DEVICE) return false;
  if (WIFSIGNALED(status)) {
    char text[64];
    int number = WTERMSIG(status);
    snprintf(text, sizeof text, number == SIGALRM ? ": more than %d s" : ": ended by signal %d",
             number == SIGALRM ? SECONDS : number);
    fail_current(text);
  } else if (current->progress->next == before && current->progress->failed == failed)
    fail_current(": its process ended");
  return true;
}

int main(int argc, char **argv) {
  static Tasks tasks;
  if (argc < 3) {
    fprintf(stderr, "usage: gpu_nvcc cuda[:N]|sim FOLDER [NAME]\n");
    return 2;
  }
  tasks = (Tasks){argv[1], argv[2], argc > 3 ? argv[3] : NULL, NULL, kernel_case_count * KERNEL_VARIANTS};
  tasks.progress =
      mmap(NULL, sizeof *tasks.progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (tasks.progress == MAP_FAILED) return 2;
  current = &tasks;
  bool opened = true;
  while (opened && tasks.progress->next < tasks.count) opened = run_child();
  size_t failed = tasks.progress->failed + !opened;
  printf("%zu passed, %zu failed\n", tasks.progress->passed, failed);
  return failed || !tasks.progress->passed;
}
