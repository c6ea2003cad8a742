// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec tune: runs the library's tuning with the command line's ranges and arguments.
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "tools/run/interrupt.h"
#include "tools/tune/tune_tool.h"

// --- Arguments are matched with the first configuration ---

static void set_option(Options *o, const char *name, const char *text) {
  uint16_t value = (uint16_t)strtoul(text, NULL, 10); // already checked by the parser
  if (strcmp(name, "num_warps") == 0) {
    o->target.num_warps = value;
    o->num_warps_given = true;
  } else if (strcmp(name, "num_stages") == 0) {
    o->target.num_stages = value;
    o->num_stages_given = true;
  } else {
    o->target.maxnreg = value;
    o->maxnreg_given = true;
  }
}

Options tune_first(const Options *options, Arena *arena) {
  Options o = *options;
  o.defines.at = NULL;
  o.defines.n = o.defines.cap = 0;
  for (uint32_t i = 0; i < options->defines.n; i++) vec_push(arena, &o.defines, options->defines.at[i]);
  for (uint32_t i = 0; i < options->ranges.n; i++) {
    const TuneRange *range = &options->ranges.at[i];
    if (range->is_option)
      set_option(&o, range->name, range->texts.at[0]);
    else
      vec_push(arena, &o.defines, arena_printf(arena, "%s=%s", range->name, range->texts.at[0]));
  }
  return o;
}

// --- The library's request ---

static bool is_ranged(const Options *o, const char *name) {
  for (uint32_t i = 0; i < o->ranges.n; i++)
    if (o->ranges.at[i].is_option && strcmp(o->ranges.at[i].name, name) == 0) return true;
  return false;
}

// The specialisation without the ranges.
static Spec base_spec(const Run *run) {
  const Options *o = run->options;
  Spec spec = {.kernel = run->spec.kernel,
               .target = run->spec.target,
               .arch_given = run->spec.arch_given,
               .fp32_dot_given = run->spec.fp32_dot_given};
  spec.num_warps_given = o->num_warps_given && !is_ranged(o, "num_warps");
  spec.num_stages_given = o->num_stages_given && !is_ranged(o, "num_stages");
  spec.maxnreg_given = o->maxnreg_given && !is_ranged(o, "maxnreg");
  return spec;
}

// -D without the ranges' first values, which are last, and constexprs given as arguments.
static void take_defines(const Run *run, TuneRequest *r) {
  const Options *o = run->options;
  uint32_t n = o->defines.n;
  for (uint32_t i = 0; i < o->ranges.n; i++) n -= !o->ranges.at[i].is_option;
  const char **defines = ARENA_ARRAY(run->arena, const char *, n + run->defines.n + 1);
  for (uint32_t i = 0; i < n; i++) defines[r->define_count++] = o->defines.at[i];
  for (uint32_t i = 0; i < run->defines.n; i++) defines[r->define_count++] = run->defines.at[i];
  r->defines = defines;
}

static void take_ranges(const Run *run, tilec_tune_options *out) {
  const Options *o = run->options;
  tilec_tune_range *ranges = ARENA_ARRAY(run->arena, tilec_tune_range, o->ranges.n + 1);
  for (uint32_t i = 0; i < o->ranges.n; i++) {
    const TuneRange *range = &o->ranges.at[i];
    ranges[i] = (tilec_tune_range){range->name, range->is_option, range->texts.at, range->texts.n};
  }
  out->ranges = ranges;
  out->range_count = o->ranges.n;
}

static void set_options(Run *run, tilec_tune_options *out) {
  const Options *o = run->options;
  const LaunchLimits limits = run_limits(run);
  take_ranges(run, out);
  out->top = o->top;
  out->predict = o->predict;
  out->lock = o->lock;
  out->timeout = limits.timeout;
  out->cancel = limits.cancel;
  out->max_instructions = limits.max_instructions;
  out->max_programs = limits.programs;
  out->progress = tune_progress;
}

// --- Buffers ---

typedef struct Places {
  Run *run;
  tilec_buffer **first; // the run's own, one per holder
} Places;

static bool has_memory(const Run *run, uint32_t i) { return run->params[i].buffer == &run->params[i]; }

// The first set is the run's own. The others get new buffers and data.
static tilec_status make_buffers(void *data, uint32_t set, tilec_buffer **buffers) {
  const Places *p = data;
  Run *run = p->run;
  tilec_buffer **all = set ? ARENA_ARRAY(run->arena, tilec_buffer *, run->holder_count + 1) : p->first;
  tilec_status status = set ? run_place_buffers(run, all) : TILEC_OK;
  for (uint32_t i = 0, n = 0; i < run->holder_count; i++)
    if (has_memory(run, i)) buffers[n++] = all[i];
  return status;
}

