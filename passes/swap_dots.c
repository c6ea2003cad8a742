// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// swap_dots: products of fewer rows than wgmma has are computed transposed, where their columns are as many.
//
// before  %d = dot %a, %b, %c : tile<16x128xfp32>
// after   %d = dot %a, %b, %c {swapped} : tile<16x128xfp32>
// needs   simplified IR, no instruction chosen yet: the passes up to choose_dot ask what can be a wgmma
// keeps   every value, up to the order in which products are summed
// breaks  nothing
// pays    wgmma reads both operands from shared memory itself; mma.sync has each element of b read into registers
//         first, and tensor copies and roles are of wgmma alone (docs/matmul.md)
//
// c^T = b^T a^T: columns of b are the instruction's rows, the few rows of a its columns. Of 16-bit floats, which wgmma reads
// along either dimension and sums as mma.sync does, and of operands that come from memory as they are: what is computed
// is in registers already. Products that feed one another keep their rows in a warp.
#include "ir/build.h"
#include "passes/choose_dot.h"

enum { ROW_BITS = 6, WARPGROUP_BITS = 2 };

static bool is_loaded(const Value *value) {
  while (value->def && (value->def->kind == OP_TRANS || value->def->kind == OP_BOXED))
    value = op_operand(value->def, 0);
  return value->def && (value->def->kind == OP_LOAD || value->def->kind == OP_BLOCK_LOAD);
}

// Whether every warpgroup has 64 of b's columns, and there are no 64 rows.
static bool is_wide(const DotProduct *p, uint32_t warp_bits) {
  return p->shape.m < ROW_BITS && p->shape.n + WARPGROUP_BITS >= ROW_BITS + warp_bits;
}

static void swap_dot(Op *op, void *data) {
  DotChooser *c = data;
  if (op->kind != OP_DOT || op_attr(op, ATTR_INSTRUCTION) || op_attr(op, ATTR_SWAPPED)) return;
  DotProduct p = dot_product(op);
  p.swapped = true;
  if (!elem_is_float(p.a) || elem_info(p.a)->bits != 16 || !is_wide(&p, region_warp_bits(op))) return;
  if (!is_loaded(op_operand(op, DOT_A)) || !is_loaded(op_operand(op, DOT_B))) return;
  if (dot_refuses(c->context->scratch, &p, DOT_WGMMA) || dot_feeds(c, op)) return;
  op_set_flag(op, ATTR_SWAPPED, true);
  c->changed = true;
}

bool pass_swap_dots(PassContext *context, Func *func) {
  DotChooser c = {.context = context, .func = func, .target = &func->module->target};
  func_number(func);
  c.feeds = ARENA_ARRAY(context->scratch, uint8_t, func->value_count);
  region_walk(func->body, swap_dot, &c);
  return c.changed;
}
