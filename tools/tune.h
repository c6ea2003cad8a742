// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec tune, in parts: the space (tune_space.c), compiling and predicting one configuration (tune_attempt.c), measuring
// (tune_measure.c), what is told (tune_report.c), and the order of all that (tune_command.c).
#ifndef TOOLS_TUNE_H
#define TOOLS_TUNE_H

#include "cost/cost.h"
#include "frontend/frontend.h"
#include "runtime/tuned.h"
#include "tools/run.h"

typedef struct Candidate {
  TuneSetting *settings;
  uint32_t setting_count;
  Options options;   // the command's, with the settings
  const char *error; // why it cannot be had; NULL: it can
  bool predicted;
  bool too_large; // its shared memory
  CostTime time;
  uint32_t registers, shared_bytes, blocks; // estimated; a block; a multiprocessor
  bool measured;
  uint32_t rounds; // that it was measured in
  double seconds;  // the median
} Candidate;

typedef struct Tuning {
  Run *run; // of the first configuration
  Candidate *all;
  uint32_t count;
  Candidate **ranked; // those that can be had, the lowest prediction first
  uint32_t ranked_count, measured_count;
  bool interrupted;
  bool kept; // the best is in the cache
  Autotune autotune;         // the kernel's; count 0: it has none that can be evaluated
  VEC(const char *) remarks; // of @autotune, each with its place
  const char *kernel;
  double began; // device_clock
} Tuning;

// All configurations: those of @autotune, each with those of the ranges, of which the last one's value changes first. What the command
// line gives stands. Needs run->spec with what is known of the arguments.
tilec_status tune_space(Tuning *t);

// The run's specialisation as the command line gives it: without what the ranges give.
Spec tune_base_spec(const Run *run);

// One configuration, compiled; all of it is released by attempt_free.
typedef struct Attempt {
  Tuning *tuning;
  Candidate *candidate;
  Arena arena;
  Compilation c;
  Run run;
  BoundArgs bound;
  KernelImage image;
  int64_t grid[3];
  Buf cubin;
  DeviceKernel kernel; // once it is loaded
  CodeArgs code;
  double *seconds; // of each round
} Attempt;

// Compiles for the first configuration's arguments, up to the last pass where it is only predicted, and fills what is predicted.
// What goes wrong becomes candidate->error. Several threads may do this at once.
void attempt_compile(Attempt *a, bool only_predict);
void attempt_free(Attempt *a);

// Runs each(data, i) for i from 0 to count on as many threads as there are cores; ends early where the run is over.
void tune_in_parallel(Run *run, uint32_t count, void (*each)(void *data, uint32_t i), void *data);

// Measures the first measured_count of the ranked, which are the best first then.
ExitStatus tune_measure(Tuning *t, tilec_buffer **buffers);

// The line on standard error, where that is a terminal: `done` of `all`, the best so far (NULL: none) and the time left.
void tune_progress(const Tuning *t, const char *what, uint32_t done, uint32_t all, const Candidate *best);
void tune_progress_end(void);
void tune_text(const Tuning *t, Buf *out);
void tune_json(const Tuning *t, Buf *out);

#endif
