// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// split_dots: splits dots that are computed in parts along k into one dot per part.
//
// before  %d = dot %as, %bs, %acc {instruction = "wgmma", anchor_a, shared_a, async}
//         %e = dot_wait %d {pending = 1}
// after   dot_wait {pending = 1}
//         %a0 = shared_load %as {starts = [0, 0]}
//         %d0 = dot %a0, %bs, %acc {part = [0, 16], async}
//         dot_wait {pending = 1}
//         %a1 = shared_load %as {starts = [0, 16]}
//         %d1 = dot %a1, %bs, %d0 {part = [16, 16], async}
//
// before  %d = dot %as, %b, %acc {anchor_b, swapped, async}      (%b is computed, here of 64 k)
//         %e = dot_wait %d {pending = 1}
// after   dot_wait {pending = 3}
//         %b0 = slice %b {starts = [0, 0]}
//         %d0 = dot %as, %b0, %acc {part = [0, 16], async}
//         dot_wait {pending = 3}
//         %b1 = slice %b {starts = [16, 0]}
//         %d1 = dot %as, %b1, %d0 {part = [16, 16], async}       and so on
//
// before  %d = dot %as, %bs, %acc {imprecise = 64, async}        (fp8)
//         %e = dot_wait %d {pending = 0}
// after   %p0 = dot %as, %bs, %zero {part = [0, 64], async}
//         %w0 = dot_wait %p0 {pending = 0}
//         %s0 = add %acc, %w0                                    and so on
//
// needs   operands in shared memory (promote_shared), loops pipelined
// keeps   every value
// breaks  nothing
// pays    while a part is multiplied, the next is read into registers. Tensor cores sum fp8 with fewer bits than fp32
//         has
//
// If the previous iteration's dot is in flight, each part waits until the same part of that dot is done. It reads new
// values into that part's registers. So the loop's own wait has nothing left to wait for. Codegen computes what only
// one part takes after that part's wait. So one set of registers is enough.
#include "base/integer.h"
#include "ir/build.h"
#include "ir/dot/dot.h"
#include "ir/dot/layout_dot.h"
#include "passes/passes.h"

typedef struct DotSplitter {
  PassContext *context;
  IrContext *ir;
  bool changed;
} DotSplitter;

static Op *build_wait(Builder *b, Value *sum, uint32_t pending) {
  Op *wait = build_op(b, OP_DOT_WAIT, sum != NULL, &sum, sum != NULL, sum ? &sum->type : NULL);
  op_set_attr(wait, (Attr){.key = ATTR_PENDING, .i = pending});
  return wait;
}

// A dot like the given one, with other operands (`fresh` may be NULL) and `count` values of k from `first` on.
static Value *build_part(Builder *b, const Op *dot, Value *const *operands, uint32_t first, uint32_t count) {
  Op *part = build_op(b, OP_DOT, operands[3] ? 4 : 3, operands, 1, &op_result(dot)->type);
  op_copy_attrs(part, dot);
  op_set_ints(part, ATTR_PART, 2, (uint32_t[]){first, count});
  return op_result(part);
}

// The wait that is the only user of the dot's result, and leaves up to `pending` dots in flight.
static Op *only_wait(const Op *dot, int64_t pending) {
  const Use *use = op_result(dot)->first_use;
  if (!use || use->next || use->user->kind != OP_DOT_WAIT || use->user->operand_count != 1) return NULL;
  return op_int(use->user, ATTR_PENDING, 0) == pending ? use->user : NULL;
}

// Removes the dot and its wait, which the parts replace.
static void replace_dot(Op *dot, Op *wait, Value *result) {
  if (wait) {
    value_replace_uses(op_result(wait), result);
    op_erase(wait);
  }
  value_replace_uses(op_result(dot), result);
  op_erase(dot);
}

// --- an operand that is read into registers

// The type of the operand's part, as the dot's threads hold it.
static const Type *part_type(DotSplitter *s, const Op *dot, DotOperand operand, const Layout *whole,
                             uint32_t count) {
  const Type *type = op_operand(dot, operand)->type;
  DotShape shape = dot_op_shape(dot);
  Layout layout = layout_dot_part(whole, &shape, operand, log2_of(count));
  uint32_t tile_shape[] = {type->shape[0], type->shape[1]};
  tile_shape[operand == DOT_A] = count;
  Elem elem = type->kind == TYPE_SHARED ? type->elem : type_element(type)->elem;
  return type_tile(s->ir, type_scalar(s->ir, elem), 2, tile_shape, layout_intern(s->ir, &layout));
}

