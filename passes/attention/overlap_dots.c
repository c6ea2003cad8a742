// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// overlap_dots: marks loops whose second dot will run under the code between the dots of the next iteration, and joins
// two marked loops in a row.
//
// needs   wgmma chosen. Operands in shared memory (promote_shared)
#include "passes/analysis/hopper_limits.h"
#include "ir/build.h"
#include "ir/memory/scratch.h"
#include "target/tuning.h"
#include "passes/analysis/padded_warps.h"
#include "passes/passes.h"
#include "passes/analysis/overlapped_dots.h"
#include "ir/clone.h"
#include "passes/analysis/axis_info.h"

// --- marks
//
// before  for %i = ... {                       after  for %i = ... {overlapped} {
//           %s = dot %q, %k, 0                          ...
//           ... %p of %s, row by row ...              }
//           %o = dot %p, %v, %acc
//         }
//
// keeps   every op. Later pipeline gives the second dot its own slots, and rotate_loops acts on the mark
// breaks  nothing
// pays    tensor cores run during exponentials. Otherwise each waits for the other
//
// The registers must have room for all values that are alive together:
// * The first dot's result.
// * The second dot's first operand and its accumulators.
// * A reserve for everything else (TUNE_STAGGER_RESERVED_REGISTERS).
//
// If the source does not say `warp_specialize` for the loop, one of these cases must also hold. They were measured to
// be faster.
// * One warpgroup with 64 rows and many accumulators. Several warpgroups would wait for one another at each
//   iteration's barrier. With many accumulators, few programs share the multiprocessor. Otherwise programs run under
//   one another's exponentials.
// * Two warpgroups with 64 rows each, and all loads are TMA tiles. There specialise_warps removes the barrier.

enum { WARPGROUP = 4 };

typedef struct Staggerer {
  PassContext *context;
  Func *func;
  uint32_t warps; // Those that have more than padding.
  bool changed;
} Staggerer;

static void decline(const Staggerer *s, const Op *dot, const char *why) {
  diag_remark(s->context->diags, dot->loc, "overlap_dots", "the dot waits for its operand: %s", why);
}

// A thread's registers if one CTA has the multiprocessor.
static uint32_t most_registers(const Func *func, uint32_t warps) {
  const TargetInfo *arch = func->module->target.arch;
  if (warps < func_warps(func))
    return role_registers(arch, warps, false).multiply; // Only warp specialization makes this worth it.
  uint32_t most = arch->thread_registers, share = arch->registers / (func_warps(func) * 32) & ~7u;
  if (func->module->target.maxnreg && func->module->target.maxnreg < most)
    most = func->module->target.maxnreg;
  return share < most ? share : most;
}

static bool has_registers(const Staggerer *s, const OverlappedDots *dots) {
  uint32_t between = tile_words(op_result(dots->first)->type),
           operand = tile_words(op_operand(dots->second, 0)->type),
           sums = tile_words(op_result(dots->second)->type), most = most_registers(s->func, s->warps);
  uint32_t others = s->warps < func_warps(s->func) ? TUNE_STAGGER_RESERVED_REGISTERS_BESIDE_PRODUCER
                                                   : TUNE_STAGGER_RESERVED_REGISTERS;
  if (between + operand + sums + others <= most) return true;
  diag_remark(s->context->diags, dots->second->loc, "overlap_dots",
              "the dot waits for its operand: with the next iteration's first dot it would take "
              "%u + %u + %u "
              "registers and %u others, of %u",
              between, operand, sums, others, most);
  return false;
}

// Returns true if TMA can copy everything that the loop loads. Then no warp waits for the others.
static bool loads_boxes(const Op *loop) {
  bool any = false;
  for (const Op *op = loop->regions[0]->first; op; op = op->next) {
    if (op->kind != OP_LOAD) continue;
    const Use *use = op_result(op)->first_use;
    if (!use || use->user->kind != OP_TMA_MARK) return false;
    any = true;
  }
  return any;
}

