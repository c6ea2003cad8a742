// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// recognise_tma: loads by pointers that are boxes of a matrix say so, under a guard that a launch checks.
//
// before  %o = mul %pid, %c64
//         %m = rem (splat %o + arange), splat %M
//         %p = addptr splat %a, %m[:, None] * splat %stride + arange[None, :]
//         for %k ... (%q = %p) {
//           %x = load %q, arange[None, :] < splat (%K - %k * 64), 0 : tile<64x64xfp16>
//           ... dot %x ...
//           yield addptr %q, 64
// after   guard [] { ... %M % 64 == 0 and no offset wraps or is negative ... }
//         %b = rem (div %o, 64), (div %M, 64)
//         for ... {
//           %x = load ...
//           %y = tma_mark %x, %a, %M, %K, %stride, 1, %b * 64, %k * 64
//           ... dot %y ...
// needs   plan_kernel, which decides of which kernels; simplified IR, no layouts; a base and strides that are declared to be multiples of 16; behind lower_block_pointers once
//         more, as block pointers' bases may differ between programs and their bounds need not be checked
// keeps   every value where the guard holds; where it does not, the launch takes the kernel with tma = "off"
// breaks  nothing
// pays    pipeline makes tensor copies of them, whatever way the source spells their addresses: 8192^3 fp16 by tiles of
//         128x256x64 on an H200 1746 us instead of 1775; bf16 4096^3 by 128x256, 128x128, 64x128: 213, 226, 274 us instead
//         of 215, 256, 300; 1024^3 by 64x64: 6.6 instead of 7.4; e4m3 8192^3 903 instead of 934
//
// Where the program's own numbers times strides of the arguments say in which of several matrices a box lies, batches or heads, these are
// dimensions of the tensor (`dims`), so that masks of rows and columns bound the one matrix.
//
// The matrix' bounds are the mask's; where there is none, more than any offset. The ranges of offsets are computed by the
// guard of the launch's arguments and grid.
#include "base/integer.h"
#include "ir/memory/tensor_map.h"
#include "passes/tma/tma_form.h"
#include "passes/analysis/mask_bounds.h"
#include "passes/tma/tensor_copies.h"

enum { RANK = 2, MAX_OTHERS = TENSOR_MAP_MAX_RANK - RANK };

// A dimension of the tensor along which a box has one element: batches, heads.
typedef struct OtherDim {
  TmaForm stride, offset;
} OtherDim;

typedef struct RaisedBox {
  Op *load;
  TmaForm stride[RANK], offset[RANK], size[RANK];
  bool bounded[RANK]; // size is known
  bool whole;         // the mask may leave nothing out
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

// Whether the term is the stride times something, and that.
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
  return x->factor == y->factor && x->by_count == y->by_count && memcmp(x->by, y->by, x->by_count * sizeof *x->by) == 0;
}

// What is the program's own times a stride of the arguments, a dimension by itself.
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

// Where the box begins in rows and columns. `apart`: and in dimensions of its own, where that is no number of rows known when the kernel is
// compiled.
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
      return "its sums are too long";
  }
  return NULL;
}

// --- the mask

// The launch's guard asks that the sum is below zero (or zero, if `equal`) at all of the tile's indices: the mask leaves nothing out.
static bool require_whole(Guard *g, const TmaForm *below, bool equal, const uint32_t *shape) {
  TmaForm last = {0}; // with each dimension's last index
  HostRange range;
  for (uint32_t i = 0; i < below->n; i++) {
    TmaTerm term = below->at[i];
    if (term.dim != NO_DIM) {
      if (term.factor < 0 || term.by_count || __builtin_mul_overflow(term.factor, (int64_t)shape[term.dim] - 1, &term.factor)) return false;
      term.dim = NO_DIM;
    }
    if (!form_push(&last, term)) return false;
  }
  if (!form_range(g, &last, &range)) return false;
  guard_require(g, OP_LE, range.high, guard_int(g, equal ? 0 : -1));
  return true;
}

// A comparison of the index of one dimension with what is known before a launch, as a size of that dimension. Where the box lies in one
// of several matrices, whose distance its offset counts too, the mask may leave nothing out instead.
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
  bool equal = op->kind == OP_LE || op->kind == OP_GE, upwards = op->kind == OP_LT || op->kind == OP_LE;
  for (uint32_t i = 0; i < 2; i++) {
    TmaForm *form = i == 0 ? &x : &y;
    if (!guard_range(f->guard, op_operand(op, i), &range) || !form_find(f, op_operand(op, i), dim, form) ||
        form->base)
      return false;
  }
  return upwards ? add_bound(f, &x, &y, equal, box) : add_bound(f, &y, &x, equal, box);
}

// Of a mask of one dimension `dim` says which of the tile's that is.
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
  case OP_LT:
  case OP_LE:
  case OP_GT:
  case OP_GE: return type_is_tile(op_operand(op, 0)->type) && add_comparison(f, op, dim, box);
  default: return false;
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
  for (uint32_t i = 0; i < box->other_count; i++) aligned = aligned && is_aligned_stride(r, &box->others[i].stride.at[0], base);
  return aligned && r->func->params[base->index].facts.divisible16;
}

// By itself where it is known to: elements of one or two bytes.
static bool pays(const BoxRaising *r, const Op *load, const Op *dot) {
  return dot && (func_plans(r->func, PLAN_TMA_ALL_LOADS) || type_element_bytes(op_result(load)->type) <= 2);
}

static bool is_candidate(const BoxRaising *r, const Op *op) {
  const Type *type = op->kind == OP_LOAD ? op_result(op)->type : NULL;
  if (!type || !type_is_tile(type) || type->rank != RANK || type->layout || !type_sizes_are_powers(type)) return false;
  if (type->shape[0] == 1 || type->shape[1] == 1) return false;
  const Type *element = type_element(type);
  bool in_loop = op->region->parent && op->region->parent->kind == OP_FOR;
  return in_loop && element->kind == TYPE_SCALAR && !type_is_elem(element, ELEM_I1) &&
         !op_attr(op, ATTR_VOLATILE) && pays(r, op, fed_wgmma(op_result(op)));
}

// --- one load

// All coordinates are within what tensor copies take.
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
  if (other && !value_is_zero(other)) return "what is outside of its mask is not zero";
  if (!form_find(&f, op_operand(load, 0), NO_DIM, &address) || !address.base)
    return "its addresses are not a sum of values known before the launch";
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

// A matrix, of several what the box lies in, or else of which masks leave nothing out.
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
  for (Op *op = region->first; op; op = op->next) {
    for (uint32_t i = 0; i < op->region_count; i++) find_in(r, op->regions[i]);
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
  // By itself no loops that copy some of their operands in one way and some in the other.
  if (r.declined && !func_plans(func, PLAN_TMA_ALL_LOADS)) r.found.n = 0;
  for (uint32_t i = 0; i < r.found.n; i++) build_tma_mark(&r, &r.found.at[i]);
  if (r.found.n)
    guard_end(&r.guard);
  else
    guard_drop(&r.guard);
  return r.found.n || r.wrapped.n;
}