static tilec_status restore(void *data, uint32_t memory, tilec_buffer *buffer) {
  const Run *run = ((const Places *)data)->run;
  uint32_t i = 0;
  for (uint32_t n = 0;; i++)
    if (has_memory(run, i) && n++ == memory) break;
  return tilec_buffer_write(buffer, 0, run->params[i].value.data, run->params[i].value.bytes);
}

static void take_memories(const Run *run, TuneRequest *r) {
  TuneMemory *memories = ARENA_ARRAY(run->arena, TuneMemory, run->holder_count + 1);
  for (uint32_t i = 0; i < run->holder_count; i++)
    if (has_memory(run, i))
      memories[r->memory_count++] =
          (TuneMemory){run->params[i].name, run->params[i].base, run->params[i].value.bytes, NULL};
  r->memories = memories;
}

// --- The command ---

// Checks once, with the first configuration, everything that is the same for all.
static bool check_first(Run *run) {
  BoundArgs bound;
  if (run->c->is_tir)
    return tool_error("[T1006] tune needs a kernel's source: tile IR has one configuration"), false;
  if (!run->device->needs_ptx)
    return tool_error("[T1006] tune measures what is compiled: %s runs tile IR as it is", run->device->name),
           false;
  if (!run->options->predict && strcmp(run->options->device, "auto") == 0 &&
      run->device->kind != &device_cuda)
    return tool_error(
               "[T1007] there is no GPU to measure on: --predict ranks the configurations without one"),
           false;
  const KernelInfo *kernel = frontend_chosen(&run->c->ir, run->c->syntax, &run->spec);
  bool has_grid = !kernel || kernel->has_grid || run->options->grid_given || run->options->grid_text;
  return has_grid ? run_bind(run, &bound) : run_ask_grid(run, kernel->name);
}

static ExitStatus report_tuning(const Tuning *t, const Run *run) {
  const Options *o = run->options;
  Buf out = {0};
  if (o->format == FORMAT_JSON)
    tune_json(t, &out);
  else
    tune_text(t, run, &out);
  bool good = tool_write(o->output ? o->output : "-", buf_view(&out));
  buf_free(&out);
  return good ? EXIT_DONE : EXIT_DIAGNOSED;
}

static ExitStatus report(Run *run, const Tuning *t, tilec_status status) {
  if (status == TILEC_ERROR_COMPILE) return tool_error("%s", tilec_last_error()); // it has no source line
  if (status != TILEC_OK) return run_device_failed(status);
  if (!t->ranked_count) return tool_error("[T0000] interrupted before a configuration was looked at");
  ExitStatus told = report_tuning(t, run);
  return told != EXIT_DONE ? told : t->interrupted ? EXIT_DIAGNOSED : EXIT_DONE;
}

tilec_status tune_program(const Run *run, tilec_program **program) {
  const char *file = run->options->file;
  if (strcmp(file, "-") != 0) return tilec_program_from_file(file, program);
  return tilec_program_from_source(tool_source_name(file), run->text.at, run->text.n, program);
}

TuneRequest tune_request(const Run *run, const tilec_program *program, const char *card) {
  const Options *o = run->options;
  TuneRequest request = {.device = run->device,
                         .program = program,
                         .base = base_spec(run),
                         .card = card,
                         .disabled = o->disabled_passes.at,
                         .disabled_count = o->disabled_passes.n,
                         .args = run_launch_args(run),
                         .arg_count = run->param_count,
                         .options = TILEC_TUNE_OPTIONS_INIT};
  if (o->grid_given) memcpy(request.options.grid, o->grid, sizeof request.options.grid);
  request.options.grid_text = o->grid_text;
  take_defines(run, &request);
  take_memories(run, &request);
  return request;
}

// The memory of one configuration serves the next, so that the system clears no new pages for each.
static void keep_memory(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_TOP_PAD, 16 << 20);
#endif
}

ExitStatus tune_source(Run *run, tilec_buffer **buffers) {
  keep_memory();
  const Options *o = run->options;
  const TargetInfo *arch = run->spec.target.arch;
  if (!check_first(run)) return EXIT_DIAGNOSED;
  const char *card = o->card ? cost_card(arch, o->card) : NULL;
  if (o->card && !card)
    return tool_error("[T1006] --card: of %s '%s' is not a card whose times are known; there are: %s",
                      arch->name, o->card, cost_cards(run->arena, arch));
  tilec_program *program = NULL;
  tilec_status status = tune_program(run, &program);
  if (status != TILEC_OK) return run_device_failed(status);
  Places places = {run, buffers};
  TuneRequest request = tune_request(run, program, card);
  request.places = (TunePlaces){.place = make_buffers, .restore = restore, .kept_sets = 1, .data = &places};
  set_options(run, &request.options);
  Tuning *t = NULL;
  status = tuning_make(&request, &t);
  tune_progress_end();
  ExitStatus result = report(run, t, status);
  tilec_tuning_free(t);
  tilec_program_free(program);
  return result;
}
