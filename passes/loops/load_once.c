// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// load_once: loads that overlap, or whose addresses repeat, read each address once.
//
// needs   tiles without layouts, sizes that are powers of two; simplified IR
// keeps   every value. No address is read that no load read before
// breaks  nothing
#include "base/integer.h"
#include "passes/analysis/index_clone.h"
#include "passes/loops/windows.h"
#include "ir/build.h"
#include "ir/memory/scratch.h"
#include "target/tuning.h"
#include "passes/analysis/axis_info.h"
#include "passes/analysis/dot_loops.h"
#include "passes/passes.h"
#include "passes/loops/sample_tile.h"

// --- windows: loads that overlap read global memory once
//
// ```
// before  %a = load %p                    (tiles of 1024)
//         %b = load %p + 1
//         %c = load %p + 2
// after   %a = load %p
//         %h = load %p + 1024 : tile<4>, where the index is under 2
//         %w = shared_alloc : shared<2048>
//         shared_store %a, %w
//         shared_store %h, %w {starts = [1024]}
//         %b = shared_load %w {starts = [1]} : tile<1024>
//         %c = shared_load %w {starts = [2]} : tile<1024>
// ```
//
// keeps   every value. No address is read that no load read before: an element is loaded only if a tap's mask allows
//         it. If all taps have one mask that falls (`index < n`), this test is one comparison.
//
// pays    Each element is read from global memory once, plus the halo. A tap reads whole vectors of shared memory,
//         without bank conflicts. Neighbouring taps have most of their vectors in common.
//
// Conditions:
// * at least 3 distances, spanning at most a quarter of the tile;
// * at least one element per thread;
// * at most TUNE_WINDOW_BYTES of shared memory.
//
// Elements that a tap needs from other threads go through shared memory, not shuffles. They cross warps at the end of
// each warp, and a shuffle cannot cross warps.

enum { VECTOR_BYTES = 16 };

typedef struct Sharer {
  PassContext *context;
  Func *func;
  const AxisTable *axes;
  VEC(const Op *) declined; // loads that start no window, and those of windows that are left as they are
  bool changed;
} Sharer;

// A window while it is built. Places count from the first element of the tap `anchor`.
typedef struct SharedWindow {
  Sharer *s;
  Builder b;
  const Window *window;
  const WindowTap *anchor; // its load becomes the window's load
  const Type *tile;
  uint32_t n;
  uint32_t left, right;         // elements of the halos
  uint32_t left_pad, right_pad; // the same, rounded up to whole vectors, a power of two; 0: none
  bool mask_falls;
  Value *main, *buffer;
} SharedWindow;

static IrContext *ir_of(const SharedWindow *h) { return h->s->func->module->ir; }
static Value *either_mask(Builder *b, Value *x, Value *y) { return x ? build_binary(b, OP_OR, x, y) : y; }
static Value *both_masks(Builder *b, Value *x, Value *y) { return x ? build_binary(b, OP_AND, x, y) : y; }

// --- masks

static Value *index_bound(Builder *b, OpKind kind, uint32_t n, int64_t bound) {
  Value *index = build_arange(b, 0, n);
  return build_with_int(b, kind, index, bound);
}

// True where some tap reads place first + i, i < n. NULL: everywhere. Tap t reads it as its element first + i - (t -
// anchor).
static Value *any_tap_mask(SharedWindow *h, int64_t first, uint32_t n) {
  Value *sum = NULL;
  for (uint32_t i = 0; i < h->window->taps.n; i++) {
    const WindowTap *tap = &h->window->taps.at[i];
    int64_t element = first - (tap->distance - h->anchor->distance), last = element + n - 1;
    if (last < 0 || element >= h->n) continue;
    Value *term = tap->mask ? index_clone(&h->b, tap->mask, element, n) : NULL;
    if (element < 0) term = both_masks(&h->b, term, index_bound(&h->b, OP_GE, n, -element));
    if (last >= h->n) term = both_masks(&h->b, term, index_bound(&h->b, OP_LT, n, h->n - element));
    if (!term) return NULL;
    sum = either_mask(&h->b, sum, term);
  }
  return sum;
}

