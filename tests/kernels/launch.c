// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/kernels/launch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/number.h"
#include "passes/passes.h"

static void failed(Launch *l, const char *what) {
  Buf text = {0};
  diags_print_text(&l->c.diags, false, &text);
  fail_msg("%s: %s%s", what, text.at ? text.at : "", l->c.fault);
}

static void must_succeed(Launch *l, tilec_status status, const char *what) {
  if (status != TILEC_OK) failed(l, what);
}

static Str read_file(Launch *l, const char *file) {
  const char *path = arena_printf(&l->arena, "%s/kernels/%s", TESTS_DIR, file);
  FILE *in = fopen(path, "rb");
  if (!in) fail_msg("cannot read %s", path);
  Buf text = {0};
  char part[4096];
  size_t n;
  while ((n = fread(part, 1, sizeof part, in)) > 0) buf_str(&text, (Str){part, n});
  fclose(in);
  Str copy = {arena_copy(&l->arena, buf_view(&text)), text.n};
  buf_free(&text);
  return copy;
}

void launch_open(Launch *l, const char *file, const char *kernel) {
  *l = (Launch){
      .file = file, .next = 0x100000, .random = 0x9e3779b97f4a7c15u, .spec = {.target = target_default()}};
  must_succeed(l, compilation_init(&l->c), "init");
  must_succeed(l, compile_parse(&l->c, file, read_file(l, file)), "parse");
  l->spec.kernel = ir_name(&l->c.ir, str_from(kernel));
  l->memory = eval_memory_new(&l->arena);
  l->sim = launch_sim_new(&l->arena);
}

void launch_close(Launch *l) {
  launch_sim_free(l->sim);
  arena_free(&l->arena);
  compilation_free(&l->c);
}

double *launch_array(Launch *l, size_t n) {
  double *array = ARENA_ARRAY(&l->arena, double, n ? n : 1);
  memset(array, 0, n * sizeof *array);
  return array;
}

// --- Arguments ---

static LaunchArg *add_arg(Launch *l, const char *name) {
  assert_true(l->count < LAUNCH_ARGS);
  l->args[l->count] = (LaunchArg){.name = ir_name(&l->c.ir, str_from(name))};
  return &l->args[l->count++];
}

// The bytes become the evaluator's and the simulator's; NULL: nothing may read them yet.
static void add_buffer(Launch *l, const char *name, Elem elem, uint32_t n, void *bytes) {
  LaunchArg *arg = add_arg(l, name);
  uint64_t size = (uint64_t)n * elem_bytes(elem);
  *arg = (LaunchArg){.name = arg->name, .elem = elem, .buffer = true, .n = n, .bits = l->next};
  arg->facts.divisible16 = true;
  l->next += (size / 4096 + 2) * 4096;
  bool initialised = bytes != NULL;
  if (!initialised) bytes = memset(arena_alloc(&l->arena, size + 1), 0xA5, size);
  if (l->sim) arg->bits = launch_sim_add(l->sim, elem, bytes, size);
  eval_memory_add(l->memory, arg->bits, initialised ? bytes : NULL, size, initialised);
}

static uint64_t encode(Elem elem, double value) {
  return elem_is_float(elem) ? number_encode(elem, value) : number_wrap(elem, (uint64_t)(int64_t)value);
}

static double decode(Elem elem, const uint8_t *bytes) {
  uint64_t bits = number_load(elem, bytes);
  return elem_is_float(elem) ? number_decode(elem, bits) : (double)(int64_t)bits;
}

void launch_values(Launch *l, const char *name, const char *type, uint32_t n, const double *values) {
  Elem elem;
  assert_true(elem_parse(str_from(type), &elem));
  uint32_t size = elem_bytes(elem);
  uint8_t *bytes = arena_alloc(&l->arena, (size_t)n * size + 1);
  for (uint32_t i = 0; i < n; i++) number_store(elem, encode(elem, values[i]), bytes + (size_t)i * size);
  add_buffer(l, name, elem, n, bytes);
}

