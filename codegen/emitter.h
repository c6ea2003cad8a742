// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Emitter: the state of one module's emission, and its primitives. emit/emit.h lists the emitters of ops.
//
// Each value is an array of LLVM values: one for a scalar or pointer, one for each register of its layout for
// a tile. Integers are iN whatever their sign. i1 is i1 in registers and a byte in memory. The fp8 types are
// i8. Pointers are in address space 1.
#ifndef CODEGEN_EMITTER_H
#define CODEGEN_EMITTER_H

#include <setjmp.h>
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>
#include "base/table.h"
#include "ir/queries.h"

// The lane's and warp's part of a layout index. Computed once for each region that has its own warps.
typedef struct LayoutIndex {
  const Layout *layout;
  LLVMValueRef thread_part; // L(0, lane, warp), i32
  uint32_t thread_mask;     // the bits that it may have set
} LayoutIndex;

// The threads that run a region. The region numbers them from 0, whichever warps of the CTA they are.
typedef struct RegionThreads {
  LLVMValueRef thread, lane, warp; // i32
  VEC(LayoutIndex) indices;        // created at first use, at the end of `home`
  LLVMBasicBlockRef home;          // the region's first block, which dominates its others; ends with a branch
} RegionThreads;

typedef struct DebugScope {
  uint16_t file;
  LLVMMetadataRef scope; // of inlined code in that file
} DebugScope;

typedef struct DebugPlace {
  Loc loc;
  uint32_t param;   // from 1: the parameter whose pointer the op uses to access memory; 0: none or unknown.
  uint32_t element; // Bytes of an element of that parameter.
  uint32_t number;  // From 1, in the module.
  LLVMMetadataRef location;
} DebugPlace;

typedef struct DebugInfo {
  LLVMDIBuilderRef builder;
  LLVMMetadataRef unit, function; // function: the kernel's subprogram
  VEC(LLVMMetadataRef) files;     // by file index; NULL until needed
  VEC(DebugScope) inlined;
  VEC(DebugPlace *) places;
  Table by_loc; // the function's places
  bool plain;   // LLVM gets the columns instead of the places' numbers
  uint16_t function_file;
} DebugInfo;

typedef struct Emitter {
  IrModule *module;
  Func *func;
  const Target *target; // as requested
  Arena *arena;
  LLVMContextRef context;
  LLVMTargetMachineRef machine; // NULL until code generation
  LLVMModuleRef llvm;
  LLVMBuilderRef builder;
  LLVMValueRef function;
  LLVMBasicBlockRef entry; // holds values for all basic blocks; branches to the body
  RegionThreads threads;   // of the region that is being emitted
  LLVMTypeRef i1, i8, i16, i32, i64, f16, bf16, f32, f64, ptr;
  LLVMValueRef **registers;    // by Value.id.
  LLVMValueRef **prepared;     // By a dot's result: its accumulator's registers (emit_sums.c); NULL: those
                               // of its operand.
  LLVMValueRef policies[2];    // L2 cache policies, created at first use: evict_first, evict_last.
  LLVMValueRef begins;         // Asynchronous copies run where this holds (emit_if); NULL: everywhere.
  LLVMBasicBlockRef guard_end; // The end of consecutive shared-memory stores that share a guard.
  LLVMValueRef shared;         // The current kernel's shared memory; NULL: it needs none.
  struct {                     // The current kernel's tensor memory.
    LLVMValueRef mbarriers;    // The address of those at which dots complete; `count` of them.
    LLVMValueRef begun;        // A variable: the number of dots so far.
    uint32_t count;
  } tmem;
  struct { // Records of when warps do what (codegen/timeline_code.c).
    bool asked;
    LLVMValueRef next; // a variable: the offset of the thread's next record
    uint32_t line;     // of the last record; UINT32_MAX: of another region
  } timeline;
  bool pair;                    // Two CTAs of a cluster compute the current kernel's dots.
  bool has_variables;           // Some values are variables, which LLVM turns into registers first.
  VEC(uint32_t) dynamic_shared; // Bytes, by function.
  bool has_library;             // The module has functions that are not kernels: libclc's, or the module's
                                // own.
  uint16_t ptx_version;         // 10 * major + minor: the lowest version that has everything emitted so far.
  bool pads;                    // The function has padded dots.
  bool arch_specific;           // The emitted code needs the target's `a` suffix.
  bool has_assembly;            // Assembly of the kernel's own, which may need the suffix.
  DebugInfo debug;
  Diags *diags;
  jmp_buf refused;          // the target of emit_check_size's longjmp after its error
  uint64_t ops, next_check; // emitted so far; at the next check
  uint8_t level;            // LLVM's optimisation level: emit_choose_level
  struct PassGate *gate;    // which passes LLVM's code generator runs; NULL: all
} Emitter;

