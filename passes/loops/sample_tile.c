// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each op is computed again for fewer elements, from fewer elements of its operands:
//
// ```
//   arange {0, 64}            ->  arange {0, 8} * 8
//   x / 8 of x that counts    ->  x[0] / 8 + arange {0, 8}     (contiguous, as coalesce needs it)
//   x < n of the same         ->  x[0] / 8 + arange {0, 8} < n / 8, where 8 divides n
//   x[:, None]                ->  the same of fewer x
//   reshape                   ->  the same, where the dropped index bits are the low ones of the operand's dimensions
//   a tile that a loop carries -> one more loop-carried tile
// ```
#include "passes/loops/sample_tile.h"
#include "base/integer.h"
#include "ir/build.h"
#include "passes/analysis/overlapped_dots.h"

enum { MAX_STEPS = 512, ALL_BITS = 32 };

Sampler sampler_new(Arena *arena, Func *func, const AxisTable *axes) {
  return (Sampler){.arena = arena, .func = func, .axes = axes};
}

static bool is_same(const SampleAt *a, const SampleAt *b) { return memcmp(a, b, sizeof *a) == 0; }

static bool takes_all(const SampleAt *at) {
  const SampleAt all = {{0}};
  return is_same(at, &all);
}

// --- the operands' elements

static void without_dim(SampleAt *at, uint32_t dim) {
  for (uint32_t d = dim; d + 1 < TILE_MAX_RANK; d++) at->bits[d] = at->bits[d + 1];
  at->bits[TILE_MAX_RANK - 1] = 0;
}

// The bits of the flattened index that are 0 in all sampled elements.
static uint32_t dropped_bits(const Type *tile, const SampleAt *at) {
  uint32_t dropped = 0, first = 0;
  for (uint32_t d = tile->rank; d-- > 0;) {
    dropped |= ((UINT32_C(1) << at->bits[d]) - 1) << first;
    first += log2_ceil(tile->shape[d]);
  }
  return dropped;
}

// The same as bits of a tile's dimensions. False: in some dimension they are not the low ones.
static bool at_dropped_bits(const Type *tile, uint32_t dropped, SampleAt *at) {
  uint32_t first = 0;
  *at = (SampleAt){{0}};
  for (uint32_t d = tile->rank; d-- > 0;) {
    uint32_t bits = log2_ceil(tile->shape[d]), part = dropped >> first & ((UINT32_C(1) << bits) - 1);
    if (part & (part + 1)) return false;
    while (part >> at->bits[d]) at->bits[d]++;
    first += bits;
  }
  return true;
}

// Finds the elements of an operand that the sampled elements of the op's result need. False: the op cannot be sampled.
static bool operand_at(const Op *op, const Value *operand, SampleAt *at) {
  const Type *tile = operand->type;
  const SampleAt result = *at;
  switch ((int)op->kind) {
  case OP_EXPAND_DIMS: without_dim(at, (uint32_t)op_int(op, ATTR_AXIS, 0)); return true;
  case OP_BROADCAST:
    for (uint32_t d = 0; d < tile->rank; d++)
      if (tile->shape[d] == 1) at->bits[d] = 0;
    return true;
  case OP_TRANS:
    for (uint32_t d = 0; d < tile->rank; d++) at->bits[op_attr(op, ATTR_ORDER)->ints.at[d]] = result.bits[d];
    return true;
  case OP_RESHAPE:
    return type_sizes_are_powers(tile) &&
           at_dropped_bits(tile, dropped_bits(op_result(op)->type, &result), at);
  case OP_JOIN: at->bits[tile->rank] = 0; return true;
  case OP_LOAD: return !op_attr(op, ATTR_VOLATILE) && !op_attr(op, ATTR_ANCHOR) && !op_attr(op, ATTR_VECTOR);
  default: return op_has(op, PURE | ELEMENTWISE) && op->result_count == 1 && op->region_count == 0;
  }
}

// --- quotients that count

// True if x counts along all of a dimension from a multiple of 2^n, where the sample takes one in 2^n along it (n == 0: any
// n). *dim is the dimension. *first samples only its first element. whole: x begins at a multiple of the dimension's
// size, so it does not wrap.
static bool counts_along(const Sampler *s, const Value *x, uint32_t n, bool whole, const SampleAt *at,
                         uint32_t *dim, SampleAt *first) {
  const AxisInfo *info = axis_info(s->axes, x);
  for (uint32_t d = 0; d < x->type->rank; d++) {
    uint64_t size = x->type->shape[d], step = UINT64_C(1) << at->bits[d];
    if (step == 1 || (n && at->bits[d] != n) || size <= step || info->contiguity[d] < size) continue;
    if (axis_divisor(s->axes, x, d, size) < (whole ? size : step)) continue;
    *dim = d;
    *first = *at;
    first->bits[d] = (uint8_t)log2_of(size);
    return true;
  }
  return false;
}

