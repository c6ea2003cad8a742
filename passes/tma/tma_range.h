// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges of a kernel's integers over all programs of a launch, as ops of its guard, which the host runs.
#ifndef PASSES_TMA_TMA_RANGE_H
#define PASSES_TMA_TMA_RANGE_H

#include "ir/clone.h"
#include "passes/passes.h"

// The ends of a range: i64 values of the guard.
typedef struct HostRange {
  Value *low, *high;
} HostRange;

typedef struct KnownRange {
  const Value *of; // NULL: not asked for yet
  HostRange range;
} KnownRange;

typedef struct Guard {
  Func *func;
  HostRegion *host;
  Builder b;          // at the end of the host region
  CloneMap map;       // the body's values in the region
  Value *holds;       // i1; NULL: nothing is required yet
  VEC(Value *) asked; // the comparisons in `holds`
  KnownRange *known;  // by value id
  uint32_t count;
  VEC(KnownRange) made; // for values that passes have made since
  Arena *scratch;
} Guard;

// A guard that requires nothing. The function's values must be numbered.
Guard guard_new(PassContext *context, Func *func);
// guard_drop removes the function's guard. guard_end finishes it.
void guard_drop(Guard *g);
void guard_end(Guard *g);

// The requirements so far, to go back to.
typedef struct GuardMark {
  Op *last;
  Value *holds;
  uint32_t asked;
} GuardMark;
GuardMark guard_mark(const Guard *g);
void guard_undo(Guard *g, GuardMark mark);

// The range of all elements of the value, an integer or a tile of integers. It is valid if the guard holds. Then
// nothing in it has wrapped, all divisors are positive, and no dividend is negative. Returns false if the range is not
// known before the launch.
bool guard_range(Guard *g, const Value *value, HostRange *range);
// Records the range of a value that the pass has made.
void guard_note(Guard *g, const Value *value, HostRange range);

// i64 arithmetic in the guard, and its requirements.
Value *guard_int(Guard *g, int64_t value);
Value *guard_binary(Guard *g, OpKind kind, Value *x, Value *y);
HostRange guard_add(Guard *g, HostRange x, HostRange y);
HostRange guard_mul(Guard *g, HostRange x, HostRange y); // requires factors of at most 2^31 in size
void guard_require(Guard *g, OpKind comparison, Value *x, Value *y);
void guard_within(Guard *g, HostRange range, int64_t low, int64_t high);

#endif
