// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constexprs: compile-time values, and Python's arithmetic on them (integers of up to 64 bits).
#include "frontend/elaborate/elaborate.h"
#include "frontend/module/elab_module.h"

#include <math.h>

__extension__ typedef __int128 Wide; // every 64-bit integer, signed or not, and their sums

enum { MAX_TUPLE = 4096 }; // of the results of + and *

Obj obj_const(ConstValue constant) { return (Obj){.kind = OBJ_CONST, .constant = constant}; }
Obj obj_int(int64_t i) { return obj_const((ConstValue){.kind = CONST_INT, .i = i}); }
Obj obj_bool(bool b) { return obj_const((ConstValue){.kind = CONST_BOOL, .i = b}); }
Obj obj_float(double f) { return obj_const((ConstValue){.kind = CONST_FLOAT, .f = f}); }
Obj obj_type(const Type *type) { return obj_const((ConstValue){.kind = CONST_DTYPE, .type = type}); }
Obj obj_type_of(Elab *e, const Obj *obj) {
  Obj *self = ARENA_NEW(e->arena, Obj);
  *self = *obj;
  return (Obj){.kind = OBJ_TYPE, .self = self};
}
Obj obj_none(void) { return obj_const((ConstValue){.kind = CONST_NONE}); }

Obj obj_string(Elab *e, Str text) {
  return obj_const((ConstValue){.kind = CONST_STR, .str = intern(&e->ir->names, text)});
}

Obj obj_namespace(Elab *e, const char *path) {
  return (Obj){.kind = OBJ_NAMESPACE, .path = intern(&e->ir->names, str_from(path))};
}

Obj obj_value(Value *value) {
  return value ? (Obj){.kind = OBJ_VALUE, .value = value} : (Obj){.kind = OBJ_ERROR};
}

Obj obj_tuple(Elab *e, uint32_t n) {
  return (Obj){.kind = OBJ_TUPLE, .items = {ARENA_ARRAY(e->arena, Obj, n), n}};
}

Obj obj_tuple_like(Elab *e, const Obj *tuple) {
  Obj same = obj_tuple(e, tuple->items.n);
  same.items.names = tuple->items.names;
  same.items.dict = tuple->items.dict;
  return same;
}

Obj obj_from_const(Elab *e, const ConstValue *constant) {
  if (constant->kind == CONST_NAME) return elab_global_name(e, constant->str);
  if (constant->kind != CONST_TUPLE) return obj_const(*constant);
  Obj tuple = obj_tuple(e, constant->items.n);
  for (uint32_t i = 0; i < tuple.items.n; i++) tuple.items.at[i] = obj_from_const(e, &constant->items.at[i]);
  return tuple;
}

bool obj_to_const(Elab *e, const Obj *obj, ConstValue *constant) {
  if (obj->kind == OBJ_CONST) {
    *constant = obj->constant;
    return true;
  }
  if (obj->kind != OBJ_TUPLE) return false;
  ConstValue *items = ARENA_ARRAY(e->arena, ConstValue, obj->items.n);
  for (uint32_t i = 0; i < obj->items.n; i++)
    if (!obj_to_const(e, &obj->items.at[i], &items[i])) return false;
  *constant = (ConstValue){.kind = CONST_TUPLE, .items = {items, obj->items.n}};
  return true;
}

bool obj_is_number(const Obj *obj) {
  return obj_is(obj, CONST_INT) || obj_is(obj, CONST_FLOAT) || obj_is(obj, CONST_BOOL);
}

bool obj_is_int(const Obj *obj) { return obj_is(obj, CONST_INT) || obj_is(obj, CONST_BOOL); }

bool obj_is_unread(const Obj *obj) {
  return obj->kind == OBJ_NAMESPACE && !obj->file && !elab_is_triton(obj->path) &&
         !str_starts(str_from(obj->path), MODULE_SPEC);
}

bool obj_is_static(const Obj *obj) {
  if (obj->kind != OBJ_TUPLE) return obj->kind != OBJ_VALUE && obj->kind != OBJ_ERROR;
  for (uint32_t i = 0; i < obj->items.n; i++)
    if (!obj_is_static(&obj->items.at[i])) return false;
  return true;
}

static bool is_tensor(const Obj *obj) {
  return obj->kind == OBJ_VALUE || (obj->kind == OBJ_CONST && obj->typed);
}

