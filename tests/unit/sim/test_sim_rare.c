// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instructions that compilers emit seldom, on random and special inputs against a C expression; atomics,
// 128 bits, calls, and what is refused.
#include "tests/unit/unit.h"
#include "sim/sim.h"
#include "tests/unit/sim_insns.h"

// binary16 by its definition.
static double half(uint64_t bits) {
  int e = (int)(bits >> 10 & 31), m = (int)(bits & 1023);
  double value = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
  return bits >> 15 & 1 ? -value : value;
}

static double half_ftz(uint64_t bits) { return half(bits & 0x7c00 ? bits & 0xffff : bits & 0x8000); }

static double bfloat(uint64_t bits) { return (double)f32((bits & 0xffff) << 16); }

// An 8-bit float by its definition, and the nearest one by search: ties to the even pattern.
static double fp8(uint64_t bits, int mantissa) {
  int bias = mantissa == 3 ? 7 : 15, e = (int)(bits >> mantissa & (mantissa == 3 ? 15 : 31));
  int m = (int)(bits & ((1u << mantissa) - 1));
  double value = e ? ldexp((1 << mantissa) + m, e - bias - mantissa) : ldexp(m, 1 - bias - mantissa);
  return bits >> 7 & 1 ? -value : value;
}

static uint64_t nearest_fp8(double value, int mantissa) {
  if (value != value) return 0x7f;
  uint64_t sign = signbit(value) ? 128 : 0, best = 0, largest = mantissa == 3 ? 0x7e : 0x7b;
  if (fabs(value) >= fp8(largest, mantissa)) return sign | largest;
  for (uint64_t i = 1; i <= largest; i++) {
    double now = fabs(fp8(i, mantissa) - fabs(value)), before = fabs(fp8(best, mantissa) - fabs(value));
    if (now < before || (now == before && !(i & 1))) best = i;
  }
  return sign | best;
}

static uint64_t fp8_pair(double high, double low, int mantissa) {
  return nearest_fp8(high, mantissa) << 8 | nearest_fp8(low, mantissa);
}

// tf32, exactly: the multiple of 2^-10 of its power of two that is nearest.
static uint64_t tf32(uint64_t a, int away) {
  double value = (double)f32(a), magnitude = fabs(value);
  if (value != value) return 0x7fffffff;
  if (isinf(value) || value == 0) return (uint32_t)a;
  int e;
  frexp(magnitude, &e);
  e = e < -125 ? -125 : e;
  double units = ldexp(magnitude, 11 - e), rounded = away ? floor(units + 0.5) : rint(units);
  return u32((float)copysign(ldexp(rounded, e - 11), value));
}

static uint64_t clamp(int64_t value, int64_t least, int64_t most) {
  return (uint64_t)(value < least ? least : value > most ? most : value);
}

static uint64_t bfind(uint64_t a, int is_signed) {
  uint64_t bits = is_signed && (int64_t)a < 0 ? ~a : a;
  return bits ? 63 - (uint64_t)__builtin_clzll(bits) : UINT32_MAX;
}

static uint64_t nth_back(uint32_t a, uint32_t from, int n) {
  for (int at = (int)(from & 31); at >= 0; at--)
    if (a >> at & 1 && --n == 0) return (uint64_t)at;
  return UINT32_MAX;
}

static uint64_t bf16_finite(uint32_t a) {
  uint32_t sign = a >> 16 & 0x8000, magnitude = a & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7fff;
  uint32_t bits = (magnitude + 0x7fff + (magnitude >> 16 & 1)) >> 16;
  return sign | (bits >= 0x7f80 ? 0x7f7f : bits);
}

static uint64_t masks(int low, int high) { return (low ? 0xffffu : 0u) | (high ? 0xffff0000u : 0u); }

static int64_t hi_plus(uint64_t a, uint64_t b, uint64_t c) {
  return ((int64_t)(int32_t)a * (int32_t)b >> 32) + (int32_t)c;
}

