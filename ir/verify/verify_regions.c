// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of ops with regions: arguments, yielded values, and the ops allowed in a combining function.
#include "ir/memory/exchange.h"
#include "ir/verify/verify_parts.h"

static void check_carried(Verifier *v, const Op *op, const Type *type, const Type *result, uint32_t index,
                          const char *what) {
  if (type != result)
    verify_fail(v, op, "%s %u is %s, the result %s", what, index, verify_type_text(v, type),
                verify_type_text(v, result));
}

// Numbers of two groups. Three groups have no counts of registers: the last one issues dots.
static bool are_groups(const Attr *attr, uint32_t most) {
  bool right = attr->ints.n >= 2 && attr->ints.n <= most;
  for (uint32_t i = 0; right && i < attr->ints.n; i++) right = attr->ints.at[i] > 0;
  return right;
}

// Checks how plan_pipeline split the loop into warp groups.
static void check_parted(Verifier *v, const Op *op) {
  enum { MIN_SLOTS = 2 };
  const Attr *warps = op_attr(op, ATTR_GROUP_WARPS), *registers = op_attr(op, ATTR_GROUP_REGISTERS);
  bool slots = op_attr(op, ATTR_SLOTS);
  if (!warps && !registers && !slots) return;
  if (!warps || !are_groups(warps, registers ? 2 : 3) ||
      warps->ints.at[0] > op->region->func->module->target.num_warps ||
      (registers && !are_groups(registers, 2)) || op_int(op, ATTR_SLOTS, 0) < MIN_SLOTS)
    verify_fail(v, op,
                "a loop for warp specialization says how many warps and registers its groups have, and "
                "of %d slots or more",
                MIN_SLOTS);
}

static void check_for(Verifier *v, const Op *op) {
  const Type *index = operand_type(op, 0);
  const Region *region = op->regions[0];
  check_parted(v, op);
  if (op_attr(op, ATTR_PROGRAMS) && !func_is_persistent(op->region->func))
    verify_fail(v, op,
                "its iterations are programs, but the kernel's parameters do not say how many there are");
  if (op->result_count != op->operand_count - LOOP_FIRST_INIT || region->arg_count != op->operand_count - 2) {
    verify_fail(v, op, "%u initial values, %u results and %u arguments of the region do not agree",
                op->operand_count - LOOP_FIRST_INIT, op->result_count, region->arg_count);
    return;
  }
  check_carried(v, op, region->args[0]->type, index, 0, "argument");
  for (uint32_t i = 0; i < op->result_count; i++) {
    check_carried(v, op, operand_type(op, LOOP_FIRST_INIT + i), op->results[i].type, i, "initial value");
    check_carried(v, op, loop_carried(op, i)->type, op->results[i].type, i + 1, "argument");
  }
}

static void check_if(Verifier *v, const Op *op) {
  if (op->regions[0]->arg_count || op->regions[1]->arg_count)
    verify_fail(v, op, "its regions have no arguments");
}

static void check_while(Verifier *v, const Op *op) {
  for (uint32_t r = 0; r < 2; r++)
    if (op->result_count != op->operand_count || op->regions[r]->arg_count != op->operand_count) {
      verify_fail(v, op, "%u initial values, %u results and %u arguments of region %u do not agree",
                  op->operand_count, op->result_count, op->regions[r]->arg_count, r);
      return;
    }
  for (uint32_t i = 0; i < op->result_count; i++) {
    check_carried(v, op, operand_type(op, i), op->results[i].type, i, "initial value");
    for (uint32_t r = 0; r < 2; r++)
      check_carried(v, op, op->regions[r]->args[i]->type, op->results[i].type, i, "argument");
  }
}

// The region's arguments must be elements of the operands, `times` over.
static void check_element_args(Verifier *v, const Op *op, uint32_t times) {
  const Region *region = op->regions[0];
  uint32_t count = op->kind == OP_SCAN_CARRY ? op->result_count : op_input_count(op);
  if (region->arg_count != times * count) {
    verify_fail(v, op, "its region has %u arguments, not %u: %s element of each operand", region->arg_count,
                times * count, times == 1 ? "an" : "twice an");
    return;
  }
  for (uint32_t i = 0; i < region->arg_count; i++) {
    const Type *element = type_element(operand_type(op, i % count));
    if (region->args[i]->type != element)
      verify_fail(v, op, "argument %u is %s, the operand's element %s", i,
                  verify_type_text(v, region->args[i]->type), verify_type_text(v, element));
  }
}

