// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// coalesce: gives each global access of a tile the layout in which neighbouring lanes touch neighbouring bytes.
//
// before  %v = load %p, %m : tile<1024xfp32>
// after   %v = load %p, %m {anchor = layout<reg = [1, 2], lane = [4, ...], ...>, align = 16, vector = 4}
//              : tile<1024xfp32>
//
// needs   nothing. The axis analysis finds more in simplified IR
// keeps   every value. Types have no layouts before or after
// breaks  nothing
// pays    a warp's access covers whole sectors. A thread moves up to 16 bytes at once if alignment and mask allow it
//
// The dimension in which addresses count upwards goes to registers, then to lanes. Dimensions that repeat addresses
// (columns % 64) go to registers last. They are read once.
//
// ```
// before  %q = div %i, %n : tile<1024xi32>                       (%i counts from a multiple of 16, which divides %n)
// after   %q = div %i, %n {constant = [16]} : tile<1024xi32>     (and rem: contiguous)
// ```
//
// pays    a thread divides once for its part of a run
//
// before  %m = lt %i, %n : tile<1024xi1>                         (used for more than masks of vectors)
// after   %m = lt %i, %n {constant = [16]} : tile<1024xi1>
//
// pays    a thread compares once per run, and computes once with the result
//
// ```
// before  for ... carries %c = 0 { %d = add %c, %m; yield %d }   (%m is alike within runs, hence %c and %d)
// after   %d = add %c, %m {constant = [16]} : tile<1024xfp32>
// ```
//
// pays    a thread carries one register per run. It computes once with values that depend only on it (a reciprocal,
//         say)
//
// `vector` is the largest number of elements that one access of a thread may have. `align` is the alignment of each
// such vector in bytes. Both are upper bounds until propagate_layouts fits them to its chosen layout.
#include "base/integer.h"
#include "ir/memory/atomic.h"
#include "ir/build.h"
#include "passes/analysis/axis_info.h"
#include "passes/analysis/dot_loops.h"
#include "passes/analysis/padded_warps.h"
#include "passes/passes.h"

enum { ACCESS_BYTES = 16, LINE_BYTES = 128, BLAME_STEPS = 64 };

typedef struct Coalescer {
  PassContext *context;
  Func *func;
  const AxisTable *axes;
  bool changed, products; // `products`: the kernel has dots.
  // Steps left to find a parameter to name. Expressions share operands, so the search is bounded.
  uint32_t steps;
} Coalescer;

// One access, and every limit of its vector size.
typedef struct CoalescedAccess {
  Op *op;
  const Value *pointer, *mask; // `mask` NULL: none.
  uint32_t bytes;              // Per element.
  uint32_t order[TILE_MAX_RANK];
  uint32_t shape[TILE_MAX_RANK]; // What lanes and warps divide; registers have the rest.
  uint64_t widest, contiguity, alignment, constancy, share; // In elements.
  uint64_t bound;                                           // Elements of a vector, in any layout.
  bool partial;    // Its mask may be true only for the first elements.
  uint64_t vector; // In the anchor: at most a thread's share.
} CoalescedAccess;

// A thread's elements, at least 1. Wider vectors would leave lanes without work.
static uint64_t share_of_thread(const Op *op, uint64_t elements) {
  uint64_t threads = region_threads(op), share = 1;
  while (share * 2 * threads <= elements) share *= 2;
  return share;
}

// The largest number of elements of `bytes` bytes that one access moves.
static uint64_t widest_of(const Op *op, uint32_t bytes) {
  if (op->kind == OP_ATOMIC_RMW) return atomic_widest(op);
  return op->kind == OP_ATOMIC_CAS ? 1 : ACCESS_BYTES / bytes;
}

