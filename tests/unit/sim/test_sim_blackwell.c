// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions newer than sm_90a other than tcgen05. They are mma.sync with .kind and block scaling (sm_120a), and
// minima and maxima of three numbers. Others are redux of f32, conversions with random bits, and ldmatrix of 8-bit
// elements. Fragments lie as PTX ISA 9.7.14.5 has them.
#include <math.h>
#include "tests/unit/unit.h"
#include "sim/sim.h"
#include "tests/unit/sim_fixture.h"

enum { ROWS = 16, COLUMNS = 8, LANES = 32 };

typedef struct Element {
  const char *name;
  uint32_t bits, one[4], sign, shift; // as in test_sim_tcgen05.c; bits: in a register
} Element;

static const Element e4m3 = {"e4m3", 8, {0, 0x38, 0x40, 0x44}, 0x80, 0},
                     e5m2 = {"e5m2", 8, {0, 0x3c, 0x40, 0x42}, 0x80, 0},
                     e2m3 = {"e2m3", 8, {0, 8, 16, 20}, 32, 0}, e3m2 = {"e3m2", 8, {0, 12, 16, 18}, 32, 0},
                     e2m1 = {"e2m1", 8, {0, 2, 4, 5}, 8, 2}, fp4 = {"e2m1", 4, {0, 2, 4, 5}, 8, 0};

typedef struct Mma {
  const char *kind; // and its further modifiers
  const Element *a, *b;
  uint32_t k, block; // block: elements of a scale; 0: none
  const char *scale;
  uint32_t byte_a, thread_a, byte_b, thread_b;
} Mma;

static const Mma mmas[] = {
    {"kind::f8f6f4", &e2m1, &e3m2, 32, 0, "", 0, 0, 0, 0},
    {"kind::f8f6f4", &e2m3, &e4m3, 32, 0, "", 0, 0, 0, 0},
    {"kind::f8f6f4", &e5m2, &e2m1, 32, 0, "", 0, 0, 0, 0},
    {"kind::mxf8f6f4.block_scale.scale_vec::1X", &e4m3, &e5m2, 32, 32, "ue8m0", 3, 1, 1, 2},
    {"kind::mxf8f6f4.block_scale.scale_vec::1X", &e2m1, &e2m3, 32, 32, "ue8m0", 0, 0, 2, 3},
    {"kind::mxf4.block_scale.scale_vec::2X", &fp4, &fp4, 64, 32, "ue8m0", 2, 1, 0, 1},
    {"kind::mxf4nvf4.block_scale.scale_vec::2X", &fp4, &fp4, 64, 32, "ue8m0", 0, 1, 2, 0},
    {"kind::mxf4nvf4.block_scale.scale_vec::4X", &fp4, &fp4, 64, 16, "ue4m3", 0, 0, 0, 3},
};

static int value_at(uint32_t i) { return (int)((i * 2654435761u >> 11) % 7) - 3; }

static uint32_t code_of(int value, const Element *e) {
  return (e->one[value < 0 ? -value : value] | (value < 0 ? e->sign : 0)) << e->shift;
}

// 0.5, 1 or 2, and its code.
static double scale_value(uint32_t which, uint32_t row, uint32_t j) {
  static const double values[] = {0.5, 1, 2};
  return values[(row * 5 + j * 3 + which) % 3];
}

static uint32_t scale_code(const Mma *t, uint32_t which, uint32_t row, uint32_t j) {
  uint32_t step = (row * 5 + j * 3 + which) % 3;
  return strcmp(t->scale, "ue4m3") == 0 ? 0x30 + 8 * step : 126 + step;
}

