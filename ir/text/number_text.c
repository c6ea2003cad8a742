// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses numbers in Python syntax.
#include "ir/spec.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"

bool double_parse(Str text, double *value) {
  Buf copy = {0};
  for (size_t i = 0; i < text.n; i++) {
    if (text.at[i] == '_') continue;
    if (!memchr("0123456789.eE+-", text.at[i], 15)) {
      buf_free(&copy);
      return false;
    }
    if (text.at[i] == '.')
      buf_text(&copy, localeconv()->decimal_point); // the decimal point of strtod's locale
    else
      buf_char(&copy, text.at[i]);
  }
  size_t n = copy.n;
  buf_char(&copy, '\0');
  char *end;
  *value = strtod(copy.at, &end);
  bool whole = n > 0 && end == copy.at + n;
  buf_free(&copy);
  return whole;
}

static unsigned base_of(Str text) {
  if (text.n < 2 || text.at[0] != '0') return 10;
  char c = (char)(text.at[1] | 0x20);
  return c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 10;
}

// An underscore must be between two digits, or after a base prefix.
static bool underscores_good(Str text) {
  for (size_t i = 0; i < text.n; i++)
    if (text.at[i] == '_' && (i == 0 || i + 1 == text.n || digit_of(text.at[i + 1]) > 15 ||
                              (digit_of(text.at[i - 1]) > 15 && !strchr("xXoO", text.at[i - 1]))))
      return false;
  return true;
}

// Returns TEXT_INT, TEXT_TOO_LARGE or TEXT_NO_NUMBER.
static NumberText parse_magnitude(Str text, uint64_t *value) {
  unsigned base = base_of(text);
  size_t i = base == 10 ? 0 : 2;
  uint64_t total = 0;
  bool any = false, large = false;
  if (!underscores_good(text)) return TEXT_NO_NUMBER;
  for (; i < text.n; i++) {
    if (text.at[i] == '_') continue;
    uint64_t digit = (uint64_t)digit_of(text.at[i]);
    if (digit >= base) return TEXT_NO_NUMBER;
    large |= total > (UINT64_MAX - digit) / base;
    total = total * base + digit;
    any = true;
  }
  *value = total;
  if (!any || (base == 10 && text.at[0] == '0' && (total || large)))
    return TEXT_NO_NUMBER; // 010 is not octal
  return large ? TEXT_TOO_LARGE : TEXT_INT;
}

bool u64_parse(Str text, uint64_t *value) { return parse_magnitude(text, value) == TEXT_INT; }

static bool looks_floating(Str text) {
  return base_of(text) == 10 &&
         (memchr(text.at, '.', text.n) || memchr(text.at, 'e', text.n) || memchr(text.at, 'E', text.n));
}

NumberText number_text(Str text, ConstValue *value) {
  bool negative = text.n && text.at[0] == '-';
  size_t sign = negative || (text.n && text.at[0] == '+');
  Str body = {text.at + sign, text.n - sign};
  if (body.n == 0 || !(digit_of(body.at[0]) < 10 || body.at[0] == '.')) return TEXT_NO_NUMBER;
  if (looks_floating(body)) {
    *value = (ConstValue){.kind = CONST_FLOAT};
    if (!underscores_good(body) || !double_parse(text, &value->f)) return TEXT_NO_NUMBER;
    return isinf(value->f) ? TEXT_TOO_LARGE : TEXT_FLOAT;
  }
  uint64_t magnitude;
  NumberText kind = parse_magnitude(body, &magnitude);
  if (kind == TEXT_INT && negative && magnitude > UINT64_C(1) << 63) kind = TEXT_TOO_LARGE;
  if (kind != TEXT_INT) return kind;
  *value = (ConstValue){.kind = CONST_INT, .i = (int64_t)(negative ? 0 - magnitude : magnitude)};
  value->is_u64 = !negative && magnitude > INT64_MAX;
  return TEXT_INT;
}
