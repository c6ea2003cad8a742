// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics, gather and scatter of tensor descriptors. Computes pointers and masks of the elements from the
// descriptor's operands.
#include "frontend/builtins/builtins.h"

#include <math.h>

enum { MIN_ROWS = 8 }; // for gather and scatter, as in Triton

// Positions of the accessed elements along each dimension: i64, one `at` for each dimension of the tensor.
typedef struct Places {
  const Op *made;               // the op that made the descriptor
  uint32_t rank;                // of the tensor
  Value *at[TILE_MAX_RANK];     // tiles of one dimension
  Value *origin[TILE_MAX_RANK]; // scalar part of `at` that is added to a scalar pointer; NULL: none
} Places;

static Value *size_of(const Places *places, uint32_t d) { return op_operand(places->made, 1 + d); }
static Value *stride_of(const Places *places, uint32_t d) {
  return op_operand(places->made, 1 + places->rank + d);
}

// A one-dimensional tile as dimension `d` of `rank`.
static Value *along(Elab *e, Value *x, uint32_t d, uint32_t rank) {
  for (uint32_t i = 0; i < rank; i++)
    if (i != d) x = build_expand_dims(&e->b, x, i);
  return x;
}

static Value *times(Elab *e, Value *x, Value *stride) {
  if (value_is_int(stride, 1)) return x;
  return build_binary(&e->b, OP_MUL, x, elab_splat_like(e, stride, x->type));
}

// The offset, and the indices 0, 1, ... that follow it in the block.
static void run_of(Elab *e, Places *places, uint32_t d, Value *offset, uint32_t extent) {
  places->origin[d] = offset;
  places->at[d] = build_cast(&e->b, build_arange(&e->b, 0, extent), elab_scalar(e, ELEM_I64));
}

static Value *pointers_of(Elab *e, const Places *places, const uint32_t *shape) {
  Value *base = op_operand(places->made, 0), *offsets = NULL;
  for (uint32_t d = 0; d < places->rank; d++) {
    Value *stride = stride_of(places, d);
    if (places->origin[d])
      base = build(&e->b, OP_ADDPTR, base->type, base, times(e, places->origin[d], stride), NULL);
    Value *offset = build_broadcast(&e->b, along(e, times(e, places->at[d], stride), d, places->rank), shape);
    offsets = offsets ? build_binary(&e->b, OP_ADD, offsets, offset) : offset;
  }
  Value *pointers = build_splat(&e->b, base, offsets->type);
  return build(&e->b, OP_ADDPTR, pointers->type, pointers, offsets, NULL);
}

static Value *mask_of(Elab *e, const Places *places, const uint32_t *shape) {
  Value *mask = NULL;
  for (uint32_t d = 0; d < places->rank; d++) {
    Value *at = places->at[d];
    if (places->origin[d])
      at = build_binary(&e->b, OP_ADD, elab_splat_like(e, places->origin[d], at->type), at);
    Value *low = build_with_int(&e->b, OP_GE, at, 0);
    Value *high = build_binary(&e->b, OP_LT, at, elab_splat_like(e, size_of(places, d), at->type));
    Value *inside = along(e, build_binary(&e->b, OP_AND, low, high), d, places->rank);
    inside = build_broadcast(&e->b, inside, shape);
    mask = mask ? build_binary(&e->b, OP_AND, mask, inside) : inside;
  }
  return mask;
}

// The descriptor, and the op that made it. NULL after an error.
static Value *descriptor_arg(Elab *e, const Call *call, Places *places) {
  const Obj *obj = &call->args[DESC_DESC];
  Value *block = builtin_is_block(obj) ? obj->value : NULL;
  if (block && block->def && op_attr(block->def, ATTR_DESCRIPTOR)) {
    *places = (Places){.made = block->def, .rank = block->type->rank};
    return block;
  }
  if (obj->kind != OBJ_ERROR)
    elab_error(e, call->locs[DESC_DESC],
               "[T0401] '%s' needs a tensor descriptor that is known at compile time, not %s", call->text,
               obj_describe(e, obj));
  return NULL;
}

// --- Atomics ---

static bool has_atomic(const char *kind, Elem elem) {
  bool word = elem == ELEM_I32 || elem == ELEM_U32 || elem == ELEM_U64,
       half = elem == ELEM_FP16 || elem == ELEM_BF16;
  if (strcmp(kind, "add") == 0) return word || half || elem == ELEM_FP32;
  bool extreme = strcmp(kind, "max") == 0 || strcmp(kind, "min") == 0;
  return word || elem == ELEM_I64 || (extreme && half);
}

static bool check_atomic(Elab *e, const Call *call, const char *kind, const Type *element) {
  if (element->kind == TYPE_SCALAR && has_atomic(kind, element->elem)) return true;
  const char *takes = strcmp(kind, "add") == 0 ? "i32, u32, u64, fp16, bf16 and fp32"
                      : kind[0] == 'm'         ? "i32, u32, i64, u64, fp16 and bf16"
                                               : "i32, u32, i64 and u64";
  return elab_fail(e, call->locs[DESC_DESC], "[T0204] '%s' is not defined on a descriptor of %s: it takes %s",
                   call->text, type_text(e, element), takes);
}

