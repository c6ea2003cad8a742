// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// narrow_early: if registers are short, tiles that only a cast to a narrower type still needs are cast at once.
//
// before  %p = mul %s, %t                 after  %p = mul %s, %t
//         %v = load %q                           %c = cast %p {fresh}
//         shared_store %v, %b                    %v = load %q
//         %c = cast %p                           shared_store %v, %b
//         %o = dot %c, %b, %a                    %o = dot %c, %b, %a
//
// needs   layouts
// keeps   every value
// breaks  nothing
//
// pays    The waiting value takes half the registers. An example is a dot operand while the other operand is loaded.
//
// `fresh` keeps the cast at this place in the machine code. Without it LLVM casts at the use. The cast of an mma dot's
// sums comes directly after the dot, and codegen casts tile by tile, as the sums come.
#include "ir/build.h"
#include "ir/memory/scratch.h"
#include "passes/passes.h"
#include "passes/analysis/pressure.h"

enum { MIN_REGISTERS = 16 }; // of the narrow tile

// True for fp32 to a type of two bytes, which codegen casts in pairs.
static bool narrows(const Op *op) {
  if (op->kind != OP_CAST || op_attr(op, ATTR_FRESH)) return false;
  const Type *from = op_operand(op, 0)->type, *to = op_result(op)->type;
  bool half = type_is_elem(to, ELEM_FP16) || type_is_elem(to, ELEM_BF16);
  return half && type_is_tile(to) && type_is_elem(from, ELEM_FP32) &&
         layout_registers(to->layout) / 2 >= MIN_REGISTERS;
}

// The last op of the cast's region that defines the wide value, or that uses it before the cast. NULL: the value is
// available from the region's start. *last: nothing uses it after the cast.
static Op *after_which(const Op *cast, bool *last) {
  const Value *wide = op_operand(cast, 0);
  Op *after = wide->def && wide->def->region == cast->region ? wide->def : NULL;
  *last = wide->def ? wide->def->region == cast->region : wide->region == cast->region;
  for (const Use *use = wide->first_use; use; use = use->next) {
    Op *user = op_in_region(use->user, cast->region);
    if (user == cast) continue;
    if (!user || user->id > cast->id) *last = false;
    if (user && user->id < cast->id && (!after || user->id > after->id)) after = user;
  }
  return after;
}

// True for ops that fill registers in the meantime, or need many at the same time.
static bool is_in_the_way(const Op *op) {
  return op_has_any(op, READS | WRITES) || op->region_count || op->kind == OP_DOT;
}

// True if the cast can be earlier, or takes a dot's sums, which are cast tile by tile as they come.
static bool is_late(const Op *cast, const Op *after) {
  const Op *op = after ? after->next : cast->region->first;
  if (after && after->kind == OP_DOT && !op_attr(after, ATTR_ASYNC) && op_operand(cast, 0)->def == after)
    return true;
  for (; op != cast; op = op->next)
    if (is_in_the_way(op)) return true;
  return false;
}

static bool visit_region(PassContext *context, Region *region) {
  bool changed = false;
  for (Op *op = region->first, *next; op; op = next) {
    next = op->next;
    for (uint32_t r = 0; r < op->region_count; r++) changed |= visit_region(context, op->regions[r]);
    bool last = false;
    Op *after = narrows(op) ? after_which(op, &last) : NULL;
    if (!last || !is_late(op, after)) continue;
    diag_remark(context->diags, op->loc, "narrow_early", "%u registers are cast as soon as they are loaded",
                layout_registers(op_result(op)->type->layout));
    op_move(op, region, after ? after->next : region->first);
    op_set_flag(op, ATTR_FRESH, true);
    changed = true;
  }
  return changed;
}

bool pass_narrow_early(PassContext *context, Func *func) {
  if (register_slack(context->scratch, func) >= 0) return false;
  func_number(func);
  return visit_region(context, func->body);
}
