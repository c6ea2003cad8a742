// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot: matrix multiplication.
#include "frontend/builtins/builtins.h"

static bool is_operand(Elem elem) { return elem_is_float(elem) || elem == ELEM_I8 || elem == ELEM_U8; }

// Reads the operands as tiles of one type that can be multiplied. The two fp8 types may be mixed.
static bool operands(Elab *e, const Call *call, Value **a, Value **b) {
  *a = builtin_number_tile(e, call, DOT_INPUT);
  *b = builtin_number_tile(e, call, DOT_OTHER);
  if (!*a || !*b) return false;
  const Type *x = type_element((*a)->type), *y = type_element((*b)->type);
  for (uint32_t i = 0; i < 2; i++) {
    const Type *type = i == 0 ? x : y;
    if (is_operand(type->elem)) continue;
    return elab_fail(e, call->locs[i], "[T0302] '%s' multiplies floats and 8-bit integers, not %s",
                     call->text, obj_describe(e, &call->args[i]));
  }
  e->b.loc = elab_loc(e, call->loc);
  if (x == y) return true;
  if (builtin_is_fp8(x) && builtin_is_fp8(y)) return true;
  return elab_fail(e, call->loc,
                   "[T0302] the operands of '%s' must have one element type, not %s and %s; cast one of them",
                   call->text, type_text(e, x), type_text(e, y));
}

static bool check_shapes(Elab *e, const Call *call, const Type *a, const Type *b) {
  uint32_t rank = a->rank;
  if (rank != b->rank || rank < 2)
    return elab_fail(e, call->loc,
                     "[T0302] '%s' needs two matrices, or two batches of matrices, not %s and %s", call->text,
                     type_text(e, a), type_text(e, b));
  if (memcmp(a->shape, b->shape, (rank - 2) * sizeof *a->shape) != 0)
    return elab_fail(e, call->loc, "[T0302] the batches of '%s' differ: %s and %s", call->text,
                     type_text(e, a), type_text(e, b));
  if (a->shape[rank - 1] == b->shape[rank - 2]) return true;
  return elab_fail(e, call->loc,
                   "[T0302] '%s' cannot multiply %s by %s: the columns of the first, %u, are not the rows "
                   "of the second, %u",
                   call->text, type_text(e, a), type_text(e, b), a->shape[rank - 1], b->shape[rank - 2]);
}

// The accumulator's type. NULL after an error.
static const Type *sum_type(Elab *e, const Call *call, Elem elem) {
  Elem sum = elem_is_int(elem) ? ELEM_I32 : elem == ELEM_FP64 ? ELEM_FP64 : ELEM_FP32;
  if (!obj_given(&call->args[DOT_OUT_DTYPE])) return elab_scalar(e, sum);
  const Type *dtype = builtin_dtype(e, call, DOT_OUT_DTYPE);
  if (!dtype) return NULL;
  bool halves = elem == ELEM_FP16 || (elem_info(elem)->bits == 8 && !elem_is_int(elem));
  bool scalar = dtype->kind == TYPE_SCALAR;
  // Other operand types ignore out_dtype: integers accumulate in i32, bf16 and fp32 in fp32.
  if (scalar && (dtype->elem == sum || dtype->elem == ELEM_FP32 || elem_is_int(elem)))
    return elab_scalar(e, sum);
  if (scalar && !halves && dtype->elem != ELEM_BF16) return elab_scalar(e, sum);
  if (scalar && halves && dtype->elem == ELEM_FP16) return dtype;
  elab_error(e, call->locs[DOT_OUT_DTYPE], "[T0207] 'out_dtype' of '%s' of %s cannot be %s%s", call->text,
             elem_info(elem)->name, type_text(e, dtype),
             dtype->kind == TYPE_SCALAR && elem_is_float(dtype->elem) ? "; use fp32 and convert the result"
                                                                      : "");
  return NULL;
}

bool builtin_accumulator(Elab *e, const Call *call, uint32_t at, const Type *type, Value **acc) {
  *acc = NULL;
  if (!obj_given(&call->args[at])) {
    e->b.loc = elab_loc(e, call->loc);
    *acc = type_is_float(type) ? build_float(&e->b, type, 0) : build_int(&e->b, type, 0);
    return true;
  }
  Value *given = builtin_tile(e, call, at);
  if (!given) return false;
  if (given->type == type) return (*acc = given) != NULL;
  return elab_fail(e, call->locs[at], "[T0207] the accumulator of '%s' must be %s, not %s", call->text,
                   type_text(e, type), type_text(e, given->type));
}

// The accumulator must have the type that out_dtype requests, if given.
static bool check_out_dtype(Elab *e, const Call *call, const Type *type) {
  if (!obj_given(&call->args[DOT_ACC]) || !obj_given(&call->args[DOT_OUT_DTYPE])) return true;
  const Type *dtype = builtin_dtype(e, call, DOT_OUT_DTYPE);
  if (!dtype || dtype == type_element(type)) return dtype != NULL;
  return elab_fail(e, call->locs[DOT_OUT_DTYPE],
                   "[T0207] 'out_dtype' of '%s' is %s, but the accumulator is %s; leave it out, or use %s",
                   call->text, type_text(e, dtype), type_text(e, type), type_text(e, type_element(type)));
}

static Obj lower_case(Elab *e, Obj obj) {
  if (!obj_is(&obj, CONST_STR)) return obj;
  char *text = arena_copy(e->arena, str_from(obj.constant.str));
  for (char *at = text; *at; at++)
    if (*at >= 'A' && *at <= 'Z') *at += 'a' - 'A';
  return obj_string(e, str_from(text));
}

