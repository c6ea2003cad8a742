// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowers structured control flow to basic blocks and phis. Loops are rotated: a guard before, the test at the
// end. A next index that may have wrapped is never compared, so a range ends at its bound whatever its type.
#include "codegen/emit/emit_dot.h"
#include "ir/layout/quotient_runs.h"

LLVMBasicBlockRef emit_block(Emitter *e, const char *name) {
  return LLVMAppendBasicBlockInContext(e->context, e->function, name);
}

// --- phis

// True if the tile was loaded element by element, directly or in a branch.
static bool is_loaded_singly(const Value *value) {
  const Op *op = value->def;
  if (!op) return false;
  if (op->kind == OP_LOAD) return op_int(op, ATTR_VECTOR, 1) == 1;
  return op->kind == OP_IF &&
         (is_loaded_singly(flow_source(value, 0)) || is_loaded_singly(flow_source(value, 1)));
}

// True if the next iteration uses what this one loads. Packing two such elements would wait for the loads in
// this iteration.
static bool is_loaded_ahead(const Value *value) {
  const Op *loop = value->def ? value->def : value->region->parent;
  if (loop && loop->kind == OP_FOR && flow_source(value, 1)) return is_loaded_singly(flow_source(value, 1));
  bool carried = false;
  for (const Use *use = value->first_use; use; use = use->next)
    carried |=
        use->user->kind == OP_YIELD && use->user->region->parent && use->user->region->parent->kind == OP_FOR;
  return carried && is_loaded_singly(value);
}

// Elements packed into one phi. Two of 16 bits or four of 8 bits share a phi if there are many. Otherwise
// each would take a 32-bit register.
static uint32_t elements_a_phi(const Emitter *e, const Value *value) {
  enum { MANY = 16 };
  if (!type_is_tile(value->type) || is_loaded_ahead(value)) return 1;
  uint32_t count = emit_count(value->type);
  LLVMTypeRef type = emit_type(e, value->type);
  uint32_t each = type == e->i8 ? 4 : emit_is_half(e, type) || type == e->i16 ? 2 : 1;
  return count >= MANY && count % each == 0 ? each : 1;
}

// Creates phis for `value`'s registers at the builder's position, without incoming values yet.
static void begin_phis(Emitter *e, const Value *value) {
  LLVMValueRef *phis = emit_new(e, value);
  LLVMTypeRef type = emit_type(e, value->type);
  uint32_t each = elements_a_phi(e, value);
  for (uint32_t r = 0; r < emit_count(value->type); r += each)
    phis[r] = LLVMBuildPhi(e->builder, each == 1 ? type : LLVMVectorType(type, each), "");
}

// Unpacks the phis' elements. Call after all phis of the block are created.
static void take_from_phis(Emitter *e, const Value *value) {
  LLVMValueRef *phis = emit_get(e, value);
  uint32_t each = elements_a_phi(e, value);
  for (uint32_t r = 0; each > 1 && r < emit_count(value->type); r += each)
    for (uint32_t i = each; i-- > 0;)
      phis[r + i] = LLVMBuildExtractElement(e->builder, phis[r], emit_i32(e, i), "");
}

// Packs the registers for a phi at the end of `block`.
static LLVMValueRef put_together(Emitter *e, const LLVMValueRef *from, uint32_t each,
                                 LLVMBasicBlockRef block) {
  if (each == 1) return from[0];
  LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
  LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(block));
  LLVMValueRef all = emit_vector(e, from, each);
  LLVMPositionBuilderAtEnd(e->builder, here);
  return all;
}

// Adds the incoming values. `block` must have its branch. Call after take_from_phis.
static void add_to_phis(Emitter *e, const Value *value, const LLVMValueRef *from, LLVMBasicBlockRef block) {
  const LLVMValueRef *registers = emit_get(e, value);
  uint32_t each = elements_a_phi(e, value);
  for (uint32_t r = 0; r < emit_count(value->type); r += each) {
    LLVMValueRef phi = each == 1 ? registers[r] : LLVMGetOperand(registers[r], 0);
    LLVMValueRef all = put_together(e, from + r, each, block);
    LLVMAddIncoming(phi, &all, &block, 1);
  }
}

