// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sort and histogram of the evaluator.
#include <math.h>
#include <string.h>
#include "eval/eval_machine.h"
#include "ir/number.h"

// Returns true if x sorts before y. NaN comes last in either direction; -0 is less than +0.
static bool goes_before(ElemCode code, bool descending, const Element *x, const Element *y) {
  if (eval_code_is_float(code)) {
    double a = number_decode((Elem)code, x->bits), b = number_decode((Elem)code, y->bits);
    if (isnan(a) || isnan(b)) return !isnan(a);
    if (a == b) return descending ? !signbit(a) > !signbit(b) : !signbit(a) < !signbit(b);
    return descending ? a > b : a < b;
  }
  bool is_signed = code != CODE_POINTER && elem_is_signed((Elem)code);
  bool less = is_signed ? (int64_t)x->bits < (int64_t)y->bits : x->bits < y->bits;
  return descending ? !less && x->bits != y->bits : less;
}

// Stable, bottom up; `room` has the same number of elements.
static void merge_sort(ElemCode code, bool descending, Element *x, Element *room, uint32_t n) {
  for (uint32_t width = 1; width < n; width *= 2) {
    for (uint32_t start = 0; start < n; start += 2 * width) {
      uint32_t middle = start + width < n ? start + width : n,
               end = n - start > 2 * width ? start + 2 * width : n;
      uint32_t a = start, b = middle;
      for (uint32_t k = start; k < end; k++) {
        bool second = a == middle || (b < end && goes_before(code, descending, &x[b], &x[a]));
        room[k] = x[second ? b++ : a++];
      }
    }
    memcpy(x, room, n * sizeof *x);
  }
}

// The steps that sort a bitonic sequence. The number of elements is a power of two; the elements do not
// matter.
static void merge_bitonic(ElemCode code, bool descending, Element *x, uint32_t n) {
  for (uint32_t apart = n / 2; apart > 0; apart /= 2)
    for (uint32_t i = 0; i < n; i++) {
      Element *low = &x[i], *high = low + apart;
      if ((i & apart) || !goes_before(code, descending, high, low)) continue;
      Element kept = *low;
      *low = *high;
      *high = kept;
    }
}

typedef struct Sorting {
  bool descending, merges;
} Sorting;

static void put_in_order(ElemCode code, Sorting how, Element *x, Element *room, uint32_t n) {
  if (how.merges)
    merge_bitonic(code, how.descending, x, n);
  else
    merge_sort(code, how.descending, x, room, n);
}

// Sorts the upper or lower ends (sign: -1) of the intervals. The k-th end bounds the k-th result.
static void sort_ends(Sorting how, const Element *x, double sign, Element *ends, Element *room, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    ends[i] =
        (Element){.bits = number_encode(ELEM_FP64, x[i].r + (sign == 0 ? 0 : sign * eval_reach(&x[i])))};
  put_in_order((ElemCode)ELEM_FP64, how, ends, room, n);
}

// With bounds, sorts the references separately, and both ends of their intervals too. room: 4 n.
static void sort_line(ElemCode code, Sorting how, Element *x, Element *room, uint32_t n) {
  bool bounded = false;
  unsigned state = 0;
  for (uint32_t i = 0; i < n; i++) {
    bounded |= eval_code_is_float(code) && x[i].e > 0;
    state |= x[i].state & (STATE_MISSING | (x[i].e > 0 ? COMPUTED : 0u));
  }
  Element *references = room + n, *low = references + n, *high = low + n;
  if (bounded) {
    sort_ends(how, x, 0, references, room, n);
    sort_ends(how, x, -1, low, room, n);
    sort_ends(how, x, 1, high, room, n);
  }
  put_in_order(code, how, x, room, n);
  for (uint32_t i = 0; i < n; i++) {
    x[i].state |= (uint8_t)state;
    if (!bounded) continue;
    double r = x[i].r = number_decode(ELEM_FP64, references[i].bits),
           least = number_decode(ELEM_FP64, low[i].bits), most = number_decode(ELEM_FP64, high[i].bits);
    x[i].e = isfinite(r) ? fmax(most - r, r - least) / EVAL_SLACK : 0;
  }
}

static void run_sort(Machine *m, const Op *op, Tile *to) {
  const Tile *from = eval_operand(m, op, 0);
  const Type *type = op_result(op)->type;
  uint32_t axis = (uint32_t)op_int(op, ATTR_AXIS, 0), n = type->shape[axis], inner = 1;
  for (uint32_t d = axis + 1; d < type->rank; d++) inner *= type->shape[d];
  Sorting how = {op_attr(op, ATTR_DESCENDING) != NULL, op_attr(op, ATTR_MERGE) != NULL};
  uint64_t bytes = (uint64_t)n * 5 * sizeof(Element);
  Element *line = eval_block(m->memory, bytes);
  for (uint32_t k = 0; k < to->n / n; k++) {
    uint32_t first = k / inner * n * inner + k % inner;
    for (uint32_t i = 0; i < n; i++) {
      Element x = tile_get(from, first + i * inner);
      line[i] = eval_absorb(&x);
    }
    sort_line(to->code, how, line, line + n, n);
    for (uint32_t i = 0; i < n; i++) tile_set(to, first + i * inner, &line[i]);
  }
  eval_block_free(m->memory, line, bytes);
}

// An element that may or may not count, or has an unknown value, affects every bin.
void eval_count(const Tile *from, const Tile *mask, Tile *bins) {
  unsigned state = 0;
  for (uint32_t i = 0; i < from->n; i++) {
    uint32_t at = mask && mask->n > 1 ? i : 0;
    if (mask) state |= mask->state[at];
    if (mask && !mask->bits[at]) continue;
    state |= from->state[i];
    if (from->bits[i] < bins->n) bins->bits[from->bits[i]]++;
  }
  for (uint32_t i = 0; i < bins->n; i++) bins->state[i] |= (uint8_t)state;
}

static void run_histogram(Machine *m, const Op *op, Tile *to) {
  Element zero = {0};
  eval_fill(to, &zero);
  eval_count(eval_operand(m, op, 0), eval_operand(m, op, 1), to);
}

bool eval_sort(Machine *m, Op *op) {
  Tile *to = eval_tile(m, op_result(op));
  if (op->kind == OP_SORT)
    run_sort(m, op, to);
  else
    run_histogram(m, op, to);
  return true;
}
