// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluator's accesses to memory: every active element is checked on its own.
#include <inttypes.h>
#include <stdio.h>
#include "ir/eval_machine.h"

static ElemCode pointee_code(const Value *pointer) {
  const Type *pointee = type_element(pointer->type)->inner;
  return pointee->kind == TYPE_PTR ? (ElemCode)CODE_POINTER : (ElemCode)pointee->elem;
}

static bool run_addptr(Machine *m, Op *op) {
  const Tile *pointer = eval_operand(m, op, 0), *offset = eval_operand(m, op, 1);
  Tile *to = eval_tile(m, op_result(op));
  uint64_t bytes = eval_code_bytes(pointee_code(op_operand(op, 0)));
  for (uint32_t i = 0; i < to->n; i++) {
    to->bits[i] = pointer->bits[i] + offset->bits[i] * bytes;
    to->state[i] = pointer->state[i] | offset->state[i];
  }
  return true;
}

static bool out_of_bounds(Machine *m, const Op *op, uint32_t element, uint64_t address, uint32_t bytes) {
  int64_t away = 0;
  const EvalBuffer *near = eval_buffer_near(m->memory, address, bytes, &away);
  const char *name = op_info(op->kind)->name;
  if (!near)
    return eval_error(m, op, element, "%s of %u bytes at 0x%" PRIx64 " is out of bounds: there is no buffer",
                      name, bytes, address);
  char where[64];
  uint64_t end = near->address + near->bytes;
  if (away < 0)
    snprintf(where, sizeof where, "%" PRIu64 " bytes before the start", near->address - address);
  else if (address >= end)
    snprintf(where, sizeof where, "%" PRIu64 " bytes past the end", address - end);
  else
    snprintf(where, sizeof where, "its last %" PRIu64 " bytes past the end", address + bytes - end);
  return eval_error(m, op, element,
                    "%s of %u bytes at 0x%" PRIx64 " is out of bounds: %s of the %" PRIu64
                    "-byte buffer at 0x%" PRIx64,
                    name, bytes, address, where, near->bytes, near->address);
}

// The buffer of an active element's access; NULL with an error where it may not be made.
static EvalBuffer *access_buffer(Machine *m, const Op *op, uint32_t i, const Tile *pointer, uint32_t bytes) {
  uint64_t address = pointer->bits[i];
  if (pointer->state[i] & UNDEFINED) {
    eval_undefined(m, op, op_operand(op, 0), i, "the address");
    return NULL;
  }
  if (pointer->state[i] & UNCERTAIN) m->memory->uncertain = true;
  EvalBuffer *buffer = eval_buffer_at(m->memory, address, bytes);
  if (!buffer) {
    out_of_bounds(m, op, i, address, bytes);
  } else if (address % bytes) {
    eval_error(m, op, i, "%s of %u bytes at 0x%" PRIx64 " is misaligned", op_info(op->kind)->name, bytes,
               address);
    return NULL;
  }
  return buffer;
}

// The mask's bit for element i; an undefined one is an error, returned as false in *ok.
static bool mask_holds(Machine *m, const Op *op, uint32_t index, const Tile *mask, uint32_t i, bool *ok) {
  if (!mask) return true;
  uint32_t at = mask->n == 1 ? 0 : i;
  if (mask->state[at] & UNDEFINED) *ok = eval_undefined(m, op, op_operand(op, index), at, "the mask");
  return mask->bits[at];
}

static bool run_load(Machine *m, Op *op) {
  const Tile *pointer = eval_operand(m, op, 0);
  const Tile *mask = op->operand_count > 1 ? eval_operand(m, op, 1) : NULL;
  const Tile *other = op->operand_count > 2 ? eval_operand(m, op, 2) : NULL;
  Tile *to = eval_tile(m, op_result(op));
  uint32_t bytes = eval_code_bytes(to->code);
  bool ok = true;
  for (uint32_t i = 0; i < to->n; i++) {
    Element x = {.state = UNDEFINED};
    bool holds = mask_holds(m, op, 1, mask, i, &ok);
    if (!ok) return false;
    if (holds) {
      const EvalBuffer *buffer = access_buffer(m, op, i, pointer, bytes);
      if (!buffer) return false;
      x = eval_memory_load(buffer, pointer->bits[i], to->code);
    } else if (other) {
      x = tile_get(other, other->n == 1 ? 0 : i);
    }
    x.state |= pointer->state[i] & UNCERTAIN;
    if (mask) x.state |= mask->state[mask->n == 1 ? 0 : i];
    tile_set(to, i, &x);
  }
  return true;
}

// An element that a mask closer than its bound switches on or off is uncertain either way; where the mask is
// off its address need not be a good one.
static void doubt_element(Machine *m, const Tile *pointer, uint32_t i, ElemCode code) {
  uint64_t address = pointer->bits[i];
  uint32_t bytes = eval_code_bytes(code);
  EvalBuffer *buffer = pointer->state[i] & UNDEFINED ? NULL : eval_buffer_at(m->memory, address, bytes);
  if (buffer && address % bytes == 0) eval_memory_doubt(m->memory, buffer, address, code);
}

static bool run_store(Machine *m, Op *op) {
  const Tile *pointer = eval_operand(m, op, 0), *value = eval_operand(m, op, 1);
  const Tile *mask = op->operand_count > 2 ? eval_operand(m, op, 2) : NULL;
  uint32_t bytes = eval_code_bytes(value->code);
  bool ok = true;
  for (uint32_t i = 0; i < pointer->n; i++) {
    bool holds = mask_holds(m, op, 2, mask, i, &ok);
    if (!ok) return false;
    if (holds) {
      Element x = tile_get(value, i);
      EvalBuffer *buffer = access_buffer(m, op, i, pointer, bytes);
      if (!buffer) return false;
      if (x.state & UNDEFINED) return eval_undefined(m, op, op_operand(op, 1), i, "the value to store");
      eval_memory_store(m->memory, buffer, pointer->bits[i], value->code, &x);
    }
    if (mask && mask->state[mask->n == 1 ? 0 : i] & UNCERTAIN) doubt_element(m, pointer, i, value->code);
  }
  return true;
}

bool eval_access(Machine *m, Op *op) {
  if (op->kind == OP_ADDPTR) return run_addptr(m, op);
  if (m->in_grid) return eval_error(m, op, NO_ELEMENT, "a grid expression cannot access memory");
  return op->kind == OP_LOAD ? run_load(m, op) : run_store(m, op);
}
