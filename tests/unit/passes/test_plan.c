// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decisions of plan_kernel and plan_pipeline for a dot with block pointers, and their remarks:
// by default, with options, and each reason to decline.
#include "tests/unit/unit.h"
#include "passes/analysis/hopper_limits.h"
#include "ir/text/parse.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"
#include "passes/passes.h"

// A loop that accumulates dots of %x and %y into %sumN.
#define LOOP(n)                                                                                              \
  "  %%sum" n ", %%px" n ", %%py" n                                                                          \
  " = for %%zero, %%K, %%bk, %%acc, %%xs, %%ys : tile<%1$ux%2$uxfp32>, block_ptr<%1$ux%3$ux%4$s>, "          \
  "block_ptr<%3$ux%2$ux%4$s> do (%%_" n ": i32, %%s" n ": tile<%1$ux%2$uxfp32>, %%qx" n                      \
  ": block_ptr<%1$ux%3$ux%4$s>, %%qy" n ": block_ptr<%3$ux%2$ux%4$s>) {\n"                                   \
  "    %%x" n " = block_load %%qx" n " {boundary = [0, 1], padding = \"zero\"} : tile<%1$ux%3$ux%4$s>\n"     \
  "    %%y" n " = block_load %%qy" n " {boundary = [0, 1], padding = \"zero\"} : tile<%3$ux%2$ux%4$s>\n"     \
  "    %%d" n " = dot %%x" n ", %%y" n ", %%s" n "%7$s : tile<%1$ux%2$uxfp32>\n"                             \
  "    %%nx" n " = advance %%qx" n ", %%origin, %%step : block_ptr<%1$ux%3$ux%4$s>\n"                        \
  "    %%ny" n " = advance %%qy" n ", %%step, %%origin : block_ptr<%3$ux%2$ux%4$s>\n"                        \
  "    yield %%d" n ", %%nx" n ", %%ny" n "\n  }\n"

static const char kernel[] =
    "kernel @k(%%a: *%4$s {divisible16}, %%b: *%4$s {divisible16}, %%c: *fp32 {divisible16}, %%M: i32, %%N: "
    "i32 {divisible16}, %%K: i32 "
    "{divisible16}) {\n"
    "  %%pid = program_id {axis = 0} : i32\n  %%bm = constant {value = %1$u} : i32\n  %%row = mul %%pid, "
    "%%bm : i32\n"
    "  %%m = cast %%M : i64\n  %%n = cast %%N : i64\n  %%k = cast %%K : i64\n  %%r = cast %%row : i64\n"
    "  %%origin = constant {value = 0} : i64\n  %%one = constant {value = 1} : i64\n  %%step = constant "
    "{value = %3$u} : i64\n"
    "  %%zero = constant {value = 0} : i32\n  %%bk = constant {value = %3$u} : i32\n"
    "  %%acc = constant {fvalue = 0} : tile<%1$ux%2$uxfp32>\n%5$s"
    "  %%xs = make_block_ptr %%a, %%m, %%k, %%k, %%one, %%r, %%origin {order = [1, 0]} : "
    "block_ptr<%1$ux%3$ux%4$s>\n"
    "  %%ys = make_block_ptr %%b, %%k, %%n, %%n, %%one, %%origin, %%origin {order = [1, 0]} : "
    "block_ptr<%3$ux%2$ux%4$s>\n"
    "  %%zs = make_block_ptr %%c, %%m, %%n, %%n, %%one, %%r, %%origin {order = [1, 0]} : "
    "block_ptr<%1$ux%2$uxfp32>\n",
                  once[] = LOOP("1") "  block_store %%zs, %%sum1 {boundary = [0, 1]}\n  return\n}\n",
                  twice[] =
                      LOOP("1") LOOP("2") "  %%sums = add %%sum1, %%sum2 : tile<%1$ux%2$uxfp32>\n"
                                          "  block_store %%zs, %%sums {boundary = [0, 1]}\n  return\n}\n";