static double uniform(Launch *l) {
  l->random = l->random * 6364136223846793005u + 1442695040888963407u;
  return (double)(l->random >> 11) * 0x1p-53;
}

const double *launch_random(Launch *l, const char *name, const char *type, uint32_t n, double low,
                            double high) {
  Elem elem;
  assert_true(elem_parse(str_from(type), &elem));
  double *values = launch_array(l, n);
  for (uint32_t i = 0; i < n; i++) {
    double x = low + (high - low) * uniform(l);
    values[i] = elem_is_float(elem) ? number_round(elem, x) : floor(x);
  }
  launch_values(l, name, type, n, values);
  return values;
}

void launch_fill(Launch *l, const char *name, const char *type, uint32_t n, double value) {
  double *values = launch_array(l, n);
  for (uint32_t i = 0; i < n; i++) values[i] = value;
  launch_values(l, name, type, n, values);
}

void launch_empty(Launch *l, const char *name, const char *type, uint32_t n) {
  Elem elem;
  assert_true(elem_parse(str_from(type), &elem));
  add_buffer(l, name, elem, n, NULL);
}

static void add_scalar(Launch *l, char *item) {
  char *value = strchr(item, '=');
  assert_non_null(value);
  *value++ = 0;
  LaunchArg *arg = add_arg(l, item);
  if (strcmp(value, "None") == 0) {
    arg->none = arg->facts.none = true;
  } else if (strpbrk(value, ".en")) {
    arg->elem = ELEM_FP32;
    arg->bits = number_encode(ELEM_FP32, strtod(value, NULL));
  } else {
    long long number = strtoll(value, NULL, 10);
    arg->elem = number == (int32_t)number ? ELEM_I32 : ELEM_I64;
    arg->bits = (uint64_t)number;
    arg->facts = (ParamFacts){.divisible16 = number % 16 == 0, .equal1 = number == 1};
  }
}

static void add_constexpr(Launch *l, char *item) {
  must_succeed(l, compile_define(&l->c, item, &l->spec), item);
}

static void each_item(Launch *l, const char *format, va_list values, void (*add)(Launch *l, char *item)) {
  char text[1024];
  int n = vsnprintf(text, sizeof text, format, values);
  assert_true(n >= 0 && (size_t)n < sizeof text);
  char *rest = text, *item;
  while ((item = strtok_r(rest, " ", &rest)) != NULL) add(l, item);
}

void launch_scalars(Launch *l, const char *format, ...) {
  va_list values;
  va_start(values, format);
  each_item(l, format, values, add_scalar);
  va_end(values);
}

void launch_constexprs(Launch *l, const char *format, ...) {
  va_list values;
  va_start(values, format);
  each_item(l, format, values, add_constexpr);
  va_end(values);
}

// --- The run ---

static const KernelParam *param_named(const KernelInfo *kernel, const char *name) {
  for (uint32_t i = 0; i < kernel->param_count; i++)
    if (kernel->params[i].name == name) return &kernel->params[i];
  return NULL;
}

// Types from the arguments, except where the kernel says its own.
static void specialise_launch(Launch *l) {
  const KernelInfo *kernel = frontend_kernel(&l->c.ir, l->c.syntax, &l->spec, l->spec.kernel);
  if (!kernel) failed(l, "kernel");
  l->spec.param_count = 0;
  l->spec.fp32_dot_given = true; // the references are IEEE
  l->spec.params = ARENA_ARRAY(&l->c.arena, ParamSpec, l->count);
  for (uint32_t i = 0; i < l->count; i++) {
    const LaunchArg *arg = &l->args[i];
    const KernelParam *param = param_named(kernel, arg->name);
    if (arg->buffer && !param) continue;
    const Type *type = type_scalar(&l->c.ir, arg->elem);
    if (arg->buffer) type = type_ptr(&l->c.ir, type);
    if (arg->none || (param && param->type)) type = NULL;
    l->spec.params[l->spec.param_count++] = (ParamSpec){.name = arg->name, .type = type, .facts = arg->facts};
  }
}

