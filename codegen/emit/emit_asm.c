// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// inline_asm: emits the text once for each `pack` registers of a thread. Elements narrower than 32 bits are
// packed into registers of up to 32 bits, the first in the low bits.
#include "codegen/inline_asm.h"

#include <string.h>
#include "base/fault.h"
#include "codegen/emit/emit.h"
#include "codegen/emit/emit_move.h"
#include "codegen/nvvm/nvvm.h"

static LLVMTypeRef letter_type(const Emitter *e, char letter) {
  switch (letter) {
  case ASM_PREDICATE: return e->i1;
  case ASM_INT16: return e->i16;
  case ASM_INT64:
  case ASM_WIDE_IMMEDIATE: return e->i64;
  case ASM_FP32: return e->f32;
  case ASM_FP64: return e->f64;
  default: return e->i32;
  }
}

static LLVMTypeRef letter_integer(const Emitter *e, char letter) {
  return letter == ASM_FP32 ? e->i32 : letter == ASM_FP64 ? e->i64 : letter_type(e, letter);
}

LLVMTypeRef emit_bits_type(const Emitter *e, const Type *type) {
  return LLVMIntTypeInContext(e->context, 8 * type_element_bytes(type));
}

// Converts one element to the register type of the letter.
static LLVMValueRef to_register(Emitter *e, const Type *type, char letter, LLVMValueRef x) {
  LLVMTypeRef integer = letter_integer(e, letter);
  if (letter == ASM_PREDICATE) return x;
  LLVMValueRef bits = LLVMBuildBitCast(e->builder, emit_to_memory(e, x), emit_bits_type(e, type), "");
  return LLVMBuildZExt(e->builder, bits, integer, "");
}

static LLVMValueRef from_register(Emitter *e, const Type *type, char letter, LLVMValueRef x) {
  if (letter == ASM_PREDICATE) return x;
  LLVMValueRef bits = LLVMBuildIntCast2(e->builder, x, emit_bits_type(e, type), false, "");
  LLVMTypeRef memory = type_is_ptr(type) ? e->i64 : emit_memory_type(e, type);
  return emit_from_memory(e, type, LLVMBuildBitCast(e->builder, bits, memory, ""));
}

typedef struct AsmOp {
  const Op *op;
  uint32_t pack, registers; // registers: of each value
  AsmShape shape;
  LLVMTypeRef type; // of the function
  LLVMValueRef code;
} AsmOp;

// Elements first .. first + n - 1 of the value, zeros beyond its last, as one register.
static LLVMValueRef pack_elements(Emitter *e, const AsmOp *call, const Value *value, uint32_t first,
                                  uint32_t n, char letter) {
  LLVMTypeRef integer = letter_integer(e, letter);
  LLVMValueRef all = LLVMConstNull(integer);
  uint32_t bits = 8 * type_element_bytes(value->type);
  int64_t number;
  bool immediate = letter == ASM_IMMEDIATE || letter == ASM_WIDE_IMMEDIATE;
  if (immediate && !value_int_constant(value, &number)) BUG("an immediate that is not known");
  for (uint32_t i = 0; i < n && (immediate || first + i < call->registers); i++) {
    LLVMValueRef element = immediate
                               ? LLVMConstInt(emit_type(e, type_element(value->type)), (uint64_t)number, true)
                               : emit_register(e, value, first + i);
    LLVMValueRef x = to_register(e, value->type, letter, element);
    if (i) x = LLVMBuildShl(e->builder, x, LLVMConstInt(integer, i * bits, false), "");
    all = i ? LLVMBuildOr(e->builder, all, x, "") : x;
  }
  return LLVMBuildBitCast(e->builder, all, letter_type(e, letter), "");
}

