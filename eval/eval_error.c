// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Error messages of the evaluator: the program, the element, and the origin of an undefined element.
#include <stdarg.h>
#include <stdio.h>
#include "eval/eval_machine.h"

const Type *eval_shape(const Op *op) {
  if (op->kind == OP_BLOCK_STORE) return op->operands[1].value->type;
  return op->result_count == 1 ? op->results[0].type : op->operand_count ? op->operands[0].value->type : NULL;
}

void eval_place_element(const Type *type, uint32_t element, char *text, size_t room) {
  uint32_t index[TILE_MAX_RANK];
  if (type->rank == 1) {
    snprintf(text, room, ", element %u", element);
    return;
  }
  for (uint32_t d = type->rank; d-- > 0; element /= type->shape[d]) index[d] = element % type->shape[d];
  size_t n = (size_t)snprintf(text, room, ", element [");
  for (uint32_t d = 0; d < type->rank; d++)
    n += (size_t)snprintf(text + n, room - n, "%s%u", d ? ", " : "", index[d]);
  snprintf(text + n, room - n, "]");
}

// The longest text has five indices of seven digits and three of ten. It is shorter than EVAL_PLACE.
void eval_place(const Machine *m, const Op *op, uint32_t element, char *text) {
  const Type *type = eval_shape(op);
  size_t n = m->host
                 ? (size_t)snprintf(text, EVAL_PLACE, "in the %s expression", host_info(m->host->kind)->name)
                 : (size_t)snprintf(text, EVAL_PLACE, "in program (%u, %u, %u)", m->program[0], m->program[1],
                                    m->program[2]);
  if (element != NO_ELEMENT && type && type_is_tile(type))
    eval_place_element(type, element, text + n, EVAL_PLACE - n);
}

// Says the element in the facts, as eval_place does in the text.
static void place_run(DiagRun *run, const Op *op, uint32_t element) {
  const Type *type = eval_shape(op);
  if (element == NO_ELEMENT || !type || !type_is_tile(type)) return;
  run->element_rank = type->rank;
  for (uint32_t d = type->rank; d-- > 0; element /= type->shape[d])
    run->element[d] = element % type->shape[d];
}

static Diag *diag_at(Machine *m, const Op *op, uint32_t element, bool warns, const char *format,
                     va_list args) {
  char text[512], where[EVAL_PLACE];
  vsnprintf(text, sizeof text, format, args);
  eval_place(m, op, element, where);
  Diag *diag = warns ? diag_warning(m->diags, op->loc, "%s, %s", text, where)
                     : diag_error(m->diags, op->loc, "%s, %s", text, where);
  if (!m->host) place_run(eval_diag_run(m, diag, "evaluation", NULL, 0), op, element);
  return diag;
}

Diag *eval_diag(Machine *m, const Op *op, uint32_t element, const char *format, ...) {
  va_list args;
  va_start(args, format);
  Diag *diag = diag_at(m, op, element, false, format, args);
  va_end(args);
  return diag;
}

static Diag *warn_at(Machine *m, const Op *op, uint32_t element, const char *format, ...) {
  va_list args;
  va_start(args, format);
  Diag *diag = diag_at(m, op, element, true, format, args);
  va_end(args);
  return diag;
}

bool eval_error(Machine *m, const Op *op, uint32_t element, const char *format, ...) {
  va_list args;
  va_start(args, format);
  diag_at(m, op, element, false, format, args);
  va_end(args);
  return false;
}

bool eval_on_host(Machine *m, const Op *op, const char *what) {
  return eval_error(m, op, NO_ELEMENT, "[T0000] a %s expression cannot %s", host_info(m->host->kind)->name,
                    what);
}

// For an op that moves or combines elements: any undefined element of an operand; *i is its index.
static const Value *any_undefined(const Machine *m, const Op *op, uint32_t *i) {
  for (uint32_t k = 0; k < op->operand_count; k++) {
    const Tile *t = eval_operand(m, op, k);
    for (uint32_t at = 0; at < t->n; at++) {
      if (!(t->state[at] & UNDEFINED)) continue;
      *i = at;
      return op->operands[k].value;
    }
  }
  return NULL;
}

// The operand that made element *i of the op's result undefined; *i becomes its element. NULL if the op
// itself did.
static const Value *undefined_operand(const Machine *m, const Op *op, uint32_t *i) {
  bool in_place = op_has(op, ELEMENTWISE) || op->kind == OP_SPLAT || op->kind == OP_CONVERT_LAYOUT ||
                  op->kind == OP_RESHAPE || op->kind == OP_EXPAND_DIMS;
  if (!in_place) return op_has_any(op, COMBINES | PURE) ? any_undefined(m, op, i) : NULL;
  for (uint32_t k = 0; k < op->operand_count; k++) {
    const Tile *t = eval_operand(m, op, k);
    uint32_t at = t->n == 1 ? 0 : *i;
    if (at >= t->n || !(t->state[at] & UNDEFINED)) continue;
    if (op->kind == OP_SELECT && k > 0) {
      const Tile *condition = eval_operand(m, op, 0);
      if (condition->bits[condition->n == 1 ? 0 : *i] != (k == 1)) continue;
    }
    *i = at;
    return op->operands[k].value;
  }
  return NULL;
}