static bool pays(const Staggerer *s, const Op *loop, const OverlappedDots *dots) {
  const Func *func = s->func;
  const Type *sums = op_result(dots->second)->type;
  uint32_t all = region_warps(loop) / WARPGROUP, groups = s->warps / WARPGROUP;
  uint32_t rows = sums->shape[sums->rank - 2] / all * groups; // With padding, each has its own rows.
  if (op_attr(loop, ATTR_WARP_SPECIALIZE)) return true;
  if (rows > TUNE_STAGGER_ROWS * groups) return false;
  if (groups == 1) return tile_words(sums) >= TUNE_STAGGER_SUMS;
  return (groups == 2 || groups < all) && func_plans(func, PLAN_WARP_SPECIALIZE) && loads_boxes(loop);
}

static void mark_overlapped(Staggerer *s, Op *loop) {
  OverlappedDots dots;
  if (!overlapped_dots_find(loop, &dots)) return;
  const Value *operand = op_operand(dots.second, 0);
  if (!type_is_tile(operand->type)) return; // Both dots' operands come from memory.
  const uint8_t *after_first = loop_hangs_on(s->context->scratch, s->func, loop, dots.first);
  if (!after_first[operand->id]) return;
  const uint8_t *after_second = loop_hangs_on(s->context->scratch, s->func, loop, dots.second);
  if (after_second[op_result(dots.first)->id]) {
    decline(s, dots.second, "the next iteration's first dot depends on this one");
    return;
  }
  if (!overlapped_buffer(loop)) {
    decline(s, dots.second, "both dots read one buffer");
    return;
  }
  if (!has_registers(s, &dots)) return;
  if (!pays(s, loop, &dots)) {
    decline(s, dots.second, "other warps run during the softmax");
    return;
  }
  op_set_flag(loop, ATTR_OVERLAPPED, true);
  s->changed = true;
}

static bool mark_loops(PassContext *context, Func *func) {
  Staggerer s = {context, func, unpadded_warps(func), false};
  func_number(func);
  for (OpWalk w = ops_in(func->body); ops_next(&w);) mark_overlapped(&s, w.op);
  return s.changed;
}

// --- joined loops
// Joins consecutive overlapped loops that differ in a few tiles into one loop.
//
// ```
// before  %r = for %i = %l to %m {overlapped} {     after  %t = for %i = min(%l, %m) to max(%m, %u) {overlapped} {
//           %s = ...                                      %s = ...
//           ... of %s ...                                 %c = ge %i, %m
//         }                                               %d = if %c { yield select(%mask, %s, %x) } else { yield %s }
//         %t = for %i = %m to %u, %r {overlapped} {          ... of %d ...
//           %s = ...                                    }
//           %d = select %mask, %s, %x
//           ... of %d ...
//         }
// ```
//
// needs   overlap_dots' marks; before pipeline. The first loop's range is a whole number of steps
// keeps   every value. Each iteration computes the same as before, in the same order
// breaks  nothing
// pays    copies and the next dot continue from one loop into the other. An example is causal attention: tiles before
//         the diagonal, then tiles on it. With one warpgroup, the branch in each iteration costs as much as this
//         saves. Then the pass only applies if the source says `warp_specialize`
//
// The joined loop may be joined with a third one. The second loop must end at or after its start: its lower bound is
// the minimum of its upper bound and something. An example is a window: tiles at either end, and whole tiles between
// them.
//
// The bodies are compared in two steps. First from the start: equal ops with equal operands are one op. Then backwards
// from their effects and yields. If two ops are alike, their operands are compared. If not, the branch chooses between
// their results.

typedef struct LoopCut {
  Value *first, *second; // The value of one body, and the other body's value.
} LoopCut;

typedef struct CutUse {
  const Op *op; // Op of the first body.
  uint32_t operand, cut;
} CutUse;

