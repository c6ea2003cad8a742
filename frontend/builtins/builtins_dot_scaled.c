// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot_scaled: dots of numbers in microscaling formats (OCP Microscaling Formats 1.0).
//
// Built from other ops, with Triton's results. Both operands become fp16 if one of them is fp16, else bf16.
// Each type holds every number of the narrow formats. Groups along k are multiplied by their scales in that
// type. The results are then multiplied as in `dot`.
#include <math.h>

#include "frontend/builtins/builtins.h"

typedef struct Format {
  const char *name;
  Elem elem, bits; // elem: type of the tile; bits: integer type of its bits
} Format;

static const Format formats[] = {
    {"e2m1", ELEM_U8, ELEM_U8}, // two numbers in a byte, the first in the lower half
    {"e4m3", ELEM_FP8E4NV, ELEM_U8},
    {"e5m2", ELEM_FP8E5, ELEM_U8},
    {"bf16", ELEM_BF16, ELEM_U16},
    {"fp16", ELEM_FP16, ELEM_U16}};

typedef struct Operand {
  bool is_rhs;
  const char *name, *scale_name; // of the parameters
  const Format *format;
  Value *x, *scale;      // scale: NULL if there is none
  bool k_pack;           // each byte holds two numbers along k
  uint32_t rank, k_axis; // of x; the other dimension of the matrix is outer_axis
  uint32_t outer_axis;
  uint32_t shape[TILE_MAX_RANK]; // in numbers
  uint32_t group;                // numbers along k that share a scale
} Operand;

// --- Arguments

static bool is_packed(const Operand *o) { return o->format->elem == ELEM_U8; }

static const Format *read_format(Elab *e, const Call *call, uint32_t at, const char *name) {
  static const char *const names[] = {"e2m1", "e4m3", "e5m2", "bf16", "fp16", NULL};
  bool good = true;
  const char *given = builtin_choice(e, call, at, name, names, &good);
  for (uint32_t i = 0; given && names[i]; i++)
    if (strcmp(given, names[i]) == 0) return &formats[i];
  if (good)
    elab_error(e, call->locs[at],
               "[T0207] '%s' of '%s' must be 'e2m1', 'e4m3', 'e5m2', 'bf16' or 'fp16', not %s", name,
               call->text, obj_describe(e, &call->args[at]));
  return NULL;
}

static bool check_element(Elab *e, const Call *call, uint32_t at, const Operand *o) {
  Elem elem = type_element(o->x->type)->elem;
  const Format *f = o->format;
  if (elem == f->elem || elem == f->bits) return true;
  const char *other = f->bits == f->elem ? ", two numbers to an element"
                                         : arena_printf(e->arena, " or of %s", elem_info(f->bits)->name);
  elab_error(e, call->locs[at], "[T0207] '%s' of '%s' in format %s must be a tile of %s%s, not %s", o->name,
             call->text, f->name, elem_info(f->elem)->name, other, type_text(e, o->x->type));
  return false;
}

// Reads the tile, its format and how it is packed.
static bool read_numbers(Elab *e, const Call *call, Operand *o) {
  uint32_t at = o->is_rhs ? SCALED_RHS : SCALED_LHS;
  uint32_t pack_at = o->is_rhs ? SCALED_RHS_K_PACK : SCALED_LHS_K_PACK;
  const char *pack_name = o->is_rhs ? "rhs_k_pack" : "lhs_k_pack";
  bool good = true;
  o->x = builtin_number_tile(e, call, at);
  o->format = read_format(e, call, o->is_rhs ? SCALED_RHS_FORMAT : SCALED_LHS_FORMAT,
                          o->is_rhs ? "rhs_format" : "lhs_format");
  o->k_pack = builtin_flag(e, call, pack_at, pack_name, true, &good);
  if (!o->x || !o->format || !good || !check_element(e, call, at, o)) return false;
  if (o->k_pack || is_packed(o)) return true;
  elab_error(e, call->locs[pack_at],
             "[T0207] '%s' of '%s' can be False only for format e2m1, which has two numbers to an element, "
             "not for %s",
             pack_name, call->text, o->format->name);
  return false;
}

static bool find_shape(Elab *e, const Call *call, Operand *o) {
  uint64_t sizes[TILE_MAX_RANK];
  o->rank = o->x->type->rank;
  o->k_axis = o->rank - (o->is_rhs ? 2 : 1), o->outer_axis = o->rank - (o->is_rhs ? 1 : 2);
  memcpy(o->shape, o->x->type->shape, sizeof o->shape);
  if (is_packed(o)) o->shape[o->k_pack ? o->k_axis : o->outer_axis] *= 2;
  for (uint32_t i = 0; i < o->rank; i++) sizes[i] = o->shape[i];
  return elab_check_tile(e, call->loc, o->rank, sizes);
}

