// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of CTAs: tcgen05 with .cta_group::2, and cluster launch control. Faults are planted in right kernels
// (tests/golden/sim/pair.ptx). Forms of tcgen05.mma and cp are generated here. Operands lie in memory as the PTX
// ISA has them. They are small integers, whose sums are exact.
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
#include "tests/unit/sim_plant.h"
#include "tests/unit/unit.h"

enum { LANES_OF_TMEM = 128, WORDS = 16, IMAGE = 8192, B_AT = 4096, MOST_COLUMNS = 128, CLUSTERS = 4 };

static int value_at(uint32_t i) { return (int)((i * 2654435761u >> 11) % 7) - 3; }

static uint32_t code_of(int value, uint32_t bits) { // s8, fp16, or e4m3 with bits 7
  static const uint32_t f16[] = {0, 0x3c00, 0x4000, 0x4200}, e4m3[] = {0, 0x38, 0x40, 0x44};
  uint32_t size = (uint32_t)(value < 0 ? -value : value);
  if (bits == 16) return f16[size] | (value < 0 ? 0x8000u : 0);
  return bits == 7 ? e4m3[size] | (value < 0 ? 0x80u : 0) : (uint8_t)value;
}

// ---- forms ----

typedef struct Form {
  const char *kind;
  uint32_t m, n, k, code; // code: see code_of
  uint32_t idesc;         // without M and N
  bool tmem_a, scaled, twice;
} Form;

static const Form forms[] = {
    {"kind::f16", 256, 64, 16, 16, 0x10, .twice = true},
    {"kind::f16", 256, 128, 16, 16, 0x10, .tmem_a = true},
    {"kind::f16", 128, 64, 16, 16, 0x10, .tmem_a = false},
    {"kind::f16", 128, 128, 16, 16, 0x10, .tmem_a = true, .twice = true},
    {"kind::i8", 256, 32, 32, 8, 0x4a0, .tmem_a = false},
    {"kind::i8", 128, 96, 32, 8, 0x4a0, .tmem_a = false},
    {"kind::f8f6f4", 128, 16, 32, 7, 0x10, .tmem_a = false},
    {"kind::mxf8f6f4.block_scale.block32", 256, 128, 32, 7, 0x800000, .scaled = true},
    {"kind::mxf8f6f4.block_scale.block32", 128, 128, 32, 7, 0x800000, .scaled = true},
    {"kind::mxf8f6f4.block_scale.block32", 128, 32, 32, 7, 0x800000, .scaled = true},
};

static uint32_t rows_of(const Form *t) { return t->m / 2; }
static bool in_halves(const Form *t) { return t->m == 128; }
static uint32_t columns_of(const Form *t) { return in_halves(t) ? t->n / 2 : t->n; }

static void put_element(unsigned char *at, uint32_t row, uint32_t k, const Form *t, int value) {
  uint32_t bytes = t->code == 16 ? 2 : 1, per = 16 / bytes, code = code_of(value, t->code);
  memcpy(at + row / 8 * 256 + k / per * 128 + row % 8 * 16 + k % per * bytes, &code, bytes);
}

static int a_at(uint32_t row, uint32_t k) { return value_at(row * 64 + k); }
static int b_at(uint32_t column, uint32_t k) { return value_at(column * 64 + k + 7); }
static uint32_t scale_at(uint32_t which, uint32_t row) { return 126 + (row * 5 + which) % 3; } // 1/2, 1, 2

