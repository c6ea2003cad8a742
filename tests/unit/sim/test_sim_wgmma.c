// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wgmma: layouts, many types and widths, against C. The PTX is made here from the shapes; operands lie in
// memory as the PTX ISA's figures have them.
#include "tests/unit/unit.h"
#include "sim/sim.h"
#include "tests/unit/sim_fixture.h"
#include "tests/unit/sim_matrices.h"

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

// With two steps the second subtracts the first one's dot again.
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

TEST(test_wgmma_layouts) {
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

TEST(test_wgmma_types_and_widths) {
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
TEST(test_wgmma_is_late) {
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

WHOLE_SUITE(sim_wgmma)
