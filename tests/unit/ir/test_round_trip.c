// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The law of the text form: every golden .tir is read, verified, printed and read again, and the two texts are the
// same. From a golden file of passes: its input and their result. Prints what failed and 'N passed, N failed' (tests/groups/laws counts these).
#define _GNU_SOURCE
#include <glob.h>
#include "tests/unit/unit.h"
#include "ir/text/parse.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"
#include "tests/unit/pass_variant.h"

// The text that is printed of a module; .at is NULL, and the errors are on standard output, where it is not well formed.
static Str reprint(Arena *arena, const char *name, Str text) {
  Sources sources = {.arena = arena};
  Diags diags = {.arena = arena, .sources = &sources};
  IrContext ir;
  Buf out = {0};
  ir_context_init(&ir, arena, &sources, &diags);
  IrModule *module = module_parse(&ir, sources_add(&sources, name, text));
  bool good = module && module_verify(module, &diags);
  if (good)
    module_print(module, NULL, &out);
  else
    diags_print_text(&diags, false, &out);
  Str printed = {arena_copy(arena, (Str){out.at, out.n}), out.n};
  buf_free(&out);
  if (good) return printed;
  printf("%s\n", printed.at);
  return (Str){0};
}

// Layouts or remarks precede some modules, and some files have refused text.
static bool is_module(Str text) {
  return text.at && (str_starts(text, "module") || str_starts(text, "//") || str_starts(text, "#")) &&
         !strstr(text.at, "expect-error");
}

typedef struct Counts {
  int passed, failed;
} Counts;

static void check_text(Arena *arena, const char *name, Str text, Counts *counts) {
  if (!is_module(text)) return;
  Str once = reprint(arena, name, text), twice = once.at ? reprint(arena, name, once) : once;
  bool same = once.at && twice.at && str_eq(once, twice);
  if (!same) printf("FAILED round trip of %s\n", name);
  *(same ? &counts->passed : &counts->failed) += 1;
}

static void check_result(Arena *arena, const char *name, Str text, Counts *counts) {
  Buf result = {0};
  pass_file_result(arena, text, false, &result);
  if (!strstr(name, "/error_") && !pass_file_is_outline(text))
    check_text(arena, arena_printf(arena, "the result in %s", name), buf_view(&result), counts);
  buf_free(&result);
}

TEST(test_golden_files) {
  glob_t files;
  Counts counts = {0};
  assert_int_equal(glob(TESTS_DIR "/golden/*/*.tir", 0, NULL, &files), 0);
  size_t others = files.gl_pathc;
  assert_int_equal(glob(TESTS_DIR "/golden/passes/*/*.tir", GLOB_APPEND, NULL, &files), 0);
  assert_int_equal(glob(TESTS_DIR "/golden/passes/*/*.diff", GLOB_APPEND, NULL, &files), 0);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    Arena arena = {0};
    const char *name = files.gl_pathv[i];
    Str text = pass_golden_read(&arena, name);
    assert_non_null(text.at);
    check_text(&arena, name, text, &counts);
    if (i >= others) check_result(&arena, name, text, &counts);
    arena_free(&arena);
  }
  globfree(&files);
  printf("%d passed, %d failed\n", counts.passed, counts.failed);
  assert_int_equal(counts.failed, 0);
  assert_true(counts.passed > 0);
}

WHOLE_SUITE(round_trip)
