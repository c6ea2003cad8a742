// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f16 and bf16 arithmetic, single and in pairs. Each result is rounded once from the exact value, to nearest
// even (PTX has no other rounding).
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"
#include "sim/exec/float_bits.h"

typedef double Compute(double a, double b, double c, uint32_t flags); // exact, or rounded to odd

static double half_add(double a, double b, double c, uint32_t flags) {
  return (void)c, (void)flags, add_to_odd(a, b);
}
static double half_sub(double a, double b, double c, uint32_t flags) {
  return (void)c, (void)flags, add_to_odd(a, -b);
}
static double half_mul(double a, double b, double c, uint32_t flags) { return (void)c, (void)flags, a * b; }
static double half_fma(double a, double b, double c, uint32_t flags) {
  return (void)flags, add_to_odd(a * b, c);
}
static double half_neg(double a, double b, double c, uint32_t flags) {
  return (void)b, (void)c, (void)flags, -a;
}
static double half_abs(double a, double b, double c, uint32_t flags) {
  return (void)b, (void)c, (void)flags, fabs(a);
}
static double half_ex2(double a, double b, double c, uint32_t flags) {
  return (void)b, (void)c, (void)flags, exp2(a);
}
static double half_tanh(double a, double b, double c, uint32_t flags) {
  return (void)b, (void)c, (void)flags, tanh(a);
}

static double half_pick(double a, double b, bool smaller, uint32_t flags) {
  bool negative = (signbit(a) != 0) != (signbit(b) != 0);
  if (flags & FLAG_XORSIGN) a = fabs(a), b = fabs(b);
  double picked;
  if (isnan(a) || isnan(b)) {
    if ((isnan(a) && isnan(b)) || (flags & FLAG_NAN)) return NAN;
    picked = isnan(a) ? b : a;
  } else if (a == b) {
    picked = (signbit(a) != 0) == smaller ? a : b;
  } else {
    picked = (a < b) == smaller ? a : b;
  }
  return flags & FLAG_XORSIGN ? copysign(picked, negative ? -1.0 : 1.0) : picked;
}

static double half_min(double a, double b, double c, uint32_t flags) {
  return (void)c, half_pick(a, b, true, flags);
}
static double half_max(double a, double b, double c, uint32_t flags) {
  return (void)c, half_pick(a, b, false, flags);
}

static inline double half_load(uint16_t bits, bool bf16, uint32_t flags) {
  if ((flags & FLAG_FTZ) && !(bits & (bf16 ? 0x7f80u : 0x7c00u))) bits &= 0x8000u;
  return bf16 ? (double)float_of_bf16(bits) : (double)float_of_half(bits);
}

static inline uint16_t half_store(double value, bool bf16, uint32_t flags) {
  if (flags & FLAG_SAT) value = double_saturate(value);
  if ((flags & FLAG_RELU) && value <= 0) value = 0;
  uint32_t bits = bf16 ? float_round(value, 7, 127, ROUND_RN) : float_round(value, 10, 15, ROUND_RN);
  if ((flags & FLAG_FTZ) && !(bits & (bf16 ? 0x7f80u : 0x7c00u))) bits &= 0x8000u;
  return (uint16_t)bits;
}

static void half_lanes(Warp *warp, const Insn *insn, uint32_t mask, Compute *compute, bool bf16) {
  const uint16_t *a = lanes_at(warp, insn->src[0]), *b = lanes_at(warp, insn->src[1]),
                 *c = lanes_at(warp, insn->src[2]);
  uint16_t out[LANES];
  uint32_t flags = insn->flags;
  for (int l = 0; l < LANES; l++) {
    double x = half_load(a[l], bf16, flags), y = half_load(b[l], bf16, flags),
           z = half_load(c[l], bf16, flags);
    out[l] = half_store(compute(x, y, z, flags), bf16, flags);
  }
  lanes_write16(warp, insn->dst, out, mask);
}

static void pair_lanes(Warp *warp, const Insn *insn, uint32_t mask, Compute *compute, bool bf16) {
  const uint32_t *a = lanes_at(warp, insn->src[0]), *b = lanes_at(warp, insn->src[1]),
                 *c = lanes_at(warp, insn->src[2]);
  uint32_t out[LANES], flags = insn->flags;
  for (int l = 0; l < LANES; l++) {
    out[l] = 0;
    for (int shift = 0; shift < 32; shift += 16) {
      double x = half_load((uint16_t)(a[l] >> shift), bf16, flags),
             y = half_load((uint16_t)(b[l] >> shift), bf16, flags);
      double z = half_load((uint16_t)(c[l] >> shift), bf16, flags);
      out[l] |= (uint32_t)half_store(compute(x, y, z, flags), bf16, flags) << shift;
    }
  }
  lanes_write32(warp, insn->dst, out, mask);
}

#define DEFINE_HALF(op)                                                                                      \
  static void f16_##op(Warp *w, const Insn *insn, uint32_t mask) {                                           \
    half_lanes(w, insn, mask, half_##op, false);                                                             \
  }                                                                                                          \
  static void bf16_##op(Warp *w, const Insn *insn, uint32_t mask) {                                          \
    half_lanes(w, insn, mask, half_##op, true);                                                              \
  }                                                                                                          \
  static void f16x2_##op(Warp *w, const Insn *insn, uint32_t mask) {                                         \
    pair_lanes(w, insn, mask, half_##op, false);                                                             \
  }                                                                                                          \
  static void bf16x2_##op(Warp *w, const Insn *insn, uint32_t mask) {                                        \
    pair_lanes(w, insn, mask, half_##op, true);                                                              \
  }

DEFINE_HALF(add)
DEFINE_HALF(sub)
DEFINE_HALF(mul)
DEFINE_HALF(fma)
DEFINE_HALF(neg)
DEFINE_HALF(abs)
DEFINE_HALF(ex2)
DEFINE_HALF(tanh)
DEFINE_HALF(min)
DEFINE_HALF(max)

typedef struct HalfRow {
  Operation op;
  ExecFn *f16, *bf16, *f16x2, *bf16x2;
} HalfRow;

#define HALF(op) f16_##op, bf16_##op, f16x2_##op, bf16x2_##op

static const HalfRow rows[] = {
    {OP_ADD, HALF(add)}, {OP_SUB, HALF(sub)}, {OP_MUL, HALF(mul)}, {OP_FMA, HALF(fma)},   {OP_NEG, HALF(neg)},
    {OP_ABS, HALF(abs)}, {OP_EX2, HALF(ex2)}, {OP_MIN, HALF(min)}, {OP_TANH, HALF(tanh)}, {OP_MAX, HALF(max)},
};

ExecFn *exec_half_find(Operation op, PtxType type) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].op != op) continue;
    if (type == PTX_F16) return rows[i].f16;
    if (type == PTX_BF16) return rows[i].bf16;
    return type == PTX_F16X2 ? rows[i].f16x2 : rows[i].bf16x2;
  }
  return NULL;
}
