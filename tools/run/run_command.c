// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec run: compiles one kernel for its arguments, launches it and prints its results. With --check it
// compares them with the reference evaluator.
#include "tools/run/ask.h"
#include "tools/run/run.h"

#include <stdio.h>
#include <unistd.h>

#include "base/demangle.h"
#include "base/integer.h"
#include "eval/eval.h"
#include "runtime/compile/compile_ptx.h"
#include "runtime/launch/kernel.h"
#include "runtime/launch/tuned.h"
#include "tools/run/interrupt.h"
#include "tools/run/step.h"

ExitStatus run_device_failed(tilec_status status) {
  const char *message = tilec_last_error(); // a diagnostic already has its location and severity
  if (strstr(message, ": error: ") || strstr(message, ": error[T"))
    fprintf(stderr, "%s\n", message);
  else
    tool_error("%s", message);
  return status == TILEC_ERROR_INTERNAL ? EXIT_OUR_BUG : EXIT_DIAGNOSED;
}

ExitStatus run_failed(Run *run, tilec_status status) {
  bool diagnosed = status == TILEC_ERROR_COMPILE || status == TILEC_ERROR_IO;
  if (diagnosed && run->c->diags.errors) return tool_report(run->options, run->c, status);
  return run_device_failed(status);
}

// Writes the initial bytes of an allocated buffer.
static tilec_status write_buffer(Run *run, RunArg *param, tilec_buffer *buffer) {
  run_fill_table(run, param);
  tilec_status status = tilec_buffer_write(buffer, 0, param->value.data, param->value.bytes);
  if (status != TILEC_OK) return status;
  if (!param->value.initialised && param->value.bytes && run->options->command != COMMAND_BENCH)
    status = device_watch(run->device, param->base);
  param->result = arena_alloc(run->arena, param->value.bytes);
  return status;
}

// Allocates all buffers first, because a buffer may hold addresses of others.
tilec_status run_place_buffers(Run *run, tilec_buffer **buffers) {
  tilec_status status = TILEC_OK;
  for (uint32_t i = 0; i < run->holder_count; i++) {
    RunArg *param = &run->params[i];
    if (param->buffer != param) continue;
    status = tilec_buffer_new(run->device, param->value.bytes, &buffers[i]);
    if (status != TILEC_OK) return status;
    param->base = tilec_buffer_address(buffers[i]);
  }
  for (uint32_t i = 0; i < run->holder_count; i++)
    if (run->params[i].buffer)
      run->params[i].address = run->params[i].buffer->base + run->params[i].value.offset;
  for (uint32_t i = 0; status == TILEC_OK && i < run->device_holders; i++)
    if (run->params[i].value.multicast) status = run_place_multicast(run, &run->params[i], buffers);
  for (uint32_t i = 0; status == TILEC_OK && i < run->holder_count; i++)
    if (run->params[i].buffer == &run->params[i]) status = write_buffer(run, &run->params[i], buffers[i]);
  return status;
}

tilec_status run_read_buffers(Run *run, tilec_buffer **buffers) {
  for (uint32_t i = 0; i < run->holder_count; i++) {
    RunArg *param = &run->params[i];
    if (param->buffer != param) continue;
    tilec_status status = tilec_buffer_read(buffers[i], 0, param->result, param->value.bytes);
    if (status != TILEC_OK) return status;
  }
  return TILEC_OK;
}

// The cache is skipped if an option shows the compiler at work. check always compiles.
static bool may_be_cached(const Run *run) {
  const Options *o = run->options;
  bool launched = o->command == COMMAND_RUN || o->command == COMMAND_BENCH;
  return run->device->needs_ptx && launched && !run_records(run) && !o->remarks && !o->time_passes &&
         !o->verify_each && !o->printed_passes.n && !o->stop_after && !o->run_passes_given &&
         !o->disabled_passes.n;
}

static tilec_status compile_code(Run *run, KernelImage *image) {
  Compilation *c = run->c;
  if (may_be_cached(run)) {
    // With JSON the output is one array and nothing else.
    tilec_status status = compile_ptx(c, &(PtxOptions){.told = run->options->json_diagnostics});
    if (status == TILEC_OK) image_take_code(image, c);
    run->host = c->host;
    return status;
  }
  PassReport report;
  PassRunOptions passes = tool_passes(run->options, &report);
  report.texts = run->pass_texts;
  report.arena = run->arena;
  if (!run->device->needs_ptx && !run->options->run_passes_given && !run->options->stop_after)
    passes.stop_after = "elaborate";
  c->launched = true;
  tilec_status status = compile_passes(c, &passes);
  tool_passes_end(&report);
  if (status != TILEC_OK || !run->device->needs_ptx) return status;
  CodegenOptions codegen = {.emit_ptx = true, .timeline = run_records(run)};
  status = compile_codegen(c, &codegen);
  if (status == TILEC_OK) image_take_code(image, c);
  run->host = c->module->funcs.at[0];
  return status;
}

