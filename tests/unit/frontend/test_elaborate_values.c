// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of elaborated kernels. tests/golden/values/NAME.tile has one kernel
//   (p: *i32, out: *i32, n: i32, key: i32)
// and lines, one a run:
// ```
//   # n=20 key=3: 1 2 -5
// They are the words that the kernel leaves in out[0], out[1], ... The input is p[i] = (i * 37) % 23 - 5. All of out is
// ```
// -99 before the run.
#include <dirent.h>
#include "tests/unit/unit.h"
#include "frontend/frontend.h"
#include "eval/eval.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"
#include "tests/unit/golden.h"
#include "tests/unit/text_fixture.h"

enum { WORDS = 256, P = 0x1000, OUT = 0x9000, UNTOUCHED = -99 };

static void show_errors(TextFixture *w) {
  Buf text = {0};
  diags_print_text(&w->diags, false, &text);
  fprintf(stderr, "%s", text.at ? text.at : "");
  buf_free(&text);
}

static Func *elaborate(TextFixture *w, const char *name, Str text) {
  Spec spec = {.target = target_default()};
  uint16_t file = sources_add(&w->sources, name, text);
  Module *module = syntax_parse(&w->arena, &w->ir.names, &w->diags, &w->sources, file, SYNTAX_TILE);
  IrModule *out = module_new(&w->ir, &spec.target);
  Func *func = w->diags.errors ? NULL : frontend_elaborate(out, module, &spec);
  return func && module_verify(out, &w->diags) ? func : NULL;
}

static bool run_line(TextFixture *w, Func *func, const char *path, const char *line) {
  int n, key, used = 0;
  if (sscanf(line, "# n=%d key=%d:%n", &n, &key, &used) != 2 || !used) return true;
  int32_t data[WORDS], out[WORDS], got[WORDS];
  for (int i = 0; i < WORDS; i++) {
    data[i] = i * 37 % 23 - 5;
    out[i] = UNTOUCHED;
  }
  EvalMemory *memory = eval_memory_new(&w->arena);
  eval_memory_add(memory, P, data, sizeof data, true);
  eval_memory_add(memory, OUT, out, sizeof out, true);
  EvalArg args[] = {{P}, {OUT}, {(uint64_t)(int64_t)n}, {(uint64_t)(int64_t)key}};
  EvalOptions options = {.max_steps = 1000000};
  const uint32_t grid[] = {1, 1, 1};
  if (!eval_launch(func, grid, args, memory, &options)) {
    show_errors(w);
    return false;
  }
  memcpy(got, eval_memory_bytes(memory, OUT), sizeof got);
  bool good = true;
  const char *at = line + used;
  for (int i = 0, expected, length; sscanf(at, "%d%n", &expected, &length) == 1; i++, at += length)
    if (got[i] != expected) {
      fprintf(stderr, "%s, n=%d key=%d: out[%d] is %d, not %d\n", path, n, key, i, got[i], expected);
      good = false;
    }
  return good;
}

static bool run_file(const char *name) {
  TextFixture *w = malloc(sizeof *w);
  assert_non_null(w);
  text_fixture_open(w);
  const char *path = arena_printf(&w->arena, "%s/golden/values/%s", TESTS_DIR, name);
  Str text = golden_read(&w->arena, path);
  char *copy = arena_copy(&w->arena, text);
  Func *func = elaborate(w, name, text);
  bool good = func != NULL;
  int runs = 0;
  if (!func) show_errors(w);
  for (char *line = strtok(copy, "\n"); func && line; line = strtok(NULL, "\n")) {
    if (strncmp(line, "# n=", 4) != 0) continue;
    good = run_line(w, func, name, line) && good;
    runs++;
  }
  if (func && runs == 0) fprintf(stderr, "%s has no runs\n", name);
  arena_free(&w->arena);
  free(w);
  return good && runs > 0;
}

TEST(test_values) {
  DIR *dir = opendir(TESTS_DIR "/golden/values");
  assert_non_null(dir);
  int files = 0, failed = 0;
  for (struct dirent *entry; (entry = readdir(dir));) {
    const char *dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".tile") != 0) continue;
    files++;
    failed += !run_file(entry->d_name);
  }
  closedir(dir);
  assert_true(files >= 4);
  assert_int_equal(failed, 0);
}

WHOLE_SUITE(elaborate_values)
