// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The axis analysis of one op: facts about its result from facts about its operands. axis_info.c explains why the rules
// are correct when numbers wrap.
#include "passes/analysis/axis_rules.h"
#include "base/integer.h"
#include "ir/queries.h"
#include "passes/analysis/axis_bounds.h"
#include "passes/analysis/axis_shape.h"

enum { MAX_DIVISOR_BITS = 62 };

typedef struct PaddedShape {
  uint32_t rank;
  uint64_t extent[TILE_MAX_RANK]; // padded
} PaddedShape;

static PaddedShape shape_of(const Type *type) {
  PaddedShape shape = {1, {1}};
  if (!type_is_tile(type)) return shape;
  shape.rank = type->rank;
  for (uint32_t d = 0; d < shape.rank; d++)
    for (shape.extent[d] = 1; shape.extent[d] < type->shape[d];) shape.extent[d] *= 2;
  return shape;
}

static const Type *element_of(const Value *value) { return type_element(value->type); }
static bool is_integer(const Value *value) { return type_is_int(value->type); }
static bool is_pointer(const Value *value) { return type_is_ptr(value->type); }

static uint32_t width_of(const Value *value) {
  const Type *element = element_of(value);
  return element->kind == TYPE_PTR ? 64 : elem_info(element->elem)->bits;
}

// The largest power of two that may be said to divide a value: only zero is divisible by 2^width.
static uint64_t divisor_cap(const Value *value) {
  uint32_t bits = width_of(value);
  return (uint64_t)1 << (bits < MAX_DIVISOR_BITS ? bits : MAX_DIVISOR_BITS);
}

static uint64_t divisor_of_constant(int64_t constant, uint64_t cap) {
  if (constant == 0) return cap;
  uint64_t lowest = (uint64_t)constant & (~(uint64_t)constant + 1);
  return min_u64(lowest, cap);
}

static uint64_t multiply_capped(uint64_t a, uint64_t b, uint64_t cap) { return a >= cap / b ? cap : a * b; }

// The distance between neighbouring values of a contiguous run.
uint64_t axis_step(const Value *value) {
  const Type *element = element_of(value);
  return element->kind == TYPE_PTR ? type_element_bytes(element->inner) : 1;
}

AxisInfo axis_nothing_known(const Value *value) {
  AxisInfo info = {{0}, {0}, {0}, false, false, false, 0, 0};
  if (is_integer(value)) info.most = axis_greatest(element_of(value));
  uint64_t divisor = is_pointer(value) ? axis_step(value) : 1;
  for (uint32_t d = 0; d < TILE_MAX_RANK; d++) {
    info.contiguity[d] = info.constancy[d] = 1;
    info.divisibility[d] = divisor;
  }
  return info;
}

static void set_all(uint64_t numbers[TILE_MAX_RANK], uint64_t number) {
  for (uint32_t d = 0; d < TILE_MAX_RANK; d++) numbers[d] = number;
}

AxisInfo axis_of_constant(const Value *value, int64_t constant) {
  AxisInfo info = axis_nothing_known(value);
  PaddedShape shape = shape_of(value->type);
  for (uint32_t d = 0; d < shape.rank; d++) info.constancy[d] = shape.extent[d];
  set_all(info.divisibility, divisor_of_constant(constant, divisor_cap(value)));
  info.known = true;
  info.constant = constant;
  info.nonnegative = info.natural = constant >= 0 || !elem_is_signed(element_of(value)->elem);
  if (constant >= 0) info.most = (uint64_t)constant;
  return info;
}

uint64_t axis_divisor_at(const AxisInfo *info, uint64_t step, uint32_t d, uint64_t run) {
  if (run >= info->contiguity[d]) return info->divisibility[d];
  return min_u64(info->divisibility[d], run * step);
}

// The longest aligned contiguous run: its first value is a multiple of its length. So it does not cross a wrap or a
// sign change.
static uint64_t aligned_run(const AxisInfo *info, const Value *value, uint32_t d) {
  uint64_t half_range = (uint64_t)1 << (width_of(value) - 1);
  return min_u64(min_u64(info->contiguity[d], info->divisibility[d]), half_range);
}