// Returns true if vectors of the access may be cut short at the end of its mask. These are loads and stores of matrices
// in kernels with dots, masked at the edges. Most of their vectors are whole, and registers are scarce. A line of a
// matrix has few elements per thread. Wider vectors would only give it a layout different from that of its computation.
static bool takes_partial(const Coalescer *c, const Op *op) {
  bool access = op->kind == OP_LOAD || op->kind == OP_STORE;
  return c->products && access && op_operand(op, 0)->type->rank > 1 && !op_attr(op, ATTR_VOLATILE);
}

// A run in which the mask changes only from true to false counts as one with a constant mask.
static void find_partial(const Coalescer *c, CoalescedAccess *access, uint64_t bound) {
  while (bound > access->constancy && !axis_falls(c->axes, access->mask, access->order[0], bound)) bound /= 2;
  access->partial = bound > access->constancy;
  if (access->partial) access->constancy = bound;
}

// Returns true if a thread that holds repeated addresses accesses each once. Reads without a mask give the same value.
// Stores to one address are only defined if masks leave one of them.
static bool folds_repeats(const CoalescedAccess *access) {
  if (access->op->kind == OP_LOAD) return !access->mask && !op_attr(access->op, ATTR_VOLATILE);
  return access->op->kind == OP_STORE;
}

// Repeated addresses get their own lanes only if these lanes would have nothing else to do.
static void find_share(const Coalescer *c, CoalescedAccess *access) {
  const Type *tile = access->pointer->type;
  uint64_t threads = region_threads(access->op), elements = 1;
  for (uint32_t d = 0; d < tile->rank; d++) elements *= access->shape[d] = tile->shape[d];
  for (uint32_t d = 0; folds_repeats(access) && d < tile->rank; d++) {
    uint64_t period = axis_period(c->axes, access->pointer, d);
    while (access->shape[d] > period && elements / 2 >= threads * access->bound)
      access->shape[d] /= 2, elements /= 2;
  }
  access->share = share_of_thread(access->op, elements);
  if (is_narrow_row(access->op)) access->share = max_u64(access->share, MIN_COPY_BYTES / access->bytes);
}

// Where sums may be in tensor memory, a warp's store has whole lines of a row, and other columns are in registers. So
// parts of the columns can be stored one after another (split_sums).
static void keep_lines(const Coalescer *c, CoalescedAccess *access) {
  bool stores = access->op->kind == OP_STORE && access->pointer->type->rank == 2 && access->order[0] == 1;
  if (!stores || !c->products || !target_has(c->func->module->target.arch, FEATURE_TCGEN05)) return;
  uint64_t least = region_threads(access->op) * access->vector;
  while (access->shape[1] * access->bytes > LINE_BYTES && access->shape[0] * access->shape[1] / 2 >= least)
    access->shape[1] /= 2;
}

static CoalescedAccess access_of(const Coalescer *c, Op *op) {
  CoalescedAccess access = {.op = op, .pointer = op_operand(op, 0)};
  if (op->kind != OP_ATOMIC_CAS) access.mask = op_operand(op, op->kind == OP_LOAD ? 1 : 2);
  access.bytes = type_element_bytes(type_element(access.pointer->type)->inner);
  axis_order(c->axes, access.pointer, access.order);
  uint32_t fastest = access.order[0];
  const AxisInfo *pointer = axis_info(c->axes, access.pointer);

  access.widest = widest_of(op, access.bytes);
  access.contiguity = pointer->contiguity[fastest];
  access.alignment = pointer->divisibility[fastest] / access.bytes;
  access.constancy = access.mask ? axis_info(c->axes, access.mask)->constancy[fastest] : access.widest;
  uint64_t bound = min_u64(min_u64(access.widest, access.contiguity), access.alignment);
  if (bound > access.constancy && takes_partial(c, op)) find_partial(c, &access, bound);
  bound = min_u64(bound, access.constancy);
  access.bound = bound ? bound : 1;
  find_share(c, &access);
  access.vector = min_u64(access.bound, access.share);
  keep_lines(c, &access);
  return access;
}

