// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec explain. The report is in explain_command.c. Losses and advice are in explain_losses.c. Output is
// text, JSON or HTML.
#ifndef TOOLS_EXPLAIN_EXPLAIN_H
#define TOOLS_EXPLAIN_EXPLAIN_H

#include "cost/cost.h"
#include "passes/analysis/axis_info.h"
#include "runtime/compile/assemble.h"
#include "tools/explain/ncu.h"
#include "tools/run/run.h"

// A change of one option. Its gain is predicted by compiling again.
typedef enum Candidate { CANDIDATE_NONE, CANDIDATE_STAGES, CANDIDATE_WARPS, CANDIDATE_TF32 } Candidate;

// The gain from fixing one problem.
typedef struct Loss {
  const char *kind; // "uncoalesced", as JSON has it
  Loc loc;
  double seconds; // The prediction falls by this much without the loss.
  double share;   // Share of the time of the bound that it affects. It orders losses that gain nothing.
  double counted; // Where the time is not predicted: its part of all `counted_of`, 0 to 1.
  const char *counted_of; // "sectors"; NULL: none.
  CostSaving saving;
  Candidate candidate;       // Advised only if the prediction with it is shorter.
  const char *candidate_why; // What it changes.
  bool only_bound;           // A loss only if the prediction falls without it.
  const char *what, *change; // The problem, and the advice.
} Loss;

enum { LOSSES_TOLD = 3 };

typedef VEC(Loss) LossList;

// A line of the source, with the total of its ops.
typedef struct ExplainedLine {
  Loc loc;
  VEC(const CostOp *) ops; // Those with an instruction to report, in order.
  double share;            // Share of the kernel's bound.
  uint32_t alive;          // Registers per thread that live tiles fill, at most.
} ExplainedLine;

typedef struct Explanation {
  Run *run;
  CostReport *report;
  CubinUsage usage;         // -1: not known.
  const AxisTable *axes;    // Of the final IR.
  bool given;               // Registers were given on the command line.
  VEC(ExplainedLine) lines; // By file and line.
  LossList losses;          // Largest first.
  CostEventList events;     // For the schedule on the page.
  PassTextList passes;      // For the page.
  const tilec_sim *sim;     // The simulator after the launch. NULL: not asked for.
  const NcuReport *ncu;     // The measurements. NULL: none.
} Explanation;

// The launch as the model needs it, in the run's arena.
CostLaunch explain_launch(const Run *run, const uint64_t *bits, const int64_t grid[3]);

// Adds the losses, sorted.
void explain_losses(Explanation *e);
void explain_text(const Explanation *e, bool colors, Buf *out);
void explain_json(const Explanation *e, Buf *out);
void explain_json_object(const Explanation *e, Json *json, const char *name);
// One self-contained HTML page: source with heat, IR after each pass, layouts, schedule.
void explain_html(const Explanation *e, Buf *out);
// A counter of the launch as measured and as predicted. False: one of them is not known.
typedef struct Measured {
  NcuCounter counter;
  double measured, predicted; // A predicted range has one number for both ends, or `predicted` is its upper
                              // end.
} Measured;
bool explain_measured(const Explanation *e, NcuCounter counter, Measured *out);
// Nsight Compute's counters of the line. NULL: none.
const NcuLine *explain_ncu_line(const Explanation *e, Loc loc);
// The simulator's counters of the line. NULL: none.
const tilec_sim_counters *explain_simulated(const Explanation *e, Loc loc);
// The op's share of the kernel's bound, 0 to 1.
double explain_share(const CostReport *report, const CostOp *op);

#endif
