// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scale_after_max: finds the maximum of scaled numbers before they are scaled. All are multiplied by one factor.
//
// before  %s = mul %x, splat %c               after  %s = mul %x, splat %c
//         %r = reduce %s (max)                       %e = if %c >= 0 { yield reduce %x (max) }
//         ... sub %s, ...                                 else { yield reduce %x (min) }
//                                                    %r = mul %e, %c
//                                                    ... sub %s, ...
//         %d = if %b { yield %m } else { yield %s }  %d, %f = if %b { yield %m, 1 } else { yield %x, %c }
//         %r = reduce %d (max)                       the same of mul %d, splat %f
//
// needs   overlap_dots' marks, layouts
// keeps   every number, because rounding keeps order. Exception: the factor is infinite, or 0 with infinite elements.
//         Then the maximum may be NaN although some scaled elements are numbers (REASSOCIATES)
// breaks  nothing
// pays    the multiplication and the subtraction of the maximum become one instruction. It saves one multiplication per
//         element. Tensor cores wait for these elements in such loops. The branch is the same for all threads
#include "ir/build.h"
#include "ir/clone.h"
#include "ir/memory/scratch.h"
#include "passes/passes.h"
#include "passes/analysis/overlapped_dots.h"

typedef struct Factored {
  Value *x, *factor; // A tile and a scalar; NULL: the value is no multiple.
} Factored;

typedef struct Factorer {
  PassContext *context;
  Func *func;
  Op *product; // A branch yields its two operands instead.
  bool changed;
} Factorer;

static bool is_maximum(const Op *op) {
  if (op->kind != OP_REDUCE || op->operand_count != 1 || op_scratch(op)) return false;
  const Region *body = op->regions[0];
  const Op *max = body->first;
  return max->kind == OP_MAX && max->next == body->last && op_operand(body->last, 0) == op_result(max) &&
         op_operand(max, 0) != op_operand(max, 1) && !op_operand(max, 0)->def && !op_operand(max, 1)->def &&
         type_is_elem(op_operand(op, 0)->type, ELEM_FP32) && type_is_tile(op_result(op)->type);
}

// --- multiples

static bool is_alike(const Value *tile) {
  double constant;
  return (tile->def && tile->def->kind == OP_SPLAT) || value_float_constant(tile, &constant);
}

// The index of the multiplication's operand that is uniform; 2: none, or the value is no multiple.
static uint32_t factor_index(const Value *value) {
  const Op *op = value->def;
  uint32_t i = op && op->kind == OP_MUL ? 0 : 2;
  while (i < 2 && !is_alike(op_operand(op, i))) i++;
  return i;
}

static Factored factors_of(Builder *b, const Value *value) {
  uint32_t i = factor_index(value);
  if (i == 2) return (Factored){NULL, NULL};
  const Value *tile = op_operand(value->def, i);
  double constant;
  if (!value_float_constant(tile, &constant))
    return (Factored){op_operand(value->def, 1 - i), op_operand(tile->def, 0)};
  return (Factored){op_operand(value->def, 1 - i), build_float(b, type_element(tile->type), constant)};
}

// Returns true if a branch gives the value, and one side yields a multiple or such a branch again.
static bool chooses_product(const Value *value) {
  const Op *op = value->def;
  if (!op || op->kind != OP_IF) return false;
  for (uint32_t side = 0; side < 2; side++) {
    const Value *yielded = op_operand(op->regions[side]->last, value->index);
    if (factor_index(yielded) < 2 || (value_is_within(yielded, op) && chooses_product(yielded))) return true;
  }
  return false;
}

static Factored factor_branch(Factorer *f, Value *value);

// A multiplication that only sides of the branch take is computed in them, and not for the unscaled side.
static void sink_product(Factorer *f, Op *product, const Op *branch) {
  const Use *use = op_result(product)->first_use, *next;
  while (use && (region_holds(branch->regions[0], use->user) || region_holds(branch->regions[1], use->user)))
    use = use->next;
  if (use) return;
  for (use = op_result(product)->first_use; use; use = next) {
    next = use->next;
    Builder b = builder_before(use->user);
    func_number(f->func);
    CloneMap map = clone_map_new(f->context->scratch, f->func);
    op_set_operand(use->user, (uint32_t)(use - use->user->operands), op_result(op_clone(&b, product, &map)));
  }
  op_erase(product);
}