// One op's operands and their infos, for the rules.
typedef struct Rule {
  const Op *op;
  const Value *result, *value[3];
  const AxisInfo *in[3];
  AxisInfo out;
} Rule;

static uint64_t operand_divisor(const Rule *rule, uint32_t operand, uint32_t d, uint64_t run) {
  return axis_divisor_at(rule->in[operand], axis_step(rule->value[operand]), d, run);
}

// Sets the facts about dimension d, capped by the type.
static void claim_dim(Rule *rule, uint32_t d, uint64_t contiguity, uint64_t divides) {
  rule->out.contiguity[d] = contiguity;
  rule->out.divisibility[d] = min_u64(divides, divisor_cap(rule->result));
}

static void rule_add(Rule *rule, uint32_t d) {
  const AxisInfo *a = rule->in[0], *b = rule->in[1];
  uint64_t run = min_u64(a->contiguity[d], b->constancy[d]);
  if (rule->op->kind == OP_ADD) run = max_u64(run, min_u64(b->contiguity[d], a->constancy[d]));
  claim_dim(rule, d, run, min_u64(operand_divisor(rule, 0, d, run), operand_divisor(rule, 1, d, run)));
  if (rule->op->kind == OP_SUB) // Both count upwards: their difference is constant.
    rule->out.constancy[d] = max_u64(rule->out.constancy[d], min_u64(a->contiguity[d], b->contiguity[d]));
}

static void rule_mul(Rule *rule, uint32_t d) {
  const AxisInfo *a = rule->in[0], *b = rule->in[1];
  if (b->known && b->constant == 1) {
    claim_dim(rule, d, a->contiguity[d], a->divisibility[d]);
  } else if (a->known && a->constant == 1) {
    claim_dim(rule, d, b->contiguity[d], b->divisibility[d]);
  } else {
    uint64_t cap = divisor_cap(rule->result);
    claim_dim(rule, d, 1,
              multiply_capped(operand_divisor(rule, 0, d, 1), operand_divisor(rule, 1, d, 1), cap));
  }
}

// Within this many elements the dividend counts upwards and does not cross a multiple of the divisor.
static uint64_t remainder_run(const Rule *rule, uint32_t d) {
  const AxisInfo *a = rule->in[0], *b = rule->in[1];
  uint64_t run = min_u64(aligned_run(a, rule->value[0], d), b->constancy[d]);
  return min_u64(run, operand_divisor(rule, 1, d, b->constancy[d]));
}

// Division truncates, so it differs below zero.
static uint64_t division_run(const Rule *rule, uint32_t d) {
  return rule->in[0]->natural ? remainder_run(rule, d) : 1;
}

static bool power_of_two(const AxisInfo *info) {
  return info->known && info->constant > 0 && is_power_of_two((uint64_t)info->constant);
}

static void rule_div(Rule *rule, uint32_t d) {
  const AxisInfo *a = rule->in[0], *b = rule->in[1];
  rule->out.constancy[d] = max_u64(rule->out.constancy[d], division_run(rule, d));
  if (b->known && b->constant == 1) {
    claim_dim(rule, d, a->contiguity[d], a->divisibility[d]);
  } else if (power_of_two(b)) {
    uint64_t divides = operand_divisor(rule, 0, d, 1) / (uint64_t)b->constant;
    claim_dim(rule, d, 1, divides ? divides : 1);
  }
}

// At a negative multiple of b the remainder is 0, and the remainders after it are negative. So the run breaks there.
// Like Triton, we treat it as unbroken, so that offsets wrapped by % are read in vectors. docs/language.md says so.
static void rule_rem(Rule *rule, uint32_t d) {
  uint64_t run = remainder_run(rule, d);
  claim_dim(rule, d, run, min_u64(operand_divisor(rule, 0, d, run), operand_divisor(rule, 1, d, 1)));
}

// The bits of `b` below its divisor are zero. There, `and` clears the run's bits, and `or` and `xor` keep them.
static uint64_t low_zero_run(const Rule *rule, uint32_t x, uint32_t y, uint32_t d) {
  uint64_t run = min_u64(aligned_run(rule->in[x], rule->value[x], d), rule->in[y]->constancy[d]);
  return min_u64(run, operand_divisor(rule, y, d, rule->in[y]->constancy[d]));
}

