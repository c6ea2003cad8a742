// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interned types, and values of element types.
#include "ir/type.h"

#include <math.h>

#include "base/integer.h"
#include "base/fault.h"
#include "base/hash.h"
#include "base/table.h"
#include "ir/ir.h"
#include "ir/number.h"

int64_t elem_wrap(Elem elem, int64_t value) { return (int64_t)number_wrap(elem, (uint64_t)value); }

// Keeps the payload's high bits, like hardware; quiet if none would remain.
static double round_nan(double value, Elem elem) {
  uint64_t bits;
  int mantissa = -1 - ilogb(number_u(elem)); // stored bits
  memcpy(&bits, &value, sizeof bits);
  uint64_t payload = bits & ((UINT64_C(1) << 52) - 1);
  payload &= ~((UINT64_C(1) << (52 - mantissa)) - 1);
  if (payload == 0 || elem == ELEM_FP8E4NV) payload = UINT64_C(1) << 51;
  bits = (bits & ~((UINT64_C(1) << 52) - 1)) | payload;
  memcpy(&value, &bits, sizeof bits);
  return value;
}

double elem_round(Elem elem, double value) {
  if (!elem_is_float(elem)) BUG("rounding to %s", elem_info(elem)->name);
  return isnan(value) && elem != ELEM_FP64 ? round_nan(value, elem) : number_round(elem, value);
}

static uint64_t type_hash(const Type *type) {
  uint64_t hash = hash_bytes(&type->kind, sizeof type->kind);
  hash = hash_more(hash, &type->elem, sizeof type->elem);
  hash = hash_more(hash, &type->inner, sizeof type->inner);
  hash = hash_more(hash, &type->layout, sizeof type->layout);
  hash = hash_more(hash, &type->is_const, sizeof type->is_const);
  hash = hash_more(hash, &type->swizzle, sizeof type->swizzle);
  return hash_more(hash, type->shape, sizeof type->shape);
}

static bool type_equal(const void *entry, const void *key) {
  const Type *a = entry, *b = key;
  return a->kind == b->kind && a->elem == b->elem && a->inner == b->inner && a->rank == b->rank &&
         a->layout == b->layout && a->is_const == b->is_const && a->swizzle == b->swizzle &&
         a->pads_nan == b->pads_nan && memcmp(a->shape, b->shape, sizeof a->shape) == 0;
}

static const Type *type_intern(IrContext *ir, const Type *type) {
  void **place = table_place(&ir->types, ir->arena, type_hash(type), type, type_equal);
  if (!*place) {
    Type *copy = ARENA_NEW(ir->arena, Type);
    *copy = *type;
    *place = copy;
  }
  return *place;
}

const Type *type_scalar(IrContext *ir, Elem elem) {
  elem_info(elem);
  return type_intern(ir, &(Type){.kind = TYPE_SCALAR, .elem = elem});
}

static const Type *pointer_to(IrContext *ir, const Type *pointee, bool is_const) {
  if (pointee->kind != TYPE_SCALAR && pointee->kind != TYPE_PTR)
    BUG("a pointer to neither scalar nor pointer");
  return type_intern(ir, &(Type){.kind = TYPE_PTR, .inner = pointee, .is_const = is_const});
}

const Type *type_ptr(IrContext *ir, const Type *pointee) { return pointer_to(ir, pointee, false); }
const Type *type_const_ptr(IrContext *ir, const Type *pointee) { return pointer_to(ir, pointee, true); }

const Type *type_tile(IrContext *ir, const Type *element, uint32_t rank, const uint32_t *shape,
                      const Layout *layout) {
  if (rank > TILE_MAX_RANK) BUG("a tile of rank %u", rank);
  if (element->kind != TYPE_SCALAR && element->kind != TYPE_PTR)
    BUG("a tile of neither scalars nor pointers");
  if (rank == 0) return element;
  Type type = {
      .kind = TYPE_TILE, .elem = element->elem, .inner = element, .rank = (uint8_t)rank, .layout = layout};
  memcpy(type.shape, shape, rank * sizeof *shape);
  return type_intern(ir, &type);
}

