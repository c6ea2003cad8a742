// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Op `dot` of the evaluator: acc + a b over the last two dimensions, a matrix of the batch after another.
//
// Sums are taken in double (integers: modulo 2^64) over contiguous rows.
// v is rounded once at the end: one of the results that the order of summing allows.
// e is the products' and acc's bounds, and what n roundings of sums of those terms may add: 2 sqrt(n) u sum|x|
// where they round to nearest, the terms' own order being free; tensor cores cut off instead (each product as
// it is aligned with the largest term, acc among them, and the sum once an instruction), always toward zero,
// which for many terms is more: 5/16 n u sum|x|. u is the accumulator's, and for fp8 the tensor core's, which
// keeps about 14 bits of the sums that it makes: of acc too, where it adds to that.
//
// A product that begins at zero may begin with what it is added to (accumulate_dots): Tile.sum_ulps.
#include <math.h>
#include <string.h>
#include "ir/dot/dot.h"
#include "eval/eval_machine.h"
#include "ir/number.h"

// A matrix of the batch, row-major: values, references and bounds, and what is wrong with each row or column.
typedef struct DotMatrix {
  double *v, *r, *e;
  bool inexact; // r differs from v somewhere, or e is not 0
} DotMatrix;

typedef struct Dot {
  Machine *m;
  const Tile *a, *b, *acc;
  Tile *to;
  uint32_t rows, columns, depth;
  DotExtents meant; // of rows, columns and depth
  Fp32Dot precision;
  double ulps;     // what the order and the roundings of its sums add, in u of the products' size
  double acc_ulps; // in u of acc's
  double partial;  // of fp8's partial sums: relative
  bool direct;     // those begin with acc
  DotMatrix x, y;
  double *v, *r, *size, *e; // of one row of the result
  uint8_t *column_state;
  const Common **kept; // by row of the first operand: what all of its elements, and of acc's, have in common
  void *block;
  uint64_t block_bytes;
} Dot;

// What one input of a product is off by: relative to it, and what the type that it becomes has no smaller
// numbers for. Three products of tf32 halves drop what is below 2^-20, and each remainder keeps as much. Of
// bf16's pieces the second is at most 2^-8, what is left of two 2^-17, of three nothing: the three products of
// bf16x3 drop 2^-16 of the second pieces' product and 2^-17 of each input, bf16x6 2 2^-8 2^-17 of the second
// pieces' by the third ones'.
static const struct {
  double u, step;
} input_error[FP32_DOT_COUNT] = {[FP32_DOT_TF32] = {0x1p-10, 0x1p-136},
                                 [FP32_DOT_TF32X3] = {0x1.8p-20, 0x1p-136},
                                 [FP32_DOT_BF16X3] = {0x1.01p-16, 0x1p-134},
                                 [FP32_DOT_BF16X6] = {0x1.01p-25, 0x1p-134}};

#define TF32_STEP 0x1p-136 // between tf32's subnormals

// The nearest number of 10 stored mantissa bits.
static double round_tf32(double v) {
  uint64_t bits;
  if (!isfinite(v)) return v;
  if (fabs(v) < 0x1p-126) return rint(v / TF32_STEP) * TF32_STEP;
  memcpy(&bits, &v, sizeof bits);
  bits += ((uint64_t)1 << 41) - 1 + (bits >> 42 & 1);
  bits &= ~(((uint64_t)1 << 42) - 1);
  memcpy(&v, &bits, sizeof v);
  return v;
}

// What n pieces of bf16, each the nearest to what the others leave, hold of a number of fp32.
static double bf16_pieces(double v, uint32_t n) {
  double sum = 0;
  for (uint32_t i = 0; i < n && isfinite(sum); i++) sum += number_round(ELEM_BF16, v - sum);
  return sum;
}

