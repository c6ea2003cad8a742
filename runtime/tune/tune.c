// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public functions of tune.h: checking the request, and reading the result.
#include "runtime/tune.h"

#include <stdlib.h>

#include "base/sized.h"
#include "runtime/error.h"
#include "runtime/tune/tuner.h"

// --- Checking the request ---

static tilec_status wrong_value(const tilec_tune_range *range, size_t i, const char *what) {
  return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                   "tilec_tune: the range of %s: '%.64s' is not a value of it; it takes %s", range->name,
                   range->values[i], what);
}

static tilec_status check_number(const tilec_tune_range *range, size_t i) {
  uint64_t n;
  bool number = u64_parse(str_from(range->values[i]), &n) && n >= 1;
  if (strcmp(range->name, "num_warps") == 0)
    return number && n <= NUM_WARPS_MAX && !(n & (n - 1)) ? TILEC_OK
                                                          : wrong_value(range, i, "a power of two, 1 .. 32");
  if (strcmp(range->name, "num_stages") == 0)
    return number && n <= NUM_STAGES_MAX ? TILEC_OK : wrong_value(range, i, "1 .. 64");
  return number && n <= MAXNREG_MAX ? TILEC_OK : wrong_value(range, i, "1 .. 255");
}

tilec_status tune_check_range(const tilec_tune_range *range, size_t at) {
  static const char *const options[] = {"num_warps", "num_stages", "maxnreg", NULL};
  if (!range->name || !range->values || !range->count)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "tilec_tune: options.ranges[%zu] has no %s", at,
                     range->name ? "values" : "name");
  if (range->is_option && !str_is_one_of(range->name, options))
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "tilec_tune: options.ranges[%zu]: '%.64s' is not num_warps, num_stages or maxnreg", at,
                     range->name);
  for (size_t i = 0; i < range->count; i++) {
    if (!range->values[i])
      return error_set(TILEC_ERROR_INVALID_ARGUMENT, "tilec_tune: options.ranges[%zu].values[%zu] is NULL",
                       at, i);
    tilec_status status = range->is_option ? check_number(range, i) : TILEC_OK;
    if (status) return status;
  }
  return TILEC_OK;
}

static bool is_grid(const int64_t grid[3]) { return grid[0] > 0 && grid[1] > 0 && grid[2] > 0; }

static tilec_status check_listed(const tilec_tune_listed *listed, size_t at) {
  if (listed->count && !listed->settings)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "tilec_tune: options.configurations[%zu].settings is NULL",
                     at);
  for (size_t i = 0; i < listed->count; i++) {
    tilec_status status = tune_check_range(&listed->settings[i], i);
    if (status) return status;
  }
  if (!listed->grid[0] || is_grid(listed->grid)) return TILEC_OK;
  return error_set(
      TILEC_ERROR_INVALID_ARGUMENT,
      "options.configurations[%zu].grid has a size that is not positive, so there is nothing to time", at);
}

static tilec_status check_options(const tilec_tune_options *given, tilec_tune_options *o) {
  *o = (tilec_tune_options)TILEC_TUNE_OPTIONS_INIT;
  if (!given) return TILEC_OK;
  if (!sized_take(o, sizeof *o, given)) return error_options("TILEC_TUNE_OPTIONS_INIT", given->size);
  const char *missing = o->range_count && !o->ranges                   ? "options.ranges"
                        : o->configuration_count && !o->configurations ? "options.configurations"
                        : o->reset_count && !o->reset_to_zero          ? "options.reset_to_zero"
                        : o->restore_count && !o->restore_value        ? "options.restore_value"
                                                                       : NULL;
  if (missing) return null_argument("tilec_tune", missing);
  if (!(o->timeout >= 0))
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "options.timeout is %g: a time limit cannot be negative",
                     o->timeout);
  for (size_t i = 0; i < o->range_count; i++) {
    tilec_status status = tune_check_range(&o->ranges[i], i);
    if (status) return status;
  }
  for (size_t i = 0; i < o->configuration_count; i++) {
    tilec_status status = check_listed(&o->configurations[i], i);
    if (status) return status;
  }
  if (o->grid[0] == -1 || is_grid(o->grid)) return TILEC_OK;
  return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                   "options.grid has a size that is not positive, so there is nothing to time");
}

typedef struct Asking {
  TuneRequest request;
  tilec_compile_options compile;
  const tilec_arg *args;
  size_t arg_count;
  Arena arena; // of `found`
  TuneArgs found;
  tilec_tuning *tuning;
} Asking;

// Kernel and target from the options, for the device.
static tilec_status base_spec(const tilec_compile_options *compile, const tilec_device *device, Spec *base) {
  tilec_compile_options bare = *compile;
  Compilation c;
  bare.define_count = 0;
  tilec_status status = compilation_init(&c);
  if (!status) status = options_spec(&c, &bare, device, base);
  base->kernel = compile->kernel; // copied, because the compilation's is freed with it
  compilation_free(&c);
  return status;
}

static tilec_status tune_body(void *data) {
  Asking *a = data;
  TuneRequest *r = &a->request;
  tilec_status status = tune_args(&a->arena, r->device, a->args, a->arg_count, &a->found);
  if (status) return status;
  r->args = a->found.args;
  r->arg_count = (uint32_t)a->arg_count;
  r->memories = a->found.memories;
  r->memory_count = a->found.memory_count;
  return tuning_make(r, &a->tuning);
}

