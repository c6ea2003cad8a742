// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic operations.
#include "frontend/builtins/builtins.h"
#include "frontend/elaborate/elab_flow.h"

typedef struct OrderNames {
  const char *sem, *scope; // interned; NULL: the default
} OrderNames;

// Leaves out the default.
static const char *unless(const char *text, const char *otherwise) {
  return text && strcmp(text, otherwise) != 0 ? text : NULL;
}

// own: "acquire" of an atomic that only reads, "release" of one that only writes; else NULL.
static bool read_order(Elab *e, const Call *call, uint32_t at, const char *own, OrderNames *order) {
  static const char *const all[] = {"acquire", "release", "acq_rel", "relaxed", NULL};
  static const char *const scopes[] = {"gpu", "cta", "sys", NULL};
  const char *const half[] = {own, "relaxed", NULL};
  bool good = true;
  const char *sem = builtin_choice(e, call, at, "sem", own ? half : all, &good);
  order->sem = !own ? unless(sem, "acq_rel") : sem ? sem : own;
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
  return elab_fail(e, call->locs[ATOMIC_POINTER], "[T0308] '%s' is not defined on %s: it takes %s",
                   call->text, elem_info(elem)->name, hint);
}

// detail: the atomic operation.
Obj builtin_atomic(Elab *e, Call *call) {
  const char *kind = call->builtin->detail;
  OrderNames order;
  MemoryArgs access = {.pointer = builtin_written_pointer(e, call, ATOMIC_POINTER)};
  if (!access.pointer || !check_elem(e, call, kind, access.pointer->type)) return obj_error();
  if (!read_order(e, call, ATOMIC_SEM, NULL, &order) ||
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
  if (!compare.pointer || !read_order(e, call, CAS_SEM, NULL, &order)) return obj_error();
  const Type *element = type_element(compare.pointer->type)->inner;
  if (elem_info(element->elem)->bits < 16)
    return elab_error(e, call->locs[CAS_POINTER],
                      "[T0308] '%s' is not defined on %s: it takes elements of 16, 32 or 64 bits", call->text,
                      type_text(e, element));
  if (!builtin_access(e, call, &compare, "'cmp'", CAS_CMP, NO_ARG)) return obj_error();
  if (!builtin_access(e, call, &change, "'val'", CAS_VAL, NO_ARG)) return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  return exchanged(
      e, call, build_atomic_cas(&e->b, compare.pointer, compare.value, change.value, order.sem, order.scope));
}

// --- Loads and stores ---

// The access's pointer to plain memory: a bool in memory is a byte, and what is const can be read.
static Value *plain_pointer(Elab *e, Value *pointer) {
  Elem elem = type_element(pointer->type)->inner->elem;
  const Type *plain = type_ptr(e->ir, elab_scalar(e, elem == ELEM_I1 ? ELEM_I8 : elem));
  if (type_element(pointer->type) == plain) return pointer;
  return build(&e->b, OP_BITCAST, type_with_element(e->ir, pointer->type, plain), pointer, NULL, NULL);
}

static Value *load_at(Elab *e, const OrderNames *order, Value *pointer, Value *mask) {
  const Type *pointee = type_element(pointer->type)->inner;
  MemoryArgs access = {.pointer = plain_pointer(e, pointer), .mask = mask};
  const Type *plain = type_element(access.pointer->type)->inner;
  access.value = elab_any_value(e, type_with_element(e->ir, pointer->type, plain)); // loads do not read it
  return build_cast(&e->b, rmw(e, "load", order, &access), pointee);
}

static bool is_number(Elab *e, const Call *call) {
  const Type *pointee = type_element(call->args[ATOMIC_POINTER].value->type)->inner;
  if (pointee->kind == TYPE_SCALAR) return true;
  return elab_fail(e, call->locs[ATOMIC_POINTER], "[T0207] '%s' takes pointers to numbers, not %s",
                   call->text, obj_describe(e, &call->args[ATOMIC_POINTER]));
}

Obj builtin_atomic_load(Elab *e, Call *call) {
  OrderNames order;
  MemoryArgs access = {.pointer = builtin_pointer(e, call, ATOMIC_POINTER), .widens = true};
  if (!access.pointer || !is_number(e, call) || !read_order(e, call, ATOMIC_LOAD_SEM, "acquire", &order) ||
      !builtin_access(e, call, &access, "", NO_ARG, ATOMIC_LOAD_MASK))
    return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  return obj_value(load_at(e, &order, access.pointer, access.mask));
}

Obj builtin_atomic_store(Elab *e, Call *call) {
  OrderNames order;
  MemoryArgs access = {.pointer = builtin_written_pointer(e, call, ATOMIC_POINTER)};
  if (!access.pointer || !is_number(e, call) || !read_order(e, call, ATOMIC_SEM, "release", &order) ||
      !builtin_access(e, call, &access, "the value", ATOMIC_VAL, ATOMIC_MASK))
    return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  access.pointer = plain_pointer(e, access.pointer);
  access.value = build_cast(&e->b, access.value, type_element(access.pointer->type)->inner);
  rmw(e, "store", &order, &access);
  return obj_none();
}

// --- Polls ---

typedef struct Poll {
  Value *pointer, *expected;
  Value *start, *timeout; // ns; NULL: it waits for ever
  OrderNames order;
} Poll;

static Value *constant_flags(Elab *e, const Type *shape, bool value) {
  return build_int(&e->b, type_with_element(e->ir, shape, elab_scalar(e, ELEM_I1)), value);
}

static Value *negated(Elab *e, Value *flags) {
  return build_binary(&e->b, OP_XOR, flags, constant_flags(e, flags->type, true));
}

static Value *any_of(Elab *e, Value *flags) {
  if (!type_is_tile(flags->type)) return flags;
  uint32_t size = (uint32_t)type_elements(flags->type);
  return builtin_reduce_by(e, builtin_reshape(e, flags, 1, &size), 0, OP_OR, false);
}

// One round: loads what was not found yet, then looks at the clock.
static void poll_round(Elab *e, const Poll *poll, Region *region) {
  Value *done = region->args[0], *yields[2] = {0};
  Value *pending = negated(e, done), *now = load_at(e, &poll->order, poll->pointer, pending);
  Value *found = build_binary(&e->b, OP_AND, pending, build_binary(&e->b, OP_EQ, now, poll->expected));
  yields[0] = build_binary(&e->b, OP_OR, done, found);
  if (poll->timeout) {
    Value *spent = build_binary(&e->b, OP_SUB, builtin_clock(e), poll->start);
    yields[1] = build_binary(&e->b, OP_GE, builtin_as(e, spent, ELEM_U64), poll->timeout);
  }
  build_op(&e->b, OP_YIELD, region->arg_count, yields, 0, NULL);
}

// A loop that carries which elements were found and, with a timeout, if it has expired. All loads are in the
// loop, so that a poll without timeout only waits.
static Value *poll_loop(Elab *e, const Poll *poll) {
  const Type *flag = elab_scalar(e, ELEM_I1);
  Value *init[] = {constant_flags(e, poll->expected->type, false), constant_flags(e, flag, false)};
  Op *loop = build_while(&e->b, poll->timeout ? 2 : 1, init);
  Builder after = e->b;
  Region *test = loop->regions[0];
  e->b = builder_inside(test, after.loc);
  Value *again = any_of(e, negated(e, test->args[0])), *yields[3] = {NULL, test->args[0]};
  if (poll->timeout) { // the clock counts only if an element is pending
    yields[2] = test->args[1];
    Value *none = constant_flags(e, flag, false);
    again = builtin_choose(e, again, negated(e, yields[2]), none);
  }
  yields[0] = again;
  build_op(&e->b, OP_YIELD, test->arg_count + 1, yields, 0, NULL);
  e->b = builder_inside(loop->regions[1], after.loc);
  poll_round(e, poll, loop->regions[1]);
  e->b = after;
  return poll->timeout ? &loop->results[0] : constant_flags(e, poll->expected->type, true);
}

static bool read_timeout(Elab *e, const Call *call, Poll *poll) {
  const Obj *timeout = &call->args[POLL_TIMEOUT_NS];
  if (!obj_given(timeout)) return true;
  bool known = obj_is(timeout, CONST_INT),
       scalar = timeout->kind == OBJ_VALUE && !type_is_tile(timeout->value->type);
  if ((known && timeout->constant.i >= 0) || (scalar && type_is_int(timeout->value->type))) {
    Value *value = builtin_value(e, call, POLL_TIMEOUT_NS, "'timeout_ns'");
    if (value) poll->timeout = builtin_as(e, value, ELEM_U64);
    return value != NULL;
  }
  return elab_fail(e, call->locs[POLL_TIMEOUT_NS],
                   "[T0207] 'timeout_ns' of '%s' is one integer that is not negative, not %s", call->text,
                   obj_describe(e, timeout));
}

Obj builtin_atomic_poll(Elab *e, Call *call) {
  MemoryArgs access = {.pointer = builtin_pointer(e, call, ATOMIC_POINTER)};
  Poll poll = {0};
  if (!access.pointer || !is_number(e, call)) return obj_error();
  const Type *pointee = type_element(access.pointer->type)->inner;
  if (!elem_is_int(pointee->elem) || elem_info(pointee->elem)->bits < 16)
    return elab_error(e, call->locs[ATOMIC_POINTER],
                      "[T0308] '%s' is not defined on %s: it takes integers of 16, 32 or 64 bits", call->text,
                      type_text(e, pointee));
  if (!read_order(e, call, POLL_SEM, "acquire", &poll.order) || !read_timeout(e, call, &poll) ||
      !builtin_access(e, call, &access, "'expected_value'", ATOMIC_VAL, NO_ARG))
    return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  poll.pointer = access.pointer, poll.expected = access.value;
  if (poll.timeout) poll.start = builtin_clock(e);
  return obj_value(poll_loop(e, &poll));
}
