// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists the functions that turn ops into LLVM IR, by file.
#ifndef CODEGEN_EMIT_EMIT_H
#define CODEGEN_EMIT_EMIT_H

#include "codegen/emitter.h"

typedef void (*EmitOp)(Emitter *e, Op *op);

// check_module.c: located errors for what cannot be compiled. If there is none, emission does not fail.
bool check_func(Func *func, const Target *target, Diags *diags);
// check_shared.c: the same for shared memory, after all ops are known to codegen.
bool check_shared(Func *func, const Target *target, Diags *diags);

// emit.c
bool emit_has_op(OpKind kind); // true if codegen has a row for it; for math see emit_has_math
void emit_func(Emitter *e, Func *func);
// Numbers the threads of a region that has its own warps. The builder must be in the region's first basic
// block. The caller saves and restores the previous numbering.
void emit_bind_threads(Emitter *e, const Region *region);
// Emits the region's ops up to its final yield and returns that op; NULL for a kernel's body. Restores the
// source location that was current before.
Op *emit_region(Emitter *e, Region *region);
// emit_size.c: call after an op. Does not return if the kernel has become too large for LLVM.
void emit_check_size(Emitter *e, const Op *op);
// LLVM's optimisation level, 0 .. 3. It is the target's, except 0 if a kernel of the module would take LLVM's
// optimisations too long.
uint8_t emit_choose_level(const Emitter *e);
// emit_rows.c: fills the registers of an addptr for loads and stores of rows that a loop computes. False: the
// caller must do it.
bool emit_rows(Emitter *e, Op *op, LLVMValueRef *out);
// Fills the registers of an addptr with `rows`, each from the previous one. False: their distances are not
// known.
bool emit_chained_rows(Emitter *e, Op *op, LLVMValueRef *out);
// emit_carried.c: the same value, hidden from LLVM's analysis.
LLVMValueRef emit_hidden(Emitter *e, LLVMValueRef x);
// emit_carried.c: fills the registers of an addptr whose address a loop advances. False: the caller must do
// it.
bool emit_carried_address(Emitter *e, Op *op, LLVMValueRef *out);
// The scalar of a splat. Hidden from LLVM if a loop varies it and it is part of copies' addresses.
LLVMValueRef emit_carried_splat(Emitter *e, const Op *op);

// emit_arith.c, emit_cast.c, emit_math.c: one register of an elementwise op from its operands' registers.
typedef LLVMValueRef (*EmitScalar)(Emitter *e, const Op *op, const LLVMValueRef *x);
// NULL: the op is not one of them.
EmitScalar emit_scalar_of(OpKind kind);
LLVMValueRef emit_cast(Emitter *e, const Op *op, const LLVMValueRef *x);
LLVMValueRef emit_bitcast(Emitter *e, const Op *op, const LLVMValueRef *x);
// True if the op's function can be emitted for its type.
bool emit_has_math(const Op *op);
LLVMValueRef emit_math(Emitter *e, const Op *op, const LLVMValueRef *x);
LLVMValueRef emit_fma(Emitter *e, const Op *op, const LLVMValueRef *x);
LLVMValueRef emit_mulhi(Emitter *e, const Op *op, const LLVMValueRef *x);
LLVMValueRef emit_float_rem(Emitter *e, const Op *op, const LLVMValueRef *x);
LLVMValueRef emit_float_cast(Emitter *e, LLVMValueRef x, Elem from, Elem to); // rounded once
bool emit_is_half(const Emitter *e, LLVMTypeRef type);                        // fp16 or bf16
LLVMValueRef emit_float_compare(Emitter *e, LLVMRealPredicate predicate, LLVMValueRef a, LLVMValueRef b);
// fp16 and bf16 to fp32, which holds them exactly; others as they are.
LLVMValueRef emit_widen(Emitter *e, LLVMValueRef x);

// emit_address.c
void emit_addptr(Emitter *e, Op *op);

// emit_partial.c. A run is `run` registers, and an element has `bytes` bytes.
// Mask: emit_masked_bytes returns how many bytes of the run at register r it enables (i32).
// Cuts: emit_cut_short returns true (i1) if it cuts one of this thread's runs short; NULL: never.
LLVMValueRef emit_masked_bytes(Emitter *e, const Op *op, const Value *mask, uint32_t r, uint32_t run,
                               uint32_t bytes);
LLVMValueRef emit_cut_short(Emitter *e, const Op *op, const Value *mask, uint32_t registers, uint32_t run);

// emit_memory.c
void emit_load(Emitter *e, Op *op);
void emit_store(Emitter *e, Op *op);
// A register as it lies in memory, and back: i1 is a byte, pointers are integers.
LLVMValueRef emit_to_memory(Emitter *e, LLVMValueRef x);
LLVMValueRef emit_from_memory(Emitter *e, const Type *element, LLVMValueRef x);

// emit_atomic.c
void emit_atomic(Emitter *e, Op *op);

// emit_parted.c: a sum, difference or multiple of integers whose registers differ by constants. Returns false
// with nothing done for other ops.
bool emit_parted(Emitter *e, const Op *op, LLVMValueRef *out);
// emit_quotients.c: a division whose quotients or remainders are known within runs. Returns false with
// nothing done for other ops.
bool emit_quotients(Emitter *e, const Op *op, LLVMValueRef *out);

