// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counting bits, by shifts and sums.
#include "frontend/builtins.h"

static Obj error_obj(void) { return (Obj){.kind = OBJ_ERROR}; }

static Value *constant(Elab *e, const Value *like, uint64_t i) {
  return build_int(&e->b, like->type, (int64_t)i);
}

static Value *shift(Elab *e, OpKind op, Value *x, uint32_t count) {
  return build_binary(&e->b, op, x, constant(e, x, count));
}

static Value *masked(Elab *e, Value *x, uint64_t mask) {
  return build_binary(&e->b, OP_AND, x, constant(e, x, mask));
}

// The number of set bits of an unsigned x: sums of pairs, of fours, of bytes, then all bytes by one product.
static Value *count_set(Elab *e, Value *x, uint32_t bits) {
  x = build_binary(&e->b, OP_SUB, x, masked(e, shift(e, OP_SHR, x, 1), 0x5555555555555555));
  Value *upper = masked(e, shift(e, OP_SHR, x, 2), 0x3333333333333333);
  x = build_binary(&e->b, OP_ADD, masked(e, x, 0x3333333333333333), upper);
  x = masked(e, build_binary(&e->b, OP_ADD, x, shift(e, OP_SHR, x, 4)), 0x0f0f0f0f0f0f0f0f);
  x = build_binary(&e->b, OP_MUL, x, constant(e, x, 0x0101010101010101));
  return shift(e, OP_SHR, x, bits - 8);
}

// Zeros above the highest set bit: all below it are set, and what is left is counted.
static Value *count_leading_zeros(Elab *e, Value *x, uint32_t bits) {
  for (uint32_t step = 1; step < bits; step *= 2)
    x = build_binary(&e->b, OP_OR, x, shift(e, OP_SHR, x, step));
  return build_binary(&e->b, OP_SUB, constant(e, x, bits), count_set(e, x, bits));
}

// The place of the lowest set bit, from 1; 0 where there is none.
static Value *find_first(Elab *e, Value *x, uint32_t bits) {
  Value *ones = constant(e, x, UINT64_MAX), *zero = constant(e, x, 0);
  Value *below =
      build_binary(&e->b, OP_AND, build_binary(&e->b, OP_XOR, x, ones), build_binary(&e->b, OP_ADD, x, ones));
  Value *place = build_binary(&e->b, OP_ADD, count_set(e, below, bits), constant(e, x, 1));
  return builtin_choose(e, build_binary(&e->b, OP_EQ, x, zero), zero, place);
}

// detail: popc, clz or ffs.
Obj builtin_count_bits(Elab *e, Call *call) {
  Value *x = builtin_value(e, call, 0, "the argument");
  if (!x) return error_obj();
  uint32_t bits = type_is_int(x->type) ? elem_info(type_element(x->type)->elem)->bits : 0;
  if (bits < 32)
    return elab_error(e, call->locs[0], "'%s' needs integers of 32 or 64 bits, not %s", call->text,
                      obj_describe(e, &call->args[0]));
  e->b.loc = elab_loc(e, call->loc);
  x = elab_bitcast(e, call->loc, x, elab_scalar(e, bits == 32 ? ELEM_U32 : ELEM_U64));
  switch (call->builtin->detail[0]) {
  case 'p': x = count_set(e, x, bits); break;
  case 'c': x = count_leading_zeros(e, x, bits); break;
  default: x = find_first(e, x, bits); break;
  }
  return obj_value(builtin_as(e, x, ELEM_I32));
}