static int64_t product24(uint64_t a, uint64_t b) {
  return (int64_t)((int32_t)((uint32_t)a << 8) >> 8) * ((int32_t)((uint32_t)b << 8) >> 8);
}

static uint64_t relu(int64_t a, int64_t b, int larger, uint64_t mask) {
  int64_t value = (a < b) == !larger ? a : b;
  return value < 0 ? 0 : (uint64_t)value & mask;
}

// Parts of `bits` bits, signed or not, of a and b: their absolute differences, averages, sums.
static int64_t part(uint64_t a, int at, int bits, int is_signed) {
  int64_t value = (int64_t)(a >> at & ((1u << bits) - 1));
  return is_signed && value >> (bits - 1) ? value - (1 << bits) : value;
}

static uint64_t differences(uint64_t a, uint64_t b, int bits, int is_signed) {
  uint64_t all = 0;
  for (int at = 0; at < 32; at += bits)
    all |= (uint64_t)llabs(part(a, at, bits, is_signed) - part(b, at, bits, is_signed)) << at;
  return all;
}

static uint64_t sum_of_differences(uint64_t a, uint64_t b, uint64_t c, int bits) {
  for (int at = 0; at < 32; at += bits) c += (uint64_t)llabs(part(a, at, bits, 0) - part(b, at, bits, 0));
  return (uint32_t)c;
}

static uint64_t saturated_sums(uint64_t a, uint64_t b) {
  uint64_t all = 0;
  for (int at = 0; at < 32; at += 8)
    all |= (clamp(part(a, at, 8, 1) + part(b, at, 8, 1), -128, 127) & 255) << at;
  return all;
}

static uint64_t averages(uint64_t a, uint64_t b) {
  uint64_t all = 0;
  for (int at = 0; at < 32; at += 16) {
    int64_t sum = part(a, at, 16, 1) + part(b, at, 16, 1);
    all |= ((uint64_t)(sum >= 0 ? (sum + 1) / 2 : (sum - 1) / 2) & 0xffff) << at;
  }
  return all;
}

static uint64_t least_and_most(uint64_t a, uint64_t b) {
  uint64_t all = 0;
  for (int at = 0; at < 32; at += 8) {
    int64_t x = part(a, at, 8, 0), y = part(b, at, 8, 0), u = part(a, at, 8, 1), v = part(b, at, 8, 1);
    all |= (uint64_t)((x < y ? x : y) ^ (u > v ? u & 255 : v & 255)) << at;
  }
  return all;
}

