// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges of tilec tune: several values between bars.
#include "tools/options/options_parts.h"

// Length up to the next bar outside of quotes.
static size_t until_bar(const char *text) {
  char quote = 0;
  size_t n = 0;
  for (; text[n] && (quote || text[n] != '|'); n++)
    if (text[n] == quote)
      quote = 0;
    else if (!quote && (text[n] == '"' || text[n] == '\''))
      quote = text[n];
  return n;
}

bool option_take_range(OptionParser *p, const char *name, bool is_option, const char *value) {
  TuneRange range = {.name = name, .is_option = is_option};
  if (p->options->command != COMMAND_TUNE || !value[until_bar(value)]) return false;
  for (size_t n;; value += n + 1) {
    n = until_bar(value);
    vec_push(p->arena, &range.texts, arena_copy(p->arena, (Str){value, n}));
    if (!value[n]) break;
  }
  vec_push(p->arena, &p->options->ranges, range);
  return true;
}

bool option_set_range(OptionParser *p, const OptionInfo *info, const char *value, bool *good) {
  if (!option_take_range(p, info->effect.range, true, value)) return false;
  const TuneRange *range = &vec_last(&p->options->ranges);
  *good = true;
  for (uint32_t i = 0; *good && i < range->texts.n; i++) *good = option_set(p, info, range->texts.at[i]);
  return true;
}
