// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05: tcgen05.mma of every kind, type, layout and source, tcgen05.cp and shift, and a whole matmul. The
// PTX is made here; operands lie in memory as the PTX ISA has them. The elements are small integers, whose
// sums are exact.
#include "tests/unit/unit.h"
#include "sim/sim.h"
#include "tests/unit/sim_fixture.h"

enum {
  A_AT = 0,
  B_AT = 32768,
  SHARED_BYTES = 98304,
  A_COLUMN = 256,
  SCALE_COLUMN = 272,
  LANES_OF_TMEM = 128
};

typedef struct Element {
  const char *name;
  uint32_t bits;   // In shared memory.
  uint32_t chunk;  // Elements in 16 bytes of shared memory.
  uint32_t code;   // In the instruction descriptor.
  uint32_t one[4]; // Codes of 0 to 3.
  uint32_t sign;   // Its bit; 0: two's complement.
  uint32_t shift;  // The code's place in its 8 bits of tensor memory.
  uint32_t tmem;   // Bits in tensor memory.
} Element;

static const Element f16 = {"f16", 16, 8, 0, {0, 0x3c00, 0x4000, 0x4200}, 0x8000, 0, 16},
                     bf16 = {"bf16", 16, 8, 1, {0, 0x3f80, 0x4000, 0x4040}, 0x8000, 0, 16},
                     tf32 = {"tf32", 32, 4, 2, {0, 0x3f800000, 0x40000000, 0x40400000}, 0x80000000u, 0, 32},
                     e4m3 = {"e4m3", 8, 16, 0, {0, 0x38, 0x40, 0x44}, 0x80, 0, 8},
                     e5m2 = {"e5m2", 8, 16, 1, {0, 0x3c, 0x40, 0x42}, 0x80, 0, 8},
                     e2m3 = {"e2m3", 6, 16, 3, {0, 8, 16, 20}, 32, 0, 8},
                     e3m2 = {"e3m2", 6, 16, 4, {0, 12, 16, 18}, 32, 0, 8},
                     e2m1 = {"e2m1", 4, 16, 5, {0, 2, 4, 5}, 8, 2, 8},
                     fp4 = {"e2m1 packed", 4, 32, 1, {0, 2, 4, 5}, 8, 0, 4},
                     u8 = {"u8", 8, 16, 0, {0, 1, 2, 3}, 0, 0, 8},
                     s8 = {"s8", 8, 16, 1, {0, 1, 2, 3}, 0, 0, 8};

typedef struct Mma {
  const char *kind; // and its further modifiers
  const Element *a, *b;
  uint32_t m, n, k;
  uint32_t swizzle;    // bytes of a row; 0: none; 1: 128 in atoms of 32
  bool mn_a, mn_b;     // along M or N
  bool tmem_a;         // A in tensor memory
  bool half, negate_a; // half: D is fp16
  uint32_t block;      // elements of a scale; 0: none
  uint32_t ids[2];     // of the scales of A and B
  bool e4m3;           // scales
  int scale_d;         // -1: none
  uint32_t lane;       // of D: 0 or 16
} Mma;

static int value_at(uint32_t i, const Element *e) {
  int value = (int)((i * 2654435761u >> 11) % 7) - 3;
  return e == &u8 && value < 0 ? -value : value;
}

static uint32_t code_of(int value, const Element *e) {
  if (e->bits == 8 && !e->sign) return (uint8_t)value;
  return e->one[value < 0 ? -value : value] | (value < 0 ? e->sign : 0);
}

// ---- layouts ----

// The byte of the 16-byte chunk of element (row, k), and the element's number in the chunk.
static uint32_t chunk_of(const Mma *t, uint32_t rows, const Element *e, bool mn, uint32_t row, uint32_t k,
                         uint32_t *in) {
  uint32_t s = t->swizzle == 1 ? 128 : t->swizzle, per = e->chunk, at;
  *in = (mn ? row : k) % per;
  if (t->swizzle == 1 && mn)
    at = row / 32 * 512 + k / 4 * (rows / 32 * 512) + k % 4 * 128 + row % 32 / per * 16;
  else if (!s && !mn)
    at = row / 8 * (t->k / per * 128) + k / per * 128 + row % 8 * 16;
  else if (!s)
    at = k / 8 * (rows / per * 128) + row / per * 128 + k % 8 * 16;
  else if (!mn)
    at = row * s + k / per * 16;
  else
    at = row / per * 16 / s * (t->k * s) + k * s + row / per * 16 % s;
  if (t->swizzle == 1) return at ^ (at >> 7 & 3) << 5;
  return s ? at ^ (at >> 7 & (s / 16 - 1)) << 4 : at;
}