// clang-format off
#define INSNS(X) \
  X(add128, 0, "add.cc.u64 %d5, %d1, %d2; addc.u64 %dout, %d3, %d2;", (((a | 0) + b < a) + c + b)) \
  X(sub96, 0, "sub.cc.u32 %r5, %r1, %r2; subc.u32 %rout, %r3, %r2;", \
    (uint64_t)(uint32_t)(c - b - ((uint32_t)a < (uint32_t)b))) \
  X(madhi_carry, 0, "mad.lo.cc.u32 %r5, %r1, %r2, %r3; madc.hi.u32 %rout, %r1, %r2, 0;", \
    (uint32_t)(((((uint64_t)(uint32_t)a * (uint32_t)b) & UINT32_MAX) + (uint32_t)c) >> 32) \
      + (uint32_t)(((uint64_t)(uint32_t)a * (uint32_t)b) >> 32)) \
  X(sads, 0, "sad.s32 %rout, %r1, %r2, %r3;", (uint32_t)(((int32_t)a < (int32_t)b ? b - a : a - b) + c)) \
  X(pair_of_registers, 0, "{ .reg .v2 .b32 both; mov.b32 both.x, %r1; mov.b32 both.y, %r2; mov.b64 %dout, both; }", \
    b << 32 | (uint32_t)a) \
  X(pair_with_literal, 0, "mov.b64 %dout, {%r1, 0x40004040};", (uint64_t)0x40004040 << 32 | (uint32_t)a) \
  X(bfinds, 0, "bfind.s32 %rout, %r1;", bfind((uint64_t)(int64_t)(int32_t)a, 1)) \
  X(bfindu64, 0, "bfind.u64 %rout, %d1;", bfind(a, 0)) \
  X(fnsb, 0, "fns.b32 %rout, %r1, %r2, -2;", nth_back((uint32_t)a, (uint32_t)b, 2)) \
  X(prmt_ecl, 0, "prmt.b32.ecl %rout, %r1, %r2, %r3;", \
    (uint32_t)((c & 3) == 0 ? a : (c & 3) == 1 ? (a & 0xffffff00u) | (a >> 8 & 255) \
             : (c & 3) == 2 ? (a & 0xffff0000u) | (a >> 16 & 255) * 0x101u : (a >> 24 & 255) * 0x01010101u)) \
  X(rc8, 0, "prmt.b32.rc8 %rout, %r1, %r2, %r3;", (a >> (8 * (c & 3)) & 255) * 0x01010101u) \
  X(rc16, 0, "prmt.b32.rc16 %rout, %r1, %r2, %r3;", (a >> (16 * (c & 1)) & 0xffff) * 0x00010001u) \
  X(lop3p, 0, "lop3.or.b32 _|%p3, %r1, %r2, %r3, 0x96, %p1; selp.b32 %rout, 1, 0, %p3;", \
    ((uint32_t)(a ^ b ^ c) != 0) | (c & 1)) \
  X(slctf, 0, "slct.b32.f32 %rout, %r1, %r2, %r3;", f32(c) >= 0 ? (uint32_t)a : (uint32_t)b) \
  X(set_s32, 0, "set.lt.u32.s32 %rout, %r1, %r2;", (int32_t)a < (int32_t)b ? UINT32_MAX : 0) \
  X(set_f32, 0, "set.le.f32.f32 %rout, %r1, %r2;", f32(a) <= f32(b) ? 0x3f800000u : 0) \
  X(set_half_bits, 0, "set.gt.ftz.u16.f16 %hout, %h1, %h2;", half_ftz(a) > half_ftz(b) ? 0xffff : 0) \
  X(set_half_one, 0, "set.neu.f16.f16 %hout, %h1, %h2;", half(a) != half(b) || half(a) != half(a) ? 0x3c00 : 0) \
  X(set_bf16, 0, "set.ge.bf16.bf16 %hout, %h1, %h2;", bfloat(a) >= bfloat(b) ? 0x3f80 : 0) \
  X(set_pair, 0, "set.lt.u32.f16x2 %rout, %r1, %r2;", masks(half(a) < half(b), half(a >> 16) < half(b >> 16))) \
  X(setp_half_ftz, 0, "setp.eq.ftz.f16 %p2, %h1, %h2; selp.b32 %rout, 1, 0, %p2;", half_ftz(a) == half_ftz(b)) \
  X(e4m3, 0, "cvt.rn.satfinite.e4m3x2.f32 %hout, %r1, %r2;", fp8_pair((double)f32(a), (double)f32(b), 3)) \
  X(e5m2, 0, "cvt.rn.satfinite.e5m2x2.f32 %hout, %r1, %r2;", fp8_pair((double)f32(a), (double)f32(b), 2)) \
  X(e4m3_half, 0, "cvt.rn.satfinite.e4m3x2.f16x2 %hout, %r1;", fp8_pair(half(a >> 16 & 0xffff), half(a & 0xffff), 3)) \
  X(from_e4m3, 0, "cvt.rn.f16x2.e4m3x2 %r5, %h1; mov.b32 {%h5, %h6}, %r5; mov.b16 %h7, 0x6c00; mov.b16 %h4, 0;\n" \
    "fma.rn.f16 %h5, %h6, %h7, %h5; setp.gt.f16 %p2, %h5, %h4; selp.b32 %rout, 1, 0, %p2;", \
    (a & 127) != 127 && (a >> 8 & 127) != 127 && fp8(a & 255, 3) + 4096 * fp8(a >> 8 & 255, 3) > 0) \
  X(tf32_away, 0, "cvt.rna.tf32.f32 %rout, %r1;", tf32(a, 1)) \
  X(tf32_even, 0, "cvt.rn.tf32.f32 %rout, %r1;", tf32(a, 0)) \
  X(madhisat, 0, "mad.hi.sat.s32 %rout, %r1, %r2, %r3;", (uint32_t)clamp(hi_plus(a, b, c), INT32_MIN, INT32_MAX)) \
  X(madhi16, 0, "mad.hi.u16 %hout, %h1, %h2, %h3;", (((uint32_t)(uint16_t)a * (uint16_t)b >> 16) + c) & 0xffff) \
  X(mad24sat, 0, "mad24.hi.sat.s32 %rout, %r1, %r2, %r3;", \
    (uint32_t)clamp((int32_t)(product24(a, b) >> 16) + (int64_t)(int32_t)c, INT32_MIN, INT32_MAX)) \
  X(minrelu, 0, "min.relu.s32 %rout, %r1, %r2;", relu((int32_t)a, (int32_t)b, 0, UINT32_MAX)) \
  X(maxrelu2, 0, "max.relu.s16x2 %rout, %r1, %r2;", \
    relu((int16_t)a, (int16_t)b, 1, 0xffff) | relu((int16_t)(a >> 16), (int16_t)(b >> 16), 1, 0xffff) << 16) \
  X(pack4, 0, "cvt.pack.sat.s4.s32.b32 %rout, %r1, %r2, %r3;", \
    (uint32_t)((clamp((int32_t)a, -8, 7) & 15) << 4 | (clamp((int32_t)b, -8, 7) & 15) | c << 8)) \
  X(pack2, 0, "cvt.pack.sat.u2.s32.b32 %rout, %r1, %r2, %r3;", \
    (uint32_t)(clamp((int32_t)a, 0, 3) << 2 | clamp((int32_t)b, 0, 3) | c << 4)) \
  X(vabsdiff4, 0, "vabsdiff4.u32.u32.u32 %rout, %r1, %r2, %r3;", differences(a, b, 8, 0)) \
  X(vabsdiff2s, 0, "vabsdiff2.s32.s32.s32 %rout, %r1, %r2, 0;", differences(a, b, 16, 1)) \
  X(vsad4, 0, "vabsdiff4.u32.u32.u32.add %rout, %r1, %r2, %r3;", sum_of_differences(a, b, c, 8)) \
  X(vsad2, 0, "vabsdiff2.u32.u32.u32.add %rout, %r1, %r2, %r3;", sum_of_differences(a, b, c, 16)) \
  X(vaddsat, 0, "vadd4.s32.s32.s32.sat %rout, %r1, %r2, %r3;", saturated_sums(a, b)) \
  X(vavrg2, 0, "vavrg2.s32.s32.s32 %rout, %r1, %r2, %r3;", averages(a, b)) \
  X(vminmax, 0, "vmin4.u32.u32.u32 %r5, %r1, %r2, 0; vmax4.s32.s32.s32 %r6, %r1, %r2, 0; xor.b32 %rout, %r5, %r6;", \
    least_and_most(a, b)) \
  X(vsub2, 0, "vsub2.u32.u32.u32 %rout, %r1, %r2, %r3;", ((a - b) & 0xffff) | (((a >> 16) - (b >> 16)) & 0xffff) << 16) \
  X(finite_bf16, 0, "cvt.rn.satfinite.bf16.f32 %hout, %r1;", bf16_finite((uint32_t)a)) \
  X(finite_pair, 0, "cvt.rn.satfinite.bf16x2.f32 %rout, %r1, %r2;", \
    bf16_finite((uint32_t)a) << 16 | bf16_finite((uint32_t)b)) \
  /* The largest half where there would be an infinity, else the same as without .satfinite. */ \
  X(one, 0, "cvt.rn.satfinite.f16.f32 %h5, %r1; cvt.rn.f16.f32 %h6, %r1; and.b16 %h7, %h6, 0x7fff;\n" \
    "setp.eq.u16 %p2, %h7, 0x7c00; selp.u16 %h7, 1, 0, %p2; sub.u16 %h6, %h6, %h7;\n" \
    "setp.eq.u16 %p2, %h5, %h6; selp.b32 %rout, 1, 0, %p2;", 1 | (a & 0)) \
  X(pack16, 0, "cvt.pack.sat.s16.s32 %rout, %r1, %r2;", \
    (clamp((int32_t)a, -32768, 32767) & 0xffff) << 16 | (clamp((int32_t)b, -32768, 32767) & 0xffff)) \
  X(pack8, 0, "cvt.pack.sat.u8.s32.b32 %rout, %r1, %r2, %r3;", \
    clamp((int32_t)a, 0, 255) << 8 | clamp((int32_t)b, 0, 255) | (c << 16 & 0xffff0000u)) \
  X(isnormal_, 0, "testp.normal.f32 %p2, %r1; selp.b32 %rout, 1, 0, %p2;", isnormal(f32(a)) != 0) \
  X(isnan64, 0, "testp.notanumber.f64 %p2, %d1; selp.b32 %rout, 1, 0, %p2;", isnan(f64(a)) != 0) \
  X(wide_swap, 0, ".reg .b128 %q<3>; mov.b128 %q1, {%d1, %d2}; mov.b128 %q2, %q1; mov.b128 {_, %dout}, %q2;", b) \
  X(dp4, 0, "dp4a.s32.u32 %rout, %r1, %r2, %r3;", \
    (uint32_t)((int8_t)a * (int64_t)(uint8_t)b + (int8_t)(a >> 8) * (int64_t)(uint8_t)(b >> 8) + \
               (int8_t)(a >> 16) * (int64_t)(uint8_t)(b >> 16) + \
               (int8_t)(a >> 24) * (int64_t)(uint8_t)(b >> 24) + (int64_t)(uint32_t)c)) \
  X(mul24hi, 0, "mul24.hi.u32 %rout, %r1, %r2;", (uint32_t)((a & 0xffffff) * (b & 0xffffff) >> 16))

