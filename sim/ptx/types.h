// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX's scalar types.
#ifndef SIM_PTX_TYPES_H
#define SIM_PTX_TYPES_H

#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"

typedef enum PtxType {
  PTX_NONE, // no type given
#define TYPE(name, text, bytes, class) PTX_##name,
#include "sim/ptx/types.def"
#undef TYPE
} PtxType;

typedef enum PtxClass {
  CLASS_NONE,
  CLASS_PRED,
  CLASS_BITS,
  CLASS_UNSIGNED,
  CLASS_SIGNED,
  CLASS_INT_PAIR,
  CLASS_FLOAT
} PtxClass;

// PTX_NONE if `name` ("u32", without the dot) is no type.
PtxType ptx_type(Str name);
const char *ptx_type_name(PtxType type); // "u32"
uint32_t ptx_type_bytes(PtxType type);   // in memory; 0 for predicates
PtxClass ptx_type_class(PtxType type);

static inline bool ptx_type_is_int(PtxType type) {
  PtxClass c = ptx_type_class(type);
  return c == CLASS_BITS || c == CLASS_UNSIGNED || c == CLASS_SIGNED;
}

#endif