// The same for a mask that falls. The tap furthest ahead reads the place as its element first + i - right. If that is
// below 0, a nearer tap reads it as its element 0. Such a tap exists from place -left on.
static Value *falling_mask(SharedWindow *h, int64_t first, uint32_t n) {
  Value *mask = h->window->taps.at[0].mask;
  int64_t element = first - h->right, last = element + n - 1;
  Value *term = last < 0 ? NULL : index_clone(&h->b, mask, element, n);
  if (last >= h->n) term = both_masks(&h->b, term, index_bound(&h->b, OP_LT, n, h->n - element));
  if (element >= 0) return term;
  if (term) term = either_mask(&h->b, index_bound(&h->b, OP_LT, n, -element), term);
  term = both_masks(&h->b, term, index_clone_one(&h->b, mask, 0, n));
  int64_t nearest = -(int64_t)h->left - first;
  return nearest > 0 ? both_masks(&h->b, term, index_bound(&h->b, OP_GE, n, nearest)) : term;
}

static Value *tap_mask(SharedWindow *h, int64_t first, uint32_t n) {
  return h->mask_falls ? falling_mask(h, first, n) : any_tap_mask(h, first, n);
}

// --- the loads

static Value *load_where(SharedWindow *h, Value *pointer, Value *mask) {
  const Type *pointee = type_element(pointer->type)->inner;
  const Type *tile = type_with_element(ir_of(h), pointer->type, pointee);
  Value *value = build_load(&h->b, pointer, mask, mask ? build_int(&h->b, tile, 0) : NULL);
  op_copy_attr(value->def, h->anchor->load, ATTR_EVICT);
  return value;
}

static Value *move_by(Builder *b, OpKind kind, Value *x, int64_t by, const Type *integers) {
  if (by == 0) return x;
  Value *offset = build_int(b, integers, by);
  return build(b, kind, x->type, x, offset, NULL);
}

// Pointers to `n` places next to the tile: the tile's pointers from element `inside` on, moved by `by` elements.
static Value *pointers_beside(SharedWindow *h, uint32_t inside, uint32_t n, int64_t by) {
  const Window *w = h->window;
  Value *root = index_clone(&h->b, w->root, inside, n);
  const Type *i64 = type_tile(ir_of(h), type_scalar(ir_of(h), ELEM_I64), 1, &n, NULL);
  by += h->anchor->distance;
  if (!w->base) return move_by(&h->b, OP_ADDPTR, root, by, i64);
  const Type *pointers = type_tile(ir_of(h), type_element(w->base->type), 1, &n, NULL);
  Value *base = build_splat(&h->b, op_operand(w->base->def, 0), pointers);
  Value *offset = move_by(&h->b, OP_ADD, root, by, root->type);
  return move_by(&h->b, OP_ADDPTR, build(&h->b, OP_ADDPTR, pointers, base, offset, NULL), w->after, i64);
}

static void store_part(SharedWindow *h, Value *value, uint32_t start) {
  Op *store = build_op(&h->b, OP_SHARED_STORE, 2, (Value *[]){value, h->buffer}, 0, NULL);
  op_set_ints(store, ATTR_STARTS, 1, &start);
}

// The parts of the buffer are disjoint, so place_barriers puts one barrier after all of them.
static void fill_buffer(SharedWindow *h) {
  const Type *element = type_element(h->tile);
  uint32_t size = h->n * 2;
  const Type *type = shared_in_order(ir_of(h), element->elem, 1, &size);
  Value *left = NULL, *right = NULL;
  if (h->left) {
    Value *mask = tap_mask(h, -(int64_t)h->left_pad, h->left_pad);
    left = load_where(h, pointers_beside(h, 0, h->left_pad, -(int64_t)h->left_pad), mask);
  }
  if (h->right) {
    Value *mask = tap_mask(h, h->n, h->right_pad);
    right = load_where(h, pointers_beside(h, h->n - h->right_pad, h->right_pad, h->right_pad), mask);
  }
  h->buffer = build(&h->b, OP_SHARED_ALLOC, type, NULL, NULL, NULL);
  store_part(h, h->main, h->left_pad);
  if (left) store_part(h, left, 0);
  if (right) store_part(h, right, h->left_pad + h->n);
}

