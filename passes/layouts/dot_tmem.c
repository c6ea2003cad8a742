// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Can a dot's sums be in tensor memory? They must stay there in a loop: the loop only carries them from one dot to the
// next. The kernel has tensor memory for one such accumulator at a time.
//
// Dots of one region that add to one another's results, and to nothing else, have the same sums.
//
// A loop of chained dots has a second accumulator, for sums that begin at zero and are read right after the dot (scores).
// The loop may scale the sums that it carries: they are read, scaled and written back before the dot. All dots of the
// loop are by tcgen05, or none.
#include "base/integer.h"
#include "ir/dot/layout_dot.h"
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

// Returns true if the loop's body uses a carried value in the first dot alone, and yields the last one's result for it.
static bool is_carried(const Op *loop, const Op *first, const Op *last) {
  const Value *sum = op_operand(first, 2);
  const Use *use = value_single_use(op_result(last));
  if (loop->kind != OP_FOR || sum->def || sum->region != loop->regions[0] || first->region != sum->region)
    return false;
  return sum->index > 0 && value_single_use(sum) && use && use->user == sum->region->last &&
         use == &use->user->operands[sum->index - 1];
}

static Op *rescaled_by(const Value *value, const Region *body, uint32_t depth, uint32_t *index) {
  Op *op = value->def;
  if (!op || depth == 0 || op->region != body || !op_has(op, ELEMENTWISE) || !op_has(op, PURE) ||
      !value_single_use(value))
    return NULL;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Value *operand = op_operand(op, i);
    bool carried = !operand->def && operand->region == body && operand->index > 0;
    if (operand->type != value->type) continue;
    if (carried && value_single_use(operand)) return *index = operand->index - 1, op;
    Op *below = rescaled_by(operand, body, depth - 1, index);
    if (below) return below;
  }
  return NULL;
}

Op *dot_sums_rescaled(const Op *dot, uint32_t *index) {
  enum { MOST_OPS = 4 };
  const Op *loop = dot->region->parent;
  if (!loop || loop->kind != OP_FOR) return NULL;
  return rescaled_by(op_operand(dot, DOT_SUM), dot->region, MOST_OPS, index);
}

static bool is_taken(const DotChooser *c, const SumsLife *life) {
  for (uint32_t i = 0; i < c->lives.n; i++) {
    const SumsLife *other = &c->lives.at[i];
    if (other->passes) continue;
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

// --- chained dots

// Do both accumulators fit, of this type and of those before?
static bool exceeds_columns(const DotChooser *c, const Type *type) {
  uint32_t columns = 0;
  for (uint32_t i = 0; i <= c->lives.n; i++) {
    const Type *tile = i < c->lives.n ? c->lives.at[i].type : type;
    uint32_t blocks = max_u32(1, tile->shape[0] >> TMEM_LANE_BITS);
    columns = max_u32(columns, blocks * tile->shape[1]);
  }
  return 2 * columns > 1u << TMEM_COLUMN_BITS;
}

static bool is_rescaled(const Op *loop, const Op *dot) {
  uint32_t index;
  const Use *use = value_single_use(op_result(dot));
  return dot_sums_rescaled(dot, &index) && use && use == &loop->regions[0]->last->operands[index];
}

static const char *link_refuses(DotChooser *c, const Op *loop, const Op *dot) {
  enum { MOST_WORDS = 128 };
  DotProduct is = dot_product(dot);
  Product p = {.op = (Op *)dot, .is = is, .shape = is.shape};
  if (dot_refuses(c->context->scratch, &is, DOT_TCGEN05)) return "another dot of the chain does not fit";
  if (is.shape.m < TMEM_LANE_BITS) return "chained dots have fewer than 128 rows";
  if (op_attr(dot, ATTR_EXTENTS) || dot_is_scaled(dot)) return "chained dots are padded, or have scales";
  if (dot_words_run(&p, DOT_A) || dot_words_run(&p, DOT_B)) return "an operand is unpacked from words";
  if (type_elements(op_result(dot)->type) / region_threads(dot) > MOST_WORDS)
    return "a thread has no registers for a row of a chained dot";
  if (exceeds_columns(c, op_result(dot)->type)) return "tensor memory has no room for chained dots";
  bool carried = is_carried(loop, dot, dot) || is_rescaled(loop, dot);
  return carried || value_is_zero(op_operand(dot, DOT_SUM))
             ? NULL
             : "its chain has sums that neither begin at zero nor are carried";
}

// The loop has one accumulator that it carries, and others that begin at zero.
static const char *chain_refuses(DotChooser *c, const Product *p, SumsLife *life) {
  const Op *loop = p->op->region->parent, *carried = NULL;
  if (!loop || loop->kind != OP_FOR) return "its result and another dot's first operand depend on each other";
  for (const Op *op = loop->regions[0]->first; op; op = op->next) {
    const char *why = op->kind == OP_DOT ? link_refuses(c, loop, op) : NULL;
    if (why) return why;
    if (op->kind != OP_DOT || value_is_zero(op_operand(op, DOT_SUM))) continue;
    if (carried) return "its loop carries the sums of several dots";
    carried = op;
  }
  if (!carried) return "its result and another dot's first operand depend on each other";
  *life = (SumsLife){carried, op_result(carried)->type, loop->id, op_last_id(loop), false};
  if (is_taken(c, life)) return "tensor memory has another accumulator at that time";
  if (p->op != carried) *life = (SumsLife){p->op, op_result(p->op)->type, p->op->id, p->op->id, true};
  return NULL;
}

const char *dot_sums_held(DotChooser *c, const Product *p, SumsLife *life) {
  const Op *first = p->op, *last = p->op, *loop = op_enclosing_loop(p->op);
  while (dot_before(first)) first = dot_before(first);
  while (dot_after(last)) last = dot_after(last);
  *life = (SumsLife){.first = first, .type = op_result(last)->type, .begin = first->id, .end = last->id};
  if (loop) life->begin = loop->id, life->end = op_last_id(loop);
  if (p->chained) return chain_refuses(c, p, life);
  if (op_attr(p->op, ATTR_EXTENTS) && dot_is_scaled(p->op)) return "its tiles have scales and are padded";
  if (dot_words_run(p, DOT_A) || dot_words_run(p, DOT_B)) return "an operand is unpacked from words";
  if (loop && !is_carried(loop, first, last)) return "the loop uses the sums for more than the next dot";
  if (!all_fit(c, first, last)) return "another dot with the same sums does not fit";
  return is_taken(c, life) ? "tensor memory has another accumulator at that time" : NULL;
}
