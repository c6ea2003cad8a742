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

// A row of options.def.
typedef struct OptionInfo {
  const char *name, *short_name, *value, *commands, *help;
  bool (*set)(OptionParser *p, const char *value); // false: p->error has the reason
} OptionInfo;

const OptionInfo *option_infos(size_t *count);

// Splits NAME=VALUE. `what` names the option in errors.
bool option_split_named(OptionParser *p, const char *what, const char *text, NamedText *named);

// For tune: takes several values between bars. False if there is only one value.
bool option_take_range(OptionParser *p, const char *name, bool is_option, const char *value);
// The same for an option with the setter `set`. *good: true if it accepts each value.
bool option_set_range(OptionParser *p, const char *name, const char *value,
                      bool (*set)(OptionParser *p, const char *value), bool *good);

// The words, with @FILE replaced by the words of the file. False: `error` has the reason.
bool options_read_files(int *argc, char ***argv, Arena *arena, Buf *error);

#endif