// emit_cast_words.c: casts of pairs of elements in one word. Returns false with nothing done for other ops.
// Handles bf16 to fp32 for elements that come in words, and bf16 or fp16 to fp32 for fresh casts. Also
// handles fp32 to fp8 that warps exchange.
bool emit_cast_words(Emitter *e, const Op *op, LLVMValueRef *out);
// emit_unpack.c: casts of bit fields of words to 16-bit integers. Returns false with nothing done for other ops.
bool emit_unpack(Emitter *e, const Op *op, LLVMValueRef *out);
// emit_unpack.c: arithmetic on such pairs. Returns false with nothing done for other ops.
bool emit_unpacked(Emitter *e, const Op *op, LLVMValueRef *out);
// emit_unpack.c: the fields whose fp16 these two are, as subnormal numbers: 2^(*within - 24) times them. NULL: others.
LLVMValueRef emit_fields(Emitter *e, LLVMValueRef low, LLVMValueRef high, uint32_t *within);
// emit_tensor.c
void emit_tensor_op(Emitter *e, Op *op);
void emit_taken_program(Emitter *e, Op *op);
// i1: the CTA is the first of its pair. The pair's threads wait for one another.
LLVMValueRef emit_is_first(Emitter *e);
void emit_cluster_barrier(Emitter *e);
// True if the thread of a group is any one of its warp. Otherwise it is the first.
bool emit_elects(const Emitter *e);
// Waits for the phase of that parity (i32); `mbarrier`: its address, i32.
void emit_mbarrier_wait(Emitter *e, LLVMValueRef mbarrier, LLVMValueRef parity);

// emit_asm.c
void emit_inline_asm(Emitter *e, Op *op);
LLVMTypeRef emit_bits_type(const Emitter *e, const Type *type); // an integer as wide as an element

// emit_print.c
void emit_print(Emitter *e, Op *op);
void emit_assert(Emitter *e, Op *op);

// emit_fp8.c: from fp32, to nearest even and saturated; to fp16. fp8 is i8.
LLVMValueRef emit_to_fp8(Emitter *e, Elem fp8, LLVMValueRef x);
LLVMValueRef emit_from_fp8(Emitter *e, Elem fp8, LLVMValueRef x);

// emit_convert.c
void emit_convert_layout(Emitter *e, Op *op);

// emit_shared.c
void emit_shared_memory(Emitter *e, Func *func);
// The address of the buffer's first byte, a pointer to address space 3.
LLVMValueRef emit_shared_address(Emitter *e, const Value *buffer);
LLVMValueRef emit_shared_word(Emitter *e, const Value *buffer); // the same as an i32
void emit_shared_op(Emitter *e, Op *op);
// Registers of a thread in shared memory.
typedef struct SharedAccess {
  LLVMValueRef base;   // the address of offset 0, a multiple of 16 bytes.
  const Type *element; // scalar or pointer
  const Layout *map;   // interned; register, lane, warp -> offset in elements
  uint32_t change;     // XORed to every offset.
  uint32_t
      shift; // `base` is already advanced by this many elements; a run must not cross an offset bit set here
} SharedAccess;
// One element at a computed place (i32, in elements).
LLVMValueRef emit_shared_element(Emitter *e, LLVMValueRef base, const Type *element, LLVMValueRef place);
// Code built between emit_guard and emit_unguard runs only if the condition holds. NULL: always.
LLVMBasicBlockRef emit_guard(Emitter *e, LLVMValueRef condition);
void emit_unguard(Emitter *e, LLVMBasicBlockRef end);

// emit_reduce.c, emit_scan.c, emit_gather.c
void emit_reduce(Emitter *e, Op *op); // reduce_parts too
void emit_scan(Emitter *e, Op *op);   // scan_chunks too
void emit_scan_carry(Emitter *e, Op *op);
void emit_flip(Emitter *e, Op *op);
void emit_shared_gather(Emitter *e, Op *op);
void emit_shared_count(Emitter *e, Op *op);

// emit_dot.c, emit_wgmma.c
void emit_dot(Emitter *e, Op *op);
void emit_dot_wait(Emitter *e, Op *op);
// emit_tcgen05.c
void emit_tmem_op(Emitter *e, Op *op);
// A store loads a result of tmem_load piece by piece: makes sure that its registers before `end` are there.
void emit_tmem_registers(Emitter *e, const Value *value, uint32_t end);
// The same for a slice of the result.
void emit_tmem_slice(Emitter *e, const Op *slice);
// emit_ldmatrix.c: shared_load by ldmatrix.
void emit_ldmatrix(Emitter *e, Op *op);

// emit_control.c
void emit_for(Emitter *e, Op *op);
void emit_if(Emitter *e, Op *op);
void emit_while(Emitter *e, Op *op);
void emit_warp_groups(Emitter *e, Op *op); // emit_groups.c
void emit_map(Emitter *e, Op *op);

// emit_turns.c
void emit_turn(Emitter *e, Op *op);

// The op reads the tile of a tmem_load for a tmem_store to the same place, which does everything.
bool emit_tmem_rescales(const Op *rescale);
// emit_rescale.c
void emit_rescale(Emitter *e, Op *op);
// i1, the same for the warp: a factor of one of its threads is not 1.
LLVMValueRef emit_rescales(Emitter *e, const Op *op);

// emit_move.c
void emit_move(Emitter *e, Op *op);

#endif
