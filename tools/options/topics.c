// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec help while, tilec help TILEC_CHECK: rows of words.def, and environment variables, which are rows
// "| `NAME`, `NAME` | read by | meaning | default |" of docs/reference/environment.md. The command carries that page.
#include "base/colors.h"
#include "tools/options/options.h"
#include "tools/options/options_parts.h"

extern const char environment_page[], environment_page_end[]; // docs/reference/environment.md

static const char *const topics[][2] = {
#define X(words, meaning) {words, meaning},
#include "tools/options/words.def"
#undef X
};

static void put_title(Str title, bool colors, Buf *out) {
  if (out->n) buf_char(out, '\n');
  if (colors) buf_text(out, COLOR_BOLD);
  options_put_plain(out, title);
  buf_printf(out, "%s\n\n", colors ? COLOR_RESET : "");
}

static void put_wrapped(const char *text, Buf *out) {
  buf_wrapped(out, text, 0, 0, HELP_COLUMNS);
  buf_char(out, '\n');
}

// True if `text` has the word between characters of `marks` or at an end.
static bool has_word(Str text, const char *word, const char *marks) {
  size_t n = strlen(word);
  for (size_t i = 0; n && i + n <= text.n; i++) {
    bool begins = i == 0 || strchr(marks, text.at[i - 1]);
    bool ends = i + n == text.n || strchr(marks, text.at[i + n]);
    if (begins && ends && memcmp(text.at + i, word, n) == 0) return true;
  }
  return false;
}

// ---- environment variables ----

enum { VARIABLE, READ_BY, MEANING, DEFAULT, CELLS };

// The row of the variable. False: there is none.
static bool find_variable(const char *word, PageRow *row) {
  *row = (PageRow){0};
  for (const char *at = environment_page; page_next_row(&at, environment_page_end, row);)
    if (row->n == CELLS && has_word(row->cells[VARIABLE], word, "`")) return true;
  return false;
}

static void print_variable(const Str *cells, bool colors, Buf *out) {
  Buf text = {0};
  put_title(cells[VARIABLE], colors, out);
  buf_text(&text, "An environment variable. Read by ");
  options_put_plain(&text, cells[READ_BY]);
  buf_text(&text, ". Meaning: ");
  options_put_plain(&text, cells[MEANING]);
  buf_text(&text, ". ");
  if (cells[DEFAULT].n) {
    buf_text(&text, "Default: ");
    options_put_plain(&text, cells[DEFAULT]);
    buf_text(&text, ". ");
  }
  buf_text(&text, "docs/reference/environment.md has all variables.");
  put_wrapped(text.at, out);
  buf_free(&text);
}

// ---- both ----

bool options_has_topic(const char *word) {
  PageRow row;
  for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
    if (has_word(str_from(topics[i][0]), word, " ")) return true;
  return find_variable(word, &row);
}

void options_print_topic(const char *word, bool colors, Buf *out) {
  PageRow row;
  for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
    if (!has_word(str_from(topics[i][0]), word, " ")) continue;
    put_title(str_from(word), colors, out);
    put_wrapped(topics[i][1], out);
  }
  if (find_variable(word, &row)) print_variable(row.cells, colors, out);
}
