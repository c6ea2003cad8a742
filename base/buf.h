// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text buffers that grow: always NUL-terminated after the first append.
// May hold NUL bytes too (n counts all).
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include "base/str.h"

typedef struct Buf {
  char *at; // malloc'd; NULL while empty
  size_t n, cap;
} Buf;

// Ready when zeroed: Buf b = {0}. buf_free leaves it zeroed.
void buf_free(Buf *buf);
void buf_reset(Buf *buf); // empty, keeps the memory

void buf_bytes(Buf *buf, const void *bytes, size_t n);
void buf_char(Buf *buf, char c);
void buf_text(Buf *buf, const char *cstr);
void buf_str(Buf *buf, Str text);
void buf_printf(Buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The same for the reason of a failure; returns false.
bool buf_fail(Buf *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_spaces(Buf *buf, int n);
// Replaces each `from` in the text from byte `first` on. `to` is no longer.
void buf_replace(Buf *buf, size_t first, const char *from, const char *to);
// Appends the words of a text, wrapped to lines of `width` columns. `column` columns of the first line are
// taken already. Later lines begin at `indent`. Returns the columns that the last line takes.
size_t buf_wrapped(Buf *buf, const char *text, size_t column, size_t indent, size_t width);

// The text as a JSON or C string literal with its quotes:
// \" \\ \n \t \uXXXX; bytes from 0x80 up pass through.
void buf_quoted(Buf *buf, Str text);

// Appends the shortest decimal that strtod reads back to the same bits, or nan, inf, -inf. Never locale
// dependent.
void buf_double(Buf *buf, double value);

static inline Str buf_view(const Buf *buf) { return (Str){buf->at ? buf->at : "", buf->n}; }

#endif
