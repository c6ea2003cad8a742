// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rewriting of propagate_layouts. Ops get their layouts in program order. If an operand has another layout than the
// op works in, it is made again or converted.
//
// The first layout that is asked of a lazy value or a view goes to the op itself. Further layouts go to copies next to
// it. A conversion is placed before the first op that asks for it. But it stays outside every loop that its source is
// outside of, and outside of branches unless all that needs it is in one of them. There it runs least often, and its
// registers live shortest.
#include "ir/build.h"
#include "base/fault.h"
#include "base/integer.h"
#include "passes/layouts/propagate.h"

enum { MAX_STEPS = 4 }; // For values that are made again instead of converted.

static IrContext *context_of(const Propagator *p) { return p->func->module->ir; }

static void set_layout(Propagator *p, Value *value, const Layout *layout) {
  if (!type_is_tile(value->type) || value->type->layout == layout) return;
  value->type = type_with_layout(context_of(p), value->type, layout);
  p->changed = true;
}

static LayoutCopy *find_copy(const Propagator *p, const Value *value, const Layout *layout) {
  LayoutCopy *copy = p->copies[value->id];
  while (copy && copy->layout != layout) copy = copy->next;
  return copy;
}

static LayoutCopy *add_copy(Propagator *p, const Value *value, Value *made) {
  LayoutCopy *copy = ARENA_NEW(p->context->scratch, LayoutCopy);
  *copy = (LayoutCopy){.layout = made->type->layout, .value = made, .next = p->copies[value->id]};
  made->id = value->id;
  p->changed = true;
  return p->copies[value->id] = copy;
}

static Region *region_of(const Value *value) { return value->def ? value->def->region : value->region; }

static void report_conversion(Propagator *p, const Op *user, const Value *value, const Layout *to) {
  Conversion how = layout_conversion(value->type->layout, to);
  if (how != CONVERT_LANES && how != CONVERT_SHARED) return;
  Loc loc = value->def ? value->def->loc : user->loc;
  diag_remark(p->context->diags, loc, "propagate_layouts",
              "a tile of %llu bytes changes its layout %s, for the %s on line %u",
              (unsigned long long)(type_elements(value->type) * type_element_bytes(value->type)),
              how == CONVERT_LANES ? "within warps" : "through shared memory", op_info(user->kind)->name,
              user->loc.line);
}

static Value *converted_for(Propagator *p, Value *value, const Layout *layout, Op *user) {
  Op *before = op_in_region(user, region_of(value));
  LayoutCopy *copy = find_copy(p, value, layout);
  if (copy && copy->before <= before->id) return copy->value;
  if (copy) {
    op_move(copy->value->def, before->region, before);
  } else {
    Builder b = builder_before(before);
    b.loc = value->def ? value->def->loc : before->loc;
    const Type *type = type_with_layout(context_of(p), value->type, layout);
    report_conversion(p, user, value, layout);
    copy = add_copy(p, value, build(&b, OP_CONVERT_LAYOUT, type, value, NULL, NULL));
    copy->value->name = value->name;
  }
  copy->before = before->id;
  return copy->value;
}

static Value *in_layout(Propagator *p, Value *value, const Layout *layout, Op *user);

static const Layout *wanted_of(const Op *op, const Layout *layout) {
  return op_has(op, VIEW) ? flow_view_operand(op, layout) : layout;
}

// Gives the op of a lazy value or a view its layout, and gives its operands the layouts that it needs.
static void settle_on_demand(Propagator *p, Op *op, const Layout *layout) {
  const Layout *wanted = wanted_of(op, layout);
  set_layout(p, op_result(op), layout);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    Value *operand = op_operand(op, i);
    if (type_is_tile(operand->type)) op_set_operand(op, i, in_layout(p, operand, wanted, op));
  }
}

static Value *copy_of(Propagator *p, Value *value, const Layout *layout) {
  Op *from = value->def;
  Builder b = builder_before(from);
  Value *operands[4] = {NULL};
  if (from->operand_count > 4)
    BUG("a lazy %s of %u operands", op_info(from->kind)->name, from->operand_count);
  for (uint32_t i = 0; i < from->operand_count; i++) {
    Value *operand = op_operand(from, i);
    bool tile = type_is_tile(operand->type);
    operands[i] = tile ? in_layout(p, operand, wanted_of(from, layout), from) : operand;
  }
  const Type *type = type_with_layout(context_of(p), value->type, layout);
  Op *op = build_like(&b, from, operands, type);
  op_result(op)->name = value->name;
  return add_copy(p, value, op_result(op))->value;
}

