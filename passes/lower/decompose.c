// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// decompose: replaces sorts and unaligned slices by simpler ops.
//
// before  %s = sort %x {axis = 0} : tile<4xi32>
//
// after   for each step of the network:
//
//         %p = reshape (flip (reshape %x : tile<2x2x1xi32>)) : tile<4xi32>
//         %y = select %first, (min %x, %p), (max %x, %p)
//
// before  %y = slice (sort %x {axis = 0, descending} : tile<64xi32>) {starts = [0]} : tile<4xi32>
//
// after   runs of 4, sorted up and down alternately; then, until one run is left:
//
//         %m = reduce (reshape %x : tile<8x2x4xi32>) {axis = 1} by max, and the runs of %m sorted again
//
// before  %y = slice %x {starts = [3]}
// after   %y = gather %x, (arange + 3) {axis = 0}
//
// needs   nothing; an op whose tiles have layouts stays
// keeps   every value; a NaN stays a NaN
//
// breaks  Nothing. Afterwards, without layouts, there are no sorts, and every slice is an aligned part of its operand.
//
// pays    The steps of a sort are exchanges between registers, lanes or warps. flip does them best in any layout. An
//         unaligned slice moves elements between threads as a gather does. If only the first elements of a sort are
//         used, the others need no order, and each reduction halves the rest. For 16 of 4096 elements, all elements
//         pass 10 steps. Each halving adds 4 steps for the elements that remain. The full sort has 78 steps.
//
// The sort is Batcher's bitonic network. A `merge` is its last log2(n) steps. Floats are sorted by integer keys of the
// same order: -0 before +0, NaN last in either direction. Consider two runs sorted in opposite directions. The larger
// elements of all pairs are the largest of both runs. They go up and then down, so the steps of one merge sort them.
#include "base/integer.h"
#include "ir/build.h"
#include "passes/passes.h"
#include "target/tuning.h"

enum { WORD_BYTES = 4 };

typedef struct SortNetwork {
  Builder b;
  const Type *tile; // of the keys
  uint32_t axis;
  bool descending;
} SortNetwork;

// --- keys

static Elem key_elem(uint32_t bits) {
  return bits == 8 ? ELEM_I8 : bits == 16 ? ELEM_I16 : bits == 32 ? ELEM_I32 : ELEM_I64;
}

// Flips the lower bits of negative numbers. This turns sign and magnitude into two's complement, and back.
static Value *fold_sign(Builder *b, Value *x) {
  uint32_t bits = elem_info(type_element(x->type)->elem)->bits;
  Value *sign = build_with_int(b, OP_SHR, x, bits - 1);
  Value *lower = build_int(b, x->type, (int64_t)(UINT64_MAX >> (65 - bits)));
  return build_binary(b, OP_XOR, x, build_binary(b, OP_AND, sign, lower));
}

static Value *to_key(Builder *b, Value *x, bool descending) {
  Elem elem = type_element(x->type)->elem;
  if (elem == ELEM_I1) return build_cast(b, x, builder_scalar(b, ELEM_I8));
  if (!elem_is_float(elem)) return x;
  uint32_t bits = elem_info(elem)->bits;
  const Type *type = type_with_element(b->func->module->ir, x->type, builder_scalar(b, key_elem(bits)));
  Value *key = fold_sign(b, build(b, OP_BITCAST, type, x, NULL, NULL));
  uint64_t most = UINT64_MAX >> (65 - bits);
  Value *last = build_int(b, type, (int64_t)(descending ? ~most : most));
  return build(b, OP_SELECT, type, build_binary(b, OP_NE, x, x), last, key);
}

static Value *from_key(Builder *b, Value *key, const Type *type) {
  Elem elem = type_element(type)->elem;
  if (elem == ELEM_I1) return build_cast(b, key, type_element(type));
  return elem_is_float(elem) ? build(b, OP_BITCAST, type, fold_sign(b, key), NULL, NULL) : key;
}

// --- the network

// The tile with elements swapped whose indices along the axis differ only in bit `bit`.
static Value *build_partners(SortNetwork *s, Value *x, uint32_t bit) {
  uint32_t inner = 1u << bit, outer = 1;
  for (uint32_t d = s->axis + 1; d < s->tile->rank; d++) inner *= s->tile->shape[d];
  outer = (uint32_t)(type_elements(s->tile) / inner / 2);
  Value *pairs = build_reshape(&s->b, x, 3, (uint32_t[]){outer, 2, inner});
  return build_reshape(&s->b, build_flip(&s->b, pairs, 1), s->tile->rank, s->tile->shape);
}

// True where an element keeps the smaller of the pair: its bits `bit` and `block` are equal. It is then the first of a
// pair that goes up, or the second of a pair that goes down.
static Value *keeps_smaller(SortNetwork *s, uint32_t bit, uint32_t block) {
  Builder *b = &s->b;
  Value *i = build_arange(b, 0, s->tile->shape[s->axis]);
  Value *low = build_with_int(b, OP_SHR, i, bit);
  Value *high = build_with_int(b, OP_SHR, i, block);
  Value *one = build_int(b, i->type, 1);
  Value *differ = build_binary(b, OP_AND, build_binary(b, OP_XOR, low, high), one);
  Value *same = build_binary(b, OP_EQ, differ, build_int(b, i->type, 0));
  return tile_along(b, same, s->axis, s->tile->rank, s->tile->shape);
}

