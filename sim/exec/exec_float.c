// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// binary32 and binary64 arithmetic. Operations that PTX rounds exactly are exact. The .approx ones are
// computed in double and rounded. The result is closer than the GPU's result, and the difference is within the
// documented errors.
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"
#include "sim/exec/float_bits.h"

static inline float f32_modify(float value, uint32_t flags) {
  if (flags & FLAG_FTZ) value = float_flush(value);
  if (flags & FLAG_SAT) value = float_saturate(value);
  if (flags & FLAG_RELU) value = value > 0 || isnan(value) ? value : 0;
  return value;
}

#define DEFINE_F32(function, expression)                                                                     \
  SIM_LANES static void function(Warp *warp, const Insn *insn, uint32_t mask) {                              \
    float scratch[LANES];                                                                                    \
    float *out = lanes_result(warp, insn->dst, scratch, mask);                                               \
    const float *as = lanes_at(warp, insn->src[0]), *bs = lanes_at(warp, insn->src[1]);                      \
    const float *cs = lanes_at(warp, insn->src[2]);                                                          \
    if (insn->flags == 0) {                                                                                  \
      LANES_ARE_INDEPENDENT                                                                                  \
      for (int l = 0; l < LANES; l++) {                                                                      \
        float a = as[l], b = bs[l], c = cs[l];                                                               \
        (void)b, (void)c;                                                                                    \
        out[l] = expression;                                                                                 \
      }                                                                                                      \
    } else {                                                                                                 \
      bool flush = insn->flags & FLAG_FTZ;                                                                   \
      LANES_ARE_INDEPENDENT                                                                                  \
      for (int l = 0; l < LANES; l++) {                                                                      \
        float a = flush ? float_flush(as[l]) : as[l], b = flush ? float_flush(bs[l]) : bs[l];                \
        float c = flush ? float_flush(cs[l]) : cs[l];                                                        \
        (void)b, (void)c;                                                                                    \
        out[l] = f32_modify(expression, insn->flags);                                                        \
      }                                                                                                      \
    }                                                                                                        \
    lanes_merge32(warp, insn->dst, scratch, mask);                                                           \
  }

static inline double f64_pick(double a, double b, bool smaller) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return (signbit(a) != 0) == smaller ? a : b;
  return (a < b) == smaller ? a : b;
}

// extra 1: .abs, of magnitudes.
static inline float f32_pick3(float a, float b, float c, bool smaller, const Insn *insn) {
  if (insn->extra) a = fabsf(a), b = fabsf(b), c = fabsf(c);
  return f32_pick(f32_pick(a, b, smaller, insn->flags), c, smaller, insn->flags);
}

DEFINE_F32(f32_add, a + b)
DEFINE_F32(f32_sub, a - b)
DEFINE_F32(f32_mul, a *b)
DEFINE_F32(f32_fma, __builtin_fmaf(a, b, c))
DEFINE_F32(f32_div, a / b)
DEFINE_F32(f32_rcp, 1.0f / a)
DEFINE_F32(f32_sqrt, sqrtf(a))
DEFINE_F32(f32_abs, float_of(float_bits(a) & 0x7fffffffu))
DEFINE_F32(f32_neg, float_of(float_bits(a) ^ 0x80000000u))
DEFINE_F32(f32_min, f32_pick(a, b, true, insn->flags))
DEFINE_F32(f32_max, f32_pick(a, b, false, insn->flags))
DEFINE_F32(f32_min3, f32_pick3(a, b, c, true, insn))
DEFINE_F32(f32_max3, f32_pick3(a, b, c, false, insn))
DEFINE_F32(f32_copysign, float_of((float_bits(a) & 0x80000000u) | (float_bits(b) & 0x7fffffffu)))
DEFINE_F32(f32_rsqrt, (float)(1.0 / sqrt((double)a)))
DEFINE_F32(f32_sin, (float)sin((double)a))
DEFINE_F32(f32_cos, (float)cos((double)a))
DEFINE_F32(f32_lg2, (float)log2((double)a))
DEFINE_F32(f32_ex2, (float)exp2((double)a))
DEFINE_F32(f32_tanh, (float)tanh((double)a))

#define DEFINE_F64(function, expression)                                                                     \
  SIM_LANES static void function(Warp *warp, const Insn *insn, uint32_t mask) {                              \
    const double *as = lanes_at(warp, insn->src[0]), *bs = lanes_at(warp, insn->src[1]);                     \
    const double *cs = lanes_at(warp, insn->src[2]);                                                         \
    double scratch[LANES];                                                                                   \
    double *out = lanes_result(warp, insn->dst, scratch, mask);                                              \
    LANES_ARE_INDEPENDENT                                                                                    \
    for (int l = 0; l < LANES; l++) {                                                                        \
      double a = as[l], b = bs[l], c = cs[l];                                                                \
      (void)b, (void)c;                                                                                      \
      out[l] = expression;                                                                                   \
    }                                                                                                        \
    lanes_merge64(warp, insn->dst, scratch, mask);                                                           \
  }

DEFINE_F64(f64_add, a + b)
DEFINE_F64(f64_sub, a - b)
DEFINE_F64(f64_mul, a *b)
DEFINE_F64(f64_fma, __builtin_fma(a, b, c))
DEFINE_F64(f64_div, a / b)
DEFINE_F64(f64_rcp, 1.0 / a)
DEFINE_F64(f64_sqrt, sqrt(a))
DEFINE_F64(f64_rsqrt, 1.0 / sqrt(a))
DEFINE_F64(f64_abs, double_of(double_bits(a) & ~((uint64_t)1 << 63)))
DEFINE_F64(f64_neg, double_of(double_bits(a) ^ (uint64_t)1 << 63))
DEFINE_F64(f64_min, f64_pick(a, b, true))
DEFINE_F64(f64_max, f64_pick(a, b, false))
DEFINE_F64(f64_copysign, copysign(b, a))

