// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// merge_branches: does once what both branches of an `if` do. Two loads of the same addresses, in a loop:
//
// ```
// before  %x = if %c then {                    after  %n = xor %c, true
//           %a = load %p, %m, %o                      %s = splat %n
//           yield %a                                  %k = or %m, %s
//         } else {                                    %x = load %p, %k, %o
//           %b = load %p
//           yield %b
//         }
// ```
//
// The same computation from smaller operands, at the end of both:
//
// ```
// before  %p = if %c then {                     after  %s, %t = if %c then {
//           %s1 = splat %a                               yield %a, %r
//           %t1 = broadcast %r                         } else {
//           %p1 = addptr %s1, %t1                        yield %b, %q
//           yield %p1                                  }
//         } else {                                     %s1 = splat %s
//           %s2 = splat %b                             %t1 = broadcast %t
//           %t2 = broadcast %q                         %p = addptr %s1, %t1
//           %p2 = addptr %s2, %t2
//           yield %p2
//         }
// ```
//
// needs   valid IR
// keeps   every value, how often each is computed, and which addresses are read
// breaks  nothing
//
// pays    A load in a branch waits where it is. The loop's next load is not issued before it, neither as a copy nor
//         otherwise. The branch saves only predicates. The mask must leave accesses as wide as they are without it.
//
//         A tile of pointers that an `if` yields takes a 64-bit register per element. All are live in every thread at
//         the same time. The tile's operands are only a scalar and a row. Sizes are in bytes of whole tiles, since there
//         are no layouts yet.
#include "base/integer.h"
#include "ir/build.h"
#include "passes/analysis/axis_info.h"
#include "passes/passes.h"

enum { ACCESS_BYTES = 16, FEW_OPS = 8 };

typedef struct LoadMerger {
  PassContext *context;
  const AxisTable *axes;
  VEC(Op *)
  found; // the analysis covers only values that existed when it ran, so all merges are decided first
} LoadMerger;

// The only load of the region. The other ops must be few and pure, so that they can be computed anywhere. NULL if the
// region is anything else.
static Op *only_load(const Region *region) {
  const Op *yield = region->last;
  Op *load = yield->operand_count == 1 ? op_operand(yield, 0)->def : NULL;
  uint32_t others = 0;
  if (!load || load->kind != OP_LOAD || load->region != region || load->attrs.n) return NULL;
  for (const Op *op = region->first; op != yield; op = op->next)
    if (op != load && (!op_has(op, PURE) || op->region_count || ++others > FEW_OPS)) return NULL;
  return load;
}

// True if accesses under the mask are as wide as accesses without one.
static bool is_as_wide(const LoadMerger *m, const Value *pointers, const Value *mask) {
  uint32_t order[TILE_MAX_RANK];
  axis_order(m->axes, pointers, order);
  uint64_t most = ACCESS_BYTES / type_element_bytes(type_element(pointers->type)->inner);
  uint64_t run = min_u64(most, axis_info(m->axes, pointers)->contiguity[order[0]]);
  return axis_info(m->axes, mask)->constancy[order[0]] >= run;
}

// The branch of the `if` that reads under a mask what the other branch reads without one. -1 if the `if` is not like
// that.
static int masked_branch(const Op *op) {
  const Op *loads[2];
  if (op->kind != OP_IF || op->result_count != 1 || !type_is_tile(op_result(op)->type)) return -1;
  for (uint32_t i = 0; i < 2; i++)
    if (!(loads[i] = only_load(op->regions[i]))) return -1;
  if (op_operand(loads[0], 0) != op_operand(loads[1], 0)) return -1;
  bool masked[2] = {op_operand(loads[0], 1) != NULL, op_operand(loads[1], 1) != NULL};
  return masked[0] == masked[1] ? -1 : masked[1];
}

// Keeps only the candidates whose mask leaves accesses as wide as before.
static void keep_wide(LoadMerger *m) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < m->found.n; i++) {
    Op *op = m->found.at[i];
    const Op *load = only_load(op->regions[masked_branch(op)]);
    if (is_as_wide(m, op_operand(load, 0), op_operand(load, 1))) m->found.at[kept++] = op;
  }
  m->found.n = kept;
}

