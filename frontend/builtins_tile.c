// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builtins that make tiles, and arithmetic.
#include "frontend/builtins.h"

static Obj error_obj(void) { return (Obj){.kind = OBJ_ERROR}; }

// --- Making tiles ---

static Obj program(Elab *e, Call *call, OpKind kind) {
  const Obj *axis = &call->args[0];
  if (!obj_is(axis, CONST_INT) || axis->constant.is_u64 || axis->constant.i < 0 || axis->constant.i > 2)
    return elab_error(e, call->locs[0], "the axis of '%s' must be 0, 1 or 2, known at compile time, not %s",
                      call->text, obj_describe(e, axis));
  if (e->frame->grid)
    return elab_error(e, call->loc, "a grid is evaluated before the launch: it has no '%s'", call->text);
  return obj_value(build_program_id(&e->b, kind, (uint32_t)axis->constant.i));
}

Obj builtin_program_id(Elab *e, Call *call) { return program(e, call, OP_PROGRAM_ID); }
Obj builtin_num_programs(Elab *e, Call *call) { return program(e, call, OP_NUM_PROGRAMS); }

Obj builtin_arange(Elab *e, Call *call) {
  static const char *const names[] = {"start", "end"};
  for (uint32_t i = 0; i < 2; i++) {
    const Obj *bound = &call->args[i];
    if (!obj_is(bound, CONST_INT))
      return elab_error(e, call->locs[i], "the %s of '%s' must be a constexpr integer, not %s", names[i],
                        call->text, obj_describe(e, bound));
    if (!const_fits(&bound->constant, ELEM_I32))
      return elab_error(e, call->locs[i], "the %s of '%s' does not fit in i32: %s", names[i], call->text,
                        obj_text(e, bound));
  }
  int64_t start = call->args[0].constant.i, end = call->args[1].constant.i;
  if (end <= start)
    return elab_error(e, call->loc, "'%s' is empty: from %lld to %lld", call->text, (long long)start,
                      (long long)end);
  uint64_t size = (uint64_t)(end - start);
  return elab_check_tile(e, call->loc, 1, &size) ? obj_value(build_arange(&e->b, start, end)) : error_obj();
}

static const Type *dtype_arg(Elab *e, const Call *call, uint32_t at) {
  const Obj *dtype = &call->args[at];
  if (obj_is(dtype, CONST_DTYPE) && !type_is_tile(dtype->constant.type)) return dtype->constant.type;
  if (dtype->kind != OBJ_ERROR)
    elab_error(e, call->locs[at], "'%s' needs a type such as fp32, not %s", call->text,
               obj_describe(e, dtype));
  return NULL;
}

