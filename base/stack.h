// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stack of a program's first thread grows at need, and where a limit of the address space is reached that is
// a signal nobody can answer: so it is grown while there is room.
#ifndef BASE_STACK_H
#define BASE_STACK_H

#include <stdbool.h>

// Grows the calling thread's stack by STACK_BYTES where the address space is limited. False: there is no room.
bool stack_claim(void);

#endif
