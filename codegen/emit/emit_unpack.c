// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of bit fields of words, such as packed weights: two become the halves of a word at once. They are of one word, or
// of two.
//
// ```
// before  (w >> 4 & 15) | 0x6400, (w >> 8 & 15) | 0x6400; each is cast to 16 bits
// after   p = prmt(w >> 4, w, 0x0500); lop3(p & 0x000f000f | 0x64006400)
// ```
//
// Two fields of one word that are 16 bits apart need no permutation: w >> 4 has those of bits 4 and 20 at its halves' ends.
//
// A half's low byte is the byte in which the field starts, of the word shifted by 0 to 7 bits.
//
// One by one, a pair takes two shifts, two `lop3` and a permutation. Shifts by fewer than 8 bits are shared by a word's
// fields: packed weights of 4 bits need one of them, for eight weights.
#include <math.h>

#include "codegen/emit/emit.h"

#include "codegen/llvm/known_bits.h"
#include "codegen/nvvm/asm_call.h"
#include "codegen/nvvm/nvvm.h"

enum { BYTE_BITS = 8, BYTE_MASK = 0xff, WORD_BITS = 32, PAIR_BYTES = 4 };

// cast (or (and (shr %word, %by), mask), bits), or without the `or`.
typedef struct Unpacking {
  const Value *word, *by;
  uint32_t mask, bits;
} Unpacking;

// The other operand, if one is a constant.
static const Value *without_constant(const Op *op, uint32_t *constant) {
  int64_t number;
  for (uint32_t i = 0; i < 2; i++)
    if (value_int_constant(op_operand(op, i), &number))
      return *constant = (uint32_t)number, op_operand(op, 1 - i);
  return NULL;
}

static bool find_unpacking(const Op *cast, Unpacking *found) {
  const Type *from = op_operand(cast, 0)->type, *to = op_result(cast)->type;
  if (cast->kind != OP_CAST || !type_is_tile(to) || op_attr(cast, ATTR_FRESH)) return false;
  if (!type_is_int(from) || !type_is_int(to) || type_element_bytes(from) != 4 || type_element_bytes(to) != 2)
    return false;
  const Op *op = op_operand(cast, 0)->def;
  *found = (Unpacking){0};
  if (op && op->kind == OP_OR) {
    const Value *masked = without_constant(op, &found->bits);
    op = masked ? masked->def : NULL;
  }
  const Value *shifted = op && op->kind == OP_AND ? without_constant(op, &found->mask) : NULL;
  op = shifted ? shifted->def : NULL;
  if (!op || op->kind != OP_SHR || !found->mask || found->mask > BYTE_MASK || found->bits > UINT16_MAX)
    return false;
  found->word = op_operand(op, 0), found->by = op_operand(op, 1);
  return true;
}

// The start of a field: a known number of bits within a byte, and a byte, which lanes may have their own of.
typedef struct Field {
  LLVMValueRef byte;
  uint32_t within;
} Field;

static bool find_field(Emitter *e, LLVMValueRef by, Field *field) {
  const uint32_t low = BYTE_BITS - 1, whole = WORD_BITS - 1;
  KnownBits known = llvm_known_bits(e->llvm, by);
  if ((~known.zeros & UINT32_MAX) > whole || ((known.zeros | known.ones) & low) != low) return false;
  field->within = (uint32_t)known.ones & low;
  field->byte = LLVMBuildLShr(e->builder, by, emit_i32(e, 3), "");
  if (((known.zeros | known.ones) & whole) == whole) field->byte = emit_i32(e, (uint32_t)known.ones >> 3);
  return true;
}

static LLVMValueRef shifted_by(Emitter *e, LLVMValueRef word, uint32_t bits, bool is_signed) {
  if (bits == 0) return word;
  return is_signed ? LLVMBuildAShr(e->builder, word, emit_i32(e, bits), "")
                   : LLVMBuildLShr(e->builder, word, emit_i32(e, bits), "");
}

