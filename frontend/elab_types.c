// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of run-time values: promotion, broadcasting, casts, shapes, annotations. The rules are language.md's.
#include "frontend/elaborate.h"

const Type *elab_scalar(Elab *e, Elem elem) { return type_scalar(e->ir, elem); }

// --- Values from objects ---

// A constexpr number as a scalar constant of the element type; NULL with an error where it does not fit.
static Value *constant_value(Elab *e, Loc loc, const ConstValue *number, const Type *element) {
  if (element->kind != TYPE_SCALAR) {
    elab_error(e, loc, "a number cannot be converted to %s", type_text(e, element));
    return NULL;
  }
  e->b.loc = elab_loc(e, loc);
  if (elem_is_float(element->elem)) return build_float(&e->b, element, const_number(number));
  if (number->kind == CONST_FLOAT) {
    Value *value = build_float(&e->b, elab_scalar(e, ELEM_FP64), number->f);
    return build_cast(&e->b, value, element);
  }
  if (element->elem == ELEM_I1) return build_int(&e->b, element, number->i != 0);
  if (!const_fits(number, element->elem)) {
    Obj shown = obj_const(*number);
    elab_error(e, loc, "the integer %s does not fit in %s", obj_text(e, &shown), type_text(e, element));
    return NULL;
  }
  return build_int(&e->b, element, number->i);
}

