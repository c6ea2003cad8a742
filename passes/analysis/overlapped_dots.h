// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop's two products, the second of which takes what is computed of the first: what overlap_dots, pipeline and
// rotate_loops ask of it (overlapped_dots.c).
#ifndef PASSES_ANALYSIS_OVERLAPPED_DOTS_H
#define PASSES_ANALYSIS_OVERLAPPED_DOTS_H

#include "ir/build.h"

typedef struct OverlappedDots {
  Op *first, *first_wait, *second, *second_wait;
} OverlappedDots;

// Whether the loop's body has two products, asynchronous ones that are waited for in it.
bool overlapped_dots_find(const Op *loop, OverlappedDots *dots);

// The buffer in shared memory that the loop's second product reads, and the first does not; NULL: there is none.
const Op *overlapped_buffer(const Op *loop);

// By value id: whether the value hangs on the op `from` of the loop's body, in its iteration or a later one (what the loop
// carries is marked with what is yielded for it). After func_number.
uint8_t *loop_hangs_on(Arena *arena, const Func *func, const Op *loop, const Op *from);
// Whether the op takes a marked value, or an op within its regions does.
bool takes_marked(const uint8_t *marks, const Op *op);

// How many products the loop's body has of which a later one takes what is computed of the first; 0: none does, or it is no for.
// After func_number.
uint32_t chained_dots(Arena *arena, const Func *func, const Op *loop);

// The loop with `count` initial values instead of its own, as many at least, of which the ones that come first take the place of
// its own; body and results are theirs. The last ones are yielded by nothing yet, and where a type is another one the uses are to
// be mended. The loop itself is erased.
Op *loop_with_inits(Op *loop, uint32_t count, Value *const *inits);

// The function's loops that overlap_dots has marked, in program order.
typedef struct OverlappedLoops {
  Arena *arena;
  VEC(Op *) list;
} OverlappedLoops;

static inline void overlapped_push(Op *op, void *data) {
  OverlappedLoops *loops = data;
  if (op->kind == OP_FOR && op_attr(op, ATTR_OVERLAPPED)) vec_push(loops->arena, &loops->list, op);
}

static inline OverlappedLoops overlapped_loops(Arena *arena, Func *func) {
  OverlappedLoops loops = {.arena = arena};
  region_walk(func->body, overlapped_push, &loops);
  return loops;
}

#endif
