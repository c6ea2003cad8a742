// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions of the stepper's print: numbers, variables and constexprs, with + - * / // % & | ^ << >>, comparisons,
// parentheses and indices, as the language writes them. Integers have 64 bits here, so that what wrapped in the kernel
// does not wrap. As in the kernel, // and % round towards zero, and shapes are broadcast.
#include <math.h>

#include "frontend/elaborate/elaborate.h"
#include "frontend/syntax/syntax.h"
#include "ir/fold_number.h"
#include "tools/run/step.h"

typedef struct Evaluation {
  Stepper *s;
  const EvalStop *stop;
  Arena *arena;
  const char *error; // the first one; NULL: none
} Evaluation;

static StepNumbers value_of(Evaluation *e, const Expr *expr);

// ---- tiles of numbers ----

static StepNumbers make(Evaluation *e, StepKind kind, uint32_t rank, const uint32_t *shape) {
  StepNumbers made = {.kind = kind, .rank = rank, .n = 1};
  for (uint32_t d = 0; d < rank; d++) made.n *= made.shape[d] = shape[d];
  made.at = ARENA_ARRAY(e->arena, StepNumber, made.n + 1);
  return made;
}

static StepNumbers scalar(Evaluation *e, StepKind kind, int64_t i, double f) {
  StepNumbers made = make(e, kind, 0, NULL);
  made.at[0] = (StepNumber){f, i, false};
  return made;
}