static bool check_shapes(Elab *e, const Call *call, Operand *a, Operand *b) {
  const Type *x = a->x->type, *y = b->x->type;
  if (x->rank != y->rank || (x->rank != 2 && x->rank != 3)) {
    elab_error(e, call->loc, "[T0302] '%s' needs two matrices, or two batches of matrices, not %s and %s",
               call->text, type_text(e, x), type_text(e, y));
    return false;
  }
  if (x->rank == 3 && x->shape[0] != y->shape[0]) {
    elab_error(e, call->loc, "[T0302] the batches of '%s' differ: %s and %s", call->text, type_text(e, x),
               type_text(e, y));
    return false;
  }
  if (!find_shape(e, call, a) || !find_shape(e, call, b)) return false;
  if (a->shape[a->k_axis] == b->shape[b->k_axis]) return true;
  elab_error(e, call->loc,
             "[T0302] '%s' cannot multiply %s by %s: the rows of the first have %u numbers, the "
             "columns of the second %u",
             call->text, type_text(e, x), type_text(e, y), a->shape[a->k_axis], b->shape[b->k_axis]);
  return false;
}

// Scales are e8m0 bytes, powers of two, for groups of 32 numbers. Or they are e4m3 numbers, for groups of 16.
// Those of rhs come transposed: [..., N, K / group].
static bool read_scale(Elab *e, const Call *call, Operand *o) {
  uint32_t at = o->is_rhs ? SCALED_RHS_SCALE : SCALED_LHS_SCALE;
  if (!obj_given(&call->args[at])) return true;
  o->scale = builtin_number_tile(e, call, at);
  if (!o->scale) return false;
  Elem elem = type_element(o->scale->type)->elem;
  o->group = elem == ELEM_FP8E4NV ? 16 : 32;
  uint32_t k = o->shape[o->k_axis], shape[TILE_MAX_RANK];
  if (k < o->group) {
    elab_error(e, call->locs[at],
               "[T0207] '%s' of '%s': a scale covers %u numbers along k, but k has only %u", o->scale_name,
               call->text, o->group, k);
    return false;
  }
  memcpy(shape, o->shape, sizeof shape);
  shape[o->rank - 2] = o->shape[o->outer_axis], shape[o->rank - 1] = k / o->group;
  bool known = elem == ELEM_U8 || elem == ELEM_I8 || elem == ELEM_FP8E4NV;
  const Type *wanted = type_tile(e->ir, elab_scalar(e, known ? elem : ELEM_U8), o->rank, shape, NULL);
  if (o->scale->type == wanted) return true;
  elab_error(e, call->locs[at],
             "[T0207] '%s' of '%s' must be %s, not %s: a scale for every %u numbers along k", o->scale_name,
             call->text, type_text(e, wanted), type_text(e, o->scale->type), o->group);
  return false;
}

// --- Values

static Value *with_int(Elab *e, OpKind kind, Value *x, int64_t y) {
  return build_binary(&e->b, kind, x, build_int(&e->b, x->type, y));
}

static Value *bits_as(Elab *e, Value *x, Elem elem) {
  if (type_is_elem(x->type, elem)) return x;
  return build(&e->b, OP_BITCAST, type_with_element(e->ir, x->type, elab_scalar(e, elem)), x, NULL, NULL);
}

// The two e2m1 numbers of each byte, times 2^-126 (as bf16) or 2^-14 (as fp16). The exponent becomes the
// lowest bits of the wide exponent, and the mantissa the highest bits of the wide mantissa. So subnormal
// numbers are subnormal in the wide type too. Both numbers use one word, the second in its upper half.
static void spread_halves(Elab *e, Value *x, Elem elem, Value *halves[2]) {
  uint32_t mantissa = elem == ELEM_FP16 ? 10 : 7;
  uint32_t magnitude = 7u << (mantissa - 1);
  Value *byte = builtin_as(e, x, ELEM_U32);
  Value *both = build_binary(&e->b, OP_OR, byte, with_int(e, OP_SHL, byte, 12));
  Value *sign = with_int(e, OP_AND, with_int(e, OP_SHL, both, 12), 0x80008000);
  Value *rest = with_int(e, OP_AND, with_int(e, OP_SHL, both, mantissa - 1), magnitude | magnitude << 16);
  Value *word = build_binary(&e->b, OP_OR, sign, rest);
  halves[0] = bits_as(e, builtin_as(e, word, ELEM_U16), elem);
  halves[1] = bits_as(e, builtin_as(e, with_int(e, OP_SHR, word, 16), ELEM_U16), elem);
}

