// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions newer than sm_90a other than tcgen05: mma.sync with .kind and block scaling (sm_120a), minima and
// maxima of three numbers, redux of f32. Fragments lie as PTX ISA 9.7.14.5 has them.
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
static void test_picks(void **state) {
  (void)state;
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

int suite_sim_blackwell(void) {
  enum { COUNT = sizeof mmas / sizeof *mmas };
  static struct CMUnitTest tests[COUNT + 1];
  static char names[COUNT][96];
  for (size_t i = 0; i < COUNT; i++) {
    snprintf(names[i], sizeof names[0], "%s %s %s", mmas[i].kind, mmas[i].a->name, mmas[i].b->name);
    tests[i] = (struct CMUnitTest){names[i], test_mma, NULL, NULL, (void *)&mmas[i]};
  }
  tests[COUNT] = (struct CMUnitTest)cmocka_unit_test(test_picks);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
