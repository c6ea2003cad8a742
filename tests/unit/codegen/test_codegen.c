// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code generation: FileCheck over tests/golden/codegen/*.tir, every op of every element type, and
// LLVM's leftovers. The PTX is assembled if the machine has ptxas. A .tir file's comments hold the
// checks: LLVM: and PTX: are FileCheck's prefixes; ERROR: is a diagnostic of compiling it.
#include <dirent.h>
#include "tests/unit/unit.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <unistd.h>
#include "base/fault.h"
#include "codegen/codegen.h"
#include "target/math.h"
#include "ir/build.h"
#include "ir/text/parse.h"
#include "tests/unit/golden.h"

typedef struct Setup {
  Arena arena;
  Sources sources;
  Diags diags;
  IrContext ir;
  Target target;
  IrModule *module;
  CodegenResult result;
  Loc loc;
} Setup;

static void begin(Setup *s) {
  *s = (Setup){0};
  s->sources.arena = s->diags.arena = &s->arena;
  s->diags.sources = &s->sources;
  ir_context_init(&s->ir, &s->arena, &s->sources, &s->diags);
  s->target = target_default();
}

static void clean(Setup *s) {
  buf_free(&s->result.llvm);
  buf_free(&s->result.ptx);
  arena_free(&s->arena);
}

static void print_diags(const Setup *s) {
  Buf text = {0};
  diags_print_text(&s->diags, false, &text);
  if (text.n) print_message("%s", text.at);
  buf_free(&text);
}

// Compiles setup's module; a fault fails the test with its message.
static bool compile(Setup *s) {
  CodegenOptions options = {.emit_llvm = true, .emit_ptx = true};
  FaultFrame frame;
  volatile bool done = false;
  fault_enter(&frame);
  if (setjmp(frame.env) == 0)
    done = codegen_module(s->module, &s->diags, &options, &s->result);
  else
    fail_msg("fault: %s", frame.message);
  fault_leave(&frame);
  return done;
}

// --- tools of the machine

static const char *find_tool(const char *const *candidates) {
  for (; *candidates; candidates++)
    if (access(*candidates, X_OK) == 0) return *candidates;
  return NULL;
}

static const char *file_check(void) {
  static const char *const places[] = {"/usr/lib/llvm-22/bin/FileCheck", "/usr/lib/llvm-23/bin/FileCheck",
                                       "/usr/bin/FileCheck-22", "/usr/bin/FileCheck", NULL};
  return find_tool(places);
}

// NULL, or the ptxas of tests, which keeps the answers of the machine's.
static const char *assembler(void) {
  static const char *const places[] = {"/usr/local/cuda/bin/ptxas", "/usr/bin/ptxas", NULL};
  return find_tool(places) ? TESTS_DIR "/bin/ptxas" : NULL;
}

static const char *temporary(Arena *arena, const char *name) {
  const char *folder = getenv("TMPDIR");
  return arena_printf(arena, "%s/tilec-codegen-%ld-%s", folder ? folder : "/tmp", (long)getpid(), name);
}

static const char *write_temporary(Arena *arena, const char *name, Str text) {
  const char *path = temporary(arena, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text.at, 1, text.n, file), text.n);
  assert_int_equal(fclose(file), 0);
  return path;
}

static void assemble(Setup *s) {
  if (!assembler()) return;
  const char *path = write_temporary(&s->arena, "a.ptx", buf_view(&s->result.ptx));
  const char *command =
      arena_printf(&s->arena, "%s -arch=%s -o /dev/null %s", assembler(), s->result.target.arch->name, path);
  int status = system(command);
  if (status != 0) fail_msg("ptxas refused %s", path);
  unlink(path);
}

// --- golden files

static bool contains(Str text, const char *word) {
  size_t n = strlen(word);
  for (size_t i = 0; i + n <= text.n; i++)
    if (memcmp(text.at + i, word, n) == 0) return true;
  return false;
}

// A line "// PREFIX:", or "// PREFIX-COUNT-2:" and the like.
static bool has_checks(Setup *s, const char *prefix, Str text) {
  return contains(text, arena_printf(&s->arena, "// %s:", prefix)) ||
         contains(text, arena_printf(&s->arena, "// %s-", prefix));
}

