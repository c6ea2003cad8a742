// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds and changes tile IR. Only this file changes use lists. Every operand is in its value's list, once,
// in order of creation.
#include "ir/build.h"

#include "base/fault.h"

static Arena *func_arena(const Func *func) { return func->module->ir->arena; }

Builder builder_at_end(Func *func, Region *region) { return (Builder){.func = func, .region = region}; }

Builder builder_inside(Region *region, Loc loc) {
  return (Builder){.func = region->func, .region = region, .loc = loc};
}

Builder builder_before(Op *op) {
  return (Builder){.func = op->region->func, .region = op->region, .before = op, .loc = op->loc};
}

Builder builder_after(Op *op) {
  return (Builder){.func = op->region->func, .region = op->region, .before = op->next, .loc = op->loc};
}

static void use_link(Use *use, Value *value, Op *user) {
  *use = (Use){.value = value, .user = user, .prev = value->last_use};
  if (value->last_use)
    value->last_use->next = use;
  else
    value->first_use = use;
  value->last_use = use;
}

static void use_unlink(Use *use) {
  if (use->prev)
    use->prev->next = use->next;
  else
    use->value->first_use = use->next;
  if (use->next)
    use->next->prev = use->prev;
  else
    use->value->last_use = use->prev;
  *use = (Use){.user = use->user};
}

// Moves a use to another address; its position in the list stays.
static void use_relocate(const Use *from, Use *to) {
  *to = *from;
  if (to->prev)
    to->prev->next = to;
  else
    to->value->first_use = to;
  if (to->next)
    to->next->prev = to;
  else
    to->value->last_use = to;
}

void op_insert(Op *op, Region *region, Op *before) {
  if (op->region) BUG("%s is inserted already", op_info(op->kind)->name);
  if (before && before->region != region) BUG("the place to insert at is in another region");
  op->region = region;
  op->next = before;
  op->prev = before ? before->prev : region->last;
  if (op->prev)
    op->prev->next = op;
  else
    region->first = op;
  if (before)
    before->prev = op;
  else
    region->last = op;
}

static void op_unlink(Op *op) {
  if (op->prev)
    op->prev->next = op->next;
  else
    op->region->first = op->next;
  if (op->next)
    op->next->prev = op->prev;
  else
    op->region->last = op->prev;
  op->region = NULL;
  op->prev = op->next = NULL;
}

void op_move(Op *op, Region *region, Op *before) {
  if (op == before) return;
  op_unlink(op);
  op_insert(op, region, before);
}

static bool is_later(const Op *op, const Op *place) {
  return op && op != place && op->region == place->region && op->id >= place->id;
}

static bool can_precede(const Op *op, const Op *place, uint32_t *steps) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Op *def = op_operand(op, i)->def;
    if (def == place) return false;
    if (!is_later(def, place)) continue;
    if (*steps == 0 || !op_has(def, PURE) || def->region_count || op_scratch(def)) return false;
    --*steps;
    if (!can_precede(def, place, steps)) return false;
  }
  return true;
}

bool op_can_precede(const Op *op, const Op *place) {
  uint32_t steps = 64; // Expressions share operands, so the search is bounded.
  return can_precede(op, place, &steps);
}

void op_bring_before(Op *op, Op *place) {
  if (!is_later(op, place)) return;
  for (uint32_t i = 0; i < op->operand_count; i++) op_bring_before(op_operand(op, i)->def, place);
  op_move(op, place->region, place);
  op->id = 0;
}

Op *build_op(Builder *b, OpKind kind, uint32_t operand_count, Value *const *operands, uint32_t result_count,
             const Type *const *result_types) {
  Arena *arena = func_arena(b->func);
  Op *op = ARENA_NEW(arena, Op);
  op->kind = kind;
  op->loc = b->loc;
  op->operand_count = operand_count;
  op->operands = ARENA_ARRAY(arena, Use, operand_count);
  for (uint32_t i = 0; i < operand_count; i++) {
    if (!operands[i]) BUG("operand %u of %s is missing", i, op_info(kind)->name);
    use_link(&op->operands[i], operands[i], op);
  }
  op->result_count = result_count;
  op->results = ARENA_ARRAY(arena, Value, result_count);
  for (uint32_t i = 0; i < result_count; i++)
    op->results[i] = (Value){.type = result_types[i], .def = op, .index = i};
  op_insert(op, b->region, b->before);
  return op;
}

