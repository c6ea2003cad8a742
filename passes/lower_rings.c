// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lower_rings: rings become slot numbers.
//
// before  %r = ring_begin {slots = 3}
//         for ... do (%i, %r1: ring) {
//           %a, %r2 = ring_wait %r1, %s : shared<64x16xfp16, #l>, ring
//           ... dot %a ...
//           %r3 = ring_release %r2 : ring
//           %c, %r4 = ring_fill %r3, %s : shared<64x16xfp16, #l>, ring
//           if ... { copy_async %p, %c }
//           yield %r4
// after   for ... do (%i, %use: i32, %fill: i32) {
//           %a = shared_index %s, %use
//           %u = add %use, 1; equal to 3: 0
//           ... dot %a ...
//           if ... { %c = shared_index %s, %fill; copy_async %p, %c }
//           %f = add %fill, 1; equal to 3: 0
//           yield %u, %f
// needs   place_barriers: which slot is in which state can be seen of rings alone
// keeps   every value, every barrier, fence and wait
// breaks  nothing
// pays    codegen knows buffers and numbers; a number is one register of a thread
//
// Of a ring with mbarriers
//
// before  %r = ring_begin %m {slots = 3}                      after  mbarrier_init %m
//         %a, %full, %r2 = ring_wait %r1, %s, %m                     %full = shared_index %m, %use
//                                                                    mbarrier_wait %full, %parity
//
// where the parity changes each time that the number begins anew. A ring that begins again in a loop around it
// makes its mbarriers anew; they are made where the function begins, first.
//
// A slot that is being filled has its view where it is first written, so that the condition around a copy
// is one around the copy's address too, and its number is counted on after the last write.
#include "ir/build.h"
#include "passes/passes.h"
#include "passes/rings.h"

// Slot numbers, i32, of a ring value; the parity of the phase that the next wait is for, NULL without mbarriers.
typedef struct SlotNumbers {
  Value *use, *fill, *parity;
} SlotNumbers;

typedef struct RingLowering {
  PassContext *context;
  Func *func;
  Rings rings;
  SlotNumbers *numbers; // by the ring value's id
  VEC(Op *) replaced;   // their results are still in use; each is erased after those that come later
} RingLowering;

typedef struct Values {
  VEC(Value *) list;
} Values;

static SlotNumbers *numbers_of(const RingLowering *l, const Value *ring) { return &l->numbers[ring->id]; }
static const Type *number_type(const RingLowering *l) { return type_scalar(l->func->module->ir, ELEM_I32); }
static uint32_t slots_of(const RingLowering *l, const Value *ring) {
  return ring_slots(l->rings.begins.at[l->rings.of[ring->id]]);
}

static bool has_mbarriers(const RingLowering *l, const Value *ring) {
  return l->rings.begins.at[l->rings.of[ring->id]]->operand_count > 0;
}

static void replace_later(RingLowering *l, Op *op) { vec_push(l->context->scratch, &l->replaced, op); }

// The parity after a use of slot `number`.
static Value *next_parity(const RingLowering *l, Builder *b, Value *parity, Value *number, uint32_t slots) {
  int64_t known;
  const Type *type = number_type(l);
  Value *other = build_binary(b, OP_XOR, parity, build_int(b, type, 1));
  if (value_int_constant(number, &known)) return (uint64_t)known + 1 == slots ? other : parity;
  Value *is_last = build_binary(b, OP_EQ, number, build_int(b, type, slots - 1));
  return build(b, OP_SELECT, type, is_last, other, parity);
}

static Value *next_number(const RingLowering *l, Builder *b, Value *number, uint32_t slots) {
  int64_t known;
  const Type *type = number_type(l);
  if (value_int_constant(number, &known)) return build_int(b, type, (known + 1) % slots);
  Value *next = build_binary(b, OP_ADD, number, build_int(b, type, 1));
  Value *is_end = build_binary(b, OP_EQ, next, build_int(b, type, slots));
  return build(b, OP_SELECT, type, is_end, build_int(b, type, 0), next);
}

// --- views

// The op of `region` that `op` is, or is within.
static Op *in_region(Op *op, const Region *region) {
  while (op->region != region) op = op->region->parent;
  return op;
}

static bool is_before(const Op *a, const Op *b) {
  while (a && a != b) a = a->next;
  return a == b;
}

static void replace_view(Op *op, uint32_t i, Op *before, Value *number) {
  Value *view = &op->results[i];
  if (value_unused(view)) return;
  Builder b = builder_before(before);
  if (before == op) b.loc = op_operand(op, i + 1)->def->loc;
  value_replace_uses(view, build(&b, OP_SHARED_INDEX, view->type, op_operand(op, i + 1), number, NULL));
}

