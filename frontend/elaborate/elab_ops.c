// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators: Python's on constexprs, ops of tile IR on run-time values.
#include "frontend/builtins/builtins.h"
#include "frontend/module/elab_module.h"
#include "frontend/elaborate/elab_refuse.h"

enum { MAX_POWER = 64 };

static bool is_static(const Obj *obj) { return obj->kind != OBJ_VALUE; }
// True for two known numbers that are computed in their types.
static bool is_typed(const Obj *a, const Obj *b) {
  return (a->typed || b->typed) && obj_is_number(a) && obj_is_number(b);
}
static const char *quoted(Elab *e, const char *text) { return arena_printf(e->arena, "'%s'", text); }

// --- Unary ---

static Obj run_unary(Elab *e, Loc loc, UnaryOp op, Value *value) {
  const Type *element = type_element(value->type);
  const char *text = unary_op_text(op);
  Obj shown = obj_value(value);
  e->b.loc = elab_loc(e, loc);
  if (op == UNARY_NOT) {
    Value *truth = elab_truth(e, loc, "the operand of 'not'", &shown);
    if (!truth) return obj_error();
    return obj_value(build_with_int(&e->b, OP_XOR, truth, 1));
  }
  if (element->kind == TYPE_PTR || (op == UNARY_INVERT && !type_is_int(value->type)))
    return elab_error(e, loc, "[T0308] '%s' is not defined on %s%s", text, obj_describe(e, &shown),
                      elab_operand_advice(e, &shown, &shown));
  if (op == UNARY_POS) return shown;
  if (op == UNARY_INVERT) {
    Value *ones = build_int(&e->b, value->type, element->elem == ELEM_I1 ? 1 : -1);
    return obj_value(build_binary(&e->b, OP_XOR, value, ones));
  }
  if (element->elem == ELEM_I1) return shown; // 0 - x in one bit
  if (elem_is_float(element->elem) && elem_info(element->elem)->bits == 8)
    return elab_error(e, loc, "[T0308] '-' is not defined on %s; cast to fp16 or fp32 first",
                      type_text(e, element));
  return obj_value(build(&e->b, OP_NEG, value->type, value, NULL, NULL));
}

Obj elab_unary(Elab *e, Loc loc, UnaryOp op, const Obj *a) {
  if (a->kind == OBJ_ERROR) return *a;
  if (!is_static(a)) return run_unary(e, loc, op, a->value);
  return a->typed ? typed_unary(e, loc, op, a) : const_unary(e, loc, op, a);
}

// --- Binary ---

static bool is_float_obj(const Obj *obj) {
  return obj_is(obj, CONST_FLOAT) || (obj->kind == OBJ_VALUE && type_is_float(obj->value->type));
}

// Advice for a float that is added to a pointer: it was divided, or a tile of pointers was not loaded.
static const char *offset_advice(Elab *e, BinaryOp op, const Obj *pointer, const Obj *offset) {
  bool added = op == BINARY_ADD || op == BINARY_SUB, tile = type_is_tile(pointer->value->type);
  if (!added || !is_float_obj(offset)) return elab_operand_advice(e, pointer, offset);
  return tile && offset->kind == OBJ_VALUE
             ? "; tl.load reads what pointers point to; an offset is an integer: '//' divides integers, "
               ".to(tl.int32) converts"
             : "; an offset is an integer: '//' divides integers, .to(tl.int32) converts";
}

