// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions. Executes the plan's steps in registers and by shuffles, each over pairs of holders. Every
// thread then has its warp's result: all of a reduce, the parts of reduce_parts.
#include <string.h>
#include "base/fault.h"
#include "base/integer.h"
#include "codegen/emit/address_sum.h"
#include "codegen/emit/emit_combine.h"
#include "codegen/nvvm/nvvm.h"
#include "codegen/llvm/instruction_order.h"
#include "ir/memory/exchange.h"

typedef struct Reduction {
  Emitter *e;
  const Op *op;
  const Layout *layout;
  ReducePlan plan;
  uint32_t count, registers; // operands; registers of each
  LLVMValueRef *v[MAX_COMBINED];
  bool commutes;
  uint32_t followers;              // lane bits
  LLVMValueRef base[MAX_COMBINED]; // the base that the operand's registers count from; NULL: 0
} Reduction;

// True if register r is the later of the two elements that differ by `delta`.
static LLVMValueRef is_later(Reduction *d, uint32_t r, uint32_t delta) {
  Emitter *e = d->e;
  uint32_t top = log2_floor(delta);
  LayoutIndex index = emit_thread_index(e, d->layout);
  if (!(index.thread_mask >> top & 1))
    return LLVMConstInt(e->i1, layout_apply(d->layout, r, 0, 0, 0) >> top & 1, false);
  LLVMValueRef bit = LLVMBuildAnd(e->builder, emit_index(e, d->layout, r), emit_i32(e, 1u << top), "");
  return LLVMBuildICmp(e->builder, LLVMIntNE, bit, emit_i32(e, 0), "");
}

// True for a step over registers. Also true for a step over lanes where one lane bit decides which holder has
// the earlier elements.
static bool is_plain(const Reduction *d, const ReduceStep *step) {
  const Layout *layout = d->layout;
  const uint32_t first = layout_first_bit(layout, DIM_LANE), top = log2_floor(step->delta);
  if (!step->lane) return true;
  if (step->reg || (step->lane & (step->lane - 1))) return false;
  for (uint32_t i = 0; i < layout_in_bits(layout); i++)
    if ((layout->basis[i] >> top & 1) != (i == first + log2_of(step->lane))) return false;
  return true;
}

// If the order matters and all steps are plain, only the lane whose step bits are all 0 combines in order.
// The others get the result from there. Returns the mask of those bits; 0: every lane must combine in order.
static uint32_t find_followers(const Reduction *d) {
  uint32_t lanes = 0;
  for (uint32_t i = 0; i < d->plan.local; i++) {
    if (!is_plain(d, &d->plan.steps[i])) return 0;
    lanes |= d->plan.steps[i].lane;
  }
  return !d->commutes && __builtin_popcount(lanes) > 1 ? lanes : 0;
}

static void take_leaders(Reduction *d, uint32_t dead) {
  Emitter *e = d->e;
  LLVMValueRef leader =
      LLVMBuildAnd(e->builder, e->threads.lane, emit_i32(e, (1u << LANE_BITS) - 1 - d->followers), "");
  for (uint32_t r = 0; r < d->registers; r++)
    for (uint32_t k = 0; k < d->count && !(r & dead); k++)
      d->v[k][r] = emit_shuffle_from(e, d->v[k][r], leader);
}

// Combines v[r] and `others` into v[r], the earlier one first, so that both holders get the same result. With
// followers, only the leader's result is right.
static void combine_register(Reduction *d, uint32_t r, const LLVMValueRef *others, const ReduceStep *step) {
  Emitter *e = d->e;
  LLVMValueRef a[MAX_COMBINED], b[MAX_COMBINED], out[MAX_COMBINED];
  bool ordered = !d->commutes && !(step->lane && d->followers);
  LLVMValueRef later = ordered ? is_later(d, r, step->delta) : NULL;
  for (uint32_t k = 0; k < d->count; k++) {
    a[k] = later ? LLVMBuildSelect(e->builder, later, others[k], d->v[k][r], "") : d->v[k][r];
    b[k] = later ? LLVMBuildSelect(e->builder, later, d->v[k][r], others[k], "") : others[k];
  }
  emit_combine(e, d->op, a, b, out);
  for (uint32_t k = 0; k < d->count; k++) d->v[k][r] = out[k];
}