// The side yields the multiplication's tile and, as its last value, the factor. The factor is 1 if the value is no
// multiple.
static void yield_factors(Factorer *f, Op *made, const Op *branch, uint32_t side, uint32_t which) {
  Region *from = branch->regions[side];
  uint32_t count = branch->result_count;
  Op *yield = from->last;
  Value **values = ARENA_ARRAY(f->context->scratch, Value *, count + 1);
  while (from->first != yield) op_move(from->first, made->regions[side], NULL);
  Builder b = builder_at_end(f->func, made->regions[side]);
  b.loc = yield->loc;
  for (uint32_t i = 0; i < count; i++) values[i] = op_operand(yield, i);
  bool chosen = values[which]->def && values[which]->def->region == made->regions[side] &&
                chooses_product(values[which]);
  Factored parts = chosen ? factor_branch(f, values[which]) : factors_of(&b, values[which]);
  values[count] = parts.x ? parts.factor : build_float(&b, type_element(values[which]->type), 1);
  if (parts.x && !chosen) f->product = values[which]->def;
  if (parts.x) values[which] = parts.x;
  build_yield(&b, count + 1, values);
}

// Replaces the branch by one with one more result. The value becomes the tile times the factor, two results, which are
// returned.
static Factored factor_branch(Factorer *f, Value *value) {
  Op *branch = value->def;
  uint32_t count = branch->result_count, which = value->index;
  const Type **types = ARENA_ARRAY(f->context->scratch, const Type *, count + 1);
  Builder b = builder_before(branch);
  for (uint32_t i = 0; i < count; i++) types[i] = branch->results[i].type;
  types[count] = type_element(value->type);
  Op *made = build_if(&b, op_operand(branch, 0), count + 1, types);
  for (uint32_t side = 0; side < 2; side++) yield_factors(f, made, branch, side, which);
  Value *tile = &made->results[which], *factor = &made->results[count];
  Value *product = build_binary(&b, OP_MUL, tile, build(&b, OP_SPLAT, tile->type, factor, NULL, NULL));
  for (uint32_t i = 0; i < count; i++)
    value_replace_uses(&branch->results[i], i == which ? product : &made->results[i]);
  op_erase(branch);
  return (Factored){tile, factor};
}

// --- the maximum

static void yield_extremum(Factorer *f, Region *side, const Op *reduce, Value *x, OpKind kind) {
  Builder b = builder_at_end(f->func, side);
  func_number(f->func);
  CloneMap map = clone_map_new(f->context->scratch, f->func);
  Op *made = op_clone(&b, reduce, &map);
  Value *result = op_result(made);
  op_set_operand(made, 0, x);
  made->regions[0]->first->kind = kind;
  b.loc = reduce->loc;
  build_yield(&b, 1, &result);
}

static void factor_maximum(Factorer *f, Op *reduce) {
  Value *multiples = op_operand(reduce, 0);
  Builder b = builder_before(reduce);
  bool chosen = chooses_product(multiples);
  Factored parts = chosen ? factor_branch(f, multiples) : factors_of(&b, multiples);
  if (!parts.x) return;
  if (chosen && f->product->region == reduce->region) sink_product(f, f->product, parts.x->def);
  const Type *type = op_result(reduce)->type;
  Value *zero = build_float(&b, parts.factor->type, 0);
  Op *branch = build_if(&b, build_binary(&b, OP_GE, parts.factor, zero), 1, &type);
  yield_extremum(f, branch->regions[0], reduce, parts.x, OP_MAX);
  yield_extremum(f, branch->regions[1], reduce, parts.x, OP_MIN);
  Value *factor = build(&b, OP_SPLAT, type, parts.factor, NULL, NULL);
  value_replace_uses(op_result(reduce), build_binary(&b, OP_MUL, op_result(branch), factor));
  diag_remark(f->context->diags, reduce->loc, "scale_after_max",
              "the maximum is taken before the scale factor, and scaled after");
  op_erase(reduce);
  f->changed = true;
}

bool pass_scale_after_max(PassContext *context, Func *func) {
  Factorer f = {.context = context, .func = func};
  const OverlappedLoops marked = overlapped_loops(context->scratch, func);
  for (uint32_t i = 0; i < marked.list.n; i++)
    for (Op *op = marked.list.at[i]->regions[0]->first, *next; op; op = next) {
      next = op->next;
      if (is_maximum(op)) factor_maximum(&f, op);
    }
  return f.changed;
}
