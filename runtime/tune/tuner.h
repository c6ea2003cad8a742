// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuning, in parts: the public functions (tune.c; of what is kept, tune_kept.c), the order of steps (tuner.c), the space (tune_space.c), compiling and
// predicting one configuration (tune_attempt.c), the arguments' memory and its copies (tune_memory.c), measuring (tune_measure.c).
// The tool asks here for more than the public header offers, and tells what there is in its own words.
#ifndef RUNTIME_TUNE_TUNER_H
#define RUNTIME_TUNE_TUNER_H

#include "base/fault.h"
#include "cost/cost.h"
#include "frontend/frontend.h"
#include "passes/passes.h"
#include "runtime/device/device.h"
#include "runtime/compile/program.h"
#include "runtime/launch/specialise.h"
#include "runtime/tune.h"
#include "runtime/launch/tuned.h"

// Memory that arguments point into.
typedef struct TuneMemory {
  const char *name; // of the parameter, or NULL
  uint64_t address, bytes;
  const tilec_buffer *buffer; // that has it; NULL: `place` makes the copies
} TuneMemory;

// Whoever has the data makes the buffers that are measured on. All NULL: copies of the memories' buffers.
typedef struct TunePlaces {
  // Fills a buffer a memory; set 0 may be the caller's own.
  tilec_status (*place)(void *data, uint32_t set, tilec_buffer **buffers);
  // What the memory held at first.
  tilec_status (*restore)(void *data, uint32_t memory, tilec_buffer *buffer);
  uint32_t kept_sets; // the first so many are not freed: 0 or 1
  void *data;
} TunePlaces;

// The arguments, as the kernel takes them.
typedef struct TuneBound {
  BoundArgs args;
  const RunParam *params; // by the names of the source's parameters, args.count of them; the compilation's
} TuneBound;

// What is asked for. All that it points to outlives the tuning's making.
typedef struct TuneRequest {
  tilec_device *device;
  const tilec_program *program;
  Spec base; // kernel (any text), target, what was given of it; no constexprs, no parameters
  const char *const *defines;
  uint32_t define_count;
  const char *card;            // cost_card's, that is predicted; NULL: the device's, or the architecture's
  const char *const *disabled; // passes
  uint32_t disabled_count;
  const tilec_arg *args;
  uint32_t arg_count;
  const TuneMemory *memories; // all that arguments point into
  uint32_t memory_count;
  TunePlaces places;
  tilec_tune_options options;
} TuneRequest;

typedef struct Candidate {
  TuneSetting *settings;
  uint32_t setting_count;
  int64_t grid[3];   // its own; grid[0] 0: the request's
  const char *text;  // of the settings
  const char *error; // why it cannot be had; NULL: it can
  char *own_error;   // malloc'ed; NULL: `error` is a constant
  bool predicted;
  bool too_large; // its shared memory
  CostTime time;
  uint32_t registers, shared_bytes, blocks; // estimated; a block; a multiprocessor
  bool measured;
  uint32_t rounds; // that it was measured in
  double seconds;  // the median
} Candidate;

typedef struct tilec_tuning {
  const TuneRequest *request; // NULL once it is made
  Arena arena;
  Compilation c;   // of the kernel for the arguments, without what configurations give; empty once it is made
  Spec spec;       // so too
  TuneBound bound; // so too
  Compilation
      first_c; // the same with the ranges' first values, which functions of the file may read; has `autotune`
  Spec first;
  const TargetInfo *arch;
  const char *chip; // whose times are predicted, cost_card_of; NULL: the architecture's
  char device[24], card[64];
  bool on_gpu, on_simulator, predicts;
  Candidate *all;
  uint32_t count;
  Candidate **ranked; // those that could be compiled, the best first; behind ranked_count the others
  uint32_t ranked_count, measured_count;
  bool interrupted;
  bool kept;                 // the best is in the cache
  Autotune autotune;         // the kernel's; count 0: it has none that can be evaluated
  VEC(const char *) remarks; // of @autotune, each with its place
  const char *kernel;
  double began, step_began; // device_clock
  int stop;                 // progress asked for it; atomic
  bool lost;                // a launch has made the GPU's context unusable
} Tuning;

// TILEC_OK, or the last error is set; *tuning is to be freed (tilec_tuning_free) in every case, and NULL where there was no memory.
// TILEC_OK too where nothing is ranked, as it was ended before, and where t->lost.
tilec_status tuning_make(const TuneRequest *request, Tuning **tuning);

