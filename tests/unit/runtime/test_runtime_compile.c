// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compilation driver: signatures and definitions, faults, the end of memory.
#include <unistd.h>
#include "tests/unit/unit.h"
#include "base/fault.h"
#include "ir/text/print.h"
#include "runtime/compile/compile.h"

static const char add_source[] = "@kernel\n"
                                 "@grid(cdiv(n, BLOCK))\n"
                                 "def add(x: *fp32, y: *fp32, out: *fp32, n: i32, BLOCK: constexpr = 128):\n"
                                 "    i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
                                 "    m = i < n\n"
                                 "    store(out + i, load(x + i, mask=m) + load(y + i, mask=m), mask=m)\n";

// The first diagnostic's text; "" where there is none.
static const char *first_error(const Compilation *c) {
  return c->diags.list.n ? c->diags.list.at[0]->message : "";
}

static void check_signature(const char *text, const char *expected) {
  Compilation c;
  Spec spec = {.target = target_default()};
  assert_int_equal(compilation_init(&c), TILEC_OK);
  assert_int_equal(compile_signature(&c, text, &spec), TILEC_OK);
  Buf out = {0};
  buf_text(&out, "");
  for (uint32_t i = 0; i < spec.param_count; i++) {
    const ParamSpec *p = &spec.params[i];
    buf_printf(&out, "%s%s=", i ? "," : "", p->name);
    param_print(p, &out);
    if (p->facts.none) continue;
    buf_printf(&out, "%s%s", p->facts.divisible16 ? ":16" : "", p->facts.equal1 ? ":1" : "");
  }
  assert_string_equal(out.at, expected);
  buf_free(&out);
  compilation_free(&c);
}

TEST(test_signatures_are_parsed) {
  check_signature("x_ptr=*fp32:16,n=i32:16,stride=:1,b=None", "x_ptr=*fp32:16,n=i32:16,stride=:1,b=None");
  check_signature("", "");
  check_signature("  ", "");
  check_signature(" x = *fp16 : 16 , y=bf16", "x=*fp16:16,y=bf16");
  check_signature("x=*tl.float32,n=int64", "x=*fp32,n=i64");
  check_signature("x=**fp32", "x=**fp32");
  check_signature("x=*u1:16,b=u1,y=*kfp32", "x=*i1:16,b=i1,y=*const fp32");
  check_signature("t=(*fp32:16,i32),n=i32", "t=(*fp32, i32),n=i32");
  check_signature("t=( ptr = *fp32 , n=i32:1 )", "t=(ptr=*fp32, n=i32)");
  check_signature("t=(i32),u=(i32,),v=()", "t=(i32,),u=(i32,),v=()");
  check_signature("t=((i32,(None,)),constexpr((1, 2)),constexpr(relu))",
                  "t=((i32, (None,)), constexpr((1, 2)), constexpr(@relu))");
  check_signature("d=tensordesc<fp16[64, 32]>:16,e=tensordesc<i8[16],nan>",
                  "d=tensordesc<fp16[64, 32]>,e=tensordesc<i8[16], nan>");
  check_signature("t=(d=tensordesc<bf16[8,8,8],zero>,)", "t=(d=tensordesc<bf16[8, 8, 8]>,)");
  check_signature("t=(constexpr(\"a),(b\"),)", "t=(constexpr(\"a),(b\"),)");
}

static void check_wrong_signature(const char *text, const char *message, uint32_t col) {
  Compilation c;
  Spec spec = {.target = target_default()};
  assert_int_equal(compilation_init(&c), TILEC_OK);
  assert_int_equal(compile_signature(&c, text, &spec), TILEC_ERROR_COMPILE);
  if (!strstr(first_error(&c), message)) fail_msg("'%s' gave '%s', not '%s'", text, first_error(&c), message);
  assert_int_equal(c.diags.list.at[0]->loc.col, col);
  compilation_free(&c);
}

