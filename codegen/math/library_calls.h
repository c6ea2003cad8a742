// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which functions that are not kernels are inlined and which are called.
#ifndef CODEGEN_MATH_LIBRARY_CALLS_H
#define CODEGEN_MATH_LIBRARY_CALLS_H

#include "codegen/emitter.h"

// Call after all functions are defined. Gives each its attribute. None of them is visible outside the module.
void library_choose_calls(Emitter *e);

#endif
