// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps that a kernel makes. A warp makes a map in shared memory, and copies it to global memory.
//
// The memory is a variable of the kernel's module, so that any launcher can launch the kernel. It has room for
// every CTA that can run at once: places for each multiprocessor, and a lock for each place. A CTA takes a free
// place of its multiprocessor's, and gives it back at its end. If it finds none, it does without maps.
#include "base/fault.h"
#include "base/integer.h"
#include "codegen/emit/emit.h"
#include "codegen/nvvm/nvvm.h"
#include "ir/memory/scratch.h"

enum {
  MAP_BYTES = 128,
  LOCK_BYTES = 4,
  MULTIPROCESSORS = 160, // higher numbers share places with lower ones
  MAX_THREADS = 2048,    // of a multiprocessor
  MAX_PLACES = 32,       // CTAs of a multiprocessor
  CTA_BYTES = 1024,      // shared memory that the system takes for each CTA
  MAP_PTX = 86,          // ptxas before CUDA 12.7 stores other strides
};

// --- room

// The CTAs that a multiprocessor can run at once.
static uint32_t places(const Emitter *e) {
  uint32_t threads = MAX_THREADS / (32 * func_warps(e->func));
  uint32_t shared = (e->target->arch->shared_limit + CTA_BYTES) / (func_shared_bytes(e->func) + CTA_BYTES);
  return max_u32(1, min_u32(min_u32(threads, shared), MAX_PLACES));
}

static LLVMValueRef variable(Emitter *e, const char *what, uint64_t bytes) {
  LLVMTypeRef type = LLVMArrayType2(e->i8, bytes);
  const char *name = arena_printf(e->arena, "%s$%s", e->func->name, what);
  LLVMValueRef made = LLVMAddGlobalInAddressSpace(e->llvm, type, name, NVVM_GLOBAL);
  LLVMSetAlignment(made, MAP_BYTES);
  LLVMSetLinkage(made, LLVMInternalLinkage);
  LLVMSetInitializer(made, LLVMConstNull(type));
  return made;
}

static LLVMValueRef at_index(Emitter *e, LLVMValueRef base, LLVMValueRef index, uint64_t bytes,
                             uint64_t offset) {
  LLVMValueRef wide = LLVMBuildZExt(e->builder, index, e->i64, "");
  wide = LLVMBuildMul(e->builder, wide, LLVMConstInt(e->i64, bytes, false), "");
  wide = LLVMBuildAdd(e->builder, wide, LLVMConstInt(e->i64, offset, false), "");
  return LLVMBuildGEP2(e->builder, e->i8, base, &wide, 1, "");
}

static LLVMValueRef address(Emitter *e, LLVMValueRef pointer, LLVMTypeRef type) {
  return LLVMBuildPtrToInt(e->builder, pointer, type, "");
}

static LLVMValueRef call(Emitter *e, LLVMTypeRef result, const char *text, const char *constraints,
                         LLVMValueRef *args, uint32_t n) {
  LLVMTypeRef types[4];
  Buf code = {0}, all = {0};
  buf_text(&code, text);
  buf_text(&all, constraints);
  for (uint32_t i = 0; i < n; i++) types[i] = LLVMTypeOf(args[i]);
  LLVMTypeRef type = LLVMFunctionType(result ? result : LLVMVoidTypeInContext(e->context), types, n, false);
  LLVMValueRef made = nvvm_assembly(e, type, &code, &all, args, n);
  nvvm_synchronises(e, made);
  return made;
}

// Tries `tries` locks from `lock` on. The number of the one that is taken, UINT32_MAX: none.
static LLVMValueRef take_lock(Emitter *e, LLVMValueRef lock, LLVMValueRef tries) {
  static const char text[] =
      "{\n\t.reg .pred %more;\n\t.reg .b32 %held, %number;\n\t.reg .b64 %lock;\n"
      "\tmov.b64 %lock, $1;\n\tmov.b32 %number, 0;\n\tmov.b32 $0, -1;\n"
      "again:\n\tsetp.eq.u32 %more, %number, $2;\n\t@%more bra taken;\n"
      "\tatom.acquire.gpu.global.exch.b32 %held, [%lock], 1;\n"
      "\tsetp.eq.u32 %more, %held, 0;\n\t@%more mov.b32 $0, %number;\n\t@%more bra taken;\n"
      "\tadd.s32 %number, %number, 1;\n\tadd.s64 %lock, %lock, 4;\n\tbra again;\ntaken:\n\t}";
  return call(e, e->i32, text, "=&r,l,r,~{memory}", (LLVMValueRef[]){lock, tries}, 2);
}