static bool file_checks(Setup *s, const char *prefix, const char *source, Str output) {
  const char *path = write_temporary(&s->arena, prefix, output);
  const char *command =
      arena_printf(&s->arena, "%s --check-prefix=%s --input-file=%s %s", file_check(), prefix, path, source);
  int status = system(command);
  unlink(path);
  return status == 0;
}

// The text after "// ERROR: " must be an error's.
static bool has_error(Setup *s, Str text) {
  const char *expected = strstr(text.at, "// ERROR: ") + strlen("// ERROR: ");
  expected = arena_copy(&s->arena, (Str){expected, strcspn(expected, "\n")});
  for (uint32_t i = 0; i < s->diags.list.n; i++)
    if (contains(str_from(s->diags.list.at[i]->message), expected)) return true;
  print_diags(s);
  return false;
}

static bool compiles_as_checked(Setup *s, const char *path, Str text) {
  if (!compile(s)) {
    print_diags(s);
    return false;
  }
  bool llvm = !has_checks(s, "LLVM", text) || file_checks(s, "LLVM", path, buf_view(&s->result.llvm));
  bool ptx = !has_checks(s, "PTX", text) || file_checks(s, "PTX", path, buf_view(&s->result.ptx));
  assemble(s);
  return llvm && ptx;
}

static bool check_file(const char *path) {
  Setup s;
  begin(&s);
  Str text = golden_read(&s.arena, path);
  assert_non_null(text.at);
  s.module = module_parse(&s.ir, sources_add(&s.sources, path, text));
  bool good = s.module != NULL;
  if (!good)
    print_diags(&s);
  else if (contains(text, "// ERROR: "))
    good = !compile(&s) && has_error(&s, text);
  else
    good = compiles_as_checked(&s, path, text);
  clean(&s);
  return good;
}

TEST(test_golden) {
  if (!file_check()) skip();
  DIR *folder = opendir(TESTS_DIR "/golden/codegen");
  assert_non_null(folder);
  uint32_t good = 0, bad = 0;
  for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
    char path[1024];
    size_t n = strlen(entry->d_name);
    if (n < 4 || strcmp(entry->d_name + n - 4, ".tir")) continue;
    snprintf(path, sizeof path, "%s/golden/codegen/%s", TESTS_DIR, entry->d_name);
    if (check_file(path))
      good++;
    else
      bad++, print_message("failed: %s\n", entry->d_name);
  }
  closedir(folder);
  assert_true(good > 0);
  assert_int_equal(bad, 0);
}

// --- every op

enum { ELEMENTS = 256 };

static const Type *tile_of(Setup *s, const Type *element) {
  static const uint32_t shape[] = {ELEMENTS}, order[] = {0};
  Layout layout = layout_default(1, shape, order, 1, 2);
  return type_tile(&s->ir, element, 1, shape, layout_intern(&s->ir, &layout));
}

static Value *tile_param(Builder *b, Setup *s, Value *pointer) {
  const Type *offsets = tile_of(s, type_scalar(&s->ir, ELEM_I32));
  Op *range = build_op(b, OP_ARANGE, 0, NULL, 1, &offsets);
  op_set_attr(range, (Attr){.key = ATTR_START, .i = 0});
  op_set_attr(range, (Attr){.key = ATTR_END, .i = ELEMENTS});
  const Type *pointers = tile_of(s, pointer->type);
  return build(b, OP_ADDPTR, pointers, build_splat(b, pointer, pointers), op_result(range), NULL);
}

// kernel(a, b, out): out = op(a, b), elements of type `from` and `to`. Gives the op.
static Op *add_op_kernel(Setup *s, OpKind kind, Elem from, Elem to, uint32_t operands) {
  const Type *in = type_ptr(&s->ir, type_scalar(&s->ir, from)),
             *out = type_ptr(&s->ir, type_scalar(&s->ir, to));
  const char *name =
      arena_printf(&s->arena, "%s_%s_%s", op_info(kind)->name, elem_info(from)->name, elem_info(to)->name);
  FuncParam params[] = {{.name = "a", .type = in, .loc = s->loc},
                        {.name = "b", .type = in, .loc = s->loc},
                        {.name = "out", .type = out, .loc = s->loc}};
  Func *func = func_new(s->module, ir_name(&s->ir, str_from(name)), s->loc, params, 3);
  Builder b = builder_at_end(func, func->body);
  b.loc = s->loc;
  Value *x[2];
  for (uint32_t i = 0; i < 2; i++) x[i] = build_load(&b, tile_param(&b, s, func->body->args[i]), NULL, NULL);
  const Type *type = tile_of(s, type_scalar(&s->ir, to));
  Value *y = build(&b, kind, type, x[0], operands > 1 ? x[1] : NULL, operands > 2 ? x[0] : NULL);
  build_store(&b, tile_param(&b, s, func->body->args[2]), y, NULL);
  build_op(&b, OP_RETURN, 0, NULL, 0, NULL);
  return y->def;
}

