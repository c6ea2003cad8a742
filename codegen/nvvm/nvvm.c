// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVVM intrinsics and inline assembly. Source: LLVM's NVPTX
// usage guide and the PTX ISA (sections on ld, st, cvt, ex2).
#include "codegen/nvvm/nvvm.h"

#include "codegen/nvvm/asm_call.h"

#include <stdio.h>
#include <string.h>
#include "base/fault.h"

LLVMValueRef nvvm_intrinsic(Emitter *e, const char *name, const LLVMTypeRef *types, uint32_t type_count,
                            const LLVMValueRef *args, uint32_t arg_count) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  if (!id) BUG("LLVM has no intrinsic %s", name);
  LLVMTypeRef *overload = (LLVMTypeRef *)types;
  LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->llvm, id, overload, type_count);
  LLVMTypeRef type = LLVMIntrinsicGetType(e->context, id, overload, type_count);
  return LLVMBuildCall2(e->builder, type, function, (LLVMValueRef *)args, arg_count, "");
}

LLVMValueRef nvvm_call(Emitter *e, const char *name, LLVMValueRef arg) {
  return nvvm_intrinsic(e, name, NULL, 0, &arg, arg ? 1 : 0);
}

LLVMValueRef nvvm_unary(Emitter *e, const char *name, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  return nvvm_intrinsic(e, name, &type, 1, &x, 1);
}

LLVMValueRef nvvm_binary(Emitter *e, const char *name, LLVMValueRef x, LLVMValueRef y) {
  LLVMTypeRef type = LLVMTypeOf(x);
  return nvvm_intrinsic(e, name, &type, 1, (LLVMValueRef[]){x, y}, 2);
}

LLVMValueRef nvvm_fma(Emitter *e, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z) {
  LLVMTypeRef type = LLVMTypeOf(x);
  return nvvm_intrinsic(e, "llvm.fma", &type, 1, (LLVMValueRef[]){x, y, z}, 3);
}

LLVMValueRef nvvm_copy_fp32(Emitter *e, LLVMValueRef x) {
  return asm_of_text(e, e->f32, "add.rn.f32 $0, $1, 0f80000000;", "=f,f", false, &x, 1);
}

LLVMValueRef nvvm_fresh(Emitter *e, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  bool narrow = type == e->i32, wide = type == e->i64 || type == e->ptr;
  bool number = LLVMIsConstant(x) && !LLVMIsAConstantExpr(x); // not an address in shared memory
  if (number || (!narrow && !wide)) return x;
  const char *text = narrow ? "mov.b32 $0, $1;" : "mov.b64 $0, $1;", *constraints = narrow ? "=r,r" : "=l,l";
  return asm_of_text(e, type, text, constraints, true, &x, 1);
}

LLVMValueRef nvvm_thread_id(Emitter *e) { return nvvm_call(e, "llvm.nvvm.read.ptx.sreg.tid.x", NULL); }

LLVMValueRef nvvm_block_id(Emitter *e, int64_t axis) {
  static const char *const names[] = {"llvm.nvvm.read.ptx.sreg.ctaid.x", "llvm.nvvm.read.ptx.sreg.ctaid.y",
                                      "llvm.nvvm.read.ptx.sreg.ctaid.z"};
  return nvvm_call(e, names[axis], NULL);
}

LLVMValueRef nvvm_block_count(Emitter *e, int64_t axis) {
  static const char *const names[] = {"llvm.nvvm.read.ptx.sreg.nctaid.x", "llvm.nvvm.read.ptx.sreg.nctaid.y",
                                      "llvm.nvvm.read.ptx.sreg.nctaid.z"};
  return nvvm_call(e, names[axis], NULL);
}

static void mark_call(Emitter *e, LLVMValueRef call, const char *name) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAttributeRef attribute = LLVMCreateEnumAttribute(e->context, kind, 0);
  LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

void nvvm_synchronises(Emitter *e, LLVMValueRef call) {
  mark_call(e, call, "convergent");
  mark_call(e, call, "noduplicate");
}

