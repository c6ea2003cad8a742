// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cost/value.h"

#include <string.h>

#include "base/hash.h"
#include "ir/number.h"
#include "ir/queries.h"
#include "ir/fold_number.h"

static const CostValue unknown;

static CostValue uniform(int64_t base) { return (CostValue){true, base, NULL}; }

int64_t cost_element(const CostValue *value, uint32_t i) {
  return (int64_t)((uint64_t)value->base + (uint64_t)(value->tile ? value->tile->at[i] : 0));
}

// --- patterns

static bool is_pattern(const void *entry, const void *key) {
  const Pattern *a = entry, *b = key;
  return a->n == b->n && memcmp(a->at, b->at, a->n * sizeof *a->at) == 0;
}

static const Pattern *pattern_of(ValueSpace *space, const int64_t *at, uint32_t n) {
  Pattern pattern = {n, at[0], at[0], at};
  uint64_t hash = n;
  for (uint32_t i = 0; i < n; i++) {
    hash = hash_u64(hash ^ (uint64_t)at[i]);
    if (at[i] < pattern.least) pattern.least = at[i];
    if (at[i] > pattern.most) pattern.most = at[i];
  }
  void **place = table_place(&space->patterns, space->arena, hash, &pattern, is_pattern);
  if (!*place) {
    Pattern *kept = ARENA_NEW(space->arena, Pattern);
    *kept = pattern;
    *place = kept;
  }
  return *place;
}

// Makes a value of newly computed elements. The value space owns the array.
static CostValue from_elements(ValueSpace *space, Elem elem, bool is_ptr, int64_t *at, uint32_t n) {
  bool is_mask = !is_ptr && elem == ELEM_I1, same = true;
  int64_t first = at[0];
  for (uint32_t i = 1; i < n && same; i++) same = at[i] == first;
  if (same) return uniform(first);
  for (uint32_t i = 0; i < n && !is_mask; i++) at[i] = (int64_t)((uint64_t)at[i] - (uint64_t)first);
  return (CostValue){true, is_mask ? 0 : first, pattern_of(space, at, n)};
}

// --- cache of results

typedef struct ResultKey {
  uint64_t words[8]; // op or kind, element type, operands
} ResultKey;

typedef struct Result {
  ResultKey key;
  CostValue value;
} Result;

static bool is_result(const void *entry, const void *key) {
  return memcmp(&((const Result *)entry)->key, key, sizeof(ResultKey)) == 0;
}

// Its value is unknown until it is computed.
static Result *result_of(ValueSpace *space, const ResultKey *key) {
  uint64_t hash = 0, factor = 0x9e3779b97f4a7c15u; // no multiplication waits for another
  for (size_t i = 0; i < sizeof key->words / sizeof *key->words; i++, factor = factor * 5 + 2)
    hash += (key->words[i] ^ key->words[i] >> 29) * factor;
  hash = hash_u64(hash ^ hash >> 32);
  void **place = table_place(&space->results, space->arena, hash, key, is_result);
  if (!*place) {
    Result *result = ARENA_NEW(space->arena, Result);
    result->key = *key;
    *place = result;
  }
  return *place;
}

static ResultKey key_of(uint64_t what, uint64_t elem, const CostValue *operands, uint32_t count) {
  ResultKey key = {{what, elem}};
  for (uint32_t i = 0; i < count; i++) {
    key.words[2 + 2 * i] = (uint64_t)operands[i].base;
    key.words[3 + 2 * i] = (uint64_t)(uintptr_t)operands[i].tile;
  }
  return key;
}

// --- arithmetic

static Elem elem_of(const Type *type) {
  const Type *element = type_element(type);
  return element->kind == TYPE_PTR ? ELEM_U64 : element->elem;
}

// Returns true if base + tile stays within the type, so that no element wraps.
static bool holds(Elem elem, int64_t base, const Pattern *tile) {
  const int64_t far = INT64_C(1) << 62;
  if (tile && (tile->least < -far || tile->most > far || base < -far || base > far)) return false;
  int64_t least = base + (tile ? tile->least : 0), most = base + (tile ? tile->most : 0);
  return (int64_t)number_wrap(elem, (uint64_t)least) == least &&
         (int64_t)number_wrap(elem, (uint64_t)most) == most;
}

