// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which library functions are inlined. An inlined function is repeated for each element of a thread.
// ptxas takes quadratic time in this code: 44 s for the inverse error function of 16 elements a thread. It
// also interleaves the code of different elements, which takes registers. With 128 registers, exp of 32 fp64
// numbers spilled 316 bytes.
// So the functions with the most code are called instead, until the rest is small. A call costs five
// instructions. ptxas gives a local function registers that its callers leave free, so a call spills nothing.
#include "base/fault.h"
#include "codegen/emitter.h"
#include "codegen/math/library_calls.h"

enum { MAX_INLINED = 2500, MAX_FUNCTIONS = 256 };

typedef struct LibraryFunction {
  LLVMValueRef function;
  uint64_t size;   // instructions
  uint64_t copies; // places where it would be, after its callers are inlined
  bool called;     // not inlined
  bool counted;    // `copies` is valid
} LibraryFunction;

typedef struct Library {
  LibraryFunction at[MAX_FUNCTIONS];
  uint32_t n;
} Library;

static bool is_library(LLVMValueRef function) {
  return LLVMGetFunctionCallConv(function) == LLVMCCallConv && !LLVMIsDeclaration(function);
}

static void find_functions(const Emitter *e, Library *library) {
  for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f; f = LLVMGetNextFunction(f)) {
    if (!is_library(f)) continue;
    if (library->n == MAX_FUNCTIONS) BUG("more than %d library functions", MAX_FUNCTIONS);
    library->at[library->n++] = (LibraryFunction){.function = f, .size = emit_count_instructions(f)};
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

// The size of all inlined functions. *largest is the one whose copies are the largest.
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

// Removes attributes from libclc's build, which would prevent inlining into the kernel's target. At every
// call of an internal function LLVM visits all its uses, in quadratic time. So a called function is external
// for LLVM, and becomes local again in the PTX (codegen/llvm/ptx_text.h).
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