// True for x / 2^n or x >> n where x counts, from a multiple of 2^n.
static bool counts_quotients(const Sampler *s, const Op *op, const SampleAt *at, uint32_t *dim,
                             SampleAt *first) {
  if (op->kind != OP_DIV && op->kind != OP_SHR) return false;
  const Value *x = op_operand(op, 0);
  const AxisInfo *info = axis_info(s->axes, x), *by = axis_info(s->axes, op_operand(op, 1));
  if (!type_is_int(x->type) || !by->known || by->constant <= 0 || !info->natural) return false;
  if (op->kind == OP_SHR ? by->constant >= ALL_BITS : !is_power_of_two((uint64_t)by->constant)) return false;
  uint32_t n = op->kind == OP_SHR ? (uint32_t)by->constant : log2_of((uint64_t)by->constant);
  return n && counts_along(s, x, n, false, at, dim, first);
}

// A comparison of a counting tile, operand `counts`, with a bound that is a multiple of the sample's step.
typedef struct Bounded {
  uint32_t counts, dim;
  SampleAt first;
} Bounded;

static bool compares_count(const Sampler *s, const Op *op, const SampleAt *at, Bounded *bounded) {
  if (!op_orders(op) || !type_is_int(op_operand(op, 0)->type)) return false;
  bounded->counts = op_counted_operand(op);
  const Value *x = op_operand(op, bounded->counts), *n = op_operand(op, !bounded->counts);
  if (!counts_along(s, x, 0, true, at, &bounded->dim, &bounded->first)) return false;
  uint32_t d = bounded->dim;
  return axis_info(s->axes, n)->constancy[d] >= x->type->shape[d] &&
         axis_divisor(s->axes, n, d, 1) >= UINT64_C(1) << at->bits[d];
}

// --- whether it can be done

static bool can_walk(Sampler *s, const Value *value, const SampleAt *at);

static bool can_loop(Sampler *s, const Op *loop, uint32_t i, const SampleAt *at) {
  return loop->kind == OP_FOR && can_walk(s, loop_init(loop, i), at) &&
         can_walk(s, loop_yielded(loop, i), at);
}

static bool can_op(Sampler *s, const Op *op, const SampleAt *at) {
  uint32_t dim;
  SampleAt first;
  if (op_has(op, LEAF)) return true;
  if (counts_quotients(s, op, at, &dim, &first)) return can_walk(s, op_result(op), &first);
  Bounded bounded;
  if (compares_count(s, op, at, &bounded))
    return can_walk(s, op_operand(op, bounded.counts), &bounded.first) &&
           can_walk(s, op_operand(op, !bounded.counts), at);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    SampleAt in = *at;
    if (!type_is_tile(op_operand(op, i)->type)) continue;
    if (!operand_at(op, op_operand(op, i), &in) || !can_walk(s, op_operand(op, i), &in)) return false;
  }
  return operand_at(op, op_operand(op, 0), &(SampleAt){{0}});
}

static bool can_walk(Sampler *s, const Value *value, const SampleAt *at) {
  if (takes_all(at)) return true;
  for (uint32_t i = 0; i < s->tried.n; i++)
    if (s->tried.at[i].value == value->id && is_same(&s->tried.at[i].at, at)) return true;
  if (s->steps == 0 || !type_sizes_are_powers(value->type) || value->type->layout) return false;
  s->steps--;
  vec_push(s->arena, &s->tried, ((SampleVisit){value->id, *at, NULL}));
  if (!value->def) {
    const Op *loop = value->region->parent;
    return loop && value->index > 0 && can_loop(s, loop, value->index - 1, at);
  }
  if (value->def->kind == OP_FOR) return can_loop(s, value->def, value->index, at);
  return (value->def->operand_count || op_has(value->def, LEAF)) && can_op(s, value->def, at);
}

bool sample_can(Sampler *s, const Value *tile, const SampleAt *at) {
  s->steps = MAX_STEPS;
  s->tried.n = 0;
  return can_walk(s, tile, at);
}

// --- doing it

static const Type *sampled_type(const Sampler *s, const Type *tile, const SampleAt *at) {
  uint32_t shape[TILE_MAX_RANK];
  for (uint32_t d = 0; d < tile->rank; d++) shape[d] = tile->shape[d] >> at->bits[d];
  return type_tile(s->func->module->ir, type_element(tile), tile->rank, shape, NULL);
}