// Code that runs in any order, or possibly not at all, must have no reads and no effects.
static void check_pure(Verifier *v, const Op *op) {
  for (OpWalk w = ops_inside(op); ops_next(&w);) {
    const Op *inner = w.op;
    bool scalar_math = op_has(inner, PURE) || op_has(inner, TERMINATOR) || op_has(inner, CONTROL) ||
                       (inner->kind == OP_INLINE_ASM && op_attr(inner, ATTR_PURE));
    if (!scalar_math)
      verify_fail(v, inner, "cannot be in the function of %s, which has no effects", op_info(op->kind)->name);
    for (uint32_t i = 0; i < inner->result_count; i++)
      if (type_is_tile(inner->results[i].type))
        verify_fail(v, inner, "the function of %s computes with scalars, not %s", op_info(op->kind)->name,
                    verify_type_text(v, inner->results[i].type));
  }
}

// Requires at least one operand, and that the first `count` are tiles of one shape.
static bool check_tiles(Verifier *v, const Op *op, uint32_t count) {
  if (count == 0) return verify_fail(v, op, "takes 1 operands or more, not 0");
  for (uint32_t i = 0; i < count; i++) {
    if (!type_is_tile(operand_type(op, i)) || !type_same_shape(operand_type(op, i), operand_type(op, 0)))
      return verify_fail(v, op, "the operands are tiles of one shape, operand %u is %s", i,
                         verify_type_text(v, operand_type(op, i)));
    if (operand_type(op, i)->layout != operand_type(op, 0)->layout)
      return verify_fail(v, op, "operand %u has another layout; only convert_layout changes layouts", i);
  }
  return true;
}

static bool check_combiner(Verifier *v, const Op *op) {
  if (!check_tiles(v, op, op_input_count(op)) || !verify_axis(v, op, operand_type(op, 0))) return false;
  if (op->result_count != op_input_count(op))
    return verify_fail(v, op, "%u operands and %u results do not agree", op_input_count(op),
                       op->result_count);
  check_element_args(v, op, 2);
  check_pure(v, op);
  return true;
}

// The shape without dimension `axis`; for one dimension the element itself.
static bool is_reduced(const Type *from, const Type *to, uint32_t axis) {
  if (type_element(from) != type_element(to) || to->rank + 1u != from->rank) return false;
  if (to->kind != TYPE_TILE) return from->rank == 1;
  for (uint32_t d = 0; d < to->rank; d++)
    if (to->shape[d] != from->shape[d + (d >= axis)]) return false;
  return true;
}

static void check_reduce(Verifier *v, const Op *op) {
  if (!check_combiner(v, op)) return;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (!is_reduced(operand_type(op, i), op->results[i].type, (uint32_t)op_int(op, ATTR_AXIS, 0)))
      verify_fail(v, op, "result %u is %s, the operand %s", i, verify_type_text(v, op->results[i].type),
                  verify_type_text(v, operand_type(op, i)));
}

static void check_scan(Verifier *v, const Op *op) {
  if (!check_combiner(v, op)) return;
  for (uint32_t i = 0; i < op->result_count; i++)
    check_carried(v, op, operand_type(op, i), op->results[i].type, i, "operand");
}

// A type must be the one that follows from the layout.
static void check_rows(Verifier *v, const Op *op, const Type *wanted, const Type *type, const char *what) {
  if (wanted != type)
    verify_fail(v, op, "%s is %s, by the layout %s", what, verify_type_text(v, type),
                verify_type_text(v, wanted));
}

void verify_plan(Verifier *v, const Op *op) {
  bool parts = op->kind == OP_REDUCE_PARTS, redux = op_attr(op, ATTR_REDUX);
  uint32_t first;
  if (redux && type_is_tile(operand_type(op, 0)) && !operand_type(op, 0)->layout)
    verify_fail(v, op, "'redux' is of tiles with layouts, not of %s",
                verify_type_text(v, operand_type(op, 0)));
  if ((!parts && op->kind != OP_REDUCE) || !(parts || redux) || !verify_holds(operand_type(op, 0))) return;
  ReducePlan plan = reduce_plan(op);
  for (uint32_t i = 0; parts && i < op->result_count; i++)
    check_rows(v, op, reduce_parts_type(v->module->ir, op, &plan, i), op->results[i].type, "a result");
  if (redux && !redux_fits(op, &plan, &first))
    verify_fail(v, op, "no redux.sync combines as its region does");
}

