// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise functions of numbers: op `math`, and functions made of it. fp16 and bf16 are computed in fp32
// and rounded back (except nextafter).
#include "frontend/builtins/builtins.h"
#include "frontend/elaborate/elab_refuse.h"

typedef struct FloatFunction {
  const char *name;
  uint32_t operands;
  char result; // F, B, I
} FloatFunction;

static const FloatFunction *find_function(Str name) {
  static const FloatFunction functions[] = {
#define X(name, operands, result, ...) {#name, operands, #result[0]},
#include "target/math.def"
#undef X
  };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (str_is(name, functions[i].name)) return &functions[i];
  return NULL;
}

static bool is_narrow(const Type *type) { return elem_info(type_element(type)->elem)->bits < 32; }

// The bits of the next 16-bit number after a toward b. a is not 0, NaN or b.
static Value *next_bits(Elab *e, Value *a, Value *bits, Value *b) {
  Value *one = build_int(&e->b, bits->type, 1), *zero = build_float(&e->b, a->type, 0);
  Value *rises = build_binary(&e->b, OP_LT, a, b), *positive = build_binary(&e->b, OP_GT, a, zero);
  Value *away = build_binary(&e->b, OP_EQ, rises, positive);
  Value *above = build_binary(&e->b, OP_ADD, bits, one), *below = build_binary(&e->b, OP_SUB, bits, one);
  return builtin_choose(e, away, above, below);
}

// Computes nextafter in the 16-bit type. In fp32 the next number would be fp32's, and rounding back would
// give a.
static Value *next_narrow(Elab *e, Value *a, Value *b) {
  const Type *word = type_with_element(e->ir, a->type, elab_scalar(e, ELEM_I16));
  Value *a_bits = build(&e->b, OP_BITCAST, word, a, NULL, NULL);
  Value *b_bits = build(&e->b, OP_BITCAST, word, b, NULL, NULL);
  Value *sign = build_binary(&e->b, OP_AND, b_bits, build_int(&e->b, word, INT16_MIN));
  Value *least = build_binary(&e->b, OP_OR, sign, build_int(&e->b, word, 1));
  Value *is_zero = build_binary(&e->b, OP_EQ, a, build_float(&e->b, a->type, 0));
  Value *next = builtin_choose(e, is_zero, least, next_bits(e, a, a_bits, b));
  next = build(&e->b, OP_BITCAST, a->type, next, NULL, NULL);
  next = builtin_choose(e, build_binary(&e->b, OP_EQ, a, b), b, next);
  Value *a_nan = build_binary(&e->b, OP_NE, a, a), *b_nan = build_binary(&e->b, OP_NE, b, b);
  Value *sum = build_binary(&e->b, OP_ADD, a, b);
  return builtin_choose(e, build_binary(&e->b, OP_OR, a_nan, b_nan), sum, next);
}

// Functions that are approximate in fp32 (FUNCTION_approx) use FUNCTION in fp64.
static const char *name_of_fp64(Elab *e, const char *name) {
  const char *end = strstr(name, "_approx");
  return end ? arena_printf(e->arena, "%.*s", (int)(end - name), name) : name;
}

// A function of fp32 or fp64.
static Value *of_whole(Elab *e, const char *name, Value *a, Value *b) {
  Value *fast = builtin_is_fast(e) ? builtin_fast_value(e, name, a, b) : NULL;
  return fast ? fast : build_math(&e->b, name, a, b, NULL);
}

Value *builtin_math_value(Elab *e, const char *name, Value *a, Value *b) {
  const FloatFunction *function = find_function(str_from(name));
  const Type *element = type_element(a->type);
  if (type_is_elem(a->type, ELEM_FP64)) {
    if (strcmp(name, "div_approx") == 0) return build_binary(&e->b, OP_DIV, a, b);
    name = name_of_fp64(e, name);
  }
  if (!is_narrow(element)) return of_whole(e, name, a, b);
  if (strcmp(name, "nextafter") == 0) return next_narrow(e, a, b);
  Value *x = builtin_as(e, a, ELEM_FP32), *y = b ? builtin_as(e, b, ELEM_FP32) : NULL;
  Value *result = of_whole(e, name, x, y);
  return function->result == 'F' ? build_cast(&e->b, result, element) : result;
}