// Computes each element by itself.
static CostValue by_element(ValueSpace *space, OpKind kind, Elem from, Elem to, const CostValue *a,
                            const CostValue *b, uint32_t n) {
  const CostValue operands[2] = {*a, *b};
  ResultKey key = key_of(kind, (uint64_t)from << 8 | to, operands, 2);
  Result *result = result_of(space, &key);
  if (result->value.known) return result->value;
  int64_t *at = ARENA_ARRAY(space->arena, int64_t, n);
  for (uint32_t i = 0; i < n; i++) {
    int64_t x = cost_element(a, i), y = cost_element(b, i);
    if (kind == OP_CAST)
      at[i] = to == ELEM_I1 ? x != 0 : (int64_t)number_wrap(to, (uint64_t)x);
    else if (!fold_int(kind, from, x, y, &at[i]))
      return unknown;
  }
  return result->value = from_elements(space, to, false, at, n);
}

// Computes on patterns only, independent of the base.
static CostValue of_patterns(ValueSpace *space, OpKind kind, const CostValue *a, const CostValue *b,
                             uint32_t n) {
  CostValue x = {true, kind == OP_MUL && !a->tile ? a->base : 0, a->tile},
            y = {true, kind == OP_MUL && !b->tile ? b->base : 0, b->tile};
  return by_element(space, kind, ELEM_I64, ELEM_I64, &x, &y, n);
}

// x + y or x - y on patterns only. Usually one has no pattern, and nothing is looked up.
static CostValue sum_of_patterns(ValueSpace *space, OpKind kind, const CostValue *a, const CostValue *b,
                                 uint32_t n) {
  const Pattern *only = !b->tile ? a->tile : !a->tile && kind == OP_ADD ? b->tile : NULL;
  if (only && only->at[0] == 0) return (CostValue){true, 0, only};
  return of_patterns(space, kind, a, b, n);
}

static CostValue add_values(ValueSpace *space, OpKind kind, Elem elem, const CostValue *a, const CostValue *b,
                            uint32_t n) {
  CostValue sum = sum_of_patterns(space, kind, a, b, n);
  uint64_t x = (uint64_t)a->base, y = (uint64_t)b->base;
  sum.base = (int64_t)((uint64_t)sum.base + (kind == OP_ADD ? x + y : x - y));
  return sum.known && holds(elem, sum.base, sum.tile) ? sum : by_element(space, kind, elem, elem, a, b, n);
}

static CostValue multiply(ValueSpace *space, Elem elem, const CostValue *a, const CostValue *b, uint32_t n) {
  const int64_t near = INT64_C(1) << 31;
  const CostValue *tile = a->tile ? a : b, *factor = a->tile ? b : a;
  bool small = tile->base < near && tile->base > -near && factor->base < near && factor->base > -near;
  if (!factor->tile && small) {
    enum { PRODUCTS = sizeof space->products / sizeof *space->products };
    uint64_t place = (uintptr_t)tile->tile / sizeof(Pattern) ^ (uint64_t)factor->base;
    Product *last = &space->products[place % PRODUCTS];
    if (last->tile != tile->tile || last->factor != factor->base)
      *last = (Product){tile->tile, factor->base, of_patterns(space, OP_MUL, a, b, n)};
    CostValue product = last->value;
    product.base += tile->base * factor->base;
    if (product.known && holds(elem, product.base, product.tile)) return product;
  }
  return by_element(space, OP_MUL, elem, elem, a, b, n);
}

// a < b is a - b < 0. Usually all elements agree; otherwise a pattern is compared with one number.
static CostValue compare(ValueSpace *space, OpKind kind, Elem elem, const CostValue *a, const CostValue *b,
                         uint32_t n) {
  const int64_t far = INT64_C(1) << 61;
  CostValue difference = sum_of_patterns(space, OP_SUB, a, b, n);
  bool plain = difference.known && holds(ELEM_I64, difference.base, difference.tile) && a->base > -far &&
               a->base < far && b->base > -far && b->base < far;
  if (!elem_is_signed(elem))
    plain = plain && a->base + (a->tile ? a->tile->least : 0) >= 0 &&
            b->base + (b->tile ? b->tile->least : 0) >= 0;
  if (!plain) return by_element(space, kind, elem, ELEM_I1, a, b, n);
  int64_t bound = b->base - a->base - difference.base, least = difference.tile ? difference.tile->least : 0,
          most = difference.tile ? difference.tile->most : 0, low, high;
  fold_int(kind, ELEM_I64, least, bound, &low);
  fold_int(kind, ELEM_I64, most, bound, &high);
  bool ordered = kind != OP_EQ && kind != OP_NE, apart = bound < least || bound > most;
  if (low == high && (ordered || apart || least == most)) return uniform(low);
  CostValue pattern = {true, 0, difference.tile}, limit = uniform(bound);
  return by_element(space, kind, ELEM_I64, ELEM_I1, &pattern, &limit, n);
}

