// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a failing program smaller: fewer lines, operands for results, one warp, one program, as long as it
// fails with the same key.
#ifndef TESTS_FUZZ_PROGRAMS_MINIMISE_H
#define TESTS_FUZZ_PROGRAMS_MINIMISE_H

#include "tests/fuzz/programs/execute.h"

// result: of the program, in shared memory; afterwards that of the smaller one. Stops after `seconds`.
void program_minimise(Executor *executor, Program *program, bool assemble, double seconds, Result *result);

#endif
