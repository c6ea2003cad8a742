// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work on all cores.
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stdbool.h>
#include <stdint.h>

// Calls each(data, i) for i from 0 to count - 1, on one thread per core, and waits for all of them. After one
// returns false, no more are begun. Each thread has a stack that is large enough to compile.
void parallel_run(uint32_t count, bool (*each)(void *data, uint32_t i), void *data);

#endif
