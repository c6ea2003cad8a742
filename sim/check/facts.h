// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a report says of its instruction and of memory, whether the launch is checked or not.
#ifndef SIM_CHECK_FACTS_H
#define SIM_CHECK_FACTS_H

#include "sim/machine/state.h"

bool site_same(const Site *a, const Site *b); // with its calls

// Sets the report's place, block, instruction and allocation; its address is set.
void report_facts(tilec_sim_report *report, const Launch *launch, const Insn *insn, uint32_t block);
tilec_sim_access access_of(const Insn *insn);
void report_block(const Launch *launch, uint32_t block, uint32_t id[3]);

#endif
