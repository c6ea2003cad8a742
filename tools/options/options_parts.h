// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parser of the command line, in parts: argument files (options_files.c), what each option does (options.c), ranges (options_range.c), words and commands
// (options_parse.c).
#ifndef TOOLS_OPTIONS_OPTIONS_PARTS_H
#define TOOLS_OPTIONS_OPTIONS_PARTS_H

#include "tools/options/options.h"

typedef struct OptionParser {
  int argc, next; // argv[next] is the next word
  char **argv;
  bool verb_given; // else the command is compile's
  Arena *arena;
  Options *options;
  Buf *error;
} OptionParser;

// A row of options.def.
typedef struct OptionInfo {
  const char *name, *short_name, *value, *commands, *help;
  bool (*set)(OptionParser *p, const char *value); // false: p->error says why
} OptionInfo;

const OptionInfo *option_infos(size_t *count);

// Splits NAME=VALUE; `what` is who takes it.
bool option_split_named(OptionParser *p, const char *what, const char *text, NamedText *named);

// Of tune: several values between bars. False where there is one.
bool option_take_range(OptionParser *p, const char *name, bool is_option, const char *value);
// The same of an option that `set` sets: *good is whether it takes each of them.
bool option_set_range(OptionParser *p, const char *name, const char *value, bool (*set)(OptionParser *p, const char *value),
                      bool *good);

// The words with those of argument files in the places of @FILE. False: `error` says why.
bool options_read_files(int *argc, char ***argv, Arena *arena, Buf *error);

#endif
