// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All NVVM intrinsics and inline assembly, with the PTX versions that they need.
#ifndef CODEGEN_NVVM_NVVM_H
#define CODEGEN_NVVM_NVVM_H

#include "codegen/emitter.h"

enum { NVVM_KERNEL_CALL = 71, NVVM_GLOBAL = 1, NVVM_SHARED = 3 };
enum { NVVM_NEWEST_PTX = 90 }; // that LLVM 22 knows, 10 * major + minor

// An intrinsic by name; `types` are its overloaded types.
LLVMValueRef nvvm_intrinsic(Emitter *e, const char *name, const LLVMTypeRef *types, uint32_t type_count,
                            const LLVMValueRef *args, uint32_t arg_count);
// Not overloaded, one argument or none (NULL).
LLVMValueRef nvvm_call(Emitter *e, const char *name, LLVMValueRef arg);
// Overloaded by its one argument's type.
LLVMValueRef nvvm_unary(Emitter *e, const char *name, LLVMValueRef x);
LLVMValueRef nvvm_binary(Emitter *e, const char *name, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef nvvm_fma(Emitter *e, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z);
// nvvm_fresh: a copy of x, an integer or pointer of 32 or 64 bits. LLVM knows nothing about it and does not
// compute it earlier. Returns constants and other types unchanged.
// nvvm_copy_fp32: x, an fp32 number, in a new register. An instruction writes it (x plus -0.0), so ptxas
// allocates it separately from x's.
LLVMValueRef nvvm_fresh(Emitter *e, LLVMValueRef x);
LLVMValueRef nvvm_copy_fp32(Emitter *e, LLVMValueRef x);

// Marks a call that synchronises threads, or waits for work that they started. It must not be duplicated, or
// moved to where fewer threads run.
void nvvm_synchronises(Emitter *e, LLVMValueRef call);
// Keeps a call in its basic block. Other values are unchanged.
void nvvm_stays(Emitter *e, LLVMValueRef x);
// States that a call's i32 result is less than the limit, which is not 0. Other values are unchanged.
void nvvm_is_below(Emitter *e, LLVMValueRef x, uint32_t limit);
void nvvm_grid_control(Emitter *e, const char *what);    // griddepcontrol.wait, .launch_dependents; sm_90
LLVMValueRef nvvm_thread_id(Emitter *e);                 // tid.x
LLVMValueRef nvvm_block_id(Emitter *e, int64_t axis);    // ctaid
LLVMValueRef nvvm_block_count(Emitter *e, int64_t axis); // nctaid
// bar.sync id, for this number of threads; 0: all threads of the CTA.
void nvvm_barrier(Emitter *e, uint32_t id, uint32_t threads);
void nvvm_warp_barrier(Emitter *e);                          // bar.warp.sync of all lanes
void nvvm_arrive(Emitter *e, uint32_t id, uint32_t threads); // bar.arrive
// i32 from the lane that differs by mask.
LLVMValueRef nvvm_shuffle_xor(Emitter *e, LLVMValueRef x, uint32_t mask);
// i1: true if x (i1) is true in any lane.
LLVMValueRef nvvm_vote_any(Emitter *e, LLVMValueRef x);
// redux.sync over all lanes of an i32; add, min, max, umin, umax, and, or, xor; sm_80
LLVMValueRef nvvm_redux(Emitter *e, const char *name, LLVMValueRef x);
// Atomically adds 1 to the word in shared memory, if `counted` (i1).
void nvvm_count_shared(Emitter *e, LLVMValueRef address, LLVMValueRef counted);
// cp.async of 4, 8 or 16 bytes. `read` (i32; NULL: all) bytes are read, the rest are zeros. It runs if `predicate`
// (NULL: always).
void nvvm_copy_async(Emitter *e, uint32_t bytes, bool first_level, LLVMValueRef to, LLVMValueRef from,
                     LLVMValueRef read, LLVMValueRef predicate);
void nvvm_copy_commit(Emitter *e);                                     // cp.async.commit_group
void nvvm_copy_wait(Emitter *e, uint32_t pending);                     // cp.async.wait_group
void nvvm_order(Emitter *e, const char *instruction, const char *how); // Without operands: instruction + how.
void nvvm_fence_async(Emitter *e, bool global); // PTX: fence.proxy.async for shared memory, or for global memory
                                                // too
LLVMValueRef nvvm_shuffle(Emitter *e, LLVMValueRef x, LLVMValueRef lane); // The x of lane `lane`, i32.
LLVMValueRef nvvm_exp2_ftz(Emitter *e, LLVMValueRef x);                   // PTX: ex2.approx.ftz.f32.
// fp32 to and from fp8 (i8); sm_89 and newer. To fp8 saturates.
LLVMValueRef nvvm_to_fp8(Emitter *e, Elem fp8, LLVMValueRef x);
LLVMValueRef nvvm_to_fp8_pair(Emitter *e, Elem fp8, LLVMValueRef x, LLVMValueRef y); // i16: x is the low byte
LLVMValueRef nvvm_to_bf16_pair(Emitter *e, LLVMValueRef x,
                               LLVMValueRef y);                   // rounded, x in the lower half: i32
LLVMValueRef nvvm_from_fp8(Emitter *e, Elem fp8, LLVMValueRef x); // gives fp16

// One access of a thread to global memory, by inline assembly. Words of 8, 16, 32 or 64 bits are held as i16,
// i16, i32, i64.
typedef struct GlobalAccess {
  uint32_t word_bits, words;
  bool is_volatile;
  const char *cache; // ".cg"; NULL: none
  const char *evict; // "evict_first"; NULL: none
  LLVMValueRef pointer;
  LLVMValueRef predicate; // i1; NULL: always
} GlobalAccess;

// `initial`: the words if the predicate is false. `result`: the words read.
void nvvm_load_global(Emitter *e, const GlobalAccess *access, const LLVMValueRef *initial,
                      LLVMValueRef *result);
void nvvm_store_global(Emitter *e, const GlobalAccess *access, const LLVMValueRef *words);
LLVMTypeRef nvvm_word_type(const Emitter *e, uint32_t word_bits);

// The magnitude; an fp32 value as fp64; true for both zeros.
static inline LLVMValueRef nvvm_magnitude(Emitter *e, LLVMValueRef x) {
  return nvvm_unary(e, "llvm.fabs", x);
}
static inline LLVMValueRef nvvm_to_fp64(Emitter *e, LLVMValueRef x) {
  return LLVMBuildFPCast(e->builder, x, e->f64, "");
}
static inline LLVMValueRef nvvm_is_zero(Emitter *e, LLVMValueRef x) {
  return LLVMBuildFCmp(e->builder, LLVMRealOEQ, x, LLVMConstNull(LLVMTypeOf(x)), "");
}

#endif
