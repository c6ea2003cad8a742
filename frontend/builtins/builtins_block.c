// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block pointers: windows of tensors in memory. A tensor descriptor is a block pointer at the tensor's origin
// whose loads and stores check every bound.
#include "frontend/builtins/builtins.h"

bool builtin_is_block(const Obj *obj) {
  return obj->kind == OBJ_VALUE && type_is_block_ptr(obj->value->type);
}

static Value *block_arg(Elab *e, const Call *call, uint32_t at, const char *what) {
  const Obj *obj = &call->args[at];
  if (builtin_is_block(obj)) return obj->value;
  if (obj->kind != OBJ_ERROR)
    elab_error(e, call->locs[at], "[T0207] '%s' needs a %s, not %s%s", call->text, what, obj_describe(e, obj),
               call->builtin->scope == SCOPE_METHOD ? "; load and store as functions take pointers" : "");
  return NULL;
}

// --- Lists of run-time integers ---

static Value *extent(Elab *e, const Call *call, uint32_t at, const char *name, const Obj *obj) {
  bool integer = obj_is(obj, CONST_INT) || obj_is(obj, CONST_BOOL) ||
                 (obj->kind == OBJ_VALUE && type_is_int(obj->value->type) && !type_is_tile(obj->value->type));
  if (integer) return elab_value(e, call->locs[at], name, obj, elab_scalar(e, ELEM_I64));
  if (obj->kind != OBJ_ERROR)
    elab_error(e, call->locs[at], "[T0207] '%s' of '%s' must be integers, not %s", name, call->text,
               obj_describe(e, obj));
  return NULL;
}

bool builtin_extents(Elab *e, const Call *call, uint32_t at, const char *name, uint32_t rank,
                     Value **values) {
  const Obj *obj = &call->args[at], *items = obj->kind == OBJ_TUPLE ? obj->items.at : obj;
  uint32_t n = obj->kind == OBJ_TUPLE ? obj->items.n : 1;
  if (n != rank && obj->kind != OBJ_ERROR)
    elab_error(e, call->locs[at],
               "[T0207] '%s' of '%s' needs %u integers, one for each dimension of the block, not %s", name,
               call->text, rank, obj_describe(e, obj));
  if (n != rank) return false;
  for (uint32_t i = 0; i < rank; i++)
    if (!(values[i] = extent(e, call, at, name, &items[i]))) return false;
  return true;
}

// Reads the dimensions in `obj`, each at most once.
static bool dimensions(Elab *e, const Call *call, uint32_t at, uint32_t rank, uint32_t *dims, uint32_t *n) {
  const Obj *obj = &call->args[at], *items = obj->kind == OBJ_TUPLE ? obj->items.at : obj;
  uint32_t count = obj->kind == OBJ_TUPLE ? obj->items.n : 1;
  bool seen[TILE_MAX_RANK] = {false};
  *n = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t axis;
    if (!builtin_axis_of(e, call->locs[at], call, &items[i], rank, &axis)) return false;
    if (seen[axis]) return elab_fail(e, call->locs[at], "[T0204] dimension %u is given twice", axis);
    seen[axis] = true;
    dims[(*n)++] = axis;
  }
  return true;
}

// --- Making and moving ---

static Value *base_arg(Elab *e, const Call *call) {
  const Obj *obj = &call->args[BLOCK_PTR_BASE];
  bool good = obj->kind == OBJ_VALUE && obj->value->type->kind == TYPE_PTR;
  if (good && obj->value->type->inner->kind == TYPE_SCALAR) return obj->value;
  if (obj->kind != OBJ_ERROR)
    elab_error(e, call->locs[BLOCK_PTR_BASE], "[T0207] the base of '%s' must be a pointer to numbers, not %s",
               call->text, obj_describe(e, obj));
  return NULL;
}

