// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic operations.
#include "frontend/builtins/builtins.h"

typedef struct OrderNames {
  const char *sem, *scope; // interned; NULL: the default
} OrderNames;

// Leaves out the default.
static const char *unless(const char *text, const char *otherwise) {
  return text && strcmp(text, otherwise) != 0 ? text : NULL;
}

static bool read_order(Elab *e, const Call *call, uint32_t at, OrderNames *order) {
  static const char *const sems[] = {"acquire", "release", "acq_rel", "relaxed", NULL};
  static const char *const scopes[] = {"gpu", "cta", "sys", NULL};
  bool good = true;
  order->sem = unless(builtin_choice(e, call, at, "sem", sems, &good), "acq_rel");
  order->scope = unless(builtin_choice(e, call, at + 1, "scope", scopes, &good), "gpu");
  return good;
}

static Value *rmw(Elab *e, const char *kind, const OrderNames *order, const MemoryArgs *access) {
  return build_atomic_rmw(&e->b, kind, access->pointer, access->value, access->mask, order->sem,
                          order->scope);
}

// --- Floating-point max and min ---

static Value *as_bits(Elab *e, Value *value, Elem elem) {
  const Type *integer = elab_scalar(e, elem);
  if (type_is_ptr(value->type)) integer = type_ptr(e->ir, integer);
  return build(&e->b, OP_BITCAST, type_with_element(e->ir, value->type, integer), value, NULL, NULL);
}

static Value *both(Elab *e, Value *mask, Value *condition) {
  return mask ? build_binary(&e->b, OP_AND, mask, condition) : condition;
}

// Floats of the same sign are ordered like their bits. Those without sign bit use a signed max (min), those
// with it an unsigned min (max).
static Value *float_extreme(Elab *e, bool largest, const OrderNames *order, const MemoryArgs *access) {
  bool wide = type_is_elem(access->value->type, ELEM_FP64);
  Elem plain = wide ? ELEM_I64 : ELEM_I32, counted = wide ? ELEM_U64 : ELEM_U32;
  Value *bits = as_bits(e, access->value, plain), *zero = build_int(&e->b, bits->type, 0);
  Value *negative = build_binary(&e->b, OP_LT, bits, zero),
        *positive = build_binary(&e->b, OP_GE, bits, zero);
  MemoryArgs high = {as_bits(e, access->pointer, plain), bits, both(e, access->mask, positive), false};
  MemoryArgs low = {as_bits(e, access->pointer, counted), as_bits(e, access->value, counted),
                    both(e, access->mask, negative), false};
  Value *above = rmw(e, largest ? "max" : "min", order, &high);
  Value *below = rmw(e, largest ? "min" : "max", order, &low);
  Value *old = builtin_choose(e, positive, above, as_bits(e, below, plain));
  return build(&e->b, OP_BITCAST, access->value->type, old, NULL, NULL);
}

// The atomic on the bits of floats.
static Value *float_bitwise(Elab *e, const char *kind, const OrderNames *order, const MemoryArgs *access) {
  Elem elem = type_is_elem(access->value->type, ELEM_FP64) ? ELEM_I64 : ELEM_I32;
  MemoryArgs bits = {as_bits(e, access->pointer, elem), as_bits(e, access->value, elem), access->mask, false};
  return build(&e->b, OP_BITCAST, access->value->type, rmw(e, kind, order, &bits), NULL, NULL);
}

// --- Arguments ---

static bool is_bitwise(const char *kind) {
  return strcmp(kind, "and") == 0 || strcmp(kind, "or") == 0 || strcmp(kind, "xor") == 0;
}

static bool is_extreme(const char *kind) { return strcmp(kind, "max") == 0 || strcmp(kind, "min") == 0; }

static bool check_elem(Elab *e, const Call *call, const char *kind, const Type *pointer) {
  Elem elem = type_element(pointer)->inner->elem;
  bool half = elem == ELEM_FP16 || elem == ELEM_BF16;
  uint32_t bits = elem_info(elem)->bits;
  bool good = bits >= 32 || (half && strcmp(kind, "add") == 0);
  if (good) return true;
  const char *hint =
      strcmp(kind, "add") == 0 ? "elements of 32 or 64 bits, fp16 and bf16" : "elements of 32 or 64 bits";
  elab_error(e, call->locs[ATOMIC_POINTER], "'%s' is not defined on %s: it takes %s", call->text,
             elem_info(elem)->name, hint);
  return false;
}

// detail: the atomic operation.
Obj builtin_atomic(Elab *e, Call *call) {
  const char *kind = call->builtin->detail;
  OrderNames order;
  MemoryArgs access = {.pointer = builtin_written_pointer(e, call, ATOMIC_POINTER)};
  if (!access.pointer || !check_elem(e, call, kind, access.pointer->type)) return obj_error();
  if (!read_order(e, call, ATOMIC_SEM, &order) ||
      !builtin_access(e, call, &access, "the value", ATOMIC_VAL, ATOMIC_MASK))
    return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  bool is_float = type_is_float(access.value->type);
  if (is_float && is_extreme(kind)) return obj_value(float_extreme(e, kind[1] == 'a', &order, &access));
  if (is_float && is_bitwise(kind)) return obj_value(float_bitwise(e, kind, &order, &access));
  return obj_value(rmw(e, kind, &order, &access));
}

// The old value as the type of `val`, for example an integer of the same width.
static Obj exchanged(Elab *e, const Call *call, Value *old) {
  const Obj *val = &call->args[CAS_VAL];
  const Type *own = elab_scalar(e, obj_elem(val)), *element = type_element(old->type);
  bool same = elem_is_int(own->elem) && elem_is_int(element->elem) &&
              elem_info(own->elem)->bits == elem_info(element->elem)->bits;
  return obj_value(same ? elab_bitcast(e, call->loc, old, own) : old);
}

Obj builtin_atomic_cas(Elab *e, Call *call) {
  OrderNames order;
  MemoryArgs compare = {.pointer = builtin_pointer(e, call, CAS_POINTER)}, change = compare;
  if (!compare.pointer || !read_order(e, call, CAS_SEM, &order)) return obj_error();
  const Type *element = type_element(compare.pointer->type)->inner;
  if (elem_info(element->elem)->bits < 16)
    return elab_error(e, call->locs[CAS_POINTER],
                      "'%s' is not defined on %s: it takes elements of 16, 32 or 64 bits", call->text,
                      type_text(e, element));
  if (!builtin_access(e, call, &compare, "'cmp'", CAS_CMP, NO_ARG)) return obj_error();
  if (!builtin_access(e, call, &change, "'val'", CAS_VAL, NO_ARG)) return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  return exchanged(
      e, call, build_atomic_cas(&e->b, compare.pointer, compare.value, change.value, order.sem, order.scope));
}