typedef struct Joiner {
  PassContext *context;
  Func *func;
  Op *first, *second;
  Value **same;  // By id of a value of the second body: the equal one of the first; NULL: none.
  Value **alike; // The same for values whose ops are alike.
  uint8_t *used; // By id of an op of the first body: another one is the same.
  VEC(LoopCut) cuts;
  VEC(CutUse) uses;
  const char *why;   // Why they are not joined.
  CloneMap one, two; // For values of either body.
  Op *branch;
} Joiner;

static Region *body_of(const Op *loop) { return loop->regions[0]; }

static bool is_within(const Value *value, const Op *loop) {
  return value->def ? value->def->region == body_of(loop) : value->region == body_of(loop);
}

// --- equal ops

static void set_same(Joiner *j, const Value *second, Value *first) { j->same[second->id] = first; }

// The first body's equivalent of the second one's value. A value from outside is its own equivalent.
static Value *same_of(const Joiner *j, Value *value) {
  return j->same[value->id] ? j->same[value->id] : value_is_within(value, j->second) ? NULL : value;
}

// Returns true if the ops inside are the same too; marks their values.
static bool same_regions(Joiner *j, const Op *a, const Op *b) {
  for (uint32_t r = 0; r < a->region_count; r++) {
    const Region *x = a->regions[r], *y = b->regions[r];
    if (x->arg_count != y->arg_count) return false;
    for (uint32_t i = 0; i < x->arg_count; i++) set_same(j, y->args[i], x->args[i]);
    const Op *p = x->first, *q = y->first;
    for (; p && q; p = p->next, q = q->next) {
      if (!op_same_form(p, q) || !same_regions(j, p, q)) return false;
      for (uint32_t i = 0; i < p->operand_count; i++)
        if (same_of(j, op_operand(q, i)) != op_operand(p, i)) return false;
      for (uint32_t i = 0; i < p->result_count; i++) set_same(j, &q->results[i], &p->results[i]);
    }
    if (p || q) return false;
  }
  return true;
}

static bool does_same(Joiner *j, const Op *a, const Op *b) {
  if (j->used[a->id] || !op_same_form(a, b)) return false;
  for (uint32_t i = 0; i < a->operand_count; i++)
    if (same_of(j, op_operand(b, i)) != op_operand(a, i)) return false;
  return same_regions(j, a, b);
}

static void find_same(Joiner *j) {
  for (uint32_t i = 0; i < body_of(j->first)->arg_count; i++)
    set_same(j, body_of(j->second)->args[i], body_of(j->first)->args[i]);
  for (const Op *b = body_of(j->second)->first; b != body_of(j->second)->last; b = b->next)
    for (Op *a = body_of(j->first)->first; a != body_of(j->first)->last; a = a->next) {
      if (!does_same(j, a, b)) continue;
      j->used[a->id] = 1;
      for (uint32_t i = 0; i < a->result_count; i++) set_same(j, &b->results[i], &a->results[i]);
      break;
    }
}

// --- where the bodies differ

static bool is_free(const Op *op) {
  return op_is_dead(op) && !op_has(op, GLOBAL) && op->kind != OP_DOT && !op_scratch(op);
}

static void cut_use(Joiner *j, const Op *op, uint32_t operand, Value *second) {
  Value *first = op_operand(op, operand);
  uint32_t cut = 0;
  while (cut < j->cuts.n && (j->cuts.at[cut].first != first || j->cuts.at[cut].second != second)) cut++;
  if (cut == j->cuts.n) vec_push(j->context->scratch, &j->cuts, ((LoopCut){first, second}));
  vec_push(j->context->scratch, &j->uses, ((CutUse){op, operand, cut}));
  if (!type_is_tile(first->type) || first->type != second->type) j->why = "they differ in more than tiles";
}

static void compare_operands(Joiner *j, const Op *a, const Op *b);

