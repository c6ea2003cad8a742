// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluator's dot: every type and precision against plain C loops. It is exact if data are
// small integers. The bounds accept the hardware's roundings and reject wrong dots.
#include "tests/unit/unit.h"
#include "eval/eval.h"
#include "tests/unit/eval_kernel.h"

typedef struct Shape {
  uint32_t batch, m, n, k;
} Shape;

// The ways to combine acc and the dot. The dot starts with it. Or it is added to a dot that starts
// at zero, which the evaluator must judge the same. Or the same from the other side, with a factor
// of 1.
typedef enum Form { GIVEN, ADDED, ADDED_TO, FORMS } Form;

// out = acc + a b from %x, %y, %z; `type` of a and b, `acc` of acc.
static void open_form(Kernel *k, Shape s, const char *type, const char *acc, const char *attributes,
                      Form form) {
  char params[128], body[3000], a[64], b[64], c[64];
  uint32_t na = s.batch * s.m * s.k, nb = s.batch * s.k * s.n, nc = s.batch * s.m * s.n;
  snprintf(params, sizeof params, "%%x: *%s, %%y: *%s, %%z: *%s, %%out: *%s", type, type, acc, acc);
  if (s.batch == 1) {
    snprintf(a, sizeof a, "tile<%ux%ux%s>", s.m, s.k, type);
    snprintf(b, sizeof b, "tile<%ux%ux%s>", s.k, s.n, type);
    snprintf(c, sizeof c, "tile<%ux%ux%s>", s.m, s.n, acc);
  } else {
    snprintf(a, sizeof a, "tile<%ux%ux%ux%s>", s.batch, s.m, s.k, type);
    snprintf(b, sizeof b, "tile<%ux%ux%ux%s>", s.batch, s.k, s.n, type);
    snprintf(c, sizeof c, "tile<%ux%ux%ux%s>", s.batch, s.m, s.n, acc);
  }
  static const char LOAD[] =
      "%%i%s = arange {start = 0, end = %u} : tile<%uxi32>\n%%s%s = splat %%%s : tile<%ux*%s>\n"
      "%%p%s = addptr %%s%s, %%i%s : tile<%ux*%s>\n%%l%s = load %%p%s : tile<%ux%s>\n"
      "%%t%s = reshape %%l%s : %s\n";
  size_t n = 0;
  const char *const names[] = {"x", "y", "z"}, *const types[] = {type, type, acc},
                    *const shapes[] = {a, b, c};
  const uint32_t sizes[] = {na, nb, nc};
  for (int i = 0; i < 3; i++) {
    const char *v = names[i], *t = types[i];
    uint32_t z = sizes[i];
    n += (size_t)snprintf(body + n, sizeof body - n, LOAD, v, z, z, v, v, z, t, v, v, v, z, t, v, v, z, t, v,
                          v, shapes[i]);
  }
  if (form != GIVEN)
    n += (size_t)snprintf(body + n, sizeof body - n,
                          "%%none = constant {fvalue = 0.0} : %s\n%%unit = constant {fvalue = 1.0} : %s\n", c,
                          c);
  n += (size_t)snprintf(body + n, sizeof body - n, "%%%s = dot %%tx, %%ty, %%%s %s : %s\n",
                        form == GIVEN ? "d" : "p", form == GIVEN ? "tz" : "none", attributes, c);
  if (form == ADDED) n += (size_t)snprintf(body + n, sizeof body - n, "%%d = add %%p, %%tz : %s\n", c);
  if (form == ADDED_TO)
    n += (size_t)snprintf(body + n, sizeof body - n, "%%q = mul %%p, %%unit : %s\n%%d = add %%tz, %%q : %s\n",
                          c, c);
  snprintf(body + n, sizeof body - n,
           "%%r = reshape %%d : tile<%ux%s>\n"
           "%%so = splat %%out : tile<%ux*%s>\n%%po = addptr %%so, %%iz : tile<%ux*%s>\nstore %%po, %%r\n",
           nc, acc, nc, acc, nc, acc);
  kernel_open(k, params, body);
}

static void open_dot(Kernel *k, Shape s, const char *type, const char *acc, const char *attributes) {
  open_form(k, s, type, acc, attributes, GIVEN);
}

