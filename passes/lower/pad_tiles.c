// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pad_tiles: pads tiles of any size to power-of-two sizes.
//
// ```
// before  %i = arange {start = 0, end = 100} : tile<100xi32>
//         %x = load %p : tile<100xfp32>
//         %s = reduce %x {axis = 0} by add : fp32
// after   %i = arange {start = 0, end = 128} : tile<128xi32>
//         %inside = lt %i, 100
//         %x = load %p, %inside : tile<128xfp32>
//         %y = select %inside, %x, -0.0
//         %s = reduce %y {axis = 0} by add : fp32
// ```
//
// needs   tiles without layouts, no block pointers
// keeps   every value; which elements are read, written, asserted and printed
// breaks  nothing; afterwards all sizes are powers of two. A kernel that has only such sizes stays as it is.
//
// pays    layouts are linear maps over bits, and only such tiles have them
//
// A dot records its real sizes (`extents`). Its instructions multiply only these.
//
// Padding has any value. No memory is read or written for it. Each op for which the padding matters has a rule in the
// table below. Ops without a rule compute the padding and pass it on.
#include "passes/lower/pad_tiles.h"

// --- memory

// load: the mask is operand 1; store, atomic_rmw: 2; atomic_cas: 3.
static void pad_access(Padding *p, Op *op) {
  uint32_t at = op->kind == OP_LOAD ? 1 : op->kind == OP_ATOMIC_CAS ? 3 : 2;
  Value *mask = op_operand(op, at), *pointer = op_operand(op, 0);
  if (!type_is_tile(pointer->type) || !pad_is_padded(p, pointer)) return;
  Builder b = builder_before(op);
  Value *inside = pad_mask(p, &b, mask, pointer);
  if (mask)
    op_set_operand(op, at, inside);
  else
    op_add_operand(op, inside);
}

// Drops the mark: a TMA tile has exactly the written sizes. A tile that only dots read keeps it. There padding is
// allowed, if it adds nothing along k.
static void pad_tma_mark(Padding *p, Op *op) {
  if (!op_attr(op, ATTR_STORED) && pad_boxes_products(p, op_result(op))) return;
  pad_replace(p, op_result(op), op_operand(op, 0));
  op_erase(op);
}

// --- indices, elements

static void pad_arange(Padding *p, Op *op) {
  (void)p;
  int64_t start = op_int(op, ATTR_START, 0), size = op_result(op)->type->shape[0];
  if (start + size <= (int64_t)INT32_MAX + 1) {
    op_set_int(op, ATTR_END, start + size);
    return;
  }
  Builder b = builder_before(op);
  Value *i = build_arange(&b, 0, size);
  pad_replace(p, op_result(op), build_with_int(&b, OP_ADD, i, start));
  op_erase(op);
}

static void pad_assert(Padding *p, Op *op) {
  Builder b = builder_before(op);
  Value *x = op_operand(op, 0);
  op_set_operand(op, 0, pad_fill(p, &b, x, PAD_ALL, build_int(&b, x->type, 1)));
}

// Records the written sizes of all operands, one after another.
static void pad_print(Padding *p, Op *op) {
  uint32_t n = 0, *sizes;
  for (uint32_t i = 0; i < op->operand_count; i++) n += op_operand(op, i)->type->rank;
  sizes = ARENA_ARRAY(p->context->scratch, uint32_t, n);
  n = 0;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Type *written = pad_written(p, op_operand(op, i));
    for (uint32_t d = 0; d < written->rank; d++) sizes[n++] = written->shape[d];
  }
  op_set_ints(op, ATTR_SIZES, n, sizes);
}

// A loop in the mapped function may not end for padding values. So the padding repeats real elements.
static void pad_map(Padding *p, Op *op) {
  bool loops = ops_find(op->regions[0], OP_FOR) || ops_find(op->regions[0], OP_WHILE);
  Builder b = builder_before(op);
  for (uint32_t i = 0; loops && i < op->operand_count; i++)
    op_set_operand(op, i, pad_repeat(p, &b, op_operand(op, i)));
}

static void pad_asm(Padding *p, Op *op) {
  if (op_attr(op, ATTR_PURE)) return;
  diag_error(p->context->diags, op->loc,
             "[T0505] inline PTX that may have effects needs tile sizes that are powers of two: pad the "
             "tile, or use "
             "is_pure=True");
}

