// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/run/fill.h"

#include <math.h>
#include <pthread.h>
#include <unistd.h>

#include "base/diag.h"
#include "ir/number.h"
#include "tools/run/random.h"

__extension__ typedef __int128 Wide; // every 64-bit integer, signed or unsigned, and their differences

static const struct {
  const char *name;
  int values; // number of values in parentheses
  const char *form;
} kinds[FILL_COUNT] = {[FILL_RANDN] = {"randn", 0, ""},
                       [FILL_RAND] = {"rand", 0, ""},
                       [FILL_RANDINT] = {"randint", 2, "randint(0,100)"},
                       [FILL_ZEROS] = {"zeros", 0, ""},
                       [FILL_ONES] = {"ones", 0, ""},
                       [FILL_FULL] = {"full", 1, "full(7)"},
                       [FILL_ARANGE] = {"arange", 0, ""},
                       [FILL_PERM] = {"perm", 0, ""},
                       [FILL_EMPTY] = {"empty", 0, ""}};

static bool refuse(const char **why, const char *reason) {
  *why = reason;
  return false;
}

// ---- the text ----

static bool parse_number(Arena *arena, Str text, ConstValue *value, const char **why) {
  Str name = text;
  if (name.n && name.at[0] == '-') name.at++, name.n--;
  bool inf = str_is(name, "inf");
  *value = (ConstValue){.kind = CONST_FLOAT};
  if (inf || str_is(name, "nan")) {
    value->f = inf ? (double)INFINITY : (double)NAN;
    if (name.n < text.n) value->f = -value->f;
    return true;
  }
  if (str_is(text, "True") || str_is(text, "False")) {
    *value = (ConstValue){.kind = CONST_INT, .i = text.at[0] == 'T'};
    return true;
  }
  NumberText kind = number_text(text, value);
  if (kind == TEXT_INT || kind == TEXT_FLOAT) {
    value->kind = kind == TEXT_INT ? CONST_INT : CONST_FLOAT;
    return true;
  }
  return refuse(why, kind == TEXT_TOO_LARGE ? "the number is too large: integers have 64 bits"
                                            : arena_printf(arena, "'%.*s' is not a number", STR_ARG(text)));
}

// "(0,100)" or nothing.
static bool parse_values(Arena *arena, Str text, Fill *fill, const char **why) {
  int wanted = kinds[fill->kind].values, n = 0;
  const char *form = kinds[fill->kind].form;
  if (!wanted && text.n == 0) return true;
  if (!wanted) return refuse(why, arena_printf(arena, "%s takes no values", kinds[fill->kind].name));
  if (text.n < 2 || text.at[0] != '(' || text.at[text.n - 1] != ')')
    return refuse(why, arena_printf(arena, "its values are missing, as in %s:i32[64]", form));
  Str rest = {text.at + 1, text.n - 2};
  for (bool more = true; more; n++) {
    const char *comma = rest.n ? memchr(rest.at, ',', rest.n) : NULL;
    Str part = comma ? (Str){rest.at, (size_t)(comma - rest.at)} : rest;
    more = comma != NULL;
    if (more) rest = (Str){comma + 1, rest.n - part.n - 1};
    if (n == wanted) return refuse(why, arena_printf(arena, "there are too many values: %s", form));
    if (!parse_number(arena, str_trimmed(part), n ? &fill->high : &fill->low, why)) return false;
  }
  return n == wanted || refuse(why, arena_printf(arena, "there are too few values: %s", form));
}

// Names of NumPy and PyTorch, and literals as other languages spell them.
static const char *meant_by(Str name) {
  static const char *const words[][2] = {
      {"normal", "randn"},     {"gauss", "randn"},    {"gaussian", "randn"}, {"standard_normal", "randn"},
      {"random", "rand"},      {"uniform", "rand"},   {"randperm", "perm"},  {"permutation", "perm"},
      {"zeros_like", "zeros"}, {"ones_like", "ones"}, {"full_like", "full"}, {"empty_like", "empty"},
      {"iota", "arange"},      {"range", "arange"},   {"none", "None"},      {"null", "None"},
      {"true", "True"},        {"false", "False"}};
  for (size_t i = name.n; i-- > 0;)
    if (name.at[i] == '.') {
      name = (Str){name.at + i + 1, name.n - i - 1}; // torch.randn
      break;
    }
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (str_is(name, words[i][0])) return words[i][1];
  for (int i = 0; i < FILL_COUNT; i++)
    if (str_is(name, kinds[i].name)) return kinds[i].name;
  return NULL;
}

