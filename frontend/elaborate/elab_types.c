// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of run-time values: promotion, broadcasting, casts, shapes, annotations. language.md has the rules.
#include "frontend/builtins/builtins.h"
#include "frontend/elaborate/elab_refuse.h"

const Type *elab_scalar(Elab *e, Elem elem) { return type_scalar(e->ir, elem); }

// --- Values from objects ---

// A number as a scalar constant of the element type. NULL with an error.
static Value *constant_value(Elab *e, Loc loc, const Obj *obj, const Type *element) {
  if (element->kind != TYPE_SCALAR) {
    elab_error(e, loc, "[T0308] a number cannot be converted to %s", type_text(e, element));
    return NULL;
  }
  e->b.loc = elab_loc(e, loc);
  Obj own = obj_typed(e, *obj);
  if (elem_is_float(own.elem) && !elem_is_float(element->elem))
    return build_cast(&e->b, build_float(&e->b, elab_scalar(e, own.elem), own.constant.f), element);
  Obj number = obj_number_as(&own, element->elem);
  if (elem_is_float(element->elem)) return build_float(&e->b, element, number.constant.f);
  return build_int(&e->b, element, number.constant.i);
}

Value *elab_value(Elab *e, Loc loc, const char *what, const Obj *obj, const Type *element) {
  if (obj->kind == OBJ_ERROR) return NULL;
  if (obj->kind == OBJ_VALUE && !type_is_block_ptr(obj->value->type))
    return element ? elab_cast(e, loc, obj->value, element) : obj->value;
  if (obj_is_number(obj))
    return constant_value(e, loc, obj, element ? element : elab_scalar(e, obj_elem(obj)));
  elab_error(e, loc, "[T0309] %s must be a number, pointer or tile, not %s", what, obj_describe(e, obj));
  return NULL;
}

// True if a literal fits the type of its partner.
static bool check_literal(Elab *e, Loc loc, const Obj *obj, Elem elem) {
  const ConstValue *number = &obj->constant;
  if (elem_is_float(elem) || number->kind == CONST_FLOAT || const_fits(number, elem)) return true;
  const char *text = obj_text(e, obj), *type = elem_info(elem)->name;
  bool negative = number->i < 0 && !number->is_u64 && !elem_is_signed(elem);
  uint64_t bits = (uint64_t)elem_wrap(elem, number->i);
  if (negative)
    elab_error(
        e, loc,
        "[T0406] the integer %s does not fit in %s; cast the other operand to a signed type, or write %llu",
        text, type, (unsigned long long)bits);
  else
    elab_error(e, loc, "[T0406] the integer %s does not fit in %s; cast the other operand to a wider type",
               text, type);
  return false;
}

Value *elab_literal(Elab *e, Loc loc, const char *what, const Obj *obj, const Type *element) {
  if (!obj_is_number(obj) || obj->typed || element->kind != TYPE_SCALAR)
    return elab_value(e, loc, what, obj, element);
  if (!check_literal(e, loc, obj, element->elem)) return NULL;
  e->b.loc = elab_loc(e, loc);
  if (!elem_is_float(element->elem)) return elab_value(e, loc, what, obj, element);
  double number = const_number(&obj->constant);
  // 16-bit constants are made from fp32 ones.
  if (elem_info(element->elem)->bits < 32) number = (double)(float)number;
  return build_float(&e->b, element, number);
}

Value *elab_splat_like(Elab *e, Value *scalar, const Type *like) {
  return type_is_tile(like) && !type_is_tile(scalar->type) ? build_splat(&e->b, scalar, like) : scalar;
}

Value *elab_spread(Elab *e, const Obj *obj, Value *scalar, const Type *like) {
  int64_t integer;
  double number;
  if (!type_is_tile(like) || type_is_tile(scalar->type) || obj->kind != OBJ_CONST)
    return elab_splat_like(e, scalar, like);
  const Type *type = type_with_element(e->ir, like, scalar->type);
  Value *tile = NULL;
  if (value_int_constant(scalar, &integer))
    tile = build_int(&e->b, type, integer);
  else if (value_float_constant(scalar, &number))
    tile = build_float(&e->b, type, number);
  else
    return elab_splat_like(e, scalar, like);
  op_erase(scalar->def);
  return tile;
}

