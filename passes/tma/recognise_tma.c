// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// recognise_tma: marks loads through pointers that are TMA tiles of a matrix, under a guard that the launch checks.
//
// ```
// before  %o = mul %pid, %c64
//         %m = rem (splat %o + arange), splat %M
//         %p = addptr splat %a, %m[:, None] * splat %stride + arange[None, :]
//         for %k = range (%q = %p) {
//           %x = load %q, arange[None, :] < splat (%K - %k * 64), 0 : tile<64x64xfp16>
//           ... dot %x ...
//           yield addptr %q, 64
//         }
// after   guard [] { ... %M % 64 == 0 and no offset wraps or is negative ... }
//         %b = rem (div %o, 64), (div %M, 64)
//         for ... {
//           %x = load ...
//           %y = tma_mark %x, %a, %M, %K, %stride, 1, %b * 64, %k * 64
//           ... dot %y ... and so on
//         }
// ```
//
// needs   plan_kernel, which decides for which kernels; simplified IR without layouts. Base and strides are declared as
//         multiples of 16. Runs again after lower_block_pointers: block pointers' bases may differ between programs,
//         and their bounds may be unchecked.
// keeps   Every value if the guard holds. Otherwise the launch takes the kernel with tma = "off".
// breaks  nothing
//
// pays    pipeline makes these loads TMA copies, however the source spells their addresses. Times on an H200, with this
//         pass and (without it):
// * fp16 8192^3, tiles of 128x256x64: 1746 us (1775 us);
// * bf16 4096^3, tiles of 128x256, 128x128 and 64x128: 213, 226 and 274 us (215, 256 and 300 us);
// * 1024^3, tiles of 64x64: 6.6 us (7.4 us);
// * e4m3 8192^3: 903 us (934 us).
//
// A TMA tile may lie in one of several matrices: batches or heads. The matrix is given by program-dependent values
// times strides from the arguments. These become dimensions of the tensor (`dims`), so that masks of rows and columns
// bound one matrix.
//
// The matrix's bounds are those of the mask. Without a mask they are larger than any offset. The guard computes the
// ranges of offsets from the launch's arguments and grid.
#include "base/integer.h"
#include "ir/memory/tensor_map.h"
#include "passes/tma/tma_form.h"
#include "passes/tma/tensor_copies.h"

enum { RANK = 2, MAX_OTHERS = TENSOR_MAP_MAX_RANK - RANK };

// A dimension of the tensor along which a TMA tile has one element: batches, heads.
typedef struct OtherDim {
  TmaForm stride, offset;
} OtherDim;

typedef struct RaisedBox {
  Op *load;
  TmaForm stride[RANK], offset[RANK], size[RANK];
  bool bounded[RANK]; // size is known
  bool whole;         // the guard requires that the mask excludes nothing
  uint32_t inner;
  OtherDim others[MAX_OTHERS];
  uint32_t other_count;
} RaisedBox;

typedef struct BoxRaising {
  PassContext *context;
  Func *func;
  const AxisTable *axes;
  Guard guard;
  WholeBlocksList wrapped;
  VEC(RaisedBox) found;
  uint32_t declined;
} BoxRaising;

// --- the address

static bool is_one(const TmaTerm *term) { return term->factor == 1 && term->by_count == 0; }

// True if the term is the stride times something, which becomes *quotient.
static bool divide_term(const TmaTerm *term, const TmaTerm *stride, TmaTerm *quotient) {
  *quotient = *term;
  if (term->factor % stride->factor) return false;
  quotient->factor /= stride->factor;
  for (uint32_t i = 0; i < stride->by_count; i++) {
    uint32_t at = 0;
    while (at < quotient->by_count && quotient->by[at] != stride->by[i]) at++;
    if (at == quotient->by_count) return false;
    for (quotient->by_count--; at < quotient->by_count; at++) quotient->by[at] = quotient->by[at + 1];
  }
  return true;
}

static bool same_stride(const TmaTerm *x, const TmaTerm *y) {
  return x->factor == y->factor && x->by_count == y->by_count &&
         memcmp(x->by, y->by, x->by_count * sizeof *x->by) == 0;
}

// Makes a program-dependent value times a stride from the arguments a separate dimension.
static bool add_other(RaisedBox *box, TmaTerm stride) {
  const TmaTerm offset = {.factor = 1, .index = stride.index, .dim = NO_DIM};
  uint32_t i = 0;
  stride.index = NULL;
  while (i < box->other_count && !same_stride(&box->others[i].stride.at[0], &stride)) i++;
  if (i == MAX_OTHERS || stride.factor <= 0) return false;
  if (i == box->other_count) {
    box->others[box->other_count++] = (OtherDim){0};
    form_push(&box->others[i].stride, stride);
  }
  return form_push(&box->others[i].offset, offset);
}

