// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec explain, in parts: the report (explain_command.c), what is lost and what to try (explain_losses.c), text, JSON and HTML.
#ifndef TOOLS_EXPLAIN_EXPLAIN_H
#define TOOLS_EXPLAIN_EXPLAIN_H

#include "cost/cost.h"
#include "runtime/compile/assemble.h"
#include "tools/explain/ncu.h"
#include "tools/run/run.h"

// What is to be gained where one thing is mended.
typedef struct Loss {
  const char *kind; // "uncoalesced"; for programs
  Loc loc;
  double seconds;            // by which the prediction is lower without it
  double share;              // of its own bound's time that it is: which of two that gain nothing comes first
  const char *what, *change; // what there is, and what to try
} Loss;

enum { LOSSES_TOLD = 3 };

typedef VEC(Loss) LossList;

// A line of the source, with what its ops do together.
typedef struct ExplainedLine {
  Loc loc;
  VEC(const CostOp *) ops; // with an instruction to tell, in order
  double share;            // of what bounds the kernel
  uint32_t alive;          // registers a thread that tiles fill where most of them are alive
} ExplainedLine;

typedef struct Explanation {
  Run *run;
  CostReport *report;
  CubinUsage usage;         // -1: nobody told
  bool given;               // its registers are the command line's
  VEC(ExplainedLine) lines; // by file and line
  LossList losses;          // the largest first
  CostEventList events;     // of the page's schedule
  PassTextList passes;      // for the page
  const tilec_sim *sim;     // that has run the launch; NULL: none was asked for
  const NcuReport *ncu;     // what was measured; NULL: nobody has
} Explanation;

// What the model needs of a launch, in the run's arena.
CostLaunch explain_launch(const Run *run, const uint64_t *bits, const int64_t grid[3]);

// Adds the losses, sorted.
void explain_losses(Explanation *e);
void explain_text(const Explanation *e, bool colors, Buf *out);
void explain_json(const Explanation *e, Buf *out);
void explain_json_object(const Explanation *e, Json *json, const char *name);
// One page of HTML that holds all that it needs: source with heat, IR after each pass, layouts, schedule.
void explain_html(const Explanation *e, Buf *out);
// What of the launch was measured, with what is predicted of it; false: one of them is not known.
typedef struct Measured {
  NcuCounter counter;
  double measured, predicted; // a range's ends are one number, or `predicted` is the greater one
} Measured;
bool explain_measured(const Explanation *e, NcuCounter counter, Measured *out);
// What Nsight Compute has of the line; NULL: nothing.
const NcuLine *explain_ncu_line(const Explanation *e, Loc loc);
// What the simulator counted at the line; NULL: nothing.
const tilec_sim_counters *explain_simulated(const Explanation *e, Loc loc);
// What the op takes of what bounds the kernel, 0 to 1.
double explain_share(const CostReport *report, const CostOp *op);

#endif
