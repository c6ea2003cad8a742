// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bits of integers: counts by shifts and sums, reorderings, and halves of sums.
#include "frontend/builtins/builtins.h"

static Value *constant(Elab *e, const Value *like, uint64_t i) {
  return build_int(&e->b, like->type, (int64_t)i);
}

static Value *shift(Elab *e, OpKind op, Value *x, uint32_t count) {
  return build_binary(&e->b, op, x, constant(e, x, count));
}

static Value *masked(Elab *e, Value *x, uint64_t mask) {
  return build_binary(&e->b, OP_AND, x, constant(e, x, mask));
}

// The number of set bits of an unsigned x. Sums pairs, groups of four, then bytes; one multiplication adds
// all bytes.
static Value *count_set(Elab *e, Value *x, uint32_t bits) {
  x = build_binary(&e->b, OP_SUB, x, masked(e, shift(e, OP_SHR, x, 1), 0x5555555555555555));
  Value *upper = masked(e, shift(e, OP_SHR, x, 2), 0x3333333333333333);
  x = build_binary(&e->b, OP_ADD, masked(e, x, 0x3333333333333333), upper);
  x = masked(e, build_binary(&e->b, OP_ADD, x, shift(e, OP_SHR, x, 4)), 0x0f0f0f0f0f0f0f0f);
  x = build_binary(&e->b, OP_MUL, x, constant(e, x, 0x0101010101010101));
  return shift(e, OP_SHR, x, bits - 8);
}

// Zeros above the highest set bit: sets all bits below it, and counts the others.
static Value *count_leading_zeros(Elab *e, Value *x, uint32_t bits) {
  for (uint32_t step = 1; step < bits; step *= 2)
    x = build_binary(&e->b, OP_OR, x, shift(e, OP_SHR, x, step));
  return build_binary(&e->b, OP_SUB, constant(e, x, bits), count_set(e, x, bits));
}

// The place of the lowest set bit, from 1; 0 if there is none.
static Value *find_first(Elab *e, Value *x, uint32_t bits) {
  Value *ones = constant(e, x, UINT64_MAX), *zero = constant(e, x, 0);
  Value *below =
      build_binary(&e->b, OP_AND, build_binary(&e->b, OP_XOR, x, ones), build_binary(&e->b, OP_ADD, x, ones));
  Value *place = build_binary(&e->b, OP_ADD, count_set(e, below, bits), constant(e, x, 1));
  return builtin_choose(e, build_binary(&e->b, OP_EQ, x, zero), zero, place);
}

// detail: popc, clz or ffs.
Obj builtin_count_bits(Elab *e, Call *call) {
  Value *x = builtin_value(e, call, ARG_X, "the argument");
  if (!x) return obj_error();
  uint32_t bits = type_is_int(x->type) ? elem_info(type_element(x->type)->elem)->bits : 0;
  if (bits < 32)
    return elab_error(e, call->locs[ARG_X], "[T0207] '%s' needs integers of 32 or 64 bits, not %s",
                      call->text, obj_describe(e, &call->args[ARG_X]));
  e->b.loc = elab_loc(e, call->loc);
  x = elab_bitcast(e, call->loc, x, elab_scalar(e, bits == 32 ? ELEM_U32 : ELEM_U64));
  switch (call->builtin->detail[0]) {
  case 'p': x = count_set(e, x, bits); break;
  case 'c': x = count_leading_zeros(e, x, bits); break;
  default: x = find_first(e, x, bits); break;
  }
  return obj_value(builtin_as(e, x, ELEM_I32));
}

