// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What makes read-modify-write operations whole, between host threads that run blocks of one launch.
#ifndef SIM_EXEC_ATOMIC_LOCK_H
#define SIM_EXEC_ATOMIC_LOCK_H

// Between the two no other thread's operation happens. They do not nest.
void atomic_begin(void);
void atomic_end(void);

#endif
