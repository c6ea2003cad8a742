// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text form: what is printed is read back to the same module, and what is wrong is said, where it is.
#include "tests/unit/unit.h"
#include "ir/text/parse.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"
#include "tests/unit/text_fixture.h"

// Parses and prints. NULL where it is not well formed; the first message with its place is then in *message.
static char *reprint(const char *text, const PrintOptions *options, char **message) {
  TextFixture s;
  text_fixture_open(&s);
  IrModule *module = module_parse(&s.ir, sources_add(&s.sources, "x.tir", str_from(text)));
  Buf out = {0};
  if (module)
    module_print(module, options, &out);
  else
    diags_print_text(&s.diags, false, &out);
  text_fixture_close(&s);
  if (module) return out.at;
  *message = out.at;
  return NULL;
}

static char *read_file(const char *name) {
  char path[600];
  snprintf(path, sizeof path, "%s/golden/tir/%s", TESTS_DIR, name);
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("cannot read %s", path);
  Buf text = {0};
  char block[4096];
  for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;) buf_bytes(&text, block, n);
  fclose(file);
  return text.at;
}

static void expect_golden(const char *name, const char *got) {
  char path[600];
  snprintf(path, sizeof path, "%s/golden/tir/%s", TESTS_DIR, name);
  if (getenv("BLESS")) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(got, file);
    fclose(file);
  }
  char *want = read_file(name);
  assert_string_equal(got, want);
  free(want);
}

TEST(test_round_trip_of_every_construct) {
  char *message = NULL, *source = read_file("kitchen.tir");
  char *once = reprint(source, NULL, &message);
  if (!once) fail_msg("%s", message);
  char *twice = reprint(once, NULL, &message);
  if (!twice) fail_msg("%s", message);
  assert_string_equal(once, twice);
  expect_golden("kitchen.printed.tir", once);
  char *plain = reprint(source, &(PrintOptions){.no_locs = true}, &message);
  assert_null(strstr(plain, "loc("));
  free(source);
  free(once);
  free(twice);
  free(plain);
}

#define MAP_OF(parts) "module { kernel @k(%n: i64, %a: *fp16) map %m: tensor_map<" parts "> { yield %a, %n, %n, %n } { return } }"
#define MAP "tensor_map<fp16, box=[64, 64], swizzle=128, fill=zero>"

TEST(test_round_trip_of_a_kernel) {
  char *message = NULL, *source = read_file("add.tir");
  char *once = reprint(source, &(PrintOptions){.no_locs = true}, &message);
  if (!once) fail_msg("%s", message);
  char *twice = reprint(once, &(PrintOptions){.no_locs = true}, &message);
  assert_string_equal(once, twice);
  expect_golden("add.printed.tir", once);
  free(source);
  free(once);
  free(twice);
}

// The body of a kernel; the error must have this text, at this place.
typedef struct Invalid {
  const char *text, *error;
} Invalid;

static bool expect_error(const char *text, const char *error) {
  char *message = NULL, *printed = reprint(text, NULL, &message);
  bool as_expected = !printed && strstr(message, error);
  if (!as_expected)
    print_error("for: %s\nwanted: %s\ngot: %s\n", text, error, printed ? "no error" : message);
  free(printed);
  free(message);
  return as_expected;
}

