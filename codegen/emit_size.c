// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much LLVM is given. Its passes and its code generation cannot be interrupted, and take about 20 us of one core
// an instruction (a sort of 16,384 elements by one warp: 360,000 instructions, 7.3 s), so that a kernel of more
// than MOST would take longer than anybody waits, and as much memory.
#include "base/diag.h"
#include "codegen/emit.h"

enum { MOST = 600000, FIRST_CHECK = 64 };

static uint64_t count_instructions(const Emitter *e) {
  uint64_t n = 0;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(e->function); block;
       block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef insn = LLVMGetFirstInstruction(block); insn; insn = LLVMGetNextInstruction(insn)) n++;
  return n;
}

// Seldom enough that the counting is cheap, often enough that little too much is made.
void emit_check_size(Emitter *e, const Op *op) {
  if (++e->ops < e->next_check) return;
  e->next_check = e->ops + FIRST_CHECK + e->ops / 8;
  if (count_instructions(e) <= MOST) return;
  diag_error(e->diags, op->loc,
             "the kernel is too large to be compiled: up to here it takes more than %d instructions; use "
             "more warps, "
             "a smaller tile, or a loop over parts (range instead of static_range)",
             MOST);
  longjmp(e->refused, 1);
}
