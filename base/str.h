// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Str: a borrowed slice of bytes, not NUL-terminated. The owner of the bytes outlives the slice.
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct Str {
  const char *at;
  size_t n;
} Str;

#define STR(literal) ((Str){literal, sizeof(literal) - 1})
// For printf: printf("%.*s", STR_ARG(s)).
#define STR_ARG(s)   (int)(s).n, (s).at

static inline Str str_from(const char *cstr) { return (Str){cstr, strlen(cstr)}; }

static inline bool str_eq(Str a, Str b) { return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0); }

static inline bool str_is(Str a, const char *cstr) { return str_eq(a, str_from(cstr)); }

static inline bool str_starts(Str a, const char *prefix) {
  size_t n = strlen(prefix);
  return a.n >= n && memcmp(a.at, prefix, n) == 0;
}

static inline bool str_ends(Str a, const char *suffix) {
  size_t n = strlen(suffix);
  return a.n >= n && memcmp(a.at + a.n - n, suffix, n) == 0;
}

static inline bool char_is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Without the blanks at both ends.
static inline Str str_trimmed(Str text) {
  while (text.n && char_is_blank(text.at[0])) text = (Str){text.at + 1, text.n - 1};
  while (text.n && char_is_blank(text.at[text.n - 1])) text.n--;
  return text;
}

// Takes the first character, if it is this one.
static inline bool str_take(Str *text, char c) {
  if (!text->n || text->at[0] != c) return false;
  *text = (Str){text->at + 1, text->n - 1};
  return true;
}

// Takes the text before the first `stop`, and leaves that out: a line without its end. All of it if there is none.
static inline Str str_take_until(Str *text, char stop) {
  const char *end = (const char *)memchr(text->at, stop, text->n);
  Str part = {text->at, end ? (size_t)(end - text->at) : text->n};
  size_t n = part.n + (end != NULL);
  *text = (Str){text->at + n, text->n - n};
  return part;
}

// Returns true if the name is among these; NULL ends them.
static inline bool str_is_one_of(const char *name, const char *const *names) {
  while (*names && strcmp(*names, name)) names++;
  return *names != NULL;
}

// Returns true if the part of the dotted name before its first dot is among these; NULL ends them.
static inline bool path_begins_with(const char *path, const char *const *names) {
  while (*names && !str_is((Str){path, strcspn(path, ".")}, *names)) names++;
  return *names != NULL;
}

// A path's part after the last slash.
static inline const char *path_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// Returns true for the characters of a C identifier.
static inline bool char_is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// True if `a` begins with that whole word: ".loc" does not begin ".local".
static inline bool str_starts_word(Str a, const char *word) {
  size_t n = strlen(word);
  return str_starts(a, word) && (a.n == n || !char_is_word(a.at[n]));
}

// The value of a hexadecimal digit; 99 for another character.
static inline int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

#endif
