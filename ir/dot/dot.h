// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queries on a dot: its instruction, and what that instruction accepts (dot_instructions.def).
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
  DOT_TYPES_FP8 = 8,  // both formats, also mixed
  DOT_TYPES_INT8 = 16,
  DOT_TYPES_ANY = 31 + 32,
} DotTypes;

// Sources of an instruction's operand; a set.
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
// The instruction of a `dot`; fused multiply-adds if none is chosen yet.
DotInstruction dot_instruction(const Op *dot);
void dot_set_instruction(Op *dot, DotInstruction instruction);
// The precision of an fp32 dot; FP32_DOT_IEEE for other types.
Fp32Dot dot_precision(const Op *dot);
// Returns true if the dot becomes several dots of operand parts, summed separately.
bool fp32_dot_splits(Fp32Dot precision);
enum { DOT_SUM = 2, DOT_FRESH, DOT_SCALE_A, DOT_SCALE_B }; // Operands of a dot.
// A dot with scales multiplies a number of elements along k of each operand by one scale: 32 of fp8. Its bytes are pairs of
// e2m1 numbers: 16 of them, or 8 if the scales are e4m3. 0: the dot has no scales.
uint32_t dot_scale_group(const Op *dot);
bool dot_is_scaled(const Op *dot);
bool dot_has_pairs(const Op *dot); // of e2m1
// Returns true if the dot takes operand i from a buffer or a tile: not its sums or `fresh`.
static inline bool dot_is_factor(uint32_t i) { return i < DOT_SUM || i >= DOT_SCALE_A; }
// The start and size of the dot's part of k, if an operand has more of k. The whole k without the attribute
// `part`.
typedef struct DotPart {
  uint32_t first, count;
} DotPart;
DotPart dot_part(const Op *dot);
// The unpadded size of the dot: the tiles' sizes, or less with the attribute `extents`. k covers all parts.
typedef struct DotExtents {
  uint32_t m, n, k;
} DotExtents;
DotExtents dot_extents(const Op *dot);
// The depth of the dot's part of k that is multiplied, from its start: the unpadded size, plus zeros up to
// the instruction's k.
uint32_t dot_depth(const Op *dot);
// The padded dot that produced a value. The value is its result, or is computed from it elementwise in the
// same layout. Ops dot_wait and loop-carried values may be in between. Padding of the dot's result is padding
// of the value too, and may be any number. NULL: none is known.
const Op *dot_padding(const Value *value);
// The dot_wait for all dots in flight that is the only user of the dot's result. Dots that accumulate onto
// the result, in the same region, may be in between. The dot is complete there. NULL: there is none.
Op *dot_wait_of(const Op *dot);
// The first dot_wait after the dot in its region at which it is complete, for any reason. NULL: there is
// none.
Op *dot_done_at(const Op *dot);
// Returns true if the op is a dot with that instruction.
bool is_dot_of(const Op *op, DotInstruction instruction);

#endif
