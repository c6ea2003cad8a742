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

uint32_t multicast_ctas(Warp *warp, const Insn *insn, uint32_t slot, uint32_t lane) {
  if (slot == UINT32_MAX) return 0;
  uint32_t mask = ((const uint16_t *)lanes_at(warp, slot))[lane], size = cluster_size(warp->block);
  if (mask && !(mask >> size)) return mask;
  warp_fault(warp, insn, 1u << lane, TILEC_SIM_ASYNC, 0,
             "multicast to the CTAs of mask 0x%x, and the cluster has %u", mask, size);
  return 0;
}

// With .cta_group::2 the mbarrier may be in either CTA of the pair. Each destination signals the one of its
// own pair with the same parity.
static Block *signalled(const AsyncOp *op, uint32_t rank) {
  if (op->insn->u.copy->pair) rank = (rank & ~1u) | (op->at->rank & 1);
  return cluster_block(op->warp->block, rank);
}

static AsyncOp *copy_for(const AsyncOp *op, uint32_t rank) {
  AsyncOp *made = async_new(op->warp, op->insn, op->mask, op->kind, op->group_kind);
  if (!made) return NULL;
  Block *to = cluster_block(op->warp->block, rank);
  *made->u.range = *op->u.range;
  made->u.range->staged = NULL;
  made->u.range->to.block = to;
  made->u.range->to.host = to->shared + made->u.range->to.address;
  made->at = signalled(op, rank);
  made->mbarrier = op->mbarrier;
  return made;
}

void bulk_issue(AsyncOp *op, uint32_t ctas) {
  Warp *warp = op->warp;
  if (!ctas) {
    async_issue(op);
    return;
  }
  for (uint32_t rank = 0; rank < cluster_size(warp->block) && !warp->block->worker->fault.set; rank++) {
    AsyncOp *one = ctas >> rank & 1 ? copy_for(op, rank) : NULL;
    if (!one) continue;
    one->repeats = ctas & ((1u << rank) - 1);
    async_issue(one);
  }
  async_drop(op);
}

bool bulk_mbarrier(AsyncOp *op, uint32_t lane) {
  Place place;
  if (!op->insn->u.copy->has_mbarrier) return true;
  if (!resolve_operand(op->warp, op->insn, lane, &op->insn->u.copy->mbarrier, 8, 8, true, &place))
    return false;
  op->mbarrier = place.address;
  op->at = place.block;
  Block *to = op->u.range->to.block;
  bool pair = op->insn->u.copy->pair;
  if (!to || op->at == to || (pair && op->at->rank / 2 == to->rank / 2)) return true;
  return warp_fault(op->warp, op->insn, 1u << lane, TILEC_SIM_ASYNC, place.address,
                    "the copy goes to CTA %u of the cluster, and its mbarrier is in CTA %u", to->rank,
                    op->at->rank);
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
                     .proxy = op->insn->exec == exec_store_async ? HOOK_GENERIC : HOOK_ASYNC,
                     .access = access,
                     .address = address,
                     .bytes = bytes,
                     .beyond = beyond};
  if (space == SPACE_SHARED)
    range.block = access == HOOK_READ ? op->u.range->from.block : op->u.range->to.block;
  sim_hook_range(&range);
}

// ---- copies ----

static bool prepare(AsyncOp *op, uint32_t lane) {
  Warp *warp = op->warp;
  const Insn *insn = op->insn;
  const CopyOperands *copy = insn->u.copy;
  CopyRange *range = op->u.range;
  range->bytes = ((const uint32_t *)lanes_at(warp, copy->size))[lane];
  if (range->bytes % 16)
    return warp_fault(warp, insn, 1u << lane, TILEC_SIM_ASYNC, 0,
                      "a bulk copy of %u bytes, which is not a multiple of 16", (unsigned)range->bytes);
  return resolve_operand(warp, insn, lane, &copy->to, range->bytes, 16, true, &range->to) &&
         bulk_mbarrier(op, lane) &&
         resolve_operand(warp, insn, lane, &copy->from, range->bytes, 16, false, &range->from);
}

static void prefetch(Warp *warp, const Insn *insn, uint32_t lane) {
  Place place;
  uint32_t bytes = ((const uint32_t *)lanes_at(warp, insn->u.copy->size))[lane];
  resolve_operand(warp, insn, lane, &insn->u.copy->from, bytes, 16, false, &place);
}

AsyncOp *bulk_begin(Warp *warp, const Insn *insn, uint32_t lane, AsyncKind kind,
                    bool (*prepare_copy)(AsyncOp *op, uint32_t lane), uint32_t *ctas) {
  AsyncGroup group = insn->u.copy->has_mbarrier ? ASYNC_GROUP_NONE : ASYNC_GROUP_BULK;
  AsyncOp *op = async_new(warp, insn, 1u << lane, kind, group);
  if (!op) return NULL;
  *ctas = multicast_ctas(warp, insn, insn->u.copy->multicast, lane);
  if (!warp->block->worker->fault.set && prepare_copy(op, lane)) return op;
  async_drop(op);
  return NULL;
}

void exec_bulk(Warp *warp, const Insn *insn, uint32_t mask) {
  for (uint32_t l = 0; l < LANES && !warp->block->worker->fault.set; l++) {
    if (!(mask >> l & 1)) continue;
    if (insn->u.copy->prefetch) {
      prefetch(warp, insn, l);
      continue;
    }
    uint32_t ctas;
    AsyncOp *op = bulk_begin(warp, insn, l, ASYNC_BULK, prepare, &ctas);
    if (!op) return;
    const CopyRange *range = op->u.range;
    const Place *global = range->to.space == SPACE_GLOBAL ? &range->to : &range->from;
    if (global->space == SPACE_GLOBAL) bulk_count(op, global->address, range->bytes, true);
    bulk_issue(op, ctas);
  }
}

// ---- st.async, red.async ----

static bool prepare_store(AsyncOp *op, uint32_t lane) {
  const CopyOperands *copy = op->insn->u.copy;
  CopyRange *range = op->u.range;
  range->bytes = copy->values * copy->bytes;
  if (!resolve_operand(op->warp, op->insn, lane, &copy->to, range->bytes, (uint32_t)range->bytes, true,
                       &range->to) ||
      !bulk_mbarrier(op, lane))
    return false;
  range->staged = malloc(range->bytes);
  if (!range->staged)
    return warp_fault(op->warp, op->insn, op->mask, TILEC_SIM_ASYNC, 0,
                      "no memory for an asynchronous store");
  for (uint32_t i = 0; i < copy->values; i++)
    memcpy(range->staged + (size_t)i * copy->bytes,
           (const unsigned char *)lanes_at(op->warp, copy->slots[i]) + (size_t)lane * copy->bytes,
           copy->bytes);
  op->has_read = true;
  return true;
}

void exec_store_async(Warp *warp, const Insn *insn, uint32_t mask) {
  for (uint32_t l = 0; l < LANES && !warp->block->worker->fault.set; l++) {
    if (!(mask >> l & 1)) continue;
    AsyncOp *op = async_new(warp, insn, 1u << l, ASYNC_STORE, ASYNC_GROUP_NONE);
    if (!op) return;
    if (prepare_store(op, l))
      async_issue(op);
    else
      async_drop(op);
  }
}

void copy_range_read(AsyncOp *op) {
  CopyRange *range = op->u.range;
  range->staged = malloc((op->insn->u.copy->tensor ? tensor_map_box(&range->map).bytes : range->bytes) + 1);
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
