// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses inline_asm's constraints and text first, to report what LLVM would abort on.
#ifndef CODEGEN_INLINE_ASM_H
#define CODEGEN_INLINE_ASM_H

#include "ir/ir.h"

enum { ASM_MAX_REGISTERS = 256 };

// LLVM's register constraints.
enum {
  ASM_PREDICATE = 'b', // i1
  ASM_INT16 = 'h',
  ASM_INT32 = 'r',
  ASM_INT64 = 'l',
  ASM_FP32 = 'f',
  ASM_FP64 = 'd',
  ASM_IMMEDIATE = 'n',      // not a register: an integer written into the text
  ASM_WIDE_IMMEDIATE = 'w', // one of 64 bits
};

// The registers of the text, outputs first, by their constraints.
typedef struct AsmShape {
  uint32_t outputs, inputs;
  char letter[ASM_MAX_REGISTERS];
} AsmShape;

// The number of elements of the type that share a register of the text, for `pack` elements.
uint32_t asm_elements(const Type *type, uint32_t pack);
// Returns NULL, or in the arena what is wrong with the op's constraints or text.
const char *asm_read(Arena *arena, const Op *op, AsmShape *shape);
// True if the text surely computes an output from an input that holds other elements of its pack.
bool asm_mixes_elements(const Op *op, const AsmShape *shape);

// True if only the first holder of each element runs the text: it writes memory, and no other thread needs
// its result.
bool asm_runs_once(const Op *op);
// How often a text that writes memory runs for each element. 1 also if it reads which thread runs it.
uint32_t asm_replicas(const Op *op);
// True if the text writes memory.
bool asm_has_effects(const Op *op);

#endif