static void unpack_elements(Emitter *e, const AsmOp *call, const Value *result, uint32_t first, uint32_t n,
                            char letter, LLVMValueRef x) {
  LLVMTypeRef integer = letter_integer(e, letter);
  uint32_t bits = 8 * type_element_bytes(result->type);
  LLVMValueRef all = LLVMBuildBitCast(e->builder, x, integer, "");
  for (uint32_t i = 0; i < n && first + i < call->registers; i++) {
    LLVMValueRef part = i ? LLVMBuildLShr(e->builder, all, LLVMConstInt(integer, i * bits, false), "") : all;
    emit_get(e, result)[first + i] = from_register(e, result->type, letter, part);
  }
}

static AsmOp call_of(Emitter *e, const Op *op) {
  AsmOp call = {.op = op, .pack = (uint32_t)op_int(op, ATTR_PACK, 1)};
  call.registers = emit_count(op_result(op)->type);
  const char *text = op_attr(op, ATTR_ASM)->str, *constraints = op_attr(op, ATTR_CONSTRAINTS)->str;
  const char *wrong = asm_read(e->arena, op, &call.shape);
  emit_needs_ptx(e, NVVM_NEWEST_PTX); // because the text may contain any instruction
  e->has_assembly = true;
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
static void emit_text_at(Emitter *e, const AsmOp *call, uint32_t first) {
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

// Emits the text for registers whose elements no earlier register holds.
static void emit_texts_once(Emitter *e, const AsmOp *call) {
  const Type *type = op_result(call->op)->type;
  uint32_t *holder = ARENA_ARRAY(e->arena, uint32_t, call->registers);
  if (type_is_tile(type)) first_registers(e->arena, type->layout, holder);
  for (uint32_t first = 0; first < call->registers; first += call->pack) {
    bool repeats = true;
    for (uint32_t r = first; r < first + call->pack && r < call->registers; r++) repeats &= holder[r] < first;
    if (!repeats) emit_text_at(e, call, first);
    for (uint32_t r = first; repeats && r < first + call->pack && r < call->registers; r++)
      for (uint32_t i = 0; i < call->op->result_count; i++) {
        LLVMValueRef *out = emit_get(e, &call->op->results[i]);
        out[r] = out[holder[r]];
      }
  }
}

// Threads other than the first holder skip the text; their results are zero.
static void join_results(Emitter *e, const AsmOp *call, LLVMBasicBlockRef before, LLVMBasicBlockRef inside) {
  for (uint32_t i = 0; i < call->op->result_count; i++) {
    const Value *y = &call->op->results[i];
    LLVMValueRef *out = emit_get(e, y);
    for (uint32_t r = 0; r < call->registers; r++) {
      LLVMTypeRef type = LLVMTypeOf(out[r]);
      LLVMValueRef joined = LLVMBuildPhi(e->builder, type, ""), ways[] = {LLVMConstNull(type), out[r]};
      LLVMAddIncoming(joined, ways, (LLVMBasicBlockRef[]){before, inside}, 2);
      out[r] = joined;
    }
  }
}

static void emit_once(Emitter *e, const AsmOp *call) {
  LLVMValueRef holder = emit_holder(e, op_result(call->op)->type);
  if (!holder) {
    emit_texts_once(e, call);
    return;
  }
  LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder), inside = emit_block(e, "asm"),
                    end = emit_block(e, "asm_end");
  LLVMBuildCondBr(e->builder, holder, inside, end);
  LLVMPositionBuilderAtEnd(e->builder, inside);
  emit_texts_once(e, call);
  inside = LLVMGetInsertBlock(e->builder);
  LLVMBuildBr(e->builder, end);
  LLVMPositionBuilderAtEnd(e->builder, end);
  join_results(e, call, before, inside);
}

void emit_inline_asm(Emitter *e, Op *op) {
  AsmOp call = call_of(e, op);
  for (uint32_t i = 0; i < op->result_count; i++) emit_new(e, &op->results[i]);
  if (asm_runs_once(op)) {
    emit_once(e, &call);
    return;
  }
  for (uint32_t first = 0; first < call.registers; first += call.pack) emit_text_at(e, &call, first);
}