static bool block_shape(Elab *e, const Call *call, uint32_t at, uint32_t *rank, uint32_t *shape) {
  if (!elab_shape(e, call->locs[at], &call->args[at], rank, shape)) return false;
  if (*rank) return true;
  return elab_fail(e, call->locs[at], "[T0406] 'block_shape' of '%s' is empty", call->text);
}

Obj builtin_make_block_ptr(Elab *e, Call *call) {
  static const char *const names[] = {"shape", "strides", "offsets"};
  uint32_t rank, shape[TILE_MAX_RANK], order[TILE_MAX_RANK], n = 0;
  Value *base = base_arg(e, call), *values[3][TILE_MAX_RANK];
  if (!base || !block_shape(e, call, BLOCK_PTR_BLOCK_SHAPE, &rank, shape)) return obj_error();
  for (uint32_t i = 0; i < 3; i++)
    if (!builtin_extents(e, call, BLOCK_PTR_SHAPE + i, names[i], rank, values[i])) return obj_error();
  bool ordered = obj_given(&call->args[BLOCK_PTR_ORDER]);
  if (ordered && !dimensions(e, call, BLOCK_PTR_ORDER, rank, order, &n)) return obj_error();
  if (ordered && n != rank)
    return elab_error(e, call->locs[BLOCK_PTR_ORDER],
                      "[T0207] 'order' of '%s' must name all %u dimensions once, fastest first, not %s",
                      call->text, rank, obj_describe(e, &call->args[BLOCK_PTR_ORDER]));
  e->b.loc = elab_loc(e, call->loc);
  // Bools are loaded and stored as bytes.
  if (type_is_elem(base->type->inner, ELEM_I1))
    base = elab_bitcast(e, call->loc, base, type_ptr(e->ir, elab_scalar(e, ELEM_I8)));
  BlockPtrParts parts = {base, rank, values[0], values[1], values[2], shape, ordered ? order : NULL, false};
  return obj_value(build_make_block_ptr(&e->b, &parts));
}

static Value *advance(Elab *e, const Call *call, Value *block, uint32_t at) {
  Value *offsets[TILE_MAX_RANK];
  if (!builtin_extents(e, call, at, "offsets", block->type->rank, offsets)) return NULL;
  e->b.loc = elab_loc(e, call->loc);
  return build_advance(&e->b, block, offsets);
}

Obj builtin_advance(Elab *e, Call *call) {
  Value *block = block_arg(e, call, ADVANCE_BASE, "block pointer");
  return obj_value(block ? advance(e, call, block, ADVANCE_OFFSETS) : NULL);
}

// --- Loads and stores ---

// The dimensions of boundary_check, in order.
static bool boundary_arg(Elab *e, const Call *call, uint32_t at, uint32_t rank, uint32_t *dims, uint32_t *n) {
  uint32_t given[TILE_MAX_RANK], count = 0;
  *n = 0;
  if (obj_given(&call->args[at]) && !dimensions(e, call, at, rank, given, &count)) return false;
  for (uint32_t dim = 0; dim < rank; dim++)
    for (uint32_t i = 0; i < count; i++)
      if (given[i] == dim) dims[(*n)++] = dim;
  return true;
}

Value *builtin_stored_value(Elab *e, const Call *call, uint32_t at, const Type *block) {
  const Obj *obj = &call->args[at];
  const Type *tile = type_tile(e->ir, block->inner, block->rank, block->shape, NULL);
  Value *value = elab_value(e, call->locs[at], "the value", obj, block->inner);
  if (!value) return NULL;
  return elab_broadcast_to(e, call->locs[at], "the value", elab_spread(e, obj, value, tile), block->rank,
                           block->shape);
}

static bool refuse_mask(Elab *e, const Call *call, uint32_t at, const char *name) {
  if (!obj_given(&call->args[at])) return false;
  elab_error(e, call->locs[at],
             "[T0207] '%s' cannot be used with block pointers; 'boundary_check' guards their bounds", name);
  return true;
}

