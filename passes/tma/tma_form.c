// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes tiles of offsets and pointers as sums. A pointer that a loop advances is its initial value, plus the step
// times the iteration. In the ranges that the guard requires nothing wraps. So multiplications of sums can be expanded.
#include "passes/tma/tma_form.h"

#include "passes/analysis/mask_bounds.h"
#include "passes/tma/tensor_copies.h"

enum { MAX_DEPTH = 32 };

// --- sums

static bool same_factors(const TmaTerm *x, const TmaTerm *y) {
  if (x->by_count != y->by_count || x->index != y->index || x->dim != y->dim) return false;
  return memcmp(x->by, y->by, x->by_count * sizeof *x->by) == 0;
}

bool form_push(TmaForm *form, TmaTerm term) {
  for (uint32_t i = 0; i < form->n; i++) {
    TmaTerm *at = &form->at[i];
    if (!same_factors(at, &term)) continue;
    if (__builtin_add_overflow(at->factor, term.factor, &at->factor)) return false;
    if (at->factor == 0) *at = form->at[--form->n];
    return true;
  }
  if (term.factor == 0) return true;
  if (form->n == TMA_TERMS) return false;
  form->at[form->n++] = term;
  return true;
}

static bool add_scaled(TmaForm *form, const TmaForm *other, int64_t scale) {
  if (other->base && (form->base || scale != 1)) return false;
  if (other->base) form->base = other->base;
  for (uint32_t i = 0; i < other->n; i++) {
    TmaTerm term = other->at[i];
    if (__builtin_mul_overflow(term.factor, scale, &term.factor) || !form_push(form, term)) return false;
  }
  return true;
}

bool form_subtract(const TmaForm *x, const TmaForm *y, TmaForm *result) {
  *result = (TmaForm){0};
  return add_scaled(result, x, 1) && add_scaled(result, y, -1);
}

static bool multiply_terms(const TmaTerm *x, const TmaTerm *y, TmaTerm *result) {
  *result = *x;
  if (__builtin_mul_overflow(x->factor, y->factor, &result->factor)) return false;
  if (x->by_count + y->by_count > TMA_FACTORS) return false;
  for (uint32_t i = 0; i < y->by_count; i++) {
    uint32_t at = result->by_count++;
    for (; at > 0 && result->by[at - 1]->id > y->by[i]->id; at--) result->by[at] = result->by[at - 1];
    result->by[at] = y->by[i];
  }
  return true;
}

static bool is_of_host(const TmaForm *form) {
  for (uint32_t i = 0; i < form->n; i++)
    if (form->at[i].index || form->at[i].dim != NO_DIM) return false;
  return !form->base;
}

// Multiplies two sums. One of them must be known before the launch.
static bool multiply(const TmaForm *x, const TmaForm *y, TmaForm *result) {
  *result = (TmaForm){0};
  if (!is_of_host(y)) {
    const TmaForm *other = x;
    x = y, y = other;
  }
  if (!is_of_host(y) || x->base) return false;
  for (uint32_t i = 0; i < x->n; i++)
    for (uint32_t k = 0; k < y->n; k++) {
      TmaTerm term;
      if (!multiply_terms(&x->at[i], &y->at[k], &term) || !form_push(result, term)) return false;
    }
  return true;
}

const TmaTerm *form_dim(const TmaForm *form, int dim) {
  const TmaTerm *found = NULL;
  for (uint32_t i = 0; i < form->n; i++) {
    if (form->at[i].dim != dim) continue;
    if (found) return NULL;
    found = &form->at[i];
  }
  return found;
}

Value *form_build(Builder *b, const TmaForm *form) {
  const Type *type = type_scalar(b->func->module->ir, ELEM_I64);
  Value *sum = NULL;
  for (uint32_t i = 0; i < form->n; i++) {
    const TmaTerm *term = &form->at[i];
    Value *product = term->index ? build_cast(b, term->index, type) : NULL;
    for (uint32_t k = 0; k < term->by_count; k++) {
      Value *by = build_cast(b, term->by[k], type);
      product = product ? build_binary(b, OP_MUL, product, by) : by;
    }
    Value *factor = product && term->factor == 1 ? NULL : build_int(b, type, term->factor);
    if (factor) product = product ? build_binary(b, OP_MUL, product, factor) : factor;
    sum = sum ? build_binary(b, OP_ADD, sum, product) : product;
  }
  return sum ? sum : build_int(b, type, 0);
}

bool form_range(Guard *g, const TmaForm *form, HostRange *range) {
  range->low = range->high = guard_int(g, 0);
  for (uint32_t i = 0; i < form->n; i++) {
    const TmaTerm *term = &form->at[i];
    HostRange product = {guard_int(g, term->factor), NULL}, factor;
    product.high = product.low;
    for (uint32_t k = 0; k < term->by_count; k++) {
      if (!guard_range(g, term->by[k], &factor)) return false;
      product = guard_mul(g, factor, product);
    }
    if (term->index && !guard_range(g, term->index, &factor)) return false;
    if (term->index) product = guard_mul(g, factor, product);
    *range = guard_add(g, *range, product);
    guard_within(g, *range, -(INT64_C(1) << 62), INT64_C(1) << 62);
  }
  return true;
}

