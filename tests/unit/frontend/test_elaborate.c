// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elaboration: the golden files of tests/golden/elaborate, entries, limits,
// values. Builtins: test_builtins.c.
#include "tests/unit/unit.h"
#include "frontend/frontend.h"
#include "eval/eval.h"
#include "tests/unit/elaborate_golden.h"

TEST(test_golden) { golden_folder("elaborate"); }

TEST(test_entries) {
  World *w = world_new();
  Str text = read_file(&w->arena, TESTS_DIR "/acceptance/elu.tile");
  uint16_t file = sources_add(&w->sources, "elu.tile", text);
  Module *module = syntax_parse(&w->arena, &w->ir.names, &w->diags, &w->sources, file, SYNTAX_TILE);
  KernelInfo *kernels;
  assert_int_equal(frontend_entries(&w->ir, module, NULL, &kernels), 1);
  assert_string_equal(kernels[0].name, "elu");
  assert_int_equal(kernels[0].param_count, 5);
  assert_true(kernels[0].has_grid);
  assert_true(kernels[0].params[3].has_default && kernels[0].params[3].default_value.f == 1.0);
  assert_true(kernels[0].params[4].is_constexpr && kernels[0].params[4].default_value.i == 1024);
  assert_null(frontend_kernel(&w->ir, module, NULL, "nothing"));
  world_free(w);
}

// The jit functions that others call are no entries.
TEST(test_jit_entries) {
  World *w = world_new();
  Str text = STR(
      "@triton.jit\ndef helper(x):\n    return x + 1\n\n@triton.jit\ndef piece(x):\n    return x * 2\n\n"
      "@triton.jit\ndef a(p: *i32):\n    b, c = [piece(i) for i in (1, 2)]\n    store(p, helper(b + c))\n");
  uint16_t file = sources_add(&w->sources, "jit.tile", text);
  Module *module = syntax_parse(&w->arena, &w->ir.names, &w->diags, &w->sources, file, SYNTAX_TILE);
  KernelInfo *kernels;
  assert_int_equal(frontend_entries(&w->ir, module, NULL, &kernels), 1);
  assert_string_equal(kernels[0].name, "a");
  assert_non_null(frontend_kernel(&w->ir, module, NULL, "helper"));
  world_free(w);
}

// Values from a caller are checked. An error that the entries gave before counts again.
TEST(test_spec) {
  World *w = world_new();
  const uint32_t shape[] = {16};
  ParamSpec param = {.name = "p", .type = type_tile(&w->ir, type_scalar(&w->ir, ELEM_FP32), 1, shape, NULL)};
  Spec spec = {.target = target_default(), .params = &param, .param_count = 1};
  IrModule *module;
  assert_null(elaborate(w, "spec.tile", STR("@kernel\ndef k(p):\n    store(p, 1.0)\n"), &spec, &module));
  assert_string_equal(w->diags.list.at[0]->message, "parameter 'p' cannot be of type tile<16xfp32>");
  world_free(w);

  w = world_new();
  Str text = STR("@kernel\ndef k(p: *fp23):\n    store(p, 1.0)\n");
  uint16_t file = sources_add(&w->sources, "again.tile", text);
  Module *syntax = syntax_parse(&w->arena, &w->ir.names, &w->diags, &w->sources, file, SYNTAX_TILE);
  KernelInfo *kernels;
  Spec none = {.target = target_default()};
  assert_int_equal(frontend_entries(&w->ir, syntax, NULL, &kernels), 1);
  module = module_new(&w->ir, &none.target);
  assert_null(frontend_elaborate(module, syntax, &none));
  assert_int_equal(w->diags.errors, 1);
  assert_int_equal(module->funcs.n, 0);
  world_free(w);
}

static bool elaborates(Str text) {
  World *w = world_new();
  Spec spec = {.target = target_default()};
  IrModule *module;
  Func *func = elaborate(w, "limit.tile", text, &spec, &module);
  bool done = func && module_verify(module, &w->diags);
  assert_true(func || w->diags.errors);
  world_free(w);
  return done;
}

// Deep and wide inputs end in an error or a kernel, never in a crash.
TEST(test_limits) {
  Buf deep = {0};
  buf_text(&deep, "@kernel\ndef k(p: *i32, n: i32):\n    store(p, n");
  for (int i = 0; i < 900; i++) buf_text(&deep, " + n");
  buf_text(&deep, ")\n");
  assert_true(elaborates(buf_view(&deep)));
  buf_reset(&deep);
  for (int i = 0; i < 60; i++)
    buf_printf(&deep, "@jit\ndef f%d(x):\n    return f%d(x) + f%d(x)\n\n", i, i + 1, i + 1);
  buf_text(&deep,
           "@jit\ndef f60(x):\n    return x\n\n@kernel\ndef k(p: *i32, n: i32):\n    store(p, f0(n))\n");
  assert_false(elaborates(buf_view(&deep)));
  buf_reset(&deep);
  for (int f = 0; f < 8; f++) {
    buf_printf(&deep, "@jit\ndef g%d(x):\n    return g%d(x", f, f + 1);
    for (int i = 0; i < 300; i++) buf_text(&deep, " + x");
    buf_text(&deep, ")\n\n");
  }
  buf_text(
      &deep,
      "@jit\ndef g8(x):\n    return x\n\n@kernel\ndef k(p: *i32, n: i32):\n    y = g0(n)\n    store(p, ");
  for (int i = 0; i < 400; i++) buf_text(&deep, "-");
  buf_text(&deep, "y)\n");
  elaborates(buf_view(&deep));
  buf_free(&deep);
}

