// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bits of integers: the arguments of functions in prelude.tile, and the halves of doubles.
#include "frontend/builtins/builtins.h"

// popc, clz and ffs.
Obj builtin_count_bits(Elab *e, Call *call) {
  Value *x = builtin_value(e, call, ARG_X, "the argument");
  if (!x) return obj_error();
  uint32_t bits = type_is_int(x->type) ? elem_info(type_element(x->type)->elem)->bits : 0;
  if (bits < 32)
    return elab_error(e, call->locs[ARG_X], "[T0207] '%s' needs integers of 32 or 64 bits, not %s",
                      call->text, obj_describe(e, &call->args[ARG_X]));
  e->b.loc = elab_loc(e, call->loc);
  x = elab_bitcast(e, call->loc, x, elab_scalar(e, bits == 32 ? ELEM_U32 : ELEM_U64));
  Obj count = builtin_prelude_value(e, call->loc, call->builtin->name, x);
  return count.kind == OBJ_VALUE ? obj_value(builtin_as(e, count.value, ELEM_I32)) : count;
}

// Reads one to three 32-bit integers (brev's one has 32 or 64 bits) in one type and shape. Returns their
// number; 0 after an error.
static uint32_t bit_args(Elab *e, const Call *call, Value *values[3]) {
  uint32_t n = 1, bits = 0;
  for (const char *at = call->builtin->params; *at; at++) n += *at == ' ';
  for (uint32_t i = 0; i < n; i++) {
    const Obj *obj = &call->args[i];
    values[i] = elab_value(e, call->locs[i], "the argument", obj,
                           obj_is_number(obj) ? elab_scalar(e, ELEM_I32) : NULL);
    if (!values[i]) return 0;
    bits = type_is_int(values[i]->type) ? elem_info(type_element(values[i]->type)->elem)->bits : 0;
    if (bits == 32 || (n == 1 && bits == 64)) continue;
    elab_error(e, call->locs[i], "[T0207] '%s' needs integers of %s, not %s", call->text,
               n == 1 ? "32 or 64 bits" : "32 bits", obj_describe(e, obj));
    return 0;
  }
  if (!elab_broadcast(e, call->loc, arena_printf(e->arena, "'%s'", call->text), n, values)) return 0;
  const Type *first = type_element(values[0]->type);
  for (uint32_t i = 1; i < n; i++) values[i] = elab_bitcast(e, call->loc, values[i], first);
  e->b.loc = elab_loc(e, call->loc);
  return n;
}

// detail: "unsigned" for functions that take the bits as unsigned integers.
Obj builtin_bits(Elab *e, Call *call) {
  Value *v[3];
  Obj args[3];
  uint32_t n = bit_args(e, call, v);
  if (!n) return obj_error();
  const Type *element = type_element(v[0]->type);
  bool counted = call->builtin->detail[0] != 0;
  Elem elem = elem_info(element->elem)->bits == 32 ? ELEM_U32 : ELEM_U64;
  for (uint32_t i = 0; i < n; i++)
    args[i] = obj_value(counted ? elab_bitcast(e, call->loc, v[i], elab_scalar(e, elem)) : v[i]);
  Obj result = builtin_prelude(e, call->loc, call->builtin->name, n, args);
  return counted && result.kind == OBJ_VALUE ? obj_value(elab_bitcast(e, call->loc, result.value, element))
                                             : result;
}

// detail: the shift of the wanted half of the double's bits.
Obj builtin_half_double(Elab *e, Call *call) {
  Value *x = elab_value(e, call->locs[ARG_X], "the number", &call->args[ARG_X], elab_scalar(e, ELEM_FP64));
  if (!x) return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  Value *bits = elab_bitcast(e, call->loc, builtin_as(e, x, ELEM_FP64), elab_scalar(e, ELEM_I64));
  bool high = call->builtin->detail[0] != '0';
  return obj_value(builtin_as(e, high ? build_with_int(&e->b, OP_SHR, bits, 32) : bits, ELEM_I32));
}

// Makes a double from an upper and a lower half.
Obj builtin_join_double(Elab *e, Call *call) {
  Value *v[3];
  if (!bit_args(e, call, v)) return obj_error();
  Value *high = builtin_as(e, v[0], ELEM_I64), *low = builtin_as(e, v[1], ELEM_I64);
  high = build_with_int(&e->b, OP_SHL, high, 32);
  low = build_with_int(&e->b, OP_AND, low, UINT32_MAX);
  Value *bits = build_binary(&e->b, OP_OR, high, low);
  return obj_value(elab_bitcast(e, call->loc, bits, elab_scalar(e, ELEM_FP64)));
}
