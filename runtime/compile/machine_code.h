// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ptxas makes of a compiled kernel, with the op of final tile IR that each instruction is of.
#ifndef RUNTIME_COMPILE_MACHINE_CODE_H
#define RUNTIME_COMPILE_MACHINE_CODE_H

#include "cost/cost.h"
#include "runtime/compile/compile.h"
#include "runtime/compile/assemble.h"

// After compile_codegen, of a module of one kernel: generates its PTX again, each place in it an op's number, and asks ptxas where it is
// on PATH; the code is the same as that of the PTX without places. NULL: there is no ptxas, it refuses, or the PTX is to
// be debugged. The code is the compilation's. What ptxas says of the kernel goes into `usage`.
const MachineCode *machine_code(Compilation *c, CubinUsage *usage);

#endif
