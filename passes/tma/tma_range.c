// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges of a kernel's integers on the host. Each op of the kernel becomes the same op on the ends of its operands'
// ranges, in i64. The guard requires that no narrower type wraps, so that sums and multiplications are exact.
#include "passes/tma/tma_range.h"

#include "passes/tma/tensor_copies.h"

enum { MAX_DEPTH = 64 };
static const int64_t LIMIT_FACTOR = INT64_C(1) << 31, LIMIT_SUM = INT64_C(1) << 62;

// --- the guard

Guard guard_new(PassContext *context, Func *func) {
  Guard g = {.func = func, .host = func_new_host(func, HOST_GUARD, NULL), .count = func->value_count};
  g.scratch = context->scratch;
  g.b = builder_at_end(func, g.host->region);
  g.map = clone_map_new(context->scratch, func);
  g.known = ARENA_ARRAY(context->scratch, KnownRange, g.count);
  for (uint32_t i = 0; i < g.host->region->arg_count; i++)
    clone_set(&g.map, func->body->args[i], g.host->region->args[i]);
  return g;
}

GuardMark guard_mark(const Guard *g) { return (GuardMark){g->host->region->last, g->holds, g->asked.n}; }

void guard_undo(Guard *g, GuardMark mark) {
  while (g->host->region->last != mark.last) op_erase(g->host->region->last);
  g->holds = mark.holds;
  g->asked.n = mark.asked;
  g->made.n = 0;
  memset(g->known, 0, g->count * sizeof *g->known);
  g->map = clone_map_new(g->scratch, g->func);
  for (uint32_t i = 0; i < g->host->region->arg_count; i++)
    clone_set(&g->map, g->func->body->args[i], g->host->region->args[i]);
}

void guard_drop(Guard *g) { func_drop_host(g->func, g->host); }

void guard_end(Guard *g) {
  if (!g->holds) g->holds = build_int(&g->b, type_scalar(g->func->module->ir, ELEM_I1), 1);
  build_yield(&g->b, 1, &g->holds);
}

// --- arithmetic

Value *guard_int(Guard *g, int64_t value) {
  const Type *type = type_scalar(g->func->module->ir, ELEM_I64);
  for (Op *op = g->host->region->last; op; op = op->prev)
    if (op->kind == OP_CONSTANT && op_result(op)->type == type && value_is_int(op_result(op), value))
      return op_result(op);
  return build_int(&g->b, type, value);
}

// The op's result. An equal op that exists is used again.
static Value *build_once(Guard *g, OpKind kind, Value *x, Value *y) {
  for (Op *op = g->host->region->last; op; op = op->prev)
    if (op->kind == kind && op_operand(op, 0) == x && op_operand(op, 1) == y && op->attrs.n == 0)
      return op_result(op);
  return build_binary(&g->b, kind, x, y);
}

// Returns false if the result is not known, or the host's own arithmetic would wrap.
static bool fold_binary(OpKind kind, int64_t x, int64_t y, int64_t *result) {
  switch ((int)kind) {
  case OP_ADD: return !__builtin_add_overflow(x, y, result);
  case OP_SUB: return !__builtin_sub_overflow(x, y, result);
  case OP_MUL: return !__builtin_mul_overflow(x, y, result);
  case OP_MIN: return *result = x < y ? x : y, true;
  case OP_MAX: return *result = x > y ? x : y, true;
  default: return false;
  }
}

Value *guard_binary(Guard *g, OpKind kind, Value *x, Value *y) {
  int64_t a, b, folded;
  bool left = value_int_constant(x, &a), right = value_int_constant(y, &b);
  if (left && right && fold_binary(kind, a, b, &folded)) return guard_int(g, folded);
  if (right && b == 0 && (kind == OP_ADD || kind == OP_SUB)) return x;
  if (left && a == 0 && kind == OP_ADD) return y;
  if (right && b == 1 && (kind == OP_MUL || kind == OP_DIV)) return x;
  if (left && a == 1 && kind == OP_MUL) return y;
  if (x == y && (kind == OP_MIN || kind == OP_MAX)) return x;
  return build_once(g, kind, x, y);
}

