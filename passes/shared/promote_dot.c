// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot operands in shared memory.
//
// ```
// before  %d = dot %a, %b, %c {instruction = "wgmma", shared_a, shared_b}
// after   %s = shared_alloc : shared<128x64xfp16, #swizzled>
//         shared_store %a, %s
//         ...
//         %d0 = dot %s, %t, %c {instruction = "wgmma", shared_a, shared_b, async}
//         %d = dot_wait %d0 {pending = 0}
// ```
//
// ```
// before  %d = dot_wait %d0 {pending = 0}
//         %e0 = dot %u, %v, %d {async}
//         %e = dot_wait %e0 {pending = 0}
// after   %e0 = dot %u, %v, %d0 {async}
//         %e = dot_wait %e0 {pending = 0}
// ```
//
// ```
// before  shared_store %a, %s                                       (%a is an operand of another dot)
//         %b = trans %a {order = [1, 0]}
//         %d = dot %c, %b, %e {shared_b}
// after   %t = shared_trans %s {order = [1, 0]}                     if its layout there suits this dot
//         %d = dot %c, %t, %e
// ```
//
// ```
// before  %x = convert_layout %a : tile<128x32xfp16, #operand>     (only dots use it)
// after   shared_store %a, %s
//         %x = shared_load %s : tile<128x32xfp16, #operand>
// ```
//
// ```
// before  %x = load %p : tile<32x64xfp16>                           (in a loop with prefetch, only dots use it)
//         %b = cast %x : tile<32x64xbf16>
//         %d = dot %a, %b, %c
// after   shared_store %x, %s
//         %y = shared_load %s : tile<32x64xfp16, #operand>
//         %b = cast %y : tile<32x64xbf16, #operand>
//         %d = dot %a, %b, %c
// ```
#include "passes/shared/promote_dot.h"
#include "passes/tma/bulk_copies.h"

#include "base/integer.h"
#include "ir/build.h"
#include "ir/dot/dot.h"
#include "ir/dot/layout_dot.h"
#include "ir/memory/scratch.h"
#include "target/tuning.h"
#include "passes/layouts/choose_dot.h"

typedef struct DotPromoter {
  PassContext *context;
  Func *func;
  bool changed;
} DotPromoter;

// A buffer of that type that already holds the tile at the dot: another dot's operand.
static Value *stored_before(const Op *dot, const Value *tile, const Type *type) {
  for (const Use *use = tile->first_use; use; use = use->next) {
    if (use->user->kind != OP_SHARED_STORE || use != &use->user->operands[0]) continue;
    Value *buffer = op_operand(use->user, 1);
    bool whole = buffer->def && buffer->def->kind == OP_SHARED_ALLOC && buffer->type == type;
    if (whole && op_precedes(use->user, dot)) return buffer;
  }
  return NULL;
}

// --- the buffer of a transpose

typedef struct Order {
  uint32_t at[TILE_MAX_RANK];
} Order;

static Order order_of(const Op *trans) {
  const Attr *attr = op_attr(trans, ATTR_ORDER);
  Order order = {{0}};
  for (uint32_t i = 0; i < attr->ints.n; i++) order.at[i] = (uint32_t)attr->ints.at[i];
  return order;
}

static Order inverse_of(const Order *order, uint32_t rank) {
  Order inverse = {{0}};
  for (uint32_t i = 0; i < rank; i++) inverse.at[order->at[i]] = i;
  return inverse;
}

static const Type *turned_type(IrContext *ir, const Type *type, const Order *order) {
  uint32_t shape[TILE_MAX_RANK];
  Layout layout = layout_trans(type->layout, type->rank, type->shape, order->at);
  for (uint32_t i = 0; i < type->rank; i++) shape[i] = type->shape[order->at[i]];
  return type_shared(ir, type->elem, type->rank, shape, layout_intern(ir, &layout));
}

// A view of the buffer of `other`, built before `at` with that type. Dimensions `order` of `other` make the tile. NULL:
// none.
static Value *view_of(DotPromoter *p, const Op *at, const Value *other, const Order *order,
                      const Type *type) {
  Order back = inverse_of(order, type->rank);
  Value *buffer = stored_before(at, other, turned_type(p->func->module->ir, type, &back));
  if (!buffer) return NULL;
  Builder b = builder_before((Op *)at);
  b.loc = at->loc;
  Value *view = build(&b, OP_SHARED_TRANS, type, buffer, NULL, NULL);
  op_set_ints(view->def, ATTR_ORDER, type->rank, order->at);
  p->changed = true;
  return view;
}

