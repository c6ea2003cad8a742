// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about a report's instruction and about memory, for launches with and without checks.
#ifndef SIM_CHECK_FACTS_H
#define SIM_CHECK_FACTS_H

#include "sim/machine/state.h"

bool site_same(const Site *a, const Site *b); // compares their calls too

// Sets the report's location, CTA, instruction and allocation. Its address must be set.
void report_facts(tilec_sim_report *report, const Launch *launch, const Insn *insn, uint32_t block);
tilec_sim_access access_of(const Insn *insn);
bool is_multimem(const Insn *insn);
void report_block(const Launch *launch, uint32_t block, uint32_t id[3]);

#endif
