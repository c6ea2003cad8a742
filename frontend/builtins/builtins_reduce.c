// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and scans. The region of the combination is one of our ops, or a function of the file.
#include "frontend/builtins/builtins.h"
#include "frontend/elaborate/elab_refuse.h"

enum { MAX_INPUTS = 32 };

// --- Regions ---

// Builds the combination of args (a..., b...) at e->b. Sets one result for each input. False after an error.
typedef bool Combine(Elab *e, const Call *call, const void *data, uint32_t n, Value *const *args,
                     Value **results);

typedef struct Fold {
  OpKind kind; // OP_REDUCE, OP_SCAN
  uint32_t axis;
  bool reverse;
  uint32_t n;
  Value *const *inputs; // of one shape
  Combine *combine;
  const void *data;
} Fold;

// Builds the op. NULL after an error in the combination; the region is completed anyway.
static Op *run_fold(Elab *e, const Call *call, const Fold *fold) {
  e->b.loc = elab_loc(e, call->loc);
  Op *op = fold->kind == OP_SCAN ? build_scan(&e->b, fold->n, fold->inputs, fold->axis, fold->reverse)
                                 : build_reduce(&e->b, fold->n, fold->inputs, fold->axis);
  Region *region = op->regions[0];
  Value **args = region->args, *results[MAX_INPUTS];
  Builder after = e->b;
  e->b = builder_inside(region, after.loc);
  bool good = fold->combine(e, call, fold->data, fold->n, args, results);
  e->b.loc = after.loc;
  build_yield(&e->b, fold->n, good ? results : args);
  e->b = after;
  return good ? op : NULL;
}

// --- Combinations of our own ---

static bool combine_op(Elab *e, const Call *call, const void *data, uint32_t n, Value *const *args,
                       Value **results) {
  (void)call, (void)n;
  results[0] = build_binary(&e->b, *(const OpKind *)data, args[0], args[1]);
  return true;
}

// The same, but a NaN on either side is the result.
static bool combine_propagating(Elab *e, const Call *call, const void *data, uint32_t n, Value *const *args,
                                Value **results) {
  combine_op(e, call, data, n, args, results);
  results[0] = builtin_propagate_nan(e, results[0], args[0], args[1]);
  return true;
}

static bool combine_first(Elab *e, const Call *call, const void *data, uint32_t n, Value *const *args,
                          Value **results) {
  (void)e, (void)call, (void)data, (void)n;
  results[0] = args[0];
  return true;
}

typedef struct Extreme {
  bool largest, leftmost;
} Extreme;

// Combines (value, index) pairs: takes the better value. Among equal ones, takes the smaller index, or the
// larger.
static bool combine_indexed(Elab *e, const Call *call, const void *data, uint32_t n, Value *const *args,
                            Value **results) {
  (void)call, (void)n;
  const Extreme *extreme = data;
  Value *better = build_binary(&e->b, extreme->largest ? OP_GT : OP_LT, args[0], args[2]);
  Value *equal = build_binary(&e->b, OP_EQ, args[0], args[2]);
  Value *before = build_binary(&e->b, extreme->leftmost ? OP_LT : OP_GT, args[1], args[3]);
  better = build_binary(&e->b, OP_OR, better, build_binary(&e->b, OP_AND, equal, before));
  results[0] = builtin_choose(e, better, args[0], args[2]);
  results[1] = builtin_choose(e, better, args[1], args[3]);
  return true;
}

Value *builtin_reduce_by(Elab *e, Value *x, uint32_t axis, OpKind op, bool keep_dims) {
  Call call = {.loc = e->b.loc};
  Fold fold = {.kind = OP_REDUCE, .axis = axis, .n = 1, .inputs = &x, .combine = combine_op, .data = &op};
  Loc loc = e->b.loc;
  call.loc.call = 0;
  Value *result = op_result(run_fold(e, &call, &fold));
  e->b.loc = loc;
  return keep_dims ? elab_expand_dims(e, call.loc, result, axis) : result;
}

Value *builtin_only_element(Elab *e, Value *x) {
  if (!type_is_tile(x->type)) return x;
  uint32_t one = 1;
  x = builtin_reshape(e, x, 1, &one);
  Call call = {.loc = e->b.loc};
  call.loc.call = 0;
  Fold fold = {.kind = OP_REDUCE, .n = 1, .inputs = &x, .combine = combine_first};
  return op_result(run_fold(e, &call, &fold));
}

// --- Combinations by functions ---

