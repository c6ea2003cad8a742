// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec help: prints verbs.def, options.def, specs.def, examples.def and diagnostics.def in lines of at most
// HELP_COLUMNS.
#include "base/colors.h"
#include "tools/options/options.h"

enum { TEXT_COLUMN = 30 }; // column of the meanings

typedef struct Help {
  Buf *out;
  bool colors;
  size_t column;
} Help;

static void end_line(Help *h) {
  buf_char(h->out, '\n');
  h->column = 0;
}

static void put_text(Help *h, const char *text) {
  buf_text(h->out, text);
  h->column += strlen(text);
}

static void heading(Help *h, const char *title) {
  if (h->out->n) end_line(h);
  buf_printf(h->out, "%s%s:%s\n", h->colors ? COLOR_BOLD : "", title, h->colors ? COLOR_RESET : "");
}

static void indent(Help *h, size_t column) {
  while (h->column < column) put_text(h, " ");
}

// The words of `text`, from the current column. Continuation lines begin at `column`.
static void put_words(Help *h, const char *text, size_t column) {
  buf_wrapped(h->out, text, h->column, column, HELP_COLUMNS);
  end_line(h);
}

// Two columns: `left`, and its meaning from TEXT_COLUMN on.
static void put_row(Help *h, const char *left, const char *meaning) {
  put_text(h, "  ");
  put_text(h, left);
  if (h->column >= TEXT_COLUMN) end_line(h);
  indent(h, TEXT_COLUMN);
  put_words(h, meaning, TEXT_COLUMN);
}

// ---- options ----

typedef struct HelpRow {
  const char *group; // begins a group; else NULL
  const char *name, *short_name, *value, *commands, *help;
} HelpRow;

static const HelpRow rows[] = {
#define GROUP(title)                                   {.group = (title)},
#define X(id, name, short_name, value, commands, effect, help)                                               \
  {NULL, name, short_name, value, commands, help},
#include "tools/options/options.def"
#undef X
};

// "-o, --output FILE"; "--stats[=FILE]" if the value is optional.
static void put_option(Help *h, const HelpRow *row) {
  Buf left = {0};
  bool optional = row->value[0] == '[';
  buf_printf(&left, "%s%s%s", row->short_name, row->short_name[0] && row->name[0] ? ", " : "", row->name);
  if (row->value[0]) buf_printf(&left, optional ? "[=%s" : " %s", row->value + optional);
  put_row(h, left.at, row->help);
  buf_free(&left);
}

static void put_options(Help *h, const char *letter) {
  const char *group = NULL;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const HelpRow *row = &rows[i];
    if (row->group) group = row->group;
    if (row->group || !strstr(row->commands, letter)) continue;
    if (group) heading(h, group);
    group = NULL;
    put_option(h, row);
  }
}

// "takes it: tilec compile, run, check".
static void put_takers(Help *h, const char *commands) {
  Buf names = {0};
  uint32_t count;
  const Verb *verbs = verb_list(&count);
  for (uint32_t i = 0; i < count; i++)
    if (strstr(commands, verbs[i].letter))
      buf_printf(&names, "%s%s", names.n ? ", " : "taken by: tilec ", verbs[i].name);
  if (names.n) put_words(h, names.at, 2);
  buf_free(&names);
}

void options_print_option(const char *option, bool colors, Buf *out) {
  Help help = {.out = out, .colors = colors};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const HelpRow *row = &rows[i];
    if (row->group || (strcmp(row->name, option) != 0 && strcmp(row->short_name, option) != 0)) continue;
    put_option(&help, row);
    put_takers(&help, row->commands);
    return;
  }
}

static void put_targets(Help *h) {
  Buf names = {0};
  uint32_t count;
  const TargetInfo *list = target_list(&count);
  for (uint32_t i = 0; i < count; i++) buf_printf(&names, "%s ", list[i].name);
  buf_printf(&names, "(%s without --arch and without a GPU)", target_fallback()->name);
  heading(h, "architectures and limits");
  put_row(h, "--arch", names.at);
  buf_reset(&names);
  buf_printf(&names, "1 to %d, --num-stages 1 to %d, --maxnreg 1 to %d", NUM_WARPS_MAX, NUM_STAGES_MAX,
             MAXNREG_MAX);
  put_row(h, "--num-warps", names.at);
  buf_free(&names);
}

// ---- the other parts ----

// The examples of one command. NULL: one example of each command.
static void put_examples(Help *h, const char *command) {
  static const struct {
    const char *command, *words, *meaning;
  } examples[] = {
#define X(command, words, meaning) {#command, words, meaning},
#include "tools/options/examples.def"
#undef X
  };
  const char *last = "";
  heading(h, "examples");
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    const char *of = examples[i].command;
    bool shown = command ? strcmp(of, command) == 0 : strcmp(of, last) != 0;
    last = of;
    if (!shown) continue;
    put_text(h, "  tilec ");
    if (strcmp(of, "compile") != 0) buf_printf(h->out, "%s ", of);
    put_text(h, examples[i].words);
    end_line(h);
    indent(h, 6);
    put_words(h, examples[i].meaning, 6);
  }
}