void nvvm_stays(Emitter *e, LLVMValueRef x) {
  if (LLVMIsACallInst(x)) mark_call(e, x, "convergent");
}

void nvvm_is_below(Emitter *e, LLVMValueRef x, uint32_t limit) {
  static const char name[] = "range";
  if (!LLVMIsACallInst(x)) return;
  unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
  LLVMAttributeRef range =
      LLVMCreateConstantRangeAttribute(e->context, kind, 32, (uint64_t[]){0}, (uint64_t[]){limit});
  LLVMAddCallSiteAttribute(x, (LLVMAttributeIndex)LLVMAttributeReturnIndex, range);
}

void nvvm_barrier(Emitter *e, uint32_t id, uint32_t threads) {
  const char *name =
      threads ? "llvm.nvvm.barrier.cta.sync.aligned.count" : "llvm.nvvm.barrier.cta.sync.aligned.all";
  LLVMValueRef args[] = {emit_i32(e, id), emit_i32(e, threads)};
  nvvm_synchronises(e, nvvm_intrinsic(e, name, NULL, 0, args, threads ? 2 : 1));
}

void nvvm_warp_barrier(Emitter *e) {
  LLVMValueRef all = emit_i32(e, UINT32_MAX);
  nvvm_synchronises(e, nvvm_intrinsic(e, "llvm.nvvm.bar.warp.sync", NULL, 0, &all, 1));
}

void nvvm_arrive(Emitter *e, uint32_t id, uint32_t threads) {
  LLVMValueRef args[] = {emit_i32(e, id), emit_i32(e, threads)};
  nvvm_synchronises(e, nvvm_intrinsic(e, "llvm.nvvm.barrier.cta.arrive.aligned.count", NULL, 0, args, 2));
}

LLVMValueRef nvvm_shuffle_xor(Emitter *e, LLVMValueRef x, uint32_t mask) {
  LLVMValueRef args[] = {emit_i32(e, 0xffffffffu), x, emit_i32(e, mask), emit_i32(e, 31)};
  return nvvm_intrinsic(e, "llvm.nvvm.shfl.sync.bfly.i32", NULL, 0, args, 4);
}

LLVMValueRef nvvm_vote_any(Emitter *e, LLVMValueRef x) {
  LLVMValueRef args[] = {emit_i32(e, 0xffffffffu), x};
  return nvvm_intrinsic(e, "llvm.nvvm.vote.any.sync", NULL, 0, args, 2);
}

LLVMValueRef nvvm_redux(Emitter *e, const char *name, LLVMValueRef x) {
  char intrinsic[40];
  snprintf(intrinsic, sizeof intrinsic, "llvm.nvvm.redux.sync.%s", name);
  return nvvm_intrinsic(e, intrinsic, NULL, 0, (LLVMValueRef[]){x, emit_i32(e, 0xffffffffu)}, 2);
}

// The intrinsics have no predicate.
static void copy_async_if(Emitter *e, uint32_t bytes, bool first_level, LLVMValueRef to, LLVMValueRef from,
                          LLVMValueRef read, LLVMValueRef predicate) {
  AsmCall call = {0};
  asm_operand(e, &call, LLVMBuildPtrToInt(e->builder, to, e->i32, ""));
  asm_operand(e, &call, from);
  uint32_t condition = asm_operand(e, &call, predicate);
  buf_printf(&call.text, "@$%u cp.async.%s.shared.global [$0], [$1], %u", condition,
             first_level ? "ca" : "cg", bytes);
  if (read) buf_printf(&call.text, ", $%u", asm_operand(e, &call, read));
  buf_char(&call.text, ';');
  asm_build(e, &call, ASM_EFFECTS, NULL);
}

void nvvm_copy_async(Emitter *e, uint32_t bytes, bool first_level, LLVMValueRef to, LLVMValueRef from,
                     LLVMValueRef read, LLVMValueRef predicate) {
  char name[64];
  if (predicate) {
    copy_async_if(e, bytes, first_level, to, from, read, predicate);
    return;
  }
  snprintf(name, sizeof name, "llvm.nvvm.cp.async.%s.shared.global.%u%s", first_level ? "ca" : "cg", bytes,
           read ? ".s" : "");
  LLVMValueRef args[] = {to, from, read};
  nvvm_intrinsic(e, name, NULL, 0, args, read ? 3 : 2);
}