// A CTA has its rows of A, its columns of B, and 16 columns of tensor memory (A, 4 of A's scales, 4 of B's).
static void fill(const Form *t, uint32_t cta, unsigned char *image, uint32_t words[LANES_OF_TMEM][WORDS]) {
  uint32_t rows = rows_of(t), columns = t->n / 2;
  for (uint32_t row = 0; row < rows; row++)
    for (uint32_t k = 0; k < t->k; k++) {
      uint32_t bytes = t->code == 16 ? 2 : 1, code = code_of(a_at(cta * rows + row, k), t->code);
      if (!t->tmem_a) put_element(image, row, k, t, a_at(cta * rows + row, k));
      for (uint32_t half = 0; half < (in_halves(t) ? 2 : 1); half++)
        memcpy((unsigned char *)words[row + 64 * half] + (size_t)k * bytes, &code, bytes);
    }
  for (uint32_t column = 0; column < columns; column++)
    for (uint32_t k = 0; k < t->k; k++)
      put_element(image + B_AT, column, k, t, b_at(cta * columns + column, k));
  for (uint32_t part = 0; part < 4 && t->scaled; part++) {
    for (uint32_t row = 0; row < rows; row++)
      words[part * 32 + row % 32][8 + row / 32] = scale_at(0, cta * rows + row);
    for (uint32_t n = 0; n < columns_of(t); n++)
      words[part * 32 + n % 32][12 + n / 32] = scale_at(1, n + (part >= 2 ? t->n - columns_of(t) : 0));
  }
}

static const char begin[] =
    ".version 8.8\n.target sm_100a\n.address_size 64\n"
    ".visible .entry k(.param .u64 image, .param .u64 words, .param .u64 out, .param .u32 idesc)\n"
    ".reqntid 128 .reqnctapercluster 2\n{\n"
    ".shared .align 1024 .b8 s[8192];\n.shared .align 8 .b64 bar;\n.shared .align 4 .b32 tmem;\n"
    ".reg .pred %p, %one, %first, %leader, %no, %yes;\n"
    ".reg .b16 %both;\n.reg .b32 %t, %c, %w, %x, %r, %u, %tm, %mine, %idesc, %v<16>, %off<8>;\n"
    ".reg .b64 %image, %words, %out, %da, %db, %at, %y;\n"
    "ld.param.u64 %image, [image];\nld.param.u64 %words, [words];\nld.param.u64 %out, [out];\n"
    "ld.param.u32 %idesc, [idesc];\nmov.u32 %t, %tid.x;\nmov.u32 %c, %cluster_ctarank;\nshr.u32 %w, %t, 5;\n"
    "setp.eq.u32 %one, %t, 0;\nsetp.eq.u32 %first, %w, 0;\nsetp.eq.and.u32 %leader, %c, 1, %one;\n"
    "setp.ne.u32 %no, %t, %t;\nsetp.eq.u32 %yes, %t, %t;\nmov.u16 %both, 3;\n"
    "mul.wide.u32 %y, %c, 8192;\nadd.u64 %image, %image, %y;\nadd.u64 %words, %words, %y;\nshl.b32 %x, %t, "
    "2;\n"
    "COPY:\ncvt.u64.u32 %y, %x;\nadd.u64 %at, %image, %y;\nld.global.b32 %r, [%at];\nmov.u32 %u, s;\n"
    "add.u32 %u, %u, %x;\nst.shared.b32 [%u], %r;\nadd.u32 %x, %x, 512;\nsetp.lt.u32 %p, %x, 8192;\n@%p bra "
    "COPY;\n"
    "@!%one bra INITED;\nmbarrier.init.shared::cta.b64 [bar], "
    "1;\nfence.mbarrier_init.release.cluster;\nINITED:\n"
    "fence.proxy.async.shared::cta;\n"
    "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
    "@!%first bra ALLOCATED;\nbar.warp.sync -1;\n"
    "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [tmem], 512;\nALLOCATED:\nbar.sync 0;\n"
    "ld.shared.b32 %tm, [tmem];\nshl.b32 %mine, %w, 21;\nadd.u32 %mine, %mine, %tm;\n"
    "mul.wide.u32 %y, %t, 64;\nadd.u64 %words, %words, %y;\n"
    "ld.global.v4.b32 {%v0,%v1,%v2,%v3}, [%words];\nld.global.v4.b32 {%v4,%v5,%v6,%v7}, [%words+16];\n"
    "ld.global.v4.b32 {%v8,%v9,%v10,%v11}, [%words+32];\nld.global.v4.b32 {%v12,%v13,%v14,%v15}, "
    "[%words+48];\n"
    "tcgen05.st.sync.aligned.32x32b.x16.b32 [%mine+256], "
    "{%v0,%v1,%v2,%v3,%v4,%v5,%v6,%v7,%v8,%v9,%v10,%v11,%v12,%v13,%v14,%v15};\ntcgen05.wait::st.sync.aligned;"
    "\n"
    "tcgen05.fence::before_thread_sync;\nbarrier.cluster.arrive.release.aligned;\n"
    "barrier.cluster.wait.acquire.aligned;\ntcgen05.fence::after_thread_sync;\n"
    "mov.u32 %u, s;\nand.b32 %u, %u, 0x3ffff;\nshr.u32 %u, %u, 4;\ncvt.u64.u32 %da, %u;\nadd.u64 %db, %da, "
    "256;\n"
    "or.b64 %da, %da, 0x0000401000080000;\nor.b64 %db, %db, 0x0000401000080000;\n";

