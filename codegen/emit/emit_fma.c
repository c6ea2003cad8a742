// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot by fused multiply-adds: every thread computes its own elements of the result. Operands come from
// registers, or from shared memory one k at a time. A load from shared memory is a vector if the layout keeps
// a thread's elements together.
//
// One of an SM's four parts issues one multiply-add a cycle. Its registers are in two banks, for even and odd
// numbers. Each bank delivers one operand. With three different registers, one must still be there from the
// previous instruction, in the same operand position (ptxas marks it `.reuse`). So the multiply-adds of a k
// go along a row of the result, which reuses a. They then go back along the next row, which begins with the
// last b of the row before.
//
// Operands are read where they are used. LLVM would move multiply-adds that only a later basic block uses
// into it, and leave the reads where they are; all values would then be alive at once. If two dots read the
// same buffer, LLVM and ptxas would keep its values from the first to the second. So a large operand is read
// by volatile loads.
//
// A dot with `unroll` is a loop over k with that many k an iteration (passes/layouts/roll_dots.c). The higher
// bits of k are bits of the operands' offsets.
#include "base/fault.h"
#include "base/integer.h"
#include "codegen/emit/emit_dot.h"
#include "codegen/nvvm/nvvm.h"
#include "ir/memory/access.h"
#include "ir/dot/dot.h"
#include "target/tuning.h"

typedef struct FmaOperand {
  const Value *value;
  DotOperand which;
  RegisterMap map;        // of a tile.
  const Layout *elements; // A buffer's elements, as layout_fma_operand gives them.
  const Layout *offsets;  // Same registers, lanes and warps, mapped to offsets in the buffer.
  uint32_t vector_bits;   // Log2 of the elements of a vector.
  uint32_t vector_at[4];  // The register bits that a vector spans.
  LLVMValueRef base;
  LLVMValueRef first;   // the offset of the iteration's first k, XORed, if the dot is a loop over k; else
                        // NULL.
  uint32_t first_mask;  // The offset bits that `first` may set.
  bool anew;            // Read again what another dot has read too.
  LLVMValueRef *loaded; // By register of `elements`, in the sum's type.
} FmaOperand;

typedef struct FmaDot {
  Emitter *e;
  const EmittedDot *p;
  FmaOperand a, b;
  LLVMTypeRef sum;
} FmaDot;

static LLVMValueRef widen_to_sum(FmaDot *d, Elem elem, LLVMValueRef x) {
  Emitter *e = d->e;
  if (elem_is_int(elem)) return LLVMBuildIntCast2(e->builder, x, d->sum, elem_is_signed(elem), "");
  if (elem == ELEM_FP8E4NV || elem == ELEM_FP8E5) x = emit_from_fp8(e, elem, x);
  return LLVMTypeOf(x) == d->sum ? x : LLVMBuildFPCast(e->builder, x, d->sum, "");
}

// True if an fma dot other than `dot` reads the buffer, as it is or transposed.
static bool read_by_other(const Value *buffer, const Op *dot) {
  for (const Use *use = buffer->first_use; use; use = use->next) {
    if (use->user != dot && is_dot_of(use->user, DOT_FMA)) return true;
    if (use->user->kind == OP_SHARED_TRANS && read_by_other(op_result(use->user), dot)) return true;
  }
  return false;
}

static FmaOperand operand_of(FmaDot *d, DotOperand which) {
  Emitter *e = d->e;
  FmaOperand o = {.value = op_operand(d->p->op, which), .which = which};
  if (type_is_tile(o.value->type)) {
    o.map = emit_register_map(e, o.value);
    return o;
  }
  Layout elements = layout_fma_operand(d->p->layout, &d->p->shape, which), inverse;
  if (!layout_invert(o.value->type->layout, &inverse)) BUG("a buffer without a place for every element");
  Layout offsets = layout_compose(&elements, &inverse);
  o.elements = layout_intern(e->module->ir, &elements);
  o.offsets = layout_intern(e->module->ir, &offsets);
  o.vector_bits = shared_vector(&offsets, elem_bytes(o.value->type->elem), o.vector_at);
  o.base = emit_shared_address(e, o.value);
  o.anew = layout_registers(&elements) > TUNE_FMA_OPERAND_KEPT &&
           read_by_other(value_before(o.value, OP_SHARED_TRANS), d->p->op);
  o.loaded = ARENA_ARRAY(e->arena, LLVMValueRef, layout_registers(&elements));
  return o;
}

// The register at place i of the vector that contains r.
static uint32_t vector_register(const FmaOperand *o, uint32_t r, uint32_t i) {
  uint32_t moved = layout_apply(o->offsets, r, 0, 0, 0) ^ i;
  for (uint32_t b = 0; b < o->vector_bits; b++) r ^= (moved >> b & 1) << o->vector_at[b];
  return r;
}

