// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// delay_dot_waits: moves each dot's wait to its first use, in loops with several dots. Dots that can be in flight
// together then are.
//
// ```
// before  %s = dot %k, %q; wait                after  %s = dot %k, %q
//         %d = dot %v, %do; wait                      %d = dot %v, %do
//         %p = exp2 %s                                wait for %s {pending = 1}
//         %p16 = cast %p                              %p = exp2 %s                   under the second dot
//         %dv = dot %p16, %do, ...; wait              wait for %d, %p {pending = 0}
//         %x = mul %p, %d                             %x = mul %p, %d
//         %x16 = cast %x                              %x16 = cast %x
//         shared_store %x16, %b                       shared_store %x16, %b
//         %dq = dot %b, %k; wait                      %p16 = cast %p
//         %dk = dot %x16, %q, ...; wait               %dv = dot %p16, %do, ...
//         atomic_rmw ..., %dq                         %dq = dot %b, %k
//                                                     %dk = dot %x16, %q, ...
//                                                     wait for %dv, %dq {pending = 1}
//                                                     atomic_rmw ..., %dq            under the third dot
//                                                     wait for %dk {pending = 0}
// ```
//
// needs   wgmma chosen. Operands in shared memory, each dot's wait right after it (promote_shared)
// keeps   every value
// breaks  nothing
// pays    tensor cores multiply while other values are computed. They need not wait for a dot to start
//
// An accumulator that elementwise ops compute between two dots is computed before the first dot:
//
// ```
//         %s = dot %a, %b, %s0; wait           %t = add %t0, %x
//         %t = add %t0, %x               ->    %s = dot %a, %b, %s0
//         %u = dot %a, %b, %t; wait            %u = dot %a, %b, %t
//                                              wait for %s, %u {pending = 0}
// ```
//
// While a dot is in flight, no register that another dot takes may be written. Otherwise ptxas makes each dot wait for
// itself. So a dot is delayed until the operands of later dots that can be in flight with it are packed. An operand
// that is packed after a wait passes through that wait. If the loop-carried accumulators fill a thread's registers,
// dots wait as before.
#include "ir/build.h"
#include "ir/dot/dot.h"
#include "ir/dot/layout_dot.h"
#include "passes/passes.h"
#include "passes/analysis/overlapped_dots.h"
#include "passes/analysis/pressure.h"

enum { MAX_WAITED = 8 }; // Values that pass through one wait.

typedef struct Sinking {
  PassContext *context;
  Arena *arena;
  Func *func;
  const Region *body;
  VEC(Op *) dots; // In program order.
} Sinking;

static Op *wait_of(const Op *dot) { return op_result(dot)->first_use->user; }

// --- loops that qualify

static bool has_dots(const Op *op) {
  for (OpWalk w = ops_inside(op); ops_next(&w);)
    if (w.op->kind == OP_DOT || w.op->kind == OP_DOT_WAIT) return true;
  return false;
}

static bool is_plain(const Op *dot) {
  const Op *wait = dot_wait_of(dot);
  return is_dot_of(dot, DOT_WGMMA) && op_attr(dot, ATTR_ASYNC) && wait && wait == wait_of(dot) &&
         wait->operand_count == 1 && !dot_promotes(dot) && !dot_parts(dot) &&
         !type_is_elem(op_result(dot)->type, ELEM_FP16);
}

static bool find_dots(Sinking *s) {
  for (Op *op = s->body->first; op; op = op->next) {
    if (has_dots(op)) return false;
    if (op->kind != OP_DOT) continue;
    if (!is_plain(op)) return false;
    vec_push(s->arena, &s->dots, op);
  }
  return s->dots.n > 1;
}

// --- dependences of ops

// The op of the body that contains the op, or is the op; NULL: none.
static Op *in_body(const Sinking *s, const Op *op) { return op_in_region(op, s->body); }

static Op *first_user(const Sinking *s, const Value *value) {
  Op *first = s->body->last;
  for (const Use *use = value->first_use; use; use = use->next) {
    Op *user = in_body(s, use->user);
    if (user && user->id < first->id) first = user;
  }
  return first;
}