// detail: the atomic operation. Elements outside the tensor are skipped, and nothing is returned.
Obj builtin_descriptor_atomic(Elab *e, Call *call) {
  const char *kind = call->builtin->detail;
  Places places;
  Value *block = descriptor_arg(e, call, &places), *offsets[TILE_MAX_RANK];
  if (!block || !check_atomic(e, call, kind, block->type->inner)) return obj_error();
  if (!builtin_extents(e, call, DESC_OFFSETS, "offsets", places.rank, offsets)) return obj_error();
  Value *value = builtin_stored_value(e, call, DESC_VALUE, block->type);
  if (!value) return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  for (uint32_t d = 0; d < places.rank; d++) run_of(e, &places, d, offsets[d], block->type->shape[d]);
  Value *pointers = pointers_of(e, &places, block->type->shape);
  build_atomic_rmw(&e->b, kind, pointers, value, mask_of(e, &places, block->type->shape), "relaxed", NULL);
  return obj_none();
}

// --- Gather and scatter ---

static bool check_row(Elab *e, const Call *call, const Type *block) {
  uint32_t bits = 8 * type_element_bytes(block->inner), least = 32 / bits * 8, columns = block->shape[1];
  if (block->rank != 2 || block->shape[0] != 1)
    elab_error(
        e, call->locs[DESC_DESC],
        "[T0207] '%s' needs a descriptor of a two-dimensional tensor whose block is one row, [1, N], not %s",
        call->text, elab_shape_text(e, block->rank, block->shape));
  else if (columns < least)
    elab_error(e, call->locs[DESC_DESC], "[T0207] '%s' of %s needs a block of %u columns or more, not %u",
               call->text, type_text(e, block->inner), least, columns);
  else
    return true;
  return false;
}

// The row numbers as i64; NULL after an error.
static Value *row_numbers(Elab *e, const Call *call, uint32_t at) {
  Value *rows = builtin_value(e, call, at, "the rows");
  if (!rows) return NULL;
  if (!type_is_tile(rows->type) || rows->type->rank != 1 || !type_is_int(rows->type))
    elab_error(e, call->locs[at],
               "[T0207] the rows of '%s' must be a one-dimensional tile of integers, not %s", call->text,
               obj_describe(e, &call->args[at]));
  else if (rows->type->shape[0] < MIN_ROWS)
    elab_error(e, call->locs[at], "[T0207] '%s' needs %u rows or more, not %u", call->text, MIN_ROWS,
               rows->type->shape[0]);
  else {
    e->b.loc = elab_loc(e, call->loc);
    return build_cast(&e->b, rows, elab_scalar(e, ELEM_I64));
  }
  return NULL;
}

typedef struct RowAccess {
  Value *block, *pointers, *mask;
  uint32_t shape[2]; // rows, columns
} RowAccess;

// Rows `rows_at` of the descriptor's tensor, columns from `column_at` on. False after an error.
static bool open_rows(Elab *e, const Call *call, uint32_t rows_at, uint32_t column_at, RowAccess *access) {
  Places places;
  Value *block = access->block = descriptor_arg(e, call, &places), *column;
  if (!block || !check_row(e, call, block->type)) return false;
  Value *rows = row_numbers(e, call, rows_at);
  if (!rows || !builtin_extents(e, call, column_at, "y_offset", 1, &column)) return false;
  access->shape[0] = rows->type->shape[0];
  access->shape[1] = block->type->shape[1];
  e->b.loc = elab_loc(e, call->loc);
  places.at[0] = rows;
  run_of(e, &places, 1, column, access->shape[1]);
  access->pointers = pointers_of(e, &places, access->shape);
  access->mask = mask_of(e, &places, access->shape);
  return true;
}

Obj builtin_descriptor_gather(Elab *e, Call *call) {
  RowAccess access;
  if (!open_rows(e, call, ROWS_GATHER_ROWS, ROWS_GATHER_COLUMN, &access)) return obj_error();
  const char *padding = builtin_descriptor_padding(e, call, access.block);
  if (!padding) return obj_error();
  const Type *tile = type_tile(e->ir, access.block->type->inner, 2, access.shape, NULL);
  double outside = padding[0] == 'n' ? (double)NAN : 0;
  Value *other = type_is_float(tile) ? build_float(&e->b, tile, outside) : build_int(&e->b, tile, 0);
  Value *rows = build_load(&e->b, access.pointers, access.mask, other);
  return obj_value(builtin_descriptor_loaded(e, call, access.block, rows));
}

// A row that occurs twice is written in an unspecified order.
Obj builtin_descriptor_scatter(Elab *e, Call *call) {
  RowAccess access;
  if (!open_rows(e, call, ROWS_SCATTER_ROWS, ROWS_SCATTER_COLUMN, &access)) return obj_error();
  const Type *stored = type_block_ptr(e->ir, access.block->type->inner, 2, access.shape);
  Value *value = builtin_stored_value(e, call, ROWS_SCATTER_VALUE, stored);
  if (!value) return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  build_store(&e->b, access.pointers, value, access.mask);
  return obj_none();
}
