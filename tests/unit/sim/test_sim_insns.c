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

// clang-format off
REF(ex2ftz, u32(flush((float)exp2((double)flush(f32(a))))))
REF(add32, (uint32_t)(a + b))
REF(sub64, a - b)
REF(mullo, (uint32_t)((uint32_t)a * (uint32_t)b))
REF(mulhiu, ((uint64_t)(uint32_t)a * (uint32_t)b) >> 32)
REF(mulhis, (uint32_t)(((int64_t)(int32_t)a * (int32_t)b) >> 32))
REF(wides, (uint64_t)((int64_t)(int32_t)a * (int32_t)b))
REF(wideu, (uint64_t)(uint32_t)a * (uint32_t)b)
REF(madwide, (uint64_t)(uint32_t)a * (uint32_t)b + c)
REF(mad16, (uint16_t)((uint32_t)(uint16_t)a * (uint16_t)b + (uint16_t)c))
REF(mulhi64, (uint64_t)(((uint128)a * b) >> 64))
REF(mulhis64, (uint64_t)(((int128)(int64_t)a * (int64_t)b) >> 64))
REF(divu, (uint32_t)((uint32_t)a / ((uint32_t)b | 1)))
REF(remu, (uint32_t)((uint32_t)a % ((uint32_t)b | 1)))
REF(divs, (uint32_t)((int64_t)(int32_t)a / (int64_t)(int32_t)((uint32_t)b | 1)))
REF(mins, (int32_t)a < (int32_t)b ? (uint32_t)a : (uint32_t)b)
REF(maxu64, a > b ? a : b)
REF(shl, shift_left(a, (uint32_t)b))
REF(shrs, (uint32_t)((int32_t)a >> ((uint32_t)b > 31 ? 31 : (uint32_t)b)))
REF(shru64, (uint32_t)b > 63 ? 0 : a >> (uint32_t)b)
REF(popc, (uint64_t)__builtin_popcountll(a))
REF(clz, (uint32_t)a ? (uint64_t)__builtin_clz((uint32_t)a) : 32)
REF(bfe, (uint32_t)a >> 5 & 0x3ff)
REF(bfes, (uint32_t)((int32_t)((uint32_t)a << 17) >> 22))
REF(bfi, ((uint32_t)b & ~0xff0u) | ((uint32_t)a & 0xff) << 4)
REF(lop3, (uint32_t)((a & b) ^ c))
REF(prmt, (uint32_t)((a >> 8 & 255) | (b & 255) << 8 | (a & 255) << 16 | (b >> 24 & 255) << 24))
REF(shf, (uint32_t)(((uint64_t)(uint32_t)b << 32 | (uint32_t)a) << ((uint32_t)c & 31) >> 32))
REF(selp, c & 1 ? (uint32_t)a : (uint32_t)b)
REF(setps, (int32_t)a < (int32_t)b)
REF(setpand, ((uint32_t)a >= (uint32_t)b) && (c & 1))
REF(ltu, !(f32(a) >= f32(b)))
REF(fadd, u32(f32(a) + f32(b)))
REF(fmul, u32(f32(a) * f32(b)))
REF(ffma, u32(fmaf(f32(a), f32(b), f32(c))))
REF(fdiv, u32(f32(a) / f32(b)))
REF(fsqrt, u32(sqrtf(f32(a))))
REF(dadd, u64(f64(a) + f64(b)))
REF(dfma, u64(fma(f64(a), f64(b), f64(c))))
REF(fneg, (uint32_t)a ^ 0x80000000u)
REF(fsat, u32(f32(a) * f32(b) > 0 ? fminf(f32(a) * f32(b), 1) : 0))
REF(ex2, u32((float)exp2((double)f32(a))))
REF(hadd, nearest_half((long double)half(a & 0xffff) + (long double)half(b & 0xffff)))
REF(hmul, nearest_half((long double)half(a & 0xffff) * (long double)half(b & 0xffff)))
REF(hfma, nearest_half((long double)half(a & 0xffff) * (long double)half(b & 0xffff) + (long double)half(c & 0xffff)))
REF(hmixed, u32(fmaf(half(a & 0xffff), half(b & 0xffff), f32(c))))
REF(bmixed, u32(fmaf(f32(a << 16), f32(b << 16), f32(c))))
REF(hplus, u32((float)half(a & 0xffff) + f32(b)))
REF(bminus, u32(f32(a << 16) - f32(b)))
REF(tohalf, nearest_half((long double)f32(a)))
REF(doubletohalf, nearest_half((long double)f64(a)))
REF(fromhalf, u32((float)half(a & 0xffff)))
REF(pairhalf, nearest_half((long double)f32(a)) << 16 | nearest_half((long double)f32(b)))
REF(frombf, (a & 0xffff) << 16)
REF(ftos, f32(a) != f32(a) ? 0 : f32(a) >= 0x1p31f ? INT32_MAX : f32(a) < -0x1p31f ? 0x80000000u : (uint32_t)(int32_t)f32(a))
REF(stof, u32((float)(int32_t)a))
REF(u64tof, u32((float)a))
REF(u64tod, u64((double)a))
REF(dtof, u32((float)f64(a)))
REF(least_s32, 0x80000000u)
REF(zero_s32, 0)
REF(s8, (uint32_t)(int32_t)(int8_t)a)
REF(satu8, (int32_t)a < 0 ? 0 : (int32_t)a > 255 ? 255 : (uint32_t)a)
REF(rndf, u32(rintf(f32(a))))
REF(pack, (a & 0xffff) | (b & 0xffff) << 16)
REF(unpack, a >> 32)
REF(copysign_, u32(copysignf(f32(b), f32(a))))
REF(guarded, c & 1 ? (uint32_t)(a + b) : 7)
REF(addpair, (uint32_t)((a + b) & 0xffff) | (uint32_t)((uint32_t)(a >> 16) + (uint32_t)(b >> 16)) << 16)
REF(gtpair, (uint64_t)(half(a & 0xffff) > half(b & 0xffff)) | (uint64_t)(half(a >> 16 & 0xffff) > half(b >> 16 & 0xffff)) << 1)
// clang-format on