// The first op that uses the view, where all do in one region; else the op that gives it.
static Op *first_user(Op *fill, const Value *view) {
  Op *first = view->first_use ? view->first_use->user : fill;
  for (const Use *use = view->first_use; use; use = use->next) {
    if (use->user->region != first->region) return fill;
    if (is_before(use->user, first)) first = use->user;
  }
  // The address is there when everyone has met.
  while (first != fill && first->prev && first->prev->kind == OP_BARRIER) first = first->prev;
  return first;
}

// The first op that uses any of the views, where all do in one region; else the fill.
static Op *first_of_all(Op *fill) {
  Op *first = NULL;
  for (uint32_t i = 0; i + 1 < fill->result_count; i++) {
    if (value_unused(&fill->results[i])) continue;
    Op *user = first_user(fill, &fill->results[i]);
    if (user == fill || (first && user->region != first->region)) return fill;
    if (!first || is_before(user, first)) first = user;
  }
  return first ? first : fill;
}

// The last op of the fill's region that writes the slot.
static Op *last_writer(Op *fill, const Value *view, Op *last) {
  for (const Use *use = view->first_use; use; use = use->next) {
    Op *user = in_region(use->user, fill->region);
    if (is_before(last, user)) last = user;
    if (use->user->kind == OP_SHARED_TRANS) last = last_writer(fill, op_result(use->user), last);
  }
  return last;
}

static void lower_fill(RingLowering *l, Op *op) {
  SlotNumbers numbers = *numbers_of(l, op_operand(op, 0));
  Op *last = op;
  for (uint32_t i = 0; i + 1 < op->result_count; i++) last = last_writer(op, &op->results[i], last);
  // What fills a slot with mbarriers is one thread's: the views come before all of it.
  Op *first = numbers.parity ? first_of_all(op) : NULL;
  for (uint32_t i = 0; i + 1 < op->result_count; i++)
    replace_view(op, i, first ? first : first_user(op, &op->results[i]), numbers.fill);
  const Use *next = ring_result(op)->first_use;
  if (next && !is_before(last, in_region(next->user, op->region))) last = op;
  Builder b = builder_after(last);
  b.loc = op->loc;
  numbers.fill = next_number(l, &b, numbers.fill, slots_of(l, ring_result(op)));
  *numbers_of(l, ring_result(op)) = numbers;
}

static void wait_mbarrier(Op *op, const SlotNumbers *numbers) {
  Builder b = builder_before(op);
  const Type *one = op->results[op->result_count - 2].type;
  Value *mbarrier =
      build(&b, OP_SHARED_INDEX, one, op_operand(op, op->operand_count - 1), numbers->use, NULL);
  build_op(&b, OP_MBARRIER_WAIT, 2, (Value *[]){mbarrier, numbers->parity}, 0, NULL);
}

static void lower_wait(RingLowering *l, Op *op) {
  SlotNumbers numbers = *numbers_of(l, op_operand(op, 0));
  if (numbers.parity) wait_mbarrier(op, &numbers);
  for (uint32_t i = 0; i + 1 < op->result_count; i++) replace_view(op, i, op, numbers.use);
  Builder b = builder_before(op);
  if (numbers.parity)
    numbers.parity = next_parity(l, &b, numbers.parity, numbers.use, slots_of(l, ring_result(op)));
  numbers.use = next_number(l, &b, numbers.use, slots_of(l, ring_result(op)));
  *numbers_of(l, ring_result(op)) = numbers;
}

static void begin_mbarriers(Op *op) {
  Value *mbarriers = op_operand(op, 0);
  Builder b = builder_before(op), first = builder_after(mbarriers->def);
  if (mbarriers->def->region != op->region) {
    first.loc = op->loc;
    build_op(&first, OP_MBARRIER_INIT, 1, &mbarriers, 0, NULL);
    build_op(&b, OP_MBARRIER_INVAL, 1, &mbarriers, 0, NULL);
  }
  build_op(&b, OP_MBARRIER_INIT, 1, &mbarriers, 0, NULL);
}

static void lower_begin(RingLowering *l, Op *op) {
  Builder b = builder_before(op);
  Value *first = build_int(&b, number_type(l), 0);
  if (op->operand_count) begin_mbarriers(op);
  *numbers_of(l, op_result(op)) = (SlotNumbers){first, first, op->operand_count ? first : NULL};
}

// --- control flow: where a ring was carried two numbers are

static void lower_region(RingLowering *l, Region *region);

