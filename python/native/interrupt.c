// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ctrl-C ends a simulation: while the main thread is in a launch on this CPU, SIGINT also cancels the launch, and Python's
// own handler makes it a KeyboardInterrupt afterwards.
#define _DEFAULT_SOURCE
#include "native.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// A handler has no other way to what it is for. One launch at a time is the main thread's.
static struct sigaction before;
static int interrupted;

static void cancel(int number) {
  __atomic_store_n(&interrupted, 1, __ATOMIC_RELAXED);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) before.sa_handler(number);
}

const int *interrupt_begin(void) {
  struct sigaction ours = {.sa_handler = cancel};
  if (syscall(SYS_gettid) != getpid()) return NULL; // Python's handlers run in the main thread
  if (sigaction(SIGINT, NULL, &before) < 0 || before.sa_flags & SA_SIGINFO || before.sa_handler == SIG_DFL ||
      before.sa_handler == SIG_IGN || before.sa_handler == cancel)
    return NULL;
  interrupted = 0;
  sigemptyset(&ours.sa_mask);
  return sigaction(SIGINT, &ours, NULL) < 0 ? NULL : &interrupted;
}

bool interrupt_end(const int *cancelled) {
  if (!cancelled) return true;
  sigaction(SIGINT, &before, NULL);
  return !interrupted || PyErr_CheckSignals() == 0;
}