// The parameter that prevents `value` from being a known multiple of `divisor` at multiples of `run`; NULL: none can be
// named.
static const FuncParam *param_to_blame(Coalescer *c, const Value *value, uint32_t dim, uint64_t run,
                                       uint64_t divisor) {
  if (c->steps == 0 || axis_divisor(c->axes, value, dim, run) >= divisor) return NULL;
  c->steps--;
  if (!value->def) {
    bool of_function = value->region == c->func->body;
    const FuncParam *param = of_function ? &c->func->params[value->index] : NULL;
    return param && !param->facts.divisible16 && !param->facts.equal1 ? param : NULL;
  }
  const Op *op = value->def;
  bool transparent = op->kind == OP_SPLAT || op_has(op, PURE | ELEMENTWISE);
  for (uint32_t i = 0; transparent && i < op->operand_count; i++) {
    const Value *operand = op_operand(op, i);
    bool number = type_is_ptr(operand->type) || type_is_int(operand->type);
    uint32_t operand_dim = type_is_tile(operand->type) ? dim : 0;
    bool offset = op->kind == OP_ADDPTR && i == 1;
    uint32_t size = offset ? type_element_bytes(type_element(op_operand(op, 0)->type)->inner) : 1;
    uint64_t needed = divisor / size ? divisor / size : 1;
    const FuncParam *param = number ? param_to_blame(c, operand, operand_dim, run, needed) : NULL;
    if (param) return param;
  }
  return NULL;
}

// The same for a mask that is not constant over `run` elements.
static const FuncParam *param_to_blame_for_mask(Coalescer *c, const Value *mask, uint32_t dim, uint64_t run) {
  const Op *op = mask->def;
  if (c->steps == 0 || !op || !op_has(op, PURE | ELEMENTWISE)) return NULL;
  if (axis_info(c->axes, mask)->constancy[dim] >= run) return NULL;
  c->steps--;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Value *operand = op_operand(op, i);
    const FuncParam *param = NULL;
    if (type_is_elem(operand->type, ELEM_I1))
      param = param_to_blame_for_mask(c, operand, dim, run);
    else if (type_is_int(operand->type))
      param = param_to_blame(c, operand, dim, run, run);
    if (param) return param;
  }
  return NULL;
}

static void explain_alignment(Coalescer *c, const CoalescedAccess *access, Diag *remark, uint64_t wanted) {
  uint32_t fastest = access->order[0];
  const FuncParam *param = param_to_blame(c, access->pointer, fastest, wanted, wanted * access->bytes);
  if (param && param->type->kind == TYPE_PTR)
    diag_note(c->context->diags, remark, param->loc, "'%s' may be unaligned: declare %s=:16", param->name,
              param->name);
  else if (param)
    diag_note(c->context->diags, remark, param->loc,
              "'%s' is not known to be divisible by 16: declare %s=:16", param->name, param->name);
  else
    diag_note(c->context->diags, remark, access->op->loc,
              "the address is only known to be a multiple of %llu bytes",
              (unsigned long long)(access->alignment * access->bytes));
}

static void explain_mask(Coalescer *c, const CoalescedAccess *access, Diag *remark, uint64_t wanted) {
  const FuncParam *param = param_to_blame_for_mask(c, access->mask, access->order[0], wanted);
  if (param)
    diag_note(c->context->diags, remark, param->loc,
              "the mask may change within a vector: '%s' is not known to be divisible by 16: declare %s=:16",
              param->name, param->name);
  else if (access->constancy == 1)
    diag_note(c->context->diags, remark, access->mask->def ? access->mask->def->loc : access->op->loc,
              "the mask may change at every element");
  else
    diag_note(c->context->diags, remark, access->mask->def ? access->mask->def->loc : access->op->loc,
              "the mask may change every %llu elements", (unsigned long long)access->constancy);
}

