// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Op `dot` of the evaluator: acc + a b over the last two dimensions, for each matrix of the batch.
//
// Sums are computed in double (integers: modulo 2^64) over contiguous rows. v is rounded once at the end: one
// of the results that the order of summation allows.
//
// e is the sum of the bounds of a b and acc, and of the rounding errors of n sums.
// * Rounding to nearest, with a free order of terms, adds 2 sqrt(n) u sum|x|.
// * Tensor cores truncate toward zero instead. They truncate each a b when they align it with the largest
//   term, acc included, and the sum once per instruction. For many terms this is more: 5/16 n u sum|x|.
//
// u is the accumulator's. For fp8 it is the tensor core's, which keeps about 14 bits of its sums. If it adds
// to acc directly, that includes acc.
//
// A dot that starts at zero may start with the value it is added to later (accumulate): Tile.sum_ulps.
#include <math.h>
#include <string.h>
#include "ir/dot/dot.h"
#include "eval/eval_machine.h"
#include "ir/number.h"

// One row-major matrix of the batch: values, references and bounds, and the state of each row or column.
typedef struct DotMatrix {
  double *v, *r, *e;
  bool inexact; // r differs from v somewhere, or e is not 0
} DotMatrix;

typedef struct Dot {
  Machine *m;
  const Tile *a, *b, *acc;
  const Tile *scales[2]; // of a and b; NULL: they have none
  uint32_t group;        // numbers of a scale
  Tile *to;
  uint32_t rows, columns, depth;
  DotExtents meant; // Rows, columns and depth without padding.
  Fp32Dot precision;
  double ulps;     // Error of order and rounding of its sums, in u of the size of the a b terms.
  double acc_ulps; // In u of acc's size.
  double partial;  // Relative error of fp8's partial sums.
  bool direct;     // The partial sums start with acc.
  DotMatrix x, y;
  double *v, *r, *size, *e; // One row of the result.
  uint8_t *column_state;
  const Common **kept; // By row of the first operand: the error that its elements and acc's share.
  void *block;
  uint64_t block_bytes;
} Dot;

// The error of one input of a dot. u: relative. step: absolute, below the smallest numbers of the narrower
// type.
//
// tf32x3: three dots of tf32 halves drop what is below 2^-20, and rounding each remainder loses the same
// order.
//
// bf16: the second piece is at most 2^-8 of the number. Two pieces leave 2^-17, three leave nothing. So
// bf16x3 drops 2^-16 where second pieces meet, and 2^-17 of each input. And bf16x6 drops 2 2^-8 2^-17, where
// second pieces meet third ones.
static const struct {
  double u, step;
} input_error[FP32_DOT_COUNT] = {[FP32_DOT_TF32] = {0x1p-10, 0x1p-136},
                                 [FP32_DOT_TF32X3] = {0x1.8p-20, 0x1p-136},
                                 [FP32_DOT_BF16X3] = {0x1.01p-16, 0x1p-134},
                                 [FP32_DOT_BF16X6] = {0x1.01p-25, 0x1p-134}};

#define TF32_STEP 0x1p-136 // distance between tf32's subnormals

// Rounds to the nearest number with 10 stored mantissa bits.
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

// The part of an fp32 number that n pieces of bf16 represent, each the nearest to the remainder.
static double bf16_pieces(double v, uint32_t n) {
  double sum = 0;
  for (uint32_t i = 0; i < n && isfinite(sum); i++) sum += number_round(ELEM_BF16, v - sum);
  return sum;
}

// The part of a number that takes part in the dot. *exact: the part for which no term is dropped.
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

// The shared error of all elements of a row except exact zeros. *none: all are exact zeros.
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

// A row's factor is the factor of its sums, if acc has the same factor or is zero.
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

// `columns`: of the first operand, whose rows may keep their shared errors; 0: the second operand.
static Element operand_element(const Dot *d, const Tile *from, uint32_t first, uint32_t i, uint32_t columns) {
  Element x = tile_get(from, first + i);
  return columns && d->kept[i / columns] ? eval_without_common(&x) : eval_absorb(&x);
}

