// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix instructions: every shape and type of mma and many of wgmma, on small integers, whose sums are exact
// on any machine, against C. The PTX is made here from the shapes; operands lie in memory as the PTX ISA's
// figures have them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"
#include "tests/unit/sim_fixture.h"

#define HEAD ".version 8.7\n.target sm_90a\n.address_size 64\n"

typedef struct Text {
  char at[40000];
  size_t n;
} Text;

static void put(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(Text *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text->at + text->n, sizeof text->at - text->n, format, args);
  va_end(args);
  assert_true(n >= 0 && text->n + (size_t)n < sizeof text->at);
  text->n += (size_t)n;
}

// "{%d0, %d1, ...}"
static void put_registers(Text *text, const char *name, int n) {
  for (int i = 0; i < n; i++) put(text, "%s%%%s%d", i ? ", " : "{", name, i);
  put(text, "}");
}

// ---- elements ----

typedef struct Kind {
  const char *name;
  int bytes;
  bool is_signed;
} Kind;

static const Kind f16 = {"f16", 2, true}, bf16 = {"bf16", 2, true}, tf32 = {"tf32", 4, true},
                  e4m3 = {"e4m3", 1, true}, e5m2 = {"e5m2", 1, true}, s8 = {"s8", 1, true},
                  u8 = {"u8", 1, false}, f64 = {"f64", 8, true};

// Integers from -3 to 3 are exact in every type.
static int element(uint32_t i, const Kind *kind) {
  int value = (int)((i * 2654435761u >> 11) % 7) - 3;
  return kind->is_signed || value >= 0 ? value : 253 + value;
}

static uint64_t bits_of(int value, const Kind *kind) {
  static const uint8_t narrow[2][4] = {{0x00, 0x38, 0x40, 0x44}, {0x00, 0x3c, 0x40, 0x42}}; // e4m3, e5m2
  float f = (float)value;
  double d = value;
  uint32_t w;
  uint64_t x;
  memcpy(&w, &f, 4);
  memcpy(&x, &d, 8);
  int magnitude = value < 0 ? -value : value;
  uint64_t sign = value < 0;
  if (kind == &f16) return sign << 15 | (uint64_t)narrow[1][magnitude & 3] << 8;
  if (kind == &bf16) return w >> 16;
  if (kind == &tf32) return w | 0xfff; // the low bits are ignored
  if (kind == &e4m3) return sign << 7 | narrow[0][magnitude & 3];
  if (kind == &e5m2) return sign << 7 | narrow[1][magnitude & 3];
  return kind == &f64 ? x : (uint64_t)(uint8_t)value;
}