static void check_combining(Elab *e, Op *op) {
  bool scalar = op->result_count == 0 || !type_is_tile(op->results[0].type);
  bool pure = op_has(op, PURE) || (op->kind == OP_INLINE_ASM && op_attr(op, ATTR_PURE));
  if (scalar && (pure || op_has(op, CONTROL) || op_has(op, TERMINATOR))) return;
  diag_error(
      e->diags, op->loc,
      "[T1402] a function that is applied to elements can compute only with scalars: it cannot use '%s'%s",
      op_info(op->kind)->name, scalar ? "" : " of tiles");
}

// Erases unused tiles, as in promote_to_tensor(x).dtype.
static void erase_dead_tiles(Region *region) {
  for (Op *op = region->last, *before; op; op = before) {
    before = op->prev;
    bool unused = op->result_count == 1 && !op->results[0].first_use;
    if (unused && type_is_tile(op->results[0].type) && op_has(op, PURE)) op_erase(op);
  }
}

// Erases asserts. The function is also applied to padding, and to elements more than once.
static void erase_asserts(Elab *e, Region *region) {
  for (OpWalk w = ops_in(region); ops_next(&w);) {
    if (w.op->kind != OP_ASSERT) continue;
    diag_warning(e->diags, w.op->loc,
                 "[T0507] an assertion in a function that is applied to elements is not checked");
    op_erase(w.op);
  }
}

bool builtin_check_region(Elab *e, Region *region) {
  uint32_t before = e->diags->errors;
  erase_asserts(e, region);
  erase_dead_tiles(region);
  for (OpWalk w = ops_in(region); ops_next(&w);) check_combining(e, w.op);
  return e->diags->errors == before;
}

// Converts a result to the combined element type, if it is a number of the same kind.
static Value *as_input(Elab *e, const Call *call, const Obj *result, const Type *type) {
  bool number = obj_is_number(result),
       value = result->kind == OBJ_VALUE && !type_is_tile(result->value->type);
  if (value && result->value->type == type) return result->value;
  bool same_kind = number || (value && ((type_is_float(type) && type_is_float(result->value->type)) ||
                                        (type_is_int(type) && type_is_int(result->value->type))));
  if (same_kind && !type_is_ptr(type)) return elab_value(e, call->loc, "the combination", result, type);
  if (result->kind != OBJ_ERROR)
    elab_error(e, call->loc, "[T0207] the function of '%s' returns %s where it combines %s", call->text,
               obj_describe(e, result), type_text(e, type));
  return NULL;
}

static bool combine_function(Elab *e, const Call *call, const void *data, uint32_t n, Value *const *args,
                             Value **results) {
  Obj objs[2 * MAX_INPUTS];
  for (uint32_t i = 0; i < 2 * n; i++) objs[i] = obj_value(args[i]);
  Obj result = elab_apply(e, call->loc, data, 2 * n, objs);
  if (result.kind == OBJ_ERROR) return false;
  const Obj *items = result.kind == OBJ_TUPLE ? result.items.at : &result;
  uint32_t count = result.kind == OBJ_TUPLE ? result.items.n : 1;
  if (count != n)
    return elab_fail(e, call->loc, "[T0207] the function of '%s' returns %u values where it combines %u",
                     call->text, count, n);
  e->b.loc = elab_loc(e, call->loc);
  for (uint32_t i = 0; i < n; i++)
    if (!(results[i] = as_input(e, call, &items[i], args[i]->type))) return false;
  return builtin_check_region(e, e->b.region);
}

// --- Arguments ---

// Reads one tile, or a tuple of at most `limit` tiles of one shape. Returns their number; 0 after an error.
static uint32_t read_inputs(Elab *e, const Call *call, uint32_t limit, Value **inputs) {
  const Obj *obj = &call->args[REDUCE_INPUT], *items = obj->kind == OBJ_TUPLE ? obj->items.at : obj;
  uint32_t n = obj->kind == OBJ_TUPLE ? obj->items.n : 1;
  if (n == 0 || n > limit || (limit == 1 && obj->kind == OBJ_TUPLE)) {
    elab_error(e, call->locs[REDUCE_INPUT], "[T0204] '%s' takes %s, not %s", call->text,
               limit == 1 ? "one tile" : "1 to 32 tiles", obj_describe(e, obj));
    return 0;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (items[i].kind == OBJ_ERROR) return 0;
    if (items[i].kind != OBJ_VALUE || !type_is_tile(items[i].value->type) ||
        type_is_ptr(items[i].value->type)) {
      const char *what = obj_describe(e, &items[i]);
      if (n == 1 && obj_is_pointers(&items[i]))
        elab_refuse_pointers(e, call->locs[REDUCE_INPUT], "[T0502] '%s' needs a tile of numbers, not %s",
                             call->text, what);
      else
        elab_error(e, call->locs[REDUCE_INPUT], "[T0207] '%s' needs a tile of numbers, not %s", call->text,
                   what);
      return 0;
    }
    inputs[i] = items[i].value;
    if (type_same_shape(inputs[i]->type, inputs[0]->type)) continue;
    elab_error(e, call->locs[REDUCE_INPUT], "[T0301] the tiles of '%s' have different shapes: %s and %s",
               call->text, type_text(e, inputs[0]->type), type_text(e, inputs[i]->type));
    return 0;
  }
  return n;
}

