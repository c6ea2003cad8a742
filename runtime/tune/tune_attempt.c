// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles one configuration for the arguments and predicts its time.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "runtime/compile/compile_ptx.h"
#include "runtime/error.h"
#include "runtime/launch/expand.h"
#include "runtime/launch/kernel.h"
#include "runtime/launch/tuned.h"
#include "runtime/tune/tuner.h"

void candidate_fail(Candidate *c, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, args);
  free(c->own_error);
  c->own_error = n < 0 ? NULL : malloc((size_t)n + 1);
  if (c->own_error) vsnprintf(c->own_error, (size_t)n + 1, format, again);
  c->error = c->own_error ? c->own_error : "out of memory";
  va_end(again);
  va_end(args);
}

// The first error, without its source line.
static void keep_first_error(Attempt *a, tilec_status status) {
  const Diags *diags = &a->c.diags;
  for (uint32_t i = 0; i < diags->list.n; i++) {
    const Diag *one = diags->list.at[i];
    if (one->severity != DIAG_ERROR) continue;
    if (one->loc.line)
      candidate_fail(a->candidate, "%s:%u: %s", sources_name(&a->c.sources, one->loc.file), one->loc.line,
                     one->message);
    else
      candidate_fail(a->candidate, "%s", one->message);
    return;
  }
  candidate_fail(a->candidate, "%s",
                 a->c.fault[0]           ? a->c.fault
                 : tilec_last_error()[0] ? tilec_last_error()
                                         : tilec_status_name(status));
}

// --- Arguments ---

static tilec_status take_settings(Compilation *c, Spec *spec, const TuneSetting *settings, uint32_t count) {
  tilec_status status = TILEC_OK;
  for (uint32_t i = 0; i < count && !status; i++)
    if (!settings[i].is_option)
      status = compile_define(c, arena_printf(&c->arena, "%s=%s", settings[i].name, settings[i].text), spec);
    else if (!tuned_take_option(spec, settings[i].name, strtoul(settings[i].text, NULL, 10)))
      status = error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s cannot be %s", settings[i].name, settings[i].text);
  return status;
}

typedef struct Binding {
  const TuneRequest *request;
  const KernelInfo *info;
  Spec *spec;
  TuneBound *bound;
  const TuneSetting *settings;
  uint32_t count;
} Binding;

// Parameters that become several of the kernel's, and their arguments.
static bool is_wide(const RunParam *params, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (params[i].wide) return true;
  return false;
}

static tilec_status bind_body(Compilation *c, void *data) {
  Binding *b = data;
  const TuneRequest *r = b->request;
  RunParam *params = ARENA_ARRAY(&c->arena, RunParam, b->info->param_count + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->info->param_count; i++)
    if (!b->info->params[i].is_constexpr) params[n++] = run_param(&c->arena, &b->info->params[i]);
  BoundArgs *bound = &b->bound->args;
  bool wide = is_wide(params, n);
  tilec_status status = wide ? TILEC_OK : bind_args(b->info->name, params, n, r->args, r->arg_count, bound);
  b->bound->params = params;
  if (wide || (status && bound->wide)) {
    Expanded *expanded = ARENA_NEW(&c->arena, Expanded);
    status = bind_wide(b->info->name, params, n, r->args, r->arg_count, bound, expanded);
    b->bound->params = expanded->params;
  }
  if (!status) bound_spec(&c->ir, params, n, bound, b->spec);
  return status;
}

static tilec_status settings_body(Compilation *c, void *data) {
  const Binding *b = data;
  return take_settings(c, b->spec, b->settings, b->count);
}

tilec_status attempt_bind(const TuneRequest *request, const TuneSetting *settings, uint32_t count,
                          Compilation *c, Spec *spec, TuneBound *bound) {
  Binding binding = {.request = request, .spec = spec, .bound = bound, .settings = settings, .count = count};
  tilec_status status = program_parse(request->program, c);
  *spec = request->base;
  if (!status && c->is_tir)
    return error_set(TILEC_ERROR_NOT_SUPPORTED,
                     "tune needs a kernel's source: tile IR has one configuration");
  if (!status) status = compile_guard(c, spec_own_kernel, spec);
  for (uint32_t i = 0; i < request->define_count && !status; i++)
    status = compile_define(c, request->defines[i], spec);
  if (!status) status = compile_guard(c, settings_body, &binding);
  if (status) return compilation_error(c, status);
  status = program_kernel(c, spec->kernel, spec, &binding.info);
  if (status) return status;
  return compile_guard(c, bind_body, &binding);
}

