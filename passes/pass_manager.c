// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass manager runs the passes in the order of passes.def, or the passes that it is given. It skips a pass whose
// condition is false for a function. It checks the states that a pass needs.
#include "passes/passes.h"
#include "base/seconds.h"
#include "ir/memory/groups.h"
#include "ir/verify/verify.h"
#include "passes/analysis/pressure.h"
#include "passes/func_facts.h"

typedef enum PassId {
#define X(name, ...) PASS_##name,
#include "passes/passes.def"
#undef X
  PASS_COUNT
} PassId;

// The facts known about a function. They hold until a pass changes it.
typedef struct FuncState {
  Func *func;
  Arena *scratch;
  FuncFacts facts;
  bool has_facts;
  bool simple;              // Nothing has changed since simplify ran: it would find nothing to do.
  bool has_slack, is_short; // About registers.
  uint32_t relief[RELIEF_COUNT];
} FuncState;

static bool has(FuncState *state, FuncFact fact) {
  if (!state->has_facts) state->facts = func_facts(state->func);
  state->has_facts = true;
  return state->facts >> fact & 1;
}

static bool short_of_registers(FuncState *state) {
  if (!state->has_slack) state->is_short = register_slack(state->scratch, state->func) < 0;
  state->has_slack = true;
  return state->is_short;
}

static const Target *target_of(const FuncState *state) { return &state->func->module->target; }

// The words of passes.def's conditions.
#define HAS(fact)          has(state, FACT_##fact)
#define PLANS(flag)        func_plans(state->func, PLAN_##flag)
#define CHANGED            (!state->simple)
#define SHORT_OF_REGISTERS short_of_registers(state)
#define ASKS_FOR_TMA       (target_of(state)->tma == TMA_ON || target_of(state)->epilogue == EPILOGUE_ON)
#define ASKS_TO_PERSIST    (target_of(state)->persistent == PERSIST_ON)
#define ASKS_FOR_OVERLAP   (target_of(state)->overlap)
#define IF(condition)      condition
#define X(name, flags, needs, condition, meaning)                                                            \
  static bool applies_##name(FuncState *state) {                                                             \
    (void)state;                                                                                             \
    return condition;                                                                                        \
  }
#include "passes/passes.def"
#undef X
#undef IF

