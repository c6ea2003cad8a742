// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// atom and red: lane after lane, under one lock, so that blocks on different host threads see whole
// operations.
#include "sim/atomic.h"

#include <pthread.h>
#include "sim/exec.h"
#include "sim/float_bits.h"
#include "sim/resolve.h"

static pthread_mutex_t atomic_lock =
    PTHREAD_MUTEX_INITIALIZER; // the only mutable static: global memory is shared between host threads

void atomic_begin(void) { pthread_mutex_lock(&atomic_lock); }
void atomic_end(void) { pthread_mutex_unlock(&atomic_lock); }

static uint64_t add(PtxType type, uint64_t a, uint64_t b) {
  if (type == PTX_F32) return float_bits(float_of((uint32_t)a) + float_of((uint32_t)b));
  if (type == PTX_F64) return double_bits_of(double_of(a) + double_of(b));
  if (type == PTX_F16) return half_of_float(float_of_half((uint16_t)a) + float_of_half((uint16_t)b));
  if (type != PTX_BF16) return a + b;
  double sum = add_to_odd((double)float_of_bf16((uint16_t)a), (double)float_of_bf16((uint16_t)b));
  return float_round(sum, 7, 127, ROUND_RN);
}

static bool less(PtxType type, uint64_t a, uint64_t b) {
  if (type == PTX_S32) return (int32_t)a < (int32_t)b;
  return type == PTX_S64 ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t apply(const Access *access, uint64_t old, uint64_t b, uint64_t c) {
  Operation op = access->atomic;
  if (op == OP_ADD) return add(access->type, old, b);
  if (op == OP_MIN) return less(access->type, b, old) ? b : old;
  if (op == OP_MAX) return less(access->type, old, b) ? b : old;
  if (op == OP_AND) return old & b;
  if (op == OP_OR) return old | b;
  if (op == OP_XOR) return old ^ b;
  return op == OP_MOV ? b : old == b ? c : old; // exch; cas (SETP)
}

static uint64_t lane_value(const Warp *warp, uint32_t slot, uint32_t bytes, uint32_t lane) {
  uint64_t value = 0;
  memcpy(&value, warp->regs + slot + (size_t)lane * bytes, bytes);
  return value;
}

void exec_atomic(Warp *warp, const Insn *insn, uint32_t mask) {
  const Access *access = insn->u.access;
  uint32_t bytes = access->bytes;
  unsigned char *host[LANES];
  if (!resolve_lanes(warp, insn, &mask, true, host)) return;
  bool descending = warp->block->worker->launch->descending;
  pthread_mutex_lock(&atomic_lock);
  for (uint32_t i = 0; i < LANES; i++) {
    uint32_t l = descending ? LANES - 1 - i : i;
    if (!(mask >> l & 1)) continue;
    uint64_t old = 0, b = lane_value(warp, insn->src[1], bytes, l),
             c = lane_value(warp, insn->src[2], bytes, l);
    memcpy(&old, host[l], bytes);
    uint64_t value = apply(access, old, b, c);
    memcpy(host[l], &value, bytes);
    if (insn->dst != UINT32_MAX) memcpy(warp->regs + insn->dst + (size_t)l * bytes, &old, bytes);
  }
  pthread_mutex_unlock(&atomic_lock);
}