static const Case cases[] = {
    {"add.s16x2 %rout, %r1, %r2;", addpair, 0},
    {"setp.gt.f16x2 %p2|%p3, %r1, %r2; selp.b32 %r5, 1, 0, %p2; selp.b32 %r6, 2, 0, %p3; or.b32 %rout, "
     "%r5, %r6;",
     gtpair, 0},
    {"add.s32 %rout, %r1, %r2;", add32, 0},
    {"sub.s64 %dout, %d1, %d2;", sub64, 0},
    {"mul.lo.u32 %rout, %r1, %r2;", mullo, 0},
    {"mul.hi.u32 %rout, %r1, %r2;", mulhiu, 0},
    {"mul.hi.s32 %rout, %r1, %r2;", mulhis, 0},
    {"mul.wide.s32 %dout, %r1, %r2;", wides, 0},
    {"mul.wide.u32 %dout, %r1, %r2;", wideu, 0},
    {"mad.wide.u32 %dout, %r1, %r2, %d3;", madwide, 0},
    {"mad.lo.s16 %hout, %h1, %h2, %h3;", mad16, 0},
    {"mul.hi.u64 %dout, %d1, %d2;", mulhi64, 0},
    {"mul.hi.s64 %dout, %d1, %d2;", mulhis64, 0},
    {"or.b32 %r5, %r2, 1; div.u32 %rout, %r1, %r5;", divu, 0},
    {"or.b32 %r5, %r2, 1; rem.u32 %rout, %r1, %r5;", remu, 0},
    {"or.b32 %r5, %r2, 1; div.s32 %rout, %r1, %r5;", divs, 0},
    {"min.s32 %rout, %r1, %r2;", mins, 0},
    {"max.u64 %dout, %d1, %d2;", maxu64, 0},
    {"shl.b32 %rout, %r1, %r2;", shl, 0},
    {"shr.s32 %rout, %r1, %r2;", shrs, 0},
    {"shr.u64 %dout, %d1, %r2;", shru64, 0},
    {"popc.b64 %rout, %d1;", popc, 0},
    {"clz.b32 %rout, %r1;", clz, 0},
    {"bfe.u32 %rout, %r1, 5, 10;", bfe, 0},
    {"bfe.s32 %rout, %r1, 5, 10;", bfes, 0},
    {"bfi.b32 %rout, %r1, %r2, 4, 8;", bfi, 0},
    {"lop3.b32 %rout, %r1, %r2, %r3, 0x6a;", lop3, 0},
    {"prmt.b32 %rout, %r1, %r2, 0x7041;", prmt, 0},
    {"shf.l.wrap.b32 %rout, %r1, %r2, %r3;", shf, 0},
    {"selp.b32 %rout, %r1, %r2, %p1;", selp, 0},
    {"setp.lt.s32 %p2, %r1, %r2; selp.b32 %rout, 1, 0, %p2;", setps, 0},
    {"setp.ge.and.u32 %p2, %r1, %r2, %p1; selp.b32 %rout, 1, 0, %p2;", setpand, 0},
    {"setp.ltu.f32 %p2, %r1, %r2; selp.b32 %rout, 1, 0, %p2;", ltu, 0},
    {"add.rn.f32 %rout, %r1, %r2;", fadd, 32},
    {"mul.f32 %rout, %r1, %r2;", fmul, 32},
    {"fma.rn.f32 %rout, %r1, %r2, %r3;", ffma, 32},
    {"div.rn.f32 %rout, %r1, %r2;", fdiv, 32},
    {"sqrt.rn.f32 %rout, %r1;", fsqrt, 32},
    {"add.f64 %dout, %d1, %d2;", dadd, 64},
    {"fma.rn.f64 %dout, %d1, %d2, %d3;", dfma, 64},
    {"neg.f32 %rout, %r1;", fneg, 32},
    {"mul.sat.f32 %rout, %r1, %r2;", fsat, 0},
    {"ex2.approx.f32 %rout, %r1;", ex2, 32},
    {"ex2.approx.ftz.f32 %rout, %r1;", ex2ftz, 32},
    {"add.f16 %hout, %h1, %h2;", hadd, 16},
    {"mul.rn.f16 %hout, %h1, %h2;", hmul, 16},
    {"fma.rn.f16 %hout, %h1, %h2, %h3;", hfma, 16},
    {"fma.rn.f32.f16 %rout, %h1, %h2, %r3;", hmixed, 32},
    {"fma.rn.f32.bf16 %rout, %h1, %h2, %r3;", bmixed, 32},
    {"add.f32.f16 %rout, %h1, %r2;", hplus, 32},
    {"sub.rn.f32.bf16 %rout, %h1, %r2;", bminus, 32},
    {"cvt.rn.f16.f32 %hout, %r1;", tohalf, 16},
    {"cvt.rn.f16.f64 %hout, %d1;", doubletohalf, 16},
    {"cvt.f32.f16 %rout, %h1;", fromhalf, 32},
    {"cvt.rn.f16x2.f32 %rout, %r1, %r2;", pairhalf, 1},
    {"cvt.f32.bf16 %rout, %h1;", frombf, 32},
    {"cvt.rzi.s32.f32 %rout, %r1;", ftos, 0},
    {"mov.b64 %d1, 0x7ff8000000000000; cvt.rzi.s32.f64 %rout, %d1;", least_s32, 0}, // what a NaN gives
    {"mov.b32 %r1, 0x7fc00000; cvt.rzi.s32.f32 %rout, %r1;", zero_s32, 0},
    {"cvt.rn.f32.s32 %rout, %r1;", stof, 0},
    {"cvt.rn.f32.u64 %rout, %d1;", u64tof, 0},
    {"cvt.rn.f64.u64 %dout, %d1;", u64tod, 0},
    {"cvt.rn.f32.f64 %rout, %d1;", dtof, 32},
    {"cvt.s32.s8 %rout, %r1;", s8, 0},
    {"cvt.sat.u8.s32 %rout, %r1;", satu8, 0},
    {"cvt.rni.f32.f32 %rout, %r1;", rndf, 32},
    {"mov.b32 %rout, {%h1, %h2};", pack, 0},
    {"mov.b64 {_, %rout}, %d1;", unpack, 0},
    {"copysign.f32 %rout, %r1, %r2;", copysign_, 0},
    {"mov.b32 %rout, 7; @%p1 add.s32 %rout, %r1, %r2;", guarded, 0},
    {"mov.b32 %rout, 7; @!%p1 bra OVER; add.s32 %rout, %r1, %r2; OVER:", guarded, 0},
    {"{ .reg .b32 t; .reg .pred %p1; setp.ne.u32 %p1, %r21, 0; @!%p1 bra L; add.s32 t, %r1, %r2; bra M; "
     "L: mov.b32 t, 7; M: mov.b32 %rout, t; }",
     guarded, 0},
};

static void test_instructions_equal_their_definition(void **unused) {
  (void)unused;
  check_cases(cases, sizeof cases / sizeof *cases);
}

typedef struct BadText {
  const char *body, *message;
} BadText;

static void test_unknown_text_is_a_located_error(void **unused) {
  (void)unused;
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

static void test_bad_ends_are_reported(void **unused) {
  (void)unused;
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
static void test_a_lock_within_a_warp_makes_progress(void **unused) {
  (void)unused;
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

static void test_lanes_exchange_values(void **unused) {
  (void)unused;
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

int suite_sim_insns(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_instructions_equal_their_definition),
      cmocka_unit_test(test_unknown_text_is_a_located_error),
      cmocka_unit_test(test_bad_ends_are_reported),
      cmocka_unit_test(test_a_lock_within_a_warp_makes_progress),
      cmocka_unit_test(test_lanes_exchange_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