// Axis None: reduces all elements.
static bool read_axis(Elab *e, const Call *call, uint32_t at, uint32_t n, Value **inputs, uint32_t *axis) {
  e->b.loc = elab_loc(e, call->loc);
  if (obj_given(&call->args[at])) return builtin_axis(e, call, at, inputs[0]->type->rank, axis);
  uint32_t size = (uint32_t)type_elements(inputs[0]->type);
  for (uint32_t i = 0; i < n; i++) inputs[i] = builtin_reshape(e, inputs[i], 1, &size);
  *axis = 0;
  return true;
}

// Restores the reduced dimensions with size 1.
static Value *keep_dim(Elab *e, const Call *call, uint32_t axis_at, Value *value, uint32_t rank,
                       uint32_t axis) {
  uint32_t ones[TILE_MAX_RANK];
  if (obj_given(&call->args[axis_at])) return elab_expand_dims(e, call->loc, value, axis);
  for (uint32_t d = 0; d < rank; d++) ones[d] = 1;
  return builtin_reshape(e, value, rank, ones);
}

// --- sum, max, min and their kind ---

static Elem sum_elem(Elem elem) {
  if (elem_is_float(elem) || elem_info(elem)->bits >= 32) return elem;
  return elem_is_signed(elem) ? ELEM_I32 : ELEM_U32;
}

static const Type *sum_type(Elab *e, const Call *call, uint32_t at, const Type *type, bool *good) {
  if (!obj_given(&call->args[at])) return elab_scalar(e, sum_elem(type_element(type)->elem));
  const Type *dtype = builtin_dtype(e, call, at);
  if (dtype && dtype->kind == TYPE_SCALAR) return dtype;
  if (dtype) elab_error(e, call->locs[at], "[T0207] '%s' cannot sum %s", call->text, type_text(e, dtype));
  *good = false;
  return type;
}

static Obj reduce_one(Elab *e, const Call *call, Value *x, OpKind op, bool keep_dims) {
  uint32_t rank = x->type->rank, axis;
  if (!read_axis(e, call, REDUCE_AXIS, 1, &x, &axis)) return obj_error();
  Value *result = builtin_reduce_by(e, x, axis, op, false);
  return obj_value(keep_dims ? keep_dim(e, call, REDUCE_AXIS, result, rank, axis) : result);
}

Obj builtin_sum(Elab *e, Call *call) {
  bool good = true, keep_dims = builtin_flag(e, call, SUM_KEEP_DIMS, "keep_dims", false, &good);
  Value *x;
  if (!read_inputs(e, call, 1, &x) || !good) return obj_error();
  const Type *type = sum_type(e, call, SUM_DTYPE, x->type, &good);
  if (!good || !(x = elab_cast(e, call->loc, x, type))) return obj_error();
  if (builtin_refuse_fp8(e, call->locs[SUM_INPUT], call, x->type)) return obj_error();
  // A sum in one bit is the parity of the ones.
  return reduce_one(e, call, x, type->elem == ELEM_I1 ? OP_XOR : OP_ADD, keep_dims);
}

// detail: "^" or "|".
Obj builtin_reduce_bits(Elab *e, Call *call) {
  bool good = true, keep_dims = builtin_flag(e, call, BITS_KEEP_DIMS, "keep_dims", false, &good);
  Value *x;
  if (!read_inputs(e, call, 1, &x) || !good) return obj_error();
  if (!type_is_int(x->type))
    return elab_error(e, call->locs[BITS_INPUT], "[T0207] '%s' needs integers, not %s", call->text,
                      obj_describe(e, &call->args[BITS_INPUT]));
  return reduce_one(e, call, x, call->builtin->detail[0] == '^' ? OP_XOR : OP_OR, keep_dims);
}

Value *builtin_widen_extreme(Elab *e, Value *x) {
  Elem elem = type_element(x->type)->elem;
  if (elem_info(elem)->bits >= 32) return x;
  return builtin_as(e, x, elem_is_float(elem) ? ELEM_FP32 : ELEM_I32);
}

