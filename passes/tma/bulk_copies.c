// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks loads of scales that are blocks in memory, as tcgen05.cp reads them, with the blocks' addresses.
//
// ```
// before  %x = load %p : tile<1x2x512xu8>
//         ... reshapes and transposes of %x, which give %y : tile<128x8xu8>
//         shared_store %y, %s
// after   %m = bulk_mark %y, %a0, %a1                 (the scalars that are %p at 0, 0, 0 and at 0, 1, 0)
//         shared_store %m, %s
// ```
//
// A scalar is computed as the tile's element is, so it wraps in the same places. No guard is needed.
#include "passes/tma/bulk_copies.h"

#include "ir/layout/layout.h"
#include "passes/analysis/axis_info.h"

enum { BLOCK = 512, MOST_BLOCKS = 32, MAX_DEPTH = 24, ALIGN = 16 };

typedef struct Index {
  uint32_t at[TILE_MAX_RANK];
} Index;

static Index index_of(const Type *tile, uint32_t flat) {
  Index index = {{0}};
  for (uint32_t d = tile->rank; d-- > 0; flat /= tile->shape[d]) index.at[d] = flat % tile->shape[d];
  return index;
}

static uint32_t flat_of(const Type *tile, const Index *index) {
  uint32_t flat = 0;
  for (uint32_t d = 0; d < tile->rank; d++) flat = flat * tile->shape[d] + index->at[d];
  return flat;
}

// --- an element's scalar

// The operand's index for the result's, of an op that moves or repeats elements. Returns false for another op.
static bool index_before(const Op *op, Index *index) {
  const Type *from = operand_type(op, 0), *to = result_type(op);
  Index before = *index;
  switch ((int)op->kind) {
  case OP_CONVERT_LAYOUT: break;
  case OP_EXPAND_DIMS:
  case OP_RESHAPE: before = index_of(from, flat_of(to, index)); break;
  case OP_TRANS:
    for (uint32_t d = 0; d < to->rank; d++) before.at[op_attr(op, ATTR_ORDER)->ints.at[d]] = index->at[d];
    break;
  case OP_BROADCAST:
    for (uint32_t d = 0; d < to->rank; d++) before.at[d] = from->shape[d] == 1 ? 0 : index->at[d];
    break;
  default: return false;
  }
  *index = before;
  return true;
}

static Value *element(Builder *b, Value *tile, Index index, uint32_t depth);

static bool is_exact(const Type *type) { return type_is_int(type) || type_element(type)->kind == TYPE_PTR; }

// The same op of the operands' elements, of integers and pointers.
static Value *element_of_op(Builder *b, const Op *op, const Index *index, uint32_t depth) {
  Value *operands[2] = {NULL};
  if (!op_has(op, ELEMENTWISE | PURE) || op->operand_count > 2 || !is_exact(result_type(op))) return NULL;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    operands[i] = is_exact(operand_type(op, i)) ? element(b, op_operand(op, i), *index, depth) : NULL;
    if (!operands[i]) return NULL;
  }
  return build(b, op->kind, type_element(result_type(op)), operands[0], operands[1], NULL);
}

static bool is_outside(const Value *value, const Op *loop) {
  const Region *region = value->def ? value->def->region : value->region;
  while (region && region != loop->regions[0]) region = region->parent ? region->parent->region : NULL;
  return !region;
}

// A pointer that a loop advances by one number each time: its first value, and the number times the iteration. Sums of
// addresses wrap in 64 bits, so no iteration differs.
static Value *element_carried(Builder *b, const Value *tile, const Index *index, uint32_t depth) {
  const Op *loop = tile->region->parent;
  int64_t by;
  if (!loop || loop->kind != OP_FOR || tile->index == 0 || !value_int_constant(loop_step(loop), &by) ||
      by <= 0)
    return NULL;
  const Op *next = loop_yielded(loop, tile->index - 1)->def;
  if (!next || next->kind != OP_ADDPTR || op_operand(next, 0) != tile) return NULL;
  Value *first = element(b, loop_init(loop, tile->index - 1), *index, depth),
        *step = element(b, op_operand(next, 1), *index, depth);
  int64_t constant;
  if (!first || !step || (!value_int_constant(step, &constant) && !is_outside(step, loop))) return NULL;
  const Type *wide = type_scalar(b->func->module->ir, ELEM_I64);
  Value *lower = build_cast(b, loop_lower(loop), wide);
  Value *turn = build_cast(b, loop_index(loop), wide);
  turn = build_binary(b, OP_SUB, turn, lower);
  if (by > 1) turn = build_with_int(b, OP_DIV, turn, by);
  step = build_cast(b, step, wide);
  Value *distance = build_binary(b, OP_MUL, turn, step);
  return build(b, OP_ADDPTR, first->type, first, distance, NULL);
}

