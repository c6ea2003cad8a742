// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The effect of each option.
#include <errno.h>
#include <stdlib.h>

#include "passes/passes.h"
#include "tools/options/options_parts.h"

static bool parse_number(OptionParser *p, const char *what, const char *text, long long min, long long max,
                         long long *value) {
  char *end;
  errno = 0;
  *value = strtoll(text, &end, 10);
  if (errno == 0 && end != text && *end == '\0' && *value >= min && *value <= max) return true;
  buf_printf(p->error, "%s takes a number from %lld to %lld, not '%s'", what, min, max, text);
  return false;
}

static bool parse_u16(OptionParser *p, const char *what, const char *text, long long min, long long max,
                      uint16_t *value) {
  long long number;
  if (!parse_number(p, what, text, min, max, &number)) return false;
  *value = (uint16_t)number;
  return true;
}

// Parses one of `n` names. The error lists them.
static bool parse_choice(OptionParser *p, const char *what, const char *text, const char *const *names, int n,
                         int *choice) {
  for (*choice = 0; *choice < n; ++*choice)
    if (strcmp(names[*choice], text) == 0) return true;
  buf_printf(p->error, "%s is one of", what);
  for (int i = 0; i < n; i++) buf_printf(p->error, "%s %s", i ? "," : "", names[i]);
  buf_printf(p->error, "; not '%s'", text);
  return false;
}

// The pass's current name, given that or an earlier name, or `extra`. NULL with an error: no such pass.
static const char *find_pass(OptionParser *p, const char *name, const char *extra) {
  const PassInfo *pass = pass_find(str_from(name));
  if (pass) return pass->name;
  if (extra && strcmp(name, extra) == 0) return name;
  buf_printf(p->error, "there is no pass '%s'; --list-passes lists them", name);
  return NULL;
}

bool option_split_named(OptionParser *p, const char *what, const char *text, NamedText *named) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text) {
    buf_printf(p->error, "%s takes NAME=VALUE, not '%s'", what, text);
    return false;
  }
  named->name = arena_copy(p->arena, (Str){text, (size_t)(equals - text)});
  named->text = equals + 1;
  return true;
}

static bool set_output(OptionParser *p, const char *value) {
  if (p->options->output) {
    buf_printf(p->error, "-o is given twice: '%s' and '%s'", p->options->output, value);
    return false;
  }
  p->options->output = value;
  return true;
}

static bool set_emit(OptionParser *p, const char *value) {
  static const char *const kinds[] = {"tokens", "ast",   "tir",  "llvm",   "ptx",
                                      "meta",   "cubin", "sass", "header", "object"};
  int kind;
  if (!parse_choice(p, "--emit", value, kinds, 10, &kind)) return false;
  p->options->emit = (Emit)kind;
  p->options->emit_given = true;
  return true;
}

static bool set_format(OptionParser *p, const char *value) {
  static const char *const formats[] = {"text", "json", "html"};
  int format;
  if (!parse_choice(p, "--format", value, formats, 3, &format)) return false;
  p->options->format = (Format)format;
  return true;
}

static bool set_assemble(OptionParser *p, const char *value) {
  (void)value;
  p->options->emit = EMIT_PTX;
  p->options->emit_given = true;
  return true;
}

static bool set_dependencies(OptionParser *p, const char *value) {
  (void)value;
  return p->options->dependencies = true;
}

static bool set_kernel(OptionParser *p, const char *value) {
  p->options->kernel = value;
  return true;
}

static bool set_signature(OptionParser *p, const char *value) {
  p->options->signature = value;
  return true;
}

static bool set_define(OptionParser *p, const char *value) {
  NamedText named;
  if (!option_split_named(p, "-D", value, &named)) return false;
  if (option_take_range(p, named.name, false, named.text)) return true;
  vec_push(p->arena, &p->options->defines, value);
  return true;
}

// One architecture, or several between commas. Only --emit=header takes several.
static bool set_arch(OptionParser *p, const char *value) {
  p->options->arch_given = true;
  for (Str rest = str_from(value);;) {
    const char *comma = memchr(rest.at, ',', rest.n);
    Str name = {rest.at, comma ? (size_t)(comma - rest.at) : rest.n};
    if (!target_parse_arch(name, &p->options->target)) {
      buf_printf(p->error, "unknown architecture '%.*s'; --list-targets lists them", STR_ARG(name));
      return false;
    }
    vec_push(p->arena, &p->options->archs, p->options->target.arch);
    if (!comma) return true;
    p->options->arch_list = true;
    rest = (Str){comma + 1, rest.n - name.n - 1};
  }
}

static bool set_variant(OptionParser *p, const char *value) {
  vec_push(p->arena, &p->options->variants, value);
  return true;
}

