// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers: Philox 4x32-10 and 4x64-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as
// 1, 2, 3; SC 2011). Counters and keys have Triton's layout, so the integers are the same.
#include "frontend/builtins/builtins.h"

enum { DEFAULT_ROUNDS = 10, MAX_ROUNDS = 64 };

// --- Arithmetic of objects ---

static Obj unsigned_constant(uint64_t i) {
  return obj_const((ConstValue){.kind = CONST_INT, .is_u64 = i > INT64_MAX, .i = (int64_t)i});
}

static Obj high_product(Elab *e, Loc loc, Value *factor, const Obj *x) {
  if (x->kind != OBJ_VALUE) return obj_error();
  Value *values[] = {factor, x->value};
  if (!elab_broadcast(e, loc, "'philox'", 2, values)) return obj_error();
  return obj_value(build_binary(&e->b, OP_MULHI, values[0], values[1]));
}

static Obj cast_to(Elab *e, Loc loc, const Obj *x, Elem elem) {
  return obj_value(elab_value(e, loc, "a random number's seed", x, elab_scalar(e, elem)));
}

// --- Philox ---

typedef struct PhiloxConstants {
  uint64_t keys[2], factors[2];
} PhiloxConstants;

static const PhiloxConstants philox32 = {{0x9E3779B9, 0xBB67AE85}, {0xD2511F53, 0xCD9E8D57}};
static const PhiloxConstants philox64 = {{0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B},
                                         {0xD2E7470EE14C6C93, 0xCA5A826395121157}};

static Obj xor3(Elab *e, Loc loc, const Obj *a, const Obj *b, const Obj *c) {
  Obj x = elab_binary(e, loc, BINARY_XOR, a, b);
  return elab_binary(e, loc, BINARY_XOR, &x, c);
}

// One round on the counters c[4] with the keys k[2].
static void philox_round(Elab *e, Loc loc, const PhiloxConstants *constants, Elem elem, Obj c[4],
                         const Obj k[2]) {
  Obj high[2], low[2];
  for (uint32_t i = 0; i < 2; i++) {
    e->b.loc = elab_loc(e, loc);
    Value *factor = build_int(&e->b, elab_scalar(e, elem), (int64_t)constants->factors[i]);
    Obj by = obj_value(factor);
    high[i] = high_product(e, loc, factor, &c[2 * i]);
    low[i] = elab_binary(e, loc, BINARY_MUL, &by, &c[2 * i]);
  }
  Obj first = xor3(e, loc, &high[1], &c[1], &k[0]), third = xor3(e, loc, &high[0], &c[3], &k[1]);
  c[0] = first, c[1] = low[1], c[2] = third, c[3] = low[0];
}

static void philox_rounds(Elab *e, Loc loc, Elem elem, int64_t rounds, Obj c[4], Obj k[2]) {
  const PhiloxConstants *constants = elem == ELEM_U32 ? &philox32 : &philox64;
  for (int64_t i = 0; i < rounds; i++) {
    philox_round(e, loc, constants, elem, c, k);
    for (uint32_t at = 0; i + 1 < rounds && at < 2; at++) {
      Obj step = unsigned_constant(constants->keys[at]);
      k[at] = elab_binary(e, loc, BINARY_ADD, &k[at], &step);
    }
  }
}

static bool read_rounds(Elab *e, const Call *call, uint32_t at, int64_t *rounds) {
  bool good = true;
  *rounds =
      builtin_option(e, call, at, CONST_INT, "n_rounds", &good) ? call->args[at].constant.i : DEFAULT_ROUNDS;
  if (!good) return false;
  if (*rounds >= 0 && *rounds <= MAX_ROUNDS) return true;
  elab_error(e, call->locs[at], "[T0207] 'n_rounds' of '%s' must be 0 to %d, not %lld", call->text,
             MAX_ROUNDS, (long long)*rounds);
  return false;
}

static bool is_integer(const Obj *obj) {
  return obj_is(obj, CONST_INT) || (obj->kind == OBJ_VALUE && type_is_int(obj->value->type));
}

static bool check_integer(Elab *e, const Call *call, uint32_t at, const char *name) {
  const Obj *obj = &call->args[at];
  if (is_integer(obj)) return true;
  if (obj->kind != OBJ_ERROR)
    elab_error(e, call->locs[at], "[T0207] '%s' of '%s' must be integers, not %s", name, call->text,
               obj_describe(e, obj));
  return false;
}