static void check_chunks(Verifier *v, const Op *op, uint32_t count) {
  IrContext *ir = v->module->ir;
  bool carries = op->kind == OP_SCAN_CARRY;
  ScanPlan plan;
  if (!scan_plan(op, &plan)) {
    verify_fail(v, op, "the layout spreads the axis in a way that is not supported yet");
    return;
  }
  bool runs = op_attr(op, ATTR_RUNS) != NULL;
  if (runs && !scan_run_bits(&plan)) {
    verify_fail(v, op, "'runs' is of chunks whose lanes hold runs one after another");
    return;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (carries || !runs) check_carried(v, op, operand_type(op, i), op->results[i].type, i, "operand");
    if (runs)
      check_rows(v, op, scan_starts_type(ir, op, &plan, i),
                 carries ? operand_type(op, 2 * count + i) : op->results[i].type, "the value before runs");
    if (carries)
      check_rows(v, op, scan_read_type(ir, op, &plan, i), operand_type(op, count + i), "the totals");
    else
      check_rows(v, op, scan_totals_type(ir, op, &plan, i), op->results[count + i].type, "the totals");
  }
}

static void check_exchange(Verifier *v, const Op *op) {
  bool carries = op->kind == OP_SCAN_CARRY, chunks = op->kind == OP_SCAN_CHUNKS;
  uint32_t count = carries ? op->result_count : op->operand_count;
  uint32_t taken = op_attr(op, ATTR_RUNS) ? 3 : 2; // elements, totals, values before runs
  if (op->operand_count != (carries ? taken * count : count) ||
      op->result_count != (chunks ? 2 * count : count)) {
    verify_fail(v, op, "%u operands and %u results do not agree", op->operand_count, op->result_count);
    return;
  }
  if (!check_tiles(v, op, count) || !verify_axis(v, op, operand_type(op, 0))) return;
  check_element_args(v, op, 2);
  check_pure(v, op);
  if (!v->ok) return;
  if (!verify_holds(operand_type(op, 0)))
    verify_fail(v, op, "it is of tiles with layouts");
  else if (chunks || carries)
    check_chunks(v, op, count);
}

static void check_map(Verifier *v, const Op *op) {
  if (!check_tiles(v, op, op_input_count(op))) return;
  check_element_args(v, op, 1);
  check_pure(v, op);
  for (uint32_t i = 0; i < op->result_count; i++) {
    const Type *result = op->results[i].type;
    if (!type_is_tile(result) || !type_same_shape(result, operand_type(op, 0)) ||
        result->layout != operand_type(op, 0)->layout)
      verify_fail(v, op, "result %u, %s, does not have the shape and layout of the operands", i,
                  verify_type_text(v, result));
  }
}

void verify_region_op(Verifier *v, const Op *op) {
  switch ((int)op->kind) {
  case OP_FOR: check_for(v, op); break;
  case OP_IF: check_if(v, op); break;
  case OP_WHILE: check_while(v, op); break;
  case OP_WARP_GROUPS: verify_warp_groups(v, op); break;
  case OP_REDUCE: check_reduce(v, op); break;
  case OP_SCAN: check_scan(v, op); break;
  case OP_MAP: check_map(v, op); break;
  default:
    if (op_has(op, COMBINES)) check_exchange(v, op);
  }
}

// --- yielded values

static void check_yielded(Verifier *v, const Op *yield, uint32_t i, const Type *wanted) {
  const Op *parent = yield->region->parent;
  const Type *type = yield->operands[i].value->type;
  if (type != wanted)
    verify_fail(v, yield, "value %u is %s, the result of %s %s", i, verify_type_text(v, type),
                op_info(parent->kind)->name, verify_type_text(v, wanted));
}

// The first region of a while yields the condition, then the values.
static void check_test_yields(Verifier *v, const Op *yield, const Op *parent) {
  if (yield->operand_count != parent->result_count + 1) {
    verify_fail(v, yield, "%u values for the condition and the %u results of while", yield->operand_count,
                parent->result_count);
    return;
  }
  const Type *condition = operand_type(yield, 0);
  if (condition->kind != TYPE_SCALAR || condition->elem != ELEM_I1)
    verify_fail(v, yield, "the condition is i1, not %s", verify_type_text(v, condition));
  for (uint32_t i = 0; i < parent->result_count; i++) check_yielded(v, yield, i + 1, parent->results[i].type);
}

void verify_yields(Verifier *v, const Op *yield, const Op *parent) {
  if (parent->kind == OP_WHILE && yield->region == parent->regions[0]) {
    check_test_yields(v, yield, parent);
    return;
  }
  uint32_t count = parent->kind == OP_SCAN_CHUNKS ? parent->operand_count : parent->result_count;
  if (yield->operand_count != count) {
    verify_fail(v, yield, "%u values for the %u results of %s", yield->operand_count, count,
                op_info(parent->kind)->name);
    return;
  }
  bool elements = !op_has(parent, FLOW);
  for (uint32_t i = 0; i < yield->operand_count; i++) {
    const Type *result = parent->results[i].type;
    check_yielded(v, yield, i, elements ? type_element(result) : result);
  }
}
