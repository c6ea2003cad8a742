// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions: the steps of the plan in registers and by shuffles, each over pairs of holders, so that every
// thread has what its warp knows; then one exchange through scratch, after which each thread combines the
// parts of its own results, or a warp's lanes the 32 parts of one.
#include <string.h>
#include "base/fault.h"
#include "codegen/emit_combine.h"
#include "codegen/nvvm.h"
#include "ir/scratch.h"

typedef struct Reduction {
  Emitter *e;
  const Op *op;
  const Layout *layout;
  ReducePlan plan;
  uint32_t count, registers; // operands; registers of each
  LLVMValueRef *v[MAX_COMBINED];
  bool commutes;
  uint32_t followers; // bits of the lane
} Reduction;

// Whether register r is the later of the two elements that differ by `delta`.
static LLVMValueRef is_later(Reduction *d, uint32_t r, uint32_t delta) {
  Emitter *e = d->e;
  uint32_t top = 31u - (uint32_t)__builtin_clz(delta);
  LayoutIndex index = emit_thread_index(e, d->layout);
  if (!(index.thread_mask >> top & 1))
    return LLVMConstInt(e->i1, layout_apply(d->layout, r, 0, 0, 0) >> top & 1, false);
  LLVMValueRef bit = LLVMBuildAnd(e->builder, emit_index(e, d->layout, r), emit_i32(e, 1u << top), "");
  return LLVMBuildICmp(e->builder, LLVMIntNE, bit, emit_i32(e, 0), "");
}

// Whether the step is over registers, or over lanes where one bit of the lane alone tells which holder has
// the earlier elements.
static bool is_plain(const Reduction *d, const ReduceStep *step) {
  const Layout *layout = d->layout;
  const uint32_t first = layout_first_bit(layout, DIM_LANE), top = 31u - (uint32_t)__builtin_clz(step->delta);
  if (!step->lane) return true;
  if (step->reg || (step->lane & (step->lane - 1))) return false;
  for (uint32_t i = 0; i < layout_in_bits(layout); i++)
    if ((layout->basis[i] >> top & 1) != (i == first + (uint32_t)__builtin_ctz(step->lane))) return false;
  return true;
}

// Where the order matters and all steps are plain, no lane but the one whose bits of all steps are 0 need
// have combined in order: the others get it from there. The mask of those bits; 0: each lane looks to the
// order.
static uint32_t followers(const Reduction *d) {
  uint32_t lanes = 0;
  for (uint32_t i = 0; i < d->plan.local; i++) {
    if (!is_plain(d, &d->plan.steps[i])) return 0;
    lanes |= d->plan.steps[i].lane;
  }
  return !d->commutes && __builtin_popcount(lanes) > 1 ? lanes : 0;
}

static void follow(Reduction *d, uint32_t dead) {
  Emitter *e = d->e;
  LLVMValueRef leader =
      LLVMBuildAnd(e->builder, e->threads.lane, emit_i32(e, (1u << LANE_BITS) - 1 - d->followers), "");
  for (uint32_t r = 0; r < d->registers; r++)
    for (uint32_t k = 0; k < d->count && !(r & dead); k++)
      d->v[k][r] = emit_shuffle_from(e, d->v[k][r], leader);
}

// v[r] and `others` into v[r], the earlier first, so that both holders get the same; among followers only the
// leader's is right.
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
  uint32_t merged = step->lane ? 0 : 1u << (31u - (uint32_t)__builtin_clz(step->reg));
  LLVMValueRef *others = ARENA_ARRAY(d->e->arena, LLVMValueRef, (size_t)d->registers * d->count);
  for (uint32_t r = 0; r < d->registers; r++)
    for (uint32_t k = 0; k < d->count && !(r & (*dead | merged)); k++)
      others[r * d->count + k] = emit_shuffle_xor(d->e, d->v[k][r ^ step->reg], step->lane);
  for (uint32_t r = 0; r < d->registers; r++)
    if (!(r & (*dead | merged))) combine_register(d, r, others + r * d->count, step);
  *dead |= merged;
}

// --- redux.sync

// NULL: none does it.
static const char *redux_name(const Reduction *d) {
  const Op *op = d->op;
  if (!d->commutes || !d->e->target->arch->has_redux) return NULL;
  const Op *inner = op->regions[0]->first;
  const Type *type = op_operand(op, 0)->type;
  bool is_signed = type_is_elem(type, ELEM_I32);
  if (op_input_count(op) != 1 || !inner || inner->next != op->regions[0]->last) return NULL;
  if (!is_signed && !type_is_elem(type, ELEM_U32)) return NULL;
  switch ((int)inner->kind) {
  case OP_ADD: return "add";
  case OP_MIN: return is_signed ? "min" : "umin";
  case OP_MAX: return is_signed ? "max" : "umax";
  case OP_AND: return "and";
  case OP_OR: return "or";
  case OP_XOR: return "xor";
  default: return NULL;
  }
}