Op *build_like(Builder *b, const Op *op, Value *const *operands, const Type *type) {
  b->loc = op->loc;
  Op *made = build_op(b, op->kind, op->operand_count, operands, type != NULL, &type);
  op_copy_attrs(made, op);
  return made;
}

Value *build(Builder *b, OpKind kind, const Type *type, Value *x, Value *y, Value *z) {
  Value *operands[3] = {x, y, z};
  uint32_t n = 0;
  while (n < 3 && operands[n]) n++;
  return op_result(build_op(b, kind, n, operands, 1, &type));
}

Value *build_int(Builder *b, const Type *type, int64_t value) {
  if (type_is_float(type)) return build_float(b, type, (double)value);
  if (!type_is_int(type)) BUG("an integer constant of another type");
  Op *op = build_op(b, OP_CONSTANT, 0, NULL, 1, &type);
  op_set_int(op, ATTR_VALUE, elem_wrap(type_element(type)->elem, value));
  return op_result(op);
}

Value *build_float(Builder *b, const Type *type, double value) {
  if (!type_is_float(type)) BUG("a floating-point constant of another type");
  Op *op = build_op(b, OP_CONSTANT, 0, NULL, 1, &type);
  op_set_attr(op, (Attr){.key = ATTR_FVALUE, .f = elem_round(type_element(type)->elem, value)});
  return op_result(op);
}

Value *build_program_id(Builder *b, OpKind kind, uint32_t axis) {
  const Type *i32 = type_scalar(b->func->module->ir, ELEM_I32);
  Op *op = build_op(b, kind, 0, NULL, 1, &i32);
  op_set_int(op, ATTR_AXIS, axis);
  return op_result(op);
}

Value *build_arange(Builder *b, int64_t start, int64_t end) {
  if (end <= start || end - start > UINT32_MAX)
    BUG("an arange from %lld to %lld", (long long)start, (long long)end);
  IrContext *ir = b->func->module->ir;
  const Type *tile = type_tile(ir, type_scalar(ir, ELEM_I32), 1, &(uint32_t){(uint32_t)(end - start)}, NULL);
  Op *op = build_op(b, OP_ARANGE, 0, NULL, 1, &tile);
  op_set_int(op, ATTR_START, start);
  op_set_int(op, ATTR_END, end);
  return op_result(op);
}

Value *build_splat(Builder *b, Value *scalar, const Type *tile) {
  return build(b, OP_SPLAT, type_with_element(b->func->module->ir, tile, scalar->type), scalar, NULL, NULL);
}

Value *build_binary(Builder *b, OpKind kind, Value *x, Value *y) {
  IrContext *ir = b->func->module->ir;
  bool compares = op_traits[kind] & COMPARE;
  const Type *type = compares ? type_with_element(ir, x->type, type_scalar(ir, ELEM_I1)) : x->type;
  return build(b, kind, type, x, y, NULL);
}

Value *build_with_int(Builder *b, OpKind kind, Value *x, int64_t y) {
  return build_binary(b, kind, x, build_int(b, x->type, y));
}

Value *build_cast(Builder *b, Value *x, const Type *element) {
  if (type_element(x->type) == element) return x;
  return build(b, OP_CAST, type_with_element(b->func->module->ir, x->type, element), x, NULL, NULL);
}

Value *build_load(Builder *b, Value *pointer, Value *mask, Value *other) {
  if (!type_is_ptr(pointer->type)) BUG("a load from no pointer");
  const Type *pointee = type_element(pointer->type)->inner;
  return build(b, OP_LOAD, type_with_element(b->func->module->ir, pointer->type, pointee), pointer, mask,
               other);
}

Op *build_store(Builder *b, Value *pointer, Value *value, Value *mask) {
  return build_op(b, OP_STORE, mask ? 3 : 2, (Value *[]){pointer, value, mask}, 0, NULL);
}