static bool check_float(Elab *e, const Call *call, uint32_t at, const Type *type) {
  if (type_is_ptr(type)) {
    elab_refuse_pointers(e, call->locs[at], "[T0308] '%s' is not defined on pointers", call->text);
    return false;
  }
  if (builtin_refuse_fp8(e, call->locs[at], call, type)) return false;
  if (type_is_float(type)) return true;
  return elab_fail(e, call->locs[at], "[T0207] '%s' needs floats, not %s; cast with .to(tl.float32) first",
                   call->text, obj_describe(e, &call->args[at]));
}

Value *builtin_float_value(Elab *e, const Call *call, uint32_t at) {
  const Obj *obj = &call->args[at];
  const char *what = arena_printf(e->arena, "the argument of '%s'", call->text);
  bool integer = obj_is_number(obj) && elem_is_int(obj_elem(obj));
  Value *x = elab_value(e, call->locs[at], what, obj, integer ? elab_scalar(e, ELEM_FP32) : NULL);
  e->b.loc = elab_loc(e, call->loc);
  return x && check_float(e, call, at, x->type) ? x : NULL;
}

static bool is_fp64(const Obj *obj) {
  return obj->kind == OBJ_VALUE && type_is_elem(obj->value->type, ELEM_FP64);
}

// Literals take fp16 or bf16 from the other operand, which Triton's functions do not accept. With fp64 they
// are fp32.
bool builtin_float_pair(Elab *e, const Call *call, Pair *pair) {
  Obj x = call->args[ARG_X], y = call->args[ARG_Y];
  if (is_fp64(&x) || is_fp64(&y)) x = obj_typed(e, x), y = obj_typed(e, y);
  // Two constexprs: makes at least one a value, so that the result is a float.
  if (obj_is_number(&x) && obj_is_number(&y)) x = obj_value(builtin_float_value(e, call, ARG_X));
  if (!builtin_pair(e, call, &x, &y, pair)) return false;
  return check_float(e, call, type_is_float(pair->a->type) || x.kind != OBJ_VALUE ? ARG_Y : ARG_X,
                     pair->a->type);
}

Obj builtin_math(Elab *e, Call *call) {
  const char *name = call->builtin->detail;
  Pair p = {0};
  if (find_function(str_from(name))->operands == 2) {
    if (!builtin_float_pair(e, call, &p)) return obj_error();
  } else if (!(p.a = builtin_float_value(e, call, ARG_X)))
    return obj_error();
  return obj_value(builtin_math_value(e, name, p.a, p.b));
}

// detail: "FUNCTION TYPE". Applies a function of math.def, then casts to an integer type. FUNCTION "trunc" is
// only the cast.
Obj builtin_math_to_int(Elab *e, Call *call) {
  Str detail = str_from(call->builtin->detail), name = detail;
  name.n = (size_t)(strchr(detail.at, ' ') - detail.at);
  Elem elem;
  Value *x = builtin_float_value(e, call, ARG_X);
  if (!x) return obj_error();
  if (!elem_parse(str_from(detail.at + name.n + 1), &elem)) return obj_error();
  if (!str_is(name, "trunc")) x = builtin_math_value(e, arena_copy(e->arena, name), x, NULL);
  return obj_value(builtin_as(e, x, elem));
}

// detail: the type to convert to.
Obj builtin_convert(Elab *e, Call *call) {
  Elem elem;
  if (!elem_parse(str_from(call->builtin->detail), &elem)) return obj_error();
  return obj_value(
      elab_value(e, call->locs[ARG_X], "the converted value", &call->args[ARG_X], elab_scalar(e, elem)));
}

// detail: the type that the bits are read as.
Obj builtin_bits_as(Elab *e, Call *call) {
  Elem elem;
  Value *x = builtin_value(e, call, ARG_X, "the bitcast value");
  if (!x || !elem_parse(str_from(call->builtin->detail), &elem)) return obj_error();
  return obj_value(elab_bitcast(e, call->loc, x, elab_scalar(e, elem)));
}

// --- Arithmetic by name ---

// detail: the operator: "+", "-", "*".
Obj builtin_operator(Elab *e, Call *call) {
  BinaryOp op = call->builtin->detail[0] == '+'   ? BINARY_ADD
                : call->builtin->detail[0] == '-' ? BINARY_SUB
                                                  : BINARY_MUL;
  return elab_binary(e, call->loc, op, &call->args[ARG_X], &call->args[ARG_Y]);
}

