// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/run/argument.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "ir/number.h"
#include "ir/spec.h"
#include "tools/run/fill.h"

typedef struct ArgumentReader {
  Arena *arena;
  const uint64_t *seed; // NULL: no data is made
  uint32_t number;
  const char **why;
} ArgumentReader;

static bool refuse(ArgumentReader *s, const char *why) {
  *s->why = why;
  return false;
}

// Parses float("inf") and similar names, as Python's float() reads them.
static bool parse_special(const char *text, double *value) {
  const char *name = text + (text[0] == '-' || text[0] == '+');
  if (strcmp(name, "inf") != 0 && strcmp(name, "nan") != 0) return false;
  *value = name[0] == 'i' ? (double)INFINITY : (double)NAN;
  if (text[0] == '-') *value = -*value;
  return true;
}

// *good: true if the text is a scalar and `a` is filled. Otherwise the error says what is expected.
static bool parse_scalar(ArgumentReader *s, const char *text, Argument *a, bool *good) {
  ConstValue value = {0};
  *good = true;
  if (strcmp(text, "None") == 0)
    a->kind = ARGUMENT_NONE;
  else if (strcmp(text, "device") == 0) {
    a->kind = ARGUMENT_INT;
    a->is_device = true;
  } else if (strcmp(text, "True") == 0 || strcmp(text, "False") == 0) {
    a->kind = ARGUMENT_BOOL;
    a->i = text[0] == 'T';
  } else if (parse_special(text, &a->f))
    a->kind = ARGUMENT_FLOAT;
  else
    switch (number_text(str_from(text), &value)) {
    case TEXT_NO_NUMBER: return false;
    case TEXT_INT:
      a->kind = ARGUMENT_INT;
      a->i = value.i;
      a->is_u64 = value.is_u64;
      break;
    case TEXT_FLOAT:
      a->kind = ARGUMENT_FLOAT;
      a->f = value.f;
      break;
    case TEXT_TOO_LARGE:
      *good = refuse(s, "the number is too large: integers have 64 bits, floats are below 1.8e308 (or inf)");
    }
  return true;
}

// "[64,200]" after a type. Nothing may follow.
static bool parse_shape(ArgumentReader *s, const char *at, Argument *a) {
  if (*at++ != '[') return refuse(s, "a shape in brackets is missing, as in randn:fp32[64,200]");
  a->elements = 1;
  for (a->rank = 0;; at++) {
    char *end;
    errno = 0;
    unsigned long long size = strtoull(at, &end, 10);
    if (end == at || *at == '-' || errno) return refuse(s, "a size in the brackets is not a number");
    if (a->rank == NPY_MAX_RANK) return refuse(s, "there are too many dimensions");
    if (size && a->elements > (UINT64_C(1) << 46) / size) return refuse(s, "the buffer is too large");
    a->shape[a->rank++] = size;
    a->elements *= size;
    at = end;
    if (*at == ']') break;
    if (*at != ',') return refuse(s, "the bracket of the shape is not closed");
  }
  return at[1] == '\0' || refuse(s, "there is text after the shape");
}

static bool parse_elem(ArgumentReader *s, Str name, Elem *elem) {
  Elem meant;
  if (elem_parse(name, elem)) return true;
  if (!name.n) return refuse(s, "its element type is missing, as in randn:fp32[64,200]");
  if (elem_meant(name, &meant))
    return refuse(s, arena_printf(s->arena, "there is no element type '%.*s'; did you mean '%s'?",
                                  STR_ARG(name), elem_info(meant)->name));
  return refuse(s, arena_printf(s->arena, "there is no element type '%.*s'; there are %s", STR_ARG(name),
                                elem_names()));
}

