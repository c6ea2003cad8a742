// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a program as `tilec check --check` does (on the simulator) or `tilec run --check` (elsewhere), in this
// process or in a child of it.
#ifndef TESTS_FUZZ_PROGRAMS_EXECUTE_H
#define TESTS_FUZZ_PROGRAMS_EXECUTE_H

#include "tests/fuzz/programs/program.h"

typedef enum Outcome {
  OUTCOME_PASSED,
  OUTCOME_REFUSED, // a documented limit: not built yet, not on this architecture
  OUTCOME_FAILED,
  OUTCOME_CRASHED, // a signal, or no end
} Outcome;

enum { MAX_OUTPUT = 16000, MAX_KEY = 160 };

// In memory that a child shares with its parent.
typedef struct Result {
  Outcome outcome;
  bool uncertain, warned; // elements were skipped; the evaluator warned
  char key[MAX_KEY];      // what is alike of one cause: the first error without names and numbers
  char output[MAX_OUTPUT];
} Result;

typedef struct Executor {
  const char *device;
  uint64_t watch;    // --sim-watch of the simulator; 0: its own
  const char *ptxas; // NULL: there is none
  char folder[64];   // for the kernel's file and the output
  int output;        // file descriptor of what the tool prints
} Executor;

bool executor_open(Executor *executor, const char *device);
void executor_close(Executor *executor);

// Opens the device and keeps it until the process ends, so that a GPU's context is made once.
void execute_hold_device(const Executor *executor);

// Assembles the PTX too where `assemble`.
void execute(Executor *executor, const Program *program, bool assemble, Result *result);
// The same in a child, for what may crash; result is shared memory.
void execute_apart(Executor *executor, const Program *program, bool assemble, Result *result);
// Result of a child that ended by a signal (or, 0, by itself) in the middle of a program.
void execute_crashed(const Executor *executor, int signal_number, Result *result);

// Ends this process when its next program takes a minute of the processor; on a GPU, a minute.
void execute_limit(const Executor *executor);

#endif
