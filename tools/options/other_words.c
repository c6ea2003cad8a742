// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec help threadIdx, tilec help np.clip: rows of the tables of coming-from-cuda.md and coming-from-numpy.md whose first
// column is "CUDA" or "NumPy". The command carries these pages. A row's first cell has words with commas between them, as
// code or not; `*` stands for any letters.
#include <ctype.h>

#include "base/colors.h"
#include "tools/options/options.h"
#include "tools/options/options_parts.h"

extern const char cuda_words[], cuda_words_end[], numpy_words[], numpy_words_end[];

typedef struct WordPage {
  const char *text, *end, *system, *path;
} WordPage;

static const WordPage pages[] = {
    {cuda_words, cuda_words_end, "CUDA", "docs/how-to/coming-from-cuda.md"},
    {numpy_words, numpy_words_end, "NumPy", "docs/how-to/coming-from-numpy.md"},
};

enum { MAX_WORD = 80 };

typedef struct Rows {
  uint32_t page;
  const char *at; // NULL: the page's begin
  PageRow head, row;
} Rows;

// Moves to the next row of a table that begins with the system's name. False at the end.
static bool next_row_of_page(Rows *rows, const WordPage *page) {
  if (!rows->at) rows->at = page->text;
  while (page_next_row(&rows->at, page->end, &rows->row)) {
    if (rows->row.is_head)
      rows->head = rows->row;
    else if (str_is(rows->head.cells[0], page->system) && rows->head.n == rows->row.n)
      return true;
  }
  return false;
}

static bool next_row(Rows *rows) {
  for (; rows->page < sizeof pages / sizeof *pages; rows->page++, rows->at = NULL)
    if (next_row_of_page(rows, &pages[rows->page])) return true;
  return false;
}

// The compared text is in lower case. "np." and an array's name before a '.' are left out, and so is what follows a
// '(', '.' or '<'. Each row of blanks, '-' and '_' is one blank inside the word.
static const char *plain_word(Str word, char out[MAX_WORD]) {
  size_t n = 0;
  static const char *const heads[] = {"np.", "numpy.", "a.", "x."};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    size_t size = strlen(heads[i]);
    if (str_starts(word, heads[i])) word = (Str){word.at + size, word.n - size};
  }
  for (size_t i = 0; i < word.n && n + 2 < MAX_WORD; i++) {
    char c = word.at[i];
    if (n && (c == '(' || c == '.' || c == '<')) break;
    if (c == '-' || c == '_' || c == ' ')
      out[n] = ' ', n += n && out[n - 1] != ' ';
    else
      out[n++] = (char)tolower((unsigned char)c);
  }
  while (n && out[n - 1] == ' ') n--;
  out[n] = '\0';
  return out;
}

static bool matches(const char *pattern, const char *word) {
  for (; *pattern && *pattern != '*'; pattern++, word++)
    if (*pattern != *word) return false;
  if (!*pattern) return !*word;
  for (; *word; word++)
    if (matches(pattern + 1, word)) return true;
  return matches(pattern + 1, word);
}

static bool is_about(Str words, const char *asked) {
  char pattern[MAX_WORD], wanted[MAX_WORD];
  Str word;
  plain_word(str_from(asked), wanted);
  while (*wanted && page_next_word(&words, &word))
    if (matches(plain_word(word, pattern), wanted)) return true;
  return false;
}

bool options_has_other_word(const char *word) {
  for (Rows rows = {0}; next_row(&rows);)
    if (is_about(rows.row.cells[0], word)) return true;
  return false;
}

static void put_cell(Str name, Str text, bool colors, Buf *out) {
  Buf plain = {0};
  options_put_plain(&plain, text);
  if (!plain.n) return;
  buf_printf(out, "%s%.*s:%s ", colors ? COLOR_BOLD : "", STR_ARG(name), colors ? COLOR_RESET : "");
  buf_wrapped(out, plain.at, name.n + 2, 4, HELP_COLUMNS);
  buf_char(out, '\n');
  buf_free(&plain);
}

void options_print_other_word(const char *word, bool colors, Buf *out) {
  const WordPage *page = NULL;
  for (Rows rows = {0}; next_row(&rows);) {
    if (!is_about(rows.row.cells[0], word)) continue;
    if (out->n) buf_char(out, '\n');
    for (uint32_t i = 0; i < rows.row.n; i++) put_cell(rows.head.cells[i], rows.row.cells[i], colors, out);
    page = &pages[rows.page];
  }
  if (page)
    buf_printf(out, "\nThe page 'Coming from %s' (%s) compares whole kernels.\n", page->system, page->path);
}

size_t options_other_words(Arena *arena, const char **words, size_t room) {
  size_t n = 0;
  for (Rows rows = {0}; next_row(&rows);)
    for (Str all = rows.row.cells[0], word; n < room && page_next_word(&all, &word);)
      if (!memchr(word.at, '*', word.n) && !memchr(word.at, ' ', word.n))
        words[n++] = arena_printf(arena, "%.*s", STR_ARG(word));
  return n;
}