// "randint(0,100):i32[64]"
static bool parse_fill(ArgumentReader *s, const char *text, Argument *a) {
  const char *colon = strchr(text, ':'), *type = colon ? colon + 1 : "", *bracket = strchr(type, '[');
  Fill fill;
  Elem elem;
  Str before = {text, colon ? (size_t)(colon - text) : strcspn(text, "[")};
  if (!colon && text[before.n] == '[' && (elem_parse(before, &elem) || elem_meant(before, &elem)) &&
      !fill_names(before))
    return refuse(s, arena_printf(s->arena, "its contents are missing, as in randn:%s%s",
                                  elem_info(elem)->name, text + before.n));
  if (!fill_parse(s->arena, before, &fill, s->why)) return false;
  if (!colon && text[before.n] == '[')
    return refuse(s, arena_printf(s->arena, "its type is missing, as in %.*s:fp32%s", STR_ARG(before),
                                  text + before.n));
  if (!colon) return refuse(s, "its type and shape are missing, as in randn:fp32[64,200]");
  if (!parse_elem(s, (Str){type, bracket ? (size_t)(bracket - type) : strlen(type)}, &a->elem)) return false;
  if (!parse_shape(s, bracket ? bracket : "", a)) return false;
  if (!fill_fits(s->arena, &fill, a->elem, a->elements, s->why)) return false;
  a->bytes = a->elements * elem_bytes(a->elem);
  a->initialised = fill.kind != FILL_EMPTY;
  if (!s->seed) return true;
  a->data = arena_alloc(s->arena, a->bytes);
  fill_write(&fill, a->elem, a->elements, *s->seed, s->number, a->data);
  return true;
}

// "NAME+BYTES" or None.
static bool parse_pointee(ArgumentReader *s, Str text, Pointee *pointee) {
  while (text.n && text.at[0] == ' ') text.at++, text.n--;
  char *name = arena_copy(s->arena, text), *plus = strrchr(name, '+');
  if (plus) {
    char *end;
    errno = 0;
    pointee->offset = strtoull(plus + 1, &end, 10);
    if (errno || plus[1] < '0' || plus[1] > '9' || *end)
      return refuse(s, arena_printf(s->arena, "'%s' is not NAME+BYTES", name));
    *plus = '\0';
  }
  if (!name[0]) return refuse(s, "a name is missing, as in ptrs(x,y,z):*fp32");
  pointee->name = strcmp(name, "None") == 0 ? NULL : name;
  return true;
}

// "ptrs(x,y+16,None):*fp32": one address per name. `text` is after the bracket. The type may be omitted.
static bool parse_pointers(ArgumentReader *s, const char *text, Argument *a) {
  const char *close = strchr(text, ')');
  if (!close) return refuse(s, "the bracket of ptrs(x,y,z) is not closed");
  uint32_t count = 1, n = 0;
  for (const char *at = text; at < close; at++) count += *at == ',';
  a->pointees = ARENA_ARRAY(s->arena, Pointee, count);
  for (const char *at = text; n < count; n++) {
    size_t length = strcspn(at, ",)");
    if (!parse_pointee(s, (Str){at, length}, &a->pointees[n])) return false;
    at += length + 1;
  }
  a->pointee_typed = close[1] != '\0';
  if (a->pointee_typed && (close[1] != ':' || close[2] != '*'))
    return refuse(s, "it must point to a pointer's type, as in ptrs(x,y,z):*fp32");
  if (a->pointee_typed && !parse_elem(s, str_from(close + 3), &a->pointee)) return false;
  if (a->peers && (count != 1 || !a->pointees->name))
    return refuse(s, "it takes the name of one buffer, as in peers(x)");
  a->elem = ELEM_I64;
  a->rank = 1;
  a->shape[0] = a->elements = count;
  a->bytes = a->elements * elem_bytes(a->elem);
  a->data = arena_alloc(s->arena, a->bytes);
  a->initialised = true;
  return true;
}

// "multicast(x)" or "multicast(x+16)". `text` is after the bracket.
static bool parse_multicast(ArgumentReader *s, const char *text, Argument *a) {
  const char *close = strchr(text, ')');
  Pointee pointee = {0};
  if (!close || close[1]) return refuse(s, "it takes the name of one buffer, as in multicast(x)");
  if (!parse_pointee(s, (Str){text, (size_t)(close - text)}, &pointee)) return false;
  if (!pointee.name) return refuse(s, "it takes the name of one buffer, as in multicast(x)");
  a->kind = ARGUMENT_INT;
  a->multicast = pointee.name;
  a->offset = pointee.offset;
  return true;
}

// An array of another float type is converted. Any other array of the same item size is reinterpreted.
static bool convert_array(ArgumentReader *s, const NpyArray *array, Argument *a) {
  Elem from;
  bool known = npy_elem(array, &from);
  a->data = array->data;
  if ((known && from == a->elem) ||
      (array->item_size == elem_bytes(a->elem) && !(known && elem_is_float(from))))
    return true;
  if (!known || !elem_is_float(from) || !elem_is_float(a->elem))
    return refuse(s, "the file's element type cannot be read as that");
  uint32_t size = elem_bytes(a->elem);
  a->data = arena_alloc(s->arena, a->elements * size);
  for (uint64_t i = 0; i < a->elements; i++) {
    double x = number_decode(from, number_load(from, array->data + i * array->item_size));
    number_store(a->elem, number_encode(a->elem, x), a->data + i * size);
  }
  return true;
}

