// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// atom, red, multimem.red and multimem.ld_reduce. Lanes run one after another under one lock, so CTAs on different host threads see whole
// operations.
#include "sim/exec/atomic_lock.h"

#include <pthread.h>
#include "sim/exec/exec.h"
#include "sim/machine/state.h"
#include "sim/exec/float_bits.h"
#include "sim/machine/resolve.h"

// The only mutable static. Host threads share global memory.
static pthread_mutex_t atomic_lock = PTHREAD_MUTEX_INITIALIZER;

void atomic_begin(void) { pthread_mutex_lock(&atomic_lock); }
void atomic_end(void) { pthread_mutex_unlock(&atomic_lock); }

// An element of up to 128 bits.
typedef struct AtomicValue {
  uint64_t low, high;
} AtomicValue;

static uint64_t atomic_sum(PtxType type, uint64_t a, uint64_t b, bool flush) {
  if (type == PTX_F32 && flush) { // PTX ISA 9.7.13: in global memory subnormals become zeros
    float x = float_flush(float_of((uint32_t)a)), y = float_flush(float_of((uint32_t)b));
    return float_bits(float_flush(x + y));
  }
  if (type == PTX_F32) return float_bits(float_of((uint32_t)a) + float_of((uint32_t)b));
  if (type == PTX_F64) return double_bits(double_of(a) + double_of(b));
  return a + b;
}

static float narrow_float(bool bf16, uint64_t bits) {
  return bf16 ? float_of_bf16((uint16_t)bits) : float_of_half((uint16_t)bits);
}

// f16 and bf16: add, min, max. If one operand is NaN, min and max return the other.
static uint64_t narrow(Operation op, bool bf16, uint64_t a, uint64_t b) {
  float x = narrow_float(bf16, a), y = narrow_float(bf16, b);
  if (op == OP_ADD) {
    double sum = add_to_odd((double)x, (double)y);
    return float_round(sum, bf16 ? 7 : 10, bf16 ? 127 : 15, ROUND_RN);
  }
  if (isnan(x) || isnan(y)) return (isnan(x) ? b : a) & 0xffff;
  bool less = x < y || (x == y && !signbit(x) < !signbit(y));
  return (less == (op == OP_MIN) ? a : b) & 0xffff;
}

static bool less_than(PtxType type, uint64_t a, uint64_t b) {
  if (type == PTX_S32) return (int32_t)a < (int32_t)b;
  return type == PTX_S64 ? (int64_t)a < (int64_t)b : a < b;
}

static bool is_narrow(PtxType type) {
  return type == PTX_F16 || type == PTX_BF16 || type == PTX_F16X2 || type == PTX_BF16X2;
}

static uint64_t apply_word(const MemoryAccess *access, uint64_t old, uint64_t b, bool flush) {
  PtxType type = access->type;
  Operation op = access->atomic;
  bool bf16 = type == PTX_BF16 || type == PTX_BF16X2;
  if (is_narrow(type)) {
    uint64_t low = narrow(op, bf16, old, b);
    return access->bytes == 2 ? low : low | narrow(op, bf16, old >> 16, b >> 16) << 16;
  }
  if (op == OP_ADD) return atomic_sum(type, old, b, flush);
  if (op == OP_MIN) return less_than(type, b, old) ? b : old;
  if (op == OP_MAX) return less_than(type, old, b) ? b : old;
  if (op == OP_AND) return old & b;
  if (op == OP_OR) return old | b;
  if (op == OP_XOR) return old ^ b;
  if (op == OP_ADDC) return old >= b ? 0 : old + 1;
  return old == 0 || old > b ? b : old - 1;
}

static AtomicValue apply(const MemoryAccess *access, AtomicValue old, AtomicValue b, AtomicValue c,
                         bool flush) {
  if (access->atomic == OP_MOV) return b;
  if (access->atomic == OP_SETP) return old.low == b.low && old.high == b.high ? c : old;
  return (AtomicValue){apply_word(access, old.low, b.low, flush), 0};
}

static AtomicValue lane_value(const Warp *warp, uint32_t slot, uint32_t bytes, uint32_t lane) {
  AtomicValue value = {0, 0};
  memcpy(&value, warp->regs + slot + (size_t)lane * bytes, bytes);
  return value;
}

static bool in_shared(const Block *block, const unsigned char *host) {
  for (uint32_t i = 0; i < cluster_size(block); i++) {
    const Block *one = cluster_block(block, i);
    if (host >= one->shared && host < one->shared + one->shared_bytes) return true;
  }
  return false;
}