// --- sums of values

// For each dimension of a value, the dimension of the finder's tile that it is. A scalar has none.
typedef struct Dims {
  int at[TILE_MAX_RANK];
} Dims;

static bool find(FormFinder *f, Value *value, Dims dims, TmaForm *form, uint32_t depth);

static bool leaf(TmaForm *form, TmaTerm term) {
  *form = (TmaForm){0};
  return form_push(form, term);
}

static bool of_constant(TmaForm *form, int64_t constant) {
  return leaf(form, (TmaTerm){.factor = constant, .dim = NO_DIM});
}

// A scalar that is not a sum itself.
static bool of_scalar(Value *value, TmaForm *form) {
  TmaTerm term = {.factor = 1, .dim = NO_DIM};
  if (type_is_tile(value->type) || !type_is_int(value->type)) return false;
  if (known_on_host(value))
    term.by[term.by_count++] = value;
  else
    term.index = value;
  return leaf(form, term);
}

static bool of_arange(const FormFinder *f, const Op *op, Dims dims, TmaForm *form) {
  int64_t start = op_int(op, ATTR_START, 0);
  uint32_t length = op_result(op)->type->shape[0];
  if (!of_constant(form, start)) return false;
  if (length == 1) return true;
  return length == f->shape[dims.at[0]] && form_push(form, (TmaTerm){.factor = 1, .dim = dims.at[0]});
}

// Adds what the loop adds per iteration, known before the launch, times the number of earlier iterations: (i - lower) /
// step.
static bool add_steps(FormFinder *f, const Op *loop, const TmaForm *step, TmaForm *form, uint32_t depth) {
  int64_t by;
  TmaForm lower, index, trips, all;
  if (!is_of_host(step) || !value_int_constant(loop_step(loop), &by) || by <= 0) return false;
  if (!find(f, loop_lower(loop), (Dims){{0}}, &lower, depth) || !of_scalar(loop->regions[0]->args[0], &index))
    return false;
  if (!form_subtract(&index, &lower, &trips) || !multiply(&trips, step, &all)) return false;
  for (uint32_t i = 0; i < all.n; i++) {
    if (all.at[i].factor % by) return false;
    all.at[i].factor /= by;
  }
  return add_scaled(form, &all, 1);
}

static bool of_carried(FormFinder *f, Value *arg, Dims dims, TmaForm *form, uint32_t depth) {
  const Op *loop = arg->region->parent;
  HostRange range;
  if (!loop || loop->kind != OP_FOR || arg->index == 0) return false;
  if (!find(f, loop_init(loop, arg->index - 1), dims, form, depth)) return false;
  for (Value *next = loop_yielded(loop, arg->index - 1); next != arg; next = op_operand(next->def, 0)) {
    TmaForm step;
    if (!next->def || (next->def->kind != OP_ADD && next->def->kind != OP_ADDPTR)) return false;
    Value *by = op_operand(next->def, 1);
    if (!guard_range(f->guard, by, &range) || !find(f, by, dims, &step, depth)) return false;
    if (!add_steps(f, loop, &step, form, depth)) return false;
  }
  return true;
}

static bool of_argument(FormFinder *f, Value *value, Dims dims, TmaForm *form, uint32_t depth) {
  bool param = value->region->parent == NULL;
  if (param && value->type->kind == TYPE_PTR) {
    *form = (TmaForm){.base = value};
    return true;
  }
  bool carried = !param && value->index > 0 && value->region->parent->kind == OP_FOR;
  if (carried && of_carried(f, value, dims, form, depth)) return true;
  return of_scalar(value, form);
}

// The scalar that the remainders are taken by, if the host knows it. NULL otherwise.
static Value *divisor_of(FormFinder *f, const Op *rem) {
  Value *scalar;
  int64_t constant;
  if (!is_uniform(op_operand(rem, 1), &scalar, &constant)) return NULL;
  if (scalar) return known_on_host(scalar) ? scalar : NULL;
  Builder b = builder_before((Op *)rem);
  (void)f;
  return build_int(&b, type_element(op_result(rem)->type), constant);
}

// The block of the divisor that the remainders are in: first % (divisor / size).
static Value *build_block(FormFinder *f, const Op *rem, const TmaForm *first, Value *divisor, int64_t size) {
  for (uint32_t i = 0; i < f->wrapped->n; i++)
    if (f->wrapped->at[i].rem == rem) return f->wrapped->at[i].block;
  Builder b = builder_before((Op *)rem);
  const Type *type = divisor->type;
  Value *count = build_binary(&b, OP_DIV, divisor, build_int(&b, type, size));
  Value *block = build_binary(&b, OP_REM, build_cast(&b, form_build(&b, first), type), count);
  vec_push(f->guard->scratch, f->wrapped, ((WholeBlocks){rem, block}));
  return block;
}