static CostValue binary(ValueSpace *space, OpKind kind, Elem elem, const CostValue *a, const CostValue *b,
                        uint32_t n) {
  int64_t folded;
  if (!a->tile && !b->tile)
    return fold_int(kind, elem, a->base, b->base, &folded) ? uniform(folded) : unknown;
  switch ((int)kind) {
  case OP_ADD:
  case OP_SUB: return add_values(space, kind, elem, a, b, n);
  case OP_MUL: return multiply(space, elem, a, b, n);
  default:
    return op_traits[kind] & COMPARE ? compare(space, kind, elem, a, b, n)
                                     : by_element(space, kind, elem, elem, a, b, n);
  }
}

static CostValue cast(ValueSpace *space, Elem from, Elem to, const CostValue *a, uint32_t n) {
  const CostValue none = uniform(0);
  if (!a->tile) return uniform(to == ELEM_I1 ? a->base != 0 : (int64_t)number_wrap(to, (uint64_t)a->base));
  if (to != ELEM_I1 && from != ELEM_I1 && holds(to, a->base, a->tile)) return *a;
  return by_element(space, OP_CAST, from, to, a, &none, n);
}

static CostValue choose(ValueSpace *space, const Type *type, const CostValue *const *x, uint32_t n) {
  if (!x[0]->tile) return x[0]->base ? *x[1] : *x[2];
  if (x[1]->tile == x[2]->tile && x[1]->base == x[2]->base) return *x[1];
  const CostValue operands[3] = {*x[0], *x[1], *x[2]};
  ResultKey key = key_of(OP_SELECT, elem_of(type), operands, 3);
  Result *result = result_of(space, &key);
  if (result->value.known) return result->value;
  int64_t *at = ARENA_ARRAY(space->arena, int64_t, n);
  for (uint32_t i = 0; i < n; i++) at[i] = cost_element(cost_element(x[0], i) ? x[1] : x[2], i);
  return result->value = from_elements(space, elem_of(type), type_is_ptr(type), at, n);
}

static CostValue add_offset(ValueSpace *space, const Op *op, const CostValue *const *x, uint32_t n) {
  const Type *pointee = type_element(op_operand(op, 0)->type)->inner;
  CostValue scale = uniform(type_element_bytes(pointee)),
            bytes = binary(space, OP_MUL, ELEM_I64, x[1], &scale, n);
  if (!bytes.known) return unknown;
  CostValue place = sum_of_patterns(space, OP_ADD, x[0], &bytes, n);
  if (place.known) place.base = (int64_t)((uint64_t)place.base + (uint64_t)x[0]->base + (uint64_t)bytes.base);
  return place;
}

// --- shapes

// The way through the operand's elements, in row-major order, for the result's: where it begins, and the step along
// each of the result's dimensions.
typedef struct Way {
  int64_t start, step[TILE_MAX_RANK];
} Way;

static Way way_of(const Op *op, const Type *from, const Type *to) {
  const Attr *order = op_attr(op, ATTR_ORDER), *starts = op_attr(op, ATTR_STARTS);
  int64_t strides[TILE_MAX_RANK], all = 1;
  for (uint32_t d = from->rank; d-- > 0; all *= from->shape[d]) strides[d] = all;
  Way way = {0};
  for (uint32_t d = 0; d < to->rank; d++) {
    uint32_t of = op->kind == OP_TRANS ? (uint32_t)order->ints.at[d] : d;
    way.step[d] = op->kind == OP_BROADCAST && from->shape[of] == 1 ? 0 : strides[of];
    if (op->kind == OP_SLICE) way.start += starts->ints.at[d] * strides[of];
    if (op->kind != OP_FLIP || d != (uint32_t)op_int(op, ATTR_AXIS, 0)) continue;
    way.start += (from->shape[d] - 1) * strides[d];
    way.step[d] = -strides[d];
  }
  return way;
}