static void load_vector(FmaDot *d, FmaOperand *o, uint32_t r) {
  Emitter *e = d->e;
  Elem elem = o->value->type->elem;
  LLVMTypeRef scalar = emit_memory_type(e, type_scalar(e->module->ir, elem));
  uint32_t count = 1u << o->vector_bits, bytes = elem_bytes(elem);
  // Bits that lanes and warps may set are changed by XOR. The rest is the load's immediate.
  LayoutIndex index = emit_thread_index(e, o->offsets);
  uint32_t constant = layout_apply(o->offsets, vector_register(o, r, 0), 0, 0, 0);
  uint32_t changing = index.thread_mask | o->first_mask;
  LLVMValueRef offset = index.thread_part, rest = emit_i32(e, constant & ~changing);
  if (o->first) offset = LLVMBuildXor(e->builder, offset, o->first, "");
  if (constant & changing) offset = LLVMBuildXor(e->builder, offset, emit_i32(e, constant & changing), "");
  LLVMValueRef pointer = LLVMBuildGEP2(e->builder, scalar, o->base, &offset, 1, "");
  pointer = LLVMBuildGEP2(e->builder, scalar, pointer, &rest, 1, "");
  LLVMValueRef load =
      LLVMBuildLoad2(e->builder, count == 1 ? scalar : LLVMVectorType(scalar, count), pointer, "");
  LLVMSetAlignment(load, count * bytes);
  LLVMSetVolatile(load, o->anew);
  for (uint32_t i = 0; i < count; i++) {
    LLVMValueRef x = count == 1 ? load : LLVMBuildExtractElement(e->builder, load, emit_i32(e, i), "");
    o->loaded[vector_register(o, r, i)] = widen_to_sum(d, elem, x);
  }
}

// Loads the elements of one k that the operand's registers hold.
static void load_k(FmaDot *d, FmaOperand *o, uint32_t k) {
  if (!o->elements) return;
  const DotShape *shape = &d->p->shape;
  uint32_t shift = o->which == DOT_A ? 0 : shape->n, mask = ((1u << shape->k) - 1) << shift;
  for (uint32_t r = 0; r < layout_registers(o->elements); r++) {
    bool at_k = (layout_apply(o->elements, r, 0, 0, 0) & mask) >> shift == k;
    if (at_k && !o->loaded[r]) load_vector(d, o, r);
  }
}

static LLVMValueRef operand_element(FmaDot *d, FmaOperand *o, const uint32_t *register_of, uint32_t index) {
  if (o->elements) return o->loaded[register_of[index]];
  return widen_to_sum(d, type_element(o->value->type)->elem, emit_mapped(&o->map, index));
}

static const uint32_t *registers_by_index(FmaDot *d, const FmaOperand *o) {
  if (!o->elements) return NULL;
  uint32_t *at = ARENA_ARRAY(d->e->arena, uint32_t, (size_t)1 << o->elements->out_bits);
  for (uint32_t r = layout_registers(o->elements); r-- > 0;) at[layout_apply(o->elements, r, 0, 0, 0)] = r;
  return at;
}

static LLVMValueRef multiply_add(FmaDot *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sum) {
  if (elem_is_float(d->p->sum)) return nvvm_fma(d->e, a, b, sum);
  return LLVMBuildAdd(d->e->builder, LLVMBuildMul(d->e->builder, a, b, ""), sum, "");
}

// Multiplies and adds `count` consecutive k. The operands know the first one.
static void multiply(FmaDot *d, const uint32_t *order, const uint32_t *a_at, const uint32_t *b_at,
                     uint32_t count) {
  const EmittedDot *p = d->p;
  const DotShape *shape = &p->shape;
  for (uint32_t k = 0; k < count; k++) {
    load_k(d, &d->a, k);
    load_k(d, &d->b, k);
    for (uint32_t step = 0; step < layout_registers(p->layout); step++) {
      uint32_t r = order[step], index = layout_apply(p->layout, r, 0, 0, 0),
               column = index & ((1u << shape->n) - 1);
      if (!dot_sums_in(p->op, r)) continue;
      uint32_t row = index >> shape->n & ((1u << shape->m) - 1), batch = index >> (shape->n + shape->m);
      LLVMValueRef a = operand_element(d, &d->a, a_at, (((batch << shape->m) + row) << shape->k) + k);
      LLVMValueRef b = operand_element(d, &d->b, b_at, (((batch << shape->k) + k) << shape->n) + column);
      p->out[r] = multiply_add(d, a, b, p->out[r]);
    }
  }
}

// --- a loop over k

