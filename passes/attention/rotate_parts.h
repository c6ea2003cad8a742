// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops of a loop that rotate_loops takes apart belong to which part (rotate_parts.c).
#ifndef PASSES_ATTENTION_ROTATE_PARTS_H
#define PASSES_ATTENTION_ROTATE_PARTS_H

#include "passes/pipeline/schedule.h"
#include "passes/analysis/overlapped_dots.h"

typedef enum RotatedPart {
  PART_EARLY,  // an iteration ahead: what the first product takes, itself, and what is computed of it
  PART_PACKED, // the same, where the second product has been waited for: conversions of what it takes next
  PART_LATE,   // the second product, and what only that needs
  PART_FILLS,  // the same: what begins copies into its operand's slots
  PART_BOTH,   // waits for copies, fences and barriers
} RotatedPart;

typedef struct Rotation {
  PassContext *context;
  Func *func;
  Op *loop;
  OverlappedDots dots;
  uint8_t *parts;     // of a top-level op of the body, by its id
  uint8_t *late_args; // by carried value: it is the second product's
  uint8_t *crosses;   // by value id: made early, taken late
  VEC(Value *) crossing;
  const char *why; // not
} Rotation;

// Whether the loop can be taken apart; r->why says why not. After func_number.
bool rotation_find(Rotation *r);

static inline RotatedPart rotated_part(const Rotation *r, const Op *op) {
  return (RotatedPart)r->parts[op->id];
}
static inline bool rotated_is_late(const Rotation *r, const Op *op) {
  return rotated_part(r, op) == PART_LATE || rotated_part(r, op) == PART_FILLS;
}
// Whether the late part makes the early value anew: numbers, addresses, masks and copies of one element.
bool rotated_is_cheap(const Op *op);

#endif