static uint64_t and_run(const Rule *rule, uint32_t x, uint32_t y, uint32_t d) {
  if (!rule->in[y]->known) return 1;
  uint64_t ones = divisor_of_constant(~rule->in[y]->constant, divisor_cap(rule->value[y]));
  return min_u64(aligned_run(rule->in[x], rule->value[x], d), ones);
}

static void rule_bits(Rule *rule, uint32_t d) {
  uint64_t zero_run = max_u64(low_zero_run(rule, 0, 1, d), low_zero_run(rule, 1, 0, d));
  if (rule->op->kind == OP_AND) {
    rule->out.constancy[d] = max_u64(rule->out.constancy[d], zero_run);
    uint64_t run = max_u64(and_run(rule, 0, 1, d), and_run(rule, 1, 0, d));
    claim_dim(rule, d, run, max_u64(operand_divisor(rule, 0, d, run), operand_divisor(rule, 1, d, run)));
  } else {
    claim_dim(rule, d, zero_run,
              min_u64(operand_divisor(rule, 0, d, zero_run), operand_divisor(rule, 1, d, zero_run)));
  }
}

static void rule_shift(Rule *rule, uint32_t d) {
  const AxisInfo *a = rule->in[0], *b = rule->in[1];
  bool left = rule->op->kind == OP_SHL;
  uint64_t divides = operand_divisor(rule, 0, d, 1);
  if (!b->known || b->constant < 0 || b->constant >= width_of(rule->value[0])) {
    claim_dim(rule, d, 1, left ? divides : 1);
    return;
  }
  uint64_t factor = (uint64_t)1 << b->constant;
  if (factor == 1) {
    claim_dim(rule, d, a->contiguity[d], a->divisibility[d]);
  } else if (left) {
    claim_dim(rule, d, 1, multiply_capped(divides, factor, divisor_cap(rule->result)));
  } else {
    uint64_t run = min_u64(aligned_run(a, rule->value[0], d), factor);
    rule->out.constancy[d] = max_u64(rule->out.constancy[d], run);
    claim_dim(rule, d, 1, divides >= factor ? divides / factor : 1);
  }
}

static void rule_least(Rule *rule, uint32_t d) { // For one of several values: min, max.
  claim_dim(rule, d, 1, min_u64(operand_divisor(rule, 0, d, 1), operand_divisor(rule, 1, d, 1)));
}

static void rule_neg(Rule *rule, uint32_t d) { claim_dim(rule, d, 1, operand_divisor(rule, 0, d, 1)); }

static void rule_compare(Rule *rule, uint32_t d) {
  if (!is_integer(rule->value[0])) return;
  uint32_t counts = op_counted_operand(rule->op);
  rule->out.constancy[d] = max_u64(rule->out.constancy[d], low_zero_run(rule, counts, !counts, d));
}

static void rule_select(Rule *rule, uint32_t d) {
  const AxisInfo *condition = rule->in[0], *a = rule->in[1], *b = rule->in[2];
  uint64_t run = min_u64(condition->constancy[d], min_u64(a->contiguity[d], b->contiguity[d]));
  claim_dim(rule, d, run, min_u64(operand_divisor(rule, 1, d, run), operand_divisor(rule, 2, d, run)));
}

static void rule_cast(Rule *rule, uint32_t d) {
  const Value *from = rule->value[0], *to = rule->result;
  bool i1 = type_is_elem(from->type, ELEM_I1) || type_is_elem(to->type, ELEM_I1);
  if (i1 || !is_integer(from) || !is_integer(to)) return;
  const AxisInfo *a = rule->in[0];
  uint64_t run = width_of(to) > width_of(from) ? aligned_run(a, from, d) : a->contiguity[d];
  claim_dim(rule, d, run, operand_divisor(rule, 0, d, run));
}

static void rule_bitcast(Rule *rule, uint32_t d) {
  const Value *from = rule->value[0], *to = rule->result;
  if (is_integer(from) && is_integer(to))
    claim_dim(rule, d, rule->in[0]->contiguity[d], rule->in[0]->divisibility[d]);
  if (!is_pointer(to) || (!is_integer(from) && !is_pointer(from))) return;
  claim_dim(rule, d, 1, max_u64(operand_divisor(rule, 0, d, 1), axis_step(to)));
}

