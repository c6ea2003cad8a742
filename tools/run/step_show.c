// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of a stopped launch as text.
#include "tools/run/step.h"

#include <math.h>

enum { FEW = 8, FIRST = 6 };

static void print_type(const Value *value, Buf *out) {
  const Type *element = type_element(value->type);
  if (element->kind == TYPE_PTR) {
    type_print(element, out);
  } else
    buf_text(out, elem_info(element->elem)->name);
  for (uint32_t d = 0; d < value->type->rank; d++)
    buf_printf(out, "%s%u", d ? "," : "[", value->type->shape[d]);
  if (value->type->rank) buf_char(out, ']');
}

// "[3]" or "[1,2]", from `first` on (NULL: 0); nothing for a scalar.
static void print_index(uint32_t rank, const uint32_t *shape, const uint32_t *first, uint64_t i, Buf *out) {
  uint64_t index[TILE_MAX_RANK];
  for (uint32_t d = rank; d-- > 0; i /= shape[d]) index[d] = (first ? first[d] : 0) + i % shape[d];
  for (uint32_t d = 0; d < rank; d++) buf_printf(out, "%s%llu", d ? "," : "[", (unsigned long long)index[d]);
  if (rank) buf_char(out, ']');
}

// "[0:4,0:16]" if the true elements are a box; nothing otherwise.
static void print_box(const EvalStop *stop, const Value *value, uint32_t n, uint32_t count, Buf *out) {
  const Type *type = value->type;
  uint32_t least[TILE_MAX_RANK], most[TILE_MAX_RANK] = {0}, inside = 1;
  memset(least, 0xff, sizeof least);
  for (uint32_t i = 0; i < n; i++) {
    double x = 0;
    if (!eval_stop_number(stop, value, i, &x) || x == 0) continue;
    for (uint32_t d = type->rank, left = i; d-- > 0; left /= type->shape[d]) {
      uint32_t at = left % type->shape[d];
      if (at < least[d]) least[d] = at;
      if (at > most[d]) most[d] = at;
    }
  }
  for (uint32_t d = 0; d < type->rank; d++) inside *= most[d] + 1 - least[d];
  if (inside != count) return;
  for (uint32_t d = 0; d < type->rank; d++)
    buf_printf(out, "%s%u:%u", d ? "," : ": [", least[d], most[d] + 1);
  buf_char(out, ']');
}

// A mask: how many elements are true, and which.
static void print_mask(const EvalStop *stop, const Value *value, uint32_t n, Buf *out) {
  uint32_t count = 0, undefined = 0;
  for (uint32_t i = 0; i < n; i++) {
    double x = 0;
    undefined += !eval_stop_number(stop, value, i, &x);
    count += x != 0;
  }
  if (count == n)
    buf_text(out, "all True");
  else if (!count && !undefined)
    buf_text(out, "all False");
  else {
    buf_printf(out, "%u of %u True", count, n);
    if (count) print_box(stop, value, n, count, out);
  }
  if (undefined) buf_printf(out, ", %u undefined", undefined);
}

// Elements that wrapped in an integer type, and those that a load's mask left out.
static void print_notes(const EvalStop *stop, const Value *value, uint32_t n, Buf *out) {
  const Op *def = value->def;
  const Value *mask = def && def->kind == OP_LOAD && op_input_count(def) > 1 ? op_operand(def, 1) : NULL;
  uint32_t wrapped = 0, masked = 0;
  for (uint32_t i = 0; i < n; i++) {
    double x;
    wrapped += eval_stop_wrapped(stop, value, i);
    masked += mask && eval_stop_elements(stop, mask) == n && eval_stop_number(stop, mask, i, &x) && x == 0;
  }
  if (wrapped && n == 1) buf_text(out, ", wrapped");
  if (wrapped && n > 1) buf_printf(out, ", %u wrapped", wrapped);
  if (masked) buf_printf(out, ", %u masked off", masked);
}

static void print_range(const EvalStop *stop, const Value *value, uint32_t n, Buf *out) {
  double min = INFINITY, max = -INFINITY;
  uint32_t undefined = 0, nans = 0;
  for (uint32_t i = 0; i < n; i++) {
    double x;
    if (!eval_stop_number(stop, value, i, &x)) {
      undefined++;
      continue;
    }
    nans += isnan(x);
    min = fmin(min, x);
    max = fmax(max, x);
  }
  if (min <= max) buf_printf(out, ", min %.6g max %.6g", min, max);
  if (nans) buf_printf(out, ", %u NaN", nans);
  if (undefined) buf_printf(out, ", %u undefined", undefined);
}