static const char commit[] =
    "@%leader tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "
    "[bar], %both;\n"
    "WAIT:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [bar], 0;\n@!%p bra WAIT;\n"
    "tcgen05.fence::after_thread_sync;\nmad.lo.u32 %x, %c, 128, %t;\nmul.wide.u32 %y, %x, 512;\nadd.u64 "
    "%out, %out, %y;\n";

static const char end[] =
    "tcgen05.fence::before_thread_sync;\nbarrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait."
    "acquire.aligned;\n"
    "@!%first bra END;\ntcgen05.dealloc.cta_group::2.sync.aligned.b32 %tm, 512;\nEND:\nret;\n}\n";

static size_t put_loads(char *to, size_t room, uint32_t column, uint32_t columns) {
  size_t n = 0;
  for (uint32_t c = 0; c < columns; c += 4)
    n += (size_t)snprintf(
        to + n, room - n,
        "tcgen05.ld.sync.aligned.32x32b.x4.b32 {%%v0,%%v1,%%v2,%%v3}, [%%mine+%u];\n"
        "tcgen05.wait::ld.sync.aligned;\nst.global.v4.b32 [%%out+%u], {%%v0,%%v1,%%v2,%%v3};\n",
        column + c, 4 * c);
  return n;
}

// The odd CTA's thread issues. A second multiplication leaves lanes 4 to 7 of the even CTA, and lanes 96 to 127 of
// the odd one.
static void form_text(const Form *t, char *to, size_t room) {
  size_t n = (size_t)snprintf(to, room, "%s", begin);
  for (int i = 0; i < (t->twice ? 2 : 1); i++)
    n += (size_t)snprintf(to + n, room - n,
                          "%s@%%leader tcgen05.mma.cta_group::2.%s [%%tm], %s, %%db, %%idesc, %s%s;\n",
                          i ? "mov.u32 %off0, 0xf0;\nmov.u32 %off1, 0;\nmov.u32 %off7, 0xffffffff;\n" : "",
                          t->kind, t->tmem_a ? "[%tm+256]" : "%da", t->scaled ? "[%tm+264], [%tm+268], " : "",
                          i ? "{%off0,%off1,%off1,%off1,%off1,%off1,%off1,%off7}, %yes" : "%no");
  n += (size_t)snprintf(to + n, room - n, "%s", commit);
  n += put_loads(to + n, room - n, 0, columns_of(t));
  snprintf(to + n, room - n, "%s", end);
}

// With SIM_PTX_OUT, the folder gets the text: tests/groups/ptxas assembles it.
static void keep_text(const char *text) {
  static int n;
  const char *folder = getenv("SIM_PTX_OUT");
  char path[512];
  if (!folder) return;
  snprintf(path, sizeof path, "%s/pair-%d.ptx", folder, n++);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  fclose(file);
}