static void take_step(Reduction *d, const ReduceStep *step, uint32_t *dead) {
  uint32_t merged = step->lane ? 0 : 1u << log2_floor(step->reg);
  LLVMValueRef *others = ARENA_ARRAY(d->e->arena, LLVMValueRef, (size_t)d->registers * d->count);
  for (uint32_t r = 0; r < d->registers; r++)
    for (uint32_t k = 0; k < d->count && !(r & (*dead | merged)); k++)
      others[r * d->count + k] = emit_shuffle_xor(d->e, d->v[k][r ^ step->reg], step->lane);
  for (uint32_t r = 0; r < d->registers; r++)
    if (!(r & (*dead | merged))) combine_register(d, r, others + r * d->count, step);
  *dead |= merged;
}

// --- indices along the axis
//
// argmax combines each element with its index. An index is a thread's number plus a constant of the register.
// The thread's number is not needed before threads combine. LLVM compares constants at compile time. So a
// thread combines its own elements without comparing indices, and without a register for each index.

enum { MAX_CHOICES = 8 }; // nested selects

// True if the value is an index of operand k, on either side, or selected among such indices.
static bool chooses_index(const Region *region, const Value *value, uint32_t k, uint32_t choices) {
  const uint32_t half = region->arg_count / 2;
  if (!value->def) return value->region == region && value->index % half == k;
  const Op *op = value->def;
  if (op->region != region || choices == MAX_CHOICES) return false;
  if (!op_has(op, CHOOSES)) return false;
  for (uint32_t i = op->kind == OP_SELECT; i < op->operand_count; i++)
    if (!chooses_index(region, op_operand(op, i), k, choices + 1)) return false;
  return true;
}

// True if the op only compares, selects or yields operand k's indices, or values selected among them. They
// must be yielded as result k.
static bool counts_from_anywhere(const Region *region, const Op *op, uint32_t k) {
  uint32_t indices = 0;
  if (op->region_count) return false;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    bool index = chooses_index(region, op_operand(op, i), k, 0);
    if (op->kind == OP_YIELD && index != (i == k)) return false;
    indices += index;
  }
  if (!indices || op->kind == OP_YIELD || (op_has(op, COMPARE) && indices == 2)) return true;
  return op->result_count == 1 && chooses_index(region, op_result(op), k, 0);
}

// True if the region's choice does not change when a number is subtracted from all of operand k.
static bool may_count_from_base(const Region *region, uint32_t k) {
  for (const Op *op = region->first; op; op = op->next)
    if (!counts_from_anywhere(region, op, k)) return false;
  return true;
}

// True if the value is an arange, maybe broadcast along other dimensions. Its sums do not wrap.
static bool is_arange(const Value *value) {
  while (value->def && (value->def->kind == OP_EXPAND_DIMS || value->def->kind == OP_BROADCAST))
    value = op_operand(value->def, 0);
  return value->def && value->def->kind == OP_ARANGE;
}

// Subtracts the common base from operand k's registers.
static void count_from_base(Reduction *d, uint32_t k) {
  LLVMValueRef base = number_part(d->v[k][0]).part;
  if (!base || !is_arange(op_operand(d->op, k)) || !may_count_from_base(d->op->regions[0], k)) return;
  for (uint32_t r = 0; r < d->registers; r++)
    if (number_part(d->v[k][r]).part != base) return;
  for (uint32_t r = 0; r < d->registers; r++)
    d->v[k][r] = LLVMConstInt(LLVMTypeOf(base), (uint64_t)number_part(d->v[k][r]).constant, false);
  d->base[k] = base;
}

static void count_from_zero(Reduction *d, uint32_t dead) {
  for (uint32_t k = 0; k < d->count; k++) {
    for (uint32_t r = 0; r < d->registers && d->base[k]; r++)
      if (!(r & dead)) d->v[k][r] = LLVMBuildAdd(d->e->builder, d->base[k], d->v[k][r], "");
    d->base[k] = NULL;
  }
}