void step_print_summary(const EvalStop *stop, const Variable *variable, Buf *out) {
  const Value *value = variable->value;
  uint32_t n = eval_stop_elements(stop, value);
  const Type *element = type_element(value->type);
  buf_printf(out, "  %-10s ", variable->name);
  if (!n) {
    type_print(value->type, out);
    buf_char(out, '\n');
    return;
  }
  size_t start = out->n;
  print_type(value, out);
  buf_spaces(out, out->n - start < 12 ? (int)(12 - (out->n - start)) : 0);
  buf_char(out, ' ');
  bool is_mask = element->kind == TYPE_SCALAR && element->elem == ELEM_I1;
  if (is_mask && n > 1) {
    print_mask(stop, value, n, out);
  } else {
    for (uint32_t i = 0; i < n; i++) {
      if (n > FEW && i == FIRST) {
        buf_text(out, "... ");
        i = n - 1;
      }
      eval_stop_print(stop, value, i, out);
      if (i + 1 < n) buf_char(out, ' ');
    }
    if (n > FEW && element->kind == TYPE_SCALAR) print_range(stop, value, n, out);
    if (element->kind == TYPE_SCALAR) print_notes(stop, value, n, out);
  }
  buf_char(out, '\n');
}

typedef struct TileRows {
  const EvalStop *stop;
  const Value *value;
} TileRows;

static void tile_index(const void *of, uint64_t i, Buf *out) {
  const Type *type = ((const TileRows *)of)->value->type;
  print_index(type->rank, type->shape, NULL, i, out);
}

static void tile_element(const void *of, uint64_t i, Buf *out) {
  const TileRows *tile = of;
  eval_stop_print(tile->stop, tile->value, (uint32_t)i, out);
}

void step_print_elements(const EvalStop *stop, const Value *value, uint32_t begin, uint32_t end, Buf *out) {
  const TileRows tile = {stop, value};
  uint32_t rank = value->type->rank;
  run_print_rows(&(Rows){.of = &tile,
                         .index = tile_index,
                         .element = tile_element,
                         .begin = begin,
                         .end = end,
                         .row = rank ? value->type->shape[rank - 1] : 1},
                 out);
}

typedef struct BufferRows {
  const Argument *buffer;
  const uint8_t *bytes, *written;
} BufferRows;

static void buffer_position(const void *of, uint64_t i, Buf *out) {
  buf_char(out, '[');
  argument_index(((const BufferRows *)of)->buffer, i, ",", out);
  buf_char(out, ']');
}

static void buffer_element(const void *of, uint64_t i, Buf *out) {
  const BufferRows *rows = of;
  if (rows->written && !rows->written[i * elem_bytes(rows->buffer->elem)])
    buf_text(out, "unwritten");
  else
    run_print_element(rows->buffer, rows->bytes, i, out);
}

void step_print_buffer(const Argument *buffer, const uint8_t *bytes, const uint8_t *written, uint64_t begin,
                       uint64_t end, Buf *out) {
  const BufferRows rows = {buffer, bytes, written};
  run_print_rows(&(Rows){.of = &rows,
                         .index = buffer_position,
                         .element = buffer_element,
                         .begin = begin,
                         .end = end,
                         .row = buffer->rank ? buffer->shape[buffer->rank - 1] : 1},
                 out);
}

static void numbers_index(const void *of, uint64_t i, Buf *out) {
  const StepNumbers *numbers = of;
  print_index(numbers->rank, numbers->shape, numbers->first, i, out);
}

static void numbers_element(const void *of, uint64_t i, Buf *out) {
  const StepNumbers *numbers = of;
  const StepNumber *x = &numbers->at[i];
  if (x->undefined)
    buf_text(out, "undefined");
  else if (numbers->kind == STEP_FLOAT)
    buf_printf(out, "%.6g", x->f);
  else if (numbers->kind == STEP_BOOL)
    buf_text(out, x->i ? "True" : "False");
  else
    buf_printf(out, "%lld", (long long)x->i);
}

void step_print_numbers(Str name, const StepNumbers *numbers, uint32_t shown, Buf *out) {
  static const char *const kinds[] = {"bool", "int", "float"};
  buf_printf(out, "  %.*s  %s", STR_ARG(name), kinds[numbers->kind]);
  for (uint32_t d = 0; d < numbers->rank; d++) buf_printf(out, "%s%u", d ? "," : "[", numbers->shape[d]);
  buf_text(out, numbers->rank ? "]" : "  ");
  if (!numbers->rank) numbers_element(numbers, 0, out);
  buf_char(out, '\n');
  if (!numbers->rank || !numbers->n) return;
  uint32_t end = numbers->n < shown ? numbers->n : shown;
  run_print_rows(&(Rows){.of = numbers,
                         .index = numbers_index,
                         .element = numbers_element,
                         .end = end,
                         .row = numbers->shape[numbers->rank - 1]},
                 out);
  if (end < numbers->n) buf_printf(out, "  ... (%u more)\n", numbers->n - end);
}
