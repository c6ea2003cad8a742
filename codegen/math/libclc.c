// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/math/libclc.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>
#include <string.h>
#include "base/fault.h"
#include "codegen/emitter.h"
#include "codegen/math/library_calls.h"

// The result depends only on the arguments.
static LLVMValueRef declare(Emitter *e, const char *symbol, LLVMTypeRef type) {
  static const char *const attributes[] = {"memory", "nounwind", "willreturn"}; // memory(none) is 0
  LLVMValueRef function = LLVMAddFunction(e->llvm, symbol, type);
  for (uint32_t i = 0; i < 3; i++) {
    unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i]));
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(e->context, kind, 0));
  }
  return function;
}

LLVMValueRef emit_libclc(Emitter *e, const char *symbol, LLVMTypeRef result, const LLVMValueRef *args,
                         uint32_t count) {
  LLVMTypeRef params[4];
  for (uint32_t i = 0; i < count; i++) params[i] = LLVMTypeOf(args[i]);
  LLVMTypeRef type = LLVMFunctionType(result, params, count, false);
  LLVMValueRef function = LLVMGetNamedFunction(e->llvm, symbol);
  if (!function) function = declare(e, symbol, type);
  e->has_library = true;
  return LLVMBuildCall2(e->builder, type, function, (LLVMValueRef *)args, count, "");
}

static void link_function(Emitter *e, const LibclcEntry *entry) {
  LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRange(
      entry->begin, (size_t)(entry->end - entry->begin), entry->symbol, false);
  LLVMModuleRef library = NULL;
  bool failed = LLVMParseBitcodeInContext2(e->context, bytes, &library);
  LLVMDisposeMemoryBuffer(bytes);
  if (failed) BUG("libclc's %s cannot be read", entry->symbol);
  LLVMSetTarget(library, LLVMGetTarget(e->llvm));
  LLVMSetDataLayout(library, LLVMGetDataLayoutStr(e->llvm));
  if (LLVMLinkModules2(e->llvm, library)) BUG("libclc's %s cannot be linked", entry->symbol);
}

// Functions that a function calls are extracted with it, and become internal too.
void link_libclc(Emitter *e) {
  if (!e->has_library) return;
  for (const LibclcEntry *entry = libclc_table; entry->symbol; entry++)
    if (LLVMGetNamedFunction(e->llvm, entry->symbol)) link_function(e, entry);
  library_choose_calls(e);
}
