// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be asked of a dot: which instruction it becomes, and what that one takes (dot_instructions.def).
#ifndef IR_DOT_DOT_H
#define IR_DOT_DOT_H

#include "ir/ir.h"

typedef enum DotInstruction {
#define X(name, ...) DOT_##name,
#include "ir/dot/dot_instructions.def"
#undef X
  DOT_INSTRUCTION_COUNT
} DotInstruction;

typedef enum DotPlacement {
#define X(name, ...) DOT_PLACED_##name,
#include "ir/dot/dot_placements.def"
#undef X
} DotPlacement;

// Classes of operand types; a set of them.
typedef enum DotTypes {
  DOT_TYPES_FP16 = 1,
  DOT_TYPES_BF16 = 2,
  DOT_TYPES_TF32 = 4, // fp32 rounded
  DOT_TYPES_FP8 = 8,  // both kinds, also one with the other
  DOT_TYPES_INT8 = 16,
  DOT_TYPES_ANY = 31 + 32,
} DotTypes;

// Where an instruction takes an operand from; a set.
typedef enum DotPlaces { DOT_REGISTERS = 1, DOT_MEMORY = 2, DOT_EITHER = 3 } DotPlaces;

typedef struct DotInstructionInfo {
  const char *name;
  uint32_t warps, rows, columns, k; // k: bytes
  uint32_t types;                   // DotTypes
  uint32_t places[2];               // DotPlaces, of the instruction's first and second operand
  bool is_async;
  const char *meaning;
} DotInstructionInfo;

const DotInstructionInfo *dot_instruction_info(DotInstruction instruction);
// Of an op `dot`: fused multiply-adds where none was chosen yet.
DotInstruction dot_instruction(const Op *dot);
void dot_set_instruction(Op *dot, DotInstruction instruction);
// How a dot of fp32 is computed; of other types FP32_DOT_IEEE.
Fp32Dot dot_precision(const Op *dot);
// Whether those are several products of parts of the operands, whose sum is added up apart.
bool fp32_dot_splits(Fp32Dot precision);
// Where the dot's part of k begins in an operand that has more of it,
// and how much of k that is: all without the attribute `part`.
typedef struct DotPart {
  uint32_t first, count;
} DotPart;
DotPart dot_part(const Op *dot);
// How much of the product is meant: its tiles' sizes, or less by the attribute `extents`. k counts over all parts of it.
typedef struct DotExtents {
  uint32_t m, n, k;
} DotExtents;
DotExtents dot_extents(const Op *dot);
// How much of the dot's part of k is multiplied, from its front on: what is meant, and zeros up to the instruction's own k.
uint32_t dot_depth(const Op *dot);
// The padded dot whose result the value is, or is computed of, element by element, in the same layout, perhaps waited for or carried by
// loops: what is padding of the result is of the value too, and is any number. NULL: none is known.
const Op *dot_padding(const Value *value);
// The dot_wait for all that is under way that alone uses the dot's result, itself or through the sums of
// dots that begin with it, in the same region: the dot is done there. NULL: there is none.
Op *dot_wait_of(const Op *dot);
// The first dot_wait behind the dot in its region at which it is done, whatever the wait is for; NULL: there is none.
Op *dot_done_at(const Op *dot);
// Whether the op is a dot of that instruction.
bool is_dot_of(const Op *op, DotInstruction instruction);

#endif