static uint64_t descriptor_of(const Mma *t, uint32_t start, uint32_t rows, const Element *e, bool mn) {
  static const uint32_t modes[] = {[0] = 0, [1] = 1, [128] = 2, [64] = 4, [32] = 6};
  uint32_t s = t->swizzle == 1 ? 128 : t->swizzle, per = e->chunk;
  uint32_t lbo = s ? mn ? t->k * s : 16 : mn ? rows / per * 128 : 128;
  uint32_t sbo = s ? 8 * s : mn ? 128 : t->k / per * 128;
  if (t->swizzle == 1 && mn) {
    lbo = 512;
    sbo = rows / 32 * 512;
  }
  return (uint64_t)(start >> 4) | (uint64_t)(lbo >> 4) << 16 | (uint64_t)(sbo >> 4) << 32 |
         (uint64_t)1 << 46 | (uint64_t)modes[t->swizzle] << 61;
}

static void put_bits(unsigned char *at, uint32_t first, uint32_t bits, uint32_t value) {
  for (uint32_t i = 0; i < bits; i++)
    if (value >> i & 1) at[(first + i) / 8] |= (unsigned char)(1u << (first + i) % 8);
}

static void fill_operand(const Mma *t, unsigned char *image, uint32_t rows, const Element *e, bool mn,
                         uint32_t seed) {
  for (uint32_t row = 0; row < rows; row++)
    for (uint32_t k = 0; k < t->k; k++) {
      uint32_t in, at = chunk_of(t, rows, e, mn, row, k, &in);
      put_bits(image + at, in * e->bits, e->bits, code_of(value_at(row * t->k + k + seed, e), e));
    }
}

static uint32_t lane_of_row(const Mma *t, uint32_t row) {
  return t->m == 64 ? t->lane + row / 16 * 32 + row % 16 : row;
}

// 16 columns of tensor memory from A_COLUMN: A, and 16 from SCALE_COLUMN: the scales of A, then of B.
static uint32_t scale_code(const Mma *t, uint32_t which, uint32_t row, uint32_t j) {
  uint32_t step = (row * 5 + j * 3 + which) % 3;
  return t->e4m3 ? 0x30 + 8 * step : 126 + step;
}

static double scale_value(const Mma *t, uint32_t which, uint32_t row, uint32_t k) {
  static const double values[] = {0.5, 1, 2};
  return t->block ? values[(row * 5 + k / t->block * 3 + which) % 3] : 1;
}

static void fill_tmem(const Mma *t, uint32_t words[LANES_OF_TMEM][32]) {
  memset(words, 0, LANES_OF_TMEM * sizeof *words);
  for (uint32_t row = 0; t->tmem_a && row < t->m; row++)
    for (uint32_t k = 0; k < t->k; k++)
      put_bits((unsigned char *)words[lane_of_row(t, row)], k * t->a->tmem, t->a->tmem,
               code_of(value_at(row * t->k + k, t->a), t->a) << t->a->shift);
  for (uint32_t which = 0; which < 2 && t->block; which++)
    for (uint32_t row = 0; row < (which ? t->n : t->m); row++)
      for (uint32_t part = 0; part < 4; part++)
        for (uint32_t j = 0; j < t->k / t->block; j++)
          words[part * 32 + row % 32][16 + 4 * which + row / 32] |= scale_code(t, which, row, j)
                                                                    << 8 * (t->ids[which] + j);
}

static uint32_t idesc_of(const Mma *t) {
  uint32_t bits = t->a->code << 7 | t->b->code << 10 | (uint32_t)t->negate_a << 13 | (uint32_t)t->mn_a << 15 |
                  (uint32_t)t->mn_b << 16 | t->n >> 3 << 17;
  if (t->block) return bits | t->ids[1] << 4 | (uint32_t)!t->e4m3 << 23 | t->m >> 7 << 27 | t->ids[0] << 29;
  bool ints = t->a == &u8 || t->a == &s8;
  return bits | (ints ? 2u : t->half ? 0u : 1u) << 4 | t->m >> 4 << 24;
}

// ---- the kernel ----

