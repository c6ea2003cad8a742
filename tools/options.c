// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/options.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "passes/passes.h"

typedef struct OptionParser {
  int argc, next; // argv[next] is the next word
  char **argv;
  Arena *arena;
  Options *options;
  Buf *error;
} OptionParser;

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

// One of `n` names; the error lists them.
static bool parse_choice(OptionParser *p, const char *what, const char *text, const char *const *names, int n,
                         int *choice) {
  for (*choice = 0; *choice < n; ++*choice)
    if (strcmp(names[*choice], text) == 0) return true;
  buf_printf(p->error, "%s is one of", what);
  for (int i = 0; i < n; i++) buf_printf(p->error, "%s %s", i ? "," : "", names[i]);
  buf_printf(p->error, "; not '%s'", text);
  return false;
}

static bool check_pass(OptionParser *p, const char *name, const char *extra) {
  if (pass_find(str_from(name)) || (extra && strcmp(name, extra) == 0)) return true;
  buf_printf(p->error, "there is no pass '%s'; --list-passes lists them", name);
  return false;
}

static bool split_named(OptionParser *p, const char *what, const char *text, NamedText *named) {
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
  static const char *const kinds[] = {"tokens", "ast", "tir", "llvm", "ptx", "meta", "cubin"};
  int kind;
  if (!parse_choice(p, "--emit", value, kinds, 7, &kind)) return false;
  p->options->emit = (Emit)kind;
  p->options->emit_given = true;
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
  if (!split_named(p, "-D", value, &named)) return false;
  vec_push(p->arena, &p->options->defines, value);
  return true;
}

static bool set_arch(OptionParser *p, const char *value) {
  p->options->arch_given = true;
  if (target_parse_arch(str_from(value), &p->options->target)) return true;
  buf_printf(p->error, "unknown architecture '%s'; --list-targets lists them", value);
  return false;
}

static bool set_num_warps(OptionParser *p, const char *value) {
  Options *o = p->options;
  o->num_warps_given = true;
  if (!parse_u16(p, "--num-warps", value, 1, NUM_WARPS_MAX, &o->target.num_warps)) return false;
  if ((o->target.num_warps & (o->target.num_warps - 1)) == 0) return true;
  buf_printf(p->error, "--num-warps is a power of two, not %s", value);
  return false;
}

static bool set_num_stages(OptionParser *p, const char *value) {
  p->options->num_stages_given = true;
  return parse_u16(p, "--num-stages", value, 1, NUM_STAGES_MAX, &p->options->target.num_stages);
}

static bool set_maxnreg(OptionParser *p, const char *value) {
  p->options->maxnreg_given = true;
  return parse_u16(p, "--maxnreg", value, 1, MAXNREG_MAX, &p->options->target.maxnreg);
}