// The numbers in e2m1 bytes. They become neighbours along the packed dimension.
static Value *unpack(Elab *e, const Operand *o, Elem elem) {
  Value *halves[2];
  spread_halves(e, o->x, elem, halves);
  Value *x = build_join(&e->b, halves[0], halves[1]);
  uint32_t packed = o->k_pack ? o->k_axis : o->outer_axis, order[TILE_MAX_RANK];
  if (packed + 1 < o->rank) {
    for (uint32_t i = 0; i <= o->rank; i++) order[i] = i <= packed ? i : i - 1;
    order[packed + 1] = o->rank;
    x = build_trans(&e->b, x, order);
  }
  x = builtin_reshape(e, x, o->rank, o->shape);
  return build_binary(&e->b, OP_MUL, x, build_float(&e->b, x->type, elem == ELEM_FP16 ? 0x1p14 : 0x1p126));
}

// Converts a scale to the operands' type. e8m0 is the exponent of bf16 and fp32. There, exponent 0 does not
// mean a power of two but zero. 255 is NaN.
static Value *convert_scale(Elab *e, const Operand *o, Elem elem, bool fast_math) {
  if (type_is_elem(o->scale->type, ELEM_FP8E4NV)) return builtin_as(e, o->scale, elem);
  Value *byte = bits_as(e, o->scale, ELEM_U8), *scale;
  if (elem == ELEM_FP16)
    scale =
        builtin_as(e, bits_as(e, with_int(e, OP_SHL, builtin_as(e, byte, ELEM_U32), 23), ELEM_FP32), elem);
  else
    scale = bits_as(e, with_int(e, OP_SHL, builtin_as(e, byte, ELEM_U16), 7), elem);
  if (fast_math) return scale;
  Value *is_nan = with_int(e, OP_EQ, byte, 255);
  return builtin_choose(e, is_nan, build_float(&e->b, scale->type, NAN), scale);
}

// Broadcasts the scales to the operand's shape.
static Value *spread_scale(Elab *e, const Operand *o, Value *scale) {
  uint32_t order[TILE_MAX_RANK], shape[TILE_MAX_RANK];
  for (uint32_t i = 0; i < o->rank; i++) order[i] = i;
  order[o->rank - 2] = o->rank - 1, order[o->rank - 1] = o->rank - 2;
  if (o->is_rhs) scale = build_trans(&e->b, scale, order);
  scale = build_expand_dims(&e->b, scale, o->k_axis + 1);
  memcpy(shape, scale->type->shape, sizeof shape);
  shape[o->k_axis + 1] = o->group;
  return builtin_reshape(e, build_broadcast(&e->b, scale, shape), o->rank, o->shape);
}

static Value *scaled(Elab *e, const Operand *o, Elem elem, bool fast_math) {
  Value *x = is_packed(o) ? unpack(e, o, elem) : builtin_as(e, bits_as(e, o->x, o->format->elem), elem);
  if (!o->scale) return x;
  return build_binary(&e->b, OP_MUL, x, spread_scale(e, o, convert_scale(e, o, elem, fast_math)));
}

static bool check_out_dtype(Elab *e, const Call *call) {
  if (!obj_given(&call->args[SCALED_OUT_DTYPE])) return true;
  const Type *dtype = builtin_dtype(e, call, SCALED_OUT_DTYPE);
  if (!dtype || type_is_elem(dtype, ELEM_FP32)) return dtype != NULL;
  elab_error(e, call->locs[SCALED_OUT_DTYPE],
             "[T0207] 'out_dtype' of '%s' must be fp32, not %s; convert the result", call->text,
             type_text(e, dtype));
  return false;
}

Obj builtin_dot_scaled(Elab *e, Call *call) {
  Operand a = {.name = "lhs", .scale_name = "lhs_scale"},
          b = {.is_rhs = true, .name = "rhs", .scale_name = "rhs_scale"};
  bool good = true, fast_math = builtin_flag(e, call, SCALED_FAST_MATH, "fast_math", false, &good);
  bool read = read_numbers(e, call, &a) & read_numbers(e, call, &b) & check_out_dtype(e, call);
  if (!good || !read || !check_shapes(e, call, &a, &b)) return obj_error();
  if (!(read_scale(e, call, &a) & read_scale(e, call, &b))) return obj_error();
  uint32_t shape[TILE_MAX_RANK];
  uint64_t sizes[TILE_MAX_RANK];
  memcpy(shape, a.shape, sizeof shape);
  shape[a.rank - 1] = b.shape[b.outer_axis];
  for (uint32_t i = 0; i < a.rank; i++) sizes[i] = shape[i];
  Value *acc;
  if (!elab_check_tile(e, call->loc, a.rank, sizes) ||
      !builtin_accumulator(e, call, SCALED_ACC,
                           type_tile(e->ir, elab_scalar(e, ELEM_FP32), a.rank, shape, NULL), &acc))
    return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  Elem elem = a.format->elem == ELEM_FP16 || b.format->elem == ELEM_FP16 ? ELEM_FP16 : ELEM_BF16;
  Value *x = scaled(e, &a, elem, fast_math), *y = scaled(e, &b, elem, fast_math);
  return obj_value(build_dot(&e->b, x, y, acc, NULL, 0));
}