static void merge(LoadMerger *m, Op *op) {
  int branch = masked_branch(op);
  Region *region = op->regions[branch];
  while (region->first != region->last) op_move(region->first, op->region, op);
  Op *load = op_operand(region->last, 0)->def;
  Builder b = builder_before(load);
  Value *everywhere = op_operand(op, 0), *mask = op_operand(load, 1);
  if (branch == 0) everywhere = build_with_int(&b, OP_XOR, everywhere, 1);
  everywhere = build_splat(&b, everywhere, mask->type);
  op_set_operand(load, 1, build_binary(&b, OP_OR, mask, everywhere));
  value_replace_uses(op_result(op), op_result(load));
  op_erase(op);
  diag_remark(m->context->diags, load->loc, "merge_branches",
              "a masked and an unmasked load of the same addresses become one load");
}

static bool merge_loads(PassContext *context, Func *func) {
  LoadMerger m = {.context = context};
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (masked_branch(w.op) >= 0 && op_enclosing_loop(w.op)) vec_push(context->scratch, &m.found, w.op);
  if (m.found.n == 0) return false;
  m.axes = axis_analyse(context->scratch, func);
  keep_wide(&m);
  for (uint32_t i = 0; i < m.found.n; i++) merge(&m, m.found.at[i]);
  return m.found.n > 0;
}

// --- computation at the end

enum { MAX_VISITS = 8 }; // steps from a result of the `if` back to the value that is yielded instead

// Two values, one of each branch, that become one value.
typedef struct Pair {
  Value *then, *otherwise;
} Pair;

typedef struct TailMerger {
  PassContext *context;
  Func *func;
  const Region *branches[2];
  Op *fresh;         // the `if` that replaces the old one
  VEC(Pair) yielded; // by the new `if`
  bool changed;
} TailMerger;

// True if one op after the branches can replace these two.
static bool is_same_step(const TailMerger *m, Pair pair) {
  const Op *a = pair.then->def, *b = pair.otherwise->def;
  if (!a || !b || a->region != m->branches[0] || b->region != m->branches[1]) return false;
  if (a->kind != b->kind || !op_has(a, PURE) || a->region_count || a->result_count != 1) return false;
  if (pair.then->type != pair.otherwise->type || a->operand_count != b->operand_count) return false;
  for (uint32_t i = 0; i < a->operand_count; i++)
    if (op_operand(a, i)->type != op_operand(b, i)->type) return false;
  return op_same_attrs(a, b);
}

static Pair operands_of(Pair pair, uint32_t index) {
  return (Pair){op_operand(pair.then->def, index), op_operand(pair.otherwise->def, index)};
}

// A scalar counts as one byte, so that no scalar is computed after the branches for its own sake.
static uint64_t bytes_of(const Type *type) {
  return type_is_tile(type) ? type_elements(type) * type_element_bytes(type) : 1;
}

static uint64_t least_bytes(const TailMerger *m, Pair pair, uint32_t steps);

// Bytes that the branches yield for the operands of the pair.
static uint64_t bytes_of_operands(const TailMerger *m, Pair pair, uint32_t steps) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < pair.then->def->operand_count; i++)
    bytes += least_bytes(m, operands_of(pair, i), steps);
  return bytes;
}

// The fewest bytes that the branches can yield so that the pair's value can be computed after them.
static uint64_t least_bytes(const TailMerger *m, Pair pair, uint32_t steps) {
  if (pair.then == pair.otherwise) return 0;
  uint64_t own = bytes_of(pair.then->type);
  return steps > 0 && is_same_step(m, pair) ? min_u64(own, bytes_of_operands(m, pair, steps - 1)) : own;
}

// True if the branches yield the operands instead of the pair.
static bool is_merged(const TailMerger *m, Pair pair, uint32_t steps) {
  return steps > 0 && pair.then != pair.otherwise && is_same_step(m, pair) &&
         bytes_of_operands(m, pair, steps - 1) < bytes_of(pair.then->type);
}

static uint32_t find_yielded(const TailMerger *m, Pair pair) {
  uint32_t i = 0;
  while (i < m->yielded.n &&
         (m->yielded.at[i].then != pair.then || m->yielded.at[i].otherwise != pair.otherwise))
    i++;
  return i;
}

