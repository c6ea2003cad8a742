// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference evaluator: what a kernel means, at any stage of the pipeline, simply and slowly. It is the
// oracle for the simulator and the GPU.
//
// Every float carries its value v in the kernel's types, a reference r in float64 and a bound e on how far a
// right implementation may be from r; every element whether it is defined (docs/testing.md has the rules for
// e). Memory keeps r, e and defined for what was stored, so that they survive from one program to another.
//
// Beyond those rules: below the smallest normal value rounding adds what it adds there; conversions of a
// number that the target type has add nothing; a quotient whose divisor's bound reaches 0, a NaN as integer,
// and a result that is special (infinite, NaN) in only one of v and r are uncertain. A branch or loop bound
// on an uncertain value, or an uncertain address, makes the whole memory uncertain: evaluation goes on with
// v. An access that is not naturally aligned is an error.
#ifndef EVAL_EVAL_H
#define EVAL_EVAL_H

#include "ir/ir.h"

struct BufferName; // ir/memory/buffer_name.h

typedef struct EvalMemory EvalMemory;

EvalMemory *eval_memory_new(Arena *arena);

// Gives the evaluator `bytes` bytes at device address `address`; `data` is copied (NULL: 0, and where not
// initialised eval_check then leaves unwritten bytes alone). Not initialised (an `empty:` buffer): reading
// before writing gives undefined elements. Buffers may touch; they may not overlap (a fault).
void eval_memory_add(EvalMemory *memory, uint64_t address, const void *data, uint64_t bytes,
                     bool initialised);
// The memory's bytes now, for a buffer added at `address`; NULL where there is none.
const uint8_t *eval_memory_bytes(const EvalMemory *memory, uint64_t address);
// Sets written[i] to 1 for each byte i of that buffer that a program stored; the others stay as they are. A
// store of which it is uncertain whether it happens counts.
void eval_memory_written(const EvalMemory *memory, uint64_t address, uint8_t *written);

typedef union EvalArg {
  uint64_t bits; // integers and pointers, sign-extended; fp32 and narrower floats: the bits; fp64: the bits
} EvalArg;

typedef struct EvalOptions {
  uint64_t max_steps; // ops; 0: no limit. Past it: an error
  double timeout;     // seconds; 0: no limit. Past it: an error
  double spent;       // of these were gone at the start
  const int *cancel;  // another thread or a signal handler makes it other than 0: an error; NULL: nobody does
  // Report accesses that nothing orders: an error where threads of one program are concerned
  // (each element of a tile of one shape, and all scalars together, being one thread);
  // a warning where programs are, and what hangs on their order is not compared.
  // Costs 64 bytes for each element accessed, a copy of all buffers, and time.
  bool races;
  // Warn of offsets that wrapped in 32 bits on the way into the address of an access (eval_wrap.c).
  bool wraps;
  // Inline assembly gives values that are not known, with a warning, instead of an error: for results that are only compared.
  bool assembly;
  bool hints; // warn of hints (multiple_of and its kin) whose promise is not kept (eval_hint.c)
  void (*print)(const char *text, void *data); // takes each line that a kernel prints; NULL: dropped
  void *print_data;
  // A persistent kernel's programs are run by so many at most; 0: two.
  uint32_t programs;
  // What messages call the buffers; 0: as the parameters that point to them.
  const struct BufferName *names;
  uint32_t name_count;
} EvalOptions;

// Runs every program of the grid, one after the other; `options` NULL:
// no limit, races reported, wraps and hints not, prints dropped. False with located errors in ir->diags:
// an access out of bounds or by an undefined pointer, storing, branching on an undefined
// value, an op that cannot be evaluated. A grid with a zero runs nothing and succeeds.
bool eval_launch(Func *func, const uint32_t grid[3], const EvalArg *args, EvalMemory *memory,
                 const EvalOptions *options);

// Whether the last launch's error is the evaluator's own, not the kernel's: inline assembly, a loop that waits
// for what a later program does, a limit.
bool eval_gave_up(const EvalMemory *memory);

// What a host region of the function yields for these arguments, 1 past its values; the sizes of a grid are
// good. False with an error in ir->diags.
bool eval_host(Func *func, const HostRegion *host, const EvalArg *args, int64_t values[HOST_VALUES]);

// Whether the function's guard holds of a launch of these programs; of a function without one it does. False with an
// error in ir->diags.
bool eval_guard(Func *func, const EvalArg *args, const uint32_t grid[3], bool *holds);

// The grid of the function's @grid for these arguments; dimensions past the given ones are 1. False with an
// error in ir->diags where there is none, or a size is negative or too large.
bool eval_grid(Func *func, const EvalArg *args, uint32_t grid[3]);

// Compares what another implementation left in a buffer with what the evaluator left.
typedef struct EvalCheck {
  uint64_t elements, compared;
  uint64_t outputs;     // elements that programs wrote, or may have written; the others are unchanged inputs
  uint64_t uncertain;   // outputs that were skipped: right implementations may differ in them
  uint64_t unread;      // of these: they depend on what a masked load without `other` did not read
  uint64_t assembled;   // of these: they depend on inline assembly
  bool vague;           // floats with a bound are uncertain too: 0 passes for each, or together they do not follow r
  uint64_t wrong;       // outside the bound, or bytes changed that no program wrote
  double worst;         // the largest |got - r| / allowed over the compared floats
  uint64_t first_wrong; // element index, where wrong > 0
  // NULL where none is wrong; "element 17: got 1.5, expected 2 (reference 2, allowed 1e-6)";
  // in the memory's arena.
  const char *first_message;
  const char *got, *expected; // of that element, as decimals; NULL where it is not whole
} EvalCheck;

// `elem` is how the buffer is compared where nothing was stored with another type. False where wrong > 0.
bool eval_check(const EvalMemory *memory, uint64_t address, const void *got, Elem elem, EvalCheck *check);

#endif
