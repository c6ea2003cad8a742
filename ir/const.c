// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constexpr values: Python literals, and types by name.
#include <math.h>
#include <stdio.h>

#include "ir/ir.h"
#include "ir/spec.h"

enum { MAX_DEPTH = 64 };

static const uint64_t canonical_nan = UINT64_C(0x7ff8000000000000);

static bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

bool const_equal(const ConstValue *a, const ConstValue *b) {
  if (a->kind != b->kind) return false;
  switch (a->kind) {
  case CONST_NONE: return true;
  case CONST_BOOL: return a->i == b->i;
  case CONST_INT: return a->i == b->i && a->is_u64 == b->is_u64;
  case CONST_FLOAT: return same_bits(a->f, b->f);
  case CONST_STR:
  case CONST_NAME: return strcmp(a->str, b->str) == 0;
  case CONST_DTYPE: return a->type == b->type;
  case CONST_TUPLE: break;
  }
  if (a->items.n != b->items.n) return false;
  for (uint32_t i = 0; i < a->items.n; i++)
    if (!const_equal(&a->items.at[i], &b->items.at[i])) return false;
  return true;
}

static void print_float(double value, Buf *out) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (isnan(value) && bits != canonical_nan)
    buf_printf(out, "float(\"nan(0x%llx)\")", (unsigned long long)bits);
  else if (isnan(value))
    buf_text(out, "float(\"nan\")");
  else if (isinf(value))
    buf_text(out, value < 0 ? "float(\"-inf\")" : "float(\"inf\")");
  else {
    size_t start = out->n;
    buf_double(out, value);
    if (!strpbrk(out->at + start, ".e")) buf_text(out, ".0"); // otherwise Python would read an integer
  }
}

void const_print(const ConstValue *value, Buf *out) {
  switch (value->kind) {
  case CONST_NONE: buf_text(out, "None"); return;
  case CONST_BOOL: buf_text(out, value->i ? "True" : "False"); return;
  case CONST_INT:
    if (value->is_u64)
      buf_printf(out, "%llu", (unsigned long long)value->i);
    else
      buf_printf(out, "%lld", (long long)value->i);
    return;
  case CONST_FLOAT: print_float(value->f, out); return;
  case CONST_STR: buf_quoted(out, str_from(value->str)); return;
  case CONST_DTYPE: type_print(value->type, out); return;
  case CONST_NAME: buf_printf(out, "@%s", value->str); return;
  case CONST_TUPLE: break;
  }
  buf_char(out, '(');
  for (uint32_t i = 0; i < value->items.n; i++) {
    if (i) buf_text(out, ", ");
    const_print(&value->items.at[i], out);
  }
  buf_text(out, value->items.n == 1 ? ",)" : ")");
}

typedef struct Reader {
  IrContext *ir;
  Str text;
  size_t at;
  int depth;
} Reader;

static char reader_peek(const Reader *r) { return r->at < r->text.n ? r->text.at[r->at] : '\0'; }

static void skip_space(Reader *r) {
  while (r->at < r->text.n && char_is_blank(r->text.at[r->at])) r->at++;
}

static bool reader_take(Reader *r, char c) {
  skip_space(r);
  if (r->at >= r->text.n || r->text.at[r->at] != c) return false;
  r->at++;
  return true;
}

static void put_utf8(Buf *out, uint32_t code) {
  if (code < 0x80)
    buf_char(out, (char)code);
  else if (code < 0x800)
    buf_printf(out, "%c%c", (int)(0xc0 | code >> 6), (int)(0x80 | (code & 63)));
  else
    buf_printf(out, "%c%c%c", (int)(0xe0 | code >> 12), (int)(0x80 | (code >> 6 & 63)),
               (int)(0x80 | (code & 63)));
}

// Appends the escape after a backslash at *i and advances *i. Codes of \x and \u are characters. NUL is not
// supported.
static bool put_escape(Str text, size_t *i, Buf *out) {
  static const char from[] = "ntr\\\"'", to[] = "\n\t\r\\\"'";
  if (*i >= text.n || !text.at[*i]) return false;
  char c = text.at[(*i)++];
  const char *plain = strchr(from, c);
  if (plain) buf_char(out, to[plain - from]);
  if (plain) return true;
  size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : 0;
  uint32_t code = 0;
  if (digits == 0 || text.n - *i < digits) return false;
  for (size_t k = 0; k < digits; k++) {
    int digit = digit_of(text.at[(*i)++]);
    if (digit > 15) return false;
    code = code * 16 + (uint32_t)digit;
  }
  put_utf8(out, code);
  return code != 0;
}

bool string_parse(Str text, size_t *used, Buf *out) {
  if (text.n == 0 || (text.at[0] != '"' && text.at[0] != '\'')) return false;
  for (size_t i = 1; i < text.n;) {
    char c = text.at[i++];
    if (c == text.at[0]) {
      *used = i;
      return true;
    }
    if (c == '\n' || c == '\0') return false;
    if (c != '\\')
      buf_char(out, c);
    else if (!put_escape(text, &i, out))
      return false;
  }
  return false;
}

static bool read_string(Reader *r, Buf *out) {
  size_t used;
  if (!string_parse((Str){r->text.at + r->at, r->text.n - r->at}, &used, out)) return false;
  r->at += used;
  return true;
}

static bool read_str(Reader *r, ConstValue *value) {
  Buf text = {0};
  bool ok = read_string(r, &text);
  if (ok) *value = (ConstValue){.kind = CONST_STR, .str = ir_name(r->ir, buf_view(&text))};
  buf_free(&text);
  return ok;
}