// The word shifted so that each field starts a half, if they are of one word and 16 bits apart. NULL: they are not.
static LLVMValueRef shifted_in_place(Emitter *e, const LLVMValueRef *words, const Field *fields,
                                     bool is_signed) {
  enum { HALF_BYTES = 2 };
  if (words[0] != words[1] || fields[0].within != fields[1].within) return NULL;
  if (!LLVMIsAConstantInt(fields[0].byte) || !LLVMIsAConstantInt(fields[1].byte)) return NULL;
  uint64_t byte = LLVMConstIntGetZExtValue(fields[0].byte);
  if (LLVMConstIntGetZExtValue(fields[1].byte) != byte + HALF_BYTES) return NULL;
  return shifted_by(e, words[0], (uint32_t)byte * BYTE_BITS + fields[0].within, is_signed);
}

// Both fields, each in the low byte of a half. The high bytes are other bytes of the words.
static LLVMValueRef permuted(Emitter *e, const LLVMValueRef *words, const Field *fields, bool is_signed) {
  LLVMValueRef first = shifted_by(e, words[0], fields[0].within, is_signed);
  LLVMValueRef second = shifted_by(e, words[1], fields[1].within, is_signed);
  LLVMValueRef other = LLVMBuildAdd(e->builder, fields[1].byte, emit_i32(e, PAIR_BYTES), "");
  LLVMValueRef selector = LLVMBuildShl(e->builder, other, emit_i32(e, BYTE_BITS), "");
  selector = LLVMBuildOr(e->builder, selector, fields[0].byte, "");
  LLVMValueRef operands[] = {first, second, selector};
  return nvvm_intrinsic(e, "llvm.nvvm.prmt", NULL, 0, operands, 3);
}

static LLVMTypeRef masked_type(Emitter *e) {
  LLVMTypeRef types[] = {e->i32, e->i32, e->i32};
  return LLVMFunctionType(e->i32, types, 3, false);
}

static LLVMValueRef masked_code(Emitter *e) {
  static const char text[] = "lop3.b32 $0, $1, $2, $3, 0xea;", constraints[] = "=r,r,r,r";
  return LLVMGetInlineAsm(masked_type(e), text, sizeof text - 1, constraints, sizeof constraints - 1, false,
                          false, LLVMInlineAsmDialectATT, false);
}

// x & mask | bits. LLVM would compute each half by itself.
static LLVMValueRef masked_with(Emitter *e, LLVMValueRef x, uint32_t mask, uint32_t bits) {
  LLVMValueRef operands[] = {x, emit_i32(e, mask), emit_i32(e, bits)};
  return LLVMBuildCall2(e->builder, masked_type(e), masked_code(e), operands, 3, "");
}

static void unpack_pair(Emitter *e, const Unpacking *u, uint32_t r, const Field *fields, LLVMValueRef *out) {
  bool is_signed = elem_is_signed(type_element(u->word->type)->elem);
  LLVMValueRef words[] = {emit_register(e, u->word, r), emit_register(e, u->word, r + 1)};
  LLVMValueRef pair = shifted_in_place(e, words, fields, is_signed);
  if (!pair) pair = permuted(e, words, fields, is_signed);
  pair = masked_with(e, pair, u->mask | u->mask << 16, u->bits | u->bits << 16);
  pair = LLVMBuildBitCast(e->builder, pair, LLVMVectorType(e->i16, 2), "");
  emit_elements(e, pair, 2, out);
}

bool emit_unpack(Emitter *e, const Op *op, LLVMValueRef *out) {
  Unpacking u;
  if (!find_unpacking(op, &u)) return false;
  uint32_t count = emit_count(op_result(op)->type);
  Field *fields = ARENA_ARRAY(e->arena, Field, count);
  if (count % 2) return false;
  for (uint32_t r = 0; r < count; r++)
    if (!find_field(e, emit_register(e, u.by, r), &fields[r])) return false;
  for (uint32_t r = 0; r < count; r += 2) unpack_pair(e, &u, r, &fields[r], out + r);
  return true;
}