static Obj add_pointer(Elab *e, Loc loc, BinaryOp op, const Obj *a, const Obj *b) {
  const char *text = binary_op_text(op);
  bool left = a->kind == OBJ_VALUE && type_is_ptr(a->value->type);
  const Obj *pointer = left ? a : b, *offset = left ? b : a;
  bool is_int = obj_is(offset, CONST_INT) || obj_is(offset, CONST_BOOL) ||
                (offset->kind == OBJ_VALUE && type_is_int(offset->value->type));
  if (!is_int || (op == BINARY_SUB && !left) || (op != BINARY_ADD && op != BINARY_SUB))
    return elab_error(e, loc, "[T0502] '%s' is not defined on %s and %s%s", text, obj_describe(e, a),
                      obj_describe(e, b), offset_advice(e, op, pointer, offset));
  Value *values[] = {pointer->value, elab_value(e, loc, "an offset", offset, NULL)};
  if (!values[1]) return obj_error();
  e->b.loc = elab_loc(e, loc);
  bool flag = type_is_elem(values[1]->type, ELEM_I1); // its negation is itself
  if (flag) values[1] = builtin_as(e, values[1], ELEM_I32);
  // The offset is negated in its own type. An unsigned one wraps and then counts upwards, as in Triton.
  if (op == BINARY_SUB && !flag) values[1] = build(&e->b, OP_NEG, values[1]->type, values[1], NULL, NULL);
  if (op == BINARY_ADD) values[1] = elab_spread(e, offset, values[1], values[0]->type);
  if (!elab_broadcast(e, loc, quoted(e, text), 2, values)) return obj_error();
  return obj_value(build(&e->b, OP_ADDPTR, values[0]->type, values[0], values[1], NULL));
}

static Obj divide(Elab *e, Loc loc, OpKind kind, Pair p) {
  const Type *element = type_element(p.a->type);
  static const char exact[] = "[T0310] '%' of floats is exact here, but Triton computes x - trunc(x / y) * "
                              "y: use libdevice.fmod(x, y)";
  bool halves = element->elem == ELEM_FP16; // the common type of the two fp8 types
  if (kind == OP_REM) elab_warn_py(e, loc, exact);
  e->b.loc = elab_loc(e, loc);
  if (halves || (kind == OP_DIV && elem_is_int(element->elem)))
    p = (Pair){builtin_as(e, p.a, ELEM_FP32), builtin_as(e, p.b, ELEM_FP32)};
  Value *result = kind == OP_DIV ? elab_quotient(e, p.a, p.b) : build_binary(&e->b, kind, p.a, p.b);
  return obj_value(halves ? build_cast(&e->b, result, element) : result);
}

static Obj run_power(Elab *e, Loc loc, const Obj *a, const Obj *b) {
  if (a->kind != OBJ_VALUE || !obj_is(b, CONST_INT) || b->constant.is_u64 || b->constant.i < 1 ||
      b->constant.i > MAX_POWER)
    return elab_error(
        e, loc, "[T0401] '**' takes constexpr powers from 1 to %d; for others tl.pow(x, y), or tl.sqrt(x)",
        MAX_POWER);
  Obj base = *a, product = {.kind = OBJ_ABSENT};
  for (int64_t n = b->constant.i; n; n >>= 1) {
    if (n & 1) product = product.kind == OBJ_ABSENT ? base : elab_binary(e, loc, BINARY_MUL, &product, &base);
    if (n > 1) base = elab_binary(e, loc, BINARY_MUL, &base, &base);
  }
  return product;
}

OpKind binary_op_kind(BinaryOp op) {
  switch (op) {
  case BINARY_ADD: return OP_ADD;
  case BINARY_SUB: return OP_SUB;
  case BINARY_MUL: return OP_MUL;
  case BINARY_FLOOR_DIV:
  case BINARY_DIV: return OP_DIV;
  case BINARY_MOD: return OP_REM;
  case BINARY_AND: return OP_AND;
  case BINARY_OR: return OP_OR;
  case BINARY_XOR: return OP_XOR;
  case BINARY_SHL: return OP_SHL;
  case BINARY_SHR: return OP_SHR;
  case BINARY_POW:
  case BINARY_MATMUL: break;
  }
  return OP_COUNT;
}

Promote elab_promotion(BinaryOp op) {
  if (op == BINARY_DIV || op == BINARY_MOD || op == BINARY_FLOOR_DIV) return PROMOTE_DIVIDE;
  return op >= BINARY_AND ? PROMOTE_INTEGERS : PROMOTE_PLAIN;
}