typedef struct Text {
  char at[60000];
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

static void put_list(Text *text, const char *name, int n) {
  for (int i = 0; i < n; i++) put(text, "%s%%%s%d", i ? "," : "{", name, i);
  put(text, "}");
}

// Copies the image to shared memory and 32 words of each thread to tensor memory. %tm is its address, %mine
// that of the warp's lanes.
static void put_begin(Text *text) {
  text->n = 0;
  put(text,
      ".version 8.8\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
      ".visible .entry k(.param .u64 image, .param .u64 words, .param .u64 out, .param .u64 da, .param .u64 "
      "db,"
      " .param .u32 idesc)\n{\n"
      ".shared .align 8 .b64 bar;\n.shared .align 4 .b32 tmem;\n"
      ".reg .pred %%p, %%one, %%first, %%no, %%yes;\n.reg .b32 %%t, %%w, %%x, %%r, %%u, %%tm, %%mine, "
      "%%idesc, "
      "%%v<32>, %%off<4>;\n.reg .b64 %%image, %%words, %%out, %%da, %%db, %%at, %%y, %%base;\n"
      "ld.param.u64 %%image, [image];\nld.param.u64 %%words, [words];\nld.param.u64 %%out, [out];\n"
      "ld.param.u64 %%da, [da];\nld.param.u64 %%db, [db];\nld.param.u32 %%idesc, [idesc];\n"
      "mov.u32 %%t, %%tid.x;\nshr.u32 %%w, %%t, 5;\nsetp.eq.u32 %%one, %%t, 0;\nsetp.eq.u32 %%first, %%w, "
      "0;\n"
      "setp.ne.u32 %%no, 0, 0;\nsetp.eq.u32 %%yes, 0, 0;\n"
      "mov.u32 %%u, s;\nshr.u32 %%x, %%u, 4;\ncvt.u64.u32 %%base, %%x;\nadd.u64 %%da, %%da, %%base;\n"
      "add.u64 %%db, %%db, %%base;\nshl.b32 %%x, %%t, 2;\n"
      "COPY:\ncvt.u64.u32 %%y, %%x;\nadd.u64 %%at, %%image, %%y;\nld.global.b32 %%r, [%%at];\n"
      "add.u32 %%r, %%r, 0;\nmov.u32 %%u, s;\nadd.u32 %%u, %%u, %%x;\nst.shared.b32 [%%u], %%r;\n"
      "add.u32 %%x, %%x, 512;\nsetp.lt.u32 %%p, %%x, %d;\n@%%p bra COPY;\n"
      "@!%%one bra INITED;\nmbarrier.init.shared::cta.b64 [bar], 1;\nINITED:\n"
      "@!%%first bra ALLOCATED;\nbar.warp.sync -1;\n"
      "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tmem], 512;\n"
      "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\nALLOCATED:\n"
      "fence.proxy.async.shared::cta;\nbar.sync 0;\nld.shared.b32 %%tm, [tmem];\n"
      "shl.b32 %%mine, %%w, 21;\nadd.u32 %%mine, %%mine, %%tm;\n"
      "mul.wide.u32 %%y, %%t, 128;\nadd.u64 %%words, %%words, %%y;\n",
      SHARED_BYTES);
  for (int i = 0; i < 32; i += 4)
    put(text, "ld.global.v4.b32 {%%v%d,%%v%d,%%v%d,%%v%d}, [%%words+%d];\n", i, i + 1, i + 2, i + 3, 4 * i);
  put(text, "tcgen05.st.sync.aligned.32x32b.x32.b32 [%%mine+%d], ", A_COLUMN);
  put_list(text, "v", 32);
  put(text, ";\ntcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
            "tcgen05.fence::after_thread_sync;\n");
}

// Commits, waits, and stores `columns` columns from `column` of every lane.
static void put_end(Text *text, int column, int columns) {
  put(text,
      "@%%one tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n"
      "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %%p, [bar], 0;\n@!%%p bra WAIT;\n"
      "tcgen05.fence::after_thread_sync;\nmul.wide.u32 %%y, %%t, %d;\nadd.u64 %%out, %%out, %%y;\n",
      4 * columns);
  for (int c = 0; c < columns; c += 8) {
    put(text, "tcgen05.ld.sync.aligned.32x32b.x8.b32 ");
    put_list(text, "v", 8);
    put(text, ", [%%mine+%d];\ntcgen05.wait::ld.sync.aligned;\n", column + c);
    for (int i = 0; i < 8; i++) put(text, "st.global.b32 [%%out+%d], %%v%d;\n", 4 * (c + i), i);
  }
  put(text, "tcgen05.fence::before_thread_sync;\nbar.sync 0;\n@!%%first bra END;\n"
            "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%tm, 512;\nEND:\nret;\n}\n");
}

// With SIM_PTX_OUT, the folder gets the text: tests/groups/ptxas assembles it.
static void keep_text(const Text *text) {
  static int n;
  const char *folder = getenv("SIM_PTX_OUT");
  char path[512];
  if (!folder) return;
  snprintf(path, sizeof path, "%s/tcgen05-%d.ptx", folder, n++);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text->at, 1, text->n, file), text->n);
  fclose(file);
}

