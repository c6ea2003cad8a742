// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// inline_asm: the text once for each `pack` registers of a thread. Elements narrower than 32 bits are packed
// into registers of up to 32, the first in the low bits.
#include "codegen/emit_asm.h"

#include <string.h>
#include "base/fault.h"
#include "codegen/emit.h"

static LLVMTypeRef letter_type(const Emitter *e, char letter) {
  switch (letter) {
  case ASM_PREDICATE: return e->i1;
  case ASM_INT16: return e->i16;
  case ASM_INT64: return e->i64;
  case ASM_FP32: return e->f32;
  case ASM_FP64: return e->f64;
  default: return e->i32;
  }
}

static LLVMTypeRef letter_integer(const Emitter *e, char letter) {
  return letter == ASM_FP32 ? e->i32 : letter == ASM_FP64 ? e->i64 : letter_type(e, letter);
}

static LLVMTypeRef bits_type(const Emitter *e, const Type *type) {
  return LLVMIntTypeInContext(e->context, 8 * type_element_bytes(type));
}

// One element among those of a register of the letter.
static LLVMValueRef to_register(Emitter *e, const Type *type, char letter, LLVMValueRef x) {
  LLVMTypeRef integer = letter_integer(e, letter);
  if (letter == ASM_PREDICATE) return x;
  LLVMValueRef bits = LLVMBuildBitCast(e->builder, emit_to_memory(e, x), bits_type(e, type), "");
  return LLVMBuildZExt(e->builder, bits, integer, "");
}

static LLVMValueRef from_register(Emitter *e, const Type *type, char letter, LLVMValueRef x) {
  if (letter == ASM_PREDICATE) return x;
  LLVMValueRef bits = LLVMBuildIntCast2(e->builder, x, bits_type(e, type), false, "");
  LLVMTypeRef memory = type_is_ptr(type) ? e->i64 : emit_memory_type(e, type);
  return emit_from_memory(e, type, LLVMBuildBitCast(e->builder, bits, memory, ""));
}

typedef struct AsmCall {
  const Op *op;
  uint32_t pack, registers; // registers: of each value
  AsmShape shape;
  LLVMTypeRef type; // of the function
  LLVMValueRef code;
} AsmCall;

// Elements first .. first + n - 1 of the value, zeros beyond its last, as one register.
static LLVMValueRef pack_elements(Emitter *e, const AsmCall *call, const Value *value, uint32_t first,
                                  uint32_t n, char letter) {
  LLVMTypeRef integer = letter_integer(e, letter);
  LLVMValueRef all = LLVMConstNull(integer);
  uint32_t bits = 8 * type_element_bytes(value->type);
  for (uint32_t i = 0; i < n && first + i < call->registers; i++) {
    LLVMValueRef x = to_register(e, value->type, letter, emit_register(e, value, first + i));
    if (i) x = LLVMBuildShl(e->builder, x, LLVMConstInt(integer, i * bits, false), "");
    all = i ? LLVMBuildOr(e->builder, all, x, "") : x;
  }
  return LLVMBuildBitCast(e->builder, all, letter_type(e, letter), "");
}

static void unpack_elements(Emitter *e, const AsmCall *call, const Value *result, uint32_t first, uint32_t n,
                            char letter, LLVMValueRef x) {
  LLVMTypeRef integer = letter_integer(e, letter);
  uint32_t bits = 8 * type_element_bytes(result->type);
  LLVMValueRef all = LLVMBuildBitCast(e->builder, x, integer, "");
  for (uint32_t i = 0; i < n && first + i < call->registers; i++) {
    LLVMValueRef part = i ? LLVMBuildLShr(e->builder, all, LLVMConstInt(integer, i * bits, false), "") : all;
    emit_get(e, result)[first + i] = from_register(e, result->type, letter, part);
  }
}

