// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which loads can be TMA copies, and makes their tensor maps. Each map has a host region. The region computes
// base, sizes and strides from the kernel's parameters as the kernel does.
#include "passes/tma/tensor_copies.h"

#include "ir/dot/dot_fits.h"
#include "ir/layout/layout.h"

enum { MAX_DEPTH = 16 };

// The op's operands from `first` on: base, sizes, strides.
typedef struct TensorParts {
  uint32_t rank;
  Value *base;
  Value *size[TILE_MAX_RANK], *stride[TILE_MAX_RANK];
} TensorParts;

static TensorParts parts_of(const Op *op, uint32_t first) {
  TensorParts parts = {.rank = (op->operand_count - first - 1) / 3, .base = op_operand(op, first)};
  for (uint32_t d = 0; d < parts.rank; d++) {
    parts.size[d] = op_operand(op, first + 1 + d);
    parts.stride[d] = op_operand(op, first + 1 + parts.rank + d);
  }
  return parts;
}

static bool find_inner(const TensorParts *parts, uint32_t *inner) {
  for (uint32_t d = parts->rank; d-- > 0;)
    if (value_is_int(parts->stride[d], 1)) return *inner = d, true;
  return false;
}

bool tma_mark_inner(const Op *tma_mark, uint32_t *inner) {
  for (uint32_t d = op_result(tma_mark)->type->rank; d-- > 0;)
    if (value_is_int(op_operand(tma_mark, 2 + tma_mark_rank(tma_mark) + tma_mark_dim(tma_mark, d)), 1))
      return *inner = d, true;
  return false;
}

static bool is_aligned(const AxisTable *axes, const Value *value, uint32_t bytes) {
  return axis_info(axes, value)->divisibility[0] * bytes % TENSOR_COPY_BYTES == 0;
}

// True if base and strides are multiples of 16 bytes. A launch without them takes another kernel. For descriptors they
// always are, so this is not asked.
static bool is_aligned_tensor(const Func *func, const AxisTable *axes, const TensorParts *parts,
                              uint32_t inner) {
  uint32_t bytes = type_element_bytes(parts->base->type->inner);
  bool aligned = func->params[parts->base->index].facts.divisible16;
  for (uint32_t d = 0; d < parts->rank; d++)
    aligned &= d == inner || is_aligned(axes, parts->stride[d], bytes);
  return aligned;
}

// True if the base is a parameter, one stride is 1, and the host knows sizes and strides.
static bool are_known_on_host(const TensorParts *parts) {
  uint32_t inner;
  if (!value_is_param(parts->base) || !find_inner(parts, &inner)) return false;
  for (uint32_t d = 0; d < parts->rank; d++)
    if (!known_on_host(parts->size[d]) || !known_on_host(parts->stride[d])) return false;
  return true;
}

bool tensor_parts_fit(const Func *func, const AxisTable *axes, const Op *op, uint32_t first) {
  TensorParts parts = parts_of(op, first);
  uint32_t inner;
  if (!are_known_on_host(&parts) || !find_inner(&parts, &inner)) return false;
  return op_attr(op, ATTR_DESCRIPTOR) || is_aligned_tensor(func, axes, &parts, inner);
}

// --- which slots

static const Op *fed(const Value *tile, bool transposed) {
  const Op *dot = NULL;
  for (const Use *use = tile->first_use; use && !dot; use = use->next) {
    if (use->user->kind == OP_DOT && can_read_matrices(use->user)) dot = use->user;
    if (use->user->kind == OP_TRANS && !transposed) dot = fed(op_result(use->user), true);
  }
  return dot;
}

const Op *fed_dot(const Value *tile) { return fed(tile, false); }

static const Type *turned(IrContext *ir, const Type *slot) {
  static const uint32_t order[2] = {1, 0};
  uint32_t shape[2] = {slot->shape[1], slot->shape[0]};
  Layout layout = layout_trans(slot->layout, 2, slot->shape, order);
  return type_shared(ir, slot->elem, 2, shape, layout_intern(ir, &layout));
}

