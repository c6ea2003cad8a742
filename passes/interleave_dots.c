// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// interleave_dots: of two products of which one feeds the other, blocks of rows are multiplied while others
// are computed.
//
// before  %s = dot %q, %k, %zero {instruction = "wgmma"}     128 rows of four warps
//         %p = what is computed of %s, row by row
//         %o = dot %p, %v, %acc {instruction = "wgmma"}
// after   the same, both {interleaved}: codegen begins the products of rows 0 to 63 and of rows 64 to 127 of
//         %s as two groups, computes %p's rows 0 to 63 while the second is multiplied, and its rows 64 to 127
//         while the first part of %o is
// needs   layouts and buffers; nothing that adds ops runs later
// keeps   every value
// breaks  nothing
// pays    four warps of two blocks of rows keep the tensor cores and the other units busy at the same time.
//         Programs beside them on the processor do not: they wait for one another's products and run in step
//
// Between the two there may be only what computes values in registers, and the second takes its first
// operand from there.
#include "ir/build.h"
#include "ir/layout_dot.h"
#include "ir/scratch.h"
#include "passes/passes.h"

typedef struct Interleaver {
  PassContext *context;
  bool changed;
} Interleaver;

static bool is_wgmma(const Op *op) {
  const Attr *instruction = op->kind == OP_DOT ? op_attr(op, ATTR_INSTRUCTION) : NULL;
  return instruction && strcmp(instruction->str, "wgmma") == 0;
}

static uint32_t row_blocks(const Op *dot) {
  const Type *result = op_result(dot)->type;
  DotShape shape = dot_shape(op_operand(dot, 0)->type, result);
  return dot_row_blocks(&shape, result->layout);
}

// Whether codegen makes nothing of the op but computations of values, in one basic block.
static bool only_computes(const Op *op) {
  if (op_scratch(op)) return false;
  bool combines = op->kind == OP_REDUCE || op->kind == OP_MAP;
  return combines || (op_has(op, PURE) && op->region_count == 0);
}

static bool whole(const Op *dot) {
  return !op_attr(dot, ATTR_ASYNC) && !op_attr(dot, ATTR_INTERLEAVED) && !dot_promotes(dot) &&
         !type_is_elem(op_result(dot)->type, ELEM_FP16);
}

// The product before this one, where it is so near that the two can be interleaved.
static Op *first_of(const Op *second) {
  Op *op = second->prev;
  while (op && op->kind != OP_DOT && only_computes(op)) op = op->prev;
  bool pair = op && is_wgmma(op) && whole(op) && whole(second);
  if (!pair || op_operand(op, 0)->type->kind != TYPE_SHARED) return NULL;
  return row_blocks(op) == row_blocks(second) && row_blocks(op) > 1 ? op : NULL;
}

static void interleave(Op *op, void *data) {
  Interleaver *pass = data;
  if (!is_wgmma(op) || !type_is_tile(op_operand(op, 0)->type)) return;
  Op *first = first_of(op);
  if (!first) return;
  op_set_flag(first, ATTR_INTERLEAVED, true);
  op_set_flag(op, ATTR_INTERLEAVED, true);
  diag_remark(pass->context->diags, first->loc, "interleave_dots",
              "%u blocks of 64 rows a warpgroup: each is computed while others are multiplied",
              row_blocks(first));
  pass->changed = true;
}

bool pass_interleave_dots(PassContext *context, Func *func) {
  Interleaver pass = {context, false};
  region_walk(func->body, interleave, &pass);
  return pass.changed;
}