TEST(test_wrong_signatures_are_located) {
  check_wrong_signature("x", "expected NAME=VALUE", 1);
  check_wrong_signature("x=i32,", "expected NAME=VALUE", 7);
  check_wrong_signature("x=i32,,y=i32", "expected NAME=VALUE", 7);
  check_wrong_signature("2x=i32", "not the name of a parameter", 1);
  check_wrong_signature("=i32", "not the name of a parameter", 1);
  check_wrong_signature("x=fp33", "did you mean 'fp32'", 3);
  check_wrong_signature("x=", "expected [TYPE]", 3);
  check_wrong_signature("x=*****fp32", "is not a type", 3);
  check_wrong_signature("x=*", "is not a type", 3);
  check_wrong_signature("x=i32:8", "expected the fact 16 or 1", 7);
  check_wrong_signature("x=i32:16:16", "given twice", 10);
  check_wrong_signature("x=i32:16:1", "contradict", 3);
  check_wrong_signature("x=*i32:1", "a pointer cannot", 3);
  check_wrong_signature("x=fp32:16", "floating-point", 3);
  check_wrong_signature("x=i32,x=i64", "'x' is given twice", 7);
  check_wrong_signature("x=(i32,fp33)", "did you mean 'fp32'", 8);
  check_wrong_signature("x=(i32,i32", "the bracket of the tuple is not closed", 3);
  check_wrong_signature("x=(i32,,i32)", "an element of the tuple is missing", 4);
  check_wrong_signature("x=(i32,a=i32)", "either all elements", 3);
  check_wrong_signature("x=(a=i32,a=i32)", "two elements of the tuple are called 'a'", 3);
  check_wrong_signature("x=(2=i32)", "'2' is not the name of an element", 4);
  check_wrong_signature("x=(i32,constexpr(1 +))", "not a Python literal", 18);
  check_wrong_signature("x=constexpr(1", "the bracket of constexpr( is not closed", 3);
  check_wrong_signature("x=tensordesc", "a descriptor's type must be like tensordesc<fp16[64, 32]>", 3);
  check_wrong_signature("x=tensordesc<fp16>", "the descriptor's block is missing", 3);
  check_wrong_signature("x=tensordesc<fp61[8]>", "did you mean 'fp16'", 14);
  check_wrong_signature("x=tensordesc<fp16[8>", "the bracket of the descriptor's block is not closed", 19);
  check_wrong_signature("x=tensordesc<fp16[8,3]>", "powers of two", 21);
  check_wrong_signature("x=tensordesc<fp16[1,1,1,1,1,8]>", "at most 5 dimensions", 29);
  check_wrong_signature("x=tensordesc<fp16[8],one>", "expected the padding zero or nan", 22);
  check_wrong_signature("x=tensordesc<fp16[8]>:1", "only the fact 16", 3);
}

TEST(test_definitions) {
  static const char *const wrong[] = {"BLOCK", "=1", "BLOCK=", "BLOCK=1 +", "B-C=1", ""};
  Compilation c;
  Spec spec = {.target = target_default()};
  assert_int_equal(compilation_init(&c), TILEC_OK);
  assert_int_equal(compile_define(&c, "BLOCK=128", &spec), TILEC_OK);
  assert_int_equal(compile_define(&c, "ACT=\"relu\"", &spec), TILEC_OK);
  assert_int_equal(spec.constexpr_count, 2);
  assert_string_equal(spec.constexprs[0].name, "BLOCK");
  assert_int_equal(spec.constexprs[0].value.kind, CONST_INT);
  assert_int_equal(spec.constexprs[0].value.i, 128);
  assert_string_equal(spec.constexprs[1].value.str, "relu");
  assert_int_equal(compile_define(&c, "BLOCK=64", &spec), TILEC_ERROR_COMPILE);
  assert_non_null(strstr(first_error(&c), "given twice"));
  compilation_free(&c);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    spec = (Spec){.target = target_default()};
    assert_int_equal(compilation_init(&c), TILEC_OK);
    assert_int_equal(compile_define(&c, wrong[i], &spec), TILEC_ERROR_COMPILE);
    assert_int_equal(spec.constexpr_count, 0);
    compilation_free(&c);
  }
}

// Every step on add_source; the first status that is not TILEC_OK.
static tilec_status run_all(Compilation *c, const PassRunOptions *passes, Buf *meta) {
  Spec spec = {.target = target_default()};
  tilec_status status = compilation_init(c);
  if (!status) status = compile_parse(c, "add.tile", str_from(add_source));
  if (!status) status = compile_signature(c, "x=:16,n=:16", &spec);
  if (!status) status = compile_elaborate(c, &spec);
  if (!status) status = compile_passes(c, passes);
  if (!status) status = compile_codegen(c, &(CodegenOptions){.emit_ptx = true});
  if (!status) status = compile_meta(c, true, meta);
  return status;
}