// Fills a buffer with n numbers of `elem`, and gives them as doubles.
static void add_numbers(Kernel *k, uint64_t address, Elem elem, uint32_t n, bool whole, double *values) {
  uint8_t *bytes = arena_alloc(&k->arena, (size_t)n * elem_bytes(elem));
  for (uint32_t i = 0; i < n; i++) {
    double x = whole ? (double)(kernel_random(k) % 7) - (elem == ELEM_U8 ? 0 : 3) : (double)kernel_real(k);
    uint64_t bits = elem_is_float(elem) ? number_encode(elem, x) : number_to_int(elem, x);
    number_store(elem, bits, bytes + i * elem_bytes(elem));
    values[i] = elem_is_float(elem) ? number_decode(elem, bits) : x;
  }
  eval_memory_add(k->memory, address, bytes, (uint64_t)n * elem_bytes(elem), true);
}

static void product(Shape s, const double *a, const double *b, const double *c, double *to) {
  for (uint32_t g = 0; g < s.batch; g++)
    for (uint32_t i = 0; i < s.m; i++)
      for (uint32_t j = 0; j < s.n; j++) {
        double sum = c[(g * s.m + i) * s.n + j];
        for (uint32_t k = 0; k < s.k; k++) sum += a[(g * s.m + i) * s.k + k] * b[(g * s.k + k) * s.n + j];
        to[(g * s.m + i) * s.n + j] = sum;
      }
}

typedef struct Case {
  const char *type, *acc, *attributes;
  Elem a, c;
  double off; // relative to the sum of sizes: an error that must pass
} Case;

static const Case CASES[] = {
    {"fp16", "fp32", "", ELEM_FP16, ELEM_FP32, 0x1p-22},
    {"bf16", "fp32", "", ELEM_BF16, ELEM_FP32, 0x1p-22},
    {"fp16", "fp16", "", ELEM_FP16, ELEM_FP16, 0x1p-11},
    {"fp32", "fp32", "{precision = \"ieee\"}", ELEM_FP32, ELEM_FP32, 0x1p-23},
    {"fp32", "fp32", "{precision = \"tf32\"}", ELEM_FP32, ELEM_FP32, 0x1p-11},
    {"fp32", "fp32", "{precision = \"tf32x3\"}", ELEM_FP32, ELEM_FP32, 0x1p-22},
    {"fp32", "fp32", "{precision = \"bf16x3\"}", ELEM_FP32, ELEM_FP32, 0x1p-17},
    {"fp32", "fp32", "{precision = \"bf16x6\"}", ELEM_FP32, ELEM_FP32, 0x1p-22},
    {"fp64", "fp64", "", ELEM_FP64, ELEM_FP64, 0x1p-52},
    {"fp8e4nv", "fp32", "", ELEM_FP8E4NV, ELEM_FP32, 0x1p-12},
    {"fp8e5", "fp32", "{imprecise = 32}", ELEM_FP8E5, ELEM_FP32, 0x1p-12},
    {"i8", "i32", "", ELEM_I8, ELEM_I32, 0},
    {"u8", "i32", "", ELEM_U8, ELEM_I32, 0},
};

enum { MOST = 4096 };

static uint64_t encode(Elem elem, double x) {
  return elem_is_float(elem) ? number_encode(elem, x) : number_to_int(elem, x);
}