static bool is_made_quickly(const Op *op) {
  return propagate_is_cheap(op) && op_has(op, PURE | ELEMENTWISE) && op->kind != OP_DIV && op->kind != OP_REM;
}

static bool holds_index(const Type *type) {
  const Type *element = type_element(type);
  return element->kind == TYPE_PTR || !elem_is_float(element->elem);
}

// Returns true if converting `part` is less work than converting the value computed from it. It has fewer elements, or
// narrower offsets.
static bool is_smaller(const Type *part, const Type *whole) {
  uint64_t elements = type_elements(part), all = type_elements(whole);
  bool narrower = type_element_bytes(part) < type_element_bytes(whole);
  return elements < all || (elements == all && narrower && holds_index(part) && holds_index(whole));
}

// The cost to make `value`, which `of` is computed from, in another layout. Every part that is not made on demand must
// be smaller. UINT64_MAX: not possible.
static uint64_t cost_of_parts(Propagator *p, Value *value, const Value *of, const Layout *layout,
                              uint32_t steps) {
  value = p->origin[value->id];
  Op *op = value->def;
  const Layout *at = value->type->layout;
  if (p->lazy[value->id] || !type_is_tile(value->type)) return 0;
  if (p->view[value->id])
    return cost_of_parts(p, op_operand(op, 0), of, flow_view_operand(op, layout), steps);
  if (at && is_smaller(value->type, of->type)) return conversion_cost(value->type, at, layout);
  if (steps == 0 || !op || p->done[op->id] || !is_made_quickly(op)) return UINT64_MAX;
  uint64_t cost = layout_registers(layout) * divide_up(type_element_bytes(value->type), 4);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    uint64_t more = cost_of_parts(p, op_operand(op, i), of, layout, steps - 1);
    if (more == UINT64_MAX) return more;
    cost += more;
  }
  return cost;
}

// For example, a mask of rows and columns is made again from the row and column masks, which are smaller to convert. A
// 64-bit index that was loaded as 32 bits is widened again.
static bool is_made_again(Propagator *p, Value *value, const Layout *layout, const Op *user) {
  if (user->kind == OP_DOT) return false; // promote_shared must see the conversion next to a dot.
  uint64_t made = cost_of_parts(p, value, value, layout, MAX_STEPS);
  return made < conversion_cost(value->type, value->type->layout, layout);
}

static Value *in_layout(Propagator *p, Value *value, const Layout *layout, Op *user) {
  value = p->origin[value->id];
  if (value->type->layout == layout) return value;
  if (!propagate_on_demand(p, value) &&
      (find_copy(p, value, layout) || !is_made_again(p, value, layout, user)))
    return converted_for(p, value, layout, user);
  if (!value->type->layout) {
    settle_on_demand(p, value->def, layout);
    return value;
  }
  LayoutCopy *copy = find_copy(p, value, layout);
  return copy ? copy->value : copy_of(p, value, layout);
}

// --- ops in program order

static const Layout *home_of(Propagator *p, uint32_t node) { return p->home[propagate_root(p, node)]; }

// If a dot's operand is the transpose of a tile with a home, it is transposed there and then converted. promote_shared
// must see the conversion next to the dot.
static Value *transposed_first(Propagator *p, Value *operand, const Layout *layout, Op *user) {
  const Value *source = propagate_source(p, operand);
  if (!operand->def || operand->def->kind != OP_TRANS || source == operand || !source->type->layout)
    return NULL;
  const Layout *home = propagate_forward(p, operand, source->type->layout);
  if (!home || layout_conversion(home, layout) < CONVERT_LANES) return NULL;
  return converted_for(p, in_layout(p, operand, home, user), layout, user);
}

static void settle_operand(Propagator *p, Op *op, uint32_t i, const Layout *layout) {
  Value *operand = op_operand(op, i);
  if (!type_is_tile(operand->type)) return;
  Value *source = propagate_source(p, operand);
  if (!layout && operand->type->layout) return; // Keeps its layout.
  if (!layout && source != operand) layout = propagate_forward(p, operand, source->type->layout);
  if (!layout) layout = flow_default(op->region, operand->type);
  Value *value = op->kind == OP_DOT && i < 2 ? transposed_first(p, operand, layout, op) : NULL;
  op_set_operand(op, i, value ? value : in_layout(p, operand, layout, op));
}

