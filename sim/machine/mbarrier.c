// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An mbarrier's bits in memory (a state token is the word before the arrival):
//    0..19  pending arrivals
//   20..39  expected arrivals
//   40..60  bytes, two's complement
//   61      the phase's parity
//   62..63  TAG
#include "sim/machine/mbarrier.h"

#include "sim/machine/hooks.h"
#include "sim/machine/resolve.h"
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"

enum { MAX_COUNT = (1 << 20) - 1, MAX_TX = (1 << 20) - 1, TAG = 2 };

static uint64_t mbarrier_pack(const Mbarrier *m) {
  return m->pending | (uint64_t)m->expected << 20 | (uint64_t)((uint32_t)m->tx & 0x1fffffu) << 40 |
         (uint64_t)m->phase << 61 | (uint64_t)TAG << 62;
}

static bool mbarrier_unpack(uint64_t word, Mbarrier *m) {
  m->pending = (uint32_t)(word & MAX_COUNT);
  m->expected = (uint32_t)(word >> 20 & MAX_COUNT);
  uint32_t tx = (uint32_t)(word >> 40 & 0x1fffffu);
  m->tx = tx & 0x100000u ? (int32_t)tx - 0x200000 : (int32_t)tx;
  m->phase = (uint32_t)(word >> 61 & 1);
  return word >> 62 == TAG;
}

static void mbarrier_fault(Warp *warp, const Insn *insn, uint32_t lane, uint64_t address, const char *what) {
  warp_fault(warp, insn, 1u << lane, TILEC_SIM_MBARRIER, address, "the mbarrier at shared address %llu %s",
             (unsigned long long)address, what);
}

// The address has been resolved before. The mbarrier of an operation may lie beyond its CTA's memory.
static unsigned char *place_of(Warp *warp, const Insn *insn, uint32_t lane, Block *owner, uint64_t address) {
  if (address % 8 == 0 && address <= owner->shared_bytes && owner->shared_bytes - address >= 8)
    return owner->shared + address;
  mbarrier_fault(warp, insn, lane, address, "is not in shared memory");
  return NULL;
}

bool mbarrier_find(Warp *warp, const Insn *insn, uint32_t lane, Block *owner, uint64_t address,
                   Mbarrier *mbarrier, unsigned char **host) {
  uint64_t word;
  *host = place_of(warp, insn, lane, owner, address);
  if (!*host) return false;
  memcpy(&word, *host, sizeof word);
  if (mbarrier_unpack(word, mbarrier)) return true;
  mbarrier_fault(warp, insn, lane, address, "is not initialised");
  return false;
}

bool mbarrier_peek(const Block *block, uint64_t address, Mbarrier *mbarrier) {
  uint64_t word;
  if (address > block->shared_bytes || block->shared_bytes - address < sizeof word) return false;
  memcpy(&word, block->shared + address, sizeof word);
  return mbarrier_unpack(word, mbarrier);
}

void mbarrier_wake(Block *block) {
  for (uint32_t w = 0; w < block->warp_count; w++)
    for (uint32_t g = 0; g < block->warps[w].n; g++) {
      LaneGroup *group = &block->warps[w].groups[g];
      if (group->state != GROUP_AT_MBARRIER) continue;
      group->state = GROUP_READY;
      group->last_run = block->warps[w].executed;
    }
}

// Stores the changed mbarrier. A phase with nothing pending completes.
static void mbarrier_store(Block *block, uint64_t address, unsigned char *host, Mbarrier *m) {
  cluster_leader(block)->timeouts = 0;
  if (m->pending == 0 && m->tx == 0) {
    sim_hook_mbarrier_phase(block, address, m->phase);
    m->phase ^= 1;
    m->pending = m->expected;
  }
  uint64_t word = mbarrier_pack(m);
  memcpy(host, &word, sizeof word);
  mbarrier_wake(block);
}

typedef struct Arrival { // `drop`: also from later phases
  uint32_t count, drop;
  int64_t bytes;
} Arrival;