// A thread's copy groups are its own, and closing one waits for nothing. So LLVM may duplicate it into
// branches.
void nvvm_copy_commit(Emitter *e) { nvvm_call(e, "llvm.nvvm.cp.async.commit.group", NULL); }

void nvvm_copy_wait(Emitter *e, uint32_t pending) {
  nvvm_synchronises(e, nvvm_call(e, "llvm.nvvm.cp.async.wait.group", emit_i32(e, pending)));
}

LLVMValueRef nvvm_shuffle(Emitter *e, LLVMValueRef x, LLVMValueRef lane) {
  LLVMValueRef args[] = {emit_i32(e, 0xffffffffu), x, lane, emit_i32(e, 31)};
  return nvvm_intrinsic(e, "llvm.nvvm.shfl.sync.idx.i32", NULL, 0, args, 4);
}

LLVMValueRef nvvm_exp2_ftz(Emitter *e, LLVMValueRef x) {
  return nvvm_unary(e, "llvm.nvvm.ex2.approx.ftz", x);
}

// cvt to fp8 needs PTX 7.8 on sm_90, and 8.1 on sm_89.
static void needs_fp8(Emitter *e) { emit_needs_ptx(e, e->target->arch->fp8_ptx); }

LLVMValueRef nvvm_to_fp8_pair(Emitter *e, Elem fp8, LLVMValueRef x, LLVMValueRef y) {
  needs_fp8(e);
  const char *name = fp8 == ELEM_FP8E4NV ? "llvm.nvvm.ff.to.e4m3x2.rn" : "llvm.nvvm.ff.to.e5m2x2.rn";
  LLVMValueRef args[] = {y, x}; // the second is the low byte
  return nvvm_intrinsic(e, name, NULL, 0, args, 2);
}

LLVMValueRef nvvm_to_fp8(Emitter *e, Elem fp8, LLVMValueRef x) {
  return LLVMBuildTrunc(e->builder, nvvm_to_fp8_pair(e, fp8, x, LLVMConstNull(e->f32)), e->i8, "");
}

LLVMValueRef nvvm_to_bf16_pair(Emitter *e, LLVMValueRef x, LLVMValueRef y) {
  LLVMValueRef args[] = {y, x}; // the second is the lower half
  LLVMValueRef pair = nvvm_intrinsic(e, "llvm.nvvm.ff2bf16x2.rn", NULL, 0, args, 2);
  return LLVMBuildBitCast(e->builder, pair, e->i32, "");
}

LLVMValueRef nvvm_from_fp8(Emitter *e, Elem fp8, LLVMValueRef x) {
  needs_fp8(e);
  const char *name = fp8 == ELEM_FP8E4NV ? "llvm.nvvm.e4m3x2.to.f16x2.rn" : "llvm.nvvm.e5m2x2.to.f16x2.rn";
  LLVMValueRef pair = nvvm_call(e, name, LLVMBuildZExt(e->builder, x, e->i16, ""));
  return LLVMBuildExtractElement(e->builder, pair, emit_i32(e, 0), "");
}

LLVMTypeRef nvvm_word_type(const Emitter *e, uint32_t word_bits) {
  return word_bits == 64 ? e->i64 : word_bits == 32 ? e->i32 : e->i16;
}

// A cache modifier, an eviction priority and volatile exclude one another. They are hints, so the strongest
// is used.
static bool has_priority(const GlobalAccess *access) {
  return !access->is_volatile && !access->cache && access->evict;
}

// An eviction priority is for both caches. The L2 cache takes it from a policy (sm_80), created once at the
// function's start. NULL: none.
static LLVMValueRef cache_policy(Emitter *e, const GlobalAccess *access) {
  if (!has_priority(access) || !e->target->arch->has_cache_policy) return NULL;
  LLVMValueRef *policy = &e->policies[strcmp(access->evict, "evict_last") == 0];
  if (*policy) return *policy;
  EmitPosition here = emit_move_before(e, LLVMGetBasicBlockTerminator(e->entry));
  const char *text = arena_printf(e->arena, "createpolicy.fractional.L2::%s.b64 $0, 1.0;", access->evict);
  *policy = asm_of_text(e, e->i64, text, "=l", true, NULL, 0);
  emit_move_back(e, &here);
  return *policy;
}

