// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lower_block_pointers: block pointers become scalars. Accesses through them become accesses of pointer tiles.
//
// A block may have one element along all dimensions but two, and be used only as that matrix (`reshape`). Its accesses
// become accesses of the matrix.
//
// ```
// before  %p = make_block_ptr %base, %rows, %cols, %stride, %one, %r, %zero : block_ptr<16x64xfp32>
//         %q = for ..., %p do (%i, %b) {
//           %x = block_load %b {boundary = [1], padding = "zero"} : tile<16x64xfp32>
//           %n = advance %b, %zero, %c64
//           yield %n
//         }
// after   %p = addptr %base, (%r * %stride)
//         for ..., %p, %zero, ... do (%i, %pointer, %offset, ...) {
//           %at = addptr (splat %pointer), (rows' offsets + columns' offsets)
//           %left = splat (cast i32 (clamp(%cols - %offset, 0, 64)))
//           %x = load %at, (broadcast (arange < %left)), 0
//           yield (addptr %pointer, 64), (add %offset, 64), ...
//         }
// ```
//
// needs   blocks without layouts: with layouts the pass does nothing
// keeps   every value; which elements are read and written
// breaks  Nothing. Afterwards there are no block pointers. simplify drops loop-carried parts that do not change. hoist
//         moves out the offsets within the block, which are the same in every iteration.
//
// pays    A block pointer is one scalar pointer that is added to, so a loop multiplies nothing. Masks are compared in
//         32 bits for all sizes, because the distance to the bound is clamped to the block.
#include "ir/memory/tensor_map.h"
#include "passes/lower/block_address.h"
#include "passes/tma/tensor_copies.h"

enum { MAX_STEPS = 16, MAX_STEP = 1 << 20, MATRIX_RANK = 2 };

typedef struct BlockLowering {
  PassContext *context;
  Func *func;
  const AxisTable *axes; // of the values from before the pass
  BlockParts **parts;    // by the ids of those values; NULL: not a block pointer, or not yet lowered
  VEC(Op *) dead;        // lowered ops, definitions before uses
} BlockLowering;

typedef VEC(Value *) ValueList;
typedef VEC(const Type *) TypeList;

static BlockParts *parts_new(BlockLowering *l, const Value *block) {
  return l->parts[block->id] = ARENA_NEW(l->context->scratch, BlockParts);
}

static BlockParts *parts_of(const BlockLowering *l, const Value *block) { return l->parts[block->id]; }

// The op's operand, with a hint for what a descriptor guarantees if axis_info does not prove it.
static Value *promised(const BlockLowering *l, Builder *b, const Op *made, uint32_t i) {
  Value *x = op_operand(made, i);
  uint32_t multiple = descriptor_multiple(made, i);
  if (axis_divisor(l->axes, x, 0, 1) >= multiple) return x;
  Value *hinted = build(b, OP_HINT, x->type, x, NULL, NULL);
  op_set_ints(hinted->def, ATTR_MULTIPLE, 1, &multiple);
  return hinted;
}

static void lower_make(BlockLowering *l, Op *op) {
  const Type *type = op_result(op)->type;
  BlockParts *parts = parts_new(l, op_result(op));
  Builder b = builder_before(op);
  uint32_t rank = parts->rank = type->rank;
  for (uint32_t d = 0; d < rank; d++) {
    parts->size[d] = op_operand(op, 1 + d);
    parts->stride[d] = promised(l, &b, op, 1 + rank + d);
    parts->offset[d] = op_operand(op, 1 + 2 * rank + d);
    parts->below[d] = block_offset_bound(l->axes, parts->offset[d]);
  }
  parts->made = op;
  parts->pointer = block_move(&b, promised(l, &b, op, 0), parts, parts->offset);
}

static void lower_advance(BlockLowering *l, Op *op) {
  const BlockParts *from = parts_of(l, op_operand(op, 0));
  BlockParts *parts = parts_new(l, op_result(op));
  Builder b = builder_before(op);
  Value *by[TILE_MAX_RANK];
  *parts = *from;
  for (uint32_t d = 0; d < from->rank; d++) {
    int64_t step;
    by[d] = op_operand(op, 1 + d);
    parts->below[d] = 0;
    if (value_int_constant(by[d], &step) && step >= 0)
      parts->below[d] = block_bound_add(from->below[d], step);
    if (value_is_int(by[d], 0)) continue;
    parts->offset[d] = build_binary(&b, OP_ADD, from->offset[d], by[d]);
  }
  parts->pointer = block_move(&b, from->pointer, from, by);
}

