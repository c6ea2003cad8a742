// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot_scaled: dots of numbers in microscaling formats (OCP Microscaling Formats 1.0).
//
// Built from other ops, with Triton's results. Both operands become fp16 if one of them is fp16, else bf16.
// Each type holds every number of the narrow formats. Groups along k are multiplied by their scales in that
// type. The results are then multiplied as in `dot`. Where the target multiplies them by scales itself, the dot keeps all.
#include "base/integer.h"
#include "frontend/builtins/builtins.h"
#include "ir/dot/dot_fits.h"

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
  return elab_fail(e, call->locs[at], "[T0207] '%s' of '%s' in format %s must be a tile of %s%s, not %s",
                   o->name, call->text, f->name, elem_info(f->elem)->name, other, type_text(e, o->x->type));
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
  return elab_fail(
      e, call->locs[pack_at],
      "[T0207] '%s' of '%s' can be False only for format e2m1, which has two numbers to an element, "
      "not for %s",
      pack_name, call->text, o->format->name);
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
  if (x->rank != y->rank || (x->rank != 2 && x->rank != 3))
    return elab_fail(e, call->loc,
                     "[T0302] '%s' needs two matrices, or two batches of matrices, not %s and %s", call->text,
                     type_text(e, x), type_text(e, y));
  if (x->rank == 3 && x->shape[0] != y->shape[0])
    return elab_fail(e, call->loc, "[T0302] the batches of '%s' differ: %s and %s", call->text,
                     type_text(e, x), type_text(e, y));
  if (!find_shape(e, call, a) || !find_shape(e, call, b)) return false;
  if (a->shape[a->k_axis] == b->shape[b->k_axis]) return true;
  return elab_fail(e, call->loc,
                   "[T0302] '%s' cannot multiply %s by %s: the rows of the first have %u numbers, the "
                   "columns of the second %u",
                   call->text, type_text(e, x), type_text(e, y), a->shape[a->k_axis], b->shape[b->k_axis]);
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
  if (k < o->group)
    return elab_fail(e, call->locs[at],
                     "[T0207] '%s' of '%s': a scale covers %u numbers along k, but k has only %u",
                     o->scale_name, call->text, o->group, k);
  memcpy(shape, o->shape, sizeof shape);
  shape[o->rank - 2] = o->shape[o->outer_axis], shape[o->rank - 1] = k / o->group;
  bool known = elem == ELEM_U8 || elem == ELEM_I8 || elem == ELEM_FP8E4NV;
  const Type *wanted = type_tile(e->ir, elab_scalar(e, known ? elem : ELEM_U8), o->rank, shape, NULL);
  if (o->scale->type == wanted) return true;
  return elab_fail(e, call->locs[at],
                   "[T0207] '%s' of '%s' must be %s, not %s: a scale for every %u numbers along k",
                   o->scale_name, call->text, type_text(e, wanted), type_text(e, o->scale->type), o->group);
}

// --- Values

static Value *scaled(Elab *e, const Operand *o, Elem elem, bool fast_math) {
  Value *x = is_packed(o) ? build_unpacked(&e->b, o->x, o->k_pack ? o->k_axis : o->outer_axis, elem)
                          : builtin_as(e, build_bits(&e->b, o->x, o->format->elem), elem);
  if (!o->scale) return x;
  return build_times_scales(&e->b, x, o->scale, o->k_axis, fast_math);
}

static bool check_out_dtype(Elab *e, const Call *call) {
  if (!obj_given(&call->args[SCALED_OUT_DTYPE])) return true;
  const Type *dtype = builtin_dtype(e, call, SCALED_OUT_DTYPE);
  if (!dtype || type_is_elem(dtype, ELEM_FP32)) return dtype != NULL;
  return elab_fail(e, call->locs[SCALED_OUT_DTYPE],
                   "[T0207] 'out_dtype' of '%s' must be fp32, not %s; convert the result", call->text,
                   type_text(e, dtype));
}