static bool check_nan(Elab *e, Loc loc, const Type *element) {
  if (type_is_float(element)) return true;
  return elab_fail(e, loc, "[T0207] padding_option 'nan' needs float elements, not %s",
                   type_text(e, element));
}

// Gives an error for a descriptor: its own loads and stores take the offsets.
static bool refuse_descriptor(Elab *e, const Call *call, uint32_t at) {
  const Op *def = call->args[at].value->def;
  if (!def || !op_attr(def, ATTR_DESCRIPTOR)) return false;
  elab_error(e, call->locs[at],
             "[T0501] '%s' takes no tensor descriptor; write desc.load([...]) or desc.store([...], value)",
             call->text);
  return true;
}

Obj builtin_block_load(Elab *e, const Call *call, const Hints *hints) {
  static const char *const paddings[] = {"zero", "nan", NULL};
  Value *block = call->args[LOAD_POINTER].value;
  uint32_t n, dims[TILE_MAX_RANK];
  bool good = true;
  if (refuse_descriptor(e, call, LOAD_POINTER)) return obj_error();
  if (refuse_mask(e, call, LOAD_MASK, "mask") || refuse_mask(e, call, LOAD_OTHER, "other"))
    return obj_error();
  const char *padding = builtin_choice(e, call, LOAD_PADDING_OPTION, "padding_option", paddings, &good);
  if (!good) return obj_error();
  if (padding && padding[0] == 'n' && !check_nan(e, call->locs[LOAD_PADDING_OPTION], block->type->inner))
    return obj_error();
  if (!boundary_arg(e, call, LOAD_BOUNDARY_CHECK, block->type->rank, dims, &n)) return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  Value *tile = build_block_load(&e->b, block, n, dims, n ? padding : NULL);
  builtin_set_hints(tile->def, hints);
  return obj_value(tile);
}

Obj builtin_block_store(Elab *e, const Call *call, const Hints *hints) {
  Value *block = call->args[STORE_POINTER].value;
  if (refuse_descriptor(e, call, STORE_POINTER)) return obj_error();
  if (refuse_mask(e, call, STORE_MASK, "mask")) return obj_error();
  Value *value = builtin_stored_value(e, call, STORE_VALUE, block->type);
  uint32_t n, dims[TILE_MAX_RANK];
  if (!value || !boundary_arg(e, call, STORE_BOUNDARY_CHECK, block->type->rank, dims, &n)) return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  builtin_set_hints(build_block_store(&e->b, block, value, n, dims), hints);
  return obj_none();
}

// --- Attributes ---

// Operands of the op that made the descriptor, from `first`.
static Obj made_with(Elab *e, const Value *block, uint32_t first) {
  Obj tuple = obj_tuple(e, block->type->rank);
  for (uint32_t i = 0; i < tuple.items.n; i++)
    tuple.items.at[i] = obj_value(op_operand(block->def, first + i));
  return tuple;
}

// Sizes are i32, as in Triton. A size that was widened for the descriptor gives the original value. Grids use
// i64.
static Obj sizes_of(Elab *e, const Value *block) {
  const Type *type = elab_scalar(e, ELEM_I32);
  Obj sizes = made_with(e, block, 1);
  for (uint32_t i = 0; i < sizes.items.n && !e->frame->grid; i++) {
    Obj *size = &sizes.items.at[i];
    const Op *def = size->value->def;
    bool widened = def && def->kind == OP_CAST && op_operand(def, 0)->type == type;
    *size = obj_value(widened ? op_operand(def, 0) : elab_cast(e, e->b.loc, size->value, type));
  }
  return sizes;
}