const Type *type_shared(IrContext *ir, Elem elem, uint32_t rank, const uint32_t *shape,
                        const Layout *layout) {
  if (rank == 0 || rank > TILE_MAX_RANK) BUG("a shared buffer of rank %u", rank);
  elem_info(elem);
  Type type = {.kind = TYPE_SHARED, .elem = elem, .rank = (uint8_t)rank, .layout = layout};
  memcpy(type.shape, shape, rank * sizeof *shape);
  return type_intern(ir, &type);
}

const Type *type_tmem(IrContext *ir, Elem elem, uint32_t rank, const uint32_t *shape) {
  if (rank == 0 || rank > TILE_MAX_RANK) BUG("tensor memory of rank %u", rank);
  elem_info(elem);
  Type type = {.kind = TYPE_TMEM, .elem = elem, .rank = (uint8_t)rank};
  memcpy(type.shape, shape, rank * sizeof *shape);
  return type_intern(ir, &type);
}

const Type *type_block_ptr(IrContext *ir, const Type *element, uint32_t rank, const uint32_t *shape) {
  if (rank == 0 || rank > TILE_MAX_RANK) BUG("a block pointer of rank %u", rank);
  if (element->kind != TYPE_SCALAR && element->kind != TYPE_PTR)
    BUG("a block pointer to neither scalars nor pointers");
  Type type = {.kind = TYPE_BLOCK_PTR, .elem = element->elem, .inner = element, .rank = (uint8_t)rank};
  memcpy(type.shape, shape, rank * sizeof *shape);
  return type_intern(ir, &type);
}

const Type *type_bytes(IrContext *ir) { return type_intern(ir, &(Type){.kind = TYPE_BYTES}); }
const Type *type_token(IrContext *ir) { return type_intern(ir, &(Type){.kind = TYPE_TOKEN}); }
const Type *type_ring(IrContext *ir) { return type_intern(ir, &(Type){.kind = TYPE_RING}); }

const Type *type_tensor_map(IrContext *ir, Elem elem, uint32_t rank, const uint32_t *box, uint32_t swizzle,
                            bool pads_nan) {
  if (rank == 0 || rank > TENSOR_MAP_MAX_RANK) BUG("a tensor map of rank %u", rank);
  elem_info(elem);
  Type type = {.kind = TYPE_TENSOR_MAP,
               .elem = elem,
               .rank = (uint8_t)rank,
               .swizzle = (uint8_t)swizzle,
               .pads_nan = pads_nan};
  memcpy(type.shape, box, rank * sizeof *box);
  return type_intern(ir, &type);
}

const Type *type_element(const Type *type) { return type->kind == TYPE_TILE ? type->inner : type; }

const Type *type_with_element(IrContext *ir, const Type *like, const Type *element) {
  if (like->kind != TYPE_TILE) return element;
  return type_tile(ir, element, like->rank, like->shape, like->layout);
}

const Type *type_with_layout(IrContext *ir, const Type *tile, const Layout *layout) {
  if (tile->kind != TYPE_TILE) return tile;
  return type_tile(ir, tile->inner, tile->rank, tile->shape, layout);
}

bool type_is_tile(const Type *type) { return type->kind == TYPE_TILE; }
bool type_is_by_value(const Type *type) { return type->kind == TYPE_BYTES || type->kind == TYPE_TENSOR_MAP; }
bool type_is_block_ptr(const Type *type) { return type->kind == TYPE_BLOCK_PTR; }

static bool is_scalar_or_tile(const Type *type) { return type_element(type)->kind == TYPE_SCALAR; }