// --- arithmetic on pairs

// The two-element vector of 16-bit elements whose elements these are. NULL: there is none.
static LLVMValueRef vector_of(LLVMValueRef low, LLVMValueRef high) {
  if (!LLVMIsAExtractElementInst(low) || !LLVMIsAExtractElementInst(high)) return NULL;
  LLVMValueRef vector = LLVMGetOperand(low, 0), at[] = {LLVMGetOperand(low, 1), LLVMGetOperand(high, 1)};
  if (vector != LLVMGetOperand(high, 0) || LLVMGetVectorSize(LLVMTypeOf(vector)) != 2) return NULL;
  for (uint32_t i = 0; i < 2; i++)
    if (!LLVMIsAConstantInt(at[i]) || LLVMConstIntGetZExtValue(at[i]) != i) return NULL;
  return vector;
}

// True if the vector is unpacked bits, or computed as a pair.
static bool is_pair(LLVMValueRef vector) {
  if (!vector || !LLVMIsAInstruction(vector)) return false;
  LLVMOpcode opcode = LLVMGetInstructionOpcode(vector);
  if (opcode == LLVMFAdd || opcode == LLVMFSub || opcode == LLVMFMul) return true;
  if (opcode != LLVMBitCast) return false;
  LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(vector, 0)), to = LLVMTypeOf(vector);
  if (LLVMGetTypeKind(from) == LLVMVectorTypeKind) return is_pair(LLVMGetOperand(vector, 0));
  return LLVMGetTypeKind(LLVMGetElementType(to)) == LLVMIntegerTypeKind &&
         LLVMIsACallInst(LLVMGetOperand(vector, 0));
}

static LLVMValueRef pair_at(Emitter *e, const Value *tile, uint32_t r) {
  LLVMValueRef halves[] = {emit_register(e, tile, r), emit_register(e, tile, r + 1)};
  LLVMValueRef vector = vector_of(halves[0], halves[1]);
  return is_pair(vector) ? vector : emit_vector(e, halves, 2);
}

static bool comes_in_pairs(Emitter *e, const Value *tile) {
  for (uint32_t r = 0; r < emit_count(tile->type); r += 2)
    if (!is_pair(vector_of(emit_register(e, tile, r), emit_register(e, tile, r + 1)))) return false;
  return true;
}

// True if both elements of a pair are computed with the same register.
static bool repeats_in_pairs(Emitter *e, const Value *tile) {
  for (uint32_t r = 0; r < emit_count(tile->type); r += 2)
    if (emit_register(e, tile, r) != emit_register(e, tile, r + 1)) return false;
  return true;
}

// The register that both elements of the pair are; NULL: they differ.
static LLVMValueRef repeated_at(Emitter *e, const Value *tile, uint32_t r) {
  LLVMValueRef low = emit_register(e, tile, r);
  return low == emit_register(e, tile, r + 1) ? low : NULL;
}

// --- fields that stay where they are
//
// ```
// before  lop3(w >> 12 & 0x000f000f | 0x64006400) - 1024
// after   fma(lop3(w >> 8 & 0x00f000f0 | 0x64006400), 1/16, -64)
// ```
//
// The shift by whole bytes is shared with the pair before. Both are exact: 1024 + 16 x has all bits of x. Permuted fields
// stay too, each with its own factor:
//
// ```
// before  lop3(prmt(w, w >> 4, 0x0400) & 0x000f000f | 0x64006400) - 1024
// after   fma(lop3(prmt(w, w, 0x0400) & 0x00f0000f | 0x64006400), {1, 1/16}, {-1024, -64})
// ```