static bool reads_buffer(const Op *dot, const Op *buffer) {
  return buffer && (buffer == dot_buffer(op_operand(dot, 0)) || buffer == dot_buffer(op_operand(dot, 1)));
}

// Returns true if the dot may be in flight, or start, on either side of the op.
static bool passes_by(const Op *dot, const Op *op) {
  if (op->kind == OP_SHARED_STORE) return !reads_buffer(dot, dot_buffer(op_operand(op, 1)));
  return op_is_dead(op) || op->kind == OP_DOT_WAIT || op_has(op, ELEMENTWISE | GLOBAL);
}

// The op that packs a dot's register operand from wider numbers, the last one first.
static Op *packing_of(const Sinking *s, const Value *operand) {
  Op *op = operand->def;
  bool packs = op && op->region == s->body && (op->kind == OP_CAST || op->kind == OP_CONVERT_LAYOUT) &&
               op->operand_count == 1;
  return packs ? op : NULL;
}

// --- accumulators

// Returns true if only elementwise ops compute the value from values available before the dot.
static bool can_precede(const Sinking *s, const Value *value, const Op *dot) {
  const Op *op = value->def;
  if (!op || op->region != s->body || op->id < dot->id) return true;
  if (!op_has(op, PURE | ELEMENTWISE) && !op_has(op, SPREADS)) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!can_precede(s, op_operand(op, i), dot)) return false;
  return true;
}

// Moves the computation of the accumulator before the first possible one of `count` dots.
static void compute_early(Sinking *s, const Value *sum, uint32_t count) {
  func_number(s->func);
  for (uint32_t i = 0; i < count; i++)
    if (can_precede(s, sum, s->dots.at[i])) {
      op_bring_before(sum->def, s->dots.at[i]);
      return;
    }
}

// ptxas would wait for a dot in flight before it writes a register in which another dot accumulates. This holds in one
// iteration and across iterations.
static void compute_accumulators_early(Sinking *s) {
  for (uint32_t i = 1; i < s->dots.n; i++) compute_early(s, op_operand(s->dots.at[i], 2), i);
  const Op *yield = s->body->last;
  for (uint32_t i = 0; i < yield->operand_count; i++)
    for (uint32_t k = 0; k < s->dots.n; k++)
      if (op_operand(yield, i)->type == op_result(s->dots.at[k])->type) {
        compute_early(s, op_operand(yield, i), s->dots.n);
        break;
      }
}

// --- dots that start together

static bool packs_between(const Sinking *s, const Op *first, const Op *end) {
  for (uint32_t i = 0; i < s->dots.n; i++) {
    const Value *operand = op_operand(s->dots.at[i], 0);
    const Op *op = s->dots.at[i]->id > first->id && type_is_tile(operand->type) ? operand->def : NULL;
    if (op && op->region == s->body && op->id > first->id && op->id < end->id) return true;
  }
  return false;
}

static bool can_stay_back(const Sinking *s, const Op *dot, const Op *next) {
  if (first_user(s, op_result(wait_of(dot)))->id <= next->id) return false;
  for (const Op *op = dot->next; op != next; op = op->next)
    if (!passes_by(dot, op)) return false;
  return true;
}

static void begin_together(Sinking *s) {
  for (uint32_t i = s->dots.n - 1; i-- > 0;) {
    Op *dot = s->dots.at[i], *next = s->dots.at[i + 1], *wait = wait_of(dot);
    func_number(s->func);
    if (!packs_between(s, dot, next) || !can_stay_back(s, dot, next)) continue;
    op_move(dot, next->region, next);
    op_move(wait, next->region, next);
  }
}