// The first of the five steps over all lanes that one instruction does; false: there are none.
static bool find_redux(const Reduction *d, uint32_t *first) {
  uint32_t lanes = 0, n = 0;
  if (!redux_name(d)) return false;
  for (uint32_t i = 0; i < d->plan.local; i++) {
    const ReduceStep *step = &d->plan.steps[i];
    if (!step->lane) continue;
    if (n++ == 0) *first = i;
    if (step->reg) return false;
    lanes |= step->lane;
  }
  return n == LANE_BITS && lanes == 31;
}

static void take_steps(Reduction *d) {
  uint32_t dead = 0, redux = UINT32_MAX;
  bool found = find_redux(d, &redux);
  for (uint32_t i = 0; i < d->plan.local; i++) {
    if (!found || i < redux) {
      take_step(d, &d->plan.steps[i], &dead);
    } else if (i == redux) {
      for (uint32_t r = 0; r < d->registers; r++)
        if (!(r & dead)) d->v[0][r] = nvvm_redux(d->e, redux_name(d), d->v[0][r]);
    }
  }
  if (d->followers && !d->plan.part_bits) follow(d, dead); // scratch is written by leaders alone
}

// --- results

static uint32_t result_of(const ReducePlan *plan, uint32_t index) {
  uint32_t below = index & ((1u << plan->axis_first) - 1);
  return index >> (plan->axis_first + plan->axis_bits) << plan->axis_first | below;
}

static void rename_results(Reduction *d) {
  const Type *type = d->op->results[0].type;
  uint32_t count = emit_count(type);
  LLVMValueRef *out[MAX_COMBINED];
  for (uint32_t k = 0; k < d->count; k++) out[k] = emit_new(d->e, &d->op->results[k]);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t wanted = type_is_tile(type) ? layout_apply(type->layout, i, 0, 0, 0) : 0, r = 0;
    while (r < d->registers &&
           ((r & d->plan.dead) || result_of(&d->plan, layout_apply(d->layout, r, 0, 0, 0)) != wanted))
      r++;
    if (r == d->registers) BUG("a reduction's result is in another thread");
    for (uint32_t k = 0; k < d->count; k++) out[k][i] = d->v[k][r];
  }
}

// All parts of the results that a thread holds: part bits are the lowest registers.
static const Layout *read_map(Reduction *d) {
  const Type *type = d->op->results[0].type;
  const ReducePlan *plan = &d->plan;
  Layout map = {.out_bits = (uint8_t)(plan->result_bits + plan->part_bits)};
  uint32_t n = 0;
  for (uint32_t i = 0; i < plan->part_bits; i++) map.basis[n++] = 1u << (plan->result_bits + i);
  map.bits[DIM_REGISTER] = (uint8_t)plan->part_bits;
  map.bits[DIM_LANE] = d->layout->bits[DIM_LANE];
  map.bits[DIM_WARP] = d->layout->bits[DIM_WARP];
  if (!type_is_tile(type)) return layout_intern(d->e->module->ir, &map);
  Layout places = layout_compose(type->layout, &plan->place);
  memcpy(map.basis + n, places.basis, layout_in_bits(&places) * sizeof *map.basis);
  map.bits[DIM_REGISTER] = (uint8_t)(plan->part_bits + places.bits[DIM_REGISTER]);
  return layout_intern(d->e->module->ir, &map);
}

// Neighbours first, so that a comes before b.
static void combine_parts(Reduction *d, LLVMValueRef **parts, uint32_t first) {
  for (uint32_t n = 1u << d->plan.part_bits; n > 1; n /= 2)
    for (uint32_t i = 0; i < n / 2; i++) {
      LLVMValueRef a[MAX_COMBINED], b[MAX_COMBINED], out[MAX_COMBINED];
      for (uint32_t k = 0; k < d->count; k++) {
        a[k] = parts[k][first + 2 * i];
        b[k] = parts[k][first + 2 * i + 1];
      }
      emit_combine(d->e, d->op, a, b, out);
      for (uint32_t k = 0; k < d->count; k++) parts[k][first + i] = out[k];
    }
}

// --- 32 parts of one result, which a warp's lanes read, one each, and combine by shuffles: fewer registers
// and wavefronts than all parts in each thread, but more steps that wait for one another