static bool set_aot_prefix(OptionParser *p, const char *value) {
  p->options->aot_prefix = value;
  size_t n = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
  if (n && !value[n] && value[0] > '9') return true;
  buf_printf(p->error, "--aot-prefix takes a C identifier, not '%s'", value);
  return false;
}

static bool set_cubins(OptionParser *p, const char *value) {
  static const char *const modes[] = {"auto", "on", "off"};
  int mode;
  if (!parse_choice(p, "--cubins", value, modes, 3, &mode)) return false;
  p->options->cubins = (Cubins)mode;
  return true;
}

static bool set_num_warps(OptionParser *p, const char *value) {
  Options *o = p->options;
  bool good;
  if (option_set_range(p, "num_warps", value, set_num_warps, &good)) return good;
  o->num_warps_given = true;
  if (!parse_u16(p, "--num-warps", value, 1, NUM_WARPS_MAX, &o->target.num_warps)) return false;
  if ((o->target.num_warps & (o->target.num_warps - 1)) == 0) return true;
  buf_printf(p->error, "--num-warps must be a power of two, not %s", value);
  return false;
}

static bool set_num_stages(OptionParser *p, const char *value) {
  bool good;
  if (option_set_range(p, "num_stages", value, set_num_stages, &good)) return good;
  p->options->num_stages_given = true;
  return parse_u16(p, "--num-stages", value, 1, NUM_STAGES_MAX, &p->options->target.num_stages);
}

static bool set_maxnreg(OptionParser *p, const char *value) {
  bool good;
  if (option_set_range(p, "maxnreg", value, set_maxnreg, &good)) return good;
  p->options->maxnreg_given = true;
  return parse_u16(p, "--maxnreg", value, 1, MAXNREG_MAX, &p->options->target.maxnreg);
}

static bool set_fp32_dot(OptionParser *p, const char *value) {
  int mode;
  if (!parse_choice(p, "--fp32-dot", value, fp32_dot_names, FP32_DOT_COUNT, &mode)) return false;
  p->options->target.fp32_dot = (Fp32Dot)mode;
  p->options->fp32_dot_given = true;
  return true;
}

static bool set_fp_contract(OptionParser *p, const char *value) {
  static const char *const states[] = {"off", "on"};
  int state;
  if (!parse_choice(p, "--fp-contract", value, states, 2, &state)) return false;
  p->options->target.fp_contract = state == 1;
  return true;
}

static bool set_fast_math(OptionParser *p, const char *value) {
  (void)value;
  return p->options->target.fast_math = true;
}

static bool set_optimize(OptionParser *p, const char *value) {
  long long level;
  if (!parse_number(p, "-O", value, 0, 3, &level)) return false;
  p->options->target.opt_level = (uint8_t)level;
  return true;
}

static bool set_debug(OptionParser *p, const char *value) {
  (void)value;
  return p->options->target.debug = true;
}

static bool set_overlap(OptionParser *p, const char *value) {
  (void)value;
  return p->options->target.overlap = true;
}

static bool set_restrict(OptionParser *p, const char *value) {
  return (void)value, p->options->target.restrict_pointers = true;
}

static bool set_tma(OptionParser *p, const char *value) {
  int use;
  if (!parse_choice(p, "--tma", value, tma_names, TMA_USES, &use)) return false;
  p->options->target.tma = (TmaUse)use;
  return true;
}

static bool set_warp_specialize(OptionParser *p, const char *value) {
  int roles;
  if (!parse_choice(p, "--warp-specialize", value, warp_roles_names, WARP_ROLES_COUNT, &roles)) return false;
  p->options->target.warp_roles = (WarpRoles)roles;
  return true;
}

static bool set_epilogue(OptionParser *p, const char *value) {
  int use;
  if (!parse_choice(p, "--epilogue", value, epilogue_names, EPILOGUE_USES, &use)) return false;
  p->options->target.epilogue = (EpilogueUse)use;
  return true;
}

static bool set_persistent(OptionParser *p, const char *value) {
  int use;
  if (!parse_choice(p, "--persistent", value, persist_names, PERSIST_USES, &use)) return false;
  p->options->target.persistent = (PersistUse)use;
  return true;
}

static bool set_remarks(OptionParser *p, const char *value) {
  (void)value;
  return p->options->remarks = true;
}

static bool set_diagnostics(OptionParser *p, const char *value) {
  static const char *const formats[] = {"text", "json"};
  int format;
  if (!parse_choice(p, "--diagnostics", value, formats, 2, &format)) return false;
  p->options->json_diagnostics = format == 1;
  return true;
}

static bool set_predict(OptionParser *p, const char *value) {
  return (void)value, p->options->predict = true;
}

static bool set_top(OptionParser *p, const char *value) {
  long long n;
  return parse_number(p, "--top", value, 1, 1000000, &n) && (p->options->top = (uint32_t)n) > 0;
}