static float float_of_half(uint16_t half) { // finite and normal, or zero
  uint32_t bits = (half & 0x7fffu) == 0 ? 0 : ((uint32_t)(half & 0x7fffu) << 13) + (112u << 23);
  bits |= (uint32_t)(half & 0x8000u) << 16;
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

static double result_of(const unsigned char *at, const char *type) {
  float f;
  int32_t i;
  double d;
  uint16_t h;
  memcpy(&f, at, 4);
  memcpy(&i, at, 4);
  memcpy(&h, at, 2);
  if (strcmp(type, "f16") == 0) return (double)float_of_half(h);
  if (strcmp(type, "f32") == 0) return (double)f;
  if (strcmp(type, "s32") == 0) return i;
  memcpy(&d, at, 8);
  return d;
}

static int result_bytes(const char *type) {
  return strcmp(type, "f16") == 0 ? 2 : strcmp(type, "f64") == 0 ? 8 : 4;
}

// ---- mma ----

typedef struct Mma {
  int m, k;
  const Kind *a, *b;
  const char *d;
} Mma;

static void put_loads(Text *text, const char *name, int n, int bytes) {
  put(text, "mul.wide.u32 %%t, %%id, %d;\nadd.s64 %%at, %%p%s, %%t;\n", n * bytes, name);
  for (int i = 0; i < n; i++) put(text, "ld.global.b%d %%%s%d, [%%at+%d];\n", 8 * bytes, name, i, i * bytes);
}

// Registers of a lane lie one after another in memory, lanes too.
static void mma_text(Text *text, const Mma *mma, int na, int nb, int nd, int bytes) {
  text->n = 0;
  put(text,
      HEAD
      ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 d) {\n.reg .b64 %%pa, %%pb, %%pd, %%t, "
      "%%at;\n.reg .b32 %%id;\n.reg .b%d %%a<8>, %%b<8>, %%d<8>;\n",
      8 * bytes);
  put(text,
      "ld.param.u64 %%pa, [a];\nld.param.u64 %%pb, [b];\nld.param.u64 %%pd, [d];\nmov.u32 %%id, %%tid.x;\n");
  put_loads(text, "a", na, bytes);
  put_loads(text, "b", nb, bytes);
  put_loads(text, "d", nd, bytes);
  put(text, "mma.sync.aligned.m%dn8k%d.row.col.%s.%s.%s.%s ", mma->m, mma->k, mma->d, mma->a->name,
      mma->b->name, mma->d);
  put_registers(text, "d", nd);
  put(text, ", ");
  put_registers(text, "a", na);
  put(text, ", ");
  put_registers(text, "b", nb);
  put(text, ", ");
  put_registers(text, "d", nd);
  put(text, ";\n");
  for (int i = 0; i < nd; i++) put(text, "st.global.b%d [%%at+%d], %%d%d;\n", 8 * bytes, i * bytes, i);
  put(text, "ret;\n}\n");
}

// The PTX ISA's fragments: where lane `lane`, element `i` of A (or B) belongs.
static void a_place(const Mma *mma, int lane, int i, int *row, int *k) {
  int per = mma->a->bytes >= 4 ? 1 : 4 / mma->a->bytes, r = i / per, e = i % per;
  *row = lane / 4 + (mma->m == 16 && r % 2 ? 8 : 0);
  *k = per * (lane % 4) + e + 4 * per * (mma->m == 16 ? r / 2 : r);
}

static void check_mma(const Mma *mma) {
  static Text text;
  static unsigned char a[32 * 64], b[32 * 64], d[32 * 64];
  int bytes = mma->a == &f64 ? 8 : 4, per = bytes / mma->a->bytes, out = result_bytes(mma->d);
  int ea = mma->m * mma->k / 32, eb = 8 * mma->k / 32, ed = mma->m * 8 / 32;
  mma_text(&text, mma, ea / per, eb / per, ed * out / bytes, bytes);
  for (int lane = 0; lane < 32; lane++) {
    for (int i = 0; i < ea; i++) {
      int row, k;
      a_place(mma, lane, i, &row, &k);
      uint64_t bits = bits_of(element((uint32_t)(row * mma->k + k), mma->a), mma->a);
      memcpy(a + (lane * ea + i) * mma->a->bytes, &bits, (size_t)mma->a->bytes);
    }
    for (int i = 0; i < eb; i++) {
      int k = per * (lane % 4) + i % per + 4 * per * (i / per);
      uint64_t bits = bits_of(element((uint32_t)(k * 8 + lane / 4 + 500), mma->b), mma->b);
      memcpy(b + (lane * eb + i) * mma->b->bytes, &bits, (size_t)mma->b->bytes);
    }
  }
  uint64_t one = out == 2 ? 0x3c00 : strcmp(mma->d, "s32") == 0 ? 1 : bits_of(1, out == 8 ? &f64 : &tf32);
  if (out == 4 && one != 1) one = 0x3f800000;
  for (int i = 0; i < 32 * ed; i++) memcpy(d + i * out, &one, (size_t)out); // C is 1
  SimFixture f = sim_open_text(text.at, TILEC_SIM_LATE);
  uint64_t pa = sim_bind(&f, a, sizeof a), pb = sim_bind(&f, b, sizeof b), pd = sim_bind(&f, d, sizeof d);
  const void *params[] = {&pa, &pb, &pd};
  sim_run(&f, "k", 1, 1, 32, 0, params);
  for (int lane = 0; lane < 32; lane++)
    for (int v = 0; v < ed; v++) {
      int row = lane / 4 + 8 * (v / 2), column = 2 * (lane % 4) + v % 2, sum = 1;
      for (int k = 0; k < mma->k; k++)
        sum +=
            element((uint32_t)(row * mma->k + k), mma->a) * element((uint32_t)(k * 8 + column + 500), mma->b);
      double got = result_of(d + (lane * ed + v) * out, mma->d);
      if (got != sum)
        fail_msg("m%dn8k%d %s: lane %d value %d is %g, not %d", mma->m, mma->k, mma->a->name, lane, v, got,
                 sum);
    }
  sim_close(&f);
}

static void test_mma_shapes(void **unused) {
  (void)unused;
  const Mma all[] = {
      {16, 8, &f16, &f16, "f32"},    {16, 8, &f16, &f16, "f16"},    {16, 16, &f16, &f16, "f32"},
      {16, 16, &f16, &f16, "f16"},   {16, 8, &bf16, &bf16, "f32"},  {16, 16, &bf16, &bf16, "f32"},
      {16, 4, &tf32, &tf32, "f32"},  {16, 8, &tf32, &tf32, "f32"},  {16, 16, &s8, &s8, "s32"},
      {16, 16, &u8, &s8, "s32"},     {16, 32, &s8, &s8, "s32"},     {16, 32, &u8, &u8, "s32"},
      {16, 32, &s8, &u8, "s32"},     {8, 16, &s8, &s8, "s32"},      {16, 32, &e4m3, &e4m3, "f32"},
      {16, 32, &e5m2, &e4m3, "f32"}, {16, 32, &e5m2, &e5m2, "f32"}, {8, 4, &f64, &f64, "f64"},
      {16, 4, &f64, &f64, "f64"},    {16, 8, &f64, &f64, "f64"},    {16, 16, &f64, &f64, "f64"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) check_mma(&all[i]);
}

// fp8 with k16 and f16 accumulators came with PTX 8.7.
static void test_newer_fp8_shapes(void **unused) {
  (void)unused;
  const Mma all[] = {
      {16, 16, &e4m3, &e4m3, "f32"}, {16, 16, &e5m2, &e5m2, "f16"}, {16, 32, &e4m3, &e5m2, "f16"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) check_mma(&all[i]);
}

static void test_satfinite_clamps(void **unused) {
  (void)unused;
  for (int clamp = 0; clamp < 2; clamp++) {
    char text[1500];
    snprintf(text, sizeof text,
             HEAD
             ".visible .entry k(.param .u64 o) {\n.reg .b64 %%o;\n.reg .b32 %%a, %%c, %%d<4>;\n"
             "ld.param.u64 %%o, [o];\nmov.b32 %%a, 0x7f7f7f7f;\nmov.b32 %%c, 0x7ffffff0;\n"
             "mma.sync.aligned.m16n8k16.row.col%s.s32.s8.s8.s32 {%%d0, %%d1, %%d2, %%d3}, {%%a, %%a}, {%%a}, "
             "{%%c, %%c, %%c, %%c};\nst.global.v4.b32 [%%o], {%%d0, %%d1, %%d2, %%d3};\nret;\n}\n",
             clamp ? ".satfinite" : "");
    SimFixture f = sim_open_text(text, TILEC_SIM_LATE);
    uint32_t out[4];
    uint64_t po = sim_bind(&f, out, sizeof out);
    const void *params[] = {&po};
    sim_run(&f, "k", 1, 1, 32, 0, params);
    assert_int_equal(out[0], clamp ? 0x7fffffffu : 0x7ffffff0u + 16 * 127 * 127);
    sim_close(&f);
  }
}

// ---- matrix moves ----

static void test_matrix_moves(void **unused) {
  (void)unused;
  for (int trans = 0; trans < 2; trans++) {
    char text[2500];
    const char *how = trans ? ".trans" : "";
    snprintf(
        text, sizeof text,
        HEAD
        ".visible .entry k(.param .u64 i, .param .u64 o) {\n.reg .b64 %%i, %%o, %%t;\n.reg .b32 %%x, %%s, "
        "%%u, "
        "%%r<8>;\n.shared .align 16 .b8 in[512];\n.shared .align 16 .b8 out[512];\n"
        "ld.param.u64 %%i, [i];\nld.param.u64 %%o, [o];\nmov.u32 %%x, %%tid.x;\nmul.wide.u32 %%t, %%x, 16;\n"
        "add.s64 %%i, %%i, %%t;\nadd.s64 %%o, %%o, %%t;\nshl.b32 %%u, %%x, 4;\nmov.u32 %%s, in;\n"
        "add.u32 %%s, %%s, %%u;\nld.global.v4.b32 {%%r0, %%r1, %%r2, %%r3}, [%%i];\n"
        "st.shared.v4.b32 [%%s], {%%r0, %%r1, %%r2, %%r3};\nbar.sync 0;\n"
        "ldmatrix.sync.aligned.m8n8.x4%s.shared.b16 {%%r0, %%r1, %%r2, %%r3}, [%%s];\n"
        "ldmatrix.sync.aligned.m8n8.x2%s.shared::cta.b16 {%%r4, %%r5}, [%%s];\n"
        "ldmatrix.sync.aligned.m8n8.x1%s.shared.b16 {%%r6}, [%%s];\n"
        "sub.u32 %%r4, %%r4, %%r0;\nsub.u32 %%r6, %%r6, %%r0;\nadd.u32 %%r0, %%r0, %%r4;\nadd.u32 %%r0, "
        "%%r0, %%r6;\n"
        "movmatrix.sync.aligned.m8n8.trans.b16 %%r3, %%r3;\n"
        "mov.u32 %%s, out;\nadd.u32 %%s, %%s, %%u;\n"
        "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%%s], {%%r0, %%r5, %%r2, %%r3};\nbar.sync 0;\n"
        "ld.shared.v4.b32 {%%r0, %%r1, %%r2, %%r3}, [%%s];\nst.global.v4.b32 [%%o], {%%r0, %%r1, %%r2, "
        "%%r3};\n"
        "ret;\n}\n",
        how, how, how);
    SimFixture f = sim_open_text(text, TILEC_SIM_EARLY);
    uint16_t in[4][8][8], out[4][8][8] = {0};
    for (int i = 0; i < 256; i++) in[i / 64][i / 8 % 8][i % 8] = (uint16_t)(i * 37);
    uint64_t pi = sim_bind(&f, in, sizeof in), po = sim_bind(&f, out, sizeof out);
    const void *params[] = {&pi, &po};
    sim_run(&f, "k", 1, 1, 32, 0, params);
    for (int m = 0; m < 4; m++)
      for (int r = 0; r < 8; r++)
        for (int c = 0; c < 8; c++)
          assert_int_equal(out[m][r][c], (m == 3) ^ trans ? in[m][c][r] : in[m][r][c]);
    sim_close(&f);
  }
}

// ---- wgmma ----

typedef struct Wgmma {
  int n;
  const Kind *a, *b;
  const char *d;
  int swizzle;      // bytes of a row: 128, 64, 32; 0: none
  bool mn_a, mn_b;  // along M or N
  bool registers_a; // A in registers
} Wgmma;

enum { A_AT = 0, B_AT = 16384, SHARED_BYTES = 49152 };

// The byte of element (row, k) of an operand of `rows` rows (M or N) and depth k, in a layout that the
// descriptor of `descriptor_bits` describes.
static int place_of(const Wgmma *w, int rows, int depth, int bytes, bool mn, int row, int k) {
  int s = w->swizzle, at;
  if (!s && !mn)
    at = row / 8 * 256 + k * bytes / 16 * 128 + row % 8 * 16 + k * bytes % 16;
  else if (!s)
    at = k / 8 * (rows / 8 * 128) + row / 8 * 128 + k % 8 * 16 + row % 8 * 2;
  else if (!mn)
    at = row * s + k * bytes;
  else
    at = row * 2 / s * (depth * s) + k * s + row * 2 % s;
  int bits = s ? s / 16 - 1 : 0;
  return at ^ ((at >> 7 & bits) << 4);
}

static uint64_t descriptor_bits(const Wgmma *w, int start, int rows, int depth, bool mn) {
  int s = w->swizzle;
  int lbo = s ? mn ? depth * s : 16 : mn ? rows / 8 * 128 : 128;
  int sbo = s ? 8 * s : mn ? 128 : 256;
  uint64_t mode = s == 128 ? 1 : s == 64 ? 2 : s == 32 ? 3 : 0;
  return (uint64_t)(start >> 4) | (uint64_t)(lbo >> 4) << 16 | (uint64_t)(sbo >> 4) << 32 | mode << 62;
}

static void wgmma_text(Text *text, const Wgmma *w, int depth, int nd) {
  text->n = 0;
  bool half = w->a->bytes == 2, integer = strcmp(w->d, "s32") == 0;
  put(text, HEAD
      ".extern .shared .align 1024 .b8 s[];\n"
      ".visible .entry k(.param .u64 i, .param .u64 fa, .param .u64 o, .param .u64 da, .param .u64 db) {\n"
      ".reg .b64 %%i, %%pa, %%o, %%t, %%at, %%da, %%db, %%base;\n.reg .b32 %%id, %%x, %%u, %%r, %%a<4>, "
      "%%d<128>;\n"
      ".reg .pred %%p;\n"
      "ld.param.u64 %%i, [i];\nld.param.u64 %%pa, [fa];\nld.param.u64 %%o, [o];\nld.param.u64 %%da, [da];\n"
      "ld.param.u64 %%db, [db];\nmov.u32 %%id, %%tid.x;\nmov.u32 %%u, s;\n");
  put(text,
      "shr.u32 %%x, %%u, 4;\ncvt.u64.u32 %%base, %%x;\nadd.s64 %%da, %%da, %%base;\nadd.s64 %%db, %%db, "
      "%%base;\n"
      "shl.b32 %%x, %%id, 2;\ncopy:\ncvt.u64.u32 %%t, %%x;\nadd.s64 %%at, %%i, %%t;\nld.global.b32 %%r, "
      "[%%at];\n"
      "add.u32 %%r, %%r, 0;\nmov.u32 %%u, s;\nadd.u32 %%u, %%u, %%x;\nst.shared.b32 [%%u], %%r;\n"
      "add.u32 %%x, %%x, 512;\nsetp.lt.u32 %%p, %%x, %d;\n@%%p bra copy;\n",
      SHARED_BYTES);
  put_loads(text, "a", 4, 4);
  put(text, "fence.proxy.async.shared::cta;\nbar.sync 0;\n");
  // Replaced by the first, not added to.
  for (int i = 0; i < nd; i++) put(text, "mov.b32 %%d%d, 0x7fc07fc0;\n", i);
  for (int step = 0; step < 2; step++) {
    put(text, "%swgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s.%s ", step ? "" : "wgmma.fence.sync.aligned;\n",
        w->n, depth, w->d, w->a->name, w->b->name);
    put_registers(text, "d", nd);
    put(text, ", ");
    if (w->registers_a)
      put_registers(text, "a", 4);
    else
      put(text, "%%da");
    put(text, ", %%db, %d", step);
    if (!integer) put(text, ", %d, 1", step ? -1 : 1);
    if (half && !w->registers_a) put(text, ", %d", w->mn_a);
    if (half) put(text, ", %d", w->mn_b);
    put(text, ";\n");
    if (!step && w->swizzle != 32 && !w->mn_a && !w->mn_b && !integer) continue;
    break;
  }
  put(text,
      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
      "mul.wide.u32 %%t, %%id, %d;\nadd.s64 %%o, %%o, %%t;\n",
      4 * nd);
  for (int i = 0; i < nd; i++) put(text, "st.global.b32 [%%o+%d], %%d%d;\n", 4 * i, i);
  put(text, "ret;\n}\n");
}

// Where two steps are made the second subtracts the product again.
static bool twice(const Wgmma *w) {
  return w->swizzle != 32 && !w->mn_a && !w->mn_b && strcmp(w->d, "s32") != 0;
}

static void fill_operand(const Wgmma *w, unsigned char *image, const Kind *kind, int rows, int depth, bool mn,
                         uint32_t seed) {
  for (int row = 0; row < rows; row++)
    for (int k = 0; k < depth; k++) {
      uint64_t bits = bits_of(element((uint32_t)(row * depth + k) + seed, kind), kind);
      memcpy(image + place_of(w, rows, depth, kind->bytes, mn, row, k), &bits, (size_t)kind->bytes);
    }
}

static void fill_fragments(const Wgmma *w, unsigned char *a, int depth) {
  int per = 4 / w->a->bytes;
  for (int t = 0; t < 128; t++)
    for (int i = 0; i < 4 * per; i++) {
      int r = i / per, row = t / 32 * 16 + t % 32 / 4 + 8 * (r % 2),
          k = per * (t % 4) + i % per + 4 * per * (r / 2);
      uint64_t bits = bits_of(element((uint32_t)(row * depth + k), w->a), w->a);
      memcpy(a + (t * 4 + r) * 4 + i % per * w->a->bytes, &bits, (size_t)w->a->bytes);
    }
}

static void check_wgmma(const Wgmma *w, int schedule) {
  static Text text;
  static unsigned char image[SHARED_BYTES], a[128 * 16], out[128 * 128 * 4];
  int depth = 32 / w->a->bytes, bytes = result_bytes(w->d), values = w->n / 2, nd = values * bytes / 4;
  memset(image, 0xa5, sizeof image);
  fill_operand(w, image + A_AT, w->a, 64, depth, w->mn_a, 0);
  fill_operand(w, image + B_AT, w->b, w->n, depth, w->mn_b, 9000);
  fill_fragments(w, a, depth);
  wgmma_text(&text, w, depth, nd);
  SimFixture f = sim_open_text(text.at, schedule);
  uint64_t pi = sim_bind(&f, image, sizeof image), pa = sim_bind(&f, a, sizeof a),
           po = sim_bind(&f, out, sizeof out);
  uint64_t da = descriptor_bits(w, A_AT, 64, depth, w->mn_a),
           db = descriptor_bits(w, B_AT, w->n, depth, w->mn_b);
  const void *params[] = {&pi, &pa, &po, &da, &db};
  sim_run(&f, "k", 1, 1, 128, SHARED_BYTES, params);
  for (int t = 0; t < 128; t++)
    for (int v = 0; v < values; v++) {
      int row = t / 32 * 16 + t % 32 / 4 + 8 * (v / 2 % 2), column = 8 * (v / 4) + t % 4 * 2 + v % 2, sum = 0;
      for (int k = 0; k < depth; k++)
        sum +=
            element((uint32_t)(row * depth + k), w->a) * element((uint32_t)(column * depth + k) + 9000, w->b);
      if (twice(w)) sum = 0;
      double got = result_of(out + (t * values + v) * bytes, w->d);
      if (got != sum)
        fail_msg("n%d %s swizzle %d major %d %d: row %d column %d is %g, not %d", w->n, w->a->name,
                 w->swizzle, w->mn_a, w->mn_b, row, column, got, sum);
    }
  sim_close(&f);
}

static void test_wgmma_layouts(void **unused) {
  (void)unused;
  static const int swizzles[] = {0, 32, 64, 128};
  for (int i = 0; i < 4; i++)
    for (int major = 0; major < 4; major++)
      for (int schedule = 0; schedule < SCHEDULES; schedule += 1 + 2 * (i != 3)) {
        int n = i == 0 ? 64 : 128;
        check_wgmma(&(Wgmma){n, &f16, &f16, "f32", swizzles[i], major & 1, major >> 1, false}, schedule);
        if (!(major & 1))
          check_wgmma(&(Wgmma){n, &bf16, &bf16, "f32", swizzles[i], false, major >> 1, true}, schedule);
      }
}

static void test_wgmma_types_and_widths(void **unused) {
  (void)unused;
  const Wgmma all[] = {
      {8, &f16, &f16, "f16", 32, false, false, false},    {24, &bf16, &bf16, "f32", 32, false, false, false},
      {256, &bf16, &bf16, "f32", 32, false, false, true}, {256, &f16, &f16, "f16", 32, false, false, false},
      {64, &tf32, &tf32, "f32", 32, false, false, false}, {40, &tf32, &tf32, "f32", 32, false, false, true},
      {64, &e4m3, &e4m3, "f32", 32, false, false, false}, {72, &e5m2, &e4m3, "f16", 32, false, false, true},
      {64, &s8, &s8, "s32", 32, false, false, false},     {96, &u8, &s8, "s32", 64, false, false, false},
      {256, &u8, &u8, "s32", 128, false, false, true},    {64, &f16, &f16, "f32", 128, false, false, false},
      {64, &tf32, &tf32, "f32", 128, false, false, false}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    for (int schedule = 0; schedule < 2; schedule++) check_wgmma(&all[i], schedule);
}

// Results of a group that is not waited for are not there, when effects are late.
static void test_wgmma_is_late(void **unused) {
  (void)unused;
  static const char text[] =
      HEAD ".visible .entry k(.param .u64 o) {\n.reg .b64 %o, %d;\n.reg .b32 %s, %t;\n.reg .f32 %c<4>, %x;\n"
           ".shared .align 1024 .b8 m[8192];\nld.param.u64 %o, [o];\nmov.u32 %s, m;\nmov.u32 %t, %tid.x;\n"
           "shl.b32 %t, %t, 2;\nadd.u32 %t, %t, %s;\n"
           "st.shared.b32 [%t], 0x3c003c00;\nst.shared.b32 [%t+512], 0x3c003c00;\nst.shared.b32 [%t+1024], "
           "0x3c003c00;\n"
           "st.shared.b32 [%t+1536], 0x3c003c00;\nfence.proxy.async;\nbar.sync 0;\n"
           "shr.u32 %s, %s, 4;\ncvt.u64.u32 %d, %s;\nor.b64 %d, %d, 0xc000001000010000;\n"
           "mov.f32 %c0, 0f40000000;\nmov.f32 %c1, %c0;\nmov.f32 %c2, %c0;\nmov.f32 %c3, %c0;\n"
           "wgmma.fence.sync.aligned;\n"
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%c0, %c1, %c2, %c3}, %d, %d, 1, 1, 1, 0, 0;\n"
           "wgmma.commit_group.sync.aligned;\nmov.f32 %x, %c0;\nwgmma.wait_group.sync.aligned 0;\n"
           "st.global.f32 [%o], %x;\nst.global.f32 [%o+4], %c0;\nret;\n}\n";
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    SimFixture f = sim_open_text(text, schedule);
    float out[2] = {0};
    uint64_t po = sim_bind(&f, out, sizeof out);
    const void *params[] = {&po};
    sim_run(&f, "k", 1, 1, 128, 0, params);
    assert_float_equal(out[0], sim_is_late(schedule) ? 2 : 18, 0);
    assert_float_equal(out[1], 18, 0);
    sim_close(&f);
  }
}

static void test_what_is_not_known_is_an_error(void **unused) {
  (void)unused;
  static const char *const bodies[] = {
      "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%r, %r}, {%r}, {%r}, {%r, %r};",
      "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%r, %r, %r, %r}, {%r, %r, %r, %r}, {%r, %r}, {%r, "
      "%r, %r, %r};",
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%r, %r, %r, %r}, {%r, %r, %r, %r}, {%r, %r}, {%r, "
      "%r, %r, %r};",
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r, %r, %r, %r}, {%r, %r, %r}, {%r, %r}, {%r, %r, "
      "%r, %r};",
      "wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%r, %r}, %d, %d, 1, 1, 1, 0, 0;",
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r, %r, %r, %r}, %d, %d, 1, 2, 1, 0, 0;",
      "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%r, %r, %r, %r}, %d, %d, 1, 1, 1, 0, 1;",
      "wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%r, %r}, %d, %d, 1;",
      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r}, [%r];",
      "setmaxnreg.inc.sync.aligned.u32 250;",
      "cp.async.ca.shared.global [%r], [%d], 5;",
      "cp.async.cg.shared.global [%r], [%d], 8;",
      "cp.async.bulk.shared::cluster.global.bulk_group [%r], [%d], 16;",
      "cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r], [%d, {%r, "
      "%r}], [%r];",
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r], [%d, {%r}], "
      "[%r];",
      "mbarrier.try_wait.parity.shared.b64 %r, [%r], 0;",
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64 [%d], [%r], 16;"};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    char text[700];
    snprintf(text, sizeof text, HEAD ".visible .entry k() {\n.reg .b32 %%r;\n.reg .b64 %%d;\n%s\nret;\n}\n",
             bodies[i]);
    tilec_sim *sim;
    tilec_sim_module *module;
    assert_int_equal(tilec_sim_create(NULL, &sim), TILEC_SIM_OK);
    if (tilec_sim_load(sim, text, strlen(text), &module) != TILEC_SIM_ERROR_PTX)
      fail_msg("accepted: %s", bodies[i]);
    assert_int_equal(strncmp(tilec_sim_message(sim), "7:", 2), 0);
    tilec_sim_destroy(sim);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mma_shapes),       cmocka_unit_test(test_newer_fp8_shapes),
      cmocka_unit_test(test_satfinite_clamps), cmocka_unit_test(test_matrix_moves),
      cmocka_unit_test(test_wgmma_layouts),    cmocka_unit_test(test_wgmma_types_and_widths),
      cmocka_unit_test(test_wgmma_is_late),    cmocka_unit_test(test_what_is_not_known_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
