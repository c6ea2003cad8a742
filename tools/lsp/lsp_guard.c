// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs code that may crash. A signal handler with a separate stack jumps back, as compilers do for editors. Memory that
// the code was changing is given up, not freed. Faults (base/fault.h) pass through.
#define _XOPEN_SOURCE 700 // sigaltstack
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/lsp/lsp.h"

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
enum { SIGNALS = sizeof signals / sizeof *signals, STACK = 1 << 16 };

static sigjmp_buf *guard; // of the innermost guarded call; NULL: none

static void on_signal(int number) {
  if (guard) siglongjmp(*guard, number);
  signal(number, SIG_DFL);
  raise(number);
}

// Once for the process.
static void install(void) {
  static char stack[STACK];
  static bool done;
  if (done) return;
  done = true;
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternate, NULL);
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
  for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], &action, NULL);
}

static void describe(int number, char *reason, size_t room) {
  if (number == SIGALRM)
    snprintf(reason, room, "the compiler took more than %d s", LSP_SECONDS);
  else
    snprintf(reason, room, "the compiler has crashed: %s", strsignal(number));
}

// A fault passes through `work`: the guard must be restored first.
static void run(void (*work)(void *data), void *data, sigjmp_buf *outer) {
  FaultFrame frame;
  fault_enter(&frame);
  bool failed = setjmp(frame.env) != 0;
  if (!failed) work(data);
  fault_leave(&frame);
  if (!outer) alarm(0);
  guard = outer;
  if (failed) fault_pass_on(&frame);
}

bool lsp_guarded(void (*work)(void *data), void *data, char *reason, size_t room) {
  sigjmp_buf here, *outer = guard;
  FaultFrame frame; // its place in the list of frames is the one after a jump
  install();
  fault_enter(&frame);
  int number = sigsetjmp(here, 1);
  if (number) {
    fault_leave(&frame);
    if (!outer) alarm(0);
    guard = outer;
    describe(number, reason, room);
    return false;
  }
  fault_leave(&frame);
  guard = &here;
  if (!outer) alarm(LSP_SECONDS);
  run(work, data, outer);
  return true;
}
