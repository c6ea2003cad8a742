// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mma: every shape and type, and matrix moves, against C. The PTX is made here from the shapes; operands lie
// in memory as the PTX ISA's figures have them.
#include "tests/unit/unit.h"
#include "sim/sim.h"
#include "tests/unit/sim_fixture.h"
#include "tests/unit/sim_matrices.h"

// ---- mma ----

typedef struct Mma {
  int m, k;
  const Kind *a, *b;
  const char *d;
} Mma;

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

TEST(test_mma_shapes) {
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
TEST(test_newer_fp8_shapes) {
  const Mma all[] = {
      {16, 16, &e4m3, &e4m3, "f32"}, {16, 16, &e5m2, &e5m2, "f16"}, {16, 32, &e4m3, &e5m2, "f16"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) check_mma(&all[i]);
}

TEST(test_satfinite_clamps) {
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

TEST(test_matrix_moves) {
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

TEST(test_what_is_not_known_is_an_error) {
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

WHOLE_SUITE(sim_mma)
