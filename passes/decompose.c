// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// decompose: ops that are made of simpler ones.
//
// before  %s = sort %x {axis = 0} : tile<4xi32>
// after   for each of the network's steps
//         %p = reshape (flip (reshape %x : tile<2x2x1xi32>)) : tile<4xi32>
//         %y = select %first, (min %x, %p), (max %x, %p)
//
// before  %y = slice %x {starts = [3]}
// after   %y = gather %x, (arange + 3) {axis = 0}
//
// needs   nothing; an op whose tiles have layouts stays
// keeps   every value; of a NaN that it is one
// breaks  nothing; afterwards there is no other sort, and every other slice is an aligned part of its operand
// pays    a sort's steps are exchanges between registers, lanes or warps, which flip does best in any
//         layout; a slice that is not aligned changes threads as a gather does
//
// The sort is Batcher's bitonic network. Floats are sorted by integer keys of the same order: -0 before +0,
// NaN last in either direction.
#include "base/math.h"
#include "passes/passes.h"
#include "passes/tile_index.h"
#include "ir/tuning.h"

typedef struct SortNetwork {
  Builder b;
  const Type *tile; // of the keys
  uint32_t axis;
  bool descending;
} SortNetwork;

static const Type *scalar_type(const Builder *b, Elem elem) { return type_scalar(b->func->module->ir, elem); }

static const Type *with_element(const Builder *b, const Value *like, Elem elem) {
  return type_with_element(b->func->module->ir, like->type, scalar_type(b, elem));
}

// --- keys

static Elem key_elem(uint32_t bits) {
  return bits == 8 ? ELEM_I8 : bits == 16 ? ELEM_I16 : bits == 32 ? ELEM_I32 : ELEM_I64;
}

// Changes the lower bits of negative numbers over: sign and magnitude become two's complement, and back.
static Value *fold_sign(Builder *b, Value *x) {
  uint32_t bits = elem_info(type_element(x->type)->elem)->bits;
  Value *sign = build_binary(b, OP_SHR, x, build_int(b, x->type, bits - 1));
  Value *lower = build_int(b, x->type, (int64_t)(UINT64_MAX >> (65 - bits)));
  return build_binary(b, OP_XOR, x, build_binary(b, OP_AND, sign, lower));
}

static Value *to_key(Builder *b, Value *x, bool descending) {
  Elem elem = type_element(x->type)->elem;
  if (elem == ELEM_I1) return build_cast(b, x, scalar_type(b, ELEM_I8));
  if (!elem_is_float(elem)) return x;
  uint32_t bits = elem_info(elem)->bits;
  const Type *type = with_element(b, x, key_elem(bits));
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

// The tile with elements changed whose indices along the axis differ in bit `bit`.
static Value *build_partners(SortNetwork *s, Value *x, uint32_t bit) {
  uint32_t inner = 1u << bit, outer = 1;
  for (uint32_t d = s->axis + 1; d < s->tile->rank; d++) inner *= s->tile->shape[d];
  outer = (uint32_t)(type_elements(s->tile) / inner / 2);
  Value *pairs = build_reshape(&s->b, x, 3, (uint32_t[]){outer, 2, inner});
  return build_reshape(&s->b, build_flip(&s->b, pairs, 1), s->tile->rank, s->tile->shape);
}

// Where an element keeps the smaller of the pair: its bits `bit` and `block` are the same, for then it is the
// first of a pair that goes up, or the second of one that goes down.
static Value *keeps_smaller(SortNetwork *s, uint32_t bit, uint32_t block) {
  Builder *b = &s->b;
  Value *i = build_arange(b, 0, s->tile->shape[s->axis]);
  Value *low = build_binary(b, OP_SHR, i, build_int(b, i->type, bit));
  Value *high = build_binary(b, OP_SHR, i, build_int(b, i->type, block));
  Value *differ = build_binary(b, OP_AND, build_binary(b, OP_XOR, low, high), build_int(b, i->type, 1));
  Value *same = build_binary(b, OP_EQ, differ, build_int(b, i->type, 0));
  return tile_along(b, same, s->axis, s->tile->rank, s->tile->shape);
}

static Value *compare_exchange(SortNetwork *s, Value *x, uint32_t bit, uint32_t block) {
  Value *partner = build_partners(s, x, bit);
  Value *smaller = build_binary(&s->b, OP_MIN, x, partner), *larger = build_binary(&s->b, OP_MAX, x, partner);
  Value *first = keeps_smaller(s, bit, block);
  return build(&s->b, OP_SELECT, x->type, first, s->descending ? larger : smaller,
               s->descending ? smaller : larger);
}

static void lower_sort(Op *op) {
  SortNetwork s = {.b = builder_before(op), .axis = (uint32_t)op_int(op, ATTR_AXIS, 0)};
  s.descending = op_attr(op, ATTR_DESCENDING) != NULL;
  Value *x = to_key(&s.b, op_operand(op, 0), s.descending);
  s.tile = x->type;
  uint32_t bits = log2_of(s.tile->shape[s.axis]);
  for (uint32_t block = 1; block <= bits; block++)
    for (uint32_t bit = block; bit-- > 0;) x = compare_exchange(&s, x, bit, block);
  value_replace_uses(op_result(op), from_key(&s.b, x, op_result(op)->type));
  op_erase(op);
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

static void decompose_op(Op *op, void *data) {
  bool *changed = data;
  if (op->kind != OP_SORT && op->kind != OP_SLICE) return;
  if (op_result(op)->type->layout) return;
  bool sort = op->kind == OP_SORT, slice = op->kind == OP_SLICE && !is_aligned(op);
  if (sort) lower_sort(op);
  if (slice) lower_slice(op);
  *changed |= sort || slice;
}

bool pass_decompose(PassContext *context, Func *func) {
  (void)context;
  bool changed = false;
  region_walk(func->body, decompose_op, &changed);
  return changed;
}