static LLVMValueRef find_place(Emitter *e, LLVMValueRef wanted) {
  LLVMValueRef count = emit_i32(e, places(e)), none = emit_i32(e, UINT32_MAX);
  LLVMValueRef smid = nvvm_call(e, "llvm.nvvm.read.ptx.sreg.smid", NULL);
  smid = LLVMBuildURem(e->builder, smid, emit_i32(e, MULTIPROCESSORS), "");
  LLVMValueRef first = LLVMBuildMul(e->builder, smid, count, "");
  LLVMValueRef lock = address(e, at_index(e, e->maps.locks, first, LOCK_BYTES, 0), e->i64);
  LLVMValueRef found = take_lock(e, lock, LLVMBuildSelect(e->builder, wanted, count, emit_i32(e, 0), ""));
  LLVMValueRef is_none = LLVMBuildICmp(e->builder, LLVMIntEQ, found, none, "");
  return LLVMBuildSelect(e->builder, is_none, none, LLVMBuildAdd(e->builder, first, found, ""), "");
}

// --- one map

// tensormap.replace numbers element types in another way than the driver.
static uint32_t element_type(Elem elem) {
  switch ((int)elem) {
  case ELEM_FP16: return 6;
  case ELEM_BF16: return 10;
  case ELEM_FP32: return 7;
  case ELEM_FP64: return 9;
  default: break;
  }
  switch (elem_bytes(elem)) {
  case 1: return 0;
  case 2: return 1;
  case 4: return elem_is_signed(elem) ? 3 : 2;
  case 8: return elem_is_signed(elem) ? 5 : 4;
  default: BUG("a tensor map of elements of %u bytes", elem_bytes(elem));
  }
}

static void replace(Emitter *e, LLVMValueRef at, const char *field, const char *dim, LLVMValueRef value) {
  bool wide = LLVMTypeOf(value) == e->i64;
  const char *text = arena_printf(e->arena, "tensormap.replace.tile.%s.shared::cta.b1024.b%u [$0], %s$1;",
                                  field, wide ? 64u : 32u, dim);
  call(e, NULL, text, wide ? "r,l,~{memory}" : "r,r,~{memory}", (LLVMValueRef[]){at, value}, 2);
}

static void replace_dim(Emitter *e, LLVMValueRef at, const char *field, uint32_t dim, LLVMValueRef value) {
  replace(e, at, field, arena_printf(e->arena, "%u, ", dim), value);
}

// These fields take constants only.
static void replace_constant(Emitter *e, LLVMValueRef at, const char *field, uint32_t value) {
  const char *text =
      arena_printf(e->arena, "tensormap.replace.tile.%s.shared::cta.b1024.b32 [$0], %u;", field, value);
  call(e, NULL, text, "r,~{memory}", &at, 1);
}

// The instructions count dimensions from the innermost.
static void replace_all(Emitter *e, const Op *op, LLVMValueRef at) {
  enum { BASE = 1, SIZES = 2 };
  const Type *type = op_result(op)->type;
  uint32_t rank = type->rank, swizzle = type->swizzle ? log2_floor(type->swizzle) - 4 : 0;
  replace(e, at, "global_address", "", address(e, emit_register(e, op_operand(op, BASE), 0), e->i64));
  replace(e, at, "rank", "", emit_i32(e, rank - 1));
  for (uint32_t i = 0; i < rank; i++) {
    uint32_t d = rank - 1 - i;
    LLVMValueRef size = emit_register(e, op_operand(op, SIZES + d), 0);
    replace_dim(e, at, "box_dim", i, emit_i32(e, type->shape[d]));
    replace_dim(e, at, "global_dim", i, LLVMBuildTrunc(e->builder, size, e->i32, ""));
    replace_dim(e, at, "element_stride", i, emit_i32(e, 1));
    if (!i) continue;
    LLVMValueRef stride = emit_register(e, op_operand(op, SIZES + rank + d), 0);
    stride = LLVMBuildMul(e->builder, stride, LLVMConstInt(e->i64, elem_bytes(type->elem), false), "");
    replace_dim(e, at, "global_stride", i - 1, stride);
  }
  replace_constant(e, at, "elemtype", element_type(type->elem));
  replace_constant(e, at, "interleave_layout", 0);
  replace_constant(e, at, "swizzle_mode", swizzle);
  replace_constant(e, at, "fill_mode", type->pads_nan);
}

// --- ops

static LLVMValueRef shared_word(Emitter *e, const Op *make) {
  return address(e, emit_shared_address(e, op_operand(make, 0)), e->i32);
}

// Only threads with this number go on.
static LLVMBasicBlockRef only(Emitter *e, LLVMValueRef number, uint32_t is) {
  return emit_guard(e, LLVMBuildICmp(e->builder, LLVMIntEQ, number, emit_i32(e, is), ""));
}