// The tile's element at the index as a scalar. NULL: the tile is computed or carried otherwise.
static Value *element(Builder *b, Value *tile, Index index, uint32_t depth) {
  int64_t constant;
  const Op *op = tile->def;
  if (!type_is_tile(tile->type)) return tile;
  if (value_int_constant(tile, &constant)) return build_int(b, type_element(tile->type), constant);
  if (depth-- == 0) return NULL;
  if (!op) return element_carried(b, tile, &index, depth);
  if (op->kind == OP_SPLAT) return op_operand(op, 0);
  if (op->kind == OP_ARANGE)
    return build_int(b, type_element(tile->type), op_int(op, ATTR_START, 0) + index.at[0]);
  if (op->kind == OP_HINT || index_before(op, &index)) return element(b, op_operand(op, 0), index, depth);
  return element_of_op(b, op, &index, depth);
}

// --- blocks

static const Op *source_of(const Value *tile) {
  const Op *op = tile->def;
  while (op && op_has(op, VIEW) && !op_has(op, SPREADS)) op = op_operand(op, 0)->def;
  return op;
}

// The element of the load that the element `flat` of the tile is.
static bool find_source(const Value *tile, const Op *load, uint32_t flat, Index *found) {
  *found = index_of(tile->type, flat);
  for (const Op *op = tile->def; op != load; op = op_operand(op, 0)->def)
    if (!index_before(op, found)) return false;
  return true;
}

// True if the load's elements from `first` on are a run that fills the slot's block.
static bool fills_block(const Value *tile, const Op *load, const Type *slot, uint32_t block, Index *first) {
  const Type *loaded = result_type(load);
  Index found;
  if (!find_source(tile, load, layout_apply_offset(slot->layout, block), first)) return false;
  uint32_t from = flat_of(loaded, first);
  if (from % BLOCK) return false;
  for (uint32_t i = 1; i < BLOCK; i++)
    if (!find_source(tile, load, layout_apply_offset(slot->layout, block + i), &found) ||
        flat_of(loaded, &found) != from + i)
      return false;
  return true;
}

static bool are_runs(PassContext *context, Func *func, const Op *load) {
  const Type *loaded = result_type(load);
  const AxisInfo *info = axis_info(axis_analyse(context->scratch, func), op_operand(load, 0));
  uint32_t last = loaded->rank - 1;
  return loaded->shape[last] % BLOCK == 0 && info->contiguity[last] >= BLOCK &&
         info->divisibility[last] >= ALIGN;
}

Value *bulk_mark(PassContext *context, Func *func, const Value *tile, Value *stored, const Type *slot) {
  const Op *load = source_of(tile);
  uint32_t blocks = (uint32_t)type_elements(slot) / BLOCK;
  Value *operands[1 + MOST_BLOCKS] = {stored};
  bool plain = load && load->kind == OP_LOAD && load->operand_count == 1 && !op_attr(load, ATTR_VOLATILE) &&
               type_is_tile(result_type(load)) && type_element_bytes(result_type(load)) == 1;
  if (!plain || blocks > MOST_BLOCKS || !stored->def || !are_runs(context, func, load)) return stored;
  Op *def = stored->def, *next = def->next;
  Builder b = builder_after(def);
  uint32_t n = 0;
  Index first;
  while (n < blocks && fills_block(tile, load, slot, n * BLOCK, &first) &&
         (operands[1 + n] = element(&b, op_operand(load, 0), first, MAX_DEPTH)))
    n++;
  if (n == blocks) return op_result(build_op(&b, OP_BULK_MARK, 1 + blocks, operands, 1, &stored->type));
  while (def->next != next) op_erase(next ? next->prev : def->region->last);
  return stored;
}