// Small integers are exact; random data pass with the hardware's error and fail with 16 times as much.
static void check_dot(const Case *c, Shape s, bool whole) {
  Kernel k;
  static double a[MOST], b[MOST], acc[MOST], want[MOST], size[MOST];
  open_dot(&k, s, c->type, c->acc, c->attributes);
  uint32_t n = s.batch * s.m * s.n;
  add_numbers(&k, X, c->a, s.batch * s.m * s.k, whole, a);
  add_numbers(&k, Y, c->a, s.batch * s.k * s.n, whole, b);
  add_numbers(&k, Z, c->c, n, whole, acc);
  kernel_output(&k, OUT, n * elem_bytes(c->c));
  kernel_must_run(&k, RUN(&k, X, Y, Z, OUT));
  product(s, a, b, acc, want);
  if (whole)
    for (uint32_t i = 0; i < n; i++) assert_int_equal(kernel_int(&k, OUT, c->c, i), encode(c->c, want[i]));
  for (uint32_t i = 0; i < MOST; i++) a[i] = fabs(a[i]), b[i] = fabs(b[i]), acc[i] = fabs(acc[i]);
  product(s, a, b, acc, size);
  uint8_t *got = arena_alloc(&k.arena, n * elem_bytes(c->c));
  for (uint32_t i = 0; i < n; i++)
    number_store(c->c, encode(c->c, want[i] + (whole ? 0 : c->off * size[i])), got + i * elem_bytes(c->c));
  EvalCheck check = kernel_check(&k, OUT, got, c->c);
  if (check.wrong || check.compared != n) fail_msg("%s to %s: %s", c->type, c->acc, check.first_message);
  double far = elem_is_int(c->c) ? 1 : 64 * sqrt(s.k) * (c->off > 0x1p-40 ? c->off : 0x1p-52) * size[7];
  number_store(c->c, encode(c->c, want[7] + far), got + 7 * elem_bytes(c->c));
  assert_int_equal(kernel_check(&k, OUT, got, c->c).wrong, 1);
  kernel_close(&k);
}

TEST(test_types) {
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    check_dot(&CASES[i], (Shape){1, 16, 32, 64}, true);
    if (elem_is_float(CASES[i].c)) check_dot(&CASES[i], (Shape){1, 32, 16, 32}, false);
    check_dot(&CASES[i], (Shape){4, 8, 16, 16}, true);
  }
}

// Products of i8 that overflow i32 together wrap.
TEST(test_int_wraps) {
  Kernel k;
  int8_t a[256], b[256];
  int32_t acc[256];
  open_dot(&k, (Shape){1, 16, 16, 16}, "i8", "i32", "");
  for (int i = 0; i < 256; i++) a[i] = b[i] = -128, acc[i] = INT32_MAX;
  eval_memory_add(k.memory, X, a, sizeof a, true);
  eval_memory_add(k.memory, Y, b, sizeof b, true);
  eval_memory_add(k.memory, Z, acc, sizeof acc, true);
  kernel_output(&k, OUT, sizeof acc);
  kernel_must_run(&k, RUN(&k, X, Y, Z, OUT));
  assert_int_equal(kernel_int(&k, OUT, ELEM_I32, 5), (int32_t)(INT32_MIN + 16 * 128 * 128 - 1));
  kernel_close(&k);
}

// NaN and infinities reach their row or column and nothing else.
TEST(test_special) {
  Kernel k;
  float a[256], b[256], acc[256] = {0};
  open_dot(&k, (Shape){1, 16, 16, 16}, "fp32", "fp32", "");
  for (int i = 0; i < 256; i++) a[i] = 1, b[i] = 1;
  a[3 * 16 + 2] = NAN;
  b[5 * 16 + 4] = -INFINITY;
  eval_memory_add(k.memory, X, a, sizeof a, true);
  eval_memory_add(k.memory, Y, b, sizeof b, true);
  eval_memory_add(k.memory, Z, acc, sizeof acc, true);
  kernel_output(&k, OUT, sizeof acc);
  kernel_must_run(&k, RUN(&k, X, Y, Z, OUT));
  for (uint32_t i = 0; i < 256; i++) {
    double got = kernel_value(&k, OUT, ELEM_FP32, i), want = i % 16 == 4 ? (double)-INFINITY : 16;
    assert_true(i / 16 == 3 ? isnan(got) : got == want);
  }
  assert_int_equal(kernel_check(&k, OUT, kernel_bytes(&k, OUT), ELEM_FP32).compared, 256);
  kernel_close(&k);
}

// Nothing beyond k is added, be it what it may; rows beyond m and columns beyond n are undefined.
TEST(test_extents) {
  static const char *const extents[] = {"{extents = [16, 16, 5]}", "{extents = [16, 9, 5]}",
                                        "{extents = [12, 16, 5]}"};
  static const char *const errors[] = {NULL, "out[9] of 256 is undefined", "out[192] of 256 is undefined"};
  for (int i = 0; i < 3; i++) {
    Kernel k;
    float a[256], b[256], acc[256] = {0}, want[256];
    open_dot(&k, (Shape){1, 16, 16, 16}, "fp32", "fp32", extents[i]);
    for (int j = 0; j < 256; j++) a[j] = j % 16 < 5 ? 1 : NAN, b[j] = j / 16 < 5 ? 2 : NAN, want[j] = 10;
    eval_memory_add(k.memory, X, a, sizeof a, true);
    eval_memory_add(k.memory, Y, b, sizeof b, true);
    eval_memory_add(k.memory, Z, acc, sizeof acc, true);
    kernel_output(&k, OUT, sizeof acc);
    bool ok = RUN(&k, X, Y, Z, OUT);
    kernel_gave(&k, ok, OUT, want, sizeof want, errors[i]);
    kernel_close(&k);
  }
}