static uint64_t promise(const Op *op, AttrKey key, uint32_t d) {
  const Attr *attr = op_attr(op, key);
  return attr ? divisor_of_constant(attr->ints.at[d], (uint64_t)1 << MAX_DIVISOR_BITS) : 1;
}

// Adds the promises of the source to the known facts. A longer run starts where a shorter one did.
static void rule_hint(Rule *rule, uint32_t d) {
  const AxisInfo *a = rule->in[0];
  uint64_t multiple = promise(rule->op, ATTR_MULTIPLE, d), equal = promise(rule->op, ATTR_CONSTANT, d);
  claim_dim(rule, d, max_u64(a->contiguity[d], promise(rule->op, ATTR_CONTIGUOUS, d)),
            max_u64(a->divisibility[d], multiple));
  rule->out.constancy[d] = max_u64(rule->out.constancy[d], equal);
}

static void rule_addptr(Rule *rule, uint32_t d) {
  const AxisInfo *pointer = rule->in[0], *offset = rule->in[1];
  uint64_t size = axis_step(rule->result), cap = divisor_cap(rule->result);
  uint64_t steps =
      width_of(rule->value[1]) < 64 ? aligned_run(offset, rule->value[1], d) : offset->contiguity[d];
  uint64_t run =
      max_u64(min_u64(steps, pointer->constancy[d]), min_u64(pointer->contiguity[d], offset->constancy[d]));
  // If the run is longer than the offset's aligned run, it is the pointer's run. Then the offset is constant over it.
  uint64_t bytes = multiply_capped(operand_divisor(rule, 1, d, run), size, cap);
  claim_dim(rule, d, run, min_u64(operand_divisor(rule, 0, d, run), bytes));
}

typedef void RuleFn(Rule *rule, uint32_t d);

static RuleFn *const rules[OP_COUNT] = {
    [OP_ADD] = rule_add,       [OP_SUB] = rule_add,    [OP_MUL] = rule_mul,       [OP_DIV] = rule_div,
    [OP_REM] = rule_rem,       [OP_AND] = rule_bits,   [OP_OR] = rule_bits,       [OP_XOR] = rule_bits,
    [OP_SHL] = rule_shift,     [OP_SHR] = rule_shift,  [OP_MIN] = rule_least,     [OP_MAX] = rule_least,
    [OP_LT] = rule_compare,    [OP_LE] = rule_compare, [OP_GT] = rule_compare,    [OP_GE] = rule_compare,
    [OP_SELECT] = rule_select, [OP_CAST] = rule_cast,  [OP_ADDPTR] = rule_addptr, [OP_BITCAST] = rule_bitcast,
    [OP_NEG] = rule_neg,       [OP_HINT] = rule_hint,
};

// A constant so large that sums and multiples with it are likely to wrap: half of the positive numbers are smaller.
static bool is_near_end(const Rule *rule, const AxisInfo *x) {
  return x->known && x->constant >> (width_of(rule->result) - 2);
}

static bool keeps_natural(const Rule *rule, bool a, bool b, bool c) {
  enum { OFFSET_BITS = 32 }; // A type with fewer bits holds no offset, and wraps.
  bool wide = width_of(rule->result) >= OFFSET_BITS;
  switch ((int)rule->op->kind) {
  case OP_ADD:
  case OP_MUL: return wide && a && b && !is_near_end(rule, rule->in[0]) && !is_near_end(rule, rule->in[1]);
  case OP_SHL: return wide && a;
  case OP_CAST: // A cast that cuts off bits wraps on purpose.
    return wide && a && is_integer(rule->value[0]) && width_of(rule->result) >= width_of(rule->value[0]);
  case OP_DIV:
  case OP_OR:
  case OP_XOR:
  case OP_MIN: return a && b;
  case OP_REM:
  case OP_SHR:
  case OP_HINT: return a;
  case OP_AND:
  case OP_MAX: return a || b;
  case OP_SELECT: return b && c;
  default: return false;
  }
}

static void set_signs(Rule *rule) {
  const AxisInfo *a = rule->in[0], *b = rule->in[1], *c = rule->in[2];
  axis_set_bounds(rule->op, rule->in, &rule->out);
  rule->out.natural =
      rule->out.nonnegative || keeps_natural(rule, a && a->natural, b && b->natural, c && c->natural);
}