// --- a thread's own registers

// Performs the first `steps` steps, which are over registers, for register r. Combines each pair as soon as
// both are known, so that few partial results are alive.
static void combine_registers(Reduction *d, uint32_t r, uint32_t steps) {
  if (steps == 0) return;
  const ReduceStep *step = &d->plan.steps[steps - 1];
  LLVMValueRef others[MAX_COMBINED] = {NULL};
  combine_registers(d, r, steps - 1);
  combine_registers(d, r ^ step->reg, steps - 1);
  for (uint32_t k = 0; k < d->count; k++) others[k] = d->v[k][r ^ step->reg];
  combine_register(d, r, others, step);
}

// True if multiplications are summed: each may become one multiply-add with the sum so far.
static bool sums_products(const Reduction *d) {
  const Op *first = d->op->regions[0]->first, *product = op_operand(d->op, 0)->def;
  while (product && product->kind == OP_RESHAPE) product = op_operand(product, 0)->def;
  return d->count == 1 && d->commutes && first->kind == OP_ADD && first->next == d->op->regions[0]->last &&
         product && product->kind == OP_MUL && type_is_float(type_element(op_operand(d->op, 0)->type));
}

static uint32_t register_at(const Reduction *d, uint32_t r, uint32_t number) {
  for (uint32_t i = 0; number >> i; i++)
    if (number >> i & 1) r ^= d->plan.steps[i].reg;
  return r;
}

// The same for sums of multiplications, with several independent sums.
static void add_products(Reduction *d, uint32_t r, uint32_t steps) {
  enum { SUMS = 2 }; // log2
  for (uint32_t i = 1u << SUMS; i < 1u << steps; i++) {
    uint32_t sum = register_at(d, r, i % (1u << SUMS));
    combine_register(d, sum, &d->v[0][register_at(d, r, i)], &d->plan.steps[0]);
  }
  combine_registers(d, r, min_u32(steps, SUMS));
}

// --- the largest or smallest of bf16, by words of two

// The bf16 values whose cast to fp32 is combined by one minimum or maximum, which does not round. NULL:
// another case.
static const Value *extreme_of_bf16(const Reduction *d) {
  const Op *first = d->op->regions[0]->first, *cast = op_operand(d->op, 0)->def;
  bool extreme = first->kind == OP_MIN || first->kind == OP_MAX;
  if (d->count != 1 || !d->commutes || !extreme || first->next != d->op->regions[0]->last) return NULL;
  if (!cast || cast->kind != OP_CAST || !type_is_elem(op_result(cast)->type, ELEM_FP32)) return NULL;
  return type_is_elem(op_operand(cast, 0)->type, ELEM_BF16) ? op_operand(cast, 0) : NULL;
}

// True if at most the first step combines neighbouring registers. *apart: it does not, so a word has halves of two results.
static bool steps_keep_words(const Reduction *d, uint32_t steps, bool *apart) {
  *apart = steps > 0 && d->plan.steps[0].reg != 1;
  for (uint32_t i = !*apart; i < steps; i++)
    if (d->plan.steps[i].reg & 1) return false;
  return *apart ? d->registers > 1 : steps > 1;
}

// Combines registers r and r + 1 in the steps from `first` on.
static LLVMValueRef combine_words(Reduction *d, const Value *halves, uint32_t r, uint32_t first,
                                  uint32_t steps) {
  Emitter *e = d->e;
  if (steps == first) {
    LLVMValueRef both[] = {emit_register(e, halves, r), emit_register(e, halves, r + 1)};
    return emit_vector(e, both, 2);
  }
  LLVMValueRef a = combine_words(d, halves, r, first, steps - 1);
  LLVMValueRef b = combine_words(d, halves, r ^ d->plan.steps[steps - 1].reg, first, steps - 1);
  bool largest = d->op->regions[0]->first->kind == OP_MAX;
  return nvvm_intrinsic(e, largest ? "llvm.nvvm.fmax.bf16x2" : "llvm.nvvm.fmin.bf16x2", NULL, 0,
                        (LLVMValueRef[]){a, b}, 2);
}

