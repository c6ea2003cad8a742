// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each instruction on random and special inputs against a C expression; parser and
// decoder errors; control flow; counters.
#include "tests/unit/unit.h"
#include "sim/sim.h"
#include "tests/unit/sim_insns.h"

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

// binary16 by its definition.
static double half(uint64_t bits) {
  int e = (int)(bits >> 10 & 31), m = (int)(bits & 1023);
  double value = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
  return bits >> 15 & 1 ? -value : value;
}

// The nearest binary16, by search: ties to the even pattern.
static uint64_t nearest_half(long double value) {
  if (value != value) return 0x7fff;
  uint64_t sign = signbit(value) ? 0x8000 : 0;
  long double a = fabsl(value);
  if (a >= 65520.0L) return sign | 0x7c00;
  uint64_t low = 0, high = 0x7bff;
  while (low < high) { // the largest not above a
    uint64_t middle = (low + high + 1) / 2;
    if ((long double)half(middle) <= a)
      low = middle;
    else
      high = middle - 1;
  }
  long double below = a - (long double)half(low),
              above = (low == 0x7bff ? 65536.0L : (long double)half(low + 1)) - a;
  return sign | (above < below || (above == below && (low & 1)) ? low + 1 : low);
}

static uint64_t shift_left(uint64_t a, uint64_t n) { return n > 31 ? 0 : (uint32_t)a << n; }

static float flush(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }

REF(guarded, c & 1 ? (uint32_t)(a + b) : 7)

