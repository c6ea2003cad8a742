// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of inline assembly.
#ifndef CODEGEN_NVVM_ASM_CALL_H
#define CODEGEN_NVVM_ASM_CALL_H

#include "codegen/emitter.h"

// A call that is put together: its results, then its operands, in the order of their numbers in the text. Nothing of it
// is in an arena: an arena that cannot grow would leave its texts behind.
typedef struct AsmCall {
  Buf text, constraints;
  Buf args;           // LLVMValueRef of each operand
  Buf types, results; // LLVMTypeRef of each operand and result
  // Results are written before all operands are read. An operand that is also tied needs another register.
  bool early;
} AsmCall;

typedef enum AsmEffects {
  ASM_CONVERGENT, // a warp's instruction that does not synchronise
  ASM_EFFECTS,    // has side effects
  ASM_ORDERED,    // keeps its order with other memory accesses and ordered calls
} AsmEffects;

void asm_result(Emitter *e, AsmCall *call, LLVMTypeRef type);
// Adds an operand, after all results. Returns its number in the text.
uint32_t asm_operand(Emitter *e, AsmCall *call, LLVMValueRef value);
// The same, in the register of a result.
void asm_tied(AsmCall *call, LLVMValueRef value, uint32_t result);
// "{$2,$3,$4,$5}"
void asm_words(Buf *text, uint32_t first, uint32_t count);
// Builds the call, and frees it. `results` may be NULL if there are none. Returns the call.
LLVMValueRef asm_build(Emitter *e, AsmCall *call, AsmEffects effects, LLVMValueRef *results);

// A call with this text, these constraints and one result. `type`: its type; void: none.
LLVMValueRef asm_of_text(Emitter *e, LLVMTypeRef type, const char *text, const char *constraints,
                         bool effects, LLVMValueRef *args, uint32_t count);

#endif