static bool is_signed(const Value *value) {
  const Type *element = type_element(value->type);
  return element->kind == TYPE_SCALAR && type_is_int(element) && elem_is_signed(element->elem);
}

// True if the comparison always holds because x comes from a signed type of at most 32 bits.
static bool holds_of_type(OpKind comparison, const Value *x, int64_t limit) {
  const Op *cast = x->def;
  if (!cast || cast->kind != OP_CAST || !is_signed(op_operand(cast, 0)) ||
      type_element_bytes(op_operand(cast, 0)->type) > 4)
    return false;
  return comparison == OP_LE ? limit >= INT32_MAX : comparison == OP_GE && limit <= INT32_MIN;
}

void guard_require(Guard *g, OpKind comparison, Value *x, Value *y) {
  int64_t a, b;
  bool constant = value_int_constant(y, &b);
  if (x == y && (comparison == OP_LE || comparison == OP_GE)) return;
  if (constant && holds_of_type(comparison, x, b)) return;
  if (constant && value_int_constant(x, &a) && (comparison == OP_LE ? a <= b : comparison == OP_GE && a >= b))
    return;
  for (uint32_t i = 0; i < g->asked.n; i++) {
    const Op *op = g->asked.at[i]->def;
    if (op->kind == comparison && op_operand(op, 0) == x && op_operand(op, 1) == y) return;
  }
  Value *holds = build_binary(&g->b, comparison, x, y);
  vec_push(g->scratch, &g->asked, holds);
  g->holds = g->holds ? build_binary(&g->b, OP_AND, g->holds, holds) : holds;
}

void guard_within(Guard *g, HostRange range, int64_t low, int64_t high) {
  guard_require(g, OP_GE, range.low, guard_int(g, low));
  guard_require(g, OP_LE, range.high, guard_int(g, high));
}

HostRange guard_add(Guard *g, HostRange x, HostRange y) {
  return (HostRange){guard_binary(g, OP_ADD, x.low, y.low), guard_binary(g, OP_ADD, x.high, y.high)};
}

static HostRange between(Guard *g, Value *x, Value *y) {
  return (HostRange){guard_binary(g, OP_MIN, x, y), guard_binary(g, OP_MAX, x, y)};
}

HostRange guard_mul(Guard *g, HostRange x, HostRange y) {
  int64_t constant;
  guard_within(g, x, -LIMIT_FACTOR, LIMIT_FACTOR);
  guard_within(g, y, -LIMIT_FACTOR, LIMIT_FACTOR);
  Value *low = guard_binary(g, OP_MUL, x.low, y.low), *high = guard_binary(g, OP_MUL, x.high, y.high);
  if (x.low == x.high && y.low == y.high) return (HostRange){low, low};
  bool counts = y.low == y.high && value_int_constant(y.low, &constant) && constant >= 0;
  if (counts) return (HostRange){low, high};
  HostRange same = between(g, low, high);
  if (x.low == x.high || y.low == y.high) return same;
  Value *second = guard_binary(g, OP_MUL, x.high, y.low);
  HostRange crossed = between(g, guard_binary(g, OP_MUL, x.low, y.high), second);
  return (HostRange){guard_binary(g, OP_MIN, same.low, crossed.low),
                     guard_binary(g, OP_MAX, same.high, crossed.high)};
}

// --- ranges of values

static bool find(Guard *g, const Value *value, HostRange *range, uint32_t depth);

// Requires that a result does not wrap in its type. In i64, sums of a few such results do not wrap.
static void keep_in_type(Guard *g, const Value *value, HostRange range) {
  uint32_t bits = elem_info(type_element(value->type)->elem)->bits;
  int64_t limit = bits >= 64 ? LIMIT_SUM : INT64_C(1) << (bits - 1);
  guard_within(g, range, -limit, bits >= 64 ? limit : limit - 1);
}

// A number that every launch knows, as the kernel computes it.
static HostRange of_host(Guard *g, const Value *value) {
  Value *known = build_cast(&g->b, host_clone(&g->b, &g->map, (Value *)value),
                            type_scalar(g->func->module->ir, ELEM_I64));
  return (HostRange){known, known};
}

