// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/buf.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fault.h"

void buf_free(Buf *buf) {
  free(buf->at);
  *buf = (Buf){0};
}

void buf_reset(Buf *buf) {
  buf->n = 0;
  if (buf->at) buf->at[0] = '\0';
}

// Room for n more bytes and the NUL.
static void buf_reserve(Buf *buf, size_t n) {
  if (n < buf->cap - buf->n) return;
  if (n > SIZE_MAX / 2 - buf->n) fault_raise(FAULT_MEMORY, "out of memory (text of %zu bytes)", n);
  size_t cap = buf->cap ? buf->cap : 256;
  while (cap <= buf->n + n) cap *= 2;
  char *at = realloc(buf->at, cap);
  if (!at) fault_raise(FAULT_MEMORY, "out of memory (text of %zu bytes)", cap);
  buf->at = at;
  buf->cap = cap;
}

void buf_bytes(Buf *buf, const void *bytes, size_t n) {
  buf_reserve(buf, n);
  if (n) memcpy(buf->at + buf->n, bytes, n);
  buf->n += n;
  buf->at[buf->n] = '\0';
}

void buf_char(Buf *buf, char c) { buf_bytes(buf, &c, 1); }
void buf_text(Buf *buf, const char *cstr) { buf_bytes(buf, cstr, strlen(cstr)); }
void buf_str(Buf *buf, Str text) { buf_bytes(buf, text.at, text.n); }

static void print_list(Buf *buf, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, args);
  if (n < 0) BUG("vsnprintf failed on \"%s\"", format);
  buf_reserve(buf, (size_t)n);
  vsnprintf(buf->at + buf->n, (size_t)n + 1, format, again);
  va_end(again);
  buf->n += (size_t)n;
}

void buf_printf(Buf *buf, const char *format, ...) {
  va_list args;
  va_start(args, format);
  print_list(buf, format, args);
  va_end(args);
}

bool buf_fail(Buf *error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  print_list(error, format, args);
  va_end(args);
  return false;
}

void buf_spaces(Buf *buf, int n) {
  for (int i = 0; i < n; i++) buf_char(buf, ' ');
}

size_t buf_wrapped(Buf *buf, const char *text, size_t column, size_t indent, size_t width) {
  for (bool first = true; *text; first = false) {
    size_t n = strcspn(text, " ");
    if (!first && column + 1 + n > width) {
      buf_char(buf, '\n');
      column = 0;
    } else if (!first) {
      buf_char(buf, ' ');
      column++;
    }
    if (column < indent) {
      buf_spaces(buf, (int)(indent - column));
      column = indent;
    }
    buf_bytes(buf, text, n);
    column += n;
    text += n;
    text += strspn(text, " ");
  }
  return column;
}

void buf_quoted(Buf *buf, Str text) {
  buf_char(buf, '"');
  for (size_t i = 0; i < text.n; i++) {
    unsigned char c = (unsigned char)text.at[i];
    if (c == '"' || c == '\\')
      buf_printf(buf, "\\%c", c);
    else if (c == '\n')
      buf_text(buf, "\\n");
    else if (c == '\t')
      buf_text(buf, "\\t");
    else if (c < 0x20 || c == 0x7f)
      buf_printf(buf, "\\u%04x", c);
    else
      buf_char(buf, (char)c);
  }
  buf_char(buf, '"');
}

void buf_double(Buf *buf, double value) {
  char text[40];
  if (!isfinite(value))
    snprintf(text, sizeof text, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
  else
    for (int digits = 1; digits <= 17; digits++) {
      snprintf(text, sizeof text, "%.*g", digits, value);
      if (strtod(text, NULL) == value) break;
    }
  for (char *c = text; *c; c++)
    if (*c == ',') *c = '.';
  buf_text(buf, text);
}

void buf_replace(Buf *buf, size_t first, const char *from, const char *to) {
  size_t from_n = strlen(from), to_n = strlen(to);
  char *at = first < buf->n ? strstr(buf->at + first, from) : NULL, *out = at;
  for (char *next; at; at = next) {
    char *rest = at + from_n;
    next = strstr(rest, from);
    size_t n = next ? (size_t)(next - rest) : strlen(rest) + 1;
    memcpy(out, to, to_n);
    memmove(out + to_n, rest, n);
    out += to_n + n;
    buf->n = (size_t)(out - buf->at) - !next;
  }
}
