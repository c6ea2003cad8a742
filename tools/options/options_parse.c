// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses the words of the command line: the command, its options and the other words.
#include <errno.h>
#include <unistd.h>

#include "base/diag.h"
#include "tools/options/language_help.h"
#include "tools/options/options_parts.h"

// ---- commands ----

// Verb i is that of Command i.
static const Verb *verb_list(uint32_t *count) {
  static const Verb verbs[] = {
#define X(name, letter, arguments, summary) {#name, letter, arguments, summary},
#include "tools/options/verbs.def"
#undef X
  };
  _Static_assert(sizeof verbs / sizeof *verbs == COMMAND_VERSION + 1, "verbs.def and Command differ");
  *count = sizeof verbs / sizeof *verbs;
  return verbs;
}

const Verb *verb_of(Command command) {
  uint32_t count;
  const Verb *verbs = verb_list(&count);
  return (uint32_t)command < count ? &verbs[command] : NULL;
}

static bool find_verb(const char *word, Command *command) {
  uint32_t count;
  const Verb *verbs = verb_list(&count);
  for (uint32_t i = 0; i < count; i++)
    if (strcmp(verbs[i].name, word) == 0) return *command = (Command)i, true;
  return false;
}

static bool looks_like_cuda(const char *word) {
  Str text = str_from(word);
  bool driver = str_starts(text, "cu") && word[2] >= 'A' && word[2] <= 'Z';
  return driver || str_starts(text, "cuda") || str_starts(text, "__") || strstr(word, "::");
}

// Reports `problem` with the name that was probably meant, or all commands. Names are those of commands, and
// `more` ones. Returns false.
static bool no_such_command(OptionParser *p, const char *problem, const char *word, const char *const *more,
                            size_t more_count) {
  uint32_t count;
  const Verb *verbs = verb_list(&count);
  const char **names = ARENA_ARRAY(p->arena, const char *, count + more_count);
  for (uint32_t i = 0; i < count; i++) names[i] = verbs[i].name;
  for (size_t i = 0; i < more_count; i++) names[count + i] = more[i];
  const char *near = diag_nearest(str_from(word), names, count + more_count);
  buf_printf(p->error, "%s '%s'", problem, word);
  if (str_starts(str_from(word), "np.")) { // other guesses would be other functions
    buf_text(p->error, "; the table of docs/how-to/coming-from-numpy.md does not have it");
    bool guess = strlen(word) >= sizeof "np.abcd" && !strchr(word + 3, '.');
    near = !guess ? NULL
           : near && str_starts(str_from(near), "np.")
               ? near + 3
               : diag_nearest(str_from(word + 3), names, count + more_count);
    if (near && options_has_numpy(near)) buf_printf(p->error, "; did you mean 'np.%s'?", near);
    return false;
  }
  if (more_count && looks_like_cuda(word))
    buf_text(p->error, "; docs/how-to/coming-from-cuda.md has CUDA's words");
  if (near) return buf_printf(p->error, "; did you mean '%s'?", near), false;
  if (more_count && looks_like_cuda(word)) return false;
  buf_text(p->error, "; commands are");
  for (uint32_t i = 0; i < count; i++) buf_printf(p->error, "%s %s", i ? "," : "", names[i]);
  if (more_count) buf_text(p->error, "; 'tilec help language' lists functions");
  return false;
}

// True if the word may be a mistyped command. It is no file's name.
static bool mistyped_command(const char *word) {
  return word[0] && word[0] != '-' && !strpbrk(word, "./") && access(word, F_OK) != 0;
}

// "@args": the word was kept because the file could not be opened.
static bool lost_file(OptionParser *p, const char *word) {
  if (word[0] != '@' || !word[1]) return false;
  bool there = access(word + 1, R_OK) == 0; // sets errno
  buf_printf(p->error, "cannot read the argument file '%s': %s", word,
             there ? "it was not there before" : strerror(errno));
  return true;
}

static bool choose_command(OptionParser *p) {
  const char *word = p->argc > 1 ? p->argv[1] : "";
  if (lost_file(p, word)) return false;
  p->verb_given = find_verb(word, &p->options->command);
  p->next += p->verb_given;
  return p->verb_given || !mistyped_command(word) ||
         no_such_command(p, "there is neither a command nor a file", word, NULL, 0);
}

// The option that help is asked about: "--num-stages", "num_stages", "-O". NULL: none.
static const OptionInfo *find_option(const char *word) {
  size_t count, n = strlen(word);
  const OptionInfo *infos = option_infos(&count);
  for (size_t id = 0; id < count; id++) {
    const char *name = infos[id].name, *bare = word[0] == '-' ? name : name + (name[0] ? 2 : 0);
    bool same = strlen(bare) == n && n > 0;
    for (size_t i = 0; same && i < n; i++) same = bare[i] == word[i] || (bare[i] == '-' && word[i] == '_');
    if (same || (word[0] == '-' && strcmp(infos[id].short_name, word) == 0)) return &infos[id];
  }
  return NULL;
}

