// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of tuning:
// * public functions: tune.c, and tune_kept.c for kept results;
// * order of the steps: tuner.c;
// * the space: tune_space.c;
// * compiling and predicting one configuration: tune_attempt.c;
// * the arguments' memory and its copies: tune_memory.c;
// * measuring: tune_measure.c.
//
// The tool uses this header for features that the public one lacks, and prints the results itself.
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
  const tilec_buffer *buffer; // the buffer with it; NULL: `place` makes the copies
} TuneMemory;

// The owner of the data makes the buffers for measuring. All NULL: the memories' buffers are copied.
typedef struct TunePlaces {
  // Fills in one buffer per memory. Set 0 may be the caller's buffers.
  tilec_status (*place)(void *data, uint32_t set, tilec_buffer **buffers);
  // Restores the memory's initial contents.
  tilec_status (*restore)(void *data, uint32_t memory, tilec_buffer *buffer);
  uint32_t kept_sets; // this many of the first sets are not freed: 0 or 1
  void *data;
} TunePlaces;

// The arguments as the kernel takes them.
typedef struct TuneBound {
  BoundArgs args;
  const RunParam *params; // args.count of them, with the names of the source's parameters; owned by the
                          // compilation
} TuneBound;

// The request. All that it points to must outlive the making of the tuning.
typedef struct TuneRequest {
  tilec_device *device;
  const tilec_program *program;
  Spec base; // kernel (any text), target, and given options; no constexprs, no parameters
  const char *const *defines;
  uint32_t define_count;
  const char *card;            // as for cost_card: the predicted card; NULL: the device's, or the
                               // architecture's
  const char *const *disabled; // passes
  uint32_t disabled_count;
  const tilec_arg *args;
  uint32_t arg_count;
  const TuneMemory *memories; // all memory that arguments point into
  uint32_t memory_count;
  TunePlaces places;
  tilec_tune_options options;
} TuneRequest;

// The work of a launch, whatever the configuration: to see that another one does the same work.
typedef struct TuneWork {
  double flops, read,
      written;    // of dots; bytes that are read, of each buffer at most its size; bytes that are written
  double outside; // bytes asked for at addresses of no buffer
} TuneWork;

typedef struct Candidate {
  TuneSetting *settings;
  uint32_t setting_count;
  int64_t grid[3];   // its grid; grid[0] 0: the request's
  const char *text;  // of the settings
  const char *error; // why it does not work; NULL: it works
  char *own_error;   // malloc'ed; NULL: `error` is a constant
  bool predicted;
  bool too_large; // its shared memory is too large
  CostTime time;
  TuneWork work;
  double programs;                          // of the launch
  uint32_t registers, shared_bytes, blocks; // estimated; per CTA; per multiprocessor
  bool measured;
  uint32_t rounds; // number of measured rounds
  double seconds;  // the median
} Candidate;

typedef struct tilec_tuning {
  const TuneRequest *request; // NULL after the tuning is made
  Arena arena;
  Compilation c;   // The kernel for the arguments, without the values of configurations. Empty after the
                   // tuning is made.
  Spec spec;       // For the same compile. Empty after the tuning is made.
  TuneBound bound; // For the same compile. Empty after the tuning is made.
  Compilation
      first_c; // The same with the ranges' first values, which functions of the file may read; has `autotune`
  Spec first;
  const TargetInfo *arch;
  const char *chip; // the predicted card, from cost_card_of; NULL: the architecture's
  char device[24], card[64];
  bool on_gpu, on_simulator, predicts;
  Candidate *all;
  uint32_t count;
  Candidate **ranked; // those that compiled, best first; the others follow after ranked_count
  uint32_t ranked_count, measured_count;
  bool interrupted;
  bool kept;                 // the best is in the cache
  Autotune autotune;         // of the kernel; count 0: it has none that can be evaluated
  VEC(const char *) remarks; // about @autotune, each with its location
  const char *kernel;
  double began, step_began; // seconds_now
  int stop;                 // progress asked to stop; atomic
  bool lost;                // a launch has made the GPU's context unusable
} Tuning;

// TILEC_OK, or the last error is set. The caller always frees *tuning (tilec_tuning_free). It is NULL if
// memory was exhausted. Also TILEC_OK if it ended before the ranking, and if t->lost.
tilec_status tuning_make(const TuneRequest *request, Tuning **tuning);

