// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _GNU_SOURCE
#include "tests/fuzz/programs/execute.h"

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime/tilec.h"

enum { MAX_WORDS = 400 };

int tilec_tool_main(int argc, char **argv); // libtilec has the whole tool

bool executor_open(Executor *executor, const char *device) {
  static const char *const assemblers[] = {"/usr/local/cuda/bin/ptxas", "/usr/bin/ptxas"};
  *executor = (Executor){.device = device};
  for (int i = 0; i < 2 && !executor->ptxas; i++)
    if (access(assemblers[i], X_OK) == 0) executor->ptxas = assemblers[i];
  snprintf(executor->folder, sizeof executor->folder, "/tmp/fuzz_programs.XXXXXX");
  if (!mkdtemp(executor->folder)) return false;
  char name[80];
  snprintf(name, sizeof name, "%s/output", executor->folder);
  executor->output = open(name, O_RDWR | O_CREAT | O_APPEND, 0600);
  return executor->output >= 0;
}

void executor_close(Executor *executor) {
  static const char *const files[] = {"output", "f.tile", "f.ptx"};
  char name[80];
  close(executor->output);
  for (int i = 0; i < 3; i++) {
    snprintf(name, sizeof name, "%s/%s", executor->folder, files[i]);
    unlink(name);
  }
  rmdir(executor->folder);
}

// ---- what an output means ----

static void read_output(const Executor *executor, Result *result) {
  ssize_t n = pread(executor->output, result->output, MAX_OUTPUT - 1, 0);
  result->output[n > 0 ? n : 0] = '\0';
}

// Where an error begins, with or without a code: "error[T1405]: "; NULL: nowhere.
static const char *next_error(const char *output) {
  for (const char *at = output; (at = strstr(at, "error")); at++)
    if (strncmp(at + 5, ": ", 2) == 0 || strncmp(at + 5, "[T", 2) == 0) return at;
  return NULL;
}

// The first error's text, numbers and quoted names left out, file places too.
static void make_key(Result *result) {
  const char *at = strstr(result->output, "runtime error: ");
  if (!at) at = strstr(result->output, "ERROR: AddressSanitizer: ");
  if (!at) at = strstr(result->output, "internal error");
  if (!at) at = next_error(result->output);
  if (!at) at = result->output;
  size_t n = 0;
  bool quoted = false;
  for (; *at && *at != '\n' && *at != ';' && n + 1 < MAX_KEY; at++) {
    if (*at == '\'') quoted = !quoted;
    bool digit = isdigit((unsigned char)*at) || (*at == '-' && isdigit((unsigned char)at[1]));
    if (!digit && (!quoted || *at == '\'')) result->key[n++] = *at;
  }
  result->key[n] = '\0';
}

static bool is_limit(const char *output) {
  static const char *const limits[] = {"not built", "needs sm_", "shared memory, but",
                                       "bytes of shared memory"};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    if (strstr(output, limits[i])) return true;
  return false;
}

// True if the only fault is that --check compared nothing, or could not compare more than it may
// leave out.
static bool only_uncertain(const char *output) {
  static const char uncertain[] = "error[T1405]: --check co";
  const char *first = next_error(output);
  for (const char *error = first; error; error = next_error(error + 1))
    if (strncmp(error, uncertain, sizeof uncertain - 1) != 0) return false;
  return first != NULL;
}

static void judge(const Executor *executor, int status, Result *result) {
  read_output(executor, result);
  result->uncertain = strstr(result->output, "as uncertain") || strstr(result->output, "are uncertain");
  result->warned = strstr(result->output, "warning[T") != NULL;
  result->key[0] = '\0';
  // Some programs have only results that depend on an order.
  bool passed = status == 0 || (status == 1 && only_uncertain(result->output));
  result->outcome = passed ? OUTCOME_PASSED : OUTCOME_FAILED;
  if (passed) return;
  if (status == 1 && is_limit(result->output)) result->outcome = OUTCOME_REFUSED;
  make_key(result);
}