// What is multiplied of a number, and into *exact that of which no product drops anything.
static double narrowed(Fp32Dot precision, double v, double *exact) {
  *exact = v;
  switch (precision) {
  case FP32_DOT_TF32: return *exact = round_tf32(v);
  case FP32_DOT_TF32X3: *exact = round_tf32(v); break;
  case FP32_DOT_BF16X3: *exact = bf16_pieces(v, 1); return bf16_pieces(v, 2);
  case FP32_DOT_BF16X6: *exact = bf16_pieces(v, 2); return bf16_pieces(v, 3);
  case FP32_DOT_IEEE:
  case FP32_DOT_COUNT: break;
  }
  return v;
}

// What is in common to all elements of a row but exact zeros. *none: there are no others.
static const Common *common_of_row(const Tile *from, uint32_t first, uint32_t n, bool *none) {
  const Common *common = NULL;
  for (uint32_t i = first; i < first + n; i++) {
    Element x = tile_get(from, i);
    if (eval_is_exact_zero(&x)) continue;
    if (!from->common || x.common.kind != COMMON_FACTOR || (common && !eval_common_same(common, &x.common)))
      return *none = false, NULL;
    common = &from->common[i];
  }
  *none = !common;
  return common;
}

// A row's factor is the factor of its sums, where what they are added to has it too.
static void find_common(Dot *d, uint32_t batch) {
  for (uint32_t i = 0; i < d->rows; i++) d->kept[i] = NULL;
  for (uint32_t i = 0; i < d->rows && d->a->common; i++) {
    bool none, acc_none;
    uint32_t row = batch * d->rows + i;
    const Common *own = common_of_row(d->a, row * d->depth, d->depth, &none);
    const Common *acc = common_of_row(d->acc, row * d->columns, d->columns, &acc_none);
    bool same = own && (acc_none || (acc && eval_common_same(own, acc)));
    d->kept[i] = same ? own : NULL;
  }
}

// `columns`: of the first operand, whose rows may keep what they have in common; 0: the second.
static Element operand_element(const Dot *d, const Tile *from, uint32_t first, uint32_t i, uint32_t columns) {
  Element x = tile_get(from, first + i);
  return columns && d->kept[i / columns] ? eval_without_common(&x) : eval_absorb(&x);
}

static void load_matrix(const Dot *d, DotMatrix *to, const Tile *from, uint32_t first, uint32_t n, uint32_t columns) {
  double u = input_error[d->precision].u, step = input_error[d->precision].step, exact;
  to->inexact = false;
  for (uint32_t i = 0; i < n; i++) {
    Element x = operand_element(d, from, first, i, columns);
    double v = number_decode((Elem)from->code, x.bits);
    to->v[i] = narrowed(d->precision, v, &exact);
    if (d->precision != FP32_DOT_IEEE && (x.e != 0 || exact != v)) x.e += u * fabs(x.r) + step;
    to->r[i] = x.r;
    to->e[i] = isfinite(x.e) ? x.e : 0;
    to->inexact |= x.e != 0 || x.r != to->v[i];
  }
}

// UNDEFINED and UNCERTAIN of a row of a reach the whole row of the result.
static unsigned row_state(const Dot *d, uint32_t row, uint32_t first) {
  unsigned state = row < d->meant.m ? 0 : UNDEFINED;
  for (uint32_t k = 0; k < d->meant.k; k++) state |= d->a->state[first + k];
  return state;
}

static void column_states(const Dot *d, uint32_t first) {
  memset(d->column_state, 0, d->columns);
  memset(d->column_state + d->meant.n, UNDEFINED, d->columns - d->meant.n);
  for (uint32_t k = 0; k < d->meant.k; k++)
    for (uint32_t j = 0; j < d->columns; j++) d->column_state[j] |= d->b->state[first + k * d->columns + j];
}

// sum[j] += x y[j]
static void add_scaled(double *restrict sum, double x, const double *restrict y, uint32_t n) {
  for (uint32_t j = 0; j < n; j++) sum[j] += x * y[j];
}

static void add_sizes(double *restrict sum, double x, const double *restrict y, uint32_t n) {
  for (uint32_t j = 0; j < n; j++) sum[j] += fabs(x * y[j]);
}

