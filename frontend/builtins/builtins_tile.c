// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builtins that make tiles, casts, choices.
#include "frontend/builtins/builtins.h"
#include "frontend/elaborate/elab_refuse.h"

// --- Making tiles ---

static Obj program(Elab *e, Call *call, OpKind kind) {
  const Obj *axis = &call->args[PROGRAM_AXIS];
  if (!obj_is_int(axis) || axis->constant.is_u64 || axis->constant.i < 0 || axis->constant.i > 2)
    return elab_error(e, call->locs[PROGRAM_AXIS],
                      "[T0401] the axis of '%s' must be 0, 1 or 2, known at compile time, not %s", call->text,
                      obj_describe(e, axis));
  if (e->frame->grid)
    return elab_error(e, call->loc, "[T0507] a grid is evaluated before the launch: it has no '%s'",
                      call->text);
  return obj_value(build_program_id(&e->b, kind, (uint32_t)axis->constant.i));
}

Obj builtin_program_id(Elab *e, Call *call) { return program(e, call, OP_PROGRAM_ID); }
Obj builtin_num_programs(Elab *e, Call *call) { return program(e, call, OP_NUM_PROGRAMS); }

Obj builtin_arange(Elab *e, Call *call) {
  static const char *const names[] = {"start", "end"};
  for (uint32_t i = 0; i < 2; i++) {
    const Obj *bound = &call->args[i];
    if (!obj_is_int(bound))
      return elab_explain_runtime(e,
                                  diag_error(e->diags, elab_loc(e, call->locs[i]),
                                             "[T0401] the %s of '%s' must be a constexpr integer, not %s%s",
                                             names[i], call->text, obj_describe(e, bound),
                                             obj_is(bound, CONST_FLOAT) ? "; '//' divides integers" : ""),
                                  bound);
    if (!const_fits(&bound->constant, ELEM_I32))
      return elab_error(e, call->locs[i], "[T0406] the %s of '%s' does not fit in i32: %s", names[i],
                        call->text, obj_text(e, bound));
  }
  int64_t start = call->args[ARANGE_START].constant.i, end = call->args[ARANGE_END].constant.i;
  if (end <= start)
    return elab_error(e, call->loc, "[T0406] '%s' is empty: from %lld to %lld", call->text, (long long)start,
                      (long long)end);
  uint64_t size = (uint64_t)(end - start);
  return elab_check_tile(e, call->loc, 1, &size) ? obj_value(build_arange(&e->b, start, end)) : obj_error();
}

// Checks a literal fill value of an integer tile. It may wrap, but must not be a float, or negative for an
// unsigned type.
static bool check_fill(Elab *e, const Call *call, const Obj *value, const Type *element) {
  bool literal = obj_is_number(value) && !value->typed && element->kind == TYPE_SCALAR;
  if (!literal || elem_is_float(element->elem) || element->elem == ELEM_I1) return true;
  bool is_float = value->constant.kind == CONST_FLOAT;
  bool negative = !is_float && value->constant.i < 0 && !value->constant.is_u64;
  if (!is_float && (elem_is_signed(element->elem) || !negative)) return true;
  return elab_fail(e, call->loc, "[T0207] '%s' of %s cannot have %s%s", call->text,
                   elem_info(element->elem)->name, obj_describe(e, value),
                   is_float ? "; convert the tile with .to" : ": the type is unsigned");
}

static Obj fill(Elab *e, Call *call, const Obj *value, uint32_t dtype_at) {
  const Type *element = builtin_dtype(e, call, dtype_at);
  uint32_t rank, shape[TILE_MAX_RANK];
  if (!element || !elab_shape(e, call->locs[FULL_SHAPE], &call->args[FULL_SHAPE], &rank, shape))
    return obj_error();
  // Zero fits every type, as in Triton.
  bool zero = obj_is(value, CONST_FLOAT) && !value->typed && value->constant.f == 0;
  bool integers = element->kind == TYPE_SCALAR && !elem_is_float(element->elem);
  const Obj none = obj_int(0);
  if (zero && integers) value = &none;
  if (!check_fill(e, call, value, element)) return obj_error();
  bool exact = obj_is(value, CONST_FLOAT) || (element->kind == TYPE_SCALAR && elem_is_float(element->elem));
  Value *scalar = exact ? elab_literal(e, call->loc, "the value", value, element)
                        : elab_value(e, call->loc, "the value", value, element);
  if (!scalar) return obj_error();
  if (type_is_tile(scalar->type))
    return elab_error(e, call->loc, "[T0207] '%s' fills with a scalar, not a tile", call->text);
  const Type *type = type_tile(e->ir, element, rank, shape, NULL);
  e->b.loc = elab_loc(e, call->loc);
  if (rank == 0) return obj_value(scalar);
  int64_t integer;
  double number;
  bool is_int = value_int_constant(scalar, &integer),
       is_float = !is_int && value_float_constant(scalar, &number);
  if (!is_int && !is_float) return obj_value(build_splat(&e->b, scalar, type));
  if (value_unused(scalar) && scalar->def) op_erase(scalar->def);
  return obj_value(is_int ? build_int(&e->b, type, integer) : build_float(&e->b, type, number));
}

