// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/run/expect.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "ir/number.h"

// ---- the option ----

// A number of at least 0, before the character `end`. False: the text is something else.
static bool parse_tolerance(const char *text, char end, double *value, const char **rest) {
  char *after;
  errno = 0;
  *value = strtod(text, &after);
  if (after == text || *after != end || errno == ERANGE || !isfinite(*value) || *value < 0) return false;
  *rest = after + (end != '\0');
  return true;
}

bool expect_share(const char *text, double *share, Buf *error) {
  char *end;
  double value = strtod(text, &end);
  bool number = end != text;
  if (number && *end == '%') value /= 100, end++;
  *share = value;
  if (number && *end == '\0' && value >= 0 && value <= 1) return true;
  return buf_fail(error, "--allow-uncompared takes a share from 0 to 1, or 0%% to 100%%, not '%s'", text);
}

bool expect_parse(Arena *arena, const char *text, Expectation *expectation, Buf *error) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || equals[1] != '@' || !equals[2])
    return buf_fail(error, "--expect takes NAME=@FILE.npy or NAME=@FILE.npy:RTOL,ATOL, not '%s'", text);
  *expectation = (Expectation){.name = arena_copy(arena, (Str){text, (size_t)(equals - text)})};
  const char *path = equals + 2, *colon = strrchr(path, ':'), *rest;
  expectation->path = path;
  if (!colon || strchr(colon, '/') || str_ends(str_from(colon), ".npy")) return true;
  expectation->given = parse_tolerance(colon + 1, ',', &expectation->rtol, &rest) &&
                       parse_tolerance(rest, '\0', &expectation->atol, &rest);
  expectation->path = arena_copy(arena, (Str){path, (size_t)(colon - path)});
  if (!expectation->given)
    buf_printf(error,
               "--expect %s: '%s' is not RTOL,ATOL: two numbers that are not negative, as in :1e-3,1e-5",
               text, colon + 1);
  return expectation->given;
}

// ---- the array ----

typedef struct Tolerance {
  double rtol, atol;
} Tolerance;

static Tolerance usual_tolerance(Elem elem) {
  switch ((int)elem) {
  case ELEM_FP16: return (Tolerance){1e-3, 1e-5};
  case ELEM_BF16: return (Tolerance){1.6e-2, 1e-5};
  case ELEM_FP32: return (Tolerance){1.3e-6, 1e-5};
  case ELEM_FP64: return (Tolerance){1e-7, 1e-7};
  default: return elem_is_float(elem) ? (Tolerance){2 * number_u(elem), 1e-5} : (Tolerance){0, 0};
  }
}

// Types that NumPy lacks are saved as raw items (npy_write_header). Raw items get the buffer's own type.
static bool array_elem(const NpyArray *array, Elem buffer, Elem *elem) {
  *elem = buffer;
  bool raw = (array->kind == 'u' || array->kind == 'V') && array->item_size == elem_bytes(buffer);
  return (raw && !elem_info(buffer)->numpy[0]) || npy_elem(array, elem);
}

bool expect_load(Arena *arena, const Expectation *expectation, const Argument *buffer, Expected *expected,
                 const char **why) {
  NpyArray array;
  *expected = (Expected){.path = expectation->path, .buffer = buffer};
  if (!npy_read(arena, expectation->path, &array, why)) return false;
  *why = "a buffer cannot have its element type";
  if (!array_elem(&array, buffer->elem, &expected->elem)) return false;
  *why = arena_printf(arena, "it has %llu elements, the buffer has %llu", (unsigned long long)array.elements,
                      (unsigned long long)buffer->elements);
  if (array.elements != buffer->elements) return false;
  Tolerance own = usual_tolerance(buffer->elem), other = usual_tolerance(expected->elem);
  expected->data = array.data;
  expected->rtol = expectation->given ? expectation->rtol : fmax(own.rtol, other.rtol);
  expected->atol = expectation->given ? expectation->atol : fmax(own.atol, other.atol);
  expected->usual = !expectation->given && expected->atol > 0;
  return true;
}

// ---- comparing ----

static uint64_t load_bits(Elem elem, const uint8_t *data, uint64_t i) {
  return number_load(elem, data + i * elem_bytes(elem));
}

static double as_double(Elem elem, uint64_t bits) {
  if (elem_is_float(elem)) return number_decode(elem, bits);
  return elem_is_signed(elem) ? (double)(int64_t)bits : (double)bits;
}

// a - b| of two integers. Exact except for the last conversion.
static double int_distance(Elem a_elem, uint64_t a, Elem b_elem, uint64_t b) {
  bool a_negative = elem_is_signed(a_elem) && a >> 63, b_negative = elem_is_signed(b_elem) && b >> 63;
  if (a_negative != b_negative) return fabs(as_double(a_elem, a) - as_double(b_elem, b));
  return (double)(a > b ? a - b : b - a);
}

static void count_wrong(ExpectResult *result, uint64_t i, double off, double size) {
  if (result->wrong < EXPECT_SHOWN) result->first[result->wrong] = i;
  result->wrong++;
  if (isnan(off)) {
    result->nans++;
    return;
  }
  double relative = size > 0 ? off / size : INFINITY;
  if (isnan(relative)) relative = INFINITY; // one side is infinite
  if (off > result->largest) result->largest = off, result->largest_at = i;
  if (relative > result->relative) result->relative = relative, result->relative_at = i;
}

void expect_compare(const Expected *expected, const uint8_t *got, const uint8_t *written,
                    ExpectResult *result) {
  const Argument *buffer = expected->buffer;
  bool integers = !elem_is_float(buffer->elem) && !elem_is_float(expected->elem);
  *result = (ExpectResult){0};
  for (uint64_t i = 0; i < buffer->elements; i++) {
    if (written && !written[i * elem_bytes(buffer->elem)]) continue;
    result->compared++;
    uint64_t a = load_bits(buffer->elem, got, i), b = load_bits(expected->elem, expected->data, i);
    double x = as_double(buffer->elem, a), y = as_double(expected->elem, b);
    if (!integers && (x == y || (isnan(x) && isnan(y)))) continue;
    double off = integers ? int_distance(buffer->elem, a, expected->elem, b) : fabs(x - y);
    double allowed = expected->atol + expected->rtol * fabs(y);
    if (isfinite(y) && off <= allowed) continue; // false for NaN; only an infinity is near itself
    count_wrong(result, i, off, fabs(y));
  }
}

// ---- words ----

void expect_print_index(const char *name, const Argument *buffer, uint64_t element, Buf *out) {
  buf_printf(out, "%s[", name);
  argument_index(buffer, element, ", ", out);
  buf_char(out, ']');
}

void expect_print_value(Elem elem, const uint8_t *data, uint64_t i, Buf *out) {
  uint64_t bits = load_bits(elem, data, i);
  if (elem == ELEM_FP64)
    buf_double(out, number_decode(elem, bits));
  else if (elem_is_float(elem))
    buf_printf(out, "%.9g", number_decode(elem, bits));
  else if (elem_is_signed(elem))
    buf_printf(out, "%lld", (long long)bits);
  else
    buf_printf(out, "%llu", (unsigned long long)bits);
}

void expect_print_pair(const char *name, const Expected *expected, const uint8_t *got, uint64_t element,
                       Buf *out) {
  expect_print_index(name, expected->buffer, element, out);
  buf_text(out, ": got ");
  expect_print_value(expected->buffer->elem, got, element, out);
  buf_text(out, ", expected ");
  expect_print_value(expected->elem, expected->data, element, out);
}
