// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads whose values change threads before a loop computes a dot operand from them.
//
// ```
// before  %v = load %p : tile<8x128xi32, #a>          (packed weights, in a loop with prefetch)
//         %w = convert_layout %v : tile<8x128xi32, #b>
//         ... of %v                                    (unpacked, converted, multiplied by scales)
//         %d = dot %x, %y, %c
// after   %v = load %p : tile<8x128xi32, #a>
//         %s = shared_alloc : shared<8x128xi32, #s>
//         shared_store %v, %s
//         %w = shared_load %s : tile<8x128xi32, #b>
// ```
//
// pipeline then copies the load to that buffer, ahead. So the tile does not pass through shared memory twice, or through
// shuffles after it.
#include "base/integer.h"
#include "ir/build.h"
#include "ir/layout/layout.h"
#include "ir/memory/scratch.h"
#include "passes/analysis/dot_loops.h"
#include "passes/shared/promote_dot.h"

typedef struct LoadPromoter {
  PassContext *context;
  Func *func;
  bool changed;
} LoadPromoter;

static bool has_one_use(const Value *value) {
  return value->first_use && value->first_use == value->last_use;
}

// The buffer that a copy of the load's vectors can write. NULL: there is none.
static const Type *buffer_for(const LoadPromoter *p, const Op *load, const Op *convert) {
  IrContext *ir = p->func->module->ir;
  const Type *from = op_result(load)->type, *to = op_result(convert)->type;
  uint32_t bits = log2_floor((uint64_t)op_int(load, ATTR_VECTOR, 1));
  Layout layout;
  if (!layout_swizzle_along(from->layout, to->layout, log2_ceil(type_element_bytes(from)), bits, &layout))
    return NULL;
  return type_shared(ir, type_element(from)->elem, from->rank, from->shape, layout_intern(ir, &layout));
}

static void promote_load(LoadPromoter *p, Op *convert) {
  Value *source = op_operand(convert, 0);
  Op *load = source->def;
  if (!load || load->kind != OP_LOAD || load->region != convert->region || !has_one_use(source)) return;
  if (type_is_elem(source->type, ELEM_I1)) return;
  if (layout_conversion(source->type->layout, op_result(convert)->type->layout) < CONVERT_LANES) return;
  if (!load_is_copyable(load) || !may_be_copied_ahead(load)) return;
  const Type *type = buffer_for(p, load, convert);
  if (!type) return;
  Builder after = builder_after(load), b = builder_before(convert);
  Value *buffer = build(&after, OP_SHARED_ALLOC, type, NULL, NULL, NULL);
  build_op(&after, OP_SHARED_STORE, 2, (Value *[]){source, buffer}, 0, NULL);
  Value *read = build(&b, OP_SHARED_LOAD, op_result(convert)->type, buffer, NULL, NULL);
  diag_remark(p->context->diags, load->loc, "promote_shared",
              "loaded values go to other threads through %u bytes of shared memory", shared_bytes(type));
  value_replace_uses(op_result(convert), read);
  op_erase(convert);
  p->changed = true;
}

static void promote_in_loop(LoadPromoter *p, Op *loop) {
  func_number(p->func);
  const uint8_t *feeding = find_feeding(p->context->scratch, p->func, loop);
  for (Op *op = loop->regions[0]->first, *next; op; op = next) {
    next = op->next;
    if (op->kind == OP_CONVERT_LAYOUT && feeding[op_result(op)->id]) promote_load(p, op);
  }
}

bool promote_loads(PassContext *context, Func *func) {
  LoadPromoter p = {context, func, false};
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (w.op->kind == OP_FOR) promote_in_loop(&p, w.op);
  return p.changed;
}