Value *elab_value(Elab *e, Loc loc, const char *what, const Obj *obj, const Type *element) {
  if (obj->kind == OBJ_ERROR) return NULL;
  if (obj->kind == OBJ_VALUE) return element ? elab_cast(e, loc, obj->value, element) : obj->value;
  if (obj_is_number(obj))
    return constant_value(e, loc, &obj->constant,
                          element ? element : elab_scalar(e, const_elem(&obj->constant)));
  elab_error(e, loc, "%s must be a number, pointer or tile, not %s", what, obj_describe(e, obj));
  return NULL;
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

Value *elab_condition(Elab *e, Loc loc, const char *what, const Obj *obj) {
  Value *value = elab_value(e, loc, what, obj, NULL);
  if (!value) return NULL;
  if (type_is_tile(value->type)) {
    elab_error(e, loc, "%s must be a scalar, not %s; use '&', '|', '~' and where on tiles", what,
               obj_describe(e, obj));
    return NULL;
  }
  if (type_is_ptr(value->type)) value = elab_bitcast(e, loc, value, elab_scalar(e, ELEM_I64));
  e->b.loc = elab_loc(e, loc);
  return build_cast(&e->b, value, elab_scalar(e, ELEM_I1));
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
    elab_error(e, loc, "cannot bitcast %s to %s: they have %u and %u bits", type_text(e, from),
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
  elab_error(e, loc, "cannot convert %s to %s", type_text(e, from), type_text(e, element));
  return NULL;
}

// --- Shapes ---

bool elab_check_tile(Elab *e, Loc loc, uint32_t rank, const uint64_t *shape) {
  if (rank > TILE_MAX_RANK) {
    elab_error(e, loc, "a tile has at most %d dimensions, not %u", TILE_MAX_RANK, rank);
    return false;
  }
  uint64_t elements = 1;
  for (uint32_t i = 0; i < rank; i++) {
    unsigned long long n = shape[i];
    if (n == 0 || (n & (n - 1)) != 0) {
      elab_error(e, loc, "a tile's size must be a power of two, not %llu", n);
      return false;
    }
    elements = n > TILE_MAX_ELEMENTS ? TILE_MAX_ELEMENTS + 1 : elements * n;
    if (elements > TILE_MAX_ELEMENTS) {
      elab_error(e, loc, "the tile is too large: it may have %d elements", TILE_MAX_ELEMENTS);
      return false;
    }
  }
  return true;
}

bool elab_shape(Elab *e, Loc loc, const Obj *obj, uint32_t *rank, uint32_t shape[TILE_MAX_RANK]) {
  if (obj->kind == OBJ_ERROR) return false;
  const Obj *items = obj->kind == OBJ_TUPLE ? obj->items.at : obj;
  uint64_t sizes[TILE_MAX_RANK];
  *rank = obj->kind == OBJ_TUPLE ? obj->items.n : 1;
  if (*rank > TILE_MAX_RANK) return elab_check_tile(e, loc, *rank, NULL);
  for (uint32_t i = 0; i < *rank; i++) {
    if (items[i].kind == OBJ_ERROR) return false;
    if (!obj_is(&items[i], CONST_INT)) {
      elab_error(e, loc, "a shape is made of constexpr integers, not %s", obj_describe(e, &items[i]));
      return false;
    }
    if (items[i].constant.i <= 0 && !items[i].constant.is_u64) {
      elab_error(e, loc, "a tile's size must be positive, not %lld", (long long)items[i].constant.i);
      return false;
    }
    sizes[i] = (uint64_t)items[i].constant.i;
  }
  if (!elab_check_tile(e, loc, *rank, sizes)) return false;
  for (uint32_t i = 0; i < *rank; i++) shape[i] = (uint32_t)sizes[i];
  return true;
}

static const char *shape_text(Elab *e, const Type *type) {
  Buf buf = {0};
  buf_char(&buf, '[');
  for (uint32_t i = 0; i < type->rank; i++) buf_printf(&buf, "%s%u", i ? ", " : "", type->shape[i]);
  buf_char(&buf, ']');
  return elab_text(e, &buf);
}

// NumPy's rule: shapes are aligned at their ends, and a size of 1 goes with any.
static bool compatible(const Type *a, const Type *b) {
  uint32_t n = a->rank < b->rank ? a->rank : b->rank;
  for (uint32_t i = 1; i <= n; i++) {
    uint32_t x = a->shape[a->rank - i], y = b->shape[b->rank - i];
    if (x != y && x != 1 && y != 1) return false;
  }
  return true;
}

bool elab_broadcast(Elab *e, Loc loc, const char *what, uint32_t n, Value **values) {
  const Type *shape = NULL;
  for (uint32_t i = 0; i < n; i++) {
    if (!values[i]) return false;
    const Type *type = values[i]->type;
    if (!type_is_tile(type)) continue;
    if (shape && !type_same_shape(shape, type)) {
      if (!compatible(shape, type))
        elab_error(e, loc, "%s: the shapes %s and %s do not broadcast", what, shape_text(e, shape),
                   shape_text(e, type));
      else
        elab_error(e, loc, "broadcasting shapes %s and %s is not built yet", shape_text(e, shape),
                   shape_text(e, type));
      return false;
    }
    if (!shape) shape = type;
  }
  e->b.loc = elab_loc(e, loc);
  for (uint32_t i = 0; shape && i < n; i++) values[i] = elab_splat_like(e, values[i], shape);
  return true;
}

// --- Promotion ---

static int kind_of_elem(Elem elem) { return elem == ELEM_I1 ? 0 : elem_is_int(elem) ? 1 : 2; }
static int kind_of_number(const ConstValue *c) {
  return c->kind == CONST_BOOL ? 0 : c->kind == CONST_INT ? 1 : 2;
}
static bool is_fp8(Elem elem) { return elem == ELEM_FP8E4NV || elem == ELEM_FP8E5; }
static bool is_half(Elem elem) { return elem == ELEM_FP16 || elem == ELEM_BF16; }

static Elem wider_float(Elem a, Elem b) {
  if (a == ELEM_FP64 || b == ELEM_FP64) return ELEM_FP64;
  if (a == ELEM_FP32 || b == ELEM_FP32) return ELEM_FP32;
  if (is_half(a) && is_half(b)) return a == b ? a : ELEM_FP32;
  if (is_half(a)) return a;
  if (is_half(b)) return b;
  return a == b ? a : ELEM_FP16;
}

// The larger width wins; of one width, unsigned.
static Elem wider_int(Elem a, Elem b) {
  uint32_t x = elem_info(a)->bits, y = elem_info(b)->bits;
  if (x != y) return x > y ? a : b;
  return elem_is_signed(a) ? b : a;
}

static Elem combine(Elem a, Elem b) {
  bool fa = elem_is_float(a), fb = elem_is_float(b);
  if (fa && fb) return wider_float(a, b);
  if (fa || fb) return fa ? a : b;
  return wider_int(a, b);
}

static Elem elem_of(const Obj *obj) {
  return obj->kind == OBJ_CONST ? const_elem(&obj->constant) : type_element(obj->value->type)->elem;
}

// A literal of equal or lower kind takes the other operand's type.
static Elem common_elem(const Obj *a, const Obj *b) {
  if (a->kind != b->kind) {
    const Obj *number = a->kind == OBJ_CONST ? a : b;
    Elem elem = elem_of(number == a ? b : a);
    return kind_of_number(&number->constant) <= kind_of_elem(elem) ? elem : combine(elem_of(number), elem);
  }
  return combine(elem_of(a), elem_of(b));
}

static bool is_arithmetic(const Obj *obj) {
  return obj_is_number(obj) || (obj->kind == OBJ_VALUE && !type_is_ptr(obj->value->type));
}

static bool check_operands(Elab *e, Loc loc, const char *what, Promote how, const Obj *a, const Obj *b) {
  if (!is_arithmetic(a) || !is_arithmetic(b)) {
    elab_error(e, loc, "%s is not defined on %s and %s", what, obj_describe(e, a), obj_describe(e, b));
    return false;
  }
  Elem x = elem_of(a), y = elem_of(b);
  if (how == PROMOTE_INTEGERS && (elem_is_float(x) || elem_is_float(y))) {
    elab_error(e, loc, "%s is not defined on floats: %s and %s", what, obj_describe(e, a),
               obj_describe(e, b));
    return false;
  }
  bool integers = elem_is_int(x) && elem_is_int(y) && a->kind == OBJ_VALUE && b->kind == OBJ_VALUE;
  if (how == PROMOTE_DIVIDE && integers && elem_is_signed(x) != elem_is_signed(y)) {
    elab_error(e, loc, "%s needs operands of one signedness, not %s and %s; cast one of them", what,
               obj_describe(e, a), obj_describe(e, b));
    return false;
  }
  return true;
}

// -1 for a bitwise operand of unsigned type may be written as such: the bits count, not the value.
static Value *operand(Elab *e, Loc loc, const char *what, Promote how, const Obj *obj, const Type *element) {
  if (obj->kind == OBJ_CONST && how == PROMOTE_INTEGERS && obj->constant.kind == CONST_INT &&
      element->elem != ELEM_I1) {
    static const Elem other_sign[] = {[8] = ELEM_U8, [16] = ELEM_U16, [32] = ELEM_U32};
    uint32_t bits = elem_info(element->elem)->bits;
    bool fits = const_fits(&obj->constant, element->elem) || bits == 64 ||
                const_fits(&obj->constant, other_sign[bits]) ||
                (obj->constant.i < 0 && obj->constant.i >= -((int64_t)1 << (bits - 1)));
    e->b.loc = elab_loc(e, loc);
    if (fits) return build_int(&e->b, element, obj->constant.i);
  }
  return elab_value(e, loc, what, obj, element);
}

Pair elab_promote(Elab *e, Loc loc, const char *what, Promote how, const Obj *a, const Obj *b) {
  if (a->kind == OBJ_ERROR || b->kind == OBJ_ERROR || !check_operands(e, loc, what, how, a, b))
    return (Pair){0};
  Elem elem = common_elem(a, b);
  if (how == PROMOTE_DIVIDE && is_half(elem)) elem = ELEM_FP32;
  if (is_fp8(elem)) {
    elab_error(e, loc, "%s is not defined on %s; cast to fp16 or fp32 first", what, elem_info(elem)->name);
    return (Pair){0};
  }
  const Type *element = elab_scalar(e, elem);
  Value *values[] = {operand(e, loc, what, how, a, element), operand(e, loc, what, how, b, element)};
  if (values[0] && values[1]) {
    values[0] = elab_spread(e, a, values[0], values[1]->type);
    values[1] = elab_spread(e, b, values[1], values[0]->type);
  }
  if (!elab_broadcast(e, loc, what, 2, values)) return (Pair){0};
  return (Pair){values[0], values[1]};
}

// --- Annotations ---

static const char *last_name(const Expr *expr) {
  if (expr->kind == EXPR_NAME) return expr->name;
  if (expr->kind == EXPR_ATTRIBUTE) return expr->attribute.name;
  return NULL;
}

static bool type_from_text(Elab *e, Str text, const Type **type, bool *is_constexpr) {
  uint32_t stars = 0;
  while (text.n && (text.at[0] == '*' || text.at[0] == ' ')) {
    stars += text.at[0] == '*';
    text = (Str){text.at + 1, text.n - 1};
  }
  if (str_starts(text, "tl.")) text = (Str){text.at + 3, text.n - 3};
  if (str_starts(text, "const ")) text = (Str){text.at + 6, text.n - 6};
  if (str_is(text, "constexpr") && !stars) return *is_constexpr = true;
  Elem elem;
  if (stars > 8 || !elem_parse(text, &elem)) return false;
  *type = elab_scalar(e, elem);
  for (; stars; stars--) *type = type_ptr(e->ir, *type);
  return true;
}

static const char *suggest_type(Elab *e, Str typed) {
  static const char *const names[] = {
#define X(name, spelling, long_name, ...) spelling, long_name,
#include "ir/elems.def"
#undef X
      "constexpr"};
  return elab_did_you_mean(e, typed, names, sizeof names / sizeof *names);
}

// Python's own annotations say nothing to us.
static bool is_foreign(const char *name) {
  static const char *const names[] = {"int",   "float", "bool",  "str", "tensor", "Tensor",
                                      "tuple", "dtype", "const", "Any", "object"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

bool elab_annotation(Elab *e, const Expr *annotation, const Type **type, bool *is_constexpr) {
  *type = NULL;
  *is_constexpr = false;
  if (!annotation || annotation->kind == EXPR_NONE || annotation->kind == EXPR_ERROR) return true;
  if (annotation->kind == EXPR_STRING) {
    if (type_from_text(e, annotation->string.text, type, is_constexpr)) return true;
    if (e->module && annotation->string.text.n && annotation->string.text.at[0] != '*') return true;
    elab_error(e, annotation->loc, "unknown type '%.*s'", STR_ARG(annotation->string.text));
    return false;
  }
  if (annotation->kind == EXPR_POINTER_TYPE) {
    if (!elab_annotation(e, annotation->operand, type, is_constexpr)) return false;
    if (*type && !*is_constexpr)
      *type = type_ptr(e->ir, *type);
    else
      elab_error(e, annotation->loc, "a pointer's annotation names its element type, as in *fp32");
    return *type != NULL;
  }
  if (annotation->kind == EXPR_SUBSCRIPT)
    return elab_annotation(e, annotation->subscript.object, type, is_constexpr);
  const char *name = last_name(annotation);
  if (!name) return true;
  if (type_from_text(e, str_from(name), type, is_constexpr)) return true;
  if (is_foreign(name) || annotation->kind == EXPR_ATTRIBUTE) return true;
  elab_error(e, annotation->loc, "unknown type '%s'%s", name, suggest_type(e, str_from(name)));
  return false;
}