typedef struct Case {
  const char *options; // of the module
  bool launched;
  uint32_t rows, columns, k;
  const char *elem, *before; // ops before the loop
  bool several;              // two dot loops
  const char *remark, *text; // NULL: not asked for; of a text with ! at its beginning: it is not there
} Case;

static const char *text_of(Arena *arena, const Case *c) {
  const char *elem = c->elem ? c->elem : "fp16", *before = c->before ? c->before : "";
  const char *format =
      arena_printf(arena, "module target = \"sm_90a\"%%6$s {\n%s%s}\n", kernel, c->several ? twice : once);
  Buf text = {0};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  buf_printf(&text, format, c->rows, c->columns, c->k, elem, before, c->options,
             strcmp(elem, "fp32") == 0 ? " {precision = \"tf32\"}" : "");
#pragma GCC diagnostic pop
  const char *copy = arena_copy(arena, buf_view(&text));
  buf_free(&text);
  return copy;
}

static bool has_remark(const Diags *diags, const char *pass, const char *remark) {
  for (uint32_t i = 0; i < diags->list.n; i++) {
    const Diag *diag = diags->list.at[i];
    if (diag->pass && strcmp(diag->pass, pass) == 0 && strstr(diag->message, remark)) return true;
  }
  return false;
}

static bool has_text(IrModule *module, const char *text, Buf *out) {
  module_print(module, &(PrintOptions){.no_locs = true}, out);
  buf_char(out, 0);
  return text[0] == '!' ? !strstr(out->at, text + 1) : strstr(out->at, text) != NULL;
}

// The case describes its IR after all passes up to that one.
static bool check_case(const Case *c, const char *pass) {
  Arena arena = {0};
  Sources sources = {.arena = &arena};
  Diags diags = {.arena = &arena, .sources = &sources};
  IrContext ir;
  ir_context_init(&ir, &arena, &sources, &diags);
  IrModule *module = module_parse(&ir, sources_add(&sources, "k.tir", str_from(text_of(&arena, c))));
  static const char *const disabled[] = {"retile"}; // slots are as large as the case says
  PassRunOptions options = {
      .stop_after = pass, .verify_each = true, .disabled = disabled, .disabled_count = 1};
  if (module) module->launched = c->launched;
  bool ran = module && passes_run(module, &diags, &options);
  Buf out = {0}, said = {0};
  bool right = ran && (!c->remark || has_remark(&diags, pass, c->remark)) &&
               (!c->text || has_text(module, c->text, &out));
  if (!right) {
    diags_print_text(&diags, true, &said);
    print_error("%s, %ux%ux%u: wanted '%s' and '%s'\n%s\n%s\n", c->options, c->rows, c->columns, c->k,
                c->remark ? c->remark : "", c->text ? c->text : "", said.at ? said.at : "",
                out.at ? out.at : "");
  }
  buf_free(&out);
  buf_free(&said);
  arena_free(&arena);
  return right;
}

static void check_cases(const Case *cases, size_t n, const char *pass) {
  int wrong = 0;
  for (size_t i = 0; i < n; i++) wrong += !check_case(&cases[i], pass);
  assert_int_equal(wrong, 0);
}

// --- before layouts

