// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses that a loop advances. A thread's many addresses are base + offset + step. The loop varies only
// the step, which is the same for all of them.
//
// LLVM's loop strength reduction splits such sums badly. From base + lane + offset + step it makes one
// pointer for each register, and every iteration advances it. It also adds the loop-invariant lane's part
// again and again. So the step is hidden from LLVM. ptxas adds it, with uniform registers where possible.
//
// Addresses with different 32-bit offsets take one register each. They share base + step, a 64-bit sum, and
// mad.wide adds the offset. In LLVM's form, the extended offset would move out of the loop and take two
// registers. With 64-bit offsets, an address that is rows away from another is that one plus the distance. A
// few addresses gain nothing. Many 64-bit ones cost more registers than they save additions.
#include <stdio.h>
#include "base/integer.h"
#include "codegen/emit/address_sum.h"
#include "codegen/emit/emit.h"
#include "codegen/nvvm/asm_call.h"
#include "target/tuning.h"

enum { MAX_DEPTH = 8, FEW_ADDRESSES = 4, MANY_WIDE = 16 };

// --- what varies

// The innermost loop whose index or loop-carried value the scalar is computed from. NULL: none, or not found.
static const Op *varying_loop(const Value *scalar, uint32_t depth) {
  if (!scalar->def) return scalar->region->parent;
  const Op *op = scalar->def, *loop = NULL;
  bool sum = op_has(op, ARITHMETIC) || op->kind == OP_CAST || op->kind == OP_ADDPTR;
  for (uint32_t i = 0; sum && depth && !loop && i < op->operand_count; i++)
    loop = varying_loop(op_operand(op, i), depth - 1);
  return loop;
}

// True if a loop varies the tile, which is a splat of a scalar, while `other` is invariant in that loop.
static bool varies_beside(const Value *tile, const Value *other) {
  const Op *splat = tile->def;
  if (!splat || splat->kind != OP_SPLAT) return false;
  const Op *loop = varying_loop(op_operand(splat, 0), MAX_DEPTH);
  return loop && loop->kind == OP_FOR && !value_is_within(other, loop);
}

// True for a load of less than 32 bits at a time that uses more pointers than a loop should keep in
// registers.
static bool reads_singly(const Op *op) {
  if (op->kind != OP_LOAD) return false;
  const Type *type = op_result(op)->type;
  uint32_t vector = (uint32_t)op_int(op, ATTR_VECTOR, 1);
  return vector * type_element_bytes(type) < sizeof(uint32_t) &&
         2 * (emit_count(type) / vector) > TUNE_OFFSETS_KEPT;
}

// The number of elements that a copy, or such a load, accesses at a time. 0: the pointers have other uses
// too.
static uint32_t elements_at_once(const Value *pointers) {
  uint32_t most = 0;
  for (const Use *use = pointers->first_use; use; use = use->next) {
    if (use->user->kind != OP_COPY_ASYNC && !reads_singly(use->user)) return 0;
    most = max_u32(most, (uint32_t)op_int(use->user, ATTR_VECTOR, 1));
  }
  return most;
}

// True if the tile is added into the addresses of many copies.
static bool leads_to_copies(const Value *tile, uint32_t depth) {
  uint32_t at_once = type_is_ptr(tile->type) ? elements_at_once(tile) : 0;
  if (at_once) return emit_count(tile->type) / at_once >= FEW_ADDRESSES;
  for (const Use *use = tile->first_use; use && depth; use = use->next) {
    const Op *user = use->user;
    bool view = op_has(user, VIEW) && user->kind != OP_TRANS;
    bool sum = view || user->kind == OP_ADD || user->kind == OP_ADDPTR;
    if (sum && leads_to_copies(op_result(user), depth - 1)) return true;
  }
  return false;
}

// --- instructions

LLVMValueRef emit_hidden(Emitter *e, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  bool narrow = type == e->i32;
  return asm_of_text(e, type, narrow ? "mov.b32 $0, $1;" : "mov.b64 $0, $1;", narrow ? "=r,r" : "=l,l", false,
                     &x, 1);
}

// base + bytes * the signed 32-bit index.
static LLVMValueRef build_wide(Emitter *e, LLVMValueRef base, LLVMValueRef index, uint32_t bytes) {
  char text[48];
  snprintf(text, sizeof text, "mad.wide.s32 $0, $1, %u, $2;", bytes);
  return asm_of_text(e, LLVMTypeOf(base), text, "=l,r,l", false, (LLVMValueRef[]){index, base}, 2);
}

// --- sums

// The 32-bit index that differs most often between the accesses' first registers. Returns the sums' count if
// there is none.
static uint32_t chosen_index(const Emitter *e, const AddressSum *sums, uint32_t registers, uint32_t at_once) {
  uint32_t count = sums[0].count, chosen = count, most = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t differ = 0;
    for (uint32_t r = 0; r < registers && differ <= registers; r++) {
      differ += r > 0 && r % at_once == 0 && sums[r].index[i] != sums[r - at_once].index[i];
      if (LLVMTypeOf(sums[r].index[i]) != e->i32) differ = registers + 1;
    }
    if (differ <= registers && differ > most) chosen = i, most = differ;
  }
  return chosen;
}

static bool same_but(const AddressSum *a, const AddressSum *b, uint32_t index) {
  for (uint32_t i = 0; i < a->count; i++)
    if (i != index && a->index[i] != b->index[i]) return false;
  return a->root == b->root;
}

