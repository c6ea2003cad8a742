// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sink_reductions: what a loop adds up is combined across threads once, after the loop.
//
// before  %s = for ... (%acc = %init) {                   %acc : tile<16xfp32>
//           %r = reduce %x {axis = 1} (add)               %x : tile<16x64xfp32>
//           %next = add %acc, %r
//           yield %next
//         }
// after   %t = for ... (%tile = 0) {                      %tile : tile<16x64xfp32>
//           %next = add %tile, %x
//           yield %next
//         }
//         %r = reduce %t {axis = 1} (add)
//         %s = add %init, %r
// needs   tiles without layouts; simplified IR
// keeps   every integer; sums of floats are added in another order (REASSOCIATES)
// breaks  nothing
// pays    an iteration does as many operations of its own elements, and no shuffles, no shared memory, no
//         barrier
//
// Registers hold the tile from one iteration to the next: TUNE_SINK_REGISTERS a thread and loop at most, and half as
// many in a loop that combines across threads otherwise too: it waits there all the same, with another tile.
//
// The combination is add, max, min, and, or, xor, and the same in the loop
// as in the reduction; the sum has no other use. A second loop that goes
// on from the first one's sum (peel_masks makes such) goes on from its tile.
#include <math.h>

#include "base/math.h"
#include "ir/clone.h"
#include "ir/scratch.h"
#include "ir/tuning.h"
#include "passes/passes.h"

enum { MAX_VIEWS = 4 };

typedef struct LoopSum {
  Op *loop, *combine, *reduce;
  uint32_t index; // among what the loop carries
} LoopSum;

// What the last loop left: `value` is `init` combined with the reduction of `tile`.
typedef struct SunkSum {
  Value *value, *init, *tile;
  OpKind kind;
  int64_t axis;
} SunkSum;

typedef struct Sinker {
  PassContext *context;
  Func *func;
  VEC(SunkSum) sunk;
  bool changed;
} Sinker;

static bool can_combine_by(OpKind kind) {
  return kind == OP_ADD || kind == OP_MAX || kind == OP_MIN || kind == OP_AND || kind == OP_OR ||
         kind == OP_XOR;
}

static bool only_use(const Value *value, const Op *user) {
  return value->first_use && value->first_use == value->last_use && value->first_use->user == user;
}

// The kind of op that the region of a reduction of one value is.
static bool reduces_by(const Op *reduce, OpKind kind) {
  if (reduce->kind != OP_REDUCE || reduce->result_count != 1 || op_scratch(reduce)) return false;
  const Region *region = reduce->regions[0];
  const Op *op = region->first;
  if (op->kind != kind || op->next != region->last || op_operand(region->last, 0) != op_result(op))
    return false;
  const Value *a = op_operand(op, 0), *b = op_operand(op, 1), *x = region->args[0], *y = region->args[1];
  return (a == x && b == y) || (a == y && b == x);
}

static bool is_view(const Op *op) {
  return op->kind == OP_EXPAND_DIMS || op->kind == OP_SPLAT || op->kind == OP_RESHAPE ||
         op->kind == OP_BROADCAST;
}

// Through views that nothing else uses, to the reduction.
static Op *reduction_of(const Value *value, const Op *user) {
  for (uint32_t depth = 0; value->def && depth <= MAX_VIEWS; depth++) {
    if (!only_use(value, user) || value->def->region != user->region) return NULL;
    if (value->def->kind == OP_REDUCE) return value->def;
    if (!is_view(value->def)) return NULL;
    user = value->def;
    value = op_operand(user, 0);
  }
  return NULL;
}

static bool can_sink(const Type *type) {
  const Type *element = type_element(type);
  return element->kind == TYPE_SCALAR && (!elem_is_float(element->elem) || elem_bytes(element->elem) >= 2);
}

static bool find_sum(Op *loop, uint32_t index, LoopSum *sum) {
  const Region *body = loop->regions[0];
  const Value *carried = loop_carried(loop, index), *next = loop_yielded(loop, index);
  Op *combine = next->def;
  *sum = (LoopSum){.loop = loop, .combine = combine, .index = index};
  if (!combine || combine->region != body || !can_combine_by(combine->kind) || !only_use(next, body->last))
    return false;
  if (!only_use(carried, combine)) return false;
  bool first = op_operand(combine, 0) == carried;
  sum->reduce = reduction_of(op_operand(combine, first), combine);
  if (!sum->reduce || !reduces_by(sum->reduce, combine->kind)) return false;
  const Type *tile = op_operand(sum->reduce, 0)->type;
  return !tile->layout && can_sink(tile);
}

// --- what it costs

static uint32_t registers_of(const Op *loop, const Type *tile) {
  uint64_t threads = region_threads(loop);
  uint64_t elements = divide_up(type_elements(tile), threads);
  return (uint32_t)((elements * type_element_bytes(tile) + 3) / 4);
}

// Whether the loop has a reduction that stays in it.
static bool reduces_otherwise(Op *loop) {
  uint32_t reductions = 0, sums = 0;
  LoopSum sum;
  for (const Op *op = loop->regions[0]->first; op; op = op->next)
    reductions += op->kind == OP_REDUCE || op->kind == OP_SCAN;
  for (uint32_t i = 0; i < loop->result_count; i++) sums += find_sum(loop, i, &sum);
  return reductions > sums;
}

