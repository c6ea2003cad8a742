// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions of the stepper's print: numbers, variables and constexprs, with + - * / // % & | ^ << >>, comparisons,
// parentheses and indices. Integers have 64 bits here, so that what wrapped in the kernel does not wrap. As in the
// kernel, // and % round towards zero, and shapes are broadcast.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "tools/run/step.h"

typedef struct Parser {
  Stepper *s;
  const EvalStop *stop;
  const char *at, *end;
  const char *error; // the first one; NULL: none
} Parser;

static StepNumbers parse_level(Parser *p, int level);

// ---- tiles of numbers ----

static StepNumbers make(Parser *p, StepKind kind, uint32_t rank, const uint32_t *shape) {
  StepNumbers made = {.kind = kind, .rank = rank, .n = 1};
  for (uint32_t d = 0; d < rank; d++) made.n *= made.shape[d] = shape[d];
  made.at = ARENA_ARRAY(p->s->run->arena, StepNumber, made.n + 1);
  return made;
}

static StepNumbers scalar(Parser *p, StepKind kind, int64_t i, double f) {
  StepNumbers made = make(p, kind, 0, NULL);
  made.at[0] = (StepNumber){f, i, false};
  return made;
}

static StepNumbers fail(Parser *p, const char *error) {
  if (!p->error) p->error = error;
  return scalar(p, STEP_INT, 0, 0);
}

static double as_float(const StepNumbers *a, uint32_t i) {
  return a->kind == STEP_FLOAT ? a->at[i].f : (double)a->at[i].i;
}

// The element of `a` for element i of the result's shape.
static uint32_t source_of(const StepNumbers *result, const StepNumbers *a, uint32_t i) {
  uint32_t at = 0, step = 1;
  for (uint32_t d = result->rank, k = a->rank; k > 0; i /= result->shape[d]) {
    d--, k--;
    at += a->shape[k] == 1 ? 0 : i % result->shape[d] * step;
    step *= a->shape[k];
  }
  return at;
}

// ---- operators ----

typedef enum Operator {
  OPERATOR_EQ,
  OPERATOR_NE,
  OPERATOR_LE,
  OPERATOR_GE,
  OPERATOR_SHL,
  OPERATOR_SHR,
  OPERATOR_LT,
  OPERATOR_GT,
  OPERATOR_OR,
  OPERATOR_XOR,
  OPERATOR_AND,
  OPERATOR_ADD,
  OPERATOR_SUB,
  OPERATOR_FLOOR,
  OPERATOR_DIV,
  OPERATOR_MOD,
  OPERATOR_MUL,
  OPERATOR_COUNT
} Operator;

// A text comes before its beginnings. Higher levels bind more.
static const struct {
  const char *text;
  int level;
} operators[OPERATOR_COUNT] = {{"==", 0}, {"!=", 0}, {"<=", 0}, {">=", 0}, {"<<", 4}, {">>", 4},
                               {"<", 0},  {">", 0},  {"|", 1},  {"^", 2},  {"&", 3},  {"+", 5},
                               {"-", 5},  {"//", 6}, {"/", 6},  {"%", 6},  {"*", 6}};
enum { LEVELS = 7 };

static bool compares(Operator op) { return op <= OPERATOR_GE || op == OPERATOR_LT || op == OPERATOR_GT; }

static int64_t compare(Operator op, double a, double b, int64_t i, int64_t k, bool floats) {
  bool less = floats ? a < b : i < k, equal = floats ? a == b : i == k, more = floats ? a > b : i > k;
  switch ((int)op) {
  case OPERATOR_EQ: return equal;
  case OPERATOR_NE: return !equal;
  case OPERATOR_LE: return less || equal;
  case OPERATOR_GE: return more || equal;
  case OPERATOR_LT: return less;
  default: return more;
  }
}

static double float_result(Operator op, double a, double b) {
  switch ((int)op) {
  case OPERATOR_ADD: return a + b;
  case OPERATOR_SUB: return a - b;
  case OPERATOR_MUL: return a * b;
  case OPERATOR_MOD: return fmod(a, b);
  default: return a / b;
  }
}