static void add_kernel(Setup *s, OpKind kind, Elem from, Elem to) {
  add_op_kernel(s, kind, from, to, op_max_operands(kind));
}

static void add_math_kernel(Setup *s, MathFunction function, Elem elem) {
  const MathInfo *info = math_info(function);
  Op *op = add_op_kernel(s, OP_MATH, elem, math_result_elem(function, elem), info->operands);
  op_set_str(op, ATTR_FUNCTION, info->name);
  op->region->func->name =
      ir_name(&s->ir, str_from(arena_printf(&s->arena, "math_%s_%s", info->name, elem_info(elem)->name)));
}

static bool takes(OpKind kind, Elem elem) {
  bool bits = kind == OP_AND || kind == OP_OR || kind == OP_XOR || kind == OP_SHL || kind == OP_SHR;
  return !(bits && elem_is_float(elem));
}

static void add_elementwise(Setup *s) {
  for (OpKind kind = OP_ADD; kind <= OP_GE; kind++)
    for (Elem elem = ELEM_I1; elem < ELEM_COUNT; elem++)
      if (takes(kind, elem)) add_kernel(s, kind, elem, op_traits[kind] & COMPARE ? ELEM_I1 : elem);
}

static void add_math(Setup *s) {
  for (MathFunction function = 0; function < MATH_COUNT; function++)
    for (Elem elem = ELEM_FP32; elem <= ELEM_FP64; elem++)
      if (math_has(function, elem)) add_math_kernel(s, function, elem);
}

static void add_fma_and_mulhi(Setup *s) {
  for (Elem elem = ELEM_I1; elem < ELEM_COUNT; elem++)
    add_kernel(s, elem_is_float(elem) ? OP_FMA : OP_MULHI, elem, elem);
}

static void add_casts(Setup *s) {
  for (Elem from = ELEM_I1; from < ELEM_COUNT; from++)
    for (Elem to = ELEM_I1; to < ELEM_COUNT; to++) {
      if (from == to) continue;
      add_kernel(s, OP_CAST, from, to);
      if (elem_info(from)->bits == elem_info(to)->bits) add_kernel(s, OP_BITCAST, from, to);
    }
}

// kernel(out, x): an atomic on each of out's elements, whose old value is not used.
static void add_atomic_kernel(Setup *s, const char *rmw, Elem elem) {
  const Type *pointer = type_ptr(&s->ir, type_scalar(&s->ir, elem)), *scalar = type_scalar(&s->ir, elem);
  const char *name = arena_printf(&s->arena, "atomic_%s_%s", rmw, elem_info(elem)->name);
  FuncParam params[] = {{.name = "out", .type = pointer, .loc = s->loc},
                        {.name = "x", .type = scalar, .loc = s->loc}};
  Func *func = func_new(s->module, ir_name(&s->ir, str_from(name)), s->loc, params, 2);
  Builder b = builder_at_end(func, func->body);
  b.loc = s->loc;
  bool swaps = strcmp(rmw, "cas") == 0;
  const Type *type = tile_of(s, scalar);
  Value *x = build_splat(&b, func->body->args[1], type), *at = tile_param(&b, s, func->body->args[0]);
  Value *old = build(&b, swaps ? OP_ATOMIC_CAS : OP_ATOMIC_RMW, type, at, x, swaps ? x : NULL);
  if (!swaps) op_set_str(old->def, ATTR_RMW, rmw);
  build_op(&b, OP_RETURN, 0, NULL, 0, NULL);
}