static void count_arrivals(Warp *warp, const Insn *insn, uint32_t lane, const AsyncOp *op, Block *owner,
                           uint64_t address, Arrival arrival) {
  Mbarrier m;
  unsigned char *host;
  uint32_t count = arrival.count, drop = arrival.drop;
  int64_t bytes = arrival.bytes;
  if (!mbarrier_find(warp, insn, lane, owner, address, &m, &host)) return;
  int64_t tx = m.tx + bytes;
  if (count > m.pending)
    mbarrier_fault(warp, insn, lane, address, "gets more arrivals than its phase has pending");
  else if (drop > m.expected)
    mbarrier_fault(warp, insn, lane, address, "loses more arrivals than it expects");
  else if (tx > MAX_TX || tx < -MAX_TX)
    mbarrier_fault(warp, insn, lane, address, "counts more than 2^20 - 1 bytes");
  else {
    if (count || bytes < 0 || op) sim_hook_mbarrier_arrive(warp, insn, lane, op, owner, address, m.phase);
    m.pending -= count;
    m.expected -= drop;
    m.tx = (int32_t)tx;
    mbarrier_store(owner, address, host, &m);
  }
}

void mbarrier_arrive(Warp *warp, const Insn *insn, uint32_t lane, const AsyncOp *op, Block *owner,
                     uint64_t address, uint32_t count) {
  count_arrivals(warp, insn, lane, op, owner, address, (Arrival){.count = count});
}

void mbarrier_complete_tx(const AsyncOp *op, uint32_t lane, uint64_t bytes) {
  count_arrivals(op->warp, op->insn, lane, op, op->at, op->mbarrier, (Arrival){.bytes = -(int64_t)bytes});
}

void mbarrier_add_pending(Warp *warp, const Insn *insn, uint32_t lane, uint64_t address, uint32_t count) {
  Mbarrier m;
  unsigned char *host;
  if (!mbarrier_find(warp, insn, lane, warp->block, address, &m, &host)) return;
  if (m.pending + count > MAX_COUNT) {
    mbarrier_fault(warp, insn, lane, address, "has more than 2^20 - 1 pending arrivals");
    return;
  }
  m.pending += count;
  mbarrier_store(warp->block, address, host, &m);
}

// ---- instructions ----

static uint32_t word_at(const Warp *warp, uint32_t slot, uint32_t lane) {
  return ((const uint32_t *)lanes_at(warp, slot))[lane];
}

static bool barrier_address(Warp *warp, const Insn *insn, uint32_t lane, Block **owner, uint64_t *address) {
  Place place;
  if (!resolve_operand(warp, insn, lane, insn->u.address, 8, 8, true, &place)) return false;
  *address = place.address;
  *owner = place.block;
  if (place.space == SPACE_SHARED) return true;
  return warp_fault(warp, insn, 1u << lane, TILEC_SIM_MBARRIER, *address,
                    "an mbarrier lies in shared memory");
}

static void mbarrier_init(Warp *warp, const Insn *insn, uint32_t lane, uint64_t address) {
  uint32_t count = word_at(warp, insn->src[1], lane);
  unsigned char *host = place_of(warp, insn, lane, warp->block, address);
  if (!host) return;
  if (count == 0 || count > MAX_COUNT) {
    mbarrier_fault(warp, insn, lane, address, "is given a count outside 1 .. 2^20 - 1");
    return;
  }
  Mbarrier m = {.pending = count, .expected = count};
  uint64_t word = mbarrier_pack(&m);
  memcpy(host, &word, sizeof word);
  sim_hook_mbarrier_init(warp, insn, lane, address, count);
}

static void mbarrier_invalidate(Warp *warp, const Insn *insn, uint32_t lane, uint64_t address) {
  Mbarrier m;
  unsigned char *host;
  if (!mbarrier_find(warp, insn, lane, warp->block, address, &m, &host)) return;
  memset(host, 0, 8);
  sim_hook_mbarrier_inval(warp, insn, lane, address);
}

