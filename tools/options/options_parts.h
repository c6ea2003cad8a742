// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the command-line parser:
// * argument files: options_files.c;
// * the effect of each option: options.c;
// * ranges: options_range.c;
// * words and commands: options_parse.c.
#ifndef TOOLS_OPTIONS_OPTIONS_PARTS_H
#define TOOLS_OPTIONS_OPTIONS_PARTS_H

#include "tools/options/options.h"

typedef struct OptionParser {
  int argc, next; // argv[next] is the next word
  char **argv;
  bool verb_given; // else the command is compile
  Arena *arena;
  Options *options;
  Buf *error;
} OptionParser;

typedef enum OptionKind { OPTION_VALUE, OPTION_TEXT, OPTION_NUMBER, OPTION_CHOICE, OPTION_OWN } OptionKind;

// A field of Options.
typedef struct OptionField {
  size_t at, size; // bytes; size 0: none
} OptionField;

typedef struct OptionEffect {
  OptionKind kind;
  OptionField field, given;
  long long min, max; // VALUE: min is the value
  bool power;
  const char *const *names;                        // CHOICE: NULL ends them
  const char *range;                               // its name in TuneRange; NULL: tune takes one value
  bool (*set)(OptionParser *p, const char *value); // OWN
} OptionEffect;

// A row of options.def.
typedef struct OptionInfo {
  const char *name, *short_name, *value, *commands, *help;
  OptionEffect effect;
} OptionInfo;

const OptionInfo *option_infos(size_t *count);
// Carries out the option. False: p->error has the reason.
bool option_set(OptionParser *p, const OptionInfo *info, const char *value);

// Splits NAME=VALUE. `what` names the option in errors.
bool option_split_named(OptionParser *p, const char *what, const char *text, NamedText *named);

// For tune: takes several values between bars. False if there is only one value.
bool option_take_range(OptionParser *p, const char *name, bool is_option, const char *value);
// The same for an option of RANGE. *good: true if it accepts each value.
bool option_set_range(OptionParser *p, const OptionInfo *info, const char *value, bool *good);

// page.c: pages of docs/ that the command carries.

// A row of a table: its cells without the blanks around them.
enum { PAGE_MAX_CELLS = 4 };
typedef struct PageRow {
  Str cells[PAGE_MAX_CELLS];
  uint32_t n;
  bool is_head; // the table's first row
} PageRow;

// The next row of two or more cells, after *at. Moves *at past it. `row` is the one before, or zero. False at the end.
bool page_next_row(const char **at, const char *end, PageRow *row);
// The first word of *words, which have commas between them, without the marks of code. Moves *words past it. False: there
// is none.
bool page_next_word(Str *words, Str *word);
// A text of a page without the marks of code and of links.
void options_put_plain(Buf *out, Str text);

// The Python API (docs/reference/python.md; printing: options.h), and names of Triton that tilec does not take (docs/triton-versions.md).
bool options_has_python(const char *word);
// Writes its names, `full` as "tilec.jit", else also of parameters and options, at most `room`. Returns their number.
size_t options_python_words(Arena *arena, bool full, const char **words, size_t room);

// The words, with @FILE replaced by the words of the file. False: `error` has the reason.
bool options_read_files(int *argc, char ***argv, Arena *arena, Buf *error);

#endif
