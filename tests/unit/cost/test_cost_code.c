// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that a launch executes, counted in machine code: of single ones what nvdisasm says of them, of small loops what anybody can
// count by hand.
#include "tests/unit/unit.h"
#include "tests/unit/ir_fixture.h"

#include "cost/cost.h"
#include "cubin/blocks.h"
#include "ir/text/parse.h"

static SassInsn decode(uint32_t sm, uint32_t index, uint64_t low, uint64_t high) {
  uint64_t words[256] = {0};
  words[2 * index] = low;
  words[2 * index + 1] = high;
  return sass_decode(&(MachineCode){.words = words, .count = 128, .sm = sm}, index);
}

static void expect_kind(uint64_t low, uint64_t high, SassPipe pipe, bool anchor, bool memory, bool one) {
  SassInsn insn = decode(90, 0, low, high);
  assert_int_equal(insn.pipe, pipe);
  assert_int_equal(insn.anchor, anchor);
  assert_int_equal(insn.memory, memory);
  assert_int_equal(insn.one, one);
  assert_int_equal(insn.flow, SASS_ON);
  assert_int_equal(insn.counted, 1);
}

TEST(test_kinds) {
  expect_kind(0x0000020000027810, 0x000fc60007ffe0ff, PIPE_ALU, false, false,
              false); // `IADD3 R2, R0, 0x200, RZ`
  expect_kind(0x000000100c0c7221, 0x004fe20000000000, PIPE_FMA, true, false, false); // `FADD R12, R12, R16`
  expect_kind(0x0000002c38a17c23, 0x100fe20008000809, PIPE_FMA, true, false,
              false); // `FFMA R161, R56, UR44, -R9`
  expect_kind(0x0000001000107308, 0x000e220000000800, PIPE_MUFU, true, false, false); // `MUFU.EX2 R16, R16`
  expect_kind(0x000000969796723e, 0x000fe400000000ff, PIPE_ALU, true, false, false); // `F2FP.F16.F32.PACK_AB`
  expect_kind(0x000000082828723c, 0x008fe60000001804, PIPE_TENSOR, true, false, false); // `HMMA.16816.F32`
  expect_kind(0x0000000414108981, 0x000ea8000c1e1d00, PIPE_MEMORY, true, true, false);  // `@!P0 LDG.E.128`
  expect_kind(0x000000102a007988, 0x004fe80008000c04, PIPE_MEMORY, true, true, false);  // `STS.128`
  expect_kind(0x00001f340b1c7589, 0x000e2400000e0000, PIPE_MEMORY, true, true, false);  // `SHFL.IDX`
  expect_kind(0x1800000028250fae, 0x000fe2000b901c4c, PIPE_MEMORY, true, true,
              false); // @P0 LDGSTS.E.BYPASS.128
  expect_kind(0x0000000c040075b4, 0x0001e20008008000, PIPE_MEMORY, true, true, true);   // `UTMALDG.2D`
  expect_kind(0x0000000000007b1d, 0x000fe20000010000, PIPE_CONTROL, true, true, false); // `BAR.SYNC`
  expect_kind(0x02400004083f85b2, 0x0000620008000100, PIPE_CONTROL, true, false,
              false); // @!UP0 SYNCS.EXCH.64
}

// A number that is another kind's later.
TEST(test_architectures) {
  assert_int_equal(decode(90, 0, 0x0000000000007835, 0).pipe, PIPE_FMA);
  assert_int_equal(decode(120, 0, 0x0000000000007835, 0).pipe, PIPE_ALU);
}

// Once for each 64 columns.
TEST(test_products) {
  static const struct Product {
    uint64_t low;
    uint32_t counted;
  } products[] = {
      {0x43e00000101879f0, 4}, {0x41e00000101879f0, 2},
      {0x40e00000081879f0, 1},                          // `HGMMA.64x256x16, x128, x64`
      {0x00000000041879f0, 1}, {0x05e00000041879f0, 2}, // `HGMMA.64x8x16; of tf32, x128`
      {0x01e00000041879f1, 1}, {0x03600000041879f1, 2},
      {0x06600000041879f1, 4},                          // `IGMMA.64x64x32, x128, x256`
      {0x00600000041879f1, 1}, {0x03e00000041879f3, 4}, // `IGMMA.64x16x32; QGMMA.64x256x32`
  };
  for (size_t i = 0; i < sizeof products / sizeof *products; i++)
    assert_int_equal(decode(90, 0, products[i].low, 0x000fe2000c7008ff).counted, products[i].counted);
}

static void expect_flow(SassInsn insn, SassFlow flow, bool conditional, uint32_t target) {
  assert_int_equal(insn.flow, flow);
  assert_int_equal(insn.conditional, conditional);
  assert_int_equal(insn.target, target);
}

