// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers: arguments of the functions in prelude.tile. The integers are those of Triton.
#include "frontend/builtins/builtins.h"

enum { DEFAULT_ROUNDS = 10, MAX_ROUNDS = 64 };

static Obj cast_to(Elab *e, Loc loc, const Obj *x, Elem elem) {
  return obj_value(elab_value(e, loc, "a random number's seed", x, elab_scalar(e, elem)));
}

// --- Arguments ---

static bool read_rounds(Elab *e, const Call *call, uint32_t at, int64_t *rounds) {
  bool good = true;
  *rounds =
      builtin_option(e, call, at, CONST_INT, "n_rounds", &good) ? call->args[at].constant.i : DEFAULT_ROUNDS;
  if (!good) return false;
  if (*rounds >= 0 && *rounds <= MAX_ROUNDS) return true;
  return elab_fail(e, call->locs[at], "[T0207] 'n_rounds' of '%s' must be 0 to %d, not %lld", call->text,
                   MAX_ROUNDS, (long long)*rounds);
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

static Obj philox(Elab *e, Loc loc, int64_t rounds, const Obj c[4], const Obj k[2]) {
  return builtin_prelude(e, loc, "philox", 7, (Obj[]){c[0], c[1], c[2], c[3], k[0], k[1], obj_int(rounds)});
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
  return philox(e, call->loc, rounds, c, k);
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
  return philox(e, call->loc, rounds, c, k);
}

Obj builtin_randint4x(Elab *e, Call *call) { return random4(e, call); }

Obj builtin_randint(Elab *e, Call *call) {
  Obj four = random4(e, call);
  return four.kind == OBJ_TUPLE ? four.items.at[0] : four;
}

// --- Floats ---

static Obj to_uniform(Elab *e, Loc loc, const Obj *x) { return builtin_prelude(e, loc, "uniform", 1, x); }

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

// Turns two random integers into two normal numbers. False after an error.
static bool to_normal(Elab *e, Loc loc, Obj *u1, Obj *u2) {
  Obj pair[] = {to_uniform(e, loc, u1), to_uniform(e, loc, u2)};
  Obj normal = builtin_prelude(e, loc, "normal", 2, pair);
  if (normal.kind != OBJ_TUPLE) return false;
  *u1 = normal.items.at[0], *u2 = normal.items.at[1];
  return true;
}

Obj builtin_normal(Elab *e, Call *call) {
  Pair pair = elab_promote(e, call->loc, call->text, PROMOTE_PLAIN, &call->args[ARG_X], &call->args[ARG_Y]);
  if (!pair.a) return obj_error();
  if (!type_is_float(pair.a->type))
    return elab_error(e, call->loc, "[T0207] '%s' needs floats, not %s", call->text,
                      obj_describe(e, &call->args[ARG_X]));
  return builtin_prelude(e, call->loc, "normal", 2, (Obj[]){obj_value(pair.a), obj_value(pair.b)});
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
