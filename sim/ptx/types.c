// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/ptx/types.h"

typedef struct TypeRow {
  const char *name;
  uint32_t bytes;
  PtxClass class_;
} TypeRow;

static const TypeRow rows[] = {
    {"", 0, CLASS_NONE},
#define TYPE(name, text, bytes, class) {text, bytes, class},
#include "sim/ptx/types.def"
#undef TYPE
};

PtxType ptx_type(Str name) {
  for (unsigned i = 1; i < sizeof rows / sizeof *rows; i++)
    if (str_is(name, rows[i].name)) return (PtxType)i;
  return PTX_NONE;
}

const char *ptx_type_name(PtxType type) { return rows[type].name; }
uint32_t ptx_type_bytes(PtxType type) { return rows[type].bytes; }
PtxClass ptx_type_class(PtxType type) { return rows[type].class_; }