static bool set_fp32_dot(OptionParser *p, const char *value) {
  static const char *const modes[] = {"ieee", "tf32", "tf32x3"};
  int mode;
  if (!parse_choice(p, "--fp32-dot", value, modes, 3, &mode)) return false;
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

static bool set_time_passes(OptionParser *p, const char *value) {
  (void)value;
  return p->options->time_passes = true;
}

static bool set_print_after(OptionParser *p, const char *value) {
  p->options->print_after = value;
  return check_pass(p, value, "all");
}

static bool set_stop_after(OptionParser *p, const char *value) {
  p->options->stop_after = value;
  return check_pass(p, value, "elaborate");
}

static bool set_run_pass(OptionParser *p, const char *value) {
  p->options->run_passes_given = true;
  for (;;) {
    const char *comma = strchr(value, ',');
    const char *name = comma ? arena_copy(p->arena, (Str){value, (size_t)(comma - value)}) : value;
    if (!check_pass(p, name, NULL)) return false;
    vec_push(p->arena, &p->options->run_passes, name);
    if (!comma) return true;
    value = comma + 1;
  }
}

static bool set_disable_pass(OptionParser *p, const char *value) {
  if (!check_pass(p, value, NULL)) return false;
  vec_push(p->arena, &p->options->disabled_passes, value);
  if (pass_find(str_from(value))->flags & OPTIONAL) return true;
  buf_printf(p->error, "the result needs pass '%s': it cannot be left out", value);
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
static bool set_help(OptionParser *p, const char *value) { return (void)value, set_command(p, COMMAND_HELP); }

static bool set_device(OptionParser *p, const char *value) {
  p->options->device = value;
  return true;
}

// "X[,Y[,Z]]": the sizes left out are 1.
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

static bool set_grid(OptionParser *p, const char *value) {
  p->options->grid_given = true;
  return parse_sizes(p, "--grid", value, INT64_MIN, p->options->grid);
}

static bool set_threads(OptionParser *p, const char *value) {
  int64_t sizes[3];
  if (!parse_sizes(p, "--threads", value, 1, sizes)) return false;
  enum { MOST = BLOCK_MAX_THREADS };
  for (int i = 0; i < 3; i++) p->options->threads[i] = sizes[i] > MOST ? MOST + 1 : (uint32_t)sizes[i];
  if (sizes[0] <= MOST && sizes[1] <= MOST && sizes[2] <= BLOCK_MAX_Z &&
      sizes[0] * sizes[1] * sizes[2] <= MOST)
    return true;
  buf_printf(p->error, "a block has at most %d threads", MOST);
  return false;
}

static bool set_shared(OptionParser *p, const char *value) {
  long long bytes;
  if (!parse_number(p, "--shared", value, 0, 1 << 20, &bytes)) return false;
  p->options->shared_bytes = (uint32_t)bytes;
  return true;
}

static bool set_seed(OptionParser *p, const char *value) {
  long long seed;
  if (!parse_number(p, "--seed", value, 0, INT64_MAX, &seed)) return false;
  p->options->seed = (uint64_t)seed;
  return true;
}

static bool set_check(OptionParser *p, const char *value) {
  p->options->check_file = value;
  return p->options->check = true;
}

static bool set_expect(OptionParser *p, const char *value) {
  Expectation expectation;
  if (!expect_parse(p->arena, value, &expectation, p->error)) return false;
  vec_push(p->arena, &p->options->expectations, expectation);
  return true;
}

static bool set_strict(OptionParser *p, const char *value) {
  (void)value;
  return p->options->strict = true;
}

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

static bool set_save(OptionParser *p, const char *value) {
  NamedText named;
  if (!split_named(p, "--save", value, &named)) return false;
  vec_push(p->arena, &p->options->saves, named);
  return true;
}

typedef struct OptionInfo {
  const char *name, *short_name, *value, *commands, *help;
  bool (*set)(OptionParser *p, const char *value); // false: p->error says why
} OptionInfo;

static const OptionInfo option_table[] = {
#define X(id, name, short_name, value, commands, help) {name, short_name, value, commands, help, set_##id},
#include "tools/options.def"
#undef X
};

enum { OPTION_COUNT = sizeof option_table / sizeof *option_table };

static bool runs_kernel(const Options *o) {
  return o->command == COMMAND_RUN || o->command == COMMAND_BENCH || o->command == COMMAND_CHECK;
}

// Whether `word` is this option; *value gets what is joined to it, NULL where nothing is.
static bool option_matches(const OptionInfo *info, const char *word, const char **value) {
  size_t n = strlen(info->name);
  *value = NULL;
  if (n && strncmp(word, info->name, n) == 0 && (word[n] == '\0' || word[n] == '=')) {
    if (word[n] == '=') *value = word + n + 1;
    return true;
  }
  n = strlen(info->short_name);
  if (!n || strncmp(word, info->short_name, n) != 0) return false;
  if (word[n] == '\0') return true;
  if (!info->value[0]) return false;
  *value = word[n] == '=' ? word + n + 1 : word + n;
  return n == 2 || word[n] == '='; // -arch=SM, not -archSM
}

static bool unknown_option(OptionParser *p, const char *word) {
  const char *names[OPTION_COUNT];
  size_t n = 0;
  for (int id = 0; id < OPTION_COUNT; id++)
    if (option_table[id].name[0]) names[n++] = option_table[id].name;
  const char *equals = strchr(word, '=');
  const char *near = diag_nearest((Str){word, equals ? (size_t)(equals - word) : strlen(word)}, names, n);
  buf_printf(p->error, "unknown option '%s'", word);
  if (near) buf_printf(p->error, "; did you mean '%s'?", near);
  return false;
}

static bool parse_option(OptionParser *p, const char *word) {
  for (int id = 0; id < OPTION_COUNT; id++) {
    const OptionInfo *info = &option_table[id];
    const char *value;
    if (!option_matches(info, word, &value)) continue;
    bool cache = p->options->command == COMMAND_CACHE;
    if (!strchr(info->commands, cache ? 'K' : runs_kernel(p->options) ? 'R' : 'C')) {
      const char *of = strchr(info->commands, 'R') ? "run" : strchr(info->commands, 'C') ? "compile" : "cache";
      buf_printf(p->error, "'%s' is an option of 'tilec %s'", info->name, of);
      return false;
    }
    bool optional = info->value[0] == '[';
    if (!info->value[0] && value) {
      buf_printf(p->error, "'%s' takes no value", info->name);
      return false;
    }
    if (!info->value[0] || (optional && !value)) return info->set(p, NULL);
    if (!value && p->next == p->argc) {
      buf_printf(p->error, "'%s' needs a value (%s)", word, info->value);
      return false;
    }
    return info->set(p, value ? value : p->argv[p->next++]);
  }
  return unknown_option(p, word);
}

static bool parse_positional(OptionParser *p, const char *word) {
  Options *o = p->options;
  if (!o->file) {
    o->file = word;
    return true;
  }
  if (!runs_kernel(o)) {
    buf_printf(p->error, "one FILE at a time: '%s' is a second one", word);
    return false;
  }
  NamedText named = {arena_printf(p->arena, "%u", o->args.n), word};
  if (!options_file_is_ptx(o) && !split_named(p, "an argument", word, &named)) return false;
  vec_push(p->arena, &o->args, named);
  return true;
}

// Whether a word that is no file may be meant for a command.
static bool mistyped_command(OptionParser *p, const char *word) {
  static const char *const commands[] = {"compile", "run", "bench", "check", "cache"};
  const char *near = diag_nearest(str_from(word), commands, sizeof commands / sizeof *commands);
  if (word[0] == '-' || strpbrk(word, "./") || !near || access(word, F_OK) == 0) return false;
  buf_printf(p->error, "there is no command and no file '%s'; did you mean '%s'?", word, near);
  return true;
}

static bool choose_command(OptionParser *p) {
  static const char *const planned[] = {"explain", "tune"};
  const char *word = p->argc > 1 ? p->argv[1] : "";
  if (strcmp(word, "run") == 0) p->options->command = COMMAND_RUN;
  if (strcmp(word, "bench") == 0) p->options->command = COMMAND_BENCH;
  if (strcmp(word, "check") == 0) p->options->command = COMMAND_CHECK;
  if (strcmp(word, "cache") == 0) p->options->command = COMMAND_CACHE;
  if (p->options->command != COMMAND_COMPILE || strcmp(word, "compile") == 0) p->next++;
  for (size_t i = 0; i < sizeof planned / sizeof *planned; i++)
    if (strcmp(word, planned[i]) == 0) {
      buf_printf(p->error, "'tilec %s' is not built yet", word);
      return false;
    }
  return p->options->command != COMMAND_COMPILE || !mistyped_command(p, word);
}

bool options_parse(int argc, char **argv, Arena *arena, Options *options, Buf *error) {
  *options =
      (Options){.command = COMMAND_COMPILE, .emit = EMIT_PTX, .target = target_default(), .device = "auto"};
  options->sim = (tilec_sim_options)TILEC_SIM_OPTIONS_INIT;
  OptionParser p = {argc, 1, argv, arena, options, error};
  if (!choose_command(&p)) return false;
  bool only_positional = false;
  while (p.next < argc) {
    const char *word = argv[p.next++];
    bool is_option = !only_positional && word[0] == '-' && word[1];
    if (is_option && strcmp(word, "--") == 0)
      only_positional = true;
    else if (!(is_option ? parse_option(&p, word) : parse_positional(&p, word)))
      return false;
  }
  if (!options->emit_given && (options->run_passes_given || options->stop_after)) options->emit = EMIT_TIR;
  bool needs_file = options->command == COMMAND_COMPILE || runs_kernel(options);
  if (needs_file && !options->file) buf_text(error, "no input file");
  return !needs_file || options->file;
}

bool options_file_is_ptx(const Options *options) {
  size_t n = options->file ? strlen(options->file) : 0;
  return n > 4 && strcmp(options->file + n - 4, ".ptx") == 0;
}
