// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lower_rings: turns rings into slot numbers.
//
// ```
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
// ```
//
// needs   place_barriers, in kernels without warp_groups. The states of slots are only visible in rings
// keeps   every value, every barrier, fence and wait
// breaks  nothing
// pays    codegen only needs buffers and numbers. A number is one register of a thread
//
// For a ring with mbarriers:
//
// before  %r = ring_begin %m {slots = 3}                      after  mbarrier_init %m
//         %a, %full, %r2 = ring_wait %r1, %s, %m                     %full = shared_index %m, %use
//                                                                    mbarrier_wait %full, %parity
//
// The parity changes each time that the number starts again at 0. A ring that starts again in a loop around it makes
// its mbarriers again. They are first made at the start of the function.
//
// Kernels with warp_groups have channels. They are lowered before their mbarriers get offsets. A channel's ring waits for
// an mbarrier of the slot. It has one phase for each time that the slot is full, or free.
//
// ```
// before  %f, %r = channel {slots = 3}                        after  mbarrier_init %full {arrivals = 4}
//         warp_groups do {                                           mbarrier_init %free {arrivals = 8}
//           %a, %r2 = ring_wait %r1, %s                              barrier
//           %r3 = ring_release %r2                                   warp_groups do {
//         } do {                                                       mbarrier_wait %full[%use], %parity
//           %a, %f2 = ring_fill %f1, %s                                %a = shared_index %s, %use
//           %f3 = ring_commit %f2                                      mbarrier_arrive %free[%fill]
//         }                                                          } do {
//                                                                      mbarrier_wait %free[%fill], %parity
//                                                                      %a = shared_index %s, %fill
//                                                                      mbarrier_arrive %full[%use]
// ```
//
// A channel with its own mbarriers has no arrival at `full`: copies count there. In the first ring, `fill` is the next
// slot to fill and `use` is the next to commit. In the second, `use` is the next slot to wait for and `fill` is the
// next to release. Slots that count as readable at the start are released first.
//
// The view of a slot being filled is made at its first write. So a condition around a copy also covers the copy's
// address. The slot number is incremented after the last write.
#include "ir/build.h"
#include "ir/memory/groups.h"
#include "ir/memory/scratch.h"
#include "passes/passes.h"
#include "passes/analysis/rings.h"

// Slot numbers of a ring value (i32), and the parity of the phase of its next wait. NULL: there is none.
typedef struct SlotNumbers {
  Value *use, *fill, *parity;
} SlotNumbers;

typedef struct ChannelMbarriers {
  Value *full, *free; // i64, one per slot; NULL: the ring belongs to no channel.
  bool counts;        // Counts bytes of copies at `full`.
} ChannelMbarriers;

typedef struct SlotsHeld {
  int count;  // slots that its group fills or reads
  bool reads; // the channel's second ring
} SlotsHeld;

typedef struct RingLowering {
  PassContext *context;
  Func *func;
  ChannelMbarriers *channels; // By ring index.
  Rings rings;
  SlotNumbers *numbers; // By id of the ring value.
  SlotsHeld *held;      // By id of the ring value.
  VEC(Op *) replaced;   // Their results are still in use. Each is erased after the later ones.
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
  const Op *begin = l->rings.begins.at[l->rings.of[ring->id]];
  return begin->kind == OP_CHANNEL || begin->operand_count > 0;
}

static ChannelMbarriers *channel_of(const RingLowering *l, const Value *ring) {
  return &l->channels[l->rings.of[ring->id]];
}

static void replace_later(RingLowering *l, Op *op) { vec_push(l->context->scratch, &l->replaced, op); }

