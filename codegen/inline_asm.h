// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// inline_asm's constraints: what LLVM would abort at is found by reading them first.
#ifndef CODEGEN_INLINE_ASM_H
#define CODEGEN_INLINE_ASM_H

#include "ir/ir.h"

enum { ASM_MAX_REGISTERS = 256 };

// LLVM's constraints of a register.
enum {
  ASM_PREDICATE = 'b', // i1
  ASM_INT16 = 'h',
  ASM_INT32 = 'r',
  ASM_INT64 = 'l',
  ASM_FP32 = 'f',
  ASM_FP64 = 'd',
  ASM_IMMEDIATE = 'n',      // no register: an integer that is written into the text
  ASM_WIDE_IMMEDIATE = 'w', // one of 64 bits
};

// The registers of the text, outputs first, by their constraints.
typedef struct AsmShape {
  uint32_t outputs, inputs;
  char letter[ASM_MAX_REGISTERS];
} AsmShape;

// How many elements of the type share a register of the text, of `pack` elements.
uint32_t asm_elements(const Type *type, uint32_t pack);
// Registers that `pack` elements of the type take.
uint32_t asm_registers(const Type *type, uint32_t pack);
// NULL, or what is wrong with the op's constraints or text, in the arena.
const char *asm_read(Arena *arena, const Op *op, AsmShape *shape);

// The text runs in the first holder of each element alone: it writes memory, and no other thread needs its result.
bool asm_runs_once(const Op *op);
// How often a text that writes memory runs for each element; 1 too where it reads which thread runs it.
uint32_t asm_replicas(const Op *op);

#endif