static bool set_card(OptionParser *p, const char *value) { return p->options->card = value, true; }

static bool set_registers(OptionParser *p, const char *value) {
  long long n;
  return parse_number(p, "--registers", value, 1, MAXNREG_MAX, &n) &&
         (p->options->registers = (uint32_t)n) > 0;
}

static bool set_simulate(OptionParser *p, const char *value) {
  return (void)value, p->options->simulate = true;
}
static bool set_ncu(OptionParser *p, const char *value) { return p->options->ncu_file = value, true; }
static bool set_time_passes(OptionParser *p, const char *value) {
  return (void)value, p->options->time_passes = true;
}

static bool set_print_after(OptionParser *p, const char *value) {
  return (p->options->print_after = find_pass(p, value, "all")) != NULL;
}

static bool set_stop_after(OptionParser *p, const char *value) {
  return (p->options->stop_after = find_pass(p, value, "elaborate")) != NULL;
}

static bool set_run_pass(OptionParser *p, const char *value) {
  p->options->run_passes_given = true;
  for (;;) {
    const char *comma = strchr(value, ',');
    const char *name = comma ? arena_copy(p->arena, (Str){value, (size_t)(comma - value)}) : value;
    if (!(name = find_pass(p, name, NULL))) return false;
    vec_push(p->arena, &p->options->run_passes, name);
    if (!comma) return true;
    value = comma + 1;
  }
}

static bool set_disable_pass(OptionParser *p, const char *value) {
  bool entry = pass_entry(str_from(value)) != NULL;
  if (!entry && !(value = find_pass(p, value, NULL))) return false;
  vec_push(p->arena, &p->options->disabled_passes, value);
  if (entry || pass_find(str_from(value))->flags & OPTIONAL) return true;
  buf_printf(p->error, "the result needs pass '%s': it cannot be disabled", value);
  return false;
}

static bool set_verify_each(OptionParser *p, const char *value) {
  (void)value;
  return p->options->verify_each = true;
}

static bool set_command(OptionParser *p, Command command) {
  p->options->command = command;
  return true;
}

static bool set_list_passes(OptionParser *p, const char *value) {
  return (void)value, set_command(p, COMMAND_LIST_PASSES);
}
static bool set_list_targets(OptionParser *p, const char *value) {
  return (void)value, set_command(p, COMMAND_LIST_TARGETS);
}
static bool set_version(OptionParser *p, const char *value) {
  return (void)value, set_command(p, COMMAND_VERSION);
}

// Help for the command before it, whatever else follows.
static bool set_help(OptionParser *p, const char *value) {
  Options *o = p->options;
  (void)value;
  o->topic = p->verb_given || o->file ? o->command : COMMAND_HELP;
  p->next = p->argc;
  return set_command(p, COMMAND_HELP);
}

static bool set_color(OptionParser *p, const char *value) {
  static const char *const whens[] = {"auto", "always", "never"};
  int when;
  if (!parse_choice(p, "--color", value, whens, 3, &when)) return false;
  p->options->color = (ColorWhen)when;
  return true;
}

static bool set_device(OptionParser *p, const char *value) {
  p->options->device = value;
  return true;
}

// "X[,Y[,Z]]". Omitted sizes are 1.
static bool parse_sizes(OptionParser *p, const char *what, const char *value, long long min,
                        int64_t sizes[3]) {
  sizes[0] = sizes[1] = sizes[2] = 1;
  for (int i = 0; i < 3; i++) {
    const char *comma = strchr(value, ',');
    const char *word = comma ? arena_copy(p->arena, (Str){value, (size_t)(comma - value)}) : value;
    long long size;
    if (!parse_number(p, what, word, min, INT64_MAX, &size)) return false;
    sizes[i] = size;
    if (!comma) return true;
    value = comma + 1;
  }
  buf_printf(p->error, "%s has at most three sizes", what);
  return false;
}

// Digits, commas, and a sign where a number begins.
static bool is_numbers(const char *text) {
  for (const char *at = text; *at; at++) {
    bool begins = at == text || at[-1] == ',';
    if (!(*at >= '0' && *at <= '9') && *at != ',' && !(begins && (*at == '-' || *at == '+'))) return false;
  }
  return true;
}

// Numbers, or expressions over the kernel's parameters. Those are evaluated once the kernel is known.
static bool set_grid(OptionParser *p, const char *value) {
  p->options->grid_text = NULL;
  p->options->grid_given = is_numbers(value);
  if (p->options->grid_given) return parse_sizes(p, "--grid", value, INT64_MIN, p->options->grid);
  p->options->grid_text = value;
  return true;
}

