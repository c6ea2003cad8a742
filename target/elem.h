// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types: elems.def as a table.
#ifndef TARGET_ELEM_H
#define TARGET_ELEM_H

#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"

// Element types carry their signedness: `div`, `shr`, comparisons and casts depend on it.
typedef enum Elem {
#define X(name, ...) ELEM_##name,
#include "target/elems.def"
#undef X
  ELEM_COUNT
} Elem;

typedef enum ElemClass { CLASS_BOOL, CLASS_SINT, CLASS_UINT, CLASS_FLOAT } ElemClass;

typedef struct ElemInfo {
  const char *name;      // "fp32"
  const char *long_name; // "float32"
  uint8_t bits;          // 1 for i1, which takes one byte in memory
  ElemClass cls;
  const char *numpy; // array-interface descr, "" if NumPy has no such type
} ElemInfo;

const ElemInfo *elem_info(Elem elem);
uint32_t elem_bytes(Elem elem); // in memory
bool elem_is_float(Elem elem);
static inline bool elem_is_fp8(Elem elem) { return elem == ELEM_FP8E4NV || elem == ELEM_FP8E5; }
static inline bool elem_is_half(Elem elem) { return elem == ELEM_FP16 || elem == ELEM_BF16; }
bool elem_is_int(Elem elem); // i1 too
bool elem_is_signed(Elem elem);
// Parses either spelling. Returns false if unknown.
bool elem_parse(Str name, Elem *elem);
// elem_spelt: parses the spelling of another language or library. elem_meant: also accepts the nearest one.
// False: none.
bool elem_spelt(Str name, Elem *elem);
bool elem_meant(Str name, Elem *elem);
const char *elem_names(void); // "i1 i8 ... fp64"

#endif