// Compares constexprs by their values, others by their types.
static bool same_type(const Obj *a, const Obj *b) {
  if (is_tensor(a) || is_tensor(b)) {
    if (!is_tensor(a) || !is_tensor(b)) return false;
    if (a->kind == OBJ_VALUE && b->kind == OBJ_VALUE) return a->value->type == b->value->type;
    const Obj *number = a->kind == OBJ_VALUE ? b : a, *other = number == a ? b : a;
    if (other->kind != OBJ_VALUE) return number->elem == other->elem;
    return other->value->type->kind == TYPE_SCALAR && other->value->type->elem == number->elem;
  }
  if (a->kind != OBJ_TUPLE || b->kind != OBJ_TUPLE) return obj_equal(a, b);
  if (a->items.n != b->items.n) return false;
  for (uint32_t i = 0; i < a->items.n; i++)
    if (!same_type(&a->items.at[i], &b->items.at[i])) return false;
  return true;
}

bool obj_equal(const Obj *a, const Obj *b) {
  if (a->kind != b->kind) return false;
  switch (a->kind) {
  case OBJ_ERROR:
  case OBJ_ABSENT: return true;
  case OBJ_CONST: return const_equal(&a->constant, &b->constant);
  case OBJ_VALUE: return a->value == b->value;
  case OBJ_FUNCTION:
    return a->function == b->function && a->closure == b->closure && a->receiver == b->receiver;
  case OBJ_BUILTIN: return a->builtin == b->builtin && a->self == b->self;
  case OBJ_NAMESPACE: return a->path == b->path;
  case OBJ_NAMED: return a->named->origin == b->named->origin;
  case OBJ_TYPE: return same_type(a->self, b->self);
  case OBJ_TUPLE: break;
  }
  if (a->items.n != b->items.n) return false;
  for (uint32_t i = 0; i < a->items.n; i++)
    if (!obj_equal(&a->items.at[i], &b->items.at[i])) return false;
  return true;
}

// --- For messages ---

const char *elab_text(Elab *e, Buf *buf) {
  const char *text = arena_copy(e->arena, buf_view(buf));
  buf_free(buf);
  return text;
}

const char *type_text(Elab *e, const Type *type) {
  Buf buf = {0};
  type_print(type, &buf);
  return elab_text(e, &buf);
}

static void print_obj(const Obj *obj, int depth, Buf *buf) {
  switch (obj->kind) {
  case OBJ_ERROR:
  case OBJ_ABSENT: buf_text(buf, "?"); break;
  case OBJ_CONST: const_print(&obj->constant, buf); break;
  case OBJ_VALUE: type_print(obj->value->type, buf); break;
  case OBJ_FUNCTION: buf_text(buf, obj->function->name); break;
  case OBJ_BUILTIN: buf_text(buf, obj->builtin->name); break;
  case OBJ_NAMESPACE: buf_text(buf, obj->path); break;
  case OBJ_NAMED: buf_text(buf, obj->named->name); break;
  case OBJ_TYPE: print_obj(obj->self, depth + 1, buf); break;
  case OBJ_TUPLE:
    buf_char(buf, '(');
    for (uint32_t i = 0; i < obj->items.n; i++) {
      if (i) buf_text(buf, ", ");
      if (depth > 20 || buf->n > 1000) {
        buf_text(buf, "...");
        break;
      }
      print_obj(&obj->items.at[i], depth + 1, buf);
    }
    buf_text(buf, obj->items.n == 1 ? ",)" : ")");
    break;
  }
}

const char *obj_text(Elab *e, const Obj *obj) {
  Buf buf = {0};
  if (obj_is(obj, CONST_STR))
    buf_text(&buf, obj->constant.str);
  else
    print_obj(obj, 0, &buf);
  return elab_text(e, &buf);
}

const char *obj_numpy_name(Elab *e, const Obj *obj) {
  const char *text = obj_is(obj, CONST_STR) ? obj->constant.str : "", *end = strchr(text, ' ');
  size_t digits = end ? strspn(end + 1, "0123456789") : 0;
  if (strncmp(text, "<np.", 4) != 0 || !digits || strcmp(end + 1 + digits, ">") != 0) return NULL;
  return arena_printf(e->arena, "%.*s", (int)(end - text - 1), text + 1);
}