// input_precision, or allow_tf32; NULL: the target's default.
static const char *precision(Elab *e, const Call *call, bool *good) {
  bool given =
      obj_given(&call->args[DOT_INPUT_PRECISION]) && !(obj_is(&call->args[DOT_INPUT_PRECISION], CONST_STR) &&
                                                       !call->args[DOT_INPUT_PRECISION].constant.str[0]);
  if (given && obj_given(&call->args[DOT_ALLOW_TF32])) {
    elab_error(e, call->locs[DOT_ALLOW_TF32],
               "[T0204] '%s' takes 'input_precision' or 'allow_tf32', not both", call->text);
    *good = false;
    return NULL;
  }
  if (given) {
    Obj *name = &call->args[DOT_INPUT_PRECISION];
    *name = lower_case(e, *name);
    return builtin_choice(e, call, DOT_INPUT_PRECISION, "input_precision", fp32_dot_names, good);
  }
  if (!builtin_option(e, call, DOT_ALLOW_TF32, CONST_BOOL, "allow_tf32", good)) return NULL;
  return call->args[DOT_ALLOW_TF32].constant.i ? "tf32" : "ieee";
}

static const char *default_precision(Elab *e, const Call *call) {
  static const char differs[] = "[T0310] fp32 is multiplied in IEEE fp32; Triton's default is tf32: use "
                                "input_precision=\"ieee\" or \"tf32\", or --fp32-dot";
  bool given = !e->spec || e->spec->fp32_dot_given || e->out->target.fp32_dot != FP32_DOT_IEEE;
  if (!given) elab_warn_py(e, call->loc, differs);
  return fp32_dot_names[e->out->target.fp32_dot];
}

// Merges the leading dimensions into one batch dimension.
static Value *one_batch(Elab *e, Value *x) {
  uint32_t rank = x->type->rank, batch = 1;
  if (rank <= 3) return x;
  for (uint32_t i = 0; i + 2 < rank; i++) batch *= x->type->shape[i];
  return builtin_reshape(e, x, 3, (uint32_t[]){batch, x->type->shape[rank - 2], x->type->shape[rank - 1]});
}

static Value *multiply(Elab *e, Value *a, Value *b, Value *acc, const char *how, uint32_t summed) {
  Value *sums = one_batch(e, acc), *second = one_batch(e, b), *first = one_batch(e, a);
  Value *result = build_dot(&e->b, first, second, sums, how, summed);
  return builtin_reshape(e, result, acc->type->rank, acc->type->shape);
}

Obj builtin_dot(Elab *e, Call *call) {
  bool good = true;
  Value *a, *b, *acc;
  const char *how = precision(e, call, &good);
  bool imprecise =
      builtin_option(e, call, DOT_MAX_NUM_IMPRECISE_ACC, CONST_INT, "max_num_imprecise_acc", &good);
  if (imprecise && !const_fits(&call->args[DOT_MAX_NUM_IMPRECISE_ACC].constant, ELEM_U32))
    return elab_error(e, call->locs[DOT_MAX_NUM_IMPRECISE_ACC],
                      "[T0207] 'max_num_imprecise_acc' of '%s' cannot be %s", call->text,
                      obj_text(e, &call->args[DOT_MAX_NUM_IMPRECISE_ACC]));
  if (!good || !operands(e, call, &a, &b) || !check_shapes(e, call, a->type, b->type)) return obj_error();
  bool fp8 = builtin_is_fp8(a->type);
  uint32_t depth = a->type->shape[a->type->rank - 1];
  if (imprecise && fp8 && call->args[DOT_MAX_NUM_IMPRECISE_ACC].constant.i > depth)
    return elab_error(e, call->locs[DOT_MAX_NUM_IMPRECISE_ACC],
                      "[T0207] 'max_num_imprecise_acc' of '%s' cannot be %s: K of this dot is %u", call->text,
                      obj_text(e, &call->args[DOT_MAX_NUM_IMPRECISE_ACC]), depth);
  const Type *sum = sum_type(e, call, type_element(a->type)->elem);
  if (!sum) return obj_error();
  uint32_t rank = a->type->rank, shape[TILE_MAX_RANK];
  uint64_t sizes[TILE_MAX_RANK];
  memcpy(shape, a->type->shape, rank * sizeof *shape);
  shape[rank - 1] = b->type->shape[rank - 1];
  for (uint32_t i = 0; i < rank; i++) sizes[i] = shape[i];
  if (!elab_check_tile(e, call->loc, rank, sizes)) return obj_error();
  if (!builtin_accumulator(e, call, DOT_ACC, type_tile(e->ir, sum, rank, shape, NULL), &acc) ||
      !check_out_dtype(e, call, acc->type))
    return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  bool fp32 = type_is_elem(a->type, ELEM_FP32);
  if (!fp32)
    how = NULL;
  else if (!how)
    how = default_precision(e, call);
  // One instruction is the minimum that is accumulated at the hardware's precision.
  uint32_t summed = !imprecise || !fp8 ? 0
                    : call->args[DOT_MAX_NUM_IMPRECISE_ACC].constant.i
                        ? (uint32_t)call->args[DOT_MAX_NUM_IMPRECISE_ACC].constant.i
                        : 1;
  return obj_value(multiply(e, a, b, acc, how, summed));
}
