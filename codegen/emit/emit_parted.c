// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer sums, differences and multiples. If the operands of all registers are the same values plus
// constants, those values are combined once. Each register's result is that plus a constant. The offsets of a
// thread's accesses then take one register and immediates. Otherwise each offset takes a register from its
// first use to its last. Integers wrap, so the result is exact.
#include "codegen/emit/emit.h"

typedef struct KnownResult {
  LLVMValueRef a, b, value;
} KnownResult;

enum { MAX_DEPTH = 4, MAX_KNOWN = 8 };

static bool is_disjoint_or(LLVMValueRef x) {
  return LLVMGetInstructionOpcode(x) == LLVMOr && LLVMGetIsDisjoint(x);
}

Parted emit_part(LLVMValueRef x) {
  Parted parted = {x, 0};
  for (int depth = 0; depth < MAX_DEPTH && LLVMIsAInstruction(parted.same); depth++) {
    LLVMValueRef at = parted.same;
    if (LLVMGetInstructionOpcode(at) != LLVMAdd && !is_disjoint_or(at)) break;
    LLVMValueRef constant = LLVMGetOperand(at, 1);
    if (!LLVMIsAConstantInt(constant)) break;
    parted.constant += LLVMConstIntGetZExtValue(constant);
    parted.same = LLVMGetOperand(at, 0);
  }
  if (!LLVMIsAConstantInt(parted.same)) return parted;
  return (Parted){NULL, parted.constant + LLVMConstIntGetZExtValue(parted.same)};
}

static LLVMValueRef constant_of(LLVMTypeRef type, uint64_t value) {
  uint32_t width = LLVMGetIntTypeWidth(type);
  return LLVMConstInt(type, width < 64 ? value & ((1ull << width) - 1) : value, false);
}

static LLVMValueRef build_of_kind(Emitter *e, OpKind kind, LLVMTypeRef type, LLVMValueRef a, LLVMValueRef b) {
  if (!a) a = constant_of(type, 0);
  if (!b) return a;
  if (kind == OP_ADD) return LLVMBuildAdd(e->builder, a, b, "");
  if (kind == OP_SUB) return LLVMBuildSub(e->builder, a, b, "");
  return LLVMBuildMul(e->builder, a, b, "");
}

// Computes the constant of the result. *a and *b become the operands of the common part (*b NULL: *a only).
static bool part_result(OpKind kind, Parted *a, Parted *b, uint64_t *constant, LLVMTypeRef type) {
  if (kind == OP_ADD || kind == OP_SUB) {
    *constant = kind == OP_ADD ? a->constant + b->constant : a->constant - b->constant;
    if (kind == OP_ADD && !a->same) *a = *b, b->same = NULL;
    return true;
  }
  if (!a->same) {
    Parted other = *a;
    *a = *b, *b = other;
  }
  if (b->same || !a->same) return false; // not a multiple by a constant
  *constant = a->constant * b->constant;
  b->same = constant_of(type, b->constant);
  return true;
}

bool emit_parted(Emitter *e, const Op *op, LLVMValueRef *out) {
  const Type *type = op_result(op)->type, *element = type_element(type);
  uint32_t count = emit_count(type), sums = 0;
  if (!op_has(op, ARITHMETIC)) return false;
  if (count < 2 || !type_is_int(element) || elem_bytes(element->elem) < 4) return false;
  KnownResult known[MAX_KNOWN];
  for (uint32_t r = 0; r < count; r++) {
    LLVMValueRef x = emit_register(e, op_operand(op, 0), r), y = emit_register(e, op_operand(op, 1), r);
    LLVMTypeRef integer = LLVMTypeOf(x);
    Parted a = emit_part(x), b = emit_part(y);
    uint64_t constant;
    if (!part_result(op->kind, &a, &b, &constant, integer)) {
      out[r] = build_of_kind(e, op->kind, integer, x, y);
      continue;
    }
    uint32_t i = 0;
    while (i < sums && (known[i].a != a.same || known[i].b != b.same)) i++;
    LLVMValueRef same = i < sums ? known[i].value : build_of_kind(e, op->kind, integer, a.same, b.same);
    if (i == sums && sums < MAX_KNOWN) known[sums++] = (KnownResult){a.same, b.same, same};
    LLVMValueRef apart = constant_of(integer, constant);
    out[r] = LLVMConstIntGetZExtValue(apart) ? LLVMBuildAdd(e->builder, same, apart, "") : same;
  }
  return true;
}