// A tile of that shape whose elements count along the dimension.
static Value *build_count(Builder *b, const Type *tile, uint32_t dim) {
  Value *count = build_cast(b, build_arange(b, 0, tile->shape[dim]), type_element(tile));
  for (uint32_t d = 0; d < tile->rank; d++)
    if (d != dim) count = build_expand_dims(b, count, d);
  return tile->rank == 1 ? count : build_broadcast(b, count, tile->shape);
}

static Value *sample_quotient(Sampler *s, Value *tile, const SampleAt *at, uint32_t dim,
                              const SampleAt *first) {
  Value *start = sample(s, tile, first);
  Builder b = builder_after(start->def ? start->def : tile->def);
  const Type *type = sampled_type(s, tile->type, at);
  Value *count = build_count(&b, type, dim);
  return build_binary(&b, OP_ADD, build_broadcast(&b, start, type->shape), count);
}

// Both sides divided by the step: the mask stays a comparison of a counting tile, and repeats in longer runs.
static Value *sample_comparison(Sampler *s, Op *op, const SampleAt *at, const Bounded *bounded) {
  Value *operands[2];
  uint32_t counts = bounded->counts, by = at->bits[bounded->dim];
  for (uint32_t i = 0; i < 4; i++) // twice, as in sample_operands
    operands[i % 2] = sample(s, op_operand(op, i % 2), i % 2 == counts ? &bounded->first : at);
  Builder b = builder_after(op);
  const Type *type = sampled_type(s, op_operand(op, counts)->type, at);
  for (uint32_t i = 0; i < 2; i++) operands[i] = build_with_int(&b, OP_SHR, operands[i], by);
  Value *count = build_count(&b, type, bounded->dim);
  operands[counts] = build_binary(&b, OP_ADD, build_broadcast(&b, operands[counts], type->shape), count);
  return build_binary(&b, op->kind, operands[0], operands[1]);
}

static Value *sample_arange(Sampler *s, const Op *op, const SampleAt *at) {
  Builder b = builder_after((Op *)op);
  const Type *type = sampled_type(s, op_result(op)->type, at);
  int64_t start = op_int(op, ATTR_START, 0);
  Value *first = build_int(&b, type, start);
  if (type->shape[0] == 1) return first;
  Value *step = build_int(&b, type, INT64_C(1) << at->bits[0]);
  Value *count = build_binary(&b, OP_MUL, build_arange(&b, 0, type->shape[0]), step);
  return start ? build_binary(&b, OP_ADD, count, first) : count;
}

// Promises hold for the runs that are left.
static void sample_promises(Op *hint, const SampleAt *at, uint32_t rank) {
  static const AttrKey keys[] = {ATTR_MULTIPLE, ATTR_CONTIGUOUS, ATTR_CONSTANT};
  for (uint32_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const Attr *attr = op_attr(hint, keys[i]);
    uint32_t numbers[TILE_MAX_RANK];
    if (!attr) continue;
    for (uint32_t d = 0; d < rank; d++) {
      uint32_t number = (uint32_t)attr->ints.at[d];
      numbers[d] = !at->bits[d] ? number : keys[i] == ATTR_CONSTANT ? max_u32(number >> at->bits[d], 1) : 1;
    }
    op_set_ints(hint, keys[i], rank, numbers);
  }
}

static void note_made(Sampler *s, const Value *tile, const SampleAt *at, Value *made) {
  vec_push(s->arena, &s->made, ((SampleVisit){tile->id, *at, made}));
}

static Value *find_made(const Sampler *s, uint32_t value, const SampleAt *at) {
  for (uint32_t i = 0; i < s->made.n; i++)
    if (s->made.at[i].value == value && is_same(&s->made.at[i].at, at)) return s->made.at[i].made;
  return NULL;
}

// Sampling a later operand may build a loop again, and with it an earlier operand. So all are made first.
static void sample_operands(Sampler *s, const Op *op, const SampleAt *at, uint32_t count, Value **out) {
  for (uint32_t i = 0; i < 2 * count; i++) {
    SampleAt in = *at;
    Value *operand = out[i % count] = op_operand(op, i % count);
    if (!type_is_tile(operand->type)) continue;
    operand_at(op, operand, &in);
    out[i % count] = sample(s, operand, &in);
  }
}