static Value *tap_value(SharedWindow *h, const WindowTap *tap) {
  int64_t place = tap->distance - h->anchor->distance;
  Value *value = h->main;
  if (place) {
    uint32_t start = (uint32_t)(h->left_pad + place);
    value = build(&h->b, OP_SHARED_LOAD, h->tile, h->buffer, NULL, NULL);
    op_set_ints(value->def, ATTR_STARTS, 1, &start);
  }
  if (!tap->mask || !tap->other) return value;
  return build(&h->b, OP_SELECT, h->tile, tap->mask, value, tap->other);
}

// --- the choice

static uint32_t halo_vectors(uint32_t elements, uint32_t vector) {
  uint32_t pad = elements ? vector : 0;
  while (pad < elements) pad *= 2;
  return pad;
}

static bool plan_window(SharedWindow *h) {
  uint32_t bytes = type_element_bytes(h->tile), vector = VECTOR_BYTES / bytes;
  h->anchor = window_anchor(h->s->axes, h->window);
  h->left = (uint32_t)(h->anchor->distance - h->window->low);
  h->right = (uint32_t)(h->window->high - h->anchor->distance);
  h->left_pad = halo_vectors(h->left, vector);
  h->right_pad = halo_vectors(h->right, vector);
  h->mask_falls = window_mask_falls(h->s->axes, h->window);
  return h->n >= region_threads(h->anchor->load) && h->n * 2 * bytes <= TUNE_WINDOW_BYTES &&
         h->left_pad + h->right_pad <= h->n;
}

static void share_window(SharedWindow *h, Op *first) {
  const Window *w = h->window;
  for (uint32_t i = 0; i < w->taps.n; i++)
    for (uint32_t k = 0; k < w->taps.at[i].load->operand_count; k++)
      op_bring_before(op_operand(w->taps.at[i].load, k)->def,
                      first); // windows.c has checked that they may move
  h->main = load_where(h, op_operand(h->anchor->load, 0), tap_mask(h, 0, h->n));
  fill_buffer(h);
  for (uint32_t i = 0; i < w->taps.n; i++) {
    Op *load = w->taps.at[i].load;
    value_replace_uses(op_result(load), tap_value(h, &w->taps.at[i]));
  }
  diag_remark(h->s->context->diags, first->loc, "load_once",
              "%u overlapping loads read %u elements and a halo of %u once, through %u bytes", w->taps.n,
              h->n, h->left + h->right, h->n * 2 * type_element_bytes(h->tile));
  h->s->changed = true;
}

static void decline_window(Sharer *s, const Op *first, const Window *window, const char *why) {
  for (uint32_t i = 0; i < window->taps.n; i++)
    vec_push(s->context->scratch, &s->declined, window->taps.at[i].load);
  diag_remark(s->context->diags, first->loc, "load_once", "overlapping loads are not shared: %s", why);
}

static bool was_declined(const Sharer *s, const Op *load) {
  for (uint32_t i = 0; i < s->declined.n; i++)
    if (s->declined.at[i] == load) return true;
  return false;
}

// Returns true if the window that starts with this load was shared. Its loads are then erased.
static bool try_share(Sharer *s, Op *first) {
  Window window;
  const char *why;
  if (was_declined(s, first)) return false;
  bool found = window_find(s->context->scratch, s->axes, first, &window, &why);
  if (why)
    decline_window(s, first, &window, why);
  else if (!found)
    vec_push(s->context->scratch, &s->declined, first);
  if (!found) return false;
  SharedWindow *h = ARENA_NEW(s->context->scratch, SharedWindow);
  *h = (SharedWindow){.s = s, .b = builder_before(first), .window = &window, .tile = op_result(first)->type};
  h->n = (uint32_t)type_elements(h->tile);
  if (!plan_window(h)) {
    decline_window(s, first, &window,
                   "the tile has fewer elements than threads, or needs too much shared memory");
    return false;
  }
  share_window(h, first);
  for (uint32_t i = 0; i < window.taps.n; i++) op_erase(window.taps.at[i].load);
  return true;
}

static bool share_one(Sharer *s) {
  for (OpWalk w = ops_in(s->func->body); ops_next(&w);)
    if (w.op->kind == OP_LOAD && try_share(s, w.op)) return true;
  return false;
}

