// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bulk copies and reductions, and code shared with TMA copies.
#include "sim/exec/bulk.h"

#include <stdlib.h>
#include "sim/exec/atomic_lock.h"
#include "sim/exec/float_bits.h"
#include "sim/machine/hooks.h"
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"

// ---- elements ----

static uint64_t reduce_int(Operation op, PtxType type, uint64_t old, uint64_t value) {
  bool is_signed = ptx_type_class(type) == CLASS_SIGNED, four = ptx_type_bytes(type) == 4;
  int64_t a = four ? (int32_t)old : (int64_t)old, b = four ? (int32_t)value : (int64_t)value;
  bool less = is_signed ? a < b : old < value;
  if (op == OP_ADD) return old + value;
  if (op == OP_MIN) return less ? old : value;
  if (op == OP_MAX) return less ? value : old;
  if (op == OP_AND) return old & value;
  if (op == OP_OR) return old | value;
  if (op == OP_XOR) return old ^ value;
  if (op == OP_POPC) return old >= value ? 0 : old + 1; // inc
  return old == 0 || old > value ? value : old - 1;     // dec
}

static double widen(PtxType type, uint64_t bits) {
  if (type == PTX_F16) return (double)float_of_half((uint16_t)bits);
  if (type == PTX_BF16) return (double)float_of_bf16((uint16_t)bits);
  return type == PTX_F32 ? (double)float_of((uint32_t)bits) : double_of(bits);
}

static uint64_t narrow(PtxType type, double value) {
  if (type == PTX_F16) return float_round(value, 10, 15, ROUND_RN);
  if (type == PTX_BF16) return float_round(value, 7, 127, ROUND_RN);
  return type == PTX_F32 ? float_round(value, 23, 127, ROUND_RN) : double_bits(value);
}

static uint64_t reduce_element(Operation op, PtxType type, uint64_t old, uint64_t value) {
  if (ptx_type_class(type) != CLASS_FLOAT) return reduce_int(op, type, old, value);
  double a = widen(type, old), b = widen(type, value);
  if (op == OP_ADD && type == PTX_F64) return double_bits(a + b);
  if (op == OP_ADD) return narrow(type, add_to_odd(a, b));
  if (isnan(a) || isnan(b)) return isnan(a) ? value : old;
  return (a < b) == (op == OP_MIN) ? old : value;
}

void bulk_reduce(Operation op, PtxType type, unsigned char *to, const unsigned char *from, uint64_t bytes) {
  uint32_t size = ptx_type_bytes(type);
  atomic_begin();
  for (uint64_t at = 0; at + size <= bytes; at += size) {
    uint64_t old = 0, value = 0;
    memcpy(&old, to + at, size);
    memcpy(&value, from + at, size);
    old = reduce_element(op, type, old, value);
    memcpy(to + at, &old, size);
  }
  atomic_end();
}

// ---- shared by bulk and TMA copies ----

bool bulk_one_block(Warp *warp, const Insn *insn, uint32_t lane) {
  const CopyOperands *copy = insn->u.copy;
  if (copy->multicast == UINT32_MAX) return true;
  if (((const uint16_t *)lanes_at(warp, copy->multicast))[lane] == 1) return true;
  warp_fault(warp, insn, 1u << lane, TILEC_SIM_ASYNC, 0,
             "multicast to CTAs that a cluster of one does not have");
  return false;
}

bool bulk_mbarrier(AsyncOp *op, uint32_t lane) {
  Place place;
  if (!op->insn->u.copy->has_mbarrier) return true;
  if (!resolve_operand(op->warp, op->insn, lane, &op->insn->u.copy->mbarrier, 8, 8, true, &place))
    return false;
  op->mbarrier = place.address;
  return true;
}

void bulk_count(const AsyncOp *op, uint64_t address, uint64_t bytes, bool new_request) {
  tilec_sim_counters *counters = &op->warp->block->worker->by_site[op->insn->site];
  if (bytes) counters->global_sectors += (address + bytes - 1) / 32 - address / 32 + 1;
  counters->global_sectors_ideal += (bytes + 31) / 32;
  counters->global_requests += new_request;
}