// The two halves of the seed as 32-bit keys, or the seed and 0 as 64-bit keys.
static bool make_keys(Elab *e, const Call *call, Elem elem, Obj k[2]) {
  const Obj *seed = &call->args[RANDOM_SEED];
  if (!check_integer(e, call, RANDOM_SEED, "seed")) return false;
  Obj wide = *seed;
  if (obj_is(seed, CONST_INT) && !seed->constant.is_u64)
    wide = cast_to(e, call->locs[RANDOM_SEED], seed, ELEM_I64);
  wide = cast_to(e, call->locs[RANDOM_SEED], &wide, ELEM_U64);
  if (elem == ELEM_U64) {
    k[0] = wide;
    k[1] = obj_value(build_int(&e->b, elab_scalar(e, ELEM_U64), 0));
    return wide.kind == OBJ_VALUE;
  }
  Obj half = obj_int(32), high = elab_binary(e, call->loc, BINARY_SHR, &wide, &half);
  k[0] = cast_to(e, call->loc, &wide, ELEM_U32);
  k[1] = cast_to(e, call->loc, &high, ELEM_U32);
  return k[0].kind == OBJ_VALUE && k[1].kind == OBJ_VALUE;
}

static Obj counters_tuple(Elab *e, const Obj c[4]) {
  Obj result = obj_tuple(e, 4);
  for (uint32_t i = 0; i < 4; i++) {
    if (c[i].kind == OBJ_ERROR) return c[i];
    result.items.at[i] = c[i];
  }
  return result;
}

Obj builtin_philox(Elab *e, Call *call) {
  static const char *const names[] = {"seed", "c0", "c1", "c2", "c3"};
  int64_t rounds;
  Obj c[4], k[2];
  for (uint32_t i = PHILOX_SEED; i <= PHILOX_C3; i++)
    if (!check_integer(e, call, i, names[i])) return obj_error();
  Value *first = builtin_value(e, call, PHILOX_C0, "a counter");
  uint32_t bits = first ? elem_info(type_element(first->type)->elem)->bits : 0;
  if (bits != 32 && bits != 64)
    return elab_error(e, call->locs[PHILOX_C0],
                      "[T0207] the counters of '%s' must have 32 or 64 bits: 'c0' is %s", call->text,
                      obj_describe(e, &call->args[PHILOX_C0]));
  Elem elem = bits == 32 ? ELEM_U32 : ELEM_U64;
  if (!read_rounds(e, call, PHILOX_N_ROUNDS, &rounds) || !make_keys(e, call, elem, k)) return obj_error();
  for (uint32_t i = 0; i < 4; i++)
    c[i] = cast_to(e, call->locs[PHILOX_C0 + i], &call->args[PHILOX_C0 + i], elem);
  philox_rounds(e, call->loc, elem, rounds, c, k);
  return counters_tuple(e, c);
}

// --- Integers at offsets ---

// A float of up to 32 bits is converted, as in Triton.
static bool check_offset(Elab *e, const Call *call) {
  const Obj *offset = &call->args[RANDOM_OFFSET];
  if (offset->kind == OBJ_VALUE && type_is_float(offset->value->type) &&
      elem_info(type_element(offset->value->type)->elem)->bits <= 32)
    return true;
  return check_integer(e, call, RANDOM_OFFSET, "offset");
}

static Obj random4(Elab *e, const Call *call) {
  int64_t rounds;
  Obj c[4], k[2];
  if (!check_offset(e, call) || !read_rounds(e, call, RANDOM_N_ROUNDS, &rounds)) return obj_error();
  Value *offset = builtin_value(e, call, RANDOM_OFFSET, "'offset'");
  if (!offset || !make_keys(e, call, ELEM_U32, k)) return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  Obj whole = obj_value(offset), half = obj_int(32);
  c[0] = obj_value(builtin_as(e, offset, ELEM_U32));
  Obj zero = obj_value(build_int(&e->b, c[0].value->type, 0)), high = zero;
  if (elem_info(type_element(offset->type)->elem)->bits > 32) {
    Obj upper = elab_binary(e, call->loc, BINARY_SHR, &whole, &half);
    high = cast_to(e, call->loc, &upper, ELEM_U32);
  }
  c[1] = high, c[2] = zero, c[3] = zero;
  philox_rounds(e, call->loc, ELEM_U32, rounds, c, k);
  return counters_tuple(e, c);
}

Obj builtin_randint4x(Elab *e, Call *call) { return random4(e, call); }

Obj builtin_randint(Elab *e, Call *call) {
  Obj four = random4(e, call);
  return four.kind == OBJ_TUPLE ? four.items.at[0] : four;
}

// --- Floats ---