static const Case ways[] = {
    // TMA copies: by default only in launches; options
    {", num_warps = 8", true, 128, 256, 64, NULL, NULL, false,
     "TMA copies: of dot operands, through pointers too",
     "plan = [tma_loads, tma_pointer_loads, warp_specialize]"},
    {", num_warps = 8", false, 128, 256, 64, NULL, NULL, false, "no TMA copies: the launcher",
     "plan = [warp_specialize]"},
    {", num_warps = 8, tma = \"on\"", false, 128, 256, 64, NULL, NULL, false,
     "TMA copies: wherever they can be",
     "plan = [tma_loads, tma_pointer_loads, tma_all_loads, warp_specialize]"},
    {", num_warps = 8, tma = \"off\"", true, 128, 256, 64, NULL, NULL, false, "no TMA copies: --tma=off",
     "plan = [warp_specialize]"},
    {", num_warps = 4", true, 64, 64, 64, NULL, NULL, true,
     "no TMA copies through pointers: kernels of 2 dots by 4 warps, 0 of them chained, are not measured",
     "plan = [tma_loads, warp_specialize]"},
    {", num_warps = 8", true, 64, 64, 64, NULL, NULL, true,
     "no TMA copies through pointers: kernels of 2 dots by 8 warps, 0 of them chained, are not measured",
     "plan = [tma_loads, warp_specialize]"},
    {", num_warps = 4", true, 32, 32, 64, NULL, NULL, false, NULL,
     "plan = [warp_specialize]"}, // no product of wgmma, transposed neither
    {", num_warps = 4", true, 32, 64, 64, NULL, NULL, false, NULL,
     "plan = [tma_loads, tma_pointer_loads, warp_specialize]"}, // transposed
    {", num_warps = 4, tma = \"on\"", true, 32, 64, 64, NULL, NULL, false, "TMA copies: wherever",
     "plan = [tma_loads, tma_pointer_loads, tma_all_loads, warp_specialize]"},
    // TMA stores by option
    {", num_warps = 8", true, 128, 256, 64, NULL, NULL, false, "no TMA stores: their gain is not measured",
     "!tma_stores"},
    {", num_warps = 8, epilogue = \"on\"", true, 128, 256, 64, NULL, NULL, false,
     "TMA stores: wherever they can be", "tma_stores"},
    {", num_warps = 8, epilogue = \"on\"", false, 128, 256, 64, NULL, NULL, false,
     "no TMA stores: the launcher", "!tma_stores"},
    {", num_warps = 8, epilogue = \"on\", tma = \"off\"", true, 128, 256, 64, NULL, NULL, false,
     "no TMA stores: --tma=off", "!tma_stores"},
    {", num_warps = 8, epilogue = \"off\", tma = \"on\"", true, 128, 256, 64, NULL, NULL, false,
     "no TMA stores: --epilogue=off", "!tma_stores"},
    // pairs
    {", num_warps = 8", true, 128, 128, 64, NULL, NULL, false, "fused programs: where blocks",
     "plan = [tma_loads, tma_pointer_loads, fuse_programs, warp_specialize]"},
    {", num_warps = 8, tma = \"on\"", false, 128, 128, 64, NULL, NULL, false, NULL, "!fuse_programs"},
    {", num_warps = 8", true, 128, 256, 64, NULL, NULL, false,
     "programs are not fused: two dots of 128x256 by 8 warps", "!fuse_programs"},
    {", num_warps = 4", true, 128, 128, 64, NULL, NULL, false,
     "programs are not fused: two dots of 128x128 by 4 warps", "!fuse_programs"},
    {", num_warps = 8, persistent = \"on\"", true, 128, 128, 64, NULL, NULL, false,
     "programs are not fused: the kernel says whether it is persistent", "!fuse_programs"},
    {", num_warps = 8, persistent = \"off\"", true, 128, 128, 64, NULL, NULL, false,
     "programs are not fused: the kernel says whether it is persistent", "!fuse_programs"},
    {", num_warps = 8, warp_specialize = \"off\"", true, 128, 128, 64, NULL, NULL, false,
     "programs are not fused: --warp-specialize=off", "plan = [tma_loads, tma_pointer_loads]"},
    {", num_warps = 8, maxnreg = 168", true, 128, 128, 64, NULL, NULL, false,
     "programs are not fused: registers are limited", "!fuse_programs"},
    {", num_warps = 8, num_stages = 2", true, 128, 128, 64, NULL, NULL, false,
     "programs are not fused: there are fewer than three stages", "!fuse_programs"},
    {", num_warps = 8", true, 128, 128, 64, NULL, NULL, true,
     "programs are not fused: there are several dots", "!fuse_programs"},
    {", num_warps = 8, fp32_dot = \"tf32\"", true, 128, 128, 64, "fp32", NULL, false,
     "programs are not fused: elements have more than two bytes", "!fuse_programs"},
    {", num_warps = 8", true, 128, 128, 80, NULL, NULL, false,
     "programs are not fused: the dot's blocks are not TMA copies", "!fuse_programs"},
};