// --- repeats: a load whose addresses repeat loads each address once, and repeats the values
//
// ```
// before  %q = div %i, 8 : tile<64xi32>              (%i counts from a multiple of 8)
//         %p = addptr %base, %q : tile<64x*i32>
//         %v = load %p : tile<64xi32>
// after   %s = addptr %first, arange {0, 8} : tile<8x*i32>
//         %w = load %s : tile<8xi32>
//         %v = reshape (broadcast (expand_dims %w)) : tile<64xi32>
// ```
//
// breaks  nothing; the old addresses are left for simplify to drop
// pays    Packed weights are loaded once a word, in wide accesses. Loops prefetch words, not the tile of repeated words:
//         an eighth of the bytes in shared memory. Repeated values are the same registers
//
// The mask and the value of masked elements must repeat too. Addresses in a loop are carried for fewer elements.

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

// Returns true if nothing depends on the tile's elements where the mask is false: they only reach addresses, and stored
// values, of accesses under this mask. *steps bounds the search.
static bool is_seen_under(const Value *mask, const Value *tile, uint32_t *steps) {
  for (const Use *use = tile->first_use; use; use = use->next) {
    const Op *user = use->user;
    bool loads = user->kind == OP_LOAD, accesses = loads || user->kind == OP_STORE;
    if (*steps == 0 || (!accesses && !op_has(user, PURE | ELEMENTWISE))) return false;
    --*steps;
    if (loads && use != user->operands) return false;
    if (accesses && op_input(user, loads ? 1 : 2) != mask) return false;
    for (uint32_t i = 0; !accesses && i < user->result_count; i++)
      if (!is_seen_under(mask, &user->results[i], steps)) return false;
  }
  return true;
}

// The runs in which all operands repeat. False: they do not. A mask that falls repeats if masked elements are not seen:
// its first element of a run is true where any is.
static bool find_repeats(const AxisTable *axes, const Op *load, SampleAt *at) {
  enum { MASK = 1 };
  const Type *tile = op_result(load)->type;
  uint32_t steps = MAX_STEPS;
  bool some = false;
  *at = (SampleAt){{0}};
  if (!type_sizes_are_powers(tile) || tile->rank == TILE_MAX_RANK || tile->layout) return false;
  const Value *mask = op_input_count(load) == MASK + 1 ? op_operand(load, MASK) : NULL;
  bool unseen = mask && is_seen_under(mask, op_result(load), &steps);
  for (uint32_t d = 0; d < tile->rank; d++) {
    uint64_t run = tile->shape[d];
    for (uint32_t i = 0; i < load->operand_count; i++)
      if (i != MASK || !unseen) run = min_u64(run, axis_info(axes, op_operand(load, i))->constancy[d]);
    if (unseen && !axis_falls(axes, mask, d, run)) run = min_u64(run, axis_info(axes, mask)->constancy[d]);
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
  diag_remark(context->diags, b.loc, "load_once", "%llu addresses are loaded once, not %llu with repeats",
              (unsigned long long)type_elements(repeated->words->type),
              (unsigned long long)type_elements(type));
  op_erase(repeated->load);
}

// All smaller loads are made before one is used: the analysis has no values of views. axes: of the function; NULL: it is
// not analysed yet.
static bool load_distinct(PassContext *context, Func *func, const AxisTable *axes) {
  DistinctLoader l = {.context = context, .func = func};
  VEC(Repeated) all = {0};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) find_load(&l, w.op);
  if (l.loads.n == 0) return false;
  if (!axes) axes = axis_analyse(context->scratch, func);
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

static bool has_several_loads(const Func *func) {
  uint32_t loads = 0;
  for (OpWalk w = ops_in(func->body); ops_next(&w) && loads < 2;) loads += w.op->kind == OP_LOAD;
  return loads == 2;
}

// Values that repeat may be addresses that repeat: a scale for each group, found by a table of groups.
bool pass_load_once(PassContext *context, Func *func) {
  Sharer s = {.context = context, .func = func};
  bool several = has_several_loads(func);
  uint32_t rounds = 0;
  while (several) {
    s.axes = axis_analyse(context->scratch, func);
    several = share_one(&s);
  }
  while (rounds < MAX_ROUNDS && load_distinct(context, func, rounds ? NULL : s.axes)) rounds++;
  return s.changed || rounds > 0;
}
