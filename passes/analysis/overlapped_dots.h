// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop with two chained dots: the second uses values computed from the first. overlap_dots, pipeline and rotate_loops
// ask about it here (overlapped_dots.c).
#ifndef PASSES_ANALYSIS_OVERLAPPED_DOTS_H
#define PASSES_ANALYSIS_OVERLAPPED_DOTS_H

#include "ir/queries.h"

typedef struct OverlappedDots {
  Op *first, *first_wait, *second, *second_wait;
} OverlappedDots;

// Returns true if the loop's body has two asynchronous dots and waits for both.
bool overlapped_dots_find(const Op *loop, OverlappedDots *dots);

// The buffer in shared memory that only the loop's second dot reads; NULL: there is none.
const Op *overlapped_buffer(const Op *loop);

// By value id: true if the value depends on the op `from` of the loop's body. It may depend on it in the same iteration
// or a later one: a loop-carried value is marked together with its yielded value. Call it after func_number.
uint8_t *loop_hangs_on(Arena *arena, const Func *func, const Op *loop, const Op *from);
// The op that makes the buffer that a dot reads. NULL: the operand is in registers.
const Op *dot_buffer(const Value *operand);

// The number of dots in the loop's body if a later one uses values computed from the first. 0: none does, or the loop
// is no `for`. Call it after func_number.
uint32_t chained_dots(Arena *arena, const Func *func, const Op *loop);

// Replaces the loop by one with `count` initial values. `count` is at least the old number. The first values replace
// the old ones, with their body arguments and results. Nothing yields the last values yet. If a type differs, the
// caller must fix the uses. The old loop is erased.
Op *loop_with_inits(Op *loop, uint32_t count, Value *const *inits);

// The function's loops that overlap_dots has marked, in program order.
typedef struct OverlappedLoops {
  Arena *arena;
  VEC(Op *) list;
} OverlappedLoops;

static inline OverlappedLoops overlapped_loops(Arena *arena, Func *func) {
  OverlappedLoops loops = {.arena = arena};
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (w.op->kind == OP_FOR && op_attr(w.op, ATTR_OVERLAPPED)) vec_push(arena, &loops.list, w.op);
  return loops;
}

#endif