static tilec_status compile_once(Run *run, KernelImage *image) {
  Compilation *c = run->c;
  tilec_status status = compile_elaborate(c, &run->spec);
  if (status == TILEC_OK) status = compile_launchable(c);
  if (status != TILEC_OK) return status;
  Func *func = c->module->funcs.at[0];
  *image = (KernelImage){.name = func->name, .func = func, .threads = {32 * func_warps(func), 1, 1}};
  run->host = func;
  status = compile_code(run, image);
  if (status != TILEC_OK) return status;
  image->by_value = by_value_params(run->host);
  image->persistent = func_is_persistent(run->host);
  return TILEC_OK;
}

// The grid of the launch, if there will be one. run_grid reports its errors.
static bool expect_grid(const Run *run, Func *func, const uint64_t *bits, int64_t grid[3]) {
  const Diags before = run->c->diags;
  uint32_t sizes[3];
  memcpy(grid, run->options->grid, 3 * sizeof *grid);
  if (run->options->grid_given || !func_host(func, HOST_GRID, NULL)) return run->options->grid_given;
  EvalArg *args = ARENA_ARRAY(run->arena, EvalArg, run->bit_count);
  for (uint32_t i = 0; i < run->bit_count; i++) args[i].bits = bits[i];
  bool known = eval_grid(func, args, sizes);
  for (int i = 0; known && i < 3; i++) grid[i] = sizes[i];
  run->c->diags.list.n = before.list.n;
  run->c->diags.errors = before.errors;
  return known;
}

static const char *last_remark(const Diags *diags, const char *pass) {
  for (uint32_t i = diags->list.n; i-- > 0;) {
    const Diag *diag = diags->list.at[i];
    if (diag->severity == DIAG_REMARK && diag->pass && strcmp(diag->pass, pass) == 0) return diag->message;
  }
  return NULL;
}

tilec_status run_compile(Run *run, const BoundArgs *bound, KernelImage *image) {
  Compilation *c = run->c;
  const Options *o = run->options;
  const char *grid = o->grid_text;
  bool can = true;
  int64_t launched[3];
  tilec_status status = grid && !c->is_tir ? compile_grid(c, grid, &run->spec) : TILEC_OK;
  if (status == TILEC_OK && run_takes_tuned(run) && run->device->needs_ptx)
    status = tuned_take(c, run->device, &run->spec);
  if (status == TILEC_OK) status = run_ask(run);
  const Diags before = c->diags;
  if (status == TILEC_OK) status = compile_once(run, image);
  if (status == TILEC_OK && expect_grid(run, image->func, bound->bits, launched))
    status = run_can_map(run, bound->bits, launched, &can);
  while (status == TILEC_OK && !can && level_falls_back(c, run->host, &run->spec.target)) {
    c->diags.list.n = before.list.n;
    c->diags.warnings = before.warnings;
    status = compile_restart(c);
    if (status == TILEC_OK) status = compile_once(run, image);
    can = true;
    if (status == TILEC_OK && expect_grid(run, image->func, bound->bits, launched))
      status = run_can_map(run, bound->bits, launched, &can);
  }
  run->configuration = last_remark(&c->diags, CONFIGURATION_REMARK);
  return status;
}

// Launches on cuda and by check always have a time limit.
LaunchLimits run_limits(Run *run) {
  enum { DEFAULT_TIMEOUT = 300 };
  const Options *o = run->options;
  bool bounded = o->command == COMMAND_CHECK || run->device->kind == &device_cuda;
  double timeout = o->timeout_given ? o->timeout : bounded ? DEFAULT_TIMEOUT : 0;
  if (!run->began) run->began = seconds_now();
  return (LaunchLimits){.max_instructions = o->max_instructions,
                        .timeout = timeout,
                        .spent = seconds_now() - run->began,
                        .programs = o->max_programs,
                        .devices = o->devices,
                        .cancel = interrupt_flag()};
}

bool run_is_over(Run *run) {
  const LaunchLimits limits = run_limits(run);
  return *limits.cancel || (limits.timeout > 0 && limits.timeout <= limits.spent);
}

tilec_status run_load_and_launch(Run *run, const KernelImage *image, const int64_t grid[3],
                                 const uint64_t *bits, DeviceKernel *kernel) {
  run->bits = bits;
  const ReportContext context = run_report_context(run);
  run->device->names = context.names;
  run->device->name_count = context.name_count;
  tilec_status status = run_load(run, image, kernel);
  if (status == TILEC_OK) status = run_launch_devices(run, kernel, grid, bits);
  LaunchLimits limits = run_limits(run);
  return status == TILEC_OK ? device_wait(run->device, &limits) : status;
}