// TEST_LIST=FILE: adds the command line that compiles the same, its words
// apart by tabs (scripts/compile-list).
static void list_command(Launch *l) {
  const char *path = getenv("TEST_LIST");
  FILE *out = path ? fopen(path, "a") : NULL;
  if (!out) return;
  Buf text = {0};
  buf_printf(&text, "tests/kernels/%s\t--kernel\t%s", l->file, l->spec.kernel);
  for (uint32_t i = 0; i < l->spec.constexpr_count; i++) {
    buf_printf(&text, "\t-D\t%s=", l->spec.constexprs[i].name);
    const_print(&l->spec.constexprs[i].value, &text);
  }
  for (uint32_t i = 0; i < l->spec.param_count; i++) {
    const ParamSpec *param = &l->spec.params[i];
    buf_printf(&text, "%s%s=", i ? "," : "\t--signature\t", param->name);
    if (param->type) type_print(param->type, &text);
    if (param->facts.none) buf_printf(&text, "None");
    if (param->facts.divisible16) buf_printf(&text, ":16");
    if (param->facts.equal1) buf_printf(&text, ":1");
  }
  fprintf(out, "%.*s\n", (int)text.n, text.at);
  fclose(out);
  buf_free(&text);
}

static const LaunchArg *find_arg(const Launch *l, const char *name) {
  for (uint32_t i = 0; i < l->count; i++)
    if (strcmp(l->args[i].name, name) == 0) return &l->args[i];
  fail_msg("no argument '%s' is given", name);
  return NULL;
}

// TEST_STOP_AFTER=PASS runs the kernels as they are after that pass.
static void run_passes(Launch *l) {
  PassRunOptions options = {.stop_after = getenv("TEST_STOP_AFTER"), .verify_each = true};
  if (options.stop_after && !passes_run(l->c.module, &l->c.diags, &options)) failed(l, "passes");
}

void launch_kernel(Launch *l, uint32_t x, uint32_t y, uint32_t z) {
  specialise_launch(l);
  list_command(l);
  must_succeed(l, compile_elaborate(&l->c, &l->spec), "elaborate");
  run_passes(l);
  Func *func = l->c.module->funcs.at[0];
  EvalArg args[LAUNCH_ARGS] = {{0}};
  uint64_t bits[LAUNCH_ARGS] = {0};
  for (uint32_t i = 0; i < func->param_count; i++)
    args[i].bits = bits[i] = find_arg(l, func->params[i].name)->bits;
  const uint32_t grid[3] = {x, y, z};
  const EvalOptions options = {.max_steps = 20000000, .races = true, .compared = true};
  if (!eval_launch(func, grid, args, l->memory, &options)) failed(l, "run");
  if (l->c.diags.warnings != l->warnings) failed(l, "warnings");
  if (l->sim) launch_sim_run(l->sim, &l->c, &l->spec, grid, bits, l->memory);
}

const double *launch_result(Launch *l, const char *name) {
  const LaunchArg *arg = find_arg(l, name);
  assert_true(arg->buffer);
  const uint8_t *bytes =
      l->sim ? launch_sim_bytes(l->sim, arg->bits) : eval_memory_bytes(l->memory, arg->bits);
  double *values = launch_array(l, arg->n);
  for (uint32_t i = 0; i < arg->n; i++)
    values[i] = decode(arg->elem, bytes + (size_t)i * elem_bytes(arg->elem));
  return values;
}

void launch_expect(Launch *l, const char *name, const double *expected, double tolerance) {
  const double *got = launch_result(l, name);
  uint32_t n = find_arg(l, name)->n, compared = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (isnan(expected[i])) continue;
    compared++;
    double allowed = tolerance * (1 + fabs(expected[i]));
    bool same = got[i] == expected[i] || fabs(got[i] - expected[i]) <= allowed;
    if (!same) fail_msg("%s[%u] is %.9g, not %.9g (within %.3g)", name, i, got[i], expected[i], allowed);
  }
  assert_true(compared > 0);
}