static void atomic_lane(Warp *warp, const Insn *insn, uint32_t lane, unsigned char *host) {
  const MemoryAccess *access = insn->u.access;
  uint32_t bytes = access->bytes;
  bool flush = !access->multimem && !in_shared(warp->block, host);
  for (uint32_t i = 0; i < access->count; i++, host += bytes) {
    AtomicValue old = {0, 0}, b = lane_value(warp, access->slots[i], bytes, lane), c = {0, 0};
    if (access->atomic == OP_SETP) c = lane_value(warp, insn->src[2], bytes, lane);
    memcpy(&old, host, bytes);
    AtomicValue value = apply(access, old, b, c, flush);
    memcpy(host, &value, bytes);
    warp->block->worker->changed |= memcmp(&value, &old, bytes) != 0;
    if (access->results[i] != UINT32_MAX)
      memcpy(warp->regs + access->results[i] + (size_t)lane * bytes, &old, bytes);
  }
}

static void atomic_lanes(Warp *warp, const Insn *insn, uint32_t mask, unsigned char *const *host) {
  bool descending = warp->block->worker->launch->descending;
  pthread_mutex_lock(&atomic_lock);
  for (uint32_t i = 0; i < LANES; i++) {
    uint32_t l = descending ? LANES - 1 - i : i;
    if (mask >> l & 1) atomic_lane(warp, insn, l, host[l]);
  }
  pthread_mutex_unlock(&atomic_lock);
}

void exec_atomic(Warp *warp, const Insn *insn, uint32_t mask) {
  unsigned char *host[LANES];
  if (resolve_lanes(warp, insn, &mask, true, host)) atomic_lanes(warp, insn, mask, host);
}

void exec_multimem_red(Warp *warp, const Insn *insn, uint32_t mask) {
  MultimemLanes lanes;
  unsigned char *host[LANES];
  if (!resolve_multimem(warp, insn, &mask, &lanes)) return;
  for (uint32_t copy = 0; copy < lanes.copies; copy++)
    atomic_lanes(warp, insn, resolve_copy(warp, insn, mask, &lanes, copy, HOOK_ATOMIC, host), host);
}

// The sum of 16-bit floats in 32 bits, rounded once. Of pairs, that of the halves at `shift`.
static uint64_t wide_sum(const MemoryAccess *access, const AtomicValue *values, uint32_t count,
                         uint32_t shift) {
  bool bf16 = access->type == PTX_BF16 || access->type == PTX_BF16X2;
  float sum = narrow_float(bf16, values[0].low >> shift);
  for (uint32_t i = 1; i < count; i++) sum += narrow_float(bf16, values[i].low >> shift);
  return (uint64_t)float_round((double)sum, bf16 ? 7 : 10, bf16 ? 127 : 15, ROUND_RN) << shift;
}

static AtomicValue reduced(const MemoryAccess *access, const AtomicValue *values, uint32_t count) {
  AtomicValue result = values[0];
  if (access->wide_sum) {
    result.low = wide_sum(access, values, count, 0);
    return access->bytes == 2 ? result : (AtomicValue){result.low | wide_sum(access, values, count, 16), 0};
  }
  for (uint32_t i = 1; i < count; i++) result = apply(access, result, values[i], result, false);
  return result;
}

// The order of the copies is not defined, so that it differs between schedules.
void exec_multimem_load(Warp *warp, const Insn *insn, uint32_t mask) {
  const MemoryAccess *access = insn->u.access;
  MultimemLanes lanes;
  unsigned char *host[TILEC_SIM_MAX_DEVICES][LANES];
  uint32_t here[TILEC_SIM_MAX_DEVICES];
  if (!resolve_multimem(warp, insn, &mask, &lanes)) return;
  for (uint32_t i = 0; i < lanes.copies; i++) {
    uint32_t copy = warp->block->worker->launch->descending ? lanes.copies - 1 - i : i;
    here[i] = resolve_copy(warp, insn, mask, &lanes, copy, HOOK_READ, host[i]);
  }
  for (uint32_t l = 0; l < LANES; l++)
    for (uint32_t e = 0; (mask >> l & 1) && e < access->count; e++) {
      AtomicValue values[TILEC_SIM_MAX_DEVICES] = {0}, result;
      uint32_t count = 0;
      for (uint32_t i = 0; i < lanes.copies; i++)
        if (here[i] >> l & 1) memcpy(&values[count++], host[i][l] + (size_t)e * access->bytes, access->bytes);
      result = reduced(access, values, count);
      memcpy(warp->regs + access->slots[e] + (size_t)l * access->slot_bytes[e], &result,
             access->slot_bytes[e]);
    }
}
