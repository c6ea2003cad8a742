// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic, logic and shifts. Arithmetic wraps. If PTX leaves the result open (division by zero),
// it is all ones.
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"
#include "sim/exec/wide.h"

// Wrapping arithmetic uses unsigned types of at least 32 bits.
#define DEFINE_WRAPPING(bits, U)                                                                             \
  DEFINE_LANES(add##bits, uint##bits##_t, bits, (U)a + (U)b)                                                 \
  DEFINE_LANES(sub##bits, uint##bits##_t, bits, (U)a - (U)b)                                                 \
  DEFINE_LANES(mul##bits, uint##bits##_t, bits, (U)a *(U)b)                                                  \
  DEFINE_LANES(mad##bits, uint##bits##_t, bits, (U)a *(U)b + (U)c)                                           \
  DEFINE_LANES(neg##bits, uint##bits##_t, bits, (U)0 - (U)a)                                                 \
  DEFINE_LANES(and##bits, uint##bits##_t, bits, a &b)                                                        \
  DEFINE_LANES(or ##bits, uint##bits##_t, bits, a | b)                                                       \
  DEFINE_LANES(xor##bits, uint##bits##_t, bits, a ^ b)                                                       \
  DEFINE_LANES(not ##bits, uint##bits##_t, bits, ~a)                                                         \
  DEFINE_LANES(cnot##bits, uint##bits##_t, bits, a == 0)

DEFINE_WRAPPING(16, uint32_t)
DEFINE_WRAPPING(32, uint32_t)
DEFINE_WRAPPING(64, uint64_t)

#define DEFINE_ORDERED(name, T, U, bits)                                                                     \
  DEFINE_LANES(min_##name, T, bits, a < b ? a : b)                                                           \
  DEFINE_LANES(max_##name, T, bits, a > b ? a : b)                                                           \
  DEFINE_LANES(sad_##name, T, bits, (U)c + (a < b ? (U)b - (U)a : (U)a - (U)b))

DEFINE_ORDERED(u16, uint16_t, uint32_t, 16)
DEFINE_ORDERED(u32, uint32_t, uint32_t, 32)
DEFINE_ORDERED(u64, uint64_t, uint64_t, 64)
DEFINE_ORDERED(s16, int16_t, uint32_t, 16)
DEFINE_ORDERED(s32, int32_t, uint32_t, 32)
DEFINE_ORDERED(s64, int64_t, uint64_t, 64)

#define DEFINE_DIVISION(bits)                                                                                \
  DEFINE_LANES(div_u##bits, uint##bits##_t, bits, b ? a / b : (uint##bits##_t) - 1)                          \
  DEFINE_LANES(rem_u##bits, uint##bits##_t, bits, b ? a % b : a)                                             \
  DEFINE_LANES(div_s##bits, int##bits##_t, bits,                                                             \
               b == 0    ? -1                                                                                \
               : b == -1 ? (int##bits##_t)(0 - (uint64_t)a)                                                  \
                         : a / b)                                                                            \
  DEFINE_LANES(rem_s##bits, int##bits##_t, bits, b == 0 ? a : b == -1 ? 0 : a % b)                           \
  DEFINE_LANES(abs_s##bits, int##bits##_t, bits, a < 0 ? 0 - (uint64_t)a : (uint64_t)a)

DEFINE_DIVISION(16)
DEFINE_DIVISION(32)
DEFINE_DIVISION(64)

DEFINE_LANES(mulhi_u16, uint16_t, 16, (uint32_t)a *b >> 16)
DEFINE_LANES(mulhi_s16, int16_t, 16, (int32_t)a *b >> 16)
DEFINE_LANES(mulhi_u32, uint32_t, 32, (uint64_t)a *b >> 32)
DEFINE_LANES(mulhi_s32, int32_t, 32, (int64_t)a *b >> 32)
DEFINE_LANES(madhi_u32, uint32_t, 32, ((uint64_t)a * b >> 32) + c)
DEFINE_LANES(madhi_s32, int32_t, 32, (uint32_t)((int64_t)a *b >> 32) + (uint32_t)c)

DEFINE_LANES(madhi_u16, uint16_t, 16, ((uint32_t)a * b >> 16) + c)
DEFINE_LANES(madhi_s16, int16_t, 16, ((int32_t)a * b >> 16) + c)

DEFINE_LANES(mulhi_u64, uint64_t, 64, mulhi64(a, b))
DEFINE_LANES(mulhi_s64, int64_t, 64, mulhi64_signed(a, b))
DEFINE_LANES(madhi_u64, uint64_t, 64, mulhi64(a, b) + c)
DEFINE_LANES(madhi_s64, int64_t, 64, mulhi64_signed(a, b) + (uint64_t)c)

// Sources of T. The accumulator and the result are twice as wide.
#define DEFINE_WIDE(name, T, W, bits)                                                                        \
  SIM_LANES static void mulwide_##name(Warp *warp, const Insn *insn, uint32_t mask) {                        \
    const T *a = lanes_at(warp, insn->src[0]), *b = lanes_at(warp, insn->src[1]);                            \
    uint##bits##_t scratch[LANES], *out = lanes_result(warp, insn->dst, scratch, mask);                      \
    LANES_ARE_INDEPENDENT                                                                                    \
    for (int l = 0; l < LANES; l++) out[l] = (uint##bits##_t)((W)a[l] * (W)b[l]);                            \
    lanes_merge##bits(warp, insn->dst, scratch, mask);                                                       \
  }                                                                                                          \
  SIM_LANES static void madwide_##name(Warp *warp, const Insn *insn, uint32_t mask) {                        \
    const T *a = lanes_at(warp, insn->src[0]), *b = lanes_at(warp, insn->src[1]);                            \
    const uint##bits##_t *c = lanes_at(warp, insn->src[2]);                                                  \
    uint##bits##_t scratch[LANES], *out = lanes_result(warp, insn->dst, scratch, mask);                      \
    LANES_ARE_INDEPENDENT                                                                                    \
    for (int l = 0; l < LANES; l++) out[l] = (uint##bits##_t)((W)a[l] * (W)b[l]) + c[l];                     \
    lanes_merge##bits(warp, insn->dst, scratch, mask);                                                       \
  }

DEFINE_WIDE(u16, uint16_t, uint32_t, 32)
DEFINE_WIDE(s16, int16_t, int32_t, 32)
DEFINE_WIDE(u32, uint32_t, uint64_t, 64)
DEFINE_WIDE(s32, int32_t, int64_t, 64)

// add.sat and sub.sat of s32.
static inline int32_t clamp32(int64_t value) {
  return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

DEFINE_LANES(addsat, int32_t, 32, clamp32((int64_t)a + b))
DEFINE_LANES(subsat, int32_t, 32, clamp32((int64_t)a - b))
DEFINE_LANES(madhisat, int32_t, 32, clamp32(((int64_t)a * b >> 32) + c))

// .relu: negative results become 0.
DEFINE_LANES(minrelu, int32_t, 32, a < 0 || b < 0 ? 0 : a < b ? a : b)
DEFINE_LANES(maxrelu, int32_t, 32, a < 0 && b < 0 ? 0 : a > b ? a : b)

// The count has 32 bits for every type.
#define DEFINE_SHIFT(function, T, bits, expression)                                                          \
  SIM_LANES static void function(Warp *warp, const Insn *insn, uint32_t mask) {                              \
    const T *as = lanes_at(warp, insn->src[0]);                                                              \
    const uint32_t *counts = lanes_at(warp, insn->src[1]);                                                   \
    uint##bits##_t scratch[LANES], *out = lanes_result(warp, insn->dst, scratch, mask);                      \
    LANES_ARE_INDEPENDENT                                                                                    \
    for (int l = 0; l < LANES; l++) {                                                                        \
      T a = as[l];                                                                                           \
      uint32_t n = counts[l];                                                                                \
      out[l] = (uint##bits##_t)(expression);                                                                 \
    }                                                                                                        \
    lanes_merge##bits(warp, insn->dst, scratch, mask);                                                       \
  }

DEFINE_SHIFT(shl16, uint16_t, 16, n > 15 ? 0 : (uint32_t)a << (n & 15))
DEFINE_SHIFT(shl32, uint32_t, 32, n > 31 ? 0 : a << (n & 31))
DEFINE_SHIFT(shl64, uint64_t, 64, n > 63 ? 0 : a << (n & 63))
DEFINE_SHIFT(shr_u16, uint16_t, 16, n > 15 ? 0 : a >> (n & 15))
DEFINE_SHIFT(shr_u32, uint32_t, 32, n > 31 ? 0 : a >> (n & 31))
DEFINE_SHIFT(shr_u64, uint64_t, 64, n > 63 ? 0 : a >> (n & 63))
DEFINE_SHIFT(shr_s16, int16_t, 16, a >> (n > 15 ? 15 : n))
DEFINE_SHIFT(shr_s32, int32_t, 32, a >> (n > 31 ? 31 : n))
DEFINE_SHIFT(shr_s64, int64_t, 64, a >> (n > 63 ? 63 : n))

// Pairs of 16-bit integers.
#define DEFINE_INT_PAIR(function, T, expression)                                                             \
  SIM_LANES static void function(Warp *warp, const Insn *insn, uint32_t mask) {                              \
    const uint32_t *as = lanes_at(warp, insn->src[0]), *bs = lanes_at(warp, insn->src[1]);                   \
    uint32_t out[LANES];                                                                                     \
    for (int l = 0; l < LANES; l++) {                                                                        \
      out[l] = 0;                                                                                            \
      for (int shift = 0; shift < 32; shift += 16) {                                                         \
        T a = (T)(as[l] >> shift), b = (T)(bs[l] >> shift);                                                  \
        out[l] |= (uint32_t)(uint16_t)(expression) << shift;                                                 \
      }                                                                                                      \
    }                                                                                                        \
    lanes_write32(warp, insn->dst, out, mask);                                                               \
  }

DEFINE_INT_PAIR(add_pair, uint16_t, a + b)
DEFINE_INT_PAIR(min_u16x2, uint16_t, a < b ? a : b)
DEFINE_INT_PAIR(max_u16x2, uint16_t, a > b ? a : b)
DEFINE_INT_PAIR(min_s16x2, int16_t, a < b ? a : b)
DEFINE_INT_PAIR(max_s16x2, int16_t, a > b ? a : b)

DEFINE_INT_PAIR(minrelu_s16x2, int16_t, a < 0 || b < 0 ? 0 : a < b ? a : b)
DEFINE_INT_PAIR(maxrelu_s16x2, int16_t, a < 0 && b < 0 ? 0 : a > b ? a : b)

static ExecFn *int_pair_find(Operation op, PtxType type, Modifier form) {
  bool is_signed = type == PTX_S16X2;
  if (form == MOD_RELU) return !is_signed ? NULL : op == OP_MIN ? minrelu_s16x2 : maxrelu_s16x2;
  if (form) return NULL;
  if (op == OP_ADD) return add_pair;
  if (op == OP_MIN) return is_signed ? min_s16x2 : min_u16x2;
  return op != OP_MAX ? NULL : is_signed ? max_s16x2 : max_u16x2;
}

typedef struct IntRow {
  Operation op;
  Modifier form;
  ExecFn *u16, *u32, *u64, *s16, *s32, *s64;
} IntRow;

#define WRAPPING(f) f##16, f##32, f##64, f##16, f##32, f##64
#define BY_SIGN(f)  f##_u16, f##_u32, f##_u64, f##_s16, f##_s32, f##_s64
#define TO_WIDE(f)  f##_u16, f##_u32, NULL, f##_s16, f##_s32, NULL
#define SIGNED(f)   NULL, NULL, NULL, f##_s16, f##_s32, f##_s64

static const IntRow rows[] = {
    {OP_ADD, MOD_NONE, WRAPPING(add)},
    {OP_SUB, MOD_NONE, WRAPPING(sub)},
    {OP_MUL, MOD_LO, WRAPPING(mul)},
    {OP_MAD, MOD_LO, WRAPPING(mad)},
    {OP_AND, MOD_NONE, WRAPPING(and)},
    {OP_OR, MOD_NONE, WRAPPING(or)},
    {OP_XOR, MOD_NONE, WRAPPING(xor)},
    {OP_NOT, MOD_NONE, WRAPPING(not )},
    {OP_CNOT, MOD_NONE, WRAPPING(cnot)},
    {OP_MIN, MOD_NONE, BY_SIGN(min)},
    {OP_MAX, MOD_NONE, BY_SIGN(max)},
    {OP_SAD, MOD_NONE, BY_SIGN(sad)},
    {OP_DIV, MOD_NONE, BY_SIGN(div)},
    {OP_REM, MOD_NONE, BY_SIGN(rem)},
    {OP_MUL, MOD_HI, BY_SIGN(mulhi)},
    {OP_SHR, MOD_NONE, BY_SIGN(shr)},
    {OP_SHL, MOD_NONE, WRAPPING(shl)},
    {OP_MUL, MOD_WIDE, TO_WIDE(mulwide)},
    {OP_MAD, MOD_WIDE, TO_WIDE(madwide)},
    {OP_MAD, MOD_HI, BY_SIGN(madhi)},
    {OP_MAD, MOD_HI_SAT, NULL, NULL, NULL, NULL, madhisat, NULL},
    {OP_MIN, MOD_RELU, NULL, NULL, NULL, NULL, minrelu, NULL},
    {OP_MAX, MOD_RELU, NULL, NULL, NULL, NULL, maxrelu, NULL},
    {OP_NEG, MOD_NONE, NULL, NULL, NULL, neg16, neg32, neg64},
    {OP_ABS, MOD_NONE, SIGNED(abs)},
    {OP_ADD, MOD_SAT, NULL, NULL, NULL, NULL, addsat, NULL},
    {OP_SUB, MOD_SAT, NULL, NULL, NULL, NULL, subsat, NULL},
};

ExecFn *exec_int_find(Operation op, PtxType type, Modifier form) {
  if (ptx_type_class(type) == CLASS_INT_PAIR) return int_pair_find(op, type, form);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const IntRow *row = &rows[i];
    if (row->op != op || row->form != form) continue;
    bool is_signed = ptx_type_class(type) == CLASS_SIGNED;
    switch (ptx_type_bytes(type)) {
    case 2: return is_signed ? row->s16 : row->u16;
    case 4: return is_signed ? row->s32 : row->u32;
    case 8: return is_signed ? row->s64 : row->u64;
    default: return NULL;
    }
  }
  return NULL;
}