// Reverses the n lowest bits: swaps neighbours, then pairs, groups of four, and so on.
static Value *reverse(Elab *e, Value *x, uint32_t bits) {
  static const uint64_t masks[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                   0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
  for (uint32_t i = 0; 1u << i < bits; i++) {
    Value *upper = masked(e, shift(e, OP_SHR, x, 1u << i), masks[i]);
    x = build_binary(&e->b, OP_OR, upper, shift(e, OP_SHL, masked(e, x, masks[i]), 1u << i));
  }
  return x;
}

// Byte i of the result is one of the eight bytes of x and y. The low three bits of s's nibble i select it.
static Value *permute_bytes(Elab *e, Value *x, Value *y, Value *s) {
  Value *lower = builtin_as(e, x, ELEM_U64), *upper = shift(e, OP_SHL, builtin_as(e, y, ELEM_U64), 32);
  Value *both = build_binary(&e->b, OP_OR, lower, upper), *result = NULL;
  for (uint32_t i = 0; i < 4; i++) {
    Value *count = shift(e, OP_SHL, masked(e, shift(e, OP_SHR, s, 4 * i), 7), 3);
    Value *byte = build_binary(&e->b, OP_SHR, both, builtin_as(e, count, ELEM_U64));
    byte = shift(e, OP_SHL, masked(e, builtin_as(e, byte, ELEM_U32), 0xff), 8 * i);
    result = result ? build_binary(&e->b, OP_OR, result, byte) : byte;
  }
  return result;
}

// The mean, rounded down or up, without overflow.
static Value *half_sum(Elab *e, Value *x, Value *y, bool up) {
  Value *shared = build_binary(&e->b, up ? OP_OR : OP_AND, x, y);
  Value *half = shift(e, OP_SHR, build_binary(&e->b, OP_XOR, x, y), 1);
  return build_binary(&e->b, up ? OP_SUB : OP_ADD, shared, half);
}

static Value *low24(Elab *e, Value *x) { return shift(e, OP_SHR, shift(e, OP_SHL, x, 8), 8); }

static Value *distance(Elab *e, Value *x, Value *y) {
  Value *larger = build_binary(&e->b, OP_MAX, x, y), *smaller = build_binary(&e->b, OP_MIN, x, y);
  return build_binary(&e->b, OP_SUB, larger, smaller);
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

// detail: brev, byte_perm, hadd, rhadd, mul24, sad.
Obj builtin_bits(Elab *e, Call *call) {
  Value *v[3];
  if (!bit_args(e, call, v)) return obj_error();
  const char *which = call->builtin->detail;
  const Type *element = type_element(v[0]->type);
  uint32_t bits = elem_info(element->elem)->bits;
  const Type *counted = elab_scalar(e, bits == 32 ? ELEM_U32 : ELEM_U64);
  if (which[0] == 'h' || which[0] == 'r') return obj_value(half_sum(e, v[0], v[1], which[0] == 'r'));
  if (which[0] == 'm') return obj_value(build_binary(&e->b, OP_MUL, low24(e, v[0]), low24(e, v[1])));
  if (which[0] == 's') return obj_value(build_binary(&e->b, OP_ADD, distance(e, v[0], v[1]), v[2]));
  bool permutes = which[1] == 'y';
  for (int i = 0; i < (permutes ? 3 : 1); i++) v[i] = elab_bitcast(e, call->loc, v[i], counted);
  Value *result = permutes ? permute_bytes(e, v[0], v[1], v[2]) : reverse(e, v[0], bits);
  return obj_value(elab_bitcast(e, call->loc, result, element));
}

// detail: the shift of the wanted half of the double's bits.
Obj builtin_half_double(Elab *e, Call *call) {
  Value *x = elab_value(e, call->locs[ARG_X], "the number", &call->args[ARG_X], elab_scalar(e, ELEM_FP64));
  if (!x) return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  Value *bits = elab_bitcast(e, call->loc, builtin_as(e, x, ELEM_FP64), elab_scalar(e, ELEM_I64));
  bool high = call->builtin->detail[0] != '0';
  return obj_value(builtin_as(e, high ? shift(e, OP_SHR, bits, 32) : bits, ELEM_I32));
}

// Makes a double from an upper and a lower half.
Obj builtin_join_double(Elab *e, Call *call) {
  Value *v[3];
  if (!bit_args(e, call, v)) return obj_error();
  Value *high = shift(e, OP_SHL, builtin_as(e, v[0], ELEM_I64), 32), *low = builtin_as(e, v[1], ELEM_I64);
  Value *bits = build_binary(&e->b, OP_OR, high, masked(e, low, UINT32_MAX));
  return obj_value(elab_bitcast(e, call->loc, bits, elab_scalar(e, ELEM_FP64)));
}