// For a tile whose transpose another dot has in memory, in a suitable layout: that buffer, viewed transposed.
static Value *seen_transposed(DotPromoter *p, const Op *at, const Value *tile, const Type *type) {
  if (tile->def && tile->def->kind == OP_TRANS) {
    Order order = order_of(tile->def);
    Value *view = view_of(p, at, op_operand(tile->def, 0), &order, type);
    if (view) return view;
  }
  for (const Use *use = tile->first_use; use; use = use->next) {
    if (use->user->kind != OP_TRANS) continue;
    Order order = order_of(use->user), back = inverse_of(&order, type->rank);
    Value *view = view_of(p, at, op_result(use->user), &back, type);
    if (view) return view;
  }
  return NULL;
}

// Puts the tile in memory before the op `at`.
static Value *store_shared(DotPromoter *p, Builder *b, Op *at, Op *dot, DotOperand operand, Value *tile) {
  IrContext *ir = p->func->module->ir;
  Layout layout;
  DotPlacement placement;
  if (!dot_place_box(dot, operand, tile, &placement, &layout))
    placement = dot_choose_placement(dot, operand, tile->type, &layout);
  op_set_int(dot, operand == DOT_A ? ATTR_PLACEMENT_A : ATTR_PLACEMENT_B, placement);
  const Type *type = type_shared(ir, type_element(tile->type)->elem, tile->type->rank, tile->type->shape,
                                 layout_intern(ir, &layout));
  Value *buffer = stored_before(at, tile, type);
  if (!buffer) buffer = seen_transposed(p, at, tile, type);
  if (buffer) return buffer;
  buffer = op_result(build_op(b, OP_SHARED_ALLOC, 0, NULL, 1, &type));
  build_op(b, OP_SHARED_STORE, 2, (Value *[]){tile, buffer}, 0, NULL);
  diag_remark(p->context->diags, b->loc, "promote_shared",
              "operand %s of the dot goes through %llu bytes of shared memory", operand == DOT_A ? "a" : "b",
              (unsigned long long)(type_elements(tile->type) * type_element_bytes(tile->type)));
  p->changed = true;
  return buffer;
}

// Right after the tile's definition, where a load can become an asynchronous copy. So an operand that is defined
// outside the dot's loop is stored only once.
static Builder place_for(Op *dot, Value *tile) {
  Builder b = tile->def ? builder_after(tile->def) : builder_before(dot);
  if (!tile->def && tile->region != dot->region) b = builder_before(tile->region->first);
  b.loc = dot->loc;
  return b;
}

// A transpose that no dot uses would prevent the loop from copying its load.
static void drop_unused(Value *tile) {
  if (tile->def && tile->def->kind == OP_TRANS && value_unused(tile)) op_erase(tile->def);
}

static void promote_operand(DotPromoter *p, Op *dot, DotOperand operand) {
  Value *tile = op_operand(dot, operand);
  if (!op_attr(dot, operand == DOT_A ? ATTR_SHARED_A : ATTR_SHARED_B) || !type_is_tile(tile->type)) return;
  if (operand == DOT_A && promotes_to_tmem(dot)) return;
  Builder b = place_for(dot, tile);
  op_set_operand(dot, operand, store_shared(p, &b, dot, dot, operand, tile));
  drop_unused(tile);
}

// --- scales
//
// ```
// before  %x = load %p : tile<1x1x512xu8>               (blocks of 128 x 4, as they are in memory)
//         %y = reshape, trans and reshape of %x : tile<128x4xu8>
// after   %q = reshape, trans and reshape of %p : tile<128x4x*u8>
//         %y = load %q : tile<128x4xu8>                 (which pipeline can copy to the buffer)
// ```

static bool is_moved(const Op *op) { return op && op_has(op, VIEW) && !op_has(op, SPREADS); }