static HostRange of_programs(Guard *g, const Op *op) {
  Value *count = build_program_id(&g->b, OP_NUM_PROGRAMS, (uint32_t)op_int(op, ATTR_AXIS, 0));
  count = build_cast(&g->b, count, type_scalar(g->func->module->ir, ELEM_I64));
  if (op->kind == OP_NUM_PROGRAMS) return (HostRange){count, count};
  return (HostRange){guard_int(g, 0), guard_binary(g, OP_SUB, count, guard_int(g, 1))};
}

// The largest trip count of the loop.
static bool find_trips(Guard *g, const Op *loop, Value **trips, uint32_t depth) {
  HostRange lower, upper, step;
  if (!find(g, loop_lower(loop), &lower, depth) || !find(g, loop_upper(loop), &upper, depth) ||
      !find(g, loop_step(loop), &step, depth))
    return false;
  guard_require(g, OP_GE, step.low, guard_int(g, 1));
  Value *least = guard_binary(g, OP_MAX, step.low, guard_int(g, 1));
  Value *none = guard_int(g, 0);
  Value *span = guard_binary(g, OP_MAX, guard_binary(g, OP_SUB, upper.high, lower.low), none);
  Value *rounded = guard_binary(g, OP_ADD, span, guard_binary(g, OP_SUB, least, guard_int(g, 1)));
  *trips = guard_binary(g, OP_DIV, rounded, least);
  return true;
}

static bool of_induction(Guard *g, const Op *loop, HostRange *range, uint32_t depth) {
  HostRange lower, upper, step;
  if (!is_signed(loop_lower(loop)) || !find(g, loop_lower(loop), &lower, depth) ||
      !find(g, loop_upper(loop), &upper, depth) || !find(g, loop_step(loop), &step, depth))
    return false;
  Value *one = guard_int(g, 1), *zero = guard_int(g, 0);
  int64_t by;
  guard_require(g, OP_GE, step.low, one);
  *range =
      (HostRange){lower.low, guard_binary(g, OP_MAX, lower.low, guard_binary(g, OP_SUB, upper.high, one))};
  if (lower.low != lower.high || !value_int_constant(loop_step(loop), &by) || by <= 1) return true;
  // The last iteration starts a whole number of steps after the first.
  Value *span = guard_binary(
      g, OP_MAX, guard_binary(g, OP_SUB, guard_binary(g, OP_SUB, upper.high, one), lower.low), zero);
  Value *steps = guard_binary(g, OP_MUL, guard_binary(g, OP_DIV, span, step.low), step.low);
  range->high = guard_binary(g, OP_ADD, lower.low, steps);
  return true;
}

// A loop-carried number to which each iteration adds another number.
static bool of_carried(Guard *g, const Op *loop, const Value *arg, HostRange *range, uint32_t depth) {
  HostRange step, zero = {guard_int(g, 0), NULL};
  Value *trips;
  zero.high = zero.low;
  if (!find(g, loop_init(loop, arg->index - 1), range, depth) || !find_trips(g, loop, &trips, depth))
    return false;
  for (const Value *next = loop_yielded(loop, arg->index - 1); next != arg; next = op_operand(next->def, 0)) {
    if (!next->def || next->def->kind != OP_ADD || !find(g, op_operand(next->def, 1), &step, depth))
      return false;
    step.low = guard_binary(g, OP_MIN, step.low, zero.low);
    step.high = guard_binary(g, OP_MAX, step.high, zero.high);
    *range = guard_add(g, *range, guard_mul(g, step, (HostRange){trips, trips}));
  }
  keep_in_type(g, arg, *range);
  return true;
}

static bool of_argument(Guard *g, const Value *value, HostRange *range, uint32_t depth) {
  const Op *loop = value->region->parent;
  if (!loop || loop->kind != OP_FOR) return false;
  return value->index == 0 ? of_induction(g, loop, range, depth) : of_carried(g, loop, value, range, depth);
}

