// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// promote_shared: gives each op that moves elements between threads the shared memory for it.
//
// ```
// before  %d = convert_layout %v : tile<256xi32, #b>                 (%v in layout #a, another warp's)
// after   %s = shared_alloc : shared<256xi32, #s>
//         %d = convert_layout %v, %s : tile<256xi32, #b>
// ```
//
// needs   layouts (propagate_layouts)
// keeps   every value
// breaks  nothing. Codegen takes no op that needs a scratch buffer and has none
// pays    a conversion's buffer has the layout with the fewest bank conflicts for its writes and reads
//
// Each buffer is made right before its op. So it is alive only for that op, and allocate_shared lets later buffers
// share its bytes.
#include "base/integer.h"
#include "ir/build.h"
#include "ir/memory/exchange.h"
#include "ir/memory/scratch.h"
#include "passes/passes.h"
#include "passes/shared/promote_dot.h"

typedef struct ScratchPromoter {
  PassContext *context;
  IrContext *ir;
  bool changed;
} ScratchPromoter;

static const Type *conversion_buffer(const ScratchPromoter *p, const Op *op) {
  const Type *from = op_operand(op, 0)->type, *to = op_result(op)->type;
  Elem elem = buffer_elem(from);
  Layout layout = layout_swizzle(from->layout, to->layout, log2_ceil(elem_bytes(elem)));
  return type_shared(p->ir, elem, from->rank, from->shape, layout_intern(p->ir, &layout));
}

static const Type *bytes_buffer(const ScratchPromoter *p, uint32_t bytes) {
  uint32_t size = 1u << log2_ceil(bytes);
  return shared_in_order(p->ir, ELEM_I8, 1, &size);
}

static bool has_layouts(const Op *op) {
  for (uint32_t i = 0; i < op->operand_count + op->result_count; i++) {
    const Type *type =
        i < op->operand_count ? op_operand(op, i)->type : op->results[i - op->operand_count].type;
    if (type_is_tile(type) && !type->layout) return false;
  }
  return true;
}

static void give_scratch(ScratchPromoter *p, Op *op) {
  if (op_scratch(op) || !has_layouts(op)) return;
  uint32_t bytes = scratch_bytes(op);
  if (!bytes) return;
  Builder b = builder_before(op);
  const Type *type = op->kind == OP_CONVERT_LAYOUT ? conversion_buffer(p, op) : bytes_buffer(p, bytes);
  op_add_operand(op, build(&b, OP_SHARED_ALLOC, type, NULL, NULL, NULL));
  diag_remark(p->context->diags, op->loc, "promote_shared",
              "%s passes elements between warps through %u bytes", op_info(op->kind)->name,
              shared_bytes(type));
  p->changed = true;
}

bool pass_promote_shared(PassContext *context, Func *func) {
  ScratchPromoter p = {context, func->module->ir, promote_dots(context, func)};
  p.changed |= promote_loads(context, func);
  p.changed |= split_sums(context, func, true);
  for (OpWalk w = ops_in(func->body); ops_next(&w);) give_scratch(&p, w.op);
  return p.changed;
}