// *undefined: the result is not known.
static int64_t int_result(Operator op, int64_t a, int64_t b, bool *undefined) {
  bool divides = op == OPERATOR_FLOOR || op == OPERATOR_MOD,
       shifts = op == OPERATOR_SHL || op == OPERATOR_SHR;
  if ((divides && (b == 0 || b == -1)) || (shifts && (b < 0 || b > 63))) {
    *undefined |= shifts || b == 0;
    return op == OPERATOR_FLOOR ? (int64_t)(0 - (uint64_t)a) : 0;
  }
  switch ((int)op) {
  case OPERATOR_ADD: return (int64_t)((uint64_t)a + (uint64_t)b);
  case OPERATOR_SUB: return (int64_t)((uint64_t)a - (uint64_t)b);
  case OPERATOR_MUL: return (int64_t)((uint64_t)a * (uint64_t)b);
  case OPERATOR_FLOOR: return a / b;
  case OPERATOR_MOD: return a % b;
  case OPERATOR_SHL: return (int64_t)((uint64_t)a << b);
  case OPERATOR_SHR: return a >> b;
  case OPERATOR_OR: return a | b;
  case OPERATOR_XOR: return a ^ b;
  default: return a & b;
  }
}

static bool fits_shape(const StepNumbers *a, const StepNumbers *b, uint32_t *rank, uint32_t *shape) {
  *rank = a->rank > b->rank ? a->rank : b->rank;
  for (uint32_t d = 0; d < *rank; d++) { // from the last dimension
    uint32_t x = d < a->rank ? a->shape[a->rank - 1 - d] : 1, y = d < b->rank ? b->shape[b->rank - 1 - d] : 1;
    if (x != y && x != 1 && y != 1) return false;
    shape[*rank - 1 - d] = x == 1 ? y : x;
  }
  return true;
}

static StepKind kind_of(Operator op, const StepNumbers *a, const StepNumbers *b, bool floats) {
  bool bits = op == OPERATOR_OR || op == OPERATOR_XOR || op == OPERATOR_AND;
  if (compares(op) || (bits && a->kind == STEP_BOOL && b->kind == STEP_BOOL)) return STEP_BOOL;
  return floats ? STEP_FLOAT : STEP_INT;
}

static StepNumbers apply(Parser *p, Operator op, const StepNumbers *a, const StepNumbers *b) {
  uint32_t rank, shape[TILE_MAX_RANK];
  bool any_float = a->kind == STEP_FLOAT || b->kind == STEP_FLOAT, floats = any_float || op == OPERATOR_DIV;
  bool arithmetic = op == OPERATOR_ADD || op == OPERATOR_SUB || op == OPERATOR_MUL || op == OPERATOR_DIV ||
                    op == OPERATOR_MOD;
  if (any_float && !arithmetic && !compares(op)) return fail(p, "//, &, |, ^, << and >> need integers");
  if (!fits_shape(a, b, &rank, shape)) return fail(p, "the shapes do not fit");
  StepNumbers result = make(p, kind_of(op, a, b, floats), rank, shape);
  for (uint32_t i = 0; i < result.n; i++) {
    uint32_t k = source_of(&result, a, i), m = source_of(&result, b, i);
    StepNumber x = {.undefined = a->at[k].undefined || b->at[m].undefined};
    if (compares(op))
      x.i = compare(op, as_float(a, k), as_float(b, m), a->at[k].i, b->at[m].i, any_float);
    else if (floats)
      x.f = float_result(op, as_float(a, k), as_float(b, m));
    else
      x.i = int_result(op, a->at[k].i, b->at[m].i, &x.undefined);
    result.at[i] = x;
  }
  return result;
}

// ---- names and numbers ----

static void skip(Parser *p) {
  while (p->at < p->end && isspace((unsigned char)*p->at)) p->at++;
}