// Finds the block in which the sum starts. The sum has one dimension. Each other term must be a multiple of the tile's
// size along it.
static bool split_blocks(const FormFinder *f, const TmaForm *sum, TmaForm *first, int *dim) {
  *first = (TmaForm){0};
  *dim = NO_DIM;
  for (uint32_t i = 0; i < sum->n; i++) {
    if (sum->at[i].dim == NO_DIM) continue;
    if (*dim != NO_DIM || sum->at[i].factor != 1 || sum->at[i].by_count) return false;
    *dim = sum->at[i].dim;
  }
  for (uint32_t i = 0; i < sum->n && *dim != NO_DIM; i++) {
    if (sum->at[i].dim != NO_DIM) continue;
    TmaTerm term = sum->at[i];
    if (term.factor % f->shape[*dim]) return false;
    term.factor /= f->shape[*dim];
    if (!form_push(first, term)) return false;
  }
  return *dim != NO_DIM;
}

static bool of_remainder(FormFinder *f, const Op *op, Dims dims, TmaForm *form, uint32_t depth) {
  TmaForm sum, first;
  HostRange range, whole;
  int dim;
  Guard *g = f->guard;
  if (!type_is_tile(op_result(op)->type)) return of_scalar(op_result(op), form);
  if (!find(f, op_operand(op, 0), dims, &sum, depth) || !split_blocks(f, &sum, &first, &dim)) return false;
  Value *divisor = divisor_of(f, op);
  if (!divisor || !guard_range(g, op_operand(op, 0), &range) || !guard_range(g, divisor, &whole))
    return false;
  Value *size = guard_int(g, f->shape[dim]), *zero = guard_int(g, 0);
  guard_require(g, OP_GE, range.low, zero);
  guard_require(g, OP_GE, whole.low, guard_int(g, 1));
  guard_require(g, OP_EQ, guard_binary(g, OP_REM, whole.low, size), zero);
  Value *block = build_block(f, op, &first, divisor, f->shape[dim]),
        *count = guard_binary(g, OP_DIV, whole.high, size);
  guard_note(g, block, (HostRange){zero, guard_binary(g, OP_SUB, count, guard_int(g, 1))});
  f->size[dim] = divisor;
  return leaf(form, (TmaTerm){.factor = f->shape[dim], .index = block, .dim = NO_DIM}) &&
         form_push(form, (TmaTerm){.factor = 1, .dim = dim});
}

static bool of_pair(FormFinder *f, const Op *op, Dims dims, TmaForm *form, uint32_t depth) {
  TmaForm x, y;
  HostRange range;
  // The guard requires here, where an offset meets its pointer, that the offset does not wrap.
  if (op->kind == OP_ADDPTR && !guard_range(f->guard, op_operand(op, 1), &range)) return false;
  if (!find(f, op_operand(op, 0), dims, &x, depth) || !find(f, op_operand(op, 1), dims, &y, depth))
    return false;
  if (op->kind == OP_MUL) return multiply(&x, &y, form) || of_scalar(op_result(op), form);
  if (op->kind == OP_SUB) return form_subtract(&x, &y, form);
  *form = x;
  return add_scaled(form, &y, 1);
}

static Dims dims_before(const Op *op, Dims dims) {
  Dims before = dims;
  uint32_t rank = type_is_tile(op_operand(op, 0)->type) ? op_operand(op, 0)->type->rank : 0;
  if (op->kind == OP_EXPAND_DIMS) {
    uint32_t axis = (uint32_t)op_int(op, ATTR_AXIS, 0);
    for (uint32_t d = 0; d < rank; d++) before.at[d] = dims.at[d + (d >= axis)];
  }
  const Attr *order = op->kind == OP_TRANS ? op_attr(op, ATTR_ORDER) : NULL;
  for (uint32_t d = 0; order && d < rank; d++) before.at[order->ints.at[d]] = dims.at[d];
  return before;
}

static bool find(FormFinder *f, Value *value, Dims dims, TmaForm *form, uint32_t depth) {
  int64_t constant;
  if (value_int_constant(value, &constant)) return of_constant(form, constant);
  if (depth-- == 0) return false;
  const Op *op = value->def;
  if (!op) return of_argument(f, value, dims, form, depth);
  if (op_has_any(op, VIEW | SPREADS) && op->kind != OP_RESHAPE)
    return find(f, op_operand(op, 0), dims_before(op, dims), form, depth);
  switch ((int)op->kind) {
  case OP_HINT: return find(f, op_operand(op, 0), dims_before(op, dims), form, depth);
  case OP_CAST:
    return type_is_int(type_element(op_operand(op, 0)->type)) && type_is_int(type_element(value->type)) &&
           find(f, op_operand(op, 0), dims, form, depth);
  case OP_ARANGE: return of_arange(f, op, dims, form);
  case OP_REM: return of_remainder(f, op, dims, form, depth);
  case OP_ADDPTR: return of_pair(f, op, dims, form, depth);
  default: return op_has(op, ARITHMETIC) ? of_pair(f, op, dims, form, depth) : of_scalar(value, form);
  }
}

bool form_find(FormFinder *f, Value *value, int dim, TmaForm *form) {
  Dims dims = {{0, 1}};
  if (dim != NO_DIM) dims.at[0] = dim;
  return find(f, value, dims, form, MAX_DEPTH);
}