// Merges phis of a loop-carried value that are equal within runs. The attribute of the yielded value gives
// the runs. The first phi of a run replaces the others in code that is already emitted too.
static void merge_phis(Emitter *e, const Value *value, const Value *init, const Value *yielded) {
  bool runs = yielded->def && yielded->def->kind != OP_HINT && op_attr(yielded->def, ATTR_CONSTANT);
  if (!runs || !type_is_tile(value->type)) return;
  LLVMValueRef *phis = emit_get(e, value), *enters = emit_get(e, init), *returns = emit_get(e, yielded);
  uint32_t inside = quotient_runs(yielded->def).first;
  for (uint32_t r = 0; r < emit_count(value->type); r++) {
    uint32_t first = r & ~inside;
    if (first == r || enters[r] != enters[first] || returns[r] != returns[first]) continue;
    LLVMReplaceAllUsesWith(phis[r], phis[first]);
    phis[r] = phis[first];
  }
}

// --- ranges

typedef struct LoopRange {
  LLVMValueRef lower, upper, step;
  bool is_signed;
  bool down, up; // the step's sign if known; both false if not
} LoopRange;

static LoopRange range_of(Emitter *e, const Op *op) {
  LoopRange range = {emit_register(e, op_operand(op, 0), 0),
                     emit_register(e, op_operand(op, 1), 0),
                     emit_register(e, op_operand(op, 2), 0),
                     elem_is_signed(type_element(op_operand(op, 0)->type)->elem),
                     false,
                     false};
  int64_t step;
  bool known = value_int_constant(op_operand(op, 2), &step);
  range.down = range.is_signed && known && step < 0;
  range.up = !range.is_signed || (known && step > 0);
  return range;
}

static LLVMValueRef step_is_down(Emitter *e, const LoopRange *range) {
  return LLVMBuildICmp(e->builder, LLVMIntSLT, range->step, LLVMConstNull(LLVMTypeOf(range->step)), "");
}

// True if the range is not empty.
static LLVMValueRef runs_at_all(Emitter *e, const LoopRange *range) {
  LLVMValueRef up =
      LLVMBuildICmp(e->builder, range->is_signed ? LLVMIntSLT : LLVMIntULT, range->lower, range->upper, "");
  if (range->up) return up;
  LLVMValueRef down = LLVMBuildICmp(e->builder, LLVMIntSGT, range->lower, range->upper, "");
  return range->down ? down : LLVMBuildSelect(e->builder, step_is_down(e, range), down, up, "");
}

// The bound minus the step, if both are constants and the result fits the type. An index is followed by
// another one only if it has not reached this end.
static LLVMValueRef constant_end(const LoopRange *range) {
  if (!range->is_signed || !LLVMIsConstant(range->upper) || !LLVMIsConstant(range->step)) return NULL;
  int64_t end;
  if (__builtin_sub_overflow(LLVMConstIntGetSExtValue(range->upper), LLVMConstIntGetSExtValue(range->step),
                             &end))
    return NULL;
  LLVMValueRef value = LLVMConstInt(LLVMTypeOf(range->upper), (uint64_t)end, true);
  return LLVMConstIntGetSExtValue(value) == end ? value : NULL;
}

static bool is_not_negative(LLVMValueRef x) {
  return LLVMIsAConstantInt(x) && LLVMConstIntGetSExtValue(x) >= 0;
}

