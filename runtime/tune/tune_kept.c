// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds and adds kept results, for programs that measure by themselves.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/error.h"
#include "runtime/tune/tuner.h"

typedef struct Kept {
  TuneRequest request;
  tilec_compile_options compile;
  Compilation c;
  Spec spec;
  TuneBound bound;
  tilec_tuning *tuning;
  const tilec_tune_range *settings;
  size_t setting_count;
  double seconds;
  bool kept;
} Kept;

static tilec_status bind(Kept *k) { return attempt_bind(&k->request, NULL, 0, &k->c, &k->spec, &k->bound); }

static const char *copied(Arena *arena, const char *text) { return arena_copy(arena, str_from(text)); }

// A tuning with only this configuration.
static void take_found(Kept *k, const char *kernel, const TuneSetting *settings, uint32_t count,
                       double seconds) {
  tilec_tuning *t = k->tuning;
  Candidate *c = t->all = ARENA_NEW(&t->arena, Candidate);
  TuneSetting *own = ARENA_ARRAY(&t->arena, TuneSetting, count + 1);
  for (uint32_t i = 0; i < count; i++)
    own[i] = (TuneSetting){copied(&t->arena, settings[i].name), copied(&t->arena, settings[i].text),
                           settings[i].is_option};
  *c = (Candidate){.settings = own, .setting_count = count, .measured = true, .seconds = seconds};
  c->text = tune_settings_text(&t->arena, own, count);
  t->ranked = ARENA_ARRAY(&t->arena, Candidate *, 1);
  t->ranked[0] = c;
  t->kernel = copied(&t->arena, kernel);
  t->arch = k->spec.target.arch;
  snprintf(t->device, sizeof t->device, "%s", k->request.device->name);
  t->kept = true;
  t->count = t->ranked_count = t->measured_count = 1;
}

static tilec_status find_body(void *data) {
  Kept *k = data;
  const KernelInfo *info = NULL;
  TuneSetting *settings;
  uint32_t count;
  double seconds;
  tilec_status status = bind(k);
  if (!status) status = program_kernel(&k->c, k->spec.kernel, &k->spec, &info);
  bool found = false;
  if (!status) status = tuned_find(&k->c, k->request.device, &k->spec, &settings, &count, &seconds, &found);
  if (!status && found) {
    k->tuning = calloc(1, sizeof *k->tuning);
    if (!k->tuning) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a tuning)");
    take_found(k, info->name, settings, count, seconds);
  }
  return status;
}

static tilec_status begin(const char *function, Kept *k, tilec_device *device, tilec_program *program,
                          const tilec_compile_options *compile, const tilec_arg *args, size_t arg_count) {
  if (!device || !program || (!args && arg_count))
    return null_argument(function, !device ? "device" : !program ? "program" : "args");
  if (arg_count > MAX_PARAMS)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: %zu arguments are more than a kernel can take",
                     function, arg_count);
  k->request =
      (TuneRequest){.device = device, .program = program, .args = args, .arg_count = (uint32_t)arg_count};
  return tune_take_compile(compile, &k->compile, &k->request);
}

tilec_status tilec_tune_find(tilec_device *device, tilec_program *program,
                             const tilec_compile_options *compile, const tilec_arg *args, size_t arg_count,
                             tilec_tuning **found) {
  Kept k = {.tuning = NULL};
  if (!found) return null_argument("tilec_tune_find", "found");
  *found = NULL;
  tilec_status status = begin("tilec_tune_find", &k, device, program, compile, args, arg_count);
  if (status) return status;
  status = error_guard(find_body, &k);
  compilation_free(&k.c);
  if (status)
    tilec_tuning_free(k.tuning);
  else
    *found = k.tuning;
  return status;
}

static tilec_status keep_body(void *data) {
  Kept *k = data;
  tilec_status status = bind(k);
  if (status) return status;
  TuneSetting *settings = ARENA_ARRAY(&k->c.arena, TuneSetting, k->setting_count + 1);
  for (size_t i = 0; i < k->setting_count; i++)
    settings[i] = (TuneSetting){k->settings[i].name, k->settings[i].values[0], k->settings[i].is_option != 0};
  k->kept = tuned_keep(&k->c, &k->spec, k->request.device, settings, (uint32_t)k->setting_count, k->seconds);
  return TILEC_OK;
}

tilec_status tilec_tune_keep(tilec_device *device, tilec_program *program,
                             const tilec_compile_options *compile, const tilec_tune_range *settings,
                             size_t setting_count, double seconds, const tilec_arg *args, size_t arg_count,
                             int *kept) {
  static const char function[] = "tilec_tune_keep";
  Kept k = {.settings = settings, .setting_count = setting_count, .seconds = seconds};
  if (kept) *kept = 0;
  if (!settings && setting_count) return null_argument(function, "settings");
  if (!(seconds > 0) || !isfinite(seconds))
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: seconds is %g: a measured time must be positive",
                     function, seconds);
  for (size_t i = 0; i < setting_count; i++) {
    tilec_status status = tune_check_range(&settings[i], i);
    if (status) return status;
  }
  tilec_status status = begin(function, &k, device, program, compile, args, arg_count);
  if (status) return status;
  status = error_guard(keep_body, &k);
  compilation_free(&k.c);
  if (kept) *kept = !status && k.kept;
  return status;
}
