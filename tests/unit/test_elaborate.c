// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elaboration, by golden files. tests/golden/elaborate/NAME.tile begins with a line
//   # spec: [file=PATH] [kernel=NAME] [-D NAME=VALUE]... [PARAM=[TYPE][:16][:1] | PARAM=None]...
// and has NAME.tir (the module, without locations) or NAME.err (the diagnostics, remarks too) beside it;
// BLESS=1 rewrites them. file=PATH, relative to tests/, elaborates that file instead.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "frontend/frontend.h"
#include "ir/eval.h"
#include "ir/print.h"
#include "ir/verify.h"

typedef struct World {
  Arena arena;
  Sources sources;
  Diags diags;
  IrContext ir;
} World;

static World *world_new(void) {
  World *w = calloc(1, sizeof *w);
  assert_non_null(w);
  w->sources.arena = w->diags.arena = &w->arena;
  w->diags.sources = &w->sources;
  ir_context_init(&w->ir, &w->arena, &w->sources, &w->diags);
  return w;
}

static void world_free(World *w) {
  arena_free(&w->arena);
  free(w);
}

static Str read_file(Arena *arena, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return (Str){0};
  char *text = arena_alloc(arena, 1 << 18);
  size_t n = fread(text, 1, (1 << 18) - 1, file);
  fclose(file);
  return (Str){text, n};
}

static const char *name_of(World *w, const char *text, size_t n) { return ir_name(&w->ir, (Str){text, n}); }

static void read_facts(World *w, const char *text, ParamSpec *param) {
  while (*text) {
    size_t n = strcspn(text, ":");
    Str part = {text, n};
    ConstValue value;
    if (str_is(part, "16"))
      param->facts.divisible16 = true;
    else if (str_is(part, "1"))
      param->facts.equal1 = true;
    else if (str_is(part, "None"))
      param->facts.none = true;
    else if (n) {
      assert_true(const_parse(&w->ir, part, &value));
      assert_int_equal(value.kind, CONST_DTYPE);
      param->type = value.type;
    }
    text += n + (text[n] == ':');
  }
}

static void add_param(World *w, Spec *spec, const char *word, const char *equals) {
  ParamSpec param = {.name = name_of(w, word, (size_t)(equals - word))};
  read_facts(w, equals + 1, &param);
  spec->params[spec->param_count++] = param;
}

static void add_constexpr(World *w, Spec *spec, const char *word) {
  const char *equals = strchr(word, '=');
  assert_non_null(equals);
  Constexpr constexpr = {.name = name_of(w, word, (size_t)(equals - word))};
  assert_true(const_parse(&w->ir, str_from(equals + 1), &constexpr.value));
  spec->constexprs[spec->constexpr_count++] = constexpr;
}

// The first line's specification; returns the file to elaborate where it names one.
static const char *read_spec(World *w, Str text, Spec *spec) {
  const char *newline = memchr(text.at, '\n', text.n), *file = NULL;
  assert_true(newline && str_starts(text, "# spec:"));
  char *line = arena_copy(&w->arena, (Str){text.at + 7, (size_t)(newline - text.at) - 7});
  *spec = (Spec){.target = target_default()};
  spec->params = ARENA_ARRAY(&w->arena, ParamSpec, 64);
  spec->constexprs = ARENA_ARRAY(&w->arena, Constexpr, 64);
  bool define = false;
  for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
    const char *equals = strchr(word, '=');
    if (define)
      add_constexpr(w, spec, word);
    else if (str_starts(str_from(word), "kernel="))
      spec->kernel = name_of(w, equals + 1, strlen(equals + 1));
    else if (str_starts(str_from(word), "file="))
      file = equals + 1;
    else if (strcmp(word, "-D") != 0)
      add_param(w, spec, word, equals);
    define = strcmp(word, "-D") == 0;
  }
  return file;
}