INSNS(AS_REF)
static const Case cases[] = {
    INSNS(AS_CASE)
};
// clang-format on

TEST(test_rare_instructions_equal_their_definition) { check_cases(cases, sizeof cases / sizeof *cases); }

// Runs a body on 32 lanes whose first input is their lane.
static void lanes_of(const char *body, uint64_t out[LANES]) {
  uint64_t in[LANES][3] = {{0}};
  for (int l = 0; l < LANES; l++) in[l][0] = (uint64_t)l;
  memset(out, 0, LANES * sizeof *out);
  compute(body, in, out);
}

TEST(test_atomics_of_every_kind) {
  uint64_t out[LANES];
  lanes_of(".shared .align 4 .b32 x; .shared .align 2 .b16 y; mov.b32 %r5, x; mov.b32 %r6, y;\n"
           "atom.shared.inc.u32 %r7, [%r5], 9; bar.sync 0; ld.shared.u32 %rout, [%r5];",
           out);
  assert_int_equal(out[0], 32 % 10);
  lanes_of(".shared .align 2 .b16 y; mov.b32 %r6, y; cvt.u16.u32 %h5, %r1; add.u16 %h6, %h5, 1;\n"
           "AGAIN: atom.shared.cas.b16 %h7, [%r6], %h5, %h6; setp.ne.b16 %p2, %h7, %h5; @%p2 bra AGAIN;\n"
           "bar.sync 0; ld.shared.b16 %hout, [%r6];",
           out);
  assert_int_equal(out[5], 32);
  lanes_of(".shared .align 4 .b32 x; mov.b32 %r5, x; mov.b32 %r6, 0x3c003800;\n" // 0.5 and 1
           "red.shared.add.noftz.f16x2 [%r5], %r6; bar.sync 0; ld.shared.u32 %rout, [%r5];",
           out);
  assert_int_equal(out[0], 0x50004c00); // 16 and 32
  lanes_of(".shared .align 16 .b8 x[16]; .reg .b128 %q<4>; mov.b32 %r5, x; mov.b64 %d7, 3;\n"
           "mov.b128 %q1, {%d1, %d7}; setp.eq.u32 %p2, %r1, 4; @%p2 st.shared.b128 [%r5], %q1; bar.sync 0;\n"
           "atom.shared.exch.b128 %q2, [%r5], %q1; bar.sync 0; ld.shared.b128 %q3, [%r5];\n"
           "mov.b128 {%d8, _}, %q2; mov.b128 {%d9, %d10}, %q3; mad.lo.s64 %dout, %d9, %d10, %d8;",
           out);
  assert_int_equal(out[0], 31 * 3 + 4); // lane 0 got what lane 4 had stored; lane 31 was last
  assert_int_equal(out[20], 31 * 3 + 19);
}