ExitStatus run_launch(Run *run, const KernelImage *image, const int64_t grid[3], const uint64_t *bits,
                      tilec_buffer **buffers) {
  DeviceKernel kernel = {0};
  tilec_status status = run_load_and_launch(run, image, grid, bits, &kernel);
  if (status == TILEC_OK) status = run_read_buffers(run, buffers);
  fwrite(buf_view(&run->device->printed).at, 1, run->device->printed.n, stdout);
  ExitStatus result = status == TILEC_OK ? EXIT_DONE : run_launch_failed(run, grid, status);
  device_unload(&kernel); // frees the simulator's reports too
  if (result != EXIT_DONE) return result;
  if (run->configuration) printf("%s\n", run->configuration);
  printf("%s on %s, grid %lld,%lld,%lld\n", demangled(run->arena, str_from(image->name)), run->device->name,
         (long long)grid[0], (long long)grid[1], (long long)grid[2]);
  run_report_buffers(run, image->func);
  run_print_elements(run);
  return EXIT_DONE;
}

ExitStatus run_outputs(const Run *run, ExitStatus result) {
  return run_save(run) && (!run->options->stats || run_report_stats(run)) ? result : EXIT_DIAGNOSED;
}

static ExitStatus launch_and_report(Run *run, tilec_buffer **buffers) {
  BoundArgs bound;
  if (!run_bind(run, &bound)) return EXIT_DIAGNOSED;
  run->bound = &bound;
  run_specialise(run, &bound);
  KernelImage image = {0};
  tilec_status status = run_compile(run, &bound, &image);
  bool later = status == TILEC_OK && run->options->json_diagnostics; // one array, at the end
  ExitStatus result = later ? EXIT_DONE : run_tell(run, status);
  if (result != EXIT_DONE) return result;
  int64_t grid[3];
  struct Timeline *timeline;
  if (!run_grid(run, image.func, bound.bits, grid)) return EXIT_DIAGNOSED;
  if (!run_timeline_begin(run, &image, &timeline)) return EXIT_DIAGNOSED;
  result = run_launch(run, &image, grid, bound.bits, buffers);
  result = run_timeline_end(run, timeline, &image, result);
  if (result == EXIT_DONE)
    result = run_judge(run, run->options->check ? run_check(run, grid, &bound) : EXIT_DONE);
  return run_outputs(run, result);
}

// Opens the simulator if its options or check need it. Otherwise opens the device of --device.
static tilec_status open_device(Run *run) {
  const Options *o = run->options;
  bool automatic = strcmp(o->device, "auto") == 0,
       check = o->command == COMMAND_CHECK || o->command == COMMAND_EXPLAIN || o->predict;
  bool partial = o->run_passes_given || o->stop_after; // Tile IR that is not lowered has no PTX.
  if (o->step || (automatic && partial && !o->sim_given && !check))
    return tilec_device_open("eval", &run->device);
  if (strcmp(o->device, "sim") == 0 || (automatic && (o->sim_given || check)))
    return device_open_sim(&o->sim, &run->device);
  return tilec_device_open(o->device, &run->device);
}

// Ends the process without the driver's exit handler, which would wait for a launch that has not ended.
static _Noreturn void leave_now(ExitStatus result) {
  fflush(stdout);
  fflush(stderr);
  _exit(result);
}

// Uses the device's architecture if no option gives one.
static void run_take_arch(Run *run) {
  if (run->options->arch_given) return;
  run->spec.target.arch = run->device->target.arch;
  run->spec.arch_given = run->device->is_gpu;
}

// Opens the device, places the buffers and calls `launch`.
static ExitStatus run_on_device(Run *run, ExitStatus (*launch)(Run *run, tilec_buffer **buffers)) {
  tilec_status status = open_device(run);
  if (status != TILEC_OK) return run_device_failed(status);
  run_take_arch(run);
  tilec_buffer **buffers = ARENA_ARRAY(run->arena, tilec_buffer *, run->holder_count);
  if (run->has_data)
    status = run_place_buffers(run, buffers);
  else
    run_lay_out_buffers(run);
  if (!run->options->predicted) interrupt_begin(); // else within the one of the launch that is explained
  ExitStatus result = status == TILEC_OK ? launch(run, buffers) : run_device_failed(status);
  if (!run->options->predicted) interrupt_end();
  if (run->device->gave_up) leave_now(result);
  for (uint32_t i = 0; i < run->holder_count; i++) tilec_buffer_free(buffers[i]);
  tilec_device_close(run->device);
  return result;
}