static void give_home(Propagator *p, Value *value) {
  if (!type_is_tile(value->type) || value->type->layout) return;
  const Layout *home = home_of(p, value->id);
  set_layout(p, value, home ? home : flow_default(value_region(value), value->type));
}

// Each thread takes both elements of a pair. The op's results are scalars, so it has no layout itself.
static bool splits_pair(const Op *op) { return op->kind == OP_SPLIT && !type_is_tile(op_result(op)->type); }

static void rewrite_op(Propagator *p, Op *op) {
  int32_t access = p->access_of[op->id];
  const Layout *layout = access >= 0 ? p->accesses.at[access].layout : home_of(p, propagate_node(p, op));
  for (uint32_t i = 0; i < op->operand_count; i++)
    settle_operand(p, op, i, layout || splits_pair(op) ? flow_operand(op, i, layout) : NULL);
  for (uint32_t i = 0; i < op->result_count; i++) {
    const Layout *given = layout ? flow_result(op, i, layout) : NULL;
    if (given && !op->results[i].type->layout)
      set_layout(p, &op->results[i], given);
    else
      give_home(p, &op->results[i]);
  }
}

static void rewrite_yield(Propagator *p, Op *yield) {
  for (uint32_t i = 0; i < yield->operand_count; i++) {
    const Value *to = flow_target(&yield->operands[i], 0);
    if (to) settle_operand(p, yield, i, to->type->layout);
  }
}

static void rewrite_region(Propagator *p, Region *region);

static void rewrite_inner(Propagator *p, Op *op) {
  for (uint32_t r = 0; op_has(op, FLOW) && r < op->region_count; r++) rewrite_region(p, op->regions[r]);
}

static void rewrite_control(Propagator *p, Op *op) {
  uint32_t first = op->kind == OP_FOR ? LOOP_FIRST_INIT : 0;
  for (uint32_t i = 0; i < op->result_count; i++) {
    give_home(p, &op->results[i]);
    if (op->kind != OP_IF) settle_operand(p, op, first + i, op->results[i].type->layout);
  }
  for (uint32_t r = 0; r < op->region_count; r++)
    for (uint32_t i = 0; i < op->regions[r]->arg_count; i++) give_home(p, op->regions[r]->args[i]);
  rewrite_inner(p, op);
}

static void rewrite_region(Propagator *p, Region *region) {
  for (Op *op = region->first, *next; op; op = next) {
    next = op->next;
    if (p->done[op->id])
      rewrite_inner(p, op);
    else if (op_has(op, FLOW))
      rewrite_control(p, op);
    else if (op->kind == OP_YIELD && op->region->parent)
      rewrite_yield(p, op);
    else if (!(op->result_count == 1 && propagate_on_demand(p, op_result(op))))
      rewrite_op(p, op);
  }
}

// Values that nothing uses get a layout too.
static void finish_values(Propagator *p) {
  for (OpWalk w = ops_in(p->func->body); ops_next(&w);)
    for (uint32_t i = 0; i < w.op->result_count; i++) {
      Value *value = &w.op->results[i];
      if (!type_is_tile(value->type) || value->type->layout) continue;
      const Value *source = propagate_source(p, value);
      const Layout *layout = source != value ? propagate_forward(p, value, source->type->layout) : NULL;
      in_layout(p, value, layout ? layout : flow_default(w.op->region, value->type), w.op);
    }
}

// The branch that has all users of the op's result; NULL: none has.
static const Region *branch_of_users(const Op *op) {
  const Region *branch = NULL;
  for (const Use *use = op_result(op)->first_use; use; use = use->next) {
    const Op *outer = op_in_region(use->user, op->region);
    if (outer == use->user || outer->kind != OP_IF || use->user->kind == OP_DOT) return NULL;
    const Region *taken = op_in_region(use->user, outer->regions[0]) ? outer->regions[0] : outer->regions[1];
    if (branch && branch != taken) return NULL;
    branch = taken;
  }
  return branch;
}

// A conversion that only one branch needs moves there.
static void sink_conversions(Region *region) {
  for (Op *op = region->first, *next; op; op = next) {
    next = op->next;
    for (uint32_t r = 0; r < op->region_count; r++) sink_conversions(op->regions[r]);
    const Region *branch = op->kind == OP_CONVERT_LAYOUT ? branch_of_users(op) : NULL;
    Op *user = branch ? value_first_user(op_result(op), branch) : NULL;
    if (user) op_move(op, user->region, user);
  }
}

void propagate_rewrite(Propagator *p) {
  rewrite_region(p, p->func->body);
  finish_values(p);
  sink_conversions(p->func->body);
}