static const Invalid texts[] = {
    {"", "x.tir:1:1: error: expected 'module', found the end of the file"},
    {"module", "x.tir:1:7: error: expected an option of the module, found the end of the file"},
    {"module {", "expected 'kernel', found the end of the file"},
    {"module { } x", "x.tir:1:12: error: expected the end of the file, found 'x'"},
    {"module numwarps = 4 { }", "unknown option 'numwarps'; did you mean 'num_warps'?"},
    {"module 3 { }", "expected an option of the module, found '3'"},
    {"module num_warps = 70000 { }", "num_warps may be at most 65535"},
    {"module num_warps = 3 { }", "num_warps is a power of two from 1 to 32, not 3"},
    {"module num_stages = 0 { }", "num_stages is 1 to 64, not 0"},
    {"module num_stages = 65 { }", "num_stages is 1 to 64, not 65"},
    {"module maxnreg = 256 { }", "maxnreg is at most 255, not 256"},
    {"module opt_level = 4 { }", "opt_level is 0 to 3, not 4"},
    {"module debug = 1 { }", "expected true or false, found '1'"},
    {"module target = \"sm_12\" { }", "unknown target \"sm_12\""},
    {"module target = \"sm_80a\" { }", "unknown target \"sm_80a\""},
    {"module fp32_dot = \"x\" { }", "fp32_dot is \"ieee\", \"tf32\", \"tf32x3\", \"bf16x3\" or \"bf16x6\""},
    {"module target = \"sm_80 { }", "expected a string, found a string without its closing quote"},
    {"module target = \"\\q\" { }", "a bad escape in a string"},
    {"#a = layout<3> module { }", "a layout's size is a power of two"},
    {"#a = layout<reg = [4]; 4> module { }", "the basis 4 is not below the layout's size"},
    {"#a = layout<lane = [1], reg = [2]; 4> module { }", "a layout's dimensions are in the order"},
    {"#a = layout<foo = [1]; 4> module { }", "expected reg, lane, warp, block or offset, found 'foo'"},
    {"#a = layout<reg = []; 4> module { }", "expected a basis, found ']'"},
    {"#a = layout<reg = [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]; "
     "4> module { }",
     "a layout has at most 40 bases"},
    {"#a = layout<1> #a = layout<1> module { }", "#a is defined already"},
    {"#a = #b module { }", "there is no layout '#b'"},
    {"module { kernel k() { return } }", "expected a kernel's name (@name), found 'k'"},
    {"module { kernel @1() { return } }", "a kernel's name does not begin with a digit"},
    {"module { kernel @k() { return } kernel @k() { return } }", "two kernels have that name"},
    {"module { kernel @k(%1: i32) { return } }", "a parameter's name does not begin with a digit"},
    {"module { kernel @k(%a: i32, %a: i32) { return } }", "%a is defined already"},
    {"module { kernel @k(%a: int33) { return } }", "unknown type 'int33'; did you mean 'int32'?"},
    {"module { kernel @k(%a: ) { return } }", "expected a type, found ')'"},
    {"module { kernel @k(%a: *****i8) { return } }", "more than 4 '*'"},
    {"module { kernel @k(%a: tile<4xi32>) { return } }",
     "the parameter a is a scalar or a pointer, not tile<4xi32>"},
    {"module { kernel @k(%a: i32 {odd}) { return } }", "unknown fact 'odd'"},
    {"module { kernel @k(%a: i32 {4}) { return } }", "expected a fact of the parameter, found '4'"},
    {"module { kernel @k(%a: fp32 {equal1}) { return } }", "the parameter a, known to be 1, is an integer"},
    {"module { kernel @k(%a: fp32 {divisible16}) { return } }", "is an integer or a pointer"},
    {"module { kernel @k(%a: i32 {divisible16, equal1}) { return } }", "is not both 1 and divisible by 16"},
    {"module { kernel @k(%a: i32 {none}) { return } }", "the parameter a, given as None, is *i8"},
    {"module { kernel @k(%a: bytes<64>) { return } }", "128 bytes are passed by value, no other number"},
    {"module { kernel @k(%a: bytes<128> {divisible16}) { return } }", "is an integer or a pointer"},
    {"module { kernel @k(%a: i32 {hidden}) { return } }", "expected '=', found '}'"},
    {"module { kernel @k(%a: i32 {hidden = scratsh}) { return } }", "did you mean 'scratch'?"},
    {"module { kernel @k(%a: *i32 {hidden = programs}) { return } }", "a number of programs, is i32"},
    {"module { kernel @k(%a: i32 {hidden = programs}) { return } }",
     "1 parameters are numbers of programs; a persistent kernel has 3"},
    {"module { kernel @k(%a: i32 {hidden = programs}, %b: i32 {hidden = programs}, %c: *i8 {hidden = "
     "scratch}, %d: i32 {hidden = programs}) { return } }",
     "the parameter d, a number of programs, is not next to the others"},
    {"module persistent = \"yes\" { kernel @k(%a: i32) { return } }",
     "persistent is \"auto\", \"on\" or \"off\""},
    {"module { kernel @k(%a: i32 {hidden = 1}) { return } }",
     "expected a kind of hidden parameter, found '1'"},
    {"module { kernel @k(%a: i32 {hidden = scratch}) { return } }", "scratch memory, is a pointer"},
    {"module { kernel @k(%a: *i8 {hidden = tensor_map}) { return } }",
     "unknown kind of hidden parameter 'tensor_map'"},
    {"module { kernel @k(%a: " MAP ") { return } }", "it is made by a map in the kernel's head"},
    {"module { kernel @k(%a: *fp16) map %a: " MAP " { yield %a } { return } }", "%a is defined already"},
    {"module { kernel @k(%a: *fp16) map %1: " MAP " { yield %a } { return } }",
     "a map's name does not begin with a digit"},
    {"module { kernel @k(%a: *fp16) map %m: i32 { yield %a } { return } }", "a map is a tensor_map"},
    {"module { kernel @k(%n: i64, %a: *fp16) map %m: " MAP " { yield %a, %n, %n, %n } map %m: " MAP
     " { yield %a } { return } }",
     "the kernel has a map %m already"},
    {"module { kernel @k(%a: *fp16) map %m: " MAP " { yield %a } { return } }",
     "yield: a map of 2 dimensions has 4 values, not 1"},
    {"module { kernel @k(%n: i64, %a: *fp32) map %m: " MAP " { yield %a, %n, %n, %n } { return } }",
     "yield: a map's base points to fp16, it is not *fp32"},
    {"module { kernel @k(%n: i32, %a: *fp16) map %m: " MAP " { yield %a, %n, %n, %n } { return } }",
     "yield: a map's sizes and strides are i64, not i32"},
    {"module { kernel @k(%n: i64, %a: *fp16) map %m: " MAP
     " { %x = load %a : fp16 yield %a, %n, %n, %n } { return } }",
     "load: a map cannot use it"},
    {"module { kernel @k(%n: i64, %a: *fp16) map %m: " MAP
     " { yield %a, %n, %n, %n } { print %m {prefix = \"\"} return } }",
     "print: operand 0 is a tensor map, which it does not take"},
    {MAP_OF("fp16, box=[64, 64], swizzle=48, fill=zero"),
     "the tensor map m: the swizzle 48 is not 0, 32, 64 or 128"},
    {MAP_OF("fp16, box=[64, 0], swizzle=0, fill=zero"), "the box's size 0 is not from 1 to 256"},
    {MAP_OF("fp16, box=[512, 64], swizzle=0, fill=zero"), "the box's size 512 is not from 1 to 256"},
    {MAP_OF("fp16, box=[64, 4], swizzle=0, fill=zero"),
     "the box's rows have 8 bytes, which is not a multiple of 16"},
    {MAP_OF("fp16, box=[64, 64], swizzle=64, fill=zero"),
     "the box's rows have 128 bytes, more than the swizzle's 64"},
    {MAP_OF("i16, box=[64, 64], swizzle=128, fill=nan"), "a tensor of i16 cannot be padded with NaN"},
    {MAP_OF("fp16, box=[64, 64], swizzle=128, fill=one"), "expected zero or nan, found 'one'"},
    {MAP_OF("fp16, box=[1, 1, 1, 1, 1, 8], swizzle=0, fill=zero"), "a tensor map has at most 5 dimensions"},
    {MAP_OF("*fp16, box=[64, 64], swizzle=128, fill=zero"), "a tensor map is of scalars"},
    {"module { kernel @k(%a: *i8 {hidden = scratch}, %b: i32) { return } }",
     "the parameter b comes after a hidden one"},
    {"module { kernel @k(%a: bytes<128>) { print %a {prefix = \"\"} return } }",
     "print: operand 0 is bytes by value, which it does not take"},
    {"module { kernel @k(%n: i64) grid [] { yield %n } grid [] { yield %n } { return } }",
     "the kernel has a grid already"},
    {"module { kernel @k(%n: i64) grid [] { yield %n } grid @b [] { yield %n } grid @b [] { yield %n } { "
     "return } }",
     "the kernel has a grid @b already"},
    {"module { kernel @k() plan = [] { return } }",
     "expected what a kernel's plan says (ir/plan.def), found ']'"},
    {"module { kernel @k() plan = [tma_loads, turns] { return } }",
     "expected what a kernel's plan says (ir/plan.def), found 'turns'"},
    {"module { kernel @k() constexpr {A = foo} { return } }", "expected a literal, found 'foo'"},
    {"module { kernel @k() constexpr {A 1} { return } }", "expected '=', found '1'"},
    {"module { kernel @k() grid [\"1\", \"2\", \"3\", \"4\"] { yield } { return } }",
     "a grid has at most 3 sizes"},
    {"module { kernel @k() grid [] { yield } { return } }", "yield: a grid has 1 to 3 sizes, not 0"},
    {"module { kernel @k() grid [] { } { return } }", "kernel k: the grid does not end with yield"},
    {"module { kernel @k(%n: i32) grid [] { yield %n } { return } }", "a grid's sizes are i64, not i32"},
    {"module { kernel @k(%n: i64) grid [\"n\", \"n\"] { yield %n } { return } }",
     "1 sizes for the 2 expressions of the grid"},
    {"module { kernel @k(%p: *i64) grid [] { %n = load %p : i64 yield %n } { return } }",
     "load: a grid cannot use it"},
    {"module { kernel @k() grid [] { %n = program_id {axis = 0} : i32 yield %n } { return } }",
     "program_id: a grid cannot use it"},
    {"module { kernel @k(%n: i64) grid [] { %t = splat %n : tile<4xi64> yield %n } { return } }",
     "a grid computes with scalars only"},
};