static ExitStatus start_run(const Options *options, Arena *arena,
                            ExitStatus (*launch)(Run *run, tilec_buffer **buffers)) {
  Str text;
  if (!tool_read(arena, options->file, &text)) return EXIT_DIAGNOSED;
  Compilation c;
  compilation_init(&c);
  Run run = {.options = options, .arena = arena, .c = &c, .text = text};
  run.has_data = options->command == COMMAND_TUNE ? !options->predict
                                                  : options->command != COMMAND_EXPLAIN || options->simulate;
  tilec_status status = options_file_is_ptx(options) ? TILEC_OK : tool_parse(&c, options->file, text);
  if (status == TILEC_OK) status = tool_spec(options, &c, &run.spec);
  ExitStatus result = EXIT_DIAGNOSED;
  if (status != TILEC_OK)
    result = tool_report(options, &c, status);
  else if (options_file_is_ptx(options)
               ? run_match_ptx(&run)
               : run_match_arguments(&run) && run_check_outputs(&run) && run_load_expectations(&run))
    result = run_on_device(&run, launch);
  compilation_free(&c);
  return result;
}

static bool on_simulator(const Options *options) {
  return strcmp(options->device, "auto") == 0 || strcmp(options->device, "sim") == 0;
}

static ExitStatus command_step(const Options *o, Arena *arena) {
  if (strcmp(o->device, "auto") != 0 && strcmp(o->device, "eval") != 0)
    return tool_error("[T1006] --step runs on the evaluator, not on %s", o->device);
  if (options_file_is_ptx(o)) return tool_error("[T1006] --step needs a kernel's source: PTX has no tiles");
  if (o->check || o->saves.n || o->stats || o->strict || o->timeline || o->devices > 1)
    return tool_error(
        "[T1006] --check, --save, --stats, --strict, --timeline and --devices do not go with --step");
  if (strcmp(o->file, "-") == 0)
    return tool_error("[T1006] --step reads commands from standard input, so the kernel must be a file");
  return start_run(o, arena, step_source);
}

ExitStatus command_run(const Options *options, Arena *arena) {
  if (options->step) return command_step(options, arena);
  if (options->timeline && options_file_is_ptx(options))
    return tool_error("[T1006] --timeline needs a kernel's source, not PTX");
  if (options->sim_given && !on_simulator(options))
    return tool_error("[T1006] --sim-schedule, --sim-threads and --devices are for the simulator, not for %s",
                      options->device);
  if (options->devices > 1 && (options->check || options->timeline))
    return tool_error(
        "[T1006] --check and --timeline are for one device: compare by --expect NAME@1=@FILE.npy");
  return start_run(options, arena, options_file_is_ptx(options) ? run_ptx : launch_and_report);
}

ExitStatus command_check(const Options *options, Arena *arena) {
  if (!on_simulator(options))
    return tool_error("[T1006] check runs on the simulator, not on %s", options->device);
  if (options->saves.n || options->stats || options->prints.n || options->step || options->timeline)
    return tool_error("[T1006] --save, --print, --step, --stats and --timeline are for run, not for check");
  if (options->devices > 1 && options->check)
    return tool_error("[T1006] --check is for one device: compare by --expect NAME@1=@FILE.npy");
  return start_run(options, arena, options_file_is_ptx(options) ? check_ptx : check_source);
}

ExitStatus command_explain(const Options *options, Arena *arena) {
  return start_run(options, arena, explain_source);
}

double explain_predict(const Run *run, const char *option, const char *value) {
  const Options *o = run->options;
  Options other;
  Arena arena = {0};
  Buf error = {0};
  double seconds = 0;
  char **words = ARENA_ARRAY(&arena, char *, (size_t)o->word_count + 3);
  words[0] = arena_printf(&arena, "tilec");
  for (int i = 0; i < o->word_count; i++) words[i + 1] = arena_printf(&arena, "%s", o->words[i]);
  words[o->word_count + 1] = arena_printf(&arena, "%s", option);
  words[o->word_count + 2] = arena_printf(&arena, "%s", value);
  bool ends = false; // options
  for (int i = 0; i < o->word_count; i++) ends |= strcmp(o->words[i], "--") == 0;
  if (!ends && options_parse(o->word_count + 3, words, &arena, &other, &error)) {
    other.predicted = &seconds;
    other.simulate = false;
    (void)start_run(&other, &arena, explain_source);
  }
  buf_free(&error);
  arena_free(&arena);
  return seconds;
}

// The first configuration is used for all until they differ.
ExitStatus command_tune(const Options *options, Arena *arena) {
  Options first = tune_first(options, arena);
  return start_run(&first, arena, tune_source);
}

ExitStatus command_bench(const Options *options, Arena *arena) {
  if (options->check || options->expectations.n || options->saves.n || options->prints.n || options->strict ||
      options->step || options->timeline || options->devices > 1)
    return tool_error(
        "[T1006] --check, --expect, --save, --print, --step, --strict, --timeline and --devices are "
        "for run, not for bench");
  return start_run(options, arena, run_bench);
}