// The kept one of both. One comparison and one selection of integers of 64 bits, which have no minimum instruction.
static Value *select_one(SortNetwork *s, Value *x, Value *partner, Value *first) {
  Value *other = build_binary(&s->b, OP_XOR, build_binary(&s->b, OP_LT, x, partner), first);
  return build(&s->b, OP_SELECT, x->type, other, s->descending ? x : partner, s->descending ? partner : x);
}

static Value *compare_exchange(SortNetwork *s, Value *x, uint32_t bit, uint32_t block) {
  Value *partner = build_partners(s, x, bit);
  if (type_is_int(x->type) && type_element_bytes(x->type) > WORD_BYTES)
    return select_one(s, x, partner, keeps_smaller(s, bit, block));
  Value *smaller = build_binary(&s->b, OP_MIN, x, partner), *larger = build_binary(&s->b, OP_MAX, x, partner);
  Value *first = keeps_smaller(s, bit, block);
  return build(&s->b, OP_SELECT, x->type, first, s->descending ? larger : smaller,
               s->descending ? smaller : larger);
}

// *x: the keys to sort.
static SortNetwork network_of(Op *sort, Value **x) {
  SortNetwork s = {.b = builder_before(sort), .axis = (uint32_t)op_int(sort, ATTR_AXIS, 0)};
  s.descending = op_attr(sort, ATTR_DESCENDING) != NULL;
  *x = to_key(&s.b, op_operand(sort, 0), s.descending);
  s.tile = (*x)->type;
  return s;
}

static void lower_sort(Op *op) {
  Value *x;
  SortNetwork s = network_of(op, &x);
  uint32_t bits = log2_of(s.tile->shape[s.axis]);
  for (uint32_t block = op_attr(op, ATTR_MERGE) ? bits : 1; block <= bits; block++)
    for (uint32_t bit = block; bit-- > 0;) x = compare_exchange(&s, x, bit, block);
  value_replace_uses(op_result(op), from_key(&s.b, x, op_result(op)->type));
  op_erase(op);
}

// --- the first of a sort

// Estimates how many bits of the axis a thread holds in registers, beyond a vector. These are the uppermost bits. They
// are halved first, because each halving reduces a thread's elements for all later steps. The others follow upwards,
// lanes first.
static uint32_t count_register_bits(const SortNetwork *s) {
  uint32_t vector = 16 / ((elem_info(type_element(s->tile)->elem)->bits + 7) / 8), outer = 1;
  for (uint32_t d = 0; d < s->axis; d++) outer *= s->tile->shape[d];
  uint64_t held = (uint64_t)vector * TARGET_WARP * func_warps(s->b.func) * outer;
  uint64_t more = type_elements(s->tile) / held;
  return more > 1 ? log2_of(more) : 0;
}

// The next of the axis's `bits` bits to halve, where runs have 2^run elements. Register bits come first, from the top.
// With one run left there is none, and the result is `run`.
static uint32_t next_halved(uint32_t bits, uint32_t run, uint32_t *upper) {
  if (bits == run || *upper == 0) return run;
  --*upper;
  return bits - 1;
}

// Sorts each run of 2^bits elements that goes up and then down, or down and then up.
static Value *merge_runs(SortNetwork *s, Value *x, uint32_t bits, uint32_t block) {
  while (bits-- > 0) x = compare_exchange(s, x, bits, block);
  return x;
}

// Among elements whose indices differ only in `count` bits from `bit` on, keeps the first in sort order.
static Value *keep_first(SortNetwork *s, Value *x, uint32_t bit, uint32_t count) {
  Builder *b = &s->b;
  uint32_t inner = 1u << bit, shape[TILE_MAX_RANK];
  for (uint32_t d = s->axis + 1; d < s->tile->rank; d++) inner *= s->tile->shape[d];
  uint32_t outer = (uint32_t)(type_elements(s->tile) / inner) >> count;
  Value *parts = build_reshape(b, x, 3, (uint32_t[]){outer, 1u << count, inner});
  Op *reduce = build_reduce(b, 1, &parts, 1);
  Builder within = builder_inside(reduce->regions[0], b->loc);
  Value **args = reduce->regions[0]->args;
  Value *first = build_binary(&within, s->descending ? OP_MAX : OP_MIN, args[0], args[1]);
  build_yield(&within, 1, &first);
  memcpy(shape, s->tile->shape, sizeof shape);
  shape[s->axis] >>= count;
  x = build_reshape(b, op_result(reduce), s->tile->rank, shape);
  s->tile = x->type;
  return x;
}

