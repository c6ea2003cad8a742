// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// merge_loads: merges two loads of the same addresses, in the two branches of an `if`, into one load.
//
// before  %x = if %c then {                    after  %n = xor %c, true
//           %a = load %p, %m, %o                      %s = splat %n
//           yield %a                                  %k = or %m, %s
//         } else {                                    %x = load %p, %k, %o
//           %b = load %p
//           yield %b
//         }
//
// needs   valid IR
// keeps   every value, and which addresses are read
// breaks  nothing
//
// pays    A load in a branch waits where it is. The loop's next load is not issued before it, neither as a copy nor
//         otherwise. The branch saves only predicates.
//
// Applies only in loops. The mask must leave accesses as wide as they are without it.
#include "base/integer.h"
#include "ir/build.h"
#include "passes/analysis/axis_info.h"
#include "passes/passes.h"

enum { ACCESS_BYTES = 16, FEW_OPS = 8 };

typedef struct LoadMerger {
  PassContext *context;
  const AxisTable *axes;
  VEC(Op *)
  found; // the analysis covers only values that existed when it ran, so all merges are decided first
} LoadMerger;

// The only load of the region. The other ops must be few and pure, so that they can be computed anywhere. NULL if the
// region is anything else.
static Op *only_load(const Region *region) {
  const Op *yield = region->last;
  Op *load = yield->operand_count == 1 ? op_operand(yield, 0)->def : NULL;
  uint32_t others = 0;
  if (!load || load->kind != OP_LOAD || load->region != region || load->attrs.n) return NULL;
  for (const Op *op = region->first; op != yield; op = op->next)
    if (op != load && (!op_has(op, PURE) || op->region_count || ++others > FEW_OPS)) return NULL;
  return load;
}

// True if accesses under the mask are as wide as accesses without one.
static bool is_as_wide(const LoadMerger *m, const Value *pointers, const Value *mask) {
  uint32_t order[TILE_MAX_RANK];
  axis_order(m->axes, pointers, order);
  uint64_t most = ACCESS_BYTES / type_element_bytes(type_element(pointers->type)->inner);
  uint64_t run = min_u64(most, axis_info(m->axes, pointers)->contiguity[order[0]]);
  return axis_info(m->axes, mask)->constancy[order[0]] >= run;
}

// The branch of the `if` that reads under a mask what the other branch reads without one. -1 if the `if` is not like
// that.
static int masked_branch(const Op *op) {
  const Op *loads[2];
  if (op->kind != OP_IF || op->result_count != 1 || !type_is_tile(op_result(op)->type)) return -1;
  for (uint32_t i = 0; i < 2; i++)
    if (!(loads[i] = only_load(op->regions[i]))) return -1;
  if (op_operand(loads[0], 0) != op_operand(loads[1], 0)) return -1;
  bool masked[2] = {op_operand(loads[0], 1) != NULL, op_operand(loads[1], 1) != NULL};
  return masked[0] == masked[1] ? -1 : masked[1];
}

// Keeps only the candidates whose mask leaves accesses as wide as before.
static void keep_wide(LoadMerger *m) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < m->found.n; i++) {
    Op *op = m->found.at[i];
    const Op *load = only_load(op->regions[masked_branch(op)]);
    if (is_as_wide(m, op_operand(load, 0), op_operand(load, 1))) m->found.at[kept++] = op;
  }
  m->found.n = kept;
}

static void merge(LoadMerger *m, Op *op) {
  int branch = masked_branch(op);
  Region *region = op->regions[branch];
  while (region->first != region->last) op_move(region->first, op->region, op);
  Op *load = op_operand(region->last, 0)->def;
  Builder b = builder_before(load);
  Value *everywhere = op_operand(op, 0), *mask = op_operand(load, 1);
  if (branch == 0) everywhere = build_binary(&b, OP_XOR, everywhere, build_int(&b, everywhere->type, 1));
  everywhere = build_splat(&b, everywhere, mask->type);
  op_set_operand(load, 1, build_binary(&b, OP_OR, mask, everywhere));
  value_replace_uses(op_result(op), op_result(load));
  op_erase(op);
  diag_remark(m->context->diags, load->loc, "merge_loads",
              "a masked and an unmasked load of the same addresses become one load");
}

bool pass_merge_loads(PassContext *context, Func *func) {
  LoadMerger m = {.context = context};
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (masked_branch(w.op) >= 0 && op_enclosing_loop(w.op)) vec_push(context->scratch, &m.found, w.op);
  if (m.found.n == 0) return false;
  m.axes = axis_analyse(context->scratch, func);
  keep_wide(&m);
  for (uint32_t i = 0; i < m.found.n; i++) merge(&m, m.found.at[i]);
  return m.found.n > 0;
}
