// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tests/golden/passes/NAME.tir names its passes in the first line ("// passes: simplify coalesce", or
// "pipeline"); what they make of it, with their remarks, is NAME.out.tir. The result must verify, print, and
// be left alone by a second simplify.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "golden.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "pass_launch.h"
#include "passes/passes.h"

enum { MAX_PASSES = 8 };

typedef struct Session {
  Arena arena;
  Sources sources;
  Diags diags;
  IrContext ir;
} Session;

static void session_open(Session *s) {
  *s = (Session){0};
  s->sources.arena = s->diags.arena = &s->arena;
  s->diags.sources = &s->sources;
  ir_context_init(&s->ir, &s->arena, &s->sources, &s->diags);
}

static void fail_with(Session *s, const char *name) {
  Buf text = {0};
  diags_print_text(&s->diags, true, &text);
  print_error("%s:\n%s", name, text.at ? text.at : "(no diagnostics)");
  buf_free(&text);
  fail();
}

static IrModule *parse(Session *s, const char *name, Str text) {
  uint16_t file = sources_add(&s->sources, name, text);
  IrModule *module = module_parse(&s->ir, file);
  if (!module) fail_with(s, name);
  return module;
}

// The names after "// passes:"; 0: the pipeline.
static uint32_t passes_of(Session *s, Str text, const char *names[MAX_PASSES]) {
  assert_true(str_starts(text, "// passes:"));
  size_t at = strlen("// passes:");
  uint32_t count = 0;
  while (at < text.n && text.at[at] != '\n') {
    size_t start = at;
    while (at < text.n && text.at[at] != ' ' && text.at[at] != '\n') at++;
    if (at > start) names[count++] = arena_copy(&s->arena, (Str){text.at + start, at - start});
    if (at < text.n && text.at[at] == ' ') at++;
    assert_true(count < MAX_PASSES);
  }
  return count == 1 && strcmp(names[0], "pipeline") == 0 ? 0 : count;
}

static void print_remarks(const Diags *diags, Buf *out) {
  for (uint32_t i = 0; i < diags->list.n; i++) {
    const Diag *diag = diags->list.at[i];
    buf_printf(out, "// %u: %s: %s\n", diag->loc.line, diag->pass ? diag->pass : "?", diag->message);
    for (uint32_t k = 0; k < diag->notes.n; k++)
      buf_printf(out, "//   %u: %s\n", diag->notes.at[k]->loc.line, diag->notes.at[k]->message);
  }
}

static void check_stable(Session *s, IrModule *module, const char *const *names, uint32_t count) {
  PassContext context = {&s->arena, &s->diags};
  bool simplified = count == 0 || strcmp(names[count - 1], "simplify") == 0;
  if (simplified) assert_false(pass_simplify(&context, module->funcs.at[0]));
}

// eval(pass(x)) == eval(x), where the file says how to launch it.
static void check_same_result(Session *s, Func *after, Str text, const char *stem) {
  Session before;
  session_open(&before);
  IrModule *module = parse(&before, "before.tir", text);
  if (!module_verify(module, &before.diags)) fail_with(&before, stem);
  PassLaunch x = launch_pass(&before.arena, module->funcs.at[0], text);
  if (x.given && !x.ran) fail_with(&before, stem);
  PassLaunch y = launch_pass(&s->arena, after, text);
  if (y.given && !y.ran) fail_with(s, stem);
  bool same = launch_same(&x, &y);
  arena_free(&before.arena);
  if (!same) fail_msg("%s: the passes changed what the kernel computes", stem);
}