// Finds where the TMA tile starts in rows and columns. `apart`: also in separate dimensions, for terms that are not a
// number of rows known at compile time.
static const char *split_address(const TmaForm *address, bool apart, RaisedBox *box) {
  const TmaTerm *terms[RANK] = {form_dim(address, 0), form_dim(address, 1)};
  if (!terms[0] || !terms[1]) return "its offsets are not rows and columns";
  if (!is_one(terms[0]) && !is_one(terms[1])) return "no stride is known to be 1";
  box->inner = is_one(terms[1]) ? 1 : 0;
  const TmaTerm *outer = terms[1 - box->inner];
  if (outer->factor <= 0) return "a stride is not known to be positive";
  for (uint32_t d = 0; d < RANK; d++) {
    box->offset[d] = box->stride[d] = (TmaForm){0};
    TmaTerm stride = *terms[d];
    stride.dim = NO_DIM;
    form_push(&box->stride[d], stride);
  }
  for (uint32_t i = 0; i < address->n; i++) {
    TmaTerm term = address->at[i], rows;
    if (term.dim != NO_DIM) continue;
    bool outside = !is_one(outer) && divide_term(&term, outer, &rows);
    if (apart && term.index && (outside ? rows.by_count : term.by_count) && add_other(box, term)) continue;
    if (!form_push(&box->offset[outside ? 1 - box->inner : box->inner], outside ? rows : term))
      return "its address sums are too long";
  }
  return NULL;
}

// --- the mask

// Makes the guard require that the sum is below zero (at most zero if `equal`) at all of the tile's indices. The mask
// then excludes nothing.
static bool require_whole(Guard *g, const TmaForm *below, bool equal, const uint32_t *shape) {
  TmaForm last = {0}; // with each dimension's last index
  HostRange range;
  for (uint32_t i = 0; i < below->n; i++) {
    TmaTerm term = below->at[i];
    if (term.dim != NO_DIM) {
      if (term.factor < 0 || term.by_count ||
          __builtin_mul_overflow(term.factor, (int64_t)shape[term.dim] - 1, &term.factor))
        return false;
      term.dim = NO_DIM;
    }
    if (!form_push(&last, term)) return false;
  }
  if (!form_range(g, &last, &range)) return false;
  guard_require(g, OP_LE, range.high, guard_int(g, equal ? 0 : -1));
  return true;
}

// Takes a comparison of one dimension's index with a value known before the launch. It gives the size of that
// dimension. If the TMA tile lies in one of several matrices, its offset also counts their distance. Then the guard
// instead requires that the mask excludes nothing.
static bool add_bound(FormFinder *f, const TmaForm *x, const TmaForm *y, bool equal, RaisedBox *box) {
  TmaForm below, size;
  if (!form_subtract(x, y, &below)) return false; // < 0
  for (uint32_t d = 0; d < RANK; d++) {
    const TmaTerm *term = form_dim(&below, (int)d);
    if (!term || !is_one(term)) continue;
    if (box->bounded[d] || form_dim(&below, 1 - (int)d)) return false;
    const TmaForm all = below;
    if (!form_push(&below, (TmaTerm){.factor = -1, .dim = (int)d})) return false;
    if (!form_subtract(&box->offset[d], &below, &size)) return false;
    if (equal && !form_push(&size, (TmaTerm){.factor = 1, .dim = NO_DIM})) return false;
    for (uint32_t i = 0; i < size.n; i++) {
      if (!size.at[i].index && size.at[i].dim == NO_DIM) continue;
      box->whole = true;
      return require_whole(f->guard, &all, equal, f->shape);
    }
    box->size[d] = size;
    return box->bounded[d] = true;
  }
  return false;
}

static bool add_comparison(FormFinder *f, const Op *op, int dim, RaisedBox *box) {
  TmaForm x, y;
  HostRange range;
  bool equal = comparison_holds(op->kind, 0), upwards = comparison_holds(op->kind, -1);
  for (uint32_t i = 0; i < 2; i++) {
    TmaForm *form = i == 0 ? &x : &y;
    if (!guard_range(f->guard, op_operand(op, i), &range) || !form_find(f, op_operand(op, i), dim, form) ||
        form->base)
      return false;
  }
  return upwards ? add_bound(f, &x, &y, equal, box) : add_bound(f, &y, &x, equal, box);
}