// A lane's words: 4 of A, 2 of B, one of each scale.
static void fill(const Mma *t, uint32_t words[LANES][8]) {
  uint32_t per = 32 / t->a->bits; // elements of a register
  memset(words, 0, LANES * sizeof *words);
  for (uint32_t row = 0; row < ROWS; row++)
    for (uint32_t k = 0; k < t->k; k++)
      words[row % 8 * 4 + k % (4 * per) / per][row / 8 + 2 * (k / (4 * per))] |=
          code_of(value_at(row * t->k + k), t->a) << k % per * t->a->bits;
  for (uint32_t column = 0; column < COLUMNS; column++)
    for (uint32_t k = 0; k < t->k; k++)
      words[column * 4 + k % (4 * per) / per][4 + k / (4 * per)] |=
          code_of(value_at(column * t->k + k + 5), t->b) << k % per * t->b->bits;
  for (uint32_t j = 0; t->block && j < t->k / t->block; j++) {
    for (uint32_t row = 0; row < ROWS; row++)
      words[row % 8 * 4 + 2 * t->thread_a + row / 8][6] |= scale_code(t, 0, row, j) << 8 * (t->byte_a + j);
    for (uint32_t column = 0; column < COLUMNS; column++)
      words[column * 4 + t->thread_b][7] |= scale_code(t, 1, column, j) << 8 * (t->byte_b + j);
  }
}

static double expected(const Mma *t, uint32_t row, uint32_t column) {
  double sum = row + column; // C
  for (uint32_t k = 0; k < t->k; k++) {
    double scale = t->block ? scale_value(0, row, k / t->block) * scale_value(1, column, k / t->block) : 1;
    sum += scale * value_at(row * t->k + k) * value_at(column * t->k + k + 5);
  }
  return sum;
}

// With SIM_PTX_OUT, the folder gets the text: tests/groups/ptxas assembles it.
static void keep_text(const char *text) {
  static int n;
  const char *folder = getenv("SIM_PTX_OUT");
  char path[512];
  if (!folder) return;
  snprintf(path, sizeof path, "%s/blackwell-%d.ptx", folder, n++);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  fclose(file);
}

static void mma_text(const Mma *t, char *text, size_t room) {
  char scales[160] = "";
  if (t->block)
    snprintf(scales, sizeof scales, ", %%w6, {%u, %u}, %%w7, {%u, %u}", t->byte_a, t->thread_a, t->byte_b,
             t->thread_b);
  snprintf(text, room,
           ".version 8.7\n.target sm_120a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 "
           "io)\n{\n"
           ".reg .b32 %%w<8>, %%t;\n.reg .f32 %%c<4>;\n.reg .b64 %%in, %%io, %%y;\n"
           "ld.param.u64 %%in, [in];\nld.param.u64 %%io, [io];\nmov.u32 %%t, %%tid.x;\n"
           "mul.wide.u32 %%y, %%t, 32;\nadd.u64 %%in, %%in, %%y;\nmul.wide.u32 %%y, %%t, 16;\nadd.u64 %%io, "
           "%%io, %%y;\n"
           "ld.global.v4.b32 {%%w0, %%w1, %%w2, %%w3}, [%%in];\nld.global.v4.b32 {%%w4, %%w5, %%w6, %%w7}, "
           "[%%in+16];\n"
           "ld.global.v4.f32 {%%c0, %%c1, %%c2, %%c3}, [%%io];\n"
           "mma.sync.aligned.%s.m16n8k%u.row.col.f32.%s.%s.f32%s%s {%%c0, %%c1, %%c2, %%c3}, {%%w0, %%w1, "
           "%%w2, %%w3}, "
           "{%%w4, %%w5}, {%%c0, %%c1, %%c2, %%c3}%s;\n"
           "st.global.v4.f32 [%%io], {%%c0, %%c1, %%c2, %%c3};\nret;\n}\n",
           t->kind, t->k, t->a->name, t->b->name, t->block ? "." : "", t->scale, scales);
}