bool elab_block_attribute(Elab *e, const char *name, Value *block, Obj *obj) {
  const Type *type = block->type;
  bool descriptor = block->def && op_attr(block->def, ATTR_DESCRIPTOR);
  if (strcmp(name, "block_shape") == 0) {
    *obj = obj_tuple(e, type->rank);
    for (uint32_t i = 0; i < type->rank; i++) obj->items.at[i] = obj_int(type->shape[i]);
  } else if (strcmp(name, "block_type") == 0)
    *obj = obj_type(type_tile(e->ir, type->inner, type->rank, type->shape, NULL));
  else if (strcmp(name, "dtype") == 0 && descriptor)
    *obj = obj_type(type->inner);
  else if (strcmp(name, "shape") == 0 && descriptor)
    *obj = sizes_of(e, block);
  else if (strcmp(name, "strides") == 0 && descriptor)
    *obj = made_with(e, block, 1 + type->rank);
  else
    return false;
  return true;
}

// --- Tensor descriptors ---

static bool is_one(const Obj *obj) {
  if (obj_is(obj, CONST_INT)) return obj->constant.i == 1;
  return obj->kind == OBJ_VALUE && value_is_int(obj->value, 1);
}

static bool check_descriptor(Elab *e, const Call *call, const Type *element, uint32_t rank,
                             const uint32_t *shape) {
  uint32_t bytes = shape[rank - 1] * type_element_bytes(element);
  const Obj *strides = &call->args[DESCRIPTOR_STRIDES];
  if (bytes < 16)
    return elab_fail(e, call->locs[DESCRIPTOR_BLOCK_SHAPE],
                     "[T0207] the last dimension of a descriptor's block must have 16 bytes or more, not %u "
                     "elements of %s",
                     shape[rank - 1], type_text(e, element));
  if (is_one(strides->kind == OBJ_TUPLE ? &strides->items.at[rank - 1] : strides)) return true;
  return elab_fail(e, call->locs[DESCRIPTOR_STRIDES],
                   "[T0401] the last stride of a tensor descriptor must be 1, known at compile time");
}

Obj builtin_make_descriptor(Elab *e, Call *call) {
  static const char *const paddings[] = {"zero", "nan", NULL};
  uint32_t rank, shape[TILE_MAX_RANK];
  bool good = true;
  const char *padding = builtin_choice(e, call, DESCRIPTOR_PADDING_OPTION, "padding_option", paddings, &good);
  Value *base = base_arg(e, call), *sizes[TILE_MAX_RANK], *strides[TILE_MAX_RANK], *zeros[TILE_MAX_RANK];
  if (!good || !base || !block_shape(e, call, DESCRIPTOR_BLOCK_SHAPE, &rank, shape)) return obj_error();
  if (rank > DESCRIPTOR_MAX_RANK)
    return elab_error(e, call->locs[DESCRIPTOR_BLOCK_SHAPE],
                      "[T0207] a tensor descriptor has at most %d dimensions, not %u", DESCRIPTOR_MAX_RANK,
                      rank);
  bool nan = padding && padding[0] == 'n';
  if (nan && !check_nan(e, call->locs[DESCRIPTOR_PADDING_OPTION], base->type->inner)) return obj_error();
  if (!builtin_extents(e, call, DESCRIPTOR_SHAPE, "shape", rank, sizes) ||
      !builtin_extents(e, call, DESCRIPTOR_STRIDES, "strides", rank, strides))
    return obj_error();
  if (!check_descriptor(e, call, base->type->inner, rank, shape)) return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  zeros[0] = build_int(&e->b, elab_scalar(e, ELEM_I64), 0);
  for (uint32_t i = 1; i < rank; i++) zeros[i] = zeros[0];
  BlockPtrParts parts = {base, rank, sizes, strides, zeros, shape, NULL, true};
  Value *descriptor = build_make_block_ptr(&e->b, &parts);
  if (nan) vec_push(e->arena, &e->nan_descriptors, descriptor);
  return obj_value(descriptor);
}

static const uint32_t all_dims[DESCRIPTOR_MAX_RANK] = {0, 1, 2, 3, 4};

