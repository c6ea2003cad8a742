// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Broken hints. Promises are checked only as far as accesses rely on them: at most HINT_RUN elements per
// thread, aligned to the same number of bytes. The value is passed on unchanged.
#include <inttypes.h>
#include <stdio.h>
#include "eval/eval_machine.h"
#include "ir/number.h"
#include "ir/memory/tensor_map.h"

enum { HINT_RUN = 16, MAX_HINTS = 16 };

// One dimension of a hint's tile.
typedef struct HintDim {
  const Tile *tile;
  uint64_t step;                 // between neighbours that count upwards
  uint32_t extent, stride;       // elements
  uint64_t multiple, run, equal; // the promise, at least 1
} HintDim;

static uint64_t promised(const Op *op, AttrKey key, uint32_t d) {
  const Attr *attr = op_attr(op, key);
  if (!attr) return 1;
  uint64_t number = (uint64_t)attr->ints.at[d], power = number & (~number + 1); // the power of two in it
  return power < HINT_RUN ? power : HINT_RUN;
}

static bool is_next(const HintDim *dim, uint32_t i) {
  uint64_t next = dim->tile->bits[i - dim->stride] + dim->step;
  ElemCode code = dim->tile->code;
  return dim->tile->bits[i] == (code == CODE_POINTER ? next : number_wrap((Elem)code, next));
}

static bool begins_run(const HintDim *dim, uint32_t i, uint32_t at) {
  return dim->run > 1 ? at % dim->run == 0 : at == 0 || !is_next(dim, i);
}

// The broken promise of element i, at position `at` of the dimension; NULL: none.
static const char *broken_at(const HintDim *dim, uint32_t i, uint32_t at, uint64_t *number) {
  const Tile *t = dim->tile;
  if (at % dim->run && !is_next(dim, i))
    return *number = dim->run, "runs of %" PRIu64 " neighbours count upwards by one";
  if (at % dim->equal && t->bits[i] != t->bits[i - dim->stride])
    return *number = dim->equal, "runs of %" PRIu64 " neighbours are equal";
  if (begins_run(dim, i, at) && t->bits[i] % dim->multiple)
    return *number = dim->multiple, "runs begin with multiples of %" PRIu64;
  return NULL;
}

static const char *find_broken(const HintDim *dim, uint32_t *element, uint64_t *number) {
  const Tile *t = dim->tile;
  for (uint32_t i = 0; i < t->n; i++) {
    uint32_t at = i / dim->stride % dim->extent;
    bool known = !(t->state[i] & (UNDEFINED | UNCERTAIN));
    if (known && at) known = !(t->state[i - dim->stride] & (UNDEFINED | UNCERTAIN));
    const char *broken = known ? broken_at(dim, i, at, number) : NULL;
    *element = i;
    if (broken) return broken;
  }
  return NULL;
}

static void warn(Machine *m, const Op *op, const Tile *tile, uint32_t element, const char *format,
                 uint64_t number) {
  char promise[80], where[EVAL_PLACE];
  const Type *type = op_result(op)->type;
  m->hints_told[op->id] = true;
  m->hints++;
  snprintf(promise, sizeof promise, format, number);
  eval_place(m, op, type_is_tile(type) ? element : NO_ELEMENT, where);
  diag_warning(m->diags, op->loc,
               tile->code == CODE_POINTER ? "[T1104] a hint says that %s, but there is 0x%" PRIx64
                                            ", %s: accesses that rely on it may use wrong addresses"
                                          : "[T1104] a hint says that %s, but there is %" PRId64
                                            ", %s: accesses that rely on it may use wrong addresses",
               promise, tile->bits[element], where);
}

static void check_dim(Machine *m, const Op *op, const Tile *tile, uint32_t d, uint32_t extent,
                      uint32_t stride) {
  const Type *element = type_element(op_result(op)->type);
  HintDim dim = {.tile = tile, .extent = extent, .stride = stride};
  dim.step = element->kind == TYPE_PTR ? type_element_bytes(element->inner) : 1;
  dim.multiple = promised(op, ATTR_MULTIPLE, d);
  dim.run = promised(op, ATTR_CONTIGUOUS, d);
  dim.equal = promised(op, ATTR_CONSTANT, d);
  uint32_t at;
  uint64_t number;
  const char *broken = m->hints_told[op->id] ? NULL : find_broken(&dim, &at, &number);
  if (broken) warn(m, op, tile, at, broken, number);
}

static bool is_looked_at(Machine *m, const Op *op) {
  if (!m->options.hints || m->hints >= MAX_HINTS || !op_result(op)->first_use) return false;
  if (!m->hints_told) m->hints_told = ARENA_ARRAY(m->arena, bool, m->func->op_count);
  return true;
}

void eval_hint(Machine *m, const Op *op, const Tile *tile) {
  if (!is_looked_at(m, op)) return;
  const Type *type = op_result(op)->type;
  for (uint32_t d = type_is_tile(type) ? type->rank : 1, stride = 1; d-- > 0;) {
    uint32_t extent = type_is_tile(type) ? type->shape[d] : 1;
    check_dim(m, op, tile, d, extent, stride);
    stride *= extent;
  }
  for (uint32_t i = 0; op_attr(op, ATTR_NONNEGATIVE) && i < tile->n; i++)
    if (!m->hints_told[op->id] && !(tile->state[i] & (UNDEFINED | UNCERTAIN)) && (int64_t)tile->bits[i] < 0)
      warn(m, op, tile, i, "no element is negative", 0);
}

void eval_descriptor(Machine *m, const Op *op, const Tile *block) {
  if (!op_attr(op, ATTR_DESCRIPTOR) || !is_looked_at(m, op)) return;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    uint32_t multiple = descriptor_multiple(op, i);
    char where[EVAL_PLACE];
    if (m->hints_told[op->id] || block->state[i] & (UNDEFINED | UNCERTAIN) || block->bits[i] % multiple == 0)
      continue;
    m->hints_told[op->id] = true;
    m->hints++;
    eval_place(m, op, NO_ELEMENT, where);
    diag_warning(
        m->diags, op->loc,
        i ? "[T1104] a descriptor's strides must be multiples of %u, for 16 bytes, but there is %" PRId64
            ", %s: accesses that rely on it may use wrong addresses"
          : "[T1104] a descriptor's base must be a multiple of %u, but there is 0x%" PRIx64
            ", %s: accesses that rely on it may use wrong addresses",
        multiple, block->bits[i], where);
  }
}