// clang-format off
#define INSNS(X) \
  X(addpair, 0, "add.s16x2 %rout, %r1, %r2;", \
    (uint32_t)((a + b) & 0xffff) | (uint32_t)((uint32_t)(a >> 16) + (uint32_t)(b >> 16)) << 16) \
  X(gtpair, 0, "setp.gt.f16x2 %p2|%p3, %r1, %r2; selp.b32 %r5, 1, 0, %p2; selp.b32 %r6, 2, 0, %p3; " \
    "or.b32 %rout, %r5, %r6;", (uint64_t)(half(a & 0xffff) > half(b & 0xffff)) \
      | (uint64_t)(half(a >> 16 & 0xffff) > half(b >> 16 & 0xffff)) << 1) \
  X(add32, 0, "add.s32 %rout, %r1, %r2;", (uint32_t)(a + b)) \
  X(sub64, 0, "sub.s64 %dout, %d1, %d2;", a - b) \
  X(mullo, 0, "mul.lo.u32 %rout, %r1, %r2;", (uint32_t)((uint32_t)a * (uint32_t)b)) \
  X(mulhiu, 0, "mul.hi.u32 %rout, %r1, %r2;", ((uint64_t)(uint32_t)a * (uint32_t)b) >> 32) \
  X(mulhis, 0, "mul.hi.s32 %rout, %r1, %r2;", (uint32_t)(((int64_t)(int32_t)a * (int32_t)b) >> 32)) \
  X(wides, 0, "mul.wide.s32 %dout, %r1, %r2;", (uint64_t)((int64_t)(int32_t)a * (int32_t)b)) \
  X(wideu, 0, "mul.wide.u32 %dout, %r1, %r2;", (uint64_t)(uint32_t)a * (uint32_t)b) \
  X(madwide, 0, "mad.wide.u32 %dout, %r1, %r2, %d3;", (uint64_t)(uint32_t)a * (uint32_t)b + c) \
  X(mad16, 0, "mad.lo.s16 %hout, %h1, %h2, %h3;", (uint16_t)((uint32_t)(uint16_t)a * (uint16_t)b + (uint16_t)c)) \
  X(mulhi64, 0, "mul.hi.u64 %dout, %d1, %d2;", (uint64_t)(((uint128)a * b) >> 64)) \
  X(mulhis64, 0, "mul.hi.s64 %dout, %d1, %d2;", (uint64_t)(((int128)(int64_t)a * (int64_t)b) >> 64)) \
  X(divu, 0, "or.b32 %r5, %r2, 1; div.u32 %rout, %r1, %r5;", (uint32_t)((uint32_t)a / ((uint32_t)b | 1))) \
  X(remu, 0, "or.b32 %r5, %r2, 1; rem.u32 %rout, %r1, %r5;", (uint32_t)((uint32_t)a % ((uint32_t)b | 1))) \
  X(divs, 0, "or.b32 %r5, %r2, 1; div.s32 %rout, %r1, %r5;", \
    (uint32_t)((int64_t)(int32_t)a / (int64_t)(int32_t)((uint32_t)b | 1))) \
  X(mins, 0, "min.s32 %rout, %r1, %r2;", (int32_t)a < (int32_t)b ? (uint32_t)a : (uint32_t)b) \
  X(maxu64, 0, "max.u64 %dout, %d1, %d2;", a > b ? a : b) \
  X(shl, 0, "shl.b32 %rout, %r1, %r2;", shift_left(a, (uint32_t)b)) \
  X(shrs, 0, "shr.s32 %rout, %r1, %r2;", (uint32_t)((int32_t)a >> ((uint32_t)b > 31 ? 31 : (uint32_t)b))) \
  X(shru64, 0, "shr.u64 %dout, %d1, %r2;", (uint32_t)b > 63 ? 0 : a >> (uint32_t)b) \
  X(popc, 0, "popc.b64 %rout, %d1;", (uint64_t)__builtin_popcountll(a)) \
  X(clz, 0, "clz.b32 %rout, %r1;", (uint32_t)a ? (uint64_t)__builtin_clz((uint32_t)a) : 32) \
  X(bfe, 0, "bfe.u32 %rout, %r1, 5, 10;", (uint32_t)a >> 5 & 0x3ff) \
  X(bfes, 0, "bfe.s32 %rout, %r1, 5, 10;", (uint32_t)((int32_t)((uint32_t)a << 17) >> 22)) \
  X(bfi, 0, "bfi.b32 %rout, %r1, %r2, 4, 8;", ((uint32_t)b & ~0xff0u) | ((uint32_t)a & 0xff) << 4) \
  X(lop3, 0, "lop3.b32 %rout, %r1, %r2, %r3, 0x6a;", (uint32_t)((a & b) ^ c)) \
  X(prmt, 0, "prmt.b32 %rout, %r1, %r2, 0x7041;", \
    (uint32_t)((a >> 8 & 255) | (b & 255) << 8 | (a & 255) << 16 | (b >> 24 & 255) << 24)) \
  X(shf, 0, "shf.l.wrap.b32 %rout, %r1, %r2, %r3;", \
    (uint32_t)(((uint64_t)(uint32_t)b << 32 | (uint32_t)a) << ((uint32_t)c & 31) >> 32)) \
  X(selp, 0, "selp.b32 %rout, %r1, %r2, %p1;", c & 1 ? (uint32_t)a : (uint32_t)b) \
  X(setps, 0, "setp.lt.s32 %p2, %r1, %r2; selp.b32 %rout, 1, 0, %p2;", (int32_t)a < (int32_t)b) \
  X(setpand, 0, "setp.ge.and.u32 %p2, %r1, %r2, %p1; selp.b32 %rout, 1, 0, %p2;", \
    ((uint32_t)a >= (uint32_t)b) && (c & 1)) \
  X(ltu, 0, "setp.ltu.f32 %p2, %r1, %r2; selp.b32 %rout, 1, 0, %p2;", !(f32(a) >= f32(b))) \
  X(fadd, 32, "add.rn.f32 %rout, %r1, %r2;", u32(f32(a) + f32(b))) \
  X(fmul, 32, "mul.f32 %rout, %r1, %r2;", u32(f32(a) * f32(b))) \
  X(ffma, 32, "fma.rn.f32 %rout, %r1, %r2, %r3;", u32(fmaf(f32(a), f32(b), f32(c)))) \
  X(fdiv, 32, "div.rn.f32 %rout, %r1, %r2;", u32(f32(a) / f32(b))) \
  X(fsqrt, 32, "sqrt.rn.f32 %rout, %r1;", u32(sqrtf(f32(a)))) \
  X(dadd, 64, "add.f64 %dout, %d1, %d2;", u64(f64(a) + f64(b))) \
  X(dfma, 64, "fma.rn.f64 %dout, %d1, %d2, %d3;", u64(fma(f64(a), f64(b), f64(c)))) \
  X(fneg, 32, "neg.f32 %rout, %r1;", (uint32_t)a ^ 0x80000000u) \
  X(fsat, 0, "mul.sat.f32 %rout, %r1, %r2;", u32(f32(a) * f32(b) > 0 ? fminf(f32(a) * f32(b), 1) : 0)) \
  X(ex2, 32, "ex2.approx.f32 %rout, %r1;", u32((float)exp2((double)f32(a)))) \
  X(ex2ftz, 32, "ex2.approx.ftz.f32 %rout, %r1;", u32(flush((float)exp2((double)flush(f32(a)))))) \
  X(hadd, 16, "add.f16 %hout, %h1, %h2;", nearest_half((long double)half(a & 0xffff) + (long double)half(b & 0xffff))) \
  X(hmul, 16, "mul.rn.f16 %hout, %h1, %h2;", \
    nearest_half((long double)half(a & 0xffff) * (long double)half(b & 0xffff))) \
  X(hfma, 16, "fma.rn.f16 %hout, %h1, %h2, %h3;", \
    nearest_half((long double)half(a & 0xffff) * (long double)half(b & 0xffff) + (long double)half(c & 0xffff))) \
  X(hmixed, 32, "fma.rn.f32.f16 %rout, %h1, %h2, %r3;", u32(fmaf(half(a & 0xffff), half(b & 0xffff), f32(c)))) \
  X(bmixed, 32, "fma.rn.f32.bf16 %rout, %h1, %h2, %r3;", u32(fmaf(f32(a << 16), f32(b << 16), f32(c)))) \
  X(hplus, 32, "add.f32.f16 %rout, %h1, %r2;", u32((float)half(a & 0xffff) + f32(b))) \
  X(bminus, 32, "sub.rn.f32.bf16 %rout, %h1, %r2;", u32(f32(a << 16) - f32(b))) \
  X(tohalf, 16, "cvt.rn.f16.f32 %hout, %r1;", nearest_half((long double)f32(a))) \
  X(doubletohalf, 16, "cvt.rn.f16.f64 %hout, %d1;", nearest_half((long double)f64(a))) \
  X(fromhalf, 32, "cvt.f32.f16 %rout, %h1;", u32((float)half(a & 0xffff))) \
  X(pairhalf, 1, "cvt.rn.f16x2.f32 %rout, %r1, %r2;", \
    nearest_half((long double)f32(a)) << 16 | nearest_half((long double)f32(b))) \
  X(frombf, 32, "cvt.f32.bf16 %rout, %h1;", (a & 0xffff) << 16) \
  X(ftos, 0, "cvt.rzi.s32.f32 %rout, %r1;", \
    f32(a) != f32(a) ? 0 : f32(a) >= 0x1p31f ? INT32_MAX : f32(a) < -0x1p31f ? 0x80000000u : (uint32_t)(int32_t)f32(a)) \
  X(least_s32, 0, "mov.b64 %d1, 0x7ff8000000000000; cvt.rzi.s32.f64 %rout, %d1;", 0x80000000u) /* what a NaN gives */ \
  X(zero_s32, 0, "mov.b32 %r1, 0x7fc00000; cvt.rzi.s32.f32 %rout, %r1;", 0) \
  X(stof, 0, "cvt.rn.f32.s32 %rout, %r1;", u32((float)(int32_t)a)) \
  X(u64tof, 0, "cvt.rn.f32.u64 %rout, %d1;", u32((float)a)) \
  X(u64tod, 0, "cvt.rn.f64.u64 %dout, %d1;", u64((double)a)) \
  X(dtof, 32, "cvt.rn.f32.f64 %rout, %d1;", u32((float)f64(a))) \
  X(s8, 0, "cvt.s32.s8 %rout, %r1;", (uint32_t)(int32_t)(int8_t)a) \
  X(satu8, 0, "cvt.sat.u8.s32 %rout, %r1;", (int32_t)a < 0 ? 0 : (int32_t)a > 255 ? 255 : (uint32_t)a) \
  X(rndf, 32, "cvt.rni.f32.f32 %rout, %r1;", u32(rintf(f32(a)))) \
  X(pack, 0, "mov.b32 %rout, {%h1, %h2};", (a & 0xffff) | (b & 0xffff) << 16) \
  X(unpack, 0, "mov.b64 {_, %rout}, %d1;", a >> 32) \
  X(copysign_, 0, "copysign.f32 %rout, %r1, %r2;", u32(copysignf(f32(b), f32(a))))