bool fill_names(Str name) {
  for (int i = 0; i < FILL_COUNT; i++)
    if (str_is(name, kinds[i].name)) return true;
  return false;
}

static bool unknown_fill(Arena *arena, Str name, const char **why) {
  const char *names[FILL_COUNT], *near = meant_by(name);
  for (int i = 0; i < FILL_COUNT; i++) names[i] = kinds[i].name;
  if (!near) near = diag_nearest(name, names, FILL_COUNT);
  if (near)
    return refuse(why, arena_printf(arena, "there is no '%.*s'; did you mean '%s'?", STR_ARG(name), near));
  return refuse(why, "it is neither a number nor None, nor randn: rand: randint(LOW,HIGH): zeros: ones: "
                     "full(VALUE): arange: perm: empty: ptrs(NAME,...) desc(...) @FILE &NAME");
}

bool fill_parse(Arena *arena, Str text, Fill *fill, const char **why) {
  const char *paren = text.n ? memchr(text.at, '(', text.n) : NULL;
  size_t n = paren ? (size_t)(paren - text.at) : text.n;
  *fill = (Fill){0};
  while (fill->kind < FILL_COUNT && !str_is((Str){text.at, n}, kinds[fill->kind].name)) fill->kind++;
  if (fill->kind == FILL_COUNT) return unknown_fill(arena, (Str){text.at, n}, why);
  return parse_values(arena, (Str){text.at + n, text.n - n}, fill, why);
}

// ---- range checks ----

static Wide wide_of(const ConstValue *value) {
  return value->is_u64 ? (Wide)(uint64_t)value->i : (Wide)value->i;
}

// The integers that the type represents exactly, from *least to *most.
static void exact_range(Elem elem, Wide *least, Wide *most) {
  if (elem_is_float(elem)) {
    *most = (Wide)(1 / number_u(elem));
    *least = -*most;
    return;
  }
  uint32_t bits = elem == ELEM_I1 ? 1 : 8 * elem_bytes(elem);
  bool is_signed = elem_is_signed(elem) && elem != ELEM_I1;
  *most = ((Wide)1 << (bits - is_signed)) - 1;
  *least = is_signed ? -*most - 1 : 0;
}

static bool range_fits(Arena *arena, Wide low, Wide high, Elem elem, const char **why) {
  Wide least, most;
  exact_range(elem, &least, &most);
  if (low >= least && high <= most) return true;
  if (least < 0)
    return refuse(why, arena_printf(arena, "%s holds integers from %lld to %lld only", elem_info(elem)->name,
                                    (long long)least, (long long)most));
  return refuse(why, arena_printf(arena, "%s holds integers from 0 to %llu only", elem_info(elem)->name,
                                  (unsigned long long)most));
}

static bool value_fits(Arena *arena, const ConstValue *value, Elem elem, const char **why) {
  bool is_int = value->kind == CONST_INT;
  if (!elem_is_float(elem))
    return is_int ? range_fits(arena, wide_of(value), wide_of(value), elem, why)
                  : refuse(why, arena_printf(arena, "%s holds integers only", elem_info(elem)->name));
  double x = is_int ? (double)wide_of(value) : value->f;
  bool past = number_saturates(elem) ? fabs(x) > number_max(elem) : fabs(x) >= number_overflow(elem);
  if (!isfinite(x) || !past) return true;
  return refuse(why, arena_printf(arena, "%s holds numbers from %g to %g only", elem_info(elem)->name,
                                  -number_max(elem), number_max(elem)));
}

bool fill_fits(Arena *arena, const Fill *fill, Elem elem, uint64_t elements, const char **why) {
  switch (fill->kind) {
  case FILL_RANDINT:
    if (fill->low.kind != CONST_INT || fill->high.kind != CONST_INT)
      return refuse(why, "the bounds of randint must be integers");
    if (wide_of(&fill->low) >= wide_of(&fill->high))
      return refuse(why, "randint(LOW,HIGH) needs HIGH above LOW: it gives LOW to HIGH - 1");
    return range_fits(arena, wide_of(&fill->low), wide_of(&fill->high) - 1, elem, why);
  case FILL_FULL: return value_fits(arena, &fill->low, elem, why);
  case FILL_PERM: return !elements || range_fits(arena, 0, (Wide)elements - 1, elem, why);
  case FILL_RANDN:
  case FILL_RAND:
  case FILL_ZEROS:
  case FILL_ONES:
  case FILL_ARANGE:
  case FILL_EMPTY:
  case FILL_COUNT: break;
  }
  return true;
}

// ---- the elements ----