static double expected(const Form *t, uint32_t row, uint32_t column, uint32_t lane) {
  static const double scales[] = {0.5, 1, 2};
  double sum = 0;
  for (uint32_t k = 0; k < t->k; k++) sum += a_at(row, k) * b_at(column, k);
  if (t->scaled) sum *= scales[scale_at(0, row) - 126] * scales[scale_at(1, column) - 126];
  bool off = row < rows_of(t) ? lane >= 4 && lane < 8 : lane >= 96;
  return t->twice && !off ? 2 * sum : sum;
}

static double number_of(const Form *t, uint32_t word) {
  float f;
  memcpy(&f, &word, sizeof f);
  return t->code == 8 ? (int32_t)word : (double)f;
}

static void run_text(const char *text, int schedule, bool checks, unsigned char image[2][IMAGE],
                     uint32_t words[2][LANES_OF_TMEM][WORDS], uint32_t out[2][LANES_OF_TMEM][MOST_COLUMNS],
                     uint32_t idesc) {
  SimFixture f = plant_open(text, schedule, checks);
  uint64_t pi = sim_bind(&f, image, sizeof(unsigned char[2][IMAGE])),
           pw = sim_bind(&f, words, sizeof(uint32_t[2][LANES_OF_TMEM][WORDS])),
           po = sim_bind(&f, out, sizeof(uint32_t[2][LANES_OF_TMEM][MOST_COLUMNS]));
  const void *params[] = {&pi, &pw, &po, &idesc};
  memset(out, 0, sizeof(uint32_t[2][LANES_OF_TMEM][MOST_COLUMNS]));
  sim_run(&f, "k", 2, 1, 128, 0, params);
  sim_close(&f);
}

static unsigned char images[2][IMAGE];
static uint32_t all_words[2][LANES_OF_TMEM][WORDS], results[2][LANES_OF_TMEM][MOST_COLUMNS];

static void check_form(const Form *t, int schedule) {
  for (uint32_t row = 0; row < t->m; row++)
    for (uint32_t n = 0; n < t->n; n++) {
      uint32_t lane = row % rows_of(t) + (n >= columns_of(t) ? 64 : 0);
      double got = number_of(t, results[row / rows_of(t)][lane][n % columns_of(t)]),
             want = expected(t, row, n, lane);
      if (got != want)
        fail_msg("%s m%u n%u, schedule %d: D[%u][%u] is %g, not %g", t->kind, t->m, t->n, schedule, row, n,
                 got, want);
    }
}

static void test_form(void **state) {
  const Form *t = *state;
  static char text[40000];
  memset(images, 0, sizeof images);
  memset(all_words, 0, sizeof all_words);
  for (uint32_t cta = 0; cta < 2; cta++) fill(t, cta, images[cta], all_words[cta]);
  form_text(t, text, sizeof text);
  keep_text(text);
  uint32_t shape = t->n >> 3 << 17 | (t->scaled ? t->m >> 7 << 27 : t->m >> 4 << 24);
  for (int i = 0; i < 2 * SCHEDULES; i++) {
    run_text(text, i / 2, i % 2, images, all_words, results, t->idesc | shape);
    check_form(t, i / 2);
  }
}

// Both CTAs copy from their own shared memory: rows of 32 bytes.
TEST(test_copy) {
  static char text[40000];
  for (uint32_t i = 0; i < IMAGE; i++)
    images[0][i] = (unsigned char)(i * 7), images[1][i] = (unsigned char)(i * 11);
  size_t n = (size_t)snprintf(
      text, sizeof text, "%s@%%leader tcgen05.cp.cta_group::2.128x256b [%%tm], %%da;\n%s", begin, commit);
  n += put_loads(text + n, sizeof text - n, 0, 8);
  snprintf(text + n, sizeof text - n, "%s", end);
  for (int i = 0; i < 2 * SCHEDULES; i++) {
    run_text(text, i / 2, i % 2, images, all_words, results, 0);
    for (uint32_t at = 0; at < 2 * LANES_OF_TMEM * 32; at++) {
      uint32_t cta = at / 4096, row = at / 32 % 128, byte = at % 32;
      unsigned char got = ((unsigned char *)results[cta][row])[byte];
      assert_int_equal(got, images[cta][row / 8 * 256 + byte / 16 * 128 + row % 8 * 16 + byte % 16]);
    }
  }
}

