// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Print and assert of the evaluator. Prints one line per element: `pid (0, 0, 0) idx ( 3) prefix: 1.5`. With
// several operands: `... prefix: (operand 1) 1.5`. Without a prefix: `idx ( 3): 1.5`. Indices are padded to
// the width of the dimension's last index.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "eval/eval_machine.h"
#include "base/fault.h"
#include "base/integer.h"
#include "ir/number.h"

// Prints nothing and returns false for a padding element.
static bool print_index(Buf *out, const Type *type, uint32_t element, const int64_t *sizes) {
  uint32_t index[TILE_MAX_RANK];
  for (uint32_t d = type->rank; d-- > 0; element /= type->shape[d]) {
    index[d] = element % type->shape[d];
    if (sizes && index[d] >= sizes[d]) return false;
  }
  buf_text(out, " idx (");
  for (uint32_t d = 0; d < type->rank; d++)
    buf_printf(out, "%s%*u", d ? ", " : "",
               (int)digit_count((sizes ? (uint64_t)sizes[d] : type->shape[d]) - 1), index[d]);
  buf_char(out, ')');
  return true;
}

// The prefix in the source may include spaces and the colon.
static void print_prefix(Buf *out, const Op *op) {
  const Attr *attr = op_attr(op, ATTR_PREFIX);
  const char *text = attr ? attr->str : "";
  size_t n = strlen(text);
  while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == ':')) n--;
  while (n > 0 && *text == ' ') text++, n--;
  if (n > 0) buf_char(out, ' ');
  buf_str(out, (Str){text, n});
  buf_text(out, ": ");
}

static void print_value(Buf *out, ElemCode code, const Element *x, bool hex) {
  if (x->state & UNDEFINED) {
    buf_text(out, "undefined");
  } else if (hex || code == CODE_POINTER) {
    int digits = 2 * (int)eval_code_bytes(code);
    uint64_t bits = digits == 16 ? x->bits : x->bits & (((uint64_t)1 << 4 * digits) - 1);
    buf_printf(out, "0x%0*" PRIx64, digits, bits);
  } else if (eval_code_is_float(code)) {
    buf_double(out, number_decode((Elem)code, x->bits));
  } else if (elem_is_signed((Elem)code)) {
    buf_printf(out, "%" PRId64, (int64_t)x->bits);
  } else {
    buf_printf(out, "%" PRIu64, x->bits);
  }
}

typedef struct Printing {
  Machine *m;
  const Op *op;
  Buf line;
} Printing;

static void print_element(Printing *p, uint32_t operand, uint32_t i) {
  const Tile *tile = eval_operand(p->m, p->op, operand);
  Element x = tile_get(tile, i);
  buf_reset(&p->line);
  buf_printf(&p->line, "pid (%u, %u, %u)", p->m->program[0], p->m->program[1], p->m->program[2]);
  if (!print_index(&p->line, op_operand(p->op, operand)->type, i, op_printed_sizes(p->op, operand))) return;
  print_prefix(&p->line, p->op);
  if (p->op->operand_count > 1) buf_printf(&p->line, "(operand %u) ", operand);
  print_value(&p->line, tile->code, &x, op_attr(p->op, ATTR_HEX) != NULL);
  p->m->options.print(p->line.at, p->m->options.print_data);
}

static void print_all(void *data) {
  Printing *p = data;
  for (uint32_t k = 0; k < p->op->operand_count; k++)
    for (uint32_t i = 0; i < eval_operand(p->m, p->op, k)->n; i++) print_element(p, k, i);
  if (p->op->operand_count > 0) return;
  buf_printf(&p->line, "pid (%u, %u, %u) ", p->m->program[0], p->m->program[1], p->m->program[2]);
  const Attr *prefix = op_attr(p->op, ATTR_PREFIX);
  buf_text(&p->line, prefix ? prefix->str : "");
  p->m->options.print(p->line.at, p->m->options.print_data);
}

// A condition that depends on rounding is no failure.
static bool run_assert(Machine *m, const Op *op) {
  const Tile *condition = eval_operand(m, op, 0);
  const Attr *message = op_attr(op, ATTR_MESSAGE);
  for (uint32_t i = 0; i < condition->n; i++) {
    if (!eval_defined(m, op, 0, i, "the assertion's condition")) return false;
    if (condition->bits[i] || state_is_doubtful(condition->state[i])) continue;
    return eval_error(m, op, i, "[T1401] assertion failed: %s", message ? message->str : "");
  }
  return true;
}

static void free_line(void *data) { buf_free(&((Printing *)data)->line); }

bool eval_debug(Machine *m, Op *op) {
  if (op->kind == OP_ASSERT) return run_assert(m, op);
  if (!m->options.print) return true;
  Printing p = {.m = m, .op = op};
  fault_guard(print_all, free_line, &p);
  return true;
}