static void compare(Joiner *j, const Op *a, const Op *b, uint32_t i) {
  Value *x = op_operand(a, i), *y = op_operand(b, i);
  if (j->why || same_of(j, y) == x || (j->alike[y->id] && j->alike[y->id] == x)) return;
  bool ops = x->def && y->def && is_within(x, j->first) && is_within(y, j->second);
  if (!ops || !op_same_form(x->def, y->def) || j->used[x->def->id] || same_of(j, y) ||
      !same_regions(j, x->def, y->def)) {
    cut_use(j, a, i, y);
    return;
  }
  j->used[x->def->id] = 1;
  for (uint32_t r = 0; r < x->def->result_count; r++) j->alike[y->def->results[r].id] = &x->def->results[r];
  compare_operands(j, x->def, y->def);
}

static void compare_operands(Joiner *j, const Op *a, const Op *b) {
  for (uint32_t i = 0; i < a->operand_count; i++) compare(j, a, b, i);
}

static const Op *next_doing(const Op *op) {
  while (!op_has(op, TERMINATOR) && is_free(op)) op = op->next;
  return op;
}

// Both loops must have the same side effects in the same order.
static void find_cuts(Joiner *j) {
  const Op *a = next_doing(body_of(j->first)->first), *b = next_doing(body_of(j->second)->first);
  for (; !j->why; a = next_doing(a->next), b = next_doing(b->next)) {
    bool known = a->result_count && b->result_count && same_of(j, op_result(b)) == op_result(a);
    known |= a->result_count && j->alike[op_result(b)->id] == op_result(a);
    if (!op_same_form(a, b)) j->why = "they compute different things";
    if (j->why) return;
    if (!known && a->result_count) {
      j->used[a->id] = 1;
      for (uint32_t r = 0; r < a->result_count; r++) j->alike[b->results[r].id] = &a->results[r];
    }
    if (!known) compare_operands(j, a, b);
    if (op_has(a, TERMINATOR)) return;
  }
}

// --- ops in the branch

static const Op *first_use_of_cuts(const Joiner *j) {
  for (const Op *op = body_of(j->first)->first; op; op = op->next)
    for (uint32_t i = 0; i < j->uses.n; i++)
      if (j->uses.at[i].op == op) return op;
  return NULL;
}

static bool can_compute(const Joiner *j, Value *value, const Op *loop, const Op *place);

// Checks the operands of the op, and those operands of ops inside it that belong to the body.
static bool can_compute_operands(const Joiner *j, const Op *op, const Op *loop, const Op *place) {
  for (OpWalk w = ops_of(op); ops_next(&w);)
    for (uint32_t i = 0; i < w.op->operand_count; i++)
      if (!can_compute(j, op_operand(w.op, i), loop, place)) return false;
  return true;
}

// Returns true if the value is available before `place`, an op of the first body, or can be computed there.
static bool can_compute(const Joiner *j, Value *value, const Op *loop, const Op *place) {
  Value *here = loop == j->second && same_of(j, value) ? same_of(j, value) : value;
  const Op *op = here->def;
  bool first = op && op->region == body_of(j->first);
  if (!op || (!first && op->region != body_of(j->second))) return true; // not directly in a body
  if (first && op_precedes(op, place) && j->used[op->id]) return true;
  return is_free(op) && can_compute_operands(j, op, first ? j->first : j->second, place);
}

static bool branch_is_possible(Joiner *j) {
  const Op *place = first_use_of_cuts(j);
  for (uint32_t i = 0; i < j->cuts.n; i++)
    if (!can_compute(j, j->cuts.at[i].first, j->first, place) ||
        !can_compute(j, j->cuts.at[i].second, j->second, place))
      return false;
  return true;
}

// --- the joined loop

static Value *compute(Joiner *j, Builder *b, Value *value, const Op *loop);

// Computes the body's values that the op and the ops inside it take.
static void compute_operands(Joiner *j, Builder *b, const Op *op, const Op *loop) {
  CloneMap *map = loop == j->first ? &j->one : &j->two;
  for (OpWalk w = ops_of(op); ops_next(&w);)
    for (uint32_t i = 0; i < w.op->operand_count; i++) {
      Value *operand = op_operand(w.op, i);
      if (is_within(operand, loop)) clone_set(map, operand, compute(j, b, operand, loop));
    }
}

