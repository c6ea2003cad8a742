// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// print by vprintf, assert by __assertfail. CUDA's runtime provides both to every kernel. Each element prints
// one line:
//   one operand       "pid (0, 0, 0) idx ( 3) prefix: 1.500000"
//   several operands  "... prefix: (operand 1) 1.500000"
//   no prefix         "idx ( 3): 1.500000"
// Indices of a dimension are as wide as its last index.
#include "base/integer.h"
#include "codegen/emit/emit.h"

#include <stdio.h>
#include <string.h>
#include "codegen/emit/emit_move.h"
#include "codegen/nvvm/nvvm.h"
#include "ir/number.h"

enum { MAX_PRINTED_VALUES = 3 + TILE_MAX_RANK + 1 }; // program, index, value

// A generic pointer to the text. Each text is stored once in a module.
static LLVMValueRef text_address(Emitter *e, const char *text) {
  LLVMTypeRef generic = LLVMPointerTypeInContext(e->context, 0);
  uint32_t n = (uint32_t)strlen(text);
  LLVMValueRef bytes = LLVMConstStringInContext2(e->context, text, n, false);
  LLVMValueRef global = NULL;
  for (LLVMValueRef g = LLVMGetFirstGlobal(e->llvm); g && !global; g = LLVMGetNextGlobal(g))
    if (LLVMGetInitializer(g) == bytes && LLVMIsGlobalConstant(g)) global = g;
  if (!global) {
    global = LLVMAddGlobalInAddressSpace(e->llvm, LLVMTypeOf(bytes), "text$", NVVM_GLOBAL);
    LLVMSetInitializer(global, bytes);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMInternalLinkage);
    LLVMSetAlignment(global, 1);
  }
  return LLVMConstAddrSpaceCast(global, generic);
}

static LLVMValueRef system_function(Emitter *e, const char *name, LLVMTypeRef type) {
  LLVMValueRef function = LLVMGetNamedFunction(e->llvm, name);
  return function ? function : LLVMAddFunction(e->llvm, name, type);
}

// --- print

typedef struct Printer {
  Emitter *e;
  Buf format;
  LLVMValueRef values[MAX_PRINTED_VALUES];
  uint32_t count;
} Printer;

static void add_value(Printer *p, const char *format, LLVMValueRef value) {
  buf_text(&p->format, format);
  p->values[p->count++] = value;
}

static void add_program(Printer *p) {
  for (int axis = 0; axis < 3; axis++) add_value(p, axis ? ", %u" : "pid (%u", nvvm_block_id(p->e, axis));
  buf_text(&p->format, ")");
}

// Adds the index. Returns true if the element is within the sizes; NULL: always.
static LLVMValueRef add_index(Printer *p, const Type *type, uint32_t r, const int64_t *sizes) {
  LLVMBuilderRef b = p->e->builder;
  LLVMValueRef meant = NULL;
  buf_text(&p->format, " idx (");
  LLVMValueRef index = type_is_tile(type) ? emit_index(p->e, type->layout, r) : NULL;
  uint32_t shift = 0, first = p->count;
  p->count += type->rank;
  for (uint32_t d = type->rank; d-- > 0;) {
    LLVMValueRef upper = LLVMBuildLShr(b, index, emit_i32(p->e, shift), "");
    p->values[first + d] = LLVMBuildAnd(b, upper, emit_i32(p->e, type->shape[d] - 1), "");
    shift += log2_of(type->shape[d]);
    if (!sizes || sizes[d] == type->shape[d]) continue;
    LLVMValueRef within =
        LLVMBuildICmp(b, LLVMIntULT, p->values[first + d], emit_i32(p->e, (uint32_t)sizes[d]), "");
    meant = meant ? LLVMBuildAnd(b, meant, within, "") : within;
  }
  for (uint32_t d = 0; d < type->rank; d++)
    buf_printf(&p->format, "%s%%%uu", d ? ", " : "",
               digit_count((sizes ? (uint64_t)sizes[d] : type->shape[d]) - 1));
  buf_char(&p->format, ')');
  return meant;
}

// Escapes each % of the text, which is not a directive.
static void add_text(Printer *p, const char *text, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (text[i] == '%') buf_char(&p->format, '%');
    buf_char(&p->format, text[i]);
  }
}

// Removes spaces around the prefix and its colon.
static void add_prefix(Printer *p, const char *text) {
  size_t n = strlen(text);
  while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == ':')) n--;
  while (n > 0 && *text == ' ') text++, n--;
  if (n > 0) buf_char(&p->format, ' ');
  add_text(p, text, n);
  buf_text(&p->format, ": ");
}

static void add_float(Printer *p, Elem elem, LLVMValueRef x) {
  Emitter *e = p->e;
  if (elem_info(elem)->bits == 8) x = emit_from_fp8(e, elem, x);
  x = emit_widen(e, x);
  add_value(p, "%f", LLVMTypeOf(x) == e->f64 ? x : LLVMBuildFPExt(e->builder, x, e->f64, ""));
}

static void add_bits(Printer *p, uint32_t bytes, LLVMValueRef x) {
  Emitter *e = p->e;
  LLVMValueRef bits = emit_to_memory(e, x);
  bits = LLVMBuildBitCast(e->builder, bits, LLVMIntTypeInContext(e->context, 8 * bytes), "");
  buf_printf(&p->format, "0x%%0%u", 2 * bytes);
  add_value(p, bytes == 8 ? "llx" : "x", LLVMBuildZExt(e->builder, bits, bytes == 8 ? e->i64 : e->i32, ""));
}