static Obj fill(Elab *e, Call *call, const Obj *value, uint32_t dtype_at) {
  const Type *element = dtype_arg(e, call, dtype_at);
  uint32_t rank, shape[TILE_MAX_RANK];
  if (!element || !elab_shape(e, call->locs[0], &call->args[0], &rank, shape)) return error_obj();
  Value *scalar = elab_value(e, call->loc, "the value", value, element);
  if (!scalar) return error_obj();
  if (type_is_tile(scalar->type))
    return elab_error(e, call->loc, "'%s' fills with a scalar, not a tile", call->text);
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

Obj builtin_full(Elab *e, Call *call) { return fill(e, call, &call->args[1], 2); }

Obj builtin_zeros(Elab *e, Call *call) {
  Obj zero = obj_int(0);
  return fill(e, call, &zero, 1);
}

Obj builtin_zeros_like(Elab *e, Call *call) {
  Value *like = elab_value(e, call->locs[0], "the argument of zeros_like", &call->args[0], NULL);
  if (!like) return error_obj();
  if (type_is_ptr(like->type)) return elab_error(e, call->locs[0], "zeros_like of pointers");
  return obj_value(type_is_float(like->type) ? build_float(&e->b, like->type, 0)
                                             : build_int(&e->b, like->type, 0));
}

// --- Casts ---

Obj builtin_cast(Elab *e, Call *call) {
  const Type *element = dtype_arg(e, call, 1);
  bool good = element != NULL;
  if (builtin_option(e, call, 2, CONST_STR, "fp_downcast_rounding", &good) &&
      strcmp(call->args[2].constant.str, "rtne") != 0)
    return elab_error(e, call->locs[2], "rounding other than 'rtne' is not built yet");
  bool bits = builtin_option(e, call, 3, CONST_BOOL, "bitcast", &good) && call->args[3].constant.i;
  if (!good) return error_obj();
  if (!bits && element) return obj_value(elab_value(e, call->loc, "what is cast", &call->args[0], element));
  Value *value = elab_value(e, call->loc, "what is cast", &call->args[0], NULL);
  return obj_value(value ? elab_bitcast(e, call->loc, value, element) : NULL);
}

// --- Choices ---

static bool is_pointer(const Obj *obj) { return obj->kind == OBJ_VALUE && type_is_ptr(obj->value->type); }

Obj builtin_where(Elab *e, Call *call) {
  Value *condition = elab_value(e, call->locs[0], "the condition", &call->args[0], NULL);
  const Obj *x = &call->args[1], *y = &call->args[2];
  if (!condition) return error_obj();
  if (type_is_ptr(condition->type))
    return elab_error(e, call->locs[0], "the condition of '%s' must be i1, not %s", call->text,
                      obj_describe(e, &call->args[0]));
  condition = elab_cast(e, call->locs[0], condition, elab_scalar(e, ELEM_I1));
  Pair p = {0};
  if (is_pointer(x) && is_pointer(y) && type_element(x->value->type) == type_element(y->value->type))
    p = (Pair){x->value, y->value};
  else
    p = elab_promote(e, call->loc, "'where'", PROMOTE_PLAIN, x, y);
  if (!p.a) return error_obj();
  Value *values[] = {condition, p.a, p.b};
  if (!elab_broadcast(e, call->loc, "'where'", 3, values)) return error_obj();
  return obj_value(build(&e->b, OP_SELECT, values[1]->type, values[0], values[1], values[2]));
}

// max and min as ops take the operand that is no NaN; to propagate one, it is chosen explicitly.
static Value *propagate(Elab *e, Value *result, Value *x, Value *y) {
  Value *other = build(&e->b, OP_SELECT, x->type, build_binary(&e->b, OP_NE, y, y), y, result);
  return build(&e->b, OP_SELECT, x->type, build_binary(&e->b, OP_NE, x, x), x, other);
}

static Obj extremum(Elab *e, Call *call, OpKind kind) {
  bool good = true, nan = builtin_option(e, call, 2, CONST_STR, "propagate_nan", &good);
  if (nan) nan = strcmp(call->args[2].constant.str, "ALL") == 0;
  if (!good) return error_obj();
  Pair p = elab_promote(e, call->loc, arena_printf(e->arena, "'%s'", call->text), PROMOTE_PLAIN,
                        &call->args[0], &call->args[1]);
  if (!p.a) return error_obj();
  e->b.loc = elab_loc(e, call->loc);
  Value *result = NULL;
  if (type_is_elem(p.a->type, ELEM_I1))
    result = build_binary(&e->b, kind == OP_MAX ? OP_OR : OP_AND, p.a, p.b);
  else
    result = build_binary(&e->b, kind, p.a, p.b);
  return obj_value(nan && type_is_float(p.a->type) ? propagate(e, result, p.a, p.b) : result);
}

Obj builtin_maximum(Elab *e, Call *call) { return extremum(e, call, OP_MAX); }
Obj builtin_minimum(Elab *e, Call *call) { return extremum(e, call, OP_MIN); }

// --- Arithmetic ---

static bool is_integer(const Obj *obj) {
  return obj_is(obj, CONST_INT) || obj_is(obj, CONST_BOOL) ||
         (obj->kind == OBJ_VALUE && type_is_int(obj->value->type));
}

Obj builtin_cdiv(Elab *e, Call *call) {
  const Obj *x = &call->args[0], *div = &call->args[1];
  if (!is_integer(x) || !is_integer(div))
    return elab_error(e, call->loc, "'%s' needs integers, not %s and %s", call->text, obj_describe(e, x),
                      obj_describe(e, div));
  Obj one = obj_int(1);
  Obj less = elab_binary(e, call->loc, BINARY_SUB, div, &one);
  Obj sum = elab_binary(e, call->loc, BINARY_ADD, x, &less);
  return elab_binary(e, call->loc, BINARY_FLOOR_DIV, &sum, div);
}

Obj builtin_abs(Elab *e, Call *call) {
  const Obj *obj = &call->args[0];
  if (obj_is_number(obj)) {
    Obj zero = obj_int(0), less = const_compare(e, call->loc, COMPARE_LT, obj, &zero);
    bool negative_zero = obj_is(obj, CONST_FLOAT) && obj->constant.f == 0;
    return negative_zero ? obj_float(0)
                         : const_unary(e, call->loc, less.constant.i ? UNARY_NEG : UNARY_POS, obj);
  }
  Value *x = elab_value(e, call->locs[0], "the argument of abs", obj, NULL);
  if (!x) return error_obj();
  const Type *element = type_element(x->type);
  if (element->kind == TYPE_PTR)
    return elab_error(e, call->locs[0], "'%s' is not defined on pointers", call->text);
  if (elem_is_float(element->elem) && elem_info(element->elem)->bits == 8)
    return elab_error(e, call->locs[0], "'%s' is not defined on %s; cast to fp16 or fp32 first", call->text,
                      type_text(e, element));
  if (elem_is_float(element->elem)) { // 0 - x makes +0 of -0; a NaN stays
    Value *zero = build_float(&e->b, x->type, 0), *positive = build_binary(&e->b, OP_SUB, zero, x);
    return obj_value(build(&e->b, OP_SELECT, x->type, build_binary(&e->b, OP_LE, x, zero), positive, x));
  }
  if (!elem_is_signed(element->elem) || element->elem == ELEM_I1) return obj_value(x);
  return obj_value(build_binary(&e->b, OP_MAX, x, build(&e->b, OP_NEG, x->type, x, NULL, NULL)));
}

// fp16 and bf16 are computed in fp32.
Obj builtin_exp(Elab *e, Call *call) {
  const Obj *obj = &call->args[0];
  const Type *fp32 = elab_scalar(e, ELEM_FP32);
  Value *x = elab_value(e, call->locs[0], "the argument of exp", obj, obj_is_number(obj) ? fp32 : NULL);
  if (!x) return error_obj();
  if (!type_is_float(x->type))
    return elab_error(e, call->locs[0], "'%s' needs floats, not %s", call->text, obj_describe(e, obj));
  const Type *element = type_element(x->type);
  bool narrow = elem_info(element->elem)->bits < 32;
  e->b.loc = elab_loc(e, call->loc);
  if (narrow) x = build_cast(&e->b, x, fp32);
  x = build(&e->b, OP_EXP, x->type, x, NULL, NULL);
  return obj_value(narrow ? build_cast(&e->b, x, element) : x);
}