// The remaining limits. tuning_is_over: true if nothing remains of them.
LaunchLimits tuning_limits(const Tuning *t);
bool tuning_is_over(const Tuning *t);

// A step begins, and its time counts from here.
void tuning_step(Tuning *t);
// Calls the progress callback. Several threads may call this.
void tuning_tell(Tuning *t, tilec_tune_step step, uint32_t done, uint32_t all, const Candidate *best);

// Sets the reason why the candidate does not work. The text is copied.
void candidate_fail(Candidate *c, const char *format, ...) FAULT_PRINTF(2, 3);

// Checks the compile options of tilec_tune and similar functions. Sets kernel, target and defines of *r.
tilec_status tune_take_compile(const tilec_compile_options *compile, tilec_compile_options *checked,
                               TuneRequest *r);
// Checks one value of a setting or range.
tilec_status tune_check_range(const tilec_tune_range *range, size_t at);

// --- the space

// All configurations: those of @autotune, each with those of the ranges. The value of the last range changes
// first. Values in the request take precedence. Needs t->c and t->spec.
tilec_status tune_space(Tuning *t);
// "BLOCK=512 num_warps=4".
const char *tune_settings_text(Arena *arena, const TuneSetting *settings, uint32_t n);

// --- one configuration

TuneWork tune_work(const CostReport *report);

// A compile of one candidate. attempt_free releases all of it.
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
  DeviceKernel kernel;         // after the load
  const struct TuneSets *sets; // of the measurements
  uint64_t *bits;              // of the kernel's parameters, for all sets
  uint32_t bit_count;
  double *seconds; // per round
} Attempt;

// Parses, and binds the arguments. Fills c, spec and `bound` from these settings (NULL: none) and the
// request.
tilec_status attempt_bind(const TuneRequest *request, const TuneSetting *settings, uint32_t count,
                          Compilation *c, Spec *spec, TuneBound *bound);
// Only predicting: compiles up to the last pass and fills in the prediction. Otherwise compiles to the
// device's code. An error becomes candidate->error. Several threads may call this at once.
void attempt_compile(Attempt *a, bool only_predict);
// The kernel's parameters for arguments with these bits. `out` has room for all. The attempt owns the memory
// they point to.
tilec_status attempt_code_bits(Attempt *a, const uint64_t *bits, uint64_t *out);
void attempt_free(Attempt *a);

// Runs each(data, i) for i from 0 to count - 1, on one thread per core. Ends early if the tuning is over.
void tune_in_parallel(Tuning *t, uint32_t count, void (*each)(void *data, uint32_t i), void *data);

// --- memory

// Memory that arguments point into, found in the device's buffers. Buffers made for it must be freed.
typedef struct TuneArgs {
  tilec_arg *args; // the caller's, with tensors as pointers
  TuneMemory *memories;
  uint32_t memory_count;
  tilec_buffer **made;         // around tensors
  uint64_t starts[MAX_PARAMS]; // of the tensors' memory
  uint32_t made_count;
} TuneArgs;

tilec_status tune_args(Arena *arena, tilec_device *device, const tilec_arg *args, size_t count,
                       TuneArgs *out);
void tune_args_free(TuneArgs *args);

// The index of the memory that has the address. -1: none.
int32_t tune_memory_at(const TuneRequest *request, uint64_t address);

// Copies that launches alternate between.
typedef struct TuneSets {
  const TuneRequest *request;
  uint32_t count;
  tilec_buffer **buffers; // memory_count per set
} TuneSets;

tilec_status tune_sets_make(TuneSets *sets, const TuneRequest *request, Arena *arena);
void tune_sets_free(TuneSets *sets);
// An argument's bits for the set.
uint64_t tune_sets_bits(const TuneSets *sets, uint32_t set, const BoundArgs *bound, uint32_t i);
// Resets the memory in every set: to its initial contents, or to zero.
tilec_status tune_sets_put_back(const TuneSets *sets, uint32_t memory, bool zero);

// --- measuring

// Measures the first measured_count of `ranked`. Afterwards these are sorted best first.
tilec_status tune_measure(Tuning *t);

#endif