// The PTX ISA version that the text asks for, by words of what came after the versions that targets begin with.
static uint16_t version_of(const char *text) {
  static const struct {
    const char *word;
    uint16_t version;
  } words[] = {
      {"L2::", 74},        {"createpolicy", 74}, {"griddepcontrol", 78}, {"stmatrix", 78}, {"try_wait", 78},
      {"cluster", 78},     {"cp.async.bulk", 80}, {"elect.sync", 80},    {"fence.proxy.async", 80},
      {"setmaxnreg", 80},  {"wgmma", 80},        {"multimem", 81},       {"st.async", 81}, {"red.async", 81},
      {"mmio", 82},        {".b128", 83},        {"tensormap", 83},      {"e2m1x2", 86},   {"e2m3x2", 86},
      {"e3m2x2", 86},      {"ue8m0x2", 86},      {"f32x2", 86},          {"st.bulk", 86},  {"tcgen05", 86},
  };
  uint16_t version = 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].version > version && strstr(text, words[i].word)) version = words[i].version;
  return version;
}

static AsmCall call_of(Emitter *e, const Op *op) {
  AsmCall call = {.op = op, .pack = (uint32_t)op_int(op, ATTR_PACK, 1)};
  call.registers = emit_count(op_result(op)->type);
  const char *text = op_attr(op, ATTR_ASM)->str, *constraints = op_attr(op, ATTR_CONSTRAINTS)->str;
  const char *wrong = asm_read(e->arena, op, &call.shape);
  emit_needs_ptx(e, version_of(text));
  if (wrong) BUG("%s", wrong);
  LLVMTypeRef types[ASM_MAX_REGISTERS];
  uint32_t outputs = call.shape.outputs, inputs = call.shape.inputs;
  for (uint32_t i = 0; i < outputs + inputs; i++) types[i] = letter_type(e, call.shape.letter[i]);
  LLVMTypeRef result = outputs == 1 ? types[0] : LLVMStructTypeInContext(e->context, types, outputs, false);
  call.type = LLVMFunctionType(result, types + outputs, inputs, false);
  Buf plain = {0};
  for (const char *at = constraints; *at; at++)
    if (*at != ' ') buf_char(&plain, *at);
  bool pure = op_attr(op, ATTR_PURE) != NULL;
  call.code = LLVMGetInlineAsm(call.type, text, strlen(text), plain.at, plain.n, !pure, false,
                               LLVMInlineAsmDialectATT, false);
  buf_free(&plain);
  return call;
}

// The text on registers first .. first + pack - 1.
static void emit_text_at(Emitter *e, const AsmCall *call, uint32_t first) {
  LLVMValueRef args[ASM_MAX_REGISTERS];
  uint32_t count = 0, outputs = call->shape.outputs;
  for (uint32_t i = 0; i < call->op->operand_count; i++) {
    const Value *x = op_operand(call->op, i);
    uint32_t n = asm_elements(x->type, call->pack);
    for (uint32_t at = 0; at < call->pack; at += n, count++)
      args[count] = pack_elements(e, call, x, first + at, n, call->shape.letter[outputs + count]);
  }
  LLVMValueRef all = LLVMBuildCall2(e->builder, call->type, call->code, args, count, "");
  count = 0;
  for (uint32_t i = 0; i < call->op->result_count; i++) {
    const Value *y = &call->op->results[i];
    uint32_t n = asm_elements(y->type, call->pack);
    for (uint32_t at = 0; at < call->pack; at += n, count++) {
      LLVMValueRef x = outputs == 1 ? all : LLVMBuildExtractValue(e->builder, all, count, "");
      unpack_elements(e, call, y, first + at, n, call->shape.letter[count], x);
    }
  }
}

void emit_inline_asm(Emitter *e, Op *op) {
  AsmCall call = call_of(e, op);
  for (uint32_t i = 0; i < op->result_count; i++) emit_new(e, &op->results[i]);
  for (uint32_t first = 0; first < call.registers; first += call.pack) emit_text_at(e, &call, first);
}