Value *elab_truth(Elab *e, Loc loc, const char *what, const Obj *obj) {
  Value *value = elab_value(e, loc, what, obj, NULL);
  if (!value) return NULL;
  if (type_is_ptr(value->type)) value = elab_bitcast(e, loc, value, elab_scalar(e, ELEM_I64));
  if (!value) return NULL;
  e->b.loc = elab_loc(e, loc);
  return build_cast(&e->b, value, elab_scalar(e, ELEM_I1));
}

Value *elab_condition(Elab *e, Loc loc, const char *what, const Obj *obj) {
  if (obj->kind == OBJ_VALUE && type_is_tile(obj->value->type) && type_elements(obj->value->type) == 1) {
    e->b.loc = elab_loc(e, loc);
    Obj element = obj_value(builtin_only_element(e, obj->value));
    return elab_truth(e, loc, what, &element);
  }
  if (obj->kind == OBJ_VALUE && type_is_tile(obj->value->type)) {
    elab_refuse_condition(e, loc, what, obj);
    return NULL;
  }
  return elab_truth(e, loc, what, obj);
}

// --- Casts ---

static bool is_64_bit_int(const Type *element) {
  return element->kind == TYPE_SCALAR && (element->elem == ELEM_I64 || element->elem == ELEM_U64);
}

static uint32_t element_bits(const Type *element) {
  return element->kind == TYPE_PTR ? 64 : elem_info(element->elem)->bits;
}

Value *elab_bitcast(Elab *e, Loc loc, Value *value, const Type *element) {
  const Type *from = type_element(value->type);
  if (from == element) return value;
  if (element_bits(from) != element_bits(element)) {
    elab_error(e, loc, "[T0308] cannot bitcast %s to %s: they have %u and %u bits", type_text(e, from),
               type_text(e, element), element_bits(from), element_bits(element));
    return NULL;
  }
  e->b.loc = elab_loc(e, loc);
  return build(&e->b, OP_BITCAST, type_with_element(e->ir, value->type, element), value, NULL, NULL);
}

Value *elab_cast(Elab *e, Loc loc, Value *value, const Type *element) {
  const Type *from = type_element(value->type);
  if (from == element) return value;
  e->b.loc = elab_loc(e, loc);
  if (from->kind == TYPE_SCALAR && element->kind == TYPE_SCALAR) return build_cast(&e->b, value, element);
  if (from->kind == TYPE_PTR && (element->kind == TYPE_PTR || is_64_bit_int(element)))
    return elab_bitcast(e, loc, value, element);
  if (element->kind == TYPE_PTR && is_64_bit_int(from)) return elab_bitcast(e, loc, value, element);
  if (from->kind == TYPE_PTR && element->kind == TYPE_SCALAR && element->elem == ELEM_I1) {
    Value *address = elab_bitcast(e, loc, value, elab_scalar(e, ELEM_I64));
    return build_cast(&e->b, address, element);
  }
  if (from->kind == TYPE_PTR)
    elab_refuse_pointers(e, loc, "[T0502] cannot convert the pointer %s to %s", type_text(e, from),
                         type_text(e, element));
  else
    elab_error(e, loc, "[T0308] cannot convert %s to %s", type_text(e, from), type_text(e, element));
  return NULL;
}

// --- Promotion ---

static int kind_of_elem(Elem elem) { return elem == ELEM_I1 ? 0 : elem_is_int(elem) ? 1 : 2; }
static int kind_of_number(const ConstValue *c) {
  return c->kind == CONST_BOOL ? 0 : c->kind == CONST_INT ? 1 : 2;
}
// Triton's order: fp64, fp32, fp16. Two bf16 stay bf16. The two fp8 types give fp16.
static Elem wider_float(Elem a, Elem b) {
  static const Elem first[] = {ELEM_FP64, ELEM_FP32, ELEM_FP16};
  if (a == b) return a;
  for (size_t i = 0; i < sizeof first / sizeof *first; i++)
    if (a == first[i] || b == first[i]) return first[i];
  return a == ELEM_BF16 || b == ELEM_BF16 ? ELEM_FP32 : ELEM_FP16;
}