// With indices, types of 16 bits and less are compared directly, except bf16.
static Value *promote_extreme(Elab *e, Value *x, bool indices) {
  return indices && !type_is_elem(x->type, ELEM_BF16) ? x : builtin_widen_extreme(e, x);
}

// 0, 1, ... along the axis, in the shape of `like`.
static Value *indices_along(Elab *e, const Type *like, uint32_t axis) {
  Value *index = build_arange(&e->b, 0, like->shape[axis]);
  uint32_t shape[TILE_MAX_RANK];
  for (uint32_t i = 0; i < like->rank; i++) shape[i] = i == axis ? like->shape[i] : 1;
  index = builtin_reshape(e, index, like->rank, shape);
  return type_same_shape(index->type, like) ? index : build_broadcast(&e->b, index, like->shape);
}

// (values, indices) of the extremes along the axis.
static Obj reduce_indexed(Elab *e, const Call *call, Value *x, Extreme extreme, bool keep_dims) {
  uint32_t axis = 0, rank = x->type->rank;
  if (!obj_given(&call->args[REDUCE_AXIS]) && rank > 1)
    return elab_error(e, call->loc, "[T0207] the indices of '%s' need an axis: the tile is %s", call->text,
                      type_text(e, x->type));
  if (!read_axis(e, call, REDUCE_AXIS, 1, &x, &axis)) return obj_error();
  x = promote_extreme(e, x, true);
  Value *inputs[] = {x, indices_along(e, x->type, axis)};
  Fold fold = {OP_REDUCE, axis, false, 2, inputs, combine_indexed, &extreme};
  Op *op = run_fold(e, call, &fold);
  Obj results = obj_tuple(e, 2);
  for (uint32_t i = 0; i < 2; i++) {
    Value *result = &op->results[i];
    results.items.at[i] = obj_value(keep_dims ? keep_dim(e, call, REDUCE_AXIS, result, rank, axis) : result);
  }
  return results;
}

// detail: "max" or "min".
Obj builtin_extreme(Elab *e, Call *call) {
  bool good = true, largest = strcmp(call->builtin->detail, "max") == 0;
  bool indices = builtin_flag(e, call, EXTREME_RETURN_INDICES, "return_indices", false, &good);
  bool left = builtin_flag(e, call, EXTREME_TIE_BREAK_LEFT, "return_indices_tie_break_left", true, &good);
  bool keep_dims = builtin_flag(e, call, EXTREME_KEEP_DIMS, "keep_dims", false, &good);
  Value *x;
  if (!read_inputs(e, call, 1, &x) || !good) return obj_error();
  if (indices && builtin_refuse_fp8(e, call->locs[EXTREME_INPUT], call, x->type)) return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  if (indices) return reduce_indexed(e, call, x, (Extreme){largest, left}, keep_dims);
  return reduce_one(e, call, promote_extreme(e, x, false), largest ? OP_MAX : OP_MIN, keep_dims);
}

Obj builtin_helper_reduce(Elab *e, Call *call) {
  const char *detail = call->builtin->detail;
  OpKind kind = strcmp(detail, "max") == 0 ? OP_MAX : strcmp(detail, "min") == 0 ? OP_MIN : OP_MUL;
  Value *x;
  uint32_t axis;
  if (!read_inputs(e, call, 1, &x)) return obj_error();
  if (builtin_refuse_fp8(e, call->locs[REDUCE_INPUT], call, x->type)) return obj_error();
  if (!read_axis(e, call, REDUCE_AXIS, 1, &x, &axis)) return obj_error();
  bool propagating = kind != OP_MUL && type_is_float(x->type);
  Fold fold = {.kind = OP_REDUCE,
               .axis = axis,
               .n = 1,
               .inputs = &x,
               .combine = propagating ? combine_propagating : combine_op,
               .data = &kind};
  return obj_value(op_result(run_fold(e, call, &fold)));
}

Obj builtin_helper_extreme(Elab *e, Call *call) {
  OpKind kind = call->builtin->detail[1] == 'a' ? OP_MAX : OP_MIN;
  return builtin_extremum(e, call, kind, &call->args[MAXIMUM_X], &call->args[MAXIMUM_Y], true);
}

