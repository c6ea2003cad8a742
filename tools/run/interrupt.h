// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ctrl-C while kernels run. The first one ends the launch, which then reports its position. The second one
// ends the process.
#ifndef TOOLS_RUN_INTERRUPT_H
#define TOOLS_RUN_INTERRUPT_H

void interrupt_begin(void);
void interrupt_end(void);
const int *interrupt_flag(void); // not 0 after a Ctrl-C
#endif
