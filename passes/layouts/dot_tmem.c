// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Can a dot's sums be in tensor memory? They must stay there in a loop: the loop only carries them from one dot to the
// next. The kernel has tensor memory for one accumulator at a time.
//
// Dots of one region that add to one another's results, and to nothing else, have the same sums.
#include "passes/layouts/choose_dot.h"

static bool adds_to(const Use *use, const Region *region) {
  const Op *user = use ? use->user : NULL;
  return user && user->kind == OP_DOT && user->region == region && use == &user->operands[2];
}

// The dot to whose result this one adds, which nothing else uses. NULL: there is none.
static const Op *dot_before(const Op *dot) {
  const Op *before = op_operand(dot, 2)->def;
  return before && before->kind == OP_DOT && adds_to(value_single_use(op_result(before)), dot->region)
             ? before
             : NULL;
}

static const Op *dot_after(const Op *dot) {
  const Use *use = value_single_use(op_result(dot));
  return adds_to(use, dot->region) ? use->user : NULL;
}

static const Op *loop_around(const Op *op) {
  const Op *around = op->region->parent;
  while (around && !op_is_loop(around)) around = around->region->parent;
  return around;
}

// Returns true if the loop's body uses a carried value in the first dot alone, and yields the last one's result for it.
static bool is_carried(const Op *loop, const Op *first, const Op *last) {
  const Value *sum = op_operand(first, 2);
  const Use *use = value_single_use(op_result(last));
  if (loop->kind != OP_FOR || sum->def || sum->region != loop->regions[0] || first->region != sum->region)
    return false;
  return sum->index > 0 && value_single_use(sum) && use && use->user == sum->region->last &&
         use == &use->user->operands[sum->index - 1];
}

static bool is_taken(const DotChooser *c, const SumsLife *life) {
  for (uint32_t i = 0; i < c->lives.n; i++) {
    const SumsLife *other = &c->lives.at[i];
    bool same = other->begin == life->begin && other->end == life->end && other->first == life->first;
    if (!same && (other->type != life->type || (life->begin <= other->end && other->begin <= life->end)))
      return true;
  }
  return false;
}

static bool all_fit(const DotChooser *c, const Op *first, const Op *last) {
  for (const Op *dot = first; dot; dot = dot == last ? NULL : dot_after(dot)) {
    DotProduct is = dot_product(dot);
    if (dot_refuses(c->context->scratch, &is, DOT_TCGEN05)) return false;
  }
  return true;
}

const char *dot_sums_held(DotChooser *c, const Product *p, SumsLife *life) {
  const Op *first = p->op, *last = p->op, *loop = loop_around(p->op);
  while (dot_before(first)) first = dot_before(first);
  while (dot_after(last)) last = dot_after(last);
  *life = (SumsLife){.first = first, .type = op_result(last)->type, .begin = first->id, .end = last->id};
  if (loop) life->begin = loop->id, life->end = op_last_id(loop);
  if (p->chained) return "its result and another dot's first operand depend on each other";
  if (op_attr(p->op, ATTR_EXTENTS) && dot_is_scaled(p->op)) return "its tiles have scales and are padded";
  if (dot_words_run(p, DOT_A) || dot_words_run(p, DOT_B)) return "an operand is unpacked from words";
  if (loop && !is_carried(loop, first, last)) return "the loop uses the sums for more than the next dot";
  if (!all_fit(c, first, last)) return "another dot with the same sums does not fit";
  return is_taken(c, life) ? "tensor memory has another accumulator at that time" : NULL;
}