// The operand of the load, moved as its result is before `tile`. NULL: it is too.
static Value *moved_operand(Builder *b, const Value *tile, const Op *load, uint32_t i) {
  const Op *op = tile->def;
  if (op == load) return op_operand(load, i);
  Value *from = moved_operand(b, op_operand(op, 0), load, i);
  if (!from) return NULL;
  const Type *type = type_with_element(b->func->module->ir, tile->type, type_element(from->type));
  Value *made = build(b, op->kind, type, from, NULL, NULL);
  op_copy_attrs(made->def, op);
  return made;
}

static Value *load_moved(Value *tile) {
  const Value *source = tile;
  while (is_moved(source->def) && value_single_use(source)) source = op_operand(source->def, 0);
  Op *load = source->def;
  if (source == tile || !load || load->kind != OP_LOAD || !value_single_use(source) ||
      op_attr(load, ATTR_VOLATILE))
    return tile;
  Builder b = builder_after(load);
  b.loc = load->loc;
  Value *other = moved_operand(&b, tile, load, 2), *mask = moved_operand(&b, tile, load, 1);
  Value *made = build(&b, OP_LOAD, tile->type, moved_operand(&b, tile, load, 0), mask, other);
  op_copy_attrs(made->def, load);
  op_remove_attr(made->def, ATTR_ANCHOR); // It belongs to the other shape.
  return made;
}

static void drop_moved(Value *tile) {
  while (value_unused(tile) && tile->def && (is_moved(tile->def) || tile->def->kind == OP_LOAD)) {
    Op *op = tile->def;
    tile = op_operand(op, 0);
    op_erase(op);
  }
}

// Scales go to blocks of their own. tcgen05.cp copies these to tensor memory.
static void promote_scales(DotPromoter *p, Op *dot, uint32_t i) {
  Value *tile = op_operand(dot, i), *buffer;
  if (!type_is_tile(tile->type) || !dot_reads_matrices(dot)) return;
  const uint32_t *shape = tile->type->shape;
  Layout layout = layout_dot_scales(log2_ceil(shape[0]), log2_ceil(shape[1]));
  IrContext *ir = p->func->module->ir;
  const Type *type = type_shared(ir, type_element(tile->type)->elem, 2, shape, layout_intern(ir, &layout));
  buffer = stored_before(dot, tile, type);
  if (!buffer) {
    Value *stored = bulk_mark(p->context, p->func, tile, load_moved(tile), type);
    Builder b = place_for(dot, stored);
    buffer = build(&b, OP_SHARED_ALLOC, type, NULL, NULL, NULL);
    build_op(&b, OP_SHARED_STORE, 2, (Value *[]){stored, buffer}, 0, NULL);
  }
  op_set_operand(dot, i, buffer);
  drop_moved(tile);
  p->changed = true;
}

// Returns true if wgmma's 8-bit operand is computed and comes by shuffles. There are few shuffles of words of four
// elements. Then no buffer is between two dots of an iteration. The second may run during the next iteration's first
// (overlap_dots).
static bool is_shuffled(const Op *dot, const Op *convert) {
  LanePlan plan;
  const Value *source = op_operand(convert, 0);
  return is_dot_of(dot, DOT_WGMMA) && type_element_bytes(source->type) == 1 &&
         dot_operand_is_computed(source) && convert_by_lanes(convert, &plan);
}

// Promotes a conversion that changes threads. One that only renames registers stays.
static void promote_conversion(DotPromoter *p, Op *dot, DotOperand operand) {
  Value *tile = op_operand(dot, operand);
  Op *convert = tile->def;
  if (!convert || convert->kind != OP_CONVERT_LAYOUT ||
      op_attr(dot, operand == DOT_A ? ATTR_SHARED_A : ATTR_SHARED_B))
    return;
  Value *source = op_operand(convert, 0);
  if (layout_conversion(source->type->layout, tile->type->layout) < CONVERT_LANES ||
      is_shuffled(dot, convert))
    return;
  Builder b = builder_before(convert);
  Value *buffer = store_shared(p, &b, convert, dot, operand, source);
  Value *load = op_result(build_op(&b, OP_SHARED_LOAD, 1, &buffer, 1, &tile->type));
  op_set_flag(load->def, ATTR_LDMATRIX, true);
  value_replace_uses(tile, load);
  op_erase(convert);
  drop_unused(source);
}

// --- operands that are cast after a load

// An operand that is a loaded tile, cast to another type of equal size, and perhaps transposed.
typedef struct CastLoad {
  Value *tile; // The loaded tile.
  Op *cast, *trans;
} CastLoad;

