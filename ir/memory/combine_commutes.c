// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests if a reduction's region gives the same for (a..., b...) and (b..., a...). There are three methods:
// * the ops are the same on both sides;
// * an order of the tuples chooses one side (argmax);
// * the results are equal as rational functions (Welford's mean and variance).
#include "ir/memory/scratch.h"
#include "ir/queries.h"

// --- same ops on both sides

static const Value *swapped_arg(const Region *region, const Value *x) {
  uint32_t half = region->arg_count / 2;
  return x->region == region ? region->args[(x->index + half) % region->arg_count] : x;
}

// Returns true if y, with a... and b... exchanged, equals x.
static bool mirrors_value(const Region *region, const Value *x, const Value *y, uint32_t depth) {
  enum { MAX_DEPTH = 16 };
  if (!x->def || !y->def || x->def->region != region) return swapped_arg(region, y) == x;
  const Op *a = x->def, *b = y->def;
  if (depth > MAX_DEPTH || a->kind != b->kind || a->region_count || a->operand_count != b->operand_count ||
      !op_has(a, PURE) || b->region != region)
    return false;
  if (a->attrs.n != b->attrs.n || (a->attrs.n && a != b)) return false;
  bool straight = true, crossed = op_has(a, COMMUTES);
  for (uint32_t i = 0; straight && i < a->operand_count; i++)
    straight = mirrors_value(region, op_operand(a, i), op_operand(b, i), depth + 1);
  if (straight || !crossed) return straight;
  return mirrors_value(region, op_operand(a, 0), op_operand(b, 1), depth + 1) &&
         mirrors_value(region, op_operand(a, 1), op_operand(b, 0), depth + 1);
}

static bool is_mirrored(const Region *region) {
  const Op *yield = region->last;
  for (uint32_t i = 0; i < yield->operand_count; i++)
    if (!mirrors_value(region, op_operand(yield, i), op_operand(yield, i), 0)) return false;
  return true;
}

// --- choice by an order

enum { MAX_CHOSEN = 4, MAX_DEPTH_OF_CHOICE = 16 };

typedef enum Truth { FALSE_ALWAYS, TRUE_ALWAYS, UNKNOWN } Truth;

// By operand of the tuple: -1 if a is less than b, 0 if they are equal, 1 if it is greater.
typedef struct Comparison {
  const Region *region;
  int sign[MAX_CHOSEN];
} Comparison;

static Truth truth_of(bool x) { return x ? TRUE_ALWAYS : FALSE_ALWAYS; }

// Evaluates a comparison of a's with b's element, or of one with itself. Ignores NaN.
static Truth truth_of_compare(const Comparison *c, const Op *op) {
  const Value *x = op_operand(op, 0), *y = op_operand(op, 1);
  const uint32_t half = c->region->arg_count / 2;
  if (x->region != c->region || y->region != c->region || x->index % half != y->index % half) return UNKNOWN;
  int sign = x->index == y->index ? 0 : c->sign[x->index % half];
  if (x->index > y->index) sign = -sign;
  return truth_of(comparison_holds(op->kind, sign));
}

static Truth truth_of_value(const Comparison *c, const Value *condition, uint32_t depth) {
  int64_t constant;
  if (value_int_constant(condition, &constant)) return truth_of(constant != 0);
  const Op *op = condition->def;
  if (!op || op->region != c->region || op->operand_count != 2 || depth == 0) return UNKNOWN;
  bool of_truths = op_has(op, COMPARE) && type_is_elem(op_operand(op, 0)->type, ELEM_I1);
  if (op_has(op, COMPARE) && !of_truths) return truth_of_compare(c, op);
  Truth x = truth_of_value(c, op_operand(op, 0), depth - 1),
        y = truth_of_value(c, op_operand(op, 1), depth - 1);
  if (x == UNKNOWN || y == UNKNOWN) return UNKNOWN;
  switch ((int)op->kind) {
  case OP_AND: return truth_of(x == TRUE_ALWAYS && y == TRUE_ALWAYS);
  case OP_OR: return truth_of(x == TRUE_ALWAYS || y == TRUE_ALWAYS);
  case OP_NE:
  case OP_XOR: return truth_of(x != y);
  case OP_EQ: return truth_of(x == y);
  default: return UNKNOWN;
  }
}