static void put_specs(Help *h) {
  static const char *const specs[][2] = {
#define X(form, meaning) {form, meaning},
#include "tools/options/specs.def"
#undef X
  };
  heading(h, "SPEC");
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) put_row(h, specs[i][0], specs[i][1]);
  put_text(h, "  ");
  put_words(h,
            "The SPEC of a buffer may end in +BYTES: the argument then points that many bytes into it. A "
            "constexpr takes a literal. A FILE.ptx has no names: give SPECs in the order of its parameters.",
            2);
}

static void put_file(Help *h) {
  heading(h, "FILE");
  put_text(h, "  ");
  put_words(h, ".tile, .py (its @triton.jit functions), .tir, or - for standard input", 2);
}

static void put_status(Help *h) {
  heading(h, "exit status");
  put_text(h, "  ");
  put_words(h, "0 done; 1 a diagnosed error or a failed check; 2 wrong usage; 70 a bug in tilec", 2);
}

static void put_usage(Help *h, Command command) {
  const Verb *verb = verb_of(command);
  buf_printf(h->out, "  tilec %s %s\n", command == COMMAND_COMPILE ? "[compile]" : verb->name,
             verb->arguments);
  if (strcmp(verb->letter, "R") != 0) return;
  buf_printf(h->out,
             "  tilec %s FILE.ptx --kernel NAME --threads T[,Y[,Z]] --grid X[,Y[,Z]] [options] SPEC...\n",
             verb->name);
}

static void print_overview(Help *h) {
  uint32_t count;
  const Verb *verbs = verb_list(&count);
  heading(h, "usage");
  for (uint32_t i = 0; i < count; i++) put_usage(h, (Command)i);
  heading(h, "commands");
  for (uint32_t i = 0; i < count; i++) put_row(h, verbs[i].name, verbs[i].summary);
  put_file(h);
  put_specs(h);
  put_examples(h, NULL);
  put_status(h);
  end_line(h);
  put_words(h,
            "'tilec help COMMAND' and 'tilec COMMAND --help' list a command's options. A word @FILE is "
            "replaced by the words in that file.",
            0);
}

static void print_command(Help *h, Command command) {
  const Verb *verb = verb_of(command);
  put_text(h, "tilec ");
  put_text(h, verb->name);
  put_text(h, ": ");
  put_words(h, verb->summary, 2);
  heading(h, "usage");
  put_usage(h, command);
  bool compile = command == COMMAND_COMPILE, runs = strpbrk(verb->letter, "RE") != NULL;
  if (compile || runs) put_file(h);
  if (runs) put_specs(h);
  put_options(h, verb->letter);
  if (compile || runs) put_targets(h);
  put_examples(h, verb->name);
  put_status(h);
}

// ---- codes ----

static void put_lines(Help *h, const char *title, const char *text) {
  heading(h, title);
  while (*text == '\n') text++;
  while (*text) {
    size_t n = strcspn(text, "\n");
    buf_printf(h->out, "  %.*s", (int)n, text);
    end_line(h);
    text += n + (text[n] == '\n');
  }
}

static void print_code(Help *h, const char *const row[5]) {
  buf_printf(h->out, "%s%s: %s%s", h->colors ? COLOR_BOLD : "", row[0], row[1], h->colors ? COLOR_RESET : "");
  end_line(h);
  end_line(h);
  put_words(h, row[2], 0);
  put_lines(h, "written", row[3]);
  put_lines(h, "instead", row[4][0] ? row[4] : "(nothing)");
}

bool options_print_code(const char *code, bool colors, Buf *out) {
  static const char *const codes[][5] = {
#define X(code, title, text, written, instead, cases) {#code, title, text, written, instead},
#include "tools/options/diagnostics.def"
#undef X
  };
  Help help = {.out = out, .colors = colors};
  bool all = strcmp(code, "codes") == 0, found = all;
  if (all) heading(&help, "codes of mistakes; tilec help CODE explains one");
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    if (all) put_row(&help, codes[i][0], codes[i][1]);
    if (strcmp(codes[i][0], code) != 0) continue;
    print_code(&help, codes[i]);
    found = true;
  }
  return found;
}

void options_print_help(Command topic, bool colors, Buf *out) {
  Help help = {.out = out, .colors = colors};
  if (topic == COMMAND_HELP || !verb_of(topic))
    print_overview(&help);
  else
    print_command(&help, topic);
}
