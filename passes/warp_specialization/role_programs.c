// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Persistent kernels by cluster launch control: the groups of a CTA run the programs that its producer takes of the
// grid, one after another.
//
//     before  for 0, 1, 1, %x0, ... {programs} do (%i, %x, ...) {
//               ...
//               yield %x, ...
//             }
//     after   while true, 0, %x0, ... {programs}
//               yield %more, ...
//             do (%more, %n, %x, ...) {
//               ...
//               mbarrier_wait %full[%n % 2], %n / 2 % 2
//               %taken, %x1, ... = taken_program %slot
//               mbarrier_arrive %free[%n % 2]
//               yield %taken != 0, %n + 1, %x1, ...
//             }
//
// The producer asks for program n + 1 when it begins the n-th. It reads the answer after its copies, and the thread that
// issues dots after its dots. The consumers read it before they wait for sums. So the next answer has room before they
// have stored a result. A second slot leaves them one program more.
//
// The CTAs of a pair take two programs at once. Only the first CTA asks, when both have read the answer before. The
// second one has no thread that issues dots.
#include "ir/build.h"
#include "ir/memory/groups.h"
#include "ir/memory/scratch.h"
#include "passes/warp_specialization/roles.h"

enum { SLOTS = 2, NUMBERS = 4, ANSWER_BYTES = 16, MORE = 0, COUNT = 1, CARRIED = 2 };

typedef struct Answers {
  Value *places, *full, *free; // a slot each
} Answers;

static Value *alloc_slots(const Roles *r, Builder *b, Elem elem, uint32_t n) {
  const uint32_t shape[] = {SLOTS, n};
  return build(b, OP_SHARED_ALLOC, shared_in_order(r->s.func->module->ir, elem, 2, shape), NULL, NULL, NULL);
}

// `pair_arrivals`: of both CTAs at the first one's. 0: each has its own.
static Value *alloc_mbarriers(const Roles *r, Builder *b, uint32_t arrivals, uint32_t pair_arrivals) {
  Value *mbarriers = alloc_slots(r, b, ELEM_I64, 1);
  Op *init = build_op(b, OP_MBARRIER_INIT, 1, &mbarriers, 0, NULL);
  op_set_int(init, ATTR_ARRIVALS, arrivals);
  if (!pair_arrivals) return mbarriers;
  op_set_int(init, ATTR_PAIR_ARRIVALS, pair_arrivals);
  op_set_flag(mbarriers->def, ATTR_PAIR, true);
  return mbarriers;
}

// --- a group's accesses: program number `n` of the CTA has slot n mod 2

static const Type *number_type(const Roles *r) { return type_scalar(r->s.func->module->ir, ELEM_I32); }

static Value *slot_of(const Roles *r, Builder *b, Value *slots, Value *n) {
  const Type *all = slots->type;
  Value *slot = build_binary(b, OP_AND, n, build_int(b, number_type(r), SLOTS - 1));
  const Type *type = shared_in_order(r->s.func->module->ir, all->elem, 1, all->shape + 1);
  return build(b, OP_SHARED_INDEX, type, slots, slot, NULL);
}

// The phase of program n; `other`: the one before it.
static void wait_slot(const Roles *r, Builder *b, Value *mbarriers, Value *n, bool other) {
  Value *round = build_binary(b, OP_SHR, n, build_int(b, number_type(r), 1));
  if (other) round = build_binary(b, OP_ADD, round, build_int(b, number_type(r), 1));
  Value *parity = build_binary(b, OP_AND, round, build_int(b, number_type(r), 1));
  build_op(b, OP_MBARRIER_WAIT, 2, (Value *[]){slot_of(r, b, mbarriers, n), parity}, 0, NULL);
}

static void ask(const Roles *r, Builder *b, const Answers *a, Value *n) {
  wait_slot(r, b, a->free, n, true);
  Value *place = slot_of(r, b, a->places, n), *full = slot_of(r, b, a->full, n);
  Op *expect = build_op(b, OP_MBARRIER_EXPECT, 1, &full, 0, NULL);
  op_set_int(expect, ATTR_BYTES, ANSWER_BYTES);
  build_op(b, OP_TAKE_PROGRAM, 2, (Value *[]){place, full}, 0, NULL);
}