// The number of a map: of the ops that make one.
static uint32_t number_of(const Func *func, const Op *make) {
  uint32_t n = 0;
  for (OpWalk w = ops_in(func->body); ops_next(&w) && w.op != make;) n += w.op->kind == OP_MAKE_MAP;
  return n;
}

// The warp that makes and copies a map. Each map has another one. The first warp is the last to have one, as it has the
// room to claim.
static LLVMBasicBlockRef only_its_warp(Emitter *e, const Op *make) {
  return only(e, e->threads.warp, (number_of(e->func, make) + 1) % func_warps(e->func));
}

static void emit_make(Emitter *e, const Op *op) {
  LLVMValueRef lane = e->threads.lane, buffer = emit_shared_address(e, op_operand(op, 0));
  LLVMBasicBlockRef end = only_its_warp(e, op);
  LLVMBuildStore(e->builder, emit_i32(e, 0), LLVMBuildGEP2(e->builder, e->i32, buffer, &lane, 1, ""));
  nvvm_warp_barrier(e);
  LLVMBasicBlockRef first = only(e, lane, 0);
  replace_all(e, op, shared_word(e, op));
  emit_unguard(e, first);
  nvvm_warp_barrier(e);
  emit_unguard(e, end);
}

// Thread 0 takes a place. The others read from shared memory which.
static void emit_claim(Emitter *e, const Op *op) {
  uint64_t count = (uint64_t)MULTIPROCESSORS * places(e);
  LLVMValueRef slot = emit_shared_address(e, op_operand(op, 0)),
               wanted = emit_register(e, op_operand(op, 1), 0);
  e->maps = (MadeMaps){.count = number_of(e->func, NULL)};
  e->maps.locks = variable(e, "locks", count * LOCK_BYTES);
  e->maps.memory = variable(e, "maps", count * e->maps.count * MAP_BYTES);
  LLVMBasicBlockRef end = only(e, e->threads.thread, 0);
  LLVMBuildStore(e->builder, find_place(e, wanted), slot);
  emit_unguard(e, end);
  nvvm_barrier(e, 0, 0);
  e->maps.place = LLVMBuildLoad2(e->builder, e->i32, slot, "");
  emit_new(e, op_result(op))[0] =
      LLVMBuildICmp(e->builder, LLVMIntNE, e->maps.place, emit_i32(e, UINT32_MAX), "");
}

// From here on the map is the copy.
static void emit_copy(Emitter *e, const Op *op) {
  static const char text[] = "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
                             "aligned [$0], [$1], 128;";
  const Op *make = op_operand(op, 0)->def;
  LLVMValueRef to = at_index(e, e->maps.memory, e->maps.place, (uint64_t)e->maps.count * MAP_BYTES,
                             (uint64_t)number_of(e->func, make) * MAP_BYTES);
  LLVMValueRef args[] = {address(e, to, e->i64), shared_word(e, make)};
  LLVMBasicBlockRef end = only_its_warp(e, make);
  call(e, NULL, text, "l,r,~{memory}", args, 2);
  emit_unguard(e, end);
  emit_new(e, op_operand(op, 0))[0] =
      LLVMBuildAddrSpaceCast(e->builder, to, LLVMPointerTypeInContext(e->context, 0), "");
}

// The multiprocessor may keep an older map of this address.
static void emit_acquire(Emitter *e, const Op *op) {
  LLVMValueRef at = address(e, emit_register(e, op_operand(op, 0), 0), e->i64);
  LLVMBasicBlockRef end = only(e, e->threads.warp, 0);
  call(e, NULL, "fence.proxy.tensormap::generic.acquire.gpu [$0], 128;", "l,~{memory}", &at, 1);
  emit_unguard(e, end);
}

static void emit_free(Emitter *e) {
  LLVMValueRef lock = at_index(e, e->maps.locks, e->maps.place, LOCK_BYTES, 0);
  LLVMValueRef args[] = {address(e, lock, e->i64), emit_i32(e, 0)};
  LLVMBasicBlockRef end = only(e, e->threads.thread, 0);
  call(e, NULL, "st.release.gpu.global.b32 [$0], $1;", "l,r,~{memory}", args, 2);
  emit_unguard(e, end);
}

void emit_map_op(Emitter *e, Op *op) {
  emit_needs_ptx(e, MAP_PTX);
  e->arch_specific = true;
  switch ((int)op->kind) {
  case OP_MAKE_MAP: emit_make(e, op); break;
  case OP_CLAIM_MAPS: emit_claim(e, op); break;
  case OP_COPY_MAP: emit_copy(e, op); break;
  case OP_ACQUIRE_MAP: emit_acquire(e, op); break;
  case OP_FREE_MAPS: emit_free(e); break;
  default: BUG("%s makes no tensor map", op_info(op->kind)->name);
  }
}
