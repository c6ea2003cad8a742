// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/accuracy/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "@kernel\n@grid(cdiv(n, BLOCK))\n"
                             "def measure(x: *%s, y: *%s, out: *%s, n: i32, BLOCK: constexpr = 128):\n"
                             "    i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
                             "    a = load(x + i, mask=i < n, other=1.0)\n"
                             "    b = load(y + i, mask=i < n, other=1.0)\n"
                             "    store(out + i, (%s).to(%s), mask=i < n)\n";

// The call as the language writes it.
static void call_text(Function f, char *text, size_t bytes) {
  static const char *const calls[FUNCTION_COUNT] = {
      [FUNCTION_div] = "div_rn(a.to(float32), b.to(float32))",
      [FUNCTION_abs] = "abs(a)",
      [FUNCTION_sqrt] = "sqrt_rn(a)",
      [FUNCTION_rsqrt] = "libdevice.rsqrt_rn(a)",
      [FUNCTION_exp_approx] = "exp(a)",
      [FUNCTION_sqrt_approx] = "sqrt(a)",
      [FUNCTION_rsqrt_approx] = "rsqrt(a)",
      [FUNCTION_log2_approx] = "libdevice.fast_log2f(a)",
      [FUNCTION_sin_approx] = "libdevice.fast_sinf(a)",
      [FUNCTION_cos_approx] = "libdevice.fast_cosf(a)",
      [FUNCTION_tanh_approx] = "libdevice.fast_tanhf(a)",
      [FUNCTION_div_approx] = "libdevice.fast_dividef(a, b)",
      [FUNCTION_fma_rz] = "libdevice.fma_rz(a, b, a)",
      [FUNCTION_fma_rd] = "libdevice.fma_rd(a, b, a)",
      [FUNCTION_fma_ru] = "libdevice.fma_ru(a, b, a)",
  };
  const FunctionInfo *info = &functions[f];
  if (calls[f])
    snprintf(text, bytes, "%s", calls[f]);
  else
    snprintf(text, bytes, "libdevice.%s(a%s)", info->name, info->operands == 2 ? ", b" : "");
}

static int out_bytes(const Task *task) {
  return functions[task->function].result == RESULT_F ? types[task->type].bytes : 4;
}

static tilec_status compile(Bench *bench, const Task *task, tilec_kernel **kernel) {
  const char *type = types[task->type].name;
  const char *result = functions[task->function].result == RESULT_F ? type : "i32";
  const char *cast = task->type == FP64   ? "float64"
                     : task->type == FP32 ? "float32"
                     : task->type == FP16 ? "float16"
                                          : "bfloat16";
  char call[80], text[1000];
  call_text(task->function, call, sizeof call);
  if (task->function == FUNCTION_div && task->type == FP64) snprintf(call, sizeof call, "a / b");
  if (functions[task->function].result != RESULT_F) cast = "int32";
  int n = snprintf(text, sizeof text, source, type, type, result, call, cast);
  tilec_program *program;
  tilec_status status = tilec_program_from_source("measure.tile", text, (size_t)n, &program);
  if (status) return status;
  status = tilec_kernel_new(bench->device, program, NULL, kernel);
  tilec_program_free(program);
  return status;
}

tilec_status bench_open(Bench *bench, const char *device) {
  memset(bench, 0, sizeof *bench);
  tilec_status status = tilec_device_open(device, &bench->device);
  tilec_buffer **buffers[] = {&bench->in[0], &bench->in[1], &bench->out};
  char **host[] = {&bench->host_in[0], &bench->host_in[1], &bench->host_out};
  for (int i = 0; i < 3 && !status; i++) {
    status = tilec_buffer_new(bench->device, 8 * MEASURE_BATCH, buffers[i]);
    *host[i] = calloc(MEASURE_BATCH, 8);
    if (!*host[i]) status = TILEC_ERROR_OUT_OF_MEMORY;
  }
  return status;
}

void bench_close(Bench *bench) {
  tilec_buffer *buffers[] = {bench->in[0], bench->in[1], bench->out};
  char *host[] = {bench->host_in[0], bench->host_in[1], bench->host_out};
  for (int i = 0; i < 3; i++) {
    tilec_buffer_free(buffers[i]);
    free(host[i]);
  }
  tilec_device_close(bench->device);
}

// The spacing of the type's numbers at x.
static long double spacing(Type type, long double x) {
  int exponent = x == 0 || isinf(x) ? types[type].least_exponent : ilogbl(x);
  if (exponent < types[type].least_exponent) exponent = types[type].least_exponent;
  if (exponent > types[type].greatest_exponent) exponent = types[type].greatest_exponent;
  return ldexpl(1, exponent - types[type].mantissa);
}