// True if there is another index after i: the distance to the bound exceeds the step. The distance is
// positive and may need all bits.
// If the index may be negative and the end is known, a signed comparison is used. It avoids two bugs of ptxas
// 13.0: (a) LLVM turns 1 - i > 1 into i > 1. From that, ptxas makes i + 1 > 2, all unsigned, and leaves the
// loop at -1. (b) Counting down to 0, LLVM turns i + 1 > 1 into i - 1 < -2, unsigned. Then ptxas unrolls one
// iteration too many.
static LLVMValueRef runs_again(Emitter *e, const LoopRange *range, LLVMValueRef i) {
  LLVMValueRef end =
      range->down || (range->up && !is_not_negative(range->lower)) ? constant_end(range) : NULL;
  if (end) return LLVMBuildICmp(e->builder, range->down ? LLVMIntSGT : LLVMIntSLT, i, end, "");
  LLVMValueRef up = LLVMBuildSub(e->builder, range->upper, i, ""),
               down = LLVMBuildSub(e->builder, i, range->upper, "");
  LLVMValueRef distance = range->up ? up : down,
               size = range->up ? range->step : LLVMBuildNeg(e->builder, range->step, "");
  if (!range->up && !range->down) {
    LLVMValueRef is_down = step_is_down(e, range);
    distance = LLVMBuildSelect(e->builder, is_down, down, up, "");
    size = LLVMBuildSelect(e->builder, is_down, size, range->step, "");
  }
  return LLVMBuildICmp(e->builder, LLVMIntUGT, distance, size, "");
}

static void begin_results(Emitter *e, const Op *op) {
  for (uint32_t i = 0; i < op->result_count; i++) begin_phis(e, &op->results[i]);
  for (uint32_t i = 0; i < op->result_count; i++) take_from_phis(e, &op->results[i]);
}

void emit_for(Emitter *e, Op *op) {
  Region *region = op->regions[0];
  LoopRange range = range_of(e, op);
  LLVMBasicBlockRef body = emit_block(e, "loop"), exit = emit_block(e, "loop_end"),
                    before = LLVMGetInsertBlock(e->builder);
  LLVMBuildCondBr(e->builder, runs_at_all(e, &range), body, exit);

  LLVMPositionBuilderAtEnd(e->builder, body);
  for (uint32_t i = 0; i < region->arg_count; i++) begin_phis(e, region->args[i]);
  for (uint32_t i = 0; i < region->arg_count; i++) take_from_phis(e, region->args[i]);
  add_to_phis(e, region->args[0], &range.lower, before);
  for (uint32_t i = 1; i < region->arg_count; i++)
    add_to_phis(e, region->args[i], emit_get(e, op_operand(op, i + 2)), before);
  LLVMValueRef index = emit_get(e, region->args[0])[0];
  Op *yield = emit_region(e, region);
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->builder);
  LLVMValueRef next = LLVMBuildAdd(e->builder, index, range.step, "");
  LLVMValueRef branch = LLVMBuildCondBr(e->builder, runs_again(e, &range, index), body, exit);
  emit_limit_unrolling(e, region, 1, branch);
  add_to_phis(e, region->args[0], &next, latch);
  for (uint32_t i = 1; i < region->arg_count; i++)
    add_to_phis(e, region->args[i], emit_get(e, op_operand(yield, i - 1)), latch);

  LLVMPositionBuilderAtEnd(e->builder, exit);
  begin_results(e, op);
  for (uint32_t i = 0; i < op->result_count; i++) {
    add_to_phis(e, &op->results[i], emit_get(e, loop_init(op, i)), before);
    add_to_phis(e, &op->results[i], emit_get(e, op_operand(yield, i)), latch);
    merge_phis(e, &op->results[i], loop_init(op, i), op_operand(yield, i));
    merge_phis(e, loop_carried(op, i), loop_init(op, i), op_operand(yield, i));
  }
}

// True if the branch only starts copies, and none that ops have to stay before.
static bool only_copies(const Op *branch) {
  const Op *op = branch->regions[0]->first;
  uint32_t copies = 0;
  for (; op->kind == OP_COPY_ASYNC || op_is_buffer_view(op); op = op->next) {
    if (op_attr(op, ATTR_PINNED)) return false;
    copies += op->kind == OP_COPY_ASYNC;
  }
  return copies && op->kind == OP_YIELD && branch->regions[1]->first->kind == OP_YIELD &&
         !branch->result_count;
}

