// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of ops: one file holds every op and comes back from its text; what
// breaks a rule is said, at the op.
#include "tests/unit/unit.h"
#include "ir/text/parse.h"
#include "ir/text/print.h"
#include "tests/unit/golden.h"
#include "tests/unit/text_fixture.h"

static IrModule *verify_fixture_parse(TextFixture *s, const char *text) {
  text_fixture_open(s);
  return module_parse(&s->ir, sources_add(&s->sources, "x.tir", str_from(text)));
}

static void print_messages(TextFixture *s, Buf *out) { diags_print_text(&s->diags, false, out); }

static const char *read_golden(Arena *arena, const char *name) {
  Str text = golden_read(arena, arena_printf(arena, "%s/golden/tir/%s", TESTS_DIR, name));
  if (!text.at) fail_msg("cannot read %s", name);
  return text.at;
}

static char *reprint(const char *text) {
  TextFixture s;
  IrModule *module = verify_fixture_parse(&s, text);
  Buf out = {0};
  if (!module) {
    print_messages(&s, &out);
    fail_msg("%s", out.at);
  }
  module_print(module, &(PrintOptions){.no_locs = true}, &out);
  arena_free(&s.arena);
  return out.at;
}

TEST(test_every_op_comes_back) {
  Arena arena = {0};
  char *once = reprint(read_golden(&arena, "ops.tir"));
  assert_true(golden_check(&arena, TESTS_DIR "/golden/tir/ops.tir", str_from(once)));
  arena_free(&arena);
  free(once);
}

TEST(test_every_op_is_there) {
  uint32_t counts[OP_COUNT] = {0};
  Arena arena = {0};
  TextFixture s;
  IrModule *module = verify_fixture_parse(&s, read_golden(&arena, "ops.tir"));
  assert_non_null(module);
  for (uint32_t i = 0; i < module->funcs.n; i++)
    for (OpWalk w = ops_in(module->funcs.at[i]->body); ops_next(&w);) counts[w.op->kind]++;
  for (int kind = 0; kind < OP_COUNT; kind++)
    if (!counts[kind]) fail_msg("ops.tir has no %s", op_info((OpKind)kind)->name);
  arena_free(&s.arena);
  arena_free(&arena);
}

typedef struct Invalid {
  const char *text, *error;
} Invalid;

static const char *const values =
    "#a = layout<reg = [1, 2], lane = [4, 8, 16, 32, 64], warp = [128, 256]; 512>\n"
    "#b = layout<reg = [128, 256], lane = [1, 2, 4, 8, 16], warp = [32, 64]; 512>\n"
    "module {\nkernel @k(%p: *fp32, %pi: *i32, %i: i32, %l: i64, %f: fp32, %d: fp64) {\n"
    "  %c = eq %i, %i : i1\n"
    "  %t = splat %i : tile<16xi32>\n"
    "  %tf = splat %f : tile<16xfp32>\n"
    "  %ta = splat %f : tile<512xfp32, #a>\n"
    "  %tb = splat %f : tile<512xfp32, #b>\n"
    "  %m = splat %f : tile<16x32xfp32>\n"
    "  %mi = splat %i : tile<16x32xi32>\n"
    "  %q = splat %f : tile<32x16xfp32>\n"
    "  %s = splat %f : tile<16x16xfp32>\n"
    "  %h = cast %m : tile<16x32xfp16>\n"
    "  %bf = cast %q : tile<32x16xbf16>\n"
    "  %hq = cast %q : tile<32x16xfp16>\n"
    "  %b8 = cast %m : tile<16x32xi8>\n"
    "  %b8q = cast %q : tile<32x16xi8>\n"
    "  %u8 = cast %m : tile<16x32xu8>\n"
    "  %u8q = cast %q : tile<32x16xu8>\n"
    "  %scale = constant {value = 1} : tile<16x1xu8>\n"
    "  %scale2 = constant {value = 1} : tile<16x2xu8>\n"
    "  %pt = splat %p : tile<16x*fp32>\n"
    "  %bp = make_block_ptr %p, %l, %l, %l, %l, %l, %l : block_ptr<16x32xfp32>\n"
    "  %bi = make_block_ptr %pi, %l, %l, %l : block_ptr<16xi32>\n";