static Value *load_part(DotSplitter *s, Builder *b, const Op *dot, DotOperand operand, uint32_t first,
                        uint32_t count) {
  Value *buffer = op_operand(dot, operand);
  const Attr *anchor = op_attr(dot, operand == DOT_A ? ATTR_ANCHOR_A : ATTR_ANCHOR_B);
  const Type *tile = part_type(s, dot, operand, anchor->layout, count);
  uint32_t dimension = operand == DOT_A, starts[] = {0, 0};
  starts[dimension] = first;
  Op *load = build_op(b, OP_SHARED_LOAD, 1, &buffer, 1, &tile);
  op_set_flag(load, ATTR_LDMATRIX, true);
  if (count < buffer->type->shape[dimension]) op_set_ints(load, ATTR_STARTS, 2, starts);
  return op_result(load);
}

// The part of a computed b. Its registers are written here.
static Value *slice_part(DotSplitter *s, Builder *b, const Op *dot, uint32_t first, uint32_t count) {
  Value *whole = op_operand(dot, DOT_B);
  const Type *tile = part_type(s, dot, DOT_B, whole->type->layout, count);
  Value *slice = build(b, OP_SLICE, tile, whole, NULL, NULL);
  op_set_ints(slice->def, ATTR_STARTS, 2, (uint32_t[]){first, 0});
  return slice;
}

static void drop_place(Op *dot, DotOperand operand) {
  op_remove_attr(dot, operand == DOT_A ? ATTR_ANCHOR_A : ATTR_ANCHOR_B);
  op_remove_attr(dot, operand == DOT_A ? ATTR_SHARED_A : ATTR_SHARED_B);
  op_remove_attr(dot, operand == DOT_A ? ATTR_PLACEMENT_A : ATTR_PLACEMENT_B);
}

static void split_read(DotSplitter *s, Op *dot, DotOperand operand) {
  uint32_t parts = dot_parts(dot), k = dot_part(dot).count, step = k / parts;
  bool computed = dot_takes_b_computed(dot);
  Op *in_flight = only_wait(dot, 1);
  Value *sum = op_operand(dot, 2);
  Builder b = builder_before(dot);
  for (uint32_t first = 0; first < k; first += step) {
    if (in_flight) build_wait(&b, NULL, (computed ? min_u32(parts, DOT_PARTS_IN_FLIGHT) : parts) - 1);
    Value *operands[] = {op_operand(dot, 0), op_operand(dot, 1), sum, first ? NULL : op_operand(dot, 3)};
    operands[operand] =
        computed ? slice_part(s, &b, dot, first, step) : load_part(s, &b, dot, operand, first, step);
    sum = build_part(&b, dot, operands, first, step);
    drop_place(sum->def, operand);
  }
  replace_dot(dot, in_flight, sum);
}

// --- sums in fp32

static void split_promoted(DotSplitter *s, Op *dot, uint32_t step) {
  Op *wait = only_wait(dot, 0);
  Value *sum = op_operand(dot, 2), *fresh = op_operand(dot, 3);
  Builder b = builder_before(dot);
  Value *zero = build_float(&b, sum->type, 0);
  if (fresh) {
    const Type *bits = type_with_element(s->ir, sum->type, type_scalar(s->ir, ELEM_I1));
    sum = build(&b, OP_SELECT, sum->type, build_splat(&b, fresh, bits), zero, sum);
  }
  for (uint32_t first = 0; first < dot_depth(dot); first += step) {
    Value *operands[] = {op_operand(dot, 0), op_operand(dot, 1), zero, NULL};
    Value *part = build_part(&b, dot, operands, first, step);
    sum = build_binary(&b, OP_ADD, sum, op_result(build_wait(&b, part, 0)));
  }
  replace_dot(dot, wait, sum);
}

static void split_dot(DotSplitter *s, Op *op) {
  if (op->kind != OP_DOT || !op_attr(op, ATTR_ASYNC) || op_attr(op, ATTR_PART)) return;
  uint32_t step = dot_promotes(op), parts = dot_parts(op);
  if (!step && !parts) return;
  if (parts && dot_takes_b_computed(op) && (parts < 2 || !only_wait(op, 1))) return;
  if (parts)
    split_read(s, op, op_attr(op, ATTR_ANCHOR_A) && op_attr(op, ATTR_SHARED_A) ? DOT_A : DOT_B);
  else
    split_promoted(s, op, step);
  s->changed = true;
}

bool pass_split_dots(PassContext *context, Func *func) {
  DotSplitter s = {.context = context, .ir = func->module->ir};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) split_dot(&s, w.op);
  return s.changed;
}