// Bool arithmetic is arithmetic on one-bit integers.
static Value *bool_arithmetic(Elab *e, BinaryOp op, Pair p) {
  if (op == BINARY_ADD || op == BINARY_SUB) return build_binary(&e->b, OP_XOR, p.a, p.b);
  if (op == BINARY_MUL) return build_binary(&e->b, OP_AND, p.a, p.b);
  if (op == BINARY_SHL || op == BINARY_SHR) return p.a; // only by 0: a count of 1 is the width, and undefined
  if (op != BINARY_FLOOR_DIV && op != BINARY_MOD) return NULL;
  Value *a = builtin_as(e, p.a, ELEM_U8), *b = builtin_as(e, p.b, ELEM_U8);
  return builtin_as(e, build_binary(&e->b, op == BINARY_MOD ? OP_REM : OP_DIV, a, b), ELEM_I1);
}

// The shift is arithmetic if the shifted operand is signed, whatever the promoted type. A literal has no
// type, so the count decides.
static Value *shift_right(Elab *e, const Obj *a, const Obj *b, Pair p) {
  bool literal = a->kind == OBJ_CONST && !a->typed;
  bool is_signed = elem_is_signed(obj_elem(literal ? b : a));
  const Type *type = p.a->type;
  Elem elem = type_element(type)->elem;
  if (is_signed == elem_is_signed(elem)) return build_binary(&e->b, OP_SHR, p.a, p.b);
  static const Elem others[] = {
      [ELEM_I8] = ELEM_U8,   [ELEM_U8] = ELEM_I8,   [ELEM_I16] = ELEM_U16, [ELEM_U16] = ELEM_I16,
      [ELEM_I32] = ELEM_U32, [ELEM_U32] = ELEM_I32, [ELEM_I64] = ELEM_U64, [ELEM_U64] = ELEM_I64};
  const Type *other = type_with_element(e->ir, type, elab_scalar(e, others[elem]));
  Value *x = build(&e->b, OP_BITCAST, other, p.a, NULL, NULL),
        *n = build(&e->b, OP_BITCAST, other, p.b, NULL, NULL);
  return build(&e->b, OP_BITCAST, type, build_binary(&e->b, OP_SHR, x, n), NULL, NULL);
}

static bool divides_by_zero(BinaryOp op, const Obj *b, Pair p) {
  return (op == BINARY_FLOOR_DIV || op == BINARY_MOD) && type_is_int(p.a->type) && obj_is_number(b) &&
         b->constant.i == 0;
}

static Obj run_binary(Elab *e, Loc loc, BinaryOp op, const Obj *a, const Obj *b) {
  if (op == BINARY_POW) return run_power(e, loc, a, b);
  if (op == BINARY_MATMUL)
    return elab_error(e, loc, "[T0103] '@' is not defined on tiles; use %sdot(a, b)", elab_tl(e));
  bool pointers = (a->kind == OBJ_VALUE && type_is_ptr(a->value->type)) ||
                  (b->kind == OBJ_VALUE && type_is_ptr(b->value->type));
  if (pointers) return add_pointer(e, loc, op, a, b);
  Pair p = elab_promote(e, loc, quoted(e, binary_op_text(op)), elab_promotion(op), a, b);
  if (!p.a) return obj_error();
  e->b.loc = elab_loc(e, loc);
  bool divides = op == BINARY_DIV || (op == BINARY_MOD && type_is_float(p.a->type));
  if (divides) return divide(e, loc, binary_op_kind(op), p);
  if (op == BINARY_FLOOR_DIV && type_is_float(p.a->type))
    return elab_error(e, loc, "[T0308] '//' is not defined on floats; '/' divides them");
  if (divides_by_zero(op, b, p) && !elab_bear_py(e, loc, "[T0406] division by zero")) return obj_error();
  Value *flags = type_is_elem(p.a->type, ELEM_I1) ? bool_arithmetic(e, op, p) : NULL;
  if (flags) return obj_value(flags);
  if (op == BINARY_SHR) return obj_value(shift_right(e, a, b, p));
  return obj_value(build_binary(&e->b, binary_op_kind(op), p.a, p.b));
}