static bool parse_topic(OptionParser *p, const char *word) {
  const Options *o = p->options;
  if (o->topic != COMMAND_HELP || o->function || o->code || o->option || o->word)
    return buf_fail(p->error, "help takes one command: '%s' is a second one", word);
  if (find_verb(word, &p->options->topic)) return true;
  Buf unused = {0};
  const char *name =
      word[0] == 't' && word[1] >= '0' && word[1] <= '9' ? arena_printf(p->arena, "T%s", word + 1) : word;
  bool is_code = options_print_code(name, false, &unused);
  buf_free(&unused);
  if (is_code) return p->options->code = name, true;
  if (name[0] == 'T' && word[1] >= '0' && word[1] <= '9')
    return buf_fail(p->error, "there is no code '%s'; 'tilec help codes' lists them", word);
  const OptionInfo *option = find_option(word);
  bool plain = word[0] != '-' && !strchr(word, '.');
  if (plain && (option || language_has(word))) p->options->word = options_has_word(word) ? word : NULL;
  if (language_has(word)) return p->options->function = word, true;
  if (option) return p->options->option = option->name[0] ? option->name : option->short_name, true;
  if (options_has_word(word)) return p->options->word = word, true;
  const char *advice = language_advice(word);
  if (advice) return buf_fail(p->error, "the language has no '%s'; write %s", word, advice);
  if (options_has_near_word(word)) return p->options->word = word, true;
  size_t count;
  bool full = strchr(word, '.') && !str_starts(str_from(word), "np.");
  const char *const *names = language_names(p->arena, full, &count);
  enum { MAX_WORDS = 2000 };
  const char **all = ARENA_ARRAY(p->arena, const char *, count + MAX_WORDS);
  memcpy(all, names, count * sizeof *all);
  count += options_words(p->arena, full, all + count, MAX_WORDS);
  return no_such_command(p, "there is no command, function of the language or word", word, all, count);
}

// ---- words ----

static bool runs_kernel(const Options *o) {
  return o->command == COMMAND_RUN || o->command == COMMAND_BENCH || o->command == COMMAND_CHECK ||
         o->command == COMMAND_EXPLAIN || o->command == COMMAND_TUNE;
}

// True if `word` is this option. *value gets the text joined to it, or NULL.
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
  size_t count, n = 0;
  const OptionInfo *infos = option_infos(&count);
  const char **names = ARENA_ARRAY(p->arena, const char *, count);
  for (size_t id = 0; id < count; id++)
    if (infos[id].name[0]) names[n++] = infos[id].name;
  const char *equals = strchr(word, '=');
  const char *near = diag_nearest((Str){word, equals ? (size_t)(equals - word) : strlen(word)}, names, n);
  buf_printf(p->error, "unknown option '%s'", word);
  if (near) buf_printf(p->error, "; did you mean '%s'?", near);
  return false;
}

// The command's letter in options.def. --list-passes and similar options belong to compile.
static const char *letter_of(Command command) {
  const Verb *verb = verb_of(command);
  return verb ? verb->letter : "C";
}

static bool foreign_option(OptionParser *p, const OptionInfo *info) {
  uint32_t count, n = 0;
  const Verb *verbs = verb_list(&count);
  const char **takers = ARENA_ARRAY(p->arena, const char *, count);
  for (uint32_t i = 0; i < count; i++)
    if (strstr(info->commands, verbs[i].letter))
      takers[n++] = arena_printf(p->arena, "tilec %s", verbs[i].name);
  buf_printf(p->error, "'%s' is an option of ", info->name[0] ? info->name : info->short_name);
  diag_list_names((Str){0}, takers, n, p->error);
  return false;
}

// Takes the option that `word` begins. *value is the text joined to it.
static bool take_option(OptionParser *p, const OptionInfo *info, const char *word, const char *value) {
  if (!strstr(info->commands, letter_of(p->options->command))) return foreign_option(p, info);
  bool optional = info->value[0] == '[';
  if (!info->value[0] && value) return buf_fail(p->error, "'%s' takes no value", info->name);
  if (!info->value[0] || (optional && !value)) return option_set(p, info, NULL);
  if (!value && p->next == p->argc) return buf_fail(p->error, "'%s' needs a value (%s)", word, info->value);
  return option_set(p, info, value ? value : p->argv[p->next++]);
}

static bool parse_option(OptionParser *p, const char *word) {
  size_t count;
  const OptionInfo *infos = option_infos(&count), *asked = find_option(word);
  if (asked && p->options->command == COMMAND_HELP && !strstr(asked->commands, "H"))
    return parse_topic(p, word);
  for (size_t id = 0; id < count; id++) {
    const char *value;
    if (option_matches(&infos[id], word, &value)) return take_option(p, &infos[id], word, value);
  }
  bool is_word = p->options->command == COMMAND_HELP && options_has_word(word); // of nvcc
  return is_word ? parse_topic(p, word) : unknown_option(p, word);
}

