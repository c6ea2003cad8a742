// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between which numbers a kernel's integers are in all programs of a launch, as ops of its guard, which the host runs.
#ifndef PASSES_TMA_TMA_RANGE_H
#define PASSES_TMA_TMA_RANGE_H

#include "ir/clone.h"
#include "passes/passes.h"

// i64 values of the guard.
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
  Builder b;         // at the host region's end
  CloneMap map;      // the body's values in it
  Value *holds;      // i1; NULL: nothing is asked for yet
  VEC(Value *) asked; // of which it is made
  KnownRange *known; // by value id
  uint32_t count;
  VEC(KnownRange) made; // of values that passes made since
  Arena *scratch;
} Guard;

// A guard that asks for nothing, of a function whose values are numbered.
Guard guard_new(PassContext *context, Func *func);
// Takes the function's guard away, or ends it.
void guard_drop(Guard *g);
void guard_end(Guard *g);

// What has been asked for so far, to go back to.
typedef struct GuardMark {
  Op *last;
  Value *holds;
  uint32_t asked;
} GuardMark;
GuardMark guard_mark(const Guard *g);
void guard_undo(Guard *g, GuardMark mark);

// What all elements of the value are between, an integer or a tile of integers: where the guard holds nothing in it has
// wrapped, divided by what is not positive or divided what is negative. False: it is not known before a launch.
bool guard_range(Guard *g, const Value *value, HostRange *range);
// Says it of a value that the pass has made.
void guard_note(Guard *g, const Value *value, HostRange range);

// i64 arithmetic in the guard, and what it is to hold of.
Value *guard_int(Guard *g, int64_t value);
Value *guard_binary(Guard *g, OpKind kind, Value *x, Value *y);
HostRange guard_add(Guard *g, HostRange x, HostRange y);
HostRange guard_mul(Guard *g, HostRange x, HostRange y); // of numbers below 2^31, which it asks for
void guard_require(Guard *g, OpKind comparison, Value *x, Value *y);
void guard_within(Guard *g, HostRange range, int64_t low, int64_t high);

#endif