// Row i of the products' sums.
static void sum_row(const Dot *d, uint32_t i) {
  memset(d->v, 0, 4 * (size_t)d->columns * sizeof(double)); // v, r, size and e follow one another
  bool inexact = d->x.inexact || d->y.inexact;
  for (uint32_t k = 0; k < d->meant.k; k++) {
    uint32_t at = i * d->depth + k, row = k * d->columns;
    add_scaled(d->v, d->x.v[at], d->y.v + row, d->columns);
    add_sizes(d->size, d->x.r[at], d->y.r + row, d->columns);
    if (!inexact) continue;
    add_scaled(d->r, d->x.r[at], d->y.r + row, d->columns);
    add_sizes(d->e, d->x.r[at], d->y.e + row, d->columns);
    add_sizes(d->e, d->x.e[at], d->y.r + row, d->columns);
    add_scaled(d->e, EVAL_SLACK * d->x.e[at], d->y.e + row, d->columns);
  }
  if (!inexact) memcpy(d->r, d->v, d->columns * sizeof(double));
}

// What the tensor core cuts off the terms of an fp8 dot. It aligns an instruction's terms with the largest, and keeps 13 bits
// after the first. No document says so: 12 are taken here. A partial sum is no larger than the sum of all terms of one sign.
// A term of a and b has 8 bits, so that a large one loses nothing. A small one loses no more than itself. The sum is cut off
// once an instruction, whose depth is 16 or more.
static double cut_off(const Dot *d, uint32_t i, uint32_t j, double acc) {
  enum { PRODUCT_BITS = 8, MIN_DEPTH = 16, KEPT_BITS = 12 };
  double most = (d->size[j] + fabs(d->r[j])) / 2 + (d->direct ? fabs(acc) : 0), sum = 0;
  if (!(most > 0) || !isfinite(most)) return 0;
  double step = ldexp(d->kept[i] ? most : ldexp(1, ilogb(most)), -KEPT_BITS), whole = ldexp(step, PRODUCT_BITS - 1);
  for (uint32_t k = 0; k < d->meant.k; k++) {
    double size = fabs(d->x.r[i * d->depth + k] * d->y.r[k * d->columns + j]);
    if (size < whole) sum += fmin(size, step);
  }
  return sum + step * ceil(d->meant.k / (double)MIN_DEPTH);
}

// Row i; `first`: of its elements in the result.
static void finish_row(const Dot *d, uint32_t i, uint32_t first, unsigned state) {
  Elem elem = (Elem)d->to->code;
  const Common *common = d->kept[i];
  for (uint32_t j = 0; j < d->columns; j++) {
    Element acc = tile_get(d->acc, first + j);
    acc = common ? eval_without_common(&acc) : eval_absorb(&acc);
    double r = acc.r + d->r[j], v = number_decode(elem, acc.bits) + d->v[j];
    double e =
        acc.e + d->e[j] + eval_rounding(elem, d->size[j], d->ulps) + eval_rounding(elem, acc.r, d->acc_ulps);
    if (d->partial > 0) e += cut_off(d, i, j, acc.r) / EVAL_SLACK;
    if (common) e += d->ulps * eval_common_rounding(common, elem, r);
    Element x = eval_computed(elem, v, r, e, state | d->column_state[j] | acc.state);
    if (common && isfinite(x.r) && isfinite(number_decode(elem, x.bits))) {
      x.common = *common;
      if (eval_common_size(common, x.r) + eval_reach(&x) >= number_max(elem)) x = eval_absorb(&x);
    }
    tile_set(d->to, first + j, &x);
  }
}

static void float_matrix(Dot *d, uint32_t batch) {
  uint32_t a = batch * d->rows * d->depth, b = batch * d->depth * d->columns;
  find_common(d, batch);
  load_matrix(d, &d->x, d->a, a, d->rows * d->depth, d->depth);
  load_matrix(d, &d->y, d->b, b, d->depth * d->columns, 0);
  for (uint32_t i = 0; i < d->rows; i++) {
    sum_row(d, i);
    finish_row(d, i, (batch * d->rows + i) * d->columns, row_state(d, i, a + i * d->depth));
  }
}