// With data that tf32 holds, tf32 is as precise as ieee.
// An uncertain element of a factor makes its row, or its column, of the result uncertain, and
// nothing else.
// The element is a choice that depends on rounding. The choice 0 / 3 * 3 > 0 does not.
#define TILE "tile<16x16xfp32>"
#define LINE "tile<256xfp32>"
TEST(test_uncertain_elements) {
  for (int second = 0; second < 2; second++) {
    Kernel k;
    char body[2000];
    snprintf(body, sizeof body,
             "%%i = arange {start = 0, end = 256} : tile<256xi32>\n%%s = splat %%x : tile<256x*fp32>\n"
             "%%p = addptr %%s, %%i : tile<256x*fp32>\n%%l = load %%p : " LINE "\n"
             "%%three = constant {fvalue = 3.0} : " LINE "\n%%d = div %%l, %%three : " LINE "\n"
             "%%m = mul %%d, %%three : " LINE "\n%%c = gt %%m, %%l : tile<256xi1>\n"
             "%%u = select %%c, %%three, %%l : " LINE "\n%%a = reshape %%u : " TILE "\n"
             "%%b = reshape %%l : " TILE "\n%%z = constant {fvalue = 0.0} : " TILE "\n"
             "%%r = dot %s, %%z {precision = \"ieee\"} : " TILE "\n%%f = reshape %%r : " LINE "\n"
             "%%so = splat %%out : tile<256x*fp32>\n%%po = addptr %%so, %%i : tile<256x*fp32>\n"
             "store %%po, %%f\n",
             second ? "%b, %a" : "%a, %b");
    kernel_open(&k, "%x: *fp32, %out: *fp32", body);
    float x[256] = {[3 * 16 + 5] = 1.1f};
    eval_memory_add(k.memory, X, x, sizeof x, true);
    kernel_output(&k, OUT, sizeof x);
    kernel_must_run(&k, RUN(&k, X, OUT));
    EvalCheck check = kernel_check(&k, OUT, kernel_bytes(&k, OUT), ELEM_FP32);
    assert_int_equal(check.uncertain, 16);
    assert_int_equal(check.compared, 240);
    kernel_close(&k);
  }
}

TEST(test_tf32_of_exact_inputs) {
  for (int whole = 0; whole < 2; whole++) {
    Kernel k;
    static double a[MOST], b[MOST], acc[MOST], want[MOST];
    Shape s = {1, 16, 16, 16};
    open_dot(&k, s, "fp32", "fp32", "{precision = \"tf32\"}");
    add_numbers(&k, X, ELEM_FP32, 256, whole, a);
    add_numbers(&k, Y, ELEM_FP32, 256, whole, b);
    add_numbers(&k, Z, ELEM_FP32, 256, whole, acc);
    kernel_output(&k, OUT, 1024);
    kernel_must_run(&k, RUN(&k, X, Y, Z, OUT));
    product(s, a, b, acc, want);
    float got[256];
    for (int i = 0; i < 256; i++) got[i] = (float)want[i];
    assert_int_equal(kernel_check(&k, OUT, got, ELEM_FP32).wrong, 0);
    got[9] += 0x1p-10f;
    assert_int_equal(kernel_check(&k, OUT, got, ELEM_FP32).wrong, whole);
    kernel_close(&k);
  }
}

