// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole program: loads, statements, stores; what it is run with.
#include "tests/fuzz/programs/generate.h"

const ClassInfo class_infos[CLASS_COUNT] = {
#define X(name, params, args, body) {#name, params, args, body},
#include "tests/fuzz/programs/classes.def"
#undef X
};

static const struct {
  Class class; // CLASS_COUNT: always
  uint32_t weight;
  void (*write)(Gen *g);
} statements[] = {
    {CLASS_COUNT, 30, statement_binary},
    {CLASS_COUNT, 14, statement_unary},
    {CLASS_COUNT, 8, statement_where},
    {CLASS_COUNT, 8, statement_cast},
    {CLASS_COUNT, 5, statement_mixed},
    {CLASS_COUNT, 3, statement_call},
    {CLASS_shapes, 14, statement_shape},
    {CLASS_join, 7, statement_join},
    {CLASS_loops, 5, statement_loop},
    {CLASS_loops, 2, statement_while},
    {CLASS_loops, 3, statement_pointer_loop},
    {CLASS_loops, 4, statement_ragged_loop},
    {CLASS_branches, 5, statement_branch},
    {CLASS_orders, 3, statement_in_place},
    {CLASS_reduce, 12, statement_reduce},
    {CLASS_scan, 6, statement_scan},
    {CLASS_block_pointers, 5, statement_block_pointer},
    {CLASS_atomics, 4, statement_atomic},
    {CLASS_gather, 4, statement_gather},
    {CLASS_flip, 3, statement_flip},
    {CLASS_sort, 3, statement_sort},
    {CLASS_histogram, 3, statement_histogram},
    {CLASS_dot, 6, statement_dot},
    {CLASS_map, 2, statement_map},
    {CLASS_random, 2, statement_random},
    {CLASS_literals, 5, statement_literal},
    {CLASS_specials, 3, statement_special},
    {CLASS_signs, 5, statement_signs},
    {CLASS_descriptors, 5, statement_descriptor},
    {CLASS_barriers, 3, statement_in_place_loop},
    {CLASS_locks, 2, statement_lock},
    {CLASS_divisions, 3, statement_division},
};

enum { STATEMENTS = sizeof statements / sizeof *statements };

static uint32_t weight(const Gen *g, uint32_t i) {
  if (statements[i].class != CLASS_COUNT && !has(g, statements[i].class)) return 0;
  return i == g->focus ? 40 : statements[i].weight;
}

void statement(Gen *g) {
  uint32_t total = 0, i = 0;
  for (uint32_t k = 0; k < STATEMENTS; k++) total += weight(g, k);
  uint32_t at = pick(g, total);
  for (; at >= weight(g, i); i++) at -= weight(g, i);
  if (g->value_count < MAX_VALUES - 40 && g->params.n < 6000) statements[i].write(g);
}

static const char prelude[] = "@jit\n"
                              "def combine_add(a, b):\n"
                              "    return a + b\n\n\n"
                              "@jit\n"
                              "def combine_mul(a, b):\n"
                              "    return a * b\n\n\n"
                              "@jit\n"
                              "def combine_max(a, b):\n"
                              "    return where(a > b, a, b)\n\n\n"
                              "@jit\n"
                              "def combine_larger(a, i, b, j):\n"
                              "    first = (a > b) | ((a == b) & (i < j))\n"
                              "    return where(first, a, b), where(first, i, j)\n\n\n"
                              "@jit\n"
                              "def combine_linear(a, b, c, d):\n"
                              "    return a * c, b * c + d\n\n\n";

// The last values that nothing uses, at least one, at most six.
static void write_stores(Gen *g) {
  int stored = 0;
  for (int i = g->value_count - 1; i >= 0 && stored < 6; i--) {
    if (g->values[i].used) continue;
    store_value(g, g->values[i]);
    stored++;
  }
  if (!stored) store_value(g, value_any(g));
}