static const char *undefined_because(const Machine *m, const Op *op, uint32_t i) {
  const Tile *mask = NULL;
  switch ((int)op->kind) {
  case OP_DIV:
  case OP_REM:
    return "an integer is divided by zero here: choose another divisor for these elements, with tl.where";
  case OP_GATHER: return "the index is out of range here, or the element that it selects is undefined";
  case OP_BLOCK_LOAD:
    return "the block reaches outside the tensor here without padding_option, or reads memory that was never "
           "written";
  case OP_ATOMIC_RMW: return "the atomic is masked off here";
  case OP_LOAD:
    mask = eval_operand(m, op, 1);
    if (mask && !mask->bits[mask->n == 1 ? 0 : i])
      return "the load is masked off here, and gives no `other` value: add one that keeps the result, such "
             "as `other=0.0` for a sum";
    return "the load reads memory that was never written: fill the buffer before, as torch.zeros does";
  default: return NULL;
  }
}

// "the value to store in out[3] of 256": for a store, names the target element and buffer.
static Diag *undefined_at(Machine *m, const Op *op, const Value *operand, uint32_t element, const char *what,
                          bool warns) {
  Diag *(*say)(Machine *, const Op *, uint32_t, const char *, ...) = warns ? warn_at : eval_diag;
  bool stored = op->kind == OP_STORE && operand == op->operands[1].value;
  const Tile *pointer = stored ? eval_operand(m, op, 0) : NULL;
  uint64_t address = pointer ? pointer->bits[pointer->n == 1 || element == NO_ELEMENT ? 0 : element] : 0;
  const BufferName *buffer = pointer ? eval_buffer_named(m, op, address, true) : NULL;
  if (!buffer) return say(m, op, element, "[T1301] %s is undefined", what);
  Buf place = {0};
  buffer_place(buffer, address, &place);
  Diag *diag = say(m, op, element, "[T1301] %s in %s is undefined", what, place.at);
  eval_diag_run(m, diag, "undefined", buffer, address);
  buf_free(&place);
  return diag;
}

// Where element i of the value became undefined. The trace ends at the first element that is defined: masks may have
// changed since.
static Origin find_origin(const Machine *m, const Value *from, uint32_t i) {
  for (;;) {
    const Tile *t = &m->values[from->id];
    if (i >= t->n || !(t->state[i] & UNDEFINED)) return (Origin){0};
    if (m->origins && m->origins[from->id].op) return m->origins[from->id];
    const Op *op = from->def;
    if (!op) return (Origin){0};
    from = undefined_operand(m, op, &i);
    if (!from) return (Origin){op, undefined_because(m, op, i)};
  }
}

void eval_carry_origin(Machine *m, const Value *to, const Value *from) {
  const Tile *t = &m->values[to->id];
  uint32_t i = 0;
  while (i < t->n && !(t->state[i] & UNDEFINED)) i++;
  if (i == t->n && !m->origins) return;
  if (!m->origins) m->origins = ARENA_ARRAY(m->arena, Origin, m->func->value_count);
  m->origins[to->id] = i < t->n ? find_origin(m, from, i) : (Origin){0};
}

// Adds a note where the operand's element became undefined.
static void note_origin(Machine *m, Diag *diag, const Value *operand, uint32_t element) {
  Origin origin = find_origin(m, operand, element == NO_ELEMENT ? 0 : element);
  if (!origin.why) return;
  diag_note(m->diags, diag, origin.op->loc, "%s", origin.why);
  diag_note_calls(m->diags, diag, origin.op->loc);
}

bool eval_undefined(Machine *m, const Op *op, const Value *operand, uint32_t element, const char *what) {
  note_origin(m, undefined_at(m, op, operand, element, what, false), operand, element);
  return false;
}

bool eval_first_time(Machine *m, const Op *op) {
  if (!m->told) m->told = ARENA_ARRAY(m->arena, bool, m->func->op_count);
  bool told = m->told[op->id];
  m->told[op->id] = true;
  return !told;
}

bool eval_state_defined(Machine *m, const Op *op, uint32_t operand, uint32_t element, uint8_t state,
                        const char *what) {
  const Value *value = op_operand(op, operand);
  if (!(state & UNDEFINED)) return true;
  if (!(state & UNREAD)) return eval_undefined(m, op, value, element, what);
  if (eval_first_time(m, op)) note_origin(m, undefined_at(m, op, value, element, what, true), value, element);
  return true;
}

bool eval_defined(Machine *m, const Op *op, uint32_t operand, uint32_t element, const char *what) {
  uint8_t state = eval_operand(m, op, operand)->state[element == NO_ELEMENT ? 0 : element];
  return eval_state_defined(m, op, operand, element, state, what);
}