Obj elab_binary(Elab *e, Loc loc, BinaryOp op, const Obj *a, const Obj *b) {
  if (a->kind == OBJ_ERROR || b->kind == OBJ_ERROR) return obj_error();
  if (is_static(a) && is_static(b))
    return is_typed(a, b) ? typed_binary(e, loc, op, a, b) : const_binary(e, loc, op, a, b);
  Obj fact;
  if (e->heuristic && elab_fact(e, op, a, b, &fact)) return fact;
  return run_binary(e, loc, op, a, b);
}

// --- Comparisons ---

OpKind compare_op_kind(CompareOp op) {
  static const OpKind kinds[] = {OP_LT, OP_LE, OP_GT, OP_GE, OP_EQ, OP_NE};
  return op <= COMPARE_NE ? kinds[op] : OP_COUNT;
}

static Obj compare_pointers(Elab *e, Loc loc, CompareOp op, const Obj *a, const Obj *b) {
  if (a->kind != OBJ_VALUE || b->kind != OBJ_VALUE ||
      type_element(a->value->type) != type_element(b->value->type))
    return elab_error(e, loc, "[T0502] '%s' is not defined on %s and %s%s", compare_op_text(op),
                      obj_describe(e, a), obj_describe(e, b), elab_operand_advice(e, a, b));
  const Type *address = elab_scalar(e, ELEM_U64);
  Value *values[] = {elab_bitcast(e, loc, a->value, address), elab_bitcast(e, loc, b->value, address)};
  if (!elab_broadcast(e, loc, quoted(e, compare_op_text(op)), 2, values)) return obj_error();
  return obj_value(build_binary(&e->b, compare_op_kind(op), values[0], values[1]));
}

static Obj run_compare(Elab *e, Loc loc, CompareOp op, const Obj *a, const Obj *b) {
  bool none = obj_is(a, CONST_NONE) || obj_is(b, CONST_NONE), is = op == COMPARE_IS || op == COMPARE_IS_NOT;
  if (is && !none)
    diag_warning(e->diags, elab_loc(e, loc),
                 "[T0401] '%s' does not compare run-time values: it is always %s; write '%s'",
                 compare_op_text(op), op == COMPARE_IS ? "False" : "True", op == COMPARE_IS ? "==" : "!=");
  if (is) return obj_bool(obj_equal(a, b) == (op == COMPARE_IS));
  if (none && (op == COMPARE_EQ || op == COMPARE_NE)) return obj_bool(op == COMPARE_NE);
  if (op == COMPARE_IN || op == COMPARE_NOT_IN)
    return elab_error(
        e, loc,
        "[T0401] 'in' takes constexprs, but %s is known only at run time: compare with each value, as "
        "in (x == a) | (x == b)",
        obj_describe(e, a->kind == OBJ_VALUE ? a : b));
  if ((a->kind == OBJ_VALUE && type_is_ptr(a->value->type)) ||
      (b->kind == OBJ_VALUE && type_is_ptr(b->value->type)))
    return compare_pointers(e, loc, op, a, b);
  Obj x = obj_typed(e, *a), y = obj_typed(e, *b);
  Pair p = elab_promote(e, loc, quoted(e, compare_op_text(op)), PROMOTE_PLAIN, &x, &y);
  if (!p.a) return obj_error();
  e->b.loc = elab_loc(e, loc);
  return obj_value(build_binary(&e->b, compare_op_kind(op), p.a, p.b));
}

