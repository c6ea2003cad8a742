// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulator's reports as diagnostics in the words of the kernel: the op, the argument and its element, the
// program, what to do; where it is asked for, or nothing else is known, PTX's words in a last note.
#ifndef RUNTIME_DEVICE_SIM_REPORT_H
#define RUNTIME_DEVICE_SIM_REPORT_H

#include "base/diag.h"
#include "ir/memory/buffer_name.h"
#include "sim/sim.h"

typedef struct ReportContext {
  Diags *diags; // its sources give the excerpts
  const BufferName *names;
  uint32_t name_count;
  const uint64_t *args; // the launch's, for the parameter that an access says it uses; NULL: not known
  uint32_t arg_count;
  const char *ptx_file; // of PTX that the user gave: where a place is not known it is its line. Else NULL
  bool verbose;         // a last note has the instruction, warp, lanes and address
} ReportContext;

// A report, or several that have one cause. The report's texts and the names must live as long as this.
typedef struct SimFinding {
  tilec_sim_report report;  // the first
  const BufferName *buffer; // of the context's names; NULL: not known
  Loc loc, other;           // line 0: there is none
  const Loc *waits;         // where each of the report's waits stands
  uint64_t count;
  const char *schedules; // "late, early"; NULL: not said
} SimFinding;

SimFinding report_finding(const ReportContext *context, const tilec_sim_report *report);
// Whether they have one cause: of a race, one pair of places, whichever access came first.
bool report_same_cause(const SimFinding *a, const SimFinding *b);
void report_diagnose(const ReportContext *context, const SimFinding *finding);

#endif
