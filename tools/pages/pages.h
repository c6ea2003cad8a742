// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manual page and completions of tilec, generated when it is built from the tables that the command itself reads.
#ifndef TOOLS_PAGES_PAGES_H
#define TOOLS_PAGES_PAGES_H

#include "base/buf.h"

// A row of options.def.
typedef struct PageOption {
  const char *name, *short_name; // "" where it has none
  const char *value;             // "" for a switch, "[FILE]" where it may be left out
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

// What may follow the option, separated by blanks: "ieee tf32 tf32x3 bf16x3 bf16x6", asked of the option's own parser or of its table; "" where it
// is anything. Lives as long as the program.
const char *page_choices(const PageOption *option);
bool page_takes_file(const PageOption *option);

void page_man(Buf *out);
void page_bash(Buf *out);
void page_zsh(Buf *out);
void page_fish(Buf *out);

#endif