void bulk_range_hook(const AsyncOp *op, PtxSpace space, HookAccess access, uint64_t address, uint64_t bytes) {
  bulk_row_hook(op, space, access, address, bytes, 0);
}

void bulk_row_hook(const AsyncOp *op, PtxSpace space, HookAccess access, uint64_t address, uint64_t bytes,
                   uint64_t beyond) {
  if (!hooks_of(op->warp)) return;
  HookRange range = {.warp = op->warp,
                     .insn = op->insn,
                     .lanes = op->mask,
                     .op = op,
                     .space = space,
                     .proxy = HOOK_ASYNC,
                     .access = access,
                     .address = address,
                     .bytes = bytes,
                     .beyond = beyond};
  sim_hook_range(&range);
}

// ---- copies ----

static bool prepare(AsyncOp *op, uint32_t lane) {
  Warp *warp = op->warp;
  const Insn *insn = op->insn;
  const CopyOperands *copy = insn->u.copy;
  CopyRange *range = op->u.range;
  range->bytes = ((const uint32_t *)lanes_at(warp, copy->size))[lane];
  if (range->bytes % 16) {
    warp_fault(warp, insn, 1u << lane, TILEC_SIM_ASYNC, 0,
               "a bulk copy of %u bytes, which is not a multiple of 16", (unsigned)range->bytes);
    return false;
  }
  return bulk_one_block(warp, insn, lane) && bulk_mbarrier(op, lane) &&
         resolve_operand(warp, insn, lane, &copy->to, range->bytes, 16, true, &range->to) &&
         resolve_operand(warp, insn, lane, &copy->from, range->bytes, 16, false, &range->from);
}

static void prefetch(Warp *warp, const Insn *insn, uint32_t lane) {
  Place place;
  uint32_t bytes = ((const uint32_t *)lanes_at(warp, insn->u.copy->size))[lane];
  resolve_operand(warp, insn, lane, &insn->u.copy->from, bytes, 16, false, &place);
}

void exec_bulk(Warp *warp, const Insn *insn, uint32_t mask) {
  AsyncGroup group = insn->u.copy->has_mbarrier ? ASYNC_GROUP_NONE : ASYNC_GROUP_BULK;
  for (uint32_t l = 0; l < LANES && !warp->block->worker->fault.set; l++) {
    if (!(mask >> l & 1)) continue;
    if (insn->u.copy->prefetch) {
      prefetch(warp, insn, l);
      continue;
    }
    AsyncOp *op = async_new(warp, insn, 1u << l, ASYNC_BULK, group);
    if (!op) return;
    if (!prepare(op, l)) {
      async_drop(op);
      return;
    }
    const CopyRange *range = op->u.range;
    const Place *global = range->to.space == SPACE_GLOBAL ? &range->to : &range->from;
    if (global->space == SPACE_GLOBAL) bulk_count(op, global->address, range->bytes, true);
    async_issue(op);
  }
}

void copy_range_read(AsyncOp *op) {
  CopyRange *range = op->u.range;
  range->staged = malloc(range->bytes + 1);
  if (!range->staged) {
    warp_fault(op->warp, op->insn, op->mask, TILEC_SIM_ASYNC, 0, "no memory for an asynchronous copy");
    return;
  }
  op->has_read = true;
  if (op->kind == ASYNC_TENSOR)
    tensor_read(op);
  else {
    memcpy(range->staged, range->from.host, range->bytes);
    bulk_range_hook(op, range->from.space, HOOK_READ, range->from.address, range->bytes);
  }
  if (!op->warp->block->worker->fault.set) sim_hook_async_read(op, op->mask);
}

void copy_range_write(AsyncOp *op) {
  CopyRange *range = op->u.range;
  const CopyOperands *copy = op->insn->u.copy;
  if (op->kind == ASYNC_TENSOR) {
    tensor_write(op);
    return;
  }
  if (copy->reduce)
    bulk_reduce(copy->reduce, copy->type, range->to.host, range->staged, range->bytes);
  else
    memcpy(range->to.host, range->staged, range->bytes);
  bulk_range_hook(op, range->to.space, copy->reduce ? HOOK_ATOMIC : HOOK_WRITE, range->to.address,
                  range->bytes);
}