static void put_mma(Text *text, const Mma *t, const char *more, const char *enable, int scale_d) {
  put(text, "@%%one tcgen05.mma.cta_group::1.%s [%%tm+%u], ", t->kind, t->lane << 16);
  if (t->tmem_a)
    put(text, "[%%tm+%u]", A_COLUMN + (t->lane << 16));
  else
    put(text, "%%da");
  put(text, ", %%db, %%idesc, ");
  if (t->block) put(text, "[%%tm+%d], [%%tm+%d], ", SCALE_COLUMN, SCALE_COLUMN + 4);
  put(text, "%s%s", more, enable);
  if (scale_d >= 0) put(text, ", %d", scale_d);
  put(text, ";\n");
}

static void mma_text(Text *text, const Mma *t) {
  put_begin(text);
  put_mma(text, t, "", "%no", -1);
  if (t->scale_d >= 0) { // the second leaves lanes 4 to 7 and 96 to 127 as they are
    put(text, "mov.u32 %%off0, 0xf0;\nmov.u32 %%off1, 0;\nmov.u32 %%off2, 0;\nmov.u32 %%off3, 0xffffffff;\n");
    put_mma(text, t, "{%off0, %off1, %off2, %off3}, ", "%yes", t->scale_d ? t->scale_d : -1);
  }
  put_end(text, 0, (int)t->n);
}

// The second multiplication of case t adds D 2^-scale_d, except in lanes that are off.
static double expected(const Mma *t, uint32_t row, uint32_t column) {
  double sum = 0;
  uint32_t lane = lane_of_row(t, row);
  for (uint32_t k = 0; k < t->k; k++)
    sum += value_at(row * t->k + k, t->a) * scale_value(t, 0, row, k) *
           value_at(column * t->k + k + 7, t->b) * scale_value(t, 1, column, k);
  if (t->negate_a) sum = -sum;
  bool off = (lane >= 4 && lane < 8) || lane >= 96;
  return t->scale_d < 0 || off ? sum : sum + sum / (1 << t->scale_d);
}

static double number_of(const Mma *t, uint32_t word) {
  float f;
  if (t->a == &u8 || t->a == &s8) return (int32_t)word;
  if (t->half) {
    uint32_t bits = (word & 0x7fff) ? ((word & 0x7fff) << 13) + (112u << 23) : 0;
    bits |= (word & 0x8000) << 16;
    memcpy(&f, &bits, 4);
    return (double)f;
  }
  memcpy(&f, &word, 4);
  return (double)f;
}

static void check_mma(const Mma *t, int schedule, const Text *text, unsigned char *image,
                      uint32_t words[LANES_OF_TMEM][32]) {
  static uint32_t out[LANES_OF_TMEM * 256];
  SimFixture f = sim_open_text(text->at, schedule);
  uint64_t pi = sim_bind(&f, image, SHARED_BYTES), pw = sim_bind(&f, words, LANES_OF_TMEM * sizeof *words),
           po = sim_bind(&f, out, sizeof out);
  uint64_t da = descriptor_of(t, A_AT, t->m, t->a, t->mn_a), db = descriptor_of(t, B_AT, t->n, t->b, t->mn_b);
  uint32_t idesc = idesc_of(t);
  const void *params[] = {&pi, &pw, &po, &da, &db, &idesc};
  memset(out, 0, sizeof out);
  sim_run(&f, "k", 1, 1, 128, SHARED_BYTES, params);
  for (uint32_t row = 0; row < t->m; row++)
    for (uint32_t column = 0; column < t->n; column++) {
      double got = number_of(t, out[lane_of_row(t, row) * t->n + column]), want = expected(t, row, column);
      if (got != want)
        fail_msg("%s %s %s m%u n%u, schedule %d: D[%u][%u] is %g, not %g", t->kind, t->a->name, t->b->name,
                 t->m, t->n, schedule, row, column, got, want);
    }
  sim_close(&f);
}

#define F8 "kind::f8f6f4"
#define MX "kind::mxf8f6f4.block_scale.block32"
#define X4 "kind::mxf4.block_scale.block32"
#define NV "kind::mxf4nvf4.block_scale.block16"