static StepNumbers fail(Evaluation *e, const char *error) {
  if (!e->error) e->error = error;
  return scalar(e, STEP_INT, 0, 0);
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

static bool fits_shape(const StepNumbers *a, const StepNumbers *b, uint32_t *rank, uint32_t *shape) {
  *rank = a->rank > b->rank ? a->rank : b->rank;
  for (uint32_t d = 0; d < *rank; d++) { // from the last dimension
    uint32_t x = d < a->rank ? a->shape[a->rank - 1 - d] : 1, y = d < b->rank ? b->shape[b->rank - 1 - d] : 1;
    if (x != y && x != 1 && y != 1) return false;
    shape[*rank - 1 - d] = x == 1 ? y : x;
  }
  return true;
}

// divides: the operator is /, whose result is a float.
static StepNumbers apply(Evaluation *e, OpKind kind, bool divides, const StepNumbers *a,
                         const StepNumbers *b) {
  uint32_t rank, shape[TILE_MAX_RANK];
  bool any_float = a->kind == STEP_FLOAT || b->kind == STEP_FLOAT, floats = any_float || divides;
  bool compares = kind < OP_COUNT && (op_traits[kind] & COMPARE),
       bits = kind == OP_AND || kind == OP_OR || kind == OP_XOR;
  if (e->error) return *a;
  if (any_float && !compares && (bits || kind == OP_SHL || kind == OP_SHR || (kind == OP_DIV && !divides)))
    return fail(e, "//, &, |, ^, << and >> need integers");
  if (!fits_shape(a, b, &rank, shape)) return fail(e, "the shapes do not fit");
  bool is_bool = compares || (bits && a->kind == STEP_BOOL && b->kind == STEP_BOOL);
  StepNumbers result = make(e, is_bool ? STEP_BOOL : floats ? STEP_FLOAT : STEP_INT, rank, shape);
  for (uint32_t i = 0; i < result.n; i++) {
    uint32_t k = source_of(&result, a, i), m = source_of(&result, b, i);
    StepNumber x = {.undefined = a->at[k].undefined || b->at[m].undefined};
    if (!floats)
      x.undefined |= !fold_int(kind, ELEM_I64, a->at[k].i, b->at[m].i, &x.i);
    else if (compares)
      fold_compare_float(kind, as_float(a, k), as_float(b, m), &x.i);
    else if (!fold_float(kind, ELEM_FP64, as_float(a, k), as_float(b, m), &x.f))
      x.f = NAN;
    result.at[i] = x;
  }
  return result;
}

static StepNumbers of_comparison(Evaluation *e, const Expr *expr) {
  OpKind kind = compare_op_kind(expr->compare.links.at[0].op);
  if (expr->compare.links.n != 1 || kind == OP_COUNT) return fail(e, "a comparison has two numbers");
  StepNumbers left = value_of(e, expr->compare.first), right = value_of(e, expr->compare.links.at[0].right);
  return apply(e, kind, false, &left, &right);
}

// ---- names ----

static StepNumbers of_variable(Evaluation *e, const Variable *variable) {
  const Value *value = variable->value;
  const Type *type = value->type, *element = type_element(type);
  if (element->kind != TYPE_SCALAR)
    return fail(e, arena_printf(e->arena, "'%s' is no number", variable->name));
  bool floats = elem_is_float(element->elem);
  uint32_t n = eval_stop_elements(e->stop, value);
  if (!n) return fail(e, arena_printf(e->arena, "'%s' has no value here", variable->name));
  StepKind kind = floats ? STEP_FLOAT : element->elem == ELEM_I1 ? STEP_BOOL : STEP_INT;
  StepNumbers made = make(e, kind, type_is_tile(type) ? type->rank : 0, type->shape);
  for (uint32_t i = 0; i < n && i < made.n; i++) {
    made.at[i].undefined = !eval_stop_number(e->stop, value, i, &made.at[i].f);
    if (!floats && !made.at[i].undefined) made.at[i].i = eval_stop_integer(e->stop, value, i);
    if (kind == STEP_BOOL) made.at[i].i &= 1;
  }
  return made;
}

static StepNumbers of_name(Evaluation *e, const char *name) {
  const Variable *variable = step_find(e->s, str_from(name));
  if (variable) return of_variable(e, variable);
  for (uint32_t i = 0; i < e->s->func->constexpr_count; i++) {
    const Constexpr *one = &e->s->func->constexprs[i];
    if (strcmp(name, one->name) != 0) continue;
    if (one->value.kind == CONST_INT) return scalar(e, STEP_INT, one->value.i, 0);
    if (one->value.kind == CONST_BOOL) return scalar(e, STEP_BOOL, one->value.i != 0, 0);
    if (one->value.kind == CONST_FLOAT) return scalar(e, STEP_FLOAT, 0, one->value.f);
    return fail(e, arena_printf(e->arena, "'%s' is no number", name));
  }
  return fail(e, arena_printf(e->arena, "'%s' has no value here", name));
}

// ---- indices ----

// A bound of `size` elements; counted from the end if it is negative.
static int64_t bound_of(Evaluation *e, const Expr *expr, uint32_t size) {
  StepNumbers bound = value_of(e, expr);
  if (bound.rank || bound.kind == STEP_FLOAT || bound.at[0].undefined) fail(e, "an index is one integer");
  return bound.at[0].i < 0 ? bound.at[0].i + size : bound.at[0].i;
}

// The elements from..to of a dimension.
static void read_index(Evaluation *e, const Expr *index, uint32_t size, int64_t *from, int64_t *to) {
  bool range = index->kind == EXPR_SLICE;
  const Expr *lower = range ? index->slice.lower : index, *upper = range ? index->slice.upper : NULL;
  *from = lower ? bound_of(e, lower, size) : 0;
  *to = upper ? bound_of(e, upper, size) : range ? size : *from + 1;
  if (range && index->slice.step) fail(e, "an index has no step");
  if (*from < 0 || *to > size || *from > *to)
    fail(e, arena_printf(e->arena, "an index is outside of a dimension of %u elements", size));
}

// One index counts along the rows; else there is one for each dimension.
static StepNumbers of_subscript(Evaluation *e, const Expr *expr) {
  const ExprList *indices = &expr->subscript.indices;
  StepNumbers of = value_of(e, expr->subscript.object);
  int64_t from[TILE_MAX_RANK], to;
  uint32_t rank = 0, shape[TILE_MAX_RANK], first[TILE_MAX_RANK];
  if (e->error) return of;
  if (!of.rank) return fail(e, "a scalar has no elements");
  if (indices->n == 1) of.shape[0] = of.n, of.rank = 1;
  if (indices->n != of.rank)
    return fail(e, "an index is missing: one for each dimension, or one along the rows");
  for (uint32_t d = 0; d < of.rank; d++) {
    read_index(e, indices->at[d], of.shape[d], &from[d], &to);
    if (e->error) return of;
    if (indices->at[d]->kind == EXPR_SLICE)
      first[rank] = (uint32_t)from[d], shape[rank++] = (uint32_t)(to - from[d]);
  }
  StepNumbers part = make(e, of.kind, rank, shape);
  memcpy(part.first, first, rank * sizeof *first);
  for (uint32_t i = 0; i < part.n; i++) {
    uint32_t left = i, at = 0, step = 1;
    for (uint32_t d = of.rank, k = rank; d-- > 0; step *= of.shape[d]) {
      uint32_t here = (uint32_t)from[d];
      if (indices->at[d]->kind == EXPR_SLICE) k--, here += left % shape[k], left /= shape[k];
      at += here * step;
    }
    part.at[i] = of.at[at];
  }
  return part;
}

static StepNumbers value_of(Evaluation *e, const Expr *expr) {
  StepNumbers a, b = {0};
  switch ((int)expr->kind) {
  case EXPR_NAME: return of_name(e, expr->name);
  case EXPR_INT: return scalar(e, STEP_INT, (int64_t)expr->integer.value, 0);
  case EXPR_FLOAT: return scalar(e, STEP_FLOAT, 0, expr->number);
  case EXPR_BOOL: return scalar(e, STEP_BOOL, expr->boolean, 0);
  case EXPR_SUBSCRIPT: return of_subscript(e, expr);
  case EXPR_COMPARE: return of_comparison(e, expr);
  case EXPR_UNARY:
    if (expr->unary.op != UNARY_NEG) break;
    a = scalar(e, STEP_INT, 0, 0), b = value_of(e, expr->unary.operand);
    return apply(e, OP_SUB, false, &a, &b);
  case EXPR_BINARY:
    if (binary_op_kind(expr->binary.op) == OP_COUNT) break;
    a = value_of(e, expr->binary.left), b = value_of(e, expr->binary.right);
    return apply(e, binary_op_kind(expr->binary.op), expr->binary.op == BINARY_DIV, &a, &b);
  default: break;
  }
  return fail(e, "it has more than numbers, names, operators and indices");
}

bool step_evaluate(Stepper *s, const EvalStop *stop, Str text, StepNumbers *value, const char **error) {
  Arena *arena = s->run->arena;
  Sources sources = {.arena = arena};
  Diags diags = {.arena = arena, .sources = &sources};
  Interner names = {.arena = arena};
  Evaluation e = {.s = s, .stop = stop, .arena = arena};
  const Expr *expr =
      syntax_parse_expression(arena, &names, &diags, &sources, sources_add(&sources, "print", text));
  *value = expr ? value_of(&e, expr) : fail(&e, diags.list.at[0]->message);
  *error = e.error;
  return !e.error;
}
