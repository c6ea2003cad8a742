// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass manager: runs the passes in the order of passes.def, or those that it is given.
#include "passes/passes.h"
#include <time.h>
#include "ir/memory/groups.h"
#include "ir/verify/verify.h"

typedef enum PassId {
#define X(name, ...) PASS_##name,
#include "passes/passes.def"
#undef X
  PASS_COUNT
} PassId;

static const PassInfo passes[] = {
#define X(name, flags, meaning) {#name, meaning, flags, pass_##name},
#include "passes/passes.def"
#undef X
};

static const uint8_t order[] = {
#define X(name, ...) PASS_##name,
#define AGAIN(name)  PASS_##name,
#include "passes/passes.def"
#undef X
};

enum { ORDER_LENGTH = sizeof order / sizeof order[0] };

const PassInfo *pass_at(uint32_t place) { return place < ORDER_LENGTH ? &passes[order[place]] : NULL; }

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

static bool check_options(Diags *diags, const PassRunOptions *options) {
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

static double seconds_now(void) {
  struct timespec time = {0};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// A run of the passes over one module. `simple`: no pass has changed anything since simplify ran, which would find
// nothing to do.
typedef struct PassRun {
  IrModule *module;
  Diags *diags;
  const PassRunOptions *options;
  bool simple;
} PassRun;

static bool run_funcs(PassRun *run, const PassInfo *pass) {
  const PassRunOptions *options = run->options;
  PassContext context = {options->scratch ? options->scratch : run->module->ir->arena, run->diags};
  bool changed = false;
  for (uint32_t i = 0; i < run->module->funcs.n; i++) {
    Func *func = run->module->funcs.at[i];
    if (func_groups(func) && !(pass->flags & (TAKES_GROUPS | IN_GROUPS))) continue;
    changed |= pass->run(&context, func);
    if (options->scratch) arena_free(options->scratch);
  }
  return changed;
}

static bool run_pass(PassRun *run, const PassInfo *pass) {
  IrModule *module = run->module;
  Diags *diags = run->diags;
  const PassRunOptions *options = run->options;
  bool simplifies = pass->run == pass_simplify;
  double start = seconds_now();
  uint32_t errors = diags->errors;
  if (!simplifies)
    run->simple &= !run_funcs(run, pass);
  else if (!run->simple) {
    run_funcs(run, pass);
    run->simple = true;
  }
  double seconds = seconds_now() - start;
  if (diags->errors > errors) return false; // the pass found that what came before it is wrong
  if (options->verify_each && !module_verify(module, diags)) {
    diag_error(diags, LOC_NONE, "pass '%s' broke the rules of tile IR named above", pass->name);
    return false;
  }
  if (options->after) options->after(pass->name, module, seconds, options->data);
  return true;
}

// Whether the module comes with kernels whose warps are parted: most passes take those alone all of whose warps do
// the same, or that specialise_warps parted.
static bool has_groups(const IrModule *module) {
  for (uint32_t i = 0; i < module->funcs.n; i++)
    if (func_groups(module->funcs.at[i])) return true;
  return false;
}

bool passes_run(IrModule *module, Diags *diags, const PassRunOptions *options) {
  if (!check_options(diags, options)) return false;
  uint32_t count = options->only_count ? options->only_count : ORDER_LENGTH;
  const char *stop = options->stop_after;
  PassRun run = {module, diags, options, false};
  uint32_t ran = 0;

  if (options->after) options->after(NULL, module, 0, options->data);
  if (stop && strcmp(stop, "elaborate") == 0) return true;
  if (module->final && !options->only_count) return true; // nothing is left to do
  bool groups = has_groups(module);
  for (uint32_t i = 0; i < count; i++) {
    const PassInfo *pass = options->only_count ? pass_find(str_from(options->only[i])) : pass_at(i);
    if (in_list(pass->name, options->disabled, options->disabled_count)) continue;
    uint32_t takes = TAKES_GROUPS | (options->only_count ? IN_GROUPS : 0);
    bool declines = groups && !(pass->flags & takes);
    if (declines && options->only_count) {
      diag_error(diags, LOC_NONE, "the pass '%s' does not take kernels with warp_groups", pass->name);
      return false;
    }
    if (!declines && !run_pass(&run, pass)) return false;
    if (!options->only_count && i + 1 == count) module->final = true;
    if ((stop && strcmp(stop, pass->name) == 0) || ++ran == options->most) break;
  }
  return true;
}