INSNS(AS_REF)
static const Case cases[] = {
    INSNS(AS_CASE)
    {"mov.b32 %rout, 7; @%p1 add.s32 %rout, %r1, %r2;", guarded, 0},
    {"mov.b32 %rout, 7; @!%p1 bra OVER; add.s32 %rout, %r1, %r2; OVER:", guarded, 0},
    {"{ .reg .b32 t; .reg .pred %p1; setp.ne.u32 %p1, %r21, 0; @!%p1 bra L; add.s32 t, %r1, %r2; bra M; "
    "L: mov.b32 t, 7; M: mov.b32 %rout, t; }", guarded, 0},
};
// clang-format on

TEST(test_instructions_equal_their_definition) { check_cases(cases, sizeof cases / sizeof *cases); }

typedef struct BadText {
  const char *body, *message;
} BadText;

TEST(test_unknown_text_is_a_located_error) {
  static const BadText bad[] = {
      {"frob.u32 %r1, %r2;", "5:3: unknown instruction 'frob.u32'"},
      {"add.rm.u32 %r1, %r2, %r3;", "5:3: add: modifier '.rm' is not known here"},
      {"add.u32 %r1, %r2;", "5:3: add.u32 needs more operands"},
      {"add.u32 %r1, %r2, %q3;", "5:21: '%q3' is not a register"},
      {"mov.u32 %r1, %envreg2;", "5:16: '%envreg2' is not known here: a barrier of the whole grid "
                                 "(grid.sync() of cooperative groups) is not simulated"},
      {"add.u32 %r1, %r2, %d3;", "5:21: '%d3' has another width than .u32"},
      {"bra NOWHERE;", "5:3: no label 'NOWHERE'"},
      {"fma.f32 %r1, %r1, %r1, %r1;", "5:3: fma.f32 needs a rounding"},
      {"add.u32 %r1, , %r2;", "5:16: syntax error at ','"},
      {"cvt.f16.f32 %r1, %r2;", "5:3: cvt.f16.f32 needs a rounding"},
      {"ld.global.u32 %r1, [%r2];", "5:3: a 64-bit address is needed"},
      {"`", "5:3: unexpected character or unterminated text"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[600];
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { .reg .b32 %%r<9>; .reg .b64 "
             "%%d<9>;\n  %s\n ret; }\n",
             bad[i].body);
    tilec_sim *sim = new_sim(0);
    tilec_sim_module *module;
    assert_int_equal(tilec_sim_load(sim, text, strlen(text), &module), TILEC_SIM_ERROR_PTX);
    assert_null(module);
    assert_string_equal(tilec_sim_message(sim), bad[i].message);
    tilec_sim_destroy(sim);
  }
}

// Runs a body without parameters and gives how it ended.
static tilec_sim_report_kind ends(const char *body, uint32_t threads, uint64_t budget, uint32_t *line) {
  char text[2000];
  snprintf(text, sizeof text,
           ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {\n.reg .b32 %%r<9>; .reg .b64 %%d<9>; "
           ".reg .pred %%p<9>;\n%s\n}\n",
           body);
  tilec_sim *sim = new_sim(budget);
  tilec_sim_module *module;
  tilec_sim_result loaded = tilec_sim_load(sim, text, strlen(text), &module);
  if (loaded) print_error("%s\n", tilec_sim_message(sim));
  assert_int_equal(loaded, TILEC_SIM_OK);
  uint32_t grid[3] = {2, 1, 1}, block[3] = {threads, 1, 1};
  assert_int_equal(tilec_sim_launch(sim, tilec_sim_kernel_at(module, 0), grid, block, 0, NULL),
                   TILEC_SIM_ERROR_KERNEL);
  assert_int_equal(tilec_sim_report_count(sim), 1);
  tilec_sim_report_kind kind = tilec_sim_report_at(sim, 0)->kind;
  *line = tilec_sim_report_at(sim, 0)->ptx_line;
  tilec_sim_destroy(sim);
  return kind;
}

TEST(test_bad_ends_are_reported) {
  uint32_t line;
  assert_int_equal(ends("L: bra L;", 32, 5000, &line), TILEC_SIM_BUDGET);
  assert_int_equal(line, 6);
  assert_int_equal(ends("mov.u32 %r1, 1;\ntrap;", 32, 0, &line), TILEC_SIM_TRAP);
  assert_int_equal(line, 7);
  assert_int_equal(ends("mov.u32 %r1, 16;\nbar.sync %r1; ret;", 32, 0, &line), TILEC_SIM_TRAP);
  assert_int_equal(line, 7);
  assert_int_equal(ends("mov.u32 %r1, 1;", 32, 0, &line), TILEC_SIM_WILD_BRANCH);
  assert_int_equal(
      ends("mov.u32 %r1, 5;\nT: .branchtargets A, B;\nbrx.idx %r1, T;\nA: B: ret;", 32, 0, &line),
      TILEC_SIM_WILD_BRANCH);
  assert_int_equal(line, 8);
  assert_int_equal(ends("mov.u32 %r1, %warpid; setp.eq.u32 %p1, %r1, 0;\n@%p1 bra S;\nbar.sync 1; ret;\nS: "
                        "bar.sync 0; ret;",
                        64, 0, &line),
                   TILEC_SIM_DEADLOCK);
  assert_int_equal(ends("mov.u64 %d1, 64;\nst.global.u32 [%d1], %r1; ret;", 32, 0, &line),
                   TILEC_SIM_OUT_OF_BOUNDS);
  assert_int_equal(line, 7);
}

// Lane 0 holds a lock that the others spin on, in program order before the release: only the starvation rule
// lets it go on.
TEST(test_a_lock_within_a_warp_makes_progress) {
  uint64_t in[LANES][3] = {{0}}, out[LANES] = {0};
  compute(".shared .align 4 .b32 lock, sum;\nmov.u32 %r5, lock; mov.u32 %r8, sum;\n"
          "SPIN: atom.shared.cas.b32 %r6, [%r5], 0, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra SPIN;\n"
          "ld.shared.u32 %r7, [%r8]; add.u32 %r7, %r7, 1; st.shared.u32 [%r8], %r7; mov.u32 %rout, %r7;\n"
          "atom.shared.exch.b32 %r6, [%r5], 0;",
          in, out);
  uint64_t total = 0;
  for (int l = 0; l < LANES; l++) total += out[l];
  assert_int_equal(total, LANES * (LANES + 1) / 2);
}

TEST(test_lanes_exchange_values) {
  uint64_t in[LANES][3], out[LANES] = {0};
  for (int l = 0; l < LANES; l++) in[l][0] = (uint64_t)l * 3, in[l][1] = 0, in[l][2] = l % 3 == 0;
  compute("shfl.sync.bfly.b32 %rout, %r1, 5, 0x1f, 0xffffffff;", in, out);
  for (int l = 0; l < LANES; l++) assert_int_equal(out[l], (l ^ 5) * 3);
  compute("shfl.sync.up.b32 %rout|%p3, %r1, 4, 0, -1; @!%p3 mov.u32 %rout, 99;", in, out);
  for (int l = 0; l < LANES; l++) assert_int_equal(out[l], l < 4 ? 99 : (l - 4) * 3);
  compute("vote.sync.ballot.b32 %rout, %p1, 0xffffffff;", in, out);
  for (int l = 0; l < LANES; l++) assert_int_equal(out[l], 0x49249249);
  compute("redux.sync.max.s32 %rout, %r1, 0xffffffff;", in, out);
  for (int l = 0; l < LANES; l++) assert_int_equal(out[l], 93);
}

WHOLE_SUITE(sim_insns)