static Value *compute(Joiner *j, Builder *b, Value *value, const Op *loop) {
  CloneMap *map = loop == j->first ? &j->one : &j->two;
  if (map->at[value->id]) return map->at[value->id];
  if (loop == j->second && same_of(j, value)) return compute(j, b, same_of(j, value), j->first);
  if (!is_within(value, loop)) return value;
  compute_operands(j, b, value->def, loop);
  op_clone(b, value->def, map);
  return map->at[value->id];
}

// The branch's results replace both values of each cut. Values that one side computes are known only in that side.
static void emit_branch(Joiner *j, Builder *b, Value *index) {
  const Type **types = ARENA_ARRAY(j->context->scratch, const Type *, j->cuts.n);
  Value **values = ARENA_ARRAY(j->context->scratch, Value *, j->cuts.n);
  size_t size = j->one.count * sizeof *j->one.at;
  Value **kept = ARENA_ARRAY(j->context->scratch, Value *, j->one.count);
  for (uint32_t i = 0; i < j->cuts.n; i++) types[i] = j->cuts.at[i].first->type;
  b->loc = j->second->loc;
  Value *beyond = build_binary(b, OP_GE, index, loop_lower(j->second));
  j->branch = build_if(b, beyond, j->cuts.n, types);
  memcpy(kept, j->one.at, size);
  for (uint32_t side = 0; side < 2; side++) {
    Builder inner = builder_at_end(j->func, j->branch->regions[side]);
    for (uint32_t i = 0; i < j->cuts.n; i++)
      values[i] = side == 0 ? compute(j, &inner, j->cuts.at[i].second, j->second)
                            : compute(j, &inner, j->cuts.at[i].first, j->first);
    build_yield(&inner, j->cuts.n, values);
    memcpy(j->one.at, kept, size);
  }
}

static void take_cuts(const Joiner *j, const Op *op, Op *copy) {
  for (uint32_t i = 0; i < j->uses.n; i++)
    if (j->uses.at[i].op == op)
      op_set_operand(copy, j->uses.at[i].operand, &j->branch->results[j->uses.at[i].cut]);
}

static void fill_joined(Joiner *j, Op *made) {
  const Region *body = body_of(j->first);
  Region *region = made->regions[0];
  Builder b = builder_at_end(j->func, region);
  const Op *place = first_use_of_cuts(j);
  j->one = clone_map_new(j->context->scratch, j->func);
  j->two = clone_map_new(j->context->scratch, j->func);
  for (uint32_t i = 0; i < body->arg_count; i++) {
    region->args[i]->name = body->args[i]->name;
    clone_set(&j->one, body->args[i], region->args[i]);
    clone_set(&j->two, body_of(j->second)->args[i], region->args[i]);
  }
  for (const Op *op = body->first; op; op = op->next) {
    if (op == place) emit_branch(j, &b, region->args[0]);
    if (!op_has(op, TERMINATOR) && !j->used[op->id] && is_free(op)) continue; // It belongs to the branch.
    Op *copy = op_clone(&b, op, &j->one);
    take_cuts(j, op, copy);
  }
}

// --- ranges

// The step if the index counts upwards and the first loop is a whole number of steps, a power of two; otherwise 0.
static int64_t common_step(const Joiner *j) {
  int64_t first, second;
  if (!value_int_constant(loop_step(j->first), &first) || !value_int_constant(loop_step(j->second), &second))
    return 0;
  if (first != second || first <= 0 || (first & (first - 1)) || loop_upper(j->first) != loop_lower(j->second))
    return 0;
  const AxisTable *axes = axis_analyse(j->context->scratch, j->func);
  uint64_t step = (uint64_t)first;
  bool whole = axis_info(axes, loop_lower(j->first))->divisibility[0] % step == 0 &&
               axis_info(axes, loop_lower(j->second))->divisibility[0] % step == 0;
  return whole ? first : 0;
}

