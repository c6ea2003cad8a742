// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rule of fit_registers for addresses of single elements, if registers are short.
//
// ```
// before  %k = mul %rows, %stride : i64         after  %k = mul %rows, %stride : i64
//         %p = addptr %b, %k                           %p = addptr %b, %k {rows}
//         %v = load %p {vector = 1}                    %v = load %p {vector = 1}
// ```
//
// A stride known at run time costs a multiplication for each of 128 addresses. ptxas computes all of them ahead of the
// loads, in two registers each. With `rows`, each address is the one before plus the stride: one is live at a time, and
// an addition is cheaper.
#include "passes/registers/fit_registers.h"

#include "ir/build.h"

enum { MAX_STEPS = 32, MIN_ROWS = 32, ADDRESS_REGISTERS = 2 };

typedef struct RowFinder {
  uint32_t most[2]; // registers for the addresses of one load, and of one store
  bool mark;
} RowFinder;

// True if the offset is a sum of terms: the thread index times scalars. *stride: a scalar multiplies many rows. Few
// rows are live together, and their columns are immediates.
static bool is_linear(const Value *value, bool *stride, uint32_t *left) {
  const Op *op = value->def;
  if (!type_is_tile(value->type)) return true;
  if (!op || *left == 0) return false;
  --*left;
  if (op_has(op, LEAF)) return true;
  if (op_has(op, SPREADS) || op->kind == OP_RESHAPE) return is_linear(op_operand(op, 0), stride, left);
  switch ((int)op->kind) {
  case OP_CAST: return is_linear(op_operand(op, 0), stride, left);
  case OP_MUL: {
    const Op *factor = op_operand(op, 1)->def;
    while (factor && op_has(factor, VIEW | SPREADS)) factor = op_operand(factor, 0)->def;
    *stride |= factor && factor->kind == OP_SPLAT && layout_registers(value->type->layout) >= MIN_ROWS;
    break;
  }
  case OP_ADD:
  case OP_ADDPTR: break;
  default: return false;
  }
  return is_linear(op_operand(op, 0), stride, left) && is_linear(op_operand(op, 1), stride, left);
}

static bool accesses_singly(const Op *op, const Value *pointers) {
  if (op->kind != OP_LOAD && op->kind != OP_STORE) return false;
  return op_operand(op, 0) == pointers && op_int(op, ATTR_VECTOR, 1) == 1;
}

// The addptr that gives addresses of single elements, rows apart. NULL: it does not.
static Op *find_rows(const Op *access) {
  Value *pointers = op_operand(access, 0);
  Op *sum = pointers->def;
  uint32_t left = MAX_STEPS;
  bool stride = false;
  if (!type_is_tile(pointers->type) || !sum || sum->kind != OP_ADDPTR) return NULL;
  if (layout_registers(pointers->type->layout) < MIN_ROWS) return NULL;
  Elem offset = type_element(op_operand(sum, 1)->type)->elem;
  if (offset != ELEM_I64 && offset != ELEM_I32) return NULL;
  for (const Use *use = pointers->first_use; use; use = use->next)
    if (!accesses_singly(use->user, pointers)) return NULL;
  return is_linear(pointers, &stride, &left) && stride ? sum : NULL;
}

// Loops are handled elsewhere (codegen/emit/emit_rows.c, emit_carried.c).
static void visit_region(RowFinder *f, Region *region) {
  for (Op *op = region->first; op; op = op->next) {
    for (uint32_t r = 0; r < op->region_count && op->kind == OP_IF; r++) visit_region(f, op->regions[r]);
    Op *rows = op->kind == OP_LOAD || op->kind == OP_STORE ? find_rows(op) : NULL;
    if (!rows) continue;
    uint32_t *most = &f->most[op->kind == OP_STORE],
             registers = layout_registers(op_result(rows)->type->layout);
    if (registers * ADDRESS_REGISTERS > *most) *most = registers * ADDRESS_REGISTERS;
    if (f->mark) op_set_flag(rows, ATTR_ROWS, true);
  }
}

bool chain_rows(Budget *b) {
  RowFinder f = {{0}, false};
  visit_region(&f, b->func->body);
  uint32_t wanted = f.most[0] + f.most[1];
  if (!f.most[0] || b->slack >= (int64_t)wanted)
    return false; // a store's addresses die together with their elements
  RELIEVED(b, b->func, RECOMPUTED, wanted,
           "addresses of single elements, %u registers, are computed from one another: tiles leave %lld",
           wanted, (long long)(b->slack > 0 ? b->slack : 0));
  f.mark = true;
  visit_region(&f, b->func->body);
  return true;
}
