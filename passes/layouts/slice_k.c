// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// slice_k: divides k of a dot with few rows between warps (sliced-K), where its operand is unpacked from words.
//
// ```
// before  %s = for range (%acc = 0) {                          %acc : tile<16x64xfp32>, 4 warps
//           %x = load %p                                       : tile<16x128xfp16>
//           %next = dot %x, %w, %acc                           %w : tile<128x64xfp16>, unpacked
//           yield %next
//         }
// after   %t = for range (%acc = 0) {                          %acc : tile<4x16x64xfp32>
//           %q = trans (reshape %p) {order = [1, 0, 2]}        : tile<4x16x32x*fp16>
//           %x = load %q
//           %next = dot %x, (reshape %w), %acc                 a batch of 4 dots over 32 each, one for each warp
//           yield %next
//         }
//         %s = reduce %t {axis = 0} (add)
// ```
//
// needs   tiles without layouts; simplified IR
// keeps   every value, up to the order of the summation (REASSOCIATES)
// breaks  nothing
//
// pays    With warps along n, each warp reads all of a from shared memory, for a few columns. With warps along
//         k, a warp reads its own part of a once, for all columns. Its dots are independent of one another, and it reads
//         weights of neighbouring columns in wide accesses.
//
// Conditions:
// * wgmma does not take the transposed dot (dot_unpacks).
// * The loop only accumulates the dot. Its sums of all columns fit in a thread's registers.
// * The dot is one of mma.sync, of 16-bit operands. a is loaded, or a repeated row that is loaded. It has no other use.
// * b is unpacked from words along k. The part of a warp has whole words for the four threads of a row.
#include "base/integer.h"
#include "ir/build.h"
#include "passes/layouts/choose_dot.h"

enum { MAX_ROW_BITS = 5, SUM_BITS = 6, THREADS_OF_ROW_BITS = 2 }; // At most 2^SUM_BITS sums a thread.

typedef struct SlicedDot {
  Op *loop, *dot, *load;
  Op *broadcast; // Within the loaded row; NULL: there is none.
  DotShape shape;
  uint32_t sum;  // The index of the loop-carried sum.
  uint32_t bits; // log2 of the parts.
} SlicedDot;

// The dot's sum is loop-carried, and nothing else in the loop uses it.
static bool find_sum(SlicedDot *s) {
  const Region *body = s->loop->regions[0];
  const Value *sum = op_operand(s->dot, 2), *next = op_result(s->dot);
  if (sum->def || sum->region != body || sum->index == 0) return false;
  s->sum = sum->index - 1;
  return value_used_only_by(sum, s->dot) && value_used_only_by(next, body->last) &&
         loop_yielded(s->loop, s->sum) == next;
}

// a is loaded, or a loaded row that is repeated (load_once).
static bool find_load(SlicedDot *s) {
  Value *a = op_operand(s->dot, DOT_A);
  const Op *user = s->dot;
  if (a->def && a->def->kind == OP_BROADCAST && a->def->region == s->dot->region &&
      value_used_only_by(a, user)) {
    user = s->broadcast = a->def;
    a = op_operand(user, 0);
  }
  s->load = a->def;
  return s->load && s->load->kind == OP_LOAD && s->load->region == s->loop->regions[0] &&
         value_used_only_by(a, user) && !op_attr(s->load, ATTR_VOLATILE);
}

static bool takes_halves(PassContext *context, const Op *dot) {
  DotProduct p = dot_product(dot);
  if (p.swapped) return false;
  p.swapped = dot_has_few_rows(&p);
  return elem_is_half(p.a) && p.result == ELEM_FP32 && !p.batched &&
         dot_refuses(context->scratch, &p, DOT_WGMMA) && !dot_refuses(context->scratch, &p, dot_mma(p.arch));
}

// log2 of the parts. 0: the dot stays whole.
static uint32_t part_bits(const SlicedDot *s) {
  uint32_t warps = region_warp_bits(s->dot), run = dot_unpacked_along(op_operand(s->dot, DOT_B), 0);
  uint32_t least = run + THREADS_OF_ROW_BITS, sums = s->shape.m + s->shape.n,
           most = SUM_BITS + LANE_BITS + warps;
  if (run < 2 || s->shape.k <= least || sums >= most) return 0;
  return min_u32(min_u32(warps, s->shape.k - least), most - sums);
}

