// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Limits the code that LLVM gets. Its passes and its code generation cannot be interrupted. They take about
// 20 us of one core an instruction (a sort of 16,384 elements by one warp: 360,000 instructions, 7.3 s). A
// kernel with more than MOST instructions would take too long, and too much memory.
#include <string.h>
#include "base/diag.h"
#include "codegen/emit/emit.h"
#include "codegen/nvvm/nvvm.h"

enum { MOST = 600000, FIRST_CHECK = 64 };

uint64_t emit_count_instructions(LLVMValueRef function) {
  uint64_t n = 0;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
       block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef insn = LLVMGetFirstInstruction(block); insn; insn = LLVMGetNextInstruction(insn)) n++;
  return n;
}

// Counts rarely enough to be cheap, and often enough to exceed the limit only slightly.
void emit_check_size(Emitter *e, const Op *op) {
  if (++e->ops < e->next_check) return;
  e->next_check = e->ops + FIRST_CHECK + e->ops / 8;
  if (emit_count_instructions(e->function) <= MOST) return;
  diag_error(e->diags, op->loc,
             "[T0506] the kernel is too large: more than %d instructions up to here; use more warps, a "
             "smaller tile, "
             "or range instead of static_range",
             MOST);
  longjmp(e->refused, 1);
}

// --- how much of it LLVM is asked to optimise

typedef struct Size {
  uint64_t instructions, blocks, accesses; // accesses of global memory
} Size;

static bool is_access(LLVMValueRef insn) {
  LLVMValueRef pointer = LLVMIsALoadInst(insn)    ? LLVMGetOperand(insn, 0)
                         : LLVMIsAStoreInst(insn) ? LLVMGetOperand(insn, 1)
                                                  : NULL;
  return pointer && LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == NVVM_GLOBAL;
}

// LLVM splits each into two branches, one of them in 32 bits.
static bool is_long_division(LLVMValueRef insn) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(insn);
  bool divides = opcode == LLVMSDiv || opcode == LLVMUDiv || opcode == LLVMSRem || opcode == LLVMURem;
  return divides && LLVMGetIntTypeWidth(LLVMTypeOf(insn)) == 64;
}

// A call of a library function that is inlined and has branches.
static bool is_inlined_call(LLVMValueRef insn) {
  LLVMValueRef called = LLVMIsACallInst(insn) ? LLVMGetCalledValue(insn) : NULL;
  if (!called || !LLVMIsAFunction(called) || LLVMIsDeclaration(called)) return false;
  unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", strlen("alwaysinline"));
  return LLVMGetEnumAttributeAtIndex(called, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind) != NULL;
}

static Size measure(LLVMValueRef function) {
  Size size = {0};
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
       block = LLVMGetNextBasicBlock(block), size.blocks++)
    for (LLVMValueRef insn = LLVMGetFirstInstruction(block); insn; insn = LLVMGetNextInstruction(insn)) {
      size.instructions++;
      size.accesses += is_access(insn);
      if (is_long_division(insn)) size.blocks += 3;
      if (is_inlined_call(insn)) size.blocks += 2;
    }
  return size;
}

// The work in instructions of straight-line code. LLVM visits the dominators of every comparison, and a basic
// block's instructions at every access. Both take quadratic time.
static uint64_t work(const Size *size) {
  return size->instructions + size->blocks * size->blocks / 500 + size->accesses * size->instructions / 3000;
}

// Two thirds of the size that is compiled at all. At level 0 such a module takes a third of the time (6 s
// instead of 20).
enum { MAX_OPTIMISED = MOST / 3 * 2 };

uint8_t emit_choose_level(const Emitter *e) {
  for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f; f = LLVMGetNextFunction(f)) {
    Size size = measure(f);
    if (work(&size) > MAX_OPTIMISED) return 0;
  }
  return e->target->opt_level;
}