const char *obj_describe(Elab *e, const Obj *obj) {
  const char *numpy = obj_numpy_name(e, obj);
  if (numpy && strcmp(numpy, "np.ndarray") == 0) return "a NumPy array made at compile time";
  if (numpy) return numpy;
  static const char *const kinds[] = {"",          "the bool ", "the integer ", "the float ", "the string ",
                                      "the type ", ""};
  Buf buf = {0};
  switch (obj->kind) {
  case OBJ_CONST: buf_text(&buf, kinds[obj->constant.kind]); break;
  case OBJ_VALUE:
    if (!type_is_tile(obj->value->type))
      buf_text(&buf, type_is_ptr(obj->value->type) ? "a pointer " : "a run-time ");
    break;
  case OBJ_TUPLE: buf_text(&buf, "the tuple "); break;
  case OBJ_FUNCTION:
  case OBJ_BUILTIN: buf_text(&buf, "the function "); break;
  case OBJ_NAMESPACE: buf_text(&buf, "the module "); break;
  case OBJ_TYPE: buf_text(&buf, "the type of "); break;
  case OBJ_NAMED: buf_text(&buf, "the class "); break;
  case OBJ_ERROR:
  case OBJ_ABSENT: break;
  }
  print_obj(obj, 0, &buf);
  return elab_text(e, &buf);
}

// --- Numbers ---

static Wide wide_of(const ConstValue *c) {
  return c->kind == CONST_INT && c->is_u64 ? (Wide)(uint64_t)c->i : (Wide)c->i;
}

double const_number(const ConstValue *c) {
  if (c->kind == CONST_FLOAT) return c->f;
  return c->is_u64 ? (double)(uint64_t)c->i : (double)c->i;
}

bool const_fits(const ConstValue *number, Elem elem) {
  Wide value = wide_of(number);
  uint32_t bits = elem_info(elem)->bits;
  bool is_signed = elem_is_signed(elem) && elem != ELEM_I1;
  Wide low = is_signed ? -((Wide)1 << (bits - 1)) : 0, high = (Wide)1 << (is_signed ? bits - 1 : bits);
  return low <= value && value < high;
}

Elem const_elem(const ConstValue *number) {
  if (number->kind == CONST_BOOL) return ELEM_I1;
  if (number->kind == CONST_FLOAT) { // a double that is not a normal fp32 number
    double size = fabs(number->f);
    bool fits = isnan(size) || isinf(size) || size == 0 || (size >= 0x1p-126 && size <= 0x1.fffffep127);
    return fits ? ELEM_FP32 : ELEM_FP64;
  }
  if (const_fits(number, ELEM_I32)) return ELEM_I32;
  return const_fits(number, ELEM_U32) ? ELEM_U32 : number->is_u64 ? ELEM_U64 : ELEM_I64;
}

bool const_truth(Elab *e, const Obj *obj, bool *truth) {
  (void)e;
  *truth = true;
  if (obj->kind == OBJ_TUPLE) *truth = obj->items.n > 0;
  if (obj_is_unread(obj)) return false;
  if (obj->kind != OBJ_CONST)
    return obj->kind != OBJ_VALUE && obj->kind != OBJ_ERROR && obj->kind != OBJ_ABSENT;
  if (obj->constant.kind == CONST_NONE) *truth = false;
  if (obj->constant.kind == CONST_STR) *truth = obj->constant.str[0] != 0;
  if (obj->constant.kind == CONST_FLOAT) *truth = obj->constant.f != 0;
  if (obj->constant.kind == CONST_INT || obj->constant.kind == CONST_BOOL) *truth = obj->constant.i != 0;
  return true;
}

static Obj from_wide(Elab *e, Loc loc, Wide value) {
  if (value < INT64_MIN || value > (Wide)UINT64_MAX)
    return elab_error(
        e, loc, "[T0406] the result does not fit in 64 bits: constexpr integers go from -2**63 to 2**64 - 1");
  ConstValue c = {.kind = CONST_INT, .is_u64 = value > INT64_MAX, .i = (int64_t)(uint64_t)value};
  return obj_const(c);
}

// a * b. Two 65-bit integers may overflow 128 bits, so floating point tests the size first.
static Obj multiply(Elab *e, Loc loc, Wide a, Wide b) {
  if (fabs((double)a * (double)b) > 0x1p66) return from_wide(e, loc, (Wide)1 << 100);
  return from_wide(e, loc, a * b);
}