// Returns true if the value is the other one, perhaps widened. It is the same number if no iteration comes before 0.
static bool is_widened(const Value *value, const Value *of) {
  const Op *cast = value->def;
  return value == of ||
         (cast && cast->kind == OP_CAST && type_is_int(value->type) && type_is_int(of->type) &&
          type_element_bytes(value->type) > type_element_bytes(of->type) && op_operand(cast, 0) == of);
}

static bool is_binary(const Value *value, OpKind kind, const Value *a, const Value *b) {
  const Op *op = value->def;
  return op && op->kind == kind &&
         ((op_operand(op, 0) == a && op_operand(op, 1) == b) ||
          (op_operand(op, 0) == b && op_operand(op, 1) == a));
}

// For a number. Returns true if the second initial value is the first one plus the end.
static bool number_counts_on(const Value *from, const Value *init, const Value *by, const Value *end,
                             int64_t step) {
  if (!value_is_int(by, step)) return false;
  if (value_is_int(from, 0)) return is_widened(init, end);
  return is_binary(init, OP_ADD, from, end);
}

// For a pointer that advances by step * stride. Returns true if the second initial pointer is the first one plus end *
// stride. Only 64-bit multiplications qualify, because narrower ones may have overflowed.
static bool pointer_counts_on(const Value *from, const Value *init, const Value *by, const Value *end,
                              int64_t step) {
  const Op *shift = init->def, *one = by->def, *all;
  if (!shift || shift->kind != OP_ADDPTR || op_operand(shift, 0) != from || !one || one->kind != OP_MUL)
    return false;
  all = op_operand(shift, 1)->def;
  if (!all || all->kind != OP_MUL || type_element_bytes(by->type) != 8 ||
      type_element_bytes(op_operand(shift, 1)->type) != 8)
    return false;
  for (uint32_t i = 0; i < 2; i++) {
    const Value *stride = op_operand(one, 1 - i);
    if (!value_is_int(op_operand(one, i), step)) continue;
    for (uint32_t k = 0; k < 2; k++)
      if (op_operand(all, k) == stride && is_widened(op_operand(all, 1 - k), end)) return true;
  }
  return false;
}

// Returns true if both loops add the same to the value, and the second starts with the value that the first would have
// reached at its end.
static bool counts_on(const Joiner *j, uint32_t i, int64_t step) {
  const Value *carried = loop_carried(j->first, i);
  const Op *next = loop_yielded(j->first, i)->def;
  if (!next || (next->kind != OP_ADD && next->kind != OP_ADDPTR) || op_operand(next, 0) != carried ||
      type_is_tile(carried->type) || !value_is_int(loop_lower(j->first), 0))
    return false;
  bool number = next->kind == OP_ADD;
  return (number ? number_counts_on : pointer_counts_on)(loop_init(j->first, i), loop_init(j->second, i),
                                                         op_operand(next, 1), loop_lower(j->second), step);
}

static bool carries_on(const Joiner *j, int64_t step) {
  if (j->first->result_count != j->second->result_count) return false;
  for (uint32_t i = 0; i < j->first->result_count; i++) {
    const Value *result = &j->first->results[i];
    bool on = loop_init(j->second, i) == result, counts = counts_on(j, i, step);
    uint32_t uses = 0;
    for (const Use *use = result->first_use; use; use = use->next) uses++;
    if ((!on && !counts) || uses != on) return false;
  }
  return true;
}

// Returns true if x <= y is obvious: x is y, or a minimum of y and something.
static bool is_at_most(const Value *x, const Value *y) {
  const Op *op = x->def;
  int64_t a, b;
  if (x == y) return true;
  if (value_int_constant(x, &a) && value_int_constant(y, &b)) return a <= b;
  return op && op->kind == OP_MIN && (is_at_most(op_operand(op, 0), y) || is_at_most(op_operand(op, 1), y));
}