static void add_element(Printer *p, const Type *element, LLVMValueRef x, bool hex) {
  Emitter *e = p->e;
  if (hex || element->kind == TYPE_PTR) {
    add_bits(p, type_element_bytes(element), x);
    return;
  }
  if (elem_is_float(element->elem)) {
    add_float(p, element->elem, x);
    return;
  }
  bool is_signed = elem_is_signed(element->elem), wide = elem_info(element->elem)->bits == 64;
  LLVMValueRef number = LLVMBuildIntCast2(e->builder, x, wide ? e->i64 : e->i32, is_signed, "");
  add_value(p, is_signed ? (wide ? "%lld" : "%d") : wide ? "%llu" : "%u", number);
}

// Stores the values in a struct in the thread's memory, as vprintf expects.
static LLVMValueRef argument_list(Printer *p) {
  Emitter *e = p->e;
  LLVMTypeRef types[MAX_PRINTED_VALUES];
  for (uint32_t i = 0; i < p->count; i++) types[i] = LLVMTypeOf(p->values[i]);
  LLVMTypeRef list = LLVMStructTypeInContext(e->context, types, p->count, false);
  EmitPosition here = emit_move_before(e, LLVMGetFirstInstruction(e->entry));
  LLVMValueRef room = LLVMBuildAlloca(e->builder, list, "");
  emit_move_back(e, &here);
  for (uint32_t i = 0; i < p->count; i++)
    LLVMBuildStore(e->builder, p->values[i], LLVMBuildStructGEP2(e->builder, list, room, i, ""));
  return room;
}

static void call_vprintf(Printer *p) {
  Emitter *e = p->e;
  buf_char(&p->format, '\n');
  LLVMTypeRef generic = LLVMPointerTypeInContext(e->context, 0);
  LLVMTypeRef type = LLVMFunctionType(e->i32, (LLVMTypeRef[]){generic, generic}, 2, false);
  LLVMValueRef args[] = {text_address(e, arena_copy(e->arena, buf_view(&p->format))), argument_list(p)};
  LLVMBuildCall2(e->builder, type, system_function(e, "vprintf", type), args, 2, "");
  buf_reset(&p->format);
  p->count = 0;
}

static void print_operand(Printer *p, const Op *op, uint32_t operand, const uint32_t *first) {
  const Value *value = op_operand(op, operand);
  const Attr *prefix = op_attr(op, ATTR_PREFIX);
  for (uint32_t r = 0; r < emit_count(value->type); r++) {
    if (first[r] != r) continue;
    add_program(p);
    LLVMValueRef meant = add_index(p, value->type, r, op_printed_sizes(op, operand));
    add_prefix(p, prefix ? prefix->str : "");
    if (op->operand_count > 1) buf_printf(&p->format, "(operand %u) ", operand);
    add_element(p, type_element(value->type), emit_register(p->e, value, r), op_attr(op, ATTR_HEX) != NULL);
    LLVMBasicBlockRef end = emit_guard(p->e, meant);
    call_vprintf(p);
    emit_unguard(p->e, end);
  }
}

static void print_text(Printer *p, const Op *op) {
  const Attr *prefix = op_attr(op, ATTR_PREFIX);
  add_program(p);
  buf_char(&p->format, ' ');
  if (prefix) add_text(p, prefix->str, strlen(prefix->str));
  call_vprintf(p);
}

static const Type *printed_type(Emitter *e, const Op *op, uint32_t i) {
  return i < op->operand_count ? op_operand(op, i)->type : type_scalar(e->module->ir, ELEM_I1);
}

void emit_print(Emitter *e, Op *op) {
  Printer p = {.e = e};
  uint32_t times = op->operand_count ? op->operand_count : 1;
  for (uint32_t i = 0; i < times; i++) {
    const Type *type = printed_type(e, op, i);
    uint32_t *first = ARENA_ARRAY(e->arena, uint32_t, emit_count(type));
    if (type_is_tile(type)) first_registers(e->arena, type->layout, first);
    LLVMBasicBlockRef end = emit_guard(e, emit_holder(e, type));
    if (op->operand_count)
      print_operand(&p, op, i, first);
    else
      print_text(&p, op);
    emit_unguard(e, end);
  }
  buf_free(&p.format);
}

// --- assert

static void call_assertfail(Emitter *e, const Op *op) {
  const Sources *sources = e->module->ir->sources;
  const Attr *message = op_attr(op, ATTR_MESSAGE);
  const char *file = op->loc.line ? sources_name(sources, op->loc.file) : "?";
  LLVMTypeRef generic = LLVMPointerTypeInContext(e->context, 0);
  LLVMTypeRef types[] = {generic, generic, e->i32, generic, e->i64};
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), types, 5, false);
  LLVMValueRef args[] = {text_address(e, message ? message->str : ""), text_address(e, file),
                         emit_i32(e, op->loc.line), text_address(e, e->func->name),
                         LLVMConstInt(e->i64, 1, false)}; // bytes of a character
  LLVMBuildCall2(e->builder, type, system_function(e, "__assertfail", type), args, 5, "");
}

void emit_assert(Emitter *e, Op *op) {
  const Value *condition = op_operand(op, 0);
  LLVMValueRef all = emit_register(e, condition, 0);
  for (uint32_t r = 1; r < emit_count(condition->type); r++)
    all = LLVMBuildAnd(e->builder, all, emit_register(e, condition, r), "");
  LLVMBasicBlockRef end = emit_guard(e, LLVMBuildNot(e->builder, all, ""));
  call_assertfail(e, op);
  emit_unguard(e, end);
}
