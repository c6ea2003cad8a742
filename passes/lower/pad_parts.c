// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers shared by the rules of pad_tiles. pad_tiles.h describes each.
#include "passes/lower/pad_tiles.h"

enum { MAX_LOOKED_AT = 256 }; // values that a mask is computed from

// --- sizes

const Type *pad_type(IrContext *ir, const Type *type) {
  uint32_t shape[TILE_MAX_RANK];
  if (!type_is_tile(type) || type->layout || type_sizes_are_powers(type)) return type;
  for (uint32_t d = 0; d < type->rank; d++) shape[d] = pad_size(type->shape[d]);
  return type_tile(ir, type_element(type), type->rank, shape, NULL);
}

static const PadEntry *entry_of(const Padding *p, const Value *value) {
  bool known = value->id < p->entries.n && p->entries.at[value->id].value == value;
  return known ? &p->entries.at[value->id] : NULL;
}

const Type *pad_written(const Padding *p, const Value *value) {
  const PadEntry *entry = entry_of(p, value);
  return entry ? entry->type : value->type;
}

void pad_replace(Padding *p, Value *from, Value *to) {
  const Type *written = pad_written(p, from);
  value_replace_uses(from, to);
  if (!to->name) to->name = from->name;
  if (pad_written(p, to) == written) return;
  to->id = p->entries.n;
  vec_push(p->context->scratch, &p->entries, ((PadEntry){to, written, NULL}));
}

void pad_scatter(Padding *p, const Value *value, Value *inside) { p->entries.at[value->id].inside = inside; }

// --- values

static bool is_tile_of_numbers(const Value *x) { return type_element(x->type)->kind == TYPE_SCALAR; }

Value *pad_index(Builder *b, const Value *like, uint32_t dim) {
  return tile_along(b, build_arange(b, 0, like->type->shape[dim]), dim, like->type->rank, like->type->shape);
}

static Value *inside_along(Builder *b, const Value *like, uint32_t dim, uint32_t size) {
  Value *i = build_arange(b, 0, like->type->shape[dim]);
  Value *inside = build_with_int(b, OP_LT, i, size);
  return tile_along(b, inside, dim, like->type->rank, like->type->shape);
}

Value *pad_inside(const Padding *p, Builder *b, const Value *like, int32_t dim) {
  const Type *written = pad_written(p, like);
  Value *inside = entry_of(p, like) ? entry_of(p, like)->inside : NULL;
  if (inside) return inside;
  for (uint32_t d = 0; d < like->type->rank; d++) {
    if ((dim != PAD_ALL && d != (uint32_t)dim) || !pad_along(p, like, d)) continue;
    Value *along = inside_along(b, like, d, written->shape[d]);
    inside = inside ? build_binary(b, OP_AND, inside, along) : along;
  }
  return inside;
}

Value *pad_fill(const Padding *p, Builder *b, Value *x, int32_t dim, Value *fill) {
  Value *inside = pad_inside(p, b, x, dim);
  return inside ? build(b, OP_SELECT, x->type, inside, x, fill) : x;
}

Value *pad_zeros(Builder *b, const Value *x) {
  return type_is_float(x->type) ? build_float(b, x->type, 0) : build_int(b, x->type, 0);
}

Value *pad_repeat(const Padding *p, Builder *b, Value *x) {
  const Type *written = pad_written(p, x);
  for (uint32_t d = 0; d < written->rank; d++) {
    if (written->shape[d] == x->type->shape[d]) continue;
    Value *i = pad_index(b, x, d);
    x = build_gather(b, x, build_with_int(b, OP_MIN, i, written->shape[d] - 1), d);
  }
  return x;
}

// True if the value is the same everywhere, so that the padding has that value too.
static bool is_uniform(const Value *value) {
  while (value->def && (value->def->kind == OP_BROADCAST || value->def->kind == OP_EXPAND_DIMS) &&
         type_elements(op_operand(value->def, 0)->type) > 1)
    value = op_operand(value->def, 0);
  return value_uniform(value);
}

// True if the value is computed only from indices and scalars. It is then defined in the padding too.
static bool is_defined(const Value *value, uint32_t *left) {
  const Op *op = value->def;
  if (!type_is_tile(value->type)) return true;
  if (!op || *left == 0) return false;
  --*left;
  bool shape = op_has(op, SPREADS) || op->kind == OP_TRANS;
  bool divides = op->kind == OP_DIV || op->kind == OP_REM;
  if (op->kind == OP_CONSTANT || op->kind == OP_ARANGE) return true;
  if (!shape && !op_has(op, PURE | ELEMENTWISE)) return false;
  if (divides && !is_uniform(op_operand(op, 1))) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!is_defined(op_operand(op, i), left)) return false;
  return true;
}

// A mask computed from data may be undefined in the padding. There it is replaced by false.
Value *pad_mask(const Padding *p, Builder *b, Value *mask, const Value *like) {
  Value *inside = pad_inside(p, b, like, PAD_ALL);
  uint32_t left = MAX_LOOKED_AT;
  if (!mask || !inside) return inside ? inside : mask;
  if (is_defined(mask, &left)) return build_binary(b, OP_AND, mask, inside);
  const Type *type = type_with_element(b->func->module->ir, mask->type, builder_scalar(b, ELEM_I1));
  return build(b, OP_SELECT, type, inside, mask, build_int(b, type, 0));
}

static bool is_zero_shape(const Padding *p, const Op *op, uint32_t dim) {
  const Value *x = op_operand(op, 0);
  uint32_t axis = (uint32_t)op_int(op, ATTR_AXIS, 0);
  if (op_has(op, CONVERTS)) return pad_is_zero(p, x, dim);
  switch ((int)op->kind) {
  case OP_TMA_MARK: return pad_is_zero(p, x, dim);
  case OP_TRANS: return pad_is_zero(p, x, (uint32_t)op_attr(op, ATTR_ORDER)->ints.at[dim]);
  case OP_EXPAND_DIMS: return dim != axis && pad_is_zero(p, x, dim - (dim > axis));
  case OP_BROADCAST: return x->type->shape[dim] == op_result(op)->type->shape[dim] && pad_is_zero(p, x, dim);
  default: return false;
  }
}

// Gives a masked load zeros where the mask is false. At least the padding is masked.
static void give_zeros(Op *load) {
  Builder b = builder_before(load);
  op_add_operand(load, pad_zeros(&b, op_result(load)));
}

bool pad_is_zero(const Padding *p, const Value *x, uint32_t dim) {
  Op *op = x->def;
  if (!pad_along(p, x, dim) || value_is_zero(x)) return true;
  if (!op || !is_tile_of_numbers(x)) return false;
  if (op->kind != OP_LOAD) return is_zero_shape(p, op, dim);
  if (!op_input(op, 2)) give_zeros(op);
  return value_is_zero(op_input(op, 2));
}