static bool takes_ptx(const Options *o) {
  return o->command == COMMAND_RUN || o->command == COMMAND_CHECK || o->command == COMMAND_BENCH;
}

static bool refuse_ptx(OptionParser *p) {
  const char *file = p->options->file;
  if (p->options->command == COMMAND_EXPLAIN)
    buf_printf(
        p->error,
        "explain needs a kernel's source: PTX has no tiles; 'tilec run %s --stats' counts what PTX does",
        file);
  else if (p->options->command == COMMAND_TUNE)
    buf_text(p->error, "tune needs a kernel's source: PTX has one configuration");
  else
    buf_printf(p->error, "'%s' is PTX already: 'tilec run', 'tilec check' and 'tilec bench' take it", file);
  return false;
}

static bool parse_positional(OptionParser *p, const char *word) {
  Options *o = p->options;
  if (o->command == COMMAND_HELP && word[0] == '@') word++; // a decorator
  if (!(takes_ptx(o) && options_file_is_ptx(o)) && lost_file(p, word)) return false;
  if (o->command == COMMAND_HELP) return parse_topic(p, word);
  if (o->command == COMMAND_VERSION || o->command == COMMAND_LSP)
    return buf_fail(p->error, "'tilec %s' takes no '%s'", verb_of(o->command)->name, word);
  if (!o->file) {
    Command command;
    size_t n = strlen(word);
    if (n > 3 && strcmp(word + n - 3, ".cu") == 0)
      return buf_fail(p->error,
                      "'%s' is CUDA C++: compile it with 'nvcc -ptx -lineinfo %s', and give its .ptx file",
                      word, word);
    o->file = word;
    if (options_file_is_ptx(o) && !takes_ptx(o)) return refuse_ptx(p);
    if (p->verb_given || !mistyped_command(word) || !find_verb(word, &command)) return true;
    return buf_fail(p->error, "the command comes first: tilec %s ...", word);
  }
  if (!runs_kernel(o)) return buf_fail(p->error, "only one FILE is allowed: '%s' is a second one", word);
  NamedText named = {arena_printf(p->arena, "%u", o->args.n), word};
  if (!options_file_is_ptx(o) && !option_split_named(p, "an argument", word, &named)) return false;
  vec_push(p->arena, &o->args, named);
  return true;
}

// Checks options that need a certain output format or command.
static bool check_page(OptionParser *p) {
  bool tune = p->options->command == COMMAND_TUNE, html = p->options->format == FORMAT_HTML,
       good = !html || p->options->output;
  if (tune && html) return buf_text(p->error, "--format of tune must be text or json"), false;
  if (!good)
    buf_text(p->error,
             "--format=html writes a page for a browser: name its file with -o FILE (- is standard output)");
  return good;
}

static bool check_aot(OptionParser *p) {
  const Options *o = p->options;
  if (o->emit == EMIT_HEADER || o->emit == EMIT_OBJECT || o->command == COMMAND_WARM) return true;
  const char *what = o->arch_list    ? "several architectures"
                     : o->variants.n ? "--variant"
                     : o->aot_prefix ? "--aot-prefix"
                     : o->cubins     ? "--cubins"
                                     : NULL;
  if (what) buf_printf(p->error, "%s: only --emit=header and --emit=object take this", what);
  return !what;
}

bool options_parse(int argc, char **argv, Arena *arena, Options *options, Buf *error) {
  *options = (Options){.command = COMMAND_COMPILE,
                       .topic = COMMAND_HELP,
                       .emit = EMIT_PTX,
                       .target = target_default(),
                       .device = "auto",
                       .devices = 1,
                       .allow_uncompared = 0.01};
  options->sim = (tilec_sim_options)TILEC_SIM_OPTIONS_INIT;
  if (!options_read_files(&argc, &argv, arena, error)) return false;
  OptionParser p = {
      .argc = argc, .next = 1, .argv = argv, .arena = arena, .options = options, .error = error};
  options->words = argv + 1;
  options->word_count = argc - 1;
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
  bool needs_file =
      options->command == COMMAND_COMPILE || options->command == COMMAND_WARM || runs_kernel(options);
  if (needs_file && !options->file) buf_text(error, "no input file");
  return (!needs_file || options->file) && check_page(&p) && check_aot(&p);
}

bool options_word_is_of(const Options *options, int i, const char *option) {
  const char *word = options->words[i];
  size_t n = strlen(option);
  bool is_it = strncmp(word, option, n) == 0 && (word[n] == '\0' || word[n] == '=');
  return is_it || (i > 0 && strcmp(options->words[i - 1], option) == 0);
}

bool options_file_is_ptx(const Options *options) {
  size_t n = options->file ? strlen(options->file) : 0;
  return n > 4 && strcmp(options->file + n - 4, ".ptx") == 0;
}