static void copy_access_attrs(const Op *from, Op *to) {
  op_copy_attr(to, from, ATTR_CACHE);
  op_copy_attr(to, from, ATTR_EVICT);
}

static uint32_t checked_dims(const Op *op) {
  const Attr *boundary = op_attr(op, ATTR_BOUNDARY);
  uint32_t checked = 0;
  for (uint32_t i = 0; boundary && i < boundary->ints.n; i++) checked |= 1u << boundary->ints.at[i];
  return checked;
}

// --- blocks of one element along some dimensions

// A block with exactly two dimensions of several elements, rows and columns. It also has dimensions of one element.
typedef struct BlockMatrix {
  const Type *type; // the matrix; NULL: the block is not one
  uint32_t dims[MATRIX_RANK];
} BlockMatrix;

static BlockMatrix matrix_of(const BlockLowering *l, const Type *tile) {
  BlockMatrix matrix = {0};
  uint32_t n = 0, shape[MATRIX_RANK];
  for (uint32_t d = 0; d < tile->rank; d++) {
    if (tile->shape[d] == 1) continue;
    if (n == MATRIX_RANK) return matrix;
    shape[n] = tile->shape[d];
    matrix.dims[n++] = d;
  }
  if (n == MATRIX_RANK && tile->rank > n)
    matrix.type = type_tile(l->func->module->ir, type_element(tile), n, shape, NULL);
  return matrix;
}

static bool is_reshape(const Op *op) { return op && op->kind == OP_RESHAPE; }

// True if the loaded block is only used as the matrix.
static bool goes_on_as(const Value *loaded, const Type *matrix) {
  for (const Use *use = loaded->first_use; use; use = use->next)
    if (!is_reshape(use->user) || op_result(use->user)->type != matrix) return false;
  return matrix && loaded->first_use;
}

static BlockParts matrix_parts(const BlockParts *block, const BlockMatrix *matrix) {
  BlockParts parts = {.rank = MATRIX_RANK, .made = block->made, .pointer = block->pointer};
  for (uint32_t d = 0; d < MATRIX_RANK; d++) {
    parts.size[d] = block->size[matrix->dims[d]];
    parts.stride[d] = block->stride[matrix->dims[d]];
    parts.offset[d] = block->offset[matrix->dims[d]];
    parts.below[d] = block->below[matrix->dims[d]];
  }
  return parts;
}

// The mask of the matrix. Rows and columns are masked as in any block. The other dimensions take one scalar comparison
// for all elements.
static Value *matrix_mask(Builder *b, const BlockParts *block, const BlockMatrix *matrix, uint32_t checked) {
  BlockParts parts = matrix_parts(block, matrix);
  uint32_t inner = 0, others = checked;
  for (uint32_t d = 0; d < MATRIX_RANK; d++) {
    inner |= (checked >> matrix->dims[d] & 1) << d;
    others &= ~(1u << matrix->dims[d]);
  }
  Value *mask = block_mask(b, &parts, matrix->type, inner);
  Value *whole = block_scalar_mask(b, block, others);
  if (!whole) return mask;
  whole = build_splat(b, whole, matrix->type);
  return mask ? build_binary(b, OP_AND, mask, whole) : whole;
}

// --- TMA tiles

static bool is_boxable(const BlockParts *parts, const Type *tile) {
  const Type *element = type_element(tile);
  return tile->rank == MATRIX_RANK && parts->rank <= TENSOR_MAP_MAX_RANK && element->kind == TYPE_SCALAR &&
         !type_is_elem(element, ELEM_I1);
}

// True if a dot by wgmma or tcgen05 takes the loaded tile, as it is or as the matrix.
static bool feeds_dot(const Value *loaded, const Type *tile) {
  if (loaded->type == tile) return fed_dot(loaded) != NULL;
  for (const Use *use = loaded->first_use; use; use = use->next)
    if (fed_dot(op_result(use->user))) return true;
  return false;
}

// True if a load of the block may become a TMA copy, which checks all bounds.
static bool wants_box(const BlockLowering *l, const Op *op, const BlockParts *parts, const Type *tile) {
  if (!func_plans(l->func, PLAN_TMA_LOADS) || !is_boxable(parts, tile)) return false;
  if (!op->region->parent || op->region->parent->kind != OP_FOR) return false;
  if (!func_plans(l->func, PLAN_TMA_ALL_LOADS) && !feeds_dot(op_result(op), tile)) return false;
  if (!parts->made || checked_dims(op) != (1u << parts->rank) - 1) return false;
  return tensor_parts_fit(l->func, l->axes, parts->made, 0);
}

