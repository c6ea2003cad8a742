// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reorders instructions. LLVM's C interface does not expose enough for this.
#ifndef CODEGEN_LLVM_INSTRUCTION_ORDER_H
#define CODEGEN_LLVM_INSTRUCTION_ORDER_H

#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// For an unterminated basic block. Computes one result after another: all that the results are made of, from
// the first inline assembly on. Instructions that touch memory, and their operands, stay.
void llvm_order_by_result(LLVMBasicBlockRef block, const LLVMValueRef *results, uint32_t count);
// The same from the basic block's first instruction on, for results computed by function calls. False: there
// are no calls.
bool llvm_order_by_calls(LLVMBasicBlockRef block, const LLVMValueRef *results, uint32_t count);
// Moves to the end of an unterminated basic block what these values alone are computed from: pure instructions.
void llvm_sink(LLVMBasicBlockRef block, const LLVMValueRef *values, uint32_t count);

// For an unterminated basic block: computes what accesses to memory need right before the first of them.
void llvm_order_by_access(LLVMBasicBlockRef block);

#ifdef __cplusplus
}
#endif

#endif