// A block of 32 warps has 64 registers a thread: what is kept for sums is at most a quarter of that.
static uint32_t most_registers(const Sinker *s, Op *loop) {
  uint32_t quarter = s->func->module->target.arch->registers / TUNE_SINK_SHARE / (32 * func_warps(s->func));
  uint32_t most = quarter < TUNE_SINK_REGISTERS ? quarter : TUNE_SINK_REGISTERS;
  return reduces_otherwise(loop) ? most / 2 : most;
}

// --- the value that changes nothing

static int64_t least_int(Elem elem) {
  if (!elem_is_signed(elem)) return 0;
  return (int64_t)(UINT64_MAX << (elem_info(elem)->bits - 1));
}

static int64_t most_int(Elem elem) { return elem_is_signed(elem) ? ~least_int(elem) : -1; }

// Of max and min of floats it is a NaN, which they pass over; of sums -0, since 0 would turn -0 into 0.
static Value *build_neutral(Builder *b, OpKind kind, const Type *tile) {
  Elem elem = type_element(tile)->elem;
  if (elem_is_float(elem)) return build_float(b, tile, kind == OP_ADD ? -0.0 : (double)NAN);
  switch ((int)kind) {
  case OP_AND: return build_int(b, tile, -1);
  case OP_MAX: return build_int(b, tile, least_int(elem));
  case OP_MIN: return build_int(b, tile, most_int(elem));
  default: return build_int(b, tile, 0);
  }
}

// --- the change

static const SunkSum *sunk_before(const Sinker *s, const LoopSum *sum) {
  const Value *init = loop_init(sum->loop, sum->index);
  for (uint32_t i = 0; i < s->sunk.n; i++) {
    const SunkSum *sunk = &s->sunk.at[i];
    bool same = sunk->value == init && sunk->kind == sum->combine->kind &&
                sunk->axis == op_int(sum->reduce, ATTR_AXIS, 0) &&
                sunk->tile->type == op_operand(sum->reduce, 0)->type;
    if (same && only_use(init, sum->loop)) return sunk;
  }
  return NULL;
}

// The reduction and its views again, for another tile: up to the value that the loop combined.
static Value *build_reduction_of(Builder *b, const LoopSum *sum, const Op *last, CloneMap *map, Op **reduce) {
  if (last == sum->reduce) return op_result(*reduce = op_clone(b, last, map));
  build_reduction_of(b, sum, op_operand(last, 0)->def, map, reduce);
  return op_result(op_clone(b, last, map));
}

static void sink_sum(Sinker *s, const LoopSum *sum) {
  Op *loop = sum->loop, *combine = sum->combine;
  OpKind kind = combine->kind;
  Region *body = loop->regions[0];
  Value *carried = loop_carried(loop, sum->index), *result = &loop->results[sum->index];
  Value *x = op_operand(sum->reduce, 0), *init = loop_init(loop, sum->index);
  Op *last = op_operand(combine, op_operand(combine, 0) == carried)->def, *reduce;
  const SunkSum *before = sunk_before(s, sum);
  Builder b = builder_before(loop);
  op_set_operand(loop, LOOP_FIRST_INIT + sum->index,
                 before ? before->tile : build_neutral(&b, kind, x->type));
  if (before) init = before->init;

  b = builder_after(loop);
  b.loc = sum->reduce->loc;
  CloneMap map = clone_map_new(s->context->scratch, s->func);
  Value *across = build_reduction_of(&b, sum, last, &map, &reduce);
  Value *final = build_binary(&b, kind, init, across);
  value_replace_uses(result, final);
  carried->type = result->type = x->type;
  op_set_operand(reduce, 0, result);

  b = builder_before(combine);
  op_set_operand(body->last, sum->index, build_binary(&b, kind, carried, x));
  op_erase(combine);
  for (Op *op = last; op;) {
    Op *from = op == sum->reduce ? NULL : op_operand(op, 0)->def;
    op_erase(op);
    op = from;
  }
  SunkSum sunk = {final, init, result, kind, op_int(reduce, ATTR_AXIS, 0)};
  vec_push(s->context->scratch, &s->sunk, sunk);
  s->changed = true;
}

static void sink_from(Sinker *s, Op *loop) {
  uint32_t registers = 0, most = most_registers(s, loop);
  for (uint32_t i = 0; i < loop->result_count; i++) {
    LoopSum sum;
    if (!find_sum(loop, i, &sum)) continue;
    const Type *tile = op_operand(sum.reduce, 0)->type;
    uint32_t more = registers_of(loop, tile);
    Loc loc = sum.reduce->loc;
    if (registers + more > most) {
      diag_remark(
          s->context->diags, loc, "sink_reductions",
          "reduced in every iteration: its tile would keep %u registers a thread, with %u kept for others",
          more, registers);
      continue;
    }
    registers += more;
    sink_sum(s, &sum);
    diag_remark(s->context->diags, loc, "sink_reductions",
                "reduced across threads once, after the loop, which keeps %u register%s a thread for it",
                more, more == 1 ? "" : "s");
  }
}

static void sink_region(Sinker *s, Region *region) {
  for (Op *op = region->first; op; op = op->next) {
    bool flow = op->kind == OP_FOR || op->kind == OP_WHILE || op->kind == OP_IF;
    for (uint32_t r = 0; flow && r < op->region_count; r++) sink_region(s, op->regions[r]);
    if (op->kind == OP_FOR) sink_from(s, op);
  }
}

bool pass_sink_reductions(PassContext *context, Func *func) {
  Sinker s = {.context = context, .func = func};
  func_number(func);
  sink_region(&s, func->body);
  return s.changed;
}
