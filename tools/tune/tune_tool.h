// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec tune. tune_command.c asks runtime/tune/tuner.h for the configurations of the command line.
// tune_report.c prints them.
#ifndef TOOLS_TUNE_TUNE_TOOL_H
#define TOOLS_TUNE_TUNE_TOOL_H

#include "runtime/tune/tuner.h"
#include "tools/run/run.h"

// The command line's words about the kernel and its arguments, without ranges. In the run's arena. `card`:
// as for cost_card.
TuneRequest tune_request(const Run *run, const tilec_program *program, const char *card);
tilec_status tune_program(const Run *run, tilec_program **program);
// Updates the line on standard error if that is a terminal: progress, best so far, time left. Always lets the
// tuning continue.
int tune_progress(void *data, const tilec_tune_progress *progress);
void tune_progress_end(void);
void tune_text(const Tuning *t, const Run *run, Buf *out);
void tune_json(const Tuning *t, Buf *out);

#endif
