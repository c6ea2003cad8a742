// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The builtins: the golden files of tests/golden/builtins, and what kernels of them compute.
#include "tests/unit/unit.h"
#include "frontend/elaborate/elaborate.h"
#include "frontend/frontend.h"
#include "eval/eval.h"
#include "tests/unit/elaborate_golden.h"

#include <math.h>

TEST(test_golden) { golden_folder("builtins"); }

// --- Values ---

enum { RESULTS = 32, OUT = 0x10000, IN = 0x20000, INTS = 0x30000, SCRATCH = 0x40000 };

static const float floats[16] = {1.5f, -2.25f, 0.5f, 3.0f, -0.75f, 8.0f,  0.0f,  -4.0f,
                                 2.0f, 3.0f,   1.0f, 7.5f, -1.5f,  0.25f, -6.0f, 8.0f};
static const int32_t ints[16] = {3, -7, 12, 0, 5, 5, -1, 9, 100, -100, 2, 1, 8, -8, 6, 4};

static void check_near(const char *body, const double *got, const double *expected, size_t n) {
  for (size_t i = 0; i < n; i++) {
    double allowed = fabs(expected[i]) * 1e-6;
    bool same =
        isnan(expected[i]) ? isnan(got[i]) : got[i] == expected[i] || fabs(got[i] - expected[i]) <= allowed;
    if (!same) fail_msg("out[%zu] is %.17g, not %.17g, of:\n%s", i, got[i], expected[i], body);
  }
}

// Runs the statements of `body` (indented by four), and compares out[0], out[1], ... with
// `expected`. They see x = floats[i], n = ints[i], i = arange(0, 16), and s, 16 words of zeros.
static void check(const char *functions, const char *body, const double *expected, size_t count) {
  World *w = world_new();
  const char *text =
      arena_printf(&w->arena,
                   "import triton.language as tl\nfrom triton.language.extra import libdevice\n\n%s\n"
                   "@kernel\ndef k(out: *fp64, p: *fp32, q: *i32, s: *i32):\n    i = tl.arange(0, 16)\n"
                   "    x = tl.load(p + i)\n    n = tl.load(q + i)\n%s",
                   functions, body);
  Spec spec = {.kernel = ir_name(&w->ir, STR("k")), .target = target_default()};
  IrModule *module;
  Func *func = elaborate(w, "values.tile", str_from(text), &spec, &module);
  bool good = func && module_verify(module, &w->diags);
  double out[RESULTS] = {0};
  int32_t scratch[16] = {0};
  EvalArg args[] = {{OUT}, {IN}, {INTS}, {SCRATCH}};
  uint32_t grid[3] = {1, 1, 1};
  EvalMemory *memory = eval_memory_new(&w->arena);
  eval_memory_add(memory, OUT, out, sizeof out, true);
  eval_memory_add(memory, IN, floats, sizeof floats, true);
  eval_memory_add(memory, INTS, ints, sizeof ints, true);
  eval_memory_add(memory, SCRATCH, scratch, sizeof scratch, true);
  good = good && eval_launch(func, grid, args, memory, &(EvalOptions){0});
  if (!good) {
    Buf message = {0};
    diags_print_text(&w->diags, true, &message);
    fail_msg("%s", message.at ? message.at : "no message");
  }
  memcpy(out, eval_memory_bytes(memory, OUT), sizeof out);
  check_near(body, out, expected, count);
  world_free(w);
}