TEST(test_vector_reductions) {
  static const char text[] =
      ".version 8.1\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x) {\n"
      ".reg .b64 %d<5>; .reg .f32 %f<9>; ld.param.u64 %d1, [x]; mov.f32 %f1, 0f3f800000; mov.f32 %f2, "
      "0f40000000;\n"
      "red.relaxed.gpu.global.add.v2.f32 [%d1], {%f1, %f2};\n"
      "atom.global.gpu.add.v4.f32 {%f3, %f4, _, %f6}, [%d1+16], {%f1, %f2, %f2, %f1};\n"
      "red.global.add.f32 [%d1+8], %f4; ret; }\n";
  float x[8] = {0};
  uint64_t address;
  const void *params[] = {&address};
  uint32_t grid[3] = {1, 1, 1}, block[3] = {LANES, 1, 1};
  tilec_sim *sim = new_sim(0);
  tilec_sim_module *module;
  tilec_sim_result result = tilec_sim_load(sim, text, strlen(text), &module);
  if (result) print_error("%s\n", tilec_sim_message(sim));
  assert_int_equal(result, TILEC_SIM_OK);
  tilec_sim_bind(sim, x, sizeof x, &address);
  assert_int_equal(tilec_sim_launch(sim, tilec_sim_kernel_at(module, 0), grid, block, 0, params),
                   TILEC_SIM_OK);
  assert_true(x[0] == 32 && x[1] == 64 && x[4] == 32 && x[5] == 64 && x[6] == 64 && x[7] == 32);
  assert_true(x[2] == 2 * 31 * 32 / 2); // the old values of x[5]: 0, 2, 4, ...
  tilec_sim_destroy(sim);
}