const char *builtin_descriptor_padding(Elab *e, const Call *call, const Value *block) {
  for (uint32_t i = 0; i < e->nan_descriptors.n; i++)
    if (e->nan_descriptors.at[i] == block) return "nan";
  bool known = block->def && op_attr(block->def, ATTR_DESCRIPTOR);
  if (known || e->nan_descriptors.n == 0) return "zero";
  elab_error(
      e, call->locs[DESC_DESC],
      "[T0207] this descriptor is chosen at run time, and the kernel's descriptors differ in padding_option: "
      "use one padding_option for all");
  return NULL;
}

// x rounded to tf32, to nearest even. Infinities and NaNs stay as they are.
static Value *round_tf32(Elab *e, Value *x) {
  Builder *b = &e->b;
  const Type *type = type_with_element(e->ir, x->type, elab_scalar(e, ELEM_U32));
  Value *bits = build(b, OP_BITCAST, type, x, NULL, NULL), *exponent = build_int(b, type, 0x7f800000);
  Value *one = build_int(b, type, 1);
  Value *odd = build_binary(b, OP_AND, build_binary(b, OP_SHR, bits, build_int(b, type, 13)), one);
  Value *up = build_binary(b, OP_ADD, bits, build_binary(b, OP_ADD, odd, build_int(b, type, 0xfff)));
  Value *rounded = build_binary(b, OP_AND, up, build_int(b, type, 0xffffe000));
  Value *special = build_binary(b, OP_EQ, build_binary(b, OP_AND, bits, exponent), exponent);
  return builtin_choose(e, special, x, build(b, OP_BITCAST, x->type, rounded, NULL, NULL));
}

Value *builtin_descriptor_loaded(Elab *e, const Call *call, const Value *block, Value *tile) {
  for (uint32_t i = 0; i < e->tf32_descriptors.n; i++)
    if (e->tf32_descriptors.at[i] == block) return round_tf32(e, tile);
  bool known = block->def && op_attr(block->def, ATTR_DESCRIPTOR);
  if (known || e->tf32_descriptors.n == 0) return tile;
  elab_error(e, call->locs[DESC_DESC],
             "[T0207] this descriptor is chosen at run time, and the kernel's descriptors differ in "
             "round_f32_to_tf32: use "
             "one value for all");
  return NULL;
}

// The descriptor, whose loads are rounded from here on.
Obj builtin_rounding_descriptor(Elab *e, Call *call) {
  Value *block = block_arg(e, call, DESC_DESC, "tensor descriptor");
  if (!block) return obj_error();
  if (!type_is_elem(block->type->inner, ELEM_FP32))
    return elab_error(e, call->locs[DESC_DESC], "[T0207] only fp32 is rounded to tf32, not %s",
                      type_text(e, block->type->inner));
  vec_push(e->arena, &e->tf32_descriptors, block);
  return obj_value(block);
}

Obj builtin_descriptor_load(Elab *e, Call *call) {
  Value *block = block_arg(e, call, DESC_DESC, "tensor descriptor"),
        *at = block ? advance(e, call, block, DESC_OFFSETS) : NULL;
  const char *padding = at ? builtin_descriptor_padding(e, call, block) : NULL;
  Value *tile = padding ? build_block_load(&e->b, at, at->type->rank, all_dims, padding) : NULL;
  return obj_value(tile ? builtin_descriptor_loaded(e, call, block, tile) : NULL);
}

static Obj descriptor_store(Elab *e, const Call *call, uint32_t value_at, uint32_t offsets_at) {
  Value *block = block_arg(e, call, DESC_DESC, "tensor descriptor");
  Value *at = block ? advance(e, call, block, offsets_at) : NULL;
  Value *value = at ? builtin_stored_value(e, call, value_at, at->type) : NULL;
  if (!value) return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  build_block_store(&e->b, at, value, at->type->rank, all_dims);
  return obj_none();
}

Obj builtin_descriptor_store(Elab *e, Call *call) {
  return descriptor_store(e, call, DESC_VALUE, DESC_OFFSETS);
}
Obj builtin_descriptor_store_value(Elab *e, Call *call) {
  return descriptor_store(e, call, OLD_STORE_VALUE, OLD_STORE_OFFSETS);
}