// Values below tf32's subnormals, which are 2^-136 apart, may be dropped, even if they are much of
// the result; no more.
TEST(test_tf32_of_subnormals) {
  Kernel k;
  float x[256], y[256], zero[256] = {0}, got[256] = {0};
  for (int i = 0; i < 256; i++) x[i] = 4, y[i] = (float)(i % 16) * 0x1p-149f;
  open_dot(&k, (Shape){1, 16, 16, 16}, "fp32", "fp32", "{precision = \"tf32\"}");
  eval_memory_add(k.memory, X, x, sizeof x, true);
  eval_memory_add(k.memory, Y, y, sizeof y, true);
  eval_memory_add(k.memory, Z, zero, sizeof zero, true);
  kernel_output(&k, OUT, sizeof got);
  kernel_must_run(&k, RUN(&k, X, Y, Z, OUT));
  assert_int_equal(kernel_check(&k, OUT, got, ELEM_FP32).wrong, 0);
  for (int i = 0; i < 256; i++) got[i] = (float)(i % 16) * 0x1p-143f;
  assert_int_equal(kernel_check(&k, OUT, got, ELEM_FP32).wrong, 0);
  got[7] += 0x1p-127f;
  got[0] = 0x1p-140f; // from zeros only
  assert_int_equal(kernel_check(&k, OUT, got, ELEM_FP32).wrong, 2);
  kernel_close(&k);
}

// A tensor core's sum. `step` terms at a time are aligned with the largest term, including the sum
// before them. They are cut off `bits` bits below its first bit. The result is cut off to fp32.
typedef struct TensorCore {
  const char *type, *attributes;
  Elem elem;
  uint32_t step;
  int bits;     // 0: fused multiply-adds in fp32, one after the other
  double input; // the multiplications' own error, relative
} TensorCore;

static const TensorCore CORES[] = {{"fp16", "", ELEM_FP16, 8, 24, 0},
                                   {"bf16", "", ELEM_BF16, 16, 24, 0},
                                   {"fp32", "{precision = \"tf32\"}", ELEM_FP32, 4, 24, 0x1p-10},
                                   {"fp8e4nv", "", ELEM_FP8E4NV, 32, 13, 0},
                                   {"fp8e5", "", ELEM_FP8E5, 32, 13, 0},
                                   {"fp32", "{precision = \"ieee\"}", ELEM_FP32, 1, 0, 0}};

static double cut_off(double x, int exponent) { return ldexp(trunc(ldexp(x, -exponent)), exponent); }

static int exponent_of(double x) {
  int exponent;
  frexp(x, &exponent);
  return exponent - 1; // of the first bit
}

static double sum_as_core(const TensorCore *core, double sum, const double *products, uint32_t n) {
  for (uint32_t k = 0; k < n; k += core->step) {
    if (!core->bits) {
      sum = (double)(float)(sum + products[k]); // rounded twice, which changes nothing of weight
      continue;
    }
    double largest = fabs(sum), next;
    for (uint32_t i = 0; i < core->step; i++) largest = fmax(largest, fabs(products[k + i]));
    int unit = exponent_of(largest) - core->bits;
    next = cut_off(sum, unit);
    for (uint32_t i = 0; i < core->step; i++) next += cut_off(products[k + i], unit);
    sum = next == 0 ? 0 : cut_off(next, exponent_of(next) - 23);
  }
  return sum;
}

