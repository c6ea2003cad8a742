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
//
// ```
// before  store %p, %y                          after  store %p, %y {streamed}
// ```
//
// If neither the addresses that a load reads one by one fit, nor those of a store, codegen computes each of these, and each
// element, right before its access. LLVM would compute all of them first. Tiles that do not fit stay in their order.
#include "passes/registers/fit_registers.h"

#include "base/integer.h"
#include "ir/build.h"

enum { MAX_STEPS = 32, MIN_ROWS = 32, FEW_ROWS = 8, ADDRESS_REGISTERS = 2 };

typedef struct RowFinder {
  uint32_t most[2];   // registers for the addresses of one load, and of one store
  uint32_t single[2]; // the same with fewer rows
  uint32_t streamed;  // stores of more are marked
  bool rows;          // these are marked
} RowFinder;

// True if the offset is a sum of terms: the thread index times scalars. *rows: the most registers of one that a scalar of
// run time multiplies. Others are immediates.
static bool is_linear(const Value *value, uint32_t *rows, uint32_t *left) {
  const Op *op = value->def;
  if (!type_is_tile(value->type)) return true;
  if (!op || *left == 0) return false;
  --*left;
  if (op_has(op, LEAF)) return true;
  if (op_has(op, SPREADS) || op->kind == OP_RESHAPE) return is_linear(op_operand(op, 0), rows, left);
  switch ((int)op->kind) {
  case OP_CAST: return is_linear(op_operand(op, 0), rows, left);
  case OP_MUL: {
    const Op *factor = op_operand(op, 1)->def;
    while (factor && op_has(factor, VIEW | SPREADS)) factor = op_operand(factor, 0)->def;
    if (factor && factor->kind == OP_SPLAT) *rows = max_u32(*rows, layout_registers(value->type->layout));
    break;
  }
  case OP_ADD:
  case OP_ADDPTR: break;
  default: return false;
  }
  return is_linear(op_operand(op, 0), rows, left) && is_linear(op_operand(op, 1), rows, left);
}

static bool accesses_singly(const Op *op, const Value *pointers) {
  if (op->kind != OP_LOAD && op->kind != OP_STORE) return false;
  return op_operand(op, 0) == pointers && op_int(op, ATTR_VECTOR, 1) == 1;
}

// The addptr that gives many addresses of single elements, rows apart. NULL: there is none.
static Op *find_rows(const Op *access, uint32_t *rows) {
  Value *pointers = op_operand(access, 0);
  Op *sum = pointers->def;
  uint32_t left = MAX_STEPS;
  if (!type_is_tile(pointers->type) || !sum || sum->kind != OP_ADDPTR) return NULL;
  if (layout_registers(pointers->type->layout) < MIN_ROWS) return NULL;
  Elem offset = type_element(op_operand(sum, 1)->type)->elem;
  if (offset != ELEM_I64 && offset != ELEM_I32) return NULL;
  for (const Use *use = pointers->first_use; use; use = use->next)
    if (!accesses_singly(use->user, pointers)) return NULL;
  return is_linear(pointers, rows, &left) ? sum : NULL;
}

// Loops are handled elsewhere (codegen/emit/emit_rows.c, emit_carried.c).
static void visit_region(RowFinder *f, Region *region) {
  for (Op *op = region->first; op; op = op->next) {
    for (uint32_t r = 0; r < op->region_count && op->kind == OP_IF; r++) visit_region(f, op->regions[r]);
    uint32_t rows = 0, stores = op->kind == OP_STORE;
    Op *sum = op->kind == OP_LOAD || stores ? find_rows(op, &rows) : NULL;
    if (!sum || rows < FEW_ROWS) continue;
    uint32_t registers = ADDRESS_REGISTERS * layout_registers(op_result(sum)->type->layout);
    f->single[stores] = max_u32(f->single[stores], registers);
    if (stores && registers > f->streamed) op_set_flag(op, ATTR_STREAMED, true);
    if (rows < MIN_ROWS) continue; // few rows are live together
    f->most[stores] = max_u32(f->most[stores], registers);
    if (f->rows) op_set_flag(sum, ATTR_ROWS, true);
  }
}

bool chain_rows(Budget *b) {
  RowFinder f = {.streamed = UINT32_MAX};
  visit_region(&f, b->func->body);
  uint32_t wanted = f.most[0] + f.most[1];
  f.rows = f.most[0] && b->slack < (int64_t)wanted; // a store's addresses die together with their elements
  bool stream =
      b->slack >= 0 && min_u32(f.single[0], f.single[1]) > b->room && !ops_find(b->func->body, OP_DOT);
  if (f.rows)
    RELIEVED(b, b->func, RECOMPUTED, wanted,
             "addresses of single elements, %u registers, are computed from one another: tiles leave %lld",
             wanted, (long long)(b->slack > 0 ? b->slack : 0));
  if (stream) {
    f.streamed = b->room;
    RELIEVED(b, b->func, IN_PARTS, f.single[1],
             "addresses of %u registers are computed one store after another", f.single[1]);
  }
  if (f.rows || stream) visit_region(&f, b->func->body);
  return f.rows || stream;
}
