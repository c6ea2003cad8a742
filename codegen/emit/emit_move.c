// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that only move elements: each register of a result is a register of an operand in the same thread.
#include "codegen/emit/emit_move.h"

#include "base/fault.h"
#include "base/integer.h"
#include "codegen/emit/emit.h"

// --- where an element comes from

// The bits of the tile's dimension d in an element number, and the lowest bit's place.
typedef struct Field {
  uint32_t shift, mask; // mask: size - 1
} Field;

static Field field_of(const Type *type, uint32_t d) {
  Field field = {0, type->shape[d] - 1};
  for (uint32_t i = d + 1; i < type->rank; i++) field.shift += log2_of(type->shape[i]);
  return field;
}

static uint32_t coordinate(const Type *type, uint32_t d, uint32_t element) {
  Field field = field_of(type, d);
  return element >> field.shift & field.mask;
}

typedef struct Source {
  uint32_t operand, element;
} Source;

// Maps an element of `to` to an element of `from`, by coordinates. `dims` (NULL: the same) gives the
// dimension of `to` for each one of `from`. `starts` (NULL: zeros) is added. Dimensions of size 1 in `from`
// have only coordinate 0.
static uint32_t element_at(const Type *from, const Type *to, const int64_t *to_dims, const int64_t *starts,
                           uint32_t element) {
  uint32_t index = 0;
  for (uint32_t d = 0; d < to->rank; d++) {
    uint32_t source = to_dims ? (uint32_t)to_dims[d] : d;
    uint32_t at = coordinate(to, d, element) + (starts ? (uint32_t)starts[d] : 0);
    if (from->shape[source] > 1) index |= at << field_of(from, source).shift;
  }
  return index;
}

static Source cat_source(const Op *op, const Type *to, uint32_t element) {
  uint32_t axis = (uint32_t)op_int(op, ATTR_AXIS, 0);
  const Type *a = op_operand(op, 0)->type;
  uint32_t at = coordinate(to, axis, element), second = at >= a->shape[axis];
  int64_t starts[TILE_MAX_RANK] = {0};
  starts[axis] = second ? -(int64_t)a->shape[axis] : 0;
  return (Source){second, element_at(op_operand(op, second)->type, to, NULL, starts, element)};
}

// The source of element `element` of result `result`.
static Source source_of(const Op *op, uint32_t result, uint32_t element) {
  const Type *from = op_operand(op, 0)->type, *to = op->results[result].type;
  switch ((int)op->kind) {
  case OP_BROADCAST: return (Source){0, element_at(from, to, NULL, NULL, element)};
  case OP_TRANS: return (Source){0, element_at(from, to, op_attr(op, ATTR_ORDER)->ints.at, NULL, element)};
  case OP_SLICE: return (Source){0, element_at(from, to, NULL, op_attr(op, ATTR_STARTS)->ints.at, element)};
  case OP_JOIN: return (Source){element & 1, element >> 1};
  case OP_SPLIT: return (Source){0, 2 * element + result};
  case OP_CAT: return cat_source(op, to, element);
  default: return (Source){0, element};
  }
}

// True if the source is the XOR of the sources of the element's bits, and of that of element 0. A slice is
// not affine if adding its start carries.
static bool is_affine(const Op *op) {
  if (op->kind != OP_SLICE) return true;
  const Attr *starts = op_attr(op, ATTR_STARTS);
  const Type *to = op_result(op)->type;
  for (uint32_t d = 0; d < to->rank; d++)
    if ((uint32_t)starts->ints.at[d] & (to->shape[d] - 1)) return false;
  return true;
}

// --- registers by element

// The registers of a thread by the elements that thread 0 holds in them. The lowest register is kept for each
// element.
typedef struct RegisterTable {
  uint32_t *slots; // register + 1; open addressing, power-of-two size
  uint32_t size;
  const Layout *layout;
} RegisterTable;

static uint32_t *register_slot(const RegisterTable *table, uint32_t element) {
  uint32_t i = element * UINT32_C(0x9e3779b1) >> 7 & (table->size - 1);
  while (table->slots[i] && layout_apply(table->layout, table->slots[i] - 1, 0, 0, 0) != element)
    i = (i + 1) & (table->size - 1);
  return &table->slots[i];
}

static RegisterTable table_new(Arena *arena, const Layout *layout) {
  uint32_t registers = layout_registers(layout);
  RegisterTable table = {.size = 2 * registers, .layout = layout};
  table.slots = ARENA_ARRAY(arena, uint32_t, table.size);
  for (uint32_t r = 0; r < registers; r++) {
    uint32_t *slot = register_slot(&table, layout_apply(layout, r, 0, 0, 0));
    if (!*slot) *slot = r + 1;
  }
  return table;
}