#define NEEDS(states) (states)
static const PassInfo passes[] = {
#define X(name, flags, needs, condition, meaning) {#name, meaning, NULL, flags, needs, pass_##name},
#define STEP(entry, name, flags, needs, condition, meaning)                                                  \
  {#name, meaning, #entry, flags, needs, pass_##name},
#include "passes/passes.def"
#undef X
};
#undef NEEDS

static bool (*const applies[])(FuncState *state) = {
#define X(name, ...) applies_##name,
#include "passes/passes.def"
#undef X
};

static const struct {
  const char *name;
  PassId pass;
} aliases[] = {
#define X(name, ...)
#define ALIAS(old, name) {#old, PASS_##name},
#include "passes/passes.def"
#undef X
};

static const uint8_t order[] = {
#define X(name, ...) PASS_##name,
#define AGAIN(name)  PASS_##name,
#include "passes/passes.def"
#undef X
};

static const PassEntry entries[] = {
#define X(name, ...)
#define STEPS(name, meaning) {#name, meaning},
#include "passes/passes.def"
#undef X
};

enum {
  ORDER_LENGTH = sizeof order / sizeof order[0],
  ALIAS_COUNT = sizeof aliases / sizeof aliases[0],
  ENTRY_COUNT = sizeof entries / sizeof entries[0]
};

const PassInfo *pass_at(uint32_t place) { return place < ORDER_LENGTH ? &passes[order[place]] : NULL; }

const PassInfo *pass_find(Str name) {
  for (uint32_t i = 0; i < PASS_COUNT; i++)
    if (str_is(name, passes[i].name)) return &passes[i];
  for (uint32_t i = 0; i < ALIAS_COUNT; i++)
    if (str_is(name, aliases[i].name)) return &passes[aliases[i].pass];
  return NULL;
}

const PassEntry *pass_entry(Str name) {
  for (uint32_t i = 0; i < ENTRY_COUNT; i++)
    if (str_is(name, entries[i].name)) return &entries[i];
  return NULL;
}

// --- options

const char *pass_nearest(Str name) {
  const char *names[PASS_COUNT];
  for (uint32_t i = 0; i < PASS_COUNT; i++) names[i] = passes[i].name;
  return diag_nearest(name, names, PASS_COUNT);
}

static bool check_known(Diags *diags, const char *name) {
  if (pass_find(str_from(name))) return true;
  const char *nearest = pass_nearest(str_from(name));
  Diag *error = diag_error(diags, LOC_NONE, "[T1006] there is no pass '%s'", name);
  if (nearest) diag_note(diags, error, LOC_NONE, "did you mean '%s'?", nearest);
  return false;
}

static bool check_options(Diags *diags, const PassRunOptions *options) {
  bool right = true;
  for (uint32_t i = 0; i < options->only_count; i++) right &= check_known(diags, options->only[i]);
  for (uint32_t i = 0; i < options->disabled_count; i++) {
    const char *name = options->disabled[i];
    if (pass_entry(str_from(name))) continue; // its steps are optional
    if (!check_known(diags, name)) {
      right = false;
    } else if (!(pass_find(str_from(name))->flags & OPTIONAL)) {
      diag_error(diags, LOC_NONE, "[T1006] pass '%s' cannot be disabled: later passes need its result", name);
      right = false;
    }
  }
  const char *stop = options->stop_after;
  if (stop && strcmp(stop, "elaborate") != 0) right &= check_known(diags, stop);
  return right;
}

static bool is_disabled(const PassRunOptions *options, const PassInfo *pass) {
  for (uint32_t i = 0; i < options->disabled_count; i++) {
    Str name = str_from(options->disabled[i]);
    if (pass_find(name) == pass || (pass->entry && str_is(name, pass->entry))) return true;
  }
  return false;
}

// --- one pass

// A run of the passes over one module.
typedef struct PassRun {
  IrModule *module;
  Diags *diags;
  const PassRunOptions *options;
  FuncState *states; // by function
  bool ran, changed; // The current pass, for at least one function.
} PassRun;

static bool needs_hold(PassRun *run, const PassInfo *pass, FuncState *state) {
  static const struct {
    uint32_t state;
    FuncFact broken_by;
    const char *what, *giver;
  } rows[] = {
      {POINTERS, FACT_BLOCK_POINTER, "block pointers are lowered", "lower_block_pointers"},
      {POWERS_OF_TWO, FACT_ODD_SIZE, "sizes are powers of two", "pad_tiles"},
      {LAYOUTS, FACT_NO_LAYOUT, "every tile has a layout", "propagate_layouts"},
      {OFFSETS, FACT_NO_OFFSET, "every buffer has an offset", "allocate_shared"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (!(pass->needs & rows[i].state) || !has(state, rows[i].broken_by)) continue;
    diag_error(run->diags, state->func->loc, "[T0000] pass '%s' needs that %s: '%s' gives that", pass->name,
               rows[i].what, rows[i].giver);
    return false;
  }
  return true;
}

static void run_func(PassRun *run, const PassInfo *pass, FuncState *state) {
  const PassRunOptions *options = run->options;
  PassContext context = {state->scratch, run->diags, state->relief};
  bool applies_here = applies[pass - passes](state);
  if (!applies_here && !options->verify_each) return;
  if (pass->needs && !needs_hold(run, pass, state)) return;
  uint32_t messages = run->diags->list.n;
  bool changed = pass->run(&context, state->func);
  bool simplifies = pass->run == pass_simplify;
  if (!applies_here && !simplifies && (changed || run->diags->list.n != messages))
    diag_error(run->diags, state->func->loc,
               "[T0000] pass '%s' did something where its condition in passes.def does not hold", pass->name);
  if (options->scratch) arena_free(options->scratch);
  run->ran |= applies_here;
  run->changed |= changed && applies_here;
  if (changed) state->has_facts = state->has_slack = state->simple = false;
  if (simplifies) state->simple = true;
}

static bool run_pass(PassRun *run, const PassInfo *pass) {
  IrModule *module = run->module;
  Diags *diags = run->diags;
  const PassRunOptions *options = run->options;
  double start = seconds_now();
  uint32_t errors = diags->errors;
  run->ran = run->changed = false;
  for (uint32_t i = 0; i < module->funcs.n; i++)
    if (!func_groups(module->funcs.at[i]) || (pass->flags & (TAKES_GROUPS | IN_GROUPS)))
      run_func(run, pass, &run->states[i]);
  double seconds = seconds_now() - start;
  if (diags->errors > errors) return false; // The pass found an error in its input.
  if (options->verify_each && !module_verify(module, diags)) {
    diag_error(diags, LOC_NONE, "[T0000] pass '%s' broke the rules of tile IR named above", pass->name);
    return false;
  }
  if (options->after && run->ran) options->after(pass->name, module, run->changed, seconds, options->data);
  return true;
}

// Returns true if kernels are split into groups of warps before the run starts. Only passes with TAKES_GROUPS take
// these. IN_GROUPS passes take kernels that specialise_warps splits in this run, and any split kernel if named
// explicitly.
static bool has_groups(const IrModule *module) {
  for (uint32_t i = 0; i < module->funcs.n; i++)
    if (func_groups(module->funcs.at[i])) return true;
  return false;
}

static PassRun run_begin(IrModule *module, Diags *diags, const PassRunOptions *options) {
  Arena *arena = module->ir->arena;
  PassRun run = {module, diags, options, ARENA_ARRAY(arena, FuncState, module->funcs.n), false, false};
  for (uint32_t i = 0; i < module->funcs.n; i++) {
    run.states[i].func = module->funcs.at[i];
    run.states[i].scratch = options->scratch ? options->scratch : arena;
  }
  return run;
}

static const PassInfo *pass_of(const PassRunOptions *options, uint32_t place) {
  return options->only_count ? pass_find(str_from(options->only[place])) : pass_at(place);
}

// True after the asked run of the pass, and at its last place if it runs less often.
static bool stops(const PassRunOptions *options, uint32_t place, uint32_t count, uint32_t runs) {
  const PassInfo *pass = pass_of(options, place);
  if (runs > 0 && runs >= options->stop_run) return true;
  while (++place < count)
    if (pass_of(options, place) == pass) return false;
  return true;
}

bool passes_run(IrModule *module, Diags *diags, const PassRunOptions *options) {
  if (!check_options(diags, options)) return false;
  uint32_t count = options->only_count ? options->only_count : ORDER_LENGTH;
  const PassInfo *stop = options->stop_after ? pass_find(str_from(options->stop_after)) : NULL;
  PassRun run = run_begin(module, diags, options);
  uint32_t ran = 0, stop_runs = 0;

  if (options->after) options->after(NULL, module, true, 0, options->data);
  if (options->stop_after && !stop) return true;          // elaborate
  if (module->final && !options->only_count) return true; // nothing is left to do
  bool groups = has_groups(module);
  for (uint32_t i = 0; i < count; i++) {
    const PassInfo *pass = pass_of(options, i);
    uint32_t takes = TAKES_GROUPS | (options->only_count ? IN_GROUPS : 0);
    bool off = is_disabled(options, pass), declines = !off && groups && !(pass->flags & takes);
    if (declines && options->only_count) {
      diag_error(diags, LOC_NONE, "[T1006] the pass '%s' does not take kernels with warp_groups", pass->name);
      return false;
    }
    run.ran = false;
    if (!off && !declines && !run_pass(&run, pass)) return false;
    if (!options->only_count && i + 1 == count) module->final = true;
    ran += run.ran;
    stop_runs += stop == pass && run.ran;
    if ((stop == pass && stops(options, i, count, stop_runs)) || (options->most && ran == options->most))
      break;
  }
  return true;
}
