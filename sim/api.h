// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The structs of the C API's handles, shared by its files.
#ifndef SIM_API_H
#define SIM_API_H

#include "sim/check/check.h"
#include "sim/decode/decode.h"
#include "sim/machine/global_memory.h"
#include "sim/check/waits.h"

struct tilec_sim_kernel {
  tilec_sim_module *module;
  Program program;
  tilec_sim_param *params;
};

// A kernel that cannot be run. The module's other kernels can.
typedef struct RefusedKernel {
  Str name;
  PtxError error;
} RefusedKernel;

struct tilec_sim_module {
  Arena arena;
  PtxModule tree;
  VEC(GlobalVar) globals;
  VEC(tilec_sim_kernel *) kernels;
  VEC(RefusedKernel) refused; // Kernels with an instruction that is not supported.
  tilec_sim_module *next;
};

struct tilec_sim {
  tilec_sim_options options;
  double spent; // as in Launch
  Memory memory;
  tilec_sim_module *modules;
  char *message;     // for text_free
  PtxPos load_error; // of the last load; line 0: none
  // The last launch's results. Names belong to its module.
  const tilec_sim_module *launched; // NULL: no results of a launch
  tilec_sim_counters total;
  tilec_sim_line *lines;
  size_t line_count;
  tilec_sim_report report; // of a launch without checks
  char *report_text;       // the report's; for text_free
  size_t report_count;
  LaunchChecker *checker;    // of a launch with checks; it owns the reports
  struct Timeline *timeline; // of the launches; NULL: none is recorded
  WaitList *waits;           // of a launch that ended early; NULL: none
  char *printed;             // NULL: nothing
  size_t printed_bytes;
};

// Keeps the message for tilec_sim_message. Returns `result`.
tilec_sim_result sim_fail(tilec_sim *sim, tilec_sim_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Drops those results of the last launch that name its module's files.
void sim_forget_places(tilec_sim *sim);

#endif