// The metadata has the hidden parameters, each where the driver expects it.
TEST(test_meta_of_hidden_parameters) {
  Compilation c;
  Buf meta = {0};
  Spec spec = {.target = target_default()};
  static const char source[] = "module { kernel @k(%p: *fp16, %n: i64, %room: *i8 {hidden = scratch}) map %map: "
                               "tensor_map<fp16, box=[64], swizzle=128, fill=zero> {\n"
                               "%one = constant {value = 1} : i64 %size = add %n, %one : i64 yield %p, %size } {\n"
                               "return } }";
  assert_int_equal(compilation_init(&c), TILEC_OK);
  assert_int_equal(compile_parse(&c, "k.tir", str_from(source)), TILEC_OK);
  assert_int_equal(compile_elaborate(&c, &spec), TILEC_OK);
  assert_int_equal(compile_codegen(&c, &(CodegenOptions){.emit_ptx = true}), TILEC_OK);
  assert_int_equal(compile_meta(&c, true, &meta), TILEC_OK);
  const char *expected = "{\"name\": \"room\", \"type\": \"*i8\", \"offset\": 16, \"bytes\": 8, \"facts\": [], "
                         "\"hidden\": \"scratch\"}, {\"name\": \"map\", \"type\": \"tensor_map<fp16, box=[64], "
                         "swizzle=128, fill=zero>\", \"offset\": 64, \"bytes\": 128, \"facts\": [], "
                         "\"hidden\": \"tensor_map\"}], \"maps\": [{\"name\": \"map\", \"param\": 3, \"element\": "
                         "\"fp16\", \"box\": [64], \"swizzle\": 128, \"fill\": \"zero\", \"base\": \"p\", \"sizes\": "
                         "[\"(n + 1)\"], \"strides\": []}]}\n";
  if (!strstr(meta.at, expected)) fail_msg("no %s in %s", expected, meta.at);
  buf_free(&meta);
  compilation_free(&c);
}

TEST(test_all_steps) {
  Compilation c;
  Buf meta = {0};
  tilec_status status = run_all(&c, &(PassRunOptions){.verify_each = true}, &meta);
  if (status) fail_msg("status %d: %s%s", status, first_error(&c), c.fault);
  assert_non_null(strstr(c.code.ptx.at, ".entry add"));
  const char *expected = "\"kernel\": \"add\", \"arch\": \"sm_90\"";
  if (!strstr(meta.at, expected)) fail_msg("no %s in %s", expected, meta.at);
  assert_non_null(strstr(meta.at, "{\"abi_version\": 1, "));
  assert_non_null(strstr(meta.at, "\"threads\": 128, \"cluster\": 1, \"shared_bytes\": 0, "
                                  "\"static_shared_bytes\": 0, \"registers\": "));
  assert_non_null(strstr(
      meta.at, "\"num_warps\": 4, \"num_stages\": 3, \"maxnreg\": null, \"grid\": [\"cdiv(n, BLOCK)\"], "
               "\"constexprs\": {\"BLOCK\": 128}, "));
  assert_non_null(strstr(
      meta.at, "{\"name\": \"x\", \"type\": \"*fp32\", \"offset\": 0, \"bytes\": 8, \"facts\": [\"16\"], "
               "\"hidden\": null}"));
  assert_non_null(strstr(
      meta.at, "{\"name\": \"n\", \"type\": \"i32\", \"offset\": 24, \"bytes\": 4, \"facts\": [\"16\"], "
               "\"hidden\": null}], \"arguments\": [{\"name\": \"x\", \"kind\": \"plain\", \"param\": 0}, "));
  buf_free(&meta);
  compilation_free(&c);
}

static void break_after_coalesce(const char *pass, IrModule *module, bool changed, double seconds, void *data) {
  (void)module, (void)changed, (void)seconds, (void)data;
  if (pass && strcmp(pass, "coalesce") == 0) BUG("a broken rule");
}

static char *saved_text(const Compilation *c, char path[600], char *text, size_t room) {
  const char *at = strstr(c->fault, "tilec compile ");
  assert_non_null(at);
  assert_int_equal(sscanf(at, "tilec compile %599s", path), 1);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  text[fread(text, 1, room - 1, file)] = '\0';
  fclose(file);
  unlink(path);
  return text;
}

// The message names a file that holds the last good .tir, and compiles.
TEST(test_a_bug_saves_the_tir) {
  Compilation c;
  Buf meta = {0};
  assert_int_equal(run_all(&c, &(PassRunOptions){.after = break_after_coalesce}, &meta),
                   TILEC_ERROR_INTERNAL);
  assert_non_null(strstr(c.fault, "a broken rule"));
  assert_non_null(strstr(c.fault, "after the step 'coalesce' of add.tile"));
  char path[600] = "";
  static char text[100000];
  saved_text(&c, path, text, sizeof text);
  compilation_free(&c);
  Spec spec = {.target = target_default()};
  assert_int_equal(compilation_init(&c), TILEC_OK);
  assert_int_equal(compile_parse(&c, path, str_from(text)), TILEC_OK);
  assert_true(c.is_tir);
  assert_int_equal(compile_elaborate(&c, &spec), TILEC_OK);
  assert_int_equal(compile_passes(&c, &(PassRunOptions){0}), TILEC_OK);
  assert_int_equal(compile_codegen(&c, &(CodegenOptions){.emit_ptx = true}), TILEC_OK);
  assert_non_null(strstr(c.code.ptx.at, ".entry add"));
  compilation_free(&c);
}