static bool is_passed_on(const Op *op) {
  return op->kind == OP_CONVERT_LAYOUT || op->kind == OP_TRANS || op->kind == OP_CAST;
}

// Returns true if only dots take the tile from registers, directly or through other ops. Buffers may already hold it.
static bool only_multiplied(const Value *tile) {
  for (const Use *use = tile->first_use; use; use = use->next) {
    const Op *user = use->user;
    bool first = use == &user->operands[DOT_A], factor = first || use == &user->operands[DOT_B];
    if (user->kind == OP_SHARED_STORE && first) continue;
    if (is_passed_on(user) && only_multiplied(op_result(user))) continue;
    if (user->kind != OP_DOT || !factor || !op_attr(user, first ? ATTR_ANCHOR_A : ATTR_ANCHOR_B))
      return false;
  }
  return true;
}

// Returns true if the loop around the load may copy it to shared memory ahead (pipeline).
static bool is_copied_ahead(const Op *load) {
  const Op *loop = load->region->parent;
  const TargetInfo *arch = load->region->func->module->target.arch;
  if (!loop || loop->kind != OP_FOR || !arch->has_cp_async) return false;
  return op_int(loop, ATTR_NUM_STAGES, load->region->func->module->target.num_stages) > 1;
}

static bool find_cast_load(const Op *dot, Value *tile, CastLoad *found) {
  enum { HALF = 2 };
  *found = (CastLoad){.tile = tile};
  Op *op = tile->def;
  for (; op && is_passed_on(op) && op->region == dot->region; op = found->tile->def) {
    Op **kept = op->kind == OP_CAST ? &found->cast : &found->trans;
    if (op->kind != OP_CONVERT_LAYOUT && *kept) return false;
    if (op->kind != OP_CONVERT_LAYOUT) *kept = op;
    found->tile = op_operand(op, 0);
  }
  if (!op || op->kind != OP_LOAD || op->region != dot->region || !found->cast) return false;
  bool halves = type_element_bytes(found->tile->type) == HALF && type_element_bytes(tile->type) == HALF;
  return halves && is_copied_ahead(op) && only_multiplied(found->tile);
}

static void drop_chain(Value *tile) {
  while (tile->def && is_passed_on(tile->def) && value_unused(tile)) {
    Value *before = op_operand(tile->def, 0);
    op_erase(tile->def);
    tile = before;
  }
}

// The tile is copied to shared memory. Each dot reads it from there and casts it. So it does not wait in registers, and
// does not go through shared memory again.
static void promote_cast(DotPromoter *p, Op *dot, DotOperand operand) {
  Value *tile = op_operand(dot, operand);
  CastLoad found;
  bool in_registers =
      op_attr(dot, operand == DOT_A ? ATTR_ANCHOR_A : ATTR_ANCHOR_B) && !is_dot_of(dot, DOT_WGMMA);
  if (!in_registers || !type_is_tile(tile->type) || !find_cast_load(dot, tile, &found)) return;
  IrContext *ir = p->func->module->ir;
  Builder b = builder_after(found.tile->def), at = builder_before(dot);
  Value *source = found.tile;
  b.loc = at.loc = dot->loc;
  if (found.trans) {
    const Type *from = source->type;
    Order order = order_of(found.trans);
    Layout layout = layout_trans(from->layout, from->rank, from->shape, order.at);
    const Type *type =
        type_tile(ir, from->inner, tile->type->rank, tile->type->shape, layout_intern(ir, &layout));
    source = build(&b, OP_TRANS, type, source, NULL, NULL);
    op_set_ints(source->def, ATTR_ORDER, from->rank, order.at);
  }
  Value *buffer = store_shared(p, &b, dot, dot, operand, source);
  const Type *read =
      type_tile(ir, source->type->inner, tile->type->rank, tile->type->shape, tile->type->layout);
  Value *load = build(&at, OP_SHARED_LOAD, read, buffer, NULL, NULL);
  op_set_flag(load->def, ATTR_LDMATRIX, true);
  Value *made = build(&at, OP_CAST, tile->type, load, NULL, NULL);
  op_copy_attrs(made->def, found.cast);
  op_set_operand(dot, operand, made);
  drop_chain(tile);
  drop_unused(source);
  p->changed = true;
}