TEST(test_invalid_texts) {
  int wrong = 0;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    wrong += !expect_error(texts[i].text, texts[i].error);
  assert_int_equal(wrong, 0);
}

static const char *const head =
    "#a = layout<reg = [1, 2], lane = [4, 8, 16, 32, 64], warp = [128, 256]; 512>\n"
    "#b = layout<reg = [128, 256], lane = [1, 2, 4, 8, 16], warp = [32, 64]; 512>\n"
    "module {\nkernel @k(%p: *fp32, %i: i32, %l: i64, %f: fp32, %h: fp16) {\n"
    "  %t = splat %i : tile<512xi32>\n  %ta = splat %i : tile<512xi32, #a>\n"
    "  %tb = splat %i : tile<512xi32, #b>\n  %tp = splat %p : tile<512x*fp32>\n"
    "  %c = eq %i, %i : i1\n  %small = splat %i : tile<4xi32>\n";

// Lines after the head's ten; the error is on line 11 unless the text says otherwise.
static const Invalid bodies[] = {
    {"%x = ad %i, %i : i32", "x.tir:11:6: error: unknown op 'ad'; did you mean"},
    {"%x = frobnicate %i : i32", "x.tir:11:6: error: unknown op 'frobnicate'"},
    {"%x = 12", "expected an op, found '12'"},
    {"%x = add %i, %q : i32", "x.tir:11:14: error: %q is not defined here"},
    {"%x = add %i, 3 : i32", "expected a value (%name), found '3'"},
    {"%x, %y = add %i, %i : i32", "add has 2 results but 1 result types"},
    {"%i = add %i, %i : i32", "x.tir:11:1: error: %i is defined already"},
    {"%x = add %i, %x : i32", "%x is not defined here"},
    {"%x = constant {valu = 3} : i32", "unknown attribute 'valu'; did you mean 'value'?"},
    {"%x = constant {3} : i32", "expected an attribute, found '3'"},
    {"%x = constant {value = 3, value = 4} : i32", "attribute 'value' is given twice"},
    {"%x = constant {value = x} : i32", "expected an integer, found 'x'"},
    {"%x = constant {value = 9223372036854775808} : i64", "the integer does not fit in 64 bits"},
    {"%x = constant {fvalue = zz} : fp32", "expected a floating-point number, found 'zz'"},
    {"%x = constant {fvalue = nan(0x3)} : fp32", "these are not the bits of a NaN"},
    {"%x = constant {value = 3} : tile<3yi32>", "expected a size followed by 'x', found '3yi32'"},
    {"%x = constant {value = 3} : tile<i32>", "expected a shape, found 'i32'"},
    {"%x = constant {value = 3} : tile<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xi32>",
     "a tile has at most 24 dimensions"},
    {"%x = constant {value = 3} : tile<99999999999xi32>", "a tile's size is too large"},
    {"%x = constant {value = 3} : shared<4x*i32>", "a shared buffer holds scalars"},
    {"return loc(\"f\":0:1)", "lines are counted from 1"},
    {"return loc(\"f\":1:99999)", "a column may be at most 65535"},
    {"return loc(3)", "expected a string, found '3'"},
    {"if %c", "if: has 2 regions, not 0"},
    {"if %c do { yield } else { yield }", "expected 'then', found 'do'"},
    {"%x = add %i : i32", "x.tir:11:6: error: add: takes 2 operands, not 1"},
    {"%x = load : fp32", "load: takes 1 to 4 operands, not 0"},
    {"for %i, %i, %i {group_warps = [4], slots = 2} do (%j: i32) { yield }",
     "for: a loop for warp specialization says how many warps"},
    {"for %i, %i, %i {group_warps = [4, 4], slots = 1} do (%j: i32) { yield }", "and of 2 slots or more"},
    {"for %i, %i, %i {slots = 3} do (%j: i32) { yield }", "for: a loop for warp specialization"},
    {"for %i, %i do (%j: i32) { yield }", "for: takes 3 operands or more, not 2"},
    {"add %i, %i", "add: gives 1 results, not 0"},
    {"if %c then { yield }", "if: has 2 regions, not 1"},
    {"%x = add %i, %i {axis = 0} : i32", "add: takes no attribute 'axis'"},
    {"%x = program_id : i32", "program_id: needs the attribute 'axis'"},
    {"%x = program_id {axis = 3} : i32", "program_id: the axis 3 is not 0, 1 or 2"},
    {"%x = program_id {axis = 0} : i64", "program_id: the result is i32, not i64"},
    {"%x = constant {value = 3} : tile<3xi32, #a>",
     "the size 3 of result 0, which has a layout, is not a power of two"},
    {"%x = constant {value = 3} : tile<0xi32>", "the size 0 of result 0 is not positive"},
    {"%x = constant {value = 3} : tile<2048x1024xi32>", "result 0 has 2097152 elements, more than 1048576"},
    {"%x = constant {value = 3} : tile<256xi32, #a>",
     "the layout of result 0 has 512 elements, the tile 256"},
    {"%x = constant {value = 3} : tile<512xi32, layout<reg = [1], lane = [4, 8, 16, 32, 64], warp = [128, "
     "256]; 512>>",
     "the layout of result 0 does not hold every element"},
    {"%x = constant {fvalue = 3} : tile<512xfp32, layout<reg = [1], lane = [4, 8, 16, 32, 64], warp = [128, "
     "256]; 512>>\n"
     "%s = shared_alloc : shared<64xi8, layout<offset = [1, 2, 4, 8, 16, 32]; 64>>\n"
     "%m = reduce %x, %s {axis = 0} : fp32 do (%u: fp32, %v: fp32) {\n%w = add %u, %v : fp32\nyield %w\n}",
     "the layout of result 0 does not hold every element"},
    {"%x = constant {value = 3} : tile<512xi32, layout<reg = [1, 2, 4], lane = [8, 16, 32, 64], warp = [128, "
     "256]; 512>>",
     "the layout of result 0 has 4 lane bits instead of 5"},
    {"%x = constant {value = 3} : tile<512xi32, layout<reg = [1, 2, 256], lane = [4, 8, 16, 32, 64], warp = "
     "[128]; 512>>",
     "the layout of result 0 has 1 warp bits, num_warps = 4 asks for 2"},
    {"%x = constant {value = 3} : tile<512xi32, layout<reg = [1, 2], lane = [4, 8, 16, 32, 64], warp = [128, "
     "256], block = [0]; 512>>",
     "the layout of result 0 has block bits"},
    {"%x = constant {value = 3} : tile<2xi32, layout<lane = [0, 0, 0, 0, 0], warp = [0, 0], offset = [1]; "
     "2>>",
     "the layout of result 0, a tile, has no offset bits"},
    {"%x = constant {value = 3} : shared<512xi32, #a>",
     "the layout of result 0, a shared buffer, is from offsets alone"},
    {"%x = constant {value = 3} : *fp32", "constant: the result is of integers or floats, not *fp32"},
    {"%x = constant {fvalue = 3} : i32", "constant: an integer constant has 'value' and no 'fvalue'"},
    {"%x = constant {value = 3} : fp32", "constant: a floating-point constant has 'fvalue' and no 'value'"},
    {"%x = constant {value = 2147483648} : i32", "constant: the value 2147483648 does not fit in i32"},
    {"%x = constant {value = -1} : u8", "constant: the value -1 does not fit in u8"},
    {"%x = constant {value = 2} : i1", "constant: the value 2 does not fit in i1"},
    {"%x = constant {fvalue = 0.1} : fp32", "is not exact in fp32"},
    {"%x = constant {fvalue = 65520} : fp16", "is not exact in fp16"},
    {"%x = arange {start = 0, end = 4} : tile<8xi32>",
     "arange: the values from 0 to 4 do not fill a tile of 8"},
    {"%x = arange {start = 4, end = 0} : tile<4xi32>",
     "arange: the values from 4 to 0 do not fill a tile of 4"},
    {"%x = arange {start = 2147483646, end = 2147483650} : tile<4xi32>", "do not fit in i32"},
    {"%x = arange {start = 0, end = 4} : tile<4xi64>",
     "arange: the result is a tile of i32 with one dimension"},
    {"%x = splat %i : i32", "splat: the result is a tile, not i32"},
    {"%x = splat %i : tile<4xi64>", "splat: the scalar is i32, the tile's element type i64"},
    {"%x = convert_layout %ta : tile<256xi32, layout<reg = [1], lane = [2, 4, 8, 16, 32], warp = [64, 128]; "
     "256>>",
     "more than the layout changes"},
    {"%x = convert_layout %t : tile<512xi32>", "convert_layout: both tiles have layouts"},
    {"%x = convert_layout %t : tile<512xi32, #a>",
     "convert_layout: either all of its tiles have a layout or none"},
    {"%x = add %i, %l : i32", "add: every operand has the result's type i32, operand 1 is i64"},
    {"%x = add %t, %small : tile<512xi32>",
     "add: operand 1, tile<4xi32>, does not have the shape of tile<512xi32>"},
    {"%x = add %i, %t : tile<512xi32>", "add: operand 0, i32, does not have the shape of tile<512xi32>"},
    {"%x = add %ta, %tb : tile<512xi32, #a>",
     "add: operand 1 has another layout; only convert_layout changes layouts"},
    {"%x = add %t, %ta : tile<512xi32>", "add: either all of its tiles have a layout or none"},
    {"%x = add %p, %p : *fp32", "add: the operands are integers or floats, not *fp32"},
    {"%x = and %f, %f : fp32", "and: the operands are integers, not fp32"},
    {"%x = math %h {function = \"exp\"} : fp16", "math: the operands are fp32 or fp64, not fp16"},
    {"%x = lt %i, %l : i1", "lt: operand b has the type of operand a, i32, not i64"},
    {"%x = lt %i, %i : i32", "lt: the result is of i1, not i32"},
    {"%x = select %i, %i, %i : i32", "select: operand condition is of i1, not i32"},
    {"%x = select %c, %i, %l : i32", "select: operand b has the type of the result, i32, not i64"},
    {"%x = select %c, %t, %t : tile<512xi32>",
     "select: operand 0, i1, does not have the shape of tile<512xi32>"},
    {"%x = cast %p : i64", "cast: operand a is of integers or floats, not *fp32"},
    {"%x = bitcast %p : i32", "bitcast: *fp32 and i32 do not have the same number of bits"},
    {"%x = addptr %i, %i : i32", "addptr: operand pointer is of pointers, not i32"},
    {"%x = addptr %p, %f : *fp32", "addptr: operand offset is of integers, not fp32"},
    {"%x = addptr %p, %i : *fp16", "addptr: the result has the type of operand pointer, *fp32, not *fp16"},
    {"%x = load %i : fp32", "load: operand pointer is of pointers, not i32"},
    {"%x = load %p : fp16", "load: the result is fp16, but operand pointer is *fp32"},
    {"%x = load %p, %i : fp32", "load: operand mask is of i1, not i32"},
    {"%x = load %p, %c, %h : fp32", "load: operand other has the type of the result, fp32, not fp16"},
    {"%x = load %p {cache = \".xx\"} : fp32", "load: '.xx' is not a value of 'cache'"},
    {"%x = load %p {evict = \"never\"} : fp32", "load: 'never' is not a value of 'evict'"},
    {"%x = load %p {align = 3} : fp32", "load: 'align' is a power of two up to 65536, not 3"},
    {"%x = load %p {vector = 2} : fp32", "load: 'vector' is a power of two up to 1, not 2"},
    {"%x = load %p {anchor = #a} : fp32", "load: an access by one pointer has no anchor"},
    {"%x = load %tp {anchor = layout<1>} : tile<512xfp32>",
     "the layout of the anchor has 1 elements, the tile 512"},
    {"store %p, %h", "store: operand value is fp16, but operand pointer is *fp32"},
    {"store %tp, %f", "store: operand 1, fp32, does not have the shape of tile<512x*fp32>"},
    {"for %f, %f, %f do (%j: fp32) { yield }", "for: operand lower is integers other than i1, not fp32"},
    {"for %i, %l, %i do (%j: i32) { yield }", "for: operand upper has the type of operand lower, i32, not i64"},
    {"for %i, %i, %i do { yield }",
     "for: 0 initial values, 0 results and 0 arguments of the region do not agree"},
    {"for %i, %i, %i do (%j: i64) { yield }", "for: argument 0 is i64, the result i32"},
    {"%x = for %i, %i, %i, %l : i32 do (%j: i32, %k: i32) { yield %k }",
     "for: initial value 0 is i64, the result i32"},
    {"%x = for %i, %i, %i, %l : i64 do (%j: i32, %k: i32) { yield %l }",
     "for: argument 1 is i32, the result i64"},
    {"%x = for %i, %i, %i, %l : i64 do (%j: i32, %k: i64) { yield }",
     "yield: 0 values for the 1 results of for"},
    {"%x = for %i, %i, %i, %l : i64 do (%j: i32, %k: i64) { yield %j }",
     "yield: value 0 is i32, the result of for i64"},
    {"for %i, %i, %i do (%j: i32) { }", "for: its region does not end with yield"},
    {"for %i, %i, %i do (%j: i32) { yield } %x = add %j, %j : i32", "%j is not defined here"},
    {"if %i then { yield } else { yield }", "if: operand condition is i1, not i32"},
    {"if %c then (%j: i32) { yield } else { yield }", "if: its regions have no arguments"},
    {"if %c then { return } else { yield }", "if: its region does not end with yield"},
    {"return", "return: is before the end of its region"},
    {"yield", "yield: is before the end of its region"},
};