Obj builtin_full(Elab *e, Call *call) { return fill(e, call, &call->args[FULL_VALUE], FULL_DTYPE); }

Obj builtin_zeros(Elab *e, Call *call) {
  Obj zero = obj_int(0);
  return fill(e, call, &zero, ZEROS_DTYPE);
}

Obj builtin_zeros_like(Elab *e, Call *call) {
  Value *like = elab_value(e, call->locs[ARG_X], "the argument of zeros_like", &call->args[ARG_X], NULL);
  if (!like) return obj_error();
  if (type_is_ptr(like->type)) return elab_error(e, call->locs[ARG_X], "[T0207] zeros_like of pointers");
  return obj_value(type_is_float(like->type) ? build_float(&e->b, like->type, 0)
                                             : build_int(&e->b, like->type, 0));
}

// --- Casts ---

static bool narrows(const Type *from, const Type *to) {
  return type_is_float(from) && type_is_float(to) &&
         elem_info(type_element(from)->elem)->bits > elem_info(type_element(to)->elem)->bits;
}

// Rounds toward zero. If rounding to nearest went away from zero, takes the bits of the previous number.
static Value *truncate_float(Elab *e, Value *x, const Type *element) {
  static const Elem words[] = {[8] = ELEM_U8, [16] = ELEM_U16, [32] = ELEM_U32};
  Value *nearest = build_cast(&e->b, x, element), *back = build_cast(&e->b, nearest, type_element(x->type));
  if (elem_info(type_element(x->type)->elem)->bits < 32)
    x = builtin_as(e, x, ELEM_FP32), back = builtin_as(e, back, ELEM_FP32);
  Value *least = builtin_math_value(e, "abs", x, NULL);
  Value *away = build_binary(&e->b, OP_GT, builtin_math_value(e, "abs", back, NULL), least);
  const Type *word = type_with_element(e->ir, x->type, elab_scalar(e, words[elem_info(element->elem)->bits]));
  Value *bits = build(&e->b, OP_BITCAST, word, nearest, NULL, NULL);
  Value *less = build_binary(&e->b, OP_SUB, bits, build_int(&e->b, word, 1));
  return build(&e->b, OP_BITCAST, nearest->type, builtin_choose(e, away, less, bits), NULL, NULL);
}

Obj builtin_cast(Elab *e, Call *call) {
  static const char *const roundings[] = {"rtne", "rtz", NULL};
  const Type *element = builtin_dtype(e, call, CAST_DTYPE);
  bool good = element != NULL;
  const char *rounding =
      builtin_choice(e, call, CAST_FP_DOWNCAST_ROUNDING, "fp_downcast_rounding", roundings, &good);
  bool bits = builtin_flag(e, call, CAST_BITCAST, "bitcast", false, &good);
  if (!good) return obj_error();
  bool address = element->kind == TYPE_PTR || element->elem == ELEM_I64 || element->elem == ELEM_U64 ||
                 element->elem == ELEM_I1;
  if (!bits && !address && obj_is_pointers(&call->args[CAST_INPUT]))
    return elab_refuse_pointers(e, call->locs[CAST_INPUT], "[T0502] cannot convert the pointer %s to %s",
                                type_text(e, type_element(call->args[CAST_INPUT].value->type)),
                                type_text(e, element));
  if (!bits && !rounding)
    return obj_value(elab_value(e, call->loc, "the cast value", &call->args[CAST_INPUT], element));
  Value *value = elab_value(e, call->loc, "the cast value", &call->args[CAST_INPUT], NULL);
  if (!value) return obj_error();
  if (bits) return obj_value(elab_bitcast(e, call->loc, value, element));
  if (type_element(value->type) == element) return obj_value(value);
  if (!narrows(value->type, element))
    return elab_error(
        e, call->locs[CAST_FP_DOWNCAST_ROUNDING],
        "[T0207] 'fp_downcast_rounding' applies only to conversions to a narrower float, not to %s to %s",
        type_text(e, type_element(value->type)), type_text(e, element));
  e->b.loc = elab_loc(e, call->loc);
  return obj_value(rounding[2] == 'z' ? truncate_float(e, value, element)
                                      : build_cast(&e->b, value, element));
}

// --- Choices ---

static bool is_pointer(const Obj *obj) { return obj->kind == OBJ_VALUE && type_is_ptr(obj->value->type); }

