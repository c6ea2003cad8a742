// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mma.m8n8k4 of f16: four dots a warp, in every order of A and B, on small integers, against C.
// Fragments are as in the PTX ISA: lane l takes part in dot l / 4 % 4, lanes from 16 on with its
// upper half.
#include "tests/unit/unit.h"
#include "sim/sim.h"
#include "tests/unit/sim_fixture.h"

typedef struct Product {
  int a[8][4], b[4][8], c[8][8];
} Product;

static uint16_t half_of(int value) { // -3 .. 3
  static const uint16_t bits[] = {0x0000, 0x3c00, 0x4000, 0x4200};
  return (uint16_t)(value < 0 ? 0x8000 | bits[-value] : bits[value]);
}

static double value_of(uint16_t half) { // an integer
  int exponent = half >> 10 & 31, fraction = half & 1023;
  double value = exponent ? (1024 + fraction) * (double)(1 << exponent) / (1 << 25) : 0;
  return half >> 15 ? -value : value;
}

static void fill(Product products[4]) {
  for (int p = 0, i = 7; p < 4; p++) {
    for (int k = 0; k < 32; k++, i++) {
      products[p].a[k / 4][k % 4] = (i * 31 >> 2) % 7 - 3;
      products[p].b[k / 8][k % 8] = (i * 57 >> 3) % 7 - 3;
    }
    for (int k = 0; k < 64; k++, i++) products[p].c[k / 8][k % 8] = i * 5 % 7 - 3;
  }
}

static void c_place(bool single, int lane, int v, int *row, int *column) {
  int up = lane < 16 ? 0 : 4;
  *row = single ? (lane & 1) + (v & 2) + up : lane % 4 + up;
  *column = single ? (v & 4) + (lane & 2) + (v & 1) : v;
}

static void make_text(char *text, size_t size, bool col_a, bool row_b, bool single) {
  static const char d16[] = "{%d0, %d1, %d2, %d3}", d32[] = "{%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}";
  const char *type = single ? "f32" : "f16", *d = single ? d32 : d16;
  int n = snprintf(text, size,
                   ".version 6.4\n.target sm_70\n.address_size 64\n"
                   ".visible .entry k(.param .u64 i, .param .u64 o) {\n"
                   ".reg .b64 %%i, %%o, %%t;\n.reg .b32 %%id, %%a<2>, %%b<2>, %%d<8>;\n"
                   "ld.param.u64 %%i, [i];\nld.param.u64 %%o, [o];\nmov.u32 %%id, %%tid.x;\n"
                   "mul.wide.u32 %%t, %%id, 48;\nadd.s64 %%i, %%i, %%t;\n"
                   "mul.wide.u32 %%t, %%id, 32;\nadd.s64 %%o, %%o, %%t;\n"
                   "ld.global.v2.b32 {%%a0, %%a1}, [%%i];\nld.global.v2.b32 {%%b0, %%b1}, [%%i+8];\n");
  for (int v = 0; v < 8; v++)
    n += snprintf(text + n, size - (size_t)n, "ld.global.b32 %%d%d, [%%i+%d];\n", v, 16 + 4 * v);
  n += snprintf(text + n, size - (size_t)n,
                "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s %s, {%%a0, %%a1}, "
                "{%%b0, %%b1}, %s;\n",
                col_a ? "col" : "row", row_b ? "row" : "col", type, type, d, d);
  for (int v = 0; v < 8; v++)
    n += snprintf(text + n, size - (size_t)n, "st.global.b32 [%%o+%d], %%d%d;\n", 4 * v, v);
  snprintf(text + n, size - (size_t)n, "ret;\n}\n");
}

typedef struct Lane {
  uint16_t a[4], b[4];
  union {
    uint16_t halves[16];
    float floats[8];
  } c;
} Lane;

static Lane lane_of(const Product products[4], int lane, bool col_a, bool row_b, bool single) {
  const Product *p = &products[lane / 4 % 4];
  int up = lane < 16 ? 0 : 4, at = lane % 4;
  Lane l = {0};
  for (int i = 0; i < 4; i++) {
    l.a[i] = half_of(col_a ? p->a[i + up][at] : p->a[at + up][i]);
    l.b[i] = half_of(row_b ? p->b[at][i + up] : p->b[i][at + up]);
  }
  for (int v = 0; v < 8; v++) {
    int row, column;
    c_place(single, lane, v, &row, &column);
    if (single)
      l.c.floats[v] = (float)p->c[row][column];
    else
      l.c.halves[v] = half_of(p->c[row][column]);
  }
  return l;
}

static void check(bool col_a, bool row_b, bool single) {
  static Product products[4];
  static Lane in[32];
  union {
    uint16_t halves[16];
    float floats[8];
  } out[32];
  char text[3000];
  fill(products);
  make_text(text, sizeof text, col_a, row_b, single);
  for (int l = 0; l < 32; l++) in[l] = lane_of(products, l, col_a, row_b, single);
  SimFixture f = sim_open_text(text, TILEC_SIM_LATE);
  uint64_t pi = sim_bind(&f, in, sizeof in), po = sim_bind(&f, out, sizeof out);
  const void *params[] = {&pi, &po};
  sim_run(&f, "k", 1, 1, 32, 0, params);
  sim_close(&f);
  for (int l = 0; l < 32; l++)
    for (int v = 0; v < 8; v++) {
      const Product *p = &products[l / 4 % 4];
      int row, column;
      c_place(single, l, v, &row, &column);
      int want = p->c[row][column];
      for (int k = 0; k < 4; k++) want += p->a[row][k] * p->b[k][column];
      double got = single ? (double)out[l].floats[v] : value_of(out[l].halves[v]);
      if (got != want) fail_msg("lane %d value %d is %g, not %d", l, v, got, want);
    }
}

TEST(test_orders_and_types) {
  for (int i = 0; i < 8; i++) check(i & 1, i & 2, i & 4);
}

// Other shapes have one order only.
TEST(test_other_orders_are_refused) {
  static const char text[] =
      ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<8>;\n"
      "mma.sync.aligned.m16n8k8.col.col.f32.f16.f16.f32 {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%r6}, {%r0, %r1, "
      "%r2, %r3};\nret;\n}\n";
  tilec_sim *sim;
  tilec_sim_module *module;
  assert_int_equal(tilec_sim_create(NULL, &sim), TILEC_SIM_OK);
  assert_int_equal(tilec_sim_load(sim, text, sizeof text - 1, &module), TILEC_SIM_ERROR_PTX);
  assert_non_null(strstr(tilec_sim_message(sim), "6:1: mma.sync.aligned.m16n8k8.col.col"));
  tilec_sim_destroy(sim);
}

WHOLE_SUITE(sim_quads)
