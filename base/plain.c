// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/plain.h"

#include <stdio.h>

typedef struct Span {
  uint32_t first, last;
} Span;

static bool within(uint32_t code, const Span *spans, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (code >= spans[i].first && code <= spans[i].last) return true;
  return false;
}

// Control characters, direction marks, line separators, and annotations.
static bool is_hidden(uint32_t code) {
  static const Span hidden[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                                {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x206f},
                                {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
  return within(code, hidden, sizeof hidden / sizeof *hidden);
}

// East Asian wide characters take two columns, combining ones none.
static uint32_t columns_of(uint32_t code) {
  static const Span none[] = {{0x300, 0x36f}, {0x200b, 0x200d}, {0xfe00, 0xfe0f}};
  static const Span wide[] = {{0x1100, 0x115f}, {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},
                              {0xf900, 0xfaff}, {0xfe30, 0xfe6f},   {0xff00, 0xff60},
                              {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
  if (within(code, none, sizeof none / sizeof *none)) return 0;
  return within(code, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

// The length of the UTF-8 character at the start of the text; 0 if it is not valid UTF-8.
static size_t decode(Str text, uint32_t *code) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  unsigned char c = (unsigned char)text.at[0];
  size_t n = c < 0x80                ? 1
             : c >= 0xc2 && c < 0xe0 ? 2
             : c >= 0xe0 && c < 0xf0 ? 3
             : c >= 0xf0 && c < 0xf5 ? 4
                                     : 0;
  if (n == 0 || n > text.n) return 0;
  *code = n == 1 ? c : c & (0x7fu >> n);
  for (size_t i = 1; i < n; i++) {
    unsigned char more = (unsigned char)text.at[i];
    if ((more & 0xc0) != 0x80) return 0;
    *code = *code << 6 | (more & 0x3fu);
  }
  return *code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code <= 0xdfff) ? 0 : n;
}

size_t plain_next(Str text, size_t *at, char shown[PLAIN_MAX], uint32_t *columns) {
  uint32_t code = 0;
  Str rest = {text.at + *at, text.n - *at};
  size_t n = decode(rest, &code);
  *at += n ? n : 1;
  if (n && (code == '\t' || !is_hidden(code))) {
    memcpy(shown, rest.at, n);
    *columns = columns_of(code);
    return n;
  }
  bool byte = n < 2;
  int length = snprintf(shown, PLAIN_MAX,
                        byte            ? "\\x%02x"
                        : code > 0xffff ? "\\U%08x"
                                        : "\\u%04x",
                        byte ? (unsigned)(unsigned char)rest.at[0] : (unsigned)code);
  return *columns = (uint32_t)length;
}

// As plain_next, but newlines stay.
static size_t next_of_lines(Str text, size_t *at, char shown[PLAIN_MAX]) {
  uint32_t columns;
  if (text.at[*at] != '\n') return plain_next(text, at, shown, &columns);
  ++*at;
  shown[0] = '\n';
  return 1;
}

static void append(Buf *buf, Str text, size_t most, bool lines) {
  char shown[PLAIN_MAX];
  uint32_t columns;
  for (size_t at = 0; at < text.n && at < most;) {
    size_t n = lines ? next_of_lines(text, &at, shown) : plain_next(text, &at, shown, &columns);
    buf_bytes(buf, shown, n);
  }
  if (text.n > most) buf_text(buf, "...");
}

void buf_plain(Buf *buf, Str text, size_t most) { append(buf, text, most, false); }
void buf_plain_lines(Buf *buf, Str text, size_t most) { append(buf, text, most, true); }

size_t plain_copy(Str text, char *to, size_t room) {
  static const char cut[] = "...\n";
  char shown[PLAIN_MAX];
  size_t used = 0, whole = 0; // whole: the prefix that leaves room for `cut`
  for (size_t at = 0; at < text.n;) {
    size_t n = next_of_lines(text, &at, shown);
    if (used + n >= room) {
      memcpy(to + whole, cut, sizeof cut);
      return whole + sizeof cut - 1;
    }
    memcpy(to + used, shown, n);
    used += n;
    if (used + sizeof cut <= room) whole = used;
  }
  to[used] = '\0';
  return used;
}

void buf_json_quoted(Buf *buf, Str text) {
  buf_char(buf, '"');
  for (size_t at = 0; at < text.n;) {
    uint32_t code = 0;
    Str rest = {text.at + at, text.n - at};
    size_t n = decode(rest, &code);
    at += n ? n : 1;
    if (n == 0)
      buf_text(buf, "\\ufffd");
    else if (code == '"' || code == '\\' || code == '\n' || code == '\t')
      buf_printf(buf, "\\%c", code == '\n' ? 'n' : code == '\t' ? 't' : (int)code);
    else if (is_hidden(code) && code <= 0xffff)
      buf_printf(buf, "\\u%04x", code);
    else if (is_hidden(code))
      buf_printf(buf, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
    else
      buf_bytes(buf, rest.at, n);
  }
  buf_char(buf, '"');
}
