// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axis analysis. axis_info.h defines its facts.
//
// Wrapping. All facts hold modulo 2^width, so wrapping arithmetic keeps them. Widening alone does not: a run may wrap
// in i32 and not in 64 bits. But take a run of 2^k consecutive values whose first is divisible by 2^k. Its values
// differ only in the low k bits, so it does not cross a wrap. Hence contiguity survives a widening, a comparison or a
// division only up to the divisibility. So pid * BLOCK + arange(0, BLOCK) works for every pid if BLOCK is a power of
// two. We assume nothing about the size of offsets.
//
// There is one assumption. A pointer of unknown origin (a parameter, loaded or cast) is aligned as its pointee's type
// requires.
//
// Loops. Loop-carried values start from the initial values. Yielded values weaken them. We repeat whole rounds over the
// function until nothing changes. Each number only falls. After MAX_ROUNDS we give up the values that still change, so
// the time is bounded.
#include "passes/analysis/axis_info.h"
#include "base/integer.h"
#include "passes/analysis/axis_bounds.h"
#include "passes/analysis/axis_rules.h"
#include "ir/queries.h"

enum { MAX_ROUNDS = 16, SECTOR_BYTES = 32 };

struct AxisTable {
  AxisInfo *infos; // by value id
  bool *reached;   // By value id: has an info in this analysis.
  bool changed, give_up;
};

static const Type *element_of(const Value *value) { return type_element(value->type); }
static bool is_integer(const Value *value) { return type_is_int(value->type); }

const AxisInfo *axis_info(const AxisTable *table, const Value *value) { return &table->infos[value->id]; }

uint64_t axis_divisor(const AxisTable *table, const Value *value, uint32_t dim, uint64_t run) {
  return axis_divisor_at(axis_info(table, value), axis_step(value), dim, run);
}

// Indices that count upwards from a multiple of the run do not wrap within the run.
static bool counts_up(const AxisTable *table, const Value *index, uint32_t dim, uint64_t run) {
  const AxisInfo *info = axis_info(table, index);
  return type_is_int(index->type) && type_element_bytes(index->type) >= 4 && info->contiguity[dim] >= run &&
         info->divisibility[dim] >= run;
}

bool axis_falls(const AxisTable *table, const Value *mask, uint32_t dim, uint64_t run) {
  const Op *op = mask->def;
  if (axis_info(table, mask)->constancy[dim] >= run) return true;
  if (!op || op->operand_count == 0) return false;
  const Value *x = op_operand(op, 0), *y = op->operand_count == 2 ? op_operand(op, 1) : NULL;
  switch ((int)op->kind) {
  case OP_BROADCAST: return x->type->shape[dim] == mask->type->shape[dim] && axis_falls(table, x, dim, run);
  case OP_EXPAND_DIMS: return axis_falls(table, x, dim - (dim > (uint32_t)op_int(op, ATTR_AXIS, 0)), run);
  case OP_AND: return axis_falls(table, x, dim, run) && axis_falls(table, y, dim, run);
  default: break;
  }
  if (!op_orders(op)) return false;
  bool up = comparison_holds(op->kind, -1);
  const Value *counts = up ? x : y, *bound = up ? y : x;
  return counts_up(table, counts, dim, run) && axis_info(table, bound)->constancy[dim] >= run;
}

// The facts that hold for both: the shorter contiguity, and the divisor of both runs' first values.
static AxisInfo meet_infos(const AxisInfo *a, const AxisInfo *b, uint64_t step) {
  AxisInfo info = *a;
  for (uint32_t d = 0; d < TILE_MAX_RANK; d++) {
    uint64_t run = info.contiguity[d] = min_u64(a->contiguity[d], b->contiguity[d]);
    info.divisibility[d] = min_u64(axis_divisor_at(a, step, d, run), axis_divisor_at(b, step, d, run));
    info.constancy[d] = min_u64(a->constancy[d], b->constancy[d]);
  }
  info.nonnegative = a->nonnegative && b->nonnegative;
  info.natural = a->natural && b->natural;
  info.known = a->known && b->known && a->constant == b->constant;
  info.constant = info.known ? a->constant : 0;
  info.most = max_u64(a->most, b->most);
  return info;
}