// Delays each packing op as far as its users allow, but not past the next dot.
static void pack_late(Sinking *s) {
  for (uint32_t i = 0; i < s->dots.n; i++)
    for (Op *op = packing_of(s, op_operand(s->dots.at[i], 0)); op; op = packing_of(s, op_operand(op, 0))) {
      func_number(s->func);
      Op *user = first_user(s, op_result(op)), *to = op->next;
      while (to != user && to->kind != OP_DOT) to = to->next;
      op_move(op, to->region, to);
    }
}

// --- waits

static bool is_packing(const Sinking *s, const Op *op) {
  for (uint32_t i = 0; i < s->dots.n; i++)
    for (const Op *packs = packing_of(s, op_operand(s->dots.at[i], 0)); packs;
         packs = packing_of(s, op_operand(packs, 0)))
      if (packs == op) return true;
  return false;
}

// The wait stops at the wait of a later dot, which waits for this dot too. ptxas serialises dots whose waits come in
// another order.
static void sink_wait(Sinking *s, const Op *dot) {
  Op *wait = wait_of(dot), *to = wait->next;
  uint32_t pending = 0;
  func_number(s->func);
  const Op *user = first_user(s, op_result(wait));
  while (to != user && to->kind != OP_DOT_WAIT && passes_by(dot, to) && !is_packing(s, to)) {
    pending += to->kind == OP_DOT;
    to = to->next;
  }
  op_move(wait, to->region, to);
  op_set_int(wait, ATTR_PENDING, pending);
}

// Adds a value that passes through the wait. If pinned, it must be computed before the wait.
static Op *widen(Op *wait, Value *value, bool pinned) {
  Value *operands[2 * MAX_WAITED];
  const Type *types[MAX_WAITED];
  uint32_t n = wait->result_count, all = wait->operand_count;
  for (uint32_t i = 0; i < n; i++) types[i] = wait->results[i].type;
  for (uint32_t i = 0; i < all; i++) operands[i < n ? i : i + 1] = op_operand(wait, i);
  operands[n] = value, types[n] = value->type;
  if (pinned) operands[++all] = value;
  Builder b = builder_before(wait);
  Op *made = build_op(&b, OP_DOT_WAIT, all + 1, operands, n + 1, types);
  op_copy_attrs(made, wait);
  op_set_flag(made, ATTR_PINNED, made->operand_count > made->result_count);
  for (uint32_t i = 0; i < n; i++) {
    made->results[i].name = wait->results[i].name;
    value_replace_uses(&wait->results[i], &made->results[i]);
  }
  op_erase(wait);
  return made;
}

// Merges adjacent waits into one, for the latest dot.
static void join_waits(Op *wait) {
  Op *next = wait->next;
  while (next->kind == OP_DOT_WAIT && wait->result_count + next->result_count <= MAX_WAITED) {
    int64_t pending = op_int(wait, ATTR_PENDING, 0), other = op_int(next, ATTR_PENDING, 0);
    for (uint32_t i = 0; i < next->result_count; i++) {
      wait = widen(wait, op_operand(next, i), false);
      value_replace_uses(&next->results[i], &wait->results[wait->result_count - 1]);
    }
    op_set_int(wait, ATTR_PENDING, other < pending ? other : pending);
    op_erase(next);
    next = wait->next;
  }
}

// Passes a value through the wait if it is computed before it and packed after it.
static void pass_through(Sinking *s, Op *wait, Value *value) {
  if (wait->result_count == MAX_WAITED) return;
  Op *made = widen(wait, value, true);
  func_number(s->func);
  for (Use *use = value->first_use, *next; use; use = next) {
    next = use->next;
    const Op *user = in_body(s, use->user);
    if (user && user->id > made->id)
      op_set_operand(use->user, (uint32_t)(use - use->user->operands),
                     &made->results[made->result_count - 1]);
  }
}

static void pass_packed(Sinking *s, const Op *dot) {
  Op *packs = packing_of(s, op_operand(dot, 0)), *inner = packs;
  while (inner) {
    packs = inner;
    inner = packing_of(s, op_operand(packs, 0));
  }
  if (!packs) return;
  Value *value = op_operand(packs, 0);
  for (Op *op = packs->prev; op && op != value->def; op = op->prev)
    if (op->kind == OP_DOT_WAIT) {
      if (value->def && value->def->region == s->body) pass_through(s, op, value);
      return;
    }
}