void first_registers(Arena *arena, const Layout *layout, uint32_t *first) {
  RegisterTable table = table_new(arena, layout);
  for (uint32_t r = 0; r < layout_registers(layout); r++)
    first[r] = *register_slot(&table, layout_apply(layout, r, 0, 0, 0)) - 1;
}

// --- plans

// True if lanes and warps move the source's element as they move the result's. Then thread 0's result holds
// for all threads.
static bool threads_agree(const Op *op, uint32_t result, const Layout *to, const Layout *from) {
  Source none = source_of(op, result, 0);
  for (int dim = DIM_LANE; dim <= DIM_WARP; dim++)
    for (uint32_t bit = 0; bit < to->bits[dim]; bit++) {
      Source moved = source_of(op, result, layout_basis(to, (LayoutDim)dim, bit));
      if (moved.operand != none.operand) return false;
      if ((moved.element ^ none.element) != layout_basis(from, (LayoutDim)dim, bit)) return false;
    }
  return true;
}

// Checks the source of register r in every thread, one by one.
static bool threads_hold(const Op *op, const Layout *to, uint32_t r, const Layout *from, uint32_t source) {
  uint32_t warps = 1u << to->bits[DIM_WARP];
  for (uint32_t warp = 0; warp < warps; warp++)
    for (uint32_t lane = 0; lane < 1u << LANE_BITS; lane++) {
      Source want = source_of(op, 0, layout_apply(to, r, lane, warp, 0));
      if (want.element != layout_apply(from, source, lane, warp, 0)) return false;
    }
  return true;
}

// A scalar is a tile of one element that every thread holds.
static Layout layout_of(const Type *type, uint32_t warp_bits) {
  if (type_is_tile(type)) return *type->layout;
  return (Layout){.bits = {[DIM_LANE] = LANE_BITS, [DIM_WARP] = (uint8_t)warp_bits}};
}

static uint32_t warp_bits_of(const Op *op) {
  const Type *type = op_operand(op, 0)->type;
  return (type_is_tile(type) ? type : op_result(op)->type)->layout->bits[DIM_WARP];
}

bool plan_moves(Arena *arena, const Op *op, uint32_t result, RegisterMove *moves) {
  uint32_t warp_bits = warp_bits_of(op);
  Layout to = layout_of(op->results[result].type, warp_bits), from[2];
  RegisterTable tables[2];
  bool affine = is_affine(op);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    from[i] = layout_of(op_operand(op, i)->type, warp_bits);
    if (affine && !threads_agree(op, result, &to, &from[i])) return false;
    tables[i] = table_new(arena, &from[i]);
  }
  for (uint32_t r = 0; r < layout_registers(&to); r++) {
    Source source = source_of(op, result, layout_apply(&to, r, 0, 0, 0));
    uint32_t found = *register_slot(&tables[source.operand], source.element);
    if (!found) return false;
    moves[r] = (RegisterMove){source.operand, found - 1};
    if (!affine && !threads_hold(op, &to, r, &from[0], found - 1)) return false;
  }
  return true;
}

bool joins_scalars(const Op *op) { return op->kind == OP_JOIN && !type_is_tile(op_operand(op, 0)->type); }

// Every thread has both scalars, and selects one by its layout.
static void emit_join_scalars(Emitter *e, Op *op) {
  const Layout *layout = op_result(op)->type->layout;
  LLVMValueRef a = emit_register(e, op_operand(op, 0), 0), b = emit_register(e, op_operand(op, 1), 0);
  LLVMValueRef *out = emit_new(e, op_result(op));
  for (uint32_t r = 0; r < layout_registers(layout); r++) {
    LLVMValueRef second = LLVMBuildICmp(e->builder, LLVMIntNE, emit_index(e, layout, r), emit_i32(e, 0), "");
    out[r] = LLVMBuildSelect(e->builder, second, b, a, "");
  }
}

void emit_move(Emitter *e, Op *op) {
  if (joins_scalars(op)) {
    emit_join_scalars(e, op);
    return;
  }
  if (op->kind == OP_SLICE) emit_tmem_slice(e, op);
  for (uint32_t i = 0; i < op->result_count; i++) {
    uint32_t count = emit_count(op->results[i].type);
    RegisterMove *moves = ARENA_ARRAY(e->arena, RegisterMove, count);
    if (!plan_moves(e->arena, op, i, moves))
      BUG("%s moves elements between threads", op_info(op->kind)->name);
    LLVMValueRef *out = emit_new(e, &op->results[i]);
    for (uint32_t r = 0; r < count; r++)
      out[r] = emit_register(e, op_operand(op, moves[r].operand), moves[r].reg);
  }
}