TEST(test_invalid_ops) {
  int wrong = 0;
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    Buf text = {0};
    buf_printf(&text, "%s%s\n  return\n}\n}\n", head, bodies[i].text);
    wrong += !expect_error(text.at, bodies[i].error);
    buf_free(&text);
  }
  Buf text = {0};
  buf_printf(&text, "%s}\n}\n", head);
  wrong += !expect_error(text.at, "x.tir:4:8: error: kernel k: the body does not end with return");
  buf_free(&text);
  assert_int_equal(wrong, 0);
}

TEST(test_deep_nesting_is_an_error) {
  int wrong = 0;
  Buf text = {0};
  buf_text(&text, head);
  for (int i = 0; i < 100000; i++) buf_text(&text, "if %c then {\n");
  wrong += !expect_error(text.at, "regions nest deeper than 100");
  buf_reset(&text);
  buf_text(&text, "module { kernel @k() constexpr {A = ");
  for (int i = 0; i < 100000; i++) buf_char(&text, '(');
  wrong += !expect_error(text.at, "expected a literal");
  buf_free(&text);
  assert_int_equal(wrong, 0);
}

TEST(test_locations_come_from_the_text_or_are_places_in_it) {
  TextFixture s;
  text_fixture_open(&s);
  uint16_t file = sources_add(&s.sources, "x.tir",
                              STR("module {\nkernel @k() {\n"
                                  "  %0 = constant {value = 1} : i32\n"
                                  "  %1 = constant {value = 1} : i32 loc(\"a.py\":7:3+2 at \"b.py\":9:1)\n"
                                  "  return loc(none)\n}\n}\n"));
  IrModule *module = module_parse(&s.ir, file);
  assert_non_null(module);
  const Op *op = module->funcs.at[0]->body->first;
  assert_int_equal(op->loc.file, file);
  assert_int_equal(op->loc.line, 3);
  assert_int_equal(op->loc.col, 8);
  op = op->next;
  assert_string_equal(sources_name(&s.sources, op->loc.file), "a.py");
  assert_int_equal(op->loc.line, 7);
  assert_int_equal(op->loc.len, 2);
  Loc call = s.sources.calls.at[op->loc.call];
  assert_string_equal(sources_name(&s.sources, call.file), "b.py");
  assert_int_equal(call.line, 9);
  assert_int_equal(op->next->loc.line, 0);
  text_fixture_close(&s);
}

WHOLE_SUITE(parse)