static bool read_number(Reader *r, ConstValue *value) {
  size_t start = r->at;
  if (reader_peek(r) == '-' || reader_peek(r) == '+') r->at++;
  size_t digits = r->at;
  bool prefixed = r->text.n - digits > 1 && r->text.at[digits] == '0' &&
                  strchr("xXoObB", r->text.at[digits + 1]) && r->text.at[digits + 1];
  while (char_is_word(reader_peek(r)) || reader_peek(r) == '.' ||
         (!prefixed && r->at > digits && strchr("eE", r->text.at[r->at - 1]) &&
          (reader_peek(r) == '+' || reader_peek(r) == '-')))
    r->at++;
  NumberText kind = number_text((Str){r->text.at + start, r->at - start}, value);
  return kind == TEXT_INT || kind == TEXT_FLOAT;
}

// float("inf"), float("-inf"), float("nan"), float("1.5"), and our extension float("nan(0x...)").
static bool read_float_call(Reader *r, ConstValue *value) {
  Buf text = {0};
  bool ok = reader_take(r, '(');
  skip_space(r);
  ok = ok && read_string(r, &text) && reader_take(r, ')');
  Str inner = buf_view(&text);
  *value = (ConstValue){.kind = CONST_FLOAT};
  uint64_t bits;
  if (!ok)
    ok = false;
  else if (str_is(inner, "inf") || str_is(inner, "+inf"))
    value->f = (double)INFINITY;
  else if (str_is(inner, "-inf"))
    value->f = -(double)INFINITY;
  else if (str_is(inner, "nan"))
    memcpy(&value->f, &canonical_nan, sizeof bits);
  else if (str_starts(inner, "nan(") && inner.at[inner.n - 1] == ')') {
    ok = u64_parse((Str){inner.at + 4, inner.n - 5}, &bits);
    if (ok) memcpy(&value->f, &bits, sizeof bits);
    ok = ok && isnan(value->f);
  } else
    ok = double_parse(inner, &value->f);
  buf_free(&text);
  return ok;
}

static Str read_word(Reader *r) {
  size_t start = r->at;
  while (char_is_word(reader_peek(r)) || reader_peek(r) == '.') r->at++;
  return (Str){r->text.at + start, r->at - start};
}

static bool read_type(Reader *r, Str name, uint32_t stars, ConstValue *value) {
  static const char *const prefixes[] = {"tl.", "triton.language."};
  for (int i = 0; i < 2; i++)
    if (str_starts(name, prefixes[i])) {
      size_t n = strlen(prefixes[i]);
      name = (Str){name.at + n, name.n - n};
      break;
    }
  Elem elem;
  if (!elem_parse(name, &elem)) return false;
  const Type *type = type_scalar(r->ir, elem);
  for (; stars > 0; stars--) type = type_ptr(r->ir, type);
  *value = (ConstValue){.kind = CONST_DTYPE, .type = type};
  return true;
}

static bool read_named(Reader *r, ConstValue *value) {
  uint32_t stars = 0;
  while (reader_take(r, '*'))
    if (++stars > TYPE_MAX_STARS) return false;
  skip_space(r);
  Str word = read_word(r);
  if (stars) return read_type(r, word, stars, value);
  if (str_is(word, "float")) return read_float_call(r, value);
  *value = (ConstValue){.kind = CONST_NONE};
  if (str_is(word, "None")) return true;
  *value = (ConstValue){.kind = CONST_BOOL, .i = str_is(word, "True")};
  if (value->i || str_is(word, "False")) return true;
  return read_type(r, word, 0, value);
}

static bool read_name(Reader *r, ConstValue *value) {
  reader_take(r, '@');
  Str word = read_word(r);
  *value = (ConstValue){.kind = CONST_NAME, .str = ir_name(r->ir, word)};
  return word.n > 0;
}

static bool read_value(Reader *r, ConstValue *value);

// (a, b), (a,), (), [a, b]. A single value in round brackets is the value itself.
static bool read_tuple(Reader *r, ConstValue *value) {
  char close = reader_peek(r) == '(' ? ')' : ']';
  r->at++;
  VEC(ConstValue) items = {0};
  bool comma = close == ']';
  while (!reader_take(r, close)) {
    ConstValue item;
    if (!read_value(r, &item)) return false;
    vec_push(r->ir->arena, &items, item);
    if (reader_take(r, ','))
      comma = true;
    else if (reader_take(r, close))
      break;
    else
      return false;
  }
  if (items.n == 1 && !comma)
    *value = items.at[0];
  else
    *value = (ConstValue){.kind = CONST_TUPLE, .items = {items.at, items.n}};
  return true;
}

static bool read_value(Reader *r, ConstValue *value) {
  skip_space(r);
  char c = reader_peek(r);
  if (c == '"' || c == '\'') return read_str(r, value);
  if (c == '@') return read_name(r, value);
  if (c == '-' || c == '+' || c == '.' || (c >= '0' && c <= '9')) return read_number(r, value);
  if (c != '(' && c != '[') return read_named(r, value);
  if (r->depth >= MAX_DEPTH) return false;
  r->depth++;
  bool ok = read_tuple(r, value);
  r->depth--;
  return ok;
}

bool const_parse_prefix(IrContext *ir, Str text, size_t *used, ConstValue *value) {
  Reader r = {.ir = ir, .text = text};
  if (!read_value(&r, value)) return false;
  *used = r.at;
  return true;
}

bool const_parse(IrContext *ir, Str text, ConstValue *value) {
  Reader r = {.ir = ir, .text = text};
  if (!read_value(&r, value)) return false;
  skip_space(&r);
  return r.at == text.n;
}