TEST(test_barriers_reduce) {
  uint64_t out[LANES];
  lanes_of(
      "setp.lt.u32 %p2, %r1, 5; bar.red.popc.u32 %r5, 1, 32, %p2; bar.red.and.pred %p3, 0, !%p2;\n"
      "barrier.cta.red.or.aligned.pred %p4, 2, %p2; selp.b32 %r6, 100, 0, %p3; selp.b32 %r7, 1000, 0, %p4;\n"
      "add.u32 %rout, %r5, %r6; add.u32 %rout, %rout, %r7;",
      out);
  for (int l = 0; l < LANES; l++) assert_int_equal(out[l], 1005);
}

TEST(test_lanes_with_equal_values) {
  uint64_t out[LANES];
  lanes_of("and.b32 %r5, %r1, 1; match.any.sync.b32 %rout, %r5, -1;", out);
  for (int l = 0; l < LANES; l++) assert_int_equal(out[l], l % 2 ? 0xaaaaaaaa : 0x55555555);
  lanes_of("mov.b64 %d5, 7; match.all.sync.b64 %rout|%p2, %d5, -1; selp.b32 %r6, 1, 0, %p2; xor.b32 %rout, "
           "%rout, %r6;",
           out);
  assert_int_equal(out[3], 0xfffffffe);
  lanes_of("setp.lt.u32 %p2, %r1, 8; @!%p2 bra END; match.all.sync.b32 %r5|%p3, %r1, 0xff;\n"
           "selp.b32 %rout, 1, 2, %p3; END:",
           out);
  assert_int_equal(out[3], 2);
  assert_int_equal(out[9], 0);
}

