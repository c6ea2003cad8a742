// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// swap_dots: computes dots transposed if they have fewer rows than wgmma, and enough columns.
//
// ```
// before  %d = dot %a, %b, %c : tile<16x128xfp32>
// after   %d = dot %a, %b, %c {swapped} : tile<16x128xfp32>                     (wgmma)
// ```
//
// ```
// before  %d = for ... %zero do (%i, %c: tile<16x128xfp32>) {
//           %e = dot %a, %b, %c; yield %e }
// after   %t = for ... %zeros do (%i, %c: tile<128x16xfp32>) {                  (tcgen05)
//           %bt = trans %b; %at = trans %a; %e = dot %bt, %at, %c; yield %e }
//         %d = trans %t
// ```
//
// needs   simplified IR, no instruction chosen yet. The passes up to choose_dot ask which dots can use wgmma
// keeps   every value, up to the order of summation
// breaks  nothing
// pays    wgmma reads operands from shared memory. With mma.sync, each element of b goes to registers first. TMA copies
//         and warp specialization also need wgmma (docs/matmul.md)
//
// c^T = b^T a^T: columns of b are the instruction's rows, and the few rows of a are its columns. These conditions
// apply:
// * The operands are 16-bit floats. wgmma reads these along either dimension and sums them as mma.sync does.
// * The operands come directly from memory. Computed ones are already in registers.
// * The dot is not chained. Chained dots keep their rows in a warp.
// * Its accumulators, and values computed from them, do not meet results of a dot that is not transposed. Otherwise
//   both stay as they are, because layouts would change in every iteration.
#include "ir/build.h"
#include "passes/layouts/choose_dot.h"

#include <string.h>

enum { ROW_BITS = 6, WARPGROUP_BITS = 2 };

static bool is_loaded(const Value *value) {
  while (value->def && (value->def->kind == OP_TRANS || value->def->kind == OP_TMA_MARK))
    value = op_operand(value->def, 0);
  return value->def && (value->def->kind == OP_LOAD || value->def->kind == OP_BLOCK_LOAD);
}

// --- tcgen05

// The for loop that only carries the dot's sums, which begin at zero. NULL: there is none.
static Op *carries_from_zero(const Op *dot) {
  const Value *sum = op_operand(dot, DOT_SUM);
  const Use *use = value_single_use(op_result(dot));
  Op *loop = sum->def ? NULL : sum->region->parent;
  if (!loop || loop->kind != OP_FOR || sum->index == 0 || sum->region != dot->region ||
      !value_single_use(sum))
    return NULL;
  bool yielded = use && use == &sum->region->last->operands[sum->index - 1];
  return yielded && value_is_zero(loop_init(loop, sum->index - 1)) ? loop : NULL;
}

// The transposed dot has more rows, which tcgen05 takes. Its tensor memory is transposed too, and no layout meets it.
static bool transpose_takes_tcgen05(DotChooser *c, const Op *dot) {
  DotProduct p = dot_product(dot);
  uint32_t m = p.shape.m;
  Elem a = p.a;
  if (p.shape.m >= ROW_BITS || !carries_from_zero(dot) || dot->operand_count > DOT_SUM + 1) return false;
  if (!is_loaded(op_operand(dot, DOT_A)) || !is_loaded(op_operand(dot, DOT_B)) || p.batched) return false;
  p.shape.m = p.shape.n, p.shape.n = m, p.a = p.b, p.b = a;
  return !dot_refuses(c->context->scratch, &p, DOT_TCGEN05) && !dot_feeds(c, dot);
}

// Zeros in a tile of the transposed shape.
static Value *build_zeros(Builder *b, const Type *type) {
  const uint32_t shape[2] = {type->shape[1], type->shape[0]};
  const Type *turned = type_tile(b->func->module->ir, type_element(type), 2, shape, NULL);
  return type_is_float(type) ? build_float(b, turned, 0) : build_int(b, turned, 0);
}

static void transpose_dot(Op *dot) {
  static const uint32_t order[2] = {1, 0};
  Value *sum = op_operand(dot, DOT_SUM);
  Op *loop = carries_from_zero(dot);
  uint32_t i = sum->index - 1;
  Builder before = builder_before(loop), b = builder_before(dot), after = builder_after(loop);
  before.loc = b.loc = after.loc = dot->loc;
  const Type *type = sum->type;
  Value *zeros = build_zeros(&before, type);
  Value *first = build_trans(&b, op_operand(dot, DOT_B), order),
        *second = build_trans(&b, op_operand(dot, DOT_A), order);
  op_set_operand(loop, LOOP_FIRST_INIT + i, zeros);
  op_set_operand(dot, DOT_A, first);
  op_set_operand(dot, DOT_B, second);
  sum->type = op_result(dot)->type = loop->results[i].type = zeros->type;
  Value *back = build(&after, OP_TRANS, type, NULL, NULL, NULL);
  op_set_ints(back->def, ATTR_ORDER, 2, order);
  value_replace_uses(&loop->results[i], back);
  op_add_operand(back->def, &loop->results[i]);
}