static HostRange quotient(Guard *g, HostRange x, HostRange y, bool remainder) {
  Value *one = guard_int(g, 1), *zero = guard_int(g, 0);
  guard_require(g, OP_GE, x.low, zero);
  guard_require(g, OP_GE, y.low, one);
  HostRange divisor = {guard_binary(g, OP_MAX, y.low, one), guard_binary(g, OP_MAX, y.high, one)};
  if (remainder)
    return (HostRange){zero, guard_binary(g, OP_MIN, x.high, guard_binary(g, OP_SUB, divisor.high, one))};
  return (HostRange){guard_binary(g, OP_DIV, x.low, divisor.high),
                     guard_binary(g, OP_DIV, x.high, divisor.low)};
}

static bool of_arithmetic(Guard *g, const Op *op, HostRange *range, uint32_t depth) {
  HostRange x, y;
  const Value *result = op_result(op);
  if (!find(g, op_operand(op, 0), &x, depth) || !find(g, op_operand(op, 1), &y, depth)) return false;
  switch ((int)op->kind) {
  case OP_ADD: *range = guard_add(g, x, y); break;
  case OP_SUB:
    *range = (HostRange){guard_binary(g, OP_SUB, x.low, y.high), guard_binary(g, OP_SUB, x.high, y.low)};
    break;
  case OP_MUL: *range = guard_mul(g, x, y); break;
  case OP_MIN:
  case OP_MAX:
    *range = (HostRange){guard_binary(g, op->kind, x.low, y.low), guard_binary(g, op->kind, x.high, y.high)};
    return true;
  default: *range = quotient(g, x, y, op->kind == OP_REM); return true;
  }
  keep_in_type(g, result, *range);
  return true;
}

static bool of_op(Guard *g, const Op *op, HostRange *range, uint32_t depth) {
  const Value *result = op_result(op);
  if (op_has_any(op, VIEW | SPREADS) && op->kind != OP_RESHAPE)
    return find(g, op_operand(op, 0), range, depth);
  switch ((int)op->kind) {
  case OP_PROGRAM_ID:
  case OP_NUM_PROGRAMS: *range = of_programs(g, op); return true;
  case OP_ARANGE:
    *range = (HostRange){guard_int(g, op_int(op, ATTR_START, 0)), guard_int(g, op_int(op, ATTR_END, 1) - 1)};
    return true;
  case OP_HINT: return find(g, op_operand(op, 0), range, depth);
  case OP_CAST:
    if (!type_is_int(type_element(op_operand(op, 0)->type)) || !find(g, op_operand(op, 0), range, depth))
      return false;
    keep_in_type(g, result, *range);
    return true;
  default: {
    bool divides = op_has(op, SAME | SLOW), chooses = op_has(op, SAME | CHOOSES);
    return (op_has(op, ARITHMETIC) || divides || chooses) && of_arithmetic(g, op, range, depth);
  }
  }
}

// True for ops that tma_form.c expands.
static bool is_sum(const Value *value) {
  if (!value->def) return false;
  return op_has(value->def, ARITHMETIC) || value->def->kind == OP_CAST;
}

static bool find_anew(Guard *g, const Value *value, HostRange *range, uint32_t depth) {
  int64_t constant;
  for (uint32_t i = 0; i < g->made.n; i++)
    if (g->made.at[i].of == value) return *range = g->made.at[i].range, true;
  if (depth == 0 || !is_signed(value)) return false;
  if (value_int_constant(value, &constant)) {
    range->low = range->high = guard_int(g, constant);
    return true;
  }
  // Sums must be checked for wrapping, wherever they are computed.
  if (!is_sum(value) && known_on_host(value)) return *range = of_host(g, value), true;
  return value->def ? of_op(g, value->def, range, depth) : of_argument(g, value, range, depth);
}

static bool find(Guard *g, const Value *value, HostRange *range, uint32_t depth) {
  KnownRange *known = value->id < g->count ? &g->known[value->id] : NULL;
  if (known && known->of == value) return *range = known->range, true;
  if (!depth || !find_anew(g, value, range, depth - 1)) return false;
  if (known) *known = (KnownRange){value, *range};
  return true;
}

bool guard_range(Guard *g, const Value *value, HostRange *range) { return find(g, value, range, MAX_DEPTH); }

void guard_note(Guard *g, const Value *value, HostRange range) {
  vec_push(g->scratch, &g->made, ((KnownRange){value, range}));
}
