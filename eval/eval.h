// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference evaluator: computes a kernel's meaning at any stage of the pipeline, simply and slowly. It is
// the oracle for the simulator and the GPU.
//
// Every float has three numbers: its value v in the kernel's types, a reference r in float64, and a bound e.
// A correct implementation may differ from r by e. Every element also records if it is defined
// (docs/testing.md has the rules for e). Memory keeps r, e and defined for stored elements, so that later
// programs see them.
//
// Further rules:
// * Below the smallest normal value, rounding adds what it adds at that value.
// * Converting a number that the target type can represent adds nothing.
// * Uncertain are: a quotient whose divisor's bound reaches 0; a NaN converted to an integer; a result that
//   is special (infinite, NaN) in only one of v and r.
// * A branch or loop bound on an uncertain value, or an uncertain address, makes all memory uncertain.
//   Evaluation continues with v.
// * An access that is not naturally aligned is an error.
#ifndef EVAL_EVAL_H
#define EVAL_EVAL_H

#include "ir/queries.h"

struct BufferName; // ir/memory/buffer_name.h

typedef struct EvalMemory EvalMemory;

EvalMemory *eval_memory_new(Arena *arena);

// Gives the evaluator `bytes` bytes at device address `address`. `data` is copied; NULL: zeros. An
// uninitialised buffer (`empty:`) has undefined elements until they are written. With `data` NULL, eval_check
// then ignores its unwritten bytes. Buffers may be adjacent. Overlapping buffers are a fault.
void eval_memory_add(EvalMemory *memory, uint64_t address, const void *data, uint64_t bytes,
                     bool initialised);
// The current bytes of the buffer added at `address`; NULL if there is none.
const uint8_t *eval_memory_bytes(const EvalMemory *memory, uint64_t address);
// Sets written[i] to 1 for each byte i of that buffer that a program stored. Other entries stay unchanged. An
// uncertain store counts as a store.
void eval_memory_written(const EvalMemory *memory, uint64_t address, uint8_t *written);

typedef union EvalArg {
  uint64_t bits; // integers and pointers, sign-extended; fp32 and narrower floats: the bits; fp64: the bits
} EvalArg;

// A launch before an op, for a stepper.
typedef struct EvalStop {
  struct Machine *machine;
  const Op *op; // not yet evaluated; of a `yield` or `return`: the region has ended
  uint32_t program[3], grid[3];
  bool failed; // the op failed: the last error of ir->diags ends the launch
} EvalStop;
// Returns false to end the launch, without an error. Ignored if stop->failed.
typedef bool (*EvalStep)(const EvalStop *stop, void *data);

typedef struct EvalOptions {
  uint64_t max_steps; // ops; 0: no limit. Past it: an error
  double timeout;     // seconds; 0: no limit. Past it: an error
  double spent;       // the part of these already used at the start
  const int *cancel;  // another thread or a signal handler sets it to nonzero to cancel: an error; NULL:
                      // unused
  // Report unordered accesses. Between threads of one program they are an error. Each element of a tile of
  // one shape is a thread, and all scalars together are one thread. Between programs they are a warning, and
  // values that depend on the order are not compared. Costs 64 bytes per accessed element, a copy of all
  // buffers, and time.
  bool races;
  bool compared; // The results are compared: warn of values that depend on the order of programs and threads.
  // Warn if offsets wrapped in 32 bits before they reached the address of an access (eval_wrap.c).
  bool wraps;
  // Inline assembly gives unknown values, with a remark, instead of an error. For results that nobody reads.
  bool assembly;
  bool uncompared; // With a warning instead: --check leaves these values out.
  bool hints;      // Warn if the promise of a hint (multiple_of and similar) is broken (eval_hint.c).
  void (*print)(const char *text, void *data); // Receives each line that a kernel prints; NULL: dropped.
  void *print_data;
  // Called before each op of a program, and after an op that failed. Ops within a reduction, scan or map are
  // part of it. NULL: not called.
  EvalStep step;
  void *step_data;
  // Maximum number of CTAs for a persistent kernel; 0: two.
  uint32_t programs;
  // Names of the buffers in messages; 0: the names of the parameters that point to them.
  const struct BufferName *names;
  uint32_t name_count;
} EvalOptions;

