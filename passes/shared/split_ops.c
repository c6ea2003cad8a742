// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// split_ops: splits dots along k, and ops that move elements through shared memory, into ops that the machine has.
//
// needs   operands and scratch buffers in shared memory (promote_shared), loops pipelined
// keeps   every value
// breaks  nothing. No op has a scratch buffer any more
#include <string.h>
#include "base/integer.h"
#include "ir/build.h"
#include "ir/dot/dot.h"
#include "ir/dot/layout_dot.h"
#include "ir/layout/ldmatrix.h"
#include "passes/passes.h"
#include "base/fault.h"
#include "ir/clone.h"
#include "ir/memory/exchange.h"
#include "ir/memory/scratch.h"

typedef struct OpSplitter {
  IrContext *ir;
  Arena *arena;
  Func *func;
  bool changed;
} OpSplitter;

// --- dots that are computed in parts along k: one dot per part
//
// ```
// before  %d = dot %as, %bs, %acc {instruction = "wgmma", anchor_a, shared_a, async}
//         %e = dot_wait %d {pending = 1}
// after   dot_wait {pending = 1}
//         %a0 = shared_load %as {starts = [0, 0]}
//         %d0 = dot %a0, %bs, %acc {part = [0, 16], async}
//         dot_wait {pending = 1}
//         %a1 = shared_load %as {starts = [0, 16]}
//         %d1 = dot %a1, %bs, %d0 {part = [16, 16], async}
// ```
//
// ```
// before  %d = dot %as, %b, %acc {anchor_b, swapped, async}      (%b is computed, here of 64 k)
//         %e = dot_wait %d {pending = 1}
// after   dot_wait {pending = 3}
//         %b0 = slice %b {starts = [0, 0]}
//         %d0 = dot %as, %b0, %acc {part = [0, 16], async}
//         dot_wait {pending = 3}
//         %b1 = slice %b {starts = [16, 0]}
//         %d1 = dot %as, %b1, %d0 {part = [16, 16], async}       and so on
// ```
//
// ```
// before  %d = dot %as, %bs, %acc {imprecise = 64, async}        (fp8)
//         %e = dot_wait %d {pending = 0}
// after   %p0 = dot %as, %bs, %zero {part = [0, 64], async}
//         %w0 = dot_wait %p0 {pending = 0}
//         %s0 = add %acc, %w0                                    and so on
// ```
//
// pays    while a part is multiplied, the next is read into registers. Tensor cores sum fp8 with fewer bits than fp32
//         has
//
// If the previous iteration's dot is in flight, each part waits until the same part of that dot is done. It reads new
// values into that part's registers. So the loop's own wait has nothing left to wait for. Codegen computes what only
// one part takes after that part's wait. So one set of registers is enough.