const char *tensor_load_find(Func *func, const AxisTable *axes, const Op *tma_mark, const Type *slot,
                             TensorLoad *found) {
  TensorParts parts = parts_of(tma_mark, 1);
  *found = (TensorLoad){.tma_mark = tma_mark, .slot = slot};
  if (!are_known_on_host(&parts) || !tma_mark_inner(tma_mark, &found->inner))
    return "its tensor is not known before the launch";
  if (found->inner + 1 != slot->rank) found->slot = turned(func->module->ir, slot);
  if (!layout_tma_box(found->slot, &found->box)) return "TMA cannot write its layout in shared memory";
  if (!is_aligned(axes, tma_mark_offset(tma_mark, tma_mark_dim(tma_mark, found->inner)),
                  elem_bytes(slot->elem)))
    return "its first element is not known to be a multiple of 16 bytes from the row's start";
  return NULL;
}

// --- maps

static const char *map_name(const Func *func, const char *base) {
  IrContext *ir = func->module->ir;
  for (uint32_t n = 0;; n++) {
    const char *text =
        n ? arena_printf(ir->arena, "%s_map_%u", base, n) : arena_printf(ir->arena, "%s_map", base);
    const char *name = ir_name(ir, str_from(text));
    bool taken = false;
    for (uint32_t i = 0; i < func->param_count; i++) taken |= func->params[i].name == name;
    if (!taken) return name;
  }
}

Value *host_clone(Builder *b, CloneMap *map, Value *value) {
  Value *known = clone_get(map, value);
  if (known != value || !value->def) return known;
  for (uint32_t i = 0; i < value->def->operand_count; i++) host_clone(b, map, op_operand(value->def, i));
  return op_result(op_clone(b, value->def, map));
}

static void fill_host(PassContext *context, Func *func, HostRegion *host, Value *const *parts, uint32_t n,
                      Loc loc) {
  CloneMap map = clone_map_new(context->scratch, func);
  Builder b = builder_at_end(func, host->region);
  Value *values[2 * TENSOR_MAP_MAX_RANK];
  b.loc = loc;
  for (uint32_t i = 0; i < host->region->arg_count; i++)
    clone_set(&map, func->body->args[i], host->region->args[i]);
  for (uint32_t i = 0; i < n; i++) values[i] = host_clone(&b, &map, parts[i]);
  build_yield(&b, n, values);
}

// True if two values, of the body or of host regions, are computed in the same way from the same parameters.
static bool same_on_host(const Value *a, const Value *b, uint32_t depth) {
  if (!a->def || !b->def) return !a->def && !b->def && a->index == b->index;
  const Op *x = a->def, *y = b->def;
  if (depth == 0 || x->kind != y->kind || a->type != b->type || x->operand_count != y->operand_count ||
      x->attrs.n != y->attrs.n)
    return false;
  for (uint32_t i = 0; i < x->attrs.n; i++)
    if (x->attrs.at[i].key != y->attrs.at[i].key || x->attrs.at[i].i != y->attrs.at[i].i) return false;
  for (uint32_t i = 0; i < x->operand_count; i++)
    if (!same_on_host(op_operand(x, i), op_operand(y, i), depth - 1)) return false;
  return true;
}

// The tensor's dimensions in the map's order. The contiguous dimension is last.
static uint32_t map_order(const TensorLoad *load, uint32_t order[TENSOR_MAP_MAX_RANK]) {
  uint32_t rank = tma_mark_rank(load->tma_mark), inner = tma_mark_dim(load->tma_mark, load->inner), n = 0;
  for (uint32_t d = 0; d < rank; d++)
    if (d != inner) order[n++] = d;
  order[n++] = inner;
  return n;
}

