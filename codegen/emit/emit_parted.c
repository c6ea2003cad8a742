// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer sums, differences and multiples. If the operands of all registers are the same values plus
// constants, those values are combined once. Each register's result is that plus a constant. The offsets of a
// thread's accesses then take one register and immediates. Otherwise each offset takes a register from its
// first use to its last. Integers wrap, so the result is exact.
#include "codegen/emit/address_sum.h"

typedef struct KnownResult {
  LLVMValueRef a, b, value;
} KnownResult;

enum { MAX_KNOWN = 8 };

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
static bool part_result(OpKind kind, Term *a, Term *b, uint64_t *constant, LLVMTypeRef type) {
  uint64_t x = (uint64_t)a->constant, y = (uint64_t)b->constant;
  if (kind == OP_ADD || kind == OP_SUB) {
    *constant = kind == OP_ADD ? x + y : x - y;
    if (kind == OP_ADD && !a->part) *a = *b, b->part = NULL;
    return true;
  }
  if (!a->part) {
    Term other = *a;
    *a = *b, *b = other;
  }
  if (b->part || !a->part) return false; // not a multiple by a constant
  *constant = x * y;
  b->part = constant_of(type, (uint64_t)b->constant);
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
    Term a = number_part(x), b = number_part(y);
    uint64_t constant;
    if (!part_result(op->kind, &a, &b, &constant, integer)) {
      out[r] = build_of_kind(e, op->kind, integer, x, y);
      continue;
    }
    uint32_t i = 0;
    while (i < sums && (known[i].a != a.part || known[i].b != b.part)) i++;
    LLVMValueRef same = i < sums ? known[i].value : build_of_kind(e, op->kind, integer, a.part, b.part);
    if (i == sums && sums < MAX_KNOWN) known[sums++] = (KnownResult){a.part, b.part, same};
    LLVMValueRef apart = constant_of(integer, constant);
    out[r] = LLVMConstIntGetZExtValue(apart) ? LLVMBuildAdd(e->builder, same, apart, "") : same;
  }
  return true;
}
