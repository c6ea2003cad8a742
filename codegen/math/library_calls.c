// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which library functions are inlined. An inlined function's instructions are there once for each element of a thread.
// ptxas takes time quadratic in them: 44 s for the inverse error function of 16 elements a thread. And it mixes those of
// different elements, which takes registers: exp of 32 numbers of fp64 spilled 316 bytes with 128 registers. So the
// functions with the largest shares are called instead, until the rest is small. A call costs five instructions. ptxas
// gives a local function registers that its callers leave free, so that a call spills nothing.
#include "base/fault.h"
#include "codegen/emitter.h"
#include "codegen/math/library_calls.h"

enum { MAX_INLINED = 2500, MAX_FUNCTIONS = 256 };

typedef struct LibraryFunction {
  LLVMValueRef function;
  uint64_t size;   // instructions
  uint64_t copies; // places where it would stand, once what calls it is inlined
  bool called;     // not inlined
  bool counted;    // `copies` holds
} LibraryFunction;

typedef struct Library {
  LibraryFunction at[MAX_FUNCTIONS];
  uint32_t n;
} Library;

static bool is_library(LLVMValueRef function) {
  return LLVMGetFunctionCallConv(function) == LLVMCCallConv && !LLVMIsDeclaration(function);
}

static uint64_t count_instructions(LLVMValueRef function) {
  uint64_t n = 0;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
       block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef insn = LLVMGetFirstInstruction(block); insn; insn = LLVMGetNextInstruction(insn)) n++;
  return n;
}

static void find_functions(const Emitter *e, Library *library) {
  for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f; f = LLVMGetNextFunction(f)) {
    if (!is_library(f)) continue;
    if (library->n == MAX_FUNCTIONS) BUG("more than %d library functions", MAX_FUNCTIONS);
    library->at[library->n++] = (LibraryFunction){.function = f, .size = count_instructions(f)};
  }
}

// NULL: a kernel.
static LibraryFunction *find(Library *library, LLVMValueRef function) {
  for (uint32_t i = 0; i < library->n; i++)
    if (library->at[i].function == function) return &library->at[i];
  return NULL;
}

// libclc's functions do not call themselves.
static uint64_t count_copies(Library *library, LibraryFunction *f) {
  if (f->counted) return f->copies;
  f->counted = true;
  f->copies = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(f->function); use; use = LLVMGetNextUse(use)) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(LLVMGetUser(use));
    LibraryFunction *caller = find(library, LLVMGetBasicBlockParent(block));
    f->copies += caller && !caller->called ? count_copies(library, caller) : 1;
  }
  return f->copies;
}

// Of all inlined functions; *largest is the one whose copies are the most.
static uint64_t count_inlined(Library *library, LibraryFunction **largest) {
  uint64_t total = 0, most = 0;
  for (uint32_t i = 0; i < library->n; i++) library->at[i].counted = false;
  for (uint32_t i = 0; i < library->n; i++) {
    LibraryFunction *f = &library->at[i];
    uint64_t size = f->called ? 0 : f->size * count_copies(library, f);
    if (size > most) most = size, *largest = f;
    total += size;
  }
  return total;
}

static void set_attribute(const Emitter *e, LLVMValueRef function, const char *name) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAddAttributeAtIndex(function, (unsigned)LLVMAttributeFunctionIndex,
                          LLVMCreateEnumAttribute(e->context, kind, 0));
}

// Attributes that libclc was compiled with would keep its functions from being inlined into the kernel's target. Of
// an internal function LLVM goes over all uses at every call, which takes time quadratic in the calls: what is
// called is external to LLVM, and local again in the PTX (codegen/llvm/ptx_text.h).
static void adopt(LLVMValueRef function, bool called) {
  static const char *const foreign[] = {"target-features", "target-cpu", "frame-pointer"};
  for (uint32_t i = 0; i < 3; i++)
    LLVMRemoveStringAttributeAtIndex(function, (unsigned)LLVMAttributeFunctionIndex, foreign[i],
                                     (unsigned)strlen(foreign[i]));
  LLVMSetLinkage(function, called ? LLVMExternalLinkage : LLVMInternalLinkage);
}

void library_choose_calls(Emitter *e) {
  Library library = {.n = 0};
  LibraryFunction *largest = NULL;
  find_functions(e, &library);
  while (count_inlined(&library, &largest) > MAX_INLINED) largest->called = true;
  for (uint32_t i = 0; i < library.n; i++) {
    adopt(library.at[i].function, library.at[i].called);
    set_attribute(e, library.at[i].function, library.at[i].called ? "noinline" : "alwaysinline");
  }
}