static Func *elaborate(World *w, const char *name, Str text, const Spec *spec, IrModule **out) {
  uint16_t file = sources_add(&w->sources, name, text);
  Module *module = syntax_parse(&w->arena, &w->ir.names, &w->diags, &w->sources, file, syntax_mode_of(name));
  *out = module_new(&w->ir, &spec->target);
  return w->diags.errors ? NULL : frontend_elaborate(*out, module, spec);
}

static void compare(const char *path, Str got) {
  Arena arena = {0};
  if (getenv("BLESS")) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(got.at, 1, got.n, file);
    fclose(file);
  }
  Str expected = read_file(&arena, path);
  if (!expected.at || !str_eq(expected, got)) {
    print_error("%s differs (BLESS=1 rewrites it); got:\n%.*s\n", path, STR_ARG(got));
    arena_free(&arena);
    fail();
  }
  arena_free(&arena);
}

static void golden(const char *stem) {
  World *w = world_new();
  const char *dir = TESTS_DIR "/golden/elaborate";
  const char *base = arena_printf(&w->arena, "%s/%s", dir, stem);
  Str text = read_file(&w->arena, arena_printf(&w->arena, "%s.tile", base));
  Spec spec;
  const char *other = read_spec(w, text, &spec), *name = arena_printf(&w->arena, "%s.tile", stem);
  if (other) {
    text = read_file(&w->arena, arena_printf(&w->arena, "%s/%s", TESTS_DIR, other));
    name = other;
  }
  assert_non_null(text.at);
  IrModule *module;
  Buf out = {0};
  Func *func = elaborate(w, name, text, &spec, &module);
  const char *suffix = func ? "tir" : "err";
  if (func) {
    if (!module_verify(module, &w->diags)) {
      diags_print_text(&w->diags, false, &out);
      print_error("%s does not verify:\n%s", stem, out.at);
      fail();
    }
    if (w->diags.list.n) diags_print_text(&w->diags, true, &out);
    PrintOptions options = {.no_locs = true};
    module_print(module, &options, &out);
  } else {
    assert_true(w->diags.errors > 0);
    diags_print_text(&w->diags, true, &out);
  }
  compare(arena_printf(&w->arena, "%s.%s", base, suffix), buf_view(&out));
  buf_free(&out);
  world_free(w);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void test_golden(void **state) {
  (void)state;
  char *stems[512];
  size_t n = 0;
  DIR *dir = opendir(TESTS_DIR "/golden/elaborate");
  assert_non_null(dir);
  for (struct dirent *entry; (entry = readdir(dir)) && n < 512;) {
    char *dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".tile") != 0) continue;
    stems[n] = calloc(1, strlen(entry->d_name) + 1);
    memcpy(stems[n++], entry->d_name, (size_t)(dot - entry->d_name));
  }
  closedir(dir);
  qsort(stems, n, sizeof *stems, by_name);
  assert_true(n > 10);
  for (size_t i = 0; i < n; i++) {
    golden(stems[i]);
    free(stems[i]);
  }
}

static void test_entries(void **state) {
  (void)state;
  World *w = world_new();
  Str text = read_file(&w->arena, TESTS_DIR "/acceptance/elu.tile");
  uint16_t file = sources_add(&w->sources, "elu.tile", text);
  Module *module = syntax_parse(&w->arena, &w->ir.names, &w->diags, &w->sources, file, SYNTAX_TILE);
  KernelInfo *kernels;
  assert_int_equal(frontend_entries(&w->ir, module, &kernels), 1);
  assert_string_equal(kernels[0].name, "elu");
  assert_int_equal(kernels[0].param_count, 5);
  assert_true(kernels[0].has_grid);
  assert_true(kernels[0].params[3].has_default && kernels[0].params[3].default_value.f == 1.0);
  assert_true(kernels[0].params[4].is_constexpr && kernels[0].params[4].default_value.i == 1024);
  assert_null(frontend_kernel(&w->ir, module, "nothing"));
  world_free(w);
}