// The condition that chooses all of a's or all of b's elements as results; NULL: there is none.
static const Value *choice_of(const Region *region) {
  const uint32_t half = region->arg_count / 2;
  const Value *condition = NULL;
  for (uint32_t i = 0; i < half; i++) {
    const Op *op = op_operand(region->last, i)->def;
    if (!op || op->kind != OP_SELECT || op->region != region) return NULL;
    if (op_operand(op, 1) != region->args[i] || op_operand(op, 2) != region->args[i + half]) return NULL;
    if (condition && condition != op_operand(op, 0)) return NULL;
    condition = op_operand(op, 0);
  }
  return condition;
}

// Returns true if the same one of two different tuples is chosen in both orders.
static bool is_choice(const Region *region) {
  const uint32_t half = region->arg_count / 2;
  const Value *condition = choice_of(region);
  uint32_t states = 1;
  if (!condition || half > MAX_CHOSEN) return false;
  for (uint32_t i = 0; i < half; i++) states *= 3;
  for (uint32_t state = 0; state < states; state++) {
    Comparison forth = {.region = region}, back = {.region = region};
    bool differ = false;
    for (uint32_t i = 0, rest = state; i < half; i++, rest /= 3) {
      forth.sign[i] = (int)(rest % 3) - 1;
      back.sign[i] = -forth.sign[i];
      differ |= forth.sign[i] != 0;
    }
    Truth x = truth_of_value(&forth, condition, MAX_DEPTH_OF_CHOICE),
          y = truth_of_value(&back, condition, MAX_DEPTH_OF_CHOICE);
    if (x == UNKNOWN || y == UNKNOWN || (differ && x == y)) return false;
  }
  return true;
}

// --- rational functions, evaluated at points of a finite field

enum { PRIME = 2147483647, MAX_OPS = 64, POINTS = 3 };

typedef struct Number {
  uint32_t at;
  bool known;
} Number;

typedef struct FieldNumbers {
  const Region *region;
  const Number *args;
  Number ops[MAX_OPS]; // by index in the region
} FieldNumbers;

static uint32_t field_multiply(uint32_t x, uint32_t y) { return (uint32_t)((uint64_t)x * y % PRIME); }
static uint32_t field_add(uint32_t x, uint32_t y) { return (uint32_t)(((uint64_t)x + y) % PRIME); }
static uint32_t field_negate(uint32_t x) { return x ? PRIME - x : 0; }

static uint32_t field_power(uint32_t x, uint32_t n) {
  uint32_t result = 1;
  for (; n; n >>= 1, x = field_multiply(x, x))
    if (n & 1) result = field_multiply(result, x);
  return result;
}

// Integers divided by powers of two.
static Number of_double(double x) {
  enum { MAX_HALVINGS = 60 };
  uint32_t halvings = 0;
  while (halvings < MAX_HALVINGS && x < 1e15 && x > -1e15 && x != (double)(int64_t)x) x *= 2, halvings++;
  if (!(x < 1e15 && x > -1e15) || x != (double)(int64_t)x) return (Number){0};
  int64_t rest = (int64_t)x % PRIME;
  uint32_t whole = (uint32_t)(rest < 0 ? rest + PRIME : rest);
  return (Number){field_multiply(whole, field_power(field_power(2, PRIME - 2), halvings)), true};
}