static void move_elements(const Way *way, const Type *to, const int64_t *from, int64_t *at, uint32_t n) {
  uint32_t index[TILE_MAX_RANK] = {0}, last = to->rank - 1, along = (uint32_t)to->shape[last];
  const int64_t *row = from + way->start;
  for (uint32_t i = 0; i < n; i += along) {
    for (uint32_t j = 0; j < along; j++) at[i + j] = row[(int64_t)j * way->step[last]];
    for (uint32_t d = last; d-- > 0;) {
      row += way->step[d];
      if (++index[d] < (uint32_t)to->shape[d]) break;
      row -= way->step[d] * to->shape[d];
      index[d] = 0;
    }
  }
}

static CostValue moved(ValueSpace *space, const Op *op, const CostValue *x) {
  const Type *from = op_operand(op, 0)->type, *to = op_result(op)->type;
  uint32_t n = (uint32_t)type_elements(to);
  bool in_order = n == type_elements(from) && op->kind != OP_TRANS && op->kind != OP_FLIP;
  if (!x->tile || in_order) return *x;
  const CostValue pattern = {true, 0, x->tile};
  ResultKey key = key_of((uint64_t)(uintptr_t)op, 0, &pattern, 1);
  Result *result = result_of(space, &key);
  if (!result->value.known) {
    int64_t *at = ARENA_ARRAY(space->arena, int64_t, n);
    const Way way = way_of(op, from, to);
    move_elements(&way, to, x->tile->at, at, n);
    result->value = from_elements(space, elem_of(to), type_is_ptr(to), at, n);
  }
  CostValue value = result->value;
  value.base = (int64_t)((uint64_t)value.base + (uint64_t)x->base);
  return value;
}

static CostValue range(ValueSpace *space, const Op *op) {
  uint32_t n = (uint32_t)type_elements(op_result(op)->type);
  ResultKey key = key_of(OP_ARANGE, n, NULL, 0);
  Result *result = result_of(space, &key);
  if (!result->value.known) {
    int64_t *at = ARENA_ARRAY(space->arena, int64_t, n);
    for (uint32_t i = 0; i < n; i++) at[i] = i;
    result->value = from_elements(space, ELEM_I32, false, at, n);
  }
  CostValue value = result->value;
  value.base = op_int(op, ATTR_START, 0);
  return value;
}

static CostValue constant(const Op *op) {
  const Attr *value = op_attr(op, ATTR_VALUE);
  return value ? uniform(value->i) : unknown;
}

bool cost_is_data(const Op *op) {
  if (!op_has(op, PURE | ELEMENTWISE) || op->result_count != 1 || !op->operand_count) return false;
  const Type *last = op_operand(op, op->operand_count - 1)->type;
  return (last && type_is_float(last)) || type_is_float(op_result(op)->type) ||
         type_is_float(op_operand(op, 0)->type);
}

// Writes member by member: a copy of a whole struct would wait for the writes of its members.
static inline void put(CostValue *to, CostValue value) {
  to->known = value.known;
  to->base = value.base;
  to->tile = value.tile;
}

static void elementwise(ValueSpace *space, const Op *op, const CostValue *const *x, CostValue *result) {
  const Type *type = op_result(op)->type, *first = op_operand(op, 0)->type;
  const CostValue *second = op->operand_count > 1 ? x[1] : x[0];
  uint32_t n = (uint32_t)type_elements(type);
  switch ((int)op->kind) {
  case OP_ADDPTR: put(result, add_offset(space, op, x, n)); break;
  case OP_SELECT: put(result, choose(space, type, x, n)); break;
  case OP_CAST:
  case OP_BITCAST: put(result, cast(space, elem_of(first), elem_of(type), x[0], n)); break;
  case OP_HINT: put(result, *x[0]); break;
  default:
    if (x[0]->tile || second->tile) {
      put(result, binary(space, op->kind, elem_of(first), x[0], second, n));
      break;
    }
    result->known = fold_int(op->kind, elem_of(first), x[0]->base, second->base, &result->base);
    result->tile = NULL;
  }
}

void cost_apply(ValueSpace *space, const Op *op, const CostValue *const *operands, CostValue *result) {
  result->known = false;
  if (op->result_count != 1) return;
  if (op->kind == OP_CONSTANT || op->kind == OP_ARANGE) {
    put(result, op->kind == OP_CONSTANT ? constant(op) : range(space, op));
    return;
  }
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!operands[i]->known) return;
  if (op_rearranged(op) || op->kind == OP_SLICE || op->kind == OP_FLIP)
    put(result, moved(space, op, operands[0]));
  else if (op_has(op, PURE | ELEMENTWISE))
    elementwise(space, op, operands, result);
}
