// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Literals: converts the text of numbers and strings to values.
#include "base/fault.h"
#include "frontend/syntax/parser.h"
#include "ir/spec.h"

// --- Numbers ---

Expr *tree_int(Parse *parse, Token token) {
  Expr *expr = tree_expr(parse, EXPR_INT, token.loc);
  Str text = token.text;
  bool fits = u64_parse(text, &expr->integer.value);
  bool zeros =
      text.n > 1 && text.at[0] == '0' && (text.at[1] == '_' || (text.at[1] >= '0' && text.at[1] <= '9'));
  if (!fits && zeros)
    parse_error(parse, token.loc,
                "[T0108] a decimal number cannot have leading zeros; octal numbers begin with 0o");
  expr->integer.overflow = !fits && !zeros;
  return expr;
}

Expr *tree_float(Parse *parse, Token token) {
  Expr *expr = tree_expr(parse, EXPR_FLOAT, token.loc);
  if (!double_parse(token.text, &expr->number)) BUG("the lexer's number is none");
  return expr;
}

// --- Strings ---

Str string_body(Str literal, bool *raw, bool *bytes) {
  size_t i = 0;
  *raw = *bytes = false;
  for (; i < literal.n && literal.at[i] != '"' && literal.at[i] != '\''; i++) {
    char c = (char)(literal.at[i] | 0x20);
    *raw |= c == 'r';
    *bytes |= c == 'b';
  }
  char q = literal.at[i];
  size_t quotes = literal.n - i >= 6 && literal.at[i + 1] == q && literal.at[i + 2] == q ? 3 : 1;
  return (Str){literal.at + i + quotes, literal.n - i - 2 * quotes};
}

static size_t put_utf8(char *out, uint32_t c) {
  if (c < 0x80) {
    out[0] = (char)c;
    return 1;
  }
  int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
  out[0] = (char)(lead[more] | (c >> (6 * more)));
  for (int i = 1; i <= more; i++) out[i] = (char)(0x80 | ((c >> (6 * (more - i))) & 0x3f));
  return (size_t)more + 1;
}

// The bytes allocated for a text of n: a power of two, so that adjacent literals can often be joined in
// place.
static size_t room_for(size_t n) {
  size_t room = 16;
  while (room <= n) room *= 2;
  return room;
}

typedef struct Unescape {
  Parse *parse;
  Str body;
  size_t at; // in the body
  bool bytes;
  Loc loc;
  char *out;
  size_t n;
} Unescape;

// Reads `digits` hexadecimal digits at u->at, as a character or byte.
static void hex_escape(Unescape *u, int digits) {
  uint32_t value = 0;
  for (int i = 0; i < digits; i++, u->at++) {
    int digit = u->at < u->body.n ? digit_of(u->body.at[u->at]) : 99;
    if (digit > 15) {
      parse_error(u->parse, u->loc, "[T0108] an escape in this string needs %d hexadecimal digits", digits);
      return;
    }
    value = value * 16 + (uint32_t)digit;
  }
  if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) {
    parse_error(u->parse, u->loc, "[T0108] an escape in this string is not a Unicode character");
    return;
  }
  if (u->bytes)
    u->out[u->n++] = (char)value;
  else
    u->n += put_utf8(u->out + u->n, value);
}

static void octal_escape(Unescape *u) {
  uint32_t value = 0;
  for (int i = 0; i < 3 && u->at < u->body.n && u->body.at[u->at] >= '0' && u->body.at[u->at] <= '7'; i++)
    value = value * 8 + (uint32_t)(u->body.at[u->at++] - '0');
  if (u->bytes)
    u->out[u->n++] = (char)value;
  else
    u->n += put_utf8(u->out + u->n, value);
}

// Reads an escape after its backslash. An unknown escape is kept as written.
static void escape(Unescape *u) {
  static const char from[] = "\\'\"abfnrtv", to[] = "\\'\"\a\b\f\n\r\t\v";
  char c = u->body.at[u->at++];
  const char *known = c ? strchr(from, c) : NULL;
  if (known)
    u->out[u->n++] = to[known - from];
  else if (c == '\n')
    return;
  else if (c == '\r' && u->at < u->body.n && u->body.at[u->at] == '\n')
    u->at++;
  else if (c == 'x')
    hex_escape(u, 2);
  else if (c == 'u' && !u->bytes)
    hex_escape(u, 4);
  else if (c == 'U' && !u->bytes)
    hex_escape(u, 8);
  else if (c >= '0' && c <= '7') {
    u->at--;
    octal_escape(u);
  } else if (c == 'N' && !u->bytes)
    parse_error(u->parse, u->loc, "[T0108] named characters in strings are not supported");
  else {
    u->out[u->n++] = '\\';
    u->out[u->n++] = c;
  }
}

Str unescape(Parse *parse, Str body, bool raw, bool bytes, Loc loc) {
  Unescape u = {.parse = parse,
                .body = body,
                .bytes = bytes,
                .loc = loc,
                .out = arena_alloc(parse->arena, room_for(body.n))};
  while (u.at < body.n) {
    char c = body.at[u.at++];
    if (c == '\\' && !raw && u.at < body.n)
      escape(&u);
    else if (c == '\r' && u.at < body.n && body.at[u.at] == '\n')
      continue;
    else
      u.out[u.n++] = c;
  }
  return (Str){u.out, u.n};
}

Expr *tree_string(Parse *parse, Token token) {
  Expr *expr = tree_expr(parse, EXPR_STRING, token.loc);
  bool raw;
  Str body = string_body(token.text, &raw, &expr->string.bytes);
  expr->string.text = unescape(parse, body, raw, expr->string.bytes, token.loc);
  return expr;
}

static FStringParts parts_of(Parse *parse, const Expr *expr) {
  if (expr->kind == EXPR_FSTRING) return expr->fstring;
  FStringPart part = {.loc = expr->loc, .text = expr->string.text};
  FStringParts parts = {0};
  if (part.text.n) vec_push(parse->arena, &parts, part);
  return parts;
}

static bool is_bytes(const Expr *expr) { return expr->kind == EXPR_STRING && expr->string.bytes; }

Expr *join_strings(Parse *parse, Expr *left, Expr *right) {
  if (is_bytes(left) != is_bytes(right))
    parse_error(parse, right->loc, "[T0108] bytes and text cannot be joined");
  Loc loc = loc_join(left->loc, right->loc);
  uint16_t depth = left->depth > right->depth ? left->depth : right->depth;
  if (left->kind == EXPR_STRING && right->kind == EXPR_STRING) {
    Str a = left->string.text, b = right->string.text;
    char *text = (char *)a.at;
    if (room_for(a.n + b.n) > room_for(a.n)) {
      text = arena_alloc(parse->arena, room_for(a.n + b.n));
      memcpy(text, a.at, a.n);
    }
    memcpy(text + a.n, b.at, b.n);
    text[a.n + b.n] = '\0';
    left->string.text = (Str){text, a.n + b.n};
  } else {
    FStringParts parts = parts_of(parse, left), more = parts_of(parse, right);
    for (uint32_t i = 0; i < more.n; i++) vec_push(parse->arena, &parts, more.at[i]);
    left->kind = EXPR_FSTRING;
    left->fstring = parts;
  }
  left->loc = loc;
  left->depth = depth;
  return left;
}
