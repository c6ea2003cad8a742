// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine code that ptxas makes for a compiled kernel. Each instruction has its op of final tile IR.
#ifndef RUNTIME_COMPILE_MACHINE_CODE_H
#define RUNTIME_COMPILE_MACHINE_CODE_H

#include "cost/cost.h"
#include "runtime/compile/compile.h"
#include "runtime/compile/assemble.h"

// A line of code as text, with its op of final tile IR; NULL: none.
typedef struct CodeLine {
  Str text;
  const Op *op;
} CodeLine;
typedef VEC(CodeLine) CodeLines;

typedef struct CodeText {
  CodeLines ptx, sass; // sass: empty without ptxas, or without nvdisasm and cuobjdump
} CodeText;

// Call after compile_codegen of a module with one kernel. If ptxas is on PATH, generates the PTX again, with
// op numbers as line numbers, and assembles it. The code is the same as without these lines. NULL: there is
// no ptxas, it rejects the PTX, or the PTX is for debugging. The compilation owns the code. `usage` gets the
// resources that ptxas reports. `text`, if not NULL, gets the code as text, the PTX without ptxas too.
const MachineCode *machine_code(Compilation *c, CubinUsage *usage, CodeText *text);

#endif