// --- loads

// The first op that computes with the value.
static const Op *needed_at(const Sinking *s, const Value *value) {
  const Op *first = s->body->last;
  for (const Use *use = value->first_use; use; use = use->next) {
    const Op *user = in_body(s, use->user);
    if (user && op_has(user, SPREADS)) user = needed_at(s, op_result(user));
    if (user && user->id < first->id) first = user;
  }
  return first;
}

// The op moves, and those that spread its value move with it.
static void spread_late(Sinking *s, Op *op, Op *to) {
  op_move(op, to->region, to);
  for (const Use *use = op_result(op)->first_use; use; use = use->next)
    if (use->user->region == s->body && op_has(use->user, SPREADS) && use->user->id < to->id)
      spread_late(s, use->user, to);
}

static bool passes_load(const Op *op) {
  return op_is_dead(op) || op->kind == OP_DOT_WAIT || op->kind == OP_SHARED_STORE;
}

// If a value is needed after the second of two waits, its load moves after the first. Until then its registers are
// free. The code between the two waits hides its latency.
static void load_late(Sinking *s, Op *load) {
  const Op *needed = needed_at(s, op_result(load)), *op = needed->prev;
  while (op != load && op->kind != OP_DOT_WAIT) op = op->prev;
  if (op == load) return;
  for (op = op->prev; op != load && op->kind != OP_DOT_WAIT;) op = op->prev;
  if (op == load) return;
  Op *to = op->next;
  for (op = load->next; op != to; op = op->next)
    if (!passes_load(op)) return;
  spread_late(s, load, to);
}

static void load_all_late(Sinking *s) {
  func_number(s->func);
  for (Op *op = s->body->last->prev, *before; op; op = before) {
    before = op->prev;
    if (op->kind == OP_LOAD && type_is_tile(op_result(op)->type) && !op_attr(op, ATTR_VOLATILE))
      load_late(s, op);
  }
}

// Reports the largest number of dots in flight at one time.
static void remark(const Sinking *s, const Op *loop) {
  uint32_t begun = 0, most = 0;
  for (const Op *op = s->body->first; op; op = op->next) {
    int64_t pending = op_int(op, ATTR_PENDING, 0);
    if (op->kind == OP_DOT_WAIT && pending < begun) begun = (uint32_t)pending;
    begun += op->kind == OP_DOT;
    if (begun > most) most = begun;
  }
  if (most > 1)
    diag_remark(s->context->diags, loop->loc, "delay_dot_waits",
                "up to %u of the loop's %u dots are in flight at once", most, s->dots.n);
}

static void sink_in_loop(Sinking *of, Op *loop) {
  Sinking s = {.context = of->context, .arena = of->arena, .func = of->func};
  if (loop->kind != OP_FOR || op_attr(loop, ATTR_OVERLAPPED)) return;
  if (loop_fills_registers(s.func, loop)) return; // Accumulators that are alive together would all spill.
  s.body = loop->regions[0];
  if (!find_dots(&s)) return;
  compute_accumulators_early(&s);
  begin_together(&s);
  pack_late(&s);
  for (uint32_t i = s.dots.n; i-- > 0;) sink_wait(&s, s.dots.at[i]);
  for (uint32_t i = 0; i < s.dots.n; i++) join_waits(wait_of(s.dots.at[i]));
  for (uint32_t i = 0; i < s.dots.n; i++) pass_packed(&s, s.dots.at[i]);
  load_all_late(&s);
  remark(&s, loop);
  of->body = s.body;
}

bool pass_delay_dot_waits(PassContext *context, Func *func) {
  Sinking s = {.context = context, .arena = context->scratch, .func = func};
  func_number(func);
  for (OpWalk w = ops_in(func->body); ops_next(&w);) sink_in_loop(&s, w.op);
  return s.body != NULL;
}