static const Mma mmas[] = {
    {"kind::f16", &f16, &f16, 128, 64, 16, 32, .scale_d = 1},
    {"kind::f16", &f16, &f16, 128, 256, 16, 128, .scale_d = -1, .half = true},
    {"kind::f16", &bf16, &bf16, 64, 8, 16, 64, .scale_d = 2},
    {"kind::f16", &bf16, &bf16, 64, 128, 16, 0, .scale_d = -1, .lane = 16},
    {"kind::f16", &f16, &f16, 128, 64, 16, 0, true, true, .scale_d = -1},
    {"kind::f16", &f16, &f16, 128, 128, 16, 128, true, true, .scale_d = -1},
    {"kind::f16", &bf16, &bf16, 64, 64, 16, 64, true, false, .scale_d = -1, .negate_a = true},
    {"kind::f16", &bf16, &bf16, 128, 32, 16, 32, false, true, .scale_d = -1},
    {"kind::f16", &f16, &f16, 128, 72, 16, 128, .tmem_a = true, .scale_d = 15},
    {"kind::f16", &bf16, &bf16, 64, 16, 16, 128, .tmem_a = true, .scale_d = -1, .lane = 16},
    {"kind::f16.collector::a::fill", &bf16, &bf16, 128, 16, 16, 1, .scale_d = -1},
    {"kind::tf32", &tf32, &tf32, 128, 32, 8, 32, .scale_d = 3},
    {"kind::tf32", &tf32, &tf32, 128, 64, 8, 1, true, true, .scale_d = -1},
    {"kind::tf32", &tf32, &tf32, 64, 24, 8, 128, .tmem_a = true, .scale_d = -1},
    {F8, &e4m3, &e5m2, 128, 64, 32, 64, .scale_d = -1},
    {F8, &e5m2, &e4m3, 64, 40, 32, 128, .tmem_a = true, .scale_d = 0},
    {F8, &e4m3, &e4m3, 128, 128, 32, 128, true, true, .scale_d = -1, .half = true},
    {F8, &e2m3, &e3m2, 128, 64, 32, 32, .scale_d = -1},
    {F8, &e2m1, &e2m3, 128, 32, 32, 128, .scale_d = -1},
    {F8, &e3m2, &e2m1, 64, 32, 32, 0, .tmem_a = true, .scale_d = -1},
    {F8, &e2m1, &e2m1, 128, 32, 32, 128, .tmem_a = true, .scale_d = -1},
    {"kind::i8", &s8, &s8, 128, 32, 32, 32, .scale_d = 0},
    {"kind::i8", &u8, &s8, 64, 24, 32, 128, .scale_d = -1},
    {"kind::i8", &s8, &u8, 128, 48, 32, 64, true, true, .scale_d = -1},
    {"kind::i8", &u8, &u8, 128, 256, 32, 0, .tmem_a = true, .scale_d = -1},
    {MX, &e4m3, &e5m2, 128, 128, 32, 128, .block = 32, .ids = {1, 3}, .scale_d = -1},
    {MX, &e2m1, &e4m3, 128, 40, 32, 32, .block = 32, .ids = {0, 2}, .scale_d = -1},
    {MX, &e3m2, &e2m3, 128, 8, 32, 64, .tmem_a = true, .block = 32, .ids = {3, 0}, .scale_d = -1},
    {"kind::mxf8f6f4.block_scale.scale_vec::1X", &e5m2, &e5m2, 128, 128, 32, 0, false, true, .block = 32,
     .scale_d = -1},
    {X4, &fp4, &fp4, 128, 64, 64, 32, .block = 32, .ids = {2, 0}, .scale_d = -1},
    {"kind::mxf4.block_scale", &fp4, &fp4, 128, 128, 64, 128, .block = 32, .ids = {0, 2}, .scale_d = -1},
    {"kind::mxf4.block_scale.scale_vec::2X", &fp4, &fp4, 128, 16, 64, 64, .tmem_a = true, .block = 32,
     .scale_d = -1},
    {NV, &fp4, &fp4, 128, 128, 64, 128, .block = 16, .e4m3 = true, .scale_d = -1},
    {NV, &fp4, &fp4, 128, 88, 64, 32, .tmem_a = true, .block = 16, .scale_d = -1, .negate_a = true},
    {"kind::mxf4nvf4.block_scale.block32", &fp4, &fp4, 128, 32, 64, 0, .block = 32, .ids = {2, 2},
     .scale_d = -1},
};

static void test_mma(void **state) {
  const Mma *t = *state;
  static Text text;
  static unsigned char image[SHARED_BYTES];
  static uint32_t words[LANES_OF_TMEM][32];
  memset(image, 0, sizeof image);
  if (!t->tmem_a) fill_operand(t, image + A_AT, t->m, t->a, t->mn_a, 0);
  fill_operand(t, image + B_AT, t->n, t->b, t->mn_b, 7);
  fill_tmem(t, words);
  mma_text(&text, t);
  keep_text(&text);
  for (int schedule = 0; schedule < SCHEDULES; schedule++) check_mma(t, schedule, &text, image, words);
}

// ---- cp and shift ----

typedef struct Copy {
  const char *shape;
  uint32_t rows, chunks, lane;
  uint32_t bits; // of an element that becomes 8 bits; 0: bytes are copied
} Copy;

static const Copy copies[] = {{"128x256b", 128, 2, 0, 0},
                              {"4x256b", 4, 2, 31, 0},
                              {"128x128b", 128, 1, 0, 0},
                              {"64x128b.warpx2::02_13", 64, 1, 0, 0},
                              {"64x128b.warpx2::01_23", 64, 1, 0, 0},
                              {"32x128b.warpx4", 32, 1, 0, 0},
                              {"128x128b.b8x16.b6x16_p32", 128, 1, 0, 6},
                              {"128x256b.b8x16.b4x16_p64", 128, 2, 0, 4}};