// rcp.approx.ftz.f64 and (extra) rsqrt, PTX ISA 9.7.3. Only the upper 32 bits of the operand are used. They
// give the upper 32 bits of the result, and the lower bits are 0. The GPU may differ in the last of these
// bits.
void exec_f64_gross(Warp *warp, const Insn *insn, uint32_t mask) {
  const uint64_t *as = lanes_at(warp, insn->src[0]);
  uint64_t out[LANES];
  for (int l = 0; l < LANES; l++) {
    uint64_t bits = as[l] >> 32 << 32;
    if ((bits >> 52 & 0x7ff) == 0) bits &= (uint64_t)1 << 63;
    double value = double_of(bits);
    uint64_t result = double_bits(insn->extra ? 1.0 / sqrt(value) : 1.0 / value);
    if ((result >> 52 & 0x7ff) != 0x7ff) result += (uint64_t)1 << 31; // to nearest
    if ((result >> 52 & 0x7ff) == 0) result &= (uint64_t)1 << 63;
    out[l] = isnan(double_of(result)) ? (uint64_t)0x7fffffff << 32 : result >> 32 << 32;
  }
  lanes_write64(warp, insn->dst, out, mask);
}

// add, sub and fma of mixed precision, rounded once. All but the last operand are halves of type insn->from.
// extra: the Operation.
void exec_f32_mixed(Warp *warp, const Insn *insn, uint32_t mask) {
  bool fma = insn->extra == OP_FMA, bf16 = insn->from == PTX_BF16;
  const uint16_t *as = lanes_at(warp, insn->src[0]), *bs = lanes_at(warp, insn->src[1]);
  const float *cs = lanes_at(warp, insn->src[fma ? 2 : 1]);
  uint32_t out[LANES];
  for (int l = 0; l < LANES; l++) {
    float a = bf16 ? float_of_bf16(as[l]) : float_of_half(as[l]);
    float b = !fma ? 1 : bf16 ? float_of_bf16(bs[l]) : float_of_half(bs[l]);
    float c = insn->extra == OP_SUB ? -cs[l] : cs[l];
    out[l] = float_bits(f32_modify(fma ? __builtin_fmaf(a, b, c) : a + c, insn->flags));
  }
  lanes_write32(warp, insn->dst, out, mask);
}

typedef struct FloatRow {
  Operation op;
  ExecFn *f32, *f64;
} FloatRow;

static const FloatRow rows[] = {
    {OP_ADD, f32_add, f64_add},       {OP_SUB, f32_sub, f64_sub},
    {OP_MUL, f32_mul, f64_mul},       {OP_FMA, f32_fma, f64_fma},
    {OP_MAD, f32_fma, f64_fma},       {OP_DIV, f32_div, f64_div},
    {OP_RCP, f32_rcp, f64_rcp},       {OP_SQRT, f32_sqrt, f64_sqrt},
    {OP_ABS, f32_abs, f64_abs},       {OP_NEG, f32_neg, f64_neg},
    {OP_MIN, f32_min, f64_min},       {OP_MAX, f32_max, f64_max},
    {OP_RSQRT, f32_rsqrt, f64_rsqrt}, {OP_COPYSIGN, f32_copysign, f64_copysign},
    {OP_SIN, f32_sin, NULL},          {OP_COS, f32_cos, NULL},
    {OP_LG2, f32_lg2, NULL},          {OP_EX2, f32_ex2, NULL},
    {OP_TANH, f32_tanh, NULL},
};

void exec_f32_min3(Warp *warp, const Insn *insn, uint32_t mask) { f32_min3(warp, insn, mask); }
void exec_f32_max3(Warp *warp, const Insn *insn, uint32_t mask) { f32_max3(warp, insn, mask); }

static float pair_half(Operation op, float a, float b, float c) {
  switch ((int)op) {
  case OP_ADD: return a + b;
  case OP_SUB: return a - b;
  case OP_MUL: return a * b;
  default: return __builtin_fmaf(a, b, c);
  }
}

// extra: the operation on both halves of 64 bits.
void exec_f32_pair(Warp *warp, const Insn *insn, uint32_t mask) {
  const uint64_t *as = lanes_at(warp, insn->src[0]), *bs = lanes_at(warp, insn->src[1]);
  const uint64_t *cs = insn->extra == OP_FMA ? lanes_at(warp, insn->src[2]) : as;
  bool flush = insn->flags & FLAG_FTZ;
  uint64_t out[LANES];
  for (int l = 0; l < LANES; l++) {
    out[l] = 0;
    for (int half = 0; half < 2; half++) {
      float x[3] = {float_of((uint32_t)(as[l] >> 32 * half)), float_of((uint32_t)(bs[l] >> 32 * half)),
                    float_of((uint32_t)(cs[l] >> 32 * half))};
      for (int i = 0; i < 3 && flush; i++) x[i] = float_flush(x[i]);
      float y = pair_half((Operation)insn->extra, x[0], x[1], x[2]);
      out[l] |= (uint64_t)float_bits(flush ? float_flush(y) : y) << 32 * half;
    }
  }
  lanes_write64(warp, insn->dst, out, mask);
}

ExecFn *exec_f32_find(Operation op) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].op == op) return rows[i].f32;
  return NULL;
}

ExecFn *exec_f64_find(Operation op) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].op == op) return rows[i].f64;
  return NULL;
}