static bool same_info(const AxisInfo *a, const AxisInfo *b) {
  for (uint32_t d = 0; d < TILE_MAX_RANK; d++)
    if (a->contiguity[d] != b->contiguity[d] || a->divisibility[d] != b->divisibility[d] ||
        a->constancy[d] != b->constancy[d])
      return false;
  return a->nonnegative == b->nonnegative && a->natural == b->natural && a->known == b->known &&
         a->constant == b->constant && a->most == b->most;
}

// Weakens the facts about `value` by one more incoming value.
static void flow_into(AxisTable *table, const Value *value, const AxisInfo *incoming) {
  AxisInfo *info = &table->infos[value->id];
  AxisInfo met = table->reached[value->id] ? meet_infos(info, incoming, axis_step(value)) : *incoming;
  // A bound that grows from round to round is set to the type's limit at once.
  if (table->reached[value->id] && met.most > info->most && is_integer(value))
    met.most = axis_greatest(element_of(value));
  if (table->reached[value->id] && same_info(&met, info)) return;
  table->changed |= table->reached[value->id];
  *info = table->reached[value->id] && table->give_up ? axis_nothing_known(value) : met;
  table->reached[value->id] = true;
}

static void flow_value(AxisTable *table, const Value *to, const Value *from) {
  AxisInfo incoming = *axis_info(table, from);
  flow_into(table, to, &incoming);
}

// i is lower + k step.
static void flow_induction(AxisTable *table, const Op *op) {
  const Value *i = op->regions[0]->args[0];
  const AxisInfo *lower = axis_info(table, op_operand(op, 0)), *upper = axis_info(table, op_operand(op, 1)),
                 *step = axis_info(table, op_operand(op, 2));
  AxisInfo info = axis_nothing_known(i);
  info.divisibility[0] = min_u64(lower->divisibility[0], step->divisibility[0]);
  bool by_one = step->known && step->constant == 1; // Other steps may jump over the upper bound and wrap.
  bool is_unsigned = !elem_is_signed(element_of(i)->elem), upwards = lower->nonnegative && step->nonnegative;
  bool bounded = upper->nonnegative && upper->most > 0; // True within the body.
  uint64_t limit = axis_greatest(element_of(i)), last = bounded ? upper->most - 1 : limit;
  bool stops = by_one || (step->most <= limit && last <= limit - step->most);
  if (lower->known && step->known && step->constant > 0 && upwards && last >= (uint64_t)lower->constant)
    last -= (last - (uint64_t)lower->constant) % (uint64_t)step->constant;
  info.nonnegative = is_unsigned || (upwards && stops);
  info.natural = is_unsigned || (lower->natural && step->natural);
  if (upwards && stops) info.most = last;
  flow_into(table, i, &info);
}

static void visit_region(AxisTable *table, const Region *region);

// Loops and branches: what they and their regions' yields hand on.
static void flow_operands(AxisTable *table, const Op *op) {
  const Value *to;
  for (const Use *use = op->operands; use < op->operands + op->operand_count; use++)
    for (uint32_t n = 0; (to = flow_target(use, n)); n++) flow_value(table, to, use->value);
}

static AxisInfo of_any(const Value *value) {
  AxisInfo info = axis_nothing_known(value);
  info.nonnegative = info.natural = is_integer(value) && !elem_is_signed(element_of(value)->elem);
  return info;
}

// Ops that apply a function to elements: nothing is known about its arguments and results.
static void visit_function(AxisTable *table, const Op *op) {
  for (uint32_t r = 0; r < op->region_count; r++) {
    for (uint32_t i = 0; i < op->regions[r]->arg_count; i++)
      table->infos[op->regions[r]->args[i]->id] = of_any(op->regions[r]->args[i]);
    visit_region(table, op->regions[r]);
  }
  for (uint32_t i = 0; i < op->result_count; i++) table->infos[op->results[i].id] = of_any(&op->results[i]);
}