// insn->extra: the MbarrierChange. FLAG_SAT: drop. src[1]: count or bytes. dst: the state token, or
// UINT32_MAX.
static void mbarrier_change(Warp *warp, const Insn *insn, uint32_t lane, Block *owner, uint64_t address) {
  uint32_t amount = word_at(warp, insn->src[1], lane);
  bool arrives = insn->extra == MBARRIER_ARRIVE, arrives_once = insn->extra == MBARRIER_ARRIVE_EXPECT_TX;
  uint32_t count = arrives ? amount : arrives_once ? 1 : 0;
  int64_t bytes = arrives_once || insn->extra == MBARRIER_EXPECT_TX ? (int64_t)amount
                  : insn->extra == MBARRIER_COMPLETE_TX             ? -(int64_t)amount
                                                                    : 0;
  if (arrives && count == 0) {
    mbarrier_fault(warp, insn, lane, address, "gets an arrival of count 0");
    return;
  }
  unsigned char *host = place_of(warp, insn, lane, owner, address);
  if (host && insn->dst != UINT32_MAX) memcpy((uint64_t *)lanes_at(warp, insn->dst) + lane, host, 8);
  if (host)
    count_arrivals(warp, insn, lane, NULL, owner, address,
                   (Arrival){count, insn->flags & FLAG_SAT ? count : 0, bytes});
}

void exec_mbarrier(Warp *warp, const Insn *insn, uint32_t mask) {
  for (uint32_t lane = 0; lane < LANES && !warp->block->worker->fault.set; lane++) {
    uint64_t address;
    Block *owner;
    if (!(mask >> lane & 1) || !barrier_address(warp, insn, lane, &owner, &address)) continue;
    if (insn->extra == MBARRIER_INIT)
      mbarrier_init(warp, insn, lane, address);
    else if (insn->extra == MBARRIER_INVAL)
      mbarrier_invalidate(warp, insn, lane, address);
    else
      mbarrier_change(warp, insn, lane, owner, address);
  }
}

void exec_mbarrier_pending(Warp *warp, const Insn *insn, uint32_t mask) {
  const uint64_t *state = lanes_at(warp, insn->src[0]);
  uint32_t out[LANES];
  for (int l = 0; l < LANES; l++) out[l] = (uint32_t)(state[l] & MAX_COUNT);
  lanes_write32(warp, insn->dst, out, mask);
}

// src[1]: the state token, or with FLAG_WIDE the parity.
static bool lane_test(Warp *warp, const Insn *insn, uint32_t lane, bool hasty, bool *complete) {
  uint64_t address;
  Mbarrier m, token;
  unsigned char *host;
  Block *block;
  if (!barrier_address(warp, insn, lane, &block, &address)) return false;
  if (!mbarrier_find(warp, insn, lane, block, address, &m, &host)) return false;
  if (insn->flags & FLAG_WIDE) {
    token.phase = word_at(warp, insn->src[1], lane) & 1;
  } else if (!mbarrier_unpack(((const uint64_t *)lanes_at(warp, insn->src[1]))[lane], &token)) {
    mbarrier_fault(warp, insn, lane, address, "is tested with a word that no arrival gave");
    return false;
  }
  if (m.phase == token.phase && !hasty) {
    async_complete_phase(block, address);
    if (!mbarrier_find(warp, insn, lane, block, address, &m, &host)) return false;
  }
  *complete = m.phase != token.phase && !(hasty && sim_hook_mbarrier_news(warp, address));
  if (*complete) sim_hook_mbarrier_wait(warp, insn, lane, address, token.phase);
  return !warp->block->worker->fault.set;
}

uint32_t mbarrier_test(Warp *warp, const Insn *insn, uint32_t mask, bool hasty) {
  uint32_t done = 0;
  for (uint32_t lane = 0; lane < LANES; lane++) {
    bool complete = false;
    if (!(mask >> lane & 1)) continue;
    if (!lane_test(warp, insn, lane, hasty, &complete)) complete = true;
    done |= (uint32_t)complete << lane;
  }
  return done;
}

void exec_mbarrier_test(Warp *warp, const Insn *insn, uint32_t mask) {
  predicate_write(warp, insn->dst, mbarrier_test(warp, insn, mask, false), mask);
}