static void collect_yielded(TailMerger *m, Pair pair, uint32_t steps) {
  if (is_merged(m, pair, steps)) {
    for (uint32_t i = 0; i < pair.then->def->operand_count; i++)
      collect_yielded(m, operands_of(pair, i), steps - 1);
  } else if (pair.then != pair.otherwise && find_yielded(m, pair) == m->yielded.n) {
    vec_push(m->context->scratch, &m->yielded, pair);
  }
}

// Builds the pair's value after the new `if`.
static Value *build_merged(TailMerger *m, Builder *b, Pair pair, uint32_t steps) {
  if (!is_merged(m, pair, steps))
    return pair.then == pair.otherwise ? pair.then : &m->fresh->results[find_yielded(m, pair)];
  const Op *from = pair.then->def;
  Value **operands = ARENA_ARRAY(m->context->scratch, Value *, from->operand_count);
  for (uint32_t i = 0; i < from->operand_count; i++)
    operands[i] = build_merged(m, b, operands_of(pair, i), steps - 1);
  Op *op = build_like(b, from, operands, pair.then->type);
  op_result(op)->name = pair.then->name;
  return op_result(op);
}

static Pair yielded_of(const Op *op, uint32_t index) {
  return (Pair){op_operand(op->regions[0]->last, index), op_operand(op->regions[1]->last, index)};
}

// Moves the branch's ops to the new `if`, and yields the collected values.
static void move_branch(TailMerger *m, Region *from, uint32_t branch) {
  Region *to = m->fresh->regions[branch];
  Loc loc = from->last->loc;
  while (from->first != from->last) op_move(from->first, to, NULL);
  Value **values = ARENA_ARRAY(m->context->scratch, Value *, m->yielded.n);
  for (uint32_t i = 0; i < m->yielded.n; i++)
    values[i] = branch == 0 ? m->yielded.at[i].then : m->yielded.at[i].otherwise;
  Builder b = builder_inside(to, loc);
  build_yield(&b, m->yielded.n, values);
  m->branches[branch] = to;
}

// Builds the new `if`, which yields the collected values. Then rebuilds the old results after it.
static void rebuild(TailMerger *m, Op *op) {
  const Type **types = ARENA_ARRAY(m->context->scratch, const Type *, m->yielded.n);
  Pair *pairs = ARENA_ARRAY(m->context->scratch, Pair, op->result_count);
  for (uint32_t i = 0; i < m->yielded.n; i++) types[i] = m->yielded.at[i].then->type;
  for (uint32_t i = 0; i < op->result_count; i++) pairs[i] = yielded_of(op, i);
  Builder b = builder_before(op);
  m->fresh = build_if(&b, op_operand(op, 0), m->yielded.n, types);
  for (uint32_t i = 0; i < 2; i++) move_branch(m, op->regions[i], i);
  for (uint32_t i = 0; i < op->result_count; i++) {
    Value *value = build_merged(m, &b, pairs[i], MAX_VISITS);
    if (value->def == m->fresh) value->name = op->results[i].name;
    value_replace_uses(&op->results[i], value);
  }
  op_erase(op);
}

static void merge_at(TailMerger *m, Op *op) {
  m->branches[0] = op->regions[0];
  m->branches[1] = op->regions[1];
  m->yielded.n = 0;
  uint32_t merged = 0;
  for (uint32_t i = 0; i < op->result_count; i++) {
    merged += type_is_tile(op->results[i].type) && is_merged(m, yielded_of(op, i), MAX_VISITS);
    collect_yielded(m, yielded_of(op, i), MAX_VISITS);
  }
  if (merged == 0) return;
  diag_remark(m->context->diags, op->loc, "merge_branches", "%u ops that end both branches move after them",
              merged);
  rebuild(m, op);
  m->changed = true;
}

bool pass_merge_branches(PassContext *context, Func *func) {
  TailMerger m = {.context = context, .func = func};
  m.changed = merge_loads(context, func);
  // Inner branches come first, because outer ones may yield their results.
  for (OpWalk w = ops_outward(func->body); ops_next(&w);)
    if (w.op->kind == OP_IF && w.op->result_count) merge_at(&m, w.op);
  return m.changed;
}
