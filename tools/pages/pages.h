// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manual page and completions of tilec. They are generated at build time from the tables that the command
// reads.
#ifndef TOOLS_PAGES_PAGES_H
#define TOOLS_PAGES_PAGES_H

#include "base/buf.h"

// A row of options.def.
typedef struct PageOption {
  const char *name, *short_name; // "" if it has none
  const char *value;             // "" for a switch, "[FILE]" if it is optional
  const char *commands;          // letters of PageVerb
  const char *help;
} PageOption;

// A row of verbs.def.
typedef struct PageVerb {
  const char *name, *letter, *arguments, *summary;
} PageVerb;

const PageOption *page_options(size_t *count);
const PageVerb *page_verbs(size_t *count);
bool page_takes(const PageVerb *verb, const PageOption *option);
void page_verb_words(Buf *out, const PageVerb *verb); // "list verify": the words that may follow the verb

// The choices for the option's value, separated by blanks: "ieee tf32 tf32x3 bf16x3 bf16x6". They come from
// the option's parser or its table. "": anything is allowed. The result lives as long as the program.
const char *page_choices(const PageOption *option);
bool page_takes_file(const PageOption *option);

void page_man(Buf *out);
void page_bash(Buf *out);
void page_zsh(Buf *out);
void page_fish(Buf *out);

#endif