// acc of size `scale`, data of both signs or of one. A tensor core's result is within the bound. A
// result with an error of four units of each term is not.
static void check_sums(const TensorCore *core, Form form, uint32_t depth, double scale, bool positive,
                       uint32_t seed) {
  Kernel k;
  Shape s = {1, 16, 16, depth};
  static double a[MOST], b[MOST], acc[MOST], terms[MOST];
  float got[256], far[256];
  open_form(&k, s, core->type, "fp32", core->attributes, form);
  k.random = seed;
  uint8_t *x = arena_alloc(&k.arena, MOST * 4), *y = arena_alloc(&k.arena, MOST * 4);
  uint32_t bytes = elem_bytes(core->elem), n = 16 * depth;
  for (uint32_t i = 0; i < 2 * n; i++) {
    double v = positive ? fabs((double)kernel_real(&k)) : (double)kernel_real(&k);
    uint64_t bits = number_encode(core->elem, v);
    number_store(core->elem, bits, (i < n ? x : y) + i % n * bytes);
    v = number_decode(core->elem, bits);
    (i < n ? a : b)[i % n] = core->input > 0 ? cut_off(v, exponent_of(v) - 10) : v;
  }
  float c[256];
  for (int i = 0; i < 256; i++) acc[i] = (double)(c[i] = (float)scale * (positive ? 1 : kernel_real(&k)));
  eval_memory_add(k.memory, X, x, n * bytes, true);
  eval_memory_add(k.memory, Y, y, n * bytes, true);
  eval_memory_add(k.memory, Z, c, sizeof c, true);
  kernel_output(&k, OUT, sizeof c);
  kernel_must_run(&k, RUN(&k, X, Y, Z, OUT));
  double unit = core->bits == 13 ? 0x1p-13 : 0x1p-24;
  for (uint32_t i = 0; i < 256; i++) {
    double size = fabs(acc[i]);
    for (uint32_t t = 0; t < depth; t++) size += fabs(terms[t] = a[i / 16 * depth + t] * b[t * 16 + i % 16]);
    got[i] = (float)sum_as_core(core, acc[i], terms, depth);
    far[i] = (float)((double)got[i] + size * (4 * depth * unit + 16 * core->input));
  }
  EvalCheck check = kernel_check(&k, OUT, got, ELEM_FP32);
  if (check.wrong || check.compared != 256)
    fail_msg("%s, form %d, depth %u, %g: %s", core->type, (int)form, depth, scale, check.first_message);
  check = kernel_check(&k, OUT, far, ELEM_FP32);
  if (check.wrong != 256)
    fail_msg("%s, form %d, depth %u, %g: %u of 256 wrong results pass", core->type, (int)form, depth, scale,
             256 - (uint32_t)check.wrong);
  kernel_close(&k);
}

TEST(test_large_accumulators) {
  static const double scales[] = {1, 1e3, 1e5};
  uint32_t seed = 1;
  for (size_t core = 0; core < sizeof CORES / sizeof CORES[0]; core++)
    for (int form = 0; form < FORMS; form++)
      for (uint32_t depth = 32; depth <= 256; depth *= 2)
        for (int i = 0; i < 6; i++)
          check_sums(&CORES[core], (Form)form, depth, scales[i % 3], i >= 3, seed++);
}

// A dot in a loop, as a matrix multiplication makes it: 16 steps of 128 x 128 x 64
// in well under a minute, sanitized.
TEST(test_large) {
  Kernel k;
  kernel_open(
      &k, "%out: *fp32",
      "%a = constant {fvalue = 0.5} : tile<128x64xfp16>\n%b = constant {fvalue = 3.0} : tile<64x128xfp16>\n"
      "%z = constant {fvalue = 0.0} : tile<128x128xfp32>\n%zero = constant {value = 0} : i32\n"
      "%one = constant {value = 1} : i32\n%n = constant {value = 16} : i32\n"
      "%r = for %zero, %n, %one, %z : tile<128x128xfp32> do (%i: i32, %c: tile<128x128xfp32>) {\n"
      "%d = dot %a, %b, %c : tile<128x128xfp32>\nyield %d\n}\n"
      "%s = slice %r {starts = [127, 127]} : tile<1x1xfp32>\n%f = reshape %s : tile<1xfp32>\n"
      "%w = reduce %f {axis = 0} : fp32 do (%p: fp32, %q: fp32) {\n%t = add %p, %q : fp32\nyield %t\n}\n"
      "store %out, %w\n");
  kernel_output(&k, OUT, 4);
  kernel_must_run(&k, RUN(&k, OUT));
  assert_true(kernel_value(&k, OUT, ELEM_FP32, 0) == 16 * 64 * 1.5);
  kernel_close(&k);
}

// Byte i of an operand or its scales: finite numbers. Scales of e8m0 are between 2^-8 and 2^7.
static uint8_t scaled_byte(uint32_t seed, uint32_t i, bool exponent) {
  uint32_t bits = (seed * 40503u + i * 2654435761u) >> 13 & 255;
  return (uint8_t)(exponent ? 119 + bits % 16 : bits & 0xbb);
}

static double e2m1(uint32_t bits) {
  static const double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  return magnitudes[bits & 7] * (bits & 8 ? -1 : 1);
}