#define CHECK(functions, body, ...)                                                                          \
  check(functions, body, (const double[]){__VA_ARGS__},                                                      \
        sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

TEST(test_reductions) {
  CHECK(
      "",
      "    tl.store(out, tl.sum(x))\n    tl.store(out + 1, tl.max(x, 0))\n    tl.store(out + 2, tl.min(x))\n"
      "    tl.store(out + 3, tl.argmax(x, 0))\n    tl.store(out + 4, tl.argmax(x, 0, tie_break_left=False))\n"
      "    v, at = tl.min(n, 0, return_indices=True)\n    tl.store(out + 5, v)\n    tl.store(out + 6, at)\n"
      "    tl.store(out + 7, tl.sum(n > 0))\n    tl.store(out + 8, tl.xor_sum(n, 0))\n",
      20.25, 8, -6, 5, 15, -100, 9, 11, 3 ^ -7 ^ 12 ^ 5 ^ 5 ^ -1 ^ 9 ^ 100 ^ -100 ^ 2 ^ 1 ^ 8 ^ -8 ^ 6 ^ 4);
  CHECK("",
        "    m = tl.reshape(n, (4, 4))\n    tl.store(out + tl.arange(0, 4), tl.sum(m, 1))\n"
        "    tl.store(out + 4 + tl.arange(0, 4), tl.max(m, axis=-2))\n"
        "    tl.store(out + 8 + tl.arange(0, 4)[:, None], tl.min(m, 1, keep_dims=True))\n",
        8, 18, 3, 10, 100, 5, 12, 9, -7, -1, -100, -8);
  CHECK("@jit\ndef first(a, b):\n    return a\n", "    tl.store(out, tl.reduce(n, 0, first))\n", 3);
  CHECK("@jit\ndef both(a, b, c, d):\n    return a + c, tl.maximum(b, d)\n",
        "    a, b = tl.reduce((n, x), 0, both)\n    tl.store(out, a)\n    tl.store(out + 1, b)\n", 39, 8);
}

TEST(test_scans) {
  CHECK("", "    tl.store(out + i, tl.cumsum(n, 0))\n", 3, -4, 8, 8, 13, 18, 17, 26, 126, 26, 28, 29, 37, 29,
        35, 39);
  CHECK(
      "",
      "    m = tl.reshape(n, (4, 4))\n    tl.store(out + i, tl.ravel(tl.cumsum(m, axis=1, reverse=True)))\n",
      8, 5, 12, 0, 18, 13, 8, 9, 3, -97, 3, 1, 10, 2, 10, 4);
  CHECK("@jit\ndef keep(a, b):\n    return tl.where(b == 5, a, b)\n",
        "    tl.store(out + i, tl.associative_scan(n, 0, keep))\n", 3, -7, 12, 0, 0, 0, -1, 9, 100, -100, 2,
        1, 8, -8, 6, 4);
  CHECK("", "    tl.store(out + tl.arange(0, 4), tl.cumprod(tl.arange(1, 5), 0))\n", 1, 2, 6, 24);
}

// Also with 16 bits: powers of two toward 0, and away from it.
TEST(test_next_narrow) {
  CHECK("",
        "    a = (i * 0x400).to(tl.int16).to(tl.float16, bitcast=True)\n"
        "    tl.store(out + i, libdevice.nextafter(a, 0.0).to(tl.int16, bitcast=True))\n"
        "    a = (i * 0x80).to(tl.int16).to(tl.bfloat16, bitcast=True)\n"
        "    tl.store(out + 16 + i, libdevice.nextafter(a, float('inf')).to(tl.int16, bitcast=True))\n",
        0, 1023, 2047, 3071, 4095, 5119, 6143, 7167, 8191, 9215, 10239, 11263, 12287, 13311, 14335, 15359, 1,
        129, 257, 385, 513, 641, 769, 897, 1025, 1153, 1281, 1409, 1537, 1665, 1793, 1921);
  CHECK("",
        "    big = (i[0:2] * 0x400 + 0x7bff).to(tl.int16).to(tl.float16, bitcast=True)\n"
        "    tl.store(out + tl.arange(0, 2), libdevice.nextafter(big, float('inf')))\n"
        "    inf = tl.full([1], float('-inf'), tl.float16)\n"
        "    tl.store(out + 2 + tl.arange(0, 1), libdevice.nextafter(inf, 0.0))\n"
        "    tl.store(out + 3 + tl.arange(0, 1), libdevice.nextafter(inf * 0, -1.0))\n"
        "    tl.store(out + 4 + tl.arange(0, 1), libdevice.nextafter(-x[6:7].to(tl.bfloat16), -1.0))\n",
        (double)INFINITY, NAN, -65504, NAN, -0x1p-133);
}

TEST(test_functions) {
  CHECK("",
        "    y = x[0:4]\n    o = out + tl.arange(0, 4)\n    tl.store(o, tl.sigmoid(y))\n"
        "    tl.store(o + 4, tl.clamp(y, -1.0, 2.0))\n    tl.store(o + 8, libdevice.fdim(y, 1.0))\n"
        "    tl.store(o + 12, libdevice.saturatef(y))\n    tl.store(o + 16, libdevice.pow(y, 2))\n"
        "    tl.store(o + 20, tl.fma(y, 2.0, 1.0))\n    tl.store(o + 24, libdevice.float2int_rn(y))\n"
        "    tl.store(o + 28, libdevice.float2int_ru(y))\n",
        1 / (1 + exp(-1.5)), 1 / (1 + exp(2.25)), 1 / (1 + exp(-0.5)), 1 / (1 + exp(-3.0)), 1.5, -1, 0.5, 2,
        0.5, 0, 0, 2, 1, 0, 0.5, 1, 2.25, 5.0625, 0.25, 9, 4, -3.5, 2, 7, 2, -2, 0, 3, 2, -2, 1, 3);
  CHECK("",
        "    y = n[0:4]\n    o = out + tl.arange(0, 4)\n    tl.store(o, libdevice.popc(y))\n"
        "    tl.store(o + 4, libdevice.clz(y))\n    tl.store(o + 8, libdevice.ffs(y))\n"
        "    tl.store(o + 12, tl.umulhi(y, y))\n    tl.store(o + 16, libdevice.mulhi(y, y))\n"
        "    tl.store(o + 20, tl.abs(y))\n    tl.store(o + 24, libdevice.ffs(y.to(tl.int64) << 40))\n",
        2, 30, 2, 0, 30, 0, 28, 32, 1, 1, 3, 0, 0, -14, 0, 0, 0, 0, 0, 0, 3, 7, 12, 0, 41, 41, 43, 0);
  CHECK("", "    tl.store(out + i, tl.softmax(x[0:4]).sum())\n    tl.store(out, tl.softmax(x)[1:2].item())\n",
        exp(-10.25) / (exp(-6.5) + exp(-10.25) + exp(-7.5) + exp(-5) + exp(-8.75) + 1 + exp(-8) + exp(-12) +
                       exp(-6) + exp(-5) + exp(-7) + exp(-0.5) + exp(-9.5) + exp(-7.75) + exp(-14) + 1),
        1);
  CHECK(
      "",
      "    tl.store(out, (1.0 + 0.0009765625 + 0.0008).to(tl.float16, fp_downcast_rounding='rtz') if False "
      "else 1.0)\n"
      "    y = tl.full([1], 1.0017, tl.float32)\n    o = out + tl.arange(0, 1)\n"
      "    tl.store(o, y.to(tl.float16))\n    tl.store(o + 1, y.to(tl.float16, fp_downcast_rounding='rtz'))\n"
      "    tl.store(o + 2, (-y).to(tl.float16, fp_downcast_rounding='rtz'))\n"
      "    tl.store(o + 3, (y * 1e6).to(tl.float16, fp_downcast_rounding='rtz'))\n",
      1.001953125, 1.0009765625, -1.0009765625, 65504);
}

TEST(test_shapes) {
  CHECK("", "    m = tl.reshape(i, (2, 8))\n    tl.store(out + i, tl.ravel(tl.trans(m)))\n", 0, 8, 1, 9, 2,
        10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
  CHECK("",
        "    a, b = tl.split(tl.reshape(i, (8, 2)))\n    tl.store(out + i, tl.interleave(b, a))\n"
        "    tl.store(out + 16 + i, tl.cat(b, a))\n",
        1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14, 1, 3, 5, 7, 9, 11, 13, 15, 0, 2, 4, 6, 8, 10,
        12, 14);
  CHECK("", "    tl.store(out + i, tl.gather(n, 15 - i, 0))\n", 4, 6, -8, 8, 1, 2, -100, 100, 9, -1, 5, 5, 0,
        12, -7, 3);
  CHECK("",
        "    tl.store(out + i, tl.flip(tl.sort(n)))\n    tl.store(out + 16 + tl.arange(0, 8), "
        "tl.histogram(n, 8, mask=i > 4))\n",
        100, 12, 9, 8, 6, 5, 5, 4, 3, 2, 1, 0, -1, -7, -8, -100, 0, 1, 1, 0, 1, 1, 1, 0);
  CHECK("@jit\ndef pick(a, b):\n    if a > b:\n        return a\n    return b + 0.5\n",
        "    tl.store(out + tl.arange(0, 4), tl.map_elementwise(pick, x[0:4], 0.0))\n", 1.5, 0.5, 0.5, 3);
  CHECK("",
        "    a = tl.reshape(n, (4, 4)).to(tl.float32)\n    c = tl.dot(a, tl.trans(a), tl.full((4, 4), 1.0, "
        "tl.float32))\n"
        "    tl.store(out + i, tl.ravel(c))\n",
        203, -31, 1025, 153, -31, 133, 8, 31, 1025, 8, 20006, 1617, 153, 31, 1617, 181);
}

TEST(test_memory) {
  CHECK("",
        "    tl.atomic_add(s, tl.sum(n))\n    tl.atomic_max(s + 1, 7)\n    tl.atomic_add(s + 2 + i * 0, i, "
        "mask=i > 2)\n"
        "    old = tl.atomic_xchg(s, 5)\n    tl.debug_barrier()\n    again = tl.atomic_cas(s, 5, 6)\n"
        "    tl.store(out, old)\n    tl.store(out + 1, again)\n    tl.debug_barrier()\n    tl.store(out + 2 "
        "+ tl.arange(0, 4), tl.load(s + tl.arange(0, 4)))\n",
        39, 5, 6, 7, 117, 0);
  CHECK("",
        "    f = s.to(tl.pointer_type(tl.float32))\n    tl.atomic_max(f + i, x)\n    tl.atomic_min(f + i, x "
        "* 0.5, mask=i > 0)\n"
        "    tl.debug_barrier()\n    tl.store(out + i, tl.load(f + i))\n",
        1.5, -1.125, 0.25, 1.5, -0.375, 4, 0, -2, 1, 1.5, 0.5, 3.75, -0.75, 0.125, -3, 4);
  CHECK("",
        "    b = tl.make_block_ptr(q, (3, 3), (4, 1), (2, 1), (2, 4), (1, 0))\n"
        "    y = tl.load(b, boundary_check=(0, 1), padding_option='zero')\n    b = tl.advance(b, (-1, -1))\n"
        "    z = tl.load(b, boundary_check=(0, 1), padding_option='zero')\n"
        "    tl.store(out + tl.arange(0, 8), tl.ravel(y))\n    tl.store(out + 8 + tl.arange(0, 8), "
        "tl.ravel(z))\n"
        "    d = tl.make_tensor_descriptor(s, [4, 4], [4, 1], [2, 4])\n    d.store([1, 2], z)\n"
        "    tl.debug_barrier()\n    tl.store(out + 16 + i, tl.load(s + i))\n",
        -100, 2, 0, 0, 0, 0, 0, 0, 5, 5, -1, 0, 100, -100, 2, 0, 0, 0, 0, 0, 0, 0, 5, 5, 0, 0, 100, -100, 0,
        0, 0, 0);
}

// The known answers of Random123 for Philox 4x32-10 and 4x64-10.
TEST(test_philox) {
  CHECK("",
        "    z = tl.full([1], 0, tl.uint32)\n    o = out + tl.arange(0, 1)\n    a, b, c, d = tl.philox(0, z, "
        "z, z, z)\n"
        "    tl.store(o, a)\n    tl.store(o + 1, b)\n    tl.store(o + 2, c)\n    tl.store(o + 3, d)\n"
        "    f = z - 1\n    a, b, c, d = tl.philox(-1, f, f, f, f)\n"
        "    tl.store(o + 4, a)\n    tl.store(o + 5, b)\n    tl.store(o + 6, c)\n    tl.store(o + 7, d)\n"
        "    a, b, c, d = tl.philox(0x299f31d0a4093822, z + 0x243f6a88, z + 0x85a308d3, z + 0x13198a2e, z + "
        "0x03707344)\n"
        "    tl.store(o + 8, a)\n    tl.store(o + 9, b)\n    tl.store(o + 10, c)\n    tl.store(o + 11, d)\n"
        "    a, b, c, d = tl.randint4x(0x299f31d0a4093822, 0x85a308d3243f6a88)\n"
        "    tl.store(out + 12, tl.rand(0, 0))\n    tl.store(out + 13, tl.randint(0, 0))\n",
        0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd,
        0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1, 0x6627e8d5 * 4.6566127342e-10, 0x6627e8d5);
  CHECK("",
        "    z = tl.full([1], 0, tl.uint64)\n    o = out + tl.arange(0, 1)\n    a, b, c, d = tl.philox(0, z, "
        "z, z, z)\n"
        "    tl.store(o, (a >> 32))\n    tl.store(o + 1, a & 0xffffffff)\n    tl.store(o + 2, b >> 32)\n    "
        "tl.store(o + 3, d & 0xffffffff)\n",
        0x16554d9e, 0xca36314c, 0xdb20fe9d, 0xec7ba23b);
}

// --- Random calls ---

static uint32_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

// Arguments for random calls: the names are the kernel's.
static const char *const random_arguments[] = {
    "x",
    "x",
    "m",
    "n",
    "n[0:1]",
    "p",
    "p + i",
    "b",
    "d",
    "d2",
    "h",
    "e",
    "f8",
    "i",
    "u",
    "0",
    "1",
    "-1",
    "2.5",
    "16",
    "None",
    "True",
    "'zero'",
    "(0, 1)",
    "(4, 4)",
    "(16,)",
    "[x, x]",
    "tl.float16",
    "c3",
    "tl.i64",
    "combine",
    "tl.cdiv",
    "'=r,r'",
    "()",
    "((),)",
    "1 << 40",
    "m[:, :, None]",
    "t",
    "i > 3",
    "'ALL'",
    "1e300",
    "tl.exp",
    "[n[0:1]]",
    "float('nan')",
    "18446744073709551615",
    "q",
};

// A call of the builtin with some of its arguments right and some wrong.
static void random_call(const Builtin *builtin, uint64_t *state, Buf *out) {
  const char *params = builtin->params;
  const char *self = builtin->scope == SCOPE_METHOD       ? "x."
                     : builtin->scope == SCOPE_DESCRIPTOR ? next_random(state) % 2 ? "d." : "d2."
                     : builtin->scope == SCOPE_TYPE       ? next_random(state) % 2 ? "tl.uint16." : "p.dtype."
                                                          : NULL;
  bool method = self != NULL;
  buf_printf(out, "    %s%s(",
             self                        ? self
             : builtin->scope & SCOPE_TL ? "tl."
             : builtin->scope & SCOPE_PY ? ""
                                         : "libdevice.",
             builtin->name);
  bool first = true;
  while (*params) {
    size_t n = strcspn(params, " ");
    bool optional = params[n - 1] == '?', rest = params[0] == '*';
    const char *value =
        random_arguments[next_random(state) % (sizeof random_arguments / sizeof *random_arguments)];
    if ((!optional && !rest && !(method && first)) || next_random(state) % 4 == 0) {
      if (optional) buf_printf(out, "%.*s=", (int)(n - 1), params);
      buf_printf(out, "%s, ", value);
    }
    first = false;
    params += n + (params[n] == ' ');
  }
  buf_text(out, ")\n");
}

// Whatever a builtin is called with, an error is given or the module verifies.
TEST(test_random_calls) {
  static const char prologue[] =
      "import triton.language as tl\nfrom triton.language.extra import libdevice\n\n"
      "@jit\ndef combine(a, b):\n    return a + b\n\n"
      "@kernel\ndef k(p: *fp32, q: *i8, c3: i64, h0: *fp16, e0: *fp8e5):\n    i = tl.arange(0, 16)\n"
      "    x = tl.load(p + i)\n    n = i * 3\n    m = tl.reshape(x, (4, 4))\n    u = i.to(tl.uint64)\n    t "
      "= i > 2\n"
      "    h = tl.load(h0 + i)\n    e = tl.load(e0 + m.to(tl.int32))\n    f8 = tl.load(e0)\n"
      "    b = tl.make_block_ptr(p, (16, 16), (16, 1), (0, 0), (4, 4), (1, 0))\n"
      "    d = tl.make_tensor_descriptor(h0, [16], [1], [16])\n"
      "    d2 = tl.make_tensor_descriptor(h0, [16, 16], [16, 1], [1, 16])\n";
  const char *seed = getenv("RANDOM_CALLS_SEED"); // for searches; the test's own is fixed
  uint64_t random = seed ? strtoull(seed, NULL, 10) : 7;
  uint32_t accepted = 0;
  for (uint32_t at = 0; at < builtin_count; at++)
    for (uint32_t i = 0; builtin_table[at].run && i < 24; i++) {
      World *w = world_new();
      Buf text = {0};
      buf_text(&text, prologue);
      random_call(&builtin_table[at], &random, &text);
      Spec spec = {.target = target_default()};
      IrModule *module;
      Func *func = elaborate(w, "random.tile", buf_view(&text), &spec, &module);
      bool good = func ? module_verify(module, &w->diags) : w->diags.errors > 0;
      if (!good) {
        Buf message = {0};
        diags_print_text(&w->diags, true, &message);
        fail_msg("%s\n%s", text.at, message.at ? message.at : "no message");
      }
      accepted += func != NULL;
      buf_free(&text);
      world_free(w);
    }
  assert_true(accepted > builtin_count);
}

WHOLE_SUITE(builtins)