// The parity after a use of slot `number`. It changes after slot `last`.
static Value *next_parity(const RingLowering *l, Builder *b, Value *parity, Value *number, uint32_t last) {
  int64_t known;
  const Type *type = number_type(l);
  Value *other = build_binary(b, OP_XOR, parity, build_int(b, type, 1));
  if (value_int_constant(number, &known)) return (uint64_t)known == last ? other : parity;
  Value *is_last = build_binary(b, OP_EQ, number, build_int(b, type, last));
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

static void replace_view(Op *op, uint32_t i, Op *before, Value *number) {
  Value *view = &op->results[i];
  if (value_unused(view)) return;
  Builder b = builder_before(before);
  if (before == op) b.loc = op_operand(op, i + 1)->def->loc;
  OpKind kind = view->type->kind == TYPE_TMEM ? OP_TMEM_SLOT : OP_SHARED_INDEX;
  value_replace_uses(view, build(&b, kind, view->type, op_operand(op, i + 1), number, NULL));
}

// The first op that uses the view, if all users are in one region; otherwise the op that gives the view.
static Op *first_user(Op *fill, const Value *view) {
  Op *first = view->first_use ? view->first_use->user : fill;
  for (const Use *use = view->first_use; use; use = use->next) {
    if (use->user->region != first->region) return fill;
    if (op_precedes(use->user, first)) first = use->user;
  }
  // The address is available when all warps have reached the barrier.
  while (first != fill && first->prev && first->prev->kind == OP_BARRIER) first = first->prev;
  return first;
}

// The first op that uses any of the views, if all users are in one region; otherwise the fill.
static Op *first_of_all(Op *fill) {
  Op *first = NULL;
  for (uint32_t i = 0; i + 1 < fill->result_count; i++) {
    if (value_unused(&fill->results[i])) continue;
    Op *user = first_user(fill, &fill->results[i]);
    if (user == fill || (first && user->region != first->region)) return fill;
    if (!first || op_precedes(user, first)) first = user;
  }
  return first ? first : fill;
}

// The last op in the fill's region that writes the slot.
static Op *last_writer(Op *fill, const Value *view, Op *last) {
  for (const Use *use = view->first_use; use; use = use->next) {
    Op *user = op_in_region(use->user, fill->region);
    if (op_precedes(last, user)) last = user;
    if (use->user->kind == OP_SHARED_TRANS) last = last_writer(fill, op_result(use->user), last);
  }
  return last;
}

static Value *slot_mbarrier(const RingLowering *l, Builder *b, Value *mbarriers, Value *number) {
  const uint32_t one = 1;
  return build(b, OP_SHARED_INDEX, shared_in_order(l->func->module->ir, ELEM_I64, 1, &one), mbarriers, number,
               NULL);
}

// The slot after which the parity of the op's wait changes. Slots that count as readable at the channel's start become
// free by their release. Other slots do so only from the second round on. So the former are one phase ahead.
static uint32_t last_of_phase(const RingLowering *l, const Op *op) {
  const Op *channel = l->rings.begins.at[l->rings.of[ring_result(op)->id]];
  uint32_t behind = op->kind == OP_RING_FILL ? (uint32_t)op_int(channel, ATTR_FILLED, 0) : 0;
  return ring_slots(channel) - 1 - behind;
}

// Emits the wait of a channel's ring before the op that gives slot `number`.
static void wait_channel(RingLowering *l, Op *op, Value *mbarriers, Value *number, SlotNumbers *numbers) {
  Builder b = builder_before(op);
  Value *mbarrier = slot_mbarrier(l, &b, mbarriers, number);
  build_op(&b, OP_MBARRIER_WAIT, 2, (Value *[]){mbarrier, numbers->parity}, 0, NULL);
  for (uint32_t i = 0; i + 1 < op->result_count; i++) replace_view(op, i, op, number);
  numbers->parity = next_parity(l, &b, numbers->parity, number, last_of_phase(l, op));
}

// --- how many slots a channel's ring holds at each point, as verify_rings.c counts them

static void count_region(RingLowering *l, const Region *region);

static void hand_on(RingLowering *l, const Value *from, const Value *to) {
  if (is_ring(from)) l->held[to->id] = l->held[from->id];
}

static void count_loop(RingLowering *l, const Op *op) {
  uint32_t first = op->operand_count - op->result_count;
  for (uint32_t i = 0; i < op->result_count; i++) {
    hand_on(l, op_operand(op, first + i), &op->results[i]);
    for (uint32_t r = 0; r < op->region_count; r++)
      hand_on(l, op_operand(op, first + i), op->regions[r]->args[i + (op->kind == OP_FOR)]);
  }
}

static void count_op(RingLowering *l, const Op *op) {
  if (op->kind == OP_CHANNEL) l->held[op->results[1].id] = (SlotsHeld){(int)op_int(op, ATTR_FILLED, 0), true};
  if (op_is_loop(op)) count_loop(l, op);
  for (uint32_t r = 0; r < op->region_count; r++) count_region(l, op->regions[r]);
  for (uint32_t i = 0; op->kind == OP_IF && i < op->result_count; i++)
    hand_on(l, op_operand(op->regions[0]->last, i), &op->results[i]);
  if (!op_has(op, RING)) return;
  hand_on(l, op_operand(op, 0), ring_result(op));
  l->held[ring_result(op)->id].count += op->kind == OP_RING_FILL || op->kind == OP_RING_WAIT ? 1 : -1;
}

static void count_region(RingLowering *l, const Region *region) {
  for (const Op *op = region->first; op; op = op->next) count_op(l, op);
}

// --- channels

// The filling ring advances the number of the slot to fill. The other ring advances the number of the slot to wait for.
// ring_commit and ring_release advance the other number.
static void lower_channel_op(RingLowering *l, Op *op) {
  SlotNumbers numbers = *numbers_of(l, op_operand(op, 0));
  const ChannelMbarriers *channel = channel_of(l, op_operand(op, 0));
  bool counts = op->kind == OP_RING_COMMIT && channel->counts; // The bytes of its copies count.
  bool waits = op->kind == OP_RING_FILL || op->kind == OP_RING_WAIT;
  bool use = op->kind == OP_RING_WAIT || op->kind == OP_RING_COMMIT;
  Value **number = use ? &numbers.use : &numbers.fill;
  Value *mbarriers = use ? channel->full : channel->free;
  Builder b = builder_before(op);
  if (waits) wait_channel(l, op, mbarriers, *number, &numbers);
  // The only slot that the thread holds is the one that it returns next. So one number is enough.
  if (waits && group_runs_by_thread(op) && !(channel->counts && op->kind == OP_RING_FILL) &&
      !l->held[op_operand(op, 0)->id].count)
    *(use ? &numbers.fill : &numbers.use) = *number;
  if (!waits && !counts) {
    Value *mbarrier = slot_mbarrier(l, &b, mbarriers, *number);
    Op *arrive = build_op(&b, OP_MBARRIER_ARRIVE, 1, &mbarrier, 0, NULL);
    for (uint32_t i = 1; i < op->operand_count; i++) op_add_operand(arrive, op_operand(op, i));
  }
  *number = next_number(l, &b, *number, slots_of(l, ring_result(op)));
  *numbers_of(l, ring_result(op)) = numbers;
}

// The arrivals that the group using the ring makes at once.
static uint32_t arrivals_of(const Value *ring) {
  const Op *user = ring->first_use->user;
  return group_runs_by_thread(user) ? 1 : region_warps(user);
}

static Value *make_mbarriers(RingLowering *l, Op *channel, uint32_t arrivals) {
  const uint32_t slots = ring_slots(channel), shape[] = {slots, 1};
  Builder b = builder_before(channel);
  Value *mbarriers =
      build(&b, OP_SHARED_ALLOC, shared_in_order(l->func->module->ir, ELEM_I64, 2, shape), NULL, NULL, NULL);
  Op *init = build_op(&b, OP_MBARRIER_INIT, 1, &mbarriers, 0, NULL);
  op_set_int(init, ATTR_ARRIVALS, arrivals);
  return mbarriers;
}

// Only the first CTA of a pair waits for free slots, of both.
static void pair_mbarriers(Value *mbarriers) {
  Op *init = mbarriers->def->next;
  op_set_flag(mbarriers->def, ATTR_PAIR, true);
  op_set_int(init, ATTR_PAIR_ARRIVALS, 2 * op_int(init, ATTR_ARRIVALS, 1));
}

static void lower_channel(RingLowering *l, Op *op) {
  Value *fills = &op->results[0], *reads = &op->results[1];
  Builder b = builder_before(op);
  ChannelMbarriers made = {.full = op_operand(op, 0), .counts = op->operand_count > 0};
  if (made.counts)
    build_op(&b, OP_MBARRIER_INIT, 1, &made.full, 0, NULL);
  else
    made.full = make_mbarriers(l, op, arrivals_of(fills));
  made.free = make_mbarriers(l, op, arrivals_of(reads));
  if (op_attr(op, ATTR_PAIR)) pair_mbarriers(made.free);
  Value *zero = build_int(&b, number_type(l), 0), *one = build_int(&b, number_type(l), 1);
  *channel_of(l, fills) = *channel_of(l, reads) = made;
  *numbers_of(l, fills) = (SlotNumbers){zero, zero, one}; // All slots are free.
  uint32_t behind = (uint32_t)op_int(op, ATTR_FILLED, 0);
  Value *release = behind ? build_int(&b, number_type(l), ring_slots(op) - behind) : zero;
  *numbers_of(l, reads) = (SlotNumbers){zero, release, zero};
}

static void lower_fill(RingLowering *l, Op *op) {
  SlotNumbers numbers = *numbers_of(l, op_operand(op, 0));
  Op *last = op;
  for (uint32_t i = 0; i + 1 < op->result_count; i++) last = last_writer(op, &op->results[i], last);
  // One thread fills a slot with mbarriers, so the views come before all of its ops.
  Op *first = numbers.parity ? first_of_all(op) : NULL;
  for (uint32_t i = 0; i + 1 < op->result_count; i++)
    replace_view(op, i, first ? first : first_user(op, &op->results[i]), numbers.fill);
  const Use *next = ring_result(op)->first_use;
  if (next && !op_precedes(last, next->user)) last = op;
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
    numbers.parity = next_parity(l, &b, numbers.parity, numbers.use, slots_of(l, ring_result(op)) - 1);
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

// --- control flow: numbers replace each loop-carried ring

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
      value_take_over(arg, region_add_arg(region, arg->type, arg->name));
  }
  while (old->first) op_move(old->first, region, NULL);
  lower_region(l, region);
}