// True if a store to the block may become a TMA store, which checks all bounds.
static bool wants_stored_box(const BlockLowering *l, const Op *op, const BlockParts *parts,
                             const Type *tile) {
  if (!func_plans(l->func, PLAN_TMA_STORES) || !is_boxable(parts, tile)) return false;
  if (!parts->made || checked_dims(op) != (1u << parts->rank) - 1) return false;
  return tensor_parts_fit(l->func, l->axes, parts->made, 0);
}

static Value *build_tma_mark(Builder *b, const Op *op, Value *loaded, const BlockParts *parts,
                             const BlockMatrix *matrix) {
  Value *operands[2 + 3 * TILE_MAX_RANK] = {loaded};
  uint32_t rank = parts->rank;
  for (uint32_t i = 0; i < 1 + 2 * rank; i++) operands[1 + i] = op_operand(parts->made, i);
  for (uint32_t d = 0; d < rank; d++) operands[2 + 2 * rank + d] = parts->offset[d];
  Op *tma_mark = build_op(b, OP_TMA_MARK, 2 + 3 * rank, operands, 1, &loaded->type);
  op_copy_attr(tma_mark, op, ATTR_BOUNDARY);
  op_copy_attr(tma_mark, op, ATTR_PADDING);
  op_copy_attr(tma_mark, parts->made, ATTR_DESCRIPTOR);
  if (loaded->type == matrix->type) op_set_ints(tma_mark, ATTR_DIMS, MATRIX_RANK, matrix->dims);
  return op_result(tma_mark);
}

// Replaces the block by the matrix in all uses.
static void replace_block(Value *block, Value *matrix) {
  for (const Use *use = block->first_use, *next; use; use = next) {
    next = use->next;
    value_replace_uses(op_result(use->user), matrix);
    op_set_operand(use->user, 0, matrix);
  }
}

static void lower_load(const BlockLowering *l, Op *op) {
  const BlockParts *block = parts_of(l, op_operand(op, 0));
  const BlockMatrix matrix = matrix_of(l, op_result(op)->type);
  const bool flat = goes_on_as(op_result(op), matrix.type);
  const Type *tile = flat ? matrix.type : op_result(op)->type;
  const BlockParts parts = flat ? matrix_parts(block, &matrix) : *block;
  Builder b = builder_before(op);
  Value *mask = flat ? matrix_mask(&b, block, &matrix, checked_dims(op))
                     : block_mask(&b, block, tile, checked_dims(op));
  const Attr *padding = op_attr(op, ATTR_PADDING);
  Value *other = mask && padding ? block_padding(&b, tile, strcmp(padding->str, "nan") == 0) : NULL;
  Value *loaded = build_load(&b, block_pointers(&b, &parts, tile), mask, other);
  copy_access_attrs(op, loaded->def);
  loaded->name = op_result(op)->name;
  if (wants_box(l, op, block, tile)) loaded = build_tma_mark(&b, op, loaded, block, &matrix);
  if (flat)
    replace_block(op_result(op), loaded);
  else
    value_replace_uses(op_result(op), loaded);
}

static void lower_store(const BlockLowering *l, Op *op) {
  const BlockParts *block = parts_of(l, op_operand(op, 0));
  Value *value = op_operand(op, 1);
  const BlockMatrix matrix = matrix_of(l, value->type);
  const bool flat = is_reshape(value->def) && op_operand(value->def, 0)->type == matrix.type;
  if (flat) value = op_operand(value->def, 0);
  const BlockParts parts = flat ? matrix_parts(block, &matrix) : *block;
  Builder b = builder_before(op);
  Value *mask = flat ? matrix_mask(&b, block, &matrix, checked_dims(op))
                     : block_mask(&b, block, value->type, checked_dims(op));
  if (wants_stored_box(l, op, block, value->type)) {
    value = build_tma_mark(&b, op, value, block, &matrix);
    op_set_flag(value->def, ATTR_STORED, true);
  }
  copy_access_attrs(op, build_store(&b, block_pointers(&b, &parts, value->type), value, mask));
}

