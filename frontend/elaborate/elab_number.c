// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Known numbers that have a type. Triton makes a scalar tensor of a number that is assigned to a name,
// returned, compared, or passed to most builtins. It computes in that type: integers wrap and their division
// truncates, floats are rounded. A literal or constexpr in an operator has no type, and takes that of the
// other operand.
#include <math.h>

#include "frontend/elaborate/elaborate.h"
#include "ir/fold_number.h"

Elem obj_elem(const Obj *obj) {
  if (obj->kind == OBJ_VALUE) return type_element(obj->value->type)->elem;
  return obj->typed ? obj->elem : const_elem(&obj->constant);
}

static Obj with_type(ConstValue constant, Elem elem) {
  return (Obj){.kind = OBJ_CONST, .typed = true, .elem = elem, .constant = constant};
}

static Obj typed_int(int64_t i, Elem elem) {
  int64_t wrapped = elem_wrap(elem, i);
  if (elem == ELEM_I1) return with_type((ConstValue){.kind = CONST_BOOL, .i = wrapped & 1}, elem);
  return with_type((ConstValue){.kind = CONST_INT, .is_u64 = elem == ELEM_U64 && wrapped < 0, .i = wrapped},
                   elem);
}

static Obj typed_float(double f, Elem elem) {
  return with_type((ConstValue){.kind = CONST_FLOAT, .f = elem_round(elem, f)}, elem);
}

Obj obj_typed(Elab *e, Obj obj) {
  if (obj.kind == OBJ_TUPLE) {
    if (obj.items.typed) return obj;
    Obj tuple = obj_tuple_like(e, &obj);
    tuple.items.total = obj.items.total;
    tuple.items.typed = true;
    for (uint32_t i = 0; i < obj.items.n; i++) tuple.items.at[i] = obj_typed(e, obj.items.at[i]);
    return tuple;
  }
  if (!obj_is_number(&obj) || obj.typed) return obj;
  Elem elem = const_elem(&obj.constant);
  if (elem_is_float(elem)) return typed_float(obj.constant.f, elem);
  return with_type(obj.constant, elem);
}

// As a float. 64-bit integers are rounded once.
static double as_float(const ConstValue *number, Elem elem) {
  bool narrow = elem != ELEM_FP64;
  if (number->kind == CONST_FLOAT || !narrow) return const_number(number);
  return number->is_u64 ? (double)(float)(uint64_t)number->i : (double)(float)number->i;
}

Obj obj_number_as(const Obj *obj, Elem elem) {
  const ConstValue *number = &obj->constant;
  if (elem_is_float(elem)) return typed_float(as_float(number, elem), elem);
  if (elem == ELEM_I1) return typed_int(const_number(number) != 0, elem);
  return typed_int(number->i, elem);
}

// --- Operators ---

// Like the ops: a count of the width or more gives 0, or the sign.
static Obj int_shift(BinaryOp op, int64_t a, int64_t b, Elem elem, bool arithmetic) {
  if (elem == ELEM_I1) return typed_int(a, elem);
  uint32_t bits = elem_info(elem)->bits;
  uint64_t count = (uint64_t)b, width = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  if (bits < 64) count &= width;
  if (op == BINARY_SHL) return typed_int(count < bits ? (int64_t)((uint64_t)a << count) : 0, elem);
  uint64_t word = (uint64_t)a & width;
  bool negative = arithmetic && (word >> (bits - 1)) & 1;
  if (count >= bits) return typed_int(negative ? -1 : 0, elem);
  uint64_t shifted = word >> count;
  if (negative) shifted |= ~(width >> count);
  return typed_int((int64_t)shifted, elem);
}

static Obj int_binary(Elab *e, Loc loc, BinaryOp op, int64_t a, int64_t b, Elem elem, bool arithmetic) {
  OpKind kind = op == BINARY_DIV ? OP_COUNT : binary_op_kind(op);
  int64_t result;
  if (op == BINARY_SHL || op == BINARY_SHR) return int_shift(op, a, b, elem, arithmetic);
  if (kind == OP_COUNT)
    return elab_error(e, loc, "[T0308] '%s' is not defined on numbers", binary_op_text(op));
  if (fold_int(kind, elem, a, b, &result)) return typed_int(result, elem);
  return elab_bear_py(e, loc, "[T0406] division by zero") ? typed_int(0, elem) : obj_error();
}

static Obj float_binary(Elab *e, Loc loc, BinaryOp op, double a, double b, Elem elem) {
  switch (op) {
  case BINARY_ADD: return typed_float(a + b, elem);
  case BINARY_SUB: return typed_float(a - b, elem);
  case BINARY_MUL: return typed_float(a * b, elem);
  case BINARY_DIV: return typed_float(a / b, elem);
  case BINARY_MOD: return typed_float(fmod(a, b), elem);
  case BINARY_FLOOR_DIV: return elab_error(e, loc, "[T0308] '//' is not defined on floats; '/' divides them");
  case BINARY_AND:
  case BINARY_OR:
  case BINARY_XOR:
  case BINARY_SHL:
  case BINARY_SHR:
  case BINARY_POW:
  case BINARY_MATMUL: break;
  }
  return elab_error(e, loc, "[T0308] '%s' is not defined on floats", binary_op_text(op));
}

Obj typed_binary(Elab *e, Loc loc, BinaryOp op, const Obj *a, const Obj *b) {
  Elem elem;
  const char *what = arena_printf(e->arena, "'%s'", binary_op_text(op));
  if (op == BINARY_POW) return obj_typed(e, const_binary(e, loc, op, a, b));
  if (!elab_common(e, loc, what, elab_promotion(op), a, b, &elem)) return obj_error();
  if (op == BINARY_DIV && elem_is_int(elem)) elem = ELEM_FP32;
  Obj x = obj_number_as(a, elem), y = obj_number_as(b, elem);
  if (elem_is_float(elem)) return float_binary(e, loc, op, x.constant.f, y.constant.f, elem);
  return int_binary(e, loc, op, x.constant.i, y.constant.i, elem, elem_is_signed(obj_elem(a->typed ? a : b)));
}

Obj typed_unary(Elab *e, Loc loc, UnaryOp op, const Obj *a) {
  Obj zero = obj_number_as(&(Obj){.kind = OBJ_CONST, .constant = {.kind = CONST_INT}}, a->elem);
  if (op == UNARY_NOT) return obj_typed(e, const_unary(e, loc, op, a));
  if (op == UNARY_POS) return *a;
  if (elem_is_float(a->elem))
    return op == UNARY_NEG ? typed_float(-a->constant.f, a->elem) : const_unary(e, loc, op, a);
  if (op == UNARY_INVERT) return typed_int(~a->constant.i, a->elem);
  return typed_binary(e, loc, BINARY_SUB, &zero, a);
}

Obj typed_compare(Elab *e, Loc loc, CompareOp op, const Obj *a, const Obj *b) {
  Elem elem;
  Obj own_a = obj_typed(e, *a), own_b = obj_typed(e, *b);
  const char *what = arena_printf(e->arena, "'%s'", compare_op_text(op));
  if (!elab_common(e, loc, what, PROMOTE_PLAIN, &own_a, &own_b, &elem)) return obj_error();
  own_a = obj_number_as(&own_a, elem), own_b = obj_number_as(&own_b, elem);
  return obj_typed(e, const_compare(e, loc, op, &own_a, &own_b));
}