// For a one-dimensional mask, `dim` is its dimension of the tile.
static bool add_mask(FormFinder *f, const Value *mask, int dim, RaisedBox *box, uint32_t depth) {
  const Op *op = mask->def;
  if (!op || depth == 0) return false;
  switch ((int)op->kind) {
  case OP_AND:
    return add_mask(f, op_operand(op, 0), dim, box, depth - 1) &&
           add_mask(f, op_operand(op, 1), dim, box, depth - 1);
  case OP_BROADCAST:
  case OP_HINT: return add_mask(f, op_operand(op, 0), dim, box, depth - 1);
  case OP_EXPAND_DIMS:
    if (op_operand(op, 0)->type->rank != 1) return false;
    return add_mask(f, op_operand(op, 0), op_int(op, ATTR_AXIS, 0) == 0 ? 1 : 0, box, depth - 1);
  default: return op_orders(op) && type_is_tile(op_operand(op, 0)->type) && add_comparison(f, op, dim, box);
  }
}

// --- what is declared

static bool is_aligned_stride(const BoxRaising *r, const TmaTerm *stride, const Value *base) {
  uint64_t divisor = type_element_bytes(base->type->inner) * (uint64_t)stride->factor;
  for (uint32_t i = 0; i < stride->by_count; i++) {
    uint64_t by = axis_info(r->axes, stride->by[i])->divisibility[0];
    divisor *= by < TENSOR_COPY_BYTES ? by : TENSOR_COPY_BYTES;
  }
  return divisor % TENSOR_COPY_BYTES == 0;
}

static bool is_aligned(const BoxRaising *r, const RaisedBox *box, const Value *base) {
  bool aligned = is_aligned_stride(r, &box->stride[1 - box->inner].at[0], base);
  for (uint32_t i = 0; i < box->other_count; i++)
    aligned = aligned && is_aligned_stride(r, &box->others[i].stride.at[0], base);
  return aligned && r->func->params[base->index].facts.divisible16;
}

// True if each iteration writes global memory. TMA copies after it need a fence, which waits for all writes.
static bool writes_memory(const Op *loop) {
  for (const Op *op = loop->regions[0]->first; op; op = op->next)
    if (op_writes_global(op)) return true;
  return false;
}

// True if a TMA copy is worth it. By default, only for elements of one or two bytes, in loops that do not write.
static bool pays(const BoxRaising *r, const Op *load, const Op *dot) {
  if (!dot || func_plans(r->func, PLAN_TMA_ALL_LOADS)) return dot != NULL;
  return type_element_bytes(op_result(load)->type) <= 2 && !writes_memory(load->region->parent);
}

static bool is_candidate(const BoxRaising *r, const Op *op) {
  const Type *type = op->kind == OP_LOAD ? op_result(op)->type : NULL;
  if (!type || !type_is_tile(type) || type->rank != RANK || type->layout || !type_sizes_are_powers(type))
    return false;
  if (type->shape[0] == 1 || type->shape[1] == 1) return false;
  const Type *element = type_element(type);
  bool in_loop = op->region->parent && op->region->parent->kind == OP_FOR;
  return in_loop && element->kind == TYPE_SCALAR && !type_is_elem(element, ELEM_I1) &&
         !op_attr(op, ATTR_VOLATILE) && pays(r, op, fed_dot(op_result(op)));
}

// --- one load

// Makes the guard require that all coordinates are in the range of TMA copies.
static bool keep_offset(BoxRaising *r, const TmaForm *offset, uint32_t extent) {
  HostRange range;
  if (!form_range(&r->guard, offset, &range)) return false;
  guard_within(&r->guard, range, 0, TENSOR_MAP_MAX_SIZE - (int64_t)extent);
  return true;
}

static bool keep_offsets(BoxRaising *r, const RaisedBox *box) {
  bool kept = true;
  for (uint32_t d = 0; d < RANK && kept; d++)
    kept = keep_offset(r, &box->offset[d], op_result(box->load)->type->shape[d]);
  for (uint32_t i = 0; i < box->other_count && kept; i++) kept = keep_offset(r, &box->others[i].offset, 1);
  return kept;
}

static void take_remainders(const FormFinder *f, RaisedBox *box) {
  for (uint32_t d = 0; d < RANK; d++) {
    if (!f->size[d] || box->bounded[d]) continue;
    TmaTerm term = {.factor = 1, .dim = NO_DIM};
    int64_t constant;
    if (value_int_constant(f->size[d], &constant))
      term.factor = constant;
    else
      term.by[term.by_count++] = f->size[d];
    box->bounded[d] = form_push(&box->size[d], term);
  }
}