// --- the code

// Computes pointers at 64-bit offsets from a loop-varying pointer. If an access is a known number of rows
// after the previous one, adds the distance to that pointer. Distances are few, usually one.
static void add_offsets(Emitter *e, LLVMValueRef pointer, const Value *offset, uint32_t bytes,
                        uint32_t at_once, LLVMValueRef *out) {
  uint32_t registers = emit_count(offset->type);
  NumberSum *sums = ARENA_ARRAY(e->arena, NumberSum, registers);
  LLVMValueRef scale = LLVMConstInt(e->i64, bytes, false);
  for (uint32_t r = 0; r < registers; r++) {
    LLVMValueRef index = emit_register(e, offset, r), distance = NULL;
    uint32_t before = r % at_once ? r - r % at_once : r - at_once;
    sums[r] = number_sum(index);
    if (r) distance = number_sum_distance(e, &sums[before], &sums[r], bytes);
    if (distance)
      out[r] = LLVMBuildGEP2(e->builder, e->i8, out[before], &distance, 1, "");
    else
      distance = LLVMBuildMul(e->builder, index, scale, "");
    if (!out[r]) out[r] = LLVMBuildGEP2(e->builder, e->i8, pointer, &distance, 1, "");
  }
}
// root + step + all indices except the chosen one.
static LLVMValueRef build_base(Emitter *e, const AddressSum *sum, uint32_t chosen, LLVMTypeRef pointee,
                               LLVMValueRef step) {
  LLVMValueRef base = sum->root;
  for (uint32_t i = sum->count; i-- > 0;)
    if (i != chosen) base = address_add(e, pointee, base, sum->index[i]);
  return LLVMBuildGEP2(e->builder, e->i8, base, &step, 1, "");
}

// Adds a loop-varying step in bytes to a tile of loop-invariant pointers.
static bool add_step(Emitter *e, const Op *op, LLVMValueRef step, uint32_t at_once, LLVMValueRef *out) {
  const Value *tile = op_operand(op, 0);
  const Type *inner = type_element(tile->type)->inner;
  LLVMTypeRef pointee = emit_memory_type(e, inner);
  uint32_t registers = emit_count(tile->type);
  AddressSum *sums = ARENA_ARRAY(e->arena, AddressSum, registers);
  LLVMValueRef *base = ARENA_ARRAY(e->arena, LLVMValueRef, registers);
  for (uint32_t r = 0; r < registers; r++) sums[r] = address_sum(emit_register(e, tile, r), pointee, NULL);
  if (!address_sums_match(sums, registers))
    for (uint32_t r = 0; r < registers; r++) sums[r] = (AddressSum){.root = emit_register(e, tile, r)};
  uint32_t chosen = chosen_index(e, sums, registers, at_once);
  if (chosen == sums[0].count && registers / at_once > MANY_WIDE) return false;
  for (uint32_t r = 0; r < registers; r++) {
    for (uint32_t q = r; q-- > 0 && !base[r];)
      if (same_but(&sums[q], &sums[r], chosen)) base[r] = base[q];
    if (!base[r]) base[r] = build_base(e, &sums[r], chosen, pointee, step);
    out[r] = base[r];
    if (chosen < sums[r].count)
      out[r] = build_wide(e, base[r], sums[r].index[chosen], type_element_bytes(inner));
    LLVMValueRef constant = LLVMConstInt(e->i64, (uint64_t)sums[r].constant, true);
    if (sums[r].constant) out[r] = LLVMBuildGEP2(e->builder, pointee, out[r], &constant, 1, "");
  }
  return true;
}

bool emit_carried_address(Emitter *e, Op *op, LLVMValueRef *out) {
  const Type *type = op_result(op)->type;
  Value *base = op_operand(op, 0), *offset = op_operand(op, 1);
  uint32_t at_once = elements_at_once(op_result(op)), registers = emit_count(type);
  if (!type_is_tile(type) || !at_once || registers / at_once < FEW_ADDRESSES) return false;
  uint32_t bytes = type_element_bytes(type_element(type)->inner);
  Elem elem = type_element(offset->type)->elem;
  if (varies_beside(offset, base)) {
    LLVMValueRef step = emit_register(e, offset, 0);
    step = LLVMBuildIntCast2(e->builder, step, e->i64, elem_is_signed(elem), "");
    step = LLVMBuildMul(e->builder, step, LLVMConstInt(e->i64, bytes, false), "");
    return add_step(e, op, emit_hidden(e, step), at_once, out);
  }
  if (!varies_beside(base, offset) || (elem != ELEM_I32 && elem != ELEM_I64)) return false;
  LLVMValueRef pointer = emit_hidden(e, emit_register(e, base, 0));
  if (elem == ELEM_I64) add_offsets(e, pointer, offset, bytes, at_once, out);
  for (uint32_t r = 0; r < registers && elem == ELEM_I32; r++)
    out[r] = build_wide(e, pointer, emit_register(e, offset, r), bytes);
  return true;
}

LLVMValueRef emit_carried_splat(Emitter *e, const Op *op) {
  const Value *scalar = op_operand(op, 0);
  LLVMValueRef value = emit_register(e, scalar, 0);
  const Op *loop = LLVMTypeOf(value) == e->i32 ? varying_loop(scalar, MAX_DEPTH) : NULL;
  if (!loop || loop->kind != OP_FOR || !leads_to_copies(op_result(op), MAX_DEPTH)) return value;
  return emit_hidden(e, value);
}