Obj elab_compare(Elab *e, Loc loc, CompareOp op, const Obj *a, const Obj *b) {
  if (a->kind == OBJ_ERROR || b->kind == OBJ_ERROR) return obj_error();
  bool tested = op <= COMPARE_NE; // and not `is`, `in`
  if (is_static(a) && is_static(b))
    return tested && is_typed(a, b) ? typed_compare(e, loc, op, a, b) : const_compare(e, loc, op, a, b);
  return run_compare(e, loc, op, a, b);
}

// `i > 0 & i < n` is `i > (0 & i) < n`.
static void warn_of_precedence(Elab *e, const Expr *operand, bool is_between, CompareOp op) {
  bool is_bits = operand->kind == EXPR_BINARY && !operand->parenthesized &&
                 (operand->binary.op == BINARY_AND || operand->binary.op == BINARY_OR);
  if (!is_bits) return;
  const Expr *left = operand->binary.left, *right = operand->binary.right;
  bool has_test = left->kind == EXPR_COMPARE || right->kind == EXPR_COMPARE; // (i > 0) & i < n
  if (!is_between && !(has_test && op <= COMPARE_GE)) return;
  const char *bits = operand->binary.op == BINARY_AND ? "&" : "|", *test = compare_op_text(op);
  diag_warning(
      e->diags, elab_loc(e, operand->loc),
      "[T0504] '%s' binds before '%s': put each comparison in parentheses, as in (a %s b) %s (c %s d)", bits,
      test, test, bits, test);
}

static void warn_of_chain(Elab *e, const Expr *expr) {
  const CompareLink *links = expr->compare.links.at;
  uint32_t n = expr->compare.links.n;
  warn_of_precedence(e, expr->compare.first, false, links[0].op);
  for (uint32_t i = 0; i < n; i++) warn_of_precedence(e, links[i].right, i + 1 < n, links[i].op);
}

// Evaluates each operand once. A link known to be false decides. Links on tiles are combined elementwise.
Obj elab_compare_chain(Elab *e, const Expr *expr) {
  Obj left = elab_expr(e, expr->compare.first), result = obj_bool(true);
  warn_of_chain(e, expr);
  for (uint32_t i = 0; i < expr->compare.links.n; i++) {
    const CompareLink *link = &expr->compare.links.at[i];
    Obj right = elab_expr(e, link->right);
    if (left.kind == OBJ_ERROR || right.kind == OBJ_ERROR) return obj_error();
    Obj test = elab_compare(e, expr->loc, link->op, &left, &right);
    if (test.kind == OBJ_ERROR) return test;
    if (obj_is(&test, CONST_BOOL) && !test.constant.i) return test;
    bool first = obj_is(&result, CONST_BOOL);
    if (!obj_is(&test, CONST_BOOL))
      result = first ? test : elab_binary(e, expr->loc, BINARY_AND, &result, &test);
    left = right;
  }
  return result;
}

// --- and, or ---

Obj elab_logical(Elab *e, const Expr *expr) {
  bool is_and = expr->logical.op == LOGICAL_AND, truth;
  Obj left = elab_expr(e, expr->logical.left);
  if (left.kind == OBJ_ERROR) return left;
  if (const_truth(e, &left, &truth)) return truth == is_and ? elab_expr(e, expr->logical.right) : left;
  Obj right = elab_expr(e, expr->logical.right);
  if (right.kind == OBJ_ERROR) return right;
  if (const_truth(e, &right, &truth))
    return truth == is_and ? left : right; // an operand that decides
                                           // nothing is left out
  const char *what = is_and ? "an operand of 'and'" : "an operand of 'or'";
  Value *a = elab_truth(e, expr->logical.left->loc, what, &left);
  Value *b = elab_truth(e, expr->logical.right->loc, what, &right);
  if (!a || !b || !elab_broadcast2(e, expr->loc, is_and ? "'and'" : "'or'", &a, &b)) return obj_error();
  e->b.loc = elab_loc(e, expr->loc);
  return obj_value(build_binary(&e->b, is_and ? OP_AND : OP_OR, a, b));
}