// A known constant survives a widening cast if both types can hold it.
static void cast_constant(Rule *rule) {
  const AxisInfo *a = rule->in[0];
  if (!a->known || !a->nonnegative || a->constant < 0 || !is_integer(rule->result)) return;
  if (width_of(rule->result) < width_of(rule->value[0])) return;
  if (type_is_elem(rule->result->type, ELEM_I1)) return;
  if (a->constant >> (width_of(rule->result) - 1)) return;
  rule->out = axis_of_constant(rule->result, a->constant);
}

static AxisInfo of_elementwise(const AxisTable *table, const Op *op, const Value *result) {
  Rule rule = {.op = op, .result = result, .out = axis_nothing_known(result)};
  PaddedShape shape = shape_of(result->type);
  for (uint32_t i = 0; i < op->operand_count && i < 3; i++) {
    rule.value[i] = op_operand(op, i);
    rule.in[i] = axis_info(table, rule.value[i]);
  }
  for (uint32_t d = 0; d < shape.rank; d++) {
    uint64_t constancy = shape.extent[d];
    for (uint32_t i = 0; i < op->operand_count && i < 3; i++)
      constancy = min_u64(constancy, rule.in[i]->constancy[d]);
    rule.out.constancy[d] = constancy;
    bool floats = type_is_float(result->type);
    if (rules[op->kind] && !floats) rules[op->kind](&rule, d);
    rule.out.contiguity[d] = min_u64(rule.out.contiguity[d], shape.extent[d]);
    rule.out.constancy[d] = min_u64(rule.out.constancy[d], shape.extent[d]);
  }
  if (is_integer(result)) set_signs(&rule);
  if (op->kind == OP_CAST && is_integer(rule.value[0])) cast_constant(&rule);
  if (op->kind == OP_HINT && rule.in[0]->known) return *rule.in[0];
  return rule.out;
}

static AxisInfo of_arange(const Op *op, const Value *result) {
  AxisInfo info = axis_nothing_known(result);
  int64_t start = op_int(op, ATTR_START, 0);
  info.contiguity[0] = shape_of(result->type).extent[0];
  info.divisibility[0] = divisor_of_constant(start, divisor_cap(result));
  info.nonnegative = info.natural = start >= 0;
  info.most = (uint64_t)max_u64(1, (uint64_t)op_int(op, ATTR_END, 0)) - 1;
  return info;
}

static AxisInfo of_splat(const AxisTable *table, const Op *op, const Value *result) {
  AxisInfo info = *axis_info(table, op_operand(op, 0));
  PaddedShape shape = shape_of(result->type);
  for (uint32_t d = 0; d < shape.rank; d++) {
    info.contiguity[d] = 1;
    info.constancy[d] = shape.extent[d];
    info.divisibility[d] = info.divisibility[0];
  }
  return info;
}

AxisInfo axis_of_result(const AxisTable *table, const Op *op, const Value *result) {
  int64_t constant;
  AxisInfo info = axis_nothing_known(result);
  switch ((int)op->kind) {
  case OP_CONSTANT:
    if (type_is_int(result->type) && value_int_constant(result, &constant))
      return axis_of_constant(result, constant);
    PaddedShape shape = shape_of(result->type);
    for (uint32_t d = 0; d < shape.rank; d++) info.constancy[d] = shape.extent[d];
    return info;
  case OP_PROGRAM_ID:
  case OP_NUM_PROGRAMS: info.nonnegative = info.natural = true; return info;
  case OP_ARANGE: return of_arange(op, result);
  case OP_SPLAT: return of_splat(table, op, result);
  case OP_CONVERT_LAYOUT: return *axis_info(table, op_operand(op, 0));
  default: break;
  }
  if (op_has(op, VIEW)) return axis_of_shape_op(op, axis_info(table, op_operand(op, 0)), axis_step(result));
  if (op_has(op, PURE | ELEMENTWISE)) return of_elementwise(table, op, result);
  info.nonnegative = info.natural = is_integer(result) && !elem_is_signed(element_of(result)->elem);
  return info;
}
