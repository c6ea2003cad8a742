// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pages that the command carries as text: rows of their tables, words in a cell, and text without marks.
#include <string.h>

#include "tools/options/options_parts.h"

// "| a | b |"
static bool split_cells(Str line, PageRow *row) {
  row->n = 0;
  if (!str_starts(line, "| ")) return false;
  for (const char *at = line.at + 1, *end = line.at + line.n, *bar; row->n < PAGE_MAX_CELLS; at = bar + 1) {
    bar = at < end ? memchr(at, '|', (size_t)(end - at)) : NULL;
    if (!bar) break;
    row->cells[row->n++] = str_trimmed((Str){at, (size_t)(bar - at)});
  }
  return row->n > 1;
}

bool page_next_row(const char **at, const char *end, PageRow *row) {
  bool in_table = row->n > 0;
  while (*at < end) {
    const char *line = *at, *close = memchr(line, '\n', (size_t)(end - line));
    if (!close) close = end;
    *at = close < end ? close + 1 : end;
    Str text = {line, (size_t)(close - line)};
    if (str_starts(text, "|--")) continue;
    row->is_head = !in_table;
    in_table = split_cells(text, row);
    if (in_table) return true;
  }
  row->n = 0;
  return false;
}

bool page_next_word(Str *words, Str *word) {
  if (!words->n) return false;
  size_t n = 0;
  for (bool code = false; n < words->n && (code || words->at[n] != ','); n++) code ^= words->at[n] == '`';
  *word = str_trimmed((Str){words->at, n});
  n += n < words->n;
  *words = (Str){words->at + n, words->n - n};
  while (word->n && word->at[0] == '`') word->at++, word->n--;
  while (word->n && word->at[word->n - 1] == '`') word->n--;
  return word->n > 0;
}

void options_put_plain(Buf *out, Str text) {
  bool code = false;
  for (size_t i = 0; i < text.n; i++) {
    bool link = !code && text.at[i] == ']' && i + 1 < text.n && text.at[i + 1] == '(';
    const char *close = link ? memchr(text.at + i, ')', text.n - i) : NULL;
    if (text.at[i] == '`')
      code = !code;
    else if (close)
      i = (size_t)(close - text.at);
    else if (code || text.at[i] != '[')
      buf_char(out, text.at[i]);
  }
}