// The context is lost: reports the error of the launch that did it.
static tilec_status lost(const tilec_tuning *t) {
  for (uint32_t i = 0; i < t->ranked_count; i++)
    if (t->ranked[i]->error)
      return error_set(TILEC_ERROR_LAUNCH, "%s: %s", t->ranked[i]->text, t->ranked[i]->error);
  return error_set(TILEC_ERROR_LAUNCH, "a launch has made the context unusable");
}

tilec_status tune_take_compile(const tilec_compile_options *compile, tilec_compile_options *checked,
                               TuneRequest *r) {
  tilec_status status = options_check(compile, checked);
  if (status) return status;
  if (checked->signature)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "compile.signature must be NULL: types come from the arguments");
  if (checked->arch && r->device->is_gpu)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "compile.arch must be NULL: %s is %s", r->device->name,
                     tilec_device_arch(r->device));
  r->defines = checked->defines;
  r->define_count = (uint32_t)checked->define_count;
  return base_spec(checked, r->device, &r->base);
}

tilec_status tilec_tune(tilec_device *device, tilec_program *program, const tilec_compile_options *compile,
                        const tilec_tune_options *options, const tilec_arg *args, size_t arg_count,
                        tilec_tuning **tuning) {
  if (!device || !program || !tuning || (!args && arg_count))
    return null_argument("tilec_tune", !device    ? "device"
                                       : !program ? "program"
                                       : !tuning  ? "tuning"
                                                  : "args");
  *tuning = NULL;
  if (arg_count > MAX_PARAMS)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "tilec_tune: %zu arguments are more than a kernel can take", arg_count);
  Asking a = {.request = {.device = device, .program = program}, .args = args, .arg_count = arg_count};
  tilec_status status = check_options(options, &a.request.options);
  if (!status) status = tune_take_compile(compile, &a.compile, &a.request);
  if (status) return status;
  status = error_guard(tune_body, &a);
  if (!status && a.tuning->lost) status = lost(a.tuning);
  tune_args_free(&a.found);
  arena_free(&a.arena);
  if (status)
    tilec_tuning_free(a.tuning);
  else
    *tuning = a.tuning;
  return status;
}

// --- Reading the result ---

static size_t count_of(const tilec_tuning *t, bool failed) {
  size_t n = 0;
  for (uint32_t i = 0; i < t->count; i++) n += failed ? t->all[i].error != NULL : t->all[i].measured;
  return n;
}

static tilec_status wrong_size(const char *function, size_t size) {
  return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: the struct's size is %zu: initialise it with its macro",
                   function, size);
}

tilec_status tilec_tuning_get_summary(const tilec_tuning *tuning, tilec_tuning_summary *summary) {
  static const char function[] = "tilec_tuning_get_summary";
  if (!tuning || !summary) return null_argument(function, tuning ? "summary" : "tuning");
  const tilec_tuning_summary out = {.size = sizeof out,
                                    .kernel = tuning->kernel,
                                    .device = tuning->device,
                                    .arch = tuning->arch->name,
                                    .configurations = tuning->count,
                                    .failed = count_of(tuning, true),
                                    .measured = count_of(tuning, false),
                                    .remarks = tuning->remarks.n,
                                    .interrupted = tuning->interrupted,
                                    .kept = tuning->kept,
                                    .predicted = tuning->predicts};
  return sized_give(summary, &out, sizeof out) ? TILEC_OK : wrong_size(function, summary->size);
}

static const Candidate *candidate_at(const tilec_tuning *t, size_t index) {
  return index < t->count ? t->ranked[index] : NULL;
}

static tilec_status no_index(const char *function, size_t index, size_t count) {
  return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: there is no %zu, of %zu", function, index, count);
}

tilec_status tilec_tuning_configuration(const tilec_tuning *tuning, size_t index,
                                        tilec_configuration *configuration) {
  static const char function[] = "tilec_tuning_configuration";
  if (!tuning || !configuration) return null_argument(function, tuning ? "configuration" : "tuning");
  const Candidate *c = candidate_at(tuning, index);
  if (!c) return no_index(function, index, tuning->count);
  bool timed = c->predicted && c->time.known;
  const tilec_configuration out = {.size = sizeof out,
                                   .text = c->text,
                                   .settings = c->setting_count,
                                   .error = c->error,
                                   .seconds = c->measured ? c->seconds : 0,
                                   .rounds = c->rounds,
                                   .predicted = timed ? c->time.seconds : 0,
                                   .bottleneck = timed ? cost_bound_name(c->time.bottleneck) : NULL,
                                   .registers = c->registers,
                                   .shared_bytes = c->shared_bytes,
                                   .blocks = c->blocks};
  return sized_give(configuration, &out, sizeof out) ? TILEC_OK : wrong_size(function, configuration->size);
}

tilec_status tilec_tuning_setting(const tilec_tuning *tuning, size_t configuration, size_t index,
                                  tilec_tune_setting *setting) {
  static const char function[] = "tilec_tuning_setting";
  if (!tuning || !setting) return null_argument(function, tuning ? "setting" : "tuning");
  const Candidate *c = candidate_at(tuning, configuration);
  if (!c) return no_index(function, configuration, tuning->count);
  if (index >= c->setting_count) return no_index(function, index, c->setting_count);
  const TuneSetting *one = &c->settings[index];
  const tilec_tune_setting out = {
      .size = sizeof out, .name = one->name, .value = one->text, .is_option = one->is_option};
  return sized_give(setting, &out, sizeof out) ? TILEC_OK : wrong_size(function, setting->size);
}

const char *tilec_tuning_remark(const tilec_tuning *tuning, size_t index) {
  return tuning && index < tuning->remarks.n ? tuning->remarks.at[index] : NULL;
}