// A pass that runs several times: fails after the run that follows propagate_layouts,
// having spoilt the module.
typedef struct Spoilt {
  bool has_layouts;
  Buf before; // the module's text
} Spoilt;

static void spoil_after_layouts(const char *pass, IrModule *module, bool changed, double seconds, void *data) {
  (void)changed, (void)seconds;
  Spoilt *spoilt = data;
  if (pass && strcmp(pass, "propagate_layouts") == 0) spoilt->has_layouts = true;
  if (!spoilt->has_layouts || strcmp(pass, "simplify") != 0) return;
  module_print(module, NULL, &spoilt->before);
  module->funcs.n = 0;
  BUG("spoilt");
}

// The saved module is the one after the last good step, whatever happened to it later: it is made
// again.
TEST(test_a_bug_replays_the_passes) {
  Compilation c;
  Buf meta = {0};
  Spoilt spoilt = {0};
  PassRunOptions options = {.after = spoil_after_layouts, .data = &spoilt};
  assert_int_equal(run_all(&c, &options, &meta), TILEC_ERROR_INTERNAL);
  assert_non_null(strstr(c.fault, "after the step 'simplify' of add.tile"));
  char path[600] = "";
  static char text[100000];
  assert_string_equal(saved_text(&c, path, text, sizeof text), spoilt.before.at);
  assert_non_null(strstr(text, "#l0 = layout"));
  assert_int_equal(c.diags.errors, 0);
  buf_free(&spoilt.before);
  compilation_free(&c);
}

TEST(test_a_bug_without_a_folder) {
  Compilation c;
  Buf meta = {0};
  const char *folder = getenv("TMPDIR");
  setenv("TMPDIR", "/nonexistent/folder", 1);
  assert_int_equal(run_all(&c, &(PassRunOptions){.after = break_after_coalesce}, &meta),
                   TILEC_ERROR_INTERNAL);
  if (folder)
    setenv("TMPDIR", folder, 1);
  else
    unsetenv("TMPDIR");
  assert_non_null(strstr(c.fault, "a broken rule"));
  compilation_free(&c);
}

// Every arena allocation fails, one after another. In the last run none does.
TEST(test_the_end_of_memory) {
  for (unsigned long n = 1;; n++) {
    Compilation c;
    Buf meta = {0};
    arena_fail_after(n);
    tilec_status status = run_all(&c, &(PassRunOptions){0}, &meta);
    arena_fail_after(0);
    buf_free(&meta);
    if (status == TILEC_ERROR_OUT_OF_MEMORY) assert_true(c.fault[0]);
    compilation_free(&c);
    if (status == TILEC_OK) {
      assert_true(n > 50);
      return;
    }
    if (status != TILEC_ERROR_OUT_OF_MEMORY) fail_msg("allocation %lu: status %d", n, status);
  }
}

TEST(test_tir_takes_no_signature) {
  Compilation c;
  Buf meta = {0}, text = {0};
  assert_int_equal(run_all(&c, &(PassRunOptions){0}, &meta), TILEC_OK);
  module_print(c.module, NULL, &text);
  compilation_free(&c);
  buf_free(&meta);
  Spec spec = {.target = target_default()};
  assert_int_equal(compilation_init(&c), TILEC_OK);
  assert_int_equal(compile_parse(&c, "add.tir", buf_view(&text)), TILEC_OK);
  assert_int_equal(compile_signature(&c, "x=:16", &spec), TILEC_OK);
  assert_int_equal(compile_elaborate(&c, &spec), TILEC_ERROR_COMPILE);
  compilation_free(&c);
  spec = (Spec){.target = target_default(), .kernel = "subtract"};
  assert_int_equal(compilation_init(&c), TILEC_OK);
  assert_int_equal(compile_parse(&c, "add.tir", buf_view(&text)), TILEC_OK);
  assert_int_equal(compile_elaborate(&c, &spec), TILEC_ERROR_COMPILE);
  compilation_free(&c);
  buf_free(&text);
}

WHOLE_SUITE(runtime_compile)