// A number counts as true if it is not 0. detail: and, or, not.
Obj builtin_logical(Elab *e, Call *call) {
  const char *which = call->builtin->detail;
  uint32_t n = which[0] == 'n' ? 1 : 2;
  Value *values[2];
  for (uint32_t i = 0; i < n; i++)
    if (!(values[i] = elab_truth(e, call->locs[i], "the operand", &call->args[i]))) return obj_error();
  if (!elab_broadcast(e, call->loc, arena_printf(e->arena, "'%s'", call->text), n, values))
    return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  if (n == 1) return obj_value(build_with_int(&e->b, OP_XOR, values[0], 1));
  return obj_value(build_binary(&e->b, which[0] == 'a' ? OP_AND : OP_OR, values[0], values[1]));
}

// fdiv returns fp16 and bf16 as given. div_rn returns fp32, and so does fdiv of these types with literals.
Obj builtin_divide(Elab *e, Call *call) {
  const Obj *x = &call->args[FDIV_X], *y = &call->args[FDIV_Y];
  const char *what = arena_printf(e->arena, "'%s'", call->text);
  bool good = true, fast = strcmp(call->builtin->name, "fdiv") == 0;
  bool rounded = strcmp(call->builtin->name, "div_rn") == 0;
  if (fast) rounded = builtin_flag(e, call, FDIV_IEEE_ROUNDING, "ieee_rounding", false, &good);
  bool approx = fast && builtin_flag(e, call, FDIV_APPROX, "approx", false, &good);
  Obj first = *x;
  if (obj_is_number(x) && obj_is_number(y)) first = obj_value(builtin_float_value(e, call, FDIV_X));
  Pair p =
      good ? elab_promote(e, call->loc, what, fast ? PROMOTE_PLAIN : PROMOTE_DIVIDE, &first, y) : (Pair){0};
  if (!p.a || !check_float(e, call, obj_is_number(x) ? FDIV_Y : FDIV_X, p.a->type)) return obj_error();
  if (approx && (rounded || !type_is_elem(p.a->type, ELEM_FP32)))
    return rounded ? elab_error(e, call->loc, "[T0204] '%s' cannot be both correctly rounded and approximate",
                                call->text)
                   : elab_error(e, call->loc, "[T0207] an approximate '%s' needs fp32, not %s", call->text,
                                type_text(e, type_element(p.a->type)));
  e->b.loc = elab_loc(e, call->loc);
  if (approx) return obj_value(builtin_math_value(e, "div_approx", p.a, p.b));
  const Type *element = type_element(p.a->type);
  if (is_narrow(p.a->type)) p = (Pair){builtin_as(e, p.a, ELEM_FP32), builtin_as(e, p.b, ELEM_FP32)};
  Value *quotient = rounded ? build_binary(&e->b, OP_DIV, p.a, p.b) : elab_quotient(e, p.a, p.b);
  if (rounded) op_set_flag(quotient->def, ATTR_ROUNDED, true);
  return obj_value(build_cast(&e->b, quotient, element));
}

Obj builtin_reciprocal(Elab *e, Call *call) {
  const char *function = call->builtin->detail; // the function of math.def whose reciprocal is computed; "":
                                                // of the argument
  Value *x = builtin_float_value(e, call, ARG_X), *y = NULL;
  if (!x) return obj_error();
  if (function[0] && find_function(str_from(function))->operands == 2) {
    Pair p;
    if (!builtin_float_pair(e, call, &p)) return obj_error();
    x = p.a, y = p.b;
  }
  if (function[0]) x = builtin_math_value(e, function, x, y);
  return obj_value(elab_quotient(e, build_float(&e->b, x->type, 1), x));
}