static const char values_text[] = "@kernel\n@grid(cdiv(a, 3) - cdiv(a, 3) + 2)\n"
                                  "def k(p: *i64, a: i32, b: i32, u: u32, s: i8, f: fp32):\n"
                                  "    i = arange(0, 4)\n"
                                  "    store(p + i, a + i)\n"
                                  "    store(p + 4, a + b)\n"
                                  "    store(p + 5, a * b)\n"
                                  "    store(p + 6, a // b)\n"
                                  "    store(p + 7, a % b)\n"
                                  "    store(p + 8, a + u)\n"
                                  "    store(p + 9, u > a)\n"
                                  "    store(p + 10, s + 1)\n"
                                  "    store(p + 11, s + a)\n"
                                  "    store(p + 12, a / 2)\n"
                                  "    store(p + 13, -7 // 2)\n"
                                  "    store(p + 14, s >> 1)\n"
                                  "    store(p + 15, u >> 1)\n"
                                  "    store(p + 16, (f * a).to(i32))\n"
                                  "    store(p + 17, abs(s))\n"
                                  "    store(p + 18, a < b < 100)\n"
                                  "    store(p + 19, not a)\n"
                                  "    store(p + 20, ~a)\n"
                                  "    store(p + 21, 5 if a > b else 6)\n"
                                  "    t = 0\n"
                                  "    for j in range(10):\n"
                                  "        if j % 3 == 0:\n"
                                  "            t += j\n"
                                  "        else:\n"
                                  "            t -= a\n"
                                  "    store(p + 22, t)\n"
                                  "    store(p + 23, max(a, b, 3))\n";

enum { VALUES = 24 };

// C's results for each of them.
static void expect_values(int32_t a, int32_t b, uint32_t u, int8_t s, float f, int64_t expected[VALUES]) {
  int32_t t = 0;
  for (int32_t j = 0; j < 10; j++) t += j % 3 == 0 ? j : -a;
  int32_t top = a > b ? a : b, n = 0;
  for (; n < 4; n++) expected[n] = a + n;
  expected[n++] = a + b;
  expected[n++] = a * b;
  expected[n++] = a / b;
  expected[n++] = a % b;
  expected[n++] = (uint32_t)a + u;
  expected[n++] = u > (uint32_t)a;
  expected[n++] = (int8_t)(s + 1);
  expected[n++] = s + a;
  expected[n++] = (int64_t)((float)a / 2);
  expected[n++] = -4;
  expected[n++] = s >> 1;
  expected[n++] = u >> 1;
  expected[n++] = (int32_t)(f * (float)a);
  expected[n++] = (int8_t)(s < 0 ? -s : s);
  expected[n++] = a < b && b < 100;
  expected[n++] = !a;
  expected[n++] = ~a;
  expected[n++] = a > b ? 5 : 6;
  expected[n++] = t;
  expected[n++] = top > 3 ? top : 3;
  assert_int_equal(n, VALUES);
}

// Runs the expressions, each stored as i64, on a (i32), b (i32), u (u32), s (i8), f (fp32)
// and compares with what C gives.
static void check_values(int32_t a, int32_t b, uint32_t u, int8_t s, float f) {
  int64_t expected[VALUES];
  expect_values(a, b, u, s, f, expected);
  World *w = world_new();
  Spec spec = {.target = target_default()};
  IrModule *module;
  Func *func = elaborate(w, "values.tile", str_from(values_text), &spec, &module);
  assert_non_null(func);
  int64_t zeros[VALUES] = {0};
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  EvalArg args[] = {{0x1000}, {(uint64_t)(int64_t)a}, {(uint64_t)(int64_t)b},
                    {u},      {(uint64_t)(int64_t)s}, {bits}};
  uint32_t grid[3];
  assert_true(eval_grid(func, args, grid));
  assert_int_equal(grid[0], 2);
  grid[0] = 1;
  EvalMemory *memory = eval_memory_new(&w->arena);
  eval_memory_add(memory, 0x1000, zeros, sizeof zeros, true);
  EvalOptions options = {0};
  assert_true(eval_launch(func, grid, args, memory, &options));
  int64_t got[VALUES];
  memcpy(got, eval_memory_bytes(memory, 0x1000), sizeof got);
  for (int i = 0; i < VALUES; i++)
    if (got[i] != expected[i]) print_error("element %d\n", i), assert_int_equal(got[i], expected[i]);
  world_free(w);
}

TEST(test_values) {
  check_values(17, 5, 3, -7, 1.5f);
  check_values(-17, 5, 0xfffffff0u, 127, -2.25f);
  check_values(0, -3, 7, -128, 0.5f);
}

WHOLE_SUITE(elaborate)