// "@x.npy" or "@x.npy:bf16". `text` is after the @.
static bool parse_file(ArgumentReader *s, const char *text, Argument *a) {
  const char *colon = strrchr(text, ':');
  bool typed = colon && elem_parse(str_from(colon + 1), &a->elem);
  bool mistyped = colon && !typed && str_ends((Str){text, (size_t)(colon - text)}, ".npy");
  if (mistyped) return parse_elem(s, str_from(colon + 1), &a->elem);
  const char *path = typed ? arena_copy(s->arena, (Str){text, (size_t)(colon - text)}) : text;
  NpyArray array;
  const char *why;
  if (!npy_read(s->arena, path, &array, &why)) return refuse(s, arena_printf(s->arena, "%s: %s", path, why));
  if (!typed && !npy_elem(&array, &a->elem))
    return refuse(s, "the file's element type has no name here: give one, as in @x.npy:bf16");
  a->rank = array.rank;
  memcpy(a->shape, array.shape, sizeof array.shape);
  a->elements = array.elements;
  a->bytes = a->elements * elem_bytes(a->elem);
  a->initialised = true;
  return convert_array(s, &array, a);
}

// Cuts "+BYTES" off the end of a buffer spec. A '+' before the last bracket or within a file name stays.
static bool cut_offset(ArgumentReader *s, char *text, Argument *a) {
  char *plus = strrchr(text, '+');
  if (!plus || plus == text || strspn(plus + 1, "0123456789") != strlen(plus + 1) || plus[1] == '\0')
    return true;
  errno = 0;
  a->offset = strtoull(plus + 1, NULL, 10);
  if (errno) return refuse(s, "the offset is too large");
  *plus = '\0';
  return true;
}

// "constexpr(64)"
static bool parse_constexpr(ArgumentReader *s, Str text, Argument *a) {
  size_t start = strlen("constexpr(");
  if (text.at[text.n - 1] != ')') return refuse(s, "the bracket of constexpr( is not closed");
  a->kind = ARGUMENT_CONSTEXPR;
  a->text = arena_copy(s->arena, (Str){text.at + start, text.n - start - 1});
  return true;
}

void argument_index(const Argument *buffer, uint64_t element, const char *between, Buf *out) {
  uint64_t index[NPY_MAX_RANK];
  for (uint32_t d = buffer->rank; d > 1; element /= buffer->shape[d])
    d--, index[d] = element % buffer->shape[d];
  index[0] = element;
  for (uint32_t d = 0; d == 0 || d < buffer->rank; d++)
    buf_printf(out, "%s%llu", d ? between : "", (unsigned long long)index[d]);
}

bool argument_parse(Arena *arena, const char *text, const uint64_t *seed, uint32_t number, Argument *argument,
                    const char **why) {
  *argument = (Argument){0};
  ArgumentReader s = {arena, seed, number, why};
  bool good;
  if (parse_scalar(&s, text, argument, &good)) return good;
  if (str_starts(str_from(text), "desc("))
    return argument_descriptor(arena, str_from(text + strlen("desc(")), seed, number, argument, why);
  if (str_starts(str_from(text), "multicast(")) return parse_multicast(&s, strchr(text, '(') + 1, argument);
  if (str_starts(str_from(text), "constexpr(")) return parse_constexpr(&s, str_from(text), argument);
  char *copy = arena_copy(arena, str_from(text));
  if (!cut_offset(&s, copy, argument)) return false;
  if (copy[0] == '&') {
    argument->kind = ARGUMENT_SAME;
    argument->same = copy + 1;
    return true;
  }
  argument->kind = ARGUMENT_BUFFER;
  argument->peers = str_starts(str_from(copy), "peers(");
  if (argument->peers || str_starts(str_from(copy), "ptrs(")) {
    if (!parse_pointers(&s, strchr(copy, '(') + 1, argument)) return false;
    return argument->offset <= argument->bytes || refuse(&s, "the offset is past the buffer's end");
  }
  if (!(copy[0] == '@' ? parse_file(&s, copy + 1, argument) : parse_fill(&s, copy, argument))) return false;
  return argument->offset <= argument->bytes || refuse(&s, "the offset is past the buffer's end");
}