// Returns true if a special result is right: the result is no ordinary number, or should be none.
// An infinity is right for a number that rounds to it. The sign may differ only for a function with
// an absolute error, within that error. *ordinary: both are numbers, to be compared.
static bool right_kind(Type type, long double got, long double exact, long double slack, bool absolute,
                       bool *ordinary) {
  *ordinary = false;
  if (isnan(exact)) return isnan(got);
  if (isnan(got)) return false;
  bool other_sign = !signbit(got) != !signbit(exact);
  if (other_sign && !(absolute && fabsl(got - exact) <= slack)) return false;
  if (isinf(got)) return fabsl(exact) + slack >= overflow_from(type);
  if (isinf(exact) || (exact == 0 && got != 0)) return false;
  *ordinary = true;
  return true;
}

static void wrong(Worst *worst, const Point *p, uint64_t index, uint64_t got) {
  if (worst->wrong++ > 0) return;
  worst->wrong_index = index;
  worst->wrong_at = *p;
  worst->wrong_got = got;
}

// Returns true if it is the result for denormal arguments that count as zeros.
static bool right_of_flushed(const Task *task, const Point *p, long double got) {
  Point flushed = *p;
  if (!flushed_point(task->function, task->type, &flushed)) return false;
  long double exact = reference(task->function, task->type, &flushed);
  return isnan(exact) ? isnan(got) : got == exact && !signbit(got) == !signbit(exact);
}

static void compare_result(const Task *task, const Point *p, uint64_t index, uint64_t bits, Worst *worst) {
  Function f = task->function;
  Type type = task->type;
  long double exact = reference(f, type, p), got;
  worst->points++;
  if (functions[f].result != RESULT_F) {
    // Widening makes any NaN of a NaN.
    bool any = f == FUNCTION_signbit && types[type].bytes == 2 && isnan(decode(type, p->bits[0]));
    if (!any && (long double)(int32_t)bits != exact) wrong(worst, p, index, bits);
    return;
  }
  got = decode(type, bits);
  if (left_open(f, type, p) || right_of_flushed(task, p, got)) return;
  long double size = unit(type) * size_of(f, type, p, exact);
  bool ordinary;
  long double slack = size * (long double)bound_of(f, type);
  if (!right_kind(type, got, exact, slack, functions[f].absolute > 0, &ordinary)) {
    wrong(worst, p, index, bits);
    return;
  }
  if (!ordinary || (got == 0 && may_be_zero(f, type, exact))) return;
  double u = (double)(fabsl(got - exact) / size), ulp = (double)(fabsl(got - exact) / spacing(type, exact));
  if (u > worst->u) worst->u = u, worst->index = index, worst->at = *p, worst->got = bits;
  if (ulp > worst->ulp) worst->ulp = ulp;
}

void worst_merge(Worst *into, const Worst *from) {
  if (from->u > into->u || (from->u == into->u && from->index < into->index))
    into->u = from->u, into->index = from->index, into->at = from->at, into->got = from->got;
  if (from->ulp > into->ulp) into->ulp = from->ulp;
  if (from->wrong && (!into->wrong || from->wrong_index < into->wrong_index))
    into->wrong_index = from->wrong_index, into->wrong_at = from->wrong_at, into->wrong_got = from->wrong_got;
  into->wrong += from->wrong;
  into->points += from->points;
}

static tilec_status batch(Bench *bench, tilec_kernel *kernel, const Task *task, uint64_t first, uint64_t n,
                          Worst *worst) {
  const TypeInfo *type = &types[task->type];
  tilec_status status = TILEC_OK;
  for (uint64_t i = 0; i < n; i++) {
    Point p = point_at(task->function, task->type, task->seed, first + i, task->count);
    for (int k = 0; k < 2; k++) store_bits(bench->host_in[k], type->bytes, i, p.bits[k]);
  }
  for (int k = 0; k < 2 && !status; k++)
    status = tilec_buffer_write(bench->in[k], 0, bench->host_in[k], n * (uint64_t)type->bytes);
  tilec_dtype result = functions[task->function].result == RESULT_F ? type->dtype : TILEC_I32;
  tilec_arg args[] = {tilec_arg_buffer(type->dtype, bench->in[0]),
                      tilec_arg_buffer(type->dtype, bench->in[1]), tilec_arg_buffer(result, bench->out),
                      tilec_arg_int((int64_t)n)};
  if (!status) status = tilec_launch(kernel, NULL, args, 4);
  if (!status) status = tilec_buffer_read(bench->out, 0, bench->host_out, n * (uint64_t)out_bytes(task));
  if (status) return status;
  for (uint64_t i = 0; i < n; i++) {
    Point p = {{load_bits(bench->host_in[0], type->bytes, i), load_bits(bench->host_in[1], type->bytes, i)}};
    compare_result(task, &p, first + i, load_bits(bench->host_out, out_bytes(task), i), worst);
  }
  return TILEC_OK;
}

tilec_status measure_task(Bench *bench, const Task *task, Worst *worst) {
  tilec_kernel *kernel;
  tilec_status status = compile(bench, task, &kernel);
  if (status) return status;
  for (uint64_t at = task->first; at < task->end && !status; at += MEASURE_BATCH) {
    uint64_t n = task->end - at < MEASURE_BATCH ? task->end - at : MEASURE_BATCH;
    status = batch(bench, kernel, task, at, n, worst);
  }
  tilec_kernel_free(kernel);
  return status;
}