static void check_file(const char *stem) {
  Session s;
  session_open(&s);
  const char *path = arena_printf(&s.arena, "%s/golden/passes/%s.tir", TESTS_DIR, stem);
  Str text = golden_read(&s.arena, path);
  assert_non_null(text.at);
  const char *names[MAX_PASSES];
  IrModule *module = parse(&s, arena_printf(&s.arena, "%s.tir", stem), text);
  PipelineOptions options = {.only = names, .only_count = passes_of(&s, text, names), .verify_each = true};
  if (!pipeline_run(module, &s.diags, &options)) fail_with(&s, stem);

  Buf out = {0};
  print_remarks(&s.diags, &out);
  PrintOptions print = {.no_locs = true};
  module_print(module, &print, &out);
  check_stable(&s, module, names, options.only_count);
  bool same = golden_check(&s.arena, arena_printf(&s.arena, "%s/golden/passes/%s.out.tir", TESTS_DIR, stem),
                           buf_view(&out));
  buf_free(&out);
  assert_true(same);
  check_same_result(&s, module->funcs.at[0], text, stem);
  arena_free(&s.arena);
}

static void test_add(void **state) { (void)state, check_file("add"); }
static void test_add_unaligned(void **state) { (void)state, check_file("add_unaligned"); }
static void test_widen(void **state) { (void)state, check_file("widen"); }
static void test_anchors(void **state) { (void)state, check_file("anchors"); }
static void test_no_anchors(void **state) { (void)state, check_file("no_anchors"); }
static void test_fold(void **state) { (void)state, check_file("fold"); }
static void test_casts(void **state) { (void)state, check_file("casts"); }
static void test_shapes(void **state) { (void)state, check_file("shapes"); }
static void test_every_op(void **state) { (void)state, check_file("every_op"); }
static void test_control(void **state) { (void)state, check_file("control"); }
static void test_loop(void **state) { (void)state, check_file("loop"); }
static void test_block_pointers(void **state) { (void)state, check_file("block_pointers"); }
static void test_block_control(void **state) { (void)state, check_file("block_control"); }
static void test_split_masks(void **state) { (void)state, check_file("split_masks"); }
static void test_split_rows(void **state) { (void)state, check_file("split_rows"); }
static void test_split_loop(void **state) { (void)state, check_file("split_loop"); }
static void test_barriers(void **state) { (void)state, check_file("barriers"); }

static void test_overlap(void **state) { (void)state, check_file("overlap"); }
static void test_overlap_branch(void **state) { (void)state, check_file("overlap_branch"); }
static void test_overlap_own(void **state) { (void)state, check_file("overlap_own"); }
static void test_overlap_old(void **state) { (void)state, check_file("overlap_old"); }

static void test_rows(void **state) { (void)state, check_file("rows"); }
static void test_transpose(void **state) { (void)state, check_file("transpose"); }
static void test_softmax_rows(void **state) { (void)state, check_file("softmax_rows"); }
static void test_carried(void **state) { (void)state, check_file("carried"); }
static void test_shuffled(void **state) { (void)state, check_file("shuffled"); }
static void test_gather_rows(void **state) { (void)state, check_file("gather_rows"); }
static void test_product(void **state) { (void)state, check_file("product"); }
static void test_dot_mma(void **state) { (void)state, check_file("dot_mma"); }
static void test_dot_pipelined(void **state) { (void)state, check_file("dot_pipelined"); }
static void test_dot_fma_crowded(void **state) { (void)state, check_file("dot_fma_crowded"); }
static void test_dot_pipelined_registers(void **state) { (void)state, check_file("dot_pipelined_registers"); }
static void test_dot_transposed(void **state) { (void)state, check_file("dot_transposed"); }
static void test_dot_promoted(void **state) { (void)state, check_file("dot_promoted"); }
static void test_dot_across(void **state) { (void)state, check_file("dot_across"); }
static void test_dot_chosen(void **state) { (void)state, check_file("dot_chosen"); }
static void test_sorted(void **state) { (void)state, check_file("sorted"); }
static void test_windows(void **state) { (void)state, check_file("windows"); }
static void test_windows_evict(void **state) { (void)state, check_file("windows_evict"); }
static void test_windows_evict_mixed(void **state) { (void)state, check_file("windows_evict_mixed"); }
static void test_windows_declined(void **state) { (void)state, check_file("windows_declined"); }
static void test_loop_sums(void **state) { (void)state, check_file("loop_sums"); }
static void test_accumulate_dots(void **state) { (void)state, check_file("accumulate_dots"); }
static void test_unroll_loads(void **state) { (void)state, check_file("unroll_loads"); }