static bool take(Parser *p, const char *text) {
  size_t n = strlen(text);
  skip(p);
  if ((size_t)(p->end - p->at) < n || memcmp(p->at, text, n) != 0) return false;
  p->at += n;
  return true;
}

static StepNumbers of_variable(Parser *p, const Variable *variable) {
  const Value *value = variable->value;
  const Type *type = value->type, *element = type_element(type);
  if (element->kind != TYPE_SCALAR)
    return fail(p, arena_printf(p->s->run->arena, "'%s' is no number", variable->name));
  bool floats = elem_is_float(element->elem);
  uint32_t n = eval_stop_elements(p->stop, value);
  if (!n) return fail(p, arena_printf(p->s->run->arena, "'%s' has no value here", variable->name));
  StepKind kind = floats ? STEP_FLOAT : element->elem == ELEM_I1 ? STEP_BOOL : STEP_INT;
  StepNumbers made = make(p, kind, type_is_tile(type) ? type->rank : 0, type->shape);
  for (uint32_t i = 0; i < n && i < made.n; i++) {
    made.at[i].undefined = !eval_stop_number(p->stop, value, i, &made.at[i].f);
    if (!floats && !made.at[i].undefined) made.at[i].i = eval_stop_integer(p->stop, value, i);
    if (kind == STEP_BOOL) made.at[i].i &= 1;
  }
  return made;
}

static StepNumbers parse_name(Parser *p) {
  const char *begin = p->at;
  while (p->at < p->end && (isalnum((unsigned char)*p->at) || *p->at == '_')) p->at++;
  Str name = {begin, (size_t)(p->at - begin)};
  if (str_is(name, "True") || str_is(name, "False")) return scalar(p, STEP_BOOL, name.n == 4, 0);
  const Variable *variable = step_find(p->s, name);
  if (variable) return of_variable(p, variable);
  for (uint32_t i = 0; i < p->s->func->constexpr_count; i++) {
    const Constexpr *one = &p->s->func->constexprs[i];
    if (!str_is(name, one->name)) continue;
    if (one->value.kind == CONST_INT) return scalar(p, STEP_INT, one->value.i, 0);
    if (one->value.kind == CONST_BOOL) return scalar(p, STEP_BOOL, one->value.i != 0, 0);
    if (one->value.kind == CONST_FLOAT) return scalar(p, STEP_FLOAT, 0, one->value.f);
    return fail(p, arena_printf(p->s->run->arena, "'%s' is no number", one->name));
  }
  return fail(p, arena_printf(p->s->run->arena, "'%.*s' has no value here", STR_ARG(name)));
}

static StepNumbers parse_number(Parser *p) {
  char text[64], *after;
  size_t n = (size_t)(p->end - p->at) < sizeof text - 1 ? (size_t)(p->end - p->at) : sizeof text - 1;
  memcpy(text, p->at, n);
  text[n] = '\0';
  long long i = strtoll(text, &after, 0);
  bool whole = after != text && *after != '.' && *after != 'e' && *after != 'E';
  double f = whole ? 0 : strtod(text, &after);
  if (after == text) return fail(p, "a number or a name is missing");
  p->at += after - text;
  return scalar(p, whole ? STEP_INT : STEP_FLOAT, i, f);
}

// ---- indices ----

typedef struct Index {
  int64_t from, to;
  bool range; // the dimension stays
} Index;

// A bound of `size` elements; counted from the end if it is negative.
static int64_t parse_bound(Parser *p, uint32_t size) {
  StepNumbers bound = parse_level(p, 0);
  if (bound.rank || bound.kind == STEP_FLOAT || bound.at[0].undefined) fail(p, "an index is one integer");
  return bound.at[0].i < 0 ? bound.at[0].i + size : bound.at[0].i;
}

