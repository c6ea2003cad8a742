// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors in an arena. Declare VEC(T) v = {0}; the elements are v.at[0 .. v.n). Loop with for (uint32_t i =
// 0; i < v.n; i++). Growing moves the elements (the old memory stays in the arena until it is freed). So keep
// indices, not pointers, across a push.
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdint.h>
#include "base/arena.h"

#define VEC(T)                                                                                               \
  struct {                                                                                                   \
    T *at;                                                                                                   \
    uint32_t n, cap;                                                                                         \
  }

#define vec_push(arena, v, value)                                                                            \
  ((v)->at = (v)->n == (v)->cap ? vec_grow((arena), (v)->at, &(v)->cap, sizeof *(v)->at) : (v)->at,          \
   (v)->at[(v)->n++] = (value))

#define vec_pop(v)  ((v)->at[--(v)->n])
#define vec_last(v) ((v)->at[(v)->n - 1])

void *vec_grow(Arena *arena, void *old, uint32_t *cap, size_t size);

#endif