// The row of the matrix that the lane gets; UINT32_MAX: none.
static uint32_t row_of_lane(const Copy *copy, uint32_t lane) {
  if (copy->rows == 128) return lane;
  if (copy->rows == 4) return lane % 32 == copy->lane ? lane / 32 : UINT32_MAX;
  if (copy->rows == 32) return lane % 32;
  return strstr(copy->shape, "02_13") ? lane % 64 : lane / 64 * 32 + lane % 32;
}

static uint32_t byte_of(const Copy *copy, const unsigned char *chunk, uint32_t i) {
  if (!copy->bits) return chunk[i];
  uint32_t at = i * copy->bits, pair = chunk[at / 8] | (uint32_t)chunk[at / 8 + 1] << 8;
  uint32_t code = pair >> at % 8 & ((1u << copy->bits) - 1);
  return copy->bits == 4 ? code << 2 : code;
}

// Core matrices of 8 rows of 16 bytes: row r, chunk c at r/8 128 chunks + c 128 + r%8 16.
static void test_cp(void **state) {
  const Copy *copy = *state;
  static Text text;
  static unsigned char image[SHARED_BYTES];
  static uint32_t words[LANES_OF_TMEM][32], out[LANES_OF_TMEM][8];
  for (uint32_t i = 0; i < SHARED_BYTES; i++) image[i] = (unsigned char)(i * 2654435761u >> 13);
  for (uint32_t i = 0; i < LANES_OF_TMEM * 32; i++) words[i / 32][i % 32] = 0x01010101 * (i % 251);
  put_begin(&text);
  put(&text, "add.u32 %%x, %%tm, %u;\n@%%one tcgen05.cp.cta_group::1.%s [%%x], %%da;\n",
      A_COLUMN + (copy->lane << 16), copy->shape);
  put_end(&text, A_COLUMN, 8);
  keep_text(&text);
  uint64_t da = (uint64_t)(128 >> 4) << 16 | (uint64_t)(copy->chunks * 128 >> 4) << 32 | (uint64_t)1 << 46,
           db = 0;
  uint32_t idesc = 0;
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    SimFixture f = sim_open_text(text.at, schedule);
    uint64_t pi = sim_bind(&f, image, sizeof image), pw = sim_bind(&f, words, sizeof words),
             po = sim_bind(&f, out, sizeof out);
    const void *params[] = {&pi, &pw, &po, &da, &db, &idesc};
    sim_run(&f, "k", 1, 1, 128, SHARED_BYTES, params);
    for (uint32_t lane = 0; lane < LANES_OF_TMEM; lane++)
      for (uint32_t i = 0; i < 32; i++) {
        uint32_t row = row_of_lane(copy, lane), got = out[lane][i / 4] >> 8 * (i % 4) & 255;
        bool copied = row != UINT32_MAX && i < 16 * copy->chunks;
        const unsigned char *chunk =
            image + (copied ? row / 8 * 128 * copy->chunks + i / 16 * 128 + row % 8 * 16 : 0);
        uint32_t want = copied ? byte_of(copy, chunk, i % 16) : words[lane][i / 4] & 255;
        if (got != want) fail_msg("%s: lane %u, byte %u: %u, not %u", copy->shape, lane, i, got, want);
      }
    sim_close(&f);
  }
}

TEST(test_shift) {
  static Text text;
  static unsigned char image[SHARED_BYTES];
  static uint32_t words[LANES_OF_TMEM][32], out[LANES_OF_TMEM][16];
  for (uint32_t i = 0; i < LANES_OF_TMEM * 32; i++) words[i / 32][i % 32] = i;
  put_begin(&text);
  put(&text, "add.u32 %%x, %%tm, %u;\n@%%one tcgen05.shift.cta_group::1.down [%%x];\n",
      A_COLUMN + (32 << 16));
  put_end(&text, A_COLUMN, 16);
  keep_text(&text);
  uint64_t da = 0, db = 0;
  uint32_t idesc = 0;
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    SimFixture f = sim_open_text(text.at, schedule);
    uint64_t pi = sim_bind(&f, image, sizeof image), pw = sim_bind(&f, words, sizeof words),
             po = sim_bind(&f, out, sizeof out);
    const void *params[] = {&pi, &pw, &po, &da, &db, &idesc};
    sim_run(&f, "k", 1, 1, 128, SHARED_BYTES, params);
    for (uint32_t lane = 0; lane < LANES_OF_TMEM; lane++)
      for (uint32_t c = 0; c < 16; c++) {
        bool moved = lane / 32 == 1 && lane != 63 && c < 8;
        assert_int_equal(out[lane][c], words[lane + moved][c]);
      }
    sim_close(&f);
  }
}