TEST(test_refused) {
  static char text[40000];
  const Form t = {"kind::mxf8f6f4.block_scale.block32", 128, 24, 32, 7, 0x800000, .scaled = true};
  form_text(&t, text, sizeof text);
  SimFixture f = plant_open(text, TILEC_SIM_LATE, false);
  uint64_t pi = sim_bind(&f, images, sizeof images), pw = sim_bind(&f, all_words, sizeof all_words),
           po = sim_bind(&f, results, sizeof results);
  const uint32_t idesc = t.idesc | t.n >> 3 << 17 | t.m >> 7 << 27;
  const void *params[] = {&pi, &pw, &po, &idesc};
  assert_int_equal(sim_launch(&f, "k", 2, 1, 128, 0, params), TILEC_SIM_ERROR_KERNEL);
  assert_non_null(strstr(tilec_sim_message(f.sim), "not a shape of this kind"));
  sim_close(&f);
}

// ---- whole kernels, and faults in them ----

static const Form whole = {"kind::f16", 256, 64, 16, 16, 0x10, .tmem_a = false};
enum { PIECE = 1280, PIECES = 2 * PIECE, OUT = 256 * 64 };

static tilec_sim_result run_pair(SimFixture *f, float *out) {
  static uint16_t tiles[PIECES * 4];
  memset(all_words, 0, sizeof all_words);
  for (uint32_t cta = 0; cta < 2; cta++) {
    memset(images, 0, sizeof images);
    fill(&whole, cta, images[0], all_words[0]);
    memcpy((unsigned char *)tiles + cta * 5120, images[0], 4096);
    memcpy((unsigned char *)tiles + cta * 5120 + 4096, images[0] + B_AT, 1024);
  }
  tilec_sim_tensor_map map;
  const uint64_t dims[] = {1280};
  const uint32_t box[] = {128}, steps[] = {1};
  uint64_t at = sim_bind(f, tiles, sizeof tiles), po = sim_bind(f, out, OUT * sizeof *out);
  assert_int_equal(tilec_sim_tensor_map_encode(&map, 4, 1, at, dims, dims, box, steps, 0, 0, 0, 0),
                   TILEC_SIM_OK);
  const void *params[] = {&map, &po};
  return sim_launch(f, "pair", 2, 1, 128, 0, params);
}

static tilec_sim_result run_steal(SimFixture *f, uint32_t *out) {
  uint64_t po = sim_bind(f, out, 2 * CLUSTERS * sizeof *out);
  const void *params[] = {&po};
  memset(out, 0, 2 * CLUSTERS * sizeof *out);
  return sim_launch(f, "steal", 2 * CLUSTERS, 1, 32, 0, params);
}

TEST(test_right) {
  static float out[OUT];
  uint32_t taken[2 * CLUSTERS];
  char *text = plant_read("pair.ptx");
  for (int i = 0; i < 2 * SCHEDULES; i++) {
    SimFixture f = plant_open(text, i / 2, i % 2);
    tilec_sim_result result = run_pair(&f, out);
    if (result == TILEC_SIM_OK) result = run_steal(&f, taken);
    if (result) print_error("%s\n", tilec_sim_message(f.sim));
    assert_int_equal(result, TILEC_SIM_OK);
    for (uint32_t at = 0; at < OUT; at++)
      assert_float_equal(out[at], expected(&whole, at / 64, at % 64, at / 64 % 128), 0);
    for (uint32_t at = 0; at < 2 * CLUSTERS; at++) assert_int_equal(taken[at], 1);
    sim_close(&f);
  }
  free(text);
}

