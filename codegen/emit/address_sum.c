// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/emit/address_sum.h"

static LLVMValueRef without_extension(LLVMValueRef index) {
  return LLVMIsASExtInst(index) ? LLVMGetOperand(index, 0) : index;
}

static bool is_op(LLVMValueRef x, LLVMOpcode opcode) {
  return LLVMIsAInstruction(x) && LLVMGetInstructionOpcode(x) == opcode;
}

// The constant that is added to x. `*bits`: it and x use different bits. NULL: there is none.
static LLVMValueRef added_constant(LLVMValueRef x, bool *bits) {
  *bits = is_op(x, LLVMOr) && LLVMGetIsDisjoint(x);
  LLVMValueRef last = *bits || is_op(x, LLVMAdd) ? LLVMGetOperand(x, 1) : NULL;
  return last && LLVMIsAConstantInt(last) ? last : NULL;
}

Term number_part(LLVMValueRef x) {
  uint64_t constant = 0;
  bool bits;
  for (LLVMValueRef last; (last = added_constant(x, &bits)); x = LLVMGetOperand(x, 0))
    constant += LLVMConstIntGetZExtValue(last);
  if (!LLVMIsAConstantInt(x)) return (Term){x, NULL, (int64_t)constant};
  return (Term){NULL, NULL, (int64_t)(constant + LLVMConstIntGetZExtValue(x))};
}

// Splits a constant from an index. In a tile's index, the thread's part and the register's part use different
// bits. `rows`: also splits any constant of that type, because the whole sum has this type and wraps with it.
static Term index_term(LLVMValueRef x, LLVMValueRef factor, LLVMTypeRef rows) {
  Term term = {without_extension(x), factor, 0};
  bool bits, wide = rows == LLVMTypeOf(term.part);
  for (LLVMValueRef last; (last = added_constant(term.part, &bits));
       term.part = LLVMGetOperand(term.part, 0)) {
    int64_t constant = LLVMConstIntGetSExtValue(last);
    if (!wide && (constant < 0 || (!bits && constant != 0))) break;
    term.constant += constant;
  }
  return term;
}

static void add_terms(LLVMValueRef x, NumberSum *sum) {
  if (is_op(x, LLVMAdd) && sum->count + 2 <= MAX_TERMS) {
    add_terms(LLVMGetOperand(x, 0), sum);
    add_terms(LLVMGetOperand(x, 1), sum);
  } else if (sum->count < MAX_TERMS) {
    bool product = is_op(x, LLVMMul);
    sum->term[sum->count++] =
        index_term(product ? LLVMGetOperand(x, 0) : x, product ? LLVMGetOperand(x, 1) : NULL, NULL);
  } else {
    sum->count = MAX_TERMS + 1; // too many terms
  }
}

static void add_products(LLVMValueRef x, LLVMValueRef factor, NumberSum *sum, LLVMTypeRef rows);

// x is a sum plus a constant. Adds the constant to a term of the sum that has the same factor. Returns false
// and adds nothing if there is none.
static bool add_constant(LLVMValueRef x, LLVMValueRef factor, NumberSum *sum, LLVMTypeRef rows) {
  uint32_t before = sum->count;
  add_products(LLVMGetOperand(x, 0), factor, sum, rows);
  for (uint32_t i = before; i < sum->count && sum->count <= MAX_TERMS; i++) {
    if (sum->term[i].factor != factor) continue;
    sum->term[i].constant += LLVMConstIntGetSExtValue(LLVMGetOperand(x, 1));
    return true;
  }
  sum->count = before;
  return false;
}

// Adds the terms of factor * x, where x may be a sum.
static void add_products(LLVMValueRef x, LLVMValueRef factor, NumberSum *sum, LLVMTypeRef rows) {
  while (is_op(x, LLVMAdd) && LLVMIsAConstantInt(LLVMGetOperand(x, 1)) && LLVMIsNull(LLVMGetOperand(x, 1)))
    x = LLVMGetOperand(x, 0);
  bool product = !factor && is_op(x, LLVMMul), sums = is_op(x, LLVMAdd) && sum->count + 2 <= MAX_TERMS;
  bool row = rows && sums && LLVMIsAConstantInt(LLVMGetOperand(x, 1)) && LLVMTypeOf(x) == rows;
  if (row && add_constant(x, factor, sum, rows)) return;
  if (product || (sums && !row)) {
    add_products(LLVMGetOperand(x, 0), product ? LLVMGetOperand(x, 1) : factor, sum, rows);
    if (!product) add_products(LLVMGetOperand(x, 1), factor, sum, rows);
  } else if (sum->count < MAX_TERMS) {
    sum->term[sum->count++] = index_term(x, factor, rows);
  } else {
    sum->count = MAX_TERMS + 1; // too many terms
  }
}

NumberSum number_sum_of_products(LLVMValueRef x) {
  NumberSum sum = {.count = 0};
  add_products(x, NULL, &sum, NULL);
  return sum;
}

NumberSum number_sum_of_rows(LLVMValueRef x) {
  NumberSum sum = {.count = 0};
  add_products(x, NULL, &sum, LLVMTypeOf(x));
  return sum;
}

NumberSum number_sum(LLVMValueRef x) {
  NumberSum sum = {.count = 0};
  add_terms(x, &sum);
  return sum;
}

bool number_sum_is_apart(const NumberSum *from, const NumberSum *to) {
  if (from->count != to->count || from->count > MAX_TERMS) return false;
  for (uint32_t i = 0; i < from->count; i++)
    if (from->term[i].part != to->term[i].part || from->term[i].factor != to->term[i].factor) return false;
  return true;
}

bool number_sum_rows_apart(const NumberSum *from, const NumberSum *to) {
  bool differs = false;
  for (uint32_t i = 0; i < from->count && from->count <= MAX_TERMS; i++) {
    if (from->term[i].constant == to->term[i].constant) continue;
    LLVMValueRef factor = to->term[i].factor;
    if (!factor || LLVMIsAConstant(factor)) return false;
    differs = true;
  }
  return differs && number_sum_is_apart(from, to);
}

LLVMValueRef number_sum_distance(Emitter *e, const NumberSum *from, const NumberSum *to, uint32_t bytes) {
  return number_sum_distance_in(e, from, to, bytes, e->i64);
}

LLVMValueRef number_sum_distance_in(Emitter *e, const NumberSum *from, const NumberSum *to, uint32_t bytes,
                                    LLVMTypeRef type) {
  LLVMValueRef distance = LLVMConstInt(type, 0, false);
  if (!number_sum_is_apart(from, to)) return NULL;
  for (uint32_t i = 0; i < from->count; i++) {
    int64_t steps = (to->term[i].constant - from->term[i].constant) * bytes;
    if (!steps) continue;
    LLVMValueRef by = LLVMConstInt(type, (uint64_t)steps, true), factor = to->term[i].factor;
    if (factor) by = LLVMBuildMul(e->builder, factor, by, "");
    distance = LLVMBuildAdd(e->builder, distance, by, "");
  }
  return distance;
}

bool number_sum_steps(const NumberSum *from, const NumberSum *to, int64_t *steps) {
  *steps = 0;
  if (!number_sum_is_apart(from, to)) return false;
  for (uint32_t i = 0; i < from->count; i++) {
    uint64_t by = (uint64_t)to->term[i].constant - (uint64_t)from->term[i].constant;
    LLVMValueRef factor = to->term[i].factor;
    if (by && factor && !LLVMIsAConstantInt(factor)) return false;
    if (by && factor) by *= (uint64_t)LLVMConstIntGetSExtValue(factor);
    *steps = (int64_t)((uint64_t)*steps + by);
  }
  return true;
}

bool address_adds_index(LLVMValueRef address, LLVMTypeRef pointee) {
  return LLVMIsAGetElementPtrInst(address) && LLVMGetNumOperands(address) == 2 &&
         LLVMGetGEPSourceElementType(address) == pointee;
}

AddressSum address_sum(LLVMValueRef address, LLVMTypeRef pointee, LLVMValueRef further) {
  AddressSum sum = {.root = address};
  if (further) sum.index[sum.count++] = without_extension(further);
  while (sum.count < MAX_TERMS && address_adds_index(sum.root, pointee)) {
    LLVMValueRef index = LLVMGetOperand(sum.root, 1);
    if (LLVMIsAConstantInt(index))
      sum.constant += LLVMConstIntGetSExtValue(index);
    else
      sum.index[sum.count++] = without_extension(index);
    sum.root = LLVMGetOperand(sum.root, 0);
  }
  return sum;
}

bool address_sums_match(const AddressSum *sums, uint32_t registers) {
  for (uint32_t r = 1; r < registers; r++)
    if (sums[r].root != sums[0].root || sums[r].count != sums[0].count) return false;
  return sums[0].count < MAX_TERMS;
}

LLVMValueRef address_add(Emitter *e, LLVMTypeRef pointee, LLVMValueRef address, LLVMValueRef index) {
  LLVMValueRef wide = LLVMBuildIntCast2(e->builder, index, e->i64, true, "");
  return LLVMBuildGEP2(e->builder, pointee, address, &wide, 1, "");
}