Elem elab_wider_int(Elem a, Elem b) {
  uint32_t x = elem_info(a)->bits, y = elem_info(b)->bits;
  if (x != y) return x > y ? a : b;
  return elem_is_signed(a) ? b : a;
}

// As in Triton: a float and an integer give the float's type, except that bf16 gives fp32.
static Elem combined_elem(Elem a, Elem b) {
  bool fa = elem_is_float(a), fb = elem_is_float(b);
  if (fa && fb) return wider_float(a, b);
  if (!fa && !fb) return elab_wider_int(a, b);
  Elem number = fa ? a : b;
  return number == ELEM_BF16 ? ELEM_FP32 : number;
}

static bool is_literal(const Obj *obj) { return obj->kind == OBJ_CONST && !obj->typed; }

// True if one operand is a literal of equal or lower kind. It takes the other's type: *elem.
static bool takes_type(const Obj *a, const Obj *b, Elem *elem) {
  if (is_literal(a) == is_literal(b)) return false;
  const Obj *number = is_literal(a) ? a : b;
  *elem = obj_elem(number == a ? b : a);
  return kind_of_number(&number->constant) <= kind_of_elem(*elem);
}

static bool is_arithmetic(const Obj *obj) {
  return obj_is_number(obj) ||
         (obj->kind == OBJ_VALUE && !type_is_ptr(obj->value->type) && !type_is_block_ptr(obj->value->type));
}

bool elab_common(Elab *e, Loc loc, const char *what, Promote how, const Obj *a, const Obj *b, Elem *elem) {
  if (!is_arithmetic(a) || !is_arithmetic(b))
    return elab_fail(e, loc, "[T0308] %s is not defined on %s and %s%s", what, obj_describe(e, a),
                     obj_describe(e, b), elab_operand_advice(e, a, b));
  Elem x = obj_elem(a), y = obj_elem(b);
  if (how == PROMOTE_INTEGERS && (elem_is_float(x) || elem_is_float(y)))
    return elab_fail(e, loc, "[T0308] %s is not defined on floats: %s and %s", what, obj_describe(e, a),
                     obj_describe(e, b));
  bool taken = takes_type(a, b, elem), integers = elem_is_int(x) && elem_is_int(y);
  if (how == PROMOTE_DIVIDE && !taken && integers && elem_is_signed(x) != elem_is_signed(y))
    return elab_fail(e, loc, "[T0308] %s needs operands of one signedness, not %s and %s; cast one of them",
                     what, obj_describe(e, a), obj_describe(e, b));
  if (!taken) *elem = combined_elem(x, y);
  if (how == PROMOTE_DIVIDE && elem_is_half(*elem) && !(elem_is_fp8(x) && elem_is_fp8(y))) *elem = ELEM_FP32;
  if (elem_is_fp8(*elem) && how != PROMOTE_MOVE)
    return elab_fail(e, loc, "[T0308] %s is not defined on %s; cast to fp16 or fp32 first", what,
                     elem_info(*elem)->name);
  return (!is_literal(a) || check_literal(e, loc, a, *elem)) &&
         (!is_literal(b) || check_literal(e, loc, b, *elem));
}

Pair elab_promote(Elab *e, Loc loc, const char *what, Promote how, const Obj *a, const Obj *b) {
  Elem elem;
  if (a->kind == OBJ_ERROR || b->kind == OBJ_ERROR || !elab_common(e, loc, what, how, a, b, &elem))
    return (Pair){0};
  const Type *element = elab_scalar(e, elem);
  Value *values[] = {elab_literal(e, loc, what, a, element), elab_literal(e, loc, what, b, element)};
  if (values[0] && values[1]) {
    values[0] = elab_spread(e, a, values[0], values[1]->type);
    values[1] = elab_spread(e, b, values[1], values[0]->type);
  }
  if (!elab_broadcast(e, loc, what, 2, values)) return (Pair){0};
  return (Pair){values[0], values[1]};
}