static Wide floor_div(Wide a, Wide b) {
  Wide q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

static Obj power(Elab *e, Loc loc, Wide a, Wide b) {
  if (b < 0) {
    if (a == 0) return elab_error(e, loc, "[T0406] division by zero: 0 to a negative power");
    return obj_float(pow((double)a, (double)b));
  }
  if (a == 0 || a == 1 || a == -1) return obj_int(b == 0 ? 1 : a < 0 && b % 2 == 0 ? 1 : (int64_t)a);
  if (b > 64) return from_wide(e, loc, (Wide)1 << 100);
  Wide product = 1;
  for (Wide i = 0; i < b; i++) {
    if (fabs((double)product * (double)a) > 0x1p66) return from_wide(e, loc, (Wide)1 << 100);
    product *= a;
  }
  return from_wide(e, loc, product);
}

static Obj shift(Elab *e, Loc loc, Wide a, Wide count, bool left) {
  if (count < 0) return elab_error(e, loc, "[T0406] negative shift count");
  if (!left) return from_wide(e, loc, count > 126 ? (a < 0 ? -1 : 0) : a >> (int)count);
  if (a == 0) return obj_int(0);
  if (count > 64) return from_wide(e, loc, (Wide)1 << 100);
  Wide factor = count < 62 ? a * ((Wide)1 << (int)count) : 0;
  if (count >= 62) return multiply(e, loc, a, (Wide)1 << (int)count);
  return from_wide(e, loc, factor);
}

static Obj integer_binary(Elab *e, Loc loc, BinaryOp op, Wide a, Wide b) {
  if ((op == BINARY_DIV || op == BINARY_FLOOR_DIV || op == BINARY_MOD) && b == 0)
    return elab_error(e, loc, "[T0406] division by zero");
  switch (op) {
  case BINARY_ADD: return from_wide(e, loc, a + b);
  case BINARY_SUB: return from_wide(e, loc, a - b);
  case BINARY_MUL: return multiply(e, loc, a, b);
  case BINARY_DIV: return obj_float((double)a / (double)b);
  case BINARY_FLOOR_DIV: return from_wide(e, loc, floor_div(a, b));
  case BINARY_MOD: return from_wide(e, loc, a - floor_div(a, b) * b);
  case BINARY_POW: return power(e, loc, a, b);
  case BINARY_AND: return from_wide(e, loc, a & b);
  case BINARY_OR: return from_wide(e, loc, a | b);
  case BINARY_XOR: return from_wide(e, loc, a ^ b);
  case BINARY_SHL: return shift(e, loc, a, b, true);
  case BINARY_SHR: return shift(e, loc, a, b, false);
  case BINARY_MATMUL: break;
  }
  return elab_error(e, loc, "[T0308] '@' is not defined on numbers");
}

static Obj float_binary(Elab *e, Loc loc, BinaryOp op, double a, double b) {
  if ((op == BINARY_DIV || op == BINARY_FLOOR_DIV || op == BINARY_MOD) && b == 0)
    return elab_error(e, loc, "[T0406] division by zero");
  double rem = 0;
  switch (op) {
  case BINARY_ADD: return obj_float(a + b);
  case BINARY_SUB: return obj_float(a - b);
  case BINARY_MUL: return obj_float(a * b);
  case BINARY_DIV: return obj_float(a / b);
  case BINARY_FLOOR_DIV:
  case BINARY_MOD:
    rem = fmod(a, b);
    if (rem != 0 && (rem < 0) != (b < 0)) rem += b;
    if (rem == 0) rem = copysign(0.0, b);
    return obj_float(op == BINARY_MOD ? rem : floor((a - rem) / b + 0.5));
  case BINARY_POW:
    if (a == 0 && b < 0) return elab_error(e, loc, "[T0406] division by zero: 0 to a negative power");
    if (a < 0 && floor(b) != b)
      return elab_error(e, loc, "[T0406] a negative number to a fractional power is complex");
    return obj_float(pow(a, b));
  case BINARY_MATMUL:
  case BINARY_AND:
  case BINARY_OR:
  case BINARY_XOR:
  case BINARY_SHL:
  case BINARY_SHR: break;
  }
  return elab_error(e, loc, "[T0308] '%s' is not defined on floats", binary_op_text(op));
}

Obj const_unary(Elab *e, Loc loc, UnaryOp op, const Obj *a) {
  bool truth = false;
  if (op == UNARY_NOT && const_truth(e, a, &truth)) return obj_bool(!truth);
  if (!obj_is_number(a) || (op == UNARY_INVERT && a->constant.kind == CONST_FLOAT))
    return elab_error(e, loc, "[T0308] '%s' is not defined on %s", unary_op_text(op), obj_describe(e, a));
  bool is_float = a->constant.kind == CONST_FLOAT;
  if (op == UNARY_NEG)
    return is_float ? obj_float(-a->constant.f) : from_wide(e, loc, -wide_of(&a->constant));
  if (op == UNARY_INVERT) return from_wide(e, loc, ~wide_of(&a->constant));
  return is_float ? *a : from_wide(e, loc, wide_of(&a->constant));
}

static Obj join_tuples(Elab *e, Loc loc, const Obj *a, const Obj *b) {
  if ((uint64_t)a->items.n + b->items.n > MAX_TUPLE)
    return elab_error(e, loc, "[T0506] the tuple has more than %d elements", MAX_TUPLE);
  Obj joined = obj_tuple(e, a->items.n + b->items.n);
  if (a->items.n) memcpy(joined.items.at, a->items.at, a->items.n * sizeof(Obj));
  if (b->items.n) memcpy(joined.items.at + a->items.n, b->items.at, b->items.n * sizeof(Obj));
  return joined;
}

static Obj repeat_tuple(Elab *e, Loc loc, const Obj *tuple, const ConstValue *count) {
  Wide n = wide_of(count) < 0 ? 0 : wide_of(count);
  if (tuple->items.n == 0) n = 0;
  if (n * tuple->items.n > MAX_TUPLE)
    return elab_error(e, loc, "[T0506] the tuple has more than %d elements", MAX_TUPLE);
  Obj repeated = obj_tuple(e, (uint32_t)n * tuple->items.n);
  for (uint32_t i = 0; i < repeated.items.n; i++) repeated.items.at[i] = tuple->items.at[i % tuple->items.n];
  return repeated;
}

static Obj join_strings(Elab *e, Loc loc, const char *a, const char *b) {
  size_t n = strlen(a) + strlen(b);
  if (n > ELAB_MAX_STRING) return elab_error(e, loc, "[T0506] the string is too long");
  elab_work(e, (uint32_t)n / BYTES_A_STEP);
  return obj_string(e, str_from(arena_printf(e->arena, "%s%s", a, b)));
}

Obj const_binary(Elab *e, Loc loc, BinaryOp op, const Obj *a, const Obj *b) {
  if (obj_is_number(a) && obj_is_number(b)) {
    const ConstValue *x = &a->constant, *y = &b->constant;
    if (x->kind == CONST_FLOAT || y->kind == CONST_FLOAT)
      return float_binary(e, loc, op, const_number(x), const_number(y));
    Obj result = integer_binary(e, loc, op, wide_of(x), wide_of(y));
    bool bitwise = op == BINARY_AND || op == BINARY_OR || op == BINARY_XOR;
    if (bitwise && x->kind == CONST_BOOL && y->kind == CONST_BOOL) return obj_bool(result.constant.i != 0);
    return result;
  }
  if (op == BINARY_ADD && a->kind == OBJ_TUPLE && b->kind == OBJ_TUPLE) return join_tuples(e, loc, a, b);
  if (op == BINARY_MUL && a->kind == OBJ_TUPLE && obj_is(b, CONST_INT))
    return repeat_tuple(e, loc, a, &b->constant);
  if (op == BINARY_ADD && obj_is(a, CONST_STR) && obj_is(b, CONST_STR))
    return join_strings(e, loc, a->constant.str, b->constant.str);
  return elab_error(e, loc, "[T0308] '%s' is not defined on %s and %s", binary_op_text(op),
                    obj_describe(e, a), obj_describe(e, b));
}

// --- Comparisons ---

// -1, 0 or 1; 2 if one is NaN.
static int order(const ConstValue *a, const ConstValue *b) {
  if (a->kind == CONST_FLOAT || b->kind == CONST_FLOAT) {
    double x = const_number(a), y = const_number(b);
    return isnan(x) || isnan(y) ? 2 : (x > y) - (x < y);
  }
  Wide x = wide_of(a), y = wide_of(b);
  return (x > y) - (x < y);
}

static bool python_equal(const Obj *a, const Obj *b) {
  if (obj_is_number(a) && obj_is_number(b)) return order(&a->constant, &b->constant) == 0;
  if (a->kind != OBJ_TUPLE || b->kind != OBJ_TUPLE) return obj_equal(a, b);
  if (a->items.n != b->items.n) return false;
  for (uint32_t i = 0; i < a->items.n; i++)
    if (!python_equal(&a->items.at[i], &b->items.at[i])) return false;
  return true;
}

static Obj compare_in(Elab *e, Loc loc, bool negated, const Obj *a, const Obj *b) {
  if (obj_is(a, CONST_STR) && obj_is(b, CONST_STR))
    return obj_bool((strstr(b->constant.str, a->constant.str) != NULL) != negated);
  if (b->kind != OBJ_TUPLE)
    return elab_error(e, loc, "[T0309] 'in' needs a tuple, not %s", obj_describe(e, b));
  bool found = false;
  for (uint32_t i = 0; i < b->items.n && !found; i++) {
    if (b->items.at[i].kind == OBJ_ERROR) return b->items.at[i];
    if (b->items.at[i].kind == OBJ_VALUE)
      return elab_error(e, loc, "[T0401] 'in' needs a tuple of constexprs");
    found = python_equal(a, &b->items.at[i]);
  }
  return obj_bool(found != negated);
}

// Compares the first elements that differ. A tuple that is a prefix of the other is smaller.
static Obj compare_tuples(Elab *e, Loc loc, CompareOp op, const Obj *a, const Obj *b) {
  uint32_t n = a->items.n < b->items.n ? a->items.n : b->items.n;
  for (uint32_t i = 0; i < n; i++)
    if (!python_equal(&a->items.at[i], &b->items.at[i]))
      return const_compare(e, loc, op, &a->items.at[i], &b->items.at[i]);
  Obj x = obj_int(a->items.n), y = obj_int(b->items.n);
  return const_compare(e, loc, op, &x, &y);
}

Obj const_compare(Elab *e, Loc loc, CompareOp op, const Obj *a, const Obj *b) {
  const Obj *unread = obj_is_unread(a) ? a : obj_is_unread(b) ? b : NULL;
  if (unread)
    return elab_error(e, loc, "[T0201] '%s' comes from a module that is not read, so its value is unknown",
                      unread->path);
  if (b->kind == OBJ_TUPLE) elab_work(e, b->items.total / ITEMS_A_STEP);
  switch (op) {
  case COMPARE_EQ: return obj_bool(python_equal(a, b));
  case COMPARE_NE: return obj_bool(!python_equal(a, b));
  case COMPARE_IS: return obj_bool(obj_equal(a, b));
  case COMPARE_IS_NOT: return obj_bool(!obj_equal(a, b));
  case COMPARE_IN:
  case COMPARE_NOT_IN:
    if (b->kind == OBJ_TUPLE && b->items.dict)
      return compare_in(e, loc, op == COMPARE_NOT_IN, a, &(Obj[]){elab_dict_keys(e, b)}[0]);
    return compare_in(e, loc, op == COMPARE_NOT_IN, a, b);
  case COMPARE_LT:
  case COMPARE_LE:
  case COMPARE_GT:
  case COMPARE_GE: break;
  }
  int o = 0;
  if (a->kind == OBJ_TUPLE && b->kind == OBJ_TUPLE) return compare_tuples(e, loc, op, a, b);
  if (obj_is_number(a) && obj_is_number(b))
    o = order(&a->constant, &b->constant);
  else if (obj_is(a, CONST_STR) && obj_is(b, CONST_STR)) {
    int d = strcmp(a->constant.str, b->constant.str);
    o = (d > 0) - (d < 0);
  } else
    return elab_error(e, loc, "[T0308] '%s' is not defined on %s and %s", compare_op_text(op),
                      obj_describe(e, a), obj_describe(e, b));
  if (o == 2) return obj_bool(false);
  return obj_bool(op == COMPARE_LT ? o < 0 : op == COMPARE_LE ? o <= 0 : op == COMPARE_GT ? o > 0 : o >= 0);
}