static void count_calls(const char *pass, IrModule *module, double seconds, void *data) {
  (void)module;
  assert_true(seconds >= 0);
  Buf *calls = data;
  buf_printf(calls, "%s ", pass ? pass : "-");
}

static void expect_calls(PipelineOptions options, const char *expected) {
  Session s;
  session_open(&s);
  Str text = golden_read(&s.arena, TESTS_DIR "/golden/passes/add.tir");
  IrModule *module = parse(&s, "add.tir", text);
  Buf calls = {0};
  options.verify_each = true;
  options.after = count_calls;
  options.data = &calls;
  bool right = pipeline_run(module, &s.diags, &options);
  assert_int_equal(right, expected != NULL);
  if (expected)
    assert_string_equal(calls.at, expected);
  else
    assert_int_equal(s.diags.errors, 1);
  buf_free(&calls);
  arena_free(&s.arena);
}

static void test_pipeline(void **state) {
  (void)state;
  const char *coalesce = "coalesce", *simplify = "simplify", *needed = "propagate_layouts",
             *unknown = "coalesc";
  const char *all = "- simplify lower_block_pointers decompose simplify hoist ";
  Arena scratch = {0};
  expect_calls((PipelineOptions){.scratch = &scratch, .stop_after = "hoist"}, all);
  expect_calls((PipelineOptions){.stop_after = "elaborate"}, "- ");
  expect_calls((PipelineOptions){.stop_after = "hoist"}, all);
  expect_calls((PipelineOptions){.disabled = &simplify, .disabled_count = 1, .stop_after = "hoist"},
               "- lower_block_pointers decompose hoist ");
  expect_calls((PipelineOptions){.only = &coalesce, .only_count = 1}, "- coalesce ");
  expect_calls((PipelineOptions){.disabled = &needed, .disabled_count = 1}, NULL);
  expect_calls((PipelineOptions){.only = &unknown, .only_count = 1}, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_add),
      cmocka_unit_test(test_add_unaligned),
      cmocka_unit_test(test_widen),
      cmocka_unit_test(test_anchors),
      cmocka_unit_test(test_no_anchors),
      cmocka_unit_test(test_fold),
      cmocka_unit_test(test_casts),
      cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_every_op),
      cmocka_unit_test(test_control),
      cmocka_unit_test(test_loop),
      cmocka_unit_test(test_block_pointers),
      cmocka_unit_test(test_block_control),
      cmocka_unit_test(test_split_masks),
      cmocka_unit_test(test_split_rows),
      cmocka_unit_test(test_split_loop),
      cmocka_unit_test(test_barriers),
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_transpose),
      cmocka_unit_test(test_softmax_rows),
      cmocka_unit_test(test_overlap),
      cmocka_unit_test(test_overlap_branch),
      cmocka_unit_test(test_overlap_own),
      cmocka_unit_test(test_overlap_old),
      cmocka_unit_test(test_carried),
      cmocka_unit_test(test_shuffled),
      cmocka_unit_test(test_gather_rows),
      cmocka_unit_test(test_product),
      cmocka_unit_test(test_dot_mma),
      cmocka_unit_test(test_dot_pipelined),
      cmocka_unit_test(test_dot_fma_crowded),
      cmocka_unit_test(test_dot_pipelined_registers),
      cmocka_unit_test(test_dot_promoted),
      cmocka_unit_test(test_dot_transposed),
      cmocka_unit_test(test_dot_chosen),
      cmocka_unit_test(test_dot_across),
      cmocka_unit_test(test_sorted),
      cmocka_unit_test(test_windows),
      cmocka_unit_test(test_windows_evict),
      cmocka_unit_test(test_windows_evict_mixed),
      cmocka_unit_test(test_windows_declined),
      cmocka_unit_test(test_loop_sums),
      cmocka_unit_test(test_accumulate_dots),
      cmocka_unit_test(test_unroll_loads),
      cmocka_unit_test(test_pipeline),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