// For example "ld.global.L1::evict_first.L2::cache_hint.v4.b32".
static void instruction(Emitter *e, const char *name, const GlobalAccess *access, Buf *text) {
  buf_printf(text, "%s%s.global", name, access->is_volatile ? ".volatile" : "");
  if (!access->is_volatile && access->cache) {
    buf_text(text, access->cache);
  } else if (has_priority(access)) {
    emit_needs_ptx(e, 74);
    buf_printf(text, ".L1::%s%s", access->evict, e->target->arch->has_cache_policy ? ".L2::cache_hint" : "");
  }
  if (access->words > 1) buf_printf(text, ".v%u", access->words);
  buf_printf(text, ".b%u ", access->word_bits);
}

// "$0", or "{$2,$3,$4,$5}".
static void word_list(uint32_t first, uint32_t words, Buf *text) {
  if (words > 1)
    asm_words(text, first, words);
  else
    buf_printf(text, "$%u", first);
}

void nvvm_count_shared(Emitter *e, LLVMValueRef address, LLVMValueRef counted) {
  asm_of_text(e, LLVMVoidTypeInContext(e->context), "@$1 red.shared.add.u32 [$0], 1;", "r,b,~{memory}", true,
              (LLVMValueRef[]){address, counted}, 2);
}

void nvvm_order(Emitter *e, const char *instruction, const char *how) {
  AsmCall call = {0};
  buf_printf(&call.text, "%s%s;", instruction, how);
  asm_build(e, &call, ASM_ORDERED, NULL);
}

void nvvm_fence_async(Emitter *e, bool global) {
  emit_needs_ptx(e, 80);
  nvvm_order(e, "fence.proxy.async", global ? "" : ".shared::cta");
}

void nvvm_grid_control(Emitter *e, const char *what) { nvvm_order(e, "griddepcontrol.", what); }

static void end_access(Emitter *e, AsmCall *call, LLVMValueRef policy, LLVMValueRef *results) {
  if (policy) buf_printf(&call->text, ", $%u", asm_operand(e, call, policy));
  buf_char(&call->text, ';');
  asm_build(e, call, ASM_EFFECTS, results);
}

// The results are tied to `initial`. A predicated-off load leaves them unchanged.
void nvvm_load_global(Emitter *e, const GlobalAccess *access, const LLVMValueRef *initial,
                      LLVMValueRef *result) {
  AsmCall call = {0};
  uint32_t words = access->words;
  LLVMValueRef policy = cache_policy(e, access);
  for (uint32_t i = 0; i < words; i++) asm_result(e, &call, nvvm_word_type(e, access->word_bits));
  uint32_t pointer = asm_operand(e, &call, access->pointer);
  if (access->predicate) {
    buf_printf(&call.text, "@$%u ", asm_operand(e, &call, access->predicate));
    for (uint32_t i = 0; i < words; i++) asm_tied(&call, initial[i], i);
  }
  instruction(e, "ld", access, &call.text);
  word_list(0, words, &call.text);
  buf_printf(&call.text, ", [$%u]", pointer);
  end_access(e, &call, policy, result);
}

void nvvm_store_global(Emitter *e, const GlobalAccess *access, const LLVMValueRef *words) {
  AsmCall call = {0};
  LLVMValueRef policy = cache_policy(e, access);
  asm_operand(e, &call, access->pointer);
  for (uint32_t i = 0; i < access->words; i++) asm_operand(e, &call, words[i]);
  if (access->predicate) buf_printf(&call.text, "@$%u ", asm_operand(e, &call, access->predicate));
  instruction(e, "st", access, &call.text);
  buf_text(&call.text, "[$0], ");
  word_list(1, access->words, &call.text);
  end_access(e, &call, policy, NULL);
}