bool type_is_int(const Type *type) {
  return is_scalar_or_tile(type) && elem_is_int(type_element(type)->elem);
}
bool type_is_float(const Type *type) {
  return is_scalar_or_tile(type) && elem_is_float(type_element(type)->elem);
}
bool type_is_ptr(const Type *type) { return type_element(type)->kind == TYPE_PTR; }

bool type_is_elem(const Type *type, Elem elem) {
  return is_scalar_or_tile(type) && type_element(type)->elem == elem;
}

uint64_t type_elements(const Type *type) {
  uint64_t n = 1;
  for (uint32_t d = 0; d < type->rank; d++) {
    if (type->shape[d] && n > UINT64_MAX / type->shape[d]) return UINT64_MAX;
    n *= type->shape[d];
  }
  return n;
}

uint32_t type_element_bytes(const Type *type) {
  const Type *element = type_element(type);
  if (element->kind == TYPE_PTR) return 8;
  if (type_is_by_value(element)) return BY_VALUE_BYTES;
  if (element->kind == TYPE_TOKEN || element->kind == TYPE_RING || element->kind == TYPE_BLOCK_PTR) return 0;
  return elem_bytes(element->elem);
}

uint32_t type_param_bytes(const Type *type) { return type_element_bytes(type); }

uint32_t type_param_align(const Type *type) {
  return type_is_by_value(type) ? BY_VALUE_ALIGN : type_element_bytes(type);
}

bool type_sizes_are_powers(const Type *type) {
  for (uint32_t d = 0; d < type->rank; d++)
    if (!is_power_of_two(type->shape[d])) return false;
  return true;
}

bool type_same_shape(const Type *a, const Type *b) {
  return a->rank == b->rank && memcmp(a->shape, b->shape, sizeof a->shape) == 0;
}

static void print_layout(const Layout *layout, const LayoutNames *names, Buf *out) {
  if (!layout) return;
  buf_text(out, ", ");
  for (uint32_t i = 0; names && i < names->list.n; i++)
    if (names->list.at[i] == layout) {
      buf_printf(out, "#l%u", i);
      return;
    }
  layout_print(layout, out);
}

static void print_tensor_map(const Type *type, Buf *out) {
  buf_printf(out, "tensor_map<%s, box=[", elem_info(type->elem)->name);
  for (uint32_t d = 0; d < type->rank; d++) buf_printf(out, "%s%u", d ? ", " : "", type->shape[d]);
  buf_printf(out, "], swizzle=%u, fill=%s>", type->swizzle, type->pads_nan ? "nan" : "zero");
}

void type_print_named(const Type *type, const LayoutNames *names, Buf *out) {
  switch (type->kind) {
  case TYPE_SCALAR: buf_text(out, elem_info(type->elem)->name); return;
  case TYPE_PTR:
    buf_text(out, type->is_const ? "*const " : "*");
    type_print_named(type->inner, names, out);
    return;
  case TYPE_TOKEN: buf_text(out, "token"); return;
  case TYPE_BYTES: buf_printf(out, "bytes<%d>", BY_VALUE_BYTES); return;
  case TYPE_RING: buf_text(out, "ring"); return;
  case TYPE_TENSOR_MAP: print_tensor_map(type, out); return;
  case TYPE_TILE:
  case TYPE_BLOCK_PTR:
  case TYPE_SHARED:
  case TYPE_TMEM: break;
  }
  const char *name = type->kind == TYPE_TILE     ? "tile"
                     : type->kind == TYPE_SHARED ? "shared"
                     : type->kind == TYPE_TMEM   ? "tmem"
                                                 : "block_ptr";
  buf_printf(out, "%s<", name);
  for (uint32_t d = 0; d < type->rank; d++) buf_printf(out, "%ux", type->shape[d]);
  if (type->inner)
    type_print_named(type->inner, names, out);
  else
    buf_text(out, elem_info(type->elem)->name);
  print_layout(type->layout, names, out);
  buf_char(out, '>');
}

void type_print(const Type *type, Buf *out) { type_print_named(type, NULL, out); }