static void load_matrix(const Dot *d, DotMatrix *to, const Tile *from, uint32_t first, uint32_t n,
                        uint32_t columns) {
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

// A scale, *v: its value. It is a power of two, or NaN; of e4m3 the size of the number.
static Element scale_of(const Tile *scales, uint32_t i, double *v) {
  Element x = tile_get(scales, i);
  uint32_t byte = (uint32_t)x.bits & UINT8_MAX;
  if (scales->code == (ElemCode)ELEM_FP8E4NV) {
    x = eval_absorb(&x);
    x.r = fabs(x.r);
    *v = fabs(number_decode(ELEM_FP8E4NV, byte));
    return x;
  }
  *v = byte == UINT8_MAX ? NAN : ldexp(1, (int)byte - INT8_MAX);
  return (Element){.r = *v};
}

// Multiplies an operand by its n scales along k for each row or column. Those and k are `outer_step` and `k_step` apart.
static void scale_matrix(const Dot *d, DotMatrix *x, const Tile *scales, uint32_t outer_step,
                         uint32_t k_step) {
  uint32_t n = d->depth / d->group;
  for (uint32_t i = 0; i < scales->n; i++) {
    double v;
    Element s = scale_of(scales, i, &v);
    for (uint32_t k = i % n * d->group; k < (i % n + 1) * d->group; k++) {
      uint32_t at = i / n * outer_step + k * k_step;
      double e = x->e[at] * (s.r + s.e) + fabs(x->r[at]) * s.e;
      x->v[at] *= v, x->r[at] *= s.r, x->e[at] = isfinite(e) ? e : 0;
    }
  }
  x->inexact = true;
}

// The scales' states, for each row or column.
static unsigned scale_state(const Dot *d, const Tile *scales, uint32_t outer) {
  unsigned state = 0;
  for (uint32_t i = 0; scales && i < d->depth / d->group; i++)
    state |= scales->state[outer * (d->depth / d->group) + i];
  return state;
}

// UNDEFINED and UNCERTAIN of a row of a affect the whole row of the result.
static unsigned row_state(const Dot *d, uint32_t row, uint32_t first) {
  unsigned state = row < d->meant.m ? scale_state(d, d->scales[0], row) : UNDEFINED;
  for (uint32_t k = 0; k < d->meant.k; k++) state |= d->a->state[first + k];
  return state;
}

static void column_states(const Dot *d, uint32_t first) {
  memset(d->column_state, 0, d->columns);
  memset(d->column_state + d->meant.n, UNDEFINED, d->columns - d->meant.n);
  for (uint32_t j = 0; d->scales[1] && j < d->columns; j++)
    d->column_state[j] = (uint8_t)scale_state(d, d->scales[1], j);
  for (uint32_t k = 0; k < d->meant.k; k++)
    for (uint32_t j = 0; j < d->columns; j++) d->column_state[j] |= d->b->state[first + k * d->columns + j];
}

// Adds a term to each sum of a row whose operands have no error: r is v.
static void add_exact(const Dot *d, double x, const double *restrict y) {
  double *restrict v = d->v, *restrict size = d->size;
  for (uint32_t j = 0; j < d->columns; j++) {
    double term = x * y[j];
    v[j] += term;
    size[j] += fabs(term);
  }
}

// The same with errors. One loop loads each number once.
static void add_inexact(const Dot *d, uint32_t at, uint32_t row) {
  double *restrict v = d->v, *restrict r = d->r, *restrict size = d->size, *restrict e = d->e;
  const double *restrict yv = d->y.v + row, *restrict yr = d->y.r + row, *restrict ye = d->y.e + row;
  double xv = d->x.v[at], xr = d->x.r[at], xe = d->x.e[at];
  for (uint32_t j = 0; j < d->columns; j++) {
    double term = xr * yr[j];
    v[j] += xv * yv[j];
    r[j] += term;
    size[j] += fabs(term);
    e[j] = e[j] + fabs(xr * ye[j]) + fabs(xe * yr[j]) + EVAL_SLACK * xe * ye[j];
  }
}

// Computes row i of the sums of a b.
static void sum_row(const Dot *d, uint32_t i) {
  memset(d->v, 0, 4 * (size_t)d->columns * sizeof(double)); // v, r, size and e are contiguous
  bool inexact = d->x.inexact || d->y.inexact;
  for (uint32_t k = 0; k < d->meant.k; k++) {
    uint32_t at = i * d->depth + k, row = k * d->columns;
    if (inexact)
      add_inexact(d, at, row);
    else
      add_exact(d, d->x.v[at], d->y.v + row);
  }
  if (!inexact) memcpy(d->r, d->v, d->columns * sizeof(double));
}

// The error when the tensor core truncates the terms of an fp8 dot. It aligns an instruction's terms with the
// largest one and keeps 13 bits after the first. This is undocumented, so 12 are assumed here. A partial sum
// is at most the sum of all terms of one sign. An a b term has 8 bits, so a large one loses nothing. A small
// one loses at most itself. The sum is truncated once per instruction, whose depth is at least 16.
static double cut_off(const Dot *d, uint32_t i, uint32_t j, double acc) {
  enum { PRODUCT_BITS = 8, MIN_DEPTH = 16, KEPT_BITS = 12 };
  double most = (d->size[j] + fabs(d->r[j])) / 2 + (d->direct ? fabs(acc) : 0), sum = 0;
  if (!(most > 0) || !isfinite(most)) return 0;
  double step = ldexp(d->kept[i] ? most : ldexp(1, ilogb(most)), -KEPT_BITS),
         whole = ldexp(step, PRODUCT_BITS - 1);
  for (uint32_t k = 0; k < d->meant.k; k++) {
    double size = fabs(d->x.r[i * d->depth + k] * d->y.r[k * d->columns + j]);
    if (size < whole) sum += fmin(size, step);
  }
  return sum + step * ceil(d->meant.k / (double)MIN_DEPTH);
}

// Finishes row i; `first`: the index of its first element in the result.
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
  if (d->scales[0]) scale_matrix(d, &d->x, d->scales[0], d->depth, 1);
  if (d->scales[1]) scale_matrix(d, &d->y, d->scales[1], 1, d->columns);
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

// Rounding error of a sum of n terms, in u of their size.
static double sum_roundings(double n, bool cuts_off) {
  double nearest = 2 * sqrt(n + 1);
  return cuts_off ? fmax(nearest, (n + 1) * 5 / 16) : nearest;
}

// For fp8 the tensor core sums `imprecise` terms, but at least one instruction's, before it adds them to acc
// in fp32. If `imprecise` is not given or covers all of k, the sum starts with acc.
static void choose_sums(Dot *d, const Op *op, Elem elem) {
  const Attr *imprecise = op_attr(op, ATTR_IMPRECISE);
  double depth = d->depth;
  bool tensor_core = elem_info(elem)->bits <= 16 || d->precision != FP32_DOT_IEEE;
  d->ulps = d->acc_ulps = sum_roundings(depth, tensor_core);
  if (fp32_dot_splits(d->precision)) { // several dots, added to acc at the end; or multiply-adds
    d->ulps = sum_roundings((d->precision == FP32_DOT_BF16X6 ? 6 : 3) * depth, true);
    d->acc_ulps = sum_roundings(depth, false);
  }
  d->direct = !imprecise || (double)imprecise->i >= depth;
  if (elem_info(elem)->bits != 8) return;
  double terms = d->direct ? depth : fmax((double)imprecise->i, 32);
  d->partial = sum_roundings(fmin(terms, depth), true) * 0x1p-13;
}

// Returns true if accumulate may merge the dot: it starts at zero, is not fp16, and has no `imprecise`.
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

// An operand's tile. For an operand in shared memory, `copy` receives the contents.
static const Tile *operand_of(Machine *m, const Op *op, uint32_t index, Tile *copy) {
  const Value *value = op_operand(op, index);
  if (value->type->kind != TYPE_SHARED) return eval_operand(m, op, index);
  *copy = (Tile){.n = (uint32_t)type_elements(value->type), .code = (ElemCode)value->type->elem};
  eval_tile_alloc(m, copy);
  eval_shared_read(m, value, copy);
  return copy;
}

static void free_copy(Machine *m, const Tile *copy) {
  if (copy->block) eval_block_free(m->memory, copy->block, copy->block_bytes);
}

// The dot's part of k if the operand has more. `along`: k is the last dimension.
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

// The e2m1 numbers of bytes, in pairs along k, as fp8. The numbers of one k are `inner` bytes.
static const Tile *unpack_pairs(Machine *m, const Tile *bytes, uint32_t inner, Tile *to) {
  static const uint8_t magnitudes[] = {0, 0x30, 0x38, 0x3c, 0x40, 0x44, 0x48, 0x4c};
  *to = (Tile){.n = 2 * bytes->n, .code = (ElemCode)ELEM_FP8E4NV};
  eval_tile_alloc(m, to);
  for (uint32_t i = 0; i < to->n; i++) {
    uint32_t k = i / inner, at = k / 2 * inner + i % inner, code = (uint32_t)bytes->bits[at] >> k % 2 * 4;
    Element x = eval_exact(to->code, magnitudes[code & 7] | (code & 8) << 4);
    x.state = bytes->state[at];
    tile_set(to, i, &x);
  }
  return to;
}

// The accumulator: `zero` if the dot starts from zero. NULL with a reported error.
static const Tile *sum_of(Machine *m, const Op *op, Tile *zero) {
  const Tile *acc = eval_operand(m, op, 2), *fresh = eval_operand(m, op, 3);
  bool zero_only = fresh && fresh->bits[0];
  if (op_operand(op, 2)->type->kind == TYPE_TMEM && !zero_only && !eval_tmem_current(m, op, 2)) return NULL;
  if (!fresh) return acc;
  if (fresh->state[0] & UNDEFINED) {
    eval_undefined(m, op, op_operand(op, 3), NO_ELEMENT, "whether the sum starts from zero");
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
  Tile a_copy = {0}, b_copy = {0}, zero = {0}, scale_copies[2] = {0}, a_pairs = {0}, b_pairs = {0};
  const Type *a = op_operand(op, 0)->type, *b = op_operand(op, 1)->type;
  Dot d = {.m = m, .acc = sum_of(m, op, &zero)};
  if (!d.acc || (a->kind == TYPE_TMEM && !eval_tmem_current(m, op, 0))) return false;
  d.a = part_of(m, op, operand_of(m, op, 0, &a_copy), a, true, &a_copy);
  d.b = part_of(m, op, operand_of(m, op, 1, &b_copy), b, false, &b_copy);
  for (uint32_t i = 0; dot_is_scaled(op) && i < 2; i++)
    d.scales[i] = operand_of(m, op, DOT_SCALE_A + i, &scale_copies[i]);
  uint32_t numbers = dot_has_pairs(op) ? 2 : 1; // of an element
  if (numbers == 2) {
    d.a = unpack_pairs(m, d.a, 1, &a_pairs);
    d.b = unpack_pairs(m, d.b, b->shape[1], &b_pairs);
  }
  Elem elem = (Elem)d.a->code;
  d.to = eval_tile(m, op_result(op));
  d.rows = a->shape[a->rank - 2], d.depth = numbers * dot_part(op).count, d.columns = b->shape[b->rank - 1];
  d.meant = dot_extents(op), d.meant.k = numbers * dot_depth(op), d.precision = dot_precision(op);
  d.group = numbers * dot_scale_group(op);
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
  if (op_result(op)->type->kind == TYPE_TMEM) eval_tmem_change(m, d.to, eval_operand(m, op, 2)->tmem_slot);
  eval_block_free(m->memory, d.block, d.block_bytes);
  free_copy(m, &a_copy);
  free_copy(m, &b_copy);
  free_copy(m, &zero);
  free_copy(m, &a_pairs);
  free_copy(m, &b_pairs);
  for (uint32_t i = 0; i < 2; i++) free_copy(m, &scale_copies[i]);
  return true;
}