bool builtin_float_triple(Elab *e, const Call *call, Obj args[3], const uint32_t order[3], Value *v[3]) {
  Elem elem;
  const char *what = arena_printf(e->arena, "'%s'", call->text);
  for (uint32_t i = 0; i < 3; i++) args[i] = obj_typed(e, args[i]);
  const Obj *first = &args[order[0]], *second = &args[order[1]], *third = &args[order[2]];
  if (!elab_common(e, call->loc, what, PROMOTE_PLAIN, second, third, &elem)) return false;
  Obj both = {.kind = OBJ_CONST, .typed = true, .elem = elem, .constant = {.kind = CONST_INT}};
  if (!elab_common(e, call->loc, what, PROMOTE_PLAIN, first, &both, &elem)) return false;
  if (!elem_is_float(elem))
    return elab_fail(e, call->loc, "[T0207] '%s' is for floats, not %s; cast with .to(tl.float32) first",
                     call->text, elem_info(elem)->name);
  for (uint32_t i = 0; i < 3; i++)
    if (!(v[i] = elab_value(e, call->locs[i], what, &args[i], elab_scalar(e, elem)))) return false;
  for (uint32_t i = 0; i < 9; i++) v[i / 3] = elab_spread(e, &args[i / 3], v[i / 3], v[i % 3]->type);
  if (!elab_broadcast(e, call->loc, what, 3, v)) return false;
  e->b.loc = elab_loc(e, call->loc);
  return true;
}

Obj builtin_fma(Elab *e, Call *call) {
  static const uint32_t order[] = {ARG_Z, ARG_X, ARG_Y};
  Value *v[3];
  if (!builtin_float_triple(e, call, (Obj[]){call->args[ARG_X], call->args[ARG_Y], call->args[ARG_Z]}, order,
                            v))
    return obj_error();
  return obj_value(build(&e->b, OP_FMA, v[0]->type, v[0], v[1], v[2]));
}

// x + y, x - y and x * y that no optimisation may fuse with another operation: each is rounded once.
Obj builtin_rounded(Elab *e, Call *call) {
  char op = call->builtin->detail[0];
  Pair p;
  if (!builtin_float_pair(e, call, &p)) return obj_error();
  if (op == '*')
    return obj_value(build(&e->b, OP_FMA, p.a->type, p.a, p.b, build_float(&e->b, p.a->type, -0.0)));
  Value *factor = build_float(&e->b, p.a->type, op == '+' ? 1 : -1);
  return obj_value(build(&e->b, OP_FMA, p.a->type, p.b, factor, p.a));
}

Obj builtin_mulhi(Elab *e, Call *call) {
  Obj x = obj_typed(e, call->args[ARG_X]), y = obj_typed(e, call->args[ARG_Y]);
  Pair p;
  if (!builtin_pair(e, call, &x, &y, &p)) return obj_error();
  const Type *element = type_element(p.a->type);
  uint32_t bits = elem_info(element->elem)->bits;
  if (!type_is_int(p.a->type) || bits < 32)
    return elab_error(e, call->loc, "[T0207] '%s' needs integers of 32 or 64 bits, not %s and %s", call->text,
                      obj_describe(e, &call->args[ARG_X]), obj_describe(e, &call->args[ARG_Y]));
  if (call->builtin->detail[0] == 's' || !elem_is_signed(element->elem))
    return obj_value(build_binary(&e->b, OP_MULHI, p.a, p.b));
  const Type *counted = elab_scalar(e, bits == 32 ? ELEM_U32 : ELEM_U64);
  Value *a = elab_bitcast(e, call->loc, p.a, counted), *b = elab_bitcast(e, call->loc, p.b, counted);
  return obj_value(elab_bitcast(e, call->loc, build_binary(&e->b, OP_MULHI, a, b), element));
}

// --- Limits ---

Obj builtin_promote_bf16(Elab *e, Loc loc, Obj obj) {
  if (obj.kind != OBJ_VALUE || !type_is_elem(obj.value->type, ELEM_BF16)) return obj;
  e->b.loc = elab_loc(e, loc);
  return obj_value(builtin_as(e, obj.value, ELEM_FP32));
}

bool builtin_propagates_nan(Elab *e, const Call *call, uint32_t at, bool *good) {
  static const char *const modes[] = {"ALL", "NONE", NULL};
  const char *mode = builtin_choice(e, call, at, "propagate_nan", modes, good);
  return mode && mode[0] == 'A';
}

static bool is_integer(const Obj *obj) {
  if (obj->kind == OBJ_VALUE) return type_is_int(obj->value->type);
  return obj_is_number(obj) && elem_is_int(obj_elem(obj));
}