static Number of_value(const FieldNumbers *f, const Value *value) {
  double constant;
  int64_t integer;
  if (value_float_constant(value, &constant)) return of_double(constant);
  if (value_int_constant(value, &integer)) return of_double((double)integer);
  if (value->region == f->region && !value->def) return f->args[value->index];
  uint32_t place = 0;
  if (!value->def || value->def->region != f->region) return (Number){0};
  for (const Op *op = f->region->first; op != value->def; op = op->next) place++;
  return f->ops[place];
}

// For generic numbers, an equality condition is false.
static Number select_number(const FieldNumbers *f, const Op *op) {
  const Op *condition = op_operand(op, 0)->def;
  if (!condition || condition->region != f->region) return (Number){0};
  if (condition->kind != OP_EQ && condition->kind != OP_NE) return (Number){0};
  Number x = of_value(f, op_operand(condition, 0)), y = of_value(f, op_operand(condition, 1));
  if (!x.known || !y.known || x.at == y.at) return (Number){0};
  return of_value(f, op_operand(op, condition->kind == OP_EQ ? 2 : 1));
}

static Number of_op(const FieldNumbers *f, const Op *op) {
  Number x[3] = {{0}};
  if (op->kind == OP_SELECT) return select_number(f, op);
  if (op->operand_count == 0 || op->operand_count > 3 || op->result_count != 1) return (Number){0};
  for (uint32_t i = 0; i < op->operand_count; i++) {
    x[i] = of_value(f, op_operand(op, i));
    if (!x[i].known) return x[i];
  }
  const bool is_float = type_is_float(op_result(op)->type);
  switch ((int)op->kind) {
  case OP_ADD: return (Number){field_add(x[0].at, x[1].at), true};
  case OP_SUB: return (Number){field_add(x[0].at, field_negate(x[1].at)), true};
  case OP_MUL: return (Number){field_multiply(x[0].at, x[1].at), true};
  case OP_FMA: return (Number){field_add(field_multiply(x[0].at, x[1].at), x[2].at), true};
  case OP_NEG: return (Number){field_negate(x[0].at), true};
  case OP_DIV:
    return (Number){field_multiply(x[0].at, field_power(x[1].at, PRIME - 2)), is_float && x[1].at != 0};
  case OP_CAST: return (Number){x[0].at, is_float};
  default: return (Number){0};
  }
}

static bool evaluate_region(const Region *region, const Number *args, Number *results) {
  FieldNumbers f = {.region = region, .args = args};
  uint32_t place = 0;
  for (const Op *op = region->first; op != region->last; op = op->next) {
    if (place == MAX_OPS) return false;
    f.ops[place] = of_op(&f, op);
    place++;
  }
  for (uint32_t i = 0; i < region->last->operand_count; i++) {
    results[i] = of_value(&f, op_operand(region->last, i));
    if (!results[i].known) return false;
  }
  return true;
}

static bool is_rational(const Region *region) {
  enum { MOST = 8 };
  const uint32_t n = region->arg_count, half = n / 2;
  uint64_t random = 88172645463325252u;
  if (half > MOST) return false;
  for (uint32_t point = 0; point < POINTS; point++) {
    Number forth[2 * MOST], back[2 * MOST], x[MOST], y[MOST];
    for (uint32_t i = 0; i < n; i++) {
      random ^= random << 13, random ^= random >> 7, random ^= random << 17;
      forth[i] = back[(i + half) % n] = (Number){(uint32_t)(random % PRIME), true};
    }
    if (!evaluate_region(region, forth, x) || !evaluate_region(region, back, y)) return false;
    for (uint32_t i = 0; i < half; i++)
      if (x[i].at != y[i].at) return false;
  }
  return true;
}

Commutes region_commutes(const Region *region) {
  if (!region->last || region->arg_count == 0 || region->arg_count % 2) return COMMUTES_NOT;
  if (region->last->operand_count != region->arg_count / 2) return COMMUTES_NOT;
  if (is_mirrored(region)) return COMMUTES_EXACTLY;
  return is_choice(region) || is_rational(region) ? COMMUTES_IN_EFFECT : COMMUTES_NOT;
}
