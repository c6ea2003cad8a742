// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of code without the masks that hold there: decides which masks are worth a copy, and copies ops.
//
// A mask is worth a copy if it makes an access narrower. It also is in straight-line code with reductions or scans, if
// a thread has several wide accesses under the mask. Their predicates, and the offsets they come from, would be live
// across the reduction together with the elements. An access one element wide with or without the mask is worth twice
// the code only if a thread has more elements than predicate registers. Rows of 1,000 elements per step are no example.
//
// Loads that load_once would read once count as narrowed, unless it can read whole vectors under their mask.
//
// Other masks get no copy if they only change at vector boundaries (the bound is a multiple of 16). They need none.
#include "passes/loops/mask_copies.h"

#include "base/integer.h"
#include "passes/analysis/pressure.h"
#include "passes/loops/windows.h"

enum { ACCESS_BYTES = 16, MANY_ACCESSES = 3, PREDICATE_REGISTERS = 7 };

static uint32_t mask_index(const Op *op) { return op->kind == OP_STORE ? 2 : 1; }

Value *mask_of(const Op *op) {
  bool access = op->kind == OP_LOAD || op->kind == OP_STORE;
  if (!access || !type_is_tile(op_operand(op, 0)->type)) return NULL;
  return op_operand(op, mask_index(op));
}

static bool is_selected_by(const Region *body, const Value *mask) {
  for (const Op *op = body->first; op; op = op->next)
    if (op->kind == OP_SELECT && op_operand(op, 0) == mask) return true;
  return false;
}

static uint32_t accesses_under(const Region *body, const Value *mask) {
  uint32_t n = 0;
  for (const Op *op = body->first; op; op = op->next) n += mask_of(op) == mask;
  return n;
}

static bool is_constants(const Value *mask) {
  MaskBound parts[MASK_BOUNDS_MAX];
  uint32_t n = mask_bounds(mask, parts);
  for (uint32_t i = 0; i < n; i++)
    if (!mask_bound_is_constant(&parts[i])) return false;
  return n > 0;
}

static bool has_constants(const Value *mask) {
  MaskBound parts[MASK_BOUNDS_MAX];
  uint32_t n = mask_bounds(mask, parts);
  for (uint32_t i = 0; i < n; i++)
    if (mask_bound_is_constant(&parts[i])) return true;
  return false;
}

// True if all elements share what the copy leaves out of the mask. The copy then needs the same number of predicates.
static bool drops_scalars(const MaskCopies *copies, const Value *mask) {
  if (is_constants(mask)) return true;
  if (mask->def && mask->def->kind == OP_AND)
    return drops_scalars(copies, op_operand(mask->def, 0)) && drops_scalars(copies, op_operand(mask->def, 1));
  for (uint32_t d = 0; d < mask->type->rank; d++)
    if (axis_info(copies->axes, mask)->constancy[d] < mask->type->shape[d]) return false;
  return true;
}

// True if a thread needs several predicates for the mask, which a kernel with a reduction keeps live for long: another
// access needs them after it. Cases:
// * a select uses the mask: one predicate per element;
// * at least MANY_ACCESSES accesses use the mask, and a thread has several vectors: one predicate per vector;
// * a row has more vectors than predicate registers.
//
// A softmax of 16384 columns (one load and one store) takes 36.0 us on an H200 with its mask and 38.8 us with a copy. A
// norm also loads weights: it takes 36.1 us with its mask and 35.2 us with a copy. Tiles of several rows, with few
// accesses, get no copy. An example are 128 rows of 128 fp16 that become int8. With their mask they take 66.9 us, and
// 75.6 us with a copy.
//
// An argmax has one load under the mask, and nothing else. It takes 71.0 us with its mask and 87.2 us with a copy: there
// ptxas loads all elements before the first comparison, in 89 registers instead of 32.
//
// In the last two cases, tiles with more elements per thread than registers get no copy. The copy loads all elements at
// the same time, so each would go to local memory. Predicates per vector cost less.
static bool has_many_predicates(const MaskCopies *copies, const Value *mask, uint64_t share,
                                uint64_t vector) {
  uint32_t accesses = accesses_under(copies->func->body, mask);
  if (!copies->combines || accesses < 2 || vector <= 1 || drops_scalars(copies, mask)) return false;
  if (is_selected_by(copies->func->body, mask)) return true;
  bool few = accesses < MANY_ACCESSES;
  uint64_t least = few ? PREDICATE_REGISTERS + 1 : 2;
  if (few && mask->type->rank > 1) return false;
  return share >= least * vector && share <= copies->func->module->target.arch->thread_registers;
}