// ---- ld and st ----

typedef struct Move {
  const char *shape;
  int registers; // of one repetition
} Move;

static const Move moves[] = {{"32x32b", 1}, {"16x64b", 1}, {"16x128b", 2}, {"16x256b", 4}, {"16x32bx2", 1}};

enum { SPLIT = 64, WORDS_OF_LANE = 512 };

// The lane and column of register r of thread t, as PTX ISA 9.7.16.2.3.1 has them.
static void place_of_register(const Move *move, int r, int t, int *lane, int *column) {
  *lane = t / 4;
  if (move->registers == 4)
    *lane += 8 * (r / 2 % 2), *column = 8 * (r / 4) + 2 * (t % 4) + r % 2;
  else if (move->registers == 2)
    *lane += 8 * (r % 2), *column = 4 * (r / 2) + t % 4;
  else if (strcmp(move->shape, "16x64b") == 0)
    *lane += 8 * (t % 2), *column = 2 * r + t / 2 % 2;
  else
    *lane = strcmp(move->shape, "32x32b") == 0 ? t : t % 16, *column = r;
}

// One warp stores with one shape and loads with another.
static void move_text(Text *text, const Move *store, int stores, const Move *load, int loads, bool packed) {
  int a = store->registers * stores, b = load->registers * loads;
  bool split_store = strcmp(store->shape, "16x32bx2") == 0, split_load = strcmp(load->shape, "16x32bx2") == 0;
  text->n = 0;
  put(text,
      ".version 8.6\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 "
      "out)\n{\n"
      ".reg .b32 %%a<%d>, %%b<%d>, %%tm, %%t;\n.reg .b64 %%in, %%out, %%y;\n.shared .align 4 .b32 tmem;\n"
      "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tmem], 512;\nbar.warp.sync -1;\n"
      "ld.shared.b32 %%tm, [tmem];\nld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nmov.u32 %%t, "
      "%%tid.x;\n"
      "mul.wide.u32 %%y, %%t, %d;\nadd.u64 %%in, %%in, %%y;\nmul.wide.u32 %%y, %%t, %d;\nadd.u64 %%out, "
      "%%out, "
      "%%y;\n",
      a, b, 4 * a, 4 * b);
  for (int i = 0; i < a; i++) put(text, "ld.global.b32 %%a%d, [%%in+%d];\n", i, 4 * i);
  put(text, "tcgen05.st.sync.aligned.%s.x%d%s.b32 [%%tm]%s, ", store->shape, stores,
      packed ? ".unpack::16b" : "", split_store ? ", 64" : "");
  put_list(text, "a", a);
  put(text, ";\ntcgen05.wait::st.sync.aligned;\ntcgen05.ld.sync.aligned.%s.x%d%s.b32 ", load->shape, loads,
      packed ? ".pack::16b" : "");
  put_list(text, "b", b);
  put(text, ", [%%tm]%s;\ntcgen05.wait::ld.sync.aligned;\n", split_load ? ", 64" : "");
  for (int i = 0; i < b; i++) put(text, "st.global.b32 [%%out+%d], %%b%d;\n", 4 * i, i);
  put(text, "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%tm, 512;\nret;\n}\n");
}

// Where the register's word, or its halves, are in `memory`.
static uint32_t *word_at(uint32_t *memory, const Move *move, int r, int t, bool packed) {
  int lane = 0, column = 0;
  place_of_register(move, r, t, &lane, &column);
  column *= packed ? 2 : 1;
  if (strcmp(move->shape, "16x32bx2") == 0 && t >= 16) column += SPLIT;
  return memory + (size_t)lane * WORDS_OF_LANE + column;
}

static void check_move(const Move *store, int stores, const Move *load, int loads, bool packed) {
  static Text text;
  static uint32_t in[32 * 128], out[32 * 128], memory[32 * WORDS_OF_LANE];
  int a = store->registers * stores, b = load->registers * loads;
  if (a > 128 || b > 128) return;
  move_text(&text, store, stores, load, loads, packed);
  keep_text(&text);
  memset(memory, 0xff, sizeof memory); // undefined
  for (int i = 0; i < 32 * a; i++) in[i] = (uint32_t)i * 2654435761u;
  for (int i = 0; i < 32 * a; i++) {
    uint32_t *word = word_at(memory, store, i % a, i / a, packed);
    word[0] = packed ? in[i] & 0xffff : in[i];
    if (packed) word[1] = in[i] >> 16;
  }
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    SimFixture f = sim_open_text(text.at, schedule);
    uint64_t pi = sim_bind(&f, in, sizeof in), po = sim_bind(&f, out, sizeof out);
    const void *params[] = {&pi, &po};
    memset(out, 0, sizeof out);
    sim_run(&f, "k", 1, 1, 32, 0, params);
    for (int i = 0; i < 32 * b; i++) {
      const uint32_t *word = word_at(memory, load, i % b, i / b, packed);
      uint32_t want = packed ? (word[0] & 0xffff) | word[1] << 16 : word[0];
      if (out[i] != want)
        fail_msg("%s.x%d, %s.x%d: register %d of thread %d", store->shape, stores, load->shape, loads, i % b,
                 i / b);
    }
    sim_close(&f);
  }
}