TEST(test_ways) { check_cases(ways, sizeof ways / sizeof *ways, "plan_kernel"); }

// --- slots and registers

#define PARTED  "{group_warps = [8, 4], group_registers = [232, 40], slots = 3}"
#define ORDERED "  print %K {prefix = \"\"}\n"
#define STORED  "  %g = cast %K : fp32\n  store %c, %g\n"

static const Case slots[] = {
    // persistent and warp-specialized by default
    {", num_warps = 8, num_stages = 3", true, 128, 256, 64, NULL, NULL, false,
     "persistent: the next program's copies run under this one's end", "hidden = programs"},
    {", num_warps = 8, num_stages = 3", true, 128, 256, 64, NULL, NULL, false,
     "specialised: 3 slots of 49152 bytes next to 1024 bytes, of 227 KB; 8 consumer warps", PARTED},
    {", num_warps = 8, num_stages = 3, persistent = \"off\"", true, 128, 256, 64, NULL, NULL, false,
     "not persistent: --persistent=off", "!hidden = programs"},
    {", num_warps = 8, num_stages = 3, persistent = \"off\"", true, 128, 256, 64, NULL, NULL, false,
     "not specialised: with one dot at a time", "!slots"},
    {", num_warps = 8, num_stages = 3, warp_specialize = \"off\"", true, 128, 256, 64, NULL, NULL, false,
     "not persistent: warp specialization is off", "!hidden = programs"},
    {", num_warps = 8, num_stages = 3, warp_specialize = \"off\"", true, 128, 256, 64, NULL, NULL, false,
     "not specialised: --warp-specialize=off", "!slots"},
    {", num_warps = 8, num_stages = 3, tma = \"on\"", false, 128, 256, 64, NULL, NULL, false,
     "not persistent: the launcher", "!hidden = programs"},
    {", num_warps = 4", true, 64, 256, 64, NULL, NULL, false, "not persistent: four warps leave",
     "!hidden = programs"},
    {", num_warps = 4", true, 64, 256, 64, NULL, NULL, false, "not specialised: four warps leave", "!slots"},
    {", num_warps = 8", true, 128, 64, 64, NULL, NULL, false,
     "not persistent: the dot has 32 registers of sums per thread, fewer than 128", "!hidden = programs"},
    {", num_warps = 8, num_stages = 2", true, 128, 256, 64, NULL, NULL, false,
     "not persistent: no dot stays in flight, with 2 slots", "!hidden = programs"},
    {", num_warps = 16", true, 256, 256, 64, NULL, NULL, false,
     "not persistent: 128 registers of sums and 64 others are more than a consumer warp's 112",
     "!hidden = programs"},
    {", num_warps = 8", true, 128, 256, 64, NULL, NULL, true, "not persistent: it has several dot loops",
     "!hidden = programs"},
    {", num_warps = 8, tma = \"off\"", true, 128, 256, 64, NULL, NULL, false,
     "not persistent: its loop cannot be warp-specialized: not all of its loads are TMA copies",
     "!hidden = programs"},
    {", num_warps = 8", true, 128, 256, 64, NULL, ORDERED, false,
     "not persistent: it has ops whose order among programs matters", "!hidden = programs"},
    // persistent by option
    {", num_warps = 4, persistent = \"on\"", false, 64, 64, 64, NULL, NULL, false,
     "persistent: as --persistent=on says", "hidden = programs"},
    {", num_warps = 4, persistent = \"on\"", false, 64, 64, 64, NULL, ORDERED, false,
     "not persistent: it has ops whose order", "!hidden = programs"},
    // warp-specialized by option
    {", num_warps = 8, tma = \"on\", warp_specialize = \"on\"", false, 128, 128, 64, NULL, NULL, false,
     "specialised: 3 slots of 32768 bytes", PARTED},
    {", num_warps = 4, tma = \"on\", warp_specialize = \"on\"", false, 64, 64, 64, NULL, NULL, false,
     "specialised: 3 slots of 16384 bytes", "{group_warps = [4, 4], slots = 3}"},
    {", num_warps = 16, tma = \"on\", warp_specialize = \"on\"", false, 256, 128, 64, NULL, NULL, false,
     "specialised: 3 slots", "group_registers = [112, 32]"},
    {", num_warps = 8, num_stages = 5, tma = \"on\", warp_specialize = \"on\"", false, 128, 256, 64, NULL,
     NULL, false, "specialised: 4 slots of 49152 bytes", "slots = 4"},
    {", num_warps = 8, warp_specialize = \"on\"", false, 128, 128, 64, NULL, NULL, false,
     "not specialised: not all of its loads are TMA copies", "!slots"},
    {", num_warps = 8, tma = \"on\", warp_specialize = \"on\", maxnreg = 168", false, 128, 128, 64, NULL,
     NULL, false, "not specialised: its registers are limited", "!slots"},
    {", num_warps = 32, tma = \"on\", warp_specialize = \"on\"", false, 256, 128, 64, NULL, NULL, false,
     "not specialised: its warps are not a whole number of warpgroups, or too many", "!slots"},
    {", num_warps = 8, tma = \"on\", warp_specialize = \"on\"", false, 128, 128, 64, NULL, ORDERED, false,
     "not specialised: it has ops whose order among warps", "!slots"},
    {", num_warps = 8, tma = \"on\", warp_specialize = \"on\"", false, 128, 128, 64, NULL, STORED, false,
     "not specialised: the kernel may have written", "!slots"},
    {", num_warps = 8, tma = \"on\", warp_specialize = \"on\"", false, 128, 128, 64, NULL, NULL, true,
     "not specialised: it has several dot loops", "!slots"},
    {", num_warps = 8, tma = \"on\", warp_specialize = \"on\", num_stages = 1", false, 128, 128, 64, NULL,
     NULL, false, "not specialised: none of its loads can be prefetched", "!slots"},
    {", num_warps = 8, tma = \"on\", warp_specialize = \"on\"", false, 128, 256, 256, NULL, NULL, false,
     "not specialised: shared memory has no room for two slots", "!slots"},
};

