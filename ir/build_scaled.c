// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the unpacking of e2m1 numbers, and the multiplication of a dot's operand by its scales (OCP Microscaling Formats
// 1.0).
//
// ```
// before  %d = dot %a, %b, %acc, %false, %scale_a, %scale_b    (%a: tile<128x128xfp8e4nv>, %scale_a: tile<128x4xu8>)
// after   %x = cast %a : tile<128x128xbf16>
//         %s = %scale_a as bf16, each element 32 times along k
//         %y = mul %x, %s                                      (the same of %b)
//         %d = dot %y, ..., %acc
// ```
#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "ir/build.h"
#include "ir/dot/dot.h"

static const Type *scalar(const Builder *b, Elem elem) { return type_scalar(b->func->module->ir, elem); }

Value *build_bits(Builder *b, Value *x, Elem elem) {
  if (type_is_elem(x->type, elem)) return x;
  const Type *type = type_with_element(b->func->module->ir, x->type, scalar(b, elem));
  return build(b, OP_BITCAST, type, x, NULL, NULL);
}

// Converts a scale to the operand's type. e8m0 is the exponent of bf16 and fp32. There, exponent 0 does not
// mean a power of two but zero. 255 is NaN.
static Value *convert_scale(Builder *b, Value *scale, const Type *element, bool fast_math) {
  if (type_is_elem(scale->type, ELEM_FP8E4NV)) return build_cast(b, scale, element);
  Value *byte = build_bits(b, scale, ELEM_U8), *number;
  if (element->elem == ELEM_FP16)
    number = build_cast(
        b, build_bits(b, build_with_int(b, OP_SHL, build_cast(b, byte, scalar(b, ELEM_U32)), 23), ELEM_FP32),
        element);
  else
    number =
        build_bits(b, build_with_int(b, OP_SHL, build_cast(b, byte, scalar(b, ELEM_U16)), 7), element->elem);
  if (fast_math) return number;
  Value *is_nan = build_with_int(b, OP_EQ, byte, 255);
  return build(b, OP_SELECT, number->type, is_nan, build_float(b, number->type, NAN), number);
}

// Repeats the scales along k, to the operand's shape.
static Value *spread_scale(Builder *b, const Type *type, uint32_t k_axis, Value *scale) {
  uint32_t order[TILE_MAX_RANK], shape[TILE_MAX_RANK], rank = type->rank;
  uint32_t group = type->shape[k_axis] / scale->type->shape[rank - 1];
  for (uint32_t i = 0; i < rank; i++) order[i] = i;
  order[rank - 2] = rank - 1, order[rank - 1] = rank - 2;
  if (k_axis + 1 < rank) scale = build_trans(b, scale, order);
  scale = build_expand_dims(b, scale, k_axis + 1);
  memcpy(shape, scale->type->shape, sizeof shape);
  shape[k_axis + 1] = group;
  scale = build_broadcast(b, scale, shape);
  return build_reshape(b, scale, rank, type->shape);
}

Value *build_times_scales(Builder *b, Value *x, Value *scale, uint32_t k_axis, bool fast_math) {
  Value *number = convert_scale(b, scale, type_element(x->type), fast_math);
  return build_binary(b, OP_MUL, x, spread_scale(b, x->type, k_axis, number));
}

// The two e2m1 numbers of each byte, times 2^-126 (as bf16) or 2^-14 (as fp16). The exponent becomes the
// lowest bits of the wide exponent, and the mantissa the highest bits of the wide mantissa. So subnormal
// numbers are subnormal in the wide type too. Both numbers use one word, the second in its upper half.
static void spread_halves(Builder *b, Value *x, Elem elem, Value *halves[2]) {
  uint32_t mantissa = elem == ELEM_FP16 ? 10 : 7;
  uint32_t magnitude = 7u << (mantissa - 1);
  Value *byte = build_cast(b, x, scalar(b, ELEM_U32));
  Value *both = build_binary(b, OP_OR, byte, build_with_int(b, OP_SHL, byte, 12));
  Value *sign = build_with_int(b, OP_AND, build_with_int(b, OP_SHL, both, 12), 0x80008000);
  Value *rest =
      build_with_int(b, OP_AND, build_with_int(b, OP_SHL, both, mantissa - 1), magnitude | magnitude << 16);
  Value *word = build_binary(b, OP_OR, sign, rest);
  halves[0] = build_bits(b, build_cast(b, word, scalar(b, ELEM_U16)), elem);
  halves[1] = build_bits(b, build_cast(b, build_with_int(b, OP_SHR, word, 16), scalar(b, ELEM_U16)), elem);
}

Value *build_unpacked(Builder *b, Value *x, uint32_t axis, Elem elem) {
  Value *halves[2];
  uint32_t rank = x->type->rank, order[TILE_MAX_RANK], shape[TILE_MAX_RANK];
  memcpy(shape, x->type->shape, sizeof shape);
  shape[axis] *= 2;
  spread_halves(b, x, elem, halves);
  x = build_join(b, halves[0], halves[1]);
  if (axis + 1 < rank) {
    for (uint32_t i = 0; i <= rank; i++) order[i] = i <= axis ? i : i - 1;
    order[axis + 1] = rank;
    x = build_trans(b, x, order);
  }
  x = build_reshape(b, x, rank, shape);
  return build_binary(b, OP_MUL, x, build_float(b, x->type, elem == ELEM_FP16 ? 0x1p14 : 0x1p126));
}

Op *build_dot_without_scales(Op *dot) {
  if (!dot_is_scaled(dot)) BUG("a dot without scales");
  Builder b = builder_before(dot);
  b.loc = dot->loc;
  Value *factors[2];
  for (uint32_t i = 0; i < 2; i++) {
    Value *x = op_operand(dot, i);
    x = dot_has_pairs(dot) ? build_unpacked(&b, x, 1 - i, ELEM_BF16)
                           : build_cast(&b, x, scalar(&b, ELEM_BF16));
    factors[i] = build_times_scales(&b, x, op_operand(dot, DOT_SCALE_A + i), 1 - i, false);
  }
  Value *made = build_dot(&b, factors[0], factors[1], op_operand(dot, DOT_SUM), NULL, 0);
  value_replace_uses(op_result(dot), made);
  op_erase(dot);
  return made->def;
}