static void test_mma(void **state) {
  const Mma *t = *state;
  static char text[4096];
  uint32_t words[LANES][8];
  float c[LANES][4];
  fill(t, words);
  mma_text(t, text, sizeof text);
  keep_text(text);
  for (uint32_t l = 0; l < LANES; l++)
    for (uint32_t v = 0; v < 4; v++) c[l][v] = (float)(l / 4 + 8 * (v / 2) + 2 * (l % 4) + v % 2);
  SimFixture f = sim_open_text(text, 0);
  uint64_t in = sim_bind(&f, words, sizeof words), io = sim_bind(&f, c, sizeof c);
  const void *params[] = {&in, &io};
  sim_run(&f, "k", 1, 1, LANES, 0, params);
  for (uint32_t row = 0; row < ROWS; row++)
    for (uint32_t column = 0; column < COLUMNS; column++) {
      double got = (double)c[row % 8 * 4 + column / 2][2 * (row / 8) + column % 2],
             want = expected(t, row, column);
      if (got != want)
        fail_msg("%s %s: D[%u][%u] is %g, not %g", t->kind, t->a->name, row, column, got, want);
    }
  sim_close(&f);
}

// ---- numbers ----

typedef struct Pick {
  const char *insn; // of %a, %b, %c to %d
  float in[3], out;
} Pick;

static const Pick picks[] = {
    {"min.f32 %d, %a, %b, %c;", {3, -1, 2}, -1},
    {"max.f32 %d, %a, %b, %c;", {3, -1, 7}, 7},
    {"max.f32 %d, %a, %b, %c;", {NAN, -1, NAN}, -1},
    {"max.NaN.f32 %d, %a, %b, %c;", {1, NAN, 2}, NAN},
    {"min.abs.f32 %d, %a, %b, %c;", {-3, -2, 5}, 2},
    {"max.abs.f32 %d, %a, %b, %c;", {-3, 2, -5}, 5},
    {"max.ftz.f32 %d, %a, %b, %c;", {-1, 1e-40f, -2}, 0},
    {"redux.sync.max.f32 %d, %r, -1;", {0, 0, 0}, 31},
    {"redux.sync.min.abs.f32 %d, %r, -1;", {-40, 0, 0}, 9},
    {"redux.sync.min.NaN.f32 %d, %r, -1;", {NAN, 0, 0}, NAN},
    {"redux.sync.min.f32 %d, %r, -1;", {NAN, 0, 0}, NAN},
};

// %r: the lane's number plus %a.
TEST(test_picks) {
  for (size_t i = 0; i < sizeof picks / sizeof *picks; i++) {
    char text[2048];
    float in[3], out = 0;
    memcpy(in, picks[i].in, sizeof in);
    snprintf(text, sizeof text,
             ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 "
             "out)\n{\n"
             ".reg .f32 %%a, %%b, %%c, %%d, %%r;\n.reg .b32 %%t;\n.reg .b64 %%in, %%out;\nld.param.u64 %%in, "
             "[in];\n"
             "ld.param.u64 %%out, [out];\nmov.u32 %%t, %%laneid;\nld.global.f32 %%a, [%%in];\n"
             "ld.global.f32 %%b, [%%in+4];\nld.global.f32 %%c, [%%in+8];\ncvt.rn.f32.u32 %%r, %%t;\n"
             "add.f32 %%r, %%r, %%a;\n%s\nst.global.f32 [%%out], %%d;\nret;\n}\n",
             picks[i].insn);
    keep_text(text);
    SimFixture f = sim_open_text(text, 0);
    uint64_t pi = sim_bind(&f, in, sizeof in), po = sim_bind(&f, &out, sizeof out);
    const void *params[] = {&pi, &po};
    sim_run(&f, "k", 1, 1, LANES, 0, params);
    bool same = isnan(picks[i].out) ? isnan(out) : out == picks[i].out;
    if (!same) fail_msg("%s: %g, not %g", picks[i].insn, (double)out, (double)picks[i].out);
    sim_close(&f);
  }
}

// ---- cvt.rs ----

typedef struct Format {
  const char *name;
  int exponents, fraction, bias; // bits; the exponent's bias
  uint32_t largest, nan;         // codes: the largest finite number, and what NaN becomes
} Format;