// --- wgmma

// Returns true if every warpgroup has 64 of b's columns, and there are fewer than 64 rows.
static bool is_wide(const DotProduct *p, uint32_t warp_bits) {
  return p->shape.m < ROW_BITS && p->shape.n + WARPGROUP_BITS >= ROW_BITS + warp_bits;
}

static void swap_dot(DotChooser *c, Op *op) {
  if (op->kind != OP_DOT || op_attr(op, ATTR_INSTRUCTION) || op_attr(op, ATTR_SWAPPED)) return;
  if (transpose_takes_tcgen05(c, op)) {
    transpose_dot(op);
    c->changed = true;
    return;
  }
  DotProduct p = dot_product(op);
  p.swapped = true;
  if (!elem_is_float(p.a) || elem_info(p.a)->bits != 16 || !is_wide(&p, region_warp_bits(op))) return;
  if (!is_loaded(op_operand(op, DOT_A)) || !is_loaded(op_operand(op, DOT_B))) return;
  if (dot_refuses(c->context->scratch, &p, DOT_WGMMA) || dot_feeds(c, op)) return;
  op_set_flag(op, ATTR_SWAPPED, true);
  c->changed = true;
}

// --- dots whose results meet

enum { MEETING_STEPS = 4096 };

typedef struct Meeting {
  uint8_t *seen; // by value id
  uint32_t steps;
} Meeting;

static bool meets_other(Meeting *m, const Value *value);

static bool results_meet(Meeting *m, const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (meets_other(m, &op->results[i])) return true;
  return false;
}

static bool operands_meet(Meeting *m, const Op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (meets_other(m, op_operand(op, i))) return true;
  return false;
}

static bool use_meets(Meeting *m, const Use *use) {
  const Op *user = use->user;
  const Value *to;
  for (uint32_t n = 0; (to = flow_target(use, n)); n++)
    if (meets_other(m, to)) return true;
  if (user->kind == OP_DOT)
    return use == &user->operands[2] && (!op_attr(user, ATTR_SWAPPED) || meets_other(m, op_result(user)));
  return op_has(user, ELEMENTWISE) && (results_meet(m, user) || operands_meet(m, user));
}

static bool def_meets(Meeting *m, const Value *value) {
  const Op *op = value->def;
  const Value *from;
  for (uint32_t n = 0; (from = flow_source(value, n)); n++)
    if (meets_other(m, from)) return true;
  if (op && op->kind == OP_DOT) return !op_attr(op, ATTR_SWAPPED) || meets_other(m, op_operand(op, 2));
  return op && op_has(op, ELEMENTWISE) && operands_meet(m, op);
}

// Returns true if a dot that is not transposed gives this tile, or adds to it. Elementwise ops, loops and branches may
// be in between. Also true if the search would take too long.
static bool meets_other(Meeting *m, const Value *value) {
  if (!type_is_tile(value->type) || value_uniform(value) || m->seen[value->id]) return false;
  if (m->steps-- == 0) return true;
  m->seen[value->id] = 1;
  if (def_meets(m, value)) return true;
  for (const Use *use = value->first_use; use; use = use->next)
    if (use_meets(m, use)) return true;
  return false;
}

static void keep_dot(DotChooser *c, Op *op) {
  if (op->kind != OP_DOT || !op_attr(op, ATTR_SWAPPED)) return;
  memset(c->feeds, 0, c->func->value_count);
  Meeting m = {c->feeds, MEETING_STEPS};
  if (!meets_other(&m, op_result(op))) return;
  op_remove_attr(op, ATTR_SWAPPED);
  c->changed = true;
}

bool pass_swap_dots(PassContext *context, Func *func) {
  DotChooser c = {.context = context, .func = func, .target = &func->module->target};
  func_number(func);
  c.feeds = ARENA_ARRAY(context->scratch, uint8_t, func->value_count);
  for (OpWalk w = ops_in(func->body); ops_next(&w);) swap_dot(&c, w.op);
  bool swapped = c.changed;
  while (c.changed) {
    c.changed = false;
    for (OpWalk w = ops_in(func->body); ops_next(&w);) keep_dot(&c, w.op);
  }
  return swapped;
}