static void report_access(Coalescer *c, const CoalescedAccess *access) {
  const char *kind = op_info(access->op->kind)->name;
  Diag *remark = diag_remark(c->context->diags, access->op->loc, "coalesce", "%s of %llu bytes per lane",
                             kind, (unsigned long long)(access->vector * access->bytes));
  uint64_t wanted = min_u64(access->widest, access->share);
  if (access->vector >= wanted) return;
  c->steps = BLAME_STEPS;
  if (access->contiguity < wanted) {
    diag_note(c->context->diags, remark, access->op->loc,
              "addresses are only known to be contiguous over %llu element%s",
              (unsigned long long)access->contiguity, access->contiguity == 1 ? "" : "s");
    return;
  }
  if (access->alignment < wanted) explain_alignment(c, access, remark, wanted);
  if (access->constancy < wanted) explain_mask(c, access, remark, wanted);
}

// Repeated addresses are in registers: a thread reads each once. So is what keep_lines left out.
static Layout layout_of_distinct(const CoalescedAccess *access, uint32_t elem_bits, uint32_t warp_bits) {
  const Type *tile = access->pointer->type;
  uint32_t shape[TILE_MAX_RANK];
  memcpy(shape, access->shape, sizeof shape);
  Layout layout = layout_default(tile->rank, shape, access->order, elem_bits, warp_bits);
  for (uint32_t d = 0; d < tile->rank; d++) {
    uint32_t bits = log2_of(tile->shape[d] / shape[d]);
    layout = layout_stretch(&layout, tile->rank, shape, d, bits, DIM_REGISTER);
    shape[d] = tile->shape[d];
  }
  return layout;
}

static const Layout *anchor_for(const Coalescer *c, const CoalescedAccess *access) {
  uint32_t elem_bits = log2_of(access->vector), warp_bits = region_warp_bits(access->op);
  Layout layout;
  if (!c->products || !access->mask ||
      !layout_by_warpgroups(access->mask, access->order, elem_bits, warp_bits, &layout))
    layout = layout_of_distinct(access, elem_bits, warp_bits);
  return layout_intern(c->func->module->ir, &layout);
}

// For an atomic that runs element by element: neighbouring lanes take neighbouring elements.
static void coalesce_scalars(Coalescer *c, CoalescedAccess *access) {
  access->vector = 1;
  op_set_attr(access->op, (Attr){.key = ATTR_ANCHOR, .layout = anchor_for(c, access)});
  c->changed = true;
}

static void set_runs(Coalescer *c, Op *op, AttrKey key, const uint64_t lengths[TILE_MAX_RANK]) {
  uint32_t runs[TILE_MAX_RANK], rank = op_result(op)->type->rank, longest = 1;
  for (uint32_t d = 0; d < rank; d++) {
    runs[d] = (uint32_t)lengths[d];
    if (runs[d] > longest) longest = runs[d];
  }
  if (longest == 1) return;
  op_set_ints(op, key, rank, runs);
  c->changed = true;
}

// Runs of quotients and remainders, if the division is more than a shift.
static void mark_runs(Coalescer *c, Op *op) {
  const Value *result = op_result(op);
  const AxisInfo *a = axis_info(c->axes, op_operand(op, 0)), *b = axis_info(c->axes, op_operand(op, 1));
  const AxisInfo *info = axis_info(c->axes, result);
  if (!type_is_tile(result->type) || !type_is_int(result->type)) return;
  bool is_signed = elem_is_signed(type_element(result->type)->elem) && !a->nonnegative;
  if (b->known && (b->constant <= 0 || (is_power_of_two((uint64_t)b->constant) && !is_signed))) return;
  set_runs(c, op, ATTR_CONSTANT, info->constancy);
  if (op->kind == OP_REM && a->natural) set_runs(c, op, ATTR_CONTIGUOUS, info->contiguity);
}

