// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pipeline: which passes run, in which order.
#include "passes/passes.h"
#include <time.h>
#include "ir/verify.h"

static const PassInfo passes[] = {
#define X(name, flags, meaning) {#name, meaning, flags, pass_##name},
#include "passes/passes.def"
#undef X
};

enum { PASS_COUNT = sizeof passes / sizeof passes[0] };

// Simplifying first lets coalesce see through what elaboration left; afterwards it drops what became unused.
// Lowering block pointers makes address arithmetic that hoist moves out of loops.
static const char *const pipeline[] = {"simplify",
                                       "lower_block_pointers",
                                       "decompose",
                                       "simplify",
                                       "hoist",
                                       "split_masks",
                                       "share_windows",
                                       "sink_reductions",
                                       "accumulate_dots",
                                       "simplify",
                                       "unroll_loads",
                                       "simplify",
                                       "coalesce",
                                       "choose_dot",
                                       "propagate_layouts",
                                       "promote_shared",
                                       "pipeline",
                                       "simplify",
                                       "allocate_shared",
                                       "place_barriers",
                                       "overlap_launches"};

enum { PIPELINE_LENGTH = sizeof pipeline / sizeof pipeline[0] };

const PassInfo *pass_list(uint32_t *count) {
  *count = PASS_COUNT;
  return passes;
}

const PassInfo *pass_find(Str name) {
  for (uint32_t i = 0; i < PASS_COUNT; i++)
    if (str_is(name, passes[i].name)) return &passes[i];
  return NULL;
}

static bool in_list(const char *name, const char *const *list, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (strcmp(list[i], name) == 0) return true;
  return false;
}

static bool check_known(Diags *diags, const char *name) {
  if (pass_find(str_from(name))) return true;
  const char *names[PASS_COUNT];
  for (uint32_t i = 0; i < PASS_COUNT; i++) names[i] = passes[i].name;
  const char *nearest = diag_nearest(str_from(name), names, PASS_COUNT);
  Diag *error = diag_error(diags, LOC_NONE, "there is no pass '%s'", name);
  if (nearest) diag_note(diags, error, LOC_NONE, "did you mean '%s'?", nearest);
  return false;
}

static bool check_options(Diags *diags, const PipelineOptions *options) {
  bool right = true;
  for (uint32_t i = 0; i < options->only_count; i++) right &= check_known(diags, options->only[i]);
  for (uint32_t i = 0; i < options->disabled_count; i++) {
    const char *name = options->disabled[i];
    if (!check_known(diags, name)) {
      right = false;
    } else if (!(pass_find(str_from(name))->flags & OPTIONAL)) {
      diag_error(diags, LOC_NONE, "pass '%s' cannot be disabled: what follows needs its result", name);
      right = false;
    }
  }
  const char *stop = options->stop_after;
  if (stop && strcmp(stop, "elaborate") != 0) right &= check_known(diags, stop);
  return right;
}

static double now(void) {
  struct timespec time = {0};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool run_pass(const PassInfo *pass, IrModule *module, Diags *diags, const PipelineOptions *options) {
  PassContext context = {options->scratch ? options->scratch : module->ir->arena, diags};
  double start = now();
  for (uint32_t i = 0; i < module->funcs.n; i++) {
    pass->run(&context, module->funcs.at[i]);
    if (options->scratch) arena_free(options->scratch);
  }
  double seconds = now() - start;
  if (options->verify_each && !module_verify(module, diags)) {
    diag_error(diags, LOC_NONE, "pass '%s' broke the rules of tile IR named above", pass->name);
    return false;
  }
  if (options->after) options->after(pass->name, module, seconds, options->data);
  return true;
}

bool pipeline_run(IrModule *module, Diags *diags, const PipelineOptions *options) {
  if (!check_options(diags, options)) return false;
  const char *const *names = options->only_count ? options->only : pipeline;
  uint32_t count = options->only_count ? options->only_count : PIPELINE_LENGTH;
  const char *stop = options->stop_after;

  if (options->after) options->after(NULL, module, 0, options->data);
  if (stop && strcmp(stop, "elaborate") == 0) return true;
  for (uint32_t i = 0; i < count; i++) {
    if (in_list(names[i], options->disabled, options->disabled_count)) continue;
    if (!run_pass(pass_find(str_from(names[i])), module, diags, options)) return false;
    if (stop && strcmp(stop, names[i]) == 0) break;
  }
  return true;
}
