// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stack of a program's first thread grows on demand. Under an address-space limit, failed growth is a
// signal that no handler can treat. So the stack is grown early, while there is room.
#ifndef BASE_STACK_H
#define BASE_STACK_H

#include <stdbool.h>

// Grows the calling thread's stack by STACK_BYTES if the address space is limited. Returns false if there is
// no room.
bool stack_claim(void);

#endif