static const char *find_box_in(BoxRaising *r, Op *load, bool apart, RaisedBox *box) {
  enum { MASK_DEPTH = 16 };
  const Value *other = op_operand(load, 2);
  FormFinder f = {
      .guard = &r->guard, .shape = op_result(load)->type->shape, .rank = RANK, .wrapped = &r->wrapped};
  TmaForm address;
  *box = (RaisedBox){.load = load};
  if (other && !value_is_zero(other)) return "elements outside its mask are not zero";
  if (!form_find(&f, op_operand(load, 0), NO_DIM, &address) || !address.base)
    return "its addresses are not sums of values that are known before the launch";
  const char *why = split_address(&address, apart, box);
  if (why) return why;
  if (!is_aligned(r, box, address.base)) return "its base and strides are not declared to be multiples of 16";
  Value *const size[RANK] = {f.size[0], f.size[1]};
  if (op_operand(load, 1) && !add_mask(&f, op_operand(load, 1), NO_DIM, box, MASK_DEPTH))
    return "its mask is not a bound of rows and columns";
  memcpy(f.size, size, sizeof size);
  take_remainders(&f, box);
  return keep_offsets(r, box) ? NULL : "its offsets are not known to be within a matrix";
}

// Tries one matrix, then one of several matrices, and last one matrix whose mask excludes nothing.
static const char *find_box(BoxRaising *r, Op *load, RaisedBox *box) {
  const GuardMark mark = guard_mark(&r->guard);
  const char *why = find_box_in(r, load, false, box);
  if (!why && !box->whole) return NULL;
  guard_undo(&r->guard, mark);
  why = find_box_in(r, load, true, box);
  if (!why && !box->whole) return NULL;
  guard_undo(&r->guard, mark);
  return find_box_in(r, load, false, box);
}

static void find_in(BoxRaising *r, Region *region) {
  for (OpWalk w = ops_outward(region); ops_next(&w);) {
    Op *op = w.op;
    if (!is_candidate(r, op)) continue;
    GuardMark mark = guard_mark(&r->guard);
    RaisedBox box;
    const char *why = find_box(r, op, &box);
    if (!why) {
      vec_push(r->context->scratch, &r->found, box);
      continue;
    }
    guard_undo(&r->guard, mark);
    r->declined++;
    diag_remark(r->context->diags, op->loc, "recognise_tma", "no TMA tile: %s", why);
  }
}

static const Value *base_of(const Value *pointers) {
  for (;;) {
    const Op *op = pointers->def;
    if (op) {
      pointers = op_operand(op, 0);
      continue;
    }
    if (!pointers->region->parent) return pointers;
    pointers = loop_init(pointers->region->parent, pointers->index - 1);
  }
}

static void build_tma_mark(BoxRaising *r, const RaisedBox *box) {
  Op *load = box->load;
  Builder b = builder_after(load);
  Value *operands[2 + 3 * TENSOR_MAP_MAX_RANK] = {op_result(load), (Value *)base_of(op_operand(load, 0))};
  Value *most = build_int(&b, type_scalar(r->func->module->ir, ELEM_I64), TENSOR_MAP_MAX_SIZE);
  const uint32_t others = box->other_count, rank = others + RANK, dims[RANK] = {others, others + 1};
  Value **size = operands + 2, **stride = size + rank, **offset = stride + rank;
  for (uint32_t i = 0; i < others; i++) {
    size[i] = most;
    stride[i] = form_build(&b, &box->others[i].stride);
    offset[i] = form_build(&b, &box->others[i].offset);
  }
  for (uint32_t d = 0; d < RANK; d++) {
    size[others + d] = box->bounded[d] ? form_build(&b, &box->size[d]) : most;
    stride[others + d] = form_build(&b, &box->stride[d]);
    offset[others + d] = form_build(&b, &box->offset[d]);
  }
  const Type *type = op_result(load)->type;
  Op *tma_mark = build_op(&b, OP_TMA_MARK, 2 + 3 * rank, operands, 1, &type);
  if (others) op_set_ints(tma_mark, ATTR_DIMS, RANK, dims);
  value_replace_uses(op_result(load), op_result(tma_mark));
  op_set_operand(tma_mark, 0, op_result(load));
}

bool pass_recognise_tma(PassContext *context, Func *func) {
  if (!func_plans(func, PLAN_TMA_POINTER_LOADS) || func_host(func, HOST_GUARD, NULL)) return false;
  BoxRaising r = {.context = context, .func = func, .axes = axis_analyse(context->scratch, func)};
  r.guard = guard_new(context, func);
  find_in(&r, func->body);
  // By default, no kernel copies some operands by TMA and others in another way.
  if (r.declined && !func_plans(func, PLAN_TMA_ALL_LOADS)) r.found.n = 0;
  for (uint32_t i = 0; i < r.found.n; i++) build_tma_mark(&r, &r.found.at[i]);
  if (r.found.n)
    guard_end(&r.guard);
  else
    guard_drop(&r.guard);
  return r.found.n || r.wrapped.n;
}