TEST(test_branches) {
  const uint32_t out = UINT32_MAX;
  expect_flow(decode(90, 12, 0x0000000400180947, 0x000fea0003800000), SASS_BRANCH, true,
              0x530 / 16); // at 0xc0: @P0 BRA
  expect_flow(decode(90, 40, 0xfffffffc00fc7947, 0x000fc0000383ffff), SASS_BRANCH, false,
              40); // BRA to itself
  expect_flow(decode(90, 40, 0x0000000000180947, 0x000fea0000800000), SASS_BRANCH, true,
              47); // @P0 BRA P1, ...
  expect_flow(decode(80, 3, 0x0000014000000947, 0x000fea0003800000), SASS_BRANCH, true, 24); // sm_80: @P0 BRA
  expect_flow(decode(80, 40, 0xfffffff000007947, 0x000fc0000383ffff), SASS_BRANCH, false,
              40); // BRA to itself
  expect_flow(decode(80, 127, 0x0000014000000947, 0x000fea0003800000), SASS_BRANCH, true,
              out); // after the code
  expect_flow(decode(90, 3, 0xffffff0000fc7947, 0x000fc0000383ffff), SASS_BRANCH, false, out); // before it
  expect_flow(decode(90, 3, 0x0000000206747947, 0x000fec000b800000), SASS_ON, false,
              out); // `BRA.DIV UR6, ...`
  expect_flow(decode(90, 0, 0x0000000100006947, 0x000fea0003800000), SASS_BRANCH, true, 1); // @P6 BRA.U
  expect_flow(decode(90, 3, 0x000000000000794d, 0x000fea0003800000), SASS_END, false, out); // `EXIT`
  expect_flow(decode(90, 3, 0x000000000000194d, 0x000fec0003800000), SASS_END, true, out);  // @P1 EXIT
}

// --- code by hand

enum { LOAD = 0x981, ADD = 0x221, STORE = 0x986, MOVE = 0x202, BRANCH = 0x947, END = 0x94d, ALWAYS = 7 };

typedef struct Insn {
  uint32_t kind, op; // op: by its place in the text; NOT_TOLD
  uint32_t target;   // of a branch
  bool conditional;
} Insn;

enum { NOT_TOLD = UINT32_MAX, MOST = 32 };

typedef struct Ops {
  const Op *at[MOST];
  uint32_t n;
} Ops;

static void add_op(Op *op, void *data) {
  Ops *ops = data;
  ops->at[ops->n++] = op;
}

static MachineCode code_of(Arena *arena, const Ops *ops, const Insn *insns, uint32_t n) {
  uint64_t *words = ARENA_ARRAY(arena, uint64_t, 2 * (size_t)n);
  const Op **of = ARENA_ARRAY(arena, const Op *, n);
  for (uint32_t i = 0; i < n; i++) {
    uint64_t offset = insns[i].kind == BRANCH ? (uint64_t)(((int64_t)insns[i].target - i - 1) * 4) : 0;
    words[2 * i] = insns[i].kind | (uint64_t)(insns[i].conditional ? 0 : ALWAYS) << 12 |
                   (offset & 255) << 16 | offset >> 8 << 34;
    words[2 * i + 1] = ALWAYS << 23 | (offset >> 38 & 0x3ffff);
    of[i] = insns[i].op == NOT_TOLD ? NULL : ops->at[insns[i].op];
  }
  return (MachineCode){words, of, n, 90};
}

TEST(test_loops) {
  // Two loops, one in the other, and what nothing leads to.
  static const Insn insns[] = {{MOVE, NOT_TOLD, 0, 0},   {MOVE, NOT_TOLD, 0, 0},   {ADD, NOT_TOLD, 0, 0},
                               {BRANCH, NOT_TOLD, 2, 1}, {BRANCH, NOT_TOLD, 1, 1}, {END, NOT_TOLD, 0, 1},
                               {MOVE, NOT_TOLD, 0, 0},   {END, NOT_TOLD, 0, 0},    {BRANCH, NOT_TOLD, 8, 0}};
  Arena arena = {0};
  MachineCode code = code_of(&arena, NULL, insns, sizeof insns / sizeof *insns);
  SassBlocks blocks = sass_blocks(&arena, &code);
  static const uint32_t first[] = {0, 1, 2, 4, 5, 6}, depth[] = {0, 1, 2, 1, 0, 0};
  assert_int_equal(blocks.n, 6);
  for (uint32_t i = 0; i < blocks.n; i++) {
    assert_int_equal(blocks.at[i].first, first[i]);
    assert_int_equal(blocks.at[i].depth, depth[i]);
  }
  arena_free(&arena);
}

// A loop of n trips that adds what it loads; its ops from `for` on.
enum { FOR = 6, LOADED, ADDED, YIELD, STORED, RETURN };
static const char loop[] =
    "#l = layout<lane = [1, 2, 4, 8, 16], warp = [32, 64]; 128>\n"
    "module target = \"sm_90a\", num_warps = 4 {\nkernel @k(%x: *fp32, %n: i32) {\n"
    "  %z = constant {value = 0} : i32\n  %o = constant {value = 1} : i32\n"
    "  %i = arange {start = 0, end = 128} : tile<128xi32, #l>\n  %p = splat %x : tile<128x*fp32, #l>\n"
    "  %a = addptr %p, %i : tile<128x*fp32, #l>\n  %s = constant {fvalue = 0} : tile<128xfp32, #l>\n"
    "  %t = for %z, %n, %o, %s : tile<128xfp32, #l> do (%k: i32, %c: tile<128xfp32, #l>) {\n"
    "    %v = load %a : tile<128xfp32, #l>\n    %d = add %c, %v : tile<128xfp32, #l>\n    yield %d\n  }\n"
    "  store %a, %t\n  return\n}\n}\n";