// Returns true if neighbours with the same mask are read or written one by one, for example through loaded addresses.
// If all elements are accessed one by one, a thread has neighbours along any dimension. But with more elements than
// registers, stored predicates would be in local memory. Then the comparison is repeated instead.
static bool splits_runs(const Coalescer *c, const Value *mask, const Op *access) {
  const Value *pointer = op_operand(access, 0);
  if (share_of_thread(access, type_elements(pointer->type)) > c->func->module->target.arch->thread_registers)
    return false;
  uint32_t order[TILE_MAX_RANK];
  axis_order(c->axes, pointer, order);
  const uint64_t *run = axis_info(c->axes, pointer)->contiguity, *alike = axis_info(c->axes, mask)->constancy;
  bool single = run[order[0]] == 1, splits = run[order[0]] < alike[order[0]];
  for (uint32_t d = 0; single && d < pointer->type->rank; d++) splits |= alike[d] > 1;
  return splits;
}

// Returns true if a mask has other uses than vector accesses, directly or as part of a mask. A vector access looks at
// one element.
static bool is_computed_with(const Coalescer *c, const Value *mask, uint32_t steps) {
  for (const Use *use = mask->first_use; use; use = use->next) {
    const Op *user = use->user;
    if (user->kind == OP_LOAD || user->kind == OP_STORE) {
      if (splits_runs(c, mask, user)) return true;
      continue;
    }
    bool part =
        user->result_count == 1 && type_is_elem(op_result(user)->type, ELEM_I1) && user->kind != OP_SELECT;
    if (!part || steps == 0 || is_computed_with(c, op_result(user), steps - 1)) return true;
  }
  return false;
}

// Runs of comparisons of integers.
static void mark_comparisons(Coalescer *c, Op *op) {
  enum { MASK_STEPS = 8 };
  const Value *result = op_result(op);
  if (!type_is_tile(result->type) || !type_is_int(op_operand(op, 0)->type)) return;
  if (is_computed_with(c, result, MASK_STEPS))
    set_runs(c, op, ATTR_CONSTANT, axis_info(c->axes, result)->constancy);
}

static bool can_say_alike(const Op *op) {
  const Type *tile = op_result(op)->type;
  bool kind = op_has_any(op, ARITHMETIC | CHOOSES);
  return kind && type_is_tile(tile) && !type_is_ptr(tile) && type_element_bytes(tile) >= 2;
}

// Runs of loop-carried values: the analysis of these has also seen the initial values.
static void mark_carried(Coalescer *c, const Op *loop) {
  for (uint32_t i = 0; i < loop->result_count; i++) {
    Op *yielded = op_operand(loop->regions[0]->last, i)->def;
    if (!yielded || yielded->region != loop->regions[0] || !can_say_alike(yielded)) continue;
    set_runs(c, yielded, ATTR_CONSTANT, axis_info(c->axes, loop_carried(loop, i))->constancy);
  }
}

static void coalesce_op(Coalescer *c, Op *op) {
  if (op->kind == OP_FOR) mark_carried(c, op);
  if (op_has(op, COMPARE)) mark_comparisons(c, op);
  if (op->kind == OP_DIV || op->kind == OP_REM) mark_runs(c, op);
  bool atomic = op_has(op, ATOMIC);
  if (op->kind != OP_LOAD && op->kind != OP_STORE && !atomic) return;
  if (!type_is_tile(op_operand(op, 0)->type)) return;
  CoalescedAccess access = access_of(c, op);
  if (atomic && access.widest == 1) {
    coalesce_scalars(c, &access);
    return;
  }
  uint64_t align = axis_divisor(c->axes, access.pointer, access.order[0], access.bound);
  op_set_attr(op, (Attr){.key = ATTR_ANCHOR, .layout = anchor_for(c, &access)});
  op_set_int(op, ATTR_ALIGN, (int64_t)min_u64(align, ACCESS_BYTES));
  op_set_int(op, ATTR_VECTOR, (int64_t)access.bound);
  op_set_flag(op, ATTR_PARTIAL, access.partial);
  report_access(c, &access);
  c->changed = true;
}

bool pass_coalesce(PassContext *context, Func *func) {
  Coalescer c = {context, func, axis_analyse(context->scratch, func), false, false, 0};
  c.products = ops_find(func->body, OP_DOT);
  for (OpWalk w = ops_in(func->body); ops_next(&w);) coalesce_op(&c, w.op);
  return c.changed;
}