static void int_matrix(Dot *d, uint32_t batch) {
  uint32_t a = batch * d->rows * d->depth, b = batch * d->depth * d->columns;
  for (uint32_t i = 0; i < d->rows; i++) {
    uint32_t first = (batch * d->rows + i) * d->columns;
    unsigned state = row_state(d, i, a + i * d->depth);
    for (uint32_t j = 0; j < d->columns; j++) {
      uint64_t sum = d->acc->bits[first + j];
      for (uint32_t k = 0; k < d->meant.k; k++)
        sum += d->a->bits[a + i * d->depth + k] * d->b->bits[b + k * d->columns + j];
      d->to->bits[first + j] = number_wrap((Elem)d->to->code, sum);
      d->to->state[first + j] = (uint8_t)(state | d->column_state[j] | d->acc->state[first + j]);
    }
  }
}

// Roundings of a sum of n terms, in u of their size.
static double sum_roundings(double n, bool cuts_off) {
  double nearest = 2 * sqrt(n + 1);
  return cuts_off ? fmax(nearest, (n + 1) * 5 / 16) : nearest;
}

// Of fp8 the tensor core sums `imprecise` products before it adds them to acc in fp32, no fewer than one
// instruction's; or, where it is not given or all of k, it begins with acc.
static void choose_sums(Dot *d, const Op *op, Elem elem) {
  const Attr *imprecise = op_attr(op, ATTR_IMPRECISE);
  double depth = d->depth;
  bool tensor_core = elem_info(elem)->bits <= 16 || d->precision != FP32_DOT_IEEE;
  d->ulps = d->acc_ulps = sum_roundings(depth, tensor_core);
  if (fp32_dot_splits(
          d->precision)) { // several products, whose sum is added to acc at the end; or multiply-adds
    d->ulps = sum_roundings((d->precision == FP32_DOT_BF16X6 ? 6 : 3) * depth, true);
    d->acc_ulps = sum_roundings(depth, false);
  }
  d->direct = !imprecise || (double)imprecise->i >= depth;
  if (elem_info(elem)->bits != 8) return;
  double terms = d->direct ? depth : fmax((double)imprecise->i, 32);
  d->partial = sum_roundings(fmin(terms, depth), true) * 0x1p-13;
}

// What accumulate_dots may join: sums that begin at zero, but fp16's and those with an accumulation of their own.
static bool may_begin_with_more(const Dot *d, const Op *op) {
  if (d->to->code == ELEM_FP16 || op_attr(op, ATTR_IMPRECISE)) return false;
  for (uint32_t i = 0; i < d->acc->n; i++)
    if (d->acc->bits[i] != 0) return false;
  return true;
}

static void dot_alloc(Dot *d) {
  uint64_t x = (uint64_t)d->rows * d->depth, y = (uint64_t)d->depth * d->columns;
  d->block_bytes = (3 * x + 3 * y + 4 * (uint64_t)d->columns + d->rows) * sizeof(double) + d->columns;
  double *at = d->block = eval_block(d->m->memory, d->block_bytes);
  d->v = at, d->r = at + d->columns, d->size = d->r + d->columns, d->e = d->size + d->columns;
  d->x = (DotMatrix){.v = d->e + d->columns};
  d->x.r = d->x.v + x, d->x.e = d->x.r + x;
  d->y = (DotMatrix){.v = d->x.e + x};
  d->y.r = d->y.v + y, d->y.e = d->y.r + y;
  d->kept = (const Common **)(d->y.e + y);
  d->column_state = (uint8_t *)(d->kept + d->rows);
}