// The jit functions that others call are no entries.
static void test_jit_entries(void **state) {
  (void)state;
  World *w = world_new();
  Str text = STR("@triton.jit\ndef helper(x):\n    return x + 1\n\n@triton.jit\ndef a(p: *i32):\n    "
                 "store(p, helper(1))\n");
  uint16_t file = sources_add(&w->sources, "jit.tile", text);
  Module *module = syntax_parse(&w->arena, &w->ir.names, &w->diags, &w->sources, file, SYNTAX_TILE);
  KernelInfo *kernels;
  assert_int_equal(frontend_entries(&w->ir, module, &kernels), 1);
  assert_string_equal(kernels[0].name, "a");
  assert_non_null(frontend_kernel(&w->ir, module, "helper"));
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
static void test_limits(void **state) {
  (void)state;
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

// Runs `expressions`, each stored as i64, on a (i32), b (i32), u (u32), s (i8), f (fp32) and compares with
// what C gives.
static void check_values(int32_t a, int32_t b, uint32_t u, int8_t s, float f) {
  static const char text[] =
      "@kernel\n@grid(cdiv(a, 3) - cdiv(a, 3) + 2)\n"
      "def k(p: *i64, a: i32, b: i32, u: u32, s: i8, f: fp32):\n"
      "    i = arange(0, 4)\n"
      "    store(p + i, a + i)\n"
      "    store(p + 4, a + b)\n    store(p + 5, a * b)\n    store(p + 6, a // b)\n    store(p + 7, a % b)\n"
      "    store(p + 8, a + u)\n    store(p + 9, u > a)\n    store(p + 10, s + 1)\n    store(p + 11, s + a)\n"
      "    store(p + 12, a / 2)\n    store(p + 13, -7 // 2)\n    store(p + 14, s >> 1)\n    store(p + 15, u "
      ">> 1)\n"
      "    store(p + 16, (f * a).to(i32))\n    store(p + 17, abs(s))\n    store(p + 18, a < b < 100)\n"
      "    store(p + 19, not a)\n    store(p + 20, ~a)\n    store(p + 21, 5 if a > b else 6)\n"
      "    t = 0\n    for j in range(10):\n        if j % 3 == 0:\n            t += j\n        else:\n       "
      "     t -= a\n"
      "    store(p + 22, t)\n    store(p + 23, max(a, b, 3))\n";
  int32_t t = 0;
  for (int32_t j = 0; j < 10; j++) t += j % 3 == 0 ? j : -a;
  int32_t top = a > b ? a : b;
  const int64_t expected[] = {a,
                              a + 1,
                              a + 2,
                              a + 3,
                              a + b,
                              a * b,
                              a / b,
                              a % b,
                              (uint32_t)a + u,
                              u > (uint32_t)a,
                              (int8_t)(s + 1),
                              s + a,
                              (int64_t)((float)a / 2),
                              -4,
                              s >> 1,
                              u >> 1,
                              (int32_t)(f * (float)a),
                              (int8_t)(s < 0 ? -s : s),
                              a < b && b<100, !a, ~a, a> b ? 5 : 6,
                              t,
                              top > 3 ? top : 3};
  enum { N = sizeof expected / sizeof *expected };
  World *w = world_new();
  Spec spec = {.target = target_default()};
  IrModule *module;
  Func *func = elaborate(w, "values.tile", str_from(text), &spec, &module);
  assert_non_null(func);
  int64_t zeros[N] = {0};
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
  int64_t got[N];
  memcpy(got, eval_memory_bytes(memory, 0x1000), sizeof got);
  for (int i = 0; i < N; i++)
    if (got[i] != expected[i]) print_error("element %d\n", i), assert_int_equal(got[i], expected[i]);
  world_free(w);
}

static void test_values(void **state) {
  (void)state;
  check_values(17, 5, 3, -7, 1.5f);
  check_values(-17, 5, 0xfffffff0u, 127, -2.25f);
  check_values(0, -3, 7, -128, 0.5f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_golden), cmocka_unit_test(test_entries), cmocka_unit_test(test_jit_entries),
      cmocka_unit_test(test_limits), cmocka_unit_test(test_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