static const CostReport *report_of(IrFixture *s, uint64_t n, const Insn *insns, uint32_t count) {
  s->module = module_parse(&s->ir, sources_add(&s->sources, "k.tir", str_from(loop)));
  assert_non_null(s->module);
  expect_valid(s);
  Ops ops = {.n = 0};
  Func *func = s->module->funcs.at[0];
  for (OpWalk w = ops_in(func->body); ops_next(&w);) add_op(w.op, &ops);
  assert_int_equal(ops.at[LOADED]->kind, OP_LOAD);
  static MachineCode code;
  code = code_of(&s->arena, &ops, insns, count);
  uint64_t args[] = {0x10000, n};
  CostBuffer buffer = {"x", 0x10000, 1 << 20, 0, NULL};
  CostLaunch launch = {
      .grid = {1, 1, 1}, .args = args, .arg_count = 2, .buffers = &buffer, .buffer_count = 1, .code = &code};
  return cost_report(&s->arena, func, &launch);
}

static double counted(const CostReport *report, OpKind kind, SassPipe pipe) {
  for (uint32_t i = 0; i < report->op_count; i++)
    if (report->ops[i].op->kind == kind) return report->ops[i].instructions[pipe];
  return 0;
}

#define EXPECT(report, kind, pipe, n) assert_int_equal((int)counted(report, kind, pipe), n)

// Instructions of no op belong to the return. Instructions after the exit are not run.
TEST(test_counts) {
  static const Insn insns[] = {{MOVE, NOT_TOLD, 0, 0},  {LOAD, LOADED, 0, 0},  {ADD, ADDED, 0, 0},
                               {BRANCH, YIELD, 1, 1},   {STORE, STORED, 0, 0}, {END, RETURN, 0, 0},
                               {BRANCH, NOT_TOLD, 6, 0}};
  IrFixture s;
  ir_fixture_open(&s);
  const CostReport *report = report_of(&s, 8, insns, sizeof insns / sizeof *insns);
  assert_true(report->assembled);
  assert_true(report->estimated > 0);
  EXPECT(report, OP_LOAD, PIPE_MEMORY, 4 * 8);
  EXPECT(report, OP_ADD, PIPE_FMA, 4 * 8);
  EXPECT(report, OP_YIELD, PIPE_CONTROL, 4 * 8);
  EXPECT(report, OP_STORE, PIPE_MEMORY, 4);
  EXPECT(report, OP_RETURN, PIPE_ALU, 4);
  EXPECT(report, OP_RETURN, PIPE_CONTROL, 4);
  EXPECT(report, OP_ADDPTR, PIPE_ALU, 0);
  assert_int_equal((int)report->totals.instructions[PIPE_MEMORY], 4 * 9);
  ir_fixture_close(&s);
}

// Four copies of the body, then two where two are left over, then one.
static void expect_copies(uint64_t n, int loads) {
  static const Insn insns[] = {
      {LOAD, LOADED, 0, 0},  {LOAD, LOADED, 0, 0},  {LOAD, LOADED, 0, 0}, {LOAD, LOADED, 0, 0},
      {ADD, ADDED, 0, 0},    {ADD, ADDED, 0, 0},    {ADD, ADDED, 0, 0},   {ADD, ADDED, 0, 0},
      {BRANCH, YIELD, 0, 1}, {BRANCH, FOR, 14, 1},  {LOAD, LOADED, 0, 0}, {LOAD, LOADED, 0, 0},
      {ADD, ADDED, 0, 0},    {ADD, ADDED, 0, 0},    {BRANCH, FOR, 17, 1}, {LOAD, LOADED, 0, 0},
      {ADD, ADDED, 0, 0},    {STORE, STORED, 0, 0}, {END, RETURN, 0, 0}};
  IrFixture s;
  ir_fixture_open(&s);
  const CostReport *report = report_of(&s, n, insns, sizeof insns / sizeof *insns);
  EXPECT(report, OP_LOAD, PIPE_MEMORY, 4 * loads);
  EXPECT(report, OP_ADD, PIPE_FMA, 4 * loads);
  EXPECT(report, OP_STORE, PIPE_MEMORY, 4);
  ir_fixture_close(&s);
}

TEST(test_copies) {
  expect_copies(8, 8);
  expect_copies(7, 7);
  expect_copies(6, 6);
  expect_copies(5, 5);
  expect_copies(0, 0); // what is left over of no iteration is none
}

WHOLE_SUITE(cost_code)