// --- Compiling ---

static tilec_status compile_code(Attempt *a, bool only_predict) {
  Compilation *c = &a->c;
  const TuneRequest *r = a->tuning->request;
  const PassRunOptions passes = {.disabled = r->disabled, .disabled_count = r->disabled_count};
  tilec_status status;
  c->launched = true;
  if (!only_predict && !r->disabled_count) {
    status = compile_ptx(c, &(PtxOptions){0});
    a->host = c->host;
  } else {
    status = compile_passes(c, &passes);
    if (!status && !only_predict) status = compile_codegen(c, &(CodegenOptions){.emit_ptx = true});
    if (!status) a->host = c->module->funcs.at[0];
  }
  if (!status && !only_predict) image_take_code(&a->image, c);
  return status;
}

static tilec_status compile_once(Attempt *a, bool only_predict) {
  Compilation *c = &a->c;
  tilec_status status = compile_elaborate(c, &a->spec);
  if (!status) status = compile_launchable(c);
  if (status) return status;
  Func *func = c->module->funcs.at[0];
  a->image = (KernelImage){.name = func->name, .func = func, .threads = {32 * func_warps(func), 1, 1}};
  status = compile_code(a, only_predict);
  if (status) return status;
  a->image.by_value = by_value_params(a->host);
  a->image.persistent = func_is_persistent(a->host);
  return TILEC_OK;
}

// --- Hidden parameters ---

static bool has_hidden(const Attempt *a) { return func_visible_params(a->host) < a->host->param_count; }

static EvalArg *eval_args(Attempt *a, const uint64_t *bits) {
  EvalArg *args = ARENA_ARRAY(&a->c.arena, EvalArg, a->bound.args.count + 1);
  for (uint32_t i = 0; i < a->bound.args.count; i++) args[i].bits = bits[i];
  return args;
}

static tilec_status make_maps(Attempt *a, const uint64_t *bits, MadeMaps *made) {
  char *room = arena_alloc(&a->c.arena, (size_t)func_maps(a->host) * BY_VALUE_BYTES + BY_VALUE_ALIGN);
  *made = (MadeMaps){.maps = (unsigned char *)room + (-(uintptr_t)room & (BY_VALUE_ALIGN - 1))};
  return maps_make(a->host, a->tuning->request->device, eval_args(a, bits), a->grid, made);
}

tilec_status attempt_code_bits(Attempt *a, const uint64_t *bits, uint64_t *out) {
  MadeMaps made;
  memcpy(out, bits, a->bound.args.count * sizeof *bits);
  if (!has_hidden(a)) return TILEC_OK;
  tilec_status status = make_maps(a, bits, &made);
  if (status) return status;
  if (made.unmade)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "the tensor map '%s' cannot be made: %s",
                     made.unmade_name ? made.unmade_name : "", made.unmade);
  maps_pass(hidden_params(a->host), a->grid, made.maps, a->bound.args.count, out);
  return TILEC_OK;
}

// grid[0] -1: computed from @grid or grid_text.
static const int64_t *given_grid(const Attempt *a) {
  return a->candidate->grid[0] ? a->candidate->grid : a->tuning->request->options.grid;
}

static tilec_status find_grid(Attempt *a) {
  const int64_t *given = given_grid(a);
  Func *func = a->image.func;
  uint32_t sizes[3];
  memcpy(a->grid, given, sizeof a->grid);
  if (given[0] != -1) return TILEC_OK;
  if (!func_host(func, HOST_GRID, NULL))
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s has no @grid: give a grid", func->name);
  if (!eval_grid(func, eval_args(a, a->bound.args.bits), sizes)) return TILEC_ERROR_COMPILE;
  for (int i = 0; i < 3; i++) a->grid[i] = sizes[i];
  return TILEC_OK;
}

// Tries to make the code's tensor maps. Sets a->unmade if that fails.
static tilec_status look_at_launch(Compilation *c, void *data) {
  Attempt *a = data;
  MadeMaps made = {0};
  (void)c;
  tilec_status status = find_grid(a);
  if (!status && has_hidden(a)) status = make_maps(a, a->bound.args.bits, &made);
  a->unmade = made.unmade != NULL;
  return status;
}