// Returns true if the target multiplies the operands with their scales itself: both fp8, or both bytes of two numbers along
// k. Only those have scales of e4m3.
static bool takes_scales(Elab *e, const Operand *a, const Operand *b) {
  bool pairs = is_packed(a) && is_packed(b) && a->k_pack && b->k_pack;
  bool fp8 = elem_is_fp8(a->format->elem) && elem_is_fp8(b->format->elem);
  if (a->rank != 2 || !a->scale || !b->scale || a->group != b->group || !(pairs || (fp8 && a->group == 32)))
    return false;
  if (!type_sizes_are_powers(a->x->type) || !type_sizes_are_powers(b->x->type)) return false;
  DotProduct p = {.arch = e->out->target.arch,
                  .warps = e->out->target.num_warps,
                  .shape = {.m = log2_of(a->shape[0]),
                            .n = log2_of(b->shape[1]),
                            .k = log2_of(pairs ? a->x->type->shape[1] : a->shape[1])},
                  .scale_group = pairs ? a->group / 2 : a->group,
                  .a = a->format->elem,
                  .b = b->format->elem,
                  .result = ELEM_FP32};
  return !dot_refuses_scales(e->arena, &p);
}

static Value *scales_of(Elab *e, const Operand *o) {
  return o->group == 32 ? build_bits(&e->b, o->scale, ELEM_U8) : o->scale;
}

static Value *dot_with_scales(Elab *e, const Operand *a, const Operand *b, Value *acc) {
  Value *operands[] = {build_bits(&e->b, a->x, a->format->elem),
                       build_bits(&e->b, b->x, b->format->elem),
                       acc,
                       build_int(&e->b, elab_scalar(e, ELEM_I1), 0),
                       scales_of(e, a),
                       scales_of(e, b)};
  return op_result(build_op(&e->b, OP_DOT, 6, operands, 1, &acc->type));
}

// Scales of one, for the operand that comes without. The target multiplies both.
static Value *ones(Elab *e, const Operand *o, const Operand *other) {
  uint32_t shape[2] = {o->shape[o->outer_axis], o->shape[o->k_axis] / other->group};
  enum { ONE = 127 }; // e8m0: an exponent
  const Type *type = type_tile(e->ir, type_element(other->scale->type), 2, shape, NULL);
  return type_is_float(type) ? build_float(&e->b, type, 1) : build_int(&e->b, type, ONE);
}

// The dot by an instruction that multiplies by scales. NULL: there is none. Next to fp8, e2m1 becomes fp8 too.
static Value *try_with_scales(Elab *e, Operand a, Operand b, Value *acc) {
  enum { WIDER = 1 }; // e4m3, of `formats`
  Operand *bare = !a.scale ? &a : !b.scale ? &b : NULL, *other = bare == &a ? &b : &a;
  Operand *narrow = is_packed(&a) == is_packed(&b) ? NULL : is_packed(&a) ? &a : &b;
  if (bare) bare->group = other->group, bare->scale = other->scale;
  if (narrow) narrow->format = &formats[WIDER];
  if (!takes_scales(e, &a, &b)) return NULL;
  if (bare) bare->scale = ones(e, bare, other);
  if (narrow) {
    uint32_t axis = narrow->k_pack ? narrow->k_axis : narrow->outer_axis;
    narrow->x = builtin_as(e, build_unpacked(&e->b, narrow->x, axis, ELEM_BF16), ELEM_FP8E4NV);
  }
  return dot_with_scales(e, &a, &b, acc);
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
  Value *product = try_with_scales(e, a, b, acc);
  if (product) return obj_value(product);
  Elem elem = a.format->elem == ELEM_FP16 || b.format->elem == ELEM_FP16 ? ELEM_FP16 : ELEM_BF16;
  Value *x = scaled(e, &a, elem, fast_math), *y = scaled(e, &b, elem, fast_math);
  return obj_value(build_dot(&e->b, x, y, acc, NULL, 0));
}
