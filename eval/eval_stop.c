// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A launch that a stepper watches: calls it before each op, and gives it the values computed so far.
#include "eval/eval_machine.h"

#include <inttypes.h>

#include "ir/number.h"

// The region of a reduction runs once for each pair of elements. It is one op of the source.
static bool is_part(const Op *op) {
  for (const Op *parent = op->region->parent; parent; parent = parent->region ? parent->region->parent : NULL)
    if (parent->kind != OP_IF && !op_is_loop(parent)) return true;
  return false;
}

static bool call(Machine *m, const Op *op, bool failed) {
  EvalStop stop = {.machine = m, .op = op, .failed = failed};
  memcpy(stop.program, m->program, sizeof stop.program);
  memcpy(stop.grid, m->grid, sizeof stop.grid);
  m->stopped = !m->options.step(&stop, m->options.step_data) || failed;
  return !m->stopped;
}

bool eval_stop(Machine *m, const Op *op) {
  if (!m->options.step || m->host || is_part(op)) return true;
  return call(m, op, false);
}

void eval_stop_failed(Machine *m, const Op *op) {
  if (m->options.step && !m->host && !m->stopped && !is_part(op)) call(m, op, true);
}

static const Tile *tile_of(const EvalStop *stop, const Value *value) {
  TypeKind kind = type_element(value->type)->kind;
  const Tile *tile = &stop->machine->values[value->id];
  return (kind == TYPE_SCALAR || kind == TYPE_PTR) && tile->block ? tile : NULL;
}

uint32_t eval_stop_elements(const EvalStop *stop, const Value *value) {
  const Tile *tile = tile_of(stop, value);
  return tile ? tile->n : 0;
}

bool eval_stop_number(const EvalStop *stop, const Value *value, uint32_t i, double *number) {
  const Tile *tile = tile_of(stop, value);
  if (tile->code == CODE_POINTER || tile->state[i] & UNDEFINED) return false;
  Elem elem = (Elem)tile->code;
  *number = elem_is_float(elem)    ? number_decode(elem, tile->bits[i])
            : elem_is_signed(elem) ? (double)(int64_t)tile->bits[i]
                                   : (double)tile->bits[i];
  return true;
}

int64_t eval_stop_integer(const EvalStop *stop, const Value *value, uint32_t i) {
  return (int64_t)tile_of(stop, value)->bits[i];
}

bool eval_stop_wrapped(const EvalStop *stop, const Value *value, uint32_t i) {
  const Tile *tile = tile_of(stop, value);
  return tile->code != CODE_POINTER && tile->wrapped && tile->wrapped[i].at;
}

static void print_pointer(const Machine *m, const Value *value, uint64_t address, Buf *out) {
  int32_t param = pointer_param(value);
  const BufferName *buffer = param >= 0 ? buffer_pointed(m->names, m->name_count, m->args[param].bits) : NULL;
  if (!buffer) buffer = buffer_near(m->names, m->name_count, address);
  if (buffer)
    buf_printf(out, "%s[%" PRId64 "]", buffer->name, buffer_index(buffer, address));
  else
    buf_printf(out, "0x%" PRIx64, address);
}

void eval_stop_print(const EvalStop *stop, const Value *value, uint32_t i, Buf *out) {
  const Tile *tile = tile_of(stop, value);
  uint64_t bits = tile->bits[i];
  if (tile->state[i] & UNDEFINED)
    buf_text(out, "undefined");
  else if (tile->code == CODE_POINTER)
    print_pointer(stop->machine, value, bits, out);
  else if (eval_code_is_float(tile->code))
    buf_printf(out, "%.6g", number_decode((Elem)tile->code, bits));
  else if (tile->code == ELEM_I1)
    buf_text(out, bits & 1 ? "True" : "False");
  else if (elem_is_signed((Elem)tile->code))
    buf_printf(out, "%" PRId64, (int64_t)bits);
  else
    buf_printf(out, "%" PRIu64, bits);
}
