// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of instructions, which LLVM's C interface cannot ask enough about to change it.
#ifndef CODEGEN_LLVM_INSTRUCTION_ORDER_H
#define CODEGEN_LLVM_INSTRUCTION_ORDER_H

#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Of a block that is not ended: what the results are made of, from the first product by inline assembly on, is computed for one result
// after the other. What touches memory, and what such an instruction takes, stays.
void llvm_order_by_result(LLVMBasicBlockRef block, const LLVMValueRef *results, uint32_t count);
// The same from the block's first instruction on, where the results are made by calls of functions. False: they are not.
bool llvm_order_by_calls(LLVMBasicBlockRef block, const LLVMValueRef *results, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif
