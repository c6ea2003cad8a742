// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of loads and stores that each iteration of a loop computes again: p + x * s + lane * s. Only x
// changes in the loop; s is known at run time. LLVM would keep lane * s in registers, two for each address.
// So the address is computed as p + (x + lane) * s. Further rows add the distance to the previous row.
//
// If most registers are taken, ptxas puts values that all threads share into uniform registers. Their unit
// has half the rate. A loop that loads a few elements by five strides then spends its time there. If the loop
// leaves too few free registers, it waits for each load before it issues the next.
#include "base/integer.h"
#include "codegen/emit/address_sum.h"
#include "codegen/emit/emit.h"
#include "codegen/nvvm/nvvm.h"

static bool is_access(OpKind kind) { return kind == OP_LOAD || kind == OP_STORE; }

// The number of elements that an access by these pointers takes at a time. 0: they have other uses too.
static uint32_t elements_at_once(const Value *pointers) {
  uint32_t most = 0;
  for (const Use *use = pointers->first_use; use; use = use->next) {
    if (!is_access(use->user->kind) || op_operand(use->user, 0) != pointers) return 0;
    most = max_u32(most, (uint32_t)op_int(use->user, ATTR_VECTOR, 1));
  }
  return most;
}

static const Op *loop_around(const Value *value) {
  const Op *around = value_region(value)->parent;
  return around && around->kind == OP_FOR ? around : NULL;
}

// True if the tile is a splat of a scalar that a loop computes, while `other` is invariant in that loop.
static bool is_computed_beside(const Value *tile, const Value *other) {
  const Op *splat = tile->def;
  if (!splat || splat->kind != OP_SPLAT) return false;
  const Op *loop = loop_around(op_operand(splat, 0));
  return loop && !value_is_within(other, loop);
}

// True if each row is a known distance from the previous one.
static bool are_rows(const NumberSum *sums, uint32_t registers, uint32_t at_once) {
  for (uint32_t r = at_once; r < registers; r += at_once)
    if (!number_sum_rows_apart(&sums[r - at_once], &sums[r])) return false;
  return true;
}

// --- the first address

static bool is_product(LLVMValueRef x) {
  return LLVMIsAInstruction(x) && LLVMGetInstructionOpcode(x) == LLVMMul;
}

// Removes and returns the sum's term with this factor, known at run time. Its part is NULL if there is none.
static Term take_term(NumberSum *sum, LLVMValueRef factor) {
  for (uint32_t i = 0; i < sum->count; i++) {
    Term term = sum->term[i];
    if (term.factor != factor) continue;
    sum->term[i] = sum->term[--sum->count];
    return term;
  }
  return (Term){0};
}

static LLVMValueRef build_term(Emitter *e, const Term *term) {
  LLVMValueRef part = LLVMBuildIntCast2(e->builder, term->part, e->i64, true, "");
  LLVMValueRef constant = LLVMConstInt(e->i64, (uint64_t)term->constant, true);
  return term->constant ? LLVMBuildAdd(e->builder, part, constant, "") : part;
}

// base + the terms of the sum whose factors also occur in base. Removes these terms from the sum.
static LLVMValueRef build_merged(Emitter *e, LLVMValueRef base, LLVMTypeRef pointee, NumberSum *sum) {
  if (!address_adds_index(base, pointee)) return base;
  LLVMValueRef root = LLVMGetOperand(base, 0), index = LLVMGetOperand(base, 1);
  Term term = {0};
  LLVMValueRef factor = is_product(index) ? LLVMGetOperand(index, 1) : NULL;
  if (factor && !LLVMIsAConstant(factor)) term = take_term(sum, factor);
  LLVMValueRef merged_root = build_merged(e, root, pointee, sum);
  if (!term.part && merged_root == root) return base;
  if (term.part) {
    LLVMValueRef x = LLVMBuildAdd(e->builder, LLVMGetOperand(index, 0), build_term(e, &term), "");
    index = LLVMBuildMul(e->builder, x, factor, "");
  }
  return LLVMBuildGEP2(e->builder, pointee, merged_root, &index, 1, "");
}

static LLVMValueRef build_first(Emitter *e, LLVMValueRef base, LLVMTypeRef pointee, const NumberSum *sum) {
  NumberSum rest = *sum;
  LLVMValueRef address = build_merged(e, base, pointee, &rest);
  for (uint32_t i = 0; i < rest.count; i++) {
    LLVMValueRef index = build_term(e, &rest.term[i]);
    if (rest.term[i].factor) index = LLVMBuildMul(e->builder, index, rest.term[i].factor, "");
    address = LLVMBuildGEP2(e->builder, pointee, address, &index, 1, "");
  }
  return address;
}

// --- where registers are short

// The indices of one level, by register. Each is the previous one plus a distance. False: a distance is not
// known.
static bool chain_level(Emitter *e, const AddressSum *sums, uint32_t level, uint32_t registers,
                        LLVMValueRef *index) {
  NumberSum before = number_sum_of_rows(sums[0].index[level]), first = before;
  for (uint32_t r = 1; r < registers; r++) {
    NumberSum sum = number_sum_of_rows(sums[r].index[level]);
    if (LLVMTypeOf(sums[r].index[level]) != LLVMTypeOf(sums[0].index[level])) return false;
    if (!number_sum_is_apart(&first, &sum)) return false;
  }
  index[0] = sums[0].index[level];
  for (uint32_t r = 1; r < registers; r++) {
    NumberSum sum = number_sum_of_rows(sums[r].index[level]);
    LLVMValueRef distance = number_sum_distance_in(e, &before, &sum, 1, LLVMTypeOf(index[0]));
    index[r] = LLVMBuildAdd(e->builder, index[r - 1], distance, "");
    before = sum;
  }
  return true;
}

static bool is_same(const AddressSum *sums, uint32_t level, uint32_t registers) {
  for (uint32_t r = 1; r < registers; r++)
    if (sums[r].index[level] != sums[0].index[level]) return false;
  return true;
}

bool emit_chained_rows(Emitter *e, Op *op, LLVMValueRef *out) {
  Value *base = op_operand(op, 0), *offset = op_operand(op, 1);
  if (!op_attr(op, ATTR_ROWS) || !elem_is_signed(type_element(offset->type)->elem)) return false;
  LLVMTypeRef pointee = emit_memory_type(e, type_element(op_result(op)->type)->inner);
  uint32_t registers = emit_count(offset->type);
  AddressSum *sums = ARENA_ARRAY(e->arena, AddressSum, registers);
  LLVMValueRef *index[MAX_TERMS] = {NULL}, root;
  for (uint32_t r = 0; r < registers; r++)
    sums[r] = address_sum(emit_register(e, base, r), pointee, emit_register(e, offset, r));
  root = sums[0].root;
  if (!address_sums_match(sums, registers) || LLVMIsAGetElementPtrInst(root)) return false;
  for (uint32_t i = 0; i < sums[0].count; i++) {
    if (is_same(sums, i, registers)) continue;
    index[i] = ARENA_ARRAY(e->arena, LLVMValueRef, registers);
    if (!chain_level(e, sums, i, registers, index[i])) return false;
  }
  for (uint32_t i = 0; i < sums[0].count; i++)
    if (!index[i]) root = address_add(e, pointee, root, sums[0].index[i]);
  for (uint32_t r = 0; r < registers; r++) {
    out[r] = root;
    for (uint32_t i = 0; i < sums[0].count; i++)
      if (index[i]) out[r] = address_add(e, pointee, out[r], index[i][r]);
    LLVMValueRef constant = LLVMConstInt(e->i64, (uint64_t)sums[r].constant, true);
    if (sums[r].constant) out[r] = address_add(e, pointee, out[r], constant);
  }
  return true;
}

// --- the code

bool emit_rows(Emitter *e, Op *op, LLVMValueRef *out) {
  Value *base = op_operand(op, 0), *offset = op_operand(op, 1);
  if (!type_is_tile(op_result(op)->type) || type_element(offset->type)->elem != ELEM_I64) return false;
  uint32_t at_once = elements_at_once(op_result(op)), registers = emit_count(offset->type);
  if (!at_once || registers <= at_once || !is_computed_beside(base, offset)) return false;
  NumberSum *sums = ARENA_ARRAY(e->arena, NumberSum, registers);
  for (uint32_t r = 0; r < registers; r++) sums[r] = number_sum(emit_register(e, offset, r));
  if (!are_rows(sums, registers, at_once)) return false;
  const Type *inner = type_element(op_result(op)->type)->inner;
  LLVMTypeRef pointee = emit_memory_type(e, inner);
  LLVMValueRef pointer = emit_register(e, base, 0);
  out[0] = emit_hidden(e, build_first(e, pointer, pointee, &sums[0]));
  for (uint32_t r = 1; r < registers; r++) {
    uint32_t before = r % at_once ? r - r % at_once : r - at_once;
    LLVMValueRef distance = number_sum_distance(e, &sums[before], &sums[r], type_element_bytes(inner));
    LLVMValueRef index = emit_register(e, offset, r);
    out[r] = distance ? LLVMBuildGEP2(e->builder, e->i8, out[before], &distance, 1, "")
                      : LLVMBuildGEP2(e->builder, pointee, pointer, &index, 1, "");
  }
  return true;
}