static Op *answer(const Roles *r, Builder *b, const Answers *a, Value *n) {
  wait_slot(r, b, a->full, n, false);
  Value *place = slot_of(r, b, a->places, n), *free = slot_of(r, b, a->free, n);
  const Type *types[NUMBERS];
  for (uint32_t i = 0; i < NUMBERS; i++) types[i] = number_type(r);
  Op *taken = build_op(b, OP_TAKEN_PROGRAM, 1, &place, NUMBERS, types);
  build_op(b, OP_MBARRIER_ARRIVE, 1, &free, 0, NULL);
  return taken;
}

// --- a group's loop

static Op *begin_while(const Roles *r, Op *loop) {
  Builder b = builder_before(loop);
  Value **inits = ARENA_ARRAY(r->s.arena, Value *, CARRIED + loop->result_count);
  inits[MORE] = build_int(&b, type_scalar(r->s.func->module->ir, ELEM_I1), 1);
  inits[COUNT] = build_int(&b, number_type(r), 0);
  for (uint32_t i = 0; i < loop->result_count; i++) inits[CARRIED + i] = loop_init(loop, i);
  Op *made = build_while(&b, CARRIED + loop->result_count, inits);
  op_set_flag(made, ATTR_PROGRAMS, true);
  Builder test = builder_inside(made->regions[0], loop->loc);
  Value **values = ARENA_ARRAY(r->s.arena, Value *, 1 + made->result_count);
  for (uint32_t i = 0; i <= made->result_count; i++) values[i] = made->regions[0]->args[i ? i - 1 : MORE];
  build_yield(&test, 1 + made->result_count, values);
  return made;
}

// The axis of the program's place that the loop carries as value i. PROGRAM_AXES: it is something else.
static uint32_t axis_of(const Op *loop, uint32_t i) {
  const Op *def = loop_init(loop, i)->def;
  return def && def->kind == OP_PROGRAM_ID ? (uint32_t)op_int(def, ATTR_AXIS, 0) : PROGRAM_AXES;
}

// Each iteration runs the program that the one before it has taken.
static void take_programs(const Roles *r, Op *loop, uint32_t group, const Answers *a) {
  Op *made = begin_while(r, loop);
  Region *body = made->regions[1];
  Builder b = builder_inside(body, loop->loc);
  Value *n = body->args[COUNT];
  if (group == 1) ask(r, &b, a, n);
  Op *taken = group == 0 ? answer(r, &b, a, n) : NULL;
  for (uint32_t i = 0; i < loop->result_count; i++) {
    value_replace_uses(loop_carried(loop, i), body->args[CARRIED + i]);
    value_replace_uses(&loop->results[i], &made->results[CARRIED + i]);
  }
  while (loop->regions[0]->first) op_move(loop->regions[0]->first, body, NULL);
  Op *yield = body->last;
  b = builder_before(yield);
  b.loc = loop->loc;
  if (!taken) taken = answer(r, &b, a, n);
  Value **next = ARENA_ARRAY(r->s.arena, Value *, made->result_count);
  next[MORE] = build_binary(&b, OP_NE, &taken->results[0], build_int(&b, number_type(r), 0));
  next[COUNT] = build_binary(&b, OP_ADD, n, build_int(&b, number_type(r), 1));
  for (uint32_t i = 0; i < loop->result_count; i++) {
    uint32_t axis = axis_of(loop, i);
    next[CARRIED + i] = axis < PROGRAM_AXES ? &taken->results[1 + axis] : op_operand(yield, i);
  }
  build_yield(&b, made->result_count, next);
  op_erase(yield);
  op_erase(loop);
}

static Op *programs_loop(const Region *region) {
  Op *op = region->first;
  while (op->kind != OP_FOR) op = op->next;
  return op;
}

void roles_take_programs(Roles *r, Op *groups) {
  Builder b = builder_before(groups);
  b.loc = r->s.func->loc;
  uint32_t arrivals = r->warps + groups_count(groups) - 1; // a group of one thread arrives for itself
  Answers answers = {.places = alloc_slots(r, &b, ELEM_I32, NUMBERS)};
  answers.full = alloc_mbarriers(r, &b, 1, 0);
  answers.free = alloc_mbarriers(r, &b, arrivals, r->pair ? 2 * arrivals - 1 : 0);
  for (uint32_t i = 0; i < groups_count(groups); i++)
    take_programs(r, programs_loop(groups->regions[i]), i, &answers);
}