static void combine_halves(Reduction *d, const Value *halves, uint32_t r, uint32_t steps, bool apart) {
  Emitter *e = d->e;
  LLVMValueRef word = combine_words(d, halves, r, !apart, steps);
  d->v[0][r] = LLVMBuildFPExt(e->builder, emit_vector_element(e, word, 0), e->f32, "");
  LLVMValueRef other = LLVMBuildFPExt(e->builder, emit_vector_element(e, word, 1), e->f32, "");
  if (apart)
    d->v[0][r + 1] = other;
  else
    combine_register(d, r, &other, &d->plan.steps[0]);
}

// --- whether a byte is not 0, by words of four

// The byte that a boolean, or one that is widened, compares with 0. NULL: another value.
static LLVMValueRef byte_of_boolean(const Emitter *e, LLVMValueRef x) {
  if (LLVMIsAZExtInst(x)) x = LLVMGetOperand(x, 0);
  if (!LLVMIsAICmpInst(x) || LLVMGetICmpPredicate(x) != LLVMIntNE) return NULL;
  LLVMValueRef byte = LLVMGetOperand(x, 0);
  return LLVMTypeOf(byte) == e->i8 && LLVMIsNull(LLVMGetOperand(x, 1)) ? byte : NULL;
}

static bool joins_bytes(const Reduction *d, uint32_t steps) {
  const Op *first = d->op->regions[0]->first;
  bool any = first->kind == OP_MAX || first->kind == OP_OR;
  if (d->count != 1 || !any || first->next != d->op->regions[0]->last || steps < 2) return false;
  for (uint32_t i = 0; i < steps; i++)
    if (i < 2 ? d->plan.steps[i].reg != i + 1 : d->plan.steps[i].reg & 3) return false;
  for (uint32_t r = 0; r < d->registers; r++)
    if (!byte_of_boolean(d->e, d->v[0][r])) return false;
  return true;
}

// Registers r to r + 3 in all steps.
static LLVMValueRef join_bytes(const Reduction *d, uint32_t r, uint32_t steps) {
  LLVMValueRef bytes[4];
  if (steps > 2) {
    LLVMValueRef first = join_bytes(d, r, steps - 1);
    LLVMValueRef second = join_bytes(d, r ^ d->plan.steps[steps - 1].reg, steps - 1);
    return LLVMBuildOr(d->e->builder, first, second, "");
  }
  for (uint32_t i = 0; i < 4; i++) bytes[i] = byte_of_boolean(d->e, d->v[0][r + i]);
  return emit_vector_word(d->e, bytes, 4);
}

static void combine_bytes(Reduction *d, uint32_t r, uint32_t steps) {
  Emitter *e = d->e;
  LLVMTypeRef type = LLVMTypeOf(d->v[0][r]);
  LLVMValueRef any = LLVMBuildICmp(e->builder, LLVMIntNE, join_bytes(d, r, steps), emit_i32(e, 0), "");
  d->v[0][r] = type == e->i1 ? any : LLVMBuildZExt(e->builder, any, type, "");
}

// Returns the number of steps that are done.
static uint32_t take_register_steps(Reduction *d, uint32_t *dead) {
  bool products = sums_products(d);
  uint32_t n = 0;
  for (; n < d->plan.local && !d->plan.steps[n].lane; n++) *dead |= 1u << log2_floor(d->plan.steps[n].reg);
  const Value *halves = d->e->target->arch->has_bf16_extremes ? extreme_of_bf16(d) : NULL;
  bool apart, words = halves && steps_keep_words(d, n, &apart), bytes = joins_bytes(d, n);
  for (uint32_t r = 0; r < d->registers && n; r++) {
    if ((r & *dead) || (words && apart && (r & 1))) continue;
    if (words)
      combine_halves(d, halves, r, n, apart);
    else if (bytes)
      combine_bytes(d, r, n);
    else if (products)
      add_products(d, r, n);
    else
      combine_registers(d, r, n);
  }
  return n;
}