// Selects the first 2^run elements. Before each halving, a run is sorted in the direction opposite to its partner.
static Value *select_first(SortNetwork *s, Value *x, uint32_t run) {
  uint32_t bits = log2_of(s->tile->shape[s->axis]), upper = count_register_bits(s);
  if (run == 0) return keep_first(s, x, 0, bits);
  for (uint32_t block = 1; block < run; block++) x = merge_runs(s, x, block, block);
  uint32_t bit = next_halved(bits, run, &upper);
  x = merge_runs(s, x, run, bit);
  while (bits-- > run) {
    x = keep_first(s, x, bit, 1);
    bit = next_halved(bits, run, &upper);
    x = merge_runs(s, x, run, bit);
  }
  return x;
}

// True if selecting takes at most four fifths of a full sort's steps. A step on half the registers counts as half a
// step. Halving a bit that lanes or warps hold does not reduce a thread's elements, and needs exchanges.
static bool selecting_pays(const SortNetwork *s, uint32_t run) {
  uint32_t bits = log2_of(s->tile->shape[s->axis]), upper = count_register_bits(s);
  uint64_t whole = UINT64_C(1) << 32, sorted = whole * bits * (bits + 1) / 2;
  uint64_t steps = whole * run * (run + 1) / 2;
  if (run == 0) return true;
  for (; bits > run; bits--) {
    if (upper > 0) upper--, whole /= 2;
    steps += whole * (run + 1);
  }
  return 5 * steps <= 4 * sorted;
}

// The sort whose only use is this slice of its first elements, if selecting them is worth it. NULL otherwise.
static Op *sort_of_first(const Op *slice) {
  Op *sort = slice->kind == OP_SLICE ? op_operand(slice, 0)->def : NULL;
  if (!sort || sort->kind != OP_SORT || op_result(sort)->type->layout || op_attr(sort, ATTR_MERGE))
    return NULL;
  const Use *use = op_result(sort)->first_use;
  if (use->next) return NULL;
  const Type *from = op_result(sort)->type, *to = op_result(slice)->type;
  uint32_t axis = (uint32_t)op_int(sort, ATTR_AXIS, 0);
  const Attr *starts = op_attr(slice, ATTR_STARTS);
  for (uint32_t d = 0; d < to->rank; d++)
    if (starts->ints.at[d] || (d != axis && from->shape[d] != to->shape[d])) return NULL;
  const SortNetwork s = {.b = builder_before(sort), .tile = from, .axis = axis};
  return selecting_pays(&s, log2_of(to->shape[axis])) ? sort : NULL;
}

// True if only the first elements of the sort are used, so that the rest can be dropped.
static bool is_cut(const Op *sort) {
  const Use *use = op_result(sort)->first_use;
  return use && sort_of_first(use->user) == sort;
}

static void lower_first_of_sort(Op *sort, Op *slice) {
  Value *x;
  SortNetwork s = network_of(sort, &x);
  x = select_first(&s, x, log2_of(op_result(slice)->type->shape[s.axis]));
  value_replace_uses(op_result(slice), from_key(&s.b, x, op_result(slice)->type));
  op_erase(slice);
  op_erase(sort);
}

// --- slices

static bool is_aligned(const Op *op) {
  const Type *from = op_operand(op, 0)->type, *to = op_result(op)->type;
  const Attr *starts = op_attr(op, ATTR_STARTS);
  for (uint32_t d = 0; d < to->rank; d++)
    if (starts->ints.at[d] % to->shape[d] != 0) return false;
  return type_elements(from) / type_elements(to) <= TUNE_SLICE_GATHERED;
}

static void lower_slice(Op *op) {
  Builder b = builder_before(op);
  Value *x = op_operand(op, 0);
  const Type *to = op_result(op)->type;
  const Attr *starts = op_attr(op, ATTR_STARTS);
  uint32_t shape[TILE_MAX_RANK];
  memcpy(shape, x->type->shape, sizeof shape);
  for (uint32_t d = 0; d < to->rank; d++) {
    if (shape[d] == to->shape[d]) continue;
    shape[d] = to->shape[d];
    Value *index = build_arange(&b, starts->ints.at[d], starts->ints.at[d] + to->shape[d]);
    x = build_gather(&b, x, tile_along(&b, index, d, to->rank, shape), d);
  }
  value_replace_uses(op_result(op), x);
  op_erase(op);
}

static void decompose_op(bool *changed, Op *op) {
  if (op->kind != OP_SORT && op->kind != OP_SLICE) return;
  if (op_result(op)->type->layout) return;
  Op *cut = sort_of_first(op);
  bool sort = op->kind == OP_SORT && !is_cut(op), slice = op->kind == OP_SLICE && !cut && !is_aligned(op);
  if (sort) lower_sort(op);
  if (cut) lower_first_of_sort(cut, op);
  if (slice) lower_slice(op);
  *changed |= sort || slice || cut;
}

bool pass_decompose(PassContext *context, Func *func) {
  (void)context;
  bool changed = false;
  for (OpWalk w = ops_in(func->body); ops_next(&w);) decompose_op(&changed, w.op);
  return changed;
}