static bool has_atomic(const char *rmw, Elem elem) {
  uint32_t bits = elem_info(elem)->bits;
  if (strcmp(rmw, "cas") == 0) return bits >= 16;
  if (elem_is_float(elem) && strcmp(rmw, "add") == 0) return bits >= 16;
  bool orders = strcmp(rmw, "max") == 0 || strcmp(rmw, "min") == 0 || strcmp(rmw, "xchg") == 0;
  return bits >= 32 && (orders || !elem_is_float(elem));
}

static void add_atomics(Setup *s) {
  static const char *const names[] = {"add", "max", "min", "and", "or", "xor", "xchg", "cas"};
  for (uint32_t i = 0; i < 8; i++)
    for (Elem elem = ELEM_I1; elem < ELEM_COUNT; elem++)
      if (has_atomic(names[i], elem)) add_atomic_kernel(s, names[i], elem);
}

static void check_all(const char *arch, uint8_t opt_level, void (*add)(Setup *s)) {
  Setup s;
  begin(&s);
  assert_true(target_parse_arch(str_from(arch), &s.target));
  s.target.opt_level = opt_level;
  s.loc = (Loc){.line = 1, .col = 1, .len = 1, .file = sources_add(&s.sources, "t.tile", STR("x\n"))};
  s.module = module_new(&s.ir, &s.target);
  add(&s);
  if (!compile(&s)) {
    print_diags(&s);
    fail_msg("%s does not compile", arch);
  }
  assert_int_equal(s.result.kernel_count, s.module->funcs.n);
  assert_false(s.result.target.arch->is_specific);
  assemble(&s);
  clean(&s);
}

TEST(test_elementwise) {
  check_all("sm_75", 1, add_elementwise);
  check_all("sm_80", 1, add_elementwise);
  check_all("sm_90a", 3, add_elementwise);
}

TEST(test_math) {
  check_all("sm_75", 1, add_math);
  check_all("sm_90a", 3, add_math);
  check_all("sm_75", 1, add_fma_and_mulhi);
  check_all("sm_90a", 3, add_fma_and_mulhi);
}

TEST(test_casts) {
  check_all("sm_75", 3, add_casts);
  check_all("sm_80", 0, add_casts);
  check_all("sm_86", 1, add_casts);
  check_all("sm_89", 1, add_casts);
  check_all("sm_90a", 1, add_casts);
}

TEST(test_atomics) {
  static const char *const targets[] = {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90a"};
  for (uint32_t i = 0; i < 5; i++) check_all(targets[i], 1, add_atomics);
}

// --- a thousand modules

// Bytes in use, and after how many compiles 256 of each are seen: exact, or in whole pages.
#if defined(__SANITIZE_ADDRESS__)
size_t __sanitizer_get_current_allocated_bytes(void); // gcc ships no header for it
enum { COMPILES = 100 };
static size_t allocated(void) { return __sanitizer_get_current_allocated_bytes(); }
#elif defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
enum { COMPILES = 100 };
static size_t allocated(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
#else
enum { COMPILES = 1000 };
static size_t allocated(void) {
  long size = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%ld %ld", &size, &resident), 2);
  fclose(file);
  return (size_t)resident * (size_t)sysconf(_SC_PAGESIZE);
}
#endif

static void add_few(Setup *s) {
  add_kernel(s, OP_ADD, ELEM_FP32, ELEM_FP32);
  add_math_kernel(s, MATH_exp, ELEM_FP64);
}

static void compile_small(void) {
  Setup s;
  begin(&s);
  s.target.opt_level = 1;
  s.module = module_new(&s.ir, &s.target);
  add_few(&s);
  assert_true(compile(&s));
  clean(&s);
}

TEST(test_no_growth) {
  for (uint32_t i = 0; i < 20; i++) compile_small();
  size_t before = allocated();
  for (uint32_t i = 0; i < COMPILES; i++) compile_small();
  size_t after = allocated();
  assert_true(after < before + COMPILES * (size_t)256);
}

int suite_codegen(void) {
  if (!assembler()) print_message("SKIPPED assembling what is generated: ptxas is not on this machine\n");
  if (!file_check()) print_message("SKIPPED golden files of code generation: FileCheck is not on this machine\n");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_elementwise), cmocka_unit_test(test_math),      cmocka_unit_test(test_casts),
      cmocka_unit_test(test_golden),      cmocka_unit_test(test_no_growth), cmocka_unit_test(test_atomics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
