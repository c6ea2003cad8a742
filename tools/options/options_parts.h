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

// The words, with @FILE replaced by the words of the file. False: `error` has the reason.
bool options_read_files(int *argc, char ***argv, Arena *arena, Buf *error);
// The words of a text, as an argument file has them.
void options_split(Arena *arena, const char *text, int *argc, char ***argv);

#endif
