// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assigns each op of a loop that rotate_loops splits to one part (rotate_parts.c).
#ifndef PASSES_ATTENTION_ROTATE_PARTS_H
#define PASSES_ATTENTION_ROTATE_PARTS_H

#include "passes/pipeline/schedule.h"
#include "passes/analysis/overlapped_dots.h"

typedef enum RotatedPart {
  PART_EARLY,  // One iteration ahead: the first dot, its operands, and values computed from it.
  PART_PACKED, // One iteration ahead, after the second dot's wait: conversions of its next operand.
  PART_LATE,   // The second dot, and ops that only it needs.
  PART_FILLS,  // The same for ops that start copies into its operand's slots.
  PART_BOTH,   // Waits for copies, fences and barriers.
} RotatedPart;

typedef struct Rotation {
  PassContext *context;
  Func *func;
  Op *loop;
  OverlappedDots dots;
  uint8_t *parts;     // By op id: the part of a top-level op of the body.
  uint8_t *late_args; // By loop-carried value: it belongs to the second dot.
  uint8_t *crosses;   // By value id: made early, taken late.
  VEC(Value *) crossing;
  const char *why; // Why the loop cannot be rotated.
} Rotation;

// Returns true if the loop can be split; otherwise r->why gives the reason. Call it after func_number.
bool rotation_find(Rotation *r);

static inline RotatedPart rotated_part(const Rotation *r, const Op *op) {
  return (RotatedPart)r->parts[op->id];
}
static inline bool rotated_is_late(const Rotation *r, const Op *op) {
  return rotated_part(r, op) == PART_LATE || rotated_part(r, op) == PART_FILLS;
}

#endif