// The call of lop3 whose bits the pair of fp16 is; NULL: it is computed otherwise.
static LLVMValueRef masked_of(Emitter *e, LLVMValueRef pair) {
  while (LLVMIsABitCastInst(pair)) pair = LLVMGetOperand(pair, 0);
  return LLVMIsACallInst(pair) && LLVMGetCalledValue(pair) == masked_code(e) ? pair : NULL;
}

// The word that is shifted, and by how many bits; the word itself, if it is not.
static LLVMValueRef without_shift(LLVMValueRef word, uint32_t *within) {
  LLVMOpcode opcode = LLVMIsAInstruction(word) ? LLVMGetInstructionOpcode(word) : LLVMCall;
  *within = 0;
  if ((opcode != LLVMAShr && opcode != LLVMLShr) || !LLVMIsAConstantInt(LLVMGetOperand(word, 1))) return word;
  uint64_t by = LLVMConstIntGetZExtValue(LLVMGetOperand(word, 1));
  if (by >= BYTE_BITS) return word;
  *within = (uint32_t)by;
  return LLVMGetOperand(word, 0);
}

// A pair that ptxas does not know to be a constant: no grid has 65,536 CTAs along z. If ptxas knows that two numbers are
// constant, and they differ, it writes them into a register again before each use.
static LLVMValueRef kept_pair(Emitter *e, LLVMTypeRef type, uint32_t bits) {
  const char *text = "{\n\t.reg .b32 none;\n\tmov.u32 none, %nctaid.z;\n\tshr.u32 none, none, 16;\n\t"
                     "or.b32 $0, none, $1;\n\t}";
  LLVMValueRef number = emit_i32(e, bits), kept = asm_of_text(e, e->i32, text, "=r,n", false, &number, 1);
  return LLVMBuildBitCast(e->builder, kept, type, "");
}

static LLVMValueRef pair_of_numbers(Emitter *e, double x, double y) {
  LLVMValueRef halves[] = {LLVMConstReal(e->f16, x), LLVMConstReal(e->f16, y)};
  return LLVMConstVector(halves, 2);
}

static bool known_bits_of(LLVMValueRef x, uint64_t *bits) {
  if (!LLVMIsAConstantInt(x)) return false;
  *bits = LLVMConstIntGetZExtValue(x);
  return true;
}

// The shifted word, or permuted bytes of two, without the shifts by less than a byte. within: these, by half.
static LLVMValueRef in_place(Emitter *e, LLVMValueRef x, uint32_t within[2]) {
  uint64_t by;
  LLVMOpcode opcode = LLVMIsAInstruction(x) ? LLVMGetInstructionOpcode(x) : LLVMPHI;
  if ((opcode == LLVMAShr || opcode == LLVMLShr) && known_bits_of(LLVMGetOperand(x, 1), &by)) {
    within[0] = within[1] = (uint32_t)by % BYTE_BITS;
    return shifted_by(e, LLVMGetOperand(x, 0), (uint32_t)by - within[0], opcode == LLVMAShr);
  }
  if (opcode != LLVMCall || LLVMGetNumArgOperands(x) != 3) return NULL; // prmt: see `permuted`
  LLVMValueRef words[2], operands[3];
  for (uint32_t i = 0; i < 2; i++) operands[i] = words[i] = without_shift(LLVMGetOperand(x, i), &within[i]);
  operands[2] = LLVMGetOperand(x, 2);
  return within[0] || within[1] ? nvvm_intrinsic(e, "llvm.nvvm.prmt", NULL, 0, operands, 3) : NULL;
}

typedef struct KeptPair {
  uint32_t bits;
  LLVMValueRef pair; // NULL: not emitted yet.
} KeptPair;