void execute_crashed(const Executor *executor, int signal_number, Result *result) {
  read_output(executor, result);
  make_key(result);
  char what[MAX_KEY];
  snprintf(what, sizeof what, "%s: %.100s", signal_number ? strsignal(signal_number) : "the process ended",
           result->key);
  memcpy(result->key, what, sizeof what);
  result->outcome = OUTCOME_CRASHED;
}

// ---- running ----

static int call_tool(Buf *words) {
  char *argv[MAX_WORDS + 1] = {"tilec"};
  int argc = 1;
  for (char *word = strtok(words->at, " "); word && argc < MAX_WORDS; word = strtok(NULL, " "))
    argv[argc++] = word;
  argv[argc] = NULL;
  return tilec_tool_main(argc, argv);
}

static bool write_kernel(const Executor *executor, const Program *program, char name[80]) {
  snprintf(name, 80, "%s/f.tile", executor->folder);
  FILE *file = fopen(name, "w");
  if (!file) return false;
  fwrite(program->text.at, 1, program->text.n, file);
  return fclose(file) == 0;
}

// A PTX that ptxas has not done in time is neither right nor wrong.
static int assemble_kernel(const Executor *executor, const Program *program, const char *kernel) {
  Buf words = {0};
  const char *warps = strstr(program->options.at, "--num-warps ") + strlen("--num-warps ");
  buf_printf(&words, "compile %s --kernel f --num-warps %d --arch %s -o %s/f.ptx", kernel, atoi(warps),
             program->arch, executor->folder);
  int status = call_tool(&words);
  buf_reset(&words);
  fflush(NULL);
  if (status == 0) {
    buf_printf(&words, "ulimit -t 20; exec %s --gpu-name %s %s/f.ptx -o /dev/null", executor->ptxas,
               program->arch, executor->folder);
    int ended = system(words.at);
    int by = WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
    if (ended && by != SIGXCPU && by != SIGKILL) { // these two: out of time
      fprintf(stderr, "error: ptxas refuses the PTX\n");
      status = 3;
    }
  }
  buf_free(&words);
  return status;
}

static int run_program(const Executor *executor, const Program *program, bool assemble) {
  char kernel[80];
  if (!write_kernel(executor, program, kernel)) return 2;
  Buf words = {0};
  bool simulator = strcmp(executor->device, "sim") == 0;
  Program on_device = *program;
  if (!simulator) on_device.arch = NULL; // the device's own
  program_command(&on_device, simulator ? "check" : "run", kernel, &words);
  buf_printf(&words, " --verify-each --device %s", executor->device);
  if (executor->watch) buf_printf(&words, " --sim-watch %llu", (unsigned long long)executor->watch);
  int status = call_tool(&words);
  if (status == 0 && assemble && executor->ptxas) status = assemble_kernel(executor, program, kernel);
  buf_free(&words);
  return status;
}

void execute_hold_device(const Executor *executor) {
  tilec_device *device;
  if (strcmp(executor->device, "sim") != 0 && tilec_device_open(executor->device, &device) != TILEC_OK)
    fprintf(stderr, "fuzz_programs: %s\n", tilec_last_error());
}

void execute_limit(const Executor *executor) {
  enum { SECONDS = 60, FAR = 1800 };
  setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_sec = SECONDS}}, NULL);
  alarm(strcmp(executor->device, "sim") == 0 ? FAR : SECONDS);
}

void execute(Executor *executor, const Program *program, bool assemble, Result *result) {
  fflush(NULL);
  int out = dup(STDOUT_FILENO), error = dup(STDERR_FILENO);
  int failed = ftruncate(executor->output, 0);
  dup2(executor->output, STDOUT_FILENO);
  dup2(executor->output, STDERR_FILENO);
  int status = failed ? 2 : run_program(executor, program, assemble);
  fflush(NULL);
  dup2(out, STDOUT_FILENO);
  dup2(error, STDERR_FILENO);
  close(out);
  close(error);
  judge(executor, status, result);
}

void execute_apart(Executor *executor, const Program *program, bool assemble, Result *result) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    execute_limit(executor);
    execute(executor, program, assemble, result);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status))
    execute_crashed(executor, WIFSIGNALED(status) ? WTERMSIG(status) : 0, result);
}