// The slots of a pair are returned to both CTAs. So the copying thread, and with it the CTA, ends after that.
static void wait_for_slots(RingLowering *l, const Value *ring, Op *last) {
  const Op *around = ring->def->region->parent;
  if (!around || around->kind != OP_WARP_GROUPS || !value_unused(ring) || l->held[ring->id].reads) return;
  const ChannelMbarriers *channel = channel_of(l, ring);
  if (!channel->full || !channel->counts || !op_attr(channel->full->def, ATTR_PAIR)) return;
  SlotNumbers numbers = *numbers_of(l, ring);
  Builder b = builder_after(last);
  b.loc = last->loc;
  for (uint32_t i = 0, slots = slots_of(l, ring); i < slots; i++) {
    Value *mbarrier = slot_mbarrier(l, &b, channel->free, numbers.fill);
    build_op(&b, OP_MBARRIER_WAIT, 2, (Value *[]){mbarrier, numbers.parity}, 0, NULL);
    numbers.parity = next_parity(l, &b, numbers.parity, numbers.fill, slots - 1);
    numbers.fill = next_number(l, &b, numbers.fill, slots);
  }
}

// Builds the op again with numbers instead of rings.
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
      wait_for_slots(l, &op->results[i], made);
      at += mbarriers ? 2 : 1;
    } else {
      value_take_over(&op->results[i], &made->results[at]);
    }
  }
}