// 4 x 8 of `bytes` along k. A scale is for `group` bytes.
static void check_scaled(bool pairs, const char *scale, uint32_t bytes, uint32_t group) {
  enum { M = 4, N = 8 };
  static const char LOAD[] =
      "%%i%s = arange {start = 0, end = %u} : tile<%uxi32>\n%%s%s = splat %%%s : tile<%ux*u8>\n"
      "%%p%s = addptr %%s%s, %%i%s : tile<%ux*u8>\n%%l%s = load %%p%s : tile<%uxu8>\n"
      "%%r%s = reshape %%l%s : tile<%ux%uxu8>\n%%t%s = bitcast %%r%s : tile<%ux%ux%s>\n";
  const struct {
    const char *name;
    uint64_t at;
    uint32_t rows, columns;
    bool scale;
  } in[] = {{"x", X, M, bytes, false},
            {"y", Y, bytes, N, false},
            {"v", Z, M, bytes / group, true},
            {"w", OUT2, N, bytes / group, true}};
  bool exponent = strcmp(scale, "u8") == 0;
  Buf body = {0};
  uint8_t data[4][1024];
  for (int j = 0; j < 4; j++) {
    const char *n = in[j].name, *type = in[j].scale ? scale : pairs ? "u8" : "fp8e4nv";
    uint32_t r = in[j].rows, c = in[j].columns, all = r * c;
    buf_printf(&body, LOAD, n, all, all, n, n, all, n, n, n, all, n, n, all, n, n, r, c, n, n, r, c, type);
    for (uint32_t i = 0; i < all; i++) {
      data[j][i] = scaled_byte((uint32_t)j, i, in[j].scale && exponent);
      if (pairs && !in[j].scale) data[j][i] = (uint8_t)(i * 37 + (uint32_t)j);
    }
  }
  buf_text(&body, "%no = constant {value = 0} : i1\n%z = constant {fvalue = 3} : tile<4x8xfp32>\n"
                  "%d = dot %tx, %ty, %z, %no, %tv, %tw : tile<4x8xfp32>\n%f = reshape %d : tile<32xfp32>\n"
                  "%i = arange {start = 0, end = 32} : tile<32xi32>\n%o = splat %out : tile<32x*fp32>\n"
                  "%q = addptr %o, %i : tile<32x*fp32>\nstore %q, %f\n");
  Kernel k;
  kernel_open(&k, "%x: *u8, %y: *u8, %v: *u8, %w: *u8, %out: *fp32", body.at);
  for (int j = 0; j < 4; j++) eval_memory_add(k.memory, in[j].at, data[j], in[j].rows * in[j].columns, true);
  kernel_output(&k, OUT, M * N * 4);
  kernel_must_run(&k, RUN(&k, X, Y, Z, OUT2, OUT));
  for (uint32_t i = 0; i < M * N; i++) {
    double sum = 3, size = 3;
    for (uint32_t b = 0; b < bytes; b++) {
      uint32_t g = b / group, v = data[2][i / N * (bytes / group) + g],
               w = data[3][i % N * (bytes / group) + g];
      double scales = exponent ? ldexp(1, (int)(v + w) - 254)
                               : fabs(number_decode(ELEM_FP8E4NV, v) * number_decode(ELEM_FP8E4NV, w));
      uint32_t x = data[0][i / N * bytes + b], y = data[1][b * N + i % N];
      for (int half = 0; half < (pairs ? 2 : 1); half++) {
        double a = pairs ? e2m1(x >> 4 * half) : number_decode(ELEM_FP8E4NV, x);
        double c = pairs ? e2m1(y >> 4 * half) : number_decode(ELEM_FP8E4NV, y);
        sum += a * c * scales;
        size += fabs(a * c * scales);
      }
    }
    if (!(fabs(kernel_value(&k, OUT, ELEM_FP32, i) - sum) <= size * 1e-6))
      fail_msg("%s, %u: %g", scale, i, sum);
  }
  kernel_close(&k);
  buf_free(&body);
}

static void test_scales(void **unused) {
  (void)unused;
  check_scaled(false, "u8", 64, 32);
  check_scaled(true, "u8", 32, 16);
  check_scaled(true, "fp8e4nv", 32, 8);
}

int suite_eval_dot(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_int_wraps),
      cmocka_unit_test(test_special),
      cmocka_unit_test(test_scales),
      cmocka_unit_test(test_extents),
      cmocka_unit_test(test_uncertain_elements),
      cmocka_unit_test(test_tf32_of_exact_inputs),
      cmocka_unit_test(test_tf32_of_subnormals),
      cmocka_unit_test(test_large_accumulators),
      cmocka_unit_test(test_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
