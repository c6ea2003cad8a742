// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory accesses of the evaluator. Every active element is checked individually.
#include "eval/eval_machine.h"

ElemCode eval_pointee(const Value *pointer) { return eval_code(type_element(pointer->type)->inner); }

static bool run_addptr(Machine *m, Op *op) {
  const Tile *pointer = eval_operand(m, op, 0), *offset = eval_operand(m, op, 1);
  Tile *to = eval_tile(m, op_result(op));
  uint64_t bytes = eval_code_bytes(eval_pointee(op_operand(op, 0)));
  for (uint32_t i = 0; i < to->n; i++) {
    to->bits[i] = pointer->bits[i] + offset->bits[i] * bytes;
    to->state[i] = pointer->state[i] | offset->state[i];
  }
  return true;
}

void eval_doubt_memory(Machine *m, uint8_t state) {
  if (state_is_doubtful(state)) m->memory->uncertain = true;
  if (state & ASSEMBLED) m->memory->assembled = true;
}

EvalBuffer *eval_access_buffer(Machine *m, const Access *access) {
  uint32_t bytes = eval_code_bytes(access->code);
  EvalBuffer *buffer = eval_buffer_at(m->memory, access->address, bytes);
  bool strays = buffer && m->race && eval_strays(m, access->op, buffer);
  if (!buffer || strays) {
    eval_out_of_bounds(m, access);
    if (strays) eval_stray_note(m, access);
    buffer = NULL;
    if (access->wrap) eval_wrap_note(m, access);
  } else if (access->address % bytes) {
    eval_misaligned(m, access);
    return NULL;
  } else if (access->wrap) {
    eval_wrap_warn(m, access);
  }
  return buffer;
}

bool eval_access_load(Machine *m, const Access *access, Element *x) {
  const EvalBuffer *buffer = eval_access_buffer(m, access);
  if (!buffer) return false;
  *x = eval_memory_load(buffer, access->address, access->code);
  if (access->doubt || eval_race_read(m, access))
    x->state |= UNCERTAIN | (access->doubt & (UNREAD | ASSEMBLED));
  return true;
}

bool eval_access_store(Machine *m, const Access *access, const Element *x) {
  EvalBuffer *buffer = eval_access_buffer(m, access);
  if (!buffer) return false;
  eval_doubt_memory(m, access->doubt);
  Element value = *x;
  if (m->race) {
    Element before = eval_memory_load(buffer, access->address, access->code);
    bool same = before.bits == value.bits && before.r == value.r;
    if (eval_race_write(m, access, same)) value.state |= UNCERTAIN;
  }
  eval_memory_store(m->memory, buffer, access->address, access->code, &value);
  return true;
}

bool eval_mask(Machine *m, const Op *op, uint32_t index, uint32_t i, bool *ok) {
  const Tile *mask = eval_operand(m, op, index);
  if (!mask) return true;
  uint32_t at = mask->n == 1 ? 0 : i;
  if (mask->state[at] & UNDEFINED) *ok = eval_defined(m, op, index, at, "the mask");
  return mask->bits[at];
}

// Locates element i of an op on pointers. Returns false with an error if the pointer is undefined.
static bool pointer_access(Machine *m, const Op *op, const Tile *pointer, uint32_t i, ElemCode code,
                           Access *access) {
  if (!eval_defined(m, op, 0, i, "the address")) return false;
  uint8_t state = pointer->state[i];
  *access =
      (Access){op, i, pointer->bits[i], code, state_is_doubtful(state) ? state : 0, eval_wrap_of(pointer, i)};
  return true;
}

static bool load_active(Machine *m, const Op *op, const Tile *pointer, uint32_t i, ElemCode code,
                        Element *x) {
  Access access;
  if (!pointer_access(m, op, pointer, i, code, &access)) return false;
  if (access.doubt & ASSEMBLED) {
    *x = eval_exact(code, 0);
    x->state = UNCERTAIN | ASSEMBLED;
    return true;
  }
  if (!op_attr(op, ATTR_VOLATILE)) return eval_access_load(m, &access, x);
  const EvalBuffer *buffer = eval_access_buffer(m, &access);
  if (!buffer) return false;
  *x = eval_memory_load(buffer, access.address, code);
  eval_race_acquire(m, &access);
  return true;
}

static bool run_load(Machine *m, Op *op) {
  const Tile *pointer = eval_operand(m, op, 0), *mask = eval_operand(m, op, 1),
             *other = eval_operand(m, op, 2);
  Tile *to = eval_tile(m, op_result(op));
  bool ok = true;
  eval_race_op(m, op);
  for (uint32_t i = 0; i < to->n; i++) {
    Element x = {.state = UNDEFINED | UNREAD};
    bool holds = eval_mask(m, op, 1, i, &ok);
    if (!ok) return false;
    if (holds) {
      if (!load_active(m, op, pointer, i, to->code, &x)) return false;
    } else if (other) {
      x = tile_get(other, other->n == 1 ? 0 : i);
    }
    if (mask) x.state |= mask->state[mask->n == 1 ? 0 : i];
    tile_set(to, i, &x);
  }
  return true;
}

// A mask bit is uncertain if its comparison is closer than the bound. Then the element is uncertain either
// way. Where the mask is off, its address may be invalid.
static void doubt_element(Machine *m, const Tile *pointer, uint32_t i, ElemCode code, uint8_t state) {
  uint64_t address = pointer->bits[i];
  uint32_t bytes = eval_code_bytes(code);
  EvalBuffer *buffer = pointer->state[i] & UNDEFINED ? NULL : eval_buffer_at(m->memory, address, bytes);
  if (buffer && address % bytes == 0) eval_memory_doubt(m->memory, buffer, address, code, state);
}

// Stores element i, whose mask bit is on.
static bool store_active(Machine *m, const Op *op, uint32_t i) {
  const Tile *pointer = eval_operand(m, op, 0), *value = eval_operand(m, op, 1);
  Element x = tile_get(value, i);
  Access access;
  if (!pointer_access(m, op, pointer, i, value->code, &access)) return false;
  if (access.doubt & ASSEMBLED) return eval_doubt_memory(m, access.doubt), true;
  if (!eval_access_buffer(m, &access) || !eval_defined(m, op, 1, i, "the value to store")) return false;
  return eval_access_store(m, &access, &x);
}

static bool run_store(Machine *m, Op *op) {
  const Tile *pointer = eval_operand(m, op, 0), *value = eval_operand(m, op, 1),
             *mask = eval_operand(m, op, 2);
  bool ok = true;
  eval_race_op(m, op);
  for (uint32_t i = 0; i < pointer->n; i++) {
    bool holds = eval_mask(m, op, 2, i, &ok);
    if (!ok) return false;
    if (holds && !store_active(m, op, i)) return false;
    uint8_t state = mask ? mask->state[mask->n == 1 ? 0 : i] : 0;
    if (state_is_doubtful(state)) doubt_element(m, pointer, i, value->code, state);
  }
  return true;
}

bool eval_access(Machine *m, Op *op) {
  if (op->kind == OP_ADDPTR) return run_addptr(m, op);
  if (m->host) return eval_on_host(m, op, "access memory");
  return op->kind == OP_LOAD ? run_load(m, op) : run_store(m, op);
}