static Op *build_wait(Builder *b, Value *sum, uint32_t pending) {
  Op *wait = build_op(b, OP_DOT_WAIT, sum != NULL, &sum, sum != NULL, sum ? &sum->type : NULL);
  op_set_int(wait, ATTR_PENDING, pending);
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
static const Type *part_type(OpSplitter *s, const Op *dot, DotOperand operand, const Layout *whole,
                             uint32_t count) {
  const Type *type = op_operand(dot, operand)->type;
  DotShape shape = dot_op_shape(dot);
  Layout layout = layout_dot_part(whole, &shape, operand, log2_of(count));
  uint32_t tile_shape[] = {type->shape[0], type->shape[1]};
  tile_shape[operand == DOT_A] = count;
  Elem elem = type->kind == TYPE_SHARED ? type->elem : type_element(type)->elem;
  return type_tile(s->ir, type_scalar(s->ir, elem), 2, tile_shape, layout_intern(s->ir, &layout));
}

static Value *load_part(OpSplitter *s, Builder *b, const Op *dot, DotOperand operand, uint32_t first,
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
static Value *slice_part(OpSplitter *s, Builder *b, const Op *dot, uint32_t first, uint32_t count) {
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

static void split_read(OpSplitter *s, Op *dot, DotOperand operand) {
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

static void split_promoted(OpSplitter *s, Op *dot, uint32_t step) {
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

static void split_dot(OpSplitter *s, Op *op) {
  if (!op_attr(op, ATTR_ASYNC) || op_attr(op, ATTR_PART)) return;
  uint32_t step = dot_promotes(op), parts = dot_parts(op);
  if (!step && !parts) return;
  if (parts && dot_takes_b_computed(op) && (parts < 2 || !only_wait(op, 1))) return;
  if (parts)
    split_read(s, op, op_attr(op, ATTR_ANCHOR_A) && op_attr(op, ATTR_SHARED_A) ? DOT_A : DOT_B);
  else
    split_promoted(s, op, step);
  s->changed = true;
}

// --- exchanges: stores, loads and the work in between
//
// ```
// before  %s = shared_alloc : shared<256xi32, #s>
//         %d = convert_layout %v, %s : tile<256xi32, #b>
// after   %s = shared_alloc : shared<256xi32, #s>
//         shared_store %v, %s
//         %d = shared_load %s : tile<256xi32, #b>
// ```
//
// pays    every access to shared memory is an op. So only place_barriers places barriers
//
// These ops are split:
// * `flip`: store, mirrored load.
// * `gather`: store, shared_gather.
// * `histogram`: store of zeros, shared_count, load.
// * Atomics, volatile loads, globaltimer: the op in the first holders of its result, store, load.
// * `reduce`: reduce_parts, then a store and a load for each operand, then a reduce of the parts. Each thread does
//   that reduce itself, or a warp does it by shuffles. If the result is converted to another layout through shared
//   memory, the parts are read in that layout.
// * `scan`: scan_chunks, store and load of the chunks' totals, scan_carry.
//
// Buffers are made at the place of the scratch buffer, one per operand. Reductions whose lanes can combine by
// redux.sync get the attribute.

// --- buffers

// Makes a buffer at the place of the op's scratch buffer.
static Value *buffer_of(const Op *op, const Type *type) {
  Op *alloc = op_scratch(op)->def;
  Builder b = builder_before(alloc && alloc->kind == OP_SHARED_ALLOC ? alloc : (Op *)op);
  return build(&b, OP_SHARED_ALLOC, type, NULL, NULL, NULL);
}

static const Type *tile_buffer(const OpSplitter *s, const Type *tile) {
  static const uint32_t one = 1;
  if (!type_is_tile(tile)) return shared_in_order(s->ir, buffer_elem(tile), 1, &one);
  return shared_in_order(s->ir, buffer_elem(tile), tile->rank, tile->shape);
}

static Op *build_shared_store(Builder *b, Value *x, Value *buffer) {
  return build_op(b, OP_SHARED_STORE, 2, (Value *[]){x, buffer}, 0, NULL);
}

static Value *build_shared_load(Builder *b, const Type *type, Value *buffer) {
  return build(b, OP_SHARED_LOAD, type, buffer, NULL, NULL);
}

// Erases the op, and its scratch buffer if nothing else uses it.
static void erase_exchange(OpSplitter *s, Op *op) {
  Value *scratch = op_scratch(op);
  op_erase(op);
  if (scratch->def && scratch->def->kind == OP_SHARED_ALLOC && value_unused(scratch)) op_erase(scratch->def);
  s->changed = true;
}

static void replace_exchange(OpSplitter *s, Op *op, Value *with) {
  with->name = op_result(op)->name;
  value_replace_uses(op_result(op), with);
  erase_exchange(s, op);
}

// --- moves

// The buffer's layout was chosen for loads by ldmatrix, where these are the cheapest.
static void split_conversion(OpSplitter *s, Op *op) {
  LdmatrixPlan plan;
  Builder b = builder_before(op);
  Value *buffer = op_scratch(op), *load;
  build_shared_store(&b, op_operand(op, 0), buffer);
  load = build_shared_load(&b, op_result(op)->type, buffer);
  uint32_t elem_bits = log2_of(type_element_bytes(load->type));
  if (ldmatrix_plan(load->def, &plan) &&
      layout_prefers_matrices(load->type->layout, buffer->type->layout, elem_bits))
    op_set_flag(load->def, ATTR_LDMATRIX, true);
  replace_exchange(s, op, load);
}

// Has no bank conflicts: mirrored, it uses the same places in another order.
static void split_flip(OpSplitter *s, Op *op) {
  const Type *type = op_result(op)->type;
  uint32_t elem_bits = log2_of(type_element_bytes(type));
  Layout layout = layout_swizzle(type->layout, type->layout, elem_bits);
  Value *buffer = buffer_of(
      op, type_shared(s->ir, buffer_elem(type), type->rank, type->shape, layout_intern(s->ir, &layout)));
  Builder b = builder_before(op);
  build_shared_store(&b, op_operand(op, 0), buffer);
  Value *mirrored = build_shared_load(&b, type, buffer);
  op_set_int(mirrored->def, ATTR_MIRROR, op_int(op, ATTR_AXIS, 0));
  replace_exchange(s, op, mirrored);
}

static void split_gather(OpSplitter *s, Op *op) {
  Value *buffer = buffer_of(op, tile_buffer(s, op_operand(op, 0)->type));
  Builder b = builder_before(op);
  build_shared_store(&b, op_operand(op, 0), buffer);
  Value *gathered = build(&b, OP_SHARED_GATHER, op_result(op)->type, buffer, op_operand(op, 1), NULL);
  op_set_int(gathered->def, ATTR_AXIS, op_int(op, ATTR_AXIS, 0));
  replace_exchange(s, op, gathered);
}

// The zeros are spread over the CTA's threads, to use the fewest registers.
static void split_histogram(OpSplitter *s, Op *op) {
  const Type *type = op_result(op)->type;
  uint32_t order = 0;
  Layout dense = layout_default(1, type->shape, &order, 0, type->layout->bits[DIM_WARP]);
  Value *buffer = buffer_of(op, tile_buffer(s, type)), *x = op_operand(op, 0), *mask = op_input(op, 1);
  Builder b = builder_before(op);
  build_shared_store(&b, build_int(&b, type_with_layout(s->ir, type, layout_intern(s->ir, &dense)), 0),
                     buffer);
  build_op(&b, OP_SHARED_COUNT, mask ? 3 : 2, (Value *[]){x, buffer, mask}, 0, NULL);
  replace_exchange(s, op, build_shared_load(&b, type, buffer));
}

// --- ops that run once

static void split_once(OpSplitter *s, Op *op) {
  const Type *type = op_result(op)->type;
  uint32_t count = op_input_count(op);
  Value **operands = ARENA_ARRAY(s->arena, Value *, count), *buffer = buffer_of(op, tile_buffer(s, type));
  for (uint32_t i = 0; i < count; i++) operands[i] = op_operand(op, i);
  Builder b = builder_before(op);
  Op *once = build_op(&b, op->kind, count, operands, 1, &type);
  op_copy_attrs(once, op);
  build_shared_store(&b, op_result(once), buffer);
  replace_exchange(s, op, build_shared_load(&b, type, buffer));
}

// --- reductions and scans

static void choose_redux(const OpSplitter *s, Op *op) {
  uint32_t first;
  if (!s->func->module->target.arch->has_redux) return;
  ReducePlan plan = reduce_plan(op);
  if (redux_fits(op, &plan, &first)) op_set_flag(op, ATTR_REDUX, true);
}

// An op with the same function as `like`.
static Op *build_combiner(const OpSplitter *s, Builder *b, OpKind kind, const Op *like,
                          uint32_t operand_count, Value *const *operands, uint32_t result_count,
                          const Type *const *types) {
  Op *op = build_op(b, kind, operand_count, operands, result_count, types);
  const Region *function = like->regions[0];
  Region *region = region_new(s->func, op);
  CloneMap map = clone_map_new(s->arena, s->func);
  for (uint32_t i = 0; i < function->arg_count; i++) {
    const Value *arg = function->args[i];
    clone_set(&map, arg, region_add_arg(region, arg->type, arg->name));
  }
  Builder inner = builder_at_end(s->func, region);
  for (const Op *at = function->first; at; at = at->next) op_clone(&inner, at, &map);
  return op;
}

// The combined operands and, for each, the types of its exchange through shared memory.
typedef struct Exchange {
  uint32_t count;
  Value **operands, **buffers;
  const Type **written, **read, **results;
} Exchange;

static Exchange exchange_new(const OpSplitter *s, const Op *op) {
  Exchange x = {.count = op_input_count(op)};
  x.operands = ARENA_ARRAY(s->arena, Value *, 2 * x.count);
  x.buffers = ARENA_ARRAY(s->arena, Value *, x.count);
  x.written = ARENA_ARRAY(s->arena, const Type *, 2 * x.count);
  x.read = ARENA_ARRAY(s->arena, const Type *, x.count);
  x.results = ARENA_ARRAY(s->arena, const Type *, x.count);
  for (uint32_t i = 0; i < x.count; i++) {
    x.operands[i] = op_operand(op, i);
    x.results[i] = op->results[i].type;
  }
  return x;
}

// Stores the op's results from `first` on, and reads them back.
static void exchange_through(const Exchange *x, Builder *b, Op *op, uint32_t first, int64_t writer,
                             Value **read) {
  for (uint32_t i = 0; i < x->count; i++) {
    Op *write = build_shared_store(b, &op->results[first + i], x->buffers[i]);
    if (writer) op_set_int(write, ATTR_WRITER, writer);
  }
  for (uint32_t i = 0; i < x->count; i++) read[i] = build_shared_load(b, x->read[i], x->buffers[i]);
}

static void replace_results(OpSplitter *s, Op *op, const Op *with) {
  op_replace_results(op, with);
  erase_exchange(s, op);
}

// The only user of the op's one result, if it computes element by element from this value alone, or converts it.
static Op *next_of(const Op *op) {
  const Use *use = op->result_count == 1 ? value_single_use(op_result(op)) : NULL;
  bool fits = use && (use->user->kind == OP_CONVERT_LAYOUT ||
                      (op_has(use->user, ELEMENTWISE) && use->user->operand_count == 1));
  return fits ? use->user : NULL;
}

// Takes over a conversion of the result that goes through shared memory, if it leaves a thread fewer elements. The parts
// are then read in that layout, and combined once instead of in every warp. Casts may be in between.
static bool take_conversion(OpSplitter *s, Op *op) {
  Op *conversion = next_of(op);
  while (conversion && conversion->kind != OP_CONVERT_LAYOUT) conversion = next_of(conversion);
  if (!conversion || !op_scratch(conversion)) return false;
  const Layout *layout = op_result(conversion)->type->layout;
  if (layout_registers(layout) >= layout_registers(op_result(op)->type->layout)) return false;
  for (Op *at = op; at != conversion; at = next_of(at))
    op_result(at)->type = type_with_layout(s->ir, op_result(at)->type, layout);
  value_replace_uses(op_result(conversion), op_operand(conversion, 0));
  erase_exchange(s, conversion);
  return true;
}

// The parts' buffer, without bank conflicts for readers in a layout other than the writers'.
static const Type *parts_buffer(const OpSplitter *s, const Type *written, const Type *read) {
  Layout layout = layout_swizzle(written->layout, read->layout, log2_of(type_element_bytes(written)));
  return type_shared(s->ir, buffer_elem(written), written->rank, written->shape,
                     layout_intern(s->ir, &layout));
}

static void split_reduce(OpSplitter *s, Op *op) {
  bool converts = take_conversion(s, op);
  ReducePlan plan = reduce_plan(op);
  Exchange x = exchange_new(s, op);
  for (uint32_t i = 0; i < x.count; i++) {
    x.written[i] = reduce_parts_type(s->ir, op, &plan, i);
    x.read[i] = reduce_read_type(s->ir, op, &plan, i);
    const Type *buffer = converts ? parts_buffer(s, x.written[i], x.read[i])
                                  : exchange_buffer(s->ir, x.written[i], &plan.place);
    x.buffers[i] = buffer_of(op, buffer);
  }
  Builder b = builder_before(op);
  Op *parts = build_combiner(s, &b, OP_REDUCE_PARTS, op, x.count, x.operands, x.count, x.written);
  op_set_attr(parts, *op_attr(op, ATTR_AXIS));
  choose_redux(s, parts);
  exchange_through(&x, &b, parts, 0, 0, x.operands);
  Op *whole = build_combiner(s, &b, OP_REDUCE, op, x.count, x.operands, x.count, x.results);
  op_set_int(whole, ATTR_AXIS, 0);
  choose_redux(s, whole);
  replace_results(s, op, whole);
}

// The lanes of a chunk's last element, in the scan's direction: they have its total.
static int64_t last_lanes(const Op *op, const ScanPlan *plan) {
  int64_t lanes = 0;
  for (uint32_t i = 0; i < plan->low; i++)
    if (plan->holder[i].dim == DIM_LANE) lanes |= INT64_C(1) << plan->holder[i].bit;
  return op_attr(op, ATTR_REVERSE) ? 0 : lanes;
}

static void split_scan(OpSplitter *s, Op *op) {
  ScanPlan plan;
  if (!scan_plan(op, &plan)) return; // Codegen reports it.
  Exchange x = exchange_new(s, op);
  for (uint32_t i = 0; i < x.count; i++) {
    x.written[i] = x.results[i];
    x.written[x.count + i] = scan_totals_type(s->ir, op, &plan, i);
    x.read[i] = scan_read_type(s->ir, op, &plan, i);
    x.buffers[i] = buffer_of(op, exchange_buffer(s->ir, x.written[x.count + i], &plan.place));
  }
  Builder b = builder_before(op);
  Op *chunks = build_combiner(s, &b, OP_SCAN_CHUNKS, op, x.count, x.operands, 2 * x.count, x.written);
  for (uint32_t i = 0; i < x.count; i++) x.operands[i] = &chunks->results[i];
  exchange_through(&x, &b, chunks, x.count, last_lanes(op, &plan), x.operands + x.count);
  Op *whole = build_combiner(s, &b, OP_SCAN_CARRY, op, 2 * x.count, x.operands, x.count, x.results);
  op_copy_attrs(chunks, op);
  op_copy_attrs(whole, op);
  replace_results(s, op, whole);
}

static void split_exchange(OpSplitter *s, Op *op) {
  if (!op_scratch(op)) {
    bool reduces = op->kind == OP_REDUCE && op_operand(op, 0)->type->layout && !op_attr(op, ATTR_REDUX);
    if (reduces) choose_redux(s, op);
    return;
  }
  switch ((int)op->kind) {
  case OP_CONVERT_LAYOUT: split_conversion(s, op); break;
  case OP_FLIP: split_flip(s, op); break;
  case OP_GATHER: split_gather(s, op); break;
  case OP_HISTOGRAM: split_histogram(s, op); break;
  case OP_REDUCE: split_reduce(s, op); break;
  case OP_SCAN: split_scan(s, op); break;
  default: split_once(s, op); break;
  }
}

bool pass_split_ops(PassContext *context, Func *func) {
  func_number(func);
  OpSplitter s = {.ir = func->module->ir, .arena = context->scratch, .func = func};
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (w.op->kind == OP_DOT)
      split_dot(&s, w.op);
    else
      split_exchange(&s, w.op);
  return s.changed;
}
