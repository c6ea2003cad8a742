// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulator's reports as diagnostics in the kernel's terms: the op, the argument and its element, the
// program, and advice. A last note has the PTX terms, on request or if nothing else is known.
#ifndef RUNTIME_DEVICE_SIM_REPORT_H
#define RUNTIME_DEVICE_SIM_REPORT_H

#include "base/diag.h"
#include "ir/memory/buffer_name.h"
#include "sim/sim.h"

typedef struct ReportContext {
  Diags *diags; // its sources give the excerpts
  const BufferName *names;
  uint32_t name_count;
  const uint64_t *args; // of the launch, for the parameter that an access names; NULL: not known
  uint32_t arg_count;
  uint32_t devices;            // The launch's: with more than one, programs are named with theirs
  const char *const *pointers; // The name of each argument that is a pointer, or NULL. NULL: not known.
  const char *ptx_file;        // For PTX from the user: locations are its lines; otherwise NULL.
  bool weak_atomics;           // The kernel has some (func_has_weak_atomics).
  bool no_shared;              // The user gave the launch no dynamic shared memory, and could.
  bool verbose;                // Adds a last note with instruction, warp, lanes and address.
} ReportContext;

// A report, or several with one cause. The report's texts and the names must outlive it.
typedef struct SimFinding {
  tilec_sim_report report;  // The first report.
  const BufferName *buffer; // One of the context's names. NULL: not known.
  Loc loc, other;           // Line 0: none.
  const Loc *waits;         // The location of each of the report's waits.
  bool before;              // An access of PTX before an allocation: another mistake than one past its end.
  uint64_t count;
  const char *schedules; // "late, early"; NULL: not shown
} SimFinding;

SimFinding report_finding(const ReportContext *context, const tilec_sim_report *report);
// Joins `later` to a report of the same cause. For a race: the same pair of locations, in any order. False: another
// cause.
bool report_joins(SimFinding *finding, const SimFinding *later);
void report_diagnose(const ReportContext *context, const SimFinding *finding);
// A store that loses updates races with a load and with itself. Then the second report becomes a note of the first.
void report_join_updates(Diags *diags);

#endif