// True if each element has a predicate, and a thread has more elements than predicate registers. ptxas then issues each
// load after its own comparison. Few loads are in flight. Masks of tiles of several rows get no copy. Nor does a mask
// that compares with an arange alone: only a tile as long as the row is inside the bound.
static bool has_element_predicates(const MaskCopies *copies, const Value *mask, uint64_t share,
                                   uint64_t vector) {
  if (mask->type->rank > 1 || vector > 1 || share <= PREDICATE_REGISTERS) return false;
  if (drops_scalars(copies, mask)) return false;
  MaskBound parts[MASK_BOUNDS_MAX];
  uint32_t n = mask_bounds(mask, parts);
  for (uint32_t i = 0; i < n; i++)
    if (!parts[i].base_count) return false;
  return share < func_thread_registers(copies->func);
}

// True for loads and stores that become TMA loads and stores. TMA checks bounds itself.
static bool is_tma_mark(const Op *op) {
  const Use *use = op->kind == OP_LOAD ? op_result(op)->first_use : NULL;
  const Op *stored = op->kind == OP_STORE ? op_operand(op, 1)->def : NULL;
  if (stored && stored->kind == OP_TMA_MARK && op_attr(stored, ATTR_STORED)) return true;
  return use && !use->next && use->user->kind == OP_TMA_MARK && !op_attr(use->user, ATTR_STORED);
}

// The part of the mask, in the copy, that compares with constants. NULL if there is none.
static Value *kept_mask(Builder *b, CloneMap *map, Value *mask) {
  if (!has_constants(mask)) return NULL;
  if (is_constants(mask) || mask->def->kind != OP_AND) return clone_get(map, mask);
  Value *x = kept_mask(b, map, op_operand(mask->def, 0)), *y = kept_mask(b, map, op_operand(mask->def, 1));
  return x && y ? build_binary(b, OP_AND, x, y) : x ? x : y;
}

// The smallest number of neighbours along the dimension for which that part is the same.
static uint64_t kept_constancy(const MaskCopies *copies, const Value *mask, uint32_t dim) {
  if (!has_constants(mask)) return UINT64_MAX;
  if (is_constants(mask) || mask->def->kind != OP_AND) return axis_info(copies->axes, mask)->constancy[dim];
  return min_u64(kept_constancy(copies, op_operand(mask->def, 0), dim),
                 kept_constancy(copies, op_operand(mask->def, 1), dim));
}

bool mask_narrows(const MaskCopies *copies, const Op *op) {
  const Value *mask = mask_of(op), *pointer = op_operand(op, 0);
  if (!mask || is_tma_mark(op)) return false;
  if (op->id < copies->func->op_count && copies->in_window[op->id]) return true;
  uint32_t order[TILE_MAX_RANK], bytes = type_element_bytes(type_element(pointer->type)->inner);
  axis_order(copies->axes, pointer, order);
  const AxisInfo *at = axis_info(copies->axes, pointer);
  uint64_t share = type_elements(pointer->type) / region_threads(op);
  uint64_t vector = min_u64(min_u64(ACCESS_BYTES / bytes, at->contiguity[order[0]]),
                            min_u64(at->divisibility[order[0]] / bytes, share));
  return min_u64(vector, kept_constancy(copies, mask, order[0])) >
             axis_info(copies->axes, mask)->constancy[order[0]] ||
         has_many_predicates(copies, mask, share, vector) ||
         has_element_predicates(copies, mask, share, vector);
}