// pair - less, where the pair's bits are shifted by a number of bytes and some bits. NULL: another difference. *kept: the
// factors of the pair before.
static LLVMValueRef less_in_place(Emitter *e, LLVMValueRef pair, LLVMValueRef less, KeptPair *kept) {
  enum { EXPONENT_PAIR = 0x64006400, EXPONENT = 1024, MANTISSA = 0x3ff, EXPONENT_ONE = 0x3c00 };
  LLVMValueRef call = masked_of(e, pair);
  uint64_t mask, bits;
  uint32_t within[2];
  LLVMBool inexact;
  if (!call || !less || !LLVMIsAConstantFP(less) || !known_bits_of(LLVMGetOperand(call, 1), &mask) ||
      !known_bits_of(LLVMGetOperand(call, 2), &bits))
    return NULL;
  double off = LLVMConstRealGetDouble(less, &inexact) - EXPONENT;
  if (bits != EXPONENT_PAIR || fabs(off) > EXPONENT / 2) return NULL;
  LLVMValueRef word = in_place(e, LLVMGetOperand(call, 0), within);
  uint64_t low = mask & UINT16_MAX, high = mask >> 16;
  if (!word || !(within[0] | within[1]) || low << within[0] > MANTISSA || high << within[1] > MANTISSA)
    return NULL;
  LLVMValueRef x =
      masked_with(e, word, (uint32_t)(low << within[0] | high << within[1] << 16), (uint32_t)bits);
  LLVMTypeRef type = LLVMTypeOf(pair);
  double scales[] = {1.0 / (1 << within[0]), 1.0 / (1 << within[1])};
  x = LLVMBuildBitCast(e->builder, x, type, "");
  LLVMValueRef factor = pair_of_numbers(e, scales[0], scales[1]),
               sum = pair_of_numbers(e, -off - EXPONENT * scales[0], -off - EXPONENT * scales[1]);
  if (within[0] != within[1]) {
    uint32_t factors = (EXPONENT_ONE - (within[1] << 10)) << 16 | (EXPONENT_ONE - (within[0] << 10));
    if (!kept->pair || kept->bits != factors) *kept = (KeptPair){factors, kept_pair(e, type, factors)};
    factor = kept->pair;
  }
  LLVMValueRef operands[] = {x, factor, sum};
  return nvvm_intrinsic(e, "llvm.fma", &type, 1, operands, 3);
}

static bool has_pairs(Emitter *e, const Op *op) {
  const Type *type = op_result(op)->type, *element = type_element(type);
  if (!type_is_tile(type) || element->kind == TYPE_PTR || emit_count(type) % 2) return false;
  bool half = element->elem == ELEM_FP16 || (element->elem == ELEM_BF16 && e->target->arch->has_bf16_of_int);
  bool bits = op->kind == OP_BITCAST && type_element_bytes(op_operand(op, 0)->type) == 2;
  if (!half || (!bits && !op_has(op, ARITHMETIC))) return false;
  if (!comes_in_pairs(e, op_operand(op, 0))) return false;
  return bits || comes_in_pairs(e, op_operand(op, 1)) || repeats_in_pairs(e, op_operand(op, 1));
}

// Erases an instruction that nothing uses, and its operands likewise. All are of an unpacking: they have no effects.
static void erase_unused(LLVMValueRef x) {
  enum { MAX_OPERANDS = 4 };
  LLVMValueRef operands[MAX_OPERANDS];
  if (!LLVMIsAInstruction(x) || LLVMGetFirstUse(x) || LLVMIsAPHINode(x) || LLVMIsALoadInst(x)) return;
  uint32_t count = (uint32_t)LLVMGetNumOperands(x);
  if (count > MAX_OPERANDS) return;
  for (uint32_t i = 0; i < count; i++) operands[i] = LLVMGetOperand(x, i);
  LLVMInstructionEraseFromParent(x);
  for (uint32_t i = 0; i < count; i++)
    if (i == 0 || operands[i] != operands[0]) erase_unused(operands[i]);
}