static const Plant plants[] = {
    {"pair", "// expect", "@%p3 mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 5120; // expect",
     TILEC_SIM_MBARRIER, "// expect", "5120 bytes more", 0},
    {"pair", "// expect", "@%p3 mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 20480; // expect",
     TILEC_SIM_DEADLOCK, NULL, "10240 bytes pending", 0},
    {"pair", "// the even CTA's", "mov.u32 %r5, %r4;", TILEC_SIM_DEADLOCK, NULL, "5120 bytes pending", 0},
    {"pair", "@!%p5 bra FULL;", NULL, TILEC_SIM_UNINITIALISED, "// mma", "nothing has written",
     1 << TILEC_SIM_EARLY},
    {"pair", "// commit",
     "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [done]; // commit",
     TILEC_SIM_DEADLOCK, NULL, NULL, 0},
    {"pair", "// commit",
     "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [done], %h1; "
     "// commit",
     TILEC_SIM_TMEM, "// commit", "an earlier one .cta_group::2", 0},
    {"pair", "// alloc\n", "@!%p1 tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [tm], 64; // alloc",
     TILEC_SIM_LANES, "// alloc", NULL, 0},
    {"pair", "// alloc\n",
     "add.u32 %r30, %r2, 1; shl.b32 %r30, %r30, 5; "
     "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [tm], %r30; // alloc",
     TILEC_SIM_TMEM, "// alloc", "allocate", 0},
    {"pair", "// wait done", "setp.eq.u32 %p5, %r1, %r1;", TILEC_SIM_TMEM, "// load",
     "may not have written yet", 0},
    {"pair", "// wait load", NULL, TILEC_SIM_TMEM, "// free", "tcgen05.wait::ld by warp", 0},
    {"pair", "// free", NULL, TILEC_SIM_TMEM, "// alloc\n", "64 columns of tensor memory are not freed", 0},
    {"pair", "// mma", "tcgen05.mma.cta_group::2.kind::f16 [%r3+32], %d3, %d4, %r10, %p4; // mma",
     TILEC_SIM_TMEM, "// mma", "which is not allocated", 0},
    {"steal", "// failed", "bra NEXT; // failed", TILEC_SIM_CLUSTER, "// cancel",
     "has seen that an earlier one failed", 0},
    {"steal", "// failed", NULL, TILEC_SIM_CLUSTER, "// first", "try_cancel that failed", 0},
    {"steal", "// read\n", "mov.b128 %q1, {%d1, %d1};", TILEC_SIM_CLUSTER, "// query", "is not a response",
     0},
    {"steal", "// expect", "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 32; // expect",
     TILEC_SIM_DEADLOCK, NULL, "16 bytes pending", 0},
    {"steal", "// ready", NULL, TILEC_SIM_RACE_WRITE_READ, "// read\n", "not ordered", 1 << TILEC_SIM_EARLY},
};

static void test_planted(void **state) {
  static float out[OUT];
  uint32_t taken[2 * CLUSTERS];
  const Plant *p = *state;
  char *text = plant_read("pair.ptx");
  plant_edit(text, p);
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    if (p->schedules && !(p->schedules >> schedule & 1)) continue;
    SimFixture f = plant_open(text, schedule, true);
    assert_int_equal(strcmp(p->kernel, "pair") == 0 ? run_pair(&f, out) : run_steal(&f, taken),
                     TILEC_SIM_ERROR_KERNEL);
    plant_expect(&f, text, p, schedule);
    sim_close(&f);
  }
  free(text);
}

int suite_sim_pair(void) {
  enum { COUNT = sizeof plants / sizeof *plants, FORMS = sizeof forms / sizeof *forms };
  static struct CMUnitTest tests[COUNT + FORMS + 3];
  static char names[COUNT + FORMS][120];
  size_t n = 0;
  for (; n < COUNT; n++) tests[n] = plant_test(&plants[n], n, names[n], test_planted);
  for (size_t i = 0; i < FORMS; i++, n++) {
    snprintf(names[n], sizeof *names, "%s m%u n%u", forms[i].kind, forms[i].m, forms[i].n);
    tests[n] = (struct CMUnitTest){names[n], test_form, NULL, NULL, (void *)&forms[i]};
  }
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(test_copy);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(test_refused);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(test_right);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