// Copies run under a predicate. A branch would keep ptxas from computing their addresses before a barrier.
void emit_if(Emitter *e, Op *op) {
  if (only_copies(op)) {
    e->begins = emit_register(e, op_operand(op, 0), 0);
    emit_region(e, op->regions[0]);
    e->begins = NULL;
    return;
  }
  LLVMBasicBlockRef arms[2] = {emit_block(e, "then"), emit_block(e, "else")}, end = emit_block(e, "if_end"),
                    from[2];
  Op *yields[2];
  LLVMBuildCondBr(e->builder, emit_register(e, op_operand(op, 0), 0), arms[0], arms[1]);
  for (uint32_t i = 0; i < 2; i++) {
    LLVMPositionBuilderAtEnd(e->builder, arms[i]);
    yields[i] = emit_region(e, op->regions[i]);
    from[i] = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, end);
  }
  LLVMPositionBuilderAtEnd(e->builder, end);
  begin_results(e, op);
  for (uint32_t i = 0; i < op->result_count; i++)
    for (uint32_t arm = 0; arm < 2; arm++)
      add_to_phis(e, &op->results[i], emit_get(e, op_operand(yields[arm], i)), from[arm]);
}

// The test runs before each iteration. Its values are the results, and the body's arguments.
void emit_while(Emitter *e, Op *op) {
  Region *test = op->regions[0], *body = op->regions[1];
  LLVMBasicBlockRef head = emit_block(e, "while"), loop = emit_block(e, "loop"),
                    exit = emit_block(e, "while_end"), before = LLVMGetInsertBlock(e->builder);
  LLVMBuildBr(e->builder, head);
  LLVMPositionBuilderAtEnd(e->builder, head);
  for (uint32_t i = 0; i < test->arg_count; i++) begin_phis(e, test->args[i]);
  for (uint32_t i = 0; i < test->arg_count; i++) {
    take_from_phis(e, test->args[i]);
    add_to_phis(e, test->args[i], emit_get(e, op_operand(op, i)), before);
  }
  Op *yield = emit_region(e, test);
  LLVMBuildCondBr(e->builder, emit_register(e, op_operand(yield, 0), 0), loop, exit);

  LLVMPositionBuilderAtEnd(e->builder, loop);
  for (uint32_t i = 0; i < body->arg_count; i++)
    emit_bind(e, body->args[i], emit_get(e, op_operand(yield, i + 1)));
  Op *next = emit_region(e, body);
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->builder);
  emit_limit_unrolling(e, body, 0, LLVMBuildBr(e->builder, head));
  for (uint32_t i = 0; i < test->arg_count; i++)
    add_to_phis(e, test->args[i], emit_get(e, op_operand(next, i)), latch);

  LLVMPositionBuilderAtEnd(e->builder, exit);
  for (uint32_t i = 0; i < op->result_count; i++)
    emit_bind(e, &op->results[i], emit_get(e, op_operand(yield, i + 1)));
}

// Emits the region once for each register.
void emit_map(Emitter *e, Op *op) {
  Region *region = op->regions[0];
  LLVMValueRef **out = ARENA_ARRAY(e->arena, LLVMValueRef *, op->result_count);
  for (uint32_t i = 0; i < op->result_count; i++) out[i] = emit_new(e, &op->results[i]);
  for (uint32_t r = 0; op->result_count && r < emit_count(op_result(op)->type); r++) {
    for (uint32_t i = 0; i < region->arg_count; i++)
      emit_new(e, region->args[i])[0] = emit_register(e, op_operand(op, i), r);
    Op *yield = emit_region(e, region);
    for (uint32_t i = 0; i < op->result_count; i++) out[i][r] = emit_register(e, op_operand(yield, i), 0);
  }
}
