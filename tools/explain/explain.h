// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec explain. The report is in explain_command.c. Losses and advice are in explain_losses.c. Output is
// text, JSON or HTML.
#ifndef TOOLS_EXPLAIN_EXPLAIN_H
#define TOOLS_EXPLAIN_EXPLAIN_H

#include "cost/cost.h"
#include "passes/analysis/axis_info.h"
#include "runtime/compile/assemble.h"
#include "runtime/compile/machine_code.h"
#include "tools/explain/ncu.h"
#include "tools/run/run.h"

// The changes of another configuration. Bits.
typedef enum ExplainKnob { KNOB_TILE = 1, KNOB_WARPS = 2, KNOB_STAGES = 4 } ExplainKnob;

// How the number of programs must change to avoid a loss.
typedef enum ExplainPrograms { PROGRAMS_ANY, PROGRAMS_MORE, PROGRAMS_OTHER } ExplainPrograms;

// Another configuration of the launch, as tilec tune predicts it.
typedef struct WhatIf {
  const char *text;        // what differs, as for the command line: "BM=128 --num-warps 8"
  uint32_t changes, knobs; // how many settings differ, and their kinds
  double seconds;          // predicted
  double growth;           // of the product of the tile sizes
  double programs;         // of the launch
  double memory, latency;  // seconds of each alone
  CostBound bottleneck;
  uint32_t registers, shared_bytes, blocks; // estimated; per CTA; per multiprocessor
} WhatIf;

// The gain from fixing one problem.
typedef struct Loss {
  const char *kind; // "uncoalesced", as JSON has it
  Loc loc;
  double seconds; // The prediction falls by this much without the loss.
  double share;   // Share of the time of the bound that it affects. It orders losses that gain nothing.
  double counted; // Where the time is not predicted: its part of all `counted_of`, 0 to 1.
  const char *counted_of; // "sectors"; NULL: none.
  CostSaving saving;
  uint32_t knobs;            // Configurations that differ in these may avoid it. 0: the code has to change.
  ExplainPrograms programs;  // Those with so many programs.
  bool by_code;              // So does a change of the code, with this saving.
  double parts;              // Seconds to combine their results.
  bool tf32;                 // --fp32-dot tf32 may avoid it.
  bool only_knobs;           // No change of the code does.
  bool only_bound;           // A loss only if the prediction falls without it.
  const char *what, *change; // The problem, and the advice.
  const char *fix;           // The advice in a few words.
  const char
      *assumes; // Assumption of the time without the loss; NULL: the same numbers of programs and warps.
} Loss;

typedef VEC(Loss) LossList;

// The one change to try.
typedef struct Answer {
  const char *flaw;      // "uncoalesced"; NULL: nothing was found that gains 1 %.
  const char *change;    // The remedy, in a few words; NULL: none is known.
  const Loss *loss;      // NULL: only another configuration.
  const WhatIf *what_if; // The configuration; NULL: the code has to change.
  double gain;           // Seconds; without a predicted time the loss's `counted`.
  VEC(Loc) lines;        // All lines with the flaw; none: the whole kernel.
} Answer;

// A line of the source, with the total of its ops.
typedef struct ExplainedLine {
  Loc loc;
  VEC(const CostOp *) ops; // Those with an instruction to report, in order.
  double share;            // Share of the kernel's bound.
  uint32_t alive;          // Registers per thread that live tiles fill, at most.
} ExplainedLine;

typedef struct Explanation {
  Run *run;
  CostReport *report;       // Counts, from machine code if ptxas is on PATH. Its time is the model's.
  CostReport *model;        // By the compiler's own estimates, as tilec tune has it: time, losses.
  CubinUsage usage;         // -1: not known.
  const AxisTable *axes;    // The final IR's.
  bool given;               // Registers were given on the command line.
  VEC(ExplainedLine) lines; // By file and line.
  LossList losses;          // Largest first.
  VEC(WhatIf) what_if;      // Fastest first.
  uint32_t searched;        // Kinds of settings whose change does the same work.
  bool tried;               // Other configurations were searched.
  const char *fixed_grid;   // The tile sizes that were not tried because the grid is of numbers; NULL: none.
  Answer answer;
  CostEventList events; // For the schedule on the page.
  PassTextList passes;  // For the page.
  CodeText code;        // For the page.
  const tilec_sim *sim; // The simulator after the launch. NULL: not asked for.
  const NcuReport *ncu; // The measurements. NULL: none.
} Explanation;

// Adds the losses, sorted.
void explain_losses(Explanation *e);
void explain_add_saving(CostSaving *sum, const CostSaving *more);
// Adds other configurations.
void explain_search(Explanation *e);
// Puts the configuration that avoids the loss into its advice, and if it `compiles`, the gain of tf32.
void explain_try(const Explanation *e, Loss *loss, bool compiles);
// Bytes that are read of the buffer if each is read once.
double explain_once(const CostTraffic *traffic);
// The fewest warps, of at least `now`, that hold in registers what a program reads of the buffer. 0: it is too much.
uint32_t explain_warps_for_row(uint32_t now, const CostTraffic *traffic, uint64_t programs);
// Finds the answer, from the losses and the other configurations.
void explain_answer(Explanation *e);
// "909.7 us, limited by L2: small tiles. Try BM=128 BN=256: 212.5 us, 77 % less", in the run's arena.
const char *explain_headline(const Explanation *e);
// The least seconds for the launch's work: memory moves each byte once, or tensor cores never wait. 0: not known.
double explain_floor(const Explanation *e);
// "208.5 us", "1.20 ms".
const char *explain_duration(Arena *arena, double seconds);
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
double explain_ratio(double part, double whole); // 0 of nothing
// The op's share of the kernel's bound, 0 to 1.
double explain_share(const CostReport *report, const CostOp *op);

#endif
