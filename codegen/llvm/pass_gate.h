// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of the passes that LLVM's code generator brings along run: those that find next to nothing in what tile IR's own
// passes and codegen.c's leave cost a tenth of the code generation.
#ifndef CODEGEN_LLVM_PASS_GATE_H
#define CODEGEN_LLVM_PASS_GATE_H

#include <llvm-c/Types.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PassGate PassGate;

// Code generation in the context skips them from now on; where the module was not optimised before, only what is
// wrong or slow. Owned by the caller, who frees it after the context.
PassGate *pass_gate_new(LLVMContextRef context, bool optimised);
void pass_gate_free(PassGate *gate); // NULL: nothing

#ifdef __cplusplus
}
#endif

#endif
