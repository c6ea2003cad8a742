// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Argument files: a word @FILE is replaced by the words of the file, by the rules of gcc and LLVM. White
// space separates words. Single or double quotes keep white space. A backslash makes the next character
// literal, also in quotes. The file may name other files, relative to the current folder. If a file cannot be
// opened, the word stays as it is. So an argument @x.npy of a PTX file (a NumPy array) works.
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/read.h"
#include "tools/options/options_parts.h"

enum { MAX_FILE_BYTES = 1 << 26, MAX_WORDS = 1 << 20, MAX_NESTED = 64 };

static const char numpy_magic[] = "\x93NUMPY";

typedef struct OpenFile {
  const char *name;
  dev_t device;
  ino_t number;
} OpenFile;

typedef struct WordList {
  Arena *arena;
  Buf *error;
  VEC(char *) words;
  OpenFile open[MAX_NESTED]; // the last one's words are read; the one before it names it
  int depth;
} WordList;

static bool add_word(WordList *list, char *word) {
  if (list->words.n == MAX_WORDS)
    return buf_fail(list->error, "there are more than %d words, with those of argument files", MAX_WORDS);
  vec_push(list->arena, &list->words, word);
  return true;
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The word at *at. *at moves past it. False at the end of the text.
static bool next_word(Arena *arena, Str text, size_t *at, char **word) {
  size_t i = *at;
  while (i < text.n && is_space(text.at[i])) i++;
  bool found = i < text.n;
  char quote = '\0';
  Buf out = {0};
  for (; i < text.n && (quote || !is_space(text.at[i])); i++) {
    char c = text.at[i];
    if (c == '\\' && i + 1 < text.n)
      buf_char(&out, text.at[++i]);
    else if (quote ? c == quote : c == '\'' || c == '"')
      quote = quote ? '\0' : c;
    else
      buf_char(&out, c);
  }
  *word = arena_copy(arena, buf_view(&out));
  *at = i;
  buf_free(&out);
  return found;
}

static bool read_bytes(WordList *list, FILE *file, const char *name, Buf *bytes) {
  bool read = buf_read(bytes, file, MAX_FILE_BYTES);
  bool numpy = str_starts(buf_view(bytes), numpy_magic);
  const char *why = !read                                                     ? strerror(errno)
                    : bytes->n > MAX_FILE_BYTES && !numpy                     ? "it is larger than 64 MiB"
                    : !numpy && bytes->n && memchr(bytes->at, '\0', bytes->n) ? "it is not a text file"
                                                                              : NULL;
  if (why) buf_printf(list->error, "cannot read '@%s': %s", name, why);
  return !why;
}

static bool expand(WordList *list, char *word);

static bool add_words(WordList *list, Str text) {
  static const char utf8_mark[] = "\xef\xbb\xbf";
  size_t at = str_starts(text, utf8_mark) ? sizeof utf8_mark - 1 : 0;
  char *word;
  while (next_word(list->arena, text, &at, &word))
    if (!expand(list, word)) return false;
  return true;
}

// Records the file as open. False, with an error, if it is already open: the nesting would never end.
static bool enter(WordList *list, FILE *file, const char *name) {
  struct stat info;
  if (fstat(fileno(file), &info) != 0) return true;
  for (int i = 0; i < list->depth; i++) {
    if (list->open[i].device != info.st_dev || list->open[i].number != info.st_ino) continue;
    buf_printf(list->error, "the argument file '@%s' names itself", name);
    for (int k = i + 1; k < list->depth; k++)
      buf_printf(list->error, "%s '@%s'", k > i + 1 ? "," : " by way of", list->open[k].name);
    return false;
  }
  if (list->depth == MAX_NESTED)
    return buf_fail(list->error, "the argument file '@%s' is nested in %d others", name, MAX_NESTED);
  list->open[list->depth++] = (OpenFile){name, info.st_dev, info.st_ino};
  return true;
}

static bool expand_file(WordList *list, FILE *file, char *word) {
  Buf bytes = {0};
  int depth = list->depth;
  bool good = enter(list, file, word + 1) && read_bytes(list, file, word + 1, &bytes);
  Str text = good ? buf_view(&bytes) : (Str){0};
  if (good) good = str_starts(text, numpy_magic) ? add_word(list, word) : add_words(list, text);
  list->depth = depth;
  buf_free(&bytes);
  return good;
}

static bool expand(WordList *list, char *word) {
  FILE *file = word[0] == '@' && word[1] ? fopen(word + 1, "rb") : NULL;
  if (!file) return add_word(list, word);
  bool good = expand_file(list, file, word);
  fclose(file);
  return good;
}

void options_split(Arena *arena, const char *text, int *argc, char ***argv) {
  VEC(char *) words = {0};
  Str all = str_from(text);
  char *word;
  for (size_t at = 0; next_word(arena, all, &at, &word);) vec_push(arena, &words, word);
  *argc = (int)words.n;
  *argv = words.at;
}

bool options_read_files(int *argc, char ***argv, Arena *arena, Buf *error) {
  WordList list = {.arena = arena, .error = error};
  bool good = true;
  for (int i = 0; good && i < *argc; i++) good = i ? expand(&list, (*argv)[i]) : add_word(&list, (*argv)[i]);
  if (!good) return false;
  *argc = (int)list.words.n;
  *argv = list.words.at;
  return true;
}