TEST(test_slots) { check_cases(slots, sizeof slots / sizeof *slots, "plan_pipeline"); }

// The passes that obey a plan remove it, even if they change nothing.
TEST(test_left) {
  static const Case left[] = {
      {", num_warps = 8", true, 128, 256, 64, NULL, NULL, false, NULL, "!plan ="},
      {", num_warps = 8, persistent = \"on\"", false, 128, 64, 64, NULL, NULL, false, NULL, "!plan ="},
  };
  check_cases(left, sizeof left / sizeof *left, "drop_marks");
}

// Registers of a block of 65536: what it begins with is shared in eights, and no more than an instruction takes.
TEST(test_registers) {
  static const struct {
    uint32_t warps, multiply, copy;
    bool many;
  } expected[] = {{4, 0, 0, false},     {8, 232, 40, false},  {8, 240, 24, true},
                  {12, 160, 32, false}, {16, 112, 32, false}, {16, 112, 24, true}};
  Target target = target_default();
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    RoleRegisters roles = role_registers(target.arch, expected[i].warps, expected[i].many);
    assert_int_equal(roles.multiply, expected[i].multiply);
    assert_int_equal(roles.copy, expected[i].copy);
    uint32_t groups = expected[i].warps / WARPGROUP_WARPS;
    assert_true((groups * roles.multiply + roles.copy) * WARPGROUP_WARPS * TARGET_WARP <=
                target.arch->registers);
  }
}

WHOLE_SUITE(plan)