// The integers, with constants in the type that the run-time values have together.
static bool integer_limits(Elab *e, const Call *call, Obj args[3]) {
  const char *what = arena_printf(e->arena, "'%s'", call->text);
  const Obj *common = NULL;
  Obj both = {.kind = OBJ_CONST, .typed = true, .constant = {.kind = CONST_INT}};
  for (uint32_t i = 0; i < 3; i++) {
    if (args[i].kind != OBJ_VALUE) continue;
    both.elem = obj_elem(common ? common : &args[i]);
    if (common && !elab_common(e, call->loc, what, PROMOTE_PLAIN, common, &args[i], &both.elem)) return false;
    common = &both;
  }
  if (!common) args[CLAMP_X] = obj_typed(e, args[CLAMP_X]);
  for (uint32_t i = 0; common && i < 3; i++) {
    if (args[i].kind == OBJ_VALUE) continue;
    Pair p = elab_promote(e, call->loc, what, PROMOTE_PLAIN, &both, &args[i]);
    if (!p.b) return false;
    args[i] = obj_value(p.b);
  }
  return true;
}

static Obj clamp_integers(Elab *e, Call *call, Obj args[3]) {
  if (!integer_limits(e, call, args)) return obj_error();
  Obj low = builtin_extremum(e, call, OP_MAX, &args[CLAMP_X], &args[CLAMP_MIN], false);
  if (low.kind == OBJ_ERROR) return low;
  return builtin_extremum(e, call, OP_MIN, &low, &args[CLAMP_MAX], false);
}

Obj builtin_clamp(Elab *e, Call *call) {
  bool good = true, nan = builtin_propagates_nan(e, call, CLAMP_PROPAGATE_NAN, &good);
  static const uint32_t order[] = {CLAMP_X, CLAMP_MIN, CLAMP_MAX};
  Value *v[3];
  Obj args[3];
  for (uint32_t i = 0; i < 3; i++) args[i] = builtin_promote_bf16(e, call->loc, call->args[i]);
  if (!good) return obj_error();
  if (is_integer(&args[0]) && is_integer(&args[1]) && is_integer(&args[2]))
    return clamp_integers(e, call, args);
  if (!builtin_float_triple(e, call, args, order, v)) return obj_error();
  Value *low = build_binary(&e->b, OP_MAX, v[CLAMP_X], v[CLAMP_MIN]);
  Value *result = build_binary(&e->b, OP_MIN, low, v[CLAMP_MAX]);
  if (!nan) return obj_value(result);
  Value *unordered = build_binary(&e->b, OP_NE, v[CLAMP_X], v[CLAMP_X]);
  return obj_value(builtin_choose(e, unordered, v[CLAMP_X], result));
}

// The root of a sum of three or four squares, without intermediate overflow. detail: how many, and if it is
// the reciprocal.
Obj builtin_norm(Elab *e, Call *call) {
  const char *detail = call->builtin->detail;
  Obj sum = call->args[ARG_X];
  for (int i = 1; i < detail[0] - '0'; i++) {
    Obj args[] = {sum, call->args[i]};
    Call inner = *call;
    Pair p;
    inner.args = args;
    if (!builtin_float_pair(e, &inner, &p)) return obj_error();
    sum = obj_value(builtin_math_value(e, "hypot", p.a, p.b));
  }
  if (!detail[1]) return sum;
  return obj_value(build_binary(&e->b, OP_DIV, build_float(&e->b, sum.value->type, 1), sum.value));
}

Obj builtin_saturate(Elab *e, Call *call) {
  Value *x = builtin_float_value(e, call, ARG_X);
  return x ? builtin_prelude_value(e, call->loc, "saturatef", x) : obj_error();
}

Obj builtin_fdim(Elab *e, Call *call) {
  Pair p;
  if (!builtin_float_pair(e, call, &p)) return obj_error();
  Value *difference = build_binary(&e->b, OP_SUB, p.a, p.b), *zero = build_float(&e->b, p.a->type, 0);
  Value *below = build_binary(&e->b, OP_LE, p.a, p.b); // false with a NaN; the difference is then NaN
  return obj_value(builtin_choose(e, below, zero, difference));
}

// --- abs ---