// What is left of the limits; whether nothing is.
LaunchLimits tuning_limits(const Tuning *t);
bool tuning_is_over(const Tuning *t);

// A step begins, whose time is told.
void tuning_step(Tuning *t);
// Tells whoever asked; several threads may.
void tuning_tell(Tuning *t, tilec_tune_step step, uint32_t done, uint32_t all, const Candidate *best);

// Why the candidate cannot be had, a copy.
void candidate_fail(Candidate *c, const char *format, ...) FAULT_PRINTF(2, 3);

// Checks what tilec_tune and its kin are given of the compile: *r has kernel, target and defines then.
tilec_status tune_take_compile(const tilec_compile_options *compile, tilec_compile_options *checked, TuneRequest *r);
// One value of a setting or range.
tilec_status tune_check_range(const tilec_tune_range *range, size_t at);

// --- the space

// All configurations: those of @autotune, each with those of the ranges, of which the last one's value changes first. What the
// request gives stands. Needs t->c and t->spec.
tilec_status tune_space(Tuning *t);
// "BLOCK=512 num_warps=4".
const char *tune_settings_text(Arena *arena, const TuneSetting *settings, uint32_t n);

// --- one configuration

// Compiled; all of it is released by attempt_free.
typedef struct Attempt {
  Tuning *tuning;
  Candidate *candidate;
  Compilation c;
  Spec spec;
  TuneBound bound;
  KernelImage image;
  Func *host; // has the parameters and host regions of the code
  int64_t grid[3];
  bool only_predict;
  bool unmade; // its tensor maps cannot be made for these arguments
  Buf cubin;
  DeviceKernel kernel;         // once it is loaded
  const struct TuneSets *sets; // that it is measured on
  uint64_t *bits;              // of the code's parameters, of all sets
  uint32_t bit_count;
  double *seconds; // of each round
} Attempt;

// Parses, and binds the arguments: c, spec and `bound` of what these settings (NULL: none) and the request give.
tilec_status attempt_bind(const TuneRequest *request, const TuneSetting *settings, uint32_t count,
                          Compilation *c, Spec *spec, TuneBound *bound);
// Compiles up to the last pass where it is only predicted, and fills what is predicted, or to the device's code. What goes wrong
// becomes candidate->error. Several threads may do this at once.
void attempt_compile(Attempt *a, bool only_predict);
// What the code takes for arguments with these bits; `out` has room for its parameters, and what it points to is the attempt's.
tilec_status attempt_code_bits(Attempt *a, const uint64_t *bits, uint64_t *out);
void attempt_free(Attempt *a);

// Runs each(data, i) for i from 0 to count on as many threads as there are cores; ends early where the tuning is over.
void tune_in_parallel(Tuning *t, uint32_t count, void (*each)(void *data, uint32_t i), void *data);

// --- memory

// What arguments point into, found from the device's buffers; those that were made for it are to be freed.
typedef struct TuneArgs {
  tilec_arg *args; // the caller's, tensors as pointers
  TuneMemory *memories;
  uint32_t memory_count;
  tilec_buffer **made;         // around tensors
  uint64_t starts[MAX_PARAMS]; // of their memory, as the tensors have it
  uint32_t made_count;
} TuneArgs;

tilec_status tune_args(Arena *arena, tilec_device *device, const tilec_arg *args, size_t count,
                       TuneArgs *out);
void tune_args_free(TuneArgs *args);

// The memory that has the address, by its number; -1: none.
int32_t tune_memory_at(const TuneRequest *request, uint64_t address);

// Copies that are used in turn.
typedef struct TuneSets {
  const TuneRequest *request;
  uint32_t count;
  tilec_buffer **buffers; // memory_count a set
} TuneSets;

tilec_status tune_sets_make(TuneSets *sets, const TuneRequest *request, Arena *arena);
void tune_sets_free(TuneSets *sets);
// An argument's bits as the set has them.
uint64_t tune_sets_bits(const TuneSets *sets, uint32_t set, const BoundArgs *bound, uint32_t i);
// The memory as it was, or all zero, in every set.
tilec_status tune_sets_put_back(const TuneSets *sets, uint32_t memory, bool zero);

// --- measuring

// Measures the first measured_count of the ranked, which are the best first then.
tilec_status tune_measure(Tuning *t);

#endif