// --- control flow: a loop-carried or yielded block pointer becomes its parts

static void push_value(BlockLowering *l, ValueList *to, Value *value) {
  Arena *scratch = l->context->scratch;
  if (!type_is_block_ptr(value->type)) {
    vec_push(scratch, to, value);
    return;
  }
  const BlockParts *parts = parts_of(l, value);
  vec_push(scratch, to, parts->pointer);
  for (uint32_t d = 0; d < parts->rank; d++) vec_push(scratch, to, parts->size[d]);
  for (uint32_t d = 0; d < parts->rank; d++) vec_push(scratch, to, parts->stride[d]);
  for (uint32_t d = 0; d < parts->rank; d++) vec_push(scratch, to, parts->offset[d]);
}

static void push_type(BlockLowering *l, TypeList *to, const Type *type) {
  IrContext *ir = l->func->module->ir;
  Arena *scratch = l->context->scratch;
  bool block = type_is_block_ptr(type);
  vec_push(scratch, to, block ? type_ptr(ir, type->inner) : type);
  for (uint32_t i = 0; block && i < 3u * type->rank; i++) vec_push(scratch, to, type_scalar(ir, ELEM_I64));
}

// Replaces `value` by the next values of `fresh`, from *at on.
static void take_over(BlockLowering *l, Value *value, Value *const *fresh, uint32_t *at) {
  if (!type_is_block_ptr(value->type)) {
    fresh[*at]->name = value->name;
    value_replace_uses(value, fresh[(*at)++]);
    return;
  }
  BlockParts *parts = parts_new(l, value);
  uint32_t rank = parts->rank = value->type->rank;
  parts->pointer = fresh[(*at)++];
  parts->pointer->name = value->name;
  for (uint32_t d = 0; d < rank; d++) parts->size[d] = fresh[(*at)++];
  for (uint32_t d = 0; d < rank; d++) parts->stride[d] = fresh[(*at)++];
  for (uint32_t d = 0; d < rank; d++) parts->offset[d] = fresh[(*at)++];
}

// How far one iteration moves the block pointer `arg` along `dim`. Returns false unless all steps are small constants
// that are not negative.
static bool steps_forward(const Value *arg, const Value *yielded, uint32_t dim, uint64_t *step) {
  *step = 0;
  for (uint32_t i = 0; i < MAX_STEPS; i++) {
    int64_t by;
    if (yielded == arg) return true;
    if (!yielded->def || yielded->def->kind != OP_ADVANCE) return false;
    if (!value_int_constant(op_operand(yielded->def, 1 + dim), &by) || by < 0 || by > MAX_STEP) return false;
    *step += (uint64_t)by;
    yielded = op_operand(yielded->def, 0);
  }
  return false;
}

// Records the tensor of a loop-carried block pointer, if the loop only advances it.
static void note_made(const BlockLowering *l, const Op *loop, uint32_t i, const Value *arg) {
  if (!type_is_block_ptr(arg->type) || loop->kind != OP_FOR) return;
  const Value *yielded = op_operand(loop->regions[0]->last, i);
  while (yielded != arg && yielded->def && yielded->def->kind == OP_ADVANCE)
    yielded = op_operand(yielded->def, 0);
  if (yielded == arg) parts_of(l, arg)->made = parts_of(l, loop_init(loop, i))->made;
}

// Bounds the offsets of a loop-carried block pointer. A loop with a 32-bit index runs fewer than 2^32 times, so small
// forward steps do not wrap.
static void bound_carried(const BlockLowering *l, const Op *loop, uint32_t i, const Value *arg) {
  if (!type_is_block_ptr(arg->type) || loop->kind != OP_FOR) return;
  if (elem_info(loop_lower(loop)->type->elem)->bits > 32) return;
  const BlockParts *init = parts_of(l, loop_init(loop, i));
  BlockParts *parts = parts_of(l, arg);
  for (uint32_t d = 0; d < parts->rank; d++) {
    uint64_t step;
    if (steps_forward(arg, op_operand(loop->regions[0]->last, i), d, &step))
      parts->below[d] = block_bound_add(init->below[d], (int64_t)(step << 32));
  }
}

static void lower_region(BlockLowering *l, Region *region);

static void lower_yield(BlockLowering *l, Op *yield) {
  ValueList values = {0};
  for (uint32_t i = 0; i < yield->operand_count; i++) push_value(l, &values, op_operand(yield, i));
  Builder b = builder_before(yield);
  build_op(&b, OP_YIELD, values.n, values.at, 0, NULL);
  vec_push(l->context->scratch, &l->dead, yield);
}

