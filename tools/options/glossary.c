// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec help mask: entries of docs/glossary.md, which the command carries, and of specs.def. A row of the page is
// "| <a id="word"></a>word, word | meaning | pages |".
#include <ctype.h>

#include "base/colors.h"
#include "tools/options/language_help.h"
#include "tools/options/options.h"
#include "tools/options/options_parts.h"

extern const char glossary[], glossary_end[]; // docs/glossary.md

typedef struct Entry {
  Str words, meaning;
} Entry;

// Moves *text past the anchors in front of it.
static void skip_anchors(Str *text) {
  while (text->n && text->at[0] == '<') {
    for (int tags = 0; tags < 2 && text->n; tags++) { // <a id="word"> and </a>
      const char *close = memchr(text->at, '>', text->n);
      size_t n = close ? (size_t)(close + 1 - text->at) : text->n;
      *text = (Str){text->at + n, text->n - n};
    }
  }
}

// The next entry after *at. Moves *at past it. False at the end.
static bool next_entry(const char **at, Entry *entry) {
  for (PageRow row = {0}; page_next_row(at, glossary_end, &row);) {
    if (str_is(row.cells[0], "word")) continue; // the table's head
    *entry = (Entry){row.cells[0], row.cells[1]};
    skip_anchors(&entry->words);
    return true;
  }
  return false;
}

// Compares without case. A space, '-' and '_' are the same; the word may have a plural s.
static bool is_same(Str word, const char *asked) {
  for (size_t i = 0; i < word.n; i++, asked++) {
    int a = tolower((unsigned char)word.at[i]), b = tolower((unsigned char)*asked);
    if ((a == '-' || a == '_' ? ' ' : a) != (b == '-' || b == '_' ? ' ' : b)) return false;
  }
  return !*asked || (asked[0] == 's' && !asked[1]);
}

static bool find_entry(const char *asked, Entry *entry) {
  for (const char *at = glossary; next_entry(&at, entry);) {
    Str words = entry->words, word;
    while (page_next_word(&words, &word))
      if (is_same(word, asked)) return true;
  }
  return false;
}

// The next entry after *at with words that end in the word: "data race" for "race". Moves *at past it. False: none.
static bool next_phrase(const char **at, const char *asked, Entry *entry) {
  while (next_entry(at, entry))
    for (Str words = entry->words, word; page_next_word(&words, &word);)
      for (size_t i = 1; i < word.n; i++)
        if (word.at[i - 1] == ' ' && is_same((Str){word.at + i, word.n - i}, asked)) return true;
  return false;
}

static void print_entry(const Entry *entry, bool colors, Buf *out) {
  Buf text = {0};
  if (colors) buf_text(out, COLOR_BOLD);
  options_put_plain(out, entry->words);
  if (colors) buf_text(out, COLOR_RESET);
  buf_text(out, "\n\n");
  options_put_plain(&text, entry->meaning);
  buf_wrapped(out, text.at, 0, 0, HELP_COLUMNS);
  buf_char(out, '\n');
  buf_free(&text);
}

// ---- SPECs ----

// True if the form begins a SPEC with the word: "zeros" of "zeros: ones: full(VALUE):".
static bool has_form(const char *form, const char *word) {
  size_t n = strlen(word);
  for (const char *at = form; n && (at = strstr(at, word)) != NULL; at++)
    if ((at == form || at[-1] == ' ') && (at[n] == ':' || at[n] == '(')) return true;
  return false;
}

static const char *const specs[][2] = {
#define X(form, meaning) {form, meaning},
#include "tools/options/specs.def"
#undef X
};

static void put_spec(Buf *out, const char *const spec[2]) {
  buf_printf(out, "  %s\n      ", spec[0]);
  buf_wrapped(out, spec[1], 6, 6, HELP_COLUMNS);
  buf_char(out, '\n');
}

void options_print_spec(const char *word, Buf *out) {
  bool all = strcmp(word, "SPEC") == 0, found = false;
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    if (!all && !has_form(specs[i][0], word)) continue;
    if (!found)
      buf_printf(out, "%sIn arguments of run, check, bench, explain and tune, NAME=SPEC:\n",
                 out->n ? "\n" : "");
    put_spec(out, specs[i]);
    found = true;
  }
}

// ---- words ----

bool options_has_word(const char *word) {
  Entry entry;
  Buf spec = {0};
  options_print_spec(word, &spec);
  bool found = spec.n || find_entry(word, &entry) || options_has_other_word(word) ||
               options_has_topic(word) || options_has_python(word);
  buf_free(&spec);
  return found;
}

bool options_has_near_word(const char *word) {
  const char *at = glossary;
  Entry entry;
  return next_phrase(&at, word, &entry) || language_has_parameter(word);
}

void options_print_word(const char *word, bool colors, Buf *out) {
  Entry entry;
  if (find_entry(word, &entry)) print_entry(&entry, colors, out);
  options_print_spec(word, out);
  options_print_other_word(word, colors, out);
  options_print_topic(word, colors, out);
  options_print_python(word, colors, out);
  if (out->n) return;
  for (const char *at = glossary; next_phrase(&at, word, &entry);) {
    if (out->n) buf_char(out, '\n');
    print_entry(&entry, colors, out);
  }
  language_print_parameter(word, colors, out);
}

size_t options_words(Arena *arena, const char **words, size_t room) {
  Entry entry;
  size_t n = 0;
  for (const char *at = glossary; next_entry(&at, &entry);)
    for (Str word; n < room && page_next_word(&entry.words, &word);)
      words[n++] = arena_printf(arena, "%.*s", STR_ARG(word));
  return n + options_other_words(arena, words + n, room - n);
}