static bool find_sliced(PassContext *context, Op *loop, Op *dot, SlicedDot *s) {
  *s = (SlicedDot){.loop = loop, .dot = dot, .shape = dot_op_shape(dot)};
  if (op_attr(dot, ATTR_INSTRUCTION) || op_attr(dot, ATTR_EXTENTS) || dot->operand_count > 3) return false;
  if (s->shape.m > MAX_ROW_BITS || op_result(dot)->type->layout || !takes_halves(context, dot)) return false;
  if (dot_unpacks(context, dot)) return false;
  if (!find_sum(s) || !find_load(s)) return false;
  s->bits = part_bits(s);
  return s->bits > 0;
}

// Rows x k as parts x rows x k of a part.
static Value *build_sliced(Builder *b, Value *tile, uint32_t bits) {
  static const uint32_t order[] = {1, 0, 2};
  const uint32_t *shape = tile->type->shape, parts[] = {shape[0], 1u << bits, shape[1] >> bits};
  return build_trans(b, build_reshape(b, tile, 3, parts), order);
}

static Value *slice_row(const SlicedDot *s) {
  Builder b = builder_before(s->broadcast);
  Value *sliced = build_sliced(&b, op_result(s->load), s->bits);
  const uint32_t *part = sliced->type->shape, shape[] = {part[0], 1u << s->shape.m, part[2]};
  return build_broadcast(&b, sliced, shape);
}

static Value *slice_load(const SlicedDot *s) {
  Builder b = builder_before(s->load);
  Value *operands[3] = {NULL};
  for (uint32_t i = 0; i < s->load->operand_count; i++)
    operands[i] = build_sliced(&b, op_operand(s->load, i), s->bits);
  Value *loaded = build_load(&b, operands[0], operands[1], operands[2]);
  op_copy_attrs(loaded->def, s->load);
  return loaded;
}

static void slice_dot(const SlicedDot *s) {
  IrContext *ir = s->loop->region->func->module->ir;
  const Type *whole = op_result(s->dot)->type;
  const uint32_t parts = 1u << s->bits, k = 1u << (s->shape.k - s->bits);
  const uint32_t sums[] = {parts, whole->shape[0], whole->shape[1]}, b_shape[] = {parts, k, whole->shape[1]};
  const Type *type = type_tile(ir, type_element(whole), 3, sums, NULL);
  Value *result = &s->loop->results[s->sum], *carried = loop_carried(s->loop, s->sum),
        *init = loop_init(s->loop, s->sum);
  Builder b = builder_before(s->loop);
  op_set_operand(s->loop, LOOP_FIRST_INIT + s->sum, build_float(&b, type, 0));
  b = builder_before(s->dot);
  Value *operands[] = {s->broadcast ? slice_row(s) : slice_load(s),
                       build_reshape(&b, op_operand(s->dot, DOT_B), 3, b_shape), carried};
  Op *dot = build_op(&b, OP_DOT, 3, operands, 1, &type);
  op_copy_attrs(dot, s->dot);
  op_set_operand(s->loop->regions[0]->last, s->sum, op_result(dot));
  op_erase(s->dot);
  op_erase(s->broadcast ? s->broadcast : s->load);
  carried->type = type;

  b = builder_after(s->loop);
  b.loc = dot->loc;
  Value *zero = build_float(&b, type, 0), *sum = build_sum_along(&b, zero, 0), *across = sum;
  if (!value_is_zero(init)) sum = build_binary(&b, OP_ADD, init, sum);
  value_replace_uses(result, sum);
  result->type = type;
  op_set_operand(across->def, 0, result);
}

static bool slice_loop(PassContext *context, Op *loop) {
  SlicedDot s;
  for (Op *op = loop->regions[0]->first; op; op = op->next) {
    if (op->kind != OP_DOT || !find_sliced(context, loop, op, &s)) continue;
    slice_dot(&s);
    diag_remark(context->diags, loop->loc, "slice_k", "k of the dot is divided between %u groups of warps",
                1u << s.bits);
    return true;
  }
  return false;
}

bool pass_slice_k(PassContext *context, Func *func) {
  bool changed = false;
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (w.op->kind == OP_FOR) changed |= slice_loop(context, w.op);
  return changed;
}