static Index parse_index(Parser *p, uint32_t size) {
  Index index = {.to = size};
  index.range = take(p, ":");
  if (!index.range) {
    index.from = parse_bound(p, size);
    index.range = take(p, ":");
    if (!index.range) index.to = index.from + 1;
  }
  skip(p);
  if (index.range && p->at < p->end && *p->at != ',' && *p->at != ']') index.to = parse_bound(p, size);
  if (index.from < 0 || index.to > size || index.from > index.to || (!index.range && index.from >= size))
    fail(p, arena_printf(p->s->run->arena, "an index is outside of a dimension of %u elements", size));
  return index;
}

// One index counts along the rows; else there is one for each dimension.
static StepNumbers parse_indices(Parser *p, StepNumbers of) {
  Index index[TILE_MAX_RANK];
  uint32_t count = 0, rank = 0, shape[TILE_MAX_RANK], first[TILE_MAX_RANK], commas = 0, depth = 0;
  for (const char *c = p->at; c < p->end && (depth || *c != ']'); c++) {
    depth += *c == '[' || *c == '(';
    depth -= depth && (*c == ']' || *c == ')');
    commas += *c == ',' && !depth;
  }
  if (!of.rank) return fail(p, "a scalar has no elements");
  if (!commas) of.shape[0] = of.n, of.rank = 1;
  if (commas + 1 != of.rank)
    return fail(p, "an index is missing: one for each dimension, or one along the rows");
  do {
    index[count] = parse_index(p, of.shape[count]);
    if (p->error) return of;
    if (index[count].range)
      first[rank] = (uint32_t)index[count].from,
      shape[rank++] = (uint32_t)(index[count].to - index[count].from);
  } while (++count < of.rank && take(p, ","));
  if (!take(p, "]")) return fail(p, "']' is missing");
  StepNumbers part = make(p, of.kind, rank, shape);
  memcpy(part.first, first, rank * sizeof *first);
  for (uint32_t i = 0; i < part.n; i++) {
    uint32_t left = i, at = 0, step = 1;
    for (uint32_t d = of.rank, k = rank; d-- > 0; step *= of.shape[d]) {
      uint32_t here = (uint32_t)index[d].from;
      if (index[d].range) k--, here += left % shape[k], left /= shape[k];
      at += here * step;
    }
    part.at[i] = of.at[at];
  }
  return part;
}

// ---- the grammar ----

static StepNumbers parse_atom(Parser *p) {
  StepNumbers value;
  skip(p);
  if (take(p, "-")) {
    StepNumbers zero = scalar(p, STEP_INT, 0, 0);
    value = parse_atom(p);
    return apply(p, OPERATOR_SUB, &zero, &value);
  }
  if (take(p, "(")) {
    value = parse_level(p, 0);
    if (!take(p, ")")) return fail(p, "')' is missing");
  } else if (p->at < p->end && (isalpha((unsigned char)*p->at) || *p->at == '_')) {
    value = parse_name(p);
  } else {
    value = parse_number(p);
  }
  while (!p->error && take(p, "[")) value = parse_indices(p, value);
  return value;
}

static StepNumbers parse_level(Parser *p, int level) {
  if (level == LEVELS) return parse_atom(p);
  StepNumbers left = parse_level(p, level + 1);
  while (!p->error) {
    const char *before = p->at;
    uint32_t op = 0;
    while (op < OPERATOR_COUNT && !take(p, operators[op].text)) op++;
    if (op == OPERATOR_COUNT || operators[op].level != level) {
      p->at = before;
      break;
    }
    StepNumbers right = parse_level(p, level + 1);
    if (!p->error) left = apply(p, (Operator)op, &left, &right);
  }
  return left;
}

bool step_evaluate(Stepper *s, const EvalStop *stop, Str text, StepNumbers *value, const char **error) {
  Parser p = {.s = s, .stop = stop, .at = text.at, .end = text.at + text.n};
  *value = parse_level(&p, 0);
  skip(&p);
  if (!p.error && p.at < p.end)
    fail(&p, arena_printf(s->run->arena, "it cannot go on with '%.*s'", (int)(p.end - p.at), p.at));
  *error = p.error;
  return !p.error;
}
