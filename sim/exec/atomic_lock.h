// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes read-modify-write operations atomic between the host threads that run CTAs of one launch.
#ifndef SIM_EXEC_ATOMIC_LOCK_H
#define SIM_EXEC_ATOMIC_LOCK_H

// Between the two calls no other thread's operation happens. They do not nest.
void atomic_begin(void);
void atomic_end(void);

#endif