// Runs every program of the grid, one after another. `options` NULL: no limit, race reports, no reports of
// wraps and hints, prints dropped. A grid with a zero runs nothing and succeeds. Returns false, with located
// errors in ir->diags, for:
// * an access out of bounds or through an undefined pointer;
// * storing an undefined value or branching on it;
// * an op that cannot be evaluated.
bool eval_launch(Func *func, const uint32_t grid[3], const EvalArg *args, EvalMemory *memory,
                 const EvalOptions *options);

// The number of a value's elements, row-major; 0: it is not computed yet, or has no elements of a scalar or
// pointer type. Values of an earlier program stay until they are computed again.
uint32_t eval_stop_elements(const EvalStop *stop, const Value *value);
// Appends element i: "1.5", "True", "undefined"; of a pointer "x[12]", also past the buffer's end.
void eval_stop_print(const EvalStop *stop, const Value *value, uint32_t i, Buf *out);
// The element as a number. Returns false for an undefined one and for a pointer.
bool eval_stop_number(const EvalStop *stop, const Value *value, uint32_t i, double *number);

// The bits of a defined integer, extended to 64 bits.
int64_t eval_stop_integer(const EvalStop *stop, const Value *value, uint32_t i);
// Returns true if the integer differs from what it would be without overflow in its type (EvalOptions.wraps).
bool eval_stop_wrapped(const EvalStop *stop, const Value *value, uint32_t i);
// Appends a line for each of the first operations that wrapped since the last call, also within expressions.
void eval_stop_wraps(const EvalStop *stop, Buf *out);

// Returns true if the last launch's error is the evaluator's own, not the kernel's: inline assembly, a loop
// that waits for a later program, or a limit.
bool eval_gave_up(const EvalMemory *memory);

// Evaluates a host region of the function for these arguments. Values beyond its results are 1. Grid sizes
// are checked. Returns false with an error in ir->diags.
bool eval_host(Func *func, const HostRegion *host, const EvalArg *args, int64_t values[HOST_VALUES]);

// *holds: the function's guard accepts a launch with this grid. True for a function without a guard. Returns
// false with an error in ir->diags.
bool eval_guard(Func *func, const EvalArg *args, const uint32_t grid[3], bool *holds);

// The function's @grid for these arguments; missing dimensions are 1. Returns false with an error in
// ir->diags if there is no @grid, or a size is negative or too large.
bool eval_grid(Func *func, const EvalArg *args, uint32_t grid[3]);

// Compares a buffer of another implementation with the evaluator's.
typedef struct EvalCheck {
  uint64_t elements, compared;
  uint64_t outputs;   // Elements that programs wrote, or may have written; the others are unchanged inputs.
  uint64_t uncertain; // Skipped outputs: correct implementations may differ in them.
  uint64_t unread;    // The part of these that depends on what a masked load without `other` did not read.
  uint64_t assembled; // The part of these that depends on inline assembly.
  uint64_t unwritten; // In an uninitialised buffer: elements that no program wrote.
  uint64_t first_unwritten, last_unwritten; // Indices, if unwritten > 0.
  bool stored_to;                           // The kernel has stores that may reach the buffer.
  bool vague;           // Floats with a bound are uncertain too: 0 passes for each, or together they do not
                        // follow r.
  uint64_t wrong;       // Outside the bound, or bytes changed that no program wrote.
  double worst;         // The largest |got - r| / allowed over the compared floats.
  uint64_t first_wrong; // Element index, if wrong > 0.
  // NULL if none is wrong; "element 17: got 1.5, expected 2 (reference 2, allowed 1e-6)"; in the memory's
  // arena.
  const char *first_message;
  const char *got, *expected; // The element's values as decimals; NULL if it is not whole.
} EvalCheck;

// `elem` is the type for comparison if nothing was stored with another type. Returns false if wrong > 0.
bool eval_check(const EvalMemory *memory, uint64_t address, const void *got, Elem elem, EvalCheck *check);

#endif