// The values that the map's region yields: base, sizes, and strides except the last, which is 1.
static uint32_t map_values(const TensorLoad *load, Value *values[2 * TENSOR_MAP_MAX_RANK]) {
  TensorParts parts = parts_of(load->tma_mark, 1);
  uint32_t order[TENSOR_MAP_MAX_RANK], rank = map_order(load, order), n = 0;
  values[n++] = parts.base;
  for (uint32_t i = 0; i < rank; i++) values[n++] = parts.size[order[i]];
  for (uint32_t i = 0; i + 1 < rank; i++) values[n++] = parts.stride[order[i]];
  return n;
}

static const Type *map_type(Func *func, const TensorLoad *load) {
  const Attr *padding = op_attr(load->tma_mark, ATTR_PADDING);
  uint32_t order[TENSOR_MAP_MAX_RANK], shape[TENSOR_MAP_MAX_RANK], rank = map_order(load, order);
  for (uint32_t i = 0; i + 1 < rank; i++)
    shape[i] = order[i] == tma_mark_dim(load->tma_mark, 1 - load->inner) ? load->box.shape[0] : 1;
  shape[rank - 1] = load->box.shape[1];
  return type_tensor_map(func->module->ir, load->slot->elem, rank, shape, load->box.swizzle,
                         padding && strcmp(padding->str, "nan") == 0);
}

static bool is_made_of(const HostRegion *host, Value *const *parts, uint32_t n) {
  const Op *yield = host->region->last;
  for (uint32_t i = 0; i < n; i++)
    if (yield->operand_count != n || !same_on_host(op_operand(yield, i), parts[i], MAX_DEPTH)) return false;
  return true;
}

static Value *older_map(const Func *func, const Type *type, Value *const *parts, uint32_t n) {
  for (uint32_t i = 0; i < func->param_count; i++) {
    const FuncParam *param = &func->params[i];
    if (param->hidden != HIDDEN_TENSOR_MAP || param->type != type) continue;
    const HostRegion *host = func_host(func, HOST_MAP, param->name);
    if (host && is_made_of(host, parts, n)) return func->body->args[i];
  }
  return NULL;
}

Value *tensor_map_of(PassContext *context, Func *func, const TensorLoad *load) {
  const Type *type = map_type(func, load);
  Value *parts[2 * TENSOR_MAP_MAX_RANK];
  uint32_t n = map_values(load, parts);
  Value *older = older_map(func, type, parts, n);
  if (older) return older;
  HostRegion *host;
  const char *base = func->params[parts[0]->index].name;
  Value *map = func_new_map(func, map_name(func, base), type, &host);
  fill_host(context, func, host, parts, n, load->tma_mark->loc);
  return map;
}

// Clamped offsets are beyond every size that a map may have, and so are the ends of their tiles.
static Value *tensor_coordinate(Builder *b, Value *offset) {
  const Type *narrow = type_scalar(b->func->module->ir, ELEM_I32);
  const Op *op = offset->def;
  int64_t known;
  if (op && op->kind == OP_CAST && op_operand(op, 0)->type == narrow) return op_operand(op, 0);
  if (value_int_constant(offset, &known) && known >= INT32_MIN && known <= TENSOR_SIZE_MOST)
    return build_int(b, narrow, known);
  offset = build_with_int(b, OP_MAX, offset, INT32_MIN);
  offset = build_with_int(b, OP_MIN, offset, TENSOR_SIZE_MOST);
  return build_cast(b, offset, narrow);
}

uint32_t tensor_coordinates_of(Builder *b, const TensorLoad *load, const CloneMap *map,
                               Value *coordinates[TENSOR_MAP_MAX_RANK]) {
  uint32_t order[TENSOR_MAP_MAX_RANK], rank = map_order(load, order);
  for (uint32_t i = 0; i < rank; i++) {
    Value *offset = tma_mark_offset(load->tma_mark, order[i]);
    coordinates[i] = tensor_coordinate(b, map ? clone_get(map, offset) : offset);
  }
  return rank;
}
