// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checkers. They observe execution through hooks.h and keep reports. A launch with checks runs on one
// host thread.
#ifndef SIM_CHECK_CHECK_H
#define SIM_CHECK_CHECK_H

#include "sim/machine/hooks.h"
#include "sim/check/waits.h"

typedef struct LaunchChecker LaunchChecker;

// The reason why this launch cannot be checked. NULL: it can.
const char *check_refusal(const Launch *launch);
// NULL: out of memory. The caller owns it and installs its hooks in the launch.
LaunchChecker *check_new(const Launch *launch);
void check_free(LaunchChecker *checker);
const SimHooks *check_hooks(const LaunchChecker *checker);
// True if memory ran out. The reports are then incomplete.
bool check_failed(const LaunchChecker *checker);

// Adds the positions of waiting warps to the last report, after a limit ended the launch.
void check_waits(LaunchChecker *checker, const WaitList *waits);

// The reports, in order of first occurrence. The checker and the program own their texts.
size_t check_report_count(const LaunchChecker *checker);
const tilec_sim_report *check_report_at(const LaunchChecker *checker, size_t index);

#endif