// An op of operands in fewer elements. A join may keep only one operand.
static Value *sample_op(Sampler *s, Op *op, const SampleAt *at) {
  uint32_t rank = op->operand_count ? op_operand(op, 0)->type->rank : 0, count = op->operand_count;
  bool half = op->kind == OP_JOIN && at->bits[rank];
  if (half) count = 1;
  Value **operands = ARENA_ARRAY(s->arena, Value *, count + 1);
  sample_operands(s, op, at, count, operands);
  Value *again = find_made(s, op_result(op)->id, at); // by way of a loop that carries an operand
  if (again) return again;
  Builder b = builder_after(op);
  if (half) return build_expand_dims(&b, operands[0], rank);
  const Type *type = sampled_type(s, op_result(op)->type, at);
  Op *made = build_op(&b, op->kind, count, operands, 1, &type);
  op_copy_attrs(made, op);
  if (op->kind == OP_HINT) sample_promises(made, at, type->rank);
  return op_result(made);
}

static Value *sample_result(Sampler *s, Value *tile, const SampleAt *at) {
  uint32_t dim;
  SampleAt first;
  if (tile->def->kind == OP_ARANGE) return sample_arange(s, tile->def, at);
  if (counts_quotients(s, tile->def, at, &dim, &first)) return sample_quotient(s, tile, at, dim, &first);
  Bounded bounded;
  if (compares_count(s, tile->def, at, &bounded)) return sample_comparison(s, tile->def, at, &bounded);
  return sample_op(s, tile->def, at);
}

static void replace_made(Sampler *s, const Value *from, Value *to) {
  to->id = from->id;
  for (uint32_t i = 0; i < s->made.n; i++)
    if (s->made.at[i].made == from) s->made.at[i].made = to;
}

// Builds the loop again with one more value. Its other values keep their ids.
static Op *with_one_more(Sampler *s, Op *loop, Value *init) {
  uint32_t n = loop->result_count;
  Value **inits = loop_inits(s->arena, loop, 1);
  const Region *body = loop->regions[0];
  inits[n] = init;
  Op *made = loop_with_inits(loop, n + 1, inits);
  for (uint32_t i = 0; i < n; i++) replace_made(s, &loop->results[i], &made->results[i]);
  for (uint32_t i = 0; i <= n; i++) replace_made(s, body->args[i], made->regions[0]->args[i]);
  return made;
}

// Sampling other values may build the loop again: its yield stays. For the initial value, even this tile may have been
// sampled: an outer loop may yield the loop's result.
static void sample_carried(Sampler *s, const Op *loop, uint32_t i, const SampleAt *at) {
  Op *yield = loop->regions[0]->last;
  Value *init = sample(s, loop_init(loop, i), at);
  if (find_made(s, loop_carried(yield->region->parent, i)->id, at)) return;
  Op *wider = with_one_more(s, yield->region->parent, init);
  uint32_t more = wider->result_count - 1;
  Value *carried = loop_carried(wider, more);
  note_made(s, loop_carried(wider, i), at, carried);
  note_made(s, &wider->results[i], at, &wider->results[more]);
  vec_push(s->arena, &s->yields, yield);
  op_add_operand(yield, carried);
  op_set_operand(yield, more, sample(s, op_operand(yield, i), at));
}

Value *sample(Sampler *s, Value *tile, const SampleAt *at) {
  if (takes_all(at)) return tile;
  Value *made = find_made(s, tile->id, at);
  if (made) return made;
  uint32_t id = tile->id;
  if (!tile->def || tile->def->kind == OP_FOR) {
    sample_carried(s, tile->def ? tile->def : tile->region->parent, tile->def ? tile->index : tile->index - 1,
                   at);
    return find_made(s, id, at);
  }
  made = sample_result(s, tile, at);
  note_made(s, tile, at, made);
  return made;
}

// --- what nothing needs any more

// True if the value only leads to the yield's operand i, by ops that do nothing else.
static bool only_leads_to(const Value *value, const Op *yield, uint32_t i, uint32_t *steps) {
  for (const Use *use = value->first_use; use; use = use->next) {
    const Op *user = use->user;
    if (user == yield && use == &yield->operands[i]) continue;
    if (*steps == 0 || !op_has(user, PURE) || user->region_count || user->result_count != 1) return false;
    --*steps;
    if (!only_leads_to(op_result(user), yield, i, steps)) return false;
  }
  return true;
}

void sample_end(Sampler *s) {
  for (uint32_t k = 0; k < s->yields.n; k++) {
    Op *yield = s->yields.at[k], *loop = yield->region->parent;
    for (uint32_t i = 0; i < loop->result_count; i++) {
      uint32_t steps = MAX_STEPS;
      if (value_unused(&loop->results[i]) && only_leads_to(loop_carried(loop, i), yield, i, &steps))
        op_set_operand(yield, i, loop_carried(loop, i));
    }
  }
}