static const Format formats[] = {
    {"f16x2", 5, 10, 15, 0x7bff, 0x7fff},
    {"bf16x2", 8, 7, 127, 0x7f7f, 0x7fff},
    {"e4m3x4", 4, 3, 7, 0x7e, 0x7f},
    {"e5m2x4", 5, 2, 15, 0x7b, 0x7f},
    {"e2m1x4", 2, 1, 1, 7, 7},
    {"e2m3x4", 2, 3, 1, 31, 31},
    {"e3m2x4", 3, 2, 3, 31, 31},
};

enum { RANDOM_CTAS = 16, RANDOM_THREADS = RANDOM_CTAS * LANES };

static double value_of(const Format *f, uint32_t code) {
  int exponent = (int)(code >> f->fraction), fraction = (int)(code & ((1u << f->fraction) - 1));
  return exponent ? ldexp((1 << f->fraction) + fraction, exponent - f->bias - f->fraction)
                  : ldexp(fraction, 1 - f->bias - f->fraction);
}

// The neighbour away from zero, if the way to it plus the random fraction reaches it.
static uint32_t code_with(const Format *f, float value, double random, bool relu, bool finite) {
  double size = fabs((double)value);
  uint32_t code = 0, sign = signbit(value) ? 1u << (f->exponents + f->fraction) : 0;
  if (isnan(value)) return f->nan;
  if (relu && sign) return 0;
  for (uint32_t bit = 0x8000; bit; bit /= 2)
    if (code + bit <= f->largest + 1 && value_of(f, code + bit) <= size) code += bit;
  double low = value_of(f, code), step = value_of(f, code + 1) - low;
  if (code <= f->largest && (size - low) / step + random >= 1) code++;
  return sign | (code <= f->largest ? code : f->largest + !finite);
}

// As the ISA has the bits, and for the upper of two values in one half as a B200 was seen to: reversed.
static double random_of(const Format *f, uint32_t word, uint32_t i) {
  uint32_t bytes[4] = {word & 255, word >> 8 & 255, word >> 16 & 255, word >> 24}, half, reversed = 0;
  if (strcmp(f->name, "f16x2") == 0) return (word >> 16 * i & 0x1fff) / 8192.0;
  if (strcmp(f->name, "bf16x2") == 0) return (word >> 16 * i & 0xffff) / 65536.0;
  if (strcmp(f->name, "e2m1x4") == 0)
    half = i < 2 ? bytes[0] | bytes[2] << 8 : bytes[1] | bytes[3] << 8;
  else
    half = i < 2 ? bytes[0] | bytes[1] << 8 : bytes[2] | bytes[3] << 8;
  for (uint32_t b = 0; b < 16; b++)
    if (half >> b & 1) reversed |= 0x8000 >> b;
  return (i % 2 ? reversed : half) / 65536.0;
}

static void random_text(const Format *f, bool relu, bool finite, char *text, size_t room) {
  bool four = f->name[strlen(f->name) - 1] == '4';
  snprintf(text, room,
           ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 "
           "out)\n{\n"
           ".reg .f32 %%a<4>;\n.reg .b16 %%h;\n.reg .b32 %%t, %%c, %%r, %%d;\n.reg .b64 %%in, %%out, %%y;\n"
           "ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nmov.u32 %%t, %%tid.x;\nmov.u32 %%c, "
           "%%ctaid.x;\nmad.lo.u32 %%t, %%c, 32, %%t;\nmul.wide.u32 %%y, %%t, 20;\nadd.u64 %%in, %%in, "
           "%%y;\nmul.wide.u32 %%y, %%t, 4;\nadd.u64 %%out, %%out, %%y;\n"
           "ld.global.f32 %%a0, [%%in];\nld.global.f32 %%a1, [%%in+4];\nld.global.f32 %%a2, [%%in+8];\n"
           "ld.global.f32 %%a3, [%%in+12];\nld.global.b32 %%r, [%%in+16];\n"
           "cvt.rs%s%s.%s.f32 %s, %s, %%r;\n%sst.global.b32 [%%out], %%d;\nret;\n}\n",
           relu ? ".relu" : "", finite ? ".satfinite" : "", f->name,
           strcmp(f->name, "e2m1x4") == 0 ? "%h" : "%d", four ? "{%a3, %a2, %a1, %a0}" : "%a1, %a0",
           strcmp(f->name, "e2m1x4") == 0 ? "cvt.u32.u16 %d, %h;\n" : "");
}

