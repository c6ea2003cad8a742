// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which functions that are not kernels are inlined into those, and which are called.
#ifndef CODEGEN_MATH_LIBRARY_CALLS_H
#define CODEGEN_MATH_LIBRARY_CALLS_H

#include "codegen/emitter.h"

// All are defined: gives each its attribute. Nothing is seen of them outside of the module.
void library_choose_calls(Emitter *e);

#endif
