// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of element types.
#include "target/elem.h"

#include "base/fault.h"

static const ElemInfo elems[] = {
#define X(name, spelling, long_spelling, bits, cls, numpy)                                                   \
  {spelling, long_spelling, bits, CLASS_##cls, numpy},
#include "target/elems.def"
#undef X
};

const ElemInfo *elem_info(Elem elem) {
  if ((unsigned)elem >= ELEM_COUNT) BUG("no element type %u", (unsigned)elem);
  return &elems[elem];
}

uint32_t elem_bytes(Elem elem) { return (elem_info(elem)->bits + 7u) / 8u; }
bool elem_is_float(Elem elem) { return elem_info(elem)->cls == CLASS_FLOAT; }
bool elem_is_int(Elem elem) { return elem_info(elem)->cls != CLASS_FLOAT; }
bool elem_is_signed(Elem elem) { return elem_info(elem)->cls == CLASS_SINT; }

bool elem_parse(Str name, Elem *elem) {
  for (int i = 0; i < ELEM_COUNT; i++)
    if (str_is(name, elems[i].name) || str_is(name, elems[i].long_name)) {
      *elem = (Elem)i;
      return true;
    }
  return false;
}