// Finds the register bit of a shared-memory operand that moves it along k by 2^bit. False: none.
static bool find_k_bit(const FmaDot *d, const FmaOperand *o, uint32_t bit, uint32_t *found) {
  uint32_t shift = o->which == DOT_A ? 0 : d->p->shape.n;
  for (*found = 0; *found < o->elements->bits[DIM_REGISTER]; ++*found) {
    if (layout_basis(o->elements, DIM_REGISTER, *found) != 1u << (shift + bit)) continue;
    for (uint32_t i = 0; i < o->vector_bits; i++)
      if (o->vector_at[i] == *found) return false;
    return true;
  }
  return false;
}

static bool can_step(const FmaDot *d, const FmaOperand *o, uint32_t step) {
  uint32_t found;
  if (!o->elements) return false;
  for (uint32_t bit = log2_ceil(step); bit < d->p->shape.k; bit++)
    if (!find_k_bit(d, o, bit, &found)) return false;
  return true;
}

// Sets the operand's offset for k, a multiple of `step`.
static void begin_step(FmaDot *d, FmaOperand *o, LLVMValueRef k, uint32_t step) {
  Emitter *e = d->e;
  o->first = emit_i32(e, 0);
  for (uint32_t bit = log2_ceil(step), found; bit < d->p->shape.k; bit++) {
    if (!find_k_bit(d, o, bit, &found)) BUG("a dot's loop over a k that is in no register");
    uint32_t basis = layout_basis(o->offsets, DIM_REGISTER, found);
    LLVMValueRef set = LLVMBuildLShr(e->builder, k, emit_i32(e, bit), "");
    set = LLVMBuildMul(e->builder, LLVMBuildAnd(e->builder, set, emit_i32(e, 1), ""), emit_i32(e, basis), "");
    o->first = LLVMBuildXor(e->builder, o->first, set, "");
    o->first_mask |= basis;
  }
}

static void multiply_in_loop(FmaDot *d, const uint32_t *order, const uint32_t *a_at, const uint32_t *b_at,
                             uint32_t step) {
  Emitter *e = d->e;
  LLVMBuilderRef b = e->builder;
  const EmittedDot *p = d->p;
  uint32_t registers = layout_registers(p->layout);
  LLVMValueRef *phis = ARENA_ARRAY(e->arena, LLVMValueRef, registers);
  LLVMBasicBlockRef before = LLVMGetInsertBlock(b), body = emit_block(e, "dot"),
                    end = emit_block(e, "dot_end");
  LLVMBuildBr(b, body);
  LLVMPositionBuilderAtEnd(b, body);
  LLVMValueRef k = LLVMBuildPhi(b, e->i32, ""), zero = emit_i32(e, 0);
  LLVMAddIncoming(k, &zero, &before, 1);
  for (uint32_t r = 0; r < registers; r++) {
    if (!dot_sums_in(p->op, r)) continue;
    phis[r] = LLVMBuildPhi(b, d->sum, "");
    LLVMAddIncoming(phis[r], &p->out[r], &before, 1);
    p->out[r] = phis[r];
  }
  begin_step(d, &d->a, k, step);
  begin_step(d, &d->b, k, step);
  multiply(d, order, a_at, b_at, step);
  LLVMValueRef next = LLVMBuildAdd(b, k, emit_i32(e, step), "");
  LLVMValueRef more = LLVMBuildICmp(b, LLVMIntULT, next, emit_i32(e, dot_depth(p->op)), "");
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(b);
  LLVMBuildCondBr(b, more, body, end);
  LLVMAddIncoming(k, &next, &latch, 1);
  for (uint32_t r = 0; r < registers; r++)
    if (dot_sums_in(p->op, r)) LLVMAddIncoming(phis[r], &p->out[r], &latch, 1);
  LLVMPositionBuilderAtEnd(b, end);
}

void emit_fma_dot(Emitter *e, const EmittedDot *p) {
  uint32_t registers = layout_registers(p->layout), step = (uint32_t)op_int(p->op, ATTR_UNROLL, 0);
  FmaDot d = {.e = e, .p = p, .sum = emit_type(e, op_result(p->op)->type)};
  d.a = operand_of(&d, DOT_A);
  d.b = operand_of(&d, DOT_B);
  const uint32_t *a_at = registers_by_index(&d, &d.a), *b_at = registers_by_index(&d, &d.b);
  emit_begin_sums(p);
  uint32_t *order = ARENA_ARRAY(e->arena, uint32_t, registers);
  layout_fma_order(p->layout, &p->shape, order);
  if (step && can_step(&d, &d.a, step) && can_step(&d, &d.b, step))
    multiply_in_loop(&d, order, a_at, b_at, step);
  else
    multiply(&d, order, a_at, b_at, dot_depth(p->op));
  for (uint32_t r = 0; r < registers; r++)
    if (dot_sums_in(p->op, r)) nvvm_stays(e, p->out[r]);
}