// Orders the computation of the remaining registers one after another.
static void order_in_turn(const Reduction *d, uint32_t dead) {
  LLVMValueRef *left = ARENA_ARRAY(d->e->arena, LLVMValueRef, (size_t)d->registers * d->count);
  uint32_t n = 0;
  for (uint32_t r = 0; r < d->registers; r++)
    for (uint32_t k = 0; k < d->count && !(r & dead); k++) left[n++] = d->v[k][r];
  llvm_order_by_result(LLVMGetInsertBlock(d->e->builder), left, n);
  LLVMPositionBuilderAtEnd(d->e->builder, LLVMGetInsertBlock(d->e->builder));
}

// --- redux.sync

static void take_steps(Reduction *d) {
  uint32_t dead = 0, redux = UINT32_MAX;
  bool found = op_attr(d->op, ATTR_REDUX) && redux_fits(d->op, &d->plan, &redux);
  for (uint32_t k = 0; k < d->count && d->registers > 1; k++) count_from_base(d, k);
  uint32_t first = take_register_steps(d, &dead);
  if (op_attr(d->op, ATTR_STREAMED)) order_in_turn(d, dead);
  for (uint32_t i = first; i < d->plan.local; i++) {
    if (d->plan.steps[i].lane) count_from_zero(d, dead);
    if (!found || i < redux) {
      take_step(d, &d->plan.steps[i], &dead);
    } else if (i == redux) {
      for (uint32_t r = 0; r < d->registers; r++)
        if (!(r & dead)) d->v[0][r] = nvvm_redux(d->e, redux_name(d->op), d->v[0][r]);
    }
  }
  count_from_zero(d, dead);
  if (d->followers && !d->plan.part_bits) take_leaders(d, dead); // only leaders write parts
}

// --- results

static void rename_results(Reduction *d) {
  const Type *type = d->op->results[0].type;
  uint32_t count = emit_count(type);
  LLVMValueRef *out[MAX_COMBINED];
  for (uint32_t k = 0; k < d->count; k++) out[k] = emit_new(d->e, &d->op->results[k]);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t wanted = type_is_tile(type) ? layout_apply(type->layout, i, 0, 0, 0) : 0, r = 0;
    while (r < d->registers && ((r & d->plan.dead) ||
                                reduce_without_axis(&d->plan, layout_apply(d->layout, r, 0, 0, 0)) != wanted))
      r++;
    if (r == d->registers) BUG("a reduction's result is in another thread");
    for (uint32_t k = 0; k < d->count; k++) out[k][i] = d->v[k][r];
  }
}

// Keeps the registers that are not merged into others, in order.
static void keep_parts(Reduction *d) {
  uint32_t free_bits[DIM_COUNT];
  layout_free_bits(&d->plan.parts, free_bits);
  for (uint32_t k = 0; k < d->count; k++) {
    LLVMValueRef *out = emit_new(d->e, &d->op->results[k]);
    for (uint32_t r = 0; r < d->registers; r++)
      if (!(r & free_bits[DIM_REGISTER])) *out++ = d->v[k][r];
  }
}

void emit_reduce(Emitter *e, Op *op) {
  Reduction d = {.e = e, .op = op, .layout = op_operand(op, 0)->type->layout, .count = combined_count(op)};
  d.plan = reduce_plan(op);
  d.commutes = region_commutes(op->regions[0]) == COMMUTES_EXACTLY;
  d.followers = find_followers(&d);
  d.registers = layout_registers(d.layout);
  for (uint32_t k = 0; k < d.count; k++) {
    d.v[k] = ARENA_ARRAY(e->arena, LLVMValueRef, d.registers);
    memcpy(d.v[k], emit_get(e, op_operand(op, k)), d.registers * sizeof **d.v);
  }
  take_steps(&d);
  if (op->kind == OP_REDUCE_PARTS)
    keep_parts(&d);
  else
    rename_results(&d);
}