static bool is_of_channel(const RingLowering *l, const Op *op) {
  return op_has(op, RING) && channel_of(l, op_operand(op, 0))->full;
}

static void lower_op(RingLowering *l, Op *op) {
  if (is_of_channel(l, op)) {
    lower_channel_op(l, op);
    replace_later(l, op);
    return;
  }
  switch ((int)op->kind) {
  case OP_CHANNEL: lower_channel(l, op); break;
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

static bool lower_all(PassContext *context, Func *func) {
  func_number(func);
  RingLowering l = {.context = context, .func = func, .rings = rings_find(context->scratch, func)};
  if (!l.rings.begins.n) return false;
  l.numbers = ARENA_ARRAY(context->scratch, SlotNumbers, func->value_count);
  l.channels = ARENA_ARRAY(context->scratch, ChannelMbarriers, l.rings.begins.n);
  l.held = ARENA_ARRAY(context->scratch, SlotsHeld, func->value_count);
  count_region(&l, func->body);
  lower_region(&l, func->body);
  while (l.replaced.n) op_erase(vec_pop(&l.replaced));
  return true;
}

static bool lacks_offsets(const Func *func) {
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (w.op->kind == OP_SHARED_ALLOC && !op_attr(w.op, ATTR_OFFSET)) return true;
  return false;
}

bool pass_lower_rings(PassContext *context, Func *func) {
  if ((!func_groups(func) && lacks_offsets(func)) || !lower_all(context, func)) return false;
  if (!func_groups(func)) return true;
  // All warps see the mbarriers from the start of the groups.
  Builder b = builder_before((Op *)func_groups(func));
  build_op(&b, OP_BARRIER, 0, NULL, 0, NULL);
  return true;
}
