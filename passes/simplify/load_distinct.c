// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// load_distinct: a load whose addresses repeat loads each address once, and repeats the values.
//
// before  %q = div %i, 8 : tile<64xi32>              (%i counts from a multiple of 8)
//         %p = addptr %base, %q : tile<64x*i32>
//         %v = load %p : tile<64xi32>
// after   %s = addptr %first, arange {0, 8} : tile<8x*i32>
//         %w = load %s : tile<8xi32>
//         %v = reshape (broadcast (expand_dims %w)) : tile<64xi32>
//
// needs   sizes that are powers of two
// keeps   every value, and which addresses are read
// breaks  nothing; the old addresses are left for simplify to drop
// pays    Packed weights are loaded once a word, in wide accesses. Loops prefetch words, not the tile of repeated words:
//         an eighth of the bytes in shared memory. Repeated values are the same registers
//
// The mask and the value of masked elements must repeat too. Addresses in a loop are carried for fewer elements.
#include "base/integer.h"
#include "ir/build.h"
#include "passes/analysis/axis_info.h"
#include "passes/analysis/dot_loops.h"
#include "passes/passes.h"
#include "passes/simplify/sample_tile.h"

enum { MAX_STEPS = 256, MAX_ROUNDS = 3 };

typedef struct DistinctLoader {
  PassContext *context;
  Func *func;
  VEC(Op *) loads;
} DistinctLoader;

// True if the value may be part of an address. *steps bounds the search.
static bool leads_to_address(const Value *value, uint32_t *steps) {
  for (const Use *use = value->first_use; use; use = use->next) {
    const Op *user = use->user;
    if (*steps == 0 || user->kind == OP_LOAD) return true;
    --*steps;
    for (uint32_t i = 0; op_has(user, PURE) && i < user->result_count; i++)
      if (leads_to_address(&user->results[i], steps)) return true;
  }
  return false;
}

// A loop of dots loads ahead by addresses from tables (paged attention). Values that go to other threads through shared
// memory are not known ahead.
static bool is_table_of_loop(const Op *load) {
  uint32_t steps = MAX_STEPS;
  return may_be_copied_ahead(load) && leads_to_address(op_result(load), &steps);
}

static void find_load(DistinctLoader *l, Op *op) {
  if (op->kind != OP_LOAD || !type_is_tile(op_result(op)->type) || op_attr(op, ATTR_VOLATILE)) return;
  // A thread with one element loads nothing twice.
  if (type_elements(op_result(op)->type) <= region_threads(op) && !may_be_copied_ahead(op)) return;
  for (const Use *use = op_result(op)->first_use; use; use = use->next)
    if (use->user->kind == OP_TMA_MARK) return;
  // Layouts are chosen already.
  if (op_attr(op, ATTR_ANCHOR) || op_attr(op, ATTR_VECTOR) || is_table_of_loop(op)) return;
  vec_push(l->context->scratch, &l->loads, op);
}

// The runs in which all operands repeat. False: they do not.
static bool find_repeats(const AxisTable *axes, const Op *load, SampleAt *at) {
  const Type *tile = op_result(load)->type;
  bool some = false;
  *at = (SampleAt){{0}};
  if (!type_sizes_are_powers(tile) || tile->rank == TILE_MAX_RANK || tile->layout) return false;
  for (uint32_t d = 0; d < tile->rank; d++) {
    uint64_t run = tile->shape[d];
    for (uint32_t i = 0; i < load->operand_count; i++)
      run = min_u64(run, axis_info(axes, op_operand(load, i))->constancy[d]);
    at->bits[d] = (uint8_t)log2_of(run);
    some |= run > 1;
  }
  return some;
}

static bool can_sample_all(Sampler *s, const Op *load, const SampleAt *at) {
  for (uint32_t i = 0; i < load->operand_count; i++)
    if (!sample_can(s, op_operand(load, i), at)) return false;
  return true;
}

// Repeats each element along each dimension.
static Value *build_repeats(Builder *b, Value *tile, const Type *to, const SampleAt *at) {
  uint32_t shape[TILE_MAX_RANK];
  for (uint32_t d = 0; d < to->rank; d++) {
    if (!at->bits[d]) continue;
    memcpy(shape, tile->type->shape, sizeof shape);
    shape[d] = to->shape[d];
    if (tile->type->shape[d] == 1) {
      tile = build_broadcast(b, tile, shape);
      continue;
    }
    uint32_t apart[TILE_MAX_RANK], rank = to->rank;
    for (uint32_t i = 0; i <= rank; i++) apart[i] = tile->type->shape[i - (i > d)];
    apart[d + 1] = UINT32_C(1) << at->bits[d];
    tile = build_reshape(b, build_broadcast(b, build_expand_dims(b, tile, d + 1), apart), rank, shape);
  }
  return tile;
}

// A load, and the one of fewer elements that replaces it.
typedef struct Repeated {
  Op *load;
  SampleAt at;
  Value *words;
} Repeated;

static void replace(PassContext *context, const Repeated *repeated) {
  const Type *type = op_result(repeated->load)->type;
  Builder b = builder_after(repeated->words->def);
  b.loc = repeated->load->loc;
  value_replace_uses(op_result(repeated->load), build_repeats(&b, repeated->words, type, &repeated->at));
  diag_remark(context->diags, b.loc, "load_distinct", "%llu addresses are loaded once, not %llu with repeats",
              (unsigned long long)type_elements(repeated->words->type),
              (unsigned long long)type_elements(type));
  op_erase(repeated->load);
}

// All smaller loads are made before one is used: the analysis has no values of views.
static bool load_once(PassContext *context, Func *func) {
  DistinctLoader l = {.context = context, .func = func};
  VEC(Repeated) all = {0};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) find_load(&l, w.op);
  if (l.loads.n == 0) return false;
  const AxisTable *axes = axis_analyse(context->scratch, func);
  Sampler s = sampler_new(context->scratch, func, axes);
  for (uint32_t i = 0; i < l.loads.n; i++) {
    Repeated one = {.load = l.loads.at[i]};
    if (find_repeats(axes, one.load, &one.at) && can_sample_all(&s, one.load, &one.at))
      vec_push(context->scratch, &all, one);
  }
  for (uint32_t i = 0; i < all.n; i++) all.at[i].words = sample(&s, op_result(all.at[i].load), &all.at[i].at);
  for (uint32_t i = 0; i < all.n; i++) replace(context, &all.at[i]);
  sample_end(&s);
  return all.n > 0;
}

// Values that repeat may be addresses that repeat: a scale for each group, found by a table of groups.
bool pass_load_distinct(PassContext *context, Func *func) {
  uint32_t rounds = 0;
  while (rounds < MAX_ROUNDS && load_once(context, func)) rounds++;
  return rounds > 0;
}
