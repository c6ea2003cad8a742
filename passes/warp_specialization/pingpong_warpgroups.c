// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pingpong_warpgroups: warpgroups start their dots one after another, so that one's dots overlap another's
// exponentials.
//
// ```
// before  for ... {                           after  pingpong_pass {last}
//           %s = dot %q, %k, 0 {async}               for ... {
//           %o = dot %p, %v, %a {async}                pingpong_wait
//           dot_wait %s {pending = 1}                  %s = dot %q, %k, 0 {async}
//           ... of %s ...                              %o = dot %p, %v, %a {async}
//           dot_wait %o                                pingpong_pass
//         }                                            dot_wait %s {pending = 1}
//                                                      ... of %s ...
//                                                      dot_wait %o
//                                                    }
//           dot %p, %v, %o, and its wait             dot %p, %v, %o, and its wait
//                                                    pingpong_wait {first}
// ```
//
// needs   Warp groups, and loops as rotate_loops leaves them. Runs after place_barriers: the loop may have no barrier
//         of the group. At a barrier, one warpgroup would wait for another that waits for its turn.
// keeps   every value
// breaks  nothing
// pays    Otherwise both start at the same time. Their dots wait for each other, then their exponentials do, and the
//         tensor cores have nothing to do.
//
// The first warpgroup waits for the last turn of the last warpgroup. So each barrier has the same number of arrivals
// and waits, for any trip count.
#include "passes/analysis/hopper_limits.h"
#include "ir/build.h"
#include "ir/memory/groups.h"
#include "passes/passes.h"

enum { WARPGROUP = 4, FIRST_BARRIER = 2 };

typedef struct TurnTaker {
  PassContext *context;
  bool changed;
} TurnTaker;

typedef struct BegunDots {
  Op *first, *second;
} BegunDots;

static bool has_barrier(const Region *region) {
  return ops_find(region, OP_BARRIER) || ops_find(region, OP_PINGPONG_WAIT);
}

// True if two dots start before the first wait, and that wait is for the first dot.
static bool find_begun(const Op *loop, BegunDots *dots) {
  *dots = (BegunDots){0};
  for (Op *op = loop->regions[0]->first; op; op = op->next) {
    if (op->kind == OP_DOT_WAIT)
      return dots->second && op_operand(op, 0) == op_result(dots->first) && op_int(op, ATTR_PENDING, 0) == 1;
    if (op->kind != OP_DOT || !op_attr(op, ATTR_ASYNC)) continue;
    if (dots->second) return false;
    *(dots->first ? &dots->second : &dots->first) = op;
  }
  return false;
}

static void put_turn(Builder b, OpKind kind, AttrKey edge) {
  Op *op = build_op(&b, kind, 0, NULL, 0, NULL);
  op_set_int(op, ATTR_ID, FIRST_BARRIER);
  if (edge != ATTR_ID) op_set_flag(op, edge, true);
}

// The place after the straight-line code that follows the loop. So the last dot does not wait for the other warpgroups'
// last turns.
static Op *behind_last(const Op *loop) {
  Op *op = loop->next;
  while (!op_has(op, TERMINATOR) && op->region_count == 0) op = op->next;
  return op;
}

static void pingpong_warpgroups(TurnTaker *t, Op *loop) {
  BegunDots dots;
  if (loop->kind != OP_FOR || !find_begun(loop, &dots)) return;
  const Type *sums = op_result(dots.second)->type;
  const char *why = has_barrier(loop->regions[0]) ? "warps meet at a barrier in the loop"
                    : !pingpong_pays(sums->shape[sums->rank - 1])
                        ? "dots take longer than what overlaps with them"
                        : NULL;
  if (why) {
    diag_remark(t->context->diags, loop->loc, "pingpong_warpgroups", "no ping-pong of warpgroups: %s", why);
    return;
  }
  put_turn(builder_before(loop), OP_PINGPONG_PASS, ATTR_LAST);
  put_turn(builder_before(dots.first), OP_PINGPONG_WAIT, ATTR_ID);
  put_turn(builder_after(dots.second), OP_PINGPONG_PASS, ATTR_ID);
  put_turn(builder_before(behind_last(loop)), OP_PINGPONG_WAIT, ATTR_FIRST);
  diag_remark(t->context->diags, loop->loc, "pingpong_warpgroups",
              "%u warpgroups start their dots one after another", region_warps(loop) / WARPGROUP);
  t->changed = true;
}

bool pass_pingpong_warpgroups(PassContext *context, Func *func) {
  TurnTaker t = {context, false};
  const Op *groups = func_groups(func);
  if (groups && group_warps(groups, 0) >= 2 * WARPGROUP)
    for (OpWalk w = ops_in(groups->regions[0]); ops_next(&w);) pingpong_warpgroups(&t, w.op);
  return t.changed;
}
