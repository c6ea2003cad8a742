// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's .npy files, versions 1 to 3 (NEP 1): C order, little-endian.
#ifndef TOOLS_RUN_NPY_H
#define TOOLS_RUN_NPY_H

#include <stdio.h>
#include "base/arena.h"
#include "ir/type.h"

enum { NPY_MAX_RANK = 8 };

typedef struct NpyArray {
  char kind;          // 'f' 'i' 'u' 'b' 'V' of the descr
  uint32_t item_size; // bytes
  uint32_t rank;
  uint64_t shape[NPY_MAX_RANK];
  uint64_t elements;
  uint8_t *data; // elements * item_size bytes, in the arena
} NpyArray;

// False with the reason in *why (in the arena): no such file, or no readable array.
bool npy_read(Arena *arena, const char *path, NpyArray *array, const char **why);
// Types that NumPy lacks are written as raw items (bf16 as <u2, fp8 as |u1).
void npy_write_header(Elem elem, uint32_t rank, const uint64_t *shape, Buf *out);
// The element type that a descr names. False if there is none.
bool npy_elem(const NpyArray *array, Elem *elem);

#endif