// Folds the bits as a signed integer to 0 or more, then scales: in [0, 1).
static Obj to_uniform(Elab *e, Loc loc, const Obj *x) {
  if (x->kind != OBJ_VALUE) return obj_error();
  bool wide = elem_info(type_element(x->value->type)->elem)->bits == 64;
  Value *bits = elab_bitcast(e, loc, x->value, elab_scalar(e, wide ? ELEM_I64 : ELEM_I32));
  if (!bits) return obj_error();
  Value *negative = build_binary(&e->b, OP_LT, bits, build_int(&e->b, bits->type, 0));
  Value *folded = build_binary(&e->b, OP_XOR, bits, build_int(&e->b, bits->type, -1)); // -x - 1
  Obj count = obj_value(builtin_choose(e, negative, folded, bits));
  Obj scale = obj_float(wide ? 1.0842020432385337e-19 : 4.6566127342e-10);
  return elab_binary(e, loc, BINARY_MUL, &count, &scale);
}

Obj builtin_uniform(Elab *e, Call *call) {
  Value *x = builtin_value(e, call, ARG_X, "the argument");
  if (!x) return obj_error();
  if (!type_is_int(x->type) || elem_info(type_element(x->type)->elem)->bits < 32)
    return elab_error(e, call->locs[ARG_X], "[T0207] '%s' needs integers of 32 or 64 bits, not %s",
                      call->text, obj_describe(e, &call->args[ARG_X]));
  Obj obj = obj_value(x);
  return to_uniform(e, call->loc, &obj);
}

Obj builtin_rand(Elab *e, Call *call) {
  Obj four = random4(e, call);
  return four.kind == OBJ_TUPLE ? to_uniform(e, call->loc, &four.items.at[0]) : four;
}

Obj builtin_rand4x(Elab *e, Call *call) {
  Obj four = random4(e, call);
  for (uint32_t i = 0; four.kind == OBJ_TUPLE && i < 4; i++)
    four.items.at[i] = to_uniform(e, call->loc, &four.items.at[i]);
  return four;
}

// The Box-Muller transform: turns two uniform tiles into two normal ones.
static void transform(Elab *e, Value *x, Value *y, Obj *u1, Obj *u2) {
  const Type *type = x->type;
  Value *above = build_binary(&e->b, OP_MAX, build_float(&e->b, type, 1.0e-7), x);
  Value *angle = build_binary(&e->b, OP_MUL, build_float(&e->b, type, 6.283185307179586), y);
  Value *log = builtin_math_value(e, "log", above, NULL);
  Value *square = build_binary(&e->b, OP_MUL, build_float(&e->b, type, -2), log);
  Value *radius = builtin_math_value(e, "sqrt_approx", square, NULL);
  *u1 = obj_value(build_binary(&e->b, OP_MUL, radius, builtin_math_value(e, "cos", angle, NULL)));
  *u2 = obj_value(build_binary(&e->b, OP_MUL, radius, builtin_math_value(e, "sin", angle, NULL)));
}

static bool to_normal(Elab *e, Loc loc, Obj *u1, Obj *u2) {
  Obj x = to_uniform(e, loc, u1), y = to_uniform(e, loc, u2);
  if (x.kind != OBJ_VALUE || y.kind != OBJ_VALUE) return false;
  transform(e, x.value, y.value, u1, u2);
  return true;
}

Obj builtin_normal(Elab *e, Call *call) {
  Pair pair = elab_promote(e, call->loc, call->text, PROMOTE_PLAIN, &call->args[ARG_X], &call->args[ARG_Y]);
  Obj normal = obj_tuple(e, 2);
  if (!pair.a) return obj_error();
  if (!type_is_float(pair.a->type))
    return elab_error(e, call->loc, "[T0207] '%s' needs floats, not %s", call->text,
                      obj_describe(e, &call->args[ARG_X]));
  transform(e, pair.a, pair.b, &normal.items.at[0], &normal.items.at[1]);
  return normal;
}

Obj builtin_randn(Elab *e, Call *call) {
  Obj four = random4(e, call);
  if (four.kind != OBJ_TUPLE || !to_normal(e, call->loc, &four.items.at[0], &four.items.at[1]))
    return obj_error();
  return four.items.at[0];
}

Obj builtin_randn4x(Elab *e, Call *call) {
  Obj four = random4(e, call);
  if (four.kind != OBJ_TUPLE) return four;
  Obj *at = four.items.at;
  return to_normal(e, call->loc, &at[0], &at[1]) && to_normal(e, call->loc, &at[2], &at[3]) ? four
                                                                                            : obj_error();
}