Obj builtin_extreme_index(Elab *e, Call *call) {
  bool good = true, largest = strcmp(call->builtin->detail, "max") == 0;
  bool left = builtin_flag(e, call, ARGMAX_TIE_BREAK_LEFT, "tie_break_left", true, &good);
  bool keep_dims = builtin_flag(e, call, ARGMAX_KEEP_DIMS, "keep_dims", false, &good);
  Value *x;
  if (!read_inputs(e, call, 1, &x) || !good) return obj_error();
  if (builtin_refuse_fp8(e, call->locs[ARGMAX_INPUT], call, x->type)) return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  Obj results = reduce_indexed(e, call, x, (Extreme){largest, left}, keep_dims);
  return results.kind == OBJ_TUPLE ? results.items.at[1] : results;
}

// --- reduce, associative_scan ---

static Obj fold_results(Elab *e, const Call *call, Op *op) {
  if (!op) return obj_error();
  if (call->args[REDUCE_INPUT].kind != OBJ_TUPLE) return obj_value(op_result(op));
  Obj results = obj_tuple(e, op->result_count);
  for (uint32_t i = 0; i < op->result_count; i++) results.items.at[i] = obj_value(&op->results[i]);
  return results;
}

static bool check_function(Elab *e, const Call *call, uint32_t at) {
  const Obj *function = &call->args[at];
  if (function->kind == OBJ_FUNCTION || (function->kind == OBJ_BUILTIN && !function->self)) return true;
  if (function->kind != OBJ_ERROR)
    elab_error(e, call->locs[at], "[T0207] 'combine_fn' of '%s' must be a function, not %s", call->text,
               obj_describe(e, function));
  return false;
}

Obj builtin_reduce(Elab *e, Call *call) {
  bool good = true, keep_dims = builtin_flag(e, call, FOLD_KEEP_DIMS, "keep_dims", false, &good);
  Value *inputs[MAX_INPUTS];
  uint32_t n = read_inputs(e, call, MAX_INPUTS, inputs), axis;
  if (!n || !good || !check_function(e, call, FOLD_COMBINE_FN)) return obj_error();
  uint32_t rank = inputs[0]->type->rank;
  if (!read_axis(e, call, FOLD_AXIS, n, inputs, &axis)) return obj_error();
  Fold fold = {OP_REDUCE, axis, false, n, inputs, combine_function, &call->args[FOLD_COMBINE_FN]};
  Obj results = fold_results(e, call, run_fold(e, call, &fold));
  if (!keep_dims) return results;
  Obj *items = results.kind == OBJ_TUPLE ? results.items.at : &results;
  for (uint32_t i = 0; results.kind != OBJ_ERROR && i < n; i++)
    items[i] = obj_value(keep_dim(e, call, FOLD_AXIS, items[i].value, rank, axis));
  return results;
}

Obj builtin_scan(Elab *e, Call *call) {
  bool good = true, reverse = builtin_flag(e, call, SCAN_REVERSE, "reverse", false, &good);
  Value *inputs[MAX_INPUTS];
  uint32_t n = read_inputs(e, call, MAX_INPUTS, inputs), axis;
  if (!n || !good || !check_function(e, call, SCAN_COMBINE_FN)) return obj_error();
  if (!builtin_axis(e, call, SCAN_AXIS, inputs[0]->type->rank, &axis)) return obj_error();
  Fold fold = {OP_SCAN, axis, reverse, n, inputs, combine_function, &call->args[SCAN_COMBINE_FN]};
  return fold_results(e, call, run_fold(e, call, &fold));
}

// detail: "+" or "*".
Obj builtin_cumulate(Elab *e, Call *call) {
  bool good = true, adds = call->builtin->detail[0] == '+';
  bool reverse = builtin_flag(e, call, CUMSUM_REVERSE, "reverse", false, &good);
  Value *x;
  uint32_t axis = 0;
  if (!read_inputs(e, call, 1, &x) || !good) return obj_error();
  if (obj_given(&call->args[CUMSUM_AXIS]) && !builtin_axis(e, call, CUMSUM_AXIS, x->type->rank, &axis))
    return obj_error();
  x = builtin_promote_bf16(e, call->loc, obj_value(x)).value;
  if (adds || obj_given(&call->args[CUMSUM_DTYPE])) {
    const Type *type = sum_type(e, call, CUMSUM_DTYPE, x->type, &good);
    if (!good || !(x = elab_cast(e, call->loc, x, type))) return obj_error();
  }
  if (builtin_refuse_fp8(e, call->locs[CUMSUM_INPUT], call, x->type)) return obj_error();
  bool flags = type_is_elem(x->type, ELEM_I1);
  OpKind op = adds ? (flags ? OP_XOR : OP_ADD) : flags ? OP_AND : OP_MUL;
  Fold fold = {OP_SCAN, axis, reverse, 1, &x, combine_op, &op};
  return obj_value(op_result(run_fold(e, call, &fold)));
}
