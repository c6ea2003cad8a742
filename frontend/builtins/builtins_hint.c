// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Promises of the source: multiple_of, max_contiguous, max_constancy, assume. A promise is stored on a
// separate value, a hint. It replaces the value from there on, whether or not the call's result is used.
// (Triton stores it on the value itself.)
#include "base/fault.h"
#include "frontend/builtins/builtins.h"

static AttrKey hint_key(const Call *call) {
  switch (call->builtin->detail[0]) {
  case 'm': return ATTR_MULTIPLE;
  case 'c': return call->builtin->detail[3] == 't' ? ATTR_CONTIGUOUS : ATTR_CONSTANT; // contiguous, constant
  default: BUG("no hint %s", call->builtin->detail);
  }
}

// Merges consecutive promises on one value. One may say where runs begin, another what divides the values
// there.
static Op *hint_on(Elab *e, Value *x) {
  const Op *def = x->def;
  bool again = def && def->kind == OP_HINT && def->region == e->b.region;
  Value *hinted = build(&e->b, OP_HINT, x->type, again ? op_operand(def, 0) : x, NULL, NULL);
  if (again) op_copy_attrs(hinted->def, def);
  return hinted->def;
}

// Rebinds names of `x` to `hinted` from here on.
static void rebind(Elab *e, const Value *x, Value *hinted) {
  for (uint32_t i = 0; i < e->frame->vars.n; i++) {
    Obj *obj = &e->frame->vars.at[i].obj;
    if (obj->kind == OBJ_VALUE && obj->value == x) obj->value = hinted;
  }
}

static uint32_t power_in(uint64_t number) {
  uint64_t power = number & (~number + 1);
  return power <= INT32_MAX ? (uint32_t)power : (uint32_t)1 << 31;
}

// Adds a promise. If there is one of the same kind, the stronger one counts for each number.
static void promise(Op *hint, AttrKey key, uint32_t rank, uint32_t numbers[TILE_MAX_RANK]) {
  const Attr *before = op_attr(hint, key);
  for (uint32_t d = 0; before && d < rank; d++)
    if (power_in((uint64_t)before->ints.at[d]) > power_in(numbers[d]))
      numbers[d] = (uint32_t)before->ints.at[d];
  op_set_ints(hint, key, rank, numbers);
}

// Reads one number for each dimension, at least 1 each.
static bool hint_numbers(Elab *e, const Call *call, uint32_t rank, uint32_t numbers[TILE_MAX_RANK]) {
  const Obj *values = &call->args[HINT_VALUES], *at = values->kind == OBJ_TUPLE ? values->items.at : values;
  uint32_t n = values->kind == OBJ_TUPLE ? values->items.n : 1;
  Loc loc = call->locs[HINT_VALUES];
  if (n != rank)
    return elab_error(e, loc, "[T0207] '%s' needs one number for each of the input's %u dimensions, not %u",
                      call->text, rank, n),
           false;
  for (uint32_t i = 0; i < n; i++) {
    if (!obj_is(&at[i], CONST_INT))
      return elab_error(e, loc, "[T0401] '%s' needs constexpr integers, not %s", call->text,
                        obj_describe(e, &at[i])),
             false;
    if (at[i].constant.i < 1 && !at[i].constant.is_u64)
      return elab_error(e, loc, "[T0207] '%s' needs numbers of at least 1, not %lld", call->text,
                        (long long)at[i].constant.i),
             false;
    uint64_t number = (uint64_t)at[i].constant.i;
    numbers[i] = number <= UINT32_MAX ? (uint32_t)number : power_in(number);
  }
  return true;
}

Obj builtin_hint(Elab *e, Call *call) {
  uint32_t numbers[TILE_MAX_RANK] = {0};
  const Obj *input = &call->args[HINT_INPUT];
  if (input->kind == OBJ_TUPLE || input->kind == OBJ_FUNCTION || obj_is(input, CONST_STR))
    return elab_error(e, call->locs[HINT_INPUT], "[T0207] '%s' takes a tile or a number, not %s", call->text,
                      obj_describe(e, input));
  const Type *type = input->kind == OBJ_VALUE ? input->value->type : NULL;
  uint32_t rank = type && type_is_tile(type) ? type->rank : 1;
  if (!hint_numbers(e, call, rank, numbers)) return obj_error();
  if (!type || (!type_is_int(type) && !type_is_ptr(type))) return *input; // accesses do not depend on it
  e->b.loc = elab_loc(e, call->loc);
  Op *hint = hint_on(e, input->value);
  promise(hint, hint_key(call), rank, numbers);
  rebind(e, input->value, op_result(hint));
  return obj_value(op_result(hint));
}

// --- assume ---

static void promise_multiple(Elab *e, Value *x, int64_t divisor) {
  uint32_t numbers[TILE_MAX_RANK] = {power_in((uint64_t)divisor)};
  if (type_is_tile(x->type)) return;
  Op *hint = hint_on(e, x);
  promise(hint, ATTR_MULTIPLE, 1, numbers);
  rebind(e, x, op_result(hint));
}

static void promise_nonnegative(Elab *e, Value *x) {
  if (!type_is_int(x->type) || !elem_is_signed(type_element(x->type)->elem)) return;
  Op *hint = hint_on(e, x);
  op_set_flag(hint, ATTR_NONNEGATIVE, true);
  rebind(e, x, op_result(hint));
}

// x % c == 0
static void take_equality(Elab *e, const Op *op) {
  int64_t divisor;
  const Op *rem = op_operand(op, 0)->def;
  if (!rem || rem->kind != OP_REM || !value_is_int(op_operand(op, 1), 0)) return;
  if (value_int_constant(op_operand(rem, 1), &divisor) && divisor > 0)
    promise_multiple(e, op_operand(rem, 0), divisor);
}

// x > c, x >= c
static void take_order(Elab *e, Value *x, const Value *bound, bool or_equal) {
  int64_t constant;
  if (value_int_constant(bound, &constant) && constant >= (or_equal ? 0 : -1)) promise_nonnegative(e, x);
}

static void take_condition(Elab *e, const Value *condition) {
  const Op *op = condition->def;
  if (!op) return;
  Value *a = op->operand_count > 0 ? op_operand(op, 0) : NULL,
        *b = op->operand_count > 1 ? op_operand(op, 1) : NULL;
  switch ((int)op->kind) {
  case OP_AND: take_condition(e, a), take_condition(e, b); break;
  case OP_EQ: take_equality(e, op); break;
  case OP_GT: take_order(e, a, b, false); break;
  case OP_GE: take_order(e, a, b, true); break;
  case OP_LT: take_order(e, b, a, false); break;
  case OP_LE: take_order(e, b, a, true); break;
  default: break;
  }
}

Obj builtin_assume(Elab *e, Call *call) {
  bool truth;
  if (!const_truth(e, &call->args[ARG_X], &truth)) {
    Value *condition = elab_condition(e, call->locs[ARG_X], "the assumed condition", &call->args[ARG_X]);
    if (!condition) return obj_error();
    e->b.loc = elab_loc(e, call->loc);
    take_condition(e, condition);
  } else if (!truth && !elab_bear_py(e, call->loc, "[T0407] the assumed condition is false"))
    return obj_error();
  return obj_none();
}
