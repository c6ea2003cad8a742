// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec run --step: stops a launch on the reference evaluator at lines of the kernel.
#ifndef TOOLS_RUN_STEP_H
#define TOOLS_RUN_STEP_H

#include "tools/run/run.h"

// A name of the source, and the value that it has now.
typedef struct Variable {
  const char *name;
  const Value *value;
  uint16_t call; // The call through which its function was inlined: Loc.call. 0: the kernel.
  bool fresh;    // Computed since the last stop.
} Variable;

// Numbers of an expression. `first`: of a part of a tile, the index of its first element.
typedef enum StepKind { STEP_BOOL, STEP_INT, STEP_FLOAT } StepKind;
typedef struct StepNumber {
  double f;  // of STEP_FLOAT
  int64_t i; // of the others
  bool undefined;
} StepNumber;
typedef struct StepNumbers {
  StepKind kind;
  uint32_t rank, n, shape[TILE_MAX_RANK], first[TILE_MAX_RANK];
  StepNumber *at;
} StepNumbers;

// Rounds of a loop in this program.
typedef struct StepLoop {
  const Op *op;
  uint64_t rounds;
  bool ended; // since the last stop
} StepLoop;

typedef enum StepMode {
  STEP_LINE,    // To the next line.
  STEP_OVER,    // The same, but not in functions that the line calls.
  STEP_BREAK,   // To a breakpoint, an error or the end.
  STEP_PROGRAM, // To the first line of program `wanted`.
  STEP_END,     // To the end.
} StepMode;

typedef struct Stepper {
  Run *run;
  const Func *func;
  EvalMemory *memory;
  VEC(Variable) variables;
  VEC(uint32_t) breakpoints; // lines of the kernel's file
  VEC(StepLoop) loops;
  StepMode mode;
  uint32_t wanted[3];
  uint32_t told;       // diagnostics that were shown
  Loc last;            // of the last op
  Loc shown;           // of the last stop
  uint32_t depth;      // calls around the last stop
  uint32_t program[3]; // of the last stop
  bool begun;          // stopped once in this program
  bool quits, restarts;
  char command[256]; // the last one, which an empty line repeats
  Buf out;
} Stepper;

// The values of a variable in one line: "x  fp32[256]  0.5 1 ... 2, min -3 max 2.5".
void step_print_summary(const EvalStop *stop, const Variable *variable, Buf *out);
// Elements [begin, end) with their indices.
void step_print_elements(const EvalStop *stop, const Value *value, uint32_t begin, uint32_t end, Buf *out);

// Elements of an argument's buffer as they are now. written: 1 for each byte that has a value; NULL: all have.
void step_print_buffer(const Argument *buffer, const uint8_t *bytes, const uint8_t *written, uint64_t begin,
                       uint64_t end, Buf *out);

// The variable with that name of the function that runs, or else of the kernel. NULL: none.
const Variable *step_find(const Stepper *s, Str name);
// Evaluates an expression. Integers have 64 bits. False, with the reason in *error.
bool step_evaluate(Stepper *s, const EvalStop *stop, Str text, StepNumbers *value, const char **error);
// "D // BD  int  2", or the first elements with their indices.
void step_print_numbers(Str name, const StepNumbers *numbers, uint32_t shown, Buf *out);

// Reads and runs commands until one of them continues. Returns false to end the launch.
bool step_commands(Stepper *s, const EvalStop *stop);
// Writes what is in s->out to standard output.
void step_flush(Stepper *s);

// The command's launch, for start_run.
ExitStatus step_source(Run *run, tilec_buffer **buffers);

#endif