static void push_operands(RingLowering *l, Values *to, const Op *op) {
  Arena *arena = l->context->scratch;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    Value *value = op_operand(op, i);
    if (!is_ring(value)) {
      vec_push(arena, &to->list, value);
      continue;
    }
    const SlotNumbers *numbers = numbers_of(l, value);
    vec_push(arena, &to->list, numbers->use);
    vec_push(arena, &to->list, numbers->fill);
    if (numbers->parity) vec_push(arena, &to->list, numbers->parity);
  }
}

static bool has_rings(const Op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (is_ring(op_operand(op, i))) return true;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (is_ring(&op->results[i])) return true;
  return false;
}

static void lower_yield(RingLowering *l, Op *yield) {
  Values values = {0};
  if (!has_rings(yield)) return;
  push_operands(l, &values, yield);
  Builder b = builder_before(yield);
  build_yield(&b, values.list.n, values.list.at);
  op_erase(yield);
}

static void take_over(Value *from, Value *to) {
  to->name = from->name;
  value_replace_uses(from, to);
}

static void move_region(RingLowering *l, const Op *from, Op *to, uint32_t r) {
  Region *old = from->regions[r], *region = region_new(l->func, to);
  const Type *number = number_type(l);
  for (uint32_t i = 0; i < old->arg_count; i++) {
    Value *arg = old->args[i];
    if (is_ring(arg)) {
      SlotNumbers *numbers = numbers_of(l, arg);
      numbers->use = region_add_arg(region, number, NULL);
      numbers->fill = region_add_arg(region, number, NULL);
      numbers->parity = has_mbarriers(l, arg) ? region_add_arg(region, number, NULL) : NULL;
    } else
      take_over(arg, region_add_arg(region, arg->type, arg->name));
  }
  while (old->first) op_move(old->first, region, NULL);
  lower_region(l, region);
}

// The op again with numbers for rings.
static void lower_control(RingLowering *l, Op *op) {
  Arena *arena = l->context->scratch;
  Values operands = {0};
  VEC(const Type *) types = {0};
  push_operands(l, &operands, op);
  for (uint32_t i = 0; i < op->result_count; i++) {
    bool ring = is_ring(&op->results[i]);
    vec_push(arena, &types, ring ? number_type(l) : op->results[i].type);
    if (ring) vec_push(arena, &types, number_type(l));
    if (ring && has_mbarriers(l, &op->results[i])) vec_push(arena, &types, number_type(l));
  }
  Builder b = builder_before(op);
  Op *made = build_op(&b, op->kind, operands.list.n, operands.list.at, types.n, types.at);
  op_copy_attrs(made, op);
  replace_later(l, op);
  for (uint32_t r = 0; r < op->region_count; r++) move_region(l, op, made, r);
  for (uint32_t i = 0, at = 0; i < op->result_count; i++, at++) {
    if (is_ring(&op->results[i])) {
      bool mbarriers = has_mbarriers(l, &op->results[i]);
      *numbers_of(l, &op->results[i]) = (SlotNumbers){&made->results[at], &made->results[at + 1],
                                                      mbarriers ? &made->results[at + 2] : NULL};
      at += mbarriers ? 2 : 1;
    } else {
      take_over(&op->results[i], &made->results[at]);
    }
  }
}

static void lower_op(RingLowering *l, Op *op) {
  switch ((int)op->kind) {
  case OP_RING_BEGIN: lower_begin(l, op); break;
  case OP_RING_FILL: lower_fill(l, op); break;
  case OP_RING_WAIT: lower_wait(l, op); break;
  case OP_RING_RELEASE: *numbers_of(l, op_result(op)) = *numbers_of(l, op_operand(op, 0)); break;
  case OP_YIELD: lower_yield(l, op); return;
  default:
    if (op->region_count && has_rings(op)) {
      lower_control(l, op);
      return;
    }
    for (uint32_t r = 0; r < op->region_count; r++) lower_region(l, op->regions[r]);
    return;
  }
  replace_later(l, op);
}

static void lower_region(RingLowering *l, Region *region) {
  for (Op *op = region->first, *next; op; op = next) {
    next = op->next;
    lower_op(l, op);
  }
}

bool pass_lower_rings(PassContext *context, Func *func) {
  func_number(func);
  RingLowering l = {.context = context, .func = func, .rings = rings_find(context->scratch, func)};
  if (!l.rings.begins.n) return false;
  l.numbers = ARENA_ARRAY(context->scratch, SlotNumbers, func->value_count);
  lower_region(&l, func->body);
  while (l.replaced.n) op_erase(vec_pop(&l.replaced));
  return true;
}