// The rules. For ops without a rule only the type changes.
static PadRule *const rules[OP_COUNT] = {
    [OP_ARANGE] = pad_arange,
    [OP_RESHAPE] = pad_reshape,
    [OP_CAT] = pad_cat,
    [OP_SLICE] = pad_slice,
    [OP_FLIP] = pad_flip,
    [OP_SORT] = pad_sort,
    [OP_HISTOGRAM] = pad_histogram,
    [OP_LOAD] = pad_access,
    [OP_STORE] = pad_access,
    [OP_ATOMIC_RMW] = pad_access,
    [OP_ATOMIC_CAS] = pad_access,
    [OP_TMA_MARK] = pad_tma_mark,
    [OP_DOT] = pad_dot,
    [OP_INLINE_ASM] = pad_asm,
    [OP_PRINT] = pad_print,
    [OP_ASSERT] = pad_assert,
    [OP_REDUCE] = pad_reduce,
    [OP_SCAN] = pad_scan,
    [OP_MAP] = pad_map,
};

// --- the function

typedef struct OpList {
  Arena *arena;
  VEC(Op *) ops;
  bool any, refused; // a size is no power of two; a block pointer has such a size
} OpList;

static void look_at(OpList *list, const Type *type) {
  if (type->rank == 0 || type->layout || type_sizes_are_powers(type)) return;
  list->any |= type_is_tile(type);
  list->refused |= type_is_block_ptr(type);
}

static void pad_value(Padding *p, Value *value, Loc loc) {
  IrContext *ir = p->func->module->ir;
  const Type *written = value->type, *padded = pad_type(ir, written);
  p->entries.at[value->id] = (PadEntry){value, written, NULL};
  value->type = padded;
  if (type_elements(padded) <= TILE_MAX_ELEMENTS || padded == written) return;
  diag_error(
      p->context->diags, loc,
      "[T0505] a tile of %llu elements is padded to powers of two, %llu elements, which is more than %d",
      (unsigned long long)type_elements(written), (unsigned long long)type_elements(padded),
      TILE_MAX_ELEMENTS);
}

static void pad_values(Padding *p, const OpList *list) {
  for (uint32_t i = 0; i < p->func->value_count; i++)
    vec_push(p->context->scratch, &p->entries, ((PadEntry){0}));
  for (uint32_t i = 0; i < list->ops.n; i++) {
    Op *op = list->ops.at[i];
    for (uint32_t k = 0; k < op->result_count; k++) pad_value(p, &op->results[k], op->loc);
    for (uint32_t r = 0; r < op->region_count; r++)
      for (uint32_t k = 0; k < op->regions[r]->arg_count; k++) pad_value(p, op->regions[r]->args[k], op->loc);
  }
}

static bool touches_padding(const Padding *p, const Op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (pad_is_padded(p, op_operand(op, i))) return true;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (pad_is_padded(p, &op->results[i])) return true;
  return false;
}

static const char *shape_text(Padding *p, const Type *type) {
  Buf buf = {0};
  for (uint32_t d = 0; d < type->rank; d++) buf_printf(&buf, "%s%u", d ? " x " : "", type->shape[d]);
  const char *text = arena_copy(p->context->scratch, buf_view(&buf));
  buf_free(&buf);
  return text;
}

// Reports how much of each shape is padding, once per shape, at its first op in program order.
static void report(Padding *p, const OpList *list) {
  VEC(const Type *) said = {0};
  for (uint32_t i = 0; i < list->ops.n; i++) {
    const Op *op = list->ops.at[i];
    if (op->result_count == 0 || !pad_is_padded(p, op_result(op))) continue;
    const Type *written = pad_written(p, op_result(op)), *padded = op_result(op)->type;
    bool known = false;
    for (uint32_t k = 0; k < said.n; k++) known |= type_same_shape(said.at[k], written);
    if (known) continue;
    vec_push(p->context->scratch, &said, written);
    double share = 1 - (double)type_elements(written) / (double)type_elements(padded);
    diag_remark(p->context->diags, op->loc, "pad_tiles",
                "tiles of %s elements are padded to %s: %.1f %% is padding", shape_text(p, written),
                shape_text(p, padded), 100 * share);
  }
}

bool pass_pad_tiles(PassContext *context, Func *func) {
  Padding p = {.context = context, .func = func};
  OpList list = {.arena = context->scratch};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) {
    vec_push(list.arena, &list.ops, w.op);
    for (uint32_t i = 0; i < w.op->result_count; i++) look_at(&list, w.op->results[i].type);
  }
  if (!list.any || list.refused) return false;
  func_number(func);
  pad_values(&p, &list);
  report(&p, &list);
  for (uint32_t i = 0; i < list.ops.n; i++) {
    Op *op = list.ops.at[i];
    if (rules[op->kind] && touches_padding(&p, op)) rules[op->kind](&p, op);
  }
  return true;
}