// An operand's tile; of one in shared memory `copy` gets what is there.
static const Tile *operand_of(Machine *m, const Op *op, uint32_t index, Tile *copy) {
  const Value *value = op_operand(op, index);
  if (type_is_tile(value->type)) return eval_operand(m, op, index);
  *copy = (Tile){.n = (uint32_t)type_elements(value->type), .code = (ElemCode)value->type->elem};
  eval_tile_alloc(m, copy);
  eval_shared_read(m, value, copy);
  return copy;
}

static void free_copy(Machine *m, const Tile *copy) {
  if (copy->block) eval_block_free(m->memory, copy->block, copy->block_bytes);
}

// The dot's part of k of an operand, where that has more: `along` says whether k is the last dimension.
static const Tile *part_of(Machine *m, const Op *op, const Tile *from, const Type *type, bool along,
                           Tile *copy) {
  DotPart part = dot_part(op);
  if (!op_attr(op, ATTR_PART) || type->shape[along] == part.count) return from;
  uint32_t own = type->shape[along], rows = along ? type->shape[0] : 1, columns = along ? 1 : type->shape[1];
  Tile whole = *copy;
  if (from == copy) from = &whole;
  *copy = (Tile){.n = rows * part.count * columns, .code = from->code};
  eval_tile_alloc(m, copy);
  for (uint32_t i = 0, n = part.count * columns; i < copy->n; i++) {
    Element x = tile_get(from, i / n * own * columns + part.first * columns + i % n);
    tile_set(copy, i, &x);
  }
  free_copy(m, &whole);
  return copy;
}

// What is added to: `zero` where the dot begins anew. NULL with an error reported.
static const Tile *sum_of(Machine *m, const Op *op, Tile *zero) {
  const Tile *acc = eval_operand(m, op, 2), *fresh = eval_operand(m, op, 3);
  if (!fresh) return acc;
  if (fresh->state[0] & UNDEFINED) {
    eval_undefined(m, op, op_operand(op, 3), NO_ELEMENT, "whether the sum begins anew");
    return NULL;
  }
  if (!fresh->bits[0]) return acc;
  Element x = eval_exact(acc->code, 0);
  x.state = fresh->state[0];
  *zero = (Tile){.n = acc->n, .code = acc->code};
  eval_tile_alloc(m, zero);
  eval_fill(zero, &x);
  return zero;
}

bool eval_dot(Machine *m, Op *op) {
  Tile a_copy = {0}, b_copy = {0}, zero = {0};
  const Type *a = op_operand(op, 0)->type, *b = op_operand(op, 1)->type;
  Dot d = {.m = m, .acc = sum_of(m, op, &zero)};
  if (!d.acc) return false;
  d.a = part_of(m, op, operand_of(m, op, 0, &a_copy), a, true, &a_copy);
  d.b = part_of(m, op, operand_of(m, op, 1, &b_copy), b, false, &b_copy);
  Elem elem = (Elem)d.a->code;
  d.to = eval_tile(m, op_result(op));
  d.rows = a->shape[a->rank - 2], d.depth = dot_part(op).count, d.columns = b->shape[b->rank - 1];
  d.meant = dot_extents(op), d.meant.k = dot_depth(op), d.precision = dot_precision(op);
  bool is_float = eval_code_is_float((ElemCode)elem);
  if (is_float) choose_sums(&d, op, elem);
  d.to->sum_ulps =
      is_float && may_begin_with_more(&d, op) ? d.acc_ulps + d.partial / number_u((Elem)d.to->code) : 0;
  dot_alloc(&d);
  uint32_t batches = d.to->n / (d.rows * d.columns);
  for (uint32_t k = 0; k < batches; k++) {
    column_states(&d, k * d.depth * d.columns);
    if (is_float)
      float_matrix(&d, k);
    else
      int_matrix(&d, k);
  }
  eval_dot_begun(m, op, d.to);
  eval_block_free(m->memory, d.block, d.block_bytes);
  free_copy(m, &a_copy);
  free_copy(m, &b_copy);
  free_copy(m, &zero);
  return true;
}
