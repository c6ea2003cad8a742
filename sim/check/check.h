// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checkers: they hear through hooks.h what execution does, and keep reports. A launch with checks runs on
// one host thread.
#ifndef SIM_CHECK_CHECK_H
#define SIM_CHECK_CHECK_H

#include "sim/machine/hooks.h"
#include "sim/check/waits.h"

typedef struct LaunchChecker LaunchChecker;

// Why this launch cannot be checked; NULL where it can.
const char *check_refusal(const Launch *launch);
// NULL: no memory. Belongs to the caller, who gives the launch its hooks.
LaunchChecker *check_new(const Launch *launch);
void check_free(LaunchChecker *checker);
const SimHooks *check_hooks(const LaunchChecker *checker);
// Memory ran out: what it says is not complete.
bool check_failed(const LaunchChecker *checker);

// Adds to the last report where warps waited when a limit ended the launch.
void check_waits(LaunchChecker *checker, const WaitList *waits);

// The reports, in order of their first occurrence. The checker and the program own their texts.
size_t check_report_count(const LaunchChecker *checker);
const tilec_sim_report *check_report_at(const LaunchChecker *checker, size_t index);

#endif
