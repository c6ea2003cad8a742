// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What makes read-modify-write operations whole, between host threads that run blocks of one launch.
#ifndef SIM_ATOMIC_H
#define SIM_ATOMIC_H

// Between the two no other thread's operation happens. They do not nest.
void atomic_begin(void);
void atomic_end(void);

#endif