TEST(test_moves) {
  static const int repeats[][2] = {{1, 1}, {8, 4}, {2, 2}, {32, 16}, {64, 128}};
  enum { MOVES = sizeof moves / sizeof *moves };
  for (size_t i = 0; i < MOVES; i++)
    for (size_t k = 0; k < MOVES; k++)
      for (size_t n = 0; n < sizeof repeats / sizeof *repeats; n++) {
        bool packed = n == 2;
        bool halves = strcmp(moves[i].shape, "16x32bx2") == 0 || strcmp(moves[k].shape, "16x32bx2") == 0;
        if (halves && repeats[n][1] > SPLIT) continue; // the halves would overlap
        check_move(&moves[i], repeats[n][0], &moves[k], repeats[n][1], packed);
      }
}

// ---- a whole matmul ----

static tilec_sim_tensor_map map_of(uint64_t address, uint64_t columns, uint64_t rows) {
  tilec_sim_tensor_map map;
  uint64_t dims[] = {columns, rows}, strides[] = {2 * columns};
  uint32_t box[] = {64, 128}, steps[] = {1, 1};
  assert_int_equal(tilec_sim_tensor_map_encode(&map, 9, 2, address, dims, strides, box, steps, 0, 3, 2, 0),
                   TILEC_SIM_OK);
  return map;
}

TEST(test_gemm) {
  enum { SIZE = 128, K = 320 };
  static uint16_t a[SIZE * K], b[SIZE * K];
  static float d[SIZE * SIZE];
  for (int i = 0; i < SIZE * K; i++)
    a[i] = bf16_of_int(sim_small_int(i)), b[i] = bf16_of_int(sim_small_int(i + 7));
  for (int run = 0; run < 2 * SCHEDULES; run++) {
    SimFixture f = sim_open_file("tcgen05.ptx", run % SCHEDULES);
    assert_int_equal(tilec_sim_check(f.sim, (tilec_sim_schedule)(run % SCHEDULES), run / SCHEDULES),
                     TILEC_SIM_OK);
    memset(d, 0xff, sizeof d);
    uint64_t pa = sim_bind(&f, a, sizeof a), pb = sim_bind(&f, b, sizeof b), pd = sim_bind(&f, d, sizeof d);
    tilec_sim_tensor_map ma = map_of(pa, K, SIZE), mb = map_of(pb, K, SIZE);
    int k = K;
    const void *params[] = {&ma, &mb, &pd, &k};
    sim_run(&f, "gemm", 1, 1, 128, 0, params);
    for (int i = 0; i < SIZE; i++)
      for (int j = 0; j < SIZE; j++) {
        int sum = 0;
        for (int x = 0; x < K; x++) sum += sim_small_int(i * K + x) * sim_small_int(j * K + x + 7);
        assert_float_equal(d[i * SIZE + j], (float)sum, 0);
      }
    sim_close(&f);
  }
}

int suite_sim_tcgen05(void) {
  enum { MMAS = sizeof mmas / sizeof *mmas, COPIES = sizeof copies / sizeof *copies };
  static struct CMUnitTest tests[MMAS + COPIES + 3];
  static char names[MMAS + COPIES][96];
  for (size_t i = 0; i < MMAS; i++) {
    snprintf(names[i], sizeof names[0], "%s %s %s m%u n%u", mmas[i].kind, mmas[i].a->name, mmas[i].b->name,
             mmas[i].m, mmas[i].n);
    tests[i] = (struct CMUnitTest){names[i], test_mma, NULL, NULL, (void *)&mmas[i]};
  }
  for (size_t i = 0; i < COPIES; i++) {
    snprintf(names[MMAS + i], sizeof names[0], "cp %s", copies[i].shape);
    tests[MMAS + i] = (struct CMUnitTest){names[MMAS + i], test_cp, NULL, NULL, (void *)&copies[i]};
  }
  tests[MMAS + COPIES] = (struct CMUnitTest)cmocka_unit_test(test_shift);
  tests[MMAS + COPIES + 1] = (struct CMUnitTest)cmocka_unit_test(test_gemm);
  tests[MMAS + COPIES + 2] = (struct CMUnitTest)cmocka_unit_test(test_moves);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
