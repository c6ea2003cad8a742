// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Emitter: the state of one module's emission, and its primitives. emit/emit.h says who emits what.
//
// Each value is an array of LLVM values: one for a scalar or pointer, one a register of its layout for a
// tile. Integers are iN whatever their sign, i1 is i1 in registers and a byte in memory, the fp8 types are
// i8, pointers are in address space 1.
#ifndef CODEGEN_EMITTER_H
#define CODEGEN_EMITTER_H

#include <setjmp.h>
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>
#include "base/table.h"
#include "ir/ir.h"

// The part of a layout's index that lane and warp give, computed once a region that has its own warps.
typedef struct LayoutIndex {
  const Layout *layout;
  LLVMValueRef thread_part; // L(0, lane, warp), i32
  uint32_t thread_mask;     // the bits that it may have set
} LayoutIndex;

// The threads that run a region, as the region numbers them: from 0, whichever of the block's warps they are.
typedef struct RegionThreads {
  LLVMValueRef thread, lane, warp; // i32
  VEC(LayoutIndex) indices;        // made where first asked for, at the end of `home`
  LLVMBasicBlockRef home;          // the region's first block, which dominates its others; ends with a branch
} RegionThreads;

typedef struct DebugScope {
  uint16_t file;
  LLVMMetadataRef scope; // of code in that file that was inlined
} DebugScope;

typedef struct DebugPlace {
  Loc loc;
  uint32_t param;   // from 1: the parameter whose pointer the op accesses memory with; 0: none, or not known
  uint32_t element; // and the bytes of what it points to
  uint32_t number; // from 1, in the module
  LLVMMetadataRef location;
} DebugPlace;

typedef struct DebugInfo {
  LLVMDIBuilderRef builder;
  LLVMMetadataRef unit, function; // function: the kernel's subprogram
  VEC(LLVMMetadataRef) files;     // by file index; NULL until needed
  VEC(DebugScope) inlined;
  VEC(DebugPlace *) places;
  Table by_loc; // the function's places
  bool plain;   // LLVM is told the columns, and not the places' numbers
  uint16_t function_file;
} DebugInfo;

typedef struct Emitter {
  IrModule *module;
  Func *func;
  const Target *target; // as asked for
  Arena *arena;
  LLVMContextRef context;
  LLVMTargetMachineRef machine; // NULL until the code is there
  LLVMModuleRef llvm;
  LLVMBuilderRef builder;
  LLVMValueRef function;
  LLVMBasicBlockRef entry; // holds what every block may use; branches to the body
  RegionThreads threads;   // of the region that is being emitted
  LLVMTypeRef i1, i8, i16, i32, i64, f16, bf16, f32, f64, ptr;
  LLVMValueRef **registers;     // by Value.id
  LLVMValueRef **prepared;      // by a dot's result: what it adds to, in its place (emit_sums.c); NULL: its operand
  LLVMValueRef policies[2];     // of the L2 cache, made where first used: evict_first, evict_last
  LLVMBasicBlockRef guard_end;  // where those stores to shared memory end that share a guard
  LLVMValueRef shared;          // the current kernel's shared memory; NULL: it needs none
  VEC(uint32_t) dynamic_shared; // bytes, by function
  bool has_library;             // functions that are no kernels: libclc's, or defined as such
  uint16_t ptx_version;         // 10 * major + minor: the lowest that has what was emitted
  bool pads;                    // the function has padded products
  bool arch_specific;           // what was emitted needs the target's `a` suffix
  bool has_assembly;            // of the kernel's own, which may need the suffix
  DebugInfo debug;
  Diags *diags;
  jmp_buf refused;          // where emit_check_size goes, having reported
  uint64_t ops, next_check; // emitted; of the next look
  uint8_t level;            // of LLVM's optimisation: emit_choose_level
  struct PassGate *gate;    // what of LLVM's code generation runs; NULL: all
} Emitter;

// --- values and their registers (emit/emit.c) ---

LLVMTypeRef emit_type(const Emitter *e, const Type *type);        // of one register of that type
LLVMTypeRef emit_memory_type(const Emitter *e, const Type *type); // as it lies in memory
uint32_t emit_count(const Type *type);                            // registers a thread
LLVMValueRef *emit_new(Emitter *e, const Value *value);           // its registers, to be filled
LLVMValueRef *emit_get(const Emitter *e, const Value *value);
void emit_bind(Emitter *e, const Value *value, LLVMValueRef *registers); // the value is these
// Register r; of a scalar operand beside tiles the only one.
LLVMValueRef emit_register(const Emitter *e, const Value *value, uint32_t r);
LLVMValueRef emit_i32(const Emitter *e, uint32_t value);
// L(r, lane, warp) as i32.
LLVMValueRef emit_index(Emitter *e, const Layout *layout, uint32_t r);
// L(0, lane, warp) with the bits that it may have set.
LayoutIndex emit_thread_index(Emitter *e, const Layout *layout);
// Whether this thread is the first holder of its elements; NULL: every thread is.
LLVMValueRef emit_first_holder(Emitter *e, const Layout *layout);
// Whether it is the holder whose number is `writer` in the bits that change no element.
LLVMValueRef emit_writing_holder(Emitter *e, const Layout *layout, uint32_t writer);
// The same of a tile's elements, and of a scalar thread 0.
LLVMValueRef emit_holder(Emitter *e, const Type *type);
// What is emitted needs this PTX version at least.
void emit_needs_ptx(Emitter *e, uint16_t version);
// A new block at the function's end.
LLVMBasicBlockRef emit_block(Emitter *e, const char *name);

// libclc.c
// A call of libclc's function; link_libclc brings the functions in afterwards.
LLVMValueRef emit_libclc(Emitter *e, const char *symbol, LLVMTypeRef type, const LLVMValueRef *args,
                         uint32_t count);
void link_libclc(Emitter *e);

// debug_info.c
// plain: LLVM's own text is wanted, or its debug sections.
void debug_begin_module(Emitter *e, bool plain);
void debug_begin_func(Emitter *e);
// Where the builder stands at the end of a block, and the place of what it builds: to stand before an instruction
// takes that one's place.
typedef struct EmitPosition {
  LLVMBasicBlockRef block;
  LLVMMetadataRef place;
} EmitPosition;
EmitPosition emit_move_before(Emitter *e, LLVMValueRef instruction);
void emit_move_back(Emitter *e, const EmitPosition *position);

void debug_at(Emitter *e, Loc loc); // what is built from here on comes from `loc`
void debug_at_op(Emitter *e, const Op *op); // from the op
void debug_end_module(Emitter *e);
// LLVM's PTX with every place's column, length and calls.
void debug_print_places(const Emitter *e, const char *text, size_t n, Buf *out);

#endif