// Clears the sign bit. For floats that op `math` does not take.
static Value *clear_sign(Elab *e, Value *x, uint32_t bits) {
  const Type *integer = elab_scalar(e, bits == 8 ? ELEM_U8 : ELEM_U16);
  Value *word = build(&e->b, OP_BITCAST, type_with_element(e->ir, x->type, integer), x, NULL, NULL);
  word = build_with_int(&e->b, OP_AND, word, (1 << (bits - 1)) - 1);
  return build(&e->b, OP_BITCAST, x->type, word, NULL, NULL);
}

Obj builtin_abs(Elab *e, Call *call) {
  const Obj *obj = &call->args[ARG_X];
  if (obj_is_number(obj)) {
    Obj zero = obj_int(0), less = const_compare(e, call->loc, COMPARE_LT, obj, &zero);
    bool negative_zero = obj_is(obj, CONST_FLOAT) && obj->constant.f == 0;
    if (negative_zero)
      return obj_number_as(&(Obj){.kind = OBJ_CONST, .constant = obj_float(0).constant}, obj_elem(obj));
    return elab_unary(e, call->loc, less.constant.i ? UNARY_NEG : UNARY_POS, obj);
  }
  Value *x = elab_value(e, call->locs[ARG_X], "the argument of abs", obj, NULL);
  if (!x) return obj_error();
  const Type *element = type_element(x->type);
  if (element->kind == TYPE_PTR)
    return elab_refuse_pointers(e, call->locs[ARG_X], "[T0308] '%s' is not defined on pointers", call->text);
  uint32_t bits = elem_info(element->elem)->bits;
  if (elem_is_float(element->elem))
    return obj_value(bits < 32 ? clear_sign(e, x, bits) : builtin_math_value(e, "abs", x, NULL));
  if (!elem_is_signed(element->elem)) return obj_value(x);
  return obj_value(build_binary(&e->b, OP_MAX, x, build(&e->b, OP_NEG, x->type, x, NULL, NULL)));
}

// --- sigmoid, softmax ---

Obj builtin_sigmoid(Elab *e, Call *call) {
  Value *x = builtin_float_value(e, call, ARG_X);
  if (!x) return obj_error();
  const Type *element = type_element(x->type);
  if (is_narrow(element)) x = builtin_as(e, x, ELEM_FP32);
  Obj result = builtin_prelude_value(e, call->loc, "sigmoid", x);
  return result.kind == OBJ_VALUE ? obj_value(build_cast(&e->b, result.value, element)) : result;
}

Obj builtin_softmax(Elab *e, Call *call) {
  bool good = true;
  builtin_flag(e, call, SOFTMAX_KEEP_DIMS, "keep_dims", false, &good);
  builtin_flag(e, call, SOFTMAX_IEEE_ROUNDING, "ieee_rounding", false, &good);
  Value *x = builtin_number_tile(e, call, SOFTMAX_X);
  uint32_t axis = 0;
  if (!x || !good) return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  // Triton's maximum is in fp32, so the rest is too.
  if (type_is_float(x->type) && elem_info(type_element(x->type)->elem)->bits == 8)
    x = builtin_as(e, x, ELEM_FP32);
  if (!check_float(e, call, SOFTMAX_X, x->type)) return obj_error();
  if (obj_given(&call->args[SOFTMAX_DIM]) && !builtin_axis(e, call, SOFTMAX_DIM, x->type->rank, &axis))
    return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  if (is_narrow(x->type)) x = builtin_as(e, x, ELEM_FP32);
  return builtin_prelude(e, call->loc, "softmax", 2, (Obj[]){obj_value(x), obj_int(axis)});
}

// fp32 and narrower functions that no PTX library has. They use fp64's erf, erfc, exp and log.
Obj builtin_special(Elab *e, Call *call) {
  Value *x = builtin_float_value(e, call, ARG_X);
  if (!x) return obj_error();
  const Type *element = type_element(x->type);
  if (element->elem == ELEM_FP64)
    return elab_error(e, call->locs[ARG_X], "[T0507] '%s' of fp64 is not supported yet; cast to fp32",
                      call->text);
  Obj result = builtin_prelude_value(e, call->loc, call->builtin->name, builtin_as(e, x, ELEM_FP64));
  return result.kind == OBJ_VALUE ? obj_value(build_cast(&e->b, result.value, element)) : result;
}