static bool same_bound(const MaskBound *a, const MaskBound *b) {
  for (uint32_t i = 0; i < a->base_count && i < b->base_count; i++)
    if (a->bases[i] != b->bases[i]) return false;
  return a->kind == b->kind && a->base_count == b->base_count && a->low == b->low && a->high == b->high &&
         a->bound == b->bound && a->constant == b->constant && a->type == b->type;
}

bool held_bounds_include(const HeldBounds *held, const MaskBound *bound) {
  for (uint32_t i = 0; i < held->n; i++)
    if (same_bound(&held->at[i], bound)) return true;
  return false;
}

// True if the mask holds wherever the bounds hold, apart from comparisons with constants.
static bool is_implied(const HeldBounds *held, const Value *mask) {
  MaskBound parts[MASK_BOUNDS_MAX];
  uint32_t n = mask_bounds(mask, parts), implied = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (mask_bound_is_constant(&parts[i])) continue;
    if (!held_bounds_include(held, &parts[i])) return false;
    implied++;
  }
  return implied > 0;
}

// A select's first operand is its mask.
void mask_copy_op(const MaskCopies *copies, Builder *b, const Op *op, CloneMap *map, const HeldBounds *held) {
  bool selects = op->kind == OP_SELECT && type_is_tile(op_operand(op, 0)->type);
  Value *mask = selects ? op_operand(op, 0) : mask_of(op);
  Op *copy = op_clone(b, op, map);
  if (!mask || !is_implied(held, mask)) return;
  IrContext *ir = copies->func->module->ir;
  Builder before = builder_before(copy);
  Value *kept = kept_mask(&before, map, mask);
  if (!kept) kept = build_int(&before, type_with_element(ir, mask->type, type_scalar(ir, ELEM_I1)), 1);
  op_set_operand(copy, selects ? 0 : mask_index(op), kept);
}

uint32_t count_ops_from(const Op *op) {
  uint32_t n = 0;
  for (; op; op = op->next)
    for (OpWalk w = ops_of(op); ops_next(&w);) n++;
  return n;
}

bool region_has_loops(const Region *region) {
  return region_find(region, OP_FOR) || region_find(region, OP_WHILE);
}

static bool region_combines(const Region *region) {
  return region_find(region, OP_REDUCE) || region_find(region, OP_SCAN);
}

// True if the window's load moves whole vectors under its mask. The mask must change only between vectors. This must
// also hold at the distance of the tap furthest ahead.
static bool window_is_wide(const MaskCopies *copies, const Window *window) {
  if (!window_mask_falls(copies->axes, window)) return false;
  const WindowTap *anchor = window_anchor(copies->axes, window);
  uint64_t ahead = (uint64_t)(window->high - anchor->distance), run = ahead & (0 - ahead);
  uint64_t constancy = axis_info(copies->axes, anchor->mask)->constancy[0];
  const Type *tile = op_result(anchor->load)->type;
  uint64_t share = type_elements(tile) / region_threads(anchor->load);
  return min_u64(run ? run : constancy, constancy) >= min_u64(ACCESS_BYTES / type_element_bytes(tile), share);
}

static void note_window(MaskCopies *copies, Op *op) {
  Window window;
  if (op->kind != OP_LOAD || copies->in_window[op->id]) return;
  if (!window_find(copies->context->scratch, copies->axes, op, &window, NULL)) return;
  if (window_is_wide(copies, &window)) return;
  for (uint32_t i = 0; i < window.taps.n; i++) copies->in_window[window.taps.at[i].load->id] = true;
}

MaskCopies mask_copies_of(PassContext *context, Func *func) {
  MaskCopies copies = {.context = context, .func = func, .axes = axis_analyse(context->scratch, func)};
  copies.in_window = ARENA_ARRAY(context->scratch, bool, func->op_count);
  for (OpWalk w = ops_in(func->body); ops_next(&w);) note_window(&copies, w.op);
  copies.combines = !region_has_loops(func->body) && region_combines(func->body);
  return copies;
}
