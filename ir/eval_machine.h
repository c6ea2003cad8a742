// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Internal to ir/eval*.c: the state of a launch, and values as whole tiles.
#ifndef IR_EVAL_MACHINE_H
#define IR_EVAL_MACHINE_H

#include "ir/eval_memory.h"

// A value: n elements, a scalar being a tile of one. r and e only where the elements are floats.
typedef struct Tile {
  uint32_t n;
  ElemCode code;
  uint64_t *bits;
  double *r, *e;
  uint8_t *state;
  void *block; // where the arrays are: eval_block
  uint64_t block_bytes;
} Tile;

typedef struct Machine {
  Func *func;
  Diags *diags;
  EvalMemory *memory; // of a grid expression: one without buffers
  Tile *values;       // by Value.id; block NULL while not computed
  uint32_t grid[3], program[3];
  uint64_t steps, max_steps;
  uint32_t depth; // regions within regions
  bool in_grid;   // evaluating a grid expression
} Machine;

enum { NO_ELEMENT = UINT32_MAX };

// Reports the user's mistake at `op`, with program and element (row-major; NO_ELEMENT: of a scalar) appended.
// Returns false, so that a failure can be passed on in one line.
bool eval_error(Machine *m, const Op *op, uint32_t element, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// The same for an undefined operand: `what` names it ("the mask"), a note says where the element became
// undefined.
bool eval_undefined(Machine *m, const Op *op, const Value *operand, uint32_t element, const char *what);

static inline Element tile_get(const Tile *t, uint32_t i) {
  Element x = {.bits = t->bits[i], .state = t->state[i]};
  if (t->r) x.r = t->r[i], x.e = t->e[i];
  return x;
}

static inline void tile_set(Tile *t, uint32_t i, const Element *x) {
  t->bits[i] = x->bits;
  t->state[i] = x->state;
  if (t->r) t->r[i] = x->r, t->e[i] = x->e;
}

// An operand's tile, computed before.
const Tile *eval_operand(const Machine *m, const Op *op, uint32_t index);
// The tile of a value, with room for its elements.
Tile *eval_tile(Machine *m, const Value *value);
void eval_copy(Tile *to, const Tile *from); // of one type

// Ops by kind of work. False with an error reported.
bool eval_elementwise(Machine *m, Op *op); // arithmetic, comparisons, select, conversions: eval_ops.c
bool eval_access(Machine *m, Op *op);      // addptr, load, store: eval_access.c

// Floats, in eval_float.c. Each gives the op's result in `elem`, with its bound.
Element eval_float_binary(OpKind kind, Elem elem, const Element *a, const Element *b);
Element eval_float_unary(OpKind kind, Elem elem, const Element *a);
Element eval_float_cast(Elem from, const Element *a, Elem to); // float to float
Element eval_float_from_int(Elem from, const Element *a, Elem to);
Element eval_float_to_int(Elem from, const Element *a, Elem to);
// a OP b as i1; uncertain where closer than the bounds.
Element eval_float_compare(OpKind kind, Elem elem, const Element *a, const Element *b);
bool eval_holds(OpKind kind, int order); // order: -1 less, 0 equal, 1 greater, 2 unordered

#endif