static uint64_t integer_bits(Elem elem, uint64_t value, bool is_u64) {
  return elem_is_float(elem) ? number_from_int(is_u64 ? ELEM_U64 : ELEM_I64, value, elem)
                             : number_wrap(elem, value);
}

// A pattern that kernels write only by chance. For floats: a NaN with a payload, if the type has room for
// one.
static uint64_t poison_bits(Elem elem) {
  const uint64_t pattern = UINT64_C(0xA5A5A5A5A5A5A5A5);
  if (!elem_is_float(elem)) return number_wrap(elem, pattern);
  uint64_t nan = number_encode(elem, NAN);
  return nan | (pattern & ((nan & (0 - nan)) - 1)); // below the quiet bit
}

static uint64_t value_bits(const ConstValue *value, Elem elem) {
  if (value->kind == CONST_INT) return integer_bits(elem, (uint64_t)value->i, value->is_u64);
  return number_encode(elem, value->f);
}

static uint64_t random_integer(const Fill *fill, uint64_t seed, uint32_t number, uint64_t index) {
  uint64_t low = (uint64_t)fill->low.i;
  return low + random_below(seed, number, index, (uint64_t)fill->high.i - low);
}

static uint64_t element_bits(const Fill *fill, Elem elem, uint64_t seed, uint32_t number, uint64_t index) {
  bool is_float = elem_is_float(elem);
  uint32_t words[4];
  switch (fill->kind) {
  case FILL_RANDN: {
    double x = random_normal(seed, number, index);
    return is_float ? number_encode(elem, x) : number_wrap(elem, (uint64_t)(int64_t)lrint(x));
  }
  case FILL_RAND:
    if (is_float) return number_encode(elem, random_uniform(seed, number, index));
    random_words(seed, number, index, words);
    return number_wrap(elem, (uint64_t)words[1] << 32 | words[0]);
  case FILL_RANDINT: return integer_bits(elem, random_integer(fill, seed, number, index), fill->low.is_u64);
  case FILL_ONES: return is_float ? number_encode(elem, 1.0) : 1;
  case FILL_FULL: return value_bits(&fill->low, elem);
  case FILL_ARANGE:
  case FILL_PERM: return is_float ? number_encode(elem, (double)index) : number_wrap(elem, index);
  case FILL_EMPTY: return poison_bits(elem);
  case FILL_ZEROS:
  case FILL_COUNT: break;
  }
  return 0;
}

// Fisher-Yates shuffle, from the last element down.
static void shuffle(Elem elem, uint64_t elements, uint64_t seed, uint32_t number, uint8_t *data) {
  uint32_t size = elem_bytes(elem);
  for (uint64_t i = elements; i > 1; i--) {
    uint8_t *last = data + (i - 1) * size, *other = data + random_below(seed, number, i - 1, i) * size;
    uint64_t kept = number_load(elem, last);
    number_store(elem, number_load(elem, other), last);
    number_store(elem, kept, other);
  }
}

// A range of the elements. Each element is computed independently, so threads can share large buffers.
typedef struct Part {
  const Fill *fill;
  Elem elem;
  uint64_t begin, end, seed;
  uint32_t number;
  uint8_t *data; // points at element 0
} Part;

static void *write_part(void *data) {
  const Part *p = data;
  uint32_t size = elem_bytes(p->elem);
  for (uint64_t i = p->begin; i < p->end; i++)
    number_store(p->elem, element_bits(p->fill, p->elem, p->seed, p->number, i), p->data + i * size);
  return NULL;
}

void fill_write(const Fill *fill, Elem elem, uint64_t elements, uint64_t seed, uint32_t number,
                uint8_t *data) {
  enum { MOST = 16, MIN_ELEMENTS = 1 << 18 }; // threads; elements of each
  pthread_t threads[MOST];
  Part parts[MOST];
  if (fill->kind == FILL_ZEROS) return;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  uint64_t wanted = elements / MIN_ELEMENTS,
           n = cores < 1      ? 1
               : cores > MOST ? MOST
                              : (uint64_t)cores,
           begun = 1;
  if (n > wanted) n = wanted ? wanted : 1;
  for (uint64_t i = 0; i < n; i++)
    parts[i] = (Part){fill, elem, i * elements / n, (i + 1) * elements / n, seed, number, data};
  while (begun < n && pthread_create(&threads[begun], NULL, write_part, &parts[begun]) == 0) begun++;
  write_part(&parts[0]);
  for (uint64_t i = begun; i < n; i++) write_part(&parts[i]); // no thread could be started for these
  for (uint64_t i = 1; i < begun; i++) pthread_join(threads[i], NULL);
  if (fill->kind == FILL_PERM) shuffle(elem, elements, seed, number, data);
}