static const Invalid bodies[] = {
    {"%x = math %f {function = \"expo\"} : fp32", "math: there is no function 'expo'"},
    {"%x = math %f {function = \"exp2\", polynomial = 3} : fp32",
     "math: `polynomial` is an even number from 2 to 32, of exp2 in fp32"},
    {"%x = math %f : fp32", "math: needs the attribute 'function'"},
    {"%x = math %f, %f {function = \"exp\"} : fp32", "math: exp takes 1 operands, not 2"},
    {"%x = math %f {function = \"pow\"} : fp32", "math: pow takes 2 operands, not 1"},
    {"%x = math %f, %d {function = \"pow\"} : fp32",
     "math: operand 1 has the type of operand a, fp32, not fp64"},
    {"%x = math %f {function = \"isnan\"} : fp32", "math: the result of isnan is of i1, not fp32"},
    {"%x = math %f {function = \"exp\"} : fp64", "math: the result of exp is of fp32, not fp64"},
    {"%x = math %i {function = \"exp\"} : i32", "math: the operands are fp32 or fp64, not i32"},
    {"%x = fma %i, %i, %i : i32", "fma: the operands are floats, not i32"},
    {"%x = copy %i : i32", "copy: the operands are fp32, not i32"},
    {"%x = rescale %i, %i : i32", "rescale: the operands are fp32, not i32"},
    {"%x = hint %f {multiple = [2]} : fp32", "hint: the operands are integers or pointers, not fp32"},
    {"%x = hint %i {multiple = [2, 2]} : i32", "hint: `multiple` has 2 numbers for 1 dimensions"},
    {"%x = hint %i {constant = [0]} : i32", "hint: `constant` has a 0; each is at least 1"},
    {"%x = div %f, %f {constant = [2]} : fp32", "div: runs are of integers, not fp32"},
    {"%x = rem %i, %i {contiguous = [2, 2]} : i32", "rem: `contiguous` has 2 numbers for 1 dimensions"},
    {"%x = mulhi %f, %f : fp32", "mulhi: the operands are integers, not fp32"},

    {"%x = expand_dims %i {axis = 0} : tile<1xi32>", "expand_dims: operand x is a tile, not i32"},
    {"%x = expand_dims %t {axis = 2} : tile<16x1xi32>",
     "a dimension cannot be inserted at 2 of tile<16xi32>"},
    {"%x = expand_dims %t {axis = -1} : tile<16x1xi32>", "a dimension cannot be inserted at -1"},
    {"%x = expand_dims %t {axis = 0} : tile<16x1xi32>",
     "expand_dims: result 0 is tile<16x1xi32>, which does not follow from tile<16xi32>"},
    {"%x = expand_dims %t {axis = 0} : tile<1x16xi64>", "expand_dims: result 0 is tile<1x16xi64>"},
    {"%x = broadcast %m : tile<32x32xfp32>",
     "broadcast: result 0 is tile<32x32xfp32>, which does not follow"},
    {"%x = broadcast %t : tile<1x16xi32>", "broadcast: result 0 is tile<1x16xi32>, which does not follow"},
    {"%x = reshape %m : tile<256xfp32>",
     "reshape: tile<16x32xfp32> and tile<256xfp32> do not hold the same elements"},
    {"%x = reshape %m : tile<512xi32>", "do not hold the same elements"},
    {"%x = trans %m {order = [0, 0]} : tile<16x16xfp32>",
     "trans: 'order' is a permutation of the 2 dimensions"},
    {"%x = trans %m {order = [1]} : tile<32x16xfp32>", "trans: 'order' is a permutation of the 2 dimensions"},
    {"%x = trans %m {order = [1, 70]} : tile<32x16xfp32>", "trans: 'order' is a permutation"},
    {"%x = trans %m {order = [1, 0]} : tile<16x32xfp32>", "trans: result 0 is tile<16x32xfp32>"},
    {"%x = join %m, %mi : tile<16x32x2xfp32>",
     "join: operand b has the type of operand a, tile<16x32xfp32>, not tile<16x32xi32>"},
    {"%x = join %m, %m : tile<2x16x32xfp32>", "join: result 0 is tile<2x16x32xfp32>"},
    {"%x, %y = split %m : tile<16xfp32>, tile<16xfp32>",
     "split: the last dimension of tile<16x32xfp32> is not of size 2"},
    {"%j = join %t, %t : tile<16x2xi32> %x, %y = split %j : tile<16xi32>, tile<16xi64>",
     "split: result 1 is tile<16xi64>"},
    {"%x = cat %m, %q {axis = 0} : tile<47x32xfp32>", "cat: tile<16x32xfp32>"},
    {"print %m, %i {prefix = \"m\", sizes = [16]}",
     "print: 'sizes' has for each dimension of each operand a number from 1 to its size"},
    {"print %m {prefix = \"m\", sizes = [17, 32]}", "print: 'sizes' has for each dimension"},
    {"print %m {prefix = \"m\", sizes = [16, 0]}", "print: 'sizes' has for each dimension"},
    {"print %m {prefix = \"m\", sizes = [16, 32, 1]}", "print: 'sizes' has for each dimension"},
    {"%x = cat %m, %q {axis = 0} : tile<32x32xfp32>", "differ in more than dimension 0"},
    {"%x = cat %m, %m {axis = 2} : tile<32x32xfp32>",
     "cat: the axis 2 is not a dimension of tile<16x32xfp32>"},
    {"%x = cat %m, %m {axis = 0} : tile<16x64xfp32>", "cat: result 0 is tile<16x64xfp32>"},
    {"%x = slice %m {starts = [8, 0]} : tile<16x32xfp32>",
     "slice: 16 elements from 8 on are not within the 16 of dimension 0"},
    {"%x = slice %m {starts = [-1, 0]} : tile<8x32xfp32>", "slice: 8 elements from -1 on"},
    {"%x = slice %m {starts = [8]} : tile<8x32xfp32>", "with 1 starts is not a slice"},
    {"%x = gather %m, %m {axis = 0} : tile<16x32xfp32>",
     "gather: operand index is a tile of integers other than i1, not tile<16x32xfp32>"},
    {"%x = gather %q, %mi {axis = 0} : tile<16x32xfp32>",
     "gather: tile<32x16xfp32> and the index tile<16x32xi32>"},
    {"%x = gather %m, %mi {axis = 0} : tile<32x32xfp32>", "gather: result 0 is tile<32x32xfp32>"},
    {"%x = flip %m {axis = 2} : tile<16x32xfp32>", "flip: the axis 2 is not a dimension"},
    {"%x = flip %m {axis = 0} : tile<32x16xfp32>",
     "flip: the result has the type of operand x, tile<16x32xfp32>, not tile<32x16xfp32>"},
    {"%x = sort %pt {axis = 0} : tile<16x*fp32>",
     "sort: operand x is a tile of integers or floats, not tile<16x*fp32>"},
    {"%y = constant {value = 1} : tile<12xi32>\n%x = sort %y {axis = 0, merge} : tile<12xi32>",
     "sort: a merge is of a power of two of elements, not 12"},
    {"%x = histogram %tf : tile<16xi32>",
     "histogram: operand x is a tile of integers other than i1, not tile<16xfp32>"},
    {"%x = histogram %t : tile<16xi64>", "histogram: the result is a tile of i32 with one dimension"},
    {"%x = histogram %t, %t : tile<16xi32>", "histogram: operand mask is of i1, not tile<16xi32>"},

    {"%x = dot %m, %m, %s : tile<16x16xfp32>",
     "dot: the shapes of tile<16x32xfp32>, tile<16x32xfp32> and tile<16x16xfp32> do not agree"},
    {"%x = dot %t, %t, %t : tile<16xi32>", "dot: the shapes of tile<16xi32>"},
    {"%x = dot %h, %bf, %s : tile<16x16xfp32>", "dot: there is no dot of fp16 and bf16 into fp32"},
    {"%x = dot %b8, %b8q, %s : tile<16x16xfp32>", "dot: there is no dot of i8 and i8 into fp32"},
    {"%x = dot %u8, %u8q, %s, %c, %scale, %scale : tile<16x16xfp32>",
     "dot: its scales are two matrices of one type"},
    {"%x = dot %b8, %b8q, %s, %c, %scale, %scale : tile<16x16xfp32>",
     "dot: there is no dot of i8 and i8 into fp32"},
    {"%x = dot %u8, %u8q, %s, %c, %scale2 : tile<16x16xfp32>",
     "dot: its scales are two matrices of one type"},
    {"%x = dot %m, %q, %s {precision = \"fp32\"} : tile<16x16xfp32>",
     "dot: 'fp32' is not a value of 'precision'"},
    {"%x = dot %h, %hq, %s {precision = \"tf32\"} : tile<16x16xfp32>", "dot: 'precision' is of dots of fp32"},
    {"%x = dot %m, %q, %s : tile<16x32xfp32>", "dot: the result has the type of acc"},
    {"%x = dot %m, %q, %s {instruction = \"mma\", async} : tile<16x16xfp32>",
     "dot: mma is never asynchronous"},
    {"%sb = shared_alloc : shared<32x16xfp32, layout<offset = [1, 2, 4, 8, 16, 32, 64, 128, 256]; 512>>\n"
     "%x = dot %m, %sb, %s {instruction = \"mma\"} : tile<16x16xfp32>",
     "dot: mma takes operands from registers, not from shared<32x16xfp32"},
    {"%x = dot %m, %q, %s {part = [0, 8]} : tile<16x16xfp32>", "dot: 'part' is of asynchronous dots without"},
    {"%x = dot %m, %q, %s {extents = [16, 17, 16]} : tile<16x16xfp32>",
     "dot: 'extents' are m, n and k of the dot"},
    {"%x = dot %m, %q, %s {unroll = 2147483648} : tile<16x16xfp32>",
     "dot: 'unroll' of a dot divides its k, 32"},
    {"%x = dot %m, %q, %s {extents = [16, 16]} : tile<16x16xfp32>",
     "dot: 'extents' are m, n and k of the dot"},
    {"%x = dot %m, %q, %s {instruction = \"wgmma\", async, part = [4, 8]} : tile<16x16xfp32>",
     "dot: 'part' is where a part of k begins"},
    {"%x = dot %m, %q, %s {instruction = \"wgmma\", async, part = [32, 8]} : tile<16x16xfp32>",
     "dot: the shapes of"},
    {"%x = dot %m, %q, %s, %m : tile<16x16xfp32>", "dot: 'fresh' is i1, not tile<16x32xfp32>"},
    {"%x = dot %m, %q, %s {imprecise = -1} : tile<16x16xfp32>", "dot: 'imprecise' is 0 or more"},

    {"%x = atomic_rmw %p, %f : fp32", "atomic_rmw: needs the attribute 'rmw'"},
    {"%x = atomic_rmw %p, %f {rmw = \"sub\"} : fp32", "atomic_rmw: 'sub' is not a value of 'rmw'"},
    {"%x = atomic_rmw %p, %f {rmw = \"and\"} : fp32", "atomic_rmw: there is no atomic and of fp32"},
    {"%fh = cast %f : fp16\n%ph = bitcast %p : *fp16\n%x = atomic_rmw %ph, %fh {rmw = \"xchg\"} : fp16",
     "atomic_rmw: there is no atomic xchg of fp16"},
    {"%x = atomic_rmw %p, %i {rmw = \"add\"} : i32",
     "atomic_rmw: operand value is i32, but operand pointer is *fp32"},
    {"%x = atomic_rmw %p, %f {rmw = \"load\"} : fp32",
     "atomic_rmw: 'sem' of an atomic load is \"acquire\" or \"relaxed\""},
    {"%x = atomic_rmw %p, %f {rmw = \"load\", sem = \"release\"} : fp32",
     "atomic_rmw: 'sem' of an atomic load is \"acquire\" or \"relaxed\""},
    {"%x = atomic_rmw %p, %f {rmw = \"store\", sem = \"acq_rel\"} : fp32",
     "atomic_rmw: 'sem' of an atomic store is \"release\" or \"relaxed\""},
    {"%x = atomic_rmw %p, %f {rmw = \"store\", sem = \"release\"} : fp32\nstore %p, %x",
     "atomic_rmw: the result of an atomic store is not used"},
    {"%x = atomic_rmw %p, %f, %i {rmw = \"add\"} : fp32", "atomic_rmw: operand mask is of i1, not i32"},
    {"%x = atomic_rmw %p, %f {rmw = \"add\"} : i32",
     "atomic_rmw: the result has the type of operand value, fp32, not i32"},
    {"%x = atomic_rmw %p, %f {rmw = \"add\", sem = \"weak\"} : fp32",
     "atomic_rmw: 'weak' is not a value of 'sem'"},
    {"%x = atomic_rmw %p, %f {rmw = \"add\", scope = \"all\"} : fp32",
     "atomic_rmw: 'all' is not a value of 'scope'"},
    {"%x = atomic_rmw %p, %f {rmw = \"add\", vector = 2} : fp32",
     "atomic_rmw: 'vector' is a power of two up to 1, not 2"},
    {"%x = atomic_rmw %p, %f {rmw = \"add\", align = 3} : fp32",
     "atomic_rmw: 'align' is a power of two up to 65536, not 3"},
    {"%x = atomic_cas %p, %i, %f : fp32",
     "atomic_cas: operand compare has the type of operand value, fp32, not i32"},
    {"%x = make_block_ptr %p, %l, %l : block_ptr<16xfp32>",
     "make_block_ptr: 1 dimensions need 4 operands, not 3"},
    {"%x = make_block_ptr %p, %i, %l, %l : block_ptr<16xfp32>", "make_block_ptr: operand 1 is i64, not i32"},
    {"%x = make_block_ptr %p, %l, %l, %l : tile<16xfp32>",
     "make_block_ptr: the result is a block pointer, not tile<16xfp32>"},
    {"%x = make_block_ptr %p, %l, %l, %l : block_ptr<16xi32>",
     "make_block_ptr: the base is *fp32, the result block_ptr<16xi32>"},
    {"%x = make_block_ptr %p, %l, %l, %l {order = [1]} : block_ptr<16xfp32>",
     "make_block_ptr: 'order' is a permutation of the 1 dimensions"},
    {"%x = make_block_ptr %p, %l, %l, %l : block_ptr<0xfp32>", "the size 0 of result 0 is not positive"},
    {"%x = make_block_ptr %p, %l, %l, %l : block_ptr<16xfp32, #a>", "a block pointer has no layout"},
    {"%x = advance %p, %l : *fp32", "advance: operand block is a block pointer, not *fp32"},
    {"%x = advance %bp, %l : block_ptr<16x32xfp32>", "advance: 2 dimensions need 2 offsets, not 1"},
    {"%x = advance %bp, %l, %l : block_ptr<16xi32>",
     "advance: the result has the type of operand block, block_ptr<16x32xfp32>, not block_ptr<16xi32>"},
    {"%x = block_load %p : fp32", "block_load: operand block is a block pointer, not *fp32"},
    {"%x = block_load %bp : tile<16xfp32>",
     "block_load: the tile is tile<16xfp32>, the block pointer block_ptr<16x32xfp32>"},
    {"%x = block_load %bp {boundary = [2]} : tile<16x32xfp32>", "block_load: 'boundary' names dimensions"},
    {"%x = block_load %bp {boundary = [0, 0]} : tile<16x32xfp32>", "block_load: 'boundary' names dimensions"},
    {"%x = block_load %bp {padding = \"one\"} : tile<16x32xfp32>",
     "block_load: 'one' is not a value of 'padding'"},
    {"%x = block_load %bi {padding = \"nan\"} : tile<16xi32>",
     "block_load: tile<16xi32> has no NaN to pad with"},
    {"block_store %bp, %mi", "block_store: the tile is tile<16x32xi32>"},
    {"%x = add %bp, %bp : block_ptr<16x32xfp32>",
     "add: operand 0, block_ptr<16x32xfp32>, does not have the shape"},
    {"%x = select %c, %bp, %bp : block_ptr<16x32xfp32>", "select: operand 0, i1, does not have the shape"},
    {"%x = inline_asm %f {asm = \"\", constraints = \"\", pack = 3} : fp32",
     "inline_asm: 'pack' is a power of two up to 64, not 3"},
    {"inline_asm %f {asm = \"\", constraints = \"\", pack = 1}", "inline_asm: gives at least one result"},
    {"%x, %y = inline_asm %f {asm = \"\", constraints = \"\", pack = 1} : fp32, tile<16xfp32>",
     "inline_asm: result 1, tile<16xfp32>, does not have the shape and layout of fp32"},
    {"inline_asm {asm = \"\", constraints = \"\", pack = 1}", "inline_asm: gives at least one result"},
    {"print %bp {prefix = \"\"}", "print: operand x is numbers or pointers, not block_ptr<16x32xfp32>"},
    {"assert %i {message = \"\"}", "assert: operand condition is of i1, not i32"},
    {"%x = globaltimer : i32", "globaltimer: the result is i64, not i32"},
    {"%x = smid : i64", "smid: the result is i32, not i64"},

    {"reduce {axis = 0} do { yield }", "reduce: takes 1 operands or more, not 0"},
    {"%x = reduce %f {axis = 0} : fp32 do (%u: fp32, %v: fp32) { yield %u }",
     "reduce: the operands are tiles of one shape, operand 0 is fp32"},
    {"%b = shared_alloc : shared<16xi32> %x = scan %t, %b {axis = 7} : tile<16xi32> do (%u: i32, %v: i32) { "
     "yield %u }",
     "scan: the axis 7 is not a dimension of tile<16xi32>"},
    {"%b = shared_alloc : shared<16xi32> %x = reduce %t, %b {axis = -1} : i32 do (%u: i32, %v: i32) { yield "
     "%u }",
     "reduce: the axis -1 is not a dimension of tile<16xi32>"},
    {"%b = shared_alloc : shared<16xi32> %x = gather %t, %t, %b {axis = 3} : tile<16xi32>", "gather: "},
    {"%x = convert_layout %t, %t : tile<16xi32>",
     "convert_layout: the last operand, its scratch, is a shared buffer, not tile<16xi32>"},
    {"%x = reduce %t {axis = 1} : i32 do (%u: i32, %v: i32) { yield %u }",
     "reduce: the axis 1 is not a dimension of tile<16xi32>"},
    {"%x = reduce %t {axis = 0, redux} : i32 do (%u: i32, %v: i32) { %w = add %u, %v : i32 yield %w }",
     "reduce: 'redux' is of tiles with layouts, not of tile<16xi32>"},
    {"%x = reduce %t {axis = 0} : i32 do (%u: i32) { yield %u }",
     "reduce: its region has 1 arguments, not 2: twice an element of each operand"},
    {"%x = reduce %t {axis = 0} : i32 do (%u: i32, %v: i64) { yield %u }",
     "reduce: argument 1 is i64, the operand's element i32"},
    {"%x = reduce %t {axis = 0} : tile<16xi32> do (%u: i32, %v: i32) { yield %u }",
     "reduce: result 0 is tile<16xi32>, the operand tile<16xi32>"},
    {"%x = reduce %m {axis = 0} : tile<16xfp32> do (%u: fp32, %v: fp32) { yield %u }",
     "reduce: result 0 is tile<16xfp32>, the operand tile<16x32xfp32>"},
    {"%x = reduce %t {axis = 0} : i32 do (%u: i32, %v: i32) { yield %f }",
     "yield: value 0 is fp32, the result of reduce i32"},
    {"%x = reduce %t {axis = 0} : i32 do (%u: i32, %v: i32) { yield }",
     "yield: 0 values for the 1 results of reduce"},
    {"%la = splat %i : tile<512xi32, #b> "
     "%x = reduce %la {axis = 0, redux} : i32 do (%u: i32, %v: i32) { %w = add %u : i32 yield %w }",
     "add: takes 2 operands, not 1"},
    {"%la = splat %i : tile<512xi32, #b> "
     "%x = reduce %la {axis = 0, redux} : i32 do (%u: i32, %v: i32) { %w = mul %u, %v : i32 yield %w }",
     "reduce: no redux.sync combines as its region does"},
    {"%x = reduce %tf {axis = 0} : fp32 do (%u: fp32, %v: fp32) { store %p, %u yield %u }",
     "store: cannot be in the function of reduce, which has no effects"},
    {"%x = reduce %tf {axis = 0} : fp32 do (%u: fp32, %v: fp32) { %y = load %p : fp32 yield %y }",
     "load: cannot be in the function of reduce"},
    {"%x = reduce %tf {axis = 0} : fp32 do (%u: fp32, %v: fp32) { %y = splat %u : tile<4xfp32> yield %u }",
     "splat: the function of reduce computes with scalars, not tile<4xfp32>"},
    {"%x = reduce %tf {axis = 0} : fp32 do (%u: fp32, %v: fp32) { if %c then { barrier yield } else { yield "
     "} "
     "yield %u }",
     "barrier: cannot be in the function of reduce"},
    {"%x, %y = reduce %tf {axis = 0} : fp32, fp32 do (%u: fp32, %v: fp32) { yield %u, %u }",
     "reduce: 1 operands and 2 results do not agree"},
    {"%x, %y = reduce %tf, %m {axis = 0} : fp32, fp32 do { yield }",
     "reduce: the operands are tiles of one shape, operand 1 is tile<16x32xfp32>"},
    {"%x, %y = scan %ta, %tb {axis = 0} : tile<512xfp32, #a>, tile<512xfp32, #b> do { yield }",
     "scan: operand 1 has another layout"},
    {"%x = scan %t {axis = 0} : i32 do (%u: i32, %v: i32) { yield %u }",
     "scan: operand 0 is tile<16xi32>, the result i32"},
    {"%x, %y = scan_chunks %tb {axis = 0, runs} : tile<512xfp32, #b>, tile<512xfp32, #b> do (%u: fp32, %v: "
     "fp32) { yield %u }",
     "scan_chunks: 'runs' is of chunks whose lanes hold runs one after another"},
    {"%x, %y = scan_chunks %ta {axis = 0, runs} : tile<512xfp32, #a>, tile<512xfp32, #b> do (%u: fp32, %v: "
     "fp32) { yield %u }",
     "scan_chunks: the value before runs is tile<512xfp32, "},
    {"%x = scan_carry %ta, %ta {axis = 0, runs} : tile<512xfp32, #a> do (%u: fp32, %v: fp32) { yield %u }",
     "scan_carry: 2 operands and 1 results do not agree"},
    {"%x = map %t : i32 do (%u: i32) { yield %u }", "map: result 0, i32, does not have the shape and layout"},
    {"%x = map %t : tile<16xi32> do (%u: i32, %v: i32) { yield %u }",
     "map: its region has 2 arguments, not 1: an element of each operand"},
    {"%x = map %t : tile<16xi32> do (%u: i32) { yield %l }", "yield: value 0 is i64, the result of map i32"},
    {"while test { yield %i } do { yield }", "yield: the condition is i1, not i32"},
    {"while test { yield } do { yield }", "yield: 0 values for the condition and the 0 results of while"},
    {"while test { yield %c }", "while: has 2 regions, not 1"},
    {"while do { yield %c } do { yield }", "expected 'test', found 'do'"},
    {"%x = while %i : i64 test (%u: i64) { yield %c, %u } do (%u: i64) { yield %u }",
     "while: initial value 0 is i32, the result i64"},
    {"%x = while %i : i32 test (%u: i32) { yield %c, %l } do (%u: i32) { yield %u }",
     "yield: value 1 is i64, the result of while i32"},
    {"%x = while %i : i32 test (%u: i32) { yield %c, %u } do (%u: i64) { yield %u }",
     "while: argument 0 is i64, the result i32"},
    {"%x = while %i : i32 test { yield %c, %i } do (%u: i32) { yield %u }",
     "while: 1 initial values, 1 results and 0 arguments of region 0 do not agree"},
};

static bool expect_error(const char *text, const char *error) {
  TextFixture s;
  Buf out = {0};
  bool parsed = verify_fixture_parse(&s, text) != NULL;
  print_messages(&s, &out);
  bool as_expected = !parsed && out.at && strstr(out.at, error);
  if (!as_expected) print_error("for: %s\nwanted: %s\ngot: %s\n", text, error, parsed ? "no error" : out.at);
  buf_free(&out);
  arena_free(&s.arena);
  return as_expected;
}

TEST(test_what_breaks_a_rule_is_said) {
  int wrong = 0;
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    Buf text = {0};
    buf_printf(&text, "%s%s\n  return\n}\n}\n", values, bodies[i].text);
    wrong += !expect_error(text.at, bodies[i].error);
    buf_free(&text);
  }
  assert_int_equal(wrong, 0);
}

TEST(test_the_values_alone_are_right) {
  TextFixture s;
  Buf text = {0}, out = {0};
  buf_printf(&text, "%s  return\n}\n}\n", values);
  if (!verify_fixture_parse(&s, text.at)) {
    print_messages(&s, &out);
    fail_msg("%s", out.at);
  }
  buf_free(&text);
  arena_free(&s.arena);
}

WHOLE_SUITE(verify)