// .approx.ftz of binary64 looks at 32 bits and gives 32.
TEST(test_gross_approximations) {
  uint64_t in[LANES][3], out[LANES] = {0};
  for (int l = 0; l < LANES; l++) in[l][0] = u64(ldexp(1.0 + l * 0.37, l - 16)), in[l][1] = in[l][2] = 0;
  compute("rcp.approx.ftz.f64 %dout, %d1;", in, out);
  for (int l = 0; l < LANES; l++) {
    assert_int_equal(out[l] & UINT32_MAX, 0);
    assert_true(fabs(f64(out[l]) * f64(in[l][0]) - 1) < 0x1p-19);
  }
  compute("rsqrt.approx.ftz.f64 %dout, %d1;", in, out);
  for (int l = 0; l < LANES; l++) assert_true(fabs(f64(out[l]) * f64(out[l]) * f64(in[l][0]) - 1) < 0x1p-18);
}

TEST(test_what_is_not_supported_says_so) {
  static const struct {
    const char *functions, *body, *message;
  } bad[] = {
      {"", "{ .reg .v2 .b32 both<2>; }", "only scalar registers have ranges"},
      {"", "{ .reg .b32 one = 1; }", "a register is one scalar or vector"},
      {"", "sust.b.1d.b32.trap [%d1, {%r1}], %r1;", "unknown instruction 'sust.b.1d.b32.trap'"},
      {"", "multimem.red.add.v2.u32 [%d1], {%r1, %r2};", "multimem.red.add.v2.u32 is not known"},
      {"", "multimem.st.relaxed.f32 [%d1], %r1;", "multimem needs one order, and a scope with it"},
      {".func f() { call f; ret; }", "call f;", "'f' calls itself: recursion is not supported"},
      {".func f();", "call f;", "'f' has no body in this module: calls of other modules are not supported"},
      {"", "call (_), %d1, ();", "indirect calls are not supported"},
      {".extern .func (.param .b64 r) malloc(.param .b64 n);",
       "{ .param .b64 p; .param .b64 q; call (q), malloc, (p); }", "malloc on the device is not supported"},
      {".extern .global .u32 g;", "ret;", "'g': variables of other modules are not supported"},
      {"", "atom.global.inc.s32 %r1, [%d1], %r2;", "atom.global.inc.s32 is not known"},
      {"", "add.cc.u16 %h1, %h1, %h2;", "add.cc.u16 is not known for .u16"},
      {"", "setp.lt.ftz.u32 %p1, %r1, %r2;", ".ftz does not fit .u32"},
      {"", "mov.b128 %q1, 5;", "there are no constants of 128 bits"},
      {"", "ld.global.b64 %q1, [%d1];", "a register does not fit .b64"},
      {"", "cvt.rn.e4m3x2.f32 %h1, %r1, %r2;", "cvt.rn.e4m3x2.f32 is not known"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[900];
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_90\n.address_size 64\n%s\n.entry k() { .reg .b16 %%h<9>; .reg .b32 "
             "%%r<9>; .reg .b64 %%d<9>; .reg .b128 %%q<3>; .reg .pred %%p<3>;\n%s\nret; }\n",
             bad[i].functions, bad[i].body);
    tilec_sim *sim = new_sim(0);
    tilec_sim_module *module;
    assert_int_equal(tilec_sim_load(sim, text, strlen(text), &module), TILEC_SIM_ERROR_PTX);
    if (!strstr(tilec_sim_message(sim), bad[i].message))
      print_error("%s\n  gives %s\n", bad[i].body, tilec_sim_message(sim));
    assert_non_null(strstr(tilec_sim_message(sim), bad[i].message));
    tilec_sim_destroy(sim);
  }
}

WHOLE_SUITE(sim_rare)