static void write_body(Gen *g) {
  static const char *const pids[] = {"program_id(0)", "program_id(0) + program_id(1) * num_programs(0)"};
  line(g, "pid = %s", pids[g->two_dimensions || chance(g, 50)]);
  for (int i = 1 + (int)pick(g, 3); i > 0; i--) load_new(g, type_random(g), g->base);
  if (chance(g, 30)) load_new(g, chance(g, 50) ? T_I32 : type_random(g), (Shape){0});
  for (int i = 2 + (int)pick(g, chance(g, 30) ? 20 : 8); i > 0; i--) statement(g);
  write_stores(g);
}

static void finish(Gen *g, uint32_t grid0, uint32_t grid1, Program *program) {
  static const char *const archs[] = {"sm_75", "sm_80",  "sm_86",   "sm_89",
                                      "sm_90", "sm_90a", "sm_100a", "sm_120a"};
  static const char *const optional[] = {"hoist", "split_masks", "load_once", "coalesce", "carry_steps",
                                         "pipeline"};
  buf_text(&program->text, prelude);
  buf_str(&program->text, buf_view(&g->functions));
  buf_printf(&program->text, "@kernel\ndef f(%s):\n", buf_view(&g->params).at + 2);
  buf_str(&program->text, buf_view(&g->body));
  buf_str(&program->args, buf_view(&g->args));
  program->arch = archs[chance(g, 50) ? 5 : pick(g, 8)];
  buf_printf(&program->options, "--kernel f --grid %u,%u --num-warps %d", grid0, grid1, g->warps);
  if (chance(g, 10)) buf_text(&program->options, " --fp-contract off");
  if (chance(g, 5)) buf_text(&program->options, " -O0");
  if (chance(g, 15)) buf_printf(&program->options, " --num-stages %u", 1 + pick(g, 4));
  if (chance(g, 15))
    buf_printf(&program->options, " --disable-pass %s",
               optional[pick(g, sizeof optional / sizeof *optional)]);
  buf_free(&g->functions);
  buf_free(&g->body);
  buf_free(&g->params);
  buf_free(&g->args);
}

void program_generate(uint64_t seed, uint64_t classes, Program *program) {
  Gen g = {.state = seed * UINT64_C(0xd1342543de82ef95) + 1, .classes = classes, .indent = 1};
  *program = (Program){0};
  for (int c = 0; c < CLASS_COUNT; c++) // a part of the classes, so that programs differ
    if (chance(&g, 25)) g.classes &= ~(UINT64_C(1) << c);
  uint32_t grid0 = 1 + pick(&g, 3), grid1 = chance(&g, 20) ? 2 : 1;
  g.programs = (int)(grid0 * grid1);
  g.two_dimensions = grid1 > 1;
  g.warps = 1 << (chance(&g, 15) ? 4 + pick(&g, 2) : pick(&g, 4));
  g.focus = chance(&g, 70) ? pick(&g, STATEMENTS) : STATEMENTS;
  g.any_size = has(&g, CLASS_sizes) && chance(&g, 50);
  g.base = shape_random(&g);
  if (shape_elements(&g.base) > 1024 && g.warps < 4) g.warps = 4; // else compiling takes long
  write_body(&g);
  finish(&g, grid0, grid1, program);
}

void program_probe(Class class, Program *program) {
  const ClassInfo *info = &class_infos[class];
  *program = (Program){.arch = "sm_90a"};
  buf_printf(&program->text, "%s@kernel\ndef f(%s):\n    %s\n", prelude, info->params, info->body);
  buf_text(&program->args, info->args);
  buf_text(&program->options, "--kernel f --grid 1 --num-warps 4");
}

void program_free(Program *program) {
  buf_free(&program->text);
  buf_free(&program->args);
  buf_free(&program->options);
}

void program_command(const Program *program, const char *command, const char *file, Buf *out) {
  buf_printf(out, "%s %s --check %.*s", command, file, (int)program->options.n, program->options.at);
  if (program->arch) buf_printf(out, " --arch %s", program->arch);
  buf_printf(out, " %.*s", (int)program->args.n, program->args.at);
}