typedef struct RandomInput {
  float values[4];
  uint32_t word;
} RandomInput;

// All sizes that the format has, a few beyond it, and codes themselves, which no random bits change.
static void fill_random(const Format *f, RandomInput *in) {
  uint32_t state = 12345;
  for (uint32_t t = 0; t < RANDOM_THREADS; t++)
    for (uint32_t i = 0; i < 5; i++) {
      state = state * 1664525u + 1013904223u;
      uint32_t code = (state >> 8) % (f->largest + 2);
      double value = value_of(f, code), step = value_of(f, code + 1) - value;
      float size = (float)(value + step * ((state >> 4 & 1023) / 1024.0));
      if (i == 4)
        in[t].word = state ^ state >> 15;
      else
        in[t].values[i] = state >> 30 & 1 ? -size : size;
    }
  const float special[] = {NAN, INFINITY, -INFINITY, -0.0f, 0, 3e38f, -3e38f, 1e-45f};
  for (uint32_t i = 0; i < 8; i++) in[i / 4].values[i % 4] = special[i];
  in[2].word = 0;
  in[3].word = UINT32_MAX;
}

static void test_random(const Format *f, bool relu, bool finite) {
  static char text[4096];
  static RandomInput in[RANDOM_THREADS];
  static uint32_t out[RANDOM_THREADS];
  uint32_t values = f->bias == 127 || f->fraction == 10 ? 2 : 4;
  uint32_t bits = strcmp(f->name, "e2m1x4") == 0 ? 4 : 32 / values;
  random_text(f, relu, finite, text, sizeof text);
  keep_text(text);
  fill_random(f, in);
  SimFixture sim = sim_open_text(text, 0);
  uint64_t pi = sim_bind(&sim, in, sizeof in), po = sim_bind(&sim, out, sizeof out);
  const void *params[] = {&pi, &po};
  sim_run(&sim, "k", RANDOM_CTAS, 1, LANES, 0, params);
  for (uint32_t t = 0; t < RANDOM_THREADS; t++)
    for (uint32_t i = 0; i < values; i++) {
      uint32_t got = bits == 32 ? out[t] : out[t] >> bits * i & ((1u << bits) - 1);
      uint32_t want = code_with(f, in[t].values[i], random_of(f, in[t].word, i), relu, finite);
      if (got != want)
        fail_msg("%s of %a, random bits %08x, value %u: %#x, not %#x", f->name, (double)in[t].values[i],
                 in[t].word, i, got, want);
    }
  sim_close(&sim);
}

TEST(test_randoms) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    for (int form = 0; form < 4; form++)
      if (i < 2 || form & 1) test_random(&formats[i], form & 2, form & 1);
}

// ---- ldmatrix of 8-bit elements ----

typedef struct Load {
  const char *form;
  uint32_t registers, bits; // of an element in memory
  bool transposed;
} Load;

static const Load loads[] = {
    {"m16n16.x1.trans.shared.b8", 2, 8, true},
    {"m16n16.x2.trans.shared.b8", 4, 8, true},
    {"m8n16.x1.shared.b8x16.b4x16_p64", 1, 4, false},
    {"m8n16.x2.shared.b8x16.b6x16_p32", 2, 6, false},
    {"m8n16.x4.shared.b8x16.b4x16_p64", 4, 4, false},
    {"m8n16.x4.shared.b8x16.b6x16_p32", 4, 6, false},
    {"m16n16.x1.trans.shared.b8x16.b6x16_p32", 2, 6, true},
    {"m16n16.x2.trans.shared.b8x16.b4x16_p64", 4, 4, true},
};

// Element `column` of a row of 16 bytes. A 4-bit float is in the middle of its byte, a 6-bit one at its low end.
static uint32_t element_of(const uint8_t *row, uint32_t column, uint32_t bits) {
  uint32_t value = 0;
  for (uint32_t b = 0; b < bits; b++) {
    uint32_t at = column * bits + b;
    value |= (uint32_t)(row[at / 8] >> at % 8 & 1) << b;
  }
  return bits == 4 ? value << 2 : value;
}