// The minimum or maximum of two bounds. Another loop may start where this value ends.
static Value *build_bound(Builder *b, OpKind kind, Value *x, Value *y) {
  bool min = kind == OP_MIN;
  if (is_at_most(x, y)) return min ? x : y;
  if (is_at_most(y, x)) return min ? y : x;
  return build_binary(b, kind, x, y);
}

// Returns the joined loop.
static Op *replace_loops(Joiner *j) {
  Op *first = j->first, *second = j->second;
  Builder b = builder_before(second);
  Value *lower = loop_lower(first), *bound = loop_lower(second);
  Value **init = ARENA_ARRAY(j->context->scratch, Value *, first->result_count + 1);
  Value *none = NULL; // The first loop has no iteration, and the second starts before it.
  for (uint32_t i = 0; i < first->result_count; i++) {
    init[i] = loop_init(first, i);
    if (loop_init(second, i) == &first->results[i]) continue;
    if (!none) none = build_binary(&b, OP_LT, bound, lower);
    init[i] = build(&b, OP_SELECT, init[i]->type, none, loop_init(second, i), init[i]);
  }
  Value *upper = build_bound(&b, OP_MAX, bound, loop_upper(second)),
        *from = build_bound(&b, OP_MIN, lower, bound);
  Op *made = build_for(&b, from, upper, loop_step(first), first->result_count, init);
  op_copy_attrs(made, first);
  fill_joined(j, made);
  op_replace_results(second, made);
  op_erase(second);
  op_erase(first);
  return made;
}

// --- loops that qualify

// The next loop, if only computations come before it; NULL: there is none.
static Op *next_loop(Op *loop) {
  Op *op = loop->next;
  while (op && !op_has(op, TERMINATOR) && op->kind != OP_FOR && is_free(op)) op = op->next;
  return op && op->kind == OP_FOR && op_attr(op, ATTR_OVERLAPPED) ? op : NULL;
}

// The joined loop; NULL, with a remark: they stay two.
static Op *join(PassContext *context, Func *func, Op *first, Op *second) {
  Joiner j = {.context = context, .func = func, .first = first, .second = second};
  int64_t step = common_step(&j);
  if (!op_attr(first, ATTR_WARP_SPECIALIZE) && region_warps(first) == WARPGROUP)
    j.why = "the source does not ask for it by warp_specialize";
  else if (!step)
    j.why = "the first does not end where the second starts, in whole steps";
  else if (!op_same_attrs(first, second) || !carries_on(&j, step))
    j.why = "the second does not start with the first one's results";
  if (!j.why) {
    func_number(func);
    j.same = ARENA_ARRAY(context->scratch, Value *, func->value_count);
    j.alike = ARENA_ARRAY(context->scratch, Value *, func->value_count);
    j.used = ARENA_ARRAY(context->scratch, uint8_t, func->op_count);
    find_same(&j);
    find_cuts(&j);
  }
  if (!j.why && (j.cuts.n == 0 || !branch_is_possible(&j)))
    j.why = "their difference cannot be computed in a branch";
  if (j.why) {
    diag_remark(context->diags, second->loc, "overlap_dots", "two consecutive loops are not joined: %s",
                j.why);
    return NULL;
  }
  diag_remark(context->diags, second->loc, "overlap_dots",
              "joined with the loop before it: one loop with a branch");
  return replace_loops(&j);
}

static bool join_loops(PassContext *context, Func *func) {
  const OverlappedLoops marked = overlapped_loops(context->scratch, func);
  bool changed = false;
  Op *last =
      marked.list.n ? marked.list.at[0] : NULL; // The next loop may be joined to it. It may be a joined loop.
  for (uint32_t i = 1; i < marked.list.n; i++) {
    Op *next = marked.list.at[i], *joined = next_loop(last) == next ? join(context, func, last, next) : NULL;
    changed |= joined != NULL;
    last = joined ? joined : next;
  }
  return changed;
}

bool pass_overlap_dots(PassContext *context, Func *func) {
  bool changed = mark_loops(context, func);
  return join_loops(context, func) || changed;
}