static tilec_status compile_for_launch(Attempt *a, bool only_predict) {
  tilec_status status = compile_once(a, only_predict);
  return status ? status : compile_guard(&a->c, look_at_launch, a);
}

// Compiles at the level that a launch would use: hidden parameters that cannot be made are dropped.
static tilec_status compile_whole(Attempt *a, bool only_predict) {
  Compilation *c = &a->c;
  const tilec_tune_options *o = &a->tuning->request->options;
  const Diags before = c->diags;
  bool by_text = o->grid_text && given_grid(a)[0] == -1;
  tilec_status status = by_text ? compile_grid(c, o->grid_text, &a->spec) : TILEC_OK;
  if (!status) status = compile_for_launch(a, only_predict);
  while (!status && a->unmade && level_falls_back(c, a->host, &a->spec.target)) {
    c->diags.list.n = before.list.n;
    c->diags.warnings = before.warnings;
    status = compile_restart(c);
    if (!status) status = compile_for_launch(a, only_predict);
  }
  return status;
}

TuneWork tune_work(const CostReport *report) {
  TuneWork work = {
      .flops = (double)report->totals.flops.most, .written = report->unplaced, .outside = report->outside};
  for (uint32_t i = 0; i < report->traffic_count; i++) {
    const CostTraffic *traffic = &report->traffic[i];
    double bytes = (double)traffic->buffer->bytes;
    work.read += traffic->loaded < bytes ? traffic->loaded : bytes;
    work.written += traffic->stored + (traffic->updated < bytes ? traffic->updated : bytes);
  }
  return work;
}

static tilec_status predict_body(Compilation *c, void *data) {
  Attempt *a = data;
  Candidate *candidate = a->candidate;
  const TuneRequest *r = a->tuning->request;
  CostBuffer *buffers = ARENA_ARRAY(&c->arena, CostBuffer, r->memory_count + 1);
  for (uint32_t i = 0; i < r->memory_count; i++) {
    const TuneMemory *memory = &r->memories[i];
    buffers[i] = (CostBuffer){
        .name = memory->name ? memory->name : "", .address = memory->address, .bytes = memory->bytes};
  }
  CostLaunch launch = {.args = a->bound.args.bits,
                       .arg_count = a->bound.args.count,
                       .buffers = buffers,
                       .buffer_count = r->memory_count,
                       .card = a->tuning->chip};
  for (int i = 0; i < 3; i++) launch.grid[i] = (uint32_t)a->grid[i];
  const CostReport *report = cost_report(&c->arena, c->module->funcs.at[0], &launch);
  candidate->predicted = true;
  candidate->time = report->time;
  candidate->work = tune_work(report);
  candidate->programs = (double)report->programs;
  candidate->registers = report->registers;
  candidate->shared_bytes = report->shared_bytes;
  candidate->blocks = report->occupancy.blocks;
  candidate->too_large = !report->occupancy.blocks && report->occupancy.limit == LIMIT_SHARED;
  return TILEC_OK;
}

static tilec_status attempt_body(void *data) {
  Attempt *a = data;
  const Candidate *candidate = a->candidate;
  tilec_status status = attempt_bind(a->tuning->request, candidate->settings, candidate->setting_count, &a->c,
                                     &a->spec, &a->bound);
  if (!status) status = compile_whole(a, a->only_predict);
  if (!status && a->only_predict) status = compile_guard(&a->c, predict_body, a);
  return status;
}

void attempt_compile(Attempt *a, bool only_predict) {
  a->only_predict = only_predict;
  tilec_status status = error_guard(attempt_body, a);
  if (status)
    keep_first_error(a, status);
  else if (a->candidate->too_large)
    candidate_fail(a->candidate, "a multiprocessor has less shared memory than a CTA needs");
}

void attempt_free(Attempt *a) {
  device_unload(&a->kernel);
  buf_free(&a->cubin);
  compilation_free(&a->c);
}

// --- Threads ---

typedef struct Work {
  Tuning *tuning;
  void (*each)(void *data, uint32_t i);
  void *data;
} Work;

static bool do_one(void *data, uint32_t i) {
  const Work *work = data;
  if (tuning_is_over(work->tuning)) return false;
  work->each(work->data, i);
  return true;
}

void tune_in_parallel(Tuning *t, uint32_t count, void (*each)(void *data, uint32_t i), void *data) {
  parallel_run(count, do_one, &(Work){t, each, data});
}