// Lane l's row is at (5 l mod 32) rows into shared memory.
static void load_text(const Load *load, char *text, size_t room) {
  static const char *const registers[] = {"", "%w0", "%w0, %w1", "", "%w0, %w1, %w2, %w3"};
  snprintf(text, room,
           ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 "
           "out)\n{\n"
           ".shared .align 16 .b8 s[512];\n.reg .b32 %%w<4>, %%v<4>, %%t, %%s, %%b;\n.reg .b64 %%in, %%out, "
           "%%y;\nld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nmov.u32 %%t, %%tid.x;\nmul.wide.u32 "
           "%%y, %%t, 16;\nadd.u64 %%in, %%in, %%y;\nadd.u64 %%out, %%out, %%y;\nmov.u32 %%b, s;\nmul.lo.u32 "
           "%%s, %%t, 80;\nand.b32 %%s, %%s, 511;\nadd.u32 %%s, %%s, %%b;\n"
           "ld.global.v4.b32 {%%v0, %%v1, %%v2, %%v3}, [%%in];\nst.shared.v4.b32 [%%s], {%%v0, %%v1, %%v2, "
           "%%v3};\nbar.warp.sync -1;\nmov.b32 %%w0, 0;\nmov.b32 %%w1, 0;\nmov.b32 %%w2, 0;\nmov.b32 %%w3, "
           "0;\nldmatrix.sync.aligned.%s {%s}, [%%s];\nst.global.v4.b32 [%%out], {%%w0, %%w1, %%w2, "
           "%%w3};\nret;\n}\n",
           load->form, registers[load->registers]);
}

static void test_load(const Load *load) {
  char text[4096];
  uint8_t rows[LANES][16];
  uint32_t out[LANES][4];
  load_text(load, text, sizeof text);
  keep_text(text);
  for (uint32_t i = 0; i < sizeof rows; i++) rows[i / 16][i % 16] = (uint8_t)(i * 2654435761u >> 13);
  SimFixture sim = sim_open_text(text, 0);
  uint64_t pi = sim_bind(&sim, rows, sizeof rows), po = sim_bind(&sim, out, sizeof out);
  const void *params[] = {&pi, &po};
  sim_run(&sim, "k", 1, 1, LANES, 0, params);
  for (uint32_t l = 0; l < LANES; l++)
    for (uint32_t i = 0; i < 4 * load->registers; i++) {
      uint32_t reg = i / 4, quad = l % 4 * 4 + i % 4, line = l / 4;
      uint32_t want = load->transposed ? element_of(rows[reg / 2 * 16 + quad], line + reg % 2 * 8, load->bits)
                                       : element_of(rows[reg * 8 + line], quad, load->bits);
      uint32_t got = out[l][reg] >> i % 4 * 8 & 255;
      if (got != want) fail_msg("%s: byte %u of lane %u is %#x, not %#x", load->form, i, l, got, want);
    }
  sim_close(&sim);
}

TEST(test_loads) {
  for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) test_load(&loads[i]);
}

int suite_sim_blackwell(void) {
  enum { COUNT = sizeof mmas / sizeof *mmas };
  static struct CMUnitTest tests[COUNT + 3];
  static char names[COUNT][96];
  for (size_t i = 0; i < COUNT; i++) {
    snprintf(names[i], sizeof names[0], "%s %s %s", mmas[i].kind, mmas[i].a->name, mmas[i].b->name);
    tests[i] = (struct CMUnitTest){names[i], test_mma, NULL, NULL, (void *)&mmas[i]};
  }
  tests[COUNT] = (struct CMUnitTest)cmocka_unit_test(test_picks);
  tests[COUNT + 1] = (struct CMUnitTest)cmocka_unit_test(test_randoms);
  tests[COUNT + 2] = (struct CMUnitTest)cmocka_unit_test(test_loads);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