static bool lanes_combine(const Op *op, const ReducePlan *plan) {
  return plan->part_bits == LANE_BITS && !type_is_tile(op->results[0].type) &&
         region_commutes(op->regions[0]) == COMMUTES_EXACTLY;
}

static const Layout *spread_map(Reduction *d) {
  Layout map = {.out_bits = LANE_BITS};
  for (uint32_t i = 0; i < LANE_BITS; i++) map.basis[i] = 1u << i;
  map.bits[DIM_LANE] = LANE_BITS;
  map.bits[DIM_WARP] = d->layout->bits[DIM_WARP];
  return layout_intern(d->e->module->ir, &map);
}

// parts[k][0] into the result in each lane, neighbours first.
static void combine_lanes(Reduction *d, LLVMValueRef **parts) {
  const char *redux = redux_name(d);
  if (redux) parts[0][0] = nvvm_redux(d->e, redux, parts[0][0]);
  for (uint32_t bit = 0; bit < LANE_BITS && !redux; bit++) {
    LLVMValueRef a[MAX_COMBINED], b[MAX_COMBINED], out[MAX_COMBINED];
    for (uint32_t k = 0; k < d->count; k++) {
      a[k] = parts[k][0];
      b[k] = emit_shuffle_xor(d->e, a[k], 1u << bit);
    }
    emit_combine(d->e, d->op, a, b, out);
    for (uint32_t k = 0; k < d->count; k++) parts[k][0] = out[k];
  }
}

static void through_scratch(Reduction *d) {
  Emitter *e = d->e;
  bool spread = lanes_combine(d->op, &d->plan);
  uint32_t slots = 1u << (d->plan.result_bits + d->plan.part_bits), parts = 1u << d->plan.part_bits;
  const Layout *write = layout_intern(e->module->ir, &d->plan.slots);
  const Layout *read = spread ? spread_map(d) : read_map(d);
  uint32_t free_bits[DIM_COUNT];
  layout_free_bits(write, free_bits);
  LLVMBasicBlockRef end = emit_guard(e, emit_first_holder(e, write));
  for (uint32_t k = 0; k < d->count; k++) {
    SharedAccess access = {emit_scratch_part(e, d->op, k, slots), type_element(op_operand(d->op, k)->type),
                           write, 0, 0};
    emit_shared_write(e, &access, free_bits[DIM_REGISTER], d->v[k]);
  }
  emit_unguard(e, end);
  nvvm_barrier(e, 0, 0);
  LLVMValueRef *all[MAX_COMBINED], *out[MAX_COMBINED];
  for (uint32_t k = 0; k < d->count; k++) {
    SharedAccess access = {emit_scratch_part(e, d->op, k, slots), type_element(op_operand(d->op, k)->type),
                           read, 0, 0};
    all[k] = ARENA_ARRAY(e->arena, LLVMValueRef, layout_registers(read));
    emit_shared_read(e, &access, all[k]);
    out[k] = emit_new(e, &d->op->results[k]);
  }
  for (uint32_t i = 0; i < emit_count(d->op->results[0].type); i++) {
    if (spread)
      combine_lanes(d, all);
    else
      combine_parts(d, all, i * parts);
    for (uint32_t k = 0; k < d->count; k++) out[k][i] = all[k][i * parts];
  }
}

uint32_t emit_reduce_words(const Op *op) {
  ReducePlan plan = reduce_plan(op);
  if (!plan.part_bits || lanes_combine(op, &plan)) return 0;
  uint32_t words = 0;
  for (uint32_t k = 0; k < op->result_count; k++) {
    const Type *type = op->results[k].type;
    words += (type_is_tile(type) ? layout_registers(type->layout) : 1) * ((type_element_bytes(type) + 3) / 4);
  }
  return words << plan.part_bits;
}

void emit_reduce(Emitter *e, Op *op) {
  Reduction d = {.e = e, .op = op, .layout = op_operand(op, 0)->type->layout, .count = op_input_count(op)};
  d.plan = reduce_plan(op);
  d.commutes = region_commutes(op->regions[0]) == COMMUTES_EXACTLY;
  d.followers = followers(&d);
  d.registers = layout_registers(d.layout);
  for (uint32_t k = 0; k < d.count; k++) {
    d.v[k] = ARENA_ARRAY(e->arena, LLVMValueRef, d.registers);
    memcpy(d.v[k], emit_get(e, op_operand(op, k)), d.registers * sizeof **d.v);
  }
  take_steps(&d);
  if (d.plan.part_bits)
    through_scratch(&d);
  else
    rename_results(&d);
}