// The pairs that fields in place replace. LLVM would take longer for them than for what stays.
static void erase_replaced(Emitter *e, const Value *tile) {
  const Op *bits = tile->def;
  if (!bits || bits->kind != OP_BITCAST || !value_single_use(tile) || !value_single_use(op_operand(bits, 0)))
    return;
  for (uint32_t r = 0; r < emit_count(tile->type); r++) erase_unused(emit_register(e, tile, r));
  for (uint32_t r = 0; r < emit_count(tile->type); r++)
    erase_unused(emit_register(e, op_operand(bits, 0), r));
}

bool emit_unpacked(Emitter *e, const Op *op, LLVMValueRef *out) {
  if (!has_pairs(e, op)) return false;
  LLVMTypeRef type = LLVMVectorType(emit_type(e, type_element(op_result(op)->type)), 2);
  EmitScalar scalar = emit_scalar_of(op->kind);
  bool replaced = op->kind == OP_SUB;
  KeptPair kept = {0};
  for (uint32_t r = 0; r < emit_count(op_result(op)->type); r += 2) {
    LLVMValueRef x[] = {NULL, NULL, NULL}, pair;
    for (uint32_t i = 0; i < op->operand_count; i++) x[i] = pair_at(e, op_operand(op, i), r);
    pair = op->kind == OP_SUB ? less_in_place(e, x[0], repeated_at(e, op_operand(op, 1), r), &kept) : NULL;
    replaced &= pair != NULL;
    if (!pair)
      pair = op->kind == OP_BITCAST ? LLVMBuildBitCast(e->builder, x[0], type, "") : scalar(e, op, x);
    emit_elements(e, pair, 2, out + r);
  }
  if (replaced) erase_replaced(e, op_operand(op, 0));
  return true;
}

// --- fields as they are
//
// ```
// before  fma(lop3(w & 0x00f000f0 | 0x64006400), 1/16, -64)
// after   lop3(w & 0x00f000f0): subnormal fp16, 2^-24 times 16 times the fields
// ```

// True if both elements of a vector are this number.
static bool is_pair_of(LLVMValueRef vector, double number) {
  LLVMBool inexact;
  if (!LLVMIsConstant(vector)) return false;
  for (uint32_t i = 0; i < 2; i++) {
    LLVMValueRef x = LLVMGetAggregateElement(vector, i);
    if (!x || !LLVMIsAConstantFP(x) || LLVMConstRealGetDouble(x, &inexact) != number) return false;
  }
  return true;
}

LLVMValueRef emit_fields(Emitter *e, LLVMValueRef low, LLVMValueRef high, uint32_t *within) {
  enum { EXPONENT_PAIR = 0x64006400, EXPONENT = 1024 };
  LLVMValueRef pair = vector_of(low, high), call = NULL;
  uint64_t mask, bits;
  if (!pair || !LLVMIsAInstruction(pair)) return NULL;
  if (LLVMGetInstructionOpcode(pair) == LLVMFSub && is_pair_of(LLVMGetOperand(pair, 1), EXPONENT)) {
    call = masked_of(e, LLVMGetOperand(pair, 0)), *within = 0;
  } else if (LLVMIsACallInst(pair) && LLVMGetNumArgOperands(pair) == 3) { // fma: see less_in_place
    double scale = 1;
    for (*within = 0; *within < BYTE_BITS && !is_pair_of(LLVMGetOperand(pair, 1), scale); ++*within)
      scale /= 2;
    bool same = *within < BYTE_BITS && is_pair_of(LLVMGetOperand(pair, 2), -EXPONENT * scale);
    call = same ? masked_of(e, LLVMGetOperand(pair, 0)) : NULL;
  }
  if (!call || !known_bits_of(LLVMGetOperand(call, 1), &mask) ||
      !known_bits_of(LLVMGetOperand(call, 2), &bits))
    return NULL;
  if (bits != EXPONENT_PAIR || mask >> 16 != (mask & UINT16_MAX)) return NULL;
  return masked_with(e, LLVMGetOperand(call, 0), (uint32_t)mask, 0);
}