// The result of a wgmma or tcgen05.mma is available after a wait. A pass that can keep it in flight longer moves the wait (pipeline).
static void make_async(Op *dot) {
  Value *result = op_result(dot);
  Builder b = builder_after(dot);
  b.loc = dot->loc;
  op_set_flag(dot, ATTR_ASYNC, true);
  Op *wait = build_op(&b, OP_DOT_WAIT, 1, &result, 1, &result->type);
  op_set_int(wait, ATTR_PENDING, 0);
  value_replace_uses(result, op_result(wait));
  op_set_operand(wait, 0, result);
}

static void promote_dot(DotPromoter *p, Op *op) {
  if (op->kind != OP_DOT || !op_attr(op, ATTR_INSTRUCTION)) return;
  for (int operand = DOT_A; operand <= DOT_B; operand++) {
    promote_operand(p, op, (DotOperand)operand);
    promote_cast(p, op, (DotOperand)operand);
    promote_conversion(p, op, (DotOperand)operand);
  }
  for (uint32_t i = DOT_SCALE_A; i < op->operand_count; i++) promote_scales(p, op, i);
  if (!dot_instruction_info(dot_instruction(op))->is_async || op_attr(op, ATTR_ASYNC)) return;
  make_async(op);
  p->changed = true;
}

// --- dots that accumulate on another dot's result

static bool reads_buffers(const Op *dot) {
  return op_operand(dot, DOT_A)->type->kind == TYPE_SHARED && !op_attr(dot, ATTR_ANCHOR_A) &&
         op_operand(dot, DOT_B)->type->kind == TYPE_SHARED && !op_attr(dot, ATTR_ANCHOR_B);
}

static bool is_chainable(const Op *op) {
  return op && op->kind == OP_DOT && op_attr(op, ATTR_ASYNC) && reads_buffers(op) && !dot_promotes(op);
}

// Returns true if the loop around the dot keeps the buffer from one iteration to the next: its load is copied ahead.
static bool is_kept(const Op *dot, const Value *buffer) {
  const Op *loop = dot->region->parent;
  buffer = value_before(buffer, OP_SHARED_TRANS);
  if (!loop || loop->kind != OP_FOR) return false;
  for (const Use *use = buffer->first_use; use; use = use->next) {
    const Op *from = use->user->kind == OP_SHARED_STORE ? op_operand(use->user, 0)->def : NULL;
    if (from && from->kind == OP_TMA_MARK) from = op_operand(from, 0)->def;
    if (from && from->kind == OP_LOAD && from->region == dot->region) return true;
  }
  return false;
}

// The shared memory that the dot, and the dots that it accumulates on, hold until its wait.
static uint64_t held_bytes(const Op *dot) {
  uint64_t bytes = 0;
  for (; is_chainable(dot); dot = op_operand(dot, 2)->def)
    for (int i = DOT_A; i <= DOT_B; i++) {
      const Value *buffer = op_operand(dot, (uint32_t)i);
      if (!is_kept(dot, buffer)) bytes += shared_bytes(buffer->type);
    }
  return bytes;
}

// A dot that accumulates on the previous one waits for both: instructions of one shape accumulate in order.
static void chain_dot(DotPromoter *p, Op *op) {
  Op *wait = op->kind == OP_DOT ? op_operand(op, 2)->def : NULL;
  if (!wait || wait->kind != OP_DOT_WAIT || wait->region != op->region || !is_chainable(op)) return;
  Op *before = op_operand(wait, 0)->def;
  if (!is_chainable(before) || dot_wait_of(before) != wait || !dot_wait_of(op)) return;
  if (op_result(wait)->first_use->next) return; // The sums are used in between.
  op_set_operand(op, 2, op_result(before));
  if (held_bytes(op) * TUNE_CHAIN_SHARE > p->func->module->target.arch->shared_limit) {
    op_set_operand(op, 2, op_result(wait));
    return;
  }
  op_erase(wait);
  p->changed = true;
}

bool promote_dots(PassContext *context, Func *func) {
  DotPromoter p = {context, func, false};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) promote_dot(&p, w.op);
  for (OpWalk w = ops_in(func->body); ops_next(&w);) chain_dot(&p, w.op);
  p.changed |= promote_tmem(context, func);
  return p.changed;
}