Op *build_for(Builder *b, Value *lower, Value *upper, Value *step, uint32_t init_count, Value *const *init) {
  Arena *arena = func_arena(b->func);
  Value **operands = ARENA_ARRAY(arena, Value *, 3 + (size_t)init_count);
  const Type **types = ARENA_ARRAY(arena, const Type *, init_count);
  operands[0] = lower;
  operands[1] = upper;
  operands[2] = step;
  for (uint32_t i = 0; i < init_count; i++) {
    operands[LOOP_FIRST_INIT + i] = init[i];
    types[i] = init[i]->type;
  }
  Op *op = build_op(b, OP_FOR, LOOP_FIRST_INIT + init_count, operands, init_count, types);
  Region *region = region_new(b->func, op);
  region_add_arg(region, lower->type, NULL);
  for (uint32_t i = 0; i < init_count; i++) region_add_arg(region, types[i], init[i]->name);
  return op;
}

Op *build_if(Builder *b, Value *condition, uint32_t result_count, const Type *const *result_types) {
  Op *op = build_op(b, OP_IF, 1, &condition, result_count, result_types);
  region_new(b->func, op);
  region_new(b->func, op);
  return op;
}

Region *region_new(Func *func, Op *parent) {
  Region *region = ARENA_NEW(func_arena(func), Region);
  region->func = func;
  region->parent = parent;
  if (parent) {
    Region **grown = ARENA_ARRAY(func_arena(func), Region *, parent->region_count + 1);
    if (parent->region_count) memcpy(grown, parent->regions, parent->region_count * sizeof(Region *));
    grown[parent->region_count++] = region;
    parent->regions = grown;
  }
  return region;
}

Value *region_add_arg(Region *region, const Type *type, const char *name) {
  Arena *arena = func_arena(region->func);
  uint32_t n = region->arg_count;
  if ((n & (n - 1)) == 0) { // full: the array's size is the next power of two
    Value **grown = ARENA_ARRAY(arena, Value *, n ? 2 * (size_t)n : 1);
    if (n) memcpy(grown, region->args, n * sizeof(Value *));
    region->args = grown;
  }
  Value *arg = ARENA_NEW(arena, Value);
  *arg = (Value){.type = type, .region = region, .index = n, .name = name};
  region->args[region->arg_count++] = arg;
  return arg;
}

void op_set_operand(Op *op, uint32_t index, Value *value) {
  if (index >= op->operand_count) BUG("%s has no operand %u", op_info(op->kind)->name, index);
  if (op->operands[index].value == value) return;
  use_unlink(&op->operands[index]);
  use_link(&op->operands[index], value, op);
}

void op_add_operand(Op *op, Value *value) {
  Use *grown = ARENA_ARRAY(func_arena(op->region->func), Use, (size_t)op->operand_count + 1);
  for (uint32_t i = 0; i < op->operand_count; i++) use_relocate(&op->operands[i], &grown[i]);
  use_link(&grown[op->operand_count++], value, op);
  op->operands = grown;
}

void value_replace_uses(Value *from, Value *to) {
  if (from == to || !from->first_use) return;
  for (Use *use = from->first_use; use; use = use->next) use->value = to;
  from->first_use->prev = to->last_use;
  if (to->last_use)
    to->last_use->next = from->first_use;
  else
    to->first_use = from->first_use;
  to->last_use = from->last_use;
  from->first_use = from->last_use = NULL;
}

bool value_unused(const Value *value) { return !value->first_use; }

static void drop_operands(Op *op) {
  for (OpWalk w = ops_of(op); ops_next(&w); w.op->operand_count = 0)
    for (uint32_t i = 0; i < w.op->operand_count; i++) use_unlink(&w.op->operands[i]);
}

static void mark_erased(Op *op) {
  for (uint32_t i = 0; i < op->region_count; i++)
    for (Op *inner = op->regions[i]->first; inner; inner = inner->next) mark_erased(inner);
  op->region = NULL;
}

void op_erase(Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (op->results[i].first_use) BUG("erasing %s, whose result %u is used", op_info(op->kind)->name, i);
  drop_operands(op);
  op_unlink(op);
  mark_erased(op);
}

void op_replace_results(Op *op, const Op *with) {
  for (uint32_t i = 0; i < op->result_count; i++) value_take_over(&op->results[i], &with->results[i]);
}

Op *op_in_region(const Op *op, const Region *region) {
  while (op && op->region != region) op = op->region ? op->region->parent : NULL;
  return (Op *)op;
}