static void visit_op(AxisTable *table, const Op *op) {
  if (op->region_count && !op_has(op, FLOW)) {
    visit_function(table, op);
    return;
  }
  if (op->kind == OP_FOR) flow_induction(table, op);
  if (op_hands_on(op)) flow_operands(table, op);
  for (uint32_t r = 0; r < op->region_count; r++) visit_region(table, op->regions[r]);
  for (uint32_t i = 0; op->region_count == 0 && i < op->result_count; i++)
    table->infos[op->results[i].id] = axis_of_result(table, op, &op->results[i]);
}

static void visit_region(AxisTable *table, const Region *region) {
  for (const Op *op = region->first; op; op = op->next) visit_op(table, op);
}

static AxisInfo of_param(const FuncParam *param, const Value *arg) {
  if (param->facts.equal1 && is_integer(arg)) return axis_of_constant(arg, 1);
  AxisInfo info = axis_nothing_known(arg);
  for (uint32_t d = 0; param->facts.divisible16 && d < TILE_MAX_RANK; d++)
    info.divisibility[d] = max_u64(16, info.divisibility[d]);
  info.nonnegative = info.natural = is_integer(arg) && !elem_is_signed(element_of(arg)->elem);
  return info;
}

const AxisTable *axis_analyse(Arena *arena, Func *func) {
  func_number(func);
  AxisTable *table = ARENA_NEW(arena, AxisTable);
  table->infos = ARENA_ARRAY(arena, AxisInfo, func->value_count);
  table->reached = ARENA_ARRAY(arena, bool, func->value_count);
  for (uint32_t i = 0; i < func->param_count; i++)
    table->infos[func->body->args[i]->id] = of_param(&func->params[i], func->body->args[i]);
  uint32_t round = 0;
  do {
    table->changed = false;
    table->give_up = round++ >= MAX_ROUNDS;
    visit_region(table, func->body);
  } while (table->changed);
  return table;
}

// Sort key. First known strides, then strides with a known lower bound, then unknown strides. Known strides of 0 come
// last.
static int kind_of(AxisStride stride) {
  if (stride.known) return stride.at ? 0 : 3;
  return stride.at == AXIS_ANYWHERE ? 2 : 1;
}

static uint64_t size_of(AxisStride stride) {
  return stride.at < 0 ? -(uint64_t)stride.at : (uint64_t)stride.at;
}

// Orders two dimensions with equally long runs. If both strides are a sector or more and equal, each element is in its
// own sector either way. Then lanes take rows, so that a thread has fewer rows and fewer row masks. The same holds if
// both are at least a sector and neither is known to be shorter. We compare their known divisors and their number of
// unknown factors.
static bool comes_before(AxisStride stride, AxisStride later) {
  int kind = kind_of(stride);
  uint64_t far = size_of(stride), later_far = size_of(later);
  if (kind != kind_of(later)) return kind < kind_of(later);
  if (far < SECTOR_BYTES || later_far < SECTOR_BYTES || kind > 1) return far < later_far;
  return far <= later_far || (kind == 1 && stride.factors <= later.factors);
}

void axis_order(const AxisTable *table, const Value *value, uint32_t order[TILE_MAX_RANK]) {
  const uint64_t *run = axis_info(table, value)->contiguity;
  uint32_t rank = type_is_tile(value->type) ? value->type->rank : 1;
  AxisStride far[TILE_MAX_RANK];
  for (uint32_t i = 0; i < rank; i++) {
    uint32_t d = rank - 1 - i, at = i;
    far[d] = rank > 1 ? axis_stride(table, value, d) : (AxisStride){0};
    for (; at > 0; at--) {
      uint32_t before = order[at - 1];
      if (run[before] > run[d] || (run[before] == run[d] && !comes_before(far[d], far[before]))) break;
      order[at] = before;
    }
    order[at] = d;
  }
}
