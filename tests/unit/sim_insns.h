// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One instruction (or a few) on random and special inputs, against a C expression.
#ifndef TESTS_SIM_INSNS_H
#define TESTS_SIM_INSNS_H

#include <math.h>
#include "tests/unit/unit.h"
#include "sim/sim.h"

enum { LANES = 32, ROUNDS = 40 };

// Inputs come as %d1..3 (64 bits), %r1..3 (low 32), %h1..3 (low 16), %p1 (bit 0 of the third); the body sets
// %dout, %rout or %hout.
static const char prologue[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .pred %p<9>; .reg .b16 %h<9>, %hout; .reg .b32 %r<30>, %rout; .reg .b64 %d<30>, %dout;\n"
    "mov.b16 %hout, 0; mov.b32 %rout, 0; mov.b64 %dout, 0;\n"
    "mov.u32 %r20, %tid.x; mul.wide.u32 %d20, %r20, 24; ld.param.u64 %d21, [in]; add.s64 %d22, %d20, %d21;\n"
    "ld.global.u64 %d1, [%d22]; ld.global.u64 %d2, [%d22+8]; ld.global.u64 %d3, [%d22+16];\n"
    "cvt.u32.u64 %r1, %d1; cvt.u32.u64 %r2, %d2; cvt.u32.u64 %r3, %d3;\n"
    "cvt.u16.u64 %h1, %d1; cvt.u16.u64 %h2, %d2; cvt.u16.u64 %h3, %d3;\n"
    "and.b32 %r21, %r3, 1; setp.ne.u32 %p1, %r21, 0;\n";
static const char epilogue[] =
    "\ncvt.u64.u32 %d25, %rout; cvt.u64.u16 %d26, %hout; or.b64 %d27, %d25, %d26; or.b64 %d28, %d27, %dout;\n"
    "ld.param.u64 %d23, [out]; mul.wide.u32 %d24, %r20, 8; add.s64 %d23, %d23, %d24; st.global.u64 [%d23], "
    "%d28; ret;\n}\n";

static tilec_sim *new_sim(uint64_t budget) {
  tilec_sim *sim;
  tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
  options.instruction_budget = budget;
  assert_int_equal(tilec_sim_create(&options, &sim), TILEC_SIM_OK);
  return sim;
}

// Loads prologue + body + epilogue and runs 32 lanes.
static void compute(const char *body, uint64_t in[LANES][3], uint64_t out[LANES]) {
  char text[8192];
  snprintf(text, sizeof text, "%s%s%s", prologue, body, epilogue);
  tilec_sim *sim = new_sim(100000);
  tilec_sim_module *module;
  uint64_t pin, pout;
  const void *params[] = {&pin, &pout};
  uint32_t grid[3] = {1, 1, 1}, block[3] = {LANES, 1, 1};
  tilec_sim_result result = tilec_sim_load(sim, text, strlen(text), &module);
  if (!result) {
    tilec_sim_bind(sim, in, LANES * 3 * sizeof(uint64_t), &pin);
    tilec_sim_bind(sim, out, LANES * sizeof(uint64_t), &pout);
    result = tilec_sim_launch(sim, tilec_sim_kernel_at(module, 0), grid, block, 0, params);
  }
  if (result) print_error("%s: %s\n", body, tilec_sim_message(sim));
  assert_int_equal(result, TILEC_SIM_OK);
  tilec_sim_destroy(sim);
}

static uint64_t seed = 88172645463325252u;
static uint64_t random64(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

static uint64_t random_input(void) {
  static const uint64_t specials[] = {0,
                                      1,
                                      UINT64_MAX,
                                      0x8000000000000000u,
                                      0x7fffffffffffffffu,
                                      0x80000000u,
                                      0x7f800000u,
                                      0x7fc00001u,
                                      0xff800000u,
                                      0x3f800000u,
                                      0x00000001u,
                                      0x007fffffu,
                                      0x00800000u,
                                      31,
                                      32,
                                      63,
                                      64,
                                      0x7c00,
                                      0x8000,
                                      0x3c00,
                                      0x03ff,
                                      0x7fff,
                                      0xfffff,
                                      0x7ff0000000000000u,
                                      0x3ff0000000000000u,
                                      0x40e0000000000000u,
                                      0x477fe000u,
                                      0x477ff000u};
  uint64_t kind = random64() % 4;
  if (kind == 0) return specials[random64() % (sizeof specials / sizeof *specials)];
  return kind == 1 ? random64() >> (random64() % 64) : random64();
}

typedef uint64_t Reference(uint64_t a, uint64_t b, uint64_t c);
typedef struct Case {
  const char *body;
  Reference *reference;
  int nan_bits; // the result is a float of so many bits: any NaN equals any NaN; 0: to the bit
} Case;

static float f32(uint64_t bits) {
  uint32_t low = (uint32_t)bits;
  float value;
  memcpy(&value, &low, sizeof value);
  return value;
}
static uint64_t u32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static double f64(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static uint64_t u64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

#define REF(name, expression)                                                                                \
  static uint64_t name(uint64_t a, uint64_t b, uint64_t c) {                                                 \
    (void)a, (void)b, (void)c;                                                                               \
    return expression;                                                                                       \
  }

// Of a list of instructions, X(name, nan_bits, body, expression): the references, and the cases.
#define AS_REF(name, nan, body, ...)  REF(name, __VA_ARGS__)
#define AS_CASE(name, nan, body, ...) {body, name, nan},

static int is_nan(uint64_t bits, int width) {
  if (width == 32) return isnan(f32(bits));
  if (width == 64) return isnan(f64(bits));
  return width == 16 && (bits & 0x7fff) > 0x7c00;
}

static void check_cases(const Case *cases, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (int round = 0; round < ROUNDS; round++) {
      uint64_t in[LANES][3], out[LANES] = {0};
      for (int l = 0; l < LANES; l++)
        for (int k = 0; k < 3; k++) in[l][k] = random_input();
      compute(cases[i].body, in, out);
      for (int l = 0; l < LANES; l++) {
        uint64_t want = cases[i].reference(in[l][0], in[l][1], in[l][2]);
        if (want == out[l] || (is_nan(want, cases[i].nan_bits) && is_nan(out[l], cases[i].nan_bits)))
          continue;
        print_error("%s of %llx %llx %llx: %llx, not %llx\n", cases[i].body, (unsigned long long)in[l][0],
                    (unsigned long long)in[l][1], (unsigned long long)in[l][2], (unsigned long long)out[l],
                    (unsigned long long)want);
        fail();
      }
    }
}

#endif