static void move_region(BlockLowering *l, Op *from, Op *to, uint32_t r, const TypeList *types) {
  Region *old = from->regions[r], *region = region_new(l->func, to);
  uint32_t at = 0, lead = from->kind == OP_FOR;
  if (lead) region_add_arg(region, old->args[0]->type, NULL);
  for (uint32_t i = 0; from->kind != OP_IF && i < types->n; i++) region_add_arg(region, types->at[i], NULL);
  for (uint32_t i = 0; i < old->arg_count; i++) {
    take_over(l, old->args[i], region->args, &at);
    if (i < lead) continue;
    bound_carried(l, from, i - lead, old->args[i]);
    note_made(l, from, i - lead, old->args[i]);
  }
  while (old->first) op_move(old->first, region, NULL);
  lower_region(l, region);
  lower_yield(l, region->last);
}

static void lower_control(BlockLowering *l, Op *op) {
  ValueList operands = {0};
  TypeList types = {0};
  for (uint32_t i = 0; i < op->operand_count; i++) push_value(l, &operands, op_operand(op, i));
  for (uint32_t i = 0; i < op->result_count; i++) push_type(l, &types, op->results[i].type);
  Builder b = builder_before(op);
  Op *fresh = build_op(&b, op->kind, operands.n, operands.at, types.n, types.at);
  op_copy_attrs(fresh, op);
  ValueList results = {0};
  for (uint32_t i = 0; i < fresh->result_count; i++)
    vec_push(l->context->scratch, &results, &fresh->results[i]);
  // The yields are read before they move: the loop's steps of a block pointer bound its offsets.
  for (uint32_t r = 0; r < op->region_count; r++) move_region(l, op, fresh, r, &types);
  for (uint32_t i = 0, at = 0; i < op->result_count; i++) {
    take_over(l, &op->results[i], results.at, &at);
    const Value *arg = op->kind == OP_FOR ? loop_carried(op, i) : NULL;
    if (arg && type_is_block_ptr(arg->type))
      memcpy(parts_of(l, &op->results[i])->below, parts_of(l, arg)->below, sizeof parts_of(l, arg)->below);
  }
  vec_push(l->context->scratch, &l->dead, op);
}

static bool carries_block(const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (type_is_block_ptr(op->results[i].type)) return true;
  return false;
}

static void lower_op(BlockLowering *l, Op *op) {
  switch ((int)op->kind) {
  case OP_MAKE_BLOCK_PTR: lower_make(l, op); break;
  case OP_ADVANCE: lower_advance(l, op); break;
  case OP_BLOCK_LOAD: lower_load(l, op); break;
  case OP_BLOCK_STORE: lower_store(l, op); break;
  default:
    if (op->region_count && carries_block(op))
      lower_control(l, op);
    else
      for (uint32_t r = 0; r < op->region_count; r++) lower_region(l, op->regions[r]);
    return;
  }
  vec_push(l->context->scratch, &l->dead, op);
}

static void lower_region(BlockLowering *l, Region *region) {
  for (Op *op = region->first, *next; op; op = next) {
    next = op->next;
    lower_op(l, op);
  }
}

typedef struct FoundBlocks {
  bool blocks, layouts; // block pointers are made; tiles accessed through them have layouts
} FoundBlocks;

static void find_blocks(FoundBlocks *found, const Op *op) {
  const Value *tile = op->kind == OP_BLOCK_LOAD ? op_result(op) : op_operand(op, 1);
  if (op->kind == OP_BLOCK_LOAD || op->kind == OP_BLOCK_STORE) found->layouts |= tile->type->layout != NULL;
  found->blocks |= op->kind == OP_MAKE_BLOCK_PTR;
}

bool pass_lower_block_pointers(PassContext *context, Func *func) {
  FoundBlocks found = {false, false};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) find_blocks(&found, w.op);
  if (!found.blocks || found.layouts) return false;
  BlockLowering l = {.context = context, .func = func, .axes = axis_analyse(context->scratch, func)};
  l.parts = ARENA_ARRAY(context->scratch, BlockParts *, func->value_count);
  lower_region(&l, func->body);
  for (uint32_t i = l.dead.n; i-- > 0;) op_erase(l.dead.at[i]);
  return l.dead.n > 0;
}
