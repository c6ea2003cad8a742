// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named elements of tuples, and tuple sizes. A tuple that holds another one twice is small in memory. But a
// visitor sees all its elements: `s = (s, s)` sixty times has 2^60.
#include "frontend/elaborate/elaborate.h"

// Counts each tuple once. Stops beyond the limit.
static uint32_t count(const Obj *tuple) {
  if (tuple->items.total) return tuple->items.total;
  uint32_t n = tuple->items.n;
  for (uint32_t i = 0; i < tuple->items.n && n <= ELAB_MAX_TUPLE; i++)
    if (tuple->items.at[i].kind == OBJ_TUPLE) n += count(&tuple->items.at[i]);
  return n;
}

Obj obj_sized(Elab *e, Loc loc, Obj tuple) {
  uint32_t n = count(&tuple);
  if (n > ELAB_MAX_TUPLE)
    return elab_error(
        e, loc, "[T0506] the tuple has more than %d elements, nested tuples included: use fewer, or a tile",
        ELAB_MAX_TUPLE);
  tuple.items.total = n;
  elab_work(e, n / ITEMS_A_STEP);
  return tuple;
}

// The element ".norm" is the method `norm`: a function called with the tuple as its first argument.
bool elab_field(Elab *e, const Obj *tuple, const char *name, Obj *obj) {
  for (uint32_t i = 0; tuple->items.names && i < tuple->items.n; i++) {
    const char *own = tuple->items.names[i];
    bool method = *own == '.' && tuple->items.at[i].kind == OBJ_FUNCTION;
    if (strcmp(own + method, name) != 0) continue;
    *obj = tuple->items.at[i];
    if (!method) return true;
    Obj *receiver = ARENA_NEW(e->arena, Obj);
    *receiver = *tuple;
    obj->receiver = receiver;
    return true;
  }
  return false;
}
