// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/run/interrupt.h"

#include <signal.h>
#include <stddef.h>

// Static, because a signal handler uses it.
static int interrupted;
static struct sigaction before;

static void on_interrupt(int number) {
  (void)number;
  __atomic_store_n(&interrupted, 1, __ATOMIC_RELAXED);
}

void interrupt_begin(void) {
  struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  interrupted = 0;
  sigaction(SIGINT, NULL, &before);
  if (before.sa_handler != SIG_IGN)
    sigaction(SIGINT, &action, NULL); // if ignored (a script in the
                                      // background), it stays ignored
}

void interrupt_end(void) { sigaction(SIGINT, &before, NULL); }

const int *interrupt_flag(void) { return &interrupted; }