static bool set_threads(OptionParser *p, const char *value) {
  int64_t sizes[3];
  if (!parse_sizes(p, "--threads", value, 1, sizes)) return false;
  enum { MOST = BLOCK_MAX_THREADS };
  for (int i = 0; i < 3; i++) p->options->threads[i] = sizes[i] > MOST ? MOST + 1 : (uint32_t)sizes[i];
  if (sizes[0] <= MOST && sizes[1] <= MOST && sizes[2] <= BLOCK_MAX_Z &&
      sizes[0] * sizes[1] * sizes[2] <= MOST)
    return true;
  buf_printf(p->error, "a CTA has at most %d threads", MOST);
  return false;
}

static bool set_shared(OptionParser *p, const char *value) {
  long long bytes;
  if (!parse_number(p, "--shared", value, 0, 1 << 20, &bytes)) return false;
  p->options->shared_bytes = (uint32_t)bytes;
  return true;
}

static bool set_buffer(OptionParser *p, const char *value) {
  NamedText named;
  if (!option_split_named(p, "--buffer", value, &named)) return false;
  vec_push(p->arena, &p->options->buffers, named);
  return true;
}

static bool set_seed(OptionParser *p, const char *value) {
  long long seed;
  if (!parse_number(p, "--seed", value, 0, INT64_MAX, &seed)) return false;
  p->options->seed = (uint64_t)seed;
  return true;
}

static bool set_check(OptionParser *p, const char *value) {
  return p->options->check_file = value, p->options->check = true;
}

static bool set_allow_uncompared(OptionParser *p, const char *value) {
  return expect_share(value, &p->options->allow_uncompared, p->error);
}

static bool set_expect(OptionParser *p, const char *value) {
  Expectation expectation;
  if (!expect_parse(p->arena, value, &expectation, p->error)) return false;
  vec_push(p->arena, &p->options->expectations, expectation);
  return true;
}

static bool set_step(OptionParser *p, const char *value) { return (void)value, p->options->step = true; }
static bool set_strict(OptionParser *p, const char *value) { return (void)value, p->options->strict = true; }

static bool set_stats(OptionParser *p, const char *value) {
  p->options->stats_file = value;
  return p->options->stats = true;
}

static bool set_sim_schedule(OptionParser *p, const char *value) {
  static const char *const names[] = {"late", "early", "late-down", "early-down"}; // as tilec_sim_schedule
  int schedule;
  if (!parse_choice(p, "--sim-schedule", value, names, 4, &schedule)) return false;
  p->options->sim.schedule = (tilec_sim_schedule)schedule;
  return p->options->sim_given = true;
}

static bool set_sim_threads(OptionParser *p, const char *value) {
  long long threads;
  if (!parse_number(p, "--sim-threads", value, 1, 1024, &threads)) return false;
  p->options->sim.threads = (uint32_t)threads;
  return p->options->sim_given = true;
}

static bool set_sim_watch(OptionParser *p, const char *value) {
  long long count;
  if (!parse_number(p, "--sim-watch", value, 1, UINT32_MAX, &count)) return false;
  p->options->sim.watch_every = (uint32_t)count;
  return p->options->sim_given = true;
}

static bool set_max_programs(OptionParser *p, const char *value) {
  long long count;
  if (!parse_number(p, "--max-programs", value, 1, 1 << 20, &count)) return false;
  p->options->max_programs = (uint32_t)count;
  return true;
}

static bool set_max_instructions(OptionParser *p, const char *value) {
  long long count;
  if (!parse_number(p, "--max-instructions", value, 1, INT64_MAX, &count)) return false;
  p->options->max_instructions = (uint64_t)count;
  return true;
}

static bool set_timeout(OptionParser *p, const char *value) {
  char *end;
  p->options->timeout = strtod(value, &end);
  p->options->timeout_given = true;
  if (end != value && !*end && p->options->timeout >= 0 && p->options->timeout < 1e9) return true;
  buf_printf(p->error, "--timeout takes seconds, not '%s'", value);
  return false;
}

static bool set_json(OptionParser *p, const char *value) { return (void)value, p->options->json = true; }

static bool set_verbose(OptionParser *p, const char *value) {
  return (void)value, p->options->verbose = true;
}

static bool set_save(OptionParser *p, const char *value) {
  NamedText named;
  if (!option_split_named(p, "--save", value, &named)) return false;
  vec_push(p->arena, &p->options->saves, named);
  return true;
}

static bool set_print(OptionParser *p, const char *value) {
  vec_push(p->arena, &p->options->prints, value);
  return true;
}

const OptionInfo *option_infos(size_t *count) {
  static const OptionInfo table[] = {
#define X(id, name, short_name, value, commands, help) {name, short_name, value, commands, help, set_##id},
#include "tools/options/options.def"
#undef X
  };
  *count = sizeof table / sizeof *table;
  return table;
}
