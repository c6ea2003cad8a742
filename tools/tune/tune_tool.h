// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec tune: asks runtime/tune/tuner.h for the configurations of the command line (tune_command.c), and what is told of them (tune_report.c).
#ifndef TOOLS_TUNE_TUNE_TOOL_H
#define TOOLS_TUNE_TUNE_TOOL_H

#include "runtime/tune/tuner.h"
#include "tools/run/run.h"

// The line on standard error, where that is a terminal: what is done, the best so far and the time left. Never ends the tuning.
int tune_progress(void *data, const tilec_tune_progress *progress);
void tune_progress_end(void);
void tune_text(const Tuning *t, const Run *run, Buf *out);
void tune_json(const Tuning *t, Buf *out);

#endif