// --- values and their registers (emit/emit.c) ---

LLVMTypeRef emit_type(const Emitter *e, const Type *type);        // of one register of that type
LLVMTypeRef emit_memory_type(const Emitter *e, const Type *type); // as stored in memory
uint32_t emit_count(const Type *type);                            // registers a thread
LLVMValueRef *emit_new(Emitter *e, const Value *value);           // its registers, to be filled in
LLVMValueRef *emit_get(const Emitter *e, const Value *value);
void emit_bind(Emitter *e, const Value *value, LLVMValueRef *registers); // sets the value's registers
// Register r. A scalar operand next to tiles has only one.
LLVMValueRef emit_register(const Emitter *e, const Value *value, uint32_t r);
LLVMValueRef emit_i32(const Emitter *e, uint32_t value);
// A vector of these elements, its element, and its elements. emit_vector_word: the vector as i32.
LLVMValueRef emit_vector(Emitter *e, const LLVMValueRef *elements, uint32_t count);
LLVMValueRef emit_vector_word(Emitter *e, const LLVMValueRef *elements, uint32_t count);
LLVMValueRef emit_vector_element(Emitter *e, LLVMValueRef vector, uint32_t i);
void emit_elements(Emitter *e, LLVMValueRef vector, uint32_t count, LLVMValueRef *out);
// L(r, lane, warp) as i32.
LLVMValueRef emit_index(Emitter *e, const Layout *layout, uint32_t r);
// L(0, lane, warp), and the bits that it may set.
LayoutIndex emit_thread_index(Emitter *e, const Layout *layout);
// True if this thread is the first holder of its elements; NULL: every thread is.
LLVMValueRef emit_first_holder(Emitter *e, const Layout *layout);
// True if it is the holder with number `writer` in the bits that change no element.
LLVMValueRef emit_writing_holder(Emitter *e, const Layout *layout, uint32_t writer);
// The same for the elements of a tile; for a scalar, thread 0.
LLVMValueRef emit_holder(Emitter *e, const Type *type);
// The emitted code needs at least this PTX version.
void emit_needs_ptx(Emitter *e, uint16_t version);
uint64_t emit_count_instructions(LLVMValueRef function);
// A new basic block at the function's end.
LLVMBasicBlockRef emit_block(Emitter *e, const char *name);

// libclc.c
// Calls libclc's function. link_libclc adds the functions to the module later.
LLVMValueRef emit_libclc(Emitter *e, const char *symbol, LLVMTypeRef type, const LLVMValueRef *args,
                         uint32_t count);
void link_libclc(Emitter *e);

// debug_info.c
// plain: LLVM's own text, or its debug sections, are wanted.
void debug_begin_module(Emitter *e, bool plain);
void debug_begin_func(Emitter *e);
// The builder's position at the end of a basic block, and the source place of new code. Code built before an
// instruction gets that instruction's place.
typedef struct EmitPosition {
  LLVMBasicBlockRef block;
  LLVMMetadataRef place;
} EmitPosition;
EmitPosition emit_move_before(Emitter *e, LLVMValueRef instruction);
void emit_move_back(Emitter *e, const EmitPosition *position);

void debug_at(Emitter *e, Loc loc);         // new code comes from `loc`
void debug_at_op(Emitter *e, const Op *op); // new code comes from the op
void debug_end_module(Emitter *e);
// Prints LLVM's PTX with the column, length and calls of every place.
void debug_print_places(const Emitter *e, const char *text, size_t n, Buf *out);

#endif