Obj builtin_where(Elab *e, Call *call) {
  Value *condition =
      elab_value(e, call->locs[WHERE_CONDITION], "the condition", &call->args[WHERE_CONDITION], NULL);
  const Obj *x = &call->args[WHERE_X], *y = &call->args[WHERE_Y];
  if (!condition) return obj_error();
  if (type_is_ptr(condition->type))
    return elab_error(e, call->locs[WHERE_CONDITION], "[T0207] the condition of '%s' must be i1, not %s",
                      call->text, obj_describe(e, &call->args[WHERE_CONDITION]));
  condition = elab_cast(e, call->locs[WHERE_CONDITION], condition, elab_scalar(e, ELEM_I1));
  Pair p = {0};
  if (is_pointer(x) && is_pointer(y) && type_element(x->value->type) == type_element(y->value->type))
    p = (Pair){x->value, y->value};
  else
    p = elab_promote(e, call->loc, "'where'", PROMOTE_MOVE, x, y);
  if (!p.a) return obj_error();
  Value *values[] = {condition, p.a, p.b};
  if (!elab_broadcast(e, call->loc, "'where'", 3, values)) return obj_error();
  return obj_value(build(&e->b, OP_SELECT, values[1]->type, values[0], values[1], values[2]));
}

// The ops max and min take the operand that is not NaN. To propagate a NaN, it is selected explicitly.
Value *builtin_propagate_nan(Elab *e, Value *result, Value *x, Value *y) {
  Value *other = build(&e->b, OP_SELECT, x->type, build_binary(&e->b, OP_NE, y, y), y, result);
  return build(&e->b, OP_SELECT, x->type, build_binary(&e->b, OP_NE, x, x), x, other);
}

// The extremum of two known numbers, in their common type.
static Obj known_extremum(Elab *e, Call *call, OpKind kind, const Obj *x, const Obj *y) {
  Elem elem;
  const char *what = arena_printf(e->arena, "'%s'", call->text);
  if (!elab_common(e, call->loc, what, PROMOTE_PLAIN, x, y, &elem)) return obj_error();
  Obj a = obj_number_as(x, elem), b = obj_number_as(y, elem);
  Obj test = const_compare(e, call->loc, kind == OP_MAX ? COMPARE_GT : COMPARE_LT, &b, &a);
  return test.constant.i ? b : a;
}

Obj builtin_extremum(Elab *e, Call *call, OpKind kind, const Obj *x, const Obj *y, bool nan) {
  Pair p;
  if (obj_is_number(x) && obj_is_number(y)) return known_extremum(e, call, kind, x, y);
  if (!builtin_pair(e, call, x, y, &p)) return obj_error();
  if (type_is_elem(p.a->type, ELEM_I1))
    return obj_value(build_binary(&e->b, kind == OP_MAX ? OP_OR : OP_AND, p.a, p.b));
  Value *result = build_binary(&e->b, kind, p.a, p.b);
  return obj_value(nan && type_is_float(p.a->type) ? builtin_propagate_nan(e, result, p.a, p.b) : result);
}

// Literals have their own default types: a float widens fp16, an integer widens narrower integers.
static Obj extremum(Elab *e, Call *call, OpKind kind) {
  bool good = true, nan = builtin_propagates_nan(e, call, MAXIMUM_PROPAGATE_NAN, &good);
  Obj x = builtin_promote_bf16(e, call->loc, obj_typed(e, call->args[MAXIMUM_X])),
      y = builtin_promote_bf16(e, call->loc, obj_typed(e, call->args[MAXIMUM_Y]));
  return good ? builtin_extremum(e, call, kind, &x, &y, nan) : obj_error();
}

Obj builtin_maximum(Elab *e, Call *call) { return extremum(e, call, OP_MAX); }
Obj builtin_minimum(Elab *e, Call *call) { return extremum(e, call, OP_MIN); }

// --- Arithmetic ---

static bool is_integer(const Obj *obj) {
  return obj_is(obj, CONST_INT) || obj_is(obj, CONST_BOOL) ||
         (obj->kind == OBJ_VALUE && type_is_int(obj->value->type));
}

Obj builtin_cdiv(Elab *e, Call *call) {
  const Obj *x = &call->args[CDIV_X], *div = &call->args[CDIV_DIV];
  if (!is_integer(x) || !is_integer(div))
    return elab_error(e, call->loc, "[T0207] '%s' needs integers, not %s and %s", call->text,
                      obj_describe(e, x), obj_describe(e, div));
  Obj one = obj_int(1);
  Obj less = elab_binary(e, call->loc, BINARY_SUB, div, &one);
  Obj sum = elab_binary(e, call->loc, BINARY_ADD, x, &less);
  return elab_binary(e, call->loc, BINARY_FLOOR_DIV, &sum, div);
}
